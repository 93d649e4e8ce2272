//! Starbound's `.behavior`: JSON with nodes inside each other. Trees in trees (`module`) share the
//! keys of the agent, and their parameters are handed down. What composites do is known from an
//! open engine for the game; what decorators and actions do is in scripts of the game.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pleach::tools::file_stem;

use crate::item::{Data, Declared, Given, Item, Sort, Tree};
use crate::json::{self, Json};
use crate::keys::{Kind, Use, key_name};
use crate::map::Mapper;
use crate::place::{Place, Text};
use crate::profile::{Profile, Skip};
use crate::report::{Fate, Line, Notes};
use crate::ron::Node;

/// The deepest nesting.
const MAX_DEPTH: usize = 200;

static PROFILE: LazyLock<Profile> = LazyLock::new(|| {
    Profile::read("starbound.profile.ron", include_str!("starbound/starbound.profile.ron")).expect("a test reads it")
});

/// How its nodes map to pleach.
pub(crate) fn profile() -> &'static Profile {
    &PROFILE
}

/// Whether a file is one of the format.
pub(crate) fn is_one(json: &Json) -> bool {
    let root = json.get("root");
    root.is_some_and(|it| it.get("type").and_then(Json::text).is_some_and(|it| TYPES.contains(&it)))
}

/// The types of nodes.
const TYPES: [&str; 4] = ["action", "composite", "decorator", "module"];

pub(crate) fn read(files: &[(usize, &Text)], notes: &mut Notes) -> Vec<Tree> {
    let mut trees = Vec::new();
    for (file, text) in files {
        match tree(*file, text, notes) {
            Ok(tree) => trees.push(tree),
            Err((at, why)) => notes.add(Place { file: *file, at }, Line::Error(why)),
        }
    }
    let mut ids = BTreeMap::new();
    for (place, tree) in trees.iter().enumerate() {
        if ids.insert(tree.id.clone(), place).is_some() {
            let why = format!("there are two trees `{}`: import one of them", tree.id);
            notes.add(tree.at, Line::Error(why));
        }
    }
    let mut inner = BTreeSet::new();
    trees.iter_mut().for_each(|it| connect(&mut it.root, &ids, &mut inner));
    trees.iter_mut().enumerate().for_each(|(place, it)| it.is_main = !inner.contains(&place));
    trees
}

fn connect(item: &mut Item, ids: &BTreeMap<String, usize>, inner: &mut BTreeSet<usize>) {
    if item.sort == Sort::Tree {
        item.tree = ids.get(&item.kind).copied();
        inner.extend(item.tree);
    }
    item.children.iter_mut().for_each(|it| connect(it, ids, inner));
}

fn tree(file: usize, text: &Text, notes: &mut Notes) -> Result<Tree, (usize, String)> {
    let json = json::read(&text.text)?;
    let root = json.get("root").ok_or((json.at, "there is no `root`: add the node to begin with".to_owned()))?;
    let id = json.text_of("name").map_or_else(|| file_stem(&text.name).to_owned(), Into::into);
    let mut keys = Vec::new();
    for (name, value) in json.get("parameters").map_or(&[][..], Json::fields) {
        let value = value.plain();
        let kind = value.as_ref().map_or(Kind::Object, |it| Kind::of(it));
        keys.push(Declared { name: key_name(name), kind, value });
    }
    let mut reader = Reader { file, board: BTreeSet::new() };
    let root = reader.item(root, 0)?;
    let at = Place { file, at: json.at };
    if let Some(both) = keys.iter().map(|it| &it.name).find(|it| reader.board.contains(*it)) {
        let why =
            format!("`{both}` is a parameter and a key of the board, and would be one key here: rename one there");
        notes.add(at, Line::Error(why));
    }
    Ok(Tree { id, root, keys, note: json.text_of("description").map(Into::into), at, ..Tree::default() })
}

struct Reader {
    file: usize,
    /// Keys of the board that the tree names.
    board: BTreeSet<String>,
}

impl Reader {
    fn item(&mut self, json: &Json, depth: usize) -> Result<Item, (usize, String)> {
        if depth > MAX_DEPTH {
            return Err((json.at, format!("nodes are nested deeper than {MAX_DEPTH}")));
        }
        let name = json.text_of("name").ok_or((json.at, "this node has no `name`: add it".to_owned()))?;
        let sort = match json.text_of("type") {
            Some("action") => Sort::Action,
            Some("composite" | "decorator") => Sort::Inner,
            Some("module") => Sort::Tree,
            _ => {
                let why = format!("the `type` of `{name}` is not one of {}", TYPES.join(", "));
                return Err((json.at, why));
            }
        };
        let mut item = Item {
            kind: name.into(),
            sort,
            title: json.text_of("title").filter(|it| *it != name).map(Into::into),
            at: Place { file: self.file, at: json.at },
            ..Item::default()
        };
        for (name, value) in json.get("parameters").map_or(&[][..], Json::fields) {
            self.parameter(&mut item, name, value);
        }
        for (name, value) in json.get("output").map_or(&[][..], Json::fields) {
            let at = Place { file: self.file, at: value.at };
            let key = value.text().or_else(|| value.text_of("key")).filter(|it| !it.is_empty());
            let Some(key) = key else { continue };
            // A parameter may have the same name.
            let value = self.key(key);
            item.given.push(Given { name: format!("out_{name}"), value, how: Some(Use::Write), at });
        }
        let children = json.get("children").map_or(&[][..], Json::items);
        for child in json.get("child").into_iter().chain(children) {
            item.children.push(self.item(child, depth + 1)?);
        }
        Ok(item)
    }

