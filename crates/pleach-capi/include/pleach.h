/* The C interface of pleach: behaviour trees for games. C99 or later, C++11 or later.
 *
 * Made by cbindgen of crates/pleach-capi: edit that, not this.
 *
 * - Functions return PLEACH_OK or an error; pleach_last_error() and pleach_last_message() then say
 *   what is wrong, on the same thread.
 * - Objects are handles: structs with an id, passed by value. A null, freed or foreign handle is an
 *   error, and never a wrong address. Objects that are made here are freed by their *_free().
 * - A struct that begins with struct_size is filled with zeros, and gets its sizeof there.
 * - Texts that go in end with a zero byte, unless they come with their length; they are copied.
 *   Texts and bytes that come out go to a pleach_write_fn, with their length.
 * - One thread at a time changes an object, and nobody reads it meanwhile; any number of threads read
 *   it at once. A call that cannot be made now returns PLEACH_ERROR_BUSY and changes nothing: so does
 *   one of an object from a callback that the object makes.
 * - Unless all leaves of a registry are declared thread-safe, one thread at a time is in calls that may
 *   run them, whatever forests and brains have them. Another thread then gets PLEACH_ERROR_BUSY.
 * - Memory for results need not hold anything. It is written if the call succeeds, and never read; where
 *   a leaf went wrong, the call was carried out and results are written.
 * - Times are in seconds.
 */


#ifndef PLEACH_H
#define PLEACH_H

#include <stddef.h>
#include <stdint.h>

// The version of this interface. It changes when a program that was compiled with an older header
// would not work.
#define PLEACH_ABI_VERSION 1

// What a function returns: PLEACH_OK, or one of PLEACH_ERROR_*. pleach_last_error() then says
// more.
typedef int32_t pleach_result;

// Agents of any number of trees. One thread at a time changes it: another one that calls it
// meanwhile, or a callback of its own, gets PLEACH_ERROR_BUSY. Any number of threads read it at
// once. Freed by pleach_forest_free().
typedef struct pleach_forest {
    // The id of the handle; 0 is null.
    uint64_t id;
} pleach_forest;

// An agent of a forest. The id of a despawned agent stays stale for ever.
typedef struct pleach_agent {
    // Never 0 for an agent.
    uint64_t id;
} pleach_agent;

// What an agent is doing: one of PLEACH_PHASE_*.
typedef int32_t pleach_phase;

// A tree in a forest.
typedef struct pleach_tree_id {
    // Never 0 for a tree.
    uint64_t id;
} pleach_tree_id;

// The type of a value, or of a key: one of PLEACH_TYPE_*.
typedef int32_t pleach_type;

// A key of a tree that was looked up by its name: pleach_tree_key(). It serves every tree that has
// a key of that name, scope and type.
typedef struct pleach_key {
    // Where it is.
    uint64_t id;
    // Its type.
    pleach_type type;
    // 0.
    uint32_t reserved;
} pleach_key;

// What a pleach_value holds: the member of its type.
typedef union pleach_value_data {
    // Of PLEACH_TYPE_BOOL: 0 is false, all else true.
    uint8_t boolean;
    // Of PLEACH_TYPE_INT.
    int64_t integer;
    // Of PLEACH_TYPE_FLOAT.
    float number;
    // Of PLEACH_TYPE_VEC2.
    float vec2[2];
    // Of PLEACH_TYPE_VEC3.
    float vec3[3];
    // Of PLEACH_TYPE_ENTITY, PLEACH_TYPE_SYMBOL and PLEACH_TYPE_TIME.
    uint64_t bits;
} pleach_value_data;

// A value of any type. pleach_bool(), pleach_int(), pleach_float() and so on make one.
typedef struct pleach_value {
    // Which member of `as` holds it; PLEACH_TYPE_NONE if none does.
    pleach_type type;
    // The value.
    union pleach_value_data as;
} pleach_value;

// A tree. Any number of forests and brains run it. Freed by pleach_tree_free(); who runs it keeps
// it.
typedef struct pleach_tree {
    // The id of the handle; 0 is null.
    uint64_t id;
} pleach_tree;

// Group keys or global keys that several brains share: pleach_brain_share(). Freed by
// pleach_board_free(); brains that share it keep it.
typedef struct pleach_board {
    // The id of the handle; 0 is null.
    uint64_t id;
} pleach_board;

// Takes bytes: a text in UTF-8 without a zero behind it, or data. They live during the call.
typedef void (*pleach_write_fn)(void *user, const char *bytes, size_t length);

// A squad: agents with common keys. With id 0 none.
typedef struct pleach_group {
    // Never 0 for a group.
    uint64_t id;
} pleach_group;

// How an agent is spawned. A struct of zeros with its size is an agent without entity and group
// that is enabled at once and restarts when its root has ended.
typedef struct pleach_spawn_desc {
    // sizeof(pleach_spawn_desc).
    size_t struct_size;
    // Which of the game's objects it is; 0 for none.
    uint64_t entity;
    // Its squad, or id 0.
    struct pleach_group group;
    // The state of its random stream, if `has_seed` is not 0.
    uint64_t seed;
    // Whether it has a seed of its own.
    uint8_t has_seed;
    // Whether it stays off until pleach_enable().
    uint8_t disabled;
    // Whether it stops when its root has ended, instead of restarting in its next tick.
    uint8_t stops;
    // 0.
    uint8_t reserved[5];
} pleach_spawn_desc;

// One agent with its tree, in no forest. Up to about ten agents per tree are faster as brains.
// The same rule as for forests: one thread at a time. Freed by pleach_brain_free().
typedef struct pleach_brain {
    // The id of the handle; 0 is null.
    uint64_t id;
} pleach_brain;

// An Emit node ran, or a leaf called pleach_call_emit(). `event` is the symbol of its name.
typedef void (*pleach_emit_fn)(void *user,
                               struct pleach_agent agent,
                               uint64_t event,
                               const struct pleach_value *payload);

// A Log node ran. The text has no zero behind it, and lives during the call.
typedef void (*pleach_log_fn)(void *user,
                              struct pleach_agent agent,
                              uint32_t node,
                              const char *text,
                              size_t length);

// What a leaf says of an agent: one of PLEACH_FAILURE, PLEACH_SUCCESS, PLEACH_RUNNING and
// PLEACH_WRONG.
typedef uint8_t pleach_status;

// The call that a callback is in. It is over when the callback returns.
typedef struct pleach_call {
    // Which call it is.
    uint64_t id;
} pleach_call;

// How a forest runs its agents.
typedef struct pleach_forest_desc {
    // sizeof(pleach_forest_desc).
    size_t struct_size;
    // The seed of all chance: the same seed and calls give the same run.
    uint64_t seed;
    // How many agents are ticked together, and on one thread: 1 to 1024; 0 for 1024.
    uint32_t chunk_size;
    // Whether agents are ticked one after the other, and leaves called for one agent each.
    uint8_t one_by_one;
    // Whether agents that have nothing to do are ticked all the same.
    uint8_t sleepless;
    // Whether every watched condition is asked in every tick.
    uint8_t reevaluate_every_tick;
    // 0.
    uint8_t reserved;
} pleach_forest_desc;

// What a tick did.
typedef struct pleach_tick_report {
    // sizeof(pleach_tick_report), set by the caller.
    size_t struct_size;
    // Agents ticked.
    uint64_t ticked;
    // Agents that slept through the tick.
    uint64_t asleep;
    // Agents whose root ended.
    uint64_t ended;
    // Conditional aborts.
    uint64_t aborts;
} pleach_tick_report;

