//! Stories: each plays a tree of `trees/` in a small world and checks what its inhabitants do, and
//! when.

mod common;
mod determinism;
mod fighter;
mod guard;
mod heist;
mod luabt;
mod minimal;
mod night;
mod params;
mod rabbit;
mod veteran;
