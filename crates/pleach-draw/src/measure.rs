//! Estimates how wide a text will be, without its font.
//!
//! The picture names common fonts, and the reader may have any of them. So the widths are those of
//! DejaVu Sans, one of the widest. Narrower fonts leave more space in the boxes.

/// Widths of the printable ASCII characters from the space on, in 1/1000 of the font size.
const SANS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
];

/// A font and its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Font {
    /// Proportional.
    Sans(f64),
    /// Proportional and bold, which is about a tenth wider.
    Bold(f64),
    /// Monospaced.
    Mono(f64),
}

impl Font {
    /// The width of a character.
    pub(crate) fn letter(self, it: char) -> f64 {
        match self {
            Font::Sans(size) => sans(it) * size,
            Font::Bold(size) => sans(it) * 1.1 * size,
            Font::Mono(size) if is_wide(it) => 1.2 * size,
            Font::Mono(size) => 0.602 * size,
        }
    }

    /// The width of a text.
    pub(crate) fn width(self, text: &str) -> f64 {
        text.chars().map(|it| self.letter(it)).sum()
    }

    /// A text cut to at most this width.
    pub(crate) fn shortened(self, text: &str, most: f64) -> String {
        if self.width(text) <= most {
            return text.to_owned();
        }
        let mut left = most - self.letter('…');
        let fits = text.chars().take_while(|it| {
            left -= self.letter(*it);
            left >= 0.0
        });
        fits.chain(['…']).collect()
    }
}

/// The width of a character, in font sizes.
fn sans(it: char) -> f64 {
    let place = (it as usize).checked_sub(' ' as usize);
    let thousandths = match place.and_then(|it| SANS.get(it)) {
        Some(&width) => width,
        None if is_wide(it) => 1_050,
        None => 700,
    };
    f64::from(thousandths) / 1000.0
}

/// Whether a character fills a square, as in some scripts and as emoji do.
fn is_wide(it: char) -> bool {
    matches!(it, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_characters() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(Font::Sans(10.0).width(" A~"), 3.18 + 6.84 + 8.38));
        assert!(near(Font::Sans(10.0).width("木"), 10.5));
        assert!(near(Font::Mono(10.0).width("abc"), 18.06));
        assert!(Font::Bold(14.0).width("Sequence") > Font::Sans(14.0).width("Sequence"));
    }

    #[test]
    fn long_texts_are_cut_where_they_are_too_wide() {
        let font = Font::Mono(10.0);
        assert_eq!(font.shortened("abcdef", 40.0), "abcdef");
        assert_eq!(font.shortened("abcdef", 30.0), "abc…");
        assert_eq!(font.shortened("abcdef", 0.0), "…");
    }
}
