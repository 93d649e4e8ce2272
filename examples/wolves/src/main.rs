//! Plays a minute and says what happens.

use std::error::Error;

use pleach::draw::TraceLine;
use pleach::{Recorder, TraceKinds};
use pleach_wolves::{Game, STEP, WOLF};

fn main() -> Result<(), Box<dyn Error>> {
    let mut game = Game::new(7)?;
    for second in 1..=60 {
        for _ in 0..30 {
            game.step()?;
        }
        if second % 10 == 0 {
            println!("{second} s: wolves {}; sheep {}", game.doing(game.wolves)?, game.doing(game.sheep)?);
        }
    }
    for m in &game.meals { println!("{m}"); }
    Ok(())
}
