"""A project as it is kept, from one opening to the next."""

from __future__ import annotations

import gc
import time
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from cite_lsp.library import LibraryCache
from cite_lsp.manuscript import Commands, Manuscript, parse
from cite_lsp.paper import Paper
from cite_lsp.project import project as project_module
from cite_lsp.project.bibliographies import inline_bibliographies
from cite_lsp.project.entry_target import EntryTarget, entry_target
from cite_lsp.project.files import inclusion
from cite_lsp.project.files.inclusion import DraftFiles
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import ProjectCache
from tests.project.projects import MAIN, Open, Write, names
from tests.sample_drafts import FOLDERS, REAL, SHIPPED, name_of

pytestmark = pytest.mark.usefixtures("no_home")


class TestCache:
    def test_while_nothing_changes_the_project_is_the_same_object(self, write: Write) -> None:
        main = write("main.tex", MAIN % "\\input{a}\\bibliography{refs}")
        cache, read, part = ProjectCache(), FilesOnDisk().read, write("a.tex", "Prose")
        assert cache.open(main, read) is cache.open(main, read)
        assert cache.open(part, read) is cache.open(part, read)

    def test_a_keystroke_parses_the_changed_file_only(self, write: Write) -> None:
        main = write("main.tex", MAIN % "\\input{a}\\input{b}")
        part, other = write("a.tex", "Prose"), write("b.tex", "More")
        cache, disk = ProjectCache(), FilesOnDisk().read
        before = cache.open(part, disk)
        after = cache.open(part, lambda path: "Prose!" if path == part else disk(path))
        assert [path for path, _ in after.files] == [main, part, other]
        assert after.manuscript(main) is before.manuscript(main)
        assert after.manuscript(other) is before.manuscript(other)
        assert [manuscript.text for manuscript in after.document.files][1] == "Prose!"

    def test_a_main_file_written_later_is_noticed(self, write: Write) -> None:
        cache, read, part = ProjectCache(), FilesOnDisk().read, write("a.tex", "Prose")
        assert cache.open(part, read).root == part
        main = write("main.tex", MAIN % "\\input{a}")
        assert cache.open(part, read).root == main
        write("main.tex", MAIN % "no longer")
        assert cache.open(part, read).root == part

    def test_a_main_file_that_includes_it_in_the_editor_alone_is_noticed(
        self, write: Write
    ) -> None:
        main, part, disk = write("main.tex", MAIN % ""), write("a.tex", "Prose"), FilesOnDisk().read
        buffers = {main: MAIN % ""}
        cache = ProjectCache(buffer=buffers.get)

        def root() -> Path:
            return cache.open(part, lambda path: buffers.get(path) or disk(path)).root

        assert root() == part
        buffers[main] = MAIN % "\\input{a}"
        assert root() == main
        del buffers[main]  # closed, and never saved
        assert root() == part

    @pytest.mark.parametrize("before", ["Nothing yet", None])
    def test_a_file_between_that_comes_to_include_it_is_noticed(
        self, before: str | None, write: Write
    ) -> None:
        main, part = (
            write("main.tex", MAIN % "\\input{parts/all}"),
            write("chapters/a.tex", "Prose"),
        )
        if before:
            write("parts/all.tex", before)
        cache, read = ProjectCache(), FilesOnDisk().read
        assert cache.open(part, read).root == part
        write("parts/all.tex", "\\input{chapters/a}")
        assert cache.open(part, read).root == main

    def test_a_keystroke_in_a_part_looks_for_no_main_file_again(self, write: Write) -> None:
        write("main.tex", MAIN % "\\input{a}")
        other, part, disk = (
            write("other.tex", MAIN % ""),
            write("a.tex", "Prose"),
            FilesOnDisk().read,
        )
        cache, paths_read = ProjectCache(), list[Path]()

        def read(path: Path) -> str | None:
            paths_read.append(path)
            return "Prose!" if path == part else disk(path)

        cache.open(part, disk)
        cache.open(part, read)
        assert part in paths_read and other not in paths_read

    def test_projects_may_be_opened_from_several_threads(self, write: Write) -> None:
        main = write("main.tex", MAIN % "\\input{a}")
        write("a.tex", "Prose")
        cache, read = ProjectCache(), FilesOnDisk().read
        with ThreadPoolExecutor(8) as pool:
            opened = list(pool.map(lambda _: cache.open(main, read), range(64)))
        assert all(project is opened[0] for project in opened)

    def test_a_project_that_is_slow_to_read_keeps_nobody_from_another(self, write: Write) -> None:
        slow, quick = write("one/slow.tex", MAIN % ""), write("two/quick.tex", MAIN % "")
        cache, disk = ProjectCache(), FilesOnDisk().read
        reading, release = Event(), Event()

        def read(path: Path) -> str | None:
            reading.set()
            release.wait(60)
            return disk(path)

        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(cache.open, slow, read)
            assert reading.wait(60)
            try:
                second = pool.submit(cache.open, quick, disk)
                assert second.result(30).root == quick
            finally:
                release.set()
            assert first.result(60).root == slow

    def test_a_file_of_a_project_is_parsed_once_though_all_its_files_are_opened_at_once(
        self, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        paths = [
            write("main.tex", MAIN % "\\input{a}\\input{b}\\input{c}"),
            *(write(f"{name}.tex", f"Prose of {name}.") for name in "abc"),
        ]
        disk, parsed = FilesOnDisk().read, list[str]()

        def slow_parse(text: str, format: str, commands: Commands, **rest: Any) -> Manuscript:  # noqa: ANN401 - as of `parse`
            time.sleep(0.01)
            parsed.append(text)
            return parse(text, format, commands, **rest)

        monkeypatch.setattr(inclusion, "parse", slow_parse)
        cache = ProjectCache()
        for path in paths:
            cache.open(path, disk)
        in_turn, parsed[:], cache = Counter(parsed), [], ProjectCache()
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda path: cache.open(path, disk), paths * 3))
        assert Counter(parsed) == in_turn

    def test_projects_are_let_go_of_while_others_are_opened(
        self, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(project_module, "_MOST_CHARACTERS", 0)
        monkeypatch.setattr(project_module, "_PROJECTS_HELD", 1)
        paths = [write(f"{number}/main.tex", MAIN % f"Of {number}") for number in range(12)]
        cache, read = ProjectCache(), FilesOnDisk().read
        with ThreadPoolExecutor(4) as pool:
            opened = list(pool.map(lambda path: cache.open(path, read), paths * 8))
        assert [project.root for project in opened] == paths * 8


REAL_DRAFTS = [
    ("symmetry-book/group.tex", "book.tex", 20),
    ("ferigo-phd-thesis/Chapters/prologue.tex", "thesis.tex", 20),
    ("mecca-phd-thesis/strategy/fake_lepton_estimation.tex", "thesis.tex", 70),
    ("liweitianux-phd/src/chap-simulation.tex", "thesis.tex", 15),
    ("lirui-caes-phd/data/chap03.tex", "main.tex", 10),
    ("celerite/paper/ms.tex", "ms.tex", 9),
    ("prosecutors-fallacy/doc/prosecutor/fallacy.tex", "fallacy.tex", 1),
    ("yellowpaper/Paper.tex", "Paper.tex", 1),
    ("gmr/paper/paper.md", "paper.md", 1),
    ("crump-statistics/03-Correlation.qmd", "index.qmd", 10),
    ("noise-phenomena/appendixB/appendixB.Rmd", "appendixB.Rmd", 1),
]
SHIPPED_DRAFTS = [
    ("thesis/chapters/methods.tex", "main.tex", 3),
    ("chinese/data/chap02.tex", "main.tex", 3),
    ("letter/letter.tex", "letter.tex", 1),
    ("notes/paper.md", "paper.md", 1),
    ("book/survival.qmd", "survival.qmd", 1),
    ("book/levels.Rmd", "levels.Rmd", 1),
]


@pytest.mark.parametrize(
    ("drafts", "draft", "root", "count"),
    [
        *((SHIPPED, *row) for row in SHIPPED_DRAFTS),
        *((REAL, *row) for row in REAL_DRAFTS if REAL in FOLDERS),
    ],
    ids=lambda value: name_of(value) if isinstance(value, Path) else str(value),
)
def test_every_key_that_a_draft_cites_is_in_its_library(
    drafts: Path, draft: str, root: str, count: int
) -> None:
    project = ProjectCache().open(drafts / draft, read=FilesOnDisk().read, workspace=drafts)
    assert project.root.name == root and len(project.files) >= count
    library = LibraryCache().load(project.bibliographies, project.inline)
    markers = [marker for text in project.document.files for marker in text.markers]
    cited = {key.text for marker in markers for key in marker.keys}
    assert cited and {key for key in cited if not library.get(key)} == set()


def test_files_that_nobody_names_stay_together_while_one_of_them_is_replaced(
    write: Write, tmp_path: Path
) -> None:
    write("above.bib", "")
    first, second = write("part/a.bib", ""), write("part/b.bib", "")
    draft, replaced = write("part/a.tex", "Prose"), {first}
    cache, read = ProjectCache(lingers=replaced.__contains__), FilesOnDisk().read

    def bibliographies() -> list[Path]:
        return list(cache.open(draft, read, tmp_path).bibliographies)

    assert bibliographies() == [first, second]
    first.unlink()
    assert bibliographies() == [first, second]
    second.unlink()
    assert bibliographies() == [first], "and none of the folder above"
    replaced.clear()
    assert bibliographies() == [tmp_path / "above.bib"]


def test_a_label_is_no_key_in_any_file_of_a_typst_draft(write: Write, opened: Open) -> None:
    main = write("main.typ", '#include "one.typ"\n#include "two.typ"\n#bibliography("refs.bib")')
    write("one.typ", '= Intro <intro>\n#label("dyn")\nSee @two.')
    two = write("two.typ", "= Two <two>\nSee @intro, @dyn and @luz.")
    cache, read = ProjectCache(), FilesOnDisk().read
    project = cache.open(two, read)
    assert project.root == main
    assert [mention.keys for mention in project.document.mentions] == [("luz",)]
    assert cache.open(two, read) is project, "nothing is parsed twice"
    write("one.typ", "= Intro <into>\nSee @two.")
    after = cache.open(two, read)
    assert [mention.keys[0] for mention in after.document.mentions] == ["intro", "dyn", "luz"]


def test_commands_that_the_settings_name_cite_in_every_file(tmp_path: Path) -> None:
    main, chapter = tmp_path / "main.tex", tmp_path / "one.tex"
    main.write_text(
        "\\documentclass{article}\\begin{document}\\input{one} \\Quelle{b}\\end{document}",
        encoding="utf-8",
    )
    chapter.write_text("As \\Quelle[3]{a}.", encoding="utf-8")
    cache, read = ProjectCache(["\\Quelle"]), FilesOnDisk().read
    project = cache.open(chapter, read)
    assert [mention.keys[0] for mention in project.document.mentions] == ["a", "b"]
    assert cache.open(chapter, read) is project, "nothing is parsed twice"
    assert ProjectCache().open(chapter, read=read).document.mentions == ()


def test_typing_in_the_prose_leaves_the_references_of_the_draft_the_same_object(
    write: Write, tmp_path: Path
) -> None:
    cache, text = ProjectCache(), "---\nreferences:\n- id: own\n  title: Mine\n---\nSee.\n"
    path = write("draft.md", text)
    before = cache.open(path, lambda _: text, tmp_path)
    after = cache.open(path, lambda file: text + "More." if file == path else None, tmp_path)
    assert after is not before and after.inline[0] is before.inline[0]


def test_an_abbreviation_is_read_wherever_the_draft_explains_it(tmp_path: Path) -> None:
    main, chapter, other, names = (
        tmp_path / f"{name}.tex" for name in ("main", "one", "two", "names")
    )
    main.write_text(
        "\\documentclass{article}\\begin{document}\\input{one}\\input{two}"
        "\\loadglsentries[main]{names}\\end{document}",
        encoding="utf-8",
    )
    chapter.write_text("A \\acrshort{gp} by \\cite{a}.", encoding="utf-8")
    other.write_text("A kernel by \\cite{b}.", encoding="utf-8")
    names.write_text("\\newacronym{gp}{GP}{Gaussian process}", encoding="utf-8")
    cache, read = ProjectCache(), FilesOnDisk().read
    before = cache.open(chapter, read)
    assert [mention.left for mention in before.document.mentions] == ["A GP by", "A kernel by"]
    assert cache.open(chapter, read) is before, "nothing is parsed twice"
    names.write_text("\\newacronym{gp}{GPR}{Gaussian process}", encoding="utf-8")
    after = cache.open(chapter, read)
    assert [mention.left for mention in after.document.mentions] == ["A GPR by", "A kernel by"]
    assert after.manuscript(chapter) is not before.manuscript(chapter)
    assert after.manuscript(other) is before.manuscript(other), "it uses none of the names"
    chapter.write_text("The \\acrshort{gp} by \\cite{a}.", encoding="utf-8")
    typed = cache.open(chapter, read)
    assert typed.document.mentions[0].left == "The GPR by"
    assert typed.manuscript(names) is after.manuscript(names)


@pytest.mark.parametrize("bound", ["_MOST_CHARACTERS", "_PROJECTS_MOST"])
def test_drafts_that_were_only_looked_at_are_let_go_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    texts = {
        tmp_path / f"{number}" / "paper.tex": "\\documentclass{article}\n\\bibitem{k}K\n"
        + "x" * 100
        for number in range(50)
    }
    monkeypatch.setattr(project_module, bound, 40 if bound == "_PROJECTS_MOST" else 5500)
    cache = ProjectCache()
    manuscripts = []
    for path in texts:
        project = cache.open(path, texts.get)
        manuscripts.append(weakref.ref(project.files[0][1]))
    gc.collect()
    alive = [reference() is not None for reference in manuscripts]
    assert 32 <= sum(alive) <= 41
    assert not any(alive[:4])
    assert cache.open(path, texts.get) is project


def test_going_through_many_drafts_takes_as_long_for_the_last_as_for_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {tmp_path / f"{number}.md": f"Note {number}." for number in range(1000)}
    monkeypatch.setattr(project_module, "_PROJECTS_MOST", 200)
    looked = []
    monkeypatch.setattr(DraftFiles, "forget_others", lambda *held: looked.append(held))
    cache = ProjectCache()
    for path in texts:
        cache.open(path, texts.get)
    assert 0 < len(looked) < 100


def test_a_draft_longer_than_the_cache_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_module, "_MOST_CHARACTERS", 10)
    texts = {
        tmp_path / "main.tex": "\\documentclass{book}\\input{one}\\input{two}",
        tmp_path / "one.tex": "The first chapter, and its many words.",
        tmp_path / "two.tex": "The second chapter, and its many words.",
    }
    cache = ProjectCache()
    project = cache.open(tmp_path / "main.tex", texts.get)
    assert len(project.files) == 3
    assert cache.open(tmp_path / "main.tex", texts.get) is project


