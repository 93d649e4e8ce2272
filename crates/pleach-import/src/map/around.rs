//! Conditions before a node, and actions after it.

use super::Mapper;
use crate::item::{Item, When};
use crate::keys::{Kind, Use, key_name};
use crate::profile::Skip;
use crate::report::{Fate, shortened};
use crate::ron::{Node, Value};
use crate::script::{Assignment, Expr, emit, kind_of, statements};

fn wait_until(expr: String) -> Node {
    Node::new("WaitUntil").text("expr", expr)
}

impl Mapper<'_> {
    /// A node with its conditions, and how they change its fate.
    pub(super) fn around(&mut self, item: &Item, node: Node, within: Skip) -> (Node, Fate) {
        let conditions = &item.conditions;
        let (mut node, mut fate) = (node, Fate::Exact);
        for lost in &conditions.lost {
            fate = fate.and(Fate::Lost(lost.clone()));
        }
        for moved in &conditions.notes {
            fate = fate.and(Fate::Rewritten(moved.clone()));
        }
        for (when, script) in &conditions.then {
            let (sets, lost) = self.sets(script, item);
            fate = lost.into_iter().fold(fate, |fate, why| fate.and(Fate::Lost(why)));
            if sets.is_empty() {
                continue;
            }
            let finally = Node::new("Finally").with("do", Value::List(sets.into_iter().map(Value::Node).collect()));
            node = match when {
                When::Any => finally,
                When::Success => finally.raw("on", "Success"),
                When::Failure => finally.raw("on", "Failure"),
                When::Aborted => finally.raw("on", "Aborted"),
            }
            .child(node);
        }
        let not = |it: &Option<Expr>| it.clone().map(Expr::not);
        let guard = |holds: String, node: Node| {
            let guard = Node::new("Guard").text("when", &*holds);
            match within {
                Skip::Success => guard.raw("result", "Success").child(node),
                Skip::Failure => guard.child(node),
                Skip::Waits => Node::new("ReactiveSequence").children([wait_until(holds), node]),
            }
        };
        let unless = |it: String, node: Node| Node::selector([Node::check(it), node]);
        let only_if = |it: String, node: Node| Node::sequence([Node::check(it), node]);
        let wait = |it: String, node: Node| Node::sequence([wait_until(it), node]);
        // Skipped children make a sequence succeed and a selector fail: mostly what is wanted here.
        let skipped = self.shipped.skipped(&item.kind, within);
        let is_implied = skipped == within && conditions.then.is_empty() && item.kind != "Parallel";
        let all_skipped = conditions.all_skipped.clone().filter(|_| !is_implied);
        let skip_if = conditions.skip_if.clone().into_iter().chain(all_skipped).reduce(Expr::or);
        let (is_skipped, decides) =
            (skip_if.is_some() || conditions.while_true.is_some(), [&conditions.succeed_if, &conditions.fail_if]);
        if within == Skip::Waits && is_skipped && decides.iter().any(|it| it.is_some()) {
            let why = "what decides its result is asked once here, and there in each tick in which it is skipped";
            fate = fate.and(Fate::Rewritten(why.into()));
        }
        if within == Skip::Waits {
            // Each time the other condition holds again, this one is checked.
            (node, fate) = self.asked(item, not(&skip_if), (node, fate), wait);
        }
        (node, fate) = self.asked(item, conditions.while_true.clone(), (node, fate), guard);
        (node, fate) = match within {
            Skip::Success => self.asked(item, skip_if, (node, fate), unless),
            Skip::Failure => self.asked(item, not(&skip_if), (node, fate), only_if),
            Skip::Waits => (node, fate),
        };
        let behind = self.behind(item, When::Success);
        (node, fate) = self.asked(item, conditions.succeed_if.clone(), (node, fate), |it, node| {
            if behind.is_empty() {
                return unless(it, node);
            }
            Node::selector([Node::sequence([vec![Node::check(it)], behind].concat()), node])
        });
        let behind = self.behind(item, When::Failure);
        self.asked(item, not(&conditions.fail_if), (node, fate), |it, node| {
            if behind.is_empty() {
                return only_if(it, node);
            }
            let fails = Node::sequence([behind, vec![Node::new("Fail")]].concat());
            Node::sequence([Node::selector([Node::check(it), fails]), node])
        })
    }

    /// What is done when a condition decides that the node succeeds or fails.
    fn behind(&mut self, item: &Item, result: When) -> Vec<Node> {
        let conditions = &item.conditions;
        let scripts =
            conditions.then.iter().filter(|it| conditions.is_decided_then && (it.0 == result || it.0 == When::Any));
        scripts.flat_map(|it| self.sets(&it.1, item).0).collect()
    }

    /// The node after a condition, if there is one.
    fn asked(
        &mut self,
        item: &Item,
        condition: Option<Expr>,
        (node, fate): (Node, Fate),
        put: impl FnOnce(String, Node) -> Node,
    ) -> (Node, Fate) {
        let Some(expr) = condition else { return (node, fate) };
        match emit(&expr, Kind::Bool, self.keys, self.at(item.at)) {
            Ok(text) => (put(text, node), fate),
            Err(why) => (node, fate.and(Fate::Lost(format!("a condition is left out: {why}")))),
        }
    }

    /// A node that runs a script.
    pub(crate) fn script(&mut self, script: &str, item: &Item) -> (Node, Fate) {
        let (mut sets, lost) = self.sets(script, item);
        let node = match sets.len() {
            0 => Node::new("Succeed"),
            1 => sets.remove(0),
            _ => Node::sequence(sets),
        };
        (node, lost.into_iter().map(Fate::Lost).fold(Fate::Exact, Fate::and))
    }

    /// The assignments of a script, and why others in it are left out.
    fn sets(&mut self, script: &str, item: &Item) -> (Vec<Node>, Vec<String>) {
        let (mut sets, mut lost) = (Vec::new(), Vec::new());
        for (statement, read) in statements(script) {
            match read.and_then(|it| self.set(&it, item)) {
                Ok(set) => sets.push(set),
                Err(why) => lost.push(format!("the script `{}` is left out: {why}", shortened(statement))),
            }
        }
        (sets, lost)
    }

    /// An assignment.
    pub(crate) fn set(&mut self, assignment: &Assignment, item: &Item) -> Result<Node, String> {
        let (at, key) = (self.at(item.at), key_name(&assignment.key));
        let value = &assignment.value;
        let kind = kind_of(value, self.keys, at);
        let kind = self.keys.used(at.tree, &key, at.place, Use::Write, kind);
        if let Some(words) = self.words(value, &key, item) {
            return words.map(|to| Node::set(&key, to));
        }
        if let Expr::Name(other) = value {
            let other = key_name(other);
            self.keys.used(at.tree, &other, at.place, Use::Read, Kind::Unknown);
            // A copy of a thing of the game, or of a word, is of the same type.
            if !kind.is_number() && kind != Kind::Bool {
                self.keys.unite((at.tree, &key), (at.tree, &other), at.place);
            }
        }
        Ok(Node::set(&key, emit(value, kind, self.keys, at)?))
    }

    /// The text for words.
    fn words(&mut self, value: &Expr, key: &str, item: &Item) -> Option<Result<String, String>> {
        match value {
            Expr::Text(text) => {
                let word = self.keys.word(self.tree, key, item.at, text);
                Some(match self.keys.kind(self.tree, key) {
                    Kind::Word => Ok(word),
                    kind => Err(format!("`{key}` is {}, and set to the text `{text}`", kind.name())),
                })
            }
            Expr::If(test, a, b) => {
                let (a, b) = (self.words(a, key, item)?, self.words(b, key, item)?);
                let test = emit(test, Kind::Bool, self.keys, self.at(item.at));
                Some(test.and_then(|test| Ok(format!("if({test}, {}, {})", a?, b?))))
            }
            _ => None,
        }
    }
}
