"""The forest and the brain with their tables."""

from __future__ import annotations

from pleach import _pleach
from pleach._tables import Table


def trace(forest: _pleach.Forest | _pleach.Brain) -> Table:
    """What agents did since `forest.record_trace`: a row for each line.

    The columns are `frame`, `time`, `agent`, `tree`, `node` (its number, or -1), `event` (`start`,
    `update`, `end`, `abort` and so on) and `text`, the line as `pleach trace` prints it.
    """
    return Table(forest._trace())


def coverage(forest: _pleach.Forest | _pleach.Brain) -> Table:
    """How often each node was started and how it ended, since `forest.record_coverage`.

    The columns are `tree`, `node`, `label`, `started`, `succeeded`, `failed` and `aborted`.
    """
    return Table(forest._coverage())
