//! A named pipe. Its default permissions let only this user, administrators and the system write.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeClient, NamedPipeServer, ServerOptions};

use super::name_of;
use crate::error::{Error, Result};
use crate::paths::Home;

/// `ERROR_PIPE_BUSY`: every instance is taken for this moment.
const PIPE_BUSY: i32 = 231;

pub fn place(home: &Home) -> PathBuf {
    PathBuf::from(format!(r"\\.\pipe\backoffice-{}", name_of(home)))
}

/// Listens at a place; one instance always waits for the next client.
#[derive(Debug)]
pub struct Listener {
    spare: NamedPipeServer,
    path: PathBuf,
}

impl Listener {
    pub fn bind(path: &Path) -> Result<Self> {
        let spare = ServerOptions::new()
            .first_pipe_instance(true)
            .reject_remote_clients(true)
            .create(path)
            .map_err(|error| Error::io(error, format!("listen at `{}`", path.display())))?;
        Ok(Listener { spare, path: path.to_owned() })
    }

    pub async fn accept(&mut self) -> std::io::Result<NamedPipeServer> {
        self.spare.connect().await?;
        let next = ServerOptions::new().reject_remote_clients(true).create(&self.path)?;
        Ok(std::mem::replace(&mut self.spare, next))
    }
}

/// Connects, if somebody listens.
pub async fn connect(path: &Path) -> Result<Option<NamedPipeClient>> {
    loop {
        match ClientOptions::new().open(path) {
            Ok(client) => return Ok(Some(client)),
            Err(error) if error.raw_os_error() == Some(PIPE_BUSY) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(error, format!("connect to `{}`", path.display()))),
        }
    }
}
