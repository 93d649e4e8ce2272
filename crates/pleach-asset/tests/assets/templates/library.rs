//! Random files whose nodes come from templates.

use super::made::{Children, Dice, Field, File, Given, Instance, Node, Of, Piece, Port, Template, Text, WORDS};

/// The keys that each file has, and their types.
pub(crate) const KEYS: [(&str, Of); 7] = [
    ("a", Of::Int),
    ("b", Of::Int),
    ("g", Of::Int),
    ("x", Of::Float),
    ("y", Of::Float),
    ("m", Of::Word),
    ("f", Of::Bool),
];

/// A file that includes another one.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) main: File,
    pub(crate) part: File,
}

/// A key or a port that new nodes may name.
#[derive(Clone, Debug)]
struct VisibleName {
    name: String,
    of: Of,
    /// A built-in may write it.
    writable: bool,
}

struct Maker {
    dice: Dice,
    names: Vec<VisibleName>,
    /// What can stand here: templates made so far, and the part with its ports if it can be
    /// included.
    templates: Vec<Template>,
    part: Option<Vec<Port>>,
    /// The templates that have an instance without a name where nodes are made.
    nameless: Vec<String>,
    numbers: usize,
    in_template: bool,
    /// In how many places the hole of the template stands.
    open: Option<usize>,
    /// Whether the new nodes are given to a template.
    in_given: bool,
}

/// The random files of a seed.
pub(crate) fn roll(seed: u64) -> Library {
    let dice = Dice::new(seed);
    let mut maker = Maker {
        dice,
        names: Vec::new(),
        templates: Vec::new(),
        part: None,
        nameless: Vec::new(),
        numbers: 0,
        in_template: false,
        open: None,
        in_given: false,
    };
    let ports = maker.ports("q");
    let part = maker.file(ports.clone());
    maker.part = Some(ports);
    let main = maker.file(Vec::new());
    Library { main, part }
}

impl Maker {
    fn file(&mut self, ports: Vec<Port>) -> File {
        let keys = KEYS.map(|(name, of)| VisibleName { name: name.to_owned(), of, writable: true });
        let of_file: Vec<VisibleName> = keys.into_iter().chain(ports.iter().map(seen)).collect();
        self.templates.clear();
        for _ in 0..1 + self.dice.below(3) {
            let ports = self.ports("p");
            // A port hides everything with its name.
            let hides = |it: &&VisibleName| !ports.iter().any(|port| port.name == it.name);
            self.names = ports.iter().map(seen).chain(of_file.iter().filter(hides).cloned()).collect();
            (self.in_template, self.nameless) = (true, Vec::new());
            let depth = self.dice.below(3);
            self.open = self.dice.chance(60).then_some(0);
            let root = self.node(depth);
            let places = self.open.take().unwrap_or_default();
            let name = format!("t{}", self.templates.len());
            self.templates.push(Template { name, ports, places, root });
        }
        (self.in_template, self.nameless, self.names) = (false, Vec::new(), of_file);
        let mut root = self.node(3);
        if matches!(root.children, Children::None) {
            root = Node { kind: "Sequence", children: Children::Many(vec![root, self.instance()]), ..Node::default() };
        }
        let interrupt = self.dice.chance(20).then(|| (self.expr(Of::Bool, 1), self.node(1)));
        File { ports, templates: self.templates.clone(), interrupt, root }
    }

    fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    fn ports(&mut self, called: &str) -> Vec<Port> {
        let mut ports: Vec<Port> = Vec::new();
        for at in 0..self.dice.below(4) {
            // The name of a port of a template may be that of a key, and hides it.
            let hides = called == "p" && self.dice.chance(15);
            let name = if hides { self.dice.pick(&KEYS).0.to_owned() } else { format!("{called}{at}") };
            if ports.iter().any(|it| it.name == name) {
                continue;
            }
            let (of, direction) = (self.dice.pick(&Of::ALL), self.dice.pick(&["In", "In", "In", "Out", "InOut"]));
            let default = (direction == "In" && self.dice.chance(40)).then(|| self.literal(of));
            ports.push(Port { name, of, direction, default });
        }
        ports
    }

    fn literal(&mut self, of: Of) -> String {
        match of {
            Of::Bool => self.dice.pick(&["true", "false"]).to_owned(),
            Of::Int => self.dice.below(5).to_string(),
            Of::Float => self.dice.pick(&["0.0", "0.5", "1.0", "2.5"]).to_owned(),
            Of::Word => self.dice.pick(&WORDS).to_owned(),
        }
    }

