"""What `check` reports: findings with their places, and what could not be checked; as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

from cite_lsp.cli.printing.output import from_here

if TYPE_CHECKING:
    from cite_lsp.manuscript.lines import LineIndex
    from cite_lsp.rules.findings import Finding

_LONGEST_SHOWN = 80
"""Characters of a sentence that are printed behind a finding."""


@frozen
class ReportedFinding:
    """A finding as it is reported; lines and columns count from 1, in characters.

    Of a missing, empty or doubtful citation also the sentence, as it is written and as it reads
    (`sentence_text`), and the papers to cite there, best first.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    severity: str
    rule: str
    message: str
    sentence: str = ""
    sentence_text: str = ""
    keys: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()

    @classmethod
    def of(cls, finding: Finding, lines: LineIndex | None) -> ReportedFinding:
        """Return what is reported of a finding in a text, without one at the beginning."""
        first = last = (0, 0)
        sentence = ""
        if lines is not None:
            first = lines.position(finding.start, "utf-32")
            last = lines.position(finding.end, "utf-32")
            if finding.papers:
                start, end = finding.sentence_range or (finding.start, finding.end)
                sentence = " ".join(lines.text[start:end].split())
        return cls(
            str(finding.path),
            first[0] + 1,
            first[1] + 1,
            last[0] + 1,
            last[1] + 1,
            finding.severity,
            finding.rule,
            finding.message,
            sentence,
            " ".join(finding.sentence_text.split()),
            tuple(paper.key for paper in finding.papers),
            tuple(paper.title for paper in finding.papers),
        )

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it; what is empty is left out."""
        return asdict(
            self, filter=lambda of, value: of.name != "sentence_text" and value not in ("", ())
        )

    def text_lines(self) -> Iterator[str]:
        """Yield the lines in which it is printed."""
        place = f"{from_here(self.file)}:{self.line}:{self.column}"
        yield f"{place}: {self.severity}: {self.message} [{self.rule}]"
        if self.keys:
            yield f"    “{_beginning(self.sentence_text)}” → {', '.join(self.keys)}"


@frozen
class Unchecked:
    """What could not be checked, and why; `line` is 0 where that is all of the file."""

    file: str
    message: str
    line: int = 0

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self, filter=lambda of, value: value != 0)

    def __str__(self) -> str:
        """Return the line in which it is printed."""
        return f"{from_here(self.file)}{f':{self.line}' if self.line else ''}: {self.message}"


def _beginning(sentence: str) -> str:
    """Return what fits into a line, cut at a word where words are short enough."""
    if len(sentence) <= _LONGEST_SHOWN:
        return sentence
    end = max(sentence.rfind(" ", 0, _LONGEST_SHOWN + 1), _LONGEST_SHOWN // 2)
    return sentence[:end] + " …"
