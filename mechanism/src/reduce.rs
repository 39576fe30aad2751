//! From a beam assembly to a reduced body: Craig and Bampton's method.
//!
//! The assembly is built as a kernel model of its own, whose matrices M and K about the undeformed state
//! are those of the full model. With the interface displacements u = Z_I z, the first interface held:
//!
//! ```text
//! [K  Z_Iᵀ; Z_I  0] (C, ·) = (0, unit displacements)      constraint modes C        (1)
//! K y = ω² M y on Z_I y = 0                               fixed-interface modes     (2)
//! ```
//!
//! The k lowest modes of (2) and all of (1) are the shapes φ of the body. Moments S of mass
//! (`multibody::model::Shapes`) are integrals along the beams with the shapes as cubics between the
//! nodes; ΔM is the mass matrix of the full model in these shapes less that of the moments, so the
//! linear dynamics are those of the full model projected. Geometric stiffening comes from fields of second
//! order (`curved`), which move by quadratic forms of these coordinates.

mod assumed;
mod curved;
mod matrices;
mod mounted;

use crate::build::{self, beam_pose};
use crate::error::{MechanismError, Result};
use crate::parts::{Description, Host, JointPart, MassPart, Pose, ReducedPart, Selection};
use crate::space::Space;
use multibody::group::{Se2, Se3};
use multibody::modal::{self, SecondOrder};
use multibody::model::Shapes;
use multibody::state::State;
use multibody::workspace::Workspace;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// A node of a reduced body: where it is and how it follows the shapes, in the axes of the frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
    /// Number of the beam and of its node.
    pub beam: usize,
    /// Number of the node.
    pub node: usize,
    /// Undeformed pose.
    pub pose: Pose,
    /// Displacement per coordinate and field of second order, 3 × (m + n) [m].
    pub shift: DMatrix<f64>,
    /// Turn per coordinate and field of second order, 3 × (m + n) [rad].
    pub turn: DMatrix<f64>,
}

/// A reduced body ready for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduced {
    /// Inertia and stiffness.
    pub shapes: Shapes,
    /// Its nodes.
    pub stations: Vec<Station>,
    /// Largest distance of two stations along an axis [m].
    pub size: f64,
    /// Frequencies of the fixed-interface modes kept, or of the assumed modes [Hz].
    pub fixed_hz: Vec<f64>,
    /// Sums of displacements and turns of the second interface that assumed modes leave zero.
    pub locked: Vec<[f64; 6]>,
    /// Elastic frequencies of the free body: reduced and full, lowest first [Hz].
    pub free_hz: Vec<[f64; 2]>,
}

impl Reduced {
    /// Largest relative error of the lowest half of the free body's elastic frequencies.
    pub fn frequency_error(&self) -> f64 {
        let half = self.free_hz.len().div_ceil(2);
        let errors = self.free_hz[..half]
            .iter()
            .map(|[own, full]| own / full - 1.0);
        errors.fold(0.0, f64::max)
    }

    /// The node of a beam.
    pub fn station(&self, beam: usize, node: usize) -> Option<&Station> {
        (self.stations.iter()).find(|station| (station.beam, station.node) == (beam, node))
    }

    /// Largest displacement of a node, as a share of the size; `zeta` are the factors of all fields.
    pub fn largest_share(&self, zeta: &[f64]) -> f64 {
        let zeta = DVector::from_column_slice(zeta);
        let moved = (self.stations.iter()).map(|station| (&station.shift * &zeta).norm());
        moved.fold(0.0, f64::max) / self.size
    }
}

/// Reduces the part of a description.
pub fn reduce(description: &Description, part: &ReducedPart) -> Result<Reduced> {
    if description.dimension == 2 {
        reduce_in::<Se2, 3, 2>(description, part)
    } else {
        reduce_in::<Se3, 6, 3>(description, part)
    }
}

