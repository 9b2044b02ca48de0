"""How others cite a paper: of the contexts that corpora keep, the sentence nearest to a writer's.

Looking through contexts takes from milliseconds to seconds: it is for papers that somebody reads
about, not for lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from cite_lsp.corpus.citations import CitationContext
from cite_lsp.encode.encoder import Encoder
from cite_lsp.language import has_han
from cite_lsp.library.text.display import shown
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.invisible_characters import printable_line
from cite_lsp.library.text.latex_decode import readable
from cite_lsp.manuscript.text.sentences import MARKER_SIGN, sentence_spans
from cite_lsp.paper import Paper, joined_title
from cite_lsp.recommend.base.recommendation import CitedElsewhere, CitedFor
from cite_lsp.recommend.base.word_overlap import word_similarity
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.work_rows import row_of_work

MARK = "[…]"
"""Stands for the marker in a sentence that is shown."""
LONGEST = 300
"""Characters of a sentence that is shown."""
_MOST_READ = 200
"""Contexts of a paper that are read in each corpus, the newest."""
_FEWEST_WORDS, _FEWEST_HAN = 5, 10
"""Words, or characters of Chinese, from which on a sentence says anything."""
_COMPARED = 12
"""Sentences that share most words with the writer's, which are then compared by meaning."""


def cited_elsewhere(
    indexes: Mapping[str, CorpusIndex],
    paper: Paper,
    numbers: Sequence[str],
    cited_for: CitedFor,
    encoder: Encoder | None,
) -> CitedElsewhere | None:
    """Return how another paper cites one, None where no corpus knows.

    Without an encoder, the sentence that shares most words is the nearest. The draft itself, which
    a corpus may have, is none of the others.

    Args:
        indexes: the corpora by name.
        paper: the paper.
        numbers: its DOI and the like, by which a corpus may know it.
        cited_for: the writer's sentence.
        encoder: compares sentences.

    Raises:
        SearchIndexError: a corpus is damaged.
    """
    draft_title = joined_title(cited_for.title)
    corpora_of: dict[str, tuple[str, CorpusIndex, int]] = {}
    for name, index in indexes.items():
        for sentence, row in _sentences(index, paper, numbers):
            if not draft_title or joined_title(index.title(row)) != draft_title:
                corpora_of.setdefault(sentence, (name, index, row))
    if not corpora_of:
        return None
    sentences = list(corpora_of)
    plain = [sentence.replace(MARKER_SIGN, " ") for sentence in sentences]
    nearest = sentences[nearest_sentence(plain, cited_for.sentence, encoder)]
    name, index, row = corpora_of[nearest]
    return CitedElsewhere(shown_sentence(nearest), index.paper(row), name)


def _sentences(
    index: CorpusIndex, paper: Paper, numbers: Sequence[str]
) -> Iterator[tuple[str, int]]:
    """Yield the sentences in which papers of a corpus cite one, with their rows."""
    references = index.references
    if references is None or not references.has_contexts:
        return
    row = row_of_work(index, numbers, paper.title)
    if row < 0:
        return
    for citing, context in references.contexts_of(row, _MOST_READ, index.years):
        sentence = citing_sentence(context.words)
        if _says_anything(sentence):
            yield sentence, citing


def citing_sentence(words: CitationContext) -> str:
    """Return the sentence of a context in which the marker stands, a sign in its place.

    Where it is not known where the marker stood, it is the passage as a whole.
    """
    left, right = (" ".join(without_markup(side).split()) for side in (words.left, words.right))
    if not right:
        return left
    gap = " " if right[0].isalnum() else ""
    text = f"{left} {MARKER_SIGN}{gap}{right}"
    for start, end in sentence_spans(text):
        if MARKER_SIGN in text[start:end]:
            return text[start:end].strip()
    return text


def _says_anything(sentence: str) -> bool:
    plain = sentence.replace(MARKER_SIGN, " ")
    return len(plain) >= _FEWEST_HAN if has_han(plain) else len(plain.split()) >= _FEWEST_WORDS


def shown_sentence(sentence: str) -> str:
    """Return a citing sentence for people: in one line, of bounded length around the marker."""
    text = printable_line(readable(sentence))
    if len(text) > LONGEST:
        at = max(text.find(MARKER_SIGN), 0)
        start = min(max(at - LONGEST // 2, 0), len(text) - LONGEST)
        end = start + LONGEST
        if start:
            start = text.find(" ", start, at) + 1 or start
        if end < len(text):
            end = max(text.rfind(" ", at + 1, end), start + 1)
        before, behind = "…" * bool(start), "…" * (end < len(text))
        text = f"{before}{text[start:end].strip()}{behind}"
    return text.replace(MARKER_SIGN, MARK)


def nearest_sentence(sentences: Sequence[str], target: str, encoder: Encoder | None) -> int:
    """Return which of some sentences is the nearest to one; of none that is wanted, the first.

    Without an encoder, it is the one that shares most words.
    """
    shared = word_similarity(target, sentences)
    order: list[int] = np.argsort(-shared, kind="stable")[:_COMPARED].tolist()
    if encoder is None or not target or len(order) < 2:
        return order[0]
    vectors = encoder.encode([target, *(sentences[place] for place in order)])
    return order[int(np.argmax(vectors[1:] @ vectors[0]))]


def abstract_sentence(paper: Paper, target: str, encoder: Encoder | None) -> str:
    """Return the sentence of the abstract of a paper, as it is shown, that is nearest to one.

    It is "" where nothing is wanted, and where the abstract has no two sentences to choose from.
    """
    abstract = " ".join(shown(paper).abstract.split())
    spans = sentence_spans(abstract) if target else []
    if len(spans) < 2:
        return ""
    sentences = [abstract[start:end].strip() for start, end in spans]
    return sentences[nearest_sentence(sentences, target, encoder)]
