/** The views on a draft whose citations are missing: what is listed, jumped to, cited, dismissed. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { demo, open, unavailable } from "./workplace.mjs";

describe("missing citations", { skip: unavailable }, () => {
  let place;
  let editor;
  let gaps;

  before(async () => {
    // There are to be sentences to show: the default is sparing.
    place = await open(demo({ "cite-lsp.toml": '[missing]\nlevel = "balanced"\n' }), "paper.tex");
    editor = place.editor;
    await editor.isReady();
    await editor.putCursorBehind("paper.tex", "Writing a paper");
    await editor.command("Citations: Focus on Missing Citations View");
    gaps = editor.page.locator(".pane-body [role='treeitem'][aria-label*='lacks a citation']");
    await gaps.first().waitFor();
  });

  after(() => place?.close());

  it("are listed in the order of the draft", async () => {
    const labels = await gaps.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
    const lines = labels.map((label) => Number(/^Line (\d+)/.exec(label)[1]));

    assert.ok(lines.length > 0);
    assert.deepEqual(lines, lines.toSorted((one, other) => one - other));
    await editor.picture("missing");
  });

  it("a click on a sentence selects it in the draft", async () => {
    const label = await gaps.first().getAttribute("aria-label");
    const [, line, sentence] = /^Line (\d+) lacks a citation: (.+?) First of/.exec(label);

    await gaps.first().locator(".label-name").click();

    const status = editor.page.locator("[id='status.editor.selection']", { hasText: "selected" });
    await status.waitFor();
    const shown = await editor.page.locator(".view-line").allInnerTexts();
    const words = sentence.split(" ").slice(0, 4).join(" ");
    assert.ok(shown.join(" ").replaceAll("\u00a0", " ").includes(words), `line ${line}: ${words}`);
  });

  it("a paper that is not wanted for a sentence is gone from it, until that is taken back", async () => {
    await editor.putCursorBehind("paper.tex", "described by the pieces");
    await editor.openSideView();
    const first = editor.papers.first();
    const label = await first.locator(".label-name").innerText();
    await editor.press("Home", "Delete");
    await editor.papers.first().filter({ hasNotText: label }).waitFor();

    await editor.page.locator(".notification-toast .monaco-button", { hasText: "Undo" }).click();

    await editor.papers.first().filter({ hasText: label }).waitFor();
  });
});
