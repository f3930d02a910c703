import csv
import io
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.interview import InterviewQuestion, RubricPoint, anki_text, printable_page
from hierrag_lessons.text.invisible import visible
from tests.interview.asked import ask, case, deck, review

SAID = st.text(min_size=1, max_size=40).filter(str.strip)
EVIL = "<script>alert(1)</script>\t\"'&\r\nnext"


def cards(text):
    """The lines of an Anki file, without those at its head."""
    return [line.split("\t") for line in text.split("\n") if line and not line.startswith("#")]


@given(SAID, SAID, SAID)
def test_any_text_stays_in_its_field(question, point, answer):
    item = InterviewQuestion("q", "junior", "search", question, (RubricPoint(point),), answer)
    ((_, front, back, tags),) = cards(anki_text([item]))
    assert "<" not in front.replace("<br>", "")
    assert back.startswith("<ol><li>")
    assert tags == "hierarchical-rag InterviewQuestion junior search"


def test_ids_are_stable_and_unique():
    lines = cards(anki_text([*deck(), review(), case()]))
    assert len({line[0] for line in lines}) == len(lines) == 26
    assert lines[0][0] == "hierrag-topic 0-0"


def test_code_keeps_its_blanks():
    text = anki_text([review(code="if n:\n    n = 1  # <b>")])
    assert "if n:<br>    n = 1  # &lt;b&gt;" in text
    assert len(list(csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))) == 7


def test_nothing_invisible_is_left_in_a_card_or_on_the_page():
    item = InterviewQuestion("q", "senior", "search", "c\u202ed\re", (RubricPoint("a\x00b"),), "f\x1bg")
    for written in (anki_text([item]), printable_page([item, review(code="h\u2066i")], "j\u200bk")):
        assert visible(written) == written
        assert "c&lt;U+202E&gt;d" in written
        assert "\r" not in written


class Seen(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.open = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)
        assert not [name for name, _ in attributes if name in ("src", "href") or name.startswith("on")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_needs_nothing():
    page = printable_page([ask("q", rubric=(RubricPoint(EVIL),)), review(code=EVIL), case()], EVIL)
    seen = Seen()
    seen.feed(page)
    assert seen.open == []
    assert "script" not in seen.tags
    assert seen.tags.count("article") == 6, "each card is there to ask and, for paper, to answer"
    assert "@media print" in page
    assert "http" not in page
