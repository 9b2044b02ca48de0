"""All patterns: those of each reader."""

from __future__ import annotations

from tests.chaos.patterns import of_drafts, of_records
from tests.chaos.patterns.tokens import Pattern, Tokens

TOKENS: dict[str, Tokens] = {
    "LaTeX": of_drafts.LATEX,
    "Markdown": of_drafts.MARKDOWN,
    "Typst": of_drafts.TYPST,
    "Org": of_drafts.ORG,
    "BibTeX": of_records.BIBTEX,
    "CSL-JSON": of_records.JSON,
    "YAML": of_records.YAML,
    "RIS": of_records.TAGGED,
    "tagged source": of_records.TAGGED,
    "JSON lines": of_records.JSON,
    "XML": of_records.XML,
    "author": of_records.NAMES,
    "title": of_records.TITLES,
    "url": of_records.TITLES,
    "printed item": of_records.PRINTED,
    "printed pages": of_records.PRINTED,
    "TOML": of_records.TOML,
    "YAML settings": of_records.YAML,
}
"""What the patterns for each reader are made of."""

PATTERNS: tuple[Pattern, ...] = tuple(
    dict.fromkeys(
        pattern for reader, tokens in TOKENS.items() for pattern in tokens.patterns(reader)
    )
)
