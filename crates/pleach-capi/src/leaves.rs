//! How the runtime calls leaves: by their callbacks.

use pleach_core::{BatchContext, Context, End, Reason, Status};
use pleach_dynamic::{Calls, Leaf, Problems};

use crate::call;
use crate::host::{
    Cx, Function, Game, PLEACH_END_ABORTED, PLEACH_END_DECIDED, PLEACH_END_DESPAWNED, PLEACH_END_FAILURE,
    PLEACH_END_NOT_INSTANT, PLEACH_END_OTHER, PLEACH_END_REPLACED, PLEACH_END_STOPPED, PLEACH_END_SUCCESS,
    PLEACH_END_SWITCHED, PLEACH_FAILURE, PLEACH_RUNNING, PLEACH_SUCCESS, PLEACH_WRONG, pleach_status,
};
use crate::value::pleach_agent;

impl Calls for Game {
    type Function = Function;

    fn update(leaf: &Leaf<Self>, batch: &mut BatchContext<'_, '_, '_, Self>) {
        let &Function { update: Some(update), user, .. } = leaf.function() else { return };
        // They are not in the context during the call, which lends that.
        let cx = batch.host();
        let (mut agents, mut statuses) = (std::mem::take(&mut cx.agents), std::mem::take(&mut cx.statuses));
        agents.clear();
        agents.extend(batch.agents().map(pleach_agent::of));
        statuses.clear();
        statuses.resize(agents.len(), if leaf.is_condition() { PLEACH_FAILURE } else { PLEACH_RUNNING });
        let (list, count, answers) = (agents.as_ptr(), agents.len(), statuses.as_mut_ptr());
        call::lend_batch(leaf, batch, answers, |call| {
            // SAFETY: the caller of `pleach_registry_leaf` promised that it can be called with
            // this; both lists have `count` places and live during the call.
            unsafe { update(user, call, list, count, answers) };
        });
        for (answer, &status) in batch.answers().iter_mut().zip(&statuses) {
            *answer = match status {
                PLEACH_RUNNING => Status::Running,
                PLEACH_SUCCESS => Status::Success,
                _ => Status::Failure,
            };
        }
        if statuses.iter().any(|it| *it >= PLEACH_WRONG) {
            complain(leaf, batch, &statuses);
        }
        let cx = batch.host();
        (cx.agents, cx.statuses) = (agents, statuses);
    }

    fn start(leaf: &Leaf<Self>, cx: &mut Context<'_, '_, Self>) {
        let &Function { start: Some(start), user, .. } = leaf.function() else { return };
        let agent = pleach_agent::of(cx.agent());
        // SAFETY: as above.
        call::lend_one(leaf, cx, |call| unsafe { start(user, call, agent) });
    }

    fn end(leaf: &Leaf<Self>, cx: &mut Context<'_, '_, Self>, how: End) {
        let &Function { end: Some(end), user, .. } = leaf.function() else { return };
        let agent = pleach_agent::of(cx.agent());
        let how = match how {
            End::Failure => PLEACH_END_FAILURE,
            End::Success => PLEACH_END_SUCCESS,
            End::Aborted(Reason::Abort) => PLEACH_END_ABORTED,
            End::Aborted(Reason::Switched) => PLEACH_END_SWITCHED,
            End::Aborted(Reason::Decided) => PLEACH_END_DECIDED,
            End::Aborted(Reason::Stopped) => PLEACH_END_STOPPED,
            End::Aborted(Reason::Replaced) => PLEACH_END_REPLACED,
            End::Aborted(Reason::Despawned) => PLEACH_END_DESPAWNED,
            End::Aborted(Reason::NotInstant) => PLEACH_END_NOT_INSTANT,
            End::Aborted(_) => PLEACH_END_OTHER,
        };
        // SAFETY: as above.
        call::lend_one(leaf, cx, |call| unsafe { end(user, call, agent, how) });
    }

    fn problems(cx: &mut Cx) -> &mut Problems {
        &mut cx.problems
    }
}

/// Notes a problem of each agent whose leaf went wrong without saying how.
#[cold]
fn complain(leaf: &Leaf<Game>, batch: &mut BatchContext<'_, '_, '_, Game>, statuses: &[pleach_status]) {
    for (agent, &status) in statuses.iter().enumerate() {
        match status {
            PLEACH_FAILURE | PLEACH_SUCCESS | PLEACH_RUNNING | call::TOLD => {}
            PLEACH_WRONG => leaf.fail(batch, agent, "it went wrong"),
            other => leaf.fail(batch, agent, format!("it answered {other}, which is not a pleach_status")),
        }
    }
}
