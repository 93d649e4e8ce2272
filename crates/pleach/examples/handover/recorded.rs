//! The recordings of the couriers: on a disk, and played again.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use pleach::inspect::AgentView;
use pleach::record::Replay;
use pleach::schema::Scope;

use super::{Game, Places, tree};

/// The recordings, by the names of files. Each life of a process has one.
pub(super) type Recordings = BTreeMap<String, Vec<u8>>;

/// What a courier does in a frame.
pub(super) fn says(frame: u64, courier: &AgentView<Game>) -> String {
    // A recording has the keys of agents, and does not need those of the group.
    let own = courier.keys.iter().filter(|it| it.0.scope() != Scope::Group);
    let keys: Vec<String> = own.map(|it| format!("{:?}", it.1)).collect();
    format!("{frame} {courier} {}", keys.join(" "))
}

/// Writes a file: whole, or not at all.
pub(super) fn write(file: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let new = file.with_extension("new");
    let mut out = fs::File::create(&new)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    Ok(fs::rename(new, file)?)
}

/// The recordings that a process has on its disk.
pub(super) fn recordings_on(disk: &Path) -> Result<Recordings, Box<dyn Error>> {
    let mut all = Recordings::new();
    for entry in fs::read_dir(disk)? {
        let file = entry?.file_name().into_string().map_err(|it| format!("{it:?} is not UTF-8"))?;
        if file.ends_with(".rec") {
            all.insert(file.clone(), fs::read(disk.join(file))?);
        }
    }
    Ok(all)
}

/// What couriers did in each frame, from recordings alone: no leaf is called.
pub(super) fn replayed(disk: &Path) -> Result<BTreeMap<usize, BTreeMap<u64, String>>, Box<dyn Error>> {
    let (tree, mut told) = (Arc::new(tree()?), BTreeMap::<_, BTreeMap<_, _>>::new());
    for (file, bytes) in recordings_on(disk)? {
        let mut replay = Replay::<Game>::open(&bytes, |it| it.is(&tree).then(|| Arc::clone(&tree)))?;
        let mut seen = BTreeMap::new();
        while replay.step(&mut Places::new())? {
            for (number, agent) in replay.agents() {
                let Some(agent) = agent else { continue };
                let courier = replay.forest().agent(agent)?.entity().index().unwrap_or_default();
                let (frame, line) = (replay.frame(), says(replay.frame(), &replay.inspect(agent)?));
                seen.entry((courier, number)).or_insert((frame, frame)).1 = frame;
                // A frame that was on no disk when its process died has been played again.
                let known = told.entry(courier).or_default().insert(frame, line.clone());
                assert!(known.as_ref().is_none_or(|it| *it == line), "played again: {known:?}, then {line}");
            }
        }
        assert!(replay.divergences().is_empty(), "{file}: {:?}", replay.divergences());
        for ((_, number), (from, to)) in seen.into_iter().filter(|it| it.0.0 == 0) {
            println!("courier 0 is agent {number} of {} in frames {from} to {to}", disk.join(&file).display());
        }
    }
    Ok(told)
}
