"""The part of pleach that is written in Rust."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import GenericAlias
from typing import Any, Generic, TypeVar, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from pleach._errors import Divergence, Report
from pleach._leaves import Entity, Event, Symbol, Time

_T = TypeVar("_T")

__all__ = [
    "Agent",
    "ArenaGame",
    "ArenaTree",
    "Batch",
    "Board",
    "Brain",
    "BrainReport",
    "BrainSnapshot",
    "Context",
    "Expr",
    "Forest",
    "Group",
    "Key",
    "Library",
    "Population",
    "Recording",
    "Registry",
    "Replay",
    "Snapshot",
    "TickReport",
    "Tree",
]

@final
class Key(Generic[_T]):
    """A key of a tree, as a parameter of a leaf names it: `Key[float]`."""

    @property
    def type_name(self) -> str:
        """The type of its values: `"float"`, `"vec2"`, and so on."""
    @classmethod
    def __class_getitem__(cls, item: Any) -> GenericAlias: ...

@final
class Expr:
    """A number or an expression, as a parameter of a leaf gives it."""

    @property
    def literal(self) -> float | None:
        """Its value, if it is a plain number."""

@final
class Batch:
    """All agents of a call of a leaf, by their numbers from 0 on."""

    def __len__(self) -> int: ...
    @property
    def world(self) -> Any:
        """What `Forest.world` is."""
    @property
    def agents(self) -> npt.NDArray[np.uint64]:
        """The ids of the agents."""
    @property
    def entities(self) -> npt.NDArray[np.int64]:
        """Which of the game's entities each agent is; -1 is none."""
    @property
    def dt(self) -> npt.NDArray[np.float32]:
        """The seconds since each agent's last turn."""
    @property
    def time(self) -> npt.NDArray[np.float64]:
        """Each agent's own time in seconds."""
    def random(self) -> npt.NDArray[np.float64]:
        """A random number in [0, 1) for each agent, from its own stream."""
    def eval(self, expr: Expr) -> npt.NDArray[np.float32]:
        """The value of an expression for each agent."""
    def sleep(self, seconds: npt.ArrayLike) -> None:
        """Lets agents sleep for these seconds, unless something wakes them: one number for all,
        or one for each. Agents with 0 do not sleep."""
    def at(self, agent: int) -> Context:
        """One agent of the batch."""
    @overload
    def __getitem__(self, key: Key[bool], /) -> npt.NDArray[np.bool_]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, key: Key[Entity], /) -> npt.NDArray[np.int64]: ...
    @overload
    def __getitem__(self, key: Key[Time], /) -> npt.NDArray[np.float64]: ...
    @overload
    def __getitem__(self, key: Key[Symbol], /) -> npt.NDArray[np.object_]: ...
    @overload
    def __getitem__(self, key: Key[int], /) -> npt.NDArray[np.int64]: ...
    @overload
    def __getitem__(self, key: Key[Any], /) -> npt.NDArray[np.float32]: ...
    def __setitem__(self, key: Key[Any], values: npt.ArrayLike, /) -> None: ...

