"""Public dumps, one small sample of each written after its published schema, and broken ones."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.corpus.formats.json_lines import LONGEST_RECORD
from cite_lsp.corpus.formats.json_schemas import inverted, paper_of_record
from cite_lsp.corpus.paper_merge import PaperMerge, PaperRecords
from cite_lsp.corpus.sources import find_files
from cite_lsp.library.text.people import parts_of
from cite_lsp.paper import Paper
from tests.corpus.sources_read import papers_of_source

OPENALEX = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.7717/PEERJ.4375",
    "title": "The state of <i>OA</i>",
    "publication_year": 2018,
    "language": "en",
    "type": "article",
    "is_retracted": True,
    "authorships": [{"author": {"display_name": "Heather Piwowar"}}, {"author": {}}],
    "primary_location": {
        "landing_page_url": "https://peerj.com/articles/4375",
        "source": {"display_name": "PeerJ", "type": "journal"},
    },
    "abstract_inverted_index": {"Despite": [0], "growing": [1], "interest": [2, 3]},
}
S2_PAPER = {
    "corpusid": 13756489,
    "externalids": {"DOI": None, "ArXiv": "1706.03762", "MAG": "2963403868"},
    "url": "https://www.semanticscholar.org/paper/204e",
    "title": "Attention is All you Need",
    "authors": [{"authorId": "40348417", "name": "Ashish Vaswani"}],
    "venue": "Neural Information Processing Systems",
    "year": 2017,
    "publicationtypes": ["JournalArticle", "Conference"],
    "journal": {"name": "ArXiv"},
}
S2_ABSTRACT = {"corpusid": 13756489, "openaccessinfo": {}, "abstract": "Sequence transduction."}
S2_CITATION = {"citingcorpusid": 1, "citedcorpusid": 2, "contexts": []}
ARXIV = {
    "id": "0704.0001",
    "submitter": "Pavel Nadolsky",
    "authors": "C. Bal\\'azs, E. L. Berger",
    "title": "Calculation of prompt diphoton\n  production",
    "comments": "37 pages",
    "journal-ref": None,
    "doi": None,
    "categories": "hep-ph",
    "abstract": "  A fully differential\ncalculation.\n",
    "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
    "update_date": "2008-11-26",
    "authors_parsed": [["Balázs", "C.", ""], ["Berger", "E. L.", "Jr"]],
}
CROSSREF = {
    "DOI": "10.1000/XYZ",
    "type": "proceedings-article",
    "title": ["RETRACTED: On Tides"],
    "subtitle": ["A Study"],
    "author": [{"given": "Ada", "family": "Moor"}, {"name": "The Tide Group"}],
    "container-title": ["Proceedings of Shores"],
    "issued": {"date-parts": [[2011, 5]]},
    "abstract": "<jats:title>Abstract</jats:title><jats:p>It rises.</jats:p>",
    "URL": "http://dx.doi.org/10.1000/xyz",
    "updated-by": [{"type": "retraction"}],
}
ACL = """<?xml version='1.0' encoding='UTF-8'?>
<collection id="2020.acl">
  <volume id="main">
    <meta><booktitle>Proceedings of the 58th Annual Meeting</booktitle><year>2020</year></meta>
    <frontmatter><url hash="x">2020.acl-main.0</url></frontmatter>
    <paper id="1">
      <title>Learning to Understand <fixed-case>C</fixed-case>hild-directed Speech</title>
      <author><first>Lieke</first><last>Gelderloos</last></author>
      <author><last>Plato</last></author>
      <abstract>Speech &amp; text.</abstract>
      <url hash="1">2020.acl-main.1</url>
      <doi>10.18653/v1/2020.acl-main.1</doi>
    </paper>
    <paper id="2"><title>Gone</title><retracted date="2021-01-01">why</retracted></paper>
    <paper id="3"><author><last>X</last></author></paper>
  </volume>
</collection>
"""
OLD_ACL = """<collection id="P05"><volume id="1"><meta><booktitle>ACL</booktitle></meta>
<paper id="33"><title>A Hierarchical Model</title></paper></volume></collection>"""
TACL = """<collection id="Q19"><volume id="1"><meta><booktitle>TACL 7</booktitle>
<journal-title>Transactions of the ACL</journal-title><year>2019</year></meta>
<paper id="38"><title>Massively Multilingual</title><url>Q19-1038</url></paper>
</volume></collection>"""
DBLP = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE dblp SYSTEM "dblp.dtd">
<dblp>
<article mdate="2020" key="journals/tods/Muller01" publtype="informal">
<author>J&ouml;rg M&uuml;ller 0001</author><author>Ann Lee</author>
<title>Trees &amp; <i>Graphs</i>.</title><year>2001</year><journal>TODS</journal>
<ee>https://doi.org/10.1145/1.2</ee></article>
<article key="journals/corr/abs-1706-03762"><author>A. V.</author><title>Attention.</title>
<year>2017</year><journal>CoRR</journal><ee>http://arxiv.org/abs/1706.03762</ee></article>
<www key="homepages/m/JM"><title>Home Page</title></www>
<proceedings key="conf/x/2001"><title>Proceedings of X</title></proceedings>
</dblp>
"""
PUBMED = """<?xml version="1.0" encoding="utf-8"?>
<PubmedArticleSet>
<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">30049270</PMID>
<Article><Journal><JournalIssue><PubDate><MedlineDate>2018 Jul-Aug</MedlineDate></PubDate>
</JournalIssue><Title>BMC biology</Title></Journal>
<ArticleTitle>[Cells of the <i>marsh</i>.]</ArticleTitle>
<Abstract><AbstractText Label="BACKGROUND">Silt.</AbstractText><AbstractText>Grows.</AbstractText>
</Abstract><AuthorList><Author><LastName>Reed</LastName><ForeName>Cy</ForeName></Author>
<Author><CollectiveName>Marsh Group</CollectiveName></Author></AuthorList><Language>eng</Language>
<PublicationTypeList><PublicationType UI="D1">Retracted Publication</PublicationType>
</PublicationTypeList></Article></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="doi">10.1186/S1</ArticleId></ArticleIdList>
</PubmedData>
</PubmedArticle>
</PubmedArticleSet>
"""
RIS = """TY  - JOUR
AU  - Moor, Ada
A1  - Fen, Bo
TI  - On tides
  and ebb
PY  - 2011/05//
JO  - Shores
DO  - https://doi.org/10.1000/XYZ
AB  - It rises.
UR  - https://example.org
ER  - \n
TY  - BOOK
AU  - Nobody
ER  -
TY  - CONF
T1  - Dunes
T2  - Proceedings of Sand
ER  - """


