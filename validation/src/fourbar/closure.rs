//! Loop closure: the dependent angles of the four-bar and their first and second derivatives in q1.
//!
//! The pin B is one of the two intersections of the circles about A and C. With the diagonal
//! d = A − C, |d| = d, its angle δ, and the angles β at C and α at A of the triangle C A B,
//!
//! ```text
//! q3 = δ + s β,   θ2 = δ + π − s α,   s = ±1 (the branch)                    (1)
//! β = atan2(4T, d² + L3² − L2²),   α = atan2(4T, d² + L2² − L3²)             (2)
//! 16 T² = (L2 + L3 − d)(L2 + L3 + d)(d − |L2 − L3|)(d + |L2 − L3|)           (3)
//! ```
//!
//! The derivatives kᵢ = dθᵢ/dq1 and kᵢ' = d²θᵢ/dq1² solve the closure differentiated once and
//! twice, each projected on e(q3) and e(θ2), which decouples its two unknowns (σ = sin(q3 − θ2)):
//!
//! ```text
//! L2 σ k2 = −L1 sin(q3 − q1),   L3 σ k3 = −L1 sin(θ2 − q1)                   (4)
//! L2 σ k2' = L1 cos(q3 − q1) + L2 k2² cos(q3 − θ2) − L3 k3²                  (5)
//! L3 σ k3' = L1 cos(θ2 − q1) + L2 k2² − L3 k3² cos(q3 − θ2)                  (6)
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | T | area of the triangle C A B | m² |
//! | α, β, δ | angles | rad |
//! | k, k' | velocity ratios and their slopes | –, 1/rad |
//!
//! δ is taken so that it has no jumps: relative to the direction of O − C if L1 ≤ |OC| (d then
//! stays within a right angle of it), relative to link 1 otherwise. All angles are therefore
//! continuous functions of q1 over any number of turns, and need no unwrapping.
//!
//! Source: García de Jalón & Bayo 1994 (`garciadejalon1994`), chapters 2 and 3. Heron's product (3)
//! replaces the usual arc cosine, which loses half its digits near a dead point.

use super::plane::{Vector, add_scaled, cross, dot, unit};
use super::{FourBar, FourBarError, PerBar};
use core::f64::consts::PI;
use multibody::math;

/// Smallest |sin(q3 − θ2)| at which a position is accepted, 0.06° from a dead point [–].
///
/// Near a dead point q1 differs from its extreme by the square of this sine, so that rounding of q1
/// reaches σ and the ratios divided by the square: nine digits remain here. Nearer, an integrator
/// with a tolerance of 1e-13 is lost in rounding before it can tell where it is.
pub const SMALLEST_TRANSMISSION_SINE: f64 = 1e-3;

/// Which of the two assemblies of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Branch {
    /// Link 3 lies counter-clockwise of the line from C to A: the assembly of the leg, s = +1.
    Counterclockwise,
    /// Link 3 lies clockwise of the line from C to A: the mirror assembly, s = −1.
    Clockwise,
}

/// A closed position of the four-bar with the derivatives of its angles in q1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Configuration {
    /// The assembly.
    pub branch: Branch,
    /// Absolute angles q1, θ2, q3, continuous in q1 [rad].
    pub angles: PerBar<f64>,
    /// Velocity ratios dθᵢ/dq1 [–].
    pub ratios: PerBar<f64>,
    /// Their slopes d²θᵢ/dq1² [1/rad].
    pub ratio_slopes: PerBar<f64>,
    /// Pin A between link 1 and bar 2 [m].
    pub pin_a: [f64; 2],
    /// Pin B between bar 2 and link 3 [m].
    pub pin_b: [f64; 2],
}

impl Configuration {
    /// Angle of bar 2 relative to link 1, the q2 of the thesis [rad].
    pub fn relative_angle(&self) -> f64 {
        self.angles.bar2 - self.angles.link1
    }

    /// Angular rates for a rate of q1 [rad/s].
    pub fn rates(&self, q1_rate: f64) -> PerBar<f64> {
        let PerBar { link1, bar2, link3 } = self.ratios;
        PerBar {
            link1: link1 * q1_rate,
            bar2: bar2 * q1_rate,
            link3: link3 * q1_rate,
        }
    }
}

impl FourBar {
    /// Closes the loop at an angle q1 of link 1 [rad].
    pub fn assemble(&self, q1: f64, branch: Branch) -> Result<Configuration, FourBarError> {
        let PerBar { link1, bar2, link3 } = self.data.bars;
        let [l1, l2, l3] = [link1.length, bar2.length, link3.length];
        let pin_a = add_scaled(self.data.lower_pivot, l1, unit(q1));
        let d = add_scaled(pin_a, -1.0, self.data.upper_pivot);
        let diagonal = math::hypot(d[0], d[1]);
        let (folded, stretched) = self.span();
        if !(folded..=stretched).contains(&diagonal) {
            return Err(FourBarError::OutOfReach {
                q1,
                diagonal,
                folded,
                stretched,
            });
        }
        let four_areas = ((stretched - diagonal)
            * (stretched + diagonal)
            * (diagonal - folded)
            * (diagonal + folded))
            .sqrt(); // (3)
        let sine = four_areas / (2.0 * l2 * l3);
        if sine < SMALLEST_TRANSMISSION_SINE {
            return Err(FourBarError::DeadPoint {
                q1,
                sine,
                smallest: SMALLEST_TRANSMISSION_SINE,
            });
        }
        let side = match branch {
            Branch::Counterclockwise => 1.0,
            Branch::Clockwise => -1.0,
        };
        let delta = self.diagonal_angle(q1, d);
        let square = diagonal * diagonal;
        let difference = (l2 - l3) * (l2 + l3);
        let beta = math::atan2(four_areas, square - difference); // (2)
        let alpha = math::atan2(four_areas, square + difference);
        let angles = PerBar {
            link1: q1,
            bar2: delta + PI - side * alpha, // (1)
            link3: delta + side * beta,
        };
        let pin_b = add_scaled(self.data.upper_pivot, l3, unit(angles.link3));
        let [ratios, ratio_slopes] = ratios([l1, l2, l3], &angles);
        Ok(Configuration {
            branch,
            angles,
            ratios,
            ratio_slopes,
            pin_a,
            pin_b,
        })
    }

