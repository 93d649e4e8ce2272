//! Random trees.

use pleach_core::nodes::{
    action_of, check, condition, condition_of, cooldown, delay, emit, finally, force_success, free, guard, idle,
    inverter, limit, on_event, parallel, probability, random_choice, random_selector, random_sequence,
    reactive_selector, repeat, roll, selector, sequence, set, switch, timeout, token, until_failure, until_success,
    utility_selector, wait, wait_for, wait_ticks, wait_until,
};
use pleach_core::{
    Outcome, Status, Time, Tree, TreeBuilder,
    nodes::{Abort, Ending, Node},
    schema::Scope,
};

use super::leaves::{Doer, Nap, Work, note};
use super::modes::{Act, Ask, Mode, Shape, pick};
use super::{Cx, Dice, Keys, Town};

/// A tree is grown from this.
#[derive(Clone, Copy)]
struct Soil {
    mode: &'static Mode,
    keys: Keys,
    /// Whether it may have several run stacks; in [`super::modes::PANICS`] nodes without callbacks.
    wide: bool,
    /// Whether conditions are asked at intervals. Their times depend on ids, which depend on the
    /// order in which leaves despawn agents.
    rare: bool,
}

/// A random tree of nodes of this depth.
pub(crate) fn node(
    dice: &mut Dice,
    mode: &'static Mode,
    keys: Keys,
    depth: usize,
    wide: bool,
    rare: bool,
) -> Node<Town> {
    Soil { mode, keys, wide, rare }.node(dice, depth)
}

/// A tree with the keys of all lives, and how its nodes are made from them. `pads` keys come first.
pub(crate) fn build(pads: usize, storm: bool, root: impl FnOnce(Keys) -> Node<Town>) -> (Tree<Town>, Keys) {
    build_with(pads, storm, |_| (), root)
}

/// The same with more declarations.
pub(crate) fn build_with(
    pads: usize,
    storm: bool,
    more: impl FnOnce(&mut TreeBuilder<Town>),
    root: impl FnOnce(Keys) -> Node<Town>,
) -> (Tree<Town>, Keys) {
    let mut builder = Tree::<Town>::builder("life");
    more(&mut builder);
    for number in 0..pads {
        builder.key(&format!("pad{number}"), 0_i64);
    }
    let [storm, rank] = [(Scope::Global, "storm"), (Scope::Group, "rank")]
        .map(|(scope, name)| storm.then(|| builder.key_in(scope, name, 0_i64)));
    let (level, alarm) = (builder.key("level", 0_i64), builder.key("alarm", false));
    let keys = Keys { alarm, level, spare: builder.key("spare", 0_i64), storm, rank };
    let root = root(keys);
    (builder.build(root).expect("a valid tree"), keys)
}

/// A leaf with all callbacks.
pub(crate) fn hooked(mode: &'static Mode, keys: Keys, steady: f64) -> Node<Town> {
    Work { mode, keys, steady }.hooked()
}

/// A condition that is asked at intervals, and notes when.
fn rarely(dice: &mut Dice, mode: &Mode) -> Node<Town> {
    let every = mode.times.every;
    condition(move |cx: &mut Cx<'_, '_>| {
        note('r', cx);
        !cx.host.mood.is_multiple_of(2 + cx.node().index() % 3)
    })
    .every(every[dice.below(every.len())])
}

impl Soil {
    fn work(self, steady: f64) -> Work {
        Work { mode: self.mode, keys: self.keys, steady }
    }

    fn plain(self, steady: f64) -> Node<Town> {
        self.work(steady).plain()
    }

    fn ask(self, dice: &mut Dice) -> Node<Town> {
        let keys = self.keys;
        match pick(dice, self.mode.asks) {
            Ask::Alarm => check("alarm"),
            Ask::Level => check("level > 2 || alarm"),
            Ask::Storm if keys.storm.is_some() => check("global.storm > 3"),
            Ask::Shared if keys.rank.is_some() => self.ask_shared(dice),
            Ask::Storm | Ask::Shared | Ask::Event => on_event("hey"),
            Ask::Observed => condition(move |cx| {
                note('?', cx);
                cx.get(keys.alarm) || cx.get(keys.level) % 2 == 0
            })
            .observes([keys.alarm.index(), keys.level.index()]),
            Ask::Doer => condition_of(Doer(self.mode, keys)),
            Ask::Rare if self.rare => rarely(dice, self.mode),
            Ask::Rare | Ask::Polled => condition(|cx: &mut Cx<'_, '_>| {
                note('?', cx);
                cx.host.mood % (3 + cx.node().index()) == 1
            }),
        }
    }