def read(path: Path) -> tuple[list[Paper], list[str]]:
    messages: list[str] = []
    return list(papers_of_source(path, messages.append)), messages


def only(tmp_path: Path, content: str | bytes, name: str = "dump") -> Paper:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    papers, messages = read(path)
    assert not messages and len(papers) == 1
    return papers[0]


def test_openalex(tmp_path: Path) -> None:
    data = gzip.compress((json.dumps(OPENALEX) + "\n").encode())
    assert only(tmp_path, data, "part_000.gz") == Paper(
        "openalex:W2741809807",
        "The state of OA",
        "Despite growing interest interest",
        ("Heather Piwowar",),
        2018,
        "PeerJ",
        "10.7717/peerj.4375",
        "https://peerj.com/articles/4375",
        "en",
        "article-journal",
        retracted=True,
    )


@pytest.mark.parametrize("answer", [True, False])
def test_openalex_is_recognised_by_its_ids_where_few_fields_were_selected(
    tmp_path: Path, answer: bool
) -> None:
    work = {"id": "https://openalex.org/W9", "title": "On tides", "publication_year": 2011}
    document = {"meta": {"count": 1}, "results": [work]} if answer else work
    assert only(tmp_path, json.dumps(document)) == Paper("openalex:W9", "On tides", year=2011)


def test_a_venue_that_openalex_has_not_identified_is_called_as_its_source_says(
    tmp_path: Path,
) -> None:
    place = {"source": None, "raw_source_name": "2016 Conference on Tides (TIDE)"}
    work = OPENALEX | {"primary_location": place, "is_retracted": False}
    assert only(tmp_path, json.dumps(work)).venue == "2016 Conference on Tides (TIDE)"


@pytest.mark.parametrize("printed", ["F. R. Moor", "Moor, F. R."])
def test_an_author_whom_openalex_has_not_identified_goes_by_the_name_in_print(
    tmp_path: Path, printed: str
) -> None:
    nobody = {"author": {"id": None, "display_name": None}, "raw_author_name": printed}
    work = OPENALEX | {"authorships": [nobody, {"author": {"display_name": "Bo Fen"}}]}
    assert only(tmp_path, json.dumps(work)).authors == ("F. R. Moor", "Bo Fen")


@pytest.mark.parametrize("value", [None, [], {"a": "b", "c": [-1, "x", 10**9]}, {"a": None}])
def test_an_inverted_index_of_nonsense_is_no_abstract(value: object) -> None:
    assert inverted(value) == ""


def test_semantic_scholar_papers_and_abstracts_meet(tmp_path: Path) -> None:
    records = PaperRecords(tmp_path / "scratch")
    for name, record in (("abstracts", S2_ABSTRACT), ("papers", S2_PAPER), ("links", S2_CITATION)):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(record))
        papers, messages = read(path)
        assert not messages
        for paper in papers:
            records.add(paper, (0,))
    records.add(Paper("s2:7", "", "An abstract whose paper never came."), (0,))
    ((paper, _),) = PaperMerge(records).papers()
    records.close()
    assert paper == Paper(
        "s2:13756489",
        "Attention is All you Need",
        "Sequence transduction.",
        ("Ashish Vaswani",),
        2017,
        "Neural Information Processing Systems",
        "",
        "https://www.semanticscholar.org/paper/204e",
        "en",
        "paper-conference",
        "1706.03762",
    )


def test_arxiv(tmp_path: Path) -> None:
    assert only(tmp_path, json.dumps(ARXIV), "arxiv-metadata.json") == Paper(
        "arxiv:0704.0001",
        "Calculation of prompt diphoton production",
        "A fully differential calculation.",
        ("C. Balázs", "E. L. Berger Jr"),
        2007,
        "arXiv",
        "",
        "https://arxiv.org/abs/0704.0001",
        "en",
        "article",
        "0704.0001",
    )


