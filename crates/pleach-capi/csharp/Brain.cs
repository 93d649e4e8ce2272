// One agent without a forest, and what forests and brains call.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;

namespace Pleach
{
    /// <summary>One agent with its tree, in no forest. Up to about ten agents per tree are faster as brains.</summary>
    public sealed unsafe class Brain : Handle
    {
        private readonly HashSet<List<Leaf>> leaves = new HashSet<List<Leaf>>();
        private readonly HashSet<Board> boards = new HashSet<Board>();
        private readonly Hooks hooks = new Hooks();

        /// <summary>A brain. The squad of the options is ignored.</summary>
        public Brain(Tree tree, ulong seed, SpawnOptions options = default(SpawnOptions))
        {
            Given.NotNull(tree, nameof(tree));
            ulong made;
            Native.pleach_spawn_desc raw = options.Raw();
            leaves.Add(tree.Leaves);
            Check(Native.pleach_brain_new(tree.Id, seed, &raw, &made), tree);
            Own(made);
        }

        /// <summary>
        /// Sets the callbacks for Emit and Log nodes, or null for none, as <see cref="Forest.SetHooks"/> does.
        /// </summary>
        public void SetHooks(Action<Agent, Symbol, Value> emit, Action<Agent, int, string> log)
        {
            Check(Native.pleach_brain_hooks(Id, emit != null ? Hooks.EmitAddress : IntPtr.Zero,
                log != null ? Hooks.LogAddress : IntPtr.Zero, hooks.User));
            hooks.Emit = emit;
            hooks.Log = log;
        }

        /// <summary>
        /// A frame: advances time, and ticks the agent. Returns success or failure if its root ended, otherwise running.
        /// </summary>
        public Status Tick(float seconds)
        {
            byte it;
            Check(Native.pleach_brain_tick(Id, seconds, &it));
            return (Status)it;
        }

        /// <summary>Disables the agent.</summary>
        public void Disable()
        {
            Check(Native.pleach_brain_enable(Id, 0));
        }

        /// <summary>Enables the agent.</summary>
        public void Enable()
        {
            Check(Native.pleach_brain_enable(Id, 1));
        }

        /// <summary>Restarts the agent.</summary>
        public void Restart()
        {
            Check(Native.pleach_brain_enable(Id, 2));
        }

        /// <summary>Pauses the agent.</summary>
        public void Pause()
        {
            Check(Native.pleach_brain_pause(Id, 1));
        }

        /// <summary>Resumes the agent.</summary>
        public void Unpause()
        {
            Check(Native.pleach_brain_pause(Id, 0));
        }

        /// <summary>
        /// Replaces the tree by a new version: the agent carries on where it was if that node still exists. Returns a report, a
        /// few lines of text.
        /// </summary>
        public string Replace(Tree tree)
        {
            Given.NotNull(tree, nameof(tree));
            leaves.Add(tree.Leaves);
            return Writer.Text(this,
                (write, user) => Native.pleach_brain_replace_tree(Id, tree.Id, write, user), tree);
        }

        /// <summary>
        /// Shares the keys of a board: group keys or global keys, whichever it has. The board is in a call whenever the brain is.
        /// </summary>
        public void Share(Board board)
        {
            Given.NotNull(board, nameof(board));
            Check(Native.pleach_brain_share(Id, board.Id), board);
            boards.Add(board);
        }

        /// <summary>The agent, as leaves and hooks get it.</summary>
        public Agent Agent
        {
            get
            {
                ulong it;
                Check(Native.pleach_brain_info(Id, &it, null, null, null));
                return new Agent(it);
            }
        }

        /// <summary>Which of the game's objects the agent is.</summary>
        public Entity Entity
        {
            get
            {
                ulong it;
                Check(Native.pleach_brain_info(Id, null, &it, null, null));
                return new Entity(it);
            }
            set => Check(Native.pleach_brain_set_entity(Id, value.Id));
        }

        /// <summary>The time of the brain, in seconds.</summary>
        public double Seconds
        {
            get
            {
                double it;
                Check(Native.pleach_brain_info(Id, null, null, &it, null));
                return it;
            }
        }

