//! A docking: a target of 500 kg meets the platform at a wrong angle; how hard, and is it captured?

use softdock_docking::{DockingRun, Outcome, Scenario};

/// Runs the default docking at two angles.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    for pitch_deg in [7.5, 2.0] {
        // Every setting has a default; those that matter here are set.
        let mut scenario = Scenario::default();
        scenario.docking.misalignment.pitch_deg = pitch_deg;
        scenario.docking.closing_speed_m_s = 0.05;
        scenario.docking.duration_s = 0.5;

        // The second argument asks to keep samples over time.
        let mut run = DockingRun::new(&scenario, true)?;
        run.run()?;
        let summary = run.summary()?;
        let peak = summary.peak_contact_force_n.ok_or("they never touched")?;
        let touch = summary.first_touch_s.ok_or("they never touched")?;
        println!("{pitch_deg}°: {:?}, {peak:.1} N at most", summary.outcome);

        // The first question is whether the result can be believed: here the ledger closes.
        assert!(summary.energy_residual_rel < 1e-3);
        assert!(summary.outcome != Outcome::NeverTouched);
        // The gap is closed at 0.05 m/s; the peak comes later.
        assert!(touch > 0.0 && summary.peak_contact_time_s > Some(touch));
        assert!(run.samples().len() > 10 && peak > 10.0);
    }
    Ok(())
}
