/* The rest: libraries, reload, baked trees, manifests, squads, slots, saves, snapshots, brains, traces, recordings,
 * explanations, hooks, threads. */
#include <pthread.h>

#include "check.h"

typedef struct {
    int steps, warnings;
    text log;
    uint64_t emitted;
    float payload;
} world;

static void step(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    world *it = (world *)user;
    double number;
    (void)agents, (void)statuses;
    OK(pleach_call_random(call, 0, &number));
    CHECK(number >= 0 && number < 1);
    OK(pleach_call_time(call, count - 1, &number));
    it->steps += (int)count;
}

/* Writes nothing but keys, so that it can run on several threads. */
static void count_up(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    pleach_key key;
    int64_t values[1024];
    (void)user, (void)agents, (void)statuses;
    OK(pleach_call_key(call, 0, &key));
    OK(pleach_call_read(call, key, values, 0));
    for (size_t i = 0; i < count; i++) {
        values[i] += 1;
    }
    OK(pleach_call_write(call, key, values, 0));
}

static void on_emit(void *user, pleach_agent agent, uint64_t event, const pleach_value *payload) {
    CHECK(agent.id != 0 && payload->type == PLEACH_TYPE_FLOAT);
    ((world *)user)->emitted = event;
    ((world *)user)->payload = payload->as.number;
}

static void on_log(void *user, pleach_agent agent, uint32_t node, const char *words, size_t length) {
    (void)agent, (void)node;
    collect(&((world *)user)->log, words, length);
}

static void on_warning(void *user, const pleach_problem *problem) {
    CHECK(problem->result == PLEACH_OK && problem->line > 0);
    ((world *)user)->warnings += 1;
}

/* Whether bytes have a text in them. */
static int holds(const text *it, const char *words) {
    size_t length = strlen(words);
    for (size_t i = 0; i + length <= it->length; i++) {
        if (memcmp(it->bytes + i, words, length) == 0) {
            return 1;
        }
    }
    return 0;
}

static void put(pleach_library library, const char *name, const char *source) {
    OK(pleach_library_put(library, name, source, strlen(source)));
}

static pleach_registry new_registry(world *world) {
    static const char *MANIFEST =
        "Manifest(version: 1, events: [(name: \"alarm\", payload: None)], leaves: [\n"
        "  (name: \"Step\", kind: Action, parameters: Known([])),\n"
        "  (name: \"Count\", kind: Action, parameters: Known([(name: \"key\", type: Key(Int), presence: Required)])),\n"
        "])";
    pleach_registry registry;
    pleach_leaf_desc leaves[2];
    memset(leaves, 0, sizeof leaves);
    leaves[0].struct_size = leaves[1].struct_size = sizeof leaves[0];
    leaves[0].name = "Step";
    leaves[0].update = step;
    leaves[0].user = world;
    leaves[1].name = "Count";
    leaves[1].update = count_up;
    leaves[1].thread_safe = 1;
    OK(pleach_registry_new(&registry));
    FAILS(PLEACH_ERROR_REGISTRY, "nothing is there to call for the leaf `Count`",
        pleach_registry_manifest(registry, "g.leaves", MANIFEST, strlen(MANIFEST), leaves, 1));
    OK(pleach_registry_free(registry));
    OK(pleach_registry_new(&registry));
    FAILS(PLEACH_ERROR_REPORT, "g.leaves:1:", pleach_registry_manifest(registry, "g.leaves", "Mani(", 5, leaves, 2));
    OK(pleach_registry_manifest(registry, "g.leaves", MANIFEST, strlen(MANIFEST), leaves, 2));
    return registry;
}

