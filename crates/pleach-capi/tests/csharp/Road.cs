// The main road: leaves, parameters, libraries, brains, conveniences.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Numerics;
using Pleach;

internal static class Road
{
    internal static readonly Leaf Step = Leaf.ActionEach("Step", null, (of, i) => Status.Success);

    public static void ALeafUpdatesABatch()
    {
        int calls = 0;
        Leaf leaf = Leaf.Action("Add", new[] { Param.Key<float>("to"), Param.Float("by").Default("2.0") }, of =>
        {
            calls++;
            var column = new float[of.Count];
            Key<float> key = of.Key<float>(0);
            of.Read<float>(key, column);
            Span<Status> statuses = of.Statuses;
            for (int i = 0; i < of.Count; i++)
            {
                column[i] += (float)of.Number(1);
                statuses[i] = Status.Success;
            }
            of.Write<float>(key, column);
        });
        using (World it = new World(leaf).With(@"Sequence([Add(to: ""x""), Add(to: ""x"", by: 0.5), Wait(9)])", @"""x"": Float(1)"))
        {
            Agent[] all = it.Spawn(50);
            TickReport report = it.Forest.Tick(0.1f);
            Check.Same(50L, report.Ticked);
            Check.That(calls < 50, "called for each agent");
            Key<float> x = it.Tree.Key<float>("x");
            Check.That(all.All(agent => it.Forest.Get(agent, x) == 3.5f));
        }
    }

    public static void ParametersOfEveryType()
    {
        string seen = "";
        var all = new[]
        {
            Param.Bool("flag"), Param.Int("count"), Param.Float("speed"), Param.Text("text"), Param.Word("word"),
            Param.Event("event"), Param.Expr("expr"), Param.Vec2("two"), Param.Vec3("three"), Param.Floats("list"),
            Param.Key<long>("key").Doc("A key."), Param.Float("left").Default("None"),
        };
        Leaf leaf = Leaf.ActionEach("All", all, (of, i) =>
        {
            var n = new float[4];
            seen = of.Number(0) + " " + of.Number(1) + " " + of.Number(2) + " " + of.Text(3) + " " + of.Text(4) + " "
                + (of.EventName(5) == new Symbol("noise")) + " " + of.Expr(6, i);
            seen += "; " + of.Floats(7, n) + " " + n[1] + " " + of.Floats(8, n) + " " + n[2] + " " + of.Floats(9, n) + " " + n[3]
                + " " + of.Floats(9, default(Span<float>));
            seen += "; " + of.Get(i, of.Key<long>(10)) + " " + of.Node;
            try
            {
                of.Number(11);
            }
            catch (PleachException it)
            {
                seen += "; " + it.Error;
            }
            return Status.Success;
        }, new LeafOptions { Doc = "Takes everything." });
        using (var it = new World(leaf))
        {
            it.Registry.Event("noise");
            it.With(@"All(flag: true, count: 3, speed: 1.5, text: ""grüß"", word: ""go"", event: ""noise"", expr: ""k * 2"",
                two: (1, 2), three: (1, 2, 3), list: [1, 2, 3, 4, 5], key: ""k"")", @"""k"": Int(21), ""s"": Symbol(""go"", [""go""])");
            it.Spawn(1);
            it.Forest.Tick(0.1f);
            Check.Same("1 3 1.5 grüß go True 42; 2 2 3 3 5 4 5; 21 0; NotFound", seen);
            string manifest = it.Registry.ToManifest();
            Check.Has("Takes everything.", manifest);
            Check.Has("A key.", manifest);
            // Another registry reads what this one has written.
            using (var other = new Registry())
            {
                other.Manifest("g.leaves", manifest, leaf);
                using (Tree tree = Tree.Load(other, "t.ron", World.Source("Wait(1)")))
                {
                    Check.Same("t", tree.Name);
                }
            }
        }
    }

    public static void KeysOfEveryType()
    {
        using (World it = new World().With("Wait(1)", @"""b"": Bool(true), ""i"": Int(-2), ""f"": Float(0.5), ""v"": Vec2(1, 2),
            ""w"": Vec3(1, 2, 3), ""e"": Entity(none), ""s"": Symbol(""rest"", [""rest"", ""go""]), ""t"": Time(0)"))
        {
            Agent agent = it.Spawn(1)[0];
            Same(it, agent, "b", true, false);
            Same(it, agent, "i", -2L, long.MinValue);
            Same(it, agent, "f", 0.5f, float.MaxValue);
            Same(it, agent, "v", new Vector2(1, 2), new Vector2(3, 4));
            Same(it, agent, "w", new Vector3(1, 2, 3), new Vector3(4, 5, 6));
            Same(it, agent, "s", new Symbol("rest"), new Symbol("go"));
            Same(it, agent, "t", new Moment(0), new Moment(5_000_000_000));
            it.Forest.Set(agent, it.Tree.Key<Entity>("e"), (Entity)ulong.MaxValue);
            Check.Same(ulong.MaxValue, it.Forest.Get(agent, it.Tree.Key<Entity>("e")).Id);
            Check.Throws<NotSupportedException>(() => it.Tree.Key<int>("i"));
            Check.Throws<InvalidCastException>(() => ((Value)1.5f).As<bool>());
        }
    }

    private static void Same<T>(World it, Agent agent, string name, T first, T second) where T : struct
    {
        Key<T> key = it.Tree.Key<T>(name);
        Check.Same(first, it.Forest.Get(agent, key));
        it.Forest.Set(agent, key, second);
        Check.Same(second, it.Forest.Get(agent, key));
        Check.Same(second, Value.Of(second).As<T>());
        var column = new T[1];
        it.Forest.ReadColumn<T>(it.Id, key, column);
        Check.Same(second, column[0]);
    }

    public static void StartsEndsAndConditions()
    {
        string seen = "";
        int asked = 0;
        Leaf work = Leaf.ActionEach("Work", null, (of, i) => Status.Running, new LeafOptions
        {
            Start = of => seen += "start " + of.Count + ";",
            End = (of, how) => seen += how + ";",
        });
        Leaf low = Leaf.ConditionEach("Low", new[] { Param.Key<float>("of") }, (of, i) =>
        {
            asked++;
            return of.Get(i, of.Key<float>(0)) < 1;
        }, new LeafOptions { Observes = new[] { "of" } });
        Leaf odd = Leaf.Condition("Odd", null, of =>
        {
            for (int i = 0; i < of.Count; i++)
            {
                of.Answer(i, of.Entity(i).Id % 2 == 1 ? Status.Success : Status.Failure);
            }
        }, new LeafOptions { Every = 0.5f, ThreadSafe = true });
        using (World it = new World(work, low, odd).With(
            @"Selector([Sequence(abort: Both, children: [Odd, Low(of: ""x""), Idle]), Work])", @"""x"": Float(2)"))
        {
            Agent agent = it.Spawn(1)[0];
            it.Forest.Tick(0.1f);
            int before = asked;
            it.Forest.Tick(0.1f);
            it.Forest.Tick(0.1f);
            Check.Same(before, asked);
            it.Forest.Set(agent, it.Tree.Key<float>("x"), 0.5f);
            Check.Same(1L, it.Forest.Tick(0.1f).Aborts);
            Check.Same("start 1;Aborted;", seen);
            var running = new int[4];
            Check.Same(1, it.Forest.Current(agent, running));
            Check.Same(it.Tree.Find("Idle"), running[0]);
            Check.Same(1, it.Forest.Current(agent, default(Span<int>)));
            it.Forest.SetStops(agent, true);
            it.Forest.SetStops(agent, false);
            Check.Has("Idle", it.Forest.Explain(agent));
            Check.Has("Low", it.Forest.WhyNot(agent, "Work") + it.Forest.Explain(agent));
        }
    }

    public static void LibrariesReloadAndBake()
    {
        using (var registry = new Registry())
        using (var library = new Library())
        using (var forest = new Forest(7))
        {
            registry.Add(Step);
            library.Put("guard.ron", @"Tree(version: 1, name: ""guard"", root: Sequence([Wait(1), Subtree(""rest.ron"")]))");
            Check.Fails(Error.Report, "rest.ron", () => library.Load(registry, "guard.ron"));
            library.Put("rest.ron", "Tree(version: 1, root: Sequence([Step, Wait(3)]))");
            TreeId id = library.AddTree(registry, "guard.ron", forest);
            forest.Spawn(id);
            forest.Tick(0.5f);
            Check.Same(false, library.Reload(registry, forest, out string report));
            library.Put("rest.ron", "Tree(version: 1, root: Sequence([Step, Wait(2)]))");
            Check.Same(true, library.Reload(registry, forest, out report));
            Check.Has("1 agent kept running", report);
            library.Put("rest.ron", "Tree(version: 1,\nroot: Stop)");
            PleachException wrong = Check.Fails(Error.Report, "rest.ron:2:7: ", () => library.Reload(registry, forest, out report));
            Check.Same(2, wrong.Line);
            library.Put("rest.ron", "Tree(version: 1, root: Selector([Idle, Step]))");
            library.Reload(registry, forest, out report);
            Check.That(library.Warnings(registry).Count > 0);
            byte[] bytes = library.Bake(registry, "guard.ron");
            using (Tree tree = library.Load(registry, "guard.ron"))
            using (Tree baked = Tree.LoadBaked(registry, "guard.plb", bytes))
            {
                Check.Same(tree.Nodes, baked.Nodes);
                Check.Same(1, tree.Find("n1"));
                Check.Same(tree.Draw(), baked.Draw());
                Check.Has("guard", forest.Replace(id, baked));
            }
            forest.Remove(id);
            Check.Same(0, forest.AgentCount);
        }
        using (var folder = new Library("trees"))
        {
            Check.Fails(Error.Refused, "of a directory", () => folder.Put("a", "b"));
        }
    }

    public static void FilesChangeOnTheDisk()
    {
        string folder = Path.Combine(Path.GetTempPath(), "pleach-" + Guid.NewGuid());
        string file = Path.Combine(folder, "guard.ron");
        Directory.CreateDirectory(folder);
        File.WriteAllText(file, @"Tree(version: 1, name: ""guard"", root: Idle(name: ""doze""))");
        using (var registry = new Registry())
        using (var library = new Library(folder))
        using (var forest = new Forest(7))
        using (Tree tree = library.Load(registry, "guard.ron"))
        using (var brain = new Brain(tree, 7))
        {
            Agent guard = forest.Spawn(library.AddTree(registry, "guard.ron", forest));
            forest.Tick(0.1f);
            Check.Has("doze", forest.Explain(guard));
            Check.Same(false, library.Reload(registry, forest, out string report));
            File.WriteAllText(file, @"Tree(version: 1, name: ""guard"", root: Idle(name: ""stretch""))");
            Check.Same(true, library.Reload(registry, forest, out report));
            Check.Has("guard: ", report);
            forest.Tick(0.1f);
            Check.Has("stretch", forest.Explain(guard));
            KeyValuePair<string, Tree> next = library.Poll(registry).Single();
            brain.Replace(next.Value);
            next.Value.Dispose();
            brain.Tick(0.1f);
            Check.Has("stretch", brain.Explain());
            File.WriteAllText(file, "Tree(version: 1,\n root: Stop)");
            PleachException wrong = Check.Fails(Error.Report, "guard.ron:2:8: ", () => library.Reload(registry, forest, out report));
            Check.Same(file, wrong.File);
            forest.Tick(0.1f);
            Check.Has("stretch", forest.Explain(guard));
        }
        Directory.Delete(folder, true);
    }

    public static void WarningsOfATree()
    {
        var warnings = new List<Problem>();
        using (var registry = new Registry())
        using (Tree.Load(registry, "t.ron", World.Source("Selector([Idle, Wait(1)])"), warnings.Add))
        {
            Check.That(warnings.Count > 0 && warnings[0].Line > 0 && warnings[0].Code.StartsWith("P"));
        }
    }

    public static void Brains()
    {
        var said = new List<string>();
        using (var registry = new Registry())
        {
            registry.Add(Step);
            registry.Event("shout", KeyType.Float);
            using (var library = new Library())
            {
                library.Put("b.ron", @"Tree(version: 1, name: ""b"", blackboard: { ""n"": Int(1), ""p"": Float(2.5) }, root: Selector([
                    Sequence(name: ""go"", abort: Both, children: [Check(""n > 5""), Log(""off""), Emit(event: ""shout"", payload: ""p""), Step]),
                    Slot(name: ""rest"", trees: [""sit.ron"", ""lie.ron""], initial: ""sit"")]))");
                library.Put("sit.ron", "Tree(version: 1, root: Wait(5))");
                library.Put("lie.ron", "Tree(version: 1, root: Wait(9))");
                using (Tree tree = library.Load(registry, "b.ron"))
                using (var brain = new Brain(tree, 7, new SpawnOptions { Seed = 4 }))
                {
                    Key<long> n = tree.Key<long>("n");
                    brain.SetHooks(
                        (agent, name, payload) => said.Add((name == new Symbol("shout")) + " " + payload.As<float>()),
                        (agent, node, text) => said.Add(text));
                    Check.Same(Status.Running, brain.Tick(0.1f));
                    brain.Snapshot();
                    byte[] save = brain.Save();
                    var running = new int[4];
                    Check.Same(1, brain.Current(running));
                    Check.Has("n" + running[0], brain.Explain());
                    brain.SetStops(false);
                    brain.Set(n, 6);
                    Check.Has("n1", brain.Explain() + brain.WhyNot("go"));
                    Check.Same(Status.Success, brain.Tick(0.1f));
                    Check.Same("off,True 2.5", string.Join(",", said));
                    brain.Rollback();
                    Check.Same(1L, brain.Get(n));
                    brain.Set(n, 3);
                    brain.Restore(save);
                    Check.Same(1L, brain.Get(n));
                    brain.Fill("rest", "lie");
                    Check.Fails(Error.Refused, "", () => brain.Fill("rest", "run"));
                    brain.Send("shout", 1f);
                    Check.Has("n > 5", brain.WhyNot("go"));
                    brain.Pause();
                    Check.Same(Phase.Paused, brain.Phase);
                    brain.Unpause();
                    brain.Restart();
                    brain.Disable();
                    Check.Same(Phase.Off, brain.Phase);
                    brain.Enable();
                    brain.Tick(0.1f);
                }
            }
        }
    }

    public static void BrainsShareABoard()
    {
        const string text = @"Tree(version: 1, name: ""b"", blackboard: { ""n"": Int(0) }, group: { ""plan"": Int(3) }, global: { ""hour"": Float(12) },
            root: Sequence([Wait(1), Idle]))";
        using (var registry = new Registry())
        using (Tree tree = Tree.Load(registry, "b.ron", text))
        using (Board squad = Board.OfGroup(tree))
        using (Board world = Board.OfGlobals(tree))
        using (var one = new Brain(tree, 1))
        using (var other = new Brain(tree, 2))
        {
            foreach (Brain it in new[] { one, other })
            {
                it.Share(squad);
                it.Share(world);
            }
            Key<long> plan = tree.Key<long>("group.plan");
            byte[] save = squad.Save();
            one.Set(plan, 5);
            Check.Same(5L, other.Get(plan));
            Check.Same(5L, squad.Get<long>("plan"));
            squad.Restore(tree, save);
            Check.Same(3L, other.Get(plan));
            world.Set("hour", 6f);
            Check.Same(6f, one.Get(tree.Key<float>("global.hour")));
            one.Entity = 9;
            one.SetLabel("boss");
            Check.Same(9UL, one.Entity.Id);
            var lines = new List<string>();
            one.Trace(lines.Add);
            using (Recording recording = one.Record(keysEvery: 1))
            {
                recording.AddFile("b.ron", text);
                one.Tick(0.5f);
                Check.That(recording.ToBytes().Length > 100);
            }
            one.StopTrace();
            Check.Has("boss", string.Join("", lines) + one.Explain());
            Check.Same(0.5, Math.Round(one.Seconds, 3));
            Check.Same(Status.Running, one.Outcome);
            Check.That(one.Agent.Id != 0);
            using (Tree next = Tree.Load(registry, "b.ron", text.Replace("Wait(1)", "Wait(2)")))
            {
                Check.Has("b", one.Replace(next));
                other.Replace(next);
                squad.Follow(next);
            }
            Check.Throws<ArgumentNullException>(() => squad.Restore(tree, null));
        }
    }

