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
    turn          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX preflight_sessions_by_root ON preflight_sessions (root, state, touched_at);
