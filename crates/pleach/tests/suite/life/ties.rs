//! Which entities agents are, and squads.

use pleach_core::nodes::{action, emit, idle, on_event, selector, sequence};
use pleach_core::{
    AgentId, Brain, Context, Entity, Event, Forest, GroupId, Host, NodeId, Outcome, Replace, Spawn, Status, Tree,
    TreeId, Type,
    error::{SendError, StaleError},
    nodes::Abort,
    schema::Scope,
};

use crate::dice::Dice;
use crate::support::{Cx, Game, World};

#[test]
fn an_entity_stands_for_an_index() {
    for index in [0, 1, 7, usize::MAX - 1] {
        assert_eq!(Entity::from_index(index).index(), Some(index));
        assert_ne!(Entity::from_index(index), Entity::NONE);
    }
    assert_eq!((Entity::from_index(0), Entity::NONE.index()), (Entity::from_bits(1), None));
}

#[test]
fn a_random_number_stays_in_its_range() {
    let (mut world, mut sum) = (World::default(), 0.0);
    let draws = action(|cx: &mut Cx<'_, '_>| {
        let next_up = 1.0_f32.next_up();
        assert_eq!(
            [cx.random_range(1.0..next_up), cx.random_range(2.0..2.0), cx.random_range(3.0..1.0)],
            [1.0, 2.0, 3.0]
        );
        let drawn = cx.random_range(-3.0..5.0);
        assert!((-3.0..5.0).contains(&drawn));
        cx.host.log.push(drawn.to_string());
        Status::Running
    });
    let mut brain = Brain::new(&mut world, Tree::builder("draws").build(draws).unwrap(), 1);
    for _ in 0..1_000 {
        brain.tick(&mut world, 0.1).unwrap();
        sum += world.take()[0].parse::<f64>().unwrap();
    }
    assert!((sum / 1_000.0 - 1.0).abs() < 0.25, "{sum}");
}

/// Says which entity and group its agent is.
fn says() -> Tree<Game> {
    let say = action(|cx: &mut Cx<'_, '_>| {
        let line = format!("{} {}", cx.entity().to_bits(), cx.group().is_some());
        cx.host.log.push(line);
        Status::Running
    });
    Tree::builder("says").build(say).unwrap()
}

/// A forest with a tree whose leaves log what they hear; with group keys or without.
fn squads(keys: bool) -> (Forest<Game>, TreeId) {
    let mut builder = Tree::<Game>::builder("soldier");
    if keys {
        builder.key_in(Scope::Group, "plan", 7_i64);
    }
    let call = action(|cx: &mut Cx<'_, '_>| {
        if let Some(group) = cx.group() {
            cx.send_to_group(group, Event::new("to me"));
        }
        Status::Success
    });
    let hear = action(|cx: &mut Cx<'_, '_>| {
        let line = cx.entity().to_bits().to_string();
        cx.host.log.push(line);
        Status::Success
    });
    let root = selector([
        sequence([on_event("call"), call]).aborts(Abort::LOWER_PRIORITY),
        sequence([on_event("to me"), hear]).aborts(Abort::LOWER_PRIORITY),
        idle().named("rest"),
    ]);
    let mut forest = Forest::new(3);
    forest.configure(|it| it.batched = false);
    let tree = forest.add_tree(builder.build(pleach_core::nodes::force_success(root)).unwrap()).unwrap();
    (forest, tree)
}

