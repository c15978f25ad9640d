// Opens the extension in a real editor: code-server, which contains a build of VS Code, with
// Chromium as its browser. For a broken workflow of each format, it waits for the squiggle,
// the hover and the fix; then it follows the cursor in the graph.
//
// Usage: node smoke.mjs FOLDER WFC VSIX SCREENSHOTS, where FOLDER is that of install.sh.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { broken, tests, works } from "./files.mjs";

const [installed, wfc, vsix, pictures] = process.argv.slice(2).map((name) => path.resolve(name));
const { chromium } = createRequire(path.join(installed, "package.json"))("playwright-core");
const entry = path.join(installed, "node_modules/code-server/out/node/entry.js");

const home = mkdtempSync(path.join(tmpdir(), "wfc-smoke-"));
const project = path.join(home, "project");
const profile = path.join(home, "profile");
const options = ["--config", path.join(home, "config.yaml"), "--user-data-dir", profile, "--extensions-dir", path.join(home, "extensions")];
mkdirSync(project);
mkdirSync(path.join(profile, "User"), { recursive: true });
mkdirSync(path.join(profile, "Machine"));
mkdirSync(pictures, { recursive: true });
writeFileSync(path.join(home, "config.yaml"), "auth: none\ncert: false\n");
// The editor reads paths of programs from the settings of the machine on which they are.
writeFileSync(path.join(profile, "Machine/settings.json"), JSON.stringify({ "wfc.path": wfc }));
writeFileSync(
  path.join(profile, "User/settings.json"),
  JSON.stringify({
    "wfc.trace.server": "messages",
    "security.workspace.trust.enabled": false,
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
    "editor.minimap.enabled": false,
    "editor.hover.delay": 100,
  }),
);
for (const { name, text } of broken) {
  writeFileSync(path.join(project, name), text);
}
writeFileSync(path.join(project, "works.yaml"), works);
writeFileSync(path.join(project, "works.test.yaml"), tests);

const env = { ...process.env, HOME: home, VSCODE_IPC_HOOK_CLI: "" };
const install = spawnSync(process.execPath, [entry, ...options, "--install-extension", vsix], { env, encoding: "utf8" });
assert.equal(install.status, 0, install.stdout + install.stderr);

const server = spawn(process.execPath, [entry, ...options, "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"], { env });
let browser;
let failed = true;
try {
  const address = await listening(server);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
  page.setDefaultTimeout(60_000);
  await page.goto(`${address}/?folder=${encodeURIComponent(project)}`);
  for (const sample of broken) {
    await fix(page, sample);
  }
  await checkTests(page);
  await checkGraph(page);
  failed = false;
} finally {
  if (failed && browser !== undefined) {
    await browser.contexts()[0]?.pages()[0]?.screenshot({ path: path.join(pictures, "failed.png") });
  }
  await browser?.close();
  server.kill();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`the extension shows squiggle, hover and fix for ${broken.length} formats, tests and the graph; screenshots: ${pictures}`);

/** listening waits for the address that the server prints. */
function listening(child) {
  return new Promise((resolve, reject) => {
    let printed = "";
    const read = (chunk) => {
      printed += chunk;
      const address = /HTTP server listening on (http:\/\/[^\s/]+)/.exec(printed);
      if (address !== null) {
        resolve(address[1]);
      }
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`code-server ended with ${code}:\n${printed}`)));
  });
}

/** open opens a file of the project from the Explorer. */
async function open(page, name) {
  await page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`).dblclick();
  await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
}

/** word returns the place of a word in the text of the editor. */
function word(page, text) {
  return page.locator(".monaco-editor .view-line span span", { hasText: text }).first();
}

/** line returns the place of a line in the text of the editor. */
function line(page, text) {
  return page.locator(".monaco-editor .view-line > span", { hasText: text }).first();
}

/** fix waits for the squiggle below the wrong key, its hover and its fix, and applies it. */
async function fix(page, { name, wrong, right }) {
  await open(page, name);
  const squiggles = page.locator(".monaco-editor .squiggly-error");
  await squiggles.first().waitFor({ state: "attached" });
  assert.equal(await squiggles.count(), 1, `${name}: one squiggle`);

  // A code lens moves the lines below it.
  await page.locator(".codelens-decoration a", { hasText: "Dry run" }).waitFor();
  await word(page, wrong).hover();
  const hover = page.locator(".monaco-hover:visible", { hasText: "WFC125" });
  await hover.waitFor();
  assert.match(await hover.innerText(), new RegExp(`unknown key .?${wrong}`), `${name}: hover`);
  await page.screenshot({ path: path.join(pictures, `${name}-1-hover.png`) });

  await word(page, wrong).click();
  await page.keyboard.press("Control+.");
  const action = page.locator(".action-widget .monaco-list-row", { hasText: new RegExp(`replace with .${right}.`, "i") });
  await action.waitFor();
  await page.screenshot({ path: path.join(pictures, `${name}-2-fix.png`) });
  assert.match(await action.getAttribute("class"), /focused/, `${name}: the fix is the first action`);
  await page.keyboard.press("Enter"); // a layer of the editor intercepts clicks
  await page.locator(".monaco-editor .view-line", { hasText: wrong }).waitFor({ state: "detached" });
  await word(page, right).waitFor();
  await squiggles.first().waitFor({ state: "detached" });
}

/** checkTests waits for the fault of a test file, and for the code lens that runs its test. */
async function checkTests(page) {
  await open(page, "works.test.yaml");
  await page.locator(".monaco-editor .squiggly-error").first().waitFor({ state: "attached" });
  await page.locator(".codelens-decoration a", { hasText: "Run test" }).waitFor();
  await page.screenshot({ path: path.join(pictures, "works.test.yaml.png") });
}

/** checkGraph opens the graph and the tree of nodes, follows the cursor, and clicks on a box. */
async function checkGraph(page) {
  await open(page, "works.yaml");
  for (const lens of ["Run", "Dry run", "1 test"]) {
    await page.locator(".codelens-decoration a", { hasText: new RegExp(`^${lens}$`) }).first().waitFor();
  }
  await page.keyboard.press("F1");
  await page.keyboard.type("wfc: Show Graph");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Show Graph" }).first().click();
  const graph = page.frameLocator("iframe.webview.ready").frameLocator("iframe");
  await graph.locator('[data-node="hello"]').waitFor();
  await line(page, "- id: hello").click();
  await graph.locator('[data-node="hello"].here').waitFor();
  await line(page, "- id: answer").click();
  await graph.locator('[data-node="answer"].here').waitFor();
  assert.equal(await graph.locator(".here").count(), 1, "one node is marked");
  await graph.locator('[data-node="hello"]').click();
  await graph.locator('[data-node="hello"].here').waitFor();
  const tree = page.locator(".pane", { hasText: "Workflow Nodes" });
  await tree.locator(".pane-header").click();
  await tree.locator(".monaco-list-row", { hasText: "answer" }).waitFor();
  await page.screenshot({ path: path.join(pictures, "works.yaml-graph.png") });

  // Unsaved text: the picture changes with it.
  await word(page, "answer").dblclick();
  await page.keyboard.type("reply");
  await graph.locator('[data-node="reply"]').waitFor();
  assert.equal(await page.locator(".notification-list-item").count(), 0, "no message");
}
