//! A motor on a joint: what it is asked for, what it can deliver, friction and rotor of its drive.
//!
//! All quantities are those at the joint, behind the gear. With the joint's angle θ, the motor is asked
//! for
//!
//! ```text
//! τ_w = τ_in + k (u − θ) + d (u̇ − θ̇)                                            (1)
//! ```
//!
//! (each part if it is there) and delivers
//!
//! ```text
//! τ_r = clamp(τ_w, τ_0 − r h, τ_0 + r h)              rate limit r, (2)
//! τ   = clamp(τ_r, max(−L, −τ_s (1 + θ̇/ω_0)), min(L, τ_s (1 − θ̇/ω_0)))              (3)
//! ```
//!
//! τ_0 is the torque at the last accepted state, h the time since then; L the torque limit; τ_s stall
//! torque and ω_0 no-load speed of the torque-speed line: a motor at its voltage delivers less the
//! faster it turns, brakes when it is driven beyond ω_0, and never more than L either way. What limits
//! the sum limits it whatever asks for it. Equilibrium knows no rate limit. About an equilibrium
//! (linearisation) the motor is taken to be inside it.
//!
//! Friction of the drive acts against θ̇ ([`AxisFriction`]) on top of τ. The rotor turns with the
//! angular velocity `s` about the motor's axis, fixed in body A:
//!
//! ```text
//! s = n θ̇ + ω_A = n ω_B − (n − 1) ω_A,    T = ½ J s²                                  (4)
//! ```
//!
//! ω_A and ω_B the bodies' angular velocities about the axis, n the gear ratio, J the rotor's inertia
//! about its axis (that about the other axes, and its mass, belong to body A). On a body A at rest the
//! joint feels n² J. Forces and tangents: `assembly::motor`.

use super::InputId;
use super::friction::AxisFriction;
use crate::error::{Result, require};

/// What a motor does, and within which limits; the file's head has the equations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotorLaw {
    /// Input channel of the torque τ_in [N·m].
    pub torque: Option<InputId>,
    /// Hold at an angle.
    pub hold: Option<Hold>,
    /// Limit L of the whole torque [N·m]; infinite for none.
    pub torque_limit: f64,
    /// Limit r of the torque's rate [N·m/s]; infinite for none.
    pub torque_rate_limit: f64,
    /// Torque-speed line.
    pub speed_line: Option<SpeedLine>,
    /// Friction of the drive [N·m].
    pub friction: AxisFriction,
    /// Rotor and gear.
    pub rotor: Option<Rotor>,
}

impl Default for MotorLaw {
    /// No torque, no limit, no friction, no rotor.
    fn default() -> Self {
        Self {
            torque: None,
            hold: None,
            torque_limit: f64::INFINITY,
            torque_rate_limit: f64::INFINITY,
            speed_line: None,
            friction: AxisFriction::default(),
            rotor: None,
        }
    }
}

/// Proportional-derivative hold of a motor: `k (u − θ) + d (u̇ − θ̇)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hold {
    /// Input channel of the target angle u [rad].
    pub target: InputId,
    /// Stiffness k [N·m/rad].
    pub stiffness: f64,
    /// Damping d [N·m·s/rad].
    pub damping: f64,
}

/// Torque-speed line of a motor, at the joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpeedLine {
    /// Stall torque τ_s [N·m].
    pub stall_torque: f64,
    /// No-load speed ω_0 [rad/s].
    pub no_load_speed: f64,
}

/// Rotor of a motor behind a gear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotor {
    /// Inertia J about its axis [kg·m²].
    pub inertia: f64,
    /// Gear ratio n: turns of the rotor against body A per turn of the joint [-]; negative if it
    /// turns the other way.
    pub gear_ratio: f64,
}

/// Torque at the last accepted state, and the time since.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LastTorque {
    /// τ_0 [N·m].
    pub torque: f64,
    /// h [s]; infinite where no rate limit is to be felt.
    pub elapsed: f64,
}

/// What a motor delivers of what it is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delivered {
    /// τ [N·m].
    pub torque: f64,
    /// By the torque asked for: 1 inside all limits, else 0.
    pub by_wanted: f64,
    /// By the rate of the joint, as far as the torque-speed line decides [N·m·s/rad].
    pub by_rate: f64,
}

impl MotorLaw {
    /// A torque from an input, without limit.
    pub fn torque(input: InputId) -> Self {
        Self {
            torque: Some(input),
            ..Self::default()
        }
    }

    /// True if the torque at the last accepted state counts.
    pub fn has_memory(&self) -> bool {
        self.torque_rate_limit < f64::INFINITY
    }

