"""What a rule finds: a place, a message, how bad it is, and the edits that would help."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from attrs import field, frozen

from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.rules.rule_names import Rule

if TYPE_CHECKING:
    from cite_lsp.library.entries import Entry
    from cite_lsp.project.citations import Citation

Stretch = Literal["paragraph", "section"]
"""In which part of a draft a hint names a paper only once."""
Severity = Literal["error", "warning", "information", "hint"]


@frozen
class Fix:
    """An edit of the same file that settles a finding.

    With `create`, making that file is the fix, and there is nothing to edit.
    """

    title: str
    edit: TextEdit = TextEdit(0, 0, "")
    preferred: bool = False
    create: Path | None = None


@frozen
class ProposedPaper:
    """A paper to cite where a citation is missing, or wrong."""

    key: str
    title: str


@frozen
class Hint:
    """The papers that a sentence without a citation may lack, and their short names in a line.

    `marker` counts the markers that wait for a key there: it is the one that lacks the papers. With
    `in_words` the sentence cites the papers, but in words, and maybe others by markers.
    """

    names: str
    papers: tuple[ProposedPaper, ...]
    marker: int | None = None
    in_words: bool = False


@frozen
class Ranked:
    """What ranking papers has shown of a draft, which takes long.

    hints: of sentences that may lack a citation, by their plain text. doubts: of citations, the
    entry that fits their place far better, None where none does.
    """

    hints: Mapping[str, Hint] = field(factory=dict)
    doubts: Mapping[Citation, Entry | None] = field(factory=dict)


@frozen
class Finding:
    """A range of a file where a rule holds: what is wrong there, how bad, and what mends it.

    Attributes:
        related: Another place that it is about: a path, two offsets and a word on what is there.
        papers: The papers that a missing, empty or doubtful citation may be of, best first.
        sentence_text: Of such a citation, its sentence as `readable_sentence` has it.
        sentence_range: The range of that where the finding is at a marker in it.
    """

    rule: Rule
    path: Path
    start: int
    end: int
    message: str
    severity: Severity = "warning"
    fixes: tuple[Fix, ...] = ()
    related: tuple[Path, int, int, str] | None = None
    papers: tuple[ProposedPaper, ...] = ()
    sentence_text: str = ""
    sentence_range: tuple[int, int] | None = None
