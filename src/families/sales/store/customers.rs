//! Customers.

use rusqlite::params;

use crate::clock::Timestamp;
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::money::Cents;
use crate::sensitive::Sensitive;
use crate::tool::table::Entry;

/// A row of `customers`.
#[derive(Clone, Debug)]
pub struct Customer {
    pub seq: i64,
    pub customer_id: String,
    pub name: String,
    pub email: Sensitive<String>,
    pub company: Option<String>,
    pub industry: Option<String>,
    pub phone: Sensitive<Option<String>>,
    pub street: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub zip: Option<String>,
    pub country: Option<String>,
    pub account_owner: Option<String>,
    pub tier: Option<String>,
    pub annual_revenue: Option<Cents>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Customer {
    /// What a person calls them.
    pub fn called(&self) -> String {
        match &self.company {
            Some(company) => format!("{company} ({})", self.name),
            None => self.name.clone(),
        }
    }
}

pub fn find(tx: &ReadTx<'_>, customer_id: &str) -> Result<Option<Customer>> {
    tx.row(
        "SELECT seq, customer_id, name, email, company, industry, phone, street, city, state, zip, country,
                account_owner, tier, annual_revenue, created_at, updated_at
         FROM customers WHERE customer_id = lower(?1) AND deleted_at IS NULL",
        [customer_id],
        |row| {
            Ok(Customer {
                seq: row.get(0)?,
                customer_id: row.get(1)?,
                name: row.get(2)?,
                email: Sensitive::new(row.get(3)?),
                company: row.get(4)?,
                industry: row.get(5)?,
                phone: Sensitive::new(row.get(6)?),
                street: row.get(7)?,
                city: row.get(8)?,
                state: row.get(9)?,
                zip: row.get(10)?,
                country: row.get(11)?,
                account_owner: row.get(12)?,
                tier: row.get(13)?,
                annual_revenue: row.get::<_, Option<i64>>(14)?.map(Cents),
                created_at: Timestamp(row.get(15)?),
                updated_at: Timestamp(row.get(16)?),
            })
        },
    )
}

pub fn seq_of(tx: &ReadTx<'_>, customer_id: &str) -> Result<Option<i64>> {
    tx.row("SELECT seq FROM customers WHERE customer_id = lower(?1)", [customer_id], |row| row.get(0))
}

pub fn fingerprint(tx: &ReadTx<'_>, seq: i64) -> Result<String> {
    tx.fingerprint("SELECT * FROM customers WHERE seq = ?1", [seq])
}

/// Takes a customer out of sight.
pub fn delete(tx: &WriteTx<'_>, seq: i64, by: &str, reason: Option<&str>, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE customers SET deleted_at = ?2, deleted_by = ?3, delete_reason = ?4, updated_at = ?2 WHERE seq = ?1",
        params![seq, now.0, by, reason],
    )?;
    Ok(())
}

pub fn put(tx: &WriteTx<'_>, e: &Entry, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO customers (customer_id, name, email, company, industry, phone, street, city, state, zip, country,
                                account_owner, tier, annual_revenue, created_at, updated_at)
         VALUES (lower(?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, coalesce(?15, ?16), ?16)
         ON CONFLICT (customer_id) DO UPDATE SET
             name = coalesce(excluded.name, name), email = coalesce(excluded.email, email),
             company = coalesce(excluded.company, company), industry = coalesce(excluded.industry, industry),
             phone = coalesce(excluded.phone, phone), street = coalesce(excluded.street, street),
             city = coalesce(excluded.city, city), state = coalesce(excluded.state, state),
             zip = coalesce(excluded.zip, zip), country = coalesce(excluded.country, country),
             account_owner = coalesce(excluded.account_owner, account_owner),
             tier = coalesce(excluded.tier, tier),
             annual_revenue = coalesce(excluded.annual_revenue, annual_revenue),
             updated_at = excluded.updated_at, deleted_at = NULL, deleted_by = NULL, delete_reason = NULL",
        params![
            e["customer_id"],
            e["name"],
            e["email"],
            e["company"],
            e["industry"],
            e["phone"],
            e["street"],
            e["city"],
            e["state"],
            e["zip"],
            e["country"],
            e["account_owner"],
            e["tier"],
            e["annual_revenue"],
            e["created_at"],
            now.0
        ],
    )?;
    Ok(())
}

pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT seq, customer_id, name, email, company, industry, phone, street, city, state, zip, country,
                account_owner, tier, annual_revenue, created_at
         FROM customers WHERE seq > ?1 AND deleted_at IS NULL ORDER BY seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=15).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx.row("SELECT count(*) FROM customers WHERE deleted_at IS NULL", [], |row| row.get(0))?.unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM customers", []).map(drop)
}
