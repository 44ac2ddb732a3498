//! Who an answer comes from: asked for in a session, shown in its decision.

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provenance {
    Person,
    Agent,
    Detected,
    Default,
}

impl Provenance {
    pub const ALL: [Self; 4] = [Self::Person, Self::Agent, Self::Detected, Self::Default];

    pub fn word(self) -> &'static str {
        match self {
            Provenance::Person => "person",
            Provenance::Agent => "agent",
            Provenance::Detected => "detected",
            Provenance::Default => "default",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provenance| provenance.word() == word)
    }
}
