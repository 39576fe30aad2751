"""FMPy (FMI 2.0 and 3.0), libcosim and ecos: whole platform, docking and mechanism, against the program.

The folder given as first argument holds Platform.fmu, Docking.fmu and Mechanism.fmu, the same of FMI 3.0 in
version3, and what the program computes: whole/platform.csv, dock/run.csv, arm/mechanism.csv.
"""

import csv
import sys

import common
from ecospy import EcosSimulation, EcosSimulationStructure
from fmpy import simulate_fmu
from libcosimpy.CosimEnums import CosimVariableType
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

# Parts of a column's size; what hardly moves is measured by this (m, rad, m/s, J).
ALLOWED = 1e-9
SMALL = 1e-3

# Model: native run, inputs that are held, columns and the outputs that they are.
RUNS = {
    "Platform": (
        "whole/platform.csv",
        {"effector.force[3]": -50.0, "effector.moment[1]": 2.0},
        {
            "x": "effector.position[1]",
            "y": "effector.position[2]",
            "z": "effector.position[3]",
            "pitch": "effector.attitude[1]",
            "vz": "effector.velocity[3]",
            "wz": "effector.spin[3]",
        },
    ),
    "Docking": (
        "dock/run.csv",
        {},
        {
            "effector_x_m": "effector.position[1]",
            "effector_z_m": "effector.position[3]",
            "target_z_m": "target.position[3]",
            "effector_velocity_z_m_s": "effector.velocity[3]",
            "effector_pitch_rad": "effector.attitude[1]",
        },
    ),
    "Mechanism": (
        "arm/mechanism.csv",
        {},
        {
            "q1_rad": "q1_rad",
            "q2_rad": "q2_rad",
            "tip.x_m": "tip.x_m",
            "energy.kinetic_j": "energy.kinetic_j",
        },
    ),
}


def native(path, columns):
    """Step, and rows of the columns."""
    with open(common.folder() / path, newline="") as file:
        reader = csv.reader(file)
        names = next(reader)
        places = [names.index(name) for name in columns]
        rows = [(float(row[0]), [float(row[place]) for place in places]) for row in reader]
    return round(rows[1][0] - rows[0][0], 9), [values for _, values in rows]


def arrays(values):
    """Elements `x[2]` of FMI 2.0 as arrays `x` of three."""
    out = {}
    for name, value in values.items():
        array, index = name[:-1].split("[")
        out.setdefault(array, [0.0] * 3)[int(index) - 1] = value
    return out


def element(row, name):
    if name in row.dtype.names:
        return float(row[name])
    array, index = name[:-1].rsplit("[", 1)
    return float(row[array][int(index) - 1])


def with_fmpy(path, held, outputs, step, count):
    rows = simulate_fmu(str(path), stop_time=step * (count - 1), output_interval=step, start_values=held)
    return [[element(row, name) for name in outputs] for row in rows[1:]]


def with_libcosim(path, held, outputs, step, count):
    execution = CosimExecution.from_step_size(step_size=round(step * 1e9))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer=observer)
    slave = CosimLocalSlave(fmu_path=str(path), instance_name="model")
    index = execution.add_local_slave(local_slave=slave)
    references = {
        variable.name.decode(): variable.reference
        for variable in execution.slave_variables(slave_index=index)
        if variable.type == CosimVariableType.REAL.value
    }
    for name, value in held.items():
        execution.real_initial_value(index, references[name], value)
    out = []
    for _ in range(count - 1):
        execution.step()
        out.append(list(observer.last_real_values(index, [references[name] for name in outputs])))
    return out


def with_ecos(path, held, outputs, step, count):
    out = []
    with EcosSimulationStructure() as structure:
        structure.add_model("model", str(path))
        structure.add_parameter_set("held", {f"model::{name}": value for name, value in held.items()})
        with EcosSimulation(structure=structure, step_size=step) as simulation:
            simulation.init(parameter_set="held")
            for _ in range(count - 1):
                simulation.step()
                out.append([simulation.get_real(f"model::{name}") for name in outputs])
            simulation.terminate()
    return out


def compare(tool, model, found, wanted):
    if len(found) != len(wanted):
        sys.exit(f"{tool}, {model}: {len(found)} rows instead of {len(wanted)}")
    worst = 0.0
    for column in range(len(wanted[0])):
        size = max([SMALL] + [abs(row[column]) for row in wanted])
        # NaN is larger than allowed, too.
        off = [abs(a[column] - b[column]) / size for a, b in zip(found, wanted)]
        if not all(value <= ALLOWED for value in off):
            sys.exit(f"{tool}, {model}: column {column} is {max(off)} off")
        worst = max(worst, *off)
    print(f"{tool}, {model}: {len(found)} rows, {worst:.1e} off")


log_output_level(CosimLogLevel.WARNING)
for model, (path, held, columns) in RUNS.items():
    step, rows = native(path, columns)
    wanted, outputs = rows[1:], list(columns.values())
    two, three = common.fmu(model), common.folder() / "version3" / f"{model}.fmu"
    for tool, run, fmu, inputs in (
        ("FMPy", with_fmpy, two, held),
        ("FMPy, FMI 3.0", with_fmpy, three, arrays(held)),
        ("libcosim", with_libcosim, two, held),
        ("ecos", with_ecos, two, held),
    ):
        compare(tool, model, run(fmu, inputs, outputs, step, len(rows)), wanted)
