"""New markers that print more or less than keys: what is said with them, names, years."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, frozen

from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.edit.author_year import prints_notes, prints_numbers, prints_years
from cite_lsp.manuscript.edit.keys import (
    PANDOC,
    is_plain_in_typst,
    pandoc_key,
    separator_of,
    typst_label,
)
from cite_lsp.manuscript.edit.style import NOTES, Style, new_marker
from cite_lsp.manuscript.latex.commands.packages import loaded_files
from cite_lsp.manuscript.markdown.liquid import CITE, CITET
from cite_lsp.manuscript.model import Marker

_NAMING = {
    "citet": "citet",
    "citep": "citet",
    "textcite": "textcite",
    "parencite": "textcite",
    "autocite": "textcite",
    "smartcite": "textcite",
    "natbib.sty": "citet",
    "biblatex.sty": "textcite",
    "biblatex-chicago.sty": "textcite",
}
"""What prints the names in the sentence and the rest in parentheses, by what a draft cites with."""
_NAMING_ROLES = {"{cite:p}": "{cite:t}", ":citep:": ":citet:", "citep:": "citet:", CITE: CITET}
"""The same in MyST, Sphinx, org-ref and jekyll-scholar."""
_BIBLATEX = frozenset(("biblatex.sty", "biblatex-chicago.sty"))
_YEAR_COMMANDS = {"citet": "citeyearpar", "textcite": "parencite*"}
"""What prints the year alone, in parentheses, by what prints the names."""
_TAKING_NOTES = frozenset(("citep", "parencite", "autocite", "smartcite", "footcite"))
"""Commands that take notes in brackets, `[before][after]`, and print them with their keys."""


@frozen
class NotedKey:
    """A key, and what is said `before` and `after` it: "see", "p. 3"."""

    key: str
    before: str
    after: str


def noted_marker(style: Style, cited: Sequence[NotedKey]) -> str:
    r"""Return a new marker with what is said with its keys: `\citep[see][p. 3]{key}`.

    It is "" where none is known that takes that: in LaTeX `\cite` alone takes nothing before its
    key, natbib's only what is before the first and behind the last one, and in Typst nothing does.
    """
    keys = [noted.key for noted in cited]
    if not any(noted.before or noted.after for noted in cited):
        return new_marker(style, keys)
    citation = _noted(style, cited)
    opening, closing = style.around
    return opening + citation + closing if citation else ""


def _noted(style: Style, cited: Sequence[NotedKey]) -> str:
    if style.command == PANDOC:
        return f"[{'; '.join(map(_noted_in_pandoc, cited))}]"
    if style.command.startswith("[cite"):
        return f"{style.command[:-1]}:{_noted_in_org(cited)}]"
    if style.format == "typst":
        if any(noted.before or not is_plain_in_typst(noted.key) for noted in cited):
            return ""
        return " ".join(f"@{key.key}{f'[{key.after}]' if key.after else ''}" for key in cited)
    if style.format != "latex" or any(style.command in file.cite_commands for file in style.files):
        return ""
    return _noted_in_latex(style, cited)


def _noted_in_pandoc(noted: NotedKey) -> str:
    before = f"{noted.before} " if noted.before else ""
    return f"{before}{pandoc_key(noted.key)}{', ' * bool(noted.after)}{noted.after}"


def _noted_in_org(cited: Sequence[NotedKey]) -> str:
    said = (filter(None, (noted.before, f"@{noted.key}", noted.after)) for noted in cited)
    return ";".join(map(" ".join, said))


def _noted_in_latex(style: Style, cited: Sequence[NotedKey]) -> str:
    command, first, last = style.command.lower(), cited[0], cited[-1]
    if command not in _TAKING_NOTES:
        takes_none = first.before and not textual_marker(style, cited[:1])
        if command != "cite" or len(cited) > 1 or takes_none:
            return ""
    if len(cited) > 1 and command != "citep":
        return f"\\{style.command}s{''.join(map(_noted_key, cited))}"
    if any(noted.before for noted in cited[1:]) or any(noted.after for noted in cited[:-1]):
        return ""
    keys = separator_of(style.files).join(noted.key for noted in cited)
    return f"\\{style.command}{_noted_key(NotedKey(keys, first.before, last.after))}"


def _noted_key(noted: NotedKey) -> str:
    before = f"[{noted.before}]" if noted.before else ""
    return f"{before}{f'[{noted.after}]' if before or noted.after else ''}{{{noted.key}}}"


def textual_marker(style: Style, cited: Sequence[NotedKey]) -> str:
    r"""Return a marker that prints the names as words of the sentence: `\citet[p. 3]{key}`.

    Several keys are of the same people, whom it prints once. It is "" where it is not known what
    does so: in LaTeX, MyST and org-ref with `cite` alone, and in the latter two with a note.
    """
    if style.command == PANDOC:
        return _textual_in_pandoc(cited)
    if style.format == "typst" and len(cited) > 1:
        return _textual_in_typst(cited)
    if style.command.startswith("[cite"):
        return f"[cite/t:{_noted_in_org(cited)}]"
    keys, after = [noted.key for noted in cited], cited[-1].after
    notes_between = any(noted.after for noted in cited[:-1])
    if style.format == "latex":
        command = _naming_command(style)
        if notes_between:
            several = "".join(map(_noted_key, cited))
            return f"\\textcites{several}" if command == "textcite" else ""
        note = f"[{after}]" if after else ""
        return f"\\{command}{note}{{{separator_of(style.files).join(keys)}}}" if command else ""
    if notes_between:
        return ""
    if naming := _NAMING_ROLES.get(style.command):
        return "" if after else new_marker(evolve(style, command=naming), keys)
    if style.format != "typst":
        return ""
    supplement = f", supplement: [{after}]" if after else ""
    return f'#cite({typst_label(keys[0])}, form: "prose"{supplement})'


def _naming_command(style: Style) -> str:
    """Return the command of LaTeX that prints names in the sentence, "" where none is known."""
    used = (marker.command.rstrip("*").lower() for file in style.files for marker in file.markers)
    loaded = (name for file in style.files for name in loaded_files(file.text))
    return next(filter(None, map(_NAMING.get, (*used, *loaded))), "")


def year_marker(style: Style, cited: Sequence[NotedKey]) -> str:
    r"""Return a marker that prints years in parentheses: `Doe's \citeyearpar{key}`, `[-@key]`.

    It is "" where it is not known what does so: in LaTeX also with numbers in place of names.
    """
    if style.command == PANDOC:
        return f"[{'; '.join(f'-{_noted_in_pandoc(noted)}' for noted in cited)}]"
    if style.command.startswith("[cite"):
        return f"[cite/na:{_noted_in_org(cited)}]"
    if style.format == "typst":
        return f"({_years_in_typst(cited)})"
    if style.format != "latex":
        return ""
    loaded = {name for file in style.files for name in loaded_files(file.text)}
    # With its option `natbib`, biblatex has most of the commands of natbib, but has its own always.
    naming = "textcite" if not _BIBLATEX.isdisjoint(loaded) else _naming_command(style)
    command = _YEAR_COMMANDS.get(naming)
    if not command or len(cited) > 1 or prints_numbers(style.files):
        return ""
    return f"\\{command}{_noted_key(cited[0])}"


def marker_behind_names(style: Style, key: str) -> str:
    r"""Return a marker that goes behind names in the text and prints the year: `Doe [-@doe2020]`.

    It is "" where the citations of the draft may print no names: numbers, or in footnotes.
    """
    noting = style.behind_stops or any(style.around) or style.command in NOTES
    if style.format == "typst" or noting:
        return ""
    if style.format == "latex" and not prints_years(style.files):
        return ""
    if style.format == "markdown" and prints_notes(style.files):
        return ""
    return year_marker(style, [NotedKey(key, "", "")])


def _textual_in_typst(cited: Sequence[NotedKey]) -> str:
    """Return the same for several keys in Typst, which has no form for it: names, then years."""
    return f'#cite({typst_label(cited[0].key)}, form: "author") ({_years_in_typst(cited)})'


def _years_in_typst(cited: Sequence[NotedKey]) -> str:
    return ", ".join(
        f'#cite({typst_label(noted.key)}, form: "year"){", " * bool(noted.after)}{noted.after}'
        for noted in cited
    )


def _textual_in_pandoc(cited: Sequence[NotedKey]) -> str:
    """Return the same in Pandoc, with the years of further works in a bracket: `@a [p. 3; -@b]`."""
    first, *more = cited
    years = (f"-{_noted_in_pandoc(evolve(noted, before=''))}" for noted in more)
    behind = "; ".join(filter(None, (first.after, *years)))
    return f"{pandoc_key(first.key)}{f' [{behind}]' if behind else ''}"


def prints_names(manuscript: Manuscript, marker: Marker) -> bool:
    """Whether a marker prints names as words of the sentence."""
    command = marker.command.rstrip("*").lower().removesuffix("s")
    if command == "@":
        return manuscript.format != "typst"
    return command in (*_NAMING.values(), *_NAMING_ROLES.values(), "[cite/t]")
