/** Fast typing over a large library: what the list shows is always what the last key asked for. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { open, unavailable } from "./workplace.mjs";

const ENTRIES = 5000;
const KEY_EVERY = 100;
const TOPICS = ["galaxies", "proteins", "glaciers", "markets", "grammars", "polymers", "neurons"];
const METHODS = ["spectral", "bayesian", "adaptive", "recursive", "stochastic"];
const DRAFT = `\\documentclass{article}
\\begin{document}
Spectral methods have been used for a long time \\cite{}.
\\bibliography{large}
\\end{document}
`;

function library() {
  return Array.from({ length: ENTRIES }, (_, number) => {
    const topic = TOPICS[number % TOPICS.length];
    const method = METHODS[number % METHODS.length];
    const title = `On ${method} estimates of ${topic}, part ${number}`;
    const year = 1980 + (number % 45);
    return `@article{paper${number}, author = {Writer, A.}, title = {${title}}, year = {${year}}}\n`;
  }).join("");
}

describe("with 5,000 entries and 10 keys a second", { skip: unavailable }, () => {
  let place;
  let editor;

  before(async () => {
    place = await open({ "paper.tex": DRAFT, "large.bib": library() }, "paper.tex");
    editor = place.editor;
    await editor.isReady();
    await editor.putCursorBehind("paper.tex", "a long time \\cite{");
  });

  after(() => place?.close());

  it("after the last key the list shows what a new request for the same words brings", async () => {
    await editor.type("spectral glaciers 2005", KEY_EVERY);
    const titles = await editor.settledTitles();

    await editor.press("Escape", "Control+Space");

    assert.ok(titles.length > 0);
    assert.deepEqual(await editor.settledTitles(), titles);
    for (const title of titles) {
      assert.match(title, /spectral .*glaciers/);
    }
  });

  it("keys that are taken back bring back what they had shut out", async () => {
    const titles = await editor.settledTitles();
    await editor.type(", part 1", KEY_EVERY);
    await editor.suggestions.first().waitFor();
    await editor.press(...Array.from(", part 1", () => "Backspace"), "Control+Space");

    assert.deepEqual(await editor.settledTitles(), titles);
  });

  it("the paper that is accepted is the one that was shown", async () => {
    const [title] = await editor.settledTitles();
    const number = /part (\d+)/.exec(title)[1];

    await editor.press("Enter");

    await editor.saved("paper.tex", `a long time \\cite{paper${number}}.`);
  });
});
