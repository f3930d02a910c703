"""Views of passages, alone and side by side."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.evaluation import recall
from hierrag_lessons.model import Document, Passage, Span
from hierrag_lessons.showing import ChunkView, PassageView, side_by_side
from hierrag_lessons.showing.views.layout import pieces
from hierrag_lessons.spans import clip, merge
from hierrag_lessons.text import count_tokens
from tests.showing.page import REPORT, TEXT, chunk_of, page_of, passage_of
from tests.texts import texts

GOLD = [chunk_of(REPORT, 4, 16), chunk_of(REPORT, 27, 45)]


def test_gold_is_marked_in_both_forms_and_counted():
    view = PassageView([passage_of(REPORT, 0, 30, 0.75, "Risks > Rain"), passage_of(REPORT, 19, 50, 0.5)], GOLD)
    assert page_of(view).documents == ["One risk is rain.", TEXT[19:30], TEXT[19:50]]
    assert page_of(view).marked == ["risk is rain", TEXT[27:30], TEXT[27:45]]
    assert re.findall("⟦([^⟧]*)⟧", repr(view)) == page_of(view).marked
    tokens = [count_tokens(TEXT[0:30]), count_tokens(TEXT[19:50])]
    assert view.caption == f"recall 1.00, {sum(tokens)} tokens, 2 passages"
    lines = repr(view).splitlines()
    assert lines[1] == f"1. report:0-30: score 0.750, {tokens[0]} tokens, 50% of the gold"
    assert lines[2] == "    context: Risks > Rain"
    assert f"2. report:19-50: score 0.500, {tokens[1]} tokens, 60% of the gold, repeats 11 characters" in lines
    for line in (lines[1], "Risks > Rain", lines[-1].split("⟧")[-1]):
        assert line in page_of(view).text
    assert "underline" in "".join(page_of(view).styles)


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 40)), min_size=1, max_size=4), st.integers(0, 80))
def test_marked_text_is_the_union_of_the_gold(places, start):
    gold = [chunk_of(REPORT, a, min(a + n + 1, len(TEXT))) for a, n in places]
    passage = passage_of(REPORT, start, min(start + 40, len(TEXT)))
    page = page_of(PassageView([passage], gold))
    wanted = {i for chunk in gold for i in range(chunk.start, chunk.end)}
    shown = [TEXT[i] for i in range(passage.start, passage.end) if i in wanted]
    # The white space between two paragraphs is no part of either.
    assert "".join("".join(page.marked).split()) == "".join("".join(shown).split())
    ranges = merge(clip(Span(chunk.start, chunk.end), passage.span) for chunk in gold)
    brackets = sum(bool(TEXT[a:b].strip()) for a, b in ranges)
    assert page.labels == ["⟦", "⟧"] * brackets
    assert PassageView([passage], gold).caption.startswith(f"recall {recall([passage], gold):.2f}, ")


def test_gold_of_other_documents_marks_nothing():
    view = PassageView([passage_of(Document("other", TEXT), 0, 30)], GOLD)
    assert page_of(view).marked == []
    assert "0% of the gold" in repr(view)


def test_passages_without_gold_or_none_at_all():
    tokens = count_tokens(TEXT[:9])
    assert PassageView([passage_of(REPORT, 0, 9)]).caption == f"{tokens} tokens, 1 passage"
    assert "gold" not in repr(PassageView([passage_of(REPORT, 0, 9)]))
    assert PassageView([], GOLD).caption == "recall 0.00, 0 tokens, 0 passages"


def test_a_passage_with_another_text_is_refused():
    with pytest.raises(ValueError, match="report:0-5 has a text of 2 characters"):
        PassageView([Passage("report", 0, 5, "On")])


PROSE = "A key opens\nthe door, and a lock\nkeeps it closed."
HARD_WRAPPED = f"""\
are seen there.  They are never
deleted by the collector.

{PROSE}

   def close(door):
       return door.lock(key)

   >>> close("front")
   True

- a first
  item
- a second

