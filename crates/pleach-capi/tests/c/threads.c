/* Threads: leaves that forests and brains share, trees and snapshots that are read at once, errors of each. */
#include <pthread.h>

#include "check.h"

/* Two threads that wait for each other. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int state;
} gate;

static void reach(gate *it, int state) {
    pthread_mutex_lock(&it->lock);
    it->state = state;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
}

static void await(gate *it, int state) {
    pthread_mutex_lock(&it->lock);
    while (it->state < state) {
        pthread_cond_wait(&it->changed, &it->lock);
    }
    pthread_mutex_unlock(&it->lock);
}

typedef struct {
    gate gate;
    pleach_tree tree;
    pleach_forest mine, other;
    pleach_brain brain;
    pleach_agent agent;
    pleach_snapshot snapshot;
    /* Written without a lock: the library has one thread at a time in here. */
    int64_t counter;
    int meets, nested;
} world;

static void update_count(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    (void)call, (void)agents, (void)statuses;
    ((world *)user)->counter += (int64_t)count;
}

/* Stays in the call while the other thread tries. */
static void update_meet(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    world *it = (world *)user;
    (void)call, (void)agents, (void)count, (void)statuses;
    if (it->meets++ == 0) {
        /* The same thread may go on with another forest of these leaves. */
        OK(pleach_tick(it->other, 0.1f, NULL));
        it->nested = 1;
        reach(&it->gate, 1);
        await(&it->gate, 2);
    }
}

static pleach_registry new_registry(world *world, int thread_safe) {
    pleach_registry registry;
    pleach_leaf_desc leaf;
    memset(&leaf, 0, sizeof leaf);
    leaf.struct_size = sizeof leaf;
    leaf.user = world;
    leaf.thread_safe = 1;
    leaf.name = "Meet";
    leaf.update = update_meet;
    OK(pleach_registry_new(&registry));
    OK(pleach_registry_leaf(registry, &leaf));
    leaf.thread_safe = (uint8_t)thread_safe;
    leaf.name = "Count";
    leaf.update = update_count;
    OK(pleach_registry_leaf(registry, &leaf));
    return registry;
}

static pleach_forest forest_of(pleach_tree tree, int agents, pleach_agent *last) {
    pleach_forest forest = new_forest();
    pleach_tree_id id;
    OK(pleach_forest_add_tree(forest, tree, &id));
    for (int i = 0; i < agents; i++) {
        OK(pleach_spawn(forest, id, NULL, last));
    }
    return forest;
}

static pleach_tree load(pleach_registry registry, const char *root) {
    char text[100];
    pleach_tree tree;
    snprintf(text, sizeof text, "Tree(version: 1, name: \"t\", root: %s)", root);
    OK(pleach_tree_load(registry, "t.ron", text, strlen(text), NULL, NULL, &tree));
    return tree;
}

/* What another thread can do while one is in a call with these leaves. */
static void *meanwhile(void *user) {
    world *it = (world *)user;
    text written = {NULL, 0};
    pleach_brain brain;
    size_t count;
    await(&it->gate, 1);
    FAILS(PLEACH_ERROR_BUSY, "the leaf `Count` is not declared `thread_safe`", pleach_tick(it->other, 0.1f, NULL));
    FAILS(PLEACH_ERROR_BUSY, "the leaf `Count`", pleach_brain_tick(it->brain, 0.1f, NULL));
    FAILS(PLEACH_ERROR_BUSY, "the leaf `Count`", pleach_brain_new(it->tree, 1, NULL, &brain));
    FAILS(PLEACH_ERROR_BUSY, "the leaf `Count`", pleach_restart(it->other, it->agent));
    FAILS(PLEACH_ERROR_BUSY, "a forest is in a call", pleach_forest_info(it->mine, &count, NULL));
    /* What calls no leaf is free. */
    OK(pleach_explain(it->other, it->agent, collect, &written));
    OK(pleach_save(it->other, NULL, 0, collect, &written));
    OK(pleach_forest_info(it->other, &count, NULL));
    empty(&written);
    reach(&it->gate, 2);
    return NULL;
}

static void leaves_are_shared(void) {
    world world;
    pthread_t thread;
    pleach_agent agent;
    memset(&world, 0, sizeof world);
    pthread_mutex_init(&world.gate.lock, NULL);
    pthread_cond_init(&world.gate.changed, NULL);
    pleach_registry registry = new_registry(&world, 0);
    pleach_tree meet = load(registry, "Meet");
    world.tree = load(registry, "Count");
    world.mine = forest_of(meet, 1, &agent);
    world.other = forest_of(world.tree, 1, &world.agent);
    OK(pleach_brain_new(world.tree, 1, NULL, &world.brain));
    CHECK(pthread_create(&thread, NULL, meanwhile, &world) == 0);
    OK(pleach_tick(world.mine, 0.1f, NULL));
    pthread_join(thread, NULL);
    CHECK(world.nested == 1 && world.counter == 1);
    /* Then it is free again. */
    OK(pleach_tick(world.other, 0.1f, NULL));
    FAILS(PLEACH_ERROR_THREADS, "the leaf `Count` is not declared `thread_safe`",
        pleach_tick_parallel(world.other, 0.1f, NULL));
    OK(pleach_brain_free(world.brain));
    OK(pleach_forest_free(world.mine));
    OK(pleach_forest_free(world.other));
    OK(pleach_tree_free(meet));
    OK(pleach_tree_free(world.tree));
    OK(pleach_registry_free(registry));
}

