/* What a callback can ask and do: parameters of all types, events by their symbols, requests; keys of squads by handle;
 * and results in memory that holds nothing so far. */
#include "check.h"

typedef struct {
    pleach_forest forest;
    pleach_agent agents[3];
    pleach_key plan;
    uint64_t alarm;
    int heard, emitted, stops;
    uint32_t node;
} world;

static void test_hears(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    world *it = (world *)user;
    uint64_t event;
    (void)agents;
    OK(pleach_call_event_name(call, 0, &event));
    CHECK(event == it->alarm);
    for (size_t i = 0; i < count; i++) {
        pleach_value payload;
        statuses[i] = pleach_call_event_of(call, i, event, &payload) == PLEACH_OK;
        if (statuses[i]) {
            CHECK(payload.type == PLEACH_TYPE_FLOAT && payload.as.number == 2);
            OK(pleach_call_event(call, i, "alarm", NULL));
            it->heard += 1;
        } else {
            CHECK(strstr(pleach_last_message(), "no such event") != NULL);
        }
    }
}

/* Calls everybody with an event that is a parameter. */
static void shout(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    world *it = (world *)user;
    uint64_t event;
    pleach_group group;
    pleach_value plan;
    pleach_key key;
    size_t length;
    /* More room than numbers: the rest stays as it is. */
    float *numbers = (float *)malloc(8 * sizeof *numbers);
    CHECK(numbers != NULL && count == 1);
    OK(pleach_call_event_name(call, 0, &event));
    OK(pleach_call_floats(call, 1, numbers, 8, &length));
    CHECK(length == 3 && numbers[0] == 1 && numbers[2] == 3);
    OK(pleach_call_floats(call, 2, numbers, 1, &length));
    CHECK(length == 2 && numbers[0] == 0.5f);
    OK(pleach_call_floats(call, 2, NULL, 0, NULL));
    FAILS(PLEACH_ERROR_ARGUMENT, "`numbers` is null", pleach_call_floats(call, 2, NULL, 1, &length));
    FAILS(PLEACH_ERROR_ARGUMENT, "not aligned", pleach_call_floats(call, 2, (float *)((char *)numbers + 1), 1, &length));
    FAILS(PLEACH_ERROR_NOT_FOUND, "not a list of numbers", pleach_call_floats(call, 0, numbers, 8, &length));
    free(numbers);
    OK(pleach_call_node(call, &it->node));
    /* A key of the squad is a parameter like any other. */
    OK(pleach_call_key(call, 3, &key));
    CHECK(key.id == it->plan.id && key.type == PLEACH_TYPE_SYMBOL);
    OK(pleach_call_get(call, 0, key, &plan));
    CHECK(plan.as.bits == pleach_symbol("rest"));
    OK(pleach_call_set(call, 0, key, pleach_word("go")));
    OK(pleach_call_group(call, 0, &group));
    CHECK(group.id != 0);
    OK(pleach_call_send_group_event(call, 0, group, event, pleach_float(2)));
    OK(pleach_call_send_event(call, 0, agents[0], event, pleach_float(2)));
    OK(pleach_call_send_group(call, 0, group, "quiet", pleach_none()));
    OK(pleach_call_send(call, 0, agents[0], "quiet", pleach_none()));
    OK(pleach_call_emit_event(call, 0, event, pleach_float(2)));
    OK(pleach_call_emit(call, 0, "alarm", pleach_float(2)));
    FAILS(PLEACH_ERROR_REFUSED, "the payload of `alarm` is Float, not Vec3",
        pleach_call_emit(call, 0, "alarm", pleach_vec3(1, 2, 3)));
    FAILS(PLEACH_ERROR_REFUSED, "declares no event", pleach_call_emit(call, 0, "alarn", pleach_none()));
    statuses[0] = PLEACH_SUCCESS;
}

/* The first agent goes, the second begins anew, the third stops. */
static void leave(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    world *it = (world *)user;
    (void)statuses;
    for (size_t i = 0; i < count; i++) {
        if (agents[i].id == it->agents[0].id) {
            OK(pleach_call_despawn(call, agents[i]));
        } else if (agents[i].id == it->agents[1].id) {
            OK(pleach_call_restart(call, i));
        } else {
            OK(pleach_call_stop(call, i));
        }
    }
}

