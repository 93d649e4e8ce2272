/* Sheep that graze, and run from a wolf: a small game in C99. The world is a plain struct; the leaves of the tree are
 * callbacks, each called for all sheep that stand on it. In the terminal, or with WITH_RAYLIB in a window, where the wolf
 * follows the mouse. With a number it runs for so many frames, with a wolf of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pleach.h"

#ifdef WITH_RAYLIB
#include "raylib.h"
#endif

enum { SHEEP = 200, WIDTH = 800, HEIGHT = 450 };

static const char *TREE =
    "Tree(\n"
    "    version: 1, name: \"sheep\", blackboard: { \"wolf\": Float(1000.0) },\n"
    "    root: Selector([\n"
    "        Sequence(name: \"flee\", abort: Both, children: [Check(\"wolf < 90\"), Flee(speed: 120.0)]),\n"
    "        Sequence(name: \"graze\", children: [Wait(\"1 + 3 * wolf / 1000\"), Timeout(1.5, Stroll)]),\n"
    "    ]),\n"
    ")";

typedef struct {
    float x, y;
} place;

typedef struct {
    place sheep[SHEEP];
    int fled[SHEEP];
    place wolf;
} field;

/* Ends the program if a call has failed. */
static void need(pleach_result result) {
    if (result != PLEACH_OK) {
        fprintf(stderr, "%s\n", pleach_last_message());
        exit(1);
    }
}

static float between(float low, float it, float high) {
    return it < low ? low : it > high ? high : it;
}

/* Not off the field. */
static void move(place *it, float x, float y) {
    it->x = between(10, it->x + x, WIDTH - 10);
    it->y = between(10, it->y + y, HEIGHT - 10);
}

/* Runs from the wolf. */
static void flee(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    field *world = (field *)user;
    uint64_t who[SHEEP];
    double speed;
    (void)agents, (void)statuses;
    need(pleach_call_entities(call, who, 0));
    need(pleach_call_number(call, 0, &speed));
    for (size_t i = 0; i < count; i++) {
        float dt;
        place *me = &world->sheep[who[i] - 1];
        float x = me->x - world->wolf.x, y = me->y - world->wolf.y;
        need(pleach_call_dt(call, i, &dt));
        float step = (float)speed * dt / fmaxf(sqrtf(x * x + y * y), 1);
        move(me, x * step, y * step);
        world->fled[who[i] - 1] = 1;
    }
}

/* A few steps to somewhere. */
static void stroll(void *user, pleach_call call, const pleach_agent *agents, size_t count, pleach_status *statuses) {
    field *world = (field *)user;
    uint64_t who[SHEEP];
    (void)agents, (void)statuses;
    need(pleach_call_entities(call, who, 0));
    for (size_t i = 0; i < count; i++) {
        float dt;
        double time;
        place *me = &world->sheep[who[i] - 1];
        need(pleach_call_dt(call, i, &dt));
        need(pleach_call_time(call, i, &time));
        move(me, sinf((float)time + (float)who[i]) * 20 * dt, cosf((float)time * 1.3f + (float)who[i]) * 20 * dt);
    }
}

static void add_leaf(
    pleach_registry registry, const char *name, pleach_update_fn update, field *world, const pleach_param_desc *param) {
    pleach_leaf_desc leaf;
    memset(&leaf, 0, sizeof leaf);
    leaf.struct_size = sizeof leaf;
    leaf.name = name;
    leaf.kind = PLEACH_ACTION;
    leaf.update = update;
    leaf.user = world;
    leaf.params = param;
    leaf.param_count = param != NULL;
    need(pleach_registry_leaf(registry, &leaf));
}

