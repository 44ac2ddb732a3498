//! The same work on documents with nothing around it: two files written beside their targets and
//! flushed, the statements, both files renamed and their folder flushed.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use backoffice::id::Ids;
use rusqlite::params;

use super::Outcome;
use super::bare::Bare;
use super::documents::{EPIC, RESEARCH};
use super::site::{OWNER, PROJECT};

/// As long as the real one.
const SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const CLIENT: &str = "mcp-12345-abcd";

/// Bare statements, and the folder of the files they speak of.
#[derive(Debug)]
pub struct Documents {
    bare: Bare,
    folder: PathBuf,
}

/// A document as a row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub id: &'a str,
    pub kind: &'a str,
    pub parents: &'a [&'a str],
}

/// A document and its side file, which replace their targets together.
#[derive(Debug)]
struct Pair {
    targets: [PathBuf; 2],
    staged: [PathBuf; 2],
}

impl Documents {
    pub fn below(folder: PathBuf, bare: Bare) -> Outcome<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Documents { bare, folder })
    }

    pub fn rest(&self) -> Outcome<()> {
        self.bare.rest()
    }

    /// A new document.
    pub fn store(&self, row: Row<'_>, text: &str) -> Outcome<()> {
        let files = Pair::stage(&self.folder, row.id, text)?;
        self.bare.write("store_artifact", |now| {
            insert(&self.bare, row, text.len(), "stored", now)?;
            self.raise(row.id.split('-').next().unwrap_or_default(), number_of(row.id), now)?;
            self.promise(&files, None, "store_artifact", now)
        })?;
        files.place()
    }

    /// A document whose parts get numbers and tasks.
    pub fn approve(&self, id: &str, parts: usize) -> Outcome<()> {
        let bare = &self.bare;
        let text = fs::read_to_string(self.folder.join(format!("{id}_v1.md")))?;
        let count = i64::try_from(parts)?;
        let reservation = Ids::Random.uuid();
        let mut first = 0;
        bare.transaction(|now| {
            first = bare.take_numbers("HLS", count, now)?;
            bare.insert_reservation(&reservation, first, count, now)
        })?;
        let files = Pair::stage(&self.folder, id, &text)?;
        bare.write("approve_artifact", |now| {
            let seq = self.known(id)?.ok_or("there is no such document")?;
            self.known(EPIC)?;
            self.replace(seq, now)?;
            bare.execute(
                "INSERT INTO artifact_history (artifact_seq, at, event, caller, client, status, sha256, content)
                 VALUES (?1, ?2, 'approved', ?3, ?4, 'Draft', ?5, ?6)",
                params![seq, now, OWNER, CLIENT, SHA256, text],
            )?;
            self.raise("HLS", first + count - 1, now)?;
            let names: Vec<String> = (first..first + count).map(|number| format!("HLS-{number:03}")).collect();
            self.enqueue(id, &names, now)?;
            bare.find("SELECT seq FROM id_reservations WHERE reservation_id = ?1", [&reservation])?;
            bare.execute(
                "UPDATE id_reservations SET state = 'confirmed', decided_at = ?2
                 WHERE reservation_id = ?1 AND state = 'active'",
                params![reservation, now],
            )?;
            self.promise(&files, Some(SHA256), "approve_artifact", now)
        })?;
        files.place()
    }

    /// The row of a document that is approved.
    fn replace(&self, seq: i64, now: i64) -> Outcome<()> {
        let change = next_change(&self.bare)?;
        self.bare.execute(
            "UPDATE artifacts SET kind = 'prd', title = 'Checkout for the shop', status = 'Approved', sha256 = ?2,
                 size_bytes = 20000, modified_ns = ?3, updated_at = ?3, change = ?4, approved_sha256 = ?2,
                 approved_at = ?3, approved_by = ?5, approved_through = ?6
             WHERE seq = ?1",
            params![seq, SHA256, now, change, OWNER, CLIENT],
        )?;
        self.bare.execute("DELETE FROM artifact_parents WHERE artifact_seq = ?1", [seq])?;
        insert_parents(&self.bare, seq, &[EPIC])
    }

    fn enqueue(&self, id: &str, names: &[String], now: i64) -> Outcome<()> {
        for name in names {
            self.bare.find(
                "SELECT 1 FROM queue_tasks WHERE project_id = ?1 AND artifact_id = ?2 AND status <> 'completed'",
                params![PROJECT, name],
            )?;
        }
        let file = format!("docs/artifacts/prds/{id}_v1.md");
        let [business, implementation] =
            RESEARCH.map(|(_, name)| format!("docs/artifacts/research/{name}.md"));
        let inputs = [
            ("prd", "mandatory", "prd", id, file.as_str(), "Approved"),
            ("business_research", "recommended", "research", "N/A", business.as_str(), "Finalized"),
            (
                "implementation_research",
                "recommended",
                "research",
                "N/A",
                implementation.as_str(),
                "Finalized",
            ),
        ];
        let first = self.bare.take_numbers("TASK", i64::try_from(names.len())?, now)?;
        (first..).zip(names).try_for_each(|(number, name)| self.bare.insert_task(number, name, &inputs, now))
    }

    /// The journal: these files are promised, and those of the call before are there.
    fn promise(&self, files: &Pair, before: Option<&str>, operation: &str, now: i64) -> Outcome<()> {
        let bare = &self.bare;
        bare.execute("DELETE FROM journal", [])?;
        bare.execute("INSERT INTO journal (operation, created_at) VALUES (?1, ?2)", params![operation, now])?;
        let id = bare.connection().last_insert_rowid();
        for (position, (target, staged)) in (0..).zip(files.targets.iter().zip(&files.staged)) {
            let (target, staged) = (target.to_string_lossy(), staged.to_string_lossy());
            bare.find("SELECT journal_id FROM journal_files WHERE target = ?1", [&target])?;
            bare.execute(
                "INSERT INTO journal_files (journal_id, position, target, staged, sha256_before, sha256_after)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![id, position, target, staged, before, SHA256],
            )?;
        }
        Ok(())
    }

    fn known(&self, id: &str) -> Outcome<Option<i64>> {
        self.bare.find(
            "SELECT seq, kind, status, base, path, sha256, approved_sha256 FROM artifacts
             WHERE project_id = ?1 AND artifact_id = ?2 ORDER BY version DESC LIMIT 1",
            params![PROJECT, id],
        )
    }

    fn raise(&self, prefix: &str, number: i64, now: i64) -> Outcome<()> {
        let last = self.bare.find(
            "SELECT last_assigned FROM sequences WHERE project_id = ?1 AND prefix = ?2",
            params![PROJECT, prefix],
        )?;
        if last.unwrap_or(0) < number {
            self.bare.take_numbers(prefix, number - last.unwrap_or(0), now)?;
        }
        Ok(())
    }
}

