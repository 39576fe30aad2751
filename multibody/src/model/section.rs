//! Beam sections: stiffness and inertia per length.
//!
//! Strain order: `(γ1, γ2, κ)` in the plane, `(γ1, γ2, γ3, κ1, κ2, κ3)` in space; 1 is axial
//! (tangent), 2 and 3 transverse; κ1 is twist. A planar section bends about `e3`.
//!
//! ```text
//! plane: K = diag(EA, κs G A, E I3)                                          (1)
//! space: K = diag(EA, κs G A, κs G A, G J, E I2, E I3)                       (2)
//! ```
//!
//! Torsion constant of a rectangle `a ≥ b`, by the series of Saint-Venant (`timoshenko1970`):
//!
//! ```text
//! J = a b³ [1/3 − (64/π⁵)(b/a) Σ_{n odd} tanh(n π a / 2b) / n⁵]              (3)
//! ```

use crate::error::{Error, Result, require};
use crate::math;
use core::f64::consts::PI;
use nalgebra::{SMatrix, SVector};

/// Isotropic linear elastic material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Young's modulus E [Pa].
    pub youngs_modulus: f64,
    /// Shear modulus G [Pa].
    pub shear_modulus: f64,
    /// Density ρ [kg/m³].
    pub density: f64,
    /// Shear correction factor κs [-]; 5/6 for a rectangle, 1 for none.
    pub shear_factor: f64,
}

impl Material {
    /// Material from E, Poisson's ratio, ρ and the shear factor, with `G = E / 2(1 + ν)`.
    pub fn from_poisson(
        youngs_modulus: f64,
        poisson_ratio: f64,
        density: f64,
        shear_factor: f64,
    ) -> Self {
        Self {
            youngs_modulus,
            shear_modulus: youngs_modulus / (2.0 * (1.0 + poisson_ratio)),
            density,
            shear_factor,
        }
    }

    /// The titanium of the published leaf spring: 120 GPa, 44.44 GPa, 4502 kg/m³, 5/6.
    pub fn titanium() -> Self {
        Self {
            youngs_modulus: 120e9,
            shear_modulus: 44.44e9,
            density: 4502.0,
            shear_factor: 5.0 / 6.0,
        }
    }

    fn validate(&self) -> Result<()> {
        let owner = "material";
        let e = self.youngs_modulus;
        require(e > 0.0, owner, "youngs_modulus", e, "> 0 Pa")?;
        require(
            self.shear_modulus > 0.0,
            owner,
            "shear_modulus",
            self.shear_modulus,
            "> 0 Pa",
        )?;
        require(
            self.density >= 0.0,
            owner,
            "density",
            self.density,
            ">= 0 kg/m³",
        )?;
        require(
            self.shear_factor > 0.0,
            owner,
            "shear_factor",
            self.shear_factor,
            "> 0",
        )
    }
}

/// Stiffness and inertia of a beam section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section<const N: usize, const D: usize> {
    /// Stiffness K [N, N·m, N·m²], shape N × N, symmetric positive definite.
    pub stiffness: SMatrix<f64, N, N>,
    /// Mass per length [kg/m].
    pub mass_per_length: f64,
    /// Centre of mass of the section in its frame [m] (first component zero).
    pub mass_centre: SVector<f64, D>,
    /// Rotary inertia per length about the centre of mass [kg·m], in the angular block of an
    /// N × N matrix whose other entries are zero.
    pub rotary_inertia: SMatrix<f64, N, N>,
}

/// Moments of a section's area.
struct Area {
    area: f64,
    /// Second moments about e2 and e3 [m⁴].
    i2: f64,
    i3: f64,
    torsion: f64,
}

impl Area {
    fn rectangle(size2: f64, size3: f64) -> Result<Self> {
        require(size2 > 0.0, "rectangle", "size along e2", size2, "> 0 m")?;
        require(size3 > 0.0, "rectangle", "size along e3", size3, "> 0 m")?;
        Ok(Self {
            area: size2 * size3,
            i2: size2 * size3.powi(3) / 12.0,
            i3: size3 * size2.powi(3) / 12.0,
            torsion: rectangle_torsion_constant(size2, size3),
        })
    }

