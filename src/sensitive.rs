//! Data that not everybody may see: a type that cannot be printed or serialized by accident.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// What stands in the place of something hidden.
pub const HIDDEN: &str = "*** (Hidden)";

/// A value that leaves only through [`Sensitive::shown_if`].
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Sensitive<T>(T);

impl<T> Sensitive<T> {
    pub fn new(value: T) -> Self {
        Sensitive(value)
    }

    /// The value for somebody who may see it, a mark for everybody else.
    pub fn shown_if(self, allowed: bool) -> Masked<T> {
        if allowed { Masked::Shown(self.0) } else { Masked::Hidden }
    }

    /// The value, to compute with. What is computed from it is as sensitive as it is.
    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Sensitive<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// A value as one caller may see it.
#[derive(Clone, PartialEq, Eq)]
pub enum Masked<T> {
    Shown(T),
    Hidden,
}

impl<T> fmt::Debug for Masked<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl<T: Serialize> Serialize for Masked<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Masked::Shown(value) => value.serialize(serializer),
            Masked::Hidden => serializer.serialize_str(HIDDEN),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Masked<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Masked_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let shown = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [shown, { "type": "string", "enum": [HIDDEN] }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_shown_to_those_who_may_see_it_and_never_printed() {
        let salary = || Sensitive::new(90_000);
        assert_eq!(serde_json::to_string(&salary().shown_if(true)).unwrap(), "90000");
        assert_eq!(serde_json::to_string(&salary().shown_if(false)).unwrap(), "\"*** (Hidden)\"");
        assert_eq!(format!("{:?} {:?}", salary(), salary().shown_if(true)), "*** (Hidden) *** (Hidden)");
    }
}
