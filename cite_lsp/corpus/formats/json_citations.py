"""Who cites whom, from the JSON records of public dumps: papers with references, and links."""

from __future__ import annotations

from attrs import evolve

from cite_lsp.corpus.citations import CitationContext, PaperCitations, split_context
from cite_lsp.corpus.formats.json_values import (
    JsonRecord,
    as_list,
    as_mapping,
    as_text,
    ids_in,
    strings_in,
)
from cite_lsp.paper import Paper, normalise_doi


def is_link(record: JsonRecord) -> bool:
    """Whether a record says who cites whom, and is no paper."""
    return "citingcorpusid" in record or ("citing_id" in record and "id" not in record)


def citations_of_record(record: JsonRecord, paper: Paper | None = None) -> PaperCitations | None:
    """Return the citations of a paper, or of a link; None where there are none.

    A link is a citation of Semantic Scholar, with the passages where it stands, a list of
    references (`citing_id`, `refs`), or a context (`citing_id`, `left`, `right`, `cited`).
    """
    if paper is None:
        return _link(record)
    cited = [
        *(
            f"id openalex:{work_id.rsplit('/', 1)[-1]}"
            for work_id in strings_in(record, "referenced_works")
        ),
        *(f"id {reference_id}" for reference_id in ids_in(record, "references")),
        *(
            f"doi {doi}"
            for reference in as_list(record.get("reference"))
            if (doi := normalise_doi(as_text(as_mapping(reference).get("DOI"))))
        ),
    ]
    return PaperCitations(f"id {paper.id}", tuple(dict.fromkeys(cited))) if cited else None


def _link(record: JsonRecord) -> PaperCitations | None:
    if "citingcorpusid" in record:
        citing, cited = record.get("citingcorpusid"), record.get("citedcorpusid")
        if not citing or not cited:
            return None
        passages, intents = strings_in(record, "contexts"), as_list(record.get("intents"))
        contexts = [
            evolve(split_context(text), intents=tuple(map(as_text, as_list(labels))))
            for text, labels in zip(passages, [*intents, *([None] * len(passages))], strict=False)
        ]
        return PaperCitations(f"id s2:{citing}", (f"id s2:{cited}",), tuple(contexts))
    citing = as_text(record.get("citing_id"))
    names = ids_in(record, "refs") or ids_in(record, "cited")
    if not citing or not names:
        return None
    left, right = as_text(record.get("left")), as_text(record.get("right"))
    contexts = [CitationContext(left, right)] if left or right else []
    return PaperCitations(f"id {citing}", tuple(f"id {name}" for name in names), tuple(contexts))
