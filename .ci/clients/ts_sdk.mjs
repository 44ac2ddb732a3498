// What a TypeScript client sees of the server; for version 1 and version 2 of the SDK.
//
//     node ts_sdk.mjs path/to/backoffice
//
// Prints one line per check, "ok   …" or "FAIL …". These clients are the strict ones: one schema they
// do not like and the whole list of tools is gone, and every answer is checked against its schema.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportV2 } from '@modelcontextprotocol/client/stdio';

const server = process.argv[2];
const me = { name: 'compatibility', version: '1.0.0' };

const clients = {
  'v1': {
    make: (options) => new ClientV1(me, options),
    Transport: TransportV1,
    elicitation: ElicitRequestSchema,
    protocol: '2025-11-25',
  },
  'v2 default': {
    make: (options) => new ClientV2(me, options),
    Transport: TransportV2,
    elicitation: 'elicitation/create',
    protocol: '2025-11-25',
  },
  'v2 auto': {
    make: (options) => new ClientV2(me, { ...options, versionNegotiation: { mode: 'auto' } }),
    Transport: TransportV2,
    elicitation: 'elicitation/create',
    protocol: '2026-07-28',
  },
};

/** Calls a tool that must succeed. */
async function call(client, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, JSON.stringify(result));
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

/** Calls a tool that must answer with an error as JSON text. */
async function refused(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError, true, JSON.stringify(result));
  assert.equal(result.structuredContent, undefined);
  return JSON.parse(result.content[0].text).error;
}

