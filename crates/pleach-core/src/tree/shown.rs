//! A node in words: every field that does not have its default, for drawings.

use std::borrow::Cow;

use pleach_expr::expr::{Expr, KeyIndex};
use pleach_expr::runtime::SLOT;

use super::amount::{Base, NodeSpan, Number};
use super::record::{GuardTest, Op};
use super::{InstanceRef, NodeRef, ServiceRecord};
use crate::index::ExprId;
use crate::{Host, Outcome};

/// A node in words: see [`NodeRef::in_words`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeWords<'a> {
    /// Its main parameters: [`NodeRef::detail`], but for a `Switch` only the expression, as its
    /// cases are shown at the children.
    pub main: Cow<'a, str>,
    /// Every other field that does not have its default, as in `result: Success`. A true flag is
    /// only its name: `latch`.
    pub fields: Vec<String>,
    /// Its services with their parameters and intervals: `Look(range: 5.0) every 0.5 s`.
    pub services: Vec<String>,
    /// Its parent's words for it: `case calm`, `default`, `score hunger`, `weight 3`, `do`.
    pub place: Option<String>,
}

impl<'a, H: Host> NodeRef<'a, H> {
    /// Its main parameters, for a line about it: an expression, a duration, a count; for a leaf of
    /// the host, the text given to [`Node::described`](crate::nodes::Node::described), which for
    /// one from an asset is the text there. Empty if there are none.
    #[must_use]
    pub fn detail(self) -> &'a str {
        self.test().map_or(&self.info().detail, Expr::source)
    }

    /// Every field that does not have its default, in words, except the kind, the name, the note
    /// and the abort type, which have methods of their own. For drawings.
    ///
    /// ```
    /// # use pleach_core as pleach;
    /// # struct Game;
    /// # impl pleach::Host for Game { type Cx<'a> = (); }
    /// use pleach::nodes::{idle, timeout};
    /// use pleach::{Outcome, Tree};
    ///
    /// let node = timeout(2.0, idle::<Game>()).result(Outcome::Success).with_id("pause");
    /// let tree = Tree::builder("guard").build(node)?;
    /// let words = tree.root().in_words();
    /// assert_eq!((&*words.main, &*words.fields.join(", ")), ("2 s", "id: pause, result: Success"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn in_words(self) -> NodeWords<'a> {
        let main = match self.record().op {
            Op::Switch { on, .. } if self.tree.expr(on).source().starts_with(SLOT) => Cow::Borrowed(""),
            Op::Switch { on, .. } => Cow::Borrowed(self.tree.expr(on).source()),
            _ => Cow::Borrowed(self.detail()),
        };
        let mut fields: Vec<String> = self.id_text().map(|it| format!("id: {it}")).into_iter().collect();
        self.own_fields(&mut fields);
        self.keys_in_words(&mut fields);
        let first = self.tree.services.partition_point(|it| it.node < self.id);
        let parameters = self.tree.service_details[first..].iter();
        let services = self.tree.services_of(self.id).iter().zip(self.service_kinds()).zip(parameters);
        let services = services.map(|((it, kind), parameters)| self.service_in_words(it, kind, parameters)).collect();
        NodeWords { main, fields, services, place: self.place_in_words() }
    }

    fn source(self, expr: ExprId) -> &'a str {
        self.tree.expr(expr).source()
    }

    /// The fields of its kind that are not in `detail`.
    fn own_fields(self, to: &mut Vec<String>) {
        let mut flag = |is: bool, name: &str| to.extend(is.then(|| name.to_owned()));
        let children = self.tree.children.of(self.id).len();
        match self.record().op {
            Op::Parallel { success, failure, slot: _ } => {
                // With one child, one is all.
                let policy = |count: u16| match usize::from(count) {
                    it if it == children => "All".to_owned(),
                    1 => "Any".to_owned(),
                    it => format!("AtLeast({it})"),
                };
                to.extend((usize::from(success) != children).then(|| format!("success: {}", policy(success))));
                to.extend((failure != 1).then(|| format!("failure: {}", policy(failure))));
            }
            Op::UtilitySelector { scores: _, reevaluate, inertia, order: _ } => {
                flag(reevaluate, "reevaluate");
                to.extend((inertia != 0.0).then(|| format!("inertia: {inertia}")));
            }
            Op::Switch { on, cases: _, latch, slot: _ } => {
                flag(latch, "latch");
                let on = self.tree.expr(on);
                if let (true, Some(key)) = (on.source().starts_with(SLOT), on.keys().first()) {
                    let default = self.tree.schema.decl(*key).default();
                    to.push(format!("initial: {}", self.tree.schema.describe(default)));
                }
            }
            Op::Repeat { count: _, end_on_failure, slot: _ } => flag(end_on_failure, "end_on_failure"),
            Op::Guard { when: GuardTest::Expr(_) | GuardTest::Leaf(_), result }
            | Op::Timeout { seconds: _, result, slot: _ } => to.extend(if_success("result", result)),
            Op::Limit { count: _, exhausted, slot: _ } => to.extend(if_success("exhausted", exhausted)),
            Op::OnEvent { event: _, into } | Op::WaitFor { event: _, into, slot: _ } => {
                to.extend(into.map(|it| format!("into: {}", self.tree.schema.decl(it).name())));
            }
            Op::Emit { event: _, payload, to: _ } => {
                to.extend(payload.map(|it| format!("payload: {}", self.source(it))));
            }
            // Everything they have is in `detail`, or shown at their children.
            Op::Sequence
            | Op::Selector
            | Op::ReactiveSequence { slot: _ }
            | Op::ReactiveSelector { slot: _ }
            | Op::RandomSequence { weights: _, order: _ }
            | Op::RandomSelector { weights: _, order: _ }
            | Op::RandomChoice { weights: _, slot: _ }
            | Op::Inverter
            | Op::ForceSuccess
            | Op::ForceFailure
            | Op::UntilSuccess
            | Op::UntilFailure
            | Op::Attempts { until: _, count: _, slot: _ }
            | Op::Cooldown { seconds: _, slot: _ }
            | Op::Delay { seconds: _, slot: _ }
            | Op::Probability { p: _ }
            | Op::Token { token: _, slot: _ }
            | Op::Finally { on: _ }
            | Op::Action { leaf: _, calls: _ }
            | Op::Condition { leaf: _, calls: _ }
            | Op::Wait { seconds: _, slot: _ }
            | Op::WaitTicks { ticks: _, slot: _ }
            | Op::WaitUntil { expr: _ }
            | Op::Check { expr: _ }
            | Op::Free { token: _ }
            | Op::Set { key: _, expr: _ }
            | Op::Roll { key: _, from: _, to: _ }
            | Op::Log { text: _ }
            | Op::Succeed
            | Op::Fail
            | Op::Idle => {}
        }
    }

    /// The keys that it declares.
    fn keys_in_words(self, to: &mut Vec<String>) {
        let schema = &self.tree.schema;
        for (at, key) in schema.keys().enumerate().filter(|it| it.1.node() == Some(self.id)) {
            let key_at = KeyIndex::new(at);
            let resets = self.tree.resets.iter().any(|it| it.0 == self.id && Some(it.1) == key_at);
            let field = if resets { "locals" } else { "blackboard" };
            let words: Vec<&str> = key.words().collect();
            let words = if words.is_empty() { String::new() } else { format!(" of {}", words.join(", ")) };
            let default = schema.describe(key.default());
            to.push(format!("{field}: {} = {} {default}{words}", key.name(), key.ty()));
        }
    }

    fn service_in_words(self, service: &ServiceRecord, kind: &str, parameters: &str) -> String {
        let leaf = if parameters.is_empty() { kind.to_owned() } else { format!("{kind}({parameters})") };
        let (base, jitter) = match service.interval {
            NodeSpan::Fixed(span) => (Number::Literal(span.seconds()), 0.0),
            NodeSpan::Found(rule) => {
                let rule = self.tree.spans[rule.index()];
                let base = match rule.base {
                    Base::Fixed(span) => Number::Literal(span.seconds()),
                    Base::Expr(expr) => Number::Expr(self.source(expr).to_owned()),
                };
                (base, rule.jitter)
            }
        };
        match base {
            Number::Literal(seconds) if seconds <= 0.0 => format!("{leaf} every tick"),
            base if jitter == 0.0 => format!("{leaf} every {base} s"),
            base => format!("{leaf} every {base} ± {jitter} s"),
        }
    }

    /// Its parent's words for it.
    fn place_in_words(self) -> Option<String> {
        let parent = self.parent()?;
        // The children of most composites get no words, and there may be many.
        let says = matches!(
            parent.record().op,
            Op::UtilitySelector { .. }
                | Op::RandomSequence { weights: Some(_), .. }
                | Op::RandomSelector { weights: Some(_), .. }
                | Op::RandomChoice { weights: Some(_), .. }
                | Op::Switch { .. }
                | Op::Finally { .. }
        );
        let siblings = says.then(|| self.tree.children.of(parent.id))?;
        // Children are in pre-order, as their ids are.
        let at = siblings.binary_search(&self.id).ok()?;
        match parent.record().op {
            Op::UtilitySelector { scores, .. } => {
                Some(format!("score {}", self.source(ExprId::new(scores.index() + at))))
            }
            Op::RandomSequence { weights: Some(it), .. }
            | Op::RandomSelector { weights: Some(it), .. }
            | Op::RandomChoice { weights: Some(it), .. } => {
                let weight = self.tree.weights[it.index()].get(at).copied()?;
                (weight.to_bits() != 1.0_f64.to_bits()).then(|| format!("weight {weight}"))
            }
            Op::Switch { on, cases, .. } => {
                let case = self.tree.cases[cases.index()].children.get(at);
                let is_slot = self.source(on).starts_with(SLOT);
                match case {
                    // The tree's name: the instance has it.
                    Some(_) if is_slot => None,
                    Some((value, _)) => Some(format!("case {}", self.tree.schema.describe(*value))),
                    None => Some("default".to_owned()),
                }
            }
            Op::Finally { .. } if at > 0 => Some("do".to_owned()),
            _ => None,
        }
    }
}

fn if_success(field: &str, outcome: Outcome) -> Option<String> {
    (outcome == Outcome::Success).then(|| format!("{field}: Success"))
}

impl<'a, H: Host> InstanceRef<'a, H> {
    /// What its ports are bound to, in the order of their names: `enemy: player`, `range: 2.5`.
    /// Leaves out unconnected ports that the instance writes. For drawings.
    #[must_use]
    pub fn ports_in_words(self) -> Vec<String> {
        self.tree.schema.ports_of(self.index(), self.full_name())
    }
}
