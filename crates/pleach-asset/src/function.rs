//! Functions as leaves: what `#[leaf]` declares about a function, and the leaf that calls it.

use std::fmt;
use std::marker::PhantomData;

use pleach_core::__leaf::Callbacks;
use pleach_core::nodes::{action_of, condition_of};
use pleach_core::{Action, Condition, Context, Host, Observes, Status, nodes::Node};
use serde_core::de::{self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::info::{ParameterInfo, Presence};
use crate::parameter::{FnParameter, Given, Observed, Parameter};

/// A function with `#[leaf]`: a type of its name has this, which
/// [`Registry::leaf_fn`](crate::Registry::leaf_fn) takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function with `#[leaf]`",
    note = "register structs with `registry.action::<..>(\"Name\")` or `registry.condition::<..>(\"Name\")`"
)]
pub trait LeafFn: 'static {
    /// Whose leaf it is.
    type Host: Host;
    /// What is stored of its parameters.
    #[doc(hidden)]
    type Params: Params;
    /// What it returns.
    #[doc(hidden)]
    type Answer: Answer;
    /// Its name in assets.
    const NAME: &'static str;
    /// Its doc comment.
    const DOC: &'static str;
    /// Its parameters, without the context.
    #[doc(hidden)]
    const PARAMETERS: &'static [FnParameter];
    #[doc(hidden)]
    const NAMES: &'static [&'static str];
    #[doc(hidden)]
    fn defaults() -> <Self::Params as Params>::Slots;
    #[doc(hidden)]
    fn observes(_: &Self::Params) -> Observes {
        Observes::EveryTick
    }
    #[doc(hidden)]
    fn call(params: &Self::Params, cx: &mut Context<'_, '_, Self::Host>) -> Self::Answer;
}

/// What a leaf's function can return.
#[diagnostic::on_unimplemented(
    message = "a leaf returns `Status` (an action) or `bool` (a condition)",
    label = "not `{Self}`"
)]
pub trait Answer {
    /// Whether the function is a condition.
    const IS_CONDITION: bool;
    /// The same as a status.
    fn status(self) -> Status;
}

impl Answer for Status {
    const IS_CONDITION: bool = false;
    #[inline(always)]
    fn status(self) -> Status {
        self
    }
}

impl Answer for bool {
    const IS_CONDITION: bool = true;
    #[inline(always)]
    fn status(self) -> Status {
        Status::from_bool(self)
    }
}

/// A function of a context, of any host.
#[diagnostic::on_unimplemented(
    message = "the first parameter of a leaf is its context: `cx: &mut Context<'_, '_, Game>`",
    label = "not a context"
)]
pub trait ContextOf {
    /// The host.
    type Host: Host;
}

impl<H: Host> ContextOf for for<'a, 'b, 'c> fn(&'a mut Context<'b, 'c, H>) {
    type Host = H;
}

