//! A world in two processes: couriers walk along a road. One half of it belongs to this process,
//! the other to a second one. A squad that crosses the middle goes on in the other process, with
//! its keys, its mail, what its leaves remember and its chance, and with all recordings of what it
//! did so far. The sender forgets it when the other has it on its disk. The second process is
//! killed meanwhile, and nothing is lost: every courier does exactly what it does in one process,
//! and the recordings of either process tell all of it.
//!
//! `cargo run -p pleach --features save --example handover`. With `300 DIRECTORY` behind `--` it
//! plays 300 frames and leaves the recordings in that directory.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::{env, fs};

use pleach::record::Recording;
use pleach::{
    AgentId, Context, Entity, Event, Forest, GroupId, Host, Key, Registry, Save, Spawn, Status, Tree, leaf, load_str,
};
use serde::{Deserialize, Serialize};

#[path = "handover/recorded.rs"]
mod recorded;

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

/// The middle of the road: what is beyond belongs to the second process.
const BORDER: f32 = 50.0;
/// How many squads there are, and of how many couriers each.
const SQUADS: (usize, usize) = (3, 2);
/// How often the second process writes itself to its disk.
const EVERY: u64 = 25;

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

/// A squad on its way: the agents with their group, what the game knows of them, and all that the
/// sender has of what they did so far.
#[derive(Clone, Deserialize, Serialize)]
struct Squad {
    agents: Save,
    places: Places,
    recordings: Recordings,
}

/// A part of the world, and what has to be on the disk to make it again.
struct Part {
    forest: Forest<Game>,
    courier: pleach::TreeId,
    places: Places,
    frame: u64,
    /// What this life of the process records, and its file.
    recording: Recording,
    file: String,
    /// What came with squads, and what earlier lives recorded.
    recordings: Recordings,
    /// How many squads came here.
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
    taken: u64,
    leaving: BTreeMap<u64, Squad>,
    left: u64,
}

impl Part {
    /// A part of the process with this name, which begins after this frame.
    fn new(name: &str, frame: u64) -> Result<Self, Box<dyn Error>> {
        // Some agents come into any forest of the same seed that has not given their ids to others:
        // so one process spawns all of them.
        let mut forest = Forest::new(7);
        let courier = forest.add_tree(tree()?)?;
        let mut recording = Recording::new().keys_every(1);
        // So that `pleach replay` can make the tree.
        recording.add_file("courier.ron", TREE);
        let (places, recordings, leaving) = (Places::new(), Recordings::new(), BTreeMap::new());
        let file = format!("{name}-{frame:04}.rec");
        Ok(Part { forest, courier, places, frame, recording, file, recordings, taken: 0, leaving, left: 0 })
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

    /// Prepares the squads to leave that are on the other side of the border, all of them.
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

    /// Takes a squad in, unless it is here: a squad may come twice, if the answer was lost.
    fn take(&mut self, number: u64, squad: &Squad) -> Result<(), Box<dyn Error>> {
        if number > self.taken {
            self.places.extend(&squad.places);
            self.forest.restore(&mut self.places, &squad.agents)?;
            for (file, bytes) in &squad.recordings {
                // The longer one holds the other: nothing is dropped from a recording here.
                let known = self.recordings.entry(file.clone()).or_default();
                if bytes.len() > known.len() {
                    known.clone_from(bytes);
                }
            }
            self.taken = number;
        }
        Ok(())
    }

    /// Plays a frame. Returns what each courier does then.
    fn tick(&mut self) -> Result<Vec<(usize, Line)>, Box<dyn Error>> {
        self.forest.traced(&mut self.recording).tick(&mut self.places, 1.0 / 20.0)?;
        self.frame += 1;
        let mut lines = Vec::new();
        for agent in self.agents() {
            let entity = self.entity(agent);
            lines.push((entity, (says(self.frame, &self.forest.agent(agent)?.inspect()), self.places[&entity])));
        }
        Ok(lines)
    }

    /// Writes all to the disk, the recordings first: if the process dies between, the next life
    /// plays and records the frames again that the rest does not have.
    fn keep(&self, disk: &Path) -> Result<(), Box<dyn Error>> {
        for (file, bytes) in self.recorded() {
            write(&disk.join(file), &bytes)?;
        }
        let (agents, places) = (self.forest.save()?, self.places.clone());
        let squad = Squad { agents, places, recordings: Recordings::new() };
        let (frame, taken, left) = (self.frame, self.taken, self.left);
        let kept = Kept { squad, frame, taken, leaving: self.leaving.clone(), left };
        write(&disk.join("part.json"), serde_json::to_string(&kept)?.as_bytes())
    }

    fn from_disk(name: &str, disk: &Path) -> Result<Self, Box<dyn Error>> {
        let text = match fs::read_to_string(disk.join("part.json")) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Part::new(name, 0),
            text => text?,
        };
        let kept: Kept = serde_json::from_str(&text)?;
        let mut part = Part::new(name, kept.frame)?;
        part.take(1, &kept.squad)?;
        part.recordings = recordings_on(disk)?;
        (part.taken, part.left, part.leaving) = (kept.taken, kept.left, kept.leaving);
        Ok(part)
    }
}

