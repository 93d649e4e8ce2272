//! Columns of values as arrays of NumPy, and back.
//!
//! Values are copied by way of `bytes` and `bytearray`: a batch has at most 1 024 agents, so a
//! column takes a few kilobytes, and this module touches no NumPy pointers.

use pleach_core::schema::KeyDecl;
use pleach_core::{Entity, Symbol, Time, Type, Value};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList};

use crate::error::error;

/// The NumPy functions that are called.
struct Numpy {
    frombuffer: Py<PyAny>,
    asarray: Py<PyAny>,
    same_kind: Py<PyDict>,
    dtypes: [Py<PyAny>; 8],
}

static NUMPY: PyOnceLock<Numpy> = PyOnceLock::new();

fn numpy(py: Python<'_>) -> PyResult<&Numpy> {
    NUMPY.get_or_try_init(py, || {
        let module = py.import("numpy")?;
        let dtype = |name| Ok::<_, PyErr>(module.getattr("dtype")?.call1((name,))?.unbind());
        let same_kind = PyDict::new(py);
        same_kind.set_item("casting", "same_kind")?;
        same_kind.set_item("copy", false)?;
        Ok(Numpy {
            frombuffer: module.getattr("frombuffer")?.unbind(),
            asarray: module.getattr("asarray")?.unbind(),
            same_kind: same_kind.unbind(),
            dtypes: [
                dtype("bool")?,
                dtype("uint8")?,
                dtype("uint32")?,
                dtype("int64")?,
                dtype("uint64")?,
                dtype("float32")?,
                dtype("float64")?,
                dtype("object")?,
            ],
        })
    })
}

/// A number as an array stores it.
pub(crate) trait Number: Copy {
    /// The index of its type in [`Numpy::dtypes`].
    const DTYPE: usize;
    /// How many bytes it has.
    const SIZE: usize;
    fn put(self, to: &mut [u8]);
    fn get(from: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($ty:ty, $dtype:literal;)*) => {$(
        impl Number for $ty {
            const DTYPE: usize = $dtype;
            const SIZE: usize = size_of::<$ty>();
            #[inline]
            fn put(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_ne_bytes());
            }
            #[inline]
            fn get(from: &[u8]) -> Self {
                let mut bytes = [0; size_of::<$ty>()];
                bytes.copy_from_slice(from);
                <$ty>::from_ne_bytes(bytes)
            }
        }
    )*};
}

numbers! {
    u8, 1;
    u32, 2;
    i64, 3;
    u64, 4;
    f32, 5;
    f64, 6;
}

impl Number for bool {
    const DTYPE: usize = 0;
    const SIZE: usize = 1;
    fn put(self, to: &mut [u8]) {
        to[0] = self.into();
    }
    fn get(from: &[u8]) -> Self {
        from[0] != 0
    }
}

/// An array of these numbers.
pub(crate) fn array<'py, N: Number>(py: Python<'py>, values: &[N]) -> PyResult<Bound<'py, PyAny>> {
    let numpy = numpy(py)?;
    let bytes = PyByteArray::new_with(py, values.len() * N::SIZE, |bytes| {
        bytes.chunks_exact_mut(N::SIZE).zip(values).for_each(|(to, it)| it.put(to));
        Ok(())
    })?;
    numpy.frombuffer.bind(py).call1((bytes, numpy.dtypes[N::DTYPE].bind(py)))
}

/// An array with a row for each of these.
pub(crate) fn rows<'py, const W: usize>(py: Python<'py>, values: &[[f32; W]]) -> PyResult<Bound<'py, PyAny>> {
    array(py, values.as_flattened())?.call_method1("reshape", ((values.len(), W),))
}

/// An array of words.
pub(crate) fn words<'py, 'w>(py: Python<'py>, all: impl IntoIterator<Item = &'w str>) -> PyResult<Bound<'py, PyAny>> {
    let numpy = numpy(py)?;
    let list = PyList::empty(py);
    for it in all {
        list.append(it)?;
    }
    numpy.asarray.bind(py).call1((list, numpy.dtypes[7].bind(py)))
}

/// The index of an entity; -1 is no entity.
pub(crate) fn index(entity: Entity) -> i64 {
    entity.to_bits().cast_signed().wrapping_sub(1)
}

/// What a key holds for some agents, one after the other.
pub(crate) fn column<'py>(
    py: Python<'py>,
    ty: Type,
    word: impl Fn(Symbol) -> String,
    values: impl IntoIterator<Item = Value>,
) -> PyResult<Bound<'py, PyAny>> {
    macro_rules! all {
        ($variant:ident, $of:expr) => {
            values
                .into_iter()
                .filter_map(|it| if let Value::$variant(it) = it { Some($of(it)) } else { None })
                .collect::<Vec<_>>()
        };
    }
    let same = |it| it;
    match ty {
        Type::Bool => array::<bool>(py, &all!(Bool, same)),
        Type::Int => array::<i64>(py, &all!(Int, |it| it)),
        Type::Float => array::<f32>(py, &all!(Float, |it| it)),
        Type::Vec2 => rows::<2>(py, &all!(Vec2, |it| it)),
        Type::Vec3 => rows::<3>(py, &all!(Vec3, |it| it)),
        Type::Entity => array::<i64>(py, &all!(Entity, index)),
        Type::Time => array::<f64>(py, &all!(Time, Time::as_secs_f64)),
        Type::Symbol => {
            let mut known: Vec<(Symbol, String)> = Vec::new();
            let all: Vec<Symbol> = all!(Symbol, |it| it);
            for it in &all {
                if !known.iter().any(|known| known.0 == *it) {
                    known.push((*it, word(*it)));
                }
            }
            let of = |it: &Symbol| known.iter().find(|known| known.0 == *it).map_or("", |it| it.1.as_str());
            words(py, all.iter().map(of))
        }
    }
}

