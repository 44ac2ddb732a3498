//! Which decision knew which: the graph that tells a change of mind from two branches that disagree.

use std::collections::HashMap;

use crate::families::preflight::documents::adr::{Mark, Status};
use crate::families::preflight::documents::uid::Uid;

/// The decisions so far, each with all that it knew. What is known of the known is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lineage {
    nodes: Vec<Node>,
    by_uid: HashMap<Uid, Vec<usize>>,
    by_number: HashMap<u32, Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    uid: Uid,
    known: Bits,
    /// Whether its document was seen; of a lost one only others tell.
    seen: bool,
    status: Status,
}

/// A decision that has just come in.
#[derive(Debug)]
pub struct Entered {
    pub node: usize,
    /// Whether others had named it before.
    pub expected: bool,
}

impl Lineage {
    /// Adds a decision whose document was seen. A second document with the same UID is another decision.
    pub fn enter(&mut self, uid: &Uid, number: Option<u32>, status: Status) -> Entered {
        let named = self.by_uid.get(uid).cloned().unwrap_or_default();
        let expected = named.iter().copied().find(|node| !self.nodes[*node].seen);
        let node = match expected {
            Some(node) => node,
            None => self.add(uid),
        };
        (self.nodes[node].seen, self.nodes[node].status) = (true, status);
        if let Some(number) = number {
            self.by_number.entry(number).or_default().push(node);
        }
        // Whoever named the UID meant all that bear it.
        let twins = expected.is_none() && !named.is_empty();
        for other in 0..if twins { self.nodes.len() } else { 0 } {
            if other != node && named.iter().any(|twin| self.nodes[other].known.has(*twin)) {
                self.nodes[other].known.set(node);
            }
        }
        Entered { node, expected: expected.is_some() || twins }
    }

    fn add(&mut self, uid: &Uid) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node {
            uid: uid.clone(),
            known: Bits::default(),
            seen: false,
            status: Status::Accepted,
        });
        self.by_uid.entry(uid.clone()).or_default().push(node);
        node
    }

    /// Notes that a decision knew those that a mark means; a UID that nobody has seen yet gets its place.
    /// Numbers are given on every branch anew: one that two decisions bear names neither.
    pub fn learn_of(&mut self, node: usize, mark: &Mark) {
        let named = match mark {
            Mark::Uid(uid) => self.by_uid.get(uid),
            Mark::Number(number) => self.by_number.get(number).filter(|nodes| nodes.len() == 1),
        };
        match (named, mark) {
            // Mostly it is known already, by way of the previous one.
            (Some(named), _) if named.iter().all(|other| self.knows(node, *other)) => {}
            (Some(named), _) => named.clone().into_iter().for_each(|other| self.learn(node, other)),
            (None, Mark::Uid(uid)) => {
                let other = self.add(uid);
                self.learn(node, other);
            }
            (None, Mark::Number(_)) => {}
        }
    }

    /// The first decision with a UID.
    pub fn first(&self, uid: &Uid) -> Option<usize> {
        self.by_uid.get(uid)?.first().copied()
    }

    /// Notes that a decision knew another, and with it all that the other knew.
    pub fn learn(&mut self, node: usize, other: usize) {
        if node != other && !self.nodes[node].known.has(other) {
            let known = self.nodes[other].known.clone();
            let learning = &mut self.nodes[node].known;
            learning.unite(&known);
            learning.set(other);
        }
    }

    /// Passes on to all who know a decision what it has learnt since.
    pub fn spread(&mut self, node: usize) {
        let known = self.nodes[node].known.clone();
        for other in self.nodes.iter_mut().filter(|other| other.known.has(node)) {
            other.known.unite(&known);
        }
    }

    pub fn knows(&self, node: usize, other: usize) -> bool {
        self.nodes[node].known.has(other)
    }

    /// Whether a decision takes the place of another. If each knew the other, the later UID does.
    pub fn supersedes(&self, node: usize, other: usize) -> bool {
        self.knows(node, other) && (!self.knows(other, node) || self.place(node) > self.place(other))
    }

    /// The order of decisions: that of their UIDs.
    pub fn place(&self, node: usize) -> (&Uid, usize) {
        (&self.nodes[node].uid, node)
    }

    pub fn uid(&self, node: usize) -> &Uid {
        &self.nodes[node].uid
    }

    pub fn status(&self, node: usize) -> Status {
        self.nodes[node].status
    }

    pub fn is_seen(&self, node: usize) -> bool {
        self.nodes[node].seen
    }

    /// The decisions that none took the place of, in UID order: where the branches end.
    pub fn ends(&self) -> Vec<Uid> {
        let mut seen: Vec<usize> = (0..self.nodes.len()).filter(|node| self.nodes[*node].seen).collect();
        seen.sort_by_key(|node| std::cmp::Reverse(self.place(*node)));
        let mut ends: Vec<usize> = Vec::new();
        for node in seen {
            if !ends.iter().any(|end| self.supersedes(*end, node)) {
                ends.retain(|end| !self.supersedes(node, *end));
                ends.push(node);
            }
        }
        let mut uids: Vec<Uid> = ends.into_iter().map(|end| self.uid(end).clone()).collect();
        uids.sort();
        uids.dedup();
        uids
    }
}

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Bits(Vec<u64>);

impl Bits {
    fn set(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0)
    }

    fn unite(&mut self, other: &Bits) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }
}
