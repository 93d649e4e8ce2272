//! `pleach new`: a folder with the trees that the program brings along.

use std::fs;
use std::path::{Path, PathBuf};

use crate::args::NewArgs;
use crate::failure::Failure;
use crate::files;
use crate::out::Out;
use crate::output;
use crate::paint::{GOOD, RESET};
use crate::paths::shown;
use crate::words::plural;

/// Writes the trees to `trees` in the folder. Existing files are not overwritten.
///
/// # Errors
/// The program has no trees, or a file exists already or cannot be written.
pub(crate) fn new(trees: &[(&str, &str)], name: &str, args: &NewArgs) -> Result<(), Failure> {
    if trees.is_empty() {
        return Err(Failure::Usage(format!("`{name}` brings no trees along")));
    }
    let paths: Vec<PathBuf> = trees.iter().map(|it| args.folder.join("trees").join(it.0)).collect();
    // Also a link that leads nowhere.
    if let Some(it) = paths.iter().find(|it| it.symlink_metadata().is_ok()) {
        return Err(Failure::Failed(format!("`{}` is there already: name another folder", shown(it))));
    }
    for (path, (_, text)) in paths.iter().zip(trees) {
        make(path.parent().unwrap_or(Path::new("")))?;
        output::write(path, text)?;
    }
    let folder = files::name(&args.folder.join("trees"));
    let tree = files::name(paths.iter().find(|it| it.ends_with("guard.ron")).unwrap_or(&paths[0]));
    Out::new().say(format_args!(
        "{GOOD}wrote{RESET} {} to {folder}. Now try:\n  {name} run {tree} --agents 50 --seed 4 --watch 17\n  \
         {name} test {folder}\n  {name} check {folder}\n",
        plural(paths.len(), "file"),
    ))
}

fn make(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)
        .map_err(|it| Failure::Failed(format!("cannot make the folder `{}`: {it}", shown(folder))))
}
