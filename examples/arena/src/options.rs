//! What is asked on the command line.

use std::path::PathBuf;

/// What the program prints for `--help`.
pub const USAGE: &str = "\
The arena: a living world in which every agent can be asked why it does what it does.

Usage: arena [options]

  --agents <n>      how many guards there are at first [2000]
  --seed <n>        the seed of all chance [7]
  --trees <folder>  where the trees are [the repository's]
  --size <w>x<h>    the size of the window, in pixels [1280x720]
  --skip <n>        let so many seconds pass in the world before the first frame
  --paused          begin with a pause
  --seconds <n>     end after so many seconds of the world
  --fixed           each frame counts as 1/60 s, however long it takes: a run that can be repeated
  --headless        no window: let the world run as fast as it goes, and print what a step costs
  --no-budget       the agents take as long as they need
  --help            this";

/// The options.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How many guards there are at first.
    pub agents: u32,
    /// The seed of all chance.
    pub seed: u64,
    /// Where the trees are.
    pub trees: PathBuf,
    /// The size of the window, in pixels.
    pub size: (u16, u16),
    /// How many seconds pass in the world before the first frame.
    pub skip: f64,
    /// Whether it begins with a pause.
    pub paused: bool,
    /// When to end, in seconds of the world.
    pub seconds: Option<f64>,
    /// Whether every frame is one step.
    pub fixed: bool,
    /// Whether there is no window: what a step costs is printed.
    pub headless: bool,
    /// Whether the agents take as long as they need.
    pub no_budget: bool,
    /// Whether only the usage is wanted.
    pub help: bool,
}

impl Default for Options {
    fn default() -> Self {
        let trees = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../trees"));
        Options {
            agents: 2_000,
            seed: 7,
            trees,
            size: (1280, 720),
            skip: 0.0,
            paused: false,
            seconds: None,
            fixed: false,
            headless: false,
            no_budget: false,
            help: false,
        }
    }
}

impl Options {
    /// Reads the arguments behind the name of the program.
    ///
    /// # Errors
    /// What is wrong with them, in a sentence.
    pub fn read(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let (name, given) = match arg.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (arg, None),
            };
            if let (Some(value), "--help" | "-h" | "--paused" | "--fixed" | "--headless" | "--no-budget") =
                (&given, &*name)
            {
                return Err(format!("`{name}={value}`: that option has no value"));
            }
            let mut value = |what: &str| {
                given.clone().or_else(|| args.next()).ok_or_else(|| format!("`{name}` needs {what} behind it"))
            };
            match &*name {
                "--help" | "-h" => options.help = true,
                "--paused" => options.paused = true,
                "--fixed" => options.fixed = true,
                "--headless" => options.headless = true,
                "--no-budget" => options.no_budget = true,
                "--agents" => {
                    let it = value("a number")?;
                    let agents = it.parse().ok().filter(|it| (1..=200_000).contains(it));
                    options.agents = agents.ok_or_else(|| wrong(&name, &it, "a number from 1 to 200000"))?;
                }
                "--seed" => {
                    let it = value("a number")?;
                    options.seed = it.parse().map_err(|_| wrong(&name, &it, "a number that is not negative"))?;
                }
                "--seconds" => {
                    let it = value("a number")?;
                    let seconds = it.parse().ok().filter(|it: &f64| it.is_finite() && *it > 0.0);
                    options.seconds = Some(seconds.ok_or_else(|| wrong(&name, &it, "a number above 0"))?);
                }
                "--skip" => {
                    let it = value("a number")?;
                    let seconds = it.parse().ok().filter(|it| (0.0..=3_600.0).contains(it));
                    options.skip = seconds.ok_or_else(|| wrong(&name, &it, "a number from 0 to 3600"))?;
                }
                "--trees" => options.trees = value("a folder")?.into(),
                "--size" => {
                    let it = value("a size")?;
                    let sides = it.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
                    let sides = sides.filter(|(w, h)| (1..=8_192).contains(w) && (1..=8_192).contains(h));
                    options.size = sides.ok_or_else(|| wrong(&name, &it, "a size such as 1280x720"))?;
                }
                _ => return Err(format!("there is no option `{name}`; `--help` lists them")),
            }
        }
        Ok(options)
    }
}

fn wrong(name: &str, value: &str, wanted: &str) -> String {
    format!("`{name} {value}`: that is not {wanted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &str) -> Result<Options, String> {
        Options::read(args.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read() {
        assert_eq!(read(""), Ok(Options::default()));
        let it =
            read("--agents 50 --seed=9 --size 1920x1080 --seconds 2.5 --fixed --skip 3 --paused --trees here").unwrap();
        assert_eq!((it.agents, it.seed, it.size, it.seconds), (50, 9, (1920, 1080), Some(2.5)));
        assert!(it.fixed && it.paused && it.skip == 3.0 && it.trees == std::path::Path::new("here"));
        assert!(read("-h").unwrap().help);
        let it = read("--headless --no-budget").unwrap();
        assert!(it.headless && it.no_budget);
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
            "--size 12",
            "--size 0x5",
            "--size 99999x5",
            "--colour",
            "guard.ron",
        ] {
            let said = read(args).unwrap_err();
            assert!(said.contains('`') && said.len() < 120, "{args}: {said}");
        }
    }
}
