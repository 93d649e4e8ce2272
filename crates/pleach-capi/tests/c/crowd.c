/* A crowd whose leaves are callbacks: parameters, keys, batches, starts and ends, events, time. */
#include "check.h"

#define AGENTS 100

typedef struct {
    pleach_key food;
    pleach_tree_id sheep;
    int calls, updates, starts, ends, asked, noises;
    float where[AGENTS];
} world;

static void update_graze(
    void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    world *it = (world *)user;
    pleach_key food;
    float values[AGENTS], dt, rate;
    double most;
    it->calls += 1;
    it->updates += (int)count;
    CHECK(count <= AGENTS && agents[0].id != 0);
    OK(pleach_call_key(call, 0, &food));
    CHECK(food.type == PLEACH_TYPE_FLOAT);
    OK(pleach_call_number(call, 2, &most));
    CHECK(most == 3.0);
    OK(pleach_call_read(call, food, values, 0));
    OK(pleach_call_dt(call, 0, &dt));
    for (size_t i = 0; i < count; i++) {
        OK(pleach_call_expr(call, 1, i, &rate));
        CHECK(rate == 2.0f);
        values[i] += rate * dt;
        statuses[i] = values[i] >= (float)most ? PLEACH_SUCCESS : PLEACH_RUNNING;
    }
    OK(pleach_call_write(call, food, values, sizeof(float)));
}

static void start_graze(void *user, pleach_call call, pleach_agent agent) {
    pleach_value value;
    ((world *)user)->starts += 1;
    CHECK(agent.id != 0);
    OK(pleach_call_get(call, 0, ((world *)user)->food, &value));
    CHECK(value.type == PLEACH_TYPE_FLOAT);
}

static void end_graze(void *user, pleach_call call, pleach_agent agent, pleach_end end) {
    (void)agent;
    ((world *)user)->ends += end == PLEACH_END_SUCCESS || end == PLEACH_END_ABORTED;
    OK(pleach_call_set(call, 0, ((world *)user)->food, pleach_float(0)));
}

static void update_flee(
    void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    world *it = (world *)user;
    uint64_t entities[AGENTS];
    const char *words;
    size_t length;
    (void)agents;
    OK(pleach_call_entities(call, entities, 0));
    OK(pleach_call_text(call, 0, &words, &length));
    CHECK(length == 4 && memcmp(words, "fast", 4) == 0);
    for (size_t i = 0; i < count; i++) {
        pleach_value where;
        if (pleach_call_event(call, i, "noise", &where) == PLEACH_OK) {
            CHECK(where.type == PLEACH_TYPE_VEC2 && where.as.vec2[1] == 4);
            it->noises += 1;
        }
        it->where[entities[i] - 1] += 1;
        OK(pleach_call_spawn(call, i, it->sheep, NULL));
        statuses[i] = PLEACH_SUCCESS;
    }
}

static void test_hears(
    void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    (void)agents;
    ((world *)user)->asked += 1;
    for (size_t i = 0; i < count; i++) {
        statuses[i] = pleach_call_event(call, i, "noise", NULL) == PLEACH_OK;
    }
}

static const char *TREE =
    "Tree(version: 1, name: \"sheep\", events: { \"noise\": Vec2 },\n"
    "  blackboard: { \"food\": Float(0), \"rate\": Float(2) },\n"
    "  root: Selector([\n"
    "    Sequence(abort: LowerPriority, children: [Hears, Flee(gait: \"fast\")]),\n"
    "    Graze(food: \"food\", rate: \"rate\"),\n"
    "  ]))";

static pleach_param_desc param(const char *name, pleach_param_type type, const char *value) {
    pleach_param_desc it;
    memset(&it, 0, sizeof it);
    it.struct_size = sizeof it;
    it.name = name;
    it.type = type;
    it.default_value = value;
    return it;
}

