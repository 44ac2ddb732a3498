//! A socket file in a folder of ours. Never an abstract one: those ask nobody for permission.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use tokio::net::{UnixListener, UnixStream};

use super::name_of;
use crate::error::{Error, Result};
use crate::paths::{Home, create_private_folder};

/// The longest path a socket may have on every Unix: 104 bytes with the closing zero on macOS.
const LONGEST_PATH: usize = 103;

/// How a connection ends that nobody takes: there is none, or it is just ending.
const NOBODY: [ErrorKind; 4] =
    [ErrorKind::NotFound, ErrorKind::ConnectionRefused, ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];

/// Where the socket of a data folder is: in it, or under `/tmp` if that path would be too long.
pub fn place(home: &Home) -> PathBuf {
    let usual = home.run().join("backoffice.sock");
    if usual.as_os_str().len() <= LONGEST_PATH {
        return usual;
    }
    let folder = format!("/tmp/backoffice-{}", geteuid().as_raw());
    Path::new(&folder).join(format!("{}.sock", name_of(home)))
}

/// Listens at a place. Whoever calls this holds the daemon's lock.
#[derive(Debug)]
pub struct Listener {
    listener: UnixListener,
    path: PathBuf,
}

impl Listener {
    pub fn bind(path: &Path) -> Result<Self> {
        let folder = path.parent().ok_or_else(|| Error::internal("a socket needs a folder"))?;
        create_private_folder(folder)?;
        refuse_folder_of_others(folder)?;
        // The lock is ours, so whatever lies here was left behind by a daemon that was killed.
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io(error, format!("remove the old socket `{}`", path.display())));
            }
            _ => {}
        }
        let failed = |error| Error::io(error, format!("listen at `{}`", path.display()));
        let listener = UnixListener::bind(path).map_err(failed)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        Ok(Listener { listener, path: path.to_owned() })
    }

    /// The next connection of this very user; others are turned away.
    pub async fn accept(&mut self) -> std::io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            let peer = stream.peer_cred()?;
            if peer.uid() == geteuid().as_raw() {
                return Ok(stream);
            }
            tracing::warn!(event = "foreign_user_refused", uid = peer.uid());
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Connects, if somebody listens.
pub async fn connect(path: &Path) -> Result<Option<UnixStream>> {
    let folder = path.parent().unwrap_or(path);
    if !folder.exists() {
        return Ok(None);
    }
    refuse_folder_of_others(folder)?;
    match UnixStream::connect(path).await {
        Ok(stream) => Ok(Some(stream)),
        Err(error) if NOBODY.contains(&error.kind()) => Ok(None),
        Err(error) => Err(Error::io(error, format!("connect to `{}`", path.display()))),
    }
}

/// The folder must be ours, closed to others, and no link: else somebody could put a socket of
/// their own there.
fn refuse_folder_of_others(folder: &Path) -> Result<()> {
    let found = fs::symlink_metadata(folder)
        .map_err(|error| Error::io(error, format!("look at the folder `{}`", folder.display())))?;
    let ours = found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o077 == 0;
    if ours {
        return Ok(());
    }
    Err(Error::forbidden(format!("the folder `{}` is not private to this user", folder.display()))
        .hint("it must be a folder of yours with mode 700; move it away, or use another data folder"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_falls_back_to_a_short_one_of_its_own() {
        let short = place(&Home::at("/home/ann/.local/share/backoffice"));
        assert_eq!(short, Path::new("/home/ann/.local/share/backoffice/run/backoffice.sock"));
        let long = |letter: &str| place(&Home::at(format!("/{}", letter.repeat(150))));
        assert!(long("a").starts_with("/tmp") && long("a").as_os_str().len() <= LONGEST_PATH);
        assert_ne!(long("a"), long("b"));
        assert_eq!(long("a"), long("a"));
    }

    #[test]
    fn a_folder_of_others_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(refuse_folder_of_others(folder.path()).is_ok());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &link).unwrap();
        assert!(refuse_folder_of_others(&link).is_err());
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(refuse_folder_of_others(folder.path()).is_err());
    }
}
