"""Units tile their leaves: short sentences joined, headings with what follows, turns in dialogues."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons import Document, RecursiveChunker, build_hierarchy, course_hierarchy, load_corpus, make_units
from hierrag_lessons.chunkers.units import SHORTEST

SHORT, LONG = "It rains.", "The rain in the hills falls for forty days and floods every one of the valleys below."
PARTS = st.sampled_from([SHORT, LONG, "# Rain", "### Hills", "- a point", "|a|b|\n|-|-|\n|1|2|"])


def units_of(text, kind="markdown", language="en"):
    document = Document("rain", text, kind, language)
    tree = make_units(build_hierarchy(document, [RecursiveChunker(400, measure=len)]))
    return [unit.text for unit in tree.leaves], tree


@given(st.lists(PARTS, min_size=1, max_size=12).map("\n\n".join), st.sampled_from(["markdown", "text"]))
def test_units_tile_their_leaves(text, kind):
    _, tree = units_of(text, kind)
    for leaf in tree.levels[1]:
        own = [unit for unit in tree.leaves if unit.parent_id == leaf.node_id]
        assert "".join(unit.text for unit in own) == leaf.text
        assert [unit.context for unit in own] == [leaf.context] * len(own)


@given(st.lists(PARTS, min_size=1, max_size=12).map("\n\n".join))
def test_a_heading_goes_with_what_follows_it(text):
    units, _ = units_of(text)
    for unit in units:
        lines = [line for line in unit.split("\n") if line.strip()]
        body = [number for number, line in enumerate(lines) if not line.startswith("#")]
        assert not body or not any(line.startswith("#") for line in lines[body[0] :])


def test_a_short_sentence_before_a_heading_is_not_joined_to_it():
    text = f"{LONG} {SHORT}\n\n## Hills\n\n{SHORT} {LONG}"
    assert units_of(text)[0] == [f"{LONG} {SHORT}\n\n", f"## Hills\n\n{SHORT} {LONG}"]
    assert units_of(text, "text")[0] == [f"{LONG} ", f"{SHORT}\n\n## Hills\n\n{SHORT} {LONG}"]


def test_short_sentences_are_joined_in_english_and_not_in_chinese():
    assert units_of(f"{SHORT} {SHORT} {LONG} {LONG}")[0] == [f"{SHORT} {SHORT} {LONG} ", LONG]
    assert units_of("下雨了。天黑了。", language="zh")[0] == ["下雨了。", "天黑了。"]


def test_a_turn_of_a_dialogue_is_a_unit_and_a_long_one_begins_again_with_each_leaf():
    for document in load_corpus("en"):
        if document.kind == "dialogue":
            tree = make_units(course_hierarchy(document))
            starts = {turn["start"] for turn in document.metadata["turns"]}
            assert {unit.start for unit in tree.leaves} == starts | {leaf.start for leaf in tree.levels[-2]}


def test_english_units_are_long_enough_to_be_found():
    for document in load_corpus("en"):
        if document.kind != "dialogue":
            tree = make_units(course_hierarchy(document))
            alone = {leaf.node_id: 0 for leaf in tree.levels[-2]}
            for unit in tree.leaves:
                alone[unit.parent_id] += 1
            short = [u for u in tree.leaves if len(u.text.strip()) < SHORTEST and alone[u.parent_id] > 1]
            assert len(short) / len(tree.leaves) < 0.05


def test_units_are_made_once():
    _, tree = units_of(LONG)
    with pytest.raises(ValueError, match="'rain' has units already"):
        make_units(tree)
