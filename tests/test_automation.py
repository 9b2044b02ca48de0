"""The hook for pre-commit, the action and the workflows: their command lines do what they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from cite_lsp import __version__
from cite_lsp.cli import build_parser
from cite_lsp.manuscript.parse import format_of

ROOT = Path(__file__).parents[1]
HOOKS, ACTION = ROOT / ".pre-commit-hooks.yaml", ROOT / "action.yml"
WORKFLOWS = ROOT / ".github" / "workflows"
if not (HOOKS.exists() and ACTION.exists() and WORKFLOWS.exists()):
    pytest.skip("the files of the repository are not part of this copy", allow_module_level=True)

Step = dict[str, Any]
BIBLIOGRAPHY = "@book{gulls, title = {Gulls}, author = {Moor, Ada}, year = 2001}\n"
DRAFT = r"""\documentclass{article}
\begin{document}
Gulls nest here \cite{%s}.
\bibliography{refs}
\end{document}
"""


def read(path: Path) -> Any:  # noqa: ANN401 - whatever YAML holds
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def jobs(name: str) -> dict[str, Any]:
    declared: dict[str, Any] = read(WORKFLOWS / f"{name}.yml")["jobs"]
    return declared


def all_steps() -> Iterator[tuple[str, Step]]:
    yield from (("action", step) for step in read(ACTION)["runs"]["steps"])
    for path in sorted(WORKFLOWS.glob("*.yml")):
        for name, job in read(path)["jobs"].items():
            yield from ((f"{path.stem}/{name}", step) for step in job["steps"])


def named(steps: list[Step], name: str) -> Step:
    (step,) = [step for step in steps if step.get("name") == name]
    return step


def run_step(
    step: Step, folder: Path, values: dict[str, str], **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the lines of a step as a runner does; `values` stand for its expressions."""
    given = {
        name: re.sub(r"\$\{\{\s*(\S+)\s*\}\}", lambda expression: values[expression[1]], text)
        for name, text in step.get("env", {}).items()
    }
    script = folder / "step.sh"
    script.write_text(step["run"], encoding="utf-8")
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        cwd=folder,
        env={**os.environ, "RUNNER_TEMP": str(folder), **given, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a draft that cites a key which its bibliography has not."""
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "paper.tex").write_text(DRAFT % "terns", encoding="utf-8")
    (folder / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    return folder


# What can be read from the files


@pytest.mark.parametrize(("place", "step"), list(all_steps()))
def test_a_step_names_an_action_with_its_version_or_lines_that_bash_reads(
    place: str, step: Step, tmp_path: Path
) -> None:
    if "uses" in step:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@(v\d+(\.\d+)*|release/v\d+)", step["uses"])
        return
    assert step.get("shell") == "bash" or place != "action", "an action has to name its shell"
    assert "${{" not in step["run"], "what comes from outside is handed over in env"
    done = subprocess.run(["bash", "-n"], input=step["run"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", sorted(WORKFLOWS.glob("*.yml")), ids=lambda path: path.stem)
def test_a_workflow_may_only_read_unless_a_job_says_more_and_ends_in_time(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert all(job["timeout-minutes"] for job in workflow["jobs"].values())


@pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="the checks are not part of this copy")
def test_every_change_is_checked_by_the_script_that_developers_have() -> None:
    steps = jobs("ci")["everything"]["steps"]
    assert (ROOT / named(steps, "Run everything")["run"]).exists()


@pytest.mark.parametrize(
    ("job", "variable"), [("package", "PUBLISH_PACKAGE"), ("extension", "PUBLISH_EXTENSION")]
)
def test_nothing_is_published_unless_a_variable_says_so(job: str, variable: str) -> None:
    assert jobs("release")[job]["if"] == f"vars.{variable} == 'true'"
    assert jobs("release")[job]["needs"] == "release"


# The hook


def hook() -> dict[str, Any]:
    (declared,) = read(HOOKS)
    assert isinstance(declared, dict)
    return declared


def commit_is_stopped(project: Path) -> tuple[int, str]:
    """Do what pre-commit does with the hook: run it on the staged files that it wants."""
    staged = subprocess.run(
        ["git", "diff", "--staged", "--name-only", "-z"],
        cwd=project,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    files = [name for name in staged if name and re.search(hook()["files"], name)]
    program, *rest = shlex.split(hook()["entry"])
    assert program == "cite-lsp"
    done = subprocess.run(
        [sys.executable, "-m", "cite_lsp", *rest, *hook()["args"], *files],
        cwd=project,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout


def test_the_hook_stops_a_commit_that_cites_an_unknown_key_and_no_other(project: Path) -> None:
    (project / "picture.png").write_bytes(b"\x89PNG")
    (project / "drafts with blanks").mkdir()
    other = project / "drafts with blanks" / "notes.md"
    other.write_text("---\nbibliography: ../refs.bib\n---\nGulls [@gulls].\n", encoding="utf-8")
    for arguments in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", *arguments], cwd=project, check=True)
    status, printed = commit_is_stopped(project)
    assert status == 1
    assert printed.startswith("paper.tex:3:23: warning: ") and "terns" in printed
    assert len(printed.splitlines()) == 1

    (project / "paper.tex").write_text(DRAFT % "gulls", encoding="utf-8")
    assert commit_is_stopped(project) == (0, "")


def test_the_hook_takes_the_files_that_check_takes() -> None:
    suffixes = ["tex", "Rnw", "md", "qmd", "Rmd", "typ", "org", "bib", "ltx", "mdx", "TEX"]
    suffixes += ["latex", "markdown", "mdown", "txt", "pdf", "texi", "py", "json", "yaml", "bbl"]
    for suffix in suffixes:
        wanted = format_of(Path(f"draft.{suffix}")) is not None or suffix == "bib"
        assert bool(re.search(hook()["files"], f"a/draft.{suffix}")) == wanted, suffix


# The action


def action_steps() -> list[Step]:
    steps: list[Step] = read(ACTION)["runs"]["steps"]
    return steps


Check = Callable[..., tuple[subprocess.CompletedProcess[str], dict[str, str]]]


@pytest.fixture
def check(project: Path) -> Check:
    """Runs the step that checks; returns what it printed and its outputs."""

    def run(
        files: str, arguments: str = "--only unknown-key"
    ) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
        output = project / "output"
        output.write_text("", encoding="utf-8")
        values = {
            "steps.install.outputs.python": sys.executable,
            "inputs.files": files,
            "inputs.arguments": arguments,
        }
        done = run_step(named(action_steps(), "Check"), project, values, GITHUB_OUTPUT=str(output))
        lines = output.read_text(encoding="utf-8").splitlines()
        return done, dict(line.split("=", 1) for line in lines)

    return run


def test_the_action_reports_findings_as_sarif_and_in_its_log(check: Check) -> None:
    done, outputs = check("paper.tex\n\nrefs.bib\n")
    assert done.returncode == 0, done.stderr
    assert outputs["findings"] == "1"
    report = json.loads(Path(outputs["sarif"]).read_text(encoding="utf-8"))
    assert [result["ruleId"] for result in report["runs"][0]["results"]] == ["unknown-key"]
    assert re.search(r"^paper\.tex:3: .*terns.* \[unknown-key\]$", done.stderr, re.MULTILINE)


def test_the_action_leaves_patterns_and_blanks_in_names_to_the_program(
    check: Check, project: Path
) -> None:
    (project / "my notes.md").write_text(
        "---\nbibliography: refs.bib\n---\nAuks [@auks].\n", encoding="utf-8"
    )
    done, outputs = check("my notes.md\n*.tex\n")
    assert (done.returncode, outputs["findings"]) == (0, "2"), done.stderr


def test_the_action_reports_that_nothing_was_found(check: Check, project: Path) -> None:
    (project / "paper.tex").write_text(DRAFT % "gulls", encoding="utf-8")
    done, outputs = check("paper.tex")
    assert (done.returncode, outputs["findings"]) == (0, "0"), done.stderr


@pytest.mark.parametrize(
    ("files", "arguments", "status"),
    [
        ("gone.tex", "", 1),
        ("paper.tex", "--nonsense", 2),
        ("paper.tex", "--only unknown-ke?", 2),  # which no file of that name may stand for
        ("", "", 2),
    ],
)
def test_the_action_fails_at_once_where_nothing_can_be_checked(
    check: Check, project: Path, files: str, arguments: str, status: int
) -> None:
    (project / "unknown-key").touch()
    done, outputs = check(files, arguments)
    assert (done.returncode, outputs) == (status, {})
    assert done.stderr


@pytest.mark.parametrize(("findings", "status"), [("0", 0), ("3", 1)])
def test_the_action_fails_the_job_by_its_findings(
    tmp_path: Path, findings: str, status: int
) -> None:
    step = named(action_steps(), "Fail if something was found")
    done = run_step(step, tmp_path, {"steps.check.outputs.findings": findings})
    assert done.returncode == status
    assert bool(done.stderr) == bool(status)


@pytest.mark.parametrize("programs", ["bin", "Scripts"])
def test_the_action_installs_itself_into_an_environment_of_its_own(
    tmp_path: Path, programs: str
) -> None:
    # Installing takes minutes and a network; here, what would be done is written down.
    fake, output, calls = tmp_path / "python", tmp_path / "output", tmp_path / "calls"
    inner = f"#!/bin/sh\necho \"$@\" >>'{calls}'\n"
    (tmp_path / "inner").write_text(inner, encoding="utf-8")
    fake.write_text(
        f'#!/bin/sh\nmkdir -p "$3/{programs}"\ncp "$(dirname "$0")/inner" "$3/{programs}/python"\n'
        f'chmod +x "$3/{programs}/python"\n',
        encoding="utf-8",
    )
    fake.chmod(0o755)
    done = run_step(
        named(action_steps(), "Install cite-lsp"),
        tmp_path,
        {"steps.python.outputs.python-path": str(fake)},
        GITHUB_ACTION_PATH="the checkout",
        GITHUB_OUTPUT=str(output),
    )
    assert done.returncode == 0, done.stderr
    assert output.read_text() == f"python={tmp_path}/cite-lsp/{programs}/python\n"
    assert calls.read_text().startswith("-m pip install ")
    assert calls.read_text().endswith(" the checkout\n")


# The release


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A checkout whose versions are all 1.2.3, ready to be released."""
    (tmp_path / "CITATION.cff").write_text(
        _with_version(ROOT / "CITATION.cff", "version: ", "1.2.3"), encoding="utf-8"
    )
    package = tmp_path / "editors" / "vscode" / "package.json"
    package.parent.mkdir(parents=True)
    package.write_text(
        _with_version(ROOT / "editors/vscode/package.json", '"version": "', "1.2.3"),
        encoding="utf-8",
    )
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [1.2.3] - 2031-02-03\n\nNew gulls.\n\n## [1.2.2] - 2030-01-01\n\nOld.\n",
        encoding="utf-8",
    )
    program = tmp_path / "bin" / "cite-lsp"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho cite-lsp 1.2.3\n", encoding="utf-8")
    program.chmod(0o755)
    return tmp_path


