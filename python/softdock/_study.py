"""Studies: thousands of dockings with varied inputs."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional, Union

from . import _softdock, _toml
from ._source import Source, split


class Study:
    """A study in its folder. Every finished run is on the disk; ``resume=True`` goes on."""

    def __init__(self, folder: str, finished: int, failed: int, total: int, table: Optional[str]) -> None:
        #: The folder.
        self.folder = folder
        #: Finished runs.
        self.finished = finished
        #: Runs that could not be computed.
        self.failed = failed
        #: Runs of the study.
        self.total = total
        #: File with the table, once every run is finished.
        self.file = table

    def _file(self) -> str:
        if self.file is None:
            raise RuntimeError(f"{self.total - self.finished} runs are missing: run the study again with resume=True")
        return self.file

    @property
    def table(self) -> Dict[str, Any]:
        """The columns: inputs, figures, status. Numbers as NumPy arrays, NaN where there is none."""
        return dict(_softdock.study_table(self._file()))

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.table)

    def to_arrow(self) -> Any:
        """The table as a pyarrow.Table, as it is in its Parquet file."""
        import pyarrow.parquet

        return pyarrow.parquet.read_table(self._file())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def report(self) -> str:
        """Writes report.html into the folder: probabilities, distributions, what drives the results;
        gives the file."""
        return _softdock.study_report(self.folder)

    def __len__(self) -> int:
        return self.finished

    def __repr__(self) -> str:
        return f"<softdock.Study in {self.folder}: {self.finished} of {self.total} runs, {self.failed} failed>"


def study(
    study: Source,
    out: "Union[str, os.PathLike[str]]",
    *,
    runs: Optional[int] = None,
    threads: int = 0,
    resume: bool = False,
    progress: Optional[Callable[[int, int, int], Any]] = None,
    **settings: Any,
) -> Study:
    """Runs a study, or with ``resume`` what is left of it, into the folder ``out``.

    ``study`` is a TOML file, the name of one that comes with the package or a dict; ``settings``
    override keys of its base scenario. ``progress(finished, total, failed)`` is told after every run.
    Ctrl-C finishes the runs under way; nothing that was finished is lost.
    """
    name, text = split(study)
    pairs: List[str] = [f"{key}={text}" for key, text in _toml.pairs(settings)]
    folder = os.fspath(out)
    before, now, failed, total, table = _softdock.study(name, text, folder, runs, pairs, threads, resume, progress)
    return Study(folder, before + now, failed, total, table)