// A problem: what it is, and where. Texts live until the next call of this library that fails on
// the same thread.
typedef struct pleach_problem {
    // sizeof(pleach_problem), set by the caller.
    size_t struct_size;
    // PLEACH_OK for a warning, or what the failing function returned.
    pleach_result result;
    // The line in the file, from 1; 0 if it is not about a file.
    uint32_t line;
    // The column in characters, from 1; 0 if it is not about a file.
    uint32_t column;
    // The agent whose leaf went wrong, or 0.
    uint64_t agent;
    // What is wrong, in one line.
    const char *message;
    // What to do about it; empty if nothing is known.
    const char *help;
    // The file; empty if it is not about a file.
    const char *file;
    // The code of the problem as the book lists it ("P0101"), or the name of the leaf that went
    // wrong; or empty.
    const char *code;
} pleach_problem;

// Trees in files that include each other. Freed by pleach_library_free().
typedef struct pleach_library {
    // The id of the handle; 0 is null.
    uint64_t id;
} pleach_library;

// The leaves of a game, by the names under which trees use them. Freed by pleach_registry_free();
// trees that were loaded with it stay. Unless all its leaves are declared as thread-safe, one
// thread at a time runs them, in whatever forests and brains.
typedef struct pleach_registry {
    // The id of the handle; 0 is null.
    uint64_t id;
} pleach_registry;

// Receives a tree, and the name of the file that it was loaded by. The name has no zero behind it,
// and lives during the call; the tree is freed by pleach_tree_free().
typedef void (*pleach_tree_fn)(void *user, const char *name, size_t length, struct pleach_tree tree);

// Receives a warning. The problem lives during the call.
typedef void (*pleach_problem_fn)(void *user, const struct pleach_problem *problem);

// What can be written for a parameter: one of PLEACH_PARAM_*.
typedef int32_t pleach_param_type;

// A parameter of a leaf.
typedef struct pleach_param_desc {
    // sizeof(pleach_param_desc).
    size_t struct_size;
    // Its name in trees.
    const char *name;
    // What it is, for people who write trees; may be null.
    const char *doc;
    // What it is if it is left out, as a tree would write it: "2.0", "\"home\""; "None" if it may
    // be left out and is nothing then. Null if it has to be written.
    const char *default_value;
    // One of PLEACH_PARAM_*.
    pleach_param_type type;
    // The type of a PLEACH_PARAM_KEY.
    pleach_type key_type;
} pleach_param_desc;

// Updates agents, or answers for them: writes a pleach_status for each to `statuses`. What is not
// written is PLEACH_RUNNING for an action, and PLEACH_FAILURE for a condition. `call` and the
// lists live until it returns. It must not throw or jump out.
typedef void (*pleach_update_fn)(void *user,
                                 struct pleach_call call,
                                 const struct pleach_agent *agents,
                                 size_t count,
                                 pleach_status *statuses);

// An activation of an agent begins; an update follows in the same tick. In functions that take
// the number of an agent of the call, the agent is 0.
typedef void (*pleach_start_fn)(void *user, struct pleach_call call, struct pleach_agent agent);

// How an activation of a leaf ended.
typedef uint8_t pleach_end;

// An activation of an agent is over. Called exactly once for every start.
typedef void (*pleach_end_fn)(void *user, struct pleach_call call, struct pleach_agent agent, pleach_end end);

// Whether a leaf does something or tells something.
typedef int32_t pleach_leaf_kind;

// A leaf of the game.
typedef struct pleach_leaf_desc {
    // sizeof(pleach_leaf_desc).
    size_t struct_size;
    // Its name in trees.
    const char *name;
    // What it does, for people who write trees; may be null.
    const char *doc;
    // Its parameters, in the order in which trees may write them without their names.
    const struct pleach_param_desc *params;
    // How many there are.
    size_t param_count;
    // Updates agents, or answers for them. Required.
    pleach_update_fn update;
    // Called when an activation begins; may be null.
    pleach_start_fn start;
    // Called when an activation is over; may be null.
    pleach_end_fn end;
    // Handed to the callbacks. It has to live as long as the trees with this leaf.
    void *user;
    // Names of parameters of a condition that name keys: if the answer depends on these keys
    // alone, it is asked when one of them changes. May be null.
    const char *const *observes;
    // How many there are; 0 means that it is asked in every tick.
    size_t observe_count;
    // If above 0, the seconds between two evaluations of a condition.
    float every;
    // PLEACH_ACTION or PLEACH_CONDITION.
    pleach_leaf_kind kind;
    // Whether the callbacks can be called on several threads at once. If one leaf of a registry
    // does not say so, one thread at a time is in calls with leaves of that registry: a call that
    // another thread makes meanwhile returns PLEACH_ERROR_BUSY, and pleach_tick_parallel() returns
    // PLEACH_ERROR_THREADS.
    uint8_t thread_safe;
    // 0.
    uint8_t reserved[7];
} pleach_leaf_desc;

// The agents of a forest at one moment, in memory: for rollback. Freed by pleach_snapshot_free().
typedef struct pleach_snapshot {
    // The id of the handle; 0 is null.
    uint64_t id;
} pleach_snapshot;

// It is ticked.
#define PLEACH_PHASE_ACTIVE 0

// It sleeps until it has something to do.
#define PLEACH_PHASE_ASLEEP 1

// It is paused.
#define PLEACH_PHASE_PAUSED 2

// It is off: disabled, or its root has ended.
#define PLEACH_PHASE_OFF 3

// All went well.
#define PLEACH_OK 0

// A handle is null, was freed, or is of another kind of object.
#define PLEACH_ERROR_HANDLE 1

// An argument is wrong: a null pointer, a number out of range, an unknown constant.
#define PLEACH_ERROR_ARGUMENT 2

// The member struct_size of a struct is not what this library knows.
#define PLEACH_ERROR_STRUCT_SIZE 3

// A text is not UTF-8.
#define PLEACH_ERROR_UTF8 4

// The object is in a call: on another thread, or of the callback that calls this. Or its leaves
// are, on another thread.
#define PLEACH_ERROR_BUSY 5

// A tree, a manifest or a baked file is wrong. Each problem has its place.
#define PLEACH_ERROR_REPORT 6

// A leaf or an event cannot be registered.
#define PLEACH_ERROR_REGISTRY 7

// The agent, tree, group, key, node or event does not exist, or no longer does.
#define PLEACH_ERROR_NOT_FOUND 8

// The runtime refuses the call, or a key the value.
#define PLEACH_ERROR_REFUSED 9

// A leaf of the game went wrong. The call was carried out all the same.
#define PLEACH_ERROR_LEAF 10

// A file cannot be read.
#define PLEACH_ERROR_FILE 11

// The function can only be called in a callback, with the pleach_call that it was given.
#define PLEACH_ERROR_CALL 12

// The forest has leaves that are not declared as safe on several threads.
#define PLEACH_ERROR_THREADS 13

// A mistake in this library. The objects of the call are as consistent as after any other error.
#define PLEACH_ERROR_INTERNAL 14

// It failed; the answer is no.
#define PLEACH_FAILURE 0

// It succeeded; the answer is yes.
#define PLEACH_SUCCESS 1

// It goes on in a later tick.
#define PLEACH_RUNNING 2

// Something went wrong: the leaf fails for this agent, and the call of the runtime returns
// PLEACH_ERROR_LEAF when it is over. pleach_call_fail() sets it with a message.
#define PLEACH_WRONG 3

