// Texts, from and to the library.
using System;
using System.Text;

namespace Pleach
{
    internal static unsafe class Utf8
    {
        /// <summary>Refuses invalid text.</summary>
        internal static readonly UTF8Encoding Encoding = new UTF8Encoding(false, true);
        /// <summary>Replaces invalid text.</summary>
        private static readonly UTF8Encoding Lenient = new UTF8Encoding(false, false);
        private const int Words = 64;

        [ThreadStatic]
        private static byte[] reused;
        [ThreadStatic]
        private static Known[] known;

        private struct Known
        {
            internal byte[] Bytes;
            internal string Text;
        }

        /// <summary>With a zero at the end.</summary>
        internal static byte[] Zero(string text, string what)
        {
            byte[] all = new byte[Measure(text, what) + 1];
            Encoding.GetBytes(text, 0, text.Length, all, 0);
            return all;
        }

        /// <summary>As <see cref="Zero"/>; null stays null.</summary>
        internal static byte[] ZeroOrNull(string text, string what)
        {
            return text == null ? null : Zero(text, what);
        }

        /// <summary>
        /// As <see cref="Zero"/>, without allocation: in an array of this thread, which is valid until the next such call. For
        /// functions that make no callbacks.
        /// </summary>
        internal static byte[] ZeroReused(string text, string what)
        {
            int length = Measure(text, what);
            if (reused == null || reused.Length <= length)
            {
                reused = new byte[Math.Max(128, length + 1)];
            }
            Encoding.GetBytes(text, 0, text.Length, reused, 0);
            reused[length] = 0;
            return reused;
        }

        /// <summary>Without a zero at the end: at least one byte long, so that it has an address.</summary>
        internal static byte[] Whole(string text, string what, out UIntPtr length)
        {
            int bytes = Measure(text, what, true);
            length = (UIntPtr)bytes;
            byte[] all = new byte[Math.Max(1, bytes)];
            Encoding.GetBytes(text, 0, text.Length, all, 0);
            return all;
        }

        /// <summary>A text in which invalid text is replaced: the message of an exception.</summary>
        internal static string Mended(string text)
        {
            return Lenient.GetString(Lenient.GetBytes(text)).Replace('\0', '\ufffd');
        }

        /// <summary>A text that ends with a zero.</summary>
        internal static string From(byte* text)
        {
            int length = 0;
            while (text[length] != 0)
            {
                length++;
            }
            return Encoding.GetString(text, length);
        }

        internal static string From(byte* text, UIntPtr length)
        {
            return length == UIntPtr.Zero ? "" : Encoding.GetString(text, checked((int)length));
        }

        /// <summary>As <see cref="From(byte*, UIntPtr)"/>, without allocation if this thread has seen it recently.</summary>
        internal static string Kept(byte* text, UIntPtr length)
        {
            int count = checked((int)length);
            uint hash = 2166136261;
            for (int i = 0; i < count; i++)
            {
                hash = (hash ^ text[i]) * 16777619;
            }
            if (known == null)
            {
                known = new Known[Words];
            }
            int at = (int)(hash % Words);
            byte[] bytes = known[at].Bytes;
            if (bytes == null || !new ReadOnlySpan<byte>(text, count).SequenceEqual(bytes))
            {
                known[at].Bytes = new ReadOnlySpan<byte>(text, count).ToArray();
                known[at].Text = From(text, length);
            }
            return known[at].Text;
        }

        private static int Measure(string text, string what, bool zeros = false)
        {
            if (text == null)
            {
                throw new ArgumentNullException(what);
            }
            if (!zeros && text.IndexOf('\0') >= 0)
            {
                throw new PleachException(Error.Argument, "`" + what + "` has a zero character at " + text.IndexOf('\0'));
            }
            try
            {
                return Encoding.GetByteCount(text);
            }
            catch (EncoderFallbackException it)
            {
                throw new PleachException(Error.Utf8,
                    "`" + what + "` is not text: half of a surrogate pair at " + it.Index, it);
            }
        }
    }
}
