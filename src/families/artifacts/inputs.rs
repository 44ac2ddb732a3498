//! What the generators of a document's parts need, found in the store.

use std::path::Path;

use super::kinds::{APPROVED, FINALIZED, Kind, Kinds};
use super::layout::{self, Layout};
use super::store::{self, Artifact, Filter};
use crate::db::ReadTx;
use crate::error::{Error, Result};
use crate::families::tasks::generators::Generator;
use crate::families::tasks::inputs::{Classification, Input};

/// How far up a document's parents are followed; the longest line there is has six generations.
const GENERATIONS: usize = 8;

/// Everything that inputs are found in.
#[derive(Debug)]
pub struct Sources<'a> {
    pub tx: &'a ReadTx<'a>,
    pub layout: &'a Layout,
    pub kinds: &'a Kinds,
    /// The document that is approved, and will be once this is done.
    pub subject: &'a Artifact,
    pub kind: &'a Kind,
    pub parents: &'a [String],
    /// What the document says it was informed by.
    pub informed_by: &'a [String],
}

/// The inputs of a generator, mandatory ones first, and what it would have liked as well.
pub fn resolve(
    sources: &Sources<'_>,
    generator: &Generator,
    part: &str,
) -> Result<(Vec<Input>, Vec<String>)> {
    let (mut inputs, mut warnings) = (Vec::new(), Vec::new());
    for group in &generator.mandatory {
        // The document itself before anything further up.
        let own = group.iter().find(|name| *name == sources.kind.name.as_ref());
        let found = own.into_iter().chain(group).find_map(|name| sources.find(name).transpose());
        let usual = group.first().map_or("", String::as_str);
        let Some(artifact) = found.transpose()? else {
            return Err(Error::conflict(format!("Mandatory input '{usual}' missing for task {part}"))
                .reason("mandatory_input_missing")
                .detail("input", usual)
                .hint("store and approve it first"));
        };
        inputs.push(sources.input(&artifact, Classification::Mandatory));
    }
    let wished = generator.recommended.iter().map(|name| (name, Classification::Recommended));
    let possible = generator.conditional.iter().map(|name| (name, Classification::Conditional));
    for (name, classification) in wished.chain(possible) {
        match sources.find(name)? {
            Some(artifact) => inputs.push(sources.input(&artifact, classification)),
            None if classification == Classification::Recommended => {
                warnings.push(format!("recommended input '{name}' was not found"));
            }
            None => {}
        }
    }
    Ok((inputs, warnings))
}

/// An artifact under the name a generator has for it.
struct Found {
    name: String,
    artifact: Artifact,
}

impl Sources<'_> {
    fn find(&self, name: &str) -> Result<Option<Found>> {
        let artifact = if name.ends_with("research") { self.research(name)? } else { self.document(name)? };
        Ok(artifact.map(|artifact| Found { name: name.to_owned(), artifact }))
    }

    /// The document itself, one of its ancestors, or a document that was made from it.
    fn document(&self, name: &str) -> Result<Option<Artifact>> {
        if self.kind.name == name {
            return Ok(Some(self.subject.clone()));
        }
        if self.kinds.named(name).is_none() {
            return Ok(None);
        }
        let project = &self.subject.project_id;
        let mut generation = self.parents.to_vec();
        for _ in 0..GENERATIONS {
            let mut above = Vec::new();
            for id in &generation {
                let Some(artifact) = store::find(self.tx, project, id, None)? else { continue };
                if artifact.kind == name && artifact.status == APPROVED {
                    return Ok(Some(artifact));
                }
                above.extend(store::parents(self.tx, artifact.seq)?);
            }
            generation = above;
        }
        let filter = Filter {
            project,
            kind: Some(name),
            status: Some(APPROVED),
            parent: Some(&self.subject.artifact_id),
            after: 0,
            limit: 1,
        };
        Ok(store::page(self.tx, &filter)?.into_iter().next())
    }

    /// The research the document names, else the project's own, else the newest; only if finalized.
    fn research(&self, name: &str) -> Result<Option<Artifact>> {
        let project = &self.subject.project_id;
        let all = store::research(self.tx, project)?;
        let fits = |artifact: &&Artifact| {
            artifact.status == FINALIZED && artifact.artifact_id.to_lowercase().contains(name)
        };
        let named = |artifact: &&Artifact| {
            self.informed_by.iter().any(|text| text.contains(artifact.artifact_id.as_str()))
        };
        let letters = |text: &str| text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "");
        let own = |artifact: &&Artifact| letters(&artifact.artifact_id).starts_with(&letters(project));
        let mut candidates = all.iter().filter(fits);
        let chosen = candidates
            .clone()
            .find(named)
            .or_else(|| candidates.clone().find(own))
            .or_else(|| candidates.next());
        Ok(chosen.cloned())
    }

    fn input(&self, found: &Found, classification: Classification) -> Input {
        let Found { name, artifact } = found;
        let research = name.ends_with("research");
        let file =
            self.layout.locate(artifact).unwrap_or_else(|_| Path::new(&artifact.base).join(&artifact.path));
        Input {
            name: name.clone(),
            classification,
            artifact_type: artifact.kind.clone(),
            artifact_id: if research { "N/A".to_owned() } else { artifact.artifact_id.clone() },
            resource_path: self.layout.shown(&file),
            mcp_resource_uri: layout::uri_of(artifact),
            status: artifact.status.clone(),
        }
    }
}
