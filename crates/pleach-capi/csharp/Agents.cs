// Agents of a forest: what they do, their keys, events, slots and squads.
using System;
using System.Runtime.InteropServices;

namespace Pleach
{
    public sealed unsafe partial class Forest
    {
        /// <summary>Despawns an agent: its leaves end, and its id stays stale for ever.</summary>
        public void Despawn(Agent agent)
        {
            Check(Native.pleach_despawn(Id, agent.Id));
        }

        /// <summary>Enables an agent that is off. If it is on, nothing happens.</summary>
        public void Enable(Agent agent)
        {
            Check(Native.pleach_enable(Id, agent.Id));
        }

        /// <summary>Disables an agent: its leaves end.</summary>
        public void Disable(Agent agent)
        {
            Check(Native.pleach_disable(Id, agent.Id));
        }

        /// <summary>Disables an agent and enables it again, with its keys as they are.</summary>
        public void Restart(Agent agent)
        {
            Check(Native.pleach_restart(Id, agent.Id));
        }

        /// <summary>Pauses an agent: it is not ticked, and its own time stands still.</summary>
        public void Pause(Agent agent)
        {
            Check(Native.pleach_pause(Id, agent.Id));
        }

        /// <summary>Resumes a paused agent.</summary>
        public void Unpause(Agent agent)
        {
            Check(Native.pleach_unpause(Id, agent.Id));
        }

        /// <summary>What an agent is doing.</summary>
        public Phase Phase(Agent agent)
        {
            int it;
            Check(Native.pleach_agent_phase(Id, agent.Id, &it));
            return (Phase)it;
        }

        /// <summary>The tree of an agent.</summary>
        public TreeId TreeOf(Agent agent)
        {
            ulong it;
            Check(Native.pleach_agent_info(Id, agent.Id, &it, null));
            return new TreeId(it);
        }

        /// <summary>Which of the game's objects an agent is.</summary>
        public Entity EntityOf(Agent agent)
        {
            ulong it;
            Check(Native.pleach_agent_info(Id, agent.Id, null, &it));
            return new Entity(it);
        }

        /// <summary>Sets which of the game's objects an agent is.</summary>
        public void SetEntity(Agent agent, Entity entity)
        {
            Check(Native.pleach_set_entity(Id, agent.Id, entity.Id));
        }

        /// <summary>Sets how often an agent is ticked: every n-th frame; 1 is every frame, 0 is never.</summary>
        public void SetRate(Agent agent, int every)
        {
            if (every < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(every));
            }
            Check(Native.pleach_set_rate(Id, agent.Id, (uint)every));
        }

        /// <summary>Sets whether an agent stops when its root has ended, instead of restarting in its next tick.</summary>
        public void SetStops(Agent agent, bool stops)
        {
            Check(Native.pleach_set_stops(Id, agent.Id, stops ? (byte)1 : (byte)0));
        }

        /// <summary>Sets the name of an agent in traces and in the studio: "guard 3".</summary>
        public void SetLabel(Agent agent, string label)
        {
            fixed (byte* it = Utf8.Zero(label, nameof(label)))
            {
                Check(Native.pleach_set_label(Id, agent.Id, it));
            }
        }

        /// <summary>What a key of an agent holds.</summary>
        public T Get<T>(Agent agent, Key<T> key) where T : struct
        {
            Value it = default(Value);
            Check(Native.pleach_get(Id, agent.Id, key.Raw, &it.Raw));
            return it.As<T>();
        }

        /// <summary>Writes a key of an agent. A write that matters to a condition wakes the agent.</summary>
        public void Set<T>(Agent agent, Key<T> key, T value) where T : struct
        {
            Check(Native.pleach_set(Id, agent.Id, key.Raw, Value.Of(value).Raw));
        }

        /// <summary>Sends an event to an agent, for its next tick.</summary>
        public void Send(Agent agent, string name, Value payload = default(Value))
        {
            fixed (byte* it = Utf8.ZeroReused(name, nameof(name)))
            {
                Check(Native.pleach_send(Id, agent.Id, it, payload.Raw));
            }
        }

        /// <summary>Sends an event to all agents whose trees know it.</summary>
        public void Broadcast(string name, Value payload = default(Value))
        {
            fixed (byte* it = Utf8.ZeroReused(name, nameof(name)))
            {
                Check(Native.pleach_broadcast(Id, it, payload.Raw));
            }
        }