/// The members of a reduced body alone: beams, joints between them, masses on them.
fn members(description: &Description, part: &ReducedPart) -> Description {
    let host = |host: Host| match host {
        Host::Beam(beam, node) => {
            let place = part.beams.iter().position(|&member| member == beam);
            Host::Beam(place.unwrap_or(0), node)
        }
        other => other,
    };
    let joints = part.joints.iter().map(|&joint| {
        let joint = &description.joints[joint];
        let spots = joint.spots.map(|mut spot| {
            spot.host = host(spot.host);
            spot
        });
        JointPart {
            spots,
            ..joint.clone()
        }
    });
    let masses = part.masses.iter().map(|&mass| {
        let mut mass: MassPart = description.masses[mass].clone();
        mass.spot.host = host(mass.spot.host);
        mass
    });
    Description {
        bodies: Vec::new(),
        beams: (part.beams.iter())
            .map(|&beam| description.beams[beam].clone())
            .collect(),
        masses: masses.collect(),
        joints: joints.collect(),
        forces: Vec::new(),
        impacts: Vec::new(),
        frictions: Vec::new(),
        contacts: Vec::new(),
        stops: Vec::new(),
        cables: Vec::new(),
        surfaces: Vec::new(),
        channels: Vec::new(),
        outputs: Vec::new(),
        reduced: Vec::new(),
        gravity: [0.0; 3],
        ..description.clone()
    }
}

/// The assembly's matrices and where its nodes are.
struct Assembly {
    /// Z, M, C, K.
    basis: DMatrix<f64>,
    system: SecondOrder,
    /// Beam (of the description), node, pose against the frame and first row in Z.
    nodes: Vec<(usize, usize, Pose, usize)>,
    /// Frequencies of the free assembly [Hz].
    free_hz: Vec<f64>,
    /// Length that Z scales turns with [m].
    length: f64,
    /// Coordinates of rigid motions, if they do not follow from Z.
    rigid: Option<DMatrix<f64>>,
    /// The system without masses on the beams, if assumed modes want it.
    bare: Option<SecondOrder>,
}

fn assembly<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    part: &ReducedPart,
) -> Result<Assembly> {
    let alone = members(description, part);
    let bare = match part.assumed {
        Some(_) => {
            let part = ReducedPart {
                masses: Vec::new(),
                assumed: None,
                ..part.clone()
            };
            Some(assembly::<G, N, D>(description, &part)?.system)
        }
        None => None,
    };
    let built: build::Built<G, N, D> = build::build(&alone, &vec![true; alone.joints.len()], &[])?;
    let state = State::new(&built.model);
    let mut workspace = Workspace::new(&built.model);
    let failed = MechanismError::computing("reduction of a body");
    let reduction = modal::reduce(&built.model, &state, &mut workspace).map_err(&failed)?;
    let order = reduction.system.order();
    let modes = reduction.modes(order).map_err(&failed)?;
    let (beam, node) = part.interfaces[0];
    let frame = beam_pose(&description.beams[beam], node, false);
    let mut nodes = Vec::new();
    for (place, &beam) in part.beams.iter().enumerate() {
        let Some(id) = built.beams[place] else {
            continue;
        };
        for node in 0..=description.beams[beam].elements {
            let pose = frame.between(&beam_pose(&description.beams[beam], node, false));
            nodes.push((
                beam,
                node,
                pose,
                N * built.model.beam_node(id, node).index(),
            ));
        }
    }
    Ok(Assembly {
        basis: reduction.basis.clone(),
        free_hz: modes.frequencies(),
        system: reduction.system,
        nodes,
        length: built.model.length_scale(),
        rigid: None,
        bare,
    })
}

/// Displacement and turn of a node in the axes of the frame from its twist.
fn lifted<const N: usize, const D: usize>(
    pose: &Pose,
    twist: impl Fn(usize) -> f64,
) -> (Vector3<f64>, Vector3<f64>) {
    let linear = Vector3::from_fn(|i, _| if i < D { twist(i) } else { 0.0 });
    let angular = Vector3::from_fn(|i, _| match D {
        2 if i == 2 => twist(N - 1),
        2 => 0.0,
        _ => twist(D + i),
    });
    (pose.rotation * linear, pose.rotation * angular)
}

