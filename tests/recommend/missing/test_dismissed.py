"""What a writer has dismissed stays dismissed, for that sentence, in that project."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.recommend.missing import dismissed
from cite_lsp.recommend.missing.dismissed import DismissalError, Dismissals, project_root
from cite_lsp.storage.file_lock import file_lock


def test_a_dismissal_is_stored_for_its_sentence_alone(tmp_path: Path) -> None:
    dismissals = Dismissals(tmp_path)
    assert dismissals.dismiss("Gulls nest on cliffs.", "gulls")
    assert dismissals.keys("Gulls nest on cliffs.") == {"gulls"}
    assert dismissals.keys("Marshes grow.") == frozenset()
    assert not dismissals.dismiss("Gulls nest on cliffs.", "gulls"), "it is no news"


def test_case_accents_and_punctuation_of_the_sentence_do_not_matter(tmp_path: Path) -> None:
    dismissals = Dismissals(tmp_path)
    dismissals.dismiss("Möwen nisten, auf Klippen.", "gulls")
    assert dismissals.keys("mowen nisten auf  KLIPPEN!") == {"gulls"}
    dismissals.dismiss("海鸥在悬崖上筑巢。", "gulls")
    assert dismissals.keys("海鸥在悬崖上筑巢") == {"gulls"}


def test_another_process_reads_it(tmp_path: Path) -> None:
    first, second = Dismissals(tmp_path), Dismissals(tmp_path)
    assert second.keys("One.") == frozenset()
    first.dismiss("One.", "a")
    second.dismiss("One.", "b")
    assert first.keys("One.") == second.keys("One.") == {"a", "b"}


def test_what_another_process_dismisses_meanwhile_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = Dismissals(tmp_path), Dismissals(tmp_path)
    first.dismiss("One.", "a")
    table, between = second._table, iter([True])

    def read_before_the_other_writes() -> dismissed.Table:
        result = table()
        if next(between, False):
            first.dismiss("One.", "b")
        return result

    monkeypatch.setattr(second, "_table", read_before_the_other_writes)
    second.dismiss("One.", "c")
    assert first.keys("One.") == {"a", "b", "c"}


def test_processes_that_dismiss_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from cite_lsp.recommend.missing.dismissed import Dismissals\n"
        "dismissals = Dismissals(Path(sys.argv[1]))\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "for number in range(20):\n    dismissals.dismiss('One.', f'{sys.argv[2]}{number}')"
    )
    others = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    for other in others:
        assert other.stdout is not None and other.stdout.readline() == "ready\n"
    for other in others:
        assert other.stdin is not None
        other.stdin.write("\n")
        other.stdin.flush()
    for other in others:
        other.communicate()
        assert other.returncode == 0
    dismissals = Dismissals(tmp_path)
    assert dismissals.keys("One.") == {f"{name}{number}" for name in "ab" for number in range(20)}
    assert [path.name for path in dismissals.path.parent.iterdir()] == ["dismissed.json"]


def test_a_process_that_locks_the_file_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dismissed, "_PATIENCE", 0.05)
    dismissals = Dismissals(tmp_path)
    dismissals.path.parent.mkdir()
    message = "dismissed.json: cannot be written .another process is changing it"
    with (
        file_lock(dismissals.path.with_suffix(".lock"), 1.0),
        pytest.raises(DismissalError, match=message),
    ):
        dismissals.dismiss("One.", "a")
    assert dismissals.dismiss("One.", "a")


def test_a_file_that_is_synchronised_with_its_time_is_read_again(tmp_path: Path) -> None:
    dismissals = Dismissals(tmp_path)
    dismissals.dismiss("One.", "a")
    assert dismissals.keys("One.") == {"a"}
    text, status = dismissals.path.read_text(encoding="utf-8"), dismissals.path.stat()
    dismissals.path.write_text(text.replace('"a"', '"b"'), encoding="utf-8")
    os.utime(dismissals.path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert dismissals.keys("One.") == {"b"}


def test_a_dismissal_can_be_taken_back(tmp_path: Path) -> None:
    dismissals = Dismissals(tmp_path)
    assert not dismissals.restore("One.", "a")
    dismissals.dismiss("One.", "a")
    assert dismissals.restore("One.", "a")
    assert dismissals.keys("One.") == frozenset()
    assert json.loads(dismissals.path.read_text(encoding="utf-8"))["dismissed"] == []


def test_the_file_is_sorted_and_nothing_else_is_left_beside_it(tmp_path: Path) -> None:
    dismissals = Dismissals(tmp_path)
    for sentence, key in (("Two.", "b"), ("One.", "z"), ("One.", "a")):
        dismissals.dismiss(sentence, key)
    assert json.loads(dismissals.path.read_text(encoding="utf-8")) == {
        "version": 1,
        "dismissed": [
            {"sentence": "one", "keys": ["a", "z"]},
            {"sentence": "two", "keys": ["b"]},
        ],
    }
    assert [path.name for path in dismissals.path.parent.iterdir()] == ["dismissed.json"]


def test_everyone_who_could_read_the_file_still_can(tmp_path: Path) -> None:
    dismissals = Dismissals(tmp_path)
    dismissals.dismiss("One.", "a")
    dismissals.path.chmod(0o644)
    dismissals.dismiss("Two.", "b")
    assert dismissals.path.stat().st_mode & 0o444 == 0o444


@pytest.mark.parametrize("text", ["{", "[]", '{"dismissed": [{"sentence": 1}]}', "\x00"])
def test_a_broken_file_dismisses_nothing_and_is_not_overwritten(tmp_path: Path, text: str) -> None:
    dismissals = Dismissals(tmp_path)
    dismissals.path.parent.mkdir()
    dismissals.path.write_text(text, encoding="utf-8")
    assert dismissals.keys("One.") == frozenset()
    with pytest.raises(DismissalError, match="dismissed.json: cannot be read"):
        dismissals.dismiss("One.", "a")
    assert dismissals.path.read_text(encoding="utf-8") == text


def test_a_broken_file_is_reported_in_the_log_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dismissals = Dismissals(tmp_path)
    dismissals.path.parent.mkdir()
    dismissals.path.write_text("<<<<<<< HEAD\n", encoding="utf-8")
    dismissals.keys("One.")
    dismissals.keys("Two.")
    (message,) = caplog.messages
    assert message.startswith(f"{dismissals.path}: cannot be read (")
    assert message.endswith("), so nothing counts as dismissed; repair it or delete it")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_in_its_place_dismisses_nothing_and_holds_nobody_up(tmp_path: Path) -> None:
    dismissals = Dismissals(tmp_path)
    dismissals.path.parent.mkdir()
    os.mkfifo(dismissals.path)
    assert dismissals.keys("One.") == frozenset()
    with pytest.raises(DismissalError, match="a pipe, not a file"):
        dismissals.dismiss("One.", "a")


def test_a_sentence_without_words_keeps_nothing(tmp_path: Path) -> None:
    dismissals = Dismissals(tmp_path)
    assert not dismissals.dismiss("…", "a")
    assert not dismissals.path.exists()


def test_the_project_of_a_draft_is_the_nearest_folder_that_keeps_dismissals(tmp_path: Path) -> None:
    draft = tmp_path / "thesis" / "chapters" / "one.tex"
    assert project_root(draft) == draft.parent
    (tmp_path / "thesis" / ".cite-lsp").mkdir(parents=True)
    assert project_root(draft) == tmp_path / "thesis"


@pytest.mark.parametrize("link", [".cite-lsp", ".cite-lsp/dismissed.json"])
@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_stored_or_read_through_a_link_that_leads_out_of_the_project(
    tmp_path: Path, link: str, there: bool
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    project.mkdir()
    elsewhere.mkdir()
    Dismissals(elsewhere).dismiss("One.", "a")
    text = (elsewhere / ".cite-lsp" / "dismissed.json").read_text(encoding="utf-8")
    (project / link).parent.mkdir(exist_ok=True)
    (project / link).symlink_to(elsewhere / link if there else elsewhere / "new")
    dismissals = Dismissals(project)
    assert dismissals.keys("One.") == frozenset()
    with pytest.raises(DismissalError, match="leads outside the project") as refusal:
        dismissals.dismiss("One.", "b")
    assert "\n" not in str(refusal.value) and str(project) in str(refusal.value)
    assert (elsewhere / ".cite-lsp" / "dismissed.json").read_text(encoding="utf-8") == text
    assert [path.name for path in elsewhere.iterdir()] == [".cite-lsp"]


def test_a_project_that_is_opened_by_a_link_keeps_what_is_dismissed(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "project", target_is_directory=True)
    assert Dismissals(tmp_path / "link").dismiss("One.", "a")
    assert Dismissals(tmp_path / "project").keys("One.") == {"a"}
