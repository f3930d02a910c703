"""The view of a multi-level search: safe, complete, the same as HTML and as text."""

import re

import pytest
from hypothesis import given

from hierrag_lessons import Document, MultiLevelRetriever, MultiLevelView, build_hierarchy, make_units, temporary_index
from hierrag_lessons.contracts.shelf import two_levels
from tests.fakes import WordHashEmbedder
from tests.showing.page import ATTRIBUTES, DANGEROUS, PROPERTIES, TAGS, Every, Page
from tests.texts import HOSTILE, texts


def trace_of(document, query, k=5):
    tree = make_units(build_hierarchy(document, [Every(400), Every(200)]))
    with temporary_index([tree], embedder=WordHashEmbedder()) as index:
        return MultiLevelRetriever(index).trace(query, k)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_dangerous_character_gets_out(text):
    view = MultiLevelView(trace_of(Document("x" + text, "word " + text), "word" + text))
    for shown in (view._repr_html_(), repr(view)):
        shown.encode("utf-8")
        assert DANGEROUS.findall(shown) == []


@given(texts)
def test_pages_hold_only_our_own_tags_and_styles(text):
    nasty = f'<script>alert("1")</script>{text}<img src=x onerror=alert(1)>" onclick="alert(2)\' <b>&amp;'
    view = MultiLevelView(trace_of(Document(nasty, nasty), f"script {nasty}"))
    page = Page(view._repr_html_())
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert {item.split(":")[0] for style in page.styles for item in style.split(";") if item} <= PROPERTIES
    assert "<script" not in view._repr_html_()


def test_every_level_of_every_unit_has_its_line():
    text = "Otters hold hands in their sleep, so that no wave parts them from each other. " * 2
    with temporary_index([make_units(two_levels(Document("pets", text)))], embedder=WordHashEmbedder()) as index:
        trace = MultiLevelRetriever(index).trace("otters sleep", 3)
    lines = repr(MultiLevelView(trace, most=2)).splitlines()
    assert lines[0] == f"otters sleep: 3 passages of {len(trace.units)} units"
    assert [line.strip() for line in lines if "more passage" in line] == ["… 1 more passage"]
    shown = [hit for passage in trace.passages[:2] for hit in passage.hits]
    of_levels = [line for line in lines if re.search(r"words 0\.\d{3}, meaning -?0\.\d{3}", line)]
    assert len(of_levels) == len(shown) * len(trace.units[0].levels)
    assert f"score {trace.units[0].score:.3f}, lifted {trace.units[0].lifted:.3f}" in repr(MultiLevelView(trace))


@pytest.mark.parametrize(("trace", "most"), [("no trace", 5), (None, 5)])
def test_what_is_no_trace_is_refused(trace, most):
    with pytest.raises(ValueError, match=r"^trace is"):
        MultiLevelView(trace, most)
