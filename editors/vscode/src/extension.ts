import * as path from "node:path";
import * as vscode from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";
import { registerCommands } from "./commands";
import { Preview } from "./graph";
import { Nodes } from "./nodes";
import { findProgram, surroundings } from "./program";
import { offersSchemas, registerSchemas } from "./schemas";
import { clientOptions, lenses, serverOptions, type Server } from "./server";
import { Tasks } from "./tasks";

const installation = "https://github.com/wfc-lang/wfc/blob/main/docs/install.md";

/** A Connection is the language server that runs now. */
class Connection implements Server {
  private client: LanguageClient | undefined;
  private readonly started = new vscode.EventEmitter<void>();
  readonly onDidStart = this.started.event;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly trace: vscode.LogOutputChannel,
  ) {}

  running(): boolean {
    return this.client?.state === State.Running;
  }

  async request<T>(method: string, params: unknown): Promise<T | null | undefined> {
    if (this.client === undefined || !this.running()) {
      return undefined;
    }
    try {
      return await this.client.sendRequest<T | null>(method, params);
    } catch (error) {
      this.log.warn(`${method}: ${String(error)}`);
      return undefined;
    }
  }

  /** restart stops the server and, unless program is undefined, starts another. Calls follow one another. */
  restart(program: () => string | undefined): Promise<void> {
    this.work = this.work.catch(() => undefined).then(async () => {
      const old = this.client;
      this.client = undefined;
      await old?.dispose();
      const found = program();
      if (found === undefined) {
        return;
      }
      this.log.info(`start ${found} lsp`);
      const client = new LanguageClient("wfc", "wfc", serverOptions(found), clientOptions(this.log, this.trace));
      client.registerFeature(lenses);
      client.onDidChangeState(({ newState }) => {
        if (newState === State.Running) {
          this.started.fire();
        }
      });
      this.client = client;
      await client.start();
    });
    return this.work.catch((error: unknown) => this.log.error(`the language server did not start: ${String(error)}`));
  }
}

function setting<T>(name: string): T {
  return vscode.workspace.getConfiguration("wfc").get<T>(name) as T;
}

/** locate returns the path of wfc, or undefined after it has told the user. */
function locate(): string | undefined {
  const name = setting<string>("path");
  const found = findProgram(name, surroundings(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath));
  if (found === undefined) {
    void vscode.window.showErrorMessage(`The program \`${name}\` was not found. Install wfc, or set wfc.path.`, "Install", "Settings").then((choice) => {
      switch (choice) {
        case "Install":
          return vscode.env.openExternal(vscode.Uri.parse(installation));
        case "Settings":
          return vscode.commands.executeCommand("workbench.action.openSettings", "wfc.path");
        default:
          return undefined;
      }
    });
  }
  return found;
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("wfc", { log: true });
  const trace = vscode.window.createOutputChannel("wfc trace", { log: true });
  const server = new Connection(log, trace);
  const start = (): Promise<void> => server.restart(() => (setting<boolean>("server") ? locate() : undefined));
  const nodes = new Nodes(server);
  const preview = new Preview(server);
  const tree = vscode.window.createTreeView("wfc.nodes", { treeDataProvider: nodes });
  const tasks = new Tasks(() => findProgram(setting("path"), surroundings(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath)), () => server.running());

  const load = async (): Promise<void> => {
    const document = vscode.window.activeTextEditor?.document;
    const isYAML = document?.languageId === "yaml";
    await nodes.load(isYAML ? document : undefined);
    await vscode.commands.executeCommand("setContext", "wfc.isWorkflow", nodes.isWorkflow());
  };
  let pause: NodeJS.Timeout | undefined;
  context.subscriptions.push(
    log, trace, preview, tree,
    { dispose: () => clearTimeout(pause) },
    { dispose: () => server.restart(() => undefined) },
    ...registerCommands(locate),
    vscode.tasks.registerTaskProvider("wfc", tasks),
    vscode.commands.registerCommand("wfc.showGraph", () => preview.show()),
    vscode.commands.registerCommand("wfc.restartServer", start),
    vscode.commands.registerCommand("wfc.showLog", () => log.show()),
    server.onDidStart(() => void load()),
    vscode.window.onDidChangeActiveTextEditor((editor) => {
      if (editor !== undefined) {
        void load();
      }
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document) {
        clearTimeout(pause);
        pause = setTimeout(() => void load(), 300);
      }
    }),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      const item = tree.visible ? nodes.at(textEditor.document.uri, textEditor.selection.active) : undefined;
      if (item !== undefined) {
        void tree.reveal(item, { focus: false });
      }
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("wfc.path") || event.affectsConfiguration("wfc.server")) {
        void start();
      }
    }),
  );
  void registerSchemas(path.join(context.extensionPath, "schemas"), () => offersSchemas(setting("schemas"), server.running())).catch((error: unknown) =>
    log.warn(`schemas: ${String(error)}`),
  );
  await start();
}
