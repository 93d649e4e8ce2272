//! Plays a minute and prints what happens.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    pleach_wolves::play(7, Some(8.0)).map(|game| print!("{}", game.world.story))
}
