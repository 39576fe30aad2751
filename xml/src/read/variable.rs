//! Reading variables and declared types.

use super::cursor::{Cursor, Element};
use crate::{
    Boolean, Enumeration, EnumerationItem, Error, Integer, IntegerAttributes, Real, RealAttributes,
    ScalarVariable, SimpleType, SimpleTypeKind, Text, VariableType,
};

/// What a variable or type must contain, for the error message.
const TYPE_ELEMENT: &str = "Real, Integer, Boolean, String or Enumeration";

pub(super) fn read_variable(
    cursor: &mut Cursor<'_>,
    element: &Element,
) -> Result<ScalarVariable, Error> {
    let mut variable_type = None;
    cursor.children(element, |_, child| {
        if let Some(read) = read_variable_type(child)? {
            variable_type = Some(read);
        }
        Ok(())
    })?;
    Ok(ScalarVariable {
        name: element.required("name")?.to_owned(),
        value_reference: element.required_value("valueReference")?,
        description: element.text("description"),
        causality: element.value("causality")?.unwrap_or_default(),
        variability: element.value("variability")?,
        initial: element.value("initial")?,
        can_handle_multiple_set_per_time_instant: element
            .value("canHandleMultipleSetPerTimeInstant")?,
        variable_type: variable_type.ok_or_else(|| element.lacks_element(TYPE_ELEMENT))?,
    })
}

fn read_variable_type(element: &Element) -> Result<Option<VariableType>, Error> {
    let declared_type = element.text("declaredType");
    Ok(Some(match element.name.as_str() {
        "Real" => VariableType::Real(Real {
            declared_type,
            attributes: read_real_attributes(element)?,
            start: element.value("start")?,
            derivative: element.value("derivative")?,
            reinit: element.flag("reinit")?,
        }),
        "Integer" => VariableType::Integer(Integer {
            declared_type,
            attributes: read_integer_attributes(element)?,
            start: element.value("start")?,
        }),
        "Boolean" => VariableType::Boolean(Boolean {
            declared_type,
            start: element.value("start")?,
        }),
        "String" => VariableType::String(Text {
            declared_type,
            start: element.text("start"),
        }),
        "Enumeration" => VariableType::Enumeration(Enumeration {
            declared_type: element.required("declaredType")?.to_owned(),
            attributes: read_integer_attributes(element)?,
            start: element.value("start")?,
        }),
        _ => return Ok(None),
    }))
}

pub(super) fn read_simple_type(
    cursor: &mut Cursor<'_>,
    element: &Element,
) -> Result<SimpleType, Error> {
    let mut kind = None;
    cursor.children(element, |cursor, child| {
        kind = Some(match child.name.as_str() {
            "Real" => SimpleTypeKind::Real(read_real_attributes(child)?),
            "Integer" => SimpleTypeKind::Integer(read_integer_attributes(child)?),
            "Boolean" => SimpleTypeKind::Boolean,
            "String" => SimpleTypeKind::String,
            "Enumeration" => {
                let mut items = Vec::new();
                cursor.list(child, "Item", &mut items, |_, item| {
                    Ok(EnumerationItem {
                        name: item.required("name")?.to_owned(),
                        value: item.required_value("value")?,
                        description: item.text("description"),
                    })
                })?;
                SimpleTypeKind::Enumeration {
                    quantity: child.text("quantity"),
                    items,
                }
            }
            _ => return Ok(()),
        });
        Ok(())
    })?;
    Ok(SimpleType {
        name: element.required("name")?.to_owned(),
        description: element.text("description"),
        kind: kind.ok_or_else(|| element.lacks_element(TYPE_ELEMENT))?,
    })
}

pub(super) fn read_real_attributes(element: &Element) -> Result<RealAttributes, Error> {
    Ok(RealAttributes {
        quantity: element.text("quantity"),
        unit: element.text("unit"),
        display_unit: element.text("displayUnit"),
        relative_quantity: element.value("relativeQuantity")?,
        min: element.value("min")?,
        max: element.value("max")?,
        nominal: element.value("nominal")?,
        unbounded: element.value("unbounded")?,
    })
}

fn read_integer_attributes(element: &Element) -> Result<IntegerAttributes, Error> {
    Ok(IntegerAttributes {
        quantity: element.text("quantity"),
        min: element.value("min")?,
        max: element.value("max")?,
    })
}
