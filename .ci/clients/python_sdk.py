"""What a Python client sees of the server; for version 1 and version 2 of the `mcp` package.

    python python_sdk.py path/to/backoffice

Prints one line per check, "ok   …" or "FAIL …".
"""

import json
import os
import pty
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path

import anyio
import mcp
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import ElicitResult

SERVER = sys.argv[1]
SDK = version("mcp")
# Mode of the client and the protocol version it must end up with. Version 1 knows one way only.
MODES = (
    {"auto": "2026-07-28", "legacy": "2025-11-25", "2026-07-28": "2026-07-28"}
    if SDK.startswith("2.")
    else {"legacy": "2025-11-25"}
)
McpError = getattr(mcp, "MCPError", None) or mcp.McpError

# Published names: they may be joined by others, but none may go.
PUBLISHED = {
    "whoami", "get_next_available_id", "reserve_id_range", "confirm_reservation", "release_reservation",
    "list_reservations", "add_task", "list_tasks", "get_next_task", "update_task", "update_task_status",
    "complete_task", "delete_task", "validate_artifact", "store_artifact", "approve_artifact", "list_artifacts",
    "read_artifact",
}  # fmt: skip
NOBODYS_TASK = "00000000-0000-4000-8000-000000000000"


class Server:
    """A data folder and a repository, and how this mode's clients connect to them."""

    def __init__(self, mode, folder):
        self.mode, self.folder = mode, Path(folder)
        (self.folder / ".git").mkdir()
        (self.folder / "research.md").write_text("# Research\n")
        self.environment = {"HOME": folder, "BACKOFFICE_HOME": str(self.folder / "data")}

    @asynccontextmanager
    async def connect(self, *flags, person=None):
        """Yields the client, and the protocol version and server name it was told."""
        # With nobody to ask, the client says that it shows no forms.
        server = StdioServerParameters(
            command=SERVER, args=["mcp", *flags], env=self.environment, cwd=self.folder
        )
        if SDK.startswith("2."):
            # Without its cache, or the second listing would not reach the server.
            async with mcp.Client(server, mode=self.mode, cache=None, elicitation_callback=person) as client:
                yield client, client.protocol_version, client.server_info
        else:
            left = False
            try:
                async with (
                    stdio_client(server) as streams,
                    ClientSession(*streams, elicitation_callback=person) as client,
                ):
                    opened = await client.initialize()
                    yield client, opened.protocolVersion, opened.serverInfo
                    left = True
            except* anyio.BrokenResourceError:
                # What a server tells while it is being left, this version stumbles over.
                if not left:
                    raise

    def catalogue(self):
        """The tools as the command line tells them: the other way to the same list."""
        command = [SERVER, "tools", "--json"]
        return json.loads(subprocess.check_output(command, env=self.environment, cwd=self.folder))


async def tools(client):
    listed = await client.list_tools()
    return [tool.model_dump(by_alias=True) for tool in listed.tools]


def names(listed):
    return [tool["name"] for tool in listed]


async def call(client, tool, **arguments):
    """Calls a tool that must succeed. The SDK checks the answer against the tool's schema."""
    # Dumped, because the two versions of the SDK spell the attributes differently.
    result = (await client.call_tool(tool, arguments)).model_dump(by_alias=True)
    assert not result["isError"], result
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"], result
    return result["structuredContent"]


async def refused(client, tool, **arguments):
    """Calls a tool that must answer with an error as JSON text."""
    result = (await client.call_tool(tool, arguments)).model_dump(by_alias=True)
    assert result["isError"], result
    assert result["structuredContent"] is None, result
    return json.loads(result["content"][0]["text"])["error"]


async def opens_in_the_expected_version(server):
    async with server.connect() as (client, protocol, info):
        assert protocol == MODES[server.mode], protocol
        # A client that adopts a version without asking is not told who answers, if anybody does.
        assert server.mode == "2026-07-28" or info.name == "backoffice", info
        await client.list_tools()


