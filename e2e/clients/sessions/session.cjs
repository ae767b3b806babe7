// Serves one session of a TypeScript client of MCP, as session.py does.
'use strict';
const readline = require('node:readline');

// Seconds; what both SDKs wait by default.
const PATIENCE = 60;

/**
 * @param {object} sdk Client, StreamableHTTPClientTransport and StdioClientTransport of an SDK
 * @param {function} call calls a tool: (client, parameters, options)
 */
exports.serve = async function serve(sdk, call) {
  const complaints = [];
  const [transport, first, ...rest] = process.argv.slice(2);
  const client = new sdk.Client({ name: 'e2e', version: '1' });
  client.onerror = (error) => complaints.push(String(error));
  await client.connect(
    transport === 'http'
      ? new sdk.StreamableHTTPClientTransport(new URL(first), {
          requestInit: { headers: { Authorization: `Bearer ${process.env.ASSAY_API_KEY}` } },
        })
      : new sdk.StdioClientTransport({ command: first, args: rest, env: process.env }),
  );

  const calls = new Map();
  const work = {
    async list() {
      const names = [];
      let cursor;
      do {
        const page = await client.listTools({ cursor });
        names.push(...page.tools.map((tool) => tool.name));
        cursor = page.nextCursor;
      } while (cursor);
      return { names };
    },
    async call({ id, tool, arguments: given }) {
      const abort = new AbortController();
      const running = call(client, { name: tool, arguments: given }, {
        signal: abort.signal,
        timeout: PATIENCE * 1000,
        onprogress: () => {},
      });
      calls.set(id, { abort, running });
      return { result: await running };
    },
    async read({ uri }) {
      return { result: await client.readResource({ uri }) };
    },
    async cancel({ call: id }) {
      const { abort, running } = calls.get(id);
      abort.abort('no longer needed');
      await running.catch(() => {});
      return {};
    },
    async complaints() {
      return { complaints: complaints.splice(0) };
    },
  };

  const answers = [];
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    answers.push(
      work[request.do](request)
        .catch((error) => ({ failed: String(error) }))
        .then((answer) => console.log(JSON.stringify({ id: request.id, ...answer }))),
    );
  }
  await Promise.all(answers);
  await client.close();
};