BBL = """\\begin{thebibliography}{9}
\\bibitem[Moor(2011)]{moor} Ada Moor. \\newblock On tides. 2011.
\\bibitem{fen} Bo Fen. \\newblock On gulls. 2012.
\\end{thebibliography}
"""


@pytest.mark.parametrize("opened_name", ["main.tex", "part.tex"])
def test_what_bibtex_made_stands_in_for_a_bibliography_that_is_missing(
    write: Write, opened: Open, opened_name: str
) -> None:
    write("main.tex", MAIN % "\\cite{moor}\\input{part}\\bibliography{refs}")
    write("part.tex", "\\cite{fen}")
    made = write("main.bbl", BBL)
    project = opened(opened_name)
    assert [
        (bibliography.path, [entry.key for entry in bibliography.entries])
        for bibliography in project.inline
    ] == [(made, ["moor", "fen"])]
    assert [path.name for path in project.bibliographies] == ["refs.bib"]  # missing, and told of
    assert names(project) == ["main.tex", "part.tex"]
    assert entry_target(project, may_take=lambda target: True) == EntryTarget(made, "bibitems")


def test_what_bibtex_made_of_a_bibliography_that_is_there_is_out_of_date(
    write: Write, opened: Open
) -> None:
    write("main.tex", MAIN % "\\cite{moor}\\bibliography{refs}")
    write("main.bbl", BBL)
    write("refs.bib", "@misc{moor, title={On tides}}")
    assert opened("main.tex").inline == ()


