//! Nothing in the book is false: its trees load, its programs run, what it shows is what is printed
//! now, and its links lead somewhere.
//!
//! A text that begins with `$ pleach` is what that command prints, beside the files of the chapter
//! and the trees of the arena.
//! A comment before a block says what else a block is:
//!
//! - `<!-- file: guard.ron -->`: a file of the chapter, which others and commands can name;
//! - `<!-- trees: dog.ron -->`: a program, in whose text these trees stand;
//! - `<!-- printed -->`: what the program before it prints;
//! - `<!-- drawn: guard.ron -->`: the drawing of its tree alone;
//! - `<!-- shown: guard.test.ron -->`: a file that a command above has written;
//! - `<!-- run -->`: commands that are run for what they do; those below find their files;
//! - `<!-- text -->`: a text that nothing prints.
//!
//! `<!-- picture -->` before a picture: it shows the last tree above; or what a command draws,
//! `<!-- picture: show trees/guard.ron --svg -->`.
//!
//! The trees of the cookbook are also files, in `trees/cookbook`, and each recipe is played.
//!
//! A block of `rust` is a whole program. One of `rs` is a part, which is not compiled.
//!
//! `PLEACH_BLESS=1` writes what is printed now into the chapters: read what changes.

mod chapter;
mod links;
mod outputs;
mod pictures;
mod programs;
mod recipes;
