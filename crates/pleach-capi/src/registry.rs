//! Registries: the leaves, events and keys of a game.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use pleach_asset::{LeafInfo, LeafKind, Manifest, ParameterInfo, Presence, Registry, ValueType};
use pleach_dynamic::{Description, register, register_manifest};

use crate::error::{Failure, PLEACH_ERROR_REGISTRY, entry, pleach_result};
use crate::gate::Gate;
use crate::host::{Function, Game, pleach_end_fn, pleach_start_fn, pleach_update_fn};
use crate::input::{self, Described, pleach_write_fn};
use crate::out::Out;
use crate::table::{self, Object};
use crate::value::{pleach_type, type_from};

/// The leaves of a game, by the names under which trees use them. Freed by pleach_registry_free();
/// trees that were loaded with it stay. Unless all its leaves are declared as thread-safe, only one
/// thread at a time runs them, across all forests and brains.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_registry {
    /// The id of the handle; 0 is null.
    pub id: u64,
}

pub(crate) struct RegistryObject {
    pub(crate) registry: Registry<Game>,
    /// To its leaves.
    pub(crate) gate: Arc<Gate>,
}

impl Object for RegistryObject {
    const NAME: &'static str = "a registry";
}

/// What can be written for a parameter: one of PLEACH_PARAM_*.
pub type pleach_param_type = i32;
/// true or false; pleach_call_number().
pub const PLEACH_PARAM_BOOL: pleach_param_type = 1;
/// A whole number; pleach_call_number().
pub const PLEACH_PARAM_INT: pleach_param_type = 2;
/// A number; pleach_call_number().
pub const PLEACH_PARAM_FLOAT: pleach_param_type = 3;
/// A string; pleach_call_text().
pub const PLEACH_PARAM_TEXT: pleach_param_type = 4;
/// A word of a symbol key; pleach_call_text().
pub const PLEACH_PARAM_WORD: pleach_param_type = 5;
/// The name of an event that the tree knows; pleach_call_event_name().
pub const PLEACH_PARAM_EVENT: pleach_param_type = 6;
/// A number, or an expression over keys that gives one; pleach_call_expr().
pub const PLEACH_PARAM_EXPR: pleach_param_type = 7;
/// Two numbers: (1, 2); pleach_call_floats().
pub const PLEACH_PARAM_VEC2: pleach_param_type = 8;
/// Three numbers: (1, 2, 3); pleach_call_floats().
pub const PLEACH_PARAM_VEC3: pleach_param_type = 9;
/// A list of numbers: [1, 2]; pleach_call_floats().
pub const PLEACH_PARAM_FLOATS: pleach_param_type = 10;
/// The name of a key of the type `key_type`; pleach_call_key().
pub const PLEACH_PARAM_KEY: pleach_param_type = 11;

/// A parameter of a leaf.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_param_desc {
    /// sizeof(pleach_param_desc).
    pub struct_size: usize,
    /// Its name in trees.
    pub name: *const c_char,
    /// What it is, for people who write trees; may be null.
    pub doc: *const c_char,
    /// Its default, as a tree would write it: "2.0", "\"home\""; "None" if it is optional and has
    /// no default. Null if it is required.
    pub default_value: *const c_char,
    /// One of PLEACH_PARAM_*.
    pub r#type: pleach_param_type,
    /// The type of a PLEACH_PARAM_KEY.
    pub key_type: pleach_type,
}

// SAFETY: it is `#[repr(C)]`, its size comes first, and all bits are valid.
unsafe impl Described for pleach_param_desc {
    const NAME: &'static str = "pleach_param_desc";
}

/// Whether a leaf is an action or a condition.
pub type pleach_leaf_kind = i32;
/// It does something.
pub const PLEACH_ACTION: pleach_leaf_kind = 0;
/// It answers a question. It may be evaluated at any time, and more than once.
pub const PLEACH_CONDITION: pleach_leaf_kind = 1;

/// A leaf of the game.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pleach_leaf_desc {
    /// sizeof(pleach_leaf_desc).
    pub struct_size: usize,
    /// Its name in trees.
    pub name: *const c_char,
    /// What it does, for people who write trees; may be null.
    pub doc: *const c_char,
    /// Its parameters, in the order in which trees may write them without their names.
    pub params: *const pleach_param_desc,
    /// How many there are.
    pub param_count: usize,
    /// Updates agents, or answers for them. Required.
    pub update: pleach_update_fn,
    /// Called when an activation begins; may be null.
    pub start: pleach_start_fn,
    /// Called when an activation is over; may be null.
    pub end: pleach_end_fn,
    /// Passed to the callbacks. It must live as long as the trees with this leaf.
    pub user: *mut c_void,
    /// Names of parameters of a condition that name keys: if the answer depends on these keys
    /// alone, the condition is evaluated when one of them changes. May be null.
    pub observes: *const *const c_char,
    /// How many there are; 0 means that the condition is evaluated in every tick.
    pub observe_count: usize,
    /// If above 0, the seconds between two evaluations of a condition.
    pub every: f32,
    /// PLEACH_ACTION or PLEACH_CONDITION.
    pub kind: pleach_leaf_kind,
    /// Whether the callbacks can be called on several threads at once. If any leaf of a registry is
    /// not thread-safe, only one thread at a time may make calls with leaves of that registry: a
    /// call that another thread makes meanwhile returns PLEACH_ERROR_BUSY, and
    /// pleach_tick_parallel() returns PLEACH_ERROR_THREADS.
    pub thread_safe: u8,
    /// 0.
    pub reserved: [u8; 7],
}

