//! Files as text: with templates, or with their nodes in place of each `Use`.
//!
//! The nodes in place of a `Use` name keys as the template sees them: its ports are what they stand
//! for, and everything else is looked up in the file, not in the nodes around.

use std::collections::{BTreeMap, BTreeSet};

use super::library::{KEYS, Library};
use super::made::{Children, Field, File, Given, Instance, Node, Of, Piece, Port, Template, WORDS};

/// The node whose template contains a name.
#[derive(Clone, Default)]
struct Inside<'i> {
    /// The names of the instances around, each followed by a `_`.
    path: String,
    /// What the ports stand for. `None`: not in a template.
    ports: Option<BTreeMap<String, Given>>,
    /// The keys of the template's nodes.
    keys: BTreeSet<String>,
    /// What its hole is given, and where that is written.
    given: Option<(&'i Node, &'i Inside<'i>)>,
}

struct Writer<'a> {
    file: &'a File,
    part: &'a File,
    /// Templates stay what they are.
    templates: bool,
    /// The private keys of template instances.
    own: Vec<String>,
}

impl Library {
    /// The files by their names.
    pub(crate) fn written(&self, templates: bool) -> BTreeMap<String, String> {
        let text = |file| Writer { file, part: &self.part, templates, own: Vec::new() }.file();
        [("main.ron".to_owned(), text(&self.main)), ("part.ron".to_owned(), text(&self.part))].into()
    }
}

fn declared(of: Of, default: &str) -> String {
    match of {
        Of::Bool => format!("Bool({default})"),
        Of::Int => format!("Int({default})"),
        Of::Float => format!("Float({default})"),
        Of::Word => format!("Symbol(\"{default}\", {WORDS:?})"),
    }
}

fn port(port: &Port) -> String {
    let of = if port.of == Of::Word { format!("Symbol({WORDS:?})") } else { format!("{:?}", port.of) };
    let default = port.default.as_ref().map_or_else(String::new, |it| format!(", {it}"));
    format!("\"{}\": {}({of}{default}), ", port.name, port.direction)
}

/// Whether a port that is given a literal is a key nevertheless: a leaf of the host takes it, here
/// or in what is included here.
fn needs_key(name: &str, nodes: &[&Node], file: &File, part: &File) -> bool {
    nodes.iter().any(|node| match &node.children {
        Children::Use(it) => {
            let template = template(file, &it.of);
            let given = |it: &&(String, Given)| it.1 == Given::Key(name.to_owned());
            let nodes = template.root.all();
            let has_it = it.with.iter().filter(given).any(|it| needs_key(&it.0, &nodes, file, part));
            // A port of the file is seen in it, too.
            let sees = file.ports.iter().any(|it| it.name == name) && template.ports.iter().all(|it| it.name != name);
            has_it || sees && needs_key(name, &nodes, file, part)
        }
        Children::Subtree(it) => {
            let given = |it: &&(String, Given)| it.1 == Given::Key(name.to_owned());
            let mut nodes = part.root.all();
            nodes.extend(part.interrupt.iter().flat_map(|it| it.1.all()));
            it.with.iter().filter(given).any(|it| needs_key(&it.0, &nodes, part, part))
        }
        _ => node.fields.iter().any(|(_, it)| matches!(it, Field::Key(key) if key == name)),
    })
}

fn template<'a>(file: &'a File, name: &str) -> &'a Template {
    file.templates.iter().find(|it| it.name == name).expect("it was made before")
}