static void end_leave(void *user, pleach_call call, pleach_agent agent, pleach_end end) {
    uint64_t entities[2];
    (void)agent;
    ((world *)user)->stops += end == PLEACH_END_STOPPED || end == PLEACH_END_DESPAWNED;
    /* A call of one agent writes one value. */
    OK(pleach_call_entities(call, entities, 0));
    CHECK(entities[0] != 0);
}

static void on_emit(void *user, pleach_agent agent, uint64_t event, const pleach_value *payload) {
    CHECK(agent.id != 0 && event == ((world *)user)->alarm && payload->as.number == 2);
    ((world *)user)->emitted += 1;
}

static const char *TREE =
    "Tree(version: 1, name: \"crier\", events: { \"alarm\": Float, \"quiet\": () },\n"
    "  group: { \"plan\": Symbol(\"rest\", [\"rest\", \"go\"]) }, global: { \"hour\": Float(12) },\n"
    "  blackboard: { \"b\": Bool(false), \"e\": Entity(none), \"t\": Time(0), \"v\": Vec3(0, 0, 0) },\n"
    "  root: Selector([\n"
    "    Sequence(abort: LowerPriority, children: [Hears(\"alarm\"), Leave]),\n"
    "    Sequence([Check(\"group.plan == rest\"), Shout(\"alarm\", (1, 2, 3), [0.5, 1], \"group.plan\"), Idle]),\n"
    "    Idle,\n"
    "  ]))";

static pleach_registry new_registry(world *world) {
    pleach_registry registry;
    pleach_leaf_desc leaf;
    pleach_param_desc params[4];
    static const char *NAMES[] = {"event", "where", "scores", "plan"};
    static const pleach_param_type TYPES[] = {PLEACH_PARAM_EVENT, PLEACH_PARAM_VEC3, PLEACH_PARAM_FLOATS, PLEACH_PARAM_KEY};
    memset(&leaf, 0, sizeof leaf);
    memset(params, 0, sizeof params);
    for (int i = 0; i < 4; i++) {
        params[i].struct_size = sizeof params[i];
        params[i].name = NAMES[i];
        params[i].type = TYPES[i];
    }
    params[3].key_type = PLEACH_TYPE_SYMBOL;
    OK(pleach_registry_new(&registry));
    leaf.struct_size = sizeof leaf;
    leaf.user = world;
    leaf.params = params;
    leaf.name = "Hears";
    leaf.kind = PLEACH_CONDITION;
    leaf.param_count = 1;
    leaf.update = test_hears;
    OK(pleach_registry_leaf(registry, &leaf));
    leaf.name = "Shout";
    leaf.kind = PLEACH_ACTION;
    leaf.param_count = 4;
    leaf.update = shout;
    OK(pleach_registry_leaf(registry, &leaf));
    leaf.name = "Leave";
    leaf.param_count = 0;
    leaf.update = leave;
    leaf.end = end_leave;
    OK(pleach_registry_leaf(registry, &leaf));
    return registry;
}

/* Memory for results comes as malloc leaves it, and just so much as is needed. */
static void *room(size_t bytes) {
    void *it = malloc(bytes);
    CHECK(it != NULL);
    return it;
}

