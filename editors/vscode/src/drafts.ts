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
/** What tells a draft from notes and READMEs, in the languages that those are written in. */
const CITATIONS: Readonly<Record<string, RegExp>> = {
  markdown: /^bibliography:|(?:^|[\s[;-])@[\p{L}\d_]|\[@/mu,
  org: /^#\+bibliography:|\bcite[\w/*-]*:/imu,
};

/** The languages of drafts and bibliographies, on the disk of the machine that runs the server. */
export const SELECTOR = [...DRAFTS, ...BIBLIOGRAPHIES].map((language) => ({
  scheme: "file",
  language,
}));

/** Whether a document is a draft: recommendations can be asked for it. */
export function isDraft(scheme: string, language: string): boolean {
  return scheme === "file" && DRAFTS.includes(language);
}

/** Whether a writer who opens this wants citations. */
export function wantsCitations(scheme: string, language: string, text: string): boolean {
  return isDraft(scheme, language) && (CITATIONS[language]?.test(text) ?? true);
}
