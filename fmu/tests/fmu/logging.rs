//! Messages: only what is enabled, never NULL, never a format.

use crate::support::instantiate;
use softdock_fmi::Category;
use softdock_fmi::abi::{
    FMI2_ERROR, FMI2_OK, FMI2_WARNING, fmi2CallbackFunctions, fmi2CallbackLogger,
    fmi2ComponentEnvironment, fmi2Status, fmi2String,
};
use softdock_fmi::exports::access::fmi2SetReal;
use softdock_fmi::exports::lifecycle::*;
use softdock_fmi::exports::step::*;
use softdock_fmu::{ModelKind, fmi2Instantiate};
use std::ffi::CStr;
use std::ptr::null;

type Line = (String, fmi2Status, String, String);

unsafe extern "C" fn receive(
    environment: fmi2ComponentEnvironment,
    instance: fmi2String,
    status: fmi2Status,
    category: fmi2String,
    message: fmi2String,
) {
    // SAFETY: the environment is the list below; texts end with zeros.
    unsafe {
        let lines = &mut *environment.cast::<Vec<Line>>();
        let text = |pointer: fmi2String| {
            assert!(!pointer.is_null());
            CStr::from_ptr(pointer).to_str().unwrap().to_owned()
        };
        lines.push((text(instance), status, text(category), text(message)));
    }
}

fn callbacks(lines: *mut Vec<Line>) -> fmi2CallbackFunctions {
    type Plain = unsafe extern "C" fn(
        fmi2ComponentEnvironment,
        fmi2String,
        fmi2Status,
        fmi2String,
        fmi2String,
    );
    let plain: Option<Plain> = Some(receive);
    // SAFETY: as in the importer: the named arguments are passed alike.
    let logger = unsafe { std::mem::transmute::<Option<Plain>, fmi2CallbackLogger>(plain) };
    fmi2CallbackFunctions {
        logger,
        allocateMemory: None,
        freeMemory: None,
        stepFinished: None,
        componentEnvironment: lines.cast(),
    }
}

/// Runs a short life with a mistake at its end and gives all messages.
fn life(logging: bool, switch: Option<(bool, &[&CStr])>) -> (Vec<Line>, fmi2Status) {
    let mut lines = Vec::new();
    let callbacks = callbacks(&raw mut lines);
    let component = instantiate(ModelKind::LegPlanar, &callbacks, logging);
    let mut switched = FMI2_OK;
    // SAFETY: the component is alive until it is freed at the end.
    unsafe {
        if let Some((on, categories)) = switch {
            let list: Vec<_> = categories.iter().map(|name| name.as_ptr()).collect();
            switched = fmi2SetDebugLogging(component, i32::from(on), list.len(), list.as_ptr());
        }
        fmi2EnterInitializationMode(component);
        fmi2ExitInitializationMode(component);
        fmi2DoStep(component, 0.0, 1e-3, 0);
        assert_eq!(fmi2DoStep(component, 5.0, 1e-3, 0), FMI2_ERROR);
        fmi2FreeInstance(component);
    }
    (lines, switched)
}

fn categories(lines: &[Line]) -> Vec<&str> {
    let mut list: Vec<&str> = lines.iter().map(|line| line.2.as_str()).collect();
    list.dedup();
    list
}

#[test]
fn only_failures_are_told_unless_more_is_asked_for() {
    let (lines, _) = life(false, None);
    assert_eq!(categories(&lines), ["logStatusError"]);
    let (name, status, _, message) = &lines[0];
    assert_eq!((name.as_str(), *status), ("leg", FMI2_ERROR));
    assert_eq!(
        message,
        "fmi2DoStep: the step begins at t = 5 s, but the slave is at t = 0.001 s"
    );
    let (lines, _) = life(true, None);
    assert_eq!(
        categories(&lines),
        ["logEvents", "logSolver", "logStatusError"]
    );
}

#[test]
fn categories_can_be_switched_one_by_one() {
    let (lines, switched) = life(false, Some((true, &[c"logSolver"])));
    assert_eq!(switched, FMI2_OK);
    assert_eq!(categories(&lines), ["logSolver", "logStatusError"]);
    let (lines, _) = life(true, Some((false, &[])));
    // What was said before it was switched off.
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].3, "made a LegPlanar");
    let (lines, switched) = life(false, Some((true, &[c"logNothing"])));
    assert_eq!(switched, FMI2_WARNING);
    assert_eq!(categories(&lines), ["logStatusError"]);
    let names = Category::ALL.map(Category::name);
    let wanted = [
        "logStatusError",
        "logStatusWarning",
        "logEvents",
        "logSolver",
    ];
    assert_eq!(names, wanted);
}

#[test]
fn a_message_is_safe_as_a_format() {
    let mut lines: Vec<Line> = Vec::new();
    let callbacks = callbacks(&raw mut lines);
    // SAFETY: texts end with zeros.
    let component = unsafe {
        fmi2Instantiate(
            c"100 %s".as_ptr(),
            1,
            c"{%s %n}".as_ptr(),
            null(),
            &callbacks,
            0,
            0,
        )
    };
    assert!(component.is_null());
    assert!(lines[0].3.contains("{%%s %%n}"), "{}", lines[0].3);
}

#[test]
fn a_tendon_going_slack_is_told() {
    let mut lines: Vec<Line> = Vec::new();
    let callbacks = callbacks(&raw mut lines);
    let component = instantiate(ModelKind::LegPlanar, &callbacks, true);
    let load = crate::support::reference(ModelKind::LegPlanar, "load.force[2]");
    // SAFETY: the component is alive until it is freed.
    unsafe {
        fmi2EnterInitializationMode(component);
        fmi2ExitInitializationMode(component);
        fmi2SetReal(component, &load, 1, &-40.0);
        for k in 0..200 {
            fmi2DoStep(component, f64::from(k) * 1e-3, 1e-3, 0);
        }
        fmi2FreeInstance(component);
    }
    let slack = lines.iter().find(|line| line.3.contains("slack"));
    assert_eq!(slack.unwrap().2, "logEvents");
}
