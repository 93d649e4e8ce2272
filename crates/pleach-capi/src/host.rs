//! The host type of all forests here, and the callbacks that it has.

use std::ffi::{c_char, c_void};

use pleach_core::error::SendError;
use pleach_core::{AgentId, Event, Host, NodeId};
use pleach_dynamic::{Problem, Problems};

use crate::value::{number, pleach_agent, pleach_call, pleach_value};

/// What a leaf says of an agent: one of PLEACH_FAILURE, PLEACH_SUCCESS, PLEACH_RUNNING and
/// PLEACH_WRONG.
pub type pleach_status = u8;
/// It failed; the answer is no.
pub const PLEACH_FAILURE: pleach_status = 0;
/// It succeeded; the answer is yes.
pub const PLEACH_SUCCESS: pleach_status = 1;
/// It continues in a later tick.
pub const PLEACH_RUNNING: pleach_status = 2;
/// Something went wrong: the leaf fails for this agent, and the call of the runtime returns
/// PLEACH_ERROR_LEAF when it is over. pleach_call_fail() sets it with a message.
pub const PLEACH_WRONG: pleach_status = 3;

/// How an activation of a leaf ended.
pub type pleach_end = u8;
/// By itself, with failure.
pub const PLEACH_END_FAILURE: pleach_end = 0;
/// By itself, with success.
pub const PLEACH_END_SUCCESS: pleach_end = 1;
/// From outside: a condition, a guard, a timeout or a composite above ended it.
pub const PLEACH_END_ABORTED: pleach_end = 2;
/// From outside: the switch above selects another child.
pub const PLEACH_END_SWITCHED: pleach_end = 3;
/// From outside: the parallel above is decided.
pub const PLEACH_END_DECIDED: pleach_end = 4;
/// From outside: the agent was disabled or restarted.
pub const PLEACH_END_STOPPED: pleach_end = 5;
/// From outside: the tree was replaced.
pub const PLEACH_END_REPLACED: pleach_end = 6;
/// From outside: the agent was despawned.
pub const PLEACH_END_DESPAWNED: pleach_end = 7;
/// From outside: it was running in the `do` of a Finally.
pub const PLEACH_END_NOT_INSTANT: pleach_end = 8;
/// From outside, for a reason that is newer than this header.
pub const PLEACH_END_OTHER: pleach_end = 255;

/// Updates agents, or answers for them: writes a pleach_status for each to `statuses`. An entry
/// that is not written is PLEACH_RUNNING for an action, and PLEACH_FAILURE for a condition. `call`
/// and the lists are valid until it returns. It must not throw or jump out.
pub type pleach_update_fn = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        call: pleach_call,
        agents: *const pleach_agent,
        count: usize,
        statuses: *mut pleach_status,
    ),
>;
/// An activation of an agent begins; an update follows in the same tick. In functions that take
/// the number of an agent of the call, the agent is 0.
pub type pleach_start_fn = Option<unsafe extern "C" fn(user: *mut c_void, call: pleach_call, agent: pleach_agent)>;
/// An activation of an agent is over. Called exactly once for every start.
pub type pleach_end_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, call: pleach_call, agent: pleach_agent, end: pleach_end)>;
/// An Emit node ran, or a leaf called pleach_call_emit(). `event` is the symbol of its name.
pub type pleach_emit_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, agent: pleach_agent, event: u64, payload: *const pleach_value)>;
/// A Log node ran. The text does not end with a zero byte, and is valid during the call.
pub type pleach_log_fn =
    Option<unsafe extern "C" fn(user: *mut c_void, agent: pleach_agent, node: u32, text: *const c_char, length: usize)>;

/// What is called for a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub(crate) update: pleach_update_fn,
    pub(crate) start: pleach_start_fn,
    pub(crate) end: pleach_end_fn,
    pub(crate) user: *mut c_void,
}

// SAFETY: `user` is never followed here. The caller says of each leaf whether it can be called on
// several threads at once, and `pleach_tick_parallel` asks for that; otherwise a forest is in one
// call at a time.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// What is called for emitted events and logged texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hooks {
    pub(crate) emit: pleach_emit_fn,
    pub(crate) log: pleach_log_fn,
    pub(crate) user: *mut c_void,
}

// SAFETY: as for `Function`; a forest is only ticked on several threads if its hooks are declared
// as safe there.
unsafe impl Send for Hooks {}
// SAFETY: as above.
unsafe impl Sync for Hooks {}

impl Hooks {
    pub(crate) const NONE: Hooks = Hooks { emit: None, log: None, user: std::ptr::null_mut() };
}

/// What is lent to a call of the runtime.
#[derive(Debug)]
pub(crate) struct Cx {
    pub(crate) problems: Problems,
    pub(crate) hooks: Hooks,
    /// Room for the lists that a callback gets.
    pub(crate) agents: Vec<pleach_agent>,
    pub(crate) statuses: Vec<pleach_status>,
}

impl Cx {
    pub(crate) fn new(hooks: Hooks) -> Self {
        Cx { problems: Problems::default(), hooks, agents: Vec::new(), statuses: Vec::new() }
    }
}

/// The host type.
#[derive(Debug)]
pub(crate) struct Game;

impl Host for Game {
    type Cx<'a> = Cx;

    fn on_emit(cx: &mut Cx, agent: AgentId, event: Event) {
        let Hooks { emit: Some(emit), user, .. } = cx.hooks else { return };
        let payload = event.value().map_or(pleach_value::NONE, pleach_value::of);
        // SAFETY: the caller of `pleach_forest_hooks` promised that it can be called with this.
        unsafe { emit(user, pleach_agent::of(agent), event.name().to_bits(), &raw const payload) };
    }

    fn on_refused(cx: &mut Cx, agent: AgentId, _: Event, error: &SendError) {
        let (agent, node) = match error {
            SendError::Refused { sender: Some(by), .. } => (by.agent, by.node),
            _ => (agent, NodeId::ROOT),
        };
        cx.problems.add(Problem::new("event", agent, node, error.to_string()));
    }

    fn on_log(cx: &mut Cx, agent: AgentId, node: NodeId, text: &str) {
        let Hooks { log: Some(log), user, .. } = cx.hooks else { return };
        // SAFETY: as above; the text lives during the call.
        unsafe { log(user, pleach_agent::of(agent), number(node), text.as_ptr().cast(), text.len()) };
    }
}
