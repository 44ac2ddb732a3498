//! A tree of 10,000 documents put into the index, against reading the same bytes with the Markdown
//! parser alone on as many threads and the bare inserts.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use backoffice::clock::{Clock, Stopwatch};
use backoffice::db::{Db, Mode};
use backoffice::families::artifacts::import::{self, CHUNK, Who};
use backoffice::families::artifacts::kinds::Kinds;
use backoffice::paths::Home;
use pulldown_cmark::{Options, Parser};

use super::Outcome;
use super::bare::Bare;
use super::bare_artifacts::{Row, insert};
use super::cores::Placement;
use super::documents;
use super::report::{Budget, Report, say};
use super::rounds;
use super::site::{OWNER, PROJECT, Site};
use super::timings::{median, written};

const FEW: usize = 1_000;
const MANY: usize = 10_000;
const BYTES: usize = 5_000;
const IN_A_FOLDER: usize = 500;
const ROUNDS: usize = 5;
/// The short import is repeated, so that it is measured as well as the long one.
const REPEATED: usize = 3;

/// What a document took in one round, in microseconds.
#[derive(Debug)]
struct Each {
    /// In the tree with few documents.
    few: f64,
    many: Imported,
    bare: Imported,
}

#[derive(Clone, Copy, Debug)]
struct Imported {
    read: f64,
    whole: f64,
}

pub fn measure(site: &Site, report: &mut Report) -> Outcome<()> {
    say(&format!("        writing {} documents …", FEW + MANY));
    let (few, many) = (Tree::make(site, "few", FEW)?, Tree::make(site, "many", MANY)?);
    let mut homes = 0;
    let mut new_home = || {
        homes += 1;
        site.home(&format!("import-{homes}"))
    };
    let kept = rounds::run(&mut site.disk()?, Placement::Anywhere, ROUNDS, |round| {
        let mut of_few = Vec::new();
        for _ in 0..REPEATED {
            let home = new_home()?;
            of_few.push(round.durable(|| few.import(&home))?.whole);
        }
        let (home, bare) = (new_home()?, new_home()?);
        Ok(Each {
            few: median(of_few),
            many: round.durable(|| many.import(&home))?,
            bare: round.durable(|| many.insert(&bare, site))?,
        })
    })?;
    let of = |what: fn(&Each) -> f64| written(kept.median(what));
    let figures = format!(
        "{} a document, {} to read it; alone {}, {} to read it{}",
        of(|each| each.many.whole),
        of(|each| each.many.read),
        of(|each| each.bare.whole),
        of(|each| each.bare.read),
        kept.disk()
    );
    let ratio = kept.median(|each| each.many.whole / each.bare.whole);
    report.judge("import of 10,000 documents", Budget::AtMost(1.3, " × parser and inserts"), ratio, figures);
    let figures =
        format!("{} a document against {}{}", of(|each| each.many.whole), of(|each| each.few), kept.disk());
    let growth = kept.median(|each| each.many.whole / each.few);
    report.judge(
        "import of 10,000 documents",
        Budget::AtMost(1.2, " × a document of 1,000"),
        growth,
        figures,
    );
    Ok(())
}

/// Documents on the disk.
struct Tree {
    root: PathBuf,
    files: Vec<(String, PathBuf)>,
}

impl Tree {
    fn make(site: &Site, name: &str, count: usize) -> Outcome<Self> {
        let root = site.folder(name);
        let mut files = Vec::new();
        for number in 0..count {
            let folder = root.join(format!("backlog_stories/part_{}", number / IN_A_FOLDER));
            fs::create_dir_all(&folder)?;
            let id = format!("US-{:03}", number + 1);
            let file = folder.join(format!("{id}_pay_by_card_v1.md"));
            fs::write(&file, documents::story(&id, BYTES))?;
            files.push((id, file));
        }
        Ok(Tree { root, files })
    }

    /// As the command does it: reads all, then indexes in chunks, each its own commit.
    fn import(&self, home: &Home) -> Outcome<Imported> {
        let db = Db::open(&home.database(), Mode::Full, &Clock::System, OWNER)?;
        let who = Who { caller: OWNER.to_owned(), client: "cli".to_owned() };
        let base = self.root.to_str().ok_or("the folder is not Unicode")?.to_owned();
        let since = Stopwatch::start();
        let mut tree = import::read(&self.root, &Kinds::built_in(), &|_, _| {})?;
        let read = since.elapsed();
        let highest = tree.highest();
        while !tree.documents.is_empty() {
            let rest = tree.documents.split_off(tree.documents.len().min(CHUNK));
            let chunk = std::mem::replace(&mut tree.documents, rest);
            let (base, who, now) = (base.clone(), who.clone(), Clock::System.now());
            db.write(move |tx| import::index(tx, PROJECT, &base, &chunk, &who, now))?;
        }
        let now = Clock::System.now();
        db.write(move |tx| import::raise_counters(tx, PROJECT, &highest, now))?;
        Ok(self.each(read.as_secs_f64(), since.elapsed().as_secs_f64()))
    }

    /// The parser and the rows alone.
    fn insert(&self, home: &Home, site: &Site) -> Outcome<Imported> {
        let bare = Bare::open(&home.database(), &site.repository())?;
        let since = Stopwatch::start();
        let bytes = self.parse()?;
        let read = since.elapsed();
        for chunk in self.files.chunks(CHUNK) {
            bare.transaction(|now| {
                chunk.iter().try_for_each(|(id, _)| {
                    let row = Row { id, kind: "backlog_story", parents: &["HLS-001", "PRD-001"] };
                    insert(&bare, row, bytes / self.files.len(), "imported", now)
                })
            })?;
        }
        Ok(self.each(read.as_secs_f64(), since.elapsed().as_secs_f64()))
    }

    fn parse(&self) -> Outcome<usize> {
        let threads = std::thread::available_parallelism()?.get();
        std::thread::scope(|scope| {
            let shares = self.files.chunks(self.files.len().div_ceil(threads));
            let workers: Vec<_> = shares.map(|share| scope.spawn(move || parse_all(share))).collect();
            let parsed = workers.into_iter().map(|worker| worker.join().map_err(|_| "a parser panicked")?);
            parsed.sum()
        })
    }

    fn each(&self, read: f64, whole: f64) -> Imported {
        let each = |seconds: f64| seconds * 1e6 / self.files.len() as f64;
        Imported { read: each(read), whole: each(whole) }
    }
}

fn parse_all(files: &[(String, PathBuf)]) -> Outcome<usize> {
    let parse = |path: &Path| {
        let text = fs::read_to_string(path)?;
        black_box(Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter().count());
        Ok(text.len())
    };
    files.iter().map(|(_, path)| parse(path)).sum()
}
