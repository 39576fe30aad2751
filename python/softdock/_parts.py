"""Legs, the platform and mechanisms, stepped by the caller."""

from __future__ import annotations

import difflib
import json
import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _softdock, _toml
from ._run import _where
from ._series import Series
from ._source import Source, split


class LinearModel(NamedTuple):
    """d/dt x = a x + b u, y = c x + d u, all deviations from an equilibrium."""

    a: "np.ndarray[Any, Any]"
    b: "np.ndarray[Any, Any]"
    c: "np.ndarray[Any, Any]"
    d: "np.ndarray[Any, Any]"
    states: List[str]
    inputs: List[str]
    outputs: List[str]


def _matrix(parts: Any) -> "np.ndarray[Any, Any]":
    rows, columns, numbers = parts
    return np.array(numbers, dtype=float).reshape(rows, columns)


def _linear(found: Any) -> LinearModel:
    matrices, names = found
    a, b, c, d = (_matrix(parts) for parts in matrices)
    return LinearModel(a, b, c, d, *names)


class Platform:
    """Six legs and the end effector in time, driven by the caller.

    ``step(length_s, torques_nm=None, wrench=None)`` moves on with constant motor torques and a
    constant wrench on the end effector (force [N], moment [N·m], world axes) and gives one array;
    ``names`` says what its numbers are, ``where("motor_angle")`` which belong together. Torques act
    on motors in mode "torque": ``Platform(motor__mode="torque")``.
    """

    def __init__(self, platform: Source = None, *, motors: Optional[Sequence[float]] = None, **settings: Any) -> None:
        name, text = split(platform)
        angles = None if motors is None else [float(angle) for angle in motors]
        self._inner = _softdock.Platform(name, text, list(_toml.pairs(settings)), angles)
        #: Names of the numbers of an observation.
        self.names: List[str] = self._inner.names
        #: What there is to see now, as one array.
        self.observe: "Callable[[], np.ndarray[Any, Any]]" = self._inner.observe
        #: Moves on and gives the observation there.
        self.step: "Callable[..., np.ndarray[Any, Any]]" = self._inner.step
        #: Puts the platform aside: a state for :attr:`restore`.
        self.save: Callable[[], Any] = self._inner.save
        #: Goes back to a saved state; the same inputs give the same bits from there on.
        self.restore: Callable[[Any], None] = self._inner.restore

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self._inner.time

    @property
    def motors(self) -> int:
        """Number of motors."""
        return self._inner.motors

    @property
    def config_text(self) -> str:
        """Every setting as a TOML file."""
        return self._inner.config_text

    @property
    def pose(self) -> "np.ndarray[Any, Any]":
        """Pose of the end effector: a 4 x 4 matrix to world coordinates."""
        return self._inner.pose().reshape(4, 4)

    @property
    def holding_torques(self) -> "np.ndarray[Any, Any]":
        """Torques that hold the platform where it started [N·m]."""
        return self._inner.holding_torques()

    @property
    def stiffness(self) -> "np.ndarray[Any, Any]":
        """Stiffness of the end effector where it started, about its centre: 6 x 6."""
        return _matrix(self._inner.stiffness())

    @property
    def wrench_by_torques(self) -> "np.ndarray[Any, Any]":
        """Wrench on the end effector per torque of each motor where it started: 6 x motors."""
        return _matrix(self._inner.wrench_by_torques())

    def where(self, text: str) -> slice:
        """The place in an observation of the numbers whose names contain ``text``."""
        return _where(self.names, text)

    def linearize(self, motors: str = "free", cutoff_hz: float = 50.0) -> LinearModel:
        """The linear model about where it started; motors "free", "locked" or "held"."""
        return _linear(self._inner.linearize(motors, cutoff_hz))

    def __repr__(self) -> str:
        return f"<softdock.Platform at {self.time:g} s>"


