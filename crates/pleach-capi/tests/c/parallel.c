/* A crowd that is ticked on as many threads as the first argument says, or by pleach_tick() if that is 0. Its state is
 * written to the file of the second argument: it is the same for every number. */
#include <pthread.h>

#include "check.h"

#define AGENTS 3000
#define FRAMES 40

/* In the first frame each thread of the pool waits here for the others. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t threads[8];
    int expected, seen;
} meeting;

static void meet(meeting *it) {
    struct timespec until;
    pthread_mutex_lock(&it->lock);
    int known = 0;
    for (int i = 0; i < it->seen; i++) {
        known |= pthread_equal(it->threads[i], pthread_self());
    }
    if (!known) {
        CHECK(it->seen < it->expected);
        it->threads[it->seen++] = pthread_self();
        pthread_cond_broadcast(&it->changed);
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    while (it->seen < it->expected) {
        CHECK(pthread_cond_timedwait(&it->changed, &it->lock, &until) == 0);
    }
    pthread_mutex_unlock(&it->lock);
}

/* Walks by chance. */
static void wander(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    pleach_key key;
    (void)agents;
    meet((meeting *)user);
    OK(pleach_call_key(call, 0, &key));
    for (size_t i = 0; i < count; i++) {
        double step;
        pleach_value at;
        OK(pleach_call_random(call, i, &step));
        OK(pleach_call_get(call, i, key, &at));
        OK(pleach_call_set(call, i, key, pleach_float(at.as.number + (float)step - 0.5f)));
        OK(pleach_call_random(call, i, &step));
        statuses[i] = step < 0.1 ? PLEACH_SUCCESS : PLEACH_RUNNING;
    }
}

static const char *TREE =
    "Tree(version: 1, name: \"walker\", blackboard: { \"at\": Float(0), \"pace\": Float(0), \"laps\": Int(0) },\n"
    "  root: Selector([\n"
    "    Sequence(abort: LowerPriority, children: [Check(\"at > 0.75\"), Set(key: \"at\", to: \"-pace\"), Set(key: \"laps\", to: \"laps + 1\")]),\n"
    "    Sequence([Roll(key: \"pace\", from: 0.0, to: 0.5), Wander(\"at\"), Wait(seconds: 0.2, jitter: 0.2)]),\n"
    "  ]))";

int main(int count, char **arguments) {
    static meeting it;
    pleach_registry registry;
    pleach_leaf_desc leaf;
    pleach_param_desc key;
    pleach_forest_desc desc;
    pleach_forest forest;
    pleach_tree tree;
    pleach_tree_id id;
    pleach_agent agent;
    text saved = {NULL, 0};

    CHECK(count == 3);
    int threads = atoi(arguments[1]);
    it.expected = threads > 0 ? threads : 1;
    pthread_mutex_init(&it.lock, NULL);
    pthread_cond_init(&it.changed, NULL);
    memset(&desc, 0, sizeof desc);
    describe(&leaf, &key, "Wander", PLEACH_TYPE_FLOAT, wander);
    leaf.user = &it;
    leaf.thread_safe = 1;
    OK(pleach_registry_new(&registry));
    OK(pleach_registry_leaf(registry, &leaf));
    OK(pleach_tree_load(registry, "walker.ron", TREE, strlen(TREE), NULL, NULL, &tree));
    desc.struct_size = sizeof desc;
    desc.seed = 7;
    desc.chunk_size = 64;
    OK(pleach_forest_new(&desc, &forest));
    OK(pleach_forest_add_tree(forest, tree, &id));
    for (int i = 0; i < AGENTS; i++) {
        OK(pleach_spawn(forest, id, NULL, &agent));
    }
    for (int i = 0; i < FRAMES; i++) {
        OK(threads > 0 ? pleach_tick_parallel(forest, 0.1f, NULL) : pleach_tick(forest, 0.1f, NULL));
    }
    CHECK(it.seen == it.expected);
    OK(pleach_save(forest, NULL, 0, collect, &saved));
    FILE *to = fopen(arguments[2], "wb");
    CHECK(to != NULL);
    CHECK(fwrite(saved.bytes, 1, saved.length, to) == saved.length && fclose(to) == 0);
    empty(&saved);
    OK(pleach_forest_free(forest));
    OK(pleach_tree_free(tree));
    OK(pleach_registry_free(registry));
    puts("parallel: fine");
    return 0;
}
