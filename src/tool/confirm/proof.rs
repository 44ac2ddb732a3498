//! What proves that a person decides: a PIN once one is set, a terminal or the client's form before.

use std::sync::Arc;

use argon2::Argon2;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::clock::Timestamp;
use crate::db::{ReadTx, audit, people, pins};
use crate::error::{Error, Kind, Result};
use crate::tool::dispatch::Office;

const SHORTEST: usize = 4;
const LONGEST: usize = 64;
const HASH: usize = 32;
/// So many wrong guesses in a row cost nothing.
const FREE_GUESSES: u32 = 2;
const FIRST_PAUSE_MS: i64 = 5_000;
const LONGEST_PAUSE_MS: i64 = 3_600_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    Terminal,
    Form,
    Pin,
}

/// That a person is there, and who. Made by the surfaces that people use, never by a tool.
#[derive(Debug)]
pub struct Proof {
    login: String,
    how: String,
    means: Means,
}

impl Proof {
    /// Somebody sits at an interactive terminal. Good while no PIN is set for them.
    pub fn by_terminal(login: &str) -> Self {
        Proof { login: login.to_owned(), how: "terminal".to_owned(), means: Means::Terminal }
    }

    /// Somebody has filled in the client's own form. Good while nobody has set a PIN.
    pub fn by_form(login: &str) -> Self {
        Proof { login: login.to_owned(), how: "client form".to_owned(), means: Means::Form }
    }

    /// Checks a PIN. Every guess is counted before it is looked at, so that guessing in parallel does
    /// not help; after some, each costs twice the time of the one before.
    pub fn by_pin(office: &Arc<Office>, login: &str, pin: &str, surface: &str) -> Result<Self> {
        let (name, clock) = (login.to_owned(), office.clock.clone());
        let known = office.db.write(move |tx| {
            let now = clock.now();
            let Some(known) = pins::of(tx, &name)? else { return Ok(None) };
            let pause = pause_after(known.failed);
            // A clock that was set back keeps nobody out for longer than the pause.
            if now < known.closed_until && known.closed_until.0 - now.0 <= pause {
                let seconds = (known.closed_until.0 - now.0 + 999) / 1000;
                return Err(Error::conflict(format!("too many wrong PINs: wait {seconds} s"))
                    .hint("nothing was changed")
                    .reason("pin_closed"));
            }
            let failed = known.failed.saturating_add(1);
            pins::guessed(tx, &known.login, failed, Timestamp(now.0 + pause_after(failed)))?;
            Ok(Some(known))
        })?;
        let Some(known) = known else {
            return Err(Error::conflict("no PIN is set").hint("`backoffice approvals pin set` sets one"));
        };
        if !is_of(&known.hash, pin)? {
            let (name, now) = (login.to_owned(), office.clock.now());
            let wrong = Kind::Forbidden.word();
            office.db.write(move |tx| audit::append(tx, &entry(now, &name, "pin check", wrong)))?;
            return Err(Error::forbidden("the PIN is wrong").hint("nothing was changed").reason("pin_wrong"));
        }
        let owner_of_pin = known.login.clone();
        office.db.write(move |tx| pins::guessed(tx, &owner_of_pin, 0, Timestamp(0)))?;
        Ok(Proof { login: login.to_owned(), how: format!("{surface}, PIN"), means: Means::Pin })
    }

    pub(super) fn login(&self) -> &str {
        &self.login
    }

    pub(super) fn how(&self) -> &str {
        &self.how
    }

    pub(super) fn is_by_pin(&self) -> bool {
        self.means == Means::Pin
    }

    pub(super) fn is_by_form(&self) -> bool {
        self.means == Means::Form
    }
}

/// Whether a PIN is wanted from a person: their own, or the owner's.
pub fn has_pin(tx: &ReadTx<'_>, login: &str) -> Result<bool> {
    Ok(pins::of(tx, login)?.is_some())
}

