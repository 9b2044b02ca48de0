/** Which documents the server looks after, and which of them are surely drafts with citations. */

const DRAFTS = [
  "latex",
  "tex",
  "latex-expl3",
  "plaintex",
  "markdown",
  "pandoc",
  "quarto",
  "rmd",
  "typst",
  "org",
];
const BIBLIOGRAPHIES = ["bibtex", "biblatex"];
const CITATION = /^bibliography:|(?:^|[\s[;-])@[\p{L}\d_]|\[@/mu;

/** The languages of drafts and bibliographies, on the disk of the machine that runs the server. */
export const SELECTOR = [...DRAFTS, ...BIBLIOGRAPHIES].map((language) => ({
  scheme: "file",
  language,
}));

/** Whether a document is a draft: recommendations can be asked for it. */
export function isDraft(scheme: string, language: string): boolean {
  return scheme === "file" && DRAFTS.includes(language);
}

/** Whether a writer who opens this wants citations: any Markdown file might be a README. */
export function wantsCitations(scheme: string, language: string, text: string): boolean {
  if (language !== "markdown") {
    return isDraft(scheme, language);
  }
  return scheme === "file" && CITATION.test(text);
}
