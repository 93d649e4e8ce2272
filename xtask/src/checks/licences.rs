//! `xtask licences`: what the published crates may depend on. Manifests name the licences of a
//! crate; cargo fetches the missing ones.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, ExitCode};

use serde::Deserialize;
use spdx::Licensee;
use thiserror::Error;

/// The licences that allow any game to use pleach's dependencies, whatever the game's own licence.
const ALLOWED: [&str; 9] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "Zlib",
    "BSD-3-Clause",
    "ISC",
    "CC0-1.0",
    "Unicode-3.0",
    "Unlicense",
];

/// The crate outside of the workspace whose wheels are distributed, and its manifest.
const WHEELS: (&str, &str) = ("pleach-python", "crates/pleach-python/Cargo.toml");

#[derive(Debug, Error)]
enum LicencesError {
    #[error("cargo cannot be run: {0}")]
    Cargo(#[from] std::io::Error),
    #[error("cargo metadata failed: {0}")]
    Failed(String),
    #[error("cargo metadata has another form than is known: {0}")]
    Form(#[from] serde_json::Error),
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    /// The registries where it may be published: none if the list is empty.
    publish: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Deserialize)]
struct Kind {
    /// Nothing, `dev` or `build`.
    kind: Option<String>,
}

pub(crate) fn licences() -> ExitCode {
    match metadata("Cargo.toml").and_then(|it| Ok([it, metadata(WHEELS.1)?])) {
        Ok(all) => {
            let judged: Vec<_> = all.iter().map(judge).collect();
            let names: BTreeSet<&str> = judged.iter().flat_map(|it| it.0.iter().copied()).collect();
            let refused: BTreeSet<&String> = judged.iter().flat_map(|it| &it.1).collect();
            refused.iter().for_each(|it| println!("{it}"));
            println!("{} crates, {} refused", names.len(), refused.len());
            ExitCode::from(u8::from(!refused.is_empty()))
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn metadata(manifest: &str) -> Result<Metadata, LicencesError> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let args = ["metadata", "--locked", "--all-features", "--format-version", "1", "--manifest-path", manifest];
    let output = Command::new(cargo).args(args).output()?;
    if !output.status.success() {
        return Err(LicencesError::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The external dependencies of the published crates with all features, and the problems of those
/// that are not allowed.
fn judge(metadata: &Metadata) -> (BTreeSet<&str>, Vec<String>) {
    let edges: BTreeMap<&str, &[Edge]> = metadata.resolve.nodes.iter().map(|it| (&*it.id, &*it.deps)).collect();
    let is_published = |it: &&Package| {
        let given_away = it.name == WHEELS.0 || it.publish.as_ref().is_none_or(|it| !it.is_empty());
        metadata.workspace_members.contains(&it.id) && given_away
    };
    let mut open: Vec<&str> = metadata.packages.iter().filter(is_published).map(|it| &*it.id).collect();
    let mut found: BTreeSet<&str> = BTreeSet::new();
    while let Some(it) = open.pop() {
        if found.insert(it) {
            let used = edges.get(it).copied().unwrap_or_default().iter();
            let used = used.filter(|it| it.dep_kinds.iter().any(|it| it.kind.as_deref() != Some("dev")));
            open.extend(used.map(|it| &*it.pkg));
        }
    }
    let others = |it: &&Package| found.contains(&*it.id) && !metadata.workspace_members.contains(&it.id);
    let packages: Vec<&Package> = metadata.packages.iter().filter(others).collect();
    let refused = |it: &&Package| {
        let Package { name, version, license, .. } = it;
        let licence = license.as_deref().unwrap_or_default();
        match is_allowed(licence) {
            true => None,
            false => Some(format!("{name} {version}: its licence is `{licence}`; allowed are {}", ALLOWED.join(", "))),
        }
    };
    (packages.iter().map(|it| &*it.name).collect(), packages.iter().filter_map(refused).collect())
}

/// Whether the allowed licences satisfy a licence expression.
fn is_allowed(licence: &str) -> bool {
    // Some manifests still write `/` for `OR`.
    let licence = licence.replace('/', " OR ");
    let allowed: Vec<Licensee> = ALLOWED.iter().filter_map(|it| Licensee::parse(it).ok()).collect();
    spdx::Expression::parse(&licence)
        .is_ok_and(|it| it.evaluate(|wanted| allowed.iter().any(|it| it.satisfies(wanted))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_met_or_not() {
        for licence in [
            "ISC",
            "CC0-1.0",
            "MIT OR Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR Zlib",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
        ] {
            assert!(is_allowed(licence), "{licence}");
        }
        for licence in [
            "",
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "what I like",
            "MIT OR",
            "Apache-2.0 WITH LLVM-exception AND MPL-2.0",
        ] {
            assert!(!is_allowed(licence), "{licence}");
        }
        assert_eq!(ALLOWED.iter().filter(|it| Licensee::parse(it).is_err()).count(), 0);
    }

    #[test]
    fn what_the_published_crates_bring_along_is_allowed() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
        let metadata = metadata(root).expect("cargo is here");
        let (names, refused) = judge(&metadata);
        // It belongs to a feature that nothing in the workspace enables.
        assert!(names.contains("slotmap") && names.contains("notify"), "{names:?}");
        assert!(refused.is_empty(), "{refused:?}");
    }

    #[test]
    fn a_crate_that_is_not_allowed_is_named() {
        let text = r#"{
            "workspace_members": ["own", "tool"],
            "packages": [
                {"id": "own", "name": "own", "version": "0.1.0", "license": "MIT", "publish": null},
                {"id": "tool", "name": "tool", "version": "0.1.0", "license": null, "publish": []},
                {"id": "bad", "name": "bad", "version": "1.2.3", "license": "AGPL-3.0-only", "publish": null},
                {"id": "test", "name": "test", "version": "1.0.0", "license": "AGPL-3.0-only", "publish": null},
                {"id": "aside", "name": "aside", "version": "1.0.0", "license": null, "publish": null}
            ],
            "resolve": {"nodes": [
                {"id": "own", "deps": [
                    {"pkg": "bad", "dep_kinds": [{"kind": "build"}]}, {"pkg": "test", "dep_kinds": [{"kind": "dev"}]}
                ]},
                {"id": "tool", "deps": [{"pkg": "aside", "dep_kinds": [{"kind": null}]}]},
                {"id": "bad", "deps": []}, {"id": "test", "deps": []}, {"id": "aside", "deps": []}
            ]}
        }"#;
        let metadata = serde_json::from_str(text).expect("it is metadata");
        let (names, refused) = judge(&metadata);
        assert_eq!(names, BTreeSet::from(["bad"]));
        assert!(
            refused.len() == 1 && refused[0].starts_with("bad 1.2.3: its licence is `AGPL-3.0-only`"),
            "{refused:?}"
        );
    }
}
