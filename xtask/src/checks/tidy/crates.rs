//! Which crate may use which: ARCHITECTURE says it in one sentence, which is compared with cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::source::File;
use super::{Finding, TidyError};

/// A package of the workspace.
pub(super) struct Package {
    pub(super) name: String,
    /// From the root of the workspace, with a slash at the end.
    pub(super) folder: String,
    /// The packages of the workspace that it depends on, except for tests.
    uses: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Described>,
    workspace_root: std::path::PathBuf,
}

#[derive(Deserialize)]
struct Described {
    name: String,
    manifest_path: std::path::PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// Nothing, `dev` or `build`.
    kind: Option<String>,
}

/// The packages of a workspace, by name.
pub(super) fn packages(root: &Path) -> Result<Vec<Package>, TidyError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]).arg(root.join("Cargo.toml"));
    let output = command.output().map_err(TidyError::Cargo)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(TidyError::Workspace { root: root.to_path_buf(), said });
    }
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    let names: BTreeSet<String> = metadata.packages.iter().map(|it| it.name.clone()).collect();
    let package = |it: Described| {
        let folder = it.manifest_path.parent().and_then(|it| it.strip_prefix(&metadata.workspace_root).ok());
        let parts = folder.into_iter().flat_map(Path::components);
        let folder = parts.map(|it| format!("{}/", it.as_os_str().to_string_lossy())).collect();
        let uses = it.dependencies.into_iter().filter(|it| it.kind.as_deref() != Some("dev")).map(|it| it.name);
        Package { name: it.name, folder, uses: uses.filter(|it| names.contains(it)).collect() }
    };
    let mut packages: Vec<Package> = metadata.packages.into_iter().map(package).collect();
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(packages)
}

/// How the sentence begins.
const SENTENCE: &str = "Arrows point one way:";

/// Prints the arrows between crates, and compares them with those of ARCHITECTURE.
pub(super) fn check(packages: &[Package], architecture: Option<&File>, findings: &mut Vec<Finding>) {
    println!("crates:");
    for package in packages {
        let uses: Vec<&str> = package.uses.iter().map(|it| short(it)).collect();
        println!("    {}{}{}", short(&package.name), if uses.is_empty() { "" } else { " → " }, uses.join(", "));
    }
    println!();
    let help = format!("say `{SENTENCE} a → b, c; d → c.` there, with every crate");
    let Some((file, (line, allowed))) = architecture.and_then(|it| Some((it, sentence(&it.text)?))) else {
        findings.push(Finding::new("ARCHITECTURE.md", 1, "it does not say how arrows between crates point", help));
        return;
    };
    for package in packages {
        let name = short(&package.name);
        let Some(below) = below(name, &allowed) else {
            findings.push(Finding::new(
                &file.path,
                line,
                format!("the arrows between crates leave out {name}"),
                help.clone(),
            ));
            continue;
        };
        for used in package.uses.iter().map(|it| short(it)).filter(|it| !below.contains(it)) {
            let what = format!("{name} depends on {used}, which is not below it by ARCHITECTURE");
            let help = "take the dependency out, or change the sentence on purpose";
            findings.push(Finding::new(&format!("{}Cargo.toml", package.folder), 1, what, help));
        }
    }
}

/// Its name in ARCHITECTURE.
fn short(name: &str) -> &str {
    name.strip_prefix("pleach-").unwrap_or(name)
}

type Arrows<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// The line of the sentence, and the arrows that it names.
fn sentence(text: &str) -> Option<(usize, Arrows<'_>)> {
    let (before, rest) = text.split_once(SENTENCE)?;
    let mut arrows = Arrows::new();
    for chain in rest.split('.').next()?.split(';') {
        let steps: Vec<Vec<&str>> = chain.split('→').map(|it| it.split(',').map(str::trim).collect()).collect();
        for (index, step) in steps.iter().enumerate() {
            for name in step {
                let below = arrows.entry(name).or_default();
                below.extend(steps.get(index + 1).into_iter().flatten());
            }
        }
    }
    Some((before.lines().count() + 1, arrows))
}

/// Everything that arrows lead to from a crate, if the sentence names it.
fn below<'a>(name: &str, arrows: &Arrows<'a>) -> Option<BTreeSet<&'a str>> {
    let mut below = BTreeSet::new();
    let mut open: Vec<&str> = arrows.get(name)?.iter().copied().collect();
    while let Some(next) = open.pop() {
        if below.insert(next) {
            open.extend(arrows.get(next).into_iter().flatten());
        }
    }
    Some(below)
}
