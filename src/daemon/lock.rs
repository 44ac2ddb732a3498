//! Who is the daemon: whoever holds this lock. It ends with its process, however that ends.

use std::fs::{File, TryLockError};
use std::time::Duration;

use crate::clock::Stopwatch;
use crate::error::{Error, Result};
use crate::paths::{Home, create_private_folder, private_file};

const ONLY_LOOKING: Duration = Duration::from_millis(100);

/// The lock, held until it is dropped.
#[derive(Debug)]
pub struct DaemonLock {
    _file: File,
}

impl DaemonLock {
    /// Takes the lock, or says that somebody has it.
    pub fn take(home: &Home) -> Result<Self> {
        let file = open(home)?;
        let since = Stopwatch::start();
        let mut tried = file.try_lock();
        // Somebody who only looks holds it for an instant; a daemon holds it for good.
        while matches!(tried, Err(TryLockError::WouldBlock)) && since.elapsed() < ONLY_LOOKING {
            std::thread::sleep(ONLY_LOOKING / 10);
            tried = file.try_lock();
        }
        match tried {
            Ok(()) => Ok(DaemonLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::conflict("another daemon is already running")
                .hint("`backoffice daemon status` shows it")
                .reason("already_running")),
            Err(TryLockError::Error(error)) => Err(Error::io(error, "lock the daemon's lock file")),
        }
    }

    /// Whether some process holds it.
    pub fn is_held(home: &Home) -> Result<bool> {
        Ok(matches!(open(home)?.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

fn open(home: &Home) -> Result<File> {
    create_private_folder(&home.run())?;
    let path = home.run().join("daemon.lock");
    private_file()
        .write(true)
        .open(&path)
        .map_err(|error| Error::io(error, format!("open `{}`", path.display())))
}