/// What the first process tells the second one.
#[derive(Clone, Deserialize, Serialize)]
enum Order {
    /// A squad of this number comes in.
    Take(u64, Box<Squad>),
    /// Play the frame after this one. Squads up to this number have arrived here.
    Frame(u64, u64),
}

/// What the second process answers to each of them.
#[derive(Deserialize, Serialize)]
enum Answer {
    /// It begins after this frame, and has the squads up to this number.
    Here(u64, u64),
    /// It has the squads up to this number on its disk.
    Taken(u64),
    /// What its couriers do, those who leave it, and the last frame on its disk.
    Done(Vec<(usize, Line)>, BTreeMap<u64, Squad>, u64),
}

fn say(stream: &mut TcpStream, what: &impl Serialize) -> Result<(), Box<dyn Error>> {
    Ok(stream.write_all((serde_json::to_string(what)? + "\n").as_bytes())?)
}

fn hear<T: for<'a> Deserialize<'a>>(stream: &mut BufReader<TcpStream>) -> Result<T, Box<dyn Error>> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err("the other side has hung up".into());
    }
    Ok(serde_json::from_str(&line)?)
}

/// The second process: it does what it is told, until the other one hangs up.
fn second(address: &str, disk: &Path) -> Result<(), Box<dyn Error>> {
    let mut part = Part::from_disk("second", disk)?;
    let mut on_disk = part.frame;
    let mut out = TcpStream::connect(address)?;
    let mut orders = BufReader::new(out.try_clone()?);
    say(&mut out, &Answer::Here(part.frame, part.taken))?;
    while let Ok(order) = hear(&mut orders) {
        match order {
            Order::Take(number, squad) => {
                part.take(number, &squad)?;
                // First to the disk, then the answer: with it the sender forgets the squad.
                part.keep(disk)?;
                on_disk = part.frame;
                say(&mut out, &Answer::Taken(number))?;
            }
            Order::Frame(frame, arrived) => {
                assert_eq!(frame, part.frame, "no frame is left out");
                // Before the frame: this order shows that the last answer has arrived, and what is
                // on the disk is not done again.
                if part.frame.is_multiple_of(EVERY) {
                    part.keep(disk)?;
                    on_disk = part.frame;
                }
                part.leaving.retain(|number, _| *number > arrived);
                part.post()?;
                part.leave(|at| at < BORDER)?;
                let lines = part.tick()?;
                say(&mut out, &Answer::Done(lines, part.leaving.clone(), on_disk))?;
            }
        }
    }
    part.keep(disk)
}

/// The second process, as the first one sees it.
struct Other {
    listener: TcpListener,
    disk: PathBuf,
    process: Child,
    out: TcpStream,
    answers: BufReader<TcpStream>,
    /// The orders since the last frame that is on its disk: what it has to do again after it died.
    orders: Vec<(u64, Order)>,
}