def test_the_blank_that_arxiv_has_within_initials_is_left_out(tmp_path: Path) -> None:
    authors = [["Yuan", "C. -P.", ""], ["Li", "X. -Y. Z.", ""], ["Moor", "A. B.", ""]]
    paper = only(tmp_path, json.dumps(ARXIV | {"authors_parsed": authors}), "arxiv-metadata.json")
    assert paper.authors == ("C.-P. Yuan", "X.-Y. Z. Li", "A. B. Moor")


UNPARSED = {name: value for name, value in ARXIV.items() if name != "authors_parsed"}


@pytest.mark.parametrize(
    ("written", "authors"),
    [
        ("C. Bal\\'azs, E. L. Berger", ("C. Balázs", "E. L. Berger")),
        ("Ileana Streinu and Louis Theran", ("Ileana Streinu", "Louis Theran")),
        ("A. Moor, B. Fen, and C. Reed", ("A. Moor", "B. Fen", "C. Reed")),
        (["C. Bal\\'azs", "E. L. Berger"], ("C. Balázs", "E. L. Berger")),
        ("", ()),
    ],
)
def test_a_copy_of_arxiv_without_parsed_authors_names_them(
    tmp_path: Path, written: object, authors: tuple[str, ...]
) -> None:
    paper = only(tmp_path, json.dumps(UNPARSED | {"authors": written}), "arxiv.json")
    assert (paper.id, paper.year, paper.authors) == ("arxiv:0704.0001", 2007, authors)


def test_a_record_of_our_own_may_have_categories(tmp_path: Path) -> None:
    own: dict[str, Any] = {
        "id": "x9",
        "title": "Tides of a Marsh",
        "abstract": "Silt.",
        "authors": ["Ada Moor", "Bo Fen"],
        "year": 2010,
        "venue": "Shores",
    }
    record = own | {"categories": ["geology", "tides"]}
    assert only(tmp_path, json.dumps(record), "own.json") == Paper(
        **own | {"authors": ("Ada Moor", "Bo Fen")}
    )


def test_a_record_of_our_own_may_spell_its_doi_in_capitals(tmp_path: Path) -> None:
    record = {
        "id": "x9",
        "title": "Tides",
        "authors": ["Ada Moor"],
        "DOI": "10.1000/X",
        "year": 2010,
    }
    paper = only(tmp_path, json.dumps(record), "own.json")
    assert paper == Paper("x9", "Tides", authors=("Ada Moor",), year=2010, doi="10.1000/x")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("own.json", '{"id": "x9", "title": "Tides", "doi": "https://doi.org/10.1000/XyZ"}'),
        ("a.ris", "TY  - JOUR\nTI  - Tides\nDO  - 10.1000/XyZ\nER  - \n"),
        ("a.bib", "@article{a, title = {Tides}, doi = {10.1000/XyZ}}"),
        ("a.bib", "@article{a, title = {Tides}, url = {https://doi.org/10.1000/XyZ}}"),
        ("csl.json", '[{"id": "a", "type": "book", "title": "Tides", "DOI": "10.1000/XyZ"}]'),
    ],
)
def test_the_capital_letters_of_a_doi_are_known(tmp_path: Path, name: str, content: str) -> None:
    paper = only(tmp_path, content, name)
    assert (paper.doi, paper.written_doi) == ("10.1000/xyz", "10.1000/XyZ")


@pytest.mark.parametrize("content", [CROSSREF, OPENALEX])
def test_so_are_those_that_a_database_gives(tmp_path: Path, content: dict[str, object]) -> None:
    paper = only(tmp_path, json.dumps(content))
    assert paper.written_doi != paper.written_doi.lower() == paper.doi


def test_the_latex_of_arxiv_is_read_and_its_formulas_stay(tmp_path: Path) -> None:
    record = ARXIV | {
        "title": r"Decay at $\sqrt{s}=13$ TeV, the \emph{new} Schr\"odinger for \$5",
        "authors_parsed": [["Bal\\'azs", "C.", ""], ["Castell\\'o Ferrer", "R.", ""]],
    }
    paper = only(tmp_path, json.dumps(record), "arxiv-metadata.json")
    assert paper.title == r"Decay at $\sqrt{s}=13$ TeV, the new Schrödinger for $5"
    assert [parts_of(name)[:2] for name in paper.authors] == [
        ("C.", "Balázs"),
        ("R.", "Castelló Ferrer"),
    ]


CROSSREF_PAPER = Paper(
    "doi:10.1000/xyz",
    "On Tides: A Study",
    "It rises.",
    ("Ada Moor", "The Tide Group"),
    2011,
    "Proceedings of Shores",
    "10.1000/xyz",
    "",
    "en",
    "paper-conference",
    retracted=True,
)


@pytest.mark.parametrize(
    "content",
    [
        CROSSREF,
        {"items": [CROSSREF]},
        {"status": "ok", "message-type": "work-list", "message": {"items": [CROSSREF]}},
        {"status": "ok", "message-type": "work", "message": CROSSREF},
    ],
    ids=["a line each", "a part of the dump", "an answer of the interface", "one work"],
)
def test_crossref(tmp_path: Path, content: object) -> None:
    assert only(tmp_path, json.dumps(content)) == CROSSREF_PAPER


