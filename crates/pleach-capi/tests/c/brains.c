/* Brains: traces, recordings, new versions of their tree, boards that they share. */
#include "check.h"

typedef struct {
    int steps;
    pleach_agent agent;
} world;

static void update_step(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    (void)call, (void)statuses;
    CHECK(count == 1);
    ((world *)user)->agent = agents[0];
    ((world *)user)->steps += 1;
}

static const char *TREE =
    "Tree(version: 1, name: \"guard\", blackboard: { \"n\": Int(0) }, group: { \"alarm\": Bool(false) },\n"
    "  global: { \"hour\": Float(12) },\n"
    "  root: Selector([Sequence(name: \"fight\", abort: Both, children: [Check(\"group.alarm\"), Step]), Wait(9)]))";

static pleach_tree load(pleach_registry registry, const char *text) {
    pleach_tree tree;
    OK(pleach_tree_load(registry, "guard.ron", text, strlen(text), NULL, NULL, &tree));
    return tree;
}

static void watched(world *world, pleach_registry registry, pleach_tree tree, const char *file) {
    pleach_brain brain;
    pleach_board board;
    pleach_key alarm;
    pleach_agent agent;
    pleach_status outcome;
    pleach_phase phase;
    uint64_t entity;
    uint32_t node = 99, wait;
    size_t count;
    double seconds;
    text lines = {NULL, 0}, recorded = {NULL, 0}, written = {NULL, 0};
    static const char *SHORT =
        "Tree(version: 1, name: \"guard\", group: { \"alarm\": Bool(false) }, root: Selector([\n"
        "  Sequence(name: \"fight\", abort: Both, children: [Check(\"group.alarm\"), Step]), Log(\"so\")]))";

    OK(pleach_tree_key(tree, "group.alarm", PLEACH_TYPE_BOOL, &alarm));
    OK(pleach_brain_new(tree, 7, NULL, &brain));
    OK(pleach_brain_set_entity(brain, 42));
    OK(pleach_brain_set_label(brain, "guard 3"));
    FAILS(PLEACH_ERROR_REFUSED, "pleach_brain_record()", pleach_brain_record_write(brain, collect, &recorded));
    OK(pleach_brain_record(brain, 0, 0, 1));
    OK(pleach_brain_record_file(brain, "guard.ron", TREE, strlen(TREE)));
    OK(pleach_brain_trace(brain, 1, collect, &lines));
    OK(pleach_brain_tick(brain, 0.5f, NULL));
    OK(pleach_tree_find(tree, "Wait", &wait));
    OK(pleach_brain_current(brain, &node, 1, &count));
    CHECK(count == 1 && node == wait);
    OK(pleach_brain_current(brain, NULL, 0, &count));
    FAILS(PLEACH_ERROR_ARGUMENT, "`nodes` is null", pleach_brain_current(brain, NULL, 1, &count));
    /* The alarm comes from a board, which is recorded as what the brain sees. */
    OK(pleach_board_of_group(tree, &board));
    OK(pleach_brain_share(brain, board));
    OK(pleach_board_set(board, "alarm", pleach_bool(1)));
    OK(pleach_brain_tick(brain, 0.5f, NULL));
    CHECK(world->steps == 1 && has(&lines, "guard 3") && has(&lines, "Step") && has(&lines, "Wait"));
    OK(pleach_brain_info(brain, &agent, &entity, &seconds, &outcome));
    CHECK(agent.id == world->agent.id && entity == 42 && seconds == 1.0 && outcome == PLEACH_RUNNING);
    OK(pleach_brain_info(brain, NULL, NULL, NULL, NULL));

    OK(pleach_brain_record_write(brain, collect, &recorded));
    CHECK(recorded.length > 100 && memcmp(recorded.bytes, "pleachrc", 8) == 0);
    size_t before = recorded.length;
    empty(&recorded);
    empty(&lines);
    pleach_tree shorter = load(registry, SHORT);
    OK(pleach_brain_replace_tree(brain, shorter, collect, &written));
    CHECK(has(&written, "guard: 1 agent kept running"));
    OK(pleach_brain_trace(brain, 0, NULL, NULL));
    OK(pleach_brain_set(brain, alarm, pleach_bool(0)));
    OK(pleach_brain_set_stops(brain, 1));
    OK(pleach_brain_tick(brain, 0.5f, &outcome));
    CHECK(outcome == PLEACH_SUCCESS && lines.length == 0);
    OK(pleach_brain_phase(brain, &phase));
    OK(pleach_brain_current(brain, NULL, 0, &count));
    CHECK(phase == PLEACH_PHASE_OFF && count == 0);
    OK(pleach_brain_info(brain, NULL, NULL, NULL, &outcome));
    CHECK(outcome == PLEACH_SUCCESS);
    OK(pleach_brain_record_write(brain, collect, &recorded));
    CHECK(recorded.length > before);
    if (file != NULL) {
        OK(pleach_brain_record_save(brain, file));
    }
    FAILS(PLEACH_ERROR_FILE, "nowhere", pleach_brain_record_save(brain, "nowhere/at/all.plr"));
    OK(pleach_brain_record_end(brain));
    FAILS(PLEACH_ERROR_REFUSED, "nothing is recorded", pleach_brain_record_save(brain, "never.plr"));
    OK(pleach_board_free(board));
    OK(pleach_tree_free(shorter));
    OK(pleach_brain_free(brain));
    empty(&lines), empty(&recorded), empty(&written);
}

