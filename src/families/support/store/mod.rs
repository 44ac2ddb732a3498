//! All SQL of support.

pub mod articles;
pub mod tickets;

/// A match, and how well it fits: smaller is better. In the order of time nothing is ranked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    pub seq: i64,
    pub rank: Option<f64>,
}
