import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { registerCommands, type Parts } from "../src/commands";
import { commands, EventEmitter, Position, Range, state, window } from "./fakes/vscode";

const draft = { uri: "file:///paper.tex", version: 1 };
const start = { line: 3, character: 0 };

const paper = (key: string): object => ({
  kind: "paper",
  row: { key, title: key, authors: [] },
  draft: draft.uri,
  version: 1,
  position: start,
});
const gap = { kind: "gap", draft: draft.uri, range: { start, end: start } };

class Place {
  /** What the server was asked to do: the command, and the key that it is about. */
  readonly done: string[] = [];

  readonly selections = {
    sentence: new EventEmitter<{ selection: object[] }>(),
    missing: new EventEmitter<{ selection: object[] }>(),
  };

  constructor() {
    const execute = (command: string, parameters: unknown[]): Promise<boolean> => {
      this.done.push(`${command} ${String(parameters.at(-1))}`);
      return Promise.resolve(true);
    };
    const { sentence, missing } = this.selections;
    registerCommands({
      server: { uri: String, execute },
      sentence: { view: { onDidChangeSelection: sentence.event }, refresh: () => undefined },
      missing: {
        view: { onDidChangeSelection: missing.event },
        invalidate: () => undefined,
        getParent: () => undefined,
        current: (listed: unknown) => Promise.resolve(listed),
      },
      install: () => Promise.resolve(),
    } as unknown as Parts);
  }

  async run(command: string, argument?: unknown): Promise<void> {
    await commands.registered.get(command)?.(argument);
  }
}

describe("with the PDF in front, the draft stays beside it", () => {
  let place: Place;

  beforeEach(() => {
    place = new Place();
    state.documents = [draft];
    window.activeTextEditor = undefined;
    window.visibleTextEditors = [{ document: draft, viewColumn: 1 }];
    window.shown = [];
  });

  it("when a paper is cited", async () => {
    await place.run("citeLsp.item.insert", paper("lamport1978"));

    assert.deepEqual(place.done, ["citeLsp.insert lamport1978"]);
    assert.deepEqual(window.shown, [{ document: draft, options: { viewColumn: 1 } }]);
  });

  it("when a sentence is gone to", async () => {
    await place.run("citeLsp.item.jump", gap);

    const selection = new Range(new Position(3, 0), new Position(3, 0));
    assert.deepEqual(window.shown, [{ document: draft, options: { selection, viewColumn: 1 } }]);
  });
});
