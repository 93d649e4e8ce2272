//! What was probably meant, in words and as an edit; and lists of what exists.

use pleach_core::names::{Help, Near, near};

use crate::kind;
use crate::span::Span;

/// What to do about a problem: in words, and as an edit if that is mechanical.
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
    /// Another name is meant, but a person has to say which: this changes nothing.
    Choose,
    /// This replaces the text at the place of the problem.
    Instead(String),
    /// This replaces the text at these places, which are in order and do not overlap.
    At(Vec<(Span, String)>),
}

impl Advice {
    pub(crate) fn edit(self, edit: Edit) -> Self {
        Advice { edit: Some(Box::new(edit)), ..self }
    }

    /// Only the words: their subject is not at the place of the problem.
    pub(crate) fn without_edit(self) -> Self {
        Advice { edit: None, ..self }
    }

    /// Whether it gives other names for one that is misspelt.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self.edit.as_deref(), Some(Edit::Name(_) | Edit::Choose))
    }
}

impl<T: Into<String>> From<T> for Advice {
    fn from(text: T) -> Self {
        Advice { text: text.into(), edit: None }
    }
}

/// `write ..`, as a replacement for the text at the place of the problem.
pub(crate) fn write(instead: impl Into<String>) -> Advice {
    let instead = instead.into();
    Advice::from(format!("write `{instead}`")).edit(Edit::Instead(instead))
}

/// Help for a number with a comma in place of its point, such as `0,5`, which stands at this place.
pub(crate) fn with_a_point(number: &str, at: Span) -> Advice {
    let number = number.replace(',', ".");
    let edit = Edit::At(vec![(at, number.clone())]);
    Advice::from(format!("write `{number}`: numbers have a point, and `,` separates items")).edit(edit)
}

/// The most similar of some names, as a help text.
pub(crate) fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<Advice> {
    did_you_mean(near(name, candidates))
}

pub(crate) fn did_you_mean(near: Option<Near<'_>>) -> Option<Advice> {
    near.map(|it| in_asset(&it.help()))
}

/// The same for the name of a node, which changes more than another name does: an edit only for
/// few slips.
pub(crate) fn node(name: &str, near: Option<Near<'_>>) -> Option<Advice> {
    let most = if name.chars().count() < 8 { 1 } else { 2 };
    let is_sure = near?.slips.is_some_and(|it| it <= most);
    did_you_mean(near).map(|it| if is_sure { it } else { it.edit(Edit::Choose) })
}

/// Proposes this name, as text and as an edit.
pub(crate) fn meant(name: &str) -> Advice {
    in_asset(&Help::Meant(name.into()))
}

/// Help of the core, with what an asset can do.
pub(crate) fn in_asset(help: &Help) -> Advice {
    match help {
        Help::Meant(name) => Advice::from(help.to_string()).edit(Edit::Name(name.clone())),
        Help::Either(..) => Advice::from(help.to_string()).edit(Edit::Choose),
        Help::Events(events, _) if events.is_empty() => {
            format!("{help}: declare one in the tree, as in `events: {{ \"noise\": () }}`").into()
        }
        _ => help.to_string().into(),
    }
}

/// Help for a word where a string is wanted.
pub(crate) fn unquoted(word: &str) -> Option<Advice> {
    let advice = (!kind::RESERVED.contains(&word)).then(|| write(format!("\"{word}\"")))?;
    // A word that begins like a node may be a misplaced one.
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
