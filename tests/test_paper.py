"""Papers: texts are folded quickly, and as if each character were looked at."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.paper import fold


@given(st.text(st.characters(max_codepoint=0x3FF) | st.characters(), max_size=30))
def test_no_accent_is_left_and_nothing_else_is_lost(text: str) -> None:
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(character for character in decomposed if not unicodedata.combining(character))
    wanted = unicodedata.normalize("NFC", bare).replace("ø", "o").replace("ł", "l").casefold()
    assert fold(text) == wanted
