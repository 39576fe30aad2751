//! Transcendental functions whose bits depend on this program alone.
//!
//! The methods of `f64` call the C library, whose results differ in the last digit between its
//! versions and between processors (it chooses other code where fused multiplication is there).
//! These are compiled into the program from the crate `libm`, to within one unit in the last
//! place. Square roots and all arithmetic are exact by IEEE 754 and stay with `f64`.
//!
//! `clippy.toml` refuses the methods of `f64` that have a name here; a test of the program looks
//! for them among the symbols that it imports.

/// Sine and cosine of `x` [rad].
#[inline]
pub fn sin_cos(x: f64) -> (f64, f64) {
    libm::sincos(x)
}

/// Length of the hypotenuse `√(x² + y²)`, without overflow on the way.
#[inline]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// Angle of the point (`x`, `y`) in (−π, π] [rad]; the ordinate comes first.
#[inline]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// `base` to the power `exponent`.
#[inline]
pub fn powf(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

/// Functions of one number, each a call of `libm`.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $libm:ident;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name(x: f64) -> f64 {
            libm::$libm(x)
        }
    )*};
}

functions! {
    /// Sine of `x` [rad].
    sin = sin;
    /// Cosine of `x` [rad].
    cos = cos;
    /// Tangent of `x` [rad].
    tan = tan;
    /// Angle in [−π/2, π/2] whose sine is `x` [rad].
    asin = asin;
    /// Angle in [0, π] whose cosine is `x` [rad].
    acos = acos;
    /// Hyperbolic sine.
    sinh = sinh;
    /// Hyperbolic cosine.
    cosh = cosh;
    /// Hyperbolic tangent.
    tanh = tanh;
    /// `e` to the power `x`.
    exp = exp;
    /// Two to the power `x`; exact for whole `x`.
    exp2 = exp2;
    /// `eˣ − 1`, accurate near zero.
    exp_m1 = expm1;
    /// Natural logarithm.
    ln = log;
    /// `ln(1 + x)`, accurate near zero.
    ln_1p = log1p;
    /// Logarithm to base two; exact for powers of two.
    log2 = log2;
    /// Logarithm to base ten.
    log10 = log10;
    /// Cube root.
    cbrt = cbrt;
}

/// Modulus of a complex number.
#[inline]
pub fn modulus(z: nalgebra::Complex<f64>) -> f64 {
    libm::hypot(z.re, z.im)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Both libraries promise about one unit in the last place.
    const UNITS: f64 = 3.0;

    fn near(ours: f64, theirs: f64) -> Result<(), TestCaseError> {
        let allowed = UNITS * f64::EPSILON * theirs.abs();
        prop_assert!(
            (ours - theirs).abs() <= allowed,
            "{ours:e} against {theirs:e}"
        );
        Ok(())
    }

    proptest! {
        /// A name given to the wrong function of `libm` shows at once.
        #[test]
        fn functions_are_those_of_their_names(x in -20.0..20.0_f64, y in -20.0..20.0_f64) {
            let (sine, cosine) = sin_cos(x);
            near(sine, x.sin())?;
            near(cosine, x.cos())?;
            near(sin(x), x.sin())?;
            near(cos(x), x.cos())?;
            near(tan(x), x.tan())?;
            near(asin(x / 20.0), (x / 20.0).asin())?;
            near(acos(x / 20.0), (x / 20.0).acos())?;
            near(sinh(x), x.sinh())?;
            near(cosh(x), x.cosh())?;
            near(tanh(x), x.tanh())?;
            near(exp(x), x.exp())?;
            near(exp2(x), x.exp2())?;
            near(exp_m1(x), x.exp_m1())?;
            near(ln(x.abs()), x.abs().ln())?;
            near(ln_1p(x.abs()), x.abs().ln_1p())?;
            near(log2(x.abs()), x.abs().log2())?;
            near(log10(x.abs()), x.abs().log10())?;
            near(cbrt(x), x.cbrt())?;
            near(atan2(x, y), x.atan2(y))?;
            near(hypot(x, y), x.hypot(y))?;
            near(powf(x.abs(), y), x.abs().powf(y))?;
            near(modulus(nalgebra::Complex::new(x, y)), x.hypot(y))?;
        }
    }

    #[test]
    fn powers_of_two_are_exact() {
        for k in -1000..=1000 {
            assert_eq!(exp2(f64::from(k)), 2.0_f64.powi(k));
            assert_eq!(log2(2.0_f64.powi(k)), f64::from(k));
        }
    }
}
