//! Leaves that note every callback, and do random things.

use std::panic::resume_unwind;

use pleach_core::nodes::{action, action_of};
use pleach_core::{Action, AgentId, Condition, Context, End, Event, Keep, Reason, Status, nodes::Node};
use pleach_macros::leaf;

use super::modes::{Deed, Mode, find};
use super::{Cx, Dice, Keys, Line, Town};

/// Notes a callback, and panics where `Danger` says so.
pub(crate) fn note(what: char, cx: &mut Cx<'_, '_>) {
    let stream = if cx.host.streams { stream(cx) } else { 0 };
    let line = Line { agent: cx.agent(), node: cx.node().index(), what, time: cx.time(), dt: cx.dt(), stream };
    cx.host.log.push(line);
    let places = if cx.host.danger.everywhere { "usdxSD?Xapg" } else { "usdxSD?r" };
    if cx.host.danger.level > 0 && places.contains(what) {
        let (agent, node) = (cx.agent(), cx.node().index());
        let danger = &mut cx.host.danger;
        let number = || danger.numbers.get(&agent).copied();
        let me = danger.alone.or_else(number).unwrap_or_else(|| place_of(agent));
        let site = (me as u64) << 32 | (node as u64) << 8 | u64::from(what as u32);
        if Dice(site ^ danger.level << 20).below(50) == 0 {
            danger.panicked.push(me);
            panic_silently();
        }
    }
}

/// The place of an agent's id, in the lower half of it.
fn place_of(agent: AgentId) -> usize {
    usize::try_from(agent.to_bits() & 0xffff_ffff).expect("32 bits")
}

/// Unlike `panic!` it prints nothing on the terminal.
fn panic_silently() {
    resume_unwind(Box::new(()));
}

/// The state of the agent's random stream.
fn stream(cx: &mut Context<'_, '_, Town>) -> u64 {
    // Its debug text has no other number.
    let state: String = format!("{:?}", cx.rng()).chars().filter(char::is_ascii_digit).collect();
    state.strip_prefix("64").expect("`SplitMix64 { x: .. }`").parse().expect("a number")
}

/// Writes keys, requests things, panics on demand; its answers are drawn at random.
#[derive(Clone, Copy)]
pub(super) struct Work {
    pub(super) mode: &'static Mode,
    pub(super) keys: Keys,
    /// How likely it keeps running.
    pub(super) steady: f64,
}

impl Work {
    /// With all callbacks or, unless the mode wants them, with only the update.
    pub(super) fn plain(self) -> Node<Town> {
        if self.mode.hooked { self.hooked() } else { action(move |cx: &mut Cx<'_, '_>| self.update(1, cx)) }
    }

    /// With all callbacks.
    pub(super) fn hooked(self) -> Node<Town> {
        action_of(Hooked(self)).of_kind("Hooked")
    }

    fn update(self, count: u32, cx: &mut Cx<'_, '_>) -> Status {
        note('u', cx);
        let heard: Vec<f32> = cx.events().map(|it| it.payload::<f32>().unwrap_or(-1.0)).collect();
        let line = Line { agent: cx.agent(), node: 0, what: 'v', time: 0.0, dt: 0.0, stream: 0 };
        cx.host.log.extend(heard.into_iter().map(|dt| Line { dt, ..line }));
        if cx.event("boom").is_some() {
            panic_silently();
        }
        do_something(self.mode, self.keys, count, cx);
        match cx.random() {
            lot if lot < self.steady => Status::Running,
            lot if lot < (1.0 + self.steady) / 2.0 => Status::Success,
            _ => Status::Failure,
        }
    }
}

