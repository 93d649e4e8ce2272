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

        /// <summary>
        /// Adds a file, for tools that make the trees again: the text of a tree, or the manifest of the game's leaves under a
        /// name that ends in .leaves.
        /// </summary>
        public void AddFile(string name, string text)
        {
            AddFile(name, Utf8.Encoding.GetBytes(text ?? throw new ArgumentNullException(nameof(text))));
        }

        /// <summary>Adds a file as bytes: the same, or a baked tree.</summary>
        public void AddFile(string name, byte[] bytes)
        {
            if (bytes == null) throw new ArgumentNullException(nameof(bytes));
            fixed (byte* n = Utf8.Zero(name, nameof(name)), b = bytes)
            {
                var length = (UIntPtr)bytes.Length;
                Of.Check(ofBrain
                    ? Native.pleach_brain_record_file(Of.Id, n, b, length)
                    : Native.pleach_record_file(Of.Id, n, b, length));
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
