"""`suggest`: for a place of a draft, or for all its markers and bare sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.cli.printing import output
from cite_lsp.library.text.invisible_characters import printable
from cite_lsp.project.draft import Draft
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.engine import Completion, DraftRecommender
from tests.cli.conftest import TEX, TITLES, Outcome

Command = Callable[..., Outcome]


def test_without_a_line_every_marker_and_every_bare_sentence_is_answered(command: Command) -> None:
    outcome = command("suggest", "draft.tex", "--json")
    assert outcome.status == 0 and outcome.err.startswith("draft.tex, places: 3 of 3")
    assert outcome.json["file"].endswith("draft.tex") and outcome.json["semantic"] is True
    assert [(place["line"], place["column"]) for place in outcome.json["places"]] == [
        (4, 49),
        (6, 1),
        (8, 49),
    ]
    firsts = [place["recommendations"][0]["key"] for place in outcome.json["places"]]
    assert firsts == ["transformer", "marsh", "gulls"]


@pytest.mark.parametrize(
    "arguments",
    [("suggest", "draft.tex"), ("check", "draft.tex"), ("search", "gulls", "-b", "refs.bib")],
)
def test_where_getting_a_library_ready_takes_long_that_is_said_once(
    command: Command, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setattr(output, "UNANNOUNCED_SECONDS", 0.0)
    message = "getting the library ready, which takes longest the first time …\n"
    assert command(*arguments).err.count(message) == 1
    monkeypatch.setattr(output, "UNANNOUNCED_SECONDS", 600.0)
    assert message not in command(*arguments).err


def test_each_list_is_printed_when_it_is_made(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = DraftRecommender.complete

    def fail_in_the_last(
        recommender: DraftRecommender, draft: Draft, offset: int, *, limit: int, ahead: bool
    ) -> Completion | None:
        if offset > TEX.index("Herring"):
            raise RankerError("no ranker here")
        return complete(recommender, draft, offset, limit=limit, ahead=ahead)

    monkeypatch.setattr(DraftRecommender, "complete", fail_in_the_last)
    outcome = command("suggest", "draft.tex")
    assert outcome.status == 1
    assert [line for line in outcome.out.splitlines() if line.startswith("draft.tex:")] == [
        "draft.tex:4:49: Machine translation needs attention alone.",
        "draft.tex:6:1: Marshes grow where silt settles.",
    ]


def test_a_line_means_its_first_marker_or_its_sentence(command: Command) -> None:
    for line, key in ((4, "transformer"), (6, "marsh"), (8, "gulls")):
        outcome = command("suggest", f"draft.tex:{line}", "--json", "-k", "2")
        (place,) = outcome.json["places"]
        assert place["line"] == line
        assert place["recommendations"][0]["key"] == key
        assert len(place["recommendations"]) == 2


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("list.md", "- Herring gulls nest."),
        ("list.md", "> Herring gulls nest."),
        ("list.org", "1. Herring gulls nest."),
        ("list.typ", "+ Herring gulls nest."),
        ("list.tex", "\\item Herring gulls nest."),
        ("list.tex", "\\emph{Herring} gulls nest."),
    ],
)
def test_a_line_may_begin_with_what_is_none_of_its_sentence(
    command: Command, desk: Path, name: str, line: str
) -> None:
    (desk / name).write_text(f"Text.\n\n{line}\n")
    (place,) = command("suggest", f"{name}:3", "--json").json["places"]
    assert place["sentence"] == "Herring gulls nest."
    assert place["recommendations"][0]["key"] == "gulls"


@pytest.mark.parametrize(("line", "column"), [(4, 10), (4, 49), (6, 1), (8, 49), (8, 9999)])
def test_a_column_is_where_the_cursor_stands(command: Command, line: int, column: int) -> None:
    (place,) = command("suggest", f"draft.tex:{line}:{column}", "--json").json["places"]
    assert place["line"] == line
    assert place["column"] == min(column, len(TEX.splitlines()[line - 1]) + 1)
    assert place["recommendations"]


def test_what_is_typed_before_the_cursor_narrows_the_answer(command: Command, desk: Path) -> None:
    (desk / "draft.tex").write_text(TEX.replace(r"\citep{}", r"\citep{vec}"))
    (place,) = command("suggest", "draft.tex:8:52", "--json").json["places"]
    assert [item["key"] for item in place["recommendations"]] == ["vectors"]


def test_a_draft_is_called_as_it_was_named(command: Command) -> None:
    assert command("suggest", "draft.tex:8", "-k", "1").out.startswith("draft.tex:8:49: Herring")
    assert command("suggest", "draft.tex:99").error.startswith("draft.tex: line 99 is not in")
    assert command("suggest", "gone.tex").error == "gone.tex: no such file"


def test_a_recommendation_holds_its_paper_and_its_reason(command: Command) -> None:
    (place,) = command("suggest", "draft.tex:8", "--json").json["places"]
    best = place["recommendations"][0]
    assert place["sentence"].startswith("Herring gulls build nests near the shore")
    assert best["paper"]["title"] == TITLES["gulls"]
    assert (best["paper"]["authors"], best["paper"]["year"]) == (["Ada Moor"], 2001)
    assert "Gull" in best["why"]
    scores = [item["score"] for item in place["recommendations"]]
    assert scores == sorted(scores, reverse=True)


def test_reasons_are_in_the_language_of_the_draft(command: Command, desk: Path) -> None:
    text = "---\nbibliography: refs.bib\n---\n海鸥 Herring Gull 在岸边筑巢，年年如此 [@]。\n"
    (desk / "chinese.md").write_text(text, encoding="utf-8")
    (place,) = command("suggest", "chinese.md", "--json").json["places"]
    (why,) = (item["why"] for item in place["recommendations"] if item["key"] == "gulls")
    assert "共有词语" in why
    assert f"      {why}\n" in command("suggest", "chinese.md").out


def test_markdown_is_read_too(command: Command) -> None:
    places = command("suggest", "notes.md", "--json").json["places"]
    firsts = {place["line"]: place["recommendations"][0]["key"] for place in places}
    assert firsts == {6: "vectors", 8: "marsh"}


def test_for_people_there_is_a_line_a_place_and_two_a_paper(command: Command) -> None:
    lines = command("suggest", "draft.tex:8", "-k", "1").out.splitlines()
    assert lines[0].endswith("draft.tex:8:49: Herring gulls build nests near the shore.")
    assert lines[1] == f"   1. gulls  Moor 2001: {TITLES['gulls']}"
    assert lines[2].startswith("      ")


def test_a_paper_without_authors_goes_by_its_title_once(command: Command, desk: Path) -> None:
    (desk / "only.bib").write_text("@misc{gulls, title = {Of herring gulls}, year = 2001}\n")
    (desk / "alone.tex").write_text("Gulls \\cite{}.\n\\bibliography{only}\n")
    out = command("suggest", "alone.tex:1").out
    assert "1. gulls  Of herring gulls 2001\n" in out and out.count("Of herring gulls") == 1


def test_an_entry_without_a_title_goes_by_its_authors(command: Command, desk: Path) -> None:
    (desk / "only.bib").write_text("@misc{moor, author = {Moor, A.}, year = 2001}\n@misc{none,}\n")
    (desk / "alone.tex").write_text("Gulls \\cite{}.\n\\bibliography{only}\n")
    lines = command("suggest", "alone.tex:1").out.splitlines()
    assert [line.strip() for line in lines[1:4:2]] == ["1. moor  Moor 2001", "2. none  (no title)"]


def test_a_main_file_without_sentences_stands_for_the_files_that_have_them(
    command: Command, desk: Path
) -> None:
    (desk / "chapters").mkdir()
    names = [f"chapters/c{number}.tex" for number in range(3)]
    for name in names:
        (desk / name).write_text("\nGulls nest.\n")
    inputs = "".join(f"\\include{{{name}}}\n" for name in names)
    (desk / "book.tex").write_text(f"\\documentclass{{book}}\n{inputs}\\bibliography{{refs}}\n")
    assert [line for line in command("suggest", "book.tex").out.splitlines() if "nest" in line] == [
        f"{name}:2:1: Gulls nest." for name in names
    ]
    places = command("suggest", "book.tex", "--json").json["places"]
    assert [place["file"] for place in places] == [str(desk / name) for name in names]
    assert all(place["line"] == 2 and place["recommendations"] for place in places)


def test_a_bibliography_may_be_given_beside_the_draft(command: Command, desk: Path) -> None:
    (desk / "bare.md").write_text("Marshes grow where silt settles.\n")
    outcome = command("suggest", "bare.md", "--json", "-b", "refs.bib")
    assert outcome.json["places"][0]["recommendations"][0]["key"] == "marsh"


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("gone.bib", "gone.bib: the bibliography does not exist: create it or correct its name"),
        (".", ".: the bibliography is a folder: name a .bib file in it"),
    ],
)
def test_a_bibliography_that_is_given_must_be_there(
    command: Command, named: str, message: str
) -> None:
    outcome = command("suggest", "draft.tex:6", "-b", named)
    assert outcome.error == message
    assert outcome.err.count("\n") == 1, "told once"


def test_an_empty_one_is_reported_and_the_others_serve(command: Command, desk: Path) -> None:
    (desk / "new.bib").touch()
    outcome = command("suggest", "draft.tex:6", "--json", "-b", "new.bib")
    assert outcome.status == 0 and "new.bib:1: the bibliography is empty" in outcome.err
    assert outcome.json["places"][0]["recommendations"]


def test_a_bibliography_may_be_given_that_the_draft_names_too(command: Command, desk: Path) -> None:
    twice = ("-b", "refs.bib", "-b", f"../{desk.name}/refs.bib")
    outcome = command("suggest", "draft.tex:6", "--json", *twice)
    assert (outcome.status, outcome.err) == (0, "")


def test_a_problem_of_the_bibliography_is_reported_on_stderr(command: Command, desk: Path) -> None:
    with (desk / "refs.bib").open("a") as file:
        file.write("@article{broken, title = {No end")
    outcome = command("suggest", "draft.tex:6", "--json")
    assert outcome.status == 0
    assert outcome.err.startswith("refs.bib:")
    assert outcome.json["places"]


def test_without_its_encoder_the_answer_is_by_words(
    command: Command, desk: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (desk / "cite-lsp.toml").write_text('encoder = "gone"\n', encoding="utf-8")
    outcome = command("suggest", "draft.tex:8", "--json")
    assert outcome.json["semantic"] is False
    assert outcome.json["places"][0]["recommendations"][0]["key"] == "gulls"
    assert "ranking by words only" in caplog.text


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("gone.tex", "gone.tex: no such file"),
        ("gone.tex:4", "gone.tex: no such file"),
        (".", ".: is a folder; name a draft in it, such as paper.tex"),
        ("refs.bib", "cannot be read as a draft"),
        ("draft.tex:2", "there is no sentence and no citation in line 2"),
        ("draft.tex:99", "line 99 is not in the file, which has 11"),
        ("draft.tex:0", "line 0 is not in the file, which has 11"),
    ],
)
def test_a_place_that_is_not_there_is_one_line(command: Command, place: str, message: str) -> None:
    assert message in command("suggest", place).error


def test_a_draft_without_bibliography_says_what_to_do(command: Command, desk: Path) -> None:
    draft = desk.parent / "elsewhere" / "bare.tex"
    draft.parent.mkdir()
    draft.write_text("Marshes grow where silt settles.\n")
    assert "with --bibliography" in command("suggest", draft).error


def test_a_file_whose_name_ends_in_a_number_is_itself(command: Command, desk: Path) -> None:
    odd = desk / "odd:6.tex"
    odd.write_text(TEX)
    assert len(command("suggest", "odd:6.tex", "--json").json["places"]) == 3
    assert len(command("suggest", "odd:6.tex:6", "--json").json["places"]) == 1


LIBRARIES = {
    "refs.json": '[{{"id": "{0}", "title": "{1}"}},\n {{"id": "other", "title": "X"}}]',
    "refs.yaml": "references:\n- id: {0}\n  title: {1}\n- id: other\n  title: X\n",
    "refs.yml": "{0}:\n  type: Book\n  title: {1}\nother: {{type: Book, title: X}}\n",
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_markdown_draft_is_answered_from_a_library_in_any_format(
    command: Command, desk: Path, name: str
) -> None:
    (desk / name).write_text(LIBRARIES[name].format("marsh/2011", TITLES["marsh"]))
    text = f"---\nbibliography: {name}\n---\nMarshes grow where silt settles [@].\n"
    (desk / "tiny.md").write_text(text)
    outcome = command("suggest", "tiny.md", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    keys = [item["key"] for item in outcome.json["places"][0]["recommendations"]]
    assert keys == ["marsh/2011", "other"]


def test_a_draft_is_answered_from_the_references_it_holds_itself(
    command: Command, desk: Path
) -> None:
    text = (
        "---\nreferences:\n- id: silt\n  title: Silt\n---\nMarshes grow where silt settles [@si].\n"
    )
    (desk / "tiny.md").write_text(text)
    (place,) = command("suggest", "tiny.md:6:36", "--json").json["places"]
    assert [item["key"] for item in place["recommendations"]] == ["silt"]


def test_what_was_dismissed_for_a_sentence_is_left_out_there(command: Command, desk: Path) -> None:
    from cite_lsp.recommend.missing.dismissed import Dismissals

    Dismissals(desk).dismiss("Marshes grow where silt settles.", "marsh")
    (place,) = command("suggest", "draft.tex:6", "--json", "-k", "3").json["places"]
    keys = [item["key"] for item in place["recommendations"]]
    assert len(keys) == 3 and "marsh" not in keys


OWN = "Marshes grow where silt settles \\quelle{}.\n"


@pytest.fixture
def project(desk: Path) -> Path:
    """A folder below that of its settings, with a draft that names no bibliography."""
    (desk / "cite-lsp.toml").write_text('citeCommands = ["quelle"]\nbibliography = ["refs.bib"]\n')
    (desk / "chapters").mkdir()
    (desk / "chapters" / "one.tex").write_text(OWN)
    return desk


def test_the_settings_of_the_project_count(command: Command, project: Path) -> None:
    outcome = command("suggest", "chapters/one.tex", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    (place,) = outcome.json["places"]
    assert place["column"] == OWN.index("{}") + 2, "a command of the settings is a marker"
    assert place["recommendations"][0]["key"] == "marsh"


def test_a_bibliography_stands_beside_those_of_the_settings(
    command: Command, project: Path
) -> None:
    (project / "more.bib").write_text("@book{extra, title = {Silt that settles}}\n")
    outcome = command("suggest", "chapters/one.tex", "--json", "-b", "more.bib")
    keys = {item["key"] for item in outcome.json["places"][0]["recommendations"]}
    assert {"marsh", "extra"} <= keys


def test_the_corpora_of_the_settings_take_part_unless_others_are_named(
    command: Command, project: Path
) -> None:
    command("index", "dump.jsonl", "--corpus", "sea")
    (project / "refs.bib").write_text("@book{other, title = {Another}}\n")

    def corpora(*more: str) -> set[str]:
        document = command("suggest", "chapters/one.tex", "--json", *more).json
        (place,) = document["places"]
        return {item["corpus"] for item in place["recommendations"] if "corpus" in item}

    assert corpora() == {"sea"}
    with (project / "cite-lsp.toml").open("a") as file:
        file.write("corpora = []\n")
    assert corpora() == set()
    assert corpora("--corpus", "sea") == corpora("--corpus", "*") == {"sea"}


def test_the_translator_of_the_settings_is_used(
    command: Command, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (project / "cite-lsp.toml").open("a") as file:
        file.write('translator = "gone"\n')
    (project / "chapters" / "one.tex").write_text("盐沼在淤泥沉积处生长 \\quelle{}。\n", "utf-8")
    command("suggest", "chapters/one.tex", "--translator", "dictionary")
    assert "lexicon alone" not in caplog.text
    command("suggest", "chapters/one.tex")
    assert "lexicon alone" in caplog.text


def test_settings_that_are_ignored_are_reported(command: Command, project: Path) -> None:
    with (project / "cite-lsp.toml").open("a") as file:
        file.write('corpora = ["milvus+https://far.example/papers"]\n[nonsense]\nx = 1\n')
    outcome = command("suggest", "chapters/one.tex", "--json")
    assert outcome.status == 0
    assert "unknown setting “nonsense.x” ignored" in outcome.err
    assert "the remote corpus milvus+https://far.example/papers is ignored" in outcome.err


def test_the_whole_file_begins_with_its_text_and_not_with_its_authors(
    command: Command, desk: Path
) -> None:
    authors = (
        "\\begin{center}\nAda Moor and Jo Kim\n\nDepartment of Tides, University of Reedham\n"
        "\\end{center}\n\\section*{Acknowledgements}\nWe thank all who waded with us.\n"
        "\\section{Introduction}\n"
    )
    begin = "\\begin{document}\n"
    assert begin in TEX
    (desk / "draft.tex").write_text(TEX.replace(begin, begin + authors))
    places = command("suggest", "draft.tex", "--json").json["places"]
    assert [place["line"] for place in places] == [12, 14, 16]
    # Where there is nothing else it is answered all the same.
    (desk / "thanks.md").write_text(
        "---\nbibliography: refs.bib\n---\n# Acknowledgements\n\nWe thank all who waded with us.\n"
    )
    assert len(command("suggest", "thanks.md", "--json").json["places"]) == 1


def test_nothing_printed_is_obeyed_by_a_terminal() -> None:
    text = "A\x1b]0;owned\x07 \x9b31m\u202etitle\t李\n"
    assert printable(text) == "A\ufffd]0;owned\ufffd \ufffd31m\ufffdtitle\t李\n"


@pytest.mark.parametrize("rest", ["-3", "8:abc", "abc", "", "8:", "8:2:1"])
def test_a_line_or_column_that_is_no_number_is_reported_as_such(
    command: Command, rest: str
) -> None:
    misuse = command("suggest", f"draft.tex:{rest}").misuse
    assert misuse == (
        f"draft.tex:{rest}: “{rest}” is no line and no line with a column; write FILE:LINE or"
        " FILE:LINE:COLUMN, numbers from 1"
    )