@final
class Context:
    """One agent of a call of a leaf."""

    @property
    def world(self) -> Any:
        """What `Forest.world` is."""
    @property
    def agent(self) -> int:
        """The id of the agent."""
    @property
    def entity(self) -> int | None:
        """Which of the game's entities the agent is."""
    @property
    def node(self) -> int:
        """The number of the node."""
    @property
    def dt(self) -> float:
        """The seconds since the agent's last turn."""
    @property
    def time(self) -> float:
        """The agent's own time in seconds."""
    @property
    def now(self) -> float:
        """The forest's time in seconds."""
    @property
    def events(self) -> list[Event]:
        """The events that this tick delivers to the agent."""
    def random(self) -> float:
        """A random number in [0, 1), from the agent's own stream."""
    def eval(self, expr: Expr) -> float:
        """The value of an expression."""
    def sleep(self, seconds: float) -> None:
        """Lets the agent sleep for these seconds, unless something wakes it."""
    def sleep_until_change(self) -> None:
        """Lets the agent sleep until a key, an event or another node wakes it."""
    def send(self, to: int, event: str, payload: Any = None) -> None:
        """Sends an event to an agent, by its id. It is delivered in that agent's next tick."""
    def send_to_group(self, event: str, payload: Any = None) -> None:
        """Sends an event to the other members of the agent's group, if it is in one."""
    def stop(self) -> None:
        """Turns the agent off at the end of the tick."""
    def restart(self) -> None:
        """Restarts the agent at the end of the tick."""
    def despawn(self, agent: int) -> None:
        """Removes an agent, by its id, at the end of the tick."""
    def __getitem__(self, key: Key[_T], /) -> _T: ...
    def __setitem__(self, key: Key[_T], value: _T | None, /) -> None: ...

@disjoint_base
class Registry:
    """The leaves of the game. `pleach.Registry` adds the decorators."""

    def __new__(cls) -> Registry: ...
    def _add(
        self,
        name: str,
        is_condition: bool,
        update: Callable[..., Any],
        start: Callable[..., None] | None,
        end: Callable[..., None] | None,
        batch: bool,
        one: Callable[..., Any] | None,
        parameters: Sequence[tuple[str, Any, str | None]],
        doc: str,
        observes: Sequence[str] | None,
        every: float | None,
    ) -> None: ...
    def event(self, name: str, payload: str | None = None) -> None:
        """Declares an event for all trees, with the type of its payload: `"vec2"`, or `None`."""
    @property
    def leaves(self) -> list[str]:
        """The names of the leaves."""
    def manifest(self) -> str:
        """What is known about the leaves, as a file for `pleach check --leaves` and for editors."""
    def load_str(self, text: str, file: str = "tree.ron") -> Tree:
        """Reads a tree from text. `file` is its name in messages."""
    def load(self, path: str | os.PathLike[str]) -> Tree:
        """Reads a tree and the files that it includes."""
    def load_files(self, name: str, files: Mapping[str, str]) -> Tree:
        """Reads a tree from several files, which are given as text by their names."""
    def check_str(self, text: str, file: str = "tree.ron") -> Report:
        """The errors and probable mistakes in a tree."""
    def check(self, path: str | os.PathLike[str]) -> Report:
        """The errors and probable mistakes in a file and those that it includes."""

@final
class Tree:
    """A tree that was read and checked. Forests share it."""

    @property
    def name(self) -> str:
        """Its name."""
    @property
    def nodes(self) -> list[str]:
        """Its nodes, in pre-order: each as traces and reports call it."""
    @property
    def keys(self) -> dict[str, str]:
        """Its keys by name, each with its type: `{"health": "float"}`."""
    @property
    def events(self) -> dict[str, str | None]:
        """Its events by name, each with the type of its payload."""
    def __len__(self) -> int: ...
    def find(self, name: str) -> int:
        """The number of a node, by its name, or as a trace prints it: `n3`."""
    def text(self) -> str:
        """A drawing as text."""
    def svg(self) -> str:
        """A drawing as SVG."""
    def dot(self) -> str:
        """A drawing as Graphviz."""
    def _repr_svg_(self) -> str: ...

@final
class Library:
    """Trees in the files of a folder."""

    def __new__(cls, folder: str | os.PathLike[str], registry: Registry) -> Library: ...
    def load(self, name: str) -> Tree:
        """Reads a tree."""
    def check(self) -> Report:
        """The errors and probable mistakes in all files."""
    def add(self, name: str, forest: Forest) -> Population:
        """Adds a tree to a forest. `reload` follows its files."""
    def reload(self, forest: Forest) -> str | None:
        """Reads the files that changed and gives running agents their new trees. Returns a report
        as text, or `None` if nothing changed. A trace and a recording of the forest continue, and
        include the change."""

    def poll(self) -> tuple[dict[str, Tree], Report]:
        """Looks for changed files of the trees that `load` made: for brains, which switch to a new
        version with `Brain.replace`. Returns the new trees by the names of their files, and the
        errors of those that cannot be read now."""