    fn tube(outer: f64, inner: f64) -> Result<Self> {
        require(outer > 0.0, "tube", "outer radius", outer, "> 0 m")?;
        require(
            (0.0..outer).contains(&inner),
            "tube",
            "inner radius",
            inner,
            "in [0, outer)",
        )?;
        let second = 0.25 * PI * (outer.powi(4) - inner.powi(4));
        let area = PI * (outer * outer - inner * inner);
        Ok(Self {
            area,
            i2: second,
            i3: second,
            torsion: 2.0 * second,
        })
    }
}

/// Torsion constant of a full rectangle with sides `a` and `b` [m⁴], eq. (3).
pub fn rectangle_torsion_constant(a: f64, b: f64) -> f64 {
    let (long, short) = if a >= b { (a, b) } else { (b, a) };
    let ratio = long / short;
    // Ten terms leave 1/21⁵ < 3e-7 of a correction that is itself below one.
    let sum: f64 = (0..20)
        .map(|k| f64::from(2 * k + 1))
        .map(|n| math::tanh(0.5 * n * PI * ratio) / n.powi(5))
        .sum();
    long * short.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) / ratio * sum)
}

impl Section<3, 2> {
    /// Rectangle of `thickness` in the plane and `width` normal to it.
    pub fn rectangle(material: &Material, thickness: f64, width: f64) -> Result<Self> {
        Self::from_area(material, &Area::rectangle(thickness, width)?)
    }

    /// Round tube; `inner` = 0 gives a full circle.
    pub fn tube(material: &Material, outer: f64, inner: f64) -> Result<Self> {
        Self::from_area(material, &Area::tube(outer, inner)?)
    }

    /// Full circle of the given radius.
    pub fn circle(material: &Material, radius: f64) -> Result<Self> {
        Self::tube(material, radius, 0.0)
    }

    fn from_area(material: &Material, area: &Area) -> Result<Self> {
        material.validate()?;
        let Material {
            youngs_modulus: e,
            shear_modulus: g,
            density,
            shear_factor,
        } = *material;
        let stiffness = SVector::from([e * area.area, shear_factor * g * area.area, e * area.i3]);
        let mut rotary_inertia = SMatrix::zeros();
        rotary_inertia[(2, 2)] = density * area.i3;
        Ok(Self {
            stiffness: SMatrix::from_diagonal(&stiffness), // (1)
            mass_per_length: density * area.area,
            mass_centre: SVector::zeros(),
            rotary_inertia,
        })
    }
}

impl Section<6, 3> {
    /// Rectangle with sides `size2` along e2 and `size3` along e3.
    pub fn rectangle(material: &Material, size2: f64, size3: f64) -> Result<Self> {
        Self::from_area(material, &Area::rectangle(size2, size3)?)
    }

    /// Round tube; `inner` = 0 gives a full circle.
    pub fn tube(material: &Material, outer: f64, inner: f64) -> Result<Self> {
        Self::from_area(material, &Area::tube(outer, inner)?)
    }

    /// Full circle of the given radius.
    pub fn circle(material: &Material, radius: f64) -> Result<Self> {
        Self::tube(material, radius, 0.0)
    }

    fn from_area(material: &Material, area: &Area) -> Result<Self> {
        material.validate()?;
        let Material {
            youngs_modulus: e,
            shear_modulus: g,
            density,
            shear_factor,
        } = *material;
        let ga = shear_factor * g * area.area;
        let diagonal = [
            e * area.area,
            ga,
            ga,
            g * area.torsion,
            e * area.i2,
            e * area.i3,
        ];
        let mut rotary_inertia = SMatrix::zeros();
        rotary_inertia[(3, 3)] = density * (area.i2 + area.i3);
        rotary_inertia[(4, 4)] = density * area.i2;
        rotary_inertia[(5, 5)] = density * area.i3;
        Ok(Self {
            stiffness: SMatrix::from_diagonal(&SVector::from(diagonal)), // (2)
            mass_per_length: density * area.area,
            mass_centre: SVector::zeros(),
            rotary_inertia,
        })
    }
}

