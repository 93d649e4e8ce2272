/* Trees in files of a folder: loaded, changed on the disk, loaded again while agents and a brain run them. */
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char folder[200];

static const char *path_of(const char *name) {
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *source) {
    FILE *to = fopen(path_of(name), "wb");
    CHECK(to != NULL);
    CHECK(fwrite(source, 1, strlen(source), to) == strlen(source) && fclose(to) == 0);
}

static void make_folder(void) {
    const char *where = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/pleach-files-XXXXXX", where != NULL ? where : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    CHECK(mkdir(path_of("parts"), 0700) == 0);
}

static void remove_folder(void) {
    CHECK(unlink(path_of("guard.ron")) == 0 && unlink(path_of("parts/rest.ron")) == 0);
    CHECK(rmdir(path_of("parts")) == 0 && rmdir(folder) == 0);
}

static void take(void *user, const char *name, size_t length, pleach_tree tree) {
    CHECK(length == 9 && memcmp(name, "guard.ron", 9) == 0);
    *(pleach_tree *)user = tree;
}

static int explains(pleach_forest forest, pleach_agent agent, const char *words) {
    text written = {NULL, 0};
    OK(pleach_explain(forest, agent, collect, &written));
    int found = has(&written, words);
    empty(&written);
    return found;
}

int main(void) {
    pleach_registry registry;
    pleach_library library;
    pleach_tree tree, next = {0};
    pleach_tree_id guards;
    pleach_agent guard;
    pleach_brain brain;
    pleach_problem problem;
    text report = {NULL, 0};
    uint8_t changed = 9;
    double seconds;

    make_folder();
    write_file("guard.ron", "Tree(version: 1, name: \"guard\", root: Sequence([Wait(1), Subtree(\"parts/rest.ron\")]))");
    write_file("parts/rest.ron", "Tree(version: 1, root: Sequence([Wait(name: \"doze\", seconds: 9)]))");
    OK(pleach_registry_new(&registry));
    OK(pleach_library_open(folder, &library));
    FAILS(PLEACH_ERROR_REPORT, "guest.ron", pleach_library_load(library, registry, "guest.ron", &tree));
    OK(pleach_library_load(library, registry, "guard.ron", &tree));
    OK(pleach_brain_new(tree, 7, NULL, &brain));
    pleach_forest forest = new_forest();
    OK(pleach_library_add_tree(library, registry, "guard.ron", forest, &guards));
    OK(pleach_spawn(forest, guards, NULL, &guard));
    for (int i = 0; i < 3; i++) {
        OK(pleach_tick(forest, 0.5f, NULL));
        OK(pleach_brain_tick(brain, 0.5f, NULL));
    }
    CHECK(explains(forest, guard, "doze"));
    OK(pleach_library_reload(library, registry, forest, &changed, collect, &report));
    CHECK(changed == 0 && report.length == 0);

    /* A file that another one includes. The guard goes on where it is. */
    write_file("parts/rest.ron", "Tree(version: 1, root: Sequence([Wait(name: \"doze\", seconds: 2), Idle(name: \"yawn\")]))");
    OK(pleach_library_reload(library, registry, forest, &changed, collect, &report));
    CHECK(changed == 1 && has(&report, "guard: 1 agent kept running"));
    CHECK(explains(forest, guard, "doze"));
    /* A wait that has begun keeps its end: only the next one is shorter. */
    OK(pleach_restart(forest, guard));
    for (int i = 0; i < 8; i++) {
        OK(pleach_tick(forest, 0.5f, NULL));
    }
    CHECK(explains(forest, guard, "yawn"));
    OK(pleach_library_reload(library, registry, forest, &changed, NULL, NULL));
    CHECK(changed == 0);
    /* A brain takes what the library found. */
    OK(pleach_library_poll(library, registry, take, &next));
    CHECK(next.id != 0);
    OK(pleach_brain_replace_tree(brain, next, NULL, NULL));
    OK(pleach_tree_free(next));

    /* A file that is broken: the report has its place, and the guard goes on. */
    write_file("parts/rest.ron", "Tree(version: 1,\nroot: Stop)");
    FAILS(PLEACH_ERROR_REPORT, "parts/rest.ron:2:7: ",
        pleach_library_reload(library, registry, forest, &changed, NULL, NULL));
    problem.struct_size = sizeof problem;
    OK(pleach_last_error(0, &problem, NULL));
    CHECK(problem.line == 2 && problem.column == 7 && strcmp(problem.file, path_of("parts/rest.ron")) == 0);
    OK(pleach_tick(forest, 0.5f, NULL));
    CHECK(explains(forest, guard, "yawn"));
    /* Mended. */
    write_file("parts/rest.ron", "Tree(version: 1, root: Idle(name: \"stretch\"))");
    OK(pleach_library_reload(library, registry, forest, &changed, NULL, NULL));
    CHECK(changed == 1);
    for (int i = 0; i < 4; i++) {
        OK(pleach_tick(forest, 0.5f, NULL));
    }
    CHECK(explains(forest, guard, "stretch"));
    OK(pleach_forest_info(forest, NULL, &seconds));
    CHECK(seconds > 7.9 && seconds < 8.1);

    empty(&report);
    OK(pleach_brain_free(brain));
    OK(pleach_forest_free(forest));
    OK(pleach_tree_free(tree));
    OK(pleach_library_free(library));
    OK(pleach_registry_free(registry));
    remove_folder();
    puts("files: fine");
    return 0;
}
