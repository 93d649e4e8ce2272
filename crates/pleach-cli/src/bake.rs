//! `pleach bake`: trees that are checked, as bytes that a game loads without RON.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use pleach::{Host, Library, Registry, Report};

use crate::args::BakeArgs;
use crate::failure::Failure;
use crate::files::{self, Disk};
use crate::leaves;
use crate::paths::{is_file, is_stdin, same_file, shown};
use crate::rewrite::put;
use crate::unknown::Leaves;
use crate::words::{grouped, plural};

/// Enough bytes to tell whether a tree was baked.
const LOOKED_AT: u64 = 64;

pub(crate) fn bake<H: Host>(own: &Registry<H>, game: &str, args: &BakeArgs) -> Result<(), Failure> {
    match &args.leaves {
        Some(file) => bake_with(&leaves::registry(file, args.paths.iter().map(|it| &**it))?, game, args),
        None => bake_with(own, game, args),
    }
}

fn bake_with<H: Host>(registry: &Registry<H>, game: &str, args: &BakeArgs) -> Result<(), Failure> {
    let told = |it: Report| files::told_of_tree(&it, Leaves::new(args.leaves.as_deref(), game));
    let mut targets = BTreeMap::new();
    let mut disk = Disk::of(&args.paths)?;
    let mut names = Vec::new();
    for (path, below) in found(args)? {
        if let Entry::Vacant(it) = targets.entry(files::name(&path)) {
            names.push(disk.add(&path)?);
            it.insert((path, args.into.join(below).with_extension("baked")));
        }
    }
    let library = Library::new(disk);
    let mut baked = library.bake_files(&names, registry).map_err(told)?;
    // A file that is named by itself is wanted, whether or not others include it.
    for name in args.paths.iter().map(|it| files::name(it)).filter(|it| targets.contains_key(it)) {
        if !baked.iter().any(|it| it.0 == name) {
            let bytes = library.bake(&name, registry).map_err(told)?;
            baked.push((name, bytes));
        }
    }
    let trees: Vec<_> = baked.iter().filter_map(|(name, bytes)| targets.get(name).map(|it| (it, bytes))).collect();
    // Everything is checked before anything is written.
    let mut taken = BTreeMap::new();
    for ((path, target), _) in &trees {
        if let Some(other) = taken.insert(target, path) {
            let (other, path, target) = (shown(other), shown(path), shown(target));
            return Err(Failure::Usage(format!(
                "`{other}` and `{path}` would both be written to `{target}`: bake them separately"
            )));
        }
    }
    trees.iter().try_for_each(|((_, target), _)| refuse(target))?;
    for ((path, target), bytes) in &trees {
        put(target, bytes)?;
        say(format_args!("{} -> {}, {} bytes\n", shown(path), shown(target), grouped(bytes.len() as u64)))?;
    }
    for name in names.iter().filter(|name| !baked.iter().any(|it| it.0 == **name)) {
        say(format_args!("{} is included by others: name it to bake it on its own\n", shown(Path::new(name))))?;
    }
    say(format_args!("{} baked\n", plural(trees.len(), "tree")))
}

/// All trees, each with its name below the directory that it was found in.
fn found(args: &BakeArgs) -> Result<Vec<(PathBuf, PathBuf)>, Failure> {
    let mut all = Vec::new();
    for path in &args.paths {
        if is_stdin(path) {
            return Err(Failure::Usage("standard input has no name to bake it under: name a file".into()));
        }
        for file in files::expand_all(std::slice::from_ref(path))? {
            let file = file?;
            // The manifest may be beside the trees.
            if args.leaves.as_ref().is_some_and(|leaves| same_file(&file, leaves)) {
                continue;
            }
            let below = file.strip_prefix(path).ok().filter(|it| !it.as_os_str().is_empty());
            let below = below.or(file.file_name().map(Path::new)).unwrap_or(&file).to_path_buf();
            all.push((file, below));
        }
    }
    Ok(all)
}

/// # Errors
/// An existing file there is not a baked tree.
fn refuse(target: &Path) -> Result<(), Failure> {
    // Only regular files are opened: others can block for ever.
    let begins = || -> io::Result<bool> {
        let mut begin = Vec::new();
        File::open(target)?.take(LOOKED_AT).read_to_end(&mut begin)?;
        Ok(pleach::is_baked(&begin))
    };
    let is_there = fs::symlink_metadata(target).is_ok();
    if !is_there || is_file(target) && begins().unwrap_or(false) {
        return Ok(());
    }
    Err(Failure::Usage(format!("`{}` is not a baked tree, so it is not overwritten", shown(target))))
}

/// The reader of a pipe may close it. The trees are still written.
fn say(text: std::fmt::Arguments<'_>) -> Result<(), Failure> {
    match anstream::stdout().lock().write_fmt(text) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => Ok(done?),
    }
}
