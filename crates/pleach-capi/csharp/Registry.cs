// The leaves, events and keys of a game.
using System;
using System.Collections.Generic;

namespace Pleach
{
    /// <summary>The leaves of a game, by the names under which trees use them. Trees that were loaded with it stay.</summary>
    public sealed unsafe class Registry : Handle
    {
        /// <summary>A registry without leaves.</summary>
        public Registry()
        {
            ulong made;
            Check(Native.pleach_registry_new(&made));
            Own(made);
        }

        /// <summary>What its trees may call; forests and brains that run such a tree keep them.</summary>
        internal List<Leaf> Leaves { get; } = new List<Leaf>();

        /// <summary>Registers a leaf.</summary>
        public void Add(Leaf leaf)
        {
            Given.NotNull(leaf, nameof(leaf));
            var leaves = new[] { leaf };
            ulong id = Id;
            // First, so that the library never knows a leaf that is gone.
            Leaves.Add(leaf);
            Check(Leaf.Describe(leaves, it => Native.pleach_registry_leaf(id, (Native.pleach_leaf_desc*)it)));
        }

        /// <summary>Registers an action that updates all agents of a batch at once.</summary>
        public void Action(string name, Param[] parameters, LeafUpdate update, LeafOptions options = null)
        {
            Add(Leaf.Action(name, parameters, update, options));
        }

        /// <summary>Registers a condition that answers for all agents of a batch at once.</summary>
        public void Condition(string name, Param[] parameters, LeafUpdate test, LeafOptions options = null)
        {
            Add(Leaf.Condition(name, parameters, test, options));
        }

        /// <summary>Registers an action that updates one agent after the other. An exception fails that agent alone.</summary>
        public void ActionEach(string name, Param[] parameters, AgentUpdate update, LeafOptions options = null)
        {
            Add(Leaf.ActionEach(name, parameters, update, options));
        }

        /// <summary>Registers a condition that is evaluated for one agent after the other.</summary>
        public void ConditionEach(string name, Param[] parameters, AgentTest test, LeafOptions options = null)
        {
            Add(Leaf.ConditionEach(name, parameters, test, options));
        }

        /// <summary>
        /// Registers the leaves, events and keys of a manifest (a `.leaves` file). Of each leaf only the name, the callbacks
        /// and when it is evaluated are used. `file` is its name in messages; no file is opened.
        /// </summary>
        public void Manifest(string file, string text, params Leaf[] leaves)
        {
            Given.NotNull(leaves, nameof(leaves));
            byte[] name = Utf8.Zero(file, nameof(file));
            byte[] bytes = Utf8.Whole(text, nameof(text), out UIntPtr length);
            ulong id = Id;
            Leaves.AddRange(leaves);
            Check(Leaf.Describe(leaves, it =>
            {
                fixed (byte* f = name, t = bytes)
                {
                    return Native.pleach_registry_manifest(
                        id, f, t, length, (Native.pleach_leaf_desc*)it, (UIntPtr)leaves.Length);
                }
            }));
        }

        /// <summary>Declares an event for all trees, with the type of its payload.</summary>
        public void Event(string name, KeyType payload = KeyType.None)
        {
            fixed (byte* it = Utf8.Zero(name, nameof(name)))
            {
                Check(Native.pleach_registry_event(Id, it, (int)payload));
            }
        }

        /// <summary>Sets whether trees may name events that are not declared. By default they may not.</summary>
        public void AllowAnyEvent(bool on)
        {
            Check(Native.pleach_registry_allow_any_event(Id, (byte)(on ? 1 : 0)));
        }

        /// <summary>What it knows as a manifest, for editors and `pleach check --leaves`.</summary>
        public string ToManifest()
        {
            return Writer.Text(this, (write, user) => Native.pleach_registry_to_manifest(Id, write, user));
        }

        internal override int Free(ulong id)
        {
            return Native.pleach_registry_free(id);
        }
    }
}
