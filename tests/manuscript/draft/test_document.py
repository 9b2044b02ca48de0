"""The markers of a draft of several files come in the order in which a reader meets them."""

from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.manuscript import Document, Manuscript, context_at, context_of, parse
from cite_lsp.manuscript.draft.windows import marker_windows

MAIN = r"""\begin{document}
\section{One} First \cite{a}. \input{chapter} Last \cite{z}, \nocite{n} then \cite{y}.
\end{document}"""
CHAPTER = r"\section{Two} In \cite{c}, \input{inner} and more \cite{d}."
INNER = r"Deep \cite{i}."


def draft(main: str = MAIN) -> Document:
    files = tuple(parse(text, "latex") for text in (main, CHAPTER, INNER))
    places = (
        None,
        (0, files[0].inputs[0].start),
        (1, files[1].inputs[0].start),
    )
    return Document(files, places)


def test_what_stands_behind_an_inclusion_comes_after_the_included_file() -> None:
    mentions = draft().mentions
    assert [mention.keys[0] for mention in mentions] == list("acidzy")
    assert [mention.order for mention in mentions] == list(range(6))


def test_a_context_knows_its_place_in_the_reading_order() -> None:
    document = draft()
    main, chapter, _ = document.files
    last = context_of(main, main.markers[1], document)
    assert last.order == 4
    assert last.section_cited == ("a", "y")
    assert last.section_cited_before == ("a",)
    assert [mention.keys[0] for mention in last.mentions] == list("acidy")
    inside = context_of(chapter, chapter.markers[1], document)
    assert (inside.order, inside.section_cited) == (3, ("c",))


def test_while_writing_only_what_a_reader_has_met_exists() -> None:
    document = draft()
    main, chapter, inner = document.files
    here = context_of(chapter, chapter.markers[1], document).written_so_far()
    assert [mention.keys[0] for mention in here.mentions] == list("aci")
    assert context_of(inner, inner.markers[0], document).written_so_far().order == 2


def test_the_sentence_ends_at_the_marker_while_it_is_being_written() -> None:
    text = "Before. We use \\cite{a} and it works, as (\\cite{b} says. After."
    manuscript = parse(text, "latex")
    context = context_of(manuscript, manuscript.markers[1], Document.of(manuscript))
    assert context.sentence == "We use and it works, as ( says."
    here = context.written_so_far()
    assert (here.previous, here.sentence, here.right, here.next) == (
        "Before.",
        "We use and it works, as (",
        "",
        "",
    )
    assert context.written_so_far(keep_right=True).sentence == context.sentence


def test_what_an_earlier_marker_is_followed_by_ends_where_the_writer_stands() -> None:
    text = (
        "Tide tables were printed long ago \\cite{a} and gauges \\cite{b} then measured it, "
        "which \\cite{c} tells."
    )
    manuscript = parse(text, "latex")
    before = context_of(manuscript, manuscript.markers[2], Document.of(manuscript))
    assert [mention.right for mention in before.mentions] == [
        "and gauges then measured it, which tells.",
        "then measured it, which tells.",
    ]
    here = before.written_so_far()
    assert [mention.right for mention in here.mentions] == [
        "and gauges then measured it, which",
        "then measured it, which",
    ]
    assert before.written_so_far(keep_right=True).mentions == before.mentions


def test_the_first_words_of_a_section_end_there_too() -> None:
    manuscript = parse("We follow \\cite{a} and then \\cite{b} in all of it.", "latex")
    here = context_of(manuscript, manuscript.markers[1], Document.of(manuscript)).written_so_far()
    assert [mention.right for mention in here.mentions] == ["and then"]


def test_a_marker_far_above_keeps_its_text_while_writing() -> None:
    text = f"Tides rise \\cite{{a}} twice a day. {'The sea is wide. ' * 40}Gulls nest \\cite{{b}}."
    manuscript = parse(text, "latex")
    context = context_of(manuscript, manuscript.markers[1], Document.of(manuscript))
    assert context.written_so_far().mentions == context.mentions


def test_a_file_that_nobody_includes_comes_last() -> None:
    document = draft()
    loose = parse("Loose \\cite{l}.", "latex")
    together = Document((*document.files, loose), (*document.places, None))
    assert [mention.keys[0] for mention in together.mentions] == list("acidzyl")
    assert context_of(loose, loose.markers[0], together).order == 6