@pytest.mark.parametrize(
    ("called", "kind"),
    [
        (["JournalArticle", "Conference"], "paper-conference"),
        (["Review", "JournalArticle"], "article-journal"),
        (["CaseReport", "JournalArticle"], "article-journal"),
        (None, ""),
    ],
)
def test_a_conference_goes_before_what_else_semantic_scholar_calls_a_paper(
    called: object, kind: str
) -> None:
    paper = paper_of_record(S2_PAPER | {"publicationtypes": called})
    assert paper and paper.kind == kind


@pytest.mark.parametrize(
    "record",
    [
        {"id": "https://openalex.org/W1", "authorships": [], "publication_year": None,
         "publication_date": "2011-05-07"},
        {"corpusid": 1, "year": None, "publicationdate": "2011-05-07"},
        {"paperId": "a", "corpusId": 1, "year": None, "publicationDate": "2011-05-07"},
    ],
)  # fmt: skip
def test_where_a_dump_knows_no_year_it_may_know_a_date(record: dict[str, object]) -> None:
    paper = paper_of_record(record | {"title": "On tides"})
    assert paper and paper.year == 2011


def taken_back(number: int) -> dict[str, object]:
    """Return a work of Crossref that nothing but an update says was taken back."""
    title = [f"A study of the tide, part {number}"]
    return {"DOI": f"10.1000/{number}", "title": title, "type": "journal-article"}


RETRACTED = {
    "crossref": json.dumps(taken_back(1) | {"updated-by": [{"type": "withdrawal"}]}),
    "acl": OLD_ACL.replace("</title></paper>", "</title><removed date='2020-01-01'/></paper>"),
    "pubmed": PUBMED.replace("Retracted Publication", "Journal Article").replace(
        "</MedlineCitation>",
        "<CommentsCorrectionsList><CommentsCorrections RefType='RetractionIn'/>"
        "</CommentsCorrectionsList></MedlineCitation>",
    ),
    "dblp": DBLP[: DBLP.index("<article key=")].replace("informal", "withdrawn") + "</dblp>",
    "arxiv": json.dumps(ARXIV | {"comments": "This paper has been withdrawn by the author"}),
    "ris": "TY  - JOUR\nTI  - RETRACTED: On tides\nPY  - 2011\nER  - \n",
    "bibtex": "@article{a, title = {[Retracted] On tides}, year = 2011}",
    "biblatex": "@article{a, title = {On tides}, pubstate = {retracted}, year = 2011}",
    "csl": '[{"id": "a", "title": "On tides", "status": "Retracted"}]',
    "our own": '{"id": "a", "title": "On tides", "retracted": true}',
}


@pytest.mark.parametrize("source", RETRACTED)
def test_a_retracted_paper_is_known_as_one_whatever_says_so(tmp_path: Path, source: str) -> None:
    name = "refs.bib" if source.startswith("bib") else "dump"
    paper = only(tmp_path, RETRACTED[source], name)
    assert paper.retracted
    assert "etracted" not in paper.title and "RETRACTED" not in paper.title


def test_an_update_that_is_a_correction_takes_nothing_back(tmp_path: Path) -> None:
    record = taken_back(2) | {"updated-by": [{"type": "correction"}]}
    assert not only(tmp_path, json.dumps(record)).retracted


def test_csl_json(tmp_path: Path) -> None:
    item = {"id": "moor2011", "type": "book", "title": "Tides", "issued": {"date-parts": [[2011]]}}
    paper = only(tmp_path, json.dumps([item], indent=1), "refs.json")
    assert (paper.id, paper.title, paper.year) == ("entry:moor2011", "Tides", 2011)


def test_the_acl_anthology(tmp_path: Path) -> None:
    (tmp_path / "2020.acl.xml").write_text(ACL)
    papers, messages = read(tmp_path / "2020.acl.xml")
    assert papers[0] == Paper(
        "acl:2020.acl-main.1",
        "Learning to Understand Child-directed Speech",
        "Speech & text.",
        ("Lieke Gelderloos", "Plato"),
        2020,
        "Proceedings of the 58th Annual Meeting",
        "10.18653/v1/2020.acl-main.1",
        "https://aclanthology.org/2020.acl-main.1/",
        "en",
        "paper-conference",
    )
    assert [(paper.id, paper.retracted) for paper in papers[1:]] == [("acl:2020.acl-main.2", True)]
    assert messages == [f"{tmp_path / '2020.acl.xml'}: the record '3' has no title; it is skipped"]


def test_the_acl_anthology_of_before(tmp_path: Path) -> None:
    assert only(tmp_path, OLD_ACL, "P05.xml").id == "acl:P05-1033"
    tacl = only(tmp_path, TACL, "Q19.xml")
    assert (tacl.id, tacl.venue, tacl.kind) == (
        "acl:Q19-1038",
        "Transactions of the ACL",
        "article-journal",
    )


def test_dblp(tmp_path: Path) -> None:
    (tmp_path / "dblp.xml.gz").write_bytes(gzip.compress(DBLP.encode("iso-8859-1")))
    papers, messages = read(tmp_path / "dblp.xml.gz")
    assert not messages
    assert papers[0] == Paper(
        "DBLP:journals/tods/Muller01",
        "Trees & Graphs",
        "",
        ("Jörg Müller", "Ann Lee"),
        2001,
        "TODS",
        "10.1145/1.2",
        "",
        "en",
        "article-journal",
    )
    assert (papers[1].arxiv, papers[1].kind, len(papers)) == ("1706.03762", "article", 2)


