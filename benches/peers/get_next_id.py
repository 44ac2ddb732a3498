"""The same work on the Python SDK and sqlite3, as one would write it to get the job done well.

Usage: get_next_id.py DATABASE REPOSITORY

It uses backoffice's own tables (the benchmark makes the file), durable commits and a write-ahead
log, one connection, SQL with bound parameters and one transaction a call. The tools are coroutines
that call SQLite directly: a hand-off to a thread would cost more than the statement. What is
different from backoffice is what the SDK and the language bring along.
"""

import base64
import sqlite3
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel, Field

PROJECT = "shop"
PREFIXES = {"backlog_story": "US", "hls": "HLS", "prd": "PRD", "epic": "EPIC"}
RESERVATION_MS = 15 * 60 * 1000
URI = "mcp://resources/"

database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.row_factory = sqlite3.Row
for pragma in ("journal_mode = wal", "synchronous = full", "foreign_keys = on", "wal_autocheckpoint = 8000"):
    database.execute(f"PRAGMA {pragma}")
repository = Path(sys.argv[2]).resolve()

server = MCPServer("peer", log_level="WARNING")


class NextId(BaseModel):
    success: bool
    artifact_type: str
    next_id: str


class Reserved(BaseModel):
    success: bool
    reservation_id: str
    artifact_type: str
    reserved_ids: list[str]
    expires_at: str


class InputArgs(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=64)]
    classification: Literal["mandatory", "recommended", "conditional"]
    artifact_id: Annotated[str, Field(max_length=32)] = "N/A"
    mcp_resource_uri: Annotated[str, Field(max_length=500, pattern="^mcp://resources/.")]
    status: Annotated[str, Field(min_length=1, max_length=64)]


class TaskArgs(BaseModel):
    artifact_id: Annotated[str, Field(pattern=r"^[A-Z]+-\d{3,}$")]
    generator: Annotated[str, Field(min_length=1, max_length=100)]
    inputs: Annotated[list[InputArgs], Field(min_length=1, max_length=50)]


class Added(BaseModel):
    success: bool
    tasks_added: int
    task_ids: list[str]
    artifact_ids: list[str]


class Input(BaseModel):
    name: str
    classification: str
    artifact_type: str
    artifact_id: str
    resource_path: str
    mcp_resource_uri: str
    status: str


class Task(BaseModel):
    task_id: str
    project_id: str
    artifact_id: str
    generator: str
    status: str
    description: str
    inputs: list[Input]
    created_at: str
    updated_at: str
    started_at: str | None
    completed_at: str | None
    completion_notes: str | None


class Tasks(BaseModel):
    success: bool
    count: int
    tasks: list[Task]
    next_cursor: str | None


