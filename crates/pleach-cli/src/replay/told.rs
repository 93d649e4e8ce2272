//! What `replay` prints for people.

use pleach::AgentId;
use pleach::record::Replay;
use pleach::tools::text::plain;

use super::found::{Found, Strayed, TOLD};
use super::{lost, node};
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
        return out.say(format_args!("{}", strayed(&found.strayed.iter().collect::<Vec<_>>(), found)));
    };
    let agent = replay.forest().agent(agent).map_err(lost)?;
    let mut parts = Vec::new();
    if !args.trace && !args.explain && args.why.is_none() && args.svg.is_none() {
        let (view, at) = (agent.inspect(), (replay.frame(), replay.forest().time()));
        let heading = painted(&watch::heading(&view, number as usize, at));
        let drawing = watch::drawing(&view, |key| Replay::records(&view.tree, key));
        let note = if view.keys.is_empty() { "" } else { "Keys hold what expressions last read.\n" };
        parts.push(format!("{heading}\n{drawing}{FAINT}{note}{RESET}"));
    }
    if args.explain {
        let mut explanation = agent.explain();
        explanation.label = Some(crate::agents::by_number(number as usize));
        parts.push(format!("{explanation}\n"));
    }
    if let Some(name) = &args.why {
        let node = node(agent.tree(), name).map_err(|it| Failure::Usage(format!("--why: {it}")))?;
        parts.extend(agent.why_not(node).map(|it| format!("{it}\n")));
    }
    let own: Vec<&Strayed> = found.strayed.iter().filter(|it| it.agent == Some(number as usize)).collect();
    parts.extend((!found.strayed.is_empty()).then(|| strayed(&own, found)));
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
    let (size, each) = (bytes(found.size as f64), replay.bytes() as f64 / found.agent_seconds);
    // Those of the frames that were not played are not known by agent.
    let each = match replay.played() == replay.len() && found.agent_seconds > 0.0 {
        true => format!(", {} bytes per agent and second", short(each)),
        false => String::new(),
    };
    let strayed = match found.looked {
        0 => format!("{GOOD}none{RESET}"),
        count => format!("{BAD}{} of {}{RESET}", grouped(of_all(count)), plural(found.agents.len(), "agent")),
    };
    let mut rows = vec![
        ("frames", format!("{frames}, {:.3} s to {:.3} s", found.began, replay.forest().time())),
        ("trees", if trees.is_empty() { "none".into() } else { trees.join(", ") }),
        ("agents", agents),
        ("size", format!("{size}{each}")),
    ];
    rows.extend(args.with.as_ref().map(|it| ("replayed with", shown(it))));
    rows.push(("divergences", strayed));
    let mut text = format!("{STRONG}{}{RESET}\n", shown(&args.file));
    for (name, value) in rows {
        text.push_str(&format!("  {FAINT}{name:14}{RESET}{value}\n"));
    }
    text
}

/// Where the first agents diverged, and how many others did.
fn strayed(shown: &[&Strayed], found: &Found) -> String {
    let mut text = String::new();
    for it in shown.iter().take(TOLD) {
        text.push_str(&format!("{BAD}{}{RESET}\n", line(it)));
    }
    let others = found.agents.len() - shown.len().min(TOLD);
    if others > 0 {
        let other = if shown.is_empty() { "" } else { "other " };
        let agents = if others == 1 { "agent" } else { "agents" };
        text.push_str(&format!("{FAINT}{} {other}{agents} diverged{RESET}\n", grouped(others as u64)));
    }
    text
}

/// Where an agent diverged first.
pub(super) fn line(it: &Strayed) -> String {
    let agent = it.agent.map_or_else(|| "an agent".to_owned(), |it| format!("agent {it}"));
    let node = it.node.as_ref().map(|it| format!(", {it}")).unwrap_or_default();
    let Strayed { frame, time, recorded, .. } = it;
    format!("diverged at frame {frame}, {time:.3} s, {agent}{node}: {recorded}, but the replay did not come to it")
}
