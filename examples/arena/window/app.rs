//! The program in the window: frame after frame.

mod draw;
mod keys;
mod mouse;

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use macroquad::window::{next_frame, request_new_screen_size, screen_dpi_scale, screen_height, screen_width};
use pleach_arena::{ActorId, Point};
use pleach_example_arena::camera::Camera;
use pleach_example_arena::guide::Learned;
use pleach_example_arena::layout::{Layout, Needs};
use pleach_example_arena::measure::{LOOK, THINK};
use pleach_example_arena::options::Options;
use pleach_example_arena::pace::{Pace, STEP};
use pleach_example_arena::sim::{Limits, Scene, Sim};
use pleach_example_arena::status::{LINES, Measures};
use pleach_example_arena::studio::Studio;
use pleach_example_arena::tell;

use crate::actors::Counts;
use crate::text::Pen;
use crate::{help, story, track};

/// How many microseconds several steps of a frame may take: beyond that the world slows down, and
/// the picture does not.
const STEPS: u64 = 24_000;
/// How often the files of the trees are checked, in seconds.
const FILES: f64 = 0.5;
/// Where recordings are written.
pub(crate) const RECORDINGS: &str = "";
/// How long a hint is shown, in seconds.
const HINT: f64 = 5.0;

/// What the left mouse button holds.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Nothing,
    /// It is down there, and has not moved yet.
    Click([f32; 2]),
    Map,
    Timeline,
}

/// The target of the camera.
#[derive(Clone, Copy, PartialEq)]
enum Follows {
    Nobody,
    User,
    /// The chosen agent.
    Agent,
}

struct App {
    sim: Sim,
    options: Options,
    pen: Pen,
    camera: Camera,
    layout: Layout,
    pace: Pace,
    measures: Measures,
    counts: Counts,
    held: Held,
    mouse: [f32; 2],
    below: Option<ActorId>,
    follows: Follows,
    /// Where the user is going, after a click.
    goes: Option<Point>,
    learned: Learned,
    help: bool,
    /// Whether the status and the legend are shown.
    costs: bool,
    cones: bool,
    budget: bool,
    full: bool,
    /// Whether the panel shows the whole tree, even if it is too long.
    whole: bool,
    /// The first line of the panel; `None` for one that brings the running node into view.
    scroll: Option<usize>,
    most_scroll: usize,
    panel_height: f32,
    scrubbed: Option<f64>,
    hint: (String, bool, f64),
    looked: f64,
    told: f64,
    crowd_at: f64,
    /// The new world that the next press of the same key begins, and until when.
    asked: Option<((u32, char), f64)>,
    /// How many microseconds a step takes.
    took: u64,
    began: Instant,
    studio: Option<Studio>,
    /// Until when Esc quits: it was pressed before.
    leaves_until: f64,
    quit: bool,
}

/// Runs until the user quits, or the time is up.
///
/// # Errors
/// A step was refused, in words.
pub(crate) async fn run(mut sim: Sim, options: Options) -> Result<(), String> {
    // Not before: without a window there is no last minute to write.
    sim.save_on_panic(RECORDINGS.into());
    let ended = end_signal().map_err(|it| format!("cannot listen for SIGTERM: {it}"))?;
    // On X11 the window library takes the size in dots of the screen, which is too small where they
    // are dense.
    if cfg!(target_os = "linux") && screen_dpi_scale() != 1.0 {
        let (width, height) = options.size;
        request_new_screen_size(width.into(), height.into());
    }
    let mut app = App::new(sim, options);
    let mut last = Instant::now();
    let shortest = app.options.fps.map_or(Duration::ZERO, |it| Duration::from_secs(1) / it);
    let end = app.options.seconds.map(|it| it + app.sim.world().time() - app.options.skip);
    while !app.quit && !ended.load(Ordering::Relaxed) {
        let now = Instant::now();
        let seconds = now.duration_since(last).as_secs_f64();
        last = now;
        app.read_input(seconds);
        let mut new = Measures { frame: seconds * 1e3, ..Measures::default() };
        app.step(seconds, &mut new)?;
        let drawing = Instant::now();
        app.draw();
        new.draw = drawing.elapsed().as_secs_f64() * 1e3;
        app.tell();
        app.measures.blend(&new, app.pace.paused);
        if end.is_some_and(|it| app.sim.world().time() >= it) {
            break;
        }
        std::thread::sleep(shortest.saturating_sub(now.elapsed()));
        next_frame().await;
    }
    Ok(())
}

/// Becomes true with the first SIGTERM, so that the program ends as usual, and with it the studio
/// that it has opened. The second one ends it at once.
fn end_signal() -> std::io::Result<Arc<AtomicBool>> {
    let ended = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGTERM, flag};
        flag::register_conditional_shutdown(SIGTERM, 128 + SIGTERM, Arc::clone(&ended))?;
        flag::register(SIGTERM, Arc::clone(&ended))?;
    }
    Ok(ended)
}

impl App {
    fn new(sim: Sim, options: Options) -> Self {
        // A heist shows most of the estate.
        let scale = if options.scene == Scene::Heist { f32::from(options.size.0) / 66.0 } else { 13.0 };
        let camera = Camera::over(sim.user_at(), scale.clamp(9.0, 32.0));
        let mut pace = Pace::default();
        (pace.fixed, pace.paused) = (options.fixed, options.paused);
        let mut app = App {
            sim,
            pen: Pen::new(),
            camera,
            layout: Layout::default(),
            pace,
            measures: Measures { frame: 16.0, ..Measures::default() },
            counts: Vec::new(),
            held: Held::Nothing,
            mouse: [0.0; 2],
            below: None,
            follows: Follows::User,
            goes: None,
            learned: Learned::default(),
            help: false,
            costs: options.scene == Scene::Camps,
            cones: true,
            budget: !options.no_budget,
            full: false,
            whole: false,
            scroll: Some(0),
            most_scroll: 0,
            panel_height: 0.0,
            scrubbed: None,
            hint: ("Click an agent, or press 1 to 4, to see why it does what it does. F1: help".into(), false, 0.0),
            looked: 0.0,
            told: 0.0,
            crowd_at: 0.0,
            asked: None,
            took: 1_000,
            began: Instant::now(),
            studio: None,
            leaves_until: -1.0,
            quit: false,
            options,
        };
        app.camera.centre = app.user_view();
        app
    }

