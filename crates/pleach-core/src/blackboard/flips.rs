//! Which writes matter to which observers. A comparison *flips* when it holds for the old value of
//! a key and not for the new one, or the other way round. Observers that only compare a key need
//! not hear of writes that flip nothing.

use pleach_expr::expr::KeyIndex;
use pleach_expr::runtime::{Cmp, Comparison, With};
use pleach_expr::{Type, Value};

use super::place::KeyPlace;
use super::rank::Rank;
use super::shared_watch::SharedWatch;
use super::types::stored::Stored;
use super::{KeyDecl, Scope};
use crate::index::{ObserverId, narrow};

/// A write of a key checks this many of its comparisons. Observers with further ones hear of each
/// change: checking all of them would take longer than asking.
const MAX_PER_KEY: usize = 32;

/// Some ranks without a gap. A comparison with a constant flips when a value enters or leaves them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Interval {
    first: i64,
    /// The last minus the first.
    length: u64,
}

impl Interval {
    fn new(first: i64, last: i64) -> Option<Self> {
        (first <= last).then(|| Interval { first, length: last.wrapping_sub(first).cast_unsigned() })
    }

    #[inline(always)]
    fn has(self, rank: Rank) -> bool {
        rank.0.wrapping_sub(self.first).cast_unsigned() <= self.length
    }

    /// The interval of a comparison of a key of this type with a constant. `None` if it never
    /// flips.
    fn of(ty: Type, comparison: &Comparison, with: Value) -> Option<Self> {
        match (ty, with) {
            (Type::Float, Value::Float(with)) => {
                // From the least float to the greatest: a NaN is neither less nor greater.
                let [first, rank, last] = [f32::NEG_INFINITY, with, f32::INFINITY].map(Rank::of_float);
                if rank == Rank::NAN {
                    return None;
                }
                match comparison.cmp {
                    Cmp::Lt => Interval::new(first.0, rank.0 - 1),
                    Cmp::Le => Interval::new(first.0, rank.0),
                    Cmp::Gt => Interval::new(rank.0 + 1, last.0),
                    Cmp::Ge => Interval::new(rank.0, last.0),
                    Cmp::Eq | Cmp::Ne => Interval::new(rank.0, rank.0),
                }
            }
            (Type::Int, Value::Float(with)) if with.is_nan() => None,
            // Several adjacent ints may be the same float.
            (Type::Int, Value::Float(with)) => {
                Interval::of_ints(comparison.cmp, first_int(|it| it as f32 >= with), first_int(|it| it as f32 > with))
            }
            (Type::Int, Value::Int(with)) => Interval::of_ints(comparison.cmp, Some(with), with.checked_add(1)),
            (Type::Entity, Value::Entity(it)) => Interval::new(Rank::of_entity(it).0, Rank::of_entity(it).0),
            (Type::Symbol, Value::Symbol(it)) => Interval::new(Rank::of_symbol(it).0, Rank::of_symbol(it).0),
            _ => unreachable!("the checker of expressions lets no such comparison pass"),
        }
    }

    /// The interval of a comparison of ints with a constant: `not_less` is the first int that is
    /// not less, `greater` the first that is greater. If a comparison holds for all values but
    /// some, those are its interval.
    fn of_ints(cmp: Cmp, not_less: Option<i64>, greater: Option<i64>) -> Option<Self> {
        match cmp {
            Cmp::Lt | Cmp::Ge => Interval::new(not_less?, i64::MAX),
            Cmp::Le | Cmp::Gt => Interval::new(greater?, i64::MAX),
            Cmp::Eq | Cmp::Ne => {
                let last = greater.map_or(Some(i64::MAX), |it| it.checked_sub(1))?;
                Interval::new(not_less?, last)
            }
        }
    }
}

/// The floats at which a comparison with a constant flips. A write from one float to another that
/// passes none of these cuts flips nothing. NaNs aside, a float is before a cut if it is less.
///
/// Floats are compared as they are, because finding their ranks takes longer than comparing them.
/// The cuts are four at a time, so that one instruction compares a float with all four.
type Cuts = [f32; 4];

/// The cuts of some intervals, each once, in blocks. The rest of the last block is NaN, which no
/// float is less than.
fn cuts(intervals: &[Test<Interval>]) -> Vec<Cuts> {
    let [first, last] = [f32::NEG_INFINITY, f32::INFINITY].map(|it| Rank::of_float(it).0);
    // The first float of the interval, and the first one after it.
    let ends = |it: &Test<Interval>| [it.test.first, it.test.first.wrapping_add_unsigned(it.test.length) + 1];
    let mut ranks: Vec<i64> = intervals.iter().flat_map(ends).filter(|&it| first < it && it <= last).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let block = |ranks: &[i64]| std::array::from_fn(|at| ranks.get(at).map_or(f32::NAN, |&it| Rank(it).to_float()));
    ranks.chunks(4).map(block).collect()
}

