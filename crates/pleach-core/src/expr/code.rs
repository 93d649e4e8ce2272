//! The instructions of the general machine, and their emission from a checked syntax tree.

use super::KeyIndex;
use super::check::{Does, Meaning};
use super::lex::Operator;
use super::machine;
use super::parse::{Ast, Kind, NodeAt};
use crate::value::Value;

/// One instruction. Operands are popped, the last argument first, and the result is pushed. Jumps say how many
/// instructions they skip, and only ever go forward, so that any code ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    Push(Value),
    Load(KeyIndex),
    /// A component of a vector key.
    LoadPart(KeyIndex, Part),
    Part(Part),
    IntToFloat,
    Not,
    /// Of an int, a float or a vector.
    Negate,
    /// Of an int or a float, as the next two.
    Abs,
    Floor,
    Clamp,
    Int(Arith),
    Float(Arith),
    /// Two vectors, or a vector and a float in either order.
    Vector(Arith),
    CompareInt(Cmp),
    CompareFloat(Cmp),
    /// Of two bools, vectors, entities or symbols.
    Equal,
    NotEqual,
    Distance,
    Length,
    Vec2,
    Vec3,
    Skip(usize),
    /// Pops.
    SkipIfFalse(usize),
    /// `&&`: skips what is on its right and leaves the false, or pops the true.
    And(usize),
    /// `||`: skips what is on its right and leaves the true, or pops the false.
    Or(usize),
}

/// A component of a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    X,
    Y,
    Z,
}

/// What two numbers make.
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

/// How two numbers compare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cmp {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
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

    /// The same with the two sides exchanged.
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

    #[inline(always)]
    pub(super) fn holds<T: PartialOrd>(self, a: T, b: T) -> bool {
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

impl Op {
    /// The key that it reads.
    pub(super) fn key(&self) -> Option<KeyIndex> {
        match *self {
            Op::Load(key) | Op::LoadPart(key, _) => Some(key),
            _ => None,
        }
    }

    /// How many values it pops and pushes, on the way that does not skip.
    fn pops_pushes(&self) -> (usize, usize) {
        match self {
            Op::Push(_) | Op::Load(_) | Op::LoadPart(..) => (0, 1),
            Op::Part(_) | Op::IntToFloat | Op::Not | Op::Negate | Op::Abs | Op::Floor | Op::Length => (1, 1),
            Op::Int(_) | Op::Float(_) | Op::Vector(_) | Op::CompareInt(_) | Op::CompareFloat(_) => (2, 1),
            Op::Equal | Op::NotEqual | Op::Distance | Op::Vec2 => (2, 1),
            Op::Clamp | Op::Vec3 => (3, 1),
            Op::Skip(_) => (0, 0),
            Op::SkipIfFalse(_) | Op::And(_) | Op::Or(_) => (1, 0),
        }
    }
}

/// The code of a checked expression, and the most values that it holds at once. What is constant is computed here.
pub(super) fn emit(ast: &Ast, meanings: &[Meaning]) -> (Vec<Op>, usize) {
    let mut emitter = Emitter { ast, meanings, code: Vec::new(), depth: 0, deepest: 0, tasks: Vec::new() };
    emitter.tasks.push(Task::Enter(ast.root()));
    while let Some(task) = emitter.tasks.pop() {
        emitter.perform(task);
    }
    (emitter.code, emitter.deepest)
}

/// What is left to emit, kept on a list of its own, since a chain of operators may be thousands of nodes deep.
enum Task {
    Enter(NodeAt),
    /// The operands are there, from `start` on.
    Apply(NodeAt, usize),
    /// The left side of `&&` or `||` is there.
    Right {
        operator: Operator,
        right: NodeAt,
        start: usize,
    },
    /// The condition of an `if` is there.
    Then {
        yes: NodeAt,
        no: NodeAt,
        start: usize,
    },
    /// Its first result is there, after the jump at `test`.
    Else {
        no: NodeAt,
        test: usize,
    },
    /// The jump at this place goes here.
    Land(usize),
    ToFloat(usize),
}

struct Emitter<'a> {
    ast: &'a Ast,
    meanings: &'a [Meaning],
    code: Vec<Op>,
    depth: usize,
    deepest: usize,
    tasks: Vec<Task>,
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
                        self.push(if skips_on { Op::Or(0) } else { Op::And(0) }, start);
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
                    self.push(Op::SkipIfFalse(0), start);
                }
            },
            Task::Else { no, test } => {
                self.tasks.extend([Task::Land(self.code.len()), Task::Enter(no)]);
                self.push(Op::Skip(0), self.code.len());
                self.land(test);
                // What the first result pushed is not there on this way.
                self.depth -= 1;
            }
            Task::Land(jump) => self.land(jump),
            Task::ToFloat(start) => self.push(Op::IntToFloat, start),
        }
    }

    fn enter(&mut self, at: NodeAt) {
        let start = self.code.len();
        let meaning = &self.meanings[at.0];
        if meaning.to_float {
            self.tasks.push(Task::ToFloat(start));
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

    /// Appends an instruction; if all its operands are constants, its result instead.
    fn push(&mut self, op: Op, start: usize) {
        let (pops, pushes) = op.pops_pushes();
        self.depth = self.depth + pushes - pops;
        self.deepest = self.deepest.max(self.depth);
        self.code.push(op);
        let operands = &self.code[start..self.code.len() - 1];
        if pushes == 1 && pops > 0 && operands.len() == pops && operands.iter().all(|it| matches!(it, Op::Push(_))) {
            let value = machine::run::<{ machine::SMALL_STACK }>(&self.code[start..], &mut machine::NoKeys);
            self.code.truncate(start);
            self.code.push(Op::Push(value));
        }
    }

    /// The bool that the code from `start` on always gives.
    fn constant(&self, start: usize) -> Option<bool> {
        match self.code[start..] {
            [Op::Push(Value::Bool(value))] => Some(value),
            _ => None,
        }
    }

    fn drop_constant(&mut self) {
        self.code.pop();
        self.depth -= 1;
    }

    fn land(&mut self, jump: usize) {
        let here = self.code.len();
        if let Op::Skip(by) | Op::SkipIfFalse(by) | Op::And(by) | Op::Or(by) = &mut self.code[jump] {
            *by = here - jump - 1;
        }
    }
}
