import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Range } from "vscode-languageclient/node";
import { contains, rangeOf } from "./nodes";
import { graphPage } from "./page";
import type { Server } from "./server";

/** A Graph is the answer to wfc/graph: the picture of a workflow and the ranges of its nodes. */
export interface Graph {
  name: string;
  svg: string;
  /** stale is true if the text does not parse: the picture is of an earlier version. */
  stale: boolean;
  nodes: { key: string; range: Range; selectionRange: Range }[];
}

/** nodeAt returns the key of the innermost node at a position: the one with the shortest range. */
export function nodeAt(graph: Graph, line: number, character: number): string | undefined {
  let best: Graph["nodes"][number] | undefined;
  for (const node of graph.nodes) {
    if (contains(node.range, line, character) && isDrawn(graph, node.key) && (best === undefined || lines(node.range) <= lines(best.range))) {
      best = node;
    }
  }
  return best?.key;
}

function lines(range: Range): number {
  return range.end.line - range.start.line;
}

/** isDrawn reports whether a node has a box: nodes inside others may have none. */
function isDrawn(graph: Graph, key: string): boolean {
  const name = key.replaceAll("&", "&amp;").replaceAll('"', "&#34;").replaceAll("'", "&#39;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return graph.svg.includes(`data-node="${name}"`);
}

/** The milliseconds after the last key before a preview asks for a new picture. */
const pause = 150;

/** A Preview shows the graph of the active workflow beside its text, and marks the node of the cursor. */
export class Preview implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private document: vscode.TextDocument | undefined;
  private graph: Graph | undefined;
  private asked = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (this.panel !== undefined && editor?.document.languageId === "yaml") {
          void this.draw(editor.document);
        }
      }),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (event.textEditor.document === this.document) {
          this.follow();
        }
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === this.document) {
          clearTimeout(this.timer);
          this.timer = setTimeout(() => void this.draw(event.document), pause);
        }
      }),
    ];
  }

  /** show opens the preview beside the active editor. */
  show(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document === undefined) {
      return;
    }
    if (this.panel === undefined) {
      this.panel = vscode.window.createWebviewPanel(
        "wfc.graph",
        "Graph",
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: false },
      );
      this.panel.onDidDispose(() => this.close());
      this.panel.webview.onDidReceiveMessage((message: { ready?: boolean; node?: string }) => {
        if (message.ready) {
          this.send(true); // also when the panel was hidden and its page is new
        } else if (typeof message.node === "string") {
          void this.reveal(message.node);
        }
      });
      this.panel.webview.html = graphPage(randomBytes(16).toString("hex"));
    }
    this.panel.reveal(undefined, true);
    void this.draw(document);
  }

  private async draw(document: vscode.TextDocument): Promise<void> {
    const number = ++this.asked;
    const graph = await this.server.request<Graph>("wfc/graph", { textDocument: { uri: document.uri.toString() } });
    if (number !== this.asked || this.panel === undefined) {
      return;
    }
    this.document = document;
    this.graph = graph ?? undefined;
    this.panel.title = graph == null ? "Graph" : `Graph: ${graph.name}`;
    this.send(true);
  }

  /** follow marks the node of the cursor. */
  private follow(): void {
    this.send(false);
  }

  private send(picture: boolean): void {
    const { graph } = this;
    const cursor = vscode.window.visibleTextEditors.find((editor) => editor.document === this.document)?.selection.active;
    const here = graph === undefined || cursor === undefined ? undefined : nodeAt(graph, cursor.line, cursor.character);
    void this.panel?.webview.postMessage(picture ? { svg: graph?.svg ?? "", note: noteOf(graph, this.server.running()), here } : { here });
  }

  private async reveal(key: string): Promise<void> {
    const node = this.graph?.nodes.find((node) => node.key === key);
    if (node === undefined || this.document === undefined) {
      return;
    }
    const column = vscode.window.visibleTextEditors.find((editor) => editor.document === this.document)?.viewColumn;
    await vscode.window.showTextDocument(this.document, {
      selection: rangeOf(node.selectionRange),
      viewColumn: column ?? vscode.ViewColumn.One,
    });
  }

  private close(): void {
    clearTimeout(this.timer);
    this.asked++;
    this.panel = this.document = this.graph = undefined;
  }

  dispose(): void {
    this.panel?.dispose();
    this.close();
    this.subscriptions.forEach((subscription) => void subscription.dispose());
  }
}

/** noteOf returns the line above the picture. */
export function noteOf(graph: Graph | undefined, running: boolean): string {
  if (!running) {
    return "The language server does not run.";
  }
  if (graph === undefined) {
    return "This file is not a workflow, or its text does not parse yet.";
  }
  return graph.stale ? "The text does not parse. This is its last version that did." : "";
}
