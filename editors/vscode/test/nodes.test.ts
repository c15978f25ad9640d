import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Uri } from "vscode";
import { Nodes } from "../src/nodes";
import { documentOf, range, serverOf, textDocument } from "./editor";
import * as mock from "./vscode";

const symbols = [
  { name: "topic", kind: 14, range: range(2, 2), selectionRange: range(2, 2), detail: "string" },
  {
    name: "fetch",
    kind: 12,
    range: range(4, 9),
    selectionRange: range(4, 4),
    detail: "bash",
    children: [{ name: "title", kind: 8, range: range(6, 7), selectionRange: range(6, 6) }],
  },
];

beforeEach(() => mock.reset());

function positionOf(line: number) {
  return new mock.Position(line, 4) as never;
}

test("the tree has the names of the workflow, finds the innermost one at the cursor, and leads to its place", async () => {
  const nodes = new Nodes(serverOf({ "textDocument/documentSymbol": () => symbols }));
  let changes = 0;
  nodes.onDidChangeTreeData(() => changes++);
  const document = documentOf("/flows/flow.yaml");
  await nodes.load(textDocument(document));
  assert.equal(changes, 1);
  assert.ok(nodes.isWorkflow());
  const [topic, fetch] = nodes.getChildren();
  const [title] = nodes.getChildren(fetch);
  assert.ok(topic && fetch && title);
  assert.equal(nodes.getParent(title), fetch);
  const uri = document.uri as unknown as Uri;
  assert.equal(nodes.at(uri, positionOf(6)), title);
  assert.equal(nodes.at(uri, positionOf(9)), fetch);
  assert.equal(nodes.at(uri, positionOf(3)), undefined);
  assert.equal(nodes.at(mock.Uri.file("/flows/other.yaml") as unknown as Uri, positionOf(6)), undefined);
  const item = nodes.getTreeItem(fetch);
  assert.equal(item.description, "bash");
  assert.equal(item.collapsibleState, mock.TreeItemCollapsibleState.Collapsed);
  assert.deepEqual(item.command?.arguments, [document.uri, { selection: new mock.Range(4, 0, 4, 80) }]);
});

test("a file without nodes is not a workflow, and without a server the tree is empty", async () => {
  const keys = [{ name: "tests", kind: 20, range: range(0, 1), selectionRange: range(0, 0) }];
  const nodes = new Nodes(serverOf({ "textDocument/documentSymbol": () => keys }));
  await nodes.load(textDocument(documentOf("/flows/flow.test.yaml")));
  assert.ok(!nodes.isWorkflow());
  assert.equal(nodes.getChildren().length, 1);
  await nodes.load(undefined);
  assert.deepEqual(nodes.getChildren(), []);
  const stopped = new Nodes({ running: () => false, request: () => Promise.resolve(undefined) });
  await stopped.load(textDocument(documentOf("/flows/flow.yaml")));
  assert.deepEqual(stopped.getChildren(), []);
});

test("an answer that a later question overtakes is dropped", async () => {
  const answers: ((list: unknown) => void)[] = [];
  const nodes = new Nodes(serverOf({ "textDocument/documentSymbol": () => new Promise((resolve) => answers.push(resolve)) }));
  const first = nodes.load(textDocument(documentOf("/flows/a.yaml")));
  const second = nodes.load(textDocument(documentOf("/flows/b.yaml")));
  answers[1]?.([symbols[1]]);
  await second;
  answers[0]?.([symbols[0]]);
  await first;
  assert.deepEqual(nodes.getChildren().map((item) => item.symbol.name), ["fetch"]);
});
