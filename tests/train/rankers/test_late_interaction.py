"""Recipe `late-interaction`: from contexts to a network that tells the first papers apart."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.kinds.onnx_session import open_session
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus.candidates import Retrieval
from cite_lsp.recommend.corpus.late_interaction import (
    context_words,
    feed,
    open_late_stage,
    shipped_words,
)
from cite_lsp.recommend.corpus.reranker import shipped_corpus_models
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.query.encoder_input import cached_query_encoder, query_text
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.train.rankers import late_interaction
from cite_lsp.train.rankers.interaction_task import Settings, ShippedModels
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.job import ContextSplit
from cite_lsp.train.run.report import TrainingError

WORDS = "tide marsh gull dune reed silt crab eel salt fog moor fen".split()
PAPERS = [
    Paper(f"{word}-{other}", f"The {word} and the {other}", f"On {word}.", (f"Ada {other}",), 1990)
    for word in WORDS
    for other in WORDS
    if word < other
]
ORIGIN = Origin("made-up shores", "cite-lsp train x", "a.py")
SETTINGS = Settings(epochs=4, batch=8)


def made_up(documents: int, seed: int) -> list[LabelledContext]:
    """Return markers between whose words those of the title of the cited paper stand."""
    rng = random.Random(seed)
    rows = []
    for number in range(documents):
        for place, paper in enumerate(rng.sample(PAPERS, 6)):
            first, second = paper.id.split("-")
            record = {
                "context_id": f"{seed}-{number}-{place}",
                "citing_id": f"{seed}-{number}",
                "citing_title": f"A {rng.choice(WORDS)} year",
                "left": f"It was shown for the {first}",
                "right": f"and then for the {second} in spring.",
                "cited": [paper.id],
                "cited_abs": [paper.id],
                "year": 2012,
            }
            rows.append(context_from_record(record))
    return rows


LEARN, CHECK = made_up(8, seed=1), made_up(4, seed=2)


@pytest.fixture(scope="module", autouse=True)
def few_candidates() -> Iterator[None]:
    pytest.importorskip("torch", reason="needs the train extra")
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("cite_lsp.train.rankers.interaction.CANDIDATES", 14)
        yield


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> ShippedModels:
    encoder = CachedEncoder(load_encoder(device="cpu"), on_disk=False)
    corpus = build_corpus(tmp_path_factory.mktemp("corpus") / "shores", PAPERS, encoder)
    learned = shipped_corpus_models(corpus.manifest.checkpoint)
    assert learned is not None
    return ShippedModels(
        Retrieval(corpus, link_precedents(corpus, learned.precedents)),
        learned.ranker,
        learned.precedents,
        encoder,
        cached_query_encoder(),
        shipped_words(),
    )


def train(
    models: ShippedModels,
    out: Path,
    rows: list[LabelledContext] = LEARN,
    stop_at: int | None = None,
    settings: Settings = SETTINGS,
) -> dict[str, Any]:
    calls = 0

    def allowed(row: LabelledContext) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls == stop_at:
            raise KeyboardInterrupt
        return np.ones(len(PAPERS), dtype=bool)

    out.mkdir(exist_ok=True)
    return late_interaction.train(
        ContextSplit(rows, CHECK), models, out, allowed=allowed, settings=settings
    )


@pytest.fixture(scope="module")
def made(
    models: ShippedModels, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, Any]]:
    out = tmp_path_factory.mktemp("made") / "late-interaction"
    return out, train(models, out)


def test_what_is_taught_tells_papers_apart_by_the_words_of_a_context(
    models: ShippedModels, made: tuple[Path, dict[str, Any]]
) -> None:
    stage = open_late_stage(made[0], models.words)
    titles = [paper.title for paper in PAPERS]
    ranks = []
    for row in CHECK:
        reading = cached_query_encoder().reading(query_text(row.context))
        assert reading is not None
        scores = stage.interaction.scores(reading, titles)
        own = scores[[paper.id for paper in PAPERS].index(row.cited[0])]
        ranks.append(int((scores > own).sum()) + 1)
    assert np.mean(1 / np.array(ranks)) > 0.6  # of 66 papers, by titles alone


def test_the_description_tells_what_was_made(made: tuple[Path, dict[str, Any]]) -> None:
    out, config = made
    written = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(config))
    assert written["train_contexts"] == len(LEARN) and written["dev_contexts"] == len(CHECK)
    assert written["papers"] == len(PAPERS) and written["settings"]["epochs"] == 4
    assert written["signs"]["here"] != written["signs"]["border"] != written["signs"]["start"]
    trees, learned = written["dev"]["trees"], written["dev"]["learned"]
    assert sum(learned.values()) >= sum(trees.values())
    assert trees["unseen MRR@10"] == trees["MRR@10"] > 0.3  # precedents know no shores
    assert not (out / "checkpoints").exists()


def test_the_card_tells_what_was_made_of_what(made: tuple[Path, dict[str, Any]]) -> None:
    out, config = made
    late_interaction.write_card(out, ORIGIN, config)
    card = (out / "README.md").read_text(encoding="utf-8")
    expected = ("made-up shores", "`cite-lsp train x`", "48 citation contexts", "| learned |")
    assert all(text in card for text in (*expected, f"weight {config['weight']}"))
    for name in ("model.onnx", "config.json"):
        assert f"| `{name}` | {(out / name).stat().st_size:,} |" in card


def test_the_graph_computes_what_was_taught(models: ShippedModels, tmp_path: Path) -> None:
    import torch

    from cite_lsp.recommend.corpus.late_interaction import Titles, title_tokens
    from cite_lsp.train.rankers.interaction import (
        Batch,
        InteractionNetwork,
        first_maps,
        write_graph,
    )

    torch.manual_seed(3)
    words, rng = models.words, np.random.default_rng(3)
    table = words.words(np.arange(1000, 3000))
    places = rng.normal(size=(500, 384)).astype(np.float32)
    states, alone = first_maps(table, places, table[:500], 16)
    network = InteractionNetwork(states, alone, rng.random(words.vocabulary), 8)
    signs = models.signs
    fed = []
    for row, count in ((CHECK[0], 5), (CHECK[7], 30)):
        reading = cached_query_encoder().reading(query_text(row.context))
        assert reading is not None
        tokens = title_tokens([paper.title for paper in PAPERS[:count]], words)
        titles = Titles(tokens, words.words(tokens))
        fed.append(feed(context_words(reading, words, signs), titles))
    batches = [Batch(**{name: torch.from_numpy(array) for name, array in of.items()}) for of in fed]
    write_graph(network, tmp_path / "model.onnx", batches[0])
    session = open_session(tmp_path / "model.onnx")
    for given, batch in zip(fed, batches, strict=True):  # of other sizes than the example, too
        with torch.inference_mode():
            expected = network(**{name: getattr(batch, name) for name in fed[0]}).numpy()
        assert session.run(None, given)[0] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("stop_at", [10, 55])  # amid learning, amid checking
def test_an_interrupted_training_goes_on_to_the_same_end(
    models: ShippedModels,
    made: tuple[Path, dict[str, Any]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stop_at: int,
) -> None:
    monkeypatch.setattr("cite_lsp.train.rankers.groups.WRITTEN_AT_ONCE", 5)
    with pytest.raises(KeyboardInterrupt):
        train(models, tmp_path, stop_at=stop_at)
    assert train(models, tmp_path) == made[1]
    assert (tmp_path / "model.onnx").read_bytes() == (made[0] / "model.onnx").read_bytes()


def test_contexts_that_cite_none_of_the_papers_are_an_error(
    models: ShippedModels, tmp_path: Path
) -> None:
    strangers = [evolve(row, cited=("x",), cited_abs=("x",)) for row in LEARN]
    with pytest.raises(TrainingError, match="check that ids are the same"):
        train(models, tmp_path, rows=strangers)


def test_a_query_encoder_that_does_not_tell_how_it_reads_is_an_error(
    models: ShippedModels, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match=r"does not tell how it reads.*query-encoder"):
        train(evolve(models, query_encoder=models.encoder), tmp_path)
