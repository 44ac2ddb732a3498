//! Where the benchmark happens: a folder on the disk that is built on, a repository in it, data
//! folders as needed, and the commands that start each kind of process there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use backoffice::clock::Clock;
use backoffice::config::Environment;
use backoffice::db::{Db, Mode};
use backoffice::paths::Home;

use super::Outcome;
use super::disk::Disk;
use super::options::{NOTHING, SERVE_ECHO, SERVE_SOCKET, SERVE_STDIO, SERVE_UNAUDITED};

pub const OWNER: &str = "owner";
/// The repository's folder, and so the project.
pub const PROJECT: &str = "shop";
/// What the tasks that are added take as inputs; both files exist.
pub const INPUT_FILES: [&str; 2] = ["artifacts/prds/PRD-006_v3.md", "artifacts/research/market.md"];
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_backoffice");

#[derive(Debug)]
pub struct Site {
    folder: tempfile::TempDir,
    executable: PathBuf,
}

impl Site {
    pub fn new() -> Outcome<Self> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let executable = Environment::read().executable.ok_or("the executable does not know its own path")?;
        let site = Site { folder, executable };
        fs::create_dir_all(site.repository().join(".git"))?;
        for file in INPUT_FILES.map(|file| site.repository().join(file)) {
            fs::create_dir_all(file.parent().ok_or("an input file has no folder")?)?;
            fs::write(file, "# An input\n")?;
        }
        Ok(site)
    }

    pub fn repository(&self) -> PathBuf {
        self.folder.path().join(PROJECT)
    }

    pub fn disk(&self) -> Outcome<Disk> {
        Disk::below(self.folder.path())
    }

    /// A folder for files, which does not exist yet.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A data folder that does not exist yet.
    pub fn no_home(&self, name: &str) -> Home {
        Home::at(self.folder.path().join(name))
    }

    /// A data folder with an empty, migrated file.
    pub fn home(&self, name: &str) -> Outcome<Home> {
        let home = self.no_home(name);
        home.create()?;
        drop(Db::open(&home.database(), Mode::Full, &Clock::System, OWNER)?);
        Ok(home)
    }

    /// The program as a client starts it.
    pub fn program(&self, home: &Home) -> Command {
        let mut command = self.command(Path::new(PROGRAM));
        command.arg("--home").arg(home.folder()).arg("mcp");
        command
    }

    /// The program as a daemon.
    pub fn daemon(&self, home: &Home) -> Command {
        let mut command = self.command(Path::new(PROGRAM));
        command.arg("--home").arg(home.folder()).args(["daemon", "--foreground"]);
        command
    }

    /// The echo tool behind the same transport and dispatch.
    pub fn echo(&self, home: &Home) -> Command {
        let mut command = self.command(&self.executable);
        command.arg(SERVE_ECHO).arg(home.folder());
        command
    }

    /// The same as the program, but for its batch limit.
    pub fn limited(&self, home: &Home, batch: usize) -> Command {
        let mut command = self.command(&self.executable);
        command.arg(SERVE_STDIO).arg(home.folder()).arg(batch.to_string());
        command
    }

    /// The same as the daemon, but for its batch limit.
    pub fn limited_daemon(&self, home: &Home, batch: usize) -> Command {
        let mut command = self.command(&self.executable);
        command.arg(SERVE_SOCKET).arg(home.folder()).arg(batch.to_string());
        command
    }

    /// The same as the program as somebody, but for the lines of reads in the audit trail.
    pub fn unaudited(&self, home: &Home, login: &str) -> Command {
        let mut command = self.command(&self.executable);
        command.arg(SERVE_UNAUDITED).arg(home.folder()).arg(login);
        command
    }

    /// A process that ends at once.
    pub fn nothing(&self) -> Command {
        let mut command = self.command(&self.executable);
        command.arg(NOTHING);
        command
    }

    /// Starts in the repository, with nothing of this shell's settings.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.repository()).env_clear().env("USER", OWNER);
        command
    }
}
