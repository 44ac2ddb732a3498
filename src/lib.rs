pub mod clock;
pub mod config;
pub mod db;
pub mod error;
pub mod id;
pub mod identity;
pub mod logging;
pub mod paths;
