//! `pleach show`: a tree as text, Graphviz or SVG.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use pleach::asset::CheckOnly;
use pleach::expr::KeyIndex;
use pleach::schema::{KeyDecl, Schema};
use pleach::tools::kinds::NodeKind;
use pleach::tools::text::plain;
use pleach::{Host, NodeId, Registry, Tree};
use pleach_draw::{Direction, Drawing};

use crate::args::{ShowArgs, Towards};
use crate::coverage::{self, Coverage};
use crate::failure::{Failure, say};
use crate::files::{TreeFile, told_of_tree};
use crate::paint::{DOUBTFUL, FAINT, RESET, STRONG, VALUE, painted, parts};
use crate::unknown::Leaves;
use crate::words::{of_game, padded, plural, value, widest};
use crate::{leaves, output, stage};

pub(crate) fn show<H: Host>(own: &Registry<H>, game: &str, args: &ShowArgs) -> Result<(), Failure> {
    // `-` is standard output.
    let output = args.output.as_deref().filter(|it| *it != Path::new("-"));
    if let Some(output) = output {
        let extension = if args.dot {
            "dot"
        } else if args.svg {
            "svg"
        } else {
            "txt"
        };
        output::refuse_trees(output, Some(&args.file), extension)?;
    }
    if let Some(leaves) = &args.leaves {
        let registry = leaves::registry(leaves, [&*args.file])?;
        let mut file = TreeFile::read(&args.file)?;
        let tree = file.load(&registry).map_err(|it| told_of_tree(&it, Leaves::OfManifest(leaves)))?;
        file.tell_warnings(&registry, Some(leaves));
        return draw(&tree, tree.schema(), None, args, output);
    }
    let program = Leaves::OfProgram(game);
    let mut file = TreeFile::read(&args.file)?;
    let report = match file.load(own) {
        Ok(tree) => {
            file.tell_warnings(own, None);
            return draw(&tree, tree.schema(), Some(tree.footprint().total()), args, output);
        }
        Err(report) => report,
    };
    // Unknown leaves are drawn as they are written, unless something else is wrong.
    let Ok(tree) = file.load(own.check_only().allow_any_leaf(true)) else { return Err(told_of_tree(&report, program)) };
    let mut unknown: Vec<&str> = tree.nodes().map(|it| it.kind()).filter(|it| !is_known(own, it)).collect();
    unknown.sort_unstable();
    unknown.dedup();
    let names: Vec<String> = unknown.iter().map(|it| format!("`{it}`")).collect();
    let what = if names.is_empty() { "some leaves".into() } else { names.join(", ") };
    say(format_args!("{DOUBTFUL}note:{RESET} {what} not known here: drawn as written"));
    // It is the tree of another game: declarations of this game do not apply to it.
    let mut alone = Registry::<CheckOnly>::new();
    let alone = file.load(alone.allow_any_leaf(true).allow_any_event(true)).map_err(|it| told_of_tree(&it, program))?;
    file.tell_warnings(own, None);
    draw(&tree, alone.schema(), None, args, output)
}

/// Whether it is a built-in, or a leaf of the registry.
fn is_known<H: Host>(registry: &Registry<H>, kind: &str) -> bool {
    registry.contains(kind) || NodeKind::from_name(kind).is_some_and(NodeKind::is_built_in)
}

