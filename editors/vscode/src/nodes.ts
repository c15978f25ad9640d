import * as vscode from "vscode";
import type { DocumentSymbol, Range } from "vscode-languageclient/node";
import type { Server } from "./server";

/** An Item is a name in the tree, with the item that contains it. */
export interface Item {
  symbol: DocumentSymbol;
  uri: vscode.Uri;
  parent: Item | undefined;
  children: Item[];
}

/** itemsOf makes items of symbols. */
export function itemsOf(symbols: DocumentSymbol[], uri: vscode.Uri, parent?: Item): Item[] {
  return symbols.map((symbol) => {
    const item: Item = { symbol, uri, parent, children: [] };
    item.children = itemsOf(symbol.children ?? [], uri, item);
    return item;
  });
}

/** itemAt returns the innermost item that contains a position. */
export function itemAt(items: Item[], line: number, character: number): Item | undefined {
  for (const item of items) {
    if (contains(item.symbol.range, line, character)) {
      return itemAt(item.children, line, character) ?? item;
    }
  }
  return undefined;
}

/** contains reports whether a range contains a position. Its end belongs to it. */
export function contains(range: Range, line: number, character: number): boolean {
  const { start, end } = range;
  return (
    (line > start.line || (line === start.line && character >= start.character)) &&
    (line < end.line || (line === end.line && character <= end.character))
  );
}

/** rangeOf converts a range of the protocol. */
export function rangeOf(range: Range): vscode.Range {
  return new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
}

/** The kind of symbol that the server uses for nodes: a function. */
const nodeKind = 12;

const icons: Partial<Record<number, string>> = {
  8: "symbol-field",
  [nodeKind]: "symbol-method",
  13: "symbol-variable",
  14: "symbol-constant",
  22: "symbol-enum-member",
};

/** Nodes is the tree of the names in a workflow. */
export class Nodes implements vscode.TreeDataProvider<Item> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private items: Item[] = [];
  private asked = 0;

  constructor(private readonly server: Server) {}

  /** load replaces the tree by that of a document. An answer that a later call overtakes is dropped. */
  async load(document: vscode.TextDocument | undefined): Promise<void> {
    const number = ++this.asked;
    const symbols =
      document === undefined
        ? null
        : await this.server.request<DocumentSymbol[]>("textDocument/documentSymbol", { textDocument: { uri: document.uri.toString() } });
    if (number !== this.asked) {
      return;
    }
    this.items = document === undefined ? [] : itemsOf(symbols ?? [], document.uri);
    this.changed.fire();
  }

  /** at returns the item of a position in a document. */
  at(uri: vscode.Uri, position: vscode.Position): Item | undefined {
    return this.items[0]?.uri.toString() === uri.toString() ? itemAt(this.items, position.line, position.character) : undefined;
  }

  /** isWorkflow reports whether the document declares nodes. */
  isWorkflow(): boolean {
    return this.items.some((item) => item.symbol.kind === nodeKind);
  }

  getChildren(item?: Item): Item[] {
    return item === undefined ? this.items : item.children;
  }

  getParent(item: Item): Item | undefined {
    return item.parent;
  }

  getTreeItem(item: Item): vscode.TreeItem {
    const state = item.children.length > 0 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None;
    const shown = new vscode.TreeItem(item.symbol.name, state);
    shown.description = item.symbol.detail ?? "";
    shown.iconPath = new vscode.ThemeIcon(icons[item.symbol.kind] ?? "symbol-key");
    shown.command = {
      command: "vscode.open",
      title: "Show in the workflow",
      arguments: [item.uri, { selection: rangeOf(item.symbol.selectionRange) }],
    };
    return shown;
  }
}
