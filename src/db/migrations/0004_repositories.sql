-- Repositories a person has registered: the daemon looks after them, whichever client is connected.

CREATE TABLE repositories (
    root        TEXT PRIMARY KEY,
    project_id  TEXT NOT NULL,
    added_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
