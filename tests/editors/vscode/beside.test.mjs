/** A draft with something beside it that is no text, as a writer has the PDF. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { demo, open, unavailable } from "./workplace.mjs";

describe("with a picture beside the draft", { skip: unavailable }, () => {
  let place;
  let editor;

  before(async () => {
    place = await open(demo({ "figure.png": "no picture, but shown as one" }), "paper.tex");
    editor = place.editor;
    await editor.isReady();
  });

  after(() => place?.close());

  it("a click on a paper in the side view cites it in the draft, and the picture stays", async () => {
    await editor.putCursorBehind("paper.tex", "nothing is said twice \\citep{");
    await editor.openSideView();
    await editor.command("View: New Editor Group to the Right");
    await editor.openFile("figure.png");

    await editor.papers.first().locator(".label-name").click();

    const tab = (name) => editor.page.locator(`.tab.active[data-resource-name="${name}"]`);
    await editor.page.locator(".editor-group-container.active .tab.active[data-resource-name='paper.tex']").waitFor();
    await editor.picture("beside");
    assert.deepEqual([await tab("paper.tex").count(), await tab("figure.png").count()], [1, 1]);
    await editor.saved("paper.tex", /nothing is said twice \\citep\{\w+\}/);
  });
});