@final
class TickReport:
    """What one tick did."""

    @property
    def ticked(self) -> int:
        """Agents ticked."""
    @property
    def asleep(self) -> int:
        """Agents that slept through the tick."""
    @property
    def ended(self) -> int:
        """Agents whose root ended."""
    @property
    def aborts(self) -> int:
        """Conditional aborts."""
    @property
    def emitted(self) -> list[tuple[int, Event]]:
        """What agents emitted to the game since the last tick: ids of agents, and events."""
    @property
    def logged(self) -> list[tuple[int, int, str]]:
        """What `Log` nodes said since the last tick: ids of agents, numbers of nodes, and texts."""

@final
class Snapshot:
    """The state of a forest at a moment, in memory."""

    @property
    def time(self) -> float:
        """The forest's time when it was made, in seconds."""
    def __len__(self) -> int: ...

@final
class Forest:
    """Agents of any number of trees. `seed` determines all their random numbers; leaves get `world`
    as `context.world` and `batch.world`."""

    world: Any
    def __new__(cls, seed: int = 0, world: Any = None) -> Forest: ...
    @property
    def time(self) -> float:
        """The forest's time in seconds."""
    @property
    def populations(self) -> list[Population]:
        """The populations, in the order in which their trees were added."""
    @property
    def agents(self) -> npt.NDArray[np.uint64]:
        """The ids of all agents, in the order in which they are ticked."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __contains__(self, agent: int, /) -> bool: ...
    def add(self, tree: Tree) -> Population:
        """Adds a tree. Its agents are a population."""
    def agent(self, id: int) -> Agent:
        """The agent of an id."""
    def new_group(self) -> Group:
        """A new group, for agents that share the group keys of their trees."""
    def tick(self, dt: float, *, agents: int | None = None, micros: int | None = None) -> TickReport:
        """Advances time by `dt` seconds and ticks the agents that are due, or as many as a budget
        allows. Raises what leaves raised, after all are ticked."""
    def broadcast(self, event: str, payload: Any = None) -> None:
        """Sends an event to all agents."""
    def get_global(self, key: str) -> Any:
        """The value of a global key."""
    def set_global(self, key: str, value: Any) -> bool:
        """Writes a global key, and returns whether that changed it."""
    def configure(
        self, *, batched: bool | None = None, sleep: bool | None = None, chunk_size: int | None = None
    ) -> None:
        """Changes how the forest ticks. `batched`: one call of a leaf for many agents. `sleep`:
        agents that sleep cost nothing. `chunk_size`: the maximum number of agents in a batch, up to
        1 024."""
    def save(self) -> bytes:
        """The forest as bytes, with the states of all agents."""
    def save_agents(self, agents: Sequence[int] | npt.NDArray[np.uint64]) -> bytes:
        """Some agents as bytes, by their ids."""
    def restore(self, save: bytes) -> str:
        """Restores a save. Returns a report as text."""
    def snapshot(self) -> Snapshot:
        """The state at this moment, in memory."""
    def rollback(self, snapshot: Snapshot) -> None:
        """Goes back to a snapshot. Leaves are not called."""
    def record_trace(
        self, room: int = 100_000, agents: Sequence[int] | npt.NDArray[np.uint64] | None = None
    ) -> None:
        """Keeps the latest `room` lines of the trace from now on: of all agents, or of some, by
        their ids. 0 keeps none, and costs nothing. `pleach.trace` reads them."""
    def record_coverage(self, on: bool = True) -> None:
        """Starts counting how often each node is started and how it ends; stops counting if `on` is
        false. `pleach.coverage` reads the counts."""
    def record(
        self, *, last_seconds: float | None = None, max_bytes: int | None = None, keys_every: int = 0
    ) -> Recording:
        """Begins a recording, replacing any earlier one. With `last_seconds`, it keeps the last
        seconds; with `max_bytes`, at most that number of bytes; with `keys_every`, it records all
        keys at that interval of frames, and otherwise only those on which decisions depend."""
    def _trace(self) -> dict[str, npt.NDArray[Any]]: ...
    def _coverage(self) -> dict[str, npt.NDArray[Any]]: ...

@final
class BrainReport:
    """What one tick of a brain did."""

    @property
    def outcome(self) -> str | None:
        """How the root ended: `success` or `failure`; `None` if it has not."""
    @property
    def emitted(self) -> list[tuple[int, Event]]:
        """What the agent emitted to the game since the last tick."""
    @property
    def logged(self) -> list[tuple[int, int, str]]:
        """What `Log` nodes said since the last tick: ids of agents, numbers of nodes, and texts."""

@final
class BrainSnapshot:
    """The state of a brain at a moment, in memory: `Brain.rollback` goes back to it."""

    @property
    def time(self) -> float:
        """The brain's time when it was made, in seconds."""

