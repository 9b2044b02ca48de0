"""Papers from PDF files: title, abstract, and which titles they cite in which words; best effort.

A PDF knows letters and places, not titles. The title is what stands in the largest type near the
top of the first page, unless the file's own title is there; the abstract is what follows the
word. Needs pypdf (extra `pdf`).
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_lsp.corpus.citations import PaperCitations
from cite_lsp.corpus.formats.json_lines import BrokenOff, Report
from cite_lsp.corpus.full_text.pdf_text import Run, runs_of, text_of
from cite_lsp.corpus.full_text.printed_markers import Span, printed_markers, raised_markers
from cite_lsp.corpus.full_text.printed_references import (
    PrintedReference,
    PrintedReferences,
    is_heading,
    join_lines,
    split_references,
)
from cite_lsp.corpus.full_text.xml_contexts import TextMarker, contexts_around
from cite_lsp.installation import how_to_install
from cite_lsp.language import UNSPACED, detect_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.names import split_names
from cite_lsp.paper import Paper, doi_fields, joined_title, normalise_doi, normalise_title

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

SIGNATURE = "%PDF-"
_PAGES = 2
"""Pages that a title and an abstract are looked for on: it may go on overleaf."""
_MOST_PAGES = 300
_HEAD = 2
"""Lines at the top of a page, and at its foot, that may be no text."""
_RUNNING_HEAD = 3
"""Pages from which on a line that all have there is none."""
_LONGEST_ABSTRACT, _SHORTEST_ABSTRACT = 3000, 80
_LONGEST_TITLE = 300
_SAME_SIZE = 0.5
"""Points by which the type of two lines of one title may differ."""
_UPPER = 0.45
"""Share of the page, from its top, in which a title stands."""
_RAISED_LEAST = 1 / 3
"""Share of the references that raised numbers cite where they are markers."""
_WORD_BEFORE = lazy_re(r"\w*$")
_WORD = lazy_re(rf"\w*[{UNSPACED}]|[^\W\d_]{{3,}}")
_COMPUTED = lazy_re(r"\s?(?::?=|[*<>^]|\.[a-z(])")
"""What stands behind an element of an array, and behind no marker."""
_LONGEST_WORD = 40
_LATIN = lazy_re(r"[A-Za-z0-9_]")
_DOI = lazy_re(r"\b(?:doi(?:\.org/|:)\s*)(10\.\d{4,9}/[^\s\"<>]+)", re.IGNORECASE)
_ARXIV = lazy_re(r"arXiv:(\d{4}\.\d{4,5})(?:v\d+)?")
_ABSTRACT = lazy_re(
    r"(?:^|\n)\s*(?:a\s?b\s?s\s?t\s?r\s?a\s?c\s?t\b[\s.:—–-]*"
    r"|[【\[]?(?:中文)?摘\s*要(?=[】\]：:\s])[】\]]?[\s：:]*)",
    re.IGNORECASE,
)
_AFTER = lazy_re(
    r"\n\s*(?:(?:\d|I)\.?\s+)?introduction\b|\n\s*(?:key\s?words|index terms|ccs concepts)\b"
    r"|\n\s*1\.?\s+[A-Z][a-z]+|\n\s*[【\[]?[关關][键鍵][词詞字]|\n\s*中[图圖]分[类類][号號]"
    r"|\n\s*(?:[01一]\s*[.、．]?\s*)?引\s*言\s*\n|\n\s*abstract\s*[:：]",
    re.IGNORECASE,
)
_NUMBER = lazy_re(r"^\d+(?:\s+|$)|\s+\d+$")
_UNSPACED = lazy_re(f"[{UNSPACED}]")
_SHORTEST_CHINESE = 4
"""Characters of Chinese that may be a title."""
_WIDE = f"{UNSPACED}、。，：；！？（）《》“”"
_LINE_OF_CHINESE = lazy_re(rf"(?<=[{_WIDE}])\s*\n\s*(?=[{_WIDE}])")
_HYPHEN = lazy_re(r"(?<=[a-z])-\n\s*(?=[a-z])")


def read_pdf(path: Path, report: Report) -> Iterator[Paper | PaperCitations]:
    """Yield the paper that a file is, and what it cites; what is wrong is passed to `report`."""
    try:
        # Imported where needed: an extra has it.
        from pypdf import PdfReader
    except ImportError:
        report(BrokenOff(f"{path}: reading PDF needs pypdf; {how_to_install('pdf')}"))
        return
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of each oddity it gets over
    try:
        reader = PdfReader(path, strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            report(f"{path}: is encrypted; save a copy without its password")
            return
        paper = _paper(reader)
    except Exception as error:  # whatever a parser of foreign bytes raises, it is this file's fault
        report(BrokenOff(f"{path}: is no PDF that can be read ({_reason(error)}); fetch it again"))
        return
    if isinstance(paper, str):
        report(f"{path}: {paper}")
        return
    yield paper
    try:
        cites = list(_citations(paper, reader))
    except Exception as error:  # as above
        report(f"{path}: what it cites cannot be read ({_reason(error)})")
        return
    yield from cites


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _citations(paper: Paper, reader: PdfReader) -> Iterator[PaperCitations]:
    """Yield what a paper cites, marker by marker, and then what no marker was found of."""
    body, references = split_references(_text(reader))
    text = join_lines(body)
    identifiers_of = {reference.text: reference.identifiers for reference in references}
    markers = _markers(text, references)
    without_marker, citing_id = dict(identifiers_of), f"id {paper.id}"
    for cited, words in contexts_around(text, markers):
        identifiers = dict.fromkeys(
            identifier for name in cited for identifier in identifiers_of[name]
        )
        if identifiers:
            yield PaperCitations(citing_id, tuple(identifiers), (words,))
        for name in cited:
            without_marker.pop(name, None)
    if rest := dict.fromkeys(
        identifier for identifiers in without_marker.values() for identifier in identifiers
    ):
        yield PaperCitations(citing_id, tuple(rest))


def _markers(text: str, references: Sequence[PrintedReference]) -> list[TextMarker]:
    """Return the markers of a text with the texts of what they cite.

    They are raised numbers where these cite many of the references, and more than others do: raised
    are powers and notes as well.
    """
    listed = PrintedReferences(references)
    spans = printed_markers(text)
    tight = _are_tight(text, spans)
    on_line = [span for span in spans if not _is_element(text, *span, tight=tight)]
    ways = [
        [
            (span, [reference.text for reference in listed.cited_by(text[slice(*span)])])
            for span in spans
        ]
        for spans in (on_line, raised_markers(text))
    ]
    least = len(references) * _RAISED_LEAST
    by_line, by_raised = (len({name for _, cited in way for name in cited}) for way in ways)
    return ways[by_raised > max(by_line, least)]


def _are_tight(text: str, markers: Sequence[Span]) -> bool:
    """Whether most markers stand right behind a word of Latin letters, "networks[3]"."""
    behind_words = sum(_LATIN.match(text, start - 1) is not None for start, _ in markers if start)
    return 2 * behind_words > len(markers)


def _is_element(text: str, start: int, end: int, *, tight: bool) -> bool:
    """Whether brackets are those of an array or of a call, "x[2]" or "f(…)", and no marker.

    A marker stands right behind Latin letters only where most do (`tight`).
    """
    if start and not tight and _LATIN.match(text, start - 1):
        return True
    before = _WORD_BEFORE.search(text[max(0, start - _LONGEST_WORD) : start])
    if before is None or not before[0]:
        return False
    return not _WORD.fullmatch(before[0]) or _COMPUTED.match(text, end) is not None


def _text(reader: PdfReader) -> str:
    """Return the lines of all pages, without numbers of pages and what stands above several."""
    count = min(_MOST_PAGES, len(reader.pages))
    pages = [text_of(reader.pages[number]).strip().split("\n") for number in range(count)]
    heads = Counter(
        words for page in pages for words in {*map(_words, page[:_HEAD] + page[-_HEAD:])}
    )
    heads[""] = _RUNNING_HEAD  # the number of a page
    for page in pages:
        for edge in (slice(0, _HEAD), slice(-_HEAD, None)):
            page[edge] = [
                line
                for line in page[edge]
                if heads[_words(line)] < _RUNNING_HEAD or is_heading(line)
            ]
    return "\n".join(line for page in pages for line in page)


def _words(line: str) -> str:
    """Return a line without a number at either end, where a running head has that of its page."""
    return _NUMBER.sub("", line.strip())


def _paper(reader: PdfReader) -> Paper | str:
    """Return the paper, or what is wrong with it."""
    pages = [reader.pages[number] for number in range(min(_PAGES, len(reader.pages)))]
    if not pages:
        return "has no pages; fetch it again"
    (first, _), *_ = read = [runs_of(page) for page in pages]
    text = "\n".join(page_text for _, page_text in read)
    if not any(character.isalpha() for character in text):
        return "holds no text (a scan, or a figure?); run it through OCR first"
    metadata: dict[str, Any] = dict(reader.metadata or {})
    title = _title_in_metadata(str(metadata.get("/Title") or ""), text) or _title_by_size(
        first, pages[0]
    )
    if not title:
        return "no title was found on its first page; the file is skipped"
    match = _DOI.search(text)
    doi = normalise_doi(match[1]) if match else ""
    number = _ARXIV.search(text)
    arxiv = number[1] if number else ""
    digest = hashlib.blake2b(normalise_title(title).encode(), digest_size=6).hexdigest()
    return Paper(
        id=f"doi:{doi}" if doi else f"arxiv:{arxiv}" if arxiv else f"pdf:{digest}",
        title=title,
        abstract=_abstract(text),
        authors=tuple(split_names(str(metadata.get("/Author") or ""))),
        year=2000 + int(arxiv[:2]) if arxiv else None,
        **doi_fields(match[1] if match else ""),
        language=detect_language(title),
        kind="article" if arxiv and not doi else "",
        arxiv=arxiv,
    )


def _title_in_metadata(title: str, text: str) -> str:
    """Return the title that the file says it has, "" where its pages know nothing of it."""
    title = " ".join(title.split())
    words = joined_title(title)
    if not _has_words(title) or words not in joined_title(_HYPHEN.sub("", text)):
        return ""
    return title


def _has_words(title: str) -> bool:
    """Whether a title has more than one word, or as many characters of Chinese."""
    return " " in normalise_title(title) or len(_UNSPACED.findall(title)) >= _SHORTEST_CHINESE


def _title_by_size(runs: list[Run], page: PageObject) -> str:
    """Return what stands in the largest type in the upper part of the page.

    Where that is the type of the text, it is a page of text without a title.
    """
    top, bottom = float(page.mediabox.top), float(page.mediabox.bottom)
    upper = [run for run in runs if run.text.strip() and run.height > top - _UPPER * (top - bottom)]
    letters = [run for run in upper if sum(character.isalpha() for character in run.text) > 1]
    if not letters:
        return ""
    most = max(run.size for run in letters)
    sizes: Counter[float] = Counter()
    for run in runs:
        sizes[run.size] += len(run.text)
    if most - sizes.most_common(1)[0][0] < _SAME_SIZE:
        return ""
    for large, group in groupby(upper, key=lambda run: run.size > most - _SAME_SIZE):
        if large:
            title = _joined_lines("\n".join(run.text for run in group))
            if _has_words(title) and len(title) <= _LONGEST_TITLE:
                return title
    return ""


def _joined_lines(text: str) -> str:
    return " ".join(_LINE_OF_CHINESE.sub("", text).split())


def _abstract(text: str) -> str:
    """Return what follows the word "Abstract" or 摘要, up to the introduction, on one line."""
    heading = _ABSTRACT.search(text)
    if heading is None:
        return ""
    rest = text[heading.end() : heading.end() + _LONGEST_ABSTRACT]
    ended = _AFTER.search(rest)
    abstract = _joined_lines(_HYPHEN.sub("", rest[: ended.start()] if ended else rest))
    if ended is None:
        abstract = abstract[: max(abstract.rfind(". "), abstract.rfind("。")) + 1] or abstract
    return abstract if len(abstract) >= _SHORTEST_ABSTRACT else ""
