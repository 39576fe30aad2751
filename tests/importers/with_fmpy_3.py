"""FMPy with FMI 3.0: validation, and the run of somebody who just presses the button."""

import pathlib
import sys

import common
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu


def value(row, name):
    """An element `x[2]` of FMI 2.0 is the second of the array `x` here."""
    if "[" not in name:
        return float(row[name])
    array, index = name[:-1].split("[")
    return float(row[array][int(index) - 1])


for model in common.MODELS:
    path = str(pathlib.Path(common.folder()) / "version3" / f"{model}.fmu")
    problems = validate_fmu(path)
    if problems:
        sys.exit(f"{model}: {problems}")
    print(f"fmpy validate, {model} of FMI 3.0: no problems")
    reference = common.Reference(model)
    comparison = common.Comparison("FMPy, FMI 3.0", reference, common.TOLERANCE)
    # The step of the native run, not the one that the FMU declares.
    result = simulate_fmu(
        path, stop_time=reference.steps * common.STEP, output_interval=common.STEP
    )
    for step in range(reference.steps + 1):
        comparison.add(0, step, [value(result[step], name) for name in reference.names])
    comparison.finish()

for model, (output, _, _) in common.OTHERS.items():
    path = str(pathlib.Path(common.folder()) / "version3" / f"{model}.fmu")
    problems = validate_fmu(path)
    if problems:
        sys.exit(f"{model}: {problems}")
    two = simulate_fmu(str(common.fmu(model)), stop_time=0.05, output=[output])
    three = simulate_fmu(path, stop_time=0.05)
    if float(two[output][-1]) != value(three[-1], output):
        sys.exit(f"{model}: {two[output][-1]} with FMI 2.0, {value(three[-1], output)} with 3.0")
    print(f"fmpy validate, {model} of FMI 3.0: no problems; the run has the bits of that with FMI 2.0")
