//! JSON in the form of the schema of a manifest: as serde writes such RON, with the names of all
//! fields.

use std::fmt::Write;

use pleach::asset::Manifest;
use pleach::tools::ron::{Arguments, Datum, Document, Shape};

use super::written::Written;

pub(super) fn document(document: &Document, manifest: &Manifest) -> String {
    let mut writer = Writer { out: String::new(), manifest };
    // The name of the outermost struct is not written.
    match &document.root().shape {
        Shape::Call(_, Arguments::Named(fields)) => {
            writer.object(fields.iter().map(|it| (it.0.text.clone(), &it.1)), 0);
        }
        _ => writer.value(document.root(), 0),
    }
    writer.out + "\n"
}

struct Writer<'m> {
    out: String,
    manifest: &'m Manifest,
}

impl Writer<'_> {
    fn value(&mut self, datum: &Datum, depth: usize) {
        match &datum.shape {
            Shape::Text(it) => self.text(it),
            Shape::Literal(it) => self.literal(it),
            Shape::List(items) => self.list(items, depth),
            Shape::Map(entries) => {
                let key = |it: &Datum| match &it.shape {
                    Shape::Text(it) | Shape::Literal(it) => it.clone(),
                    Shape::Call(Some(name), _) => name.text.clone(),
                    _ => String::new(),
                };
                self.object(entries.iter().map(|it| (key(&it.0), &it.1)), depth);
            }
            Shape::Call(None, Arguments::Named(fields)) => {
                self.object(fields.iter().map(|it| (it.0.text.clone(), &it.1)), depth);
            }
            Shape::Call(None, Arguments::Tuple(items)) if !items.is_empty() => self.list(items, depth),
            Shape::Call(None, _) => self.out.push_str("null"),
            Shape::Call(Some(name), Arguments::None) => match &*name.text {
                "true" | "false" => self.out.push_str(&name.text),
                "None" => self.out.push_str("null"),
                word => self.text(word),
            },
            Shape::Call(Some(name), arguments) => {
                self.out.push_str("{ ");
                self.text(&name.text);
                self.out.push_str(": ");
                match (arguments, Written::of(datum, self.manifest)) {
                    (Arguments::Tuple(items), Some(node)) if items.len() > node.fields.len() => match &**items {
                        [one] => self.value(one, depth),
                        items => self.list(items, depth),
                    },
                    (_, Some(node)) => self.object(node.fields.iter().map(|it| (it.0.clone(), it.1)), depth),
                    _ => self.out.push_str("null"),
                }
                self.out.push_str(" }");
            }
        }
    }

    fn literal(&mut self, literal: &str) {
        let digits: String = literal.chars().filter(|it| *it != '_').collect();
        let digits = digits.trim_start_matches('+');
        let is_json = !digits.starts_with('.') && !digits.ends_with('.');
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() && is_json => self.out.push_str(digits),
            Ok(number) if number.is_finite() => _ = write!(self.out, "{number:?}"),
            _ => self.text(literal),
        }
    }

    fn list(&mut self, items: &[Datum], depth: usize) {
        if items.is_empty() {
            self.out.push_str("[]");
            return;
        }
        for (at, it) in items.iter().enumerate() {
            self.out.push_str(if at > 0 { "," } else { "[" });
            self.line(depth + 1);
            self.value(it, depth + 1);
        }
        self.line(depth);
        self.out.push(']');
    }

    fn object<'d>(&mut self, fields: impl Iterator<Item = (String, &'d Datum)>, depth: usize) {
        let mut is_empty = true;
        for (name, it) in fields {
            self.out.push_str(if is_empty { "{" } else { "," });
            is_empty = false;
            self.line(depth + 1);
            self.text(&name);
            self.out.push_str(": ");
            self.value(it, depth + 1);
        }
        if is_empty {
            self.out.push_str("{}");
            return;
        }
        self.line(depth);
        self.out.push('}');
    }

    fn line(&mut self, depth: usize) {
        self.out.push('\n');
        self.out.push_str(&"  ".repeat(depth));
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for char in text.chars() {
            match char {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                it if it.is_control() => _ = write!(self.out, "\\u{:04x}", u32::from(it)),
                it => self.out.push(it),
            }
        }
        self.out.push('"');
    }
}
