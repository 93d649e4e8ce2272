//! What a script or a test does to its agent: it writes keys, sends events, fills slots. All is
//! checked against the tree before it is done.

use pleach::expr::KeyIndex;
use pleach::tools::text::plain;
use pleach::{Event, Host, Symbol, Tree, Value};

use super::values;

/// How keys of slots begin.
const SLOT: &str = "slot:";

/// The key of a name, and the value that a text says.
///
/// # Errors
/// There is no such key, or it cannot hold the value.
pub(crate) fn key_value<H: Host>(tree: &Tree<H>, name: &str, text: &str) -> Result<(KeyIndex, Value), String> {
    let key = values::key(tree, name)?;
    Ok((key, values::of_key(tree.schema().decl(key), text)?))
}

/// The event of a name, with the payload that a text says.
///
/// # Errors
/// The tree does not know the event, or not with this payload.
pub(crate) fn event<H: Host>(tree: &Tree<H>, name: &str, text: Option<&str>) -> Result<Event, String> {
    let schema = tree.schema();
    let names: Vec<&str> = schema.events().map(|it| it.name()).collect();
    let decl = schema.events().find(|it| it.name() == name);
    let payload = decl.map(|it| it.payload()).ok_or_else(|| values::none("event", name, &names))?;
    let event = Event::named(Symbol::new(name));
    let event = match (payload, text) {
        (Some(ty), Some(text)) => event.with(values::of_type(ty, text)?),
        (None, Some(text)) => {
            return Err(format!("`{}` has no payload: leave out `{}`", plain(name), plain(text)));
        }
        (_, None) => event,
    };
    tree.check_event(&event).map_err(|it| it.to_string())?;
    Ok(event)
}

/// The key of a slot, and the value of one of its trees, or of `empty`.
///
/// # Errors
/// There is no such slot, or it does not have this tree.
pub(crate) fn slot<H: Host>(tree: &Tree<H>, slot: &str, file: &str) -> Result<(KeyIndex, Value), String> {
    let keys = || tree.schema().keys().enumerate().filter_map(|it| Some((it.0, it.1.name().strip_prefix(SLOT)?)));
    // Of an instance the name stands before that of the key.
    let names: Vec<&str> = keys().map(|it| it.1).collect();
    let found = keys().find(|it| it.1 == slot).and_then(|it| KeyIndex::new(it.0));
    let key = found.ok_or_else(|| values::none("slot", slot, &names))?;
    let decl = tree.schema().decl(key);
    let words: Vec<&str> = decl.words().collect();
    if words.contains(&file) {
        return Ok((key, Value::Symbol(Symbol::new(file))));
    }
    let near = pleach::tools::names::nearest(file, words.iter().copied());
    let help =
        near.map_or_else(|| format!("it can be {}", values::listed(&words)), |it| format!("did you mean `{it}`?"));
    Err(format!("the slot `{}` has no tree `{}`: {help}", plain(slot), plain(file)))
}
