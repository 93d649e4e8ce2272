//! [`Registry`]: the host's leaves by the names that assets call them.

mod about;
#[cfg(feature = "reports")]
pub(crate) mod arguments;
mod call;
mod check_only;
#[cfg(feature = "reports")]
mod described;
mod error;
mod needs;

use std::fmt;
use std::sync::Arc;

use indexmap::IndexMap;
use pleach_core::limits::{MAX_DRAWN_PROBLEMS, MAX_NAME};
use pleach_core::names::near;
use pleach_core::nodes::{Instance, action, action_of, condition, condition_of};
use pleach_core::{Action, Condition, Context, Host, Status, Tree, TreeBuilder, Type, nodes::Node, schema::NodeKeys};

use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::foreign;
use crate::function::{FnLeaf, LeafFn};
use crate::info::LeafInfo;
use crate::kind::{self, RESERVED};
use crate::parameter::FromAsset;
use crate::span::Word;
use crate::suggest::{self, meant};
use crate::syntax::HostCall;
pub(crate) use about::About;
use call::read;
pub(crate) use call::{Call, Make, help_with};
pub use error::{ParamError, RegistryError};

/// A leaf of a registry.
struct Entry<H: Host> {
    make: Make<H>,
    about: About,
    /// Whether it may be an action or a condition, whichever is made from it here.
    is_unsure: bool,
}

impl<H: Host> Clone for Entry<H> {
    fn clone(&self) -> Self {
        Entry { make: Arc::clone(&self.make), about: self.about.clone(), is_unsure: self.is_unsure }
    }
}

/// The host's leaves, by the names under which assets use them.
///
/// ```
/// # mod pleach {
/// #     pub use pleach_asset::Registry;
/// #     pub use pleach_core::{Action, Context, Host, Key, Status};
/// # }
/// use pleach::{Action, Context, Host, Key, Registry, Status};
/// use serde::Deserialize;
///
/// struct Game;
/// impl Host for Game {
///     type Cx<'a> = ();
/// }
///
/// /// In an asset: `MoveTo(target: "home", speed: 5.0)`.
/// #[derive(Deserialize)]
/// struct MoveTo {
///     target: Key<[f32; 3]>,
///     #[serde(default)]
///     speed: f32,
/// }
/// impl Action<Game> for MoveTo {
///     type State = ();
///     fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Game>) -> Status {
///         let _ = (cx.get(self.target), self.speed);
///         Status::Running
///     }
/// }
///
/// # fn main() -> Result<(), pleach_asset::RegistryError> {
/// let mut registry = Registry::<Game>::new();
/// registry.action::<MoveTo>("MoveTo")?.condition_fn("Tired", |_| true)?;
/// # Ok(())
/// # }
/// ```
pub struct Registry<H: Host> {
    /// Shared with the leaves of trees that are being built.
    leaves: Arc<IndexMap<Box<str>, Entry<H>>>,
    /// What makes leaves of other names.
    others: Option<Make<H>>,
    events: Arc<IndexMap<Box<str>, Option<Type>>>,
    any_event: bool,
    /// The keys that the game relies on.
    needs: Arc<Vec<needs::Need>>,
}

impl<H: Host> Default for Registry<H> {
    fn default() -> Self {
        Registry::new()
    }
}

impl<H: Host> fmt::Debug for Registry<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl<H: Host> Registry<H> {
    /// A registry with no leaves; built-in nodes need no registration.
    #[must_use]
    pub fn new() -> Self {
        Registry {
            leaves: Arc::default(),
            others: None,
            events: Arc::default(),
            any_event: false,
            needs: Arc::default(),
        }
    }

    /// Registers an action whose parameters are its own fields. Parameters that the struct does not
    /// have are load errors in any case (unless it has a part marked `#[serde(flatten)]`, which
    /// hides its fields).
    ///
    /// # Errors
    /// The name is taken, built in, or malformed.
    pub fn action<A: Action<H> + FromAsset>(&mut self, name: &str) -> Result<&mut Self, RegistryError> {
        self.add(name, About::made_from::<A>(Some(false), A::DOC), |it: A| Ok(action_of(it)))
    }

