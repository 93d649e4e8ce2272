// What include/pleach.h declares, under the same names. Made of it by a test, with PLEACH_BLESS=1.
//
// Handles are structs of one 64-bit id in C, which is passed like that integer.
// Callbacks are addresses.
using System;
using System.Runtime.InteropServices;

namespace Pleach
{
    internal static unsafe partial class Native
    {
        internal const int PLEACH_ABI_VERSION = 1;
        [StructLayout(LayoutKind.Sequential)]
        internal struct pleach_key
        {
            internal ulong id;
            internal int type;
            internal uint reserved;
        }

        [StructLayout(LayoutKind.Explicit)]
        internal struct pleach_value_data
        {
            [FieldOffset(0)] internal byte boolean;
            [FieldOffset(0)] internal long integer;
            [FieldOffset(0)] internal float number;
            [FieldOffset(0)] internal fixed float vec2[2];
            [FieldOffset(0)] internal fixed float vec3[3];
            [FieldOffset(0)] internal ulong bits;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct pleach_value
        {
            internal int type;
            internal pleach_value_data @as;
        }

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void pleach_write_fn(void* user, byte* bytes, UIntPtr length);

        [StructLayout(LayoutKind.Sequential)]
        internal struct pleach_spawn_desc
        {
            internal UIntPtr struct_size;
            internal ulong entity;
            internal ulong group;
            internal ulong seed;
            internal byte has_seed;
            internal byte disabled;
            internal byte stops;
            internal fixed byte reserved[5];
        }

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void pleach_emit_fn(void* user, ulong agent, ulong @event, pleach_value* payload);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void pleach_log_fn(void* user, ulong agent, uint node, byte* text, UIntPtr length);

