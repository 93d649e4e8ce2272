// Turns the output of Mono's compiler into an assembly for netstandard2.1: its types come from `netstandard`, where all systems have them.
using System;
using System.Linq;
using Mono.Cecil;

internal static class Netstandard
{
    private static readonly string[] OfMono = { "mscorlib", "System", "System.Core", "System.Numerics" };

    private static int Main(string[] arguments)
    {
        using (AssemblyDefinition it = AssemblyDefinition.ReadAssembly(arguments[0]))
        {
            foreach (AssemblyNameReference of in it.MainModule.AssemblyReferences)
            {
                if (!OfMono.Contains(of.Name))
                {
                    Console.Error.WriteLine("an assembly that netstandard2.1 does not have: " + of);
                    return 1;
                }
                of.Name = "netstandard";
                of.Version = new Version(2, 1, 0, 0);
                of.PublicKeyToken = new byte[] { 0xcc, 0x7b, 0x13, 0xff, 0xcd, 0x2d, 0xdd, 0x51 };
            }
            it.Write(arguments[1]);
        }
        return 0;
    }
}
