"""Records that corpora have of the entries of a library."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from attrs import evolve

from cite_lsp.encode import load_encoder
from cite_lsp.library import parse_bibliography
from cite_lsp.library.entries import Entry
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus import corpus_records
from cite_lsp.recommend.corpus.corpus_records import CorpusRecord, CorpusRecords, completed
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.build import build_corpus

GULLS = Paper("1", "Gulls Lead to Rain", authors=("Anna Moor",), doi="10.1000/birds.1")
TERNS = Paper("2", "Terns: A Survey", authors=("Wei Li",), year=2019)


def entry(text: str) -> Entry:
    (result,) = parse_bibliography(text, Path("refs.bib")).entries
    return result


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("corpora")
    encoder = load_encoder(max_tokens=16)
    build_corpus(root / "birds", [GULLS, TERNS], encoder)
    build_corpus(root / "more", [evolve(TERNS, id="x", venue="Birds")], encoder)
    return root


def known(
    root: Path, *texts: str, names: list[str] | None = None
) -> list[tuple[CorpusRecord, ...]]:
    corpora = Corpora(names, root=root, load_encoder=load_encoder)
    return CorpusRecords().of(corpora.indexes(), [entry(text) for text in texts])


def test_entries_are_known_by_title_and_first_author(root: Path) -> None:
    gulls, terns, stranger = known(
        root,
        "@misc{a, title={{G}ulls lead to Rain.}, author={Moor, A. and Li, Wei}}",
        "@misc{b, title={Terns: a survey}, author={Li, Wei}, year=2017}",
        "@misc{c, title={Gulls Lead to Rain}, author={Stone, A.}}",
    )
    assert [(gull.corpus, gull.paper.id) for gull in gulls] == [("birds", "1")]
    assert [(tern.corpus, tern.paper.id) for tern in terns] == [("birds", "2"), ("more", "x")]
    assert stranger == ()


def test_two_publications_are_two_works(root: Path) -> None:
    same = "@article{a, title={Gulls Lead to Rain}, author={Moor, Anna}, doi={%s}}"
    archive, own, other = known(
        root, *(same % doi for doi in ("10.48550/arXiv.1", "10.1000/BIRDS.1", "10.2000/storms.2"))
    )
    assert archive and own and not other


def test_corpora_that_do_not_take_part_are_not_queried(root: Path) -> None:
    terns = "@misc{b, title={Terns: a survey}, author={Li, Wei}}"
    (result,) = known(root, terns, names=["more"])
    assert [match.corpus for match in result] == ["more"]
    assert known(root, terns, names=[]) == [()]


def test_a_rebuilt_corpus_is_queried_again(tmp_path: Path) -> None:
    encoder = load_encoder(max_tokens=16)
    corpora, records = Corpora(None, root=tmp_path, load_encoder=load_encoder), CorpusRecords()
    gulls = entry("@misc{a, title={Gulls Lead to Rain}, author={Moor, Anna}}")
    build_corpus(tmp_path / "birds", [TERNS], encoder)
    assert records.of(corpora.indexes(), [gulls]) == [()]
    build_corpus(tmp_path / "birds", [evolve(GULLS, retracted=True), TERNS], encoder)
    ((result,),) = records.of(corpora.indexes(), [gulls])
    assert result.paper.retracted


def test_what_is_known_by_now_is_listed_while_others_are_searched(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexes = Corpora(["birds"], root=root, load_encoder=load_encoder).indexes()
    gulls = entry("@misc{a, title={Gulls Lead to Rain}, author={Moor, Anna}}")
    terns = entry("@misc{b, title={Terns: A Survey}, author={Li, Wei}}")
    records, looking, returned = CorpusRecords(), Event(), Event()
    records.of(indexes, [gulls])
    look_up = corpus_records._look_up

    def slowly(index: CorpusIndex, keys: Sequence[int]) -> dict[int, Paper | None]:
        looking.set()
        assert returned.wait(60.0), "who asks for what is known waits"
        return look_up(index, keys)

    monkeypatch.setattr(corpus_records, "_look_up", slowly)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(records.of, indexes, [gulls, terns])
        assert looking.wait(60.0)
        ((record,),) = records.of(indexes, [gulls])
        returned.set()
        assert record.paper.id == "1"
        assert [match[0].paper.id for match in other.result()] == ["1", "2"]


def test_a_paper_gets_what_it_lacks_and_keeps_what_it_has() -> None:
    bare = Paper("a", "Gulls", authors=("Anna Moor",), year=1998)
    records = [
        CorpusRecord(
            corpus, Paper("x", "Gulls!", abstract=abstract, year=2000, retracted=retracted)
        )
        for corpus, abstract, retracted in (
            ("a", "", False),
            ("b", "Rain.", True),
            ("c", "No.", False),
        )
    ]
    assert completed(bare, records) == evolve(bare, abstract="Rain.", retracted=True)
    assert completed(bare, records[2:]) == evolve(bare, abstract="No.")
    own = evolve(bare, abstract="Of gulls.")
    assert completed(own, records[2:]) is own and completed(bare, ()) is bare
