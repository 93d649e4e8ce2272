/* What a leaf costs through C: `.ci/capi cost` counts the instructions of this program and of examples/cost.rs, which does
 * the same in Rust. Arguments: which tree, how many agents, how many frames. */
#include "check.h"

static float room[1024];

static void step(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    pleach_key x;
    float dt;
    double speed;
    (void)user, (void)agents, (void)statuses;
    pleach_call_key(call, 0, &x);
    pleach_call_number(call, 1, &speed);
    pleach_call_dt(call, 0, &dt);
    pleach_call_read(call, x, room, 0);
    for (size_t i = 0; i < count; i++) {
        room[i] += (float)speed * dt;
    }
    pleach_call_write(call, x, room, 0);
}

static void is_far(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    pleach_key x;
    double than;
    (void)user, (void)agents;
    pleach_call_key(call, 0, &x);
    pleach_call_number(call, 1, &than);
    pleach_call_read(call, x, room, 0);
    for (size_t i = 0; i < count; i++) {
        statuses[i] = room[i] > (float)than;
    }
}

static void step_each(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    pleach_key x;
    double speed;
    (void)user, (void)agents, (void)statuses;
    pleach_call_key(call, 0, &x);
    pleach_call_number(call, 1, &speed);
    for (size_t i = 0; i < count; i++) {
        pleach_value value;
        float dt;
        pleach_call_dt(call, i, &dt);
        pleach_call_get(call, i, x, &value);
        value.as.number += (float)speed * dt;
        pleach_call_set(call, i, x, value);
    }
}

static const char *source(const char *which) {
    if (strcmp(which, "action") == 0) {
        return "Tree(version: 1, blackboard: { \"x\": Float(0) }, root: Step(x: \"x\", speed: 0.5))";
    }
    if (strcmp(which, "condition") == 0) {
        return "Tree(version: 1, blackboard: { \"x\": Float(0) }, root: Selector([\n"
               "  Sequence(abort: LowerPriority, children: [IsFar(x: \"x\", than: 1e9), Idle]), Step(x: \"x\", speed: 0.5)]))";
    }
    return "Tree(version: 1, blackboard: { \"x\": Float(0) }, root: StepEach(x: \"x\", speed: 0.5))";
}

int main(int count, char **arguments) {
    pleach_registry registry;
    pleach_tree tree;
    pleach_tree_id id;
    pleach_agent agent;
    pleach_leaf_desc leaf;
    pleach_param_desc params[2];
    CHECK(count == 4);
    memset(&leaf, 0, sizeof leaf);
    memset(params, 0, sizeof params);
    params[0].struct_size = params[1].struct_size = sizeof params[0];
    params[0].name = "x";
    params[0].type = PLEACH_PARAM_KEY;
    params[0].key_type = PLEACH_TYPE_FLOAT;
    params[1].name = "speed";
    params[1].type = PLEACH_PARAM_FLOAT;
    leaf.struct_size = sizeof leaf;
    leaf.name = "Step";
    leaf.params = params;
    leaf.param_count = 2;
    leaf.update = step;
    OK(pleach_registry_new(&registry));
    OK(pleach_registry_leaf(registry, &leaf));
    leaf.name = "StepEach";
    leaf.update = step_each;
    OK(pleach_registry_leaf(registry, &leaf));
    params[1].name = "than";
    leaf.name = "IsFar";
    leaf.kind = PLEACH_CONDITION;
    leaf.update = is_far;
    OK(pleach_registry_leaf(registry, &leaf));
    const char *text = source(arguments[1]);
    OK(pleach_tree_load(registry, "cost.ron", text, strlen(text), NULL, NULL, &tree));
    pleach_forest forest = new_forest();
    OK(pleach_forest_add_tree(forest, tree, &id));
    for (int i = 0; i < atoi(arguments[2]); i++) {
        OK(pleach_spawn(forest, id, NULL, &agent));
    }
    for (int i = 0; i < atoi(arguments[3]); i++) {
        OK(pleach_tick(forest, 1.0f / 64, NULL));
    }
    pleach_key x;
    pleach_value value;
    OK(pleach_tree_key(tree, "x", PLEACH_TYPE_FLOAT, &x));
    OK(pleach_get(forest, agent, x, &value));
    printf("%g\n", value.as.number);
    OK(pleach_forest_free(forest));
    OK(pleach_tree_free(tree));
    OK(pleach_registry_free(registry));
    return 0;
}
