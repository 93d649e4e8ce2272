"""Behaviour trees for games and simulations: trees in RON, leaves in Python, crowds of thousands.

    import pleach

    registry = pleach.Registry()

    @registry.action
    def greet(context: pleach.Context, text: str) -> pleach.Status:
        print(text)
        return pleach.Status.SUCCESS

    tree = registry.load_str('Tree(version: 1, root: Greet(text: "hello"))')
    forest = pleach.Forest(seed=7)
    forest.add(tree).spawn(once=True)
    forest.tick(0.1)
"""

from pleach import arena
from pleach._errors import Divergence, PleachError, Problem, Report
from pleach._forest import coverage, trace
from pleach._leaves import (
    Entity,
    Event,
    EventName,
    Registry,
    Status,
    Symbol,
    Time,
    Vec2,
    Vec3,
    until,
)
from pleach._pleach import (
    Agent,
    Batch,
    Board,
    Brain,
    BrainReport,
    BrainSnapshot,
    Context,
    Expr,
    Forest,
    Group,
    Key,
    Library,
    Population,
    Recording,
    Replay,
    Snapshot,
    TickReport,
    Tree,
)
from pleach._parts import SweepError
from pleach._plot import Svg
from pleach._stats import Rating
from pleach._sweep import Sweep, sweep
from pleach._tables import Table
from pleach._tournament import Tournament, tournament

__all__ = [
    "Agent",
    "Batch",
    "Board",
    "Brain",
    "BrainReport",
    "BrainSnapshot",
    "Context",
    "Divergence",
    "Entity",
    "Event",
    "EventName",
    "Expr",
    "Forest",
    "Group",
    "Key",
    "Library",
    "PleachError",
    "Population",
    "Problem",
    "Rating",
    "Recording",
    "Registry",
    "Replay",
    "Report",
    "Snapshot",
    "Status",
    "Svg",
    "Sweep",
    "SweepError",
    "Symbol",
    "Table",
    "TickReport",
    "Time",
    "Tournament",
    "Tree",
    "Vec2",
    "Vec3",
    "arena",
    "coverage",
    "sweep",
    "tournament",
    "trace",
    "until",
]
