//! Plays a minute and says what happens.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    print!("{}", pleach_wolves::story::play(7, Some(8.0))?.1);
    Ok(())
}
