/** The view on what a draft as a whole should cite: what is listed, and gone to. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { demo, open, unavailable } from "./workplace.mjs";

describe("papers for a draft", { skip: unavailable }, () => {
  let place;
  let editor;
  let papers;

  before(async () => {
    place = await open(demo(), "paper.tex");
    editor = place.editor;
    await editor.isReady();
    await editor.putCursorBehind("paper.tex", "Writing a paper");
    await editor.command("Citations: Focus on For This Draft View");
    papers = editor.page.locator(".pane-body [role='treeitem'][aria-level='2'][aria-label*=' of ']");
    await papers.first().waitFor();
  });

  after(() => place?.close());

  it("are listed by topic", async () => {
    const topics = editor.page.locator(".pane-body [role='treeitem'][aria-level='1'][aria-label$=' papers']");

    assert.ok((await topics.count()) > 0);
    await editor.picture("draft");
  });

  it("a click on one goes to its sentence", async () => {
    const position = editor.page.locator("[id='status.editor.selection']");
    const before = await position.innerText();

    await papers.first().locator(".label-name").click();

    await position.filter({ hasNotText: before }).waitFor();
  });
});
