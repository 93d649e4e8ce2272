// What owns an object of the library.
using System;
using System.Runtime.ConstrainedExecution;
using System.Runtime.InteropServices;
using System.Threading;

namespace Pleach
{
    internal static unsafe partial class Native
    {
        // On these systems the library is linked into the program.
#if (UNITY_IOS || UNITY_WEBGL) && !UNITY_EDITOR
        private const string Library = "__Internal";
#else
        private const string Library = "pleach";
#endif
    }

    /// <summary>
    /// An object of the library. Dispose frees it; a forgotten one is freed by its finalizer.
    /// <para>Only one thread at a time may change an object, and no thread may read it meanwhile; any number of threads may
    /// read it at once. A call that cannot be made now throws <see cref="PleachException"/> with <see cref="Error.Busy"/>.
    /// This includes calls on an object from one of its own callbacks.</para>
    /// </summary>
    // Not a SafeHandle: that holds an IntPtr, which has 32 bits on some phones and in browsers, where ids have 64; and
    // its Dispose cannot say that the library refuses to free an object in a call. Counting calls would guard against an id
    // that is used after it was freed, and the library answers that with an error already: it never uses an id twice.
    public abstract class Handle : CriticalFinalizerObject, IDisposable
    {
        private static int compared;
        private long id;

        internal Handle()
        {
            if (compared == 0)
            {
                uint version = Native.pleach_abi_version();
                if (version != Native.PLEACH_ABI_VERSION)
                {
                    throw new PleachException(Error.StructSize, "the native library has version " + version
                        + " of the interface, and this assembly was made for " + Native.PLEACH_ABI_VERSION);
                }
                compared = 1;
            }
        }

        /// <summary>Frees it if it is not freed yet.</summary>
        ~Handle()
        {
            long it = Interlocked.Exchange(ref id, 0);
            if (it != 0)
            {
                Free((ulong)it);
            }
        }

        /// <summary>The version of the native library: "0.1.0".</summary>
        public static unsafe string LibraryVersion => Utf8.From(Native.pleach_version());

        /// <summary>Whether it was disposed of.</summary>
        public bool IsDisposed => Interlocked.Read(ref id) == 0;

        internal ulong Id
        {
            get
            {
                long it = Interlocked.Read(ref id);
                return it != 0 ? (ulong)it : throw new ObjectDisposedException(GetType().Name);
            }
        }

        /// <summary>Frees it. Further calls do nothing.</summary>
        /// <exception cref="PleachException">It is in a call (<see cref="Error.Busy"/>), and is not freed.</exception>
        public void Dispose()
        {
            long it = Interlocked.Exchange(ref id, 0);
            if (it == 0)
            {
                return;
            }
            int result = Free((ulong)it);
            if (result != Native.PLEACH_OK)
            {
                Interlocked.Exchange(ref id, it);
                throw PleachException.Last(result);
            }
            GC.SuppressFinalize(this);
        }

        internal abstract int Free(ulong id);

        internal void Own(ulong made)
        {
            Interlocked.Exchange(ref id, (long)made);
        }

        /// <summary>
        /// Throws the error that a call returned. No finalizer frees this or `other` before the call has returned.
        /// </summary>
        internal void Check(int result, Handle other = null)
        {
            GC.KeepAlive(other);
            GC.KeepAlive(this);
            Exception thrown = TakeThrown();
            if (result != Native.PLEACH_OK)
            {
                throw PleachException.Last(result, thrown);
            }
            if (thrown != null)
            {
                throw new PleachException(Error.Leaf, "a hook has thrown: " + thrown.Message, thrown);
            }
        }

        /// <summary>What a hook has thrown during the call.</summary>
        internal virtual Exception TakeThrown()
        {
            return null;
        }
    }

    /// <summary>The arguments of a method.</summary>
    internal static class Given
    {
        /// <summary>Throws, naming the parameter, if a required object is null.</summary>
        internal static void NotNull(object it, string name)
        {
            if (it == null)
            {
                throw new ArgumentNullException(name);
            }
        }
    }

    /// <summary>What the library writes during a call.</summary>
    internal sealed unsafe class Writer : IDisposable
    {
        private static readonly Native.pleach_write_fn Function = OnWrite;
        private static readonly IntPtr Address = Marshal.GetFunctionPointerForDelegate(Function);
        private byte[] bytes = new byte[256];
        private int length;
        private GCHandle self;

        private Writer()
        {
            self = GCHandle.Alloc(this);
        }

        internal delegate int Call(IntPtr write, void* user);

        internal static string Text(Handle of, Call call, Handle other = null)
        {
            using (var to = new Writer())
            {
                of.Check(call(Address, (void*)GCHandle.ToIntPtr(to.self)), other);
                return Utf8.Encoding.GetString(to.bytes, 0, to.length);
            }
        }

        /// <summary>What a call writes, whether or not it succeeds.</summary>
        internal static int Text(Call call, out string text)
        {
            using (var to = new Writer())
            {
                int result = call(Address, (void*)GCHandle.ToIntPtr(to.self));
                text = Utf8.Encoding.GetString(to.bytes, 0, to.length);
                return result;
            }
        }

        internal static byte[] Bytes(Handle of, Call call, Handle other = null)
        {
            using (var to = new Writer())
            {
                of.Check(call(Address, (void*)GCHandle.ToIntPtr(to.self)), other);
                var all = new byte[to.length];
                Array.Copy(to.bytes, all, to.length);
                return all;
            }
        }

        public void Dispose()
        {
            self.Free();
        }

        [AOT.MonoPInvokeCallback(typeof(Native.pleach_write_fn))]
        private static void OnWrite(void* user, byte* bytes, UIntPtr length)
        {
            var to = (Writer)GCHandle.FromIntPtr((IntPtr)user).Target;
            int count = checked((int)length);
            if (to.bytes.Length - to.length < count)
            {
                Array.Resize(ref to.bytes, Math.Max(to.bytes.Length * 2, to.length + count));
            }
            Marshal.Copy((IntPtr)bytes, to.bytes, to.length, count);
            to.length += count;
        }
    }
}

namespace AOT
{
    /// <summary>Unity's compiler to C++ looks for an attribute of this name on methods that native code calls.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class MonoPInvokeCallbackAttribute : Attribute
    {
        public MonoPInvokeCallbackAttribute(Type type)
        {
            _ = type;
        }
    }
}