async def lists_all_tools_in_a_stable_order(server):
    async with server.connect() as (client, *_):
        first, second = await tools(client), await tools(client)
    async with server.connect() as (client, *_):
        third = await tools(client)
    assert first == second == third
    assert names(first) == names(server.catalogue()), names(first)
    assert PUBLISHED <= set(names(first)), PUBLISHED - set(names(first))


async def has_no_choice_at_the_root_of_a_schema(server):
    """The clients here accept one; the model's API behind some of them refuses the tool."""
    async with server.connect() as (client, *_):
        for tool in await tools(client):
            assert not {"anyOf", "oneOf", "allOf"} & set(tool["inputSchema"]), tool["name"]


async def hands_out_consecutive_ids(server):
    async with server.connect() as (client, *_):
        await client.list_tools()
        answers = [await call(client, "get_next_available_id", artifact_type="epic") for _ in range(2)]
    assert [answer["next_id"] for answer in answers] == ["EPIC-001", "EPIC-002"], answers


async def reserves_and_confirms(server):
    async with server.connect() as (client, *_):
        await client.list_tools()
        reserved = await call(client, "reserve_id_range", artifact_type="US", count=3)
        assert reserved["reserved_ids"] == ["US-001", "US-002", "US-003"], reserved
        confirmed = await call(client, "confirm_reservation", reservation_id=reserved["reservation_id"])
        assert confirmed["confirmed"] is True, confirmed
        listed = await call(client, "list_reservations", state="confirmed")
        (only,) = listed["reservations"]
        assert only["reservation_id"] == reserved["reservation_id"], listed


async def keeps_personal_tasks(server):
    async with server.connect() as (client, *_):
        await client.list_tools()
        me = (await call(client, "whoami"))["user_id"]
        task = (await call(client, "add_task", user_id=me, title="Call the bank"))["task_id"]
        listed = await call(client, "list_tasks", user_id=me)
        assert [(one["task_id"], one["status"]) for one in listed["tasks"]] == [(task, "pending")], listed
        done = await call(client, "complete_task", user_id=me, task_id=task)
        assert done["status"] == "completed", done
        deleted = await call(client, "delete_task", user_id=me, task_id=task)
        assert deleted["success"] is True, deleted
        assert (await call(client, "list_tasks", user_id=me))["tasks"] == []


async def works_the_queue(server):
    """The same tools in their other shape, which has to fit the same output schemas."""
    research = {
        "name": "business_research",
        "classification": "mandatory",
        "mcp_resource_uri": "mcp://resources/research.md",
        "status": "Finalized",
    }
    task = {"artifact_id": "VIS-001", "generator": "product-vision-generator", "inputs": [research]}
    async with server.connect() as (client, *_):
        await client.list_tools()
        added = await call(client, "add_task", tasks=[task])
        claimed = await call(client, "get_next_task")
        assert [claimed["task"]["task_id"]] == added["task_ids"], claimed
        project = (await call(client, "whoami"))["project_id"]
        assert (await call(client, "list_tasks", project_id=project))["count"] == 1
        done = await call(client, "complete_task", task_id=added["task_ids"][0])
        assert done["updated_task"]["status"] == "completed", done
        assert (await call(client, "get_next_task"))["task"] is None


def document(kind, title, rows, body):
    metadata = "".join(f"- **{label}:** {value}\n" for label, value in rows.items())
    return f"# {kind}: {title}\n\n## Metadata\n{metadata}\n---\n\n{body}\n\n" + "Enough words for a document. " * 4 + "\n"


EPIC = document("Epic", "A shop on the web", {"Epic ID": "EPIC-006", "Status": "Draft"}, "## Epic Statement\nSell.")
STORIES = "## High-Level User Stories\n\n### HLS-AAA: Pay\n\n### HLS-BBB: Refund after HLS-AAA\n\n### HLS-CCC: Receipt\n"
PRD = document("PRD", "Checkout", {"PRD ID": "PRD-006", "Status": "Draft", "Parent Epic": "EPIC-006"}, STORIES)


