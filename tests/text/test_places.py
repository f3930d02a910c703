"""What is known of a place in a document."""

import pytest

from hierrag_lessons.model import Document, Span
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.text import PLACE_FIELDS, known_values
from hierrag_lessons.text.blocks.numbering import section_number


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("3.2.1 Scope", "3.2.1"),
        ("4 Methods", "4"),
        ("10. Notes", "10"),
        ("Item 1A. Risk Factors", "1A"),
        ("**Item 7A.** Risk", "7A"),
        ("Article 12a Scope", "12a"),
        ("Title III — Duties", "III"),
        ("Annex B: Tables", "B"),
        ("A.1 Proofs", "A.1"),
        ("§ 12 Geltung", "12"),
        ("第三条 报销", "三"),
        ("第12章", "12"),
        ("一、总则", "一"),
        ("（二）范围", "二"),
        ("附录A 表", "A"),
        ("2024 results", None),
        ("3.5% of sales", None),
        ("1st place", None),
        ("I am here", None),
        ("Section", None),
        ("", None),
    ],
)
def test_the_number_of_a_heading(title, number):
    assert section_number(title) == number


def test_spans_have_what_their_blocks_and_pages_have():
    text = "# 1 A\n\nOne.\n\n## 1.1 B\n\n```\ncode\n```\n\n# C\n\nTwo."
    document = Document("d", text, "markdown", metadata={"pages": [0, text.index("```")], "file": "d.md"})

    def known(field, part):
        return known_values(field, document, [Span(text.index(part), text.index(part) + len(part))])

    assert known("section", "One.") == ["1"]
    assert known("section", "code") == ["1.1"]
    assert known("section", "Two.") == []
    assert known("kind", "code") == ["code"]
    assert known("kind", "# C") == ["heading"]
    assert known("kind", "# C\n\nTwo.") == ["paragraph"]
    assert (known("page", "One."), known("page", "code"), known("page", "B\n\n```\ncode")) == ([1], [2], [1, 2])
    assert known("source", "One.") == ["d.md"]
    assert known("time", "One.") == known("speaker", "One.") == []


@pytest.mark.parametrize("pages", [None, "3", [], ["a"], 7])
def test_pages_that_are_none_say_nothing(pages):
    assert known_values("page", Document("d", "text", metadata={"pages": pages}), [Span(0, 4)]) == []


def test_bad_questions_are_refused():
    document = Document("d", "text")
    with pytest.raises(ValueError, match="field is 'chapter'; give one of section, kind"):
        known_values("chapter", document, [])
    with pytest.raises(ValueError, match="a span is 0-9; give a Span"):
        known_values("kind", document, [Span(0, 9)])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_courses_own_texts(language):
    for document in load_corpus(language):
        for field in PLACE_FIELDS:
            assert isinstance(known_values(field, document, [document.span]), list)
        assert bool(known_values("speakers", document, [document.span])) == (document.kind == "dialogue")
