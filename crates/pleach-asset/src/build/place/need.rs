//! Where in the file a key should stand that the game relies on, and what to write there.

use pleach_core::Type;
use pleach_core::error::{KeyProblem, KeyProblemKind};
use pleach_core::names::{Help, near, nearest};
use pleach_core::schema::{KeyDefault, KeyNeed, NeededWords, Scope};

use crate::asset::{AssetNode, AssetTree, KeyEntry};
use crate::code::Code;
use crate::finding::Finding;
use crate::suggest::{Advice, did_you_mean, list, meant};

/// What to report for a key that the game relies on, and that this file lacks or declares
/// otherwise; `None` if it only follows from earlier reports. `key` is its name in the file:
/// without the name of the instance that the file is.
pub(super) fn place(asset: &AssetTree<'_>, key: &str, mut problem: KeyProblem) -> Option<Finding> {
    let help = problem.take_help();
    let message = problem.to_string();
    let KeyProblem { need, kind, .. } = problem;
    if let Some((instance, key)) = key.rsplit_once('.') {
        return without_instance(asset, instance, key, &need, message);
    }
    let entry = |scope: Scope, name: &str| asset.keys.iter().find(|it| it.scope == scope && it.name.text == name);
    let declares = asset.declares.at(need.scope);
    let own = entry(need.scope, key);
    let at = own.map_or(declares, |it| it.name.span);
    Some(match kind {
        KeyProblemKind::Missing(_) => match help {
            Some(Help::Meant(name)) => {
                let of_file = need.name.strip_suffix(key).and_then(|it| name.strip_prefix(it));
                match of_file.and_then(|it| entry(need.scope, it)) {
                    Some(it) => {
                        let label = format!("did you mean `{key}`?");
                        Finding::new(Code::KeyNeed, declares, message)
                            .help(how_to_declare(&need, key))
                            .also(it.name.span, label)
                    }
                    None => Finding::new(Code::KeyNeed, declares, message).help(meant(&name).without_edit()),
                }
            }
            Some(help @ Help::Either(..)) => Finding::new(Code::KeyNeed, declares, message).help(help.to_string()),
            _ => Finding::new(Code::KeyNeed, declares, message).help(how_to_declare(&need, key)),
        },
        KeyProblemKind::Scope(found) => {
            let at = entry(found, key).map_or(declares, |it| it.name.span);
            Finding::new(Code::KeyNeed, at, message).help(format!("declare it in `{}`", field(need.scope)))
        }
        KeyProblemKind::WordUnknown(word) => {
            let help = match &need.words {
                NeededWords::Exactly(all) | NeededWords::AtLeast(all) => {
                    let all: Vec<&str> = all.iter().map(|it| &**it).collect();
                    Some(format!("the game knows {}", list(&all)).into())
                }
                NeededWords::Any => None,
            };
            let at =
                own.and_then(|it| it.words.get(words(it).iter().position(|it| **it == word)?)).copied().unwrap_or(at);
            Finding::new(Code::KeyNeed, at, message).maybe_help(help)
        }
        KeyProblemKind::WordMissing(word) => {
            let near = own.and_then(|it| near(&word, words(it).iter().map(|it| &**it)));
            let add = format!("add `\"{word}\"` to its words");
            Finding::new(Code::KeyNeed, at, message)
                .help(did_you_mean(near).map_or_else(|| add.into(), Advice::without_edit))
        }
        KeyProblemKind::Type(_) => {
            Finding::new(Code::KeyNeed, at, message).help(format!("declare it as {}", declaration(&need, key)))
        }
        KeyProblemKind::SameHash(_) | _ => Finding::new(Code::KeyNeed, at, message),
    })
}

/// That a file has no instance of that name, whose key the game relies on.
fn without_instance(
    asset: &AssetTree<'_>,
    instance: &str,
    key: &str,
    need: &KeyNeed,
    message: String,
) -> Option<Finding> {
    let includes: Vec<(&str, &AssetNode<'_>)> =
        asset.nodes().filter_map(|it| Some((it.instance_name()?, it))).collect();
    // The outermost of nested instances.
    let outer = instance.split('.').next().unwrap_or(instance);
    let help = format!(
        "`{}` is a key of an instance: give a `Subtree` or `Use` the name `{instance}`, and declare `{key}` in its file",
        need.name
    );
    let near = nearest(outer, includes.iter().map(|it| it.0));
    let Some((name, node)) = near.and_then(|near| includes.iter().find(|it| it.0 == near)) else {
        return Some(Finding::new(Code::KeyNeed, asset.declares.at(need.scope), message).help(help));
    };
    let finding = Finding::new(Code::KeyNeed, node.name.map_or(node.kind.span, |it| it.span), message);
    if *name != outer {
        return Some(finding.help(help));
    }
    // Its include is wrong, and that has been reported.
    let is_enabled = asset.enabled().any(|it| std::ptr::eq(it, *node));
    (!is_enabled).then(|| finding.help(format!("`{}` is a key of this instance, which is disabled", need.name)))
}

/// The words of a symbol key.
fn words<'a>(entry: &'a KeyEntry<'_>) -> &'a [String] {
    match &entry.default {
        KeyDefault::Symbol(_, words) => words,
        KeyDefault::Value(_) => &[],
    }
}

/// The field of `Tree` that declares the keys of a scope.
fn field(scope: Scope) -> &'static str {
    match scope {
        Scope::Node | Scope::Agent => "blackboard",
        Scope::Group => "group",
        Scope::Global => "global",
    }
}

fn how_to_declare(need: &KeyNeed, key: &str) -> String {
    format!("declare it in `{}`: {}", field(need.scope), declaration(need, key))
}

/// How a file declares a key, with some default.
fn declaration(need: &KeyNeed, key: &str) -> String {
    let default = match need.ty {
        Type::Bool => "Bool(false)".to_owned(),
        Type::Int => "Int(0)".to_owned(),
        Type::Float => "Float(0.0)".to_owned(),
        Type::Vec2 => "Vec2(0, 0)".to_owned(),
        Type::Vec3 => "Vec3(0, 0, 0)".to_owned(),
        Type::Entity => "Entity(none)".to_owned(),
        Type::Time => "Time(0)".to_owned(),
        Type::Symbol => match &need.words {
            NeededWords::Exactly(all) | NeededWords::AtLeast(all) if !all.is_empty() => {
                format!("Symbol(\"{}\", [\"{}\"])", all[0], all.join("\", \""))
            }
            _ => "Symbol(..)".to_owned(),
        },
    };
    format!("`\"{key}\": {default}`")
}
