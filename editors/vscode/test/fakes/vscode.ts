/** VS Code as far as the unit tests need it: events are fired, and what is shown is set, by hand. */

type Listener<T> = (event: T) => unknown;

export class EventEmitter<T> {
  private readonly listeners = new Set<Listener<T>>();

  readonly event = (listener: Listener<T>): Disposable => {
    this.listeners.add(listener);
    return new Disposable(() => this.listeners.delete(listener));
  };

  fire(event: T): void {
    for (const listener of [...this.listeners]) {
      listener(event);
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}

export class Disposable {
  constructor(readonly dispose: () => unknown) {}

  static from(...all: { dispose: () => unknown }[]): Disposable {
    return new Disposable(() => {
      all.forEach((one) => one.dispose());
    });
  }
}

export interface Document {
  uri: string | { scheme: string };
  version?: number;
  languageId?: string;
}

export interface Editor {
  document: Document;
  viewColumn?: number;
  selection?: { active: { line: number; character: number } };
}

export class TabInputText {
  constructor(readonly uri: string) {}
}

/** Fires when the writer says that the workspace is to be trusted. */
export const granted = new EventEmitter<undefined>();

/** Fires when another editor comes to the front. */
export const activated = new EventEmitter<Editor | undefined>();

/** Fires when settings change. */
export const configured = new EventEmitter<{ affectsConfiguration: (section: string) => boolean }>();

/** What the tests set and look at. */
export const state = {
  trusted: true,
  documents: [] as Document[],
  extension: undefined as unknown,
  settings: {} as Record<string, unknown>,
  /** What the files of the workspace set. */
  ofWorkspace: {} as Record<string, unknown>,
  /** What settings are that nobody has set. */
  defaults: { "missing.level": "careful" } as Record<string, unknown>,
  /** The context keys. */
  contexts: {} as Record<string, unknown>,
  /** The files at the root of the workspace. */
  files: [] as string[],
};

export const window = {
  activeTextEditor: undefined as Editor | undefined,
  visibleTextEditors: [] as Editor[],
  tabGroups: { all: [] as { viewColumn: number; tabs: { input: unknown }[] }[] },
  /** The documents that were shown, each with how. */
  shown: [] as { document: Document; options: unknown }[],

  onDidChangeActiveTextEditor: activated.event,
  onDidChangeTextEditorSelection: new EventEmitter<{ textEditor: Editor }>().event,

  /** The folder that the writer chooses when asked for one, and the titles of what asked. */
  folder: undefined as string | undefined,
  dialogs: [] as string[],

  showOpenDialog({ title }: { title: string }): Promise<{ fsPath: string }[] | undefined> {
    window.dialogs.push(title);
    return Promise.resolve(window.folder === undefined ? undefined : [{ fsPath: window.folder }]);
  },

  /** A view that is open. */
  createTreeView: () => ({
    visible: true,
    description: "",
    onDidChangeVisibility: new EventEmitter<undefined>().event,
    dispose: ignore,
  }),

  /** Told how far something is, with what calls it off. */
  onProgress: undefined as ((message: string, cancel: () => void) => void) | undefined,

  withProgress<T>(_options: unknown, work: (progress: Progress, token: Token) => T): T {
    const cancelled = new EventEmitter<undefined>();
    const cancel = (): void => {
      cancelled.fire(undefined);
    };
    return work(
      { report: ({ message }) => window.onProgress?.(message, cancel) },
      { onCancellationRequested: cancelled.event },
    );
  },

  showInformationMessage: (): Promise<undefined> => Promise.resolve(undefined),

  /** What was said in the status bar, and what the writer was warned of. */
  notes: [] as string[],
  warnings: [] as string[],

  setStatusBarMessage(message: string): void {
    window.notes.push(message);
  },

  showWarningMessage(message: string): Promise<undefined> {
    window.warnings.push(message);
    return Promise.resolve(undefined);
  },

  /** The errors that were told. */
  errors: [] as string[],

  showErrorMessage(message: string): Promise<undefined> {
    window.errors.push(message);
    return Promise.resolve(undefined);
  },

  showTextDocument(document: Document, options: unknown): Promise<void> {
    window.shown.push({ document, options });
    return Promise.resolve();
  },
};

export class CancellationTokenSource {
  readonly token = { isCancellationRequested: false };

  cancel(): void {
    this.token.isCancellationRequested = true;
  }

  dispose(): void {
    // Nothing hangs on it.
  }
}

export const Uri = { joinPath: (_folder: unknown, name: string): string => name };

export const workspace = {
  onDidGrantWorkspaceTrust: granted.event,
  onDidChangeConfiguration: configured.event,
  onDidChangeTextDocument: new EventEmitter<{ document: Document }>().event,

  get isTrusted(): boolean {
    return state.trusted;
  },

  getConfiguration: () => ({
    get: (name: string, otherwise: unknown) =>
      state.ofWorkspace[name] ?? state.settings[name] ?? state.defaults[name] ?? otherwise,
    inspect: (name: string) => ({ globalValue: state.settings[name], workspaceValue: state.ofWorkspace[name] }),
  }),

  workspaceFolders: [{ uri: { scheme: "file", fsPath: "/the folder" } }],

  fs: {
    stat: (file: string): Promise<object> =>
      state.files.includes(file) ? Promise.resolve({}) : Promise.reject(new Error(`${file} is not there`)),
  },

  openTextDocument(uri: string): Promise<Document> {
    return Promise.resolve(state.documents.find((document) => document.uri === uri) ?? { uri });
  },
};

export const extensions = {
  getExtension: (): unknown => state.extension,
};

export const ProgressLocation = { Notification: 15 };

interface Progress {
  report: (step: { message: string }) => void;
}

/** What a writer who called something off has said. */
export interface Token {
  onCancellationRequested: (listener: () => void) => unknown;
}

export const commands = {
  executeCommand(name: string, key: string, value: unknown): Promise<void> {
    if (name === "setContext") {
      state.contexts[key] = value;
    }
    return Promise.resolve();
  },

  registered: new Map<string, (argument?: unknown) => Promise<void>>(),

  registerCommand(name: string, work: (argument?: unknown) => Promise<void>): Disposable {
    commands.registered.set(name, work);
    return new Disposable(ignore);
  },
};

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
}

export const TreeItemCollapsibleState = { Collapsed: 1 };

export class TreeItem {
  id: string | undefined;

  constructor(readonly label: string) {}
}

export class ThemeIcon {
  constructor(readonly id: string) {}
}

/** A log that keeps nothing. */
export const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, show: ignore };

function ignore(): void {
  // What is logged does not matter here.
}
