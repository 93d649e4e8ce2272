//! Expressions over the blackboard: `health < 0.3 && (sees_player || noise_age <= 2)`.
//! [`pleach_core::expr`] describes the language. A leaf takes one as a
//! [`FloatExpr`](crate::FloatExpr).

pub use pleach_core::expr::{Expr, ExprError, ExprErrorKind, KeyIndex, Names, Read};
