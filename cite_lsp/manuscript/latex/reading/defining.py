"""The definitions in a LaTeX draft: passed over, but for the abbreviations that they explain."""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.abbreviations import DECLARING, declared_name
from cite_lsp.manuscript.latex.arguments import (
    closing_brace,
    opening_brace,
    read_key_list,
    skip_brackets,
)
from cite_lsp.manuscript.latex.commands.citation_commands import markers_in
from cite_lsp.manuscript.latex.commands.definitions import ALIASED, ALIASING
from cite_lsp.manuscript.latex.state import Handler, LatexScan
from cite_lsp.manuscript.model import Marker, MarkerKey

_DEFINING = {
    **dict.fromkeys(
        """newcommand renewcommand providecommand newcommandx renewcommandx providecommandx
        DeclareRobustCommand newrobustcmd renewrobustcmd SetCiteCommand AtEveryCite AtEveryCitekey
        AtNextCite DeclareAcronym ProvideAcronym RenewAcronym newglossaryentry provideglossaryentry
        acrodef acrodefplural newacro""".split(),
        1,
    ),
    **dict.fromkeys(
        """newenvironment renewenvironment NewDocumentCommand RenewDocumentCommand
        ProvideDocumentCommand DeclareDocumentCommand NewExpandableDocumentCommand
        newacronym newabbreviation longnewglossaryentry""".split(),
        2,
    ),
    "NewDocumentEnvironment": 3,
    **dict.fromkeys(
        """newtcblisting renewtcblisting newtcolorbox renewtcolorbox newminted newmintinline newmint
        newmintedfile""".split(),
        1,
    ),
    **dict.fromkeys(
        """lstnewenvironment DefineVerbatimEnvironment CustomVerbatimEnvironment NewEnviron
        RecustomVerbatimEnvironment CustomVerbatimCommand DeclareTCBListing NewTCBListing
        RenewTCBListing ProvideTCBListing DeclareTColorBox NewTColorBox""".split(),
        2,
    ),
    **dict.fromkeys("pretocmd apptocmd xpretocmd xapptocmd".split(), 3),
    **dict.fromkeys("patchcmd xpatchcmd".split(), 4),
    "DeclareCiteCommand": 4,
    "DeclareMultiCiteCommand": 3,
}

_TERMS = """DeclareAcronym ProvideAcronym RenewAcronym newglossaryentry provideglossaryentry
    longnewglossaryentry newacronym newabbreviation""".split()
_CITES = lazy_re(r"[\[{,](?>(?:\s|%[^\n]*\n)*)(?P<name>cite)\s*=\s*")
_BARE_KEY = lazy_re(r"[^\s,\[\]{}%\\]+")
_MACRO = lazy_re(r"\\(?:[A-Za-z@]+|.)")
_TEX_DEFINITION = lazy_re(r"\s*\\(?:[A-Za-z@]+|.)[^{}\n]*")
_LONGEST_BODY = 40_000


def _term(scan: LatexScan, match: re.Match[str], name: str) -> int:
    r"""Read the definition of an abbreviation or a term, which may cite: `cite = {a}`."""
    end = _definition(scan, match, name)
    for cites in _CITES.finditer(scan.text, match.end(), end):
        marker = _property(scan.text, cites, end)
        if marker:
            scan.markers_outside_prose.append(marker)
    return end


def _property(text: str, cites: re.Match[str], stop: int) -> Marker | None:
    """Read the keys of a property, in braces or without, maybe behind notes in brackets."""
    position = skip_brackets(text, cites.end())
    opening = opening_brace(text, position)
    if opening is None or opening >= stop:
        key = _BARE_KEY.match(text, position, stop)
        if not key:
            return None
        keys = (MarkerKey(key.group(), *key.span()),)
        return Marker("cite", keys, cites.start("name"), key.end(), True, (key.span(),))
    behind_notes = skip_brackets(text, opening + 1)
    inner = opening_brace(text, behind_notes) if behind_notes > opening + 1 else None
    read = read_key_list(text, opening if inner is None else inner)
    span = read.start, read.end
    return Marker("cite", read.keys, cites.start("name"), read.after, read.closed, (span,))


def _definition(scan: LatexScan, match: re.Match[str], name: str) -> int:
    text = scan.text
    _learn_name(scan, match, name)
    position = skip_brackets(text, match.end())
    scan.markers_outside_prose += markers_in(text, match.end(), position, scan.commands)
    if not name.startswith(("AtEvery", "AtNext", "SetCite")):
        named = opening_brace(text, position)
        macro = _MACRO.match(text, position)
        closing = None if named is None else closing_brace(text, named, 200)
        position = macro.end() if macro else position if closing is None else closing + 1
    return _skip_definition(scan, match.start(), position, _DEFINING[name])


def _tex_definition(scan: LatexScan, match: re.Match[str], name: str) -> int:
    _learn_name(scan, match, name)
    parameters = _TEX_DEFINITION.match(scan.text, match.end())
    position = parameters.end() if parameters else match.end()
    return _skip_definition(scan, match.start(), position, 1)


def _let(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    end = scan.text.find("\n", match.end())
    aliased = ALIASED.match(scan.text, match.end())
    position = aliased.end() if aliased else len(scan.text) if end < 0 else end
    scan.omissions.append((match.start(), position))
    return position


def _learn_name(scan: LatexScan, match: re.Match[str], command: str) -> int:
    if command in DECLARING and (declared := declared_name(scan.text, command, match.end())):
        scan.names.setdefault(*declared)
    return match.end()


def _skip_definition(scan: LatexScan, start: int, position: int, count: int) -> int:
    """Pass over the bodies of a definition: what they cite, they cite where they are used."""
    for _ in range(count):
        opening = opening_brace(scan.text, skip_brackets(scan.text, position))
        closing = None if opening is None else scan.closing(opening, _LONGEST_BODY)
        if opening is None or closing is None:
            break
        scan.markers_outside_prose += markers_in(scan.text, opening, closing, scan.commands)
        position = closing + 1
    return scan.omit(start, position)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(_DEFINING, _definition),
    **dict.fromkeys(_TERMS, _term),
    **dict.fromkeys(("def", "gdef", "edef", "xdef"), _tex_definition),
    **dict.fromkeys(ALIASING, _let),
    "acro": _learn_name,
}
