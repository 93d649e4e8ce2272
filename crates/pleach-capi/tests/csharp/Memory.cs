// Object lifetimes, and what a call of a leaf costs the collector.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Pleach;

internal static class Memory
{
    private static long Allocated(World it, int frames)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < frames; i++)
        {
            it.Forest.Tick(0.01f);
        }
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    public static void ATickAllocatesNothing()
    {
        var column = new float[1024];
        var entities = new Entity[1024];
        Param[] parameters = { Param.Key<float>("key"), Param.Text("text"), Param.Expr("expr") };
        Leaf batch = Leaf.Action("Batch", parameters, of =>
        {
            Key<float> key = of.Key<float>(0);
            of.Read<float>(key, column);
            of.Entities(entities);
            Span<Status> statuses = of.Statuses;
            bool longText = of.Text(1).Length > 3;
            for (int i = 0; i < of.Count; i++)
            {
                column[i] += of.Expr(2, i) * of.Dt(i);
                statuses[i] = longText && entities[i].Id > 0 ? Status.Running : Status.Failure;
            }
            of.Write<float>(key, column);
        });
        Leaf each = Leaf.ActionEach("Each", parameters, (of, i) =>
        {
            of.Set(i, of.Key<float>(0), of.Get(i, of.Key<float>(0)) + (float)of.Random(i));
            return of.Hears(i, "noise") || of.Entity(i).Id == 0 ? Status.Failure : Status.Running;
        });
        Leaf sender = Leaf.ActionEach("Sender", null, (of, i) =>
        {
            of.Send(i, of.Agents[i], "noise", 1.5f);
            return Status.Running;
        });
        Leaf wasteful = Leaf.Action("Wasteful", null, of => GC.KeepAlive(new byte[100]));
        foreach (string root in new[] { @"Batch(""x"", ""words"", ""x + 1"")", @"Each(""x"", ""words"", 1)", "Sender", "Wasteful" })
        {
            using (World it = new World(new ForestOptions { Sleepless = true }, batch, each, sender, wasteful).With(
                root, @"""x"": Float(0)", @"events: { ""noise"": Float },"))
            {
                it.Spawn(1000);
                Allocated(it, 3);
                int collections = GC.CollectionCount(0);
                long bytes = Allocated(it, root == "Sender" ? 100 : 1000);
                Check.That((bytes == 0) == (root != "Wasteful"), root + ": " + bytes + " bytes");
                Check.That(root == "Wasteful" || collections == GC.CollectionCount(0), "a collection");
            }
        }
    }

    public static void CollectionsInLeavesHarmNothing()
    {
        Registry registry = new Registry();
        Tree tree = Load(registry);
        var forest = new Forest(7);
        TreeId id = forest.Add(tree);
        for (int i = 0; i < 10; i++)
        {
            forest.Spawn(id);
        }
        // Only the forest keeps the leaves alive now.
        tree.Dispose();
        registry.Dispose();
        tree = null;
        registry = null;
        for (int i = 0; i < 20; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            forest.Tick(0.1f);
        }
        Check.That(calls > 20);
        forest.Dispose();
    }

    private static int calls;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Tree Load(Registry registry)
    {
        var captured = new int[1];
        registry.Action("Collect", null, of =>
        {
            captured[0]++;
            calls++;
            GC.Collect();
            GC.WaitForPendingFinalizers();
            GC.KeepAlive(new byte[1000]);
        }, new LeafOptions { Start = of => GC.Collect(), End = (of, how) => GC.Collect() });
        return Tree.Load(registry, "t.ron", World.Source("Sequence([Timeout(0.25, Collect), Wait(0.1)])"));
    }

    private sealed class Game
    {
        internal readonly World World;
        internal readonly byte[] Much = new byte[10000];

        internal Game()
        {
            // The leaf refers to the game, and the game to the forest: a cycle.
            World = new World(Leaf.Action("Look", null, of => GC.KeepAlive(Much))).With("Look");
            World.Spawn(2);
            World.Forest.SetHooks(null, (agent, node, text) => GC.KeepAlive(this));
            World.Forest.Tick(0.1f);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference[] Forget()
    {
        var all = new WeakReference[20];
        for (int i = 0; i < all.Length; i++)
        {
            all[i] = new WeakReference(new Game());
        }
        return all;
    }

    public static void ForgottenObjectsAreFreed()
    {
        WeakReference[] all = null;
        // On a separate thread, whose stack holds nothing afterwards.
        var thread = new Thread(() => all = Forget());
        thread.Start();
        thread.Join();
        for (int i = 0; i < 5; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        int alive = 0;
        foreach (WeakReference it in all)
        {
            alive += it.IsAlive ? 1 : 0;
        }
        // The collector reads stacks conservatively.
        Check.That(alive <= 2, alive + " are alive");
    }

    public static void ManyForestsComeAndGo()
    {
        for (int i = 0; i < 200; i++)
        {
            using (World it = new World(Road.Step).With("Step"))
            {
                it.Spawn(3);
                it.Forest.Tick(0.1f);
                if (i % 3 == 0)
                {
                    // Forgotten, while others are disposed of.
                    new Forest((ulong)i).Add(it.Tree);
                    new Brain(it.Tree, 1).Tick(0.1f);
                }
            }
        }
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }
}