def _with_version(path: Path, before: str, version: str) -> str:
    text = path.read_text(encoding="utf-8")
    assert f"{before}{__version__}" in text, "a file that the release compares has no version"
    return text.replace(f"{before}{__version__}", f"{before}{version}", 1)


def release_step(name: str, release: Path, tag: str) -> subprocess.CompletedProcess[str]:
    return run_step(
        named(jobs("release")["build"]["steps"], name),
        release,
        {},
        GITHUB_REF_NAME=tag,
        PATH=f"{release / 'bin'}{os.pathsep}{os.environ['PATH']}",
    )


COMPARE = "Compare the tag with the versions"


@pytest.mark.skipif(not (ROOT / "editors").exists(), reason="the editors are not part of this copy")
def test_a_tag_is_released_if_it_is_the_version_everywhere(release: Path) -> None:
    done = release_step(COMPARE, release, "v1.2.3")
    assert (done.returncode, done.stderr) == (0, "")
    assert release_step(COMPARE, release, "v1.2.4").returncode == 1


@pytest.mark.skipif(not (ROOT / "editors").exists(), reason="the editors are not part of this copy")
@pytest.mark.parametrize(
    ("file", "right", "wrong", "said"),
    [
        ("bin/cite-lsp", "1.2.3", "1.2.2", "the wheel"),
        ("CITATION.cff", "version: 1.2.3", "version: 1.2.2", "CITATION.cff"),
        ("editors/vscode/package.json", '"1.2.3"', '"1.2.30"', "package.json"),
        ("CHANGELOG.md", "2031-02-03", "Unreleased", "CHANGELOG.md"),
    ],
)
def test_a_release_is_refused_by_what_has_another_version(
    release: Path, file: str, right: str, wrong: str, said: str
) -> None:
    path = release / file
    path.write_text(path.read_text(encoding="utf-8").replace(right, wrong), encoding="utf-8")
    done = release_step(COMPARE, release, "v1.2.3")
    assert done.returncode == 1
    assert said in done.stderr


