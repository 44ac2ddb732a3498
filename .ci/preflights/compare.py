"""Runs every intention in both programs, looks for their defects in ours, and continues their repositories."""

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import defects
import programs
from programs import Place, section, snapshot, uid_of, values

# Two at a time keep a small machine busy.
AT_ONCE = 2
NEXT = {"say": "Send order events through Kafka with exactly-once delivery"}


class World:
    """Everything the checks look at."""

    def __init__(self, options):
        self.options = options
        self.entries = json.loads((Path(__file__).parent / "intentions.json").read_text())
        assert len(self.entries) >= 40, "forty intentions"
        with ThreadPoolExecutor(AT_ONCE) as pool:
            self.ours = list(pool.map(lambda entry: self.fresh("ours", entry), self.entries))
            self.theirs = list(pool.map(lambda entry: self.fresh("theirs", entry), self.entries))

    def place(self):
        return Place(self.options.scratch, self.options.ours, self.options.theirs)

    def run(self, writer, entry, place):
        return getattr(programs, writer)(entry, place)

    def fresh(self, writer, entry):
        return self.run(writer, entry, self.place())


def completed(world):
    """Ours completes every intention"""
    for run in world.ours:
        if not run.completed:
            yield f"{run.entry['say']!r}: {run.last}"


def their_documents_are_read(world):
    """Ours reads what they wrote, and goes on from there"""
    finished = [run for run in world.theirs if run.completed]
    assert len(finished) >= 35, f"theirs has completed only {len(finished)}"
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for wrong in pool.map(lambda run: list(continued(run.place, run.entry["say"])), finished):
            yield from wrong


def their_history_is_read(world):
    """The same after many sessions of theirs in one repository"""
    place = world.place()
    for entry in (run.entry for run in world.theirs if run.completed):
        world.run("theirs", entry, place)
    assert len(place.adrs()) >= 10, "a history"
    yield from continued(place, "their history")


def their_server_is_read(world):
    """The same after restarts of their server, which gives every first decision one and the same UID"""
    place = world.place()
    for say in ("Add OAuth login with Clerk", "Use PostgreSQL with Prisma", "Use React with Tailwind for the UI"):
        with programs.TheirServer(place) as server:
            told = server.clarify(say, session_id=server.clarify(say)["session_id"])
            assert told["status"] == "completed", told
    yield from continued(place, "restarts of their server")


def ours_are_read_by_them(world):
    """They read what ours wrote, and ours reads both"""
    second = {"say": "Choose a database for orders", "answers": {"db_type": "MySQL", "db_orm": "Drizzle"}}
    for say in ("Add OAuth login with Clerk", "Set up the frontend with Vue and Tailwind"):
        place = world.fresh("ours", {"say": say}).place
        before = place.their_state()
        run = world.run("theirs", second, place)
        wanted = values(before) | {"Database": {"Type": "MySQL", "ORM": "Drizzle"}}
        if not run.completed or values(place.their_state()) != wanted:
            yield f"{say!r}: {run.last}, {place.their_state()}"
        read = place.architecture()
        if read["architecture"]["categories"] != wanted or "conflicts" in read:
            yield f"{say!r}: read as {read}"


def continued(place, name):
    """Reads a repository of theirs, and ends a session in it."""
    state, before = place.their_state(), place.documents()
    read = place.architecture()
    if read["architecture"]["categories"] != values(state) or "conflicts" in read:
        yield f"{name}: read as {read}, is {values(state)}"
    task = place.task()
    run = programs.ours(NEXT, place)
    if not run.completed:
        yield f"{name}: {run.last}"
        return
    after = place.documents()
    kept = [path for path in before if path.startswith(("docs/adr/", "docs/archive/"))]
    if any(after.get(path) != before[path] for path in kept):
        yield f"{name}: a document of theirs has changed"
    added = [path for path in after if path not in before]
    archived = [path for path in added if path.startswith(f"docs/archive/task/{uid_of(task)}_")]
    if [after[path] for path in archived] != [task.encode()]:
        yield f"{name}: their task is archived as {archived}"
    newest = place.adrs()[-1]
    carried = snapshot(newest)
    if any(carried.get(category) != fields for category, fields in state.items()):
        yield f"{name}: carried forward as {carried}, was {state}"
    if uid_of(newest) <= max([uid_of(task), *(Path(path).name[:25] for path in kept)]):
        yield f"{name}: {uid_of(newest)} is not the newest"
    own = [path for path in section(place.task(), "Allowlist") if path.strip("`").startswith(("docs/adr", "docs/archive"))]
    if own:
        yield f"{name}: the task may change {own}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("--ours", "--theirs", "--scratch"):
        parser.add_argument(name, required=True)
    world = World(parser.parse_args())
    rows = [("", completed)] + [(str(number), check) for number, check in enumerate(defects.ALL, 1)]
    others = [their_documents_are_read, their_history_is_read, their_server_is_read, ours_are_read_by_them]
    rows += [("", check) for check in others]
    failed = 0
    table = []
    for number, check in rows:
        try:
            wrong = list(check(world))
        except Exception as error:  # noqa: BLE001 - whatever it is, the other checks are of interest too
            wrong = [f"{type(error).__name__}: {error}"]
        failed += bool(wrong)
        for line in wrong:
            print(f"FAIL {check.__name__}: {line}")
        table.append((number, "none" if number and not wrong else "ok" if not wrong else "FAIL", check.__doc__))
    print(f"\n{len(world.entries)} intentions in both programs\ndefect  ours  what")
    for number, verdict, what in table:
        print(f"{number:>6}  {verdict:<5} {what}")
    theirs = sum(run.completed for run in world.theirs)
    print(f"\ncompleted: ours {sum(run.completed for run in world.ours)}, theirs {theirs} of {len(world.entries)}")
    print(f"{len(rows) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
