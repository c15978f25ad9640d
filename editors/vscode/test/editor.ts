import type * as vscode from "vscode";
import type { Server } from "../src/server";
import * as mock from "./vscode";

/** documentOf returns an open document. */
export function documentOf(path: string, text = "", isDirty = false): mock.Document & { saved: number } {
  const document = {
    uri: mock.Uri.file(path),
    languageId: "yaml",
    isDirty,
    saved: 0,
    save: () => Promise.resolve(++document.saved > 0),
    getText: () => text,
  };
  mock.workspace.textDocuments.push(document);
  return document;
}

/** editorOf returns the active editor of a document, with the cursor at a line. */
export function editorOf(document: mock.Document, line = 0): mock.Editor {
  const editor = { document, selection: { active: new mock.Position(line, 4) }, viewColumn: 1 };
  mock.window.activeTextEditor = editor;
  mock.window.visibleTextEditors = [editor];
  return editor;
}

/** textDocument is a document as the extension sees it. */
export function textDocument(document: mock.Document): vscode.TextDocument {
  return document as unknown as vscode.TextDocument;
}

/** serverOf returns a server that answers each method by a function. */
export function serverOf(answers: Record<string, (params: unknown) => unknown>): Server & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    running: () => true,
    request: async <T>(method: string, params: unknown) => {
      asked.push(method);
      return (await answers[method]?.(params)) as T;
    },
  };
}

/** range returns a range of the protocol that covers whole lines. */
export function range(start: number, end: number) {
  return { start: { line: start, character: 0 }, end: { line: end, character: 80 } };
}

/** settled resolves after all work that is ready has run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
