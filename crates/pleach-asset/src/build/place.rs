//! Where in the file a problem of the core is.

mod kind;
mod need;

use pleach_core::{
    error::{EventError, Field, Problem, ProblemKind, SchemaError},
    expr::ExprErrorKind,
    kinds::NodeKind,
    schema::KeyDefault,
};

use super::files::{File, Files};
use crate::asset::{Asset, AssetTree, Broken, BuiltIn, Interrupt, KeyEntry, Param, Service, Subtree};
use crate::code::Code;
use crate::finding::{FileAt, Finding};
use crate::lex;
use crate::span::Span;
use crate::suggest::{Advice, in_asset, with_a_point};
use kind::code_of;

/// Where a node comes from.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Node(Subtree<'a>),
    Interrupt(&'a Interrupt<'a>),
    /// The selector over interrupts and root.
    Whole,
    /// An instance as a whole, and its file.
    Include(Subtree<'a>, FileAt),
}

/// The same, with the file that it is in.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) file: FileAt,
    pub(super) place: Place<'a>,
    /// Whether it stands in a hole that was filled with the same before.
    pub(super) is_copy: bool,
}

impl Origin<'_> {
    /// The name of the node in its file.
    pub(super) fn at(&self) -> Option<(FileAt, Span)> {
        let span = match self.place {
            Place::Node(it) | Place::Include(it, _) => it.kind.span,
            Place::Interrupt(it) => it.when.span,
            Place::Whole => return None,
        };
        Some((self.file, span))
    }
}

impl Place<'_> {
    /// The file that an origin includes.
    pub(super) fn included(origin: &Origin<'_>) -> Option<FileAt> {
        match origin.place {
            Place::Include(_, file) => Some(file),
            Place::Node(_) | Place::Interrupt(_) | Place::Whole => None,
        }
    }
}

