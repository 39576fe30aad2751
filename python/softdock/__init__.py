"""softdock: simulation of soft docking platforms with flexible legs.

>>> import softdock
>>> run = softdock.dock("default", misalignment__pitch_deg=5)
>>> run.verdict, run["peak_contact_force_n"]
>>> run.series["contact_force_n"]            # NumPy, no copy
>>> softdock.sweep("default", "misalignment.pitch_deg", [0, 5, 10]).to_pandas()

Settings are those of the program's TOML files, with the same names, ranges and errors; results are
those of the program bit for bit. The interpreter lock is released while something is computed, and
Ctrl-C ends it.
"""

from ._parts import Leg, LinearModel, Mechanism, Motion, Platform, export_fmu
from ._run import Docking, Run, Sweep, Verdict, dock, figures, print_config, sweep, verify
from ._series import Series
from ._softdock import ComputationError, InputError, models, version
from ._study import Study, study

__version__ = version()

__all__ = [
    "ComputationError",
    "Docking",
    "InputError",
    "Leg",
    "LinearModel",
    "Mechanism",
    "Motion",
    "Platform",
    "Run",
    "Series",
    "Study",
    "Sweep",
    "Verdict",
    "dock",
    "export_fmu",
    "figures",
    "models",
    "print_config",
    "study",
    "sweep",
    "verify",
]
