//! [`import`]: from files to files.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;

use pleach::tools::file_stem;

use crate::cycles::cycles;
use crate::format::Format;
use crate::item::Tree;
use crate::keys::{Keys, Kind, Use};
use crate::leaves::Leaves;
use crate::map::{Mapper, Own, Special};
use crate::place::{MAX_FILES, Place, Text, decode};
use crate::profile::{Profile, Skip};
use crate::report::{Line, Notes, Report};
use crate::ron::Marked;
use crate::verify::verified;
use crate::write::Mapped;
use crate::{behaviac, behavior_designer, behavior3, btcpp, godot, instances, maikire, names, starbound, write};

/// Another run begins only while keys were looked at less often than this. Two runs are mostly
/// enough; if keys get their types from each other in reverse order, each pair takes one.
const MAX_WORK: usize = 5_000_000;

/// The most nodes that are loaded to check the output, including those of included trees.
const MAX_LOADED: usize = 500_000;

/// The stack of an import, in bytes.
const STACK: usize = 64 << 20;

/// How to import.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The format of all files. Without it, it is detected for each file.
    pub from: Option<Format>,
    /// The profiles of the game; the first one that knows a node counts.
    pub profiles: Vec<Profile>,
    /// Files that were found in a directory. If one of them has no known format, the report does
    /// not mention it.
    pub found: BTreeSet<String>,
}

/// The result of an import.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Imported {
    /// The files to write, by their names.
    pub files: BTreeMap<String, String>,
    /// What happened to each node.
    pub report: Report,
}

/// Imports files by their names. An `include` finds only files that are among them.
#[must_use]
pub fn import(files: &BTreeMap<String, Vec<u8>>, options: &Options) -> Imported {
    // Trees are mapped by recursion: readers bound the depth, and this stack is enough for that.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let done = thread.spawn_scoped(scope, || import_here(files, options));
        done.map_or_else(|_| import_here(files, options), |it| it.join().unwrap_or_else(|it| resume_unwind(it)))
    })
}

fn import_here(files: &BTreeMap<String, Vec<u8>>, options: &Options) -> Imported {
    let (mut texts, mut notes) = (Vec::new(), Notes::default());
    let mut by_format = BTreeMap::<Format, Vec<usize>>::new();
    let mut room = MAX_FILES;
    for (file, (name, bytes)) in files.iter().enumerate() {
        let fits = room.checked_sub(bytes.len());
        let fits = fits.ok_or_else(|| (0, format!("the files have more than {} MiB: import some", MAX_FILES >> 20)));
        let decoded = decode(bytes).and_then(|it| fits.map(|left| (it, left)));
        let is_read = decoded.is_ok();
        let text = match decoded {
            Ok((text, left)) => {
                room = left;
                text
            }
            Err((at, message)) => {
                notes.add(Place { file, at }, Line::Error(message));
                // The readable part, for the place of the message.
                String::from_utf8_lossy(&bytes[..at]).into_owned()
            }
        };
        match options.from.or_else(|| format_of(&text)) {
            Some(format) if is_read => by_format.entry(format).or_default().push(file),
            None if is_read && !options.found.contains(name) => {
                let message = "not a file of trees of a known format: name the format with `--from`";
                notes.add(Place { file, at: 0 }, Line::Warning(message.into()));
            }
            _ => {}
        }
        texts.push(Text { name: name.clone(), text });
    }
    let mut import = Import {
        options,
        leaves: Leaves::default(),
        files: BTreeMap::new(),
        checked: Vec::new(),
        room: MAX_LOADED,
        is_full: false,
        names: BTreeMap::new(),
        templates: write::TEMPLATES.into(),
    };
    let (mut used, mut owns) = (BTreeMap::new(), BTreeMap::new());
    for (format, files) in by_format {
        let files: Vec<(usize, &Text)> = files.into_iter().map(|it| (it, &texts[it])).collect();
        let found = import.format(format, &files, &mut notes);
        used.extend(found.0);
        owns.extend(found.1);
    }
    let Import { leaves, mut files, mut checked, templates, .. } = import;
    let mut add = |file: String, text: String| files.insert(file, Marked::from(text));
    if !used.is_empty() || !owns.is_empty() {
        let file = format!("{templates}.ron");
        checked.push(file.clone());
        add(file, write::templates(&used, &owns));
    }
    add(write::LEAVES.into(), leaves.manifest());
    let mut files = verified(files, &checked, &mut notes);
    if files.len() == 1 {
        // There is no tree.
        files.clear();
    }
    Imported { files, report: notes.report(&texts) }
}

/// The format of a file, by its beginning.
fn format_of(text: &str) -> Option<Format> {
    match text.trim_start().chars().next()? {
        '<' if text.contains("<Behavior ") => Some(Format::Behaviac),
        '<' if text.contains("<root") => Some(Format::BtCpp),
        '[' if text.trim_start().starts_with("[gd_resource") => Some(Format::LimboAi),
        '[' if text.trim_start().starts_with("[gd_scene") => Some(Format::Beehave),
        _ if text.contains("extends ConditionLeaf") || text.contains("extends ActionLeaf") => Some(Format::Beehave),
        '{' | '%' | '-' if behavior_designer::is_one(text.trim_start()) => Some(Format::BehaviorDesigner),
        '{' | '[' => behavior3::format(text),
        _ => maikire::is_one(text).then_some(Format::Maikire),
    }
}

struct Import<'o> {
    options: &'o Options,
    leaves: Leaves,
    files: BTreeMap<String, Marked>,
    /// Files that are loaded to check them, the nodes that still fit, and whether one did not.
    checked: Vec<String>,
    room: usize,
    is_full: bool,
    /// Names of files that are taken.
    names: BTreeMap<String, usize>,
    /// The name of the file of the templates.
    templates: String,
}

