//! Colours.

use macroquad::color::Color;
use pleach_arena::{DAY, NIGHT};
use pleach_example_arena::panel::Tone;

/// A colour of three bytes.
pub(crate) const fn rgb(hex: u32) -> Color {
    Color::new((hex >> 16 & 0xFF) as f32 / 255.0, (hex >> 8 & 0xFF) as f32 / 255.0, (hex & 0xFF) as f32 / 255.0, 1.0)
}

pub(crate) const BOX: Color = Color::new(0.055, 0.067, 0.098, 0.90);
pub(crate) const EDGE: Color = Color::new(0.36, 0.42, 0.55, 0.55);
pub(crate) const TEXT: Color = rgb(0xE6EAF2);
pub(crate) const FAINT: Color = rgb(0x8E98AE);
pub(crate) const ACCENT: Color = rgb(0xFFD166);
pub(crate) const GOOD: Color = rgb(0x7BD88F);
pub(crate) const BAD: Color = rgb(0xFF6B6B);
pub(crate) const ABORT: Color = rgb(0xFF9F43);
pub(crate) const USER: Color = rgb(0x4CC9F0);
pub(crate) const PLAYER: Color = rgb(0x3A86FF);
pub(crate) const CARROT: Color = rgb(0xF77F00);

/// The colours of known behaviours; others get one of the spare colours.
const KNOWN: [(&str, u32); 22] = [
    ("none", 0x9AA4B8),
    ("patrol", 0x5FB3A1),
    ("patrol_by_day", 0x5FB3A1),
    ("patrol_by_night", 0x6D8FD6),
    ("fight", 0xF04E4E),
    ("hunt", 0xE85DB0),
    ("help", 0xFF9F43),
    ("investigate", 0xB388FF),
    ("flee", 0xFFE066),
    ("dead", 0x5B606E),
    ("feed", 0x9BE564),
    ("charge", 0xC9184A),
    ("retreat", 0xF9F871),
    ("rest", 0x8FA8FF),
    ("idle", 0xC7CEDB),
    ("notice", 0xFFD166),
    ("out cold", 0x5B606E),
    ("panic", 0xFF8FA3),
    ("gape", 0xD9C8F0),
    ("second wind", 0xC77DFF),
    ("last stand", 0xC77DFF),
    ("go home", 0x8FA8FF),
];
const SPARE: [u32; 8] = [0x70D6FF, 0xFF70A6, 0xE9FF70, 0xC8B6FF, 0x80ED99, 0xFFB3C1, 0xA2D2FF, 0xD4A373];

/// The colour of a behaviour, by its number and name.
pub(crate) fn behaviour(index: usize, name: &str) -> Color {
    let known = KNOWN.iter().find(|it| it.0 == name).map(|it| it.1);
    rgb(known.unwrap_or(SPARE[index % SPARE.len()]))
}

/// The colour of a piece of text.
pub(crate) fn tone(tone: Tone) -> Color {
    match tone {
        Tone::Plain => TEXT,
        Tone::Faint => FAINT,
        Tone::Kind => rgb(0x9CC4FF),
        Tone::Name | Tone::Value => ACCENT,
        Tone::Good => GOOD,
        Tone::Bad => BAD,
        Tone::Abort => ABORT,
    }
}

/// A mix of two colours.
pub(crate) fn mix(a: Color, b: Color, part: f32) -> Color {
    let of = |a: f32, b: f32| a + (b - a) * part;
    Color::new(of(a.r, b.r), of(a.g, b.g), of(a.b, b.b), of(a.a, b.a))
}

/// The same colour, with this opacity.
pub(crate) fn alpha(color: Color, alpha: f32) -> Color {
    Color { a: alpha, ..color }
}

/// The colours of the ground at a time of day.
#[derive(Clone, Copy)]
pub(crate) struct Light {
    /// 0 by day, 1 at night.
    pub(crate) night: f32,
    pub(crate) floor: Color,
    pub(crate) tile: Color,
    pub(crate) line: Color,
    pub(crate) wall: Color,
    pub(crate) wall_side: Color,
    pub(crate) shadow: Color,
    pub(crate) cone: Color,
}

/// How long dusk and dawn take, in seconds.
const TWILIGHT: f64 = 12.0;

impl Light {
    pub(crate) fn at(time: f64) -> Light {
        let hour = time % (DAY + NIGHT);
        // Dusk comes before the night, and dawn after it, so that night is dark when it begins.
        let dusk = ((hour - (DAY - TWILIGHT)) / TWILIGHT).clamp(0.0, 1.0);
        let dawn = if time < DAY { 1.0 } else { (hour / TWILIGHT).clamp(0.0, 1.0) };
        #[expect(clippy::cast_possible_truncation, reason = "from 0 to 1")]
        let night = dusk.max(1.0 - dawn) as f32;
        let of = |day: u32, dark: u32| mix(rgb(day), rgb(dark), night);
        Light {
            night,
            floor: of(0x5C6B4F, 0x121828),
            tile: of(0x627254, 0x151C2E),
            line: alpha(of(0x3F4A36, 0x24304A), 0.6),
            wall: of(0xD9C8A9, 0x464E6B),
            wall_side: of(0x9A8464, 0x2A3046),
            shadow: Color::new(0.0, 0.0, 0.0, 0.28),
            cone: mix(Color::new(1.0, 1.0, 0.92, 0.10), Color::new(1.0, 0.86, 0.52, 0.17), night),
        }
    }
}
