//! Puts the files of a scenario together into one tree, as section 9.1 of `SEMANTICS.md` says. It
//! works on the text of the scenario alone: expressions get the full names of keys, and constants.

mod holes;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pleach_core::limits::{MAX_DEPTH, MAX_INSTANCE_DEPTH, MAX_NODES};

use super::check::{key_name, value_error};
use super::fields::error;
use super::files::{Direction, File, Given, Hole, Port, Slot, Subtree, Written};
use super::{
    Abort, CompositeKind, Events, Interrupt, Key, Keys, LeafKind, Node, Problem, Scenario, ScenarioError, Scope, Shape,
    Test, Value,
};
use crate::expr::RESERVED;
use texts::{expressions, written_keys};

type Expanded<T> = Result<T, ScenarioError>;

/// Expands all versions of the tree, and the interrupts. The scenario keeps the source.
pub(crate) fn scenario(scenario: &mut Scenario, files: BTreeMap<String, File>) -> Expanded<()> {
    let written = Written {
        files,
        keys: scenario.keys.clone(),
        events: scenario.events.clone(),
        trees: scenario.versions().cloned().collect(),
        interrupts: scenario.interrupts.clone(),
    };
    names_of(&written)?;
    let mut first: Option<(Expander<'_>, Vec<Interrupt>)> = None;
    for (tree, place) in written.trees.iter().zip(scenario.versions_mut()) {
        let mut expander = Expander::new(&written);
        *place = expander.node(tree, &Frame::host(&written.keys), &Place::default(), 1)?;
        let interrupts = expander.interrupts()?;
        match &first {
            None => first = Some((expander, interrupts)),
            Some((first, _)) if first.keys == expander.keys && first.events == expander.events => {}
            Some(_) => return Err(value_error("ops", "another version of the tree has other keys or events")),
        }
    }
    let Some((first, interrupts)) = first else { unreachable!("there is one version") };
    (scenario.keys, scenario.events, scenario.interrupts) = (first.keys, first.events, interrupts);
    scenario.written = Some(Box::new(written));
    Ok(())
}

/// The keys and events of a tree with these interrupts, if it can be expanded and each id is
/// unique.
pub(crate) fn declared(written: &Written, tree: &Node) -> Expanded<(Keys, Option<Events>)> {
    let mut expander = Expander::new(written);
    let root = expander.node(tree, &Frame::host(&written.keys), &Place::default(), 1)?;
    let interrupts = expander.interrupts()?;
    let (mut ids, mut left) = (BTreeSet::new(), vec![&root]);
    left.extend(interrupts.iter().map(|it| &it.run));
    while let Some(node) = left.pop() {
        if node.id.as_ref().is_some_and(|it| !ids.insert(it)) {
            return Err(value_error("tree", "two nodes have one id"));
        }
        left.extend(node.children());
    }
    Ok((expander.keys, expander.events))
}

/// The names of keys, ports and files.
fn names_of(written: &Written) -> Expanded<()> {
    for (name, _) in written.keys.iter() {
        key_name(name.scope.field(), &name.name)?;
    }
    for (file, it) in &written.files {
        let at = format!("files.{file}");
        key_name("files", file)?;
        if written.events.is_none() && !it.events.is_empty() {
            return Err(value_error(format!("{at}.events"), "the scenario declares no events"));
        }
        let names: Vec<&str> = it.keys.iter().map(|it| &*it.0.name).chain(it.ports.keys().map(|it| &**it)).collect();
        for name in &names {
            key_name(&at, name)?;
        }
        let all = it.keys.iter().map(|it| it.1).chain(it.ports.values().map(|it| &it.key));
        for word in all.flat_map(|it| &it.words) {
            if names.contains(&&**word) {
                return Err(value_error(at, format!("`{word}` is a key as well")));
            }
        }
    }
    Ok(())
}

/// What the nodes of an instance see, or those of the scenario itself.
struct Frame<'a> {
    /// Its name after those around it; empty for the scenario itself.
    full: String,
    /// The files around it, and its own.
    files: Vec<&'a str>,
    /// The meaning of its names.
    names: BTreeMap<(Scope, String), NameMeaning>,
    /// Its holes.
    holes: Option<&'a BTreeMap<String, Hole>>,
    /// The subtree in its place, which gives nodes for its holes, and the frame there.
    user: Option<(&'a Subtree, Rc<Frame<'a>>)>,
}

