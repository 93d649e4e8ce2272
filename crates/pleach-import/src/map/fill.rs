//! The template of a profile for a node, filled with the node's children and values.

use std::cell::Cell;

use pleach::tools::ron::{Arguments, Datum, Shape};

use super::Mapper;
use crate::item::{Data, Item};
use crate::keys::{Kind, Use, key_name};
use crate::report::shortened;
use crate::ron::{self, Marked, Node, Value};
use crate::script::{condition, emit};

type Filled<T> = Result<T, String>;

/// The children of a node, and which of them its profile uses.
#[derive(Debug)]
pub(super) struct Children {
    pub(super) nodes: Vec<Node>,
    used: Cell<usize>,
}

impl Children {
    pub(super) fn new(nodes: Vec<Node>) -> Self {
        Children { nodes, used: Cell::new(0) }
    }

    fn one(&self, at: usize) -> Filled<Value> {
        self.used.set(self.used.get().max(at.saturating_add(1)));
        let child = self.nodes.get(at).ok_or_else(|| match self.nodes.len() {
            0 => "it has no child".to_owned(),
            count => format!("it has only {count} of its children"),
        })?;
        Ok(Value::Node(child.clone()))
    }

    /// All, each in a decorator.
    fn inside(&self, decorator: &str) -> Filled<Value> {
        self.but(0)?;
        let all = self.nodes.iter().cloned().map(|it| Value::Node(Node::new(decorator).child(it)));
        Ok(Value::List(all.collect()))
    }

    /// All, each with its weight.
    fn weighted(&self, item: &Item) -> Filled<Value> {
        self.but(0)?;
        let weighted = self.nodes.iter().zip(&item.children).map(|(node, child)| {
            let Some(weight) = &child.weight else { return Ok(Value::Node(node.clone())) };
            if !weight.parse::<f64>().is_ok_and(|it| it.is_finite() && it >= 0.0) {
                return Err(format!("the weight `{weight}` is not a number of at least 0"));
            }
            let weight = Value::Raw(ron::float(weight));
            Ok(Value::Group(vec![("weight".into(), weight), ("child".into(), Value::Node(node.clone()))]))
        });
        weighted.collect::<Filled<_>>().map(Value::List)
    }

    /// All except this number of the last ones.
    fn but(&self, but: usize) -> Filled<Value> {
        let count = self.nodes.len().saturating_sub(but);
        self.used.set(self.used.get().max(count));
        if count == 0 {
            return Err("it has no child, or too few".into());
        }
        Ok(Value::List(self.nodes[..count].iter().cloned().map(Value::Node).collect()))
    }
}

