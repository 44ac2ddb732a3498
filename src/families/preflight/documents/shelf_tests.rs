use std::fs;

use super::*;
use crate::families::preflight::documents::adr::Provenance;
use crate::families::preflight::documents::decide::{Decided, Decision};
use crate::families::preflight::documents::library::read_folder;

const BY_HAND: &str = "## Architecture Snapshot\n### Database\n- Type: SQLite\n";

fn name(number: u32) -> String {
    format!("20260101T000000.000Z-{number:04X}_x.md")
}

struct Docs(tempfile::TempDir);

impl Docs {
    fn new() -> Self {
        let docs = Docs(tempfile::tempdir().unwrap());
        fs::create_dir_all(docs.path().join("adr")).unwrap();
        fs::create_dir_all(docs.path().join("archive/task")).unwrap();
        docs
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn put(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path().join(file), text).unwrap();
    }

    fn adr(&self, number: u32, text: &str) {
        self.put(&format!("adr/{}", name(number)), text);
    }
}

#[test]
fn a_folder_is_read_in_the_order_of_its_uids_and_tells_what_is_wrong() {
    let docs = Docs::new();
    docs.adr(2, "nothing of note");
    docs.adr(1, BY_HAND);
    docs.put("adr/20260101T000000.000Z-0001_y.md", BY_HAND);
    docs.put("adr/0001-old.md", BY_HAND);
    docs.put("adr/latin.md", b"\xff\xfe");
    docs.put("adr/large.md", vec![b'a'; 2 << 20]);
    docs.put("adr/.hidden.md", "x");
    docs.put("adr/readme.txt", "x");
    fs::create_dir(docs.path().join("adr/folder.md")).unwrap();
    docs.put("archive/task/20270101T000000.000Z-0001_t.md", "");
    let library = read_folder(docs.path());
    let files: Vec<&str> = library.adrs.iter().map(|adr| adr.file.as_str()).collect();
    assert_eq!(files, [name(1), "20260101T000000.000Z-0001_y.md".to_owned(), name(2)]);
    let problems: Vec<String> =
        library.problems.iter().map(|(file, problem)| format!("{file}: {problem}")).collect();
    assert_eq!(
        problems,
        [
            "0001-old.md: it has no UID, neither inside nor in its name",
            "20260101T000000.000Z-0001_y.md: its UID is also that of `20260101T000000.000Z-0001_x.md`",
            "20260101T000000.000Z-0002_x.md: it sets no value of the architecture",
            "large.md: it is too large to be a decision (2097152 bytes)",
            "latin.md: it is no UTF-8 text",
        ]
    );
    assert_eq!(library.highest.unwrap().as_str(), "20270101T000000.000Z-0001", "also of archived tasks");
    docs.put("CURRENT_TASK.md", "<!-- UID: 20280101T000000.000Z-0001 -->\n# T\n");
    assert_eq!(read_folder(docs.path()).highest.unwrap().as_str(), "20280101T000000.000Z-0001");
    docs.put("adr/20290101T000000.000Z-0001_broken.md", b"\xff");
    assert_eq!(read_folder(docs.path()).highest.unwrap().as_str(), "20290101T000000.000Z-0001");
}

#[test]
fn no_folder_is_an_empty_one() {
    let library = read_folder(Path::new("/nowhere/docs"));
    assert!(library.adrs.is_empty() && library.problems.is_empty() && library.highest.is_none());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (docs, elsewhere) = (Docs::new(), Docs::new());
    elsewhere.adr(1, BY_HAND);
    symlink(elsewhere.path().join("adr").join(name(1)), docs.path().join("adr").join(name(1))).unwrap();
    let library = read_folder(docs.path());
    assert!(library.adrs.is_empty());
    assert_eq!(library.problems, [(name(1), Problem::Link)]);
    fs::remove_dir_all(docs.path().join("adr")).unwrap();
    symlink(elsewhere.path().join("adr"), docs.path().join("adr")).unwrap();
    assert!(read_folder(docs.path()).adrs.is_empty());
}

#[test]
fn only_what_changed_is_read_again() {
    let docs = Docs::new();
    docs.adr(1, BY_HAND);
    docs.adr(3, "## Changes\n- Modified: Database.Type = MySQL (was: SQLite)\n");
    let mut shelf = Shelf::default();
    let first = shelf.read(docs.path());
    let state = shelf.state(&first);
    let second = shelf.read(docs.path());
    assert!(first.adrs.iter().zip(&second.adrs).all(|(a, b)| Arc::ptr_eq(a, b)));
    assert!(Arc::ptr_eq(&state, &shelf.state(&second)));
    // A new decision at the end, one in between, one that was edited, one that went away.
    docs.adr(4, "## Changes\n- Added: Database.ORM = diesel\n");
    let steps: [&dyn Fn(); 4] = [
        &|| (),
        &|| docs.adr(2, "## Changes\n- Added: Database.Pool = r2d2\n"),
        &|| docs.adr(3, "## Changes\n- Modified: Database.Type = Mongo (was: SQLite)\n"),
        &|| fs::remove_file(docs.path().join("adr").join(name(4))).unwrap(),
    ];
    for step in steps {
        step();
        let library = shelf.read(docs.path());
        let state = shelf.state(&library);
        assert_eq!(*state, fold(read_folder(docs.path()).adrs.iter().map(AsRef::as_ref)));
    }
    let library = shelf.read(docs.path());
    let state = shelf.state(&library);
    assert_eq!(state.value("Database", "Type").unwrap().text, "Mongo");
    assert_eq!(state.value("Database", "Pool").unwrap().text, "r2d2");
    assert_eq!(state.value("Database", "ORM"), None);
    assert_eq!(state.why("Database", "Type").len(), 2, "the edited one once");
}

#[test]
fn a_deleted_projection_loses_nothing_and_an_edited_one_means_nothing() {
    let docs = Docs::new();
    docs.adr(1, BY_HAND);
    docs.put("ARCHITECTURE_STATE.md", "<!-- UID: x -->\n## Categories\n### Database\n- **Type**: planted\n");
    let mut shelf = Shelf::default();
    let library = shelf.read(docs.path());
    let state = shelf.state(&library);
    assert_eq!(state.value("Database", "Type").unwrap().text, "SQLite");
    let decided = Decided {
        category: "Database".to_owned(),
        field: "ORM".to_owned(),
        value: "diesel".to_owned(),
        provenance: Provenance::Person,
    };
    let uid = Uid::next(crate::clock::Timestamp(0), library.highest.as_ref(), 7);
    let next = state.decide(Decision { values: vec![decided], ..Decision::default() }, uid).unwrap();
    assert_eq!(next.previous, library.highest);
    assert_eq!(next.snapshot["Database"]["Type"].text, "SQLite");
}
