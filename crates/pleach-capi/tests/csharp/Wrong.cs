// Wrong input. Each call throws an exception that says what is wrong, and changes nothing, except for a frame in which leaves throw.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading;
using Pleach;

internal static class Wrong
{
    public static void DisposedObjects()
    {
        World it = new World(Road.Step).With("Step");
        Agent agent = it.Spawn(1)[0];
        it.Dispose();
        it.Dispose();
        Check.That(it.Forest.IsDisposed);
        Check.Throws<ObjectDisposedException>(() => it.Forest.Tick(0.1f));
        Check.Throws<ObjectDisposedException>(() => it.Forest.Explain(agent));
        Check.Throws<ObjectDisposedException>(() => it.Tree.Draw());
        Check.Throws<ObjectDisposedException>(() => it.Registry.Event("e"));
        Check.Throws<ObjectDisposedException>(() => Tree.Load(it.Registry, "t.ron", "Tree()"));
        using (var other = new Forest(7))
        {
            Check.Throws<ObjectDisposedException>(() => other.Add(it.Tree));
            Check.Same("tree", Check.Throws<ArgumentNullException>(() => other.Add(null)).ParamName);
        }
        Check.Throws<ObjectDisposedException>(() => new Brain(it.Tree, 7));
    }

    // Parameters that may be null, beside those with a default.
    private static readonly string[] MayBeNull =
    {
        "SetHooks.emit", "SetHooks.log", "Action.parameters", "Condition.parameters", "ActionEach.parameters",
        "ConditionEach.parameters", "Default.value", "Doc.text", "Equals.other",
    };

    /// <summary>Every public method says which object is missing.</summary>
    public static void ObjectsThatAreNull()
    {
        using (var library = new Library())
        using (World it = new World(Road.Step).With("Step"))
        using (var brain = new Brain(it.Tree, 7))
        using (Board board = Board.OfGroup(it.Tree))
        using (Snapshot snapshot = it.Forest.Snapshot())
        using (Recording recording = it.Forest.Record())
        {
            object[] samples =
            {
                library, it.Registry, it.Tree, it.Forest, brain, board, snapshot, recording, it.Forest.NewGroup(), Road.Step,
                Param.Int("n"), "t", new byte[1], new Leaf[0], new Action<string>(lines => { }), new LeafUpdate(of => { }),
                new AgentUpdate((of, i) => Status.Success), new AgentTest((of, i) => true),
            };
            Func<Type, object> sample = type => samples.FirstOrDefault(type.IsInstanceOfType)
                ?? (type.IsValueType ? Activator.CreateInstance(type) : null);
            int tried = 0;
            var wrong = new List<string>();
            const BindingFlags all = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
            foreach (Type type in typeof(Forest).Assembly.GetExportedTypes().Where(type => type.Name != "Batch" && !IsDelegate(type)))
            {
                IEnumerable<MethodBase> methods = type.GetMethods(all).Where(method => !method.IsSpecialName)
                    .Select(method => method.IsGenericMethodDefinition ? method.MakeGenericMethod(
                        method.GetGenericArguments().Select(_ => typeof(long)).ToArray()) : method);
                foreach (MethodBase method in methods.Concat<MethodBase>(type.GetConstructors(all)))
                {
                    ParameterInfo[] parameters = method.GetParameters();
                    if (parameters.Any(one => one.ParameterType.Name.Contains("Span`1")))
                    {
                        continue;
                    }
                    foreach (ParameterInfo missing in parameters.Where(one => !one.ParameterType.IsValueType
                        && !one.ParameterType.IsByRef && !one.IsOptional && !MayBeNull.Contains(method.Name + "." + one.Name)))
                    {
                        object[] arguments = parameters.Select(one => one == missing || one.ParameterType.IsByRef ? null
                            : one.IsOptional && !one.ParameterType.IsValueType ? null : sample(one.ParameterType)).ToArray();
                        string name = type.Name + "." + method.Name + "(" + missing.Name + ")";
                        tried++;
                        try
                        {
                            if (method is ConstructorInfo make)
                            {
                                make.Invoke(arguments);
                            }
                            else
                            {
                                method.Invoke(method.IsStatic ? null : sample(type), arguments);
                            }
                            wrong.Add(name + " does nothing");
                        }
                        catch (TargetInvocationException thrown)
                        {
                            if ((thrown.InnerException as ArgumentNullException)?.ParamName != missing.Name)
                            {
                                wrong.Add(name + " throws " + thrown.InnerException.GetType().Name + ": " + thrown.InnerException.Message);
                            }
                        }
                    }
                }
            }
            Check.Same("", string.Join("\n", wrong));
            Check.That(tried > 60, "only " + tried);
            Check.Same("registry", Check.Throws<ArgumentNullException>(() => Tree.LoadBaked(null, "t", new byte[1])).ParamName);
        }
    }

