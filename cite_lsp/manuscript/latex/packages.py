r"""Which packages and classes a LaTeX text loads: `\usepackage{a,b}`, `\documentclass{c}`."""

from __future__ import annotations

import re

from cite_lsp.manuscript.latex.arguments import opening_brace, read_key_list, skip_brackets

_WORDS = ("\\usepackage", "\\RequirePackage", "\\documentclass", "\\LoadClass")
_LOADING = re.compile(
    r"""[\\%](?:(?<=%)[^\n]*|(?<=\\)(?:
        [\\%]
      | (?P<package>(?:usepackage|RequirePackage(?:WithOptions)?)(?![A-Za-z@]))
      | (?P<class>(?:documentclass|LoadClass(?:WithOptions)?)(?![A-Za-z@]))
      | (?P<body>begin\s*\{document\})
    ))""",
    re.VERBOSE,
)


def loaded_files(text: str) -> tuple[str, ...]:
    """Return the names of the files that a text loads before its body, in order, each once."""
    if not any(word in text for word in _WORDS):
        return ()
    files: dict[str, None] = {}
    for loading in _LOADING.finditer(text):
        if loading["body"]:
            break
        suffix = ".sty" if loading["package"] else ".cls" if loading["class"] else ""
        opening = opening_brace(text, skip_brackets(text, loading.end())) if suffix else None
        if opening is not None:
            names = read_key_list(text, opening).keys
            files.update(dict.fromkeys(name.text + suffix for name in names))
    return tuple(files)
