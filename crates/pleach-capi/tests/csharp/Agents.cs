// Agents of a forest: their lives, events, squads, slots, columns, saves, traces, recordings, threads.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using Pleach;

internal static class Agents
{
    private const string Squad = @"Tree(version: 1, name: ""squad"", blackboard: { ""n"": Int(0) },
        group: { ""plan"": Symbol(""rest"", [""rest"", ""go""]) }, global: { ""hour"": Float(12) }, events: { ""shout"": Float },
        root: Selector([
            Sequence(name: ""go"", abort: Both, children: [Check(""group.plan == go""),
                Log(""off""), Emit(event: ""shout"", payload: ""hour""), Count(""n""), Idle]),
            Slot(name: ""rest"", trees: [""sit.ron"", ""lie.ron""], initial: ""sit""),
        ]))";

    private static Leaf Count()
    {
        return Leaf.Action("Count", new[] { Param.Key<long>("key") }, of =>
        {
            var column = new long[of.Count];
            Key<long> key = of.Key<long>(0);
            of.Read<long>(key, column);
            for (int i = 0; i < column.Length; i++)
            {
                column[i]++;
            }
            of.Write<long>(key, column);
        }, new LeafOptions { ThreadSafe = true });
    }

    public static void Squads()
    {
        using (var registry = new Registry())
        using (var library = new Library())
        using (var forest = new Forest(7))
        using (var other = new Forest(8))
        {
            var said = new List<string>();
            var lines = new List<string>();
            registry.Add(Count());
            library.Put("squad.ron", Squad);
            library.Put("sit.ron", "Tree(version: 1, root: Wait(5))");
            library.Put("lie.ron", "Tree(version: 1, root: Wait(9))");
            Tree tree = library.Load(registry, "squad.ron");
            TreeId id = forest.Add(tree);
            other.Add(tree);
            forest.SetHooks((agent, name, payload) => said.Add("shout " + payload.As<float>()), (agent, node, text) => said.Add(text));
            Group group = forest.NewGroup();
            Agent[] all = Enumerable.Range(0, 3).Select(_ => forest.Spawn(id, new SpawnOptions { Group = group.Id })).ToArray();
            Check.Same(3, group.Members().Length);
            Check.That(group.Members()[2] == all[2]);
            Check.Fails(Error.NotFound, "GroupId", () => forest.Group(new GroupId(group.Id.Id + 1)).Join(all[2]));
            forest.LeaveGroup(all[2]);
            Check.Same(2, group.Members().Length);
            forest.SetGlobal("hour", 6f);
            Check.Same(6f, forest.GetGlobal<float>("hour"));
            Recording recording = forest.Record(keysEvery: 1);
            recording.AddFile("squad.ron", Squad);
            recording.AddFile("squad.baked", new byte[] { 0xFF, 0 });
            recording.AddFile("empty", new byte[0]);
            forest.Trace(lines.Add, new[] { all[0], all[1] });
            forest.Tick(0.1f);
            Check.Has("start", string.Join("", lines));
            Check.Fails(Error.Refused, "", () => group.Set("plan", new Symbol("fly")));
            Snapshot before = forest.Snapshot();
            Check.Has("plan", forest.WhyNot(all[0], "go"));
            group.Set("plan", new Symbol("go"));
            Check.Same(new Symbol("go"), group.Get<Symbol>("plan"));
            forest.Tick(0.1f);
            Check.Same("off,shout 6,off,shout 6", string.Join(",", said));
            forest.Tick(0.1f);
            Check.Has("Count", forest.Explain(all[0]));
            forest.StopTrace();
            byte[] recorded = recording.ToBytes();
            Check.Same("pleachrc", System.Text.Encoding.ASCII.GetString(recorded, 0, 8));
            string path = Path.Combine(Path.GetTempPath(), "pleach-" + Guid.NewGuid() + ".plr");
            recording.Save(path);
            Check.That(new FileInfo(path).Length >= recorded.Length);
            File.Delete(path);
            recording.Dispose();
            recording.Dispose();
            Check.Throws<ObjectDisposedException>(() => recording.ToBytes());
            forest.Fill(all[2], "rest", "lie");
            forest.FillAll(id, "rest", "lie");
            group.Fill("rest", "sit");
            Check.Fails(Error.Refused, "", () => forest.Fill(all[2], "rest", "run"));
            group.Send("shout", 1f);

            Check.That(Math.Abs(forest.Seconds - 0.3) < 0.001);
            byte[] save = forest.Save();
            Check.That(forest.Save(new[] { all[0] }).Length < save.Length);
            Check.That(forest.Save(new Agent[0]).Length < forest.Save(new[] { all[0] }).Length, "none are all");
            other.Restore(save);
            Check.Same(3, other.AgentCount);
            Check.Fails(Error.Refused, "", () => other.Restore(save.Take(save.Length / 2).ToArray()));
            Check.Fails(Error.Refused, "", () => other.Restore(new byte[0]));
            forest.Rollback(before);
            Check.That(Math.Abs(forest.Seconds - 0.1) < 0.001);
            Check.Fails(Error.Refused, "", () => other.Rollback(before));
            before.Dispose();
            Check.Throws<ObjectDisposedException>(() => forest.Rollback(before));
            group.Remove();
            Check.Fails(Error.NotFound, "", () => group.Members());
            Check.Throws<InvalidOperationException>(() => default(Group).Members());
        }
    }

    public static void SlotsRunWhatFillsThem()
    {
        using (var registry = new Registry())
        using (var library = new Library())
        using (var forest = new Forest(7))
        {
            library.Put("sit.ron", @"Tree(version: 1, root: Idle(name: ""seated""))");
            library.Put("lie.ron", @"Tree(version: 1, root: Idle(name: ""lying""))");
            library.Put("t.ron", @"Tree(version: 1, root: Slot(name: ""rest"", trees: [""sit.ron"", ""lie.ron""], initial: ""sit""))");
            using (Tree tree = library.Load(registry, "t.ron"))
            using (var brain = new Brain(tree, 7))
            {
                TreeId id = forest.Add(tree);
                Agent one = forest.Spawn(id), two = forest.Spawn(id);
                var running = new int[1];
                Action<string, string> runs = (first, second) =>
                {
                    forest.Tick(0.1f);
                    Check.Same(1, forest.Current(one, running));
                    Check.Same(tree.Find(first), running[0]);
                    Check.Same(1, forest.Current(two, running));
                    Check.Same(tree.Find(second), running[0]);
                };
                runs("seated", "seated");
                forest.Fill(one, "rest", "lie");
                runs("lying", "seated");
                forest.FillAll(id, "rest", "lie");
                runs("lying", "lying");
                Group group = forest.NewGroup();
                group.Join(two);
                group.Fill("rest", "sit");
                runs("lying", "seated");
                brain.Tick(0.1f);
                brain.Fill("rest", "lie");
                brain.Tick(0.1f);
                Check.Same(1, brain.Current(running));
                Check.Same(tree.Find("lying"), running[0]);
            }
        }
    }

    public static void LivesOfAgents()
    {
        using (World it = new World().With("Sequence([Wait(0.25), Wait(9)])"))
        {
            Forest forest = it.Forest;
            Agent agent = forest.Spawn(it.Id, new SpawnOptions { Entity = 9, Disabled = true, Stops = true, Seed = 3 });
            Check.Same(Phase.Off, forest.Phase(agent));
            forest.Enable(agent);
            forest.Tick(0.1f);
            Check.Same(Phase.Asleep, forest.Phase(agent));
            forest.Pause(agent);
            Check.Same(Phase.Paused, forest.Phase(agent));
            forest.Unpause(agent);
            forest.Restart(agent);
            forest.SetRate(agent, 2);
            forest.SetLabel(agent, "the first");
            Check.Same(9UL, forest.EntityOf(agent).Id);
            forest.SetEntity(agent, 10);
            Check.Same(10UL, forest.EntityOf(agent).Id);
            Check.Same(it.Id.Id, forest.TreeOf(agent).Id);
            forest.Disable(agent);
            Check.Same(Phase.Off, forest.Phase(agent));
            var agents = new Agent[3];
            var entities = new Entity[3];
            Check.Same(1, forest.Agents(it.Id, agents, entities));
            Check.That(agents[0] == agent && entities[0].Id == 10);
            forest.Despawn(agent);
            Check.Fails(Error.NotFound, "AgentId", () => forest.Phase(agent));
            Check.Same(0, forest.Agents(it.Id).Length);
        }
    }

    private static Agent told;
    private static TreeId kind;

    public static void WhatLeavesAskFor()
    {
        string heard = "";
        Leaf act = Leaf.ActionEach("Act", null, (of, i) =>
        {
            ulong me = of.Entity(i).Id;
            if (of.Hears(i, "hear", out Value payload))
            {
                heard += me + " hears " + payload.As<float>() + ";";
            }
            Check.That(!of.Hears(i, "shout"));
            if (me == 1 && of.Time(i) < 0.15)
            {
                of.Send(i, told, "hear", 1.5f);
                of.Send(i, of.Group(i), "hear", 2.5f);
                of.Spawn(i, kind, new SpawnOptions { Entity = 7 });
            }
            else if (me == 3 && of.Time(i) > 0.15)
            {
                of.Despawn(of.Agents[i]);
            }
            else if (me == 4)
            {
                of.Stop(i);
            }
            else if (me == 5)
            {
                of.Restart(i);
            }
            Check.That(of.Random(i) >= 0 && of.Random(i) < 1 && of.Dt(i) > 0.09);
            return Status.Running;
        });
        using (World it = new World(act))
        {
            it.Registry.Event("hear", KeyType.Float);
            it.Registry.Event("shout");
            it.With("Act");
            Group group = it.Forest.NewGroup();
            Agent[] all = it.Spawn(5);
            group.Join(all[0]);
            group.Join(all[2]);
            told = all[1];
            kind = it.Id;
            it.Forest.Tick(0.1f);
            it.Forest.Tick(0.1f);
            Check.Same("2 hears 1.5;3 hears 2.5;", heard);
            Check.Fails(Error.NotFound, "", () => it.Forest.Phase(all[2]));
            Check.Same(Phase.Off, it.Forest.Phase(all[3]));
            Check.Same(5, it.Forest.AgentCount);
            heard = "";
            it.Forest.Send(all[1], "hear", 3f);
            it.Forest.Broadcast("hear", 4f);
            it.Forest.Tick(0.1f);
            Check.Has("2 hears 3;", heard);
            Check.Has("7 hears 4;", heard);
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct Row
    {
        internal long Before;
        internal float Speed;
        internal int Behind;
    }

    public static void RowsOfStructs()
    {
        Leaf leaf = Leaf.Action("Halve", new[] { Param.Key<float>("key") }, of =>
        {
            var rows = new Row[of.Count];
            of.Read(of.Key<float>(0), rows.AsSpan(), 8);
            for (int i = 0; i < rows.Length; i++)
            {
                rows[i].Speed /= 2;
            }
            of.Write(of.Key<float>(0), rows.AsSpan(), 8);
        });
        using (World it = new World(leaf).With(@"Halve(""x"")", @"""x"": Float(8)"))
        {
            it.Spawn(10);
            it.Forest.Tick(0.1f);
            var rows = new Row[10];
            Key<float> x = it.Tree.Key<float>("x");
            it.Forest.ReadColumn(it.Id, x, rows.AsSpan(), 8);
            Check.That(rows.All(row => row.Speed == 4 && row.Before == 0 && row.Behind == 0));
            rows[3].Speed = 9;
            it.Forest.WriteColumn(it.Id, x, rows.AsSpan(), 8);
            Check.Same(9f, it.Forest.Get(it.Forest.Agents(it.Id)[3], x));
            Check.Throws<ArgumentOutOfRangeException>(() => it.Forest.ReadColumn(it.Id, x, rows.AsSpan(), 13));
            Check.Throws<ArgumentOutOfRangeException>(() => it.Forest.ReadColumn(it.Id, x, rows.AsSpan(), -1));
        }
    }

    public static void BudgetsAndThreads()
    {
        using (World it = new World(new ForestOptions { ChunkSize = 64, Sleepless = true }, Count()).With(@"Count(""n"")", @"""n"": Int(0)"))
        {
            it.Spawn(1000);
            Check.That(it.Forest.TickWithin(0.1f, 100, 0).Ticked <= 128);
            Check.Throws<ArgumentOutOfRangeException>(() => it.Forest.TickWithin(0.1f, -1, 0));
            while (it.Forest.TickWithin(0.1f, 500, 0).Ticked == 0)
            {
            }
            for (int i = 0; i < 50; i++)
            {
                Check.Same(1000L, it.Forest.TickParallel(0.1f).Ticked);
            }
            var column = new long[1000];
            it.Forest.ReadColumn<long>(it.Id, it.Tree.Key<long>("n"), column);
            Check.That(column.All(n => n >= 50));
        }
        int threads = 0;
        Leaf thrower = Leaf.ActionEach("Throw", null, (of, i) => { throw new InvalidOperationException("on thread"); },
            new LeafOptions { ThreadSafe = true });
        using (World it = new World(new ForestOptions { ChunkSize = 16 }, thrower).With("Throw"))
        {
            it.Spawn(100);
            PleachException thrown = Check.Fails(Error.Leaf, "on thread", () => it.Forest.TickParallel(0.1f));
            Check.That(thrown.InnerException is InvalidOperationException);
            it.Registry.Action("Here", null, of => threads++);
            TreeId here = it.Forest.Add(Tree.Load(it.Registry, "here.ron", World.Source("Here")));
            it.Forest.Spawn(here);
            Check.Fails(Error.Threads, "thread", () => it.Forest.TickParallel(0.1f));
        }
    }

    public static void TwoForestsOnTwoThreads()
    {
        Leaf leaf = Count();
        Exception failed = null;
        Thread[] all = Enumerable.Range(0, 2).Select(_ => new Thread(() =>
        {
            try
            {
                using (World it = new World(leaf).With(@"Count(""n"")", @"""n"": Int(0)"))
                {
                    Agent agent = it.Spawn(20)[7];
                    for (int i = 0; i < 200; i++)
                    {
                        it.Forest.Tick(0.1f);
                    }
                    Check.Same(200L, it.Forest.Get(agent, it.Tree.Key<long>("n")));
                }
            }
            catch (Exception it)
            {
                failed = it;
            }
        })).ToArray();
        Array.ForEach(all, it => it.Start());
        Array.ForEach(all, it => it.Join());
        Check.That(failed == null, "" + failed);
    }

    public static void ManyThreadsRead()
    {
        using (World it = new World().With("Wait(1)", @"""n"": Int(3)"))
        {
            Agent[] all = it.Spawn(50);
            Key<long> n = it.Tree.Key<long>("n");
            it.Forest.Tick(0.1f);
            Exception failed = null;
            Thread[] readers = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
            {
                try
                {
                    for (int i = 0; i < 200; i++)
                    {
                        Check.Same(3L, it.Forest.Get(all[i % 50], n));
                        Check.Has("Wait", it.Forest.Explain(all[i % 50]));
                    }
                }
                catch (Exception wrong)
                {
                    failed = wrong;
                }
            })).ToArray();
            Array.ForEach(readers, reader => reader.Start());
            Array.ForEach(readers, reader => reader.Join());
            Check.That(failed == null, "" + failed);
        }
    }
}
