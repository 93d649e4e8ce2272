//! Options of nodes, as methods. Each has the name of its field in assets, except `into_key` and
//! `to_group`, and fits the kinds that have the field; a node of another kind, and an option given
//! twice, are problems of the tree.

use pleach_expr::expr::KeyIndex;

use super::amount::Count;
use super::node::{Build, Ending, Node, Policy};
use super::part::Source;
use super::problem::{Field, ProblemKind};
use crate::{Host, Observes, Outcome};

/// How an option was taken.
enum Taken {
    Once,
    /// It was given before.
    Again,
    /// The kind has no such option.
    No,
}

fn once<T>(slot: &mut Option<T>, value: T) -> Taken {
    if slot.replace(value).is_some() { Taken::Again } else { Taken::Once }
}

fn on(slot: &mut bool) -> Taken {
    if std::mem::replace(slot, true) { Taken::Again } else { Taken::Once }
}

/// Options. An option that was not given has the default of its field in assets. An option that the
/// kind of the node does not have is a problem that
/// [`TreeBuilder::build`](crate::TreeBuilder::build) reports ([`ProblemKind::NoOption`]), and so is
/// one that is given twice ([`ProblemKind::OptionTwice`]).
impl<H: Host> Node<H> {
    /// How many children of a [`parallel`](crate::nodes::parallel) have to succeed for it to
    /// succeed; default: all.
    #[must_use]
    pub fn success(self, policy: Policy) -> Self {
        self.option("success", |build| match build {
            Build::Parallel { success, .. } => once(success, policy),
            _ => Taken::No,
        })
    }

    /// How many children of a [`parallel`](crate::nodes::parallel) have to fail for it to fail;
    /// default: one.
    #[must_use]
    pub fn failure(self, policy: Policy) -> Self {
        self.option("failure", |build| match build {
            Build::Parallel { failure, .. } => once(failure, policy),
            _ => Taken::No,
        })
    }

    /// The weights of the children of a [`random_sequence`](crate::nodes::random_sequence) or
    /// [`random_selector`](crate::nodes::random_selector), one each, not below zero: likelier ones
    /// come sooner. Without them all children are equally likely.
    ///
    /// ```
    /// # use pleach_core::nodes::{idle, random_selector, wait};
    /// # use pleach_core::{Host, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let tree = Tree::<Game>::builder("rest");
    /// assert!(tree.build(random_selector([idle(), wait(2.0)]).weights([3.0, 1.0])).is_ok());
    ///
    /// let problems = Tree::<Game>::builder("rest").build(idle().weights([1.0])).unwrap_err().to_string();
    /// assert!(problems.contains("`weights`: Idle has no `weights`: only RandomSequence, RandomSelector and RandomChoice can"));
    /// ```
    #[must_use]
    pub fn weights(self, weights: impl IntoIterator<Item = f64>) -> Self {
        self.option("weights", |build| match build {
            Build::RandomSequence { weights: slot }
            | Build::RandomSelector { weights: slot }
            | Build::RandomChoice { weights: slot } => once(slot, weights.into_iter().collect()),
            _ => Taken::No,
        })
    }

    /// Makes a [`utility_selector`](crate::nodes::utility_selector) evaluate scores in every tick,
    /// so that a better child takes over from the running one.
    #[must_use]
    pub fn reevaluate(self) -> Self {
        self.option("reevaluate", |build| match build {
            Build::UtilitySelector { reevaluate, .. } => on(reevaluate),
            _ => Taken::No,
        })
    }

    /// By how much the score of another child must exceed that of the running child of a
    /// [`utility_selector`](crate::nodes::utility_selector) to take over, so that small changes do
    /// not: a finite number of at least 0. Needs [`reevaluate`](Node::reevaluate).
    #[must_use]
    pub fn inertia(self, score: f64) -> Self {
        self.option("inertia", |build| match build {
            Build::UtilitySelector { inertia, .. } => once(inertia, score),
            _ => Taken::No,
        })
    }

    /// The child of a [`switch`](crate::nodes::switch) for all values that have no case. Without it
    /// the switch fails on those.
    #[must_use]
    pub fn default(self, child: Node<H>) -> Self {
        let mut fits = false;
        let mut node = self.option("default", |build| match build {
            Build::Switch { default, .. } => {
                let taken = on(default);
                fits = matches!(taken, Taken::Once);
                taken
            }
            _ => Taken::No,
        });
        if fits {
            node.add(child);
            node.cut();
        }
        node
    }

    /// Makes a [`switch`](crate::nodes::switch) keep the child that it started, even if the value
    /// changes.
    #[must_use]
    pub fn latch(self) -> Self {
        self.option("latch", |build| match build {
            Build::Switch { latch, .. } => on(latch),
            _ => Taken::No,
        })
    }