        /// <summary>How the root ended last; running if it has not.</summary>
        public Status Outcome
        {
            get
            {
                byte it;
                Check(Native.pleach_brain_info(Id, null, null, null, &it));
                return (Status)it;
            }
        }

        /// <summary>Sets the name of the agent in traces and in the studio: "guard 3".</summary>
        public void SetLabel(string label)
        {
            fixed (byte* it = Utf8.Zero(label, nameof(label)))
            {
                Check(Native.pleach_brain_set_label(Id, it));
            }
        }

        /// <summary>Traces what the agent does, as <see cref="Forest.Trace"/>.</summary>
        public void Trace(Action<string> lines, bool all = false)
        {
            if (lines == null)
            {
                throw new ArgumentNullException(nameof(lines));
            }
            Check(Native.pleach_brain_trace(Id, (byte)(all ? 1 : 0), Hooks.LinesAddress, hooks.User));
            hooks.Lines = lines;
        }

        /// <summary>Ends the trace.</summary>
        public void StopTrace()
        {
            Check(Native.pleach_brain_trace(Id, 0, IntPtr.Zero, null));
            hooks.Lines = null;
        }

        /// <summary>Begins a recording, as <see cref="Forest.Record"/>.</summary>
        public Recording Record(double lastSeconds = 0, int maxBytes = 0, int keysEvery = 0)
        {
            if (maxBytes < 0 || keysEvery < 0)
            {
                throw new ArgumentOutOfRangeException(maxBytes < 0 ? nameof(maxBytes) : nameof(keysEvery));
            }
            Check(Native.pleach_brain_record(Id, lastSeconds, (UIntPtr)maxBytes, (uint)keysEvery));
            return new Recording(this);
        }

        /// <summary>What the agent is doing.</summary>
        public Phase Phase
        {
            get
            {
                int it;
                Check(Native.pleach_brain_phase(Id, &it));
                return (Phase)it;
            }
        }

        /// <summary>What a key of the agent holds.</summary>
        public T Get<T>(Key<T> key) where T : struct
        {
            Value it = default(Value);
            Check(Native.pleach_brain_get(Id, key.Raw, &it.Raw));
            return it.As<T>();
        }

        /// <summary>Writes a key of the agent.</summary>
        public void Set<T>(Key<T> key, T value) where T : struct
        {
            Check(Native.pleach_brain_set(Id, key.Raw, Value.Of(value).Raw));
        }

        /// <summary>Sends an event to the agent, for its next tick.</summary>
        public void Send(string name, Value payload = default(Value))
        {
            fixed (byte* it = Utf8.ZeroReused(name, nameof(name)))
            {
                Check(Native.pleach_brain_send(Id, it, payload.Raw));
            }
        }

        /// <summary>Fills a slot of the agent with one of its trees, by its name, or with "empty".</summary>
        public void Fill(string slot, string tree)
        {
            fixed (byte* s = Utf8.Zero(slot, nameof(slot)), t = Utf8.Zero(tree, nameof(tree)))
            {
                Check(Native.pleach_brain_fill(Id, s, t));
            }
        }

        /// <summary>Sets whether the agent stops when its root has ended, instead of restarting in its next tick.</summary>
        public void SetStops(bool stops)
        {
            Check(Native.pleach_brain_set_stops(Id, stops ? (byte)1 : (byte)0));
        }

        /// <summary>The running leaves, as `Forest.Current` has them.</summary>
        public int Current(Span<int> nodes)
        {
            UIntPtr count;
            fixed (int* it = &MemoryMarshal.GetReference(nodes))
            {
                Check(Native.pleach_brain_current(Id, (uint*)it, (UIntPtr)nodes.Length, &count));
            }
            return (int)count;
        }

        /// <summary>Why the agent does what it does, a few lines of text; empty if it is off.</summary>
        public string Explain()
        {
            return Writer.Text(this, (write, user) => Native.pleach_brain_explain(Id, write, user));
        }

        /// <summary>Why the agent does not run a node; empty if it does.</summary>
        public string WhyNot(string node)
        {
            byte[] name = Utf8.Zero(node, nameof(node));
            return Writer.Text(this, (write, user) =>
            {
                fixed (byte* it = name)
                {
                    return Native.pleach_brain_why_not(Id, it, write, user);
                }
            });
        }

