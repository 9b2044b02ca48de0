"""Check that everything works: Python, the models that ship, the user's folders, a ranking."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cite_lsp import __version__
from cite_lsp.cli.printing.output import print_json, say
from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import ONNX, available, verify
from cite_lsp.encode.devices import cuda_fault, wanted_device
from cite_lsp.encode.kinds.headed import KIND as HEAD
from cite_lsp.encode.kinds.static import KIND as STATIC
from cite_lsp.paths import cache_folder, corpora_folder, data_folder
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.library.features import FEATURES, library_ranker
from cite_lsp.search.corpus.corpus_index import CorpusIndex, list_corpora

EXAMPLE = r"""
\section{Introduction}
Attention alone is enough for machine translation \cite{}.
\bibliography{doctor}
"""
BIBLIOGRAPHY = """
@article{first, title = {Attention for Machine Translation}, author = {A. Writer}, year = 2017}
@article{second, title = {The Ecology of Tidal Marshes}, author = {B. Writer}, year = 2011}
"""


def run(options: argparse.Namespace) -> int:
    """Run every check; 1 if one fails."""
    checks = {
        "python": _python,
        "models": _models,
        "encoder": _encoder,
        "ranker": _ranker,
        "folders": _folders,
        "ranking": _ranking,
        "gpu": _gpu,
        "corpora": _corpora,
    }
    results = {name: _attempt(check) for name, check in checks.items()}
    good = all(passed for passed, _ in results.values())
    if options.json:
        print_json(
            {
                "version": __version__,
                "ok": good,
                "checks": {
                    name: {"ok": passed, "message": message}
                    for name, (passed, message) in results.items()
                },
            }
        )
    else:
        print(f"cite-lsp {__version__}")
        for name, (passed, message) in results.items():
            say(f"  {'ok' if passed else 'FAILED':6} {name}: {message}")
    return 0 if good else 1


def _attempt(check: Callable[[], str]) -> tuple[bool, str]:
    try:
        return True, check()
    except Exception as error:  # whatever is wrong is the finding
        return False, " ".join(str(error).split()) or type(error).__name__


def _python() -> str:
    names = ("pygls", "onnxruntime", "usearch")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    return f"{platform.python_version()} on {platform.system()} {platform.machine()}; {versions}"


def _models() -> str:
    encoders = [model for model in available() if model.kind in (ONNX, STATIC, HEAD)]
    wrong = [fault for encoder in encoders for fault in verify(encoder.folder)]
    if wrong:
        others = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise ValueError(f"{wrong[0]}{others}")
    return f"{len(encoders)} encoders, all files whole"


def _encoder() -> str:
    started = time.perf_counter()
    encoder = load_encoder()
    vector = encoder.encode(["a sentence about citations"])[0]
    seconds = time.perf_counter() - started
    if abs(float(vector @ vector) - 1) > 0.01:
        raise ValueError(f"{encoder.name} gives vectors of the wrong length; reinstall cite-lsp")
    return f"{encoder.name}, {encoder.dimensions} dimensions, first vector after {seconds:.2f} s"


def _ranker() -> str:
    library_ranker()
    return f"library-ranker, {len(FEATURES)} features"


def _folders() -> str:
    for folder in (data_folder(), cache_folder()):
        with suppress(OSError):  # it is seen right away whether it can be used
            folder.mkdir(parents=True, exist_ok=True)
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            raise PermissionError(f"{folder}: cannot be written; set CITE_LSP_HOME to another")
    return f"{data_folder()} and {cache_folder()} can be written"


def _ranking() -> str:
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder).resolve() / "doctor.tex"
        draft.write_text(EXAMPLE, encoding="utf-8")
        draft.with_suffix(".bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
        recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
        recommender.prepare(draft)
        completion = recommender.complete(recommender.draft(draft), EXAMPLE.index("{}") + 1)
    keys = [item.key for item in completion.recommendations] if completion else []
    if keys != ["first", "second"]:
        raise ValueError(f"a sample draft got {keys}, not first, second; reinstall cite-lsp")
    return "a sample sentence finds its paper"


def _gpu() -> str:
    if wanted_device() == "cpu":
        return "not used, as CITE_LSP_DEVICE=cpu says"
    fault = cuda_fault()
    return f"not used: {fault}" if fault else "used (CITE_LSP_DEVICE=cpu turns it off)"


def _corpora() -> str:
    names = []
    for corpus in list_corpora(corpora_folder()):
        if not isinstance(corpus, CorpusIndex):
            raise corpus
        names.append(f"{corpus.manifest.name} ({corpus.manifest.papers:,})")
    return ", ".join(names) or "none indexed"
