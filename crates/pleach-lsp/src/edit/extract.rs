//! A node that becomes a template.

use super::change::Change;
use super::{EditError, refused};

impl Change<'_, '_> {
    pub(super) fn template(&mut self, _node: usize, _name: &str) -> Result<(), EditError> {
        refused("later")
    }
}
