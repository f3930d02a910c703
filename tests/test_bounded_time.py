"""The time of whatever reads a text grows with the text, whatever it holds: sizes are doubled on texts that repeat."""

import gc
import inspect
import signal
import sys
from itertools import pairwise
from time import process_time
from types import SimpleNamespace

import pytest

import hierrag_lessons as front_door
from hierrag_lessons import (
    DialogueChunker,
    Document,
    ExtractiveAnswerer,
    ExtractiveSummariser,
    FeedbackRewriter,
    FixedSizeChunker,
    HybridChunker,
    LeadAnswerer,
    Node,
    Passage,
    PassageView,
    Quote,
    RecursiveChunker,
    RuleCondenser,
    RuleDecomposer,
    RulePropositions,
    SentenceChunker,
    Span,
    Statement,
    StructureChunker,
    TextTilingChunker,
    answer_sentences,
    blocks_within,
    build_hierarchy,
    completeness,
    containment,
    count_tokens,
    detect_page_cuts,
    detect_torn_tables,
    entities,
    fence,
    find_places,
    find_quote,
    free_numbers,
    join_pages,
    known_values,
    make_ruler,
    make_units,
    pack,
    pack_prompt,
    place_of,
    printable,
    read_blocks,
    read_dialogue,
    read_html,
    read_number,
    refusal_features,
    render,
    silver_questions,
    snap,
    snap_forward,
    split_clauses,
    split_sentences,
    supported,
    terms,
    topic_names,
)
from hierrag_lessons.chunkers import cues, words
from hierrag_lessons.evaluation.loading import locate
from hierrag_lessons.llm.structured import read_json
from hierrag_lessons.own_documents.page_ends import page_ends
from hierrag_lessons.showing.views.markup import to_html
from hierrag_lessons.text.blocks.numbering import numbered_heading, section_number

SIZE = 4_000  # characters, where one look shows whether sizes have to be doubled at all
FLOOR = 0.008  # seconds: what takes less at that size is not worth a second look
SIZES = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
MOST = 3.2  # times as long for a text of twice the length, twice in a row; quadratic steps take four times as long
CALM = 2.4  # times as long: such a call is not looked at further
ENOUGH = 0.4  # seconds: no text is doubled further
LIMIT = 3.0  # seconds, after which a call is stopped

# fmt: off
PIECES = (
    " ", "\n", "\r", "\r\n", "\t", " \n", "\u3000", "a", "A", "1", ".", "1.1.1.", "1. ", "I, ", "iiii", "IV ", "Ab ",
    "A-", "A. ", "(", ")", "[", '"', "'", "“a", ",", ", ", "; and ", "? ", "...", "# ", "# a\n", "# 1.1 A\n", "- ",
    "- a\n", "*", "_", "-", "=", "> ", "|", "| a | b |\n", "years ", "in 2024 ", "versions ", "version 1.2, ",
    "Articles 1, ", "between ", " vs ", " and ", "what and ", "did Anna ", "The ", "§ 1, ", "$4,", "3 % ", "a-1-",
    "，", "。", "：", "第一条", "第", "一", "和", "多少，", "《", "2024年和", "第三条规定了费用。", "\u200b", "a\u0301",
    "\u0301", "🇩🇪", "👩\u200d", "```\n", "<b>", "a<br>", "[1]", "[1, ", "[1-9]", "{", "$$\n", "Ann: hi\n", "ab cd: ",
    "Mr. ", "U.S.", "Hi. ", " is and ", "which is, ", "(a) ", "a\n",
)
# fmt: on
AROUND = ("between", "Article 1", "ab cd:", "v1.2 or", "a.")
"""What stands in front of a long run of white space, where some rules begin to look; behind it stands a letter."""
TEXTS = {
    **{repr(piece): lambda n, piece=piece: (piece * n)[:n] for piece in PIECES},
    **{f"{word!r} and blanks": lambda n, word=word: f"{word}{' ' * (n - len(word) - 2)}x:" for word in AROUND},
}