/// The twist of a node from a displacement and a turn in the axes of the frame.
fn lowered<const N: usize, const D: usize>(
    pose: &Pose,
    shift: &Vector3<f64>,
    turn: &Vector3<f64>,
) -> [f64; 6] {
    let (linear, angular) = (pose.rotation.tr_mul(shift), pose.rotation.tr_mul(turn));
    core::array::from_fn(|i| match (i < D, i < N, D) {
        (true, ..) => linear[i],
        (_, false, _) => 0.0,
        (_, _, 2) => angular[2],
        _ => angular[i - D],
    })
}

fn unit(axis: usize) -> Vector3<f64> {
    Vector3::from_fn(|i, _| if i == axis { 1.0 } else { 0.0 })
}

fn reduce_in<G: Space<N, D>, const N: usize, const D: usize>(
    description: &Description,
    part: &ReducedPart,
) -> Result<Reduced> {
    let assembly = match &part.body {
        Some(body) => matrices::assembly(body)?,
        None => assembly::<G, N, D>(description, part)?,
    };
    let refuse = |problem: &str, remedy: &str| MechanismError::Mechanism {
        file: description.file.clone(),
        problem: format!("{}: {problem}", part.name),
        remedy: remedy.to_owned(),
    };
    let places = interface_places(&assembly, part);
    let (order, size) = (assembly.system.order(), N * places.len());
    if part.assumed.is_none() && size + part.modes > order {
        return Err(refuse(
            &format!(
                "{} modes are more than its {order} coordinates leave",
                part.modes
            ),
            "ask for fewer modes, or give its beams more elements",
        ));
    }
    let held = interface_rows::<N>(&assembly, &places);
    let static_shapes = constraint_modes::<N, D>(&assembly, &places, &held).ok_or_else(|| {
        refuse(
            "its interfaces do not hold it",
            "name an interface at one of its nodes, each once",
        )
    })?;
    let lost = || refuse("its modes were not found", "change its data");
    let (static_shapes, modal_shapes, fixed_hz, locked) = match part.assumed {
        Some(count) => {
            let own = &description.beams[part.beams[0]];
            let held = (&held, places.get(1).map(|(pose, _)| pose));
            assumed::shapes::<N, D>(&assembly, own, held, &static_shapes, count).ok_or_else(lost)?
        }
        None => {
            let (shapes, hz) = if part.selection == Selection::Mounted && part.modes > 0 {
                let known = (&held, &static_shapes);
                mounted::modes::<G, N, D>(description, part, &assembly, &places, known)?
            } else {
                let loads = (part.selection == Selection::Load)
                    .then(|| &assembly.system.mass * rigid_fields::<N, D>(&assembly));
                fixed_modes(&assembly, &held, part.modes, loads.as_ref())
            }
            .ok_or_else(lost)?;
            (static_shapes, shapes, hz, Vec::new())
        }
    };
    let mut shapes = DMatrix::zeros(order, static_shapes.ncols() + modal_shapes.ncols());
    shapes
        .columns_mut(0, static_shapes.ncols())
        .copy_from(&static_shapes);
    (shapes.columns_mut(static_shapes.ncols(), modal_shapes.ncols())).copy_from(&modal_shapes);
    let mut stations = stations::<N, D>(&assembly, &shapes);
    let (projected, stiffness, damping) = projections::<N, D>(&assembly, &shapes);
    let curved = if part.geometric_stiffening {
        let count = shapes.ncols();
        let mass = projected.view((6, 6), (count, count)).into_owned();
        curved::fields::<N, D>(description, part, &stations, (&mass, &stiffness))
    } else {
        None
    };
    if let Some(curved) = &curved {
        for (station, [shift, turn]) in stations.iter_mut().zip(&curved.moved) {
            station.shift = beside(&station.shift, shift);
            station.turn = beside(&station.turn, turn);
        }
    }
    let cloud = match &part.body {
        Some(body) => matrices::cloud(body, &stations),
        None => cloud(description, part, &stations),
    };
    let mut rest_mass = DMatrix::zeros(cloud.mass.nrows(), cloud.mass.ncols());
    let linear = 6 + shapes.ncols();
    let differing = &projected - cloud.mass.view((0, 0), (linear, linear));
    (rest_mass.view_mut((0, 0), (linear, linear))).copy_from(&differing);
    clear_unused::<D>(&mut rest_mass);
    let free_hz = free_frequencies::<D>(&projected, &stiffness, &assembly.free_hz);
    let spread = |axis: usize| {
        let places = stations.iter().map(|station| station.pose.position[axis]);
        let (low, high) = places.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        high - low
    };
    let (quadratic, coupling) = curved.map_or_else(
        || (Vec::new(), DMatrix::zeros(shapes.ncols(), 0)),
        |curved| (curved.quadratic, curved.coupling),
    );
    // K and D on the strains ξ = [I, −c] z of all fields.
    let identity = DMatrix::identity(shapes.ncols(), shapes.ncols());
    let strains = beside(&identity, &coupling);
    let [stiffness, damping] = [stiffness, damping].map(|m| strains.tr_mul(&(m * &strains)));
    let shapes = Shapes::new(cloud.moments, rest_mass, stiffness, damping);
    Ok(Reduced {
        shapes: shapes.with_quadratic(quadratic),
        size: (0..3).map(spread).fold(0.0, f64::max),
        stations,
        fixed_hz,
        locked,
        free_hz,
    })
}

