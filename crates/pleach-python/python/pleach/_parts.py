"""The results of a sweep on disk: parts that are only added, each complete or absent.

A folder holds `sweep.json`, which says what is swept, and a Parquet file for each batch, named by
its rows: `00000000-00000127.parquet` has the rows 0 to 127. A part is written under another name,
flushed, and renamed, so that every part that exists is complete. The names say which rows are done.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pleach._errors import PleachError

_PART = re.compile(r"(\d{8,})-(\d{8,})\.parquet")
Rows = list[dict[str, Any]]
# The names of parts of `sweep.json` in messages.
_NAMES = {"code": "source of the match", "points": "space"}


class SweepError(PleachError):
    """Why a sweep cannot continue. Its results so far are kept."""


def put(path: Path, write: Any) -> None:
    """Writes a complete file: `write` gets the path to write to. The old file exists until the new
    one does."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(beside)
        with open(beside, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def columns_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The rows as columns, in the order in which names appear; `None` where a row has no value."""
    names = {name: None for row in rows for name in row}
    return {name: [row.get(name) for row in rows] for name in names}


class Parts:
    """The parts of a sweep in a folder."""

    def __init__(self, folder: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SweepError(f"cannot make the folder {self.folder} for the matches: {error}; give another one") from error
        file, text = self.folder / "sweep.json", json.dumps(about, indent=1, default=repr)
        if file.exists():
            old, new = json.loads(file.read_text()), json.loads(text)
            if old != new:
                changed = ", ".join(_NAMES.get(name, name) for name in new if old.get(name) != new[name])
                raise SweepError(f"{file} is of another sweep, with another {changed}: give another folder, or the same as before")
        else:
            self._put(file, lambda path: path.write_text(text))
        for left in self.folder.glob(".*.parquet.*"):
            left.unlink(missing_ok=True)

    def spans(self) -> list[tuple[int, int]]:
        """The rows that are done: from the first of each part to the one after its last."""
        found = (_PART.fullmatch(it.name) for it in self.folder.iterdir())
        return sorted((int(it[1]), int(it[2]) + 1) for it in found if it)

    def add(self, rows: Rows) -> None:
        """Adds a part of these rows, which follow each other."""
        import pyarrow
        import pyarrow.parquet

        name = f"{rows[0]['row']:08}-{rows[-1]['row']:08}.parquet"
        try:
            table = pyarrow.table(columns_of(rows))
        except pyarrow.ArrowException as error:
            raise SweepError(
                f"the rows {rows[0]['row']} to {rows[-1]['row']} are no table: {error}; a measure has to be a number, a text, "
                "a truth value or a list of one of these, and the same in each match"
            ) from error
        self._put(self.folder / name, lambda path: pyarrow.parquet.write_table(table, path))

    def _put(self, path: Path, write: Any) -> None:
        try:
            put(path, write)
        except OSError as error:
            done = sum(end - begin for begin, end in self.spans())
            raise SweepError(
                f"cannot write {path}: {error}; {done} matches are done and kept: make room, and call the sweep again "
                "with the same folder"
            ) from error

    def read(self) -> Any:
        """All rows as one table of Arrow, in order."""
        import pyarrow
        import pyarrow.parquet

        files = [self.folder / f"{begin:08}-{end - 1:08}.parquet" for begin, end in self.spans()]
        # A sweep whose driver died between two sizes of batches has no row twice: rows are taken
        # from the gaps between parts.
        tables = [pyarrow.parquet.read_table(it) for it in files]
        try:
            return pyarrow.concat_tables(tables, promote_options="permissive")
        except pyarrow.ArrowException as error:
            raise SweepError(f"the parts in {self.folder} have other types of measures: {error}") from error


def gaps(done: Sequence[tuple[int, int]], total: int) -> Iterator[tuple[int, int]]:
    """The rows that are not done."""
    at = 0
    for begin, end in done:
        if begin > at:
            yield at, begin
        at = max(at, end)
    if at < total:
        yield at, total
