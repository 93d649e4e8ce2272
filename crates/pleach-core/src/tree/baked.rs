//! Nodes before they are a tree, as bytes. Leaves of the host are not among them: the reader of the
//! bytes makes these, in the order in which they were given to nodes.

use super::amount::{Bound, Count, Number};
use super::instance::{Binding, Border, Instance, Port};
use super::kind::NodeKind;
use super::node::{Abort, Build, Case, Ending, Node, Policy, Rest, Service, Spec};
use super::node_list::NodeList;
use super::nodes::idle;
use super::part::Part;
use crate::archive::Archive;
use crate::blackboard::{Default as KeyDefault, Direction, Scope};
use crate::limits::{MAX_NAME, MAX_NODES};
use crate::{Entity, Host, Outcome, Time, Type, Value};

/// What makes the next leaf of the host.
type NextLeaf<'l, H> = &'l mut dyn FnMut() -> Node<H>;

const TYPES: [Type; 8] =
    [Type::Bool, Type::Int, Type::Float, Type::Vec2, Type::Vec3, Type::Entity, Type::Symbol, Type::Time];
const SCOPES: [Scope; 4] = [Scope::Node, Scope::Agent, Scope::Group, Scope::Global];
const DIRECTIONS: [Direction; 3] = [Direction::In, Direction::Out, Direction::InOut];

impl<H: Host> NodeList<H> {
    /// Writes the nodes, without their leaves of the host and their origins, or reads them. Then
    /// `leaf` makes one leaf after the other, in the order of the nodes; for each node first a
    /// guard's condition, then its services.
    #[doc(hidden)]
    pub fn archive(&mut self, archive: &mut Archive<'_>, leaf: NextLeaf<'_, H>) {
        if !archive.is_reading() {
            let mut specs = std::mem::take(&mut self.specs);
            archive.list(&mut specs, empty, |archive, it| spec(archive, it, leaf));
            self.specs = specs;
            return;
        }
        let read = |archive: &mut Archive<'_>, (): &mut ()| {
            let mut it = empty();
            spec(archive, &mut it, leaf);
            // No tree has more nodes, so bytes that say so get no memory for them.
            if it.children > self.parentless() || self.specs.len() == MAX_NODES {
                archive.refuse();
                it.children = 0;
            }
            self.push_spec(it);
        };
        archive.list(&mut Vec::new(), || (), read);
    }
}

fn empty<H: Host>() -> Spec<H> {
    idle().own
}

fn spec<H: Host>(archive: &mut Archive<'_>, it: &mut Spec<H>, leaf: NextLeaf<'_, H>) {
    build(archive, &mut it.build, leaf);
    let mut children = it.children as u64;
    archive.number(&mut children);
    it.children = usize::try_from(children).unwrap_or(usize::MAX);
    name(archive, &mut it.kind);
    archive.maybe_str(&mut it.name);
    archive.one_of(&mut it.abort, &[Abort::NONE, Abort::SELF, Abort::LOWER_PRIORITY, Abort::BOTH]);
    let mut has_rest = it.rest.is_some();
    archive.flag(&mut has_rest);
    if has_rest {
        rest(archive, it.rest(), leaf);
    }
}

/// The name of a kind, of which no other part of the core asks how long it is.
fn name(archive: &mut Archive<'_>, it: &mut Option<Box<str>>) {
    archive.maybe_str(it);
    if it.as_ref().is_some_and(|it| it.len() > MAX_NAME) {
        archive.refuse();
    }
}

