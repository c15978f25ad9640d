// Bundles the extension into out/extension.js; with --tests, bundles its tests into out/test,
// where test/vscode.ts replaces the editor.
import { readdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const common = { bundle: true, platform: "node", target: "node20", format: "cjs", logLevel: "warning" };

if (process.argv.includes("--tests")) {
  rmSync("out/test", { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`),
    outdir: "out/test",
    alias: { vscode: "./test/vscode.ts" },
    sourcemap: "inline",
  });
} else {
  await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "out/extension.js",
    external: ["vscode"],
    minify: process.argv.includes("--minify"),
  });
}
