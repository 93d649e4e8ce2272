//! `run --find` and `--where`: stops a run where agents first did something, like a breakpoint.

use pleach::NodeId;
use pleach::trace::{Recorder, TraceKinds};
use pleach_studio_core::{Search, Seeking};

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::out::Out;
use crate::paint::{FAINT, RESET, STRONG};
use crate::play::Witness;
use crate::progress::bar;
use crate::session::Session;
use crate::sought;
use crate::words::grouped;
use crate::world::World;

/// How many agents are listed.
const TOLD: usize = 10;

/// Whether the run is to be stopped where something happens.
pub(super) fn is_wanted(args: &RunArgs) -> bool {
    args.find.is_some() || args.condition.is_some()
}

/// Plays until it happens; then prints where, and explains the first of the agents.
///
/// # Errors
/// The tree does not have the node or key; it never happened.
pub(super) fn stop<W: World>(game: &mut W, args: &RunArgs, session: &mut Session<'_, W::Host>) -> Result<(), Failure> {
    sought::refuse(args.ended, args.by.as_deref())?;
    let seeking = Seeking {
        node: args.find.as_deref(),
        ended: args.ended.map(sought::ended),
        by: args.by.as_deref(),
        event: None,
        condition: args.condition.as_deref(),
    };
    let forest = game.forest();
    let trees: Vec<_> = forest.trees().filter_map(|it| forest.tree(it).ok()).collect();
    let mut search = Search::new(trees, seeking).map_err(sought::wrong)?;
    let mut recorder = Recorder::all().only(TraceKinds::DECISIONS);
    let (pace, mut out) = (session.pace, Out::new());
    let bar = bar(pace.frames.into());
    for at in 1..=pace.frames {
        session.frame(game, args.find.is_some().then_some(Witness::Recorder(&mut recorder)))?;
        bar.set_position(at.into());
        let happened = recorder.take().into_iter().map(|it| (it.agent, it.event));
        let found = search.frame(game.forest(), happened);
        if let Some(first) = found.first() {
            bar.finish_and_clear();
            let (forest, agents) = (game.forest(), game.agents());
            let what = sought::in_words(seeking);
            let mut lines: Vec<String> = Vec::new();
            for it in &found {
                let number = agents.iter().position(|id| *id == it.agent);
                let number = number.map_or_else(|| "an agent".to_owned(), |it| format!("agent {it}"));
                let named = |node: NodeId| Some(forest.agent(it.agent).ok()?.tree().node(node)?.to_string());
                let node = it.node.and_then(named).map(|it| format!(": {it}")).unwrap_or_default();
                lines.push(format!("  {number}{node}\n"));
            }
            // A loop may start a node twice in a tick.
            lines.dedup();
            let mut text = format!("{STRONG}{what}{RESET}: frame {at}, {:.3} s\n", pace.seconds(at));
            text.extend(lines.iter().take(TOLD).map(String::as_str));
            if let Some(more) = lines.len().checked_sub(TOLD).filter(|it| *it > 0) {
                text.push_str(&format!("{FAINT}  … {} more{RESET}\n", grouped(more as u64)));
            }
            let explained = forest.agent(first.agent).map_err(|error| Failure::Failed(error.to_string()))?.explain();
            return out.say(format_args!("{text}\n{explained}\n"));
        }
        if session.ctrl_c.pressed() {
            bar.finish_and_clear();
            return Err(Failure::EndedEarly);
        }
    }
    bar.finish_and_clear();
    out.say(format_args!("{}: never\n", sought::in_words(seeking)))?;
    Err(Failure::Problems)
}
