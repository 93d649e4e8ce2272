//! Reads the parameters of a leaf that is described by data, or reports what is wrong with them.

use pleach_core::schema::NodeKeys;
use serde_core::de::DeserializeSeed;

use super::{Call, help_with};
use crate::argument::{Argument, Of};
use crate::code::Code;
use crate::finding::Finding;
use crate::info::{LeafInfo, ParameterInfo, Presence, ValueType};
use crate::params::{De, Fail, Owner, Sink};
use crate::suggest::{Advice, list};
use crate::syntax::{self, Args, Value};
use crate::written;

/// A problem with one of them: the message, and what to do about it.
type Wrong = (String, Option<Advice>);

/// The parameters of a leaf in the order of its description, with `None` for each that is left out;
/// or `None` if something is wrong with them, which is recorded.
pub(crate) fn read(leaf: &LeafInfo, call: Call<'_>) -> Option<Vec<Option<Argument>>> {
    let Call { of: written, keys, findings, is_test: _ } = call;
    let Some(known) = &leaf.parameters else { return Some(Vec::new()) };
    let head = written.head();
    let names: Vec<&str> = known.iter().map(|it| &*it.name).collect();
    let before = findings.count();
    let mut sink = Sink::new(head.text);
    let mut given = vec![false; known.len()];
    let mut values: Vec<(usize, Value<'_>)> = Vec::new();
    match written.args() {
        Args::None => {}
        Args::Named(fields) => {
            for (field, value) in fields {
                match known.iter().position(|it| it.name == field.text) {
                    Some(at) => {
                        given[at] = true;
                        values.push((at, value));
                    }
                    None => sink.unknown(field.span, Owner::Leaf(head.text), field.text, &names),
                }
            }
        }
        Args::Tuple(items) => {
            for (at, value) in items.enumerate() {
                if at < known.len() {
                    given[at] = true;
                    values.push((at, value));
                    continue;
                }
                let message = match known.len() {
                    0 => format!("`{}`: it takes no parameters", head.text),
                    _ => format!("`{}`: too many values", head.text),
                };
                let help = (!names.is_empty()).then(|| format!("it takes {}", list(&names)).into());
                findings.push(Finding::new(Code::Parameters, value.span(), message).maybe_help(help));
                break;
            }
        }
    }
    findings.append(sink.take());
    // A misspelt parameter is not missing.
    let is_complete = findings.count() == before;
    let mut arguments = vec![None; known.len()];
    for (at, value) in values {
        let parameter = &known[at];
        match read_value(parameter, value, keys, &sink) {
            Ok(it) => arguments[at] = Some(it),
            Err((fail, help)) => {
                let message = format!("`{}` of `{}`: {}", parameter.name, head.text, fail.message);
                let span = fail.span.unwrap_or(value.span());
                findings.push(Finding::new(Code::Parameters, span, message).maybe_help(fail.help.or(help)));
            }
        }
    }
    let missing = known.iter().zip(given).filter(|it| !it.1 && it.0.presence == Presence::Required);
    for (parameter, _) in missing.filter(|_| is_complete) {
        let message = format!("`{}`: the parameter `{}` is missing", head.text, parameter.name);
        let help = (names.len() > 1).then(|| format!("it takes {}", list(&names)).into());
        findings.push(Finding::new(Code::Parameters, head.span, message).maybe_help(help));
    }
    (findings.count() == before).then_some(arguments)
}

/// The value of a parameter that is left out.
pub(crate) fn left_out(parameter: &ParameterInfo, keys: &NodeKeys<'_>) -> Result<Argument, Wrong> {
    let Presence::Default(text) = &parameter.presence else { return Ok(Argument::Nothing) };
    let whole = syntax::read(&text.as_str().into()).map_err(|it| (it.message, None))?;
    let sink = Sink::new(&parameter.name);
    read_value(parameter, whole.root(), keys, &sink).map_err(|(fail, help)| (fail.message, fail.help.or(help)))
}

fn read_value(
    parameter: &ParameterInfo,
    value: Value<'_>,
    keys: &NodeKeys<'_>,
    sink: &Sink<'_>,
) -> Result<Argument, (Fail, Option<Advice>)> {
    if parameter.ty == ValueType::Unknown {
        let mut text = String::new();
        written::push_value(&mut text, value);
        return Ok(Argument::Written(text));
    }
    let de = De { data: value.data(), span: value.span(), root: false, sink };
    let (result, missed) = keys.lend(|| Of(&parameter.ty).deserialize(de));
    result.map_err(|fail| {
        let help = missed.as_ref().and_then(|it| help_with(it, &fail.message));
        (fail, help)
    })
}