@final
class Brain:
    """One agent with its tree, in no forest: up to about ten agents of a tree are faster this way.
    Leaves get `world` as `context.world` and `batch.world`. With `once`, it turns off when its root
    has ended; otherwise it restarts."""

    world: Any
    entity: int | None
    label: str | None
    def __new__(
        cls,
        tree: Tree,
        seed: int = 0,
        world: Any = None,
        *,
        entity: int | None = None,
        enabled: bool = True,
        once: bool = False,
    ) -> Brain: ...
    @property
    def id(self) -> int:
        """The id of the agent, as leaves and traces have it."""
    @property
    def tree(self) -> Tree:
        """Its tree."""
    @property
    def time(self) -> float:
        """Its time in seconds."""
    @property
    def phase(self) -> str:
        """What it is doing in one word: `active`, `asleep`, `paused`, `off` or `panicked`."""
    @property
    def outcome(self) -> str | None:
        """How its root ended last: `success` or `failure`; `None` if it has not."""
    @property
    def current(self) -> list[str]:
        """The nodes that run in it, as traces and reports call them."""
    def tick(self, dt: float) -> BrainReport:
        """Advances time by `dt` seconds and ticks the agent. Raises what its leaves raised, after
        that."""
    def is_active(self, node: str) -> bool:
        """Whether a node is active, by its name."""
    def explain(self) -> str:
        """What it does, what it watches, and what aborted it last, in a few lines; empty if it is
        gone."""
    def why_not(self, node: str) -> str:
        """What keeps it from running a node, which is given by name, in a few lines."""
    def send(self, event: str, payload: Any = None) -> None:
        """Sends it an event, which its next tick delivers."""
    def fill(self, slot: str, word: str) -> bool:
        """Fills a slot with one of its trees, and returns whether that changed it."""
    def enable(self) -> None:
        """Turns it on."""
    def disable(self) -> None:
        """Turns it off, which ends all running nodes."""
    def restart(self) -> None:
        """Ends all running nodes, and starts at the root in its next tick."""
    def pause(self) -> None:
        """Pauses it: it is not ticked, and its time stands still."""
    def unpause(self) -> None:
        """Resumes it after a pause."""
    def set_once(self, once: bool) -> None:
        """Sets whether it turns off when its root has ended, instead of restarting."""
    def __getitem__(self, key: str, /) -> Any: ...
    def __setitem__(self, key: str, value: Any, /) -> None: ...
    def share(self, board: Board) -> None:
        """Shares the keys of a board: its group keys or its global keys, whichever the board has.
        What the agent writes is in the board after each call."""
    def replace(self, tree: Tree) -> str:
        """Gives it another tree, such as a new version of its own. It carries on where it was if
        that node still exists. Returns a report as text."""
    def save(self) -> bytes:
        """The agent as bytes, for another process."""
    def restore(self, save: bytes) -> str:
        """Restores the agent of a save. Returns a report as text."""
    def snapshot(self) -> BrainSnapshot:
        """The state at this moment, in memory."""
    def rollback(self, snapshot: BrainSnapshot) -> None:
        """Goes back to a snapshot. Leaves are not called."""
    def record(
        self, *, last_seconds: float | None = None, max_bytes: int | None = None, keys_every: int = 0
    ) -> Recording:
        """Begins a recording, as `Forest.record`."""
    def record_trace(self, room: int = 100_000) -> None:
        """Keeps the latest `room` lines of its trace from now on. 0 keeps none, and costs nothing.
        `pleach.trace` reads them."""
    def record_coverage(self, on: bool = True) -> None:
        """Starts counting how often each node is started and how it ends; stops counting if `on` is
        false. `pleach.coverage` reads the counts."""
    def _trace(self) -> dict[str, npt.NDArray[Any]]: ...
    def _coverage(self) -> dict[str, npt.NDArray[Any]]: ...
    def text(self) -> str:
        """A drawing as text, with what it does."""
    def svg(self) -> str:
        """A drawing as SVG, with what it does."""
    def _repr_svg_(self) -> str: ...

