/** Methods of papers, chosen in the settings: each sentence takes the one of its language. */

import { after, before, describe, it } from "node:test";
import { demo, openAlone, unavailable } from "./workplace.mjs";

const LIBRARY = `@inproceedings{devlin2019bert,
  author = {Devlin, Jacob and Chang, Ming-Wei}, title = {{BERT}: Pre-training of Deep Bidirectional Transformers}, year = {2019}}
@inproceedings{vaswani2017attention,
  author = {Vaswani, Ashish and Shazeer, Noam}, title = {Attention Is All You Need}, year = {2017}}
`;
const DRAFT = `---
bibliography: refs.bib
---

双向的预训练语言模型在许多任务上取得了很好的结果 [@]。
`;

describe("with methods chosen in the settings", { skip: unavailable }, () => {
  let place;
  let editor;

  before(async () => {
    const files = demo({ "论文.md": DRAFT, "refs.bib": LIBRARY });
    const settings = { "citeLsp.method": ["two-phase", "blsrec-2"] };
    place = await openAlone(files, "paper.tex", { settings });
    editor = place.editor;
    await editor.isReady();
  });

  after(() => place?.close());

  it("an English sentence is given papers by two phases", async () => {
    await editor.putCursorBehind("paper.tex", "labels are plenty or few \\citep{");
    await editor.suggestsBecause("phase 2: 0");
    await editor.picture("two-phase");
  });

  it("a Chinese sentence is given papers across languages", async () => {
    await editor.press("Escape");
    await editor.openFile("论文.md");
    await editor.isReady();
    await editor.putCursorBehind("论文.md", "[@");
    await editor.suggestsBecause("跨语言相近");
    await editor.picture("blsrec");
  });
});
