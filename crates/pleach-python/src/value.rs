//! Values of keys as objects of Python, and back.

use pleach_core::schema::{KeyDecl, Schema};
use pleach_core::{Entity, Event, Symbol, Time, Tree, Type, Value};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyTuple};

use crate::error::error;
use crate::host::Script;

/// A value as Python has it: an entity is its index or `None`, a time its seconds, a symbol its
/// word.
pub(crate) fn to_python<'py>(py: Python<'py>, schema: &Schema, value: Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Symbol(it) => Ok(PyString::new(py, schema.word(it).unwrap_or_default()).into_any()),
        _ => to_python_plain(py, value),
    }
}

/// As [`to_python`], for a value that is not a symbol.
pub(crate) fn to_python_plain(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    Ok(match value {
        Value::Bool(it) => PyBool::new(py, it).to_owned().into_any(),
        Value::Int(it) => it.into_pyobject(py)?.into_any(),
        Value::Float(it) => PyFloat::new(py, it.into()).into_any(),
        Value::Vec2(it) => PyTuple::new(py, it)?.into_any(),
        Value::Vec3(it) => PyTuple::new(py, it)?.into_any(),
        Value::Entity(it) => it.index().into_pyobject(py)?.into_any(),
        Value::Time(it) => PyFloat::new(py, it.as_secs_f64()).into_any(),
        Value::Symbol(_) => PyString::new(py, "").into_any(),
    })
}

/// The value of a type that an object of Python stands for. `what` names the key or the event.
pub(crate) fn from_python(ty: Type, it: &Bound<'_, PyAny>, what: &str) -> PyResult<Value> {
    let wrong = |_| {
        let given = it.get_type().name().map(|it| it.to_string()).unwrap_or_default();
        PyTypeError::new_err(format!("{what}: {} is needed, not {given}", needed(ty)))
    };
    let is_bool = it.is_instance_of::<PyBool>();
    Ok(match ty {
        Type::Bool => Value::Bool(it.extract().map_err(wrong)?),
        Type::Int if is_bool => return Err(wrong(PyTypeError::new_err(""))),
        Type::Int => Value::Int(whole(it, what, wrong)?),
        Type::Float if is_bool => return Err(wrong(PyTypeError::new_err(""))),
        Type::Float => Value::Float(it.extract().map_err(wrong)?),
        Type::Vec2 => Value::Vec2(it.extract().map_err(wrong)?),
        Type::Vec3 => Value::Vec3(it.extract().map_err(wrong)?),
        Type::Entity => Value::Entity(entity(it.extract().map_err(|error| range(it, what, error, wrong))?)),
        Type::Time => {
            let seconds: f64 = it.extract().map_err(wrong)?;
            if seconds.is_nan() || seconds < 0.0 {
                return Err(PyValueError::new_err(format!("{what}: a time is 0 s or more, not {seconds}")));
            }
            Value::Time(Time::from_secs(seconds))
        }
        Type::Symbol => Value::Symbol(Symbol::new(&it.extract::<String>().map_err(wrong)?)),
    })
}

fn whole(it: &Bound<'_, PyAny>, what: &str, wrong: impl Fn(PyErr) -> PyErr) -> PyResult<i64> {
    it.extract().map_err(|error| range(it, what, error, wrong))
}

/// An integer that is too large is a different mistake from something that is not a number.
fn range(it: &Bound<'_, PyAny>, what: &str, error: PyErr, wrong: impl Fn(PyErr) -> PyErr) -> PyErr {
    if it.is_instance_of::<PyInt>() {
        return pyo3::exceptions::PyOverflowError::new_err(format!("{what}: {error}"));
    }
    wrong(error)
}

/// A value as an assignment to a key gives it.
///
/// # Errors
/// It is of another type, or not a word of the key.
pub(crate) fn for_key(decl: &KeyDecl, it: &Bound<'_, PyAny>) -> PyResult<Value> {
    let what = format!("the key `{}`", decl.name());
    let value = from_python(decl.ty(), it, &what)?;
    if let Value::Symbol(symbol) = value
        && !decl.words().any(|it| Symbol::new(it) == symbol)
    {
        let words: Vec<&str> = decl.words().collect();
        return Err(error(format!("{what}: {it} is none of its words, which are `{}`", words.join("`, `"))));
    }
    Ok(value)
}

/// An event by its name, with what Python gives as its payload.
pub(crate) fn event(schema: Option<&Schema>, name: &str, payload: Option<&Bound<'_, PyAny>>) -> PyResult<Event> {
    let event = Event::named(Symbol::new(name));
    let Some(payload) = payload else { return Ok(event) };
    let declared = schema.and_then(|it| it.events().find(|it| it.name() == name)?.payload());
    let Some(ty) = declared.or_else(|| kind_of(payload)) else {
        return Err(PyTypeError::new_err(format!(
            "the event `{name}`: a payload is a bool, an int, a float, a str, or two or three floats"
        )));
    };
    Ok(event.with(from_python(ty, payload, &format!("the event `{name}`"))?))
}

/// An event for an agent of a tree.
pub(crate) fn event_of(tree: &Tree<Script>, name: &str, payload: Option<&Bound<'_, PyAny>>) -> PyResult<Event> {
    let event = event(Some(tree.schema()), name, payload)?;
    tree.check_event(&event).map_err(|it| error(format!("the event `{name}`: {it}")))?;
    Ok(event)
}

/// The type of an object of Python, if nothing declares it.
fn kind_of(it: &Bound<'_, PyAny>) -> Option<Type> {
    Some(if it.is_instance_of::<PyBool>() {
        Type::Bool
    } else if it.is_instance_of::<PyInt>() {
        Type::Int
    } else if it.is_instance_of::<PyFloat>() {
        Type::Float
    } else if it.is_instance_of::<PyString>() {
        Type::Symbol
    } else {
        match it.len().ok()? {
            2 => Type::Vec2,
            3 => Type::Vec3,
            _ => return None,
        }
    })
}

/// The entity of an index; `None` is no entity.
pub(crate) fn entity(index: Option<u32>) -> Entity {
    index.map_or(Entity::NONE, |it| Entity::from_index(it as usize))
}

const TYPES: [Type; 8] =
    [Type::Bool, Type::Int, Type::Float, Type::Vec2, Type::Vec3, Type::Entity, Type::Time, Type::Symbol];

/// The word for a type in type hints and descriptions.
pub(crate) fn word(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::Int => "int",
        Type::Float => "float",
        Type::Vec2 => "vec2",
        Type::Vec3 => "vec3",
        Type::Entity => "entity",
        Type::Time => "time",
        Type::Symbol => "symbol",
    }
}

/// The type of a word.
pub(crate) fn of_word(word_: &str) -> Option<Type> {
    TYPES.into_iter().find(|it| word(*it) == word_)
}

/// The message for a word that names no type.
pub(crate) fn not_a_type(word_: &str) -> String {
    format!("`{word_}` is not a type of keys: these are `{}`", TYPES.map(word).join("`, `"))
}

fn needed(ty: Type) -> &'static str {
    match ty {
        Type::Bool => "a bool",
        Type::Int => "an int",
        Type::Float => "a number",
        Type::Vec2 => "two numbers",
        Type::Vec3 => "three numbers",
        Type::Entity => "the index of an entity, or None,",
        Type::Time => "a number of seconds",
        Type::Symbol => "a str",
    }
}