// By itself, with failure.
#define PLEACH_END_FAILURE 0

// By itself, with success.
#define PLEACH_END_SUCCESS 1

// From outside: a condition, a guard, a timeout or a composite above ended it.
#define PLEACH_END_ABORTED 2

// From outside: the switch above selects another child.
#define PLEACH_END_SWITCHED 3

// From outside: the parallel above is decided.
#define PLEACH_END_DECIDED 4

// From outside: the agent was disabled or restarted.
#define PLEACH_END_STOPPED 5

// From outside: the tree was replaced.
#define PLEACH_END_REPLACED 6

// From outside: the agent was despawned.
#define PLEACH_END_DESPAWNED 7

// From outside: it was running in the `do` of a Finally.
#define PLEACH_END_NOT_INSTANT 8

// From outside, for a reason that is younger than this header.
#define PLEACH_END_OTHER 255

// true or false; pleach_call_number().
#define PLEACH_PARAM_BOOL 1

// A whole number; pleach_call_number().
#define PLEACH_PARAM_INT 2

// A number; pleach_call_number().
#define PLEACH_PARAM_FLOAT 3

// A string; pleach_call_text().
#define PLEACH_PARAM_TEXT 4

// A word of a symbol key; pleach_call_text().
#define PLEACH_PARAM_WORD 5

// The name of an event that the tree knows; pleach_call_event_name().
#define PLEACH_PARAM_EVENT 6

// A number, or an expression over keys that gives one; pleach_call_expr().
#define PLEACH_PARAM_EXPR 7

// Two numbers: (1, 2); pleach_call_floats().
#define PLEACH_PARAM_VEC2 8

// Three numbers: (1, 2, 3); pleach_call_floats().
#define PLEACH_PARAM_VEC3 9

// A list of numbers: [1, 2]; pleach_call_floats().
#define PLEACH_PARAM_FLOATS 10

// The name of a key of the type `key_type`; pleach_call_key().
#define PLEACH_PARAM_KEY 11

// It does something.
#define PLEACH_ACTION 0

// It answers a question. It may be asked at any time, and more than once.
#define PLEACH_CONDITION 1

// No type: an event without payload.
#define PLEACH_TYPE_NONE 0

// uint8_t: 0 or 1.
#define PLEACH_TYPE_BOOL 1

// int64_t.
#define PLEACH_TYPE_INT 2

// float.
#define PLEACH_TYPE_FLOAT 3

// float[2].
#define PLEACH_TYPE_VEC2 4

// float[3].
#define PLEACH_TYPE_VEC3 5

// uint64_t: the game's own name for one of its objects; 0 is none.
#define PLEACH_TYPE_ENTITY 6

// uint64_t: a word, as pleach_symbol() gives it.
#define PLEACH_TYPE_SYMBOL 7

// uint64_t: nanoseconds of the forest's time.
#define PLEACH_TYPE_TIME 8

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the interface that the library has. A program that loads the library itself
// compares it with PLEACH_ABI_VERSION of its header.
uint32_t pleach_abi_version(void);

// The version of the library: "0.1.0". It lives for ever.
const char *pleach_version(void);

// Despawns an agent: its leaves end, and its id stays stale for ever.
pleach_result pleach_despawn(struct pleach_forest forest, struct pleach_agent agent);

// Enables an agent that is off. If it is on, nothing happens.
pleach_result pleach_enable(struct pleach_forest forest, struct pleach_agent agent);

// Disables an agent: its leaves end.
pleach_result pleach_disable(struct pleach_forest forest, struct pleach_agent agent);

// Disables an agent and enables it again, with its keys as they are.
pleach_result pleach_restart(struct pleach_forest forest, struct pleach_agent agent);

// Pauses an agent: it is not ticked, and its own time stands still.
pleach_result pleach_pause(struct pleach_forest forest, struct pleach_agent agent);

// Lets a paused agent go on.
pleach_result pleach_unpause(struct pleach_forest forest, struct pleach_agent agent);

// What an agent is doing. PLEACH_ERROR_NOT_FOUND if it was despawned.
//
// Requires:
// `phase` points to a pleach_phase.
pleach_result pleach_agent_phase(struct pleach_forest forest, struct pleach_agent agent, pleach_phase *phase);

// The tree of an agent, and which of the game's objects it is. Both may be null.
//
// Requires:
// They are null or point to such values.
pleach_result pleach_agent_info(struct pleach_forest forest,
                                struct pleach_agent agent,
                                struct pleach_tree_id *tree,
                                uint64_t *entity);

// Says which of the game's objects an agent is.
pleach_result pleach_set_entity(struct pleach_forest forest, struct pleach_agent agent, uint64_t entity);

// Says in which frames an agent is ticked: in every n-th one; 1 is every frame, 0 is never.
pleach_result pleach_set_rate(struct pleach_forest forest, struct pleach_agent agent, uint32_t every);

// Says whether an agent stops when its root has ended, instead of restarting in its next tick.
pleach_result pleach_set_stops(struct pleach_forest forest, struct pleach_agent agent, uint8_t stops);

// Says what an agent is called in traces and in the studio: "guard 3".
//
// Requires:
// `label` ends with a zero byte.
pleach_result pleach_set_label(struct pleach_forest forest, struct pleach_agent agent, const char *label);

// How many agents a forest has, and its time in seconds. Both may be null.
//
// Requires:
// They are null or point to such values.
pleach_result pleach_forest_info(struct pleach_forest forest, size_t *agents, double *seconds);

// What a key of an agent holds.
//
// Requires:
// `value` points to a pleach_value.
pleach_result pleach_get(struct pleach_forest forest,
                         struct pleach_agent agent,
                         struct pleach_key key,
                         struct pleach_value *value);

// Writes a key of an agent. The value must have exactly the type of the key. A write that matters
// to a condition has it asked again, and wakes the agent.
pleach_result pleach_set(struct pleach_forest forest,
                         struct pleach_agent agent,
                         struct pleach_key key,
                         struct pleach_value value);

// Sends an event to an agent, for its next tick. The payload is of type PLEACH_TYPE_NONE if there
// is none.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_send(struct pleach_forest forest,
                          struct pleach_agent agent,
                          const char *name,
                          struct pleach_value payload);

// Sends an event to all agents whose trees know it.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_broadcast(struct pleach_forest forest, const char *name, struct pleach_value payload);

// Fills a slot of an agent with one of its trees, by its name, or with "empty". What runs in it
// ends in the agent's next tick.
//
// Requires:
// Both texts end with a zero byte.
pleach_result pleach_fill(struct pleach_forest forest,
                          struct pleach_agent agent,
                          const char *slot,
                          const char *tree);

// Fills a slot of all agents of a tree.
//
// Requires:
// Both texts end with a zero byte.
pleach_result pleach_fill_all(struct pleach_forest forest,
                              struct pleach_tree_id id,
                              const char *slot,
                              const char *tree);

// The agents of a tree, in the order of columns, and the game's objects that they are. Writes the
// first `capacity` of them, and how many there are to `count`. All three may be null.
//
// Requires:
// The lists are null or have room for `capacity` values; `count` is null or points to a size_t.
pleach_result pleach_agents(struct pleach_forest forest,
                            struct pleach_tree_id id,
                            struct pleach_agent *agents,
                            uint64_t *entities,
                            size_t capacity,
                            size_t *count);

