//! `replay --btlog`: what an agent did, as a log that Groot2 plays.

use std::path::Path;
use std::sync::Arc;

use pleach::record::Replay;
use pleach::trace::Recorder;
use pleach_import::BtLog;

use super::{NEAR, cut_off, found, into, lost, refuse_diverged};
use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::out::Out;
use crate::output;
use crate::paths::shown;
use crate::stage::Stage;
use crate::words::plural;

/// Writes the log. It ends where the agent leaves or gets another version of its tree.
///
/// # Errors
/// The agent or the time does not exist; the tree is too large; the file cannot be written; the
/// recording is damaged: then the log has what comes before the damage.
pub(super) fn btlog(replay: &mut Replay<Stage>, file: &Path, args: &ReplayArgs, out: &mut Out) -> Result<(), Failure> {
    let number = args.agent.unwrap_or_default();
    let (agent, first) = into::begin(replay, number, args)?;
    let view = replay.inspect(agent).map_err(lost)?;
    let too_large = || Failure::Failed(format!("agent {number}: a log has trees of at most 65535 nodes"));
    let mut log = BtLog::new(&view.tree).ok_or_else(too_large)?;
    let from = replay.forest().time();
    if first.is_empty() {
        log.begin(from, &view);
    }
    first.into_iter().for_each(|it| log.event(from, it));
    let (mut to, mut why, mut damage) = (from, "", None);
    let mut played = found::Found::default();
    while args.to.is_none_or(|it| replay.forest().time() < it - NEAR) {
        let mut recorder = Recorder::of([agent]);
        match replay.step_traced(&mut (), &mut recorder) {
            Ok(true) => {}
            Ok(false) => {
                damage = cut_off(replay);
                break;
            }
            Err(error) => {
                damage = Some(error.to_string());
                break;
            }
        }
        played.note(replay);
        let time = replay.forest().time();
        match replay.forest().agent(agent) {
            Ok(it) if Arc::ptr_eq(it.tree(), &view.tree) => {}
            Ok(_) => {
                why = ", where its tree was replaced";
                break;
            }
            Err(_) => {
                why = ", where it left";
                break;
            }
        }
        recorder.take().into_iter().for_each(|it| log.event(time, it.event));
        to = time;
    }
    let changes = plural(log.len(), "change");
    output::write(file, log.into_bytes())?;
    out.say(format_args!("wrote {changes} of agent {number} from {from:.3} to {to:.3} s{why} to `{}`\n", shown(file)))?;
    match damage {
        Some(damage) => Err(Failure::Failed(format!("`{}`: {damage}", shown(&args.file)))),
        None => refuse_diverged(&played),
    }
}
