// The recording of a forest or a brain.
using System;

namespace Pleach
{
    /// <summary>
    /// What a forest or a brain records: <see cref="Forest.Record"/>, <see cref="Brain.Record"/>. Dispose ends it and discards it.
    /// </summary>
    public sealed unsafe class Recording : IDisposable
    {
        private readonly bool ofBrain;
        private Handle of;

        internal Recording(Handle of)
        {
            this.of = of;
            ofBrain = of is Brain;
        }

        private Handle Of => of ?? throw new ObjectDisposedException(nameof(Recording));

        /// <summary>Adds a file: the text of a tree, which tools then show.</summary>
        public void AddFile(string name, string text)
        {
            byte[] bytes = Utf8.Whole(text, nameof(text), out UIntPtr length);
            fixed (byte* n = Utf8.Zero(name, nameof(name)), t = bytes)
            {
                Of.Check(ofBrain
                    ? Native.pleach_brain_record_file(Of.Id, n, t, length)
                    : Native.pleach_record_file(Of.Id, n, t, length));
            }
        }

        /// <summary>What has been recorded so far; recording goes on.</summary>
        public byte[] ToBytes()
        {
            return Writer.Bytes(Of, (write, user) => ofBrain
                ? Native.pleach_brain_record_write(Of.Id, write, user)
                : Native.pleach_record_write(Of.Id, write, user));
        }

        /// <summary>Writes what has been recorded so far to a file: mostly *.plr.</summary>
        public void Save(string path)
        {
            fixed (byte* it = Utf8.Zero(path, nameof(path)))
            {
                Of.Check(ofBrain ? Native.pleach_brain_record_save(Of.Id, it) : Native.pleach_record_save(Of.Id, it));
            }
        }

        /// <summary>Ends the recording and discards it. Nothing happens if the forest or the brain is gone.</summary>
        public void Dispose()
        {
            if (of != null && !of.IsDisposed)
            {
                of.Check(ofBrain ? Native.pleach_brain_record_end(of.Id) : Native.pleach_record_end(of.Id));
            }
            of = null;
        }
    }
}
