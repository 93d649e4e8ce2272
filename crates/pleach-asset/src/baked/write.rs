//! Writes a tree as bytes.

use std::collections::HashMap;

use pleach_core::__baked::{Archive, instance};
use pleach_core::Host;
use pleach_core::nodes::{Instance, NodeList, fail};

use super::{BakedLeaf, FORM, Head, MAGIC};
use crate::code::Code;
use crate::finding::Finding;
use crate::span::Span;
use crate::syntax::{self, Args, HostCall};
use crate::written;

/// A leaf of the host as it is called, and whether it has to be a condition.
pub(crate) type BakedCall<'a> = (HostCall<'a>, bool);

/// Writes a tree with these leaf calls, in the order of their nodes.
pub(crate) fn write<H: Host>(
    mut whole: Instance,
    mut nodes: NodeList<H>,
    called: &[BakedCall<'_>],
) -> Result<Vec<u8>, Finding> {
    let mut head = head(called)?;
    let mut archive = Archive::writing();
    archive.bytes(&mut MAGIC.clone());
    archive.number32(&mut FORM.clone());
    head.archive(&mut archive);
    instance(&mut archive, &mut whole);
    nodes.archive(&mut archive, &mut fail);
    Ok(archive.finish().expect("each value of a tree that is right can be written"))
}

/// The distinct calls.
fn head(called: &[BakedCall<'_>]) -> Result<Head, Finding> {
    let (mut texts, mut leaves) = (HashMap::new(), Vec::with_capacity(called.len()));
    let mut all = String::from("[");
    for (call, is_test) in called {
        let next = u32::try_from(texts.len()).expect("a tree has few leaves");
        let place = *texts.entry(text(call)).or_insert_with_key(|text| {
            all.push_str(text);
            all.push(',');
            next
        });
        leaves.push(BakedLeaf { call: place, is_test: *is_test });
    }
    all.push(']');
    let values = syntax::read(&all.into()).map_err(|it| {
        Finding::new(Code::NotWritten, Span::default(), format!("its leaves cannot be baked: {}", it.message))
    })?;
    Ok(Head { values, leaves })
}

fn text(call: &HostCall<'_>) -> String {
    let mut text = written::ident(call.head().text).into_owned();
    match call.args() {
        Args::None => {}
        args => {
            text.push('(');
            written::args(&mut text, args);
            text.push(')');
        }
    }
    text
}