def test_the_papers_of_a_person_in_dblp(tmp_path: Path) -> None:
    person = "<person key='homepages/1/2'><author>Ada Moor</author></person>"
    record = (
        "<article key='journals/x/Moor11'><author>Ada Moor</author><title>Tides.</title></article>"
    )
    text = f"<dblpperson name='Ada Moor' n='1'>{person}<r>{record}</r></dblpperson>"
    paper = only(tmp_path, text)
    assert (paper.id, paper.title) == ("DBLP:journals/x/Moor11", "Tides")


def test_records_of_no_use_do_not_pile_up(tmp_path: Path) -> None:
    from cite_lsp.corpus.xml_papers import _XmlReader

    reader = _XmlReader(tmp_path / "dblp.xml", pytest.fail)
    people = "".join(f"<person key='p{n}'><x/></person>" for n in range(50))
    papers = "<article key='a'><title>A tide</title></article><data key='d'><title>B</title></data>"
    items = list(reader.feed(f"<dblp>{people}{papers}", last=False))
    assert [work.kind for work in items if isinstance(work, Paper)] == [
        "article-journal",
        "dataset",
    ]
    assert len(reader._open) == 1 and len(reader._open[0]) == 0


ENDNOTE = """<?xml version="1.0" encoding="UTF-8" ?><xml><records><record><rec-number>1</rec-number>
<ref-type name="Journal Article">17</ref-type><contributors><authors>
<author><style face="normal" font="default">Moor, Ada</style></author>
<author>World Shore Watch,</author></authors></contributors>
<titles><title><style face="normal">On tides </style><style face="italic">and ebb</style></title>
<secondary-title>Shores</secondary-title></titles><dates><year><style>2011</style></year></dates>
<abstract>It rises.</abstract><urls><related-urls><url>https://example.org</url></related-urls></urls>
<electronic-resource-num>10.1000/XYZ</electronic-resource-num><language>eng</language></record>
</records></xml>
"""


def test_the_xml_of_endnote(tmp_path: Path) -> None:
    assert only(tmp_path, ENDNOTE, "library.xml") == Paper(
        "entry:10.1000/xyz",
        "On tides and ebb",
        "It rises.",
        ("Ada Moor", "World\u00a0Shore\u00a0Watch"),
        2011,
        "Shores",
        "10.1000/xyz",
        "https://example.org",
        "en",
        "article-journal",
    )


def test_a_work_of_before_printing_has_its_year_there_too(tmp_path: Path) -> None:
    assert only(tmp_path, ENDNOTE.replace("2011", "1265"), "library.xml").year == 1265


ARXIV_ANSWER = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?search_query=all:tide" rel="self"/>
  <title type="html">ArXiv Query: all:tide</title><id>http://arxiv.org/api/x</id>
  <entry>
    <id>http://arxiv.org/abs/1706.03762v7</id><published>2017-06-12T17:57:34Z</published>
    <title>On the \\emph{tides} of
  $\\Lambda$</title><summary> It rises.\n</summary>
    <author><name>Ada Moor</name></author><author><name>Bo Fen</name></author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1000/XYZ</arxiv:doi>
    <arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">Withdrawn by us</arxiv:comment>
  </entry>
  <entry>
    <id>http://arxiv.org/abs/hep-th/9901001v1</id><published>1999-01-01T00:00:00Z</published>
    <title>Strings</title><summary>Taut.</summary><author><name>S. Ring</name></author>
    <arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">Shores 3</arxiv:journal_ref>
  </entry>
