//! The compiled half of the Python package `softdock`: thin classes around the libraries.
//!
//! Settings come as pairs of key and TOML text, results leave as JSON text and arrays of numbers; the
//! Python half (`softdock/*.py`) makes them pleasant. Nothing is computed here, so results are those
//! of the program bit for bit.

mod docking;
mod error;
mod mechanism;
mod model;
mod observation;
mod platform;
mod run;
mod settings;
mod study;
mod work;

use pyo3::prelude::*;

/// Version of the package.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[pymodule]
fn _softdock(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("InputError", py.get_type::<error::InputError>())?;
    module.add("ComputationError", py.get_type::<error::ComputationError>())?;
    module.add_class::<run::Run>()?;
    module.add_class::<docking::Docking>()?;
    module.add_class::<docking::SavedState>()?;
    module.add_class::<platform::Platform>()?;
    module.add_class::<platform::PlatformState>()?;
    module.add_class::<mechanism::Mechanism>()?;
    module.add_class::<model::Model>()?;
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(run::dock, module)?)?;
    module.add_function(wrap_pyfunction!(run::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(run::scenario_text, module)?)?;
    module.add_function(wrap_pyfunction!(run::figures, module)?)?;
    module.add_function(wrap_pyfunction!(study::study, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_table, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_report, module)?)?;
    module.add_function(wrap_pyfunction!(model::models, module)?)?;
    module.add_function(wrap_pyfunction!(model::export_fmu, module)?)?;
    module.add_function(wrap_pyfunction!(run::verify, module)?)?;
    Ok(())
}
