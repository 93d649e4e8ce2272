//! The host that scenarios are run with. Its leaves play scripts and record every callback by
//! agent.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use pleach_core as core;
use pleach_core::{
    AgentId, Context, Event, NodeId, Symbol,
    trace::{EveryTraceEvent, TraceEvent, Tracer},
};
use pleach_macros::leaf;
use serde::{Deserialize, Serialize};

use crate::happening::{End, Happening, NodeIndex, Reason, heard_line};
use crate::scenario::{ActionScript, Call, ConditionScript, LeafKind, Node, Outcome, Scenario, Shape, Status, Value};

/// The host.
pub(crate) struct Stage;

/// What leaves see of the host.
pub(crate) struct StageCx {
    /// The number of the frame.
    pub(crate) frame: u32,
    /// What is known of each agent, by slot.
    seats: Vec<Seat>,
    /// The slot of an agent whose next update of an action panics.
    pub(crate) bomb: Option<Slot>,
    /// The agent of each callback, in order, if a caller wants it.
    pub(crate) order: Option<Vec<Slot>>,
    names: Arc<Names>,
    /// What the tracer has recorded. Tracers do not see logs, so the host adds them.
    seen: Option<Arc<HappeningLog>>,
}

/// What is known of an agent.
#[derive(Default)]
pub(crate) struct Seat {
    /// How many frames had passed when it was spawned. Its scripts count from there.
    pub(crate) before: u32,
    /// The callbacks that have not been compared yet.
    pub(crate) heard: Vec<Heard>,
}

/// A callback, and when it came.
#[derive(Debug, PartialEq)]
pub(crate) struct Heard {
    pub(crate) what: Callback,
    /// The agent's own time and the `dt`, for callbacks that get them.
    pub(crate) when: Option<(f64, f32)>,
}

/// A callback of a node, or of its service of that number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callback {
    Start(NodeIndex),
    Update(NodeIndex, Status),
    End(NodeIndex, End),
    Pause(NodeIndex),
    Unpause(NodeIndex),
    Restored(NodeIndex),
    Service(NodeIndex, usize),
    Log(NodeIndex, String),
    /// The event and its payload. The host does not learn which node emits it.
    Emit(String),
}

/// The slot of an agent: the lower 32 bits of its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(pub(crate) u32);