#[test]
fn leaves_and_sensors_know_which_entity_an_agent_is() {
    let (mut forest, mut world) = (Forest::new(1), World::default());
    let tree = forest.add_tree(says()).unwrap();
    let plain = forest.spawn(&mut world, tree).unwrap();
    let named =
        forest.spawn_with(&mut world, tree, Spawn { entity: Entity::from_bits(7), ..Spawn::default() }).unwrap();
    let later = forest.spawn(&mut world, tree).unwrap();
    forest.agent_mut(later).unwrap().set_entity(Entity::from_bits(u64::MAX));
    forest.tick(&mut world, 0.1).unwrap();
    assert_eq!(world.take(), ["0 false", "7 false", &format!("{} false", u64::MAX)]);
    let all = [(plain, Entity::NONE), (named, Entity::from_bits(7)), (later, Entity::from_bits(u64::MAX))];
    assert_eq!(forest.population(tree).unwrap().entities().collect::<Vec<_>>(), all);
    let mut seen = Vec::new();
    forest.population_mut(tree).unwrap().update_agents(|it| seen.push((it.agent(), it.entity())));
    assert_eq!(seen, all);
    assert_eq!(
        (forest.agent(named).map(|it| it.tree_id()), forest.agent(named).map(|it| it.entity())),
        (Ok(tree), Ok(Entity::from_bits(7)))
    );

    // They stay when others go, and when the tree is replaced.
    forest.agent_mut(plain).unwrap().despawn(&mut world);
    forest.replace_tree(&mut world, tree, Replace::restart(says())).unwrap();
    assert_eq!(
        (forest.agent(later).map(|it| it.entity()), forest.agent(named).map(|it| it.entity())),
        (Ok(Entity::from_bits(u64::MAX)), Ok(Entity::from_bits(7)))
    );
    let gone = StaleError::Agent(plain);
    assert_eq!(
        (forest.agent(plain).map(|it| it.entity()), forest.agent(plain).map(|it| it.tree_id())),
        (Err(gone), Err(gone))
    );
    assert_eq!(
        (
            forest.agent_mut(plain).map(|mut it| it.set_entity(Entity::from_bits(1))),
            forest.agent(plain).map(|it| it.group())
        ),
        (Err(gone), Err(gone))
    );
    forest.remove_tree(&mut world, tree).unwrap();
    assert!(forest.population(tree).map(|it| it.entities()).is_err());
}

#[test]
fn a_brain_knows_its_entity_too() {
    let mut world = World::default();
    let mut brain =
        Brain::spawn_with(&mut world, says(), 1, Spawn { entity: Entity::from_bits(5), ..Spawn::default() });
    brain.tick(&mut world, 0.1).unwrap();
    brain.set_entity(Entity::from_bits(6));
    brain.tick(&mut world, 0.1).unwrap();
    assert_eq!(
        (world.take(), brain.entity()),
        (vec!["5 false".to_owned(), "6 false".to_owned()], Entity::from_bits(6))
    );
    assert_eq!(Brain::new(&mut world, says(), 1).entity(), Entity::NONE);
}

#[test]
fn members_hear_what_is_sent_to_their_group() {
    for keys in [false, true] {
        let ((mut forest, tree), mut world) = (squads(keys), World::default());
        let group = forest.new_group();
        let spawn = |forest: &mut Forest<Game>, world: &mut World, entity: u64, group| {
            forest
                .spawn_with(world, tree, Spawn { entity: Entity::from_bits(entity), group, ..Spawn::default() })
                .unwrap()
        };
        let alone = spawn(&mut forest, &mut world, 1, None);
        let members: Vec<AgentId> = (2..6).map(|it| spawn(&mut forest, &mut world, it, Some(group))).collect();
        assert_eq!(forest.group(group).unwrap().members(), &*members);
        assert_eq!(forest.agent(members[0]).unwrap().group(), Some(group));
        assert_eq!(forest.agent(alone).unwrap().group().is_some(), keys, "a group of its own for its group keys");
        let mut squad = forest.group_mut(group).unwrap();
        squad.send(Event::new("to me")).unwrap();
        assert_eq!(squad.as_ref().members(), members);
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take(), ["2", "3", "4", "5"]);
        // The others hear a member's event in the next tick.
        forest.agent_mut(members[2]).unwrap().send(Event::new("call")).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take(), Vec::<String>::new());
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take(), ["2", "3", "5"]);

        // One leaves, one joins, one is despawned, one is disabled.
        forest.agent_mut(members[0]).unwrap().join(None).unwrap();
        forest.agent_mut(alone).unwrap().join(Some(group)).unwrap();
        forest.agent_mut(members[3]).unwrap().despawn(&mut world);
        forest.agent_mut(members[1]).unwrap().disable(&mut world);
        assert_eq!(forest.group(group).unwrap().members().len(), 3);
        assert_eq!(forest.agent(members[0]).unwrap().group().is_some(), keys);
        forest.group_mut(group).unwrap().send(Event::new("to me")).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take(), ["1", "4"]);

        // A removed group.
        forest.group_mut(group).unwrap().remove();
        let gone = StaleError::Group(group);
        assert_eq!((forest.group(group).map(drop), forest.group_mut(group).map(drop)), (Err(gone), Err(gone)));
        assert_eq!(forest.agent_mut(alone).unwrap().join(Some(group)), Err(gone));
        let late = Spawn { group: Some(group), ..Spawn::default() };
        assert_eq!(forest.spawn_with(&mut world, tree, late), Err(gone.into()));
        assert_eq!(forest.agent(alone).unwrap().group().is_some(), keys);
    }
}

