"""The thirteen known defects of preflights 1.1.4: each is shown in theirs, so that the check can fail, and
looked for in ours, in every intention that it could spoil.

A check is a generator: it yields what is wrong with ours. What is wrong with the check itself, because
theirs does not show the defect, is an AssertionError.
"""

import datetime
import itertools
import re

from programs import OTHER, TheirServer, answers_to, section, snapshot, uid_of, values

AUTHENTICATION = {"say": "Add authentication to the back office"}


def shown(condition, what):
    assert condition, f"theirs does not show it: {what}"


def by(runs, say):
    return next(run for run in runs if run.entry["say"] == say)


def detected_values_are_kept(world):
    """What the intention names is what is decided"""
    run = by(world.theirs, "Add OAuth login with Clerk")
    found = [one["value"] for one in run.replies[0]["detected_from_intent"]]
    state = values(run.place.their_state())
    shown("Clerk" in found and state["Authentication"]["Library"] == "next-auth", state)
    for run in world.ours:
        categories = run.place.architecture()["architecture"]["categories"]
        for name, value in run.entry.get("values", {}).items():
            category, field = name.split(".")
            if categories.get(category, {}).get(field) != value:
                yield f"{run.entry['say']!r}: {name} is {categories.get(category)}, not {value!r}"


def every_category_completes(world):
    """The generic path ends well, whichever category is chosen"""
    codes = [run.error for run in world.theirs if "generic" in run.entry]
    shown(codes.count("UNKNOWN_FIELD") == 5 and codes.count("UNKNOWN_CATEGORY") == 1, codes)
    for run in (run for run in world.ours if "generic" in run.entry):
        categories = run.place.architecture()["architecture"]["categories"]
        wanted = "Other" if run.entry["generic"] == OTHER else run.entry["generic"]
        if not run.completed or list(categories) != [wanted]:
            yield f"{run.entry['generic']}: {run.last}, decided {categories}"


def a_mistake_leaves_no_stuck_session(world):
    """After an error the session goes on"""
    stuck = next(run for run in world.theirs if run.error == "UNKNOWN_FIELD")
    after = stuck.place.pf("answer", "--answers-json", '{"description": "Again"}')
    open_ones = [one for one in after.get("questions", []) if not one["optional"]]
    shown(after.get("status") == "needs_more_answers" and not open_ones, after)
    place = world.place()
    first = place.clarify(AUTHENTICATION["say"])
    wrong = [{"auth_strategy": "banana"}, {"auth_strategy": ["OAuth"]}, {"auth_strategie": "OAuth"}, {"description": ""}]
    for answers in wrong:
        told = place.clarify("x", session_id=first["session_id"], answers=answers)
        if "error" not in told or place.documents():
            yield f"{answers} was taken: {told}"
    right = answers_to(AUTHENTICATION, first["questions"])
    last = place.clarify("x", session_id=first["session_id"], answers=right)
    if last.get("status") != "completed":
        yield f"stuck: {last}"


def there_is_always_something_to_answer(world):
    """A session that goes on asks something; one with nothing to ask is completed"""
    with TheirServer(world.place()) as server:
        first = server.clarify(AUTHENTICATION["say"])
        answers = {"auth_strategy": "OAuth", "auth_library": OTHER}
        other = server.clarify("x", session_id=first["session_id"], answers=answers)
        filled = server.clarify("Add OAuth login with Clerk")
    shown(other["status"] == "needs_clarification" and other["questions"] == [], other)
    shown(filled["status"] == "needs_clarification" and filled["questions"] == [], filled)
    for run in world.ours:
        if any(reply.get("status") == "needs_clarification" and not reply["questions"] for reply in run.replies):
            yield f"{run.entry['say']!r} asks nothing and goes on"
    place = world.place()
    first = place.clarify(AUTHENTICATION["say"])
    other = place.clarify("x", session_id=first["session_id"], answers=answers)
    if [one["id"] for one in other.get("questions", []) if not one.get("optional")] != ["auth_library__other"]:
        yield f"what `{OTHER}` stands for is not asked: {other}"
    last = place.clarify("x", session_id=first["session_id"], answers={"auth_library__other": "Ory"})
    if values(snapshot(place.adrs()[0]))["Authentication"]["Library"] != "Ory":
        yield f"what `{OTHER}` stands for is not decided: {last}"


