//! FMI 3.0 through the importer: what is written is read back as the scalar variables that it was made
//! of, and an FMU of that version moves, saves and differentiates like that of FMI 2.0.

use crate::models::tried;
use crate::support::archive;
use softdock_fmi::import::{FmuArchive, FmuInstance, ImportError, Options};
use softdock_fmi::model::token_of;
use softdock_fmi::package::{FmiVersion, TargetSystem, pack};
use softdock_fmu::ModelKind;
use softdock_fmu_library::LIBRARY;
use softdock_xml::version3::Version3;
use softdock_xml::{Causality, VariableType};

#[test]
fn every_description_reads_back_as_the_scalar_variables_that_it_was_made_of() {
    for kind in ModelKind::ALL {
        let written = kind.description().unwrap();
        let token = token_of(&*kind.packaged().model()).unwrap();
        let xml = written.to_xml_3(&token).unwrap();
        let read = Version3::from_xml(xml.as_bytes()).unwrap();
        assert_eq!(read.description.guid, token);
        assert!(
            read.description.problems().is_empty(),
            "{:?}",
            read.description.problems()
        );
        let (last, others) = read.description.model_variables.split_last().unwrap();
        assert_eq!(last.causality, Causality::Independent);
        assert_eq!(others.len(), written.model_variables.len());
        for (a, b) in others.iter().zip(&written.model_variables) {
            assert_eq!(a.name, b.name);
            assert_eq!(a.causality, b.causality, "{}", a.name);
            assert_eq!(
                a.effective_variability(),
                b.effective_variability(),
                "{}",
                a.name
            );
            assert_eq!(
                start(&a.variable_type),
                start(&b.variable_type),
                "{}",
                a.name
            );
            let place = read.places[a.value_reference as usize];
            assert_eq!(
                place.variable + place.element,
                b.value_reference,
                "{}",
                a.name
            );
        }
        let outputs = |description: &softdock_xml::ModelDescription| description.required_outputs();
        assert_eq!(outputs(&read.description), outputs(&written));
        let listed = read.description.model_structure.outputs.iter();
        assert_eq!(
            listed.map(|one| one.index).collect::<Vec<_>>(),
            outputs(&written)
        );
    }
}

fn start(of: &VariableType) -> Option<f64> {
    match of {
        VariableType::Real(real) => real.start,
        VariableType::Integer(integer) => integer.start.map(f64::from),
        VariableType::Boolean(boolean) => boolean.start.map(|it| f64::from(u8::from(it))),
        _ => None,
    }
}

/// The FMU of FMI 3.0 of a model.
fn archive3(kind: ModelKind) -> FmuArchive {
    let bytes = pack(
        kind.packaged(),
        FmiVersion::Three,
        LIBRARY,
        TargetSystem::HERE,
    );
    FmuArchive::from_bytes(kind.name(), &bytes.unwrap()).unwrap()
}

/// A small instance at its start.
fn started(fmu: &FmuArchive, kind: ModelKind) -> FmuInstance {
    let mut instance = fmu.instantiate("it", &Options::default()).unwrap();
    for (name, value) in tried(kind).small {
        let reference = fmu.reference(name).unwrap();
        instance.set_integer(&[reference], &[*value]).unwrap();
    }
    instance.initialize(0.0, None).unwrap();
    instance
}

fn bits(fmu: &FmuArchive, instance: &mut FmuInstance, names: &[&str]) -> Vec<u64> {
    let references = fmu.references(names).unwrap();
    let mut values = vec![f64::NAN; references.len()];
    instance.get_real(&references, &mut values).unwrap();
    values.into_iter().map(f64::to_bits).collect()
}

const STEP: f64 = 1e-3;