impl<const N: usize, const D: usize> Section<N, D> {
    /// Section from a given stiffness and inertia per length, e.g. from a section analysis.
    ///
    /// `inertia` is the N × N matrix of the section about its reference point, linear part first:
    /// `[m I, −m c̃; m c̃, J − m c̃²]`. Its blocks give mass, centre of mass and rotary inertia.
    pub fn from_matrices(
        stiffness: SMatrix<f64, N, N>,
        inertia: SMatrix<f64, N, N>,
    ) -> Result<Self> {
        let mass = inertia[(0, 0)];
        require(mass >= 0.0, "section", "mass per length", mass, ">= 0 kg/m")?;
        for i in 1..D {
            let off = (inertia[(i, i)] - mass).abs() + inertia[(0, i)].abs();
            require(
                off <= 1e-9 * mass,
                "section",
                "inertia(linear block)",
                off,
                "mass times I",
            )?;
        }
        let mut mass_centre = SVector::<f64, D>::zeros();
        if mass > 0.0 {
            // Moment about e3 of a unit linear rate along e1 is −m c2; along e2, m c1.
            mass_centre[1] = -inertia[(N - 1, 0)] / mass;
            mass_centre[0] = inertia[(N - 1, 1)] / mass;
            if D == 3 {
                mass_centre[2] = inertia[(4, 0)] / mass;
            }
        }
        // Parallel axes: the angular block about the reference point is J + m (|c|² I − c cᵀ).
        let mut rotary_inertia = SMatrix::zeros();
        for i in D..N {
            for j in D..N {
                let outer = if D == 2 {
                    0.0
                } else {
                    mass_centre[i - D] * mass_centre[j - D]
                };
                let square = if i == j {
                    mass_centre.norm_squared()
                } else {
                    0.0
                };
                rotary_inertia[(i, j)] = inertia[(i, j)] - mass * (square - outer);
            }
        }
        let section = Self {
            stiffness,
            mass_per_length: mass,
            mass_centre,
            rotary_inertia,
        };
        section.validate("section")?;
        Ok(section)
    }

    /// Checks that stiffness and inertia are symmetric and positive.
    pub(crate) fn validate(&self, owner: &str) -> Result<()> {
        require_positive(&self.stiffness, owner, "stiffness", true)?;
        require_positive(&self.rotary_inertia, owner, "rotary inertia", false)?;
        let m = self.mass_per_length;
        require(m >= 0.0, owner, "mass per length", m, ">= 0 kg/m")?;
        let c = self.mass_centre.norm();
        require(c < 1e6, owner, "mass centre", c, "finite")
    }
}

/// Checks symmetry and definiteness of a matrix.
pub(crate) fn require_positive<const N: usize>(
    matrix: &SMatrix<f64, N, N>,
    owner: &str,
    quantity: &'static str,
    strictly: bool,
) -> Result<()> {
    let allowed = if strictly {
        "positive definite"
    } else {
        "positive semidefinite"
    };
    let fail = |eigenvalue| {
        Err(Error::NotPositive {
            owner: owner.to_owned(),
            quantity,
            allowed,
            eigenvalue,
        })
    };
    let scale = matrix.amax();
    if !matrix.iter().all(|x| x.is_finite()) || (matrix - matrix.transpose()).amax() > 1e-9 * scale
    {
        return fail(f64::NAN);
    }
    let dense = nalgebra::DMatrix::from_fn(N, N, |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]));
    let Ok(eigen) = crate::modal::eigen::symmetric(dense) else {
        return fail(f64::NAN);
    };
    let smallest = eigen.values.min();
    let ok = if strictly {
        smallest > 1e-14 * scale
    } else {
        smallest >= -1e-9 * scale
    };
    if ok { Ok(()) } else { fail(smallest) }
}
