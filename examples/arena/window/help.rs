//! The help.

use macroquad::shapes::draw_rectangle;
use pleach_example_arena::layout::Layout;
use pleach_example_arena::sim::Scene;

use crate::hud::frame;
use crate::palette;
use crate::text::Pen;

/// What can be done.
pub(crate) const KEYS: [(&str, &str); 26] = [
    ("WASD, arrows", "walk; Shift: run, which is heard; Ctrl: sneak"),
    ("left click", "somebody: look into them; the ground: go there"),
    ("right click", "throw a coin: guards look where it falls"),
    ("E, Q", "take, pick the lock, leave; strike"),
    ("in the camps", "click the ground: a noise; right click: hurt"),
    ("drag, wheel", "move the camera, zoom; C goes back to you"),
    ("1 2 3 4", "the nearest of each kind: guard, boss, .."),
    ("F", "follow the agent that you look into"),
    ("wheel on panel", "scroll it"),
    ("drag time line", "see what it did and knew then"),
    ("Esc", "back to now; close help or panel; twice: leave"),
    ("Space", "pause"),
    (".", "one step"),
    ("[  ]", "slower, faster"),
    ("+  -", "larger, smaller crowd: a new world"),
    ("V", "show what agents see, or not"),
    ("F2", "what a step costs, and what colours mean"),
    ("Enter", "play again, at the end"),
    ("B", "the budget of the agents: on, off"),
    ("R", "the same world from the beginning"),
    ("T", "the whole tree in the panel, or what matters"),
    ("P", "write the panel to the terminal"),
    ("F5", "open the studio on this game, in the browser"),
    ("F9", "write the last minute to a file for pleach replay"),
    ("F11", "full screen"),
    ("F1, H", "this help"),
];

/// How many lines it has.
pub(crate) const LINES: usize = KEYS.len() + 8;

pub(crate) fn draw(pen: &Pen, layout: &Layout, screen: [f32; 2], scene: Scene) {
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
    let lines = match scene {
        Scene::Heist => [
            "You are the hooded one in the ring. Get into the vault, take",
            "the treasure, get back to the cart. Stay out of the light of",
            "guards. Two strike at a time; others circle; squads call.",
        ],
        Scene::Camps => [
            "You are the blue one in the ring. Who sees you fights you.",
            "Helmets: guards. Square: fighters; with a core: veterans.",
            "With ears: rabbits. Colours say what they do.",
        ],
    };
    line(lines[0], palette::TEXT, 0);
    lines[1..].iter().for_each(|it| line(it, palette::FAINT, 0));
    line("", palette::TEXT, 0);
    for (key, what) in KEYS {
        line(key, palette::ACCENT, 0);
        line(what, palette::TEXT, 16);
    }
    line("", palette::TEXT, 0);
    line("Edit trees/heist/sentinel.ron while this runs, and save it:", palette::TEXT, 0);
    line("the guards go on under the new tree. What is wrong", palette::TEXT, 0);
    line("with it is shown until it is mended.", palette::TEXT, 0);
}
