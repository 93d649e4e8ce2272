// Runs the tests: every public static method of the classes below, or those whose names have the argument in them.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using Pleach;

internal static class Runner
{
    [DllImport("libc", EntryPoint = "_exit")]
    private static extern void Exit(int code);

    private static int Main(string[] arguments)
    {
        int passed = 0, failed = 0;
        foreach (Type type in new[] { typeof(Road), typeof(Agents), typeof(Wrong), typeof(Memory), typeof(Layout) })
        {
            foreach (MethodInfo test in type.GetMethods(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly))
            {
                string name = type.Name + "." + test.Name;
                if (arguments.Length > 0 && !name.Contains(arguments[0]))
                {
                    continue;
                }
                try
                {
                    test.Invoke(null, null);
                    passed++;
                }
                catch (TargetInvocationException it)
                {
                    failed++;
                    Console.WriteLine(name + " failed: " + it.InnerException);
                }
            }
        }
        Console.WriteLine("C#: " + passed + " passed, " + failed + " failed");
        // Not by returning: Mono waits for the threads of the library's pool, which stay.
        Console.Out.Flush();
        Exit(failed == 0 && passed > 0 ? 0 : 1);
        return 1;
    }
}

internal static class Check
{
    internal static void Same<T>(T expected, T found)
    {
        if (!EqualityComparer<T>.Default.Equals(expected, found))
        {
            throw new Exception("expected `" + expected + "`, found `" + found + "`");
        }
    }

    internal static void Has(string part, string text)
    {
        if (!text.Contains(part))
        {
            throw new Exception("`" + part + "` is not in `" + text + "`");
        }
    }

    internal static void That(bool it, string what = "it does not hold")
    {
        if (!it)
        {
            throw new Exception(what);
        }
    }

    /// <summary>The error of a call, with these words in its message.</summary>
    internal static PleachException Fails(Error error, string words, Action call)
    {
        try
        {
            call();
        }
        catch (PleachException it)
        {
            Same(error, it.Error);
            Has(words, it.Message);
            return it;
        }
        throw new Exception("nothing was thrown, instead of `" + words + "`");
    }

    internal static T Throws<T>(Action call) where T : Exception
    {
        try
        {
            call();
        }
        catch (T it)
        {
            return it;
        }
        throw new Exception("no " + typeof(T).Name + " was thrown");
    }
}

/// <summary>A forest with one tree, for tests.</summary>
internal sealed class World : IDisposable
{
    internal readonly Registry Registry = new Registry();
    internal readonly Forest Forest;
    internal Tree Tree;
    internal TreeId Id;

    internal World(ForestOptions options = null, params Leaf[] leaves)
    {
        Forest = new Forest(7, options);
        foreach (Leaf it in leaves)
        {
            Registry.Add(it);
        }
    }

    internal World(params Leaf[] leaves) : this(null, leaves)
    {
    }

    internal static string Source(string root, string keys = "", string more = "")
    {
        return "Tree(version: 1, name: \"t\", blackboard: {" + keys + "}, " + more + "root: " + root + ")";
    }

    internal World With(string root, string keys = "", string more = "")
    {
        Tree = Tree.Load(Registry, "dir/t.ron", Source(root, keys, more));
        Id = Forest.Add(Tree);
        return this;
    }

    internal Agent[] Spawn(int count)
    {
        return Enumerable.Range(1, count)
            .Select(it => Forest.Spawn(Id, new SpawnOptions { Entity = (ulong)it })).ToArray();
    }

    public void Dispose()
    {
        Forest.Dispose();
        Tree?.Dispose();
        Registry.Dispose();
    }
}