/// Two matrices side by side.
fn beside(left: &DMatrix<f64>, right: &DMatrix<f64>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(left.nrows(), left.ncols() + right.ncols());
    (out.columns_mut(0, left.ncols())).copy_from(left);
    (out.columns_mut(left.ncols(), right.ncols())).copy_from(right);
    out
}

/// Pose and first row in Z of every interface.
fn interface_places(assembly: &Assembly, part: &ReducedPart) -> Vec<(Pose, usize)> {
    let of = |beam: usize, node: usize| {
        let mut nodes = assembly.nodes.iter();
        let found = nodes.find(|known| (known.0, known.1) == (beam, node));
        found.map(|(.., pose, row)| (*pose, *row))
    };
    match &part.body {
        Some(body) => (0..body.matrices.interfaces.len())
            .filter_map(|interface| of(matrices::NO_BEAM, interface))
            .collect(),
        None => (part.interfaces.iter())
            .filter_map(|&(beam, node)| of(beam, node))
            .collect(),
    }
}

/// Z_I: the rows of all interfaces.
fn interface_rows<const N: usize>(assembly: &Assembly, places: &[(Pose, usize)]) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(N * places.len(), assembly.basis.ncols());
    for (number, (_, row)) in places.iter().enumerate() {
        out.rows_mut(N * number, N)
            .copy_from(&assembly.basis.rows(*row, N));
    }
    out
}

