//! The local socket: where it is, who may use it, how to listen and how to connect.
//!
//! Its place is derived from the data folder and nothing else. MCP hosts start servers with few
//! environment variables, so anything taken from the environment would be another place there.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use self::unix::{Listener, connect, place};
#[cfg(windows)]
pub use self::windows::{Listener, connect, place};
use crate::paths::Home;

/// A short name that two data folders do not share.
fn name_of(home: &Home) -> String {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(home.folder().as_os_str().as_encoded_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
