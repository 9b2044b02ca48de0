import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import type { LogOutputChannel, Uri } from "vscode";
import { DraftView } from "../src/draftView";
import { type GapNode, MissingView } from "../src/missingView";
import { SentenceView } from "../src/sentenceView";
import { Server } from "../src/server";
import { LanguageClient } from "./fakes/languageclient";
import { activated, configured, log, state, window } from "./fakes/vscode";

const draft = { uri: { scheme: "file" }, languageId: "latex", version: 1 };

describe("the side views", () => {
  let views: { dispose: () => void }[];
  let client: LanguageClient;

  const tell = (state: string, message = ""): void => {
    client.notify("citeLsp/status", { state, message });
  };
  /** Let time pass, and return what the server has been asked in it. */
  const asked = async (milliseconds: number): Promise<unknown[]> => {
    mock.timers.tick(milliseconds);
    await new Promise(setImmediate);
    return client.requests.splice(0).sort();
  };

  beforeEach(async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    window.activeTextEditor = { document: draft, selection: { active: { line: 3, character: 0 } } };
    const locate = (): Promise<{ file: string }> => Promise.resolve({ file: "/bin/cite-lsp" });
    const server = new Server(locate, log as unknown as LogOutputChannel);
    views = [new SentenceView(server), new MissingView(server)];
    await server.restart();
    client = LanguageClient.made.at(-1) ?? assert.fail("no client was made");
    tell("ready");
    await asked(10_000);
  });

  afterEach(() => {
    views.forEach((view) => {
      view.dispose();
    });
    mock.timers.reset();
    window.activeTextEditor = undefined;
  });

  it("ask nothing again at each line of how far a corpus is, and again once it is built", async () => {
    for (let papers = 0; papers < 5; papers++) {
      tell("indexing", `${papers} of 5 papers`);
      assert.deepEqual(await asked(1800), []);
    }
    tell("ready");

    assert.deepEqual(await asked(1800), ["citeLsp.missing", "citeLsp.recommend"]);
  });

  it("list what the draft should cite by topic, and go through one draft once until asked again", async () => {
    const view = new DraftView(new Server(() => Promise.resolve({ file: "/bin/cite-lsp" }), log as unknown as LogOutputChannel));
    views.push(view);
    const { server } = view as unknown as { server: Server };
    await server.restart();
    const own = LanguageClient.made.at(-1) ?? assert.fail("no client was made");
    own.notify("citeLsp/status", { state: "ready", message: "" });
    const papers = [{ key: "storm2011", name: "Storm 2011", title: "Storm Erosion", place: null, reasons: [] }];
    own.answers["citeLsp.references"] = { groups: [{ name: "Storms", papers }], completeness: {} };

    await view.refresh();
    await view.look();

    const [group] = view.getChildren();
    assert.equal(group && view.getTreeItem(group).label, "Storms");
    const [paper] = view.getChildren(group);
    assert.equal(paper?.kind === "paper" && paper.row.key, "storm2011");
    own.requests.splice(0);
    await view.look();
    assert.deepEqual(own.requests, []);
    await view.refresh();
    assert.deepEqual(own.requests, ["citeLsp.references"]);
  });

  it("ask as the writer goes on while a corpus is built", async () => {
    const [sentence] = views as [SentenceView];
    sentence.refreshSoon();
    for (const papers of [1, 2]) {
      tell("indexing", `${papers} of 5 papers`);
      await asked(100);
    }

    assert.deepEqual(await asked(60), ["citeLsp.recommend"]);
  });

  it("say that they look for missing citations until the server has answered for the draft in front", async () => {
    const contexts = (): unknown[] => [
      state.contexts["citeLsp.missingState"],
      state.contexts["citeLsp.missingLevel"],
    ];
    state.settings = { "missing.level": "eager" };
    const other = { ...draft, uri: { ...draft.uri, toString: () => "file:///other.tex" } };
    window.activeTextEditor = { document: other, selection: { active: { line: 0, character: 0 } } };
    activated.fire(window.activeTextEditor);
    assert.equal(contexts()[0], "looking");
    await asked(1800);
    assert.deepEqual(contexts(), ["known", "eager"]);

    configured.fire({ affectsConfiguration: (section) => section === "citeLsp.missing" });
    assert.equal(contexts()[0], "looking");
    state.settings = {};
    await asked(1800);
    assert.deepEqual(contexts(), ["known", "careful"]);

    configured.fire({ affectsConfiguration: (section) => section === "citeLsp.missing" });
    state.files = ["cite-lsp.toml"];
    await asked(1800);
    assert.deepEqual(contexts(), ["known", ""], "the file may name another level");

    activated.fire(undefined);
    assert.equal(contexts()[0], "known", "the focus is in another part of the window");
    state.files = [];
  });

  it("tell two citations that one sentence lacks apart", async () => {
    const [, missing] = views as [SentenceView, MissingView];
    const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 90 } };
    const gap = (key: string, character: number): object => ({
      range,
      insert: { line: 3, character },
      text: "BERT and ResNet work.",
      recommendations: [{ key }, { key: "another" }],
    });
    client.answers["citeLsp.missing"] = [gap("devlin2019", 10), gap("he2016", 40)];
    missing.invalidate();
    await asked(0);
    const [first, second] = missing.getChildren() as [GapNode, GapNode];
    assert.notEqual(missing.getTreeItem(first).id, missing.getTreeItem(second).id);

    state.documents = [{ ...draft, version: 2 }];
    const now = await missing.current({ ...second, draft: draft.uri as Uri });
    assert.equal(now?.papers[0]?.row.key, "he2016");
    state.documents = [];
  });
});
