//! What an enum derives beside `Words`.

use pleach::Words;

#[derive(Words)]
enum Mood {
    Calm,
    Angry,
}

fn main() {}