    /// Seconds since the window opened.
    fn clock(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn say(&mut self, text: impl Into<String>, bad: bool) {
        self.hint = (text.into(), bad, self.clock());
    }

    fn step(&mut self, seconds: f64, new: &mut Measures) -> Result<(), String> {
        if self.clock() - self.looked >= FILES {
            self.looked = self.clock();
            if let Some(news) = self.sim.look() {
                (self.scroll, self.scrubbed) = (Some(0), None);
                // What the report says is not repeated.
                if news.reloaded || !news.broken {
                    self.say(news.said, news.broken);
                }
            }
        }
        let asked = self.pace.steps(seconds);
        let began = self.began;
        let mut clock = || u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        // As many as fit, at the cost of the last ones.
        let room = if self.pace.fixed { u64::MAX } else { (STEPS / self.took.max(1)).max(1) };
        let steps = u64::from(asked).min(room);
        if steps < u64::from(asked) {
            self.pace.forgive();
        }
        let each = |micros: u64| (self.budget && !self.pace.fixed).then(|| micros / steps.max(1));
        let (look, think) = (each(LOOK), each(THINK));
        for _ in 0..steps {
            let Some(dt) = self.sim.pace(STEP) else { break };
            self.act();
            let mut limits = Limits { look, think, clock: &mut clock };
            let report = self.sim.step(dt, &mut limits).map_err(|it| it.to_string())?;
            self.took = (self.took + report.perceive + report.think + report.world) / 2;
            new.perceive += report.perceive as f64 / 1e3;
            new.think += report.think as f64 / 1e3;
            new.world += report.world as f64 / 1e3;
            new.ticked += report.tick.ticked as f64;
            new.asleep += report.tick.asleep as f64;
            new.aborts += report.tick.aborts as f64;
            new.shares += report.shares as f64;
            new.held += f64::from(u8::from(report.held));
        }
        self.sim.pump();
        // The time line forgets.
        let since = self.sim.timeline().map(|it| it.first().max(it.since()));
        self.scrubbed = self.scrubbed.filter(|at| since.is_some_and(|since| *at >= since - 0.5));
        new.steps = steps as f64;
        for it in [&mut new.ticked, &mut new.asleep, &mut new.aborts, &mut new.shares, &mut new.held] {
            *it /= new.steps.max(1.0);
        }
        new.passed = new.steps * f64::from(STEP);
        Ok(())
    }

    /// Writes the state of the heist, if requested.
    fn tell(&mut self) {
        if self.options.tell && self.clock() - self.told >= 0.25 {
            self.told = self.clock();
            let line = tell::line(&self.sim, &self.camera).unwrap_or_default();
            // No one reads any more if the terminal is gone.
            let _ = writeln!(std::io::stdout(), "{line}");
        }
    }

    /// The centre if the camera follows the user: in a heist the estate is in view, too.
    fn user_view(&self) -> Point {
        /// How far from the middle of the estate it still is, in metres.
        const NEAR: f32 = 48.0;
        let at = self.sim.user_at();
        let Some([low, high]) = self.sim.world().heist().map(|it| it.plan().corners) else { return at };
        let middle = [f32::midpoint(low[0], high[0]), f32::midpoint(low[1], high[1])];
        let away = (at[0] - middle[0]).hypot(at[1] - middle[1]);
        let part = 0.4 * (2.0 - 2.0 * away / NEAR).clamp(0.0, 1.0);
        [0, 1].map(|axis| at[axis] + (middle[axis] - at[axis]) * part)
    }

    fn read_input(&mut self, seconds: f64) {
        self.camera.screen = [screen_width().max(1.0), screen_height().max(1.0)];
        let needs = Needs {
            status: if self.costs { LINES } else { 0 },
            legend: if self.costs { self.counts.len() + 3 } else { 0 },
            help: help::lines(self.sim.scene()),
            timeline: track::ROWS,
            agent: self.sim.chosen().is_some(),
            objective: if self.sim.scene() == Scene::Heist { story::LINES } else { 0 },
        };
        self.layout = Layout::of(self.camera.screen[0], self.camera.screen[1], needs);
        self.read_keys();
        self.read_mouse();
        let followed = match self.follows {
            Follows::Nobody => None,
            Follows::User => Some(self.user_view()),
            Follows::Agent => self.sim.chosen_actor().and_then(|it| self.sim.world().position(it)),
        };
        if let Some([x, y]) = followed {
            // The middle of the area without panels.
            let Layout { status, panel, timeline, .. } = self.layout;
            let right = if panel.is_empty() { 0.0 } else { (panel.w - status.w) / 2.0 / self.camera.scale };
            let down = if timeline.is_empty() { 0.0 } else { timeline.h / 2.0 / self.camera.scale };
            #[expect(clippy::cast_possible_truncation, reason = "a short time")]
            self.camera.follow([x + right, y + down], seconds as f32);
        }
        self.camera.keep_on(self.sim.world().map().side());
    }
}
