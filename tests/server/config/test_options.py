"""Settings are read field by field; a bad one costs only itself."""

from __future__ import annotations

import pytest

from cite_lsp.server.config.options import Options, read_options


def test_nothing_set_means_the_defaults() -> None:
    assert read_options(("client", None), ("file", {})) == (Options(), ())
    assert Options().completion.limit == 50
    assert Options().encoder == "default"


def test_later_sources_win_setting_by_setting() -> None:
    options, complaints = read_options(
        ("file", {"encoder": "one", "completion": {"limit": 3}, "bibliography": "all.bib"}),
        ("client", {"encoder": "two", "log": {"level": "debug"}}),
    )
    assert complaints == ()
    assert (options.encoder, options.completion.limit, options.log.level) == ("two", 3, "debug")
    assert options.bibliography == ("all.bib",)


def test_citing_commands_are_named_with_or_without_their_backslash() -> None:
    options, complaints = read_options(("client", {"citeCommands": ["\\Quelle", "see*"]}))
    assert (options.cite_commands, complaints) == (("\\Quelle", "see*"), ())


def test_dotted_names_and_nulls_are_understood() -> None:
    options, complaints = read_options(("client", {"completion.limit": 7, "encoder": None}))
    assert (options.completion.limit, options.encoder, complaints) == (7, "default", ())


@pytest.mark.parametrize(
    "settings",
    [
        {"completion": {"limit": "many"}},
        {"completion": {"limit": 0}},
        {"completion": {"limit": True}},
        {"completion": 5},
        {"completion": {"size": 5}},
        {"log": {"level": "loud"}},
        {"bibliography": [1]},
        {"citeCommands": ["no good"]},
        {"citeCommands": {"a": 1}},
        {"encoder": ""},
        {"encoder": {"name": "x"}},
        {"unknown": 1},
        {"": 1},
        {1: 1},
        [],
        "text",
    ],
)
def test_a_bad_setting_is_one_complaint_and_its_default(settings: object) -> None:
    options, (complaint,) = read_options(("the editor", settings))
    assert options == Options()
    assert complaint.startswith("the editor: ")
    assert "\n" not in complaint


def test_a_complaint_shows_a_bad_value_as_settings_are_written_and_a_secret_never() -> None:
    values = {"missing": {"hints": True}, "corpora": ["a b"], "remote": {"token": ["ada:secret"]}}
    _, (hints, corpora, token) = read_options(("client", values))
    assert hints.endswith('must be one of "off", "onSave", "onType", not true')
    assert corpora.endswith(', not ["a b"]')
    assert token == "client: remote.token is ignored: it must be a text"


def test_an_editor_may_let_entries_go_where_they_go_by_default() -> None:
    project = ("cite-lsp.toml", {"addEntriesTo": "refs/new.bib"})
    options, complaints = read_options(project, ("client", {"addEntriesTo": ""}))
    assert (options.add_entries_to, complaints) == ("", ())


@pytest.mark.parametrize(
    "values",
    [
        {"bibliography": ["refs.bib", "C:\new\refs.bib"]},
        {"addEntriesTo": "C:\texts.bib"},
        {"hover": {"style": "C:\numeric.csl"}},
    ],
)
def test_a_path_with_a_control_character_says_how_to_write_it(values: object) -> None:
    (complaint,) = read_options(("file", values))[1]
    assert complaint.endswith("; write the folders of a path with /, not \\")
    assert complaint.startswith("file: ") and "has a control character in a path" in complaint


def test_a_bad_setting_leaves_the_good_ones_beside_it() -> None:
    options, complaints = read_options(("client", {"a": 1, "completion": {"limit": 9, "b": 2}}))
    assert options.completion.limit == 9
    assert len(complaints) == 2


def test_a_share_is_a_number_from_0_to_1() -> None:
    for value in (-0.1, 1.1, True, "0.5"):
        options, complaints = read_options(("x", {"missing": {"threshold": value}}))
        assert options == Options()
        assert "a number from 0 to 1" in complaints[0]
    assert read_options(("x", {"missing.confidence": 0}))[0].missing.confidence == 0.0


def test_corpora_are_named_or_addressed() -> None:
    named = ["acl", "*", "milvus+https://milvus.example.org:19530/science?years=2010-"]
    options, complaints = read_options(("client", {"corpora": named}))
    assert (options.corpora, complaints) == (tuple(named), ())
    for wrong in ("milvus+https://ada:secret@host/science", "https://host/science", "two words"):
        options, complaints = read_options(("client", {"corpora": [wrong]}))
        assert options.corpora is None
        assert "a list of names of corpora, or addresses of remote ones" in complaints[0]
        assert "secret" not in complaints[0]
