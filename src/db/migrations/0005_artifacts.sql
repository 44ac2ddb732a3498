-- artifacts: an index of the documents, with what was approved and what was replaced. The files are
-- the truth; a row says where one lies, what it said when it was last looked at, and which bytes a
-- person has approved.

CREATE TABLE artifacts (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id        TEXT NOT NULL,
    artifact_id       TEXT NOT NULL,
    kind              TEXT NOT NULL,
    version           INTEGER NOT NULL CHECK (version >= 1),
    is_latest         INTEGER NOT NULL CHECK (is_latest IN (0, 1)),
    title             TEXT NOT NULL,
    status            TEXT NOT NULL,
    -- The folder the documents of a tree are named from, and the name below it.
    base              TEXT NOT NULL,
    path              TEXT NOT NULL,
    sha256            TEXT NOT NULL,
    size_bytes        INTEGER NOT NULL,
    modified_ns       INTEGER NOT NULL,
    approved_sha256   TEXT,
    approved_at       INTEGER,
    approved_by       TEXT,
    approved_through  TEXT,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    -- Counts every change of any row, so that whoever listens can ask what is new.
    change            INTEGER NOT NULL,
    -- The change that brought the row.
    created_change    INTEGER NOT NULL,
    UNIQUE (project_id, artifact_id, version)
) STRICT;
-- Every listing shows the latest versions and is a range of one of these.
CREATE INDEX artifacts_by_project ON artifacts (project_id, seq) WHERE is_latest = 1;
CREATE INDEX artifacts_by_kind ON artifacts (project_id, kind, seq) WHERE is_latest = 1;
CREATE INDEX artifacts_by_status ON artifacts (project_id, status, seq) WHERE is_latest = 1;
CREATE INDEX artifacts_by_kind_and_status ON artifacts (project_id, kind, status, seq) WHERE is_latest = 1;
CREATE UNIQUE INDEX artifacts_by_change ON artifacts (change);
CREATE INDEX artifacts_by_file ON artifacts (base, path);

-- All parents of a document, the nearest first.
CREATE TABLE artifact_parents (
    artifact_seq  INTEGER NOT NULL REFERENCES artifacts (seq) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    project_id    TEXT NOT NULL,
    parent_id     TEXT NOT NULL,
    PRIMARY KEY (artifact_seq, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_parents_by_parent ON artifact_parents (project_id, parent_id, artifact_seq);

-- What a document said before it was replaced or approved.
CREATE TABLE artifact_history (
    id            INTEGER PRIMARY KEY,
    artifact_seq  INTEGER NOT NULL REFERENCES artifacts (seq) ON DELETE CASCADE,
    at            INTEGER NOT NULL,
    event         TEXT NOT NULL CHECK (event IN ('stored', 'replaced', 'approved', 'imported', 'reindexed')),
    caller        TEXT NOT NULL,
    client        TEXT NOT NULL,
    status        TEXT NOT NULL,
    sha256        TEXT NOT NULL,
    content       TEXT
) STRICT;
CREATE INDEX artifact_history_by_artifact ON artifact_history (artifact_seq, id);

-- Numbers handed out one by one, of types whose number another document may ask for by name
-- (EPIC-006 claims PRD-006): a sequence alone does not tell a number that was given from one that
-- was skipped.
CREATE TABLE id_given (
    project_id  TEXT NOT NULL,
    prefix      TEXT NOT NULL,
    number      INTEGER NOT NULL,
    given_at    INTEGER NOT NULL,
    PRIMARY KEY (project_id, prefix, number)
) STRICT, WITHOUT ROWID;