/// The rows of a new document.
pub fn insert(bare: &Bare, row: Row<'_>, bytes: usize, event: &str, now: i64) -> Outcome<()> {
    let Row { id, kind, parents } = row;
    bare.find(
        "SELECT seq FROM artifacts WHERE project_id = ?1 AND artifact_id = ?2 AND version = 1",
        params![PROJECT, id],
    )?;
    let change = next_change(bare)?;
    let path = format!("{kind}s/{id}_v1.md");
    bare.execute(
        "INSERT INTO artifacts (project_id, artifact_id, kind, version, is_latest, title, status, base,
             path, sha256, size_bytes, modified_ns, created_at, updated_at, change, created_change)
         VALUES (?1, ?2, ?3, 1, 1, 'Customers pay by card', 'Backlog', '/home/ann/shop/docs/artifacts', ?4, ?5, ?6,
             ?7, ?7, ?7, ?8, ?8)",
        params![PROJECT, id, kind, path, SHA256, i64::try_from(bytes)?, now, change],
    )?;
    let seq = bare.connection().last_insert_rowid();
    insert_parents(bare, seq, parents)?;
    bare.execute(
        "INSERT INTO artifact_history (artifact_seq, at, event, caller, client, status, sha256, content)
         VALUES (?1, ?2, ?3, ?4, ?5, 'Backlog', ?6, NULL)",
        params![seq, now, event, OWNER, CLIENT, SHA256],
    )
}

fn insert_parents(bare: &Bare, seq: i64, parents: &[&str]) -> Outcome<()> {
    (0..).zip(parents).try_for_each(|(position, parent)| {
        bare.execute(
            "INSERT INTO artifact_parents (artifact_seq, position, project_id, parent_id) VALUES (?1, ?2, ?3, ?4)",
            params![seq, position, PROJECT, parent],
        )
    })
}

fn next_change(bare: &Bare) -> Outcome<i64> {
    Ok(bare.find("SELECT max(change) FROM artifacts", [])?.unwrap_or(0) + 1)
}

fn number_of(id: &str) -> i64 {
    id.rsplit('-').next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

impl Pair {
    fn stage(folder: &Path, id: &str, text: &str) -> Outcome<Self> {
        let side = format!("{{ \"artifact_id\": \"{id}\", \"rest\": \"{}\" }}\n", "x".repeat(440));
        let names = [format!("{id}_v1.md"), format!("{id}_v1_metadata.json")];
        let targets = names.each_ref().map(|name| folder.join(name));
        let staged = names.map(|name| folder.join(format!(".{name}.0123456789abcdef.tmp")));
        for (path, bytes) in staged.iter().zip([text, &side]) {
            let mut file = File::create_new(path)?;
            file.write_all(bytes.as_bytes())?;
            file.sync_all()?;
        }
        Ok(Pair { targets, staged })
    }

    fn place(&self) -> Outcome<()> {
        for (staged, target) in self.staged.iter().zip(&self.targets) {
            fs::rename(staged, target)?;
        }
        let folder = self.targets[0].parent().ok_or("a file needs a folder")?;
        Ok(File::open(folder)?.sync_all()?)
    }
}
