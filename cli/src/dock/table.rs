//! The time series of a docking as rows of numbers.

use multibody::group::{Group, Se3};
use softdock_docking::{DockingRun, EnergySample, Sample};
use softdock_platform::attitude::Attitude;

/// What legs may not tell: the stress of their leaf, the turn of their joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Told {
    stress: bool,
    joints: bool,
}

impl Told {
    /// By a sample; samples of a run are alike.
    fn of(sample: Option<&Sample>) -> Self {
        let leg = sample.and_then(|sample| sample.legs.first());
        Self {
            stress: leg.is_some_and(|leg| leg.stress_pa.is_some()),
            joints: leg.is_some_and(|leg| leg.joint_turns.is_some()),
        }
    }
}

/// Names of the columns of a run; units are part of the names.
pub fn header(run: &DockingRun) -> Vec<String> {
    let (legs, told) = (run.platform().leg_count(), Told::of(run.samples().first()));
    let mut names: Vec<String> = ["time_s"].map(str::to_owned).to_vec();
    for body in ["effector", "target", "base"] {
        for axis in ["x", "y", "z"] {
            names.push(format!("{body}_{axis}_m"));
        }
        for angle in Attitude::NAMES {
            names.push(format!("{body}_{angle}_rad"));
        }
    }
    for body in ["effector", "target"] {
        for axis in ["x", "y", "z"] {
            names.push(format!("{body}_velocity_{axis}_m_s"));
        }
        for axis in ["x", "y", "z"] {
            names.push(format!("{body}_rate_{axis}_rad_s"));
        }
    }
    let contact = [
        "gap_m",
        "contact_force_x_n",
        "contact_force_y_n",
        "contact_force_z_n",
        "contact_force_n",
        "captured",
        "interface_force_x_n",
        "interface_force_y_n",
        "interface_force_z_n",
        "interface_moment_x_nm",
        "interface_moment_y_nm",
        "interface_moment_z_nm",
        "interface_shear_n",
        "interface_bending_nm",
        "contact_moment_nm",
        "latch_angle_rad",
        "latch_speed_m_s",
    ];
    names.extend(contact.map(str::to_owned));
    for leg in 1..=legs {
        for name in [
            "force_x_n",
            "force_y_n",
            "force_z_n",
            "tendon_length_m",
            "tendon_tension_n",
            "motor_angle_rad",
            "motor_torque_nm",
        ] {
            names.push(format!("leg{leg}_{name}"));
        }
        if told.stress {
            names.push(format!("leg{leg}_leaf_stress_pa"));
        }
        if told.joints {
            names.push(format!("leg{leg}_universal_turn_rad"));
            names.push(format!("leg{leg}_spherical_turn_rad"));
        }
    }
    let energies = [
        "energy_legs_kinetic_j",
        "energy_leaves_j",
        "energy_tendons_j",
        "energy_legs_gravity_j",
        "energy_bodies_j",
        "energy_contact_j",
        "work_motors_j",
        "work_wrench_j",
        "work_actuators_j",
        "lost_in_legs_j",
        "lost_in_contact_j",
        "lost_in_friction_j",
        "lost_in_latch_j",
        "energy_residual_j",
    ];
    names.extend(energies.map(str::to_owned));
    names
}

/// Names and values of all columns of a run.
pub fn columns(run: &DockingRun) -> (Vec<String>, Vec<Vec<f64>>) {
    let names = header(run);
    let mut columns = vec![Vec::with_capacity(run.samples().len()); names.len()];
    for sample in run.samples() {
        let row = row(sample, run.start());
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
    (names, columns)
}

/// A sample as a row; `start` are the energies at the beginning.
pub fn row(sample: &Sample, start: &EnergySample) -> Vec<f64> {
    let mut out = vec![sample.time];
    for (pose, attitude) in [
        (&sample.effector, Attitude::of_body(&sample.effector)),
        (&sample.target, Attitude::of_target(&sample.target)),
        (&sample.base, Attitude::of_body(&sample.base)),
    ] {
        out.extend(pose.translation().iter());
        out.extend(attitude.list());
    }
    let bodies = [
        (&sample.effector, &sample.effector_twist),
        (&sample.target, &sample.target_twist),
    ];
    for (pose, twist) in bodies {
        let rotation = Se3::rotation(pose);
        out.extend((rotation * twist.fixed_rows::<3>(0)).iter());
        out.extend((rotation * twist.fixed_rows::<3>(3)).iter());
    }
    out.push(sample.gap);
    out.extend(sample.contact_force.iter());
    out.push(sample.contact_force.norm());
    out.push(f64::from(u8::from(sample.captured)));
    out.extend(sample.interface.force.iter());
    out.extend(sample.interface.moment.iter());
    out.extend([
        sample.interface.shear(),
        sample.interface.bending(),
        sample.contact_moment.norm(),
        sample.alignment.angle,
        sample.alignment.speed,
    ]);
    for leg in &sample.legs {
        out.extend(leg.view.tip_force.iter());
        out.extend([
            leg.view.tendon_length,
            leg.view.tendon_tension,
            leg.view.motor_angle,
            leg.view.motor_torque,
        ]);
        out.extend(leg.stress_pa);
        out.extend(leg.joint_turns.into_iter().flatten());
    }
    let energy = &sample.energy;
    out.extend([
        energy.legs_kinetic,
        energy.leaves,
        energy.tendons,
        energy.legs_gravity,
        energy.bodies,
        energy.contact,
        energy.motor_work,
        energy.wrench_work,
        energy.actuator_work,
        energy.leg_loss,
        energy.contact_loss,
        energy.friction_loss,
        energy.latch_loss,
        energy.residual(start),
    ]);
    out
}