impl Slot {
    pub(crate) fn of(agent: AgentId) -> Slot {
        Slot(u32::try_from(agent.to_bits() & 0xffff_ffff).expect("32 bits"))
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The words of symbols.
pub(crate) struct Names {
    /// The events that are emitted.
    events: Vec<(Symbol, String)>,
    /// Every word of a symbol key or a payload.
    words: Vec<(Symbol, String)>,
}

impl Names {
    pub(crate) fn of(roots: &[Node], scenario: &Scenario) -> Names {
        fn emitted(node: &Node, events: &mut Vec<String>) {
            if let Shape::Leaf(LeafKind::Emit { event, .. }) = &node.shape {
                events.push(event.clone());
            }
            node.children().iter().for_each(|it| emitted(it, events));
        }
        let mut events = Vec::new();
        roots.iter().for_each(|it| emitted(it, &mut events));
        let mut words: Vec<String> = scenario.keys.iter().flat_map(|(_, key)| key.words.clone()).collect();
        words.extend(scenario.ops.iter().filter_map(|op| match &op.call {
            Call::Event { payload: Some(Value::Symbol(word)), .. } => Some(word.clone()),
            _ => None,
        }));
        let known = |texts: Vec<String>| texts.into_iter().map(|it| (Symbol::new(&it), it)).collect();
        Names { events: known(events), words: known(words) }
    }

    fn event(&self, event: Event) -> String {
        let name = self.name(event);
        event.value().map_or_else(|| name.to_owned(), |it| format!("{name} {}", self.value(it)))
    }

    fn name(&self, event: Event) -> &str {
        self.events.iter().find(|it| it.0 == event.name()).map_or("?", |it| &it.1)
    }

    /// The line of an event that was sent to the other member of the squad.
    pub(crate) fn heard(&self, event: Event) -> String {
        heard_line(self.name(event), event.value().map(|it| self.value(it)).as_deref())
    }

    /// As the trace writes it.
    pub(crate) fn value(&self, value: core::Value) -> String {
        match value {
            core::Value::Bool(it) => it.to_string(),
            core::Value::Int(it) => it.to_string(),
            core::Value::Float(it) => format!("{it:?}"),
            core::Value::Vec2([x, y]) => format!("({x:?}, {y:?})"),
            core::Value::Vec3([x, y, z]) => format!("({x:?}, {y:?}, {z:?})"),
            core::Value::Entity(it) => format!("#{}", it.to_bits()),
            core::Value::Time(it) => format!("{it}s"),
            core::Value::Symbol(it) => {
                self.words.iter().find(|word| word.0 == it).map_or("?", |word| &word.1).to_owned()
            }
        }
    }
}

impl StageCx {
    /// Before the first frame, without agents.
    pub(crate) fn new(names: Arc<Names>, seen: Option<Arc<HappeningLog>>) -> StageCx {
        StageCx { frame: 0, seats: Vec::new(), bomb: None, order: None, names, seen }
    }

    /// The same moment in another run, which is not compared.
    pub(crate) fn aside(&self) -> StageCx {
        let seats = self.seats.iter().map(|it| Seat { before: it.before, heard: Vec::new() }).collect();
        StageCx { seats, bomb: None, order: None, names: Arc::clone(&self.names), seen: None, ..*self }
    }

    /// The same moment for one of the chunks that are ticked side by side. No tracer sees what
    /// happens there.
    pub(crate) fn of_chunk(&self) -> StageCx {
        let order = self.order.as_ref().map(|_| Vec::new());
        StageCx { bomb: self.bomb, order, ..self.aside() }
    }

    /// Takes over what a chunk's agents have heard.
    pub(crate) fn take_in(&mut self, chunk: StageCx) {
        if let (Some(order), Some(more)) = (&mut self.order, chunk.order) {
            order.extend(more);
        }
        for (seat, mut of_chunk) in self.seats.iter_mut().zip(chunk.seats) {
            seat.heard.append(&mut of_chunk.heard);
        }
    }

    /// When the scripts of all agents began, by slot.
    pub(crate) fn begun(&self) -> Vec<u32> {
        self.seats.iter().map(|it| it.before).collect()
    }

    /// Sets when the scripts of all agents began.
    pub(crate) fn begin(&mut self, begun: &[u32]) {
        self.seats = begun.iter().map(|it| Seat { before: *it, heard: Vec::new() }).collect();
    }

    /// Begins the record of a new agent.
    pub(crate) fn seat(&mut self, agent: AgentId) {
        let at = Slot::of(agent).index();
        if self.seats.len() <= at {
            self.seats.resize_with(at + 1, Seat::default);
        }
        self.seats[at] = Seat { before: self.frame, heard: Vec::new() };
    }

    /// What is known of the agent with this slot.
    pub(crate) fn seat_of(&mut self, slot: Slot) -> &mut Seat {
        &mut self.seats[slot.index()]
    }

    fn hear(&mut self, agent: AgentId, what: Callback, when: Option<(f64, f32)>) {
        let slot = Slot::of(agent);
        self.seat_of(slot).heard.push(Heard { what, when });
        if let Some(order) = &mut self.order {
            order.push(slot);
        }
    }
}

impl core::Host for Stage {
    type Cx<'a> = StageCx;

    fn on_emit(cx: &mut StageCx, agent: AgentId, event: Event) {
        let event = cx.names.event(event);
        cx.hear(agent, Callback::Emit(event), None);
    }

    fn on_log(cx: &mut StageCx, agent: AgentId, node: NodeId, text: &str) {
        cx.hear(agent, Callback::Log(node.into(), text.to_owned()), None);
        if let Some(seen) = cx.seen.as_ref().filter(|it| it.wants(Slot::of(agent))) {
            seen.happens(Slot::of(agent), Happening::Log(node.into()));
        }
    }
}

fn note(cx: &mut Context<'_, '_, Stage>, what: impl FnOnce(NodeIndex) -> Callback) {
    let (what, when) = (what(cx.node().into()), (cx.time(), cx.dt()));
    cx.host.hear(cx.agent(), what, Some(when));
}

/// Tracers do not see what is restored, so the host adds it.
fn note_restored(cx: &mut Context<'_, '_, Stage>) {
    note(cx, Callback::Restored);
    let slot = Slot::of(cx.agent());
    if let Some(seen) = cx.host.seen.as_ref().filter(|it| it.wants(slot)) {
        seen.happens(slot, Happening::Restored(cx.node().into()));
    }
}

fn noted(cx: &mut Context<'_, '_, Stage>, status: Status) -> core::Status {
    note(cx, |node| Callback::Update(node, status));
    match status {
        Status::Success => core::Status::Success,
        Status::Failure => core::Status::Failure,
        Status::Running => core::Status::Running,
    }
}

/// The same leaf with no callback except its update.
pub(crate) struct Bare<L>(pub(crate) L);

#[leaf(crate = pleach_core)]
impl core::Condition<Stage> for Bare<ConditionScript> {
    type State = ();
    fn observes(&self) -> core::Observes {
        core::Condition::observes(&self.0)
    }
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>) -> core::Status {
        core::Condition::update(&self.0, &mut (), cx)
    }
}

#[leaf(crate = pleach_core)]
impl core::Action<Stage> for Bare<ActionScript> {
    type State = ActionState;
    fn update(&self, state: &mut ActionState, cx: &mut Context<'_, '_, Stage>) -> core::Status {
        // It ends in its first update or never, so it does not need the callback of a start.
        *state = ActionState { starts: state.starts + 1, updates: 0 };
        core::Action::update(&self.0, state, cx)
    }
}

impl ActionScript {
    /// Whether a leaf without the callback of its start can play it.
    pub(crate) fn can_be_bare(&self) -> bool {
        self.ticks <= 1
    }
}

impl core::Condition<Stage> for ConditionScript {
    type State = ();
    fn observes(&self) -> core::Observes {
        #[expect(clippy::cast_precision_loss, reason = "checking refuses what is not exact")]
        self.every.map_or(core::Observes::EveryTick, |it| core::Observes::Every(it as f32))
    }
    fn restored(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>) {
        note_restored(cx);
    }
    fn start(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>) {
        note(cx, Callback::Start);
    }
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>) -> core::Status {
        let before = cx.host.seats[Slot::of(cx.agent()).index()].before;
        let status = self.at(cx.host.frame - before);
        noted(cx, status)
    }
    fn end(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>, it: core::End) {
        note(cx, |node| Callback::End(node, end(it)));
    }
    fn pause(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>, paused: bool) {
        note(cx, if paused { Callback::Pause } else { Callback::Unpause });
    }
}

