//! The host of the tests: a few leaves of every sort.
#![allow(dead_code, reason = "each test program uses a part, and leaves are read but do nothing")]

use std::fs;
use std::path::PathBuf;

use pleach_asset::{FloatExpr, Library, ParamError, Registry};
use pleach_core::nodes::action_of;
use pleach_core::{Action, Condition, Context, Host, Key, Status, Symbol};
use serde::Deserialize;

pub(crate) struct Game;

impl Host for Game {
    type Cx<'a> = ();
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(crate) enum Gait {
    Walk,
    Run { factor: f32 },
    Jump(f32, f32),
}

/// Keys and values.
#[derive(Deserialize)]
pub(crate) struct MoveTo {
    pub(crate) target: Key<[f32; 3]>,
    #[serde(default)]
    pub(crate) speed: f32,
    #[serde(default)]
    pub(crate) gait: Option<Gait>,
}

/// All sorts of values.
#[derive(Debug, Default, Clone, PartialEq, Deserialize)]
pub(crate) struct Everything {
    pub(crate) flag: bool,
    pub(crate) small: u8,
    pub(crate) large: u64,
    pub(crate) signed: i64,
    pub(crate) float: f64,
    pub(crate) letter: char,
    pub(crate) text: String,
    pub(crate) list: Vec<f32>,
    pub(crate) triple: [f32; 3],
    pub(crate) maybe: Option<u32>,
    pub(crate) map: std::collections::BTreeMap<String, i32>,
    pub(crate) inner: Inner,
}

#[derive(Debug, Default, Clone, PartialEq, Deserialize)]
pub(crate) struct Inner {
    pub(crate) a: (i32, String),
    #[serde(default)]
    pub(crate) b: Option<Box<Inner>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Flee {
    pub(crate) speed: FloatExpr,
}

/// A newtype: its value stands in the parentheses.
#[derive(Deserialize)]
pub(crate) struct Say(pub(crate) String);

#[derive(Deserialize)]
pub(crate) struct Near {
    pub(crate) target: Key<[f32; 3]>,
    pub(crate) range: f32,
}

#[derive(Deserialize)]
pub(crate) struct InMode {
    pub(crate) mode: Key<Symbol>,
}

#[derive(Deserialize)]
pub(crate) struct Between {
    pub(crate) min: f32,
    pub(crate) max: f32,
}

macro_rules! running {
    ($($name:ty: $trait:ident),*) => {$(
        impl $trait<Game> for $name {
            type State = ();
            fn update(&self, (): &mut (), _: &mut Context<'_, '_, Game>) -> Status {
                Status::Running
            }
        }
    )*};
}

running!(MoveTo: Action, Flee: Action, Everything: Action, Say: Action, Near: Condition, InMode: Condition);

pub(crate) fn registry() -> Registry<Game> {
    let mut registry = Registry::new();
    let filled = || -> Result<(), pleach_asset::RegistryError> {
        registry
            .action::<MoveTo>("MoveTo")?
            .action::<Everything>("Everything")?
            .action::<Flee>("Flee")?
            .action::<Say>("Say")?
            .condition::<Near>("Near")?
            .condition::<InMode>("InMode")?
            .action_fn("Patrol", |_| Status::Running)?
            .condition_fn("Tired", |_| true)?
            .leaf("Between", |it: Between| {
                if it.min > it.max {
                    return Err(ParamError::new("`max` is below `min`").at("max").help("swap them"));
                }
                Ok(action_of(Say(String::new())))
            })?;
        Ok(())
    }();
    filled.expect("good names");
    registry
}

/// Compares with a file of the crate, or rewrites it if `PLEACH_BLESS` is set. Read what it
/// rewrites.
pub(crate) fn compare(path: &str, text: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("PLEACH_BLESS").is_some() {
        std::fs::write(&path, text).expect("the file can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{path} differs; if what comes now is right, set PLEACH_BLESS=1.\n--- expected\n{expected}\n--- found\n{text}"
    );
}

/// A directory that is removed again.
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pleach-library-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory for files");
        Place(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("in it")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    pub(crate) fn library(&self) -> Library {
        Library::open(&self.0).expect("it is a directory")
    }

    /// The report about `main.ron`, without the name of the directory.
    pub(crate) fn problems(&self) -> String {
        let report = self.library().load("main.ron", &registry()).expect_err("it is wrong").plain();
        report.replace(&format!("{}/", self.0.display()), "")
    }

    pub(crate) fn everything(&self) -> String {
        self.library().check_all(&registry()).plain().replace(&format!("{}/", self.0.display()), "")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// SplitMix64: enough for choosing by a seed.
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).expect("below a usize")
    }
}
