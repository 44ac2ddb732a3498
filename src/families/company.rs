//! The business families' data as a whole: the sample of a company, and what is done when somebody first
//! asks for any of it. Where the families' rows meet that do not know each other.

use chrono::NaiveDate;

use super::{finance, hr, sales, support};
use crate::clock::Timestamp;
use crate::db::origins::{self, Origin};
use crate::db::{ReadTx, WriteTx, people};
use crate::error::{Error, Result};
use crate::sample;
use crate::tool::Family;
use crate::tool::table::Table;

/// In the order in which rows refer to each other.
pub const FAMILIES: [&Family; 4] = [&hr::FAMILY, &finance::FAMILY, &sales::FAMILY, &support::FAMILY];

/// Every table under its full name.
pub fn tables() -> impl Iterator<Item = (String, &'static Table)> {
    let tables =
        FAMILIES.into_iter().flat_map(|family| family.tables.iter().map(move |table| (family, table)));
    tables.map(|(family, table)| (format!("{}.{}", family.name, table.name), table))
}

/// A table by its full name, or by its own where that is enough.
pub fn table(name: &str) -> Result<(String, &'static Table)> {
    let found = tables().find(|(full, table)| full == name || table.name == name);
    found.ok_or_else(|| {
        let all: Vec<String> = tables().map(|(full, _)| full).collect();
        let near = crate::error::nearest(name, all.iter().map(String::as_str)).map(str::to_owned);
        Error::not_found(format!("there is no table `{name}`")).hint(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the tables are {}", all.join(", ")),
        })
    })
}

/// Loads the sample as it looks today.
pub fn load_sample(tx: &WriteTx<'_>, now: Timestamp) -> Result<()> {
    put_all(tx, sample::company(today(now)), now)?;
    for (login, roles) in sample::roles() {
        roles.iter().try_for_each(|role| people::grant(tx, &login, role).map(drop))?;
    }
    origins::note(tx, Origin::Sample, now)
}

/// What a person has brought is not ours to throw away.
pub fn refuse_own_data(tx: &ReadTx<'_>) -> Result<()> {
    match origins::since(tx, Origin::Imported)? {
        None => Ok(()),
        Some(at) => Err(Error::conflict(format!("data of your own was imported at {}", at.rfc3339()))
            .hint("it stays; use another data folder for the sample: `--home FOLDER`")),
    }
}

/// Takes out all business data, and the people who came with it.
pub fn clear(tx: &WriteTx<'_>, now: Timestamp) -> Result<()> {
    refuse_own_data(tx)?;
    let mut tables: Vec<&Table> = FAMILIES.into_iter().flat_map(|family| family.tables).collect();
    tables.reverse();
    tables.iter().try_for_each(|table| (table.clear)(tx))?;
    origins::cleared(tx, now)
}

/// Stores rows of our own making, which fit.
fn put_all(tx: &WriteTx<'_>, sample: Vec<sample::Table>, now: Timestamp) -> Result<()> {
    for part in sample {
        let (name, table) = table(part.name)?;
        for row in part.rows {
            put(tx, &name, table, &row, now)?;
        }
        table.finish.map_or(Ok(()), |finish| finish(tx))?;
    }
    Ok(())
}

/// How many rows each table holds.
pub fn counts(tx: &ReadTx<'_>) -> Result<Vec<(String, i64)>> {
    tables().map(|(name, table)| Ok((name, (table.count)(tx)?))).collect()
}

/// Stores one row of our own making.
pub fn put(tx: &WriteTx<'_>, name: &str, table: &Table, row: &sample::Row, now: Timestamp) -> Result<()> {
    let entry = table.read(row).map_err(|problems| {
        Error::internal(format!("a row of {name} does not fit: {}", problems.join("; ")))
    })?;
    (table.put)(tx, &entry, now)
}

/// The calendar day in UTC.
pub fn today(now: Timestamp) -> NaiveDate {
    NaiveDate::parse_from_str(&now.day(), "%Y-%m-%d").unwrap_or_default()
}
