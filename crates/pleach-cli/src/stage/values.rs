//! Keys and values as a script or a test writes them.

use pleach::expr::KeyIndex;
use pleach::schema::{KeyDecl, Schema};
use pleach::tools::text::plain;
use pleach::{Entity, Host, Symbol, Tree, Type, Value};
use pleach_view::words::owner as place;

/// The key of a name. If several have it, the scope or the node comes before it: `group.plan`,
/// `n4.tries`.
///
/// # Errors
/// No key has the name, or several have it.
pub(crate) fn key<H: Host>(tree: &Tree<H>, text: &str) -> Result<KeyIndex, String> {
    let is_written = |key| tree.key_use(key).is_some_and(|it| it.writes());
    key_in(tree.schema(), &is_written, text)
}

fn key_in(schema: &Schema, is_written: &dyn Fn(KeyIndex) -> bool, text: &str) -> Result<KeyIndex, String> {
    let decls: Vec<&KeyDecl> = schema.keys().collect();
    let means = |it: &KeyDecl| {
        it.name() == text
            || text.strip_suffix(it.name()).and_then(|it| it.strip_suffix('.')).is_some_and(|at| at == place(it))
    };
    let found: Vec<usize> = (0..decls.len()).filter(|at| means(decls[*at])).collect();
    match found[..] {
        [at] => Ok(KeyIndex::new(at).expect("a key of the schema")),
        [] => {
            let mut names: Vec<&str> = Vec::new();
            decls.iter().map(|it| it.name()).for_each(|it| {
                if !names.contains(&it) {
                    names.push(it)
                }
            });
            let written = (0..decls.len()).filter(|at| KeyIndex::new(*at).is_some_and(is_written));
            let written: Vec<&str> = written.map(|at| decls[at].name()).collect();
            let none = none("key", text, &names);
            Err(if written.is_empty() { none } else { format!("{none}; the game writes {}", listed(&written)) })
        }
        _ => {
            let written: Vec<String> = found.iter().map(|at| written(decls[*at])).collect();
            Err(format!("several keys are called `{}`: write {}", plain(text), written.join(" or ")))
        }
    }
}

fn written(key: &KeyDecl) -> String {
    format!("`{}.{}`", place(key), key.name())
}

/// The value of that key that a text says.
///
/// # Errors
/// The key cannot hold it.
pub(crate) fn of_key(key: &KeyDecl, text: &str) -> Result<Value, String> {
    let value = of_type(key.ty(), text)?;
    if let Value::Symbol(_) = value {
        let words: Vec<&str> = key.words().collect();
        let word = unquoted(text);
        if !words.contains(&word) {
            let (key, word) = (plain(key.name()), plain(word));
            return Err(format!("`{key}` has no word `{word}`: {}", meant(&word, "it has", &words)));
        }
    }
    Ok(value)
}

/// The value of that type that a text says.
///
/// # Errors
/// It is not one.
pub(crate) fn of_type(ty: Type, text: &str) -> Result<Value, String> {
    let numbers = || -> Option<Vec<f32>> {
        let inner = text.strip_prefix('(').map_or(Some(text), |it| it.strip_suffix(')'))?;
        inner.split(',').map(|it| number(it.trim())).collect()
    };
    let value = match ty {
        Type::Bool => text.parse().ok().map(Value::Bool),
        Type::Int => text.parse().ok().map(Value::Int),
        Type::Float => number(text).map(Value::Float),
        Type::Vec2 => numbers().and_then(|it| it.try_into().ok()).map(Value::Vec2),
        Type::Vec3 => numbers().and_then(|it| it.try_into().ok()).map(Value::Vec3),
        Type::Entity if text == "none" => Some(Value::Entity(Entity::NONE)),
        Type::Entity => {
            text.strip_prefix('#').unwrap_or(text).parse().ok().map(|it| Value::Entity(Entity::from_bits(it)))
        }
        Type::Symbol => Some(Value::Symbol(Symbol::new(unquoted(text)))),
        Type::Time => text.parse().ok().map(Value::Time),
    };
    let what = match ty {
        Type::Bool => "a Bool: write `true` or `false`",
        Type::Int => "a whole number",
        Type::Float => "a number",
        Type::Vec2 => "a Vec2: write two numbers, as in `(3, 4)`",
        Type::Vec3 => "a Vec3: write three numbers, as in `(3, 4, 0)`",
        Type::Entity => "an Entity: write a number, or `none`",
        Type::Symbol => "a word",
        Type::Time => "a Time: write seconds since 0, as in `3.5`",
    };
    value.ok_or_else(|| format!("`{}` is not {what}", plain(text)))
}

/// A finite number, as literals of expressions are.
fn number(text: &str) -> Option<f32> {
    text.parse().ok().filter(|it: &f32| it.is_finite())
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(text)
}

/// That the tree has no such thing: which was meant, or what it has.
pub(crate) fn none(what: &str, name: &str, names: &[&str]) -> String {
    let name = plain(name);
    if names.is_empty() {
        return format!("the tree has no {what} `{name}`: it has none");
    }
    format!("the tree has no {what} `{name}`: {}", meant(&name, "it has", names))
}

/// What was probably meant, or else what there is.
fn meant(name: &str, has: &str, names: &[&str]) -> String {
    if let Some(it) = pleach::tools::names::near(name, names.iter().copied()) {
        return plain(&it.help().to_string()).into();
    }
    format!("{has} {}", listed(names))
}

/// Some names, and how many more there are.
pub(crate) fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 12;
    let mut all: Vec<String> = names.iter().take(SHOWN).map(|it| format!("`{}`", plain(it))).collect();
    if names.len() > SHOWN {
        all.push(format!("{} more", names.len() - SHOWN));
    }
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use pleach::NodeId;
    use pleach::schema::{KeyDefault, Scope};

    use super::*;

    #[test]
    fn a_key_is_found_by_its_name_and_where_several_have_it_by_its_place() {
        let mut schema = Schema::default();
        let node = NodeId::new(4).unwrap();
        let mut declare = |name: &str, scope, node| {
            schema.declare(name, scope, node, KeyDefault::Value(Value::Int(0))).unwrap();
        };
        declare("plan", Scope::Agent, None);
        declare("plan", Scope::Group, None);
        declare("tries", Scope::Node, Some(node));
        let at = |text: &str| key_in(&schema, &|_| false, text).map(KeyIndex::index);
        assert_eq!((at("tries"), at("n4.tries"), at("agent.plan"), at("group.plan")), (Ok(2), Ok(2), Ok(0), Ok(1)));
        assert_eq!(at("plan").unwrap_err(), "several keys are called `plan`: write `agent.plan` or `group.plan`");
        assert_eq!(at("plam").unwrap_err(), "the tree has no key `plam`: did you mean `plan`?");
        assert_eq!(at("speed").unwrap_err(), "the tree has no key `speed`: it has `plan`, `tries`");
        assert!(at("global.plan").is_err() && at("n3.tries").is_err() && at(".plan").is_err());
        let of_group = |key: KeyIndex| key.index() == 1;
        assert_eq!(
            key_in(&schema, &of_group, "speed").unwrap_err(),
            "the tree has no key `speed`: it has `plan`, `tries`; the game writes `plan`"
        );
    }
}
