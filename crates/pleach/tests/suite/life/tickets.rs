//! An agent that requested a spawn learns the new agent's id in its next tick (SEMANTICS 8.8).

use std::collections::HashMap;

use pleach_core::nodes::{action_of, idle};
use pleach_core::{Action, AgentId, Brain, Context, Event, Forest, Host, Phase, Spawn, Status, Ticket, Tree, TreeId};

#[derive(Default)]
struct World {
    /// What each agent spawns in its next update.
    wanted: HashMap<AgentId, Vec<(TreeId, Spawn)>>,
    /// The answers that each agent got in its last update, for its tickets in order.
    told: HashMap<AgentId, Vec<Option<AgentId>>>,
    updates: usize,
    heard: usize,
}

struct Game;
impl Host for Game {
    type Cx<'a> = World;
}

/// Spawns what is wanted, and asks about all tickets that it ever had.
struct Asks;
impl Action<Game> for Asks {
    type State = Vec<Ticket>;
    fn awake(&self, tickets: &mut Vec<Ticket>, cx: &mut Context<'_, '_, Game>) {
        ask(tickets, cx);
    }
    fn update(&self, tickets: &mut Vec<Ticket>, cx: &mut Context<'_, '_, Game>) -> Status {
        ask(tickets, cx);
        let told = tickets.iter().map(|&it| cx.spawned(it)).collect();
        let agent = cx.agent();
        cx.host.told.insert(agent, told);
        cx.host.updates += 1;
        cx.sleep_until_change();
        cx.host.heard += cx.events().count();
        Status::Running
    }
}

fn ask(tickets: &mut Vec<Ticket>, cx: &mut Context<'_, '_, Game>) {
    for (tree, spawn) in cx.host.wanted.remove(&cx.agent()).unwrap_or_default() {
        tickets.push(cx.spawn(tree, spawn));
    }
}

fn tree() -> Tree<Game> {
    Tree::builder("asks").build(action_of(Asks)).unwrap()
}

struct Play {
    forest: Forest<Game>,
    world: World,
    asks: TreeId,
    other: TreeId,
}

impl Play {
    fn new() -> Self {
        let mut forest = Forest::new(7);
        let asks = forest.add_tree(tree()).unwrap();
        let other = forest.add_tree(Tree::builder("other").build(idle()).unwrap()).unwrap();
        Play { forest, world: World::default(), asks, other }
    }
    fn agent(&mut self) -> AgentId {
        self.forest.spawn(&mut self.world, self.asks).unwrap()
    }
    fn want(&mut self, agent: AgentId, count: usize) {
        self.world.wanted.insert(agent, vec![(self.other, Spawn::default()); count]);
    }
    fn tick(&mut self) {
        self.forest.tick(&mut self.world, 0.1).unwrap();
    }
    fn told(&self, agent: AgentId) -> &[Option<AgentId>] {
        &self.world.told[&agent]
    }
    /// The agents of the other tree, in the order in which they were spawned.
    fn others(&self) -> Vec<Option<AgentId>> {
        let mut others: Vec<AgentId> = self.forest.population(self.other).unwrap().agents().collect();
        others.sort();
        others.into_iter().map(Some).collect()
    }
}

#[test]
fn an_id_is_told_in_the_next_tick_and_in_no_other() {
    let mut play = Play::new();
    let [first, second] = [(); 2].map(|()| play.agent());
    play.tick();
    play.want(first, 2);
    play.want(second, 1);
    for agent in [first, second] {
        play.forest.agent_mut(agent).unwrap().restart(&mut play.world);
    }
    // Asked for in `awake`, and carried out in that call.
    assert_eq!(play.others().len(), 3);
    play.tick();
    let others = play.others();
    assert_eq!((play.told(first), play.told(second)), (&others[..2], &others[2..]));
    // They wake for something else, and get no more answers.
    for agent in [first, second] {
        play.forest.agent_mut(agent).unwrap().send(Event::new("wake")).unwrap();
    }
    play.tick();
    assert_eq!((play.told(first), play.told(second)), (&[None, None][..], &[None][..]));
}