static void libraries(world *world, const char *file) {
    pleach_registry registry = new_registry(world);
    pleach_library library;
    pleach_forest forest = new_forest();
    pleach_tree tree, baked;
    pleach_tree_id guards;
    pleach_agent guard;
    text written = {NULL, 0};
    uint8_t changed = 9;

    OK(pleach_library_new(&library));
    put(library, "guard.ron", "Tree(version: 1, name: \"guard\", root: Sequence([Wait(1), Subtree(\"rest.ron\")]))");
    FAILS(PLEACH_ERROR_REPORT, "rest.ron", pleach_library_load(library, registry, "guard.ron", &tree));
    put(library, "rest.ron", "Tree(version: 1, root: Sequence([Step, Wait(3)]))");
    OK(pleach_library_add_tree(library, registry, "guard.ron", forest, &guards));
    OK(pleach_spawn(forest, guards, NULL, &guard));
    OK(pleach_tick(forest, 0.5f, NULL));
    OK(pleach_library_reload(library, registry, forest, &changed, NULL, NULL));
    CHECK(changed == 0);
    put(library, "rest.ron", "Tree(version: 1, root: Sequence([Step, Wait(2)]))");
    OK(pleach_library_reload(library, registry, forest, &changed, collect, &written));
    CHECK(changed == 1 && has(&written, "1 agent kept running"));
    /* A trace and a recording see it, and the recording has the new text. */
    text lines = {NULL, 0}, recorded = {NULL, 0};
    FAILS(PLEACH_ERROR_REFUSED, "pleach_record()", pleach_library_record(library, forest));
    OK(pleach_record(forest, 0, 0, 0));
    OK(pleach_library_record(library, forest));
    OK(pleach_trace(forest, NULL, 0, 0, collect, &lines));
    OK(pleach_tick(forest, 1.1f, NULL));
    CHECK(has(&lines, "Step"));
    empty(&lines);
    put(library, "rest.ron", "Tree(version: 1, root: Wait(2.25))");
    OK(pleach_library_reload(library, registry, forest, &changed, NULL, NULL));
    CHECK(changed == 1 && has(&lines, "Step"));
    OK(pleach_tick(forest, 0.5f, NULL));
    OK(pleach_record_write(forest, collect, &recorded));
    CHECK(holds(&recorded, "Wait(2)]") && holds(&recorded, "Wait(2.25)") && holds(&recorded, "guard.ron"));
    if (file != NULL) {
        OK(pleach_record_save(forest, file));
    }
    OK(pleach_record_end(forest));
    OK(pleach_trace(forest, NULL, 0, 0, NULL, NULL));
    empty(&lines), empty(&recorded);
    put(library, "rest.ron", "Tree(version: 1,\nroot: Stop)");
    FAILS(PLEACH_ERROR_REPORT, "rest.ron:2:7: ", pleach_library_reload(library, registry, forest, &changed, NULL, NULL));
    put(library, "rest.ron", "Tree(version: 1, root: Selector([Idle, Step]))");
    OK(pleach_library_reload(library, registry, forest, &changed, NULL, NULL));
    OK(pleach_library_warnings(library, registry, on_warning, world));
    CHECK(world->warnings > 0);

    empty(&written);
    OK(pleach_library_bake(library, registry, "guard.ron", collect, &written));
    OK(pleach_tree_load_baked(registry, "guard.plb", written.bytes, written.length, &baked));
    OK(pleach_library_load(library, registry, "guard.ron", &tree));
    uint32_t nodes, baked_nodes, node;
    OK(pleach_tree_nodes(tree, &nodes));
    OK(pleach_tree_nodes(baked, &baked_nodes));
    CHECK(nodes == baked_nodes && nodes > 3);
    OK(pleach_tree_find(tree, "n1", &node));
    CHECK(node == 1);
    FAILS(PLEACH_ERROR_NOT_FOUND, "", pleach_tree_find(tree, "nowhere", &node));
    empty(&written);
    OK(pleach_tree_draw(baked, collect, &written));
    CHECK(has(&written, "Wait"));
    empty(&written);
    OK(pleach_tree_name(baked, collect, &written));
    CHECK(strcmp(written.bytes, "guard") == 0);
    empty(&written);
    OK(pleach_forest_replace_tree(forest, guards, baked, collect, &written));
    CHECK(has(&written, "guard"));
    OK(pleach_forest_remove_tree(forest, guards));
    pleach_library none;
    FAILS(PLEACH_ERROR_FILE, "no-such-folder", pleach_library_open("no-such-folder", &none));
    OK(pleach_library_open("../../trees", &none));
    FAILS(PLEACH_ERROR_REFUSED, "of a directory", pleach_library_put(none, "a", "b", 1));
    OK(pleach_library_free(none));
    empty(&written);
    OK(pleach_tree_free(tree));
    OK(pleach_tree_free(baked));
    OK(pleach_forest_free(forest));
    OK(pleach_library_free(library));
    OK(pleach_registry_free(registry));
}

