//! What a node sees of the keys of its tree, for tools.

use pleach_expr::expr::{self, Doubt, Expr, ExprError, KeyIndex};

use super::record::{GuardTest, Op};
use super::{NodeRef, Tree};
use crate::blackboard::{KeyUse, NodeView};
use crate::{Host, NodeId, Type};

impl<H: Host> Tree<H> {
    /// Lends the keys as a node sees them.
    pub(super) fn with_view<R>(&self, node: NodeId, look: impl FnOnce(&NodeView<'_>) -> R) -> R {
        let path: Vec<NodeId> = std::iter::successors(Some(node), |it| self.rec(*it).parent.some()).collect();
        let frame = self.frame(node);
        look(&NodeView { schema: &self.schema, path: &path, frame, outside: false })
    }
}

impl<H: Host> Tree<H> {
    /// What the game does with a key, as far as
    /// [`TreeBuilder::require`](crate::TreeBuilder::require) or the registry said it before the
    /// tree was built. `None` if it is not known.
    /// [`AgentView::key_use`](crate::inspect::AgentView::key_use) also knows what was
    /// [bound](crate::Forest::bind) later.
    ///
    /// ```
    /// # use pleach_core as pleach;
    /// # struct Game;
    /// # impl pleach::Host for Game { type Cx<'a> = (); }
    /// use pleach::schema::{Access, KeyNeed, Scope};
    /// use pleach::{Tree, Type, nodes};
    ///
    /// let mut builder = Tree::<Game>::builder("guard");
    /// builder.key("sees", false);
    /// let mut need = KeyNeed::new("sees", Scope::Agent, Type::Bool);
    /// need.access = Some(Access::Write);
    /// builder.require([need]);
    /// let tree = builder.build(nodes::check("sees")).unwrap();
    ///
    /// let read = tree.root().test().unwrap().keys()[0];
    /// assert_eq!(tree.key_use(read).unwrap().to_string(), "written by the game");
    /// ```
    #[must_use]
    pub fn key_use(&self, key: KeyIndex) -> Option<KeyUse<'_>> {
        KeyUse::of(key, &self.needs, &self.schema)
    }

    /// Whether an expression reads a key.
    #[must_use]
    pub fn reads(&self, key: KeyIndex) -> bool {
        self.exprs.iter().any(|it| it.keys().contains(&key))
    }
}

impl<'a, H: Host> NodeRef<'a, H> {
    /// The expression that it asks: of a `Check`, a `WaitUntil`, and of a `Guard` unless that asks
    /// a condition of the host.
    #[must_use]
    pub fn test(self) -> Option<&'a Expr> {
        match self.record().op {
            Op::Guard { when: GuardTest::Expr(expr), .. } | Op::WaitUntil { expr } | Op::Check { expr } => {
                Some(self.tree.expr(expr))
            }
            _ => None,
        }
    }

    /// The keys that its [`test`](NodeRef::test) reads, or the expression that a `Switch` selects
    /// by.
    #[must_use]
    pub fn reads(self) -> &'a [KeyIndex] {
        self.asked().map_or(&[], Expr::keys)
    }

    /// Its test, or the expression that a switch selects by.
    pub(crate) fn asked(self) -> Option<&'a Expr> {
        match self.record().op {
            Op::Switch { on, .. } => Some(self.tree.expr(on)),
            _ => self.test(),
        }
    }

    /// Compiles an expression over the keys that the node sees, as [`Expr::compile`] does, for
    /// tools.
    ///
    /// ```
    /// # use pleach_core as pleach;
    /// # struct Game;
    /// # impl pleach::Host for Game { type Cx<'a> = (); }
    /// use pleach::{Tree, Type, nodes};
    ///
    /// let mut builder = Tree::<Game>::builder("rest");
    /// builder.key("tired", false);
    /// builder.key("wounds", 0_i64);
    /// let tree = builder.build(nodes::idle()).unwrap();
    /// let expr = tree.root().expr("tired && wounds > 2", Some(Type::Bool)).unwrap();
    /// let names: Vec<&str> = expr.keys().iter().map(|it| tree.schema().decl(*it).name()).collect();
    /// assert_eq!(names, ["tired", "wounds"]);
    /// ```
    ///
    /// # Errors
    /// The syntax error, if there is one; otherwise every wrong name and type, in the order of the
    /// source.
    pub fn expr(self, source: &str, expected: Option<Type>) -> Result<Expr, Vec<ExprError>> {
        self.tree.with_view(self.id, |view| Expr::compile(source, view, expected))
    }

    /// Parts of an expression over the keys that the node sees which are legal but probably not
    /// meant: [`expr::doubts`].
    #[must_use]
    pub fn doubts(self, source: &str, expected: Option<Type>) -> Vec<Doubt> {
        self.tree.with_view(self.id, |view| expr::doubts(source, view, expected))
    }

    /// The key of a name as the node sees it; `group.name` and the like name a scope. `None` if
    /// there is none, or if it is a port that was given a literal.
    #[must_use]
    pub fn key(self, name: &str) -> Option<KeyIndex> {
        self.tree.key_index_at(self.id, name).ok()
    }
}
