/* What calls have done, where the other programs look only at their results: events, slots, rates, labels, budgets. */
#include <time.h>

#include "check.h"

#define AGENTS 6

/* Adds one to a key of every agent. */
static void count_up(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    (void)user, (void)agents, (void)statuses;
    for (size_t i = 0; i < count; i++) {
        pleach_key key;
        pleach_value n;
        OK(pleach_call_key(call, 0, &key));
        OK(pleach_call_get(call, i, key, &n));
        OK(pleach_call_set(call, i, key, pleach_int(n.as.integer + 1)));
    }
}

/* The same, and takes a millisecond of the processor at least. */
static void toil(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    clock_t begin = clock();
    count_up(user, call, agents, count, statuses);
    while ((clock() - begin) * 1000 / CLOCKS_PER_SEC < 2) {
    }
}

static pleach_registry new_registry(void) {
    pleach_registry registry;
    pleach_leaf_desc leaf;
    pleach_param_desc key;
    describe(&leaf, &key, "Count", PLEACH_TYPE_INT, count_up);
    OK(pleach_registry_new(&registry));
    OK(pleach_registry_leaf(registry, &leaf));
    leaf.name = "Toil";
    leaf.update = toil;
    OK(pleach_registry_leaf(registry, &leaf));
    return registry;
}

/* A forest with agents of one tree. */
typedef struct {
    pleach_registry registry;
    pleach_library library;
    pleach_tree tree;
    pleach_forest forest;
    pleach_tree_id id;
    pleach_agent agents[AGENTS];
} world;

static world new_world(const char *source) {
    world it;
    it.registry = new_registry();
    OK(pleach_library_new(&it.library));
    const char *sit = "Tree(version: 1, root: Wait(name: \"seated\", seconds: 50))";
    const char *lie = "Tree(version: 1, root: Idle(name: \"lying\"))";
    OK(pleach_library_put(it.library, "sit.ron", sit, strlen(sit)));
    OK(pleach_library_put(it.library, "lie.ron", lie, strlen(lie)));
    OK(pleach_library_put(it.library, "t.ron", source, strlen(source)));
    OK(pleach_library_load(it.library, it.registry, "t.ron", &it.tree));
    it.forest = new_forest();
    OK(pleach_forest_add_tree(it.forest, it.tree, &it.id));
    for (int i = 0; i < AGENTS; i++) {
        OK(pleach_spawn(it.forest, it.id, NULL, &it.agents[i]));
    }
    return it;
}

static void free_world(const world *it) {
    OK(pleach_forest_free(it->forest));
    OK(pleach_tree_free(it->tree));
    OK(pleach_library_free(it->library));
    OK(pleach_registry_free(it->registry));
}

static void tick(const world *it) {
    OK(pleach_tick(it->forest, 0.1f, NULL));
}

static int64_t number(const world *it, int agent, const char *name) {
    pleach_key key;
    pleach_value value;
    OK(pleach_tree_key(it->tree, name, PLEACH_TYPE_INT, &key));
    OK(pleach_get(it->forest, it->agents[agent], key, &value));
    return value.as.integer;
}

/* Whether the one running leaf of an agent has this name. */
static int runs(const world *it, int agent, const char *name) {
    uint32_t node, running[2];
    size_t count;
    OK(pleach_tree_find(it->tree, name, &node));
    OK(pleach_current(it->forest, it->agents[agent], running, 2, &count));
    return count == 1 && running[0] == node;
}

static void events(void) {
    world it = new_world("Tree(version: 1, events: { \"call\": Int }, blackboard: { \"heard\": Int(0) },\n"
                         "  root: Sequence([WaitFor(event: \"call\", into: \"heard\")]))");
    pleach_group squad;
    tick(&it);
    OK(pleach_broadcast(it.forest, "call", pleach_int(3)));
    CHECK(number(&it, 0, "heard") == 0);
    tick(&it);
    for (int i = 0; i < AGENTS; i++) {
        CHECK(number(&it, i, "heard") == 3);
    }
    /* A squad is called: only its members hear it. */
    OK(pleach_group_new(it.forest, &squad));
    OK(pleach_group_join(it.forest, it.agents[1], squad));
    OK(pleach_group_join(it.forest, it.agents[4], squad));
    tick(&it);
    OK(pleach_group_send(it.forest, squad, "call", pleach_int(8)));
    tick(&it);
    for (int i = 0; i < AGENTS; i++) {
        CHECK(number(&it, i, "heard") == (i == 1 || i == 4 ? 8 : 3));
    }
    free_world(&it);
}

