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
