//! All SQL of finance.

pub mod budgets;
pub mod expenses;
pub mod invoices;
