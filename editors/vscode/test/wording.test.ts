import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Row } from "../src/protocol";
import {
  linkedTitle,
  noneLinked,
  corpusNameProblem,
  details,
  indexed,
  inOneLine,
  notCited,
  shortened,
  spoken,
  subtitle,
  tooltip,
  wrapped,
} from "../src/wording";

function paper(changes: Partial<Row> = {}): Row {
  return {
    key: "gururangan2020dont",
    name: "Gururangan et al. 2020",
    title: "Don't Stop Pretraining",
    authors: ["Suchin Gururangan", "Ana Marasović", "Swabha Swayamdipta"],
    moreAuthors: false,
    year: 2020,
    venue: "Proceedings of ACL",
    reason: "closest in your library to the text here; cited once in this section",
    quoted: "",
    abstract: "",
    link: "",
    inLibrary: true,
    cited: false,
    corpus: "",
    ...changes,
  };
}

describe("a paper's title", () => {
  it("is not said twice where it is the name", () => {
    assert.equal(subtitle(paper({ authors: [] })), "");
  });
});

describe("what a screen reader says", () => {
  it("is the rank, the paper, and why", () => {
    assert.equal(
      spoken(paper(), 2, 15),
      "2 of 15: Gururangan et al. 2020, Don't Stop Pretraining, " +
        "closest in your library to the text here; cited once in this section",
    );
  });

  it("tells what an icon tells the eye", () => {
    assert.match(spoken(paper({ cited: true }), 1, 1), /cited here already$/);
    assert.match(spoken(paper({ inLibrary: false }), 1, 1), /not in your bibliography$/);
  });
});

describe("the tooltip", () => {
  it("shows what a paper says as it is, whatever Markdown it looks like", () => {
    const shown = tooltip(paper({ title: "A [link](command:evil) *and* <b>`code`</b> $(bug)" }));

    assert.ok(shown.startsWith("**A \\[link\\](command:evil) \\*and\\* \\<b\\>\\`code\\`\\</b\\> \\$(bug)**"));
  });

  it("links to the paper", () => {
    const shown = tooltip(paper({ link: "https://doi.org/10.1/a_b" }));

    assert.ok(shown.includes("[10.1/a\\_b](<https://doi.org/10.1/a_b>)"));
  });
});

describe("the lines below a paper", () => {
  it("give each reason a line, and the abstract at the end", () => {
    const lines = details(paper({ abstract: "We show." }), 60);

    assert.deepEqual(
      lines.map(({ kind, text }) => `${kind}: ${text}`),
      [
        "title: Don't Stop Pretraining",
        "authors: Suchin Gururangan, Ana Marasović, Swabha Swayamdipta",
        "venue: Proceedings of ACL, 2020",
        "reason: Closest in your library to the text here",
        "reason: Cited once in this section",
        "abstract: We show.",
      ],
    );
  });

  it("say how another paper cites it behind the reasons, as text", () => {
    const quoted = "Cited elsewhere: “Pieces [x](command:y) help […].” (Moor 2021, Tides)";
    const lines = details(paper({ quoted, abstract: "We show." }), 80);

    assert.deepEqual(lines.slice(-2).map(({ text }) => text), [quoted, "We show."]);
    assert.ok(tooltip(paper({ quoted })).includes("Pieces \\[x\\](command:y) help"));
  });

  it("say that a list of authors goes on", () => {
    for (const [changes, expected] of [
      [{ authors: ["G. Aad"], moreAuthors: true }, "G. Aad and others"],
      [{ authors: "ABCDEFGHIJ".split(""), moreAuthors: true }, "A, B, C, D, E, F, G, H and 2 more"],
    ] as const) {
      const lines = details(paper({ ...changes, authors: [...changes.authors] }), 60);

      assert.equal(lines.find(({ kind }) => kind === "authors")?.text, expected);
    }
  });

  it("know which line goes on", () => {
    const lines = details(paper({ reason: "", abstract: "One two three four" }), 9);
    const abstract = lines.filter(({ kind }) => kind === "abstract");

    assert.deepEqual(abstract.map(({ continued }) => continued), [false, true, true]);
  });
});

