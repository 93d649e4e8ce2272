//! Makes a leaf from its call in an asset: reads its parameters.

use std::borrow::Cow;
use std::sync::Arc;

use super::ParamError;
use crate::code::Code;
use crate::finding::{Finding, Findings};
use crate::parameter::FromAsset;
use crate::params::{De, Fail, Sink};
use crate::span::{Span, Word};
use crate::suggest::{Advice, in_asset};
use crate::syntax::{Args, Data, HostCall};
use crate::written;
use pleach_core::limits::MAX_DRAWN_PROBLEMS;
use pleach_core::{Host, error::LookupFailure, nodes::Node, schema::NodeKeys};

impl HostCall<'_> {
    /// The leaf with its parameters as written, unless the host has described them itself. `text`
    /// is a buffer for them.
    pub(crate) fn describe<H: Host>(&self, leaf: Node<H>, text: &mut String) -> Node<H> {
        if !leaf.detail().is_empty() {
            return leaf;
        }
        text.clear();
        written::args(text, self.args());
        leaf.described(&**text)
    }
}

/// A leaf's parameters, and where to report what is wrong with them.
pub(crate) struct Call<'a> {
    pub(crate) of: &'a HostCall<'a>,
    /// Whether it has to be a condition.
    pub(crate) is_test: bool,
    pub(crate) keys: &'a NodeKeys<'a>,
    pub(crate) findings: &'a mut Findings,
}

pub(crate) type Make<H> = Arc<dyn Fn(Call<'_>) -> Option<Node<H>> + Send + Sync>;

/// Makes a leaf from the parameters of a call.
pub(super) fn read<H: Host, P: FromAsset>(
    mut call: Call<'_>,
    make: &impl Fn(P) -> Result<Node<H>, ParamError>,
) -> Option<Node<H>> {
    let before = call.findings.count();
    let mut params = None;
    read_params(&mut call, &mut |de| {
        params = Some(P::from_asset(de)?);
        Ok(())
    })?;
    match make(params?) {
        Ok(leaf) => (call.findings.count() == before).then_some(leaf),
        Err(error) => {
            refused(&mut call, error);
            None
        }
    }
}

/// Reads the parameters of a leaf by `read`, or reports what is wrong. Nothing here depends on
/// their type, so it is compiled once, not for each leaf of a game.
fn read_params(call: &mut Call<'_>, read: &mut dyn FnMut(De<'_>) -> Result<(), Fail>) -> Option<()> {
    let Call { of: written, keys, findings, is_test: _ } = call;
    let head = written.head();
    // Wrong parameters are removed.
    let mut call = HostCall { value: written.value, without: Cow::Borrowed(&*written.without) };
    let before = findings.count();
    let mut sink = Sink::new(head.text);
    let mut unknown = None;
    loop {
        let data = Data::Call(Some(head), call.args());
        let (result, missed) = keys.lend(|| read(De { data, span: head.span, root: true, sink: &sink }));
        findings.append(sink.take());
        let unknown = *unknown.get_or_insert(findings.count() > before);
        let Err(fail) = result else { return Some(()) };
        // What is missing may be what was misspelt, or removed below.
        let follows = |missing| unknown || span_of(written, missing).is_some();
        if findings.count() == before || !fail.missing.is_some_and(follows) {
            let span = fail.span.unwrap_or(head.span);
            let (whose, help) = match field_at(&call, span) {
                Some((field, _)) => (format!("`{}` of `{}`", field.text, head.text), None),
                // Too few of them, or too many without names.
                None if fail.missing.is_some() || matches!(written.args(), Args::Tuple(_)) => {
                    (format!("`{}`", head.text), sink.takes())
                }
                None => (format!("`{}`", head.text), None),
            };
            let finding = Finding::new(Code::Parameters, span, format!("{whose}: {}", fail.message));
            let meant = missed.as_ref().and_then(|it| help_with(it, &fail.message));
            findings.push(finding.maybe_help(fail.help.or(meant).or(help)));
        }
        // Serde stops at the first wrong parameter: without that one it may find the next.
        if !take_out(&mut call, fail.span?) || findings.count() - before > MAX_DRAWN_PROBLEMS {
            return None;
        }
    }
}

/// Reports why a leaf cannot be made from its parameters.
pub(super) fn refused(call: &mut Call<'_>, error: ParamError) {
    let written = call.of;
    let head = written.head();
    let span = error.parameter.as_deref().and_then(|it| span_of(written, it)).unwrap_or(head.span);
    let finding = Finding::new(Code::Parameters, span, format!("`{}`: {}", head.text, error.message));
    call.findings.push(finding.maybe_help(error.help.map(Into::into)));
}

/// What to do about a missing key or event, if the message is about that.
pub(crate) fn help_with(missed: &LookupFailure, message: &str) -> Option<Advice> {
    message.contains(&missed.message).then(|| in_asset(&missed.help))
}

/// The named parameter whose value holds a place, and the place of its name.
fn field_at<'a>(call: &'a HostCall<'_>, place: Span) -> Option<(Word<'a>, u32)> {
    let Args::Named(mut fields) = call.args() else { return None };
    let holds = |it: Span| it.start <= place.start && place.end <= it.end;
    fields.find(|it| holds(it.1.span())).map(|(name, value)| (name, value.name_place()))
}

/// Removes that parameter, if there is one.
fn take_out(call: &mut HostCall<'_>, place: Span) -> bool {
    let Some((_, name)) = field_at(call, place) else { return false };
    let without = call.without.to_mut();
    without.insert(without.partition_point(|&it| it < name), name);
    true
}

fn span_of(call: &HostCall<'_>, parameter: &str) -> Option<Span> {
    match call.args() {
        Args::Named(mut fields) => fields.find(|it| it.0.text == parameter).map(|it| it.1.span()),
        _ => None,
    }
}