@final
class Board:
    """Group keys or global keys that several brains share: `Brain.share`."""

    @staticmethod
    def of_group(tree: Tree) -> Board:
        """The group keys of a tree, with their defaults: those that a squad shares."""
    @staticmethod
    def of_globals(tree: Tree) -> Board:
        """The global keys of a tree, with their defaults: those that all agents share."""
    def __getitem__(self, key: str, /) -> Any: ...
    def __setitem__(self, key: str, value: Any, /) -> None: ...
    def follow(self, tree: Tree) -> None:
        """Takes the declarations of a new version of a tree, once its brains have that version.
        Values stay."""
    def save(self) -> bytes:
        """The values of the keys as bytes, to be stored with the saves of the brains."""
    def restore(self, save: bytes) -> None:
        """Restores it from a save."""

@final
class Recording:
    """What happens in a forest or a brain, for `Replay`, `pleach replay` and the studio. It
    continues until `end`, and exists as long as this object. In a `with` statement, it ends after
    the block."""

    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    @property
    def size(self) -> int:
        """How many bytes its frames take."""
    @property
    def complete_seconds(self) -> float:
        """For how many seconds up to the last frame a replay has all agents."""
    @property
    def ended(self) -> bool:
        """Whether it is over: `end` was called, or another recording was begun in its place."""
    def add_file(self, name: str, content: str | bytes) -> None:
        """Adds a file, such as the text of a tree, or a baked tree as bytes. The files of trees that
        this library read are included already."""
    def to_bytes(self) -> bytes:
        """Returns the recording as bytes. Recording continues."""
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the recording to a file, usually `*.plr`. Recording continues."""
    def end(self) -> None:
        """Ends it. This object keeps what was recorded."""
    def __enter__(self) -> Recording: ...
    def __exit__(self, *_error: object) -> None: ...

@final
class Replay:
    """A recording, played again. No leaf is called. Its position is after a frame, or before the
    first one. Agents have the ids that they had in the recording."""

    @staticmethod
    def open(recording: bytes | str | os.PathLike[str], registry: Registry | None = None) -> Replay:
        """Opens a recording: its bytes, or the path of a file. It contains its trees.
        Their leaves are those of `registry`; without it, all leaves that the recording
        describes."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    @property
    def played(self) -> int:
        """How many frames have been played."""
    @property
    def frame(self) -> int:
        """The number of the frame that was played last, as the recorded forest counted it."""
    @property
    def time(self) -> float:
        """The time of the forest, in seconds."""
    @property
    def agents(self) -> npt.NDArray[np.uint64]:
        """The ids of the agents that exist now."""
    @property
    def complete_after(self) -> int:
        """After how many frames all agents are present: 0, unless the recording dropped old
        frames."""
    @property
    def keys_every(self) -> int:
        """The interval in frames at which all keys were recorded; 0 if only those on which
        decisions depend."""
    @property
    def files(self) -> dict[str, str | bytes]:
        """The files that are kept with the recording, by their names: the last of each name. Texts are
        `str`, baked trees `bytes`."""
    def seek(self, frames: int) -> None:
        """Goes to the state after that number of frames, or after the last one if there are
        fewer."""
    def step(self) -> bool:
        """Plays the next frame, and returns whether there was one."""
    def check(self) -> list[Divergence]:
        """Plays all of it, returns where agents did something different from the recording, and
        goes back to its position. Raises if the recording is damaged or cut off."""
    def current(self, agent: int) -> list[str]:
        """The nodes that run in an agent, as traces and reports call them."""
    def explain(self, agent: int) -> str:
        """What an agent does, what it watches, and what aborted it last, in a few lines. An agent
        that slept is active here, as a replay does not know that it slept."""
    def why_not(self, agent: int, node: str) -> str:
        """What keeps an agent from running a node, which is given by name, in a few lines."""
    def get(self, agent: int, key: str) -> Any:
        """The value of a key of an agent. A key on which no decision depends may be older, unless
        the recording notes all keys (`keys_every`)."""
    def text(self, agent: int) -> str:
        """A drawing of an agent as text, with what it does."""