@pytest.mark.skipif(not (ROOT / "editors").exists(), reason="the editors are not part of this copy")
def test_the_notes_of_a_release_are_its_part_of_the_changelog(release: Path) -> None:
    done = release_step("Take the notes from the changelog", release, "v1.2.3")
    assert done.returncode == 0, done.stderr
    assert (release / "notes.md").read_text(encoding="utf-8").split() == ["New", "gulls."]
    assert release_step("Take the notes from the changelog", release, "v1.2.4").returncode == 1


# The page that explains them

PAGE = ROOT / "docs" / "automation.md"


def test_the_examples_of_the_page_name_what_there_is() -> None:
    text = PAGE.read_text(encoding="utf-8")
    hooks, workflow = map(yaml.safe_load, re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S))
    (repository,) = hooks["repos"]
    assert [entry["id"] for entry in repository["hooks"]] == [hook()["id"]]

    inputs = read(ACTION)["inputs"]
    step = workflow["jobs"]["check"]["steps"][-1]
    assert set(step["with"]) <= set(inputs)
    assert set(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)) == set(inputs)
    assert {repository["rev"], step["uses"].rpartition("@")[2]} == {f"v{__version__}"}
    # The options in the examples are those of the command.
    for arguments in (step["with"]["arguments"].split(), hook()["args"]):
        build_parser().parse_args(["check", *arguments, "paper.tex"])