    fn key(&mut self, of: Of, writable: bool) -> String {
        let fits = |it: &&VisibleName| it.of == of && (it.writable || !writable);
        let names: Vec<String> = self.names.iter().filter(fits).map(|it| it.name.clone()).collect();
        if names.is_empty() { String::new() } else { self.dice.pick(&names) }
    }

    fn expr(&mut self, of: Of, depth: usize) -> Text {
        let text = |it: &str| Piece::Text(it.to_owned());
        let name = self.key(of, false);
        let literal = name.is_empty() || self.dice.chance(if of == Of::Word { 30 } else { 15 });
        if depth == 0 || literal || self.dice.chance(30) {
            return vec![if literal { Piece::Text(self.literal(of)) } else { Piece::Name(name) }];
        }
        let pair = |open: &str, a: Text, between: &str, b: Text| {
            [vec![text(open)], a, vec![text(between)], b, vec![text(")")]].concat()
        };
        let deeper = |it: &mut Self, of| it.expr(of, depth - 1);
        match (of, self.dice.below(3)) {
            (Of::Word, _) => vec![Piece::Name(name)],
            (Of::Bool, 0) => pair("(", deeper(self, Of::Int), " > ", deeper(self, Of::Float)),
            (Of::Bool, 1) => {
                let key = self.key(Of::Word, false);
                let word = self.dice.pick(&WORDS);
                if key.is_empty() {
                    vec![text("true")]
                } else {
                    vec![text("("), Piece::Name(key), text(" == "), text(word), text(")")]
                }
            }
            (Of::Bool, _) => pair("(!", deeper(self, Of::Bool), " || ", deeper(self, Of::Bool)),
            (Of::Int, 0) => pair("min(", deeper(self, Of::Int), ", ", deeper(self, Of::Int)),
            (Of::Int, 1) => pair("(", deeper(self, Of::Int), " / ", deeper(self, Of::Int)),
            (Of::Int, _) => pair("(", deeper(self, Of::Int), " + ", deeper(self, Of::Int)),
            (Of::Float, 0) => pair("(", deeper(self, Of::Float), " * ", deeper(self, Of::Float)),
            (Of::Float, 1) => pair("(", deeper(self, Of::Int), " - ", deeper(self, Of::Float)),
            (Of::Float, _) => pair("max(", deeper(self, Of::Float), ", ", deeper(self, Of::Float)),
        }
    }

    fn node(&mut self, depth: usize) -> Node {
        if let Some(places) = self.open.filter(|it| *it < 2)
            && self.dice.chance(25)
        {
            self.open = Some(places + 1);
            return Node { kind: "Node", children: Children::Hole, ..Node::default() };
        }
        let mut node = match self.dice.below(10) {
            0..4 if depth > 0 => self.composite(depth),
            4 | 5 if depth > 0 => self.decorator(depth),
            6 if depth > 0 => self.switch(depth),
            7 | 8 => return self.instance(),
            _ => self.leaf(),
        };
        if self.dice.chance(8) {
            node.id = Some(format!("n{}", self.number()));
        }
        node
    }

    fn composite(&mut self, depth: usize) -> Node {
        let kinds = [
            "Sequence",
            "Sequence",
            "Selector",
            "Selector",
            "Parallel",
            "ReactiveSelector",
            "ReactiveSequence",
            "RandomSelector",
        ];
        let kind = self.dice.pick(&kinds);
        let mut fields = Vec::new();
        if self.dice.chance(50) {
            fields.push(("abort", Field::Plain(self.dice.pick(&["Self", "LowerPriority", "Both", "Both"]).to_owned())));
        }
        // A key of a node outside of templates may hide one of the file, which templates see still.
        let name =
            if self.in_template || self.dice.chance(50) { format!("k{}", self.number()) } else { "a".to_owned() };
        let key = self.dice.chance(15).then(|| (name, self.dice.below(4)));
        let had = self.names.len();
        if let Some((name, _)) = &key
            && name != "a"
        {
            self.names.push(VisibleName { name: name.clone(), of: Of::Int, writable: true });
        }
        let count = 1 + self.dice.below(4);
        let children = Children::Many((0..count).map(|_| self.node(depth - 1)).collect());
        self.names.truncate(had);
        Node { kind, fields, key, children, ..Node::default() }
    }

    fn decorator(&mut self, depth: usize) -> Node {
        let (kind, field) = match self.dice.below(7) {
            0 => ("Inverter", None),
            1 => ("ForceSuccess", None),
            2 => ("Guard", Some(("when", self.expr(Of::Bool, 2)))),
            3 => ("Limit", Some(("count", self.expr(Of::Int, 1)))),
            4 => ("Cooldown", Some(("seconds", self.expr(Of::Float, 1)))),
            5 => ("Repeat", Some(("count", self.expr(Of::Int, 1)))),
            _ => ("Timeout", Some(("seconds", self.expr(Of::Float, 1)))),
        };
        let fields = field.into_iter().map(|(name, it)| (name, Field::Expr(it))).collect();
        Node { kind, fields, children: Children::One(Box::new(self.node(depth - 1))), ..Node::default() }
    }

