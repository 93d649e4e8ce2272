//! Counts the lines of Rust of each crate, and of each folder of the core.

use std::collections::BTreeMap;

use super::crates::Package;
use super::source::File;

/// The crate whose folders are counted, too.
const CORE: &str = "pleach-core";

/// Prints the lines of all Rust files, of each crate (its `src` and everything else), and of each
/// folder of the core, with the file of its name.
pub(super) fn show(packages: &[Package], files: &[File]) {
    let rust: Vec<(&str, usize)> = files
        .iter()
        .filter(|it| it.path.ends_with(".rs"))
        .map(|it| (it.path.as_str(), it.text.lines().count()))
        .collect();
    println!("lines of Rust: {}", rust.iter().map(|it| it.1).sum::<usize>());
    for Package { name, folder, .. } in packages {
        let own = rust.iter().filter_map(|(path, lines)| Some((path.strip_prefix(folder.as_str())?, *lines)));
        let (shipped, other): (Vec<_>, Vec<_>) = own.partition(|it| it.0.starts_with("src/"));
        let sum = |of: &[(&str, usize)]| of.iter().map(|it| it.1).sum::<usize>();
        println!("    {name}: {} in src, {} elsewhere", sum(&shipped), sum(&other));
        if name != CORE {
            continue;
        }
        let with_folder = |name: &str| shipped.iter().any(|it| it.0.starts_with(&format!("src/{name}/")));
        let mut folders = BTreeMap::<&str, usize>::new();
        for (path, lines) in &shipped {
            let first = path.split('/').nth(1).unwrap_or_default().trim_end_matches(".rs");
            *folders.entry(if with_folder(first) { first } else { "without a folder" }).or_default() += lines;
        }
        folders.iter().for_each(|(name, lines)| println!("        {name}: {lines}"));
    }
    println!();
}
