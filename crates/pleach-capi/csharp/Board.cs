// Keys that several brains share.
using System;

namespace Pleach
{
    /// <summary>
    /// Group keys or global keys that several brains share: <see cref="Brain.Share"/>. Brains that share it keep it.
    /// </summary>
    public sealed unsafe class Board : Handle
    {
        private Board(ulong made)
        {
            Own(made);
        }

        /// <summary>The group keys of a tree, with their defaults: those that a squad shares.</summary>
        public static Board OfGroup(Tree tree)
        {
            Given.NotNull(tree, nameof(tree));
            ulong made;
            tree.Check(Native.pleach_board_of_group(tree.Id, &made));
            return new Board(made);
        }

        /// <summary>The global keys of a tree, with their defaults: those that all agents share.</summary>
        public static Board OfGlobals(Tree tree)
        {
            Given.NotNull(tree, nameof(tree));
            ulong made;
            tree.Check(Native.pleach_board_of_globals(tree.Id, &made));
            return new Board(made);
        }

        /// <summary>
        /// Takes the declarations of a new version of a tree, once its brains have that version: <see cref="Brain.Replace"/>.
        /// Values stay.
        /// </summary>
        public void Follow(Tree tree)
        {
            Given.NotNull(tree, nameof(tree));
            Check(Native.pleach_board_follow(Id, tree.Id), tree);
        }

        /// <summary>What a key holds, by its name without a scope: "plan".</summary>
        public T Get<T>(string name) where T : struct
        {
            Value value = default(Value);
            fixed (byte* it = Utf8.ZeroReused(name, nameof(name)))
            {
                Check(Native.pleach_board_get(Id, it, &value.Raw));
            }
            return value.As<T>();
        }

        /// <summary>Writes a key, by its name without a scope.</summary>
        public void Set<T>(string name, T value) where T : struct
        {
            fixed (byte* it = Utf8.ZeroReused(name, nameof(name)))
            {
                Check(Native.pleach_board_set(Id, it, Value.Of(value).Raw));
            }
        }

        /// <summary>Saves it as bytes, to be stored with the saves of its brains.</summary>
        public byte[] Save()
        {
            return Writer.Bytes(this, (write, user) => Native.pleach_board_save(Id, write, user));
        }

        /// <summary>Restores it from what <see cref="Save"/> returned. Its keys are those of the tree.</summary>
        public void Restore(Tree tree, byte[] save)
        {
            Given.NotNull(tree, nameof(tree));
            if (save == null)
            {
                throw new ArgumentNullException(nameof(save));
            }
            byte none = 0;
            fixed (byte* it = save)
            {
                Check(Native.pleach_board_restore(Id, tree.Id, it == null ? &none : it, (UIntPtr)save.Length), tree);
            }
        }

        internal override int Free(ulong id)
        {
            return Native.pleach_board_free(id);
        }
    }
}
