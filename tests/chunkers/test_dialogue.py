import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons import check_chunker
from hierrag_lessons.chunkers import DialogueChunker, FixedSizeChunker
from hierrag_lessons.contracts.chunker import check_nesting
from hierrag_lessons.contracts.document import check_document, is_one_character
from hierrag_lessons.model import Document, Span
from hierrag_lessons.reading import load_corpus, read_dialogue
from hierrag_lessons.spans import overlap
from hierrag_lessons.text import count_tokens
from tests.texts import HOSTILE, label, texts

MEASURES = {"tokens": count_tokens, "characters": len}
QUESTION = "?"


def dialogue(*turns: tuple, language="en") -> Document:
    """A dialogue of ``(speaker, text)`` or ``(speaker, text, time)``, laid out as the reader lays it out."""
    text, entries = "", []
    for speaker, words, *time in turns:
        start, spoken = len(text), len(text) + len(speaker) + 2
        text += f"{speaker}: {words}\n"
        end = len(text) - 1
        entries.append({"start": start, "end": end, "text_start": spoken, "speaker": speaker, "time": None})
        if time:
            entries[-1]["time"] = time[0]
    return Document("d", text, "dialogue", language, {"file": "d.jsonl", "turns": entries})


def fitting(document: Document, limit: int, measure) -> list[Span]:
    """The turns that fit, without the white space around them."""
    spans = []
    for turn in document.metadata["turns"]:
        text = document.text[turn["start"] : turn["end"]]
        if measure(text) <= limit:
            start = turn["start"] + len(text) - len(text.lstrip())
            spans.append(Span(start, start + len(text.strip())))
    return spans


def check_turns(document: Document, chunks, chunker: DialogueChunker) -> None:
    """What a dialogue chunker promises beyond the shared suite."""
    assert all(is_one_character(c.text.strip()) for c in chunks if c.metadata.get("oversized")), "a turn is divided"
    turns = document.metadata["turns"]
    whole = [(turn["start"], turn["end"]) for turn in turns]
    for chunk in chunks:
        touched = [i for i, span in enumerate(whole) if overlap(Span(*span), chunk.span)]
        assert chunk.metadata["turns"] == [touched[0], touched[-1]]
        assert len(touched) <= chunker.max_turns
        assert chunk.metadata["speakers"] == list(dict.fromkeys(turns[i]["speaker"] for i in touched))
        assert json.dumps(chunk.metadata)
        assert "\n" not in chunk.context
        for turn in fitting(document, chunker.max_size, chunker.measure):
            shared = overlap(turn, chunk.span)
            assert shared in (0, turn.end - turn.start), "a turn that fits is cut"
    for i, (start, end) in enumerate(whole):
        if chunker.measure(document.text[start:end]) > chunker.max_size:
            pieces = [chunk for chunk in chunks if overlap(chunk.span, Span(start, end))]
            assert all(chunk.metadata["turns"] == [i, i] for chunk in pieces), "a monologue's piece holds other turns"
            assert all(chunk.context == " ".join(turns[i]["speaker"].split()) for chunk in pieces)
    for before, chunk in pairwise(chunks):
        repeated = before.metadata["turns"][1] - chunk.metadata["turns"][0] + 1
        if overlap(before.span, chunk.span):
            assert repeated <= max(1, chunker.overlap_turns)


def check_pairs(document: Document, chunks, chunker: DialogueChunker) -> None:
    """A question that is followed by another speaker stands together with what follows, wherever both fit."""
    turns = document.metadata["turns"]
    for question, answer in pairwise(turns):
        asked = QUESTION in document.text[question["text_start"] : question["end"]]
        both = Span(
            question["start"], question["start"] + len(document.text[: answer["end"]].rstrip()) - question["start"]
        )
        alone = [document.text[turn["start"] : turn["end"]] for turn in (question, answer)]
        fits = max(map(chunker.measure, [*alone, document.text[both.start : both.end]])) <= chunker.max_size
        if asked and fits and chunker.max_turns > 1 and question["speaker"] != answer["speaker"]:
            holders = [chunk for chunk in chunks if chunk.metadata["turns"][0] <= turns.index(question)]
            assert any(chunk.metadata["turns"][1] >= turns.index(answer) for chunk in holders), both


