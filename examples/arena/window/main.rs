//! The arena in a window: `cargo run --release -p pleach-example-arena --example arena`.

mod actors;
mod app;
mod estate;
mod figure;
mod ground;
mod help;
mod hud;
mod inspect;
mod palette;
mod standing;
mod story;
mod text;
mod track;
mod walls;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use clap::{CommandFactory, FromArgMatches};
use macroquad::miniquad::conf::{LinuxBackend, Platform};
use pleach_example_arena::display::{self, Display};
use pleach_example_arena::measure::{self, LOOK, Measured, THINK};
use pleach_example_arena::options::Options;
use pleach_example_arena::pace::STEP;
use pleach_example_arena::sim::{Limits, Scene, Sim};

/// Whether the window has opened: errors before that are the display's fault.
static OPEN: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let options = options();
    if options.headless {
        return match headless(&options) {
            Ok(measured) => {
                println!("{measured}");
                ExitCode::SUCCESS
            }
            Err(why) => fail(&why),
        };
    }
    let display = match display::find(|it| std::env::var_os(it)) {
        Ok(display) => display,
        Err(why) => return fail(&why),
    };
    let mut sim = match Sim::new(options.scene, options.trees.clone(), options.agents, options.seed) {
        Ok(sim) => sim,
        Err(why) => return fail(&why.to_string()),
    };
    if options.listen
        && let Err(why) = sim.listen()
    {
        return fail(&format!("cannot listen for the studio: {why}"));
    }
    if let Err(why) = skip(&mut sim, options.skip) {
        return fail(&why);
    }
    open(display, options, sim)
}

/// The options of the command line, whose help lists the keys of the window too.
fn options() -> Options {
    let of = |scene| help::keys(scene).map(|(key, what)| format!("  {key:<18}{what}\n")).collect::<String>();
    let keys = format!("In the heist:\n{}\nIn the camps:\n{}", of(Scene::Heist), of(Scene::Camps));
    let asked = Options::command().after_help(keys.trim_end().to_owned()).get_matches();
    Options::from_arg_matches(&asked).unwrap_or_else(|it| it.exit())
}

/// Steps the world without a window.
fn headless(options: &Options) -> Result<Measured, String> {
    let mut sim =
        Sim::new(options.scene, options.trees.clone(), options.agents, options.seed).map_err(|it| it.to_string())?;
    skip(&mut sim, options.skip)?;
    let began = Instant::now();
    let mut clock = || u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    let budget = |micros| (!options.no_budget && !options.fixed).then_some(micros);
    let mut limits = Limits { look: budget(LOOK), think: budget(THINK), clock: &mut clock };
    measure::run(&mut sim, options.seconds.unwrap_or(10.0), &mut limits).map_err(|it| it.to_string())
}

/// Lets time pass before the first frame.
fn skip(sim: &mut Sim, seconds: f64) -> Result<(), String> {
    let mut limits = Limits { look: None, think: None, clock: &mut || 0 };
    let until = sim.world().time() + seconds;
    while sim.world().time() < until {
        sim.step(STEP, &mut limits).map_err(|it| it.to_string())?;
    }
    Ok(())
}

fn fail(why: &str) -> ExitCode {
    eprintln!("arena: {why}");
    ExitCode::FAILURE
}

/// Opens the window and runs the program in it. The window library panics if it cannot; that is
/// caught here. Xlib or a driver ending the program by itself is not.
fn open(display: Display, options: Options, sim: Sim) -> ExitCode {
    let (width, height) = options.size;
    let conf = macroquad::miniquad::conf::Conf {
        window_title: "pleach: the arena".into(),
        window_width: width.into(),
        window_height: height.into(),
        high_dpi: true,
        sample_count: i32::from(display::samples(|it| std::env::var_os(it))),
        platform: Platform {
            linux_backend: match display {
                Display::Wayland => LinuxBackend::WaylandOnly,
                Display::X11 | Display::System => LinuxBackend::X11Only,
            },
            ..Platform::default()
        },
        ..Default::default()
    };
    let conf = macroquad::conf::Conf {
        miniquad_conf: conf,
        // Draws a crowd of a hundred thousand in as few calls as 16-bit indices allow.
        draw_call_vertex_capacity: 40_000,
        draw_call_index_capacity: 60_000,
        ..Default::default()
    };
    let (tell, told) = mpsc::channel();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if OPEN.load(Ordering::Relaxed) {
            usual(info);
        }
    }));
    let opened = catch_unwind(AssertUnwindSafe(|| {
        macroquad::Window::from_config(conf, async move {
            OPEN.store(true, Ordering::Relaxed);
            // No one listens any more if the window was closed.
            let _ = tell.send(app::run(sim, options).await);
        });
    }));
    match opened {
        Ok(()) => match told.try_recv() {
            Ok(Err(why)) => fail(&why),
            Ok(Ok(())) | Err(_) => ExitCode::SUCCESS,
        },
        Err(_) if OPEN.load(Ordering::Relaxed) => fail("it has panicked, as said above; this is a bug"),
        Err(why) => {
            let words = why.downcast_ref::<String>().cloned();
            let words = words.or_else(|| why.downcast_ref::<&str>().map(|it| (*it).to_owned()));
            let words = words.unwrap_or_else(|| "no reason was given".into());
            // The error that the window library unwraps.
            let words = words.strip_prefix("called `Result::unwrap()` on an `Err` value: ").unwrap_or(&words);
            fail(&format!(
                "cannot open a window: {words}. It needs a display and OpenGL (on Linux libX11, libXi, libxkbcommon \
                 and libGL)"
            ))
        }
    }
}