/// Whether a write passes one of these cuts.
#[inline(always)]
fn passes(cuts: Cuts, from: f32, to: f32) -> bool {
    // Without a branch for each, so that all are compared at once.
    cuts.iter().fold(false, |passes, &cut| passes | ((from < cut) != (to < cut)))
}

/// What most writes of a key need to know. Loops over agents copy it first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quick {
    /// The first cuts, if the key is a float.
    cuts: Cuts,
    /// Whether there is more to check than these cuts.
    more: bool,
}

impl Quick {
    /// Whether a write may matter to an observer; `flips` are those of the key. If not, no
    /// comparison flips.
    #[inline(always)]
    pub(super) fn may_matter<T: Stored>(self, flips: &Flips, from: T, to: T) -> bool {
        if self.more && flips.may_matter(from, to) {
            return true;
        }
        match (from.float(), to.float()) {
            (Some(from), Some(to)) => from.is_nan() || to.is_nan() || passes(self.cuts, from, to),
            _ => false,
        }
    }
}

/// The first int for which `holds` is true, given that it then is for all greater ones too.
fn first_int(holds: impl Fn(i64) -> bool) -> Option<i64> {
    let (mut low, mut high) = (i64::MIN, i64::MAX);
    while low < high {
        // Half of the sum, rounded down, without a sum that could overflow.
        let middle = (low & high) + ((low ^ high) >> 1);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    holds(low).then_some(low)
}

/// A comparison of a key with another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    other: KeyPlace,
    cmp: Cmp,
    floats: bool,
    /// Which sides are ints that are compared as floats: this key, the other key.
    converted: [bool; 2],
}

impl Pair {
    fn holds(self, key: Rank, other: Rank) -> bool {
        let [key, other] =
            [(key, 0), (other, 1)].map(|(it, side)| if self.converted[side] { it.of_int_as_float() } else { it });
        if self.floats && (key == Rank::NAN || other == Rank::NAN) {
            self.cmp == Cmp::Ne
        } else {
            self.cmp.holds(key, other)
        }
    }
}

/// A test of a key, and the range of its observers in the key's list.
#[derive(Clone, Copy, Debug)]
struct Test<T> {
    test: T,
    from: u16,
    to: u16,
}

/// Some observers of one word.
#[derive(Clone, Copy, Debug)]
struct Word {
    word: u16,
    observers: u64,
}

/// The comparisons of one key whose flips matter.
#[derive(Debug)]
pub(crate) struct Flips {
    /// Whether each change matters to some other observers.
    pub(super) any: bool,
    pub(super) quick: Quick,
    constants: Box<[Test<Interval>]>,
    /// For a float, the cuts that are not in `quick`.
    cuts: Box<[Cuts]>,
    pairs: Box<[Test<Pair>]>,
    observers: Box<[Word]>,
}

impl Flips {
    /// Whether a write may matter to an observer, apart from the cuts in `quick`.
    #[inline]
    fn may_matter<T: Stored>(&self, from: T, to: T) -> bool {
        let flips = || match (from.float(), to.float()) {
            (Some(from), Some(to)) => self.cuts.iter().any(|&it| passes(it, from, to)),
            _ => self.constants.iter().any(|it| it.test.has(from.rank()) != it.test.has(to.rank())),
        };
        self.any || !self.pairs.is_empty() || flips()
    }

    /// Whether only comparisons with constants matter.
    pub(super) fn compare_constants(&self) -> bool {
        !self.any && self.pairs.is_empty()
    }

    /// Passes on which observers of which words a write matters to, as a comparison has flipped.
    /// The other keys are unchanged.
    pub(super) fn of_write(
        &self,
        [from, to]: [Rank; 2],
        other: impl Fn(KeyPlace) -> Rank,
        mut tell: impl FnMut(usize, u64),
    ) {
        for it in &self.constants {
            if it.test.has(from) != it.test.has(to) {
                self.tell(it, &mut tell);
            }
        }
        for it in &self.pairs {
            let other = other(it.test.other);
            if it.test.holds(from, other) != it.test.holds(to, other) {
                self.tell(it, &mut tell);
            }
        }
    }

