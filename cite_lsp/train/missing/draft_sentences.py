"""Sentences of drafts for `citation-worthiness` and `worthiness-encoder`, dealt in two parts."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from cite_lsp.train.data.cited_sentences import read_drafts
from cite_lsp.train.data.labelled_sentences import LabelledSentence
from cite_lsp.train.data.real_drafts import deal
from cite_lsp.train.run.job import Job


@frozen
class DraftSentences:
    """The sentences of real drafts: of those to learn from, and of those to measure on."""

    learn: Sequence[LabelledSentence] = ()
    check: Sequence[LabelledSentence] = ()


def draft_sentences(job: Job) -> DraftSentences:
    """Read the drafts of `--manuscripts`, if there are any.

    Raises:
        NotADirectoryError: there is no such folder.
        TrainingError: it has too few drafts, or its manifest cannot be read.
    """
    if job.options.manuscripts is None:
        return DraftSentences()
    dealt = deal(job.options.manuscripts, (), job.report)
    learn, check = (
        read_drafts(part, dealt.languages, job.progress) for part in (dealt.learn, dealt.check)
    )
    return DraftSentences(learn, check)