def uids_grow_over_restarts(world):
    """No UID twice, each after those before it, with the day it was made"""
    theirs = world.place()
    for say in ("Add OAuth login with Clerk", "Use PostgreSQL with Prisma"):
        with TheirServer(theirs) as server:
            server.clarify(say, session_id=server.clarify(say)["session_id"])
    uids = [uid_of(text) for text in theirs.adrs()]
    shown(len(uids) == 2 and len(set(uids)) == 1 and uids[0].startswith("20250106"), uids)
    place = world.place()
    made = []
    for say in ("Add SAML login with Clerk", "Use PostgreSQL with Prisma", "Fix typo in login button"):
        made += [one["uid"] for one in place.clarify(say)["artifacts_created"] if "uid" in one]
        made.append(uid_of(place.task()))
    today = {(datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=ago)).strftime("%Y%m%d") for ago in (0, 1)}
    if any(one >= next_one for one, next_one in itertools.pairwise(made)) or not {uid[:8] for uid in made} <= today:
        yield f"{made}"


def prompts_are_for_people(world):
    """A tool writes no AGENT_PROMPT.md"""
    place = world.place()
    with TheirServer(place) as server:
        server.clarify("x", session_id=server.clarify("Add OAuth login with Clerk")["session_id"])
    shown("docs/AGENT_PROMPT.md" in place.documents(), list(place.documents()))
    for run in world.ours:
        if "docs/AGENT_PROMPT.md" in run.place.documents():
            yield f"{run.entry['say']!r}"


def the_projection_may_be_deleted(world):
    """Deleting ARCHITECTURE_STATE.md loses nothing"""
    second = {"say": "Choose a database for orders"}
    place = world.fresh("theirs", AUTHENTICATION).place
    (place.root / "docs/ARCHITECTURE_STATE.md").unlink()
    world.run("theirs", second, place)
    shown(list(values(snapshot(place.adrs()[-1]))) == ["Database"], place.adrs()[-1])
    place = world.fresh("ours", AUTHENTICATION).place
    (place.root / "docs/ARCHITECTURE_STATE.md").unlink()
    world.run("ours", second, place)
    projection = place.documents()["docs/ARCHITECTURE_STATE.md"].decode()
    told = [sorted(snapshot(text)) for text in (place.adrs()[-1], projection)]
    if told != [["Authentication", "Database"]] * 2 or "Previous: None" in place.adrs()[-1]:
        yield f"{told}"


def progress_and_order_are_as_told(world):
    """Documents in the order of the contract, progress of the whole session"""
    with TheirServer(world.place()) as server:
        turns = [server.clarify(AUTHENTICATION["say"])]
        for answers in ({"auth_strategy": "OAuth"}, {"auth_library": OTHER}, {"auth_library__other": "Ory"}):
            turns.append(server.clarify("x", session_id=turns[0]["session_id"], answers=answers))
    asked = [turn["progress"]["asked_so_far"] for turn in turns if "progress" in turn]
    shown(asked != sorted(asked) and turns[-1]["artifacts_created"][0]["type"] == "task", (asked, turns[-1]))
    for run in world.ours:
        kinds = [one["type"] for one in run.last.get("artifacts_created", [])]
        if kinds not in (["adr", "task", "projection"], ["task"]):
            yield f"{run.entry['say']!r}: {kinds}"
        steps = [(turn["progress"]["asked_so_far"], turn["progress"]["answered"]) for turn in run.replies if "progress" in turn]
        asked, answered = [step[0] for step in steps], [step[1] for step in steps]
        if asked != sorted(asked) or answered != sorted(answered) or any(asked < done for asked, done in steps) or max(asked, default=0) > 5:
            yield f"{run.entry['say']!r}: progress {steps}"


def small_requests_stay_small(world):
    """A fix asks nothing and gets no constraints; guide is no ui, feedback no db"""
    fix = by(world.theirs, "Fix typo in login button")
    shown(len(fix.asked()) == 2 and section(fix.place.task(), "Technical Constraints"), fix.asked())
    for say, wrong in (("Build the user guide page", "frontend_framework"), ("Collect feedback from readers", "db_type")):
        shown(wrong in by(world.theirs, say).asked(), by(world.theirs, say).asked())
    for run in world.ours:
        entry = run.entry
        if "asks" in entry and run.asked() != entry["asks"]:
            yield f"{entry['say']!r} asks {run.asked()}, not {entry['asks']}"
        constraints = section(run.place.task(), "Technical Constraints")
        if entry.get("constraints") == 0 and constraints:
            yield f"{entry['say']!r} has {constraints}"
        decided = run.place.architecture()["architecture"]["categories"]
        if entry.get("not") in decided:
            yield f"{entry['say']!r} decided {decided}"
        adr = any(one["type"] == "adr" for one in run.last.get("artifacts_created", []))
        if adr != entry["adr"]:
            yield f"{entry['say']!r}: {run.last.get('decision_reason')}"


