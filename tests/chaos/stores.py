"""Damaged files of what is kept: each is named and mended by the command named, or made again."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from cite_lsp.recommend.missing.dismissed import Dismissals
from tests.chaos.limited import TrialError
from tests.chaos.places import (
    again,
    expect,
    ids,
    named,
    prepared,
    restore,
    write_drafts,
    write_papers,
)
from tests.chaos.processes import Ending, run_function
from tests.chaos.trials import FaultTrial

_ARRAYS = {
    "": "abstracts origin_ends origins starts years",
    "columns/": "author_starts authors handles title_keys title_starts title_weights title_words"
    " venues",
    "numbers/": "hashes rows",
    "references/": "cites marked marks pairs starts",
    "references/citing/": "rows starts",
    "typed/": "count letters rows starts words",
    "words/": "about documents impacts starts words",
}
CORPUS_FILES = (
    "build.lock",
    "current",
    *(
        f"version-1/{name}"
        for name in (
            "checksums.json",
            "embeddings.i8",
            "embeddings.s16",
            "manifest.json",
            "papers.jsonl",
            "records.jsonl.zst",
            "references/contexts.jsonl",
            "vectors.index",
            *(f"{folder}{name}.npy" for folder, names in _ARRAYS.items() for name in names.split()),
        )
    ),
)
CACHES = ("drafts", "embeddings", "parse")


def cut(path: Path) -> None:
    """Keep the first half of a file."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def flip(path: Path) -> None:
    """Change every seventh byte of a file."""
    data = bytearray(path.read_bytes())
    data[::7] = bytes(byte ^ 0x15 for byte in data[::7])
    path.write_bytes(data)


