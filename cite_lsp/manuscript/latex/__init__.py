"""One scan over a LaTeX draft: headings, citations, files named, and what is no prose.

A single compiled pattern stops at the commands of interest and at comments; each kind of command
has a short handler that says where to go on.
"""

from cite_lsp.manuscript.latex.scan import scan_latex

__all__ = ["scan_latex"]