    fn switch(&mut self, depth: usize) -> Node {
        let on = self.key(Of::Word, false);
        if on.is_empty() {
            return self.leaf();
        }
        let cases = WORDS[..1 + self.dice.below(2)].iter().map(|&word| (word, self.node(depth - 1))).collect();
        let default = self.dice.chance(50).then(|| Box::new(self.node(depth - 1)));
        let fields = vec![("on", Field::Expr(vec![Piece::Name(on)]))];
        Node { kind: "Switch", fields, children: Children::Cases(cases, default), ..Node::default() }
    }

    fn leaf(&mut self) -> Node {
        let expr = |it: &mut Self, of, depth| Field::Expr(it.expr(of, depth));
        let plain = |it: &str| Field::Plain(it.to_owned());
        let (kind, fields) = match self.dice.below(12) {
            0 | 1 => ("Check", vec![("expr", expr(self, Of::Bool, 2))]),
            2 | 3 => {
                let of = self.dice.pick(&Of::ALL);
                match self.key(of, true) {
                    key if key.is_empty() => ("Fail", Vec::new()),
                    key => ("Set", vec![("key", Field::Key(key)), ("to", expr(self, of, 2))]),
                }
            }
            4 => ("Wait", vec![("seconds", expr(self, Of::Float, 1))]),
            5 => ("WaitTicks", vec![("ticks", expr(self, Of::Int, 1))]),
            6 => (
                "Emit",
                vec![("event", plain("\"count\"")), ("payload", expr(self, Of::Int, 1)), ("to", plain("Group"))],
            ),
            7 => match self.key(Of::Int, true) {
                key if key.is_empty() => ("OnEvent", vec![("event", plain("\"bang\""))]),
                key => ("OnEvent", vec![("event", plain("\"count\"")), ("into", Field::Key(key))]),
            },
            8 => match self.key(Of::Int, false) {
                key if key.is_empty() => ("Idle", Vec::new()),
                key => ("Count", vec![("of", Field::Key(key))]),
            },
            9 => match self.key(Of::Word, false) {
                key if key.is_empty() => ("Succeed", Vec::new()),
                key => ("Calm", vec![("mode", Field::Key(key))]),
            },
            10 => ("WaitUntil", vec![("expr", expr(self, Of::Bool, 1))]),
            _ => ("Idle", Vec::new()),
        };
        Node { kind, fields, ..Node::default() }
    }

    /// A template, or the other file; a leaf if there is neither.
    fn instance(&mut self) -> Node {
        let part = self.part.clone().filter(|_| self.templates.is_empty() || self.dice.chance(20));
        let (kind, of, ports, places) = match part {
            Some(ports) => ("Subtree", "part.ron".to_owned(), ports, 0),
            None if self.templates.is_empty() => return self.leaf(),
            None => {
                let Template { name, ports, places, .. } = self.dice.pick(&self.templates);
                ("Use", name, ports, places)
            }
        };
        let mut with = Vec::new();
        for port in ports {
            let key = self.key(port.of, port.direction != "In");
            let given = match port.direction {
                "In" if port.default.is_some() && self.dice.chance(40) => continue,
                "In" if key.is_empty() || self.dice.chance(45) => Given::Literal(self.literal(port.of)),
                _ if key.is_empty() => return self.leaf(),
                _ => Given::Key(key),
            };
            with.push((port.name, given));
        }
        let nameless = kind == "Use" && !self.in_given && self.dice.chance(30) && !self.nameless.contains(&of);
        if nameless {
            self.nameless.push(of.clone());
        }
        let name = (!nameless).then(|| format!("u{}", self.number()));
        let given = (places > 0).then(|| Box::new(self.given(places)));
        let it = Instance { of, name, with, given };
        let children = if kind == "Use" { Children::Use(it) } else { Children::Subtree(it) };
        Node { kind, children, ..Node::default() }
    }
}

impl Maker {
    /// What the hole of a template is given, which stands in this many places. With several copies,
    /// none has an id or an instance.
    fn given(&mut self, places: usize) -> Node {
        if places > 1 {
            return self.leaf();
        }
        let around = std::mem::replace(&mut self.in_given, true);
        let depth = self.dice.below(3);
        let node = self.node(depth);
        self.in_given = around;
        node
    }
}

fn seen(port: &Port) -> VisibleName {
    VisibleName { name: port.name.clone(), of: port.of, writable: port.direction != "In" }
}
