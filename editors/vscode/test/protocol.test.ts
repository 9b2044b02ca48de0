import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readGaps, readLinked, readReferences, readRows, readStatus, readSummary } from "../src/protocol";

const OF_A_CORPUS = {
  key: "vaswani2017attention",
  title: "Attention Is\n All You Need",
  authors: ["Ashish Vaswani"],
  year: 2017,
  venue: "NeurIPS",
  score: 0.9,
  reason: "closest in your library to the text here",
  abstract: "The dominant models …",
  doi: "10.5555/3295222",
  url: "https://example.org",
  inLibrary: false,
  cited: false,
  corpus: "acl",
};

describe("rows", () => {
  it("are taken over with their texts in one line", () => {
    const [row] = readRows([OF_A_CORPUS]);

    assert.equal(row?.title, "Attention Is All You Need");
    assert.equal(row.link, "https://doi.org/10.5555/3295222");
    assert.equal(row.inLibrary, false);
  });

  it("of an older server lack what it does not know", () => {
    const [row] = readRows([{ key: "a", title: "T", authors: [], year: null, venue: "", reason: "" }]);

    assert.deepEqual(
      [row?.name, row?.moreAuthors, row?.year, row?.abstract, row?.link, row?.inLibrary, row?.cited],
      ["T", false, undefined, "", "", true, false],
    );
  });

  it("that are none are left out, and so is an answer that is none", () => {
    assert.deepEqual(readRows([null, 1, {}, { key: "" }, []]), []);
    assert.deepEqual(readRows(null), []);
    assert.deepEqual(readRows({ key: "a" }), []);
  });

  it("link to the web alone", () => {
    const link = (url: string): string | undefined => readRows([{ key: "a", url }])[0]?.link;

    assert.equal(link("https://aclanthology.org/P19-1"), "https://aclanthology.org/P19-1");
    assert.equal(link("command:workbench.action.quit"), "");
    assert.equal(link("file:///etc/passwd"), "");
  });
});

describe("missing citations", () => {
  const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 5 } };

  it("keep their order, and where the marker would go", () => {
    const insert = { line: 2, character: 4 };
    const answer = [
      { range, insert, text: "One.", confidence: 0.5, recommendations: [OF_A_CORPUS] },
      { range, text: "Two.", confidence: 0.4, recommendations: [] },
    ];

    const gaps = readGaps(answer);

    assert.deepEqual(gaps.map(({ text }) => text), ["One.", "Two."]);
    assert.deepEqual(gaps.map((gap) => gap.insert), [insert, range.end]);
    assert.equal(gaps[0]?.rows[0]?.key, "vaswani2017attention");
  });

  it("without a place are left out", () => {
    assert.deepEqual(readGaps([{ text: "Nowhere." }, { range: { start: 1, end: 2 } }, null]), []);
    assert.deepEqual(readGaps(undefined), []);
  });
});

describe("the status", () => {
  it("is a known state with a message", () => {
    const indexing = { state: "indexing", message: "12,300 of 68,784 papers" };

    assert.deepEqual(readStatus(indexing), indexing);
    assert.deepEqual(readStatus({ state: "ready" }), { state: "ready", message: "" });
  });

  it("of a newer server is not guessed at", () => {
    assert.equal(readStatus({ state: "dreaming" }), undefined);
    assert.equal(readStatus(null), undefined);
  });
});

describe("the summary of a corpus", () => {
  it("tells how many papers there are", () => {
    assert.deepEqual(readSummary({ corpus: "acl", papers: 3, bad_records: 1, seconds: 2 }), {
      corpus: "acl",
      papers: 3,
      badRecords: 1,
    });
  });

  it("is not there where the building was called off", () => {
    assert.equal(readSummary(null), undefined);
  });
});

describe("the papers that citations link to one", () => {
  it("are counted, listed, and told apart from what no corpus knows", () => {
    const papers = [OF_A_CORPUS, { title: "without a key" }];
    const linked = readLinked({ key: "devlin2019bert", total: 12, inLibrary: 3, papers });

    assert.equal(linked?.key, "devlin2019bert");
    assert.deepEqual([linked.total, linked.inLibrary], [12, 3]);
    assert.deepEqual(linked.rows.map((row) => row.key), ["vaswani2017attention"]);
    assert.equal(readLinked(null), undefined);
  });
});

describe("papers for a draft", () => {
  it("come by topic, each with its place, and what is none is left out", () => {
    const place = { uri: "file:///a.tex", line: 4, character: 2, sentence: "Storms\n erode.", section: "" };
    const { groups, completeness } = readReferences({
      groups: [{ name: "Storms", papers: [{ ...OF_A_CORPUS, place }, { title: "no key" }, { ...OF_A_CORPUS, place: null }] }],
      completeness: { cited: 1, of: 2, fewest: 3, nearest: 6, missing: [] },
    });

    assert.deepEqual(groups.map(({ name }) => name), ["Storms"]);
    assert.deepEqual(
      groups[0]?.references.map((reference) => reference.place),
      [{ uri: "file:///a.tex", position: { line: 4, character: 2 }, sentence: "Storms erode." }, undefined],
    );
    const quoted = "Cited elsewhere: “Storms\n erode […].” (Wind 2005, A Storm)";
    const [quoting] = readReferences({
      groups: [{ name: "Storms", papers: [{ ...OF_A_CORPUS, place: null, quoted }] }],
      completeness: { cited: 1, of: 2, fewest: 3, nearest: 6, missing: [] },
    }).groups;
    assert.equal(quoting?.references[0]?.row.quoted, "Cited elsewhere: “Storms erode […].” (Wind 2005, A Storm)");
    assert.deepEqual(completeness, { cited: 1, of: 2, fewest: 3, nearest: 6 });
    assert.deepEqual(readReferences(null).groups, []);
  });
});
