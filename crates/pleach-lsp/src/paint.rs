//! Colours inside expressions, which are just strings to an editor.

use serde_json::{Value as Json, json};

use crate::doc::Doc;
use crate::fields::Role;
use crate::names::{ExprKind, expr_words, key_at};
use crate::place::units;
use crate::syntax::Shape;

/// The types of tokens, by their numbers.
pub(crate) const TYPES: [&str; 8] =
    ["variable", "enumMember", "namespace", "function", "keyword", "number", "operator", "property"];

/// All tokens of a file, each by its distance from the one before.
pub(crate) fn tokens(doc: &Doc<'_>) -> Json {
    let (mut data, mut last) = (Vec::new(), (0, 0));
    for (at, role) in doc.all() {
        if role != Role::Expr || doc.syntax.get(at).shape != Shape::Text {
            continue;
        }
        let span = doc.syntax.word_span(&doc.text, at);
        for word in expr_words(&doc.text[span.clone()], span.start) {
            let text = &doc.text[word.span.clone()];
            let kind = match word.kind {
                ExprKind::Name(scope) => usize::from(key_at(doc, at, text, scope).is_none()),
                ExprKind::Scope => 2,
                ExprKind::Function => 3,
                ExprKind::Keyword => 4,
                ExprKind::Number => 5,
                ExprKind::Operator => 6,
                ExprKind::Component => 7,
            };
            let (line, character) = doc.lines.line_and_units(&doc.text, word.span.start);
            let from = if line == last.0 { last.1 } else { 0 };
            data.extend([line - last.0, character - from, units(text), kind, 0]);
            last = (line, character);
        }
    }
    json!({ "data": data })
}
