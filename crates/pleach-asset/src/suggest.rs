//! What was probably meant, in words and as an edit; and lists of what there is.

use pleach_core::names::{Help, nearest};

use crate::kind;
use crate::span::Span;

/// What to do about a problem: in words, and as an edit if no thought is needed for that.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Advice {
    pub(crate) text: String,
    pub(crate) edit: Option<Box<Edit>>,
}

/// An edit of the file in which a problem is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Edit {
    /// The name at the place of the problem becomes this one, in quotes if it has quotes.
    Name(String),
    /// This stands at the place of the problem instead of what is there.
    Instead(String),
    /// What stands at these places becomes this. The places are in order and do not overlap.
    At(Vec<(Span, String)>),
}

impl Advice {
    pub(crate) fn edit(self, edit: Edit) -> Self {
        Advice { edit: Some(Box::new(edit)), ..self }
    }

    /// Only the words: what they are about does not stand at the place of the problem.
    pub(crate) fn without_edit(self) -> Self {
        Advice { edit: None, ..self }
    }

    /// Whether it gives another name for one that is misspelt.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self.edit.as_deref(), Some(Edit::Name(_)))
    }
}

impl<T: Into<String>> From<T> for Advice {
    fn from(text: T) -> Self {
        Advice { text: text.into(), edit: None }
    }
}

/// `write ..`, where that stands at the place of the problem.
pub(crate) fn write(instead: impl Into<String>) -> Advice {
    let instead = instead.into();
    Advice::from(format!("write `{instead}`")).edit(Edit::Instead(instead))
}

/// The most similar of some names, as a help text.
pub(crate) fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<Advice> {
    did_you_mean(nearest(name, candidates))
}

pub(crate) fn did_you_mean(near: Option<&str>) -> Option<Advice> {
    near.map(|it| Advice::from(Help::Meant(it.into()).to_string()).edit(Edit::Name(it.to_owned())))
}

/// Help of the core, with what an asset can do.
pub(crate) fn in_asset(help: &Help) -> Advice {
    match help {
        Help::Meant(name) => Advice::from(help.to_string()).edit(Edit::Name(name.clone())),
        Help::Events(events, _) if events.is_empty() => {
            format!("{help}: declare one in the tree, as in `events: {{ \"noise\": () }}`").into()
        }
        _ => help.to_string().into(),
    }
}

/// Help for a word where a string is wanted.
pub(crate) fn unquoted(word: &str) -> Option<Advice> {
    let advice = (!kind::RESERVED.contains(&word)).then(|| write(format!("\"{word}\"")))?;
    // One that begins like a node may be one at a wrong place.
    Some(if word.starts_with(char::is_uppercase) { advice.without_edit() } else { advice })
}

/// `a`, `b` and `c`.
pub(crate) fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
