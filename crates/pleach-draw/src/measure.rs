//! Estimates how wide a text will be, without its font.
//!
//! The picture names common fonts, and the reader may have any of them. So the widths are those of
//! DejaVu Sans, one of the widest. In narrower fonts the boxes have more space.

/// Widths of the printable ASCII characters from the space on, in 1/1000 of the font size.
const SANS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863,
    748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635,
    615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636,
    337, 636, 838,
];

/// The width of a text in a proportional font.
pub(crate) fn sans(text: &str, size: f64) -> f64 {
    let thousandths: u64 = text.chars().map(|it| u64::from(sans_char(it))).sum();
    thousandths as f64 / 1000.0 * size
}

/// The width of a text in bold, which is about a tenth wider.
pub(crate) fn sans_bold(text: &str, size: f64) -> f64 {
    sans(text, size) * 1.1
}

/// The width of a text in a monospaced font.
pub(crate) fn mono(text: &str, size: f64) -> f64 {
    text.chars().map(|it| if is_wide(it) { 1.2 } else { 0.602 }).sum::<f64>() * size
}

fn sans_char(it: char) -> u16 {
    let place = (it as usize).checked_sub(' ' as usize);
    match place.and_then(|it| SANS.get(it)) {
        Some(&width) => width,
        None if is_wide(it) => 1_050,
        None => 700,
    }
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
        assert!(near(sans(" A~", 10.0), 3.18 + 6.84 + 8.38));
        assert!(near(sans("木", 10.0), 10.5));
        assert!(near(mono("abc", 10.0), 18.06));
        assert!(sans_bold("Sequence", 14.0) > sans("Sequence", 14.0));
    }
}
