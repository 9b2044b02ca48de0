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

/** What the tests set and look at. */
export const state = {
  trusted: true,
  documents: [] as Document[],
};

export const window = {
  activeTextEditor: undefined as Editor | undefined,
  visibleTextEditors: [] as Editor[],
  tabGroups: { all: [] as { viewColumn: number; tabs: { input: unknown }[] }[] },
  /** The documents that were shown, each with how. */
  shown: [] as { document: Document; options: unknown }[],

  onDidChangeActiveTextEditor: new EventEmitter<undefined>().event,
  onDidChangeTextEditorSelection: new EventEmitter<{ textEditor: Editor }>().event,

  /** A view that is open. */
  createTreeView: () => ({
    visible: true,
    description: "",
    onDidChangeVisibility: new EventEmitter<undefined>().event,
    dispose: ignore,
  }),

  withProgress: <T>(_options: unknown, work: () => T): T => work(),

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

export const workspace = {
  onDidChangeTextDocument: new EventEmitter<{ document: Document }>().event,

  get isTrusted(): boolean {
    return state.trusted;
  },

  openTextDocument(uri: string): Promise<Document> {
    return Promise.resolve(state.documents.find((document) => document.uri === uri) ?? { uri });
  },
};

export const commands = {
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

/** A log that keeps nothing. */
export const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, show: ignore };

function ignore(): void {
  // What is logged does not matter here.
}