/// Emits to its group on a `call`, and logs what it hears of the others.
fn teller() -> Tree<Game> {
    let mut builder = Tree::<Game>::builder("teller");
    builder.key("n", 3_i64);
    builder.event("call", None);
    builder.event("seen", Some(Type::Int));
    let hear = action(|cx: &mut Cx<'_, '_>| {
        let line = format!("{}: {:?}", cx.entity().to_bits(), cx.event("seen").and_then(|it| it.value()));
        cx.host.log.push(line);
        Status::Success
    });
    let tell = emit("seen").payload("n + 1").to_group().named("tell");
    let root = selector([
        sequence([on_event("call"), tell]).aborts(Abort::LOWER_PRIORITY),
        sequence([on_event("seen"), hear]).aborts(Abort::LOWER_PRIORITY),
        idle(),
    ]);
    builder.build(root).unwrap()
}

#[test]
fn an_emit_to_the_group_reaches_its_other_members() {
    for batched in [false, true] {
        let (mut forest, mut world) = (Forest::new(3), World::default());
        forest.configure(|it| it.batched = batched);
        let tree = forest.add_tree(teller()).unwrap();
        let spawn = |entity, group| Spawn { entity: Entity::from_bits(entity), group, ..Spawn::default() };
        let group = forest.new_group();
        let members = [2, 3, 4].map(|it| forest.spawn_with(&mut world, tree, spawn(it, Some(group))).unwrap());
        let alone = forest.spawn_with(&mut world, tree, spawn(5, None)).unwrap();
        forest.tick(&mut world, 0.1).unwrap();
        // All sleep, and are woken for what they are sent.
        for agent in [members[1], alone] {
            forest.agent_mut(agent).unwrap().send(Event::new("call")).unwrap();
        }
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take(), Vec::<String>::new(), "the host hears nothing, and members not yet");
        forest.tick(&mut world, 0.1).unwrap();
        let heard = "Some(Int(4))";
        assert_eq!(world.take(), [format!("2: {heard}"), format!("4: {heard}")]);
        // One has joined, and one has left.
        forest.agent_mut(alone).unwrap().join(Some(group)).unwrap();
        forest.agent_mut(members[1]).unwrap().join(None).unwrap();
        for agent in [members[1], alone] {
            forest.agent_mut(agent).unwrap().send(Event::new("call")).unwrap();
        }
        forest.tick(&mut world, 0.1).unwrap();
        forest.agent_mut(members[2]).unwrap().disable(&mut world);
        forest.tick(&mut world, 0.1).unwrap();
        assert_eq!(world.take(), [format!("2: {heard}")]);
    }
}

#[test]
fn a_brain_emits_to_nobody() {
    let mut world = World::default();
    let mut builder = Tree::<Game>::builder("lone");
    builder.key_in(Scope::Group, "plan", 7_i64);
    let root = selector([on_event("seen"), emit("seen").payload("plan").to_group()]);
    let mut brain = Brain::new(&mut world, builder.build(root).unwrap(), 1);
    for _ in 0..3 {
        assert_eq!(brain.tick(&mut world, 0.1).unwrap(), Some(Outcome::Success));
    }
    let tree = brain.tree();
    assert_eq!(tree.node(NodeId::new(2).unwrap()).unwrap().to_string(), "n2 Emit(seen to the group)");
    assert_eq!(world.take(), Vec::<String>::new());
}

