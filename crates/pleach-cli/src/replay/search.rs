//! `replay --find`, `--event` and `--where`: searches a recording for what agents did.

use std::collections::BTreeSet;

use pleach::record::Replay;
use pleach::{AgentId, NodeId};
use pleach_studio_core::{Found, Search, Seeking};
use serde_json::json;

use super::{NEAR, cut_off, found, gone, note_of_keys, refuse_diverged};
use crate::args::{Format, ReplayArgs};
use crate::failure::Failure;
use crate::out::Out;
use crate::paint::{FAINT, GOOD, RESET, STRONG};
use crate::paths::shown;
use crate::progress::bar;
use crate::sought;
use crate::stage::Stage;
use crate::words::{grouped, plural};

/// How many places are printed; if there are more, the first half and the last half of this number.
const TOLD: usize = 10;

/// Where it was found.
struct Place {
    frame: u64,
    time: f64,
    agent: u32,
    /// The node, and its name.
    node: Option<(NodeId, String)>,
}

/// Searches the recording, and prints what it has found.
///
/// # Errors
/// A node or a key is in no tree; the recording is damaged; nothing was found.
pub(super) fn search(replay: &mut Replay<Stage>, args: &ReplayArgs, out: &mut Out) -> Result<(), Failure> {
    let mut searching = Search::new(replay.trees(), seeking(args)).map_err(sought::wrong)?;
    let (mut places, mut damage) = (Vec::new(), None);
    let mut played = found::Found::default();
    let bar = bar(replay.len());
    loop {
        let found = match searching.step(replay, &mut ()) {
            Ok(Some(found)) => found,
            Ok(None) => break,
            Err(error) => {
                damage = Some(error.to_string());
                break;
            }
        };
        played.note(replay);
        bar.set_position(replay.played());
        let time = replay.forest().time();
        if args.to.is_some_and(|it| time > it + NEAR) {
            break;
        }
        if args.from.is_some_and(|it| time < it - NEAR) || found.is_empty() {
            continue;
        }
        note(replay, args, &found, &mut places);
    }
    bar.finish_and_clear();
    let ends = replay.forest().time();
    // Damage after the end of the search does not matter.
    let is_over = args.to.is_some_and(|it| ends >= it - NEAR);
    let damage = damage.or_else(|| cut_off(replay)).filter(|_| !is_over);
    if places.is_empty() && damage.is_none() {
        nowhere(replay, args, ends)?;
    }
    match args.format {
        Format::Text => {
            let note = note_of_keys(replay).filter(|_| args.condition.is_some()).unwrap_or_default();
            out.say(format_args!("{}{FAINT}{note}{RESET}", in_words(&places, args)))?;
        }
        Format::Json => out.say(format_args!("{:#}\n", written(&places)))?,
    }
    match damage {
        Some(damage) => Err(Failure::Failed(format!("`{}`: {damage}", shown(&args.file)))),
        // After its first divergence an agent does something else, so that the answer may be wrong.
        None if !played.strayed.is_empty() => refuse_diverged(&played),
        None if places.is_empty() => Err(Failure::Problems),
        None => Ok(()),
    }
}

/// # Errors
/// The search was for an agent or a time that the recording does not have.
fn nowhere(replay: &Replay<Stage>, args: &ReplayArgs, ends: f64) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    if let Some(from) = args.from.filter(|it| *it > ends + NEAR) {
        wrong.push(format!("--from {from}: the recording ends at {ends:.3} s"));
    }
    if let Some(number) = args.agent.filter(|it| replay.agent(*it).is_none()) {
        wrong.push(gone(number, None, replay));
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Usage(wrong.join("\n  "))) }
}

fn seeking(args: &ReplayArgs) -> Seeking<'_> {
    Seeking {
        node: args.find.as_deref(),
        ended: args.ended.map(sought::ended),
        by: args.by.as_deref(),
        event: args.event.as_deref(),
        condition: args.condition.as_deref(),
    }
}

/// Notes what was found in the frame that was played last.
fn note(replay: &Replay<Stage>, args: &ReplayArgs, found: &[Found], places: &mut Vec<Place>) {
    let (frame, time) = (replay.frame(), replay.forest().time());
    let ids: BTreeSet<AgentId> = found.iter().map(|it| it.agent).collect();
    let numbers: Vec<(u32, AgentId)> =
        replay.agents().filter_map(|(number, id)| Some((number, id.filter(|it| ids.contains(it))?))).collect();
    for it in found {
        let Some(&(agent, _)) = numbers.iter().find(|known| known.1 == it.agent) else { continue };
        if args.agent.is_some_and(|it| it != agent) {
            continue;
        }
        let named = |node| Some((node, replay.forest().agent(it.agent).ok()?.tree().node(node)?.to_string()));
        places.push(Place { frame, time, agent, node: it.node.and_then(named) });
    }
}

/// What was found, for people.
fn in_words(places: &[Place], args: &ReplayArgs) -> String {
    let what = sought::in_words(seeking(args));
    let Some(last) = places.last() else { return format!("{what}: never\n") };
    let agents: BTreeSet<u32> = places.iter().map(|it| it.agent).collect();
    let by = if args.agent.is_some() { String::new() } else { format!(", {}", plural(agents.len(), "agent")) };
    let mut text = format!("{STRONG}{what}{RESET}: {}{by}\n", plural(places.len(), "time"));
    let (first, rest) = if places.len() > TOLD {
        (&places[..TOLD / 2], &places[places.len() - TOLD / 2..])
    } else {
        (places, &places[..0])
    };
    first.iter().for_each(|it| text.push_str(&line(it)));
    if !rest.is_empty() {
        let between = u64::try_from(places.len() - TOLD).unwrap_or(u64::MAX);
        text.push_str(&format!("{FAINT}  … {} more{RESET}\n", grouped(between)));
        rest.iter().for_each(|it| text.push_str(&line(it)));
    }
    text.push_str(&format!("Why the last one: {GOOD}--agent {} --frame {} --explain{RESET}\n", last.agent, last.frame));
    text
}

fn line(it: &Place) -> String {
    let node = it.node.as_ref().map(|it| format!(": {}", it.1)).unwrap_or_default();
    format!("  frame {}, {:.3} s, agent {}{node}\n", it.frame, it.time, it.agent)
}

/// The same for programs.
fn written(places: &[Place]) -> serde_json::Value {
    let agents: BTreeSet<u32> = places.iter().map(|it| it.agent).collect();
    let all: Vec<serde_json::Value> = places
        .iter()
        .map(|it| {
            let node = it.node.as_ref().map(|it| it.0.to_string());
            json!({ "frame": it.frame, "time_s": super::json::rounded(it.time), "agent": it.agent, "node": node })
        })
        .collect();
    json!({ "times": places.len(), "agents": agents.len(), "found": all })
}
