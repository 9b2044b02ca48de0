"""The sentences of real drafts, each with the answer to "did it cite?", as the product reads them.

Every sentence in which the product would look for a missing citation is here: of captions, thanks
and the like nothing is learned, although they stay beside the others as neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from attrs import evolve, frozen

from cite_lsp.evaluate.tasks.manuscripts import main_language
from cite_lsp.manuscript import Sentence
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.missing.passages import Passage, passages_of
from cite_lsp.train.data.labelled_sentences import LabelledSentence, without_traces
from cite_lsp.train.data.real_drafts import Drafts, deal
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Progress

STAGE = "drafts read"
"""What the progress is called."""


def read_drafts(
    drafts: Drafts,
    languages: Mapping[str, str],
    progress: Progress = lambda stage, done, total: None,
) -> list[LabelledSentence]:
    """Return the sentences of drafts, each once; `languages` are those of drafts, where known.

    A draft of an unknown language is in that of most of its sentences. One that cites nothing at
    all teaches nothing: a template, or a letter.
    """
    sentences: list[LabelledSentence] = []
    for number, (name, files) in enumerate(drafts.items()):
        once: dict[tuple[Passage, bool], LabelledSentence] = {}
        for row in _of_draft(name, files):
            once.setdefault((row.passage, row.cited), row)
        rows = list(once.values())
        language = languages.get(name) or main_language([row.language for row in rows])
        sentences += [evolve(row, language=language) for row in rows]
        progress(STAGE, number + 1, len(drafts))
    return sentences


def _of_draft(name: str, files: Sequence[Path]) -> Iterator[LabelledSentence]:
    reader = DraftReader(FilesOnDisk().read)
    for number, path in enumerate(files):
        draft = reader.draft(path)
        if any(file.cited for file in draft.document):
            yield from _of_file(name, number, draft)


def _of_file(name: str, number: int, draft: Draft) -> Iterator[LabelledSentence]:
    manuscript = draft.manuscript
    passages = passages_of(manuscript, draft.document)
    for sentence, passage in zip(manuscript.sentences, passages, strict=True):
        if not is_exempt(manuscript, sentence):
            cleaned = _cleaned(passage)
            if cleaned.sentence.strip():
                yield LabelledSentence(
                    name, cleaned, _cites(sentence), manuscript.language, file=number
                )


def _cleaned(passage: Passage) -> Passage:
    return evolve(
        passage,
        sentence=without_traces(passage.sentence),
        previous=without_traces(passage.previous),
        next=without_traces(passage.next),
    )


def _cites(sentence: Sentence) -> bool:
    return any(marker.keys and not marker.silent for marker in sentence.markers)


@frozen
class DraftSentences:
    """The sentences of real drafts: of those to learn from, and of those to measure on."""

    learn: Sequence[LabelledSentence] = ()
    check: Sequence[LabelledSentence] = ()


def draft_sentences(job: Job) -> DraftSentences:
    """Read the drafts of `--manuscripts`, if there are any.

    Raises:
        CiteLspError: there is no such folder.
        TrainingError: it has too few drafts, or its manifest cannot be read.
    """
    if job.options.manuscripts is None:
        return DraftSentences()
    dealt = deal(job.options.manuscripts, (), job.report)
    learn, check = (
        read_drafts(part, dealt.languages, job.progress) for part in (dealt.learn, dealt.check)
    )
    return DraftSentences(learn, check)
