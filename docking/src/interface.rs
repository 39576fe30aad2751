//! Loads at the mating plane between end effector and target ([`InterfaceLoad`] says in which frame): what
//! target and closed latch do to the end effector there.
//!
//! By the balance of the end effector, that is its inertia minus legs, weight and wrench from outside; by
//! that of the target, the opposite of the target's inertia.

use multibody::group::{Group, Se3};
use nalgebra::Vector3;
use softdock_platform::encounter::Encounter;
pub use softdock_platform::interface::InterfaceLoad;

/// Moment of the contact forces alone about the centre of the mating plane, world axes [N·m]; the
/// end effector has the pose `effector`.
pub fn contact_moment(encounter: &Encounter, effector: &Se3) -> Vector3<f64> {
    let frame = encounter.pair().mating_frame();
    let centre = effector.translation() + effector.rotation() * frame.translation();
    let points = encounter.output().points.iter();
    let pressed = points.filter(|point| point.normal_force > 0.0);
    pressed
        .map(|point| (point.position - centre).cross(&point.force))
        .sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::config::Scenario;
    use crate::run::DockingRun;
    use multibody::group::Group;
    use nalgebra::Vector6;
    use softdock_platform::bodies::EFFECTOR;
    use softdock_platform::body::{Body, BodyState, point_map};

    /// Wrench that a body's motion asks for: M v̇ − ad_vᵀ M v, in its axes.
    fn inertia(body: &Body, state: &BodyState) -> Vector6<f64> {
        let v = &state.velocity;
        body.inertia * state.acceleration - Se3::ad(v).tr_mul(&(body.inertia * v))
    }

    /// Largest imbalance of end effector and of target over what the legs carry.
    fn imbalance(run: &DockingRun) -> [f64; 2] {
        let platform = run.platform();
        let list = platform.world().bodies();
        let effector = &platform.bodies()[EFFECTOR];
        let rotation = effector.pose.rotation();
        let output = platform.world().encounter().unwrap().output();
        let spheres = platform.config().sphere_positions();
        let mut legs = Vector6::zeros();
        let mut carried = 0.0;
        for (i, sphere) in spheres.iter().enumerate() {
            let force = platform.leg(i).tip_force;
            carried += force.norm();
            legs += point_map(sphere).tr_mul(&rotation.tr_mul(&force));
        }
        let needed = inertia(&list.all[EFFECTOR], effector);
        let target = list.target.unwrap();
        let met = inertia(&list.all[target], &platform.bodies()[target]);
        [
            (needed - legs - output.wrench_a).amax() / carried,
            (met - output.wrench_b).amax() / carried,
        ]
    }

    /// The load at the mating plane is what the legs and the inertia of the end effector leave over,
    /// and what moves the target: in free flight, in contact and behind a closed latch, on a fixed
    /// and on a floating base.
    #[test]
    fn the_interface_carries_what_legs_and_inertia_leave_over() {
        for free_floating in [false, true] {
            let mut scenario = Scenario::default();
            scenario.platform.legs.elements = 3;
            scenario.platform.base.free_floating = free_floating;
            scenario.platform.solver.newton_tolerance = 1e-12;
            scenario.docking.misalignment.pitch_deg = 1.0;
            scenario.docking.duration_s = 0.3;
            let latch = &mut scenario.docking.contact.latch;
            (latch.gap_m, latch.speed_m_s, latch.dwell_s) = (0.0, 0.1, 0.02);
            let mut run = DockingRun::new(&scenario, true).unwrap();
            let (mut worst, mut loaded) = ([0.0_f64; 2], [false; 2]);
            while !run.finished() {
                run.advance().unwrap();
                let found = imbalance(&run);
                worst = [worst[0].max(found[0]), worst[1].max(found[1])];
                let sample = run.samples().last().unwrap();
                loaded[0] |= sample.interface.compression() > 1.0 && !sample.captured;
                loaded[1] |= sample.captured && sample.interface.force.norm() > 1.0;
            }
            println!("floating {free_floating}: {worst:?}");
            assert_eq!(loaded, [true; 2], "in contact, then latched");
            assert!(worst.iter().all(|imbalance| *imbalance < 1e-9), "{worst:?}");
        }
    }

    /// Splitting a wrench loses nothing: the moment about the end effector's origin comes back.
    #[test]
    fn a_load_is_split_about_the_centre_of_the_mating_plane() {
        let wrench = Vector6::new(1.0, -2.0, -30.0, 0.5, 0.25, -0.125);
        let frame = Se3::from_translation(Vector3::new(0.1, 0.0, 0.05));
        let load = InterfaceLoad::from_wrench(&wrench, &frame);
        assert_eq!((load.compression(), load.tension()), (30.0, 0.0));
        assert_eq!(load.shear(), 5.0_f64.sqrt());
        let back = load.moment + frame.translation().cross(&load.force);
        assert!((back - Vector3::new(0.5, 0.25, -0.125)).norm() < 1e-15);
        assert!((load.torsion() + 0.125 - 0.2).abs() < 1e-15);
    }
}