/// The state of an action.
#[derive(Clone, Default, Deserialize, Serialize)]
pub(crate) struct ActionState {
    starts: u32,
    updates: u32,
}

impl core::Action<Stage> for ActionScript {
    type State = ActionState;
    const KEEP: core::Keep<ActionState> = core::Keep::cloned().saved();
    fn restored(&self, _: &mut ActionState, cx: &mut Context<'_, '_, Stage>) {
        note_restored(cx);
    }
    fn start(&self, state: &mut ActionState, cx: &mut Context<'_, '_, Stage>) {
        *state = ActionState { starts: state.starts + 1, updates: 0 };
        note(cx, Callback::Start);
    }
    fn update(&self, state: &mut ActionState, cx: &mut Context<'_, '_, Stage>) -> core::Status {
        if cx.host.bomb == Some(Slot::of(cx.agent())) {
            boom();
        }
        state.updates += 1;
        noted(cx, self.at(state.starts, state.updates))
    }
    fn end(&self, _: &mut ActionState, cx: &mut Context<'_, '_, Stage>, it: core::End) {
        note(cx, |node| Callback::End(node, end(it)));
    }
    fn pause(&self, _: &mut ActionState, cx: &mut Context<'_, '_, Stage>, paused: bool) {
        note(cx, if paused { Callback::Pause } else { Callback::Unpause });
    }
}

/// A composite's service of this number.
pub(crate) struct ServiceLeaf(pub(crate) usize);

