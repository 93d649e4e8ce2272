//! A studio that reads more slowly than the game plays.

use std::time::{Duration, Instant};

use pleach_core::Forest;
use pleach_core::record::Recording;
use pleach_tap::Tap;
use pleach_tap::studio::{News, Request, games_in};

use super::{Done, folder, tree};

#[test]
fn a_reader_that_is_slow_begins_anew_and_the_game_does_not_wait() -> Done {
    let folder = folder("slow");
    let mut tap = Tap::listen_in(&folder, "slow")?;
    let mut forest = Forest::new(7);
    let id = forest.add_tree(tree()?)?;
    let agents = (0..2_000).map(|_| forest.spawn(&mut (), id)).collect::<Result<Vec<_>, _>>()?;
    let mut recording = Recording::new().at_most(1 << 20).keys_every(1);
    let game = games_in(&folder)?.remove(0);
    let connects = std::thread::spawn(move || game.connect());
    while !connects.is_finished() {
        tap.pump(&mut forest, &mut recording);
    }
    let mut connection = connects.join().expect("it connects")?;
    let mut asker = connection.asker()?;
    let key = forest.agent(agents[0])?.tree().key::<f32>("health")?;
    let mut frame = 0_u16;
    let mut play = |tap: &mut Tap| -> Done {
        // All keys change, so a frame takes about 16 KB.
        for &agent in &agents {
            forest.keys_mut(agent)?.set(key, 1.0 + f32::from(frame));
        }
        frame += 1;
        forest.traced(&mut recording).tick(&mut (), 0.01)?;
        asker.ask(0, &Request::Ping)?;
        tap.pump(&mut forest, &mut recording);
        Ok(())
    };
    // It reads nothing: the recording drops frames that it has not received.
    for _ in 0..1_200 {
        play(&mut tap)?;
    }
    // It reads on: what follows the dropped frames begins again.
    let reads = std::thread::spawn(move || -> Result<usize, String> {
        let mut begun = 0;
        while begun < 2 {
            begun += usize::from(matches!(connection.news().map_err(|it| it.to_string())?, News::Begin(_)));
        }
        Ok(begun)
    });
    let since = Instant::now();
    while !reads.is_finished() && since.elapsed() < Duration::from_secs(30) {
        play(&mut tap)?;
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(tap);
    assert_eq!(reads.join().expect("it reads"), Ok(2));
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