names = st.one_of(
    st.sampled_from(
        ["Ann", "Bob (Agent)", "Customer", "客户", "客服", "Dr. A. B, CEO", "What? Really!", "a: b", "e\u0301"]
    ),
    texts.filter(str.strip).map(lambda text: text[:30]).filter(str.strip),
)
words = st.one_of(
    texts,
    st.sampled_from(
        [
            "",
            "Yes.",
            "Why? I see.",
            "line one\nNote: two\r\n",
            "他说：“好。”然后呢？",
            "\u0301accent",
            "end\r",
            "One. Two! Three? " * 9,
        ]
    ),
)
turns = st.lists(st.tuples(names, words, st.none() | st.just([1, 2.5])), min_size=1, max_size=12)
dialogues = turns.map(lambda found: dialogue(*found))
chunkers = st.builds(
    lambda size, most, repeated, measure: DialogueChunker(size, most, min(repeated, most - 1), measure),
    st.integers(1, 80),
    st.integers(1, 8),
    st.integers(0, 3),
    st.sampled_from(list(MEASURES.values())),
)


CONFIGURATIONS = [
    DialogueChunker(),
    DialogueChunker(60, 4, 0),
    DialogueChunker(24, 6, 2, len),
    DialogueChunker(7),
    DialogueChunker(50, 1, 0, len),
]


@pytest.mark.parametrize("chunker", CONFIGURATIONS, ids=label)
def test_every_promise(chunker: DialogueChunker) -> None:
    check_chunker(chunker, keeps=["turn"])


@given(document=dialogues, chunker=chunkers)
def test_any_dialogue(document: Document, chunker: DialogueChunker) -> None:
    chunks = check_document(chunker, document)
    check_turns(document, chunks, chunker)
    check_pairs(document, chunks, chunker)


@given(document=dialogues, chunker=chunkers, coarse=st.integers(1, 40))
def test_nesting_in_parts_that_start_anywhere(document: Document, chunker: DialogueChunker, coarse: int) -> None:
    check_nesting(chunker, document, FixedSizeChunker(coarse, measure=len), keeps=["turn"])


@given(text=texts, chunker=chunkers, kind=st.sampled_from(["text", "markdown", "dialogue"]))
def test_any_text_without_turns(text: str, chunker: DialogueChunker, kind: str) -> None:
    check_document(chunker, Document("d", text, kind))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("size", [1, 7, 50])
def test_hostile_turns_and_speakers(text: str, size: int) -> None:
    speaker = text[:20] if text[:20].strip() else "x"
    document = dialogue((speaker, text), ("Bob", text), (speaker, ""))
    for measure in MEASURES.values():
        for chunker in (DialogueChunker(size, measure=measure), DialogueChunker(size, 1, 0, measure)):
            chunks = check_document(chunker, document)
            check_turns(document, chunks, chunker)


@pytest.fixture(scope="module", params=["en", "zh"])
def corpus(request):
    return [document for document in load_corpus(request.param) if document.kind == "dialogue"]


