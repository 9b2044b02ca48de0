"""Nothing leaves the machine, and nothing is written but where docs/questions.md says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY
from tests.server.editor_session import Session

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the folders are those of Linux"
)

GUARD = Path(__file__).parent / "guard"
DRAFT = r"""\documentclass{article}
\title{Networks that Translate}
\begin{document}
\section{Introduction}
Translation needs attention alone \citep{vaswani2017attention}.
Deep residual networks are easy to optimise \citep{}.
Bidirectional transformers are pre-trained on large amounts of raw text.
深度学习在文本分类中取得了很好的效果。
\bibliography{refs}
\end{document}
"""
CHANGES = "open openat creat mkdir mkdirat rename renameat renameat2 link linkat symlink symlinkat"
"""The system calls by which something comes to be on the disk, or is opened to be changed."""
CHANGED = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|\b(?:creat|mkdir\w*|rename\w*|link\w*|symlink\w*)\(")
DEVICES = ("/dev/null", "/dev/tty")


@frozen
class Machine:
    """A home in which nothing stands yet, a project, and a folder for temporary files."""

    root: Path

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def project(self) -> Path:
        return self.root / "project"

    @property
    def scratch(self) -> Path:
        return self.root / "tmp"

    @property
    def folders(self) -> tuple[Path, Path]:
        """The two folders that `cite-lsp doctor` names."""
        return self.home / ".local" / "share" / "cite-lsp", self.home / ".cache" / "cite-lsp"

    @property
    def report(self) -> Path:
        return self.root / "report"

    @property
    def trace(self) -> Path:
        return self.root / "trace"

    def prepare(self) -> None:
        """Make the folders, with a draft and papers in the project."""
        for folder in (self.home, self.project, self.scratch):
            folder.mkdir(parents=True)
        (self.project / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
        (self.project / "draft.tex").write_text(DRAFT, encoding="utf-8")
        papers = [
            {"id": f"p{number}", "title": f"Tides {number}", "abstract": f"About shore {number}."}
            for number in range(8)
        ]
        papers.append({"id": "zh", "title": "潮汐沼泽的生长", "abstract": "关于潮汐沼泽。"})
        lines = [json.dumps(paper) for paper in papers]
        (self.project / "papers.jsonl").write_text("\n".join(lines), encoding="utf-8")

    def command(self, *arguments: object, **variables: str) -> tuple[str, ...]:
        """Return what runs `cite-lsp` under the guard, and under strace where it can be had."""
        folders = [*self.folders, self.project, self.scratch]
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.scratch),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(GUARD),
            "GUARD_REPORT": str(self.report),
            "GUARD_FOLDERS": os.pathsep.join(map(str, folders)),
            **variables,
        }
        # Of the environment of the tests nothing is passed on: it may say what the product must.
        values = [f"{name}={value}" for name, value in environment.items()]
        return (
            *("env", "-i", *values),
            *(traced(self.trace) if strace() else ()),
            *(sys.executable, "-m", "cite_lsp", *map(str, arguments)),
        )

    def run(self, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the project."""
        return subprocess.run(
            self.command(*arguments, **variables),
            cwd=self.project,
            capture_output=True,
            text=True,
            check=False,
        )

    def check(self) -> None:
        """Hold what was done against what docs/questions.md says."""
        assert self.report.read_text().splitlines() == [], "refused by the guard"
        strangers = [path for path in files_in(self.home) if not self.is_ours(path)]
        assert strangers == []
        assert list(files_in(self.scratch)) == [], "temporary files stay"
        if strace():
            lines = self.trace.read_text(errors="replace").splitlines()
            assert [line for line in lines if is_foreign(line)] == [], "sockets to elsewhere"
            assert [line for line in lines if self.strays(line)] == [], "files elsewhere"

    def strays(self, line: str) -> bool:
        """Whether a line of a trace changes something beyond the folders that are known."""
        return CHANGED.search(line) is not None and not all(
            path.startswith((str(self.root), *DEVICES)) or f"{os.sep}__pycache__" in path
            for path in re.findall(r'"(/[^"]*)"', line)
        )

    def is_ours(self, path: Path) -> bool:
        """Whether a path is in one of the two folders."""
        return any(path.is_relative_to(folder) for folder in self.folders)

    def uninstall(self) -> None:
        """Delete what docs/questions.md says."""
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)


