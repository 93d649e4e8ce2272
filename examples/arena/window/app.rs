//! The program in the window: a frame after the other.

use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use macroquad::input::{
    KeyCode, MouseButton, get_char_pressed, is_key_down, is_key_pressed, is_mouse_button_down, is_mouse_button_pressed,
    is_mouse_button_released, mouse_position, mouse_wheel,
};
use macroquad::window::{clear_background, next_frame, screen_height, screen_width, set_fullscreen};
use pleach_arena::ActorId;
use pleach_example_arena::camera::Camera;
use pleach_example_arena::layout::{Layout, Needs};
use pleach_example_arena::measure::{LOOK, THINK};
use pleach_example_arena::options::Options;
use pleach_example_arena::pace::{Pace, STEP};
use pleach_example_arena::sim::{Limits, ROLES, Sim};
use pleach_example_arena::status::{LINES, Measures, Status};

use crate::actors::Counts;
use crate::palette::Light;
use crate::text::Pen;
use crate::{actors, ground, help, hud, inspect, palette, track};

/// How many microseconds the steps of a frame may take, if there are several: the world slows down
/// then, and the picture does not.
const STEPS: u64 = 24_000;
/// How often the files of the trees are looked at, in seconds.
const FILES: f64 = 0.5;
/// How many pixels the mouse has to move before a click is a drag.
const DRAG: f32 = 5.0;
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

/// What the camera follows.
#[derive(Clone, Copy, PartialEq)]
enum Follows {
    Nobody,
    User,
    /// The agent that is looked at.
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
    help: bool,
    cones: bool,
    budget: bool,
    full: bool,
    /// Whether the panel shows the whole tree, even if it is too long.
    whole: bool,
    scroll: usize,
    most_scroll: usize,
    panel_height: f32,
    scrubbed: Option<f64>,
    hint: (String, bool, f64),
    looked: f64,
    crowd_at: f64,
    /// How many microseconds a step takes.
    took: u64,
    began: Instant,
    quit: bool,
}

/// Runs until the user quits, or it is time.
///
/// # Errors
/// A step was refused, in words.
pub(crate) async fn run(sim: Sim, options: Options) -> Result<(), String> {
    let mut app = App::new(sim, options);
    let mut last = Instant::now();
    while !app.quit {
        let now = Instant::now();
        let seconds = now.duration_since(last).as_secs_f64();
        last = now;
        app.read_input(seconds);
        let mut new = Measures { frame: seconds * 1e3, ..Measures::default() };
        app.step(seconds, &mut new)?;
        let drawing = Instant::now();
        app.draw();
        new.draw = drawing.elapsed().as_secs_f64() * 1e3;
        app.measures.blend(&new, app.pace.paused);
        if app.options.seconds.is_some_and(|it| app.sim.world().time() >= it) {
            break;
        }
        next_frame().await;
    }
    Ok(())
}

