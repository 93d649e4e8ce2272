//! JSON with the places of its values.

use std::collections::BTreeSet;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::report::shortened;

/// A value. Its parser bounds how deep it is.
#[derive(Debug)]
pub(crate) struct Json {
    pub(crate) at: usize,
    pub(crate) data: Data,
}

#[derive(Debug)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    List(Vec<Json>),
    /// In their order, without repeated names.
    Map(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn get(&self, name: &str) -> Option<&Json> {
        match &self.data {
            Data::Map(fields) => fields.iter().find(|it| it.0 == name).map(|it| &it.1),
            _ => None,
        }
    }

    pub(crate) fn fields(&self) -> &[(String, Json)] {
        match &self.data {
            Data::Map(fields) => fields,
            _ => &[],
        }
    }

    pub(crate) fn items(&self) -> &[Json] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(it) => Some(it),
            _ => None,
        }
    }

    /// The text of a field that is not empty.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Json::text).filter(|it| !it.trim().is_empty())
    }

    /// A text, number or bool as it is written.
    pub(crate) fn plain(&self) -> Option<String> {
        match &self.data {
            Data::Bool(it) => Some(it.to_string()),
            Data::Number(it) | Data::Text(it) => Some(it.clone()),
            Data::Null | Data::List(_) | Data::Map(_) => None,
        }
    }
}

/// Reads a document.
///
/// # Errors
/// The first problem, and its place.
pub(crate) fn read(text: &str) -> Result<Json, (usize, String)> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let parsed = parsed.map_err(|error| (error.range().start, error.kind().to_string()))?;
    json(&parsed.value.ok_or_else(|| (0, "the file is empty".to_owned()))?)
}

fn json(value: &Value<'_>) -> Result<Json, (usize, String)> {
    let data = match value {
        Value::NullKeyword(_) => Data::Null,
        Value::BooleanLit(it) => Data::Bool(it.value),
        Value::NumberLit(it) => Data::Number(it.value.into()),
        Value::StringLit(it) => Data::Text(it.value.clone().into_owned()),
        Value::Array(it) => Data::List(it.elements.iter().map(json).collect::<Result<_, _>>()?),
        Value::Object(it) => {
            let mut names = BTreeSet::new();
            let mut fields = Vec::new();
            for field in &it.properties {
                let name = field.name.as_str();
                if !names.insert(name) {
                    let why = format!("`{}` is given twice: remove one", shortened(name));
                    return Err((field.range().start, why));
                }
                fields.push((name.to_owned(), json(&field.value)?));
            }
            Data::Map(fields)
        }
    };
    Ok(Json { at: value.range().start, data })
}
