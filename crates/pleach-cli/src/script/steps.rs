//! The steps of a script.

use std::time::Duration;

use pleach::Status;
use pleach::limits::MAX_DT;
use pleach::tools::text::plain;

use crate::stage::When;
use crate::words::grouped;

/// The default length of a tick, in seconds.
const TICK: f32 = 0.1;
/// The most ticks of one script: 11 days at the default tick, which take a few seconds.
const MOST_TICKS: u32 = 10_000_000;

/// A step of a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step<'a> {
    /// Ticks: the seconds of each, and how many.
    Tick(f32, u32),
    /// A key gets a value.
    Set(&'a str, &'a str),
    /// The value of a key is printed, or those of all keys.
    Get(Option<&'a str>),
    /// An event is sent, with its payload.
    Send(&'a str, Option<&'a str>),
    /// A slot is filled.
    Fill(&'a str, &'a str),
    /// What a leaf of the game, or one node that calls it, answers from now on.
    Answer(&'a str, Answer),
    /// The agent is paused.
    Pause,
    /// It is resumed.
    Unpause,
    /// It restarts.
    Restart,
    /// Draws the tree with what runs in it.
    Show,
    /// Says why the agent does what it does.
    Explain,
    /// Says why a node does not run.
    Why(&'a str),
    /// Something must hold now.
    Expect(Expected<'a>),
    /// Whether ticks are printed.
    Trace(bool),
}

/// What must hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expected<'a> {
    /// A node runs, or does not.
    Running(&'a str),
    NotRunning(&'a str),
    /// An expression is true.
    Expr(&'a str),
}

/// What a leaf answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: Status,
    /// Whether that is an answer of conditions alone.
    pub(crate) of_condition: bool,
    pub(crate) when: When,
}

/// A step with its text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Written<'a> {
    /// Its place in the script, from 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    pub(crate) step: Step<'a>,
}

/// What is wrong with a step.
#[derive(Debug, PartialEq)]
pub(crate) struct Wrong {
    number: usize,
    text: String,
    why: String,
}

impl Wrong {
    pub(crate) fn new(number: usize, text: &str, why: String) -> Self {
        Wrong { number, text: plain(text).into(), why }
    }

    /// All of them, in the order of the script, as one message.
    pub(crate) fn told(mut all: Vec<Wrong>) -> String {
        all.sort_by_key(|it| it.number);
        match &all[..] {
            [Wrong { number, text, why }] => format!("step {number} of the script, `{text}`: {why}"),
            _ => {
                let lines = all.iter().map(|it| format!("\n  step {}, `{}`: {}", it.number, it.text, it.why));
                format!("{} steps of the script are wrong, so none was played:{}", all.len(), lines.collect::<String>())
            }
        }
    }
}

/// The steps of a script, and what is wrong with the others.
pub(crate) fn parse(script: &str) -> (Vec<Written<'_>>, Vec<Wrong>) {
    let (mut steps, mut wrong) = (Vec::new(), Vec::new());
    let mut ticks = 0_u32;
    for (at, text) in split(script).into_iter().enumerate() {
        let number = at + 1;
        match step(text) {
            Ok(step) => {
                let before = ticks;
                if let Step::Tick(_, times) = step {
                    ticks = ticks.saturating_add(times);
                }
                if before <= MOST_TICKS && ticks > MOST_TICKS {
                    let why = format!("a script plays at most {} ticks: use longer ticks", grouped(MOST_TICKS.into()));
                    wrong.push(Wrong::new(number, text, why));
                }
                steps.push(Written { number, text, step });
            }
            Err(why) => wrong.push(Wrong::new(number, text, why)),
        }
    }
    if steps.is_empty() && wrong.is_empty() {
        wrong.push(Wrong::new(1, script.trim(), "the script has no steps: try \"tick; show\"".into()));
    }
    (steps, wrong)
}

/// The texts between `;` and line breaks, without comments, which go from `//` to the end of the
/// line. Between double quotes, all of these belong to a name.
fn split(script: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(found) = script[at..].find([';', '\n', '"', '/']) {
        let mark = at + found;
        at = mark + 1;
        if script[mark..].starts_with('/') {
            if script[mark..].starts_with("//") {
                parts.push(&script[from..mark]);
                at = script[mark..].find('\n').map_or(script.len(), |it| mark + it + 1);
                from = at;
            }
        } else if script[mark..].starts_with('"') {
            // A quote without a second one in its line is an ordinary character.
            let close = script[at..].find(['"', '\n']).filter(|it| script[at + it..].starts_with('"'));
            at = close.map_or(at, |it| at + it + 1);
        } else {
            parts.push(&script[from..mark]);
            from = at;
        }
    }
    parts.push(&script[from..]);
    parts.into_iter().map(str::trim).filter(|it| !it.is_empty()).collect()
}

/// The first word, and what follows it. A word may be in double quotes, and then contain spaces.
fn first(text: &str) -> (&str, &str) {
    if let Some((word, rest)) = text.strip_prefix('"').and_then(|it| it.split_once('"'))
        && (rest.is_empty() || rest.starts_with(char::is_whitespace))
    {
        return (word, rest.trim_start());
    }
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim_start())
}

fn step(text: &str) -> Result<Step<'_>, String> {
    let (word, rest) = first(text);
    let (name, value) = first(rest);
    let alone = |step| if rest.is_empty() { Ok(step) } else { Err(format!("write nothing after `{word}`")) };
    let write = |how: &str| Err(format!("write {how}"));
    match word {
        "tick" => tick(name, value),
        "get" if rest.is_empty() => Ok(Step::Get(None)),
        "get" if value.is_empty() => Ok(Step::Get(Some(name))),
        "get" => write("`get KEY`, or `get` for all keys"),
        "set" if !value.is_empty() => Ok(Step::Set(name, value)),
        "set" => write("`set KEY VALUE`"),
        "send" if !name.is_empty() => Ok(Step::Send(name, Some(value).filter(|it| !it.is_empty()))),
        "send" => write("`send EVENT` or `send EVENT VALUE`"),
        "fill" if !value.is_empty() => Ok(Step::Fill(name, value)),
        "fill" => write("`fill SLOT TREE`, or `fill SLOT empty`"),
        "answer" => {
            let (rest, when) = when(rest)?;
            let named = rest.rsplit_once(char::is_whitespace).map(|(name, answer)| (name.trim_end(), answer));
            match named.and_then(|(name, answer)| Some(Step::Answer(name, self::answer(answer, when)?))) {
                Some(step) => Ok(step),
                None => write(
                    "`answer LEAF success`, `failure`, `running`, `success after 2`, or for a condition `true` or `false`",
                ),
            }
        }
        "expect" => Ok(Step::Expect(match rest.strip_prefix("not running ").map(str::trim) {
            Some(node) => Expected::NotRunning(node),
            None => match (name, value) {
                ("", _) => return write("`expect running NODE`, `expect not running NODE`, or an expression"),
                ("running", node) if !node.is_empty() => Expected::Running(node),
                _ => Expected::Expr(rest),
            },
        })),
        "why" if !rest.is_empty() => Ok(Step::Why(rest)),
        "why" => write("`why NODE`"),
        "pause" => alone(Step::Pause),
        "unpause" => alone(Step::Unpause),
        "restart" => alone(Step::Restart),
        "show" => alone(Step::Show),
        "explain" => alone(Step::Explain),
        "quiet" => alone(Step::Trace(false)),
        "trace" => alone(Step::Trace(true)),
        _ => Err(unknown(word)),
    }
}

/// The words with which steps begin.
const WORDS: [&str; 14] = [
    "tick", "expect", "set", "get", "send", "fill", "answer", "show", "explain", "why", "quiet", "trace", "pause",
    "unpause",
];

fn unknown(word: &str) -> String {
    let meant = pleach::tools::names::nearest(word, WORDS.into_iter().chain(["restart"]));
    match meant {
        Some(it) => format!("unknown step, did you mean `{it}`?"),
        None => format!("unknown step: write {} or restart, with `;` between two steps", WORDS.join(", ")),
    }
}

fn tick<'a>(dt: &str, times: &str) -> Result<Step<'a>, String> {
    if dt.is_empty() {
        return Ok(Step::Tick(TICK, 1));
    }
    let usage = || "write `tick`, `tick 0.5` or `tick 0.5 x 4`, in seconds".to_owned();
    let dt: f32 = dt.parse().map_err(|_| usage())?;
    if !(0.0..=MAX_DT).contains(&dt) {
        return Err(format!("a tick takes 0 to {} seconds", grouped(Duration::from_secs_f32(MAX_DT).as_secs())));
    }
    let times = match times.strip_prefix('x').map(str::trim_start) {
        _ if times.is_empty() => 1,
        None => return Err(usage()),
        Some(it) if !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()) => it.parse().unwrap_or(u32::MAX),
        Some(_) => return Err(usage()),
    };
    Ok(Step::Tick(dt, times))
}

