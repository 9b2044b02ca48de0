import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { TextDocument } from "vscode";
import { show } from "../src/showing";
import { TabInputText, window, type Document } from "./fakes/vscode";

const draft = { uri: "file:///paper.tex" };
const other = { uri: "file:///other.tex" };
const pdf = { viewColumn: 2, tabs: [{ input: { uri: "file:///paper.pdf" } }] };

const options = async (document: Document, asked?: object): Promise<unknown> => {
  await show(document as unknown as TextDocument, asked);
  return window.shown.at(-1)?.options;
};

describe("a draft is shown", () => {
  beforeEach(() => {
    window.activeTextEditor = undefined;
    window.visibleTextEditors = [];
    window.tabGroups.all = [{ viewColumn: 1, tabs: [] }, pdf];
  });

  it("where it stands, not over the PDF beside it", async () => {
    window.visibleTextEditors = [{ document: other, viewColumn: 3 }, { document: draft, viewColumn: 1 }];

    assert.deepEqual(await options(draft), { viewColumn: 1 });
  });

  it("where its tab is, though another is in front of it there", async () => {
    const tabs = [{ input: new TabInputText(other.uri) }, { input: new TabInputText(draft.uri) }];
    window.tabGroups.all = [pdf, { viewColumn: 1, tabs }];

    assert.deepEqual(await options(draft), { viewColumn: 1 });
  });

  it("where the writer is, when it stands twice", async () => {
    const right = { document: draft, viewColumn: 2 };
    window.visibleTextEditors = [{ document: draft, viewColumn: 1 }, right];
    window.activeTextEditor = right;

    assert.deepEqual(await options(draft), { viewColumn: 2 });
  });

  it("where the writer is, when it is open nowhere", async () => {
    assert.deepEqual(await options(draft), {});
  });

  it("with what else is asked for", async () => {
    window.visibleTextEditors = [{ document: draft, viewColumn: 1 }];

    assert.deepEqual(await options(draft, { selection: "here" }), { selection: "here", viewColumn: 1 });
  });
});
