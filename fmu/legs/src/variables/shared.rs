//! Variables that both legs have.

use super::{LegParameters, fmu, within};
use crate::unit::VERDICT;
use leg_core::config::{Crank, Leaf, MODAL_RATIOS, Motor, Solver, Tendon};
use leg_core::unit::{Origin, OutputGroup};
use softdock_fmi::model::Parameters;
use softdock_fmi::variables::{InfluencesOutputs, List, UnitOf as U, one};
use softdock_settings::Parameter;

/// Crank, leaf and tendon; some ranges may be narrower than those of a leg by itself.
pub const fn mechanics<P: LegParameters>(list: &mut List<P>, narrower: &[Parameter]) {
    list.row(within(narrower, &Crank::length_m), |p| {
        one(&mut p.crank().length_m)
    })
    .row(within(narrower, &Crank::mass_kg), |p| {
        one(&mut p.crank().mass_kg)
    })
    .row(within(narrower, &Leaf::length_m), |p| {
        one(&mut p.leaf().length_m)
    })
    .row(within(narrower, &Leaf::width_m), |p| {
        one(&mut p.leaf().width_m)
    })
    .row(within(narrower, &Leaf::thickness_m), |p| {
        one(&mut p.leaf().thickness_m)
    })
    .row(within(narrower, &Leaf::youngs_modulus_pa), |p| {
        one(&mut p.leaf().youngs_modulus_pa)
    })
    .row(within(narrower, &Leaf::shear_modulus_pa), |p| {
        one(&mut p.leaf().shear_modulus_pa)
    })
    .row(within(narrower, &Leaf::shear_factor), |p| {
        one(&mut p.leaf().shear_factor)
    })
    .row(within(narrower, &Leaf::density_kg_m3), |p| {
        one(&mut p.leaf().density_kg_m3)
    })
    .row(within(narrower, &Leaf::curvature_per_m), |p| {
        one(&mut p.leaf().curvature_per_m)
    })
    .boolean(
        "leaf.constant_strain",
        "Takes elements of constant strain (second order) instead of linear strain (fourth order)",
        |p| &mut p.choices().constant_strain,
    )
    .boolean(
        "leaf.strip",
        "Bends the leaf like a wide strip (stiffer, more stress at its edges) instead of a beam",
        |p| &mut p.choices().strip,
    );
    damping(list);
    tendon(list);
}

const fn damping<P: LegParameters>(list: &mut List<P>) {
    // The corner between two dampings is rounded: at rest it leaves a trace of tension.
    list.row(fmu(&Tendon::damping_n_s_per_m), |p| {
        one(&mut p.tendon().damping_n_s_per_m)
    })
    .boolean(
        "tendon.damping_shortening_given",
        "Takes tendon.damping_shortening while the tendon shortens",
        |p| &mut p.choices().damping_shortening.given,
    )
    .row(fmu(&Tendon::damping_shortening_n_s_per_m), |p| {
        one(&mut p.choices().damping_shortening.value)
    })
    .row(fmu(&Tendon::rate_width_m_per_s), |p| {
        one(&mut p.tendon().rate_width_m_per_s)
    })
    .influences(InfluencesOutputs::AfterStart)
    .row(fmu(&Leaf::rayleigh_mass_per_s), |p| {
        one(&mut p.leaf().rayleigh_mass_per_s)
    })
    .row(fmu(&Leaf::rayleigh_stiffness_s), |p| {
        one(&mut p.leaf().rayleigh_stiffness_s)
    })
    .reals(
        ("leaf.modal_damping_ratio", MODAL_RATIOS),
        U::One,
        Leaf::modal_damping_ratios.limits(),
        Leaf::modal_damping_ratios.meaning,
        |p| &mut p.leaf().modal_damping_ratios,
    )
    .row(fmu(&Tendon::friction_n), |p| {
        one(&mut p.tendon().friction_n)
    })
    .row(fmu(&Tendon::friction_speed_m_per_s), |p| {
        one(&mut p.tendon().friction_speed_m_per_s)
    })
    .influences(InfluencesOutputs::AtStart);
}

const fn tendon<P: LegParameters>(list: &mut List<P>) {
    list.boolean("tendon.present", "False leaves the tendon out", |p| {
        &mut p.tendon().present
    })
    .row(fmu(&Tendon::stiffness_n_per_m), |p| {
        one(&mut p.tendon().stiffness_n_per_m)
    })
    .boolean(
        "tendon.rest_length_given",
        "Takes tendon.rest_length instead of the rest length that balances the leaf",
        |p| &mut p.choices().rest_length.given,
    )
    .row(fmu(&Tendon::rest_length_m), |p| {
        one(&mut p.choices().rest_length.value)
    })
    .row(fmu(&Tendon::slack_width_n), |p| {
        one(&mut p.tendon().slack_width_n)
    })
    .integer(
        "tendon.end_stops",
        [0, 2],
        "Stops at the ends of the tendon unit's stroke: 0 in the spatial leg, 1 always, 2 never",
        |p| &mut p.choices().tendon_stops,
    )
    .row(fmu(&Tendon::stroke_m), |p| one(&mut p.tendon().stroke_m))
    .row(fmu(&Tendon::stop_stiffness_n_per_m), |p| {
        one(&mut p.tendon().stop_stiffness_n_per_m)
    })
    .row(fmu(&Tendon::stop_restitution), |p| {
        one(&mut p.tendon().stop_restitution)
    });
}

