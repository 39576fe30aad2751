# Six legs and an end effector in FMPy: pip install fmpy. Both FMUs lie beside this file.
from math import cos, radians, sin

from fmpy import extract, instantiate_fmu, read_model_description

STEP, DURATION = 2e-4, 0.3
WRENCH = {"effector.force[3]": -50.0, "effector.moment[1]": 2.0}
MOTORS = [61.84, 118.16, 181.84, 238.16, 301.84, 358.16]
JOINTS = [47.40, 132.60, 167.40, 252.60, 287.40, 12.60]


class Fmu:
    def __init__(self, file, name, start, choices={}):
        description = read_model_description(file)
        self.reference = {v.name: v.valueReference for v in description.modelVariables}
        self.fmu = instantiate_fmu(extract(file), description, "CoSimulation")
        self.fmu.instanceName = name
        self.set(start)
        for choice, value in choices.items():
            self.fmu.setInteger([self.reference[choice]], [value])
        self.fmu.setupExperiment(startTime=0.0)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def set(self, values):
        self.fmu.setReal([self.reference[name] for name in values], list(values.values()))

    def get(self, names):
        return self.fmu.getReal([self.reference[name] for name in names])


def vector(name):
    return [f"{name}[{axis}]" for axis in (1, 2, 3)]


def leg(number):
    motor, joint = radians(MOTORS[number - 1]), radians(JOINTS[number - 1])
    out = [cos(motor), sin(motor), 0.0]
    start = dict(zip(vector("base.motor_position"), [0.150 * x for x in out]))
    start |= dict(zip(vector("base.crank_direction"), out))
    start |= dict(zip(vector("base.motor_axis"), [out[1], -out[0], 0.0]))
    tip = [0.190 * cos(joint), 0.190 * sin(joint), 0.400]
    start |= dict(zip(vector("pretension.tip_position"), tip))
    start |= dict.fromkeys(vector("gravity"), 0.0)
    return Fmu("LegSpatial.fmu", f"leg {number}", start, {"motor.mode": 1})


legs = [leg(number) for number in range(1, 7)]
effector = Fmu("EndEffector.fmu", "end effector", WRENCH)
for k in range(round(DURATION / STEP)):
    # The forces of the last step move the end effector, then the legs go to where it has arrived.
    for number, one in enumerate(legs, 1):
        effector.set(dict(zip(vector(f"leg[{number}].tip.force"), one.get(vector("tip.force")))))
    effector.fmu.doStep(k * STEP, STEP)
    for number, one in enumerate(legs, 1):
        for what in ("position", "velocity"):
            motion = effector.get(vector(f"leg[{number}].tip.{what}"))
            one.set(dict(zip(vector(f"tip.{what}"), motion)))
        one.fmu.doStep(k * STEP, STEP)
print(*effector.get(vector("effector.position")))
