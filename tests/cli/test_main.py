"""The command line as a whole: statuses, where things are printed, and no traceback."""

from __future__ import annotations

import gc
import io
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from cite_lsp import __version__, cli
from cite_lsp.cli import COMMANDS, models_command
from cite_lsp.cli.printing.output import Progress
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]


def test_garbage_is_collected_while_a_command_runs(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models_command, "run", lambda options: 0 if gc.isenabled() else 1)
    assert command("models").status == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(command: Command, name: str) -> None:
    outcome = command(name, "--help")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"usage: cite-lsp {name}")


def test_the_version_is_that_of_the_package(command: Command) -> None:
    assert command("--version").out == f"cite-lsp {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["suggest"],
        ["suggest", "draft.tex", "-k", "none"],
        ["suggest", "draft.tex", "-k", "0"],
        ["search", "tides", "-k", "-1"],
        ["index", "refs.bib", "--engine", "abacus"],
        ["index", "refs.bib", "--max-tokens", "0"],
        ["eval"],
        ["eval", "local"],
        ["eval", "local", "--papers", "p", "--contexts", "c", "--system", "magic"],
        ["eval", "bilingual", "--papers", "p", "--contexts", "c", "--seed", "4294967296"],
        ["train", "kieu", "--contexts", "c", "--out", "o", "--seed", "-1"],
        ["train", "kieu", "--contexts", "c", "--out", "o", "--learning-rate", "0"],
        ["train", "kieu", "--contexts", "c", "--out", "o", "--learning-rate", "nan"],
        ["train", "nonsense", "--papers", "p", "--contexts", "c", "--dev", "d", "--out", "o"],
        ["serve", "--tcp", "nowhere"],
    ],
)
def test_wrong_usage_is_status_2_and_prints_no_result(
    command: Command, arguments: list[str]
) -> None:
    outcome = command(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("usage: cite-lsp")


@pytest.mark.parametrize("name", ["search", "doctor", "check"])
def test_an_option_that_a_command_lacks_is_reported_beside_those_that_it_has(
    command: Command, name: str
) -> None:
    outcome = command(name, "draft.tex", "--jsno")
    assert outcome.status == 2
    assert outcome.err.startswith(f"usage: cite-lsp {name} [-h]")
    assert f"cite-lsp {name}: error: unrecognized arguments: " in outcome.err


def test_help_is_printed_whatever_the_locale_can_write(desk: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cite_lsp", "corpora", "--help"],
        env={
            "PYTHONIOENCODING": "latin-1",
            "PATH": "",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        },
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "check [NAME…]" in done.stdout.decode("utf-8")


def test_as_a_process_results_go_to_stdout_and_all_else_to_stderr(desk: Path) -> None:
    (desk / "names.jsonl").write_text(
        json.dumps({"id": "z", "title": "潮滩的生长"}) + "\noops\n", encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "cite_lsp", "index", "names.jsonl", "--json"],
        cwd=desk,
        env={"CITE_LSP_HOME": str(desk / "home"), "PYTHONIOENCODING": "ascii", "PATH": ""}
        | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["papers"], summary["bad_records"]) == (1, 1)
    assert b"names.jsonl:2: not JSON" in done.stderr
    outcome = subprocess.run(
        [sys.executable, "-m", "cite_lsp", "search", "潮滩"],
        cwd=desk,
        env={"CITE_LSP_HOME": str(desk / "home"), "PYTHONIOENCODING": "ascii", "PATH": ""}
        | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
    )
    assert outcome.returncode == 0, outcome.stderr
    assert "潮滩的生长" in outcome.stdout.decode("utf-8")


def test_a_reader_who_leaves_early_gets_no_traceback(desk: Path) -> None:
    program = f"{sys.executable} -m cite_lsp doctor --json | head -c 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", program],
        env={"CITE_LSP_HOME": str(desk / "home"), "PATH": "/usr/bin:/bin"}
        | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


@pytest.mark.parametrize(
    ("command", "before", "threads"),
    [("suggest", {}, "1"), ("suggest", {"OPENBLAS_NUM_THREADS": "3"}, "3"), ("index", {}, "None")],
)
def test_commands_that_rank_multiply_on_a_single_thread_unless_set_otherwise(
    command: str, before: dict[str, str], threads: str
) -> None:
    script = f"""import os
from cite_lsp import cli
def show(name):
    print(os.getenv("OPENBLAS_NUM_THREADS"))
    raise SystemExit
cli.importlib.import_module = show
cli.main(["{command}", "x"])"""
    environment = {name: value for name, value in os.environ.items() if "OPENBLAS" not in name}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment | before,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [threads]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["corpora"], ["corpora", "--json"], ["doctor"]])
