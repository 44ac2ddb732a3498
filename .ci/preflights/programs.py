"""Both programs, each call a process of its own, in repositories and homes that nobody else uses."""

import itertools
import json
import os
import re
import subprocess
from pathlib import Path

OTHER = "Other (specify)"
FILES = ["src/auth/login.ts", "src/db/models.ts", "src/components/avatar.tsx", "src/server/routes.ts", "README.md"]
# Nobody is asked more than this, so whoever asks longer is stuck.
MOST_TURNS = 6


class Place:
    """A fresh repository with a home beside it."""

    numbers = itertools.count()

    def __init__(self, scratch, ours, theirs):
        self.folder = Path(scratch) / f"{next(Place.numbers):03}"
        self.root = self.folder / "repository"
        self.ours, self.theirs = ours, theirs
        for name in FILES:
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("text\n")
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "BACKOFFICE_HOME": str(self.folder / "data"),
            "LANG": "C.UTF-8",
        }

    def run(self, command, **more):
        environment = {**self.environment, **more}
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=60)

    def call(self, tool, arguments, **more):
        """A tool of ours. The answer, or {"error": …} as the program prints it."""
        ran = self.run([self.ours, "call", tool, json.dumps(arguments), "--json"], **more)
        told = ran.stdout if ran.returncode == 0 else ran.stdout or ran.stderr
        try:
            return json.loads(told)
        except ValueError as error:
            raise AssertionError(f"no JSON from {tool}: {ran.stdout}{ran.stderr}") from error

    def clarify(self, intention, **arguments):
        return self.call("require_clarification", {"user_intention": intention, **arguments})

    def pf(self, *arguments, **more):
        """A command of theirs."""
        ran = self.run([f"{self.theirs}/pf", *arguments, "--json"], **more)
        try:
            return json.loads(ran.stdout)
        except ValueError as error:
            raise AssertionError(f"no JSON from pf {arguments}: {ran.stdout}{ran.stderr}") from error

    # --- Documents ------------------------------------------------------------------------------

    def documents(self):
        """Every document by its path, with its bytes."""
        docs = self.root / "docs"
        files = sorted(path for path in docs.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_bytes() for path in files}

    def adrs(self):
        return [text.decode() for path, text in self.documents().items() if path.startswith("docs/adr/")]

    def task(self):
        return (self.root / "docs/CURRENT_TASK.md").read_text()

    def architecture(self):
        return self.call("read_architecture", {})

    def their_state(self):
        """What their state file says, read as they read it: values with the ADR that set each."""
        file = self.root / "docs/ARCHITECTURE_STATE.md"
        text = file.read_text() if file.exists() else ""
        return snapshot(text)


def snapshot(text):
    blocks = re.findall(r"^### (\w+)\n((?:- \*\*\w+\*\*: .+\n?)+)", text, re.MULTILINE)
    return {category: dict(map(field, lines.splitlines())) for category, lines in blocks}


def field(line):
    name, value, uid = re.fullmatch(r"- \*\*(\w+)\*\*: (.+) \(ADR (\S+)\)", line).groups()
    return name, (value, uid)


def values(state):
    return {category: {name: value for name, (value, _) in fields.items()} for category, fields in state.items()}


def section(text, name):
    """The entries of a section; `_None_` is none."""
    body = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return [line[2:] for line in body.group(1).splitlines() if line.startswith("- ")] if body else []


def uid_of(text):
    return re.search(r"<!-- UID: (\S+) -->", text).group(1)


class Ran:
    """What became of an intention: every reply of the program, and the documents it left."""

    def __init__(self, entry, place, replies):
        self.entry, self.place, self.replies = entry, place, replies
        self.last = replies[-1]

    @property
    def completed(self):
        return self.last.get("status") == "completed"

    @property
    def error(self):
        return self.last.get("error", {}).get("code")

    def asked(self):
        """What the first turn asks, without what depends on another answer."""
        return [one["id"] for one in self.replies[0].get("questions", []) if "depends_on_question_id" not in one]


def answers_to(entry, questions):
    """The answers of the intention, else the first option, else a few words."""
    told = dict(entry.get("answers", {}))
    if "generic" in entry:
        told |= {"category": entry["generic"], "description": "Use a queue"}
    told |= {"allowlist_paths": "src/", "acceptance_criteria": "It works"}
    answers = {}
    for one in questions:
        if one.get("optional"):
            continue
        name = one["id"]
        answers[name] = told.get(name) or (one.get("options") or ["A few words"])[0]
        if answers[name] == OTHER and f"{name}__other" in told:
            answers[f"{name}__other"] = told[f"{name}__other"]
    return answers


def ours(entry, place):
    arguments = {}
    if "context" in entry:
        arguments["optional_context"] = entry["context"]
    if entry.get("force_adr"):
        arguments["preferences"] = {"force_adr": True}
    replies = [place.clarify(entry["say"], **arguments)]
    while replies[-1].get("status") == "needs_clarification" and len(replies) < MOST_TURNS:
        answers = answers_to(entry, replies[-1]["questions"])
        replies.append(place.clarify(entry["say"], session_id=replies[-1]["session_id"], answers=answers))
    return Ran(entry, place, replies)


def theirs(entry, place):
    # The one category with which its generic path can end.
    if "generic" not in entry:
        entry = {**entry, "answers": {"category": OTHER, "category__other": "Other", **entry.get("answers", {})}}
    replies = [place.pf("start", f"{entry['say']} {entry.get('context', '')}".strip())]
    while replies[-1].get("status") in ("started", "needs_more_answers", "needs_clarification"):
        # It wants some answer even where nothing is left to ask.
        answers = answers_to(entry, replies[-1].get("questions", [])) or {"go": "on"}
        replies.append(place.pf("answer", "--answers-json", json.dumps(answers)))
        if len(replies) >= MOST_TURNS:
            break
    return Ran(entry, place, replies)


class TheirServer:
    """Their MCP server, spoken to line by line."""

    def __init__(self, place):
        self.process = subprocess.Popen(
            [f"{place.theirs}/preflights-mcp"], cwd=place.root, env=place.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.ids = itertools.count(1)
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "ci", "version": "1"}}
        self.request("initialize", about)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        number = next(self.ids)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                return message["result"]
        raise AssertionError(f"their server has ended during {method}")

    def call(self, tool, **arguments):
        told = self.request("tools/call", {"name": tool, "arguments": arguments})
        return json.loads(told["content"][0]["text"])

    def clarify(self, intention, **arguments):
        return self.call("require_clarification", user_intention=intention, **arguments)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=20)