// Reads a node or agent key of all agents of a tree, in the order of pleach_agents(), to values of
// the key's C type that lie `stride` bytes apart; 0 means side by side. `count` has to be the
// number of the agents.
//
// Requires:
// `to` has room for `count` values.
pleach_result pleach_read_column(struct pleach_forest forest,
                                 struct pleach_tree_id id,
                                 struct pleach_key key,
                                 void *to,
                                 size_t stride,
                                 size_t count);

// Writes a node or agent key of all agents of a tree, as pleach_read_column() reads it.
//
// Requires:
// `from` has `count` values.
pleach_result pleach_write_column(struct pleach_forest forest,
                                  struct pleach_tree_id id,
                                  struct pleach_key key,
                                  const void *from,
                                  size_t stride,
                                  size_t count);

// Makes a board of the group keys of a tree, with their defaults: those that a squad shares.
//
// Requires:
// `board` points to a pleach_board.
pleach_result pleach_board_of_group(struct pleach_tree tree, struct pleach_board *board);

// Makes a board of the global keys of a tree, with their defaults: those that all agents share.
//
// Requires:
// `board` points to a pleach_board.
pleach_result pleach_board_of_globals(struct pleach_tree tree, struct pleach_board *board);

// Frees a board. One with id 0 is fine.
pleach_result pleach_board_free(struct pleach_board board);

// Updates a board to the declarations of a new version of a tree, once its brains have taken that:
// pleach_brain_replace_tree(). Values stay.
pleach_result pleach_board_follow(struct pleach_board board, struct pleach_tree tree);

// What a key of a board holds, by its name without a scope: "plan".
//
// Requires:
// `name` ends with a zero byte; `value` points to a pleach_value.
pleach_result pleach_board_get(struct pleach_board board, const char *name, struct pleach_value *value);

// Writes a key of a board, by its name without a scope.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_board_set(struct pleach_board board, const char *name, struct pleach_value value);

// Saves a board as bytes, beside those of its brains. They are handed to `write`, in one call.
//
// Requires:
// `write` can be called with `user`.
pleach_result pleach_board_save(struct pleach_board board, pleach_write_fn write, void *user);

// Puts a board back to what pleach_board_save() wrote. Its keys are those of `tree`.
//
// Requires:
// `bytes` points to `length` bytes.
pleach_result pleach_board_restore(struct pleach_board board,
                                   struct pleach_tree tree,
                                   const void *bytes,
                                   size_t length);

// Makes a brain. `spawn` may be null; its group counts for nothing.
//
// Requires:
// `spawn` is null or points to a description; `brain` points to a pleach_brain.
pleach_result pleach_brain_new(struct pleach_tree tree,
                               uint64_t seed,
                               const struct pleach_spawn_desc *spawn,
                               struct pleach_brain *brain);

// Frees a brain. One with id 0 is fine.
pleach_result pleach_brain_free(struct pleach_brain brain);

// Says what is called for Emit and Log nodes, as pleach_forest_hooks().
//
// Requires:
// They can be called with `user` as long as the brain is there.
pleach_result pleach_brain_hooks(struct pleach_brain brain,
                                 pleach_emit_fn emit,
                                 pleach_log_fn log,
                                 void *user);

// A frame: time passes by `dt` seconds, and the agent is ticked. Writes PLEACH_SUCCESS or
// PLEACH_FAILURE to `outcome` if its root ended, else PLEACH_RUNNING.
//
// Requires:
// `outcome` is null or points to a pleach_status.
pleach_result pleach_brain_tick(struct pleach_brain brain, float seconds, pleach_status *outcome);

// Disables the agent (0), enables it (1) or restarts it (2).
pleach_result pleach_brain_enable(struct pleach_brain brain, int32_t how);

// Pauses the agent, or with 0 lets it go on.
pleach_result pleach_brain_pause(struct pleach_brain brain, uint8_t paused);

// What the agent is doing.
//
// Requires:
// `phase` points to a pleach_phase.
pleach_result pleach_brain_phase(struct pleach_brain brain, pleach_phase *phase);

// What a key of the agent holds.
//
// Requires:
// `value` points to a pleach_value.
pleach_result pleach_brain_get(struct pleach_brain brain, struct pleach_key key, struct pleach_value *value);

// Writes a key of the agent.
pleach_result pleach_brain_set(struct pleach_brain brain, struct pleach_key key, struct pleach_value value);

// Sends an event to the agent, for its next tick.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_brain_send(struct pleach_brain brain, const char *name, struct pleach_value payload);

// Fills a slot of the agent with one of its trees, by its name, or with "empty".
//
// Requires:
// Both texts end with a zero byte.
pleach_result pleach_brain_fill(struct pleach_brain brain, const char *slot, const char *tree);

// Saves the agent as bytes. They are handed to `write`, in one call.
//
// Requires:
// `write` can be called with `user`.
pleach_result pleach_brain_save(struct pleach_brain brain, pleach_write_fn write, void *user);

// Restores the agent of a save.
//
// Requires:
// `bytes` points to `length` bytes.
pleach_result pleach_brain_restore(struct pleach_brain brain, const void *bytes, size_t length);

// Takes a snapshot of the agent, which the brain keeps until the next one.
pleach_result pleach_brain_snapshot(struct pleach_brain brain);

// Puts the agent back to the last snapshot.
pleach_result pleach_brain_rollback(struct pleach_brain brain);

// Replaces the tree by a new version: the agent goes on where it is, if that node is still there.
// The report, some lines for people, goes to `write`, which may be null.
//
// Requires:
// `write` is null or can be called with `user`.
pleach_result pleach_brain_replace_tree(struct pleach_brain brain,
                                        struct pleach_tree tree,
                                        pleach_write_fn write,
                                        void *user);

// Has the brain share the keys of a board: its group keys or its global keys, whichever the board
// is of. They hold what the board holds in every later call of the brain, and what the agent
// writes is in the board behind the call. The board is in a call whenever the brain is.
pleach_result pleach_brain_share(struct pleach_brain brain, struct pleach_board board);

// The agent of a brain, as callbacks get it, which of the game's objects it is, its time in
// seconds, and how its root ended last: PLEACH_RUNNING if it has not. All four may be null.
//
// Requires:
// They are null or point to such values.
pleach_result pleach_brain_info(struct pleach_brain brain,
                                struct pleach_agent *agent,
                                uint64_t *entity,
                                double *seconds,
                                pleach_status *outcome);

// Says which of the game's objects the agent is.
pleach_result pleach_brain_set_entity(struct pleach_brain brain, uint64_t entity);

// Says what the agent is called in traces and in the studio: "guard 3".
//
// Requires:
// `label` ends with a zero byte.
pleach_result pleach_brain_set_label(struct pleach_brain brain, const char *label);

// Says whether the agent stops when its root has ended, instead of restarting in its next tick.
pleach_result pleach_brain_set_stops(struct pleach_brain brain, uint8_t stops);

// Writes why the agent does what it does, some lines for people; nothing if it is off.
//
// Requires:
// `write` can be called with `user`.
pleach_result pleach_brain_explain(struct pleach_brain brain, pleach_write_fn write, void *user);

// Writes why the agent does not run a node; nothing if it does.
//
// Requires:
// `node` ends with a zero byte; `write` can be called with `user`.
pleach_result pleach_brain_why_not(struct pleach_brain brain,
                                   const char *node,
                                   pleach_write_fn write,
                                   void *user);

// The running leaves of the agent, as pleach_current() has them.
//
// Requires:
// `nodes` has room for `capacity` numbers; `count` is null or points to a size_t.
pleach_result pleach_brain_current(struct pleach_brain brain,
                                   uint32_t *nodes,
                                   size_t capacity,
                                   size_t *count);

