"""Papers from tagged text, which reference managers and databases export: RIS and its kin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cite_lsp.corpus.citations import PaperCitations
from cite_lsp.corpus.formats.exported import (
    KINDS,
    RETRACTED,
    exported_names,
    pubmed_address,
    pubmed_suffix,
    pubmed_title,
)
from cite_lsp.corpus.formats.json_lines import (
    LONGEST_RECORD,
    BrokenOff,
    BrokenOffError,
    Report,
    numbered_lines,
)
from cite_lsp.corpus.formats.tagged_formats import MEDLINE, TaggedFormat, Tags
from cite_lsp.language import detect_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.formats.ris import SEPARATED, Fields, first_of, values_of
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.metadata import language_code, year_in
from cite_lsp.library.text.people import is_others, names_of
from cite_lsp.paper import Paper, bare_doi, doi_fields, normalise_doi

_SUFFIXED = lazy_re(
    r"^(?!.*\sand\s)([^,]+),(?!\s*(?:[JS]r|I{2,3}|IV)\b)([^,]+),\s*([A-Za-z][A-Za-z.]*)$"
)
"""One person as "Last, First, Suffix"; neither names that "and" joins, nor BibTeX's order."""
_BEHIND_GIVEN = lazy_re(r"\s+([JS]r|[2-9](?:nd|rd|th))\Z")
_INITIALS = lazy_re(r"\A([^,]+) ([A-Z]{1,4})\Z")
_Lines = dict[str, list[list[str]]]
"""The lines of each value of a field."""


def read_tagged(path: Path, report: Report, form: TaggedFormat) -> Iterator[Paper | PaperCitations]:
    """Yield the papers of a file, in order, and whom they cite.

    A record without a title is reported, and so is the first line that is not UTF-8, which
    is read as Windows-1252. A file whose last record is not closed is cut off, unless its writer
    closes none.
    """
    fields: _Lines = {}
    last, first_line, size, records, closed, broken = "", 0, 0, 0, False, False
    try:
        for number, line in numbered_lines(path, report):
            tag = form.tag.match(line.rstrip())
            if _parts(form, line, tag and tag[1]):
                if fields:
                    records += 1
                    yield from _items_of_record(path, first_line, fields, report, form)
                fields, size = {}, 0
            size += len(line)
            if size > LONGEST_RECORD:
                fields = _without_long(path, first_line, fields, report)
                continue
            closed |= tag is not None and tag[1] == form.ends
            if tag and tag[1] not in form.header:
                last = tag[1]
                if last != form.ends:
                    first_line = first_line if fields else number
                    fields.setdefault(last, []).append([(tag[2] or "").strip()])
            elif line.strip() and fields and last in fields:
                if last in form.listed:
                    fields[last].append([line.strip()])
                else:
                    fields[last][-1].append(line.strip())
    except BrokenOffError as error:
        report(BrokenOff(error))
        broken = True
    if fields:
        yield from _items_of_record(path, first_line, fields, report, form)
        if form.ends and not broken and (closed or not records):
            problem = f"the last record has no end ({form.ends}); export it again"
            report(BrokenOff(f"{path}:{first_line}: {problem}"))


def _without_long(path: Path, line: int, fields: _Lines, report: Report) -> _Lines:
    """Return no fields in the place of those of a record that is too long, which is told once."""
    if fields:
        problem = f"the record has more than {LONGEST_RECORD:,} characters; it is skipped"
        report(f"{path}:{line}: {problem}")
    return {}


def _parts(form: TaggedFormat, line: str, tag: str | None) -> bool:
    """Whether a line stands between two records, or begins one."""
    if not form.begins:
        return not line.strip()
    return tag in (form.begins, form.ends) if tag else False


def _items_of_record(
    path: Path, line: int, lines: _Lines, report: Report, form: TaggedFormat
) -> Iterator[Paper | PaperCitations]:
    fields = {tag: [" ".join(value) for value in values] for tag, values in lines.items()}
    titles = (_text(fields, (tag,)) for tag in form.titles)
    title = next(filter(None, map(pubmed_title, titles) if form is MEDLINE else titles), "")
    if not title:
        report(f"{path}:{line}: the record has no title ({form.titles[0]}); it is skipped")
        return
    kinds = [
        kind for kinds_text in values_of(fields, form.kinds) for kind in SEPARATED.split(kinds_text)
    ]
    doi = next(filter(None, map(bare_doi, values_of(fields, form.dois))), "")
    catalogue, tag = form.catalogue
    number = first_of(fields, (tag,))
    own_id = first_of(fields, form.keys) or normalise_doi(doi) or title
    authors, more = _people(fields, form)
    venues = tuple(tag for tag in form.venues if _text(fields, (tag,)) != title)
    paper = Paper(
        id=catalogue + number if number else "entry:" + own_id,
        title=title,
        abstract=_text(fields, form.abstracts),
        authors=authors,
        year=year_in(first_of(fields, form.years)),
        venue=_text(fields, venues),
        **doi_fields(doi),
        url=pubmed_address(number) if form is MEDLINE and number else first_of(fields, form.urls),
        language=language_code(first_of(fields, form.languages)) or detect_language(title),
        kind=_kind(fields, kinds, form),
        retracted=RETRACTED in kinds,
        more_authors=more,
    )
    yield paper
    cited = [
        doi for reference in values_of(fields, form.cited) if (doi := normalise_doi(reference))
    ]
    if cited and number:
        yield PaperCitations(f"id {paper.id}", tuple(f"doi {doi}" for doi in dict.fromkeys(cited)))


def _kind(fields: Fields, kinds: Iterable[str], form: TaggedFormat) -> str:
    """Return the type of CSL that a record is of; PubMed names the book that it is in."""
    if form is MEDLINE and first_of(fields, ("BTI",)):
        return "chapter" if _text(fields, ("TI",)) else "book"
    return next((KINDS[kind] for kind in kinds if kind in KINDS), "")


def _people(fields: Fields, form: TaggedFormat) -> tuple[tuple[str, ...], bool]:
    """Return the authors of a record, and whether there are more."""
    tags = next((tags for tags in form.authors if any(map(fields.get, tags))), ())
    bibtex_names = [
        _as_bibtex(name, form, group=tag in form.organisations)
        for tag in tags
        for value in fields.get(tag, ())
        for name in SEPARATED.split(value)
        if name
    ]
    _, more = names_of(bibtex_names)
    return tuple(name for bibtex_name in bibtex_names for name in exported_names(bibtex_name)), more


def _as_bibtex(name: str, form: TaggedFormat, *, group: bool) -> str:
    """Return a name as BibTeX has it: what is no person's in braces, suffixes second.

    MEDLINE writes suffixes behind the first names, and where it has no first names it has initials
    behind the last.
    """
    if is_others(name):
        return name
    if group:
        return f"{{{name}}}"
    if form is MEDLINE:
        suffix = _BEHIND_GIVEN.search(name)
        person = _INITIALS.sub(r"\1, \2", name[: suffix.start()] if suffix else name)
        return person.replace(",", f", {pubmed_suffix(suffix[1])},", 1) if suffix else person
    return _SUFFIXED.sub(r"\1, \3,\2", name)


def _text(fields: Fields, tags: Tags) -> str:
    """Return the first value of some tags without the markup of web pages."""
    return without_markup(first_of(fields, tags))
