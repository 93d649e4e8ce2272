//! What serde asks for when it reads the parameters of a leaf that is a struct: their names, their
//! types, and which can be left out.
//!
//! Only reading can find that out, so this reads sample values, with keys, words and events that no
//! tree has. A type that takes none of the samples stays unknown, and so does what depends on it.

mod sample;

use std::cell::RefCell;

use pleach_core::schema::{KeyDefault, NodeKeys};
use pleach_core::{Entity, Time};

use crate::info::{ParameterInfo, Presence, ValueType};
use crate::parameter::FromAsset;
use sample::{Fields, NotRead, ParamShape, SAMPLE};

/// What is known of the parameters; `None` if they are not a struct.
pub(crate) fn parameters<P: FromAsset>() -> Option<Vec<ParameterInfo>> {
    with_samples(&|fields| P::from_asset(fields).map(drop))
}

/// How the parameters are read. The code that asks for samples is compiled once, not for each leaf.
type Read<'r> = &'r dyn Fn(Fields<'_, '_>) -> Result<(), NotRead>;

/// Lends the names that samples use.
fn with_samples(read: Read<'_>) -> Option<Vec<ParameterInfo>> {
    // A key for each type, by its name.
    let keys = [
        ("Bool", KeyDefault::from(false)),
        ("Int", 0_i64.into()),
        ("Float", 0.0_f32.into()),
        ("Vec2", [0.0_f32; 2].into()),
        ("Vec3", [0.0_f32; 3].into()),
        ("Entity", Entity::NONE.into()),
        ("Time", Time::ZERO.into()),
        ("Symbol", KeyDefault::Symbol(SAMPLE.into(), vec![SAMPLE.into()])),
    ];
    NodeKeys::lend_samples(keys, SAMPLE, || one_by_one(read))
}

/// Reads one parameter at a time, and then all but one at a time.
fn one_by_one(read: Read<'_>) -> Option<Vec<ParameterInfo>> {
    let names = match asked(read, &|_| None) {
        (ParamShape::Struct(names), _) => names,
        (ParamShape::Nothing, _) => return Some(Vec::new()),
        (ParamShape::Other, _) => return None,
    };
    let types: Vec<RefCell<ValueType>> = names.iter().map(|_| RefCell::default()).collect();
    let mut taken = Vec::new();
    for (at, _) in names.iter().enumerate() {
        let (_, result) = asked(read, &|it| (it == at).then(|| &types[it]));
        taken.push(matches!(result, Ok(()) | Err(NotRead::Missing(_))));
    }
    // A field may have several names, which are adjacent: then the index of a value without a name
    // is not that of a name.
    for at in 1..names.len() {
        let is_known = taken[at - 1] || taken[at] || types[at - 1] != types[at];
        let (_, result) = asked(read, &|it| (it + 1 == at || it == at).then(|| &types[it]));
        if matches!(result, Err(NotRead::Twice)) || !is_known {
            return None;
        }
    }
    let mut parameters = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let refused = |other: ValueType| {
            let other = RefCell::new(other);
            matches!(asked(read, &|it| (it == at).then_some(&other)).1, Err(NotRead::NoWord(_)))
        };
        let ty = certain(types[at].borrow().clone(), &refused);
        // A field that can be left out can be so with all others present.
        let presence = match asked(read, &|it| (it != at).then(|| &types[it])).1 {
            Ok(()) => Presence::Optional,
            Err(NotRead::Missing(it)) if it == *name => Presence::Required,
            Err(_) => Presence::Unknown,
        };
        parameters.push(ParameterInfo::asked(name, ty, presence));
    }
    Some(parameters)
}

/// What remains of a type without the enums that accept names they do not list. `refused` says
/// whether a value of a type is refused.
fn certain(ty: ValueType, refused: &dyn Fn(ValueType) -> bool) -> ValueType {
    match ty {
        ValueType::Variant(_) if !refused(ValueType::Variant(vec!["NoSuchVariant".into()])) => ValueType::Unknown,
        ValueType::Option(it) => {
            let inside = |other: ValueType| refused(ValueType::Option(other.into()));
            ValueType::Option(certain(*it, &inside).into())
        }
        // No value is known to be in a list.
        ValueType::List(it) => ValueType::List(certain(*it, &|_| false).into()),
        ValueType::Array(it, count) => ValueType::Array(certain(*it, &|_| false).into(), count),
        other => other,
    }
}

