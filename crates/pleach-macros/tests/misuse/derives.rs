//! What an enum derives beside `SymbolEnum`.

use pleach::SymbolEnum;

#[derive(SymbolEnum)]
enum Mood {
    Calm,
    Angry,
}

fn main() {}
