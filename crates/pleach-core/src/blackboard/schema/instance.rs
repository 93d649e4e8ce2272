//! What the nodes of an instance see of the keys and events of their tree (SEMANTICS 9.1).

use std::collections::HashSet;
use std::fmt;

use pleach_expr::expr::KeyIndex;
use pleach_expr::known;
use pleach_expr::names::{self, Near};
use pleach_expr::runtime::{SLOT, TOKEN};

use super::{ByName, Default as KeyDefault, KeyDecl, Namesakes, Schema, SchemaError, Scope};
use crate::blackboard::error::bad_words;
use crate::{NodeId, Symbol, Type, Value};

/// What a part of a tree does with one of its ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It reads it.
    In,
    /// It writes it.
    Out,
    /// Both.
    InOut,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::In => "In",
            Direction::Out => "Out",
            Direction::InOut => "InOut",
        })
    }
}

/// A part of a tree whose nodes see the same names: the tree's own file, or an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FrameId(u16);

impl FrameId {
    /// The tree's own file.
    pub(crate) const WHOLE: FrameId = FrameId(0);

    pub(crate) fn is_whole(self) -> bool {
        self == FrameId::WHOLE
    }

    /// The frame of the instance at that place.
    pub(crate) fn of_instance(at: usize) -> Self {
        FrameId(u16::try_from(at + 1).unwrap_or(u16::MAX))
    }

    /// The place of its instance.
    pub(crate) fn instance(self) -> Option<usize> {
        usize::from(self.0).checked_sub(1)
    }
}

/// The declarations of instances.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Instances {
    /// What each of them sees.
    frames: Vec<Frame>,
    /// The events that the tree's own file declares, as instances may declare others.
    own_events: Option<HashSet<Symbol>>,
    /// What ports are bound to, if it is not a key.
    constants: Vec<Value>,
}

/// What an instance sees.
#[derive(Clone, Debug, Default, PartialEq)]
struct Frame {
    names: ByName,
    /// For a template, the file that it is in.
    file: Option<FrameId>,
    /// The events that its file declares, if it knows no others.
    events: Option<HashSet<Symbol>>,
}

/// A key that does not exist: its index counts down from here.
const LAST_CONSTANT: u16 = u16::MAX - 1;

impl Schema {
    /// Adds what another instance sees: initially nothing, or what the file around it sees.
    pub(crate) fn add_frame(&mut self, around: Option<FrameId>) -> FrameId {
        // A template that another one uses belongs to the same file.
        let file = around.map(|it| self.file_of(it));
        let frames = &mut self.instances.get_or_insert_default().frames;
        frames.push(Frame { file, ..Frame::default() });
        FrameId::of_instance(frames.len() - 1)
    }

    /// Whether there are any.
    pub(super) fn has_instances(&self) -> bool {
        self.instances.is_some()
    }

    fn of_instance(&self, frame: FrameId) -> Option<&Frame> {
        self.instances.as_deref()?.frames.get(frame.instance()?)
    }

    fn of_instance_mut(&mut self, frame: FrameId) -> Option<&mut Frame> {
        self.instances.as_deref_mut()?.frames.get_mut(frame.instance()?)
    }

    /// For a template the frame of its file, else the frame itself.
    pub(super) fn file_of(&self, frame: FrameId) -> FrameId {
        self.of_instance(frame).and_then(|it| it.file).unwrap_or(frame)
    }

    pub(super) fn names_in(&self, frame: FrameId) -> &ByName {
        self.of_instance(frame).map_or(&self.by_name, |it| &it.names)
    }

    pub(super) fn names_mut(&mut self, frame: FrameId) -> &mut ByName {
        let of_instance = self.instances.as_deref_mut().zip(frame.instance());
        let of_instance = of_instance.and_then(|(all, at)| all.frames.get_mut(at));
        of_instance.map_or(&mut self.by_name, |it| &mut it.names)
    }

    /// An instance's own key, by its full name.
    pub(super) fn full_name(&self, name: &str) -> Option<KeyIndex> {
        self.by_name.get(name)?.agent
    }

    /// The value that a port is bound to, if it is not a key.
    pub(super) fn constant(&self, key: KeyIndex) -> Option<Value> {
        self.instances.as_deref()?.constants.get(usize::from(LAST_CONSTANT).checked_sub(key.index())?).copied()
    }

    /// The type of a key, or of the value that a port is bound to.
    pub(super) fn value_type(&self, key: KeyIndex) -> Type {
        self.constant(key).map_or_else(|| self.decl(key).ty(), |it| it.ty())
    }

    /// Declares a key that only this instance sees. `prefix` is the instance's full name.
    pub(crate) fn declare_private(
        &mut self,
        frame: FrameId,
        prefix: &str,
        name: &str,
        default: KeyDefault,
    ) -> Result<KeyIndex, SchemaError> {
        self.declare_in(frame, name, Some(format!("{prefix}.{name}")), Scope::Agent, (None, ""), default)
    }

