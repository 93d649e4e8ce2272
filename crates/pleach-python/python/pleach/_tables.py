"""Columns as tables: traces and coverage for NumPy, pandas and Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas
    import pyarrow


class Table(Mapping[str, npt.NDArray[Any]]):
    """Columns of one length, by their names: arrays of NumPy."""

    def __init__(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return next((len(it) for it in self._columns.values()), 0)

    def where(self, mask: npt.ArrayLike) -> Table:
        """The rows for which a mask of bool holds."""
        kept = np.asarray(mask, dtype=bool)
        return Table({name: it[kept] for name, it in self._columns.items()})

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame. Needs pandas."""
        import pandas

        return pandas.DataFrame({name: it for name, it in self._columns.items()})

    def to_arrow(self) -> pyarrow.RecordBatch:
        """A record batch of Arrow. Needs pyarrow."""
        import pyarrow

        return pyarrow.RecordBatch.from_pydict(
            {name: pyarrow.array(it) for name, it in self._columns.items()}
        )

    def __repr__(self) -> str:
        return f"<Table of {self.rows} rows: {', '.join(self._columns)}>"
