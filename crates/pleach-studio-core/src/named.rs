//! The names of nodes, and which nodes and expressions a text means.

use std::collections::BTreeMap;

use pleach::error::FindError;
use pleach::expr::Expr;
use pleach::tools::kinds::NodeKind;
use pleach::tools::names::nearest;
use pleach::tools::text::plain;
use pleach::{Host, NodeId, NodeRef, Tree, Type};

/// The names of all nodes of a tree, in pre-order: `flee` for a node with a unique name,
/// `fight.strike` for one in an instance, else the path from the nearest such node above it, as in
/// `flee/Wait` or `flee/Check[2]`, the second of its name there. So an added node changes the names
/// of others only if these have none of their own.
#[must_use]
pub fn paths<H: Host>(tree: &Tree<H>) -> Vec<String> {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    tree.nodes().filter_map(own_name).for_each(|it| *uses.entry(it).or_default() += 1);
    let mut paths: Vec<String> = Vec::with_capacity(tree.len());
    // How many children of a node had a label so far: counting them again for each is quadratic.
    let mut before: BTreeMap<(NodeId, &str), usize> = BTreeMap::new();
    for node in tree.nodes() {
        let name = own_name(node).filter(|it| uses.get(it) == Some(&1));
        let step = node.parent().map(|parent| {
            let before = before.entry((parent.id(), node.label())).or_default();
            *before += 1;
            (parent, step(node.label(), *before - 1))
        });
        let path = name.unwrap_or_else(|| match step {
            None => plain(node.label()).into_owned(),
            Some((parent, step)) => format!("{}/{step}", paths[parent.id().index()]),
        });
        paths.push(path);
    }
    paths
}

/// Its name after that of its instance.
fn own_name<H: Host>(node: NodeRef<'_, H>) -> Option<String> {
    let name = plain(node.name()?).into_owned();
    Some(match node.instance() {
        // The first node of an instance often has the same name.
        Some(it) if it.root().id() == node.id() && it.name() == name => it.full_name().to_owned(),
        Some(it) => format!("{}.{name}", it.full_name()),
        None => name,
    })
}

/// The step to a child in a path: its label, and its number among the siblings of this label unless
/// it is the first of them.
fn step(label: &str, before: usize) -> String {
    let label = plain(label);
    match before {
        0 => label.into_owned(),
        before => format!("{label}[{}]", before + 1),
    }
}

/// The leaf of the game that a node calls by itself.
#[must_use]
pub fn called<H: Host>(node: NodeRef<'_, H>) -> Option<&str> {
    match node.node_kind() {
        NodeKind::Action | NodeKind::Condition => Some(node.kind()),
        NodeKind::Guard if node.calls_leaf() => node.detail().split('(').next(),
        _ => None,
    }
}

/// The nodes that a name means: the one of [`node`]; the name of a leaf means all nodes that call
/// it.
///
/// # Errors
/// There is no such node, or there are several.
pub fn nodes<H: Host>(tree: &Tree<H>, paths: &[String], name: &str) -> Result<Vec<NodeId>, String> {
    let of_leaf = || -> Vec<NodeId> { tree.nodes().filter(|it| called(*it) == Some(name)).map(|it| it.id()).collect() };
    match looked_up(tree, paths, name) {
        Ok(node) => Ok(vec![node]),
        Err(Unclear::Several(_)) if !of_leaf().is_empty() && tree.find(name).next().is_none() => Ok(of_leaf()),
        Err(unclear) => Err(unclear.told(tree, paths, name)),
    }
}

/// The single node that a text means: one of [`paths`], which may begin with any name of its first
/// node; any text that [`Tree::find_printed`] accepts; or the end of a path, with or without the
/// numbers of its steps, if only one node has such a path.
///
/// # Errors
/// There is no such node, or there are several.
pub fn node<H: Host>(tree: &Tree<H>, paths: &[String], text: &str) -> Result<NodeId, String> {
    looked_up(tree, paths, text).map_err(|it| it.told(tree, paths, text))
}

/// The same as [`node`], but `None` if there is no such node.
///
/// # Errors
/// There are several.
pub fn find<H: Host>(tree: &Tree<H>, paths: &[String], text: &str) -> Result<Option<NodeId>, String> {
    match looked_up(tree, paths, text) {
        Ok(node) => Ok(Some(node)),
        Err(Unclear::None(_)) => Ok(None),
        Err(several) => Err(several.told(tree, paths, text)),
    }
}

/// Why a text means no node.
enum Unclear {
    Several(Vec<NodeId>),
    None(FindError),
}

/// How many candidates an error lists.
const CANDIDATES: usize = 6;

impl Unclear {
    fn told<H: Host>(self, tree: &Tree<H>, paths: &[String], text: &str) -> String {
        let error = match self {
            Unclear::Several(nodes) => {
                let names = nodes.iter().take(CANDIDATES).map(|it| format!("`{}`", plain(&paths[it.index()])));
                let more = if nodes.len() > CANDIDATES { " or another" } else { "" };
                let names = names.collect::<Vec<_>>().join(" or ");
                return format!("several nodes are called `{}`: write {names}{more}", plain(unquoted(text)));
            }
            Unclear::None(error) => error,
        };
        if let FindError::NoSuchNumber { .. } = error {
            return not_found(&error);
        }
        let kinds = tree.nodes().map(|it| it.kind());
        match nearest(text, paths.iter().map(String::as_str).chain(kinds)) {
            Some(near) => format!("the tree has no node `{}`: did you mean `{}`?", plain(text), plain(near)),
            None => not_found(&error),
        }
    }
}

