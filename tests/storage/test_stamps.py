"""A stamp tells whether a file is still the one that was read."""

import os
from pathlib import Path

from cite_lsp.storage.stamps import stamp, stamp_of


def test_a_stamp_changes_with_the_file_and_with_the_target_of_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    path.write_text("one")
    link.symlink_to(path)
    before = stamp(link)
    assert before == stamp(path) == stamp_of(os.stat(path))
    path.write_text("longer")
    assert stamp(link) not in (None, before)


def test_what_is_not_there_has_none(tmp_path: Path) -> None:
    assert stamp(tmp_path / "none") is None
    assert stamp(Path("with\0zero")) is None
