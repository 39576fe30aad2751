"""FMUs of other makers: FMPy's runs are those of `softdock fmu simulate`, FMI 2.0 and 3.0."""

import csv
import pathlib
import sys

import common
import numpy as np
from fmpy import read_model_description, simulate_fmu
from fmpy.validation import validate_fmu

# Both call the same library at the same times, but for rounding of the times.
TOLERANCE = 1e-12


def numbers(text):
    """A cell as a number, or as the text that it is."""
    try:
        return float(text)
    except ValueError:
        return text


def element(row, name):
    """An element `x[2]`, counted from one, of the column `x`."""
    if "[" not in name:
        return row[name]
    array, index = name[:-1].split("[")
    return row[array][int(index) - 1]


def compare(path):
    problems = validate_fmu(str(path))
    if problems:
        sys.exit(f"{path}: {problems}")
    with open(path.with_suffix(".csv"), newline="") as file:
        ours = list(csv.DictReader(file))
    description = read_model_description(str(path))
    step = float(description.defaultExperiment.stepSize)
    theirs = simulate_fmu(str(path), output_interval=step)
    # FMPy knows no time inside the last step of a model that ends the simulation.
    rows = min(len(ours), len(theirs))
    if abs(len(ours) - len(theirs)) > 1:
        sys.exit(f"{path}: {len(ours)} rows, with FMPy {len(theirs)}")
    count = 0
    for mine, other in zip(ours[:rows], theirs[:rows]):
        for name, text in mine.items():
            # FMPy records no texts of some versions.
            if name != "time_s" and name.split("[")[0] not in theirs.dtype.names:
                if isinstance(numbers(text), str):
                    continue
                sys.exit(f"{path}: FMPy has no {name}")
            found = other["time"] if name == "time_s" else element(other, name)
            if isinstance(found, (bytes, str, np.bytes_, np.str_)):
                continue
            expected = numbers(text)
            if isinstance(expected, str) or expected == "":
                continue
            if not abs(float(found) - expected) <= TOLERANCE * max(1.0, abs(expected)):
                sys.exit(f"{path}: {name} is {found!r} in FMPy at {mine['time_s']} s, {text} here")
            count += 1
    print(f"FMPy, {path.parent.name}/{path.stem}: {count} values as here")


for version in ("two", "three"):
    for path in sorted((common.folder() / "foreign" / version).glob("*.fmu")):
        compare(path)
