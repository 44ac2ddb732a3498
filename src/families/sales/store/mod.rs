//! All SQL of sales.

pub mod customers;
pub mod deals;
pub mod pipeline;