        /// <summary>
        /// Fills a slot of an agent with one of its trees, by its name, or with "empty". What runs in it ends in the agent's
        /// next tick.
        /// </summary>
        public void Fill(Agent agent, string slot, string tree)
        {
            fixed (byte* s = Utf8.Zero(slot, nameof(slot)), t = Utf8.Zero(tree, nameof(tree)))
            {
                Check(Native.pleach_fill(Id, agent.Id, s, t));
            }
        }

        /// <summary>Fills a slot of all agents of a tree.</summary>
        public void FillAll(TreeId id, string slot, string tree)
        {
            fixed (byte* s = Utf8.Zero(slot, nameof(slot)), t = Utf8.Zero(tree, nameof(tree)))
            {
                Check(Native.pleach_fill_all(Id, id.Id, s, t));
            }
        }

        /// <summary>The agents of a tree, in the order of columns.</summary>
        public Agent[] Agents(TreeId id)
        {
            UIntPtr count;
            Check(Native.pleach_agents(Id, id.Id, null, null, UIntPtr.Zero, &count));
            var all = new Agent[(int)count];
            Agents(id, all, default(Span<Entity>));
            return all;
        }

        /// <summary>
        /// The agents of a tree, in the order of columns, and the game's object of each. Writes the first ones to the lists,
        /// either of which may be empty, and returns how many there are.
        /// </summary>
        public int Agents(TreeId id, Span<Agent> agents, Span<Entity> entities)
        {
            if (agents.Length > 0 && entities.Length > 0 && agents.Length != entities.Length)
            {
                throw new ArgumentException("the lists are of " + agents.Length + " and " + entities.Length);
            }
            UIntPtr count;
            fixed (Agent* a = &MemoryMarshal.GetReference(agents))
            fixed (Entity* e = &MemoryMarshal.GetReference(entities))
            {
                Check(Native.pleach_agents(Id, id.Id, agents.Length == 0 ? null : (ulong*)a,
                    entities.Length == 0 ? null : (ulong*)e, (UIntPtr)Math.Max(agents.Length, entities.Length), &count));
            }
            return (int)count;
        }