#[test]
fn tickets_of_a_tick_are_answered_in_the_next() {
    let mut play = Play::new();
    let agent = play.agent();
    play.want(agent, 2);
    play.tick();
    assert_eq!(play.told(agent), [None, None]);
    // It sleeps, and is woken for the answer.
    play.tick();
    let others = play.others();
    assert_eq!((play.told(agent), play.world.updates), (&others[..], 2));
    assert_eq!(play.world.heard, 0, "what is told is no event");
    // No answer: it sleeps on.
    play.tick();
    assert_eq!((play.world.updates, play.forest.agent(agent).map(|it| it.phase())), (2, Ok(Phase::Asleep)));
}

#[test]
fn nothing_that_was_spawned_is_nobody() {
    let mut play = Play::new();
    let agent = play.agent();
    let gone = play.forest.add_tree(tree()).unwrap();
    play.forest.remove_tree(&mut play.world, gone).unwrap();
    play.world.wanted.insert(agent, vec![(gone, Spawn::default()), (play.other, Spawn::default())]);
    play.tick();
    play.tick();
    assert_eq!(play.told(agent), [None, play.others()[0]]);
    // An `awake` that spawns its own tree asks for nothing.
    let again = play.agent();
    play.world.wanted.insert(again, vec![(play.asks, Spawn::default())]);
    play.forest.agent_mut(again).unwrap().restart(&mut play.world);
    play.tick();
    assert_eq!(play.told(again), [None]);
}

#[test]
fn who_is_off_is_not_told_and_who_is_paused_is_told_later() {
    let mut play = Play::new();
    let [off, paused] = [(); 2].map(|()| play.agent());
    play.want(off, 1);
    play.want(paused, 1);
    play.tick();
    play.forest.agent_mut(off).unwrap().disable(&mut play.world);
    play.forest.agent_mut(paused).unwrap().pause(&mut play.world);
    play.tick();
    play.forest.agent_mut(off).unwrap().enable(&mut play.world);
    play.forest.agent_mut(paused).unwrap().unpause(&mut play.world);
    play.tick();
    assert_eq!((play.told(off), play.told(paused)), (&[None][..], &play.others()[1..]));
    // An agent that is gone gets no answer either.
    play.want(paused, 1);
    play.forest.agent_mut(paused).unwrap().restart(&mut play.world);
    play.forest.agent_mut(paused).unwrap().despawn(&mut play.world);
    play.tick();
    assert_eq!(play.others().len(), 3);
}

#[test]
fn a_brain_spawns_nobody() {
    let mut play = Play::new();
    let mut brain = Brain::new(&mut play.world, tree(), 0);
    play.world.wanted.insert(brain.agent(), vec![(play.other, Spawn::default())]);
    brain.tick(&mut play.world, 0.1).unwrap();
    brain.send(Event::new("wake")).unwrap();
    brain.tick(&mut play.world, 0.1).unwrap();
    assert_eq!((play.world.updates, play.told(brain.agent())), (2, &[None][..]));
    assert!(play.others().is_empty());
}

/// The ids of agents, and the answers that they get, do not depend on threads.
#[test]
fn threads_change_nothing() {
    let run = |threads: bool| {
        let mut forest = Forest::<Game>::new(7);
        let asks = forest.add_tree(tree()).unwrap();
        let other = forest.add_tree(Tree::builder("other").build(idle()).unwrap()).unwrap();
        let mut world = World::default();
        let agents: Vec<AgentId> = (0..1_500).map(|_| forest.spawn(&mut world, asks).unwrap()).collect();
        let mut told = Vec::new();
        for frame in 0..4 {
            let wanted: HashMap<_, _> =
                agents.iter().step_by(7 - frame).map(|&it| (it, vec![(other, Spawn::default()); 2])).collect();
            for &agent in &agents {
                forest.agent_mut(agent).unwrap().send(Event::new("wake")).unwrap();
            }
            let mut all = HashMap::new();
            if threads {
                let make = |_| World { wanted: wanted.clone(), ..World::default() };
                forest.tick_parallel(0.1, make, |it| all.extend(it.told)).unwrap();
            } else {
                let mut world = World { wanted, ..World::default() };
                forest.tick(&mut world, 0.1).unwrap();
                all = world.told;
            }
            told.push(agents.iter().map(|it| all[it].clone()).collect::<Vec<_>>());
        }
        told
    };
    let told = run(false);
    assert!(told[3].iter().flatten().flatten().count() > 500);
    assert_eq!(told, run(true));
}