/// The range of a count.
const fn whole(limits: [f64; 2]) -> [i32; 2] {
    [limits[0] as i32, limits[1] as i32]
}

/// Motor, mesh and time stepping of a leg by itself.
pub const fn motor_and_solver<P: LegParameters>(list: &mut List<P>) {
    motor_and_mesh(list);
    list.influences(InfluencesOutputs::AfterStart)
        .row(fmu(&Motor::hold_damping_nm_s_per_rad), |p| {
            one(&mut p.motor().hold_damping_nm_s_per_rad)
        })
        .row(fmu(&Solver::step_s), |p| one(&mut p.solver().step_s))
        .boolean(
            "solver.adaptive",
            "Adapts the solver's step to its error",
            |p| &mut p.solver().adaptive,
        )
        .row(fmu(&Solver::error_tolerance), |p| {
            one(&mut p.solver().error_tolerance)
        })
        .row(fmu(&Solver::spectral_radius), |p| {
            one(&mut p.solver().spectral_radius)
        })
        .row(fmu(&Solver::newton_tolerance), |p| {
            one(&mut p.solver().newton_tolerance)
        })
        .influences(InfluencesOutputs::AtStart);
}

/// Motor and mesh, but for the motor's damping.
pub const fn motor_and_mesh<P: LegParameters>(list: &mut List<P>) {
    list.integer(
        "motor.mode",
        [0, 3],
        "What the motor does: 0 applies motor.torque_command, 1 locks the crank, 2 moves it to \
         motor.angle_command, 3 holds it there with a spring and a damper and adds \
         motor.torque_command",
        |p| &mut p.choices().mode,
    )
    .row(fmu(&Motor::hold_stiffness_nm_per_rad), |p| {
        one(&mut p.motor().hold_stiffness_nm_per_rad)
    })
    .row(fmu(&Motor::torque_limit_nm), |p| {
        one(&mut p.motor().torque_limit_nm)
    })
    .integer(
        "motor.end_stops",
        [0, 2],
        "Stops at the ends of the motor's range: 0 in the spatial leg, 1 always, 2 never",
        |p| &mut p.choices().motor_stops,
    )
    .row(fmu(&Motor::range_rad), |p| one(&mut p.motor().range_rad))
    .row(fmu(&Motor::stop_stiffness_nm_per_rad), |p| {
        one(&mut p.motor().stop_stiffness_nm_per_rad)
    })
    .row(fmu(&Motor::stop_restitution), |p| {
        one(&mut p.motor().stop_restitution)
    })
    .row(fmu(&Motor::torque_rate_limit_nm_per_s), |p| {
        one(&mut p.motor().torque_rate_limit_nm_per_s)
    })
    .row(fmu(&Motor::stall_torque_nm), |p| {
        one(&mut p.motor().stall_torque_nm)
    })
    .row(fmu(&Motor::no_load_speed_rad_per_s), |p| {
        one(&mut p.motor().no_load_speed_rad_per_s)
    })
    .row(fmu(&Motor::gear_ratio), |p| one(&mut p.motor().gear_ratio))
    .row(fmu(&Motor::rotor_inertia_kg_m2), |p| {
        one(&mut p.motor().rotor_inertia_kg_m2)
    })
    .row(fmu(&Motor::friction_nm), |p| {
        one(&mut p.motor().friction_nm)
    })
    .row(fmu(&Motor::breakaway_friction_nm), |p| {
        one(&mut p.motor().breakaway_friction_nm)
    })
    .row(fmu(&Motor::friction_speed_rad_per_s), |p| {
        one(&mut p.motor().friction_speed_rad_per_s)
    })
    .row(fmu(&Motor::viscous_friction_nm_s_per_rad), |p| {
        one(&mut p.motor().viscous_friction_nm_s_per_rad)
    })
    .integer(
        "solver.elements",
        whole(Solver::elements.limits()),
        "Elements of the leaf",
        |p| &mut p.choices().elements,
    );
}

/// What the pre-tensioned equilibrium turned out to be.
pub const fn equilibrium<P: LegParameters + Parameters<Origin = Origin>>(list: &mut List<P>) {
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

/// Energies, what to look at, and the verdict; `kinetic` and `axial_strain` are the first of their
/// groups, `verdict` is behind all outputs of the leg.
pub const fn energies<P: LegParameters>(
    list: &mut List<P>,
    kinetic: usize,
    axial_strain: usize,
    verdict: usize,
) {
    let group = OutputGroup::Energy as usize;
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
    list.output(
        "sound",
        U::One,
        verdict,
        VERDICT,
        "1 while nothing speaks against the result at the communication points, 0 once it is suspect: \
         the account of energy misses more than a thousandth of what moved, the leaf is strained \
         beyond its model, a step is less accurate than asked for",
    );
    let look = OutputGroup::Diagnostic as usize;
    list.local(
        "leaf.largest_axial_strain",
        U::One,
        axial_strain,
        look,
        "Largest axial strain of the leaf",
    )
    .local(
        "leaf.largest_surface_strain",
        U::One,
        axial_strain + 1,
        look,
        "Largest strain on the surface of the leaf",
    )
    .local(
        "joints.largest_gap",
        U::Metre,
        axial_strain + 2,
        look,
        "Largest violation of a joint",
    );
}
