//! Keys: what they hold, what counts as a change, and every way to read and write them.

mod blackboard;
mod by_name;
mod declared_words;
mod flips;
mod floats;
mod moments;
mod sense;
mod time;
mod words;
