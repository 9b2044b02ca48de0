"""A lock file is held by one at a time, and gone when nobody holds it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from cite_lsp.storage.file_lock import file_lock


def test_one_holds_a_lock_at_a_time(tmp_path: Path) -> None:
    path, inside, most = tmp_path / "lock", [], []

    def work() -> None:
        for _ in range(20):
            with file_lock(path, 60.0):
                inside.append(path)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 80
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_stays_taken_is_an_error(tmp_path: Path) -> None:
    with file_lock(tmp_path / "lock", 0.0):
        with (
            pytest.raises(TimeoutError, match="another process"),
            file_lock(tmp_path / "lock", 0.0),
        ):
            pass
        assert (tmp_path / "lock").exists()
    with file_lock(tmp_path / "lock", 0.0):
        pass


@pytest.mark.skipif(os.name == "nt", reason="no kill -9")
def test_a_process_that_is_killed_holds_no_lock(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from cite_lsp.storage.file_lock import file_lock\n"
        "with file_lock(Path(sys.argv[1]), 0.0):\n    print('held', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        with pytest.raises(TimeoutError), file_lock(tmp_path / "lock", 0.0):
            pass
        other.send_signal(signal.SIGKILL)
    with file_lock(tmp_path / "lock", 0.0):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError), file_lock(tmp_path / "lock", 0.0):
        pass
    assert not (tmp_path / "elsewhere").exists()
