"""Full texts in JATS and TEI: the paper, its list of references, and in which words it cites."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cite_lsp.corpus.citations import PaperCitations
from cite_lsp.corpus.sources import find_files, read_source
from cite_lsp.manuscript import parse
from cite_lsp.paper import Paper

JATS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.3//EN" "jats.dtd">
<article article-type="research-article" xml:lang="en">
<front>
  <journal-meta><journal-title-group><journal-title>Tides</journal-title></journal-title-group>
  </journal-meta>
  <article-meta>
    <article-id pub-id-type="pmc">PMC77</article-id>
    <article-id pub-id-type="pmid">1234</article-id>
    <article-id pub-id-type="doi">10.1000/OWN</article-id>
    <title-group><article-title>Salt marshes <italic>drown</italic> slowly</article-title>
    </title-group>
    <contrib-group>
      <contrib contrib-type="author"><name><surname>Ruiz</surname><given-names>Ana</given-names>
        </name></contrib>
      <contrib contrib-type="author"><collab>Marsh Consortium</collab></contrib>
      <contrib contrib-type="editor"><name><surname>No</surname><given-names>One</given-names>
        </name></contrib>
    </contrib-group>
    <pub-date pub-type="ppub"><year>2021</year></pub-date>
    <pub-date pub-type="epub"><year>2020</year></pub-date>
    <abstract abstract-type="graphical"><p>A picture.</p></abstract>
    <abstract><sec><title>Aims</title><p>We look.</p></sec><sec><title>Results:</title><p>It
      drowns.</p></sec></abstract>
  </article-meta>
</front>
<body>
  <p>Marshes keep pace with the sea<sup><xref ref-type="bibr" rid="B1">1</xref>,<xref
    ref-type="bibr" rid="B3">3</xref>&#x2013;<xref ref-type="bibr" rid="B5">5</xref></sup>, and more
    so where mud is plenty (<xref ref-type="fig" rid="F1">Fig. 1</xref>).</p>
  <sec><title>Models</title>
    <p>Smith <italic>et al.</italic> (<xref ref-type="bibr" rid="B2">2010</xref>) <bold>grow</bold>
      them in a flume [<xref ref-type="bibr" rid="B4 B6">4, 6</xref>].</p>
    <fig id="F1"><caption><p>No prose <xref rid="B7">7</xref>.</p></caption></fig>
    <sec><title>Roots</title><p>Roots hold (Kim, 2012).</p></sec>
  </sec>
</body>
<back><ref-list>
  <ref id="B1"><element-citation publication-type="journal"><person-group
    person-group-type="author"><name><surname>Kim</surname><given-names>J</given-names></name><etal/>
    </person-group><article-title>Mud.</article-title><source>Coasts</source><year>2012</year>
    <pub-id pub-id-type="doi">10.1000/b1</pub-id></element-citation></ref>
  <ref id="B2"><mixed-citation publication-type="book"><name><surname>Smith</surname>
    <given-names>P.</given-names></name> (<year>2010</year>) <source>Flumes</source>.
    <publisher-name>Wet Press</publisher-name></mixed-citation></ref>
  <ref id="B3"><element-citation publication-type="journal"><source>Coasts</source>
    <pub-id pub-id-type="pmid">99</pub-id></element-citation></ref>
  <ref id="B4"><mixed-citation>Somebody said so.</mixed-citation></ref>
  <ref id="B5"><citation citation-type="confproc"><person-group><name><surname>Li</surname>
    <given-names>W</given-names></name></person-group><article-title>Reeds</article-title>
    <source>Proc. Wet</source><year>2011</year></citation></ref>
  <ref id="B6"><element-citation publication-type="preprint"><article-title>Grass</article-title>
    <pub-id pub-id-type="arxiv">arXiv:2101.00001v2</pub-id></element-citation></ref>
  <ref id="B7"><element-citation publication-type="journal"><article-title>Sand</article-title>
    </element-citation></ref>
</ref-list></back>
</article>
"""

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0">
<teiHeader xml:lang="en"><fileDesc>
  <titleStmt><title level="a" type="main">Bees count</title></titleStmt>
  <sourceDesc><biblStruct>
    <analytic><author><persName><forename type="first">Ida</forename>
      <forename type="middle">K</forename><surname>Berg</surname></persName></author></analytic>
    <monogr><title level="j">Insects</title><imprint><date type="published" when="2019-05-02"/>
      </imprint></monogr>
    <idno type="arXiv">arXiv:1905.01234v1[q-bio.NC]</idno>
  </biblStruct></sourceDesc></fileDesc>
  <profileDesc><abstract><div><p><s>Bees see four.</s><s>Not five.</s></p></div></abstract>
  </profileDesc>
