//! The header that is checked in, and programs in C and C++ that use the library. They are compiled
//! with the machine's `cc` and `c++`, and run.

mod abi;
mod book;
mod code;
mod csharp;
mod header;
mod programs;

use std::path::{Path, PathBuf};

/// The folder of this crate.
fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder with what cargo has built for this test.
fn built() -> PathBuf {
    let program = std::env::current_exe().expect("a test runs as a program");
    program.parent().expect("it is in a folder").to_owned()
}
