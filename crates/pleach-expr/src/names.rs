//! What was probably meant by a name that does not exist, or which names there are.

use std::fmt;

use crate::text::plain;

/// The longest name that is compared with others, in bytes. Comparing costs the product of the
/// lengths, and slips in longer names are seen without help.
const LONGEST: usize = 64;

/// What to do about a name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Help {
    /// This was probably meant: it is like the name.
    Meant(String),
    /// Nothing is like the name. These are the keys that there are, and how many more.
    Keys(Vec<String>, usize),
    /// The same of events.
    Events(Vec<String>, usize),
    /// The same of the words of a symbol key.
    Words(Vec<String>, usize),
    /// The same of the slots of a tree.
    Slots(Vec<String>, usize),
    /// The same of the trees that a slot can hold.
    Trees(Vec<String>, usize),
    /// The same of the nodes of a tree that have a name or an id.
    Nodes(Vec<String>, usize),
    /// Something random was probably meant, which no expression gives.
    Random,
    /// A word is in quotes, and must stand without them.
    Unquoted,
}

impl fmt::Display for Help {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Help::Meant(name) => write!(f, "did you mean `{name}`?"),
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

fn list(f: &mut fmt::Formatter<'_>, what: &str, names: &[String], more: usize) -> fmt::Result {
    let mut all: Vec<String> = names.iter().map(|it| format!("`{}`", plain(it))).collect();
    all.extend((more > 0).then(|| format!("{more} more")));
    match all.split_last() {
        Some((last, [])) => write!(f, "the only {what} is {last}"),
        Some((last, all)) => write!(f, "the {what}s are {} and {last}", all.join(", ")),
        None => write!(f, "there are no {what}s"),
    }
}

/// The candidate most like `name`, if it is so like that a person may have meant it: the one with
/// the fewest slips (a letter that is wrong, missing or too many, or two that changed places), or
/// else one that the name shortens (with at least four letters: the beginning of the candidate, or
/// half of its letters in order, the first among them). The first of equals. Upper and lower case
/// are the same; names of more than 64 bytes are like nothing.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(name, &mut candidates.into_iter())
}

/// Compiled once, whatever the candidates come from: it is only called about what is wrong.
fn nearest_of<'a>(name: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let name = name.to_lowercase();
    let letters = name.chars().count();
    // A third of the letters may be wrong: more finds nonsense, less misses the usual slips in
    // short names.
    let most = (letters / 3).max(1);
    let slips = |it: &str| {
        let it = it.to_lowercase();
        let length = it.chars().count();
        // Each letter too many or too few is a slip: most names need no closer look.
        if length.abs_diff(letters) <= most {
            let slips = distance(&name, &it);
            if slips <= most && slips < length {
                return Some(slips);
            }
        }
        // Behind all that have slips.
        (letters >= 4 && is_short_for(&name, &it)).then_some(LONGEST)
    };
    let near = candidates.filter(|it| it.len() <= LONGEST).filter_map(|it| Some((slips(it)?, it)));
    near.min_by_key(|it| it.0).map(|it| it.1)
}

/// How many slips lie between two names. What they begin with alike costs nothing.
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

/// Help for a function that there is not.
pub(crate) fn random(name: &str) -> Option<Help> {
    const NAMES: [&str; 7] = ["random", "rand", "randf", "randi", "rnd", "chance", "probability"];
    NAMES.contains(&&*name.to_lowercase()).then_some(Help::Random)
}
