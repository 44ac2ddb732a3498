//! The environment, read once and in one place. Every variable is a documented constant.

pub mod model;
pub mod settings;

use std::ffi::OsString;
use std::path::PathBuf;

use self::model::ModelEnvironment;

/// The data folder, when `--home` does not name one.
pub const HOME: &str = "BACKOFFICE_HOME";
/// Comma-separated toolsets, when `--toolsets` does not name them.
pub const TOOLSETS: &str = "BACKOFFICE_TOOLSETS";
/// The person to speak as, when `--as` does not name one.
pub const AS: &str = "BACKOFFICE_AS";
/// A filter for what is logged, such as `debug` or `backoffice=trace`; `info` unless set.
pub const LOG: &str = "BACKOFFICE_LOG";
/// Where artifacts are stored, when not in `docs/artifacts` of the repository.
pub const ARTIFACTS_BASE: &str = "ARTIFACTS_BASE_DIR";
/// Colour is off when this is set to anything (no-color.org).
pub const NO_COLOR: &str = "NO_COLOR";
/// Where Claude Code keeps its configuration, when not in the home folder.
pub const CLAUDE_CONFIG: &str = "CLAUDE_CONFIG_DIR";
/// All that clients leave of the environment to the servers they start (the MCP SDKs agree on it).
#[cfg(not(windows))]
const LEFT_TO_SERVERS: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];
#[cfg(windows)]
const LEFT_TO_SERVERS: [&str; 12] = [
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "USERNAME",
    "USERPROFILE",
];
/// The terminal; `dumb` gets plain lines.
const TERM: &str = "TERM";
/// The login names the systems give; the first one set names the owner.
const LOGINS: [&str; 3] = ["USER", "LOGNAME", "USERNAME"];

/// What the process was started with, apart from its arguments.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    pub home: Option<PathBuf>,
    pub toolsets: Option<String>,
    pub caller: Option<String>,
    pub log: Option<String>,
    /// Where artifacts are stored, if somebody has chosen a place.
    pub artifacts_base: Option<PathBuf>,
    pub no_color: bool,
    /// A terminal that can do nothing but lines.
    pub dumb_terminal: bool,
    /// The operating system's name for the user.
    pub login: Option<String>,
    pub working_folder: Option<PathBuf>,
    pub executable: Option<PathBuf>,
    /// The folder of Claude Code's configuration, if it was moved.
    pub claude_config: Option<PathBuf>,
    /// The optional language model of the clarification.
    pub model: ModelEnvironment,
    /// The variables that reach a server which a client starts.
    pub left_to_servers: Vec<(&'static str, OsString)>,
}

/// Where a test wants the process to die; only builds for tests know it.
#[cfg(debug_assertions)]
const DIES_AT: &str = "BACKOFFICE_DIES_AT";

/// The point at which a test wants the process to die.
#[cfg(debug_assertions)]
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
pub fn dies_at() -> Option<&'static str> {
    static AT: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    AT.get_or_init(|| std::env::var(DIES_AT).ok()).as_deref()
}

impl Environment {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
    pub fn read() -> Self {
        let text = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let folder =
            |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty()).map(PathBuf::from);
        Environment {
            home: folder(HOME),
            toolsets: text(TOOLSETS),
            caller: text(AS),
            log: text(LOG),
            artifacts_base: folder(ARTIFACTS_BASE),
            no_color: text(NO_COLOR).is_some(),
            dumb_terminal: text(TERM).as_deref() == Some("dumb"),
            login: LOGINS.into_iter().find_map(text),
            working_folder: std::env::current_dir().ok(),
            executable: std::env::current_exe().ok(),
            claude_config: folder(CLAUDE_CONFIG),
            model: ModelEnvironment::of(|name| std::env::var(name).ok()),
            left_to_servers: LEFT_TO_SERVERS
                .into_iter()
                .filter_map(|name| Some((name, std::env::var_os(name)?)))
                .collect(),
        }
    }
}