class Caller(BaseModel):
    user_id: str
    project_id: str


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def written(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


@contextmanager
def write(tool: str, now: int) -> Iterator[None]:
    """One transaction with its audit row."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute(
            "INSERT INTO audit (at, caller, client, tool, outcome, correlation_id, run_us)"
            " VALUES (?, 'owner', 'peer', ?, 'ok', NULL, ?)",
            (now, tool, (now_ms() - now) * 1000),
        )
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def take(prefix: str, count: int, now: int) -> int:
    """Takes the next numbers of a sequence and returns the first of them."""
    row = database.execute(
        "SELECT last_assigned FROM sequences WHERE project_id = ? AND prefix = ?", (PROJECT, prefix)
    ).fetchone()
    last = row[0] if row else 0
    if row:
        database.execute(
            "UPDATE sequences SET last_assigned = ?, updated_at = ? WHERE project_id = ? AND prefix = ?",
            (last + count, now, PROJECT, prefix),
        )
    else:
        database.execute("INSERT INTO sequences VALUES (?, ?, ?, ?)", (PROJECT, prefix, count, now))
    return last + 1


def expire(now: int) -> None:
    due = database.execute(
        "SELECT 1 FROM id_reservations WHERE state = 'active' AND expires_at <= ? LIMIT 1", (now,)
    ).fetchone()
    if due:
        database.execute(
            "UPDATE id_reservations SET state = 'expired', decided_at = :now"
            " WHERE state = 'active' AND expires_at <= :now",
            {"now": now},
        )


@server.tool()
async def whoami() -> Caller:
    """Tells whom this connection speaks for."""
    return Caller(user_id="owner", project_id=PROJECT)


@server.tool()
async def get_next_available_id(artifact_type: str) -> NextId:
    """Hands out the next ID of a document type."""
    prefix, now = PREFIXES[artifact_type], now_ms()
    with write("get_next_available_id", now):
        expire(now)
        number = take(prefix, 1, now)
    return NextId(success=True, artifact_type=artifact_type, next_id=f"{prefix}-{number:03}")


@server.tool()
async def reserve_id_range(artifact_type: str, count: Annotated[int, Field(ge=1, le=100)]) -> Reserved:
    """Reserves contiguous IDs for a batch, for 15 minutes."""
    prefix, now = PREFIXES[artifact_type], now_ms()
    reservation, expires = str(uuid.uuid4()), now + RESERVATION_MS
    with write("reserve_id_range", now):
        expire(now)
        first = take(prefix, count, now)
        database.execute(
            "INSERT INTO id_reservations"
            " (reservation_id, project_id, prefix, first_number, count, state, reserved_at, expires_at)"
            " VALUES (?, ?, ?, ?, ?, 'active', ?, ?)",
            (reservation, PROJECT, prefix, first, count, now, expires),
        )
    return Reserved(
        success=True,
        reservation_id=reservation,
        artifact_type=artifact_type,
        reserved_ids=[f"{prefix}-{number:03}" for number in range(first, first + count)],
        expires_at=written(expires) or "",
    )


@server.tool()
async def add_task(tasks: Annotated[list[TaskArgs], Field(min_length=1, max_length=100)]) -> Added:
    """Adds tasks to the project's queue, all or nothing."""
    for given in (given for task in tasks for given in task.inputs):
        path = (repository / given.mcp_resource_uri.removeprefix(URI)).resolve()
        if not path.is_relative_to(repository) or not path.is_file():
            raise ValueError(f"Input file not found: {given.mcp_resource_uri}")
    now = now_ms()
    with write("add_task", now):
        for task in tasks:
            if database.execute(
                "SELECT 1 FROM queue_tasks WHERE project_id = ? AND artifact_id = ? AND status <> 'completed'",
                (PROJECT, task.artifact_id),
            ).fetchone():
                raise ValueError(f"artifact_id {task.artifact_id} already exists in queue")
        first = take("TASK", len(tasks), now)
        for number, task in enumerate(tasks, first):
            insert_task(number, task, now)
    return Added(
        success=True,
        tasks_added=len(tasks),
        task_ids=[f"TASK-{number:03}" for number in range(first, first + len(tasks))],
        artifact_ids=[task.artifact_id for task in tasks],
    )


def insert_task(number: int, task: TaskArgs, now: int) -> None:
    seq = database.execute(
        "INSERT INTO queue_tasks (project_id, number, artifact_id, generator, status, description,"
        " missing_mandatory, created_at, updated_at) VALUES (?, ?, ?, ?, 'pending', ?, 0, ?, ?)",
        (PROJECT, number, task.artifact_id, task.generator,
         f"Generate {task.artifact_id} from {task.inputs[0].artifact_id}", now, now),
    ).lastrowid
    database.executemany(
        "INSERT INTO queue_inputs (task_seq, position, project_id, name, classification, artifact_type,"
        " artifact_id, resource_path, resource_uri, status) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (seq, position, PROJECT, given.name, given.classification, given.name, given.artifact_id,
             given.mcp_resource_uri.removeprefix(URI), given.mcp_resource_uri, given.status)
            for position, given in enumerate(task.inputs)
        ],
    )
    database.execute(
        "INSERT INTO queue_events (task_seq, at, event, worker) VALUES (?, ?, 'added', NULL)", (seq, now)
    )


@server.tool()
async def list_tasks(
    project_id: str, limit: Annotated[int, Field(ge=1, le=50)] = 50, cursor: str | None = None
) -> Tasks:
    """Lists a project's queue in the order its tasks were added; the cursor is a key, not an offset."""
    after = int(base64.urlsafe_b64decode(cursor)) if cursor else 0
    rows = database.execute(
        "SELECT * FROM queue_tasks INDEXED BY queue_tasks_by_project"
        " WHERE project_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        (project_id, after, limit + 1),
    ).fetchall()
    more, rows = len(rows) > limit, rows[:limit]
    inputs: dict[int, list[Input]] = {row["seq"]: [] for row in rows}
    # All inputs of the page in one query: fifty small ones are slower from Python.
    for row in database.execute(
        f"SELECT * FROM queue_inputs WHERE task_seq IN ({','.join('?' * len(inputs))})"
        " ORDER BY task_seq, position",
        list(inputs),
    ):
        inputs[row["task_seq"]].append(
            Input(
                name=row["name"], classification=row["classification"], artifact_type=row["artifact_type"],
                artifact_id=row["artifact_id"], resource_path=row["resource_path"],
                mcp_resource_uri=row["resource_uri"], status=row["status"],
            )
        )
    tasks = [
        Task(
            task_id=f"TASK-{row['number']:03}", project_id=row["project_id"], artifact_id=row["artifact_id"],
            generator=row["generator"], status=row["status"], description=row["description"],
            inputs=inputs[row["seq"]], created_at=written(row["created_at"]) or "",
            updated_at=written(row["updated_at"]) or "", started_at=written(row["started_at"]),
            completed_at=written(row["completed_at"]), completion_notes=row["completion_notes"],
        )
        for row in rows
    ]
    following = base64.urlsafe_b64encode(str(rows[-1]["seq"]).encode()).decode() if more else None
    return Tasks(success=True, count=len(tasks), tasks=tasks, next_cursor=following)


if __name__ == "__main__":
    server.run("stdio")
