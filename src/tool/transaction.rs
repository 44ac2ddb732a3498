//! A call's transaction, as the writer runs it: sweep, run, audit.

use std::sync::atomic::Ordering;

use super::ErasedWrite;
use super::call::Call;
use super::cx::{ReadCx, WriteCx};
use super::dispatch::Cancelled;
use crate::db::{ReadTx, Work, WriteTx, audit};
use crate::error::{Error, Result};

pub(super) type HandBack = std::sync::mpsc::Sender<(Call, Box<dyn ErasedWrite>, Result<()>)>;

/// A call's transaction, as the writer runs it.
pub(super) struct Transaction {
    call: Call,
    write: Box<dyn ErasedWrite>,
    cancelled: Cancelled,
    /// Where the call goes on after the commit; without one it ends there.
    hand_back: Option<HandBack>,
}

impl Transaction {
    pub fn new(
        call: Call,
        write: Box<dyn ErasedWrite>,
        cancelled: Cancelled,
        hand_back: Option<HandBack>,
    ) -> Self {
        Transaction { call, write, cancelled, hand_back }
    }

    fn sweep(&self, tx: &WriteTx<'_>) -> Result<()> {
        let now = self.call.office.clock.now();
        match self.call.office.due(self.call.family, tx, now)? {
            Some(sweep) => (sweep.run)(tx, now),
            None => Ok(()),
        }
    }
}

impl Work for Transaction {
    fn run(&mut self, tx: &WriteTx<'_>) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Error::conflict("the call was cancelled before it began").reason("cancelled"));
        }
        self.sweep(tx)?;
        let (office, session) = (&self.call.office, &self.call.session);
        let now = office.clock.now();
        let read: &ReadTx<'_> = tx;
        let cx = WriteCx {
            read: ReadCx {
                tx: read,
                session,
                home: &office.home,
                now,
                tool: self.call.tool.name,
                cursor_key: office.cursor_key(),
            },
            write: tx,
            ids: &office.ids,
        };
        self.write.run(&cx)?;
        audit::append(tx, &self.call.entry("ok"))
    }

    fn failed(&mut self, tx: &WriteTx<'_>, error: &Error) -> Result<()> {
        // What had become due is due whether the call fails or not.
        self.sweep(tx)?;
        audit::append(tx, &self.call.entry(error.kind().word()))
    }

    fn done(self: Box<Self>, outcome: Result<()>) {
        let Transaction { call, write, hand_back, .. } = *self;
        match hand_back {
            Some(hand) => drop(hand.send((call, write, outcome))),
            None => call.end(outcome.and_then(|()| write.answer())),
        }
    }
}
