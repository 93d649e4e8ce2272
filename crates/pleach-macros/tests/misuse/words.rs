//! What cannot be words.

use pleach::Words;

#[derive(Clone, Copy, Debug, PartialEq, Words)]
enum None {}

#[derive(Clone, Copy, Debug, PartialEq, Words)]
enum Fields {
    Calm(u32),
    Angry { at: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, Words)]
enum Bad {
    True,
    Not,
    #[word("go home")]
    GoHome,
    #[word("true_")]
    Fine,
    #[word("fine")]
    #[word("good")]
    Twice,
}

#[derive(Clone, Copy, Debug, PartialEq, Words)]
enum Doubled {
    Calm,
    #[word("calm")]
    Quiet,
}

#[derive(Clone, Copy, Debug, PartialEq, Words)]
struct Whole;

fn main() {}
