//! A client's configuration as a file: read whole, kept as a copy, replaced in one step.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::clock::Timestamp;
use crate::error::{Error, Kind, Result};
use crate::paths::private_file;

/// A configuration as it was found.
#[derive(Debug)]
pub(super) struct ConfigFile {
    /// Where the client looks.
    pub path: PathBuf,
    /// Where that leads, if it is a link.
    target: PathBuf,
    /// Nothing if there is no such file yet.
    pub text: Option<String>,
}

impl ConfigFile {
    pub fn read(path: PathBuf) -> Result<Self> {
        let target = follow(&path)?;
        let text = match fs::read(&target) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|error| {
                Error::conflict(format!("`{}` is not a UTF-8 text", path.display()))
                    .because(error.utf8_error())
            })?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error, format!("read `{}`", path.display()))),
        };
        Ok(ConfigFile { path, target, text })
    }

    pub fn is_link(&self) -> bool {
        self.path != self.target
    }

    /// Replaces the text, and returns where the one before is kept. A file that is new is readable
    /// by this user only if it is `private`; any other keeps its permissions.
    pub fn write(&self, text: &str, private: bool, now: Timestamp) -> Result<Option<PathBuf>> {
        let folder = self.folder()?;
        fs::create_dir_all(folder)
            .map_err(|error| failed(error, format!("create the folder `{}`", folder.display())))?;
        let kept = self.keep(now)?;
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        let staged = folder.join(format!(".{name}.{:016x}.tmp", fastrand::u64(..)));
        let placed = self
            .stage(&staged, text, private)
            .map_err(|error| self.cannot_write(error))
            .and_then(|()| self.is_unchanged())
            .and_then(|()| fs::rename(&staged, &self.target).map_err(|error| self.cannot_write(error)));
        if placed.is_err() {
            for left in [Some(&staged), kept.as_ref()].into_iter().flatten() {
                let _ = fs::remove_file(left);
            }
        }
        placed.map(|()| kept)
    }

    /// Takes the file away, and returns where it is kept.
    pub fn delete(&self, now: Timestamp) -> Result<Option<PathBuf>> {
        let kept = self.keep(now)?;
        self.is_unchanged()?;
        fs::remove_file(&self.target).map_err(|error| self.cannot_write(error))?;
        Ok(kept)
    }

    /// The texts of the last copies, the newest first.
    pub fn copies(&self) -> Vec<String> {
        let Some(prefix) =
            self.path.file_name().map(|name| format!("{}.backoffice-", name.to_string_lossy()))
        else {
            return Vec::new();
        };
        let entries = self.path.parent().and_then(|folder| fs::read_dir(folder).ok());
        let mut copies: Vec<OsString> = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.file_name()))
            .filter(|name| name.to_string_lossy().starts_with(&prefix))
            .collect();
        copies.sort_unstable();
        copies
            .iter()
            .rev()
            .take(20)
            .filter_map(|name| fs::read_to_string(self.path.with_file_name(name)).ok())
            .collect()
    }

    /// Copies the file beside itself, with its permissions: it may hold secrets.
    fn keep(&self, now: Timestamp) -> Result<Option<PathBuf>> {
        if self.text.is_none() {
            return Ok(None);
        }
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".backoffice-{}.bak", now.file_stamp()));
        let copy = self.path.with_file_name(name);
        fs::copy(&self.target, &copy)
            .map_err(|error| failed(error, format!("keep a copy of `{}`", self.path.display())))?;
        Ok(Some(copy))
    }

    fn stage(&self, staged: &Path, text: &str, private: bool) -> std::io::Result<()> {
        let before = fs::metadata(&self.target).ok();
        let mut options = if private || before.is_some() { private_file() } else { File::options() };
        let mut file = options.write(true).create_new(true).open(staged)?;
        file.write_all(text.as_bytes())?;
        if let Some(before) = before {
            keep_owner(&file, &before);
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()
    }

    /// Clients write their configuration too, and nothing of theirs may be lost.
    fn is_unchanged(&self) -> Result<()> {
        if fs::read(&self.target).ok().as_deref() == self.text.as_deref().map(str::as_bytes) {
            return Ok(());
        }
        Err(Error::new(
            Kind::Busy,
            format!("`{}` has just been changed by another program", self.path.display()),
        )
        .hint("nothing was written; run the command again"))
    }

    fn folder(&self) -> Result<&Path> {
        self.target.parent().ok_or_else(|| Error::internal("a configuration lies in a folder"))
    }

    fn cannot_write(&self, error: std::io::Error) -> Error {
        failed(error, format!("write `{}`", self.path.display()))
            .hint("`--print` shows the entry, to be put in by the program that manages this file")
    }
}

fn failed(error: std::io::Error, doing: String) -> Error {
    match error.kind() {
        ErrorKind::IsADirectory | ErrorKind::NotADirectory => {
            Error::conflict(format!("cannot {doing}")).because(error)
        }
        ErrorKind::PermissionDenied => Error::forbidden(format!("cannot {doing}")).because(error),
        _ => Error::io(error, doing),
    }
}

/// Follows a link to the file it stands for, so that the link stays a link.
fn follow(path: &Path) -> Result<PathBuf> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if !is_link {
        return Ok(path.to_owned());
    }
    path.canonicalize().map_err(|error| {
        Error::conflict(format!("`{}` is a link that leads nowhere", path.display()))
            .because(error)
            .hint("create the file it names, or remove the link")
    })
}

/// With another user's rights the file would otherwise change hands, and its owner be locked out.
fn keep_owner(file: &File, before: &fs::Metadata) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(before.uid()), Some(before.gid()));
    }
    #[cfg(not(unix))]
    let _ = (file, before);
}
