//! A world in two processes: couriers walk along a road. One half of it belongs to a first process,
//! the other to a second one, and this one is the clock and the post between them. A squad that
//! crosses the middle carries on in the other process, with its keys, its mail, the states of its
//! leaves, its random numbers, and all recordings of it so far. Its sender forgets it when the
//! other has it on its disk.
//!
//! Each process is killed three times: with a squad on its way, after it took a squad and before it
//! answered, and in between. Nothing is lost and nothing happens twice: every courier does exactly
//! what it does in one process, and the recordings of either process show all of it. For that the
//! clock keeps the orders since the last save of each process, as a queue on a disk would. If the
//! clock itself dies, both processes write themselves to their disks and end; this example does not
//! continue from there.
//!
//! `cargo run -p pleach --features save --example handover`. With `300 DIRECTORY` after `--` it
//! plays 300 frames and leaves the recordings in that directory.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::ErrorKind;
use std::path::Path;
use std::{env, fs};

use pleach::record::Recording;
use pleach::schema::Scope;
use pleach::{
    AgentId, Context, Entity, Event, Forest, GroupId, Host, Key, Registry, Save, Spawn, Status, Tree, leaf, load_str,
};
use serde::{Deserialize, Serialize};

#[path = "handover/processes.rs"]
mod processes;
#[path = "handover/recorded.rs"]
mod recorded;

use processes::{Answer, Order, Process, process};
use recorded::{Recordings, recordings_on, replayed, says, write};

const TREE: &str = r#"Tree(
    version: 1, name: "courier",
    blackboard: { "letters": Int(0), "pace": Float(0) },
    group: { "delivered": Int(0) },
    events: { "letter": Int },
    root: Parallel(success: Any, children: [
        Repeat(forever: true, child: Sequence(name: "read", children: [
            WaitFor(event: "letter", into: "letters"),
            Wait(0.3),
        ])),
        Sequence([
            Roll(key: "pace", from: 20.0, to: 30.0),
            Walk(name: "go", to: 100.0, pace: "pace"),
            Set(key: "delivered", to: "delivered + 1"),
            Wait(name: "rest", seconds: 1.0, jitter: 0.5),
            Walk(name: "return", to: 0.0, pace: "pace"),
        ]),
    ]),
)"#;

const FIRST: &str = "first";
const SECOND: &str = "second";
/// The middle of the road: the part beyond it belongs to the second process.
const BORDER: f32 = 50.0;
/// How many squads there are, and how many couriers are in each.
const SQUADS: (usize, usize) = (3, 2);

struct Game;
impl Host for Game {
    type Cx<'a> = Places;
}

/// Where each courier is, by its entity.
type Places = BTreeMap<usize, f32>;

fn me(cx: &Context<Game>) -> usize {
    cx.entity().index().expect("every courier has a place")
}

#[leaf]
fn walk(cx: &mut Context<Game>, to: f32, pace: Key<f32>) -> Status {
    let (me, step) = (me(cx), cx.get(pace) * cx.dt());
    let at = cx.host.get_mut(&me).expect("every courier has a place");
    *at += (to - *at).clamp(-step, step);
    if *at == to { Status::Success } else { Status::Running }
}

fn tree() -> Result<Tree<Game>, Box<dyn Error>> {
    let mut registry = Registry::new();
    registry.leaf_fn::<walk>()?;
    Ok(load_str("courier.ron", TREE, &registry)?)
}

/// A squad on its way: the agents with their group, the game's data about them, and the sender's
/// recordings of them so far.
#[derive(Clone, Deserialize, Serialize)]
struct Squad {
    agents: Save,
    places: Places,
    recordings: Recordings,
}

/// A part of the world, with what must be on the disk to restore it.
struct Part {
    forest: Forest<Game>,
    courier: pleach::TreeId,
    places: Places,
    frame: u64,
    /// The recording of this life of the process, and its file.
    recording: Recording,
    file: String,
    /// Recordings that came with squads, and those of earlier lives.
    recordings: Recordings,
    /// How many orders it has answered.
    answered: usize,
    /// How many squads have arrived.
    taken: u64,
    /// Squads that left, with their numbers, until the other side has them.
    leaving: BTreeMap<u64, Squad>,
    left: u64,
}

/// A part on the disk.
#[derive(Deserialize, Serialize)]
struct Kept {
    squad: Squad,
    frame: u64,
    answered: usize,
    taken: u64,
    leaving: BTreeMap<u64, Squad>,
    left: u64,
}

impl Part {
    /// A part of the process with this name, which begins after this frame.
    fn new(name: &str, frame: u64) -> Result<Self, Box<dyn Error>> {
        // Saved agents fit into any forest of the same seed that has not used their ids: so one
        // process spawns all of them.
        let mut forest = Forest::new(7);
        let courier = forest.add_tree(tree()?)?;
        let mut recording = Recording::new().keys_every(1);
        // This lets `pleach replay` make the tree.
        recording.add_file("courier.ron", TREE);
        let (places, recordings, leaving) = (Places::new(), Recordings::new(), BTreeMap::new());
        let file = format!("{name}-{frame:04}.rec");
        let (answered, taken, left) = (0, 0, 0);
        Ok(Part { forest, courier, places, frame, recording, file, recordings, answered, taken, leaving, left })
    }

