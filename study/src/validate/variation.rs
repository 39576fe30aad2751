//! From the description of a variation to its distribution.

use crate::description::{Form, Spacing, Variation};
use crate::error::{Result, setting};
use crate::sampling::distribution::{Distribution, mass_between};
use crate::value::{Kind, Value};

impl Variation {
    /// The distribution; `index` is the place in the list, for messages.
    pub(crate) fn resolve(&self, index: usize) -> Result<Distribution> {
        let reader = Reader {
            variation: self,
            index,
        };
        match self.distribution {
            Form::Uniform => {
                reader.only(&["min", "max"])?;
                let (min, max) = reader.interval()?;
                Ok(Distribution::Uniform { min, max })
            }
            Form::Arcsine => {
                reader.only(&["min", "max"])?;
                let (min, max) = reader.interval()?;
                Ok(Distribution::Arcsine { min, max })
            }
            Form::LogUniform => {
                reader.only(&["min", "max"])?;
                let (min, max) = reader.interval()?;
                reader.require(min > 0.0, "min", min, "must be positive")?;
                Ok(Distribution::LogUniform { min, max })
            }
            Form::Normal => {
                reader.only(&["mean", "std_dev"])?;
                let (mean, std_dev) = reader.mean_and_std_dev()?;
                Ok(Distribution::Normal { mean, std_dev })
            }
            Form::TruncatedNormal => reader.truncated_normal(),
            Form::Choice => reader.choice(),
            Form::Range => reader.range(),
            Form::Lognormal => {
                reader.only(&["mean", "std_dev"])?;
                let (mean, std_dev) = reader.mean_and_std_dev()?;
                reader.require(mean > 0.0, "mean", mean, "must be positive")?;
                // Of the logarithm: σ² = ln(1 + s²/m²), μ = ln m − σ²/2.
                let square = libm::log1p((std_dev / mean).powi(2));
                Ok(Distribution::Lognormal {
                    log_mean: libm::log(mean) - 0.5 * square,
                    log_std_dev: square.sqrt(),
                })
            }
            Form::Triangular => {
                reader.only(&["min", "mode", "max"])?;
                let (min, max) = reader.interval()?;
                let mode = reader.number("mode", self.mode)?;
                let rule = format!("must be from min = {min} to max = {max}");
                reader.require((min..=max).contains(&mode), "mode", mode, &rule)?;
                Ok(Distribution::Triangular { min, mode, max })
            }
            Form::Beta => {
                reader.only(&["min", "max", "alpha", "beta"])?;
                let (min, max) = reader.interval()?;
                let alpha = reader.exponent("alpha", self.alpha)?;
                let beta = reader.exponent("beta", self.beta)?;
                Ok(Distribution::Beta {
                    min,
                    max,
                    alpha,
                    beta,
                })
            }
            Form::Weibull => {
                reader.only(&["min", "scale", "shape"])?;
                let min = reader.number("min", self.min.or(Some(0.0)))?;
                let scale = reader.number("scale", self.scale)?;
                reader.require(scale > 0.0, "scale", scale, "must be positive")?;
                let shape = reader.exponent("shape", self.shape)?;
                Ok(Distribution::Weibull { min, scale, shape })
            }
            Form::Tabulated => reader.tabulated(),
            Form::Joint => {
                reader.only(&[])?;
                Ok(Distribution::Joint { radius: f64::NAN })
            }
            Form::Listed => {
                reader.only(&["kind"])?;
                let kind = self.kind.unwrap_or(Kind::Real);
                Ok(Distribution::Listed { kind })
            }
        }
    }
}

struct Reader<'a> {
    variation: &'a Variation,
    index: usize,
}

