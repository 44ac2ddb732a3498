//! Deals in three orders, of everybody or of one owner. Those of a customer who was deleted are gone with
//! them.

use rusqlite::{Row, params};

use crate::clock::Timestamp;
use crate::db::{Field, ReadTx, WriteTx};
use crate::error::Result;
use crate::money::Cents;
use crate::tool::table::Entry;

/// A row of `deals`, with the customer's names.
#[derive(Clone, Debug)]
pub struct Deal {
    pub seq: i64,
    pub deal_id: String,
    pub customer_id: String,
    pub customer_name: Option<String>,
    pub deal_name: String,
    pub value: Cents,
    pub currency: String,
    pub stage: String,
    pub probability: i64,
    pub expected_close_date: String,
    pub actual_close_date: Option<String>,
    pub owner: String,
    pub notes: Option<String>,
    pub loss_reason: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Recent,
    Value,
    CloseDate,
}

/// What a listing shows and where it goes on.
#[derive(Debug)]
pub struct Filter<'a> {
    /// The one whose deals are seen, if they are not everybody's.
    pub seen_by: Option<&'a str>,
    pub owner: Option<&'a str>,
    pub stage: Option<&'a str>,
    pub open: bool,
    pub min_value: Option<i64>,
    pub closing_from: Option<&'a str>,
    pub closing_to: Option<&'a str>,
    pub order: Order,
    pub after: Option<Place>,
    pub limit: i64,
}

/// The place of a row in all orders.
#[derive(Clone, Debug)]
pub struct Place {
    pub seq: i64,
    pub value: i64,
    pub expected_close_date: String,
}

macro_rules! columns {
    ($from:literal, $($rest:literal),+) => {
        concat!(
            "SELECT d.seq, d.deal_id, c.customer_id, coalesce(c.company, c.name), d.deal_name, d.value, d.currency,
                    d.stage, d.probability, d.expected_close_date, d.actual_close_date, d.owner, d.notes,
                    d.loss_reason, d.created_at, d.updated_at
             FROM ",
            $from,
            " CROSS JOIN customers c ON c.seq = d.customer AND c.deleted_at IS NULL "
            $(, $rest)+
        )
    };
}

/// A listing of everybody's deals, or of one person's, in one order.
macro_rules! listing {
    ($from:literal, $seen:literal, $order:literal) => {
        columns!(
            $from,
            "WHERE ",
            $seen,
            " AND (?2 IS NULL OR d.owner = ?2) AND (?3 IS NULL OR d.stage = ?3)
              AND (NOT ?4 OR d.stage NOT IN ('CLOSED_WON', 'CLOSED_LOST')) AND (?5 IS NULL OR d.value >= ?5)
              AND (?6 IS NULL OR d.expected_close_date >= ?6) AND (?7 IS NULL OR d.expected_close_date <= ?7)
              AND ",
            $order,
            " LIMIT ?11"
        )
    };
}

pub fn page(tx: &ReadTx<'_>, filter: &Filter<'_>) -> Result<Vec<Deal>> {
    // Whose are seen, and whose are asked for, is the same thing to an index.
    let of = filter.seen_by.or(filter.owner);
    let sql = match (filter.order, of) {
        (Order::Recent, None) if filter.stage.is_some() => listing!(
            "deals d INDEXED BY deals_by_stage",
            "?1 IS NULL AND d.stage = ?3",
            "d.seq < ?8 ORDER BY d.seq DESC"
        ),
        (Order::Recent, None) => {
            listing!("deals d", "?1 IS NULL", "d.seq < ?8 ORDER BY d.seq DESC")
        }
        (Order::Recent, Some(_)) => {
            listing!("deals d INDEXED BY deals_by_owner", "d.owner = ?1", "d.seq < ?8 ORDER BY d.seq DESC")
        }
        (Order::Value, None) => listing!(
            "deals d INDEXED BY deals_by_value",
            "?1 IS NULL",
            "(d.value, d.seq) < (?9, ?8) ORDER BY d.value DESC, d.seq DESC"
        ),
        (Order::Value, Some(_)) => listing!(
            "deals d INDEXED BY deals_by_owner",
            "d.owner = ?1",
            "(d.value, d.seq) < (?9, ?8) ORDER BY d.value DESC, d.seq DESC"
        ),
        (Order::CloseDate, None) => listing!(
            "deals d INDEXED BY deals_by_close_date",
            "?1 IS NULL",
            "(d.expected_close_date, d.seq) > (?10, ?8) ORDER BY d.expected_close_date, d.seq"
        ),
        (Order::CloseDate, Some(_)) => listing!(
            "deals d INDEXED BY deals_by_owner",
            "d.owner = ?1",
            "(d.expected_close_date, d.seq) > (?10, ?8) ORDER BY d.expected_close_date, d.seq"
        ),
    };
    // The dates go up, the others down.
    let seq = if filter.order == Order::CloseDate { 0 } else { i64::MAX };
    let begin = Place { seq, value: i64::MAX, expected_close_date: String::new() };
    let after = filter.after.as_ref().unwrap_or(&begin);
    tx.rows(
        sql,
        params![
            of,
            filter.owner,
            filter.stage,
            filter.open,
            filter.min_value,
            filter.closing_from,
            filter.closing_to,
            after.seq,
            after.value,
            after.expected_close_date,
            filter.limit
        ],
        read,
    )
}

pub fn place(tx: &ReadTx<'_>, seq: i64) -> Result<Option<Place>> {
    tx.row("SELECT seq, value, expected_close_date FROM deals WHERE seq = ?1", [seq], |row| {
        Ok(Place { seq: row.get(0)?, value: row.get(1)?, expected_close_date: row.get(2)? })
    })
}

