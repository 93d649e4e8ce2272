/* Wrong input. Each call returns an error that says what is wrong, and changes nothing. The exception is a tick in which a
 * leaf goes wrong: that frame is carried out. */
#include "check.h"

typedef struct {
    pleach_forest forest;
    pleach_agent agent;
    pleach_call kept;
    pleach_key key;
    int calls;
} world;

static void update(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    world *it = (world *)user;
    pleach_value value;
    double number;
    pleach_key key;
    it->kept = call;
    it->calls += 1;
    /* A callback that calls its own forest. */
    FAILS(PLEACH_ERROR_BUSY, "a forest is in a call", pleach_tick(it->forest, 0.1f, NULL));
    FAILS(PLEACH_ERROR_BUSY, "a forest is in a call", pleach_forest_free(it->forest));
    FAILS(PLEACH_ERROR_BUSY, "a forest is in a call", pleach_get(it->forest, agents[0], it->key, &value));
    /* Agents, parameters and keys that are not there. */
    FAILS(PLEACH_ERROR_ARGUMENT, "none with number", pleach_call_get(call, count, it->key, &value));
    FAILS(PLEACH_ERROR_NOT_FOUND, "none with number 9", pleach_call_number(call, 9, &number));
    FAILS(PLEACH_ERROR_NOT_FOUND, "not a key", pleach_call_key(call, 0, &key));
    memset(&key, 0, sizeof key);
    FAILS(PLEACH_ERROR_ARGUMENT, "the key is none", pleach_call_get(call, 0, key, &value));
    key = it->key;
    key.id ^= 0xffff00000000u;
    FAILS(PLEACH_ERROR_NOT_FOUND, "another tree", pleach_call_get(call, 0, key, &value));
    FAILS(PLEACH_ERROR_ARGUMENT, "holds Int", pleach_call_set(call, 0, it->key, pleach_float(1)));
    FAILS(PLEACH_ERROR_ARGUMENT, "pleach_call_set: the value is of type PLEACH_TYPE_NONE",
        pleach_call_set(call, 0, it->key, pleach_none()));
    FAILS(PLEACH_ERROR_ARGUMENT, "null", pleach_call_get(call, 0, it->key, NULL));
    FAILS(PLEACH_ERROR_ARGUMENT, "pleach_call_read: the column is null", pleach_call_read(call, it->key, NULL, 0));
    FAILS(PLEACH_ERROR_ARGUMENT, "bytes apart", pleach_call_read(call, it->key, &number, 3));
    FAILS(PLEACH_ERROR_UTF8, "pleach_call_event: `name` is not UTF-8", pleach_call_event(call, 0, "\xff", NULL));
    FAILS(PLEACH_ERROR_NOT_FOUND, "no such event", pleach_call_event(call, 0, "noise", NULL));
    if (it->calls == 1) {
        statuses[0] = 77;
    } else if (it->calls == 2) {
        OK(pleach_call_fail(call, 0, "the way is blocked"));
    } else {
        statuses[0] = PLEACH_WRONG;
    }
}

static void no_update(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    (void)user, (void)call, (void)agents, (void)count, (void)statuses;
}

static pleach_result load(pleach_registry registry, const char *source, pleach_tree *tree) {
    return pleach_tree_load(registry, "dir/t.ron", source, strlen(source), NULL, NULL, tree);
}

