//! Variables that both legs have.

use super::list::{List, one};
use super::{Matters, Parameters, UnitOf as U};
use leg_core::leg::config::MODAL_RATIOS;
use leg_core::leg::parameter::{self as allowed, Parameter};
use leg_core::leg::unit::OutputGroup;

/// Crank, leaf and tendon.
pub const fn mechanics<P: Parameters>(list: &mut List<P>) {
    list.real(
        "crank.length",
        U::Metre,
        &allowed::CRANK_LENGTH,
        "Length of the crank OA",
        |p| one(&mut p.crank().length_m),
    )
    .real(
        "crank.mass",
        U::Kilogram,
        &allowed::CRANK_MASS,
        "Mass of the crank, a slender rod",
        |p| one(&mut p.crank().mass_kg),
    )
    .real(
        "leaf.length",
        U::Metre,
        &allowed::LEAF_LENGTH,
        "Length of the leaf spring AB when straight",
        |p| one(&mut p.leaf().length_m),
    )
    .real(
        "leaf.width",
        U::Metre,
        &allowed::LEAF_WIDTH,
        "Width of the leaf, normal to the plane of bending",
        |p| one(&mut p.leaf().width_m),
    )
    .real(
        "leaf.thickness",
        U::Metre,
        &allowed::LEAF_THICKNESS,
        "Thickness of the leaf, in the plane of bending",
        |p| one(&mut p.leaf().thickness_m),
    )
    .real(
        "leaf.youngs_modulus",
        U::Pascal,
        &allowed::YOUNGS_MODULUS,
        "Young's modulus of the leaf",
        |p| one(&mut p.leaf().youngs_modulus_pa),
    )
    .real(
        "leaf.shear_modulus",
        U::Pascal,
        &allowed::SHEAR_MODULUS,
        "Shear modulus of the leaf",
        |p| one(&mut p.leaf().shear_modulus_pa),
    )
    .real(
        "leaf.shear_factor",
        U::One,
        &allowed::SHEAR_FACTOR,
        "Shear correction factor of the leaf's section",
        |p| one(&mut p.leaf().shear_factor),
    )
    .real(
        "leaf.density",
        U::KilogramPerCubicMetre,
        &allowed::DENSITY,
        "Density of the leaf",
        |p| one(&mut p.leaf().density_kg_m3),
    )
    .real(
        "leaf.curvature",
        U::PerMetre,
        &allowed::CURVATURE,
        "Curvature of the unstressed leaf in the plane of bending, positive to the left of A to B",
        |p| one(&mut p.leaf().curvature_per_m),
    )
    .boolean(
        "leaf.constant_strain",
        "Takes elements of constant strain (second order) instead of linear strain (fourth order)",
        |p| &mut p.choices().constant_strain,
    );
    damping(list);
    tendon(list);
}

const fn damping<P: Parameters>(list: &mut List<P>) {
    // The corner between two dampings is rounded: at rest it leaves a trace of tension.
    list.real(
        "tendon.damping",
        U::NewtonSecondPerMetre,
        &allowed::TENDON_DAMPING,
        "Damping of the tendon; while lengthening only, if tendon.damping_shortening_given",
        |p| one(&mut p.tendon().damping_n_s_per_m),
    )
    .boolean(
        "tendon.damping_shortening_given",
        "Takes tendon.damping_shortening while the tendon shortens",
        |p| &mut p.choices().damping_shortening.given,
    )
    .real(
        "tendon.damping_shortening",
        U::NewtonSecondPerMetre,
        &allowed::TENDON_DAMPING_SHORTENING,
        "Damping of the tendon while shortening, if tendon.damping_shortening_given",
        |p| one(&mut p.choices().damping_shortening.value),
    )
    .real(
        "tendon.rate_width",
        U::MetrePerSecond,
        &allowed::RATE_WIDTH,
        "Half width of the rounded corner between the two dampings",
        |p| one(&mut p.tendon().rate_width_m_per_s),
    )
    .matters(Matters::Later)
    .real(
        "leaf.rayleigh_mass",
        U::PerSecond,
        &allowed::RAYLEIGH_MASS,
        "Rayleigh damping of the leaf, mass coefficient alpha: its vibrations about a leg at rest \
         decay by alpha/2",
        |p| one(&mut p.leaf().rayleigh_mass_per_s),
    )
    .real(
        "leaf.rayleigh_stiffness",
        U::Second,
        &allowed::RAYLEIGH_STIFFNESS,
        "Rayleigh damping of the leaf, stiffness coefficient beta: every section answers its strain \
         rate with beta times its stiffness",
        |p| one(&mut p.leaf().rayleigh_stiffness_s),
    )
    .reals(
        ("leaf.modal_damping_ratio", MODAL_RATIOS),
        U::One,
        &allowed::MODAL_DAMPING,
        "Damping ratios of the first modes of the bowed leaf with its ends held, on top of Rayleigh's",
        |p| &mut p.leaf().modal_damping_ratios,
    )
    .real(
        "tendon.friction",
        U::Newton,
        &allowed::TENDON_FRICTION,
        "Friction in the tendon's guides",
        |p| one(&mut p.tendon().friction_n),
    )
    .real(
        "tendon.friction_speed",
        U::MetrePerSecond,
        &allowed::FRICTION_SPEED,
        "Speed over which the friction changes sign",
        |p| one(&mut p.tendon().friction_speed_m_per_s),
    )
    .matters(Matters::AtStart);
}