#[leaf(crate = pleach_core)]
impl core::Action<Stage> for ServiceLeaf {
    type State = ();
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Stage>) -> core::Status {
        note(cx, |node| Callback::Service(node, self.0));
        core::Status::Success
    }
}

/// The payload of a panic that the scenario requests.
pub(crate) struct Boom;

/// Panics without a message on the terminal.
pub(crate) fn boom() -> ! {
    resume_unwind(Box::new(Boom))
}

fn end(end: core::End) -> End {
    match end {
        core::End::Success => End::Itself(Outcome::Success),
        core::End::Failure => End::Itself(Outcome::Failure),
        core::End::Aborted(it) => End::Aborted(reason(it)),
    }
}

fn reason(reason: core::Reason) -> Reason {
    match reason.every() {
        core::EveryReason::Abort => Reason::Abort,
        core::EveryReason::Switched => Reason::Switched,
        core::EveryReason::Decided => Reason::Decided,
        core::EveryReason::Stopped => Reason::Stopped,
        core::EveryReason::Despawned => Reason::Despawned,
        core::EveryReason::Replaced => Reason::Replaced,
        core::EveryReason::NotInstant => Reason::NotInstant,
    }
}

/// What a tracer has seen, agent by agent.
pub(crate) struct HappeningLog {
    /// Only agents with an odd slot are traced.
    odd: bool,
    by_slot: Mutex<Vec<Vec<Happening>>>,
}

impl HappeningLog {
    pub(crate) fn new(odd: bool) -> HappeningLog {
        HappeningLog { odd, by_slot: Mutex::default() }
    }

    /// Whether the agent with this slot is traced.
    pub(crate) fn wants(&self, slot: Slot) -> bool {
        !self.odd || !slot.0.is_multiple_of(2)
    }

    fn happens(&self, slot: Slot, it: Happening) {
        self.of(slot, |seen| seen.push(it));
    }

    /// What has happened to that agent and has not been taken yet.
    pub(crate) fn of<R>(&self, slot: Slot, look: impl FnOnce(&mut Vec<Happening>) -> R) -> R {
        let mut by_slot = self.by_slot.lock().unwrap_or_else(PoisonError::into_inner);
        if by_slot.len() <= slot.index() {
            by_slot.resize_with(slot.index() + 1, Vec::new);
        }
        look(&mut by_slot[slot.index()])
    }
}

/// A tracer that records what happens.
pub(crate) struct Scribe {
    pub(crate) seen: Arc<HappeningLog>,
    pub(crate) names: Arc<Names>,
}

impl Tracer for Scribe {
    const ENABLED: bool = true;
    fn wants(&self, agent: AgentId) -> bool {
        self.seen.wants(Slot::of(agent))
    }
    fn record(&mut self, agent: AgentId, event: TraceEvent) {
        let status = |status| match status {
            core::Status::Success => Status::Success,
            core::Status::Failure => Status::Failure,
            core::Status::Running => Status::Running,
        };
        let happening = match event.every() {
            EveryTraceEvent::Tick | EveryTraceEvent::TickEnd => return,
            EveryTraceEvent::Start(n) => Happening::Start(n.into()),
            EveryTraceEvent::Update(n, it) => Happening::Update(n.into(), status(it)),
            EveryTraceEvent::Recheck(n, it) => Happening::Recheck(n.into(), status(it)),
            EveryTraceEvent::Check(n, it) => Happening::Check(n.into(), it),
            EveryTraceEvent::Service(n, at) => Happening::Service(n.into(), at),
            EveryTraceEvent::Switch(n) => Happening::Switch(n.into()),
            EveryTraceEvent::Emit(n, event) => Happening::Emit(n.into(), event.value().map(|it| self.names.value(it))),
            EveryTraceEvent::End(n, it) => Happening::End(n.into(), end(it.into())),
            EveryTraceEvent::Aborted(n, it) => Happening::End(n.into(), End::Aborted(reason(it))),
            EveryTraceEvent::Abort { scope, by } => Happening::Abort { scope: scope.into(), by: by.into() },
            EveryTraceEvent::Pause(n) => Happening::Pause(n.into()),
            EveryTraceEvent::Unpause(n) => Happening::Unpause(n.into()),
        };
        self.seen.happens(Slot::of(agent), happening);
    }
}
