import * as path from "node:path";
import * as vscode from "vscode";

/** An Invocation is a call of wfc: its title and its arguments. */
export interface Invocation {
  title: string;
  args: string[];
}

/** run returns the invocation that runs a workflow. */
export function run(file: string): Invocation {
  return { title: `run ${path.basename(file)}`, args: ["run", file] };
}

/** dryRun returns the invocation that prints the plan of a workflow. */
export function dryRun(file: string): Invocation {
  return { title: `dry run ${path.basename(file)}`, args: ["run", file, "--dry-run"] };
}

/** test returns the invocation that runs the tests of a workflow or a test file: those whose names match a pattern. */
export function test(file: string, pattern?: string): Invocation {
  const args = ["test", file, "-v"];
  if (pattern !== undefined) {
    args.push("--run", pattern);
  }
  return { title: `test ${path.basename(file)}`, args };
}

/**
 * taskOf makes a task of an invocation. The arguments go to the program without a shell, so
 * names of files and tests need no quotes.
 */
export function taskOf(program: string, call: Invocation, folder: vscode.WorkspaceFolder | undefined, matchers: string[] = []): vscode.Task {
  const options = folder === undefined ? {} : { cwd: folder.uri.fsPath };
  const task = new vscode.Task(
    { type: "wfc", command: call.args[0], args: call.args.slice(1) },
    folder ?? vscode.TaskScope.Workspace,
    call.title,
    "wfc",
    new vscode.ProcessExecution(program, call.args, options),
    matchers,
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
  return task;
}

/** perform saves a file and runs an invocation in a terminal. */
async function perform(program: () => string | undefined, uri: vscode.Uri, call: Invocation): Promise<void> {
  const found = program();
  if (found === undefined) {
    return;
  }
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open?.isDirty && !(await open.save())) {
    return;
  }
  await vscode.tasks.executeTask(taskOf(found, call, vscode.workspace.getWorkspaceFolder(uri)));
}

/**
 * registerCommands registers the commands of code lenses, which pass the URI of a file. From
 * the palette, a command uses the active editor. program returns the path of wfc; if there
 * is none, it has told the user.
 */
export function registerCommands(program: () => string | undefined): vscode.Disposable[] {
  const on = (name: string, invocation: (file: string, pattern?: string) => Invocation): vscode.Disposable =>
    vscode.commands.registerCommand(name, async (uri?: string | vscode.Uri, pattern?: string) => {
      const file = typeof uri === "string" ? vscode.Uri.parse(uri) : (uri ?? vscode.window.activeTextEditor?.document.uri);
      if (file === undefined || file.scheme !== "file") {
        void vscode.window.showInformationMessage("Open the file of a workflow, and save it.");
        return;
      }
      await perform(program, file, invocation(file.fsPath, typeof pattern === "string" ? pattern : undefined));
    });
  return [on("wfc.run", run), on("wfc.dryRun", dryRun), on("wfc.test", test)];
}