fn rest<H: Host>(archive: &mut Archive<'_>, it: &mut Rest<H>, leaf: NextLeaf<'_, H>) {
    archive.maybe_str(&mut it.id);
    archive.maybe_str(&mut it.note);
    let none = || Service { run: None, interval: Number::Literal(0.0), jitter: None };
    archive.list(&mut it.services, none, |archive, it| {
        maybe_part(archive, &mut it.run, leaf);
        number(archive, &mut it.interval);
        archive.maybe(&mut it.jitter, || 0.0, double);
    });
    archive.maybe(&mut it.jitter, || 0.0, double);
    archive.list(
        &mut it.keys,
        || (String::new(), KeyDefault::Value(Value::Bool(false))),
        |archive, it| {
            archive.text(&mut it.0);
            default(archive, &mut it.1);
        },
    );
    archive.list(&mut it.resets, String::new, Archive::text);
    archive.list(&mut it.borders, || Border::Given, border);
    // A tree is never made from wrong parts, so they are not written.
    if !it.wrong.is_empty() {
        archive.refuse();
    }
}

fn build<H: Host>(archive: &mut Archive<'_>, it: &mut Build<H>, leaf: NextLeaf<'_, H>) {
    let mut kind = it.kind();
    archive.one_of(&mut kind, &NodeKind::ALL);
    if archive.is_reading() {
        *it = of_kind(kind, leaf);
    }
    match it {
        Build::Parallel { success, failure } => {
            archive.maybe(success, || Policy::All, policy);
            archive.maybe(failure, || Policy::All, policy);
        }
        Build::RandomSequence { weights } | Build::RandomSelector { weights } | Build::RandomChoice { weights } => {
            archive.maybe(weights, Vec::new, |archive, it| archive.list(it, || 0.0, double));
        }
        Build::UtilitySelector { scores, reevaluate, inertia } => {
            archive.list(scores, String::new, Archive::text);
            archive.flag(reevaluate);
            archive.maybe(inertia, || 0.0, double);
        }
        Build::Switch { on, cases, default, latch } => {
            archive.text(on);
            archive.list(cases, || Case::Bool(false), case);
            archive.flag(default);
            archive.flag(latch);
        }
        Build::UntilSuccess { count: times } | Build::UntilFailure { count: times } => {
            archive.maybe(times, || Count::Literal(0), count);
        }
        Build::Repeat { count: times, end_on_failure } => {
            archive.maybe(times, || Count::Literal(0), count);
            archive.flag(end_on_failure);
        }
        Build::Guard { when, result } => {
            maybe_part(archive, when, leaf);
            archive.maybe(result, || Outcome::Failure, outcome);
        }
        Build::Timeout { seconds, result } => {
            number(archive, seconds);
            archive.maybe(result, || Outcome::Failure, outcome);
        }
        Build::Limit { count: times, exhausted } => {
            count(archive, times);
            archive.maybe(exhausted, || Outcome::Failure, outcome);
        }
        Build::Cooldown { seconds, after } => {
            number(archive, seconds);
            archive.maybe(after, || Outcome::Failure, outcome);
        }
        Build::Finally { on } => archive.maybe(
            on,
            || Ending::Any,
            |archive, it| archive.one_of(it, &[Ending::Any, Ending::Aborted, Ending::Success, Ending::Failure]),
        ),
        Build::Delay { seconds: it } | Build::Wait { seconds: it } | Build::Probability { p: it } => {
            number(archive, it)
        }
        Build::WaitTicks { ticks } => count(archive, ticks),
        Build::Token { token, count: places, rest, global } => {
            archive.text(token);
            count(archive, places);
            archive.maybe(rest, || 0.0, double);
            archive.flag(global);
        }
        Build::Free { token } => archive.text(token),
        Build::WaitUntil { expr: it } | Build::Check { expr: it } | Build::Log { text: it } => archive.text(it),
        Build::OnEvent { event, into } | Build::WaitFor { event, into } => {
            archive.text(event);
            archive.maybe_text(into);
        }
        Build::Set { key, expr } => {
            archive.text(key);
            archive.text(expr);
        }
        Build::Roll { key, from, to } => {
            archive.text(key);
            bound(archive, from);
            bound(archive, to);
        }
        Build::Emit { event, payload, to_group } => {
            archive.text(event);
            archive.maybe_text(payload);
            archive.flag(to_group);
        }
        Build::Host { .. }
        | Build::Sequence
        | Build::Selector
        | Build::ReactiveSequence
        | Build::ReactiveSelector
        | Build::Inverter
        | Build::ForceSuccess
        | Build::ForceFailure
        | Build::Succeed
        | Build::Fail
        | Build::Idle => {}
    }
}