        /// <summary>
        /// Reads a node or agent key of all agents of a tree, in the order of <see cref="Agents(TreeId)"/>. `to` has one
        /// place for each agent.
        /// </summary>
        public void ReadColumn<T>(TreeId id, Key<T> key, Span<T> to) where T : struct
        {
            fixed (byte* it = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(to)))
            {
                Check(Native.pleach_read_column(Id, id.Id, key.Raw, it, UIntPtr.Zero, (UIntPtr)to.Length));
            }
        }

        /// <summary>
        /// As <see cref="ReadColumn{T}"/>, into a field of rows, which begins `offset` bytes after the start of the row.
        /// </summary>
        public void ReadColumn<T, TRow>(TreeId id, Key<T> key, Span<TRow> rows, int offset) where T : struct where TRow : struct
        {
            UIntPtr stride = UIntPtr.Zero;
            fixed (byte* it = &MemoryMarshal.GetReference(Column.Field<T, TRow>(rows, offset, out stride)))
            {
                Check(Native.pleach_read_column(Id, id.Id, key.Raw, it, stride, (UIntPtr)rows.Length));
            }
        }

        /// <summary>Writes a node or agent key of all agents of a tree, as <see cref="ReadColumn{T}"/> reads it.</summary>
        public void WriteColumn<T>(TreeId id, Key<T> key, ReadOnlySpan<T> from) where T : struct
        {
            fixed (byte* it = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(from)))
            {
                Check(Native.pleach_write_column(Id, id.Id, key.Raw, it, UIntPtr.Zero, (UIntPtr)from.Length));
            }
        }

        /// <summary>As <see cref="WriteColumn{T}"/>, from a field of rows.</summary>
        public void WriteColumn<T, TRow>(TreeId id, Key<T> key, Span<TRow> rows, int offset) where T : struct where TRow : struct
        {
            UIntPtr stride = UIntPtr.Zero;
            fixed (byte* it = &MemoryMarshal.GetReference(Column.Field<T, TRow>(rows, offset, out stride)))
            {
                Check(Native.pleach_write_column(Id, id.Id, key.Raw, it, stride, (UIntPtr)rows.Length));
            }
        }

        /// <summary>Makes a squad without members.</summary>
        public Group NewGroup()
        {
            ulong made;
            Check(Native.pleach_group_new(Id, &made));
            return new Group(this, new GroupId(made));
        }

        /// <summary>The squad of an id, as leaves get it.</summary>
        public Group Group(GroupId id)
        {
            return new Group(this, id);
        }

        /// <summary>Makes an agent leave its squad.</summary>
        public void LeaveGroup(Agent agent)
        {
            Check(Native.pleach_group_join(Id, agent.Id, 0));
        }

        /// <summary>What a key of the forest holds, by its name without a scope: "alarm".</summary>
        public T GetGlobal<T>(string name) where T : struct
        {
            return new Group(this, default(GroupId)).Get<T>(name);
        }

        /// <summary>What a global key holds.</summary>
        public T GetGlobal<T>(Key<T> key) where T : struct
        {
            return new Group(this, default(GroupId)).Get(key);
        }

        /// <summary>Writes a global key.</summary>
        public void SetGlobal<T>(Key<T> key, T value) where T : struct
        {
            new Group(this, default(GroupId)).Set(key, value);
        }

        /// <summary>Writes a key of the forest, by its name without a scope.</summary>
        public void SetGlobal<T>(string name, T value) where T : struct
        {
            new Group(this, default(GroupId)).Set(name, value);
        }
    }

    /// <summary>A squad of a forest: agents with common keys.</summary>
    public readonly unsafe struct Group
    {
        private readonly Forest forest;

        internal Group(Forest forest, GroupId id)
        {
            this.forest = forest;
            Id = id;
        }

        /// <summary>Its id, for <see cref="SpawnOptions"/> and leaves.</summary>
        public GroupId Id { get; }

        private Forest Forest => forest ?? throw new InvalidOperationException("this is the squad of no forest");

        /// <summary>Makes an agent join it, and leave its old squad.</summary>
        public void Join(Agent agent)
        {
            Forest.Check(Native.pleach_group_join(Forest.Id, agent.Id, Id.Id));
        }

        /// <summary>Removes it; its members leave it.</summary>
        public void Remove()
        {
            Forest.Check(Native.pleach_group_remove(Forest.Id, Id.Id));
        }

        /// <summary>Its members.</summary>
        public Agent[] Members()
        {
            UIntPtr count;
            Forest.Check(Native.pleach_group_members(Forest.Id, Id.Id, null, UIntPtr.Zero, &count));
            var all = new Agent[(int)count];
            fixed (Agent* it = all)
            {
                Forest.Check(Native.pleach_group_members(Forest.Id, Id.Id, (ulong*)it, count, null));
            }
            return all;
        }

        /// <summary>Sends an event to all members, for their next ticks.</summary>
        public void Send(string name, Value payload = default(Value))
        {
            fixed (byte* it = Utf8.ZeroReused(name, nameof(name)))
            {
                Forest.Check(Native.pleach_group_send(Forest.Id, Id.Id, it, payload.Raw));
            }
        }

        /// <summary>Fills a slot of every member whose tree has it.</summary>
        public void Fill(string slot, string tree)
        {
            fixed (byte* s = Utf8.Zero(slot, nameof(slot)), t = Utf8.Zero(tree, nameof(tree)))
            {
                Forest.Check(Native.pleach_group_fill(Forest.Id, Id.Id, s, t));
            }
        }

        /// <summary>What a key of the squad holds, by its name without a scope: "plan".</summary>
        public T Get<T>(string name) where T : struct
        {
            Value value = default(Value);
            fixed (byte* it = Utf8.ZeroReused(name, nameof(name)))
            {
                Forest.Check(Native.pleach_group_get(Forest.Id, Id.Id, it, &value.Raw));
            }
            return value.As<T>();
        }

        /// <summary>What a group key of the squad holds; with id 0, a global key.</summary>
        public T Get<T>(Key<T> key) where T : struct
        {
            Value value = default(Value);
            Forest.Check(Native.pleach_group_get_key(Forest.Id, Id.Id, key.Raw, &value.Raw));
            return value.As<T>();
        }

        /// <summary>Writes a group key of the squad; with id 0, a global key.</summary>
        public void Set<T>(Key<T> key, T value) where T : struct
        {
            Forest.Check(Native.pleach_group_set_key(Forest.Id, Id.Id, key.Raw, Value.Of(value).Raw));
        }

        /// <summary>Writes a key of the squad, by its name without a scope.</summary>
        public void Set<T>(string name, T value) where T : struct
        {
            fixed (byte* it = Utf8.ZeroReused(name, nameof(name)))
            {
                Forest.Check(Native.pleach_group_set(Forest.Id, Id.Id, it, Value.Of(value).Raw));
            }
        }
    }
}
