"""What a recipe writes beside a trained model: its card and its `config.json`.

The card says what the model is, from which data, by which command, and how good it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import field, frozen

from cite_lsp.encode.checkpoints import checksum_of
from cite_lsp.train.run.report import Figures, markdown_table

OWN_LICENCE = "Apache-2.0"
"""That of weights which are all our own."""
_FILES = ("file", "bytes", "sha256")
"""The headings of the table that ends every card."""


@frozen
class Origin:
    """For the card: what the data is and its licences, the command of the run, and its recipe.

    file: that of the recipe, from the root of the repository.
    """

    data: str
    command: str
    file: str


@frozen
class Card:
    """What a recipe says of the models that it makes; the rest of a card is the same for all.

    The texts are templates, filled in with what `write` is given: `name` and `data`, as the command
    has it, `file`, where the recipe stands, and what else the recipe knows.

    what: what the model is. measured: what the figures are of. below: what stands below them.
    files: those whose size and checksum the card has. All others are the points of a list: data,
    recipe, form and licence, and further `points` by their names.
    """

    what: str
    data: str
    recipe: str
    form: str
    licence: str
    measured: str
    files: Sequence[str]
    points: Mapping[str, str] = field(factory=dict)
    below: str = ""

    def write(
        self,
        folder: Path,
        origin: Origin,
        figures: Sequence[Figures],
        **facts: Any,  # noqa: ANN401 - whatever can be written out
    ) -> list[Figures]:
        """Write `README.md` beside the model in a folder; returns the figures in it.

        Raises:
            OSError: it cannot be written.
        """
        values = {"name": folder.name, "data": origin.data, "file": origin.file} | facts
        points = {
            "Data": self.data.format(**values),
            "Recipe": self.recipe.format(**values),
            "Command": f"`{origin.command}`",
            **{name: text.format(**values) for name, text in self.points.items()},
            "Form": self.form.format(**values),
            "Licence": self.licence.format(**values),
        }
        files = "\n".join(file_row(folder, folder / name) for name in self.files)
        parts = [
            f"# {values['name']}",
            self.what.format(**values),
            "\n".join(f"- **{name}** {_indented(text)}" for name, text in points.items()),
            self.measured.format(**values),
            *(table.markdown() for table in figures),
            self.below.format(**values),
            f"{markdown_table(_FILES, ())}\n{files}",
        ]
        text = "\n\n".join(part.strip() for part in parts if part)
        (folder / "README.md").write_text(f"{text}\n", encoding="utf-8")
        return list(figures)


def _indented(text: str) -> str:
    return text.strip().replace("\n", "\n  ")


def write_config(folder: Path, config: Mapping[str, object]) -> None:
    """Write what a trained model says of itself into its folder, which is made where it is missing.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(config, indent=1, ensure_ascii=False) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8")


def settings_line(settings: Mapping[str, object]) -> str:
    """Write settings out for a card: "batch size 32, seed 13"."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in settings.items())


def file_row(folder: Path, path: Path, owner: str = "") -> str:
    """Return the row of a file of a folder: name, bytes, sha256; and whose it is, if another's."""
    name = path.relative_to(folder).as_posix()
    whose = f" of `{owner}`" if owner else ""
    return f"| `{name}`{whose} | {path.stat().st_size:,} | `{checksum_of(path)}` |"


def gains_line(config: Mapping[str, Any], count: int = 8) -> str:
    """Write out for a card what trees gain most from: "near_words 17%, both 6%"."""
    return ", ".join(f"{name} {share:.0%}" for name, share in list(config["gain"].items())[:count])


def renew_files(folder: Path, rows: Mapping[str, str], note: str = "") -> None:
    """Put rows of files, by their names, into the card of a folder, and a note below them.

    A row takes the place of the one that the card has of that file; those of files that it did not
    know end the table, but `config.json` is only renewed.

    Raises:
        OSError: the card cannot be read or written.
    """
    card = folder / "README.md"
    lines = card.read_text(encoding="utf-8").splitlines()
    end = lines.index(f"| {' | '.join(_FILES)} |") + 1
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    listed_names = [name for name in rows if any(line.startswith(f"| `{name}`") for line in lines)]
    for name in listed_names:
        lines = [rows[name] if line.startswith(f"| `{name}`") else line for line in lines]
    added = [row for name, row in rows.items() if name not in (*listed_names, "config.json")]
    lines[end:end] = added
    if note and note not in "\n".join(lines):
        lines[end + len(added) : end + len(added)] = ["", *note.splitlines()]
    card.write_text("\n".join([*lines, ""]), encoding="utf-8")
