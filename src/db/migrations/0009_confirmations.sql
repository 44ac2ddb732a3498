-- What must wait for a person: destructive writes with the card that is shown for them, and the PINs that
-- prove a person. And what the business families share: departments, the employee behind a login, where
-- the data came from, and the key that seals cursors.

ALTER TABLE people ADD COLUMN employee_id TEXT;
-- Every row of an import looks for the login its employee had before.
CREATE INDEX people_by_employee ON people (employee_id);
-- What a person decided, how, and about which rows: JSON, ids only.
ALTER TABLE audit ADD COLUMN receipt TEXT;

CREATE TABLE departments (
    code  TEXT PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE COLLATE NOCASE
) STRICT, WITHOUT ROWID;

-- Random keys that never leave the file.
CREATE TABLE secrets (
    name   TEXT PRIMARY KEY,
    value  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO secrets (name, value) VALUES ('cursors', randomblob(32));

-- Where the business data came from. While there is no row, nobody has asked for any.
CREATE TABLE data_origins (
    origin  TEXT PRIMARY KEY CHECK (origin IN ('cleared', 'generated', 'imported', 'sample')),
    at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE confirmations (
    seq              INTEGER PRIMARY KEY AUTOINCREMENT,
    confirmation_id  TEXT NOT NULL UNIQUE,
    tool             TEXT NOT NULL,
    arguments        TEXT NOT NULL,
    caller           TEXT NOT NULL,
    client           TEXT NOT NULL,
    message          TEXT NOT NULL,
    -- JSON: what a person is shown, masked for the caller.
    card             TEXT NOT NULL,
    -- The ids of what would change: JSON.
    target           TEXT NOT NULL,
    -- The SHA-256 of the rows the card was made from.
    fingerprint      TEXT NOT NULL,
    -- One that has expired stays `pending`: the time tells.
    state            TEXT NOT NULL CHECK (state IN ('pending', 'executed', 'declined', 'failed')),
    created_at       INTEGER NOT NULL,
    expires_at       INTEGER NOT NULL,
    decided_at       INTEGER,
    decided_how      TEXT,
    result           TEXT,
    reason           TEXT,
    CHECK ((state = 'pending') = (decided_at IS NULL))
) STRICT;
CREATE INDEX confirmations_waiting ON confirmations (expires_at) WHERE state = 'pending';

-- A person's PIN, and how often it was guessed wrongly in a row. It outlives their entry in the directory:
-- nobody gets rid of it by taking a person out and bringing them back.
CREATE TABLE pins (
    login         TEXT PRIMARY KEY,
    hash          TEXT NOT NULL,
    failed        INTEGER NOT NULL DEFAULT 0,
    closed_until  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