</feed>
"""


def test_an_answer_of_arxiv(tmp_path: Path) -> None:
    (tmp_path / "answer.xml").write_text(ARXIV_ANSWER)
    assert find_files([tmp_path]) == [tmp_path / "answer.xml"]
    papers, messages = read(tmp_path / "answer.xml")
    assert not messages
    assert papers[0] == Paper(
        "arxiv:1706.03762",
        r"On the tides of $\Lambda$",
        "It rises.",
        ("Ada Moor", "Bo Fen"),
        2017,
        "arXiv",
        "10.1000/xyz",
        "https://arxiv.org/abs/1706.03762",
        "en",
        "article",
        "1706.03762",
        retracted=True,
    )
    second = papers[1]
    assert (second.arxiv, second.venue, second.kind) == ("hep-th/9901001", "Shores 3", "")


@pytest.mark.parametrize("side", ["citedPaper", "citingPaper"])
def test_whom_a_paper_cites_and_who_cites_it_by_semantic_scholar(tmp_path: Path, side: str) -> None:
    known = {"paperId": "a1", "title": "On tides", "authors": [{"name": "Ada Moor"}], "year": 2011}
    unknown = {"paperId": None, "title": "On gulls"}
    answer = {
        "offset": 0,
        "data": [
            {"contexts": ["as in [1]"], "isInfluential": False, side: paper}
            for paper in (known, unknown, {**unknown, "title": "On reeds"})
        ],
    }
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    papers, messages = read(tmp_path / "answer.json")
    assert not messages
    assert [(paper.id, paper.title) for paper in papers] == [
        ("s2:a1", "On tides"),
        ("entry:On gulls", "On gulls"),
        ("entry:On reeds", "On reeds"),
    ]


EUROPE_PMC = {
    "id": "31415926",
    "source": "MED",
    "doi": "10.1000/TIDE",
    "title": "Tides in <i>Zostera</i> meadows.",
    "authorString": "Müller JA, van der Berg K, Tide Group.",
    "authorList": {
        "author": [
            {"fullName": "Müller JA", "firstName": "Jörg A", "lastName": "Müller"},
            {"fullName": "van der Berg K", "firstName": "Kim", "lastName": "van der Berg"},
            {"collectiveName": "Tide Group"},
        ]
    },
    "journalInfo": {"journal": {"title": "Journal of Mud"}},
    "pubYear": "2020",
    "abstractText": "<h4>Aim</h4>We count tides.",
    "language": "eng",
    "pubTypeList": {"pubType": ["retracted publication", "Journal Article"]},
}
SHORT = {
    "id": "PPR1", "source": "PPR", "title": "Salt", "authorString": "Moor A, Li X-Y.",
    "pubYear": "2021",
}  # fmt: skip
PREPRINT = {
    "doi": "10.1101/2020.01.01.000001",
    "title": "Salt marshes",
    "authors": "Gomez Cuautle, D. D.; Moor, A.",
    "author_corresponding": "Ada Moor",
    "date": "2020-01-02",
    "version": "2",
    "abstract": "We walk.",
    "server": "medRxiv",
}


def test_an_answer_of_europe_pmc(tmp_path: Path) -> None:
    result = {"result": [EUROPE_PMC, SHORT]}
    answer = {"version": "6.9", "hitCount": 2, "request": {}, "resultList": result}
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    assert find_files([tmp_path]) == [tmp_path / "answer.json"]
    (first, short), messages = read(tmp_path / "answer.json")
    assert messages == []
    assert (first.id, first.title, first.doi) == (
        "pmid:31415926", "Tides in Zostera meadows", "10.1000/tide"
    )  # fmt: skip
    assert first.authors == ("Jörg A Müller", "Kim van der Berg", "Tide Group")
    assert (first.year, first.venue, first.abstract, first.language, first.kind) == (
        2020, "Journal of Mud", "Aim We count tides.", "en", "article-journal"
    )  # fmt: skip
    assert first.retracted
    assert (short.id, short.authors, short.kind) == ("epmc:PPR1", ("A Moor", "X-Y Li"), "article")


def test_an_answer_of_medrxiv(tmp_path: Path) -> None:
    answer = {"messages": [{"status": "ok"}], "collection": [PREPRINT]}
    (tmp_path / "answer.json").write_text(json.dumps(answer))
    assert find_files([tmp_path]) == [tmp_path / "answer.json"]
    (paper,), messages = read(tmp_path / "answer.json")
    assert messages == []
    assert paper.id == "doi:10.1101/2020.01.01.000001"
    assert paper.authors == ("D. D. Gomez\u00a0Cuautle", "A. Moor")
    assert (paper.year, paper.venue, paper.kind) == (2020, "medRxiv", "article")


def test_a_title_that_is_not_english_stands_where_there_is_no_other(tmp_path: Path) -> None:
    title = "<ArticleTitle>[Cells of the <i>marsh</i>.]</ArticleTitle>"
    other = "<ArticleTitle/><VernacularTitle>Zellen der Marsch.</VernacularTitle>"
    assert only(tmp_path, PUBMED.replace(title, other)).title == "Zellen der Marsch"


def test_pubmed(tmp_path: Path) -> None:
    assert only(tmp_path, PUBMED, "pubmed.xml") == Paper(
        "pmid:30049270",
        "Cells of the marsh",
        "Background: Silt. Grows.",
        ("Cy Reed", "Marsh Group"),
        2018,
        "BMC biology",
        "10.1186/s1",
        "https://pubmed.ncbi.nlm.nih.gov/30049270/",
        "en",
        "article-journal",
        retracted=True,
    )


@pytest.mark.parametrize(
    "content",
    [
        PUBMED.replace("<AuthorList>", '<AuthorList CompleteYN="N">'),
        json.dumps(OPENALEX | {"is_authors_truncated": True}),
    ],
    ids=["PubMed", "OpenAlex"],
)
def test_a_source_may_name_some_of_the_authors(tmp_path: Path, content: str) -> None:
    assert only(tmp_path, content).more_authors


def test_ris(tmp_path: Path) -> None:
    (tmp_path / "export").write_text(RIS)
    papers, messages = read(tmp_path / "export")
    assert papers[0] == Paper(
        "entry:10.1000/xyz",
        "On tides and ebb",
        "It rises.",
        ("Ada Moor", "Bo Fen"),
        2011,
        "Shores",
        "10.1000/xyz",
        "https://example.org",
        "en",
        "article-journal",
    )
    assert (papers[1].title, papers[1].venue) == ("Dunes", "Proceedings of Sand")
    assert messages == [f"{tmp_path / 'export'}:13: the record has no title (TI); it is skipped"]


@pytest.mark.parametrize(
    ("written", "authors"),
    [
        ("Smith, John, Jr.", ("John Smith Jr.",)),
        ("van der Berg, Anna Maria,III", ("Anna Maria van der Berg III",)),
        ("Smith, Jr., John", ("John Smith Jr.",)),
        ("Smith, John and Lee, Ann", ("John Smith", "Ann Lee")),
        ("张三,李四,王五", ("张三", "李四", "王五")),
    ],
)
def test_ris_writes_a_suffix_behind_the_first_name(
    tmp_path: Path, written: str, authors: tuple[str, ...]
) -> None:
    (tmp_path / "export").write_text(f"TY  - JOUR\nTI  - Tides\nAU  - {written}\nER  - \n")
    papers, messages = read(tmp_path / "export")
    assert (papers[0].authors, messages) == (authors, [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.ris",
            "TY  - JOUR\nTI  - Länge\nAU  - Müller, A\nER  - \nTY  - JOUR\nTI  - Größe\nER  - \n",
        ),
        ("a.json", '[{"id": "l",\n"title": "Länge", "author": [{"literal": "A Müller"}]}]'),
        ("a.jsonl", '\n{"id": "l", "title": "Länge", "authors": ["A Müller"]}\n'),
    ],
)
def test_an_old_encoding_is_read_and_reported_once(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    papers, messages = read(path)
    assert (papers[0].title, papers[0].authors) == ("Länge", ("A Müller",))
    assert len(messages) == 1 and messages[0].startswith(f"{path}:")
    assert messages[0].endswith("(byte 0xe4 in line 2), read as Windows-1252: save it as UTF-8")


@pytest.mark.parametrize(
    ("declared", "encoding", "title"),
    [
        ("ISO-8859-1", "latin-1", "Über Küsten"),
        ("ISO-8859-1", "utf-8", "Über Küsten"),
        ("windows-1251", "cp1251", "О приливах"),
        ("GBK", "gbk", "潮汐的研究"),
        ("gb2312", "gbk", "镕镕論潮汐"),
        ("GB2312", "gb18030", "㐀的潮汐"),
        ("Shift_JIS", "cp932", "潮汐①"),
        ("UTF-16", "utf-16", "潮汐的研究"),
        ("unheard-of", "utf-8", "潮汐的研究"),
        ("UTF-32", "utf-8", "潮汐的研究"),
        ("hex", "utf-8", "潮汐的研究"),
    ],
)
def test_xml_is_read_in_the_encoding_that_it_declares(
    tmp_path: Path, declared: str, encoding: str, title: str
) -> None:
    record = f"<article key='a/b'><title>{title}</title></article>"
    text = f"<?xml version='1.0' encoding='{declared}'?>\n<dblp>{record}</dblp>"
    assert only(tmp_path, text.encode(encoding)).title == title


def test_xml_that_is_not_what_it_declares_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(
        "<dblp>\n<article key='a'><title>Küsten</title></article></dblp>".encode("cp1252")
    )
    papers, messages = read(path)
    assert papers[0].title == "Küsten"
    fault = "not UTF-8 (byte 0xfc in line 2), read as Windows-1252: save it as UTF-8"
    assert messages == [f"{path}:1: {fault}"]


@pytest.mark.parametrize("name", ["a.ris", "a.bib", "a.json", "a.jsonl", "a.xml"])
def test_what_powershell_writes_is_read(tmp_path: Path, name: str) -> None:
    text = {
        ".ris": "TY  - JOUR\nTI  - Länge\nER  - \n",
        ".bib": "@book{a, title = {Länge}}",
        ".json": '[{"id": "a", "title": "Länge"}]',
        ".jsonl": '{"id": "a", "title": "Länge"}',
        ".xml": "<dblp><article key='a'><title>Länge</title></article></dblp>",
    }[Path(name).suffix]
    assert only(tmp_path, text.encode("utf-16"), name).title == "Länge"


@pytest.mark.parametrize("name", ["a.ris", "a.bib", "a.json", "a.jsonl", "a.enw"])
def test_chinese_in_gbk_is_read(tmp_path: Path, name: str) -> None:
    text = {
        ".ris": "TY  - JOUR\nAU  - 闫妍\nTI  - 潮汐能发电的研究进展\nER  - \n",
        ".bib": "@article{a, author = {闫妍}, title = {潮汐能发电的研究进展}}",
        ".json": '[{"id": "a", "author": [{"literal": "闫妍"}], "title": "潮汐能发电的研究进展"}]',
        ".jsonl": '{"id": "a", "authors": ["闫妍"], "title": "潮汐能发电的研究进展"}',
        ".enw": "%0 Journal Article\n%A 闫妍\n%T 潮汐能发电的研究进展\n",
    }[Path(name).suffix]
    paper = only(tmp_path, text.encode("gbk"), name)
    assert (paper.title, paper.authors) == ("潮汐能发电的研究进展", ("闫妍",))


def test_a_folder_gives_what_is_of_a_known_format(tmp_path: Path) -> None:
    known = {
        "data/xml/2020.acl.xml": ACL.encode(),
        "part_000.gz": gzip.compress(json.dumps(OPENALEX).encode()),
        "refs.ris": RIS.encode(),
        "crossref/0.json.gz": gzip.compress(json.dumps({"items": [CROSSREF]}).encode()),
    }
    unknown = {
        "pom.xml": b"<project/>",
        "package.json": b'{"name": "x"}',
        "photo.gz": gzip.compress(b"\x89PNG"),
    }
    for name, content in (known | unknown).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert {path.relative_to(tmp_path).as_posix() for path in find_files([tmp_path])} == set(known)


@pytest.mark.parametrize(
    "content",
    [
        ACL.replace("<last>Plato</last>", "<last/>"),
        DBLP.replace("J&ouml;rg M&uuml;ller 0001", ""),
    ],
)
def test_an_author_without_a_name_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "dump.xml").write_text(content)
    papers, _ = read(tmp_path / "dump.xml")
    assert [len(papers[0].authors), all(papers[0].authors)] == [1, True]


def test_a_paper_of_the_anthology_outside_a_volume_is_read(tmp_path: Path) -> None:
    content = OLD_ACL.replace('<volume id="1">', "<volume>")
    assert only(tmp_path, content, "P05.xml").title == "A Hierarchical Model"


def test_broken_xml_keeps_the_papers_before_it(tmp_path: Path) -> None:
    path = tmp_path / "2020.acl.xml"
    path.write_text(ACL[: ACL.index('<paper id="2">')] + "<paper id='2'><title>Oh</paper>")
    papers, messages = read(path)
    assert [paper.id for paper in papers] == ["acl:2020.acl-main.1"]
    assert len(messages) == 1 and messages[0].startswith(
        f"{path}:14: not well-formed XML (mismatched tag"
    )


@pytest.mark.parametrize("content", [ACL, DBLP, PUBMED, RIS, json.dumps(OPENALEX) + "\n"])
def test_a_cut_archive_is_one_line_and_keeps_what_came_before(tmp_path: Path, content: str) -> None:
    path = tmp_path / "dump.gz"
    # What cannot be compressed makes the archive long enough to be cut within it.
    filler = "".join(f"<!-- {number * 7919 % 100003} -->\n" for number in range(20_000))
    if not content.startswith("<"):
        filler = "".join(f'{{"n{number * 7919 % 100003}": 0}}\n' for number in range(20_000))
    packed = gzip.compress(f"{content.rstrip()}\n".encode() + filler.encode())
    path.write_bytes(packed[: len(packed) // 2])
    papers, messages = read(path)
    assert papers
    assert "the archive is broken here" in messages[-1] and str(path) in messages[-1]


def test_a_record_of_many_megabytes_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "dump.jsonl"
    with path.open("w") as file:
        file.write('{"id": 1, "title": "Before"}\n{"id": 2, "title": "')
        for _ in range(LONGEST_RECORD // 1000 + 2):
            file.write("x" * 1000)
        file.write('"}\n{"id": 3, "title": "After"}\n')
    papers, messages = read(path)
    assert [paper.title for paper in papers] == ["Before", "After"]
    assert messages == [f"{path}:2: more than {LONGEST_RECORD:,} characters; the line is skipped"]


@pytest.mark.parametrize("record", [OPENALEX, S2_PAPER, ARXIV, CROSSREF, EUROPE_PMC, PREPRINT])
@pytest.mark.parametrize("value", [None, 7, "text", [], {}, [None], {"a": [1]}, True])
def test_a_field_of_the_wrong_type_costs_no_more_than_itself(
    tmp_path: Path, record: dict[str, object], value: object
) -> None:
    lines = [json.dumps(record | {name: value}) for name in record]
    (tmp_path / "dump.jsonl").write_text("\n".join(lines))
    papers, messages = read(tmp_path / "dump.jsonl")
    assert len(papers) + len(messages) == len(lines)
    assert len(papers) >= len(lines) - 4


def within(value: object, changed: object) -> Iterator[object]:
    """Yield a value as often as it has parts, each time with another of them changed."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from (
                value | {name: changed_part} for changed_part in (changed, *within(part, changed))
            )
    elif isinstance(value, list):
        for at, part in enumerate(value):
            new = (changed, *within(part, changed))
            yield from ([*value[:at], replacement, *value[at + 1 :]] for replacement in new)