        /// <summary>Saves the agent as bytes.</summary>
        public byte[] Save()
        {
            return Writer.Bytes(this, (write, user) => Native.pleach_brain_save(Id, write, user));
        }

        /// <summary>Restores the agent of a save.</summary>
        public void Restore(byte[] save)
        {
            if (save == null)
            {
                throw new ArgumentNullException(nameof(save));
            }
            byte none = 0;
            fixed (byte* it = save)
            {
                Check(Native.pleach_brain_restore(Id, it == null ? &none : it, (UIntPtr)save.Length));
            }
        }

        /// <summary>Takes a snapshot of the agent, which the brain keeps until the next one.</summary>
        public void Snapshot()
        {
            Check(Native.pleach_brain_snapshot(Id));
        }

        /// <summary>Restores the agent to the last snapshot.</summary>
        public void Rollback()
        {
            Check(Native.pleach_brain_rollback(Id));
        }

        internal override int Free(ulong id)
        {
            return Native.pleach_brain_free(id);
        }

        internal override Exception TakeThrown()
        {
            return hooks.TakeThrown();
        }
    }

    /// <summary>What a forest or a brain calls besides leaves, and the exception that it threw.</summary>
    internal sealed unsafe class Hooks
    {
        private static readonly Native.pleach_emit_fn EmitFunction = OnEmit;
        private static readonly Native.pleach_log_fn LogFunction = OnLog;
        private static readonly Native.pleach_write_fn LinesFunction = OnLines;
        internal static readonly IntPtr EmitAddress = Marshal.GetFunctionPointerForDelegate(EmitFunction);
        internal static readonly IntPtr LogAddress = Marshal.GetFunctionPointerForDelegate(LogFunction);
        internal static readonly IntPtr LinesAddress = Marshal.GetFunctionPointerForDelegate(LinesFunction);

        internal Action<Agent, Symbol, Value> Emit;
        internal Action<Agent, int, string> Log;
        internal Action<string> Lines;
        private Exception thrown;
        // Weak, as for a leaf: the forest or the brain has this object.
        private GCHandle self;

        internal Hooks()
        {
            self = GCHandle.Alloc(this, GCHandleType.Weak);
        }

        ~Hooks()
        {
            self.Free();
        }

        internal void* User => (void*)GCHandle.ToIntPtr(self);

        internal Exception TakeThrown()
        {
            return thrown == null ? null : Interlocked.Exchange(ref thrown, null);
        }

        private static Hooks Of(void* user)
        {
            return (Hooks)GCHandle.FromIntPtr((IntPtr)user).Target;
        }

        // No exception leaves these: the call of the runtime throws the first one at its end.

        [AOT.MonoPInvokeCallback(typeof(Native.pleach_emit_fn))]
        private static void OnEmit(void* user, ulong agent, ulong @event, Native.pleach_value* payload)
        {
            Hooks it = Of(user);
            Faults.Enter();
            try
            {
                Value value = default(Value);
                value.Raw = *payload;
                it.Emit?.Invoke(new Agent(agent), new Symbol(@event), value);
            }
            catch (Exception thrown)
            {
                Interlocked.CompareExchange(ref it.thrown, thrown, null);
            }
            finally
            {
                Faults.Leave();
            }
        }

        [AOT.MonoPInvokeCallback(typeof(Native.pleach_log_fn))]
        private static void OnLog(void* user, ulong agent, uint node, byte* text, UIntPtr length)
        {
            Hooks it = Of(user);
            Faults.Enter();
            try
            {
                it.Log?.Invoke(new Agent(agent), (int)node, Utf8.Kept(text, length));
            }
            catch (Exception thrown)
            {
                Interlocked.CompareExchange(ref it.thrown, thrown, null);
            }
            finally
            {
                Faults.Leave();
            }
        }

        [AOT.MonoPInvokeCallback(typeof(Native.pleach_write_fn))]
        private static void OnLines(void* user, byte* text, UIntPtr length)
        {
            Hooks it = Of(user);
            Faults.Enter();
            try
            {
                it.Lines?.Invoke(Utf8.From(text, length));
            }
            catch (Exception thrown)
            {
                Interlocked.CompareExchange(ref it.thrown, thrown, null);
            }
            finally
            {
                Faults.Leave();
            }
        }
    }
}
