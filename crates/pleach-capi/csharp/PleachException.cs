// What goes wrong, and where.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Pleach
{
    /// <summary>Why a call fails.</summary>
    public enum Error
    {
        /// <summary>The id of an object is not one of its kind.</summary>
        Handle = 1,
        /// <summary>An argument is wrong.</summary>
        Argument = 2,
        /// <summary>The assembly and the native library are of different versions.</summary>
        StructSize = 3,
        /// <summary>A text is not text.</summary>
        Utf8 = 4,
        /// <summary>The object is in a call: on another thread, or of the callback that calls this.</summary>
        Busy = 5,
        /// <summary>A tree, a manifest or a baked file is wrong. Each problem has its place.</summary>
        Report = 6,
        /// <summary>A leaf or an event cannot be registered.</summary>
        Registry = 7,
        /// <summary>The agent, tree, group, key, node or event does not exist, or no longer does.</summary>
        NotFound = 8,
        /// <summary>The runtime refuses the call, or a key the value.</summary>
        Refused = 9,
        /// <summary>A leaf or a hook of the game went wrong. The call was carried out all the same.</summary>
        Leaf = 10,
        /// <summary>A file cannot be read.</summary>
        File = 11,
        /// <summary>A <see cref="Batch"/> is used outside of its callback.</summary>
        Call = 12,
        /// <summary>The forest has leaves or hooks that are not declared as safe on several threads.</summary>
        Threads = 13,
        /// <summary>A mistake in the library.</summary>
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
        /// <summary>What the leaf has thrown, or null.</summary>
        public Exception Thrown { get; internal set; }

        /// <summary>The message, with file, line and column if it is about a file.</summary>
        public override string ToString()
        {
            return Line == 0 ? Message : File + ":" + Line + ":" + Column + ": " + Message;
        }
    }

    /// <summary>
    /// What a call refuses to do, or what went wrong in leaves. What a leaf has thrown is the inner exception.
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
    /// What leaves have thrown, until the call of the runtime is over. The library keeps the messages of the first 16
    /// problems of a call, so few exceptions are enough; of what is lost here the message stays.
    /// </summary>
    internal static class Faults
    {
        private static readonly Fault[] All = new Fault[256];
        private static int next;

        private struct Fault
        {
            internal Exception Thrown;
            internal string Leaf;
            internal string Message;
            internal int Thread;
        }

        /// <summary>Notes an exception, and says with which message.</summary>
        internal static string Note(string leaf, Exception thrown)
        {
            string message = Utf8.Mended(thrown.GetType().Name + ": " + thrown.Message);
            lock (All)
            {
                Fault it;
                it.Thrown = thrown;
                it.Leaf = leaf;
                it.Message = message;
                it.Thread = Thread.CurrentThread.ManagedThreadId;
                All[next] = it;
                next = (next + 1) % All.Length;
            }
            return message;
        }

        /// <summary>Gives the problems of a call what was thrown, and forgets what this thread has noted.</summary>
        internal static void Take(Problem[] problems)
        {
            int here = Thread.CurrentThread.ManagedThreadId;
            lock (All)
            {
                foreach (Problem problem in problems)
                {
                    // What this thread has noted comes first: others do only in a tick on several threads.
                    int found = Find(problem, here);
                    found = found >= 0 ? found : Find(problem, -1);
                    if (found >= 0)
                    {
                        problem.Thrown = All[found].Thrown;
                    }
                }
                for (int i = 0; i < All.Length; i++)
                {
                    Exception thrown = All[i].Thrown;
                    if (thrown != null && (All[i].Thread == here || Array.Exists(problems, it => it.Thrown == thrown)))
                    {
                        All[i] = default(Fault);
                    }
                }
            }
        }

        private static int Find(Problem problem, int thread)
        {
            return Array.FindIndex(All, it => it.Thrown != null && (thread < 0 || it.Thread == thread)
                && it.Leaf == problem.Code && problem.Message.Contains(it.Message));
        }
    }
}
