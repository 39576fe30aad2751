//! Settings of what target and base do by themselves: the same rows for both.

use super::Hold;
use crate::body::BodyState;
use crate::wrench::WrenchHistory;
use leg_core::config::History;
use multibody::model::Signal;
use nalgebra::{Matrix3, Vector3};
use softdock_settings::{ConfigError, table, words};

words! {
    /// What a body holds by itself.
    pub enum HoldMode {
        /// Nothing: it floats.
        #[default]
        Off = "off",
        /// Its attitude.
        Attitude = "attitude",
        /// Its attitude, and the course on which its centre of mass was at the start.
        Pose = "pose",
    }
}

/// Gains and limits of a body that holds itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HoldSettings {
    /// k_a [N·m/rad].
    pub stiffness: f64,
    /// d_a [N·m·s/rad].
    pub damping: f64,
    /// Largest moment about each axis [N·m].
    pub torque_limit: f64,
    /// k_p [N/m].
    pub position_stiffness: f64,
    /// d_p [N·s/m].
    pub position_damping: f64,
    /// Largest force along each axis [N].
    pub force_limit: f64,
}

/// Declares the two tables of one body, whose keys begin with its own name.
macro_rules! tables {
    ($wrench:ident in $wrench_prefix:tt, $hold:ident in $hold_prefix:tt, $doc:literal) => {
        table! {
            #[doc = concat!("Wrench of thrusters and wheels of ", $doc, ": numbers or histories.")]
            pub struct $wrench in $wrench_prefix {
                force_x_n: History = History::default(), "Force of its thrusters at its centre of mass, along x of its own axes" ["N"];
                force_y_n: History = History::default(), "Force along its y" ["N"];
                force_z_n: History = History::default(), "Force along its z" ["N"];
                moment_x_nm: History = History::default(), "Moment of its wheels or thrusters about its x" ["N·m"];
                moment_y_nm: History = History::default(), "Moment about its y" ["N·m"];
                moment_z_nm: History = History::default(), "Moment about its z" ["N·m"];
            }
        }

        table! {
            #[doc = concat!("How ", $doc, " holds itself.")]
            #[derive(Copy)]
            pub struct $hold in $hold_prefix {
                mode: HoldMode = HoldMode::Off, "What it holds by a PD law with limits: off (nothing), attitude, or pose (attitude, and the course of its centre of mass at the start)";
                pitch_deg: f64 = 0.0, "Attitude to hold: pitch; pitch, yaw and roll zero: aligned for docking" ["deg"; -180 to 180];
                yaw_deg: f64 = 0.0, "Attitude to hold: yaw" ["deg"; -180 to 180];
                roll_deg: f64 = 0.0, "Attitude to hold: roll" ["deg"; -180 to 180];
                stiffness_nm_per_rad: f64 = 20.0, "Moment for each radian of wrong attitude" ["N·m/rad"; 0 to 1e12];
                damping_nm_s_per_rad: f64 = 80.0, "Moment against each radian per second" ["N·m·s/rad"; 0 to 1e12];
                torque_limit_nm: f64 = 5.0, "Largest moment of the law about each of its axes" ["N·m"; above 0 to 1e12];
                position_stiffness_n_per_m: f64 = 125.0, "Force for each metre off its course" ["N/m"; 0 to 1e12];
                position_damping_n_s_per_m: f64 = 500.0, "Force against each metre per second off its course" ["N·s/m"; 0 to 1e12];
                force_limit_n: f64 = 20.0, "Largest force of the law along each of its axes" ["N"; above 0 to 1e12];
            }
        }

        impl $wrench {
            fn parts(&self) -> [(&'static str, &History); 6] {
                [
                    (Self::force_x_n.key, &self.force_x_n),
                    (Self::force_y_n.key, &self.force_y_n),
                    (Self::force_z_n.key, &self.force_z_n),
                    (Self::moment_x_nm.key, &self.moment_x_nm),
                    (Self::moment_y_nm.key, &self.moment_y_nm),
                    (Self::moment_z_nm.key, &self.moment_z_nm),
                ]
            }

            /// Checks the histories.
            pub fn validate(&self) -> Result<(), ConfigError> {
                let mut parts = self.parts().into_iter();
                parts.try_for_each(|(key, history)| history.validate(key))
            }

            /// The key of a history that does something.
            pub fn acting(&self) -> Option<&'static str> {
                let none = Signal::Constant(0.0);
                let mut parts = self.parts().into_iter();
                parts.find_map(|(key, history)| (history.signal() != none).then_some(key))
            }

            /// The histories, force first.
            pub fn history(&self) -> WrenchHistory {
                WrenchHistory(self.parts().map(|(_, history)| history.signal()))
            }
        }

        impl $hold {
            /// The law, for a body that starts in `state` with its centre of mass at `centre` [m] of
            /// its frame, and holds `attitude`; none if it is off.
            pub fn law(
                &self,
                state: &BodyState,
                centre: &Vector3<f64>,
                attitude: Matrix3<f64>,
            ) -> Option<Hold> {
                if self.mode == HoldMode::Off {
                    return None;
                }
                let course = [state.point(centre), state.point_velocity(centre)];
                Some(Hold {
                    settings: HoldSettings {
                        stiffness: self.stiffness_nm_per_rad,
                        damping: self.damping_nm_s_per_rad,
                        torque_limit: self.torque_limit_nm,
                        position_stiffness: self.position_stiffness_n_per_m,
                        position_damping: self.position_damping_n_s_per_m,
                        force_limit: self.force_limit_n,
                    },
                    attitude,
                    course: (self.mode == HoldMode::Pose).then_some(course),
                })
            }
        }
    };
}

tables!(TargetWrench in "target.wrench", TargetHold in "target.hold", "the target");
tables!(BaseWrench in "base.wrench", BaseHold in "base.hold", "the floating base");
