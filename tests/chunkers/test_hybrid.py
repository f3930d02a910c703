"""The hybrid chunker: the shared guarantees, and the right method for what stands there."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons import check_chunker
from hierrag_lessons.chunkers import DialogueChunker, FixedSizeChunker, HybridChunker, StructureChunker
from hierrag_lessons.contracts.chunker import check_nesting
from hierrag_lessons.contracts.document import check_document
from hierrag_lessons.embedding import CharNgramEmbedder
from hierrag_lessons.model import Document
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.spans import trim
from hierrag_lessons.text import count_tokens, read_blocks
from tests.fakes import WordHashEmbedder
from tests.texts import HOSTILE, texts

KEEPS = ("code", "formula", "table", "turn")
TIERS = ("fast", "balanced", "quality")
KINDS = ("text", "markdown", "dialogue")
CORPORA = {
    document.doc_id: document
    for language in ("en", "zh")
    for document in load_corpus(language)
    if "news" not in document.doc_id or document.doc_id.endswith("01")
}
# Some of the documents are enough for the tiers that embed.
LONG = [name for name in CORPORA if "chat" not in name]

LOREM = "The grid operator reads the meter every day. The reading is sent at night. "
PARAGRAPH = (LOREM * 8).strip()


def make(max_size: int = 60, tier: str = "balanced", **options) -> HybridChunker:
    sizes = {"min_size": max_size * 2 // 5, "overlap": max_size // 10}
    return HybridChunker(max_size, tier=tier, **(sizes | {"embedder": WordHashEmbedder()} | options))


@pytest.fixture(params=TIERS, scope="module")
def tier(request) -> str:
    return request.param


@pytest.mark.parametrize(
    ("tier", "max_size"), [("fast", 1), ("fast", 400), ("balanced", 30), ("quality", 1), ("quality", 400)]
)
def test_every_promise(tier: str, max_size: int) -> None:
    check_chunker(make(max_size, tier), keeps=KEEPS)


@given(text=texts, kind=st.sampled_from(KINDS), max_size=st.integers(1, 40))
def test_guarantees_on_any_text(tier, text: str, kind: str, max_size: int) -> None:
    check_document(make(max_size, tier), Document("d", text, kind), keeps=KEEPS)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("max_size", [1, 7, 50])
def test_guarantees_on_hostile_text(tier, text: str, max_size: int) -> None:
    for kind in KINDS:
        check_document(make(max_size, tier), Document("d", text, kind), keeps=KEEPS)
    check_document(make(max_size, tier, measure=len), Document("d", text))


@pytest.mark.parametrize("name", CORPORA)
def test_guarantees_on_the_corpora(name: str) -> None:
    check_document(HybridChunker(tier="fast"), CORPORA[name], keeps=KEEPS)


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("tier", ["balanced", "quality"])
def test_guarantees_with_semantic_chunks(name: str, tier) -> None:
    chunker = HybridChunker(200, 80, 20, tier=tier, embedder=CharNgramEmbedder())
    chunks = check_document(chunker, CORPORA[name], keeps=KEEPS)
    assert all(chunk.metadata["method"] and chunk.metadata["reason"] for chunk in chunks)


@given(text=texts, kind=st.sampled_from(KINDS), max_size=st.integers(1, 40))
def test_nesting(text: str, kind: str, max_size: int) -> None:
    check_nesting(make(max_size), Document("d", text, kind), FixedSizeChunker(60, 10), keeps=KEEPS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_size": 0}, "max_size is 0"),
        ({"overlap": 400}, "overlap is 400 with max_size 400"),
        ({"min_size": 401}, "min_size is 401 with max_size 400"),
        ({"min_size": -1}, "min_size is -1"),
        ({"tier": "best"}, "tier is 'best'; give one of fast, balanced, quality"),
    ],
)
def test_impossible_parameters_are_refused_when_made(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HybridChunker(**arguments)


def test_defect_1_nothing_is_lost_when_pieces_are_joined() -> None:
    # The published dispatcher joins short pieces in a buffer. When the buffer is full it is emitted, and the piece at
    # hand with it is dropped: of five paragraphs three come out.
    paragraphs = [f"Paragraph {name} says something of its own, number {name}." for name in "ABCDE"]
    document = Document("d", "\n\n".join(paragraphs), "markdown")
    for tier in TIERS:
        for max_size in (15, 20, 30, 60):
            chunks = make(max_size, tier).chunk(document)
            joined = " ".join(chunk.text for chunk in chunks)
            assert all(paragraph in joined for paragraph in paragraphs)


def test_a_document_of_sections_that_fit_is_cut_by_structure_alone(tier) -> None:
    document = CORPORA["zh/faq"]
    embedder = WordHashEmbedder()
    chunks = HybridChunker(tier=tier, embedder=embedder).chunk(document)
    assert [chunk.span for chunk in chunks] == [chunk.span for chunk in StructureChunker(400, 170).chunk(document)]
    assert {chunk.metadata["method"] for chunk in chunks} == {"structure"}
    assert not embedder.calls


def test_code_tables_and_formulas_stay_whole(tier) -> None:
    for name in ("en/console_handbook", "en/research_paper", "zh/technical_handbook"):
        document = CORPORA[name]
        chunks = make(200, tier, embedder=CharNgramEmbedder()).chunk(document)
        for block in read_blocks(document):
            start, end = trim(document.text, block.span)
            if block.atomic and count_tokens(document.text[start:end]) <= 200:
                assert any(chunk.start <= start and end <= chunk.end for chunk in chunks), block


def test_a_dialogue_is_cut_between_turns(tier) -> None:
    document = CORPORA["en/earnings_call"]
    chunks = HybridChunker(tier=tier).chunk(document)
    assert [chunk.span for chunk in chunks] == [chunk.span for chunk in DialogueChunker(400).chunk(document)]
    assert all(chunk.metadata["speakers"] and chunk.metadata["method"] == "dialogue" for chunk in chunks)


def methods(document: Document, tier: str, **options) -> Counter:
    return Counter(chunk.metadata["method"] for chunk in make(100, tier, **options).chunk(document))


def test_the_tier_and_the_length_choose_the_method() -> None:
    assert count_tokens(PARAGRAPH) > 100
    medium = Document("d", f"# Title\n\n{PARAGRAPH[:600]}", "markdown")
    long = Document("d", f"# Title\n\n{PARAGRAPH}\n\n{PARAGRAPH}", "markdown")
    assert set(methods(medium, "fast")) == set(methods(medium, "balanced")) == {"recursive"}
    assert set(methods(medium, "quality")) == {"optimal semantic"}
    assert set(methods(long, "fast")) == {"recursive"}
    assert set(methods(long, "balanced")) == {"semantic"}
    assert set(methods(long, "quality")) == {"optimal semantic"}


def test_uneven_sentences_are_cut_by_meaning() -> None:
    even = "One two three four five six seven eight. " * 14
    uneven = "No. Yes. So it is. Why? " * 8 + "One two three four five six, seven eight nine ten, " * 5 + "eleven."
    for text, method in ((even, "recursive"), (uneven, "semantic")):
        assert 100 < count_tokens(text.strip()) <= 150
        assert set(methods(Document("d", text), "balanced")) == {method}


def test_running_text_keeps_its_headings_and_its_path() -> None:
    text = f"# Part\n\n## Chapter\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n## Next\n\nShort."
    chunks = make(100, "fast").chunk(Document("d", text, "markdown"))
    assert chunks[0].text.startswith("# Part\n\n## Chapter\n\nThe grid operator")
    assert [chunk.context for chunk in chunks] == ["Part › Chapter"] * (len(chunks) - 1) + ["Part › Next"]


def test_the_paragraph_that_introduces_a_table_stays_with_it() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    text = f"# Title\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\nThe values are these.\n\n{table}\n"
    for tier in TIERS:
        last = make(100, tier).chunk(Document("d", text, "markdown"))[-1]
        assert last.text == f"The values are these.\n\n{table}"
        assert last.metadata["reason"] == "keeps whole: table"


def test_an_atomic_block_above_the_limit_says_so() -> None:
    code = "```\n" + "x = value + 1\n" * 60 + "```"
    chunks = make(60, "fast").chunk(Document("d", f"Before.\n\n{code}\n\nAfter.", "markdown"))
    marked = [chunk for chunk in chunks if chunk.metadata.get("oversized")]
    assert [chunk.text for chunk in marked] == [code]
    assert marked[0].metadata["reason"] == "never cut, although it is larger than max_size"


def test_the_fast_tier_embeds_nothing() -> None:
    embedder = WordHashEmbedder()
    for name in ("en/research_paper", "en/news_01", "zh/expense_regulation"):
        HybridChunker(100, 40, 10, "fast", embedder).chunk(CORPORA[name])
    assert not embedder.calls


def test_running_text_overlaps_and_nothing_else_does() -> None:
    for name in ("en/research_paper", "en/annual_report"):
        chunks = HybridChunker(200, 80, 40, "fast").chunk(CORPORA[name])
        recursive = [chunk for chunk in chunks if chunk.metadata["method"] == "recursive"]
        assert recursive
        for previous, chunk in pairwise(chunks):
            if chunk.start < previous.end:
                assert previous.metadata["method"] == chunk.metadata["method"] == "recursive"
                assert count_tokens(CORPORA[name].text[chunk.start : previous.end]) <= 40
