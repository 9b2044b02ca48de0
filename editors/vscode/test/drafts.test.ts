import assert from "node:assert/strict";
import { describe, it } from "node:test";
import manifest from "../package.json";
import { isDraft, SELECTOR, wantsCitations } from "../src/drafts";

describe("a document", () => {
  it("is a draft by its language, on the disk or not yet saved", () => {
    assert.ok(isDraft("file", "latex"));
    assert.ok(isDraft("file", "typst"));
    assert.ok(isDraft("untitled", "markdown"));
    assert.ok(SELECTOR.some(({ scheme, language }) => scheme === "untitled" && language === "latex"));
    assert.ok(!isDraft("file", "bibtex"));
    assert.ok(!isDraft("vscode-vfs", "latex"));
  });

  it("in Markdown wants citations only where it names a bibliography or cites", () => {
    const wants = (text: string): boolean => wantsCitations("file", "markdown", text);

    assert.ok(wants("---\nbibliography: refs.bib\n---\n"));
    assert.ok(wants("As shown [@knuth1984; @李航2019]."));
    assert.ok(wants("As @knuth1984 shows."));
    assert.ok(!wants("# A tool\n\nWrite to ada@example.org.\n"));
  });

  it("in Org wants citations only where it names a bibliography or cites", () => {
    const wants = (text: string): boolean => wantsCitations("file", "org", text);

    assert.ok(wants("#+BIBLIOGRAPHY: refs.bib\n"));
    assert.ok(wants("As shown [cite/t:@knuth1984]."));
    assert.ok(!wants("* Shopping\n- milk\n"));
  });

  it("is known by its name where VS Code itself would take it for plain text", () => {
    const named = manifest.contributes.languages.flatMap(({ id, extensions }) =>
      extensions.map((extension) => [extension, id]),
    );

    assert.deepEqual(Object.fromEntries(named), {
      ".typ": "typst",
      ".org": "org",
      ".qmd": "quarto",
      ".rmd": "rmd",
      ".rnw": "rsweave",
    });
    for (const [, language = ""] of named) {
      assert.ok(isDraft("file", language));
      assert.ok(manifest.activationEvents.includes(`onLanguage:${language}`));
    }
  });
});
