from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cite_lsp.storage.encodings import decode_bytes, decode_exactly

HAN = "基于神经网络的中文信息处理研究，我们的方法在这个数据上得到了很好的结果。"


@given(st.binary())
@example(b"\xff\xfea\x00\x00\xd8")
@example(b"\xef\xbb\xbfab\xe9")
@example(HAN.encode("gb18030") + b"\x80")
def test_no_byte_is_lost_whatever_the_encoding(data: bytes) -> None:
    text = decode_exactly(data)
    assert text.mark + text.encoded(text.exact) == data
    assert len(text.text) == len(text.exact)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_a_text_is_read_as_elsewhere(encoding: str) -> None:
    text = decode_exactly(HAN.encode(encoding))
    assert text.text == text.exact == HAN


def test_a_byte_of_windows_can_be_read_and_written_again() -> None:
    data = b"M\xfcller, caf\xc3\xa9"
    text = decode_exactly(data)
    assert text.text == decode_bytes(data)[0] == "Müller, café"
    assert text.encoded(text.exact[:2]) == b"M\xfc"