impl App {
    fn new(sim: Sim, options: Options) -> Self {
        let camera = Camera::over(sim.user_at(), 13.0);
        let mut pace = Pace::default();
        (pace.fixed, pace.paused) = (options.fixed, options.paused);
        App {
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
            help: false,
            cones: true,
            budget: !options.no_budget,
            full: false,
            whole: false,
            scroll: 0,
            most_scroll: 0,
            panel_height: 0.0,
            scrubbed: None,
            hint: ("Click an agent, or press 1 to 4, to look into one. F1 or H: help".into(), false, 0.0),
            looked: 0.0,
            crowd_at: 0.0,
            took: 1_000,
            began: Instant::now(),
            quit: false,
            options,
        }
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
                (self.scroll, self.scrubbed) = (0, None);
                // What the report says is not said twice.
                if news.reloaded || !news.broken {
                    self.say(news.said, news.broken);
                }
            }
        }
        let asked = self.pace.steps(seconds);
        let began = self.began;
        let mut clock = || u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        // As many as there is time for, by what the last ones took.
        let room = if self.pace.fixed { u64::MAX } else { (STEPS / self.took.max(1)).max(1) };
        let steps = u64::from(asked).min(room);
        if steps < u64::from(asked) {
            self.pace.forgive();
        }
        let each = |micros: u64| (self.budget && !self.pace.fixed).then(|| micros / steps.max(1));
        let (look, think) = (each(LOOK), each(THINK));
        for _ in 0..steps {
            let Some(dt) = self.sim.pace(STEP) else { break };
            self.walk();
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

    fn walk(&mut self) {
        let down = |keys: [KeyCode; 2]| f32::from(u8::from(keys.into_iter().any(is_key_down)));
        let x = down([KeyCode::D, KeyCode::Right]) - down([KeyCode::A, KeyCode::Left]);
        let y = down([KeyCode::S, KeyCode::Down]) - down([KeyCode::W, KeyCode::Up]);
        if x != 0.0 || y != 0.0 {
            let runs = is_key_down(KeyCode::LeftShift) || is_key_down(KeyCode::RightShift);
            self.sim.walk([x, y], runs, STEP);
            self.follows = Follows::User;
        }
    }

    fn read_input(&mut self, seconds: f64) {
        self.camera.screen = [screen_width().max(1.0), screen_height().max(1.0)];
        let needs = Needs {
            status: LINES,
            legend: self.counts.len() + 3,
            help: help::LINES,
            timeline: track::ROWS,
            agent: self.sim.chosen().is_some(),
        };
        self.layout = Layout::of(self.camera.screen[0], self.camera.screen[1], needs);
        self.read_keys();
        self.read_mouse();
        let followed = match self.follows {
            Follows::Nobody => None,
            Follows::User => Some(self.sim.user_at()),
            Follows::Agent => self.sim.chosen_actor().and_then(|it| self.sim.world().position(it)),
        };
        if let Some([x, y]) = followed {
            // The middle of what no panel covers.
            let Layout { status, panel, timeline, .. } = self.layout;
            let right = if panel.is_empty() { 0.0 } else { (panel.w - status.w) / 2.0 / self.camera.scale };
            let down = if timeline.is_empty() { 0.0 } else { timeline.h / 2.0 / self.camera.scale };
            #[expect(clippy::cast_possible_truncation, reason = "a short time")]
            self.camera.follow([x + right, y + down], seconds as f32);
        }
        self.camera.keep_on(self.sim.world().map().side());
    }

    fn read_keys(&mut self) {
        while let Some(it) = get_char_pressed() {
            match it {
                '.' => self.pace.single(),
                '[' => self.pace.slower(),
                ']' => self.pace.faster(),
                '+' | '=' => self.other_crowd(true),
                '-' => self.other_crowd(false),
                _ => {}
            }
        }
        if is_key_pressed(KeyCode::Escape) {
            if self.help {
                self.help = false;
            } else if self.scrubbed.is_some() {
                self.scrubbed = None;
            } else if self.sim.chosen().is_some() {
                self.choose(None);
            } else {
                self.quit = true;
            }
        }
        if is_key_pressed(KeyCode::F1) || is_key_pressed(KeyCode::H) {
            self.help = !self.help;
        }
        if is_key_pressed(KeyCode::Space) {
            self.pace.paused = !self.pace.paused;
        }
        if is_key_pressed(KeyCode::C) {
            self.follows = Follows::User;
        }
        if is_key_pressed(KeyCode::F) && self.sim.chosen().is_some() {
            self.follows = Follows::Agent;
        }
        if is_key_pressed(KeyCode::V) {
            self.cones = !self.cones;
        }
        if is_key_pressed(KeyCode::B) {
            self.budget = !self.budget;
        }
        if is_key_pressed(KeyCode::R) {
            self.restart(self.sim.guards());
        }
        if is_key_pressed(KeyCode::T) {
            (self.whole, self.scroll) = (!self.whole, 0);
        }
        if is_key_pressed(KeyCode::P) {
            self.print();
        }
        if is_key_pressed(KeyCode::F9) {
            self.save();
        }
        if is_key_pressed(KeyCode::F11) {
            self.full = !self.full;
            set_fullscreen(self.full);
        }
        let keys = [KeyCode::Key1, KeyCode::Key2, KeyCode::Key3, KeyCode::Key4];
        let role = keys.into_iter().position(is_key_pressed);
        if let Some(role) = role.or(is_key_pressed(KeyCode::Tab).then_some(0)) {
            match self.sim.nearest(role, self.sim.user_at()) {
                None => self.say(format!("There is no {} near you", ROLES[role].name), false),
                near => {
                    self.choose(near);
                    self.follows = Follows::Agent;
                }
            }
        }
    }

    /// Writes what the panel shows to the terminal, from where it can be copied.
    fn print(&mut self) {
        let panel = self.sim.view().and_then(|view| self.sim.panel(&view, self.scrubbed));
        match panel {
            // A terminal that is gone is no reason to end.
            Some(panel) => match writeln!(std::io::stdout(), "{panel}") {
                Ok(()) => self.say("Written to the terminal", false),
                Err(why) => self.say(format!("Cannot write to the terminal: {why}"), true),
            },
            None => self.say("Look into an agent first: click it", false),
        }
    }

    /// Writes the last minute to a file.
    fn save(&mut self) {
        match self.sim.save(Path::new(RECORDINGS)) {
            Ok(file) => self.say(format!("The last minute is in {}: pleach replay {0}", file.display()), false),
            Err(why) => self.say(format!("Cannot write the last minute: {why}"), true),
        }
    }

    /// A key that is held down comes again and again, and a world takes a while.
    fn other_crowd(&mut self, larger: bool) {
        if self.clock() - self.crowd_at > 0.5 {
            let guards = self.sim.other_crowd(larger);
            if guards == self.sim.guards() {
                self.say("There is no other crowd", false);
            } else {
                self.restart(guards);
            }
            self.crowd_at = self.clock();
        }
    }

    fn restart(&mut self, guards: u32) {
        match self.sim.restart(guards) {
            Ok(()) => {
                self.camera.centre = self.sim.user_at();
                (self.follows, self.scrubbed, self.scroll) = (Follows::User, None, 0);
                self.say(format!("A new world with {guards} guards"), false);
            }
            Err(why) => self.say(why.to_string().lines().next().unwrap_or_default(), true),
        }
    }

    fn choose(&mut self, agent: Option<pleach::AgentId>) {
        // The hint says how to choose an agent.
        self.hint.2 = f64::NEG_INFINITY;
        if let Err(why) = self.sim.choose(agent) {
            self.say(format!("Its record begins now: {why}"), true);
        }
        (self.scroll, self.scrubbed) = (0, None);
    }

    fn read_mouse(&mut self) {
        let (x, y) = mouse_position();
        let (old, at) = (self.mouse, [x, y]);
        self.mouse = at;
        let mut layout = self.layout;
        layout.panel.h = layout.panel.h.min(self.panel_height);
        let covered = layout.covers(at) || self.help && self.layout.help.holds(at);
        let place = self.camera.to_world(at);
        let reach = (9.0 / self.camera.scale).max(0.8);
        self.below = if covered { None } else { self.sim.pick(place, reach) };
        let wheel = mouse_wheel().1;
        if wheel != 0.0 {
            if layout.panel.holds(at) {
                let by = 3;
                self.scroll = if wheel > 0.0 { self.scroll.saturating_sub(by) } else { self.scroll + by };
                self.scroll = self.scroll.min(self.most_scroll);
            } else {
                self.camera.zoom(1.15_f32.powf(wheel.clamp(-3.0, 3.0)), at);
            }
        }
        if is_mouse_button_pressed(MouseButton::Left) {
            self.held = if self.layout.timeline.holds(at) {
                Held::Timeline
            } else if covered {
                Held::Nothing
            } else {
                Held::Click(at)
            };
        }
        if is_mouse_button_down(MouseButton::Middle) {
            self.drag(old, at);
        }
        match self.held {
            Held::Click(from) if (at[0] - from[0]).hypot(at[1] - from[1]) > DRAG => {
                self.held = Held::Map;
                self.drag(from, at);
            }
            Held::Map => self.drag(old, at),
            Held::Timeline => self.scrubbed = track::time_at(&self.pen, &self.layout, &self.sim, x),
            Held::Nothing | Held::Click(_) => {}
        }
        if is_mouse_button_released(MouseButton::Left) {
            if let Held::Click(_) = self.held {
                self.click(place);
            }
            self.held = Held::Nothing;
        }
        if is_mouse_button_pressed(MouseButton::Right)
            && let Some(actor) = self.below
            && self.sim.hurt(actor)
        {
            let name = self.sim.name_of(actor).unwrap_or_default();
            self.say(format!("You hurt {name}"), false);
        }
    }

    fn drag(&mut self, from: [f32; 2], to: [f32; 2]) {
        self.camera.drag([to[0] - from[0], to[1] - from[1]]);
        self.follows = Follows::Nobody;
    }

    fn click(&mut self, place: [f32; 2]) {
        let agent = self.below.and_then(|it| self.sim.game().cast.agent_of(it));
        if agent.is_some() {
            self.choose(agent);
        } else if self.below.is_none() && self.sim.noise(place) {
            self.say("A noise: guards within 10 m look after it", false);
        }
    }

    fn draw(&mut self) {
        clear_background(palette::rgb(0x0B0E16));
        let (sim, camera, layout, pen) = (&self.sim, &self.camera, &self.layout, &self.pen);
        let world = sim.world();
        let light = Light::at(world.time());
        let walls = ground::walls(world, &camera.area());
        let seen = actors::seen(sim, camera);
        ground::floor(world, camera, &light);
        ground::routes(world, camera, &light, sim.chosen_actor());
        if self.cones {
            ground::cones(sim, camera, &light, &walls, &seen);
        }
        ground::carrots(world, camera);
        ground::draw_walls(&walls, camera, &light);
        self.counts = actors::draw(sim, camera, &light, &seen);
        ground::noises(world, camera);
        if let Some(at) = self.scrubbed {
            actors::ghost(sim, camera, at);
        }
        actors::marks(sim, camera, self.below);
        actors::speech(sim, camera, pen, layout.text);

        let budget = (self.budget && !self.pace.fixed).then_some(THINK as f64 / 1e3);
        hud::status(pen, layout, sim, &Status { measures: &self.measures, pace: &self.pace, budget });
        hud::legend(pen, layout, sim, &self.counts);
        if let Some(view) = sim.view() {
            if let Some(panel) = sim.panel(&view, self.scrubbed) {
                (self.most_scroll, self.panel_height) = inspect::draw(pen, layout, &panel, self.scroll, self.whole);
            }
            track::draw(pen, layout, sim, &view, self.scrubbed);
        }
        let (text, bad, since) = &self.hint;
        let color = if *bad { palette::BAD } else { palette::TEXT };
        if self.help {
            // The help says more.
        } else if self.clock() - since < HINT {
            hud::hint(pen, layout, text, color);
        } else if self.pace.paused {
            hud::hint(pen, layout, "paused: Space goes on, . is one step", palette::ACCENT);
        }
        hud::report(pen, layout, sim.trouble());
        if self.help {
            help::draw(pen, layout, camera.screen);
        }
    }
}
