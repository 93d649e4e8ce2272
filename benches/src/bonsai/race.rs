//! Guards whose branches race against a watcher that aborts them.
//!
//! The watcher makes the tree succeed, and a loop around it starts it again in the same tick. When
//! it ends by itself it must start in the next tick instead, which is why there is `Rest`.

use bonsai_bt::{Action, ActionArgs, BT, Behavior, Event, Race, Select, Sequence, Status, WaitForever, While};

use super::{RACE, a_frame};
use crate::crowd::{Crowd, Totals};
use crate::guard::{ATTACK_LIMIT, Body, Counts, FLEE_LIMIT, Guards, NOISE_LIMIT, WAIT_LIMIT, event};

/// A crowd with a tree per agent.
#[derive(Debug)]
pub struct BonsaiRaceGuards {
    scene: Guards,
    agents: Vec<BT<Leaf, Guard>>,
}

impl Crowd for BonsaiRaceGuards {
    type Scene = Guards;
    const NAME: &'static str = RACE;

    fn new(agents: u32, scene: Guards) -> Self {
        let tree = tree();
        let guard = |id| Guard { body: Body::new(id, scene), count: 0, after: After::Rest };
        Self { scene, agents: (0..agents).map(|id| BT::new(tree.clone(), guard(id))).collect() }
    }

    fn frame(&mut self, frame: u32) {
        let tick = a_frame();
        for (id, tree) in (0..).zip(&mut self.agents) {
            if self.scene == Guards::Churn
                && let Some(event) = event(id, frame)
            {
                event.happen_to(&mut tree.blackboard_mut().body);
            }
            tree.tick(&tick, &mut |leaf: ActionArgs<Event, Leaf>, guard: &mut Guard| {
                (guard.run(*leaf.action), leaf.dt)
            });
        }
    }

    fn totals(&self) -> Totals {
        self.agents.iter().map(|tree| tree.blackboard().body.counts).sum()
    }
}

fn tree() -> Behavior<Leaf> {
    let approach = Sequence(vec![Action(Leaf::IsFar), Action(Leaf::Approach)]);
    let root = Select(vec![
        Sequence(vec![Action(Leaf::IsLow), Action(Leaf::Flee)]),
        Race(vec![
            Action(Leaf::WatchLow),
            Sequence(vec![Action(Leaf::Sees), Select(vec![approach, Action(Leaf::Attack)])]),
        ]),
        Race(vec![
            Action(Leaf::WatchLowOrSees),
            Sequence(vec![Action(Leaf::Hears), Action(Leaf::MoveToNoise), Action(Leaf::Wait)]),
        ]),
        Race(vec![Action(Leaf::WatchAll), Action(Leaf::Patrol)]),
    ]);
    While(Box::new(WaitForever), vec![root, Action(Leaf::Rest)])
}

#[derive(Clone, Copy, Debug)]
enum Leaf {
    IsLow,
    Flee,
    WatchLow,
    Sees,
    IsFar,
    Approach,
    Attack,
    WatchLowOrSees,
    Hears,
    MoveToNoise,
    Wait,
    WatchAll,
    Patrol,
    Rest,
}

#[derive(Debug)]
struct Guard {
    body: Body,
    /// For the running action: leaves have no state, and are not notified of their start.
    count: u32,
    after: After,
}

/// What comes after the tree has ended.
#[derive(Debug)]
enum After {
    /// It ended by itself: the rest of the tick.
    Rest,
    /// The rest of the tick is over.
    NextTick,
    /// It was aborted.
    AtOnce,
}

impl Guard {
    #[inline]
    fn run(&mut self, leaf: Leaf) -> Status {
        let body = &mut self.body;
        match leaf {
            Leaf::IsLow => holds(body.is_low()),
            Leaf::Sees => holds(body.sees),
            Leaf::IsFar => holds(body.is_far()),
            Leaf::Hears => holds(body.noise),
            // The watched conditions were false when the branch began.
            Leaf::WatchLow => {
                let changed = body.is_low();
                self.watch(changed)
            }
            Leaf::WatchLowOrSees => {
                let changed = body.is_low() || body.sees;
                self.watch(changed)
            }
            Leaf::WatchAll => {
                let changed = body.is_low() || body.sees || body.noise;
                self.watch(changed)
            }
            Leaf::Flee => self.lasting(FLEE_LIMIT, |it| &mut it.flee),
            Leaf::Attack => self.lasting(ATTACK_LIMIT, |it| &mut it.attack),
            Leaf::MoveToNoise => self.lasting(NOISE_LIMIT, |it| &mut it.noise),
            Leaf::Wait => self.lasting(WAIT_LIMIT, |it| &mut it.wait),
            Leaf::Approach if body.approach() => Status::Success,
            Leaf::Approach => Status::Running,
            Leaf::Patrol => {
                body.patrol();
                Status::Running
            }
            Leaf::Rest => {
                if let After::Rest = self.after {
                    self.after = After::NextTick;
                    Status::Running
                } else {
                    self.after = After::Rest;
                    Status::Success
                }
            }
        }
    }

    #[inline]
    fn watch(&mut self, changed: bool) -> Status {
        if changed {
            (self.after, self.count) = (After::AtOnce, 0);
            Status::Success
        } else {
            Status::Running
        }
    }

    #[inline]
    fn lasting(&mut self, limit: u32, done: impl FnOnce(&mut Counts) -> &mut u32) -> Status {
        if self.count == limit {
            self.count = 0;
            *done(&mut self.body.counts) += 1;
            return Status::Success;
        }
        self.count += 1;
        Status::Running
    }
}

fn holds(it: bool) -> Status {
    if it { Status::Success } else { Status::Failure }
}
