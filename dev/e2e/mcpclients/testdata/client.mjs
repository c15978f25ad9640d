// The official TypeScript client of the Model Context Protocol, driven by lines.
//
//   node client.mjs FOLDER PROGRAM [ARG…]
//
// FOLDER holds node_modules with @modelcontextprotocol/sdk. The first line that
// this program prints is the list of tools. Then it reads calls from standard
// input, {"tool": …, "arguments": …} a line, and answers each with a line: the
// result, or {"broken": why} if the client does not accept it.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, command, ...args] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, cwd: process.cwd(), env: process.env, stderr: "inherit" }));
try {
  say(await client.listTools());
} catch (e) {
  say({ broken: String(e) });
}
for await (const line of createInterface({ input: process.stdin })) {
  const { tool, arguments: given } = JSON.parse(line);
  try {
    say(await client.callTool({ name: tool, arguments: given }));
  } catch (e) {
    say({ broken: String(e) });
  }
}
await client.close();
