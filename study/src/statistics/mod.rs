//! What a study says: probabilities, distributions, sensitivities.
//!
//! Values that are missing are left out everywhere, and counted. Infinite ones take part in what goes
//! by order and are left out, and counted, where variances are shared out.

mod design;
mod distribution;
mod fidelity;
mod given_data;
mod histogram;
mod indices;
mod proportion;
mod rank;
mod screening;
mod sensitivity;
pub mod sequential;
pub(crate) mod special;
mod surrogate;
mod surrogate_event;
mod surrogate_indices;
mod surrogate_process;
mod thinning;

pub use design::{Coverage, Dependence};
pub use distribution::{
    Distribution, Exceedance, QuantileEstimate, distribution, exceedance, quantile,
};
pub use fidelity::{
    FEWEST_FULL, TwoFidelity, allocation, mean_of_two, probability_of_two, quantile_of_two,
};
pub use given_data::{FirstOrder, given_data_first_order, given_data_first_order_of_groups};
pub use histogram::{Histogram, histogram};
pub use indices::{SobolIndex, SobolIndices, sobol_indices};
pub use proportion::{Proportion, proportion, wilson};
pub use rank::{Spearman, spearman};
pub use screening::{ElementaryEffects, elementary_effects};
pub use sensitivity::{
    Indices, InputSensitivity, Sensitivity, screening_of, sensitivity, sensitivity_of,
};
pub use surrogate::{Surrogate, SurrogateIndex, SurrogateKind, best_surrogate, surrogate};
pub use surrogate_event::{EventMap, surrogate_of_event};
pub use surrogate_process::surrogate_process;
pub use thinning::Values;

/// An interval with its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// How many standard deviations hold the given probability of a normal distribution around its
/// middle; a confidence outside (0, 1) is taken to its nearest sensible value.
pub(crate) fn two_sided_score(confidence: f64) -> f64 {
    let confidence = confidence.clamp(0.0, 1.0 - 1e-12);
    crate::sampling::normal::quantile(0.5 + 0.5 * confidence)
}
