//! Makes expressions: one at a time for [`Expr::compile`], or the many of a tree.

use super::code::{self, Instruction};
use super::machine;
use super::{Expr, ExprError, ExprErrorKind, KeyIndex, Keys, Names, Read};
use super::{check, parse};
use crate::limits::MAX_EXPR_VALUES;
use crate::value::{Type, Value};

/// Compiles expressions, and reuses its buffers: for a tree with thousands of them only the results
/// are allocated each time.
#[derive(Debug, Default)]
pub struct Compiler {
    parsing: parse::Buffers,
    meanings: Vec<check::Meaning>,
    emitting: code::Buffers,
    keys: Vec<KeyIndex>,
}

impl Compiler {
    /// As [`Expr::compile`]; for a value that is to be stored in `target` as
    /// [`Expr::compile_for`].
    ///
    /// # Errors
    /// As [`Expr::compile`].
    pub fn compile(
        &mut self,
        source: Box<str>,
        names: &dyn Names,
        expected: Option<Type>,
        target: Option<KeyIndex>,
    ) -> Result<Expr, Vec<ExprError>> {
        let ast = parse::parse(&source, &mut self.parsing).map_err(|error| vec![error])?;
        let ty = check::check(&source, ast, names, expected, target, &mut self.meanings)?;
        let (code, stack) = code::emit(ast, &self.meanings, &mut self.emitting);
        if stack > MAX_EXPR_VALUES {
            return Err(vec![ExprError { span: 0..source.len(), kind: ExprErrorKind::TooManyValues }]);
        }
        self.keys.clear();
        let (mut reads_time, mut reads_now) = (false, false);
        for instruction in code {
            match instruction {
                Instruction::Time => reads_time = true,
                Instruction::Now => reads_now = true,
                other => self.keys.extend(other.key()),
            }
        }
        self.keys.sort_unstable();
        self.keys.dedup();
        let (keys, code) = (Keys::new(&self.keys), code.into());
        let means = if names.are_of_instance() { check::names_and_literals(&self.meanings) } else { Box::default() };
        Ok(Expr { source, ty, keys, reads_time, reads_now, code, stack, means })
    }
}

/// An expression for a key that no source can name.
#[must_use]
pub fn of_key(source: &str, key: KeyIndex, ty: Type) -> Expr {
    let code = [Instruction::Load(key, ty)].into();
    let (keys, means) = (Keys::new(&[key]), Box::default());
    Expr { source: source.into(), ty, keys, reads_time: false, reads_now: false, code, stack: 1, means }
}

/// An expression's test in words: two with equal words have the same source, and their names mean
/// the same keys, which `key` names, and the same constants.
#[must_use]
pub fn asks(expr: &Expr, key: impl Fn(KeyIndex) -> String) -> String {
    let mut asks = expr.source.to_string();
    if expr.means.is_empty() {
        // They stand in the order in which they were declared.
        let mut keys: Vec<String> = expr.keys().iter().map(|it| key(*it)).collect();
        keys.sort_unstable();
        keys.iter().for_each(|it| asks.extend(["; ", it]));
    }
    for it in &expr.means {
        asks.extend(["; ", &it.key().map_or_else(|| format!("{it:?}"), &key)]);
    }
    asks
}

/// How many values an expression holds at once while it is evaluated.
#[must_use]
pub fn most_values(expr: &Expr) -> usize {
    expr.stack
}

/// The result of [`Expr::eval`], by the general machine alone, on a stack of `N` values: a power of
/// two, and at least [`most_values`].
pub fn eval_on<const N: usize>(expr: &Expr, mut read: impl Read) -> Value {
    machine::run::<N>(&expr.code, &mut read).value(expr.ty)
}
