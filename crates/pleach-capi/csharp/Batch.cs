// The agents of a call of a leaf.
using System;
using System.Runtime.InteropServices;

namespace Pleach
{
    /// <summary>
    /// The agents that are at a leaf, by their numbers from 0 on. The batch is valid until the callback returns. Parameters of
    /// the leaf are read by their index in its description; all agents have the same ones, except that an expression can
    /// give each agent a different number.
    /// </summary>
    public readonly unsafe ref struct Batch
    {
        // The library never calls a leaf with more agents.
        private const int Most = 1024;

        private readonly ulong call;
        private readonly ulong* agents;
        private readonly byte* statuses;
        private readonly int count;

        internal Batch(ulong call, ulong* agents, int count, byte* statuses)
        {
            this.call = call;
            this.agents = agents;
            this.statuses = statuses;
            this.count = count;
        }

        /// <summary>How many there are.</summary>
        public int Count => count;
        /// <summary>Their ids.</summary>
        public ReadOnlySpan<Agent> Agents => new ReadOnlySpan<Agent>(agents, count);
        /// <summary>
        /// What the leaf says of each. An entry that is not written is Running for an action, and Failure for a condition.
        /// </summary>
        public Span<Status> Statuses => new Span<Status>(statuses, count);

        /// <summary>What the leaf says of an agent.</summary>
        public void Answer(int agent, Status status)
        {
            statuses[Checked(agent, count)] = (byte)status;
        }

        /// <summary>What the leaf says of all.</summary>
        public void AnswerAll(Status status)
        {
            Statuses.Fill(status);
        }

        /// <summary>
        /// The leaf went wrong for an agent: it fails for that agent, and the call of the runtime throws at its end.
        /// </summary>
        public void Fail(int agent, string message)
        {
            fixed (byte* it = Utf8.Zero(Utf8.Mended(message ?? ""), nameof(message)))
            {
                PleachException.Check(Native.pleach_call_fail(call, (UIntPtr)Checked(agent, count), it));
            }
        }

        /// <summary>A parameter that is a number or a bool.</summary>
        /// <exception cref="PleachException">The tree omits it, and it has no default (<see cref="Error.NotFound"/>).</exception>
        public double Number(int index)
        {
            double it;
            PleachException.Check(Native.pleach_call_number(call, (UIntPtr)index, &it));
            return it;
        }

        /// <summary>A parameter that is a number or an expression: its current value for an agent.</summary>
        public float Expr(int index, int agent = 0)
        {
            float it;
            PleachException.Check(Native.pleach_call_expr(call, (UIntPtr)index, (UIntPtr)agent, &it));
            return it;
        }

        /// <summary>A parameter that is a text or a word.</summary>
        public string Text(int index)
        {
            byte* it;
            UIntPtr length;
            PleachException.Check(Native.pleach_call_text(call, (UIntPtr)index, &it, &length));
            return Utf8.Kept(it, length);
        }

        /// <summary>A parameter that names a key.</summary>
        public Key<T> Key<T>(int index) where T : struct
        {
            Native.pleach_key it;
            PleachException.Check(Native.pleach_call_key(call, (UIntPtr)index, &it));
            if (it.type != (int)Types<T>.Checked)
            {
                throw new InvalidCastException("the key is of type " + (KeyType)it.type + ", not " + Types<T>.Type);
            }
            return new Key<T>(it);
        }

        /// <summary>A parameter that names an event.</summary>
        public Symbol EventName(int index)
        {
            ulong it;
            PleachException.Check(Native.pleach_call_event_name(call, (UIntPtr)index, &it));
            return new Symbol(it);
        }

        /// <summary>A parameter of several numbers. Writes the first ones to `to`, and returns how many there are.</summary>
        public int Floats(int index, Span<float> to)
        {
            float none;
            UIntPtr all;
            fixed (float* it = &MemoryMarshal.GetReference(to))
            {
                PleachException.Check(Native.pleach_call_floats(
                    call, (UIntPtr)index, to.Length == 0 ? &none : it, (UIntPtr)to.Length, &all));
            }
            return (int)all;
        }

        /// <summary>What a key holds for an agent.</summary>
        public T Get<T>(int agent, Key<T> key) where T : struct
        {
            Value it = default(Value);
            PleachException.Check(Native.pleach_call_get(call, (UIntPtr)agent, key.Raw, &it.Raw));
            return it.As<T>();
        }

        /// <summary>Writes a key of an agent.</summary>
        public void Set<T>(int agent, Key<T> key, T value) where T : struct
        {
            PleachException.Check(Native.pleach_call_set(call, (UIntPtr)agent, key.Raw, Value.Of(value).Raw));
        }

        /// <summary>Reads a key of all agents: the cheapest way. `to` has room for <see cref="Count"/> values.</summary>
        public void Read<T>(Key<T> key, Span<T> to) where T : struct
        {
            Enough(to.Length);
            fixed (byte* it = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(to)))
            {
                PleachException.Check(Native.pleach_call_read(call, key.Raw, it, UIntPtr.Zero));
            }
        }