    /// Which ends of the child of a [`finally`](crate::nodes::finally) count; default: every end.
    #[must_use]
    pub fn on(self, ending: Ending) -> Self {
        self.option("on", |build| match build {
            Build::Finally { on } => once(on, ending),
            _ => Taken::No,
        })
    }

    /// Makes a [`repeat`](crate::nodes::repeat) or [`repeat_forever`](crate::nodes::repeat_forever)
    /// fail as soon as its child fails.
    #[must_use]
    pub fn end_on_failure(self) -> Self {
        self.option("end_on_failure", |build| match build {
            Build::Repeat { end_on_failure, .. } => on(end_on_failure),
            _ => Taken::No,
        })
    }

    /// How many attempts an [`until_success`](crate::nodes::until_success) or
    /// [`until_failure`](crate::nodes::until_failure) makes, at least 1; default: as many as it
    /// takes. An expression is evaluated at the start; if it gives 0 or less, the child is not
    /// started.
    ///
    /// ```
    /// # use pleach_core::nodes::{action, until_success};
    /// # use pleach_core::{Host, Status, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let pick_lock = action(|_| Status::Failure);
    /// assert!(Tree::<Game>::builder("thief").build(until_success(pick_lock).count(3)).is_ok());
    /// ```
    #[must_use]
    pub fn count(self, count: impl Into<Count>) -> Self {
        self.option("count", |build| match build {
            Build::UntilSuccess { count: slot } | Build::UntilFailure { count: slot } => once(slot, count.into()),
            _ => Taken::No,
        })
    }

    /// How a [`timeout`](crate::nodes::timeout) ends when the time is over, and a
    /// [`guard`](crate::nodes::guard) when its condition does not hold; default: with failure.
    #[must_use]
    pub fn result(self, result: Outcome) -> Self {
        self.option("result", |build| match build {
            Build::Timeout { result: slot, .. } | Build::Guard { result: slot, .. } => once(slot, result),
            _ => Taken::No,
        })
    }

    /// Which outcome of its child begins a [`cooldown`](crate::nodes::cooldown); default: every
    /// end, also one from outside.
    #[must_use]
    pub fn after(self, outcome: Outcome) -> Self {
        self.option("after", |build| match build {
            Build::Cooldown { after, .. } => once(after, outcome),
            _ => Taken::No,
        })
    }

    /// How a [`limit`](crate::nodes::limit) ends when it no longer starts its child; default: with
    /// failure.
    #[must_use]
    pub fn exhausted(self, exhausted: Outcome) -> Self {
        self.option("exhausted", |build| match build {
            Build::Limit { exhausted: slot, .. } => once(slot, exhausted),
            _ => Taken::No,
        })
    }

    /// For how many seconds of the forest's time a place of a [`token`](crate::nodes::token) that
    /// is given back is not free; default: it is free at once.
    #[must_use]
    pub fn rest(self, seconds: f64) -> Self {
        self.option("rest", |build| match build {
            Build::Token { rest, .. } => once(rest, seconds),
            _ => Taken::No,
        })
    }

    /// Lets all agents of the forest share the places of a [`token`](crate::nodes::token), not only
    /// those of a group: `of: Global` in assets.
    #[must_use]
    pub fn global(self) -> Self {
        self.option("of", |build| match build {
            Build::Token { global, .. } => on(global),
            _ => Taken::No,
        })
    }

    /// The key in which an [`on_event`](crate::nodes::on_event) or a
    /// [`wait_for`](crate::nodes::wait_for) stores the payload of the first
    /// such event: `into` in assets. A payload of another type than the key, or a word that the key
    /// lacks, is not stored; the answer is the same.
    #[must_use]
    pub fn into_key(self, key: impl Into<String>) -> Self {
        self.option("into", |build| match build {
            Build::OnEvent { into, .. } | Build::WaitFor { into, .. } => once(into, key.into()),
            _ => Taken::No,
        })
    }

    /// What the event of an [`emit`](crate::nodes::emit) carries: an expression.
    #[must_use]
    pub fn payload(self, expr: impl Into<String>) -> Self {
        self.option("payload", |build| match build {
            Build::Emit { payload, .. } => once(payload, expr.into()),
            _ => Taken::No,
        })
    }

    /// Sends the event of an [`emit`](crate::nodes::emit) to the other members of the agent's
    /// group, for their next ticks, and not to the host: `to: Group` in assets. An agent without a
    /// group sends it to no one. As [`Context::send_to_group`](crate::Context::send_to_group).
    ///
    /// ```
    /// # use pleach_core::nodes::{emit, idle, sequence};
    /// # use pleach_core::{Host, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let root = sequence([emit("alarm").to_group(), idle()]);
    /// assert!(Tree::<Game>::builder("guard").build(root).is_ok());
    /// ```
    #[must_use]
    pub fn to_group(self) -> Self {
        self.option("to", |build| match build {
            Build::Emit { to_group, .. } => on(to_group),
            _ => Taken::No,
        })
    }

