//! The options of the command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::sim::Scene;

/// The trees that come with the demo.
const TREES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees");
/// The most seconds that can be skipped: an hour.
const MOST_SKIPPED: f64 = 3_600.0;
/// The longest side of a window, in pixels.
const LONGEST_SIDE: u16 = 8_192;

/// The arena: a living world in which you can ask every agent why it does what it does.
#[derive(Clone, Debug, Parser, PartialEq)]
#[command(name = "arena")]
pub struct Options {
    /// Which world: an estate with a vault, or camps of guards
    #[arg(long, value_name = "SCENE", default_value = "heist")]
    pub scene: Scene,
    /// Number of agents in the heist, or of guards in the camps
    #[arg(long, allow_negative_numbers = true, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=200_000))]
    pub agents: u32,
    /// The seed of all random numbers
    #[arg(long, allow_negative_numbers = true, value_name = "N", default_value_t = 7)]
    pub seed: u64,
    /// The folder of the trees; default: the one of the repository
    #[arg(long, value_name = "FOLDER", default_value = TREES, hide_default_value = true)]
    pub trees: PathBuf,
    /// The size of the window, in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = size)]
    pub size: (u16, u16),
    /// Seconds that pass in the world before the first frame
    #[arg(long, allow_negative_numbers = true, value_name = "S", default_value_t = 0.0, value_parser = skipped)]
    pub skip: f64,
    /// Start paused
    #[arg(long)]
    pub paused: bool,
    /// End after this many seconds of world time
    #[arg(long, allow_negative_numbers = true, value_name = "S", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Count each frame as 1/60 s, however long it takes, so that the run is repeatable
    #[arg(long)]
    pub fixed: bool,
    /// Draw at most this many frames a second, to leave the processor to others
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub fps: Option<u32>,
    /// Let `pleach studio` watch and steer the agents
    #[arg(long, conflicts_with = "headless")]
    pub listen: bool,
    /// Print the state of the heist four times a second, for scripts that play it
    #[arg(long)]
    pub tell: bool,
    /// Run without a window, as fast as possible, and print what a step costs
    #[arg(long)]
    pub headless: bool,
    /// Do not limit the time that agents take
    #[arg(long)]
    pub no_budget: bool,
}

impl ValueEnum for Scene {
    fn value_variants<'a>() -> &'a [Self] {
        &[Scene::Heist, Scene::Camps]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let name = match self {
            Scene::Heist => "heist",
            Scene::Camps => "camps",
        };
        Some(name.into())
    }
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let side = |it: &str| it.parse().ok().filter(|it| (1..=LONGEST_SIDE).contains(it));
    let sides = text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?)));
    sides.ok_or_else(|| format!("that is not a size such as 1280x720, of at most {LONGEST_SIDE} pixels a side"))
}

fn skipped(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|it| (0.0..=MOST_SKIPPED).contains(it));
    seconds.ok_or_else(|| format!("that is not a number from 0 to {MOST_SKIPPED}"))
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|it: &f64| it.is_finite() && *it > 0.0);
    seconds.ok_or_else(|| "that is not a number above 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &str) -> Result<Options, clap::Error> {
        Options::try_parse_from(["arena"].into_iter().chain(args.split_whitespace()))
    }

    #[test]
    fn options_are_read() {
        let it = read("").unwrap();
        assert_eq!((it.agents, it.seed, it.size, it.skip, it.seconds), (2_000, 7, (1280, 720), 0.0, None));
        assert!(it.trees.join("guard.ron").is_file() && !(it.fixed || it.paused || it.headless || it.no_budget));
        let it =
            read("--agents 50 --seed=9 --size 1920x1080 --seconds 2.5 --fixed --skip 3 --paused --trees here").unwrap();
        assert_eq!((it.agents, it.seed, it.size, it.seconds), (50, 9, (1920, 1080), Some(2.5)));
        assert!(it.fixed && it.paused && it.skip == 3.0 && it.trees == std::path::Path::new("here"));
        assert_eq!((it.scene, read("--scene camps").unwrap().scene), (Scene::Heist, Scene::Camps));
        let it = read("--headless --no-budget --fps 15").unwrap();
        assert!(it.headless && it.no_budget && it.fps == Some(15) && read("").unwrap().fps.is_none());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for args in [
            "--agents",
            "--agents 0",
            "--agents 9999999",
            "--agents many",
            "--paused=no",
            "--seed -1",
            "--seconds 0",
            "--seconds nan",
            "--skip -1",
            "--fps 0",
            "--fps -1",
            "--size 12",
            "--size 0x5",
            "--size 99999x5",
            "--colour",
            "--scene moon",
            "guard.ron",
        ] {
            let said = read(args).unwrap_err();
            let first = args.split(['=', ' ']).next().unwrap_or_default();
            assert!(said.exit_code() == 2 && said.to_string().contains(first), "{args}: {said}");
        }
    }
}