</teiHeader>
<text><body>
  <div><head>Introduction</head><p><s>Number sense is old <ref type="bibr" target="#b0">[1]</ref>,
    <ref type="bibr" target="#b1">[2]</ref>.</s><s>See
    <ref type="figure" target="#fig_0">1</ref>.</s></p>
    <figure xml:id="fig_0"><figDesc>No prose <ref target="#b2">[3]</ref></figDesc></figure>
  </div>
  <div><head>Method</head><p>As in <ref type="bibr" target="#b2">Ojo and Wu (2001)</ref> we reward.
    Others <ref type="bibr">[9]</ref> do not.</p></div>
</body>
<back><div type="references"><listBibl>
  <biblStruct xml:id="b0"><analytic><title level="a" type="main">Counting</title><author><persName>
    <forename type="first">M</forename><surname>Gross</surname></persName></author>
    <idno type="DOI">10.1000/Count</idno></analytic>
    <monogr><title level="j">J. Num.</title><imprint><date when="2009">2009</date></imprint>
    </monogr>  </biblStruct>
  <biblStruct xml:id="b1"><monogr><title level="m">Minds of bees</title><author><persName>
    <surname>Chi</surname></persName></author><imprint><publisher>Hive</publisher>
    <date when="1999"/></imprint></monogr></biblStruct>
  <biblStruct xml:id="b2"><analytic><title level="a">Reward</title></analytic><monogr>
    <title level="m">Proc. Learning</title><meeting/><imprint><date when="2001-06"/></imprint>
    </monogr></biblStruct>
  <biblStruct xml:id="b3"><analytic><title/></analytic><monogr>
    <title level="j">J. Nowhere</title><imprint/></monogr></biblStruct>
