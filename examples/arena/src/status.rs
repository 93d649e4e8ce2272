//! The status: the crowd, the pace, and the cost of a frame.

use pleach_arena::{DAY, NIGHT};

use crate::pace::Pace;

/// What is measured, as a mean of the last frames, in milliseconds per frame. A frame may hold
/// several steps of the world, which share its budget, or none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measures {
    /// The whole frame.
    pub frame: f64,
    /// Looking around, in all steps of the frame.
    pub perceive: f64,
    /// Thinking, in all steps of the frame.
    pub think: f64,
    /// The rest of the world, in all steps of the frame.
    pub world: f64,
    /// Drawing.
    pub draw: f64,
    /// How many agents were ticked, per step.
    pub ticked: f64,
    /// How many agents were asleep, per step.
    pub asleep: f64,
    /// How many aborts there were, per step.
    pub aborts: f64,
    /// How many steps the frame had.
    pub steps: f64,
    /// Every n-th agent looks around in a step.
    pub shares: f64,
    /// The part of the steps that used up the budget.
    pub held: f64,
    /// How many seconds have passed in the world.
    pub passed: f64,
}

impl Measures {
    /// Moves the means a little towards the values of this frame. The first steps are their own
    /// means, and a pause does not slow the measured world.
    pub fn blend(&mut self, new: &Measures, paused: bool) {
        let first = self.ticked + self.asleep <= 0.0 && new.steps > 0.0;
        let move_by = |part: f64| move |old: &mut f64, new: f64| *old += (new - *old) * part;
        let (blend, begin) = (move_by(0.08), move_by(if first { 1.0 } else { 0.08 }));
        blend(&mut self.frame, new.frame);
        blend(&mut self.draw, new.draw);
        if !paused {
            begin(&mut self.passed, new.passed);
            begin(&mut self.steps, new.steps);
        }
        if new.steps > 0.0 {
            begin(&mut self.perceive, new.perceive);
            begin(&mut self.think, new.think);
            begin(&mut self.world, new.world);
            begin(&mut self.ticked, new.ticked);
            begin(&mut self.asleep, new.asleep);
            begin(&mut self.aborts, new.aborts);
            begin(&mut self.shares, new.shares);
            begin(&mut self.held, new.held);
        }
    }
}

/// The mood of a line of the status, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// The first line.
    Title,
    /// Plain text.
    Plain,
    /// Less important text.
    Faint,
    /// Everything is in time.
    Good,
    /// Something is late.
    Bad,
}

/// What the status shows, beside the world.
#[derive(Debug)]
pub struct Status<'a> {
    /// What is measured.
    pub measures: &'a Measures,
    /// How fast the world goes.
    pub pace: &'a Pace,
    /// The budget of the agents in milliseconds per frame, if there is one.
    pub budget: Option<f64>,
}

/// How many lines the status has.
pub const LINES: usize = 14;

impl Status<'_> {
    /// The lines, for `agents` agents in a world that is `world_time` seconds old.
    #[must_use]
    pub fn lines(&self, agents: u64, world_time: f64) -> [(Mood, String); LINES] {
        let Measures { frame, perceive, think, world, draw, ticked, asleep, aborts, steps, shares, held, passed } =
            *self.measures;
        let hour = world_time % (DAY + NIGHT);
        let (part, left) = if hour < DAY { ("day", DAY - hour) } else { ("night", DAY + NIGHT - hour) };
        let (speed, paused) = (self.pace.speed(), self.pace.paused);
        // The world's real speed, which may be below the requested one.
        let real = passed * 1e3 / frame.max(0.1);
        let pace = match paused {
            true => "paused".to_owned(),
            false if real < speed * 0.85 => format!("x{speed} (reaching x{real:.2})"),
            false => format!("x{speed}"),
        };
        // In a pause no agent thinks.
        let (steps, perceive, think, world) =
            if paused { (0.0, 0.0, 0.0, 0.0) } else { (steps, perceive, think, world) };
        // The rest of the frame: the graphics card, and the wait for the screen.
        let show = (frame - perceive - think - world - draw).max(0.0);
        // The budget is per frame; its steps share it.
        let each = |all: f64| all / steps.max(1.0);
        // Which part of the agents that are awake had its turn.
        let awake = (agents as f64 - asleep).max(1.0);
        let (turns, wait) = (ticked / awake, (awake - ticked).max(0.0));
        let late = self.budget.is_some() && (held > 0.3 || turns < 0.9 && !paused);
        let turns = match self.budget {
            None => "no budget: B sets one".to_owned(),
            Some(_) if turns < 0.5 && late => {
                format!("turns: 1 in {:.0}, {wait:.0} wait", (1.0 / turns.max(0.001)).ceil())
            }
            Some(_) if turns < 0.99 && !paused => format!("turns: {:.0} %, {wait:.0} wait", turns * 100.0),
            Some(_) => "all had their turn".to_owned(),
        };
        let budget = self.budget.map_or_else(String::new, |it| format!(" of {:.1}", each(it)));
        let share = if shares > 1.4 { format!("  1 in {shares:.0}") } else { String::new() };
        [
            (Mood::Title, format!("{} agents", grouped(agents))),
            (Mood::Plain, format!("{part}, {left:.0} s left")),
            (Mood::Plain, format!("speed {pace}")),
            (Mood::Plain, format!("{:3.0} fps   {frame:.1} ms", 1000.0 / frame.max(0.1))),
            (Mood::Faint, format!("ms per step, {steps:.1} a frame:")),
            (Mood::Faint, format!(" look around {:5.1}{share}", each(perceive))),
            (if late { Mood::Bad } else { Mood::Good }, format!(" run trees   {:5.1}{budget}", each(think))),
            (Mood::Faint, format!(" move, fight {:5.1}", each(world))),
            (Mood::Faint, "ms per frame:".to_owned()),
            (Mood::Faint, format!(" draw        {draw:5.1}")),
            (Mood::Faint, format!(" graphics    {show:5.1}")),
            (Mood::Faint, format!("{ticked:.0} ran, {asleep:.0} asleep")),
            (Mood::Faint, format!("{aborts:.1} aborts per step")),
            (if late { Mood::Bad } else { Mood::Faint }, turns),
        ]
    }
}

