/** Other extensions that complete keys as well, and the settings that leave the keys to this one. */

/** One setting of VS Code or of another extension; for one language alone where that is named. */
export interface Wish {
  name: string;
  value: boolean | number;
  language?: string;
}

export interface Neighbour {
  /** The extension, as the marketplace knows it. */
  id: string;
  name: string;
  /** What leaves the keys to cite-lsp; the first of them tells whether that was done. */
  wishes: readonly [Wish, ...Wish[]];
  /** What it has read before stays until the window is loaded again. */
  remembers: boolean;
}

/**
 * texlab has no setting against its keys, but VS Code hides items by their kind, and texlab gives
 * these kinds to entries of a bibliography alone.
 */
const KINDS_OF_ENTRIES = [
  "showEvents",
  "showStructs",
  "showInterfaces",
  "showOperators",
  "showTypeParameters",
  "showUnits",
] as const;

export const NEIGHBOURS: readonly Neighbour[] = [
  {
    id: "James-Yu.latex-workshop",
    name: "LaTeX Workshop",
    wishes: [
      // A bibliography that is larger is not read; it has no switch for citations alone.
      { name: "latex-workshop.bibtex.maxFileSize", value: 0 },
      { name: "latex-workshop.hover.citation.enabled", value: false },
    ],
    remembers: true,
  },
  {
    id: "efoerster.texlab",
    name: "TexLab",
    wishes: KINDS_OF_ENTRIES.map((kind) => ({
      name: `editor.suggest.${kind}`,
      value: false,
      language: "latex",
    })) as [Wish, ...Wish[]],
    remembers: false,
  },
];

/** Return the neighbours that are here and list each key a second time. */
export function doubling(
  isHere: (id: string) => boolean,
  current: (wish: Wish) => unknown,
): Neighbour[] {
  return NEIGHBOURS.filter(({ id, wishes }) => isHere(id) && current(wishes[0]) !== wishes[0].value);
}
