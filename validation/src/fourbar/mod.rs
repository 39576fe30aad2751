//! The rigid four-bar leg by explicit reduction to one ordinary differential equation in q1.
//!
//! Three bars, one after the other: link 1 from the ground pivot O to the pin A, bar 2 from A to
//! the pin B, link 3 from the ground pivot C to B. Their absolute angles from x, positive
//! counter-clockwise, are q1, θ2 and q3; the thesis' relative angle is q2 = θ2 − q1.
//!
//! ```text
//! O + L1 e(q1) + L2 e(θ2) − C − L3 e(q3) = 0,   e(θ) = (cos θ, sin θ)        (1)
//! ```
//!
//! [`FourBar::assemble`] solves (1) for one of its two assemblies (`closure.rs`);
//! [`FourBar::accelerations`], [`FourBar::reactions`] and [`FourBar::energy`] are the mechanics on
//! that configuration (`dynamics.rs`); [`FourBar::simulate`] integrates the motion
//! (`simulation.rs`). Each of these files opens with its equations.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | O, C, A, B | ground pivots and moving pins | m |
//! | Lᵢ, mᵢ, Iᵢ | length, mass, inertia about the centre of mass of bar i | m, kg, kg·m² |
//! | g | gravity vector | m/s² |
//! | τ1, τ3 | torques of the ground on links 1 and 3, positive counter-clockwise | N·m |
//!
//! The centre of mass of each bar is at its middle. Positions in which bars 2 and 3 are collinear
//! (dead points: q1 turns back there and no longer determines the motion) are refused.
//!
//! Source: the velocity transformation of García de Jalón & Bayo 1994 (`garciadejalon1994`).

mod closure;
mod dynamics;
mod plane;
mod simulation;
#[cfg(test)]
mod tests;

pub use closure::{Branch, Configuration, SMALLEST_TRANSMISSION_SINE};
pub use dynamics::{Energy, Reactions, ReducedEquation, Torques};
pub use simulation::{Sample, Start};

/// One value for each of the three bars.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PerBar<T> {
    /// Link 1, from O to A.
    pub link1: T,
    /// Bar 2, from A to B.
    pub bar2: T,
    /// Link 3, from C to B.
    pub link3: T,
}

impl<T> PerBar<T> {
    /// The values in the order link 1, bar 2, link 3.
    pub fn into_array(self) -> [T; 3] {
        [self.link1, self.bar2, self.link3]
    }
}

impl<T> From<[T; 3]> for PerBar<T> {
    fn from([link1, bar2, link3]: [T; 3]) -> Self {
        Self { link1, bar2, link3 }
    }
}

/// A rigid bar whose centre of mass is at its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Distance between its pins [m].
    pub length: f64,
    /// Mass [kg].
    pub mass: f64,
    /// Moment of inertia about the centre of mass [kg·m²].
    pub inertia: f64,
}

impl Bar {
    /// A slender rod, I = m L² / 12, of a length [m] and a mass [kg].
    pub fn slender(length: f64, mass: f64) -> Self {
        Self {
            length,
            mass,
            inertia: mass * length * length / 12.0,
        }
    }
}

/// The data of a four-bar, not yet checked; the default is the published leg with a rigid coupler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FourBarData {
    /// Lower ground pivot O [m].
    pub lower_pivot: [f64; 2],
    /// Upper ground pivot C [m].
    pub upper_pivot: [f64; 2],
    /// The three bars.
    pub bars: PerBar<Bar>,
    /// Acceleration of gravity [m/s²].
    pub gravity: [f64; 2],
}

impl Default for FourBarData {
    fn default() -> Self {
        Self {
            lower_pivot: [0.150, 0.0],
            upper_pivot: [0.0, 0.400],
            bars: PerBar {
                link1: Bar::slender(0.12, 1.0),
                bar2: Bar::slender(0.50, 1.0),
                link3: Bar::slender(0.19, 1.0),
            },
            gravity: [0.0, -9.81],
        }
    }
}

