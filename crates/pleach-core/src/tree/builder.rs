//! What a tree declares before its nodes: keys and events.

use pleach_expr::expr::KeyIndex;

use super::Tree;
use super::flatten::{Flatten, of_key};
use super::node::Node;
use super::problem::{Field, Problem, ProblemKind, Problems, TreeError};
use crate::blackboard::{Default as KeyDefault, Direction, FrameId, KeyNeed, Schema, Scope};
use crate::{BlackboardType, Host, Key, Type};

/// Makes a [`Tree`]: keys first, then the root. A tree that declares no event knows every event;
/// from the first [`event`](TreeBuilder::event) on it knows only declared ones.
///
/// ```
/// # mod pleach { pub use pleach_core::{Host, Status, Tree, error::TreeError, nodes}; }
/// use pleach::nodes::{action, check, selector, sequence};
/// use pleach::{Status, Tree, nodes::Abort};
/// # struct Game;
/// # impl pleach::Host for Game { type Cx<'a> = (); }
/// # fn main() -> Result<(), pleach::TreeError> {
/// let mut tree = Tree::<Game>::builder("guard");
/// let health = tree.key("health", 1.0_f32);
/// let tree = tree.build(selector([
///     sequence([check("health < 0.3"), action(|_| Status::Running)]).aborts(Abort::LOWER_PRIORITY),
///     action(move |cx| {
///         let tired = cx.get(health) * 0.99;
///         cx.set(health, tired);
///         Status::Running
///     }),
/// ]))?;
/// assert_eq!(tree.len(), 5);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TreeBuilder<H: Host> {
    name: String,
    schema: Schema,
    problems: Problems,
    needs: Vec<KeyNeed>,
    locals: Vec<(String, KeyDefault)>,
    of: std::marker::PhantomData<fn() -> H>,
}

impl<H: Host> TreeBuilder<H> {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        TreeBuilder {
            name: name.into(),
            schema: Schema::default(),
            problems: Problems::default(),
            needs: Vec::new(),
            locals: Vec::new(),
            of: std::marker::PhantomData,
        }
    }

    /// Declares a key of each agent. [`build`](TreeBuilder::build) reports what is wrong with it.
    pub fn key<T: BlackboardType + Into<KeyDefault>>(&mut self, name: &str, default: T) -> Key<T> {
        self.key_in(Scope::Agent, name, default)
    }

    /// Declares a key of a scope other than [`Scope::Node`]: for that see [`Node::with_key`].
    pub fn key_in<T: BlackboardType + Into<KeyDefault>>(&mut self, scope: Scope, name: &str, default: T) -> Key<T> {
        match self.declare(scope, name, default.into()).map(|it| self.schema.typed(it)) {
            Some(Ok(key)) => key,
            // The build fails; until then the key has to be something.
            _ => Key::unusable(),
        }
    }

    /// Declares a key whose type is only known at run time, with a scope as for
    /// [`key_in`](TreeBuilder::key_in).
    pub fn declare(&mut self, scope: Scope, name: &str, default: KeyDefault) -> Option<KeyIndex> {
        let declared = self.schema.declare_or_tell(name, scope, None, default);
        declared.map_err(|errors| errors.into_iter().for_each(|it| self.problems.push(of_key(scope, name, it)))).ok()
    }

    /// Declares a port of a tree that stands alone, whose file others can include: a key of each
    /// agent. Built-in nodes do not write an [`In`](Direction::In) port.
    pub fn port(&mut self, direction: Direction, name: &str, default: KeyDefault) -> Option<KeyIndex> {
        let key = self.declare(Scope::Agent, name, default)?;
        if direction == Direction::In {
            self.schema.set_read_only(FrameId::WHOLE, name);
        }
        Some(key)
    }

    /// Declares a key of the root that is reset to its default whenever the root starts: see
    /// [`Node::with_local`]. For an instance at the root it is a key of the tree around that.
    pub fn local(&mut self, name: &str, default: impl Into<KeyDefault>) {
        self.locals.push((name.to_owned(), default.into()));
    }

    /// Declares an event: its name, and the type of its payload or `None`. From then on the tree
    /// knows only declared events, unless [`strict_events`](TreeBuilder::strict_events) says
    /// otherwise. `OnEvent` and `Emit` of another name or with another payload are then problems,
    /// and sending its agents another event is an error (SEMANTICS 8.27).
    /// [`build`](TreeBuilder::build) reports what is wrong with the declaration.
    ///
    /// ```
    /// # use pleach_core::nodes::on_event;
    /// # use pleach_core::{self as pleach, Host};
    /// # struct Game;
    /// # impl Host for Game { type Cx<'a> = (); }
    /// use pleach::{Tree, Type};
    /// let mut tree = Tree::<Game>::builder("guard");
    /// tree.event("noise", Type::Vec2);
    /// tree.event("alarm", None);
    /// let problems = tree.build(on_event("alram")).unwrap_err().to_string();
    /// assert!(problems.contains("unknown event `alram`: did you mean `alarm`?"));
    /// ```
    pub fn event(&mut self, name: &str, payload: impl Into<Option<Type>>) {
        self.declare_event(name, payload.into(), false);
    }

    /// Declares an event of the host, which all its trees know. The tree may declare it too, in the
    /// same way.
    pub fn host_event(&mut self, name: &str, payload: impl Into<Option<Type>>) {
        self.declare_event(name, payload.into(), true);
    }

    fn declare_event(&mut self, name: &str, payload: Option<Type>, of_host: bool) {
        if let Err(error) = self.schema.declare_event(name, payload, of_host) {
            let field = Some(Field::Event(name.to_owned()));
            let kind = ProblemKind::Event(error);
            self.problems.push(Problem { kind, node: None, path: String::new(), origin: None, field, span: None });
        }
    }

    /// Whether the tree knows only the events that are declared. By default it does as soon as one
    /// is declared. A payload of another type than a declared one is a problem in any case.
    pub fn strict_events(&mut self, on: bool) {
        self.schema.set_strict_events(on);
    }

    /// Says which keys the game relies on: [`build`](TreeBuilder::build) reports those that the
    /// tree lacks.
    pub fn require(&mut self, needs: impl IntoIterator<Item = KeyNeed>) {
        self.needs.extend(needs);
    }

    /// Validates everything and makes the tree.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the nodes; past
    /// [`MAX_PROBLEMS`](crate::limits::MAX_PROBLEMS) it is only counted.
    pub fn build(self, root: Node<H>) -> Result<Tree<H>, TreeError> {
        let TreeBuilder { name, schema, problems, needs, locals, of: _ } = self;
        Flatten::new(name, schema, problems).run(root, needs, locals)
    }

    /// The keys declared so far.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }
}
