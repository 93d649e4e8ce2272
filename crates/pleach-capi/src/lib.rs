//! The C interface of pleach. `include/pleach.h` is made of this crate, and is its documentation;
//! `include/pleach.hpp` is a C++ wrapper of it. What is exported are symbols, so no item has a path
//! outside.

mod agents;
mod board;
mod brain;
mod brain_watch;
mod call;
mod call_agents;
mod call_events;
mod column;
mod error;
mod forest;
mod gate;
mod groups;
mod host;
mod input;
mod inspect;
mod last;
mod leaves;
mod library;
mod out;
mod registry;
mod save;
mod table;
mod tree;
mod value;
mod watch;

use std::ffi::{CStr, c_char};

/// The version of this interface. It changes when a program that was compiled with an older header
/// would not work.
pub const PLEACH_ABI_VERSION: u32 = 1;

/// The version of the interface that the library has. A program that loads the library itself
/// compares it with PLEACH_ABI_VERSION of its header.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_abi_version() -> u32 {
    PLEACH_ABI_VERSION
}

/// The version of the library: "0.1.0". It lives for ever.
#[unsafe(no_mangle)]
pub extern "C" fn pleach_version() -> *const c_char {
    const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(it) => it,
        Err(_) => panic!("a version has no zero"),
    };
    VERSION.as_ptr()
}
