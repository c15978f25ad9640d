// The part of the editor's interface that the extension uses, for tests without an editor.
// `state` has what the extension did and what the next calls return.

type Listener<T> = (event: T) => unknown;

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>): { dispose(): void } => {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  };
  fire(event: T): void {
    this.listeners.forEach((listener) => listener(event));
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number) {
    this.start = new Position(startLine, startCharacter);
    this.end = new Position(endLine, endCharacter);
  }
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
  ) {}
  static parse(text: string): Uri {
    const [, scheme = "", path = ""] = /^([\w-]+):(?:\/\/)?(.*)$/.exec(text) ?? [];
    return new Uri(scheme, decodeURIComponent(path));
  }
  static file(path: string): Uri {
    return new Uri("file", path);
  }
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return `${this.scheme}://${encodeURI(this.path)}`;
  }
}

export class TreeItem {
  constructor(
    readonly label: string,
    readonly collapsibleState: number,
  ) {}
}
export class ThemeIcon {
  constructor(readonly id: string) {}
}
export class ProcessExecution {
  constructor(
    readonly process: string,
    readonly args: string[],
    readonly options: { cwd?: string },
  ) {}
}
export class Task {
  constructor(
    public definition: Record<string, unknown>,
    readonly scope: unknown,
    readonly name: string,
    readonly source: string,
    readonly execution: ProcessExecution,
    readonly problemMatchers: string[],
  ) {}
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const TaskScope = { Global: 1, Workspace: 2 };
export const TaskRevealKind = { Always: 1 };
export const TaskPanelKind = { Dedicated: 2 };
export const TaskGroup = { Build: "build", Test: "test" };
export const ViewColumn = { Beside: -2, One: 1 };

export class Panel {
  title = "";
  disposed = false;
  readonly sent: Record<string, unknown>[] = [];
  private readonly received = new EventEmitter<unknown>();
  private readonly closed = new EventEmitter<void>();
  readonly webview = {
    html: "",
    postMessage: (message: Record<string, unknown>) => Promise.resolve(this.sent.push(message) > 0),
    onDidReceiveMessage: this.received.event,
  };
  readonly onDidDispose = this.closed.event;
  constructor(readonly options: Record<string, unknown>) {}
  receive(message: unknown): void {
    this.received.fire(message);
  }
  reveal(): void {}
  dispose(): void {
    this.disposed = true;
    this.closed.fire();
  }
}

export interface Document {
  uri: Uri;
  languageId: string;
  isDirty: boolean;
  save(): Promise<boolean>;
  getText(): string;
}
export interface Editor {
  document: Document;
  selection: { active: Position };
  viewColumn: number;
}

const empty = () => ({
  commands: new Map<string, (...args: unknown[]) => unknown>(),
  tasks: [] as Task[],
  panels: [] as Panel[],
  messages: [] as string[],
  shown: [] as { document: Document; options: { selection: Range } }[],
  extensions: new Map<string, unknown>(),
});
export const state = empty();

/** reset forgets what earlier tests did. */
export function reset(): void {
  Object.assign(state, empty());
  window.activeTextEditor = undefined;
  window.visibleTextEditors = [];
  workspace.textDocuments = [];
  workspace.workspaceFolders = [];
}

export const events = {
  activeEditor: new EventEmitter<Editor | undefined>(),
  selection: new EventEmitter<{ textEditor: Editor }>(),
  change: new EventEmitter<{ document: Document }>(),
};

export const window = {
  activeTextEditor: undefined as Editor | undefined,
  visibleTextEditors: [] as Editor[],
  onDidChangeActiveTextEditor: events.activeEditor.event,
  onDidChangeTextEditorSelection: events.selection.event,
  showInformationMessage(message: string): Promise<undefined> {
    state.messages.push(message);
    return Promise.resolve(undefined);
  },
  createWebviewPanel(_type: string, _title: string, _column: unknown, options: Record<string, unknown>): Panel {
    const panel = new Panel(options);
    state.panels.push(panel);
    return panel;
  },
  showTextDocument(document: Document, options: { selection: Range }): Promise<void> {
    state.shown.push({ document, options });
    return Promise.resolve();
  },
};

export const workspace = {
  textDocuments: [] as Document[],
  workspaceFolders: [] as { uri: Uri; name: string }[],
  onDidChangeTextDocument: events.change.event,
  getWorkspaceFolder(uri: Uri): { uri: Uri } | undefined {
    return workspace.workspaceFolders.find((folder) => uri.path.startsWith(`${folder.uri.path}/`));
  },
};

export const commands = {
  registerCommand(name: string, run: (...args: unknown[]) => unknown): { dispose(): void } {
    state.commands.set(name, run);
    return { dispose: () => void state.commands.delete(name) };
  },
};

export const tasks = {
  executeTask(task: Task): Promise<void> {
    state.tasks.push(task);
    return Promise.resolve();
  },
};

export const extensions = {
  getExtension: (name: string): unknown => state.extensions.get(name),
};
