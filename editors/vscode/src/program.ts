import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

/** The surroundings in which a program is searched. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  home: string;
  folder: string | undefined;
  platform: NodeJS.Platform;
  isFile(file: string): boolean;
}

/** surroundings returns those of this process, with the first folder of the workspace. */
export function surroundings(folder: string | undefined): Surroundings {
  return { env: process.env, home: os.homedir(), folder, platform: process.platform, isFile };
}

function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * findProgram returns the absolute path of a program, or undefined. The setting is a name on
 * the PATH, or a path: `~` is the home folder, and relative paths start at the workspace.
 */
export function findProgram(setting: string, at: Surroundings): string | undefined {
  const tools = at.platform === "win32" ? path.win32 : path.posix;
  let name = setting.trim() || "wfc";
  if (name === "~" || name.startsWith("~/") || name.startsWith("~\\")) {
    name = tools.join(at.home, name.slice(1));
  }
  if (name.includes("${workspaceFolder}")) {
    if (at.folder === undefined) {
      return undefined;
    }
    name = name.replaceAll("${workspaceFolder}", at.folder);
  }
  const endings = at.platform === "win32" && tools.extname(name) === "" ? [".exe", ".cmd", ".bat"] : [""];
  const folders = /[/\\]/.test(name)
    ? [tools.isAbsolute(name) ? "" : (at.folder ?? "")]
    : (at.env["PATH"] ?? at.env["Path"] ?? "").split(tools.delimiter).filter((folder) => tools.isAbsolute(folder));
  for (const folder of folders) {
    for (const ending of endings) {
      const file = tools.join(folder, name + ending);
      if (tools.isAbsolute(file) && at.isFile(file)) {
        return file;
      }
    }
  }
  return undefined;
}
