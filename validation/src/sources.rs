//! Where the reference values come from.
//!
//! Values quoted from `reference/README.md` of the project's founding documents were computed
//! there independently of this program (Exudyn 1.13.6, SciPy) or taken from the work cited.

/// A citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// For the table.
    pub short: &'static str,
    /// In full.
    pub full: &'static str,
}

pub(crate) const CIRCLE: Source = Source {
    short: "closed form; Simo & Vu-Quoc 1986",
    full: "Closed form: M = 2π EI/L bends a straight beam into a circle. Posed as a test by Simo \
           & Vu-Quoc, A three-dimensional finite-strain rod model, part II, 1986, \
           doi:10.1016/0045-7825(86)90079-4",
};
pub(crate) const ELASTICA: Source = Source {
    short: "elastica; Mattiasson 1981",
    full: "Inextensible elastica by elliptic integrals (SciPy, reference data); Mattiasson, \
           Numerical results from large deflection beam and frame problems, 1981, \
           doi:10.1002/nme.1620170113",
};
pub(crate) const LEAF: Source = Source {
    short: "Reissner BVP (reference data)",
    full: "Reissner boundary-value problem of the pinned leaf, SciPy, nine digits (reference data)",
};
pub(crate) const BEND: Source = Source {
    short: "Bathe & Bolourchi 1979",
    full: "Bathe & Bolourchi, Large displacement analysis of three-dimensional beam structures, \
           1979, doi:10.1002/nme.1620140703; values for eight elements (reference data)",
};
pub(crate) const PRINCETON: Source = Source {
    short: "Princeton beam; Bauchau et al. 2016",
    full: "Dowell & Traybar's experiment as posed by Bauchau et al., Validation of flexible \
           multibody dynamics beam formulations using benchmark problems, 2016, \
           doi:10.1007/s11044-016-9514-y; values of an ANSYS beam (reference data)",
};
pub(crate) const GERADIN: Source = Source {
    short: "Géradin & Cardona",
    full: "Cardona & Géradin, A beam finite element non-linear theory with finite rotations, 1988, \
           doi:10.1002/nme.1620261105 (reference data)",
};
pub(crate) const TIMOSHENKO: Source = Source {
    short: "exact Timoshenko; Huang 1961",
    full: "Exact frequencies and deflections of Timoshenko's cantilever, κ = 5/6 (reference data); \
           Huang, The effect of rotatory inertia and of shear deformation, 1961, \
           doi:10.1115/1.3641787",
};
pub(crate) const RAYLEIGH: Source = Source {
    short: "definition of C = αM + βK",
    full: "Damping ratio ½(α/ω + βω) of a mode under C = αM + βK, exact for small vibrations",
};
pub(crate) const HEAVY_TOP: Source = Source {
    short: "Brüls & Cardona 2010",
    full: "Heavy top of Brüls & Cardona, On the use of Lie group time integrators in multibody \
           dynamics, 2010, doi:10.1115/1.4001370; values by SciPy DOP853, relative tolerance \
           1e-12 (reference data)",
};
pub(crate) const FOUR_BAR: Source = Source {
    short: "reduced ODE, DOP853 (reference data)",
    full: "Rigid four-bar of the published leg: reduced equation in q1, SciPy DOP853, relative \
           tolerance 1e-13, checked by Exudyn to 1e-8 rad (tests/reference/rigid_fourbar.csv)",
};
pub(crate) const SLIDER: Source = Source {
    short: "Nikravesh, ex. 7.x",
    full: "Nikravesh's pendulum with a slider, example of chapter 7 (reference data)",
};
pub(crate) const OBJECTIVITY: Source = Source {
    short: "objectivity",
    full: "Exact: the laws of mechanics do not depend on the place and attitude of the observer",
};
pub(crate) const CONSERVATION: Source = Source {
    short: "balance of energy",
    full: "Exact: kinetic and stored energy change by the work in less the energy dissipated",
};
pub(crate) const DFKI: Source = Source {
    short: "DFKI, kinetostatics of a 6-RUS",
    full: "Motor angles of DFKI's published kinetostatic model of a 6-RUS platform with pre-curved \
           rods (reference data), its unrounded geometry, its universal joint carrying its moment \
           about the world's upward axis; SciPy's shooting solution of that model agrees to 5e-9 rad. \
           With an ideal universal joint and the rounded geometry the angles are 4e-5 rad away, in \
           SciPy and here alike (7e-11 rad)",
};
pub(crate) const PACOMA: Source = Source {
    short: "inextensible elastica, design data",
    full: "Nominal pose of the default platform: geometry, thrust of the pinned leaf at that chord, \
           and rounded stiffnesses (design data)",
};
pub(crate) const ONE_MODEL: Source = Source {
    short: "kernel on one model",
    full: "Exact: condensing the legs solves the same equations as one model of the whole platform",
};
pub(crate) const NIKRAVESH: Source = Source {
    short: "Nikravesh 2018, recomputed",
    full: "Nikravesh, Planar Multibody Dynamics, 2nd edition, 2018; recomputed with SciPy, rtol 1e-10 \
           (reference data)",
};
pub(crate) const TWO_LINK: Source = Source {
    short: "exact ODE of the rigid two-link arm",
    full: "Grazioso, Sonneville, Di Gironimo, Bauchau & Siciliano, two-link manipulator; rigid arms as \
           one equation, SciPy (reference data)",
};
pub(crate) const ARM: Source = Source {
    short: "Exudyn, 32 elements per link",
    full: "Yaqubi, Kitzinger, Müller, Gattringer & Mattila, flexible two-link arm; completed case, \
           Exudyn 1.13.6 with 32 elements per link (reference data)",
};
pub(crate) const L_MECHANISM: Source = Source {
    short: "Timoshenko FEM of the L",
    full: "Vidoni et al., spatial L mechanism; own Timoshenko finite elements and Craig-Bampton \
           reduction, six digits (reference data)",
};
