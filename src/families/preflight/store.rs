//! All SQL of preflight: the sessions.

use rusqlite::{Row, params};

use super::clarify::catalogue::Type;
use super::clarify::{Answer, Answers, Proposal, Provenance};
use crate::clock::Timestamp;
use crate::db::{ReadTx, WriteTx};
use crate::error::{Error, Result};

/// A row of `preflight_sessions`.
#[derive(Clone, Debug)]
pub struct Session {
    pub session_id: String,
    pub root: String,
    pub intention: String,
    pub context: Option<String>,
    pub force_adr: bool,
    pub asked: Vec<String>,
    pub answers: Answers,
    /// What a language model has proposed at the first turn.
    pub proposed: Vec<Proposal>,
    pub completed: bool,
    pub created_at: Timestamp,
    pub touched_at: Timestamp,
    /// How many turns it has had; nothing for one that is not stored yet.
    pub turn: i64,
}

pub fn find(tx: &ReadTx<'_>, session_id: &str) -> Result<Option<Session>> {
    let row = tx.row(
        "SELECT session_id, root, intention, context, force_adr, asked, answers, state, created_at, touched_at, turn,
                proposed
         FROM preflight_sessions WHERE session_id = ?1",
        [session_id],
        stored,
    )?;
    row.map(read).transpose()
}

/// The sessions of a repository that have not ended, the newest first.
pub fn open_in(tx: &ReadTx<'_>, root: &str) -> Result<Vec<Session>> {
    let rows = tx.rows(
        "SELECT session_id, root, intention, context, force_adr, asked, answers, state, created_at, touched_at, turn,
                proposed
         FROM preflight_sessions WHERE root = ?1 AND state = 'open' ORDER BY touched_at DESC, session_id",
        [root],
        stored,
    )?;
    rows.into_iter().map(read).collect()
}

/// Takes a session away that has not ended. `false` if there is none.
pub fn drop_open(tx: &WriteTx<'_>, session_id: &str) -> Result<bool> {
    let dropped =
        tx.execute("DELETE FROM preflight_sessions WHERE session_id = ?1 AND state = 'open'", [session_id])?;
    Ok(dropped == 1)
}

/// A row, with its lists as they are written.
type Stored = (Session, String, String, String);

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let (asked, answers, proposed): (String, String, String) = (row.get(5)?, row.get(6)?, row.get(11)?);
    let session = Session {
        session_id: row.get(0)?,
        root: row.get(1)?,
        intention: row.get(2)?,
        context: row.get(3)?,
        force_adr: row.get(4)?,
        asked: Vec::new(),
        answers: Answers::default(),
        proposed: Vec::new(),
        completed: row.get::<_, String>(7)? == "completed",
        created_at: Timestamp(row.get(8)?),
        touched_at: Timestamp(row.get(9)?),
        turn: row.get(10)?,
    };
    Ok((session, asked, answers, proposed))
}

fn read((mut session, asked, answers, proposed): Stored) -> Result<Session> {
    let broken = |error: serde_json::Error| Error::internal("a session cannot be read").because(error);
    let proposed: Vec<StoredProposal> = serde_json::from_str(&proposed).map_err(broken)?;
    session.proposed = proposed.into_iter().filter_map(from_stored).collect();
    session.asked = serde_json::from_str(&asked).map_err(broken)?;
    let stored: Vec<(String, String, Vec<String>)> = serde_json::from_str(&answers).map_err(broken)?;
    session.answers = Answers(
        stored
            .into_iter()
            .map(|(id, by, values)| {
                let by = Provenance::parse(&by).unwrap_or(Provenance::Agent);
                (id, Answer { values, by })
            })
            .collect(),
    );
    Ok(session)
}

/// A proposal as the row keeps it: id, type, question, options, optional, rationale.
type StoredProposal = (String, String, String, Vec<String>, bool, Option<String>);

fn to_stored(proposal: &Proposal) -> StoredProposal {
    let Proposal { id, kind, question, options, optional, rationale } = proposal.clone();
    (id, kind.word().to_owned(), question, options, optional, rationale)
}

fn from_stored((id, kind, question, options, optional, rationale): StoredProposal) -> Option<Proposal> {
    Some(Proposal { id, kind: Type::parse(&kind)?, question, options, optional, rationale })
}

/// Stores a session after a turn. `false` means that another turn was quicker.
pub fn save(tx: &WriteTx<'_>, session: &Session, now: Timestamp) -> Result<bool> {
    let unwritable = |error: serde_json::Error| Error::internal("a session cannot be written").because(error);
    let asked = serde_json::to_string(&session.asked).map_err(unwritable)?;
    let answers: Vec<(&String, &str, &Vec<String>)> =
        session.answers.0.iter().map(|(id, answer)| (id, answer.by.word(), &answer.values)).collect();
    let answers = serde_json::to_string(&answers).map_err(unwritable)?;
    let proposed = serde_json::to_string(&session.proposed.iter().map(to_stored).collect::<Vec<_>>());
    let proposed = proposed.map_err(unwritable)?;
    let state = if session.completed { "completed" } else { "open" };
    let changed = if session.turn == 0 {
        tx.execute(
            "INSERT INTO preflight_sessions (session_id, root, intention, context, force_adr, asked, answers,
                 state, created_at, touched_at, turn, proposed)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, 1, ?10)",
            params![
                session.session_id,
                session.root,
                session.intention,
                session.context,
                session.force_adr,
                asked,
                answers,
                state,
                now.0,
                proposed
            ],
        )?
    } else {
        tx.execute(
            "UPDATE preflight_sessions SET force_adr = ?3, asked = ?4, answers = ?5, state = ?6, touched_at = ?7,
                 turn = turn + 1
             WHERE session_id = ?1 AND turn = ?2 AND state = 'open'",
            params![session.session_id, session.turn, session.force_adr, asked, answers, state, now.0],
        )?
    };
    Ok(changed == 1)
}
