"""Whatever is found in a draft stands where a draft with more text before has it."""

from attrs import fields

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.shifted import shifted

TEXT = r"""\bibliography{a}\input{b}\section{One} By \citet[see][p. 3]{a, b}.
\footnote{Note \cite{c}.}
\begin{table}\caption{Cap}\begin{tabular}{l} x \\ y \end{tabular}\end{table} \[ x \]
\defbibentryset{s}{k,l} $^{\cite{e}}$ \caption[\cite{d}]{C} \url{u}
\begin{filecontents}{f.bib}@x{y}\end{filecontents} \bibitem{i} Item."""
LISTS = """markers markers_outside_prose declarations inputs items embedded entry_sets references
omissions borders notes code tables""".split()


def test_all_that_is_found_moves_with_the_text_before_it() -> None:
    layout, below = (parse(text, "latex").layout for text in (TEXT, "Word. " + TEXT))
    for name in LISTS:
        items = getattr(layout, name)
        assert items, name
        assert tuple(shifted(item, 6) for item in items) == getattr(below, name)
    assert set(LISTS) <= {attribute.name for attribute in fields(Layout)}