// Traces what the agent does, as pleach_trace() does for a forest. With `write` null tracing ends.
//
// Requires:
// `write` is null or can be called with `user` until tracing ends.
pleach_result pleach_brain_trace(struct pleach_brain brain, uint8_t all, pleach_write_fn write, void *user);

// Begins a recording of a brain, as pleach_record() does of a forest.
pleach_result pleach_brain_record(struct pleach_brain brain,
                                  double last_seconds,
                                  size_t max_bytes,
                                  uint32_t keys_every);

// Adds a file to the recording: the text of a tree, which tools then show.
//
// Requires:
// `name` ends with a zero byte; `text` points to `length` bytes.
pleach_result pleach_brain_record_file(struct pleach_brain brain,
                                       const char *name,
                                       const char *text,
                                       size_t length);

// Writes what has been recorded so far; recording goes on. The bytes are handed to `write`, in one
// call.
//
// Requires:
// `write` can be called with `user`.
pleach_result pleach_brain_record_write(struct pleach_brain brain, pleach_write_fn write, void *user);

// Writes what has been recorded so far to a file: mostly *.plr.
//
// Requires:
// `path` ends with a zero byte.
pleach_result pleach_brain_record_save(struct pleach_brain brain, const char *path);

// Ends the recording and forgets it.
pleach_result pleach_brain_record_end(struct pleach_brain brain);

// A parameter of the leaf that is a number, of type PLEACH_PARAM_FLOAT, PLEACH_PARAM_INT or
// PLEACH_PARAM_BOOL, by its index in the description. PLEACH_ERROR_NOT_FOUND if it is left out
// and has no default.
//
// Requires:
// `number` points to a double.
pleach_result pleach_call_number(struct pleach_call call, size_t index, double *number);

// A parameter that is a number or an expression, of type PLEACH_PARAM_EXPR: what it is now for an
// agent of the call.
//
// Requires:
// `number` points to a float.
pleach_result pleach_call_expr(struct pleach_call call, size_t index, size_t agent, float *number);

// A parameter that is a text or a word, of type PLEACH_PARAM_TEXT or PLEACH_PARAM_WORD. It has no
// zero behind it, and lives as long as the tree.
//
// Requires:
// `text` and `length` point to such values.
pleach_result pleach_call_text(struct pleach_call call, size_t index, const char **text, size_t *length);

// A parameter that names a key.
//
// Requires:
// `key` points to a pleach_key.
pleach_result pleach_call_key(struct pleach_call call, size_t index, struct pleach_key *key);

// A parameter that names an event: the symbol of its name.
//
// Requires:
// `event` points to a uint64_t.
pleach_result pleach_call_event_name(struct pleach_call call, size_t index, uint64_t *event);

// A parameter of several numbers: PLEACH_PARAM_VEC2, PLEACH_PARAM_VEC3 or PLEACH_PARAM_FLOATS.
// Writes the first `capacity` of them, and how many there are to `count`.
//
// Requires:
// `numbers` has room for `capacity` numbers; `count` points to a size_t.
pleach_result pleach_call_floats(struct pleach_call call,
                                 size_t index,
                                 float *numbers,
                                 size_t capacity,
                                 size_t *count);

// Says that the leaf went wrong for an agent of the call: it fails for that agent, and the call of
// the runtime returns PLEACH_ERROR_LEAF with this message when it is over.
//
// Requires:
// `message` is null or ends with a zero byte.
pleach_result pleach_call_fail(struct pleach_call call, size_t agent, const char *message);

// What a key holds for an agent of the call, by its number from 0 on.
//
// Requires:
// `value` points to a pleach_value.
pleach_result pleach_call_get(struct pleach_call call,
                              size_t agent,
                              struct pleach_key key,
                              struct pleach_value *value);

// Writes a key of an agent of the call. The value must have exactly the type of the key.
pleach_result pleach_call_set(struct pleach_call call,
                              size_t agent,
                              struct pleach_key key,
                              struct pleach_value value);

// Reads a key of all agents of the call, in their order, to values of the key's C type that lie
// `stride` bytes apart; 0 means side by side. The cheapest way to read keys.
//
// Requires:
// `to` has room for a value for each agent of the call.
pleach_result pleach_call_read(struct pleach_call call, struct pleach_key key, void *to, size_t stride);

// Writes a key of all agents of the call, in their order, from values of the key's C type that lie
// `stride` bytes apart; 0 means side by side. The cheapest way to write keys.
//
// Requires:
// `from` has a value for each agent of the call.
pleach_result pleach_call_write(struct pleach_call call,
                                struct pleach_key key,
                                const void *from,
                                size_t stride);

// Which of the game's objects each agent of the call is, `stride` bytes apart; 0 means side by
// side.
//
// Requires:
// `entities` has room for a uint64_t for each agent of the call.
pleach_result pleach_call_entities(struct pleach_call call, void *entities, size_t stride);

// The node of the call, in the tree of its agents.
//
// Requires:
// `node` points to a uint32_t.
pleach_result pleach_call_node(struct pleach_call call, uint32_t *node);

// The agent's own time since its last turn, in seconds; 0 outside of a tick.
//
// Requires:
// `seconds` points to a float.
pleach_result pleach_call_dt(struct pleach_call call, size_t agent, float *seconds);

// The agent's own time, in seconds. It stands still while the agent is paused.
//
// Requires:
// `seconds` points to a double.
pleach_result pleach_call_time(struct pleach_call call, size_t agent, double *seconds);

// A random number of at least 0 and less than 1, from the agent's own stream: the same on every
// machine.
//
// Requires:
// `number` points to a double.
pleach_result pleach_call_random(struct pleach_call call, size_t agent, double *number);

// The squad of the agent, or id 0.
//
// Requires:
// `group` points to a pleach_group.
pleach_result pleach_call_group(struct pleach_call call, size_t agent, struct pleach_group *group);

// Says that a running action needs no update for this agent in the next `seconds`. A hint: it may
// be updated sooner.
pleach_result pleach_call_sleep(struct pleach_call call, size_t agent, float seconds);

// Spawns an agent of a tree, at the end of the call of the runtime, for an agent of the call.
// `spawn` may be null. Nothing happens if the tree or the group is gone by then.
//
// Requires:
// `spawn` is null or points to a description.
pleach_result pleach_call_spawn(struct pleach_call call,
                                size_t agent,
                                struct pleach_tree_id tree,
                                const struct pleach_spawn_desc *spawn);

// Disables an agent of the call, at the end of the call of the runtime.
pleach_result pleach_call_stop(struct pleach_call call, size_t agent);

// Restarts an agent of the call, at the end of the call of the runtime.
pleach_result pleach_call_restart(struct pleach_call call, size_t agent);

// Despawns an agent, at the end of the call of the runtime.
pleach_result pleach_call_despawn(struct pleach_call call, struct pleach_agent agent);

// The first event of this name that this tick delivers to an agent of the call. Writes its payload
// to `payload`, which may be null. PLEACH_ERROR_NOT_FOUND if there is none.
//
// Requires:
// `name` ends with a zero byte; `payload` is null or points to a pleach_value.
pleach_result pleach_call_event(struct pleach_call call,
                                size_t agent,
                                const char *name,
                                struct pleach_value *payload);

// As pleach_call_event(), for an event by its symbol: pleach_call_event_name() gives that of a
// parameter which is an event, and pleach_symbol() that of a name.
//
// Requires:
// `payload` is null or points to a pleach_value.
pleach_result pleach_call_event_of(struct pleach_call call,
                                   size_t agent,
                                   uint64_t event,
                                   struct pleach_value *payload);