/// Tuples of parameters.
pub trait Params: Sized + Send + Sync + 'static {
    /// The same, with none of them read yet.
    type Slots: Default;
    /// Reads the value of one into its slot.
    fn read<'de, A: MapAccess<'de>>(
        slots: &mut Self::Slots,
        at: usize,
        name: &'static str,
        map: &mut A,
    ) -> Result<(), A::Error>;
    /// Reads the next into the slot at that place, if there is a next.
    fn read_next<'de, A: SeqAccess<'de>>(slots: &mut Self::Slots, at: usize, seq: &mut A) -> Result<bool, A::Error>;
    /// Which of them can be left out, and their defaults.
    fn presences(defaults: &Self::Slots) -> Vec<Presence>;
    /// All of them, or an error for the missing one.
    fn whole<E: de::Error>(slots: Self::Slots, defaults: Self::Slots, names: &[&'static str]) -> Result<Self, E>;
}

/// Whether a parameter with this default has to be written.
fn presence<P: Parameter>(default: &Option<P>) -> Presence {
    let of = |it: &P| it.written().map_or(Presence::Optional, Presence::Default);
    match default {
        Some(it) => of(it),
        None => P::left_out().as_ref().map_or(Presence::Required, of),
    }
}

macro_rules! tuples {
    ($($P:ident $at:tt)*) => {
        #[allow(unused_variables, clippy::unused_unit, clippy::allow_attributes, reason = "the empty tuple")]
        impl<$($P: Parameter),*> Params for ($($P,)*) {
            type Slots = ($(Option<$P>,)*);
            fn read<'de, A: MapAccess<'de>>(
                slots: &mut Self::Slots,
                at: usize,
                name: &'static str,
                map: &mut A,
            ) -> Result<(), A::Error> {
                match at {
                    $($at if slots.$at.is_some() => return Err(de::Error::duplicate_field(name)),
                    $at => slots.$at = Some(map.next_value::<Given<$P>>()?.0),)*
                    _ => {}
                }
                Ok(())
            }
            fn read_next<'de, A: SeqAccess<'de>>(
                slots: &mut Self::Slots,
                at: usize,
                seq: &mut A,
            ) -> Result<bool, A::Error> {
                Ok(match at {
                    $($at => {
                        slots.$at = seq.next_element::<Given<$P>>()?.map(|it| it.0);
                        slots.$at.is_some()
                    })*
                    _ => false,
                })
            }
            fn presences(defaults: &Self::Slots) -> Vec<Presence> {
                vec![$(presence(&defaults.$at)),*]
            }
            fn whole<E: de::Error>(
                slots: Self::Slots,
                defaults: Self::Slots,
                names: &[&'static str],
            ) -> Result<Self, E> {
                Ok(($(slots.$at.or(defaults.$at).or_else($P::left_out).ok_or_else(|| E::missing_field(names[$at]))?,)*))
            }
        }
    };
}

tuples! {}
tuples! { A0 0 }
tuples! { A0 0 A1 1 }
tuples! { A0 0 A1 1 A2 2 }
tuples! { A0 0 A1 1 A2 2 A3 3 }
tuples! { A0 0 A1 1 A2 2 A3 3 A4 4 }
tuples! { A0 0 A1 1 A2 2 A3 3 A4 4 A5 5 }
tuples! { A0 0 A1 1 A2 2 A3 3 A4 4 A5 5 A6 6 }
tuples! { A0 0 A1 1 A2 2 A3 3 A4 4 A5 5 A6 6 A7 7 }
tuples! { A0 0 A1 1 A2 2 A3 3 A4 4 A5 5 A6 6 A7 7 A8 8 }
tuples! { A0 0 A1 1 A2 2 A3 3 A4 4 A5 5 A6 6 A7 7 A8 8 A9 9 }
tuples! { A0 0 A1 1 A2 2 A3 3 A4 4 A5 5 A6 6 A7 7 A8 8 A9 9 A10 10 }
tuples! { A0 0 A1 1 A2 2 A3 3 A4 4 A5 5 A6 6 A7 7 A8 8 A9 9 A10 10 A11 11 }

/// What is known of the parameters of that function.
pub(crate) fn parameters<L: LeafFn>() -> Vec<ParameterInfo> {
    let presences = L::Params::presences(&L::defaults());
    L::PARAMETERS.iter().zip(presences).map(|(it, presence)| ParameterInfo::of(it, presence)).collect()
}

/// The parameters of one leaf of that function, and the leaf.
pub(crate) struct FnLeaf<L: LeafFn>(L::Params);

impl<L: LeafFn> FnLeaf<L> {
    /// As an action, or as a condition if the function answers yes or no.
    pub(crate) fn host_leaf(self) -> Node<L::Host> {
        if L::Answer::IS_CONDITION { condition_of(self) } else { action_of(self) }
    }
}

impl<L: LeafFn> Action<L::Host> for FnLeaf<L> {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();
    #[inline(always)]
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, L::Host>) -> Status {
        L::call(&self.0, cx).status()
    }
}

impl<L: LeafFn> Condition<L::Host> for FnLeaf<L> {
    type State = ();
    const CALLBACKS: Callbacks = Callbacks::empty();
    fn observes(&self) -> Observes {
        L::observes(&self.0)
    }
    #[inline(always)]
    fn update(&self, (): &mut (), cx: &mut Context<'_, '_, L::Host>) -> Status {
        L::call(&self.0, cx).status()
    }
}

/// Reads as serde's derive would for a struct of these fields.
impl<'de, L: LeafFn> Deserialize<'de> for FnLeaf<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct(L::NAME, L::NAMES, Fields::<L>(PhantomData)).map(FnLeaf)
    }
}

struct Fields<L>(PhantomData<fn() -> L>);

impl<'de, L: LeafFn> Visitor<'de> for Fields<L> {
    type Value = L::Params;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<L::Params, A::Error> {
        let mut slots = <L::Params as Params>::Slots::default();
        while let Some(at) = map.next_key_seed(Name(L::NAMES))? {
            match at {
                Some(at) => L::Params::read(&mut slots, at, L::NAMES[at], &mut map)?,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        L::Params::whole(slots, L::defaults(), L::NAMES)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<L::Params, A::Error> {
        let mut slots = <L::Params as Params>::Slots::default();
        let mut at = 0;
        while L::Params::read_next(&mut slots, at, &mut seq)? {
            at += 1;
        }
        L::Params::whole(slots, L::defaults(), L::NAMES)
    }
}

/// The place of a name, if it is among these.
struct Name(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Option<usize>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a parameter")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Option<usize>, E> {
        Ok(self.0.iter().position(|it| *it == name))
    }
}

/// What `#[leaf]` passes on by value.
#[doc(hidden)]
#[inline(always)]
pub fn copied<T: ByValue>(parameter: &T) -> T {
    *parameter
}

/// What a function can take by value.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a leaf must take `{Self}` by reference: by value it would be copied in every update",
    label = "write `&{Self}`",
    note = "types that derive `Clone` and `Copy` can be taken by value"
)]
pub trait ByValue: Copy {}

#[diagnostic::do_not_recommend]
impl<T: Copy> ByValue for T {}

/// A parameter on which a condition's answer depends.
#[doc(hidden)]
pub fn observed<T: Observed>(parameter: &T) -> &dyn Observed {
    parameter
}

/// What a condition observes whose answer depends on these parameters.
#[doc(hidden)]
#[must_use]
pub fn observes(parameters: &[&dyn Observed]) -> Observes {
    let mut keys = Vec::new();
    let known = parameters.iter().all(|it| it.observe(&mut keys));
    if known { Observes::Keys(keys) } else { Observes::EveryTick }
}
