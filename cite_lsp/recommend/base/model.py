"""The words of a recommendation: a paper, a score, and the reasons for it."""

from __future__ import annotations

from attrs import frozen

from cite_lsp.library.model import Entry
from cite_lsp.paper import Paper


@frozen
class Reason:
    """Why a paper is recommended.

    `kind` names the evidence, `value` is its strength (0 to 1 for similarities, a count otherwise),
    `papers` names the cited papers that it leans on. `place` is how many papers of the same library
    or corpus have at least this strength, itself included; 0 where it is not among the first.

    Kinds: "sentence" (cosine of the text and the paper), "named" (the text names an author),
    "words" (title words that the text holds), "co-cited" (nearness to papers that the section
    cites), "cited-like" (a place of the draft that reads like this one cites it; `words` holds its
    text), "filed" (it stands right above or below what the marker before or behind cites, in the
    bibliography), "cited-by" (documents that cite it, as far as is known), "precedent"
    (others cited it at a place like this; the cosine of the likest), "cited-here" and
    "cited-elsewhere" (how often the section, or else the draft, cites it), "other-draft" (another
    draft of the writer's cites it, `words` holds its title; the likeness of the likest place, 0
    where that is not known).
    """

    kind: str
    value: float
    papers: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    place: int = 0


@frozen
class Recommendation:
    """A paper to cite, its entry where the library has one, a score (higher is better) and why.

    `corpus` names the corpus that a paper comes from which the library lacks, `new_key` is the key
    that its entry would be given. `language` is that of the text it is for, in which its reasons
    are told.
    """

    paper: Paper
    score: float
    entry: Entry | None = None
    reasons: tuple[Reason, ...] = ()
    corpus: str = ""
    new_key: str = ""
    language: str = "en"

    @property
    def key(self) -> str:
        """What goes into the citation command: the entry's key, or the one it would be given.

        Where no library is known it is the paper's id.
        """
        return self.entry.key if self.entry else self.new_key or self.paper.id