    /// Declares a group or global key, which the instance shares with the whole tree: it is the
    /// same wherever it is declared.
    pub(crate) fn declare_shared(
        &mut self,
        frame: FrameId,
        scope: Scope,
        name: &str,
        default: KeyDefault,
    ) -> Result<(), SchemaError> {
        let there = self.by_name.get(name).and_then(|it| if scope == Scope::Group { it.group } else { it.global });
        let key = match there {
            Some(key) if self.decl(key).is(&default) => key,
            Some(_) => return Err(SchemaError::DeclaredOtherwise { name: name.into(), scope }),
            None => {
                let key = self.declare(name, scope, None, default)?;
                // The tree's own file sees only what it declares itself.
                let own = self.by_name.entry(name.into()).or_default();
                if scope == Scope::Group {
                    own.hidden_group = true
                } else {
                    own.hidden_global = true
                }
                key
            }
        };
        match self.names_mut(frame).entry(name.into()).or_default().add(scope, None, key) {
            true => Ok(()),
            false => Err(SchemaError::Doubled { name: name.into(), scope }),
        }
    }

    /// Binds a port to a key, which the instance sees by the name of the port.
    pub(crate) fn bind(
        &mut self,
        frame: FrameId,
        port: &str,
        key: KeyIndex,
        read_only: bool,
    ) -> Result<(), SchemaError> {
        let it = self.names_mut(frame).entry(port.into()).or_default();
        it.read_only |= read_only;
        match it.add(Scope::Agent, None, key) {
            true => Ok(()),
            false => Err(SchemaError::Doubled { name: port.into(), scope: Scope::Agent }),
        }
    }

    /// Binds a port to a value, which has no column.
    pub(crate) fn bind_constant(&mut self, frame: FrameId, port: &str, value: Value) -> Result<(), SchemaError> {
        let constants = &mut self.instances.get_or_insert_default().constants;
        let key = usize::from(LAST_CONSTANT).checked_sub(constants.len()).and_then(KeyIndex::new);
        let key = key.filter(|it| it.index() > crate::limits::MAX_KEYS).ok_or(SchemaError::TooMany)?;
        constants.push(value);
        self.bind(frame, port, key, true)
    }

    /// What the ports of an instance of that full name are bound to, in words: keys by their full
    /// names, values. Leaves out keys that the instance has for itself, unless it only reads them.
    pub(crate) fn ports_of(&self, instance: usize, full_name: &str) -> Vec<String> {
        let frame = FrameId::of_instance(instance);
        let is_own = |key: &str, port: &str| {
            key.strip_prefix(full_name).and_then(|it| it.strip_prefix('.')).is_some_and(|it| it == port)
        };
        let port = |name: &str, it: &Namesakes| {
            let key = it.agent?;
            let stands_for = match (self.constant(key), self.keys.get(key.index())) {
                (Some(value), _) => self.describe(value),
                (None, Some(key)) if !is_own(key.name(), name) => key.name().to_owned(),
                (None, Some(key)) if it.read_only => self.describe(key.default()),
                _ => return None,
            };
            Some(format!("{name}: {stands_for}"))
        };
        let ports = |it: &Frame| it.names.iter().filter_map(|(name, it)| port(name, it)).collect();
        self.of_instance(frame).map_or_else(Vec::new, ports)
    }

    /// Marks a key as one that built-ins only read.
    pub(crate) fn set_read_only(&mut self, frame: FrameId, name: &str) {
        self.names_mut(frame).entry(name.into()).or_default().read_only = true;
    }

    /// Whether a key, or the value that a port is bound to, fits a port: its type and its words.
    pub(crate) fn fits(&self, key: KeyIndex, port: &str, name: &str, wanted: &KeyDefault) -> Result<(), SchemaError> {
        let found = self.value_type(key);
        let ty = match wanted {
            KeyDefault::Value(it) => it.ty(),
            KeyDefault::Symbol(..) => Type::Symbol,
        };
        if found != ty {
            return Err(SchemaError::PortType { port: port.into(), key: name.into(), found, wanted: ty });
        }
        match (self.keys.get(key.index()), wanted) {
            (Some(decl), KeyDefault::Symbol(_, words)) if !decl.has_words(words) => {
                let words: Vec<&str> = words.iter().map(|it| &**it).collect();
                let word = decl.differs(&words).unwrap_or_default();
                Err(SchemaError::PortWords { port: port.into(), key: name.into(), word })
            }
            _ => Ok(()),
        }
    }

    /// Declares a key of a node, or returns everything that is wrong with its words. The node comes
    /// with what identifies it in any version of the tree.
    pub(crate) fn declare_for_node(
        &mut self,
        frame: FrameId,
        name: &str,
        (node, owner): (NodeId, &str),
        full: Option<String>,
        default: KeyDefault,
    ) -> Result<KeyIndex, Vec<SchemaError>> {
        let bad = bad_words(name, &default);
        self.declare_in(frame, name, full, Scope::Node, (Some(node), owner), default).map_err(|first| first.with(bad))
    }