// Past the client's cache, or the second listing would not reach the server.
const names = async (client) =>
  (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.map((tool) => tool.name);

const checks = {
  async 'opens in the expected version'({ connect, protocol }) {
    const client = await connect();
    assert.equal(client.getServerVersion().name, 'backoffice');
    assert.equal(client.agreed ?? client.getNegotiatedProtocolVersion(), protocol);
  },

  async 'lists all tools in a stable order'({ connect, catalogue }) {
    const client = await connect();
    const first = await names(client);
    assert.deepEqual(await names(client), first);
    assert.deepEqual(first, catalogue().map((tool) => tool.name));
  },

  async 'hands out and reserves IDs'({ connect }) {
    const client = await connect();
    assert.equal((await call(client, 'get_next_available_id', { artifact_type: 'epic' })).next_id, 'EPIC-001');
    assert.equal((await call(client, 'get_next_available_id', { artifact_type: 'epic' })).next_id, 'EPIC-002');
    const { reserved_ids, reservation_id } = await call(client, 'reserve_id_range', { artifact_type: 'US', count: 2 });
    assert.deepEqual(reserved_ids, ['US-001', 'US-002']);
    assert.equal((await call(client, 'confirm_reservation', { reservation_id })).confirmed, true);
    assert.equal((await call(client, 'list_reservations')).reservations.length, 1);
  },

  async 'takes a document from placeholder to task'({ connect }) {
    const client = await connect();
    const document = (kind, id, rows, body) =>
      `# ${kind}: A shop on the web\n\n## Metadata\n- **${kind} ID:** ${id}\n- **Status:** Draft\n${rows}\n${body}\n\n${'Enough words. '.repeat(9)}\n`;
    await call(client, 'store_artifact', { artifact_content: document('Epic', 'EPIC-006', '', '## Scope\nAll of it.') });
    await call(client, 'approve_artifact', { artifact_id: 'EPIC-006' });
    const stories = '## High-Level User Stories\n\n### HLS-AAA: Pay\n\n### HLS-BBB: Refund\n';
    const content = document('PRD', 'PRD-006', '- **Parent Epic:** EPIC-006\n', stories);
    const report = await call(client, 'validate_artifact', { artifact_content: content, artifact_id: 'PRD-006' });
    assert.equal(report.results.length, 26);
    const { resource_uri } = await call(client, 'store_artifact', { artifact_content: content });
    const approved = await call(client, 'approve_artifact', { artifact_id: 'PRD-006' });
    assert.deepEqual(approved.id_mapping, { 'HLS-AAA': 'HLS-001', 'HLS-BBB': 'HLS-002' });
    assert.equal(approved.task_ids.length, 2);
    const { contents } = await client.readResource({ uri: resource_uri });
    assert.match(contents[0].text, /Status:\*\* Approved/);
    const listed = await client.listResources();
    assert.ok(listed.resources.some((resource) => resource.uri === resource_uri));
  },

  async 'keeps personal tasks'({ connect }) {
    const client = await connect();
    const { user_id } = await call(client, 'whoami');
    const { task_id } = await call(client, 'add_task', { user_id, title: 'Call the bank' });
    const { tasks } = await call(client, 'list_tasks', { user_id });
    assert.deepEqual(tasks.map((task) => task.task_id), [task_id]);
    assert.equal((await call(client, 'complete_task', { user_id, task_id })).status, 'completed');
    assert.equal((await call(client, 'delete_task', { user_id, task_id })).success, true);
  },

  // The same tools in their other shape, which has to fit the same output schemas.
  async 'works the queue'({ connect }) {
    const client = await connect();
    const research = {
      name: 'business_research',
      classification: 'mandatory',
      mcp_resource_uri: 'mcp://resources/research.md',
      status: 'Finalized',
    };
    const task = { artifact_id: 'VIS-001', generator: 'product-vision-generator', inputs: [research] };
    const { task_ids } = await call(client, 'add_task', { tasks: [task] });
    const { project_id, task_id } = (await call(client, 'get_next_task')).task;
    assert.deepEqual(task_ids, [task_id]);
    assert.equal((await call(client, 'list_tasks', { project_id })).count, 1);
    assert.equal((await call(client, 'complete_task', { task_id })).updated_task.status, 'completed');
    assert.equal((await call(client, 'get_next_task')).task, null);
  },

  async 'refuses an unknown argument with a hint'({ connect }) {
    const client = await connect();
    const wrong = { name: 'get_next_available_id', arguments: { artifact_type: 'epic', colour: 'red' } };
    await assert.rejects(client.callTool(wrong), (error) => {
      assert.equal(error.code, -32602, String(error));
      assert.match(error.message, /colour/);
      assert.match(error.data.hint, /artifact_type/);
      return true;
    });
  },

  async 'tells a personal error in band'({ connect }) {
    const client = await connect();
    const task_id = '00000000-0000-4000-8000-000000000000';
    assert.equal((await refused(client, 'complete_task', { user_id: 'owner', task_id })).code, 404);
  },

  async 'asks a person in two forms'({ ask, folder }) {
    const [first, second] = [
      { auth_strategy: 'Other (specify)', auth_library: 'Auth0' },
      { auth_strategy__other: 'Passkeys' },
    ];
    const { client, forms } = await ask(first, second);
    const { status } = await call(client, 'require_clarification', { user_intention: 'Add authentication' });
    assert.equal(status, 'completed');
    assert.deepEqual(forms.map(Object.keys), [first, second].map(Object.keys));
    const [adr] = readdirSync(join(folder, 'docs/adr'));
    assert.match(readFileSync(join(folder, 'docs/adr', adr), 'utf8'), /Authentication\.Strategy = Passkeys \(person\)/);
  },

  async 'asks a person for a list'({ ask, folder }) {
    const { client, forms } = await ask({ auth_library: 'Auth0', oauth_providers: ['GitHub', 'Google'] });
    const { status } = await call(client, 'require_clarification', { user_intention: 'Add OAuth login' });
    assert.equal(status, 'completed');
    assert.equal(forms[0].oauth_providers.type, 'array');
    assert.match(readFileSync(join(folder, 'docs/CURRENT_TASK.md'), 'utf8'), /GitHub.*Google/);
  },

  // Where a person declines, and where nobody can be asked.
  async 'leaves the questions to the agent'({ ask, connect, folder }) {
    for (const client of [(await ask()).client, await connect()]) {
      const { status } = await call(client, 'require_clarification', { user_intention: 'Add authentication' });
      assert.equal(status, 'needs_clarification');
    }
    assert.ok(!existsSync(join(folder, 'docs')));
  },

  // The SDK checks each answer against the published schema.
  async 'answers every person with what they may see'({ connect }) {
    const questions = {
      get_employee: { employee_id: 'EMP052' }, list_employees: { limit: 5 }, get_org_chart: { maxDepth: 2 },
      get_performance_reviews: { due: true }, get_time_off_balances: { employeeId: 'marcus.johnson' },
      get_budget: { department: 'Engineering' }, list_budgets: {}, list_invoices: { status: 'overdue' },
      list_deals: { sort: 'value', limit: 5 }, get_pipeline: {}, search_tickets: { query: 'login -refund' },
      search_knowledge_base: { query: 'pass*' }, get_knowledge_article: { article_id: 'KB-001' },
      delete_employee: { employee_id: 'EMP061' }, close_ticket: { ticket_id: 'TICK-0400', resolution: 'A restart helped.' },
    };
    for (const login of ['eve.thompson', 'alice.chen', 'nina.patel', 'frank.davis']) {
      const client = await connect('--as', login, '--toolsets', 'domain');
      for (const [name, args] of Object.entries(questions)) {
        const { isError, content } = await client.callTool({ name, arguments: args });
        const told = JSON.parse(content[0].text);
        assert.equal(isError ?? false, told.status === 'error', `${login} ${name}`);
        assert.ok(login !== 'eve.thompson' || told.code !== 'INSUFFICIENT_PERMISSIONS', name);
      }
    }
  },

  async 'asks a person before anything is destroyed'({ ask }) {
    const { client, forms } = await ask({ approve: true });
    const { status } = await call(client, 'delete_employee', { employee_id: 'frank.davis' });
    assert.equal(status, 'success');
    assert.deepEqual(forms.map(Object.keys), [['approve']]);
    const { data } = await call(client, 'get_employee', { employee_id: 'frank.davis' });
    assert.equal(data.active, false);
  },

  async 'offers its prompt'({ connect }) {
    const client = await connect();
    const { prompts } = await client.listPrompts();
    assert.ok(prompts.some((prompt) => prompt.name === 'work_the_queue'));
    const { messages } = await client.getPrompt({ name: 'work_the_queue', arguments: { project_id: 'apollo' } });
    assert.match(messages[0].content.text, /apollo/);
  },

  async 'flags limit what a connection may do'({ connect, catalogue }) {
    const named = (wanted) => catalogue().filter(wanted).map((tool) => tool.name);
    assert.deepEqual(await names(await connect('--read-only')), named((tool) => tool.kind === 'read'));
    // The tools of the desk belong to every toolset.
    const ids = named((tool) => ['desk', 'ids'].includes(tool.toolset));
    assert.deepEqual(await names(await connect('--toolsets', 'ids')), ids);
    const frank = await connect('--as', 'frank.davis');
    assert.equal((await refused(frank, 'add_task', { user_id: 'nina.patel', title: 'Not mine' })).code, 403);
  },
};

async function run(name, { make, Transport, elicitation, protocol }, check) {
  const folder = mkdtempSync(join(tmpdir(), 'backoffice-'));
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, 'research.md'), '# Research\n');
  const env = { HOME: folder, BACKOFFICE_HOME: join(folder, 'data') };
  const open = [];
  const start = async (client, ...flags) => {
    open.push(client);
    const transport = new Transport({ command: server, args: ['mcp', ...flags], env, cwd: folder });
    // Version 1 tells the version it agreed on to nobody but a transport that wants to know.
    if (Transport === TransportV1) transport.setProtocolVersion = (version) => (client.agreed = version);
    await client.connect(transport);
    // The SDK checks answers against the schemas it has seen.
    await client.listTools();
    return client;
  };
  const connect = (...flags) => start(make(), ...flags);
  // A client with a person, who fills in one form after the other and declines the rest.
  const ask = async (...contents) => {
    const client = make({ capabilities: { elicitation: {} } });
    const forms = [];
    client.setRequestHandler(elicitation, ({ params }) => {
      forms.push(params.requestedSchema.properties);
      return contents.length ? { action: 'accept', content: contents.shift() } : { action: 'decline' };
    });
    return { client: await start(client), forms };
  };
  const catalogue = () => JSON.parse(execFileSync(server, ['tools', '--json'], { env, cwd: folder }));
  try {
    await checks[check]({ connect, ask, catalogue, protocol, folder });
    console.log(`ok   typescript ${name}: ${check}`);
  } catch (error) {
    console.log(`FAIL typescript ${name}: ${check}: ${String(error?.stack ?? error).replace(/\s+/g, ' ')}`);
  } finally {
    await Promise.all(open.map((client) => client.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const [name, client] of Object.entries(clients)) {
  for (const check of Object.keys(checks)) await run(name, client, check);
}
