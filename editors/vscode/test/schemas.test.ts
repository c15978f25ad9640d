import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, test } from "node:test";
import { offersSchemas, registerSchemas, schemaOf } from "../src/schemas";
import { documentOf } from "./editor";
import * as mock from "./vscode";

beforeEach(() => mock.reset());

test("a schema belongs to a file by its name, its folder or its comment", () => {
  for (const [file, text, want] of [
    ["/w/wfc.yaml", "", "config"],
    ["/w/flow.test.yaml", "", "test"],
    ["/w/.archon/workflows/deep/flow.yml", "", "archon"],
    ["/w/.archon/workflows/notes.md", "", undefined],
    ["/w/flow.yaml", "# wfc: dialect=lango\nname: x", "lango"],
    ["/w/flow.yaml", "name: x", undefined],
    ["/w/flow.yaml", "# wfc: dialect=other", undefined],
  ] as const) {
    assert.equal(schemaOf(file, text), want, file);
  }
});

test("schemas are offered by the setting, so that no finding appears twice", () => {
  assert.deepEqual(
    ["auto", "always", "never"].map((setting) => [offersSchemas(setting, true), offersSchemas(setting, false)]),
    [[false, true], [true, true], [false, false]],
  );
});

test("the extension YAML asks for the schema of a file and for its text", async () => {
  assert.equal(await registerSchemas("/none", () => true), false);
  mock.state.extensions.set("redhat.vscode-yaml", { activate: () => Promise.resolve(undefined) });
  assert.equal(await registerSchemas("/none", () => true), false);

  type Ask = (name: string) => string | undefined;
  let asks: [Ask, Ask] | undefined;
  const yaml = { registerContributor: (_name: string, schema: Ask, content: Ask) => Boolean((asks = [schema, content])) };
  mock.state.extensions.set("redhat.vscode-yaml", { activate: () => Promise.resolve(yaml) });
  const folder = mkdtempSync(path.join(tmpdir(), "schemas-"));
  try {
    writeFileSync(path.join(folder, "lango.schema.json"), "{}");
    let offered = true;
    assert.equal(await registerSchemas(folder, () => offered), true);
    assert.ok(asks);
    const [schema, content] = asks;
    documentOf("/w/flow.yaml", "# wfc: dialect=lango\n");
    assert.equal(schema("file:///w/flow.yaml"), "wfc-schema://schema/lango");
    assert.equal(schema("file:///w/wfc.yaml"), "wfc-schema://schema/config");
    assert.equal(schema("file:///w/other.yaml"), undefined);
    offered = false;
    assert.equal(schema("file:///w/flow.yaml"), undefined);
    assert.equal(content("wfc-schema://schema/lango"), "{}");
    assert.equal(content("wfc-schema://schema/.."), undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
