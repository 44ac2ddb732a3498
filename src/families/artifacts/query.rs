//! The part of a URI behind its question mark.

use std::collections::BTreeMap;

use crate::error::{Error, Result, nearest};

/// Reads `type=prd&status=In%20Review`; an unknown name gets a hint.
pub fn parse(text: &str, known: &[&str]) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decode(name)?;
        if !known.contains(&name.as_str()) {
            let error = Error::invalid(format!("unknown parameter `{name}`")).detail("field", name.as_str());
            return Err(match nearest(&name, known.iter().copied()) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint(format!("the parameters are {}", known.join(", "))),
            });
        }
        found.insert(name, decode(value)?);
    }
    Ok(found)
}

fn decode(text: &str) -> Result<String> {
    let broken = || Error::invalid(format!("`{text}` is not percent-encoded UTF-8"));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
                let (high, low) = (digit(rest.next()), digit(rest.next()));
                let (Some(high), Some(low)) = (high, low) else { return Err(broken()) };
                u8::try_from(high * 16 + low).unwrap_or(b'?')
            }
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| broken())
}

/// A value as [`parse`] reads it back.
pub fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_reads_back() {
        for text in ["prd", "In Review", "a&b=c%", "Größe"] {
            let parsed = parse(&format!("status={}", encode(text)), &["status"]).unwrap();
            assert_eq!(parsed["status"], text);
        }
        assert_eq!(parse("status=In+Review&&", &["status"]).unwrap()["status"], "In Review");
        assert_eq!(parse("stauts=x", &["status"]).unwrap_err().hint_text(), Some("did you mean `status`?"));
        for broken in ["status=%", "status=%2", "status=%zz", "status=%ff"] {
            assert!(parse(broken, &["status"]).is_err(), "{broken}");
        }
    }
}
