//! Bowed equilibria with a free link, the tendon's tension or rest length given.
//!
//! At every angle θ of the free link (or, both links free, at every chord c) the leaf has one
//! bowed shape, and the tension that balances the link follows from its holding torque. So the
//! equilibria form a family with one parameter, and with the potential V(θ) of leaf and weights
//!
//! ```text
//! T(θ) = −V′/c′,     ℓ0(θ) = c − T/k                                            (1)
//! W = V + ½ k (c − ℓ0)²,     W″ = k c′ dℓ0/dθ                                   (2)
//! ```
//!
//! The family is walked from the straight leaf to shorter chords, in steps that start from the
//! last one, extremes of T and ℓ0 located between them. By (2) the link rests in a minimum of its
//! potential W just where the rest length falls with the chord. A *limit point*, where it turns,
//! is the end: with a shorter tendon the link would leave for somewhere else. Where the tension
//! has an extreme, two chords have the same tension; the one nearer to the straight leaf is taken.
//!
//! Symbols: chord c [m], tension T [N], rest length ℓ0 [m], tendon stiffness k [N/m].

use super::LegError;
use super::config::LegConfig;
use super::planar::Linkage;
use super::pretension::{
    Balance, Bowed, PathSample, PlanarState, Pretensioned, SHORTEST_CHORD, free_chord, sample,
};

/// Chord, as a fraction of the leaf's length, at which the walk starts both ways.
const START: f64 = 0.98;
/// Steps from there to the shortest chord.
const STEPS: usize = 48;
/// Ratio of the distances from the straight leaf of steps the other way, and the last distance.
const RATIO: f64 = 0.75;
/// As above, as a fraction of the first.
const NEAREST: f64 = 1e-3;
/// How near to the line with the tendon the free link comes, as a relative distance of the chord
/// from its shortest: there the tendon has no lever.
const NEAR_LINE: f64 = 1e-6;
/// Golden section: 30 steps leave an error of 1e-12 in the extreme.
const SECTIONS: usize = 30;
/// Tension's tolerance, relative to one newton more than its size.
const TOLERANCE: f64 = 1e-11;
/// The same for what rounding may leave; with two free links the crank's torque is met to 1e-9 N·m.
const ACCEPTED: f64 = 1e-7;

/// What is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Free {
    One(Balance),
    Both,
}

impl Free {
    fn name(self) -> &'static str {
        match self {
            Self::One(Balance::Crank) => "the crank",
            Self::One(Balance::Link) => "the upper link",
            Self::Both => "both links",
        }
    }
}

/// An equilibrium of the family.
#[derive(Debug, Clone)]
struct Point {
    /// Angle of the free link [rad], or the chord [m] if both are free.
    parameter: f64,
    /// q1 and q3 [rad].
    angles: [f64; 2],
    tension: f64,
    rest_length: f64,
    state: PlanarState,
    sample: PathSample,
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
enum Target {
    Tension(f64),
    RestLength(f64),
}

impl Target {
    fn value(self, point: &Point) -> f64 {
        match self {
            Self::Tension(_) => point.tension,
            Self::RestLength(_) => point.rest_length,
        }
    }

    /// Distance of a point from the target [N].
    fn miss(self, point: &Point, stiffness: f64) -> f64 {
        match self {
            Self::Tension(tension) => point.tension - tension,
            Self::RestLength(rest) => stiffness * (point.rest_length - rest),
        }
    }
}

/// The family of one configuration.
struct Family<'a> {
    config: &'a LegConfig,
    linkage: Linkage,
    free: Free,
    bowed: Box<Bowed>,
}

