"""The text of HTML."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.library.text.html_text import text_of_html


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("plain", "plain"),
        ("<p>One</p><p>Two<br>Three</p>", "One Two Three"),
        ("<h1>T</h1>\n<ul><li>a</li><li>b</li></ul>", "T • a • b"),
        ("caf&eacute; &lt;b&gt; &amp;amp; p < q", "café <b> &amp; p < q"),
        ("a<script>alert(1)</script><style>p{}</style>b", "ab"),
        ('see <a href="javascript:x">this</a><img src="data:x" alt="y">', "see this"),
        ("<b>bold</b>face", "boldface"),
        ("hid\u202eden\u200b", "hidden"),
        ("<p>cut <em", "cut"),
        ('cut <img src="data:image/png;base64,AAAA', "cut"),
    ],
)
def test_it_is_what_a_browser_shows(html: str, text: str) -> None:
    assert text_of_html(html) == text


@given(st.text(alphabet="<>/!-[]&;\"'= abp\n", max_size=40))
def test_any_text_gives_one_line(html: str) -> None:
    assert "\n" not in text_of_html(html)