</listBibl></div></back></text>
</TEI>
"""


def read(path: Path, text: str) -> tuple[list[Paper], list[PaperCitations], list[str]]:
    path.write_text(text, encoding="utf-8")
    messages: list[str] = []
    items = list(read_source(path, messages.append))
    papers = [work for work in items if isinstance(work, Paper)]
    return papers, [work for work in items if isinstance(work, PaperCitations)], messages


def said(cites: PaperCitations) -> tuple[tuple[str, ...], str, str]:
    (words,) = cites.contexts
    return cites.cited, words.left, words.right


def test_the_paper_of_an_article_in_jats(tmp_path: Path) -> None:
    papers, _, messages = read(tmp_path / "a.nxml", JATS)

    assert not messages
    assert papers[0] == Paper(
        id="pmid:1234",
        title="Salt marshes drown slowly",
        abstract="Aims: We look. Results: It drowns.",
        authors=("Ana Ruiz", "Marsh Consortium"),
        year=2020,
        venue="Tides",
        doi="10.1000/own",
        url="https://pubmed.ncbi.nlm.nih.gov/1234/",
        language="en",
        kind="article-journal",
    )


def test_the_references_of_jats_are_papers_where_they_have_titles(tmp_path: Path) -> None:
    papers, _, _ = read(tmp_path / "a.xml", JATS)

    mud, flumes, reeds, grass, sand = papers[1:]
    assert mud == Paper(
        "doi:10.1000/b1", "Mud", "", ("J Kim",), 2012, "Coasts", "10.1000/b1",
        language="en", kind="article-journal", more_authors=True,
    )  # fmt: skip
    assert (flumes.id, flumes.title, flumes.venue) == ("pmid:1234#B2", "Flumes", "Wet Press")
    assert (flumes.authors, flumes.year, flumes.kind) == (("P. Smith",), 2010, "book")
    assert (reeds.title, reeds.venue, reeds.kind) == ("Reeds", "Proc. Wet", "paper-conference")
    assert (grass.id, grass.arxiv, grass.kind) == ("arxiv:2101.00001", "2101.00001", "article")
    assert sand.title == "Sand"


def test_jats_cites_in_words_and_ranges_cite_what_is_between(tmp_path: Path) -> None:
    _, cites, _ = read(tmp_path / "a.xml", JATS)

    assert {citation.citing for citation in cites} == {"id pmid:1234"}
    first, smith, flume, rest = cites
    pace = "Marshes keep pace with the sea"
    # B4 has neither a title nor a number by which it could be found.
    assert said(first) == (
        ("id doi:10.1000/b1", "id pmid:99", "id pmid:1234#B5"), pace,
        ", and more so where mud is plenty (Fig. 1).",
    )  # fmt: skip
    assert said(smith) == (("id pmid:1234#B2",), "", "grow them in a flume.")
    assert said(flume) == (("id arxiv:2101.00001",), "grow them in a flume", ".")
    assert rest == PaperCitations("id pmid:1234", ("id pmid:1234#B7",))


def test_the_tei_that_grobid_makes(tmp_path: Path) -> None:
    papers, cites, messages = read(tmp_path / "a.tei.xml", TEI)

    assert not messages
    own, counting, minds, reward = papers
    assert own == Paper(
        "arxiv:1905.01234", "Bees count", "Bees see four. Not five.", ("Ida K Berg",), 2019,
        "Insects", language="en", kind="article-journal", arxiv="1905.01234",
    )  # fmt: skip
    assert (counting.id, counting.venue, counting.year) == ("doi:10.1000/count", "J. Num.", 2009)
    assert (minds.title, minds.authors, minds.venue) == ("Minds of bees", ("Chi",), "Hive")
    assert (minds.kind, reward.kind) == ("book", "paper-conference")
    assert [said(citation) for citation in cites] == [
        (("id doi:10.1000/count", "id arxiv:1905.01234#b1"), "Number sense is old", ". See 1."),
        (("id arxiv:1905.01234#b2",), "As in", "we reward. Others do not."),
    ]


def test_references_without_an_id_or_a_title_and_members_of_a_group(tmp_path: Path) -> None:
    bare = JATS.replace('<ref id="B1">', "<ref>").replace('<ref id="B7">', "<ref>")
    bare = bare.replace(
        "<mixed-citation>Somebody said so.", "<mixed-citation><source>Phys</source>"
    )
    members = "<collab>Marsh Consortium<contrib-group><contrib><name><surname>Li</surname></name>"
    bare = bare.replace("<collab>Marsh Consortium", f"{members}</contrib></contrib-group>")

    papers, _, _ = read(tmp_path / "a.xml", bare)

    assert [paper.title for paper in papers[1:]] == ["Mud", "Flumes", "Reeds", "Grass", "Sand"]
    assert papers[0].authors == ("Ana Ruiz", "Marsh Consortium")


def test_what_is_nested_too_deeply_costs_no_other(tmp_path: Path) -> None:
    body = JATS[JATS.index("<article ") :]
    deep = "<p>" + "<bold>" * 5_000 + "x" + "</bold>" * 5_000 + "</p>"
    other = body.replace("1234", "5678").replace("<sec><title>Models", f"{deep}<sec><title>Models")

    papers, _, messages = read(
        tmp_path / "set.xml", f"<pmc-articleset>{other}{body}</pmc-articleset>"
    )

    assert "pmid:1234" in {paper.id for paper in papers}
    assert len(messages) == 1 and messages[0].endswith("is nested too deeply; it is skipped")


def test_several_articles_in_one_file_and_one_without_a_title(tmp_path: Path) -> None:
    body = JATS[JATS.index("<article ") :]
    other = body.replace("1234", "5678").replace("10.1000/OWN", "10.1000/OTHER")
    bare = '<article article-type="other" id="x9"><front><article-meta/></front></article>'
    text = f"<pmc-articleset>{body}{bare}{other}</pmc-articleset>"

    papers, cites, messages = read(tmp_path / "set.xml", text)

    assert [paper.id for paper in papers if paper.abstract] == ["pmid:1234", "pmid:5678"]
    assert {citation.citing for citation in cites} == {"id pmid:1234", "id pmid:5678"}
    assert messages == [f"{tmp_path / 'set.xml'}: the record 'x9' has no title; it is skipped"]


def test_a_full_text_that_ends_in_the_middle_is_reported(tmp_path: Path) -> None:
    papers, cites, messages = read(tmp_path / "cut.xml", JATS[: JATS.index("<back>")])

    assert (papers, cites) == ([], [])
    assert len(messages) == 1 and "not well-formed XML" in messages[0]


def test_full_texts_of_a_folder_are_found_and_web_pages_are_not(tmp_path: Path) -> None:
    (tmp_path / "a.nxml").write_text(JATS)
    (tmp_path / "b.tei.xml").write_text(TEI)
    (tmp_path / "page.xml").write_text("<html><body><article><p>News.</p></article></body></html>")

    assert [path.name for path in find_files([tmp_path])] == ["a.nxml", "b.tei.xml"]


def test_a_section_of_many_citations_is_read_in_time_by_its_length(tmp_path: Path) -> None:
    many = "".join(f'<p>So it is <xref rid="B1">{n}</xref>.</p>' for n in range(3_000))
    text = JATS.replace("<sec><title>Models", f"{many}<sec><title>Models")

    _, cites, _ = read(tmp_path / "long.xml", text)

    assert len(cites) == 3_004
    assert all(len(context.left) <= 600 for citation in cites for context in citation.contexts)


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed")
def test_jats_that_pandoc_makes_of_a_draft_cites_as_the_draft_does(tmp_path: Path) -> None:
    draft = (
        "---\ntitle: Tides\nlink-citations: true\n---\n\n"
        "# One\n\nMud settles [@kim; @li] in reeds. By @smith it grows.\n\n"
        "# Two\n\nRoots [see @li, p. 3] hold.\n"
    )
    entries = (
        "@article{kim, title={Mud}, author={Kim, J.}, year=2012}\n"
        "@article{li, title={Reeds}, author={Li, Wei}, year=2011}\n"
        "@book{smith, title={Flumes}, author={Smith, P.}, year=2010}\n"
    )
    (tmp_path / "draft.md").write_text(draft)
    (tmp_path / "all.bib").write_text(entries)
    subprocess.run(
        ["pandoc", "draft.md", "--citeproc", "--bibliography", "all.bib", "--standalone",
         "--to", "jats_archiving+element_citations", "--output", "draft.xml"],
        cwd=tmp_path, check=True, timeout=60,
    )  # fmt: skip

    papers, cites, messages = read(tmp_path / "d.xml", (tmp_path / "draft.xml").read_text())

    assert not messages
    title = {f"id {paper.id}": paper.title for paper in papers}
    written = {"kim": "Mud", "li": "Reeds", "smith": "Flumes"}
    in_draft = [
        {written[key.text] for key in marker.keys} for marker in parse(draft, "markdown").markers
    ]
    assert [{title[mark] for mark in citation.cited} for citation in cites] == in_draft
    assert [said(citation)[1:] for citation in cites] == [
        ("Mud settles", "in reeds. By it grows."),
        ("Mud settles in reeds. By", "it grows."),
        ("Roots", "hold."),
    ]
