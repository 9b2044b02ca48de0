/** Which documents the server looks after, and which of them are surely drafts with citations. */

const DRAFTS = [
  "latex",
  "tex",
  "latex-expl3",
  "plaintex",
  "rsweave",
  "markdown",
  "pandoc",
  "quarto",
  "rmd",
  "typst",
  "org",
];
const BIBLIOGRAPHIES = ["bibtex", "biblatex"];
/** What is on the disk, and what was never saved yet. */
const SCHEMES = ["file", "untitled"];
/** What tells a draft from notes and READMEs, in the languages that those are written in. */
const CITATIONS: Readonly<Record<string, RegExp>> = {
  markdown: /^bibliography:|(?:^|[\s[;-])@[\p{L}\d_]|\[@/mu,
  org: /^#\+bibliography:|\bcite[\w/*-]*:/imu,
};

/** Drafts and bibliographies on the machine that runs the server, saved there already or not. */
export const SELECTOR = SCHEMES.flatMap((scheme) =>
  [...DRAFTS, ...BIBLIOGRAPHIES].map((language) => ({ scheme, language })),
);

/** Whether a document is a draft: recommendations can be asked for it. */
export function isDraft(scheme: string, language: string): boolean {
  return SCHEMES.includes(scheme) && DRAFTS.includes(language);
}

/** Whether a writer who opens this wants citations. */
export function wantsCitations(scheme: string, language: string, text: string): boolean {
  return isDraft(scheme, language) && (CITATIONS[language]?.test(text) ?? true);
}