        [StructLayout(LayoutKind.Sequential)]
        internal struct pleach_forest_desc
        {
            internal UIntPtr struct_size;
            internal ulong seed;
            internal uint chunk_size;
            internal byte one_by_one;
            internal byte sleepless;
            internal byte reevaluate_every_tick;
            internal byte reserved;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct pleach_tick_report
        {
            internal UIntPtr struct_size;
            internal ulong ticked;
            internal ulong asleep;
            internal ulong ended;
            internal ulong aborts;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct pleach_problem
        {
            internal UIntPtr struct_size;
            internal int result;
            internal uint line;
            internal uint column;
            internal ulong agent;
            internal byte* message;
            internal byte* help;
            internal byte* file;
            internal byte* code;
        }

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void pleach_tree_fn(void* user, byte* name, UIntPtr length, ulong tree);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void pleach_problem_fn(void* user, pleach_problem* problem);

        [StructLayout(LayoutKind.Sequential)]
        internal struct pleach_param_desc
        {
            internal UIntPtr struct_size;
            internal byte* name;
            internal byte* doc;
            internal byte* default_value;
            internal int type;
            internal int key_type;
        }

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void pleach_update_fn(void* user, ulong call, ulong* agents, UIntPtr count, byte* statuses);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void pleach_start_fn(void* user, ulong call, ulong agent);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void pleach_end_fn(void* user, ulong call, ulong agent, byte end);

        [StructLayout(LayoutKind.Sequential)]
        internal struct pleach_leaf_desc
        {
            internal UIntPtr struct_size;
            internal byte* name;
            internal byte* doc;
            internal pleach_param_desc* @params;
            internal UIntPtr param_count;
            internal IntPtr update;
            internal IntPtr start;
            internal IntPtr end;
            internal void* user;
            internal byte** observes;
            internal UIntPtr observe_count;
            internal float every;
            internal int kind;
            internal byte thread_safe;
            internal fixed byte reserved[7];
        }

        internal const int PLEACH_PHASE_ACTIVE = 0;
        internal const int PLEACH_PHASE_ASLEEP = 1;
        internal const int PLEACH_PHASE_PAUSED = 2;
        internal const int PLEACH_PHASE_OFF = 3;
        internal const int PLEACH_OK = 0;
        internal const int PLEACH_ERROR_HANDLE = 1;
        internal const int PLEACH_ERROR_ARGUMENT = 2;
        internal const int PLEACH_ERROR_STRUCT_SIZE = 3;
        internal const int PLEACH_ERROR_UTF8 = 4;
        internal const int PLEACH_ERROR_BUSY = 5;
        internal const int PLEACH_ERROR_REPORT = 6;
        internal const int PLEACH_ERROR_REGISTRY = 7;
        internal const int PLEACH_ERROR_NOT_FOUND = 8;
        internal const int PLEACH_ERROR_REFUSED = 9;
        internal const int PLEACH_ERROR_LEAF = 10;
        internal const int PLEACH_ERROR_FILE = 11;
        internal const int PLEACH_ERROR_CALL = 12;
        internal const int PLEACH_ERROR_THREADS = 13;
        internal const int PLEACH_ERROR_INTERNAL = 14;
        internal const int PLEACH_FAILURE = 0;
        internal const int PLEACH_SUCCESS = 1;
        internal const int PLEACH_RUNNING = 2;
        internal const int PLEACH_WRONG = 3;
        internal const int PLEACH_END_FAILURE = 0;
        internal const int PLEACH_END_SUCCESS = 1;
        internal const int PLEACH_END_ABORTED = 2;
        internal const int PLEACH_END_SWITCHED = 3;
        internal const int PLEACH_END_DECIDED = 4;
        internal const int PLEACH_END_STOPPED = 5;
        internal const int PLEACH_END_REPLACED = 6;
        internal const int PLEACH_END_DESPAWNED = 7;
        internal const int PLEACH_END_NOT_INSTANT = 8;
        internal const int PLEACH_END_OTHER = 255;
        internal const int PLEACH_PARAM_BOOL = 1;
        internal const int PLEACH_PARAM_INT = 2;
        internal const int PLEACH_PARAM_FLOAT = 3;
        internal const int PLEACH_PARAM_TEXT = 4;
        internal const int PLEACH_PARAM_WORD = 5;
        internal const int PLEACH_PARAM_EVENT = 6;
        internal const int PLEACH_PARAM_EXPR = 7;
        internal const int PLEACH_PARAM_VEC2 = 8;
        internal const int PLEACH_PARAM_VEC3 = 9;
        internal const int PLEACH_PARAM_FLOATS = 10;
        internal const int PLEACH_PARAM_KEY = 11;
        internal const int PLEACH_ACTION = 0;
        internal const int PLEACH_CONDITION = 1;
        internal const int PLEACH_TYPE_NONE = 0;
        internal const int PLEACH_TYPE_BOOL = 1;
        internal const int PLEACH_TYPE_INT = 2;
        internal const int PLEACH_TYPE_FLOAT = 3;
        internal const int PLEACH_TYPE_VEC2 = 4;
        internal const int PLEACH_TYPE_VEC3 = 5;
        internal const int PLEACH_TYPE_ENTITY = 6;
        internal const int PLEACH_TYPE_SYMBOL = 7;
        internal const int PLEACH_TYPE_TIME = 8;

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern uint pleach_abi_version();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* pleach_version();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_despawn(ulong forest, ulong agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_enable(ulong forest, ulong agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_disable(ulong forest, ulong agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_restart(ulong forest, ulong agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_pause(ulong forest, ulong agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_unpause(ulong forest, ulong agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_agent_phase(ulong forest, ulong agent, int* phase);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_agent_info(ulong forest, ulong agent, ulong* tree, ulong* entity);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_set_entity(ulong forest, ulong agent, ulong entity);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_set_rate(ulong forest, ulong agent, uint every);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_set_stops(ulong forest, ulong agent, byte stops);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_set_label(ulong forest, ulong agent, byte* label);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_forest_info(ulong forest, UIntPtr* agents, double* seconds);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_get(ulong forest, ulong agent, pleach_key key, pleach_value* value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_set(ulong forest, ulong agent, pleach_key key, pleach_value value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_send(ulong forest, ulong agent, byte* name, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_broadcast(ulong forest, byte* name, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_fill(ulong forest, ulong agent, byte* slot, byte* tree);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_fill_all(ulong forest, ulong id, byte* slot, byte* tree);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_agents(ulong forest, ulong id, ulong* agents, ulong* entities, UIntPtr capacity, UIntPtr* count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_read_column(ulong forest, ulong id, pleach_key key, void* to, UIntPtr stride, UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_write_column(ulong forest, ulong id, pleach_key key, void* from, UIntPtr stride, UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_board_of_group(ulong tree, ulong* board);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_board_of_globals(ulong tree, ulong* board);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_board_free(ulong board);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_board_follow(ulong board, ulong tree);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_board_get(ulong board, byte* name, pleach_value* value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_board_set(ulong board, byte* name, pleach_value value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_board_save(ulong board, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_board_restore(ulong board, ulong tree, void* bytes, UIntPtr length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_new(ulong tree, ulong seed, pleach_spawn_desc* spawn, ulong* brain);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_free(ulong brain);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_hooks(ulong brain, IntPtr emit, IntPtr log, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_tick(ulong brain, float seconds, byte* outcome);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_enable(ulong brain, int how);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_pause(ulong brain, byte paused);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_phase(ulong brain, int* phase);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_get(ulong brain, pleach_key key, pleach_value* value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_set(ulong brain, pleach_key key, pleach_value value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_send(ulong brain, byte* name, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_fill(ulong brain, byte* slot, byte* tree);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_save(ulong brain, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_restore(ulong brain, void* bytes, UIntPtr length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_snapshot(ulong brain);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_rollback(ulong brain);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_replace_tree(ulong brain, ulong tree, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_share(ulong brain, ulong board);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_info(ulong brain, ulong* agent, ulong* entity, double* seconds, byte* outcome);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_set_entity(ulong brain, ulong entity);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_set_label(ulong brain, byte* label);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_set_stops(ulong brain, byte stops);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_explain(ulong brain, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_why_not(ulong brain, byte* node, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_current(ulong brain, uint* nodes, UIntPtr capacity, UIntPtr* count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_trace(ulong brain, byte all, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_record(ulong brain, double last_seconds, UIntPtr max_bytes, uint keys_every);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_record_file(ulong brain, byte* name, byte* text, UIntPtr length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_record_write(ulong brain, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_record_save(ulong brain, byte* path);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_brain_record_end(ulong brain);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_number(ulong call, UIntPtr index, double* number);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_expr(ulong call, UIntPtr index, UIntPtr agent, float* number);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_text(ulong call, UIntPtr index, byte** text, UIntPtr* length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_key(ulong call, UIntPtr index, pleach_key* key);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_event_name(ulong call, UIntPtr index, ulong* @event);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_floats(ulong call, UIntPtr index, float* numbers, UIntPtr capacity, UIntPtr* count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_fail(ulong call, UIntPtr agent, byte* message);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_get(ulong call, UIntPtr agent, pleach_key key, pleach_value* value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_set(ulong call, UIntPtr agent, pleach_key key, pleach_value value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_read(ulong call, pleach_key key, void* to, UIntPtr stride);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_write(ulong call, pleach_key key, void* from, UIntPtr stride);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_entities(ulong call, void* entities, UIntPtr stride);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_node(ulong call, uint* node);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_dt(ulong call, UIntPtr agent, float* seconds);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_time(ulong call, UIntPtr agent, double* seconds);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_random(ulong call, UIntPtr agent, double* number);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_group(ulong call, UIntPtr agent, ulong* group);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_sleep(ulong call, UIntPtr agent, float seconds);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_spawn(ulong call, UIntPtr agent, ulong tree, pleach_spawn_desc* spawn);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_stop(ulong call, UIntPtr agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_restart(ulong call, UIntPtr agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_despawn(ulong call, ulong agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_event(ulong call, UIntPtr agent, byte* name, pleach_value* payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_event_of(ulong call, UIntPtr agent, ulong @event, pleach_value* payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_send(ulong call, UIntPtr agent, ulong to, byte* name, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_send_event(ulong call, UIntPtr agent, ulong to, ulong @event, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_send_group(ulong call, UIntPtr agent, ulong to, byte* name, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_send_group_event(ulong call, UIntPtr agent, ulong to, ulong @event, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_emit(ulong call, UIntPtr agent, byte* name, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_call_emit_event(ulong call, UIntPtr agent, ulong @event, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_forest_new(pleach_forest_desc* desc, ulong* forest);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_forest_free(ulong forest);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_forest_hooks(ulong forest, IntPtr emit, IntPtr log, void* user, byte thread_safe);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_forest_add_tree(ulong forest, ulong tree, ulong* id);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_forest_replace_tree(ulong forest, ulong id, ulong tree, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_forest_remove_tree(ulong forest, ulong id);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_spawn(ulong forest, ulong tree, pleach_spawn_desc* spawn, ulong* agent);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tick(ulong forest, float seconds, pleach_tick_report* report);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tick_within(ulong forest, float seconds, ulong agents, ulong microseconds, pleach_tick_report* report);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tick_parallel(ulong forest, float seconds, pleach_tick_report* report);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_new(ulong forest, ulong* group);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_remove(ulong forest, ulong group);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_join(ulong forest, ulong agent, ulong group);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_members(ulong forest, ulong group, ulong* members, UIntPtr capacity, UIntPtr* count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_send(ulong forest, ulong group, byte* name, pleach_value payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_fill(ulong forest, ulong group, byte* slot, byte* tree);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_get(ulong forest, ulong group, byte* name, pleach_value* value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_set(ulong forest, ulong group, byte* name, pleach_value value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_get_key(ulong forest, ulong group, pleach_key key, pleach_value* value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_group_set_key(ulong forest, ulong group, pleach_key key, pleach_value value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_explain(ulong forest, ulong agent, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_why_not(ulong forest, ulong agent, byte* node, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_current(ulong forest, ulong agent, uint* nodes, UIntPtr capacity, UIntPtr* count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_trace(ulong forest, ulong* agents, UIntPtr count, byte all, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_record(ulong forest, double last_seconds, UIntPtr max_bytes, uint keys_every);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_record_file(ulong forest, byte* name, byte* text, UIntPtr length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_record_write(ulong forest, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_record_save(ulong forest, byte* path);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_record_end(ulong forest);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_last_error(UIntPtr index, pleach_problem* problem, UIntPtr* count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* pleach_last_message();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* pleach_result_name(int result);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_open(byte* directory, ulong* library);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_new(ulong* library);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_free(ulong library);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_put(ulong library, byte* name, byte* text, UIntPtr length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_load(ulong library, ulong registry, byte* name, ulong* tree);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_add_tree(ulong library, ulong registry, byte* name, ulong forest, ulong* id);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_reload(ulong library, ulong registry, ulong forest, byte* changed, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_poll(ulong library, ulong registry, IntPtr take, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_record(ulong library, ulong forest);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_warnings(ulong library, ulong registry, IntPtr tell, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_library_bake(ulong library, ulong registry, byte* name, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_registry_new(ulong* registry);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_registry_free(ulong registry);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_registry_leaf(ulong registry, pleach_leaf_desc* leaf);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_registry_manifest(ulong registry, byte* file, byte* text, UIntPtr length, pleach_leaf_desc* leaves, UIntPtr leaf_count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_registry_event(ulong registry, byte* name, int payload);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_registry_allow_any_event(ulong registry, byte on);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_registry_to_manifest(ulong registry, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_save(ulong forest, ulong* agents, UIntPtr count, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_restore(ulong forest, void* bytes, UIntPtr length, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_snapshot_take(ulong forest, ulong* snapshot);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_rollback(ulong forest, ulong snapshot);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_snapshot_free(ulong snapshot);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tree_load(ulong registry, byte* file, byte* text, UIntPtr length, IntPtr warn, void* user, ulong* tree);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tree_load_baked(ulong registry, byte* file, void* bytes, UIntPtr length, ulong* tree);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tree_free(ulong tree);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tree_name(ulong tree, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tree_draw(ulong tree, IntPtr write, void* user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tree_nodes(ulong tree, uint* count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tree_find(ulong tree, byte* name, uint* node);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int pleach_tree_key(ulong tree, byte* name, int type, pleach_key* key);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern ulong pleach_symbol(byte* word);
    }
}
