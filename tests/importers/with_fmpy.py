"""FMPy: validation, the run of somebody who just presses the button, and six instances."""

import sys

import common
from fmpy import extract, instantiate_fmu, read_model_description, simulate_fmu
from fmpy.validation import validate_fmu


def validate(model):
    problems = validate_fmu(str(common.fmu(model)))
    if problems:
        sys.exit(f"{model}: {problems}")
    description = read_model_description(str(common.fmu(model)))
    for variable in description.modelVariables:
        if variable.type in ("Real", "Integer") and variable.start is not None:
            start = float(variable.start)
            low = float(variable.min) if variable.min is not None else start
            high = float(variable.max) if variable.max is not None else start
            if not low <= start <= high:
                sys.exit(f"{model}: {variable.name} starts at {start}, outside {low} to {high}")
    print(f"fmpy validate, {model}: no problems, every start value inside its range")


def press_run(model, reference):
    comparison = common.Comparison("FMPy simulate_fmu", reference, common.TOLERANCE)
    result = simulate_fmu(
        str(common.fmu(model)),
        stop_time=reference.steps * common.STEP,
        # The step of the native run, not the one that the FMU declares.
        output_interval=common.STEP,
        output=reference.names,
    )
    for step in range(reference.steps + 1):
        comparison.add(0, step, [float(result[name][step]) for name in reference.names])
    comparison.finish()


def six_instances(model, reference):
    """The same sequence of calls as natively: the same bits."""
    comparison = common.Comparison("FMPy, six instances", reference, 0.0)
    description = read_model_description(str(common.fmu(model)))
    references = {v.name: v.valueReference for v in description.modelVariables}
    unpacked = extract(str(common.fmu(model)))
    legs = []
    for leg in range(common.LEGS):
        instance = instantiate_fmu(unpacked, description, "CoSimulation")
        for name, value in common.start_values(leg).items():
            instance.setReal([references[name]], [value])
        instance.setupExperiment(startTime=0.0)
        instance.enterInitializationMode()
        instance.exitInitializationMode()
        legs.append(instance)
    wanted = [references[name] for name in reference.names]
    for step in range(reference.steps + 1):
        for leg, instance in enumerate(legs):
            comparison.add(leg, step, list(instance.getReal(wanted)))
            if step < reference.steps:
                instance.doStep(step * common.STEP, common.STEP)
    for instance in legs:
        instance.terminate()
        instance.freeInstance()
    comparison.finish()


for model in common.MODELS:
    validate(model)
    reference = common.Reference(model)
    press_run(model, reference)
    six_instances(model, reference)


def others():
    """Validation, and a run whose input is heard."""
    for model, (output, name, value) in common.OTHERS.items():
        validate(model)
        ends = [
            float(simulate_fmu(str(common.fmu(model)), stop_time=0.05, start_values=start, output=[output])[output][-1])
            for start in ({}, {name: value})
        ]
        if not ends[0] == ends[0] or ends[0] == ends[1]:
            sys.exit(f"{model}: {output} ends with {ends}")
        print(f"FMPy simulate_fmu, {model}: {output} ends with {ends}")


others()
