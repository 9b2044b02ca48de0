"""Every citation of whole drafts is found, with exact ranges, as a second reading finds them."""

import importlib.util
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from cite_lsp.manuscript import format_of, parse
from tests.manuscript.lone_file import context_of
from tests.manuscript.test_any_text import check, check_at
from tests.sample_drafts import FOLDERS, REAL, SHIPPED, draft_files, name_of

FILES = draft_files()


def second_reading() -> ModuleType:
    place = Path(__file__).with_name("second_reading.py")
    specification = importlib.util.spec_from_file_location("second_reading", place)
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


READING = second_reading()


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_key_of_a_draft_is_found_where_it_stands(path: Path) -> None:
    text, markup = text_of(path), format_of(path)
    assert markup
    manuscript = parse(text, markup)
    keys = [
        (key.text, key.start)
        for marker in manuscript.markers
        for key in marker.keys
        if manuscript.format == "latex" or marker.command != "nocite"
    ]
    expected = (READING.latex_keys if markup == "latex" else READING.markdown_keys)(text)
    assert keys == expected
    for marker in manuscript.markers:
        for key in marker.keys:
            assert text[key.start : key.end] == key.text
            assert marker.start < key.start < key.end <= marker.end


SOME = [path for path in FILES if path.is_relative_to(SHIPPED)]
SOME += FILES[len(SOME) :: max((len(FILES) - len(SOME)) // 25, 1)]
LATEX = [path for path in FILES if format_of(path) == "latex"]


@pytest.mark.parametrize("path", LATEX, ids=name_of)
def test_every_heading_of_a_latex_draft_is_found_where_it_stands(path: Path) -> None:
    text = text_of(path)
    headings = [
        (section.level, section.start) for section in parse(text, "latex").sections if section.level
    ]
    assert headings == READING.latex_headings(text)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_draft_cut_anywhere_is_still_read(path: Path) -> None:
    """What stands well before a cut is read as it is in the whole draft, for the most part.

    Only a cut within a construct that began before (a comment, a verbatim stretch) may change it.
    """
    text, markup = text_of(path), format_of(path) or ""
    whole = {(key.text, key.start) for marker in parse(text, markup).markers for key in marker.keys}
    draw = Random(path.name)
    for _ in range(6):
        cut = draw.randrange(len(text) + 1)
        end = min(cut + draw.choice((1, 30, len(text))), len(text))
        manuscript = parse(text[:cut] + text[end:], markup)
        check(manuscript)
        check_at(manuscript, min(cut, len(manuscript.text)))
        keys = {(key.text, key.start) for marker in manuscript.markers for key in marker.keys}
        before = {position for position in whole if position[1] + len(position[0]) < cut - 2000}
        assert len(before - keys) <= len(before) // 4


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_the_drafts_hold_as_many_citations_as_a_search_for_the_commands_finds(folder: Path) -> None:
    keys = sum(
        len(marker.keys)
        for path in FILES
        if path.is_relative_to(folder)
        for marker in parse(text_of(path), format_of(path) or "").markers
    )
    assert keys > (2000 if folder == REAL else 70)


@pytest.mark.parametrize("path", SOME, ids=name_of)
def test_contexts_of_drafts_are_plain_text(path: Path) -> None:
    text, markup = text_of(path), format_of(path)
    manuscript = parse(text, markup or "")
    for marker in manuscript.markers[::3]:
        context = context_of(manuscript, marker)
        for part in (context.left, context.right, context.sentence):
            assert "\\cite" not in part and "\\emph" not in part and "\\ref" not in part
            assert "\ue000" not in part and "\ue001" not in part
            assert " ." not in part.replace(" ...", "").replace(" .c", "") and "()" not in part
        assert len(context.left.split()) <= 50 and len(context.right.split()) <= 50
        others = [other for other in manuscript.markers if other is not marker]
        elsewhere = {key.text for other in others for key in other.keys}
        own = {key.text for key in marker.keys}
        assert not (own - elsewhere) & set(context.section_cited)
