"""Threads beside who asks are made when they are needed, and let go of."""

from __future__ import annotations

import multiprocessing
import sys
import threading

import pytest

from cite_lsp.recommend.base.threads import LazyThreads


def names(prefix: str) -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith(prefix)]


def test_there_is_no_thread_before_there_is_work_nor_after_it_is_closed() -> None:
    threads = LazyThreads(2, "lazy-test")
    assert names("lazy-test") == []
    assert threads.submit(pow, 2, 3).result(30) == 8
    (worker,) = [thread for thread in threading.enumerate() if thread.name.startswith("lazy-test")]
    threads.close()
    worker.join(30)
    assert not worker.is_alive()
    assert threads.submit(pow, 2, 4).result(30) == 16, "more work makes others"
    threads.close()


def test_what_was_given_before_it_was_closed_is_done() -> None:
    threads, release = LazyThreads(1, "lazy-test"), threading.Event()
    first = threads.submit(release.wait, 30)
    second = threads.submit(pow, 2, 3)
    threads.close()
    release.set()
    assert first.result(30) and second.result(30) == 8


def work_in_child(threads: LazyThreads, answers: multiprocessing.Queue[int]) -> None:
    answers.put(threads.submit(pow, 2, 5).result(20))


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_a_forked_process_makes_its_own() -> None:
    threads = LazyThreads(1, "lazy-test")
    threads.submit(pow, 2, 3).result(30)
    fork = multiprocessing.get_context("fork")
    answers = fork.Queue()
    child = fork.Process(target=work_in_child, args=(threads, answers))
    child.start()
    assert answers.get(timeout=60) == 32
    child.join(60)
    threads.close()