/// A node of that kind, whose parameters have not been read yet.
fn of_kind<H: Host>(kind: NodeKind, leaf: NextLeaf<'_, H>) -> Build<H> {
    let (text, seconds) = (String::new, Number::Literal(0.0));
    match kind {
        NodeKind::Sequence => Build::Sequence,
        NodeKind::Selector => Build::Selector,
        NodeKind::Parallel => Build::Parallel { success: None, failure: None },
        NodeKind::ReactiveSequence => Build::ReactiveSequence,
        NodeKind::ReactiveSelector => Build::ReactiveSelector,
        NodeKind::RandomSequence => Build::RandomSequence { weights: None },
        NodeKind::RandomSelector => Build::RandomSelector { weights: None },
        NodeKind::RandomChoice => Build::RandomChoice { weights: None },
        NodeKind::UtilitySelector => Build::UtilitySelector { scores: Vec::new(), reevaluate: false, inertia: None },
        NodeKind::Switch => Build::Switch { on: text(), cases: Vec::new(), default: false, latch: false },
        NodeKind::Inverter => Build::Inverter,
        NodeKind::ForceSuccess => Build::ForceSuccess,
        NodeKind::ForceFailure => Build::ForceFailure,
        NodeKind::UntilSuccess => Build::UntilSuccess { count: None },
        NodeKind::UntilFailure => Build::UntilFailure { count: None },
        NodeKind::Repeat => Build::Repeat { count: None, end_on_failure: false },
        NodeKind::Guard => Build::Guard { when: None, result: None },
        NodeKind::Timeout => Build::Timeout { seconds, result: None },
        NodeKind::Cooldown => Build::Cooldown { seconds, after: None },
        NodeKind::Limit => Build::Limit { count: Count::Literal(0), exhausted: None },
        NodeKind::Delay => Build::Delay { seconds },
        NodeKind::Probability => Build::Probability { p: seconds },
        NodeKind::Token => Build::Token { token: text(), count: Count::Literal(1), rest: None, global: false },
        NodeKind::Free => Build::Free { token: text() },
        NodeKind::Finally => Build::Finally { on: None },
        NodeKind::Action | NodeKind::Condition => leaf().own.build,
        NodeKind::Wait => Build::Wait { seconds },
        NodeKind::WaitTicks => Build::WaitTicks { ticks: Count::Literal(0) },
        NodeKind::WaitUntil => Build::WaitUntil { expr: text() },
        NodeKind::Check => Build::Check { expr: text() },
        NodeKind::WaitFor => Build::WaitFor { event: text(), into: None },
        NodeKind::OnEvent => Build::OnEvent { event: text(), into: None },
        NodeKind::Set => Build::Set { key: text(), expr: text() },
        NodeKind::Roll => Build::Roll { key: text(), from: Bound::Int(0), to: Bound::Int(0) },
        NodeKind::Log => Build::Log { text: text() },
        NodeKind::Emit => Build::Emit { event: text(), payload: None, to_group: false },
        NodeKind::Succeed => Build::Succeed,
        NodeKind::Fail => Build::Fail,
        NodeKind::Idle => Build::Idle,
    }
}

/// A guard's condition, or a service. One that was refused is in no tree.
fn maybe_part<H: Host>(archive: &mut Archive<'_>, it: &mut Option<Part<H>>, leaf: NextLeaf<'_, H>) {
    let mut is_leaf = match it {
        Some(it) => matches!(it, Part::Leaf(..)),
        None if archive.is_reading() => false,
        None => return archive.refuse(),
    };
    archive.flag(&mut is_leaf);
    if archive.is_reading() {
        *it = if is_leaf { Part::of(leaf(), None, &mut Vec::new()) } else { Some(Part::Check(String::new())) };
    }
    match it {
        Some(Part::Check(expr)) => archive.text(expr),
        Some(Part::Leaf(_, kind)) => name(archive, kind),
        None => archive.refuse(),
    }
}