    /// Asks what others write.
    fn ask_shared(self, dice: &mut Dice) -> Node<Town> {
        let (storm, rank) = self.keys.storm.zip(self.keys.rank).expect("it has both");
        match dice.below(7) {
            // Comparisons of a key of its own, beside shared keys and with one.
            5 => check("level > 2 && global.storm < 4 || spare == group.rank"),
            6 => check("level < group.rank"),
            0 => check("group.rank > 2"),
            1 => check("group.rank % 2 == 0 && !alarm"),
            2 => check("global.storm % 2 == 0 || group.rank == 3"),
            3 => guard(check("group.rank < 4"), self.plain(0.1)),
            _ => condition(move |cx| {
                note('?', cx);
                cx.get(storm) > cx.get(rank)
            })
            .observes([storm.index(), rank.index()]),
        }
    }

    fn act(self, dice: &mut Dice) -> Node<Town> {
        let row = |all: &'static [f64]| all.iter().map(move |&it| self.plain(it));
        let count = || set("level", "(level + 1) % 5");
        match pick(dice, self.mode.acts) {
            Act::Plain(steady) => self.plain(steady),
            Act::Hooked(steady) => self.work(steady).hooked(),
            Act::Sequence(all) => sequence(row(all)),
            Act::Selector(all) => selector(row(all)),
            Act::SelectorHooked(all, last) => selector(row(all).chain([self.work(last).hooked()])),
            Act::Long(steady) => sequence((0..70).map(|_| inverter(inverter(self.plain(steady))))),
            Act::Nap(seconds, status) => action_of(Nap(seconds, status)).of_kind("Nap"),
            Act::Wait => {
                let waits = self.mode.times.waits;
                let seconds = waits[dice.below(waits.len())];
                match dice.below(4) {
                    0 => wait("level * 0.2"),
                    1 => wait(seconds).jitter(seconds * 0.5),
                    2 => wait("level * 0.2").jitter(0.3),
                    _ => wait(seconds),
                }
            }
            Act::WaitTicks if dice.below(2) == 0 => wait_ticks("level"),
            Act::WaitTicks => wait_ticks(2),
            Act::WaitForShared if self.keys.storm.is_some() => wait_until("global.storm == 4 || group.rank == 1"),
            Act::WaitForShared | Act::WaitUntil => wait_until("level == 4 || alarm"),
            Act::WaitForEvent => wait_for("hey"),
            Act::Idle => idle(),
            Act::Set(steady) => sequence([count(), self.plain(steady)]),
            Act::SetAndEmit(steady) => sequence([count(), emit("e"), self.plain(steady)]),
            Act::Own if dice.below(2) == 0 => {
                let counts = [count(), set("own", "own + 1"), check("own == 1"), wait_ticks("own")];
                sequence(counts).with_local("own", 0_i64)
            }
            Act::Own => sequence([count(), set("own", "own + 1"), check("own > 2")]).with_key("own", 0_i64),
            Act::Stamp => {
                sequence([count(), check("time - met > 0.5"), set("met", "time")]).with_key("met", Time::ZERO)
            }
            Act::Roll(steady) => sequence([roll("level", 0, "level + 2"), self.plain(steady)]),
            Act::Probability(p, steady) => probability(p, self.plain(steady)),
        }
    }

