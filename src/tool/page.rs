//! Pages and cursors.
//!
//! A cursor is opaque, versioned and a key, never an offset: page 10,000 costs what page 1 costs,
//! and rows that come or go in between neither repeat nor hide others. It is sealed to its listing
//! (tool, caller, filters) with a key that never leaves the file, so that nobody can make one, or use
//! one to continue another listing.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;

use super::cx::ReadCx;
use crate::error::{Error, Result};

const VERSION: u8 = 2;
const TAG: usize = 12;
/// A page ends early once its rows are this large: clients cut or refuse larger answers.
const MOST_BYTES: usize = 60_000;

/// Rows and where to go on.
#[derive(Debug)]
pub struct Page<T> {
    pub rows: Vec<T>,
    pub next_cursor: Option<String>,
}

/// What a cursor belongs to.
#[derive(Debug)]
pub struct Listing {
    seal: Hmac<Sha256>,
}

impl Listing {
    /// `filters` are all arguments that choose or order rows.
    pub fn new(cx: &ReadCx<'_>, filters: &impl Serialize) -> Result<Self> {
        let bound = (cx.tool, &cx.caller().user_id, filters);
        let bound_to = serde_json::to_vec(&bound)
            .map_err(|error| Error::internal("filters cannot be written as JSON").because(error))?;
        Ok(Self::sealed(cx.cursor_key, &bound_to))
    }

    fn sealed(key: &[u8], bound_to: &[u8]) -> Self {
        // Any length of key will do.
        let seal = Hmac::<Sha256>::new_from_slice(key).unwrap_or_else(|_| Hmac::new(&Default::default()));
        Listing { seal: seal.chain_update([VERSION]).chain_update(bound_to) }
    }

    /// Reads the key a cursor stands for.
    pub fn key(&self, cursor: Option<&str>) -> Result<Option<i64>> {
        let Some(cursor) = cursor else { return Ok(None) };
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).map_err(|_| misfit())?;
        let (&version, rest) = bytes.split_first().ok_or_else(misfit)?;
        let (tag, key) = rest.split_at_checked(TAG).ok_or_else(misfit)?;
        let key: [u8; 8] = key.try_into().map_err(|_| misfit())?;
        let seal = self.seal.clone().chain_update(key);
        if version != VERSION || seal.verify_truncated_left(tag).is_err() {
            return Err(misfit());
        }
        Ok(Some(i64::from_be_bytes(key)))
    }

    /// Cuts rows that were read with one more than `limit` to a page.
    pub fn page<T>(
        &self,
        mut rows: Vec<T>,
        limit: usize,
        key: impl Fn(&T) -> i64,
        size: impl Fn(&T) -> usize,
    ) -> Page<T> {
        let mut bytes = 0;
        let fits = rows.iter().take(limit).take_while(|row| {
            bytes += size(row);
            bytes <= MOST_BYTES
        });
        let end = fits.count().max(1);
        let more = rows.len() > end;
        rows.truncate(end);
        let next_cursor = rows.last().filter(|_| more).map(|row| self.cursor(key(row)));
        Page { rows, next_cursor }
    }

    fn cursor(&self, key: i64) -> String {
        let key = key.to_be_bytes();
        let mut bytes = vec![VERSION];
        bytes.extend(&self.seal.clone().chain_update(key).finalize().into_bytes()[..TAG]);
        bytes.extend(key);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }
}

/// The error for a cursor that leads nowhere.
pub fn misfit() -> Error {
    Error::invalid("`cursor` does not belong to this listing")
        .hint("repeat the call with the same filters, or start again without a cursor")
        .detail("field", "cursor")
        .reason("invalid_cursor")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(name: &str) -> Listing {
        Listing::sealed(b"key", name.as_bytes())
    }

    #[test]
    fn a_cursor_leads_back_to_its_key_in_its_own_listing_only() {
        let cursor = listing("a").cursor(42);
        assert_eq!(listing("a").key(Some(&cursor)).unwrap(), Some(42));
        assert!(listing("b").key(Some(&cursor)).is_err());
        assert!(Listing::sealed(b"other", b"a").key(Some(&cursor)).is_err(), "another file's");
        for broken in ["", "!", "AAAA", &cursor[1..], &format!("{cursor}A")] {
            assert!(listing("a").key(Some(broken)).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_page_ends_at_its_limit_or_its_size() {
        let by_limit = listing("a").page(vec![1, 2, 3], 2, |key| *key, |_| 1);
        assert_eq!((by_limit.rows, by_limit.next_cursor.is_some()), (vec![1, 2], true));
        let last = listing("a").page(vec![1, 2], 2, |key| *key, |_| 1);
        assert_eq!((last.rows, last.next_cursor), (vec![1, 2], None));
        let by_size = listing("a").page(vec![1, 2, 3], 3, |key| *key, |_| MOST_BYTES / 2);
        assert_eq!((by_size.rows, by_size.next_cursor.is_some()), (vec![1, 2], true));
        let huge = listing("a").page(vec![1, 2], 2, |key| *key, |_| MOST_BYTES * 2);
        assert_eq!(huge.rows, [1], "one row always fits, or nobody could go on");
    }
}
