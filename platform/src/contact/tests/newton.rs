//! The tangents at work: Newton's method on implicit steps of two bodies in contact.

use super::*;
use nalgebra::{Matrix6, SMatrix};

const STEP: f64 = 5e-4;
/// Force residual at which an iteration ends, relative to the largest contact force.
const CONVERGED: f64 = 1e-10;

/// Residual of a backward Euler step that ends with the twists of `bodies`, in the poses
/// H_n exp(h v), and its derivative by these twists.
fn residual(
    rig: &mut Rig<fn(f64, &BodyMotion) -> Vector6<f64>>,
    episodes: &Episodes,
    start: &[BodyMotion; 2],
    twists: &SVector<f64, 12>,
) -> (SVector<f64, 12>, SMatrix<f64, 12, 12>, [BodyMotion; 2]) {
    let mut bodies = *start;
    for (i, body) in bodies.iter_mut().enumerate() {
        body.twist = twists.fixed_rows::<6>(6 * i).into_owned();
        body.pose = body.pose.compose(&Se3::exp(&(STEP * body.twist)));
    }
    rig.pair
        .evaluate(episodes, &bodies[0], &bodies[1], &mut rig.output);
    let wrenches = [rig.output.wrench_a, rig.output.wrench_b];
    let (k, d) = (&rig.output.by_pose, &rig.output.by_twist);
    let by_pose = [[k.a_by_a, k.a_by_b], [k.b_by_a, k.b_by_b]];
    let by_twist = [[d.a_by_a, d.a_by_b], [d.b_by_a, d.b_by_b]];
    let mut r = SVector::<f64, 12>::zeros();
    let mut jacobian = SMatrix::<f64, 12, 12>::zeros();
    for i in 0..2 {
        let (v, m) = (bodies[i].twist, Matrix6::from_diagonal(&rig.inertia[i]));
        let p = m * v;
        let inertial = m * (v - start[i].twist) / STEP - Se3::coad(&p) * v;
        r.fixed_rows_mut::<6>(6 * i)
            .copy_from(&(inertial - wrenches[i]));
        for j in 0..2 {
            // exp(h (v + δ)) = exp(h v) exp(h T(h v) δ)
            let moves = STEP * Se3::tangent(&(STEP * bodies[j].twist));
            let mut block = -(by_pose[i][j] * moves + by_twist[i][j]);
            if i == j {
                block += m / STEP - Se3::coad(&p) - Se3::ad(&v).tr_mul(&m);
            }
            jacobian
                .fixed_view_mut::<6, 6>(6 * i, 6 * j)
                .copy_from(&block);
        }
    }
    (r, jacobian, bodies)
}

/// A ring of 3 kg meets a cone of 1500 kg tilted and off-centre; every step converges to
/// rounding in at most five iterations, also those in which points touch or part.
#[test]
fn newton_converges_in_few_iterations_through_a_docking() {
    let mut config = ContactConfig::default();
    config.target.shape = TargetShape::Cone;
    let load: fn(f64, &BodyMotion) -> Vector6<f64> = no_load;
    let inertias = [inertia(3.0, 0.04), inertia(1500.0, 400.0)];
    let mut rig = Rig::new(&config, &Mounts::default(), inertias, load);
    let chaser = BodyMotion {
        pose: Se3::new(
            Vector3::new(0.02, 0.01, 0.02),
            Vector3::new(core::f64::consts::PI - 0.1, 0.1, 0.0),
        ),
        twist: Vector6::new(0.01, 0.0, 0.05, 0.0, 0.0, 0.0),
    };
    let mut state = [chaser, BodyMotion::at_rest(Se3::identity())];
    let mut episodes = Episodes::start(&rig.pair, &state[0], &state[1]);
    let (mut touching_steps, mut worst) = (0, 0);
    for _ in 0..3000 {
        let mut twists = SVector::<f64, 12>::zeros();
        for (i, body) in state.iter().enumerate() {
            twists.fixed_rows_mut::<6>(6 * i).copy_from(&body.twist);
        }
        let mut iterations = 0;
        loop {
            let (r, jacobian, bodies) = residual(&mut rig, &episodes, &state, &twists);
            let scale = rig.output.wrench_a.norm().max(1.0);
            if r.norm() < CONVERGED * scale {
                state = bodies;
                break;
            }
            iterations += 1;
            assert!(iterations < 20, "no convergence: {:e} of {scale}", r.norm());
            twists -= jacobian.lu().solve(&r).unwrap();
        }
        worst = worst.max(iterations);
        touching_steps += usize::from(rig.output.normal_force > 0.0);
        episodes.accept(&rig.pair, &state[0], &state[1]);
    }
    assert!(touching_steps > 100, "{touching_steps}");
    assert!(worst <= 5, "{worst} iterations");
}
