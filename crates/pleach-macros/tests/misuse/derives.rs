//! What an enum must derive beside `SymbolEnum`.

use pleach::SymbolEnum;

#[derive(SymbolEnum)]
enum Mood {
    Calm,
    Angry,
}

fn main() {}