@pytest.mark.parametrize("record", [OPENALEX, S2_PAPER, ARXIV, CROSSREF, EUROPE_PMC, PREPRINT])
@pytest.mark.parametrize("value", [None, 7, "text", [], {}, [None], {"a": [1]}, True])
def test_what_is_of_the_wrong_type_deep_in_a_record_costs_no_other(
    tmp_path: Path, record: dict[str, object], value: object
) -> None:
    lines = [json.dumps(changed_record) for changed_record in within(record, value)]
    (tmp_path / "dump.jsonl").write_text("\n".join(lines))
    papers, messages = read(tmp_path / "dump.jsonl")
    assert len(papers) + len(messages) == len(lines)


MARKED = "The <i>h</i>-index of CO<sub>2</sub> &amp; <italic>E. coli</italic> at p < 0.05 and q > 3"


@pytest.mark.parametrize(
    "record",
    [
        {"id": "https://openalex.org/W1", "authorships": [], "title": MARKED},
        {"corpusid": 1, "title": MARKED},
        {"paperId": "a", "corpusId": 1, "title": MARKED},
        {"DOI": "10.1000/a", "title": [MARKED]},
        {"DOI": "10.1000/a", "title": [MARKED.replace("<", "&lt;").replace(">", "&gt;")]},
        {"id": "1", "source": "MED", "authorString": "Moor A", "title": MARKED},
        {"doi": "10.1000/a", "author_corresponding": "Moor A", "title": MARKED},
    ],
)
def test_titles_are_read_without_the_markup_of_web_pages(record: dict[str, object]) -> None:
    paper = paper_of_record(record)
    assert paper and paper.title == "The h-index of CO2 & E. coli at p < 0.05 and q > 3"