fn border(archive: &mut Archive<'_>, it: &mut Border) {
    let mut is_instance = matches!(it, Border::Instance(_));
    archive.flag(&mut is_instance);
    if archive.is_reading() && is_instance {
        *it = Border::Instance(Box::new(Instance::named("")));
    }
    if let Border::Instance(it) = it {
        instance(archive, it);
    }
}

/// Writes or reads the declaration of an instance, or of a whole tree: its name, keys, events and
/// ports. Its origin is left out.
pub fn instance(archive: &mut Archive<'_>, it: &mut Instance) {
    let Instance { name, file, id, note, keys, locals, events, ports, sees_file, origin: _ } = it;
    archive.text(name);
    archive.maybe_text(file);
    archive.maybe_text(id);
    archive.maybe_text(note);
    let no_key = || (Scope::Agent, String::new(), KeyDefault::Value(Value::Bool(false)));
    archive.list(keys, no_key, |archive, (scope, name, it)| {
        archive.one_of(scope, &SCOPES);
        archive.text(name);
        default(archive, it);
    });
    archive.list(
        locals,
        || (String::new(), KeyDefault::Value(Value::Bool(false))),
        |archive, (name, it)| {
            archive.text(name);
            default(archive, it);
        },
    );
    archive.list(
        events,
        || (String::new(), None),
        |archive, (name, payload)| {
            archive.text(name);
            archive.maybe(payload, || Type::Bool, |archive, it| archive.one_of(it, &TYPES));
        },
    );
    let no_port = || Port {
        name: String::new(),
        direction: Direction::In,
        default: KeyDefault::Value(Value::Bool(false)),
        binding: Binding::Own,
    };
    archive.list(ports, no_port, |archive, it| {
        archive.text(&mut it.name);
        archive.one_of(&mut it.direction, &DIRECTIONS);
        default(archive, &mut it.default);
        binding(archive, &mut it.binding);
    });
    archive.flag(sees_file);
}

fn binding(archive: &mut Archive<'_>, it: &mut Binding) {
    let mut key = if let Binding::Key(key) = it { Some(std::mem::take(key)) } else { None };
    archive.maybe_text(&mut key);
    match key {
        Some(key) => *it = Binding::Key(key),
        None => archive.one_of(it, &[Binding::Constant, Binding::Own]),
    }
}

fn default(archive: &mut Archive<'_>, it: &mut KeyDefault) {
    let mut ty = match it {
        KeyDefault::Value(it) => it.ty(),
        KeyDefault::Symbol(..) => Type::Symbol,
    };
    archive.one_of(&mut ty, &TYPES);
    if archive.is_reading() {
        *it = match ty {
            Type::Bool => false.into(),
            Type::Int => 0_i64.into(),
            Type::Float => 0.0_f32.into(),
            Type::Vec2 => [0.0_f32; 2].into(),
            Type::Vec3 => [0.0_f32; 3].into(),
            Type::Entity => Entity::NONE.into(),
            Type::Symbol => KeyDefault::Symbol(String::new(), Vec::new()),
            Type::Time => Time::ZERO.into(),
        };
    }
    match it {
        KeyDefault::Value(Value::Bool(it)) => archive.flag(it),
        KeyDefault::Value(Value::Int(it)) => whole(archive, it),
        KeyDefault::Value(Value::Float(it)) => float(archive, it),
        KeyDefault::Value(Value::Vec2(it)) => it.iter_mut().for_each(|it| float(archive, it)),
        KeyDefault::Value(Value::Vec3(it)) => it.iter_mut().for_each(|it| float(archive, it)),
        KeyDefault::Value(Value::Entity(it)) => {
            let mut bits = it.to_bits();
            archive.number(&mut bits);
            *it = crate::Entity::from_bits(bits);
        }
        KeyDefault::Value(Value::Time(it)) => {
            let mut nanos = it.as_nanos();
            archive.number(&mut nanos);
            *it = Time::from_nanos(nanos);
        }
        // No tree has such a key.
        KeyDefault::Value(Value::Symbol(_)) => archive.refuse(),
        KeyDefault::Symbol(first, words) => {
            archive.text(first);
            archive.list(words, String::new, Archive::text);
        }
    }
}