static void results(world *world, pleach_tree_id id, pleach_group group, pleach_key hour) {
    pleach_agent *agents = (pleach_agent *)room(3 * sizeof *agents);
    uint64_t *entities = (uint64_t *)room(2 * sizeof *entities);
    size_t *count = (size_t *)room(sizeof *count);
    pleach_value *value = (pleach_value *)room(sizeof *value);
    pleach_tick_report *report = (pleach_tick_report *)room(sizeof *report);
    pleach_problem *problem = (pleach_problem *)room(sizeof *problem);
    void *column;
    pleach_forest forest = world->forest;

    OK(pleach_agents(forest, id, agents, NULL, 3, count));
    CHECK(*count == 3 && agents[2].id == world->agents[2].id);
    OK(pleach_agents(forest, id, NULL, entities, 2, count));
    CHECK(*count == 3 && entities[0] == 1 && entities[1] == 2);
    OK(pleach_group_members(forest, group, agents, 1, count));
    CHECK(*count == 3 && agents[0].id == world->agents[0].id);
    OK(pleach_group_members(forest, group, NULL, 0, NULL));
    FAILS(PLEACH_ERROR_ARGUMENT, "`members` is null", pleach_group_members(forest, group, NULL, 1, count));
    FAILS(PLEACH_ERROR_ARGUMENT, "`count` is not aligned",
        pleach_group_members(forest, group, agents, 1, (size_t *)(void *)((char *)count + 1)));
    FAILS(PLEACH_ERROR_ARGUMENT, "more than there can be", pleach_group_members(forest, group, agents, SIZE_MAX / 4, count));

    /* Keys of a squad and of the forest, by handle. */
    OK(pleach_group_get_key(forest, group, world->plan, value));
    CHECK(value->type == PLEACH_TYPE_SYMBOL && value->as.bits == pleach_symbol("rest"));
    OK(pleach_group_set_key(forest, group, world->plan, pleach_word("go")));
    OK(pleach_group_get(forest, group, "plan", value));
    CHECK(value->as.bits == pleach_symbol("go"));
    OK(pleach_group_set_key(forest, group, world->plan, pleach_word("rest")));
    FAILS(PLEACH_ERROR_REFUSED, "", pleach_group_set_key(forest, group, world->plan, pleach_word("fly")));
    FAILS(PLEACH_ERROR_ARGUMENT, "the key holds Symbol, and the value is Bool",
        pleach_group_set_key(forest, group, world->plan, pleach_bool(1)));
    FAILS(PLEACH_ERROR_NOT_FOUND, "\"group.name\"", pleach_group_get_key(forest, group, hour, value));
    pleach_group none = {0};
    OK(pleach_group_set_key(forest, none, hour, pleach_float(6)));
    OK(pleach_group_get_key(forest, none, hour, value));
    CHECK(value->as.number == 6);

    /* Nothing is ticked if the report has another size. */
    double before, after;
    OK(pleach_forest_info(forest, NULL, &before));
    report->struct_size = 1;
    FAILS(PLEACH_ERROR_STRUCT_SIZE, "pleach_tick_report", pleach_tick(forest, 0.1f, report));
    OK(pleach_forest_info(forest, NULL, &after));
    CHECK(before == after);
    problem->struct_size = sizeof *problem;
    OK(pleach_last_error(0, problem, count));
    CHECK(*count == 1 && problem->result == PLEACH_ERROR_STRUCT_SIZE && problem->file[0] == 0);
    CHECK(strcmp(pleach_result_name(problem->result), "PLEACH_ERROR_STRUCT_SIZE") == 0);
    CHECK(strcmp(pleach_result_name(99), "unknown") == 0);
    column = room(3 * sizeof(float));
    FAILS(PLEACH_ERROR_REFUSED, "", pleach_read_column(forest, id, hour, column, 0, 3));
    free(agents), free(entities), free(count), free(value), free(report), free(problem), free(column);
}

/* Each type of value goes in and comes out. */
static void values(world *world, pleach_tree tree) {
    static const char *NAMES[] = {"b", "e", "t", "v"};
    pleach_value all[4], found;
    all[0] = pleach_bool(7);
    all[1] = pleach_entity(99);
    all[2] = pleach_time(1500000000u);
    all[3] = pleach_vec3(1, 2, 3);
    for (int i = 0; i < 4; i++) {
        pleach_key key;
        OK(pleach_tree_key(tree, NAMES[i], all[i].type, &key));
        OK(pleach_set(world->forest, world->agents[0], key, all[i]));
        OK(pleach_get(world->forest, world->agents[0], key, &found));
        CHECK(found.type == all[i].type);
        CHECK(i != 0 || found.as.boolean == 1);
        CHECK(i != 1 || found.as.bits == 99);
        CHECK(i != 2 || found.as.bits == 1500000000u);
        CHECK(i != 3 || (found.as.vec3[0] == 1 && found.as.vec3[2] == 3));
    }
}

