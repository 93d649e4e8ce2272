//! `pleach replay`: plays a recording without its game, and shows what its agents did and why.

mod btlog;
#[cfg(feature = "studio")]
mod edits;
mod found;
#[cfg(feature = "studio")]
mod growing;
mod into;
mod json;
mod recorded;
mod report;
mod search;
mod told;
mod trees;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use pleach::inspect::{AgentView, Explanation, WhyNot};
use pleach::record::{Divergence, Replay};
use pleach::trace::{Recorder, TraceEvent};
use pleach::{AgentId, Host, NodeId, Registry, Tree};
use pleach_draw::Drawing;
use pleach_studio_core::model::Place;
use pleach_studio_core::{Session, running};

use crate::args::{Format, ReplayArgs};
use crate::failure::{Failure, say};
use crate::leaves;
use crate::out::Out;
use crate::output;
use crate::paths::{is_stdin, same_file, shown};
use crate::progress::bar;
use crate::sought;
use crate::stage::{Loaded, Stage};
use crate::trace::{TraceLines, head};
#[cfg(feature = "studio")]
pub(crate) use edits::Edits;
use found::{Found, Strayed};
#[cfg(feature = "studio")]
pub(crate) use growing::Growing;

/// Times of frames are sums of steps, which are not exact.
const NEAR: f64 = 1e-6;

/// # Errors
/// The recording is damaged, or an answer in it did not fit, which has then been printed.
pub(crate) fn replay<H: Host>(own: &Registry<H>, game: &str, args: &ReplayArgs) -> Result<(), Failure> {
    refuse(args)?;
    sought::refuse(args.ended, args.by.as_deref())?;
    let bytes = crate::files::read_bytes(&args.file)?;
    let given = args.leaves.as_deref().map(|it| leaves::registry(it, [])).transpose()?;
    let makers = trees::Open {
        bytes: &bytes,
        own,
        given: given.as_ref(),
        game,
        file: &args.file,
        with: args.with.as_deref(),
        leaves: args.leaves.as_deref(),
        wants_places: args.report.is_some(),
        in_studio: false,
    };
    let trees::Opened { mut replay, mut then, loaded, places } = makers.open()?;
    if let Some(file) = &args.report {
        let session = session(&args.file, bytes, loaded, places)?;
        return report::report(session, file, args, &mut Out::new());
    }
    if let Some(other) = &args.against {
        let bytes = crate::files::read_bytes(other)?;
        let makers = trees::Open { bytes: &bytes, file: other, ..makers };
        then = Some(makers.open()?.replay);
    }
    let wrong = wrong_nodes(&replay, args);
    if !wrong.is_empty() {
        return Err(Failure::Usage(wrong.join("\n  ")));
    }
    let mut out = Out::new();
    if searches(args) {
        return search::search(&mut replay, args, &mut out);
    }
    if let Some(file) = &args.into {
        return into::into(&mut replay, &loaded, file, args);
    }
    if let Some(file) = &args.btlog {
        return btlog::btlog(&mut replay, file, args, &mut out);
    }
    let (found, damage) = play(&mut replay, then.as_mut(), args, bytes.len(), &mut out)?;
    if let Some(other) = args.against.as_ref().filter(|_| found.compared == 0) {
        let message = format!("`{}` has no frame that `{}` has", shown(other), shown(&args.file));
        return Err(Failure::Failed(message));
    }
    let ends = replay.forest().time();
    let mut wrong = Vec::new();
    if let Some(from) = args.from.filter(|it| *it > ends + NEAR && damage.is_none()) {
        wrong.push(format!("--from {from}: the recording ends at {ends:.3} s"));
    }
    let agent = match args.agent.map(|it| (it, replay.agent(it))) {
        None => None,
        // Damage within a frame leaves numbers without agents.
        Some((number, Some(Some(agent)))) if damage.is_none() || replay.forest().contains(agent) => {
            Some((number, agent))
        }
        Some((number, found)) if damage.is_none() => {
            wrong.push(gone(number, found, &replay));
            None
        }
        Some(_) => None,
    };
    if !wrong.is_empty() {
        return Err(Failure::Usage(wrong.join("\n  ")));
    }
    match args.format {
        Format::Text => told::tell(&replay, agent, &found, args, &mut out)?,
        Format::Json => out.say(format_args!("{:#}\n", json::json(&replay, agent, &found, args)?))?,
    }
    if let (Some(file), Some((_, agent))) = (&args.svg, agent) {
        let view = replay.inspect(agent).map_err(lost)?;
        output::write(file, Drawing::of_agent(&view).svg())?;
    }
    let other = args.against.as_deref().and_then(|it| Some((it, found.other_damage.clone()?)));
    match damage.map(|it| (&*args.file, it)).or(other) {
        Some((file, damage)) => Err(Failure::Failed(format!("`{}`: {damage}", shown(file)))),
        None if found.is_as_recorded() => Ok(()),
        None => Err(Failure::Problems),
    }
}