/// A host that keeps what was refused.
struct Strict;

impl Host for Strict {
    type Cx<'a> = Vec<String>;
    fn on_emit(_: &mut Vec<String>, _: AgentId, event: Event) {
        panic!("{event:?} is for the group");
    }
    fn on_refused(cx: &mut Vec<String>, _: AgentId, _: Event, error: &SendError) {
        let SendError::Refused { sender: Some(by), .. } = error else { panic!("{error}") };
        cx.push(format!("{error} {by} sent it"));
    }
}

/// A tree that logs how many events it hears, where it hears any.
fn listener(name: &str, event: &str) -> Tree<Strict> {
    let hears = action(|cx: &mut Context<'_, '_, Strict>| {
        let heard = cx.events().count();
        if heard > 0 {
            cx.host.push(format!("heard {heard}"));
        }
        Status::Running
    });
    let mut builder = Tree::builder(name);
    builder.event(event, None);
    builder.build(hears).unwrap()
}

/// SEMANTICS 8.27: which other agents are in the group does not affect what the sender's tree
/// knows.
#[test]
fn an_emit_that_no_other_member_knows_is_heard_by_nobody() {
    let (mut forest, mut told) = (Forest::<Strict>::new(1), Vec::new());
    let mut builder = Tree::builder("mouse");
    builder.event("squeak", None);
    let squeaks = sequence([emit("squeak").to_group(), idle()]);
    let mice = forest.add_tree(builder.build(squeaks).unwrap()).unwrap();
    let cats = forest.add_tree(listener("cat", "meow")).unwrap();
    let rats = forest.add_tree(listener("rat", "squeak")).unwrap();
    let spawn = Spawn { group: Some(forest.new_group()), ..Spawn::default() };
    let mouse = forest.spawn_with(&mut told, mice, spawn).unwrap();
    for others in [None, Some(cats), Some(rats)] {
        if let Some(tree) = others {
            forest.spawn_with(&mut told, tree, spawn).unwrap();
        }
        forest.agent_mut(mouse).unwrap().restart(&mut told);
        forest.tick(&mut told, 0.1).unwrap();
        assert_eq!(told, Vec::<String>::new());
    }
    forest.tick(&mut told, 0.1).unwrap();
    assert_eq!(told, ["heard 1"], "those who know it hear it");
}

