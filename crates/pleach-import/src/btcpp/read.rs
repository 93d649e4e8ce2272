//! From XML to items.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pleach::tools::included_name;

use super::{VARIANT, begin, kept, own, profile};
use crate::item::{Conditions, Data, Given, Item, Kept, Sort, Tree, When};
use crate::keys::{Kind, Use};
use crate::leaves::Leaves;
use crate::place::{Place, Text};
use crate::report::{Line, Notes, shortened};
use crate::script::{Expr, condition};
use crate::xml::{self, Attribute, Element};

/// A file.
#[derive(Default)]
struct File {
    root: Element,
    is_old: bool,
    /// The tree that runs first, and the place that names it.
    main: Option<(String, usize)>,
    /// Files that it includes, by their indices in the list.
    includes: Vec<usize>,
    /// Its trees.
    trees: Vec<usize>,
}

/// The models, by name.
#[derive(Default)]
struct Models {
    sorts: BTreeMap<String, Sort>,
    /// The default values of ports of trees.
    defaults: BTreeMap<String, Vec<(String, String)>>,
    /// What exports kept about trees, by the file and the name of the tree.
    kept: BTreeMap<(usize, String), Kept>,
}

pub(super) fn read(files: &[(usize, &Text)], leaves: &mut Leaves, notes: &mut Notes) -> Vec<Tree> {
    let mut read = Vec::new();
    let mut models = Models::default();
    for (file, text) in files {
        let mut warn = |at, message| notes.add(Place { file: *file, at }, Line::Warning(message));
        let mut it = File::default();
        match xml::read(&text.text, &mut warn) {
            Ok(root) => it.root = root,
            Err((at, message)) => notes.add(Place { file: *file, at }, Line::Error(message)),
        }
        let main = it.root.attributes.iter().find(|it| it.name == "main_tree_to_execute");
        it.main = main.map(|it| (it.value.clone(), it.at));
        it.is_old = it.root.value("BTCPP_format").is_none_or(|it| it.trim() == "3");
        for model in it.root.children.iter().filter(|it| it.name == "TreeNodesModel") {
            for it in &model.children {
                declare(it, leaves, &mut models);
                match kept::read(it) {
                    Some(Ok(mut kept)) => {
                        let id = it.value("ID").unwrap_or_default().to_owned();
                        kept.at = Place { file: *file, at: it.at };
                        models.kept.insert((*file, id), kept);
                    }
                    Some(Err(why)) => notes.add(Place { file: *file, at: it.at }, Line::Error(why)),
                    None => {}
                }
            }
        }
        read.push(it);
    }
    let mut trees = Vec::new();
    for (place, (file, text)) in files.iter().enumerate() {
        let mut reader = Reader { file: *file, is_old: read[place].is_old, models: &models, notes: &mut *notes };
        let (root, mut includes, mut own) = (std::mem::take(&mut read[place].root), Vec::new(), Vec::new());
        for element in &root.children {
            match &*element.name {
                "include" => {
                    let Some(path) = element.value("path").filter(|it| !it.trim().is_empty()) else {
                        reader.error(element, "`<include>` lacks its `path`: name the file".into());
                        continue;
                    };
                    let name = included_name(&text.name, path);
                    let found = files.iter().position(|it| Some(&it.1.name) == name.as_ref());
                    if found.is_none() {
                        reader.error(element, format!("`{path}` is included and was not given: name it, too"));
                    }
                    includes.extend(found);
                }
                "BehaviorTree" => own.extend(reader.tree(element)),
                "TreeNodesModel" => {}
                other => reader.warning(element, format!("`<{other}>` is not a part of a file of trees")),
            }
        }
        read[place].includes = includes;
        for tree in own {
            read[place].trees.push(trees.len());
            trees.push(tree);
        }
    }
    keep(&mut trees, &mut models, notes);
    connect(&mut trees, &read, notes);
    for (place, (file, _)) in files.iter().enumerate() {
        let Some((main, at)) = &read[place].main else { continue };
        if trees.iter().all(|it| it.id != *main) {
            let message = format!("`main_tree_to_execute` is `{main}`, and there is no tree of this name");
            notes.add(Place { file: *file, at: *at }, Line::Warning(message));
        }
    }
    for tree in &mut trees {
        if let Some(name) = tree.kept.as_mut().and_then(|it| it.name.take()) {
            tree.id = name;
        }
    }
    // The rest have only templates.
    trees.extend(models.kept.into_iter().map(|((_, id), kept)| Tree {
        id,
        at: kept.at,
        kept: Some(kept),
        is_rootless: true,
        ..Tree::default()
    }));
    trees
}

