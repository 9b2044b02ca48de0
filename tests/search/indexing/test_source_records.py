"""An update of one source gives the corpus that a build from all sources would give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.corpus.citations import PaperCitations, SourceItem
from cite_lsp.corpus.formats.json_lines import BrokenOffError
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.check import check_corpus
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import BuildPlan, UpdateListener, update_corpus
from cite_lsp.search.vectors.vector_index import SearchIndexError
from tests.search.corpus.test_corpus_index import Encoder
from tests.search.in_memory_sources import InMemorySources

X1 = Paper("x1", "On the rise of tides", "Old abstract.", year=2001)
BARE = Paper("x1", "On the rise of tides", year=2001)
PREPRINT = Paper("arx", "On the rise of tides", "An abstract.", doi="10.1234/x", year=2001)
PUBLISHED = Paper("pub", "The rise of tides, revisited", doi="10.1234/x", year=2002)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shores"


def written(corpus: CorpusIndex) -> dict[str, bytes]:
    """Return what a build wrote of papers and records."""
    version = corpus.records.parent
    return {
        name: (version / name).read_bytes()
        for name in ("papers.jsonl", "records.jsonl.zst", "origins.npy", "origin_ends.npy")
    }


def test_what_a_source_takes_back_is_gone_although_another_has_the_paper(folder: Path) -> None:
    sources = InMemorySources(a=[X1], b=[BARE])
    assert sources.index(folder, "a", "b").paper(0).abstract == "Old abstract."
    sources.items["a"] = [Paper("x1", X1.title, "New abstract.", year=2001, retracted=True)]
    corpus = sources.index(folder, "a")
    assert (corpus.paper(0).abstract, corpus.paper(0).retracted) == ("New abstract.", True)
    sources.items["a"] = [BARE]
    corpus = sources.index(folder, "a")
    assert (corpus.paper(0).abstract, corpus.paper(0).retracted) == ("", False)
    assert corpus.manifest.sources == ("a", "b")


def test_a_paper_is_known_by_all_that_its_records_called_it(folder: Path) -> None:
    sources = InMemorySources(
        c1=[PREPRINT, PUBLISHED], c2=[Paper("pub", PUBLISHED.title, year=2002)]
    )
    assert len(sources.index(folder, "c1")) == 1
    assert len(sources.index(folder, "c2")) == 1
    assert len(sources.index(folder, "c1", "c2")) == 1


def test_without_a_source_that_is_gone_it_is_as_if_it_had_never_been(
    folder: Path, tmp_path: Path
) -> None:
    terns: list[SourceItem] = [Paper("z", "Terns"), PaperCitations("id z", ("id x1",))]
    sources = InMemorySources(a=[X1, Paper("y", "Gulls")], b=[BARE], c=[PUBLISHED, *terns])
    sources.index(folder, "a", "b", "c")
    updated = update_corpus(folder, Sources(["c"], sources.read, gone=["a"]), Encoder())
    assert written(updated) == written(sources.index(tmp_path / "built", "b", "c"))
    sources.items["b"] = [Paper("w", "Waders")]
    updated = sources.index(folder, "b")
    assert written(updated) == written(sources.index(tmp_path / "again", "b", "c"))


def test_an_abstract_waits_for_its_paper(folder: Path) -> None:
    sources = InMemorySources(abstracts=[Paper("s2:1", "", "Of silt."), BARE], papers=[])
    sources.index(folder, "abstracts")
    sources.items["papers"] = [Paper("s2:1", "Silt")]
    abstracts = {paper.id: paper.abstract for paper in sources.index(folder, "papers").papers}
    assert abstracts == {"x1": "", "s2:1": "Of silt."}


def test_a_key_that_was_taken_is_free_again(folder: Path) -> None:
    sources = InMemorySources(
        a=[Paper("entry:moor", "On tides")], b=[Paper("entry:moor", "On gulls")]
    )
    assert [paper.id for paper in sources.index(folder, "a", "b").papers] == [
        "entry:moor",
        "entry:moor~2",
    ]
    sources.items["a"] = [BARE]
    corpus = sources.index(folder, "a")
    assert [paper.id for paper in corpus.papers] == ["x1", "entry:moor"]
    assert check_corpus(folder).faults == ()


PAPERS = st.builds(
    Paper,
    st.sampled_from(["1", "2", "3", "x:1", "entry:moor"]),
    st.sampled_from(["", "Notes", "On the rise of tides", "The price of cotton in spring"]),
    st.sampled_from(["", "An abstract.", "Another abstract."]),
    st.sampled_from([(), ("Ann Smith",), ("Bo Jones",)]),
    st.sampled_from([2001, 2002]),
    doi=st.sampled_from(["", "", "10.1234/x", "10.1234/y"]),
    retracted=st.booleans(),
)
SOURCE = st.lists(PAPERS, min_size=1, max_size=4)
NAMES = ("a", "b", "c")


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    st.fixed_dictionaries({name: SOURCE for name in NAMES}),
    st.lists(st.tuples(st.sampled_from(NAMES), SOURCE), min_size=1, max_size=4),
)
def test_any_updates_give_what_a_build_from_the_same_sources_gives(
    tmp_path_factory: pytest.TempPathFactory,
    first: dict[str, list[SourceItem]],
    changes: list[tuple[str, list[SourceItem]]],
) -> None:
    folder = tmp_path_factory.mktemp("updates")
    always = Paper("always", "A paper that is always there")
    sources = InMemorySources(**first, rest=[always])
    sources.index(folder / "updated", "rest")
    for name, items in [*first.items(), *changes]:
        sources.items[name] = items
        updated = sources.index(folder / "updated", name)
    whole = sources.index(folder / "built", *updated.manifest.sources)
    assert written(updated) == written(whole)


def broken_off(items: list[SourceItem]) -> Iterator[SourceItem]:
    yield from items
    raise BrokenOffError("b:3: the archive is broken here")


@pytest.mark.parametrize(
    "rest", [[], [Paper("x1", "", "Half of it"), PaperCitations("id z", ("id y",))]]
)
def test_a_source_that_breaks_off_stays_as_it_was(folder: Path, rest: list[SourceItem]) -> None:
    a: list[SourceItem] = [X1, Paper("y", "Gulls")]
    b: list[SourceItem] = [BARE, Paper("z", "Terns"), PaperCitations("id z", ("id x1",))]
    before = InMemorySources(a=a, b=b).index(folder, "a", "b")
    expected, references = written(before), before.references
    assert references is not None
    cited = references.of(2).tolist()
    messages: list[str] = []
    sources = InMemorySources(a=a, b=b)
    after = update_corpus(
        folder,
        Sources(["a", "b"], lambda name: broken_off(rest) if name == "b" else sources.read(name)),
        Encoder(),
        listener=UpdateListener(broken=messages.append),
    )
    assert written(after) == expected
    assert after.references is not None and after.references.of(2).tolist() == cited == [0]
    assert messages == [
        "b:3: the archive is broken here; the corpus keeps what it had of this file"
    ]
    assert check_corpus(folder).faults == ()


def test_of_a_new_source_that_breaks_off_what_was_read_is_taken(folder: Path) -> None:
    InMemorySources(a=[X1]).index(folder, "a")
    messages: list[str] = []
    corpus = update_corpus(
        folder,
        Sources(["b"], lambda name: broken_off([Paper("z", "Terns")])),
        Encoder(),
        listener=UpdateListener(broken=messages.append),
    )
    assert [paper.id for paper in corpus.papers] == ["x1", "z"]
    assert messages == [
        "b:3: the archive is broken here; the corpus has what could be read of this file"
    ]


def test_of_a_folder_a_file_that_breaks_off_is_no_fault_of_the_build(folder: Path) -> None:
    messages: list[str] = []
    update_corpus(
        folder,
        Sources(["/b/c"], lambda name: broken_off([Paper("z", "Terns")]), searched=["/b"]),
        Encoder(),
        listener=UpdateListener(broken=messages.append),
    )
    assert messages == []


def test_a_source_that_breaks_off_replaces_nothing(folder: Path) -> None:
    InMemorySources(a=[X1, Paper("y", "Gulls")], b=[PUBLISHED]).index(folder, "a", "b")
    with pytest.raises(SearchIndexError, match="is broken here; the corpus stays as it was"):
        update_corpus(
            folder, Sources(["a"], lambda name: broken_off([X1]), replace=True), Encoder()
        )
    assert len(CorpusIndex(folder)) == 3


def test_what_broke_off_is_read_again_by_the_build_that_goes_on(tmp_path: Path) -> None:
    folder, file = tmp_path / "shores", tmp_path / "a"
    file.write_text("as it is")
    messages: list[str] = []

    def stop(what: str, done: int, total: int) -> None:
        if what == "words":
            raise InterruptedError

    def update(listener: UpdateListener) -> None:
        broken = Sources([str(file)], lambda name: broken_off([]))
        update_corpus(folder, broken, Encoder(), listener=listener)

    update_corpus(folder, Sources([str(file)], lambda name: iter([X1, PUBLISHED])), Encoder())
    with pytest.raises(SearchIndexError):
        update(UpdateListener(stage=stop))
    update(UpdateListener(broken=messages.append))
    assert (len(CorpusIndex(folder)), len(messages)) == (2, 1)


def test_damaged_records_are_reported_and_cost_no_paper(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sources = InMemorySources(a=[X1, Paper("y", "Gulls")], b=[BARE, Paper("z", "Terns")])
    version = sources.index(folder, "a", "b").records.parent
    data = bytearray((version / "records.jsonl.zst").read_bytes())
    data[len(data) // 2] ^= 0xFF
    (version / "records.jsonl.zst").write_bytes(data)
    assert "records.jsonl.zst has changed" in " ".join(check_corpus(folder).faults)
    sources.items["a"] = [Paper("y", "Gulls")]
    assert {paper.id for paper in sources.index(folder, "a").papers} == {"x1", "y", "z"}
    assert any(
        "index its sources again: `cite-lsp index" in record.message for record in caplog.records
    )


def test_records_of_papers_that_many_sources_have_take_no_more_disk_than_announced(
    folder: Path,
) -> None:
    rng = Random(5)
    words = ["".join(rng.choices("abcdefghijklmnop", k=7)) for _ in range(4000)]
    papers: list[SourceItem] = [
        Paper(f"x:{number}", " ".join(rng.choices(words, k=8))) for number in range(1000)
    ]
    abstracts: list[SourceItem] = [
        Paper(f"x:{number}", "", " ".join(rng.choices(words, k=200))) for number in range(1000)
    ]
    there, plans, sizes = list[int](), list[BuildPlan](), list[int]()

    def size() -> int:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

    def announce(plan: BuildPlan) -> None:
        plans.append(plan)
        there.append(size())

    update_corpus(
        folder,
        Sources(["a", "b"], InMemorySources(a=papers, b=abstracts).read),
        Encoder(dimensions=64),
        listener=UpdateListener(
            stage=lambda what, done, total: sizes.append(size()), announce=announce
        ),
    )
    assert max(sizes[-len(sizes) // 2 :]) - there[0] <= plans[0].bytes_needed


def test_only_records_that_the_papers_do_not_hold_are_stored(folder: Path) -> None:
    sources = InMemorySources(a=[X1, Paper("y", "Gulls")], b=[Paper("z", "Terns")])
    alone = len(written(sources.index(folder, "a", "b"))["records.jsonl.zst"])
    assert alone < 20
    sources.items["b"] = [BARE]
    assert len(written(sources.index(folder, "b"))["records.jsonl.zst"]) > alone
    assert json.loads(written(CorpusIndex(folder))["papers.jsonl"].splitlines()[0])["id"] == "x1"