#[test]
fn what_neither_the_sender_nor_a_member_knows_is_refused() {
    let (mut forest, mut told) = (Forest::<Strict>::new(1), Vec::new());
    let shouter = |event: &'static str, gone: bool| {
        let mut builder = Tree::builder("mouse");
        builder.event("squeak", None);
        let shout = action(move |cx: &mut Context<'_, '_, Strict>| {
            let (group, me) = (cx.group().unwrap(), cx.agent());
            if gone {
                cx.despawn(me);
            }
            cx.send_to_group(group, Event::new(event));
            Status::Success
        });
        builder.build(sequence([shout.named("shout"), idle()])).unwrap()
    };
    let spawn = Spawn { group: Some(forest.new_group()), ..Spawn::default() };
    let wrong = forest.add_tree(shouter("squaek", false)).unwrap();
    let mouse = forest.spawn_with(&mut told, wrong, spawn).unwrap();
    forest.tick(&mut told, 0.1).unwrap();
    let who = format!("n1 Action \"shout\" of {mouse:?}, of the tree `mouse`, sent it");
    let line = format!("in the tree `mouse`: unknown event `squaek`: did you mean `squeak`? {who}");
    assert_eq!(told, [&*line], "alone, too");
    told.clear();
    let cats = forest.add_tree(listener("cat", "meow")).unwrap();
    forest.spawn_with(&mut told, cats, spawn).unwrap();
    forest.agent_mut(mouse).unwrap().restart(&mut told);
    forest.tick(&mut told, 0.1).unwrap();
    assert_eq!(told, [line]);
    told.clear();
    // A member hears the events that its tree knows, even if the sender's tree does not know them.
    forest.agent_mut(mouse).unwrap().despawn(&mut told);
    let foreign = forest.add_tree(shouter("meow", false)).unwrap();
    forest.spawn_with(&mut told, foreign, spawn).unwrap();
    forest.tick(&mut told, 0.1).unwrap();
    forest.tick(&mut told, 0.1).unwrap();
    assert_eq!(told, ["heard 1"]);
    told.clear();
    // If an agent is gone, its tree no longer counts.
    let gone = forest.add_tree(shouter("squeak", true)).unwrap();
    forest.spawn_with(&mut told, gone, spawn).unwrap();
    forest.tick(&mut told, 0.1).unwrap();
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn the_own_group_of_an_agent_cannot_be_joined() {
    let ((mut forest, tree), mut world) = (squads(true), World::default());
    let [one, other] = [(); 2].map(|()| forest.spawn(&mut world, tree).unwrap());
    let own = forest.agent(one).unwrap().group().unwrap();
    assert_eq!(forest.group(own).unwrap().members(), &[one][..]);
    let error = forest.agent_mut(other).and_then(|mut it| it.join(Some(own))).unwrap_err();
    assert_eq!(error, StaleError::Group(own));
    // The group is here, and the error does not say that it is not.
    let told = "is the private group of an agent that has joined none, which no other agent can join";
    assert!(error.to_string().ends_with(told), "{error}");
    forest.group_mut(own).unwrap().keys_mut().set_value("plan", 9_i64).unwrap();
    assert_eq!(forest.keys(one).unwrap().value("group.plan"), Ok(9_i64.into()));
    forest.agent_mut(one).unwrap().despawn(&mut world);
    assert_eq!(forest.group(own).map(|it| it.members()), Err(StaleError::Group(own)));
}

#[test]
fn groups_stay_right_through_a_random_life() {
    let ((mut forest, tree), mut world) = (squads(false), World::default());
    let keyed = {
        let mut builder = Tree::<Game>::builder("keyed");
        builder.key_in(Scope::Group, "plan", 7_i64);
        forest.add_tree(builder.build(idle()).unwrap()).unwrap()
    };
    let mut dice = Dice(5);
    let mut groups: Vec<GroupId> = (0..6).map(|_| forest.new_group()).collect();
    // The expected group of each agent, if it joined one.
    let mut agents: Vec<(AgentId, Option<GroupId>)> = Vec::new();
    for _ in 0..4_000 {
        let group = (dice.below(3) > 0).then(|| groups[dice.below(groups.len())]);
        match dice.below(8) {
            0..3 => {
                let tree = [tree, keyed][dice.below(2)];
                let spawn = Spawn { group, ..Spawn::default() };
                agents.push((forest.spawn_with(&mut world, tree, spawn).unwrap(), group));
            }
            3 | 4 if !agents.is_empty() => {
                let (agent, _) = agents.swap_remove(dice.below(agents.len()));
                forest.agent_mut(agent).unwrap().despawn(&mut world);
            }
            7 if dice.below(20) == 0 => {
                let at = dice.below(groups.len());
                let gone = std::mem::replace(&mut groups[at], forest.new_group());
                forest.group_mut(gone).unwrap().remove();
                agents.iter_mut().filter(|it| it.1 == Some(gone)).for_each(|it| it.1 = None);
            }
            _ if !agents.is_empty() => {
                let at = dice.below(agents.len());
                forest.agent_mut(agents[at].0).unwrap().join(group).unwrap();
                agents[at].1 = group;
            }
            _ => {}
        }
    }
    for &group in &groups {
        let mut expected: Vec<_> = agents.iter().filter(|it| it.1 == Some(group)).map(|it| it.0).collect();
        let mut found = forest.group(group).unwrap().members().to_vec();
        expected.sort();
        found.sort();
        assert_eq!(found, expected);
    }
    assert!(agents.len() > 200);
    for &(agent, group) in &agents {
        let own = forest.agent(agent).map(|it| it.tree_id()) == Ok(keyed);
        let found = forest.agent(agent).unwrap().group();
        assert!(if group.is_some() { found == group } else { found.is_some() == own });
    }
}
