//! Whether the result of one of this project's FMUs can be believed, as far as its variables tell: the
//! account of energy, the strains of the leaf, and the FMU's own verdict. They are looked at where rows
//! are; an FMU that tells none of them is not judged.

use multibody::results::soundness::{Books, LeafStrain, Watch};
use softdock_fmi::import::{FmuInstance, ImportError};
use softdock_xml::{ModelDescription, VariableType};

/// The generation tool of this project's FMUs, before its version.
const TOOL: &str = "softdock ";

const KINETIC: [&str; 1] = ["energy.kinetic"];
const POTENTIALS: [&str; 4] = [
    "energy.strain",
    "energy.tendon",
    "energy.gravity",
    "energy.contact",
];
const WORK: [&str; 3] = ["energy.work_in", "energy.wrench_work", "energy.motor_work"];
const LOST: [&str; 1] = ["energy.dissipated"];
const RESIDUAL: [&str; 1] = ["energy.residual"];
const STRAINS: [&str; 2] = ["leaf.largest_axial_strain", "leaf.largest_surface_strain"];
const SOUND: [&str; 1] = ["sound"];

/// Variables of one kind, as many of them as the FMU has.
#[derive(Debug, Default)]
struct Told {
    references: Vec<u32>,
    values: Vec<f64>,
}

impl Told {
    fn find(names: &[&str], description: &ModelDescription) -> Self {
        let reference = |name: &&str| {
            let (_, variable) = description.variable(name)?;
            let real = matches!(variable.variable_type, VariableType::Real(_));
            real.then_some(variable.value_reference)
        };
        let references: Vec<u32> = names.iter().filter_map(reference).collect();
        Self {
            values: vec![0.0; references.len()],
            references,
        }
    }

    fn read(&mut self, instance: &mut FmuInstance) -> Result<(), ImportError> {
        if self.references.is_empty() {
            return Ok(());
        }
        instance.get_real(&self.references, &mut self.values)
    }
}

/// Looks at an FMU while it runs.
#[derive(Debug)]
pub struct Judge {
    kinetic: Told,
    potentials: Told,
    work: Told,
    lost: Told,
    residual: Told,
    strains: Told,
    sound: Told,
    watch: Watch,
}

impl Judge {
    /// A judge of this FMU, if it tells anything.
    pub fn new(description: &ModelDescription) -> Option<Self> {
        let tool = description.generation_tool.as_deref()?;
        if !tool.starts_with(TOOL) {
            return None;
        }
        let find = |names: &[&str]| Told::find(names, description);
        let judge = Self {
            kinetic: find(&KINETIC),
            potentials: find(&POTENTIALS),
            work: find(&WORK),
            lost: find(&LOST),
            residual: find(&RESIDUAL),
            strains: find(&STRAINS),
            sound: find(&SOUND),
            watch: Watch::default(),
        };
        let tells = |told: &Told| !told.references.is_empty();
        (tells(&judge.residual) || tells(&judge.sound)).then_some(judge)
    }

    /// Looks at the FMU at `time` [s].
    pub fn look(&mut self, time: f64, instance: &mut FmuInstance) -> Result<(), ImportError> {
        for told in [
            &mut self.kinetic,
            &mut self.potentials,
            &mut self.work,
            &mut self.lost,
            &mut self.residual,
            &mut self.strains,
            &mut self.sound,
        ] {
            told.read(instance)?;
        }
        if let (&[kinetic], &[residual]) = (&*self.kinetic.values, &*self.residual.values) {
            let books = Books {
                kinetic,
                potentials: &self.potentials.values,
                work: &self.work.values,
                lost: &self.lost.values,
                residual,
            };
            self.watch.energies(time, &books);
        }
        if let &[axial, surface] = &*self.strains.values {
            self.watch.leaf(time, None, &LeafStrain { axial, surface });
        }
        if let &[sound] = &*self.sound.values
            && sound != 1.0
            && !self.watch.soundness().is_suspect()
        {
            self.watch.told_not_sound(time);
        }
        Ok(())
    }

    /// What it has seen.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }
}