impl Mapper<'_> {
    /// The node of a profile, with these children.
    ///
    /// # Errors
    /// Why it does not apply to this item.
    pub(super) fn fill(&mut self, is: &Datum, item: &Item, children: &Children) -> Filled<Node> {
        let node = match self.value(is, item, children)? {
            Value::Node(node) => node,
            Value::Raw(name) => Node::new(&name),
            _ => return Err("its profile does not say a node".into()),
        };
        match children.nodes.len() - children.used.get().min(children.nodes.len()) {
            0 => Ok(node),
            1 => Err("it has 1 child too many".into()),
            more => Err(format!("it has {more} children too many")),
        }
    }

    fn value(&mut self, datum: &Datum, item: &Item, children: &Children) -> Filled<Value> {
        Ok(match &datum.shape {
            Shape::Text(it) => Value::Text(it.clone()),
            Shape::Literal(it) => Value::Raw(it.clone()),
            Shape::List(items) => {
                let mut list = Vec::new();
                for it in items {
                    match self.value(it, item, children)? {
                        // `[Children]` stands for all of them.
                        Value::List(all) => list.extend(all),
                        one => list.push(one),
                    }
                }
                Value::List(list)
            }
            Shape::Map(entries) => {
                let mut map = Vec::new();
                for (key, value) in entries {
                    let value = self.value(value, item, children)?;
                    match self.value(key, item, children)? {
                        Value::Text(key) => map.push((ron::quoted(&key), value)),
                        Value::Raw(key) => map.push((key, value)),
                        _ => return Err("a key of a map in its profile is neither a string nor a word".into()),
                    }
                }
                Value::Map(map)
            }
            Shape::Call(None, Arguments::Named(fields)) => {
                let mut group = Vec::new();
                for (name, value) in fields {
                    group.push((name.text.clone(), self.value(value, item, children)?));
                }
                Value::Group(group)
            }
            Shape::Call(None, _) => return Err("its profile has parentheses without names".into()),
            Shape::Call(Some(name), Arguments::Named(fields)) => {
                let mut node = Node::new(&name.text);
                for (field, value) in fields {
                    let value = self.value(value, item, children)?;
                    if field.text == "count" && value == Value::Raw("0".into()) {
                        return Err("its count is 0".into());
                    }
                    node = node.with(&field.text, value);
                }
                Value::Node(node)
            }
            Shape::Call(Some(name), Arguments::None) => match &*name.text {
                "Child" => children.one(0)?,
                "Last" => children.one(children.nodes.len().wrapping_sub(1))?,
                "Children" => children.but(0)?,
                "Weighted" => children.weighted(item)?,
                word => Value::Raw(word.into()),
            },
            Shape::Call(Some(name), Arguments::Tuple(arguments)) => {
                let texts: Vec<&str> = arguments.iter().filter_map(plain).collect();
                match (&*name.text, &*texts) {
                    ("Child", [at]) => children.one(at.parse().unwrap_or(usize::MAX))?,
                    ("ChildrenBut", [but]) => children.but(but.parse().unwrap_or(0))?,
                    ("ChildrenIn", [decorator]) => children.inside(decorator)?,
                    ("Int", [name, rest @ ..]) => self.number(item, name, rest.first().copied(), Kind::Int)?,
                    ("Float", [name, rest @ ..]) => self.number(item, name, rest.first().copied(), Kind::Float)?,
                    ("Millis", [name, rest @ ..]) => self.millis(item, name, rest.first().copied())?,
                    ("Key", [name]) => self.key(item, name)?,
                    ("Text", [name]) => Value::Text(item.text(name).unwrap_or_default().into()),
                    ("If", [name]) => Value::Text(self.condition(item, name, false)?),
                    ("Unless", [name]) => Value::Text(self.condition(item, name, true)?),
                    // `AtLeast(Int("count"))`
                    ("AtLeast", []) => {
                        let mut out = Marked::default();
                        for it in arguments {
                            let count = self.value(it, item, children)?;
                            let most = children.nodes.len();
                            if let Value::Raw(it) = &count
                                && !it.parse().is_ok_and(|it: usize| (1..=most).contains(&it))
                            {
                                return Err(format!("it needs the results of {it} of {most} children"));
                            }
                            out.value(&count);
                        }
                        Value::Raw(format!("AtLeast({})", out.text))
                    }
                    // `Bool(false)`, `AtLeast(2)`
                    (other, plain) if plain.len() == arguments.len() => {
                        Value::Raw(format!("{other}({})", plain.join(", ")))
                    }
                    (other, _) => return Err(format!("its profile has `{other}(..)`: name the fields of nodes")),
                }
            }
        })
    }

    /// A number, or an expression that gives one.
    fn number(&mut self, item: &Item, name: &str, default: Option<&str>, kind: Kind) -> Filled<Value> {
        match item.get(name) {
            Some(Data::Key(key)) => Ok(Value::Text(self.reads(key, item.at, kind).0)),
            Some(Data::Text(text)) => match (Kind::of(text), kind) {
                (Kind::Int, Kind::Int) => Ok(Value::Raw(ron::number(text))),
                // A format may have no whole numbers.
                (Kind::Float, Kind::Int) if ron::float(text).ends_with(".0") => {
                    Ok(Value::Raw(ron::float(text).trim_end_matches(".0").into()))
                }
                (is, Kind::Float) if is.is_number() => Ok(Value::Raw(ron::float(text))),
                _ => Err(format!("`{name}` is `{text}`, not a number of this type")),
            },
            None => default.map(|it| Value::Raw(it.into())).ok_or_else(|| format!("it lacks `{name}`")),
        }
    }

    /// Milliseconds as seconds.
    fn millis(&mut self, item: &Item, name: &str, default: Option<&str>) -> Filled<Value> {
        let text = match item.get(name) {
            Some(Data::Key(key)) => {
                return Ok(Value::Text(format!("{} / 1000.0", self.reads(key, item.at, Kind::Int).0)));
            }
            Some(Data::Text(text)) => text,
            None => default.ok_or_else(|| format!("it lacks `{name}`"))?,
        };
        ron::seconds(text).map(Value::Raw).ok_or_else(|| format!("`{name}` is `{text}`, not a number"))
    }

    /// A key that the node writes.
    fn key(&mut self, item: &Item, name: &str) -> Filled<Value> {
        let (Data::Key(key) | Data::Text(key)) = item.get(name).ok_or_else(|| format!("it lacks `{name}`"))?;
        let key = key_name(key);
        self.keys.used(self.tree, &key, item.at, Use::Write, Kind::Unknown);
        Ok(Value::Text(key))
    }

    /// A script that is a condition.
    fn condition(&mut self, item: &Item, name: &str, is_not: bool) -> Filled<String> {
        let script = item.text(name).ok_or_else(|| format!("it lacks `{name}`"))?;
        let told = |why: String| format!("`{}`: {why}", shortened(script));
        let expr = condition(script).map_err(told)?;
        let expr = if is_not { expr.not() } else { expr };
        emit(&expr, Kind::Bool, self.keys, self.at(item.at)).map_err(told)
    }
}

fn plain(datum: &Datum) -> Option<&str> {
    match &datum.shape {
        Shape::Text(it) | Shape::Literal(it) => Some(it),
        Shape::Call(Some(word), Arguments::None) => Some(&word.text),
        _ => None,
    }
}
