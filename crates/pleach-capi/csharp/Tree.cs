// Trees, from text, from bytes, and from files that include each other.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Pleach
{
    /// <summary>A tree. Any number of forests and brains run it, and keep it.</summary>
    public sealed unsafe class Tree : Handle
    {
        internal Tree(ulong made, List<Leaf> leaves)
        {
            Leaves = leaves;
            Own(made);
        }

        internal List<Leaf> Leaves { get; }

        /// <summary>
        /// Loads a tree from text that includes no other file. `file` is its name in messages; no file is opened. Probable
        /// mistakes go to `warn`.
        /// </summary>
        /// <exception cref="PleachException">It has every problem with its line and column.</exception>
        public static Tree Load(Registry registry, string file, string text, Action<Problem> warn = null)
        {
            Given.NotNull(registry, nameof(registry));
            byte[] bytes = Utf8.Whole(text, nameof(text), out UIntPtr length);
            var warnings = new Warnings();
            ulong made = 0;
            fixed (byte* f = Utf8.Zero(file, nameof(file)), t = bytes)
            {
                byte* name = f, source = t;
                ulong* to = &made;
                warnings.During((tell, user) => registry.Check(
                    Native.pleach_tree_load(registry.Id, name, source, length, tell, user, to)));
            }
            var tree = new Tree(made, registry.Leaves);
            warnings.All.ForEach(it => warn?.Invoke(it));
            return tree;
        }

        /// <summary>Loads a tree from bytes that <see cref="Library.Bake"/> or `pleach bake` wrote.</summary>
        public static Tree LoadBaked(Registry registry, string file, ReadOnlySpan<byte> bytes)
        {
            Given.NotNull(registry, nameof(registry));
            ulong made;
            fixed (byte* f = Utf8.Zero(file, nameof(file)))
            fixed (byte* it = &MemoryMarshal.GetReference(bytes))
            {
                byte none = 0;
                registry.Check(Native.pleach_tree_load_baked(
                    registry.Id, f, it == null ? &none : it, (UIntPtr)bytes.Length, &made));
            }
            return new Tree(made, registry.Leaves);
        }

        /// <summary>Its name.</summary>
        public string Name => Writer.Text(this, (write, user) => Native.pleach_tree_name(Id, write, user));

        /// <summary>How many nodes it has. Nodes are numbered from 0.</summary>
        public int Nodes
        {
            get
            {
                uint it;
                Check(Native.pleach_tree_nodes(Id, &it));
                return (int)it;
            }
        }

        /// <summary>Draws it as text, a line for each node.</summary>
        public string Draw()
        {
            return Writer.Text(this, (write, user) => Native.pleach_tree_draw(Id, write, user));
        }

        /// <summary>The number of a node, by its name, its id, its path ("Selector/Sequence[0]") or as "n12".</summary>
        public int Find(string node)
        {
            uint it;
            fixed (byte* name = Utf8.Zero(node, nameof(node)))
            {
                Check(Native.pleach_tree_find(Id, name, &it));
            }
            return (int)it;
        }

        /// <summary>A key by its name: "speed", "group.plan", "global.alarm".</summary>
        public Key<T> Key<T>(string name) where T : struct
        {
            Native.pleach_key it;
            fixed (byte* text = Utf8.Zero(name, nameof(name)))
            {
                Check(Native.pleach_tree_key(Id, text, (int)Types<T>.Checked, &it));
            }
            return new Key<T>(it);
        }

        internal override int Free(ulong id)
        {
            return Native.pleach_tree_free(id);
        }
    }

    /// <summary>Trees in files that include each other.</summary>
    public sealed unsafe class Library : Handle
    {
        /// <summary>A library without files, which <see cref="Put"/> adds.</summary>
        public Library()
        {
            ulong made;
            Check(Native.pleach_library_new(&made));
            Own(made);
        }

        /// <summary>The library of a directory and everything below it.</summary>
        public Library(string directory)
        {
            ulong made;
            fixed (byte* it = Utf8.Zero(directory, nameof(directory)))
            {
                Check(Native.pleach_library_open(it, &made));
            }
            Own(made);
        }

        /// <summary>Puts a file into a library without a directory, replacing any file of that name.</summary>
        public void Put(string name, string text)
        {
            byte[] bytes = Utf8.Whole(text, nameof(text), out UIntPtr length);
            fixed (byte* n = Utf8.Zero(name, nameof(name)), t = bytes)
            {
                Check(Native.pleach_library_put(Id, n, t, length));
            }
        }

        /// <summary>Loads the tree of a file with everything that it includes.</summary>
        public Tree Load(Registry registry, string name)
        {
            Given.NotNull(registry, nameof(registry));
            ulong made;
            fixed (byte* it = Utf8.Zero(name, nameof(name)))
            {
                Check(Native.pleach_library_load(Id, registry.Id, it, &made), registry);
            }
            return new Tree(made, registry.Leaves);
        }

        /// <summary>
        /// Loads the tree of a file into a forest, for <see cref="Reload"/> to replace when its files change. A library serves
        /// one forest in this way.
        /// </summary>
        public TreeId AddTree(Registry registry, string name, Forest forest)
        {
            Given.NotNull(registry, nameof(registry));
            Given.NotNull(forest, nameof(forest));
            ulong made;
            forest.Keep(registry.Leaves);
            fixed (byte* it = Utf8.Zero(name, nameof(name)))
            {
                Check(Native.pleach_library_add_tree(Id, registry.Id, it, forest.Id, &made), registry);
            }
            forest.Check(Native.PLEACH_OK);
            return new TreeId(made);
        }

        /// <summary>
        /// Replaces the trees that <see cref="AddTree"/> added by their new versions, if their files have changed, and returns
        /// whether any has. `report` is a few lines of text.
        /// </summary>
        /// <exception cref="PleachException">A tree has errors now (<see cref="Error.Report"/>): the old one keeps running.</exception>
        public bool Reload(Registry registry, Forest forest, out string report)
        {
            Given.NotNull(registry, nameof(registry));
            Given.NotNull(forest, nameof(forest));
            byte changed = 0;
            byte* to = &changed;
            forest.Keep(registry.Leaves);
            int result = Writer.Text((write, user) => Native.pleach_library_reload(
                Id, registry.Id, forest.Id, to, write, user), out report);
            Check(result, registry);
            forest.Check(Native.PLEACH_OK);
            return changed != 0;
        }

        /// <summary>
        /// The new versions of trees whose files have changed, by the names of the files that they were loaded from: for
        /// <see cref="Brain.Replace"/>. The caller disposes of them.
        /// </summary>
        public IReadOnlyList<KeyValuePair<string, Tree>> Poll(Registry registry)
        {
            Given.NotNull(registry, nameof(registry));
            var taken = new Taken(registry.Leaves);
            taken.During((take, user) => Check(Native.pleach_library_poll(Id, registry.Id, take, user), registry));
            return taken.All;
        }

        /// <summary>Adds the files of the library to the recording of a forest.</summary>
        public void Record(Forest forest)
        {
            Given.NotNull(forest, nameof(forest));
            Check(Native.pleach_library_record(Id, forest.Id), forest);
        }

        /// <summary>Probable mistakes in the trees that were loaded.</summary>
        public IReadOnlyList<Problem> Warnings(Registry registry)
        {
            Given.NotNull(registry, nameof(registry));
            var warnings = new Warnings();
            warnings.During((tell, user) => Check(
                Native.pleach_library_warnings(Id, registry.Id, tell, user), registry));
            return warnings.All;
        }

        /// <summary>The tree of a file with everything that it includes, as bytes for <see cref="Tree.LoadBaked"/>.</summary>
        public byte[] Bake(Registry registry, string name)
        {
            Given.NotNull(registry, nameof(registry));
            byte[] file = Utf8.Zero(name, nameof(name));
            return Writer.Bytes(this, (write, user) =>
            {
                fixed (byte* it = file)
                {
                    return Native.pleach_library_bake(Id, registry.Id, it, write, user);
                }
            }, registry);
        }

        internal override int Free(ulong id)
        {
            return Native.pleach_library_free(id);
        }
    }

    /// <summary>The trees that a call gives.</summary>
    internal sealed unsafe class Taken
    {
        private static readonly Native.pleach_tree_fn Function = OnTree;
        private static readonly IntPtr Address = Marshal.GetFunctionPointerForDelegate(Function);
        private readonly List<Leaf> leaves;

        internal Taken(List<Leaf> leaves)
        {
            this.leaves = leaves;
        }

        internal List<KeyValuePair<string, Tree>> All { get; } = new List<KeyValuePair<string, Tree>>();

        internal void During(Warnings.Call call)
        {
            GCHandle self = GCHandle.Alloc(this);
            try
            {
                call(Address, (void*)GCHandle.ToIntPtr(self));
            }
            finally
            {
                self.Free();
            }
        }

        [AOT.MonoPInvokeCallback(typeof(Native.pleach_tree_fn))]
        private static void OnTree(void* user, byte* name, UIntPtr length, ulong tree)
        {
            var to = (Taken)GCHandle.FromIntPtr((IntPtr)user).Target;
            to.All.Add(new KeyValuePair<string, Tree>(Utf8.From(name, length), new Tree(tree, to.leaves)));
        }
    }

    /// <summary>The warnings of a call.</summary>
    internal sealed unsafe class Warnings
    {
        private static readonly Native.pleach_problem_fn Function = OnProblem;
        private static readonly IntPtr Address = Marshal.GetFunctionPointerForDelegate(Function);

        internal delegate void Call(IntPtr tell, void* user);

        internal List<Problem> All { get; } = new List<Problem>();

        internal void During(Call call)
        {
            GCHandle self = GCHandle.Alloc(this);
            try
            {
                call(Address, (void*)GCHandle.ToIntPtr(self));
            }
            finally
            {
                self.Free();
            }
        }

        [AOT.MonoPInvokeCallback(typeof(Native.pleach_problem_fn))]
        private static void OnProblem(void* user, Native.pleach_problem* problem)
        {
            ((Warnings)GCHandle.FromIntPtr((IntPtr)user).Target).All.Add(new Problem(in *problem));
        }
    }
}