/// The recording with its trees, for questions.
fn session(file: &Path, bytes: Vec<u8>, loaded: Vec<Loaded>, places: Vec<Vec<Place>>) -> Result<Session, Failure> {
    let title = file.file_name().map_or_else(|| shown(file), |it| it.to_string_lossy().into_owned());
    let title = if is_stdin(file) { shown(file) } else { title };
    let trees = loaded.into_iter().map(|it| it.tree).collect();
    Session::open(title, bytes, trees, places).map_err(|it| Failure::Failed(format!("`{}`: {it}", shown(file))))
}

/// Opens a recording for questions: see [`Session`].
///
/// # Errors
/// It cannot be read or opened.
#[cfg(feature = "studio")]
pub(crate) fn opened<H: Host>(
    own: &Registry<H>,
    game: &str,
    file: &Path,
    leaves: Option<&Path>,
) -> Result<Session, Failure> {
    if is_stdin(file) && leaves.is_some_and(is_stdin) {
        return Err(Failure::Usage("standard input can only be read once: name a file for the leaves".into()));
    }
    let bytes = crate::files::read_bytes(file)?;
    let given = leaves.map(|it| leaves::registry(it, [])).transpose()?;
    let given = given.as_ref();
    let makers =
        trees::Open { bytes: &bytes, own, given, game, file, with: None, leaves, wants_places: true, in_studio: true };
    let trees::Opened { loaded, places, .. } = makers.open()?;
    session(file, bytes, loaded, places)
}

fn searches(args: &ReplayArgs) -> bool {
    args.find.is_some() || args.event.is_some() || args.condition.is_some()
}

/// # Errors
/// Options that do not go together, or a file that must not be written.
fn refuse(args: &ReplayArgs) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    if let (Some(from), Some(to)) = (args.from, args.to)
        && from > to
    {
        wrong.push(format!("--from {from} is after --to {to}"));
    }
    let writes = [&args.into, &args.report, &args.btlog].into_iter().any(Option::is_some);
    if args.from.is_some() && !args.trace && !writes && !searches(args) {
        wrong.push("--from needs --trace, --into, --report, --btlog, --find, --event or --where".into());
    }
    let outputs = [("svg", &args.svg, "svg"), ("report", &args.report, "html"), ("btlog", &args.btlog, "btlog")];
    for (option, file, extension) in outputs.into_iter().filter_map(|it| Some((it.0, it.1.as_ref()?, it.2))) {
        if let Err(it) = output::refuse_trees(file, None, extension) {
            wrong.push(it.to_string());
        } else if same_file(file, &args.file) {
            wrong.push(format!("`{}` is the recording itself: give --{option} another file", shown(file)));
        }
    }
    let inputs = [Some(&args.file), args.with.as_ref(), args.against.as_ref(), args.leaves.as_ref()];
    if inputs.into_iter().flatten().filter(|it| is_stdin(it)).count() > 1 {
        wrong.push("standard input can only be read once: name files for the other inputs".into());
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Usage(wrong.join("\n  "))) }
}