/// Where nodes are. For given nodes, that is another instance than the one whose names they see.
#[derive(Default)]
struct Place {
    /// The name of the instance after those around it.
    full: String,
    /// The prefix of its nodes' ids.
    ids: String,
    /// How many files are around it.
    files: usize,
}

#[derive(Clone)]
enum NameMeaning {
    /// A key of the whole tree.
    Key { scope: Scope, name: String, key: Key, read_only: bool },
    /// The constant that a port is connected to.
    Constant(Value),
}

impl<'a> Frame<'a> {
    fn host(keys: &Keys) -> Rc<Self> {
        let seen = |scope, name: &str, key: &Key| NameMeaning::Key {
            scope,
            name: name.to_owned(),
            key: key.clone(),
            read_only: false,
        };
        let names = keys.iter().map(|(it, key)| ((it.scope, it.name.clone()), seen(it.scope, &it.name, key)));
        Rc::new(Frame { full: String::new(), files: Vec::new(), names: names.collect(), holes: None, user: None })
    }

    fn is_host(&self) -> bool {
        self.files.is_empty()
    }

    /// The place that errors name.
    fn at(&self) -> String {
        self.files.last().map_or_else(|| "tree".to_owned(), |it| format!("files.{it}"))
    }

    fn find(&self, path: &str) -> Option<&NameMeaning> {
        let (scope, name) = match path.split_once('.') {
            Some((scope, name)) => (Some(Scope::ALL.into_iter().find(|it| it.name() == scope)?), name),
            None => (None, path),
        };
        let scopes = scope.map_or(Scope::ALL.to_vec(), |it| vec![it]);
        scopes.into_iter().find_map(|scope| self.names.get(&(scope, name.to_owned())))
    }

    /// The key that a name refers to, as named in the expanded tree.
    fn key(&self, path: &str, writes: bool) -> Expanded<(String, &Key)> {
        match self.find(path) {
            Some(NameMeaning::Key { read_only: true, .. } | NameMeaning::Constant(_)) if writes => {
                Err(value_error(self.at(), format!("the port `{path}` is an `in`: nothing writes it")))
            }
            Some(NameMeaning::Key { scope, name, key, .. }) => Ok((format!("{}.{name}", scope.name()), key)),
            Some(NameMeaning::Constant(_)) | None => Err(error(self.at(), Problem::NoKey(path.to_owned()))),
        }
    }
}

/// A file in place of a node.
struct Included<'a, 'n> {
    /// What the instance is called.
    name: &'n str,
    id: Option<&'n str>,
    file: &'a str,
    with: &'a BTreeMap<String, Given>,
    /// What gives it nodes.
    user: Option<&'a Subtree>,
}

struct Expander<'a> {
    written: &'a Written,
    /// Those of the scenario, with those of all instances.
    keys: Keys,
    events: Option<Events>,
    nodes: usize,
    /// How many holes were filled.
    filled: usize,
}

impl<'a> Expander<'a> {
    fn new(written: &'a Written) -> Self {
        Expander { written, keys: written.keys.clone(), events: written.events.clone(), nodes: 0, filled: 0 }
    }

    fn interrupts(&mut self) -> Expanded<Vec<Interrupt>> {
        let (written, host) = (self.written, Frame::host(&self.written.keys));
        let place = Place::default();
        let expand =
            |it: &'a Interrupt| Ok(Interrupt { test: it.test.clone(), run: self.node(&it.run, &host, &place, 1)? });
        written.interrupts.iter().map(expand).collect()
    }