class Leg:
    """A leg under way: what its FMU does, without the archive.

    ``Leg("planar")`` takes torque and load, ``Leg("spatial")`` the motion of its tip. ``parameters``
    are those of the FMU, by name: ``Leg("planar", leaf__length=0.48)``. Inputs are set and outputs
    read by name: ``leg["motor.torque_command"] = 1.0``, ``leg["q1"]``.
    """

    KINDS = {"planar": "LegPlanar", "spatial": "LegSpatial"}

    def __init__(self, kind: str = "spatial", *, tolerance: Optional[float] = None, **parameters: Any) -> None:
        model = self.KINDS.get(kind, kind)
        self.model = model
        variables = _softdock.Model.variables(model)
        self._variables = {name: entry for name, *entry in variables}
        #: Names of the inputs, in order.
        self.inputs: List[str] = [name for name, _, causality, *_ in variables if causality == "input"]
        #: Names of the outputs, in order.
        self.outputs: List[str] = [name for name, _, causality, *_ in variables if causality == "output"]
        #: Names of the parameters, in order.
        self.parameters: List[str] = [name for name, _, causality, *_ in variables if causality == "parameter"]
        lists: Dict[str, Any] = {"Real": ([], []), "Integer": ([], []), "Boolean": ([], [])}
        for name, item in _flat(parameters):
            reference, _, kind_of, *_ = self._entry(name)
            numbers = lists[kind_of]
            numbers[0].append(reference)
            numbers[1].append(float(item) if kind_of == "Real" else int(item))
        self._inner = _softdock.Model(model, lists["Real"], lists["Integer"], lists["Boolean"], tolerance)
        self._output_references = [self._variables[name][0] for name in self.outputs]
        self._input_references = [self._variables[name][0] for name in self.inputs]
        #: ``step(length_s)`` moves on. On an error the leg is where it was.
        self.step: Callable[[float], None] = self._inner.step
        #: Saves the state and gives its handle.
        self.save: Callable[[], int] = self._inner.save
        #: Goes back to a saved state.
        self.restore: Callable[[int], None] = self._inner.restore
        #: Forgets a saved state.
        self.free: Callable[[int], None] = self._inner.free

    def _entry(self, name: str) -> Any:
        if name not in self._variables:
            near = difflib.get_close_matches(name, self._variables, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise _softdock.InputError(f"{self.model} has no variable {name!r}{hint}")
        return self._variables[name]

    @property
    def time(self) -> float:
        """Time since its start [s]."""
        return self._inner.time

    def unit(self, name: str) -> str:
        """The unit of a variable."""
        return self._entry(name)[3]

    def describe(self, name: str) -> str:
        """What a variable is."""
        return self._entry(name)[4]

    def __setitem__(self, name: str, number: float) -> None:
        self._inner.set([self._entry(name)[0]], [float(number)])

    def __getitem__(self, name: str) -> float:
        return float(self._inner.get([self._entry(name)[0]])[0])

    def set_inputs(self, values: Sequence[float]) -> None:
        """Sets all inputs, in the order of ``inputs``."""
        self._inner.set(self._input_references, [float(value) for value in values])

    def get_outputs(self) -> "np.ndarray[Any, Any]":
        """All outputs, in the order of ``outputs``."""
        return self._inner.get(self._output_references)

    def derivative(self, outputs: Union[str, Sequence[str]], inputs: Union[str, Sequence[str]]) -> "np.ndarray[Any, Any]":
        """Derivatives of outputs by inputs of the discrete solution over the last step: a row for
        each output, a column for each input."""
        rows = [outputs] if isinstance(outputs, str) else list(outputs)
        columns = [inputs] if isinstance(inputs, str) else list(inputs)
        unknowns = [self._entry(name)[0] for name in rows]
        known = [self._entry(name)[0] for name in columns]
        found = [self._inner.directional_derivative(unknowns, [one], [1.0]) for one in known]
        return np.array(found).reshape(len(known), len(unknowns)).T

    def save_bytes(self) -> bytes:
        """The state as bytes, valid in another process with the same parameters."""
        handle = self._inner.save()
        try:
            return bytes(self._inner.serialize(handle))
        finally:
            self._inner.free(handle)

    def restore_bytes(self, data: bytes) -> None:
        """Goes back to a state given as bytes."""
        handle = self._inner.deserialize(list(data))
        try:
            self._inner.restore(handle)
        finally:
            self._inner.free(handle)

    def __repr__(self) -> str:
        return f"<softdock.Leg {self.model} at {self.time:g} s>"


def _flat(parameters: Any, prefix: str = "") -> Any:
    for name, item in parameters.items():
        key = prefix + str(name).replace("__", ".")
        if isinstance(item, dict):
            yield from _flat(item, key + ".")
        else:
            yield key, item


class Motion:
    """A mechanism that has moved."""

    def __init__(self, summary: Dict[str, Any], series: Series) -> None:
        #: Soundness, steps, events.
        self.summary = summary
        #: The outputs over time, as in mechanism.csv.
        self.series = series

    def __repr__(self) -> str:
        return f"<softdock.Motion: {self.summary['soundness']}, {len(self.series)} rows>"


class Mechanism:
    """A mechanism from a file, from the name of one that comes with the package, or from a dict with
    the content of such a file. ``settings`` override its parameters and its analysis:
    ``Mechanism("two-link-ff10", analysis__duration_s=1.0)``."""

    def __init__(self, mechanism: Source, **settings: Any) -> None:
        name, text = split(mechanism)
        # The values of parameters and of the analysis are plain texts and numbers.
        pairs = [(key, json.loads(text) if text.startswith('"') else text) for key, text in _toml.pairs(settings)]
        self._inner = _softdock.Mechanism(name, text, pairs)

    @property
    def title(self) -> str:
        """What it is."""
        return self._inner.title

    @property
    def outputs(self) -> List[str]:
        """Names of the outputs."""
        return self._inner.outputs

    def simulate(self) -> Motion:
        """Moves it over its duration."""
        summary, series = self._inner.simulate(False)
        return Motion(json.loads(summary), Series(*series))

    def inverse(self) -> Motion:
        """Finds the forces of its prescribed motion; every degree of freedom must be driven."""
        summary, series = self._inner.simulate(True)
        return Motion(json.loads(summary), Series(*series))

    def statics(self) -> Dict[str, Any]:
        """Equilibrium near the start."""
        return json.loads(self._inner.statics_json())

    def modes(self) -> Dict[str, "np.ndarray[Any, Any]"]:
        """Undamped frequencies [Hz] and eigenvalues [1/s] about the equilibrium near the start."""
        frequencies, re, im = self._inner.modes()
        eigenvalues = np.array(re, dtype=float) + 1j * np.array(im, dtype=float)
        return {"frequencies_hz": np.array(frequencies, dtype=float), "eigenvalues_per_s": eigenvalues}

    def linearize(self) -> LinearModel:
        """The linear model about the equilibrium near the start."""
        return _linear(self._inner.linearize())

    def __repr__(self) -> str:
        return f"<softdock.Mechanism: {self.title}>"


def export_fmu(model: str = "LegSpatial", folder: "Union[str, os.PathLike[str]]" = ".", *, fmi: int = 2) -> str:
    """Writes a model ("LegPlanar", "LegSpatial") as an FMU of FMI 2.0 or 3.0 into a folder; gives the
    file."""
    return _softdock.export_fmu(model, os.fspath(folder), fmi)