/// Finds the equilibrium with the tension or rest length that the configuration asks for.
#[inline(never)]
pub(super) fn free_links(config: &LegConfig) -> Result<Box<Pretensioned>, LegError> {
    let wanted = &config.pretension;
    let target = match (wanted.tension_n, config.tendon.rest_length_m) {
        (Some(tension), _) => Target::Tension(tension),
        (None, Some(rest)) => Target::RestLength(rest),
        (None, None) => {
            return Err(LegError::Contradiction {
                first: "a free link",
                second: "no target",
                reason: "give pretension.chord_m, pretension.tension_n or tendon.rest_length_m",
            });
        }
    };
    let free = match (wanted.hold_q1, wanted.hold_q3) {
        (false, false) => Free::Both,
        (false, true) => Free::One(Balance::Crank),
        _ => Free::One(Balance::Link),
    };
    let (mut family, first) = Family::start(config, free, target)?;
    let (points, end) = family.walk(first)?;
    let stable = |pair: &[Point]| pair[1].rest_length < pair[0].rest_length;
    let stiffness = config.tendon.stiffness_n_per_m;
    for (i, pair) in points.windows(2).enumerate().filter(|(_, p)| stable(p)) {
        let [a, b] = [&pair[0], &pair[1]].map(|point| target.miss(point, stiffness));
        if a == 0.0 || b == 0.0 || (a < 0.0) != (b < 0.0) {
            let root = family.root(&pair[0], &pair[1], |p| target.miss(p, stiffness))?;
            let missed = target.miss(&root, stiffness);
            if missed.abs() > ACCEPTED * (1.0 + root.tension) {
                // Only where the family jumps from one pose of two free links to another.
                return Err(LegError::NoEquilibrium {
                    what: "tendon tension [N]",
                    target: root.tension - missed,
                    reached: root.tension,
                });
            }
            return family.finish(&points[..=i], root);
        }
    }
    let covered = points.windows(2).filter(|p| stable(p)).flatten();
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut shortest = f64::INFINITY;
    for point in covered {
        lowest = lowest.min(target.value(point));
        highest = highest.max(target.value(point));
        shortest = shortest.min(point.sample.chord_m);
    }
    let (key, asked) = match target {
        Target::Tension(tension) => ("pretension.tension_n", tension),
        Target::RestLength(rest) => ("tendon.rest_length_m", rest),
    };
    Err(LegError::OutOfReach {
        key,
        asked,
        free: free.name(),
        lowest,
        highest,
        chord_m: shortest,
        reason: end,
    })
}

const LIMIT_POINT: &str = "the tendon's rest length passes a limit point (with a shorter tendon \
                           the free link leaves for another pose)";
const IN_LINE: &str = "the free link points along the tendon, which has no lever on it";
const SHORT: &str = "the ends of the leaf nearly meet";
const NO_LENGTH: &str = "the tendon would need a rest length of zero";
const SLACK: &str = "the tendon would have to push";
const LOST: &str = "the leaf does not stay bowed to its side, or the links do not reach";

