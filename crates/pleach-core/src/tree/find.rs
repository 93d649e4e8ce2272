//! Nodes by their names, ids and paths.

use std::fmt;

use pleach_expr::known;
use pleach_expr::names::{self, Help, Near};
use pleach_expr::text::plain;

use super::{NodeRef, Tree};
use crate::{Host, NodeId};

/// Why no single node was found: see [`Tree::find_one`] and [`Tree::find_printed`].
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindError {
    /// No node has this id or name.
    Unknown {
        /// The name of the tree.
        tree: String,
        /// The text that was looked for.
        name: String,
        /// What was probably meant.
        help: Option<Help>,
    },
    /// Several nodes have this name. The name of its instance, or an id, distinguishes them.
    Several {
        /// The name of the tree.
        tree: String,
        /// The name.
        name: String,
        /// The first two of them.
        nodes: [NodeId; 2],
        /// Their names after those of their instances, if these distinguish them: `left.look`.
        apart: Option<[String; 2]>,
    },
    /// The tree has fewer nodes than this number.
    NoSuchNumber {
        /// The name of the tree.
        tree: String,
        /// The number, as it was written: `n45`.
        number: String,
        /// The last node of the tree.
        last: NodeId,
    },
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Unknown { tree, name, help } => {
                write!(f, "no node of `{}` is called `{}`", plain(tree), plain(name))?;
                help.as_ref().map_or(Ok(()), |it| write!(f, ": {it}"))
            }
            FindError::Several { tree, name, nodes: [one, other], apart } => {
                let (tree, name) = (plain(tree), plain(name));
                write!(f, "several nodes of `{tree}` are called `{name}`, {one} and {other} among them: ")?;
                if let Some([one, other]) = apart {
                    write!(f, "say `{}` or `{}`, or ", plain(one), plain(other))?;
                }
                f.write_str("give one an `id`")
            }
            FindError::NoSuchNumber { tree, number, last } => {
                write!(f, "`{}` has no node {}: its nodes are n0 to {last}", plain(tree), plain(number))
            }
        }
    }
}

impl fmt::Debug for FindError {
    /// The text, as `main` shows the error that it returns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for FindError {}

impl<H: Host> Tree<H> {
    /// Every node of that name, in pre-order. Walks all nodes.
    pub fn find<'a>(&'a self, name: &'a str) -> impl Iterator<Item = NodeRef<'a, H>> {
        self.nodes().filter(move |it| it.name() == Some(name))
    }

    /// The node of that id. Walks all nodes.
    #[must_use]
    pub fn find_id(&self, id: &str) -> Option<NodeRef<'_, H>> {
        self.nodes().find(|it| it.id_text() == Some(id))
    }

