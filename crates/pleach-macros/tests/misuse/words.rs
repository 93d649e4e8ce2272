//! What cannot be words.

use pleach::SymbolEnum;

#[derive(Clone, Copy, Debug, PartialEq, SymbolEnum)]
enum None {}

#[derive(Clone, Copy, Debug, PartialEq, SymbolEnum)]
enum Fields {
    Calm(u32),
    Angry { at: u32 },
}

#[derive(Clone, Copy, Debug, PartialEq, SymbolEnum)]
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

#[derive(Clone, Copy, Debug, PartialEq, SymbolEnum)]
enum Doubled {
    Calm,
    #[word("calm")]
    Quiet,
}

#[derive(Clone, Copy, Debug, PartialEq, SymbolEnum)]
struct Whole;

fn main() {}
