//! Settings: each one with its default, its place in the file, its variable and its flag. A flag
//! wins over the environment, the environment over the file, the file over the default.

use std::fmt;
use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::Environment;
use crate::error::{Error, Result, nearest};
use crate::paths::Home;

/// One setting, as people see it.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub key: &'static str,
    pub about: &'static str,
    pub default: &'static str,
    /// The values it takes, if they are few.
    pub choices: &'static [&'static str],
}

/// Every setting, in alphabetical order.
pub const ALL: [Setting; 4] = [
    Setting { key: "as", about: "the person to speak for", default: "the owner", choices: &[] },
    Setting {
        key: "connect",
        about: "whether `mcp` serves itself or lets the daemon serve",
        default: "never",
        choices: &["never", "running", "auto"],
    },
    Setting { key: "log", about: "what is logged, such as debug", default: "info", choices: &[] },
    Setting { key: "toolsets", about: "the toolsets that are offered", default: "all", choices: &[] },
];

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Default,
    File,
    Environment,
    Flag,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::Default => "default",
            Source::File => "file",
            Source::Environment => "environment",
            Source::Flag => "flag",
        })
    }
}

/// The file and the environment, ready to be asked.
#[derive(Clone, Debug)]
pub struct Settings {
    path: PathBuf,
    file: Map<String, Value>,
    environment: [(&'static str, Option<String>); 3],
}

impl Settings {
    /// Reads the file of a data folder, if there is one. What it does not understand it refuses.
    pub fn load(home: &Home, environment: &Environment) -> Result<Self> {
        let path = home.folder().join("config.json");
        let file = match fs::read(&path) {
            Ok(bytes) => parse(&bytes).map_err(|error| mend(&error, &path))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Map::new(),
            Err(error) => return Err(Error::io(error, format!("read `{}`", path.display()))),
        };
        let environment = [
            ("as", environment.caller.clone()),
            ("log", environment.log.clone()),
            ("toolsets", environment.toolsets.clone()),
        ];
        Ok(Settings { path, file, environment })
    }

    pub fn path(&self) -> &PathBuf {
        &self.path
    }

    /// What was chosen, unless it is the default.
    pub fn chosen(&self, key: &str, flag: Option<&str>) -> Option<(String, Source)> {
        let variable =
            self.environment.iter().find(|(known, _)| *known == key).and_then(|(_, value)| value.as_ref());
        let stored = self.file.get(key).and_then(Value::as_str);
        let flag = flag.map(|value| (value.to_owned(), Source::Flag));
        flag.or_else(|| variable.map(|value| (value.clone(), Source::Environment)))
            .or_else(|| stored.map(|value| (value.to_owned(), Source::File)))
    }

    /// The value alone.
    pub fn value(&self, key: &str, flag: Option<&str>) -> Option<String> {
        self.chosen(key, flag).map(|(value, _)| value)
    }

    /// Changes the file: a value, or nothing to go back to the default.
    pub fn set(&mut self, key: &str, value: Option<&str>) -> Result<()> {
        let setting = find(key)?;
        match value {
            Some(value) => {
                check(&setting, value)?;
                self.file.insert(key.to_owned(), value.into());
            }
            None => drop(self.file.remove(key)),
        }
        self.save()
    }

    fn save(&self) -> Result<()> {
        let failed = |error| Error::io(error, format!("write `{}`", self.path.display()));
        let text = serde_json::to_string_pretty(&self.file).unwrap_or_default() + "\n";
        let beside = self.path.with_extension("json.new");
        let mut options = crate::paths::private_file();
        let written = options.write(true).truncate(true).open(&beside).and_then(|mut file| {
            std::io::Write::write_all(&mut file, text.as_bytes())?;
            file.sync_all()
        });
        written.and_then(|()| fs::rename(&beside, &self.path)).map_err(|error| {
            let _ = fs::remove_file(&beside);
            failed(error)
        })
    }
}

/// Finds a setting; a misspelt one gets a hint.
pub fn find(key: &str) -> Result<Setting> {
    let found = ALL.iter().find(|setting| setting.key == key).copied();
    found.ok_or_else(|| {
        let keys = ALL.map(|setting| setting.key);
        let hint = match nearest(key, keys) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the settings are {}", keys.join(", ")),
        };
        Error::invalid(format!("there is no setting `{key}`")).hint(hint).reason("unknown_setting")
    })
}

fn parse(bytes: &[u8]) -> Result<Map<String, Value>> {
    let file: Map<String, Value> = serde_json::from_slice(bytes)
        .map_err(|error| Error::invalid(format!("it is not a JSON object: {error}")))?;
    for (key, value) in &file {
        let setting = find(key)?;
        let text = value.as_str().ok_or_else(|| Error::invalid(format!("`{key}` is not a text")))?;
        check(&setting, text)?;
    }
    Ok(file)
}

fn check(setting: &Setting, value: &str) -> Result<()> {
    if setting.choices.is_empty() || setting.choices.contains(&value) {
        return Ok(());
    }
    let choices = setting.choices.join(", ");
    Err(Error::invalid(format!("`{}` is \"{value}\", expected one of {choices}", setting.key)))
}

fn mend(error: &Error, path: &std::path::Path) -> Error {
    let told = Error::invalid(format!("the settings in `{}` are not understood: {error}", path.display()));
    match error.hint_text() {
        Some(hint) => told.hint(hint),
        None => told.hint("mend the file, or move it away to go back to the defaults"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(file: &str, environment: &Environment) -> Result<Settings> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.json"), file).unwrap();
        Settings::load(&Home::at(folder.path()), environment)
    }

    #[test]
    fn a_flag_wins_over_the_environment_the_environment_over_the_file() {
        let mut environment = Environment::default();
        let file = r#"{"toolsets": "ids"}"#;
        let chosen =
            |environment: &Environment, flag| settings(file, environment).unwrap().chosen("toolsets", flag);
        assert_eq!(chosen(&environment, None), Some(("ids".to_owned(), Source::File)));
        environment.toolsets = Some("tasks".to_owned());
        assert_eq!(chosen(&environment, None), Some(("tasks".to_owned(), Source::Environment)));
        assert_eq!(chosen(&environment, Some("all")), Some(("all".to_owned(), Source::Flag)));
        assert_eq!(settings("{}", &Environment::default()).unwrap().chosen("log", None), None);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (file, expected) in [
            (r#"{"toolset": "ids"}"#, "did you mean `toolsets`?"),
            (r#"{"log": 7}"#, "mend the file"),
            (r#"{"connect": "always"}"#, "mend the file"),
            ("[", "mend the file"),
        ] {
            let error = settings(file, &Environment::default()).unwrap_err();
            assert!(error.hint_text().unwrap().starts_with(expected), "{file}: {error:?}");
        }
    }

    #[test]
    fn setting_and_unsetting_change_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let load = || Settings::load(&home, &Environment::default()).unwrap();
        load().set("connect", Some("auto")).unwrap();
        assert_eq!(load().value("connect", None).as_deref(), Some("auto"));
        assert!(load().set("connect", Some("maybe")).is_err());
        load().set("connect", None).unwrap();
        assert_eq!(load().value("connect", None), None);
    }
}