/// Constraint modes, eq. (1): first those of the displacements, then of the turns of each interface.
fn constraint_modes<const N: usize, const D: usize>(
    assembly: &Assembly,
    places: &[(Pose, usize)],
    held: &DMatrix<f64>,
) -> Option<DMatrix<f64>> {
    let (order, rows) = (held.ncols(), held.nrows());
    let scale = assembly.system.stiffness.amax();
    let mut matrix = DMatrix::zeros(order + rows, order + rows);
    (matrix.view_mut((0, 0), (order, order))).copy_from(&assembly.system.stiffness);
    let scaled = held * scale;
    (matrix.view_mut((order, 0), (rows, order))).copy_from(&scaled);
    (matrix.view_mut((0, order), (order, rows))).copy_from(&scaled.transpose());
    let mut right = DMatrix::zeros(order + rows, rows - N);
    for (number, (pose, _)) in places.iter().enumerate().skip(1) {
        for i in 0..N {
            let none = Vector3::zeros();
            let twist = match (i < D, D) {
                (true, _) => lowered::<N, D>(pose, &unit(i), &none),
                (false, 2) => lowered::<N, D>(pose, &none, &unit(2)),
                (false, _) => lowered::<N, D>(pose, &none, &unit(i - D)),
            };
            for (j, value) in twist.iter().take(N).enumerate() {
                right[(order + N * number + j, N * (number - 1) + i)] = value * scale;
            }
        }
    }
    let solved = matrix.lu().solve(&right)?;
    solved
        .iter()
        .all(|x| x.is_finite())
        .then(|| solved.rows(0, order).into_owned())
}

/// Fixed-interface modes, eq. (2), and their frequencies [Hz]: the lowest, or with `loads` f (inertia forces
/// of unit accelerations of the frame) those with the largest deflection under one of them, (yᵀf)/ω² in
/// units of the energy norm: |yᵀf|/ω against the largest of each load.
fn fixed_modes(
    assembly: &Assembly,
    held: &DMatrix<f64>,
    count: usize,
    loads: Option<&DMatrix<f64>>,
) -> Option<(DMatrix<f64>, Vec<f64>)> {
    let (order, rows) = (held.ncols(), held.nrows());
    if count == 0 {
        return Some((DMatrix::zeros(order, 0), Vec::new()));
    }
    // The last columns of Q of the transposed rows span what they leave free.
    let qr = held.transpose().qr();
    let mut q_transposed = DMatrix::identity(order, order);
    qr.q_tr_mul(&mut q_transposed);
    let free = q_transposed.rows(rows, order - rows).transpose();
    let basis = assembly.system.transformed(&free).modal_basis().ok()?;
    let hertz = |w: &f64| w.max(0.0).sqrt() / std::f64::consts::TAU;
    let shapes = free * &basis.shapes;
    let mut order: Vec<usize> = (0..shapes.ncols()).collect();
    if let Some(loads) = loads {
        let share = shapes.tr_mul(loads);
        let weighted = DMatrix::from_fn(share.nrows(), share.ncols(), |i, j| {
            share[(i, j)].abs() / basis.omega_squared[i].max(f64::MIN_POSITIVE).sqrt()
        });
        let largest: Vec<f64> = (weighted.column_iter())
            .map(|column| column.amax().max(f64::MIN_POSITIVE))
            .collect();
        let weight = |i: usize| {
            (0..6)
                .map(|j| weighted[(i, j)] / largest[j])
                .fold(0.0, f64::max)
        };
        order.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
        order.truncate(count);
        order.sort_unstable();
    }
    order.truncate(count);
    let frequencies = order.iter().map(|&i| hertz(&basis.omega_squared[i]));
    Some((shapes.select_columns(&order), frequencies.collect()))
}

fn stations<const N: usize, const D: usize>(
    assembly: &Assembly,
    shapes: &DMatrix<f64>,
) -> Vec<Station> {
    let twists = &assembly.basis * shapes;
    let count = shapes.ncols();
    let of = |(beam, node, pose, row): &(usize, usize, Pose, usize)| {
        let (mut shift, mut turn) = (DMatrix::zeros(3, count), DMatrix::zeros(3, count));
        for k in 0..count {
            let (u, theta) = lifted::<N, D>(pose, |i| twists[(row + i, k)]);
            shift.column_mut(k).copy_from(&u);
            turn.column_mut(k).copy_from(&theta);
        }
        Station {
            beam: *beam,
            node: *node,
            pose: *pose,
            shift,
            turn,
        }
    };
    assembly.nodes.iter().map(of).collect()
}

