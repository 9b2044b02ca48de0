/** Chinese: drafts, what is typed through an input method, and positions behind wide characters. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { open, unavailable } from "./workplace.mjs";

const LIBRARY = `@article{周志华2016,
  author = {周志华}, title = {基于分歧的半监督学习}, journal = {自动化学报}, year = {2013}}
@inproceedings{devlin2019bert,
  author = {Devlin, Jacob and Chang, Ming-Wei}, title = {{BERT}: Pre-training of Deep Bidirectional Transformers}, year = {2019}}
@article{刘知远2016,
  author = {刘知远 and 孙茂松}, title = {知识表示学习研究进展}, journal = {计算机研究与发展}, year = {2016}}
@article{李航2019,
  author = {李航}, title = {统计学习方法}, year = {2019}}
`;

const DRAFT = `\\documentclass{ctexart}
\\begin{document}
知识图谱把实体和关系表示为低维向量\\cite{}。
预训练语言模型👩‍🔬😀改变了自然语言处理，🎉双向的编码器尤其如此\\cite{}。
\\bibliography{refs}
\\end{document}
`;

describe("in a Chinese draft", { skip: unavailable }, () => {
  let place;
  let editor;

  before(async () => {
    place = await open({ "论文.tex": DRAFT, "refs.bib": LIBRARY }, "论文.tex");
    editor = place.editor;
    await editor.isReady();
  });

  after(() => place?.close());

  it("words of a title that an input method composes bring up its paper", async () => {
    await editor.putCursorBehind("论文.tex", "低维向量\\cite{");
    await editor.compose(["zhi", "zhishi", "知识"], "知识表示");
    await editor.suggestsFirst("刘知远2016");
    await editor.picture("chinese");

    await editor.press("Enter");

    const draft = await editor.saved("论文.tex", "\\cite{刘知远2016}");
    assert.equal(draft, DRAFT.replace("向量\\cite{}", "向量\\cite{刘知远2016}"));
  });

  it("pinyin that was never composed finds a Chinese paper as well", async () => {
    await editor.putCursorBehind("论文.tex", "刘知远2016");
    await editor.type(",zhouzhihua");
    await editor.suggestsFirst("周志华2016");

    await editor.press("Enter");

    await editor.saved("论文.tex", "\\cite{刘知远2016,周志华2016}。");
  });

  it("emoji before the cursor do not shift what is replaced", async () => {
    const earlier = editor.read("论文.tex");
    await editor.putCursorBehind("论文.tex", "尤其如此\\cite{");
    await editor.type("bidirectional");
    await editor.suggestsFirst("devlin2019bert");

    await editor.press("Enter");

    const draft = await editor.saved("论文.tex", "devlin2019bert");
    assert.equal(draft, earlier.replace("如此\\cite{}", "如此\\cite{devlin2019bert}"));
  });
});

describe("in a Markdown draft with wide characters", { skip: unavailable }, () => {
  let place;
  let editor;

  before(async () => {
    const draft = "---\nbibliography: refs.bib\n---\n\n🎉知识图谱😀 matters, and encoders too .\n";
    place = await open({ "draft.md": draft, "refs.bib": LIBRARY }, "draft.md");
    editor = place.editor;
    await editor.isReady();
  });

  after(() => place?.close());

  it("a citation that is written from its bracket on takes the paper's key", async () => {
    await editor.putCursorBehind("draft.md", "encoders too ");
    await editor.type("[@bert");
    await editor.suggestsFirst("devlin2019bert");

    await editor.press("Enter");

    const draft = await editor.saved("draft.md", "@devlin2019bert");
    assert.ok(draft.endsWith("🎉知识图谱😀 matters, and encoders too [@devlin2019bert].\n"));
  });
});