// Sends an event to an agent, for its next tick; `agent` is the sender. The payload is of type
// PLEACH_TYPE_NONE if there is none. Nothing happens if the receiver is gone or off by then.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_call_send(struct pleach_call call,
                               size_t agent,
                               struct pleach_agent to,
                               const char *name,
                               struct pleach_value payload);

// As pleach_call_send(), for an event by its symbol, as pleach_call_event_of() takes it.
pleach_result pleach_call_send_event(struct pleach_call call,
                                     size_t agent,
                                     struct pleach_agent to,
                                     uint64_t event,
                                     struct pleach_value payload);

// Sends an event to all members of a squad but `agent`, for their next ticks.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_call_send_group(struct pleach_call call,
                                     size_t agent,
                                     struct pleach_group to,
                                     const char *name,
                                     struct pleach_value payload);

// As pleach_call_send_group(), for an event by its symbol, as pleach_call_event_of() takes it.
pleach_result pleach_call_send_group_event(struct pleach_call call,
                                           size_t agent,
                                           struct pleach_group to,
                                           uint64_t event,
                                           struct pleach_value payload);

// Hands an event to the pleach_emit_fn of the forest or brain, at once, as an Emit node does.
// PLEACH_ERROR_REFUSED if the tree of the agent does not know the event, or has another payload
// for it.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_call_emit(struct pleach_call call,
                               size_t agent,
                               const char *name,
                               struct pleach_value payload);

// As pleach_call_emit(), for an event by its symbol, as pleach_call_event_of() takes it.
pleach_result pleach_call_emit_event(struct pleach_call call,
                                     size_t agent,
                                     uint64_t event,
                                     struct pleach_value payload);

// Makes a forest without trees.
//
// Requires:
// `desc` points to a description, `forest` to a pleach_forest.
pleach_result pleach_forest_new(const struct pleach_forest_desc *desc, struct pleach_forest *forest);

// Frees a forest with all its agents, without calling their leaves. One with id 0 is fine.
pleach_result pleach_forest_free(struct pleach_forest forest);

// Says what is called for Emit and Log nodes. Both may be null. `thread_safe` says whether they
// can be called on several threads at once.
//
// Requires:
// They can be called with `user` as long as the forest is there.
pleach_result pleach_forest_hooks(struct pleach_forest forest,
                                  pleach_emit_fn emit,
                                  pleach_log_fn log,
                                  void *user,
                                  uint8_t thread_safe);

// Adds a tree to a forest, which then has agents of it.
//
// Requires:
// `id` points to a pleach_tree_id.
pleach_result pleach_forest_add_tree(struct pleach_forest forest,
                                     struct pleach_tree tree,
                                     struct pleach_tree_id *id);

// Replaces a tree by a new version: agents go on where they are, if that node is still there. The
// report, some lines for people, goes to `write`, which may be null.
//
// Requires:
// `write` is null or can be called with `user`.
pleach_result pleach_forest_replace_tree(struct pleach_forest forest,
                                         struct pleach_tree_id id,
                                         struct pleach_tree tree,
                                         pleach_write_fn write,
                                         void *user);

// Removes a tree and despawns its agents.
pleach_result pleach_forest_remove_tree(struct pleach_forest forest, struct pleach_tree_id id);

// Spawns an agent of a tree. `spawn` may be null: enabled, without entity and group.
//
// Requires:
// `spawn` is null or points to a description; `agent` points to a pleach_agent.
pleach_result pleach_spawn(struct pleach_forest forest,
                           struct pleach_tree_id tree,
                           const struct pleach_spawn_desc *spawn,
                           struct pleach_agent *agent);

// A frame: time passes by `dt` seconds, and every agent that is due is ticked. `report` may be
// null. PLEACH_ERROR_LEAF says that leaves went wrong; the frame is over all the same.
//
// Requires:
// `report` is null or points to a report with its size.
pleach_result pleach_tick(struct pleach_forest forest, float seconds, struct pleach_tick_report *report);

// A frame with a budget: ticks at most `agents` agents, or begins none when `microseconds` are
// over. Give one of them, and 0 for the other; two zeros are no limit. The next call goes on
// behind the last agent of this one.
//
// Requires:
// As pleach_tick().
pleach_result pleach_tick_within(struct pleach_forest forest,
                                 float seconds,
                                 uint64_t agents,
                                 uint64_t microseconds,
                                 struct pleach_tick_report *report);

// A frame on all threads of the pool (RAYON_NUM_THREADS says how many; by default one per core).
// Agents of a chunk are on one thread. Results do not depend on the number of threads.
// PLEACH_ERROR_THREADS if a leaf of a registry of its trees, or a hook of the forest, is not
// declared as thread-safe.
//
// Requires:
// As pleach_tick(); and what is declared as thread-safe is that.
pleach_result pleach_tick_parallel(struct pleach_forest forest,
                                   float seconds,
                                   struct pleach_tick_report *report);

// Makes a squad without members.
//
// Requires:
// `group` points to a pleach_group.
pleach_result pleach_group_new(struct pleach_forest forest, struct pleach_group *group);

// Removes a squad; its members leave it.
pleach_result pleach_group_remove(struct pleach_forest forest, struct pleach_group group);

// Has an agent join a squad, or with id 0 leave its own.
pleach_result pleach_group_join(struct pleach_forest forest,
                                struct pleach_agent agent,
                                struct pleach_group group);

// The members of a squad. Writes the first `capacity` of them, and how many there are to `count`.
//
// Requires:
// `members` has room for `capacity` ids; `count` is null or points to a size_t.
pleach_result pleach_group_members(struct pleach_forest forest,
                                   struct pleach_group group,
                                   struct pleach_agent *members,
                                   size_t capacity,
                                   size_t *count);

// Sends an event to all members of a squad, for their next ticks.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_group_send(struct pleach_forest forest,
                                struct pleach_group group,
                                const char *name,
                                struct pleach_value payload);

// Fills a slot of every member of a squad whose tree has it.
//
// Requires:
// Both texts end with a zero byte.
pleach_result pleach_group_fill(struct pleach_forest forest,
                                struct pleach_group group,
                                const char *slot,
                                const char *tree);

// What a key of a squad holds, by its name without a scope: "plan". With group id 0: a key of the
// forest.
//
// Requires:
// `name` ends with a zero byte; `value` points to a pleach_value.
pleach_result pleach_group_get(struct pleach_forest forest,
                               struct pleach_group group,
                               const char *name,
                               struct pleach_value *value);

// Writes a key of a squad, by its name without a scope. With group id 0: a key of the forest.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_group_set(struct pleach_forest forest,
                               struct pleach_group group,
                               const char *name,
                               struct pleach_value value);

// As pleach_group_get(), for a key that was looked up by pleach_tree_key(): as "group.plan", or
// with group id 0 as "global.plan".
//
// Requires:
// `value` points to a pleach_value.
pleach_result pleach_group_get_key(struct pleach_forest forest,
                                   struct pleach_group group,
                                   struct pleach_key key,
                                   struct pleach_value *value);

// As pleach_group_set(), for a key that was looked up, as pleach_group_get_key() takes it. The
// value must have exactly the type of the key.
pleach_result pleach_group_set_key(struct pleach_forest forest,
                                   struct pleach_group group,
                                   struct pleach_key key,
                                   struct pleach_value value);

