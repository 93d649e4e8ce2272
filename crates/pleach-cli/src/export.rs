//! `pleach export`: trees for other tools.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pleach::asset::Manifest;
use pleach::{Host, Registry};
use pleach_draw::Drawing;
use pleach_import::{Exported, Target};

use crate::args::{ExportArgs, ExportTo};
use crate::failure::Failure;
use crate::files::{self, TreeFile, told_of_tree};
use crate::import::{refuse, write};
use crate::leaves;
use crate::out::Out;
use crate::paths::{is_stdin, same_file, shown};
use crate::unknown::Leaves;
use crate::words::plural;

/// Examples, for the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  {name} export trees/ --to btcpp --into groot --leaves game.leaves
      Every tree of the directory as XML of BehaviorTree.CPP 4, which Groot2 shows and edits
  {name} import groot/ --into trees --force
      And back
  {name} export guard.ron --to json --into out
      JSON in the form of the schema that `nodes --schema` writes, for tools of your own
  {name} export trees/ --to dot --into out
      Pictures for Graphviz

A node that BehaviorTree.CPP lacks becomes a Control, a Decorator or an Action with `Pleach` before its name and its fields as \
ports; `import` reads it again. The TreeNodesModel lists them, and the leaves of the manifest. The report lists each, since a game that \
plays the file there has to write it.
";

pub(crate) fn export<H: Host>(own: &Registry<H>, game: &str, args: &ExportArgs) -> Result<(), Failure> {
    if args.paths.iter().any(|it| is_stdin(it)) {
        return Err(Failure::Usage("standard input has no name to export it under: name a file".into()));
    }
    let mut found = Vec::new();
    for file in files::expand_all(&args.paths)? {
        found.push(file?);
    }
    // The manifest may lie beside the trees.
    found.retain(|it| !args.leaves.as_ref().is_some_and(|leaves| same_file(it, leaves)));
    let manifest = leaves::known(args.leaves.as_deref(), own)?;
    let base = common(&args.paths);
    let below = |file: &Path| match real(file).strip_prefix(&base) {
        Ok(below) => files::name(below),
        Err(_) => files::name(file.file_name().map_or(file, Path::new)),
    };
    let mut names = BTreeSet::new();
    if let Some(twice) = found.iter().map(|it| below(it)).find(|it| !names.insert(it.clone())) {
        return Err(Failure::Usage(format!(
            "two files would be written as `{twice}`: export them one after the other"
        )));
    }
    let exported = match args.to {
        ExportTo::Dot => {
            let mut files = BTreeMap::new();
            for file in &found {
                let name = format!("{}.dot", below(file).trim_end_matches(".ron"));
                files.insert(name, dot(file, own, &manifest, Leaves::new(args.leaves.as_deref(), game), args)?);
            }
            (files, None)
        }
        ExportTo::Btcpp | ExportTo::Json => {
            let mut trees = BTreeMap::new();
            for file in &found {
                trees.insert(below(file), files::read(file)?);
            }
            let to = if args.to == ExportTo::Json { Target::Json } else { Target::BtCpp };
            let Exported { files, report, .. } =
                pleach_import::export(&trees, &manifest, to).map_err(|it| files::told(&it))?;
            (files, Some(report))
        }
    };
    let (files, report) = exported;
    refuse(&files, &args.into, args.force)?;
    let mut out = Out::new();
    for entry in report.iter().flat_map(|it| &it.entries) {
        out.say(format_args!("{entry}\n"))?;
    }
    write(&files, &args.into, &mut out)?;
    out.say(format_args!("{} in {}\n", plural(files.len(), "file"), shown(&args.into)))
}

/// The common directory of these paths: the output keeps their layout below it.
fn common(paths: &[PathBuf]) -> PathBuf {
    let directory = |path: &PathBuf| {
        let path = real(path);
        if path.is_dir() { path } else { path.parent().unwrap_or(&path).to_owned() }
    };
    let both = |a: PathBuf, b: PathBuf| {
        a.components().zip(b.components()).take_while(|it| it.0 == it.1).map(|it| it.0).collect()
    };
    paths.iter().map(directory).reduce(both).unwrap_or_default()
}

fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A picture of a tree.
fn dot<H: Host>(
    file: &Path,
    own: &Registry<H>,
    manifest: &Manifest,
    leaves: Leaves<'_>,
    args: &ExportArgs,
) -> Result<String, Failure> {
    let mut read = TreeFile::read(file)?;
    let failed = |it| told_of_tree(&it, leaves);
    if args.leaves.is_none() {
        return read.load(own).map(|it| Drawing::of(&it).dot()).map_err(failed);
    }
    let registry = manifest.registry().map_err(|error| Failure::Failed(error.to_string()))?;
    read.load(&registry).map(|it| Drawing::of(&it).dot()).map_err(failed)
}