def files_in(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if not path.is_dir())


def traced(log: Path) -> tuple[str, ...]:
    calls = ",".join(["network", *CHANGES.split()])
    return ("strace", "-f", "--seccomp-bpf", "-qq", "-A", "-e", f"trace={calls}", "-o", str(log))


@cache
def strace() -> bool:
    """Whether strace is installed and may be used."""
    if shutil.which("strace") is None:
        return False
    done = subprocess.run([*traced(Path(os.devnull)), "true"], capture_output=True, check=False)
    return done.returncode == 0


def is_foreign(line: str) -> bool:
    """Whether a line of a trace is of a socket that is neither a Unix socket nor on loopback."""
    made = re.search(r"\bsocket\((\w+)", line)
    if made:
        return made[1] not in ("AF_UNIX", "AF_INET", "AF_INET6")
    address = re.search(r"sa_family=(\w+)(.*)", line)
    if address is None or address[1] == "AF_UNIX":
        return False
    return not re.search(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"', address[2])


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.prepare()
    return made


async def test_a_session_of_the_server(machine: Machine) -> None:
    options = {"missing": {"hints": "onType"}}
    serve = machine.command("serve")
    async with Session(machine.project, command=serve, options=options) as session:
        draft = session.open("draft.tex", DRAFT)
        await session.ready()
        draft.at("to optimise \\citep{")
        assert "he2016resnet" in await draft.keys()
        at = draft.at("vaswani").position()
        hover = await session.client.text_document_hover_async(
            types.HoverParams(draft.identifier, at)
        )
        assert hover is not None
        draft.at("效果")
        draft.type("，注意力機制也是如此\\citep{")
        assert await draft.keys()
        draft.type("}")
        draft.save()
        actions = await draft.at("Bidirectional").actions()
        assert actions
        summary = await command(
            session, "citeLsp.index", [str(machine.project / "papers.jsonl")], {"corpus": "tides"}
        )
        assert summary["papers"] == 9
        await command(session, "citeLsp.missing", draft.uri)
        sentence = draft.at("Bidirectional").position()
        plain = {"line": sentence.line, "character": sentence.character}
        assert await command(session, "citeLsp.dismiss", draft.uri, plain, "devlin2019bert")
        await session.client.workspace_symbol_async(types.WorkspaceSymbolParams("tides"))
    machine.check()
    assert (machine.project / ".cite-lsp" / "dismissed.json").is_file()
    assert list(files_in(machine.folders[0])) and list(files_in(machine.folders[1]))
    machine.uninstall()
    assert list(files_in(machine.home)) == []


async def command(session: Session, name: str, *arguments: Any) -> Any:  # noqa: ANN401
    params = types.ExecuteCommandParams(name, list(arguments))
    return await session.client.workspace_execute_command_async(params)


def test_the_commands(machine: Machine) -> None:
    for arguments in (
        ("index", "papers.jsonl", "--corpus", "tides"),
        ("search", "tides", "--corpus", "tides"),
        ("suggest", "draft.tex"),
        ("check", "draft.tex"),
        ("drafts", "add", "."),
        ("corpora", "list"),
        ("models",),
        ("doctor",),
    ):
        done = machine.run(*arguments)
        assert done.returncode == (1 if arguments[0] == "check" else 0), done.stderr
        assert "guard" not in done.stderr
        machine.check()
    assert f"{machine.folders[0]} and {machine.folders[1]}" in done.stdout
    machine.uninstall()
    assert list(files_in(machine.home)) == []
