import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hierrag_lessons import check_chunker
from hierrag_lessons.chunkers import RecursiveChunker, StructureChunker, build_hierarchy
from hierrag_lessons.contracts.chunker import check_nesting
from hierrag_lessons.contracts.document import Cut, check_cover, check_document, is_one_character
from hierrag_lessons.model import Chunk, Document, Span
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.text import count_tokens
from tests.text.test_blocks import kinds, markdown
from tests.texts import HOSTILE, label

KEEPS = ("code", "formula", "table", "turn")
CONFIGURATIONS = [
    StructureChunker(),
    StructureChunker(2000, 600),
    StructureChunker(60, 20),
    StructureChunker(24, 0, len, path_depth=0),
    StructureChunker(1, 0),
]

sizes = st.tuples(st.integers(1, 60), st.integers(0, 60))


def check_structure(document: Document, chunker: StructureChunker) -> list[Chunk]:
    """The shared suite, and what this chunker adds to it: a turn of a dialogue that is too large is divided."""
    chunks = check_document(chunker, document, keeps=KEEPS)
    if document.kind == "dialogue":
        assert all(is_one_character(c.text.strip()) for c in chunks if c.metadata.get("oversized"))
    return chunks


def markdown_chunks(text: str, **parameters) -> list[Chunk]:
    return check_structure(Document("d", text, "markdown"), StructureChunker(**parameters))


@pytest.mark.parametrize("chunker", CONFIGURATIONS, ids=label)
def test_every_promise(chunker):
    check_chunker(chunker, keeps=KEEPS)


@given(text=markdown, kind=kinds, sizes=sizes, measure=st.sampled_from([count_tokens, len]))
@example(text="- a\n\n  ```\n  # x\n\n  ```\n- | a |\n  |---|\n", kind="markdown", sizes=(5, 3), measure=len)
@example(text="# A\n\n| a |\n|---|\n| 1 |\n| 2 |\n", kind="markdown", sizes=(4, 2), measure=len)
def test_guarantees_on_any_text(text, kind, sizes, measure):
    max_size, min_size = sizes
    check_structure(Document("d", text, kind), StructureChunker(max_size, min_size, measure))


