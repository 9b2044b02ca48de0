"""Papers in words for people: one line for a list, a card for documentation and hover."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from lsprotocol import types

from cite_lsp.library.annotations import Annotations, annotations_of
from cite_lsp.library.text.display import shown
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import CitedElsewhere, Recommendation
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.server.render.markup import escaped, link

LONGEST_ABSTRACT = 1500
_MOST_AUTHORS = 12
_LONGEST_QUOTED = 300
_RETRACTED = "Retracted", "已撤稿"
_ANNOTATED = "Keywords", "Note", ": "


def line(paper: Paper) -> str:
    """Return "Vaswani et al. 2017, Attention Is All You Need", what is missing left out."""
    head = short_name(paper)
    whole = f"{head}, {shown(paper).title}" if paper.title and paper.authors else head
    return f"{whole} (retracted)" if paper.retracted else whole


def origin(recommendation: Recommendation) -> str:
    """Return what marks a paper that the library lacks: the corpus that it is from."""
    return f"[{recommendation.corpus}] " if recommendation.corpus else ""


def warning(recommendation: Recommendation) -> str:
    """Return what stands before the reasons for a paper that was retracted, else ""."""
    if not recommendation.paper.retracted:
        return ""
    return "已撤稿；" if recommendation.language == "zh" else "retracted; "


def reason(recommendation: Recommendation) -> str:
    """Return the reasons of a recommendation in one line, in the language of the text."""
    # Imported where needed: a server that recommends nothing yet starts without it.
    from cite_lsp.recommend.wording import describe

    return describe(recommendation)


def recommended(
    recommendation: Recommendation, markup: types.MarkupKind | None
) -> types.MarkupContent | str:
    """Describe a recommended paper, why it is, and its other keys in the library, as `card`."""
    why, language = reason(recommendation), recommendation.language
    why = why and why[0].upper() + why[1:]
    if keys := ", ".join(recommendation.other_keys):
        also = f"文献库中的同一文献：{keys}" if language == "zh" else f"The same work: {keys}"
        why = f"{why}\n\n{also}" if why else also
    notes = (
        *cited_elsewhere(recommendation.cited_elsewhere, language),
        *annotated(annotations_of(recommendation.entry), language),
    )
    stressed = recommendation.abstract_sentence
    return card(recommendation.paper, markup, why, language, notes, stressed)


def card(
    paper: Paper,
    markup: types.MarkupKind | None,
    why: str = "",
    language: str = "en",
    notes: Sequence[str] = (),
    stressed: str = "",
    reference: str = "",
) -> types.MarkupContent | str:
    """Describe a paper: title, authors, venue and year, why it is recommended, abstract.

    Before the abstract stand `notes`, paragraphs of plain text: `cited_elsewhere`, `annotated`. In
    Markdown its sentence `stressed` is set in bold. A `reference`, in the markup already, stands in
    for all that comes before the reasons.

    The words around it are Chinese where `language` is "zh", English otherwise.

    Without a markup that the client understands it is a string of plain text.
    """
    markdown = markup == types.MarkupKind.Markdown
    paper = shown(paper)

    def text(value: str) -> str:
        return escaped(value) if markdown else value

    def styled(value: str, mark: str) -> str:
        return f"{mark}{text(value)}{mark}" if markdown and value else value

    place = ", ".join(part for part in (styled(paper.venue, "*"), str(paper.year or "")) if part)
    described = [
        styled(paper.title, "**"),
        text(_authors(paper, language)),
        " · ".join(part for part in (place, _link(paper, markdown)) if part),
    ]
    parts = [
        styled(_RETRACTED[language == "zh"] if paper.retracted else "", "**"),
        *([reference] if reference else described),
        text(why and why[0].upper() + why[1:]),
        *map(text, notes),
        _abstract(paper, stressed, markdown),
    ]
    content = "\n\n".join(part for part in parts if part)
    return types.MarkupContent(markup, content) if markup else content


def quoted(recommendation: Recommendation) -> tuple[str, ...]:
    """Return the passage that supports a recommendation, as a paragraph of plain text, or none.

    It is how another paper cites it, or else of its abstract.
    """
    language, sentence = recommendation.language, recommendation.abstract_sentence
    if recommendation.cited_elsewhere is not None or not sentence:
        return cited_elsewhere(recommendation.cited_elsewhere, language)
    sentence = textwrap.shorten(sentence, _LONGEST_QUOTED, placeholder=" …")
    return (f"摘要：“{sentence}”" if language == "zh" else f"From its abstract: “{sentence}”",)


def cited_elsewhere(cited: CitedElsewhere | None, language: str) -> tuple[str, ...]:
    """Return how another paper cites one, as a paragraph of plain text; none if it is unknown."""
    if cited is None:
        return ()
    by = line(cited.paper)
    if language == "zh":
        return (f"他人引用：“{cited.sentence}”（{by}）",)
    return (f"Cited elsewhere: “{cited.sentence}” ({by})",)


def annotated(annotations: Annotations, language: str) -> tuple[str, ...]:
    """Return the keywords and notes of an entry as paragraphs of plain text."""
    keywords, note, colon = ("关键词", "笔记", "：") if language == "zh" else _ANNOTATED
    parts = [f"{keywords}{colon}{annotations.keywords}"] if annotations.keywords else []
    return (*parts, *(f"{note}{colon}{text}" for text in annotations.notes))


def cited_by(total: int, in_library: int, language: str) -> str:
    """Return how many papers cite one, and how many of these the library has; "" for none."""
    if not total:
        return ""
    if language == "zh":
        return f"被引 {total:,} 次" + f"，其中 {in_library:,} 篇在文献库中" * bool(in_library)
    owned = f", {in_library:,} of them in your library" * bool(in_library)
    return f"Cited by {total:,}{owned}"


def _authors(paper: Paper, language: str) -> str:
    shown = ", ".join(paper.authors[:_MOST_AUTHORS])
    more = len(paper.authors) - _MOST_AUTHORS
    if language == "zh" and more > 0:
        return f"{shown} 等 {len(paper.authors)} 人"
    if more > 0:
        return f"{shown} and {more} more"
    others = " 等" if language == "zh" else " and others"
    return shown + others * paper.more_authors


def _link(paper: Paper, markdown: bool) -> str:
    address = f"https://doi.org/{paper.doi}" if paper.doi else paper.url
    return link(address, paper.doi) if address and markdown else address


def _abstract(paper: Paper, stressed: str, markdown: bool) -> str:
    text = " ".join(paper.abstract.split())
    if len(text) > LONGEST_ABSTRACT:
        shortened = text[: LONGEST_ABSTRACT - 1]
        text = shortened[: max(shortened.rfind(" "), LONGEST_ABSTRACT - 40)] + "…"
    if not markdown:
        return text
    before, sentence, behind = text.partition(stressed) if stressed else (text, "", "")
    return escaped(before) + (f"**{escaped(sentence)}**" if sentence else "") + escaped(behind)
