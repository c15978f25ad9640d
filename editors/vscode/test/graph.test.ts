import assert from "node:assert/strict";
import { beforeEach, mock as timers, test } from "node:test";
import { nodeAt, noteOf, Preview, type Graph } from "../src/graph";
import { graphPage } from "../src/page";
import { documentOf, editorOf, range, serverOf, settled } from "./editor";
import * as mock from "./vscode";

const graph: Graph = {
  name: "flow",
  svg: '<svg><g data-node="a"/><g data-node="b"/><g data-node="a &amp; &#34;b&#34;"/></svg>',
  stale: false,
  nodes: [
    { key: "a", range: range(2, 9), selectionRange: range(2, 2) },
    { key: "inner", range: range(4, 5), selectionRange: range(4, 4) },
    { key: "b", range: range(6, 8), selectionRange: range(6, 6) },
    { key: 'a & "b"', range: range(10, 11), selectionRange: range(10, 10) },
  ],
};

beforeEach(() => mock.reset());

test("the node at the cursor is the innermost one with a box", () => {
  for (const [line, want] of [[0, undefined], [2, "a"], [4, "a"], [7, "b"], [9, "a"], [10, 'a & "b"'], [12, undefined]] as const) {
    assert.equal(nodeAt(graph, line, 3), want, `line ${line}`);
  }
});

test("the page loads nothing, and runs only the script with the nonce", () => {
  const page = graphPage("N0NCE");
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
  assert.equal(policy, "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-N0NCE';");
  assert.doesNotMatch(page, /https?:|\ssrc=|href=|\son\w+=|\sstyle=/);
  assert.equal(page.match(/<(script|style)\b/g)?.length, 2);
  assert.equal(page.match(/<script nonce="N0NCE">/g)?.length, 1);
});

test("the preview follows the cursor, the text and the active file, and a click moves the cursor", async () => {
  timers.timers.enable({ apis: ["setTimeout"] });
  try {
    let answer: Graph | null = graph;
    const server = serverOf({ "wfc/graph": () => answer });
    const preview = new Preview(server);
    const document = documentOf("/flows/flow.yaml");
    const editor = editorOf(document, 3);
    preview.show();
    await settled();
    const [panel] = mock.state.panels;
    assert.ok(panel);
    assert.deepEqual(panel.options["localResourceRoots"], []);
    assert.equal(panel.title, "Graph: flow");
    assert.deepEqual(panel.sent.pop(), { svg: graph.svg, note: "", here: "a" });

    editor.selection.active = new mock.Position(7, 0);
    mock.events.selection.fire({ textEditor: editor });
    assert.deepEqual(panel.sent.pop(), { here: "b" });

    answer = { ...graph, stale: true };
    mock.events.change.fire({ document });
    mock.events.change.fire({ document });
    assert.equal(server.asked.length, 1);
    timers.timers.tick(150);
    await settled();
    assert.equal(server.asked.length, 2);
    assert.match(String(panel.sent.pop()?.["note"]), /last version/);

    panel.receive({ node: "b" });
    await settled();
    assert.deepEqual(mock.state.shown[0]?.options.selection, new mock.Range(6, 0, 6, 80));
    panel.receive({ node: "unknown" });
    panel.receive({ ready: true });
    assert.equal(panel.sent.pop()?.["svg"], graph.svg);

    answer = null;
    mock.events.activeEditor.fire(editorOf(documentOf("/flows/other.yaml")));
    await settled();
    assert.match(String(panel.sent.pop()?.["note"]), /not a workflow/);

    panel.dispose();
    mock.events.change.fire({ document });
    timers.timers.tick(1000);
    assert.equal(server.asked.length, 3);
    preview.show();
    assert.equal(mock.state.panels.length, 2);
    preview.dispose();
    assert.ok(mock.state.panels[1]?.disposed);
  } finally {
    timers.timers.reset();
  }
});

test("the note says why there is no picture", () => {
  assert.match(noteOf(undefined, false), /does not run/);
  assert.match(noteOf(undefined, true), /not a workflow/);
  assert.equal(noteOf(graph, true), "");
});
