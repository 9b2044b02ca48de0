from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.library import kpathsea, open_project

Write = Callable[..., Path]
DRAFT = "\\documentclass{article}\n\\begin{document}\n\\bibliography{tugboat}\n\\end{document}\n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")


@pytest.fixture
def program(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Install a stand-in for `kpsewhich`: a shell script."""

    def install(script: str) -> None:
        write("bin/kpsewhich", f"#!/bin/sh\n{script}\n").chmod(0o755)

    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(kpathsea, "_searches", {})
    monkeypatch.setattr(kpathsea, "_PATIENCE", 5.0)
    return install


def bibliographies(write: Write) -> tuple[Path, ...]:
    draft = write("work/draft.tex", DRAFT)
    return open_project(draft, read=Path.read_text, workspace=draft.parent).bibliographies


def test_a_bibliography_of_the_tex_installation_is_found(
    write: Write, program: Callable[[str], None], tmp_path: Path
) -> None:
    installed = write("texmf/tugboat.bib", "@misc{a, title={A}}")
    program(f'[ "$3" = tugboat.bib ] && echo {installed}')
    assert bibliographies(write) == (installed,)


def test_one_in_the_folder_is_not_asked_for(
    write: Write, program: Callable[[str], None], tmp_path: Path
) -> None:
    program(f"touch {tmp_path / 'asked'}")
    own = write("work/tugboat.bib", "@misc{a, title={A}}")
    assert bibliographies(write) == (own,) and not (tmp_path / "asked").exists()


def test_an_answer_is_remembered(
    write: Write, program: Callable[[str], None], tmp_path: Path
) -> None:
    program(f"echo again >> {tmp_path / 'asked'}")
    for _ in range(3):
        assert bibliographies(write) == (tmp_path / "work" / "tugboat.bib",)
    assert (tmp_path / "asked").read_text() == "again\n"


def test_a_slow_program_is_not_waited_for(
    write: Write, program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = write("texmf/tugboat.bib", "@misc{a, title={A}}")
    program(f"sleep 0.6; echo {installed}")
    monkeypatch.setattr(kpathsea, "_PATIENCE", 0.01)
    started = time.monotonic()
    assert bibliographies(write)[0].parent.name == "work"
    assert time.monotonic() - started < 0.5
    until = time.monotonic() + 10
    while bibliographies(write) != (installed,):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_program_that_fails_is_no_harm(write: Write, program: Callable[[str], None]) -> None:
    program("echo no such thing; exit 3")
    assert bibliographies(write)[0].parent.name == "work"


@pytest.mark.parametrize("path", [".", "", "bin"])
def test_a_program_that_came_with_the_draft_is_not_run(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(kpathsea, "_searches", {})
    monkeypatch.setattr(kpathsea, "_PATIENCE", 5.0)
    for name in ("work/kpsewhich", "work/bin/kpsewhich"):
        write(name, f"#!/bin/sh\ntouch {tmp_path / 'run'}\n").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((path, "/usr/bin", "/bin")))
    monkeypatch.chdir(tmp_path / "work")
    bibliographies(write)
    assert not (tmp_path / "run").exists()
