// Sheep that graze, and run from a wolf: a small game in C#. Leaves are lambdas, each called for all sheep that are at it. A
// shepherd calls the flock, the game is saved and restored, and asks why a sheep does what it does. With a number as argument
// it runs for that many frames.
using System;
using System.Linq;
using System.Numerics;
using Pleach;

internal static class Sheep
{
    private const int Count = 200;
    private const int Width = 800;
    private const int Height = 450;

    private const string Text = @"Tree(
        version: 1, name: ""sheep"", blackboard: { ""wolf"": Float(1000.0), ""steps"": Int(0) },
        root: Selector([
            Sequence(name: ""flee"", abort: Both, children: [Check(""wolf < 90""), Flee(speed: 120.0)]),
            Sequence(name: ""come"", abort: LowerPriority, children: [OnEvent(""call""), Log(""baa""), Timeout(2.0, Walk(steps: ""steps""))]),
            Sequence(name: ""graze"", children: [Wait(""1 + 3 * wolf / 1000""), Timeout(1.5, Stroll)]),
        ]),
    )";

    private static readonly Vector2[] Place = new Vector2[Count];
    private static readonly bool[] Fled = new bool[Count];
    private static Vector2 wolf;
    private static int bleated;

    private static int Main(string[] arguments)
    {
        int frames = arguments.Length > 0 ? int.Parse(arguments[0]) : 300;
        try
        {
            return Play(frames) ? 0 : 1;
        }
        catch (PleachException it)
        {
            foreach (Problem problem in it.Problems)
            {
                Console.Error.WriteLine(problem + " " + problem.Help);
            }
            return 1;
        }
    }

    private static bool Play(int frames)
    {
        using (Registry registry = Leaves())
        using (Tree tree = Tree.Load(registry, "sheep.ron", Text))
        using (var forest = new Forest(7))
        {
            Key<float> near = tree.Key<float>("wolf");
            Key<long> steps = tree.Key<long>("steps");
            forest.SetHooks(null, (agent, node, text) => bleated++);
            TreeId flock = forest.Add(tree);
            for (int i = 0; i < Count; i++)
            {
                forest.Spawn(flock, new SpawnOptions { Entity = (ulong)i });
                Place[i] = new Vector2(40 * (i % 20) + 20, 43 * (i / 20) + 25);
            }

            var who = new Entity[Count];
            var distances = new float[Count];
            byte[] save = null;
            for (int frame = 1; frame <= frames; frame++)
            {
                wolf = new Vector2((float)Math.Cos(frame / 50.0) * 200 + 400, (float)Math.Sin(frame / 50.0) * 120 + 225);
                // The forest keeps its agents in an order of its own.
                forest.Agents(flock, default(Span<Agent>), who);
                for (int i = 0; i < Count; i++)
                {
                    distances[i] = Vector2.Distance(Place[who[i].Id], wolf);
                }
                forest.WriteColumn<float>(flock, near, distances);
                if (frame == frames / 3)
                {
                    forest.Broadcast("call");
                }
                if (frame == frames / 2)
                {
                    save = forest.Save();
                }
                forest.Tick(1f / 60);
                if (frame % 100 == 1)
                {
                    Draw();
                }
            }

            int fled = Fled.Count(it => it);
            Agent first = forest.Agents(flock)[0];
            Console.WriteLine(forest.Explain(first));
            Console.WriteLine("it does not flee: " + forest.WhyNot(first, "flee"));
            Console.WriteLine(frames + " frames, " + fled + " of " + Count + " sheep have fled, " + bleated + " bleated");

            // The save is restored into another forest.
            using (var other = new Forest(8))
            {
                TreeId again = other.Add(tree);
                other.Restore(save);
                other.Tick(1f / 60);
                long walked = other.Agents(again).Sum(it => other.Get(it, steps));
                Console.WriteLine(other.AgentCount + " sheep were restored, and had walked " + walked + " steps");
                // Only sheep that the wolf came near flee.
                return frames < 300 || fled > 0 && fled < Count && bleated > 0 && walked > 0 && other.AgentCount == Count;
            }
        }
    }

    private static Registry Leaves()
    {
        var registry = new Registry();
        registry.Event("call");
        var column = new long[1024];

        // For all agents of the batch at once.
        registry.Action("Flee", new[] { Param.Float("speed") }, of =>
        {
            float step = (float)of.Number(0) * of.Dt();
            for (int i = 0; i < of.Count; i++)
            {
                ulong me = of.Entity(i).Id;
                Vector2 away = Place[me] - wolf;
                Move(me, away * (step / Math.Max(away.Length(), 1)));
                Fled[me] = true;
            }
        });
        // Keys are read and written for all of them, too.
        registry.Action("Walk", new[] { Param.Key<long>("steps") }, of =>
        {
            Key<long> steps = of.Key<long>(0);
            of.Read<long>(steps, column);
            for (int i = 0; i < of.Count; i++)
            {
                ulong me = of.Entity(i).Id;
                Move(me, Vector2.Normalize(new Vector2(400, 225) - Place[me] + Vector2.One) * 30 * of.Dt(i));
                column[i]++;
            }
            of.Write<long>(steps, column);
        });
        // For one agent after the other.
        registry.ActionEach("Stroll", null, (of, i) =>
        {
            double time = of.Time(i);
            ulong me = of.Entity(i).Id;
            Move(me, new Vector2((float)Math.Sin(time + me), (float)Math.Cos(time * 1.3 + me)) * 20 * of.Dt(i));
            return Status.Running;
        });
        return registry;
    }

    // Not off the field.
    private static void Move(ulong sheep, Vector2 by)
    {
        Place[sheep] = Vector2.Clamp(Place[sheep] + by, new Vector2(10, 10), new Vector2(Width - 10, Height - 10));
    }

    private static void Draw()
    {
        char[][] rows = Enumerable.Range(0, 18).Select(_ => new string(' ', 80).ToCharArray()).ToArray();
        foreach (Vector2 it in Place)
        {
            rows[(int)(it.Y * 18 / Height)][(int)(it.X * 80 / Width)] = 'o';
        }
        rows[(int)(wolf.Y * 18 / Height)][(int)(wolf.X * 80 / Width)] = 'W';
        Console.WriteLine(string.Join("\n", rows.Select(it => new string(it))) + "\n");
    }
}