#[test]
fn loaded_models_of_both_versions_have_the_same_bits() {
    for kind in ModelKind::ALL {
        let (two, three) = (archive(kind), archive3(kind));
        let tried = tried(kind);
        let (name, value) = tried.input;
        let mut runs = Vec::new();
        for fmu in [two, &three] {
            let mut instance = started(fmu, kind);
            // One element of an array: the others stay.
            let input = [fmu.reference(name).unwrap()];
            instance.do_step(0.0, STEP).unwrap();
            instance.set_real(&input, &[value]).unwrap();
            let saved = instance.save().unwrap();
            instance.do_step(STEP, STEP).unwrap();
            let ahead = bits(fmu, &mut instance, tried.outputs);
            let bytes = instance.serialize(saved).unwrap();
            instance.restore(saved).unwrap();
            instance.do_step(STEP, STEP).unwrap();
            assert_eq!(bits(fmu, &mut instance, tried.outputs), ahead, "{name}");
            let mut other = started(fmu, kind);
            let copied = other.deserialize(&bytes).unwrap();
            other.restore(copied).unwrap();
            other.do_step(STEP, STEP).unwrap();
            assert_eq!(bits(fmu, &mut other, tried.outputs), ahead, "{name}");
            runs.push(ahead);
        }
        assert_eq!(runs[0], runs[1], "{}", kind.name());
    }
}

#[test]
fn derivatives_and_slopes_of_both_versions_have_the_same_bits() {
    let kind = ModelKind::LegSpatial;
    let (two, three) = (archive(kind), archive3(kind));
    let force = ["tip.force[3]", "tip.force[1]"];
    let found = [two, &three].map(|fmu| {
        let mut leg = started(fmu, kind);
        leg.do_step(0.0, STEP).unwrap();
        let unknowns = fmu.references(&force).unwrap();
        let knowns = fmu
            .references(&["tip.position[1]", "tip.position[3]"])
            .unwrap();
        let (mut along, mut slopes) = ([0.0; 2], [0.0; 2]);
        leg.directional_derivative(&unknowns, &knowns, &[1.0, -2.0], &mut along)
            .unwrap();
        leg.get_output_derivatives(&unknowns, &[1, 1], &mut slopes)
            .unwrap();
        [along, slopes]
            .concat()
            .into_iter()
            .map(f64::to_bits)
            .collect::<Vec<_>>()
    });
    assert_eq!(found[0], found[1]);
    assert_ne!(found[0][0], 0);
}

#[test]
fn elements_set_before_the_start_keep_their_neighbours() {
    let kind = ModelKind::LegSpatial;
    let fmu = archive3(kind);
    let mut leg = fmu.instantiate("leg", &Options::default()).unwrap();
    let position = fmu
        .references(&["tip.velocity[1]", "tip.velocity[2]", "tip.velocity[3]"])
        .unwrap();
    leg.set_real(&position[1..2], &[0.25]).unwrap();
    leg.set_real(&position[..1], &[0.5]).unwrap();
    let mut told = [f64::NAN; 3];
    leg.enter_initialization().unwrap();
    leg.get_real(&position, &mut told).unwrap();
    assert_eq!(told, [0.5, 0.25, 0.0]);
    leg.set_real(&position[2..], &[-1.0]).unwrap();
    leg.get_real(&[position[2], position[0]], &mut told[..2])
        .unwrap();
    assert_eq!(told[..2], [-1.0, 0.5]);
}

#[test]
fn what_version_three_does_not_have_is_refused_with_its_name() {
    let kind = ModelKind::LegSpatial;
    let fmu = archive3(kind);
    let mut leg = started(&fmu, kind);
    let torque = fmu.references(&["motor.torque_command"]).unwrap();
    let refused = leg.set_input_derivatives(&torque, &[1], &[1.0]);
    assert!(matches!(refused, Err(ImportError::NotInVersion3 { .. })));
    let refused = leg.set_integer(&torque, &[1]).unwrap_err().to_string();
    assert!(
        refused.contains("`motor.torque_command` is of the type Float64"),
        "{refused}"
    );
    let wrong = leg.do_step(5.0, STEP).unwrap_err().to_string();
    assert!(wrong.contains("fmi3DoStep returned fmi3Error"), "{wrong}");
}
