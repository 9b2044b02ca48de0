"""What a draft lacks as one page for reviewers and supervisors: HTML without script or links out.

Everything is in the file, the picture too: no resource is fetched, and nothing is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from posixpath import dirname, relpath
from typing import Any
from urllib.parse import unquote

_WIDTH = 340
"""Units across the picture: about the pixels of a narrow screen, so that its text stays legible."""
_STEP = 24
_IN_A_ROW = (_WIDTH - 8) // _STEP
_LONGEST_NAME = 44
_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:46rem;padding:1rem;
color:#1b1f24;background:#fff;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.25}h2{font-size:1.15rem;margin:2rem 0 .5rem}
svg{display:block;width:100%;max-width:28rem;height:auto}
ol{padding-left:1.4rem}li{margin:0 0 1rem}.about{color:#57606a;font-size:.92rem}
blockquote{margin:.3rem 0;padding-left:.7rem;border-left:3px solid #d0d7de}
code{font-size:.9em;background:#f3f4f6;padding:0 .25em}
@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}.about{color:#9da7b3}
code{background:#21262d}}"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def references_page(document: dict[str, Any], title: str) -> str:
    """Return the page of what `references_document` has of a draft with a title."""
    groups = document["groups"]
    name = escape(title)
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>Papers for {name}</title><style>{_STYLE}</style></head><body>",
            f"<h1>Papers that “{name}” may lack</h1>",
            _picture(groups) if groups else "<p>None was found.</p>",
            *_completeness(document["completeness"]),
            *(part for group in groups for part in _group(group, document["uri"])),
            "</body></html>\n",
        ]
    )


def _picture(groups: Sequence[dict[str, Any]]) -> str:
    """Return a drawing of the groups: a disc for each paper, the larger the likelier it is cited.

    Papers of the library are filled.
    """
    parts, top = [], 0
    for group in groups:
        name = str(group["name"])
        short = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
        parts.append(f'<text x="4" y="{top + 14}">{escape(short)}</text>')
        papers = group["papers"]
        for number, paper in enumerate(papers):
            row, column = divmod(number, _IN_A_ROW)
            across, down = 4 + _STEP * column + _STEP // 2, top + 32 + _STEP * row
            radius = 4 + 7 * min(max(float(paper["score"]), 0.0), 1.0)
            fill = "#2f6fde" if paper["inLibrary"] else "none"
            parts.append(
                f'<circle cx="{across}" cy="{down}" r="{radius:.1f}" fill="{fill}">'
                f"<title>{escape(_named(paper))}</title></circle>"
            )
        top += 28 + _STEP * -(-len(papers) // _IN_A_ROW)
    legend = "filled: in the library; outlined: in a corpus alone; larger: likelier"
    parts.append(f'<text x="4" y="{top + 14}" font-size="9.5">{legend}</text>')
    return (
        f'<svg viewBox="0 0 {_WIDTH} {top + 22}" role="img" aria-label="The groups of papers" '
        'font-family="system-ui,sans-serif" font-size="13" fill="currentColor" stroke-width="2">'
        f"{''.join(parts)}</svg>"
    ).replace("<circle ", '<circle stroke="#2f6fde" ')


def _completeness(completeness: dict[str, Any]) -> Iterator[str]:
    if not completeness["of"]:
        return
    yield (
        f"<p>Of {completeness['of']} papers that at least {completeness['fewest']} of the "
        f"{completeness['nearest']} papers nearest to the draft cite, it cites "
        f"{completeness['cited']}.</p>"
    )
    if completeness["missing"]:
        rows = (
            f"<li>{escape(_named(paper))} <span class=about>cited by {paper['citedBy']}</span></li>"
            for paper in completeness["missing"]
        )
        yield f"<details><summary>Which are missing</summary><ul>{''.join(rows)}</ul></details>"


def _group(group: dict[str, Any], draft: str) -> Iterator[str]:
    yield f"<h2>{escape(group['name'])}</h2><ol>"
    for paper in group["papers"]:
        where = paper["corpus"] and f"corpus {paper['corpus']}"
        doi = paper["doi"] and f"doi:{paper['doi']}"
        about = ", ".join(filter(None, (paper["venue"], doi, where or "in the library")))
        yield f"<li>{escape(_named(paper))} <code>{escape(paper['key'])}</code>"
        yield f'<div class="about">{escape(about)}</div>'
        yield f"<div>{escape('; '.join(paper['reasons']))}</div>"
        if quoted := paper["quoted"]:
            yield f'<div class="about">{escape(quoted)}</div>'
        if place := paper["place"]:
            yield f'<div class="about">Place: {escape(_where(place, draft))}</div>'
            yield f"<blockquote>{escape(place['sentence'])}</blockquote>"
        yield "</li>"
    yield "</ol>"


def _where(place: dict[str, Any], draft: str) -> str:
    """Return section and line of a place, and the file if it is another one than the draft's."""
    other = place["uri"] != draft
    file = unquote(relpath(place["uri"], dirname(draft))) if other else ""
    return ", ".join(filter(None, (place["section"], file, f"line {place['line'] + 1}")))


def _named(paper: dict[str, Any]) -> str:
    return f"{paper['name']}, {paper['title']}" if paper["authors"] else str(paper["name"])