async def takes_a_document_from_placeholder_to_task(server):
    """The flow of the workflow's contract: validate, store, approve, three tasks with their inputs."""
    async with server.connect() as (client, *_):
        await client.list_tools()
        await call(client, "store_artifact", artifact_content=EPIC)
        await call(client, "approve_artifact", artifact_id="EPIC-006")
        report = await call(client, "validate_artifact", artifact_content=PRD, artifact_id="PRD-006")
        assert len(report["results"]) == 26 and report["agent_review_required"] == 2, report
        stored = await call(client, "store_artifact", artifact_content=PRD)
        approved = await call(client, "approve_artifact", artifact_id="PRD-006")
        assert approved["id_mapping"] == {"HLS-AAA": "HLS-001", "HLS-BBB": "HLS-002", "HLS-CCC": "HLS-003"}, approved
        project = (await call(client, "whoami"))["project_id"]
        tasks = (await call(client, "list_tasks", project_id=project, depends_on="PRD-006"))["tasks"]
        assert [task["artifact_id"] for task in tasks] == approved["sub_artifacts_detected"], tasks
        text = (await client.read_resource(stored["resource_uri"])).contents[0].text
        assert "- **Status:** Approved" in text and "HLS-BBB" not in text and "### HLS-002: Refund after HLS-001" in text, text
        listed = await client.list_resources()
        assert stored["resource_uri"] in [str(resource.uri) for resource in listed.resources], listed
        prompt = await client.get_prompt("generate", {"generator": "hls-generator", "parent_id": "PRD-006"})
        assert "PRD-006" in prompt.messages[0].content.text, prompt
        try:
            await client.call_tool("approve_artifact", {"artifact_id": "PRD-006"})
        except McpError as refusal:
            assert (refusal.error.code, refusal.error.data["reason"]) == (-32000, "already_approved"), refusal.error
        else:
            raise AssertionError("it was approved twice")


async def refuses_an_unknown_argument_with_a_hint(server):
    async with server.connect() as (client, *_):
        try:
            await client.call_tool("get_next_available_id", {"artifact_type": "epic", "colour": "red"})
        except McpError as refusal:
            assert refusal.error.code == -32602, refusal.error
            assert "colour" in refusal.error.message, refusal.error
            assert "artifact_type" in refusal.error.data["hint"], refusal.error
        else:
            raise AssertionError("it was accepted")


async def tells_a_personal_error_in_band(server):
    async with server.connect() as (client, *_):
        await client.list_tools()
        error = await refused(client, "complete_task", user_id="owner", task_id=NOBODYS_TASK)
    assert error["code"] == 404 and error["message"], error


class Person:
    """Fills in one form after the other, and keeps what was shown."""

    def __init__(self, *contents):
        self.contents, self.forms = list(contents), []

    async def __call__(self, _, params):
        self.forms.append(params.model_dump(by_alias=True)["requestedSchema"]["properties"])
        if not self.contents:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content=self.contents.pop(0))


def decision(server):
    (adr,) = (server.folder / "docs" / "adr").iterdir()
    return adr.read_text()


async def asks_a_person_in_two_forms(server):
    person = Person(
        {"auth_strategy": "Other (specify)", "auth_library": "Auth0"},
        {"auth_strategy__other": "Passkeys"},
    )
    async with server.connect(person=person) as (client, *_):
        await client.list_tools()
        done = await call(client, "require_clarification", user_intention="Add authentication")
    assert done["status"] == "completed", done
    assert [list(form) for form in person.forms] == [["auth_strategy", "auth_library"], ["auth_strategy__other"]]
    assert "Authentication.Strategy = Passkeys (person)" in decision(server), decision(server)


async def asks_a_person_for_a_list(server):
    person = Person({"auth_library": "Auth0", "oauth_providers": ["GitHub", "Google"]})
    async with server.connect(person=person) as (client, *_):
        await client.list_tools()
        done = await call(client, "require_clarification", user_intention="Add OAuth login")
    assert done["status"] == "completed", done
    assert person.forms[0]["oauth_providers"]["type"] == "array", person.forms
    task = (server.folder / "docs" / "CURRENT_TASK.md").read_text()
    assert "GitHub" in task and "Google" in task, task


