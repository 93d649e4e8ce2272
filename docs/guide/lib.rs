//! The code of the book as doc-tests: a module for each chapter.

#[cfg(doctest)]
#[doc = include_str!("src/introduction.md")]
mod introduction {}
#[cfg(doctest)]
#[doc = include_str!("src/first-tree.md")]
mod first_tree {}
#[cfg(doctest)]
#[doc = include_str!("src/leaves.md")]
mod leaves {}
#[cfg(doctest)]
#[doc = include_str!("src/blackboard.md")]
mod blackboard {}
#[cfg(doctest)]
#[doc = include_str!("src/aborts.md")]
mod aborts {}
#[cfg(doctest)]
#[doc = include_str!("src/parallels.md")]
mod parallels {}
#[cfg(doctest)]
#[doc = include_str!("src/time.md")]
mod time {}
#[cfg(doctest)]
#[doc = include_str!("src/composition.md")]
mod composition {}
#[cfg(doctest)]
#[doc = include_str!("src/debugging.md")]
mod debugging {}
#[cfg(doctest)]
#[doc = include_str!("src/reload-and-saves.md")]
mod reload_and_saves {}
#[cfg(doctest)]
#[doc = include_str!("src/crowds.md")]
mod crowds {}
#[cfg(doctest)]
#[doc = include_str!("src/determinism.md")]
mod determinism {}
#[cfg(doctest)]
#[doc = include_str!("src/engines.md")]
mod engines {}
#[cfg(doctest)]
#[doc = include_str!("src/coming-from.md")]
mod coming_from {}
#[cfg(doctest)]
#[doc = include_str!("src/nodes.md")]
mod nodes {}
#[cfg(doctest)]
#[doc = include_str!("src/semantics.md")]
mod semantics {}