    fn node(&mut self, node: &'a Node, frame: &Rc<Frame<'a>>, place: &Place, level: usize) -> Expanded<Node> {
        if node.hole().is_some() {
            let one = <[Node; 1]>::try_from(self.some(node, frame, place, level)?);
            return one.map(|[it]| it).map_err(|_| value_error(frame.at(), "`nodes` stands in lists alone"));
        }
        // A file's root takes the place of a subtree.
        self.nodes += usize::from(node.subtree().is_none());
        if level > MAX_DEPTH || self.nodes > MAX_NODES {
            let what = format!("with its files the tree has more than {MAX_DEPTH} levels or {MAX_NODES} nodes");
            return Err(value_error(frame.at(), what));
        }
        if let Some(it) = node.subtree() {
            let (name, id) = (node.name.as_ref().unwrap_or(&it.file), node.id.as_deref());
            key_name(&frame.at(), name)?;
            let included = Included { name, id, file: &it.file, with: &it.with, user: Some(it) };
            return self.instance(&included, frame, place, level);
        }
        if let Some(it) = node.slot() {
            return self.slot(node, it, frame, place, level);
        }
        let mut shape = match &node.shape {
            Shape::Composite { kind, abort, services, children } => Shape::Composite {
                kind: kind.clone(),
                abort: *abort,
                services: services.clone(),
                children: self.all(children, frame, place, level + 1)?,
            },
            Shape::Decorator { kind, children } => {
                let mut expanded = vec![self.node(&children[0], frame, place, level + 1)?];
                for leaf in &children[1..] {
                    expanded.extend(self.some(leaf, frame, place, level + 1)?);
                }
                Shape::Decorator { kind: kind.clone(), children: expanded }
            }
            Shape::Leaf(kind) => Shape::Leaf(kind.clone()),
        };
        if frame.is_host() {
            return Ok(Node { shape, ..node_without_shape(node, place) });
        }
        written_keys(&mut shape, &mut |path| {
            *path = frame.key(path, true)?.0;
            Ok(())
        })?;
        expressions(&mut shape, &mut |text| {
            *text = self.renamed(text, frame)?;
            Ok(())
        })?;
        let locals = node.locals.iter().map(|it| Ok(frame.key(it, true)?.0)).collect::<Expanded<_>>()?;
        Ok(Node { locals, shape, ..node_without_shape(node, place) })
    }

    /// The root of a file, which takes the node's place.
    fn instance(
        &mut self,
        included: &Included<'a, '_>,
        around: &Rc<Frame<'a>>,
        place: &Place,
        level: usize,
    ) -> Expanded<Node> {
        let &Included { name, id, file: of, with, user } = included;
        let at = around.at();
        let Some(file) = self.written.files.get(of) else {
            return Err(value_error(at, format!("`files` has no `{of}`")));
        };
        if around.files.contains(&of) {
            return Err(value_error(at, format!("the file `{of}` includes itself")));
        }
        if place.files == MAX_INSTANCE_DEPTH {
            return Err(value_error(at, format!("more than {MAX_INSTANCE_DEPTH} files inside each other")));
        }
        let full = behind(&place.full, name);
        let ids = id.map_or_else(|| full.clone(), |id| behind(&place.ids, id));
        let place = Place { full: full.clone(), ids, files: place.files + 1 };
        let files = around.files.iter().copied().chain([of]).collect();
        let user = user.map(|it| (it, Rc::clone(around)));
        let mut frame = Frame { full, files, names: BTreeMap::new(), holes: Some(&file.holes), user };
        for (name, key) in file.keys.iter() {
            match name.scope {
                Scope::Agent => self.own(&mut frame, &name.name, key.clone(), false)?,
                Scope::Group | Scope::Global => self.shared(&mut frame, name.scope, &name.name, key)?,
            }
        }
        for (name, payload) in &file.events {
            let declared = self.events.get_or_insert_default().entry(name.clone()).or_insert(*payload);
            if declared != payload {
                return Err(value_error(frame.at(), format!("the event `{name}` is declared in two ways")));
            }
        }
        for (name, port) in &file.ports {
            self.bind(file, name, port, with.get(name), around, &mut frame)?;
        }
        if let Some(name) = with.keys().find(|it| !file.ports.contains_key(&**it)) {
            return Err(value_error(at, format!("the file `{of}` has no port `{name}`")));
        }
        holes::are_given(file, of, included.user, &at)?;
        let frame = Rc::new(frame);
        // A file's interrupts are around its own root.
        let levels = if file.interrupts.is_empty() { level } else { level + 1 };
        let tree = self.node(&file.tree, &frame, &place, levels)?;
        let mut interrupts = Vec::new();
        for it in &file.interrupts {
            let test = match &it.test {
                Test::Expr(text) => Test::Expr(self.renamed(text, &frame)?),
                Test::When(name) => Test::When(name.clone()),
            };
            interrupts.push(Interrupt { test, run: self.node(&it.run, &frame, &place, level + 2)? });
        }
        Ok(super::rooted(&tree, &interrupts))
    }