static void lives(world *world, pleach_group group) {
    pleach_forest forest = world->forest;
    pleach_agent agent = world->agents[1];
    pleach_phase phase;
    OK(pleach_disable(forest, agent));
    OK(pleach_agent_phase(forest, agent, &phase));
    CHECK(phase == PLEACH_PHASE_OFF);
    OK(pleach_enable(forest, agent));
    OK(pleach_pause(forest, agent));
    OK(pleach_unpause(forest, agent));
    OK(pleach_restart(forest, agent));
    OK(pleach_agent_phase(forest, agent, &phase));
    CHECK(phase == PLEACH_PHASE_ACTIVE);
    OK(pleach_group_remove(forest, group));
    FAILS(PLEACH_ERROR_NOT_FOUND, "GroupId", pleach_group_remove(forest, group));
}

int main(void) {
    world world;
    pleach_tree tree, loose;
    pleach_tree_id id;
    pleach_group group;
    pleach_key hour;
    pleach_phase phase;
    static const char *LOOSE = "Tree(version: 1, root: Hears(\"alarm\"))";
    memset(&world, 0, sizeof world);
    world.alarm = pleach_symbol("alarm");
    pleach_registry registry = new_registry(&world);
    FAILS(PLEACH_ERROR_REPORT, "alarm", pleach_tree_load(registry, "l.ron", LOOSE, strlen(LOOSE), NULL, NULL, &loose));
    OK(pleach_tree_load(registry, "crier.ron", TREE, strlen(TREE), NULL, NULL, &tree));
    OK(pleach_registry_allow_any_event(registry, 1));
    OK(pleach_tree_load(registry, "l.ron", LOOSE, strlen(LOOSE), NULL, NULL, &loose));
    OK(pleach_tree_key(tree, "group.plan", PLEACH_TYPE_SYMBOL, &world.plan));
    OK(pleach_tree_key(tree, "global.hour", PLEACH_TYPE_FLOAT, &hour));
    world.forest = new_forest();
    OK(pleach_forest_hooks(world.forest, on_emit, NULL, &world, 0));
    OK(pleach_forest_add_tree(world.forest, tree, &id));
    OK(pleach_group_new(world.forest, &group));
    for (int i = 0; i < 3; i++) {
        pleach_spawn_desc spawn;
        memset(&spawn, 0, sizeof spawn);
        spawn.struct_size = sizeof spawn;
        spawn.group = group;
        spawn.entity = (uint64_t)i + 1;
        OK(pleach_spawn(world.forest, id, &spawn, &world.agents[i]));
    }
    values(&world, tree);
    results(&world, id, group, hour);

    /* The first agent shouts; all hear it, itself too, and leave. */
    OK(pleach_tick(world.forest, 0.1f, NULL));
    CHECK(world.heard == 0 && world.emitted == 2);
    uint32_t node;
    OK(pleach_tree_find(tree, "Selector/Sequence[1]/Shout[1]", &node));
    CHECK(world.node == node);
    OK(pleach_tick(world.forest, 0.1f, NULL));
    CHECK(world.heard >= 3);
    CHECK(world.stops == 3);
    FAILS(PLEACH_ERROR_NOT_FOUND, "AgentId", pleach_agent_phase(world.forest, world.agents[0], &phase));
    OK(pleach_agent_phase(world.forest, world.agents[1], &phase));
    CHECK(phase == PLEACH_PHASE_ACTIVE);
    OK(pleach_agent_phase(world.forest, world.agents[2], &phase));
    CHECK(phase == PLEACH_PHASE_OFF);
    lives(&world, group);

    OK(pleach_forest_free(world.forest));
    OK(pleach_tree_free(loose));
    OK(pleach_tree_free(tree));
    OK(pleach_registry_free(registry));
    puts("leaves: fine");
    return 0;
}