describe("wrapping", () => {
  it("keeps every word, in lines no wider than asked", () => {
    const text = "going on with its unsupervised training on raw text of the field at hand";
    const lines = wrapped(text, 20);

    assert.equal(lines.join(" "), text);
    assert.ok(lines.every((line) => line.length <= 20));
  });

  it("breaks Chinese between any two characters, and adds no blanks to it", () => {
    const text = "知识图谱把实体和关系表示为低维向量,并由此推断 new facts 的真假。";
    const lines = wrapped(text, 12);

    assert.equal(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
    assert.ok(lines.every((line) => line.length <= 12));
    assert.equal(lines[0], "知识图谱把实");
  });

  it("lets a word that is too long stand alone", () => {
    assert.deepEqual(wrapped("a pneumonoultramicroscopic b", 10), ["a", "pneumonoultramicroscopic", "b"]);
    assert.deepEqual(wrapped("", 10), []);
  });

  it("shortens at a word, and never inside an emoji", () => {
    assert.equal(shortened("one two three", 9), "one two…");
    assert.equal(shortened("😀😀😀😀", 3), "😀😀…");
    assert.equal(shortened("short", 9), "short");
  });
});

describe("a completion item", () => {
  for (const [key, headline, shown] of [
    ["see2017get", " See et al. 2017", " Get To The Point"],
    ["Mueller:2017", " Müller 2017", " Müller 2017, Get To The Point"],
    ["Muller:2017", " Müller 2017", " Get To The Point"],
    ["DBLP:conf/acl/SeeLM17", " See et al. 2017", " See et al. 2017, Get To The Point"],
    ["smith2017", " See et al. 2017", " See et al. 2017, Get To The Point"],
    ["notes", "", " Get To The Point"],
  ] as const) {
    it(`called ${key} shows “${shown.trim()}”`, () => {
      const label = { label: key, detail: headline, description: "Get To The Point" };

      assert.deepEqual(inOneLine(label), { label: key, detail: shown });
    });
  }

  it("stays as it is where there is no title to move", () => {
    assert.equal(inOneLine("see2017get"), "see2017get");
    assert.deepEqual(inOneLine({ label: "see2017get", detail: " See 2017" }), {
      label: "see2017get",
      detail: " See 2017",
    });
  });
});

describe("a corpus", () => {
  it("has a name of letters and digits", () => {
    assert.equal(corpusNameProblem("acl-2024"), undefined);
    assert.equal(corpusNameProblem("论文"), undefined);
    for (const name of ["", ".hidden", "a b", "a/b"]) {
      assert.match(corpusNameProblem(name) ?? "", /letters, digits/);
    }
  });

  it("says what it holds, and what could not be read", () => {
    assert.equal(
      indexed({ corpus: "acl", papers: 12300, badRecords: 0 }),
      "The corpus “acl” holds 12,300 papers, which are recommended from now on.",
    );
    assert.match(indexed({ corpus: "acl", papers: 1, badRecords: 2 }), /1 paper,.*; 2 records could/);
  });
});

describe("a paper that could not be cited", () => {
  it("is there already, or has no place, as far as that is known", () => {
    assert.equal(notCited("see2017get", 4, true), "see2017get is cited there already.");
    assert.match(notCited("see2017get", 4, false), /^There is no place for a citation in line 4: put /);
    assert.match(notCited("see2017get", 4), /^see2017get is cited there already, or there is no place /);
  });
});

describe("the list of what a paper cites, or of what cites it", () => {
  const linked = { key: "devlin2019bert", total: 12, inLibrary: 3, rows: [] };

  it("says how many there are, and how many the library has", () => {
    assert.equal(linkedTitle(linked, "citing"), "devlin2019bert cites 12, 3 of them in your library");
    assert.equal(linkedTitle(linked, "citedBy"), "devlin2019bert is cited by 12, 3 of them in your library");
  });

  it("says why it is empty", () => {
    assert.equal(noneLinked("devlin2019bert", "citedBy"), "No corpus knows what cites devlin2019bert.");
    assert.equal(noneLinked(undefined, "citing"), "There is no key at the cursor, or no corpus knows its citations.");
  });
});
