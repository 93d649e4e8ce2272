//! What is wrong with a test file, without playing it: for editors.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pleach::asset::Source;
use pleach::tools::included_name;
use pleach::tools::ron::Problem;
use pleach::tools::text::plain;
use pleach::{Host, Library, Report};
use pleach_lsp::Files;

use super::cases::{Known, looked_up, with_near_tree};
use super::file::Case;
use super::read;
use crate::paths::directory_of;
use crate::stage::Loaded;

/// What is wrong with a test file: syntax errors, and names that are not in its trees. The trees
/// come from the library.
pub(crate) fn problems<H: Host>(
    known: &Known<'_, H>,
    library: &mut Library<Files>,
    name: &str,
    text: &str,
) -> Option<Report> {
    let file = match read::read(name, text) {
        Ok(file) => file,
        Err(report) => return Some(report),
    };
    // A tree is loaded once for all cases that stub the same leaves.
    let (mut on_stage, mut in_world) = (BTreeMap::new(), BTreeMap::new());
    let mut problems: Vec<Problem> = Vec::new();
    for case in &file.cases {
        let tree = included_name(name, &case.tree.it).unwrap_or_else(|| case.tree.it.clone());
        let found = if case.world {
            let stubs: Vec<_> = case.stubs().collect();
            let loaded = in_world.entry((tree.clone(), stubs.clone()));
            let loaded =
                loaded.or_insert_with(|| Loaded::in_world(|it| library.load(&tree, it), known.own, stubs).ok());
            loaded.as_ref().map(|it| looked_up(case, it).err().unwrap_or_default())
        } else {
            let conditions: Vec<_> = case.conditions().collect();
            let loaded = on_stage.entry((tree.clone(), conditions.clone()));
            let loaded =
                loaded.or_insert_with(|| Loaded::read(|it| library.load(&tree, it), &known.paper, conditions).ok());
            loaded.as_ref().map(|it| match known.misspelt(case, it) {
                Some(problem) => vec![problem],
                None => looked_up(case, it).err().unwrap_or_default(),
            })
        };
        // Several cases can have the same problem.
        for it in found.unwrap_or_else(|| vec![not_loaded(case, library, &tree)]) {
            if !problems.contains(&it) {
                problems.push(it);
            }
        }
    }
    (!problems.is_empty()).then(|| file.document.report(problems))
}

fn not_loaded(case: &Case, library: &Library<Files>, tree: &str) -> Problem {
    let shown = plain(&case.tree.it);
    match library.source().read(tree) {
        Err(error) => {
            let problem = Problem::new(&case.tree.span, format!("cannot read `{shown}`: {error}"));
            let all = library.source().names().into_iter().filter_map(|it| Some(PathBuf::from(it.ok()?)));
            let beside = all.filter(|it| directory_of(it) == directory_of(Path::new(tree)));
            with_near_tree(problem, &case.tree.it, beside)
        }
        Ok(_) => Problem::new(&case.tree.span, format!("the tree `{shown}` has errors"))
            .help("correct them: then the names in its cases can be checked"),
    }
}
