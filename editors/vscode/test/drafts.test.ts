import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDraft, wantsCitations } from "../src/drafts";

describe("a document", () => {
  it("is a draft by its language, on the disk", () => {
    assert.ok(isDraft("file", "latex"));
    assert.ok(isDraft("file", "typst"));
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
});
