// Ids, keys and the values that they hold.
using System;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Pleach
{
    /// <summary>What a leaf says of an agent.</summary>
    public enum Status : byte
    {
        /// <summary>It failed; the answer is no.</summary>
        Failure = 0,
        /// <summary>It succeeded; the answer is yes.</summary>
        Success = 1,
        /// <summary>It continues in a later tick.</summary>
        Running = 2,
    }

    /// <summary>How an activation of a leaf ended.</summary>
    public enum End : byte
    {
        /// <summary>By itself, with failure.</summary>
        Failure = 0,
        /// <summary>By itself, with success.</summary>
        Success = 1,
        /// <summary>From outside: a condition, a guard, a timeout or a composite above ended it.</summary>
        Aborted = 2,
        /// <summary>From outside: the switch above selects another child.</summary>
        Switched = 3,
        /// <summary>From outside: the parallel above is decided.</summary>
        Decided = 4,
        /// <summary>From outside: the agent was disabled or restarted.</summary>
        Stopped = 5,
        /// <summary>From outside: the tree was replaced.</summary>
        Replaced = 6,
        /// <summary>From outside: the agent was despawned.</summary>
        Despawned = 7,
        /// <summary>From outside: it was running in the `do` of a Finally.</summary>
        NotInstant = 8,
        /// <summary>From outside, for a reason that is newer than this assembly.</summary>
        Other = 255,
    }

    /// <summary>What an agent is doing.</summary>
    public enum Phase
    {
        /// <summary>It is ticked.</summary>
        Active = 0,
        /// <summary>It sleeps until it has something to do.</summary>
        Asleep = 1,
        /// <summary>It is paused.</summary>
        Paused = 2,
        /// <summary>It is off: disabled, or its root has ended.</summary>
        Off = 3,
    }

    /// <summary>The type of a value, or of a key.</summary>
    public enum KeyType
    {
        /// <summary>No type: an event without payload.</summary>
        None = 0,
        /// <summary>bool.</summary>
        Bool = 1,
        /// <summary>long.</summary>
        Int = 2,
        /// <summary>float.</summary>
        Float = 3,
        /// <summary>Vector2.</summary>
        Vec2 = 4,
        /// <summary>Vector3.</summary>
        Vec3 = 5,
        /// <summary><see cref="Pleach.Entity"/>.</summary>
        Entity = 6,
        /// <summary><see cref="Pleach.Symbol"/>.</summary>
        Symbol = 7,
        /// <summary><see cref="Moment"/>.</summary>
        Time = 8,
    }

    /// <summary>An agent of a forest. The id of a despawned agent stays stale for ever.</summary>
    public readonly struct Agent : IEquatable<Agent>
    {
        /// <summary>0 for none.</summary>
        public readonly ulong Id;
        /// <summary>The agent of an id.</summary>
        public Agent(ulong id) { Id = id; }
        /// <inheritdoc/>
        public bool Equals(Agent other) => Id == other.Id;
        /// <inheritdoc/>
        public override bool Equals(object other) => other is Agent it && Equals(it);
        /// <inheritdoc/>
        public override int GetHashCode() => Id.GetHashCode();
        /// <inheritdoc/>
        public override string ToString() => "agent " + Id.ToString("x");
        /// <summary>Whether they are the same.</summary>
        public static bool operator ==(Agent a, Agent b) => a.Id == b.Id;
        /// <summary>Whether they are not the same.</summary>
        public static bool operator !=(Agent a, Agent b) => a.Id != b.Id;
    }

    /// <summary>A tree in a forest.</summary>
    public readonly struct TreeId
    {
        /// <summary>Never 0 for a tree.</summary>
        public readonly ulong Id;
        /// <summary>The tree of an id.</summary>
        public TreeId(ulong id) { Id = id; }
    }

    /// <summary>A squad: agents of a forest with common keys.</summary>
    public readonly struct GroupId
    {
        /// <summary>0 for none.</summary>
        public readonly ulong Id;
        /// <summary>The squad of an id.</summary>
        public GroupId(ulong id) { Id = id; }
    }

    /// <summary>One of the game's objects, by the game's own name for it.</summary>
    public readonly struct Entity : IEquatable<Entity>
    {
        /// <summary>0 for none.</summary>
        public readonly ulong Id;
        /// <summary>The object of this name.</summary>
        public Entity(ulong id) { Id = id; }
        /// <summary>The object of this name.</summary>
        public static implicit operator Entity(ulong id) => new Entity(id);
        /// <inheritdoc/>
        public bool Equals(Entity other) => Id == other.Id;
        /// <inheritdoc/>
        public override bool Equals(object other) => other is Entity it && Equals(it);
        /// <inheritdoc/>
        public override int GetHashCode() => Id.GetHashCode();
    }

    /// <summary>A word of a symbol key, or the name of an event. Equal words are equal symbols on every machine.</summary>
    public readonly struct Symbol : IEquatable<Symbol>
    {
        /// <summary>The hash of the word.</summary>
        public readonly ulong Bits;
        /// <summary>Of the bits of a symbol.</summary>
        public Symbol(ulong bits) { Bits = bits; }
        /// <summary>Of a word.</summary>
        public unsafe Symbol(string word)
        {
            fixed (byte* it = Utf8.ZeroReused(word, nameof(word)))
            {
                Bits = Native.pleach_symbol(it);
            }
        }
        /// <inheritdoc/>
        public bool Equals(Symbol other) => Bits == other.Bits;
        /// <inheritdoc/>
        public override bool Equals(object other) => other is Symbol it && Equals(it);
        /// <inheritdoc/>
        public override int GetHashCode() => Bits.GetHashCode();
        /// <summary>Whether they are the same.</summary>
        public static bool operator ==(Symbol a, Symbol b) => a.Bits == b.Bits;
        /// <summary>Whether they are not the same.</summary>
        public static bool operator !=(Symbol a, Symbol b) => a.Bits != b.Bits;
    }

    /// <summary>A moment of a forest's time.</summary>
    public readonly struct Moment
    {
        /// <summary>Since the forest's time began.</summary>
        public readonly ulong Nanoseconds;
        /// <summary>This number of nanoseconds after the forest's time began.</summary>
        public Moment(ulong nanoseconds) { Nanoseconds = nanoseconds; }
    }

    /// <summary>
    /// A key of a tree that was looked up by its name: <see cref="Tree.Key{T}"/>. `T` is bool, long, float, Vector2, Vector3,
    /// <see cref="Entity"/>, <see cref="Symbol"/> or <see cref="Moment"/>.
    /// </summary>
    public readonly struct Key<T> where T : struct
    {
        internal readonly Native.pleach_key Raw;
        internal Key(Native.pleach_key raw) { Raw = raw; }
    }

    /// <summary>What is known about the type of a key.</summary>
    internal static class Types<T> where T : struct
    {
        internal static readonly KeyType Type = Find(typeof(T));

        /// <summary>The type, if keys have it.</summary>
        internal static KeyType Checked => Type != KeyType.None
            ? Type
            : throw new NotSupportedException("keys do not hold " + typeof(T) + ": they hold bool, long, float, Vector2, "
                + "Vector3, Entity, Symbol and Moment");

        private static KeyType Find(Type it)
        {
            return it == typeof(bool) ? KeyType.Bool
                : it == typeof(long) ? KeyType.Int
                : it == typeof(float) ? KeyType.Float
                : it == typeof(Vector2) ? KeyType.Vec2
                : it == typeof(Vector3) ? KeyType.Vec3
                : it == typeof(Entity) ? KeyType.Entity
                : it == typeof(Symbol) ? KeyType.Symbol
                : it == typeof(Moment) ? KeyType.Time
                : KeyType.None;
        }
    }

    /// <summary>A value of any type: the payload of an event.</summary>
    public struct Value
    {
        internal Native.pleach_value Raw;

        /// <summary>No value.</summary>
        public static Value None => default(Value);
        /// <summary>What it is.</summary>
        public KeyType Type => (KeyType)Raw.type;

        /// <summary>A value of one of the types that keys have.</summary>
        public static unsafe Value Of<T>(T it) where T : struct
        {
            Value value = default(Value);
            value.Raw.type = (int)Types<T>.Checked;
            MemoryMarshal.Write(new Span<byte>(&value.Raw.@as, sizeof(Native.pleach_value_data)), ref it);
            return value;
        }

        /// <summary>What it holds.</summary>
        /// <exception cref="InvalidCastException">It is of another type.</exception>
        public unsafe T As<T>() where T : struct
        {
            if (Type != Types<T>.Checked)
            {
                throw new InvalidCastException("the value is of type " + Type + ", not " + Types<T>.Type);
            }
            fixed (Native.pleach_value_data* it = &Raw.@as)
            {
                return MemoryMarshal.Read<T>(new ReadOnlySpan<byte>(it, sizeof(Native.pleach_value_data)));
            }
        }

        /// <summary>A bool.</summary>
        public static implicit operator Value(bool it) => Of(it);
        /// <summary>A whole number.</summary>
        public static implicit operator Value(long it) => Of(it);
        /// <summary>A number.</summary>
        public static implicit operator Value(float it) => Of(it);
        /// <summary>Two numbers.</summary>
        public static implicit operator Value(Vector2 it) => Of(it);
        /// <summary>Three numbers.</summary>
        public static implicit operator Value(Vector3 it) => Of(it);
        /// <summary>One of the game's objects.</summary>
        public static implicit operator Value(Entity it) => Of(it);
        /// <summary>A word.</summary>
        public static implicit operator Value(Symbol it) => Of(it);
        /// <summary>A moment.</summary>
        public static implicit operator Value(Moment it) => Of(it);
    }

    /// <summary>Values of a key side by side, or in the rows of a list of structs.</summary>
    internal static class Column
    {
        /// <summary>Where values of one field of rows begin, and how many bytes they lie apart.</summary>
        internal static Span<byte> Field<T, TRow>(Span<TRow> rows, int offset, out UIntPtr stride)
            where T : struct where TRow : struct
        {
            Span<byte> bytes = MemoryMarshal.AsBytes(rows);
            int row = rows.Length == 0 ? 0 : bytes.Length / rows.Length;
            stride = (UIntPtr)row;
            if (rows.Length == 0)
            {
                return bytes;
            }
            int size = MemoryMarshal.AsBytes(new Span<T>(new T[1])).Length;
            if (offset < 0 || offset > row - size)
            {
                throw new ArgumentOutOfRangeException(nameof(offset), "a row has " + row + " bytes, and the value " + size);
            }
            return bytes.Slice(offset);
        }
    }

    /// <summary>How an agent is spawned. The default is enabled at once, without entity and squad, and restarts.</summary>
    public struct SpawnOptions
    {
        /// <summary>Which of the game's objects it is.</summary>
        public Entity Entity;
        /// <summary>Its squad.</summary>
        public GroupId Group;
        /// <summary>The state of its random stream, if it has one of its own.</summary>
        public ulong? Seed;
        /// <summary>Whether it stays off until it is enabled.</summary>
        public bool Disabled;
        /// <summary>Whether it stops when its root has ended, instead of restarting in its next tick.</summary>
        public bool Stops;

        internal unsafe Native.pleach_spawn_desc Raw()
        {
            Native.pleach_spawn_desc it = default(Native.pleach_spawn_desc);
            it.struct_size = (UIntPtr)sizeof(Native.pleach_spawn_desc);
            it.entity = Entity.Id;
            it.group = Group.Id;
            it.seed = Seed.GetValueOrDefault();
            it.has_seed = (byte)(Seed.HasValue ? 1 : 0);
            it.disabled = (byte)(Disabled ? 1 : 0);
            it.stops = (byte)(Stops ? 1 : 0);
            return it;
        }
    }
}
