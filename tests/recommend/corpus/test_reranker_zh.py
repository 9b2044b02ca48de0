"""Chinese contexts and English papers: what is asked, what is found, and what the evidence says."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode import Vectors
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.corpus import recommender as corpus_recommender
from cite_lsp.recommend.corpus.features_zh import BILINGUAL_FEATURES, BILINGUAL_PLACE
from cite_lsp.recommend.corpus.joint import joint
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.recommend.corpus.reranker_zh import BilingualRetrieval, BilingualStage
from cite_lsp.recommend.query.latin_names import initials, initials_of, spelled_letters
from cite_lsp.recommend.query.query import read_bilingual
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.translate.lexicon import Lexicon
from cite_lsp.translate.translator import DictionaryTranslator

MEANING = {"潮汐": "tide", "沼泽": "marsh", "海鸥": "gull"}
LEXICON = Lexicon(
    {"潮汐": "tide\t700\ttidal\t300", "沼泽": "marsh\t600\tswamp\t400", "海鸥": "gull\t1000"},
    frozenset(MEANING),
    "small",
)
PAPERS = [
    Paper("tide", "Predicting the tide", authors=("Darwin, George",), year=1907),
    Paper("tidal", "Tidal constituents of the north", authors=("Doodson, A.",), year=1921),
    Paper("marsh", "A marsh under the plough", "Of swamp and silt.", ("Lee, Kim",), 2003),
    Paper("gull", "Herring gull colonies", authors=("Tinbergen, N.",), year=1953),
    Paper("gan", "Generative adversarial networks", authors=("Goodfellow, I.",), year=2014),
    Paper("zh", "海鸥的迁徙", authors=("王伟",), year=2015, language="zh"),
]
ROW = {paper.id: row for row, paper in enumerate(PAPERS)}


class BothLanguages:
    """Vectors whose axes are topics, whatever the language."""

    name, dimensions, fingerprint, checkpoint = "both", 4, "both-1", "both-1"

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> Vectors:
        if cancelled is not None and cancelled():
            raise Cancelled
        rows = np.full((len(texts), 4), 0.01, dtype=np.float32)
        for row, text in enumerate(texts):
            for place, (chinese, english) in enumerate(MEANING.items()):
                rows[row, place] += text.count(chinese) + text.lower().count(english)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


class FirstFeature:
    """Stands for the trees: the more of its words the better, then the nearer."""

    checkpoint = "both-1"

    def logits(self, matrix: np.ndarray) -> np.ndarray:
        return np.asarray(matrix[:, BILINGUAL_PLACE["faded"]] + matrix[:, BILINGUAL_PLACE["near"]])


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path_factory.getbasetemp() / "home"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    return build_corpus(tmp_path_factory.mktemp("corpus") / "shores", PAPERS, BothLanguages())


@pytest.fixture(scope="module")
def retrieval(corpus: CorpusIndex) -> BilingualRetrieval:
    return BilingualRetrieval(corpus, DictionaryTranslator(LEXICON))


def chinese(left: str, right: str = "。", **more: object) -> Context:
    return Context(left=left, right=right, language="zh", **more)  # type: ignore[arg-type]


def evidence(
    retrieval: BilingualRetrieval, context: Context, section: Sequence[int] = ()
) -> tuple[Rows, Callable[[str, str], float]]:
    rows, matrix = retrieval.gather(context, BothLanguages(), section=section)
    place = {int(row): number for number, row in enumerate(rows)}

    def of(paper: str, feature: str) -> float:
        return float(matrix[place[ROW[paper]], BILINGUAL_PLACE[feature]])

    return rows, of


def test_windows_are_read_in_both_languages() -> None:
    context = chinese("前" * 100 + "Darwin等人（1907）用GANs预测潮汐", "，而沼泽" + "后" * 50)
    query = read_bilingual(context, DictionaryTranslator(LEXICON))
    assert len(query.near) == 80 + 1 + 30
    assert "Darwin" in query.near_en and "tide" in query.near_en and "marsh" in query.near_en
    assert query.latin_near == ("Darwin", "GANs")
    assert query.latin_close == ("Darwin", "GANs")
    assert query.acronyms == {"gan"} and query.years == {1907}


def test_what_stands_next_to_the_marker_counts_most() -> None:
    query = read_bilingual(chinese("潮汐" + "海鸥" * 20), DictionaryTranslator(LEXICON))
    assert query.near_words["tide"] > 3 * query.faded["tide"]
    assert query.faded["tide"] > query.faded["tidal"] > 0  # all senses, the likelier the more


def test_an_acronym_is_spelled_by_neighbouring_words() -> None:
    assert initials("Generative adversarial networks for the tide") == ("ganftt", "gant")
    titles = initials_of(["Conditional generative adversarial networks", "A grammar of knots"])
    assert np.asarray(spelled_letters({"gan"}, titles)).tolist() == [3, 0]


def test_papers_are_found_by_sense_by_name_by_acronym_and_in_chinese(
    retrieval: BilingualRetrieval,
) -> None:
    rows, of = evidence(retrieval, chinese("Tinbergen的潮汐研究用了GAN，还有海鸥"))
    assert {ROW["tide"], ROW["tidal"], ROW["gull"], ROW["zh"]} <= set(rows.tolist())
    assert of("tide", "words_near") > of("tidal", "words_near") > 0
    assert of("tide", "cover_near") > of("marsh", "cover_near")
    assert of("gull", "authors_near") == of("gull", "first_author_near") == 1
    assert of("gan", "acronym") == 3 and of("tide", "acronym") == 0
    assert of("zh", "near") > 0.5


def test_a_title_is_covered_once_however_often_its_words_are_said(
    retrieval: BilingualRetrieval,
) -> None:
    once, thrice, often = (
        evidence(retrieval, chinese("海鸥" * times))[1]("gull", "cover_near") for times in (1, 3, 8)
    )
    assert 0 < once < thrice == often == pytest.approx(1 / 3)  # one word of three alike


def test_of_a_list_of_names_the_one_before_the_marker_is_distinguished_from_the_others(
    retrieval: BilingualRetrieval,
) -> None:
    _, of = evidence(retrieval, chinese("Tinbergen与Darwin，GAN", "，以及Lee等人"))
    assert of("gan", "acronym_before") == 0 == of("gan", "nearest_held")
    assert of("tide", "first_author_before") == len("，GAN")
    assert of("gull", "author_before") == len("与Darwin，GAN") == of("gull", "nearest_held")
    assert np.isnan(of("marsh", "author_before")) and of("marsh", "named_behind") == len("，以及")
    assert np.isnan(of("tide", "acronym_before")) and of("tide", "nearest_before") == 0


def test_words_of_a_title_are_weighted_by_their_distance(retrieval: BilingualRetrieval) -> None:
    _, of = evidence(retrieval, chinese("北方的tidal潮汐沼泽", "与tide"))
    assert of("tidal", "title_before") == len("潮汐沼泽")
    assert np.isnan(of("tide", "title_before")) and of("tide", "title_behind") == 1


def test_a_paper_is_compared_with_the_rest_of_the_section(retrieval: BilingualRetrieval) -> None:
    section = [ROW["tide"], ROW["tidal"]]
    _, of = evidence(retrieval, chinese("潮汐，沼泽，海鸥", "。"), section)
    assert of("tide", "section_words") == of("gull", "section_words") == 0  # not with itself
    _, of = evidence(retrieval, chinese("潮汐"), [ROW["gull"], ROW["marsh"]])
    assert of("marsh", "section_top") < of("marsh", "section_mean") + 1e-6
    assert of("tide", "section_year") == 1907 - (1953 + 2003) / 2
    _, of = evidence(retrieval, chinese("潮汐"), [])
    assert np.isnan(of("tide", "section_top"))


def test_the_query_encoder_reads_the_sentence_and_finds_papers_of_its_own(
    corpus: CorpusIndex,
) -> None:
    class RecordingEncoder(BothLanguages):
        texts: Sequence[str] = ()

        def encode(self, texts: Sequence[str], **options: object) -> Vectors:
            RecordingEncoder.texts = texts
            return super().encode(["gull"])

    retrieval = BilingualRetrieval(corpus, DictionaryTranslator(LEXICON), RecordingEncoder())
    rows, of = evidence(retrieval, chinese("潮汐", "与沼泽"))
    assert RecordingEncoder.texts[0].split() == ["潮汐", "[MASK]", "与沼泽", "[SEP]"]
    assert ROW["gull"] in rows and of("gull", "placed") > 0.9


def test_author_and_year_together_say_more_than_either(retrieval: BilingualRetrieval) -> None:
    _, of = evidence(retrieval, chinese("Darwin在1907年研究潮汐"))
    assert of("tide", "author_and_year") == 1
    assert of("tidal", "author_and_year") == of("tidal", "year_named") == 0
    _, of = evidence(retrieval, chinese("研究潮汐"))
    assert np.isnan(of("tide", "year_named")) and of("tide", "author_and_year") == 0


def test_a_paper_of_the_section_is_not_compared_with_itself(retrieval: BilingualRetrieval) -> None:
    _, of = evidence(retrieval, chinese("潮汐"), [ROW["tide"], ROW["marsh"]])
    assert of("tide", "in_section") == 1 and of("tidal", "in_section") == 0
    assert of("tide", "section_nearest") < 0.5
    _, of = evidence(retrieval, chinese("潮汐"), [ROW["tide"]])
    assert np.isnan(of("tide", "section_nearest"))


def test_every_candidate_has_its_features_and_only_what_is_allowed_is_one(
    retrieval: BilingualRetrieval,
) -> None:
    allowed = np.array([paper.year is not None and paper.year < 1960 for paper in PAPERS])
    rows, matrix = retrieval.gather(
        chinese("海鸥"), BothLanguages(), allowed=allowed, section=[ROW["gan"]]
    )
    assert matrix.shape == (len(rows), len(BILINGUAL_FEATURES)) and allowed[rows].all()


def test_a_question_nobody_waits_for_is_given_up(retrieval: BilingualRetrieval) -> None:
    with pytest.raises(Cancelled):
        retrieval.gather(chinese("潮汐"), BothLanguages(), cancelled=lambda: True)


def test_chinese_contexts_are_ranked_by_their_own_stage(
    corpus: CorpusIndex, retrieval: BilingualRetrieval, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = BilingualStage(retrieval, FirstFeature())  # type: ignore[arg-type]
    monkeypatch.setattr(corpus_recommender, "shipped_bilingual_stage", lambda corpus: stage)
    monkeypatch.setattr(corpus_recommender, "shipped_second_stage", lambda *given: None)
    recommender = CorpusRecommender(corpus, BothLanguages())
    recommendations = recommender.recommend(chinese("关于潮汐的研究"), limit=3)
    assert [recommendation.paper.id for recommendation in recommendations][0] == "tide" and len(
        recommendations
    ) == 3
    assert any(reason.kind == "sentence" for reason in recommendations[0].reasons)


def test_the_papers_of_several_corpora_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stage(corpus: CorpusIndex) -> BilingualStage:
        retrieval = BilingualRetrieval(corpus, DictionaryTranslator(LEXICON))
        return BilingualStage(retrieval, FirstFeature())  # type: ignore[arg-type]

    monkeypatch.setattr(corpus_recommender, "shipped_bilingual_stage", stage)
    monkeypatch.setattr(corpus_recommender, "shipped_second_stage", lambda *given: None)
    lists = [
        CorpusRecommender(
            build_corpus(tmp_path / name, papers, BothLanguages()), BothLanguages()
        ).recommend(chinese("关于海鸥的研究"), limit=3)
        for name, papers in (("tides", PAPERS[:2]), ("birds", PAPERS[2:]))
    ]
    (papers,) = joint(lists)
    assert [paper.paper.id for paper in papers][:2] in (["gull", "zh"], ["zh", "gull"])
    assert lists[0][0].score < papers[0].score <= 1


def test_without_its_files_chinese_contexts_are_ranked_as_english_ones(
    corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(corpus: CorpusIndex) -> BilingualStage:
        raise RankerError("the ranker cannot be read; reinstall cite-lsp")

    monkeypatch.setattr(corpus_recommender, "shipped_bilingual_stage", broken)
    monkeypatch.setattr(corpus_recommender, "shipped_second_stage", lambda *given: None)
    recommender = CorpusRecommender(corpus, BothLanguages())
    with caplog.at_level(logging.ERROR):
        assert recommender.rank(chinese("关于潮汐的研究"))
        assert recommender.rank(chinese("关于沼泽的研究"))
    assert len(caplog.records) == 1 and "reinstall" in caplog.text
