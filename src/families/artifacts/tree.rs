//! The documents of a project as a tree: each below the nearest of its parents that is known.

use std::collections::{HashMap, HashSet};

use super::kinds::BUILT_IN;
use super::store::{self, Artifact, Filter};
use crate::db::ReadTx;
use crate::error::Result;
use crate::id::ArtifactId;

/// So many rows are read at once.
const PAGE: i64 = 500;
/// Types whose documents may stand for themselves.
const FIRST: [&str; 5] = ["product_vision", "initiative", "epic", "adr", super::kinds::RESEARCH];

/// A document with what was made of it.
#[derive(Clone, Debug)]
pub struct Node {
    pub artifact: Artifact,
    /// What it says its parents are, the nearest first.
    pub parents: Vec<String>,
    pub children: Vec<Node>,
}

/// All of a project's documents, each of them once.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    pub roots: Vec<Node>,
    /// Documents whose parents are not known, or that should name one and do not.
    pub orphans: Vec<Node>,
}

/// The latest version of every document of a project.
pub fn read(tx: &ReadTx<'_>, project: &str) -> Result<Forest> {
    let mut nodes = Vec::new();
    let mut after = 0;
    loop {
        let filter = Filter { project, kind: None, status: None, parent: None, after, limit: PAGE };
        let page = store::page(tx, &filter)?;
        let Some(last) = page.last() else { return Ok(Forest::grow(nodes)) };
        after = last.seq;
        for artifact in page {
            let parents = store::parents(tx, artifact.seq)?;
            nodes.push(Node { artifact, parents, children: Vec::new() });
        }
    }
}

impl Forest {
    /// Puts every document below its nearest parent. A parent is always of an earlier type, so
    /// nobody can be an ancestor of themselves.
    fn grow(mut nodes: Vec<Node>) -> Self {
        nodes.sort_by_cached_key(|node| place_of(&node.artifact));
        let known: HashSet<String> = nodes.iter().map(|node| node.artifact.artifact_id.clone()).collect();
        let mut forest = Forest::default();
        let mut below: HashMap<String, Vec<Node>> = HashMap::new();
        let mut tops = Vec::new();
        for node in nodes {
            match node.parents.iter().find(|parent| known.contains(*parent)) {
                Some(parent) => below.entry(parent.clone()).or_default().push(node),
                None => tops.push(node),
            }
        }
        for mut node in tops {
            node.gather(&mut below);
            let stands_alone = node.parents.is_empty() && may_come_first(&node.artifact.kind);
            if stands_alone { forest.roots.push(node) } else { forest.orphans.push(node) }
        }
        forest
    }

    /// The part of the tree below one document.
    pub fn find(self, artifact_id: &str) -> Option<Node> {
        self.roots.into_iter().chain(self.orphans).find_map(|node| node.find(artifact_id))
    }

    /// Every document, from above.
    pub fn every(&self) -> impl Iterator<Item = &Node> {
        self.roots.iter().chain(&self.orphans).flat_map(Node::every)
    }
}

impl Node {
    fn gather(&mut self, below: &mut HashMap<String, Vec<Node>>) {
        self.children = below.remove(&self.artifact.artifact_id).unwrap_or_default();
        self.children.iter_mut().for_each(|child| child.gather(below));
    }

    fn find(self, artifact_id: &str) -> Option<Node> {
        if self.artifact.artifact_id == artifact_id {
            return Some(self);
        }
        self.children.into_iter().find_map(|child| child.find(artifact_id))
    }

    /// This document and everything below it.
    pub fn every(&self) -> Box<dyn Iterator<Item = &Node> + '_> {
        Box::new(std::iter::once(self).chain(self.children.iter().flat_map(Node::every)))
    }
}

/// The order of a project's life, then that of the numbers.
fn place_of(artifact: &Artifact) -> (usize, Option<i64>, String) {
    let kind = BUILT_IN.iter().position(|kind| kind.type_name() == artifact.kind);
    let number = ArtifactId::parse(&artifact.artifact_id).map(|id| id.number);
    (kind.unwrap_or(BUILT_IN.len()), number, artifact.artifact_id.clone())
}

fn may_come_first(kind: &str) -> bool {
    FIRST.contains(&kind) || !BUILT_IN.iter().any(|known| known.type_name() == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    fn node(artifact_id: &str, kind: &str, parents: &[&str]) -> Node {
        let artifact = Artifact {
            seq: 0,
            project_id: "shop".to_owned(),
            artifact_id: artifact_id.to_owned(),
            kind: kind.to_owned(),
            version: 1,
            title: "T".to_owned(),
            status: "Draft".to_owned(),
            base: String::new(),
            path: String::new(),
            sha256: String::new(),
            size_bytes: 0,
            modified_ns: 0,
            approval: None,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        };
        Node { artifact, parents: parents.iter().map(ToString::to_string).collect(), children: Vec::new() }
    }

    fn drawn(nodes: &[Node]) -> String {
        let one = |node: &Node| match drawn(&node.children) {
            below if below.is_empty() => node.artifact.artifact_id.clone(),
            below => format!("{}({below})", node.artifact.artifact_id),
        };
        nodes.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn everybody_hangs_below_the_nearest_parent_there_is() {
        let forest = Forest::grow(vec![
            node("US-1000", "backlog_story", &["HLS-001", "PRD-001"]),
            node("US-002", "backlog_story", &["HLS-001", "PRD-001"]),
            node("US-003", "backlog_story", &["HLS-009", "PRD-001"]),
            node("US-004", "backlog_story", &["HLS-009"]),
            node("US-005", "backlog_story", &[]),
            node("HLS-001", "hls", &["PRD-001", "EPIC-001"]),
            node("PRD-001", "prd", &["EPIC-001"]),
            node("EPIC-001", "epic", &["INIT-001", "VIS-001"]),
            node("VIS-001", "product_vision", &[]),
            node("MEMO-001", "memo", &[]),
        ]);
        assert_eq!(
            drawn(&forest.roots),
            "VIS-001(EPIC-001(PRD-001(HLS-001(US-002 US-1000) US-003))) MEMO-001"
        );
        assert_eq!(drawn(&forest.orphans), "US-004 US-005");
        assert_eq!(forest.every().count(), 10);
        assert_eq!(drawn(&[forest.clone().find("HLS-001").unwrap()]), "HLS-001(US-002 US-1000)");
        assert!(forest.find("HLS-009").is_none());
    }
}
