#!/usr/bin/env node
// Starts the program wfc, which is in a package of its own for each system.
"use strict";

const { spawn } = require("node:child_process");

const target = `${process.platform}-${process.arch}`;
const name = `@wfc-lang/wfc-${target}`;
const file = process.platform === "win32" ? "wfc.exe" : "wfc";

let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `wfc: the package ${name} is missing. Either wfc has no package for ${target}, or npm left ` +
      "optional dependencies out (--omit=optional, --no-optional). Install wfc again without that option.",
  );
  process.exit(3);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends its signals to wfc, too; other senders mean this process alone.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`wfc: start ${program}: ${error.message}`);
  process.exit(3);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
