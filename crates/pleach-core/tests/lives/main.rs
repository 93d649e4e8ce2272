//! Random lives of forests, on hosts of their own. Each is lived in several ways, and all must come
//! to the same.

mod alike;
mod grouped_alike;
mod grouped_panics;
mod replace_alike;
#[path = "../support/lib.rs"]
mod support;