PETS = Passage("d", 0, 20, "Dogs run. Cats sleep.")
MANY_WORDS = "What is a b I 1 " + " ".join(f"w{n}" for n in range(200))
BEFORE = {"en": "How much did Ridgeline 3 cost in 2024?", "zh": "第三条规定了什么？"}


def _document(text, kind="markdown", language="en", **metadata):
    return Document("d", text, kind, language, metadata)


def _pages(text):
    return _document(text, "text", pages=[0, len(text) // 9, len(text) - len(text) // 9])


def _passage(text):
    return Passage("d", 0, len(text), text)


def _node(text):
    return Node("n", "d", 0, 0, len(text), text)


def _feedback(text, language):
    found = SimpleNamespace(retrieve_batch=lambda queries, k: [[_passage(text)]])
    return FeedbackRewriter(found, language)("What?")


def _view(text, gold=()):
    return PassageView([_passage(text)], gold).body_html()


# By the name of what is called and, behind it, what else is to be known. Each reads a text of any length.
CASES = {
    "find_places": find_places,
    "find_places zh": lambda text: find_places(text, "zh"),
    "read_number": read_number,
    **{f"RuleDecomposer {language}": RuleDecomposer(language) for language in ("en", "zh")},
    "RuleCondenser, the question": lambda text: [RuleCondenser(x)([asked], text) for x, asked in BEFORE.items()],
    "RuleCondenser, the one before": lambda text: [
        RuleCondenser()([text], "And in 2023?"),
        RuleCondenser()([text], "Why did it rise?"),
        RuleCondenser("zh")([text], "2023年呢？"),
        RuleCondenser("zh")([text], "它为什么上升？"),
    ],
    "FeedbackRewriter": lambda text: [_feedback(text, language) for language in ("en", "zh")],
    "entities": entities,
    "entities zh": lambda text: entities(text, "zh"),
    "terms": lambda text: [terms(text), terms(text, "zh")],
    "find_quote, all": lambda text: find_quote(f"x{text}x", text),
    "find_quote, half and more": lambda text: find_quote(text, f"{text[: len(text) // 2]}Q"),
    "find_quote, a part": lambda text: find_quote(text, text[1 : len(text) // 2]),
    "find_quote, a few": lambda text: [find_quote(text, text[:40] + "Q"), find_quote(text, text[1:40])],
    "locate": lambda text: locate({"doc_id": "d", "quote": text[1 : len(text) // 2]}, {"d": _document(text)}),
    "known_values": lambda text: [known_values(x, _document(text), [Span(0, len(text))]) for x in ("section", "kind")],
    "count_tokens": count_tokens,
    "make_ruler": lambda text: make_ruler(text, count_tokens).reach(0, len(text), len(text) // 9),
    "read_blocks": lambda text: read_blocks(_document(text)),
    "read_blocks of a text": lambda text: read_blocks(_document(text, "text")),
    "blocks_within": lambda text: blocks_within(_document(text), Span(1, len(text))),
    "numbered_heading": lambda text: [numbered_heading(text), section_number(text)],
    "snap": lambda text: [snap(text, place) for place in range(0, len(text), len(text) // 9)],
    "snap_forward": lambda text: snap_forward(text, 0, len(text) // 2),
    "split_sentences": split_sentences,
    "split_clauses": lambda text: split_clauses(text, Span(0, len(text))),
    "ExtractiveAnswerer, the question": lambda text: ExtractiveAnswerer().answer(text, [PETS]),
    "ExtractiveAnswerer, the context": lambda text: ExtractiveAnswerer().answer(MANY_WORDS, [_passage(text)]),
    "ExtractiveAnswerer, both": lambda text: ExtractiveAnswerer(language="zh").answer(text, [_passage(text)]),
    "LeadAnswerer": lambda text: LeadAnswerer().answer("What?", [_passage(text)]),
    "answer_sentences": lambda text: answer_sentences([_passage(text)]),
    "refusal_features": lambda text: refusal_features(text, [_passage(text)]),
    "containment": lambda text: containment(text, text),
    "completeness": lambda text: completeness(text, [text[:50], "1.5", "一"]),
    "supported": lambda text: supported(Statement(f"{text[: len(text) // 2]}Q", (Quote("d", 0, len(text), text),))),
    "render": lambda text: render([_passage(text)]),
    "render, the citations": lambda text: render([PETS]).citations(text),
    "free_numbers": lambda text: free_numbers([_passage(text)], 3),
    "pack": lambda text: pack([_passage(text)], 100),
    "pack_prompt": lambda text: pack_prompt([_passage(text)], 100),
    "RulePropositions": lambda text: RulePropositions().extract(_document(text)),
    "RulePropositions of a dialogue": lambda text: RulePropositions().extract(_document(text, "dialogue")),
    "ExtractiveSummariser": lambda text: ExtractiveSummariser(max_sentences=3).summarise(
        _document(text), [_node(text)], 9
    ),
    "FixedSizeChunker": lambda text: FixedSizeChunker(40, 10).chunk(_document(text)),
    "SentenceChunker": lambda text: SentenceChunker(40).chunk(_document(text)),
    "RecursiveChunker": lambda text: RecursiveChunker(40).chunk(_document(text)),
    "StructureChunker": lambda text: StructureChunker(40).chunk(_document(text)),
    "DialogueChunker": lambda text: DialogueChunker().chunk(_document(text, "dialogue")),
    "TextTilingChunker": lambda text: TextTilingChunker().chunk(_document(text)),
    "HybridChunker": lambda text: HybridChunker(tier="fast").chunk(_document(text)),
    "build_hierarchy": lambda text: make_units(build_hierarchy(_document(text), [SentenceChunker()])),
    "cues": lambda text: cues([text, text]),
    "words": lambda text: [words(text, language) for language in ("en", "zh")],
    "topic_names": lambda text: [topic_names([text, text], [0, 1], language) for language in ("en", "zh")],
    "fence": fence,
    "read_json": lambda text: read_json(text, {"type": "object"}),
    "PassageView": _view,
    "PassageView with gold": lambda text: _view(text, [_passage(text)]),
    "to_html": to_html,
    "printable": printable,
    "page_ends": lambda text: page_ends(_pages(text)),
    "place_of": lambda text: place_of(_document(text), Span(len(text) // 2, len(text))),
    "silver_questions": lambda text: silver_questions([_document(text), _document(text, language="zh")], 5),
    "join_pages": lambda text: join_pages(_pages(text)),
    "detect_page_cuts": lambda text: detect_page_cuts(_pages(text), [_node(text)]),
    "detect_torn_tables": lambda text: detect_torn_tables(_document(text), [_node(text[:9])]),
}
FROM_FILES = {
    "read_html": ("page.html", lambda path: read_html(path)),
    "read_dialogue": ("talk.txt", lambda path: read_dialogue(path, language="en")),
}
OUT_OF_SCOPE = {
    "ask_documents": "reads a folder, and then asks retrievers",
    "broad_hierarchy": "is build_hierarchy",
    "build_four_levels": "is build_hierarchy with summaries and propositions",
    "build_summary_tree": "is build_hierarchy with summaries; clusters vectors",
    "check_answer": "is in AgenticChunker, whose windows bound it",
    "chunk_strip": "draws chunks",
    "course_hierarchy": "is build_hierarchy",
    "diagnose": "compares spans",
    "faithfulness": "is supported for each statement",
    "embed_late": "is an embedder's time",
    "encode": "is count_tokens",
    "find_parts": "is in AgenticChunker, whose windows bound it",
    "join_context": "joins two texts",
    "make_record": "keeps a text",
    "max_sim": "compares arrays",
    "page_at": "looks into a list of offsets",
    "parse_configuration": "reads what whoever runs the pipeline has written",
    "questions_about": "is in AgenticChunker, whose windows bound it",
    "room_for_answer": "is count_tokens",
    "sentence_hierarchy": "is build_hierarchy",
    "sentence_units": "is in SentenceChunker",
    "trim": "strips a text",
}
READS = {"text", "question", "answer", "statement", "source", "document", "documents", "quote", "written", "data"}
# Their parameter of such a name is no text: it holds what a file had, or a price.
NO_TEXT = {
    *("load_questions", "load_statements", "read_questions", "compare_methods", "course_questions", "question_cost"),
    "score_chunkers",
}

# What keeps its last texts would answer at once for one that it has read before.
KEEP_TEXTS = [
    value
    for name, module in sorted(sys.modules.items())
    if name.startswith("hierrag_lessons.")
    for value in vars(module).values()
    if hasattr(value, "cache_parameters") and value.cache_parameters()["maxsize"] in (8, 128)
]


class _Stopped(BaseException):
    """A call has used up its time."""


@pytest.fixture(autouse=True)
def clock():
    """Time without a collection of garbage, and an alarm that ends a call which does not end."""

    def stop(*_):
        raise _Stopped

    before = signal.signal(signal.SIGPROF, stop)
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    signal.signal(signal.SIGPROF, before)


def _seconds(call, text):
    """Processor time of a call; infinite where it was stopped. What a text is refused for does not matter here."""
    for kept in KEEP_TEXTS:
        kept.cache_clear()
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    began = process_time()
    try:
        call(text)
    except _Stopped:
        return float("inf")
    except ValueError:
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return process_time() - began


def _growth(call, make):
    """Seconds by size, as long as they are needed, the lesser of two; only one where one look is enough."""
    taken = {SIZE: _seconds(call, make(SIZE))}
    if taken[SIZE] < FLOOR or taken[SIZE] == float("inf"):
        return taken
    taken, before = {}, 0.0
    for size in SIZES:
        taken[size] = min(_seconds(call, make(size)) for _ in range(2))
        if taken[size] > ENOUGH or (size >= SIZE and taken[size] < CALM * before):
            break
        before = taken[size]
    return taken


def _is_too_steep(taken):
    """Whether the time has grown much faster than the text at two doublings in a row, or a call has not ended."""
    seconds = list(taken.values())
    steep = [after > MOST * max(before, 0.001) and after > FLOOR for before, after in pairwise(seconds)]
    return float("inf") in seconds or any(map(all, pairwise(steep)))


@pytest.mark.parametrize("name", CASES)
def test_time_grows_with_the_text_only(name):
    _seconds(CASES[name], "A first call loads what is needed. It is 1.")
    for text, make in TEXTS.items():
        taken = _growth(CASES[name], make)
        assert not _is_too_steep(taken), f"{name} of {text}: {taken}"


@pytest.mark.parametrize("name", FROM_FILES)
def test_time_grows_with_the_file_only(name, tmp_path):
    file, read = FROM_FILES[name]

    def call(text):
        (tmp_path / file).write_text(f"Ann: hi\n{text}", encoding="utf-8", newline="")
        read(tmp_path / file)

    for text, make in TEXTS.items():
        taken = _growth(call, make)
        assert not _is_too_steep(taken), f"{name} of {text}: {taken}"


def test_quadratic_steps_are_seen_and_linear_ones_pass():
    def again(text):
        return [sum(map(ord, text[place:])) for place in range(0, len(text), 5)]

    assert _is_too_steep({2_000: 0.01, 4_000: 0.04, 8_000: 0.17})
    assert _is_too_steep({2_000: 0.01, 4_000: float("inf")})
    assert not _is_too_steep({2_000: 0.02, 4_000: 0.05, 8_000: 0.1, 16_000: 0.35})
    assert not _is_too_steep(_growth(lambda text: [ord(sign) for sign in text * 50], lambda n: "a" * n))
    assert _is_too_steep(_growth(again, lambda n: "a" * n))


def test_whatever_reads_a_text_is_in_the_table_or_named_as_out_of_scope():
    functions = {name: getattr(front_door, name) for name in dir(front_door) if name in front_door._ROOM_OF}
    reading = {
        name
        for name, value in functions.items()
        if inspect.isfunction(value) and READS & set(inspect.signature(value).parameters)
    }
    tried = {name.split()[0].strip(",") for name in CASES}
    assert reading - tried - NO_TEXT == set(OUT_OF_SCOPE)