/// Takes `after 2`, in seconds, off the end.
fn when(text: &str) -> Result<(&str, When), String> {
    let Some((before, seconds)) = text.rsplit_once(" after ") else { return Ok((text, When::AtOnce)) };
    let is_good = |it: &f64| it.is_finite() && *it >= 0.0;
    match seconds.trim().parse::<f64>().ok().filter(is_good) {
        Some(seconds) => Ok((before.trim_end(), When::Seconds(seconds))),
        // It may be a part of a name.
        None if answer(seconds.rsplit(' ').next().unwrap_or_default(), When::AtOnce).is_some() => {
            Ok((text, When::AtOnce))
        }
        None => Err(format!("`{}` is not a number of seconds, 0 or more: write `success after 2`", plain(seconds))),
    }
}

fn answer(word: &str, when: When) -> Option<Answer> {
    let (status, of_condition) = match word {
        "success" => (Status::Success, false),
        "failure" => (Status::Failure, false),
        "running" => (Status::Running, false),
        "true" => (Status::Success, true),
        "false" => (Status::Failure, true),
        _ => return None,
    };
    // A condition, or a leaf that runs on, answers at once.
    let is_late = when != When::AtOnce && (of_condition || status == Status::Running);
    (!is_late).then_some(Answer { status, of_condition, when })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(script: &str) -> Vec<Step<'_>> {
        let (steps, wrong) = parse(script);
        assert_eq!(wrong, []);
        steps.into_iter().map(|it| it.step).collect()
    }

    fn wrong(script: &str) -> String {
        Wrong::told(parse(script).1)
    }

    #[test]
    fn steps_are_read() {
        let see = Answer { status: Status::Success, of_condition: true, when: When::AtOnce };
        assert_eq!(
            steps("tick;tick 0.5; tick 0.5 x 4;set at (3, 4) ;send howl; why in the barn;answer See true\nquiet;get"),
            [
                Step::Tick(0.1, 1),
                Step::Tick(0.5, 1),
                Step::Tick(0.5, 4),
                Step::Set("at", "(3, 4)"),
                Step::Send("howl", None),
                Step::Why("in the barn"),
                Step::Answer("See", see),
                Step::Trace(false),
                Step::Get(None),
            ]
        );
    }

    #[test]
    fn names_may_have_spaces_and_stand_between_quotes() {
        let see = Answer { status: Status::Success, of_condition: true, when: When::AtOnce };
        assert_eq!(
            steps("answer look around true; why \"a; b\"; send \"big noise\" 3; get \"a b\"; why 5\" wide; tick"),
            [
                Step::Answer("look around", see),
                Step::Why("\"a; b\""),
                Step::Send("big noise", Some("3")),
                Step::Get(Some("a b")),
                Step::Why("5\" wide"),
                Step::Tick(0.1, 1),
            ]
        );
    }

    #[test]
    fn comments_and_expectations_are_read() {
        let late = Answer { status: Status::Success, of_condition: false, when: When::Seconds(2.5) };
        assert_eq!(
            steps(
                "// a; b\ntick // 5\nexpect running go home;expect not running \"a // b\"; expect a / b > 1; answer Dig success after 2.5 // x"
            ),
            [
                Step::Tick(0.1, 1),
                Step::Expect(Expected::Running("go home")),
                Step::Expect(Expected::NotRunning("\"a // b\"")),
                Step::Expect(Expected::Expr("a / b > 1")),
                Step::Answer("Dig", late),
            ]
        );
        for bad in ["expect", "answer Dig success after -1", "answer Dig running after 2", "answer Dig success after x"]
        {
            assert_eq!(parse(bad).1.len(), 1, "{bad}");
        }
    }

    #[test]
    fn large_spans_and_counts_are_taken_up_to_a_limit() {
        assert_eq!(
            steps("tick 86400; tick 0.1 x 864000; tick 1000000"),
            [Step::Tick(86400.0, 1), Step::Tick(0.1, 864_000), Step::Tick(1e6, 1)]
        );
        assert!(wrong("tick 1000001").ends_with(": a tick takes 0 to 1,000,000 seconds"));
        for many in ["tick 1 x 10000001", "tick 1 x 99999999999999", "tick 1 x 9999999; tick; tick"] {
            let told = wrong(many);
            assert!(told.ends_with(": a script plays at most 10,000,000 ticks: use longer ticks"), "{told}");
        }
    }

    #[test]
    fn other_steps_are_refused() {
        for bad in [
            "tick -1",
            "tick soon",
            "tick 1 4",
            "tick 1 x",
            "tick NaN",
            "set a",
            "why",
            "show me",
            "jump",
            "get a b",
            ";",
        ] {
            assert_eq!(parse(bad).1.len(), 1, "{bad}");
        }
        assert_eq!(wrong("tick; set wolf"), "step 2 of the script, `set wolf`: write `set KEY VALUE`");
        assert_eq!(wrong("tikc"), "step 1 of the script, `tikc`: unknown step, did you mean `tick`?");
    }

    #[test]
    fn all_wrong_steps_are_told_at_once() {
        assert_eq!(
            wrong("tick; set wolf; tick; tick x"),
            "2 steps of the script are wrong, so none was played:\n  step 2, `set wolf`: write `set KEY VALUE`\n  step 4, \
             `tick x`: write `tick`, `tick 0.5` or `tick 0.5 x 4`, in seconds"
        );
    }
}
