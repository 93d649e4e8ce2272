//! The instructions of the general machine, and how a checked syntax tree becomes them.

use super::KeyIndex;
use super::check::{Does, Meaning};
use super::lex::Operator;
use super::machine;
use super::parse::{Ast, Kind, NodeAt};
use crate::value::{Type, Value};

/// One instruction. It pops its operands, the last argument first, and pushes the result. A jump
/// says how many instructions it skips. Jumps only go forward, so that any code ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Instruction {
    Push(Value),
    Load(KeyIndex, Type),
    /// A component of a vector key.
    LoadPart(KeyIndex, Component),
    /// The agent's own time.
    Time,
    /// The forest's time.
    Now,
    Component(Component),
    IntToFloat,
    TimeToFloat,
    Not,
    NegateInt,
    /// Of a float or a vector. Here and in the vector instructions below, the type is that of the
    /// result.
    Negate(Type),
    AbsInt,
    Abs,
    SignInt,
    Sign,
    Floor,
    Sqrt,
    ClampInt,
    Clamp,
    Int(Arith),
    Float(Arith),
    AddVectors(Type),
    SubVectors(Type),
    /// A vector times a float.
    MulVector(Type),
    /// A vector divided by a float.
    DivVector(Type),
    /// A float times a vector.
    VectorAfter(Type),
    CompareInt(Cmp),
    CompareFloat(Cmp),
    /// Of two Times, or of one and a number. The types are those of the operands.
    CompareTime(Cmp, Type, Type),
    /// The seconds between two Times.
    Seconds,
    /// A Time from a Time and a number, or from two Times (whose types these are): a sum, a
    /// difference, the smaller or the larger one.
    OfTimes(Arith, Type, Type),
    ClampTime,
    /// Of two operands that are not numbers. Here and below, the type is theirs.
    Equal(Type),
    NotEqual(Type),
    Distance(Type),
    Length(Type),
    Vec2,
    Vec3,
    Skip(usize),
    /// Pops the bool.
    SkipIfFalse(usize),
    /// `&&`: if the left side is false, keeps it and skips the right side; else pops it.
    And(usize),
    /// `||`: if the left side is true, keeps it and skips the right side; else pops it.
    Or(usize),
}

// Evaluating an expression walks its code.
const _: () = assert!(size_of::<Instruction>() == 16);

/// A component of a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Component {
    X,
    Y,
    Z,
}

impl Component {
    /// This component of a vector; 0 for anything else.
    pub(super) fn of(self, value: Value) -> f32 {
        match (value, self) {
            (Value::Vec2([it, _]) | Value::Vec3([it, ..]), Component::X) => it,
            (Value::Vec2([_, it]) | Value::Vec3([_, it, _]), Component::Y) => it,
            (Value::Vec3([.., it]), Component::Z) => it,
            _ => 0.0,
        }
    }
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Min,
    Max,
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cmp {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
}

impl Arith {
    pub(super) fn text(self) -> &'static str {
        match self {
            Arith::Add => "+",
            Arith::Sub => "-",
            Arith::Mul => "*",
            Arith::Div => "/",
            Arith::Rem => "%",
            Arith::Min => "min",
            Arith::Max => "max",
        }
    }
}

impl Cmp {
    pub(super) fn text(self) -> &'static str {
        match self {
            Cmp::Lt => "<",
            Cmp::Le => "<=",
            Cmp::Gt => ">",
            Cmp::Ge => ">=",
            Cmp::Eq => "==",
            Cmp::Ne => "!=",
        }
    }

    /// The same comparison with the two sides swapped.
    pub(super) fn flipped(self) -> Cmp {
        match self {
            Cmp::Lt => Cmp::Gt,
            Cmp::Le => Cmp::Ge,
            Cmp::Gt => Cmp::Lt,
            Cmp::Ge => Cmp::Le,
            Cmp::Eq => Cmp::Eq,
            Cmp::Ne => Cmp::Ne,
        }
    }

    /// Whether this comparison holds between `a` and `b`.
    #[inline(always)]
    pub fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
        match self {
            Cmp::Lt => a < b,
            Cmp::Le => a <= b,
            Cmp::Gt => a > b,
            Cmp::Ge => a >= b,
            Cmp::Eq => a == b,
            Cmp::Ne => a != b,
        }
    }
}

impl Instruction {
    /// The key that the instruction reads.
    pub(super) fn key(&self) -> Option<KeyIndex> {
        match *self {
            Instruction::Load(key, _) | Instruction::LoadPart(key, _) => Some(key),
            _ => None,
        }
    }