    /// What it delivers of `wanted` [N·m] at the joint's rate [rad/s], (2) and (3).
    #[inline]
    pub fn deliver(&self, wanted: f64, rate: f64, last: LastTorque) -> Delivered {
        let limit = self.torque_limit;
        let (mut torque, mut by_wanted) = (wanted, 1.0);
        if self.has_memory() && last.elapsed < f64::INFINITY {
            let reach = self.torque_rate_limit * last.elapsed;
            let within = torque.clamp(last.torque - reach, last.torque + reach); // (2)
            if within != torque {
                (torque, by_wanted) = (within, 0.0);
            }
        }
        let (mut low, mut high, mut slopes) = (-limit, limit, [0.0; 2]);
        if let Some(SpeedLine {
            stall_torque,
            no_load_speed,
        }) = self.speed_line
        {
            let slope = -stall_torque / no_load_speed;
            let (up, down) = (stall_torque + slope * rate, -stall_torque + slope * rate);
            if up < high {
                (high, slopes[1]) = if up > -limit {
                    (up, slope)
                } else {
                    (-limit, 0.0)
                };
            }
            if down > low {
                (low, slopes[0]) = if down < limit {
                    (down, slope)
                } else {
                    (limit, 0.0)
                };
            }
        }
        // A NaN is inside no limit; it stays NaN and is found with its place.
        let by_rate = if torque >= high {
            slopes[1]
        } else if torque <= low {
            slopes[0]
        } else {
            0.0
        };
        let free = torque < high && torque > low;
        Delivered {
            torque: torque.clamp(low, high), // (3)
            by_wanted: if free { by_wanted } else { 0.0 },
            by_rate,
        }
    }

    /// Checks the ranges.
    pub(crate) fn validate(&self, name: &str) -> Result<()> {
        let limit = |quantity, value: f64, allowed| {
            // Infinite is none; `require` asks for finite numbers.
            let none = value == f64::INFINITY;
            if none {
                Ok(())
            } else {
                require(value > 0.0, name, quantity, value, allowed)
            }
        };
        limit("torque limit", self.torque_limit, "> 0 N·m")?;
        limit("torque rate limit", self.torque_rate_limit, "> 0 N·m/s")?;
        if let Some(hold) = &self.hold {
            let (k, d) = (hold.stiffness, hold.damping);
            require(k >= 0.0, name, "stiffness", k, ">= 0 N·m/rad")?;
            require(d >= 0.0, name, "damping", d, ">= 0 N·m·s/rad")?;
        }
        if let Some(line) = &self.speed_line {
            let (torque, speed) = (line.stall_torque, line.no_load_speed);
            require(torque > 0.0, name, "stall torque", torque, "> 0 N·m")?;
            require(speed > 0.0, name, "no-load speed", speed, "> 0 rad/s")?;
        }
        if let Some(rotor) = &self.rotor {
            let (j, n) = (rotor.inertia, rotor.gear_ratio);
            require(j >= 0.0, name, "rotor inertia", j, ">= 0 kg·m²")?;
            require(n.is_finite(), name, "gear ratio", n, "finite")?;
        }
        self.friction.validate(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NO_MEMORY: LastTorque = LastTorque {
        torque: 0.0,
        elapsed: f64::INFINITY,
    };

    fn law() -> MotorLaw {
        MotorLaw {
            torque_limit: 8.0,
            torque_rate_limit: 100.0,
            speed_line: Some(SpeedLine {
                stall_torque: 10.0,
                no_load_speed: 5.0,
            }),
            ..MotorLaw::default()
        }
    }

    #[test]
    fn the_line_takes_torque_away_with_speed() {
        let deliver = |wanted, rate| law().deliver(wanted, rate, NO_MEMORY).torque;
        assert_eq!(deliver(100.0, 0.0), 8.0);
        assert_eq!(deliver(100.0, 2.5), 5.0);
        assert_eq!(deliver(100.0, 5.0), 0.0);
        // Driven beyond its no-load speed it brakes, within its limit.
        assert_eq!(deliver(100.0, 7.0), -4.0);
        assert_eq!(deliver(100.0, 50.0), -8.0);
        // Braking is limited by the torque limit alone.
        assert_eq!(deliver(-100.0, 2.5), -8.0);
        assert_eq!(deliver(-100.0, -2.5), -5.0);
        assert_eq!(deliver(3.0, 2.5), 3.0);
    }

    #[test]
    fn the_rate_limit_lets_the_torque_follow_slowly() {
        let last = |torque, elapsed| LastTorque { torque, elapsed };
        let law = law();
        assert_eq!(law.deliver(7.0, 0.0, last(1.0, 0.01)).torque, 2.0);
        assert_eq!(law.deliver(-7.0, 0.0, last(1.0, 0.01)).torque, 0.0);
        assert_eq!(law.deliver(1.5, 0.0, last(1.0, 0.01)).torque, 1.5);
        // A jump of what is asked for changes nothing at once.
        assert_eq!(law.deliver(7.0, 0.0, last(1.0, 0.0)).torque, 1.0);
        assert_eq!(law.deliver(7.0, 0.0, last(1.0, 0.01)).by_wanted, 0.0);
        assert!(law.deliver(f64::NAN, 0.0, NO_MEMORY).torque.is_nan());
    }

    proptest! {
        #[test]
        fn derivatives_match_differences(wanted in -20.0..20.0_f64, rate in -12.0..12.0_f64) {
            let at = |dw: f64, dr: f64| law().deliver(wanted + dw, rate + dr, NO_MEMORY);
            let value = at(0.0, 0.0);
            let h = 1e-6;
            let same = |a: Delivered| a.by_wanted == value.by_wanted && a.by_rate == value.by_rate;
            let sides = [at(h, 0.0), at(-h, 0.0), at(0.0, h), at(0.0, -h)];
            if sides.into_iter().all(same) {
                let slope = |a: Delivered, b: Delivered| (a.torque - b.torque) / (2.0 * h);
                prop_assert!((slope(sides[0], sides[1]) - value.by_wanted).abs() < 1e-8);
                prop_assert!((slope(sides[2], sides[3]) - value.by_rate).abs() < 1e-8);
            }
            prop_assert!(value.torque.abs() <= 8.0);
        }
    }
}
