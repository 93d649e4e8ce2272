//! Where in the file a key should stand that the game relies on, and what to write there.

use pleach_core::Type;
use pleach_core::error::{KeyProblem, KeyProblemKind};
use pleach_core::names::{Help, nearest};
use pleach_core::schema::{KeyDefault, KeyNeed, NeededWords, Scope};

use crate::asset::{AssetTree, KeyEntry};
use crate::finding::Finding;
use crate::suggest::{did_you_mean, list};

/// What to report for a key that the game relies on, and that this file lacks or declares
/// otherwise.
pub(super) fn place(asset: &AssetTree<'_>, mut problem: KeyProblem) -> Finding {
    let help = problem.take_help();
    let message = problem.to_string();
    let KeyProblem { need, kind, .. } = problem;
    let entry = |scope: Scope, name: &str| asset.keys.iter().find(|it| it.scope == scope && it.name.text == name);
    // A key of a part is declared in another file.
    let declares = asset.declares.at(need.scope);
    let own = entry(need.scope, &need.name);
    let at = own.map_or(declares, |it| it.name.span);
    match kind {
        KeyProblemKind::Missing(_) => match help {
            Some(Help::Meant(name)) => match entry(need.scope, &name) {
                Some(it) => {
                    let label = format!("did you mean `{}`?", need.name);
                    Finding::error(declares, message).help(how_to_declare(&need)).also(it.name.span, label)
                }
                None => Finding::error(declares, message).maybe_help(did_you_mean(Some(&name))),
            },
            _ => Finding::error(declares, message).help(how_to_declare(&need)),
        },
        KeyProblemKind::Scope(found) => {
            let at = entry(found, &need.name).map_or(declares, |it| it.name.span);
            Finding::error(at, message).help(format!("declare it in `{}`", field(need.scope)))
        }
        KeyProblemKind::WordUnknown(word) => {
            let help = match &need.words {
                NeededWords::Exactly(all) | NeededWords::AtLeast(all) => {
                    let all: Vec<&str> = all.iter().map(|it| &**it).collect();
                    Some(format!("the game knows {}", list(&all)))
                }
                NeededWords::Any => None,
            };
            let at =
                own.and_then(|it| it.words.get(words(it).iter().position(|it| **it == word)?)).copied().unwrap_or(at);
            Finding::error(at, message).maybe_help(help)
        }
        KeyProblemKind::WordMissing(word) => {
            let near = own.and_then(|it| nearest(&word, words(it).iter().map(|it| &**it)));
            let add = format!("add `\"{word}\"` to its words");
            Finding::error(at, message).help(did_you_mean(near).unwrap_or(add))
        }
        KeyProblemKind::Type(_) => Finding::error(at, message).help(format!("declare it as {}", declaration(&need))),
        KeyProblemKind::SameHash(_) | _ => Finding::error(at, message),
    }
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

fn how_to_declare(need: &KeyNeed) -> String {
    if need.name.contains('.') {
        return format!("it is the key of a part: `{}` needs a part of that name with such a key", need.name);
    }
    format!("declare it in `{}`: {}", field(need.scope), declaration(need))
}

/// How the file that has the key declares it, with some default.
fn declaration(need: &KeyNeed) -> String {
    let default = match need.ty {
        Type::Bool => "Bool(false)".to_owned(),
        Type::Int => "Int(0)".to_owned(),
        Type::Float => "Float(0.0)".to_owned(),
        Type::Vec2 => "Vec2(0, 0)".to_owned(),
        Type::Vec3 => "Vec3(0, 0, 0)".to_owned(),
        Type::Entity => "Entity(none)".to_owned(),
        Type::Symbol => match &need.words {
            NeededWords::Exactly(all) | NeededWords::AtLeast(all) if !all.is_empty() => {
                format!("Symbol(\"{}\", [\"{}\"])", all[0], all.join("\", \""))
            }
            _ => "Symbol(..)".to_owned(),
        },
    };
    let name = need.name.rsplit('.').next().unwrap_or(&need.name);
    format!("`\"{name}\": {default}`")
}
