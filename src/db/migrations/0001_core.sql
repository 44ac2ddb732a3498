-- What no family owns: people and their roles, the audit trail, number sequences, the file journal.

-- Everybody a connection can speak as. `manager` is a login that the directory need not list.
CREATE TABLE people (
    login       TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    email       TEXT NOT NULL,
    title       TEXT,
    department  TEXT,
    manager     TEXT,
    is_owner    INTEGER NOT NULL DEFAULT 0 CHECK (is_owner IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX people_owner ON people (is_owner) WHERE is_owner = 1;

CREATE TABLE person_roles (
    login  TEXT NOT NULL REFERENCES people (login) ON DELETE CASCADE,
    role   TEXT NOT NULL,
    PRIMARY KEY (login, role)
) STRICT, WITHOUT ROWID;

-- One row for every write, in the transaction of the write; append-only.
CREATE TABLE audit (
    id              INTEGER PRIMARY KEY,
    at              INTEGER NOT NULL,
    caller          TEXT NOT NULL,
    client          TEXT NOT NULL,
    tool            TEXT NOT NULL,
    outcome         TEXT NOT NULL,
    correlation_id  TEXT,
    run_us          INTEGER NOT NULL
) STRICT;

-- The last number handed out. It only ever grows: a number is never reused.
CREATE TABLE sequences (
    project_id     TEXT NOT NULL,
    prefix         TEXT NOT NULL,
    last_assigned  INTEGER NOT NULL CHECK (last_assigned >= 0),
    updated_at     INTEGER NOT NULL,
    PRIMARY KEY (project_id, prefix)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER sequences_never_fall BEFORE UPDATE OF last_assigned ON sequences
WHEN NEW.last_assigned < OLD.last_assigned
BEGIN
    SELECT RAISE(ABORT, 'a sequence never falls');
END;

-- Files that a committed transaction has promised to put in place.
CREATE TABLE journal (
    id          INTEGER PRIMARY KEY,
    operation   TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE TABLE journal_files (
    journal_id     INTEGER NOT NULL REFERENCES journal (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    target         TEXT NOT NULL,
    staged         TEXT NOT NULL,
    sha256_before  TEXT,
    sha256_after   TEXT NOT NULL,
    PRIMARY KEY (journal_id, position)
) STRICT, WITHOUT ROWID;

INSERT INTO people (login, name, email, title, department, manager) VALUES
    ('eve.thompson',   'Eve Thompson',   'eve.thompson@example.com',   'CEO',                 'Executive',        NULL),
    ('alice.chen',     'Alice Chen',     'alice.chen@example.com',     'VP of HR',            'Human Resources',  'james.wilson'),
    ('bob.martinez',   'Bob Martinez',   'bob.martinez@example.com',   'Finance Director',    'Finance',          'michael.roberts'),
    ('carol.johnson',  'Carol Johnson',  'carol.johnson@example.com',  'VP of Sales',         'Sales',            'eve.thompson'),
    ('dan.williams',   'Dan Williams',   'dan.williams@example.com',   'Support Director',    'Customer Support', 'james.wilson'),
    ('nina.patel',     'Nina Patel',     'nina.patel@example.com',     'Engineering Manager', 'Engineering',      'alex.turner'),
    ('marcus.johnson', 'Marcus Johnson', 'marcus.johnson@example.com', 'Software Engineer',   'Engineering',      'nina.patel'),
    ('frank.davis',    'Frank Davis',    'frank.davis@example.com',    'IT Intern',           'IT',               'brian.adams');

INSERT INTO person_roles (login, role) SELECT login, 'employee' FROM people;
INSERT INTO person_roles (login, role) VALUES
    ('eve.thompson', 'executive'), ('eve.thompson', 'manager'),
    ('eve.thompson', 'hr-read'), ('eve.thompson', 'finance-read'),
    ('eve.thompson', 'sales-read'), ('eve.thompson', 'support-read'),
    ('alice.chen', 'hr-read'), ('alice.chen', 'hr-write'), ('alice.chen', 'manager'),
    ('bob.martinez', 'finance-read'), ('bob.martinez', 'finance-write'), ('bob.martinez', 'manager'),
    ('carol.johnson', 'sales-read'), ('carol.johnson', 'sales-write'), ('carol.johnson', 'manager'),
    ('dan.williams', 'support-read'), ('dan.williams', 'manager'),
    ('nina.patel', 'manager');