    public static void LibrariesForBrainsAndEventsBySymbol()
    {
        string heard = "";
        Leaf act = Leaf.ActionEach("Act", new[] { Param.Event("event") }, (of, i) =>
        {
            Symbol name = of.EventName(0);
            heard += of.Hears(i, name, out Value payload) ? "heard " + payload.As<float>() + ";" : "";
            of.Send(i, of.Agents[i], name, 1.5f);
            of.Send(i, of.Group(i), name, 2.5f);
            of.Emit(i, name, 3.5f);
            of.Emit(i, "noise", 4.5f);
            return Status.Running;
        });
        using (World it = new World(act))
        {
            it.Registry.Event("noise", KeyType.Float);
            it.With(@"Act(""noise"")", more: @"group: { ""plan"": Int(3) }, global: { ""hour"": Float(12) },");
            it.Forest.SetHooks((agent, name, payload) => heard += "emit " + payload.As<float>() + ";", null);
            Group group = it.Forest.NewGroup();
            group.Join(it.Spawn(1)[0]);
            it.Forest.Tick(0.1f);
            it.Forest.Tick(0.1f);
            Check.Same("emit 3.5;emit 4.5;heard 1.5;emit 3.5;emit 4.5;", heard);
            Key<long> plan = it.Tree.Key<long>("group.plan");
            group.Set(plan, 4);
            Check.Same(4L, group.Get(plan));
            Key<float> hour = it.Tree.Key<float>("global.hour");
            it.Forest.SetGlobal(hour, 5f);
            Check.Same(5f, it.Forest.GetGlobal(hour));
        }
        using (var registry = new Registry())
        using (var library = new Library())
        using (var forest = new Forest(7))
        {
            library.Put("a.ron", "Tree(version: 1, root: Wait(1))");
            using (Tree tree = library.Load(registry, "a.ron"))
            using (var brain = new Brain(tree, 7))
            {
                Check.Same(0, library.Poll(registry).Count);
                library.Put("a.ron", "Tree(version: 1, root: Wait(2))");
                KeyValuePair<string, Tree> next = library.Poll(registry).Single();
                Check.Same("a.ron", next.Key);
                brain.Replace(next.Value);
                next.Value.Dispose();
            }
            using (Recording recording = forest.Record())
            {
                library.Record(forest);
                Check.Has("Wait(2)", System.Text.Encoding.UTF8.GetString(recording.ToBytes()));
            }
        }
    }
}