    fn spawn_all(&mut self) -> Result<(), Box<dyn Error>> {
        for squad in 0..SQUADS.0 {
            let group = self.forest.new_group();
            for courier in 0..SQUADS.1 {
                let number = squad * SQUADS.1 + courier;
                self.places.insert(number, -20.0 * squad as f32);
                let spawn = Spawn { entity: Entity::from_index(number), group: Some(group), ..Spawn::default() };
                self.forest.spawn_with(&mut self.places, self.courier, spawn)?;
            }
        }
        Ok(())
    }

    /// All recordings that this part has.
    fn recorded(&self) -> Recordings {
        let mut all = self.recordings.clone();
        all.insert(self.file.clone(), self.recording.to_bytes());
        all
    }

    fn agents(&self) -> Vec<AgentId> {
        self.forest.population(self.courier).map(|it| it.agents().collect()).unwrap_or_default()
    }

    fn entity(&self, agent: AgentId) -> usize {
        self.forest.agent(agent).ok().and_then(|it| it.entity().index()).unwrap_or_default()
    }

    /// The game's own events: letters for all.
    fn post(&mut self) -> Result<(), Box<dyn Error>> {
        if self.frame.is_multiple_of(7) {
            for agent in self.agents() {
                self.forest.agent_mut(agent)?.send(Event::new("letter").with(self.frame as i64))?;
            }
        }
        Ok(())
    }

    /// Prepares all squads that are entirely beyond the border to leave.
    fn leave(&mut self, is_beyond: impl Fn(f32) -> bool) -> Result<(), Box<dyn Error>> {
        let groups: BTreeSet<GroupId> =
            self.agents().iter().filter_map(|it| self.forest.agent(*it).ok()?.group()).collect();
        for group in groups {
            let members = self.forest.group(group)?.members().to_vec();
            let entities: Vec<usize> = members.iter().map(|it| self.entity(*it)).collect();
            if !entities.iter().all(|it| is_beyond(self.places[it])) {
                continue;
            }
            let agents = self.forest.save_agents(members.iter().copied())?;
            for agent in members {
                self.forest.agent_mut(agent)?.despawn(&mut self.places);
            }
            // It takes its values along, and comes back with others.
            self.forest.group_mut(group)?.remove();
            let places = entities.iter().filter_map(|it| Some((*it, self.places.remove(it)?))).collect();
            self.left += 1;
            // They are gone from the world, but kept until the other side has them.
            let recordings = self.recorded();
            self.leaving.insert(self.left, Squad { agents, places, recordings });
        }
        Ok(())
    }

    /// Takes a squad in, and returns true, unless it is already here: a squad comes twice if the
    /// answer was lost.
    fn take(&mut self, number: u64, squad: &Squad) -> Result<bool, Box<dyn Error>> {
        let is_new = number > self.taken;
        if is_new {
            self.places.extend(&squad.places);
            self.forest.restore(&mut self.places, &squad.agents)?;
            for (file, bytes) in &squad.recordings {
                // The longer one contains the other: nothing is dropped from a recording here.
                let known = self.recordings.entry(file.clone()).or_default();
                if bytes.len() > known.len() {
                    known.clone_from(bytes);
                }
            }
            self.taken = number;
        }
        Ok(is_new)
    }

    /// Plays a frame. Returns what each courier does then.
    fn tick(&mut self) -> Result<Vec<(usize, Line)>, Box<dyn Error>> {
        self.forest.traced(&mut self.recording).tick(&mut self.places, 1.0 / 20.0)?;
        self.frame += 1;
        let mut lines = Vec::new();
        for agent in self.agents() {
            let entity = self.entity(agent);
            let courier = self.forest.agent(agent)?.inspect();
            let group = courier.keys.iter().filter(|it| it.0.scope() == Scope::Group).map(|it| format!("{:?}", it.1));
            lines.push((entity, (says(self.frame, &courier), self.places[&entity], group.collect())));
        }
        Ok(lines)
    }

    /// Writes everything to the disk, the recordings first: if the process dies in between, the
    /// next life replays and re-records the frames that the rest lacks.
    fn keep(&self, disk: &Path) -> Result<(), Box<dyn Error>> {
        for (file, bytes) in self.recorded() {
            write(&disk.join(file), &bytes)?;
        }
        let (agents, places) = (self.forest.save()?, self.places.clone());
        let squad = Squad { agents, places, recordings: Recordings::new() };
        let Part { frame, answered, taken, left, .. } = *self;
        let kept = Kept { squad, frame, answered, taken, leaving: self.leaving.clone(), left };
        write(&disk.join("part.json"), serde_json::to_string(&kept)?.as_bytes())
    }

