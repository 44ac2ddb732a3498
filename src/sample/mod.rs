//! A company of our own making: Quillmere, which sells software to people who visit customers.
//!
//! Pure data: nothing here reads a clock, a file or a table. Everything follows from the day on which it is
//! looked at, so that deals close this month and invoices are overdue whenever that is. Each row is made
//! from its place alone, so that a million of them need no memory.

mod articles;
mod budgets;
mod customers;
mod days;
mod deals;
mod dice;
mod employees;
mod expenses;
mod invoices;
mod reviews;
mod staff;
mod tickets;
mod time_off;
mod tree;
mod vocabulary;
mod words;

use std::fmt;

use chrono::NaiveDate;
use serde_json::{Map, Value};

pub use vocabulary::MARKERS;

/// A row by column names, as an import reads it from a file.
pub type Row = Map<String, Value>;

/// How many of each there shall be; [`Volume::SAMPLE`] is the sample itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    pub employees: usize,
    pub invoices: usize,
    pub expense_reports: usize,
    pub customers: usize,
    pub deals: usize,
    pub tickets: usize,
    pub articles: usize,
}

impl Volume {
    pub const SAMPLE: Volume = Volume {
        employees: 63,
        invoices: 120,
        expense_reports: 40,
        customers: 80,
        deals: 200,
        tickets: 400,
        articles: 60,
    };
}

/// A table under its name, with its rows in the order they are to be stored.
pub struct Table {
    pub name: &'static str,
    pub count: usize,
    /// Made one by one: a million of them must not be in memory.
    pub rows: Box<dyn Iterator<Item = Row> + Send>,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("name", &self.name).field("count", &self.count).finish_non_exhaustive()
    }
}

impl Table {
    fn each(name: &'static str, count: usize, row: impl Fn(usize) -> Row + Send + 'static) -> Self {
        Table { name, count, rows: Box::new((0..count).map(row)) }
    }

    fn of(name: &'static str, rows: Vec<Row>) -> Self {
        Table { name, count: rows.len(), rows: Box::new(rows.into_iter()) }
    }
}

/// The sample as it looks on a day: deals close this month, reviews are due, some invoices are overdue.
pub fn company(today: NaiveDate) -> Vec<Table> {
    let sample = Volume::SAMPLE;
    vec![
        employees::departments(),
        employees::grades(),
        employees::company(today),
        reviews::company(today),
        time_off::company(today),
        budgets::company(today),
        invoices::company(today, sample.invoices),
        expenses::reports(&expenses::Plan::company(today, sample.expense_reports)),
        expenses::items(&expenses::Plan::company(today, sample.expense_reports)),
        customers::company(today, sample.customers),
        deals::company(today, sample.deals),
        deals::targets(today),
        tickets::company(today, sample.tickets),
        articles::company(today, sample.articles),
    ]
}

/// More rows on top of the company, for measurement. `volume` counts only these; what there is nothing of
/// is left out. Numbers continue after the sample's: people, invoices and expense reports from 1000 up,
/// tickets and articles with the next.
pub fn more(today: NaiveDate, volume: Volume) -> Vec<Table> {
    let expenses = expenses::Plan::more(today, volume);
    let tables = vec![
        tree::more(today, volume.employees),
        invoices::more(today, volume.invoices),
        expenses::reports(&expenses),
        expenses::items(&expenses),
        customers::more(today, volume.customers),
        deals::more(today, volume),
        tickets::more(today, volume),
        articles::more(today, volume.articles),
    ];
    tables.into_iter().filter(|table| table.count > 0).collect()
}

/// Who holds which roles besides `employee`: a login and its roles.
pub fn roles() -> Vec<(String, Vec<String>)> {
    let holders = staff::active().filter(|person| !person.roles.is_empty());
    holders
        .map(|person| (person.login.clone(), person.roles.iter().map(|role| (*role).to_owned()).collect()))
        .collect()
}

/// A row of its cells; a cell without a value is left out.
fn row<const CELLS: usize>(cells: [(&str, Value); CELLS]) -> Row {
    let mut row = Row::with_capacity(CELLS);
    for (column, value) in cells {
        if !value.is_null() {
            row.insert(column.to_owned(), value);
        }
    }
    row
}

/// An amount; whole ones are written without decimals.
fn money(cents: i64) -> Value {
    if cents % 100 == 0 { Value::from(cents / 100) } else { Value::from(cents as f64 / 100.0) }
}

#[cfg(test)]
mod more_tests;
#[cfg(test)]
mod sample_tests;
#[cfg(test)]
mod story_tests;