@final
class Population:
    """All agents of a tree. Columns have a row for each, in the order of `agents`."""

    @property
    def tree(self) -> Tree:
        """The tree that they run."""
    @property
    def agents(self) -> npt.NDArray[np.uint64]:
        """The ids of the agents, in the order in which they are ticked."""
    @property
    def entities(self) -> npt.NDArray[np.int64]:
        """Which of the game's entities they are; -1 is none."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def spawn(
        self,
        *,
        entity: int | None = None,
        group: Group | None = None,
        seed: int | None = None,
        enabled: bool = True,
        once: bool = False,
    ) -> Agent:
        """Adds an agent. With `once`, it turns off when its root has ended; otherwise it
        restarts."""
    def spawn_many(
        self, count: int, *, first_entity: int | None = None, group: Group | None = None, once: bool = False
    ) -> npt.NDArray[np.uint64]:
        """Adds a number of agents, and returns their ids. If `first_entity` is given, they are this
        entity and those after it."""
    def __getitem__(self, key: str, /) -> npt.NDArray[Any]: ...
    def __setitem__(self, key: str, values: npt.ArrayLike, /) -> None: ...
    def fill(self, slot: str, word: str) -> int:
        """Fills a slot of all agents, and returns how many changed."""
    def set_rates(self, frames: npt.ArrayLike) -> int:
        """Sets how often the agents are ticked: every n-th frame, or 0 for never. One number for
        all, or one for each. Returns how many changed."""
    def replace(self, tree: Tree) -> str:
        """Gives all agents another tree. They carry on where they were if that node still exists.
        Returns a report as text."""
    def remove(self) -> None:
        """Removes the tree and all its agents."""

@final
class Agent:
    """One agent of a forest. It keeps the forest alive; when the agent is gone, its methods raise."""

    entity: int | None
    label: str | None
    rate: int
    @property
    def id(self) -> int:
        """Its id."""
    @property
    def tree(self) -> Tree:
        """Its tree, in the version that it runs."""
    @property
    def group(self) -> Group | None:
        """Its group, if it has joined one."""
    @property
    def phase(self) -> str:
        """What it is doing in one word: `active`, `asleep`, `paused`, `off` or `panicked`."""
    @property
    def current(self) -> list[str]:
        """The nodes that run in it, as traces and reports call them."""
    def join(self, group: Group | None = None) -> None:
        """Joins a group, or leaves its own."""
    def is_active(self, node: str) -> bool:
        """Whether a node is active, by its name."""
    def explain(self) -> str:
        """What it does, what it watches, and what aborted it last, in a few lines."""
    def why_not(self, node: str) -> str:
        """What keeps it from running a node, which is given by name, in a few lines."""
    def send(self, event: str, payload: Any = None) -> None:
        """Sends it an event, which its next tick delivers."""
    def fill(self, slot: str, word: str) -> bool:
        """Fills a slot with one of its trees, and returns whether that changed it."""
    def enable(self) -> None:
        """Turns it on."""
    def disable(self) -> None:
        """Turns it off, which ends all running nodes."""
    def restart(self) -> None:
        """Ends all running nodes, and starts at the root in its next tick."""
    def pause(self) -> None:
        """Pauses it: it is not ticked, and its time stands still."""
    def unpause(self) -> None:
        """Resumes it after a pause."""
    def despawn(self) -> None:
        """Removes it from the forest."""
    def text(self) -> str:
        """A drawing as text, with what it does."""
    def svg(self) -> str:
        """A drawing as SVG, with what it does."""
    def _repr_svg_(self) -> str: ...
    def __getitem__(self, key: str, /) -> Any: ...
    def __setitem__(self, key: str, value: Any, /) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Group:
    """A group of agents."""

    @property
    def id(self) -> int:
        """Its id."""
    @property
    def members(self) -> npt.NDArray[np.uint64]:
        """The ids of its members."""
    def send(self, event: str, payload: Any = None) -> None:
        """Sends an event to all members."""
    def fill(self, slot: str, word: str) -> int:
        """Fills a slot of all members, and returns how many changed."""
    def remove(self) -> None:
        """Dissolves it. Its members are in no group then."""
    def __getitem__(self, key: str, /) -> Any: ...
    def __setitem__(self, key: str, value: Any, /) -> None: ...

@final
class ArenaTree:
    """A tree of the arena: one that comes with pleach by its name, such as `guard.ron`, or text."""

    def __new__(cls, tree: str, file: str = "tree.ron") -> ArenaTree: ...
    @staticmethod
    def shipped() -> list[str]:
        """The names of the trees that come with pleach, except those that are only parts of
        others."""
    @property
    def name(self) -> str:
        """Its name."""
    def _repr_svg_(self) -> str: ...

@final
class ArenaGame:
    """A game in the arena."""

    @staticmethod
    def crowd(tree: ArenaTree, agents: int, seed: int) -> ArenaGame:
        """Agents of a tree in a large arena with camps, walls, routes and wandering players."""
    @staticmethod
    def duel(
        red: ArenaTree,
        blue: ArenaTree,
        *,
        reds: int,
        blues: int,
        seed: int,
        side: float,
        walls: int,
        red_hp: float,
        blue_hp: float,
    ) -> ArenaGame:
        """Two sides on a small map with some walls, each of which sees the other as players and as
        targets. The dead do not come back to life."""
    def __len__(self) -> int: ...
    def frame(self, dt: float, frames: int = 1) -> int:
        """Advances time by `dt` seconds, this number of times. Returns how many agents were
        ticked."""
    def fight(self, dt: float, seconds: float) -> float:
        """Advances time until one side is dead, or `seconds` have passed. Returns the seconds that
        passed."""
    @property
    def alive(self) -> tuple[int, int]:
        """How many of each side are alive."""
    @property
    def time(self) -> float:
        """Seconds since the beginning."""
    @property
    def digest(self) -> int:
        """One number for everything that moves."""
    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """The places of the agents' actors, as an array of two columns."""
    @property
    def health(self) -> npt.NDArray[np.float32]:
        """The health of the agents' actors, from 0 to 1."""
    @property
    def sides(self) -> npt.NDArray[np.uint8]:
        """Which side each agent is on: 0 or 1."""