/// Sets a person's PIN. Whoever has one, their own or the owner's, gives it first.
pub fn choose_pin(office: &Arc<Office>, proof: Proof, pin: &str) -> Result<()> {
    let length = pin.chars().count();
    if !(SHORTEST..=LONGEST).contains(&length) || pin.trim() != pin {
        return Err(Error::invalid(format!(
            "a PIN has {SHORTEST} to {LONGEST} characters, none around it blank"
        )));
    }
    let salt = office.ids.uuid();
    let hash = format!("{salt}:{}", hex(&hashed(pin, salt.as_bytes())?));
    change(office, proof, "pin set", move |tx, login| {
        // With the owner's missing, anybody else's name would still do without one.
        if login != people::owner_login(tx)? && !pins::any(tx)? {
            return Err(Error::conflict("the owner of the file has no PIN yet")
                .hint("set it first: `backoffice approvals pin set` without --as"));
        }
        pins::set(tx, login, &hash)
    })
}

/// Takes a person's own PIN away.
pub fn drop_pin(office: &Arc<Office>, proof: Proof) -> Result<()> {
    change(office, proof, "pin remove", |tx, login| {
        if !pins::remove(tx, login)? {
            return Err(Error::not_found(format!("`{login}` has no PIN of their own")));
        }
        if login == people::owner_login(tx)? && pins::any(tx)? {
            return Err(Error::conflict("other people have PINs of their own")
                .hint("take those away first: `backoffice --as USER approvals pin remove`"));
        }
        Ok(())
    })
}

fn change(
    office: &Arc<Office>,
    proof: Proof,
    what: &'static str,
    change: impl FnOnce(&crate::db::WriteTx<'_>, &str) -> Result<()> + Send + 'static,
) -> Result<()> {
    let now = office.clock.now();
    office.db.write(move |tx| {
        let login = proof.login.as_str();
        if !people::is_known(tx, login)? {
            return Err(people::unknown(tx, login)?);
        }
        if pins::of(tx, login)?.is_some() && !proof.is_by_pin() {
            return Err(Error::forbidden("a PIN is set, and was not given").reason("pin_needed"));
        }
        change(tx, login)?;
        audit::append(tx, &entry(now, login, what, "ok"))
    })
}

/// What became of a PIN stands in the trail; never the PIN.
fn entry(at: Timestamp, login: &str, what: &str, outcome: &str) -> audit::Entry {
    audit::Entry {
        id: 0,
        at,
        caller: login.to_owned(),
        client: "approvals".to_owned(),
        tool: what.to_owned(),
        outcome: outcome.to_owned(),
        correlation_id: None,
        run_us: 0,
        receipt: None,
    }
}

fn pause_after(failed: u32) -> i64 {
    match failed.checked_sub(FREE_GUESSES) {
        None | Some(0) => 0,
        Some(over) => FIRST_PAUSE_MS.checked_shl(over.min(20) - 1).unwrap_or(i64::MAX).min(LONGEST_PAUSE_MS),
    }
}

fn is_of(stored: &str, pin: &str) -> Result<bool> {
    let damaged = || Error::internal("a stored PIN cannot be read");
    let (salt, expected) = stored.split_once(':').ok_or_else(damaged)?;
    // Compared through a code, so that the time tells nothing.
    let code = |text: &str| -> Result<Hmac<Sha256>> {
        let mac = Hmac::<Sha256>::new_from_slice(salt.as_bytes()).map_err(|_| damaged())?;
        Ok(mac.chain_update(text))
    };
    let given = code(&hex(&hashed(pin, salt.as_bytes())?))?.finalize();
    Ok(code(expected)?.verify(&given.into_bytes()).is_ok())
}

fn hashed(pin: &str, salt: &[u8]) -> Result<[u8; HASH]> {
    let mut hash = [0; HASH];
    // Argon2id with the parameters its crate recommends.
    Argon2::default()
        .hash_password_into(pin.as_bytes(), salt, &mut hash)
        .map_err(|error| Error::internal(format!("the PIN cannot be hashed: {error}")))?;
    Ok(hash)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_an_hour() {
        let pauses: Vec<i64> = [0, 1, 2, 3, 4, 5, 12, 13, 40, u32::MAX].map(pause_after).to_vec();
        assert_eq!(pauses, [0, 0, 0, 5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000, 3_600_000]);
    }

    #[test]
    fn a_pin_is_known_by_its_hash_only() {
        let stored = format!("some salt:{}", hex(&hashed("2468", b"some salt").unwrap()));
        assert!(is_of(&stored, "2468").unwrap() && !is_of(&stored, "2469").unwrap());
        assert!(is_of("nothing", "2468").is_err());
    }
}
