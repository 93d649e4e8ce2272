//! Random files: samples with random changes, and random bytes. For any content, an import returns,
//! each line of its report has a place, and its output is RON that loads. `PLEACH_SEED` and
//! `PLEACH_COUNT` say which files, and how many of each format.

use std::collections::BTreeMap;
use std::ops::Range;

use pleach::asset::format_str;
use pleach_import::{Format, Options, import};

/// A sample per format. Each reader gets those of all others, too.
const SAMPLES: [(Format, &str); 9] = [
    (Format::BtCpp, include_str!("../samples/btcpp/nodes/nodes.xml")),
    (Format::Behavior3, include_str!("../samples/behavior3/farm/farm.b3")),
    (Format::Behavior3Nested, include_str!("../samples/behavior3-nested/knight/knight.json")),
    (Format::LimboAi, include_str!("../samples/limboai/imp/imp.tres")),
    (Format::Beehave, include_str!("../samples/beehave/slime/slime.tscn")),
    (Format::BehaviorDesigner, include_str!("../samples/behavior-designer/soldier/soldier.asset")),
    (Format::Behaviac, include_str!("../samples/behaviac/agent/agent.xml")),
    (Format::Maikire, include_str!("../samples/maikire/fighter/fighter.txt")),
    (Format::Starbound, include_str!("../samples/starbound/moth/moth.behavior")),
];

/// Texts that mean something in one of the formats.
const WORDS: [&str; 24] = [
    "\"", "<", ">", "/>", "&", "&#x0;", "{", "}", "[", "]", "(", ")", "->", "=", ":", ",", "\n", "\\", "é", "-1",
    "1e999", "true", "\u{0}", "",
];

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((it ^ (it >> 31)) % sides.max(1) as u64).expect("below a usize")
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }

    /// A part of this number of bytes, mostly a short one.
    fn part(&mut self, length: usize) -> Range<usize> {
        let from = self.roll(length + 1);
        let most = if self.roll(4) == 0 { length } else { 24 };
        from..length.min(from + self.roll(most + 1))
    }
}

fn seeds(count: u64) -> Range<u64> {
    let number = |name: &str, or| std::env::var(name).map_or(or, |it| it.parse().expect("a number"));
    let first = number("PLEACH_SEED", 0);
    first..first + number("PLEACH_COUNT", count)
}

/// The parts of a text that are words or numbers, or else its lines.
fn parts(text: &[u8], is_word: bool) -> Vec<Range<usize>> {
    let is_end = |it: u8| if is_word { !it.is_ascii_alphanumeric() && it != b'_' } else { it == b'\n' };
    let mut parts = Vec::new();
    for part in text.split(|it| is_end(*it)).filter(|it| !it.is_empty()) {
        let from = part.as_ptr() as usize - text.as_ptr() as usize;
        parts.push(from..from + part.len());
    }
    parts
}

/// A file with a few changes: mostly another word, or a line that is removed or doubled, so that
/// much of it can be read.
fn changed(sample: &str, dice: &mut Dice) -> Vec<u8> {
    let mut text = sample.as_bytes().to_vec();
    for _ in 0..=dice.roll(4) {
        let kind = dice.roll(16);
        let parts = parts(&text, kind < 12);
        let part = if kind < 14 && !parts.is_empty() { dice.one(&parts).clone() } else { dice.part(text.len()) };
        let new = match kind {
            0..8 => {
                let other = dice.one(&SAMPLES).1.as_bytes();
                other[dice.one(&self::parts(other, true)).clone()].to_vec()
            }
            8..12 if !parts.is_empty() => text[dice.one(&parts).clone()].to_vec(),
            12 => [&text[part.clone()], b"\n", &text[part.clone()]].concat(),
            14 => vec![u8::try_from(dice.roll(256)).expect("a byte")],
            15 => dice.one(&WORDS).as_bytes().to_vec(),
            _ => Vec::new(),
        };
        text.splice(part, new);
    }
    text
}

fn survives(text: Vec<u8>, from: Option<Format>, case: &str) {
    let lines = String::from_utf8_lossy(&text).split('\n').count();
    let mut options = Options::default();
    options.from = from;
    let imported = import(&BTreeMap::from([("a".to_owned(), text)]), &options);
    for it in &imported.report.entries {
        assert!(it.file == "a" && (1..=lines).contains(&it.line) && it.column >= 1, "{case}: {it}");
    }
    assert_eq!(imported.files.is_empty(), !imported.files.contains_key("game.leaves"), "{case}");
    let problems = crate::checked(&imported);
    assert!(!problems.contains("error["), "{case}: {problems}");
    for (name, text) in &imported.files {
        assert_eq!(format_str(name, text).as_ref(), Ok(text), "{case}: {name}");
    }
}

#[test]
fn changed_samples_are_read_or_told() {
    for seed in seeds(100) {
        for (format, sample) in SAMPLES {
            let mut dice = Dice(seed);
            let text = changed(sample, &mut dice);
            let from = (dice.roll(2) == 0).then_some(format);
            survives(text, from, &format!("{format}, seed {seed}"));
        }
    }
}

#[test]
fn any_bytes_are_read_or_told() {
    for seed in seeds(100) {
        for (format, _) in SAMPLES {
            let mut dice = Dice(seed);
            let mut text = Vec::new();
            for _ in 0..dice.roll(200) {
                match dice.roll(3) {
                    0 => text.push(u8::try_from(dice.roll(256)).expect("a byte")),
                    1 => text.extend(dice.one(&WORDS).bytes()),
                    _ => {
                        let sample = dice.one(&SAMPLES).1.as_bytes();
                        text.extend_from_slice(&sample[dice.part(sample.len())]);
                    }
                }
            }
            survives(text, Some(format), &format!("{format}, seed {seed}"));
        }
    }
}