/// Reads those fields that have a place for their type, and returns what was asked for as a whole.
fn asked<'t>(
    read: Read<'_>,
    fields: &dyn Fn(usize) -> Option<&'t RefCell<ValueType>>,
) -> (ParamShape, Result<(), NotRead>) {
    let asked = RefCell::new(ParamShape::Other);
    let result = read(Fields { asked: &asked, fields });
    (asked.into_inner(), result)
}

#[cfg(test)]
mod tests {
    use pleach_core::{Key, Symbol, Type};
    use serde::Deserialize;

    use super::*;
    use crate::FloatExpr;

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only read")]
    struct Inner {
        deep: Option<Box<Inner>>,
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only read")]
    enum Gait {
        Walk,
        Run { factor: f32 },
    }

    #[derive(Deserialize)]
    #[allow(dead_code, reason = "only read")]
    enum AnyGait {
        Walk,
        #[serde(other)]
        Other,
    }

    /// A number that accepts only some numbers.
    #[derive(Deserialize)]
    #[serde(try_from = "f32")]
    #[allow(dead_code, reason = "only read")]
    struct Picky(f32);
    impl TryFrom<f32> for Picky {
        type Error = String;
        fn try_from(it: f32) -> Result<Self, String> {
            if it > 1e6 { Ok(Picky(it)) } else { Err("too small".into()) }
        }
    }

    fn of<P: FromAsset + 'static>() -> Option<Vec<(String, ValueType, Presence)>> {
        Some(parameters::<P>()?.into_iter().map(|it| (it.name, it.ty, it.presence)).collect())
    }

    #[test]
    fn a_struct_tells_its_parameters() {
        #[derive(Deserialize)]
        #[allow(dead_code, reason = "only read")]
        struct All {
            target: Key<[f32; 2]>,
            #[serde(default)]
            speed: FloatExpr2,
            word: Symbol,
            count: u8,
            flag: Option<bool>,
            list: Vec<f32>,
            pair: [i32; 2],
            mixed: (i32, String),
            inner: Inner,
            gait: Gait,
            any: AnyGait,
            maybe: Option<Gait>,
        }
        #[derive(Deserialize)]
        #[serde(transparent)]
        struct FloatExpr2(#[allow(dead_code, reason = "only read")] FloatExpr);
        impl Default for FloatExpr2 {
            fn default() -> Self {
                FloatExpr2(1.0.into())
            }
        }
        use Presence::{Optional, Required};
        let expected = [
            ("target", ValueType::Key(Type::Vec2), Required),
            ("speed", ValueType::FloatExpr, Optional),
            ("word", ValueType::Word, Required),
            ("count", ValueType::Int, Required),
            ("flag", ValueType::Option(ValueType::Bool.into()), Optional),
            ("list", ValueType::List(ValueType::Float.into()), Required),
            ("pair", ValueType::Array(ValueType::Int.into(), 2), Required),
            ("mixed", ValueType::Unknown, Required),
            ("inner", ValueType::Unknown, Required),
            ("gait", ValueType::Variant(vec!["Walk".into(), "Run".into()]), Required),
            ("any", ValueType::Unknown, Required),
            ("maybe", ValueType::Option(ValueType::Variant(vec!["Walk".into(), "Run".into()]).into()), Optional),
        ];
        assert_eq!(of::<All>().unwrap(), expected.map(|(name, ty, presence)| (name.into(), ty, presence)));
    }

    #[test]
    fn what_is_not_known_is_not_guessed() {
        #[derive(Deserialize)]
        #[allow(dead_code, reason = "only read")]
        struct Some1 {
            picky: Picky,
            other: f32,
        }
        let expected =
            [("picky", ValueType::Float, Presence::Required), ("other", ValueType::Float, Presence::Unknown)];
        assert_eq!(of::<Some1>().unwrap(), expected.map(|(name, ty, presence)| (name.into(), ty, presence)));
        #[derive(Deserialize)]
        #[allow(dead_code, reason = "only read")]
        struct Flat {
            #[serde(flatten)]
            inner: Inner,
        }
        #[derive(Deserialize)]
        #[allow(dead_code, reason = "only read")]
        struct Renamed {
            #[serde(alias = "velocity")]
            speed: f32,
        }
        assert_eq!(of::<Renamed>(), None);
        assert_eq!((of::<Flat>(), of::<String>(), of::<(f32, f32)>(), of::<Gait>()), (None, None, None, None));
        assert_eq!(of::<()>(), Some(Vec::new()));
    }
}
