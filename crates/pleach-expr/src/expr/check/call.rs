//! The functions: their parameters and results.

use std::ops::Range;

use super::{BAD, Checker, Does, Ty, is_numeric, typed};
use crate::expr::code::{Arith, Instruction};
use crate::expr::error::ExprErrorKind;
use crate::expr::parse::NodeAt;
use crate::names::{self, Near};
use crate::value::Type;

#[derive(Clone, Copy)]
enum Function {
    Min,
    Max,
    Abs,
    Sign,
    Clamp,
    Floor,
    Sqrt,
    Length,
    Distance,
    If,
    Vec2,
    Vec3,
}

const FUNCTIONS: [Function; 12] = [
    Function::Min,
    Function::Max,
    Function::Abs,
    Function::Sign,
    Function::Clamp,
    Function::Floor,
    Function::Sqrt,
    Function::Length,
    Function::Distance,
    Function::If,
    Function::Vec2,
    Function::Vec3,
];

/// A function of expressions, for tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FunctionInfo {
    /// Its name.
    pub name: &'static str,
    /// How it is written: `min(a, b)`.
    pub usage: &'static str,
    /// Its result, in a sentence.
    pub doc: &'static str,
}

/// The functions that expressions can call.
pub fn functions() -> impl ExactSizeIterator<Item = FunctionInfo> {
    FUNCTIONS.into_iter().map(|it| {
        let (usage, doc) = it.about();
        FunctionInfo { name: it.name(), usage, doc }
    })
}

impl Function {
    /// Its usage, and its result.
    fn about(self) -> (&'static str, &'static str) {
        match self {
            Function::Min => ("min(a, b)", "The smaller of two numbers or Times."),
            Function::Max => ("max(a, b)", "The larger of two numbers or Times."),
            Function::Abs => ("abs(a)", "The absolute value of a number."),
            Function::Sign => ("sign(a)", "1, 0 or -1, of the type of the number."),
            Function::Clamp => {
                ("clamp(a, low, high)", "A number or Time, but no less than `low` and no more than `high`.")
            }
            Function::Floor => ("floor(a)", "The largest int that is not greater than a number."),
            Function::Sqrt => ("sqrt(a)", "The square root of a number, as a float; NaN for a negative number."),
            Function::Length => ("length(v)", "The length of a vector, as a float."),
            Function::Distance => ("distance(v, w)", "The distance between two vectors, as a float."),
            Function::If => ("if(test, a, b)", "`a` if the test holds, else `b`."),
            Function::Vec2 => ("vec2(x, y)", "A Vec2 of two numbers."),
            Function::Vec3 => ("vec3(x, y, z)", "A Vec3 of three numbers."),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Function::Min => "min",
            Function::Max => "max",
            Function::Abs => "abs",
            Function::Sign => "sign",
            Function::Clamp => "clamp",
            Function::Floor => "floor",
            Function::Sqrt => "sqrt",
            Function::Length => "length",
            Function::Distance => "distance",
            Function::If => "if",
            Function::Vec2 => "vec2",
            Function::Vec3 => "vec3",
        }
    }

    fn arity(self) -> usize {
        match self {
            Function::Abs | Function::Sign | Function::Floor | Function::Sqrt | Function::Length => 1,
            Function::Min | Function::Max | Function::Distance | Function::Vec2 => 2,
            Function::Clamp | Function::If | Function::Vec3 => 3,
        }
    }

    /// The type of the result, if it does not depend on the arguments.
    fn gives(self) -> Ty {
        match self {
            Function::Floor => Ty::Known(Type::Int),
            Function::Sqrt | Function::Length | Function::Distance => Ty::Known(Type::Float),
            Function::Vec2 => Ty::Known(Type::Vec2),
            Function::Vec3 => Ty::Known(Type::Vec3),
            Function::Min | Function::Max | Function::Abs | Function::Sign | Function::Clamp | Function::If => Ty::Bad,
        }
    }
}