    /// The switch between the files of a slot (9.4).
    fn slot(
        &mut self,
        node: &'a Node,
        it: &'a Slot,
        around: &Rc<Frame<'a>>,
        place: &Place,
        level: usize,
    ) -> Expanded<Node> {
        let at = around.at();
        let name = node.name.as_ref().ok_or_else(|| error(&*at, Problem::Missing("name")))?;
        key_name(&at, name)?;
        let key = it.key();
        let is_twice = |(place, word): (usize, &String)| key.words[..place].contains(word);
        if it.files.is_empty() || key.words.iter().enumerate().any(is_twice) || !key.takes(&key.default) {
            let what = "a slot has files, each once and none of them `empty`, and begins with one of them or with none";
            return Err(value_error(at, what));
        }
        let full = behind(&around.full, &Slot::key_of(name));
        if self.keys.of(Scope::Agent).any(|it| it.0 == full) {
            return Err(value_error(at, format!("two slots have the key `{full}`")));
        }
        self.keys.declare(Scope::Agent, &full, key);
        let mut children = Vec::new();
        for file in &it.files {
            let included = Included { name: &format!("{name}.{file}"), id: None, file, with: &it.with, user: None };
            children.push(self.instance(&included, around, place, level + 1)?);
        }
        let cases = it.files.iter().cloned().map(Value::Symbol).collect();
        let kind = CompositeKind::Switch { on: full, cases, default: false, latch: false };
        let shape = Shape::Composite { kind, abort: Abort::None, services: Vec::new(), children };
        Ok(Node { shape, ..node_without_shape(node, place) })
    }

    fn bind(
        &mut self,
        file: &File,
        name: &str,
        port: &Port,
        given: Option<&Given>,
        around: &Frame<'_>,
        frame: &mut Frame<'_>,
    ) -> Expanded<()> {
        let reads = port.direction == Direction::In;
        let value = match given {
            Some(Given::Key(path)) => {
                around.key(path, !reads)?;
                let Some(NameMeaning::Key { scope, name: of, key, .. }) = around.find(path) else {
                    return Err(error(around.at(), Problem::NoKey(path.clone())));
                };
                fits(&around.at(), name, port, key)?;
                let (scope, of, key) = (*scope, of.clone(), key.clone());
                let seen = NameMeaning::Key { scope, name: of, key, read_only: reads };
                return see(frame, Scope::Agent, name, seen);
            }
            Some(Given::Literal(value)) if reads => value.clone(),
            None if reads && !port.needed => port.key.default.clone(),
            Some(Given::Literal(_)) | None => {
                return Err(value_error(around.at(), format!("the port `{name}` must be given a key, or a value")));
            }
        };
        if value.value_type() != port.key.default.value_type() || !port.key.takes(&value) || !value.is_finite() {
            return Err(value_error(around.at(), format!("the port `{name}` cannot be {value}")));
        }
        if file.needs_key(name) {
            return self.own(frame, name, Key { default: value, words: port.key.words.clone() }, true);
        }
        if matches!(value, Value::Entity(1..)) {
            return Err(value_error(around.at(), format!("the port `{name}` can be no entity but 0, which is none")));
        }
        see(frame, Scope::Agent, name, NameMeaning::Constant(value))
    }

    /// A key of the instance's own.
    fn own(&mut self, frame: &mut Frame<'_>, name: &str, key: Key, read_only: bool) -> Expanded<()> {
        let full = behind(&frame.full, name);
        if self.keys.of(Scope::Agent).any(|it| it.0 == full) {
            return Err(value_error(frame.at(), format!("two instances have a key `{full}`")));
        }
        self.keys.declare(Scope::Agent, &full, key.clone());
        see(frame, Scope::Agent, name, NameMeaning::Key { scope: Scope::Agent, name: full, key, read_only })
    }

