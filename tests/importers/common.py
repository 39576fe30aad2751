"""What the scripts share: the scenario, and the comparison with the native leg.

The folder given as first argument holds LegPlanar.fmu and LegSpatial.fmu, and for each of them
MODEL.csv with the native run of six legs: columns leg, step and variables, hexadecimal numbers.
"""

import csv
import pathlib
import sys

MODELS = ["LegPlanar", "LegSpatial"]
# Models without a native run of six legs: an output that moves, and the input that moves it.
OTHERS = {
    "EndEffector": ("effector.position[3]", "effector.force[3]", -10.0),
    "Platform": ("effector.position[3]", "effector.force[3]", -10.0),
    "Docking": ("effector.position[3]", "effector.force[3]", -10.0),
    "Mechanism": ("tip.x_m", "shoulder_torque", 1.0),
}
LEGS = 6
STEP = 1e-3
# Importers keep time in their own way, so the ends of steps differ in their last bits.
TOLERANCE = 1e-9


def folder():
    return pathlib.Path(sys.argv[1])


def fmu(model):
    return folder() / f"{model}.fmu"


def start_values(leg):
    """What distinguishes the legs: all of them real."""
    return {"crank.mass": 1.0 + 0.1 * leg, "motor.torque_command": 0.05 * leg}


class Reference:
    """The native run of a model's six legs."""

    def __init__(self, model):
        self.model = model
        self.rows = {}
        with open(folder() / f"{model}.csv", newline="") as file:
            reader = csv.reader(file)
            self.names = next(reader)[2:]
            for leg, step, *values in reader:
                numbers = [float.fromhex(value) for value in values]
                self.rows[int(leg), int(step)] = numbers
        self.steps = max(step for _, step in self.rows)


class Comparison:
    """The largest difference between an importer's run and the native one."""

    def __init__(self, importer, reference, tolerance):
        self.importer = importer
        self.reference = reference
        self.tolerance = tolerance
        self.largest = 0.0
        self.count = 0

    def add(self, leg, step, values):
        expected = self.reference.rows[leg, step]
        assert len(values) == len(expected)
        for name, ours, theirs in zip(self.reference.names, expected, values):
            difference = abs(ours - theirs)
            # Written so that a value that is not a number fails.
            if not difference <= self.tolerance * max(1.0, abs(ours)):
                sys.exit(
                    f"{self.importer}, {self.reference.model}, leg {leg}, step {step}: "
                    f"{name} is {theirs!r}, natively {ours!r}"
                )
            self.largest = max(self.largest, difference)
            self.count += 1

    def finish(self):
        assert self.count > 0
        print(
            f"{self.importer}, {self.reference.model}: {self.count} values, "
            f"largest difference {self.largest:.2g}"
        )
