//! Writes the programs of the book as modules, for the tests to run. The files of a chapter stand
//! beside them as beside those of a reader: `src/main.rs` includes `../farmer.ron`.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

#[expect(dead_code, reason = "the tests need more of it")]
#[path = "tests/book/chapter.rs"]
mod chapter;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=tests/book/chapter.rs");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo does not say where to write"))?;
    let out = Path::new(&out);
    let (mut modules, mut list) = (String::new(), String::new());
    for chapter in chapter::chapters() {
        let name = chapter.name();
        for (file, text) in chapter.files() {
            put(&out.join(name).join(file), &text)?;
        }
        for (at, block) in chapter.blocks().iter().filter(|it| it.language == "rust").enumerate() {
            put(&out.join(name).join(format!("src/program_{at}.rs")), chapter.text_of(block))?;
            let module = format!("{}_{at}", name.replace('-', "_"));
            let _ = writeln!(
                modules,
                "mod {module} {{\n    include!(\"{name}/src/program_{at}.rs\");\n    pub(super) fn run_program() -> Result<(), String> \
                 {{\n        super::Done::done(main())\n    }}\n}}"
            );
            let _ = writeln!(list, "    (\"{name}\", {module}::run_program),");
        }
    }
    let _ = write!(modules, "const PROGRAMS: &[(&str, fn() -> Result<(), String>)] = &[\n{list}];\n");
    put(&out.join("programs.rs"), &modules)
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
