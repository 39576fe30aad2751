//! A platform that the caller drives.

use crate::error::refused;
use crate::observation::{matrix, names, observe};
use crate::settings::{Pairs, settings, source};
use crate::work::{detached, interruptible};
use leg_core::planar::LinkDrive;
use multibody::model::Signal;
use nalgebra::{DMatrix, DVector};
use numpy::PyArray1;
use pyo3::prelude::*;
use softdock::library::{self, Chosen};
use softdock_platform::config::Coupling;
use softdock_platform::linear_model::{Kept, RESPONSE_TOLERANCE, linearize_platform};
use softdock_platform::monolithic;
use softdock_platform::native::NativeLeg;
use softdock_platform::regulator::apply;
use softdock_platform::statics::{StaticPlatform, StaticSettings, Target};
use softdock_platform::wrench::WrenchHistory;
use softdock_platform::{PlatformConfig, PlatformError};
use std::sync::Mutex;

struct Inner {
    platform: monolithic::Platform,
    equilibrium: StaticPlatform,
}

/// The platform in time.
#[pyclass(frozen, module = "softdock._softdock")]
pub struct Platform {
    inner: Mutex<Inner>,
    legs: usize,
    text: String,
}

/// A platform put aside.
#[pyclass(frozen, module = "softdock._softdock")]
pub struct PlatformState {
    saved: Mutex<(
        monolithic::PlatformState,
        Vec<(Signal, Signal)>,
        WrenchHistory,
    )>,
    time: f64,
}

#[pymethods]
impl PlatformState {
    /// Time at which it was saved [s].
    #[getter]
    fn time(&self) -> f64 {
        self.time
    }
}

impl Platform {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inner) -> anyhow::Result<T> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            work(
                &mut self
                    .inner
                    .lock()
                    .unwrap_or_else(|poison| poison.into_inner()),
            )
        })
    }

    fn check(&self, what: &str, values: &Option<Vec<f64>>, count: usize) -> PyResult<()> {
        match values {
            Some(list) if list.len() != count || list.iter().any(|x| !x.is_finite()) => {
                Err(refused(format!(
                    "{what} = {list:?} is not allowed: there must be {count} finite numbers"
                )))
            }
            _ => Ok(()),
        }
    }
}

/// The platform at rest, its motors at these angles [rad], or where the settings have it.
fn at_rest(config: &PlatformConfig, motors: Option<Vec<f64>>) -> anyhow::Result<Inner> {
    let mut equilibrium = StaticPlatform::nominal(config)?;
    let target = Target {
        pose: None,
        motors: Some(motors.unwrap_or_else(|| equilibrium.motors().to_vec())),
        force: Default::default(),
        moment: Default::default(),
    };
    equilibrium.follow(&target, &StaticSettings::default())?;
    let wrench = WrenchHistory(config.wrench.signals());
    let platform = monolithic::Platform::at_rest_under(&equilibrium, wrench)?;
    Ok(Inner {
        platform,
        equilibrium,
    })
}

fn rows(matrix: &DMatrix<f64>) -> (usize, usize, Vec<f64>) {
    (
        matrix.nrows(),
        matrix.ncols(),
        matrix.transpose().as_slice().to_vec(),
    )
}

#[pymethods]
impl Platform {
    #[new]
    #[pyo3(signature = (name, text, pairs, motors=None))]
    fn new(
        py: Python<'_>,
        name: Option<String>,
        text: Option<String>,
        pairs: Pairs,
        motors: Option<Vec<f64>>,
    ) -> PyResult<Self> {
        let settings = settings(&pairs)?;
        let source = source(name.as_deref(), text.as_deref());
        let chosen: Chosen<PlatformConfig> = detached(py, || library::platform(source, &settings))?;
        if chosen.config.coupling != Coupling::Monolithic {
            return Err(refused(
                "coupling must be \"monolithic\": a platform that is stepped is solved as a whole",
            ));
        }
        let legs = chosen.config.leg_count();
        if motors.as_ref().is_some_and(|list| list.len() != legs) {
            return Err(refused(format!("motors: there must be {legs} angles")));
        }
        let inner = interruptible(py, |_| at_rest(&chosen.config, motors))?;
        Ok(Self {
            inner: Mutex::new(inner),
            legs,
            text: chosen.text,
        })
    }

    /// Names of the numbers of an observation.
    #[getter]
    fn names(&self) -> Vec<String> {
        names(self.legs, false)
    }

    /// Number of motors.
    #[getter]
    fn motors(&self) -> usize {
        self.legs
    }

    /// Every setting as a TOML file.
    #[getter]
    fn config_text(&self) -> &str {
        &self.text
    }

