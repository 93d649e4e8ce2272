//! The help.

use macroquad::shapes::draw_rectangle;
use pleach_example_arena::layout::Layout;

use crate::hud::frame;
use crate::palette;
use crate::text::Pen;

/// What can be done.
pub(crate) const KEYS: [(&str, &str); 21] = [
    ("WASD, arrows", "walk; with Shift run, which is heard"),
    ("left click", "an agent: look into it; the ground: make a noise"),
    ("right click", "hurt whoever is there"),
    ("drag, wheel", "move the camera, zoom; C goes back to you"),
    ("1 2 3 4", "the nearest guard, fighter, veteran, rabbit"),
    ("F", "follow the agent that you look into"),
    ("wheel on panel", "scroll it"),
    ("drag time line", "see what it did and knew then"),
    ("Esc", "back to now; close help or panel; quit"),
    ("Space", "pause"),
    (".", "one step"),
    ("[  ]", "slower, faster"),
    ("+  -", "larger, smaller crowd: a new world"),
    ("V", "show what agents see, or not"),
    ("B", "the budget of the agents: on, off"),
    ("R", "the same world from the beginning"),
    ("T", "the whole tree in the panel, or what matters"),
    ("P", "write the panel to the terminal"),
    ("F9", "write the last minute to a file for pleach replay"),
    ("F11", "full screen"),
    ("F1, H", "this help"),
];

/// How many lines it has.
pub(crate) const LINES: usize = KEYS.len() + 8;

pub(crate) fn draw(pen: &Pen, layout: &Layout, screen: [f32; 2]) {
    if layout.help.is_empty() {
        return;
    }
    draw_rectangle(0.0, 0.0, screen[0], screen[1], palette::alpha(palette::BOX, 0.8));
    let it = frame(layout.help);
    let (size, x) = (layout.text, it.x + 14.0);
    let columns = pen.columns(it.w - 28.0, size);
    let mut y = it.y + 10.0;
    let mut line = |text: &str, color, key: usize| {
        if y + layout.line <= it.y + it.h {
            let text: String = text.chars().take(columns.saturating_sub(key)).collect();
            pen.write(&text, x + key as f32 * pen.advance(size), y, size, color);
        }
        y += if key == 0 && color == palette::ACCENT && !text.is_empty() { 0.0 } else { layout.line };
    };
    line("You are the blue one in the ring. Who sees you fights you.", palette::TEXT, 0);
    line("Round: guards. Square: fighters; with a core: veterans.", palette::FAINT, 0);
    line("With ears: rabbits. Colours say what they do.", palette::FAINT, 0);
    line("", palette::TEXT, 0);
    for (key, what) in KEYS {
        line(key, palette::ACCENT, 0);
        line(what, palette::TEXT, 16);
    }
    line("", palette::TEXT, 0);
    line("Edit trees/guard.ron while this runs, and save it:", palette::TEXT, 0);
    line("the guards go on under the new tree. What is wrong", palette::TEXT, 0);
    line("with it is shown until it is mended.", palette::TEXT, 0);
}
