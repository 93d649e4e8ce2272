//! What `replay` prints for people.

use std::collections::BTreeSet;

use pleach::AgentId;
use pleach::record::Replay;
use pleach::tools::text::plain;
use pleach_view::living;

use super::found::{Found, Strayed, TOLD};
use super::{explanation, lost, note_of_keys, why_not};
use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::out::Out;
use crate::paint::{BAD, FAINT, GOOD, RESET, STRONG, painted};
use crate::paths::shown;
use crate::stage::Stage;
use crate::watch;
use crate::words::{bytes, grouped, plural, short};

pub(super) fn tell(
    replay: &Replay<Stage>,
    agent: Option<(u32, AgentId)>,
    found: &Found,
    args: &ReplayArgs,
    out: &mut Out,
) -> Result<(), Failure> {
    let Some((number, agent)) = agent else {
        // A damaged recording may end before its agent comes.
        out.say(format_args!("{}", summary(replay, found, args)))?;
        return out.say(format_args!("{}", first(found, |_| true)));
    };
    let view = replay.inspect(agent).map_err(lost)?;
    let mut parts = Vec::new();
    let note = note_of_keys(replay).filter(|_| !view.keys.is_empty());
    let note = note.map(|it| format!("{FAINT}{it}{RESET}")).unwrap_or_default();
    if !args.trace && !args.explain && args.why.is_none() && args.svg.is_none() {
        let moment = living(&view, replay.forest().time());
        let heading = painted(&watch::heading(&view, &moment, number as usize, replay.frame()));
        let drawing = watch::drawing(&view, &moment, |key| replay.records(&view.tree, key));
        parts.push(format!("{heading}\n{drawing}{note}"));
    }
    if args.explain {
        parts.push(format!("{}\n", explanation(&view, number)));
    }
    if let Some(name) = &args.why {
        parts.extend(why_not(&view, name)?.map(|it| format!("{it}\n")));
    }
    if let Some(last) = parts.last_mut().filter(|_| args.explain || args.why.is_some()) {
        last.push_str(&note);
    }
    parts.extend(Some(first(found, |it| it == Some(number))).filter(|it| !it.is_empty()));
    let text = parts.join("\n");
    let begin = if args.trace && !text.is_empty() { "\n" } else { "" };
    out.say(format_args!("{begin}{text}"))
}

/// The lines about the recording as a whole.
fn summary(replay: &Replay<Stage>, found: &Found, args: &ReplayArgs) -> String {
    let of_all = |it: usize| u64::try_from(it).unwrap_or(u64::MAX);
    let frames = match (replay.played(), replay.len()) {
        (played, all) if played == all => grouped(all),
        (played, all) => format!("{} of {}", grouped(played), grouped(all)),
    };
    let mut trees: Vec<String> = Vec::new();
    for tree in replay.trees() {
        let text = format!("{} ({})", plain(tree.name()), plural(tree.len(), "node"));
        match trees.iter_mut().find(|it| **it == text) {
            Some(_) => {}
            None => trees.push(text),
        }
    }
    let now = replay.forest().len();
    let agents = match found.most {
        most if most == now => grouped(of_all(now)),
        most => format!("{} at the end, {} at most", grouped(of_all(now)), grouped(of_all(most))),
    };
    #[expect(clippy::cast_precision_loss, reason = "it is shown with three digits")]
    let size = bytes(found.size as f64);
    let each = found.bytes_each(replay).map(|it| format!(", {} bytes per agent and second", short(it)));
    let each = each.unwrap_or_default();
    let strayed = match found.diverged {
        0 => format!("{GOOD}none{RESET}"),
        count => format!("{BAD}{}, {}{RESET}", plural(found.agents.len(), "agent"), plural(count, "time")),
    };
    let mut rows = vec![
        ("frames", format!("{frames}, {:.3} s to {:.3} s", found.began, replay.forest().time())),
        ("trees", if trees.is_empty() { "none".into() } else { trees.join(", ") }),
        ("agents", agents),
        ("size", format!("{size}{each}")),
    ];
    if replay.complete_after() > 0 {
        let from = found.whole_from.map_or_else(|| "never".to_owned(), |it| format!("from {it:.3} s on"));
        rows.push(("complete", format!("{from}: frames before the first were dropped")));
    }
    rows.extend(args.with.as_ref().map(|it| ("replayed with", shown(it))));
    if let Some(other) = &args.against {
        let frames = plural(usize::try_from(found.compared).unwrap_or(usize::MAX), "frame");
        let diverged = match found.other_diverged {
            0 => String::new(),
            count => format!(", {BAD}{} of it diverged{RESET}", plural(count, "agent")),
        };
        rows.push(("compared with", format!("{}, {frames}{diverged}", shown(other))));
    }
    if found.is_edited || args.against.is_some() {
        let agents = match found.turned.len() {
            0 => format!("{GOOD}none{RESET}"),
            count => format!("{BAD}{} decided differently{RESET}", plural(count, "agent")),
        };
        rows.push((if found.is_edited { "changed" } else { "differences" }, agents));
        let asked = |it: (&String, &BTreeSet<_>)| format!("{}, asked by {}", it.0, plural(it.1.len(), "agent"));
        let asked: Vec<String> = found.new_leaves.iter().map(asked).collect();
        rows.extend((!asked.is_empty()).then(|| ("no answers", format!("{BAD}{}{RESET}", asked.join("; ")))));
    }
    if !found.is_edited || found.diverged > 0 {
        rows.push(("divergences", strayed));
    }
    let mut text = format!("{STRONG}{}{RESET}\n", shown(&args.file));
    for (name, value) in rows {
        text.push_str(&format!("  {FAINT}{name:14}{RESET}{value}\n"));
    }
    // Values between those that the recorded trees read are not tried.
    if let Some(note) = note_of_keys(replay).filter(|_| found.is_edited) {
        text.push_str(&format!("{FAINT}{note}{RESET}"));
    }
    text
}

/// Where agents first decided differently, or else where they diverged: those wanted, and how many
/// others there are.
pub(super) fn first(found: &Found, is_wanted: impl Fn(Option<u32>) -> bool) -> String {
    let (lines, count, what): (Vec<String>, usize, &str) = if found.turned.is_empty() {
        let own = found.strayed.iter().filter(|it| is_wanted(it.agent));
        (own.take(TOLD).map(line).collect(), found.strayed.len(), "diverged")
    } else {
        let own = found.turned.iter().filter(|it| is_wanted(Some(it.agent)));
        (own.take(TOLD).map(ToString::to_string).collect(), found.turned.len(), "decided differently")
    };
    let mut text: String = lines.iter().map(|it| format!("{BAD}{it}{RESET}\n")).collect();
    let others = count - lines.len();
    if others > 0 {
        let other = if lines.is_empty() { "" } else { "other " };
        let agents = if others == 1 { "agent" } else { "agents" };
        text.push_str(&format!("{FAINT}{} {other}{agents} {what}{RESET}\n", grouped(others as u64)));
    }
    text
}

/// Where an agent diverged first.
pub(super) fn line(it: &Strayed) -> String {
    let agent = it.agent.map_or_else(|| "an agent".to_owned(), |it| format!("agent {it}"));
    let Strayed { frame, time, recorded, runs, .. } = it;
    let runs = if runs.is_empty() { String::new() } else { format!("; now it runs {}", runs.join(", ")) };
    format!("diverged at frame {frame}, {time:.3} s, {agent}: when this was recorded, {recorded}{runs}")
}
