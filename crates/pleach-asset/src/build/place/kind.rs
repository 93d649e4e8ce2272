//! Which code a problem of the core has.

use pleach_core::error::{EventError, ProblemKind, SchemaError, TokenProblem};
use pleach_core::expr::ExprErrorKind;

use crate::code::Code;

pub(super) fn code_of(kind: &ProblemKind) -> Code {
    match kind {
        ProblemKind::NoChildren { .. } | ProblemKind::ChildCount { .. } => Code::NoChildren,
        ProblemKind::TooManyNodes(_)
        | ProblemKind::TooDeep(_)
        | ProblemKind::TooManyInstances
        | ProblemKind::InstancesTooDeep
        | ProblemKind::TooManyLeaves
        | ProblemKind::TooManyOrdered(_)
        | ProblemKind::Token(TokenProblem::TooMany) => Code::Limit,
        ProblemKind::InstancesAlike { .. } => Code::InstancesAlike,
        ProblemKind::Policy { .. } | ProblemKind::Count { .. } => Code::Threshold,
        ProblemKind::NoCases
        | ProblemKind::SwitchType(_)
        | ProblemKind::CaseType { .. }
        | ProblemKind::DoubledCase(_) => Code::Cases,
        ProblemKind::Weight(_)
        | ProblemKind::WeightSum
        | ProblemKind::Duration(_)
        | ProblemKind::Jitter(_)
        | ProblemKind::Inertia(_)
        | ProblemKind::InertiaAlone
        | ProblemKind::JitterAboveSpan { .. }
        | ProblemKind::Probability(_)
        | ProblemKind::RollEnd(_)
        | ProblemKind::RollOrder { .. }
        | ProblemKind::NoRounds
        | ProblemKind::NoAttempts => Code::Number,
        ProblemKind::NotANumber { .. } | ProblemKind::RollType(_) => Code::ExprType,
        ProblemKind::Token(TokenProblem::BadName(_)) | ProblemKind::BadName(_) => Code::BadName,
        ProblemKind::Token(_) => Code::NodeToken,
        ProblemKind::DoubledId { .. } => Code::DoubledId,
        ProblemKind::Expr(kind) => of_expr(kind),
        ProblemKind::Key(error) => of_key(error),
        ProblemKind::Need(_) => Code::KeyNeed,
        ProblemKind::Event(error) => of_event(error),
        ProblemKind::Leaf(_) => Code::Parameters,
        // What a builder of nodes can do wrong and a file cannot, and what leaves cannot be used
        // for.
        _ => Code::Misplaced,
    }
}

fn of_expr(kind: &ExprErrorKind) -> Code {
    match kind {
        ExprErrorKind::TooLong { .. } | ExprErrorKind::TooDeep | ExprErrorKind::TooManyValues => Code::Limit,
        ExprErrorKind::UnknownKey { .. } => Code::UnknownKey,
        ExprErrorKind::UnknownWord { .. } => Code::UnknownWord,
        ExprErrorKind::UnknownFunction { .. } | ExprErrorKind::WrongArgumentCount { .. } => Code::ExprFunction,
        ExprErrorKind::NoComponent { .. }
        | ExprErrorKind::Mismatch { .. }
        | ExprErrorKind::WrongArgument { .. }
        | ExprErrorKind::WrongOperand { .. }
        | ExprErrorKind::WrongOperands { .. }
        | ExprErrorKind::BranchTypes { .. } => Code::ExprType,
        _ => Code::ExprSyntax,
    }
}

fn of_key(error: &SchemaError) -> Code {
    match error {
        SchemaError::Doubled { .. } => Code::DoubledName,
        SchemaError::BadName(_) | SchemaError::BadWord { .. } | SchemaError::WordIsKey { .. } => Code::BadName,
        SchemaError::NotFinite(_) | SchemaError::NoWords(_) => Code::KeyDefault,
        SchemaError::NotAWord { .. } | SchemaError::UnknownWord { .. } | SchemaError::OtherWords { .. } => {
            Code::UnknownWord
        }
        SchemaError::TooManyWords { .. } | SchemaError::TooMany => Code::Limit,
        SchemaError::Collision(..) => Code::Collision,
        SchemaError::Unknown { .. } => Code::UnknownKey,
        SchemaError::Constant | SchemaError::ReadOnly(_) => Code::NotWritable,
        SchemaError::DeclaredOtherwise { .. } => Code::DeclaredOtherwise,
        SchemaError::UnknownSlot { .. } | SchemaError::NotInSlot { .. } => Code::SlotTrees,
        // A type that does not fit.
        _ => Code::ExprType,
    }
}

fn of_event(error: &EventError) -> Code {
    match error {
        EventError::Unknown { .. } => Code::UnknownEvent,
        EventError::Payload { .. } => Code::Payload,
        EventError::Doubled(_) => Code::DoubledName,
        EventError::Differs { .. } | EventError::DeclaredOtherwise { .. } => Code::DeclaredOtherwise,
        EventError::BadName(_) => Code::BadName,
        EventError::Collision(..) => Code::Collision,
        EventError::TooMany => Code::Limit,
        // Declared by the game, which no file can do.
        _ => Code::DeclaredOtherwise,
    }
}
