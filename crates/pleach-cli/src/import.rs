//! `pleach import`: trees of other systems as RON.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use pleach_import::{Counts, Fate, Format, Imported, LEAVES, Line, MAX_FILE, MAX_FILES, Options, Profile};

use crate::args::ImportArgs;
use crate::failure::Failure;
use crate::files;
use crate::out::Out;
use crate::paint::{BAD, RESET, STRONG};
use crate::paths::{canonical, is_stdin, shown};
use crate::rewrite::put;
use crate::words::plural;

/// Examples, for the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  {name} import behaviours/ --into trees
      Every file in the directory and below that is a tree of a known format
  {name} import main.xml parts.xml models.xml --into trees
      A tree with the files that it includes: nothing else is read
  {name} import behaviours/ --into trees --profile game.profile.ron
      With a file that says how the game's own nodes are written here
  {name} import behaviours/ --into trees --strict
      For scripts: exit with 1 if anything is lost

Each node has a fate: exact; rewritten, with what differs; stub, which loads and does nothing of its own yet; or lost. \
The report has a line for each that is not exact (--all: for each), and for each key whose type the source does not say.

It writes a tree per file, a manifest of the leaves that the game needs, and templates for inner nodes of the game. It \
writes over nothing unless --force is given.
";

pub(crate) fn import(args: &ImportArgs) -> Result<(), Failure> {
    let mut options = Options::default();
    options.from = args.from;
    for profile in &args.profile {
        options.profiles.push(read_profile(profile)?);
    }
    let given = given(args, &mut options.found)?;
    let imported = pleach_import::import(&given, &options);
    refuse(&imported.files, &args.into, args.force)?;
    let mut out = Out::new();
    report(&imported, args, &mut out)?;
    let counts = imported.report.counts();
    if imported.files.is_empty() {
        let what = if counts.errors > 0 { "no tree is left" } else { "there is no tree in these files" };
        return Err(Failure::Failed(format!("{what}: nothing is written")));
    }
    write(&imported.files, &args.into, &mut out)?;
    summary(&imported, &counts, args, &mut out)?;
    if counts.errors > 0 || args.strict && counts.lost > 0 { Err(Failure::Problems) } else { Ok(()) }
}

/// A profile by its path, or one that is shipped, by its name.
fn read_profile(path: &Path) -> Result<Profile, Failure> {
    if let Some(shipped) = path.to_str().and_then(Profile::shipped) {
        return Ok(shipped);
    }
    let text = files::read(path)?;
    Profile::read(&shown(path), &text).map_err(|it| files::told(&it))
}

/// The files that were given, by their names. A file that is too large is read only far enough to
/// find that out.
fn given(args: &ImportArgs, unnamed: &mut BTreeSet<String>) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let (mut all, mut read_bytes) = (BTreeMap::new(), 0);
    for file in found(args)? {
        let mut bytes = Vec::new();
        let read = File::open(&file).and_then(|it| it.take(MAX_FILE as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|error| files::unreadable(&file, "file", &error))?;
        read_bytes += bytes.len();
        if read_bytes > MAX_FILES {
            let most = MAX_FILES >> 20;
            return Err(Failure::Failed(format!("the files have more than {most} MiB: import a part of them at once")));
        }
        if !args.paths.contains(&file) {
            unnamed.insert(files::name(&file));
        }
        all.insert(files::name(&file), bytes);
    }
    Ok(all)
}

/// The files that paths stand for: themselves, or those of a directory and below that may hold
/// trees.
fn found(args: &ImportArgs) -> Result<Vec<PathBuf>, Failure> {
    let formats = args.from.map_or(Format::ALL.to_vec(), |it| vec![it]);
    let is_wanted = |path: &Path| {
        let extension = path.extension().unwrap_or_default();
        formats.iter().flat_map(|it| it.extensions()).any(|it| extension == *it)
    };
    let mut all = Vec::new();
    for path in &args.paths {
        if is_stdin(path) {
            return Err(Failure::Usage("trees are imported with the files that they include: name files".into()));
        }
        let kind =
            fs::metadata(path).map_err(|error| files::unreadable(path, "file or directory", &error))?.file_type();
        if kind.is_file() {
            all.push(path.clone());
            continue;
        }
        if !kind.is_dir() {
            return Err(files::no_file(path, kind));
        }
        let root = canonical(path);
        for found in files::found_in(path, is_wanted) {
            let found = found?;
            if !canonical(&found).starts_with(&root) {
                let it = shown(&found);
                return Err(Failure::Failed(format!(
                    "`{it}` is a link that leaves its directory: name it, or what it leads to"
                )));
            }
            let kind = fs::metadata(&found).map_err(|error| files::unreadable(&found, "file", &error))?.file_type();
            if !kind.is_file() {
                return Err(files::no_file(&found, kind));
            }
            all.push(found);
        }
    }
    Ok(all)
}

fn report(imported: &Imported, args: &ImportArgs, out: &mut Out) -> Result<(), Failure> {
    for entry in &imported.report.entries {
        match &entry.what {
            Line::Node(_, Fate::Exact) if !args.all => {}
            Line::Error(_) | Line::Node(_, Fate::Lost(_)) => out.say(format_args!("{BAD}{entry}{RESET}\n"))?,
            _ => out.say(format_args!("{entry}\n"))?,
        }
    }
    Ok(())
}

/// Nothing that exists is lost: neither a file nor the target of a link.
pub(crate) fn refuse(files: &BTreeMap<String, String>, into: &Path, force: bool) -> Result<(), Failure> {
    for target in files.keys().map(|it| into.join(it)) {
        if fs::symlink_metadata(&target).is_ok_and(|it| !force || !it.is_file()) {
            let what = if force { "is not a file" } else { "is there already (`--force` writes over it)" };
            return Err(Failure::Usage(format!("`{}` {what}: nothing is written", shown(&target))));
        }
        let is_link = |it: &&Path| fs::symlink_metadata(it).is_ok_and(|it| it.is_symlink());
        if let Some(link) = target.ancestors().skip(1).take_while(|it| *it != into).find(is_link) {
            return Err(Failure::Usage(format!("`{}` is a link: nothing is written", shown(link))));
        }
    }
    Ok(())
}

/// Writes all files.
pub(crate) fn write(files: &BTreeMap<String, String>, into: &Path, out: &mut Out) -> Result<(), Failure> {
    for (name, text) in files {
        let target = into.join(name);
        put(&target, text.as_bytes())?;
        out.say(format_args!("{STRONG}wrote:{RESET} {}\n", shown(&target)))?;
    }
    Ok(())
}

fn summary(imported: &Imported, counts: &Counts, args: &ImportArgs, out: &mut Out) -> Result<(), Failure> {
    let Counts { exact, rewritten, stubs, lost, errors, .. } = *counts;
    let nodes = exact + rewritten + stubs + lost;
    let errors = if errors > 0 { format!("; {}", plural(errors, "error")) } else { String::new() };
    let files = plural(imported.files.len(), "file");
    let into = shown(&args.into);
    out.say(format_args!(
        "{}: {exact} exact, {rewritten} rewritten, {}, {lost} lost{errors}; {files} in {into}\n",
        plural(nodes, "node"),
        plural(stubs, "stub"),
    ))?;
    out.say(format_args!("check them with `pleach check --leaves {into}/{LEAVES} {into}`\n"))
}