    /// Distances that bars 2 and 3 span folded and stretched [m].
    fn span(&self) -> (f64, f64) {
        let PerBar { bar2, link3, .. } = self.data.bars;
        (
            (bar2.length - link3.length).abs(),
            bar2.length + link3.length,
        )
    }

    /// Angle of the diagonal d = A − C without jumps in q1 [rad].
    fn diagonal_angle(&self, q1: f64, d: Vector) -> f64 {
        let ground = add_scaled(self.data.lower_pivot, -1.0, self.data.upper_pivot);
        let (reference, angle) = if self.data.bars.link1.length <= math::hypot(ground[0], ground[1])
        {
            (ground, math::atan2(ground[1], ground[0]))
        } else {
            (unit(q1), q1)
        };
        angle + math::atan2(cross(reference, d), dot(reference, d))
    }

    /// Refuses lengths with which no position of link 1 closes the loop.
    pub(super) fn check_closure(&self) -> Result<(), FourBarError> {
        let ground = add_scaled(self.data.lower_pivot, -1.0, self.data.upper_pivot);
        let (ground, l1) = (
            math::hypot(ground[0], ground[1]),
            self.data.bars.link1.length,
        );
        let (nearest, farthest) = ((ground - l1).abs(), ground + l1);
        let (folded, stretched) = self.span();
        if nearest < stretched && folded < farthest {
            return Ok(());
        }
        Err(FourBarError::NeverCloses {
            nearest,
            farthest,
            folded,
            stretched,
        })
    }
}

/// The velocity ratios (4) and their slopes (5), (6).
fn ratios([l1, l2, l3]: [f64; 3], angles: &PerBar<f64>) -> [PerBar<f64>; 2] {
    let (sin_31, cos_31) = math::sin_cos(angles.link3 - angles.link1);
    let (sin_21, cos_21) = math::sin_cos(angles.bar2 - angles.link1);
    let (sin_32, cos_32) = math::sin_cos(angles.link3 - angles.bar2);
    let k2 = -l1 * sin_31 / (l2 * sin_32); // (4)
    let k3 = -l1 * sin_21 / (l3 * sin_32);
    let (c2, c3) = (l2 * k2 * k2, l3 * k3 * k3);
    let k2_slope = (l1 * cos_31 + c2 * cos_32 - c3) / (l2 * sin_32); // (5)
    let k3_slope = (l1 * cos_21 + c2 - c3 * cos_32) / (l3 * sin_32); // (6)
    [[1.0, k2, k3].into(), [0.0, k2_slope, k3_slope].into()]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::fourbar::{Bar, FourBarData};
    use core::f64::consts::TAU;

    #[test]
    fn both_branches_close_the_loop_on_their_own_side() {
        let four_bar = FourBar::published();
        let upper = four_bar.data().upper_pivot;
        for q1 in [-3.1, -1.0, 0.0, 0.7] {
            let mut pins = Vec::new();
            for (branch, side) in [(Branch::Counterclockwise, 1.0), (Branch::Clockwise, -1.0)] {
                let found = four_bar.assemble(q1, branch).unwrap();
                let from_a = add_scaled(found.pin_a, 0.5, unit(found.angles.bar2));
                assert!(
                    from_a
                        .iter()
                        .zip(found.pin_b)
                        .all(|(a, b)| (a - b).abs() < 1e-14)
                );
                let arm = add_scaled(found.pin_b, -1.0, upper);
                let diagonal = add_scaled(found.pin_a, -1.0, upper);
                assert!(side * cross(diagonal, arm) > 1e-3);
                pins.push(arm);
            }
            assert!(math::hypot(pins[0][0] - pins[1][0], pins[0][1] - pins[1][1]) > 0.1);
        }
    }

    #[test]
    fn angles_stay_continuous_over_full_turns() {
        let bar = |length| Bar::slender(length, 1.0);
        let lengths = |l1, l2, l3| PerBar {
            link1: bar(l1),
            bar2: bar(l2),
            link3: bar(l3),
        };
        // Crank and rocker: link 3 swings. Drag link (short ground): link 3 turns with link 1.
        for (bars, turns_of_link3) in [
            (lengths(0.1, 0.5, 0.4), 0.0),
            (lengths(0.8, 0.7, 0.75), 1.0),
        ] {
            let four_bar = FourBar::new(FourBarData {
                bars,
                ..FourBarData::default()
            })
            .unwrap();
            for branch in [Branch::Counterclockwise, Branch::Clockwise] {
                let at = |i: i32| {
                    four_bar
                        .assemble(f64::from(i) * TAU / 360.0, branch)
                        .unwrap()
                        .angles
                };
                for i in -720..720 {
                    let (here, next) = (at(i), at(i + 1));
                    assert!(
                        (next.bar2 - here.bar2).abs() < 0.2
                            && (next.link3 - here.link3).abs() < 0.2
                    );
                }
                let (start, end) = (at(0), at(720));
                let turned = 2.0 * TAU * turns_of_link3;
                assert!((end.link3 - start.link3 - turned).abs() < 1e-12);
                assert!((end.bar2 - start.bar2 - turned).abs() < 1e-12);
            }
        }
    }
}
