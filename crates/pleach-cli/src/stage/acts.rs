//! What a script or a test does to its agent: it writes keys, sends events, fills slots. Everything
//! is checked against the tree before it is done.

use pleach::expr::KeyIndex;
use pleach::tools::text::plain;
use pleach::{Event, Host, Symbol, Tree, Value};

use super::values;

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
    let key = tree.schema().slot(slot, file).map_err(|it| it.to_string())?;
    Ok((key, Value::Symbol(Symbol::new(file))))
}
