import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hierrag_lessons.model import Document, Span
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.text import Block, blocks_within, read_blocks, snap
from hierrag_lessons.text.blocks.numbering import numbered_heading
from tests.texts import HOSTILE, texts

MARKS = st.sampled_from(
    [
        *(
            "# A",
            "## B ##",
            "####### C",
            "D\n===",
            "E\nF\n---",
            "---",
            "> q",
            "> ```",
            ">> z",
            "- item",
            "  - inner",
            "1. one",
        ),
        *("```", "~~~", "````py", "   ```", "    x = 1", "\t# y", "$$", "$$ x $$", "\\[", "\\]", "[a]: http://x"),
        *("| a |\n|---|", "| 1 |", "   | a | b |\n   |---|---|\n   | 1 | 2 |", "<div>", "</div>", "<!--", "-->"),
        *("Item 1A. Risk", "3.2.1 Scope", "第三条　本制度。", "**第四条** 文", "一、总则", "（二）范围"),
        *("\ufeff# T", "\u2028# no", "\x00", "\x0c", "\u3000", "word"),
    ]
)
LINE_ENDS = st.sampled_from(["\n", "\n", "\n\n", "\r\n", "\r", "\r\n\r\n"])
markdown = st.lists(st.one_of(MARKS, LINE_ENDS, LINE_ENDS, texts), max_size=30).map("".join)
kinds = st.sampled_from(["text", "markdown", "dialogue"])


def check_blocks(document: Document) -> list[Block]:
    """Exact: disjoint, in order, none blank, nothing lost, no character broken."""
    blocks, done = read_blocks(document), 0
    for block in blocks:
        assert done <= block.start < block.end <= len(document.text)
        assert not document.text[done : block.start].strip(), "text between two blocks"
        assert document.text[block.start : block.end].strip()
        assert snap(document.text, block.start) == block.start
        assert snap(document.text, block.end) == block.end
        assert (block.level > 0) == (block.kind == "heading")
        done = block.end
    assert not document.text[done:].strip(), "text after the last block"
    return blocks


def outline(text: str, kind="markdown") -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in check_blocks(Document("d", text, kind))]


def titles(text: str, kind="markdown") -> list[tuple[int, str]]:
    blocks = check_blocks(Document("d", text, kind))
    return [(block.level, block.path[-1] if block.path else "") for block in blocks if block.kind == "heading"]


@given(text=markdown, kind=kinds)
@example(text="- a\n\n  ```\n  # x\n\n  ```\n- | a |\n  |---|\n", kind="markdown")
@example(text="---\na: b\n---\n# T", kind="markdown")
@example(text="---", kind="markdown")
def test_blocks_are_exact_on_any_text(text, kind):
    check_blocks(Document("d", text, kind))


