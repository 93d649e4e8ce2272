/* Checks of the test programs. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pleach.h"

#define CHECK(holds)                                                          \
    do {                                                                      \
        if (!(holds)) {                                                       \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

#define OK(call) check_ok((call), __FILE__, __LINE__, #call)
#define FAILS(code, words, call) check_fails((code), (words), (call), __FILE__, __LINE__, #call)

static inline void check_ok(pleach_result result, const char *file, int line, const char *call) {
    if (result != PLEACH_OK) {
        fprintf(stderr, "%s:%d: %s: %s: %s\n", file, line, call, pleach_result_name(result), pleach_last_message());
        exit(1);
    }
}

static inline void check_fails(
    pleach_result code, const char *words, pleach_result result, const char *file, int line, const char *call) {
    if (result != code || (result != PLEACH_OK && strstr(pleach_last_message(), words) == NULL)) {
        fprintf(stderr, "%s:%d: %s: not %s with \"%s\", but %s: %s\n", file, line, call, pleach_result_name(code), words,
            pleach_result_name(result), pleach_last_message());
        exit(1);
    }
}

/* Describes a leaf with one parameter, `key`: the name of a key of this type. */
static inline void describe(pleach_leaf_desc *leaf, pleach_param_desc *key, const char *name, pleach_type of, pleach_update_fn update) {
    memset(leaf, 0, sizeof *leaf);
    memset(key, 0, sizeof *key);
    key->struct_size = sizeof *key;
    key->name = "key";
    key->type = PLEACH_PARAM_KEY;
    key->key_type = of;
    leaf->struct_size = sizeof *leaf;
    leaf->name = name;
    leaf->params = key;
    leaf->param_count = 1;
    leaf->update = update;
}

/* Bytes that a pleach_write_fn was given. */
typedef struct {
    char *bytes;
    size_t length;
} text;

static inline void collect(void *user, const char *bytes, size_t length) {
    text *to = (text *)user;
    char *more = (char *)realloc(to->bytes, to->length + length + 1);
    CHECK(more != NULL);
    if (length > 0) {
        memcpy(more + to->length, bytes, length);
    }
    to->bytes = more;
    to->length += length;
    more[to->length] = 0;
}

static inline int has(const text *it, const char *words) {
    return it->bytes != NULL && strstr(it->bytes, words) != NULL;
}

static inline void empty(text *it) {
    free(it->bytes);
    it->bytes = NULL;
    it->length = 0;
}

static inline pleach_forest new_forest(void) {
    pleach_forest_desc desc;
    pleach_forest forest;
    memset(&desc, 0, sizeof desc);
    desc.struct_size = sizeof desc;
    desc.seed = 7;
    OK(pleach_forest_new(&desc, &forest));
    return forest;
}

#endif