/// A random deed, or none.
fn do_something(mode: &'static Mode, keys: Keys, count: u32, cx: &mut Cx<'_, '_>) {
    let (lot, other) = (cx.random(), cx.node().index() * 37);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let Some(deed) = find(mode.deeds, (cx.random() * 1000.0) as usize) else { return };
    match deed {
        Deed::Alarm => drop(cx.set(keys.alarm, lot < 0.5)),
        Deed::Level => drop(cx.set(keys.level, (cx.get(keys.level) + 1) % 5)),
        Deed::LevelByCount => drop(cx.set(keys.level, (cx.get(keys.level) + i64::from(count)) % 5)),
        Deed::Spare => drop(cx.set(keys.spare, cx.get(keys.spare) + 1)),
        Deed::Storm => drop(keys.storm.map(|it| cx.set(it, (cx.get(it) + 1) % 7))),
        Deed::Rank => drop(keys.rank.map(|it| cx.set(it, (cx.get(it) + 1) % 5))),
        Deed::SendToOthers => {
            cx.send(cx.host.all[other % cx.host.all.len()], Event::new("hey"));
            cx.send(cx.agent(), Event::new("ho"));
        }
        Deed::SendToItself => cx.send(cx.agent(), Event::new("hey")),
        Deed::Stop => cx.stop(),
        Deed::Restart => cx.restart(),
        Deed::Despawn if cx.host.despawns => cx.despawn(cx.agent()),
        Deed::Despawn => {}
        Deed::Sleep => cx.sleep(0.2),
        Deed::Clear => cx.reset_all(),
    }
}

/// Has every callback, and remembers how often it was updated.
struct Hooked(Work);

impl Action<Town> for Hooked {
    type State = u32;
    #[cfg(not(feature = "save"))]
    const KEEP: Keep<u32> = Keep::cloned();
    #[cfg(feature = "save")]
    const KEEP: Keep<u32> = Keep::cloned().saved();
    #[cfg(feature = "save")]
    fn restored(&self, _: &mut u32, cx: &mut Cx<'_, '_>) {
        note('r', cx);
    }
    fn awake(&self, count: &mut u32, cx: &mut Cx<'_, '_>) {
        // A restart leaves it like this.
        *count = 0;
        note('a', cx);
    }
    fn start(&self, _: &mut u32, cx: &mut Cx<'_, '_>) {
        note('s', cx);
    }
    fn update(&self, count: &mut u32, cx: &mut Cx<'_, '_>) -> Status {
        *count += 1;
        if self.0.mode.sleepy && count.is_multiple_of(4) {
            cx.sleep(0.3);
        }
        self.0.update(*count, cx)
    }
    fn end(&self, _: &mut u32, cx: &mut Cx<'_, '_>, end: End) {
        note(
            match end {
                // Requests may be carried out later in one life than in the other.
                End::Aborted(Reason::Stopped) => 'X',
                End::Aborted(_) => 'x',
                _ => 'd',
            },
            cx,
        );
    }
    fn pause(&self, _: &mut u32, cx: &mut Cx<'_, '_>, paused: bool) {
        note(if paused { 'p' } else { 'g' }, cx);
    }
}

/// Sleeps for this long, and notes nothing when it is woken before.
pub(super) struct Nap(pub(super) f64, pub(super) Status);

#[leaf(crate = pleach_core)]
impl Action<Town> for Nap {
    type State = f64;
    fn start(&self, until: &mut f64, cx: &mut Cx<'_, '_>) {
        *until = cx.time() + self.0;
    }
    #[expect(clippy::cast_possible_truncation)]
    fn update(&self, until: &mut f64, cx: &mut Cx<'_, '_>) -> Status {
        if cx.time() < *until {
            cx.sleep((*until - cx.time()) as f32);
            return Status::Running;
        }
        *until = cx.time() + self.0;
        note('n', cx);
        self.1
    }
    fn end(&self, _: &mut f64, cx: &mut Cx<'_, '_>, _: End) {
        note('d', cx);
    }
}

/// A condition that also does things when it is asked, or runs.
pub(super) struct Doer(pub(super) &'static Mode, pub(super) Keys);

impl Condition<Town> for Doer {
    type State = ();
    fn update(&self, (): &mut (), cx: &mut Cx<'_, '_>) -> Status {
        note('?', cx);
        do_something(self.0, self.1, 1, cx);
        match cx.random() {
            ..0.02 => Status::Running,
            ..0.1 => Status::Success,
            _ => Status::Failure,
        }
    }
    fn start(&self, (): &mut (), cx: &mut Cx<'_, '_>) {
        note('S', cx);
    }
    fn end(&self, (): &mut (), cx: &mut Cx<'_, '_>, _: End) {
        note('D', cx);
    }
}