    /// The one node of that id, or else of that name. The name of a node of an instance may follow
    /// the instance's: `fight.strike`. Walks all nodes.
    ///
    /// ```
    /// # use pleach_core::nodes::{idle, sequence};
    /// # use pleach_core::{Host, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let tree = Tree::<Game>::builder("guard").build(sequence([idle().named("look around")]))?;
    /// assert_eq!(tree.find_one("look around").unwrap().id().index(), 1);
    /// let error = tree.find_one("lok around").unwrap_err();
    /// assert_eq!(error.to_string(), "no node of `guard` is called `lok around`: did you mean `look around`?");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// No node has this id or name, or several have the name.
    pub fn find_one(&self, name: &str) -> Result<NodeRef<'_, H>, FindError> {
        if let Some(node) = self.find_id(name) {
            return Ok(node);
        }
        self.one(name, self.nodes().filter(|it| it.is_called(name)))
    }

    /// The one node that a person means by a text, for tools: an id or a name as
    /// [`find_one`](Tree::find_one) takes it, with or without quotes; a path as
    /// [`find_path`](Tree::find_path) takes it; the full name of an instance, which means its first
    /// node; a number (`n4`), unless a node is called that; a line of a trace, which means the
    /// first node in it: `update    n4 Sequence "fight" -> running`; a kind and a name as drawings
    /// have them: `Sequence "fight"`; or a kind that only one node has. Walks all nodes.
    ///
    /// ```
    /// # use pleach_core::nodes::{idle, sequence};
    /// # use pleach_core::{Host, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let tree = Tree::<Game>::builder("guard").build(sequence([idle().named("look")]))?;
    /// for text in ["look", "\"look\"", "Sequence/look[0]", "n1", "start     n1 Idle \"look\"", "Idle \"look\"", "Idle"] {
    ///     assert_eq!(tree.find_printed(text).unwrap().id().index(), 1);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The text means no node, or several.
    pub fn find_printed(&self, text: &str) -> Result<NodeRef<'_, H>, FindError> {
        let name = unquoted(text);
        if let Some(node) = self.find_id(name) {
            return Ok(node);
        }
        let path = self.find_path(name).map(NodeRef::id);
        let instance = self.find_instance(name).map(|it| it.root().id());
        let means = |it: &NodeRef<'_, H>| [path, instance].contains(&Some(it.id())) || it.is_called(name);
        match self.one(name, self.nodes().filter(means)) {
            Err(FindError::Unknown { tree, name, help }) => match self.number(text) {
                Some(Ok(node)) if text == node.id().to_string() => Ok(node),
                Some(Err(last)) => Err(FindError::NoSuchNumber { tree, number: text.into(), last }),
                _ => match self.in_line(text).map_or_else(|| self.of_kind(text), Ok) {
                    Err(FindError::Unknown { .. }) => Err(FindError::Unknown { tree, name, help }),
                    found => found,
                },
            },
            found => found,
        }
    }

    /// The node whose number a text begins with, or the last node if the tree has fewer.
    fn number(&self, text: &str) -> Option<Result<NodeRef<'_, H>, NodeId>> {
        let number = text.split(' ').next()?.strip_prefix('n')?;
        if number.is_empty() || !number.bytes().all(|it| it.is_ascii_digit()) {
            return None;
        }
        // A number that does not fit in the type is not in the tree either.
        let node = number.parse().ok().and_then(|it: usize| self.nodes().nth(it));
        Some(node.ok_or_else(|| NodeId::new(self.len() - 1).expect("T1")))
    }

    /// The first node in a line of a trace as it is printed.
    fn in_line(&self, line: &str) -> Option<NodeRef<'_, H>> {
        line.match_indices('n').filter(|(at, _)| *at == 0 || line[..*at].ends_with(' ')).find_map(|(at, _)| {
            let node = self.number(&line[at..])?.ok()?;
            let rest = line[at..].strip_prefix(&*node.to_string())?;
            // A different name belongs to another node.
            (rest.is_empty() || rest.starts_with(' ') && !rest.starts_with(" \"")).then_some(node)
        })
    }

    /// The one node of a kind, or of a kind and a name as drawings have them: `Sequence "fight"`.
    fn of_kind(&self, text: &str) -> Result<NodeRef<'_, H>, FindError> {
        let (kind, name) = match text.strip_suffix('"').and_then(|it| it.split_once(" \"")) {
            Some((kind, name)) => (kind, Some(name)),
            None => (text, None),
        };
        let is_it = |it: &NodeRef<'_, H>| plain(it.kind()) == kind && name.is_none_or(|name| it.is_called(name));
        self.one(text, self.nodes().filter(is_it))
    }

    /// The only one of these nodes, which were looked up by a name.
    fn one<'a>(
        &'a self,
        name: &str,
        mut found: impl Iterator<Item = NodeRef<'a, H>>,
    ) -> Result<NodeRef<'a, H>, FindError> {
        match (found.next(), found.next()) {
            (Some(node), None) => Ok(node),
            (Some(one), Some(other)) => {
                let full = one.full_name().zip(other.full_name()).filter(|(one, other)| one != other);
                Err(FindError::Several {
                    tree: self.name().into(),
                    name: name.into(),
                    nodes: [one.id(), other.id()],
                    apart: full.map(Into::into),
                })
            }
            (None, _) => {
                let named = self.nodes().flat_map(|it| [it.name(), it.id_text()]).flatten();
                let names: Vec<&str> = named.chain(self.instances().map(|it| it.full_name())).collect();
                let help = names::near(name, names.iter().copied()).map(Near::help);
                let help = help.or_else(|| known::nodes(names));
                Err(FindError::Unknown { tree: self.name().into(), name: name.into(), help })
            }
        }
    }

    /// The node of a path as [`NodeRef::path`] prints it. Walks down from the root.
    #[must_use]
    pub fn find_path(&self, path: &str) -> Option<NodeRef<'_, H>> {
        let mut at = self.root();
        let mut rest = path.strip_prefix(&*at.step())?;
        while !rest.is_empty() {
            // By the labels, not by the slashes: a name may hold one.
            (at, rest) = at.children().enumerate().find_map(|(place, child)| {
                let after =
                    rest.strip_prefix('/')?.strip_prefix(&*child.step())?.strip_prefix(&format!("[{place}]"))?;
                (after.is_empty() || after.starts_with('/')).then_some((child, after))
            })?;
        }
        Some(at)
    }
}

impl<H: Host> NodeRef<'_, H> {
    /// Its name after that of its instance.
    fn full_name(self) -> Option<String> {
        let name = self.name()?;
        Some(self.instance().map_or_else(|| name.to_owned(), |it| format!("{}.{name}", it.full_name())))
    }

    /// Whether this is its name, by itself or after that of its instance; as it is, or as it is
    /// printed.
    fn is_called(self, text: &str) -> bool {
        let Some(name) = self.name() else { return false };
        let is = |text: &str| text == name || text == plain(name);
        let own = || text.strip_prefix(self.instance()?.full_name())?.strip_prefix('.');
        is(text) || own().is_some_and(is)
    }
}

/// The text between quotes, or the whole text if there are none.
fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote).filter(|it| !it.is_empty());
    ['"', '\'', '`'].into_iter().find_map(inner).unwrap_or(text)
}
