//! Plays trees with the leaf answers of a row, tick by tick.

use std::collections::BTreeMap;

use pleach::asset::Manifest;
use pleach::nodes::{Node, action_of, condition};
use pleach::{Action, Context, End, Forest, Host, Library, Outcome, Spawn, Status};
use pleach_import::{Fate, Imported, Line};

/// A game whose leaves give the answers of a row.
pub(crate) struct Played;

impl Host for Played {
    type Cx<'a> = World;
}

/// The answers of leaves, and the calls to them.
#[derive(Default)]
pub(crate) struct World {
    answers: BTreeMap<String, (Vec<Status>, usize)>,
    log: Vec<String>,
}

impl World {
    /// `A=RS B=F`: leaf A is running, then a success for ever.
    pub(crate) fn say(&mut self, answers: &str) {
        for (name, answers) in answers.split(' ').filter_map(|it| it.split_once('=')) {
            let answer = |it| match it {
                'S' => Status::Success,
                'F' => Status::Failure,
                _ => Status::Running,
            };
            self.answers.insert(name.into(), (answers.chars().map(answer).collect(), 0));
        }
    }

    /// The next answer of a leaf; the last one stays.
    fn answer(&mut self, leaf: &str) -> Status {
        let (answers, next) = self.answers.get_mut(leaf).expect("the row has its answers");
        let answer = answers[(*next).min(answers.len() - 1)];
        *next += 1;
        let letter = match answer {
            Status::Success => 'S',
            Status::Failure => 'F',
            _ => 'R',
        };
        self.log.push(format!("{leaf}:{letter}"));
        answer
    }
}

struct Leaf(String);

impl Action<Played> for Leaf {
    type State = ();

    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, Played>) -> Status {
        cx.host.answer(&self.0)
    }

    fn end(&self, (): &mut (), cx: &mut Context<'_, '_, Played>, end: End) {
        if matches!(end, End::Aborted(..)) {
            cx.host.log.push(format!("{}!", self.0));
        }
    }
}

/// A leaf that gives the answers of a row.
pub(crate) fn leaf(name: &str, is_condition: bool) -> Node<Played> {
    let name = name.to_owned();
    if is_condition {
        return condition(move |cx: &mut Context<'_, '_, Played>| cx.host.answer(&name) == Status::Success);
    }
    action_of(Leaf(name))
}

/// Plays `t.ron` of an import. `answers` are `A=RS`: running, then success for ever. `changes` are
/// `2:go=true`: before tick 2. Returns what each tick does, and `=S` where the root ended.
pub(crate) fn play(imported: &Imported, answers: &str, changes: &str, ticks: usize) -> String {
    let is_lost = |it: &Line| matches!(it, Line::Node(_, Fate::Lost(_)));
    assert!(!imported.report.entries.iter().any(|it| is_lost(&it.what)), "{:?}", imported.report);
    play_files(&imported.files, answers, changes, ticks)
}

/// The same for `t.ron` of files with their manifest.
pub(crate) fn play_files(files: &BTreeMap<String, String>, answers: &str, changes: &str, ticks: usize) -> String {
    let registry = Manifest::parse("game.leaves", &files["game.leaves"]).unwrap().registry().unwrap().stubbed(leaf);
    let mut world = World::default();
    world.say(answers);
    let mut forest = Forest::new(1);
    let tree = Library::new(files.clone()).load("t.ron", &registry).unwrap();
    let tree = forest.add_tree(tree).unwrap();
    let agent = forest.spawn_with(&mut world, tree, Spawn::default()).unwrap();
    let mut lines = Vec::new();
    for tick in 1..=ticks {
        for (at, change) in changes.split(' ').filter_map(|it| it.split_once(':')) {
            if at == tick.to_string() {
                let (key, value) = change.split_once('=').unwrap();
                let mut keys = forest.keys_mut(agent).unwrap();
                match value.parse::<i64>() {
                    Ok(number) => keys.set_value(key, number).unwrap(),
                    Err(_) => keys.set_value(key, value == "true").unwrap(),
                };
            }
        }
        if forest.tick(&mut world, 0.1).unwrap().ended > 0 {
            let ended = forest.agent(agent).unwrap().last_outcome() == Some(Outcome::Success);
            world.log.push(if ended { "=S" } else { "=F" }.into());
        }
        lines.push(world.log.join(" "));
        world.log.clear();
    }
    lines.join("|")
}