/// The numbers that an object gives for `len` agents: an array of that length, or one number for
/// all. `width` is how many there are for each agent.
///
/// # Errors
/// It has another length, or its numbers are of another kind.
pub(crate) fn read<N: Number>(it: &Bound<'_, PyAny>, len: usize, width: usize, what: &str) -> PyResult<Vec<N>> {
    let py = it.py();
    let numpy = numpy(py)?;
    let given = numpy.asarray.bind(py).call1((it,))?;
    let dtype = numpy.dtypes[N::DTYPE].bind(py);
    let shape: Vec<usize> = given.getattr("shape")?.extract()?;
    let one: &[usize] = if width == 1 { &[] } else { &[width] };
    let is_one = shape == one;
    let is_column = shape.first() == Some(&len) && shape[1..] == *one;
    if !(is_one || is_column) {
        let per = if width == 1 { String::new() } else { format!(" times {width}") };
        return Err(PyValueError::new_err(format!("{what}: {len}{per} values are needed, not {}", shown(&shape))));
    }
    let wrong = |_: PyErr| {
        let name = |it: &Bound<'_, PyAny>| it.str().map(|it| it.to_string()).unwrap_or_default();
        let given = given.getattr("dtype").map(|it| name(&it)).unwrap_or_default();
        PyTypeError::new_err(format!("{what}: an array of {} is needed, not of {given}", name(dtype)))
    };
    // Integers of Python can be cast to any number type.
    let cast = given.call_method("astype", (dtype,), Some(numpy.same_kind.bind(py))).map_err(wrong)?;
    let bytes = cast.call_method0("tobytes")?.cast_into::<PyBytes>()?;
    let numbers = bytes.as_bytes().chunks_exact(N::SIZE).map(N::get);
    Ok(if is_one {
        let one: Vec<N> = numbers.collect();
        one.iter().copied().cycle().take(len * width).collect()
    } else {
        numbers.collect()
    })
}

fn shown(shape: &[usize]) -> String {
    match shape {
        [] => "one".into(),
        _ => shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(" times "),
    }
}

/// The values for a key of some agents that an assignment gives.
///
/// # Errors
/// As [`read`]; or one is not a word of the key.
pub(crate) fn values(decl: &KeyDecl, it: &Bound<'_, PyAny>, len: usize) -> PyResult<Vec<Value>> {
    let what = format!("the key `{}`", decl.name());
    Ok(match decl.ty() {
        Type::Bool => read::<bool>(it, len, 1, &what)?.into_iter().map(Value::Bool).collect(),
        Type::Int => read::<i64>(it, len, 1, &what)?.into_iter().map(Value::Int).collect(),
        Type::Float => read::<f32>(it, len, 1, &what)?.into_iter().map(Value::Float).collect(),
        Type::Vec2 => vectors::<2>(it, len, &what)?.into_iter().map(Value::Vec2).collect(),
        Type::Vec3 => vectors::<3>(it, len, &what)?.into_iter().map(Value::Vec3).collect(),
        Type::Entity => {
            let of = |it: i64| Value::Entity(Entity::from_bits(it.wrapping_add(1).cast_unsigned()));
            read::<i64>(it, len, 1, &what)?.into_iter().map(of).collect()
        }
        Type::Time => {
            let all = read::<f64>(it, len, 1, &what)?;
            if let Some(bad) = all.iter().find(|it| it.is_nan() || **it < 0.0) {
                return Err(PyValueError::new_err(format!("{what}: a time is 0 s or more, not {bad}")));
            }
            all.into_iter().map(|it| Value::Time(Time::from_secs(it))).collect()
        }
        Type::Symbol => {
            let all: Vec<String> = match it.extract::<String>() {
                Ok(one) => vec![one; len],
                Err(_) => it.try_iter()?.map(|it| it?.extract::<String>()).collect::<PyResult<_>>()?,
            };
            if all.len() != len {
                return Err(PyValueError::new_err(format!("{what}: {len} values are needed, not {}", all.len())));
            }
            if let Some(bad) = all.iter().find(|it| !decl.words().any(|word| word == **it)) {
                let words: Vec<&str> = decl.words().collect();
                return Err(error(format!("{what}: `{bad}` is none of its words, which are `{}`", words.join("`, `"))));
            }
            all.iter().map(|it| Value::Symbol(Symbol::new(it))).collect()
        }
    })
}

fn vectors<const W: usize>(it: &Bound<'_, PyAny>, len: usize, what: &str) -> PyResult<Vec<[f32; W]>> {
    let flat = read::<f32>(it, len, W, what)?;
    Ok(flat.as_chunks::<W>().0.to_vec())
}
