//! The list of modules: it has a section per crate, and names every module of it once.
//!
//! A module is named by the words in backticks at the head of a bullet, before its colon. After
//! the colon come the names of its files: in the section of the core all of them, elsewhere any.

use std::collections::BTreeMap;

use super::Finding;
use super::crates::Package;
use super::source::File;

const PAGE: &str = "docs/design/modules.md";
/// A workspace whose ARCHITECTURE does not have this heading needs no list.
const MAP: &str = "## The map";

/// `page` reads a file of the workspace.
pub(super) fn check<'f>(
    packages: &[Package],
    paths: &[&str],
    page: impl Fn(&str) -> Option<&'f File>,
    findings: &mut Vec<Finding>,
) {
    if !page("ARCHITECTURE.md").is_some_and(|it| it.text.lines().any(|it| it == MAP)) {
        return;
    }
    let Some(page) = page(PAGE) else {
        let help = "name every module there, in a section for each crate";
        findings.push(Finding::new(PAGE, 1, "the map of ARCHITECTURE needs a list of modules", help));
        return;
    };
    for Package { folder, .. } in packages {
        let title = format!("## `{}`", folder.trim_end_matches('/'));
        let Some(from) = page.text.lines().position(|it| it.starts_with(&title)) else {
            findings.push(Finding::new(PAGE, 1, format!("the list has no section {title}"), "add it to the list"));
            continue;
        };
        let section: Vec<&str> = page.text.lines().skip(from + 1).take_while(|it| !it.starts_with('#')).collect();
        let bullets = bullets(&section);
        let modules = modules(folder, paths);
        for (module, files) in &modules {
            match bullets.iter().filter(|it| it.heads.contains(module)).count() {
                1 => {}
                0 => findings.push(missing(from, folder, module)),
                _ => {
                    let what = format!("the list names `{module}` of {folder} more than once");
                    findings.push(Finding::new(PAGE, from + 1, what, "name each module once"));
                }
            }
            // Only the modules of the core are so large that a reader looks for their files here.
            let Some(bullet) = bullets.iter().find(|it| it.heads.contains(module)) else { continue };
            for file in files.iter().filter(|_| folder == "crates/pleach-core/") {
                if !bullet.text.contains(&format!("`{file}`")) {
                    findings.push(missing(from, folder, &format!("{module}/{file}")));
                }
            }
        }
        for bullet in &bullets {
            let of_module = |it: &String| modules.get(it).into_iter().flatten();
            let known: Vec<&String> = bullet.heads.iter().flat_map(of_module).collect();
            let named = bullet.text.split_once(": ").into_iter().flat_map(|it| quoted(it.1));
            for file in named.filter(|it| !known.iter().any(|known| known == it)) {
                let what = format!("the list names `{file}`, which is not a file of `{}`", bullet.heads.join("`, `"));
                findings.push(Finding::new(PAGE, from + 1, what, "name the files that there are"));
            }
        }
        for head in bullets.iter().flat_map(|it| &it.heads).filter(|it| !modules.contains_key(*it)) {
            let what = format!("the list names `{head}`, which is not a module of {folder}");
            findings.push(Finding::new(PAGE, from + 1, what, "name the modules that there are"));
        }
    }
}

fn missing(line: usize, folder: &str, module: &str) -> Finding {
    let what = format!("the list does not name `{module}` of {folder}");
    Finding::new(PAGE, line + 1, what, "name it in the section of its crate")
}

struct Bullet {
    heads: Vec<String>,
    text: String,
}

/// The bullets of a section, each on one or more lines.
fn bullets(section: &[&str]) -> Vec<Bullet> {
    let mut texts: Vec<String> = Vec::new();
    for line in section {
        if let Some(item) = line.strip_prefix("- ") {
            texts.push(item.into());
        } else if let Some(text) = texts.last_mut() {
            text.push_str(line);
        }
    }
    let heads = |text: &str| quoted(text.split_once(": ").map_or(text, |it| it.0)).map(Into::into).collect();
    texts.into_iter().map(|text| Bullet { heads: heads(&text), text }).collect()
}

/// The words in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The top-level modules of a crate, each with the files right below it.
fn modules(folder: &str, paths: &[&str]) -> BTreeMap<String, Vec<String>> {
    let mut modules: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths {
        let Some(rest) = path.strip_prefix(folder).and_then(|it| it.strip_prefix("src/")) else { continue };
        let Some(rest) = rest.strip_suffix(".rs") else { continue };
        match rest.split('/').collect::<Vec<_>>()[..] {
            ["lib" | "main"] => {}
            [module] => {
                modules.entry(module.into()).or_default();
            }
            [module, file] if !matches!(file, "tests" | "error") => {
                modules.entry(module.into()).or_default().push(file.into())
            }
            _ => {}
        }
    }
    modules
}
