// Forests: made, filled with trees and agents, ticked.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Pleach
{
    /// <summary>How a forest runs its agents.</summary>
    public sealed class ForestOptions
    {
        /// <summary>How many agents are ticked together, and on one thread: 1 to 1024; 0 for 1024.</summary>
        public int ChunkSize;
        /// <summary>Whether agents are ticked one after the other, so that each call of a leaf is for one agent.</summary>
        public bool OneByOne;
        /// <summary>Whether agents that have nothing to do are ticked anyway.</summary>
        public bool Sleepless;
        /// <summary>Whether every watched condition is evaluated in every tick.</summary>
        public bool ReevaluateEveryTick;
    }

    /// <summary>What a tick did.</summary>
    public struct TickReport
    {
        /// <summary>Agents ticked.</summary>
        public long Ticked;
        /// <summary>Agents that slept through the tick.</summary>
        public long Asleep;
        /// <summary>Agents whose root ended.</summary>
        public long Ended;
        /// <summary>Conditional aborts.</summary>
        public long Aborts;
    }

    /// <summary>The agents of a forest at one moment, in memory: for <see cref="Forest.Rollback"/>.</summary>
    public sealed class Snapshot : Handle
    {
        internal Snapshot(ulong made)
        {
            Own(made);
        }

        internal override int Free(ulong id)
        {
            return Native.pleach_snapshot_free(id);
        }
    }

    /// <summary>Agents of any number of trees.</summary>
    public sealed unsafe partial class Forest : Handle
    {
        private readonly HashSet<List<Leaf>> leaves = new HashSet<List<Leaf>>();
        private readonly Hooks hooks = new Hooks();

        /// <summary>A forest without trees. The same seed and calls give the same run.</summary>
        public Forest(ulong seed, ForestOptions options = null)
        {
            options = options ?? new ForestOptions();
            if (options.ChunkSize < 0 || options.ChunkSize > 1024)
            {
                throw new ArgumentOutOfRangeException(nameof(options), "a chunk has 1 to 1024 agents, not " + options.ChunkSize);
            }
            Native.pleach_forest_desc desc = default(Native.pleach_forest_desc);
            desc.struct_size = (UIntPtr)sizeof(Native.pleach_forest_desc);
            desc.seed = seed;
            desc.chunk_size = (uint)options.ChunkSize;
            desc.one_by_one = (byte)(options.OneByOne ? 1 : 0);
            desc.sleepless = (byte)(options.Sleepless ? 1 : 0);
            desc.reevaluate_every_tick = (byte)(options.ReevaluateEveryTick ? 1 : 0);
            ulong made;
            Check(Native.pleach_forest_new(&desc, &made));
            Own(made);
        }

        /// <summary>Sets the callbacks for Emit and Log nodes, or null for none.</summary>
        /// <param name="emit">The agent, the event, and its payload.</param>
        /// <param name="log">The agent, the node, and the text.</param>
        /// <param name="threadSafe">Whether they can be called on several threads at once.</param>
        public void SetHooks(Action<Agent, Symbol, Value> emit, Action<Agent, int, string> log, bool threadSafe = false)
        {
            Check(Native.pleach_forest_hooks(Id, emit != null ? Hooks.EmitAddress : IntPtr.Zero,
                log != null ? Hooks.LogAddress : IntPtr.Zero, hooks.User, (byte)(threadSafe ? 1 : 0)));
            hooks.Emit = emit;
            hooks.Log = log;
        }

        /// <summary>Adds a tree.</summary>
        public TreeId Add(Tree tree)
        {
            Given.NotNull(tree, nameof(tree));
            ulong made;
            Keep(tree.Leaves);
            Check(Native.pleach_forest_add_tree(Id, tree.Id, &made), tree);
            return new TreeId(made);
        }

        /// <summary>
        /// Replaces a tree by a new version: agents carry on where they were if that node still exists. Returns a report, a few
        /// lines of text.
        /// </summary>
        public string Replace(TreeId id, Tree tree)
        {
            Given.NotNull(tree, nameof(tree));
            Keep(tree.Leaves);
            return Writer.Text(this,
                (write, user) => Native.pleach_forest_replace_tree(Id, id.Id, tree.Id, write, user), tree);
        }

        /// <summary>Removes a tree and despawns its agents.</summary>
        public void Remove(TreeId id)
        {
            Check(Native.pleach_forest_remove_tree(Id, id.Id));
        }

        /// <summary>Spawns an agent of a tree.</summary>
        public Agent Spawn(TreeId tree, SpawnOptions options = default(SpawnOptions))
        {
            ulong made;
            Native.pleach_spawn_desc raw = options.Raw();
            Check(Native.pleach_spawn(Id, tree.Id, &raw, &made));
            return new Agent(made);
        }

        /// <summary>A frame: advances time, and ticks every agent that is due.</summary>
        /// <exception cref="PleachException">Leaves went wrong (<see cref="Error.Leaf"/>); the frame is still complete.</exception>
        public TickReport Tick(float seconds)
        {
            Native.pleach_tick_report to = Sized();
            Check(Native.pleach_tick(Id, seconds, &to));
            return Report(to);
        }

        /// <summary>
        /// A frame with a budget: ticks at most `agents` agents, or starts no more once `microseconds` have passed. Give one of
        /// them, and 0 for the other. The next call continues after the last agent of this one.
        /// </summary>
        public TickReport TickWithin(float seconds, long agents, long microseconds)
        {
            if (agents < 0 || microseconds < 0)
            {
                throw new ArgumentOutOfRangeException(agents < 0 ? nameof(agents) : nameof(microseconds));
            }
            Native.pleach_tick_report to = Sized();
            Check(Native.pleach_tick_within(Id, seconds, (ulong)agents, (ulong)microseconds, &to));
            return Report(to);
        }

        /// <summary>
        /// A frame on all threads of the pool. Agents of a chunk are on one thread. Results do not depend on the number of
        /// threads.
        /// </summary>
        /// <exception cref="PleachException">A leaf or a hook is not declared as thread-safe (<see cref="Error.Threads"/>).</exception>
        public TickReport TickParallel(float seconds)
        {
            Native.pleach_tick_report to = Sized();
            Check(Native.pleach_tick_parallel(Id, seconds, &to));
            return Report(to);
        }

        /// <summary>How many agents there are.</summary>
        public int AgentCount
        {
            get
            {
                UIntPtr it;
                Check(Native.pleach_forest_info(Id, &it, null));
                return (int)it;
            }
        }

        /// <summary>The time of the forest, in seconds.</summary>
        public double Seconds
        {
            get
            {
                double it;
                Check(Native.pleach_forest_info(Id, null, &it));
                return it;
            }
        }

        /// <summary>Why an agent does what it does, a few lines of text.</summary>
        public string Explain(Agent agent)
        {
            return Writer.Text(this, (write, user) => Native.pleach_explain(Id, agent.Id, write, user));
        }

        /// <summary>
        /// Why an agent does not run a node, given by its name, its id, its path or as "n12". Empty if it runs.
        /// </summary>
        public string WhyNot(Agent agent, string node)
        {
            byte[] name = Utf8.Zero(node, nameof(node));
            return Writer.Text(this, (write, user) =>
            {
                fixed (byte* it = name)
                {
                    return Native.pleach_why_not(Id, agent.Id, it, write, user);
                }
            });
        }

        /// <summary>
        /// The running leaves of an agent, in the order of the tree: their numbers, as `Tree.Find` gives them. There can
        /// be several below a parallel, and there are none between two runs of the root. Writes the first ones, and returns how
        /// many there are.
        /// </summary>
        public int Current(Agent agent, Span<int> nodes)
        {
            UIntPtr count;
            fixed (int* it = &MemoryMarshal.GetReference(nodes))
            {
                Check(Native.pleach_current(Id, agent.Id, (uint*)it, (UIntPtr)nodes.Length, &count));
            }
            return (int)count;
        }

        /// <summary>
        /// Traces what agents do: the agents of a list, or all. `lines` is called with whole lines at the end of each call of the
        /// forest in which something happened. With `all` the trace has each update of a leaf, too.
        /// </summary>
        public void Trace(Action<string> lines, Agent[] agents = null, bool all = false)
        {
            if (lines == null)
            {
                throw new ArgumentNullException(nameof(lines));
            }
            WithList(agents, (list, count) => Native.pleach_trace(
                Id, list, count, (byte)(all ? 1 : 0), Hooks.LinesAddress, hooks.User));
            hooks.Lines = lines;
        }

        /// <summary>Ends the trace.</summary>
        public void StopTrace()
        {
            Check(Native.pleach_trace(Id, null, UIntPtr.Zero, 0, IntPtr.Zero, null));
            hooks.Lines = null;
        }

        /// <summary>
        /// Begins a recording, which `pleach replay` and the studio play. With `lastSeconds` above 0 it keeps the last seconds,
        /// and with `maxBytes` above 0 at most that many bytes. `keysEvery` is the interval in frames at which it records
        /// all keys; 0 records only those on which decisions depend.
        /// </summary>
        public Recording Record(double lastSeconds = 0, int maxBytes = 0, int keysEvery = 0)
        {
            if (maxBytes < 0 || keysEvery < 0)
            {
                throw new ArgumentOutOfRangeException(maxBytes < 0 ? nameof(maxBytes) : nameof(keysEvery));
            }
            Check(Native.pleach_record(Id, lastSeconds, (UIntPtr)maxBytes, (uint)keysEvery));
            return new Recording(this);
        }

        /// <summary>Saves agents as bytes, which another process can restore: the agents of a list, or all.</summary>
        public byte[] Save(Agent[] agents = null)
        {
            byte[] saved = null;
            Agent[] all = agents ?? Array.Empty<Agent>();
            saved = Writer.Bytes(this, (write, user) =>
            {
                ulong none = 0;
                fixed (Agent* list = all)
                {
                    ulong* it = agents == null ? null : list == null ? &none : (ulong*)list;
                    return Native.pleach_save(Id, it, (UIntPtr)all.Length, write, user);
                }
            });
            return saved;
        }

        /// <summary>
        /// Restores the agents of a save. The forest needs trees of the same names. Returns a report, a few lines of
        /// text.
        /// </summary>
        public string Restore(byte[] save)
        {
            if (save == null)
            {
                throw new ArgumentNullException(nameof(save));
            }
            return Writer.Text(this, (write, user) =>
            {
                byte none = 0;
                fixed (byte* it = save)
                {
                    return Native.pleach_restore(Id, it == null ? &none : it, (UIntPtr)save.Length, write, user);
                }
            });
        }

        /// <summary>Takes a snapshot of all agents.</summary>
        public Snapshot Snapshot()
        {
            ulong made;
            Check(Native.pleach_snapshot_take(Id, &made));
            return new Snapshot(made);
        }

        /// <summary>
        /// Restores the forest to one of its snapshots: agents, keys, time and random streams. No leaf is called.
        /// </summary>
        public void Rollback(Snapshot to)
        {
            Given.NotNull(to, nameof(to));
            Check(Native.pleach_rollback(Id, to.Id), to);
        }

        /// <summary>Leaves that the library may call from now on.</summary>
        internal void Keep(List<Leaf> more)
        {
            lock (leaves)
            {
                leaves.Add(more);
            }
        }

        internal override int Free(ulong id)
        {
            return Native.pleach_forest_free(id);
        }

        internal override Exception TakeThrown()
        {
            return hooks.TakeThrown();
        }

        private delegate int WithAgents(ulong* list, UIntPtr count);

        private void WithList(Agent[] agents, WithAgents call)
        {
            ulong none = 0;
            Agent[] all = agents ?? Array.Empty<Agent>();
            fixed (Agent* list = all)
            {
                ulong* it = agents == null ? null : list == null ? &none : (ulong*)list;
                Check(call(it, (UIntPtr)all.Length));
            }
        }

        private static Native.pleach_tick_report Sized()
        {
            Native.pleach_tick_report it = default(Native.pleach_tick_report);
            it.struct_size = (UIntPtr)sizeof(Native.pleach_tick_report);
            return it;
        }

        private static TickReport Report(in Native.pleach_tick_report it)
        {
            TickReport report;
            report.Ticked = (long)it.ticked;
            report.Asleep = (long)it.asleep;
            report.Ended = (long)it.ended;
            report.Aborts = (long)it.aborts;
            return report;
        }
    }
}
