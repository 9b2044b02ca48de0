/** A writer's way through the demo's draft. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { demo, open, text, unavailable } from "./workplace.mjs";

describe("in a LaTeX draft", { skip: unavailable }, () => {
  let place;
  let editor;

  before(async () => {
    // There are to be sentences to show: the default is sparing.
    place = await open(demo({ "cite-lsp.toml": '[missing]\nlevel = "eager"\n' }), "paper.tex");
    editor = place.editor;
    await editor.isReady();
  });

  after(() => place?.close());

  it("a word of a title brings up the paper that the sentence means", async () => {
    await editor.putCursorBehind("paper.tex", "plenty or few \\citep{");
    await editor.type("pretraining");
    await editor.suggestsFirst("gururangan2020dont");
    const [title] = await editor.settledTitles();
    assert.match(title, /^ Don't Stop Pretraining: Adapt Language Models/);
    await editor.picture("suggestions");

    await editor.press("Enter");

    await editor.saved("paper.tex", "plenty or few \\citep{gururangan2020dont}.");
  });

  it("several words of a title are typed with their spaces", async () => {
    await editor.putCursorBehind("paper.tex", "put in numbers \\citep{");
    await editor.type("energy and policy");
    await editor.suggestsFirst("strubell2019energy");

    await editor.press("Enter");

    await editor.saved("paper.tex", "put in numbers \\citep{strubell2019energy}, and");
  });

  it("“Add missing citations” cites the best paper in the sentence at the cursor", async () => {
    await editor.putCursorBehind("paper.tex", "pieces of spelling they are");

    await editor.codeAction("Add missing citations");

    const cited = /they are made of[ ~]\\citep\{bojanowski2017enriching\}\./;
    const draft = await editor.saved("paper.tex", cited);
    assert.equal(draft.split("\n").length, text("examples", "demo", "paper.tex").split("\n").length);
  });

  it("the side view shows the papers for the sentence, and what speaks for them", async () => {
    await editor.putCursorBehind("paper.tex", "nothing is said twice \\citep{");
    await editor.openSideView();
    const best = editor.papers.filter({ hasText: "See et al. 2017" });
    await best.waitFor();

    await editor.papers.first().click({ position: { x: 18, y: 11 } });
    const lines = editor.page.locator(".pane-body [role='treeitem'][aria-level='2']");
    await lines.first().waitFor();

    const words = (await lines.allInnerTexts()).join(" ");
    assert.match(words, /closest in your library to the text here/i);
    assert.match(words, /20\d\d/);
    await editor.page.locator("[role='treeitem'][aria-label*='lacks a citation']").first().waitFor();
    await editor.picture("side-view");
  });

  it("a click on a paper in the side view cites it, and the writer goes on writing", async () => {
    await editor.papers.filter({ hasText: "See et al. 2017" }).locator(".label-name").click();

    await editor.saved("paper.tex", "nothing is said twice \\citep{see2017get}");
    await editor.type("%%");
    await editor.saved("paper.tex", "%%");
  });

  it("a paper that is dragged into a sentence is cited there", async () => {
    // Three lines below the target: both are in view.
    await editor.putCursorBehind("paper.tex", "nothing is said twice");
    await editor.openSideView();
    const paper = editor.papers.first().locator(".label-name");

    await editor.drag(paper, "boiled down to one sentence");

    await editor.saved("paper.tex", /cachola2020tldr, ?[a-z]+\d{4}\w+\}/);
  });

  it("the side view needs no mouse", async () => {
    await editor.putCursorBehind("paper.tex", "the few hundred");
    await editor.openSideView();
    await editor.press("Home", "ArrowRight");

    const focused = editor.page.locator(".pane-body .monaco-list-row.focused");
    const label = await focused.getAttribute("aria-label");
    assert.match(label, /^1 of \d+: .+ \d{4}, .+/);
    assert.equal(await focused.getAttribute("aria-expanded"), "true");

    await editor.press("Enter");

    await editor.saved("paper.tex", /for this very project[ ~]\\citep\{[a-z]+\d{4}\w+\}\./);
  });
});
