"""After an edit a draft reads as from scratch, and paragraphs far away are not read again."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cite_lsp.manuscript import format_of, parse
from cite_lsp.manuscript.draft.document import mentions_of
from cite_lsp.manuscript.draft.manuscript import Manuscript
from tests.sample_drafts import SHIPPED, draft_files, name_of

FILES = [
    path for path in draft_files("markdown", "typst", "org") if 1_000 < path.stat().st_size < 40_000
]
SOME = [path for path in FILES if path.is_relative_to(SHIPPED)]
SOME += FILES[len(SOME) :: max((len(FILES) - len(SOME)) // 6, 1)]
CITED = {"markdown": "[@{}]", "typst": "@{}", "org": "[cite:@{}]"}
HEADING = {"markdown": "#", "typst": "=", "org": "*"}
TYPED = """a|b |. |[@key]|@key |[|]|`|``` |$x$|$|$$|(REF)|[^1]|^[A note.]|<!-- |-->|# A|## B|- item
|| a |<key>|#footnote[A @z.]|[|]|{|}|"|//|/*|*/|#let x = 1|= A|[cite:@z]|[fn:: A]|#+begin_src
|#+end_src|\\begin{equation}|\\[|* A|** B|:::|> q|1. x|: Caption|---|===|~~~""".split("|")
EDITS = 24


def sample(format: str) -> str:
    paragraphs = [
        f"{HEADING[format]} Part {number}\n" * (number % 8 == 0)
        + f"Sentence {number} is by Doe {CITED[format].format(f'key{number}')} (see {number})."
        for number in range(60)
    ]
    return "\n\n".join(paragraphs) + "\n"


def read(manuscript: Manuscript) -> tuple[object, ...]:
    blocks = [
        (block.start, block.end, block.note, block.raw, block.omissions, block.expansions)
        for block in manuscript.blocks
    ]
    brackets = manuscript.read_parts.brackets
    return manuscript.layout, manuscript.scanned, blocks, brackets, mentions_of(manuscript)


def edited(text: str, random: Random, place: int) -> str:
    typed = random.choice(["", *TYPED]).strip(random.choice([" ", "\n"]))
    if random.random() > 0.9:
        typed = random.choice(["\n", "\n\n", text[place // 2 : place // 2 + 200]])
    return text[:place] + typed + text[place + random.choice([0, 0, 0, 0, 1, 12, 200]) :]


def follow_edits(original: str, format: str, random: Random) -> int:
    """Edit a draft, compare each reading with one from scratch, and count those after an edit."""
    manuscript, text, place, partly = parse(original, format), original, 0, 0
    for number in range(EDITS):
        if number % 6 == 0:  # what is broken by edits is hardly read in part
            text, place = original, random.randrange(len(original))
            manuscript = parse(text, format)
            mentions_of(manuscript)
        place = min(max(place + random.randrange(-60, 60), 0), len(text))
        text = edited(text, random, place)
        manuscript = parse(text, format, before=manuscript)
        assert read(manuscript) == read(parse(text, format))
        partly += manuscript.edit is not None
    return partly


@pytest.mark.parametrize("path", SOME, ids=name_of)
def test_an_edited_draft_reads_as_from_scratch(path: Path) -> None:
    original = path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
    follow_edits(original, format_of(path) or "", Random(path.name))


@pytest.mark.parametrize("format", CITED)
def test_many_edits_read_as_from_scratch_and_most_in_part(format: str) -> None:
    random = Random(format)
    partly = sum(follow_edits(sample(format), format, random) for _ in range(8))
    assert partly > 8 * EDITS // 3


@pytest.mark.parametrize("format", CITED)
def test_paragraphs_far_from_the_edit_are_not_read_again(format: str) -> None:
    text = sample(format)
    before = parse(text, format)
    mentions_of(before)
    after = parse(text.replace("Sentence 30", "A sentence, 30,"), format, before=before)
    assert after.blocks[10] is before.blocks[10]
    assert after.blocks[50].raw is before.blocks[50].raw


def test_an_edit_closes_a_bracket_of_a_paragraph_far_above() -> None:
    before = parse("# A\n\nFirst.\n\nWords (a\n\nb\n\nc and more.\n\nLast words.\n", "markdown")
    mentions_of(before)
    text = before.text.replace("c and", "c) and")
    after = parse(text, "markdown", before=before)
    assert after.edit is not None and after.edit.stretch.start > text.index("(")
    assert after.read_parts.brackets == (text.index("("),)
