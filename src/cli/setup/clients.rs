//! The four clients: where each keeps its configuration, and what an entry looks like there.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use directories::BaseDirs;

use crate::config::Environment;
use crate::error::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
}

/// What differs from client to client.
#[derive(Debug)]
pub(super) struct Facts {
    /// As it is typed on the command line.
    pub name: &'static str,
    /// As its makers write it.
    pub title: &'static str,
    /// The object that holds the servers.
    pub section: &'static str,
    /// Whether it reads comments and trailing commas.
    pub comments: bool,
    /// Whether an entry says that it is a program.
    pub typed: bool,
    /// Whether an entry names its variables even if there are none.
    pub env: bool,
    /// The file of one project, below the root of its repository.
    pub project_file: Option<&'static str>,
    program: &'static str,
    /// How the person gets to see it.
    pub next: &'static str,
}

static CLAUDE_CODE: Facts = Facts {
    name: "claude-code",
    title: "Claude Code",
    section: "mcpServers",
    comments: false,
    typed: true,
    env: true,
    project_file: Some(".mcp.json"),
    program: "claude",
    next: "new sessions have it; `claude mcp list` shows whether it connects",
};

static CLAUDE_DESKTOP: Facts = Facts {
    name: "claude-desktop",
    title: "Claude Desktop",
    section: "mcpServers",
    comments: false,
    typed: false,
    env: false,
    project_file: None,
    program: "claude-desktop",
    next: "quit Claude Desktop and start it again",
};

static CURSOR: Facts = Facts {
    name: "cursor",
    title: "Cursor",
    section: "mcpServers",
    comments: true,
    typed: false,
    env: false,
    project_file: Some(".cursor/mcp.json"),
    program: "cursor",
    next: "Cursor lists it in its settings under MCP, where it can be switched on and off",
};

static VSCODE: Facts = Facts {
    name: "vscode",
    title: "VS Code",
    section: "servers",
    comments: true,
    typed: true,
    env: false,
    project_file: Some(".vscode/mcp.json"),
    program: "code",
    next: "VS Code starts it when the chat first needs it; `MCP: List Servers` shows it",
};

impl Client {
    pub fn facts(self) -> &'static Facts {
        match self {
            Client::ClaudeCode => &CLAUDE_CODE,
            Client::ClaudeDesktop => &CLAUDE_DESKTOP,
            Client::Cursor => &CURSOR,
            Client::VsCode => &VSCODE,
        }
    }

    /// The configuration of this user.
    pub fn user_file(self, environment: &Environment) -> Result<PathBuf> {
        let base = base()?;
        Ok(match self {
            Client::ClaudeCode => {
                environment.claude_config.as_deref().unwrap_or(base.home_dir()).join(".claude.json")
            }
            Client::ClaudeDesktop => base.config_dir().join("Claude/claude_desktop_config.json"),
            Client::Cursor => base.home_dir().join(".cursor/mcp.json"),
            Client::VsCode => base.config_dir().join("Code/User/mcp.json"),
        })
    }

    /// Whether this machine has the client: its folder, its file, or its program on the path.
    pub fn is_found(self, environment: &Environment) -> Result<bool> {
        Ok(self.folder(environment)?.exists()
            || self.user_file(environment)?.symlink_metadata().is_ok()
            || on_path(self.facts().program, environment).is_some())
    }

    /// The folder that the client makes when it first runs.
    pub fn folder(self, environment: &Environment) -> Result<PathBuf> {
        let base = base()?;
        Ok(match self {
            Client::ClaudeCode => {
                environment.claude_config.clone().unwrap_or_else(|| base.home_dir().join(".claude"))
            }
            Client::ClaudeDesktop => base.config_dir().join("Claude"),
            Client::Cursor => base.home_dir().join(".cursor"),
            Client::VsCode => base.config_dir().join("Code"),
        })
    }
}

impl Facts {
    pub fn dialect(&self) -> String {
        let how = if self.comments { "JSON with comments" } else { "plain JSON without comments" };
        format!("{} reads {how}", self.title)
    }
}

fn base() -> Result<BaseDirs> {
    BaseDirs::new().ok_or_else(|| {
        Error::unusable("cannot find a home folder for this user").hint("set HOME and try again")
    })
}

/// Where a shell of this user would find a program.
pub(super) fn on_path(program: &str, environment: &Environment) -> Option<PathBuf> {
    let (_, folders) = environment.left_to_servers.iter().find(|(name, _)| *name == "PATH")?;
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
    std::env::split_paths(folders)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{program}{ending}"))))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    let Ok(found) = path.metadata() else { return false };
    #[cfg(unix)]
    let runs = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = true;
    found.is_file() && runs
}