const fn tendon<P: Parameters>(list: &mut List<P>) {
    list.boolean("tendon.present", "False leaves the tendon out", |p| {
        &mut p.tendon().present
    })
    .real(
        "tendon.stiffness",
        U::NewtonPerMetre,
        &allowed::TENDON_STIFFNESS,
        "Stiffness of the tendon",
        |p| one(&mut p.tendon().stiffness_n_per_m),
    )
    .boolean(
        "tendon.rest_length_given",
        "Takes tendon.rest_length instead of the rest length that balances the leaf",
        |p| &mut p.choices().rest_length.given,
    )
    .real(
        "tendon.rest_length",
        U::Metre,
        &allowed::REST_LENGTH,
        "Rest length of the tendon, if tendon.rest_length_given",
        |p| one(&mut p.choices().rest_length.value),
    )
    .real(
        "tendon.slack_width",
        U::Newton,
        &allowed::SLACK_WIDTH,
        "Half width of the rounded corner at zero tension",
        |p| one(&mut p.tendon().slack_width_n),
    );
}

/// The range of a count.
const fn whole(limits: &Parameter) -> [i32; 2] {
    [limits.low as i32, limits.high as i32]
}

/// Motor, mesh and time stepping.
pub const fn motor_and_solver<P: Parameters>(list: &mut List<P>) {
    list.integer(
        "motor.mode",
        [0, 3],
        "What the motor does: 0 applies motor.torque_command, 1 locks the crank, 2 moves it to \
         motor.angle_command, 3 holds it there with a spring and a damper and adds \
         motor.torque_command",
        |p| &mut p.choices().mode,
    )
    .real(
        "motor.hold_stiffness",
        U::NewtonMetrePerRadian,
        &allowed::HOLD_STIFFNESS,
        "Stiffness of the hold",
        |p| one(&mut p.motor().hold_stiffness_nm_per_rad),
    )
    .real(
        "motor.torque_limit",
        U::NewtonMetre,
        &allowed::TORQUE_LIMIT,
        "Limit of the torque that the motor delivers in modes 0 and 3, whatever asks for it",
        |p| one(&mut p.motor().torque_limit_nm),
    )
    .integer(
        "solver.elements",
        whole(&allowed::ELEMENTS),
        "Elements of the leaf",
        |p| &mut p.choices().elements,
    )
    .matters(Matters::Later)
    .real(
        "motor.hold_damping",
        U::NewtonMetreSecondPerRadian,
        &allowed::HOLD_DAMPING,
        "Damping of the hold",
        |p| one(&mut p.motor().hold_damping_nm_s_per_rad),
    )
    .real(
        "solver.step",
        U::Second,
        &allowed::STEP,
        "Largest step of the leg's own solver, which divides a communication step evenly",
        |p| one(&mut p.solver().step_s),
    )
    .boolean(
        "solver.adaptive",
        "Adapts the solver's step to its error",
        |p| &mut p.solver().adaptive,
    )
    .real(
        "solver.error_tolerance",
        U::One,
        &allowed::ERROR_TOLERANCE,
        "Allowed error of an adaptive step, relative to the leg's size or in rad",
        |p| one(&mut p.solver().error_tolerance),
    )
    .real(
        "solver.spectral_radius",
        U::One,
        &allowed::SPECTRAL_RADIUS,
        "Spectral radius of the integrator at infinite frequency: 1 keeps energy, 0 damps most",
        |p| one(&mut p.solver().spectral_radius),
    )
    .real(
        "solver.newton_tolerance",
        U::One,
        &allowed::NEWTON_TOLERANCE,
        "Newton's tolerance, relative to the leg's size or in rad",
        |p| one(&mut p.solver().newton_tolerance),
    )
    .matters(Matters::AtStart);
}

/// What the pre-tensioned equilibrium turned out to be.
pub const fn equilibrium<P>(list: &mut List<P>) {
    list.calculated(
        "equilibrium.chord",
        U::Metre,
        "Distance A to B of the pre-tensioned leg",
        |origin| origin.chord,
    )
    .calculated(
        "equilibrium.rest_length",
        U::Metre,
        "Rest length of the tendon; zero without one",
        |origin| origin.rest_length.unwrap_or(0.0),
    )
    .calculated(
        "equilibrium.tension",
        U::Newton,
        "Tension of the tendon of the pre-tensioned leg",
        |origin| origin.tension,
    )
    .calculated(
        "equilibrium.thrust",
        U::Newton,
        "Thrust of the leaf along AB of the pre-tensioned leg",
        |origin| origin.thrust,
    );
}

/// Energies and what to look at; `kinetic` and `axial_strain` are the first of their groups.
pub const fn energies<P>(list: &mut List<P>, kinetic: usize, axial_strain: usize) {
    let group = OutputGroup::Energy;
    let rows = [
        ("energy.kinetic", "Kinetic energy"),
        ("energy.strain", "Strain energy of the leaf"),
        ("energy.tendon", "Energy stored in the tendon"),
        ("energy.gravity", "Potential of gravity"),
        ("energy.work_in", "Work done by inputs since the start"),
        ("energy.dissipated", "Energy dissipated since the start"),
        (
            "energy.residual",
            "What the account of energy misses: the error of the integrator",
        ),
    ];
    let mut k = 0;
    while k < rows.len() {
        let (name, description) = rows[k];
        list.output(name, U::Joule, kinetic + k, group, description);
        k += 1;
    }
    list.local(
        "leaf.largest_axial_strain",
        U::One,
        axial_strain,
        "Largest axial strain of the leaf",
    )
    .local(
        "leaf.largest_surface_strain",
        U::One,
        axial_strain + 1,
        "Largest strain on the surface of the leaf",
    )
    .local(
        "joints.largest_gap",
        U::Metre,
        axial_strain + 2,
        "Largest violation of a joint",
    );
}
