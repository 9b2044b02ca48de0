"""References of a corpus: found whatever comes first, kept while their source is, exported."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.corpus.citations import CitationContext, PaperCitations, SourceItem
from cite_lsp.corpus.contexts import read_contexts
from cite_lsp.corpus.edges import Edge, read_edges
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex, current_version
from cite_lsp.search.corpus.corpus_references import References
from cite_lsp.search.indexing import checksums
from cite_lsp.search.indexing.check import check_corpus
from cite_lsp.search.indexing.export import ExportCounts, export_corpus
from cite_lsp.search.vectors.vector_index import SearchIndexError
from tests.search.in_memory_sources import InMemorySources

P = [Paper(f"p{n}", f"A study of shore number {n}", "Silt.", year=2000 + n) for n in range(6)]
CONTEXT = PaperCitations(
    "id p3", ("id p0", "id p1"), (CitationContext("As shown", "long ago", ("background",)),)
)


def cited(corpus: CorpusIndex) -> dict[str, set[str]]:
    references = corpus.references
    assert references is not None
    return {
        corpus.paper(row).id: {corpus.paper(int(other)).id for other in references.of(row)}
        for row in range(len(corpus))
        if len(references.of(row))
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shores"


def test_a_citation_may_come_before_its_papers_and_counts_once(folder: Path) -> None:
    sources = InMemorySources(
        graph=[
            PaperCitations("id p1", ("id p0", "id p9")),
            PaperCitations("id p1", ("id p0", "id p1")),
        ],
        papers=[*P[:3], PaperCitations("id p2", ("id p0", "id p1"))],
    )
    corpus = sources.index(folder, "graph", "papers")
    assert cited(corpus) == {"p1": {"p0"}, "p2": {"p0", "p1"}}
    assert check_corpus(folder).faults == ()


def citing(corpus: CorpusIndex) -> list[list[int]]:
    references = corpus.references
    assert references is not None
    return [references.citing(row).tolist() for row in range(len(corpus))]


def test_what_cites_a_paper_is_looked_up(folder: Path) -> None:
    cites = [
        PaperCitations("id p1", ("id p0",)),
        PaperCitations("id p3", ("id p2", "id p0")),
        CONTEXT,
    ]
    corpus = InMemorySources(a=[*P[:4], *cites]).index(folder, "a")
    references = corpus.references
    assert references is not None and citing(corpus) == [[1, 3], [3], [3], []]
    references.cites = np.zeros(0, dtype=np.int32)  # what is looked up is not looked through
    assert citing(corpus) == [[1, 3], [3], [3], []]


def test_a_paper_met_twice_is_found_by_either_of_its_ids(folder: Path) -> None:
    twice = [
        Paper("acl:1", "On the rise of tides", doi="10.1000/x"),
        Paper("s2:7", "", doi="10.1000/X"),
    ]
    sources = InMemorySources(
        a=[*twice, P[0], P[1]],
        b=[PaperCitations("id p0", ("id s2:7",)), PaperCitations("id acl:1", ("id p1",))],
        c=[PaperCitations("id p1", ("id s2:7", "doi 10.1000/x"))],
    )
    assert cited(sources.index(folder, "a", "b")) == {"p0": {"acl:1"}, "acl:1": {"p1"}}
    # The source that knew the second id is not read again, and still it is known.
    assert cited(sources.index(folder, "c"))["p1"] == {"acl:1"}


def test_running_numbers_of_two_dumps_are_each_of_its_own_dump(folder: Path) -> None:
    tides = [Paper("1", "On tides and on ebb"), Paper("2", "Gulls of the northern shore")]
    cotton = [Paper("1", "The price of cotton"), Paper("2", "Weavers in a dry country")]
    sources = InMemorySources(
        a=[*tides, PaperCitations("id 1", ("id 2",))],
        b=[*cotton, PaperCitations("id 2", ("id 1",), (CitationContext("As cotton", "rose"),))],
        c=[P[0], PaperCitations("id p0", ("id 1",))],
    )
    corpus = sources.index(folder, "a", "b", "c")
    assert cited(corpus) == {"1": {"2"}, "2~2": {"1~2"}}
    assert corpus.references is not None
    ((citing, (row,), _),) = corpus.references.contexts()
    assert (corpus.title(citing), corpus.title(row)) == (cotton[1].title, cotton[0].title)


def test_what_cites_a_paper_that_comes_later_finds_it_then(folder: Path) -> None:
    sources = InMemorySources(a=[P[0], PaperCitations("id p0", ("id p4",))], b=[P[4]])
    corpus = sources.index(folder, "a")
    assert corpus.references is not None and len(corpus.references) == 0
    assert cited(sources.index(folder, "b")) == {"p0": {"p4"}}


def test_a_title_cites_the_paper_that_has_it_the_fullest_of_several(folder: Path) -> None:
    shore = [f"title a study of shore number {number}" for number in range(6)]
    said = PaperCitations(
        "id p5", (shore[0], shore[3], "title nobody wrote this"), (CitationContext("So", "it"),)
    )
    full = Paper("full", P[3].title, "Sand.", ("Ada Moor",), 1900)
    entry = Paper("entry:key", "An entry without any number of its own")
    by_key = PaperCitations("id p5", ("title an entry without any number of its own",))
    sources = InMemorySources(a=[P[0], P[5], said, by_key], b=[P[3], entry], c=[full])
    assert cited(sources.index(folder, "a")) == {"p5": {"p0"}}
    corpus = sources.index(folder, "b")
    assert cited(corpus) == {"p5": {"p0", "p3", "entry:key"}}
    assert corpus.references is not None
    ((citing, rows, _),) = corpus.references.contexts()
    assert corpus.paper(citing).id == "p5"
    assert [corpus.paper(row).id for row in rows] == ["p0", "p3"]
    assert cited(sources.index(folder, "c")) == {"p5": {"p0", "full", "entry:key"}}
    assert check_corpus(folder).faults == ()


def test_a_short_title_cites_with_the_year_and_the_author(folder: Path) -> None:
    forests = Paper("entry:rf", "Random Forests", authors=("Leo van Breiman",), year=2001)
    other = Paper("entry:other", "Random forests", authors=("Ada Moor",), year=2001)
    said = PaperCitations("id p0", ("title random forests by breiman 2001",))
    assert cited(InMemorySources(a=[P[0], other, forests, said]).index(folder, "a")) == {
        "p0": {"entry:rf"}
    }


def test_what_a_paper_says_twice_in_turn_counts_once(folder: Path) -> None:
    twice = [
        PaperCitations("id p1", ("id p0",), (CitationContext(left),)) for left in ("First", "Then")
    ]
    corpus = InMemorySources(a=[*P[:2], *twice]).index(folder, "a")
    assert corpus.references is not None
    assert [context.words.left for _, _, context in corpus.references.contexts()] == [
        "First",
        "Then",
    ]
    (pairs,) = corpus.references.pairs_from({0: 0})
    assert len(pairs) == 1


def test_citations_go_with_their_source(folder: Path) -> None:
    sources = InMemorySources(a=[*P[:4], CONTEXT], b=[PaperCitations("id p2", ("id p0",)), CONTEXT])
    assert cited(sources.index(folder, "a", "b")) == {"p2": {"p0"}, "p3": {"p0", "p1"}}
    sources.items["b"] = [PaperCitations("id p2", ("id p1",))]
    corpus = sources.index(folder, "b")
    assert cited(corpus) == {"p2": {"p1"}, "p3": {"p0", "p1"}}
    assert corpus.references is not None and len(list(corpus.references.contexts())) == 1
    sources.items["a"] = [*P[:4]]
    assert cited(sources.index(folder, "a")) == {"p2": {"p1"}}
    sources.items["b"] = []
    assert sources.index(folder, "b").references is None


def test_a_corpus_is_exported_as_training_reads_it(folder: Path, tmp_path: Path) -> None:
    bare = Paper("bare", "A title and no abstract")
    cites = PaperCitations("id p2", ("id bare",), (CitationContext("Bare", "words"),))
    items: list[SourceItem] = [*P[:4], bare, CONTEXT, cites]
    corpus = InMemorySources(a=items).index(folder, "a")
    out = tmp_path / "out"
    assert export_corpus(corpus, out) == ExportCounts(5, 3, 2)
    assert {paper.id for paper in read_papers(out / "papers.jsonl", pytest.fail)} == {
        *(paper.id for paper in P[:4]),
        "bare",
    }
    edges = set(read_edges(out / "edges.tsv"))
    assert edges == {Edge("p3", "p0", "shores"), Edge("p3", "p1", "shores")} | {
        Edge("p2", "bare", "shores")
    }
    first, second = read_contexts(out / "contexts.jsonl")
    assert (first.citing_id, first.cited, first.cited_abs) == ("p2", ("bare",), ())
    assert (second.context.left, second.context.right) == ("As shown", "long ago")
    assert (second.context.title, second.year) == ("A study of shore number 3", 2003)
    record = json.loads((out / "contexts.jsonl").read_text().splitlines()[1])
    assert record["intents"] == ["background"]


def test_a_folder_that_cannot_be_written_is_one_line(folder: Path, tmp_path: Path) -> None:
    corpus = InMemorySources(a=[*P]).index(folder, "a")
    (tmp_path / "file").write_text("")
    with pytest.raises(SearchIndexError, match="file: cannot be written"):
        export_corpus(corpus, tmp_path / "file")


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("starts.npy", lambda path: path.write_bytes(b""), "the references cannot be read"),
        ("starts.npy", lambda path: np.save(path, np.zeros(3, np.int64)), "are cut off"),
        ("citing/rows.npy", lambda path: np.save(path, np.zeros(0, np.int32)), "are cut off"),
    ],
)
def test_damaged_references_are_reported_and_cost_no_other_part(
    folder: Path, name: str, damage: object, message: str
) -> None:
    InMemorySources(a=[*P[:4], CONTEXT]).index(folder, "a")
    version = current_version(folder)
    assert version is not None and callable(damage)
    damage(version / "references" / name)
    corpus = CorpusIndex(folder)
    assert len(corpus) == 4
    with pytest.raises(SearchIndexError, match=message):
        corpus.references  # noqa: B018 - it is opened


def test_references_that_are_damaged_are_mended_by_reading_their_source_again(
    folder: Path,
) -> None:
    sources = InMemorySources(a=[*P[:4], CONTEXT], b=[P[4]])
    sources.index(folder, "a", "b")
    version = current_version(folder)
    assert version is not None
    (version / "references" / "starts.npy").write_bytes(b"")
    assert cited(sources.index(folder, "a")) == {"p3": {"p0", "p1"}}


def test_a_version_that_a_build_takes_away_meanwhile_is_not_called_damaged(folder: Path) -> None:
    sources = InMemorySources(a=[*P[:3]])
    sources.index(folder, "a")

    def build(what: str) -> None:
        if what == "checksums" and sources.items["a"] == P[:3]:
            sources.items["a"] = [*P]
            sources.index(folder, "a")

    check = check_corpus(folder, build)
    assert (check.faults, check.papers) == ((), len(P))


def test_a_file_that_the_disk_does_not_give_is_a_fault_and_ends_no_check(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    InMemorySources(a=[*P[:4], CONTEXT]).index(folder, "a")

    def failing(path: Path) -> str:
        raise OSError(errno.EIO, "Input/output error", str(path))

    monkeypatch.setattr(checksums, "checksum", failing)
    assert "origins.npy cannot be read (Input/output error)" in " ".join(
        check_corpus(folder).faults
    )


def contexts_of(corpus: CorpusIndex, row: int, most: int = 9) -> list[tuple[int, str]]:
    references = corpus.references
    assert references is not None
    contexts = references.contexts_of(row, most, corpus.years)
    return [(citing, context.words.left) for citing, context in contexts]


def test_contexts_are_found_by_what_they_cite_those_of_the_newest_papers_first(
    folder: Path,
) -> None:
    cites = [
        PaperCitations(
            "id p1", ("id p0",), (CitationContext("First"), CitationContext("“é”\nagain"))
        ),
        PaperCitations("id p3", ("id p0", "id p1"), (CitationContext("Both"),)),
        PaperCitations("id p9", ("id p0",), (CitationContext("By a stranger"),)),
    ]
    corpus = InMemorySources(a=[*P[:4], *cites]).index(folder, "a")
    assert contexts_of(corpus, 0) == [(3, "Both"), (1, "First"), (1, "“é”\nagain")]
    assert contexts_of(corpus, 0, most=1) == [(3, "Both")]
    assert contexts_of(corpus, 1) == [(3, "Both")]
    assert contexts_of(corpus, 2) == []


def test_contexts_of_a_running_number_are_those_of_its_own_dump(folder: Path) -> None:
    tides = [Paper("1", "On tides and on ebb"), Paper("2", "Gulls of the northern shore")]
    cotton = [Paper("1", "The price of cotton"), Paper("2", "Weavers in a dry country")]
    sources = InMemorySources(
        a=[*tides, PaperCitations("id 1", ("id 2",), (CitationContext("As gulls"),))],
        b=[*cotton, PaperCitations("id 2", ("id 1",), (CitationContext("As cotton"),))],
    )
    corpus = sources.index(folder, "a", "b")
    by_title = {corpus.title(row): contexts_of(corpus, row) for row in range(len(corpus))}
    assert [words for _, words in by_title["The price of cotton"]] == ["As cotton"]
    assert [words for _, words in by_title["Gulls of the northern shore"]] == ["As gulls"]
    assert by_title["On tides and on ebb"] == []


def test_without_contexts_none_are_found_and_damaged_ones_say_how_to_mend_it(
    folder: Path,
) -> None:
    corpus = InMemorySources(a=[*P[:2], PaperCitations("id p1", ("id p0",))]).index(folder, "a")
    assert corpus.references is not None and not corpus.references.has_contexts
    assert contexts_of(corpus, 0) == []
    (corpus.references.folder / "contexts.jsonl").write_text("{}\n", encoding="utf-8")
    damaged = References(corpus.references.folder, len(corpus))
    assert damaged.has_contexts
    with pytest.raises(SearchIndexError, match="contexts of citations cannot be read .*index"):
        damaged.contexts_of(0, 1, corpus.years)
