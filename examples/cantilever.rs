//! A cantilever in the plane: the deflection of its tip against linear theory.

use multibody::prelude::*;

/// Solves the bent strip and compares it with a formula.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A strip of titanium: 0.5 m long, 1.2 mm thick, 77 mm wide, ten elements along x.
    let (length, force) = (0.5, -0.1);
    let section = PlanarSection::rectangle(&Material::titanium(), 1.2e-3, 77e-3)?;
    let mut builder = PlanarModelBuilder::new();
    let origin = Se2::identity();
    let strip = builder.beam("strip", origin, &BeamSpec::straight(length, 10, section));
    let (root, tip) = (builder.beam_node(strip, 0), builder.beam_end(strip));

    // Its root is clamped; an input pulls at its tip along y.
    let (ground, on_root) = (Attachment::ground(origin), Attachment::node(root, origin));
    let clamp = builder.joint("clamp", JointKind::Fixed, ground, on_root);
    let load = builder.input("load");
    builder.wrench(Force::Wrench {
        name: "load".into(),
        node: tip,
        point: Vector2::zeros(),
        axes: Axes::World,
        force: [None, Some(load)],
        moment: [None; 3],
    });
    let model = builder.build()?;

    // Model, state and memory are apart: one model serves any number of states.
    let mut state = PlanarState::new(&model);
    let mut workspace = PlanarWorkspace::new(&model);
    state.inputs.value[load.index()] = force;
    let settings = StaticSettings::default();
    let report = statics::solve(&model, &mut state, &mut workspace, &settings)?;

    // Bending and shear of linear theory: δ = F L³ / 3EI + F L / κs GA.
    let (shear, bending) = (section.stiffness[(1, 1)], section.stiffness[(2, 2)]);
    let linear = force * length.powi(3) / (3.0 * bending) + force * length / shear;
    let deflection = state.pose(tip).translation().y;
    let reaction = results::reaction(&model, &state, clamp);
    println!("deflection {deflection:.7} m, by linear theory {linear:.7} m");
    println!("reaction {:.6} N", reaction.force.y);
    println!("Newton's method took {} iterations", report.iterations);

    // Linear theory neglects the square of the slope, (1.5 δ / L)² = 9e-5.
    assert!((deflection / linear - 1.0).abs() < 9e-5);
    assert!((reaction.force.y + force).abs() < 1e-9);
    Ok(())
}
