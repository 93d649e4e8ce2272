//! Literals that are legal but do nothing: spans below zero, which count as zero, and limits of
//! nothing.

use pleach_core::kinds::NodeKind;

use crate::asset::{Argument, AssetTree, Param};
use crate::code::Code;
use crate::finding::Finding;

/// All warnings, in no particular order. Ignores disabled nodes.
pub(super) fn warnings(asset: &AssetTree<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in asset.enabled() {
        let Some(own) = node.built_in() else { continue };
        findings.extend(own.field("seconds").and_then(span));
        let services = node.rest().services.iter().filter(|it| !it.run.whole().disabled);
        findings.extend(services.filter_map(|it| span(&it.every)));
        if let (NodeKind::Limit, Some(Argument { value: Param::Count(0), span, field: _ })) =
            (own.kind, own.field("count"))
        {
            let message = "a limit of 0 never starts its child";
            findings.push(Finding::new(Code::Amount, *span, message).help("disable the child, or use at least 1"));
        }
    }
    findings
}

fn span(field: &Argument<'_>) -> Option<Finding> {
    let Param::Number(number) = &field.value else { return None };
    let message = || format!("{} seconds count as 0", number.text);
    (number.value < 0.0).then(|| Finding::new(Code::Amount, field.span, message()).help("write 0 if that is meant"))
}
