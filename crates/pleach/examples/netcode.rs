//! Rollback netcode: two peers run the same game, each guesses what the other player does, and
//! rolls back to a snapshot where it guessed wrong. In the end both have had the same frames.
//!
//! `cargo run -p pleach --example netcode`

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};

use pleach::{Action, Context, Entity, Forest, Host, Key, Registry, Snapshot, Spawn, Status, TreeId, leaf, load_str};
use serde::Deserialize;

const TREE: &str = r#"Tree(
    version: 1, name: "chaser",
    blackboard: { "near": Bool(false), "to": Int(0) },
    root: Selector([
        Sequence(abort: Both, children: [Check("near"), Bite]),
        Sequence([Aim(to: "to"), Chase(to: "to", steps: 6), WaitTicks(3)]),
    ]),
)"#;

/// How many frames late the other player's input comes.
const DELAY: usize = 5;

/// Whole numbers, so that both peers compute the same.
#[derive(Clone, Hash)]
struct World {
    players: [i64; 2],
    chasers: Vec<i64>,
    bites: u32,
}

struct Game;
impl Host for Game {
    type Cx<'a> = World;
}

fn me(cx: &Context<Game>) -> usize {
    cx.entity().index().expect("every chaser has a place")
}

#[leaf]
fn aim(cx: &mut Context<Game>, to: Key<i64>) -> Status {
    let player = usize::from(cx.random() < 0.5);
    let place = cx.host.players[player];
    cx.set(to, place);
    Status::Success
}

/// Walks `steps` steps, and counts them. The count can be cloned, so a snapshot holds it.
#[derive(Deserialize)]
struct Chase {
    to: Key<i64>,
    steps: u32,
}

#[leaf]
impl Action<Game> for Chase {
    type State = u32;
    fn start(&self, taken: &mut u32, _: &mut Context<'_, '_, Game>) {
        *taken = 0;
    }
    fn update(&self, taken: &mut u32, cx: &mut Context<'_, '_, Game>) -> Status {
        let (me, to) = (me(cx), cx.get(self.to));
        cx.host.chasers[me] += (to - cx.host.chasers[me]).signum();
        *taken += 1;
        if *taken == self.steps { Status::Success } else { Status::Running }
    }
}

#[leaf]
fn bite(cx: &mut Context<Game>) -> Status {
    cx.host.bites += 1;
    Status::Running
}

/// A frame that was played with a guess: the state before it, and both inputs.
struct Guess {
    world: World,
    forest: Snapshot<Game>,
    inputs: [i64; 2],
}

/// The game of one player.
struct Peer {
    me: usize,
    world: World,
    forest: Forest<Game>,
    chasers: TreeId,
    near: Key<bool>,
    /// The frames whose other input has not come yet.
    guesses: VecDeque<Guess>,
    /// The result of each frame.
    hashes: BTreeMap<usize, u64>,
    rollbacks: u32,
}

impl Peer {
    fn new(me: usize) -> Result<Peer, Box<dyn Error>> {
        let mut registry = Registry::new();
        registry.leaf_fn::<aim>()?.leaf_fn::<bite>()?.action::<Chase>("Chase")?;
        let tree = load_str("chaser.ron", TREE, &registry)?;
        let near = tree.key("near")?;
        // Both peers have the same seed.
        let mut forest = Forest::new(7);
        let chasers = forest.add_tree(tree)?;
        let mut world = World { players: [0, 40], chasers: Vec::new(), bites: 0 };
        for (index, place) in (0..20).map(|it| 2 * it).enumerate() {
            world.chasers.push(place);
            forest.spawn_with(&mut world, chasers, Spawn { entity: Entity::from_index(index), ..Spawn::default() })?;
        }
        let (guesses, hashes) = (VecDeque::new(), BTreeMap::new());
        Ok(Peer { me, world, forest, chasers, near, guesses, hashes, rollbacks: 0 })
    }

    fn step(&mut self, frame: usize, inputs: [i64; 2]) -> Result<(), Box<dyn Error>> {
        self.world.players.iter_mut().zip(inputs).for_each(|(place, input)| *place += input);
        let World { players, chasers, .. } = &self.world;
        self.forest.population_mut(self.chasers)?.update_agents(|it| {
            let at = it.entity().index().map_or(0, |it| chasers[it]);
            it.set(self.near, players.iter().any(|player| (player - at).abs() <= 1));
        });
        self.forest.tick(&mut self.world, 1.0 / 60.0)?;
        let mut hasher = DefaultHasher::new();
        self.world.hash(&mut hasher);
        self.hashes.insert(frame, hasher.finish());
        Ok(())
    }

    /// Plays a frame in which the other's input is a guess.
    fn guess(&mut self, frame: usize, inputs: [i64; 2]) -> Result<(), Box<dyn Error>> {
        self.guesses.push_back(Guess { world: self.world.clone(), forest: self.forest.snapshot()?, inputs });
        self.step(frame, inputs)
    }

    /// The other's input of the first frame that was guessed has come.
    fn hear(&mut self, frame: usize, input: i64) -> Result<(), Box<dyn Error>> {
        let Some(Guess { world, forest, mut inputs }) = self.guesses.pop_front() else { return Ok(()) };
        let other = 1 - self.me;
        if inputs[other] == input {
            return Ok(());
        }
        self.rollbacks += 1;
        self.world = world;
        self.forest.rollback(&forest)?;
        inputs[other] = input;
        self.step(frame, inputs)?;
        // The frames after it are played again, with the best guess at this point.
        for (frame, Guess { mut inputs, .. }) in (frame + 1..).zip(std::mem::take(&mut self.guesses)) {
            inputs[other] = input;
            self.guess(frame, inputs)?;
        }
        Ok(())
    }
}

/// What a player does: it changes its mind now and then.
fn input(player: usize, frame: usize) -> i64 {
    [1, 0, -1, 1, -1][(frame / (7 + player) + player) % 5]
}

fn main() -> Result<(), Box<dyn Error>> {
    let frames: usize = std::env::args().nth(1).map_or(Ok(600), |it| it.parse())?;
    let mut peers = [Peer::new(0)?, Peer::new(1)?];
    for frame in 0..frames + DELAY {
        for peer in &mut peers {
            let other = 1 - peer.me;
            if let Some(heard) = frame.checked_sub(DELAY) {
                peer.hear(heard, input(other, heard))?;
            }
            if frame < frames {
                let last = frame.checked_sub(DELAY).map_or(0, |it| input(other, it));
                let mut inputs = [last; 2];
                inputs[peer.me] = input(peer.me, frame);
                peer.guess(frame, inputs)?;
            }
        }
        // By now both have all inputs of this frame.
        if let Some(known) = frame.checked_sub(DELAY) {
            let hashes = [0, 1].map(|it| peers[it].hashes.remove(&known));
            assert!(hashes[0].is_some() && hashes[0] == hashes[1], "the peers differ in frame {known}");
        }
    }
    let [a, b] = &peers;
    println!(
        "{frames} frames, {} and {} rollbacks, {} bites: the same on both sides",
        a.rollbacks, b.rollbacks, a.world.bites
    );
    assert!(frames < 60 || (a.rollbacks > 5 && a.world.bites > 0 && a.world.bites == b.world.bites));
    Ok(())
}
