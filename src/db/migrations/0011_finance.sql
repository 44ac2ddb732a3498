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
INSERT INTO invoices_vendors (invoices_vendors, rank) VALUES ('automerge', 0);
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
