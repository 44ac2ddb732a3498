-- docs: what lies in the documents' folders of repositories, as it was when somebody last looked: to
-- search in it, to tell listeners what has changed, and to notice when a document that must not
-- change has changed. The files are the truth; a row that differs from its file is looked at again.

CREATE TABLE documents (
    doc              INTEGER PRIMARY KEY AUTOINCREMENT,
    root             TEXT NOT NULL,
    -- Below the root, or absolute for a document that is kept elsewhere.
    path             TEXT NOT NULL,
    kind             TEXT NOT NULL CHECK (kind IN ('adr', 'task', 'artifact', 'state')),
    -- The UID or the artifact's ID; empty where a document has none.
    id               TEXT NOT NULL,
    title            TEXT NOT NULL,
    uri              TEXT,
    body             TEXT NOT NULL,
    sha256           TEXT NOT NULL,
    -- Size and times of the file; empty if it has to be looked at in any case.
    stamp            TEXT NOT NULL,
    -- A file that is gone leaves its row: it may come back, with other bytes.
    present          INTEGER NOT NULL CHECK (present IN (0, 1)),
    -- The bytes a document must keep, and its text once it has others.
    recorded_sha256  TEXT,
    recorded         TEXT,
    tampered_at      INTEGER,
    -- Counts the changes below a root, and those that brought or took a row.
    change           INTEGER NOT NULL,
    listed_change    INTEGER NOT NULL,
    UNIQUE (root, path)
) STRICT;
CREATE INDEX documents_by_change ON documents (root, change);
-- By change as well, so that nobody looks for an ID by walking through all changes.
CREATE INDEX documents_by_id ON documents (root, id, change);
CREATE INDEX documents_tampered ON documents (root, doc) WHERE tampered_at IS NOT NULL;

CREATE VIRTUAL TABLE documents_text USING fts5 (
    title, body, content = 'documents', content_rowid = 'doc', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER documents_come AFTER INSERT ON documents WHEN new.present = 1 BEGIN
    INSERT INTO documents_text (rowid, title, body) VALUES (new.doc, new.title, new.body);
END;
CREATE TRIGGER documents_go AFTER DELETE ON documents WHEN old.present = 1 BEGIN
    INSERT INTO documents_text (documents_text, rowid, title, body) VALUES ('delete', old.doc, old.title, old.body);
END;
-- One trigger, because nobody promises the order of two.
CREATE TRIGGER documents_change AFTER UPDATE OF title, body, present ON documents BEGIN
    INSERT INTO documents_text (documents_text, rowid, title, body)
        SELECT 'delete', old.doc, old.title, old.body WHERE old.present = 1;
    INSERT INTO documents_text (rowid, title, body) SELECT new.doc, new.title, new.body WHERE new.present = 1;
END;