    fn from_disk(name: &str, disk: &Path) -> Result<Self, Box<dyn Error>> {
        let text = match fs::read_to_string(disk.join("part.json")) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let mut part = Part::new(name, 0)?;
                if name == FIRST {
                    part.spawn_all()?;
                }
                return Ok(part);
            }
            text => text?,
        };
        let kept: Kept = serde_json::from_str(&text)?;
        let mut part = Part::new(name, kept.frame)?;
        part.take(1, &kept.squad)?;
        part.recordings = recordings_on(disk)?;
        (part.answered, part.taken, part.left, part.leaving) = (kept.answered, kept.taken, kept.left, kept.leaving);
        Ok(part)
    }
}

/// What a courier does in a frame, where, and the keys of its squad.
type Line = (String, f32, Vec<String>);

type LinesByCourier = BTreeMap<usize, Vec<Line>>;

fn add(told: &mut LinesByCourier, lines: Vec<(usize, Line)>) {
    lines.into_iter().for_each(|(courier, line)| told.entry(courier).or_default().push(line));
}

/// The world in one process.
fn alone(frames: u64) -> Result<LinesByCourier, Box<dyn Error>> {
    let (mut part, mut told) = (Part::new("alone", 0)?, LinesByCourier::new());
    part.spawn_all()?;
    for _ in 0..frames {
        part.post()?;
        add(&mut told, part.tick()?);
    }
    Ok(told)
}

/// The world in two processes, which die three times each.
fn together(frames: u64, first: &Path, second: &Path) -> Result<LinesByCourier, Box<dyn Error>> {
    let mut told = LinesByCourier::new();
    let mut sides = [Process::start(FIRST, first)?, Process::start(SECOND, second)?];
    for frame in 0..frames {
        for side in &mut sides {
            if frame == frames / 2 {
                side.process.kill()?;
            }
        }
        let leaving = [sides[0].begin(frame)?, sides[1].begin(frame)?];
        for (from, squads) in leaving.into_iter().enumerate() {
            for (number, squad) in squads {
                let (out, to) = (sides[from].name, 1 - from);
                println!("frame {frame}: couriers {:?} leave the {out} process", squad.places.keys());
                if number == 3 {
                    sides[from].process.kill()?;
                }
                let Answer::Taken(taken) = sides[to].order(Order::Take(number, Box::new(squad)))? else {
                    return Err("it did not take the squad".into());
                };
                sides[from].arrived = taken;
            }
        }
        for side in &mut sides {
            let Answer::Done(lines) = side.order(Order::Tick)? else { return Err("it did not play the frame".into()) };
            add(&mut told, lines);
        }
    }
    let deaths = sides.each_ref().map(|it| it.deaths);
    assert!(frames < 300 || deaths == [3, 3], "the processes died {deaths:?} times");
    sides.into_iter().try_for_each(Process::end)?;
    Ok(told)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [mode, name, address, disk] = &arguments[..]
        && mode == "--process"
    {
        return process(name, address, Path::new(disk));
    }
    let frames: u64 = arguments.first().map_or(Ok(300), |it| it.parse())?;
    let own = env::temp_dir().join(format!("pleach-handover-{}", std::process::id()));
    let disks = arguments.get(1).map_or(&*own, Path::new);
    let (first, second) = (disks.join(FIRST), disks.join(SECOND));
    fs::create_dir_all(&first)?;
    fs::create_dir_all(&second)?;
    let (one, two) = (alone(frames)?, together(frames, &first, &second)?);
    for (courier, lines) in &one {
        let other = &two[courier];
        let differs = lines.iter().zip(other).find(|it| it.0 != it.1);
        assert!(differs.is_none() && lines.len() == other.len(), "courier {courier}: {differs:?}");
    }
    assert!(frames < 300 || one[&0].iter().any(|it| it.0.contains("return")), "courier 0 has turned round");
    assert!(
        frames < 300 || one[&0].iter().any(|it| it.2 == ["Int(2)"]),
        "its squad delivered twice: {:?}",
        one[&0].last()
    );
    println!("{} couriers did the same in two processes as in one, {frames} frames long", one.len());
    println!("the last line of courier 0: {:?}", one[&0][one[&0].len() - 1]);

    // The recordings of either process show each courier from the first frame on.
    let mut longest = BTreeMap::new();
    for disk in [&first, &second] {
        for (courier, lines) in replayed(disk)? {
            let differs = lines.values().zip(&one[&courier]).find(|it| *it.0 != it.1.0);
            assert!(differs.is_none(), "courier {courier} in {}: {differs:?}", disk.display());
            longest.entry(courier).and_modify(|it| *it = lines.len().max(*it)).or_insert(lines.len());
        }
    }
    assert!(one.iter().all(|it| longest.get(it.0) == Some(&it.1.len())), "the recordings end after {longest:?}");
    println!("the recordings say the same of {} couriers", longest.len());
    if arguments.len() < 2 {
        fs::remove_dir_all(own)?;
    }
    Ok(())
}
