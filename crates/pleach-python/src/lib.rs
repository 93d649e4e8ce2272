//! pleach for Python: the extension module `pleach._pleach`. The package around it is in
//! `python/pleach`.

mod agent;
mod answer;
mod arena;
mod array;
mod board;
mod brain;
mod error;
mod events;
mod forest;
mod function;
mod group;
mod host;
mod key;
mod leaf;
mod library;
mod population;
mod recording;
mod registry;
mod replay;
mod said;
mod shared;
mod texts;
mod tree;
mod value;
mod watch;

/// The part of pleach that is written in Rust.
#[pyo3::pymodule]
mod _pleach {
    #[pymodule_export]
    use super::agent::PyAgent;
    #[pymodule_export]
    use super::arena::{PyArenaGame, PyArenaTree};
    #[pymodule_export]
    use super::board::PyBoard;
    #[pymodule_export]
    use super::brain::{PyBrain, PyBrainReport, PyBrainSnapshot};
    #[pymodule_export]
    use super::forest::{PyForest, PySnapshot, PyTickReport};
    #[pymodule_export]
    use super::group::PyGroup;
    #[pymodule_export]
    use super::key::{PyExpr, PyKey};
    #[pymodule_export]
    use super::leaf::{PyBatch, PyContext};
    #[pymodule_export]
    use super::library::PyLibrary;
    #[pymodule_export]
    use super::population::PyPopulation;
    #[pymodule_export]
    use super::recording::PyRecording;
    #[pymodule_export]
    use super::registry::PyRegistry;
    #[pymodule_export]
    use super::replay::PyReplay;
    #[pymodule_export]
    use super::tree::PyTree;
}
