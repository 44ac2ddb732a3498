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