int main(void) {
    world world;
    pleach_registry registry;
    pleach_tree tree;
    pleach_tree_id sheep;
    pleach_agent agents[AGENTS];
    float food[AGENTS + 1];
    pleach_param_desc params[3], gait;
    pleach_leaf_desc leaf;
    pleach_tick_report report;
    text written = {NULL, 0};

    memset(&world, 0, sizeof world);
    CHECK(pleach_abi_version() == PLEACH_ABI_VERSION && pleach_version()[0] == '0');
    OK(pleach_registry_new(&registry));
    OK(pleach_registry_event(registry, "noise", PLEACH_TYPE_VEC2));

    memset(&leaf, 0, sizeof leaf);
    leaf.struct_size = sizeof leaf;
    leaf.user = &world;
    params[0] = param("food", PLEACH_PARAM_KEY, NULL);
    params[0].key_type = PLEACH_TYPE_FLOAT;
    params[1] = param("rate", PLEACH_PARAM_EXPR, "1.0");
    params[2] = param("most", PLEACH_PARAM_FLOAT, "3.0");
    leaf.name = "Graze";
    leaf.doc = "Eats.";
    leaf.params = params;
    leaf.param_count = 3;
    leaf.update = update_graze;
    leaf.start = start_graze;
    leaf.end = end_graze;
    OK(pleach_registry_leaf(registry, &leaf));
    gait = param("gait", PLEACH_PARAM_TEXT, NULL);
    leaf.name = "Flee";
    leaf.params = &gait;
    leaf.param_count = 1;
    leaf.update = update_flee;
    leaf.start = NULL;
    leaf.end = NULL;
    OK(pleach_registry_leaf(registry, &leaf));
    leaf.name = "Hears";
    leaf.kind = PLEACH_CONDITION;
    leaf.params = NULL;
    leaf.param_count = 0;
    leaf.update = test_hears;
    OK(pleach_registry_leaf(registry, &leaf));
    OK(pleach_registry_to_manifest(registry, collect, &written));
    CHECK(has(&written, "Graze") && has(&written, "FloatExpr"));

    OK(pleach_tree_load(registry, "sheep.ron", TREE, strlen(TREE), NULL, NULL, &tree));
    OK(pleach_tree_key(tree, "food", PLEACH_TYPE_FLOAT, &world.food));
    OK(pleach_registry_free(registry));

    pleach_forest forest = new_forest();
    OK(pleach_forest_add_tree(forest, tree, &sheep));
    OK(pleach_tree_free(tree));
    world.sheep = sheep;
    for (size_t i = 0; i < AGENTS; i++) {
        pleach_spawn_desc spawn;
        memset(&spawn, 0, sizeof spawn);
        spawn.struct_size = sizeof spawn;
        spawn.entity = i + 1;
        OK(pleach_spawn(forest, sheep, &spawn, &agents[i]));
    }
    report.struct_size = sizeof report;
    OK(pleach_tick(forest, 0.5f, &report));
    CHECK(report.ticked == AGENTS && world.starts == AGENTS && world.updates == AGENTS);
    world.calls = world.updates = 0;
    OK(pleach_tick(forest, 0.5f, &report));
    /* One call for all of them. */
    CHECK(world.calls == 1 && world.updates == AGENTS && world.asked > 0);
    OK(pleach_read_column(forest, sheep, world.food, food, 0, AGENTS));
    CHECK(food[0] == 2.0f && food[AGENTS - 1] == 2.0f);

    OK(pleach_send(forest, agents[3], "noise", pleach_vec2(3, 4)));
    OK(pleach_tick(forest, 0.5f, NULL));
    CHECK(world.noises == 1 && world.where[3] == 1 && world.where[4] == 0);
    CHECK(world.ends == AGENTS);
    size_t count;
    OK(pleach_forest_info(forest, &count, NULL));
    CHECK(count == AGENTS + 1);

    for (size_t i = 0; i < AGENTS + 1; i++) {
        food[i] = (float)i;
    }
    OK(pleach_write_column(forest, sheep, world.food, food, sizeof food[0], AGENTS + 1));
    pleach_value value;
    OK(pleach_get(forest, agents[42], world.food, &value));
    CHECK(value.as.number == 42);
    OK(pleach_set(forest, agents[42], world.food, pleach_float(1)));
    OK(pleach_get(forest, agents[42], world.food, &value));
    CHECK(value.as.number == 1);

    pleach_phase phase;
    OK(pleach_pause(forest, agents[1]));
    OK(pleach_agent_phase(forest, agents[1], &phase));
    CHECK(phase == PLEACH_PHASE_PAUSED);
    OK(pleach_despawn(forest, agents[1]));
    FAILS(PLEACH_ERROR_NOT_FOUND, "AgentId", pleach_agent_phase(forest, agents[1], &phase));
    OK(pleach_agents(forest, sheep, agents, NULL, AGENTS, &count));
    CHECK(count == AGENTS);
    OK(pleach_tick_within(forest, 0.5f, 10, 0, &report));
    CHECK(report.ticked == 10);
    OK(pleach_tick_within(forest, 0.5f, 0, 1000000, &report));
    OK(pleach_forest_free(forest));
    empty(&written);
    puts("crowd: fine");
    return 0;
}