// Writes why an agent does what it does, some lines for people.
//
// Requires:
// `write` can be called with `user`.
pleach_result pleach_explain(struct pleach_forest forest,
                             struct pleach_agent agent,
                             pleach_write_fn write,
                             void *user);

// Writes why an agent does not run a node: by its name, its id, its path or as "n12", as
// pleach_tree_find() takes it. Nothing if it runs.
//
// Requires:
// `node` ends with a zero byte; `write` can be called with `user`.
pleach_result pleach_why_not(struct pleach_forest forest,
                             struct pleach_agent agent,
                             const char *node,
                             pleach_write_fn write,
                             void *user);

// The running leaves of an agent, in the order of the tree: their numbers, as pleach_tree_find()
// gives them. Several below a parallel, and none between two runs of the root. Writes the first
// `capacity` of them, and how many there are to `count`.
//
// Requires:
// `nodes` has room for `capacity` numbers; `count` is null or points to a size_t.
pleach_result pleach_current(struct pleach_forest forest,
                             struct pleach_agent agent,
                             uint32_t *nodes,
                             size_t capacity,
                             size_t *count);

// Traces what agents do, as lines for people: those of a list, or with null and 0 all of them.
// `write` is called with whole lines at the end of each call of the forest in which something
// happened. With `write` null tracing ends. With `all` above 0 the trace also has each update of a
// leaf, and not only what starts and ends.
//
// Requires:
// `agents` points to `count` ids; `write` is null or can be called with `user` until tracing ends.
pleach_result pleach_trace(struct pleach_forest forest,
                           const struct pleach_agent *agents,
                           size_t count,
                           uint8_t all,
                           pleach_write_fn write,
                           void *user);

// Begins a recording of a forest, which `pleach replay` and the studio play. With `last_seconds`
// above 0 it keeps the last seconds, and with `max_bytes` above 0 at most that many bytes.
// `keys_every` says every how many frames it notes all keys; 0 for only those on which decisions
// depend.
pleach_result pleach_record(struct pleach_forest forest,
                            double last_seconds,
                            size_t max_bytes,
                            uint32_t keys_every);

// Adds a file to the recording: the text of a tree, which tools then show.
//
// Requires:
// `name` ends with a zero byte; `text` points to `length` bytes.
pleach_result pleach_record_file(struct pleach_forest forest,
                                 const char *name,
                                 const char *text,
                                 size_t length);

// Writes what has been recorded so far; recording goes on. The bytes are handed to `write`, in one
// call.
//
// Requires:
// `write` can be called with `user`.
pleach_result pleach_record_write(struct pleach_forest forest, pleach_write_fn write, void *user);

// Writes what has been recorded so far to a file: mostly *.plr.
//
// Requires:
// `path` ends with a zero byte.
pleach_result pleach_record_save(struct pleach_forest forest, const char *path);

// Ends the recording and forgets it.
pleach_result pleach_record_end(struct pleach_forest forest);

// The problems of the call that failed last on this thread. Writes how many there are to `count`,
// and the one of this index, from 0, to `problem`, if there is one; both may be null. Calls that
// succeed change nothing here.
//
// Requires:
// `problem` and `count` are null or point to such values; `struct_size` of the problem is set.
pleach_result pleach_last_error(size_t index, struct pleach_problem *problem, size_t *count);

// The message of the call that failed last on this thread, in one line, with file, line and column
// if it is about a file; empty if none has failed. It lives until the next call that fails.
const char *pleach_last_message(void);

// The name of a result for people: "PLEACH_ERROR_HANDLE". It lives for ever.
const char *pleach_result_name(pleach_result result);

// Opens the library of a directory and everything below it.
//
// Requires:
// `directory` ends with a zero byte; `library` points to a pleach_library.
pleach_result pleach_library_open(const char *directory, struct pleach_library *library);

// Makes a library without files, which pleach_library_put() adds.
//
// Requires:
// `library` points to a pleach_library.
pleach_result pleach_library_new(struct pleach_library *library);

// Frees a library. One with id 0 is fine.
pleach_result pleach_library_free(struct pleach_library library);

// Puts a file into a library of pleach_library_new(), in place of one of that name. The bytes are
// copied.
//
// Requires:
// `name` ends with a zero byte; `text` points to `length` bytes.
pleach_result pleach_library_put(struct pleach_library library,
                                 const char *name,
                                 const char *text,
                                 size_t length);

// Loads the tree of a file with everything that it includes.
//
// Requires:
// `name` ends with a zero byte; `tree` points to a pleach_tree.
pleach_result pleach_library_load(struct pleach_library library,
                                  struct pleach_registry registry,
                                  const char *name,
                                  struct pleach_tree *tree);

// Loads the tree of a file into a forest, for pleach_library_reload() to replace when its files
// change. A library serves one forest in this way.
//
// Requires:
// `name` ends with a zero byte; `id` points to a pleach_tree_id.
pleach_result pleach_library_add_tree(struct pleach_library library,
                                      struct pleach_registry registry,
                                      const char *name,
                                      struct pleach_forest forest,
                                      struct pleach_tree_id *id);

// Gives the trees that pleach_library_add_tree() added their new versions, if their files have
// changed. Writes to `changed`, which may be null, whether any has. What came of it, some lines
// for people, goes to `write`, which may be null. A tree that is broken now stays as it is, and
// the result is PLEACH_ERROR_REPORT. If the forest is traced or recorded, the change is part of
// that, and the recording gets the new texts of all files.
//
// Requires:
// `changed` is null or points to a uint8_t; `write` is null or can be called with `user`.
pleach_result pleach_library_reload(struct pleach_library library,
                                    struct pleach_registry registry,
                                    struct pleach_forest forest,
                                    uint8_t *changed,
                                    pleach_write_fn write,
                                    void *user);

// Looks for changed files of the trees that pleach_library_load() made. `take` receives each new
// version: for brains, which take it by pleach_brain_replace_tree(). A tree that is broken now is
// not among them, and the result is PLEACH_ERROR_REPORT.
//
// Requires:
// `take` can be called with `user`.
pleach_result pleach_library_poll(struct pleach_library library,
                                  struct pleach_registry registry,
                                  pleach_tree_fn take,
                                  void *user);

// Adds the texts of all files that the loaded trees of a library are made of to the recording of a
// forest, so that tools can show them: as pleach_record_file(), for each file by its name there.
pleach_result pleach_library_record(struct pleach_library library, struct pleach_forest forest);

// Tells of probable mistakes in the trees that were loaded from a library.
//
// Requires:
// `tell` can be called with `user`.
pleach_result pleach_library_warnings(struct pleach_library library,
                                      struct pleach_registry registry,
                                      pleach_problem_fn tell,
                                      void *user);

// Makes the tree of a file with everything that it includes, and writes it as bytes for
// pleach_tree_load_baked(). The bytes are handed to `write`, in one call.
//
// Requires:
// `name` ends with a zero byte; `write` can be called with `user`.
pleach_result pleach_library_bake(struct pleach_library library,
                                  struct pleach_registry registry,
                                  const char *name,
                                  pleach_write_fn write,
                                  void *user);

// Makes a registry without leaves.
//
// Requires:
// `registry` points to a pleach_registry.
pleach_result pleach_registry_new(struct pleach_registry *registry);

// Frees a registry. One with id 0 is fine.
pleach_result pleach_registry_free(struct pleach_registry registry);

// Registers a leaf. The texts and lists of the description are copied.
//
// Requires:
// `leaf` points to a description whose pointers are null or valid. Its callbacks can be called
// with its `user` as long as trees with this leaf are there.
pleach_result pleach_registry_leaf(struct pleach_registry registry, const struct pleach_leaf_desc *leaf);

