"""The text of a piece of HTML that somebody wrote: what a browser shows of it, on one line."""

from __future__ import annotations

from html.parser import HTMLParser

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.invisible_characters import without_invisible

_UNSHOWN = frozenset("script style template head title noscript svg math object iframe".split())
_BLOCKS = frozenset(
    """address article aside blockquote br dd div dl dt figure footer h1 h2 h3 h4 h5 h6 header hr li
    ol p pre section table td th tr ul""".split()
)
_CUT_OFF = lazy_re(r"<[A-Za-z/!][^>]*\Z")


class _Text(HTMLParser):
    """Collects the text between tags."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._unshown = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSHOWN:
            self._unshown += 1
        if tag in _BLOCKS:
            self.parts.append(" • " if tag == "li" else " ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSHOWN:
            self._unshown = max(self._unshown - 1, 0)
        if tag in _BLOCKS:
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self._unshown:
            self.parts.append(data)


def text_of_html(html: str) -> str:
    """Return the text of a piece of HTML, on one line; items of lists begin with "•".

    Nothing of it is fetched or run; what is no tag is text, but for one that is cut off at the end.
    Never raises.
    """
    if cut_off := _CUT_OFF.match(html, max(html.rfind("<"), 0)):
        html = html[: cut_off.start()]
    parser = _Text()
    try:
        parser.feed(html)
        parser.close()
    except (AssertionError, ValueError):  # declarations that no parser takes: <![x
        pass
    return " ".join(without_invisible("".join(parser.parts)).split())
