import * as vscode from "vscode";
import type { DocumentSelector, LanguageClientOptions, ServerOptions, StaticFeature } from "vscode-languageclient/node";

/** A Server answers requests while it runs. */
export interface Server {
  /** running reports whether the language server runs. */
  running(): boolean;
  /** request returns undefined if the server does not run. */
  request<T>(method: string, params: unknown): Promise<T | null | undefined>;
}

/** The files that the server reads: workflows and their configuration, prompts, and scripts. */
export const selector: DocumentSelector = [
  { scheme: "file", language: "yaml" },
  { scheme: "file", language: "markdown" },
  { scheme: "file", pattern: "**/scripts/*.{ts,js,py}" },
];

/** The commands of code lenses that this extension performs. */
export const lensCommands = ["wfc.run", "wfc.dryRun", "wfc.test"];

/** serverOptions start a program as a language server on its standard input and output. */
export function serverOptions(program: string): ServerOptions {
  return { command: program, args: ["lsp"] };
}

/** clientOptions are those of the language client. */
export function clientOptions(log: vscode.LogOutputChannel, trace: vscode.LogOutputChannel): LanguageClientOptions {
  return {
    documentSelector: selector,
    diagnosticCollectionName: "wfc",
    outputChannel: log,
    traceOutputChannel: trace,
    markdown: { isTrusted: false, supportHtml: false },
  };
}

/** lenses tells the server which commands the editor performs. Without it, there are no code lenses. */
export const lenses: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const experimental = (capabilities.experimental ?? {}) as Record<string, unknown>;
    capabilities.experimental = { ...experimental, commands: lensCommands };
  },
  initialize() {},
  getState() {
    return { kind: "static" };
  },
  clear() {},
};
