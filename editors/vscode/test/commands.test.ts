import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { registerCommands } from "../src/commands";
import { lensCommands, lenses } from "../src/server";
import { argumentsOf, matchersOf, Tasks } from "../src/tasks";
import { documentOf, editorOf } from "./editor";
import * as mock from "./vscode";

beforeEach(() => {
  mock.reset();
  mock.workspace.workspaceFolders = [{ uri: mock.Uri.file("/flows"), name: "flows" }];
});

async function call(name: string, ...args: unknown[]): Promise<mock.Task | undefined> {
  await mock.state.commands.get(name)?.(...args);
  return mock.state.tasks[0];
}

test("every command of a code lens is registered, and the server learns them", () => {
  registerCommands(() => "/bin/wfc");
  assert.deepEqual([...mock.state.commands.keys()].sort(), [...lensCommands].sort());
  const capabilities = { experimental: { other: true } };
  lenses.fillClientCapabilities(capabilities);
  assert.deepEqual(capabilities, { experimental: { other: true, commands: lensCommands } });
});

test("a command passes the file without a shell, whatever its name is", async () => {
  registerCommands(() => "/bin/wfc");
  const task = await call("wfc.run", "file:///flows/a%20b%3B%20rm%20-rf%20%24HOME.yaml");
  assert.deepEqual(task?.execution, new mock.ProcessExecution("/bin/wfc", ["run", "/flows/a b; rm -rf $HOME.yaml"], { cwd: "/flows" }));
});

test("a dry run and a test pass their flags", async () => {
  registerCommands(() => "/bin/wfc");
  await call("wfc.dryRun", "file:///flows/a.yaml");
  await call("wfc.test", "file:///flows/a.test.yaml", "^(a/it works)$");
  await call("wfc.test", "file:///flows/a.yaml");
  assert.deepEqual(
    mock.state.tasks.map((task) => task.execution.args),
    [
      ["run", "/flows/a.yaml", "--dry-run"],
      ["test", "/flows/a.test.yaml", "-v", "--run", "^(a/it works)$"],
      ["test", "/flows/a.yaml", "-v"],
    ],
  );
});

test("from the palette, a command saves and uses the active file", async () => {
  registerCommands(() => "/bin/wfc");
  const document = documentOf("/flows/flow.yaml", "", true);
  editorOf(document);
  const task = await call("wfc.run");
  assert.deepEqual(task?.execution.args, ["run", "/flows/flow.yaml"]);
  assert.equal(document.saved, 1);
});

test("a command without a saved file, or without wfc, starts nothing", async () => {
  registerCommands(() => undefined);
  assert.equal(await call("wfc.run"), undefined);
  assert.equal(await call("wfc.run", "untitled:Untitled-1"), undefined);
  assert.equal(mock.state.messages.length, 2);
  assert.equal(await call("wfc.run", "file:///flows/a.yaml"), undefined);
});

test("a check has the problem matcher only while the language server does not run", () => {
  assert.deepEqual(matchersOf("check", false), ["$wfc"]);
  assert.deepEqual(matchersOf("check", true), []);
  assert.deepEqual(matchersOf("test", false), []);
  assert.deepEqual(argumentsOf("check", ["a.yaml"]), ["check", "--format", "oneline", "a.yaml"]);
  assert.deepEqual(argumentsOf("test", []), ["test"]);
});

test("each folder has a task that checks it and one that tests it", () => {
  const provider = new Tasks(() => "/bin/wfc", () => false);
  const list = provider.provideTasks() as unknown as mock.Task[];
  assert.deepEqual(list.map((task) => task.definition), [
    { type: "wfc", command: "check", args: [] },
    { type: "wfc", command: "test", args: [] },
  ]);
  assert.deepEqual(new Tasks(() => undefined, () => false).provideTasks(), []);
});

test("a task of tasks.json gets its program, and one without a command is left alone", () => {
  const provider = new Tasks(() => "/bin/wfc", () => true);
  const resolve = (definition: Record<string, unknown>) =>
    provider.resolveTask({ definition, scope: undefined } as never) as unknown as mock.Task | undefined;
  const definition = { type: "wfc", command: "check", args: ["flows"] };
  const task = resolve(definition);
  assert.equal(task?.definition, definition);
  assert.deepEqual(task.execution.args, ["check", "--format", "oneline", "flows"]);
  assert.equal(resolve({ type: "wfc" }), undefined);
  assert.equal(resolve({ type: "wfc", command: "check", args: "flows" }), undefined);
});