/// Why the node of `--why` is in no tree of the recording.
fn wrong_nodes(replay: &Replay<Stage>, args: &ReplayArgs) -> Vec<String> {
    let Some(name) = &args.why else { return Vec::new() };
    let mut wrong: Vec<String> = Vec::new();
    for tree in replay.trees() {
        match node(tree, name) {
            Ok(_) => return Vec::new(),
            Err(why) if !wrong.contains(&why) => wrong.push(why),
            Err(_) => {}
        }
    }
    wrong.into_iter().map(|it| format!("--why: {it}")).collect()
}

/// The single node that a text means.
fn node(tree: &Tree<Stage>, text: &str) -> Result<NodeId, String> {
    crate::stage::node(tree, &crate::stage::paths(tree), text)
}

/// The error for an agent that does not exist where the replay stops.
fn gone(number: u32, found: Option<Option<AgentId>>, replay: &Replay<Stage>) -> String {
    let (count, time) = (replay.agents().len(), replay.forest().time());
    let (first, last) = (replay.agents().next(), replay.agents().last());
    match (found, first.zip(last)) {
        (Some(_), _) => format!("agent {number} has left before {time:.3} s: stop earlier with --to"),
        (None, None) => format!("agent {number} does not exist: the recording has no agents up to {time:.3} s"),
        (None, Some((first, _))) if count == 1 => {
            format!("agent {number} does not exist: the only agent up to {time:.3} s is agent {}", first.0)
        }
        (None, Some((first, last))) => format!(
            "agent {number} does not exist: the {count} agents up to {time:.3} s have the numbers {} to {}",
            first.0, last.0
        ),
    }
}

/// Plays up to the stop, printing the trace. Returns what was found, and what is damaged.
fn play(
    replay: &mut Replay<Stage>,
    mut then: Option<&mut Replay<Stage>>,
    args: &ReplayArgs,
    size: usize,
    out: &mut Out,
) -> Result<(Found, Option<String>), Failure> {
    let mut found = Found::new(size, args.with.is_some() && then.is_some());
    let mut trace = args.trace.then(|| Trace::new(args));
    let bar = bar(replay.len());
    let mut put = |text: String, found: &mut Found| match args.format {
        Format::Text => bar.suspend(|| out.say(format_args!("{text}"))),
        Format::Json => {
            found.trace.extend(text.lines().map(|it| anstream::adapter::strip_str(it).to_string()));
            Ok(())
        }
    };
    let mut is_stopped = false;
    let mut damage = None;
    while !is_stopped {
        let mut recorder = trace.as_ref().and_then(|it| it.recorder(replay));
        match replay.step_traced(&mut (), &mut recorder) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                damage = Some(error.to_string());
                break;
            }
        }
        found.note(replay);
        if let Some(then) = &mut then {
            // Where the other one is damaged or has ended, there is nothing to compare.
            let is_there = if args.against.is_some() {
                // It may begin or end elsewhere.
                while then.frame() < replay.frame() && found.step_other(then) {}
                then.frame() == replay.frame()
            } else {
                found.step_other(then)
            };
            if is_there {
                found.compare(then, replay);
            }
        }
        if let (Some(trace), Some(mut recorder)) = (&mut trace, recorder) {
            put(trace.text(replay, &mut recorder)?, &mut found)?;
        }
        bar.set_position(replay.played());
        let time = replay.forest().time();
        is_stopped = args.to.is_some_and(|it| time >= it - NEAR) || args.frame.is_some_and(|it| replay.frame() >= it);
    }
    if let Some(mut trace) = trace {
        let mut rest = Vec::new();
        trace.lines.end(&mut rest)?;
        put(String::from_utf8_lossy(&rest).into_owned(), &mut found)?;
    }
    bar.finish_and_clear();
    if let Some(then) = then.filter(|_| args.against.is_some()) {
        found.other_diverged = then.divergences().iter().map(|it| it.agent).collect::<BTreeSet<_>>().len();
    }
    if damage.is_none() && !is_stopped {
        damage = cut_off(replay);
    }
    Ok((found, damage))
}

