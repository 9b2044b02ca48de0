"""Work that is killed at any moment: nothing is lost or doubled, and the next run is as ever."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

from attrs import frozen

from cite_lsp.library.load.read import read_bibliography
from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
from cite_lsp.recommend.missing.dismissed import Dismissals
from cite_lsp.search.corpus.corpus_index import current_version
from cite_lsp.search.indexing.check import check_corpus
from tests.chaos.places import again, expect, ids, named, write_drafts, write_papers
from tests.chaos.processes import Ending, Outcome, run_command, run_function
from tests.chaos.trials import FaultTrial

_LONG_AGO = 1_400_000_000


@frozen
class Work:
    """What is killed.

    Attributes:
        name: What it is, in a few words.
        moments: In how many it is killed.
        prepare: Fills the folder `desk` of a folder, and `home` by runs of the product.
        run: Does the work there, to its end or another.
        between: What has to be so whenever it was killed; raises `TrialError` otherwise.
        after: What has to be so once it was run again.
    """

    name: str
    moments: int
    prepare: Callable[[Path], None]
    run: Callable[[Path, Ending], Outcome]
    between: Callable[[Path], None]
    after: Callable[[Path], None]


@cache
def _measured(work: Work) -> Outcome:
    """Return how a work goes when it is left alone."""
    now = again(work.prepare)
    outcome = work.run(now, Ending())
    expect(outcome.status == 0, f"not killed, it fails: {outcome.said}")
    work.after(now)
    return outcome


def _kill(work: Work, number: int, _: Path) -> float:
    """Kill a work at one of its moments: before a change of a file, or after a time."""
    measured, share = _measured(work), number / work.moments
    now = again(work.prepare)
    if number % 2:
        ending = Ending(seconds=max(share * measured.seconds, 0.01))
    else:
        ending = Ending(change=1 + int(share * measured.changes))
    outcome = work.run(now, ending)
    expect(outcome.status in (0, -9), f"exit status {outcome.status}: {outcome.said[-300:]}")
    work.between(now)
    later = work.run(now, Ending())
    expect(later.status == 0, f"then: exit status {later.status}: {later.said[-300:]}")
    expect("damaged" not in later.said, f"then: {later.said[-300:]}")
    work.after(now)
    return later.memory


def _trials(work: Work) -> Iterator[FaultTrial]:
    short = {1, work.moments // 2}
    for number in range(work.moments):
        yield FaultTrial(
            f"killed: {work.name}",
            f"moment {number + 1} of {work.moments}",
            partial(_kill, work, number),
            number in short,
        )


def _corpus(now: Path) -> Path:
    return now / "home" / "corpora" / "papers"


def _build(now: Path, ending: Ending) -> Outcome:
    return run_command(["index", str(now / "desk"), "--encoder", "static"], now / "home", ending)


def _write_sources(now: Path) -> None:
    write_papers(now / "desk" / "a.jsonl", range(10, 35), ", revised")
    write_papers(now / "desk" / "b.jsonl", range(30, 50))


def _prepare_build(now: Path) -> None:
    write_papers(now / "desk" / "a.jsonl", range(30))
    expect(_build(now, Ending()).status == 0, "no corpus to begin with")
    _write_sources(now)


def _old_or_new(now: Path) -> None:
    there = ids(_corpus(now))
    expect(there in (named(range(30)), named(range(10, 50))), f"neither old nor new: {there}")
    faults = check_corpus(_corpus(now)).faults
    expect(not faults, f"between: {faults}")


def _none_or_new(now: Path) -> None:
    if current_version(_corpus(now)) is not None:
        _built(now)


def _built(now: Path) -> None:
    folder = _corpus(now)
    expect(ids(folder) == named(range(10, 50)), f"not all papers: {sorted(ids(folder))}")
    faults = check_corpus(folder).faults
    expect(not faults, f"then: {faults}")


def _swept(now: Path) -> None:
    """Check that a build has left nothing but the corpus."""
    _built(now)
    folder = _corpus(now)
    version = current_version(folder)
    left = {path.name for path in folder.iterdir()}
    expect(version is not None and left == {"build.lock", "current", version.name}, f"left: {left}")
    passing = [path.name for path in folder.rglob("*") if path.suffix in (".new", ".part")]
    expect(not passing, f"left: {passing}")


def stored(now: Path) -> dict[str, int]:
    """Return how many places each stored draft cites at."""
    warnings: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = warnings.append  # type: ignore[method-assign, assignment]
    logger = logging.getLogger("cite_lsp")
    logger.addHandler(handler)
    try:
        drafts = OtherDrafts(now / "home" / "cache" / "drafts").stored()
    finally:
        logger.removeHandler(handler)
    expect(not warnings, "; ".join(record.getMessage() for record in warnings))
    expect(len({draft.root for draft in drafts}) == len(drafts), "a draft is stored twice")
    return {draft.title: len(draft.cites) for draft in drafts}


def _prepare_drafts(now: Path) -> None:
    write_drafts(now / "desk", ["a", "b"])
    expect(_add_drafts(now, Ending()).status == 0, "no drafts to begin with")
    write_drafts(now / "desk", ["c", "b", "a", "d", "e"])


def _add_drafts(now: Path, ending: Ending) -> Outcome:
    return run_command(["drafts", "add", str(now / "desk")], now / "home", ending)


def _drafts_there(now: Path) -> None:
    there = stored(now)
    expect(there.get("a") in (1, 3) and there.get("b") == 2, f"drafts are lost: {there}")


def _drafts_stored(now: Path) -> None:
    there = stored(now)
    expect(there == {"c": 1, "b": 2, "a": 3, "d": 4, "e": 5}, f"not the drafts: {there}")
    _expect_no_scratch(now, lambda: _add_drafts(now, Ending()))


def _expect_no_scratch(now: Path, run: Callable[[], object]) -> None:
    """Check that what a killed process left is gone some time later."""
    left = [path for path in now.rglob("*.new")]
    for path in left:
        os.utime(path, (_LONG_AGO, _LONG_AGO))
    if left:
        run()
        left = [path for path in left if path.exists()]
        expect(not left, f"left: {[path.name for path in left]}")


def _prepare_cache(now: Path) -> None:
    entries = [
        f"@book{{k{number}, title={{On shore {number}}}, annote={{{'Gulls nest. ' * 4000}}}}}\n"
        for number in range(12)
    ]
    (now / "desk" / "refs.bib").write_text("".join(entries))
    (now / "desk" / "draft.tex").write_text("Gulls nest \\cite{}.\n\\bibliography{refs}\n")


def _suggest(now: Path, ending: Ending) -> Outcome:
    return run_command(["suggest", str(now / "desk/draft.tex:1"), "-k", "5"], now / "home", ending)


def _without_progress(said: str) -> str:
    return "".join(line for line in said.splitlines(True) if not line.startswith("embedding "))


def _cached(now: Path) -> None:
    cache_folder = now / "home" / "cache"
    cached = {path.parent.name for path in cache_folder.rglob("*") if path.suffix != ".new"}
    expect({"libraries", "embeddings"} <= cached, f"nothing is cached: {cached}")
    first, second = (_without_progress(_suggest(now, Ending()).said) for _ in range(2))
    expect(first == second and first.count("On shore") == 5, f"not the same answers: {first}")
    _expect_no_scratch(now, lambda: _add_large(now))


def _add_large(now: Path) -> None:
    """Have another library cached."""
    path = now / "desk" / "refs.bib"
    path.write_text(path.read_text() + "@misc{other, title={Other}}\n")
    _suggest(now, Ending())


_SENTENCES = [f"Gulls of kind {number} nest here." for number in range(6)]


def dismiss(root: str) -> int:
    """Dismiss a paper for some sentences."""
    for sentence in _SENTENCES:
        Dismissals(Path(root)).dismiss(sentence, "k1")
    return 0


def _dismiss(now: Path, ending: Ending) -> Outcome:
    return run_function(dismiss, now / "home", ending, str(now / "desk"))


def _prepare_dismissals(now: Path) -> None:
    Dismissals(now / "desk").dismiss("What was dismissed before.", "k0")


def _dismissed(now: Path) -> None:
    dismissals = Dismissals(now / "desk")
    dismissals.check()
    before = dismissals.keys("What was dismissed before.")
    expect(before == {"k0"}, "what was dismissed before is lost")


def _all_dismissed(now: Path) -> None:
    _dismissed(now)
    dismissals = Dismissals(now / "desk")
    expect(all(dismissals.keys(sentence) == {"k1"} for sentence in _SENTENCES), "not all is there")
    _expect_no_scratch(now, lambda: Dismissals(now / "desk").dismiss("One more.", "k1"))


_ENTRIES = [f"@book{{k{number},title={{On shore {number}}},year=2001}}\n" for number in range(90)]


def _write_bibliography(now: Path) -> None:
    (now / "desk" / "refs.bib").write_text("".join(_ENTRIES))


def _lay_out(now: Path, ending: Ending) -> Outcome:
    path = str(now / "desk" / "refs.bib")
    return run_command(["bib", path, "--format", "--output", path], now / "home", ending)


def _all_entries(now: Path) -> None:
    bibliography = read_bibliography(now / "desk" / "refs.bib")
    keys = [entry.key for entry in bibliography.entries]
    expect(keys == [f"k{number}" for number in range(90)], f"entries are lost: {keys}")
    expect(not bibliography.problems, f"{bibliography.problems}")


WORKS = (
    Work("the first build of a corpus", 40, _write_sources, _build, _none_or_new, _swept),
    Work("an update of a corpus", 60, _prepare_build, _build, _old_or_new, _swept),
    Work("drafts add", 40, _prepare_drafts, _add_drafts, _drafts_there, _drafts_stored),
    Work("what caches keep", 30, _prepare_cache, _suggest, lambda now: None, _cached),
    Work("bib --format", 20, _write_bibliography, _lay_out, _all_entries, _all_entries),
    Work("a dismissal", 30, _prepare_dismissals, _dismiss, _dismissed, _all_dismissed),
)
TRIALS = tuple(trial for work in WORKS for trial in _trials(work))
