"""Make `zh-words` of jieba's dictionary, which the train extra brings.

    python -m cite_lsp.train.lexicon.zh_words [--out FOLDER]

A line of the dictionary is a word, how often it occurs, and its part of speech, which is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from cite_lsp.installation import how_to_install
from cite_lsp.train.run.card import write_config
from cite_lsp.translate.unigrams import MODEL, write_unigrams

_DICTIONARY = "dict.txt"


def dictionary_counts() -> dict[str, int]:
    """Return how often words occur, as jieba's dictionary says.

    Raises:
        OSError: jieba is not installed, or lacks its dictionary.
    """
    spec = importlib.util.find_spec("jieba")  # finds without importing
    if spec is None or not spec.submodule_search_locations:
        raise OSError(f"jieba, whose dictionary it is, is missing; {how_to_install('train')}")
    text = Path(spec.submodule_search_locations[0], _DICTIONARY).read_text(encoding="utf-8")
    rows = (line.split(" ") for line in text.splitlines())
    return {word: int(count) for word, count, *_ in rows}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0 when written, 1 when it could not be done."""
    parser = argparse.ArgumentParser(
        prog="python -m cite_lsp.train.lexicon.zh_words", description=__doc__
    )
    parser.add_argument("--out", type=Path, default=Path("model_zoo") / MODEL)
    folder = parser.parse_args(arguments).out
    try:
        counts = dictionary_counts()
        write_unigrams(folder, counts)
        write_config(folder, {"name": MODEL, "words": len(counts), "total": sum(counts.values())})
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stderr.write(f"{folder}: {len(counts):,} words\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
