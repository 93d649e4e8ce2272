//! Entries of each row are written and read, damaged ones are read, and the page shows the table.

use std::fmt::Write as _;

use pleach_expr::Symbol;

use super::manifest::{MANIFEST, Row};
use super::*;

/// After an event, which may come again.
fn before() -> Before {
    Before { agent: 3, event: Some(Event::of(Symbol::new("noise"), None)) }
}

fn written(entries: &[Entry]) -> Vec<u8> {
    let (mut bytes, mut before) = (Vec::new(), before());
    entries.iter().for_each(|it| it.put(&mut bytes, &mut before));
    bytes
}

/// Reads entries up to the first that is malformed.
fn read(mut bytes: &[u8], is_wanted: impl Fn(u32) -> bool + Copy) -> Vec<Entry> {
    let mut before = before();
    std::iter::from_fn(|| Entry::take(&mut bytes, &mut before, is_wanted)).collect()
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % sides
    }

    fn byte(&mut self, below: usize) -> u8 {
        self.below(below).to_le_bytes()[0]
    }

    /// An entry of a row, if the reader makes one of random bytes. Many of them are small, as small
    /// bytes end numbers and are the types of values.
    fn entry(&mut self, code: u8) -> Option<Entry> {
        let mut bytes = vec![self.byte(16) << 4 | code];
        bytes.extend((0..40).map(|_| {
            let below = [9, 256][self.below(2)];
            self.byte(below)
        }));
        read(&bytes, |_| true).into_iter().next()
    }
}

#[test]
fn an_entry_of_each_row_is_read_as_it_was_written() {
    let mut dice = Dice(7);
    for &Row { code, entry: name, .. } in MANIFEST {
        let entries: Vec<Entry> = (0..20_000).filter_map(|_| dice.entry(code)).collect();
        assert!(entries.len() > 1_000, "{name}: {}", entries.len());
        for mut entry in entries {
            if entry.input == Input::Rewind {
                entry.agent = before().agent;
            }
            let bytes = written(std::slice::from_ref(&entry));
            let again = read(&bytes, |_| true);
            // A NaN equals itself as text only.
            assert_eq!(format!("{again:?}"), format!("[{entry:?}]"));
            assert_eq!(written(&again), bytes, "{entry:?}");
        }
    }
}

#[test]
fn damaged_bytes_are_read_without_a_panic_and_into_no_more_bytes() {
    let mut dice = Dice(7);
    for _ in 0..50_000 {
        let entries: Vec<Entry> = (0..10)
            .filter_map(|_| {
                let code = dice.byte(16);
                dice.entry(code)
            })
            .collect();
        let mut bytes = written(&entries);
        assert_eq!(read(&bytes, |_| true).len(), entries.len());
        for _ in 0..=dice.below(3) {
            let at = dice.below(bytes.len());
            match dice.below(4) {
                0 => bytes.truncate(at + 1),
                // A length of 4 GB.
                1 => _ = bytes.splice(at..at, [0xff, 0xff, 0xff, 0xff, 0x0f]),
                _ => bytes[at] ^= 1 << dice.below(8),
            }
        }
        let held = |it: &Entry| match &it.input {
            Input::State(it) | Input::Stood(it) => it.capacity(),
            _ => 0,
        };
        let entries = read(&bytes, |_| true);
        assert!(entries.len() + entries.iter().map(held).sum::<usize>() <= bytes.len());
    }
}

#[test]
fn the_state_of_an_agent_that_is_not_wanted_is_left_out() {
    let entry = |agent, input| Entry { agent, observer: None, nth: 0, input };
    let entries = [entry(3, Input::State(vec![1, 2, 3])), entry(4, Input::State(vec![4])), entry(4, Input::Gone)];
    let read = read(&written(&entries), |it| it == 4);
    assert_eq!(read, [entry(3, Input::State(Vec::new())), entries[1].clone(), entries[2].clone()]);
}

#[test]
fn the_page_shows_the_manifest() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/design/recordings.md");
    let mut table = String::from("| code | entry | fields | meaning |\n|---|---|---|---|\n");
    for Row { code, entry, fields, doc } in MANIFEST {
        let fields: Vec<String> = fields.iter().map(|it| format!("`{it}`")).collect();
        let _ = writeln!(table, "| {code} | `{entry}` | {} | {} |", fields.join(", "), doc.trim());
    }
    let page = std::fs::read_to_string(path).expect("the page is there");
    let from = page.find("| code |").expect("the page has the table");
    let to = from + page[from..].find("\n\n").expect("more follows the table") + 1;
    if std::env::var_os("PLEACH_BLESS").is_some() {
        let made = [&page[..from], &table, &page[to..]].concat();
        std::fs::write(path, made).expect("the page can be written");
    } else {
        assert!(
            page[from..to] == table,
            "docs/design/recordings.md is not what the manifest says: PLEACH_BLESS=1 writes it"
        );
    }
}
