import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.model import Document, Span
from hierrag_lessons.own_documents.places import place_of, printable
from hierrag_lessons.reading import read_dialogue, read_html

TEXT = "One.\nTwo.\n\nThree.\n"


@pytest.mark.parametrize(
    ("words", "place"), [("One.", "a.md:1"), ("Two.\n", "a.md:2"), ("Two.\n\nThree.", "a.md:2-4"), (TEXT, "a.md:1-4")]
)
def test_lines_of_a_text(words, place):
    start = TEXT.index(words)
    assert place_of(Document("a.md", TEXT), Span(start, start + len(words))) == place


def test_lines_that_windows_ends():
    assert place_of(Document("a.txt", "One.\r\nTwo.\r\n"), Span(6, 10)) == "a.txt:2"


def test_pages_of_a_pdf():
    manual = Document("m.pdf", "First.\n\nSecond.", metadata={"pages": [0, 8]})
    assert place_of(manual, Span(8, 15)) == "m.pdf, page 2"
    assert place_of(manual, Span(0, 15)) == "m.pdf, page 1-2"


def test_turns_of_a_dialogue(tmp_path):
    path = tmp_path / "c.txt"
    path.write_text("Ann: Hello.\nBob: Yes?\nAnn: Bye.\n", encoding="utf-8")
    [chat] = read_dialogue(path, language="en", doc_id="c.jsonl")
    assert place_of(chat, Span(12, 20)) == "c.jsonl, turn 2"
    assert place_of(chat, Span(5, 25)) == "c.jsonl, turn 1-3"


def test_headings_of_a_web_page(tmp_path):
    path = tmp_path / "p.html"
    path.write_text("<h1>Guide</h1><p>Before.</p><h2>Setup</h2><p>Unpack it.</p>", encoding="utf-8")
    page = read_html(path, doc_id="p.html")
    start = page.text.index("Unpack")
    assert place_of(page, Span(start, start + 6)) == "p.html › Guide › Setup"


def test_a_place_outside_the_text_is_refused():
    with pytest.raises(ValueError, match="span is 3-99; give"):
        place_of(Document("a.md", TEXT), Span(3, 99))


@given(st.text(max_size=40))
def test_a_terminal_obeys_nothing_that_is_printed(text):
    shown = printable(text)
    assert all(c in "\n\t" or c.isprintable() or c.isspace() or ord(c) > 0xA0 for c in shown)
    assert not set(shown) & {"\x1b", "\r", "\x07", "\x9b", "\u202e"}
    shown.encode("utf-8")
