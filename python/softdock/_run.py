"""Dockings from start to end."""

from __future__ import annotations

import html
import json
import os
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from . import _softdock, _toml
from ._series import Series
from ._source import Source, split


class Verdict:
    """Whether a result can be believed, what became of the target, and which limits hold.

    It is true if the result is sound and every requirement is met.
    """

    def __init__(self, summary: Dict[str, Any]) -> None:
        #: ``sound``, ``suspect`` or ``failed``.
        self.soundness: str = summary["soundness"]
        #: Why it is not sound.
        self.reasons: List[str] = [str(reason) for reason in summary.get("soundness_reasons") or []]
        #: ``captured``, ``bounced``, ``in_contact`` or ``never_touched``.
        self.outcome: str = summary["outcome"]
        #: What every run is judged by: name, figure, value, limit, margin.
        self.margins: List[Dict[str, Any]] = summary.get("margins") or []
        #: The user's own requirements, judged.
        self.requirements: List[Dict[str, Any]] = summary.get("requirements") or []

    @property
    def sound(self) -> bool:
        """Whether the result can be believed."""
        return self.soundness == "sound"

    @property
    def met(self) -> bool:
        """Whether every requirement is met."""
        return all(bool(one.get("met", one.get("holds", True))) for one in self.requirements)

    def __bool__(self) -> bool:
        return self.sound and self.met

    def __repr__(self) -> str:
        met = "" if not self.requirements else (", requirements met" if self.met else ", a requirement is not met")
        return f"<Verdict: {self.soundness}, {self.outcome}{met}>"


def _number(number: Any) -> str:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return str(number)
    return f"{number:.4g}"


