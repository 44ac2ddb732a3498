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
