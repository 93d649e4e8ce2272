//! What cannot be keys that the game relies on.

use pleach::{Key, Keys};

#[derive(Keys)]
struct Nothing {}

#[derive(Keys)]
struct Unit;

#[derive(Keys)]
struct Tuple(Key<bool>);

#[derive(Keys)]
enum Choice {
    One(Key<bool>),
}

#[derive(Keys)]
struct Generic<T> {
    key: Key<T>,
}

#[derive(Keys)]
struct Names {
    not: Key<bool>,
    #[key("two words")]
    two: Key<bool>,
    #[key("group.plan")]
    plan: Key<bool>,
    #[key("node.own")]
    own: Key<bool>,
    #[key("")]
    none: Key<bool>,
    #[key("sees")]
    one: Key<bool>,
    sees: Key<bool>,
    #[key("sees", group)]
    fine: Key<bool>,
}

#[derive(Keys)]
struct Options {
    #[key(optional)]
    optional: Key<bool>,
    #[key(agent)]
    agent: Key<bool>,
    #[key(node)]
    node: Key<bool>,
    #[key(wriets)]
    misspelt: Key<bool>,
    #[key(group, global)]
    both: Key<bool>,
    #[key(reads, reads)]
    twice: Key<bool>,
    #[key("a")]
    #[key("b")]
    renamed: Key<bool>,
    #[key()]
    empty: Key<bool>,
    #[key(3)]
    number: Key<bool>,
    #[key]
    bare: Key<bool>,
    #[key = "name"]
    equals: Key<bool>,
}

fn main() {}
