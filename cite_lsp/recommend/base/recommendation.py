"""The Recommendation: a paper, its score, and the Reasons for it."""

from __future__ import annotations

import math

from attrs import field, frozen

from cite_lsp.library.entries import Entry
from cite_lsp.paper import Paper
from cite_lsp.project.draft import Draft


@frozen
class Reason:
    """Why a paper is recommended.

    `kind` names the evidence, `value` is its strength (0 to 1 for similarities, a count otherwise),
    `papers` names the cited papers that it rests on. `place` is the rank of the paper by this
    strength in its library or corpus, from 1; 0 where it is not among the first.

    Kinds: "key" (the text names the paper by its key, in `words`), "sentence" (cosine of the text
    and the paper), "named" (the text names an author), "words" (title words that the text holds),
    "co-cited" (nearness to papers that the section cites), "cited-like" (a similar passage of the
    draft cites it; `words` holds its text), "filed" (in the bibliography it stands right above or
    below an entry that a neighbouring marker cites), "cited-by" (known documents that cite it),
    "precedent" (others cited it in a similar passage; the cosine of the most similar one),
    "cited-here" and "cited-elsewhere" (how often the section, or else the draft, cites it),
    "other-draft" (another draft of the writer cites it, `words` holds its title; the similarity of
    the most similar passage, 0 where unknown). Of methods: "phase-1" and "phase-2" (the cosines of
    `two-phase`), "mp-bert4cr" and "blsrec" (their scores).

    For a whole draft: "cited-together" (documents cite it beside `papers`, which the draft cites),
    "cited-by-nearest" (so many of the documents nearest to the draft cite it; `words` holds of how
    many), "cites-same" (it cites so many papers that the draft cites), "near-section" (a section is
    nearest to it; `words` holds its title), "near-draft" (cosine to title and abstract),
    "near-cited" (cosine to the nearest of `papers`, which the draft cites), "section-words" (how
    many words of its title a section has; `words` holds the title of the section, "" where it has
    none, and these words).
    """

    kind: str
    value: float
    papers: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    place: int = 0


@frozen
class CitedFor:
    """What a paper is to be cited for: the writer's sentence, and the title of the draft."""

    sentence: str = ""
    title: str = ""

    @classmethod
    def at(cls, draft: Draft, offset: int) -> CitedFor:
        """Return what a paper would be cited for at an offset of a draft."""
        sentence = draft.manuscript.sentence_at(offset)
        return cls(sentence.text if sentence else "", draft.document.title)


@frozen
class CitedElsewhere:
    """A sentence in which another paper cites one, with "[…]" for the marker; `paper` is the other.

    It is plain text of anybody's paper, of bounded length. `corpus` is where it is from.
    """

    sentence: str
    paper: Paper
    corpus: str


@frozen
class Recommendation:
    """A paper to cite, with its entry if the library has one, a score and the reasons.

    A higher score is better. `corpus` names the corpus of a paper that the library lacks, `new_key`
    is the key that its entry would get. `other_keys` are those under which the library has the same
    work once more. `language` is that of the draft: the reasons are worded in it. `method` is what
    ranked the paper; scores are probabilities only by the default one, and by it papers of several
    corpora compare by their `logit` (NaN where they do not). `cited_elsewhere` and
    `abstract_sentence`, the sentence of the abstract that is nearest to the writer's, are looked up
    for papers that are read about, not for lists.
    """

    paper: Paper
    score: float
    entry: Entry | None = None
    reasons: tuple[Reason, ...] = ()
    corpus: str = ""
    new_key: str = ""
    other_keys: tuple[str, ...] = ()
    language: str = "en"
    method: str = "default"
    logit: float = field(default=math.nan, eq=False)
    cited_elsewhere: CitedElsewhere | None = None
    abstract_sentence: str = ""

    @property
    def key(self) -> str:
        """The key for the citation command: the entry's, or the one it would get.

        Without a library it is the paper's id.
        """
        return self.entry.key if self.entry else self.new_key or self.paper.id
