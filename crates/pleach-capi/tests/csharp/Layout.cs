// The declarations in Native.cs against a compiler of C, and the constants against the enums.
using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using Pleach;

internal static class Layout
{
    private const BindingFlags All = BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance;
    private static readonly Type Native = typeof(Forest).Assembly.GetType("Pleach.Native");

    public static void StructsAreThoseOfC()
    {
        Type[] structs = Native.GetNestedTypes(All).Where(it => it.IsValueType && it.Name.StartsWith("pleach_")).ToArray();
        Check.That(structs.Length >= 8);
        var here = new StringBuilder();
        var program = new StringBuilder("#include <pleach.h>\n#include <stdio.h>\nint main(void) {\n");
        foreach (Type type in structs)
        {
            here.Append(type.Name + " " + Marshal.SizeOf(type) + "\n");
            program.Append("printf(\"" + type.Name + " %zu\\n\", sizeof(" + type.Name + "));\n");
            foreach (FieldInfo field in type.GetFields(All))
            {
                here.Append(field.Name + " " + Marshal.OffsetOf(type, field.Name) + "\n");
                program.Append("printf(\"" + field.Name + " %zu\\n\", offsetof(" + type.Name + ", " + field.Name + "));\n");
            }
        }
        string path = Path.Combine(Path.GetTempPath(), "pleach-" + Guid.NewGuid());
        File.WriteAllText(path + ".c", program + "}\n");
        string include = Environment.GetEnvironmentVariable("PLEACH_INCLUDE") ?? throw new Exception("PLEACH_INCLUDE is not set");
        Run("cc", "-I " + include + " -o " + path + " " + path + ".c");
        string there = Run(path, "");
        File.Delete(path);
        File.Delete(path + ".c");
        Check.Same(there, here.ToString());
    }

    private static string Run(string program, string arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { UseShellExecute = false, RedirectStandardOutput = true };
        using (Process process = Process.Start(start))
        {
            string written = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            Check.Same(0, process.ExitCode);
            return written;
        }
    }

    public static void EnumsAreThoseOfC()
    {
        Check.Same(14, Same(typeof(Error), "PLEACH_ERROR_"));
        Check.Same(10, Same(typeof(End), "PLEACH_END_"));
        Check.Same(4, Same(typeof(Phase), "PLEACH_PHASE_"));
        Check.Same(9, Same(typeof(KeyType), "PLEACH_TYPE_"));
        foreach (object it in Enum.GetValues(typeof(Status)))
        {
            Check.Same(Constant("PLEACH_" + Upper(it.ToString())), Convert.ToInt32(it));
        }
        // The library names its errors alike.
        MethodInfo name = Native.GetMethod("pleach_result_name", All);
        foreach (Error it in Enum.GetValues(typeof(Error)))
        {
            object text = name.Invoke(null, new object[] { (int)it });
            unsafe
            {
                Check.Same("PLEACH_ERROR_" + Upper(it.ToString()), Marshal.PtrToStringAnsi((IntPtr)Pointer.Unbox(text)));
            }
        }
    }

    private static int Same(Type type, string prefix)
    {
        int constants = Native.GetFields(All).Count(it => it.Name.StartsWith(prefix));
        Array values = Enum.GetValues(type);
        Check.Same(constants, values.Length);
        foreach (object it in values)
        {
            Check.Same(Constant(prefix + Upper(it.ToString())), Convert.ToInt32(it));
        }
        return values.Length;
    }

    private static int Constant(string name)
    {
        return (int)(Native.GetField(name, All) ?? throw new Exception("there is no " + name)).GetRawConstantValue();
    }

    // NotFound is NOT_FOUND.
    private static string Upper(string name)
    {
        var to = new StringBuilder();
        foreach (char it in name)
        {
            to.Append(char.IsUpper(it) && to.Length > 0 ? "_" : "").Append(char.ToUpperInvariant(it));
        }
        return to.ToString();
    }

    public static void TheVersionOfTheLibrary()
    {
        Check.That(Forest.LibraryVersion.Split('.').Length == 3, Forest.LibraryVersion);
    }
}
