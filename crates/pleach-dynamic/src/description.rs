//! [`Description`]: the name of a leaf, what it takes and observes; and its registration.

use std::fmt;
use std::sync::Arc;

use pleach_asset::{
    Access, Argument, LeafInfo, LeafKind, Manifest, ParamError, ParameterInfo, Presence, Registry, RegistryError,
    ValueType,
};
use pleach_core::expr::KeyIndex;
use pleach_core::nodes::{Node, batch_action, batch_condition};

use crate::{Calls, Leaf};

/// When a condition is asked.
#[derive(Clone, Debug)]
enum AskSchedule {
    EveryTick,
    /// When a key changes that one of these parameters names.
    OnChange(Vec<String>),
    /// At this interval, in seconds.
    Every(f32),
}

/// A leaf that is known at run time only. `F` is what the binding keeps of it:
/// [`Calls::Function`].
#[derive(Clone, Debug)]
pub struct Description<F> {
    info: LeafInfo,
    function: F,
    starts: bool,
    ends: bool,
    asked: AskSchedule,
}

impl<F> Description<F> {
    /// A leaf without parameters.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: LeafKind, function: F) -> Self {
        Description::of(LeafInfo::new(name, kind), function)
    }

    /// A leaf as a manifest describes it.
    #[must_use]
    pub fn of(info: LeafInfo, function: F) -> Self {
        Description { info, function, starts: false, ends: false, asked: AskSchedule::EveryTick }
    }

    /// The same leaf under another name.
    #[must_use]
    pub fn renamed(mut self, name: impl Into<String>) -> Self {
        self.info.name = name.into();
        self
    }

    /// With documentation, for people who write trees.
    #[must_use]
    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.info.doc = doc.into();
        self
    }

    /// With a required parameter, which may be left out only if its type is optional.
    #[must_use]
    pub fn parameter(self, name: impl Into<String>, ty: ValueType) -> Self {
        let mut parameter = ParameterInfo::new(name, ty);
        if let ValueType::Option(_) = parameter.ty {
            parameter.presence = Presence::Default("None".into());
        }
        self.with(parameter)
    }

    /// With a parameter that may be left out, and its default, as an asset would write it.
    #[must_use]
    pub fn default(self, name: impl Into<String>, ty: ValueType, default: impl Into<String>) -> Self {
        let mut parameter = ParameterInfo::new(name, ty);
        parameter.presence = Presence::Default(default.into());
        self.with(parameter)
    }

    /// With a parameter that is described in full.
    #[must_use]
    pub fn with(mut self, parameter: ParameterInfo) -> Self {
        self.info.parameters.get_or_insert_default().push(parameter);
        self
    }

    /// Has [`Calls::start`] called when an activation begins.
    #[must_use]
    pub fn starts(mut self) -> Self {
        self.starts = true;
        self
    }

    /// Has [`Calls::end`] called when an activation is over.
    #[must_use]
    pub fn ends(mut self) -> Self {
        self.ends = true;
        self
    }

    /// A condition whose answer depends only on the keys that these parameters name: asked when one
    /// of them changes.
    #[must_use]
    pub fn observes<N: Into<String>>(mut self, parameters: impl IntoIterator<Item = N>) -> Self {
        self.asked = AskSchedule::OnChange(parameters.into_iter().map(Into::into).collect());
        self
    }

    /// A condition that is asked every `seconds` seconds of the agent's own time.
    #[must_use]
    pub fn every(mut self, seconds: f32) -> Self {
        self.asked = AskSchedule::Every(seconds);
        self
    }

    /// Its documentation, for people who write trees.
    #[must_use]
    pub fn info(&self) -> &LeafInfo {
        &self.info
    }

    fn check(&mut self) -> Result<(), DescriptionError> {
        let leaf = &self.info.name;
        let mut names: Vec<&str> = self.info.parameters.iter().flatten().map(|it| &*it.name).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|it| it[0] == it[1]) {
            return Err(DescriptionError::Doubled { leaf: leaf.clone(), parameter: twice[0].into() });
        }
        if let AskSchedule::OnChange(observed) = &self.asked {
            for name in observed {
                let mut parameters = self.info.parameters.iter_mut().flatten();
                let Some(parameter) = parameters.find(|it| it.name == *name && is_key(&it.ty)) else {
                    return Err(DescriptionError::NotAKey { leaf: leaf.clone(), parameter: name.clone() });
                };
                parameter.access.get_or_insert(Access::Read);
            }
        }
        if !matches!(self.asked, AskSchedule::EveryTick) && self.info.kind == LeafKind::Action {
            return Err(DescriptionError::Action { leaf: leaf.clone() });
        }
        Ok(())
    }
}

