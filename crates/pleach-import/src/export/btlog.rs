//! What an agent did as a log of BehaviorTree.CPP, which Groot2 plays.
//!
//! The form is that of its `FileLogger2`: the text `BTCPP4-FileLogger2`, a byte 1, the length of
//! the tree's XML (4 bytes), the XML, the time at which it began (8 bytes, microseconds), and for
//! each change of a status 9 bytes: the microseconds since then (6), the node's number (2), and the
//! status (1). Numbers begin with their lowest byte.

use std::sync::Arc;
use std::time::Duration;

use pleach::asset::Manifest;
use pleach::inspect::AgentView;
use pleach::tools::kinds::{NodeClass, NodeKind};
use pleach::tools::text::plain;
use pleach::trace::TraceEvent;
use pleach::{Host, NodeId, NodeRef, Outcome, Status, Tree};

use super::btcpp::{new, push};
use super::model::Model;
use crate::btcpp::PREFIX;
use crate::xml::Element;

/// The status of a node there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Shown {
    Idle,
    Running,
    Success,
    Failure,
}

impl Shown {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Success => Shown::Success,
            Outcome::Failure => Shown::Failure,
        }
    }
}

/// A log of what one agent did in one version of its tree, as `.btlog` for Groot2.
///
/// A node is shown as *running* from its start to its end, and then with its result until the node
/// above it ends, too. A condition is shown with its latest status. Times are those of the game.
///
/// ```
/// # struct Game;
/// # impl pleach::Host for Game { type Cx<'a> = (); }
/// use pleach::{Forest, Tree, nodes::wait, trace::Recorder};
/// use pleach_import::BtLog;
///
/// let mut forest = Forest::<Game>::new(7);
/// let tree = forest.add_tree(Tree::builder("nap").build(wait(1.0))?)?;
/// let agent = forest.spawn(&mut (), tree)?;
/// let mut log = BtLog::new(forest.tree(tree)?).ok_or("it has too many nodes")?;
/// for _ in 0..3 {
///     let mut recorder = Recorder::of([agent]);
///     forest.traced(&mut recorder).tick(&mut (), 0.5)?;
///     for entry in recorder.take() {
///         log.event(forest.time(), entry.event);
///     }
/// }
/// // Running at 0.5 s, a success at 1.5 s, and idle again: three changes.
/// assert_eq!(log.len(), 3);
/// assert!(log.into_bytes().starts_with(b"BTCPP4-FileLogger2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BtLog<H: Host> {
    tree: Arc<Tree<H>>,
    bytes: Vec<u8>,
    shown: Vec<Shown>,
    changes: usize,
}

impl<H: Host> BtLog<H> {
    /// A log without any change yet. `None` for a tree of more than 65 535 nodes: their numbers
    /// have two bytes.
    #[must_use]
    pub fn new(tree: &Arc<Tree<H>>) -> Option<Self> {
        u16::try_from(tree.len()).ok()?;
        let xml = xml(tree);
        let mut bytes = b"BTCPP4-FileLogger2\x01".to_vec();
        bytes.extend(i32::try_from(xml.len()).ok()?.to_le_bytes());
        bytes.extend(xml.as_bytes());
        // The game's time begins at 0.
        bytes.extend(0_i64.to_le_bytes());
        Some(BtLog { tree: tree.clone(), bytes, shown: vec![Shown::Idle; tree.len()], changes: 0 })
    }

    /// Begins in the middle, at `time` seconds of the game: with the running nodes, and the last
    /// answers of the watched conditions. The view is of an agent of the log's tree.
    pub fn begin(&mut self, time: f64, agent: &AgentView<H>) {
        for node in agent.stacks.iter().flatten() {
            self.show(time, *node, Shown::Running);
        }
        for watched in agent.monitors.iter().filter(|it| it.watched) {
            self.show(time, watched.condition, Shown::of(watched.stored));
        }
    }

    /// What the agent did at `time` seconds of the game. Call it for each event of the agent, in
    /// their order.
    pub fn event(&mut self, time: f64, event: TraceEvent) {
        match event {
            TraceEvent::Start(node) if self.is_inner(node) => self.show(time, node, Shown::Running),
            TraceEvent::Update(node, Status::Running) => self.show(time, node, Shown::Running),
            TraceEvent::Recheck(node, Status::Success) => self.show(time, node, Shown::Success),
            TraceEvent::Recheck(node, Status::Failure) => self.show(time, node, Shown::Failure),
            TraceEvent::End(node, outcome) => {
                self.reset(time, node, node.index() + 1);
                self.show(time, node, Shown::of(outcome));
                if node.index() == 0 {
                    self.show(time, node, Shown::Idle);
                }
            }
            TraceEvent::Aborted(node, _) => {
                self.reset(time, node, node.index() + 1);
                self.show(time, node, Shown::Idle);
            }
            // It continues at the child with the condition: everything after that is undone.
            TraceEvent::Abort { scope, by } => {
                let tree = self.tree.clone();
                let mut children = tree.node(scope).into_iter().flat_map(NodeRef::children).map(NodeRef::id);
                let child = children.find(|it| *it == by || tree.contains(*it, by));
                self.reset(time, scope, child.map_or(scope.index() + 1, NodeId::index));
            }
            _ => {}
        }
    }

