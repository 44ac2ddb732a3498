//! Which inputs a generator needs: a table as data, which a repository may override.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::error::{Error, Result, nearest};

const BUILT_IN: &str = include_str!("../../../assets/generators.json");
/// Below the repository's root; its entries replace those of the same name.
pub const OVERRIDE: &str = ".backoffice/generators.json";

/// The built-in table, read once.
fn built_in() -> Result<&'static Generators> {
    static TABLE: OnceLock<Generators> = OnceLock::new();
    if let Some(table) = TABLE.get() {
        return Ok(table);
    }
    let table = serde_json::from_str(BUILT_IN)
        .map_err(|error| Error::internal("the built-in generator table is broken").because(error))?;
    Ok(TABLE.get_or_init(|| table))
}

/// The table, by generator name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generators {
    generators: BTreeMap<String, Generator>,
}

/// What one generator takes and makes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generator {
    /// The prefix of what it makes; absent for documents without numbers.
    pub produces: Option<String>,
    /// Each group needs one of its members; the first is the usual one.
    pub mandatory: Vec<Vec<String>>,
    /// Whether a group takes exactly one of its members.
    #[serde(default)]
    pub exclusive: bool,
    #[serde(default)]
    pub recommended: Vec<String>,
    /// Taken along where they exist.
    #[serde(default)]
    pub conditional: Vec<String>,
}

impl Generators {
    /// The built-in table with the repository's own entries, if it has any.
    pub fn load(repository: Option<&Path>) -> Result<Cow<'static, Self>> {
        let table = built_in()?;
        let Some(file) = repository.map(|root| root.join(OVERRIDE)) else { return Ok(Cow::Borrowed(table)) };
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Cow::Borrowed(table)),
            Err(error) => return Err(Error::io(error, format!("read `{}`", file.display()))),
        };
        let own: Generators = serde_json::from_str(&text).map_err(|error| {
            Error::conflict(format!("`{OVERRIDE}` of this repository is not a generator table"))
                .hint(format!("mend the file: {error}"))
                .reason("bad_generator_table")
        })?;
        let mut table = table.clone();
        table.generators.extend(own.generators);
        Ok(Cow::Owned(table))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.generators.keys().map(String::as_str)
    }

    pub fn find(&self, name: &str) -> Result<&Generator> {
        self.generators.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.generators.keys().map(String::as_str).collect();
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the generators are {}", known.join(", ")),
            };
            Error::invalid(format!("Unknown generator: {name}")).hint(hint).reason("unknown_generator")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_replaces_single_entries() {
        let folder = tempfile::tempdir().unwrap();
        let table = Generators::load(Some(folder.path())).unwrap();
        assert_eq!(table.find("hls-generator").unwrap().mandatory, [["prd", "epic"]]);
        fs::create_dir(folder.path().join(".backoffice")).unwrap();
        let file = folder.path().join(OVERRIDE);
        fs::write(&file, r#"{"generators":{"hls-generator":{"produces":"HLS","mandatory":[["epic"]]}}}"#)
            .unwrap();
        let table = Generators::load(Some(folder.path())).unwrap();
        assert_eq!(table.find("hls-generator").unwrap().mandatory, [["epic"]]);
        assert_eq!(table.find("prd-generator").unwrap().mandatory, [["epic"]]);
        let unknown = table.find("hsl-generator").unwrap_err();
        assert_eq!(unknown.hint_text(), Some("did you mean `hls-generator`?"));
        fs::write(&file, "{").unwrap();
        assert!(Generators::load(Some(folder.path())).is_err());
    }
}