@pytest.mark.parametrize("kind", ["text", "markdown", "dialogue"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("max_size", [1, 7, 50])
def test_guarantees_on_hostile_text(text, max_size, kind):
    for measure in (count_tokens, len):
        check_structure(Document("d", text, kind), StructureChunker(max_size, max_size // 4, measure))


@pytest.mark.parametrize(("max_size", "min_size"), [(400, 100), (200, 50), (24, 0)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_guarantees_on_the_course_texts(language, max_size, min_size):
    for document in load_corpus(language):
        check_structure(document, StructureChunker(max_size, min_size))


def test_guarantees_on_the_python_reference(reference):
    for document in reference[::4]:
        check_structure(document, StructureChunker())


@given(text=markdown, kind=kinds, sizes=sizes)
def test_nesting(text, kind, sizes):
    document = Document("d", text, kind)
    fine = StructureChunker(sizes[0], sizes[1], len)
    for coarse in (StructureChunker(80, 20, len), RecursiveChunker(40, 10, len)):
        check_nesting(fine, document, coarse, keeps=KEEPS)


def test_impossible_sizes_are_refused_when_made():
    for parameters, message in [
        ({"max_size": 0}, "max_size is 0"),
        ({"min_size": -1}, "min_size is -1"),
        ({"path_depth": -1}, "path_depth is -1"),
    ]:
        with pytest.raises(ValueError, match=message):
            StructureChunker(**parameters)


# --- sections and paths ----------------------------------------------------------------------------------------------


def test_sections_with_their_paths():
    text = "# A\n\naaa\n\n## B\n\nbbb\n\n### C\n\nccc\n\n#### D\n\nddd\n"
    chunks = markdown_chunks(text, min_size=0)
    assert [(chunk.context, chunk.text) for chunk in chunks] == [
        ("A", "# A\n\naaa"),
        ("A › B", "## B\n\nbbb"),
        ("A › B › C", "### C\n\nccc"),
        ("B › C › D", "#### D\n\nddd"),
    ]
    assert markdown_chunks(text, min_size=0, path_depth=1)[3].context == "D"
    assert {chunk.context for chunk in markdown_chunks(text, min_size=0, path_depth=0)} == {""}


def test_the_path_is_known_inside_a_part_of_the_document():
    text = "# A\n\n## B\n\none two three\n"
    document = Document("d", text, "markdown")
    (chunk,) = StructureChunker().chunk(document, within=Span(text.index("two"), len(text)))
    assert (chunk.context, chunk.text) == ("A › B", "two three")


def test_a_heading_does_not_stand_alone():
    text = "# A\n\n## B\n\n### C\n\n" + "word " * 60 + "\n\n" + "word " * 60
    chunks = markdown_chunks(text, max_size=80, min_size=0)
    assert chunks[0].text.startswith("# A\n\n## B\n\n### C\n\nword")
    assert [chunk.context for chunk in chunks] == ["A › B › C"] * 2


def test_a_heading_takes_the_first_sentence_where_the_whole_paragraph_does_not_fit():
    paragraph = "The first one is here. " + "Another one is there. " * 8
    chunks = markdown_chunks(f"# A\n\n## B\n\n{paragraph}", max_size=len(paragraph), min_size=30, measure=len)
    assert chunks[0].text.startswith("# A\n\n## B\n\nThe first one is here.")
    chunks = markdown_chunks(f"# A\n\nShort.\n\n{paragraph}", max_size=len(paragraph), min_size=30, measure=len)
    assert chunks[0].text.startswith("# A\n\nShort.\n\nThe first one is here.")
    assert min(len(chunk.text) for chunk in chunks) >= 30


def test_short_siblings_are_merged_forwards_and_the_last_one_backwards():
    text = "# A\n\n" + "long " * 50 + "\n\n## B\n\nb\n\n## C\n\nc\n\n# D\n\n" + "long " * 50 + "\n\n## E\n\ne\n"
    chunks = markdown_chunks(text, max_size=100, min_size=20)
    assert [(chunk.context, chunk.text.split()[1]) for chunk in chunks] == [("A", "A"), ("D", "D")]
    assert chunks[0].text.endswith("## C\n\nc")
    # B and C together are still short, but there is no room for them behind A.
    chunks = markdown_chunks(text, max_size=54, min_size=20)
    assert [(chunk.context, chunk.text[:4]) for chunk in chunks][:2] == [("A", "# A\n"), ("A", "## B")]
    # What stands under another heading is never merged: "# D" begins a new part.
    assert all("# D" not in chunk.text[1:] for chunk in chunks)


def test_long_sections_are_divided_at_paragraphs_and_then_at_sentences():
    first, second, third = "One is here. " * 4, "Two is there. " * 3, "Three is everywhere. " * 12
    chunks = markdown_chunks(f"# A\n\n{first}\n\n{second}\n\n{third}\n", max_size=80, min_size=0, measure=len)
    assert chunks[0].text == f"# A\n\n{first.strip()}"
    assert chunks[1].text.startswith(second.strip())
    assert all(chunk.text.endswith("where.") for chunk in chunks[1:])
    assert {chunk.context for chunk in chunks} == {"A"}


def test_no_short_chunk_is_left_at_the_end_of_a_section():
    text = "# A\n\n" + "\n\n".join(f"Paragraph {i} " + "x" * 80 for i in range(9))
    sizes = [len(chunk.text) for chunk in markdown_chunks(text, max_size=400, min_size=150, measure=len)]
    assert min(sizes) >= 150


def test_captions_and_introducing_lines_stay_with_what_they_announce():
    rows = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 3
    text = f"# A\n\n{'x ' * 60}\n\n**Table 1 Sizes**\n\n{rows}\n{'y ' * 40}\n\nThe steps are:\n\n- one\n- two\n"
    chunks = markdown_chunks(text, max_size=140, min_size=0, measure=len)
    assert any(chunk.text.startswith("**Table 1 Sizes**\n\n| a") for chunk in chunks)
    assert any("The steps are:\n\n- one" in chunk.text for chunk in chunks)


def test_lists_are_divided_between_items():
    items = "".join(f"{i}. Item number {i}\n   goes on here.\n" for i in range(1, 9))
    chunks = markdown_chunks(f"# A\n\n{items}", max_size=80, min_size=0, measure=len)
    assert all(chunk.text.endswith("here.") for chunk in chunks)
    assert len(chunks) == 4


def test_a_chinese_regulation_by_article():
    document = next(d for d in load_corpus("zh") if d.doc_id == "zh/expense_regulation")
    chunks = check_structure(document, StructureChunker(200, 0))
    wanted = [chunk for chunk in chunks if chunk.context.endswith("第三章 休假 › 第二十三条")]
    assert wanted[0].text.startswith("**第二十三条**　下列假期带薪")
    assert "不得以调休代替" not in "".join(chunk.text for chunk in wanted)


# --- tables, code, formulas ------------------------------------------------------------------------------------------


def test_a_long_table_is_divided_by_rows_and_its_header_goes_along():
    header = "| Year | Revenue |\n|---|---:|"
    rows = [f"| {year} | {year * 3} |" for year in range(1980, 2020)]
    text = f"# Report\n\nYears.\n\n## Figures\n\n{header}\n" + "\n".join(rows) + "\n\nAfter.\n"
    chunks = markdown_chunks(text, max_size=120, min_size=0)
    assert chunks[1].text.startswith(f"## Figures\n\n{header}\n| 1980")
    for chunk in chunks[2:]:
        assert chunk.context == f"Report › Figures\n{header}"
        assert chunk.embedding_text.startswith(f"Report › Figures\n{header}\n| ")
        assert not chunk.metadata
    assert "\n".join(line for chunk in chunks for line in chunk.text.splitlines() if line in rows) == "\n".join(rows)


def test_the_header_goes_along_into_a_part_of_the_table():
    text = "# A\n\n| h |\n|---|\n| 1 |\n| 2 |\n| 3 |\n\nend"
    document = Document("d", text, "markdown")
    (chunk,) = StructureChunker().chunk(document, within=Span(text.index("| 2"), text.index("end")))
    assert (chunk.text, chunk.context) == ("| 2 |\n| 3 |", "A\n| h |\n|---|")
    hierarchy = build_hierarchy(document, [StructureChunker(30, 0, len), StructureChunker(12, 0, len)])
    assert hierarchy.leaves[-2].context == "A\n| h |\n|---|"


def test_a_table_that_fits_is_never_cut():
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 6
    for words in range(0, 60, 7):
        chunks = markdown_chunks(f"# A\n\n{'x ' * words}\n\n{table}\nend", max_size=90, min_size=0, measure=len)
        assert sum(table.strip() in chunk.text for chunk in chunks) == 1


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_code_above_the_limit_is_whole_and_marked(fence):
    code = f"{fence}python\n" + "# a comment\n\nx = 1\n" * 20 + fence
    chunks = markdown_chunks(f"# A\n\nBefore.\n\n{code}\n\nAfter.\n", max_size=60, min_size=20)
    assert [(chunk.text == code, bool(chunk.metadata.get("oversized"))) for chunk in chunks] == [
        (False, False),
        (True, True),
        (False, False),
    ]


def test_a_formula_is_never_cut():
    formula = "$$\n" + "x + y \\\\\n" * 10 + "$$"
    chunks = markdown_chunks(f"# A\n\n{'word ' * 30}\n\n{formula}\n\n{'word ' * 30}", max_size=100, measure=len)
    assert [chunk.metadata for chunk in chunks if formula in chunk.text] == [{}]


# --- published faults ------------------------------------------------------------------------------------------------


def test_defect_5_fences_setext_headings_tables_and_offsets():
    text = (
        "Title\n=====\n\nIntro.\n\nPart\n----\n\n~~~sh\n# not a heading\n\nmake\n~~~\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n## Next ##\n\n####### seven\n"
    )
    chunks = markdown_chunks(text, min_size=0)
    assert [chunk.context for chunk in chunks] == ["Title", "Title › Part", "Title › Next"]
    assert "~~~sh\n# not a heading\n\nmake\n~~~" in chunks[1].text
    assert "####### seven" in chunks[2].text


def test_defect_8_an_unescaped_dot():
    text = "3.1 Scope\n\nOne.\n\n3x2 Title\n\nTwo.\n\n3.2 Terms\n\nThree.\n"
    chunks = check_structure(Document("d", text), StructureChunker(min_size=0))
    assert [chunk.context for chunk in chunks] == ["3.1 Scope", "3.2 Terms"]


def test_defect_9_the_path_never_stands_in_the_text():
    text = "# Top\n\n## Deep\n\n" + "A sentence stands here. " * 200
    document = Document("d", text, "markdown")
    chunks = check_structure(document, StructureChunker(100, 50))
    assert len(chunks) > 5
    for chunk in chunks:
        assert chunk.context == "Top › Deep"
        assert "›" not in chunk.text
        assert document.text[chunk.start : chunk.end] == chunk.text


@pytest.mark.parametrize(
    "text",
    ["```\n# in\n```", "~~~\n# in\n~~~", "````\n```\n# in\n```\n````", "   ```\n# in\n   ```", "```\n# in", "    # in"],
)
def test_a_hash_in_code_starts_no_chunk(text):
    chunks = markdown_chunks(f"# A\n\n{text}", min_size=0)
    assert [chunk.context for chunk in chunks] == ["A"]


@pytest.mark.parametrize("kind", ["text", "dialogue"])
def test_documents_without_headings(kind):
    turns = [f"Speaker {i % 2}: " + "something was said. " * 8 for i in range(12)]
    starts = [sum(len(turn) + 1 for turn in turns[:i]) for i in range(len(turns))]
    spans = [{"start": start, "end": start + len(turn)} for start, turn in zip(starts, turns, strict=True)]
    document = Document("d", "\n".join(turns) + "\n", kind, metadata={"turns": spans} if kind == "dialogue" else {})
    chunks = check_structure(document, StructureChunker(120, 30))
    assert {chunk.context for chunk in chunks} == {""}
    if kind == "dialogue":
        assert {chunk.start for chunk in chunks} <= set(starts)


# --- speed -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "piece",
    [
        "# A\n\nword. ",
        "word ",
        "中文。",
        "- item\n",
        "| a | b |\n",
        "```\nx\n```\n\n",
        "a\n\n",
        "第一条　文。\n",
        "# A\n## B\n",
    ],
)
def test_time_grows_with_the_text(piece):
    head = "| a | b |\n|---|---|\n" if piece[0] == "|" else ""
    document = Document("d", head + piece * (50_000 // len(piece)), "markdown")
    started = time.process_time()
    chunks = StructureChunker().chunk(document)
    assert time.process_time() - started < 4  # half a second; quadratic steps would take longer than this
    check_cover(Cut(StructureChunker(), document, None, chunks))


def test_within_white_space_inside_a_block():
    document = Document("d", "one" + " " * 40 + "two")
    assert StructureChunker(max_size=1, min_size=0, measure=len).chunk(document, within=Span(3, 20)) == []


def test_text_between_the_turns_of_a_dialogue_is_not_lost():
    text = "A: one\nnobody's words\nB: two\n"
    turns = [{"start": 0, "end": 6, "speaker": "A"}, {"start": 22, "end": 28, "speaker": "B"}]
    document = Document("d", text, "dialogue", metadata={"turns": turns})
    chunks = StructureChunker(max_size=25, min_size=0, measure=len).chunk(document)
    assert [chunk.text for chunk in chunks] == ["A: one\nnobody's words", "B: two"]
