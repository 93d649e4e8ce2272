//! Tests of the expression language, and the schema that they share.

mod doubts;
mod errors;
mod limits;
mod names;
mod random;
mod syntax;
mod times;
mod values;

use pleach_expr::expr::{Expr, ExprErrorKind, KeyIndex, Names, Read, SCOPES};
use pleach_expr::limits::MAX_EXPR_VALUES;
use pleach_expr::runtime::eval_on;
use pleach_expr::{Entity, Symbol, Time, Type, Value};

/// Keys with their scope and value. A Symbol's words are [`WORDS`].
struct Schema(Vec<(&'static str, &'static str, Value)>);

const WORDS: [&str; 4] = ["idle", "alert", "none", "flag"];

impl Names for Schema {
    fn resolve(&self, scope: Option<&str>, name: &str) -> Option<KeyIndex> {
        let found = |scope: &str| self.0.iter().position(|it| it.0 == scope && it.1 == name);
        scope.map_or_else(|| SCOPES.into_iter().find_map(found), found).and_then(KeyIndex::new)
    }

    fn key_type(&self, key: KeyIndex) -> Type {
        self.0[key.index()].2.ty()
    }

    fn words(&self, key: KeyIndex) -> Vec<&str> {
        if self.key_type(key) == Type::Symbol { WORDS.to_vec() } else { Vec::new() }
    }

    fn names(&self) -> Vec<&str> {
        self.0.iter().map(|it| it.1).collect()
    }
}

fn schema() -> Schema {
    Schema(vec![
        ("agent", "health", Value::Float(0.25)),
        ("agent", "sees_player", Value::Bool(true)),
        ("agent", "noise_age", Value::Int(3)),
        ("agent", "pos", Value::Vec3([1.0, 2.0, 3.0])),
        ("agent", "home", Value::Vec3([1.0, 5.0, 7.0])),
        ("agent", "cell", Value::Vec2([3.0, 4.0])),
        ("agent", "target", Value::Entity(Entity::from_bits(7))),
        ("agent", "mode", Value::Symbol(Symbol::new("alert"))),
        ("agent", "old_mode", Value::Symbol(Symbol::new("idle"))),
        ("agent", "flag", Value::Bool(false)),
        ("agent", "nan", Value::Float(f32::NAN)),
        ("group", "health", Value::Float(0.75)),
        ("global", "größe", Value::Int(-8)),
        ("global", "x", Value::Float(9.0)),
        ("group", "agent", Value::Vec2([5.0, 6.0])),
        ("global", "min", Value::Int(11)),
    ])
}

fn compile(source: &str) -> Expr {
    Expr::compile(source, &schema(), None).unwrap_or_else(|errors| panic!("{source}: {errors:?}"))
}

/// The value of an expression by every way of evaluation. All must agree.
fn eval_in(expr: &Expr, schema: &Schema) -> Value {
    let mut read = |key: KeyIndex| {
        assert!(expr.keys().contains(&key), "{expr} reads {key:?}");
        schema.0[key.index()].2
    };
    let value = expr.eval(&mut read);
    assert_eq!(value.ty(), expr.ty(), "{expr}");
    assert_eq!(value, eval_on::<MAX_EXPR_VALUES>(expr, &mut read), "{expr:?}");
    assert_eq!(expr.eval_bool(&mut read), value == Value::Bool(true), "{expr}");
    let float = if let Value::Float(it) = value { it } else { 0.0 };
    assert_eq!(expr.eval_float(&mut read).to_bits(), float.to_bits(), "{expr}");
    value
}

fn eval(source: &str) -> Value {
    eval_in(&compile(source), &schema())
}

fn holds(source: &str) -> bool {
    match eval(source) {
        Value::Bool(it) => it,
        other => panic!("{source} gives {other:?}"),
    }
}

/// The errors, each with the text that its span covers.
fn errors(source: &str, expected: Option<Type>) -> Vec<(String, ExprErrorKind)> {
    let errors = Expr::compile(source, &schema(), expected).expect_err(source);
    errors.into_iter().map(|it| (source[it.span].to_owned(), it.kind)).collect()
}