/// Draws a tree with the events of a schema, and the bytes per agent if known.
fn draw<H: Host>(
    tree: &Tree<H>,
    events: &Schema,
    size: Option<usize>,
    args: &ShowArgs,
    output: Option<&Path>,
) -> Result<(), Failure> {
    let mut drawing = Drawing::of(tree).direction(match args.direction {
        Towards::Fit => Direction::Fit,
        Towards::Down => Direction::Down,
        Towards::Right => Direction::Right,
        Towards::Outline => Direction::Outline,
    });
    let top = args.node.as_deref().map_or(Ok(tree.root().id()), |it| find(tree, it))?;
    if args.node.is_some() || args.depth.is_some() {
        drawing = drawing.part(top, args.depth);
    }
    let coverage = args.coverage.as_deref().map(|it| Coverage::of_tree(it, &args.file)).transpose()?;
    if let (Some(coverage), true) = (&coverage, args.dot || args.svg) {
        drawing = coverage::in_picture(drawing, tree, &coverage.nodes);
    }
    let text = if args.dot {
        drawing.dot()
    } else if args.svg {
        drawing.svg()
    } else if let Some(coverage) = &coverage {
        coverage::head(coverage) + &coverage::table(tree, &drawing, &coverage.nodes)
    } else {
        text(tree, events, &drawing, size)
    };
    match output {
        // `adapter` removes the colours: they are for terminals only.
        Some(path) => output::write(path, anstream::adapter::strip_str(&text).to_string()),
        None if args.dot || args.svg => Ok(std::io::stdout().lock().write_all(text.as_bytes())?),
        None => Ok(anstream::stdout().lock().write_all(text.as_bytes())?),
    }
}

/// The node that a text means.
fn find<H: Host>(tree: &Tree<H>, node: &str) -> Result<NodeId, Failure> {
    stage::node(tree, &stage::paths(tree), node).map_err(Failure::Usage)
}

/// The drawing, with the keys of the tree, its events, and its bytes per agent, if they are known.
fn text<H: Host>(tree: &Tree<H>, events: &Schema, drawing: &Drawing<'_>, size: Option<usize>) -> String {
    let size = size.map_or_else(String::new, |it| format!(", {it} bytes per agent"));
    let mut out =
        format!("{STRONG}{}{RESET}  {FAINT}{}{size}{RESET}\n\n", plain(tree.name()), plural(tree.len(), "node"),);
    for line in &drawing.text().lines {
        out.push_str(&painted(&parts(line)));
        out.push('\n');
    }
    let keys = tree.schema().keys();
    if keys.len() > 0 {
        let width = widest(tree.schema().keys().map(|it| it.name()));
        out.push_str(&format!("\n{STRONG}blackboard{RESET}\n"));
        let line = |(at, key): (usize, &KeyDecl)| {
            let default = value(tree.schema(), key.default());
            let used = KeyIndex::new(at).and_then(|it| tree.key_use(it)).map(|it| of_game(&it)).unwrap_or_default();
            format!(
                "  {}  {FAINT}{:6} {:6}{RESET} {VALUE}{default}{RESET}{used}",
                padded(key.name(), width),
                key.scope().to_string(),
                key.ty().to_string()
            )
        };
        // Each node that a template or file makes has its own keys: equal ones are listed once.
        let mut lines: Vec<(String, usize)> = Vec::new();
        let mut places = BTreeMap::new();
        for line in keys.enumerate().map(line) {
            let at = *places.entry(line.clone()).or_insert(lines.len());
            match lines.get_mut(at) {
                Some((_, count)) => *count += 1,
                None => lines.push((line, 1)),
            }
        }
        for (line, count) in lines {
            let times = if count > 1 { format!("  {FAINT}x {count}{RESET}") } else { String::new() };
            out.push_str(&format!("{line}{times}\n"));
        }
    }
    // Those of the host are the same in every tree: `nodes --manifest` has them.
    let events: Vec<_> = events.events().filter(|it| !it.is_of_host()).collect();
    if !events.is_empty() {
        let names: Vec<_> = events.iter().map(|it| plain(it.name())).collect();
        let width = widest(names.iter().map(|it| &**it));
        out.push_str(&format!("\n{STRONG}events{RESET}\n"));
        for (event, name) in events.iter().zip(&names) {
            let payload = event.payload().map_or_else(|| "()".to_owned(), |it| it.to_string());
            out.push_str(&format!("  {}  {FAINT}{payload}{RESET}\n", padded(name, width)));
        }
    }
    out
}