static const char *SQUAD =
    "Tree(version: 1, name: \"squad\", blackboard: { \"n\": Int(0) }, group: { \"plan\": Symbol(\"rest\", [\"rest\", \"go\"]) },\n"
    "  global: { \"hour\": Float(12) }, events: { \"shout\": Float },\n"
    "  root: Selector([\n"
    "    Sequence(name: \"go\", abort: Both, children: [Check(\"group.plan == go\"),\n"
    "      Log(\"off\"), Emit(event: \"shout\", payload: \"hour\"), Step, Count(\"n\"), Idle]),\n"
    "    Slot(name: \"rest\", trees: [\"sit.ron\", \"lie.ron\"], initial: \"sit\"),\n"
    "  ]))";

static void squads(world *world) {
    pleach_registry registry = new_registry(world);
    pleach_library library;
    pleach_forest forest = new_forest(), other = new_forest();
    pleach_tree tree;
    pleach_tree_id id, other_id;
    pleach_agent agents[3], members[3];
    pleach_group group;
    pleach_snapshot snapshot, null_snapshot = {0};
    pleach_value value;
    pleach_key n;
    text written = {NULL, 0}, lines = {NULL, 0}, recorded = {NULL, 0};
    size_t count;
    double seconds;

    OK(pleach_library_new(&library));
    put(library, "squad.ron", SQUAD);
    put(library, "sit.ron", "Tree(version: 1, root: Wait(5))");
    put(library, "lie.ron", "Tree(version: 1, root: Wait(9))");
    OK(pleach_library_load(library, registry, "squad.ron", &tree));
    OK(pleach_tree_key(tree, "n", PLEACH_TYPE_INT, &n));
    OK(pleach_forest_add_tree(forest, tree, &id));
    OK(pleach_forest_add_tree(other, tree, &other_id));
    OK(pleach_forest_hooks(forest, on_emit, on_log, world, 0));
    OK(pleach_group_new(forest, &group));
    for (int i = 0; i < 3; i++) {
        pleach_spawn_desc spawn;
        memset(&spawn, 0, sizeof spawn);
        spawn.struct_size = sizeof spawn;
        spawn.group = group;
        OK(pleach_spawn(forest, id, &spawn, &agents[i]));
    }
    OK(pleach_group_members(forest, group, members, 3, &count));
    CHECK(count == 3 && members[2].id == agents[2].id);
    group.id += 1;
    FAILS(PLEACH_ERROR_NOT_FOUND, "GroupId", pleach_group_join(forest, agents[2], group));
    group.id -= 1;
    pleach_group none = {0};
    OK(pleach_group_join(forest, agents[2], none));
    OK(pleach_group_set(forest, none, "hour", pleach_float(6)));
    OK(pleach_record(forest, 0, 0, 1));
    OK(pleach_record_file(forest, "squad.ron", SQUAD, strlen(SQUAD)));
    OK(pleach_record_file(forest, "squad.baked", "\xff", 2));
    FAILS(PLEACH_ERROR_ARGUMENT, "`text` is null", pleach_record_file(forest, "squad.baked", NULL, 2));
    OK(pleach_trace(forest, agents, 2, 0, collect, &lines));
    OK(pleach_tick(forest, 0.1f, NULL));
    CHECK(has(&lines, "start") && !has(&lines, "Step"));
    FAILS(PLEACH_ERROR_REFUSED, "", pleach_group_set(forest, group, "plan", pleach_word("fly")));
    FAILS(PLEACH_ERROR_REFUSED, "", pleach_group_set(forest, group, "plam", pleach_word("go")));
    OK(pleach_snapshot_take(forest, &snapshot));
    OK(pleach_why_not(forest, agents[0], "go", collect, &written));
    CHECK(has(&written, "plan"));
    empty(&written);
    OK(pleach_group_set(forest, group, "plan", pleach_word("go")));
    OK(pleach_group_get(forest, group, "plan", &value));
    CHECK(value.type == PLEACH_TYPE_SYMBOL && value.as.bits == pleach_symbol("go"));
    OK(pleach_tick(forest, 0.1f, NULL));
    CHECK(world->steps >= 2 && world->emitted == pleach_symbol("shout") && world->payload == 6 && has(&world->log, "off"));
    CHECK(has(&lines, "Step"));
    OK(pleach_tick(forest, 0.1f, NULL));
    OK(pleach_explain(forest, agents[0], collect, &written));
    CHECK(has(&written, "Count") || has(&written, "Idle") || has(&written, "Step"));
    empty(&written);
    OK(pleach_trace(forest, NULL, 0, 0, NULL, NULL));
    OK(pleach_record_write(forest, collect, &recorded));
    CHECK(recorded.length > 100 && memcmp(recorded.bytes, "pleachrc", 8) == 0);
    OK(pleach_record_end(forest));
    FAILS(PLEACH_ERROR_REFUSED, "nothing is recorded", pleach_record_write(forest, collect, &recorded));
    FAILS(PLEACH_ERROR_REFUSED, "", pleach_fill(forest, agents[2], "rest", "run"));
    OK(pleach_fill(forest, agents[2], "rest", "lie"));
    OK(pleach_fill_all(forest, id, "rest", "lie"));
    OK(pleach_group_fill(forest, group, "rest", "sit"));
    OK(pleach_set_rate(forest, agents[2], 4));
    FAILS(PLEACH_ERROR_ARGUMENT, "", pleach_set_rate(forest, agents[2], 4000000000u));
    OK(pleach_set_label(forest, agents[2], "the third"));
    OK(pleach_set_entity(forest, agents[2], 3));
    OK(pleach_set_stops(forest, agents[2], 0));
    uint32_t nodes[8];
    size_t running = 0;
    OK(pleach_current(forest, agents[2], nodes, 8, &running));
    CHECK(running > 0 && running <= 8);
    uint64_t entity;
    OK(pleach_agent_info(forest, agents[2], NULL, &entity));
    CHECK(entity == 3);
    OK(pleach_group_send(forest, group, "shout", pleach_float(1)));
    OK(pleach_broadcast(forest, "alarm", pleach_none()));

    OK(pleach_forest_info(forest, &count, &seconds));
    CHECK(count == 3 && seconds > 0.29 && seconds < 0.31);
    OK(pleach_save(forest, NULL, 0, collect, &written));
    text some = {NULL, 0};
    OK(pleach_save(forest, agents, 1, collect, &some));
    CHECK(some.length < written.length);
    OK(pleach_restore(other, written.bytes, written.length, collect, &recorded));
    CHECK(has(&recorded, "pleachrc") && recorded.length > 100);
    OK(pleach_forest_info(other, &count, NULL));
    CHECK(count == 3);
    FAILS(PLEACH_ERROR_REFUSED, "", pleach_restore(other, written.bytes, written.length / 2, NULL, NULL));
    OK(pleach_rollback(forest, snapshot));
    OK(pleach_forest_info(forest, NULL, &seconds));
    CHECK(seconds > 0.09 && seconds < 0.11);
    FAILS(PLEACH_ERROR_REFUSED, "", pleach_rollback(other, snapshot));
    OK(pleach_snapshot_free(snapshot));
    OK(pleach_snapshot_free(null_snapshot));
    FAILS(PLEACH_ERROR_HANDLE, "was freed", pleach_rollback(forest, snapshot));

    pleach_brain brain;
    pleach_status outcome;
    OK(pleach_brain_new(tree, 7, NULL, &brain));
    OK(pleach_brain_hooks(brain, on_emit, on_log, world));
    OK(pleach_brain_tick(brain, 0.1f, &outcome));
    CHECK(outcome == PLEACH_RUNNING);
    OK(pleach_brain_snapshot(brain));
    OK(pleach_brain_set(brain, n, pleach_int(5)));
    OK(pleach_brain_rollback(brain));
    OK(pleach_brain_get(brain, n, &value));
    CHECK(value.as.integer == 0);
    empty(&written);
    OK(pleach_brain_save(brain, collect, &written));
    OK(pleach_brain_set(brain, n, pleach_int(5)));
    OK(pleach_brain_restore(brain, written.bytes, written.length));
    OK(pleach_brain_get(brain, n, &value));
    CHECK(value.as.integer == 0);
    OK(pleach_brain_send(brain, "shout", pleach_float(1)));
    OK(pleach_brain_fill(brain, "rest", "lie"));
    empty(&written);
    OK(pleach_brain_explain(brain, collect, &written));
    CHECK(written.length > 0);
    empty(&written);
    OK(pleach_brain_why_not(brain, "go", collect, &written));
    CHECK(has(&written, "plan"));
    OK(pleach_brain_pause(brain, 1));
    pleach_phase phase;
    OK(pleach_brain_phase(brain, &phase));
    CHECK(phase == PLEACH_PHASE_PAUSED);
    OK(pleach_brain_pause(brain, 0));
    OK(pleach_brain_enable(brain, 2));
    FAILS(PLEACH_ERROR_ARGUMENT, "pleach_brain_enable: `how` is 3, and not 0, 1 or 2", pleach_brain_enable(brain, 3));
    OK(pleach_brain_free(brain));

    empty(&written), empty(&lines), empty(&recorded), empty(&some), empty(&world->log);
    OK(pleach_forest_free(forest));
    OK(pleach_forest_free(other));
    OK(pleach_tree_free(tree));
    OK(pleach_library_free(library));
    OK(pleach_registry_free(registry));
}

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int state;
    pleach_forest forest;
} meeting;

