import * as vscode from "vscode";
import { taskOf } from "./commands";

/** matchersOf returns the problem matchers of a task: none while the language server shows the same findings. */
export function matchersOf(command: string, serverRuns: boolean): string[] {
  return command === "check" && !serverRuns ? ["$wfc"] : [];
}

/** argumentsOf returns the arguments of wfc for a task. A check prints one finding a line, as the problem matcher reads it. */
export function argumentsOf(command: string, args: string[]): string[] {
  return [command, ...(command === "check" ? ["--format", "oneline"] : []), ...args];
}

/** Tasks provides the tasks that check and test a folder, and those of tasks.json with the type wfc. */
export class Tasks implements vscode.TaskProvider {
  constructor(
    private readonly program: () => string | undefined,
    private readonly serverRuns: () => boolean,
  ) {}

  provideTasks(): vscode.Task[] {
    const list: vscode.Task[] = [];
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      for (const command of ["check", "test"]) {
        const task = this.make(command, [], folder);
        if (task !== undefined) {
          task.group = command === "check" ? vscode.TaskGroup.Build : vscode.TaskGroup.Test;
          list.push(task);
        }
      }
    }
    return list;
  }

  resolveTask(task: vscode.Task): vscode.Task | undefined {
    const { command, args } = task.definition as { command?: unknown; args?: unknown };
    const folder = typeof task.scope === "object" ? task.scope : vscode.workspace.workspaceFolders?.[0];
    if (typeof command !== "string" || (args !== undefined && !isStrings(args))) {
      return undefined;
    }
    const made = this.make(command, args ?? [], folder);
    if (made !== undefined) {
      made.definition = task.definition; // the editor finds the task by it
    }
    return made;
  }

  private make(command: string, args: string[], folder: vscode.WorkspaceFolder | undefined): vscode.Task | undefined {
    const program = this.program();
    if (program === undefined) {
      return undefined;
    }
    const call = { title: [command, ...args].join(" "), args: argumentsOf(command, args) };
    const task = taskOf(program, call, folder, matchersOf(command, this.serverRuns()));
    task.definition = { type: "wfc", command, args };
    return task;
  }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
