//! `csharp/Native.cs` is what `include/pleach.h` declares, in C#. `PLEACH_BLESS=1` writes it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;

use super::code::code_of;
use super::here;

const HEAD: &str = "// What include/pleach.h declares, under the same names. Made of it by a test, with PLEACH_BLESS=1.
//
// Handles are structs of one 64-bit id in C, which is passed like that integer.
// Callbacks are addresses.
using System;
using System.Runtime.InteropServices;

namespace Pleach
{
    internal static unsafe partial class Native
    {
";

/// The words that C# keeps for itself and the header uses.
const KEYWORDS: [&str; 7] = ["as", "event", "in", "object", "params", "string", "base"];

/// What the header declares, one after the other: without comments, on one line.
pub(super) fn declarations(header: &str) -> Vec<String> {
    let header = header.split("#ifndef PLEACH_VALUES_H").next().unwrap_or_default();
    let header = header.split_once("*/").map_or(header, |it| it.1);
    let (mut all, mut open) = (Vec::new(), String::new());
    for line in header.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if line.starts_with("#define") && line.split(' ').count() == 3 {
            all.push(line.to_owned());
        }
        if line.is_empty() || line.starts_with('#') || line.starts_with("extern") || line == "}" && open.is_empty() {
            continue;
        }
        open.push_str(line);
        open.push(' ');
        if line.ends_with(';') && open.matches('{').count() == open.matches('}').count() {
            all.push(std::mem::take(&mut open).trim().to_owned());
        }
    }
    all
}

/// What is known of the names of types.
#[derive(Default)]
struct Types(HashMap<String, String>);

impl Types {
    fn of(&self, c: &str) -> String {
        let words: Vec<&str> =
            c.split([' ', '*']).filter(|it| !it.is_empty() && !matches!(*it, "const" | "struct" | "union")).collect();
        let [word] = words[..] else { panic!("`{c}` is not one type") };
        let name = match word {
            "void" | "float" | "double" => word,
            "char" | "uint8_t" => "byte",
            "int32_t" => "int",
            "uint32_t" => "uint",
            "int64_t" => "long",
            "uint64_t" => "ulong",
            "size_t" => "UIntPtr",
            _ => self.0.get(word).map_or_else(|| panic!("`{word}` is not declared"), String::as_str),
        };
        format!("{name}{}", "*".repeat(c.matches('*').count()))
    }

    /// The type and the name of a member or a parameter.
    fn variable(&self, c: &str) -> (String, String) {
        let at = c.rfind([' ', '*']).unwrap_or_else(|| panic!("`{c}` has no name")) + 1;
        let name = &c[at..];
        let escape = if KEYWORDS.contains(&name) { "@" } else { "" };
        (self.of(&c[..at]), format!("{escape}{name}"))
    }

    fn parameters(&self, c: &str) -> String {
        let all = c.split(',').map(str::trim).filter(|it| *it != "void" && !it.is_empty());
        let all: Vec<String> = all.map(|it| self.variable(it)).map(|(of, name)| format!("{of} {name}")).collect();
        all.join(", ")
    }

    /// A struct or a union, if it is not a handle.
    fn record(&mut self, c: &str, to: &mut String) {
        let (head, rest) = c.split_once('{').expect("it is a struct");
        let (members, name) = rest.rsplit_once('}').expect("it is closed");
        let name = name.trim_matches([' ', ';']);
        let is_union = head.contains("union");
        let members: Vec<&str> = members.split(';').map(str::trim).filter(|it| !it.is_empty()).collect();
        if members == ["uint64_t id"] {
            self.0.insert(name.to_owned(), "ulong".to_owned());
            return;
        }
        self.0.insert(name.to_owned(), name.to_owned());
        let layout = if is_union { "Explicit" } else { "Sequential" };
        writeln!(to, "        [StructLayout(LayoutKind.{layout})]\n        internal struct {name}\n        {{")
            .expect("text");
        for member in members {
            let (member, array) = member.split_once('[').map_or((member, None), |(it, n)| (it, Some(n)));
            let (of, name) = self.variable(member);
            let at = if is_union { "[FieldOffset(0)] " } else { "" };
            match array {
                None => writeln!(to, "            {at}internal {of} {name};"),
                Some(count) => writeln!(to, "            {at}internal fixed {of} {name}[{count};"),
            }
            .expect("text");
        }
        to.push_str("        }\n\n");
    }
}

/// The declarations in C#.
fn translated(header: &str) -> String {
    let (mut types, mut to) = (Types::default(), HEAD.to_owned());
    for it in declarations(header) {
        if let Some(it) = it.strip_prefix("#define ") {
            let (name, number) = it.split_once(' ').expect("it has a value");
            writeln!(to, "        internal const int {name} = {number};").expect("text");
        } else if let Some(it) = it.strip_prefix("typedef void (*") {
            let (name, parameters) = it.split_once(")(").expect("it is a function");
            let parameters = types.parameters(parameters.trim_end_matches([')', ';']));
            types.0.insert(name.to_owned(), "IntPtr".to_owned());
            writeln!(
                to,
                "        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]\n        internal delegate void {name}({parameters});\n"
            )
            .expect("text");
        } else if it.starts_with("typedef struct") || it.starts_with("typedef union") {
            types.record(&it, &mut to);
        } else if let Some(it) = it.strip_prefix("typedef ") {
            let (of, name) = types.variable(it.trim_end_matches(';'));
            types.0.insert(name, of);
        } else {
            let (head, parameters) = it.split_once('(').expect("it is a function");
            let (of, name) = types.variable(head);
            let parameters = types.parameters(parameters.trim_end_matches([')', ';']));
            writeln!(
                to,
                "\n        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]\n        internal static extern {of} {name}({parameters});"
            )
            .expect("text");
        }
    }
    to.push_str("    }\n}\n");
    to
}

#[test]
fn the_declarations_in_csharp_are_those_of_the_header() {
    let header = fs::read_to_string(here().join("include/pleach.h")).expect("the header is read");
    let made = translated(&header);
    let file = here().join("csharp/Native.cs");
    if std::env::var_os("PLEACH_BLESS").is_some() {
        fs::write(&file, &made).expect("it is written");
    }
    let checked_in = fs::read_to_string(&file).unwrap_or_default();
    assert!(checked_in == made, "csharp/Native.cs is not what include/pleach.h declares: PLEACH_BLESS=1 writes it");
}

#[test]
fn the_wrapper_in_csharp_has_all_functions() {
    let mut wrapper = String::new();
    for file in fs::read_dir(here().join("csharp")).expect("the folder is read") {
        let file = file.expect("the folder is read").path();
        if file.extension().is_some_and(|it| it == "cs") && !file.ends_with("Native.cs") {
            wrapper.push_str(&code_of(&fs::read_to_string(file).expect("a source is read")));
        }
    }
    let header = fs::read_to_string(here().join("include/pleach.h")).expect("the header is read");
    let all = declarations(&header).into_iter().filter(|it| !it.starts_with("typedef") && !it.starts_with('#'));
    let names: Vec<String> = all
        .map(|it| it[..it.find('(').expect("it is a function")].rsplit([' ', '*']).next().unwrap_or("").into())
        .collect();
    assert!(names.len() > 100);
    // The enum `Error` has these names.
    let missing: Vec<_> =
        names.iter().filter(|it| *it != "pleach_result_name" && !wrapper.contains(&format!("Native.{it}("))).collect();
    assert!(missing.is_empty(), "the wrapper for C# lacks {missing:?}");
}