/// Moments of mass, and the mass matrix on (v, ω, ζ) that they give.
struct Cloud {
    moments: DMatrix<f64>,
    mass: DMatrix<f64>,
}

/// Abscissae and weights of four Gauss points on [0, 1].
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

fn cloud(description: &Description, part: &ReducedPart, stations: &[Station]) -> Cloud {
    let count = stations.first().map_or(0, |station| station.shift.ncols());
    let mut out = Cloud::new(count);
    for pair in stations.windows(2) {
        let [a, b] = pair else { continue };
        if a.beam != b.beam {
            continue;
        }
        let beam = &description.beams[a.beam];
        let length = beam.length / beam.elements as f64;
        for (s, weight) in GAUSS {
            let (place, shift) = between(a, b, length, s);
            out.add(weight * length * beam.section.mass, &place, &shift);
        }
    }
    for &mass in &part.masses {
        let mass = &description.masses[mass];
        let Host::Beam(beam, node) = mass.spot.host else {
            continue;
        };
        let on = stations.iter().find(|s| (s.beam, s.node) == (beam, node));
        if let Some(station) = on {
            let arm = station.pose.rotation * mass.spot.pose.position;
            let mut shift = station.shift.clone();
            for k in 0..count {
                let turn: Vector3<f64> = station.turn.fixed_view::<3, 1>(0, k).into();
                let moved = turn.cross(&arm);
                for i in 0..3 {
                    shift[(i, k)] += moved[i];
                }
            }
            out.add(mass.mass, &(station.pose.position + arm), &shift);
        }
    }
    out
}

/// Place and displacements at the share s of an element: cubics with the tangents of its ends.
fn between(a: &Station, b: &Station, length: f64, s: f64) -> (Vector3<f64>, DMatrix<f64>) {
    let (s2, s3) = (s * s, s * s * s);
    let h = [
        2.0 * s3 - 3.0 * s2 + 1.0,
        (s3 - 2.0 * s2 + s) * length,
        3.0 * s2 - 2.0 * s3,
        (s3 - s2) * length,
    ];
    let tangents = [a, b].map(|station| -> Vector3<f64> { station.pose.rotation.column(0).into() });
    let place =
        a.pose.position * h[0] + tangents[0] * h[1] + b.pose.position * h[2] + tangents[1] * h[3];
    let mut shift = &a.shift * h[0] + &b.shift * h[2];
    let along = (b.pose.position - a.pose.position).normalize();
    for k in 0..shift.ncols() {
        let at = |m: &DMatrix<f64>| -> Vector3<f64> { m.fixed_view::<3, 1>(0, k).into() };
        let stretch = along * (at(&b.shift) - at(&a.shift)).dot(&along) / length;
        let slopes = [
            at(&a.turn).cross(&tangents[0]) + stretch,
            at(&b.turn).cross(&tangents[1]) + stretch,
        ];
        for i in 0..3 {
            shift[(i, k)] += slopes[0][i] * h[1] + slopes[1][i] * h[3];
        }
    }
    (place, shift)
}

impl Cloud {
    fn new(count: usize) -> Self {
        Self {
            moments: DMatrix::zeros(4 + 3 * count, 4 + 3 * count),
            mass: DMatrix::zeros(6 + count, 6 + count),
        }
    }

    fn add(&mut self, mass: f64, place: &Vector3<f64>, shift: &DMatrix<f64>) {
        let count = shift.ncols();
        let psi = DVector::from_fn(4 + 3 * count, |j, _| match j {
            0 => 1.0,
            1..4 => place[j - 1],
            _ => shift[((j - 4) % 3, (j - 4) / 3)],
        });
        self.moments.ger(mass, &psi, &psi, 1.0);
        let lever: Matrix3<f64> = -place.cross_matrix();
        let field = DMatrix::from_fn(3, 6 + count, |i, j| match j {
            0..3 => f64::from(u8::from(i == j)),
            3..6 => lever[(i, j - 3)],
            _ => shift[(i, j - 6)],
        });
        self.mass += field.tr_mul(&field) * mass;
    }
}

