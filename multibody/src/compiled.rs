//! Functions of the kernel that are compiled in this crate, once for the plane and once for space.
//!
//! A generic function is compiled in every crate that calls it. The largest ones are therefore
//! reached through this trait, whose functions are generic no longer where the trait is
//! implemented: crates that step, solve or build a model link to them instead of compiling the
//! elements, the assembly and the factorisation again.
//!
//! To move a function here: rename its body to `*_of_group`, let the function itself call the
//! trait, and add it below.

use crate::assembly::{self, Motion, Task, inputs};
use crate::error::Result;
use crate::group::{Group, Se2, Se3};
use crate::linear_solver::{Layout, Singular, SkeletonColumns, System};
use crate::linearize::{self, LinearModel, Request};
use crate::modal::{Reduction, reduction};
use crate::model::{BeamId, BeamSpec, Model, ModelBuilder};
use crate::results::energy::{self, Energies, Powers};
use crate::state::State;
use crate::workspace::Workspace;

/// What a group brings in compiled form; see the functions of the same names.
pub(crate) trait Compiled<const N: usize, const D: usize>: Copy {
    fn assemble(
        model: &Model<Self, N, D>,
        motion: &Motion<'_, Self, N>,
        task: &Task,
        system: &mut System<N>,
    ) -> Result<()>
    where
        Self: Group<N, D>;

    fn assemble_rhs(
        model: &Model<Self, N, D>,
        motion: &Motion<'_, Self, N>,
        task: &Task,
        system: &mut System<N>,
    ) -> Result<()>
    where
        Self: Group<N, D>;

    fn input_column(
        model: &Model<Self, N, D>,
        motion: &Motion<'_, Self, N>,
        channel: usize,
        constraint_scale: f64,
        system: &mut System<N>,
    ) where
        Self: Group<N, D>;

    fn factor(system: &mut System<N>, layout: &Layout<N>) -> core::result::Result<(), Singular>;

    fn solve(system: &mut System<N>, layout: &Layout<N>);

    fn solve_columns(system: &mut System<N>, layout: &Layout<N>, columns: &mut SkeletonColumns);

    fn complete(
        system: &mut System<N>,
        layout: &Layout<N>,
        columns: &SkeletonColumns,
        factors: &[f64],
    );

    fn energies(model: &Model<Self, N, D>, state: &State<Self, N>) -> Result<Energies>
    where
        Self: Group<N, D>;

    fn powers(model: &Model<Self, N, D>, state: &State<Self, N>) -> Powers
    where
        Self: Group<N, D>;

    fn reduce(
        model: &Model<Self, N, D>,
        state: &State<Self, N>,
        workspace: &mut Workspace<Self, N>,
    ) -> Result<Reduction<N>>
    where
        Self: Group<N, D>;

    fn linearize(
        model: &Model<Self, N, D>,
        state: &State<Self, N>,
        workspace: &mut Workspace<Self, N>,
        request: &Request<D>,
    ) -> Result<LinearModel>
    where
        Self: Group<N, D>;

    fn beam(
        builder: &mut ModelBuilder<Self, N, D>,
        name: &str,
        root: Self,
        spec: &BeamSpec<N, D>,
    ) -> BeamId
    where
        Self: Group<N, D>;

    fn build(builder: ModelBuilder<Self, N, D>) -> Result<Model<Self, N, D>>
    where
        Self: Group<N, D>;

    fn workspace(model: &Model<Self, N, D>) -> Workspace<Self, N>
    where
        Self: Group<N, D>;
}

/// The kernel for one group of `$n` degrees of freedom in `$d` dimensions.
macro_rules! compile {
    ($group:ty, $n:literal, $d:literal) => {
        impl Compiled<$n, $d> for $group {
            fn assemble(
                model: &Model<Self, $n, $d>,
                motion: &Motion<'_, Self, $n>,
                task: &Task,
                system: &mut System<$n>,
            ) -> Result<()> {
                assembly::assemble_of_group(model, motion, task, system)
            }

            fn assemble_rhs(
                model: &Model<Self, $n, $d>,
                motion: &Motion<'_, Self, $n>,
                task: &Task,
                system: &mut System<$n>,
            ) -> Result<()> {
                assembly::assemble_rhs_of_group(model, motion, task, system)
            }

            fn input_column(
                model: &Model<Self, $n, $d>,
                motion: &Motion<'_, Self, $n>,
                channel: usize,
                constraint_scale: f64,
                system: &mut System<$n>,
            ) {
                inputs::input_column_of_group(model, motion, channel, constraint_scale, system);
            }

            fn factor(
                system: &mut System<$n>,
                layout: &Layout<$n>,
            ) -> core::result::Result<(), Singular> {
                system.factor(layout)
            }

            fn solve(system: &mut System<$n>, layout: &Layout<$n>) {
                system.solve(layout);
            }

            fn solve_columns(
                system: &mut System<$n>,
                layout: &Layout<$n>,
                columns: &mut SkeletonColumns,
            ) {
                system.solve_columns(layout, columns);
            }

            fn complete(
                system: &mut System<$n>,
                layout: &Layout<$n>,
                columns: &SkeletonColumns,
                factors: &[f64],
            ) {
                system.complete(layout, columns, factors);
            }

            fn energies(model: &Model<Self, $n, $d>, state: &State<Self, $n>) -> Result<Energies> {
                energy::energies_of_group(model, state)
            }

            fn powers(model: &Model<Self, $n, $d>, state: &State<Self, $n>) -> Powers {
                energy::powers_of_group(model, state)
            }

            fn reduce(
                model: &Model<Self, $n, $d>,
                state: &State<Self, $n>,
                workspace: &mut Workspace<Self, $n>,
            ) -> Result<Reduction<$n>> {
                reduction::reduce_of_group(model, state, workspace)
            }

            fn linearize(
                model: &Model<Self, $n, $d>,
                state: &State<Self, $n>,
                workspace: &mut Workspace<Self, $n>,
                request: &Request<$d>,
            ) -> Result<LinearModel> {
                linearize::linearize_of_group(model, state, workspace, request)
            }

            fn beam(
                builder: &mut ModelBuilder<Self, $n, $d>,
                name: &str,
                root: Self,
                spec: &BeamSpec<$n, $d>,
            ) -> BeamId {
                builder.beam_of_group(name, root, spec)
            }

            fn build(builder: ModelBuilder<Self, $n, $d>) -> Result<Model<Self, $n, $d>> {
                builder.build_of_group()
            }

            fn workspace(model: &Model<Self, $n, $d>) -> Workspace<Self, $n> {
                Workspace::of_group(model)
            }
        }
    };
}

compile!(Se2, 3, 2);
compile!(Se3, 6, 3);
