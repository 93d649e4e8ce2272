//! The built-in nodes as assets write them: their names, how many children they take, their
//! parameters.

use pleach_core::Arity;

/// A built-in node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Sequence,
    Selector,
    Parallel,
    ReactiveSequence,
    ReactiveSelector,
    RandomSequence,
    RandomSelector,
    UtilitySelector,
    Inverter,
    ForceSuccess,
    ForceFailure,
    UntilSuccess,
    UntilFailure,
    Repeat,
    Guard,
    Timeout,
    Cooldown,
    Limit,
    Delay,
    Probability,
    Wait,
    WaitTicks,
    WaitUntil,
    Check,
    OnEvent,
    Set,
    Log,
    Emit,
    Succeed,
    Fail,
    Idle,
}

/// What can be written for a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// A finite number.
    Number,
    /// A whole number from 0.
    Count,
    Bool,
    /// A string that is no expression: a key, an event, a text.
    Text,
    /// A string with an expression.
    Expr,
    Exprs,
    Numbers,
    Outcome,
    Policy,
    /// An expression or a condition.
    Test,
}

impl Type {
    /// For messages: "must be …".
    pub(crate) fn what(self) -> &'static str {
        match self {
            Type::Number => "a number",
            Type::Count => "a whole number from 0 to 4294967295",
            Type::Bool => "`true` or `false`",
            Type::Text => "a string",
            Type::Expr => "a string with an expression",
            Type::Exprs => "a list of strings with expressions",
            Type::Numbers => "a list of numbers",
            Type::Outcome => "`Success` or `Failure`",
            Type::Policy => "`All`, `Any` or `AtLeast(n)`",
            Type::Test => "a string with an expression, or a condition",
        }
    }

    /// The names that can be written for it.
    pub(crate) fn words(self) -> &'static [&'static str] {
        match self {
            Type::Bool => &["true", "false"],
            Type::Outcome => &["Success", "Failure"],
            Type::Policy => &["All", "Any", "AtLeast"],
            Type::Number | Type::Count | Type::Text | Type::Expr | Type::Exprs | Type::Numbers | Type::Test => &[],
        }
    }
}

/// A parameter of a built-in.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) ty: Type,
    pub(crate) required: bool,
}

const fn needs(name: &'static str, ty: Type) -> Parameter {
    Parameter { name, ty, required: true }
}

const fn takes(name: &'static str, ty: Type) -> Parameter {
    Parameter { name, ty, required: false }
}

const NONE: &[Parameter] = &[];
const SECONDS: &[Parameter] = &[needs("seconds", Type::Number)];
const EXPR: &[Parameter] = &[needs("expr", Type::Expr)];
const WEIGHTS: &[Parameter] = &[takes("weights", Type::Numbers)];

impl Kind {
    pub(crate) const ALL: [Kind; 31] = [
        Kind::Sequence,
        Kind::Selector,
        Kind::Parallel,
        Kind::ReactiveSequence,
        Kind::ReactiveSelector,
        Kind::RandomSequence,
        Kind::RandomSelector,
        Kind::UtilitySelector,
        Kind::Inverter,
        Kind::ForceSuccess,
        Kind::ForceFailure,
        Kind::UntilSuccess,
        Kind::UntilFailure,
        Kind::Repeat,
        Kind::Guard,
        Kind::Timeout,
        Kind::Cooldown,
        Kind::Limit,
        Kind::Delay,
        Kind::Probability,
        Kind::Wait,
        Kind::WaitTicks,
        Kind::WaitUntil,
        Kind::Check,
        Kind::OnEvent,
        Kind::Set,
        Kind::Log,
        Kind::Emit,
        Kind::Succeed,
        Kind::Fail,
        Kind::Idle,
    ];

    pub(crate) fn of(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|it| it.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        self.shape().0
    }

    pub(crate) fn arity(self) -> Arity {
        self.shape().1
    }