/// What to report for a problem; `None` if it only follows from one that has been reported.
pub(super) fn place(
    files: &Files<'_>,
    entry: FileAt,
    places: &[Origin<'_>],
    is_leaf: &dyn Fn(&str) -> bool,
    problem: Problem,
) -> Option<Finding> {
    // The node's path is for callers without a file.
    let Problem { mut kind, node: _, path: _, origin, field, span } = problem;
    let origin = origin.and_then(|it| places.get(it as usize));
    let (file, place) = origin.map_or((entry, None), |it| (it.file, Some(it.place)));
    let File { asset: Asset { source, .. }, tree: Some(asset), name: _ } = files.get(file)? else { return None };
    if let Some(Place::Include(at, of)) = place {
        let is_copy = origin.is_some_and(|it| it.is_copy);
        if is_copy && matches!(kind, ProblemKind::InstancesAlike { .. }) {
            let message = "this stands in a hole that occurs twice, and what is included here has keys";
            let help = "two instances of one name cannot have keys: give this for a hole that occurs once";
            return Some(Finding::new(Code::InstancesAlike, at.kind.span, message).help(help).in_file(file));
        }
        return of_instance(files, file, asset, at, of, field.as_ref(), kind);
    }
    if is_lost(&asset.broken, &kind) || reads_lost(source, &asset.broken, place, field.as_ref(), &kind) {
        return None;
    }
    if let ProblemKind::Need(problem) = kind {
        let key = problem.need.name.clone();
        return Some(need::place(asset, &key, *problem)?.in_file(file));
    }
    let help = kind.take_help().map(|it| in_asset(&it));
    let kind = &kind;
    let help = leaf_in_expr(kind, is_leaf).or(help).or_else(|| sign_of_key(kind));
    let help = help.or_else(|| decimal_comma(kind, place, source));
    let field = field.as_ref();
    let within = span.as_ref().map(|it| (it.start, it.end));
    let mut message = kind.to_string();
    let at = match place {
        Some(Place::Node(node)) => {
            if node.broken && follows(node, field, kind) {
                return None;
            }
            if let Some(it) = wrong_for_key(node, field, within, kind) {
                message = it;
            } else if let Some(it) = wrong_for_children(node, field, kind) {
                message = it;
            } else if let Some(field) = field
                && !says_what_it_is_about(kind)
            {
                message = match field {
                    // Where it is shown, the place in the list can be seen.
                    Field::Item(list, _) => format!("`{}`: {message}", of_child(list)),
                    Field::Service(_) => format!("`every`: {message}"),
                    Field::Jitter(_) => format!("`jitter`: {message}"),
                    _ => format!("{field}: {message}"),
                };
            }
            field.and_then(|it| in_node(node, it, source, within, kind)).unwrap_or(node.kind.span)
        }
        Some(Place::Interrupt(interrupt)) => inside(source, interrupt.when.span, within),
        Some(Place::Whole | Place::Include(..)) => asset.root.whole().kind.span,
        None => field.and_then(|it| declared(asset, it, kind)).unwrap_or(asset.root.whole().kind.span),
    };
    Some(Finding::new(code_of(kind), at, message).maybe_help(help).in_file(file))
}

/// The problem of an instance as a whole: of what it is given, or of what its file declares.
fn of_instance(
    files: &Files<'_>,
    file: FileAt,
    asset: &AssetTree<'_>,
    at: Subtree<'_>,
    of: FileAt,
    field: Option<&Field>,
    mut kind: ProblemKind,
) -> Option<Finding> {
    let target = files.get(of)?.tree.as_ref()?;
    if is_lost(&asset.broken, &kind) || is_lost(&target.broken, &kind) {
        return None;
    }
    let include = at.node().include()?;
    if let (ProblemKind::Need(problem), Some(Field::Key(_, key))) = (&kind, field) {
        // A template declares nothing: its own keys are ports.
        let found = if include.template().is_some() {
            Finding::new(code_of(&kind), at.kind.span, kind.to_string()).in_file(file)
        } else {
            need::place(target, key, (**problem).clone())?.in_file(of)
        };
        return Some(found);
    }
    let help = kind.take_help().map(|it| in_asset(&it));
    let own =
        |span: Option<Span>| Finding::new(code_of(&kind), span.unwrap_or(at.kind.span), kind.to_string()).in_file(file);
    let finding = match field {
        Some(Field::Port(name)) => {
            let given = include.with.iter().find(|it| it.port.text == name);
            let template = include.template().and_then(|it| files.template(file, it));
            let port = template.map_or(&target.ports, |it| &it.1.ports).iter().find(|it| it.name.text == name);
            let finding = own(given.map(|it| it.span));
            match port {
                Some(port) => finding.also_at((of, port.name.span), "the port"),
                None => finding,
            }
        }
        // Two of one name: the file is right, but the includes are not.
        Some(Field::Key(..)) if matches!(kind, ProblemKind::InstancesAlike { .. }) => own(at.name.map(|it| it.span)),
        Some(field @ (Field::Key(..) | Field::Event(_))) => {
            let port = |name: &str| target.ports.iter().find(|it| it.name.text == name).map(|it| it.name.span);
            let template = include.template().and_then(|it| files.template(file, it));
            let local = match (template, field) {
                (Some((_, template)), Field::Key(_, name)) => template.locals.iter().find(|it| it.name.text == name),
                _ => None,
            };
            let span =
                local.map(|it| in_key(it, &kind)).or_else(|| declared(target, field, &kind)).or_else(|| match field {
                    Field::Key(_, name) => port(name),
                    _ => None,
                });
            let finding = Finding::new(code_of(&kind), span.unwrap_or(target.root.whole().kind.span), kind.to_string())
                .in_file(of);
            match elsewhere(files, of, field, &kind) {
                Some(there) => finding.also_at(there, "declared here"),
                None => finding,
            }
        }
        Some(Field::Name) => own(at.name.map(|it| it.span)),
        _ => own(None),
    };
    Some(finding.maybe_help(help))
}

/// The first other file that declares a shared key or an event, if that is what is wrong.
fn elsewhere(files: &Files<'_>, of: FileAt, field: &Field, kind: &ProblemKind) -> Option<(FileAt, Span)> {
    let differs = matches!(
        kind,
        ProblemKind::Key(SchemaError::DeclaredOtherwise { .. })
            | ProblemKind::Event(EventError::DeclaredOtherwise { .. })
    );
    let mut others = files.iter().filter(|it| differs && it.0 != of);
    others.find_map(|(at, it)| Some((at, declared(it.tree.as_ref()?, field, kind)?)))
}

/// Whether it follows from a wrong declaration.
fn is_lost(broken: &Broken, kind: &ProblemKind) -> bool {
    match kind {
        ProblemKind::Expr(ExprErrorKind::UnknownKey { name, .. })
        | ProblemKind::Key(SchemaError::Unknown { name, .. }) => {
            broken.all_keys || broken.keys.contains(name.rsplit('.').next().unwrap_or(name))
        }
        ProblemKind::Event(EventError::Payload { name, .. }) => broken.events.contains(name),
        ProblemKind::Need(problem) => {
            broken.all_keys || broken.keys.contains(problem.need.name.rsplit('.').next().unwrap_or_default())
        }
        _ => false,
    }
}

/// Whether it is a word of an expression that reads a key with a wrong declaration: the word may be
/// one of that key's.
fn reads_lost(
    source: &str,
    broken: &Broken,
    place: Option<Place<'_>>,
    field: Option<&Field>,
    kind: &ProblemKind,
) -> bool {
    let ProblemKind::Expr(ExprErrorKind::UnknownKey { .. } | ExprErrorKind::UnknownWord { .. }) = kind else {
        return false;
    };
    let string = match place {
        _ if broken.keys.is_empty() => None,
        Some(Place::Node(node)) => field.and_then(|it| in_node(node, it, source, None, kind)),
        Some(Place::Interrupt(interrupt)) => Some(interrupt.when.span),
        Some(Place::Whole | Place::Include(..)) | None => None,
    };
    let text = string.and_then(|it| source.get(it.start()..it.end())).unwrap_or_default();
    text.split(|it: char| it != '_' && !it.is_alphanumeric()).any(|it| broken.keys.contains(it))
}

/// Advice for a leaf that is written as a key.
fn leaf_in_expr(kind: &ProblemKind, is_leaf: &dyn Fn(&str) -> bool) -> Option<Advice> {
    match kind {
        ProblemKind::Expr(ExprErrorKind::UnknownKey { name, .. } | ExprErrorKind::UnknownFunction { name, .. })
            if is_leaf(name) =>
        {
            Some(format!("`{name}` is a leaf: it cannot be used in an expression; make it a node of its own").into())
        }
        _ => None,
    }
}

/// Advice for a sign with which other systems mark names.
fn sign_of_key(kind: &ProblemKind) -> Option<Advice> {
    let is_mark =
        matches!(kind, ProblemKind::Expr(ExprErrorKind::UnexpectedChar { found: '$' | '{' | '}' | '@' | '#', .. }));
    is_mark.then(|| "write the name of a key alone, as in `health < 0.3`".into())
}

/// What to do about a jitter that is what stands behind the comma of a number: `Wait(1,5)`.
fn decimal_comma(kind: &ProblemKind, place: Option<Place<'_>>, source: &str) -> Option<Advice> {
    let (ProblemKind::JitterAboveSpan { .. }, Some(Place::Node(node))) = (kind, place) else { return None };
    let own = node.built_in()?;
    let both = Span::new(own.field("seconds")?.span.start(), own.field("jitter")?.span.end());
    let text = source.get(both.start()..both.end())?;
    text.bytes().all(|it| it.is_ascii_digit() || it == b',').then(|| with_a_point(text, both))
}

/// That the expression of a `Set` gives what its key cannot hold.
fn wrong_for_key(
    node: Subtree<'_>,
    field: Option<&Field>,
    within: Option<(usize, usize)>,
    kind: &ProblemKind,
) -> Option<String> {
    let ProblemKind::Expr(ExprErrorKind::Mismatch { expected, found }) = kind else { return None };
    let own = node.built_in().filter(|it| it.kind == NodeKind::Set)?;
    let (Some(Field::Param("to")), Param::Text(key), Param::Text(to)) =
        (field, &own.field("key")?.value, &own.field("to")?.value)
    else {
        return None;
    };
    // Only if it is about the whole expression.
    let (start, end) = within?;
    (to.get(start..end)? == to.trim()).then(|| format!("the key `{key}` is {expected}, but this gives {found}"))
}

/// A number that does not fit the children, some of which may be disabled: a threshold does not
/// count these.
fn wrong_for_children(node: Subtree<'_>, field: Option<&Field>, kind: &ProblemKind) -> Option<String> {
    let Some(Field::Param(name)) = field else { return None };
    let disabled = node.children().filter(|it| it.disabled).count();
    let (ProblemKind::Policy { .. }, 1..) = (kind, disabled) else { return None };
    let them = if disabled == 1 { "1 more is" } else { &format!("{disabled} more are") };
    Some(format!("`{name}`: {kind}; {them} disabled"))
}

/// What an entry of the children calls one item of a list of the core.
fn of_child(list: &'static str) -> &'static str {
    match list {
        "scores" => "score",
        "weights" => "weight",
        _ => list,
    }
}

/// Whether the message needs no field name before it.
fn says_what_it_is_about(kind: &ProblemKind) -> bool {
    matches!(kind, ProblemKind::Key(_) | ProblemKind::Event(_) | ProblemKind::DoubledId { .. } | ProblemKind::Expr(_))
}

/// Whether a problem follows from what is missing in a node that was not read whole.
fn follows(node: Subtree<'_>, field: Option<&Field>, kind: &ProblemKind) -> bool {
    let counts = matches!(
        kind,
        ProblemKind::NoChildren { .. }
            | ProblemKind::ChildCount { .. }
            | ProblemKind::Count { .. }
            | ProblemKind::Policy { .. }
    );
    let missing = |own: &BuiltIn<'_>| matches!(field, Some(Field::Param(name)) if own.field(name).is_none());
    counts || node.built_in().is_some_and(missing)
}

/// The value of a field, or the part of it that is wrong.
fn in_node(
    node: Subtree<'_>,
    field: &Field,
    source: &str,
    within: Option<(usize, usize)>,
    kind: &ProblemKind,
) -> Option<Span> {
    let own = node.built_in();
    match field {
        Field::Name => node.name.as_ref().map(|it| it.span),
        Field::Id => node.rest().id.as_ref().map(|it| it.span),
        Field::Abort => node.abort.map(|it| it.1),
        Field::Param(name) => own?.field(name).map(|it| inside(source, it.span, within)),
        Field::Item("cases", at) => node.enabled_cases().nth(*at).map(|it| it.span),
        Field::Item(list, at) => match &node.node().built_in()?.field(of_child(list))?.value {
            Param::Texts(texts) => node.enabled(texts).nth(*at).map(|it| inside(source, it.span, within)),
            Param::Numbers(numbers) => node.enabled(numbers).nth(*at).map(|it| it.span),
            _ => None,
        },
        Field::Service(at) => enabled_service(node, *at).map(|it| inside(source, it.every.span, within)),
        Field::Jitter(at) => enabled_service(node, *at).and_then(|it| Some(it.jitter.as_ref()?.span)),
        Field::Key(_, name) => node.rest().keys.iter().find(|it| it.name.text == name).map(|it| in_key(it, kind)),
        _ => None,
    }
}

fn enabled_service<'a>(node: Subtree<'a>, at: usize) -> Option<&'a Service<'a>> {
    node.node().rest().services.iter().filter(|it| !it.run.whole().disabled).nth(at)
}

/// The part of a string, at its place in the source.
pub(super) fn inside(source: &str, string: Span, within: Option<(usize, usize)>) -> Span {
    let Some((start, end)) = within else { return string };
    let Some(literal) = source.get(string.start()..string.end()) else { return string };
    let at = |it| lex::inside(literal, string.start(), it);
    Span::new(at(start), at(end))
}

/// The declaration of a key or an event of the tree.
fn declared(asset: &AssetTree<'_>, field: &Field, kind: &ProblemKind) -> Option<Span> {
    let (scope, name) = match field {
        Field::Key(scope, name) => (scope, name),
        Field::Event(name) => return asset.events.iter().find(|it| it.name.text == name).map(|it| it.name.span),
        _ => return None,
    };
    let named = |it: &&KeyEntry<'_>| it.scope == *scope && it.name.text == name;
    asset.keys.iter().find(named).map(|it| in_key(it, kind))
}

/// The word that is wrong, or else the name of the key.
fn in_key(key: &KeyEntry<'_>, kind: &ProblemKind) -> Span {
    if let (ProblemKind::Key(SchemaError::WordIsKey { name: _, word }), KeyDefault::Symbol(_, words)) =
        (kind, &key.default)
        && let Some(at) = words.iter().position(|it| it == word)
        && let Some(span) = key.words.get(at)
    {
        return *span;
    }
    key.name.span
}
