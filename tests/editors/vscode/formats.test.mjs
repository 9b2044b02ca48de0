/** Drafts in a language that VS Code itself does not know, with no other extension, and on no disk. */

import { after, before, describe, it } from "node:test";
import { open, text, unavailable } from "./workplace.mjs";

const DRAFT = `Words that are rare are best described by the pieces of spelling they are made of @.

#bibliography("references.bib")
`;

describe("in a Typst draft", { skip: unavailable }, () => {
  let place;
  let editor;

  before(async () => {
    const files = { "paper.typ": DRAFT, "references.bib": text("examples", "demo", "references.bib") };
    place = await open(files, "paper.typ");
    editor = place.editor;
    await editor.isReady();
  });

  after(() => place?.close());

  it("keys are completed", async () => {
    await editor.putCursorBehind("paper.typ", "made of @");
    await editor.type("enriching");
    await editor.suggestsFirst("bojanowski2017enriching");

    await editor.press("Enter");

    await editor.saved("paper.typ", "made of @bojanowski2017enriching.");
  });

  it("and in a draft that was never saved, from the bibliography of the folder", async () => {
    await editor.command("File: New Untitled Text File");
    await editor.command("Change Language Mode");
    await editor.type("Markdown");
    await editor.press("Enter");
    await editor.page.locator("[id='status.editor.mode']", { hasText: "Markdown" }).waitFor();
    await editor.type("Rare words are described by their pieces [@enriching");
    await editor.suggestsFirst("bojanowski2017enriching");

    await editor.press("Enter");

    await editor.page.locator(".view-line", { hasText: "[@bojanowski2017enriching]" }).waitFor();
  });
});
