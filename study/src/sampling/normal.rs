//! The standard normal distribution.
//!
//! ```text
//! Φ(x) = ½ erfc(−x/√2)                                                                     (1)
//! Φ⁻¹(p) = q P(0.180625 − q²)/Q(…)            for |q| ≤ 0.425, q = p − ½                    (2)
//!        = ∓ P(r − 1.6)/Q(…) or P(r − 5)/Q(…), r = √(−ln min(p, 1 − p))                     (3)
//! ```
//!
//! with the rational functions of algorithm AS 241, PPND16 (`wichura1988`); the relative error of
//! Φ⁻¹ is about 1e-16. The elementary functions come from a library in Rust rather than from the
//! system's, so that every machine gives the same bits.

// The coefficients stand as they were published, with more digits than a number holds.
#![allow(clippy::excessive_precision)]

/// The distribution function Φ.
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2) // (1)
}

/// The quantile function Φ⁻¹; −∞ at 0, +∞ at 1, NaN outside.
pub fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(0.180_625 - q * q, &CENTRE); // (2)
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let x = if tail == 0.0 {
        f64::INFINITY
    } else {
        let r = libm::sqrt(-libm::log(tail));
        if r <= 5.0 {
            ratio(r - 1.6, &MIDDLE)
        } else {
            ratio(r - 5.0, &FAR)
        } // (3)
    };
    if q < 0.0 { -x } else { x }
}

/// Coefficients of numerator and denominator, ascending; the denominator starts with one.
type Ratio = [[f64; 8]; 2];

const CENTRE: Ratio = [
    [
        3.387_132_872_796_366_608,
        133.141_667_891_784_377_45,
        1_971.590_950_306_551_442_7,
        13_731.693_765_509_461_125,
        45_921.953_931_549_871_457,
        67_265.770_927_008_700_853,
        33_430.575_583_588_128_105,
        2_509.080_928_730_122_672_7,
    ],
    [
        1.0,
        42.313_330_701_600_911_252,
        687.187_007_492_057_908_3,
        5_394.196_021_424_751_107_7,
        21_213.794_301_586_595_867,
        39_307.895_800_092_710_61,
        28_729.085_735_721_942_674,
        5_226.495_278_852_854_561,
    ],
];

const MIDDLE: Ratio = [
    [
        1.423_437_110_749_683_577_34,
        4.630_337_846_156_545_295_9,
        5.769_497_221_460_691_405_5,
        3.647_848_324_763_204_605_04,
        1.270_458_252_452_368_382_58,
        0.241_780_725_177_450_611_77,
        0.022_723_844_989_269_184_583_3,
        7.745_450_142_783_414_076_4e-4,
    ],
    [
        1.0,
        2.053_191_626_637_758_821_87,
        1.676_384_830_183_803_849_4,
        0.689_767_334_985_100_004_55,
        0.148_103_976_427_480_074_59,
        0.015_198_666_563_616_457_196_6,
        5.475_938_084_995_344_946e-4,
        1.050_750_071_644_416_843_24e-9,
    ],
];

const FAR: Ratio = [
    [
        6.657_904_643_501_103_777_2,
        5.463_784_911_164_114_369_9,
        1.784_826_539_917_291_335_8,
        0.296_560_571_828_504_891_23,
        0.026_532_189_526_576_123_093,
        0.001_242_660_947_388_078_438_6,
        2.711_555_568_743_487_578_15e-5,
        2.010_334_399_292_288_132_65e-7,
    ],
    [
        1.0,
        0.599_832_206_555_887_937_69,
        0.136_929_880_922_735_805_31,
        0.014_875_361_290_850_614_852_5,
        7.868_691_311_456_132_591e-4,
        1.846_318_317_510_054_681_8e-5,
        1.421_511_758_316_445_888_7e-7,
        2.044_263_103_389_939_785_64e-15,
    ],
];

fn ratio(x: f64, [numerator, denominator]: &Ratio) -> f64 {
    polynomial(x, numerator) / polynomial(x, denominator)
}

fn polynomial(x: f64, coefficients: &[f64; 8]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles to 20 digits, computed with 40 digits from the distribution function.
    const KNOWN: [(f64, f64); 12] = [
        (1e-300, -37.047_096_299_361_199),
        (1e-20, -9.262_340_089_798_407_6),
        (1e-10, -6.361_340_902_404_056_2),
        (0.001, -3.090_232_306_167_813_5),
        (0.025, -1.959_963_984_540_054_2),
        (0.0749, -1.440_238_267_527_963_7),
        (0.075, -1.439_531_470_938_455_9),
        (0.3, -0.524_400_512_708_040_82),
        (0.75, 0.674_489_750_196_081_74),
        (0.926, 1.446_632_067_158_978_8),
        (0.999, 3.090_232_306_167_813_3),
        (0.99999, 4.264_890_793_923_840_8),
    ];

    /// The error the algorithm promises, with a few roundings of its polynomials.
    const RELATIVE: f64 = 8.0 * f64::EPSILON;

    #[test]
    fn quantiles_are_accurate_to_rounding() {
        for (p, expected) in KNOWN {
            let found = quantile(p);
            assert!(
                (found / expected - 1.0).abs() < RELATIVE,
                "{p}: {found} for {expected}"
            );
        }
        assert_eq!(quantile(0.5), 0.0);
        assert_eq!(quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(quantile(1.0), f64::INFINITY);
        assert!(quantile(-0.1).is_nan() && quantile(f64::NAN).is_nan());
    }

    #[test]
    fn probabilities_are_accurate_to_rounding() {
        let known = [
            (-30.0, 4.906_713_927_148_187_1e-198),
            (-5.0, 2.866_515_718_791_939_1e-7),
            (-1.0, 0.158_655_253_931_457_05),
            (0.3, 0.617_911_422_188_952_63),
            (2.0, 0.977_249_868_051_820_79),
            (5.0, 0.999_999_713_348_428_12),
        ];
        for (x, expected) in known {
            // erfc amplifies the rounding of x by x².
            let allowed = f64::EPSILON * (4.0 + x * x);
            assert!((cdf(x) / expected - 1.0).abs() < allowed, "{x}: {}", cdf(x));
        }
    }

    #[test]
    fn quantile_inverts_the_distribution_on_both_sides_of_its_switches() {
        // q = 0.425 is p = 0.075 and 0.925; r = 5 is p = e^−25.
        for p in [
            0.07499999, 0.07500001, 0.92499999, 0.92500001, 1.38e-11, 1.39e-11,
        ] {
            let x = quantile(p);
            // In the tail Φ amplifies the rounding of x by x², twice: in Φ⁻¹ and in Φ.
            let allowed = f64::EPSILON * (8.0 + 2.0 * x * x);
            assert!((cdf(x) / p - 1.0).abs() < allowed, "{p}");
        }
    }
}