/// The templates of profiles, and those of the game, that are used.
type Used = (BTreeMap<String, String>, BTreeMap<String, Own>);

impl Import<'_> {
    /// Imports files of one format.
    fn format(&mut self, format: Format, files: &[(usize, &Text)], notes: &mut Notes) -> Used {
        let (mut trees, profile, special): (Vec<Tree>, _, Special) = match format {
            Format::BtCpp => (btcpp::read(files, &mut self.leaves, notes), btcpp::profile(), btcpp::special),
            Format::Behavior3 => (behavior3::classic(files, notes), behavior3::classic_profile(), behavior3::special),
            Format::Behavior3Nested => {
                (behavior3::nested(files, notes), behavior3::nested_profile(), behavior3::special)
            }
            Format::LimboAi => (godot::limbo(files, notes), godot::limbo_profile(), godot::limbo_special),
            Format::BehaviorDesigner => {
                (behavior_designer::read(files, notes), behavior_designer::profile(), |_, _, _| None)
            }
            Format::Behaviac => (behaviac::read(files, notes), behaviac::profile(), behaviac::special),
            Format::Beehave => (godot::beehave(files, notes), godot::beehave_profile(), godot::beehave_special),
            Format::Maikire => (maikire::read(files, notes), maikire::profile(), |_, _, _| None),
            Format::Starbound => (starbound::read(files, notes), starbound::profile(), starbound::special),
        };
        let stem = |tree: &Tree| {
            files.iter().find(|it| it.0 == tree.at.file).map_or(String::new(), |it| file_stem(&it.1.name).to_owned())
        };
        write::name_files(&mut trees, stem, &mut self.names);
        if trees.iter().any(|it| it.file == self.templates) {
            self.templates += "_2";
        }
        names::tell(&trees, notes);
        let (cycles, sizes) = cycles(&trees);
        let mut keys = Keys::default();
        for run in 1.. {
            let mut mapper = Mapper {
                own: self.options.profiles.iter().collect(),
                shipped: profile,
                special,
                trees: &trees,
                cycles: &cycles,
                keys: &mut keys,
                leaves: &mut self.leaves,
                notes: Notes::default(),
                owns: BTreeMap::new(),
                used: BTreeMap::new(),
                tree: 0,
                has_template: false,
                scoped: BTreeSet::new(),
            };
            mapper.leaves.begin();
            let mut roots = Vec::new();
            for (number, tree) in trees.iter().enumerate() {
                (mapper.tree, mapper.has_template) = (number, false);
                for it in &tree.keys {
                    mapper.keys.used(number, &it.name, tree.at, Use::Read, it.kind);
                    if let Some(value) = &it.value {
                        let word = (it.kind == Kind::Word).then(|| mapper.keys.word(number, &it.name, tree.at, value));
                        let value = word.as_ref().unwrap_or(value);
                        mapper.keys.begins_with(number, &it.name, tree.at, value);
                    }
                }
                for (name, (kind, words)) in tree.kept.iter().flat_map(|it| &it.keys) {
                    mapper.keys.used(number, name, tree.at, Use::Read, *kind);
                    for word in words {
                        mapper.keys.word(number, name, tree.at, word);
                    }
                }
                if tree.is_rootless {
                    roots.push(Mapped::default());
                    continue;
                }
                let mut root = mapper.node(&tree.root, Skip::Success);
                instances::name(&mut root, tree.at, &mut mapper.notes);
                let mut interrupts = Vec::new();
                for (when, run) in &tree.interrupts {
                    interrupts.push((mapper.node(when, Skip::Success), mapper.node(run, Skip::Success)));
                }
                let mut scoped = std::mem::take(&mut mapper.scoped);
                scoped.retain(|key| tree.keys.iter().all(|it| it.name != *key));
                roots.push(Mapped { root, interrupts, has_template: mapper.has_template, scoped });
            }
            let Mapper { notes: found, owns, used, .. } = mapper;
            let is_changed = keys.take_changed();
            if is_changed && keys.work() < MAX_WORK || run == 1 {
                continue;
            }
            if let Some(first) = trees.first().filter(|_| is_changed) {
                let message = format!("the types of keys are not settled after {run} runs: split the files");
                notes.add(first.at, Line::Error(message));
            }
            notes.extend(found);
            for (at, text, word) in keys.renamed() {
                notes.add(at, Line::Warning(format!("the text `{text}` is the word `{word}` here")));
            }
            for (at, name) in keys.constants() {
                let message =
                    format!("`{name}` is taken for a word: if it is a number of an enum there, use the number");
                notes.add(at, Line::Question(message));
            }
            for (number, mapped) in roots.iter().enumerate() {
                let tree = &trees[number];
                names::hidden(&mapped.root, tree.at, number, &mapped.scoped, &keys, notes);
                let text = write::tree(tree, mapped, number, &self.templates, &keys, notes);
                let file = format!("{}.ron", tree.file);
                match self.room.checked_sub(sizes[number]) {
                    Some(room) => {
                        self.room = room;
                        self.checked.push(file.clone());
                    }
                    None if !std::mem::replace(&mut self.is_full, true) => {
                        let message = "from here on not all trees are loaded to check them, as they are many or large: \
                                       use `pleach check`";
                        notes.add(tree.at, Line::Warning(message.into()));
                    }
                    None => {}
                }
                self.files.insert(file, text);
            }
            return (used, owns);
        }
        Used::default()
    }
}
