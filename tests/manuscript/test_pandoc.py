"""The keys of Markdown and Org drafts are those that pandoc reads in them, in its order."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cite_lsp.manuscript import Manuscript, parse
from tests.sample_drafts import draft_files, name_of

FILES = draft_files("markdown")

# What pandoc cannot know, because another tool has changed or resolved it before: the headers of R
# chunks (knitr), roles (Sphinx, d2lbook) and cross references (Quarto).
CHUNK = re.compile(r"^([ \t]*`{3,})\{(\w+)[^`]*?\}[ \t]*$", re.MULTILINE)
ROLE = re.compile(r"(?:\{cite(?::\w+)?\}|:cite\w*:)`([^`\n]*)`")
CROSS_REFERENCE = re.compile(r"(?:fig|tbl|sec|eq|lst|thm)-")

MARKDOWN = [
    "[@a; see -@b, p. 3] and @c [p. 4; @d].",
    "[see @a, pp. 1-2, and *also* @b; -@c]",
    "As -@a says; @{odd/key} and [@{https://x.org/y?z}].",
    "Text^[By @a and [@b].] then @c.",
    "Text.[^1] And @b.\n\n[^1]: By [@a].\n",
    "# Head @a\n\n- item [@b]\n\n    more [@c]\n\n> quote @d\n\n| a | b |\n|---|---|\n| @e | x |\n",
    "Mail me@x.org, <y@z.org>, `@no`, $a@b$, \\@no, https://x.org/@no.\n\n    @code\n\nBut @a.",
    "```\n@no\n```\n\n~~~ {.r}\n@no\n~~~\n\n<!-- @no -->\n\n@a",
    "[link by @a](http://x.org/@no) ![by @b](x@y.png) [@c](http://no.org)",
    "@a: yes; @b. @c, (@d) “@e” @f’s @g/h @i_j-k:l @DBLP:conf/x/Y20.",
    "---\ntitle: by @no\n---\n\nText @a.\n",
    "见[@王2020；@b]。",
    "[@a] [@b; @c] @d\n[@e]",
    "[[@a] and @b, c]",
    "(@good) One.\n\nAs (@good) shows, by @a. Also (@good, @later) [@good].\n\n(@later) Two @b.\n",
    "# Head\n(@good) One,\nby (@good)\n(@other) Two.\n(@) Three @other @a [@b].\n",
    "words go on\n(@a) says. @a and\n(@b) say.\n",
    "term\n:   by @a\n\n1. one @b\n   1. two @c\n",
    "**by @a** _@b_ ~~@c~~ [@d]{.x} ::: note\n@e\n:::\n",
]
ORG = [
    "By [cite:@a] and [cite:@b;@c].",
    "[cite/t:see @a p. 3; and @b, ch. 2] more.",
    "* Head [cite:@a]\n- item [cite:@b]\n\n#+begin_quote\n[cite:@c]\n#+end_quote\n",
    "=[cite:@no]= ~[cite:@no]~\n\n#+begin_src org\n[cite:@no]\n#+end_src\n\n[cite:@a]",
    "# [cite:@no]\n\n: [cite:@no]\n\nText[fn:1] [cite:@b].\n\n[fn:1] By [cite:@a].\n",
    "| a | [cite:@a] |\n| b | [cite:@b] |\n",
    "over\ntwo [cite:@a;\n@b] lines",
    "cite:a and citet:b,c here",
]

pytestmark = pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed")


def keys_of_ast(node: object) -> Iterator[str]:
    """Yield the keys of the citations in a pandoc document, in the order of its text."""
    if isinstance(node, dict):
        if node.get("t") == "Cite":
            for citation in node["c"][0]:
                yield from keys_of_ast(citation["citationPrefix"])
                yield citation["citationId"]
                yield from keys_of_ast(citation["citationSuffix"])
        else:
            for value in node.values():
                yield from keys_of_ast(value)
    elif isinstance(node, list):
        for value in node:
            yield from keys_of_ast(value)


def keys_of_pandoc(text: str, format: str) -> list[str]:
    run = subprocess.run(
        ["pandoc", "-f", format, "-t", "json"],
        input=text.encode(),
        capture_output=True,
        check=True,
        timeout=120,
    )
    return list(keys_of_ast(json.loads(run.stdout)["blocks"]))


def keys_of_ours(manuscript: Manuscript) -> list[str]:
    return [key.text for marker in manuscript.cited for key in marker.keys]


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")


def as_pandoc_gets_it(text: str) -> str:
    """Return the draft after the tools that run before pandoc."""
    text = CHUNK.sub(r"\1 \2", text)
    return ROLE.sub(
        lambda role: f"[{'; '.join('@' + key.strip() for key in role[1].split(','))}]", text
    )


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_the_keys_of_a_draft_are_those_that_pandoc_finds(path: Path) -> None:
    text = text_of(path)
    expected = keys_of_pandoc(as_pandoc_gets_it(text), "markdown+autolink_bare_uris")
    expected = [key for key in expected if not CROSS_REFERENCE.match(key)]
    assert keys_of_ours(parse(text, "markdown")) == expected


def headings_of_pandoc(text: str) -> list[int]:
    """Return the levels of the headings, in order; those in lists and quotes are none of ours."""
    run = subprocess.run(
        ["pandoc", "-f", "markdown+autolink_bare_uris", "-t", "json"],
        input=text.encode(),
        capture_output=True,
        check=True,
        timeout=120,
    )
    blocks = json.loads(run.stdout)["blocks"]
    levels = []
    while blocks:
        block = blocks.pop(0)
        if block["t"] == "Header":
            levels.append(block["c"][0])
        elif block["t"] == "Div":
            blocks = block["c"][1] + blocks
    return levels


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_the_headings_of_a_draft_are_those_that_pandoc_finds(path: Path) -> None:
    text = text_of(path)
    levels = [section.level for section in parse(text, "markdown").sections if section.level]
    assert levels == headings_of_pandoc(as_pandoc_gets_it(text))


@pytest.mark.parametrize("text", MARKDOWN)
def test_every_form_of_a_citation_is_read_as_pandoc_reads_it(text: str) -> None:
    ours = keys_of_ours(parse(text, "markdown"))
    # A footnote stands in pandoc's document where it is referred to, in the text where it is
    # written.
    order = sorted if "[^1]" in text else list
    assert order(ours) == order(keys_of_pandoc(text, "markdown+autolink_bare_uris"))
    assert "no" not in ours and (ours or "@" not in text)


@pytest.mark.parametrize("text", ORG)
def test_every_citation_of_org_is_read_as_pandoc_reads_it(text: str) -> None:
    ours = keys_of_ours(parse(text, "org"))
    order = sorted if "[fn:1]" in text else list
    assert order(ours) == order(keys_of_pandoc(text, "org"))
    assert ours and "no" not in ours
