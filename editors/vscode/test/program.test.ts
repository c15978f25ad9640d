import assert from "node:assert/strict";
import { test } from "node:test";
import { findProgram, type Surroundings } from "../src/program";

function at(files: string[], change: Partial<Surroundings> = {}): Surroundings {
  return { env: { PATH: "/usr/bin:/opt/bin:relative" }, home: "/home/ann", folder: "/flows", platform: "linux", isFile: (file) => files.includes(file), ...change };
}

test("a program is found on the PATH, by its path, and below the home folder and the workspace", () => {
  const windows = { platform: "win32" as const, env: { Path: "C:\\bin" }, folder: "C:\\work" };
  for (const [setting, surroundings, want] of [
    ["wfc", at(["/opt/bin/wfc"]), "/opt/bin/wfc"],
    ["wfc", at(["/usr/bin/wfc", "/opt/bin/wfc"]), "/usr/bin/wfc"],
    ["", at(["/usr/bin/wfc"]), "/usr/bin/wfc"],
    ["wfc", at(["/flows/relative/wfc", "/flows/wfc"]), undefined],
    ["/a/wfc", at(["/a/wfc"]), "/a/wfc"],
    ["/a/wfc", at([]), undefined],
    ["~/go/bin/wfc", at(["/home/ann/go/bin/wfc"]), "/home/ann/go/bin/wfc"],
    ["bin/wfc", at(["/flows/bin/wfc"]), "/flows/bin/wfc"],
    ["./bin/wfc", at(["/flows/bin/wfc"], { folder: undefined }), undefined],
    ["${workspaceFolder}/bin/wfc", at(["/flows/bin/wfc"]), "/flows/bin/wfc"],
    ["${workspaceFolder}/bin/wfc", at(["/bin/wfc"], { folder: undefined }), undefined],
    ["wfc", at(["C:\\bin\\wfc.exe"], windows), "C:\\bin\\wfc.exe"],
    ["C:\\a\\wfc.exe", at(["C:\\a\\wfc.exe"], windows), "C:\\a\\wfc.exe"],
  ] as const) {
    assert.equal(findProgram(setting, surroundings), want, `${setting} with ${surroundings.platform}`);
  }
});
