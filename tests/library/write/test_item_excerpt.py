from __future__ import annotations

import json
from pathlib import Path

import pytest

from cite_lsp.library.write.excerpt import item_excerpt

JSON = """[
  {"id": "a", "type": "book", "title": "A"},
  {"id": "b", "type": "book", "title": "B"},
  {"id": "c", "type": "book", "title": "C"}
]
"""
YAML = "---\nreferences:\n- id: a\n  title: A\n\n- id: b\n  title: B\n\n- id: c\n  title: C\n...\n"
HAYAGRIVA = "a:\n  type: book\n  title: A\nb:\n  type: book\n  title: B\n"
RIS = "TY  - BOOK\nID  - a\nTI  - A\nER  - \n\nTY  - BOOK\nID  - b\nTI  - B\nER  - \n"


def part(text: str, name: str, *keys: str) -> str:
    return "".join(text[start:end] for start, end in item_excerpt(text, Path(name), keys))


@pytest.mark.parametrize("keys", ["a", "b", "c", "ab", "ac", "bc", "abc"])
def test_items_of_json_are_still_a_list(keys: str) -> None:
    assert [item["id"] for item in json.loads(part(JSON, "refs.json", *keys))] == list(keys)


def test_items_stay_as_they_are_written() -> None:
    assert part(YAML, "refs.yaml", "c") == "---\nreferences:\n- id: c\n  title: C\n...\n"
    assert part(HAYAGRIVA, "refs.yml", "b") == "b:\n  type: book\n  title: B\n"
    assert part(RIS, "refs.ris", "b") == "TY  - BOOK\nID  - b\nTI  - B\nER  - \n"


def test_nothing_is_left_of_a_file_without_an_item_that_is_cited() -> None:
    assert part(JSON, "refs.json", "d") == ""


def test_items_that_lean_on_others_are_not_taken_apart() -> None:
    text = "references:\n- &first\n  id: a\n  title: A\n- <<: *first\n  id: b\n"
    with pytest.raises(ValueError, match="one behind the other"):
        part(text, "refs.yaml", "b")
