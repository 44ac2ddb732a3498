//! Takes secrets out of what is sent to a model. Rather a word too many than one too few.

use std::sync::OnceLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::error::{Error, Result};

const HIDDEN: &str = "[redacted]";
/// Taking something out may bring other things together; so often at the most.
const MOST_ROUNDS: usize = 8;

/// Every pattern with what stands for it, in this order.
const PATTERNS: [(&str, &str); 15] = [
    // Private keys and certificates, whole or cut off.
    (r"(?s)-----BEGIN [A-Z0-9 ]+-----.*?(?:-----END [A-Z0-9 ]+-----|\z)", HIDDEN),
    // Credentials of an address, as in a connection string.
    (r#"://[^\s"'<>]*@"#, "://[redacted]@"),
    // JSON web tokens, also without their signature.
    (r"eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?", HIDDEN),
    // Keys of Anthropic, OpenAI, OpenRouter, Stripe.
    (r"(?i)[sr]k[-_](?:ant|proj|or|live|test|svcacct|admin)[-_][A-Za-z0-9_-]{4,}", HIDDEN),
    (r"sk-[A-Za-z0-9_-]{16,}", HIDDEN),
    // Keys that name their issuer: GitHub, GitLab, Slack, Google, npm, Hugging Face.
    (r"(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AIza|ya29\.|npm_|hf_)[A-Za-z0-9_-]{10,}", HIDDEN),
    // Access keys of AWS.
    (r"(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA|ABIA|ACCA)[A-Z0-9]{16}", HIDDEN),
    (r"(?i)(authorization\s*[:=]\s*)(?:[a-z]+\s+)?\S+", "${1}[redacted]"),
    (r"(?i)(bearer\s+)[A-Za-z0-9._~+/=-]{6,}", "${1}[redacted]"),
    // A name that says so, and its value; also as the member of a JSON text. A value that is itself
    // a name takes its own value along.
    (
        concat!(
            r#"(?i)((?:passw(?:or)?d|passphrase|passwort|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|"#,
            r#"credential)s?[\\"'`]*\s*(?:[:=]|\bis\b)=?>?\s*)"#,
            r#"(?:[^\s"'`]*[:=]\s+)*(?:\\?"[^"]*(?:"|\z)|'[^']*(?:'|\z)|`[^`]*(?:`|\z)|\S+)"#
        ),
        "${1}[redacted]",
    ),
    // The same in longer names: `DB_PASSWORD_PROD: x`, `AccountKey=x`.
    (
        concat!(
            r#"([A-Z0-9_]*(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY|CREDENTIAL)[A-Z0-9_]*[\\"'`]*\s*[:=]\s*"#,
            r#"|(?i:(?:passw(?:or)?d|pwd|secret|token|key|credential)\w*[\\"'`]*\s*=\s*)"#,
            r#"|(?i:\w[_-]key[\\"'`]*\s*:\s*))"#,
            r#"(?:[^\s"'`]*[:=]\s+)*(?:\\?"[^"]*(?:"|\z)|'[^']*(?:'|\z)|`[^`]*(?:`|\z)|\S+)"#
        ),
        "${1}[redacted]",
    ),
    (r#"(?i)(auth[\\"'`]*\s*=\s*)(?:"[^"]*"|'[^']*'|\S+)"#, "${1}[redacted]"),
    (r#"(?i)(auth[\\"'`]*\s*:\s*)\\?["'`][^"'`]*(?:["'`]|\z)"#, "${1}[redacted]"),
    (r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", HIDDEN),
    // Anything as long and as dense as a key; a secret key of AWS has 40 characters.
    (r"[A-Za-z0-9_/+=-]{40,}", HIDDEN),
];

/// Names whose values are secret whatever they look like.
const SECRET_NAMES: [&str; 10] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "key",
    "credential",
    "credentials",
    "pwd",
    "cookie",
];

/// A text without its secrets. Doing it twice changes nothing.
pub fn text(text: &str) -> Result<String> {
    let mut text = text.to_owned();
    for _ in 0..MOST_ROUNDS {
        let next = round(&text)?;
        if next == text {
            return Ok(text);
        }
        text = next;
    }
    Ok(HIDDEN.to_owned())
}

/// A tree without secrets, in names and in values.
pub fn value(tree: &Value) -> Result<Value> {
    Ok(match tree {
        Value::String(found) => Value::String(text(found)?),
        Value::Array(items) => Value::Array(items.iter().map(value).collect::<Result<_>>()?),
        Value::Object(members) => {
            let mut clean = Map::new();
            for (name, member) in members {
                let member = if names_a_secret(name) { Value::from(HIDDEN) } else { value(member)? };
                clean.insert(text(name)?, member);
            }
            Value::Object(clean)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => tree.clone(),
    })
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    let last = name.rsplit(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    SECRET_NAMES.contains(&last) || last == "apikey"
}

fn round(text: &str) -> Result<String> {
    let mut text = text.to_owned();
    for (pattern, instead) in patterns()? {
        text = pattern.replace_all(&text, *instead).into_owned();
    }
    Ok(text)
}

fn patterns() -> Result<&'static [(Regex, &'static str)]> {
    static COMPILED: OnceLock<Vec<(Regex, &'static str)>> = OnceLock::new();
    if let Some(compiled) = COMPILED.get() {
        return Ok(compiled);
    }
    let compiled: Vec<(Regex, &str)> = PATTERNS
        .into_iter()
        .map(|(pattern, instead)| Regex::new(pattern).map(|pattern| (pattern, instead)))
        .collect::<Result<_, _>>()
        .map_err(|error| Error::internal("a built-in pattern is broken").because(error))?;
    Ok(COMPILED.get_or_init(|| compiled))
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Text around a secret, and the part that must not be left of it.
    pub(crate) const PLANTED: [(&str, &str); 31] = [
        ("key sk-ant-api03-Zm9vYmFyLWJheg", "Zm9vYmFyLWJheg"),
        ("sk-proj-abcDEF123456", "abcDEF123456"),
        ("sk-0123456789abcdefABCDEF", "0123456789abcdef"),
        ("sk-or-v1-0a1b2c3d4e5f", "0a1b2c3d4e5f"),
        ("a 0123456789abcdef0123456789abcdef01234567 b", "0123456789abcdef"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJzdWIiOiIxIn0"),
        ("ask olivia.ops+test@shop.example.com first", "olivia.ops"),
        ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
        ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
        ("password = \"hunter2 and more\"", "hunter2 and"),
        ("Password: hunter2", "hunter2"),
        ("PASSWORD=hunter2", "hunter2"),
        ("the password is hunter2", "hunter2"),
        ("secret='hunter2'", "hunter2"),
        ("token: hunter2", "hunter2"),
        ("API_KEY=hunter2", "hunter2"),
        ("SECRET_KEY=hunter2", "hunter2"),
        ("DB_PASSWORD_PROD: hunter2", "hunter2"),
        ("signing_key: 'x hunter2'", "hunter2"),
        ("AccountName=shop;AccountKey=hunter2==;", "hunter2"),
        ("postgres://shop:p@hunter2/x@db.internal/shop", "hunter2"),
        ("apikey => 'hunter2'", "hunter2"),
        ("auth=hunter2", "hunter2"),
        (r#""auth": "x hunter2""#, "hunter2"),
        (r#"{\"db_password\": \"hunter2 x\"}"#, "hunter2"),
        ("Authorization: Basic aHVudGVyMg==", "aHVudGVyMg"),
        ("Bearer abc.def-123", "abc.def-123"),
        ("postgres://shop:hunter2@db.internal/shop", "hunter2"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "16C7e42F292c"),
    ];

    #[test]
    fn planted_secrets_of_every_kind_are_taken_out() {
        for (planted, secret) in PLANTED {
            let clean = text(planted).unwrap();
            assert!(clean.contains(HIDDEN) && !clean.contains(secret), "{planted} -> {clean}");
        }
    }

    #[test]
    fn a_name_in_the_place_of_a_value_takes_its_value_along() {
        for chain in
            ["MY_KEY : DB_PASSWORD_PROD: hunter2", "token: signing_key: 'x hunter2'", "A_KEY= B_KEY= hunter2"]
        {
            let clean = text(chain).unwrap();
            assert!(!clean.contains("hunter2"), "{chain} -> {clean}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for plain in [
            "Add OAuth login with Clerk, a token per session and API keys for partners",
            "Store the secret in Vault; passwords are hashed with argon2",
            "Use PostgreSQL 17 at https://db.example.com:5432/shop?ssl=true",
            "src/auth/login.rs, ADR 20261118T051234.994Z-A470, UUID 67e55044-10b1-426f-9247-bb680e5fe0c8",
            "Token_Storage: HttpOnly cookie",
            "Cache sessions by key, with a primary key per tenant; key: value pairs",
        ] {
            assert_eq!(text(plain).unwrap(), plain);
        }
    }

    #[test]
    fn a_name_that_says_so_hides_whatever_it_holds() {
        let tree = json!({
            "db_password": ["hunter2", 7], "Token_Storage": "HttpOnly cookie", "api-key": {"a": "b"},
            "note": ["mail olivia@shop.example"], "olivia@shop.example": true,
        });
        assert_eq!(
            value(&tree).unwrap(),
            json!({
                "db_password": HIDDEN, "Token_Storage": "HttpOnly cookie", "api-key": HIDDEN,
                "note": ["mail [redacted]"], "[redacted]": true,
            })
        );
    }

    proptest! {
        #[test]
        fn twice_is_once_and_no_surroundings_save_a_secret(
            parts in prop::collection::vec((any::<prop::sample::Index>(), "[\\PC\n\"'`=:]{0,12}"), 1..5)
        ) {
            let planted: Vec<(&str, &str)> = parts.iter().map(|(index, _)| *index.get(&PLANTED)).collect();
            let whole: String = parts.iter().zip(&planted).map(|((_, around), (text, _))| format!("{around} {text} ")).collect();
            let clean = text(&whole).unwrap();
            prop_assert_eq!(&text(&clean).unwrap(), &clean);
            for (_, secret) in planted {
                prop_assert!(!clean.contains(secret), "{} -> {}", whole, clean);
            }
        }

        #[test]
        fn any_text_can_be_redacted_twice(given in "\\PC{0,200}") {
            let clean = text(&given).unwrap();
            prop_assert_eq!(text(&clean).unwrap(), clean);
        }
    }
}