    /// Time reached [s].
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |inner| Ok(inner.platform.time()))
    }

    /// Torques that hold the platform where it started [N·m].
    fn holding_torques<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let torques = self.with(py, |inner| Ok(inner.equilibrium.holding_torques()))?;
        Ok(PyArray1::from_vec(py, torques))
    }

    /// Stiffness of the end effector against its base where it started, six rows.
    fn stiffness(&self, py: Python<'_>) -> PyResult<(usize, usize, Vec<f64>)> {
        self.with(py, |inner| {
            let stiffness = inner.equilibrium.stiffness();
            Ok(rows(&DMatrix::from_fn(6, 6, |i, j| stiffness[(i, j)])))
        })
    }

    /// Wrench on the end effector by the torques of the motors where it started, six rows.
    fn wrench_by_torques(&self, py: Python<'_>) -> PyResult<(usize, usize, Vec<f64>)> {
        self.with(py, |inner| Ok(rows(&inner.equilibrium.wrench_by_torques())))
    }

    /// Pose of the end effector, a matrix of four rows, row by row.
    fn pose<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let pose = self.with(py, |inner| Ok(matrix(&inner.platform.effector().pose)))?;
        Ok(PyArray1::from_vec(py, pose))
    }

    /// What there is to see now.
    fn observe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let seen = self.with(py, |inner| Ok(observe(&inner.platform)))?;
        Ok(PyArray1::from_vec(py, seen))
    }

    /// Moves on by `length` [s] with these torques [N·m] and this wrench on the end effector [N, N·m],
    /// and gives the observation there.
    #[pyo3(signature = (length, torques=None, wrench=None))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        length: f64,
        torques: Option<Vec<f64>>,
        wrench: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.check("torques", &torques, self.legs)?;
        self.check("wrench", &wrench, 6)?;
        if !(length > 0.0 && length.is_finite()) {
            return Err(refused(format!(
                "a step of {length} s is not allowed: it must be > 0 and finite"
            )));
        }
        let seen = self.with(py, |inner| {
            let platform = &mut inner.platform;
            if let Some(wrench) = wrench {
                let signal = |i: usize| Signal::Constant(wrench[i]);
                platform.set_wrench(WrenchHistory(std::array::from_fn(signal)));
            }
            if let Some(torques) = torques {
                apply(platform, &DVector::from_vec(torques))?;
            }
            let end = platform.time() + length;
            platform.advance_to(end)?;
            Ok::<_, anyhow::Error>(observe(platform))
        })?;
        Ok(PyArray1::from_vec(py, seen))
    }

    /// Puts the platform aside.
    fn save(&self, py: Python<'_>) -> PyResult<PlatformState> {
        let motor = |leg: &NativeLeg| (leg.motor().0.clone(), leg.motor().1.clone());
        let (saved, time) = self.with(py, |inner| {
            let platform = &inner.platform;
            let motors = platform.legs().iter().map(motor).collect();
            let wrench = platform.world().wrench().history().clone();
            Ok(((platform.state(), motors, wrench), platform.time()))
        })?;
        Ok(PlatformState {
            saved: Mutex::new(saved),
            time,
        })
    }

    /// Goes back to where it was saved.
    fn restore(&self, py: Python<'_>, state: &PlatformState) -> PyResult<()> {
        self.with(py, |inner| {
            let saved = state
                .saved
                .lock()
                .unwrap_or_else(|poison| poison.into_inner());
            let (state, motors, wrench) = &*saved;
            let platform = &mut inner.platform;
            for (leg, (torque, angle)) in platform.legs_mut().iter_mut().zip(motors) {
                leg.set_motor(torque.clone(), angle.clone());
            }
            platform.restore(state);
            if platform.world().wrench().history() != wrench {
                // It takes over at the time restored; the pace that it changes is put back, too.
                platform.set_wrench(wrench.clone());
                platform.restore(state);
            }
            Ok(())
        })
    }

    /// A, B, C, D about where it started: each as rows, columns and numbers row by row.
    #[pyo3(signature = (motors="free", cutoff_hz=50.0))]
    #[expect(
        clippy::type_complexity,
        reason = "four matrices and three lists of names"
    )]
    fn linearize(
        &self,
        py: Python<'_>,
        motors: &str,
        cutoff_hz: f64,
    ) -> PyResult<(Vec<(usize, usize, Vec<f64>)>, Vec<Vec<String>>)> {
        let drive = match motors {
            "free" => LinkDrive::Free,
            "locked" => LinkDrive::Prescribed,
            "held" => LinkDrive::Held,
            other => {
                return Err(refused(format!(
                    "motors = \"{other}\" is not allowed: it must be \"free\", \"locked\" or \"held\""
                )));
            }
        };
        let resting = self.with(py, |inner| Ok(inner.equilibrium.clone()))?;
        interruptible(py, |_| {
            let linear =
                linearize_platform(&resting, drive, Kept::Below(cutoff_hz), RESPONSE_TOLERANCE)
                    .map_err(|error: PlatformError| anyhow::Error::from(error))?;
            let model = &linear.model;
            let names = [&model.states, &model.inputs, &model.outputs].map(|labels| {
                let name = |label: &multibody::linearize::Label| label.name.to_string();
                labels.iter().map(name).collect::<Vec<String>>()
            });
            let matrices = [&model.a, &model.b, &model.c, &model.d].map(rows);
            Ok((matrices.to_vec(), names.to_vec()))
        })
    }
}