#define FRAMES 300
#define AGENTS 20

typedef struct {
    pleach_forest forest;
    int frames;
} ticker;

/* Ticks until all its frames are done, whatever the other thread does. */
static void *tick_on(void *user) {
    ticker *it = (ticker *)user;
    while (it->frames < FRAMES) {
        pleach_result result = pleach_tick(it->forest, 0.1f, NULL);
        CHECK(result == PLEACH_OK || result == PLEACH_ERROR_BUSY);
        it->frames += result == PLEACH_OK;
    }
    return NULL;
}

/* A counter without a lock loses nothing. */
static void one_at_a_time(void) {
    world world;
    pthread_t threads[2];
    ticker tickers[2];
    pleach_agent agent;
    memset(&world, 0, sizeof world);
    pleach_registry registry = new_registry(&world, 0);
    pleach_tree tree = load(registry, "Count");
    for (int i = 0; i < 2; i++) {
        tickers[i].forest = forest_of(tree, AGENTS, &agent);
        tickers[i].frames = 0;
    }
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, tick_on, &tickers[i]) == 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        OK(pleach_forest_free(tickers[i].forest));
    }
    CHECK(world.counter == 2 * FRAMES * AGENTS);
    OK(pleach_tree_free(tree));
    OK(pleach_registry_free(registry));
}

/* Reads a tree, a forest and a snapshot that the other thread reads as well. */
static void *read_on(void *user) {
    world *it = (world *)user;
    pleach_forest forest = new_forest();
    pleach_tree_id id;
    pleach_agent agent;
    uint32_t nodes;
    OK(pleach_forest_add_tree(forest, it->tree, &id));
    for (int i = 0; i < 200; i++) {
        text written = {NULL, 0};
        OK(pleach_tree_nodes(it->tree, &nodes));
        OK(pleach_tree_draw(it->tree, collect, &written));
        OK(pleach_explain(it->mine, it->agent, collect, &written));
        OK(pleach_why_not(it->mine, it->agent, "n0", collect, &written));
        OK(pleach_spawn(forest, id, NULL, &agent));
        FAILS(PLEACH_ERROR_REFUSED, "", pleach_rollback(forest, it->snapshot));
        empty(&written);
    }
    OK(pleach_forest_free(forest));
    return NULL;
}

static void reads_are_shared(void) {
    world world;
    pthread_t thread;
    memset(&world, 0, sizeof world);
    pleach_registry registry = new_registry(&world, 1);
    world.tree = load(registry, "Count");
    world.mine = forest_of(world.tree, 1, &world.agent);
    OK(pleach_snapshot_take(world.mine, &world.snapshot));
    CHECK(pthread_create(&thread, NULL, read_on, &world) == 0);
    read_on(&world);
    pthread_join(thread, NULL);
    OK(pleach_snapshot_free(world.snapshot));
    OK(pleach_forest_free(world.mine));
    OK(pleach_tree_free(world.tree));
    OK(pleach_registry_free(registry));
}

/* Two threads that fail in turn. */
static void fail(const char *name) {
    pleach_library library;
    FAILS(PLEACH_ERROR_FILE, name, pleach_library_open(name, &library));
}

static void *fail_first(void *user) {
    gate *it = (gate *)user;
    pleach_problem problem;
    size_t count;
    fail("no-folder-of-the-first");
    const char *kept = pleach_last_message();
    reach(it, 1);
    await(it, 2);
    /* The other thread has failed meanwhile, and this one sees what it saw. */
    CHECK(pleach_last_message() == kept && strstr(kept, "no-folder-of-the-first") != NULL);
    problem.struct_size = sizeof problem;
    OK(pleach_last_error(0, &problem, &count));
    CHECK(count == 1 && problem.result == PLEACH_ERROR_FILE);
    CHECK(strstr(problem.message, "no-folder-of-the-first") != NULL);
    return NULL;
}

static void *fail_second(void *user) {
    gate *it = (gate *)user;
    size_t count;
    await(it, 1);
    /* Nothing has failed here so far. */
    OK(pleach_last_error(0, NULL, &count));
    CHECK(count == 0 && pleach_last_message()[0] == 0);
    pleach_forest none = {0};
    FAILS(PLEACH_ERROR_HANDLE, "null", pleach_tick(none, 0.1f, NULL));
    fail("no-folder-of-the-second");
    CHECK(strstr(pleach_last_message(), "no-folder-of-the-second") != NULL);
    reach(it, 2);
    return NULL;
}

static void errors_are_of_a_thread(void) {
    gate gate;
    pthread_t first, second;
    memset(&gate, 0, sizeof gate);
    pthread_mutex_init(&gate.lock, NULL);
    pthread_cond_init(&gate.changed, NULL);
    CHECK(pthread_create(&first, NULL, fail_first, &gate) == 0);
    CHECK(pthread_create(&second, NULL, fail_second, &gate) == 0);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

int main(void) {
    errors_are_of_a_thread();
    leaves_are_shared();
    one_at_a_time();
    reads_are_shared();
    puts("threads: fine");
    return 0;
}
