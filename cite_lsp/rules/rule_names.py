"""The rules, and what each finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Rule = Literal[
    "empty-citation",
    "unknown-key",
    "duplicate-key",
    "duplicate-work",
    "broken-record",
    "missing-bibliography",
    "unused-entry",
    "retracted",
    "preprint",
    "unverified-entry",
    "missing-citation",
    "doubtful-citation",
]
RULES: Mapping[Rule, str] = {
    "missing-citation": "A sentence leans on work that it does not cite",
    "empty-citation": "A citation without a key, or with a word such as TODO in its place",
    "unknown-key": "A key that no entry of the bibliography has",
    "duplicate-key": "A key that several entries have",
    "duplicate-work": "A work that a bibliography has under several keys",
    "broken-record": "An entry that cannot be read",
    "missing-bibliography": "A bibliography that is not there",
    "unused-entry": "An entry that nothing cites",
    "retracted": "A paper that was retracted, as a corpus knows",
    "preprint": "A preprint that was published, as a corpus knows",
    "doubtful-citation": "A citation at a place that another entry fits far better",
    "unverified-entry": "An entry that a corpus contradicts, or that none knows",
}