class Run:
    """A docking that came to its end. Shown with its verdict and main figures in a notebook."""

    def __init__(self, inner: "_softdock.Run") -> None:
        self._inner = inner
        self._summary: Optional[Dict[str, Any]] = None
        self._series: Optional[Series] = None

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self._inner.name

    @property
    def config_text(self) -> str:
        """Every setting of the run as a TOML file."""
        return self._inner.config_text

    @property
    def summary(self) -> Dict[str, Any]:
        """The figures, as in summary.json; :func:`softdock.figures` says what they mean."""
        if self._summary is None:
            self._summary = json.loads(self._inner.summary_json())
        return self._summary

    @property
    def verdict(self) -> Verdict:
        """Sound? Captured? Requirements met?"""
        return Verdict(self.summary)

    @property
    def series(self) -> Series:
        """The time series, as in run.csv."""
        if self._series is None:
            self._series = Series(*self._inner.series())
        return self._series

    def report(self, path: "Union[str, os.PathLike[str]]") -> str:
        """Writes the page of the run, one self-contained HTML file, and gives its path."""
        path = os.fspath(path)
        if os.path.isdir(path):
            path = os.path.join(path, "report.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._inner.report_html())
        return path

    def __getitem__(self, figure: str) -> Any:
        """A figure of the summary by its key; a dot leads into a table."""
        found: Any = self.summary
        for part in figure.split("."):
            found = found[part]
        return found

    def _headlines(self) -> List[List[str]]:
        chosen = [
            ("peak_contact_force_n", "peak contact force", "N"),
            ("contact_impulse_n_s", "contact impulse", "N·s"),
            ("settling_time_s", "settling time", "s"),
            ("max_leg_stroke_m", "largest leg stroke", "m"),
            ("peak_motor_torque_nm", "peak motor torque", "N·m"),
        ]
        rows = []
        for key, label, unit in chosen:
            found = self.summary.get(key)
            if found is not None:
                rows.append([label, _number(found), unit])
        return rows

    def __repr__(self) -> str:
        verdict = self.verdict
        force = self.summary.get("peak_contact_force_n")
        peak = "" if force is None else f", peak contact force {force:.4g} N"
        return f"<softdock.Run {self.name}: {verdict.soundness}, {verdict.outcome}{peak}>"

    def _repr_html_(self) -> str:
        verdict = self.verdict
        colour = {"sound": "#1a7f37", "suspect": "#9a6700"}.get(verdict.soundness, "#b42318")
        rows = "".join(
            "<tr><td style='text-align:left'>%s</td><td style='text-align:right'>%s</td><td style='text-align:left'>%s</td></tr>"
            % tuple(html.escape(part) for part in row)
            for row in self._headlines()
        )
        reasons = "".join(f"<br>{html.escape(reason)}" for reason in verdict.reasons)
        return (
            f"<div><b>Docking: {html.escape(self.name)}</b><br>"
            f"<span style='color:{colour};font-weight:bold'>{html.escape(verdict.soundness)}</span>, "
            f"{html.escape(verdict.outcome.replace('_', ' '))}{reasons}{_curve(self.series)}"
            f"<table>{rows}</table></div>"
        )


def _curve(series: Series) -> str:
    """The contact force over time as a small drawing."""
    force, time = series["contact_force_n"], series["time_s"]
    if len(force) < 2 or not np.any(force > 0.0):
        return ""
    step = max(len(force) // 400, 1)
    # The largest of each group of rows: no peak is lost.
    groups = [float(force[i : i + step].max()) for i in range(0, len(force), step)]
    top, last = max(groups), float(time[-1])
    width, height = 420.0, 90.0
    points = " ".join(
        f"{width * i / max(len(groups) - 1, 1):.1f},{height * (1.0 - y / top):.1f}" for i, y in enumerate(groups)
    )
    label = f"contact force over {last:g} s, largest {top:.4g} N"
    return (
        f"<br><svg role='img' aria-label='{label}' width='{width:.0f}' height='{height + 16:.0f}' "
        f"viewBox='0 -2 {width:.0f} {height + 18:.0f}'><polyline fill='none' stroke='#0b6bcb' "
        f"stroke-width='1.5' points='{points}'/><text x='0' y='{height + 13:.0f}' font-size='11' "
        f"fill='currentColor'>{label}</text></svg>"
    )


def dock(
    scenario: Source = None,
    *,
    requirements: "Optional[Union[str, os.PathLike[str]]]" = None,
    legs: str = "native",
    controller: "Optional[Callable[[np.ndarray[Any, Any]], Sequence[float]]]" = None,
    period_s: float = 1e-3,
    **settings: Any,
) -> Run:
    """Lets a target dock and gives what happened.

    ``scenario`` is a TOML file, the name of a scenario that comes with the package ("default",
    "aligned", "motors-lqr", ...) or a dict; ``settings`` override its keys:
    ``dock("aligned", closing_speed_m_s=0.1, misalignment__pitch_deg=5)``.

    ``requirements`` adds those of a file (or name), ``legs="fmu"`` takes six leg FMUs. ``controller``
    is called with an observation (see :class:`Docking`) every ``period_s`` seconds and gives the
    torques of the motors, whose mode must be "torque"; regulator.law is "external" then.
    """
    if controller is None:
        name, text = split(scenario)
        file = None if requirements is None else os.fspath(requirements)
        return Run(_softdock.dock(name, text, list(_toml.pairs(settings)), file, legs))
    if requirements is not None or legs != "native":
        raise ValueError("a controller goes with native legs and the scenario's own requirements")
    docking = Docking(scenario, **{"regulator.law": "external", **settings})
    seen = docking.observe()
    while not docking.finished:
        seen = docking.step(period_s, controller(seen))
    return docking.finish()


class Docking:
    """A docking under way, stepped by the caller, who may be the controller.

    Torques of one's own need ``regulator.law = "external"`` (or "none") and motors in mode "torque".
    ``observe()`` and ``step()`` give one array; ``names`` says what its numbers are, and
    ``where("motor_angle")`` which of them belong together.
    """

    def __init__(self, scenario: Source = None, **settings: Any) -> None:
        name, text = split(scenario)
        self._inner = _softdock.Docking(name, text, list(_toml.pairs(settings)))
        #: Names of the numbers of an observation.
        self.names: List[str] = self._inner.names
        #: What there is to see now, as one array.
        self.observe: "Callable[[], np.ndarray[Any, Any]]" = self._inner.observe
        #: ``step(length_s, torques_nm=None)`` moves on and gives the observation there.
        self.step: "Callable[..., np.ndarray[Any, Any]]" = self._inner.step
        #: ``advance_to(time_s, torques_nm=None)`` moves on to a time.
        self.advance_to: Callable[..., None] = self._inner.advance_to
        #: Puts the docking aside: a state for :attr:`restore`.
        self.save: Callable[[], Any] = self._inner.save
        #: Goes back to a saved state; the same inputs give the same bits from there on.
        self.restore: Callable[[Any], None] = self._inner.restore

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self._inner.time

    @property
    def duration(self) -> float:
        """Time at which the scenario ends [s]."""
        return self._inner.duration

    @property
    def finished(self) -> bool:
        """Whether the whole duration is simulated."""
        return self._inner.finished

    @property
    def motors(self) -> int:
        """Number of motors."""
        return self._inner.motors

    @property
    def summary(self) -> Dict[str, Any]:
        """The figures so far."""
        return json.loads(self._inner.summary_json())

    @property
    def series(self) -> Series:
        """The time series so far, as in run.csv."""
        return Series(*self._inner.series())

    def where(self, text: str) -> slice:
        """The place in an observation of the numbers whose names contain ``text``."""
        return _where(self.names, text)

    def finish(self) -> Run:
        """Runs to the end with the torques it has, and gives the run. This docking is used up."""
        return Run(self._inner.finish())

    def __repr__(self) -> str:
        return f"<softdock.Docking at {self.time:g} s of {self.duration:g} s>"


def _where(names: Sequence[str], text: str) -> slice:
    found = [i for i, name in enumerate(names) if text in name]
    if not found:
        raise KeyError(f"no name contains {text!r}: {', '.join(names)}")
    if found != list(range(found[0], found[-1] + 1)):
        raise KeyError(f"the numbers whose names contain {text!r} are not neighbours")
    return slice(found[0], found[-1] + 1)


class Sweep:
    """A scenario at several values of one key."""

    def __init__(self, key: str, points: "Sequence[Any]") -> None:
        #: The key that was varied.
        self.key = key
        #: Its values.
        self.values = np.array([point[0] for point in points], dtype=float)
        #: The figures of each run; None of a run that failed.
        self.summaries: List[Optional[Dict[str, Any]]] = [
            None if point[1] is None else json.loads(point[1]) for point in points
        ]
        #: Why runs failed; None of those that did not.
        self.errors: List[Optional[str]] = [point[2] for point in points]

    def __len__(self) -> int:
        return len(self.summaries)

    def __getitem__(self, figure: str) -> "np.ndarray[Any, Any]":
        """A figure at every value: numbers, NaN where there is none; texts as objects."""
        found = []
        for summary in self.summaries:
            one: Any = summary
            for part in figure.split("."):
                one = None if one is None else one[part]
            found.append(one)
        if any(isinstance(one, (str, list, dict)) for one in found):
            return np.array(found, dtype=object)
        return np.array([np.nan if one is None else one for one in found], dtype=float)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row for each value, a column for each figure that is one number or
        text."""
        import pandas

        rows = []
        for value, summary, error in zip(self.values, self.summaries, self.errors):
            row: Dict[str, Any] = {self.key: value}
            for name, one in (summary or {}).items():
                if one is None or isinstance(one, (bool, int, float, str)):
                    row[name] = one
            row["error"] = error
            rows.append(row)
        return pandas.DataFrame(rows)

    def plot(self, figure: str = "peak_contact_force_n", ax: Any = None) -> Any:
        """Draws a figure against the key with Matplotlib; gives the axes."""
        import matplotlib.pyplot as plt

        ax = plt.gca() if ax is None else ax
        ax.plot(self.values, self[figure], marker="o")
        ax.set_xlabel(self.key)
        ax.set_ylabel(figure)
        return ax

    def __repr__(self) -> str:
        return f"<softdock.Sweep of {self.key}, {len(self)} runs>"


def sweep(scenario: Source = None, key: str = "", values: Sequence[float] = (), **settings: Any) -> Sweep:
    """Runs a scenario with ``key`` at each of ``values``, one run per core.

    ``sweep("default", "misalignment.pitch_deg", [0, 2.5, 5])["peak_contact_force_n"]``
    """
    name, text = split(scenario)
    numbers = [float(value) for value in values]
    return Sweep(key, _softdock.sweep(name, text, list(_toml.pairs(settings)), key, numbers))


def print_config(scenario: Source = None, **settings: Any) -> str:
    """The scenario as a TOML file, every key with unit, range and meaning."""
    name, text = split(scenario)
    return _softdock.scenario_text(name, text, list(_toml.pairs(settings)))


def figures() -> Dict[str, Dict[str, str]]:
    """The figures of a docking: unit, label and meaning by key."""
    return {
        key: {"unit": unit, "label": label, "meaning": meaning} for key, unit, label, meaning in _softdock.figures()
    }


def verify(filter: Optional[str] = None) -> List[Dict[str, Any]]:
    """Runs the validation cases whose name or source contains ``filter`` (all without one):
    reference, result, error and tolerance of every quantity."""
    return json.loads(_softdock.verify(filter))