impl Family<'_> {
    /// The family and its point at the chord where the walk starts.
    ///
    /// Two free links have more than one pose at a chord (they hang or stand); the search starts
    /// near the chord of the target, from the angles of the configuration, as for a given chord.
    #[inline(never)]
    fn start(
        config: &LegConfig,
        free: Free,
        target: Target,
    ) -> Result<(Family<'_>, Point), LegError> {
        let linkage = Linkage::new(config);
        let wanted = &config.pretension;
        let held = [wanted.q1_rad, wanted.q3_rad];
        let length = config.leaf.length_m;
        let chord = START * length;
        let (angles, parameter) = match free {
            Free::One(balance) => {
                let (shortest_m, longest_m) = linkage.chord_range_of(balance, held);
                let chord = chord.min(longest_m * (1.0 - NEAR_LINE));
                let angle = linkage.angle_of(balance, held, chord);
                let angle = angle.ok_or(LegError::ImpossibleChord {
                    chord_m: chord,
                    shortest_m,
                    longest_m,
                    reason: "the links do not reach",
                })?;
                (with(balance, held, angle), angle)
            }
            Free::Both => {
                let near = match target {
                    Target::Tension(_) => linkage.chord(held[0], held[1]),
                    Target::RestLength(rest) => {
                        rest + config.leaf.euler_load() / config.tendon.stiffness_n_per_m
                    }
                };
                let chord = near.clamp(2.0 * SHORTEST_CHORD * length, chord);
                let report = free_chord(config, &linkage, chord, held)?.report;
                ([report.q1_rad, report.q3_rad], chord)
            }
        };
        let bowed = Bowed::new(config, angles[0], angles[1])?;
        let mut family = Family {
            config,
            linkage,
            free,
            bowed,
        };
        let point = match free {
            Free::One(balance) => family.balanced(balance, parameter, angles)?,
            Free::Both => family.at_chord(parameter, angles)?,
        };
        Ok((family, point))
    }

    /// The family from near the straight leaf to its end, and why it ends there.
    #[inline(never)]
    fn walk(&mut self, first: Point) -> Result<(Vec<Point>, &'static str), LegError> {
        let (straight, last, mut end) = self.ends(&first);
        let mut points = vec![first];
        if let Some(straight) = straight {
            let from = points[0].parameter;
            let mut fraction = RATIO;
            while fraction > NEAREST {
                let near = &points[points.len() - 1];
                let parameter = straight + fraction * (from - straight);
                let Ok(point) = self.evaluate(parameter, near) else {
                    break;
                };
                let on_branch = point.sample.sag_m < near.sample.sag_m
                    && point.sample.chord_m > near.sample.chord_m;
                if !on_branch || point.tension < 0.0 {
                    break;
                }
                points.push(point);
                fraction *= RATIO;
            }
        }
        points.reverse();
        let start = points.len() - 1;
        let from = points[start].parameter;
        for k in 1..=STEPS {
            let near = &points[points.len() - 1];
            let parameter = from + (last - from) * k as f64 / STEPS as f64;
            let Ok(point) = self.evaluate(parameter, near) else {
                end = LOST;
                break;
            };
            let (value, reason): (fn(&Point) -> f64, _) = if point.tension < 0.0 {
                (|p| p.tension, SLACK)
            } else if point.rest_length < 0.0 {
                (|p| p.rest_length, NO_LENGTH)
            } else {
                points.push(point);
                continue;
            };
            let near = near.clone();
            points.push(self.root(&near, &point, value)?);
            end = reason;
            break;
        }
        self.insert_extremes(&mut points, |p| p.rest_length)?;
        self.insert_extremes(&mut points, |p| p.tension)?;
        let rising = |pair: &[Point]| pair[1].rest_length > pair[0].rest_length;
        if points.windows(2).next_back().is_some_and(rising) {
            end = LIMIT_POINT;
        }
        Ok((points, end))
    }

    /// Parameters of the straight leaf, if the links reach, and of the shortest chord; why there is
    /// no shorter one.
    fn ends(&self, first: &Point) -> (Option<f64>, f64, &'static str) {
        let length = self.config.leaf.length_m;
        let shortest = SHORTEST_CHORD * length;
        match self.free {
            Free::Both => (Some(length), shortest, SHORT),
            Free::One(balance) => {
                let angle = |chord| self.linkage.angle_of(balance, first.angles, chord);
                let (reach, _) = self.linkage.chord_range_of(balance, first.angles);
                let reach = reach * (1.0 + NEAR_LINE);
                let reason = if reach > shortest { IN_LINE } else { SHORT };
                let last = angle(shortest.max(reach)).unwrap_or(first.parameter);
                (angle(length), last, reason)
            }
        }
    }

    /// The equilibrium at `parameter`, reached from `near`.
    #[inline(never)]
    fn evaluate(&mut self, parameter: f64, near: &Point) -> Result<Point, LegError> {
        match self.free {
            Free::Both => self.at_chord(parameter, near.angles),
            Free::One(balance) => {
                let angles = with(balance, near.angles, parameter);
                self.bowed.state = near.state.clone();
                self.bowed.turn(near.angles, angles)?;
                self.balanced(balance, parameter, angles)
            }
        }
    }

    /// The bowed leaf as it stands, with the tension that balances the free link.
    #[inline(never)]
    fn balanced(
        &self,
        balance: Balance,
        parameter: f64,
        angles: [f64; 2],
    ) -> Result<Point, LegError> {
        let bowed = &self.bowed;
        let tension = bowed.balancing_tension(balance)?;
        let sample = sample(&bowed.leg, &bowed.state, bowed.residual, bowed.iterations)?;
        Ok(Point {
            parameter,
            angles,
            tension,
            rest_length: sample.chord_m - tension / self.config.tendon.stiffness_n_per_m,
            state: bowed.state.clone(),
            sample,
        })
    }

    /// Both links free at a chord, searched from the angles `near`.
    #[inline(never)]
    fn at_chord(&mut self, chord: f64, near: [f64; 2]) -> Result<Point, LegError> {
        let found = free_chord(self.config, &self.linkage, chord, near)?;
        let report = &found.report;
        self.bowed.iterations += report.iterations;
        Ok(Point {
            parameter: chord,
            angles: [report.q1_rad, report.q3_rad],
            tension: report.tension_n,
            rest_length: report.rest_length_m.unwrap_or(report.chord_m),
            sample: sample(
                &found.leg,
                &found.state,
                report.residual_n,
                report.iterations,
            )?,
            state: found.state,
        })
    }

    /// The point between `a` and `b` where `value` vanishes: regula falsi that halves the weight
    /// of an end kept twice.
    #[inline(never)]
    fn root(
        &mut self,
        a: &Point,
        b: &Point,
        value: impl Fn(&Point) -> f64,
    ) -> Result<Point, LegError> {
        let (mut low, mut high) = (a.clone(), b.clone());
        let (mut f_low, mut f_high) = (value(a), value(b));
        let small = |point: &Point| TOLERANCE * (1.0 + point.tension.abs());
        let mut side = 0;
        for _ in 0..100 {
            if f_low.abs() <= small(&low) {
                return Ok(low);
            }
            if f_high.abs() <= small(&high) {
                return Ok(high);
            }
            let parameter = (low.parameter * f_high - high.parameter * f_low) / (f_high - f_low);
            if parameter == low.parameter || parameter == high.parameter {
                break;
            }
            let near = if f_low.abs() < f_high.abs() {
                &low
            } else {
                &high
            };
            let point = self.evaluate(parameter, near)?;
            let f = value(&point);
            if (f < 0.0) == (f_high < 0.0) {
                (high, f_high) = (point, f);
                f_low *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            } else {
                (low, f_low) = (point, f);
                f_high *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            }
        }
        // As near as rounding lets it be.
        Ok(if value(&low).abs() < value(&high).abs() {
            low
        } else {
            high
        })
    }

    /// Adds the points where `value` has an extreme between its neighbours.
    fn insert_extremes(
        &mut self,
        points: &mut Vec<Point>,
        value: impl Fn(&Point) -> f64,
    ) -> Result<(), LegError> {
        let mut i = 1;
        while i + 1 < points.len() {
            let [a, b, c] = [i - 1, i, i + 1].map(|k| value(&points[k]));
            if (b - a) * (c - b) < 0.0 {
                let sign = (b - a).signum();
                let extreme = self.extreme(&points[i - 1], &points[i + 1], |p| sign * value(p))?;
                let after = (extreme.parameter - points[i].parameter)
                    * (points[i + 1].parameter - points[i].parameter)
                    > 0.0;
                points.insert(if after { i + 1 } else { i }, extreme);
                i += 1;
            }
            i += 1;
        }
        Ok(())
    }

    /// The point between `a` and `b` where `value` is largest, by golden section.
    #[inline(never)]
    fn extreme(
        &mut self,
        a: &Point,
        b: &Point,
        value: impl Fn(&Point) -> f64,
    ) -> Result<Point, LegError> {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let (mut low, mut high) = (a.parameter, b.parameter);
        let mut left = self.evaluate(high - GOLDEN * (high - low), a)?;
        let mut right = self.evaluate(low + GOLDEN * (high - low), &left)?;
        for _ in 0..SECTIONS {
            if value(&left) > value(&right) {
                high = right.parameter;
                right = left.clone();
                left = self.evaluate(high - GOLDEN * (high - low), &right)?;
            } else {
                low = left.parameter;
                left = right.clone();
                right = self.evaluate(low + GOLDEN * (high - low), &left)?;
            }
        }
        Ok(left)
    }

    /// Adds the tendon to the leaf at `point`, reached over `way`.
    #[inline(never)]
    fn finish(mut self, way: &[Point], point: Point) -> Result<Box<Pretensioned>, LegError> {
        let iterations = self.bowed.iterations;
        if self.free == Free::Both {
            self.bowed = Bowed::new(self.config, point.angles[0], point.angles[1])?;
        } else {
            self.bowed.state = point.state;
        }
        self.bowed.iterations = iterations;
        self.bowed.path = way.iter().map(|p| p.sample).collect();
        self.bowed.path.push(point.sample);
        self.bowed.finish(None)
    }
}

/// `angles` with that of the free link replaced.
fn with(balance: Balance, angles: [f64; 2], angle: f64) -> [f64; 2] {
    match balance {
        Balance::Crank => [angle, angles[1]],
        Balance::Link => [angles[0], angle],
    }
}