@pytest.mark.parametrize(("size", "most", "repeated"), [(400, 12, 1), (200, 6, 2), (60, 8, 0), (30, 12, 3)])
def test_the_courses_dialogues(corpus, size: int, most: int, repeated: int) -> None:
    chunker = DialogueChunker(size, most, repeated)
    for document in corpus:
        chunks = check_document(chunker, document)
        check_turns(document, chunks, chunker)
        check_pairs(document, chunks, chunker)
        assert all("time" in chunk.metadata for chunk in chunks)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_size": 0}, "max_size is 0"),
        ({"max_turns": 0}, "max_turns is 0"),
        ({"overlap_turns": -1}, "overlap_turns is -1"),
        ({"max_turns": 3, "overlap_turns": 3}, "overlap_turns is 3 with max_turns 3"),
    ],
)
def test_impossible_sizes_are_refused_when_made(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DialogueChunker(**arguments)


@pytest.mark.parametrize("starts", [[0, 30, 12], [0, 400], [-3, 12]])
def test_turns_that_are_not_places_of_the_text_are_refused(starts) -> None:
    entries = [
        {"start": start, "end": start + 5, "text_start": start, "speaker": "A", "time": None} for start in starts
    ]
    document = Document("d", "Some text of forty characters, or so, yes", "dialogue", "en", {"turns": entries})
    with pytest.raises(ValueError, match=r"metadata\['turns'\] of 'd' does not name places of its text in order"):
        DialogueChunker().chunk(document)


# --- turns -----------------------------------------------------------------------------------------------------------


def ranges(chunker: DialogueChunker, document: Document) -> list[list[int]]:
    return [chunk.metadata["turns"] for chunk in chunker.chunk(document)]


def test_a_first_turn_above_the_limit() -> None:
    document = dialogue(("Ann", "One sentence here. " * 20), ("Bob", "Short."))
    chunks = DialogueChunker(30).chunk(document)
    assert chunks[0].metadata["turns"] == [0, 0]
    assert chunks[0].text.startswith("Ann: One")
    assert [chunk.metadata["turns"] for chunk in chunks][-1] == [1, 1]
    assert all(chunk.text.endswith(".") for chunk in chunks)


def test_overlap_is_counted_in_turns() -> None:
    document = dialogue(*[("AB"[i % 2], f"word {i}.") for i in range(9)])
    assert ranges(DialogueChunker(400, 4, 0), document) == [[0, 3], [4, 7], [8, 8]]
    assert ranges(DialogueChunker(400, 4, 1), document) == [[0, 3], [3, 6], [6, 8]]
    assert ranges(DialogueChunker(400, 4, 2), document) == [[0, 3], [2, 5], [4, 7], [6, 8]]


def test_a_cut_moves_back_in_front_of_the_question() -> None:
    document = dialogue(
        ("A", "Hello."), ("B", "Hello."), ("A", "Fine."), ("B", "When?"), ("A", "At six."), ("B", "Good.")
    )
    assert ranges(DialogueChunker(400, 4, 0), document) == [[0, 2], [3, 5]]


def test_where_every_turn_answers_the_one_before_the_question_is_repeated() -> None:
    document = dialogue(*[("AB"[i % 2], "And then?") for i in range(8)])
    assert ranges(DialogueChunker(400, 4, 0), document) == [[0, 3], [3, 6], [6, 7]]


@pytest.mark.parametrize(
    ("question", "answer", "paired"),
    [
        (("Customer (Avery)", "It prints nothing."), ("Agent (Noor)", "I see."), True),
        (("客户", "屏幕不亮。"), ("客服", "请重启。"), True),
        (("Lee, analyst", "My question is on costs."), ("Tobias Lindqvist, CFO", "They fell."), True),
        (("Ann", "Where to？"), ("Bob", "Home."), True),
        (("Ann", "Where to?"), ("Ann", "Home, I say."), False),
        (("Agent (Noor)", "I see."), ("Customer (Avery)", "Good."), False),
        (("Ann", "I see."), ("Bob", "Good."), False),
    ],
)
def test_who_answers_whom(question, answer, paired: bool) -> None:
    document = dialogue(("X", "a."), ("Y", "b."), question, answer)
    assert ranges(DialogueChunker(400, 3, 0), document) == ([[0, 1], [2, 3]] if paired else [[0, 2], [3, 3]])


def test_repeated_turns_give_way_to_the_answer() -> None:
    document = dialogue(("A", "x."), ("B", "y " * 20), ("A", "z " * 10 + "?"), ("B", "w " * 20))
    size = count_tokens(document.text[document.metadata["turns"][1]["start"] : document.metadata["turns"][2]["end"]])
    # Turns 1 and 2 would fit, but then the answer would not.
    assert ranges(DialogueChunker(size, 12, 1), document) == [[0, 1], [2, 3]]


def test_a_monologue_is_cut_at_sentences_behind_its_speakers_name() -> None:
    document = dialogue(
        ("Ann", "Yes?"), ("Dr. A. Bell, CEO", "First one is here. Second one is there. " * 6), ("Cy", "Ok.")
    )
    chunks = DialogueChunker(30).chunk(document)
    assert chunks[0].metadata["turns"] == [0, 0]
    assert chunks[1].text.startswith("Dr. A. Bell, CEO: First one is here.")
    pieces = [chunk for chunk in chunks if chunk.metadata["turns"] == [1, 1]]
    assert len(pieces) > 2
    assert all(chunk.text.endswith("e.") and chunk.context == "Dr. A. Bell, CEO" for chunk in pieces)
    assert chunks[-1].text == "Cy: Ok."


def test_chinese_monologue_keeps_closing_quotes() -> None:
    document = dialogue(("客服", "他说：“今天下雨了。”然后走了。" * 10), language="zh")
    chunks = DialogueChunker(40, measure=len).chunk(document)
    assert len(chunks) > 3
    assert all(chunk.text.endswith(("。", "。”")) and not chunk.text.startswith("”") for chunk in chunks)


def test_speakers_times_and_context() -> None:
    document = dialogue(("Bo\nb", "a", [0, 9.5]), ("Ann", "b"), ("Bo\nb", "c", [4, 6]))
    [chunk] = DialogueChunker().chunk(document)
    assert chunk.metadata == {"speakers": ["Bo\nb", "Ann"], "turns": [0, 2], "time": [0, 9.5]}
    assert chunk.context == "Bo b; Ann"
    [chunk] = DialogueChunker().chunk(document, within=Span(document.text.index("Ann"), len(document.text) - 9))
    assert chunk.metadata == {"speakers": ["Ann"], "turns": [1, 1]}
    assert chunk.embedding_text == "Ann\nAnn: b"


def test_a_part_that_starts_inside_a_turn_still_knows_its_speaker() -> None:
    document = dialogue(("Ann", "one two three"), ("Bob", "four"))
    [chunk] = DialogueChunker().chunk(document, within=Span(9, 15))
    assert (chunk.text, chunk.context, chunk.metadata) == ("two th", "Ann", {"speakers": ["Ann"], "turns": [0, 0]})


# --- documents without turns -----------------------------------------------------------------------------------------


def test_a_dialogue_without_recorded_turns_is_read_by_line() -> None:
    text = "Minutes of 3 May\nGrad E: I guess .\nGrad A: OK , see http://x.org/a:b\nand more.\n客服：您好\n"
    chunks = DialogueChunker(400, 1, 0).chunk(Document("d", text, "dialogue"))
    assert [chunk.text for chunk in chunks] == [
        "Minutes of 3 May",
        "Grad E: I guess .",
        "Grad A: OK , see http://x.org/a:b\nand more.",
        "客服：您好",
    ]
    assert chunks[0].metadata == {}
    assert chunks[0].context == ""
    assert [chunk.metadata.get("speakers") for chunk in chunks[1:]] == [["Grad E"], ["Grad A"], ["客服"]]


def test_reading_by_line_agrees_with_the_recorded_turns(corpus) -> None:
    for document in corpus:
        bare = Document(document.doc_id, document.text, "dialogue", document.language)
        theirs = [(c.span, c.context, c.metadata["turns"]) for c in DialogueChunker().chunk(bare)]
        assert theirs == [(c.span, c.context, c.metadata["turns"]) for c in DialogueChunker().chunk(document)]


def test_paragraphs_take_the_place_of_turns_elsewhere(reference) -> None:
    document = Document("d", "Note: one.\nStill one.\n\nTwo.\n \nThree.", "markdown")
    chunks = DialogueChunker(400, 2, 1).chunk(document)
    assert [chunk.text for chunk in chunks] == ["Note: one.\nStill one.\n\nTwo.", "Two.\n \nThree."]
    assert all(chunk.metadata == {} and chunk.context == "" for chunk in chunks)
    for document in reference[::12]:
        check_document(DialogueChunker(200), document)


def test_a_file_from_the_reader(tmp_path) -> None:
    path = tmp_path / "call.txt"
    path.write_text("Ann: When?\nBob: Now.\n", encoding="utf-8")
    [document] = read_dialogue(path, language="en")
    [chunk] = DialogueChunker().chunk(document)
    assert chunk.metadata == {"speakers": ["Ann", "Bob"], "turns": [0, 1]}
