"""Time series: columns of numbers, shown to NumPy, pandas and Arrow without copies."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Sequence

import numpy as np


class Series:
    """A table of numbers over time.

    ``series["contact_force_n"]`` is a NumPy array that shares its memory with the whole table;
    ``series.to_pandas()`` and ``series.to_arrow()`` hand it on. Libraries that take Arrow data
    (Polars, DuckDB) take it directly where pyarrow is installed.
    """

    def __init__(self, names: Sequence[str], flat: "np.ndarray[Any, Any]") -> None:
        self._names: List[str] = list(names)
        rows = len(flat) // max(len(self._names), 1)
        # One column behind the other: a row of this view is a column of the table.
        self._columns = flat.reshape(len(self._names), rows)
        self._columns.flags.writeable = False
        self._index: Dict[str, int] = {name: i for i, name in enumerate(self._names)}

    @property
    def columns(self) -> List[str]:
        """Names of the columns, units included."""
        return list(self._names)

    def __getitem__(self, name: str) -> "np.ndarray[Any, Any]":
        if name not in self._index:
            import difflib

            near = difflib.get_close_matches(name, self._names, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"there is no column {name!r}{hint}")
        return self._columns[self._index[name]]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return int(self._columns.shape[1])

    def keys(self) -> List[str]:
        """Names of the columns."""
        return self.columns

    def to_numpy(self) -> "np.ndarray[Any, Any]":
        """All numbers: a row for each time, a column for each name. Shares its memory with this."""
        return self._columns.T

    def to_dict(self) -> Dict[str, "np.ndarray[Any, Any]"]:
        """The columns by name."""
        return {name: self[name] for name in self._names}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.to_numpy(), columns=self._names, copy=False)

    def to_arrow(self) -> Any:
        """A pyarrow.Table whose columns share their memory with this."""
        import pyarrow

        return pyarrow.table({name: pyarrow.array(self[name]) for name in self._names})

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Series of {len(self._names)} columns, {len(self)} rows>"
