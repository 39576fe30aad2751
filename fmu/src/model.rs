//! The packaged models, in one list.

use crate::docking::DOCKING;
use crate::effector::END_EFFECTOR;
use crate::mechanism::MECHANISM;
use crate::platform::PLATFORM;
use softdock_fmi::model::PackagedModel;
use softdock_leg_models::{LEG_PLANAR, LEG_SPATIAL};
use softdock_xml::ModelDescription;

/// Which model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelKind {
    /// The planar leg: torques and loads in, angles and forces out.
    LegPlanar,
    /// The spatial leg: motion of the tip in, force of the tip out.
    LegSpatial,
    /// The end effector: forces of the legs and a wrench in, motion of their tips out.
    EndEffector,
    /// The whole platform: motor commands and a wrench in, motion, forces and margins out.
    Platform,
    /// A docking: wrenches in, motion, contact loads, outcome and margins out.
    Docking,
    /// Any mechanism file: its inputs in, its outputs out.
    Mechanism,
}

impl ModelKind {
    /// All models.
    pub const ALL: [Self; 6] = [
        Self::LegPlanar,
        Self::LegSpatial,
        Self::EndEffector,
        Self::Platform,
        Self::Docking,
        Self::Mechanism,
    ];
    /// The legs.
    pub const LEGS: [Self; 2] = [Self::LegPlanar, Self::LegSpatial];

    /// The model as the shell takes it.
    pub fn packaged(self) -> &'static PackagedModel {
        match self {
            Self::LegPlanar => &LEG_PLANAR,
            Self::LegSpatial => &LEG_SPATIAL,
            Self::EndEffector => &END_EFFECTOR,
            Self::Platform => &PLATFORM,
            Self::Docking => &DOCKING,
            Self::Mechanism => &MECHANISM,
        }
    }

    /// The name of the model, of its FMU and of its binary.
    pub fn name(self) -> &'static str {
        self.packaged().name
    }

    /// The model of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The model description, with its GUID.
    pub fn description(self) -> Result<ModelDescription, softdock_xml::Error> {
        self.packaged().description()
    }

    /// The GUID that ties the description to the library: a digest of its content.
    pub fn guid(self) -> Option<&'static str> {
        self.packaged().guid()
    }
}