async def leaves_the_questions_to_the_agent(server):
    """Where a person declines, and where nobody can be asked."""
    for person in (Person(), None):
        async with server.connect(person=person) as (client, *_):
            await client.list_tools()
            asked = await call(client, "require_clarification", user_intention="Add authentication")
            assert asked["status"] == "needs_clarification", asked
            assert person is None or len(person.forms) == 1, person.forms
    assert not (server.folder / "docs").exists()


async def offers_its_prompt(server):
    async with server.connect() as (client, *_):
        listed = await client.list_prompts()
        assert "work_the_queue" in [prompt.name for prompt in listed.prompts], listed
        prompt = await client.get_prompt("work_the_queue", {"project_id": "apollo"})
    assert "apollo" in prompt.messages[0].content.text, prompt


async def read_only_offers_no_writing_tool(server):
    async with server.connect("--read-only") as (client, *_):
        offered = await tools(client)
        await call(client, "whoami")
    assert all(tool["annotations"]["readOnlyHint"] for tool in offered), names(offered)
    readers = [tool["name"] for tool in server.catalogue() if tool["kind"] == "read"]
    assert names(offered) == readers, names(offered)


async def toolsets_limit_the_list(server):
    async with server.connect("--toolsets", "ids") as (client, *_):
        offered = names(await tools(client))
    # The tools of the desk belong to every toolset.
    wanted = [tool["name"] for tool in server.catalogue() if tool["toolset"] in ("desk", "ids")]
    assert offered == wanted, offered
    assert {"whoami", "get_next_available_id"} <= set(offered), offered


async def a_pinned_user_is_nobody_else(server):
    async with server.connect("--as", "frank.davis") as (client, *_):
        await client.list_tools()
        assert (await call(client, "whoami"))["user_id"] == "frank.davis"
        await call(client, "add_task", user_id="frank.davis", title="Mine")
        error = await refused(client, "add_task", user_id="nina.patel", title="Not mine")
        assert error["code"] == 403, error
        error = await refused(client, "list_tasks", user_id="nina.patel")
        assert error["code"] == 403, error


PEOPLE = [
    "eve.thompson", "alice.chen", "bob.martinez", "carol.johnson", "dan.williams", "nina.patel", "marcus.johnson",
    "frank.davis",
]  # fmt: skip
# What somebody would ask each tool.
QUESTIONS = {
    "get_employee": {"employee_id": "EMP052"}, "list_employees": {"limit": 5}, "get_org_chart": {"maxDepth": 2},
    "get_performance_reviews": {"due": True}, "get_time_off_balances": {"employeeId": "marcus.johnson"},
    "get_budget": {"department": "Engineering"}, "list_budgets": {}, "list_invoices": {"status": "overdue"},
    "get_expense_report": {"employee_id": "EMP052", "month": "2026-01"}, "get_customer": {"customer_id": "0"},
    "list_deals": {"sort": "value", "limit": 5}, "get_pipeline": {}, "search_tickets": {"query": "login -refund"},
    "search_knowledge_base": {"query": "pass*"}, "get_knowledge_article": {"article_id": "KB-001"},
    "delete_employee": {"employee_id": "EMP061"}, "update_salary": {"employee_id": "EMP052", "new_salary": 1},
    "delete_invoice": {"invoice_id": "none"}, "approve_budget": {"department": "IT", "amount": 1},
    "delete_customer": {"customer_id": "none"}, "close_deal": {"deal_id": "none", "outcome": "won"},
    "close_ticket": {"ticket_id": "TICK-0400", "resolution": "Solved by a restart."},
}  # fmt: skip


