"""Build or update a corpus, and print a summary."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from math import ceil
from pathlib import Path

from cite_lsp.cli import UsageError
from cite_lsp.cli.arguments.corpus_names import can_be_name
from cite_lsp.cli.arguments.options import AUTO, MAX_TOKENS
from cite_lsp.cli.indexing.cluster import expect_cluster, on_cluster
from cite_lsp.cli.indexing.remote import index_remote, wants_remote
from cite_lsp.cli.indexing.source_files import sources_to_read
from cite_lsp.cli.printing.output import Stages, counted, print_json, reporting, say, warn
from cite_lsp.corpus.sources import read_whole_source
from cite_lsp.encode import EncoderError, load_encoder
from cite_lsp.encode.choice import EncoderChoice, choose_encoder, duration, has_gpu, measured
from cite_lsp.encode.encoder import Encoder
from cite_lsp.paths import corpora_folder
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.corpus.reranker import shipped_corpus_models
from cite_lsp.recommend.evidence.corpus_citations import encode_contexts
from cite_lsp.search.corpus.corpus_index import CorpusIndex, current_version
from cite_lsp.search.indexing.build import embedding_of
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import BuildPlan, UpdateListener, update_corpus

_NICE = 10


def run(options: argparse.Namespace) -> int:
    """Build the corpus and print a summary."""
    if options.json_progress and hasattr(os, "nice"):
        os.nice(_NICE)
    if wants_remote(options):
        return index_remote(options)
    if not can_be_name(options.corpus):
        raise UsageError(f"--corpus {options.corpus!r}: not a name; use letters and digits")
    folder = corpora_folder() / options.corpus
    if not options.sources and current_version(folder) is None:
        raise UsageError(f"{options.corpus}: there is no such corpus to update; name a SOURCE")
    broken, barren = list[str](), list[str]()
    started = time.monotonic()
    with reporting(json=options.json_progress) as (stages, problems):
        expect_cluster(options)
        before = embedding_of(folder)
        max_tokens = options.max_tokens or before.max_tokens or MAX_TOKENS
        chooser = _EncoderChooser(options, folder, max_tokens)
        reading = sources_to_read(options, folder)
        sources = Sources(
            reading.files,
            lambda name: read_whole_source(Path(name), problems.add),
            reading.searched,
            reading.gone,
            options.replace,
        )
        listener = UpdateListener(
            stage=stages.show,
            announce=lambda plan: _announce(plan, chooser, stages),
            waiting=warn if options.wait else None,
            broken=broken.append,
            barren=barren.append,
        )
        corpus = update_corpus(folder, sources, chooser, max_tokens=max_tokens, listener=listener)
        _place_contexts(corpus, stages)
    seconds = time.monotonic() - started
    _report(options, corpus, len(reading.files), problems.count, seconds)
    if broken:
        more = f" (so with {len(broken) - 1} more)" if len(broken) > 1 else ""
        warn(f"cite-lsp: {broken[0]}{more}")
    if barren:
        more = f" (so with {len(barren) - 1} more)" if len(barren) > 1 else ""
        warn(f"cite-lsp: {barren[0]}; it is no source of the corpus{more}")
    return 1 if broken or barren else 0


def _report(
    options: argparse.Namespace, corpus: CorpusIndex, files: int, bad: int, seconds: float
) -> None:
    about, with_abstract = corpus.manifest, int(corpus.has_abstract.sum())
    if options.json:
        print_json(
            {
                "corpus": options.corpus,
                "papers": len(corpus),
                "with_abstract": with_abstract,
                "files": files,
                "bad_records": bad,
                "encoder": about.encoder,
                "seconds": round(seconds, 1),
                "folder": str(corpus.folder),
            }
        )
        return
    say(
        f"{options.corpus}: {counted(len(corpus), 'paper')} ({with_abstract:,} with an abstract) "
        f"from {counted(files, 'file')}, {counted(bad, 'bad record')}, encoder {about.encoder}, "
        f"{seconds:.0f} s, in {corpus.folder}"
    )


def _place_contexts(corpus: CorpusIndex, stages: Stages) -> None:
    """Let the query encoder place the contexts of citations, where sources have them and it fits.

    A corpus without them is whole: what keeps them from being placed is printed and no error.
    """
    try:
        if corpus.references is None:
            return
        learned = shipped_corpus_models(corpus.manifest.checkpoint)
        if learned is not None:
            encode_contexts(
                corpus,
                learned.query_encoder,
                lambda done, total: stages.show("contexts", done, total),
            )
    except (RankerError, EncoderError, OSError) as error:
        stages.close()
        warn(f"cite-lsp: the contexts of citations are left out ({error})")


class _EncoderChooser:
    """Chooses the encoder once the papers are read, and remembers why."""

    def __init__(self, options: argparse.Namespace, folder: Path, max_tokens: int) -> None:
        self._options = options
        self._folder = folder
        self._max_tokens = max_tokens
        # One that is named and missing is an error before anything is read.
        self._named = self._load(options.encoder) if options.encoder != AUTO else None
        self.choice: EncoderChoice | None = None

    def __call__(self, texts: int, sample: Sequence[str]) -> Encoder:
        """Return the encoder for so many texts.

        Raises:
            EncoderError: it cannot be loaded.
        """
        before = embedding_of(self._folder).encoder if self._named is None else ""
        if self._named is not None:
            self.choice = measured(EncoderChoice(self._named, "as --encoder says", texts), sample)
        elif before:
            why = "as the corpus has it; --encoder names another"
            self.choice = EncoderChoice(self._load(before), why, texts)
        else:
            elsewhere = bool(self._options.ray)
            self.choice = choose_encoder(texts, sample, self._load, gpu=elsewhere or has_gpu())
        return on_cluster(self._options, self.choice.encoder, self._max_tokens)

    def _load(self, name: str) -> Encoder:
        return load_encoder(name, threads=os.cpu_count() or 1, max_tokens=self._max_tokens)


def _announce(plan: BuildPlan, chooser: _EncoderChooser, stages: Stages) -> None:
    stages.close()
    warn(
        f"{counted(plan.papers, 'record')} read; needs up to "
        f"{ceil(plan.bytes_needed / 1e6):,} MB on disk, {plan.bytes_free / 1e6:,.0f} MB are free"
    )
    choice = chooser.choice
    if choice is not None:
        cost = (
            f" ({choice.rate:,.0f} papers a second here, {duration(choice.seconds)} in all)"
            if choice.rate
            else ""
        )
        warn(f"encoder {choice.encoder.name}{cost}: {choice.reason}")
