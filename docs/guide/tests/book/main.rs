//! Nothing in the book is false: its trees load, what it shows is what the program says now, and
//! its links lead somewhere. Its code is run as doc-tests of the library.
//!
//! A comment before a block says what the block is:
//!
//! - `<!-- file: guard.ron -->`: a file of the chapter, which the others can name;
//! - `<!-- output: show guard.ron -->`: what `pleach show guard.ron` prints;
//! - `<!-- drawn: guard.ron -->`: the drawing of its tree alone;
//! - `<!-- play: guard.ron; tick; set health 0.2; tick -->`: what one agent does;
//! - `<!-- asserted -->`: a text that code of the chapter asserts, as a string in one line;
//! - `<!-- text -->`: a text that nothing prints.
//!
//! `PLEACH_BLESS=1` writes what is printed now into the chapters: read what changes.

mod chapter;
mod links;
mod outputs;
mod play;