def test_files_that_include_none_are_read_one_after_another() -> None:
    files = draft().files
    context = context_of(files[0], files[0].markers[1], Document.of(*files))
    assert (context.order, [m.keys[0] for m in context.mentions]) == (1, list("aycdi"))


def test_mentions_of_a_file_are_made_again_only_when_its_place_changes() -> None:
    before = draft()
    assert len(before.mentions) == 6
    same = parse(MAIN.replace("Last", "At last"), "latex")
    places = (None, (0, same.inputs[0].start), before.places[2])
    after = Document((same, *before.files[1:]), places)
    assert after.mentions[1] is before.mentions[1]
    assert after.mentions[4] is not before.mentions[4]
    added = parse(MAIN.replace("First", "\\cite{new}"), "latex")
    places = (None, (0, added.inputs[0].start), before.places[2])
    shifted = Document((added, *before.files[1:]), places)
    assert [mention.order for mention in shifted.mentions] == list(range(7))
    assert [mention.keys[0] for mention in shifted.mentions][2:5] == list("cid")


def read_through(files: list[Manuscript], places: list[tuple[int, int] | None]) -> list[str]:
    """Return the keys in reading order, the slow and obvious way."""

    def read(number: int) -> list[str]:
        steps = [(m.start, [m.keys[0].text]) for m in files[number].cited]
        steps += [
            (place[1], read(child))
            for child, place in enumerate(places)
            if place and place[0] == number
        ]
        return [key for _, keys in sorted(steps, key=lambda step: step[0]) for key in keys]

    return [key for n, place in enumerate(places) if place is None for key in read(n)]


@given(st.data())
def test_any_tree_of_files_is_read_through(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 6))
    sizes = [data.draw(st.integers(0, 4)) for _ in range(count)]
    files = [
        parse("".join(f"w \\cite{{k{n}x{i}}} . " for i in range(size)) + "end", "latex")
        for n, size in enumerate(sizes)
    ]
    places: list[tuple[int, int] | None] = [None]
    for number in range(1, count):
        parent = data.draw(st.one_of(st.none(), st.integers(0, number - 1)))
        offset = 0
        if parent is not None:
            gaps = [0, *(m.end + 1 for m in files[parent].cited)]
            used = {place[1] for place in places if place and place[0] == parent}
            free = [gap for gap in gaps if gap not in used]
            if not free:
                parent = None
            else:
                offset = data.draw(st.sampled_from(free))
        places.append(None if parent is None else (parent, offset))
    document = Document(tuple(files), tuple(places))
    expected = read_through(files, places)
    assert [mention.keys[0] for mention in document.mentions] == expected
    for file in files:
        for marker in file.cited:
            context = context_at(file, marker.start + 1, document)
            assert expected[context.order] == marker.keys[0].text


def test_the_words_around_markers_are_those_of_a_context() -> None:
    text = "\n\n".join(
        f"Some words {n} \\cite{{a{n}}}, (see \\cite{{b{n}}}) more\\footnote{{In a note "
        f"\\cite{{c{n}}} here, \\cite{{d{n}}}.}} and \\cite{{e{n}}}.\n\\begin{{equation}}x"
        "\\end{equation}\n\\section{S} \\cite{s} \\subsection{T}\n\\paragraph{P} Prose."
        for n in range(6)
    )
    manuscript = parse(text, "latex")
    document = Document.of(manuscript)
    contexts = [context_of(manuscript, marker, document) for marker in manuscript.cited]
    assert list(marker_windows(manuscript)) == [(c.left, c.right) for c in contexts]
    assert len(contexts) == 36


def test_a_file_that_cites_without_end_keeps_its_keys_and_answers_at_once() -> None:
    text = "".join(f"Word \\cite{{k{n}}}.\n\n" for n in range(6000))
    manuscript = parse(text, "latex")
    context = context_of(manuscript, manuscript.markers[3000], Document.of(manuscript))
    assert context.left.endswith("Word. Word") and context.right.startswith(". Word. Word.")
    assert len(context.mentions) == 5999
    assert {mention.left for mention in context.mentions} == {""}