/// Why a four-bar, or a position of it, was refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FourBarError {
    /// A quantity is outside its range.
    #[error("{quantity} = {value} is outside its allowed range: {allowed}")]
    Parameter {
        /// Which quantity.
        quantity: &'static str,
        /// The value it was given.
        value: f64,
        /// The values it may take.
        allowed: &'static str,
    },
    /// No position of link 1 lets bars 2 and 3 meet.
    #[error(
        "the loop never closes: |CA| runs from {nearest} to {farthest} m, bars 2 and 3 span \
         {folded} to {stretched} m"
    )]
    NeverCloses {
        /// Smallest distance from C to A [m].
        nearest: f64,
        /// Largest distance from C to A [m].
        farthest: f64,
        /// Distance that bars 2 and 3 span folded, |L2 − L3| [m].
        folded: f64,
        /// Distance that bars 2 and 3 span stretched, L2 + L3 [m].
        stretched: f64,
    },
    /// Bars 2 and 3 do not meet at this q1.
    #[error(
        "q1 = {q1} rad is out of reach: |CA| = {diagonal} m, bars 2 and 3 span {folded} to \
         {stretched} m"
    )]
    OutOfReach {
        /// Angle of link 1 [rad].
        q1: f64,
        /// Distance from C to A [m].
        diagonal: f64,
        /// Distance that bars 2 and 3 span folded, |L2 − L3| [m].
        folded: f64,
        /// Distance that bars 2 and 3 span stretched, L2 + L3 [m].
        stretched: f64,
    },
    /// Bars 2 and 3 are collinear, or too nearly so.
    #[error(
        "dead point at q1 = {q1} rad: the sine of the angle between bars 2 and 3 is {sine:e}, \
         below {smallest:e}"
    )]
    DeadPoint {
        /// Angle of link 1 [rad].
        q1: f64,
        /// Sine of the angle between bars 2 and 3, without its sign [–].
        sine: f64,
        /// Smallest sine with which the motion is still determined [–].
        smallest: f64,
    },
}

/// A rigid four-bar with checked data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FourBar {
    data: FourBarData,
}

impl FourBar {
    /// Checks the data and builds the four-bar.
    pub fn new(data: FourBarData) -> Result<Self, FourBarError> {
        check_numbers(&data)?;
        let four_bar = Self { data };
        four_bar.check_closure()?;
        Ok(four_bar)
    }

    /// The published leg with a rigid bar of 1 kg in place of the leaf.
    pub fn published() -> Self {
        Self {
            data: FourBarData::default(),
        }
    }

    /// The data it was built from.
    pub fn data(&self) -> &FourBarData {
        &self.data
    }
}

/// Refuses numbers without a physical meaning.
fn check_numbers(data: &FourBarData) -> Result<(), FourBarError> {
    let require = |valid: bool, quantity, value, allowed| match valid {
        true => Ok(()),
        false => Err(FourBarError::Parameter {
            quantity,
            value,
            allowed,
        }),
    };
    let vectors = [
        (
            data.lower_pivot,
            ["x of the lower pivot", "y of the lower pivot"],
        ),
        (
            data.upper_pivot,
            ["x of the upper pivot", "y of the upper pivot"],
        ),
        (data.gravity, ["x of gravity", "y of gravity"]),
    ];
    for (vector, names) in vectors {
        for (value, name) in vector.into_iter().zip(names) {
            require(value.is_finite(), name, value, "finite")?;
        }
    }
    let names = [
        ["length of link 1", "mass of link 1", "inertia of link 1"],
        ["length of bar 2", "mass of bar 2", "inertia of bar 2"],
        ["length of link 3", "mass of link 3", "inertia of link 3"],
    ];
    let positive = |value: f64| value > 0.0 && value.is_finite();
    for (bar, [length, mass, inertia]) in data.bars.into_array().into_iter().zip(names) {
        require(
            positive(bar.length),
            length,
            bar.length,
            "above 0 m, finite",
        )?;
        require(positive(bar.mass), mass, bar.mass, "above 0 kg, finite")?;
        let valid = bar.inertia == 0.0 || positive(bar.inertia);
        require(valid, inertia, bar.inertia, "0 kg·m² or above, finite")?;
    }
    Ok(())
}