    fn node(self, dice: &mut Dice, depth: usize) -> Node<Town> {
        if depth == 0 {
            return self.act(dice);
        }
        let times = &self.mode.times;
        let abort = [Abort::SELF, Abort::LOWER_PRIORITY, Abort::SELF | Abort::LOWER_PRIORITY][dice.below(3)];
        let sub = |dice: &mut Dice| self.node(dice, depth - 1);
        let guarded = |dice: &mut Dice| sequence([self.ask(dice), sub(dice)]).aborts(abort);
        match pick(dice, self.mode.shapes[usize::from(self.wide)]) {
            Shape::Sequence => sequence([sub(dice), sub(dice)]),
            Shape::Selector => selector([sub(dice), sub(dice)]),
            Shape::Priority => selector([guarded(dice), sub(dice), sub(dice)]),
            Shape::TwoPriorities => selector([guarded(dice), guarded(dice), sub(dice)]),
            Shape::Ladder => {
                let second = sequence([inverter(self.ask(dice)), sub(dice)]).aborts(abort);
                selector([guarded(dice), second, guarded(dice), self.plain(0.95)])
            }
            Shape::Late => sequence([sub(dice), self.ask(dice), sub(dice)]).aborts(abort),
            Shape::UntilAsked => selector([until_failure(self.ask(dice)), sub(dice)]).aborts(abort),
            Shape::Guard if dice.below(3) == 0 => guard("level != 3", sub(dice)).result(Outcome::Success),
            Shape::Guard => guard("level != 3", sub(dice)),
            Shape::GuardOfShared if self.keys.storm.is_some() => match dice.below(3) {
                0 => guard(check("global.storm < 5"), sub(dice)),
                1 => guard(check("group.rank != 3"), sub(dice)),
                _ => switch("group.rank % 2", [(0, sub(dice)), (1, sub(dice))]),
            },
            Shape::GuardOfShared => sub(dice),
            Shape::GuardOfHost if dice.below(2) == 0 => guard(rarely(dice, self.mode), sub(dice)),
            Shape::GuardOfHost => {
                let guard = guard(condition(|cx: &mut Cx<'_, '_>| !cx.host.mood.is_multiple_of(9)), sub(dice));
                if dice.below(3) == 0 { guard.result(Outcome::Success) } else { guard }
            }
            Shape::Timeout => timeout(times.timeout, sub(dice)).result(Outcome::Success),
            Shape::Delay if dice.below(2) == 0 => delay("level * 0.2", sub(dice)).jitter(0.1),
            Shape::Delay => delay(times.delay, sub(dice)),
            Shape::Silent => match dice.below(3) {
                0 => delay(times.delay, sub(dice)),
                1 => wait(0.25),
                _ => idle(),
            },
            Shape::Parallel => parallel([sub(dice), sub(dice)]),
            Shape::Reactive => reactive_selector([sequence([self.ask(dice), sub(dice)]), sub(dice)]),
            Shape::Utility => {
                let node = utility_selector([("level", sub(dice)), ("2", sub(dice))]);
                if dice.below(2) == 0 { node.reevaluate() } else { node }
            }
            Shape::Switch => match dice.below(3) {
                0 => switch("alarm", [(true, guarded(dice)), (false, sub(dice))]).aborts(abort),
                1 => switch("level", [(1, sub(dice)), (2, sub(dice))]).default(sub(dice)),
                _ => switch("level % 2", [(0, sub(dice)), (1, sub(dice))]).latch(),
            },
            Shape::Service if dice.below(2) == 0 => {
                sequence([sub(dice), sub(dice)]).with_service("level * 0.2", self.work(0.5).plain()).jitter(0.15)
            }
            Shape::Service => sequence([sub(dice), sub(dice)]).with_service(times.service, self.work(0.5).plain()),
            Shape::Repeat if dice.below(2) == 0 => repeat("level", sub(dice)),
            Shape::Repeat => repeat(3, sub(dice)),
            Shape::Cooldown if dice.below(2) == 0 => cooldown(times.cooldown, sub(dice)).jitter(0.2),
            Shape::Cooldown => {
                let node = cooldown(times.cooldown, sub(dice));
                match dice.below(3) {
                    0 => node,
                    1 => node.after(Outcome::Success),
                    _ => node.after(Outcome::Failure),
                }
            }
            // On threads other agents get the places of a token than in order (SEMANTICS 8.36), as
            // with shared keys.
            Shape::Tokens if self.keys.storm.is_none() => sub(dice),
            Shape::Tokens => {
                let of_group = |child| token("squad", 1, child);
                let watched = sequence([free("squad"), of_group(sub(dice))]).aborts(abort);
                let of_all = token("all", 3, sub(dice)).rest(times.delay).global();
                selector([watched, of_all, of_group(sub(dice)), sub(dice)])
            }
            Shape::Finally => {
                let count = set("level", "(level + 1) % 5");
                match dice.below(5) {
                    0 => finally([self.work(0.6).hooked()], sub(dice)).on(Ending::Aborted),
                    1 => finally([count, emit("e"), self.plain(0.5)], sub(dice)),
                    2 => finally([roll("level", 0, 4)], sub(dice)).on(Ending::Success),
                    // It is not instant, and its sleep is ignored.
                    3 => finally([action_of(Nap(0.333_33, Status::Running)).of_kind("Nap"), count], sub(dice)),
                    _ if self.keys.storm.is_some() => {
                        let storm = set("global.storm", "(global.storm + 1) % 6");
                        finally([storm, set("group.rank", "group.rank + 1")], sub(dice)).on(Ending::Aborted)
                    }
                    _ => finally([count], sub(dice)).on(Ending::Failure),
                }
            }
            Shape::Choice => random_choice([self.work(0.5).plain(), sub(dice), sub(dice)]).weights([1.0, 2.0, 1.0]),
            Shape::Random => random_selector([sub(dice), sub(dice)]),
            Shape::RandomWeighted => {
                let cooling = cooldown(times.cooldown, sub(dice));
                random_sequence([cooling, limit(3, sub(dice)).exhausted(Outcome::Success)]).weights([1.0, 3.0])
            }
            Shape::UntilSuccess if dice.below(2) == 0 => until_success(sub(dice)).count(3),
            Shape::UntilSuccess => until_success(sub(dice)),
            Shape::UntilFailure if dice.below(2) == 0 => until_failure(sub(dice)).count("level"),
            Shape::UntilFailure => until_failure(sub(dice)),
            Shape::Mapped => sequence([force_success(sub(dice)), inverter(sub(dice)), sub(dice)]),
        }
    }
}