    /// Whether the key is compared only with constants.
    pub(super) fn are_of_constants(&self) -> bool {
        self.pairs.is_empty()
    }

    #[inline]
    fn tell<T>(&self, it: &Test<T>, mut tell: impl FnMut(usize, u64)) {
        for some in &self.observers[it.from.into()..it.to.into()] {
            tell(some.word.into(), some.observers);
        }
    }
}

/// What [`Watches::finish`] returns.
type Finished = (Vec<u64>, Box<[Option<Box<Flips>>]>, Option<Box<SharedWatch>>);

/// Which changes of which keys matter to which observers. Filled while a tree is made.
#[derive(Debug, Default)]
pub(crate) struct Watches {
    /// Words of 64 observers.
    words: usize,
    /// How many keys of each scope the tree has, as [`Schema::columns`](super::Schema) counts them.
    keys: [usize; 3],
    /// Per key of the agent, the observers to which each change matters.
    any: Vec<u64>,
    constants: Vec<(KeyPlace, Interval, ObserverId)>,
    pairs: Vec<(KeyPlace, Pair, ObserverId)>,
    /// Those of group and global keys, if an observer reads one.
    shared: Option<Box<SharedWatch>>,
}

impl Watches {
    /// For this many keys, of which none matters yet.
    pub(crate) fn new(keys: [usize; 3], words: usize) -> Self {
        Watches { words, keys, any: vec![0; words * keys[0]], ..Watches::default() }
    }

    /// Each change of a key matters to an observer.
    pub(crate) fn any(&mut self, key: &KeyDecl, observer: ObserverId) {
        let (scope, place) = (key.scope(), key.place());
        if scope > Scope::Agent {
            let new = || Box::new(SharedWatch::new(self.words, self.keys));
            self.shared.get_or_insert_with(new).add(scope, place, observer);
            return;
        }
        self.any[place.index() * self.words + observer.word()] |= observer.bit();
    }

    /// It matters to an observer if this comparison of a key flips. `decl` gives the declaration of
    /// the other key. A writer of a group or global key does not know what the agents that read it
    /// compare it with: each change of either side matters then.
    pub(crate) fn compared<'d>(
        &mut self,
        key: &KeyDecl,
        comparison: &Comparison,
        decl: impl Fn(KeyIndex) -> &'d KeyDecl,
        observer: ObserverId,
    ) {
        let (place, ty) = (key.place(), key.ty());
        match comparison.with {
            _ if matches!(ty, Type::Bool | Type::Vec2 | Type::Vec3 | Type::Time) || key.scope() > Scope::Agent => {
                self.any(key, observer);
            }
            With::Key(other) if decl(other).scope() > Scope::Agent => self.any(key, observer),
            With::Value(with) => {
                self.constants.extend(Interval::of(ty, comparison, with).map(|it| (place, it, observer)));
            }
            With::Key(other) => {
                let (other, floats) = (decl(other), comparison.floats);
                let converted = [ty, other.ty()].map(|it| floats && it == Type::Int);
                let pair = Pair { other: other.place(), cmp: comparison.cmp, floats, converted };
                self.pairs.push((place, pair, observer));
            }
        }
    }

    /// Per key of the agent, the observers to which each change matters, and the flips that matter
    /// to others; and which observers read shared keys. `ty` gives the type of a key of the agent.
    pub(super) fn finish(mut self, ty: impl Fn(KeyPlace) -> Type) -> Finished {
        self.constants.sort_unstable();
        self.pairs.sort_unstable();
        let mut keys: Vec<KeyPlace> =
            self.constants.iter().map(|it| it.0).chain(self.pairs.iter().map(|it| it.0)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut flips: Box<[Option<Box<Flips>>]> = (0..self.keys[0]).map(|_| None).collect();
        for key in keys {
            let any = &mut self.any[key.index() * self.words..][..self.words];
            let (constants, pairs) = (of_key(&self.constants, key), of_key(&self.pairs, key));
            let mut room = MAX_PER_KEY;
            leave_out(constants, any, &mut room);
            leave_out(pairs, any, &mut room);
            let mut observers = Vec::new();
            let (constants, pairs) = (gather(constants, any, &mut observers), gather(pairs, any, &mut observers));
            if !observers.is_empty() {
                let any = any.iter().any(|&it| it != 0);
                let is_float = ty(key) == Type::Float;
                let mut cuts = if is_float { cuts(&constants) } else { Vec::new() }.into_iter();
                let first = cuts.next().unwrap_or([f32::NAN; 4]);
                let cuts: Box<[Cuts]> = cuts.collect();
                let more = any || !pairs.is_empty() || !cuts.is_empty() || !is_float;
                let quick = Quick { cuts: first, more };
                flips[key.index()] =
                    Some(Box::new(Flips { any, quick, constants, cuts, pairs, observers: observers.into() }));
            }
        }
        (self.any, flips, self.shared)
    }
}

