"""The view of an auto-merging retriever's decisions: safe, complete, the same as HTML and as text."""

import re
from fractions import Fraction

import pytest
from hypothesis import given

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.model import Document, Hit, Node, Passage, Span, sort_key
from hierrag_lessons.retrievers import AutoMergingRetriever, MergeTrace, merge_upwards
from hierrag_lessons.retrievers.passages import to_passage
from hierrag_lessons.showing import MergeView
from hierrag_lessons.showing.views import markup
from hierrag_lessons.store import Family, Index
from hierrag_lessons.text import count_tokens
from tests.fakes import WordHashEmbedder, hierarchy
from tests.showing.page import ATTRIBUTES, DANGEROUS, PROPERTIES, TAGS, Every, Page
from tests.texts import HOSTILE, texts

WORDS = "ant bee cat dog elk fox gnu hen ibis jay kiwi lark mole newt owl pig quail ray"


def trace_of(document, sizes=(27, 9, 3), **options):
    """What merging makes of a document of which every third leaf, and the first two, were hit."""
    tree = build_hierarchy(document, [Every(size) for size in sizes])
    hits = [Hit(node, 1 / (i + 1)) for i, node in enumerate(tree.leaves) if i % 3 == 0 or i < 2]
    families = {node.node_id: Family(node, len(tree.children(node))) for level in tree.levels[:-1] for node in level}
    blocks, decisions = merge_upwards(hits, families, **options)
    passages = sorted((to_passage(block.node, block.hits[0].score, block.hits) for block in blocks), key=sort_key)
    return MergeTrace(document.text, tuple(sorted(hits, key=sort_key)), tuple(decisions), tuple(passages))


def lines(view):
    """The lines of both forms, without the caption."""
    html = [line for line in Page(view._repr_html_()).lines[1:] if line]
    return html, [line.strip() for line in repr(view).splitlines()[1:]]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_dangerous_character_gets_out(text):
    view = MergeView(trace_of(Document("x" + text, text * 3)))
    for shown in (view._repr_html_(), repr(view)):
        shown.encode("utf-8")
        assert DANGEROUS.findall(shown) == []


@given(texts)
def test_pages_hold_only_our_own_tags_and_styles(text):
    nasty = f'<script>alert("1")</script>{text}<img src=x onerror=alert(1)>" onclick="alert(2)\' <b>&amp;'
    view = MergeView(trace_of(Document(nasty, nasty)))
    page = Page(view._repr_html_())
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert {item.split(":")[0] for style in page.styles for item in style.split(";") if item} <= PROPERTIES
    assert "<script" not in view._repr_html_()
    html, text_lines = lines(view)
    assert html == text_lines


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("index") / "index", WordHashEmbedder(dim=4096))
    index.add([hierarchy("zoo", WORDS, sizes=(9, 3, 1)), hierarchy("farm", "cow", sizes=(9, 3, 1))])
    return index


def test_every_decision_has_its_line(letters):
    trace = AutoMergingRetriever(letters, leaves=6, threshold=0.6).trace("ant ant cat dog dog dog elk jay cow", 2)
    view = MergeView(trace)
    assert view.caption == "ant ant cat dog dog dog elk jay cow: 6 hits, 5 of 8 parents merged, 2 passages"
    tokens = {text: count_tokens(text) for text in (WORDS, WORDS[:36], WORDS[:11], WORDS[12:23])}
    shown = [re.sub(r", \d+ tokens?", "", line) for line in repr(view).splitlines()[1:]]
    assert shown == [
        "zoo: level 0, 0-78, KEPT APART, 1 of 2 children found, below 0.6: "
        "ant bee cat dog elk fox gnu hen ibis jay kiwi lark mole newt…",
        "  level 1, 0-36, MERGED, 2 of 3 children found, PASSAGE 1: ant bee cat dog elk fox gnu hen ibis",
        "    level 2, 0-11, MERGED, 2 of 3 children found: ant bee cat",
        "      level 3, 0-3, HIT 0.485: ant",
        "      level 3, 8-11, HIT 0.243: cat",
        "      … 1 more node of level 3, not found",
        "    level 2, 12-23, MERGED, 2 of 3 children found: dog elk fox",
        "      level 3, 12-15, HIT 0.728: dog",
        "      level 3, 16-19, HIT 0.243: elk",
        "      … 1 more node of level 3, not found",
        "    … 1 more node of level 2, not found",
        "  … 1 more node of level 1, not found",
        "zoo: level 2, 37-50, KEPT APART, 1 of 3 children found, below 0.6: jay kiwi lark",
        "  level 3, 37-40, HIT 0.243, not among the best: jay",
        "  … 2 more nodes of level 3, not found",
        "farm: level 0, 0-3, KEPT APART, 1 of 1 child found, but no parent so high is allowed: cow",
        "  level 1, 0-3, MERGED, 1 of 1 child found, PASSAGE 2: cow",
        "    level 2, 0-3, MERGED, 1 of 1 child found: cow",
        "      level 3, 0-3, HIT 0.243: cow",
    ]
    assert f"0-36, {tokens[WORDS[:36]]} tokens, MERGED" in repr(view)
    # What became a passage is marked, and nothing else.
    assert view._repr_html_().count(markup.PAINT_GOLD) == 2
    assert lines(view)[0] == lines(view)[1]


