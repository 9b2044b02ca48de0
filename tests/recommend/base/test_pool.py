"""The pool of a library that changes, and of one that is large."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.library.bibtex.incremental import BibtexText, read_text
from cite_lsp.library.entries import Entry
from cite_lsp.paper import Paper
from cite_lsp.recommend.base import pool as pool_module
from cite_lsp.recommend.base import pool_words
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.search.corpus.texts import searched_text

TITLES = (
    "Sediment supply and the growth of tidal marshes",
    "Word vectors from large corpora",
    "Nesting habits of the herring gull",
    "Tidal gates",
)


def library(titles: tuple[str, ...], before: BibtexText | None = None) -> BibtexText:
    text = "".join(
        f"@misc{{k{title[:4].lower()}, title={{{title}}}, author={{Rosa Luz}}, year={year}}}\n"
        for year, title in enumerate(titles, 2001)
    )
    return read_text(text, Path("refs.bib"), before)


def test_a_pool_of_entries_is_that_of_their_papers() -> None:
    entries = library(TITLES).bibliography.entries
    lazy, eager = Pool.of_entries(entries), Pool([entry.paper for entry in entries], entries)
    assert tuple(lazy.papers) == tuple(eager.papers) and lazy.row_of == eager.row_of
    assert list(lazy.surnames) == list(eager.surnames) == [("luz",)] * 4
    assert list(lazy.title_tokens) == list(eager.title_tokens)
    assert lazy.years.tolist() == eager.years.tolist() == [2001, 2002, 2003, 2004]
    assert lazy.words.scores("tidal").tolist() == eager.words.scores("tidal").tolist()


@pytest.mark.parametrize(
    "titles",
    [
        (TITLES[0], "Vectors of tidal words", *TITLES[2:]),
        TITLES[1:],
        (*TITLES, "Tidal energy"),
        ("Tidal energy", *TITLES[::-1]),
    ],
)
def test_a_renewed_pool_ranks_words_as_a_new_one(titles: tuple[str, ...]) -> None:
    before = library(TITLES)
    after = library(titles, before).bibliography.entries
    renewed, new = (
        Pool.of_entries(after, Pool.of_entries(before.bibliography.entries)),
        Pool.of_entries(after),
    )
    assert renewed.names == new.names and renewed.years.tolist() == new.years.tolist()
    for query in ("tidal marshes", "vectors of words", "gull", "luz 2002"):
        for index in ("words", "title_words"):
            theirs, ours = getattr(new, index).scores(query), getattr(renewed, index).scores(query)
            assert (ours > 0).tolist() == (theirs > 0).tolist(), query
            assert np.allclose(ours, theirs, atol=0.35), query


def test_a_library_that_grows_entry_by_entry_ranks_words_as_one_that_is_opened() -> None:
    titles = tuple(f"{bird} at the shore" for bird in ("Gulls", "Terns", "Skuas", "Auks", "Knots"))
    read = library(titles[:1])
    pool = Pool.of_entries(read.bibliography.entries)
    for count in range(2, len(titles) + 1):
        read = library(titles[:count], read)
        pool = Pool.of_entries(read.bibliography.entries, pool)
    opened = Pool.of_entries(read.bibliography.entries)
    for query in ("gulls at the shore", "knots"):
        assert np.allclose(pool.words.scores(query), opened.words.scores(query)), query


def test_a_change_in_a_library_of_many_reads_the_words_of_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    titles = tuple(f"Bird {number} of the shore" for number in range(40))
    read = library(titles)
    old = Pool.of_entries(read.bibliography.entries)
    read_now: list[str] = []

    def listening(paper: Paper) -> str:
        read_now.append(paper.title)
        return searched_text(paper)

    for module in (pool_module, pool_words):
        monkeypatch.setattr(module, "searched_text", listening)
    after = library((*titles[:-1], "Moon gates"), read).bibliography.entries
    Pool.of_entries(after, old)
    assert read_now == ["Moon gates"]


def test_only_a_paper_that_changed_is_read_and_embedded(
    encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = library(TITLES)
    old = Pool.of_entries(before.bibliography.entries)
    old.embed(encoder)
    after = library((*TITLES[:3], "Moon gates"), before).bibliography.entries
    pool = Pool.of_entries(after, old)
    assert pool.title_vectors is not None and not pool.embedded
    encoded_texts: list[str] = []

    class Listening:
        dimensions = encoder.dimensions

        def encode(self, texts: list[str], **_: object) -> object:
            encoded_texts.extend(texts)
            return encoder.encode(texts)

    pool.embed(Listening())  # type: ignore[arg-type]
    assert encoded_texts == ["Moon gates"] and pool.embedded
    fresh = Pool.of_entries(after)
    fresh.embed(encoder)
    assert pool.title_vectors is not None and fresh.title_vectors is not None
    assert np.allclose(pool.title_vectors, fresh.title_vectors, atol=1e-5)
    assert old.title_vectors is not None
    assert not np.allclose(old.title_vectors[3], pool.title_vectors[3]), (
        "the old pool stays as it is"
    )


def completed(entries: Sequence[Entry], row: int, abstract: str) -> dict[int, Paper]:
    return {row: evolve(entries[row].paper, abstract=abstract)}


def test_of_a_paper_with_new_fields_only_these_are_read_anew(encoder: CachedEncoder) -> None:
    read = library(TITLES)
    entries = read.bibliography.entries
    old = Pool.of_entries(entries)
    old.embed(encoder)
    pool = Pool.of_entries(entries, old, completed(entries, 3, "Sluices against storm surges."))
    assert pool.words.scores("sluices").argmax() == 3 and not old.words.scores("sluices").any()
    assert pool.has_abstract.tolist() == [0, 0, 0, 1] and pool.papers[3].abstract
    assert pool.full_vectors is not None and old.full_vectors is not None
    assert np.array_equal(pool.full_vectors, old.full_vectors), "until it is embedded"
    encoded_texts: list[str] = []

    class Listening:
        dimensions = encoder.dimensions

        def encode(self, texts: list[str], **_: object) -> object:
            encoded_texts.extend(texts)
            return encoder.encode(texts)

    pool.embed(Listening())  # type: ignore[arg-type]
    assert encoded_texts == [TITLES[3], f"{TITLES[3]}. Sluices against storm surges."]
    fresh = Pool.of_entries(
        entries, completed=completed(entries, 3, "Sluices against storm surges.")
    )
    fresh.embed(encoder)
    assert fresh.full_vectors is not None
    assert np.allclose(pool.full_vectors, fresh.full_vectors, atol=1e-5)
    assert np.allclose(pool.full_vectors[:3], old.full_vectors[:3])


def test_what_was_reported_of_a_record_goes_where_it_goes(encoder: CachedEncoder) -> None:
    before = library(TITLES)
    entries = before.bibliography.entries
    old = Pool.of_entries(entries, completed=completed(entries, 1, "Skip-grams."))
    old.embed(encoder)
    rest = "".join(entry.raw + "\n" for entry in entries[1:])
    reordered = read_text(rest, Path("refs.bib"), before).bibliography.entries
    pool = Pool.of_entries(reordered, old)
    assert pool.completed == {0: old.papers[1]} and pool.embedded
    assert pool.words.scores("skip-grams").argmax() == 0
    changed = library(("Tidal gates", "Word vectors"), before).bibliography.entries
    assert not Pool.of_entries(changed, pool).completed
    again = Pool.of_entries(reordered, pool, {0: evolve(old.papers[1])})
    assert again.embedded, "it says the same"
    bare = Pool.of_entries(reordered, pool, {})
    assert not bare.completed and not bare.embedded and not bare.words.scores("skip-grams").any()


def test_a_library_that_was_empty_for_a_moment_is_embedded_again(encoder: CachedEncoder) -> None:
    before = library(TITLES)
    old = Pool.of_entries(before.bibliography.entries)
    old.embed(encoder)
    emptied = Pool.of_entries((), old)
    emptied.embed(encoder)
    filled = Pool.of_entries(library(TITLES[:2]).bibliography.entries, emptied)
    assert not filled.embedded
    filled.embed(encoder)
    assert filled.title_vectors is not None and filled.title_vectors.shape[0] == 2
    assert filled.words.scores("tidal marshes").max() > 0


def test_of_many_papers_those_that_a_draft_needs_are_embedded_first(
    encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_EMBEDDED_AT_ONCE", 2)
    entries = library(TITLES).bibliography.entries
    pool = Pool.of_entries(entries, completed=completed(entries, 0, "Sluices and surges."))
    encoded_texts: list[str] = []
    compared: list[list[int]] = []

    class Listening:
        dimensions = encoder.dimensions

        def encode(self, texts: list[str], **_: object) -> object:
            encoded_texts.append(texts[0])
            vectors = pool.title_vectors
            rows = [] if vectors is None else np.flatnonzero(vectors.any(axis=1)).tolist()
            compared.append(rows)
            assert not pool.embedded
            return encoder.encode(texts)

    first = pool.wanted_first("tidal vectors", [pool.names[3]])
    assert first[0] == 3 and len(first) == 2
    pool.embed(Listening(), first=[3, 1])  # type: ignore[arg-type]
    assert compared == [[]] and not pool.embedded
    pool.embed(Listening())  # type: ignore[arg-type]
    assert compared == [[], [1, 3], [1, 3]] and pool.embedded
    assert encoded_texts == [TITLES[3], TITLES[0], f"{TITLES[0]}. Sluices and surges."]
    assert not pool.wanted_first("tidal vectors", [])
    fresh = Pool.of_entries(entries, completed=completed(entries, 0, "Sluices and surges."))
    fresh.embed(encoder)
    for vectors in ("title_vectors", "full_vectors"):
        assert np.allclose(getattr(pool, vectors), getattr(fresh, vectors), atol=1e-5)


def test_vectors_that_are_set_later_count(encoder: CachedEncoder) -> None:
    pool = Pool.of_entries(library(TITLES).bibliography.entries)
    before = pool.embeddings
    pool.embed(encoder)
    assert pool.embeddings > before