static void boards(world *world, pleach_registry registry, pleach_tree tree) {
    pleach_brain guards[3];
    pleach_board squad, all, other;
    pleach_key alarm, hour;
    pleach_value value;
    text saved = {NULL, 0};
    static const char *CALM =
        "Tree(version: 1, name: \"guard\", group: { \"alarm\": Bool(false), \"plan\": Int(4) }, root: Idle)";
    static const char *WRONG = "Tree(version: 1, name: \"owl\", group: { \"alarm\": Float(1) }, root: Idle)";

    OK(pleach_tree_key(tree, "group.alarm", PLEACH_TYPE_BOOL, &alarm));
    OK(pleach_tree_key(tree, "global.hour", PLEACH_TYPE_FLOAT, &hour));
    OK(pleach_board_of_group(tree, &squad));
    OK(pleach_board_of_globals(tree, &all));
    for (int i = 0; i < 3; i++) {
        OK(pleach_brain_new(tree, (uint64_t)i, NULL, &guards[i]));
        OK(pleach_brain_share(guards[i], squad));
        OK(pleach_brain_share(guards[i], all));
        OK(pleach_brain_tick(guards[i], 0.1f, NULL));
    }
    /* One raises the alarm: all fight. */
    world->steps = 0;
    OK(pleach_brain_set(guards[1], alarm, pleach_bool(1)));
    OK(pleach_board_get(squad, "alarm", &value));
    CHECK(value.type == PLEACH_TYPE_BOOL && value.as.boolean == 1);
    for (int i = 0; i < 3; i++) {
        OK(pleach_brain_tick(guards[i], 0.1f, NULL));
    }
    CHECK(world->steps == 3);
    OK(pleach_board_set(all, "hour", pleach_float(6)));
    OK(pleach_brain_get(guards[2], hour, &value));
    CHECK(value.as.number == 6);
    FAILS(PLEACH_ERROR_NOT_FOUND, "alarn", pleach_board_get(squad, "alarn", &value));
    FAILS(PLEACH_ERROR_REFUSED, "", pleach_board_set(squad, "alarm", pleach_int(1)));

    OK(pleach_board_save(squad, collect, &saved));
    OK(pleach_board_set(squad, "alarm", pleach_bool(0)));
    OK(pleach_board_restore(squad, tree, saved.bytes, saved.length));
    OK(pleach_board_get(squad, "alarm", &value));
    CHECK(value.as.boolean == 1);
    FAILS(PLEACH_ERROR_REFUSED, "a board of group keys, and this one is of global keys", pleach_board_restore(all, tree, saved.bytes, saved.length));
    FAILS(PLEACH_ERROR_REFUSED, "not a save", pleach_board_restore(squad, tree, "rubbish", 7));

    /* A board of another tree is not for these brains, and they go on with theirs. */
    pleach_tree wrong = load(registry, WRONG);
    OK(pleach_board_of_group(wrong, &other));
    FAILS(PLEACH_ERROR_REFUSED, "alarm", pleach_brain_share(guards[0], other));
    OK(pleach_brain_tick(guards[0], 0.1f, NULL));
    CHECK(world->steps == 4);

    pleach_tree calm = load(registry, CALM);
    OK(pleach_brain_replace_tree(guards[0], calm, NULL, NULL));
    OK(pleach_board_follow(squad, calm));
    OK(pleach_board_get(squad, "plan", &value));
    CHECK(value.as.integer == 4);
    OK(pleach_brain_tick(guards[0], 0.1f, NULL));

    /* Brains keep their boards. */
    OK(pleach_board_free(squad));
    FAILS(PLEACH_ERROR_HANDLE, "was freed", pleach_board_get(squad, "alarm", &value));
    OK(pleach_brain_get(guards[2], alarm, &value));
    CHECK(value.as.boolean == 1);
    for (int i = 0; i < 3; i++) {
        OK(pleach_brain_free(guards[i]));
    }
    OK(pleach_board_free(all));
    OK(pleach_board_free(other));
    OK(pleach_tree_free(wrong));
    OK(pleach_tree_free(calm));
    empty(&saved);
}

