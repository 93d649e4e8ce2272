//! As much of JSON Schema as the schemas of manifests need. An unknown keyword is an error, so that
//! none goes unread.

use serde_json::Value;

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Keywords that validate nothing.
const ANNOTATIONS: [&str; 5] = ["$schema", "$defs", "title", "description", "default"];

pub(crate) struct Schema(Value);

impl Schema {
    pub(crate) fn new(text: &str) -> Self {
        Schema(json(text))
    }

    /// Whether a value matches the schema.
    pub(crate) fn takes(&self, value: &Value) -> bool {
        self.is_right(&self.0, value)
    }

    fn is_right(&self, schema: &Value, value: &Value) -> bool {
        let rules = schema.as_object().unwrap_or_else(|| panic!("{schema} is a schema"));
        rules.iter().all(|(keyword, rule)| self.keeps(schema, keyword, rule, value))
    }

    fn keeps(&self, schema: &Value, keyword: &str, rule: &Value, value: &Value) -> bool {
        let count = || usize::try_from(rule.as_u64().expect("a count")).expect("small");
        let (object, array) = (value.as_object(), value.as_array());
        match keyword {
            "$ref" => {
                let to = rule.as_str().and_then(|it| it.strip_prefix("#/$defs/")).expect("a definition");
                let to = self.0["$defs"].get(to).unwrap_or_else(|| panic!("no definition {to}"));
                self.is_right(to, value)
            }
            "type" => match rule.as_str().expect("a type") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "number" => value.is_number(),
                "integer" => value.is_i64() || value.is_u64(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                other => panic!("no type {other}"),
            },
            "const" => rule == value,
            "enum" => rule.as_array().expect("a list").contains(value),
            "anyOf" => rule.as_array().expect("a list").iter().any(|it| self.is_right(it, value)),
            "properties" => object.is_none_or(|it| {
                it.iter().all(|(name, value)| rule.get(name).is_none_or(|it| self.is_right(it, value)))
            }),
            "required" => object.is_none_or(|it| {
                rule.as_array().expect("a list").iter().all(|name| it.contains_key(name.as_str().expect("a name")))
            }),
            "additionalProperties" => object.is_none_or(|it| {
                let mut others = it.iter().filter(|it| schema["properties"].get(it.0).is_none());
                match rule {
                    Value::Bool(allowed) => *allowed || others.next().is_none(),
                    rule => others.all(|it| self.is_right(rule, it.1)),
                }
            }),
            "prefixItems" => array.is_none_or(|it| {
                it.iter().zip(rule.as_array().expect("a list")).all(|(value, rule)| self.is_right(rule, value))
            }),
            "items" => array.is_none_or(|it| it.iter().all(|it| self.is_right(rule, it))),
            "minItems" => array.is_none_or(|it| it.len() >= count()),
            "maxItems" => array.is_none_or(|it| it.len() <= count()),
            "minProperties" => object.is_none_or(|it| it.len() >= count()),
            "maxProperties" => object.is_none_or(|it| it.len() <= count()),
            "minLength" => value.as_str().is_none_or(|it| it.chars().count() >= count()),
            "maxLength" => value.as_str().is_none_or(|it| it.chars().count() <= count()),
            "minimum" => value.as_f64().is_none_or(|it| it >= rule.as_f64().expect("a number")),
            "maximum" => value.as_f64().is_none_or(|it| it <= rule.as_f64().expect("a number")),
            other => ANNOTATIONS.contains(&other) || panic!("no keyword {other}"),
        }
    }
}
