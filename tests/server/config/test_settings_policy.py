"""What a `cite-lsp.toml` may decide: it comes with the draft, from whoever wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.server.config.options import Options, read_options
from cite_lsp.server.config.settings_files import read_file
from cite_lsp.server.config.settings_policy import (
    allowed_settings,
    file_settings,
    later_settings,
)

TRUSTED = WorkspacePaths(trusted=True)
DOUBTED = WorkspacePaths((Path("/paper"),), trusted=False)


def allowed(
    values: dict[str, Any], paths: WorkspacePaths = TRUSTED
) -> tuple[dict[str, Any], tuple[str, ...]]:
    settings, complaints = allowed_settings(values, "cite-lsp.toml", Path("/paper"), paths)
    return dict(settings), complaints


def test_all_that_a_file_may_not_decide_is_reported_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "cite-lsp.toml").write_text(
        'encoder = "./model"\ncorpora = ["acl", "milvus+https://host/science"]\n'
        'remote.token = "secret"\ncompletion.limit = 4\n'
    )
    values, complaints = file_settings(tmp_path, TRUSTED)
    assert read_options(("x", values)) == read_options(
        ("x", {"encoder": "./model", "corpora": ["acl"], "completion": {"limit": 4}})
    )
    assert [("science" in complaint, "remote.token" in complaint) for complaint in complaints] == [
        (True, False),
        (False, True),
    ]
    values, complaints = file_settings(tmp_path, WorkspacePaths((tmp_path,), trusted=False))
    assert (dict(values), len(complaints)) == ({"completion.limit": 4}, 2)


def test_a_file_beside_the_draft_sends_no_text_anywhere() -> None:
    address = "milvus+https://milvus.example.org:19530/science"
    values, (complaint,) = allowed({"corpora": ["acl", address]})
    assert values == {"corpora": ["acl"]}
    assert complaint == (
        f"cite-lsp.toml: the remote corpus {address} is ignored: name it in the editor's own "
        "settings (initializationOptions)"
    )
    assert allowed({"corpora": address})[0] == {"corpora": []}
    with_password = address.replace("//", "//ada:secret@")
    assert "secret" not in allowed({"corpora": with_password})[1][0]
    for harmless in ({}, {"corpora": ["acl"]}, {"corpora": 7}, {"encoder": "default"}):
        assert allowed(harmless) == (harmless, ())


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"remote": {"token": "ada:secret", "wait": 500}}, "remote.token"),
        ({"remote.certificate": "own.pem", "remote": {"wait": 500}}, "remote.certificate"),
        (
            {"remote": {"certificate": "own.pem", "token": "ada:secret", "wait": 500}},
            "remote.certificate remote.token",
        ),
    ],
)
def test_a_file_beside_the_draft_opens_no_server_and_its_secret_is_not_shown(
    values: dict[str, Any], named: str
) -> None:
    remaining, refusals = allowed(values)
    options, complaints = read_options(("cite-lsp.toml", remaining))
    assert (options.remote.token, options.remote.certificate, complaints) == ("", "", ())
    assert options.remote.wait == 500
    for name, refusal in zip(named.split(), refusals, strict=True):
        assert refusal.startswith(f"cite-lsp.toml: {name} is ignored, as others may")
        assert "secret" not in refusal
    assert allowed({"remote": {"wait": 500}}) == ({"remote.wait": 500}, ())


def test_a_file_that_nobody_vouches_for_chooses_no_models() -> None:
    values = {
        "encoder": "./model",
        "translator": "./marian",
        "corpora": ["acl"],
        "hover": {"style": "./own.csl"},
        "completion": {"limit": 3},
        "citeCommands": ["Quelle"],
        "addEntriesTo": "new.bib",
    }
    remaining, (complaint,) = allowed(values, DOUBTED)
    options, complaints = read_options(("cite-lsp.toml", remaining))
    assert (options.completion.limit, options.cite_commands, complaints) == (3, ("Quelle",), ())
    assert options == read_options(("x", {"completion.limit": 3, "citeCommands": "Quelle"}))[0]
    assert complaint == (
        "cite-lsp.toml: until the workspace is trusted, this is ignored: "
        "addEntriesTo, corpora, encoder, hover.style, translator"
    )
    assert "encoder" in allowed({"encoder": "./model"}, DOUBTED)[1][0]
    assert allowed({"hover.style": "./own.csl"}, DOUBTED)[0] == {}
    for harmless in ({}, {"completion.limit": 3}, {"bibliography": ["a.bib"]}):
        assert allowed(harmless, DOUBTED) == (harmless, ())


def test_the_paths_in_a_file_are_as_seen_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "models" / "own").mkdir(parents=True)
    (tmp_path / "cite-lsp.toml").write_text(
        'bibliography = ["refs.bib", "/all.bib", ""]\naddEntriesTo = "../new.bib"\n'
        'encoder = "models/own"\ntranslator = "models/own"\nhover.style = "own.csl"\n'
    )
    options, complaints = read_options(("x", file_settings(tmp_path, TRUSTED)[0]))
    assert not complaints
    assert options.bibliography == (str(tmp_path / "refs.bib"), "/all.bib")
    assert options.add_entries_to == str(tmp_path / "../new.bib")
    assert options.encoder == options.translator == str(tmp_path / "models" / "own")
    assert options.hover.style == str(tmp_path / "own.csl")


@pytest.mark.parametrize(
    "setting",
    [
        *('encoder = "static"', 'encoder = "models/of-another-place"', 'encoder = ""'),
        *('translator = "dictionary"', 'translator = "Helsinki-NLP/opus-mt-zh-en"'),
        *('hover.style = "apa"', 'addEntriesTo = ""', "bibliography = [7]", "encoder = 7"),
    ],
)
def test_what_is_no_path_stays_as_the_file_has_it(tmp_path: Path, setting: str) -> None:
    for model in ("static", "dictionary"):
        (tmp_path / model).mkdir()
    (tmp_path / "cite-lsp.toml").write_text(setting)
    assert read_options(("x", file_settings(tmp_path, TRUSTED)[0])) == read_options(
        ("x", read_file(tmp_path)[0])
    )


@pytest.mark.parametrize("setting", ["encoder", "translator"])
@pytest.mark.parametrize(
    "model",
    [
        *("./model", "models/own", "model", "~/model", "..", ".", "../model", "a/b/c", "/model"),
        *("owner/../model", "static/../../model"),
    ],
)
def test_the_folder_of_a_model_is_that_of_a_trusted_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, model: str
) -> None:
    for folder in ("model", "models/own"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cite-lsp.toml").write_text(f'{setting} = "{model}"\n')
    for trusted in (None, False):
        values, complaints = file_settings(tmp_path, WorkspacePaths((tmp_path,), trusted))
        assert not values and len(complaints) == 1 and setting in complaints[0]
    values, complaints = file_settings(tmp_path, WorkspacePaths((tmp_path,), trusted=True))
    assert setting in values and not complaints


@pytest.mark.parametrize(
    "setting",
    [
        *('encoder = "static"', 'encoder = "default"', 'encoder = "not-there"', "encoder = 7"),
        *('translator = "dictionary"', 'translator = "Helsinki-NLP/opus-mt-zh-en"'),
    ],
)
def test_the_name_of_a_model_is_for_any_workspace_that_nobody_doubts(
    tmp_path: Path, setting: str
) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "cite-lsp.toml").write_text(setting)
    values, complaints = file_settings(tmp_path, WorkspacePaths((tmp_path,)))
    assert len(values) == 1 and not complaints


def test_settings_of_a_folder_that_nobody_trusts_lead_outside_to_no_style(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    folder.mkdir()
    for style, count in (("own.csl", 0), ("../own.csl", 1), ("/own.csl", 1), ("apa", 0)):
        (folder / "cite-lsp.toml").write_text(f'hover.style = "{style}"\n')
        values, complaints = file_settings(folder, WorkspacePaths((folder,)))
        assert len(complaints) == count and ("hover.style" in values) == (not count)


@pytest.mark.parametrize(
    "settings",
    [
        {"corpora": ["milvus+https://attacker.example:19530/science"]},
        {"corpora": "milvus+https://attacker.example:19530/science"},
        {"remote": {"token": "secret"}},
        {"remote.certificate": "own.pem"},
        {"encoder": "./model"},
        {"translator": "../model"},
        {"hover": {"style": "../own.csl"}},
    ],
)
def test_what_an_editor_says_later_decides_no_more_than_a_file_of_the_workspace(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    paths = WorkspacePaths((tmp_path,))
    values, complaints = later_settings(settings, {}, tmp_path, paths)
    (complaint,) = complaints
    assert complaint.startswith("settings of the editor: ") and "initializationOptions" in complaint
    assert read_options(("x", values))[0] in (Options(), Options(corpora=()))
    assert later_settings(settings, settings, tmp_path, paths) == ({}, ()), "as at the start"


def test_what_an_editor_says_later_may_change_what_harms_nobody(tmp_path: Path) -> None:
    settings = {"completion": {"limit": 3}, "corpora": ["acl"], "bibliography": ["refs.bib"]}
    values, complaints = later_settings(
        settings, {"completion": {"limit": 9}}, tmp_path, WorkspacePaths((tmp_path,))
    )
    assert read_options(("x", values)) == read_options(("x", settings)) and not complaints