impl Checker<'_> {
    pub(super) fn call(&mut self, name: &Range<usize>, arguments: &[NodeAt]) -> (Ty, Does) {
        let text = self.text(name);
        let Some(function) = FUNCTIONS.into_iter().find(|it| it.name() == text) else {
            let help = names::near(text, FUNCTIONS.into_iter().map(Function::name)).map(Near::help);
            let help = help.or_else(|| names::random(text));
            self.bad(name, ExprErrorKind::UnknownFunction { name: text.to_owned(), help });
            for &argument in arguments {
                self.settle(argument);
            }
            return BAD;
        };
        let (expected, found) = (function.arity(), arguments.len());
        if expected != found {
            for &argument in arguments {
                self.settle(argument);
            }
            self.bad(name, ExprErrorKind::WrongArgumentCount { function: function.name(), expected, found });
            return (function.gives(), Does::Nothing);
        }
        match function {
            Function::Min => {
                self.numeric(function, arguments, Instruction::Int(Arith::Min), Instruction::Float(Arith::Min))
            }
            Function::Max => {
                self.numeric(function, arguments, Instruction::Int(Arith::Max), Instruction::Float(Arith::Max))
            }
            Function::Abs => self.numeric(function, arguments, Instruction::AbsInt, Instruction::Abs),
            Function::Sign => self.numeric(function, arguments, Instruction::SignInt, Instruction::Sign),
            Function::Clamp => self.numeric(function, arguments, Instruction::ClampInt, Instruction::Clamp),
            Function::Floor => {
                self.demand(arguments[0], Type::Float);
                typed(Type::Int, Instruction::Floor)
            }
            Function::Sqrt => {
                self.demand(arguments[0], Type::Float);
                typed(Type::Float, Instruction::Sqrt)
            }
            Function::Vec2 | Function::Vec3 => {
                for &argument in arguments {
                    self.demand(argument, Type::Float);
                }
                (function.gives(), Does::Apply(if expected == 2 { Instruction::Vec2 } else { Instruction::Vec3 }))
            }
            Function::Length => match *self.vectors(function, arguments) {
                [Some(ty)] => typed(Type::Float, Instruction::Length(ty)),
                _ => (function.gives(), Does::Nothing),
            },
            Function::Distance => match *self.vectors(function, arguments) {
                [Some(a), Some(b)] if a == b => typed(Type::Float, Instruction::Distance(a)),
                [Some(expected), Some(found)] => {
                    self.bad(&self.span(arguments[1]), ExprErrorKind::Mismatch { expected, found });
                    (function.gives(), Does::Nothing)
                }
                _ => (function.gives(), Does::Nothing),
            },
            Function::If => self.choice(arguments),
        }
    }

    /// A function of ints, or of floats if one argument is not an int. With Times alone it gives a
    /// Time, if that makes sense.
    fn numeric(
        &mut self,
        function: Function,
        arguments: &[NodeAt],
        on_ints: Instruction,
        on_floats: Instruction,
    ) -> (Ty, Does) {
        let types = self.each(function, arguments, "a number", is_numeric);
        let on_times = match on_ints {
            Instruction::Int(arith) => Some(Instruction::OfTimes(arith, Type::Time, Type::Time)),
            Instruction::ClampInt => Some(Instruction::ClampTime),
            _ => None,
        };
        if let Some(op) = on_times.filter(|_| types.iter().all(|it| *it == Some(Type::Time))) {
            typed(Type::Time, op)
        } else if types.iter().any(|it| matches!(it, Some(Type::Float | Type::Time))) {
            self.make_floats(arguments);
            typed(Type::Float, on_floats)
        } else if types.contains(&None) {
            BAD
        } else {
            typed(Type::Int, on_ints)
        }
    }

    fn vectors(&mut self, function: Function, arguments: &[NodeAt]) -> Vec<Option<Type>> {
        self.each(function, arguments, "a vector", |ty| matches!(ty, Type::Vec2 | Type::Vec3))
    }

    /// The types of the arguments. For a wrong argument `None`, and an error.
    fn each(
        &mut self,
        function: Function,
        arguments: &[NodeAt],
        expected: &'static str,
        right: impl Fn(Type) -> bool,
    ) -> Vec<Option<Type>> {
        let mut types = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            types.push(match self.settle(argument) {
                Some(found) if !right(found) => {
                    let span = self.span(argument);
                    self.bad(&span, ExprErrorKind::WrongArgument { function: function.name(), expected, found });
                    None
                }
                ty => ty,
            });
        }
        types
    }

    /// `if(test, a, b)`
    fn choice(&mut self, arguments: &[NodeAt]) -> (Ty, Does) {
        let [condition, yes, no] = *arguments else { return BAD };
        self.demand(condition, Type::Bool);
        self.exchange_words(yes, no);
        let undecided = [yes, no].map(|it| self.ty(it)).contains(&Ty::Word);
        if undecided && self.wordable(yes) && self.wordable(no) {
            return (Ty::Word, Does::Choose);
        }
        match (self.settle(yes), self.settle(no)) {
            (Some(a), Some(b)) if a == b => (Ty::Known(a), Does::Choose),
            (Some(a), Some(b)) if is_numeric(a) && is_numeric(b) => {
                self.make_floats(&[yes, no]);
                (Ty::Known(Type::Float), Does::Choose)
            }
            (Some(left), Some(right)) => {
                let span = self.span(yes).start..self.span(no).end;
                self.bad(&span, ExprErrorKind::BranchTypes { left, right })
            }
            _ => BAD,
        }
    }
}
