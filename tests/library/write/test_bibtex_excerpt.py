from __future__ import annotations

from pathlib import Path

from cite_lsp.library.write.excerpt import BibFile, excerpt

PATH = Path("/drafts/refs.bib")


def part(text: str, *keys: str, everything: bool = False, folds_case: bool = False) -> str:
    (only,) = parts([text], *keys, everything=everything, folds_case=folds_case)
    return only


def parts(
    texts: list[str], *keys: str, everything: bool = False, folds_case: bool = False
) -> list[str]:
    files = [BibFile.of(PATH, text) for text in texts]
    ranges = excerpt(files, keys, everything=everything, folds_case=folds_case)
    return [
        "".join(text[start:end] for start, end in stretches)
        for text, stretches in zip(texts, ranges, strict=True)
    ]


def test_an_entry_stays_as_it_is_written_with_the_comments_above_it() -> None:
    part_of_text = '% checked in May\n@Article{moor,\r\n\ttitle = "T" , YEAR=2001}  % twice\n\n'
    text = f"@book{{other}}\n\n% a heading\n\n{part_of_text}@book{{third}}\n"
    assert part(text, "moor") == part_of_text


def test_entries_stand_in_the_order_of_the_file() -> None:
    assert part("@a{c}\n@a{b}\n@a{a}\n", "a", "c") == "@a{c}\n@a{a}\n"


def test_what_an_entry_names_comes_with_it() -> None:
    text = (
        "@inproceedings{part, crossref = {whole}, xdata = {place}}\n"
        "@set{both, entryset = {one, two}}\n"
        "@misc{one, related = {three}}\n@misc{two}\n@misc{three, note = {See \\cite{four}}}\n"
        "@misc{four, abstract = {as in \\cite{five}}}\n@misc{five}\n"
        "@proceedings{whole}\n@xdata{place}\n@misc{apart}\n"
    )
    part_of_text = part(text, "part", "both")
    missing = [line for line in text.splitlines() if line not in part_of_text]
    assert missing == ["@misc{five}", "@misc{apart}"]


def test_an_alias_leads_to_its_entry() -> None:
    assert part("@a{new, ids = {old, older}}\n@a{b}\n", "older") == "@a{new, ids = {old, older}}\n"


def test_macros_in_use_are_defined() -> None:
    text = (
        "@string{acm = {ACM}}\n@string(ieee = {IEEE})\n@string{press = acm # { Press}}\n"
        "@STRING{logo = {\\logo}}\n@preamble{Logo # {\\relax}}\n"
        "@book{a, publisher = Press}\n@book{b, publisher = ieee}\n"
    )
    assert part(text, "a") == "".join(
        line for line in text.splitlines(keepends=True) if "ieee" not in line
    )


def test_a_macro_of_an_earlier_file_is_defined() -> None:
    macros = "@string{acm = {ACM}}\n@string{none = {None}}\n"
    assert parts([macros, "@book{a, publisher = acm}\n"], "a") == [
        "@string{acm = {ACM}}\n",
        "@book{a, publisher = acm}\n",
    ]


def test_the_first_entry_of_a_key_counts() -> None:
    assert parts(["@a{x, year = 1}\n@a{x, year = 2}\n", "@a{x, year = 3}\n"], "x") == [
        "@a{x, year = 1}\n",
        "",
    ]


def test_the_case_of_keys_counts_unless_it_is_folded() -> None:
    text = "@a{Moor}\n@a{moor}\n"
    assert part(text, "moor") == "@a{moor}\n"
    assert part(text, "moor", folds_case=True) == text


def test_everything_leaves_out_what_is_no_entry_alone() -> None:
    text = "% a heading\n\n@a{x}\n@string{y = {z}}\n@a{v}\n@comment{c}\n"
    assert part(text, everything=True) == "@a{x}\n@a{v}\n"


def test_switches_of_styles_are_needed_whoever_cites() -> None:
    text = '@IEEEtranBSTCTL{bst, CTLuse_url = "no"}\n@a{x}\n@a{v}\n'
    assert part(text, "x") == '@IEEEtranBSTCTL{bst, CTLuse_url = "no"}\n@a{x}\n'


def test_the_encoding_is_noted_for_jabref() -> None:
    text = "% Encoding: ISO8859_1\n@a{x}\n@a{v}\n"
    assert part(text, "v") == "% Encoding: ISO8859_1\n@a{v}\n"
    assert part(text, "x") == "% Encoding: ISO8859_1\n@a{x}\n"
