-- The whole schema, as it is after every migration. The migrations in src/db/migrations/ must add
-- up to this file; tests/schema.rs says so. Rows that a new file is born with stand there.

-- ==================== What no family owns ====================

-- What no family owns: people and their roles, the audit trail, number sequences, the file journal.

-- Everybody a connection can speak as. `manager` is a login that the directory need not list.
CREATE TABLE people (
    login       TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    email       TEXT NOT NULL,
    title       TEXT,
    department  TEXT,
    manager     TEXT,
    is_owner    INTEGER NOT NULL DEFAULT 0 CHECK (is_owner IN (0, 1)),
    employee_id TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX people_owner ON people (is_owner) WHERE is_owner = 1;
-- Every row of an import looks for the login its employee had before.
CREATE INDEX people_by_employee ON people (employee_id);

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
    run_us          INTEGER NOT NULL,
    -- What a person decided, how, and about which rows: JSON, ids only.
    receipt         TEXT
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

-- What must wait for a person: destructive writes with the card that is shown for them, and the PINs that
-- prove a person. And what the business families share: departments, the employee behind a login, where
-- the data came from, and the key that seals cursors.

CREATE TABLE departments (
    code  TEXT PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE COLLATE NOCASE
) STRICT, WITHOUT ROWID;

-- Random keys that never leave the file.
CREATE TABLE secrets (
    name   TEXT PRIMARY KEY,
    value  BLOB NOT NULL
) STRICT, WITHOUT ROWID;

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

-- ==================== ids ====================

-- ids: reservations, and the types a project has added. The sequences themselves are in 0001,
-- because queue tasks count with them too.

CREATE TABLE id_types (
    project_id  TEXT NOT NULL,
    prefix      TEXT NOT NULL,
    name        TEXT NOT NULL,
    PRIMARY KEY (project_id, prefix),
    UNIQUE (project_id, name)
) STRICT, WITHOUT ROWID;

-- An expired reservation stays as a tombstone: "expired" and "unknown" are different answers.
CREATE TABLE id_reservations (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    reservation_id  TEXT NOT NULL UNIQUE,
    project_id      TEXT NOT NULL,
    prefix          TEXT NOT NULL,
    first_number    INTEGER NOT NULL,
    count           INTEGER NOT NULL CHECK (count BETWEEN 1 AND 100),
    state           TEXT NOT NULL CHECK (state IN ('active', 'confirmed', 'expired', 'released')),
    reserved_at     INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL CHECK (expires_at > reserved_at),
    decided_at      INTEGER
) STRICT;
-- Every listing is a range of one of these.
CREATE INDEX id_reservations_by_project ON id_reservations (project_id, seq);
CREATE INDEX id_reservations_by_prefix ON id_reservations (project_id, prefix, seq);
CREATE INDEX id_reservations_by_state ON id_reservations (project_id, state, seq);
-- The sweep finds what is due without looking at anything else.
CREATE INDEX id_reservations_due ON id_reservations (expires_at) WHERE state = 'active';

-- ==================== tasks ====================

-- tasks: a project's queue, and personal to-dos. Two scopes, two tables: they share no column
-- that means the same.

CREATE TABLE queue_tasks (
    seq                INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id         TEXT NOT NULL,
    number             INTEGER NOT NULL,
    artifact_id        TEXT NOT NULL,
    generator          TEXT NOT NULL,
    status             TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed')),
    description        TEXT NOT NULL,
    correlation_id     TEXT,
    missing_mandatory  INTEGER NOT NULL CHECK (missing_mandatory IN (0, 1)),
    worker             TEXT,
    lease_minutes      INTEGER,
    lease_expires_at   INTEGER,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    started_at         INTEGER,
    completed_at       INTEGER,
    completion_notes   TEXT,
    UNIQUE (project_id, number)
) STRICT;
-- Every listing is a range of one of these, in the order of `seq`.
CREATE INDEX queue_tasks_by_project ON queue_tasks (project_id, seq);
CREATE INDEX queue_tasks_by_status ON queue_tasks (project_id, status, seq);
CREATE INDEX queue_tasks_by_artifact ON queue_tasks (project_id, artifact_id, seq);
CREATE INDEX queue_tasks_lacking ON queue_tasks (project_id, seq) WHERE missing_mandatory = 1;
-- An artifact has one open task at a time.
CREATE UNIQUE INDEX queue_tasks_open ON queue_tasks (project_id, artifact_id) WHERE status <> 'completed';
CREATE INDEX queue_tasks_leases ON queue_tasks (lease_expires_at) WHERE lease_expires_at IS NOT NULL;
CREATE INDEX queue_tasks_by_worker ON queue_tasks (worker) WHERE lease_expires_at IS NOT NULL;

-- Inputs are rows, not JSON, so that "depends on PRD-006" is an index range.
CREATE TABLE queue_inputs (
    task_seq        INTEGER NOT NULL REFERENCES queue_tasks (seq) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    project_id      TEXT NOT NULL,
    name            TEXT NOT NULL,
    classification  TEXT NOT NULL CHECK (classification IN ('mandatory', 'recommended', 'conditional')),
    artifact_type   TEXT NOT NULL,
    artifact_id     TEXT NOT NULL,
    resource_path   TEXT NOT NULL,
    resource_uri    TEXT NOT NULL,
    status          TEXT NOT NULL,
    PRIMARY KEY (task_seq, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX queue_inputs_by_artifact ON queue_inputs (project_id, artifact_id, task_seq);

-- What happened to a task, including what no caller asked for: a lease that ran out.
CREATE TABLE queue_events (
    id        INTEGER PRIMARY KEY,
    task_seq  INTEGER NOT NULL REFERENCES queue_tasks (seq) ON DELETE CASCADE,
    at        INTEGER NOT NULL,
    event     TEXT NOT NULL CHECK (event IN ('added', 'claimed', 'started', 'completed', 'lease_expired')),
    worker    TEXT
) STRICT;
CREATE INDEX queue_events_by_task ON queue_events (task_seq);

CREATE TABLE todos (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id       TEXT NOT NULL UNIQUE,
    user_id       TEXT NOT NULL,
    title         TEXT NOT NULL,
    description   TEXT,
    status        TEXT NOT NULL CHECK (status IN ('pending', 'completed')),
    priority      TEXT NOT NULL CHECK (priority IN ('High', 'Medium', 'Low')),
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    completed_at  INTEGER
) STRICT;
CREATE INDEX todos_by_user ON todos (user_id, seq);
CREATE INDEX todos_by_status ON todos (user_id, status, seq);

-- ==================== repositories ====================

-- Repositories a person has registered: the daemon looks after them, whichever client is connected.

CREATE TABLE repositories (
    root        TEXT PRIMARY KEY,
    project_id  TEXT NOT NULL,
    added_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- ==================== artifacts ====================

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

-- ==================== preflight ====================

-- preflight: clarification sessions. They are rows, so that a restart between two turns loses
-- nothing; what a session needs beyond its text and its answers is worked out anew at every turn.

CREATE TABLE preflight_sessions (
    session_id    TEXT PRIMARY KEY,
    root          TEXT NOT NULL,
    intention     TEXT NOT NULL,
    context       TEXT,
    force_adr     INTEGER NOT NULL CHECK (force_adr IN (0, 1)),
    -- JSON: the ids of the questions that were shown, and the answers by question id.
    asked         TEXT NOT NULL,
    answers       TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('open', 'completed')),
    created_at    INTEGER NOT NULL,
    touched_at    INTEGER NOT NULL,
    -- Counts the turns, so that two of them at once do not lose each other's answers.
    turn          INTEGER NOT NULL,
    -- JSON: the questions that a language model has proposed and that were found fit to be put.
    proposed      TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;
CREATE INDEX preflight_sessions_by_root ON preflight_sessions (root, state, touched_at);

-- ==================== docs ====================

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

-- ==================== hr ====================

-- hr: employees with the chain of managers above each, their reviews, their days off, and salaries that
-- take effect later. Money is in cents, days in hundredths.

CREATE TABLE grades (
    grade       TEXT PRIMARY KEY,
    min_salary  INTEGER NOT NULL,
    max_salary  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Nobody is ever taken out: whoever has left is not active.
CREATE TABLE employees (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    employee_id    TEXT NOT NULL UNIQUE,
    number         TEXT NOT NULL UNIQUE,
    login          TEXT UNIQUE,
    first_name     TEXT NOT NULL COLLATE NOCASE,
    last_name      TEXT NOT NULL COLLATE NOCASE,
    email          TEXT NOT NULL,
    phone          TEXT,
    department     TEXT NOT NULL REFERENCES departments (code),
    title          TEXT,
    manager        INTEGER REFERENCES employees (seq),
    grade          TEXT,
    hire_date      TEXT,
    salary         INTEGER,
    currency       TEXT NOT NULL DEFAULT 'USD',
    ssn            TEXT,
    location       TEXT,
    active         INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
    terminated_on  TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX employees_by_name ON employees (active, last_name, first_name);
CREATE INDEX employees_by_department ON employees (department, active, last_name, first_name);
CREATE INDEX employees_by_manager ON employees (manager, active, last_name, first_name);

-- Everybody above an employee, themselves at depth 0, in the order of the list: so a manager's page
-- costs what anybody's page costs. Derived from `employees.manager`; a cycle ends where it began. There are
-- as many rows as people times levels: no other index, and no reference that each would be checked against.
CREATE TABLE employee_chain (
    manager     INTEGER NOT NULL,
    active      INTEGER NOT NULL,
    last_name   TEXT NOT NULL COLLATE NOCASE,
    first_name  TEXT NOT NULL COLLATE NOCASE,
    employee    INTEGER NOT NULL,
    depth       INTEGER NOT NULL,
    department  TEXT NOT NULL,
    PRIMARY KEY (manager, active, last_name, first_name, employee)
) STRICT, WITHOUT ROWID;

CREATE TABLE reviews (
    seq                    INTEGER PRIMARY KEY AUTOINCREMENT,
    review_id              TEXT NOT NULL UNIQUE,
    employee               INTEGER NOT NULL REFERENCES employees (seq) ON DELETE CASCADE,
    reviewer               INTEGER REFERENCES employees (seq) ON DELETE SET NULL,
    period                 TEXT NOT NULL,
    due_date               TEXT NOT NULL,
    -- Empty until it was held.
    review_date            TEXT,
    -- Tenths.
    overall_rating         INTEGER CHECK (overall_rating BETWEEN 10 AND 50),
    goals_met              INTEGER CHECK (goals_met BETWEEN 0 AND 100),
    strengths              TEXT,
    areas_for_improvement  TEXT,
    comments               TEXT
) STRICT;
CREATE INDEX reviews_by_employee ON reviews (employee, due_date);
CREATE INDEX reviews_by_date ON reviews (due_date);
CREATE INDEX reviews_open ON reviews (due_date, employee) WHERE review_date IS NULL;
CREATE INDEX reviews_open_by_employee ON reviews (employee, due_date) WHERE review_date IS NULL;

CREATE TABLE time_off (
    employee     INTEGER NOT NULL REFERENCES employees (seq) ON DELETE CASCADE,
    year         INTEGER NOT NULL,
    type_code    TEXT NOT NULL,
    entitlement  INTEGER NOT NULL,
    used         INTEGER NOT NULL DEFAULT 0,
    pending      INTEGER NOT NULL DEFAULT 0,
    carryover    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (employee, year, type_code)
) STRICT, WITHOUT ROWID;

-- A confirmed salary that is not in force yet.
CREATE TABLE salary_changes (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    employee        INTEGER NOT NULL REFERENCES employees (seq) ON DELETE CASCADE,
    salary          INTEGER NOT NULL,
    effective_date  TEXT NOT NULL,
    due_at          INTEGER NOT NULL,
    reason          TEXT,
    ordered_by      TEXT NOT NULL,
    applied_at      INTEGER
) STRICT;
CREATE INDEX salary_changes_due ON salary_changes (due_at) WHERE applied_at IS NULL;
CREATE INDEX salary_changes_by_employee ON salary_changes (employee);

-- ==================== finance ====================

-- finance: budgets by department and quarter, invoices, expense reports with their items. Money is in
-- cents; people are named by the UUID of the employee, because other families' rows are not ours.

CREATE TABLE budgets (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    budget_id     TEXT NOT NULL UNIQUE,
    department    TEXT NOT NULL REFERENCES departments (code),
    fiscal_year   INTEGER NOT NULL,
    status        TEXT NOT NULL CHECK (status IN ('draft', 'submitted', 'approved', 'active', 'closed')),
    q1_allocated  INTEGER NOT NULL DEFAULT 0,
    q2_allocated  INTEGER NOT NULL DEFAULT 0,
    q3_allocated  INTEGER NOT NULL DEFAULT 0,
    q4_allocated  INTEGER NOT NULL DEFAULT 0,
    q1_spent      INTEGER NOT NULL DEFAULT 0,
    q2_spent      INTEGER NOT NULL DEFAULT 0,
    q3_spent      INTEGER NOT NULL DEFAULT 0,
    q4_spent      INTEGER NOT NULL DEFAULT 0,
    submitted_by  TEXT,
    submitted_at  INTEGER,
    approved_by   TEXT,
    approved_at   INTEGER,
    notes         TEXT,
    UNIQUE (department, fiscal_year)
) STRICT;
CREATE INDEX budgets_by_year ON budgets (fiscal_year, department);

-- In the order they came, which is the order of the list. A deleted one stays, out of sight.
CREATE TABLE invoices (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    invoice_id    TEXT NOT NULL UNIQUE,
    number        TEXT NOT NULL UNIQUE,
    vendor_name   TEXT NOT NULL,
    vendor_id     TEXT,
    amount        INTEGER NOT NULL,
    currency      TEXT NOT NULL DEFAULT 'USD',
    description   TEXT,
    department    TEXT NOT NULL REFERENCES departments (code),
    status        TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'paid', 'rejected')),
    invoice_date  TEXT NOT NULL,
    due_date      TEXT NOT NULL,
    paid_date     TEXT,
    submitted_by  TEXT,
    submitted_at  INTEGER,
    approved_by   TEXT,
    approved_at   INTEGER,
    deleted_at    INTEGER,
    deleted_by    TEXT,
    delete_reason TEXT
) STRICT;
CREATE INDEX invoices_by_status ON invoices (status, seq, due_date) WHERE deleted_at IS NULL;
CREATE INDEX invoices_by_department ON invoices (department, seq) WHERE deleted_at IS NULL;
CREATE INDEX invoices_by_department_and_status ON invoices (department, status, seq, due_date) WHERE deleted_at IS NULL;
-- Narrow, for looking at the matches of a search without touching the rows themselves.
CREATE INDEX invoices_narrow ON invoices (seq, status, department, due_date) WHERE deleted_at IS NULL;

-- Finds parts of names.
CREATE VIRTUAL TABLE invoices_vendors USING fts5 (
    vendor_name, content = 'invoices', content_rowid = 'seq', tokenize = 'trigram remove_diacritics 1'
);
CREATE TRIGGER invoices_come AFTER INSERT ON invoices BEGIN
    INSERT INTO invoices_vendors (rowid, vendor_name) VALUES (new.seq, new.vendor_name);
END;
CREATE TRIGGER invoices_go AFTER DELETE ON invoices BEGIN
    INSERT INTO invoices_vendors (invoices_vendors, rowid, vendor_name) VALUES ('delete', old.seq, old.vendor_name);
END;
CREATE TRIGGER invoices_change AFTER UPDATE OF vendor_name ON invoices BEGIN
    INSERT INTO invoices_vendors (invoices_vendors, rowid, vendor_name) VALUES ('delete', old.seq, old.vendor_name);
    INSERT INTO invoices_vendors (rowid, vendor_name) VALUES (new.seq, new.vendor_name);
END;

CREATE TABLE expense_reports (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    report_id     TEXT NOT NULL UNIQUE,
    number        TEXT NOT NULL UNIQUE,
    employee_id   TEXT NOT NULL,
    department    TEXT NOT NULL REFERENCES departments (code),
    title         TEXT NOT NULL,
    month         TEXT NOT NULL,
    status        TEXT NOT NULL CHECK (status IN ('draft', 'submitted', 'under_review', 'approved', 'rejected', 'reimbursed')),
    submitted_at  INTEGER,
    approved_by   TEXT,
    approved_at   INTEGER,
    notes         TEXT,
    UNIQUE (employee_id, month)
) STRICT;
CREATE TABLE expense_items (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    report        INTEGER NOT NULL REFERENCES expense_reports (seq) ON DELETE CASCADE,
    line          INTEGER NOT NULL,
    expense_date  TEXT NOT NULL,
    category      TEXT NOT NULL CHECK (category IN ('TRAVEL', 'MEALS', 'SUPPLIES', 'SOFTWARE', 'OTHER')),
    description   TEXT NOT NULL,
    vendor        TEXT,
    amount        INTEGER NOT NULL,
    UNIQUE (report, line)
) STRICT;

-- ==================== sales ====================

-- sales: customers, deals, and what each quarter is to bring. Money is in cents.

-- A deleted one stays, out of sight: its deals refer to it.
CREATE TABLE customers (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    customer_id     TEXT NOT NULL UNIQUE,
    name            TEXT NOT NULL,
    email           TEXT NOT NULL,
    company         TEXT,
    industry        TEXT,
    phone           TEXT,
    street          TEXT,
    city            TEXT,
    state           TEXT,
    zip             TEXT,
    country         TEXT,
    account_owner   TEXT,
    tier            TEXT CHECK (tier IN ('enterprise', 'business', 'startup', 'free')),
    annual_revenue  INTEGER,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    deleted_at      INTEGER,
    deleted_by      TEXT,
    delete_reason   TEXT
) STRICT;

CREATE TABLE deals (
    seq                  INTEGER PRIMARY KEY AUTOINCREMENT,
    deal_id              TEXT NOT NULL UNIQUE,
    customer             INTEGER NOT NULL REFERENCES customers (seq) ON DELETE CASCADE,
    deal_name            TEXT NOT NULL,
    value                INTEGER NOT NULL,
    currency             TEXT NOT NULL DEFAULT 'USD',
    stage                TEXT NOT NULL CHECK (stage IN ('PROSPECTING', 'DISCOVERY', 'QUALIFICATION', 'PROPOSAL',
                                                        'NEGOTIATION', 'CLOSED_WON', 'CLOSED_LOST')),
    probability          INTEGER NOT NULL CHECK (probability BETWEEN 0 AND 100),
    expected_close_date  TEXT NOT NULL,
    actual_close_date    TEXT,
    -- The e-mail address of whoever looks after it.
    owner                TEXT NOT NULL COLLATE NOCASE,
    notes                TEXT,
    loss_reason          TEXT,
    created_at           INTEGER NOT NULL,
    updated_at           INTEGER NOT NULL
) STRICT;
CREATE INDEX deals_by_stage ON deals (stage, seq);
CREATE INDEX deals_by_owner ON deals (owner, seq);
CREATE INDEX deals_by_value ON deals (value, seq);
CREATE INDEX deals_by_close_date ON deals (expected_close_date, seq);
CREATE INDEX deals_by_customer ON deals (customer, stage);

CREATE TABLE sales_targets (
    quarter  TEXT PRIMARY KEY,
    target   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- ==================== support ====================

-- support: tickets and articles, with an index of their words.

CREATE TABLE tickets (
    seq                INTEGER PRIMARY KEY AUTOINCREMENT,
    ticket_id          TEXT NOT NULL UNIQUE,
    subject            TEXT NOT NULL,
    description        TEXT NOT NULL,
    status             TEXT NOT NULL CHECK (status IN ('open', 'in_progress', 'pending', 'resolved', 'closed')),
    priority           TEXT NOT NULL CHECK (priority IN ('low', 'medium', 'high', 'critical')),
    customer_id        TEXT,
    customer_name      TEXT,
    customer_email     TEXT,
    assigned_to        TEXT,
    category           TEXT,
    -- JSON: a list of words.
    tags               TEXT NOT NULL DEFAULT '[]',
    -- The login of whoever opened it.
    created_by         TEXT NOT NULL,
    resolution         TEXT,
    resolution_type    TEXT,
    customer_notified  INTEGER,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    resolved_at        INTEGER,
    closed_at          INTEGER,
    closed_by          TEXT
) STRICT;
-- Narrow, for looking at the matches of a search without touching the rows themselves.
CREATE INDEX tickets_narrow ON tickets (seq, status, priority, customer_id);

-- Who opened a ticket is a word of it, too: so a search among one's own is a search for two words, and
-- nothing about it tells of anybody else's. Nobody's query reaches that column.
CREATE VIEW ticket_words AS
    SELECT seq, subject, description, 'by' || hex(created_by) AS opener FROM tickets;
CREATE VIRTUAL TABLE tickets_text USING fts5 (
    subject, description, opener, content = 'ticket_words', content_rowid = 'seq',
    tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER tickets_come AFTER INSERT ON tickets BEGIN
    INSERT INTO tickets_text (rowid, subject, description, opener)
        VALUES (new.seq, new.subject, new.description, 'by' || hex(new.created_by));
END;
CREATE TRIGGER tickets_go AFTER DELETE ON tickets BEGIN
    INSERT INTO tickets_text (tickets_text, rowid, subject, description, opener)
        VALUES ('delete', old.seq, old.subject, old.description, 'by' || hex(old.created_by));
END;
CREATE TRIGGER tickets_change AFTER UPDATE OF subject, description, created_by ON tickets BEGIN
    INSERT INTO tickets_text (tickets_text, rowid, subject, description, opener)
        VALUES ('delete', old.seq, old.subject, old.description, 'by' || hex(old.created_by));
    INSERT INTO tickets_text (rowid, subject, description, opener)
        VALUES (new.seq, new.subject, new.description, 'by' || hex(new.created_by));
END;

CREATE TABLE articles (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    article_id     TEXT NOT NULL UNIQUE,
    title          TEXT NOT NULL,
    content        TEXT NOT NULL,
    summary        TEXT NOT NULL DEFAULT '',
    category       TEXT,
    tags           TEXT NOT NULL DEFAULT '[]',
    author         TEXT,
    status         TEXT NOT NULL CHECK (status IN ('draft', 'published', 'archived')),
    view_count     INTEGER NOT NULL DEFAULT 0,
    helpful_votes  INTEGER NOT NULL DEFAULT 0,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;
-- Two indexes: what everybody may see has one of its own, so that no score tells of the others.
CREATE VIRTUAL TABLE articles_text USING fts5 (
    title, summary, content, content = 'articles', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE articles_published_text USING fts5 (
    title, summary, content, content = 'articles', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER articles_come AFTER INSERT ON articles BEGIN
    INSERT INTO articles_text (rowid, title, summary, content)
        VALUES (new.seq, new.title, new.summary, new.content);
    INSERT INTO articles_published_text (rowid, title, summary, content)
        SELECT new.seq, new.title, new.summary, new.content WHERE new.status = 'published';
END;
CREATE TRIGGER articles_go AFTER DELETE ON articles BEGIN
    INSERT INTO articles_text (articles_text, rowid, title, summary, content)
        VALUES ('delete', old.seq, old.title, old.summary, old.content);
    INSERT INTO articles_published_text (articles_published_text, rowid, title, summary, content)
        SELECT 'delete', old.seq, old.title, old.summary, old.content WHERE old.status = 'published';
END;
CREATE TRIGGER articles_change AFTER UPDATE OF title, summary, content, status ON articles BEGIN
    INSERT INTO articles_text (articles_text, rowid, title, summary, content)
        VALUES ('delete', old.seq, old.title, old.summary, old.content);
    INSERT INTO articles_text (rowid, title, summary, content)
        VALUES (new.seq, new.title, new.summary, new.content);
    INSERT INTO articles_published_text (articles_published_text, rowid, title, summary, content)
        SELECT 'delete', old.seq, old.title, old.summary, old.content WHERE old.status = 'published';
    INSERT INTO articles_published_text (rowid, title, summary, content)
        SELECT new.seq, new.title, new.summary, new.content WHERE new.status = 'published';
END;