    /// How many instructions it may skip, if it is a jump.
    pub(super) fn skips(&self) -> Option<usize> {
        match *self {
            Instruction::Skip(by) | Instruction::SkipIfFalse(by) | Instruction::And(by) | Instruction::Or(by) => {
                Some(by)
            }
            _ => None,
        }
    }

    /// How many values the instruction pops, and the type of the value that it pushes, if any. For
    /// a jump: when it does not skip.
    pub(super) fn effect(&self) -> (usize, Option<Type>) {
        match *self {
            Instruction::Push(value) => (0, Some(value.ty())),
            Instruction::Load(_, ty) => (0, Some(ty)),
            Instruction::LoadPart(..) => (0, Some(Type::Float)),
            Instruction::Time | Instruction::Now => (0, Some(Type::Time)),
            Instruction::Component(_)
            | Instruction::IntToFloat
            | Instruction::TimeToFloat
            | Instruction::Abs
            | Instruction::Sign
            | Instruction::Sqrt
            | Instruction::Length(_) => (1, Some(Type::Float)),
            Instruction::Not => (1, Some(Type::Bool)),
            Instruction::NegateInt | Instruction::AbsInt | Instruction::SignInt | Instruction::Floor => {
                (1, Some(Type::Int))
            }
            Instruction::Negate(ty) => (1, Some(ty)),
            Instruction::Int(_) => (2, Some(Type::Int)),
            Instruction::Float(_) | Instruction::Distance(_) | Instruction::Seconds => (2, Some(Type::Float)),
            Instruction::OfTimes(..) => (2, Some(Type::Time)),
            Instruction::AddVectors(ty) | Instruction::SubVectors(ty) => (2, Some(ty)),
            Instruction::MulVector(ty) | Instruction::DivVector(ty) | Instruction::VectorAfter(ty) => (2, Some(ty)),
            Instruction::CompareInt(_)
            | Instruction::CompareFloat(_)
            | Instruction::CompareTime(..)
            | Instruction::Equal(_)
            | Instruction::NotEqual(_) => (2, Some(Type::Bool)),
            Instruction::Vec2 => (2, Some(Type::Vec2)),
            Instruction::ClampInt => (3, Some(Type::Int)),
            Instruction::Clamp => (3, Some(Type::Float)),
            Instruction::ClampTime => (3, Some(Type::Time)),
            Instruction::Vec3 => (3, Some(Type::Vec3)),
            Instruction::Skip(_) => (0, None),
            Instruction::SkipIfFalse(_) | Instruction::And(_) | Instruction::Or(_) => (1, None),
        }
    }
}

/// Buffers of emission, reused from one expression to the next.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    code: Vec<Instruction>,
    tasks: Vec<Task>,
}

/// The code of a checked expression, and the most values that it holds at once. Constant parts are
/// computed here.
pub(super) fn emit<'b>(ast: &Ast, meanings: &[Meaning], buffers: &'b mut Buffers) -> (&'b [Instruction], usize) {
    buffers.code.clear();
    let Buffers { code, tasks } = &mut *buffers;
    let mut emitter = Emitter { ast, meanings, code, depth: 0, deepest: 0, tasks };
    emitter.tasks.push(Task::Enter(ast.root()));
    while let Some(task) = emitter.tasks.pop() {
        emitter.perform(task);
    }
    let deepest = emitter.deepest;
    (&buffers.code, deepest)
}

/// What is left to emit. It is kept in a list and not on the stack, as a chain of operators may be
/// thousands of nodes deep.
#[derive(Debug)]
enum Task {
    Enter(NodeAt),
    /// The operands have been emitted, from `start` on.
    Apply(NodeAt, usize),
    /// The left side of `&&` or `||` has been emitted.
    Right {
        operator: Operator,
        right: NodeAt,
        start: usize,
    },
    /// The condition of an `if` has been emitted.
    Then {
        yes: NodeAt,
        no: NodeAt,
        start: usize,
    },
    /// The first result of the `if` has been emitted, after the jump at `test`.
    Else {
        no: NodeAt,
        test: usize,
    },
    /// The jump at this index goes here.
    Land(usize),
    /// Converts an int or a Time to a float.
    ToFloat(Type, usize),
}

struct Emitter<'a> {
    ast: &'a Ast,
    meanings: &'a [Meaning],
    code: &'a mut Vec<Instruction>,
    depth: usize,
    deepest: usize,
    tasks: &'a mut Vec<Task>,
}

