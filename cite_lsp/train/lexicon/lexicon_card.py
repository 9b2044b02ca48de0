"""The card of a lexicon of Chinese words: where its senses come from, and what it is worth."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import asdict

from cite_lsp.train.lexicon.zh_lexicon import Learned, Settings
from cite_lsp.train.run.card import figures_table, file_row
from cite_lsp.train.run.config import write_config
from cite_lsp.translate.lexicon import TABLE, TERMS

_SHOWN = ("map@100", "mrr@100", "recall@10")
_CARD = """\
# zh-lexicon

What the words of a Chinese text may mean in English, and how likely: {words:,} words, of which
texts in both languages show {taught:,} more than once; {terms:,} terms stay whole when text is cut.

- **Senses** of [CC-CEDICT](https://cc-cedict.org/) (© MDBG and contributors, CC BY-SA 3.0),
  changed: notes taken out, at most eight a word, probabilities added; and of the terminology of
  [Dive into Deep Learning](https://zh.d2l.ai) (Apache-2.0 / CC BY-SA 4.0).
- **Probabilities**, and single words that no dictionary has, from {pairs:,} pairs of texts:
  {data}.
  Those that may not be copied taught numbers; no text of theirs is in the files.
- **Recipe** `cite_lsp/train/lexicon/zh_lexicon.py`: IBM model 1 with the dictionary as prior,
  {settings}. Nothing is drawn by chance.
- **Command** `{command}`
- **Form** `{table_name}`, a line a word: the word, then expressions and their probabilities in
  thousandths; `{terms_name}`, a line a term.
- **Licence** CC BY-SA 3.0, that of CC-CEDICT.

{contexts:,} development contexts, by which choices were made: BM25 over {papers:,} papers with the
surnames of their authors, asked with 80 characters before the marker and 30 after it. *First sense*
writes one English expression a word, *all senses* asks for every meaning by its probability, and
*faded* lets words count less the further they are from the marker: that is how Chinese contexts are
searched.

{table}

| file | bytes | sha256 |
| --- | --- | --- |
{files}
"""


def write_lexicon_card(
    folder: Path,
    learned: Learned,
    settings: Settings,
    figures: Mapping[str, Mapping[str, float]],
    *,
    data: str,
    command: str,
    contexts: int,
    papers: int,
) -> None:
    """Write `README.md` and `config.json` beside a lexicon.

    Raises:
        OSError: they cannot be written.
    """
    shown = {name: {one: values[one] for one in _SHOWN} for name, values in figures.items()}
    record = {
        "recipe": "zh-lexicon",
        "words": len(learned.senses),
        "taught": learned.taught,
        "pairs": learned.pairs,
        "settings": asdict(settings),
        "dev": shown,
        "data": data,
        "command": command,
    }
    write_config(folder, record)
    card = _CARD.format(
        words=len(learned.senses),
        taught=learned.taught,
        terms=len(learned.terms),
        pairs=learned.pairs,
        data=data,
        settings=", ".join(f"{name} {value}" for name, value in asdict(settings).items()),
        command=command,
        contexts=contexts,
        papers=papers,
        table_name=TABLE,
        terms_name=TERMS,
        table=figures_table("searched by", shown),
        files="\n".join(file_row(folder, folder / name) for name in (TABLE, TERMS)),
    )
    (folder / "README.md").write_text(card, encoding="utf-8")
