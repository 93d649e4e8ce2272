// Errors, and where they occurred.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Pleach
{
    /// <summary>Why a call fails.</summary>
    public enum Error
    {
        /// <summary>The id does not belong to an object of this kind.</summary>
        Handle = 1,
        /// <summary>An argument is wrong.</summary>
        Argument = 2,
        /// <summary>The assembly and the native library are of different versions.</summary>
        StructSize = 3,
        /// <summary>A text is not valid Unicode.</summary>
        Utf8 = 4,
        /// <summary>The object is in use: by a call on another thread, or by the call whose callback calls this.</summary>
        Busy = 5,
        /// <summary>A tree, a manifest or a baked file is wrong. Each problem has its place.</summary>
        Report = 6,
        /// <summary>A leaf or an event cannot be registered.</summary>
        Registry = 7,
        /// <summary>The agent, tree, group, key, node or event does not exist, or no longer does.</summary>
        NotFound = 8,
        /// <summary>The runtime refuses the call, or a key the value.</summary>
        Refused = 9,
        /// <summary>A leaf or a hook of the game went wrong. The call was still carried out.</summary>
        Leaf = 10,
        /// <summary>A file cannot be read.</summary>
        File = 11,
        /// <summary>A <see cref="Batch"/> is used outside of its callback.</summary>
        Call = 12,
        /// <summary>The forest has leaves or hooks that are not declared as safe on several threads.</summary>
        Threads = 13,
        /// <summary>A bug in the library.</summary>
        Internal = 14,
    }

    /// <summary>Something that is wrong, and where.</summary>
    public sealed class Problem
    {
        internal unsafe Problem(in Native.pleach_problem it)
        {
            Message = Utf8.From(it.message);
            Help = Utf8.From(it.help);
            File = Utf8.From(it.file);
            Code = Utf8.From(it.code);
            Line = (int)it.line;
            Column = (int)it.column;
            Agent = new Agent(it.agent);
        }

        /// <summary>What is wrong, in one line.</summary>
        public string Message { get; }
        /// <summary>What to do about it; empty if nothing is known.</summary>
        public string Help { get; }
        /// <summary>The file; empty if it is not about a file.</summary>
        public string File { get; }
        /// <summary>The code of the problem ("P0101"), or the name of the leaf that went wrong; or empty.</summary>
        public string Code { get; }
        /// <summary>From 1; 0 if it is not about a file.</summary>
        public int Line { get; }
        /// <summary>In characters, from 1; 0 if it is not about a file.</summary>
        public int Column { get; }
        /// <summary>The agent whose leaf went wrong, or none.</summary>
        public Agent Agent { get; }
        /// <summary>The exception that the leaf threw, or null.</summary>
        public Exception Thrown { get; internal set; }

        /// <summary>The message, with file, line and column if it is about a file.</summary>
        public override string ToString()
        {
            return Line == 0 ? Message : File + ":" + Line + ":" + Column + ": " + Message;
        }
    }

    /// <summary>
    /// Why a call failed, or what went wrong in leaves. The inner exception is the one that a leaf threw.
    /// </summary>
    public sealed class PleachException : Exception
    {
        internal PleachException(Error error, string message, Exception thrown = null) : base(message, thrown)
        {
            Error = error;
            Problems = Array.Empty<Problem>();
        }

        private PleachException(Error error, string message, Problem[] problems, Exception thrown) : base(message, thrown)
        {
            Error = error;
            Problems = problems;
        }

        /// <summary>Why the call fails.</summary>
        public Error Error { get; }
        /// <summary>All problems, in the order of the file.</summary>
        public IReadOnlyList<Problem> Problems { get; }
        /// <summary>The file of the first problem; empty if it is not about a file.</summary>
        public string File => Problems.Count > 0 ? Problems[0].File : "";
        /// <summary>The line of the first problem, from 1; 0 if it is not about a file.</summary>
        public int Line => Problems.Count > 0 ? Problems[0].Line : 0;
        /// <summary>The column of the first problem, from 1; 0 if it is not about a file.</summary>
        public int Column => Problems.Count > 0 ? Problems[0].Column : 0;

        /// <summary>Of the call that failed last on this thread.</summary>
        internal static unsafe PleachException Last(int result, Exception thrown = null)
        {
            UIntPtr count;
            Native.pleach_last_error(UIntPtr.Zero, null, &count);
            var problems = new Problem[(int)count];
            for (int i = 0; i < problems.Length; i++)
            {
                Native.pleach_problem it = default(Native.pleach_problem);
                it.struct_size = (UIntPtr)sizeof(Native.pleach_problem);
                Native.pleach_last_error((UIntPtr)i, &it, null);
                problems[i] = new Problem(in it);
            }
            if (result == Native.PLEACH_ERROR_LEAF)
            {
                Faults.Take(problems);
                thrown = thrown ?? Array.Find(problems, it => it.Thrown != null)?.Thrown;
            }
            string message = Utf8.From(Native.pleach_last_message());
            return new PleachException((Error)result, message, problems, thrown);
        }

        /// <summary>For calls without an object.</summary>
        internal static void Check(int result)
        {
            if (result != Native.PLEACH_OK)
            {
                throw Last(result);
            }
        }
    }

    /// <summary>
    /// The exceptions that leaves threw, until the call of the runtime ends. The library keeps the messages of the first 16
    /// problems of a call, so no more exceptions are kept. If one is lost here, its message stays.
    /// </summary>
    internal static class Faults
    {
        private const int Most = 16;
        // For all threads: a tick on several threads collects them on one thread.
        private static readonly Fault[] Latest = new Fault[64];
        private static int next;
        [ThreadStatic]
        private static List<Fault> here;
        // How many callbacks this thread is in: a leaf may tick another forest.
        [ThreadStatic]
        private static int depth;

        private struct Fault
        {
            internal Exception Thrown;
            internal string Leaf;
            internal string Message;
            internal int Thread;
            internal int Depth;
        }

        /// <summary>A callback begins.</summary>
        internal static void Enter()
        {
            depth++;
        }

        /// <summary>A callback ends.</summary>
        internal static void Leave()
        {
            depth--;
        }

        /// <summary>Records an exception of a leaf, and returns its message.</summary>
        internal static string Note(string leaf, Exception thrown)
        {
            Fault it;
            it.Thrown = thrown;
            it.Leaf = leaf;
            it.Message = Utf8.Mended(thrown.GetType().Name + ": " + thrown.Message);
            it.Thread = Thread.CurrentThread.ManagedThreadId;
            it.Depth = depth;
            here = here ?? new List<Fault>();
            if (here.FindAll(other => other.Depth == it.Depth).Count < Most)
            {
                here.Add(it);
            }
            lock (Latest)
            {
                Latest[next] = it;
                next = (next + 1) % Latest.Length;
            }
            return it.Message;
        }

        /// <summary>Attaches the exceptions to the problems of a call, and forgets them.</summary>
        internal static void Take(Problem[] problems)
        {
            int thread = Thread.CurrentThread.ManagedThreadId, outer = depth;
            List<Fault> mine = here ?? new List<Fault>();
            lock (Latest)
            {
                foreach (Problem problem in problems)
                {
                    Predicate<Fault> fits = it => it.Thrown != null && it.Leaf == problem.Code && problem.Message.Contains(it.Message);
                    problem.Thrown = mine.Find(it => it.Depth > outer && fits(it)).Thrown ?? Array.Find(Latest, fits).Thrown;
                }
                mine.RemoveAll(it => it.Depth > outer);
                for (int i = 0; i < Latest.Length; i++)
                {
                    Fault it = Latest[i];
                    if (it.Thread == thread && it.Depth > outer || Array.Exists(problems, problem => problem.Thrown == it.Thrown))
                    {
                        Latest[i] = default(Fault);
                    }
                }
            }
        }
    }
}