/// The entries of a key, in a list in the order of keys.
fn of_key<T>(all: &[(KeyPlace, T, ObserverId)], key: KeyPlace) -> &[(KeyPlace, T, ObserverId)] {
    let all = &all[all.partition_point(|it| it.0 < key)..];
    &all[..all.partition_point(|it| it.0 == key)]
}

/// Each change matters to observers with a test for which there is no room.
fn leave_out<T: Copy + Eq>(tests: &[(KeyPlace, T, ObserverId)], any: &mut [u64], room: &mut usize) {
    let mut last = None;
    for &(_, test, observer) in tests {
        if observer.is_in(any) || last == Some(test) {
            continue;
        }
        match room.checked_sub(1) {
            Some(left) => (*room, last) = (left, Some(test)),
            None => any[observer.word()] |= observer.bit(),
        }
    }
}

/// The tests, each once, with their observers, except those that hear of each change anyway. The
/// few tests of a key have at most one entry per word of observers, and so fewer than there may be
/// nodes.
fn gather<T: Copy + Eq>(all: &[(KeyPlace, T, ObserverId)], any: &[u64], observers: &mut Vec<Word>) -> Box<[Test<T>]> {
    let mut tests: Vec<Test<T>> = Vec::new();
    for &(_, test, observer) in all.iter().filter(|it| !it.2.is_in(any)) {
        let (word, bit) = (narrow(observer.word()), observer.bit());
        let at = narrow(observers.len());
        match (tests.last_mut(), observers.last_mut()) {
            (Some(last), Some(some)) if last.test == test && some.word == word => some.observers |= bit,
            (Some(last), _) if last.test == test => {
                observers.push(Word { word, observers: bit });
                last.to += 1;
            }
            _ => {
                observers.push(Word { word, observers: bit });
                tests.push(Test { test, from: at, to: at + 1 });
            }
        }
    }
    tests.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blackboard::Schema;

    #[test]
    fn the_quick_test_misses_no_write_that_flips_a_comparison() {
        let special =
            [f32::NAN, -f32::NAN, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -1e-45];
        let around = |it: f32| [it.next_down(), it, it.next_up()];
        let values: Vec<f32> = special.into_iter().chain([0.3, 10.0]).flat_map(around).collect();
        let mut schema = Schema::default();
        schema.declare_or_tell("key", Scope::Agent, None, 1.0_f32.into()).expect("a good key");
        let decl = schema.keys().next().expect("declared");
        let mut flipped = 0;
        for cmp in [Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge, Cmp::Eq, Cmp::Ne] {
            // One comparison, and more of them than fit into one block of cuts.
            for constants in values.iter().map(std::slice::from_ref).chain([&*values, &values[6..]]) {
                let mut watches = Watches::new([1, 0, 0], 1);
                for &it in constants {
                    let comparison = Comparison { cmp, with: With::Value(it.into()), floats: true };
                    watches.compared(decl, &comparison, |_| unreachable!(), ObserverId::new(0));
                }
                let flips = watches.finish(|_| Type::Float).1;
                let Some(flips) = &flips[0] else { continue };
                for (&from, &to) in values.iter().flat_map(|from| values.iter().map(move |to| (from, to))) {
                    let mut told = false;
                    flips.of_write([from.rank(), to.rank()], |_| unreachable!(), |_, _| told = true);
                    flipped += u32::from(told);
                    assert!(!told || flips.quick.may_matter(flips, from, to), "{cmp:?} {constants:?}: {from} {to}");
                    let [before, after] =
                        [from, to].map(|it| constants.iter().map(|with| holds(cmp, it, *with)).collect::<Vec<_>>());
                    assert!(told || flips.any || before == after, "{cmp:?} {constants:?}: {from} {to}");
                }
            }
        }
        assert!(flipped > 1_000, "{flipped}");
    }

    /// SEMANTICS 8.23.
    fn holds(cmp: Cmp, key: f32, with: f32) -> bool {
        match cmp {
            Cmp::Lt => key < with,
            Cmp::Le => key <= with,
            Cmp::Gt => key > with,
            Cmp::Ge => key >= with,
            Cmp::Eq => key == with,
            Cmp::Ne => key != with,
        }
    }
}
