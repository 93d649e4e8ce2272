//! The race before anybody runs it: what it stands on, and that all who run do the same.

mod agree;
mod ground;