/// Gives trees what exports kept about them: by their names in their files, or else in any file. A
/// renamed tree is the only one of its file without.
fn keep(trees: &mut [Tree], models: &mut Models, notes: &mut Notes) {
    let kept = &mut models.kept;
    for tree in &mut *trees {
        tree.kept = kept.remove(&(tree.at.file, tree.id.clone()));
    }
    for tree in trees.iter_mut().filter(|it| it.kept.is_none()) {
        let mut moved = kept.keys().filter(|it| it.1 == tree.id);
        if let (Some(only), None) = (moved.next().cloned(), moved.next()) {
            tree.kept = kept.remove(&only);
        }
    }
    for at in 0..trees.len() {
        let file = trees[at].at.file;
        let mut without = trees.iter().filter(|it| it.at.file == file && it.kept.is_none());
        let mut renamed = kept.iter().filter(|it| it.0.0 == file && !it.1.is_templates()).map(|it| it.0);
        if let (Some(_), None, Some(only), None) =
            (without.next(), without.next(), renamed.next().cloned(), renamed.next())
            && trees[at].kept.is_none()
        {
            trees[at].kept = kept.remove(&only);
        }
    }
    for tree in &*trees {
        match &tree.kept {
            Some(it) if it.is_moved => {
                let why = "the name of its file is not one that every system takes, so it gets another";
                notes.add(it.at, Line::Warning(why.into()));
            }
            None if !tree.keys.is_empty() || is_exported(&tree.root) => {
                let why = "it was exported, and its model with `Metadata` is missing: types of keys, events, templates and \
                           interrupts are not read";
                notes.add(tree.at, Line::Warning(why.into()));
            }
            _ => {}
        }
    }
    kept.retain(|(_, id), it| {
        if !it.is_templates() {
            let why = format!("it is kept of the tree `{id}`, which is not here: it is left out");
            notes.add(it.at, Line::Warning(why));
        }
        it.is_templates()
    });
}

/// Whether any of its nodes is an exported pleach node.
fn is_exported(item: &Item) -> bool {
    own::kind(&item.kind).is_some() || own::include(&item.kind).is_some() || item.children.iter().any(is_exported)
}

/// Finds the trees used in others: in the same file, in its includes, or the only one of that name.
fn connect(trees: &mut [Tree], files: &[File], notes: &mut Notes) {
    let mut by_id = BTreeMap::<String, Vec<usize>>::new();
    for (place, tree) in trees.iter().enumerate() {
        by_id.entry(tree.id.clone()).or_default().push(place);
    }
    let mut included = BTreeSet::new();
    for file in files {
        let mut near = file.trees.clone();
        let (mut seen, mut open) = (BTreeSet::new(), VecDeque::from(file.includes.clone()));
        while let Some(next) = open.pop_front() {
            if seen.insert(next) {
                near.extend(&files[next].trees);
                open.extend(&files[next].includes);
            }
        }
        let mut ids = BTreeMap::new();
        for place in near {
            let first = *ids.entry(trees[place].id.clone()).or_insert(place);
            if first != place && trees[place].at.file != trees[first].at.file {
                let why = format!(
                    "a tree before it is called `{}`, too: where both are included, that one is used",
                    trees[place].id
                );
                notes.add(trees[place].at, Line::Warning(why));
            }
        }
        for place in &file.trees {
            let tree = &trees[*place];
            if ids.get(&tree.id) != Some(place) {
                notes.add(tree.at, Line::Warning(format!("there are two trees `{}`: the first is used", tree.id)));
            }
            let find = |id: &str| {
                let only = || by_id.get(id).filter(|it| it.len() == 1).map(|it| it[0]);
                ids.get(id).copied().or_else(only)
            };
            let mut root = std::mem::take(&mut trees[*place].root);
            resolve(&mut root, &find, &mut included);
            trees[*place].root = root;
        }
    }
    for (place, tree) in trees.iter_mut().enumerate() {
        tree.is_main = !included.contains(&place);
        if tree.is_main {
            at_root(&mut tree.root);
        }
    }
}

fn resolve(item: &mut Item, find: &dyn Fn(&str) -> Option<usize>, included: &mut BTreeSet<usize>) {
    if item.sort == Sort::Tree {
        item.tree = find(&item.kind);
        included.extend(item.tree);
    }
    item.children.iter_mut().for_each(|it| resolve(it, find, included));
}

/// In the outermost tree, `@key` is `key`.
fn at_root(item: &mut Item) {
    for given in &mut item.given {
        if let Data::Key(key) = &mut given.value
            && let Some(bare) = key.strip_prefix('@')
        {
            *key = bare.into();
        }
    }
    item.children.iter_mut().for_each(at_root);
}