/// A number with a comma before each three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let comma = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let chars = digits.chars().enumerate();
    chars.flat_map(|(at, it)| comma(at).then_some(',').into_iter().chain([it])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The narrowest status: 19 times the size of its text, less the margins, and the font's
    /// letters are 0.6 times as wide as high.
    const COLUMNS: usize = 28;

    fn said(measures: &Measures, budget: Option<f64>) -> String {
        let status = Status { measures, pace: &Pace::default(), budget };
        let lines = status.lines(125_000, 10.0).map(|it| it.1);
        assert!(lines.iter().all(|it| it.chars().count() <= COLUMNS), "{lines:#?}");
        lines.join("\n")
    }

    #[test]
    fn what_a_frame_costs_is_told_per_frame_with_its_steps_and_its_budget() {
        let busy = Measures {
            frame: 40.0,
            perceive: 3.0,
            think: 14.1,
            steps: 2.4,
            ticked: 82_000.0,
            asleep: 25_000.0,
            shares: 8.0,
            held: 1.0,
            ..Measures::default()
        };
        let text = said(&busy, Some(8.0));
        assert!(text.contains("\nms per step, 2.4 a frame:\n"), "{text}");
        assert!(text.contains("\n run trees     5.9 of 3.3\n") && text.contains("\nturns: 82 %, 18000 wait"), "{text}");
        let text = said(&busy, None);
        assert!(text.contains("\n run trees     5.9\n") && text.ends_with("no budget: B sets one"), "{text}");
        let idle =
            Measures { frame: 16.0, passed: 1.0 / 60.0, ticked: 100_000.0, asleep: 25_000.0, ..Measures::default() };
        assert!(said(&idle, Some(8.0)).ends_with("all had their turn"));
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn a_frame_without_a_step_changes_no_means_of_steps() {
        let mut means = Measures { think: 5.0, steps: 1.0, ticked: 9.0, ..Measures::default() };
        means.blend(&Measures { frame: 10.0, ..Measures::default() }, false);
        assert!((means.think - 5.0).abs() < 1e-9 && means.steps < 1.0, "{means:?}");
        means.blend(&Measures { think: 10.0, steps: 1.0, ..Measures::default() }, false);
        assert!(means.think > 5.0 && means.think < 6.0, "{means:?}");
    }

    #[test]
    fn neither_the_beginning_nor_a_pause_makes_the_world_look_late() {
        let mut means = Measures { frame: 80.0, ..Measures::default() };
        let steps = Measures { frame: 80.0, passed: 0.08, steps: 4.8, ticked: 125_000.0, ..Measures::default() };
        for _ in 0..99 {
            means.blend(&Measures { frame: 80.0, ..Measures::default() }, true);
        }
        means.blend(&steps, false);
        let early = said(&means, Some(8.0));
        assert!(early.contains("\nspeed x1\n") && early.ends_with("all had their turn"), "{early}");
        for _ in 0..99 {
            means.blend(&Measures { frame: 80.0, ..Measures::default() }, true);
        }
        assert_eq!(said(&means, Some(8.0)), early);
        // The parts of a frame add up, also if no step is in it.
        let mut pace = Pace::default();
        pace.paused = true;
        let still = Measures { think: 5.0, frame: 10.0, ..means };
        let lines = Status { measures: &still, pace: &pace, budget: Some(8.0) }.lines(125_000, 10.0).map(|it| it.1);
        assert_eq!(
            (&*lines[4], &*lines[6], &*lines[10]),
            ("ms per step, 0.0 a frame:", " run trees     0.0 of 8.0", " graphics     10.0")
        );
    }
}
