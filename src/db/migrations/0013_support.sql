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
-- Merged in small steps when the writer is idle, so that no insert pays for it.
INSERT INTO tickets_text (tickets_text, rank) VALUES ('automerge', 0);
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