    private static bool IsDelegate(Type type)
    {
        return typeof(Delegate).IsAssignableFrom(type);
    }

    public static void ForeignIds()
    {
        using (World it = new World().With("Wait(1)", @"""n"": Int(0)"))
        using (World other = new World().With("Wait(1)", @"""m"": Float(0)"))
        {
            Key<long> n = it.Tree.Key<long>("n");
            Check.Fails(Error.NotFound, "AgentId", () => it.Forest.Set(new Agent(12345), n, 1));
            Check.Fails(Error.NotFound, "AgentId", () => it.Forest.Set(default(Agent), n, 1));
            Check.Fails(Error.Refused, "TreeId", () => it.Forest.Spawn(new TreeId(it.Id.Id + 1)));
            Agent agent = it.Spawn(1)[0];
            Check.Throws<PleachException>(() => it.Forest.Get(agent, default(Key<long>)));
            Check.Throws<PleachException>(() => it.Forest.Get(agent, other.Tree.Key<float>("m")));
            Check.Fails(Error.NotFound, "`m`", () => it.Tree.Key<long>("m"));
            Check.Fails(Error.Argument, "of type Int, not Float", () => it.Tree.Key<float>("n"));
            Check.Fails(Error.NotFound, "", () => it.Tree.Find("nowhere"));
            Check.Fails(Error.Argument, "2 agents, and the tree has 1", () => it.Forest.ReadColumn<long>(it.Id, n, new long[2]));
            Check.Fails(Error.Argument, "", () => it.Forest.WriteColumn<long>(it.Id, n, new long[0]));
            Check.Fails(Error.Refused, "", () => it.Forest.Send(agent, "noise"));
            Check.Fails(Error.Argument, "", () => it.Forest.Tick(-1));
            Check.Fails(Error.Argument, "", () => it.Forest.Tick(float.NaN));
            Check.Throws<ArgumentOutOfRangeException>(() => it.Forest.SetRate(agent, -1));
            Check.Throws<ArgumentException>(() => it.Forest.Agents(it.Id, new Agent[1], new Entity[2]));
        }
        Check.Throws<ArgumentOutOfRangeException>(() => new Forest(7, new ForestOptions { ChunkSize = -1 }));
        Check.Fails(Error.File, "no-such-folder", () => new Library("no-such-folder"));
    }

    public static void TextsThatAreNone()
    {
        using (var registry = new Registry())
        {
            Check.Fails(Error.Utf8, "surrogate pair at 2", () => registry.Event("ab\ud800"));
            Check.Fails(Error.Utf8, "`text`", () => Tree.Load(registry, "t.ron", "Tree(\udc00)"));
            Check.Fails(Error.Argument, "zero character at 1", () => registry.Event("a\0b"));
            Check.Throws<ArgumentNullException>(() => registry.Event(null));
            Check.Throws<ArgumentNullException>(() => Tree.Load(registry, "t.ron", null));
            Check.Throws<ArgumentNullException>(() => new Symbol((string)null));
            Check.Fails(Error.Report, "", () => Tree.Load(registry, "t.ron", ""));
            Check.Fails(Error.Report, "", () => Tree.LoadBaked(registry, "t", new byte[] { 1, 2 }));
            Check.Fails(Error.Report, "", () => Tree.LoadBaked(registry, "t", default(ReadOnlySpan<byte>)));
            Check.Fails(Error.Report, "", () => Tree.Load(registry, "t.ron", "Tree(\0)"));
        }
        using (World it = new World().With("Wait(1)"))
        {
            Agent agent = it.Spawn(1)[0];
            Check.Fails(Error.Utf8, "`label`", () => it.Forest.SetLabel(agent, "\ud800"));
            it.Forest.SetLabel(agent, "grün \U0001F411");
            Check.Has("grün \U0001F411", it.Forest.Explain(agent));
        }
    }

    public static void LeavesThatAreNone()
    {
        using (var registry = new Registry())
        {
            registry.Add(Road.Step);
            Check.Fails(Error.Registry, "already registered", () => registry.Add(Road.Step));
            Check.Fails(Error.Registry, "built in", () => registry.Action("Wait", null, of => { }));
            Check.Throws<ArgumentNullException>(() => registry.Add(null));
            Check.Throws<ArgumentNullException>(() => registry.Action("A", null, null));
            Check.Throws<ArgumentNullException>(() => registry.ActionEach("A", null, null));
            Check.Throws<ArgumentNullException>(() => registry.Action(null, null, of => { }));
            Check.Throws<ArgumentNullException>(() => registry.Action("A", new Param[] { null }, of => { }));
            Check.Throws<NotSupportedException>(() => Param.Key<int>("k"));
            Check.Throws<PleachException>(() => registry.Condition("C", null, of => { }, new LeafOptions { Observes = new[] { "k" } }));
            const string manifest = @"Manifest(version: 1, leaves: [(name: ""Walk"", kind: Action, parameters: Known([]))])";
            Check.Fails(Error.Registry, "nothing is there to call for the leaf `Walk`", () => registry.Manifest("g.leaves", manifest));
            Check.Fails(Error.Report, "g.leaves:1:", () => registry.Manifest("g.leaves", "Mani("));
        }
    }

    public static void EveryProblemOfATree()
    {
        using (var registry = new Registry())
        {
            registry.Action("Walk", new[] { Param.Float("speed") }, of => { });
            PleachException it = Check.Fails(Error.Report, "dir/t.ron:2:3: ", () => Tree.Load(registry, "dir/t.ron",
                "Tree(version: 1, root: Sequence([\n  Wlak(speed: 1),\n  Walk(sped: 2), Walk(speed: true)]))"));
            Check.Same(3, it.Problems.Count);
            Check.Same("dir/t.ron", it.File);
            Check.Same(2, it.Line);
            Check.Same(3, it.Column);
            Check.Same(3, it.Problems[2].Line);
            Check.Has("Wlak", it.Problems[0].Message);
            Check.Has("Walk", it.Problems[0].Help);
            Check.Has("dir/t.ron:2:3: ", it.Problems[0].ToString());
            Check.That(it.Problems[0].Code.StartsWith("P"));
        }
    }

    public static void LeavesThatThrow()
    {
        var first = new InvalidOperationException("the way is blocked");
        int updates = 0;
        Leaf walk = Leaf.ActionEach("Walk", null, (of, i) =>
        {
            updates++;
            return of.Entity(i).Id == 2 ? throw first : Status.Running;
        });
        Leaf batch = Leaf.Action("Batch", null, of => throw new Exception("all \ud800 of\0 them"));
        Leaf ends = Leaf.Action("Ends", null, of => of.AnswerAll(Status.Success), new LeafOptions
        {
            Start = of => throw new Exception("at the start"),
            End = (of, how) => throw new Exception("at the end"),
        });
        Leaf says = Leaf.Action("Says", null, of => of.Fail(0, "it says so"));
        using (World it = new World(walk, batch, ends, says).With("Walk"))
        {
            Agent[] all = it.Spawn(3);
            PleachException thrown = Check.Fails(Error.Leaf, "the way is blocked", () => it.Forest.Tick(0.1f));
            Check.Same(3, updates);
            Check.That(ReferenceEquals(first, thrown.InnerException), "" + thrown.InnerException);
            Check.Same(1, thrown.Problems.Count);
            Check.That(thrown.Problems[0].Agent == all[1] && thrown.Problems[0].Code == "Walk");
            Check.Has("`Walk` at Walk of ", thrown.Message);
            Check.Has("of `t`", thrown.Message);
            Check.Has("LeavesThatThrow", first.StackTrace);
            // The others have carried on.
            Check.Same(Phase.Active, it.Forest.Phase(all[0]));
        }
        using (World it = new World(walk, batch, ends, says).With("Batch"))
        {
            it.Spawn(40);
            PleachException thrown = Check.Fails(Error.Leaf, "all", () => it.Forest.Tick(0.1f));
            Check.That(thrown.Problems.Count > 1 && thrown.InnerException != null);
        }
        using (World it = new World(walk, batch, ends, says).With("Sequence([Ends, Wait(1)])"))
        {
            it.Spawn(1);
            PleachException thrown = Check.Fails(Error.Leaf, "at the start", () => it.Forest.Tick(0.1f));
            Check.That(thrown.Problems.Any(problem => problem.Thrown?.Message == "at the end"));
        }
        using (World it = new World(walk, batch, ends, says).With("Says"))
        {
            it.Spawn(1);
            PleachException thrown = Check.Fails(Error.Leaf, "it says so", () => it.Forest.Tick(0.1f));
            Check.That(thrown.InnerException == null);
            using (var brain = new Brain(it.Tree, 7))
            {
                Check.Fails(Error.Leaf, "it says so", () => brain.Tick(0.1f));
            }
        }
    }

    public static void ManyExceptionsAndNestedOnes()
    {
        // The first ones are kept, however many there are.
        Leaf all = Leaf.ActionEach("All", null, (of, i) => { throw new Exception("of sheep " + of.Entity(i).Id + "."); });
        using (World it = new World(all).With("All"))
        {
            it.Spawn(500);
            PleachException thrown = Check.Fails(Error.Leaf, "of sheep", () => it.Forest.Tick(0.1f));
            Check.Same(16, thrown.Problems.Count);
            Check.That(thrown.Problems.All(problem => problem.Message.Contains(problem.Thrown.Message)));
            Check.That(ReferenceEquals(thrown.InnerException, thrown.Problems[0].Thrown));
            // A second call knows nothing of the first.
            thrown = Check.Fails(Error.Leaf, "of sheep", () => it.Forest.Tick(0.1f));
            Check.That(thrown.Problems.All(problem => problem.Thrown != null));
        }
        // A leaf ticks another forest, whose leaves throw: each call has its own exceptions.
        using (World inner = new World(all).With("All"))
        {
            inner.Spawn(2);
            var first = new Exception("the first");
            Leaf nest = Leaf.ActionEach("Nest", null, (of, i) =>
            {
                if (of.Entity(i).Id == 1)
                {
                    throw first;
                }
                inner.Forest.Tick(0.1f);
                return Status.Running;
            });
            using (World it = new World(nest).With("Nest"))
            {
                it.Spawn(2);
                PleachException thrown = Check.Fails(Error.Leaf, "the first", () => it.Forest.Tick(0.1f));
                Check.That(ReferenceEquals(first, thrown.InnerException));
                var nested = (PleachException)thrown.Problems[1].Thrown;
                Check.That(nested.InnerException.Message.StartsWith("of sheep"));
            }
        }
    }

    public static void HooksThatThrow()
    {
        using (World it = new World().With(@"Sequence([Log(""a""), Wait(1)])"))
        {
            it.Spawn(3);
            it.Forest.SetHooks(null, (agent, node, text) => throw new InvalidOperationException("not " + text));
            PleachException thrown = Check.Fails(Error.Leaf, "not a", () => it.Forest.Tick(0.1f));
            Check.That(thrown.InnerException is InvalidOperationException);
            Check.Same(1L, (long)Math.Round(it.Forest.Seconds * 10));
            it.Forest.SetHooks(null, null);
            it.Forest.Trace(line => throw new Exception("no line"));
            Check.Fails(Error.Leaf, "no line", () => it.Forest.Tick(1.1f));
            it.Forest.StopTrace();
            it.Forest.Tick(0.1f);
            Check.Throws<ArgumentNullException>(() => it.Forest.Trace(null));
        }
    }

    public static void CallbacksThatCallBack()
    {
        World it = null;
        Agent agent = default(Agent);
        int calls = 0;
        Leaf leaf = Leaf.Action("Back", new[] { Param.Float("x") }, of =>
        {
            calls++;
            Check.Fails(Error.Busy, "a forest is in a call", () => it.Forest.Tick(0.1f));
            Check.Fails(Error.Busy, "a forest is in a call", () => it.Forest.Dispose());
            Check.That(!it.Forest.IsDisposed);
            Check.Fails(Error.Busy, "a forest is in a call", () => it.Forest.Explain(agent));
            // Another forest works, and the batch is still there afterwards.
            using (World other = new World(Leaf.ActionEach("In", null, (inner, i) => inner.Entity(i).Id == 1 ? Status.Success : throw new Exception())).With("In"))
            {
                other.Spawn(1);
                Check.Same(7UL, of.Entity(0).Id);
                other.Forest.Tick(0.1f);
                Check.Same(7UL, of.Entity(0).Id);
            }
            Batch batch = of;
            Misuse(() => { }, batch);
            // The game may drop its references: the forest keeps its trees and leaves.
            it.Registry.Dispose();
            it.Tree.Dispose();
        });
        it = new World(leaf).With("Back(1)");
        using (it)
        {
            agent = it.Forest.Spawn(it.Id, new SpawnOptions { Entity = 7 });
            it.Forest.Tick(0.1f);
            it.Forest.Tick(0.1f);
            Check.Same(2, calls);
        }
    }

    private static void Misuse(Action _, Batch of)
    {
        Fails<ArgumentOutOfRangeException>(of, it => it.Answer(1, Status.Success));
        Fails<ArgumentOutOfRangeException>(of, it => it.Answer(-1, Status.Success));
        Fails<ArgumentOutOfRangeException>(of, it => it.Fail(5, "x"));
        Fails<ArgumentOutOfRangeException>(of, it => it.Entity(1));
        Fails<ArgumentException>(of, it => it.Entities(default(Span<Entity>)));
        Fails<PleachException>(of, it => it.Number(9));
        Fails<PleachException>(of, it => it.Number(-1));
        Fails<PleachException>(of, it => it.Key<float>(0));
        Fails<PleachException>(of, it => it.Text(0));
        Fails<PleachException>(of, it => it.Dt(3));
        Fails<PleachException>(of, it => it.Get(0, default(Key<float>)));
        Fails<ArgumentException>(of, it => it.Read<float>(default(Key<float>), default(Span<float>)));
        Fails<PleachException>(of, it => it.Hears(0, "\ud800"));
    }

    private static void Fails<T>(Batch of, LeafUpdate call) where T : Exception
    {
        try
        {
            call(of);
        }
        catch (T)
        {
            return;
        }
        throw new Exception("no " + typeof(T).Name);
    }

    public static void AnotherThreadMeanwhile()
    {
        using (var inside = new ManualResetEvent(false))
        using (var tried = new ManualResetEvent(false))
        {
            Leaf meet = Leaf.Action("Meet", null, of =>
            {
                inside.Set();
                tried.WaitOne(10000);
            });
            using (World it = new World(meet).With("Meet"))
            {
                it.Spawn(1);
                Exception failed = null;
                var thread = new Thread(() =>
                {
                    try
                    {
                        inside.WaitOne(10000);
                        Check.Fails(Error.Busy, "another thread", () => it.Forest.Tick(0.1f));
                        Check.Fails(Error.Busy, "another thread", () => it.Forest.Dispose());
                    }
                    catch (Exception wrong)
                    {
                        failed = wrong;
                    }
                    tried.Set();
                });
                thread.Start();
                it.Forest.Tick(0.1f);
                thread.Join();
                Check.That(failed == null, "" + failed);
            }
        }
    }
}
