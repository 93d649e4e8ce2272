//! Text: one monospaced font, at whole pixels.

use macroquad::color::Color;
use macroquad::text::{Font, TextParams, draw_text_ex, load_ttf_font_from_bytes, measure_text};
use pleach_example_arena::panel::Piece;

use crate::palette;

/// DejaVu Sans Mono, with its licence beside it.
const FONT: &[u8] = include_bytes!("../assets/DejaVuSansMono.ttf");

/// The font in the requested sizes.
pub(crate) struct Pen {
    /// The built-in font if there is none.
    font: Option<Font>,
}

impl Pen {
    /// Without the font it uses that of the window library.
    pub(crate) fn new() -> Self {
        Pen { font: load_ttf_font_from_bytes(FONT).ok() }
    }

    /// The width of a character.
    pub(crate) fn advance(&self, size: f32) -> f32 {
        measure_text("MMMMMMMMMM", self.font.as_ref(), whole(size), 1.0).width / 10.0
    }

    /// How many characters fit.
    pub(crate) fn columns(&self, width: f32, size: f32) -> usize {
        let columns = (width / self.advance(size).max(1.0)).floor().clamp(0.0, 1_000.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1000")]
        {
            columns as usize
        }
    }

    /// Writes a line whose upper left corner is there. Returns its width.
    pub(crate) fn write(&self, text: &str, x: f32, y: f32, size: f32, color: Color) -> f32 {
        let own = self.font.is_some();
        let text: String = text.chars().map(|it| if own { it } else { plain(it) }).collect();
        let params = TextParams { font: self.font.as_ref(), font_size: whole(size), color, ..TextParams::default() };
        draw_text_ex(&text, x.round(), (y + size * 0.95).round(), params);
        text.chars().count() as f32 * self.advance(size)
    }

    /// Writes a line of pieces, at most `columns` characters.
    pub(crate) fn pieces(&self, pieces: &[Piece], x: f32, y: f32, size: f32, columns: usize, fade: f32) {
        let (mut left, mut at, advance) = (columns, x, self.advance(size));
        for (tone, text) in pieces {
            let length = text.chars().count();
            let color = palette::tone(*tone);
            let color = palette::alpha(color, color.a * fade);
            if length <= left {
                self.write(text, at, y, size, color);
                left -= length;
                at += length as f32 * advance;
                continue;
            }
            if left > 0 {
                let cut: String = text.chars().take(left - 1).chain(['…']).collect();
                self.write(&cut, at, y, size, color);
            }
            return;
        }
    }
}

/// A size in the type of the font library.
fn whole(size: f32) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 200")]
    {
        size.clamp(1.0, 200.0).round() as u16
    }
}

/// The built-in font's replacement for a character.
fn plain(it: char) -> char {
    match it {
        '│' => '|',
        '├' | '└' => '+',
        '─' => '-',
        '…' => '~',
        it if it.is_ascii() => it,
        _ => '?',
    }
}