fn looked_up<H: Host>(tree: &Tree<H>, paths: &[String], text: &str) -> Result<NodeId, Unclear> {
    if let Some(node) = by_path(tree, paths, text) {
        return Ok(node);
    }
    let error = match tree.find_printed(text) {
        Ok(node) => return Ok(node.id()),
        Err(error) => error,
    };
    let all = |is_it: &dyn Fn(NodeRef<'_, H>) -> bool| -> Vec<NodeId> {
        tree.nodes().filter(|it| is_it(*it)).map(NodeRef::id).collect()
    };
    let found = match &error {
        FindError::Several { name, nodes, .. } => {
            let called = [all(&|it| is_called(it, name)), all(&|it| it.kind() == name)];
            called.into_iter().find(|it| it.len() > 1).unwrap_or(nodes.to_vec())
        }
        _ => {
            let ends = |numbers| all(&|it| ends_with(it, unquoted(text), numbers));
            [Numbers::AsPrinted, Numbers::LeftOut].into_iter().map(ends).find(|it| !it.is_empty()).unwrap_or_default()
        }
    };
    match found[..] {
        [] => Err(Unclear::None(error)),
        [node] => Ok(node),
        _ => Err(Unclear::Several(found)),
    }
}

/// The node of a path, whose first node may have any name that means it.
fn by_path<H: Host>(tree: &Tree<H>, paths: &[String], name: &str) -> Option<NodeId> {
    let at = |path: &str| tree.nodes().nth(paths.iter().position(|it| it == path)?).map(NodeRef::id);
    at(name).or_else(|| {
        name.match_indices('/').find_map(|(slash, _)| {
            let first = tree.find_printed(&name[..slash]).ok()?;
            at(&format!("{}{}", paths[first.id().index()], &name[slash..]))
        })
    })
}

/// Whether the steps of a path have the numbers that tell a node from its siblings.
#[derive(Clone, Copy)]
enum Numbers {
    AsPrinted,
    LeftOut,
}

/// Whether the path of a node ends with these steps.
fn ends_with<H: Host>(node: NodeRef<'_, H>, text: &str, numbers: Numbers) -> bool {
    let is_end = |step: String| {
        text.strip_suffix(&*step).is_some_and(|before| match before.strip_suffix('/') {
            Some(before) => node.parent().is_some_and(|it| ends_with(it, before, numbers)),
            None => before.is_empty(),
        })
    };
    // No empty step: each call has less text.
    steps(node, numbers).into_iter().filter(|it| !it.is_empty()).any(is_end)
}

/// The names of a node in a path.
fn steps<H: Host>(node: NodeRef<'_, H>, numbers: Numbers) -> Vec<String> {
    let label = plain(node.label()).into_owned();
    let mut steps: Vec<String> = own_name(node).into_iter().collect();
    // The form with a space is that of a line of a trace.
    let around = node.instance().into_iter().map(|it| it.full_name());
    steps.extend(around.flat_map(|it| [format!("{it}:{label}"), format!("{it}: {label}")]));
    let begins: String = node.begins().flat_map(|it| [it.name(), ":"]).collect();
    let full = format!("{begins}{label}");
    match (numbers, node.parent()) {
        (Numbers::AsPrinted, Some(parent)) => {
            let before = || parent.children().take_while(|it| it.id() != node.id());
            let alike = before().filter(|it| it.label() == node.label()).count();
            steps.extend([step(node.label(), alike), format!("{full}[{}]", before().count())]);
        }
        (Numbers::AsPrinted, None) => steps.push(full),
        (Numbers::LeftOut, _) => steps.extend([full, label, node.kind().to_owned()]),
    }
    steps
}

/// Whether this is its name, by itself or behind that of its instance.
fn is_called<H: Host>(node: NodeRef<'_, H>, name: &str) -> bool {
    node.name().is_some_and(|it| it == name || plain(it) == name) || own_name(node).is_some_and(|it| it == name)
}

/// The text between quotes, or the whole text if there are none.
fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote).filter(|it| !it.is_empty());
    ['"', '\'', '`'].into_iter().find_map(inner).unwrap_or(text)
}

/// Why a text means no node, and what to write instead.
#[must_use]
pub fn not_found(error: &FindError) -> String {
    match error {
        FindError::Several { name, nodes, apart, .. } => {
            let numbers = || nodes.map(|it| it.to_string());
            let [one, other] = apart.clone().unwrap_or_else(numbers);
            format!("several nodes are called `{}`: write `{}` or `{}`", plain(name), plain(&one), plain(&other))
        }
        _ => error.to_string(),
    }
}

/// An expression over the keys that the root sees.
///
/// # Errors
/// It is wrong, or not a Bool.
pub fn test<H: Host>(tree: &Tree<H>, text: &str) -> Result<Expr, String> {
    tree.root().expr(text, Some(Type::Bool)).map_err(|it| {
        let all: Vec<String> = it.iter().map(ToString::to_string).collect();
        format!("in `{}`: {}", plain(text), all.join("; "))
    })
}
