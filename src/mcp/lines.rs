//! One message a line, of a bounded size.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use super::oversized::IdScan;

/// The largest message that is read.
pub(super) const LARGEST: usize = 16 * 1024 * 1024;

pub(super) enum Line {
    Text(Vec<u8>),
    /// More than [`LARGEST`]; the id it carries, if it has one.
    TooLarge(Option<Value>),
    End,
}

/// Reads lines. A read may be given up half-way and begun again: what was read is kept here.
#[derive(Debug)]
pub(super) struct Lines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    too_large: Option<IdScan>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub fn new(read: R) -> Self {
        Lines { read: BufReader::new(read), line: Vec::new(), too_large: None }
    }

    pub async fn next(&mut self) -> io::Result<Line> {
        loop {
            let available = self.read.fill_buf().await?;
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = &available[..newline.map_or(available.len(), |at| at + 1)];
            let used = taken.len();
            if let Some(scan) = &mut self.too_large {
                scan.feed(taken);
            } else if self.line.len() + used > LARGEST {
                let mut scan = IdScan::default();
                scan.feed(&self.line);
                scan.feed(taken);
                self.line = Vec::new();
                self.too_large = Some(scan);
            } else {
                self.line.extend_from_slice(taken);
            }
            self.read.consume(used);
            // The last line need not end with a newline.
            if newline.is_some() || used == 0 {
                return Ok(self.taken(used == 0));
            }
        }
    }

    fn taken(&mut self, at_end: bool) -> Line {
        match self.too_large.take() {
            Some(scan) => Line::TooLarge(scan.id()),
            None if at_end && self.line.is_empty() => Line::End,
            None => Line::Text(std::mem::take(&mut self.line)),
        }
    }
}
