//! backoffice: a per-user back office for AI agents. One binary, one SQLite file.
//!
//! # The map
//!
//! ```text
//! main.rs      the door
//! cli/         one file per command; the only layer that talks to people
//! daemon/      lock, local socket, bridge, sweeps by due time, the bus of changes, an eye on repositories
//! mcp/         the protocol, both eras; the only layer that names rmcp; nothing below it awaits
//! families/    desk/ artifacts/ docs/ finance/ hr/ ids/ preflight/ sales/ support/ tasks/: a folder each, one
//!              file per tool, all SQL in its store; joined.rs: where families meet that do not know each
//!              other; company.rs: their business data as a whole
//! tool/        what a tool is; dispatch: authorize → decode → prepare → transact → finish → render;
//!              follow: rows that follow files; ask: forms that a client shows to a person; confirm: writes
//!              that wait for a person; table: rows that people bring in files
//! db/          the file: one writer with group commit, query-only readers, migrations, journal,
//!              backup, a watch that wakes on commits
//! clock config error fault id identity logging money paths sample sensitive      leaves: they name no layer
//! ```
//!
//! Calls go down, never up. `tests/tidy.rs` keeps it so.
//!
//! # Invariants
//!
//! * A transaction that can write exists only on the writer's thread; a `ReadTool` gets one that cannot.
//! * A write and its audit row are one transaction; answers follow the commit.
//! * Numbers only grow: an ID handed out or reserved is never handed out again, also after a restore.
//! * The caller comes from the connection, never from arguments.
//! * Bounds that a schema publishes are enforced (`tool/shape.rs`), unknown arguments are refused.
//! * Time, randomness and the environment are inputs, each read in one place.
//! * Files and rows change together through the journal, all or nothing.
//! * A document's file is the truth, its row an index; an approval is bound to the bytes it was given for.
//! * An event of the file system only says that there is something to see; the files themselves are looked
//!   at, so that nothing depends on events being complete.
//! * A form is taken once, from the connection that was shown it; whatever goes wrong, the client gets the
//!   tool's last answer.
//! * No tool decides about a confirmation: `confirm::decide` wants a `Proof`, which only a person's surfaces
//!   make; it runs the very code that made the card, once, and only if the rows are still the card's.
//! * What a caller may not see is kept out by the statement (rows) and by type (`Sensitive` has no
//!   `Serialize`), never by a filter afterwards; no score, count or wording is made from hidden rows.
//! * A model proposes, the catalogue decides; only redacted text leaves the machine, and only if configured.
//! * Every queue is bounded: the writer's, and the requests of each client. Full means wait.
//! * The daemon's lock decides who is the daemon, its handshake whether it is healthy; never a pid.
//! * Nothing is polled: sweeps sleep until something is due, the bus until somebody has committed.
//!
//! Deliberately absent: self-registration of tools, a second writer, SQL outside a store, awaiting
//! below `mcp/`, deciding by the text of an error, sampling, roots and logging of MCP (deprecated).
//!
//! # How to add a tool
//!
//! Write `families/<family>/<verb>.rs`: `Args` and `Output` with their schemas, `impl Tool` with name,
//! text and `ACCESS`, and `impl ReadTool` or `WriteTool`. Put its line into the family's `TOOLS`,
//! in alphabetical order. A tool whose answer leaves something open for a person declares `FORM`; one
//! that a person has to agree to is a `ConfirmedTool`: its `run` tells the rows before and after. Run
//! the tests: they ask for its contract snapshot and the README's table.
//!
//! # How to add a family
//!
//! A folder with `mod.rs` (its `FAMILY`), pure rules in `model.rs`, all SQL in `store.rs`; one line in
//! `families::ALL`; a migration in `db/migrations/` and the same section in `schema.sql`. What it offers
//! beside its tools (resources, prompts, completions) is data of `tool/offer.rs` in its `FAMILY`; `mcp/`
//! needs no change for it.

pub mod cli;
pub mod clock;
pub mod config;
pub mod daemon;
pub mod db;
pub mod error;
pub mod families;
pub mod fault;
pub mod id;
pub mod identity;
pub mod logging;
pub mod mcp;
pub mod money;
pub mod paths;
pub mod sample;
pub mod sensitive;
pub mod tool;
