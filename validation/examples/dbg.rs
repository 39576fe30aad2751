//! scratch
use leg_core::group::{Group, Se2};
use leg_core::model::*;
use leg_core::state::State;
use leg_core::statics::*;
use leg_core::workspace::Workspace;
use nalgebra::Vector2;
fn main() {
    for mask in 0..16 {
        let mut b = ModelBuilder::<Se2, 3, 2>::new();
        b.gravity(Vector2::new(1.0, -9.0));
        let inertia = planar_inertia(1.0, [0.01, 0.02], 3e-3);
        let crank = b.rigid_body("crank", Se2::new(0.06, 0.0, 0.0), inertia);
        let section = Section::<3, 2>::rectangle(&Material::titanium(), 1.2e-3, 77e-3).unwrap();
        let mut spec = BeamSpec::straight(0.5, 6, section);
        if mask & 1 != 0 { spec.curvature = [0.8, 0.0, 0.0]; }
        let leaf = b.beam("leaf", Se2::new(0.12, 0.0, 0.0), &spec);
        let (root, tip) = (b.beam_node(leaf, 0), b.beam_end(leaf));
        let hinge = b.joint("hinge", JointKind::Revolute, Attachment::ground(Se2::identity()), Attachment::node(crank, Se2::new(-0.06, 0.0, 0.0)));
        b.joint("clamp", JointKind::Fixed, Attachment::node(crank, Se2::new(0.06, 0.0, 0.0)), Attachment::node(root, Se2::identity()));
        b.torsion("s", hinge, 30.0, 0.1, 0.2);
        if mask & 2 != 0 { b.point_mass(tip, Vector2::new(0.0, 0.01), 0.05); }
        if mask & 4 != 0 {
            b.line("t", PointOn::ground(Vector2::new(0.2, 0.4)), PointOn::node(tip, Vector2::zeros()), LineLaw::tendon(50.0, 0.4, 1.0));
        }
        if mask & 8 != 0 {
            let k = spec.curvature[0] * 0.5;
            let tp = Se2::new(0.12, 0.0, 0.0).compose(&Se2::exp(&nalgebra::Vector3::new(0.5, 0.0, k)));
            let bob = b.rigid_body("bob", tp.compose(&Se2::new(0.0, -0.05, 0.0)), inertia * 0.1);
            b.joint("p", JointKind::Revolute, Attachment::node(tip, Se2::identity()), Attachment::node(bob, Se2::new(0.0, 0.05, 0.0)));
        }
        let m = b.build().unwrap();
        let mut s = State::new(&m);
        let mut w = Workspace::new(&m);
        let r = solve(&m, &mut s, &mut w, &StaticSettings::default());
        println!("{mask:04b} {:?}\n   {:?}", r.map(|r| r.iterations).map_err(|e| e.to_string()), w.corrections());
        println!("   tip {:?}", s.pose(tip));
    }
}
