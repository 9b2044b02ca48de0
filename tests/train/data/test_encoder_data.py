"""What encoder recipes are given: papers with an abstract, whole documents, complete rows."""

from __future__ import annotations

from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.paper import Paper
from cite_lsp.train.data.sampling import EncoderData, sampled, with_abstracts


def rows(documents: int, each: int) -> list[LabelledContext]:
    return [
        context_from_record({"context_id": f"{document} {n}", "citing_id": str(document)})
        for document in range(documents)
        for n in range(each)
    ]


def test_papers_without_an_abstract_are_no_examples_and_the_first_of_an_id_counts() -> None:
    papers = [Paper("a", "One", "First."), Paper("b", "Bare"), Paper("a", "Two", "Second.")]
    known = with_abstracts(papers)
    assert {name: paper.title for name, paper in known.items()} == {"a": "One"}
    data = EncoderData((), (), known)
    assert (data.pool, data.texts) == (["a"], {"a": "One. First."})


def test_a_sample_is_of_whole_documents_in_their_order_and_of_its_size() -> None:
    everything = rows(10, 4)
    sample = sampled(everything, 10, seed=1)
    assert len(sample) == 12
    documents = [row.citing_id for row in sample]
    assert documents == sorted(documents) and set(map(documents.count, documents)) == {4}
    assert sampled(everything, 10, seed=1) == sample != sampled(everything, 10, seed=2)
    assert sampled(everything, 1000, seed=1) == sampled(everything, None, seed=1) == everything
