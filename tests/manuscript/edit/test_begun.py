"""A citation that has been begun gets its key and what closes it, where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.manuscript import Document, Manuscript, format_of, parse
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.edit.begun import (
    begun_at,
    begun_in,
    begun_marker,
    closing_of,
    completed,
)
from cite_lsp.manuscript.model import CitationSite
from tests.growth import LINEAR, growth

CURSOR = "¦"


def read(name: str, text: str) -> Manuscript:
    return parse(text.replace(CURSOR, ""), format_of(Path(name)) or "")


def after(manuscript: Manuscript, site: CitationSite | None, *keys: str) -> str | None:
    if site is None:
        return None
    return completed(manuscript, site, keys, Document.of(manuscript)).applied_to(manuscript.text)


@pytest.mark.parametrize(
    ("name", "begun", "expected"),
    [
        ("a.tex", r"It works \cite{¦ as they say.", r"It works \cite{key} as they say."),
        ("a.tex", r"It works \citep[see][12]{¦", r"It works \citep[see][12]{key}"),
        ("a.tex", r"It\footnote{Yes \cite{¦ so.}.", r"It\footnote{Yes \cite{key} so.}."),
        ("a.tex", r"{\footnote{Yes \cite{¦. So.}.}", r"{\footnote{Yes \cite{key}. So.}.}"),
        (
            "a.tex",
            r"It\footnote{Yes \cite{¦, so is it}.",
            r"It\footnote{Yes \cite{key}, so is it}.",
        ),
        ("a.tex", r"它\footnote{可行\cite{¦在这里。}", r"它\footnote{可行\cite{key}在这里。}"),
        ("a.tex", r"\caption{可行\cite{¦在这里}", r"\caption{可行\cite{key}在这里}"),
        ("a.tex", r"\caption{It (as in \cite{¦)}", r"\caption{It (as in \cite{key})}"),
        ("a.tex", r"\caption{It \cite{¦; so.}", r"\caption{It \cite{key}; so.}"),
        ("a.tex", r"它\footnote{可行\cite{¦。这里。}", r"它\footnote{可行\cite{key}。这里。}"),
        ("a.tex", "\\thanks{It \\cite{¦ so\n\nor so}.", "\\thanks{It \\cite{key} so\n\nor so}."),
        ("a.tex", "{\\em It\n\nis \\cite{¦ so.} So.", "{\\em It\n\nis \\cite{key} so.} So."),
        ("a.tex", "{\\em It\n\nis \\cite{¦ so.\n}\n", "{\\em It\n\nis \\cite{key} so.\n}\n"),
        ("a.tex", "{\\em It\n\nis \\cite{¦}.\n\nSo.", "{\\em It\n\nis \\cite{key}}.\n\nSo."),
        ("a.tex", "{\\em It\n\nis \\cite{¦}, so.", None),
        ("a.tex", r"It\footnote{See \cite{¦} is.", r"It\footnote{See \cite{key}} is."),
        ("a.tex", r"It\footnote{See \cite{¦}} is.", None),
        ("a.tex", "An \\emph{open one.\n\n\\note{Is \\cite{¦}}\n", None),
        ("a.tex", "An \\emph{open one.\n\n\\note{Is \\cite{¦ }}\n", None),
        ("a.tex", r"It works \cite{¦}.", None),
        ("a.md", "It works [@¦.", "It works [@key]."),
        ("a.md", "It works [see @a; @¦ as they say.", "It works [see @a; @key] as they say."),
        ("a.md", "It works [IT; @a; @¦ as they say.", "It works [IT; @a; @key] as they say."),
        ("a.md", "It works @¦ as they say.", "It works @key as they say."),
        ("a.md", "It works in [0, 1) @¦ as they say.", "It works in [0, 1) @key as they say."),
        ("a.md", "It works^[Yes [@¦ so].", "It works^[Yes [@key] so]."),
        ("a.md", "It works [see ¦].", "It works [see @key]."),
        ("a.md", "It works [@a, ¦].", "It works [@a; @key]."),
        ("a.md", "It works [@a; see ¦].", "It works [@a; see @key]."),
        ("a.org", "It works [cite:@a, ¦].", "It works [cite:@a; @key]."),
        ("a.md", "It works^[See [@¦]. So.", "It works^[See [@key]]. So."),
        ("a.md", "It works^[See [@¦]]. So.", None),
        ("a.md", "![It works [see @¦](a.png)", "![It works [see @key]](a.png)"),
        ("a.md", "![It works [@¦ so](a.png)", "![It works [@key] so](a.png)"),
        ("a.org", "It[fn:: See [cite:@¦]. So.", "It[fn:: See [cite:@key]]. So."),
        ("a.tex", r"It\footnote{See \cite{¦, p.~3.}", r"It\footnote{See \cite{key}, p.~3.}"),
        ("a.md", "It works {cite:p}`¦ as they say.", "It works {cite:p}`key` as they say."),
        ("a.md", "它可行[@¦在这里。", "它可行[@key]在这里。"),
        ("a.md", r"It works \cite{¦ as they say.", r"It works \cite{key} as they say."),
        ("a.md", r"It\footnote{See \cite{¦} works.", r"It\footnote{See \cite{key}} works."),
        ("a.md", "It works at joe@¦ as they say.", None),
        ("a.typ", "It works #cite(¦ as they say.", "It works #cite(<key>) as they say."),
        ("a.typ", 'It works #cite(¦ as "they".', 'It works #cite(<key>) as "they".'),
        ("a.typ", "It works #cite(<¦ as they say.", "It works #cite(<key>) as they say."),
        ("a.typ", "It works #cite(<¦). So.", "It works #cite(<key>). So."),
        ("a.typ", 'It #cite(<¦, form: "prose").', 'It #cite(<key>, form: "prose").'),
        ("a.typ", "It#footnote[Yes #cite(<¦]. So.", "It#footnote[Yes #cite(<key>)]. So."),
        ("a.typ", "It#cite(¦ as they say.", "It#cite(<key>) as they say."),
        ("a.typ", 'It (#cite(¦ as "they" say).', 'It (#cite(<key>) as "they" say).'),
        ("a.typ", "It #cite(¦ by #cite(<a>).", "It #cite(<key>) by #cite(<a>)."),
        ("a.typ", "It (#cite(<¦ as they say).", "It (#cite(<key>) as they say)."),
        ("a.typ", "It works @¦ as they say.", "It works @key as they say."),
        ("a.typ", "它可行@¦在这里。", "它可行@key 在这里。"),
        ("a.typ", "它可行#cite(¦在这里。", "它可行#cite(<key>)在这里。"),
        ("a.typ", "It works #cite(<¦, as they say.", "It works #cite(<key>), as they say."),
        ("a.org", "It works [cite:¦ as they say.", "It works [cite:@key] as they say."),
        ("a.org", "It works [cite/t:@¦ as they say.", "It works [cite/t:@key] as they say."),
        ("a.org", "It works [cite:@a;¦ as they say.", "It works [cite:@a;@key] as they say."),
        ("a.org", "It works [[cite:&¦ as they say.", "It works [[cite:&key]] as they say."),
        ("a.org", "It works cite:¦ as they say.", "It works cite:key as they say."),
        ("a.org", "It works cite:a,¦ as they say.", "It works cite:a,key as they say."),
        ("a.org", r"It works \cite{¦ as they say.", r"It works \cite{key} as they say."),
        ("a.typ", 'It works #cite("¦ as they say.', "It works #cite(<key>) as they say."),
        ("a.typ", 'It works #cite("¦" as they say.', "It works #cite(<key>) as they say."),
        ("a.typ", 'It works #cite("¦', "It works #cite(<key>)"),
        ("a.typ", "It works #cite(label(¦", 'It works #cite(label("key"))'),
        ("a.typ", "It #cite(label(¦ as they say.", 'It #cite(label("key")) as they say.'),
        ("a.typ", "It #cite(label(¦) as they say.", 'It #cite(label("key")) as they say.'),
        ("a.typ", 'It #cite(label("¦, as they say.', 'It #cite(label("key")), as they say.'),
        ("a.typ", 'It #cite(label("¦") as they say.', 'It #cite(label("key")) as they say.'),
        ("a.typ", 'It #cite(label("¦)) as they say.', 'It #cite(label("key")) as they say.'),
        ("a.typ", 'It#footnote[#cite(label("¦]. So.', 'It#footnote[#cite(label("key"))]. So.'),
        ("a.typ", "#quote(attribution: <¦)[Yes.]", "#quote(attribution: <key>)[Yes.]"),
        ("a.org", "It[fn:: Yes [cite:@¦ so]. So.", "It[fn:: Yes [cite:@key] so]. So."),
    ],
)
def test_the_key_goes_to_the_cursor_and_what_is_open_is_closed(
    name: str, begun: str, expected: str | None
) -> None:
    manuscript = read(name, begun)
    assert after(manuscript, begun_at(manuscript, begun.index(CURSOR)), "key") == expected


@pytest.mark.parametrize(
    ("name", "begun", "expected"),
    [
        ("a.tex", r"It works \cite{ke¦ as they say.", r"It works \cite{key} as they say."),
        ("a.tex", r"\caption{It (as in \cite{k¦e)}", r"\caption{It (as in \cite{key})}"),
        ("a.tex", "It \\cite{a,\nb, k¦. So it is.", "It \\cite{a,\nb, key}. So it is."),
        ("a.tex", r"It\footnote{Yes \cite{k¦e so.}.", r"It\footnote{Yes \cite{key} so.}."),
        (
            "a.tex",
            r"It\footnote{Yes \cite{ke¦, so is it}.",
            r"It\footnote{Yes \cite{key}, so is it}.",
        ),
        ("a.tex", r"它\footnote{可行\cite{k¦e在这里。}", r"它\footnote{可行\cite{key}在这里。}"),
        ("a.tex", r"它\footnote{可行\cite{张¦三2020}", r"它\footnote{可行\cite{key}"),
        ("a.tex", r"It\footnote{Yes \cite{ke so¦}}.", r"It\footnote{Yes \cite{key}}."),
        ("a.md", "It works [see @ke¦ as they say.", "It works [see @key] as they say."),
        ("a.md", "It works^[Yes [@ke¦ so].", "It works^[Yes [@key] so]."),
        ("a.md", "It works [e.g., @ke¦ as", "It works [e.g., @key] as"),
        ("a.md", "It [e.g. @a versus @ke¦ as", "It [e.g. @a versus @key] as"),
        ("a.md", "It [@a and @b, p. 3; cf. also @ke¦", "It [@a and @b, p. 3; cf. also @key]"),
        ("a.md", "It is in [0. Then @ke¦ says", "It is in [0. Then @key says"),
        ("a.md", "It is [@ke¦@a; @b", "It is [@key; @a; @b"),
        ("a.typ", "It works #cite(<ke¦ as they say.", "It works #cite(<key>) as they say."),
        ("a.typ", "It works #cite(<ke¦ as a) or b) say.", "It works #cite(<key>) as a) or b) say."),
        ("a.typ", "It works #cite(<ke¦> as they say.", "It works #cite(<key>) as they say."),
        ("a.typ", "It works @no-a_ke--k¦e--y-nd as they say.", "It works @key as they say."),
        ("a.typ", "It works #cite(<ke¦>, form: 1", "It works #cite(<key>, form: 1"),
        ("a.typ", "It works #cite(<ke¦>).", "It works #cite(<key>)."),
        ("a.typ", 'It #cite("ke¦ as they say.', "It #cite(<key>) as they say."),
        ("a.typ", 'It #cite(label("ke¦ as they say.', 'It #cite(label("key")) as they say.'),
        ("a.typ", 'It #cite(label("ke¦") as they say.', 'It #cite(label("key")) as they say.'),
        ("a.org", "It[fn:: Yes [cite:@ke¦ so]. So.", "It[fn:: Yes [cite:@key] so]. So."),
    ],
)
def test_what_is_typed_of_a_key_gives_way_to_it(name: str, begun: str, expected: str) -> None:
    manuscript = read(name, begun)
    assert after(manuscript, site_at(manuscript, begun.index(CURSOR)), "key") == expected


@pytest.mark.parametrize(
    ("name", "begun", "expected"),
    [
        ("a.tex", r"It works \cite{ as they say.", r"It works \cite{key} as they say."),
        ("a.md", "It works [@ as they say.", "It works [@key] as they say."),
        ("a.md", "It works @.", "It works @key."),
        ("a.md", "It works @ 3 V.", None),
        ("a.md", "It works [@a, ].", "It works [@a; @key]."),
        ("a.md", "It works [@a; see ].", "It works [@a; see @key]."),
        ("a.md", "It works [@a, p. 3].", None),
        ("a.typ", "It works #cite( as they say.", "It works #cite(<key>) as they say."),
        ("a.typ", "It works #cite(<.", "It works #cite(<key>)."),
        ("a.typ", "It works @", "It works @key"),
        ("a.typ", "It works @ 3 V.", None),
        ("a.org", "It works [cite: as they say.", "It works [cite:@key] as they say."),
        ("a.org", "It works [cite:@", "It works [cite:@key]"),
        ("a.org", "It works cite:", "It works cite:key"),
        ("a.org", "It works, and they cite: so.", None),
    ],
)
def test_what_a_sentence_has_begun_is_found(name: str, begun: str, expected: str | None) -> None:
    manuscript = read(name, begun)
    sentence = manuscript.sentences[0]
    marker = next(iter(manuscript.markers), None)
    site = begun_marker(manuscript, marker) if marker else begun_in(manuscript, sentence)
    assert after(manuscript, site, "key") == expected


@pytest.mark.parametrize(
    ("name", "begun"),
    [
        ("a.tex", r"It works \cite{a as they say."),
        ("a.md", "It works {cite:p}`a as they say."),
        ("a.typ", "It works #cite(<a as they say."),
        ("a.typ", "It works #cite(<a>, as they say."),
        ("a.org", "It works [cite:@a as they say."),
    ],
)
def test_a_marker_that_has_a_key_waits_for_none(name: str, begun: str) -> None:
    manuscript = read(name, begun)
    assert begun_marker(manuscript, manuscript.markers[0]) is None


@pytest.mark.parametrize(
    ("name", "begun", "expected"),
    [
        ("a.tex", r"It works \cite{¦.", r"It works \cite{key,b}."),
        ("a.md", "It works [@¦.", "It works [@key; @b]."),
        ("a.md", "It works @¦.", "It works @key [@b]."),
        ("a.typ", "It works #cite(<¦.", "It works #cite(<key>) @b."),
        ("a.tex", "It works \\cite{a,\n¦", "It works \\cite{a,\nkey,b}"),
        ("a.org", "It works [cite:¦", "It works [cite:@key;@b]"),
        ("a.org", "It works cite:&¦", "It works cite:&key;&b"),
        ("a.org", "It works [[cite:¦", "It works [[cite:key,b]]"),
        ("a.org", "It works [[cite:&a;&¦", "It works [[cite:&a;&key;&b]]"),
    ],
)
def test_several_keys_go_into_what_has_been_begun(name: str, begun: str, expected: str) -> None:
    manuscript = read(name, begun)
    site = begun_at(manuscript, begun.index(CURSOR))
    assert after(manuscript, site, "key", "b") == expected


def test_a_key_that_no_label_holds_is_written_as_a_string() -> None:
    manuscript = read("a.typ", begun := "It works #cite(<¦ as they say.")
    site = begun_at(manuscript, begun.index(CURSOR))
    assert after(manuscript, site, "a/b") == 'It works #cite(label("a/b")) as they say.'


@pytest.mark.parametrize(
    ("name", "piece"),
    [
        ("a.tex", r"\cite{"),
        ("a.tex", r"\footnote{\cite{a "),
        ("a.md", r"\cite{"),
        ("a.md", "^[See [@a "),
        ("a.typ", "#cite(<a"),
        ("a.org", "[cite:@a "),
    ],
)
def test_what_would_close_markers_takes_time_by_their_number(name: str, piece: str) -> None:
    def close(text: str) -> None:
        manuscript = read(name, text)
        for marker in manuscript.markers:
            closing_of(manuscript, marker)

    assert growth(lambda times: piece * times, close, 4_000 // len(piece)) < LINEAR
