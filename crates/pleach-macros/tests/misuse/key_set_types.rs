//! Fields that are not keys, and keys of types that no key has.

use pleach::{Key, Keys};

#[derive(Keys)]
struct Values {
    health: f32,
    sees: Option<bool>,
    wide: Key<f64>,
}

fn main() {}