    /// Registers a condition whose parameters are its own fields; see [`action`](Registry::action).
    ///
    /// # Errors
    /// The name is taken, built in, or malformed.
    pub fn condition<C: Condition<H> + FromAsset>(&mut self, name: &str) -> Result<&mut Self, RegistryError> {
        self.add(name, About::made_from::<C>(Some(true), C::DOC), |it: C| Ok(condition_of(it)))
    }

    /// Registers a closure as an action without parameters.
    ///
    /// # Errors
    /// The name is taken, built in, or malformed.
    pub fn action_fn<F>(&mut self, name: &str, update: F) -> Result<&mut Self, RegistryError>
    where
        F: Fn(&mut Context<'_, '_, H>) -> Status + Send + Sync + 'static,
    {
        self.action_with(name, move |(): &(), cx| update(cx))
    }

    /// Registers a closure as a condition without parameters.
    ///
    /// # Errors
    /// The name is taken, built in, or malformed.
    pub fn condition_fn<F>(&mut self, name: &str, test: F) -> Result<&mut Self, RegistryError>
    where
        F: Fn(&mut Context<'_, '_, H>) -> bool + Send + Sync + 'static,
    {
        self.condition_with(name, move |(): &(), cx| test(cx))
    }

    /// Registers a closure over parameters as an action: each leaf of that name has its own
    /// parameters, which all agents share.
    ///
    /// ```
    /// # mod pleach {
    /// #     pub use pleach_asset::{Registry, load_str};
    /// #     pub use pleach_core::{Host, Key, Status};
    /// # }
    /// use pleach::{Host, Key, Registry, Status, load_str};
    /// use serde::Deserialize;
    ///
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// #[derive(Deserialize)]
    /// struct Heal {
    ///     health: Key<f32>,
    ///     rate: f32,
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut registry = Registry::<Game>::new();
    /// registry.action_with::<Heal>("Heal", |heal, cx| {
    ///     let health = cx.get(heal.health) + heal.rate * cx.dt();
    ///     cx.set(heal.health, health.min(1.0));
    ///     if health < 1.0 { Status::Running } else { Status::Success }
    /// })?;
    /// let tree = r#"Tree(version: 1, blackboard: { "health": Float(0.5) }, root: Heal(health: "health", rate: 0.1))"#;
    /// assert!(load_str("heal.ron", tree, &registry).is_ok());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The name is taken, built in, or malformed.
    pub fn action_with<P: FromAsset + Send + Sync + 'static>(
        &mut self,
        name: &str,
        update: impl Fn(&P, &mut Context<'_, '_, H>) -> Status + Send + Sync + 'static,
    ) -> Result<&mut Self, RegistryError> {
        let update = Arc::new(update);
        self.add(name, About::made_from::<P>(Some(false), ""), move |params: P| {
            let update = Arc::clone(&update);
            Ok(action(move |cx: &mut Context<'_, '_, H>| update(&params, cx)))
        })
    }

    /// Registers a closure over parameters as a condition; see
    /// [`action_with`](Registry::action_with).
    ///
    /// # Errors
    /// The name is taken, built in, or malformed.
    pub fn condition_with<P: FromAsset + Send + Sync + 'static>(
        &mut self,
        name: &str,
        test: impl Fn(&P, &mut Context<'_, '_, H>) -> bool + Send + Sync + 'static,
    ) -> Result<&mut Self, RegistryError> {
        let test = Arc::new(test);
        self.add(name, About::made_from::<P>(Some(true), ""), move |params: P| {
            let test = Arc::clone(&test);
            Ok(condition(move |cx: &mut Context<'_, '_, H>| test(&params, cx)))
        })
    }

    /// Registers a function with `#[leaf]`, by the type of the same name: its name in assets, its
    /// parameters and whether it is a condition come from the function.
    ///
    /// # Errors
    /// The name is taken, built in, or malformed.
    pub fn leaf_fn<L: LeafFn<Host = H>>(&mut self) -> Result<&mut Self, RegistryError> {
        self.add(L::NAME, About::function::<L>(), |it: FnLeaf<L>| Ok(it.host_leaf()))
    }

    /// Registers a leaf that is made from parameters of any type, and may refuse them.
    ///
    /// # Errors
    /// The name is taken, built in, or malformed.
    pub fn leaf<P, F>(&mut self, name: &str, make: F) -> Result<&mut Self, RegistryError>
    where
        P: FromAsset + 'static,
        F: Fn(P) -> Result<Node<H>, ParamError> + Send + Sync + 'static,
    {
        self.add(name, About::made_from::<P>(None, ""), make)
    }

    fn add<P, F>(&mut self, name: &str, about: About, make: F) -> Result<&mut Self, RegistryError>
    where
        P: FromAsset,
        F: Fn(P) -> Result<Node<H>, ParamError> + Send + Sync + 'static,
    {
        let make: Make<H> = Arc::new(move |call| read(call, &make));
        self.add_made(name, about, false, make)
    }

    /// Adds a leaf with any way of making it.
    pub(crate) fn add_made(
        &mut self,
        name: &str,
        about: About,
        is_unsure: bool,
        make: Make<H>,
    ) -> Result<&mut Self, RegistryError> {
        check_name(name)?;
        if self.leaves.contains_key(name) {
            return Err(RegistryError::Doubled(name.into()));
        }
        Arc::make_mut(&mut self.leaves).insert(name.into(), Entry { make, about, is_unsure });
        Ok(self)
    }

    /// Declares an event for all trees: its name, and the type of its payload or `None`. A tree may
    /// repeat the declaration, with the same type.
    ///
    /// ```
    /// # mod pleach { pub use pleach_asset::Registry; pub use pleach_core::{Host, Type}; }
    /// use pleach::{Registry, Type};
    /// # struct Game;
    /// # impl pleach::Host for Game { type Cx<'a> = (); }
    /// # fn main() -> Result<(), pleach_asset::RegistryError> {
    /// let mut registry = Registry::<Game>::new();
    /// registry.event("noise", Type::Vec2)?.event("alarm", None)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// It is declared already, or the name is empty or too long.
    pub fn event(&mut self, name: &str, payload: impl Into<Option<Type>>) -> Result<&mut Self, RegistryError> {
        let payload = payload.into();
        if name.is_empty() || name.len() > MAX_NAME {
            return Err(RegistryError::EventName(name.chars().take(MAX_NAME).collect()));
        }
        if let Some(&first) = self.events.get(name) {
            return Err(RegistryError::DoubledEvent(name.into(), first, payload));
        }
        Arc::make_mut(&mut self.events).insert(name.into(), payload);
        Ok(self)
    }

    /// Whether trees may name events that neither they nor the host declare. The default is no:
    /// nothing hears a misspelt event. Declared events keep their payload in any case.
    pub fn allow_any_event(&mut self, on: bool) -> &mut Self {
        self.any_event = on;
        self
    }

    /// The last setting of [`allow_any_event`](Registry::allow_any_event).
    #[must_use]
    pub fn allows_any_event(&self) -> bool {
        self.any_event
    }

    /// The declared events, in the order of declaration, with the types of their payloads.
    pub fn events(&self) -> impl ExactSizeIterator<Item = (&str, Option<Type>)> {
        self.events.iter().map(|(name, payload)| (&**name, *payload))
    }

    /// Begins a tree that knows the host's events, and must have the [`keys`](Registry::keys) that
    /// the game relies on in trees of this name: for trees made in Rust.
    #[must_use]
    pub fn builder(&self, name: impl Into<String>) -> TreeBuilder<H> {
        let name = name.into();
        let needs: Vec<_> = self.needs_of(&name).cloned().collect();
        let mut builder = Tree::builder(name);
        builder.require(needs);
        for (name, payload) in self.events() {
            builder.host_event(name, payload);
        }
        if self.any_event {
            builder.strict_events(false);
        }
        builder
    }

    /// Begins a tree with these declarations; events that neither it nor the host declares are
    /// unknown, if all of its own are there. The builder reports problems of keys.
    pub(crate) fn declared(&self, whole: Instance, has_all_events: bool) -> TreeBuilder<H> {
        let mut builder = self.builder(whole.name);
        if !self.any_event && has_all_events {
            builder.strict_events(true);
        }
        for (scope, name, default) in whole.keys {
            builder.declare(scope, &name, default);
        }
        for (name, default) in whole.locals {
            builder.local(&name, default);
        }
        for (name, payload) in whole.events {
            builder.event(&name, payload);
        }
        for port in whole.ports {
            builder.port(port.direction, &port.name, port.default);
        }
        builder
    }

    /// The names, in the order of registration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.leaves.keys().map(|it| &**it)
    }

    /// What is known of the leaves, in the order of registration: for tools that write or check
    /// assets. For structs, this reads sample values into them, which takes a while.
    #[cfg(feature = "reports")]
    #[cfg_attr(docsrs, doc(cfg(feature = "reports")))]
    pub fn leaves(&self) -> impl Iterator<Item = LeafInfo> {
        self.leaves.iter().map(|(name, it)| it.about.of(name))
    }

    /// Whether there is a leaf of that name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.leaves.contains_key(name)
    }

    /// Another handle to the same registry.
    pub(crate) fn share(&self) -> Registry<H> {
        let Registry { leaves, others, events, any_event, needs } = self;
        let (leaves, events, needs) = (Arc::clone(leaves), Arc::clone(events), Arc::clone(needs));
        Registry { leaves, others: others.clone(), events, any_event: *any_event, needs }
    }

    /// Makes the leaf of a node that sees these keys, or reports what is wrong. `call` is its name
    /// with its parameters; `is_test` says that it has to be a condition.
    pub(crate) fn make(
        &self,
        call: &HostCall<'_>,
        is_test: bool,
        keys: &NodeKeys<'_>,
        findings: &mut Findings,
    ) -> Option<Node<H>> {
        let head = call.head();
        match self.leaves.get(head.text).map(|it| &it.make).or(self.others.as_ref()) {
            Some(make) => findings.refused_by(head.span, |findings| make(Call { of: call, is_test, keys, findings })),
            None => {
                // Looking for similar names takes time, and reports do not show this many.
                findings.push(if findings.count() < MAX_DRAWN_PROBLEMS {
                    self.unknown(head)
                } else {
                    Finding::new(Code::UnknownNode, head.span, format!("unknown node `{}`", head.text))
                        .of_unknown_leaf()
                });
                None
            }
        }
    }

    /// Whether a leaf of that name can be made.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.contains(name) || self.others.is_some()
    }

    fn unknown(&self, head: Word<'_>) -> Finding {
        let name = head.text;
        let mut names: Vec<&str> = self.names().collect();
        for built_in in kind::names() {
            names.push(built_in);
        }
        let help = match names.iter().find(|it| it.eq_ignore_ascii_case(name)) {
            Some(same) => Some(meant(same)),
            None => {
                let near = near(name, names);
                // A leaf of the game is a better guess than a node of another system.
                let leaf = near.filter(|it| it.tie.is_none() && self.contains(it.name));
                suggest::node(name, leaf).or_else(|| foreign::help(name)).or_else(|| suggest::node(name, near))
            }
        };
        let finding = Finding::new(Code::UnknownNode, head.span, format!("unknown node `{name}`"));
        match help {
            Some(help) => finding.help(help),
            None => finding.help("no leaf of that name is registered").of_unknown_leaf(),
        }
    }
}

/// # Errors
/// No leaf can have this name.
pub(crate) fn check_name(name: &str) -> Result<(), RegistryError> {
    if kind::built_in(name).is_some() || RESERVED.contains(&name) {
        return Err(RegistryError::BuiltIn(name.into()));
    }
    let mut letters = name.chars();
    let first = letters.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_');
    if !first || !letters.all(|it| it.is_ascii_alphanumeric() || it == '_') || name.len() > MAX_NAME {
        return Err(RegistryError::Malformed(name.into()));
    }
    Ok(())
}