impl Reader<'_> {
    fn key(&self, part: &str) -> String {
        format!("vary[{}] ({}).{part}", self.index, self.variation.key)
    }

    fn require(&self, holds: bool, part: &str, value: impl ToString, rule: &str) -> Result<()> {
        if holds {
            Ok(())
        } else {
            Err(setting(self.key(part), value, rule))
        }
    }

    /// Refuses numbers that belong to another distribution.
    fn only(&self, allowed: &[&str]) -> Result<()> {
        let v = self.variation;
        let given = [
            ("min", v.min.is_some()),
            ("max", v.max.is_some()),
            ("mean", v.mean.is_some()),
            ("std_dev", v.std_dev.is_some()),
            ("from", v.from.is_some()),
            ("to", v.to.is_some()),
            ("count", v.count.is_some()),
            ("spacing", v.spacing.is_some()),
            ("values", v.values.is_some()),
            ("weights", v.weights.is_some()),
            ("kind", v.kind.is_some()),
            ("mode", v.mode.is_some()),
            ("scale", v.scale.is_some()),
            ("shape", v.shape.is_some()),
            ("alpha", v.alpha.is_some()),
            ("beta", v.beta.is_some()),
        ];
        match given
            .iter()
            .find(|(name, given)| *given && !allowed.contains(name))
        {
            None => Ok(()),
            Some((name, _)) => Err(setting(
                self.key(name),
                "(given)",
                format!("this distribution takes {} only", allowed.join(", ")),
            )),
        }
    }

    fn number(&self, part: &str, value: Option<f64>) -> Result<f64> {
        let value =
            value.ok_or_else(|| setting(self.key(part), "(missing)", "must be a number"))?;
        self.require(value.is_finite(), part, value, "must be finite")?;
        Ok(value)
    }

    fn interval(&self) -> Result<(f64, f64)> {
        let min = self.number("min", self.variation.min)?;
        let max = self.number("max", self.variation.max)?;
        self.require(min < max, "max", max, &format!("must be above min = {min}"))?;
        self.require(
            (max - min).is_finite(),
            "max",
            max,
            "max - min must be finite",
        )?;
        Ok((min, max))
    }

    fn mean_and_std_dev(&self) -> Result<(f64, f64)> {
        let mean = self.number("mean", self.variation.mean)?;
        let std_dev = self.number("std_dev", self.variation.std_dev)?;
        self.require(std_dev > 0.0, "std_dev", std_dev, "must be positive")?;
        Ok((mean, std_dev))
    }

    /// An exponent of a density: positive, and not so large that its quantiles lose their digits.
    fn exponent(&self, part: &str, value: Option<f64>) -> Result<f64> {
        let value = self.number(part, value)?;
        let fits = (0.05..=1e3).contains(&value);
        self.require(fits, part, value, "must be 0.05 to 1000")?;
        Ok(value)
    }

    fn tabulated(&self) -> Result<Distribution> {
        self.only(&["values"])?;
        let given = self.variation.values.as_deref().unwrap_or_default();
        let mut values = Vec::with_capacity(given.len());
        for value in given {
            match Value::of_toml(value, Kind::Real) {
                Some(Value::Real(x)) => values.push(x),
                _ => return Err(setting(self.key("values"), value, "must be finite numbers")),
            }
        }
        values.sort_by(f64::total_cmp);
        let varies = values.first() < values.last();
        let count = values.len();
        self.require(
            varies,
            "values",
            count,
            "must be two different numbers or more",
        )?;
        Ok(Distribution::Tabulated { values })
    }

    fn truncated_normal(&self) -> Result<Distribution> {
        // Below this probability of the interval the quantiles lose their digits.
        const SMALLEST_MASS: f64 = 1e-200;
        self.only(&["mean", "std_dev", "min", "max"])?;
        let (mean, std_dev) = self.mean_and_std_dev()?;
        let v = self.variation;
        let given = v.min.is_some() || v.max.is_some();
        self.require(
            given,
            "min",
            "(missing)",
            "a truncated normal needs min, max or both",
        )?;
        let end = |part, value: Option<f64>, open| match value {
            None => Ok(open),
            some => self.number(part, some),
        };
        let min = end("min", v.min, f64::NEG_INFINITY)?;
        let max = end("max", v.max, f64::INFINITY)?;
        self.require(min < max, "max", max, &format!("must be above min = {min}"))?;
        let mass = mass_between((min - mean) / std_dev, (max - mean) / std_dev);
        let part = if v.max.is_some() { "max" } else { "min" };
        let value = if v.max.is_some() { max } else { min };
        self.require(
            mass > SMALLEST_MASS,
            part,
            value,
            &format!("the interval {min} to {max} is too far from mean = {mean}: nothing is left"),
        )?;
        Ok(Distribution::TruncatedNormal {
            mean,
            std_dev,
            min,
            max,
        })
    }

    fn choice(&self) -> Result<Distribution> {
        self.only(&["values", "weights"])?;
        let given = self.variation.values.as_deref().unwrap_or_default();
        self.require(
            !given.is_empty(),
            "values",
            "(missing)",
            "must list at least one value",
        )?;
        let values = self.values_of_one_kind(given)?;
        for (position, value) in values.iter().enumerate() {
            let new = !values[..position].contains(value);
            self.require(new, "values", value, "appears twice")?;
        }
        if let Some(weights) = &self.variation.weights {
            let text = format!("{weights:?}");
            let fitting = weights.len() == values.len()
                && weights.iter().all(|w| w.is_finite() && *w >= 0.0)
                && weights.iter().sum::<f64>() > 0.0
                && weights.iter().sum::<f64>().is_finite();
            let rule = format!(
                "must be {} numbers, none negative, not all zero",
                values.len()
            );
            self.require(fitting, "weights", text, &rule)?;
        }
        Ok(Distribution::choice(
            values,
            self.variation.weights.as_deref(),
        ))
    }

    fn values_of_one_kind(&self, given: &[toml::Value]) -> Result<Vec<Value>> {
        let all_integers = given.iter().all(toml::Value::is_integer);
        let convert = |value: &toml::Value| match value {
            toml::Value::Integer(n) if all_integers => Some(Value::Integer(*n)),
            toml::Value::Integer(n) => Some(Value::Real(*n as f64)),
            toml::Value::Float(x) if x.is_finite() => Some(Value::Real(*x)),
            toml::Value::Boolean(b) => Some(Value::Bool(*b)),
            toml::Value::String(text) => Some(Value::Text(text.clone())),
            _ => None,
        };
        let mut values = Vec::with_capacity(given.len());
        for value in given {
            let converted = convert(value).ok_or_else(|| {
                setting(
                    self.key("values"),
                    value,
                    "must be finite numbers, texts or truth values",
                )
            })?;
            let kind = values.first().map_or(converted.kind(), Value::kind);
            let rule = format!("must be of one kind; the first is {kind}");
            self.require(converted.kind() == kind, "values", value, &rule)?;
            values.push(converted);
        }
        Ok(values)
    }

    fn range(&self) -> Result<Distribution> {
        const MAX_LEVELS: u32 = 1_000_000;
        self.only(&["from", "to", "count", "spacing"])?;
        let from = self.number("from", self.variation.from)?;
        let to = self.number("to", self.variation.to)?;
        self.require(
            from != to,
            "to",
            to,
            &format!("must differ from from = {from}"),
        )?;
        self.require(
            (to - from).is_finite(),
            "to",
            to,
            "to - from must be finite",
        )?;
        let count = self.variation.count.unwrap_or(0);
        let rule = format!("must be 2 to {MAX_LEVELS}");
        self.require((2..=MAX_LEVELS).contains(&count), "count", count, &rule)?;
        let logarithmic = self.variation.spacing == Some(Spacing::Logarithmic);
        let positive = !logarithmic || (from > 0.0 && to > 0.0);
        self.require(
            positive,
            "from",
            from,
            "logarithmic spacing needs positive ends",
        )?;
        Ok(Distribution::range(from, to, count, logarithmic))
    }
}