def flip_one(path: Path) -> None:
    """Change one byte of a file."""
    data = bytearray(path.read_bytes())
    if data:
        data[len(data) * 2 // 3] ^= 0x15
    path.write_bytes(data)


def empty(path: Path) -> None:
    """Leave nothing in a file."""
    path.write_bytes(b"")


def replace(path: Path) -> None:
    """Put a folder in the place of a file."""
    path.unlink()
    path.mkdir()
    (path / "file").write_text("")


DAMAGES = {
    "cut": cut,
    "flipped": flip,
    "one byte flipped": flip_one,
    "emptied": empty,
    "a folder in its place": replace,
}
Damage = Callable[[Path], None]


def call(*arguments: str) -> tuple[int, str]:
    """Run a command of the product in this process; return its exit status and what it printed."""
    from cite_lsp.cli import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            status = main(list(arguments))
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
    return status, printed.getvalue()


def build(desk: str) -> int:
    """Build a corpus from two sources that share papers."""
    return call("index", f"{desk}/papers", "--encoder", "static")[0]


def _prepare_corpus(now: Path) -> None:
    (now / "desk" / "papers").mkdir()
    write_papers(now / "desk" / "papers" / "a.jsonl", range(12))
    write_papers(now / "desk" / "papers" / "b.jsonl", range(10, 20), ", revised")
    write_drafts(now / "desk", ["draft"])
    expect(run_function(build, now / "home", Ending(), str(now / "desk")).status == 0, "no corpus")


def mend_each(place: str, name: str) -> int:
    """Damage a file of a corpus in every way, and do each time what is said about it."""
    for what, damage in DAMAGES.items():
        now = restore(Path(place))
        folder = now / "home" / "corpora" / "papers"
        files = [path for path in folder.rglob("*") if path.is_file()]
        other = {path.relative_to(folder).as_posix() for path in files} ^ {*CORPUS_FILES}
        expect(not other, f"other files: {other}")
        content = (folder / name).read_bytes()
        damage(folder / name)
        if (folder / name).is_file() and (folder / name).read_bytes() == content:
            continue  # it was empty
        try:
            _mend(now, name)
            expect(ids(folder) == named(range(20)), f"not all papers: {sorted(ids(folder))}")
        except TrialError as error:
            sys.stdout.write(f"{what}: {error}")
            return 3
    return 0


def _mend(now: Path, name: str) -> None:
    """Check a damaged corpus, use it, do what the check says, and check it again."""
    status, said = call("corpora", "check")
    if name != "build.lock":  # which holds nothing
        named_it = Path(name).stem in said and "`cite-lsp index " in said
        expect(status == 1 and named_it, f"check ends with {status}: {said}")
    sources = [f"{now}/desk/papers"] if "cite-lsp index SOURCE..." in said else []
    for arguments in (["corpora", "list"], ["search", "subject"], ["index", *sources]):
        status, said = call(*arguments)
        expect(status == 0 or arguments[0] != "index", f"index ends with {status}: {said}")
    status, said = call("corpora", "check")
    expect(status == 0, f"not mended: {said}")


def _damage_corpus(name: str, _: Path) -> float:
    place = prepared(_prepare_corpus)
    outcome = run_function(mend_each, place / "now" / "home", Ending(), str(place), name)
    expect(outcome.status == 0, f"exit status {outcome.status}: {outcome.said[-400:]}")
    return outcome.memory


def use_caches(desk: str) -> int:
    """Use all caches, so that they are filled; print what comes of it."""
    from cite_lsp.translate.segment import words

    sys.stdout.write(f"{words('深度学习与引文推荐')}\n")
    status, said = call("drafts", "add", desk)
    expect(status == 0, said)
    drafts = [line for line in said.splitlines() if "citation" in line]
    status, said = call("suggest", f"{desk}/now.tex:1", "-k", "5")
    sys.stdout.write("\n".join([*sorted(drafts), said]))
    return status


def _prepare_caches(now: Path) -> None:
    write_drafts(now / "desk", ["one", "two", "three"])
    bulk = f"@book{{bulk, title={{Bulk}}, annote={{{'Gulls nest. ' * 50_000}}}}}\n"
    (now / "desk" / "refs.bib").write_text((now / "desk" / "refs.bib").read_text() + bulk)
    (now / "desk" / "now.tex").write_text("Gulls nest \\cite{}.\n\\bibliography{refs}\n")
    outcome = run_function(use_caches, now / "home", Ending(), str(now / "desk"))
    expect(outcome.status == 0, f"caches cannot be used: {outcome.said}")


def _kind(path: Path) -> str:
    return next(
        (
            kind
            for kind in CACHES
            if kind in (path.name.rsplit("-", 2)[0], path.parent.name) or path.name.startswith(kind)
        ),
        path.name,
    )


@cache
def _answers() -> str:
    """Return what comes of whole caches."""
    now = again(_prepare_caches)
    return run_function(use_caches, now / "home", Ending(), str(now / "desk")).said


def _damage_cache(kind: str, damage: Damage, _: Path) -> float:
    _answers()
    now = again(_prepare_caches)
    files = [path for path in (now / "home" / "cache").rglob("*") if path.is_file()]
    expect({_kind(path) for path in files} == {*CACHES}, f"other caches: {files}")
    for path in files:
        if _kind(path) == kind:
            damage(path)
    once, twice = (
        run_function(use_caches, now / "home", Ending(), str(now / "desk")) for _ in "12"
    )
    for outcome in (once, twice):
        expect(outcome.status == 0, f"exit status {outcome.status}: {outcome.said[-400:]}")
    expect("damaged" not in twice.said, f"not made again: {twice.said[-400:]}")
    expect(twice.said == _answers(), f"another answer: {twice.said[-400:]}")
    return once.memory


def check_draft(desk: str) -> int:
    """Look for missing citations in a draft, which asks what was dismissed; print what is said."""
    status, said = call("check", f"{desk}/draft.tex")
    sys.stdout.write(said)
    return status


def _prepare_dismissals(now: Path) -> None:
    write_drafts(now / "desk", ["draft"])
    Dismissals(now / "desk").dismiss("Gulls nest here.", "k1")


def _damage_dismissals(damage: Damage, _: Path) -> float:
    now = again(_prepare_dismissals)
    path = now / "desk" / ".cite-lsp" / "dismissed.json"
    damage(path)
    outcome = run_function(check_draft, now / "home", Ending(), str(now / "desk"))
    expect(outcome.status in (0, 1), f"exit status {outcome.status}: {outcome.said[-400:]}")
    return outcome.memory


TRIALS = (
    *(
        FaultTrial(
            f"a file of a corpus, damaged in {len(DAMAGES)} ways",
            name,
            partial(_damage_corpus, name),
            place % 16 == 9,
        )
        for place, name in enumerate(CORPUS_FILES)
    ),
    *(
        FaultTrial(
            "a cache, damaged",
            f"{kind}: {what}",
            partial(_damage_cache, kind, damage),
            number == at,
        )
        for at, kind in enumerate(CACHES)
        for number, (what, damage) in enumerate(DAMAGES.items())
    ),
    *(
        FaultTrial("dismissals, damaged", what, partial(_damage_dismissals, damage), damage is cut)
        for what, damage in DAMAGES.items()
    ),
)
