"""What the library raises, and reports about trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Problem:
    """An error or a probable mistake in a file."""

    file: str
    line: int
    column: int
    code: str
    message: str
    help: str | None = None
    is_error: bool = True

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message} [{self.code}]"


class PleachError(Exception):
    """A call of this library failed.

    If a tree is wrong, `problems` has an entry for each problem, and `str()` is the report that
    `pleach check` prints.
    """

    problems: tuple[Problem, ...]

    def __init__(self, message: str, problems: Iterable[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.problems))


@dataclass(frozen=True)
class Divergence:
    """Where an agent of a replay did something different from the recording."""

    frame: int
    agent: int
    text: str

    def __str__(self) -> str:
        return self.text


# What tracebacks show.
PleachError.__module__ = "pleach"


@dataclass(frozen=True)
class Report:
    """What a check found. It is true if it found nothing."""

    text: str
    problems: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "problems", tuple(self.problems))

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep a tree from loading."""
        return tuple(it for it in self.problems if it.is_error)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Probable mistakes."""
        return tuple(it for it in self.problems if not it.is_error)

    def __bool__(self) -> bool:
        return not self.problems

    def __len__(self) -> int:
        return len(self.problems)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.problems)

    def __str__(self) -> str:
        return self.text