    /// `{ "value": 3 }`, `{ "key": "target" }`, `{ "key": "<speed>" }`
    fn parameter(&mut self, item: &mut Item, name: &str, json: &Json) {
        let at = Place { file: self.file, at: json.at };
        let value = match (json.text_of("key"), json.get("value")) {
            (Some(key), _) => self.key(key),
            (None, None) => return,
            (None, Some(value)) => match value.plain() {
                Some(text) if tag(&text).is_some() => self.key(&text),
                Some(text) => Data::Text(text),
                None if matches!(value.data, json::Data::Null) => return,
                None => {
                    item.conditions.lost.push(format!("its `{name}` is left out: it is a list or a table"));
                    return;
                }
            },
        };
        item.given.push(Given { name: name.into(), value, how: Some(Use::Read), at });
    }

    /// A key of the board, or the parameter that a tag names.
    fn key(&mut self, key: &str) -> Data {
        if let Some(parameter) = tag(key) {
            return Data::Key(parameter.into());
        }
        self.board.insert(key_name(key));
        Data::Key(key.into())
    }
}

/// The parameter in `<..>`.
fn tag(text: &str) -> Option<&str> {
    text.strip_prefix('<').and_then(|it| it.strip_suffix('>')).filter(|it| !it.is_empty())
}

/// The nodes that no profile can map.
pub(crate) fn special(mapper: &mut Mapper<'_>, item: &Item, _: Skip) -> Option<(Node, Fate)> {
    match &*item.kind {
        _ if item.sort == Sort::Tree => Some(module(mapper, item)),
        "parallel" if !item.children.is_empty() => Some(parallel(mapper, item)),
        _ => None,
    }
}

/// A tree in a tree: it shares the keys of the board. A missing parameter has the value of the tree
/// around it, or else its own default.
fn module(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let Some(inner) = mapper.part(item) else { return mapper.no_part(item) };
    let (outer, part) = (&mapper.trees[mapper.tree], &mapper.trees[inner]);
    let keys: Vec<String> = mapper.keys.of(inner).map(|it| it.name.to_owned()).collect();
    let (mut given, mut fate) = (Vec::new(), Fate::Exact);
    for key in keys {
        let parameter = part.keys.iter().find(|it| it.name == key);
        let own = item.given.iter().find(|it| key_name(&it.name) == key);
        let value = match (parameter, own) {
            (Some(_), Some(own)) => own.value.clone(),
            (Some(Declared { value: Some(default), .. }), None) if outer.keys.iter().all(|it| it.name != key) => {
                Data::Text(default.clone())
            }
            _ => Data::Key(key.clone()),
        };
        given.push((key, value));
    }
    for it in item.given.iter().filter(|it| part.keys.iter().all(|key| key.name != key_name(&it.name))) {
        let why = format!("`{}` is not a parameter of `{}`: give it to the trees in it that have it", it.name, part.id);
        fate = fate.and(Fate::Lost(why));
    }
    (mapper.subtree(item, inner, given), fate)
}

/// There it counts the results of one tick, and a child that has ended starts again in the next.
fn parallel(mapper: &mut Mapper<'_>, item: &Item) -> (Node, Fate) {
    let count = item.children.len();
    let needed = |name: &str| match item.get(name) {
        None => Some(count),
        Some(Data::Text(text)) => match text.trim().parse::<i64>() {
            Ok(-1) => Some(count),
            Ok(it) => usize::try_from(it).ok().filter(|it| (1..=count).contains(it)),
            Err(_) => None,
        },
        Some(Data::Key(_)) => None,
    };
    let (Some(success), Some(failure)) = (needed("success"), needed("fail")) else {
        let why = format!("its counts are not 1 to {count}, or -1 for all");
        return (mapper.own_template(item, &why), Fate::Lost(why));
    };
    let policy = |it: usize| match it {
        1 => "Any".to_owned(),
        it if it == count => "All".to_owned(),
        it => format!("AtLeast({it})"),
    };
    // A child that ends without deciding anything starts again.
    let again = |node: Node| match (success, failure) {
        _ if count == 1 => node,
        (1, 1) => node,
        (1, _) => Node::new("UntilSuccess").child(node),
        (_, 1) => Node::new("Repeat").raw("forever", "true").raw("end_on_failure", "true").child(node),
        _ => Node::new("Repeat").raw("forever", "true").child(node),
    };
    let children: Vec<Node> = item.children.iter().map(|it| again(mapper.node(it, Skip::Success))).collect();
    let node = Node::new("Parallel").raw("success", policy(success)).raw("failure", policy(failure)).children(children);
    let fate = match (success, failure) {
        _ if count == 1 => Fate::Exact,
        (1, 1) => Fate::Exact,
        (1, _) => Fate::Rewritten(format!("there it fails when {failure} children fail in one tick, here it goes on")),
        (_, 1) => {
            Fate::Rewritten(format!("there it succeeds when {success} children succeed in one tick, here it goes on"))
        }
        _ => Fate::Rewritten(format!(
            "there it ends when {success} children succeed or {failure} fail in one tick, here it goes on"
        )),
    };
    (node, fate)
}