    /// A group or global key.
    fn shared(&mut self, frame: &mut Frame<'_>, scope: Scope, name: &str, key: &Key) -> Expanded<()> {
        if self.keys.of(scope).any(|it| it.0 == name && it.1 != key) {
            let what = format!("the key `{}.{name}` is declared in two ways", scope.name());
            return Err(value_error(frame.at(), what));
        }
        self.keys.declare(scope, name, key.clone());
        let (of, key) = (name.to_owned(), key.clone());
        see(frame, scope, name, NameMeaning::Key { scope, name: of, key, read_only: false })
    }

    /// An expression of a file with the full names of its keys.
    fn renamed(&self, text: &str, frame: &Frame<'_>) -> Expanded<String> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (mut out, mut rest) = (String::new(), text);
        while let Some(first) = rest.chars().next() {
            if !is_letter(first) {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let (word, behind) = rest.split_at(rest.find(|c| !is_letter(c)).unwrap_or(rest.len()));
            rest = behind;
            let is_component = out.trim_end().ends_with('.');
            if first.is_ascii_digit() || is_component {
                out.push_str(word);
                continue;
            }
            let scope = Scope::ALL.into_iter().find(|it| it.name() == word);
            let (path, found) = match scope.and_then(|it| Some((it, rest.trim_start().strip_prefix('.')?))) {
                Some((scope, after)) => {
                    let after = after.trim_start();
                    let (name, behind) = after.split_at(after.find(|c| !is_letter(c)).unwrap_or(after.len()));
                    rest = behind;
                    let path = format!("{}.{name}", scope.name());
                    let found = frame.find(&path);
                    if found.is_none() {
                        return Err(error(frame.at(), Problem::NoKey(path)));
                    }
                    (path, found)
                }
                None => (word.to_owned(), frame.find(word)),
            };
            match found {
                Some(NameMeaning::Key { scope, name, .. }) => out.push_str(&format!("({}.{name})", scope.name())),
                Some(NameMeaning::Constant(value)) => out.push_str(&format!("({})", literal(value))),
                None if !RESERVED.contains(&word) && self.keys.find(&path).is_some() => {
                    return Err(error(frame.at(), Problem::NoKey(path)));
                }
                None => out.push_str(word),
            }
        }
        Ok(out)
    }
}

/// A node without its shape, with its id in the tree.
fn node_without_shape(node: &Node, place: &Place) -> Node {
    let id = node.id.as_ref().map(|it| behind(&place.ids, it));
    Node { name: node.name.clone(), id, locals: node.locals.clone(), shape: Shape::Leaf(LeafKind::Idle) }
}

fn behind(around: &str, name: &str) -> String {
    if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") }
}

fn see(frame: &mut Frame<'_>, scope: Scope, name: &str, seen: NameMeaning) -> Expanded<()> {
    match frame.names.insert((scope, name.to_owned()), seen) {
        None => Ok(()),
        Some(_) => Err(value_error(frame.at(), format!("`{name}` is a port and a key"))),
    }
}

fn fits(at: &str, name: &str, port: &Port, key: &Key) -> Expanded<()> {
    if port.key.default.value_type() == key.default.value_type() && port.key.words == key.words {
        return Ok(());
    }
    Err(value_error(at, format!("the port `{name}` is given a key of another type, or with other words")))
}

/// A constant as an expression.
fn literal(value: &Value) -> String {
    let float = |x: f32| {
        let text = x.to_string();
        if text.contains('.') { text } else { format!("{text}.0") }
    };
    let list = |all: &[f32]| all.iter().map(|x| float(*x)).collect::<Vec<_>>().join(", ");
    match value {
        Value::Bool(it) => it.to_string(),
        Value::Int(it) => it.to_string(),
        Value::Float(it) => float(*it),
        Value::Vec2(it) => format!("vec2({})", list(it)),
        Value::Vec3(it) => format!("vec3({})", list(it)),
        Value::Entity(_) => "none".to_owned(),
        Value::Symbol(word) => word.clone(),
        Value::Time(nanos) => format!("@{nanos}"),
    }
}