| door | key |
| --- | --- |
| front | 1 |
"""


def test_wrapped_lines_run_on_and_code_lists_and_tables_keep_theirs():
    shown = [(HARD_WRAPPED[a:b], setting) for (a, b), setting in pieces(HARD_WRAPPED)]
    assert shown == [
        ("are seen there.  They are never\ndeleted by the collector.", "prose"),
        (PROSE, "prose"),
        ("   def close(door):\n       return door.lock(key)", "verbatim"),
        ('   >>> close("front")\n   True', "verbatim"),
        ("- a first\n", "line"),
        ("  item\n", "line"),
        ("- a second", "line"),
        ("| door | key |\n| --- | --- |\n| front | 1 |", "verbatim"),
    ]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("Ann: Is it open?\nBob: It is.", ["line", "line"]),
        ("客服：您好。\n用户：我要报销。", ["line", "line"]),
        ("A fee is due for each of the\nrequests.", ["prose"]),
        (f"{'long ' * 30}\n{'line ' * 30}", ["line", "line"]),
        ("A rule has clauses:\n(a) the first one\n(b) the second one", ["line", "line", "line"]),
        ("Ms Vera Doe of\nExample Ltd\n12 Old Market Road, Upper Village, Nowhere", ["line", "line"]),
        ("```\nno python at all\n   here\n```", ["verbatim"]),
        ("stmt ::= expression\n  | assignment", ["verbatim"]),
        ("object.__lt__(self, other)\nobject.__le__(self, other)", ["verbatim"]),
        ("| 4 | 5 |\n| 6 | 7 |", ["verbatim"]),
        ("4 | 5 |\n| 6 | 7 |\n| 8 | 9 |\nNotes", ["line", "verbatim", "line"]),
        ("| door |\nNotes", ["line", "line"]),
        ("Fee: none", ["prose"]),
        ("door", ["prose"]),
        ("Intro:\n\n      The rest is set below it and is\n      prose all the same, as one sees.", ["prose", "prose"]),
        ("x\x00y(", ["prose"]),
        ("(" * 3000, ["prose"]),
        ("\u2028", ["verbatim"]),
        (" \n\t", []),
    ],
)
def test_each_kind_of_text_is_set_in_its_own_way(text, settings):
    assert [setting for _, setting in pieces(text)] == settings


@given(texts)
def test_a_passage_view_loses_no_character(text):
    document = Document("d", text)
    spans = [piece.span for piece in pieces(text)]
    assert all(a.end <= b.start for a, b in pairwise(spans))
    shown = "".join(page_of(PassageView([passage_of(document, 0, len(text))])).documents)
    assert [c for c in shown if c not in " \t\n"] == [c for c in text if c not in " \t\n"]


def test_a_passage_without_gold_is_folded_to_one_line():
    gold = [chunk_of(REPORT, 0, 10)]
    html = PassageView([passage_of(REPORT, 30, 60), passage_of(REPORT, 0, 20)], gold)._repr_html_()
    first, second = re.findall("<details[^>]*>.*?</details>", html, re.S)
    assert first.startswith("<details><summary>")
    assert TEXT[30:60].strip().split()[0] in first.split("</summary>")[0]
    assert second.startswith("<details open><summary>")
    # Without gold nothing tells the passages apart.
    assert "<details>" not in PassageView([passage_of(REPORT, 0, 20)])._repr_html_()


def folds(view):
    """The sizes that a view's folds state, and the paragraphs inside each."""
    found = re.findall(r"<details><summary>.*?… (\d+) more.*?</summary>(.*?)</details>", view._repr_html_(), re.S)
    return [(int(size), re.findall(r"Paragraph (\d+)", hidden)) for size, hidden in found]


def test_long_stretches_are_folded_but_never_the_gold():
    paragraphs = [f"Paragraph {i} {'goes on and on ' * 20}." for i in range(12)]
    document = Document("d", "\n\n".join(paragraphs))
    start, end = document.text.index("Paragraph 6"), document.text.index("Paragraph 7")
    whole = passage_of(document, 0, len(document.text))
    assert folds(PassageView([whole], [chunk_of(document, start, start + 11)])) == [
        (start - 2, ["0", "1", "2", "3", "4", "5"]),
        (len(document.text) - end, ["7", "8", "9", "10", "11"]),
    ]
    # Without gold the beginning is shown.
    [(_, hidden)] = folds(PassageView([whole]))
    assert hidden == ["4", "5", "6", "7", "8", "9", "10", "11"]
    # What is short has no fold.
    assert folds(PassageView([passage_of(document, 0, 1400)])) == []


def test_side_by_side_has_a_heading_a_caption_and_a_body_for_each_column():
    columns = {"flat <200>": [passage_of(REPORT, 0, 20)], "parent-child": [passage_of(REPORT, 0, 60)]}
    view = side_by_side(columns, GOLD)
    for name, passages in columns.items():
        alone = PassageView(passages, GOLD)
        for shown in (page_of(view).text, repr(view)):
            assert name in shown
            assert alone.caption in shown
        assert repr(alone) in repr(view)
        assert alone.body_html() in view._repr_html_()
    assert isinstance(side_by_side({"a": ChunkView(REPORT, [])}).columns["a"], ChunkView)


def test_three_columns_fit_a_laptop_and_scroll_with_the_keyboard():
    html = side_by_side({name: [passage_of(REPORT, 0, 20)] for name in ("a", "b", 'c "<quoted>"')})._repr_html_()
    columns = re.findall(r'style="([^"]*flex:1 1 (\d+)px[^"]*)"', html)
    # JupyterLab leaves about 750 of 1,280 pixels to an output; each column has 18 of its own, each gap 8, the card 22.
    assert sum(int(basis) + 18 for _, basis in columns) + 2 * 8 + 22 <= 750
    assert all("min-width:0" in style for style, _ in columns)
    scrolled = re.findall('<div tabindex="0" role="region" aria-label="([^"]*)" style="([^"]*)">', html)
    assert [name for name, _ in scrolled] == ["a", "b", "c &quot;&lt;quoted&gt;&quot;"]
    assert all("max-height:30em;overflow:auto" in style for _, style in scrolled)


def test_side_by_side_refuses_what_it_would_ignore():
    with pytest.raises(ValueError, match="columns is empty"):
        side_by_side({})
    with pytest.raises(ValueError, match="every column is a view already"):
        side_by_side({"a": ChunkView(REPORT, [])}, GOLD)
