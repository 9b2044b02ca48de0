"""The documentation: every link inside it leads to a file and a heading that are there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[1]
if not (ROOT / "docs").exists() or not (ROOT / "editors").exists():
    pytest.skip("the documentation is not part of this copy", allow_module_level=True)

PAGES = sorted(
    {
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "editors").glob("*/README.md"),
        *(ROOT / "model_zoo").rglob("README.md"),
        *(ROOT / "examples").rglob("README.md"),
    }
)
CODE = [
    path
    for folder in ("cite_lsp", "benchmarks", "examples", "tests", "editors", "model_zoo")
    for suffix in ("*.py", "*.md", "*.lua", "*.el", "*.ts", "*.mjs")
    for path in (ROOT / folder).rglob(suffix)
    if not {"node_modules", "out", "dist"} & set(path.relative_to(ROOT).parts)
]

FENCE = re.compile(r"^ *(```|~~~).*?^ *\1 *$", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"(`+)(?:.|\n)+?\1")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
LINK = re.compile(r"\]\(\s*<?([^)<>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)")
NAMED_PAGE = re.compile(r"(?<![\w/])docs/[\w/-]+\.(?:md|svg|png)")


@cache
def prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub writes them."""
    names: list[str] = []
    for heading in HEADING.findall(prose(page)):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        before = names.count(name)
        names.append(f"{name}-{before}" if before else name)
    return frozenset(names)


def links(page: Path) -> list[str]:
    """The targets of a page's links and pictures that stay inside the repository."""
    targets = LINK.findall(CODE_SPAN.sub("", prose(page)))
    return [target for target in targets if not re.match(r"[a-z][a-z+.-]*:", target)]


def broken(page: Path, target: str) -> bool:
    """Whether a link from this page leads nowhere."""
    name, _, anchor = unquote(target).partition("#")
    path = (page.parent / name).resolve() if name else page
    if not path.is_relative_to(ROOT.resolve()) or not path.exists():
        return True
    return bool(anchor) and (path.suffix != ".md" or anchor not in anchors(path))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    assert [target for target in links(page) if broken(page, target)] == []


def test_every_page_of_the_documentation_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page.suffix == ".md" and page.is_file() and page not in reached:
            reached.add(page)
            waiting += [page.parent / unquote(target.partition("#")[0]) for target in links(page)]

    pages = {path.resolve() for path in (ROOT / "docs").rglob("*.md")}
    assert sorted(str(path.relative_to(ROOT.resolve())) for path in pages - reached) == []


def test_a_page_that_code_or_a_card_names_is_there() -> None:
    lost = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in CODE
        for name in NAMED_PAGE.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / name).exists()
    }

    assert lost == set()


def test_a_link_to_a_missing_file_or_heading_is_noticed() -> None:
    page = ROOT / "README.md"

    assert broken(page, "no-such-page.md")
    assert broken(page, "docs/editors.md#no-such-heading")
    assert not broken(page, "docs/editors.md#settings")
