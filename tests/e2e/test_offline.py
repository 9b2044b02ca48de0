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

from tests.server.editor_session import BIBLIOGRAPHY, Session
from tests.train.encoder_task import write_task

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the folders are those of Linux"
)

GUARD = Path(__file__).parent / "guard"
ROOT = Path(__file__).parents[2]
DATA = {"corpora", "models"}
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
LOOPBACK = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::(?:1|ffff:127\.[\d.]+)"')
SYSTEM = ("/dev/null", "/dev/tty", "/dev/shm/sem.", "/var/lib/libuuid/clock.txt")
"""What is the system's: semaphores, and the clock by which it makes unique numbers."""


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
        data, cache = self.folders
        assert names_in(data) <= DATA and names_in(cache) <= documented_caches()
        assert list(self.scratch.iterdir()) == [], "temporary files stay"
        if strace():
            lines = self.trace.read_text(errors="replace").splitlines()
            assert [line for line in lines if is_foreign(line)] == [], "sockets to elsewhere"
            assert [line for line in lines if self.strays(line)] == [], "files elsewhere"

    def strays(self, line: str) -> bool:
        """Whether a line of a trace changes something beyond the folders that are known."""
        return CHANGED.search(line) is not None and not all(
            path.startswith((str(self.root), *SYSTEM)) or f"{os.sep}__pycache__" in path
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


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def documented_caches() -> set[str]:
    """Return the folders in the cache folder that docs/questions.md names."""
    text = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    return {name for row in re.findall(r"^\| (`.*?) \|", text, re.M) for name in ticked(row)}


def ticked(text: str) -> list[str]:
    return re.findall(r"`([\w-]+)`", text)


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
    return LOOPBACK.search(address[2]) is None


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


async def test_a_session_of_a_writing_assistant(machine: Machine) -> None:
    mcp = pytest.importorskip("mcp", reason="needs the mcp extra")
    program, *arguments = machine.command("mcp")
    process = mcp.StdioServerParameters(command=program, args=arguments, cwd=machine.project)
    async with mcp.Client(process) as client:
        for tool, given in (
            ("suggest", {"draft": "draft.tex", "line": 6}),
            ("check", {"files": ["draft.tex"]}),
            ("add_entry", {"draft": "draft.tex", "work": "vaswani2017attention"}),
        ):
            result = await client.call_tool(tool, given)
            assert not result.is_error, result.content
    machine.check()


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


@pytest.mark.torch
@pytest.mark.slow
def test_an_encoder_that_torch_runs(machine: Machine, tiny_checkpoint: Path) -> None:
    index = ("index", "papers.jsonl", "--corpus", "tides", "--encoder", tiny_checkpoint)
    done = machine.run(*index, CITE_LSP_DEVICE="cpu")
    assert done.returncode == 0, done.stderr
    machine.check()


@pytest.mark.torch
@pytest.mark.slow
def test_training(machine: Machine, tiny_checkpoint: Path) -> None:
    pytest.importorskip("onnx", reason="needs the train extra")
    paths = write_task(machine.project)
    data = ("--papers", paths["papers"], "--contexts", paths["train"], "--dev", paths["dev"])
    made = ("--base", tiny_checkpoint, "--out", "mine", "--batch", 8, "--epochs", 1)
    done = machine.run("train", "tanaka-phase1", *data, *made, CITE_LSP_DEVICE="cpu")
    assert done.returncode == 0, done.stderr
    machine.check()


@pytest.mark.slow
def test_a_remote_corpus_that_is_a_file(machine: Machine) -> None:
    pytest.importorskip("milvus_lite", reason="needs Milvus Lite")
    engine = ("--engine", "milvus", "--uri", "tides.db", "--encoder", "static")
    done = machine.run("index", "papers.jsonl", "--corpus", "tides", *engine)
    assert done.returncode == 0, done.stderr
    machine.check()


@pytest.mark.parametrize(
    ("line", "foreign"),
    [
        ("socket(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0) = 3", False),
        (
            'connect(3, {sa_family=AF_INET, sin_addr=inet_addr("127.0.0.1")}, 16) = 0',
            False,
        ),
        ('bind(3, {sa_family=AF_INET6, inet_pton(AF_INET6, "::1", &sin6_addr)}, 28) = 0', False),
        (
            'connect(3, {sa_family=AF_INET, sin_addr=inet_addr("10.0.0.2")}, 16) = 0',
            True,
        ),
        ('bind(3, {sa_family=AF_INET6, inet_pton(AF_INET6, "::", &sin6_addr)}, 28) = 0', True),
        ("socket(AF_NETLINK, SOCK_RAW|SOCK_CLOEXEC, NETLINK_ROUTE) = 3", True),
    ],
)
def test_a_socket_to_elsewhere_is_seen_in_a_trace(line: str, foreign: bool) -> None:
    assert is_foreign(line) is foreign


@pytest.mark.parametrize(
    ("line", "strays"),
    [
        ('openat(AT_FDCWD, "/etc/hosts", O_RDONLY|O_CLOEXEC) = 3', False),
        ('openat(AT_FDCWD, "/venv/__pycache__/x.pyc.1", O_WRONLY|O_CREAT, 0644) = 3', False),
        ('openat(AT_FDCWD, "ROOT/home/x", O_WRONLY|O_CREAT, 0644) = 3', False),
        ('openat(AT_FDCWD, "/tmp/jieba.cache", O_RDWR|O_CREAT|O_EXCL, 0600) = 3', True),
        ('rename("ROOT/tmp/x", "/var/tmp/x") = 0', True),
        ('mkdir("/tmp/torchinductor_ada", 0777) = 0', True),
    ],
)
def test_a_file_elsewhere_is_seen_in_a_trace(machine: Machine, line: str, strays: bool) -> None:
    assert machine.strays(line.replace("ROOT", str(machine.root))) is strays


@pytest.mark.parametrize(
    "program",
    [
        "open('/var/tmp/guarded', 'w')",
        "import os; os.mkdir(os.path.expanduser('~/.cache/other'))",
        "import sqlite3; sqlite3.connect('/var/tmp/guarded.sqlite')",
        "import socket; socket.getaddrinfo('example.org', 443)",
        "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)",
    ],
)
def test_the_guard_refuses_and_reports(machine: Machine, program: str) -> None:
    command = machine.command()
    done = subprocess.run([*command[:-2], "-c", program], capture_output=True, text=True)
    assert "the guard refuses" in done.stderr
    assert len(machine.report.read_text().splitlines()) == 1


def test_every_cache_of_the_source_is_documented() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "cite_lsp").rglob("*.py")]
    named = re.findall(r'cache_folder\(\) / (?:"([\w-]+)"|name)', "".join(sources))
    assert len(named) > 5
    assert {name for name in named if name} | {"torch", "cuda"} <= documented_caches()