/// Whether a parameter of this type names a key.
fn is_key(ty: &ValueType) -> bool {
    match ty {
        ValueType::Key(_) | ValueType::FloatExpr => true,
        ValueType::Option(it) => is_key(it),
        _ => false,
    }
}

/// Why a leaf cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DescriptionError {
    /// The registry refuses it.
    Registry(RegistryError),
    /// Two of its parameters have one name.
    Doubled {
        /// The leaf.
        leaf: String,
        /// The name.
        parameter: String,
    },
    /// It observes a parameter that it does not have, or that names no key.
    NotAKey {
        /// The leaf.
        leaf: String,
        /// The parameter.
        parameter: String,
    },
    /// It is an action but says when it is asked.
    Action {
        /// The leaf.
        leaf: String,
    },
    /// The binding has nothing to call for a leaf of a manifest.
    Missing {
        /// The leaf.
        leaf: String,
    },
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DescriptionError::Registry(it) => it.fmt(f),
            DescriptionError::Doubled { leaf, parameter } => write!(f, "`{leaf}` has two parameters `{parameter}`"),
            DescriptionError::NotAKey { leaf, parameter } => {
                write!(f, "`{leaf}` cannot observe `{parameter}`: it has no parameter of that name that is a key")
            }
            DescriptionError::Action { leaf } => {
                write!(f, "`{leaf}` is an action: only a condition says when it is asked")
            }
            DescriptionError::Missing { leaf } => write!(f, "nothing is there to call for the leaf `{leaf}`"),
        }
    }
}

impl std::error::Error for DescriptionError {}

impl From<RegistryError> for DescriptionError {
    fn from(it: RegistryError) -> Self {
        DescriptionError::Registry(it)
    }
}

/// Registers a leaf.
///
/// # Errors
/// Its name is taken, built in or malformed; two of its parameters have one name; or what it
/// observes is not a parameter that names a key.
pub fn register<H: Calls>(
    registry: &mut Registry<H>,
    mut leaf: Description<H::Function>,
) -> Result<(), DescriptionError> {
    leaf.check()?;
    let Description { info, function, starts, ends, asked } = leaf;
    let shared = Arc::new(info.clone());
    registry.described(info, move |arguments, is_condition| {
        let observed = observed(&shared, &arguments, &asked);
        let leaf = Leaf {
            info: Arc::clone(&shared),
            arguments: arguments.into(),
            function: function.clone(),
            is_condition,
            starts,
            ends,
        };
        Ok(if is_condition { observing(batch_condition(leaf), &asked, observed) } else { batch_action(leaf) })
    })?;
    Ok(())
}

/// Registers the events, the keys and the leaves of a manifest. `function` gives the function of a
/// leaf, as a description made [of it](Description::of).
///
/// # Errors
/// There is nothing to call for a leaf, or one of them cannot be registered.
pub fn register_manifest<H: Calls>(
    registry: &mut Registry<H>,
    manifest: &Manifest,
    mut function: impl FnMut(&LeafInfo) -> Option<Description<H::Function>>,
) -> Result<(), DescriptionError> {
    registry.declare(manifest)?;
    for leaf in &manifest.leaves {
        let of = function(leaf).ok_or_else(|| DescriptionError::Missing { leaf: leaf.name.clone() })?;
        register(registry, of)?;
    }
    Ok(())
}

/// The keys that the observed parameters name, or `None` if an answer depends on more.
fn observed(leaf: &LeafInfo, arguments: &[Argument], asked: &AskSchedule) -> Option<Vec<KeyIndex>> {
    let AskSchedule::OnChange(names) = asked else { return None };
    let mut keys = Vec::new();
    for (parameter, argument) in leaf.parameters.iter().flatten().zip(arguments) {
        if !names.contains(&parameter.name) {
            continue;
        }
        match argument {
            Argument::Key(key) => keys.push(key.index()),
            Argument::FloatExpr(expr) => match expr.observes() {
                pleach_core::Observes::Keys(more) => keys.extend(more),
                _ => return None,
            },
            _ => {}
        }
    }
    Some(keys)
}

fn observing<H: Calls>(node: Node<H>, asked: &AskSchedule, observed: Option<Vec<KeyIndex>>) -> Node<H> {
    match (asked, observed) {
        (AskSchedule::Every(seconds), _) => node.every(*seconds),
        (_, Some(keys)) => node.observes(keys),
        (_, None) => node,
    }
}

/// For hosts that refuse a parameter of a type that they cannot use.
impl From<DescriptionError> for ParamError {
    fn from(it: DescriptionError) -> Self {
        ParamError::new(it.to_string())
    }
}
