import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Package {
  main: string;
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, { default: unknown }> };
    menus: Record<string, { command: string }[]>;
    problemMatchers: { pattern: Record<string, string | number> & { regexp: string } }[];
    snippets: { path: string }[];
  };
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Package;
const source = ["extension", "commands", "schemas"].map((name) => readFileSync(`src/${name}.ts`, "utf8")).join("");

test("each command and setting of the package has code", () => {
  for (const { command } of manifest.contributes.commands) {
    assert.ok(source.includes(`"${command}"`), command);
  }
  const settings = Object.keys(manifest.contributes.configuration.properties);
  for (const name of settings.filter((name) => name !== "wfc.trace.server")) { // the language client reads that one
    assert.ok(source.includes(`"${name.replace(/^wfc\./, "")}"`), name);
  }
  const known = manifest.contributes.commands.map(({ command }) => command);
  for (const { command } of Object.values(manifest.contributes.menus).flat()) {
    assert.ok(known.includes(command), command);
  }
});

test("the readme describes each setting with its default", () => {
  const readme = readFileSync("README.md", "utf8");
  for (const [name, { default: value }] of Object.entries(manifest.contributes.configuration.properties)) {
    assert.ok(readme.includes(`| \`${name}\` | \`${String(value)}\` |`), name);
  }
});

test("the problem matcher reads a line of wfc check", () => {
  const [matcher] = manifest.contributes.problemMatchers;
  assert.ok(matcher);
  const { regexp, file, line, column, severity, code, message } = matcher.pattern;
  for (const [text, want] of [
    ["flow.yaml:5:7: error[WFC125]: unknown key `bsah` on a node", ["flow.yaml", "5", "7", "error", "WFC125", "unknown key `bsah` on a node"]],
    ["C:\\a b\\flow.yaml:15:17: note[WFC801]: x: y", ["C:\\a b\\flow.yaml", "15", "17", "note", "WFC801", "x: y"]],
  ] as const) {
    const found = new RegExp(regexp).exec(text);
    assert.deepEqual([file, line, column, severity, code, message].map((group) => found?.[group as number]), want);
  }
});

test("the lock file names no registry", () => {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, { resolved?: string; integrity?: string }> };
  for (const [name, { resolved, integrity }] of Object.entries(lock.packages)) {
    assert.ok(resolved === undefined || resolved.startsWith("https://registry.npmjs.org/"), `${name}: ${resolved}`);
    assert.ok(name === "" || integrity !== undefined, `${name} has no checksum`);
  }
});
