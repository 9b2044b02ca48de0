/** What the server understands beyond the Language Server Protocol, as it goes over the wire. */

import { plain } from "./plain";

export const ServerCommand = {
  recommend: "citeLsp.recommend",
  citing: "citeLsp.citing",
  citedBy: "citeLsp.citedBy",
  insert: "citeLsp.insert",
  addEntry: "citeLsp.addEntry",
  references: "citeLsp.references",
  missing: "citeLsp.missing",
  dismiss: "citeLsp.dismiss",
  restore: "citeLsp.restore",
  showReferences: "citeLsp.showReferences",
  index: "citeLsp.index",
} as const;

export const STATUS_NOTIFICATION = "citeLsp/status";

/** The kind of the code action that cites the best paper wherever a citation is missing. */
export const ADD_MISSING_KIND = "source.addMissingCitations";

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** One recommendation, its texts in one line. What an older server leaves out is empty or undefined. */
export interface Row {
  /** As the bibliography has it, whatever that is: what is shown of it is `plain`. */
  key: string;
  /** As prose names it, "Vaswani et al. 2017": its title where nobody is named, its key where nothing is. */
  name: string;
  title: string;
  authors: string[];
  moreAuthors: boolean;
  year: number | undefined;
  venue: string;
  reason: string;
  /** A passage that supports it, in words; empty where none is known. */
  quoted: string;
  abstract: string;
  /** Where the paper can be read: its DOI's address, or else the one that it came with. */
  link: string;
  inLibrary: boolean;
  cited: boolean;
  corpus: string;
}

/** A sentence that lacks a citation: where it stands, where the citation would go, and which. */
export interface Gap {
  range: Range;
  insert: Position;
  text: string;
  rows: Row[];
}

/** The papers that citations link to one: how many, how many of them the library has, and those listed. */
export interface Linked {
  key: string;
  total: number;
  inLibrary: number;
  rows: Row[];
}

/** A paper that the draft as a whole should cite, and the sentence that it would go to. */
export interface Reference {
  row: Row;
  place: { uri: string; position: Position; sentence: string } | undefined;
}

export interface ReferenceGroup {
  name: string;
  references: Reference[];
}

/** Of the papers that at least `fewest` of the `nearest` ones cite, how many the draft cites. */
export interface Completeness {
  cited: number;
  of: number;
  fewest: number;
  nearest: number;
}

/** How far the server is; `message` is for people and may be empty. */
export interface Status {
  state: "preparing" | "indexing" | "ready" | "error";
  message: string;
}

/** What a corpus that was built holds, and what could not be read. */
export interface Summary {
  corpus: string;
  papers: number;
  badRecords: number;
}

/** Read the answer to `citeLsp.index`; undefined where nothing was built. */
export function readSummary(answer: unknown): Summary | undefined {
  if (!isRecord(answer) || typeof answer.papers !== "number") {
    return undefined;
  }
  const bad = answer.bad_records;
  return {
    corpus: text(answer.corpus),
    papers: answer.papers,
    badRecords: typeof bad === "number" ? bad : 0,
  };
}

/** Read the answer to `citeLsp.recommend`; whatever is not a row is left out. */
export function readRows(answer: unknown): Row[] {
  return Array.isArray(answer) ? answer.filter(isRecord).filter(hasKey).map(readRow) : [];
}

/** Read the answer to `citeLsp.citing` or `citeLsp.citedBy`; undefined where no corpus knows. */
export function readLinked(answer: unknown): Linked | undefined {
  if (!isRecord(answer)) {
    return undefined;
  }
  const { total, inLibrary } = answer;
  return {
    key: plain(text(answer.key)),
    total: typeof total === "number" ? total : 0,
    inLibrary: typeof inLibrary === "number" ? inLibrary : 0,
    rows: readRows(answer.papers),
  };
}

/** Read the answer to `citeLsp.references`; whatever is not a paper is left out. */
export function readReferences(answer: unknown): { groups: ReferenceGroup[]; completeness: Completeness } {
  const document = isRecord(answer) ? answer : {};
  const groups = Array.isArray(document.groups) ? document.groups.filter(isRecord) : [];
  const complete = isRecord(document.completeness) ? document.completeness : {};
  return {
    groups: groups.map((group) => ({
      name: plain(text(group.name)),
      references: (Array.isArray(group.papers) ? group.papers.filter(isRecord) : [])
        .filter(hasKey)
        .map((paper) => ({ row: readRow(paper), place: readPlace(paper.place) })),
    })),
    completeness: {
      cited: count(complete.cited),
      of: count(complete.of),
      fewest: count(complete.fewest),
      nearest: count(complete.nearest),
    },
  };
}

/** Read the answer to `citeLsp.missing`; whatever does not say where it stands is left out. */
export function readGaps(answer: unknown): Gap[] {
  if (!Array.isArray(answer)) {
    return [];
  }
  return answer.filter(isRecord).flatMap((gap) => {
    const { range, insert } = gap;
    if (!isRecord(range) || !isPosition(range.start) || !isPosition(range.end)) {
      return [];
    }
    return {
      range: { start: range.start, end: range.end },
      insert: isPosition(insert) ? insert : range.end,
      text: text(gap.text),
      rows: readRows(gap.recommendations),
    };
  });
}

/** Read the parameters of `citeLsp/status`; undefined for a state that is not known here. */
export function readStatus(parameters: unknown): Status | undefined {
  if (!isRecord(parameters)) {
    return undefined;
  }
  const { state } = parameters;
  switch (state) {
    case "preparing":
    case "indexing":
    case "ready":
    case "error":
      return { state, message: text(parameters.message) };
    default:
      return undefined;
  }
}

type Fields = Record<string, unknown>;

function readRow(row: Fields): Row {
  return {
    key: text(row.key),
    name: plain(text(row.name)) || plain(text(row.title)) || plain(text(row.key)),
    title: plain(text(row.title)),
    authors: Array.isArray(row.authors) ? row.authors.map(text).map(plain).filter(Boolean) : [],
    moreAuthors: row.moreAuthors === true,
    year: typeof row.year === "number" ? row.year : undefined,
    venue: plain(text(row.venue)),
    reason: plain(text(row.reason)),
    quoted: plain(text(row.quoted)),
    abstract: plain(text(row.abstract)),
    link: webAddress(text(row.doi), text(row.url)),
    // An older server knows the library alone and says nothing of where a paper stands.
    inLibrary: row.inLibrary !== false,
    cited: row.cited === true,
    corpus: plain(text(row.corpus)),
  };
}

function readPlace(place: unknown): Reference["place"] {
  if (!isRecord(place) || !isPosition(place)) {
    return undefined;
  }
  const { line, character } = place;
  return { uri: text(place.uri), position: { line, character }, sentence: plain(text(place.sentence)) };
}

function count(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

function webAddress(doi: string, url: string): string {
  if (doi) {
    return `https://doi.org/${encodeURI(doi)}`;
  }
  return /^https?:\/\//i.test(url) ? url : "";
}

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function hasKey(row: Fields): boolean {
  return text(row.key) !== "";
}

function isPosition(value: unknown): value is Position {
  return (
    isRecord(value) && typeof value.line === "number" && typeof value.character === "number"
  );
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
