"""The files at the root agree with the package, and their links lead somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from cite_lsp import __version__

ROOT = Path(__file__).parents[1]
PAGES = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/automation.md")
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
if not all((ROOT / page).exists() for page in PAGES) or not FORMS:
    pytest.skip("the files of the repository are not part of this copy", allow_module_level=True)


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def citation() -> dict[str, Any]:
    read = yaml.safe_load(text("CITATION.cff"))
    assert isinstance(read, dict)
    return read


def metadata() -> Any:  # noqa: ANN401 - as build has it
    """The metadata that the wheel will have, by its own build backend."""
    from build.util import project_wheel_metadata

    return project_wheel_metadata(ROOT, isolated=False)


def test_the_wheel_has_the_version_that_the_program_tells(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from cite_lsp.cli import main

    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"cite-lsp {metadata()['Version']}\n"


def test_all_files_that_name_the_version_agree() -> None:
    newest = re.search(r"^## \[(\d\S*)\]", text("CHANGELOG.md"), re.MULTILINE)
    assert newest and newest[1] == __version__
    assert citation()["version"] == __version__
    if (ROOT / "editors").exists():
        assert json.loads(text("editors/vscode/package.json"))["version"] == __version__


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    headings = re.findall(r"^## (.*)$", text("CHANGELOG.md"), re.MULTILINE)
    dated = r"\[(\d+\.\d+\.\d+\S*)\] - (\d{4}-\d\d-\d\d|Unreleased)"
    assert all(heading == "[Unreleased]" or re.fullmatch(dated, heading) for heading in headings)
    kinds = set(re.findall(r"^### (.*)$", text("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_software_and_the_four_papers_can_be_cited() -> None:
    software = citation()
    assert software["cff-version"] == "1.2.0"
    assert software["license"] == metadata()["License-Expression"]
    assert all(software[field] for field in ("message", "title", "authors"))
    first = [paper["authors"][0]["family-names"] for paper in software["references"]]
    assert first == ["Tanaka", "Zhang", "Kieu", "Tang"]
    assert all(paper["title"] and paper["type"] for paper in software["references"])


def test_the_papers_name_the_recipes_that_follow_them() -> None:
    from cite_lsp.train.recipes import RECIPES

    named = " ".join(paper["notes"] for paper in citation()["references"])
    recipes = {"tanaka-phase1", "tanaka-phase2", "mp-bert4cr", "kieu", "blsrec"}
    assert recipes <= set(RECIPES)
    assert recipes <= set(re.findall(r"[\w-]*\w", named))


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_for_issues_asks_for_what_doctor_prints(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        assert form == {"blank_issues_enabled": True}
        return
    assert form["name"] and form["description"]
    fields = [field["id"] for field in form["body"] if field["type"] != "markdown"]
    assert len(fields) == len(set(fields)) and "doctor" in fields
    assert any(field.get("validations", {}).get("required") for field in form["body"])


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_to_files_and_headings(page: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", text(page))
    local = [link for link in links if not link.startswith("https://")]
    assert local
    for link in local:
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name if name else ROOT / page
        assert target.exists(), link
        if anchor:
            assert anchor in _anchors(target.read_text(encoding="utf-8")), link


def _anchors(page: str) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("target", ["demo", "test", "lint", "typecheck"])
def test_contributors_read_of_targets_that_exist(target: str) -> None:
    assert re.search(rf"^    make {target}\b", text("CONTRIBUTING.md"), re.MULTILINE)
    assert re.search(rf"^{target}:", text("Makefile"), re.MULTILINE)


def test_the_sdist_has_the_files_that_its_tests_read() -> None:
    import tomllib

    build = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["sdist"]
    needed = {f"/{page}" for page in PAGES if "/" not in page}
    needed |= {"/CITATION.cff", "/action.yml", "/.pre-commit-hooks.yaml", "/.github", "/docs"}
    assert needed <= set(build["include"])