def test_a_refused_budget_and_a_hit_above_others_are_told(letters):
    trace = AutoMergingRetriever(letters, leaves=4, threshold=0.6, budget=5).trace("ant cat dog elk", 4)
    tokens = [d.tokens for d in trace.decisions if d.outcome == "budget"]
    assert len(tokens) == 2
    for number in tokens:
        assert f"KEPT APART, 2 of 3 children found, but {number} tokens are over the budget: " in repr(MergeView(trace))
    assert [p.text for p in trace.passages] == ["ant", "cat", "dog", "elk"]


def test_what_was_not_more_than_half_and_a_growing_threshold_are_told(letters):
    trace = AutoMergingRetriever(letters, leaves=2).trace("ant dog", 2)
    assert repr(MergeView(trace)).count("KEPT APART, 1 of 3 children found, not more than half: ") == 2
    growing = AutoMergingRetriever(letters, leaves=3, threshold="growing", budget=9).trace("ant ant cat dog", 3)
    outcomes = {decision.parent.start: decision for decision in growing.decisions if decision.parent.level == 2}
    shown = repr(MergeView(growing))
    assert outcomes[12].outcome == "few"
    assert "KEPT APART, 1 of 3 children found, too few: dog elk fox" in shown
    merged = outcomes[0]
    assert merged.merged
    assert merged.ratio == Fraction(count_tokens("ant") + count_tokens("cat"), count_tokens("ant bee cat"))
    low = AutoMergingRetriever(letters, leaves=9, threshold="growing", budget=9, highest_level=2)
    ratios = [d for d in low.trace("ant bee dog elk gnu hen jay kiwi mole").decisions if d.outcome == "ratio"]
    for decision in ratios:
        why = f"{float(decision.ratio):.0%} of the text, below {float(decision.threshold):.0%}"
        assert why in repr(MergeView(low.trace("ant bee dog elk gnu hen jay kiwi mole")))


def test_a_node_above_a_summary_is_no_passage_of_its_own():
    """A proposition returned as its source has the number of that passage; its summary is told apart from a parent."""
    text = "Dogs bark. Cats purr."
    parent = Node("s", "d", 1, 0, 21, "Sounds", sources=(Span(0, 10), Span(11, 21)))
    said = Node("p", "d", 2, 11, 21, "A cat purrs", "", "s", 0, {}, (Span(11, 21),))
    hit = Hit(said, 0.5)
    blocks, decisions = merge_upwards([hit], {"s": Family(parent, 2)}, 0.5)
    passages = (Passage("other", 0, 30, text * 2, score=0.6), Passage("d", 11, 21, text[11:], score=0.5, hits=(hit,)))
    assert [block.node for block in blocks] == [said]
    shown = repr(MergeView(MergeTrace("cat", (hit,), tuple(decisions), passages))).splitlines()
    assert "KEPT APART, 1 of 2 children found, but its text is not theirs: Sounds" in shown[1]
    assert "HIT 0.500, PASSAGE 2: A cat purrs" in shown[2]


def test_nothing_was_hit():
    view = MergeView(MergeTrace("zzz", (), (), ()))
    assert repr(view) == "zzz: 0 hits, 0 of 0 parents merged, 0 passages\n"
    assert Page(view._repr_html_()).text == "zzz: 0 hits, 0 of 0 parents merged, 0 passages"
