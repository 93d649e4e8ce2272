// The cost of a leaf through C#, like tests/c/cost.c in C: nanoseconds per agent and frame, for a crowd of 1000.
using System;
using System.Diagnostics;
using Pleach;

internal static class Cost
{
    private static readonly float[] Room = new float[1024];

    private static void Main()
    {
        using (var registry = new Registry())
        {
            Param[] parameters = { Param.Key<float>("x"), Param.Float("speed") };
            registry.Action("Step", parameters, of =>
            {
                Key<float> x = of.Key<float>(0);
                float step = (float)of.Number(1) * of.Dt();
                of.Read<float>(x, Room);
                for (int i = 0; i < of.Count; i++)
                {
                    Room[i] += step;
                }
                of.Write<float>(x, Room);
            });
            registry.ActionEach("StepEach", parameters, (of, i) =>
            {
                Key<float> x = of.Key<float>(0);
                of.Set(i, x, of.Get(i, x) + (float)of.Number(1) * of.Dt(i));
                return Status.Running;
            });
            registry.Condition("IsFar", new[] { Param.Key<float>("x"), Param.Float("than") }, of =>
            {
                float than = (float)of.Number(1);
                of.Read<float>(of.Key<float>(0), Room);
                Span<Status> statuses = of.Statuses;
                for (int i = 0; i < statuses.Length; i++)
                {
                    statuses[i] = Room[i] > than ? Status.Success : Status.Failure;
                }
            });
            Measure(registry, "action", "Step(x: \"x\", speed: 0.5)");
            Measure(registry, "condition", "Selector([Sequence(abort: LowerPriority, children: [IsFar(x: \"x\", than: 1e9), Idle]), "
                + "Step(x: \"x\", speed: 0.5)])");
            Measure(registry, "each", "StepEach(x: \"x\", speed: 0.5)");
        }
    }

    private static void Measure(Registry registry, string name, string root)
    {
        using (Tree tree = Tree.Load(registry, "cost.ron", "Tree(version: 1, blackboard: { \"x\": Float(0) }, root: " + root + ")"))
        using (var forest = new Forest(7))
        {
            TreeId id = forest.Add(tree);
            for (int i = 0; i < 1000; i++)
            {
                forest.Spawn(id);
            }
            double best = double.MaxValue;
            for (int round = 0; round < 10; round++)
            {
                Stopwatch watch = Stopwatch.StartNew();
                for (int i = 0; i < 200; i++)
                {
                    forest.Tick(1f / 64);
                }
                best = Math.Min(best, watch.Elapsed.TotalMilliseconds * 1e6 / 200 / 1000);
            }
            Console.WriteLine("{0,-10} {1,8:0.0} ns", name, best);
        }
    }
}
