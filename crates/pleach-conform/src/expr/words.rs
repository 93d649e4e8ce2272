//! Words: names that are not keys. Their context says which symbol key they belong to.

use super::{ExprError, Part};
use crate::keys::{Key, Value, ValueType};

pub(super) type Typed = (Part, ValueType);

impl Part {
    /// Whether it is a word, or an `if` between words, whose key is not yet known.
    pub(super) fn is_word(&self) -> bool {
        match self {
            Part::Word(..) => true,
            Part::If(parts) => parts[1..].iter().all(Part::is_word),
            _ => false,
        }
    }

    /// The same with its words as those of these keys.
    pub(super) fn with_words_of(self, keys: &[&Key]) -> Result<Part, ExprError> {
        match self {
            Part::Word(word, _) if keys.iter().any(|it| it.words.contains(&word)) => {
                Ok(Part::Literal(Value::Symbol(word)))
            }
            Part::Word(word, at) => Err(ExprError { at, what: format!("`{word}` is none of the key's words") }),
            Part::If(parts) => {
                let [test, a, b] = *parts;
                Ok(Part::If(Box::new([test, a.with_words_of(keys)?, b.with_words_of(keys)?])))
            }
            other => Ok(other),
        }
    }
}

/// A part where no word can be.
pub(super) fn settled((part, t): Typed) -> Result<Typed, ExprError> {
    match part {
        // Where no word is wanted.
        Part::Word(word, _) if word == "time" => Ok((Part::Time, ValueType::Time)),
        Part::Word(word, _) if word == "now" => Ok((Part::Now, ValueType::Time)),
        Part::Word(word, at) => Err(ExprError { at, what: format!("`keys` has no `{word}`") }),
        part if part.is_word() => {
            let Part::If(parts) = part else { unreachable!("nothing else is made of words") };
            let [test, a, b] = *parts;
            let ((a, _), (b, _)) = (settled((a, t))?, settled((b, t))?);
            // All of them are `time` or `now`.
            Ok((Part::If(Box::new([test, a, b])), ValueType::Time))
        }
        part => Ok((part, t)),
    }
}
