//! Agents are rows: of columns that hold one value or some values per agent.

/// How many agents share a chunk: enough to spread the cost of setting up a machine, few enough
/// that a chunk's columns stay in cache while it is ticked.
pub(crate) const CHUNK: usize = 1024;

/// Removes one agent's row from a column of rows; the last row takes its place.
pub(crate) fn swap_remove_row<V: Copy>(column: &mut Vec<V>, width: usize, agent: usize) {
    let last = column.len() - width;
    column.copy_within(last.., agent * width);
    column.truncate(last);
}
