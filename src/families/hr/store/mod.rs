//! All SQL of hr.

pub mod chain;
pub mod employees;
pub mod reviews;
pub mod salaries;
pub mod time_off;
