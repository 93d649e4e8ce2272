//! A panic in the library is an error of the call, and the library goes on.

use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::thread;

use pleach_asset::Registry;

use super::*;
use crate::agents::pleach_forest_info;
use crate::forest::{ForestObject, pleach_forest, pleach_forest_add_tree, pleach_forest_desc, pleach_forest_free};
use crate::forest::{pleach_forest_new, pleach_spawn, pleach_tick};
use crate::gate::Gate;
use crate::last::pleach_last_message;
use crate::registry::{RegistryObject, pleach_registry};
use crate::table;
use crate::tree::{pleach_tree, pleach_tree_load};
use crate::value::{pleach_agent, pleach_tree_id};

fn said() -> String {
    // SAFETY: it is a text that lives until the next call that fails.
    unsafe { CStr::from_ptr(pleach_last_message()) }.to_string_lossy().into_owned()
}

#[test]
fn a_panic_is_an_error_with_its_message() {
    assert_eq!(entry(|| panic!("the roof fell in")), PLEACH_ERROR_INTERNAL);
    assert_eq!(said(), "the roof fell in");
    assert_eq!(entry(|| panic!("the roof of house {} fell in", said().len())), PLEACH_ERROR_INTERNAL);
    assert_eq!(said(), "the roof of house 16 fell in");
    assert_eq!(entry(|| std::panic::panic_any(7)), PLEACH_ERROR_INTERNAL);
    assert_eq!(said(), "a panic");
    assert_eq!(entry(|| Ok(())), PLEACH_OK);
}

/// A forest with one agent of a leaf that this crate would have to get wrong.
fn broken_forest() -> pleach_forest {
    let gate = Arc::new(Gate::default());
    gate.note("Break", false);
    let mut registry = Registry::new();
    registry.action_fn("Break", |_| panic!("the leaf broke")).expect("it is a leaf");
    let registry = pleach_registry { id: table::keep(RegistryObject { registry, gate }) };
    let desc = pleach_forest_desc {
        struct_size: size_of::<pleach_forest_desc>(),
        seed: 7,
        chunk_size: 0,
        one_by_one: 0,
        sleepless: 0,
        reevaluate_every_tick: 0,
        reserved: 0,
    };
    let (mut forest, mut tree) = (pleach_forest { id: 0 }, pleach_tree { id: 0 });
    let (mut id, mut agent) = (pleach_tree_id { id: 0 }, pleach_agent { id: 0 });
    let text = "Tree(version: 1, root: Break)";
    // SAFETY: all pointers are of what is above.
    unsafe {
        assert_eq!(pleach_forest_new(&raw const desc, &raw mut forest), PLEACH_OK);
        let (source, to) = (text.as_ptr().cast(), &raw mut tree);
        let loaded = pleach_tree_load(registry, c"t".as_ptr(), source, text.len(), None, null_mut(), to);
        assert_eq!(loaded, PLEACH_OK, "{}", said());
        assert_eq!(pleach_forest_add_tree(forest, tree, &raw mut id), PLEACH_OK);
        assert_eq!(pleach_spawn(forest, id, null(), &raw mut agent), PLEACH_OK);
    }
    forest
}

#[test]
fn a_panic_in_a_frame_leaves_the_forest_usable() {
    let forest = broken_forest();
    // SAFETY: the report is null.
    let tick = move || unsafe { pleach_tick(forest, 0.5, null_mut()) };
    assert_eq!(tick(), PLEACH_ERROR_INTERNAL);
    assert_eq!(said(), "pleach_tick: the leaf broke");
    // Nothing stays locked, on this thread or for another one.
    thread::spawn(move || assert_eq!(tick(), PLEACH_OK, "{}", said())).join().expect("it is not busy");
    let mut seconds = 0.0;
    // SAFETY: the count is null, and the time is above.
    assert_eq!(unsafe { pleach_forest_info(forest, null_mut(), &raw mut seconds) }, PLEACH_OK);
    assert!(seconds >= 0.5, "{seconds}");
    // The same holds after a panic in the middle of a change, which poisons the object's lock.
    let broken = entry(|| table::with(forest.id, |_: &mut ForestObject| panic!("half way")));
    assert_eq!((broken, said().as_str()), (PLEACH_ERROR_INTERNAL, "half way"));
    assert_eq!(tick(), PLEACH_OK, "{}", said());
    assert_eq!(pleach_forest_free(forest), PLEACH_OK);
}