impl Emitter<'_> {
    fn perform(&mut self, task: Task) {
        match task {
            Task::Enter(at) => self.enter(at),
            Task::Apply(at, start) => {
                if let Does::Apply(op) = self.meanings[at.0].does {
                    self.push(op, start);
                }
            }
            Task::Right { operator, right, start } => {
                let skips_on = operator == Operator::Or;
                match self.constant(start) {
                    Some(value) if value == skips_on => {}
                    Some(_) => {
                        self.drop_constant();
                        self.tasks.push(Task::Enter(right));
                    }
                    None => {
                        self.tasks.extend([Task::Land(self.code.len()), Task::Enter(right)]);
                        self.push(if skips_on { Instruction::Or(0) } else { Instruction::And(0) }, start);
                    }
                }
            }
            Task::Then { yes, no, start } => match self.constant(start) {
                Some(condition) => {
                    self.drop_constant();
                    self.tasks.push(Task::Enter(if condition { yes } else { no }));
                }
                None => {
                    self.tasks.extend([Task::Else { no, test: self.code.len() }, Task::Enter(yes)]);
                    self.push(Instruction::SkipIfFalse(0), start);
                }
            },
            Task::Else { no, test } => {
                self.tasks.extend([Task::Land(self.code.len()), Task::Enter(no)]);
                self.push(Instruction::Skip(0), self.code.len());
                self.land(test);
                // On this path the value of the first result is not on the stack.
                self.depth -= 1;
            }
            Task::Land(jump) => self.land(jump),
            Task::ToFloat(Type::Time, start) => self.push(Instruction::TimeToFloat, start),
            Task::ToFloat(_, start) => self.push(Instruction::IntToFloat, start),
        }
    }

    fn enter(&mut self, at: NodeAt) {
        let start = self.code.len();
        let meaning = &self.meanings[at.0];
        if let Some(ty) = meaning.to_float {
            self.tasks.push(Task::ToFloat(ty, start));
        }
        match (meaning.does, &self.ast.node(at).kind) {
            (Does::Apply(_), kind) => {
                self.tasks.push(Task::Apply(at, start));
                match kind {
                    Kind::Bool(_) | Kind::Int(_) | Kind::Float(_) | Kind::Name(_) | Kind::Path(..) => {}
                    Kind::Component(of, _) | Kind::Not(of) | Kind::Negate(of) => self.tasks.push(Task::Enter(*of)),
                    Kind::Binary(_, left, right) => self.tasks.extend([Task::Enter(*right), Task::Enter(*left)]),
                    Kind::Call(_, arguments) => self.tasks.extend(arguments.iter().rev().map(|&it| Task::Enter(it))),
                }
            }
            (Does::Join, &Kind::Binary(operator, left, right)) => {
                self.tasks.extend([Task::Right { operator, right, start }, Task::Enter(left)]);
            }
            (Does::Choose, Kind::Call(_, arguments)) => {
                if let [condition, yes, no] = **arguments {
                    self.tasks.extend([Task::Then { yes, no, start }, Task::Enter(condition)]);
                }
            }
            (Does::Nothing | Does::Join | Does::Choose, _) => unreachable!("the checker reported it"),
        }
    }

    /// Appends an instruction. If all its operands are constants, appends its result instead.
    fn push(&mut self, op: Instruction, start: usize) {
        let (pops, pushes) = op.effect();
        self.depth = self.depth + usize::from(pushes.is_some()) - pops;
        self.deepest = self.deepest.max(self.depth);
        self.code.push(op);
        let operands = &self.code[start..self.code.len() - 1];
        let constant =
            pops > 0 && operands.len() == pops && operands.iter().all(|it| matches!(it, Instruction::Push(_)));
        if let Some(ty) = pushes.filter(|_| constant) {
            let slot = machine::run::<{ machine::SMALL_STACK }>(&self.code[start..], &mut machine::NoKeys);
            self.code.truncate(start);
            self.code.push(Instruction::Push(slot.value(ty)));
        }
    }

    /// The bool that the code from `start` on always gives.
    fn constant(&self, start: usize) -> Option<bool> {
        match self.code[start..] {
            [Instruction::Push(Value::Bool(value))] => Some(value),
            _ => None,
        }
    }

    fn drop_constant(&mut self) {
        self.code.pop();
        self.depth -= 1;
    }

    fn land(&mut self, jump: usize) {
        let here = self.code.len();
        if let Instruction::Skip(by) | Instruction::SkipIfFalse(by) | Instruction::And(by) | Instruction::Or(by) =
            &mut self.code[jump]
        {
            *by = here - jump - 1;
        }
    }
}
