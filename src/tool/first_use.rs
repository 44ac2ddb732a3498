//! Data that comes into a file when somebody first asks for it.

use std::sync::atomic::Ordering;

use super::FirstUse;
use super::dispatch::Office;
use crate::error::Result;

impl Office {
    /// Does what a family wants done before its data is used; looked at once in a process.
    pub(super) fn begin(&self, first_use: FirstUse) -> Result<()> {
        if self.has_begun.load(Ordering::Acquire) || !self.may_write() {
            return Ok(());
        }
        if self.db.read(|tx| (first_use.is_due)(tx))? {
            let now = self.clock.now();
            // Another process may have been first meanwhile.
            self.db
                .write(move |tx| if (first_use.is_due)(tx)? { (first_use.run)(tx, now) } else { Ok(()) })?;
        }
        self.has_begun.store(true, Ordering::Release);
        Ok(())
    }

    /// The same before a person is looked for: who they are comes with that data.
    pub(super) fn begin_any(&self) -> Result<()> {
        match self.families().iter().find_map(|family| family.first_use) {
            Some(first_use) => self.begin(first_use),
            None => Ok(()),
        }
    }
}
