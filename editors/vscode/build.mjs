// Bundles the extension into out/extension.js, with the licences of what it contains in
// out/NOTICES.txt; with --tests, bundles its tests into out/test, where test/vscode.ts replaces
// the editor.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "out/extension.js",
    external: ["vscode"],
    minify: process.argv.includes("--minify"),
    metafile: true,
  });
  writeFileSync("out/NOTICES.txt", notices(Object.keys(metafile.inputs)));
}

/** notices returns the licences of the packages to which files belong. It throws for an unknown licence. */
function notices(files) {
  const accepted = ["MIT", "ISC", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"];
  const folders = files.map((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean);
  return [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!accepted.includes(license) || file === undefined) {
      throw new Error(`${name} ${version} has the licence ${license}, and the licence file ${file}`);
    }
    return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
  }).join("\n----\n\n");
}
