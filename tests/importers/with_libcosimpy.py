"""libcosim: six instances of each model in one execution."""

import common
from libcosimpy.CosimEnums import CosimVariableType
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave


def run(model):
    reference = common.Reference(model)
    comparison = common.Comparison("libcosimpy, six instances", reference, common.TOLERANCE)
    execution = CosimExecution.from_step_size(step_size=round(common.STEP * 1e9))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer=observer)
    legs = []
    for leg in range(common.LEGS):
        slave = CosimLocalSlave(fmu_path=str(common.fmu(model)), instance_name=f"leg{leg}")
        index = execution.add_local_slave(local_slave=slave)
        references = {
            variable.name.decode(): variable.reference
            for variable in execution.slave_variables(slave_index=index)
            if variable.type == CosimVariableType.REAL.value
        }
        for name, value in common.start_values(leg).items():
            execution.real_initial_value(index, references[name], value)
        legs.append((index, [references[name] for name in reference.names]))
    for step in range(1, reference.steps + 1):
        execution.step()
        for leg, (index, wanted) in enumerate(legs):
            comparison.add(leg, step, observer.last_real_values(index, wanted))
    comparison.finish()


log_output_level(CosimLogLevel.WARNING)
for model in common.MODELS:
    run(model)
