/** Recommendations in words: what the lines, the tooltips and the screen reader say of a paper. */

import { markdown, markdownLink, plain } from "./plain";
import type { Completeness, Linked, Row, Summary } from "./protocol";

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{20000}-\u{3fffd}]/u;
const TOKENS = new RegExp(`${WIDE.source}|[^\\s]+?(?=${WIDE.source}|\\s|$)`, "gu");
const MOST_AUTHORS = 8;

/** The title, unless it is the short name already. */
export function subtitle(row: Row): string {
  return row.authors.length > 0 ? row.title : "";
}

/** The label of a completion item, as VS Code has it. */
interface ItemLabel {
  label: string;
  detail?: string;
  description?: string;
}

/**
 * Put the title of a completion item next to its key, behind what the key does not say of authors and year.
 *
 * In a list of the usual width VS Code would shorten both columns until neither can be read.
 */
export function inOneLine<Label extends string | ItemLabel>(label: Label): Label | ItemLabel {
  if (typeof label === "string" || !label.description) {
    return label;
  }
  const { label: key, detail = "", description } = label;
  const parts = [saysAll(key, detail) ? "" : detail.trim(), description];
  return { label: key, detail: ` ${parts.filter(Boolean).join(", ")}` };
}

/** Whether a key like "see2017get" holds the name and year of "See et al. 2017". */
function saysAll(key: string, headline: string): boolean {
  const words = folded(headline).trim().split(/\s+/u);
  const [name = "", year = ""] = [words.at(0), words.at(-1)];
  return words.length > 1 && /^\d{4}$/.test(year) && folded(key).includes(name) && key.includes(year);
}

function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The title of the list of what a paper cites, or of what cites it. */
export function linkedTitle({ key, total, inLibrary }: Linked, direction: "citing" | "citedBy"): string {
  const linked = direction === "citing" ? "cites" : "is cited by";
  return `${key} ${linked} ${total}, ${inLibrary} of them in your library`;
}

/** How much of what the papers nearest to a draft cite in common it cites; "" where that is not known. */
export function completenessLine({ cited, of, fewest, nearest }: Completeness): string {
  return of > 0
    ? `${cited} of the ${of} papers that at least ${fewest} of the ${nearest} papers nearest to this draft cite are cited here.`
    : "";
}

/** Why there is no such list. */
export function noneLinked(key: string | undefined, direction: "citing" | "citedBy"): string {
  if (!key) {
    return "There is no key at the cursor, or no corpus knows its citations.";
  }
  return direction === "citing" ? `No corpus knows what ${key} cites.` : `No corpus knows what cites ${key}.`;
}

/** What a screen reader says of a row that is the `rank`-th of `count`. */
export function spoken(row: Row, rank: number, count: number): string {
  const parts = [
    `${rank} of ${count}: ${row.name}`,
    subtitle(row),
    row.reason,
    row.cited ? "cited here already" : "",
    row.inLibrary ? "" : "not in your bibliography",
  ];
  return parts.filter(Boolean).join(", ");
}

/** The whole of a paper in Markdown, for a tooltip. */
export function tooltip(row: Row): string {
  const place = [row.venue && `*${markdown(row.venue)}*`, row.year].filter(Boolean).join(", ");
  const link = row.link && markdownLink(row.link, linkText(row.link));
  const paragraphs = [
    row.title && `**${markdown(row.title)}**`,
    markdown(authors(row)),
    [place, link].filter(Boolean).join(" · "),
    markdown(capitalised(row.reason)),
    markdown(row.quoted),
    markdown(row.abstract),
    markdown(row.key),
  ];
  return paragraphs.filter(Boolean).join("\n\n");
}

export type DetailKind = "title" | "authors" | "venue" | "reason" | "link" | "abstract";

export interface Detail {
  kind: DetailKind;
  text: string;
  /** Whether the line goes on with what the one above it began. */
  continued: boolean;
}

/** A paper line by line, none wider than `width` columns, for the lines below its own. */
export function details(row: Row, width: number): Detail[] {
  const place = [row.venue, row.year].filter(Boolean).join(", ");
  const paragraphs: [DetailKind, string][] = [
    ["title", subtitle(row)],
    ["authors", authors(row)],
    ["venue", place],
    ...reasons(row).map((reason): [DetailKind, string] => ["reason", reason]),
    ["reason", row.quoted],
    ["link", linkText(row.link)],
    ["abstract", row.abstract],
  ];
  return paragraphs.flatMap(([kind, paragraph]) =>
    wrapped(paragraph, width).map((line, index) => ({ kind, text: line, continued: index > 0 })),
  );
}

/** Break a text into lines of at most `width` columns; a Chinese character takes two. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const gap = line && match.index > end ? " " : "";
    end = match.index + match[0].length;
    if (line && columns(line + gap + match[0]) > width) {
      lines.push(line);
      line = match[0];
    } else {
      line += gap + match[0];
    }
  }
  return line ? [...lines, line] : lines;
}

/** Cut a text at a word, with an ellipsis, to at most `length` characters. */
export function shortened(text: string, length: number): string {
  const characters = Array.from(text);
  if (characters.length <= length) {
    return text;
  }
  const cut = characters.slice(0, length - 1).join("");
  const word = cut.lastIndexOf(" ");
  return `${word > length / 2 ? cut.slice(0, word) : cut}…`;
}

function reasons(row: Row): string[] {
  return row.reason.split("; ").filter(Boolean).map(capitalised);
}

/** Why a paper was not cited in a line; `cited` is whether it is there already, if that is known. */
export function notCited(key: string, line: number, cited?: boolean): string {
  const already = `${plain(key)} is cited there already`;
  const noPlace =
    `there is no place for a citation in line ${line}: ` +
    "put the cursor into a citation, or into a sentence that has none";
  switch (cited) {
    case true:
      return `${already}.`;
    case false:
      return `${capitalised(noPlace)}.`;
    case undefined:
      return `${already}, or ${noPlace}.`;
  }
}

/** What is wrong with the name of a corpus; undefined where nothing is. */
export function corpusNameProblem(name: string): string | undefined {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name)
    ? undefined
    : "letters, digits, “-”, “_” and “.” make a name";
}

/** What has come of building a corpus. */
export function indexed({ corpus, papers, badRecords }: Summary): string {
  const count = (number: number, what: string): string =>
    `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
  const bad = badRecords > 0 ? `; ${count(badRecords, "record")} could not be read` : "";
  return `The corpus “${corpus}” holds ${count(papers, "paper")}, which are recommended from now on${bad}.`;
}

function authors(row: Row): string {
  const more = row.authors.length - MOST_AUTHORS;
  const shown = row.authors.slice(0, MOST_AUTHORS).join(", ");
  if (more > 0) {
    return `${shown} and ${more} more`;
  }
  return row.moreAuthors && shown ? `${shown} and others` : shown;
}

function linkText(link: string): string {
  return link.replace(/^https?:\/\/(?:doi\.org\/)?/i, "");
}

function columns(text: string): number {
  let count = 0;
  for (const character of text) {
    count += WIDE.test(character) ? 2 : 1;
  }
  return count;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
