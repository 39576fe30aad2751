//! The kernel's contact from a configuration: points of the end effector, features of the target,
//! laws and latch.

use super::config::{
    ConeConfig, ContactConfig, EffectorConfig, EffectorShape, FrictionConfig, LatchConfig,
    NormalConfig, PetalsConfig, RimConfig, RingConfig, TargetConfig, TargetShape,
};
use core::f64::consts::TAU;
use multibody::contact::{
    ContactPair, ContactParts, Feature, Friction, FrictionLaw, Latch, LatchLimits, Mounts,
    NormalForce,
};
use multibody::math;
use nalgebra::{Matrix6, Vector3, Vector6};
use softdock_settings::ConfigError;

impl ContactConfig {
    /// The contact of the end effector (body A) with the target (body B), their ports mounted on
    /// the bodies.
    pub fn pair(&self, mounts: &Mounts) -> Result<ContactPair, ConfigError> {
        self.validate()?;
        Ok(ContactPair::new(ContactParts {
            points: effector_points(&self.effector),
            tip_radius: self.effector.tip_radius_m,
            features: features(&self.target),
            normal: self.normal.force(),
            friction: self.friction.force(),
            mounts: *mounts,
            steps_per_half_period: self.steps_per_half_period,
        }))
    }
}

impl NormalConfig {
    /// The law with its numbers.
    fn force(&self) -> NormalForce {
        NormalForce::new(
            self.law,
            self.stiffness_n_per_m_n,
            self.exponent,
            self.restitution,
            self.floor_speed_m_s,
        )
    }
}

impl FrictionConfig {
    /// The law with its numbers.
    fn force(&self) -> Friction {
        match self.law {
            FrictionLaw::None => Friction::None,
            FrictionLaw::Coulomb => Friction::Coulomb {
                coefficient: self.coefficient,
                transition_speed: self.transition_speed_m_s,
            },
            FrictionLaw::BrownMcphee => Friction::BrownMcphee {
                coefficient: self.coefficient,
                static_coefficient: self.static_coefficient,
                transition_speed: self.transition_speed_m_s,
                viscous: self.viscous_n_s_per_m,
                transition_force: self.transition_force_n,
            },
        }
    }
}

impl LatchConfig {
    /// An open latch for a pair.
    pub fn latch(&self, pair: &ContactPair) -> Latch {
        let diagonal = |linear: [f64; 3], angular: [f64; 3]| {
            let ([a, b, c], [d, e, f]) = (linear, angular);
            Matrix6::from_diagonal(&Vector6::new(a, b, c, d, e, f))
        };
        let stiffness = diagonal(self.stiffness_n_per_m, self.stiffness_nm_per_rad);
        let damping = diagonal(self.damping_n_s_per_m, self.damping_nm_s_per_rad);
        Latch::new(self.limits(), pair, &stiffness, &damping)
    }

    /// When it closes.
    pub(super) fn limits(&self) -> LatchLimits {
        LatchLimits {
            enabled: self.enabled,
            gap: self.gap_m,
            angle: self.angle_deg.to_radians(),
            speed: self.speed_m_s,
            dwell: self.dwell_s,
        }
    }
}

/// The features of a target.
fn features(target: &TargetConfig) -> Vec<Feature> {
    match target.shape {
        TargetShape::Plane => vec![Feature::Plane { height: 0.0 }],
        TargetShape::Cone => {
            let ConeConfig {
                half_angle_deg,
                mouth_radius_m,
                depth_m,
                lip_radius_m,
            } = target.cone;
            let funnel = Feature::funnel(half_angle_deg.to_radians(), mouth_radius_m, lip_radius_m);
            vec![funnel, Feature::Plane { height: -depth_m }]
        }
        TargetShape::Ring => {
            let RimConfig {
                radius_m,
                tube_radius_m,
            } = target.ring;
            vec![Feature::Torus {
                radius: radius_m,
                tube_radius: tube_radius_m,
            }]
        }
    }
}

/// The contact points of an end effector in its port frame [m]: the centres of their tips.
pub fn effector_points(effector: &EffectorConfig) -> Vec<Vector3<f64>> {
    let around = |i: usize, count: usize, radius: f64, height: f64| {
        let (sine, cosine) = math::sin_cos(TAU * i as f64 / count as f64);
        Vector3::new(radius * cosine, radius * sine, height)
    };
    match effector.shape {
        EffectorShape::Ring => {
            let RingConfig {
                radius_m,
                count,
                height_m,
            } = effector.ring;
            (0..count)
                .map(|i| around(i, count, radius_m, height_m))
                .collect()
        }
        EffectorShape::Petals => {
            let PetalsConfig {
                count,
                root_radius_m,
                root_height_m,
                length_m,
                inclination_deg,
                points_per_petal,
            } = effector.petals;
            let (sine, cosine) = math::sin_cos(inclination_deg.to_radians());
            let along = |j: usize| length_m * j as f64 / (points_per_petal - 1) as f64;
            (0..count)
                .flat_map(|i| (0..points_per_petal).map(move |j| (i, along(j))))
                .map(|(i, s)| {
                    around(
                        i,
                        count,
                        root_radius_m + s * sine,
                        root_height_m + s * cosine,
                    )
                })
                .collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_on_ring_and_petals() {
        let mut effector = EffectorConfig::default();
        let ring = effector_points(&effector);
        assert_eq!(ring.len(), effector.ring.count);
        for point in &ring {
            assert!((point.xy().norm() - effector.ring.radius_m).abs() < 1e-15);
            assert_eq!(point.z, effector.ring.height_m);
        }
        effector.shape = EffectorShape::Petals;
        let petals = effector.petals;
        let all = effector_points(&effector);
        assert_eq!(all.len(), petals.count * petals.points_per_petal);
        let length = (all[petals.points_per_petal - 1] - all[0]).norm();
        assert!((length - petals.length_m).abs() < 1e-15);
    }
}
