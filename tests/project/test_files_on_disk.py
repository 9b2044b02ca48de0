"""Texts are read from disk again only when their files have changed."""

from __future__ import annotations

import pytest

from cite_lsp.project import files_on_disk
from cite_lsp.project.files_on_disk import FilesOnDisk
from tests.project.projects import Write


def test_a_draft_is_read_from_disk_again_only_when_it_changes(write: Write) -> None:
    path, read = write("draft.tex", "one"), FilesOnDisk().read
    assert read(path) == "one" and read(path) is read(path)
    write("draft.tex", b"two \xff")
    assert read(path) == "two ÿ"
    path.unlink()
    assert read(path) is None and read(path.parent) is None


def test_of_many_drafts_the_texts_read_last_are_cached(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_on_disk, "_MOST_CHARACTERS", 250)
    first, second, third = (write(f"{number}.tex", str(number) * 100) for number in range(3))
    read = FilesOnDisk().read
    texts = [read(first), read(second), read(first), read(third)]
    assert read(first) is texts[0]
    assert read(third) is texts[3]
    assert read(second) is not texts[1]
    assert read(second) == texts[1]


def test_a_text_longer_than_the_cache_is_cached_until_another_is_read(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_on_disk, "_MOST_CHARACTERS", 250)
    long, read = write("long.bib", "%" * 300), FilesOnDisk().read
    text = read(long)
    assert read(long) is text
    read(write("a.tex", "a"))
    assert read(long) is not text
