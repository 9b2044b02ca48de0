import assert from "node:assert/strict";
import * as fs from "node:fs";
import { describe, it } from "node:test";
import manifest from "../package.json";
import { markdown, markdownLink, notice, plain } from "../src/plain";
import { readRows } from "../src/protocol";
import { notCited, tooltip } from "../src/wording";

const HARMFUL = "a\u202eb\u2066\u001b[31m\r\nc";

describe("a text of anybody's file", () => {
  it("is one line, and what misleads in it is marked", () => {
    assert.equal(plain(HARMFUL), "a\ufffdb\ufffd\ufffd[31m c");
    assert.equal(plain("Ünï 李明"), "Ünï 李明");
  });

  it("has no link in a notification", () => {
    assert.equal(notice("[Fix it](command:evil)"), "[Fix it] (command:evil)");
    assert.ok(!notice(notCited("[x](command:evil)", 4)).includes("]("));
  });

  it("is no Markdown where that is read", () => {
    assert.equal(markdown("![a](https://x) <img> &lt; `b`"), "!\\[a\\](https://x) \\<img\\> \\&lt; \\`b\\`");
  });

  it("ends no link", () => {
    assert.equal(markdownLink("https://a.b/c>d ![x", "t](u"), "[t\\](u](<https://a.b/c%3Ed%20!%5Bx>)");
  });
});

describe("a row of somebody else's bibliography", () => {
  const key = "`x` [y](command:evil)\u202e\n";
  const [row] = readRows([{ key, title: HARMFUL, authors: [HARMFUL], venue: HARMFUL, url: "command:evil" }]);

  it("shows what it says, and cites by its key as it is", () => {
    assert.ok(row);
    assert.equal(row.key, key);
    assert.deepEqual([row.name, row.title, row.authors[0], row.venue, row.link], [...Array<string>(4).fill(plain(HARMFUL)), ""]);
  });

  it("is nothing but text in a tooltip, its key too", () => {
    assert.ok(row);
    assert.ok(tooltip(row).endsWith("\\`x\\` \\[y\\](command:evil)\ufffd"));
  });
});

describe("the extension", () => {
  const sources = fs.readdirSync("src").map((name) => ({ name, text: fs.readFileSync(`src/${name}`, "utf8") }));

  it("tells the writer something in one place", () => {
    const telling = sources.filter(({ text }) => /show(?:Information|Warning|Error)Message|setStatusBarMessage/.test(text));

    assert.deepEqual(telling.map(({ name }) => name), ["notices.ts"]);
  });

  it("trusts no Markdown and lets no HTML in", () => {
    const trusting = sources.filter(({ text }) => /isTrusted\s*=|isTrusted:|supportHtml|enabledCommands/.test(text));

    assert.deepEqual(trusting, []);
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, "limited");
  });
});
