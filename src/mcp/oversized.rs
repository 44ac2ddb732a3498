//! Finds the `id` of a message that is too large to be kept, while its bytes go by.
//!
//! Some clients write the id last, so looking at the beginning is not enough; and without the id
//! the client would wait for an answer that never comes.

/// An id longer than this is not answered.
const LONGEST: usize = 256;

/// Follows JSON just closely enough to see the top-level members.
#[derive(Debug, Default)]
pub(super) struct IdScan {
    depth: u32,
    in_text: bool,
    escaped: bool,
    /// The top-level text being read, or the one read last.
    text: Vec<u8>,
    /// Whether a value, not a name, comes next at the top level.
    after_colon: bool,
    /// The value of `id`, as far as it has been seen.
    id: Option<Vec<u8>>,
    taking: bool,
}

impl IdScan {
    pub fn feed(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.step(*byte));
    }

    /// The id as JSON, if there was one.
    pub fn id(&self) -> Option<serde_json::Value> {
        let id: serde_json::Value = serde_json::from_slice(self.id.as_deref()?).ok()?;
        (id.is_string() || id.is_number()).then_some(id)
    }

    fn step(&mut self, byte: u8) {
        if self.in_text {
            self.take(byte);
            if self.escaped {
                self.escaped = false;
            } else if byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                self.in_text = false;
                return;
            }
            if self.depth == 1 && self.text.len() < LONGEST {
                self.text.push(byte);
            }
            return;
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.taking = false;
            }
            b'"' => {
                self.take(byte);
                self.in_text = true;
                if self.depth == 1 && !self.after_colon {
                    self.text.clear();
                }
            }
            b':' if self.depth == 1 && !self.after_colon => {
                self.after_colon = true;
                if self.text == b"id" && self.id.is_none() {
                    self.id = Some(Vec::new());
                    self.taking = true;
                }
            }
            b',' if self.depth == 1 => {
                self.after_colon = false;
                self.taking = false;
            }
            other => self.take(other),
        }
    }

    fn take(&mut self, byte: u8) {
        if let Some(id) = self.id.as_mut().filter(|id| self.taking && id.len() < LONGEST) {
            id.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        let cases = [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"id":9}}"#, Some(json!(7))),
            (
                r#"{"method":"x","params":{"id":9,"t":"\",\"id\":8"},"jsonrpc":"2.0","id":"a-1"}"#,
                Some(json!("a-1")),
            ),
            (r#"{"method":"id","params":["id",{"id":1}], "id" : 12 }"#, Some(json!(12))),
            (r#"{"method":"x","note":"id","params":{}}"#, None),
            (r#"{"id":{"a":1}}"#, None),
            ("garbage", None),
        ];
        for (text, expected) in cases {
            let mut scan = IdScan::default();
            text.as_bytes().chunks(3).for_each(|chunk| scan.feed(chunk));
            assert_eq!(scan.id(), expected, "{text}");
        }
    }
}
