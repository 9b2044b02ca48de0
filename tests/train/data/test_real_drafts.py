"""Dealing real drafts into those to learn from and those to measure on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cite_lsp.train.data.real_drafts import split_drafts
from cite_lsp.train.run.report import TrainingError

FIELDS = ("physics", "biology", "geoscience")


def drafts(folder: Path, names: list[str]) -> Path:
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "main.tex").write_text("x", encoding="utf-8")
    return folder


def described(folder: Path, languages: dict[str, int]) -> Path:
    """Make drafts of some languages, all of the same fields, and their manifest."""
    rows = [
        {"name": f"{language}-{number}", "language": language, "field": FIELDS[number % 3]}
        for language, count in languages.items()
        for number in range(count)
    ]
    drafts(folder, [row["name"] for row in rows])
    (folder / "manifest.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


def test_a_quarter_of_the_drafts_of_every_language_and_field_is_measured_on(
    tmp_path: Path,
) -> None:
    dealt = split_drafts(described(tmp_path, {"en": 24, "zh": 12, "fr": 12}))
    assert (len(dealt.learn), len(dealt.check)) == (36, 12)
    assert not dealt.learn.keys() & dealt.check.keys()
    languages = [name.split("-")[0] for name in dealt.check]
    assert sorted(languages) == ["en"] * 6 + ["fr"] * 3 + ["zh"] * 3
    fields = [(name.split("-")[0], int(name.split("-")[1]) % 3) for name in dealt.check]
    assert len(set(fields)) == 9
    assert dealt.languages["fr-3"] == "fr" and len(dealt.languages) == 48


def test_drafts_are_dealt_the_same_again_and_without_a_manifest(tmp_path: Path) -> None:
    folder = drafts(tmp_path, [f"draft-{number}" for number in range(20)])
    first, second = split_drafts(folder), split_drafts(folder)
    assert first == second and len(first.check) == 5
    assert [*first.check] != sorted(first.check)  # by a hash, not by name
    assert first.check[[*first.check][0]][0].name == "main.tex"


def test_drafts_can_be_left_out(tmp_path: Path) -> None:
    messages: list[str] = []
    folder = drafts(tmp_path, [f"draft-{number}" for number in range(8)])
    dealt = split_drafts(folder, ["draft-3", "draft-9"], messages.append)
    whole = split_drafts(folder)
    assert {*dealt.learn} == {*whole.learn} - {"draft-3"}
    assert {*dealt.check} == {*whole.check} - {"draft-3"}
    assert "no draft 'draft-9'" in messages[0]


def test_too_few_drafts_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="has 3 drafts; give a folder of 4 or more"):
        split_drafts(drafts(tmp_path, ["a", "b", "c"]))


@pytest.mark.parametrize("text", ["{", "3", '["a"]', '[{"language": "en"}]'])
def test_a_broken_manifest_is_an_error_of_one_line(tmp_path: Path, text: str) -> None:
    drafts(tmp_path, ["a", "b", "c", "d"])
    (tmp_path / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(TrainingError, match=r"manifest\.json: cannot be read .*have a `name`"):
        split_drafts(tmp_path)