static void reach(meeting *it, int state) {
    pthread_mutex_lock(&it->lock);
    it->state = state;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
}

static void await(meeting *it, int state) {
    pthread_mutex_lock(&it->lock);
    while (it->state < state) {
        pthread_cond_wait(&it->changed, &it->lock);
    }
    pthread_mutex_unlock(&it->lock);
}

static void meet(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    (void)call, (void)agents, (void)count, (void)statuses;
    reach((meeting *)user, 1);
    await((meeting *)user, 2);
}

static void *tick_other(void *user) {
    meeting *it = (meeting *)user;
    await(it, 1);
    FAILS(PLEACH_ERROR_BUSY, "another thread", pleach_tick(it->forest, 0.1f, NULL));
    reach(it, 2);
    return NULL;
}

static void threads(world *world) {
    pleach_registry registry;
    pleach_tree tree;
    pleach_tree_id id;
    pleach_leaf_desc leaf;
    pleach_param_desc key;
    pleach_agent agent;
    pleach_key n;
    pthread_t thread;
    static int64_t values[2100];
    meeting meeting;
    static const char *COUNT = "Tree(version: 1, blackboard: { \"n\": Int(0) }, root: Count(\"n\"))";
    static const char *MEET = "Tree(version: 1, root: Meet)";
    (void)world;

    describe(&leaf, &key, "Count", PLEACH_TYPE_INT, count_up);
    leaf.thread_safe = 1;
    OK(pleach_registry_new(&registry));
    OK(pleach_registry_leaf(registry, &leaf));
    OK(pleach_tree_load(registry, "count.ron", COUNT, strlen(COUNT), NULL, NULL, &tree));
    OK(pleach_tree_key(tree, "n", PLEACH_TYPE_INT, &n));
    pleach_forest forest = new_forest();
    OK(pleach_forest_add_tree(forest, tree, &id));
    for (int i = 0; i < 2100; i++) {
        OK(pleach_spawn(forest, id, NULL, &agent));
    }
    pleach_tick_report report;
    report.struct_size = sizeof report;
    OK(pleach_tick_parallel(forest, 0.1f, &report));
    OK(pleach_tick_parallel(forest, 0.1f, &report));
    CHECK(report.ticked == 2100);
    OK(pleach_read_column(forest, id, n, values, 0, 2100));
    for (int i = 0; i < 2100; i++) {
        CHECK(values[i] == 2);
    }
    OK(pleach_tree_free(tree));
    OK(pleach_forest_free(forest));

    pthread_mutex_init(&meeting.lock, NULL);
    pthread_cond_init(&meeting.changed, NULL);
    meeting.state = 0;
    leaf.name = "Meet";
    leaf.update = meet;
    leaf.user = &meeting;
    leaf.param_count = 0;
    OK(pleach_registry_leaf(registry, &leaf));
    OK(pleach_tree_load(registry, "meet.ron", MEET, strlen(MEET), NULL, NULL, &tree));
    meeting.forest = new_forest();
    OK(pleach_forest_add_tree(meeting.forest, tree, &id));
    OK(pleach_spawn(meeting.forest, id, NULL, &agent));
    CHECK(pthread_create(&thread, NULL, tick_other, &meeting) == 0);
    OK(pleach_tick(meeting.forest, 0.1f, NULL));
    pthread_join(thread, NULL);
    OK(pleach_forest_free(meeting.forest));
    OK(pleach_tree_free(tree));
    OK(pleach_registry_free(registry));
}

/* Writes a recording with a reload to the file that it is given. */
int main(int count, char **arguments) {
    world world;
    memset(&world, 0, sizeof world);
    libraries(&world, count > 1 ? arguments[1] : NULL);
    squads(&world);
    threads(&world);
    puts("all: fine");
    return 0;
}