// SAFETY: it is `#[repr(C)]`, its size comes first, and all bits are valid.
unsafe impl Described for pleach_leaf_desc {
    const NAME: &'static str = "pleach_leaf_desc";
}

/// Makes a registry without leaves.
///
/// # Safety
/// `registry` points to a pleach_registry.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_registry_new(registry: *mut pleach_registry) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let registry = unsafe { Out::new(registry, "registry") }?;
        let id = table::keep(RegistryObject { registry: Registry::new(), gate: Arc::default() });
        registry.put(pleach_registry { id });
        Ok(())
    })
}

/// Frees a registry. One with id 0 is fine.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_registry_free(registry: pleach_registry) -> pleach_result {
    entry(|| table::free::<RegistryObject>(registry.id))
}

/// Registers a leaf. The texts and lists of the description are copied.
///
/// # Safety
/// `leaf` points to a description whose pointers are null or valid. Its callbacks can be called
/// with its `user` as long as trees with this leaf exist.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_registry_leaf(
    registry: pleach_registry,
    leaf: *const pleach_leaf_desc,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let desc = unsafe { input::description(leaf) }?;
        // SAFETY: as the caller promises.
        let info = unsafe { info(&desc) }?;
        // SAFETY: as the caller promises.
        let leaf = unsafe { described(&desc, info) }?;
        let name = leaf.info().name.clone();
        table::with(registry.id, |it: &mut RegistryObject| {
            register(&mut it.registry, leaf).map_err(|it| Failure::new(PLEACH_ERROR_REGISTRY, it.to_string()))?;
            it.gate.note(&name, desc.thread_safe != 0);
            Ok(())
        })
    })
}

/// Registers the leaves, events and keys of a manifest (a `.leaves` file). `leaves` has a
/// description for each of its leaves; only the name, the callbacks and when it is evaluated are
/// used. `file` is its name in messages; no file is opened.
///
/// # Safety
/// The texts are valid; `leaves` points to `leaf_count` descriptions, as for
/// pleach_registry_leaf().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_registry_manifest(
    registry: pleach_registry,
    file: *const c_char,
    text: *const c_char,
    length: usize,
    leaves: *const pleach_leaf_desc,
    leaf_count: usize,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let (file, text) = unsafe { (input::text(file, "file")?, input::sized_text(text, length, "text")?) };
        // SAFETY: as the caller promises.
        let leaves = unsafe { input::descriptions(leaves, leaf_count, "leaves") }?;
        // SAFETY: as the caller promises.
        let named = leaves.into_iter().map(|it| Ok((unsafe { input::text(it.name, "name") }?, it)));
        let known = named.collect::<Result<Vec<_>, Failure>>()?;
        let manifest = Manifest::parse(file, text).map_err(|it| Failure::report(&it))?;
        table::with(registry.id, |it: &mut RegistryObject| {
            let mut wrong = None;
            let result = register_manifest(&mut it.registry, &manifest, |info| {
                let (_, desc) = known.iter().find(|it| it.0 == info.name)?;
                it.gate.note(&info.name, desc.thread_safe != 0);
                // SAFETY: as the caller promises.
                unsafe { described(desc, info.clone()) }.map_err(|it| wrong = Some(it)).ok()
            });
            match wrong {
                Some(wrong) => Err(wrong),
                None => result.map_err(|it| Failure::new(PLEACH_ERROR_REGISTRY, it.to_string())),
            }
        })
    })
}

/// Declares an event for all trees, with the type of its payload, or PLEACH_TYPE_NONE.
///
/// # Safety
/// `name` ends with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_registry_event(
    registry: pleach_registry,
    name: *const c_char,
    payload: pleach_type,
) -> pleach_result {
    entry(|| {
        // SAFETY: as the caller promises.
        let name = unsafe { input::text(name, "name") }?;
        let payload = type_from(payload)?;
        table::with(registry.id, |it: &mut RegistryObject| {
            let result = it.registry.event(name, payload);
            result.map(|_| ()).map_err(|it| Failure::new(PLEACH_ERROR_REGISTRY, it.to_string()))
        })
    })
}

/// Sets whether trees may name events that are not declared. By default they may not.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_registry_allow_any_event(registry: pleach_registry, on: u8) -> pleach_result {
    entry(|| {
        table::with(registry.id, |it: &mut RegistryObject| {
            it.registry.allow_any_event(on != 0);
            Ok(())
        })
    })
}