def test_results_for_which_there_is_no_room_are_one_clear_error(
    desk: Path, arguments: list[str]
) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cite_lsp", *arguments],
            env={"CITE_LSP_HOME": str(desk / "home"), "PATH": ""}
            | {"PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    *_, last = done.stderr.splitlines()
    assert (done.returncode, last) == (1, "cite-lsp: No space left on device; make room")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_server_without_a_wire_is_one_clear_error(desk: Path, closed: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m cite_lsp serve {closed}"],
        env={"CITE_LSP_HOME": str(desk / "home"), "PATH": "/usr/bin:/bin"}
        | {"PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1
    assert line.startswith("cite-lsp: standard input or output is closed")


def test_calling_a_command_off_while_it_starts_is_no_traceback(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def called_off(*arguments: object, **names: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "build_parser", called_off)
    outcome = command("corpora")
    assert (outcome.status, outcome.err) == (130, "cite-lsp: interrupted\n")


def test_an_index_that_is_called_off_says_how_it_goes_on(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def called_off(*arguments: object, **names: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cite_lsp.cli.index_command.update_corpus", called_off)
    outcome = command("index", "dump.jsonl")
    assert outcome.status == 130
    *_, last = outcome.err.splitlines()
    assert last == "cite-lsp: interrupted; given again, the command goes on from there"


@pytest.mark.parametrize("host", ["127.0.0.1", "nowhere.invalid"])
def test_an_address_that_cannot_be_listened_on_is_one_line(desk: Path, host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"{host}:{taken.getsockname()[1]}"
        done = subprocess.run(
            [sys.executable, "-m", "cite_lsp", "serve", "--tcp", address],
            env={"CITE_LSP_HOME": str(desk / "home"), "PATH": ""}
            | {"PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
        )
    *_, last = done.stderr.splitlines()
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert last.startswith(f"cite-lsp: --tcp {address}: ")
    assert last.endswith("; name another address")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("arguments", ["corpora --json", "index dump.jsonl --encoder static"])
def test_streams_that_are_closed_lead_nowhere(desk: Path, closed: str, arguments: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m cite_lsp {arguments} {closed}"],
        cwd=desk,
        env={"CITE_LSP_HOME": str(desk / "home"), "PATH": "/usr/bin:/bin"}
        | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["corpora", "list", "--out", "there"],
        ["corpora", "check", "--out", "there"],
        ["search", "tides", "-b", "refs.bib", "--corpus", "papers"],
    ],
)
def test_an_option_that_would_do_nothing_is_reported(
    command: Command, arguments: list[str]
) -> None:
    assert command(*arguments).misuse.startswith("--")


def test_a_corpus_whose_name_is_misspelled_is_reported_by_the_one_that_is_there(
    command: Command,
) -> None:
    command("index", "dump.jsonl", "--corpus", "anthology", "--encoder", "static")
    error = command("search", "tides", "--corpus", "antology").error
    assert error == "antology: no corpus of that name; did you mean anthology?"


def test_words_to_search_for_need_no_quotes(command: Command) -> None:
    outcome = command("search", "-b", "refs.bib", "herring", "gull", "-k", "1", "--json")
    assert outcome.json["query"] == "herring gull"
    assert outcome.json["papers"][0]["key"] == "gulls"


@pytest.mark.parametrize(
    "arguments", [["--uri", "https://milvus.example.org:19530"], ["--vector-index", "hnsw"]]
)
def test_options_of_a_server_are_not_passed_over_where_none_is_written_to(
    command: Command, arguments: list[str]
) -> None:
    outcome = command("index", "dump.jsonl", *arguments)
    assert outcome.misuse == f"{arguments[0]} is of a corpus on a server; add --engine milvus"


@pytest.mark.parametrize(
    "arguments",
    [
        ["corpora", "list", "gone"],
        ["corpora", "check", "gone"],
        ["corpora", "export", "gone", "--out", "out"],
        ["search", "tides", "--corpus", "gone"],
        ["suggest", "paper.tex", "--corpus", "gone"],
    ],
)
def test_a_corpus_that_was_never_built_is_reported_by_its_name(
    command: Command, arguments: list[str]
) -> None:
    message = "gone: no corpus of that name; `cite-lsp corpora` lists them"
    assert command(*arguments).error == message


@pytest.mark.parametrize("name", ["..", "."])
def test_a_path_is_no_corpus_that_was_not_built_to_the_end(
    command: Command, desk: Path, name: str
) -> None:
    command("index", "dump.jsonl", "--encoder", "static")
    message = "no corpus of that name; `cite-lsp corpora` lists them"
    assert command("search", "tides", "--corpus", name).error == f"{name}: {message}"
    assert command("corpora", "check", desk).error == f"{desk}: {message}"


@pytest.mark.skipif(os.name == "nt", reason="the current folder cannot be removed")
@pytest.mark.parametrize(
    "arguments", [["suggest", "x.tex"], ["references", "x.tex"], ["check", "{draft}"]]
)
def test_a_current_folder_that_is_gone_is_reported_in_a_line(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    gone = desk / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    outcome = command(*(argument.format(draft=desk / "draft.tex") for argument in arguments))
    assert outcome.status == 1
    assert outcome.err.splitlines()[-1] == "cite-lsp: the current folder is gone; change to another"


def test_errors_are_reported_in_utf_8_whatever_the_system_writes(desk: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "cite_lsp", "suggest", "Müller/潮.tex"],
        cwd=desk,
        env={"PYTHONIOENCODING": "cp1252", "PATH": "", "PYTHONUTF8": "1"}
        | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
    )
    assert done.returncode == 1
    assert done.stderr.decode("utf-8") == "cite-lsp: Müller/潮.tex: no such file\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["suggest", "~/draft.tex:4", "-b", "~/refs.bib", "--json"],
        ["check", "~/draft.tex"],
        ["check", "d*.tex", "n*.md"],
        ["drafts", "add", "~/draft.tex"],
        ["search", "-b", "~/refs.bib", "gulls"],
    ],
)
def test_paths_that_no_shell_has_opened_out_are_understood(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(desk))
    opened_out = [str(path) for argument in arguments for path in _as_bash(desk, argument)]
    assert opened_out != arguments
    outcome, wanted = command(*arguments), command(*opened_out)
    assert (outcome.status, outcome.out) == (wanted.status, wanted.out)
    assert outcome.out and outcome.status == (arguments[0] == "check")  # which finds something


def _as_bash(folder: Path, argument: str) -> list[str]:
    if "*" in argument:
        return [path.name for path in folder.glob(argument)]
    return [argument.replace("~", str(folder))]


def test_a_pattern_that_matches_nothing_is_reported(command: Command) -> None:
    assert command("check", "*.typ").err == "*.typ: matches no file; check the pattern\n"


def test_progress_on_a_terminal_leaves_nothing_of_a_longer_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    progress = Progress("papers")
    progress._interval = 0.0
    for done in (1_000, 2_000, 9_000):
        progress.reach(done, 9_000)
    progress.close()
    lines = terminal.getvalue().removesuffix("\n").split("\r")[1:]
    assert "\x1b" not in terminal.getvalue()  # a console of Windows may print it
    assert any(len(after.rstrip()) < len(before) for before, after in pairwise(lines))
    assert all(len(after) >= len(before.rstrip()) for before, after in pairwise(lines))


def test_the_list_of_commands_has_what_writers_need_first(command: Command) -> None:
    names = list(COMMANDS)
    assert names[:3] == ["serve", "doctor", "suggest"] and names[-2:] == ["eval", "train"]
    printed = command("--help").out
    assert printed.count("for developers: ") == 2


def test_no_name_and_no_title_forges_a_line(
    command: Command, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = 'bibliography = ["C:\\new\\refs.bib", "forged\\nrefs.bib"]\n'
    (desk / "cite-lsp.toml").write_text(settings, encoding="utf-8")
    outcome = command("check", "draft.tex", "--only", "unknown-key")
    assert outcome.status == 1
    for line in (*outcome.err.splitlines(), *outcome.out.splitlines()):
        assert line.startswith(("draft.tex:", "cite-lsp.toml", str(desk)))
    assert "for; write the folders of a path with /, not \\" in outcome.err
    forged = f"gone.tex{os.linesep}cite-lsp: all is well"
    assert command("suggest", forged).error == "gone.tex cite-lsp: all is well: no such file"
    monkeypatch.chdir(desk.parent)
    (desk / "a\nforged.md").write_text("Words [@gone].\n", encoding="utf-8")
    outcome = command("check", "desk/a\nforged.md", "--only", "unknown-key")
    assert "\nforged" not in outcome.err + outcome.out


def test_what_is_logged_is_one_line(desk: Path) -> None:
    script = (
        "import logging\n"
        "from cite_lsp.cli import main\n"
        "main(['corpora'])\n"
        "logging.getLogger('cite_lsp').warning('%s: is broken', 'a\\nforged\\x1b')\n"
    )
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, cwd=desk, capture_output=True, text=True, check=True)
    assert ran.stderr == "a forged\N{REPLACEMENT CHARACTER}: is broken\n"