fn case(archive: &mut Archive<'_>, it: &mut Case) {
    let mut ty = it.ty();
    archive.one_of(&mut ty, &[Type::Bool, Type::Int, Type::Symbol]);
    if archive.is_reading() {
        *it = match ty {
            Type::Bool => Case::Bool(false),
            Type::Int => Case::Int(0),
            _ => Case::Word(String::new()),
        };
    }
    match it {
        Case::Bool(it) => archive.flag(it),
        Case::Int(it) => whole(archive, it),
        Case::Word(it) => archive.text(it),
    }
}

fn policy(archive: &mut Archive<'_>, it: &mut Policy) {
    let mut least = if let Policy::AtLeast(least) = it { Some(u32::from(*least)) } else { None };
    archive.maybe(&mut least, || 0, Archive::number32);
    match least.map(u16::try_from) {
        None => archive.one_of(it, &[Policy::All, Policy::Any]),
        Some(Ok(least)) => *it = Policy::AtLeast(least),
        Some(Err(_)) => archive.refuse(),
    }
}

fn outcome(archive: &mut Archive<'_>, it: &mut Outcome) {
    archive.one_of(it, &[Outcome::Success, Outcome::Failure]);
}

fn number(archive: &mut Archive<'_>, it: &mut Number) {
    let mut expr = if let Number::Expr(expr) = it { Some(std::mem::take(expr)) } else { None };
    archive.maybe_text(&mut expr);
    let mut literal = if let Number::Literal(literal) = it { *literal } else { 0.0 };
    if expr.is_none() {
        double(archive, &mut literal);
    }
    *it = expr.map_or(Number::Literal(literal), Number::Expr);
}

fn count(archive: &mut Archive<'_>, it: &mut Count) {
    let mut expr = if let Count::Expr(expr) = it { Some(std::mem::take(expr)) } else { None };
    archive.maybe_text(&mut expr);
    let mut literal = if let Count::Literal(literal) = it { *literal } else { 0 };
    if expr.is_none() {
        archive.number32(&mut literal);
    }
    *it = expr.map_or(Count::Literal(literal), Count::Expr);
}

fn bound(archive: &mut Archive<'_>, it: &mut Bound) {
    let mut shape = match it {
        Bound::Int(_) => 0_u8,
        Bound::Float(_) => 1,
        Bound::Expr(_) => 2,
    };
    archive.one_of(&mut shape, &[0, 1, 2]);
    if archive.is_reading() {
        *it = match shape {
            0 => Bound::Int(0),
            1 => Bound::Float(0.0),
            _ => Bound::Expr(String::new()),
        };
    }
    match it {
        Bound::Int(it) => whole(archive, it),
        Bound::Float(it) => double(archive, it),
        Bound::Expr(it) => archive.text(it),
    }
}

fn whole(archive: &mut Archive<'_>, it: &mut i64) {
    let mut bytes = it.to_le_bytes();
    archive.bytes(&mut bytes);
    *it = i64::from_le_bytes(bytes);
}

fn float(archive: &mut Archive<'_>, it: &mut f32) {
    let mut bytes = it.to_le_bytes();
    archive.bytes(&mut bytes);
    *it = f32::from_le_bytes(bytes);
}

fn double(archive: &mut Archive<'_>, it: &mut f64) {
    let mut bytes = it.to_le_bytes();
    archive.bytes(&mut bytes);
    *it = f64::from_le_bytes(bytes);
}
