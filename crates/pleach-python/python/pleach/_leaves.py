"""Leaves in Python: statuses, the decorators of a registry, and the types of parameters."""

from __future__ import annotations

import enum
import inspect
import json
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NewType, TypeAlias, TypeVar, overload

import numpy as np
import numpy.typing as npt

from pleach import _pleach
from pleach._pleach import Batch, Context, Expr, Key

Vec2: TypeAlias = tuple[float, float]
"""Two numbers, as a key or a payload holds them."""
Vec3: TypeAlias = tuple[float, float, float]
"""Three numbers, as a key or a payload holds them."""
Entity = NewType("Entity", int)
"""The index of one of the game's entities. `None` in Python, and -1 in arrays, is no entity."""
Time = NewType("Time", float)
"""A moment of the forest's time, in seconds."""
Symbol = NewType("Symbol", str)
"""One of the words that a key declares."""
EventName = NewType("EventName", str)
"""The name of an event."""


class Status(enum.IntEnum):
    """What a leaf says of an agent."""

    RUNNING = 0
    """It continues in the next tick."""
    SUCCESS = 1
    """It is done."""
    FAILURE = 2
    """It could not be done."""


@dataclass(frozen=True)
class Event:
    """An event that happened, with its payload."""

    name: str
    payload: Any = None


def until(done: npt.ArrayLike, failed: npt.ArrayLike = False) -> npt.NDArray[np.uint8]:
    """Statuses for a batch: success where `done`, failure where `failed`, running elsewhere."""
    statuses = np.array(done, dtype=bool).view(np.uint8)
    if failed is not False:
        statuses[np.asarray(failed, dtype=bool)] = 2
    return statuses


Leaf = TypeVar("Leaf", bound=Callable[..., Any])
Callback: TypeAlias = Callable[..., None]

_KEYS: dict[Any, str] = {
    bool: "bool",
    int: "int",
    float: "float",
    Vec2: "vec2",
    Vec3: "vec3",
    Entity: "entity",
    Time: "time",
    Symbol: "symbol",
}
_PLAIN: dict[Any, str] = {bool: "bool", int: "int", float: "float", str: "str", EventName: "event", Expr: "expr"}


def _parameter_type(hint: Any) -> Any:
    """The type of a parameter, as the registry takes it."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, of = typing.get_origin(hint), typing.get_args(hint)
    if origin is Key and of[0] in _KEYS:
        return ("key", _KEYS[of[0]])
    if origin is Literal and all(isinstance(it, str) for it in of):
        return ("words", list(of))
    if origin in (list, Sequence, typing.get_origin(typing.Sequence[int])):
        return ("list", _parameter_type(of[0]))
    if origin in (types.UnionType, typing.Union):
        rest = [it for it in of if it is not type(None)]
        if len(rest) == 1 and len(of) == 2:
            return ("option", _parameter_type(rest[0]))
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return ("enum", hint)
    raise TypeError(
        f"{hint!r} is not a type of parameters: use bool, int, float, str, Literal['a', 'b'], an Enum, Key[..], Expr, "
        "EventName, a list of one of them, or one of them `| None`"
    )


def _ron(value: Any) -> str:
    """A default as a tree would write it."""
    if value is None:
        return "None"
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_ron(it) for it in value) + "]"
    raise TypeError(f"{value!r} cannot be a default: use None, a bool, a number, a str or a list of these")


def _camel(name: str) -> str:
    return "".join(it[:1].upper() + it[1:] for it in name.split("_"))


def _parameters(function: Callable[..., Any]) -> list[tuple[str, Any, str | None]]:
    """The parameters of a leaf: all of the function's but the first, which is the agent or the batch."""
    try:
        hints = typing.get_type_hints(function)
    except NameError as error:
        raise TypeError(f"`{function.__name__}`: {error}: the types of parameters must be names of its module") from error
    found = []
    everything = list(inspect.signature(function).parameters.values())
    if not everything:
        raise TypeError(f"`{function.__name__}` takes no context: a leaf's first parameter is its context or batch")
    for it in everything[1:]:
        if it.kind is not it.POSITIONAL_OR_KEYWORD:
            raise TypeError(f"`{function.__name__}`: the parameter `{it.name}` must be an ordinary one")
        if it.name not in hints:
            raise TypeError(f"`{function.__name__}`: the parameter `{it.name}` needs a type, such as `float`")
        kind = _parameter_type(hints[it.name])
        default = None if it.default is it.empty else _ron(it.default)
        if default is None and kind[0] == "option":
            default = "None"
        found.append((it.name, kind, default))
    return found