// Registers the leaves, events and keys of a manifest (a `.leaves` file). `leaves` has a
// description for each of its leaves, of which only the name, the callbacks and when it is asked
// count. `file` is its name in messages; no file is opened.
//
// Requires:
// The texts are valid; `leaves` points to `leaf_count` descriptions, as of
// pleach_registry_leaf().
pleach_result pleach_registry_manifest(struct pleach_registry registry,
                                       const char *file,
                                       const char *text,
                                       size_t length,
                                       const struct pleach_leaf_desc *leaves,
                                       size_t leaf_count);

// Declares an event for all trees, with the type of its payload, or PLEACH_TYPE_NONE.
//
// Requires:
// `name` ends with a zero byte.
pleach_result pleach_registry_event(struct pleach_registry registry, const char *name, pleach_type payload);

// Says whether trees may name events that are not declared. At first they may not.
pleach_result pleach_registry_allow_any_event(struct pleach_registry registry, uint8_t on);

// Writes what the registry knows as a manifest, for editors and `pleach check --leaves`.
//
// Requires:
// `write` can be called with `user`.
pleach_result pleach_registry_to_manifest(struct pleach_registry registry, pleach_write_fn write, void *user);

// Saves agents as bytes, which another process can restore: those of a list, or with null and 0
// all of them. The bytes are handed to `write`, in one call.
//
// Requires:
// `agents` points to `count` ids; `write` can be called with `user`.
pleach_result pleach_save(struct pleach_forest forest,
                          const struct pleach_agent *agents,
                          size_t count,
                          pleach_write_fn write,
                          void *user);

// Restores the agents of a save. The forest needs trees of the same names. What came of them, some
// lines for people, goes to `write`, which may be null.
//
// Requires:
// `bytes` points to `length` bytes; `write` is null or can be called with `user`.
pleach_result pleach_restore(struct pleach_forest forest,
                             const void *bytes,
                             size_t length,
                             pleach_write_fn write,
                             void *user);

// Takes a snapshot of all agents.
//
// Requires:
// `snapshot` points to a pleach_snapshot.
pleach_result pleach_snapshot_take(struct pleach_forest forest, struct pleach_snapshot *snapshot);

// Puts a forest back to a snapshot of it: agents, keys, time and chance. No leaf is called.
pleach_result pleach_rollback(struct pleach_forest forest, struct pleach_snapshot snapshot);

// Frees a snapshot. One with id 0 is fine.
pleach_result pleach_snapshot_free(struct pleach_snapshot snapshot);

// Loads a tree from text that includes no other file. `file` is its name in messages; no file is
// opened. If `warn` is not null, it receives probable mistakes. If something is wrong,
// pleach_last_error() has every problem with its line and column.
//
// Requires:
// `file` ends with a zero byte, `text` points to `length` bytes, `tree` points to a
// pleach_tree, and `warn` can be called with `user`.
pleach_result pleach_tree_load(struct pleach_registry registry,
                               const char *file,
                               const char *text,
                               size_t length,
                               pleach_problem_fn warn,
                               void *user,
                               struct pleach_tree *tree);

// Loads a tree from bytes that pleach_library_bake() or `pleach bake` wrote. `file` is its name in
// messages.
//
// Requires:
// `file` ends with a zero byte, `bytes` points to `length` bytes, and `tree` to a
// pleach_tree.
pleach_result pleach_tree_load_baked(struct pleach_registry registry,
                                     const char *file,
                                     const void *bytes,
                                     size_t length,
                                     struct pleach_tree *tree);

// Frees a tree. One with id 0 is fine.
pleach_result pleach_tree_free(struct pleach_tree tree);

// Writes the name of a tree.
//
// Requires:
// `write` can be called with `user`.
pleach_result pleach_tree_name(struct pleach_tree tree, pleach_write_fn write, void *user);

// Draws a tree as text, a line for each node.
//
// Requires:
// `write` can be called with `user`.
pleach_result pleach_tree_draw(struct pleach_tree tree, pleach_write_fn write, void *user);

// How many nodes a tree has: these have the numbers from 0 on.
//
// Requires:
// `count` points to a uint32_t.
pleach_result pleach_tree_nodes(struct pleach_tree tree, uint32_t *count);

// The number of a node, by its name, its id, its path ("Selector/Sequence[0]") or as "n12".
//
// Requires:
// `name` ends with a zero byte; `node` points to a uint32_t.
pleach_result pleach_tree_find(struct pleach_tree tree, const char *name, uint32_t *node);

// A key of a tree by its name: "speed", "group.plan", "global.alarm". `type` is the type that it
// must have, or PLEACH_TYPE_NONE for any; the key says which it is.
//
// Requires:
// `name` ends with a zero byte; `key` points to a pleach_key.
pleach_result pleach_tree_key(struct pleach_tree tree,
                              const char *name,
                              pleach_type type,
                              struct pleach_key *key);

// The symbol of a word: the value of symbol keys, and the name of an event for callbacks. Equal
// words give equal symbols on every machine. Of null, or of what is not UTF-8, it is 0.
//
// Requires:
// `word` is null or ends with a zero byte.
uint64_t pleach_symbol(const char *word);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PLEACH_H */

#ifndef PLEACH_VALUES_H
#define PLEACH_VALUES_H

#ifdef __cplusplus
#define PLEACH_VALUE_ pleach_value value = pleach_value()
#else
#define PLEACH_VALUE_ pleach_value value = {0}
#endif

/* No value: an event without payload. */
static inline pleach_value pleach_none(void) {
    PLEACH_VALUE_;
    return value;
}

static inline pleach_value pleach_bool(int it) {
    PLEACH_VALUE_;
    value.type = PLEACH_TYPE_BOOL;
    value.as.boolean = it != 0;
    return value;
}

static inline pleach_value pleach_int(int64_t it) {
    PLEACH_VALUE_;
    value.type = PLEACH_TYPE_INT;
    value.as.integer = it;
    return value;
}

static inline pleach_value pleach_float(float it) {
    PLEACH_VALUE_;
    value.type = PLEACH_TYPE_FLOAT;
    value.as.number = it;
    return value;
}

static inline pleach_value pleach_vec2(float x, float y) {
    PLEACH_VALUE_;
    value.type = PLEACH_TYPE_VEC2;
    value.as.vec2[0] = x;
    value.as.vec2[1] = y;
    return value;
}

static inline pleach_value pleach_vec3(float x, float y, float z) {
    PLEACH_VALUE_;
    value.type = PLEACH_TYPE_VEC3;
    value.as.vec3[0] = x;
    value.as.vec3[1] = y;
    value.as.vec3[2] = z;
    return value;
}

static inline pleach_value pleach_entity(uint64_t it) {
    PLEACH_VALUE_;
    value.type = PLEACH_TYPE_ENTITY;
    value.as.bits = it;
    return value;
}

/* A word of a symbol key. */
static inline pleach_value pleach_word(const char *it) {
    PLEACH_VALUE_;
    value.type = PLEACH_TYPE_SYMBOL;
    value.as.bits = pleach_symbol(it);
    return value;
}

/* Nanoseconds of the forest's time. */
static inline pleach_value pleach_time(uint64_t it) {
    PLEACH_VALUE_;
    value.type = PLEACH_TYPE_TIME;
    value.as.bits = it;
    return value;
}

#undef PLEACH_VALUE_

#endif  /* PLEACH_VALUES_H */
