//! `replay --into`: writes what happened to an agent as a case of a test file.
//!
//! The case begins with a save of the agent. It is played along with the replay, tick by tick, and
//! each tick must match the recording. So it passes with the recorded tree, or is not written.

mod writer;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pleach::record::Replay;
use pleach::tools::text::plain;
use pleach::trace::{Recorder, TraceEntry, TraceEvent};
use pleach::{AgentId, Save};

use self::writer::Writer;
use super::{NEAR, cut_off, gone};
use crate::args::ReplayArgs;
use crate::failure::{Failure, say};
use crate::output;
use crate::paths::shown;
use crate::progress::bar;
use crate::stage::{Loaded, Stage};
use crate::test::{Cases, seconds};
use crate::words::plural;

/// How a test file ends.
const END: &str = ".test.ron";

/// # Errors
/// The agent does not exist; a case cannot express what happened to it; a file cannot be written.
pub(super) fn into(
    replay: &mut Replay<Stage>,
    loaded: &[Loaded],
    file: &Path,
    args: &ReplayArgs,
) -> Result<(), Failure> {
    let number = args.agent.unwrap_or_default();
    let stem = file.file_name().and_then(|it| it.to_str()?.strip_suffix(END)).filter(|it| !it.is_empty());
    let stem = stem.ok_or_else(|| Failure::Usage(format!("--into {}: a test file ends in `{END}`", shown(file))))?;
    let (agent, _) = begin(replay, number, args)?;
    let view = replay.inspect(agent).map_err(super::lost)?;
    let loaded = loaded.iter().find(|it| Arc::ptr_eq(&it.tree, &view.tree));
    let loaded = loaded.ok_or_else(|| super::lost("its tree was not loaded"))?;
    let tree = tree_beside(replay, file, view.tree.name())?;
    let save = replay.save(agent).map_err(super::lost)?;
    let save_text = serde_json::to_string(&save).map_err(super::lost)?;
    let save: Save = serde_json::from_str(&save_text).map_err(super::lost)?;

    let began = replay.forest().time();
    let writer = Writer::new(loaded, &save)?;
    let (writer, ended) = writer.write(replay, (number, agent), args)?;
    if let Some(first) = replay.divergences().iter().find(|it| it.agent == agent) {
        return Err(Failure::Failed(format!(
            "agent {number} diverged at frame {}: from there on the replay does not show what happened, so no case is written",
            first.frame
        )));
    }

    let mut cases = Cases::open(file, &tree)?;
    let name = cases.free_name(&format!("agent {number} from {} to {} s", seconds(began), seconds(ended)));
    let save_file = free_save(file, stem, number, began);
    let mut case = writer.case;
    case.name.clone_from(&name);
    case.begin = save_file.file_name().map(|it| it.to_string_lossy().into_owned());
    let ticks = case.steps.last().map_or(0, |it| it.tick);
    cases.add(&case)?;
    cases.check(&name, loaded, &save).map_err(Failure::Failed)?;
    output::write(&save_file, &save_text)?;
    if let Err(failure) = cases.write() {
        // Nothing begins with it.
        let _ = fs::remove_file(&save_file);
        return Err(failure);
    }
    let ticks = plural(usize::try_from(ticks).unwrap_or(usize::MAX), "tick");
    say(format_args!(
        "wrote the case `{}` of {ticks} to `{}`, and the save in which it begins to `{}`",
        plain(&name),
        shown(file),
        shown(&save_file)
    ));
    Ok(())
}

/// Plays until the agent exists and `--from` is reached. Returns the agent, and what it did in its
/// first frame if that is the last one played.
pub(super) fn begin(
    replay: &mut Replay<Stage>,
    number: u32,
    args: &ReplayArgs,
) -> Result<(AgentId, Vec<TraceEvent>), Failure> {
    let from = args.from.unwrap_or_default();
    let agent = |it: &Replay<Stage>| it.agent(number).flatten().filter(|agent| it.forest().agent(*agent).is_ok());
    let bar = bar(replay.len());
    let mut first = Vec::new();
    loop {
        match agent(replay) {
            Some(agent) if replay.forest().time() >= from - NEAR => {
                bar.finish_and_clear();
                return Ok((agent, events(first, agent)));
            }
            _ => {}
        }
        let mut recorder = agent(replay).is_none().then(Recorder::all);
        let played = replay.step_traced(&mut (), &mut recorder);
        if !played.map_err(|it| Failure::Failed(format!("`{}`: {it}", shown(&args.file))))? {
            bar.finish_and_clear();
            let ends = replay.forest().time();
            if let Some(damage) = cut_off(replay) {
                return Err(Failure::Failed(format!("`{}`: {damage}", shown(&args.file))));
            }
            return Err(Failure::Usage(match agent(replay) {
                Some(_) => format!("--from {from}: the recording ends at {ends:.3} s"),
                None => gone(number, replay.agent(number), replay),
            }));
        }
        first = recorder.map(|mut it| it.take()).unwrap_or_default();
        bar.set_position(replay.played());
    }
}

/// What an agent did.
fn events(entries: Vec<TraceEntry>, agent: AgentId) -> Vec<TraceEvent> {
    entries.into_iter().filter(|it| it.agent == agent).map(|it| it.event).collect()
}

/// The file of the tree, beside the test file.
fn tree_beside(replay: &Replay<Stage>, file: &Path, tree: &str) -> Result<String, Failure> {
    let named = replay.files().iter().rev().map(|it| Path::new(&it.0));
    let mut named = named.filter(|it| it.extension().is_some_and(|it| it == "ron"));
    let name = named.find(|it| it.file_stem().is_some_and(|it| it == tree)).and_then(Path::file_name);
    let name = name.map_or_else(|| format!("{tree}.ron"), |it| it.to_string_lossy().into_owned());
    let path = file.parent().unwrap_or(Path::new("")).join(&name);
    if path.is_file() {
        return Ok(name);
    }
    Err(Failure::Usage(format!("--into {}: write it beside the tree, `{}` is not there", shown(file), shown(&path))))
}

/// A name for the save that no file has.
fn free_save(file: &Path, stem: &str, number: u32, began: f64) -> PathBuf {
    let of = |again: &str| file.with_file_name(format!("{stem}.agent-{number}-{}s{again}.save", seconds(began)));
    let again = (2..).map(|it| format!("-{it}"));
    let mut names = std::iter::once(String::new()).chain(again).map(|it| of(&it));
    names.find(|it| fs::symlink_metadata(it).is_err()).unwrap_or_else(|| of(""))
}