/* Brains take new versions of the files of a library. */
static void take(void *user, const char *name, size_t length, pleach_tree tree) {
    pleach_brain *brain = (pleach_brain *)user;
    CHECK(length == 9 && memcmp(name, "guard.ron", length) == 0);
    OK(pleach_brain_replace_tree(*brain, tree, NULL, NULL));
    OK(pleach_tree_free(tree));
}

static void polled(pleach_registry registry) {
    pleach_library library;
    pleach_tree tree;
    pleach_brain brain;
    pleach_status outcome;
    static const char *LONG = "Tree(version: 1, name: \"guard\", root: Sequence([Wait(1), Wait(9)]))";
    static const char *QUICK = "Tree(version: 1, name: \"guard\", root: Sequence([Wait(1), Wait(0.1)]))";
    static const char *BROKEN = "Tree(version: 1,\nroot: Wlak)";
    OK(pleach_library_new(&library));
    OK(pleach_library_put(library, "guard.ron", LONG, strlen(LONG)));
    OK(pleach_library_load(library, registry, "guard.ron", &tree));
    OK(pleach_brain_new(tree, 7, NULL, &brain));
    OK(pleach_brain_tick(brain, 0.5f, NULL));
    OK(pleach_library_poll(library, registry, take, NULL));
    OK(pleach_library_put(library, "guard.ron", BROKEN, strlen(BROKEN)));
    FAILS(PLEACH_ERROR_REPORT, "guard.ron:2:7: ", pleach_library_poll(library, registry, take, NULL));
    FAILS(PLEACH_ERROR_ARGUMENT, "`take` is null", pleach_library_poll(library, registry, NULL, NULL));
    OK(pleach_library_put(library, "guard.ron", QUICK, strlen(QUICK)));
    OK(pleach_library_poll(library, registry, take, &brain));
    OK(pleach_brain_tick(brain, 1.0f, &outcome));
    CHECK(outcome == PLEACH_RUNNING);
    OK(pleach_brain_tick(brain, 0.2f, &outcome));
    CHECK(outcome == PLEACH_SUCCESS);
    OK(pleach_brain_free(brain));
    OK(pleach_tree_free(tree));
    OK(pleach_library_free(library));
}

/* Writes a recording to the file that it is given. */
int main(int count, char **arguments) {
    world world;
    pleach_registry registry;
    pleach_leaf_desc leaf;
    memset(&world, 0, sizeof world);
    memset(&leaf, 0, sizeof leaf);
    leaf.struct_size = sizeof leaf;
    leaf.name = "Step";
    leaf.update = update_step;
    leaf.user = &world;
    OK(pleach_registry_new(&registry));
    OK(pleach_registry_leaf(registry, &leaf));
    pleach_tree tree = load(registry, TREE);
    watched(&world, registry, tree, count > 1 ? arguments[1] : NULL);
    boards(&world, registry, tree);
    polled(registry);
    OK(pleach_tree_free(tree));
    OK(pleach_registry_free(registry));
    puts("brains: fine");
    return 0;
}
