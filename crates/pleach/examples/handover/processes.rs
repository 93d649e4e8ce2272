//! The processes: the orders of the clock, their answers, and what happens when one dies.

use std::collections::{BTreeMap, VecDeque};
use std::env;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, abort};

use serde::{Deserialize, Serialize};

use super::{BORDER, FIRST, Line, Part, Squad};

/// The frames after which a process writes itself to its disk.
const EVERY: u64 = 25;
/// A process dies after it has taken this squad, before it answers.
const DIES_AFTER: u64 = 2;

/// An order of the clock to a process.
#[derive(Clone, Deserialize, Serialize)]
pub(super) enum Order {
    /// The frame after this one begins: hand out letters, and report which squads leave. Squads up
    /// to this number have arrived where they went.
    Begin(u64, u64),
    /// A squad of this number comes in.
    Take(u64, Box<Squad>),
    /// Play the frame.
    Tick,
}

/// The answer of a process.
#[derive(Deserialize, Serialize)]
pub(super) enum Answer {
    /// It has started from its disk, which holds the effects of this many orders.
    Here(usize),
    /// The squads that leave or have left and are not known to have arrived, and the number of
    /// orders that were answered when the process last wrote itself to its disk.
    Leaving(BTreeMap<u64, Squad>, usize),
    /// It has the squads up to this number on its disk.
    Taken(u64),
    /// What its couriers did.
    Done(Vec<(usize, Line)>),
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

/// One of the two processes: it follows orders until the clock closes the connection.
pub(super) fn process(name: &str, address: &str, disk: &Path) -> Result<(), Box<dyn Error>> {
    let mut part = Part::from_disk(name, disk)?;
    let mut on_disk = part.answered;
    let mut out = TcpStream::connect(address)?;
    let mut orders = BufReader::new(out.try_clone()?);
    say(&mut out, &Answer::Here(part.answered))?;
    while let Ok(order) = hear(&mut orders) {
        let answer = match order {
            Order::Begin(frame, arrived) => {
                assert_eq!(frame, part.frame, "no frame is left out");
                // Before anything of the frame happens: this order shows that all answers so far
                // have arrived.
                if frame.is_multiple_of(EVERY) {
                    part.keep(disk)?;
                    on_disk = part.answered;
                }
                part.leaving.retain(|number, _| *number > arrived);
                part.post()?;
                part.leave(|at| if name == FIRST { at >= BORDER } else { at < BORDER })?;
                Answer::Leaving(part.leaving.clone(), on_disk)
            }
            Order::Take(number, squad) => {
                let is_new = part.take(number, &squad)?;
                if !is_new {
                    println!("  squad {number} comes again, and is here: nothing to do");
                }
                // First to the disk, then the answer: with it the sender forgets the squad. If the
                // process dies between, this order comes again.
                part.keep(disk)?;
                on_disk = part.answered;
                if is_new && number == DIES_AFTER {
                    abort();
                }
                Answer::Taken(part.taken)
            }
            Order::Tick => Answer::Done(part.tick()?),
        };
        say(&mut out, &answer)?;
        part.answered += 1;
    }
    part.keep(disk)
}

/// A process, as the clock sees it.
pub(super) struct Process {
    pub(super) name: &'static str,
    listener: TcpListener,
    disk: PathBuf,
    pub(super) process: Child,
    out: TcpStream,
    answers: BufReader<TcpStream>,
    /// The orders that are not on its disk, which the process must repeat after it died, and the
    /// number of the first of them.
    orders: VecDeque<Order>,
    first: usize,
    /// The number of the last squad that has arrived where it went.
    pub(super) arrived: u64,
    /// How often it was killed.
    pub(super) deaths: u32,
}

impl Process {
    pub(super) fn start(name: &'static str, disk: &Path) -> Result<Self, Box<dyn Error>> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let (process, out, answers) = Process::spawn(name, &listener, disk)?;
        let (disk, orders) = (disk.to_owned(), VecDeque::new());
        let mut it = Process { name, listener, disk, process, out, answers, orders, first: 0, arrived: 0, deaths: 0 };
        let Answer::Here(0) = hear(&mut it.answers)? else { return Err("it is not new".into()) };
        Ok(it)
    }

    fn spawn(
        name: &str,
        listener: &TcpListener,
        disk: &Path,
    ) -> Result<(Child, TcpStream, BufReader<TcpStream>), Box<dyn Error>> {
        let process = Command::new(env::current_exe()?)
            .args(["--process", name, &listener.local_addr()?.to_string()])
            .arg(disk)
            .spawn()?;
        let (out, _) = listener.accept()?;
        let answers = BufReader::new(out.try_clone()?);
        Ok((process, out, answers))
    }

    /// Gives an order, and returns its answer. If the process is gone, another one takes its place,
    /// reads the disk, and repeats the rest.
    pub(super) fn order(&mut self, order: Order) -> Result<Answer, Box<dyn Error>> {
        self.orders.push_back(order.clone());
        if let Ok(answer) = say(&mut self.out, &order).and_then(|()| hear(&mut self.answers)) {
            return Ok(answer);
        }
        self.process.wait()?;
        self.deaths += 1;
        (self.process, self.out, self.answers) = Process::spawn(self.name, &self.listener, &self.disk)?;
        let Answer::Here(answered) = hear(&mut self.answers)? else { return Err("it does not begin".into()) };
        self.forget(answered);
        println!("  the {} process is gone; a new one starts, orders to repeat: {}", self.name, self.orders.len());
        let mut last = Err("it has answered all orders".into());
        for order in &self.orders {
            say(&mut self.out, order)?;
            last = hear(&mut self.answers);
        }
        last
    }

    /// Drops the orders that its disk holds: this many since the start.
    fn forget(&mut self, answered: usize) {
        self.orders.drain(..answered - self.first);
        self.first = answered;
    }

    /// Begins a frame. Returns the squads that leave.
    pub(super) fn begin(&mut self, frame: u64) -> Result<BTreeMap<u64, Squad>, Box<dyn Error>> {
        let Answer::Leaving(squads, on_disk) = self.order(Order::Begin(frame, self.arrived))? else {
            return Err("it did not begin the frame".into());
        };
        self.forget(on_disk);
        Ok(squads)
    }

    /// The game is over: the process writes itself to its disk and ends.
    pub(super) fn end(mut self) -> Result<(), Box<dyn Error>> {
        self.out.shutdown(Shutdown::Both)?;
        if self.process.wait()?.success() { Ok(()) } else { Err("the process has failed".into()) }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
