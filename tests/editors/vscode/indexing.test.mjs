/** A corpus is built from the command palette: chosen, named, followed, and recommended from. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { demo, open, unavailable } from "./workplace.mjs";

const PAPERS = Array.from({ length: 40 }, (_, number) =>
  JSON.stringify({
    id: `tide${number}`,
    title: `Tidal basins and their sediments, part ${number}`,
    abstract: `How the tide moves mud and sand in basin ${number}.`,
    year: 2001,
  }),
).join("\n");

describe("indexing papers", { skip: unavailable }, () => {
  let place;
  let editor;

  before(async () => {
    place = await open(demo({ "papers.jsonl": PAPERS }), "paper.tex");
    editor = place.editor;
    await editor.isReady();
  });

  after(() => place?.close());

  it("asks where they are and for a name, and says what the corpus holds", async () => {
    const input = editor.page.locator(".quick-input-widget:visible input[type='text']").first();
    await editor.command("cite-lsp: Index Papers");
    await editor.page.locator(".quick-input-list .monaco-list-row", { hasText: "Files…" }).click();
    await editor.page.locator(".quick-input-title", { hasText: "Papers to index" }).waitFor();
    const name = editor.page.locator(".quick-input-message", { hasText: "The corpus's name" });
    // The dialog looks at the path while it is typed, and takes Enter only when it has done so.
    for (let attempt = 0; attempt < 6 && !(await name.isVisible()); attempt++) {
      await input.fill(`${editor.folder}/papers.jsonl`);
      await editor.page.waitForTimeout(1500);
      await editor.press("Enter");
      await name.waitFor({ timeout: 5000 }).catch(() => {});
    }
    await name.waitFor();
    await input.fill("a name");
    await editor.page.locator(".quick-input-message", { hasText: "make a name" }).waitFor();
    await input.fill("tides");
    await editor.press("Enter");

    await editor.toast("The corpus “tides” holds 40 papers").waitFor();
    await editor.picture("indexed");
    assert.equal(await editor.toast("could not be read").count(), 0);
  });

  it("its papers are completed from then on", async () => {
    await editor.putCursorBehind("paper.tex", "plenty or few \\citep{");
    await editor.type("tidal basins");
    const tidal = editor.suggestions.filter({ hasText: "Tidal basins" }).first();
    // The corpus is opened by whoever asks first; a list that came before that is empty.
    for (let attempt = 0; attempt < 10 && !(await tidal.isVisible()); attempt++) {
      await editor.page.waitForTimeout(2000);
      await editor.press("Escape", "Control+Space");
      await editor.page.waitForTimeout(1000);
    }
    await editor.picture("indexed-papers");
    assert.ok(await tidal.isVisible());
  });
});
