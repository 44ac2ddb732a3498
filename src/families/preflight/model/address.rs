//! The address of a provider, taken apart as far as safety needs it.

use std::net::{Ipv4Addr, Ipv6Addr};

/// An `http` or `https` address without credentials, query and fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// `https://host:port`
    origin: String,
    /// Without the slash at its end.
    path: String,
    pub is_encrypted: bool,
    /// Whether it can only be on this machine.
    pub is_loopback: bool,
}

impl Address {
    /// Takes an address apart; whatever could be read in two ways is refused.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let (scheme, rest) = text.split_once("://").ok_or("is no URL")?;
        let is_encrypted = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err("is neither an http nor an https URL"),
        };
        let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if authority.contains('@') {
            return Err("holds credentials");
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "/._-~%".contains(c);
        if !path.chars().all(plain) {
            return Err("has a path with more than letters, digits and `/._-~%`");
        }
        let host = host(authority).ok_or("has no usable host")?;
        let scheme = if is_encrypted { "https" } else { "http" };
        Ok(Address {
            origin: format!("{scheme}://{authority}"),
            path: path.trim_end_matches('/').to_owned(),
            is_encrypted,
            is_loopback: is_loopback(host),
        })
    }

    /// The place of chat completions below an address, which may name the version or leave it out.
    pub fn chat_completions(&self) -> String {
        let Address { origin, path, .. } = self;
        match path.rsplit('/').next() {
            Some("completions") => format!("{origin}{path}"),
            Some("v1") => format!("{origin}{path}/chat/completions"),
            _ => format!("{origin}{path}/v1/chat/completions"),
        }
    }

    /// The place of messages below an address.
    pub fn messages(&self) -> String {
        format!("{}{}/v1/messages", self.origin, self.path.trim_end_matches("/v1"))
    }
}

/// The host of `host`, `host:port` or `[v6]:port`.
fn host(authority: &str) -> Option<&str> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(inner) => {
            let (host, rest) = inner.split_once(']')?;
            host.parse::<Ipv6Addr>().ok()?;
            (host, rest)
        }
        None => {
            let (host, rest) = authority.find(':').map_or((authority, ""), |at| authority.split_at(at));
            let named = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '_';
            (!host.is_empty() && host.chars().all(named)).then_some((host, rest))?
        }
    };
    let port = rest.strip_prefix(':');
    let fits = rest.is_empty() || port.is_some_and(|port| port.parse::<u16>().is_ok());
    fits.then_some(host)
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
        || host.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_this_machine_is_told_from_what_only_looks_like_it() {
        for near in
            ["http://localhost:11434", "http://127.0.0.1", "http://127.9.9.9:1/v1", "http://[::1]:8080/"]
        {
            assert!(Address::parse(near).unwrap().is_loopback, "{near}");
        }
        for far in
            ["http://localhost.example.com", "http://127.0.0.1.nip.io", "http://[fe80::1]", "https://x"]
        {
            assert!(!Address::parse(far).unwrap().is_loopback, "{far}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        for wrong in [
            "localhost:11434",
            "ftp://localhost",
            "http://",
            "http://:80",
            "http://user:pass@localhost",
            "http://localhost@evil.example",
            "http://localhost\\@evil.example",
            "http://localhost:99999",
            "http://local host",
            "http://[::1",
            "http://localhost/v1?key=abc",
            "http://localhost/v1#x",
            "http://127.0.0.1\n",
        ] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_version_may_be_left_out() {
        for (base, expected) in [
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"),
            ("HTTPS://h/api/v1", "https://h/api/v1/chat/completions"),
            ("https://h/x/chat/completions", "https://h/x/chat/completions"),
        ] {
            assert_eq!(Address::parse(base).unwrap().chat_completions(), expected);
        }
        assert_eq!(Address::parse("http://[::1]:7/v1").unwrap().messages(), "http://[::1]:7/v1/messages");
    }
}