    /// How many changes it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.changes
    }

    /// Whether it has no change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes == 0
    }

    /// The file.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Whether it has children. A leaf that ends at once is never shown as running.
    fn is_inner(&self, node: NodeId) -> bool {
        self.tree.node(node).is_some_and(|it| it.children().len() > 0)
    }

    /// Makes ended nodes below a node idle, from the node of index `from` on.
    fn reset(&mut self, time: f64, node: NodeId, from: usize) {
        let tree = self.tree.clone();
        for below in tree.nodes().skip(from).map(NodeRef::id).take_while(|it| tree.contains(node, *it)) {
            if self.shown[below.index()] != Shown::Running {
                self.show(time, below, Shown::Idle);
            }
        }
    }

    fn show(&mut self, time: f64, node: NodeId, to: Shown) {
        let Some(shown) = self.shown.get_mut(node.index()) else { return };
        if *shown == to {
            return;
        }
        *shown = to;
        self.changes += 1;
        // Six bytes are 8.9 years.
        let micros = Duration::try_from_secs_f64(time).unwrap_or_default().as_micros();
        self.bytes.extend(&micros.to_le_bytes()[..6]);
        self.bytes.extend(number(node).to_le_bytes());
        self.bytes.push(to as u8);
    }
}

/// The number of a node there: they start at 1.
fn number(node: NodeId) -> u16 {
    u16::try_from(node.index() + 1).unwrap_or(u16::MAX)
}

/// The tree as `WriteTreeToXML` has it, with the numbers of its nodes. Subtrees are inlined where
/// they are used.
fn xml<H: Host>(tree: &Tree<H>) -> String {
    let mut model = Model::default();
    let mut file = new("root").with("BTCPP_format", "4");
    let mut behaviour = new("BehaviorTree").with("ID", plain(tree.name())).with("_fullpath", "");
    behaviour.children.push(element(tree.root(), &mut model));
    file.children.push(behaviour);
    file.children.push(model.element(&Manifest::default()));
    let mut out = String::new();
    push(&mut out, &file, 0);
    out
}

/// A node with everything below it.
fn element<H: Host>(node: NodeRef<'_, H>, model: &mut Model) -> Element {
    let mut element = alone(node, model);
    element.children.extend(node.children().map(|it| self::element(it, model)));
    element
}

/// A node without the nodes below it.
fn alone<H: Host>(node: NodeRef<'_, H>, model: &mut Model) -> Element {
    let words = node.in_words();
    let main = Some(plain(&words.main)).filter(|it| !it.is_empty());
    let detail: Vec<_> = main.into_iter().chain(words.fields.iter().map(|it| plain(it))).collect();
    let tag = match node.node_kind().class() {
        NodeClass::Composite => "Control",
        NodeClass::Decorator => "Decorator",
        NodeClass::Condition => "Condition",
        NodeClass::Action => "Action",
    };
    let id = match node.node_kind() {
        NodeKind::Selector => "Fallback".to_owned(),
        NodeKind::ReactiveSelector => "ReactiveFallback".to_owned(),
        NodeKind::Sequence
        | NodeKind::ReactiveSequence
        | NodeKind::Parallel
        | NodeKind::Inverter
        | NodeKind::ForceSuccess
        | NodeKind::ForceFailure
        | NodeKind::Repeat
        | NodeKind::Timeout
        | NodeKind::Delay
        | NodeKind::Action
        | NodeKind::Condition => node.kind().to_owned(),
        _ => format!("{PREFIX}{}", node.kind()),
    };
    model.add(tag, &id, (!detail.is_empty()).then(|| DETAIL.to_owned()).into_iter());
    let mut element = new(&id).with("name", plain(node.name().unwrap_or(node.kind())));
    element = element.with("_uid", number(node.id()).to_string());
    if detail.is_empty() { element } else { element.with(DETAIL, detail.join(", ")) }
}

/// The port that has a node's parameters, as drawings show them.
const DETAIL: &str = "parameters";