    /// Says that the answer of a condition of the host depends only on these keys
    /// ([`Observes::Keys`]), so that it is asked again only when one of them has changed. Overrides
    /// [`Condition::observes`](crate::Condition::observes).
    ///
    /// ```
    /// # use pleach_core::nodes::{condition, idle, sequence};
    /// # use pleach_core::{Host, Tree, nodes::Abort};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let mut tree = Tree::<Game>::builder("guard");
    /// let health = tree.key("health", 1.0_f32);
    /// let weak = condition(move |cx| cx.get(health) < 0.3).observes([health.index()]);
    /// assert!(tree.build(sequence([weak, idle()]).aborts(Abort::BOTH)).is_ok());
    /// ```
    #[must_use]
    pub fn observes(self, keys: impl IntoIterator<Item = KeyIndex>) -> Self {
        self.observing("observes", || Observes::Keys(keys.into_iter().collect()))
    }

    /// Has a condition of the host asked again every this many seconds: see [`Observes::Every`].
    /// Excludes [`observes`](Node::observes): a condition has one of them.
    #[must_use]
    pub fn every(self, seconds: f32) -> Self {
        self.observing("every", || Observes::Every(seconds))
    }

    fn observing(self, name: &'static str, what: impl FnOnce() -> Observes) -> Self {
        self.option(name, |build| match build {
            Build::Host { leaf } if leaf.is_condition() || matches!(leaf.source, Source::Deferred(_)) => {
                once(&mut leaf.observes, Box::new(what()))
            }
            _ => Taken::No,
        })
    }

    /// The parameters of a leaf of the host in words, which distinguish it from others of its kind
    /// in drawings, traces and explanations: [`NodeRef::detail`](crate::NodeRef::detail). A guard
    /// shows those of its condition, with the name of [`of_kind`](Node::of_kind) if that was given.
    /// Built-in nodes describe themselves.
    ///
    /// ```
    /// # use pleach_core::nodes::action;
    /// # use pleach_core::{Host, Status, Tree, nodes::Node};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// fn walk(metres: u32) -> Node<Game> {
    ///     action(|_| Status::Running).described(format!("{metres} m"))
    /// }
    /// let tree = Tree::builder("walk").build(walk(3)).unwrap();
    /// assert_eq!(tree.root().to_string(), "n0 Action(3 m)");
    /// ```
    #[must_use]
    pub fn described(self, parameters: impl Into<String>) -> Self {
        self.option("described", |build| match build {
            Build::Host { leaf } => {
                let before = std::mem::replace(&mut leaf.detail, parameters.into().into());
                if before.is_empty() { Taken::Once } else { Taken::Again }
            }
            _ => Taken::No,
        })
    }

    /// Lengthens or shortens a span at random, by up to this many seconds, drawn again each time,
    /// so that agents do not all act in one frame. For `wait`, `delay` and `cooldown`; after
    /// [`with_service`](Node::with_service) it applies to the interval of that service.
    ///
    /// ```
    /// # use pleach_core::nodes::{action, idle, sequence, wait};
    /// # use pleach_core::{Host, Status, Tree};
    /// # struct Game;
    /// # impl Host for Game {
    /// #     type Cx<'a> = ();
    /// # }
    /// let look = action(|_| Status::Success);
    /// let root = sequence([wait(2.0).jitter(0.5), idle()]).with_service(0.5, look).jitter(0.1);
    /// assert!(Tree::<Game>::builder("guard").build(root).is_ok());
    /// ```
    #[must_use]
    pub fn jitter(mut self, seconds: f64) -> Self {
        let spanned = matches!(self.own.build, Build::Wait { .. } | Build::Delay { .. } | Build::Cooldown { .. });
        let rest = self.own.rest();
        let (field, taken) = match rest.services.len() {
            0 if !spanned => (Field::Param("jitter"), Taken::No),
            0 => (Field::Param("jitter"), once(&mut rest.jitter, seconds)),
            count => (Field::Jitter(count - 1), once(&mut rest.services[count - 1].jitter, seconds)),
        };
        self.taken("jitter", field, taken)
    }

    fn option(mut self, name: &'static str, set: impl FnOnce(&mut Build<H>) -> Taken) -> Self {
        let taken = set(&mut self.own.build);
        self.taken(name, Field::Param(name), taken)
    }

    /// Notes that an option does not fit, or was given twice.
    fn taken(mut self, option: &'static str, field: Field, taken: Taken) -> Self {
        let kind = match taken {
            Taken::Once => return self,
            Taken::Again => ProblemKind::OptionTwice { option },
            Taken::No => ProblemKind::NoOption { kind: self.own.build.name().into(), option },
        };
        self.own.rest().wrong.push((Some(field), kind));
        self
    }
}