        /// <summary>
        /// Reads a key of all agents into a field of rows, which begins `offset` bytes after the start of the row.
        /// </summary>
        public void Read<T, TRow>(Key<T> key, Span<TRow> rows, int offset) where T : struct where TRow : struct
        {
            Enough(rows.Length);
            UIntPtr stride = UIntPtr.Zero;
            fixed (byte* it = &MemoryMarshal.GetReference(Column.Field<T, TRow>(rows, offset, out stride)))
            {
                PleachException.Check(Native.pleach_call_read(call, key.Raw, it, stride));
            }
        }

        /// <summary>Writes a key of all agents: the cheapest way. `from` has <see cref="Count"/> values.</summary>
        public void Write<T>(Key<T> key, ReadOnlySpan<T> from) where T : struct
        {
            Enough(from.Length);
            fixed (byte* it = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(from)))
            {
                PleachException.Check(Native.pleach_call_write(call, key.Raw, it, UIntPtr.Zero));
            }
        }

        /// <summary>Writes a key of all agents from a field of rows.</summary>
        public void Write<T, TRow>(Key<T> key, Span<TRow> rows, int offset) where T : struct where TRow : struct
        {
            Enough(rows.Length);
            UIntPtr stride = UIntPtr.Zero;
            fixed (byte* it = &MemoryMarshal.GetReference(Column.Field<T, TRow>(rows, offset, out stride)))
            {
                PleachException.Check(Native.pleach_call_write(call, key.Raw, it, stride));
            }
        }

        /// <summary>Which of the game's objects the agents are. `to` has room for <see cref="Count"/> of them.</summary>
        public void Entities(Span<Entity> to)
        {
            Enough(to.Length);
            fixed (byte* it = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(to)))
            {
                PleachException.Check(Native.pleach_call_entities(call, it, UIntPtr.Zero));
            }
        }

        /// <summary>Which of the game's objects an agent is.</summary>
        public Entity Entity(int agent)
        {
            Checked(agent, count);
            // Fetched once per call; a nested call fetches it again.
            if (entitiesOf != call || entities == null)
            {
                entities = entities ?? new Entity[Most];
                entitiesOf = 0;
                Entities(entities);
                entitiesOf = call;
            }
            return entities[agent];
        }

        [ThreadStatic]
        private static Entity[] entities;
        [ThreadStatic]
        private static ulong entitiesOf;

        /// <summary>The node of the call, in the tree of its agents.</summary>
        public int Node
        {
            get
            {
                uint it;
                PleachException.Check(Native.pleach_call_node(call, &it));
                return (int)it;
            }
        }

        /// <summary>The agent's own time since its last turn, in seconds; 0 outside of a tick.</summary>
        public float Dt(int agent = 0)
        {
            float it;
            PleachException.Check(Native.pleach_call_dt(call, (UIntPtr)agent, &it));
            return it;
        }

        /// <summary>The agent's own time, in seconds. It stands still while the agent is paused.</summary>
        public double Time(int agent = 0)
        {
            double it;
            PleachException.Check(Native.pleach_call_time(call, (UIntPtr)agent, &it));
            return it;
        }

        /// <summary>A random number of at least 0 and less than 1, from the agent's own stream: the same on every machine.</summary>
        public double Random(int agent = 0)
        {
            double it;
            PleachException.Check(Native.pleach_call_random(call, (UIntPtr)agent, &it));
            return it;
        }

        /// <summary>The squad of the agent, or none.</summary>
        public GroupId Group(int agent = 0)
        {
            ulong it;
            PleachException.Check(Native.pleach_call_group(call, (UIntPtr)agent, &it));
            return new GroupId(it);
        }

        /// <summary>Says that a running action needs no update for this agent in the next seconds. A hint.</summary>
        public void Sleep(int agent, float seconds)
        {
            PleachException.Check(Native.pleach_call_sleep(call, (UIntPtr)agent, seconds));
        }

        /// <summary>Whether this tick delivers such an event to the agent.</summary>
        public bool Hears(int agent, string name)
        {
            return Hears(agent, name, out _);
        }

        /// <summary>Whether this tick delivers such an event to the agent, and the payload of the first one.</summary>
        public bool Hears(int agent, string name, out Value payload)
        {
            Value it = default(Value);
            int result;
            fixed (byte* text = Utf8.ZeroReused(name, nameof(name)))
            {
                result = Native.pleach_call_event(call, (UIntPtr)agent, text, &it.Raw);
            }
            if (result != Native.PLEACH_ERROR_NOT_FOUND)
            {
                PleachException.Check(result);
            }
            payload = it;
            return result == Native.PLEACH_OK;
        }

        /// <summary>As <see cref="Hears(int, string, out Value)"/>, for an event by its symbol: <see cref="EventName"/>.</summary>
        public bool Hears(int agent, Symbol name, out Value payload)
        {
            Value it = default(Value);
            int result = Native.pleach_call_event_of(call, (UIntPtr)agent, name.Bits, &it.Raw);
            if (result != Native.PLEACH_ERROR_NOT_FOUND)
            {
                PleachException.Check(result);
            }
            payload = it;
            return result == Native.PLEACH_OK;
        }

        /// <summary>
        /// Emits an event of an agent, as an Emit node does: the hook of <see cref="Forest.SetHooks"/> receives it.
        /// </summary>
        public void Emit(int agent, string name, Value payload = default(Value))
        {
            fixed (byte* text = Utf8.ZeroReused(name, nameof(name)))
            {
                PleachException.Check(Native.pleach_call_emit(call, (UIntPtr)agent, text, payload.Raw));
            }
        }

        /// <summary>Emits an event by its symbol.</summary>
        public void Emit(int agent, Symbol name, Value payload = default(Value))
        {
            PleachException.Check(Native.pleach_call_emit_event(call, (UIntPtr)agent, name.Bits, payload.Raw));
        }

        /// <summary>Sends an event by its symbol.</summary>
        public void Send(int from, Agent to, Symbol name, Value payload = default(Value))
        {
            PleachException.Check(Native.pleach_call_send_event(call, (UIntPtr)from, to.Id, name.Bits, payload.Raw));
        }

        /// <summary>Sends an event by its symbol to all other members of a squad.</summary>
        public void Send(int from, GroupId to, Symbol name, Value payload = default(Value))
        {
            PleachException.Check(Native.pleach_call_send_group_event(call, (UIntPtr)from, to.Id, name.Bits, payload.Raw));
        }

        /// <summary>Sends an event from an agent of the batch to any other, for its next tick.</summary>
        public void Send(int from, Agent to, string name, Value payload = default(Value))
        {
            fixed (byte* text = Utf8.ZeroReused(name, nameof(name)))
            {
                PleachException.Check(Native.pleach_call_send(call, (UIntPtr)from, to.Id, text, payload.Raw));
            }
        }

        /// <summary>Sends an event from an agent of the batch to all other members of a squad.</summary>
        public void Send(int from, GroupId to, string name, Value payload = default(Value))
        {
            fixed (byte* text = Utf8.ZeroReused(name, nameof(name)))
            {
                PleachException.Check(Native.pleach_call_send_group(call, (UIntPtr)from, to.Id, text, payload.Raw));
            }
        }

        /// <summary>Spawns an agent of a tree when the call of the runtime ends.</summary>
        public void Spawn(int by, TreeId tree, SpawnOptions options = default(SpawnOptions))
        {
            Native.pleach_spawn_desc raw = options.Raw();
            PleachException.Check(Native.pleach_call_spawn(call, (UIntPtr)by, tree.Id, &raw));
        }

        /// <summary>Disables an agent of the batch when the call of the runtime ends.</summary>
        public void Stop(int agent)
        {
            PleachException.Check(Native.pleach_call_stop(call, (UIntPtr)agent));
        }

        /// <summary>Restarts an agent of the batch when the call of the runtime ends.</summary>
        public void Restart(int agent)
        {
            PleachException.Check(Native.pleach_call_restart(call, (UIntPtr)agent));
        }

        /// <summary>Despawns any agent when the call of the runtime ends.</summary>
        public void Despawn(Agent agent)
        {
            PleachException.Check(Native.pleach_call_despawn(call, agent.Id));
        }

        private static int Checked(int agent, int count)
        {
            return agent >= 0 && agent < count ? agent : throw new ArgumentOutOfRangeException(
                nameof(agent), "the batch has " + count + " agents, and none with number " + agent);
        }

        private void Enough(int length)
        {
            if (length < count)
            {
                throw new ArgumentException("the batch has " + count + " agents, and the list room for " + length);
            }
        }
    }
}
