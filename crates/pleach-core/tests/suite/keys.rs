//! Keys: what they hold, what counts as a change, and everyone who reads and writes them.

mod blackboard;
mod by_name;
mod declared_words;
mod floats;
mod sense;
mod words;