async def answers_every_person_with_what_they_may_see(server):
    """Every business tool for everybody; the client checks each answer against the published schema."""
    refusals = {}
    for login in PEOPLE:
        async with server.connect("--as", login, "--toolsets", "domain") as (client, *_):
            await client.list_tools()
            for tool, arguments in QUESTIONS.items():
                result = (await client.call_tool(tool, arguments)).model_dump(by_alias=True)
                told = json.loads(result["content"][0]["text"])
                assert told["status"] in ("success", "pending_confirmation", "error"), told
                assert result["isError"] == (told["status"] == "error"), result
                assert not result["isError"] or told["suggestedAction"], told
                if told.get("code") == "INSUFFICIENT_PERMISSIONS":
                    refusals[login] = refusals.get(login, 0) + 1
    # An executive may ask for everything, an intern for what is about himself.
    assert "eve.thompson" not in refusals and refusals["frank.davis"] > 10, refusals


async def asks_a_person_before_anything_is_destroyed(server):
    person = Person({"approve": True})
    async with server.connect("--as", "alice.chen", person=person) as (client, *_):
        await client.list_tools()
        done = await call(client, "delete_employee", employee_id="frank.davis")
        assert done["status"] == "success", done
        shown = await call(client, "get_employee", employee_id="frank.davis")
    assert shown["data"]["active"] is False, shown
    assert [list(form) for form in person.forms] == [["approve"]]


async def tells_the_verdict_with_the_next_reply(server):
    async with server.connect("--as", "alice.chen") as (client, *_):
        await client.list_tools()
        asked = await call(client, "delete_employee", employee_id="frank.davis")
        assert asked["status"] == "pending_confirmation", asked
        # A pipe is nobody: an agent with a shell gets no further.
        command = [SERVER, "--as", "alice.chen", "approvals", "approve", asked["confirmationId"]]
        refused = subprocess.run(command, env=server.environment, input=b"", capture_output=True)
        assert refused.returncode == 4, refused
        # A person decides at a terminal.
        at_a_terminal(command, server.environment)
        result = (await client.call_tool("whoami", {})).model_dump(by_alias=True)
        verdict = result["_meta"]["backoffice/confirmations"][0]
        assert verdict["state"] == "executed", result
        assert "was done" in result["content"][-1]["text"], result


def at_a_terminal(command, environment):
    """Runs a command on a terminal of its own, and says yes when it asks."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(command[0], command, {**environment, "TERM": "xterm"})
    shown = b""
    while b"Do it?" not in shown:
        shown += os.read(terminal, 1024)
    os.write(terminal, b"y\n")
    try:
        while part := os.read(terminal, 1024):
            shown += part
    except OSError:
        pass  # So a terminal ends.
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, shown


CHECKS = [
    opens_in_the_expected_version,
    lists_all_tools_in_a_stable_order,
    has_no_choice_at_the_root_of_a_schema,
    hands_out_consecutive_ids,
    reserves_and_confirms,
    keeps_personal_tasks,
    works_the_queue,
    takes_a_document_from_placeholder_to_task,
    refuses_an_unknown_argument_with_a_hint,
    tells_a_personal_error_in_band,
    asks_a_person_in_two_forms,
    asks_a_person_for_a_list,
    leaves_the_questions_to_the_agent,
    offers_its_prompt,
    read_only_offers_no_writing_tool,
    toolsets_limit_the_list,
    a_pinned_user_is_nobody_else,
    answers_every_person_with_what_they_may_see,
    asks_a_person_before_anything_is_destroyed,
    tells_the_verdict_with_the_next_reply,
]


def reasons(error):
    """A failure inside a connection arrives wrapped in groups, one for each task group it passed."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(reasons(inner) for inner in error.exceptions)
    return f"{type(error).__name__}: {error}"


async def main():
    for mode in MODES:
        for check in CHECKS:
            line = f"python {SDK} {mode}: {check.__name__.replace('_', ' ')}"
            try:
                with tempfile.TemporaryDirectory() as folder, anyio.fail_after(30):
                    await check(Server(mode, folder))
                print(f"ok   {line}")
            except Exception as error:
                print(f"FAIL {line}: {' '.join(reasons(error).split())}")


anyio.run(main)
