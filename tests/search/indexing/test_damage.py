"""Damaged files of a corpus: each is named with what mends it, and that mends it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.corpus.citations import CitationContext, PaperCitations
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import current_version
from cite_lsp.search.indexing.build import Embedding, embedding_of
from cite_lsp.search.indexing.check import check_corpus
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import update_corpus
from tests.search.corpus.test_corpus_index import Encoder
from tests.search.in_memory_sources import InMemorySources

WHOLE, BARE = Paper("x", "On tides", "They rise.", doi="10.1234/tides"), Paper("x", "On tides")
GULLS, TERNS = Paper("y", "Gulls", "Birds."), Paper("z", "Terns", "Birds, too.")


def cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def flip(path: Path, step: int = 7) -> None:
    data = bytearray(path.read_bytes())
    data[::step] = bytes(byte ^ 0x15 for byte in data[::step])
    path.write_bytes(data)


def flip_a_bit(path: Path) -> None:
    flip(path, max(path.stat().st_size * 2 // 3, 1))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGE = (cut, flip, flip_a_bit, empty, replace_by_a_folder, Path.unlink)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora") / "shores"
    sources().index(folder, "a", "b")
    return folder


def sources() -> InMemorySources:
    cites = PaperCitations("id x", ("id y",), (CitationContext("As gulls", "know."),))
    return InMemorySources(a=[WHOLE, GULLS, cites], b=[BARE, TERNS])


def files(folder: Path) -> list[str]:
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_every_file_that_is_damaged_is_named_with_the_command_that_mends_it(
    built: Path, tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    for name in files(built):
        if name == "build.lock" or (name == "current" and damage is Path.unlink):
            continue  # one holds nothing; without the other there is no corpus
        folder = tmp_path / name.replace("/", "-") / "shores"
        shutil.copytree(built, folder)
        before = (folder / name).read_bytes()
        damage(folder / name)
        if (folder / name).is_file() and (folder / name).read_bytes() == before:
            continue  # it was empty
        check = check_corpus(folder)
        fault = next(iter(check.faults), f"{name}: nothing is said")
        assert Path(name).stem in fault
        assert "`cite-lsp index " in fault and fault.endswith("--corpus shores`")
        corpus = sources().index(folder, "a", "b")
        assert {paper.id for paper in corpus.papers} == {"x", "y", "z"}, name
        assert corpus.references is not None and len(corpus.references) == 1, name
        assert check_corpus(folder).faults == ()


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("name", ["embeddings.i8", "embeddings.s16"])
def test_damaged_vectors_are_made_again(
    built: Path, tmp_path: Path, name: str, damage: Callable[[Path], object]
) -> None:
    folder = tmp_path / "shores"
    shutil.copytree(built, folder)
    damage(folder / "version-1" / name)
    encoder = Encoder()
    update_corpus(folder, Sources(["a", "b"], sources().read), encoder)
    assert len(encoder.encoded) == 3


@pytest.mark.parametrize("name", ["references/pairs.npy", "records.jsonl.zst", "typed/words.npy"])
def test_what_sources_had_that_are_not_read_again_stays_where_it_is_whole(
    built: Path, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "shores"
    shutil.copytree(built, folder)
    flip(folder / "version-1" / name)
    assert {paper.id for paper in sources().index(folder, "a").papers} >= {"x", "y"}
    assert check_corpus(folder).faults == ()


def test_the_encoder_of_a_corpus_is_known_although_other_files_are_damaged(
    built: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "shores"
    shutil.copytree(built, folder)
    cut(folder / "version-1" / "typed" / "words.npy")
    assert embedding_of(folder).encoder == embedding_of(built).encoder != ""
    flip_a_bit(folder / "version-1" / "manifest.json")
    assert embedding_of(folder) == Embedding()


def test_a_folder_in_the_place_of_the_lock_stops_no_build(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "shores"
    shutil.copytree(built, folder)
    replace_by_a_folder(folder / "build.lock")
    assert len(sources().index(folder, "a", "b")) == 3
    assert current_version(folder) == folder / "version-2"


def test_what_a_killed_build_has_left_beside_the_versions_is_removed(
    built: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "shores"
    shutil.copytree(built, folder)
    (folder / "current.17-140521391467392.new").write_text("version-2")
    sources().index(folder, "a", "b")
    assert {path.name for path in folder.iterdir()} == {"build.lock", "current", "version-2"}