int main(void) {
    world world;
    pleach_registry registry, none = {0}, foreign = {0x123400000005u}, freed, next;
    pleach_forest no_forest = {0};
    pleach_tree tree, gone = {0};
    pleach_tree_id id;
    pleach_leaf_desc leaf;
    pleach_param_desc param;
    pleach_problem problem;
    pleach_forest_desc desc;
    size_t count;

    memset(&world, 0, sizeof world);
    memset(&leaf, 0, sizeof leaf);
    memset(&problem, 0, sizeof problem);
    leaf.name = "Walk";
    leaf.update = update;
    leaf.user = &world;

    /* Before anything has failed. */
    CHECK(pleach_last_message()[0] == 0);
    OK(pleach_last_error(0, NULL, &count));
    CHECK(count == 0);

    /* Handles that are null, of something else, of nothing, or freed. */
    FAILS(PLEACH_ERROR_HANDLE, "pleach_registry_event: the handle is null", pleach_registry_event(none, "noise", 0));
    FAILS(PLEACH_ERROR_HANDLE, "never was a registry", pleach_registry_event(foreign, "noise", 0));
    OK(pleach_registry_new(&registry));
    world.forest = new_forest();
    foreign.id = world.forest.id;
    FAILS(PLEACH_ERROR_HANDLE, "of something else, and not a registry", pleach_registry_event(foreign, "noise", 0));
    FAILS(PLEACH_ERROR_HANDLE, "of something else", pleach_registry_free(foreign));
    OK(pleach_registry_new(&freed));
    OK(pleach_registry_free(freed));
    FAILS(PLEACH_ERROR_HANDLE, "was freed", pleach_registry_event(freed, "noise", 0));
    FAILS(PLEACH_ERROR_HANDLE, "was freed", pleach_registry_free(freed));
    /* Another object takes the place of the freed one, and the old handle does not reach it. */
    OK(pleach_registry_new(&next));
    CHECK((uint32_t)next.id == (uint32_t)freed.id && next.id != freed.id);
    FAILS(PLEACH_ERROR_HANDLE, "was freed", pleach_registry_event(freed, "noise", 0));
    FAILS(PLEACH_ERROR_HANDLE, "was freed", pleach_registry_free(freed));
    OK(pleach_registry_event(next, "noise", 0));
    OK(pleach_registry_free(next));
    OK(pleach_registry_free(none));
    FAILS(PLEACH_ERROR_ARGUMENT, "null", pleach_registry_new(NULL));

    /* Structs of another size. */
    FAILS(PLEACH_ERROR_STRUCT_SIZE, "`struct_size` of `pleach_leaf_desc` is 0", pleach_registry_leaf(registry, &leaf));
    leaf.struct_size = sizeof leaf + 8;
    FAILS(PLEACH_ERROR_STRUCT_SIZE, "sizeof(pleach_leaf_desc)", pleach_registry_leaf(registry, &leaf));
    FAILS(PLEACH_ERROR_ARGUMENT, "`pleach_leaf_desc` is null", pleach_registry_leaf(registry, NULL));
    CHECK(pleach_last_error(0, &problem, NULL) == PLEACH_ERROR_STRUCT_SIZE);
    memset(&desc, 0, sizeof desc);
    FAILS(PLEACH_ERROR_STRUCT_SIZE, "pleach_forest_desc", pleach_forest_new(&desc, &world.forest));
    leaf.struct_size = sizeof leaf;

    /* Leaves that are none. */
    leaf.kind = 9;
    FAILS(PLEACH_ERROR_ARGUMENT, 
        "pleach_registry_leaf: the `kind` of the leaf `Walk` is 9, which is not a pleach_leaf_kind",
        pleach_registry_leaf(registry, &leaf));
    leaf.kind = PLEACH_ACTION;
    leaf.name = "Wait";
    FAILS(PLEACH_ERROR_REGISTRY, "built in", pleach_registry_leaf(registry, &leaf));
    leaf.name = "W\xc3\x28lk";
    FAILS(PLEACH_ERROR_UTF8, "`name` is not UTF-8: byte 1 is wrong", pleach_registry_leaf(registry, &leaf));
    leaf.name = NULL;
    FAILS(PLEACH_ERROR_ARGUMENT, "`name` is null", pleach_registry_leaf(registry, &leaf));
    leaf.name = "Walk";
    leaf.update = NULL;
    FAILS(PLEACH_ERROR_ARGUMENT, "`update` of `Walk` is null", pleach_registry_leaf(registry, &leaf));
    leaf.update = update;
    leaf.param_count = 1;
    FAILS(PLEACH_ERROR_ARGUMENT, "`params` is null", pleach_registry_leaf(registry, &leaf));
    memset(&param, 0, sizeof param);
    param.struct_size = sizeof param;
    param.name = "speed";
    param.type = 99;
    leaf.params = &param;
    FAILS(PLEACH_ERROR_ARGUMENT, 
        "the `type` of the parameter `speed` of the leaf `Walk` is 99, which is not a pleach_param_type",
        pleach_registry_leaf(registry, &leaf));
    param.type = PLEACH_PARAM_KEY;
    FAILS(PLEACH_ERROR_ARGUMENT, 
        "the `key_type` of the parameter `speed` of the leaf `Walk` is 0, which is not the type of a key",
        pleach_registry_leaf(registry, &leaf));
    param.key_type = 12;
    FAILS(PLEACH_ERROR_ARGUMENT, "of the leaf `Walk` is 12, which is not a pleach_type",
        pleach_registry_leaf(registry, &leaf));
    param.type = PLEACH_PARAM_FLOAT;
    OK(pleach_registry_leaf(registry, &leaf));
    FAILS(PLEACH_ERROR_REGISTRY, "already registered", pleach_registry_leaf(registry, &leaf));

    /* Trees: every problem with its place. */
    FAILS(PLEACH_ERROR_REPORT, "dir/t.ron:2:3: ",
        load(registry, "Tree(version: 1, root: Sequence([\n  Wlak(speed: 1),\n  Walk(sped: 2), Walk(speed: true)]))", &tree));
    problem.struct_size = sizeof problem;
    OK(pleach_last_error(0, &problem, &count));
    CHECK(count == 3 && problem.line == 2 && problem.column == 3 && strcmp(problem.file, "dir/t.ron") == 0);
    CHECK(strstr(problem.message, "Wlak") != NULL && strstr(problem.help, "Walk") != NULL && problem.code[0] == 'P');
    OK(pleach_last_error(2, &problem, NULL));
    CHECK(problem.line == 3);
    CHECK(pleach_last_error(3, &problem, NULL) == PLEACH_ERROR_NOT_FOUND);
    FAILS(PLEACH_ERROR_ARGUMENT, "`text` is null", pleach_tree_load(registry, "t.ron", NULL, 9, NULL, NULL, &tree));
    FAILS(PLEACH_ERROR_UTF8, "`text` is not UTF-8", load(registry, "Tree(\xff)", &tree));
    FAILS(PLEACH_ERROR_REPORT, "", load(registry, "", &tree));
    FAILS(PLEACH_ERROR_REPORT, "", pleach_tree_load_baked(registry, "t", "no tree", 7, &tree));
    FAILS(PLEACH_ERROR_HANDLE, "the handle is null, and not a tree", pleach_forest_add_tree(world.forest, gone, &id));

    OK(load(registry, "Tree(version: 1, name: \"t\", blackboard: { \"n\": Int(0) }, root: Walk(speed: 1))", &tree));
    FAILS(PLEACH_ERROR_NOT_FOUND, "`m`", pleach_tree_key(tree, "m", PLEACH_TYPE_NONE, &world.key));
    FAILS(PLEACH_ERROR_ARGUMENT, "of type Int, not Float", pleach_tree_key(tree, "n", PLEACH_TYPE_FLOAT, &world.key));
    FAILS(PLEACH_ERROR_ARGUMENT, "-3 is not a pleach_type", pleach_tree_key(tree, "n", -3, &world.key));
    OK(pleach_tree_key(tree, "n", PLEACH_TYPE_NONE, &world.key));
    OK(pleach_forest_add_tree(world.forest, tree, &id));
    pleach_agent nobody = {12345};
    FAILS(PLEACH_ERROR_NOT_FOUND, "AgentId", pleach_set(world.forest, nobody, world.key, pleach_int(1)));
    id.id += 1;
    FAILS(PLEACH_ERROR_REFUSED, "TreeId", pleach_spawn(world.forest, id, NULL, &world.agent));
    id.id -= 1;
    OK(pleach_spawn(world.forest, id, NULL, &world.agent));

    /* Leaves that go wrong: the frame is over, and says which. */
    FAILS(PLEACH_ERROR_LEAF, "it answered 77, which is not a pleach_status", pleach_tick(world.forest, 0.1f, NULL));
    FAILS(PLEACH_ERROR_LEAF, "the way is blocked", pleach_tick(world.forest, 0.1f, NULL));
    OK(pleach_last_error(0, &problem, &count));
    CHECK(count == 1 && problem.agent == world.agent.id && strcmp(problem.code, "Walk") == 0);
    CHECK(strstr(problem.message, "`Walk` at Walk of ") != NULL && strstr(problem.message, "of `t`") != NULL);
    FAILS(PLEACH_ERROR_LEAF, "it went wrong", pleach_tick(world.forest, 0.1f, NULL));
    CHECK(world.calls == 3);

    /* A call that is over, and one of nothing. */
    FAILS(PLEACH_ERROR_CALL, "pleach_call_sleep: the call is over", pleach_call_sleep(world.kept, 0, 1));
    world.kept.id = 0;
    FAILS(PLEACH_ERROR_CALL, "the call is over", pleach_call_sleep(world.kept, 0, 1));

    FAILS(PLEACH_ERROR_ARGUMENT, "pleach_tick: ", pleach_tick(world.forest, -1, NULL));
    FAILS(PLEACH_ERROR_ARGUMENT, "pleach_save: `write` is null", pleach_save(world.forest, NULL, 0, NULL, NULL));
    FAILS(PLEACH_ERROR_HANDLE, "pleach_restart: the handle is null", pleach_restart(no_forest, world.agent));
    FAILS(PLEACH_ERROR_ARGUMENT, "pleach_write_column: the column is null",
        pleach_write_column(world.forest, id, world.key, NULL, 0, 1));
    FAILS(PLEACH_ERROR_THREADS, "thread_safe", pleach_tick_parallel(world.forest, 0.1f, NULL));
    FAILS(PLEACH_ERROR_REFUSED, "not a save", pleach_restore(world.forest, "rubbish", 7, NULL, NULL));
    FAILS(PLEACH_ERROR_REFUSED, "nothing is recorded", pleach_record_save(world.forest, "never.plr"));
    FAILS(PLEACH_ERROR_ARGUMENT, "2 agents, and the tree has 1",
        pleach_read_column(world.forest, id, world.key, &count, 0, 2));
    FAILS(PLEACH_ERROR_REFUSED, "", pleach_send(world.forest, world.agent, "noise", pleach_none()));
    leaf.name = "Stand";
    leaf.update = no_update;
    OK(pleach_registry_leaf(registry, &leaf));

    OK(pleach_forest_free(world.forest));
    FAILS(PLEACH_ERROR_HANDLE, "was freed", pleach_tick(world.forest, 0.1f, NULL));
    OK(pleach_tree_free(tree));
    OK(pleach_registry_free(registry));
    puts("wrong: fine");
    return 0;
}