/// That frames are missing at the end of what was played.
fn cut_off(replay: &Replay<Stage>) -> Option<String> {
    let (played, all) = (replay.played(), replay.len());
    (played < all).then(|| format!("the recording ends after {played} of {all} frames"))
}

/// The trace of an agent.
struct Trace {
    number: u32,
    from: f64,
    lines: TraceLines,
    has_head: bool,
}

impl Trace {
    fn new(args: &ReplayArgs) -> Self {
        Trace {
            number: args.agent.unwrap_or_default(),
            from: args.from.unwrap_or_default(),
            lines: TraceLines::default(),
            has_head: false,
        }
    }

    /// Records the next frame. Before the agent is spawned, its id is unknown.
    fn recorder(&self, replay: &Replay<Stage>) -> Option<Recorder> {
        match replay.agent(self.number) {
            Some(Some(agent)) => Some(Recorder::of([agent])),
            Some(None) => None,
            None => Some(Recorder::all()),
        }
    }

    /// The lines of a frame.
    fn text(&mut self, replay: &Replay<Stage>, recorder: &mut Recorder) -> io::Result<String> {
        let time = replay.forest().time();
        let agent = replay.agent(self.number).flatten();
        let Some((id, agent)) = agent.and_then(|it| Some((it, replay.forest().agent(it).ok()?))) else {
            return Ok(String::new());
        };
        if time < self.from - NEAR {
            return Ok(String::new());
        }
        // A replay evaluates every watched condition in each tick, unlike the game.
        let is_shown =
            |it: &TraceEvent| !matches!(it, TraceEvent::Tick | TraceEvent::TickEnd | TraceEvent::Recheck(..));
        let entries = recorder.take().into_iter().filter(|it| it.agent == id);
        let events = entries.map(|it| it.event).filter(is_shown).collect();
        let mut text = Vec::new();
        if !std::mem::replace(&mut self.has_head, true) {
            writeln!(text, "{}", head(agent.tree(), &crate::agents::heading(agent.label(), self.number as usize)))?;
        }
        self.lines.frame(&mut text, agent.tree(), (replay.frame(), time), events)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// An input that did not fit, with the name of its node.
fn strayed(replay: &Replay<Stage>, it: &Divergence) -> Strayed {
    let agent = replay.forest().agent(it.agent).ok();
    let number = replay.agents().find(|known| known.1 == Some(it.agent)).map(|it| it.0);
    let named = |node: NodeId| agent.as_ref().and_then(|it| it.tree().node(node)).map(|it| it.to_string());
    let node = it.node.map(|node| named(node).unwrap_or_else(|| node.to_string()));
    let runs = if agent.is_some() { running(replay, it.agent) } else { Vec::new() };
    Strayed { frame: it.frame, time: replay.forest().time(), agent: number, node, recorded: it.recorded.clone(), runs }
}

/// What the values of keys are worth, if they are not those of the frame.
fn note_of_keys(replay: &Replay<Stage>) -> Option<String> {
    match replay.keys_every() {
        0 => Some("Keys hold what expressions last read.\n".into()),
        1 => None,
        frames => Some(format!("Keys of the agent hold what they held at most {frames} frames before.\n")),
    }
}

/// Why an agent does what it does.
fn explanation(view: &AgentView<Stage>, number: u32) -> Explanation {
    let mut explanation = view.explain();
    explanation.label = Some(crate::agents::heading(view.label.as_deref(), number as usize));
    explanation
}

/// Why an agent does not run the node of this name.
fn why_not(view: &AgentView<Stage>, name: &str) -> Result<Option<WhyNot>, Failure> {
    let node = node(&view.tree, name).map_err(|it| Failure::Usage(format!("--why: {it}")))?;
    Ok(view.why_not(node))
}

/// # Errors
/// Agents diverged in what was played. The first of them are printed.
fn refuse_diverged(found: &Found) -> Result<(), Failure> {
    if found.strayed.is_empty() {
        return Ok(());
    }
    say(told::first(found, |_| true).trim_end());
    Err(Failure::Problems)
}

fn lost(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(error.to_string())
}
