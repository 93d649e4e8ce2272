//! What was probably meant by an unknown name, or which names there are.

use std::fmt;

use crate::text::plain;

/// The longest name that is compared with others, in bytes. Comparing costs the product of the
/// lengths, and slips in longer names are easy to see.
const LONGEST: usize = 64;

/// What to do about an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Help {
    /// This was probably meant: it resembles the name.
    Meant(String),
    /// One of these two was probably meant: they resemble the name equally.
    Either(String, String),
    /// Nothing resembles the name. These keys exist, and how many more.
    Keys(Vec<String>, usize),
    /// The same for events.
    Events(Vec<String>, usize),
    /// The same for the words of a symbol key.
    Words(Vec<String>, usize),
    /// The same for the slots of a tree.
    Slots(Vec<String>, usize),
    /// The same for the trees that a slot can hold.
    Trees(Vec<String>, usize),
    /// The same for the nodes of a tree that have a name or an id.
    Nodes(Vec<String>, usize),
    /// Something random was probably meant, which no expression gives.
    Random,
    /// A word is in quotes, and must be written without them.
    Unquoted,
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Help::Meant(name) => write!(f, "did you mean `{name}`?"),
            Help::Either(one, other) => write!(f, "did you mean `{one}` or `{other}`?"),
            Help::Keys(names, more) => list(f, "key", names, *more),
            Help::Events(names, more) => list(f, "event", names, *more),
            Help::Words(names, more) => list(f, "word", names, *more),
            Help::Slots(names, more) => list(f, "slot", names, *more),
            Help::Trees(names, more) => list(f, "tree", names, *more),
            Help::Nodes(names, more) => list(f, "named node", names, *more),
            Help::Random => f.write_str(
                "nothing in an expression is random: `Probability` runs its child by chance, and `RandomSelector` \
                 one of several",
            ),
            Help::Unquoted => f.write_str("words are written without quotes, as in `mode == alert`"),
        }
    }
}

impl Help {
    /// The same of keys that are written with their scope.
    pub(crate) fn in_scope(self, scope: &str) -> Help {
        let full = |name: String| format!("{scope}.{name}");
        match self {
            Help::Meant(name) => Help::Meant(full(name)),
            Help::Either(one, other) => Help::Either(full(one), full(other)),
            other => other,
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, what: &str, names: &[String], more: usize) -> fmt::Result {
    let mut all: Vec<String> = names.iter().map(|it| format!("`{}`", plain(it))).collect();
    all.extend((more > 0).then(|| format!("{more} more")));
    match all.split_last() {
        Some((last, [])) => write!(f, "the only {what} is {last}"),
        Some((last, all)) => write!(f, "the {what}s are {} and {last}", all.join(", ")),
        None => write!(f, "there are no {what}s"),
    }
}

/// The candidate that a name resembles most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Near<'a> {
    /// The candidate; the first of equals.
    pub name: &'a str,
    /// Another candidate that resembles it equally, so that only a person can choose.
    pub tie: Option<&'a str>,
    /// How many slips lie between them. `None` if the name shortens the candidate.
    pub slips: Option<usize>,
}

impl Near<'_> {
    /// What was probably meant.
    #[must_use]
    pub fn help(self) -> Help {
        match self.tie {
            None => Help::Meant(self.name.into()),
            Some(tie) => Help::Either(self.name.into(), tie.into()),
        }
    }
}

/// The name of [`near`].
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(name, candidates).map(|it| it.name)
}

/// The candidate most like `name`, if a person may have meant it: the one with the fewest slips (a
/// wrong, missing or extra letter, or two swapped ones), or else one that the name shortens (with
/// at least four letters: the beginning of the candidate, or half of its letters in order,
/// including the first). Case does not matter; names of more than 64 bytes match nothing.
pub fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<Near<'a>> {
    near_of(name, &mut candidates.into_iter())
}

/// Not generic, so compiled once: it is only called for errors.
fn near_of<'a>(name: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<Near<'a>> {
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    let letters = name.chars().count();
    // A third of the letters may be wrong: more would find nonsense, less would miss the usual
    // slips in short names.
    let most = (letters / 3).max(1);
    let slips = |it: &str| {
        let it = it.to_lowercase();
        let length = it.chars().count();
        // Each extra or missing letter is a slip: most names need no closer look.
        if length.abs_diff(letters) <= most {
            let slips = distance(&name, &it);
            if slips <= most && slips < length {
                return Some(slips);
            }
        }
        // After all candidates with slips.
        (letters >= 4 && is_short_for(&name, &it)).then_some(LONGEST)
    };
    let mut best: Option<(usize, Near<'a>)> = None;
    for name in candidates.filter(|it| it.len() <= LONGEST) {
        let Some(slips) = slips(name) else { continue };
        match &mut best {
            Some((least, _)) if slips > *least => {}
            Some((least, near)) if slips == *least => near.tie = near.tie.or((near.name != name).then_some(name)),
            _ => best = Some((slips, Near { name, tie: None, slips: (slips < LONGEST).then_some(slips) })),
        }
    }
    best.map(|it| it.1)
}

/// How many slips lie between two names. A common beginning costs nothing.
fn distance(a: &str, b: &str) -> usize {
    let alike = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>();
    strsim::osa_distance(&a[alike..], &b[alike..])
}

/// Whether it is the beginning of the long name, or at least half of its letters, in order.
fn is_short_for(name: &str, long: &str) -> bool {
    let mut left = long.chars();
    let is_part = name.chars().next() == long.chars().next() && name.chars().all(|it| left.any(|other| other == it));
    is_part && (long.starts_with(name) || 2 * name.chars().count() >= long.chars().count())
}

/// Help for an unknown function.
pub(crate) fn random(name: &str) -> Option<Help> {
    const NAMES: [&str; 7] = ["random", "rand", "randf", "randi", "rnd", "chance", "probability"];
    NAMES.contains(&&*name.to_lowercase()).then_some(Help::Random)
}
