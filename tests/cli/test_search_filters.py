"""`search` with filters: what they leave out, and that they leave out nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]
BIBLIOGRAPHY = """\
@article{old, title = {Neural networks of birds}, journal = {Birds}, year = 2001}
@article{new, title = {Neural networks of fish}, journal = {Fish}, year = 2018}
@article{latest, title = {Neural networks of flocks}, journal = {Birds}, year = 2020}
@article{alt, title = {Neuronale Netze}, journal = {Birds}, year = 2018, langid = {german}}
"""


@pytest.mark.parametrize(
    ("given", "keys"),
    [
        ((), {"old", "new", "latest", "alt"}),
        (("--years", "2015-"), {"new", "latest", "alt"}),
        (("--years", "2015-", "--venue", "fish"), {"new"}),
        (("--venue", "fish", "--venue", "bird"), {"old", "new", "latest", "alt"}),
        (("--language", "de"), {"alt"}),
        (("--venue", "Trees"), set()),
    ],
)
def test_they_hold_in_a_bibliography(
    command: Command, desk: Path, given: tuple[str, ...], keys: set[str]
) -> None:
    (desk / "b.bib").write_text(BIBLIOGRAPHY)
    outcome = command("search", "neural networks", "-b", "b.bib", "--json", *given)
    assert (outcome.status, outcome.err) == (0, "")
    assert {paper["key"] for paper in outcome.json["papers"]} == keys


def test_filters_that_are_none_are_reported_with_a_bibliography_too(command: Command) -> None:
    outcome = command("search", "gulls", "-b", "refs.bib", "--years", "notayear")
    assert "'notayear' are no years; write 2015-2020" in outcome.misuse
    outcome = command("search", "gulls", "-b", "refs.bib", "--language", "english")
    assert "'english' is no code of a language" in outcome.misuse


@pytest.mark.parametrize("given", [("--venue", "ten YEARS"), ("--language", "fr")])
def test_papers_that_are_far_behind_in_the_whole_corpus_are_found(
    command: Command, desk: Path, given: tuple[str, ...]
) -> None:
    common: dict[str, Any] = {"venue": "Harbours", "language": "en"}
    rare: dict[str, Any] = {"venue": "After ten years", "language": "fr"}
    records = [common | {"id": f"c{n}", "title": f"Translation {n}"} for n in range(1500)]
    records += [
        rare | {"id": f"r{n}", "title": f"What salt, silt and reed {n} owe to a translation"}
        for n in range(10)
    ]
    (desk / "many.jsonl").write_text("\n".join(map(json.dumps, records)))
    command("index", "many.jsonl", "--encoder", "static")
    outcome = command("search", "translation", *given, "-k", "50", "--json")
    assert {paper["key"] for paper in outcome.json["papers"]} == {f"r{n}" for n in range(10)}