/* Draws a frame, and says where the wolf is; 0 when the window is closed. */
static int show(field *world, int frame, int plays_alone) {
    place circle = {cosf((float)frame / 50) * 200 + 400, sinf((float)frame / 50) * 120 + 225};
#ifdef WITH_RAYLIB
    if (WindowShouldClose()) {
        return 0;
    }
    Vector2 mouse = GetMousePosition();
    world->wolf = plays_alone ? circle : (place){mouse.x, mouse.y};
    BeginDrawing();
    ClearBackground(DARKGREEN);
    for (int i = 0; i < SHEEP; i++) {
        DrawCircle((int)world->sheep[i].x, (int)world->sheep[i].y, 5, RAYWHITE);
    }
    DrawCircle((int)world->wolf.x, (int)world->wolf.y, 7, MAROON);
    EndDrawing();
#else
    enum { COLUMNS = 80, ROWS = 18 };
    world->wolf = circle;
    if (!plays_alone || frame % 100 == 1) {
        char rows[ROWS][COLUMNS + 1];
        for (int row = 0; row < ROWS; row++) {
            memset(rows[row], ' ', COLUMNS);
            rows[row][COLUMNS] = 0;
        }
        for (int i = 0; i < SHEEP; i++) {
            rows[(int)(world->sheep[i].y * ROWS / HEIGHT)][(int)(world->sheep[i].x * COLUMNS / WIDTH)] = 'o';
        }
        rows[(int)(world->wolf.y * ROWS / HEIGHT)][(int)(world->wolf.x * COLUMNS / WIDTH)] = 'W';
        for (int row = 0; row < ROWS; row++) {
            puts(rows[row]);
        }
        puts("");
    }
#endif
    return 1;
}

int main(int count, char **arguments) {
    static field world;
    int frames = count > 1 ? atoi(arguments[1]) : 0, frame = 0, fled = 0;
    pleach_registry registry;
    pleach_tree tree;
    pleach_tree_id flock;
    pleach_forest forest;
    pleach_key wolf;
    pleach_param_desc speed;
    pleach_forest_desc desc;
    float distances[SHEEP];

    memset(&speed, 0, sizeof speed);
    speed.struct_size = sizeof speed;
    speed.name = "speed";
    speed.type = PLEACH_PARAM_FLOAT;
    need(pleach_registry_new(&registry));
    add_leaf(registry, "Flee", flee, &world, &speed);
    add_leaf(registry, "Stroll", stroll, &world, NULL);
    need(pleach_tree_load(registry, "sheep.ron", TREE, strlen(TREE), NULL, NULL, &tree));
    need(pleach_tree_key(tree, "wolf", PLEACH_TYPE_FLOAT, &wolf));

    memset(&desc, 0, sizeof desc);
    desc.struct_size = sizeof desc;
    desc.seed = 7;
    need(pleach_forest_new(&desc, &forest));
    need(pleach_forest_add_tree(forest, tree, &flock));
    for (int i = 0; i < SHEEP; i++) {
        pleach_spawn_desc spawn;
        pleach_agent agent;
        memset(&spawn, 0, sizeof spawn);
        spawn.struct_size = sizeof spawn;
        spawn.entity = (uint64_t)i + 1;
        need(pleach_spawn(forest, flock, &spawn, &agent));
        world.sheep[i].x = 40 * (float)(i % 20) + 20;
        world.sheep[i].y = 43 * (float)(i / 20) + 25;
    }

#ifdef WITH_RAYLIB
    SetTraceLogLevel(LOG_WARNING);
    InitWindow(WIDTH, HEIGHT, "sheep");
    SetTargetFPS(60);
#endif
    while ((frames == 0 || frame < frames) && show(&world, ++frame, frames > 0)) {
        uint64_t who[SHEEP];
        /* The forest keeps its agents in an order of its own. */
        need(pleach_agents(forest, flock, NULL, who, SHEEP, NULL));
        for (int i = 0; i < SHEEP; i++) {
            place *it = &world.sheep[who[i] - 1];
            distances[i] = hypotf(it->x - world.wolf.x, it->y - world.wolf.y);
        }
        need(pleach_write_column(forest, flock, wolf, distances, 0, SHEEP));
        need(pleach_tick(forest, 1.0f / 60, NULL));
    }
#ifdef WITH_RAYLIB
    CloseWindow();
#endif
    for (int i = 0; i < SHEEP; i++) {
        fled += world.fled[i];
    }
    printf("%d frames, %d of %d sheep have fled\n", frame, fled, SHEEP);
    need(pleach_forest_free(forest));
    need(pleach_tree_free(tree));
    need(pleach_registry_free(registry));
    /* Those that the wolf came near flee, and no others. */
    return frames >= 300 && (fled == 0 || fled == SHEEP);
}