class Registry(_pleach.Registry):
    """The leaves of the game, by the names that trees call them."""

    def _leaf(self, is_condition: bool, given: Any, options: dict[str, Any]) -> Any:
        def add(function: Leaf) -> Leaf:
            name = given if isinstance(given, str) else _camel(function.__name__)
            one, parameters = options["one"], _parameters(function)
            if one is not None and (not options["batch"] or [it[0] for it in _parameters(one)] != [it[0] for it in parameters]):
                raise TypeError(f"`{name}`: `one` is for a batch, and takes the same parameters behind its context")
            self._add(
                name,
                is_condition,
                function,
                options.get("start"),
                options.get("end"),
                options["batch"],
                one,
                parameters,
                inspect.getdoc(function) or "",
                options.get("observes"),
                options.get("every"),
            )
            return function

        return add(given) if callable(given) else add

    @overload
    def action(self, given: Leaf, /) -> Leaf: ...
    @overload
    def action(
        self,
        given: str | None = None,
        /,
        *,
        batch: bool = False,
        one: Callable[..., Any] | None = None,
        start: Callback | None = None,
        end: Callback | None = None,
    ) -> Callable[[Leaf], Leaf]: ...
    def action(
        self,
        given: Any = None,
        /,
        *,
        batch: bool = False,
        one: Callable[..., Any] | None = None,
        start: Callback | None = None,
        end: Callback | None = None,
    ) -> Any:
        """Adds an action: a function that returns a `Status`.

        Its name in trees is the given one, or else that of the function: `WalkTo` for `walk_to`.
        The first parameter is the `Context` of an agent, or with `batch` a `Batch` of many; then it
        returns one status for all, or an array with one for each. Trees give the other parameters,
        which have types and can have defaults.

        Agents that wake, start or are interrupted are updated alone. `one` is a function for them, of
        a `Context` and the same parameters, which must do the same: plain Python is several times as
        fast for one agent as arrays of length 1. `start(context, ..)` is called when an
        activation begins, and `end(context, how, ..)` when it is over; `how` is `"success"`,
        `"failure"`, or in words what ended it.
        """
        return self._leaf(False, given, {"batch": batch, "one": one, "start": start, "end": end})

    @overload
    def condition(self, given: Leaf, /) -> Leaf: ...
    @overload
    def condition(
        self,
        given: str | None = None,
        /,
        *,
        batch: bool = False,
        one: Callable[..., Any] | None = None,
        observes: Sequence[str] | None = None,
        every: float | None = None,
    ) -> Callable[[Leaf], Leaf]: ...
    def condition(
        self,
        given: Any = None,
        /,
        *,
        batch: bool = False,
        one: Callable[..., Any] | None = None,
        observes: Sequence[str] | None = None,
        every: float | None = None,
    ) -> Any:
        """Adds a condition: a function that returns True or False, or with `batch` an array of bool.

        It is evaluated in every tick in which its answer matters. With `observes`, the names of
        parameters that are keys, it is evaluated when one of these keys changes; with `every`, at
        this interval in seconds.
        """
        observed = None if observes is None else list(observes)
        return self._leaf(True, given, {"batch": batch, "one": one, "observes": observed, "every": every})


__all__ = [
    "Batch",
    "Context",
    "Entity",
    "Event",
    "EventName",
    "Expr",
    "Key",
    "Registry",
    "Status",
    "Symbol",
    "Time",
    "Vec2",
    "Vec3",
    "until",
]
