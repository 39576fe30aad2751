"""ecos: six instances of each model in one simulation."""

import common
from ecospy import EcosSimulation, EcosSimulationStructure


def run(model):
    reference = common.Reference(model)
    comparison = common.Comparison("ecospy, six instances", reference, common.TOLERANCE)
    with EcosSimulationStructure() as structure:
        parameters = {}
        for leg in range(common.LEGS):
            structure.add_model(f"leg{leg}", str(common.fmu(model)))
            for name, value in common.start_values(leg).items():
                parameters[f"leg{leg}::{name}"] = value
        structure.add_parameter_set("legs", parameters)
        with EcosSimulation(structure=structure, step_size=common.STEP) as simulation:
            simulation.init(parameter_set="legs")
            for step in range(1, reference.steps + 1):
                simulation.step()
                for leg in range(common.LEGS):
                    names = [f"leg{leg}::{name}" for name in reference.names]
                    comparison.add(leg, step, [simulation.get_real(name) for name in names])
            simulation.terminate()
    comparison.finish()


for model in common.MODELS:
    run(model)
