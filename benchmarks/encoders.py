"""How many titles with abstracts each installed encoder embeds a second, on one thread.

python benchmarks/encoders.py PAPERS.jsonl[.zst] [--texts N] [--encoder NAME …]
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path

from cite_lsp.cli.printing.output import table
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import available
from cite_lsp.search.corpus.texts import encoder_text

MAX_TOKENS = 128


def rate(name: str, texts: list[str]) -> float:
    """Return texts a second, the first few left out."""
    encoder = load_encoder(name, device="cpu", max_tokens=MAX_TOKENS)
    encoder.encode(texts[:20])
    begun = time.perf_counter()
    encoder.encode(texts)
    return len(texts) / (time.perf_counter() - begun)


def main() -> None:
    """Print a row for each encoder, and how it compares with the first."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("papers", type=Path)
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--encoder", action="append", metavar="NAME")
    options = parser.parse_args()
    papers = (paper for paper in read_papers(options.papers, lambda _: None) if paper.abstract)
    texts = [encoder_text(paper) for paper in islice(papers, options.texts)]
    names = options.encoder or list(dict.fromkeys(model.name for model in available()))
    rates = {name: rate(name, texts) for name in names}
    first = rates[names[0]]
    rows = [[name, f"{value:,.0f}", f"{value / first:.1f}"] for name, value in rates.items()]
    print(table(("encoder", "texts/s", "ratio"), rows))


if __name__ == "__main__":
    main()
