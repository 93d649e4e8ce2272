//! The help.

use macroquad::shapes::draw_rectangle;
use pleach_example_arena::layout::Layout;
use pleach_example_arena::sim::Scene;

use crate::hud::frame;
use crate::palette;
use crate::text::Pen;

/// What can be done: the scene it is for, if it is not for both, the keys, and what they do.
const KEYS: [(Option<Scene>, &str, &str); 23] = [
    (None, "WASD, arrows", "walk; Shift: run, which is loud; Ctrl: sneak"),
    (HEIST, "left click", "an agent: look into it; the ground: go there"),
    (HEIST, "right click", "throw a coin: guards look where it falls"),
    (HEIST, "E, Q", "take, pick the lock, leave; strike"),
    (CAMPS, "left click", "an agent: look into it; the ground: a noise"),
    (CAMPS, "right click", "hurt an agent"),
    (None, "drag, wheel", "move the camera, zoom; C goes back to you"),
    (HEIST, "1 or Tab, 2 3 4", "look into the nearest guard; boss, townsman, rabbit"),
    (CAMPS, "1 or Tab, 2 3 4", "look into the nearest guard; fighter, veteran, rabbit"),
    (None, "F", "follow the agent that you look into"),
    (None, "T", "its whole tree, or what matters; the wheel scrolls"),
    (None, "drag time line", "see what it did and knew then; Esc: back to now"),
    (None, "Space  .  [  ]", "pause, one step, slower, faster"),
    (None, "V", "show what agents see, or not"),
    (None, "F2", "what a step costs, and what colours mean"),
    (CAMPS, "B", "the budget of the agents: on, off"),
    (None, "R", "the same world from the beginning; a heist asks first"),
    (None, "+  -", "a new world with a larger, smaller crowd"),
    (None, "P", "write the panel to the terminal"),
    (None, "F5", "open the studio on this game, in the browser"),
    (None, "F9", "write the last minute to a file for pleach replay"),
    (None, "F11", "full screen"),
    (None, "F1, H, Esc", "this help; Esc closes it, or a panel; twice: leave"),
];
const HEIST: Option<Scene> = Some(Scene::Heist);
const CAMPS: Option<Scene> = Some(Scene::Camps);

/// The keys of a scene, and what they do.
pub(crate) fn keys(scene: Scene) -> impl Iterator<Item = (&'static str, &'static str)> {
    KEYS.into_iter().filter(move |it| it.0.is_none_or(|it| it == scene)).map(|it| (it.1, it.2))
}

/// How many lines it has.
pub(crate) fn lines(scene: Scene) -> usize {
    keys(scene).count() + 7
}

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
    let (lines, file) = match scene {
        Scene::Heist => (
            [
                "You are the hooded one in the ring. Take the treasure from the",
                "vault, and get back to the cart. Stay out of the light of guards.",
            ],
            "trees/heist/sentinel.ron",
        ),
        Scene::Camps => (
            [
                "You are the blue one in the ring. Who sees you fights you.",
                "Helmets: guards. Square: fighters; with a core: veterans.",
            ],
            "trees/guard.ron",
        ),
    };
    line(lines[0], palette::TEXT, 0);
    line(lines[1], palette::FAINT, 0);
    line("", palette::TEXT, 0);
    for (key, what) in keys(scene) {
        line(key, palette::ACCENT, 0);
        line(what, palette::TEXT, 16);
    }
    line("", palette::TEXT, 0);
    line(&format!("Edit {file} while this runs, and save it:"), palette::TEXT, 0);
    line("the guards go on under the new tree. Errors are shown.", palette::TEXT, 0);
}