/// A node of a model.
fn declare(element: &Element, leaves: &mut Leaves, models: &mut Models) {
    let Some(id) = element.value("ID") else { return };
    let sort = match &*element.name {
        "Action" => Sort::Action,
        "Condition" => Sort::Condition,
        "Control" | "Decorator" => Sort::Inner,
        "SubTree" => {
            let default = |it: &Element| Some((it.value("name")?.to_owned(), it.value("default")?.to_owned()));
            let defaults = element.children.iter().filter_map(default).filter(|it| !it.1.is_empty());
            models.defaults.insert(id.into(), defaults.collect());
            return;
        }
        _ => return,
    };
    models.sorts.insert(id.into(), sort);
    if own::kind(id).is_some() || own::include(id).is_some() {
        return;
    }
    if sort == Sort::Inner || profile().knows(id) {
        return;
    }
    leaves.declare(id, sort, &element.text);
    for port in &element.children {
        let direction = match &*port.name {
            "input_port" => Use::Read,
            "output_port" => Use::Write,
            "inout_port" => Use::Either,
            _ => continue,
        };
        let Some(name) = port.value("name") else { continue };
        let kind = port.value("type").map_or(Kind::Unknown, declared);
        let doc = port.value("description").unwrap_or(&port.text);
        if port.value("type") == Some(VARIANT) {
            leaves.declare_variant(id, name);
        }
        leaves.declare_parameter(id, name, kind, direction, port.value("default"), doc);
    }
}

/// A type of C++.
fn declared(ty: &str) -> Kind {
    let ty = ty.trim().trim_start_matches("const ").trim_end_matches(['&', ' ']);
    match ty {
        "bool" => Kind::Bool,
        "int" | "unsigned" | "unsigned int" | "long" | "size_t" | "short" | "int8_t" | "int16_t" | "int32_t"
        | "int64_t" | "uint8_t" | "uint16_t" | "uint32_t" | "uint64_t" => Kind::Int,
        "double" | "float" => Kind::Float,
        "string" | "std::string" | "std::string_view" => Kind::Word,
        "" | "any" | "std::any" | "BT::Any" | "BT::AnyTypeAllowed" => Kind::Unknown,
        it if it.contains("milliseconds") || it.contains("chrono") => Kind::Int,
        _ => Kind::Object,
    }
}

struct Reader<'r> {
    file: usize,
    is_old: bool,
    models: &'r Models,
    notes: &'r mut Notes,
}

