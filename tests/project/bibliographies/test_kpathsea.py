from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.project.bibliographies import kpathsea
from cite_lsp.project.project import ProjectCache
from cite_lsp.storage.caches import LastUsed

Write = Callable[..., Path]
LONGEST = 240.0
"""Seconds after which a wait is given up; no test takes them where all is well."""
DRAFT = "\\documentclass{article}\n\\begin{document}\n\\bibliography{tugboat}\n\\end{document}\n"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a shell script")


@pytest.fixture
def program(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Install a stand-in for `kpsewhich`: a shell script."""

    def install(script: str) -> None:
        write("bin/kpsewhich", f"#!/bin/sh\n{script}\n").chmod(0o755)

    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(kpathsea, "_searches", LastUsed(64))
    return install


def bibliographies(write: Write, patience: float = LONGEST) -> tuple[Path, ...]:
    draft = write("work/draft.tex", DRAFT)
    project = ProjectCache(patience=patience).open(draft, Path.read_text, draft.parent)
    return project.bibliographies


def typed(name: str, folder: Path, rounds: int = 1) -> list[Path | None]:
    """Ask for every beginning of a name as a server does, each so many times."""
    answers = []
    for end in range(1, len(name) + 1):
        for _ in range(rounds):
            answers.append(kpathsea.kpathsea(f"{name[:end]}.bib", folder, 0))
    return answers


def test_a_bibliography_of_the_tex_installation_is_found(
    write: Write, program: Callable[[str], None], tmp_path: Path
) -> None:
    installed = write("texmf/tugboat.bib", "@misc{a, title={A}}")
    program(f'[ "$3" = tugboat.bib ] && echo {installed}')
    assert bibliographies(write) == (installed,)


def test_a_bibliography_is_looked_for_from_the_folder_of_the_draft(
    write: Write, program: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As TeX finds Tugboat.bib under the name tugboat.bib where it is run, wherever we are."""
    own = write("work/Tugboat.bib", "@misc{a, title={A}}")
    write("elsewhere/Tugboat.bib", "@misc{b, title={B}}")
    program("[ -e Tugboat.bib ] && echo ./Tugboat.bib")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert bibliographies(write) == (own,)
    own.unlink()
    monkeypatch.setattr(kpathsea, "_searches", LastUsed(64))
    assert bibliographies(write) == (tmp_path / "work" / "tugboat.bib",)


def test_a_file_in_the_folder_of_the_draft_does_not_come_with_tex(
    program: Callable[[str], None], tmp_path: Path
) -> None:
    program("echo ./Chapter.tex")
    assert kpathsea.has_tex_file("chapter", tmp_path) is False
    program(f"echo {tmp_path / 'texmf' / 'chapter.tex'}")
    assert kpathsea.has_tex_file("chapter", tmp_path) is True


def test_whether_a_file_comes_with_tex_is_not_known_where_the_program_cannot_run(
    program: Callable[[str], None], tmp_path: Path
) -> None:
    program("exit 0")
    assert kpathsea.has_tex_file("chapter", tmp_path) is False
    assert kpathsea.has_tex_file("chapter", tmp_path / "none") is None


def test_kpathsea_is_not_run_for_one_in_the_folder(
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
    write: Write,
    program: Callable[[str], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed = write("texmf/tugboat.bib", "@misc{a, title={A}}")
    release, running = tmp_path / "release", tmp_path / "running"
    monkeypatch.setattr(kpathsea, "_LIMIT", LONGEST)
    program(f"echo $$ > {running}; until [ -e {release} ]; do sleep 0.05; done; echo {installed}")
    until = time.monotonic() + LONGEST
    try:
        assert bibliographies(write, 0.01)[0].parent.name == "work"
        while not (running.exists() and running.read_text()):
            assert time.monotonic() < until
            time.sleep(0.05)
        os.kill(int(running.read_text()), 0)  # it runs still
    finally:
        release.touch()
    while bibliographies(write, 0.01) != (installed,):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_who_asks_once_waits_for_a_slow_disk(write: Write, program: Callable[[str], None]) -> None:
    installed = write("texmf/tugboat.bib", "@misc{a, title={A}}")
    program(f"sleep 0.6; echo {installed}")
    assert bibliographies(write, kpathsea.PATIENCE) == (installed,)


def test_no_letter_of_a_name_waits_or_starts_the_program(
    program: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(f"echo $3 >> {tmp_path / 'asked'}")
    now, waits = 0.0, list[float | None]()

    def passing() -> float:
        nonlocal now
        now += 0.01  # three questions for a name take a tenth of a second
        return now

    def wait(event: threading.Event, seconds: float | None = None) -> bool:
        waits.append(seconds)
        return event.is_set()

    with monkeypatch.context() as patches:
        patches.setattr(time, "monotonic", passing)
        patches.setattr(threading.Event, "wait", wait)
        assert typed("references", tmp_path, rounds=3) == [None] * 30
    assert waits == [] and not (tmp_path / "asked").exists()


def test_a_name_that_has_rested_is_looked_for_once(
    write: Write, program: Callable[[str], None], tmp_path: Path
) -> None:
    installed = write("texmf/tugboat.bib", "@misc{a, title={A}}")
    program(f"echo $3 >> {tmp_path / 'asked'}; echo {installed}")
    typed("tugboat", tmp_path / "work")
    until = time.monotonic() + LONGEST
    while bibliographies(write, 0) != (installed,):
        assert time.monotonic() < until
        time.sleep(0.05)
    assert (tmp_path / "asked").read_text() == "tugboat.bib\n"


def test_who_does_not_wait_learns_when_to_ask_again(
    program: Callable[[str], None], tmp_path: Path
) -> None:
    program("exit 1")
    assert kpathsea.awaited("refs.bib", tmp_path) is None
    until = time.monotonic() + LONGEST
    kpathsea.kpathsea("refs.bib", tmp_path, 0)
    attempts = 1
    while (after := kpathsea.awaited("refs.bib", tmp_path)) is not None:
        assert 0.1 < after < 1 and time.monotonic() < until
        time.sleep(after)
        kpathsea.kpathsea("refs.bib", tmp_path, 0)
        attempts += 1
    assert attempts >= 2


@pytest.mark.parametrize(("is_installed", "seconds"), [(True, 600), (False, 60)])
def test_an_answer_is_looked_for_anew_after_a_while(
    write: Write,
    program: Callable[[str], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_installed: bool,
    seconds: int,
) -> None:
    installed = write("texmf/refs.bib", "@misc{a, title={A}}")
    program(
        f"echo again >> {tmp_path / 'asked'}; {f'echo {installed}' if is_installed else 'exit 1'}"
    )
    now, passed = time.monotonic, 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now() + passed)
    expected = installed if is_installed else None
    assert kpathsea.kpathsea("refs.bib", tmp_path, LONGEST) == expected
    passed = seconds - 10
    assert kpathsea.kpathsea("refs.bib", tmp_path, LONGEST) == expected
    assert (tmp_path / "asked").read_text() == "again\n"
    passed = seconds + 10
    assert kpathsea.kpathsea("refs.bib", tmp_path, 0) == expected  # as before, until it is known
    assert kpathsea.kpathsea("refs.bib", tmp_path, LONGEST) == expected
    assert (tmp_path / "asked").read_text() == "again\nagain\n"


def test_few_of_the_names_that_were_typed_are_cached(
    program: Callable[[str], None], tmp_path: Path
) -> None:
    program("exit 1")
    typed("a" * 100, tmp_path)
    assert kpathsea.awaited("a.bib", tmp_path) is None
    assert kpathsea.awaited("a" * 100 + ".bib", tmp_path) is not None


def test_a_program_that_fails_is_no_harm(write: Write, program: Callable[[str], None]) -> None:
    program("echo no such thing; exit 3")
    assert bibliographies(write)[0].parent.name == "work"


@pytest.mark.parametrize("path", [".", "", "bin"])
def test_a_program_that_came_with_the_draft_is_not_run(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(kpathsea, "_searches", LastUsed(64))
    for name in ("work/kpsewhich", "work/bin/kpsewhich"):
        write(name, f"#!/bin/sh\ntouch {tmp_path / 'run'}\n").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((path, "/usr/bin", "/bin")))
    monkeypatch.chdir(tmp_path / "work")
    bibliographies(write)
    assert not (tmp_path / "run").exists()


def test_a_name_is_no_option_of_the_program(
    write: Write, program: Callable[[str], None], tmp_path: Path
) -> None:
    calls = tmp_path / "calls"
    program(f'echo "$@" >> {calls}')
    draft = write("work/draft.tex", DRAFT.replace("tugboat", "-var-value=HOME"))
    ProjectCache(patience=LONGEST).open(draft, Path.read_text, draft.parent)
    calls_made = calls.read_text().splitlines()
    assert calls_made
    for call in calls_made:
        before, _, name = call.partition(" -- ")
        assert name.startswith("-var-value=HOME") and before == "-format=bib"
