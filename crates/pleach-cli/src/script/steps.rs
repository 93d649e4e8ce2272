//! What a script says, step by step.

use pleach::Status;

use crate::failure::Failure;

/// How long a tick is that does not say it, in seconds.
const TICK: f32 = 0.1;
/// The most ticks of one script.
const MOST_TICKS: u32 = 100_000;

/// A step of a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step<'a> {
    /// So many ticks of so many seconds.
    Tick(f32, u32),
    /// A key gets a value.
    Set(&'a str, &'a str),
    /// An event comes, with what comes with it.
    Send(&'a str, Option<&'a str>),
    /// A slot is filled.
    Fill(&'a str, &'a str),
    /// What a leaf of the game answers from now on.
    Answer(&'a str, Answer),
    /// The agent is paused.
    Pause,
    /// It goes on.
    Unpause,
    /// It begins anew.
    Restart,
    /// Draws the tree with what runs in it.
    Show,
    /// Says why the agent does what it does.
    Explain,
    /// Says why a node does not run.
    Why(&'a str),
    /// Whether ticks are printed.
    Trace(bool),
}

/// What a leaf answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: Status,
    /// Whether that is an answer of conditions alone.
    pub(crate) of_condition: bool,
}

/// # Errors
/// A step is none of these, or too much time would pass.
pub(crate) fn parse(script: &str) -> Result<Vec<Step<'_>>, Failure> {
    let mut steps = Vec::new();
    let mut ticks = 0_u32;
    for text in script.split([';', '\n']).map(str::trim).filter(|it| !it.is_empty()) {
        let step = step(text).ok_or_else(|| wrong(text))?;
        if let Step::Tick(_, times) = step {
            ticks = ticks.saturating_add(times);
        }
        steps.push(step);
    }
    if steps.is_empty() {
        return Err(Failure::Usage("the script has no steps: try \"tick; show\"".into()));
    }
    if ticks > MOST_TICKS {
        return Err(Failure::Usage(format!("the script has {ticks} ticks: {MOST_TICKS} are the most")));
    }
    Ok(steps)
}

/// The error that a step cannot be read.
fn wrong(text: &str) -> Failure {
    let (word, _) = first(text);
    let how = match word {
        "tick" => "`tick`, `tick 0.5` or `tick 0.5 x 4`, in seconds",
        "set" => "`set KEY VALUE`",
        "send" => "`send EVENT` or `send EVENT VALUE`",
        "fill" => "`fill SLOT TREE`",
        "answer" => "`answer LEAF success`, `failure`, `running`, or for a condition `true` or `false`",
        "why" => "`why NODE`",
        _ => {
            "tick, set, send, fill, answer, show, explain, why, quiet, trace, pause, unpause or restart, \
             and `;` between two steps"
        }
    };
    Failure::Usage(format!("the script: `{}` is no step: write {how}", pleach::text::plain(text)))
}

/// The first word, and what follows it.
fn first(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

fn step(text: &str) -> Option<Step<'_>> {
    let (word, rest) = first(text);
    let (name, value) = first(rest);
    Some(match (word, name, value) {
        ("tick", "", "") => Step::Tick(TICK, 1),
        ("tick", dt, times) => {
            let dt = dt.parse().ok().filter(|it| (0.0..=3600.0).contains(it))?;
            let times = match times {
                "" => 1,
                _ => times.strip_prefix('x')?.trim_start().parse().ok()?,
            };
            Step::Tick(dt, times)
        }
        ("why", ..) if !rest.is_empty() => Step::Why(rest),
        ("send", event, value) if !event.is_empty() => Step::Send(event, Some(value).filter(|it| !it.is_empty())),
        ("set", key, value) if !value.is_empty() => Step::Set(key, value),
        ("fill", slot, tree) if !tree.is_empty() => Step::Fill(slot, tree),
        ("answer", leaf, answer) => Step::Answer(leaf, self::answer(answer)?),
        ("pause", "", "") => Step::Pause,
        ("unpause", "", "") => Step::Unpause,
        ("restart", "", "") => Step::Restart,
        ("show", "", "") => Step::Show,
        ("explain", "", "") => Step::Explain,
        ("quiet", "", "") => Step::Trace(false),
        ("trace", "", "") => Step::Trace(true),
        _ => return None,
    })
}

fn answer(word: &str) -> Option<Answer> {
    let (status, of_condition) = match word {
        "success" => (Status::Success, false),
        "failure" => (Status::Failure, false),
        "running" => (Status::Running, false),
        "true" => (Status::Success, true),
        "false" => (Status::Failure, true),
        _ => return None,
    };
    Some(Answer { status, of_condition })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read() {
        let steps =
            parse("tick;tick 0.5; tick 0.5 x 4;set at (3, 4) ;send howl; why in the barn;answer See true\nquiet;");
        let see = Answer { status: Status::Success, of_condition: true };
        assert_eq!(
            steps.unwrap_or_default(),
            [
                Step::Tick(0.1, 1),
                Step::Tick(0.5, 1),
                Step::Tick(0.5, 4),
                Step::Set("at", "(3, 4)"),
                Step::Send("howl", None),
                Step::Why("in the barn"),
                Step::Answer("See", see),
                Step::Trace(false),
            ]
        );
    }

    #[test]
    fn other_steps_are_refused() {
        for bad in [
            "tick -1",
            "tick soon",
            "tick 1 4",
            "tick 0.1 x 200000",
            "tick NaN",
            "set a",
            "why",
            "show me",
            "jump",
            ";",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let said = parse("tick; set wolf").err().map(|it| it.to_string());
        assert_eq!(said.as_deref(), Some("the script: `set wolf` is no step: write `set KEY VALUE`"));
    }
}
