//! The cells of keys, by their type.

use crate::{Entity, Symbol, Time, Type};

/// The cells of a board by their type, so that a typed key leads to its cell without a check of the
/// type. The columns of one type lie side by side, a stride apart.
#[derive(Debug, Default)]
pub struct Columns {
    pub(super) bools: Box<[bool]>,
    pub(super) ints: Box<[i64]>,
    pub(super) floats: Box<[f32]>,
    /// Those of the other types, if the tree has any.
    pub(super) others: Option<Box<Others>>,
}

impl Clone for Columns {
    fn clone(&self) -> Self {
        let Columns { bools, ints, floats, others } = self;
        Columns { bools: bools.clone(), ints: ints.clone(), floats: floats.clone(), others: others.clone() }
    }

    /// Allocates nothing if there are as many cells of the first types.
    fn clone_from(&mut self, from: &Self) {
        self.bools.clone_from(&from.bools);
        self.ints.clone_from(&from.ints);
        self.floats.clone_from(&from.floats);
        self.others.clone_from(&from.others);
    }
}

/// The cells of types that fewer trees have. Room for the columns of all types would cost a single
/// agent more than its keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Others {
    pub(super) vec2s: Box<[[f32; 2]]>,
    pub(super) vec3s: Box<[[f32; 3]]>,
    pub(super) entities: Box<[Entity]>,
    pub(super) symbols: Box<[Symbol]>,
    pub(super) times: Box<[Time]>,
}

/// Runs `$do` with the type of a key as `$t`.
macro_rules! typed {
    ($ty:expr, $t:ident => $do:expr) => {
        match $ty {
            Type::Bool => {
                type $t = bool;
                $do
            }
            Type::Int => {
                type $t = i64;
                $do
            }
            Type::Float => {
                type $t = f32;
                $do
            }
            Type::Vec2 => {
                type $t = [f32; 2];
                $do
            }
            Type::Vec3 => {
                type $t = [f32; 3];
                $do
            }
            Type::Entity => {
                type $t = Entity;
                $do
            }
            Type::Symbol => {
                type $t = Symbol;
                $do
            }
            Type::Time => {
                type $t = crate::Time;
                $do
            }
        }
    };
}

pub(super) const TYPES: [Type; 8] =
    [Type::Bool, Type::Int, Type::Float, Type::Vec2, Type::Vec3, Type::Entity, Type::Symbol, Type::Time];

pub(super) use typed;
