//! Destructive writes that wait for a person, and what became of them.

use rusqlite::{Row, params};

use super::tx::{ReadTx, WriteTx};
use crate::clock::Timestamp;
use crate::error::Result;

/// What was decided; one that has expired is still `Pending` here, the time tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Pending,
    Executed,
    Declined,
    Failed,
}

impl State {
    pub fn as_str(self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Executed => "executed",
            State::Declined => "declined",
            State::Failed => "failed",
        }
    }

    fn parse(text: &str) -> Self {
        let known = [State::Executed, State::Declined, State::Failed];
        known.into_iter().find(|state| state.as_str() == text).unwrap_or(State::Pending)
    }
}

/// A row of `confirmations`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    pub confirmation_id: String,
    pub tool: String,
    pub arguments: String,
    pub caller: String,
    pub client: String,
    pub message: String,
    pub card: String,
    pub target: String,
    pub fingerprint: String,
    pub state: State,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub decided_at: Option<Timestamp>,
    pub decided_how: Option<String>,
    pub result: Option<String>,
    pub reason: Option<String>,
}

/// How a confirmation ended.
#[derive(Clone, Debug)]
pub struct Verdict {
    pub state: State,
    pub at: Timestamp,
    pub how: String,
    pub result: Option<String>,
    pub reason: Option<String>,
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT confirmation_id, tool, arguments, caller, client, message, card, target, fingerprint, state,
                    created_at, expires_at, decided_at, decided_how, result, reason
             FROM confirmations ",
            $rest
        )
    };
}

pub fn insert(tx: &WriteTx<'_>, new: &Confirmation) -> Result<()> {
    tx.execute(
        "INSERT INTO confirmations (confirmation_id, tool, arguments, caller, client, message, card, target,
                                    fingerprint, state, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'pending', ?10, ?11)",
        params![
            new.confirmation_id,
            new.tool,
            new.arguments,
            new.caller,
            new.client,
            new.message,
            new.card,
            new.target,
            new.fingerprint,
            new.created_at.0,
            new.expires_at.0
        ],
    )?;
    Ok(())
}

pub fn find(tx: &ReadTx<'_>, confirmation_id: &str) -> Result<Option<Confirmation>> {
    tx.row(columns!("WHERE confirmation_id = ?1"), [confirmation_id], read)
}

/// The newest one that asks for the same, by the same caller, about the same rows.
pub fn alike(tx: &ReadTx<'_>, new: &Confirmation) -> Result<Option<Confirmation>> {
    tx.row(
        columns!(
            "WHERE state = 'pending' AND expires_at > ?5 AND tool = ?1 AND arguments = ?2 AND caller = ?3
               AND fingerprint = ?4
             ORDER BY seq DESC"
        ),
        params![new.tool, new.arguments, new.caller, new.fingerprint, new.created_at.0],
        read,
    )
}

/// How many wait for one person.
pub fn count_waiting(tx: &ReadTx<'_>, caller: &str, now: Timestamp) -> Result<i64> {
    let count = tx.row(
        "SELECT count(*) FROM confirmations WHERE state = 'pending' AND expires_at > ?2 AND caller = ?1",
        params![caller, now.0],
        |row| row.get(0),
    )?;
    Ok(count.unwrap_or(0))
}

/// Those whose id begins so, for people who do not type all of it.
pub fn beginning_with(tx: &ReadTx<'_>, prefix: &str) -> Result<Vec<Confirmation>> {
    tx.rows(
        columns!("WHERE substr(confirmation_id, 1, length(?1)) = ?1 ORDER BY seq DESC LIMIT 2"),
        [prefix],
        read,
    )
}

/// What waits, the oldest first.
pub fn waiting(tx: &ReadTx<'_>, now: Timestamp) -> Result<Vec<Confirmation>> {
    tx.rows(columns!("WHERE state = 'pending' AND expires_at > ?1 ORDER BY seq LIMIT 500"), [now.0], read)
}

/// The newest ones, decided or not.
pub fn newest(tx: &ReadTx<'_>, limit: i64) -> Result<Vec<Confirmation>> {
    tx.rows(columns!("ORDER BY seq DESC LIMIT ?1"), [limit], read)
}

/// Decides one that waits. Nothing happens to one that was decided before.
pub fn decide(tx: &WriteTx<'_>, confirmation_id: &str, verdict: &Verdict) -> Result<bool> {
    let decided = tx.execute(
        "UPDATE confirmations SET state = ?2, decided_at = ?3, decided_how = ?4, result = ?5, reason = ?6
         WHERE confirmation_id = ?1 AND state = 'pending'",
        params![
            confirmation_id,
            verdict.state.as_str(),
            verdict.at.0,
            verdict.how,
            verdict.result,
            verdict.reason
        ],
    )?;
    Ok(decided == 1)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Confirmation> {
    Ok(Confirmation {
        confirmation_id: row.get(0)?,
        tool: row.get(1)?,
        arguments: row.get(2)?,
        caller: row.get(3)?,
        client: row.get(4)?,
        message: row.get(5)?,
        card: row.get(6)?,
        target: row.get(7)?,
        fingerprint: row.get(8)?,
        state: State::parse(&row.get::<_, String>(9)?),
        created_at: Timestamp(row.get(10)?),
        expires_at: Timestamp(row.get(11)?),
        decided_at: row.get::<_, Option<i64>>(12)?.map(Timestamp),
        decided_how: row.get(13)?,
        result: row.get(14)?,
        reason: row.get(15)?,
    })
}
