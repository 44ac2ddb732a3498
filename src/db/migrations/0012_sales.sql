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