    /// The symbol keys that a frame sees by these names.
    pub(crate) fn symbols_in(&self, frame: FrameId) -> Vec<(Scope, &str, KeyIndex)> {
        let all = self.names_in(frame).iter().flat_map(|(name, it)| {
            let nodes = it.nodes.iter().map(|it| (Scope::Node, Some(it.1)));
            let shared = [(Scope::Agent, it.agent), (Scope::Group, it.group), (Scope::Global, it.global)];
            nodes.chain(shared).filter_map(move |(scope, key)| Some((scope, &**name, key?)))
        });
        let is_symbol = |it: &KeyDecl| it.ty() == Type::Symbol && it.slot().is_none();
        all.filter(|it| self.keys.get(it.2.index()).is_some_and(is_symbol)).collect()
    }

    /// Whether a name means a port that built-ins only read. A key of a node hides it.
    pub(crate) fn is_read_only(&self, frame: FrameId, key: KeyIndex, name: &str) -> bool {
        let bare = name.strip_prefix("agent.").unwrap_or(name);
        let is_it = |it: &Namesakes| it.read_only && it.agent == Some(key);
        let is_in = |frame| self.names_in(frame).get(bare).is_some_and(is_it);
        self.constant(key).is_some() || is_in(frame) || is_in(self.file_of(frame))
    }

    /// The key of a slot, by the slot's name after those of the instances around it. The slot must
    /// have the given word: the name of one of its trees, or `empty`. Writing that word to the key
    /// fills the slot. The cost grows with the number of keys.
    ///
    /// # Errors
    /// There is no such slot, or it has no such tree.
    pub fn slot(&self, slot: &str, word: &str) -> Result<KeyIndex, SchemaError> {
        let name = match slot.rsplit_once('.') {
            Some((instance, slot)) => format!("{instance}.{SLOT}{slot}"),
            None => format!("{SLOT}{slot}"),
        };
        let Some(key) = self.full_name(&name) else {
            let slots: Vec<String> = self.keys.iter().filter_map(KeyDecl::slot).collect();
            let slots: Vec<&str> = slots.iter().map(String::as_str).collect();
            // A slot of an instance is often asked for without the instance's name.
            let own = |it: &&&str| it.rsplit_once('.').is_some_and(|it| it.1 == slot);
            let mut own = slots.iter().filter(own);
            let own = own.next().filter(|_| own.next().is_none()).copied();
            let meant = own.map(known::meant).or_else(|| names::near(slot, slots.iter().copied()).map(Near::help));
            let help = meant.or_else(|| known::slots(slots));
            return Err(SchemaError::UnknownSlot { name: slot.into(), help });
        };
        if self.decl(key).words().any(|it| it == word) {
            return Ok(key);
        }
        let meant = names::near(word, self.decl(key).words()).map(Near::help);
        let help = meant.or_else(|| known::trees(self.decl(key).words()));
        Err(SchemaError::NotInSlot { slot: slot.into(), word: word.into(), help })
    }

    /// Limits the events that an instance knows to these.
    pub(crate) fn know_events(&mut self, frame: FrameId, events: impl Iterator<Item = Symbol>) {
        let known = if frame.is_whole() {
            Some(&mut self.instances.get_or_insert_default().own_events)
        } else {
            self.of_instance_mut(frame).map(|it| &mut it.events)
        };
        if let Some(known) = known {
            *known = Some(events.collect());
        }
    }

    /// Whether a frame knows an event that its tree knows.
    pub(crate) fn sees_event(&self, frame: FrameId, event: Symbol) -> bool {
        let frame = self.file_of(frame);
        let events = if frame.is_whole() {
            self.instances.as_deref().and_then(|it| it.own_events.as_ref())
        } else {
            self.of_instance(frame).and_then(|it| it.events.as_ref())
        };
        events.is_none_or(|it| it.contains(&event))
    }
}

impl KeyDecl {
    /// The name of the slot that the key belongs to, after those of the instances around it.
    pub(crate) fn slot(&self) -> Option<String> {
        // The part before the last point is the name of an instance, which may be any text.
        let (around, own) = self.name.split_at(self.name.rfind('.').map_or(0, |at| at + 1));
        Some(format!("{around}{}", own.strip_prefix(SLOT)?))
    }

    /// Whether it only says where the places of a token are: then it is for the runtime alone, and
    /// comes after all other keys.
    #[must_use]
    pub fn is_token(&self) -> bool {
        self.name.starts_with(TOKEN)
    }

    /// Whether an instance has it for itself, so that its name begins with that of the instance.
    pub(crate) fn is_of_instance(&self) -> bool {
        self.name.contains('.')
    }

    /// Whether it is declared like this.
    fn is(&self, default: &KeyDefault) -> bool {
        match default {
            KeyDefault::Value(value) => self.default == *value,
            KeyDefault::Symbol(word, words) => {
                self.default == Value::Symbol(Symbol::new(word)) && self.has_words(words)
            }
        }
    }

    /// Whether it is a symbol of these words, in any order.
    pub(crate) fn has_words(&self, words: &[String]) -> bool {
        words.iter().all(|it| self.words().any(|own| own == it))
            && self.words().all(|own| words.iter().any(|it| it == own))
    }
}
