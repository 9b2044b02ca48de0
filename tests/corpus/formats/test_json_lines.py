"""JSON Lines: any compression, any damage, and every whole line all the same."""

from __future__ import annotations

import codecs
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.corpus.formats.json_lines import BrokenOff, RecordError, open_text, read_records
from cite_lsp.storage.compressed_files import zstd

COMPRESSIONS = pytest.mark.parametrize(
    ("suffix", "compress"),
    [(".jsonl", bytes), (".jsonl.gz", gzip.compress), (".jsonl.zst", zstd.compress)],
)
ARCHIVES = pytest.mark.parametrize(
    ("suffix", "compress"), [(".jsonl.gz", gzip.compress), (".jsonl.zst", zstd.compress)]
)
Compress = Callable[[bytes], bytes]


def lines(count: int) -> bytes:
    """Return lines that do not compress away."""
    rng = random.Random(1)
    return b"".join(
        json.dumps({"n": number, "noise": rng.random()}).encode() + b"\n" for number in range(count)
    )


@COMPRESSIONS
def test_objects_come_with_their_line_numbers(
    tmp_path: Path, suffix: str, compress: Compress
) -> None:
    path = tmp_path / f"records{suffix}"
    path.write_bytes(compress('{"a": 1}\n\n{"b": "吴"}\n'.encode()))
    assert list(read_records(path)) == [(1, {"a": 1}), (3, {"b": "吴"})]


@COMPRESSIONS
def test_a_bad_line_is_reported_with_its_place_and_costs_no_other(
    tmp_path: Path, suffix: str, compress: Compress
) -> None:
    path = tmp_path / f"records{suffix}"
    path.write_bytes(compress(b'{"a": 1}\n{"a": \n[1]\n{"a": 2}\n'))
    messages: list[str] = []
    assert [number for number, _ in read_records(path, messages.append)] == [1, 4]
    assert [message.split(": ")[0] for message in messages] == [f"{path}:2", f"{path}:3"]
    assert "not JSON" in messages[0] and "not a JSON object" in messages[1]
    assert all("the line is skipped" in message for message in messages)


@pytest.mark.parametrize("line", ["[" * 100_000, "1" * 5_000, "nonsense", '{"a": 1} {}', "\x00"])
def test_no_line_is_bad_enough_to_end_the_reading(tmp_path: Path, line: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(f'{line}\n{{"a": 1}}\n', encoding="utf-8")
    messages: list[str] = []
    assert list(read_records(path, messages.append)) == [(2, {"a": 1})]
    assert len(messages) == 1


def test_without_a_report_a_bad_line_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"records\.jsonl:1: not JSON"):
        list(read_records(path))


@ARCHIVES
@pytest.mark.parametrize("share", [0.3, 0.7, 0.999])
def test_a_cut_off_archive_keeps_what_came_before_the_cut(
    tmp_path: Path, suffix: str, compress: Compress, share: float
) -> None:
    path = tmp_path / f"records{suffix}"
    data = compress(lines(20_000))
    path.write_bytes(data[: int(len(data) * share)])
    messages: list[str] = []
    numbers = [record["n"] for _, record in read_records(path, messages.append)]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > 20_000 * (share - 0.25)
    assert len(messages) == 1
    assert messages[0].startswith(f"{path}:{len(numbers) + 1}: the archive is broken here")
    assert messages[0].endswith("fetch it again")
    assert isinstance(messages[0], BrokenOff)


@pytest.mark.parametrize(
    ("end", "broken"),
    [('{"a": "cut of', True), ('{"a": 1', True), ('{"a": ]}', False), ("oops", False), ("", False)],
)
def test_a_file_that_ends_in_a_record_is_cut_off(tmp_path: Path, end: str, broken: bool) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(f'{{"a": \n{{"a": 1}}\n{end}', encoding="utf-8")
    messages: list[str] = []
    assert list(read_records(path, messages.append)) == [(2, {"a": 1})]
    assert not isinstance(messages[0], BrokenOff)
    assert any(isinstance(message, BrokenOff) for message in messages) == broken


@ARCHIVES
def test_a_damaged_archive_is_reported_not_raised(
    tmp_path: Path, suffix: str, compress: Compress
) -> None:
    path = tmp_path / f"records{suffix}"
    data = bytearray(compress(lines(20_000)))
    middle = len(data) // 2
    data[middle : middle + 64] = bytes(64)
    path.write_bytes(bytes(data))
    messages: list[str] = []
    assert len(list(read_records(path, messages.append))) < 20_000
    assert "the archive is broken here" in messages[-1]


def test_an_archive_of_nonsense_is_reported_not_raised(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl.gz"
    path.write_bytes(gzip.compress(lines(3))[:10] + b"\xff" * 50)
    messages: list[str] = []
    assert list(read_records(path, messages.append)) == []
    assert len(messages) == 1 and messages[0].startswith(f"{path}:1: the archive is broken here")


def test_an_archive_of_several_frames_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl.zst"
    path.write_bytes(b"".join(zstd.compress(b'{"n": %d}\n' % n) for n in range(3)))
    assert [record["n"] for _, record in read_records(path)] == [0, 1, 2]
    path = tmp_path / "records.jsonl.gz"
    path.write_bytes(b"".join(gzip.compress(b'{"n": %d}\n' % n) for n in range(3)))
    assert [record["n"] for _, record in read_records(path)] == [0, 1, 2]


def test_compression_is_known_by_content_whatever_the_name(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(zstd.compress(b'{"n": 1}'))
    assert list(read_records(path)) == [(1, {"n": 1})]


@COMPRESSIONS
def test_a_byte_order_mark_is_skipped_and_an_old_encoding_is_read_and_reported_once(
    tmp_path: Path, suffix: str, compress: Compress
) -> None:
    path = tmp_path / f"records{suffix}"
    old = "\n".join(['{"a": "tide"}', '{"a": "Größe"}', '{"a": "“café”"}', ""]).encode("cp1252")
    both = '{"a": "吴, caf'.encode() + b'\xe9"}'
    path.write_bytes(compress(codecs.BOM_UTF8 + old + both))
    messages: list[str] = []
    numbers = [record["a"] for _, record in read_records(path, messages.append)]
    assert numbers == ["tide", "Größe", "“café”", "吴, café"]
    fault = "not UTF-8 (byte 0xf6 in line 2), read as Windows-1252: save it as UTF-8"
    assert messages == [f"{path}:2: {fault}"]
    assert len(list(read_records(path))) == 4


def test_a_line_that_is_no_record_says_nothing_of_the_encoding(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": \xe9\x00\n')
    messages: list[str] = []
    assert list(read_records(path, messages.append)) == [(1, {"a": 1})]
    assert len(messages) == 1 and messages[0].startswith(f"{path}:2: not JSON")


def test_a_file_that_cannot_be_opened_is_one_clear_error(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(RecordError) as caught:
            open_text(path)
        message = str(caught.value)
        assert message.startswith(f"{path}: ") and "check the path" in message
        assert "\n" not in message


@given(st.binary(max_size=300))
def test_no_bytes_at_all_raise_where_there_is_a_report(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.bin"
    for start in (b"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"):
        path.write_bytes(start + data)
        messages: list[str] = []
        list(read_records(path, messages.append))
        assert all(message.startswith(f"{path}:") for message in messages)


def test_the_place_where_a_line_is_wrong_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text('{"a": 1}\n{"a": "never closed')
    messages: list[str] = []
    list(read_records(path, messages.append))
    assert "not JSON (Unterminated string starting at character 7)" in messages[0]
