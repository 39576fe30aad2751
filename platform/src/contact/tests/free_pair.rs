//! Two free-floating bodies that meet off-centre: momentum and energy.

use super::*;

/// Momentum: rounding and the integrator's tolerance over some hundred steps.
const MOMENTUM_TOLERANCE: f64 = 1e-10;
/// Energy: every touch is a kink of the force that the integrator steps over; a ledger must close
/// to 1e-3.
const ENERGY_TOLERANCE: f64 = 1e-8;

/// Ports half a metre off the centres of mass.
fn mounts() -> Mounts {
    Mounts {
        a: Se3::new(Vector3::new(0.1, -0.05, 0.5), Vector3::new(0.02, 0.0, 0.3)),
        b: Se3::new(Vector3::new(-0.2, 0.1, 0.6), Vector3::new(0.0, 0.03, -0.2)),
    }
}

/// A chaser of 500 kg closing with 0.05 m/s on a target of 1500 kg, tilted and turning.
fn meeting(mounts: &Mounts) -> [BodyMotion; 2] {
    let target = BodyMotion {
        pose: Se3::new(Vector3::new(3.0, -2.0, 1.0), Vector3::new(0.3, -0.5, 0.2)),
        twist: Vector6::new(0.01, -0.02, 0.0, 0.003, 0.002, -0.004),
    };
    let facing = Se3::new(
        Vector3::new(-0.02, 0.03, 0.045),
        Vector3::new(core::f64::consts::PI - 0.05, 0.1, 0.03),
    );
    let pose = target.pose.compose(&mounts.b).compose(&facing);
    let chaser = BodyMotion {
        pose: pose.compose(&mounts.a.inverse()),
        twist: Vector6::new(0.004, -0.02, 0.06, 0.002, -0.001, 0.005),
    };
    [chaser, target]
}

fn meet(shape: TargetShape, friction: FrictionLaw) {
    let mut config = ContactConfig::default();
    config.target.shape = shape;
    config.friction.law = friction;
    config.friction.viscous_n_s_per_m = 5.0;
    let mounts = mounts();
    let inertias = [inertia(500.0, 60.0), inertia(1500.0, 400.0)];
    let start = meeting(&mounts);
    let mut rig = Rig::new(&config, &mounts, inertias, no_load);
    let before = rig.world_momentum(&start);
    let total = before[0] + before[1];
    let size = |part: usize| {
        let part_of = |p: &Vector6<f64>| p.fixed_rows::<3>(3 * part).norm();
        part_of(&before[0]) + part_of(&before[1])
    };
    let sizes = [size(0), size(1)];
    let inertias = rig.inertia;
    let kinetic = rig.kinetic(&start);
    let (mut worst_momentum, mut worst_energy) = ([0.0_f64; 2], 0.0_f64);
    let (mut peak, mut dissipated) = (0.0_f64, [0.0; 2]);
    let spectator = Rig::new(&config, &mounts, inertias, no_load);
    rig.run(start, 1.5, 0.05, |_, bodies, losses, output| {
        let now = spectator.world_momentum(bodies);
        let change = now[0] + now[1] - total;
        for part in 0..2 {
            let error = change.fixed_rows::<3>(3 * part).norm() / sizes[part];
            worst_momentum[part] = worst_momentum[part].max(error);
        }
        let energy = spectator.kinetic(bodies) + output.potential() + losses[0] + losses[1];
        worst_energy = worst_energy.max((energy / kinetic - 1.0).abs());
        peak = peak.max(output.normal_force);
        dissipated = losses;
        false
    });
    assert!(peak > 20.0, "the bodies meet: {peak} N");
    assert!(dissipated[0] > 1e-3 * kinetic && dissipated[1] > 1e-5 * kinetic);
    assert!(worst_momentum[0] < MOMENTUM_TOLERANCE, "{worst_momentum:?}");
    assert!(worst_momentum[1] < MOMENTUM_TOLERANCE, "{worst_momentum:?}");
    assert!(worst_energy < ENERGY_TOLERANCE, "{worst_energy:e}");
}

#[test]
fn ring_on_plane_keeps_momentum_and_closes_the_ledger() {
    meet(TargetShape::Plane, FrictionLaw::Coulomb);
}

#[test]
fn ring_in_cone_keeps_momentum_and_closes_the_ledger() {
    meet(TargetShape::Cone, FrictionLaw::BrownMcphee);
}
