//! Values of test files: texts, numbers, lists, and the fields of a struct.

use std::ops::Range;

use pleach::tools::names::near;
use pleach::tools::ron::{Arguments, Datum, Shape};
use pleach_lsp::TestField;

use super::Reader;
use crate::test::file::At;

/// The fields of a struct, by their names.
pub(super) struct Fields<'d>(Vec<(&'d str, &'d Datum)>);

impl<'d> Fields<'d> {
    pub(super) fn get(&self, name: &str) -> Option<&'d Datum> {
        self.0.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// Those of these fields that exist, in this order.
    pub(super) fn among<'f>(&self, names: &[&'f str]) -> Vec<(&'f str, &'d Datum)> {
        names.iter().filter_map(|it| Some((*it, self.get(it)?))).collect()
    }
}

/// The names of fields.
pub(super) fn names(fields: &[TestField]) -> Vec<&'static str> {
    fields.iter().map(|it| it.name).collect()
}

/// `a`, `b` and `c`.
pub(super) fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl<'d> Reader<'d> {
    /// The fields of a struct. Unknown ones are problems, and so are two of one name.
    pub(super) fn fields(
        &mut self,
        at: &Range<usize>,
        args: &'d Arguments,
        owner: &str,
        known: &[&str],
    ) -> Option<Fields<'d>> {
        let named = match args {
            Arguments::Named(fields) => &fields[..],
            Arguments::Tuple(items) if items.is_empty() => &[],
            Arguments::None | Arguments::Tuple(_) => {
                self.wrong(at, format!("the fields of {owner} have names: {}", list(known)));
                return None;
            }
        };
        let mut found = Fields(Vec::new());
        for (field, value) in named {
            let name = &*field.text;
            if !known.contains(&name) {
                let near = near(name, known.iter().copied());
                let help = near.map_or_else(|| format!("its fields are {}", list(known)), |it| it.help().to_string());
                self.wrong_with(&field.span, format!("{owner} has no field `{name}`"), help);
            } else if found.get(name).is_some() {
                self.wrong(&field.span, format!("{owner} has two fields `{name}`"));
            } else {
                found.0.push((name, value));
            }
        }
        Some(found)
    }

    pub(super) fn text(&mut self, value: &Datum, what: &str) -> Option<At<String>> {
        if let Shape::Text(text) = &value.shape {
            return Some(At { it: text.clone(), span: value.span.clone() });
        }
        let message = format!("{what} must be a string, not {value}");
        if matches!(&value.shape, Shape::Call(Some(_), Arguments::None)) {
            let help = format!("write `\"{}\"`", self.document.text(&value.span));
            self.wrong_with(&value.span, message, help);
        } else {
            self.wrong(&value.span, message);
        }
        None
    }

    /// One string, or a list of them.
    pub(super) fn texts(&mut self, value: &Datum, field: &str) -> Vec<At<String>> {
        let one = std::slice::from_ref(value);
        let items = if let Shape::List(items) = &value.shape { items } else { one };
        if items.is_empty() {
            self.wrong(&value.span, format!("`{field}` is empty: leave it out"));
        }
        let what = format!("`{field}`");
        items.iter().filter_map(|it| self.text(it, &what)).collect()
    }

    /// The entries of a map with strings as keys. `example` is one.
    pub(super) fn map(&mut self, value: &'d Datum, field: &str, example: &str) -> Vec<(At<String>, &'d Datum)> {
        let Shape::Map(entries) = &value.shape else {
            let message = format!("`{field}` must be a map, not {value}");
            self.wrong_with(&value.span, message, format!("write `{field}: {example}`"));
            return Vec::new();
        };
        let what = format!("a name in `{field}`");
        let mut read: Vec<(At<String>, &Datum)> = Vec::new();
        for (name, value) in entries {
            let Some(name) = self.text(name, &what) else { continue };
            if read.iter().any(|it| it.0.it == name.it) {
                self.wrong(&name.span, format!("`{field}` has `{}` twice", name.it));
            }
            read.push((name, value));
        }
        read
    }

    pub(super) fn boolean(&mut self, value: &Datum, field: &str) -> Option<bool> {
        match &value.shape {
            Shape::Call(Some(name), Arguments::None) if name.text == "true" => Some(true),
            Shape::Call(Some(name), Arguments::None) if name.text == "false" => Some(false),
            _ => {
                self.wrong(&value.span, format!("`{field}` must be `true` or `false`, not {value}"));
                None
            }
        }
    }

    pub(super) fn whole(&mut self, value: &Datum, field: &str, least: u64, most: u64) -> Option<u64> {
        let number = match &value.shape {
            Shape::Literal(text) => text.replace('_', "").parse::<i128>().ok(),
            _ => None,
        };
        let Some(number) = number else {
            self.wrong(&value.span, format!("`{field}` must be a whole number, not {value}"));
            return None;
        };
        let fits = u64::try_from(number).ok().filter(|it| (least..=most).contains(it));
        if fits.is_none() {
            self.wrong(&value.span, format!("`{field}` is a whole number from {least} to {most}, not {number}"));
        }
        fits
    }

    /// A number of seconds, 0 or more.
    pub(super) fn seconds(&mut self, value: &Datum, field: &str) -> Option<f64> {
        let number = match &value.shape {
            Shape::Literal(text) => text.replace('_', "").parse::<f64>().ok().filter(|it| it.is_finite()),
            _ => None,
        };
        match number {
            Some(it) if it >= 0.0 => Some(it),
            Some(it) => {
                self.wrong(&value.span, format!("`{field}` is {it} seconds: time does not go back, write 0 or more"));
                None
            }
            None => {
                self.wrong(&value.span, format!("`{field}` must be a number of seconds, not {value}"));
                None
            }
        }
    }

    /// A value of a key or an event, as it is written.
    pub(super) fn value(&self, value: &Datum) -> String {
        let text = self.document.text(&value.span);
        // `Vec2(1, 2)`, as trees write it, is `(1, 2)`.
        let short = ["Vec2", "Vec3"].iter().find_map(|it| text.strip_prefix(it)).map(str::trim_start);
        let inner = ["Bool", "Int", "Float", "Entity", "Symbol"]
            .iter()
            .find_map(|it| text.strip_prefix(it)?.trim_start().strip_prefix('(')?.strip_suffix(')').map(str::trim));
        short.or(inner).unwrap_or(text).to_owned()
    }
}