/// Writes what the registry knows as a manifest, for editors and `pleach check --leaves`.
///
/// # Safety
/// `write` can be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pleach_registry_to_manifest(
    registry: pleach_registry,
    write: pleach_write_fn,
    user: *mut c_void,
) -> pleach_result {
    entry(|| {
        let text = table::read(registry.id, |it: &RegistryObject| Ok(Manifest::of(&it.registry).to_ron()))?;
        // SAFETY: as the caller promises.
        unsafe { input::write(write, user, text.as_bytes()) }
    })
}

/// What is said of a leaf to people who write trees.
///
/// # Safety
/// The pointers of the description are null or valid.
unsafe fn info(desc: &pleach_leaf_desc) -> Result<LeafInfo, Failure> {
    // SAFETY: as the caller promises.
    let (name, doc) = unsafe { (input::text(desc.name, "name")?, optional(desc.doc, "doc")?) };
    let kind = match desc.kind {
        PLEACH_ACTION => LeafKind::Action,
        PLEACH_CONDITION => LeafKind::Condition,
        other => {
            let message = format!("the `kind` of the leaf `{name}` is {other}, which is not a pleach_leaf_kind");
            return Err(Failure::argument(message));
        }
    };
    let mut info = LeafInfo::new(name, kind);
    info.doc = doc.unwrap_or_default().into();
    let mut parameters = Vec::new();
    // SAFETY: as the caller promises.
    for parameter in unsafe { input::descriptions(desc.params, desc.param_count, "params") }? {
        // SAFETY: as the caller promises.
        parameters.push(unsafe { parameter_info(&parameter, name) }?);
    }
    info.parameters = Some(parameters);
    Ok(info)
}

/// # Safety
/// The pointers of the description are null or valid.
unsafe fn parameter_info(desc: &pleach_param_desc, leaf: &str) -> Result<ParameterInfo, Failure> {
    // SAFETY: as the caller promises.
    let (name, doc) = unsafe { (input::text(desc.name, "name")?, optional(desc.doc, "doc")?) };
    // SAFETY: as the caller promises.
    let default = unsafe { optional(desc.default_value, "default_value") }?;
    let wrong = |member: &str, is: i32, not: &str| {
        let of = format!("the parameter `{name}` of the leaf `{leaf}`");
        Failure::argument(format!("the {member} of {of} is {is}, which is not {not}"))
    };
    let floats = Box::new(ValueType::Float);
    let ty = match desc.r#type {
        PLEACH_PARAM_BOOL => ValueType::Bool,
        PLEACH_PARAM_INT => ValueType::Int,
        PLEACH_PARAM_FLOAT => ValueType::Float,
        PLEACH_PARAM_TEXT => ValueType::Text,
        PLEACH_PARAM_WORD => ValueType::Word,
        PLEACH_PARAM_EVENT => ValueType::Event,
        PLEACH_PARAM_EXPR => ValueType::FloatExpr,
        PLEACH_PARAM_VEC2 => ValueType::Array(floats, 2),
        PLEACH_PARAM_VEC3 => ValueType::Array(floats, 3),
        PLEACH_PARAM_FLOATS => ValueType::List(floats),
        PLEACH_PARAM_KEY => {
            let key = type_from(desc.key_type).map_err(|_| wrong("`key_type`", desc.key_type, "a pleach_type"))?;
            let none = || wrong("`key_type`", desc.key_type, "the type of a key");
            ValueType::Key(key.ok_or_else(none)?)
        }
        other => return Err(wrong("`type`", other, "a pleach_param_type")),
    };
    let ty = if default == Some("None") { ValueType::Option(Box::new(ty)) } else { ty };
    let mut info = ParameterInfo::new(name, ty);
    info.doc = doc.unwrap_or_default().into();
    info.presence = default.map_or(Presence::Required, |it| Presence::Default(it.into()));
    Ok(info)
}

/// A leaf with its callbacks.
///
/// # Safety
/// The pointers of the description are null or valid.
unsafe fn described(desc: &pleach_leaf_desc, info: LeafInfo) -> Result<Description<Function>, Failure> {
    let &pleach_leaf_desc { update, start, end, user, every, .. } = desc;
    if update.is_none() {
        return Err(Failure::argument(format!("`update` of `{}` is null", info.name)));
    }
    let mut leaf = Description::of(info, Function { update, start, end, user });
    if start.is_some() {
        leaf = leaf.starts();
    }
    if end.is_some() {
        leaf = leaf.ends();
    }
    // SAFETY: as the caller promises.
    let observes = unsafe { input::list(desc.observes, desc.observe_count, "observes") }?;
    if !observes.is_empty() {
        // SAFETY: as the caller promises.
        let names = observes.iter().map(|it| unsafe { input::text(*it, "observes") });
        leaf = leaf.observes(names.collect::<Result<Vec<_>, _>>()?);
    } else if every > 0.0 {
        leaf = leaf.every(every);
    }
    Ok(leaf)
}

/// # Safety
/// It is null or ends with a zero byte.
unsafe fn optional<'a>(it: *const c_char, what: &str) -> Result<Option<&'a str>, Failure> {
    // SAFETY: as the caller promises.
    if it.is_null() { Ok(None) } else { unsafe { input::text(it, what) }.map(Some) }
}