/// M on (v, ω, ζ), K and C on ζ, of the full model.
fn projections<const N: usize, const D: usize>(
    assembly: &Assembly,
    shapes: &DMatrix<f64>,
) -> (DMatrix<f64>, DMatrix<f64>, DMatrix<f64>) {
    let (order, count) = shapes.shape();
    let mut fields = DMatrix::zeros(order, 6 + count);
    (fields.columns_mut(0, 6)).copy_from(&rigid_fields::<N, D>(assembly));
    fields.columns_mut(6, count).copy_from(shapes);
    let system = &assembly.system;
    let mut mass = fields.tr_mul(&(&system.mass * &fields));
    modal::symmetrize(&mut mass);
    let project = |matrix: &DMatrix<f64>| {
        let mut out = shapes.tr_mul(&(matrix * shapes));
        modal::symmetrize(&mut out);
        out
    };
    (mass, project(&system.stiffness), project(&system.damping))
}

/// Coordinates of unit displacements and turns of the whole body about its frame, order × 6.
fn rigid_fields<const N: usize, const D: usize>(assembly: &Assembly) -> DMatrix<f64> {
    if let Some(rigid) = &assembly.rigid {
        return rigid.clone();
    }
    let mut fields = DMatrix::zeros(assembly.basis.ncols(), 6);
    for axis in 0..6 {
        let mut twists = DVector::zeros(assembly.basis.nrows());
        for (_, _, pose, row) in &assembly.nodes {
            let (shift, turn) = match axis {
                0..3 => (unit(axis), Vector3::zeros()),
                _ => (unit(axis - 3).cross(&pose.position), unit(axis - 3)),
            };
            let twist = lowered::<N, D>(pose, &shift, &turn);
            for (i, value) in twist.iter().enumerate().take(N) {
                // Z is orthonormal with turns multiplied by the length.
                let unit = if i < D { 1.0 } else { assembly.length.powi(2) };
                twists[row + i] = value * unit;
            }
        }
        let z = assembly.basis.tr_mul(&twists);
        fields.column_mut(axis).copy_from(&z);
    }
    fields
}

/// The entries of rigid motions that the plane does not have.
fn clear_unused<const D: usize>(matrix: &mut DMatrix<f64>) {
    if D == 2 {
        for index in 2..5 {
            matrix.row_mut(index).fill(0.0);
            matrix.column_mut(index).fill(0.0);
        }
    }
}

/// Elastic frequencies of the free body, reduced and full [Hz].
fn free_frequencies<const D: usize>(
    mass: &DMatrix<f64>,
    stiffness: &DMatrix<f64>,
    full: &[f64],
) -> Vec<[f64; 2]> {
    let rigid: &[usize] = if D == 2 {
        &[0, 1, 5]
    } else {
        &[0, 1, 2, 3, 4, 5]
    };
    let keep: Vec<usize> = (rigid.iter().copied()).chain(6..mass.nrows()).collect();
    let at = |matrix: &DMatrix<f64>, i: usize, j: usize| matrix[(keep[i], keep[j])];
    let size = keep.len();
    let system = SecondOrder {
        mass: DMatrix::from_fn(size, size, |i, j| at(mass, i, j)),
        damping: DMatrix::zeros(size, size),
        stiffness: DMatrix::from_fn(size, size, |i, j| match (keep[i], keep[j]) {
            (a, b) if a >= 6 && b >= 6 => stiffness[(a - 6, b - 6)],
            _ => 0.0,
        }),
    };
    let Ok(basis) = system.modal_basis() else {
        return Vec::new();
    };
    let own = basis.omega_squared.iter().skip(rigid.len());
    let own = own.map(|w| w.max(0.0).sqrt() / std::f64::consts::TAU);
    let full = full.iter().skip(rigid.len()).copied();
    own.zip(full).map(|(own, full)| [own, full]).collect()
}