    pub(crate) fn parameters(self) -> &'static [Parameter] {
        self.shape().2
    }

    fn shape(self) -> (&'static str, Arity, &'static [Parameter]) {
        use Arity::{Composite, Decorator, Leaf};
        match self {
            Kind::Sequence => ("Sequence", Composite, NONE),
            Kind::Selector => ("Selector", Composite, NONE),
            Kind::Parallel => {
                ("Parallel", Composite, const { &[takes("success", Type::Policy), takes("failure", Type::Policy)] })
            }
            Kind::ReactiveSequence => ("ReactiveSequence", Composite, NONE),
            Kind::ReactiveSelector => ("ReactiveSelector", Composite, NONE),
            Kind::RandomSequence => ("RandomSequence", Composite, WEIGHTS),
            Kind::RandomSelector => ("RandomSelector", Composite, WEIGHTS),
            Kind::UtilitySelector => (
                "UtilitySelector",
                Composite,
                const { &[needs("scores", Type::Exprs), takes("reevaluate", Type::Bool)] },
            ),
            Kind::Inverter => ("Inverter", Decorator, NONE),
            Kind::ForceSuccess => ("ForceSuccess", Decorator, NONE),
            Kind::ForceFailure => ("ForceFailure", Decorator, NONE),
            Kind::UntilSuccess => ("UntilSuccess", Decorator, NONE),
            Kind::UntilFailure => ("UntilFailure", Decorator, NONE),
            Kind::Repeat => (
                "Repeat",
                Decorator,
                const { &[takes("count", Type::Count), takes("forever", Type::Bool), takes("end_on_failure", Type::Bool)] },
            ),
            Kind::Guard => ("Guard", Decorator, const { &[needs("when", Type::Test)] }),
            Kind::Timeout => {
                ("Timeout", Decorator, const { &[needs("seconds", Type::Number), takes("result", Type::Outcome)] })
            }
            Kind::Cooldown => ("Cooldown", Decorator, SECONDS),
            Kind::Limit => {
                ("Limit", Decorator, const { &[needs("count", Type::Count), takes("exhausted", Type::Outcome)] })
            }
            Kind::Delay => ("Delay", Decorator, SECONDS),
            Kind::Probability => ("Probability", Decorator, const { &[needs("p", Type::Number)] }),
            Kind::Wait => ("Wait", Leaf, SECONDS),
            Kind::WaitTicks => ("WaitTicks", Leaf, const { &[needs("ticks", Type::Count)] }),
            Kind::WaitUntil => ("WaitUntil", Leaf, EXPR),
            Kind::Check => ("Check", Leaf, EXPR),
            Kind::OnEvent => ("OnEvent", Leaf, const { &[needs("event", Type::Text), takes("into", Type::Text)] }),
            Kind::Set => ("Set", Leaf, const { &[needs("key", Type::Text), needs("to", Type::Expr)] }),
            Kind::Log => ("Log", Leaf, const { &[needs("text", Type::Text)] }),
            Kind::Emit => ("Emit", Leaf, const { &[needs("event", Type::Text), takes("payload", Type::Expr)] }),
            Kind::Succeed => ("Succeed", Leaf, NONE),
            Kind::Fail => ("Fail", Leaf, NONE),
            Kind::Idle => ("Idle", Leaf, NONE),
        }
    }

    /// The parameters that can be written without their names, in this order: the first parameter
    /// of a decorator or all of a leaf, and what stands below it.
    pub(crate) fn positional(self) -> Vec<&'static str> {
        let own = self.parameters().iter().map(|it| it.name);
        match self.arity() {
            Arity::Composite => vec!["children"],
            Arity::Decorator => own.take(1).chain(["child"]).collect(),
            Arity::Leaf => own.collect(),
        }
    }

    /// Every field that can be written.
    pub(crate) fn fields(self) -> Vec<&'static str> {
        let own = self.parameters().iter().map(|it| it.name);
        let below: &[&str] = match self.arity() {
            Arity::Composite => &["abort", "services", "blackboard", "children"],
            Arity::Decorator => &["blackboard", "child"],
            Arity::Leaf => &[],
        };
        own.chain(COMMON).chain(below.iter().copied()).collect()
    }
}

/// The fields that every node has.
pub(crate) const COMMON: [&str; 4] = ["name", "id", "note", "disabled"];

/// Names that stand for something else in an asset, and cannot be those of leaves.
pub(crate) const RESERVED: [&str; 9] = ["Tree", "Subtree", "Slot", "true", "false", "Some", "None", "inf", "NaN"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_their_kinds() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of(kind.name()), Some(kind));
        }
    }
}