impl Reader<'_> {
    fn place(&self, at: usize) -> Place {
        Place { file: self.file, at }
    }

    fn error(&mut self, element: &Element, message: String) {
        self.notes.add(self.place(element.at), Line::Error(message));
    }

    fn warning(&mut self, element: &Element, message: String) {
        self.notes.add(self.place(element.at), Line::Warning(message));
    }

    fn tree(&mut self, element: &Element) -> Option<Tree> {
        let id = element.value("ID").unwrap_or("MainTree");
        if id.trim().is_empty() {
            self.error(element, "the `ID` of a tree is empty: name the tree".into());
        }
        let [root] = &*element.children else {
            let count = element.children.len();
            self.error(element, format!("the tree `{id}` has {count} roots, not one"));
            return None;
        };
        let (root, keys) = begin::take(self.item(root));
        Some(Tree {
            id: id.into(),
            root,
            keys,
            note: element.note.clone().or(element.value("_description").map(Into::into)),
            at: self.place(element.at),
            ..Tree::default()
        })
    }

    fn item(&mut self, element: &Element) -> Item {
        let explicit = match &*element.name {
            "Action" => Some(Sort::Action),
            "Condition" => Some(Sort::Condition),
            "Control" | "Decorator" => Some(Sort::Inner),
            "SubTree" | "SubTreePlus" => Some(Sort::Tree),
            _ => None,
        };
        let id = element.value("ID").filter(|_| explicit.is_some());
        let kind = id.unwrap_or(&element.name).to_owned();
        if explicit.is_some() && id.is_none_or(|it| it.trim().is_empty()) {
            self.error(element, format!("`<{}>` lacks its `ID`: name the node of the game", element.name));
        }
        // Braces are those of a map.
        let is_own = own::kind(&kind).is_some() || own::include(&kind).is_some();
        let sort = explicit.or_else(|| self.models.sorts.get(&kind).copied()).unwrap_or_default();
        let description = element.value("_description").map(Into::into);
        let mut item = Item {
            sort,
            title: element.value("name").filter(|it| !it.trim().is_empty()).map(Into::into),
            note: [element.note.clone(), description].into_iter().flatten().reduce(|a, b| a + "\n" + &b),
            at: self.place(element.at),
            ..Item::default()
        };
        // `_post` runs after the other scripts.
        let (last, first): (Vec<_>, Vec<_>) = element.attributes.iter().partition(|it| it.name == "_post");
        for Attribute { name, value, at } in first.into_iter().chain(last) {
            match &**name {
                "ID" if id.is_some() => {}
                "name" | "_description" => {}
                "_autoremap" | "__autoremap" | "__shared_blackboard" => item.given.push(Given {
                    name: "_autoremap".into(),
                    value: Data::Text(value.clone()),
                    how: None,
                    at: self.place(*at),
                }),
                _ if name.starts_with('_') => {
                    if let Some(meant) = meant(name) {
                        let why = format!("`{name}` does nothing there: `{meant}` does");
                        self.notes.add(self.place(*at), Line::Warning(why));
                    }
                    self.conditions(&mut item.conditions, name, value);
                }
                _ => {
                    // Version 3 names a key without braces.
                    let is_key = self.is_old && element.name == "SubTree";
                    let value = if is_own { Data::Text(value.clone()) } else { data(name, value, is_key) };
                    item.given.push(Given { name: name.clone(), value, how: None, at: self.place(*at) });
                }
            }
        }
        let is_auto = item.text("_autoremap").is_some_and(|it| matches!(it, "true" | "1"));
        if item.sort == Sort::Tree && !is_auto {
            for (name, value) in self.models.defaults.get(&kind).into_iter().flatten() {
                if item.get(name).is_none() {
                    let value = data(name, value, false);
                    item.given.push(Given { name: name.clone(), value, how: None, at: item.at });
                }
            }
        }
        let then = &item.conditions.then;
        // `_post` with the same script for an abort.
        if let [(_, a), (_, b), (_, c)] = &**then
            && a == b
            && b == c
            && [When::Success, When::Failure, When::Aborted].iter().all(|when| then.iter().any(|it| it.0 == *when))
        {
            item.conditions.then = vec![(When::Any, a.clone())];
        }
        // It is always skipped, so it can be left out.
        if item.conditions.skip_if == Some(Expr::Bool(true)) {
            (item.conditions.skip_if, item.is_disabled) = (None, true);
        }
        item.children = element.children.iter().map(|it| self.item(it)).collect();
        item.kind = kind;
        item
    }

    fn conditions(&self, conditions: &mut Conditions, name: &str, script: &str) {
        conditions.is_decided_then = true;
        let slot = match name {
            "_failureIf" => &mut conditions.fail_if,
            "_successIf" => &mut conditions.succeed_if,
            "_skipIf" => &mut conditions.skip_if,
            "_while" => &mut conditions.while_true,
            "_onSuccess" => return conditions.then.push((When::Success, script.into())),
            "_onFailure" => return conditions.then.push((When::Failure, script.into())),
            "_onHalted" => return conditions.then.push((When::Aborted, script.into())),
            // Not if it is halted.
            "_post" => {
                let both = [When::Success, When::Failure].map(|it| (it, script.into()));
                return conditions.then.extend(both);
            }
            // From its editors: positions, colours.
            _ => return,
        };
        match condition(script) {
            Ok(expr) => *slot = Some(expr),
            Err(why) => conditions.lost.push(format!("`{name}=\"{}\"` is left out: {why}", shortened(script))),
        }
    }
}

/// The condition meant by a name that differs only in capitals and punctuation.
fn meant(name: &str) -> Option<&'static str> {
    const ALL: [&str; 8] =
        ["_failureIf", "_successIf", "_skipIf", "_while", "_onSuccess", "_onFailure", "_onHalted", "_post"];
    let plain = |it: &str| it.replace(['_', '-'], "").to_lowercase();
    ALL.into_iter().find(|it| *it != name && plain(it) == plain(name))
}

/// A value: `{key}`, `{=}` for the key of this name, or a text.
fn data(name: &str, value: &str, is_key: bool) -> Data {
    let value = value.trim();
    let bare = value.strip_prefix('$').unwrap_or(value);
    match bare.strip_prefix('{').and_then(|it| it.strip_suffix('}')) {
        Some("=") => Data::Key(name.into()),
        Some(key) if !key.contains(['{', '}']) => Data::Key(key.trim().into()),
        _ if is_key => Data::Key(value.into()),
        _ => Data::Text(value.into()),
    }
}
