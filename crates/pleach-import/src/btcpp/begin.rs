//! Initial values of keys. An export puts a script before the root that runs once; an import
//! removes it again.

use crate::item::{Declared, Item};
use crate::keys::{Kind, key_name};
use crate::script::{Expr, statements};

/// The name of the sequence of the script and the root.
pub(crate) const NAME: &str = "blackboard";

/// The root without the script, and the keys that it sets.
pub(super) fn take(mut root: Item) -> (Item, Vec<Declared>) {
    match keys(&root) {
        Some(keys) => (root.children.remove(1), keys),
        None => (root, Vec::new()),
    }
}

fn keys(root: &Item) -> Option<Vec<Declared>> {
    let [once, _] = &*root.children else { return None };
    let [script] = &*once.children else { return None };
    let is_one = root.kind == "Sequence" && root.title.as_deref() == Some(NAME);
    if !is_one || once.kind != "RunOnce" || script.kind != "Script" {
        return None;
    }
    let all: Vec<_> = statements(script.text("code")?).into_iter().map(|it| it.1).collect::<Result<_, _>>().ok()?;
    let declared = all.into_iter().map(|it| {
        let (kind, value) = literal(it.value)?;
        Some(Declared { name: key_name(&it.key), kind, value: Some(value) })
    });
    declared.collect()
}

fn literal(value: Expr) -> Option<(Kind, String)> {
    match value {
        Expr::Bool(it) => Some((Kind::Bool, it.to_string())),
        Expr::Number(text, is_whole) => Some((if is_whole { Kind::Int } else { Kind::Float }, text)),
        Expr::Text(it) => Some((Kind::Word, it)),
        Expr::Minus(it) => match *it {
            Expr::Number(..) => literal(*it).map(|(kind, text)| (kind, format!("-{text}"))),
            _ => None,
        },
        Expr::Name(_) | Expr::Not(_) | Expr::Binary(..) | Expr::If(..) => None,
    }
}
