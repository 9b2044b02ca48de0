import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import manifest from "../package.json";
import { registerCommands, type Parts } from "../src/commands";
import { commands, EventEmitter, Position, Range, state, window } from "./fakes/vscode";

const draft = { uri: "file:///paper.tex", version: 1 };
const start = { line: 3, character: 0 };

const paper = (key: string, position = start) => ({
  kind: "paper",
  row: { key, name: key, title: key, authors: [] },
  draft: draft.uri,
  version: 1,
  position,
});
type Paper = ReturnType<typeof paper>;

const gap = { kind: "gap", draft: draft.uri, range: { start, end: start } };

type View = "sentence" | "missing";

class Place {
  private readonly selected: Partial<Record<View, object | undefined>> = {};

  /** What the server was asked to do: the command, and the key that it is about. */
  readonly done: string[] = [];

  readonly selections = {
    sentence: new EventEmitter<{ selection: object[] }>(),
    missing: new EventEmitter<{ selection: object[] }>(),
  };

  /** What the server was asked about: places of the draft. */
  readonly places: unknown[] = [];

  /** @param listed the papers for the sentence at the cursor, which may be replaced by others */
  constructor(
    readonly listed: Paper[] = [],
    answer = true,
  ) {
    const current = (listed: Paper): unknown =>
      this.listed.find(({ row }) => row.key === listed.row.key);
    const execute = (command: string, parameters: unknown[]): Promise<boolean> => {
      this.places.push(parameters.at(-2));
      this.done.push(`${command} ${String(parameters.at(-1))}`);
      return Promise.resolve(answer);
    };
    const { sentence, missing } = this.selections;
    registerCommands({
      server: { uri: String, execute },
      sentence: { view: { onDidChangeSelection: sentence.event }, refresh: () => undefined, current },
      missing: {
        view: { onDidChangeSelection: missing.event },
        invalidate: () => undefined,
        getParent: () => undefined,
        current: (listed: unknown) => Promise.resolve(listed),
      },
      draft: { view: { onDidChangeSelection: new EventEmitter().event } },
      install: () => Promise.resolve(),
    } as unknown as Parts);
  }

  /** Press a key on a paper of a view; as VS Code does, it is selected first, or no longer is. */
  async press(key: string, view: View, node: object): Promise<void> {
    const bound = manifest.contributes.keybindings.filter(
      (binding) => binding.key === key && binding.when.includes(`citeLsp.${view}View`),
    );
    assert.equal(bound.length, 1);
    this.selected[view] = this.selected[view] === node ? undefined : node;
    const selection = [this.selected[view]].filter((one) => one !== undefined);
    this.selections[view].fire({ selection });
    for (const command of bound[0]?.args.commands ?? []) {
      if (typeof command !== "string") {
        await this.run(command.command, command.args);
      }
    }
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

  it("when the sentence of a paper for the draft is gone to", async () => {
    await place.run("citeLsp.item.goTo", paper("lamport1978"));

    const selection = new Range(new Position(3, 0), new Position(3, 0));
    assert.deepEqual(window.shown, [{ document: draft, options: { selection, viewColumn: 1 } }]);
  });

  it("when a sentence is gone to", async () => {
    await place.run("citeLsp.item.jump", gap);

    const selection = new Range(new Position(3, 0), new Position(3, 0));
    assert.deepEqual(window.shown, [{ document: draft, options: { selection, viewColumn: 1 } }]);
  });
});

describe("a click on a paper that the server does not cite", () => {
  for (const [cited, told] of [
    [true, { warnings: [], notes: ["lamport1978 is cited there already."] }],
    [false, { warnings: [/^There is no place for a citation in line 4/], notes: [] }],
  ] as const) {
    it(cited ? "because it is cited there is no mistake" : "because there is no place says so", async () => {
      [window.warnings, window.notes] = [[], []];
      const { row, ...rest } = paper("lamport1978");
      state.documents = [draft];

      await new Place([], false).run("citeLsp.item.insert", { ...rest, row: { ...row, cited } });

      assert.deepEqual(window.notes, told.notes);
      assert.equal(window.warnings.length, told.warnings.length);
      told.warnings.forEach((warning, index) => {
        assert.match(window.warnings[index] ?? "", warning);
      });
    });
  }
});

describe("a key", () => {
  it("is about the paper that it was pressed on, whatever is selected in the other view", async () => {
    const [mine, theirs] = [paper("lamport1978"), paper("gray1978")];
    const place = new Place([mine]);

    await place.press("ctrl+enter", "sentence", mine);
    await place.press("ctrl+enter", "missing", theirs);
    await place.press("delete", "sentence", mine);

    assert.deepEqual(place.done, [
      "citeLsp.addEntry lamport1978",
      "citeLsp.addEntry gray1978",
      "citeLsp.dismiss lamport1978",
    ]);
  });

  it("is about nothing where nothing is selected", async () => {
    const place = new Place();
    await place.press("ctrl+enter", "missing", paper("gray1978"));

    await place.run("citeLsp.item.dismiss", "citeLsp.sentenceView");

    assert.deepEqual(place.done, ["citeLsp.addEntry gray1978"]);
  });

  it("is about the sentence at the cursor, though the paper was selected for another", async () => {
    const [before, after] = [paper("lamport1978"), paper("lamport1978", { line: 7, character: 0 })];
    const place = new Place([before]);
    await place.press("ctrl+enter", "sentence", before);

    place.listed.splice(0, 1, after);
    await place.press("delete", "sentence", before);

    assert.deepEqual(place.places.at(-1), { line: 7, character: 0 });
  });
});