def a_model_out_of_reach_changes_nothing(world):
    """A model that cannot be reached changes no question; a warning is the most that comes of it"""
    nowhere = {"PREFLIGHTS_LLM_PROVIDER": "anthropic", "PREFLIGHTS_ANTHROPIC_API_KEY": "none",
               "HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    told = world.place().pf("start", AUTHENTICATION["say"], "--llm", **nowhere)
    shown(told["status"] == "started" and "warning" not in told, told)
    place = world.place()
    plain = place.clarify(AUTHENTICATION["say"])
    told = place.call("require_clarification", {"user_intention": AUTHENTICATION["say"]}, **nowhere)
    if told.get("questions") != plain["questions"] or told.get("warning", "llm_fallback") != "llm_fallback":
        yield f"{told}"


def texts_read_well(world):
    """Only what changed is a change; no value drags its ADR along; no sentence says Use twice"""
    first = {"say": "Choose a database for orders", "answers": {"db_type": "PostgreSQL", "db_orm": "Prisma"}}
    second = {"say": "Switch to another database for orders", "answers": {"db_type": "MySQL", "db_orm": "Prisma"}}
    place = world.run("theirs", second, world.fresh("theirs", first).place).place
    shown(re.search(r"Database.ORM = Prisma \(was: Prisma \(ADR", place.adrs()[-1]), place.adrs()[-1])
    generic = by(world.theirs, "Write an ADR about how we retry").place
    shown("Use Use " in generic.task(), generic.task())
    place = world.run("ours", second, world.fresh("ours", first).place).place
    changes = section(place.adrs()[-1], "Changes in This Version")
    if len(changes) != 1 or not re.fullmatch(r"Modified: Database.Type = MySQL \(was: PostgreSQL \(ADR \S+\)\)", changes[0]):
        yield f"{changes}"
    for run in world.ours:
        told = run.place.architecture()["architecture"]["categories"]
        dragged = [value for fields in told.values() for value in fields.values() if "(ADR 2" in value]
        if dragged or re.search(r"\bUse Use\b", "".join(text.decode() for text in run.place.documents().values())):
            yield f"{run.entry['say']!r}: {told}"


def all_documents_or_none(world):
    """What cannot be finished is not begun; an intention says something"""
    shown(world.place().pf("start", "")["status"] == "started", "an empty intention")
    for writer in ("theirs", "ours"):
        place = world.place()
        (place.root / "docs").mkdir()
        (place.root / "docs/adr").write_text("in the way")
        run = world.run(writer, AUTHENTICATION, place)
        if writer == "theirs":
            shown(not run.completed and "docs/CURRENT_TASK.md" in place.documents(), run.last)
        elif run.completed or list(place.documents()) != ["docs/adr"]:
            yield f"half of it is there: {list(place.documents())}, {run.last}"
    for empty in ("", "  \n "):
        place = world.place()
        told = place.clarify(empty)
        if "error" not in told or place.documents():
            yield f"{empty!r} was taken: {told}"


def decisions_are_read_not_their_copy(world):
    """The architecture is what the ADRs say, to the last bracket"""
    entry = {"say": "Add authentication to the shop", "answers": {"auth_strategy": OTHER, "auth_strategy__other": "Tickets (ADR style)"}}
    for writer in ("theirs", "ours"):
        place = world.fresh(writer, entry).place
        state = place.root / "docs/ARCHITECTURE_STATE.md"
        state.write_text(state.read_text().replace("Tickets", "Edited"))
        if writer == "theirs":
            with TheirServer(place) as server:
                told = server.call("read_architecture")["architecture"]["categories"]
            shown(told["Authentication"]["Strategy"].startswith("Edited"), told)
        told = place.architecture()["architecture"]["categories"]
        if told["Authentication"]["Strategy"] != "Tickets (ADR style)":
            yield f"{writer}: {told}"


ALL = [
    detected_values_are_kept,
    every_category_completes,
    a_mistake_leaves_no_stuck_session,
    there_is_always_something_to_answer,
    uids_grow_over_restarts,
    prompts_are_for_people,
    the_projection_may_be_deleted,
    progress_and_order_are_as_told,
    small_requests_stay_small,
    a_model_out_of_reach_changes_nothing,
    texts_read_well,
    all_documents_or_none,
    decisions_are_read_not_their_copy,
]