pub fn find(tx: &ReadTx<'_>, deal_id: &str) -> Result<Option<Deal>> {
    tx.row(columns!("deals d", "WHERE d.deal_id = lower(?1)"), [deal_id], read)
}

/// How many deals of a customer are open.
pub fn count_open(tx: &ReadTx<'_>, customer: i64) -> Result<i64> {
    let count = tx.row(
        "SELECT count(*) FROM deals WHERE customer = ?1 AND stage NOT IN ('CLOSED_WON', 'CLOSED_LOST')",
        [customer],
        |row| row.get(0),
    )?;
    Ok(count.unwrap_or(0))
}

/// The largest open deals of a customer.
pub fn open_of(tx: &ReadTx<'_>, customer: i64, limit: i64) -> Result<Vec<Deal>> {
    tx.rows(
        columns!(
            "deals d",
            "WHERE d.customer = ?1 AND d.stage NOT IN ('CLOSED_WON', 'CLOSED_LOST')
             ORDER BY d.value DESC, d.seq LIMIT ?2"
        ),
        [customer, limit],
        read,
    )
}

pub fn fingerprint(tx: &ReadTx<'_>, seq: i64) -> Result<String> {
    tx.fingerprint("SELECT * FROM deals WHERE seq = ?1", [seq])
}

/// The open deals of a customer, as a card names them.
pub fn fingerprint_open(tx: &ReadTx<'_>, customer: i64) -> Result<String> {
    tx.fingerprint(
        "SELECT deal_id, deal_name, value, stage FROM deals
         WHERE customer = ?1 AND stage NOT IN ('CLOSED_WON', 'CLOSED_LOST') ORDER BY seq",
        [customer],
    )
}

/// How a deal ended.
#[derive(Debug)]
pub struct End<'a> {
    pub stage: &'a str,
    pub probability: i64,
    pub value: Cents,
    pub day: &'a str,
    pub loss_reason: Option<&'a str>,
    pub notes: Option<&'a str>,
}

pub fn close(tx: &WriteTx<'_>, seq: i64, end: &End<'_>, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE deals SET stage = ?2, probability = ?3, value = ?4, actual_close_date = ?5, loss_reason = ?6,
                notes = coalesce(?7, notes), updated_at = ?8
         WHERE seq = ?1",
        params![seq, end.stage, end.probability, end.value.0, end.day, end.loss_reason, end.notes, now.0],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Deal> {
    Ok(Deal {
        seq: row.get(0)?,
        deal_id: row.get(1)?,
        customer_id: row.get(2)?,
        customer_name: row.get(3)?,
        deal_name: row.get(4)?,
        value: Cents(row.get(5)?),
        currency: row.get(6)?,
        stage: row.get(7)?,
        probability: row.get(8)?,
        expected_close_date: row.get(9)?,
        actual_close_date: row.get(10)?,
        owner: row.get(11)?,
        notes: row.get(12)?,
        loss_reason: row.get(13)?,
        created_at: Timestamp(row.get(14)?),
        updated_at: Timestamp(row.get(15)?),
    })
}

pub fn put(tx: &WriteTx<'_>, e: &Entry, customer: i64, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO deals (deal_id, customer, deal_name, value, currency, stage, probability, expected_close_date,
                            actual_close_date, owner, notes, loss_reason, created_at, updated_at)
         VALUES (lower(?1), ?2, ?3, ?4, coalesce(?5, 'USD'), ?6, ?7, ?8, ?9, ?10, ?11, ?12, coalesce(?13, ?14),
                 coalesce(?13, ?14))
         ON CONFLICT (deal_id) DO UPDATE SET
             customer = coalesce(excluded.customer, customer),
             deal_name = coalesce(excluded.deal_name, deal_name), value = coalesce(excluded.value, value),
             currency = coalesce(?5, currency), stage = coalesce(excluded.stage, stage),
             probability = coalesce(excluded.probability, probability),
             expected_close_date = coalesce(excluded.expected_close_date, expected_close_date),
             actual_close_date = coalesce(excluded.actual_close_date, actual_close_date),
             owner = coalesce(excluded.owner, owner), notes = coalesce(excluded.notes, notes),
             loss_reason = coalesce(excluded.loss_reason, loss_reason), updated_at = ?14",
        params![
            e["deal_id"],
            customer,
            e["deal_name"],
            e["value"],
            e["currency"],
            e["stage"],
            e["probability"],
            e["expected_close_date"],
            e["actual_close_date"],
            e["owner"],
            e["notes"],
            e["loss_reason"],
            e["created_at"],
            now.0
        ],
    )?;
    Ok(())
}

pub fn rows(tx: &ReadTx<'_>, after: i64, limit: i64) -> Result<Vec<(i64, Vec<Field>)>> {
    tx.rows(
        "SELECT d.seq, d.deal_id, c.customer_id, d.deal_name, d.value, d.currency, d.stage, d.probability,
                d.expected_close_date, d.actual_close_date, d.owner, d.notes, d.loss_reason, d.created_at
         FROM deals d JOIN customers c ON c.seq = d.customer
         WHERE d.seq > ?1 AND c.deleted_at IS NULL ORDER BY d.seq LIMIT ?2",
        [after, limit],
        |row| Ok((row.get(0)?, (1..=13).map(|column| row.get(column)).collect::<rusqlite::Result<_>>()?)),
    )
}

pub fn count(tx: &ReadTx<'_>) -> Result<i64> {
    Ok(tx
        .row(
            "SELECT count(*) FROM deals d JOIN customers c ON c.seq = d.customer WHERE c.deleted_at IS NULL",
            [],
            |row| row.get(0),
        )?
        .unwrap_or(0))
}

pub fn clear(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("DELETE FROM deals", []).map(drop)
}