@pytest.mark.parametrize("kind", ["text", "markdown", "dialogue"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_blocks_are_exact_on_hostile_text(text, kind):
    check_blocks(Document("d", text, kind))


@given(text=markdown, kind=kinds, edges=st.tuples(st.integers(0, 80), st.integers(0, 80)))
def test_blocks_within_are_the_same_blocks_cut(text, kind, edges):
    document = Document("d", text, kind)
    start, end = sorted(min(edge, len(text)) for edge in edges)
    expected = [
        (max(block.start, start), min(block.end, end), block.kind, block.path)
        for block in read_blocks(document)
        if text[max(block.start, start) : min(block.end, end)].strip()
    ]
    found = blocks_within(document, Span(start, end))
    assert [(block.start, block.end, block.kind, block.path) for block in found] == expected


@pytest.mark.parametrize("language", ["en", "zh"])
def test_blocks_of_the_course_texts(language):
    for document in load_corpus(language):
        blocks = check_blocks(document)
        if document.kind == "dialogue":
            assert len(blocks) == len(document.metadata["turns"])


def test_blocks_of_the_python_reference(reference):
    for document in reference:
        check_blocks(document)


# --- Markdown --------------------------------------------------------------------------------------------------------


def test_headings_with_hashes_and_underlines():
    text = (
        "# One #\n\ntext\n\nTwo\n===\n\nThree\nlines\n---\n\n## 4 ## ##\n\n####### seven\n\n#x\n\n## \n\n  ### In ###"
    )
    assert titles(text) == [(1, "One"), (1, "Two"), (2, "Three lines"), (2, "4 ##"), (2, "Two"), (3, "In")]
    assert ("paragraph", "####### seven") in outline(text)


def test_paths_follow_the_levels():
    text = "pre\n\n# A\n\na\n\n### C\n\nc\n\n## B\n\nb\n\n# D\n\nd"
    paths = {text[block.start]: block.path for block in read_blocks(Document("d", text, "markdown"))}
    assert paths["p"] == ()
    assert paths["a"] == ("A",)
    assert paths["c"] == ("A", "C")
    assert paths["b"] == ("A", "B")
    assert paths["d"] == ("D",)


@pytest.mark.parametrize("fence", ["```", "~~~", "`````"])
def test_a_hash_in_a_fence_is_no_heading(fence):
    text = f"# A\n\n{fence}sh\n# comment\n\nrm -rf x\n\n| a |\n|---|\n{fence}\n\nend"
    assert titles(text) == [(1, "A")]
    assert [kind for kind, _ in outline(text)] == ["heading", "code", "paragraph"]


def test_fences_nested_indented_and_never_closed():
    assert titles("````\n```\n# no\n```\n# no\n````\n\n# yes") == [(1, "yes")]
    assert titles("~~~\n```\n# no\n~~~\n\n# yes") == [(1, "yes")]
    assert titles("   ```\n# no\n   ```\n# yes") == [(1, "yes")]
    assert titles("    # indented code\n\n# yes") == [(1, "yes")]
    assert outline("```\n# no\n\n## no\n") == [("code", "```\n# no\n\n## no")]


def test_code_table_and_formula_inside_a_list_are_blocks_of_their_own():
    text = "1. Run\n   ```sh\n   # make\n\n   ls\n   ```\n"
    text += "2. See\n\n   | a |\n   |---|\n   | 1 |\n\n   $$\n   x\n   $$\n3. End\n\nAfter"
    assert outline(text) == [
        ("list", "1. Run"),
        ("code", "   ```sh\n   # make\n\n   ls\n   ```"),
        ("list", "2. See"),
        ("table", "   | a |\n   |---|\n   | 1 |"),
        ("formula", "   $$\n   x\n   $$"),
        ("list", "3. End"),
        ("paragraph", "After"),
    ]
    assert outline("> said\n> ~~~\n> # x\n> ~~~\n> end") == [
        ("quote", "> said"),
        ("code", "> ~~~\n> # x\n> ~~~"),
        ("quote", "> end"),
    ]


def test_formulas():
    assert outline("so\n$$\na\n=\nb\n$$\nand")[1] == ("formula", "$$\na\n=\nb\n$$")
    assert outline("\\[\nx\n\\]") == [("formula", "\\[\nx\n\\]")]
    assert outline("$$ x $$") == [("formula", "$$ x $$")]
    # Not closed, or closed in the middle of running text: an ordinary paragraph.
    assert outline("$$\nx\n\ny") == [("paragraph", "$$\nx"), ("paragraph", "y")]
    assert outline("$$x$$ is a formula") == [("paragraph", "$$x$$ is a formula")]


def test_front_matter_html_and_reference_definitions_are_text():
    assert outline("---\ntitle: x\n# note\n---\n\n# T") == [
        ("paragraph", "---\ntitle: x\n# note\n---"),
        ("heading", "# T"),
    ]
    assert outline("---\n\na") == [("rule", "---"), ("paragraph", "a")]
    assert outline("<!--\n# no\n-->\n\n[a]: http://x") == [
        ("paragraph", "<!--\n# no\n-->"),
        ("paragraph", "[a]: http://x"),
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_move_offsets(end):
    text = end.join(["# A\x00", "", "a\u2028# no", "", "```", "x", "```", "B", "---", "| c |", "|---|", "| 1 |"])
    blocks = check_blocks(Document("d", text, "markdown"))
    assert [block.kind for block in blocks] == ["heading", "paragraph", "code", "heading", "table"]
    assert [text[block.start] for block in blocks] == ["#", "a", "`", "B", "|"]
    assert text[blocks[1].start : blocks[1].end] == "a\u2028# no"


def test_long_titles_are_cut_in_paths_only():
    text = "# " + "word " * 100_000 + "\n\n" + "text\n\n" * 100
    blocks = read_blocks(Document("d", text, "markdown"))
    assert len(blocks[1].path[0]) == 120
    assert blocks[0].end > 499_000


# --- numbered headings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        *("Item 1A.", "Item 1A. Risk Factors", "ITEM 7. MANAGEMENT’S DISCUSSION", "**Item 1A. Risk Factors.**"),
        *(
            "Article 12",
            "Article 12 Scope",
            "ARTICLE IV — Duties",
            "Part II",
            "Title III: Platforms",
            "Chapter 2 Rules",
        ),
        *("Section 3.1 Data", "Annex A", "Appendix B. Tables"),
        *("3.2.1 Title", "3.2. Title", "1. Introduction", "__4.1 Overview__", "12.3 数据"),
        *("第一编 总则", "第1章概述", "第三节　范围", "第二部分：说明", "附录B 故障分级", "附件1"),
        *("第十二条", "第十二条 报销范围", "**第十二条**", "第十条之一　定义"),
        *("一、总则", "（二）适用范围", "(三)范围", "十二、附则"),
    ],
)
def test_numbered_headings(line):
    found = numbered_heading(line)
    assert found is not None
    assert found.length == len(line)
    assert titles(f"{line}\n\ntext\n", "text") == [(1, " ".join(found.title.split()))]


@pytest.mark.parametrize(
    "line",
    [
        *("Article 12 applies to producers.", "Article 12 of the Act", "article 12", "Part of it", "Title insurance"),
        *("Items 1", "Section 3 Scope; rules;", "Part I saw. It was good", "Chapter " + "1" * 300),
        *("3.5 million dollars", "3.5", "3.2.1", "1,284.6 Revenue", "2025. was good", "1. open the box"),
        *(
            "第十二条规定的期限",
            "第一次 会议",
            "一百万",
            "附录中有",
            "一、公司董事会保证报告内容真实。",
            "（一）加班的，为 150 %；",
        ),
        *("", " ", "#"),
    ],
)
def test_sentences_that_begin_like_numbered_headings(line):
    assert numbered_heading(line) is None


@pytest.mark.parametrize("line", ["3x2 Title", "3a2x1 Scope", "1 2 Title", "12 March", "2024 Results"])
def test_defect_8_the_dot_of_a_numbered_heading_is_a_dot(line):
    assert numbered_heading(line) is None
    assert titles(f"{line}\n\ntext", "text") == []


def test_an_article_that_runs_into_its_text():
    text = "第一章 总则\n\n**第一条**　为规范报销，制定本制度。\n\n（一）其一；\n第二条 本制度适用于全体员工。\n末段。"
    blocks = check_blocks(Document("d", text, "markdown"))
    assert [(block.kind, text[block.start : block.end].strip()) for block in blocks] == [
        ("heading", "第一章 总则"),
        ("heading", "**第一条**"),
        ("paragraph", "为规范报销，制定本制度。"),
        ("paragraph", "（一）其一；"),
        ("heading", "第二条"),
        ("paragraph", "本制度适用于全体员工。\n末段。"),
    ]
    assert blocks[3].path == ("第一章 总则", "第一条")
    assert blocks[-1].path == ("第一章 总则", "第二条")


def test_levels_of_numbered_headings_are_their_depth():
    text = "PART I\n\nItem 1. Business\n\n1.1 Overview\n\na\n\n1.1.1 Detail\n\nItem 2. Properties\n\nPART II\n"
    assert [level for level, _ in titles(text, "text")] == [1, 2, 3, 4, 2, 1]


def test_in_markdown_numbered_headings_stand_below_the_hashes():
    text = "## Chapter\n\n**Article 1 Scope**\n\na\n\n## Next\n\nb"
    assert [block.path for block in read_blocks(Document("d", text, "markdown")) if block.kind == "paragraph"] == [
        ("Chapter", "Article 1 Scope"),
        ("Next",),
    ]


def test_a_wrapped_sentence_is_no_heading():
    text = "The duty is set out in\nArticle 12 Scope\nof the Act.\n\nArticle 13 States of the\nunion pay.\n"
    assert titles(text, "text") == []
    assert titles("1. Open\n2. Close\n3. Leave\n", "text") == []


def test_no_numbered_heading_in_code_lists_or_dialogue():
    assert titles("```\nArticle 12\n```\n\n- Article 13\n\n> Article 14\n") == []
    document = Document("d", "A: Hi\nArticle 12\nB: ok\n", "dialogue", metadata={"turns": [
        {"start": 0, "end": 16, "text_start": 3, "speaker": "A", "time": None},
        {"start": 17, "end": 22, "text_start": 20, "speaker": "B", "time": None},
    ]})  # fmt: skip
    assert [block.span for block in check_blocks(document)] == [(0, 16), (17, 22)]


# --- speed -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "piece",
    [
        *("$$ x\n", "\\[\n", "\\[\n\n", "> " * 30 + "\n", "- " * 30 + "\n", "~~~\n", "---\n", "# ", "\r", "a\n\n"),
        *("<!-- ", "| a ", "[a]: ", "1. ", "**", "（一", "Article 12 A ", "3.2."),
    ],
)
@pytest.mark.parametrize("kind", ["text", "markdown"])
def test_time_grows_with_the_text(piece, kind):
    started = time.process_time()
    read_blocks(Document("d", piece * (60_000 // len(piece)), kind))
    assert time.process_time() - started < 20  # Quadratic steps would take minutes.


# --- turns -----------------------------------------------------------------------------------------------------------


def test_text_between_turns_is_not_lost():
    text = "Title\nA: one\nand more\n\nB: two\n"
    turns = [{"start": 6, "end": 12, "speaker": "A"}, {"start": 23, "end": 29, "speaker": "B"}]
    document = Document("d", text, "dialogue", metadata={"turns": turns})
    found = [text[block.start : block.end] for block in check_blocks(document)]
    assert found == ["Title", "A: one\nand more", "B: two"]


@pytest.mark.parametrize("ends", [((5, 9), (0, 4)), ((0, 6), (5, 9)), ((0, 4), (5, 99)), ((-1, 4), (5, 9))])
def test_turns_out_of_order_are_refused(ends):
    turns = [{"start": start, "end": end, "speaker": "A"} for start, end in ends]
    with pytest.raises(ValueError, match=r"metadata\['turns'\] of 'd' does not name places of its text in order"):
        read_blocks(Document("d", "A: x\nB: y\n", "dialogue", metadata={"turns": turns}))


def test_no_block_within_is_blank():
    document = Document("d", "one" + " " * 40 + "two\n\nthree")
    assert blocks_within(document, Span(3, 20)) == []
    assert [block.span for block in blocks_within(document, Span(20, 51))] == [(20, 46), (48, 51)]
