//! A docking whose caller adds up the ends of its steps.

use softdock_docking::{DockingRun, Scenario};

#[test]
fn added_up_ends_are_rows_where_they_miss_them_by_rounding() {
    for accuracy in [None, Some(1e-2)] {
        let mut scenario = Scenario::default();
        scenario.platform.legs.elements = 2;
        scenario.platform.solver.accuracy = accuracy;
        scenario.docking.duration_s = 0.03;
        scenario.docking.output_interval_s = 0.01;
        let mut run = DockingRun::new(&scenario, true).unwrap();
        // Thirty times 0.001 is not 0.03, neither on the way nor when summed.
        let mut end = 0.0;
        for _ in 0..30 {
            end += 0.001;
            run.reach(end).unwrap();
            assert!((run.time() - end).abs() < 1e-9, "{} s", run.time());
        }
        run.reach(1.0).unwrap();
        assert!(run.finished() && run.time() == 0.03);
        let rows: Vec<f64> = run.samples().iter().map(|sample| sample.time).collect();
        assert_eq!(rows, [0.0, 0.01, 0.02, 0.03]);
    }
}
