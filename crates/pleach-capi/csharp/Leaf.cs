// Leaves of a game: their callbacks and their descriptions.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Pleach
{
    /// <summary>Updates the agents of a batch, or answers for them.</summary>
    public delegate void LeafUpdate(Batch of);
    /// <summary>An activation of a leaf has ended, for the one agent of the batch.</summary>
    public delegate void LeafEnd(Batch of, End how);
    /// <summary>Updates one agent of a batch, by its number.</summary>
    public delegate Status AgentUpdate(Batch of, int agent);
    /// <summary>Answers for one agent of a batch, by its number.</summary>
    public delegate bool AgentTest(Batch of, int agent);

    /// <summary>A parameter of a leaf.</summary>
    public sealed class Param
    {
        private Param(string name, int type, KeyType key = KeyType.None)
        {
            Name = name ?? throw new ArgumentNullException(nameof(name));
            Type = type;
            KeyType = key;
        }

        internal string Name { get; }
        internal int Type { get; }
        internal KeyType KeyType { get; }
        internal string DefaultValue { get; private set; }
        internal string DocText { get; private set; }

        /// <summary>true or false: <see cref="Batch.Number"/>.</summary>
        public static Param Bool(string name) => new Param(name, Native.PLEACH_PARAM_BOOL);
        /// <summary>A whole number: <see cref="Batch.Number"/>.</summary>
        public static Param Int(string name) => new Param(name, Native.PLEACH_PARAM_INT);
        /// <summary>A number: <see cref="Batch.Number"/>.</summary>
        public static Param Float(string name) => new Param(name, Native.PLEACH_PARAM_FLOAT);
        /// <summary>A string: <see cref="Batch.Text"/>.</summary>
        public static Param Text(string name) => new Param(name, Native.PLEACH_PARAM_TEXT);
        /// <summary>A word of a symbol key: <see cref="Batch.Text"/>.</summary>
        public static Param Word(string name) => new Param(name, Native.PLEACH_PARAM_WORD);
        /// <summary>The name of an event that the tree knows: <see cref="Batch.EventName"/>.</summary>
        public static Param Event(string name) => new Param(name, Native.PLEACH_PARAM_EVENT);
        /// <summary>A number, or an expression over keys that gives one: <see cref="Batch.Expr"/>.</summary>
        public static Param Expr(string name) => new Param(name, Native.PLEACH_PARAM_EXPR);
        /// <summary>Two numbers: <see cref="Batch.Floats"/>.</summary>
        public static Param Vec2(string name) => new Param(name, Native.PLEACH_PARAM_VEC2);
        /// <summary>Three numbers: <see cref="Batch.Floats"/>.</summary>
        public static Param Vec3(string name) => new Param(name, Native.PLEACH_PARAM_VEC3);
        /// <summary>A list of numbers: <see cref="Batch.Floats"/>.</summary>
        public static Param Floats(string name) => new Param(name, Native.PLEACH_PARAM_FLOATS);
        /// <summary>The name of a key: <see cref="Batch.Key{T}"/>.</summary>
        public static Param Key<T>(string name) where T : struct =>
            new Param(name, Native.PLEACH_PARAM_KEY, Types<T>.Checked);

        /// <summary>
        /// Its default, as a tree would write it: "2.0", "\"home\""; "None" if it is optional and has no default.
        /// </summary>
        public Param Default(string value)
        {
            DefaultValue = value;
            return this;
        }

        /// <summary>What it is, for people who write trees.</summary>
        public Param Doc(string text)
        {
            DocText = text;
            return this;
        }
    }

    /// <summary>Further options of a leaf.</summary>
    public sealed class LeafOptions
    {
        /// <summary>What it does, for people who write trees.</summary>
        public string Doc;
        /// <summary>Called when an activation begins, with one agent; an update follows in the same tick.</summary>
        public LeafUpdate Start;
        /// <summary>Called when an activation is over, with one agent: exactly once for every start.</summary>
        public LeafEnd End;
        /// <summary>
        /// Parameters of a condition that name keys. If the answer depends on these alone, it is evaluated when one changes.
        /// </summary>
        public string[] Observes;
        /// <summary>If above 0, the seconds between two evaluations of a condition.</summary>
        public float Every;
        /// <summary>Whether it can be called on several threads at once, for <see cref="Forest.TickParallel"/>.</summary>
        public bool ThreadSafe;
    }

    /// <summary>A leaf of the game: <see cref="Registry.Add"/>.</summary>
    public sealed unsafe class Leaf
    {
        private static readonly Native.pleach_update_fn UpdateFunction = OnUpdate;
        private static readonly Native.pleach_start_fn StartFunction = OnStart;
        private static readonly Native.pleach_end_fn EndFunction = OnEnd;
        private static readonly IntPtr UpdateAddress = Marshal.GetFunctionPointerForDelegate(UpdateFunction);
        private static readonly IntPtr StartAddress = Marshal.GetFunctionPointerForDelegate(StartFunction);
        private static readonly IntPtr EndAddress = Marshal.GetFunctionPointerForDelegate(EndFunction);
        private static readonly LeafOptions Nothing = new LeafOptions();

        private readonly string name;
        private readonly int kind;
        private readonly Param[] parameters;
        private readonly LeafUpdate update;
        private readonly LeafOptions options;
        // Weak: a leaf lives as long as a registry, a tree, a forest or a brain that may call it. A strong one would keep
        // everything that its delegates refer to for ever, mostly the forest itself.
        private GCHandle self;

        private Leaf(string name, int kind, Param[] parameters, LeafUpdate update, LeafOptions options)
        {
            this.name = name ?? throw new ArgumentNullException(nameof(name));
            this.kind = kind;
            this.parameters = parameters ?? Array.Empty<Param>();
            this.update = update ?? throw new ArgumentNullException(nameof(update));
            this.options = options ?? Nothing;
            self = GCHandle.Alloc(this, GCHandleType.Weak);
        }

        /// <summary>Nothing can call it any more.</summary>
        ~Leaf()
        {
            if (self.IsAllocated)
            {
                self.Free();
            }
        }

        /// <summary>An action that updates all agents of a batch at once.</summary>
        public static Leaf Action(string name, Param[] parameters, LeafUpdate update, LeafOptions options = null)
        {
            return new Leaf(name, Native.PLEACH_ACTION, parameters, update, options);
        }

        /// <summary>A condition that answers for all agents of a batch at once.</summary>
        public static Leaf Condition(string name, Param[] parameters, LeafUpdate test, LeafOptions options = null)
        {
            Given.NotNull(test, nameof(test));
            return new Leaf(name, Native.PLEACH_CONDITION, parameters, test, options);
        }

        /// <summary>An action that updates one agent after the other. An exception fails that agent alone.</summary>
        public static Leaf ActionEach(string name, Param[] parameters, AgentUpdate update, LeafOptions options = null)
        {
            if (update == null)
            {
                throw new ArgumentNullException(nameof(update));
            }
            return new Leaf(name, Native.PLEACH_ACTION, parameters, of => Each(name, of, update, null), options);
        }

        /// <summary>A condition that is evaluated for one agent after the other. An exception fails that agent alone.</summary>
        public static Leaf ConditionEach(string name, Param[] parameters, AgentTest test, LeafOptions options = null)
        {
            if (test == null)
            {
                throw new ArgumentNullException(nameof(test));
            }
            return new Leaf(name, Native.PLEACH_CONDITION, parameters, of => Each(name, of, null, test), options);
        }

        /// <summary>Describes leaves to the library, which copies the descriptions.</summary>
        internal static int Describe(IReadOnlyList<Leaf> leaves, Func<IntPtr, int> call)
        {
            using (var room = new Room())
            {
                Native.pleach_leaf_desc* all = (Native.pleach_leaf_desc*)room.Bytes(sizeof(Native.pleach_leaf_desc) * leaves.Count);
                for (int i = 0; i < leaves.Count; i++)
                {
                    Leaf leaf = leaves[i] ?? throw new ArgumentNullException(nameof(leaves));
                    leaf.Fill(room, all + i);
                }
                int result = call((IntPtr)all);
                GC.KeepAlive(leaves);
                return result;
            }
        }

        private void Fill(Room room, Native.pleach_leaf_desc* it)
        {
            it->struct_size = (UIntPtr)sizeof(Native.pleach_leaf_desc);
            it->name = room.Text(name, nameof(name));
            it->doc = room.Text(options.Doc, "doc");
            it->@params = (Native.pleach_param_desc*)room.Bytes(sizeof(Native.pleach_param_desc) * parameters.Length);
            it->param_count = (UIntPtr)parameters.Length;
            for (int i = 0; i < parameters.Length; i++)
            {
                Param from = parameters[i] ?? throw new ArgumentNullException(nameof(parameters));
                Native.pleach_param_desc* to = it->@params + i;
                to->struct_size = (UIntPtr)sizeof(Native.pleach_param_desc);
                to->name = room.Text(from.Name, "name of a parameter");
                to->doc = room.Text(from.DocText, "doc of a parameter");
                to->default_value = room.Text(from.DefaultValue, "default of a parameter");
                to->type = from.Type;
                to->key_type = (int)from.KeyType;
            }
            it->update = UpdateAddress;
            it->start = options.Start != null ? StartAddress : IntPtr.Zero;
            it->end = options.End != null ? EndAddress : IntPtr.Zero;
            it->user = (void*)GCHandle.ToIntPtr(self);
            string[] observes = options.Observes ?? Array.Empty<string>();
            it->observes = (byte**)room.Bytes(sizeof(byte*) * observes.Length);
            it->observe_count = (UIntPtr)observes.Length;
            for (int i = 0; i < observes.Length; i++)
            {
                it->observes[i] = room.Text(observes[i] ?? throw new ArgumentNullException("observes"), "observes");
            }
            it->every = options.Every;
            it->kind = kind;
            it->thread_safe = (byte)(options.ThreadSafe ? 1 : 0);
        }

        private static void Each(string name, Batch of, AgentUpdate update, AgentTest test)
        {
            for (int i = 0; i < of.Count; i++)
            {
                try
                {
                    of.Answer(i, update != null ? update(of, i) : test(of, i) ? Status.Success : Status.Failure);
                }
                catch (Exception it)
                {
                    of.Fail(i, Faults.Note(name, it));
                }
            }
        }

        // No exception leaves these: the agents of the call fail.

        [AOT.MonoPInvokeCallback(typeof(Native.pleach_update_fn))]
        private static void OnUpdate(void* user, ulong call, ulong* agents, UIntPtr count, byte* statuses)
        {
            var of = new Batch(call, agents, (int)count, statuses);
            var leaf = (Leaf)GCHandle.FromIntPtr((IntPtr)user).Target;
            Faults.Enter();
            try
            {
                leaf.update(of);
            }
            catch (Exception it)
            {
                FailAll(of, leaf, it);
            }
            finally
            {
                Faults.Leave();
            }
        }

        [AOT.MonoPInvokeCallback(typeof(Native.pleach_start_fn))]
        private static void OnStart(void* user, ulong call, ulong agent)
        {
            byte status = (byte)Status.Running;
            var of = new Batch(call, &agent, 1, &status);
            var leaf = (Leaf)GCHandle.FromIntPtr((IntPtr)user).Target;
            Faults.Enter();
            try
            {
                leaf.options.Start(of);
            }
            catch (Exception it)
            {
                FailAll(of, leaf, it);
            }
            finally
            {
                Faults.Leave();
            }
        }

        [AOT.MonoPInvokeCallback(typeof(Native.pleach_end_fn))]
        private static void OnEnd(void* user, ulong call, ulong agent, byte how)
        {
            byte status = (byte)Status.Running;
            var of = new Batch(call, &agent, 1, &status);
            var leaf = (Leaf)GCHandle.FromIntPtr((IntPtr)user).Target;
            Faults.Enter();
            try
            {
                leaf.options.End(of, (End)how);
            }
            catch (Exception it)
            {
                FailAll(of, leaf, it);
            }
            finally
            {
                Faults.Leave();
            }
        }

        private static void FailAll(Batch of, Leaf leaf, Exception thrown)
        {
            string message = Faults.Note(leaf.name, thrown);
            for (int i = 0; i < of.Count; i++)
            {
                of.Fail(i, message);
            }
        }
    }

    /// <summary>Memory for a call, of zeros.</summary>
    internal sealed unsafe class Room : IDisposable
    {
        private readonly List<IntPtr> all = new List<IntPtr>();

        public void Dispose()
        {
            foreach (IntPtr it in all)
            {
                Marshal.FreeHGlobal(it);
            }
            all.Clear();
        }

        internal byte* Bytes(int count)
        {
            // Never null: the library treats that as an error.
            IntPtr it = Marshal.AllocHGlobal(count + 1);
            all.Add(it);
            new Span<byte>((void*)it, count + 1).Clear();
            return (byte*)it;
        }

        internal byte* Text(string text, string what)
        {
            if (text == null)
            {
                return null;
            }
            byte[] bytes = Utf8.Zero(text, what);
            byte* to = Bytes(bytes.Length);
            Marshal.Copy(bytes, 0, (IntPtr)to, bytes.Length);
            return to;
        }
    }
}
