"""FMPy's simulate_ssp: the platform put together of legs and end effector, against the whole one.

The folder given as first argument holds platform.ssp, and whole/platform.csv with the run of the platform
that is solved as a whole.
"""

import csv
import sys

import common
from fmpy.ssp.simulation import simulate_ssp
from lxml import etree
from zipfile import ZipFile

# Distance from the whole platform that is allowed [m].
ALLOWED = 1e-4
DURATION = 0.3


def declared_step(path):
    """The step that the archive names."""
    with ZipFile(path) as archive, archive.open("SystemStructure.ssd") as file:
        return float(etree.parse(file).find(".//master").get("stepSize"))


def whole():
    """Position of the whole platform by milliseconds."""
    with open(common.folder() / "whole" / "platform.csv", newline="") as file:
        reader = csv.reader(file)
        names = next(reader)
        columns = [names.index(name) for name in ("time_s", "x", "y", "z")]
        rows = [[float(row[column]) for column in columns] for row in reader]
    return {round(row[0] * 1e3): row[1:] for row in rows}


path = common.folder() / "platform.ssp"
step = declared_step(path)
result = simulate_ssp(str(path), stop_time=DURATION, step_size=step)
reference = whole()
largest, moved, compared = 0.0, 0.0, 0
for row in result:
    # A row has the time before the step and the values behind it.
    milliseconds = (row["time"] + step) * 1e3
    near = round(milliseconds)
    if abs(milliseconds - near) > 1e-6 or near not in reference:
        continue
    place = [row[f"effector.effector.position[{axis}]"] for axis in (1, 2, 3)]
    largest = max(largest, *(abs(a - b) for a, b in zip(place, reference[near])))
    moved = max(moved, *(abs(a - b) for a, b in zip(place, reference[0])))
    compared += 1
print(f"FMPy simulate_ssp, step {step} s: {compared} rows, {largest:.2e} m off, {moved:.2e} m moved")
if compared < 0.9 * DURATION * 1e3 or not largest < ALLOWED or moved < 10 * ALLOWED:
    sys.exit("the system is not the platform")
