r"""Which files a LaTeX text loads before its body: `\usepackage{a,b}`, `\documentclass{c}`.

And which it reads in there, as `\input{macros}`: they define commands for the body.
"""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import opening_brace, read_key_list, skip_brackets

_WORDS = ("\\usepackage", "\\RequirePackage", "\\documentclass", "\\LoadClass")
_INPUTS = ("\\input", "\\include")
_LOADING = lazy_re(
    r"""[\\%](?:(?<=%)[^\n]*|(?<=\\)(?:
        [\\%]
      | (?P<package>(?:usepackage|RequirePackage(?:WithOptions)?)(?![A-Za-z@]))
      | (?P<class>(?:documentclass|LoadClass(?:WithOptions)?)(?![A-Za-z@]))
      | (?P<input>(?:input|include)(?![A-Za-z@]))
      | (?P<body>begin\s*\{document\})
    ))""",
    re.VERBOSE,
)


def loaded_files(text: str, *, inputs: bool = False) -> tuple[str, ...]:
    """Return the files that a text loads before its body, on demand with those read in there."""
    if not any(word in text for word in (*_WORDS, *(_INPUTS if inputs else ()))):
        return ()
    files: dict[str, None] = {}
    for loading in _LOADING.finditer(text):
        if loading["body"]:
            break
        suffix = ".sty" if loading["package"] else ".cls" if loading["class"] else ""
        if loading["input"] and inputs:
            suffix = ".tex"
        opening = opening_brace(text, skip_brackets(text, loading.end())) if suffix else None
        if opening is not None:
            names = read_key_list(text, opening).keys
            files.update(dict.fromkeys(name.text.removesuffix(suffix) + suffix for name in names))
    return tuple(files)
