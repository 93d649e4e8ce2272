//! `replay --report`: what an agent did and why, as one HTML file.

use std::path::Path;

use pleach_studio_core::{AskError, Session, page};

use super::NEAR;
use crate::args::ReplayArgs;
use crate::failure::{Failure, say};
use crate::out::Out;
use crate::output;
use crate::paths::shown;

/// Writes the report.
///
/// # Errors
/// The agent or the time does not exist; the file cannot be written; the recording is damaged: then
/// the report has what comes before the damage. If nothing does, nothing is written.
pub(super) fn report(mut session: Session, file: &Path, args: &ReplayArgs, out: &mut Out) -> Result<(), Failure> {
    let agent = args.agent.unwrap_or_default();
    let ends = session.ends();
    if let Some(from) = args.from.filter(|it| *it > ends + NEAR) {
        return Err(match session.damage() {
            None => Failure::Usage(format!("--from {from}: the recording ends at {ends:.3} s")),
            Some(damage) => Failure::Failed(format!(
                "`{}`: {damage}: there is nothing from {from} s on, as only {ends:.3} s can be played",
                shown(&args.file)
            )),
        });
    }
    let from = args.from.map_or(0, |it| session.frame_at(it));
    let to = args.to.map_or(u64::MAX, |it| session.frame_at(it));
    let report = session.report(agent, from, to).map_err(|error| match error {
        AskError::NoAgent { .. } | AskError::NotThere { .. } => Failure::Usage(error.to_string()),
        error => Failure::Failed(format!("`{}`: {error}", shown(&args.file))),
    })?;
    let page = page::report(&report).map_err(|it| Failure::Failed(format!("cannot write the report: {it}")))?;
    output::write(file, &page)?;
    let time = |frame| session.time(frame);
    out.say(format_args!(
        "wrote agent {agent} from {:.3} to {:.3} s to `{}`\n",
        time(report.track.from),
        time(report.track.to),
        shown(file)
    ))?;
    match session.damage() {
        Some(damage) => Err(Failure::Failed(format!("`{}`: {damage}", shown(&args.file)))),
        None if session.divergences() == 0 => Ok(()),
        None => {
            session.overview().notes.iter().for_each(say);
            Err(Failure::Problems)
        }
    }
}