impl Other {
    fn start(disk: PathBuf) -> Result<Self, Box<dyn Error>> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let (process, out, answers) = Other::process(&listener, &disk)?;
        let mut other = Other { listener, disk, process, out, answers, orders: Vec::new() };
        let Answer::Here(0, 0) = hear(&mut other.answers)? else { return Err("it is not new".into()) };
        Ok(other)
    }

    fn process(
        listener: &TcpListener,
        disk: &Path,
    ) -> Result<(Child, TcpStream, BufReader<TcpStream>), Box<dyn Error>> {
        let process = Command::new(env::current_exe()?)
            .arg("--second")
            .arg(listener.local_addr()?.to_string())
            .arg(disk)
            .spawn()?;
        let (out, _) = listener.accept()?;
        let answers = BufReader::new(out.try_clone()?);
        Ok((process, out, answers))
    }

    /// Gives an order, and returns its answer. If the process is gone, another one takes its place,
    /// reads the disk, and does again what is not there.
    fn order(&mut self, frame: u64, order: Order) -> Result<Answer, Box<dyn Error>> {
        self.orders.push((frame, order.clone()));
        if let Ok(answer) = say(&mut self.out, &order).and_then(|()| hear(&mut self.answers)) {
            return Ok(answer);
        }
        self.process.wait()?;
        (self.process, self.out, self.answers) = Other::process(&self.listener, &self.disk)?;
        let Answer::Here(begins, taken) = hear(&mut self.answers)? else { return Err("it does not begin".into()) };
        println!("frame {frame}: the second process is gone; a new one continues after frame {begins}");
        let mut last = Answer::Taken(taken);
        for (frame, order) in self.orders.clone() {
            if frame >= begins {
                say(&mut self.out, &order)?;
                last = hear(&mut self.answers)?;
            }
        }
        Ok(last)
    }

    /// The game is over: the process writes itself to its disk and ends.
    fn end(mut self) -> Result<(), Box<dyn Error>> {
        self.out.shutdown(Shutdown::Both)?;
        if self.process.wait()?.success() { Ok(()) } else { Err("the second process has failed".into()) }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a courier does in a frame, and where.
type Line = (String, f32);

type Told = BTreeMap<usize, Vec<Line>>;

fn add(told: &mut Told, lines: Vec<(usize, Line)>) {
    lines.into_iter().for_each(|(courier, line)| told.entry(courier).or_default().push(line));
}

/// The world in one process.
fn alone(frames: u64) -> Result<Told, Box<dyn Error>> {
    let (mut part, mut told) = (Part::new("alone", 0)?, Told::new());
    part.spawn_all()?;
    for _ in 0..frames {
        part.post()?;
        add(&mut told, part.tick()?);
    }
    Ok(told)
}

/// The world in two processes, of which one dies twice.
fn together(frames: u64, first: &Path, second: &Path) -> Result<Told, Box<dyn Error>> {
    let (mut part, mut told) = (Part::new("first", 0)?, Told::new());
    part.spawn_all()?;
    let mut other = Other::start(second.to_owned())?;
    for frame in 0..frames {
        part.post()?;
        part.leave(|at| at >= BORDER)?;
        for (number, squad) in part.leaving.clone() {
            println!("frame {frame}: couriers {:?} go to the second process", squad.places.keys());
            if number == 2 {
                other.process.kill()?;
            }
            let Answer::Taken(taken) = other.order(frame, Order::Take(number, Box::new(squad)))? else {
                return Err("it did not take the squad".into());
            };
            part.leaving.retain(|number, _| *number > taken);
        }
        if frame == frames / 2 {
            other.process.kill()?;
        }
        let Answer::Done(lines, leaving, on_disk) = other.order(frame, Order::Frame(frame, part.taken))? else {
            return Err("it did not play the frame".into());
        };
        other.orders.retain(|it| it.0 >= on_disk);
        add(&mut told, lines);
        // Who left it in this frame plays it here.
        for (number, squad) in &leaving {
            if *number > part.taken {
                println!("frame {frame}: couriers {:?} come back", squad.places.keys());
            }
            part.take(*number, squad)?;
        }
        add(&mut told, part.tick()?);
    }
    part.keep(first)?;
    other.end()?;
    Ok(told)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [mode, address, disk] = &arguments[..]
        && mode == "--second"
    {
        return second(address, Path::new(disk));
    }
    let frames: u64 = arguments.first().map_or(Ok(300), |it| it.parse())?;
    let own = env::temp_dir().join(format!("pleach-handover-{}", std::process::id()));
    let disks = arguments.get(1).map_or(&*own, Path::new);
    let (first, second) = (disks.join("first"), disks.join("second"));
    fs::create_dir_all(&first)?;
    fs::create_dir_all(&second)?;
    let (one, two) = (alone(frames)?, together(frames, &first, &second)?);
    for (courier, lines) in &one {
        let other = &two[courier];
        let differs = lines.iter().zip(other).find(|it| it.0 != it.1);
        assert!(differs.is_none() && lines.len() == other.len(), "courier {courier}: {differs:?}");
    }
    assert!(frames < 300 || one[&0].iter().any(|it| it.0.contains("return")), "courier 0 has turned round");
    println!("{} couriers did the same in two processes as in one, {frames} frames long", one.len());
    println!("the last line of courier 0: {:?}", one[&0][one[&0].len() - 1]);

    // The recordings of either process tell of each courier from the first frame on.
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
