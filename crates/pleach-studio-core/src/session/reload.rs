//! What happens to agents that get another version of their tree.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pleach::handles::AgentRef;
use pleach::inspect::Comparison;
use pleach::record::Replay;
use pleach::tools::text::plain;
use pleach::{NodeId, Phase, Tree, TreeId};

use crate::model::ReloadView;
use crate::stage::Stage;
use pleach_view::words::plural;

/// How many agents each tree has.
pub(super) type Sizes = Vec<(TreeId, usize)>;

pub(super) fn sizes(replay: &Replay<Stage>) -> Sizes {
    let forest = replay.forest();
    forest.trees().map(|it| (it, forest.population(it).map_or(0, |it| it.len()))).collect()
}

/// Whether agents may have moved from one tree to another.
pub(super) fn may_have_moved(before: &Sizes, after: &Sizes) -> bool {
    let size = |of: &Sizes, tree| of.iter().find(|it| it.0 == tree).map_or(0, |it| it.1);
    let has_shrunk = before.iter().any(|it| size(after, it.0) < it.1);
    has_shrunk && after.iter().any(|it| size(before, it.0) < it.1)
}

/// What happened to the agents of a tree.
#[derive(Default)]
struct Counts {
    kept: usize,
    restarted: usize,
    /// How many active nodes were kept.
    nodes: usize,
    /// How many agents no longer watch a condition.
    unwatched: BTreeMap<NodeId, usize>,
}

/// What happened to the agents that got another version of their tree, if any. `before` is
/// positioned before the frame that `after` has played last.
pub(super) fn reloaded(before: &Replay<Stage>, after: &Replay<Stage>) -> Option<ReloadView> {
    let mut compared: HashMap<[*const Tree<Stage>; 2], Comparison> = HashMap::new();
    let mut counts: Vec<(Arc<Tree<Stage>>, Counts)> = Vec::new();
    for (number, id) in after.agents() {
        let known = before.agent(number).flatten();
        let Some((old, new)) =
            known.and_then(|it| before.forest().agent(it).ok()).zip(id.and_then(|it| after.forest().agent(it).ok()))
        else {
            continue;
        };
        let (was, is) = (old.tree(), new.tree());
        if Arc::ptr_eq(was, is) || was.name() != is.name() || old.phase() == Phase::Off {
            continue;
        }
        let compared = compared.entry([Arc::as_ptr(was), Arc::as_ptr(is)]).or_insert_with(|| was.compare(is));
        let active: Vec<NodeId> = was.nodes().map(|it| it.id()).filter(|it| old.is_active(*it)).collect();
        let restarts: Vec<NodeId> = active.iter().filter_map(|it| Some(compared.would_restart(*it)?.at)).collect();
        let kept = active.iter().filter(|node| !restarts.iter().any(|it| was.contains(*it, **node)));
        let place = counts.iter().position(|it| Arc::ptr_eq(&it.0, is)).unwrap_or_else(|| {
            counts.push((Arc::clone(is), Counts::default()));
            counts.len() - 1
        });
        let count = &mut counts[place].1;
        if restarts.is_empty() {
            count.kept += 1;
        } else {
            count.restarted += 1;
        }
        count.nodes += kept.count();
        let watches = watched(&new);
        let lost_here =
            watched(&old).into_iter().filter_map(|it| compared.new_of(it)).filter(|it| !watches.contains(it));
        lost_here.for_each(|it| *count.unwatched.entry(it).or_default() += 1);
    }
    let text = |(tree, it): &(Arc<Tree<Stage>>, Counts)| {
        let (agents, nodes) = (plural(it.kept, "agent"), plural(it.nodes, "node"));
        let mut text =
            format!("{}: {agents} kept running, {} restarted; {nodes} kept", plain(tree.name()), it.restarted);
        for (&node, &agents) in &it.unwatched {
            let watch = if agents == 1 { "watches" } else { "watch" };
            if let Some(node) = tree.node(node) {
                let agents = plural(agents, "agent");
                text += &format!(". {agents} no longer {watch} {node} until the tree asks it next");
            }
        }
        text
    };
    let texts: Vec<String> = counts.iter().map(text).collect();
    (!texts.is_empty()).then(|| ReloadView { frame: after.frame(), text: texts.join(". ") })
}

/// The conditions whose change could abort something.
fn watched(agent: &AgentRef<'_, Stage>) -> Vec<NodeId> {
    agent.inspect().monitors.into_iter().filter(|it| it.watched).map(|it| it.condition).collect()
}
