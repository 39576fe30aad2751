//! Ranges of leg settings that are narrower on a platform than for a leg by itself.
//!
//! Sizes and materials far from anything that can be built would end in equations of the whole
//! platform that cannot be solved, and a message that blames them. All other settings of the legs
//! have the ranges of [`leg_core::parameter`].

leg_core::parameters! {
    /// Length of the crank.
    CRANK_LENGTH = "crank.length_m", "m", 0.001 to 10;
    /// Length of the leaf.
    LEAF_LENGTH = "leaf.length_m", "m", 0.01 to 100;
    /// Width of the leaf.
    LEAF_WIDTH = "leaf.width_m", "m", 1e-5 to 10;
    /// Thickness of the leaf.
    LEAF_THICKNESS = "leaf.thickness_m", "m", 1e-5 to 1;
    /// Young's modulus.
    YOUNGS_MODULUS = "leaf.youngs_modulus_pa", "Pa", 1e5 to 1e13;
    /// Shear modulus.
    SHEAR_MODULUS = "leaf.shear_modulus_pa", "Pa", 1e5 to 1e13;
    /// Density of the leaf.
    DENSITY = "leaf.density_kg_m3", "kg/m³", 0.1 to 1e6;
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn every_range_is_inside_that_of_a_leg() {
        for narrower in ALL {
            let leg = leg_core::parameter::ALL;
            let leg = leg.iter().find(|leg| leg.key == narrower.key);
            let inside = |leg: &leg_core::parameter::Parameter| {
                leg.unit == narrower.unit && leg.low <= narrower.low && narrower.high <= leg.high
            };
            assert!(leg.is_some_and(inside), "{}", narrower.key);
        }
    }
}