static void slots(void) {
    world it = new_world("Tree(version: 1, root: Slot(name: \"rest\", trees: [\"sit.ron\", \"lie.ron\"], initial: \"sit\"))");
    pleach_group squad;
    pleach_brain brain;
    uint32_t node, running;
    size_t count;
    tick(&it);
    CHECK(runs(&it, 0, "seated") && runs(&it, 5, "seated"));
    OK(pleach_fill(it.forest, it.agents[2], "rest", "lie"));
    tick(&it);
    CHECK(runs(&it, 2, "lying") && runs(&it, 1, "seated"));
    OK(pleach_fill_all(it.forest, it.id, "rest", "lie"));
    tick(&it);
    for (int i = 0; i < AGENTS; i++) {
        CHECK(runs(&it, i, "lying"));
    }
    OK(pleach_group_new(it.forest, &squad));
    OK(pleach_group_join(it.forest, it.agents[3], squad));
    OK(pleach_group_fill(it.forest, squad, "rest", "sit"));
    tick(&it);
    CHECK(runs(&it, 3, "seated") && runs(&it, 2, "lying"));
    OK(pleach_brain_new(it.tree, 7, NULL, &brain));
    OK(pleach_brain_tick(brain, 0.1f, NULL));
    OK(pleach_brain_fill(brain, "rest", "lie"));
    OK(pleach_brain_tick(brain, 0.1f, NULL));
    OK(pleach_tree_find(it.tree, "lying", &node));
    OK(pleach_brain_current(brain, &running, 1, &count));
    CHECK(count == 1 && running == node);
    OK(pleach_brain_free(brain));
    free_world(&it);
}

/* The rate, the label and the end of agents. */
static void settings(void) {
    world it = new_world("Tree(version: 1, blackboard: { \"n\": Int(0) }, root: Count(\"n\"))");
    text lines = {NULL, 0};
    pleach_phase phase;
    OK(pleach_set_rate(it.forest, it.agents[1], 4));
    OK(pleach_set_rate(it.forest, it.agents[2], 0));
    OK(pleach_set_label(it.forest, it.agents[3], "the fourth"));
    OK(pleach_trace(it.forest, &it.agents[3], 1, 0, collect, &lines));
    for (int i = 0; i < 8; i++) {
        tick(&it);
    }
    CHECK(number(&it, 0, "n") == 8 && number(&it, 1, "n") == 2 && number(&it, 2, "n") == 0);
    CHECK(has(&lines, "the fourth"));
    empty(&lines);
    free_world(&it);

    it = new_world("Tree(version: 1, root: Wait(0.15))");
    OK(pleach_set_stops(it.forest, it.agents[0], 1));
    OK(pleach_set_stops(it.forest, it.agents[1], 1));
    OK(pleach_set_stops(it.forest, it.agents[1], 0));
    for (int i = 0; i < 5; i++) {
        tick(&it);
    }
    OK(pleach_agent_phase(it.forest, it.agents[0], &phase));
    CHECK(phase == PLEACH_PHASE_OFF);
    for (int i = 1; i < 3; i++) {
        OK(pleach_agent_phase(it.forest, it.agents[i], &phase));
        CHECK(phase != PLEACH_PHASE_OFF);
    }
    free_world(&it);
}

/* A microsecond is over when the first agent is done. The others follow in later calls, each once. */
static void budgets(void) {
    world it = new_world("Tree(version: 1, blackboard: { \"n\": Int(0) }, root: Toil(\"n\"))");
    pleach_tick_report report;
    uint64_t ticked = 0;
    int calls = 0;
    report.struct_size = sizeof report;
    OK(pleach_forest_free(it.forest));
    pleach_forest_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.struct_size = sizeof desc;
    desc.one_by_one = 1;
    desc.chunk_size = 1;
    OK(pleach_forest_new(&desc, &it.forest));
    OK(pleach_forest_add_tree(it.forest, it.tree, &it.id));
    for (int i = 0; i < AGENTS; i++) {
        OK(pleach_spawn(it.forest, it.id, NULL, &it.agents[i]));
    }
    while (ticked < AGENTS) {
        OK(pleach_tick_within(it.forest, 0.1f, 0, 1, &report));
        CHECK(report.ticked < AGENTS);
        ticked += report.ticked;
        calls += 1;
        CHECK(calls < 100);
    }
    CHECK(ticked == AGENTS && calls >= 2);
    for (int i = 0; i < AGENTS; i++) {
        CHECK(number(&it, i, "n") == 1);
    }
    OK(pleach_tick_within(it.forest, 0.1f, 0, 600000000, &report));
    CHECK(report.ticked == AGENTS);
    free_world(&it);
}

int main(void) {
    events();
    slots();
    settings();
    budgets();
    puts("effects: fine");
    return 0;
}