def test_typing_compares_no_entry_that_stands_in_an_unchanged_file(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = write("main.tex", MAIN % "\\cite{moor}\\bibliography{refs}")
    write("main.bbl", BBL)
    cache, disk = ProjectCache(), FilesOnDisk().read
    first = cache.open(main, disk, tmp_path)
    monkeypatch.delattr(inline_bibliographies, "with_known_records")
    typed = MAIN % "\\cite{moor} said\\bibliography{refs}"
    second = cache.open(main, lambda path: typed if path == main else disk(path), tmp_path)
    assert second is not first
    assert second.inline[0] is first.inline[0]


def test_what_bibtex_made_is_read_again_when_it_changes(write: Write, tmp_path: Path) -> None:
    write("main.tex", MAIN % "\\cite{moor}\\bibliography{refs}")
    path, cache, read = write("main.bbl", BBL), ProjectCache(), FilesOnDisk().read
    first = cache.open(tmp_path / "main.tex", read, tmp_path)
    assert cache.open(tmp_path / "main.tex", read, tmp_path) is first
    path.write_text(BBL.replace("{fen}", "{sand}"))
    (second,) = cache.open(tmp_path / "main.tex", read, tmp_path).inline
    assert [entry.key for entry in second.entries] == ["moor", "sand"]
    path.unlink()
    assert cache.open(tmp_path / "main.tex", read, tmp_path).inline == ()


BIBER = r"""% $ biblatex bbl format version 3.3 $
\refsection{0}
  \datalist[entry]{nty/global//global/global/global}
    \entry{moor}{article}{}{}
      \name{author}{2}{}{%
        {{hash=a1}{%
           family={M{\"o}or},
           familyi={M\bibinitperiod},
           given={Ada},
           giveni={A\bibinitperiod}}}%
        {{hash=b2}{%
           family={Berg},
           given={Jan},
           prefix={van\bibnamedelimb der},
           prefixi={v\bibinitperiod}}}%
      }
      \strng{namehash}{c3}
      \field{labelnamesource}{author}
      \field{journaltitle}{Shores}
      \field{title}{On {Tides} \& ebb}
      \field{year}{2011}
      \verb{doi}
      \verb 10.1000/a_b
      \endverb
      \warn{\item a thing}
    \endentry
    \entry{watch}{report}{}{}
      \name{author}{1}{}{%
        {{hash=d4}{%
           family={{World Shore Watch}}}}%
      }
      \list{institution}{1}{%
        {Shore Press}%
      }
      \true{moreauthor}
      \field{title}{Gulls}
    \endentry
  \enddatalist
\endrefsection
"""


def test_what_biber_made_stands_in_for_a_bibliography_that_is_missing(
    write: Write, opened: Open
) -> None:
    write("main.tex", "\\addbibresource{refs.bib}" + MAIN % "\\cite{moor}\\printbibliography")
    made = write("main.bbl", BIBER)
    (bibliography,) = opened("main.tex").inline
    first, second = bibliography.entries
    assert [(entry.path, entry.key, entry.kind, entry.line) for entry in (first, second)] == [
        (made, "moor", "article", 4),
        (made, "watch", "report", 27),
    ]
    assert BIBER[first.key_start : first.key_end] == "moor"
    assert first.paper == Paper(
        "entry:moor",
        "On Tides & ebb",
        authors=("Ada Möor", "Jan van der Berg"),
        year=2011,
        venue="Shores",
        doi="10.1000/a_b",
        language="en",
    )
    assert (second.paper.title, second.paper.venue) == ("Gulls", "Shore Press")
    assert second.paper.authors == ("World\u00a0Shore\u00a0Watch",)
    assert second.paper.more_authors
