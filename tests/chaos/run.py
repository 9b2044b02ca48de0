"""Runs trials, and tells what came of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

from attrs import frozen

from tests.chaos.limited import COMMAND_PATIENCE, Client, Done, TrialError, command
from tests.chaos.trials import GOOD, FaultTrial, Trial


@frozen
class Result:
    """What came of a trial: seconds, MB at the most, what went wrong ("" where nothing did)."""

    trial: Trial | FaultTrial
    seconds: float
    memory: float
    fault: str


def run(trial: Trial | FaultTrial, scratch: Path, size: float) -> Result:
    """Run a trial in a process of its own."""
    if isinstance(trial, FaultTrial):
        return _perform(trial, scratch)
    folder, home = scratch / "trial", scratch / "home"
    _make(trial, folder, size)
    begin = time.monotonic()
    if trial.command:
        arguments = [argument.replace("{folder}", str(folder)) for argument in trial.command]
        done = command(arguments, home, folder)
        seconds = time.monotonic() - begin
        return Result(trial, seconds, done.memory, _fault_of_command(trial, done))
    client = Client(folder, home)
    fault, memory = "", 0.0
    try:
        client.start()
        begin = time.monotonic()
        _ask(client, trial, folder, 0)
        seconds = time.monotonic() - begin
        memory = client.peak()
        client.finish()
    except (TrialError, OSError) as error:
        fault, seconds = str(error), time.monotonic() - begin
        memory = memory or client.peak()
    finally:
        client.kill()
    return Result(trial, seconds, memory, fault)


def _perform(trial: FaultTrial, scratch: Path) -> Result:
    begin, memory, fault = time.monotonic(), 0.0, ""
    try:
        memory = trial.perform(scratch)
    except (TrialError, OSError) as error:
        fault = str(error)
    return Result(trial, time.monotonic() - begin, memory, fault)


def run_in_one_session(trials: Sequence[Trial], scratch: Path) -> Iterator[str]:
    """Run trials in their small form with one server; yield what goes wrong."""
    client = Client(scratch, scratch / "home")
    try:
        client.start(workspaceFolders=None)
        for number, trial in enumerate(trials):
            folder = scratch / f"trial-{number}"
            _make(trial, folder, 0)
            try:
                _ask(client, trial, folder, len(client.notices))
            except TrialError as error:
                yield f"{trial.kind}, {trial.name}: {error}"
                if client.process.poll() is not None:
                    return
        with suppress(OSError):
            client.finish()
    except TrialError as error:
        yield str(error)
    finally:
        client.kill()


def _make(trial: Trial, folder: Path, size: float) -> None:
    folder.mkdir(parents=True)
    (folder / ".git").mkdir()  # the border of the project
    (folder / "good.bib").write_text(GOOD)
    trial.make(folder, size)


def _ask(client: Client, trial: Trial, folder: Path, seen: int) -> None:
    """Ask what an editor asks about a draft that was opened just now.

    Messages count from `seen` on.

    Raises:
        TrialError: an answer is missing or an error, or what is to be said is not.
    """
    before, _, after = trial.text.partition("¦")
    line, character = before.count("\n"), len(before) - before.rfind("\n") - 1
    path = folder / f"paper{trial.suffix}"
    path.write_text(before + after)
    uri = client.open(path, before + after)
    trial.send(client, uri)
    listed = client.keys(uri, line, character)
    document = {"textDocument": {"uri": uri}}
    place = {"line": line, "character": character}
    here = {"start": place, "end": place}
    for method, params in (
        ("textDocument/hover", {"position": place}),
        ("textDocument/codeAction", {"range": here, "context": {"diagnostics": []}}),
        ("textDocument/documentSymbol", {}),
        ("textDocument/documentLink", {}),
    ):
        answer = client.request(method, document | params)
        if "error" in answer:
            raise TrialError(f"{method}: {answer['error']['message']}")
    if not any("good2020" in label for label in listed):
        raise TrialError(f"the good entry is not offered, but {listed[:3]}")

    def lines() -> list[str]:
        within = [
            findings for at, findings in client.findings.items() if at.startswith(folder.as_uri())
        ]
        return [*chain(*within), *client.notices[seen:]]

    def said() -> bool:
        return any(trial.said in line for line in lines())

    client.wait(lambda: uri in client.findings or not trial.said, "no diagnostics")
    if trial.said:
        try:
            client.wait(said, f"nothing says {trial.said!r}")
        except TrialError as error:
            raise TrialError(f"{error}: {lines()[:3]}") from None


def _fault_of_command(trial: Trial, done: Done) -> str:
    if done.status < 0:
        return f"no end after {COMMAND_PATIENCE:.0f} s"
    if "Traceback" in done.printed:
        return f"a traceback: {done.printed.strip().splitlines()[-1]}"
    if done.status != trial.status:
        return f"exit status {done.status}: {done.printed.strip()[-300:]}"
    if trial.said not in done.printed:
        return f"does not say {trial.said!r}: {done.printed.strip()[-300:]}"
    return ""
