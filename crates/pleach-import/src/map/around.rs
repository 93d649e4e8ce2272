//! What is asked before a node, and done behind it.

use super::Mapper;
use crate::item::{Item, When};
use crate::keys::{Kind, Use, key_name};
use crate::profile::Skip;
use crate::report::Fate;
use crate::ron::{Node, Value};
use crate::script::{Assignment, Expr, emit, kind_of, statements};

impl Mapper<'_> {
    /// A node with its conditions, and what that changes of its fate.
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
            match self.sets(script, item) {
                Ok(sets) => {
                    let sets = Value::List(sets.into_iter().map(Value::Node).collect());
                    let finally = Node::new("Finally").with("do", sets);
                    node = match when {
                        When::Any => finally,
                        When::Success => finally.raw("on", "Success"),
                        When::Failure => finally.raw("on", "Failure"),
                        When::Aborted => finally.raw("on", "Aborted"),
                    }
                    .child(node);
                }
                Err(why) => fate = fate.and(Fate::Lost(why)),
            }
        }
        let not = |it: &Option<Expr>| it.clone().map(Expr::not);
        let guard = |holds: String, node: Node| {
            let guard = Node::new("Guard").text("when", holds);
            if within == Skip::Success { guard.raw("result", "Success").child(node) } else { guard.child(node) }
        };
        let unless = |it: String, node: Node| Node::selector([Node::check(it), node]);
        let only_if = |it: String, node: Node| Node::sequence([Node::check(it), node]);
        (node, fate) = self.asked(item, conditions.while_true.clone(), (node, fate), guard);
        // Skipped children make a sequence succeed and a selector fail: mostly what is wanted here.
        let skipped = self.shipped.skipped(&item.kind).unwrap_or_default();
        let all_skipped = conditions.all_skipped.clone().filter(|_| skipped != within);
        let skip_if = conditions.skip_if.clone().into_iter().chain(all_skipped).reduce(Expr::or);
        (node, fate) = match within {
            Skip::Success => self.asked(item, skip_if, (node, fate), unless),
            Skip::Failure => self.asked(item, not(&skip_if), (node, fate), only_if),
        };
        (node, fate) = self.asked(item, conditions.succeed_if.clone(), (node, fate), unless);
        self.asked(item, not(&conditions.fail_if), (node, fate), only_if)
    }

    /// The node behind a condition, if there is one.
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

    /// The assignments of a script.
    pub(crate) fn sets(&mut self, script: &str, item: &Item) -> Result<Vec<Node>, String> {
        let told = |why: String| format!("the script `{}` is left out: {why}", script.trim());
        let all = statements(script).map_err(told)?;
        all.iter().map(|it| self.set(it, item)).collect::<Result<_, _>>().map_err(told)
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

    /// What is written for words.
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