impl Writer<'_> {
    fn file(mut self) -> String {
        let file = self.file;
        let nowhere = Inside::default();
        let root = self.node(&file.root, &nowhere);
        let interrupt = file.interrupt.as_ref().map(|(when, run)| {
            let (when, run) = (self.expr(when, &nowhere), self.node(run, &nowhere));
            format!("interrupts: [(when: \"{when}\", run: {run})],\n")
        });
        let mut templates = String::new();
        if self.templates {
            for it in &file.templates {
                let (ports, root) = (it.ports.iter().map(port).collect::<String>(), self.node(&it.root, &nowhere));
                let hole = if it.places > 0 { "nodes: { \"h\": One }, " } else { "" };
                templates += &format!("    \"{}\": (ports: {{ {ports}}}, {hole}root: {root}),\n", it.name);
            }
            templates = format!("templates: {{\n{templates}}},\n");
        }
        let key = |&(name, of): &(&str, Of)| {
            let default = match of {
                Of::Bool => "false",
                Of::Int => "1",
                Of::Float => "0.5",
                Of::Word => WORDS[0],
            };
            format!("\"{name}\": {}, ", declared(of, default))
        };
        let keys: String = KEYS.iter().filter(|it| it.0 != "g").map(key).collect();
        let (own, ports) = (self.own.concat(), file.ports.iter().map(port).collect::<String>());
        format!(
            "Tree(version: 1, ports: {{ {ports}}}, blackboard: {{ {keys}{own}}}, group: {{ \"g\": Int(1) }},\n\
             events: {{ \"count\": Int, \"bang\": () }},\n{templates}{}root: {root})",
            interrupt.unwrap_or_default()
        )
    }

    /// What a name stands for.
    fn name(&self, name: &str, inside: &Inside<'_>) -> Given {
        let Some(ports) = &inside.ports else { return Given::Key(name.to_owned()) };
        if let Some(given) = ports.get(name) {
            return given.clone();
        }
        let as_it_is = inside.keys.contains(name) || self.file.ports.iter().any(|it| it.name == name);
        Given::Key(match name {
            _ if as_it_is => name.to_owned(),
            "g" => "group.g".to_owned(),
            _ => format!("agent.{name}"),
        })
    }

    fn expr(&self, expr: &[Piece], inside: &Inside<'_>) -> String {
        let piece = |it: &Piece| match it {
            Piece::Text(text) => text.clone(),
            Piece::Name(name) => match self.name(name, inside) {
                Given::Key(text) | Given::Literal(text) => text,
            },
        };
        expr.iter().map(piece).collect()
    }

    fn with(&self, with: &[(String, Given)], inside: &Inside<'_>) -> String {
        let given = |(port, given): &(String, Given)| {
            let given = match given {
                Given::Key(name) => self.name(name, inside),
                literal => literal.clone(),
            };
            match given {
                Given::Key(name) => format!("\"{port}\": \"{name}\", "),
                Given::Literal(text) => format!("\"{port}\": {text}, "),
            }
        };
        with.iter().map(given).collect()
    }

    fn node(&mut self, node: &Node, inside: &Inside<'_>) -> String {
        let mut text = format!("{}(", node.kind);
        if let Some(id) = &node.id {
            text += &format!("id: \"{}{id}\", ", inside.path);
        }
        for (name, field) in &node.fields {
            text += &match field {
                Field::Plain(it) => format!("{name}: {it}, "),
                Field::Expr(it) => format!("{name}: \"{}\", ", self.expr(it, inside)),
                Field::Key(key) => match self.name(key, inside) {
                    Given::Key(key) => format!("{name}: \"{key}\", "),
                    Given::Literal(it) => unreachable!("{key} is a key and not {it}"),
                },
            };
        }
        if let Some((key, value)) = &node.key {
            text += &format!("blackboard: {{ \"{key}\": Int({value}) }}, ");
        }
        match &node.children {
            Children::None => {}
            Children::One(child) => text += &format!("child: {}", self.node(child, inside)),
            Children::Many(children) => {
                let children: Vec<String> = children.iter().map(|it| self.node(it, inside)).collect();
                text += &format!("children: [{}]", children.join(", "));
            }
            Children::Cases(cases, default) => {
                let case = |(word, it): &(&str, Node)| format!("\"{word}\": {}", self.node(it, inside));
                let cases: Vec<String> = cases.iter().map(case).collect();
                text += &format!("cases: {{ {} }}, ", cases.join(", "));
                if let Some(default) = default {
                    text += &format!("default: {}", self.node(default, inside));
                }
            }
            Children::Use(it) if self.templates => {
                let name = it.name.as_ref().map_or_else(String::new, |it| format!("name: \"{it}\", "));
                text += &format!("template: \"{}\", {name}with: {{ {}}}", it.of, self.with(&it.with, inside));
                if let Some(given) = &it.given {
                    text += &format!(", nodes: {{ \"h\": {} }}", self.node(given, inside));
                }
            }
            Children::Use(it) => return self.instance(it, inside),
            Children::Hole if self.templates => text += "\"h\"",
            Children::Hole => {
                // It stands here, and sees the names visible where it is written.
                let (given, around) = inside.given.expect("its template is used");
                return self.node(given, &Inside { path: inside.path.clone(), ..around.clone() });
            }
            Children::Subtree(it) => {
                let name = it.name.as_ref().expect("it has one");
                let with = self.with(&it.with, inside);
                text += &format!("asset: \"{}\", name: \"{}{name}\", with: {{ {with}}}", it.of, inside.path);
            }
        }
        text + ")"
    }

    /// The nodes of a template in place of its use.
    fn instance(&mut self, it: &Instance, inside: &Inside<'_>) -> String {
        let template = template(self.file, &it.of);
        let path = format!("{}{}_", inside.path, it.name.as_ref().unwrap_or(&it.of));
        let nodes = template.root.all();
        let mut ports = BTreeMap::new();
        for port in &template.ports {
            let given = it.with.iter().find(|it| it.0 == port.name).map(|it| it.1.clone());
            let given = given.or(port.default.clone().map(Given::Literal)).expect("it has something");
            let given = match given {
                Given::Key(name) => self.name(&name, inside),
                Given::Literal(it) if port.of == Of::Word || needs_key(&port.name, &nodes, self.file, self.part) => {
                    let own = format!("{path}{}", port.name);
                    self.own.push(format!("\"{own}\": {}, ", declared(port.of, &it)));
                    Given::Key(format!("agent.{own}"))
                }
                literal => literal,
            };
            ports.insert(port.name.clone(), given);
        }
        let keys = nodes.iter().filter_map(|it| it.key.as_ref()).map(|it| it.0.clone()).collect();
        let given = it.given.as_deref().map(|it| (it, inside));
        self.node(&template.root, &Inside { path, ports: Some(ports), keys, given })
    }
}
