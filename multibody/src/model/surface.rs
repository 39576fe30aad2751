//! Contact of points of one body with surfaces of another within a model: `contact::pair` with the
//! speeds of the touches read from input channels, which whoever locates the touches sets.

use super::joint::Body;
use crate::contact::ContactPair;

/// A contact of two bodies in a model.
#[derive(Debug, Clone)]
pub(crate) struct MountedSurface {
    /// A, which carries the points, then B, which carries the surfaces.
    pub bodies: [Body; 2],
    pub pair: ContactPair,
    /// Input channel of the speed of every contact's touch.
    pub speeds: Vec<usize>,
    /// Coupling of the two nodes.
    pub coupling: Option<usize>,
}
