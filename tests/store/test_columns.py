"""Declared columns, and filters on them."""

import json
from itertools import accumulate

import lancedb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierrag_lessons.model import AllOf, Chunk, Document, Prefix, Span, allows, both
from hierrag_lessons.store import Index, temporary_index
from hierrag_lessons.store.columns import Column
from hierrag_lessons.store.filtering import condition
from tests.fakes import WordChunker, WordHashEmbedder, hierarchy
from tests.store.test_store_search import MODES, NASTY
from tests.texts import texts

COLUMNS = {"year": int, "edition": str, "price": float, "open": bool, "people": list[str], "grades": list[int]}
VALUES = [
    {"year": 2023, "edition": "7.2", "price": 1.5, "open": True, "people": ["Ann", "Bob"], "grades": [1, 12]},
    {"year": 2024, "edition": "7.3", "price": 2, "open": False, "people": ["Bob"], "grades": [2]},
    {"year": 2024, "edition": "7.2", "price": -0.0, "people": ["Ann, Bob"], "grades": []},
    {"year": 2**63 - 1, "edition": "", "price": 0.1 + 0.2, "open": True, "people": ["", "An"], "grades": [-1, 21]},
    {},
]
FILTERS = [
    {"year": 2024},
    {"year": [2023, 2024]},
    {"year": {2023}},
    {"year": range(2023, 2024)},
    {"year": range(2024, 2023)},
    {"year": range(2022, 2030, 2)},
    {"year": range(-(10**30), 10**30)},
    {"year": range(10**20, 10**30)},
    {"year": range(2**63 - 1, 2**63)},
    {"price": range(-(10**30), 2)},
    {"year": []},
    {"year": 2024, "edition": "7.2"},
    {"edition": ("7.2", "")},
    {"edition": Prefix("7.")},
    {"edition": Prefix("")},
    {"price": 2},
    {"price": 0},
    {"price": [0.1 + 0.2, 1.5]},
    {"price": range(1, 2)},
    {"open": True},
    {"open": [True, False]},
    {"people": "Ann"},
    {"people": ["Bob", "An"]},
    {"people": AllOf(("Ann", "Bob"))},
    {"people": Prefix("An")},
    {"people": ""},
    {"people": ", "},
    {"grades": 1},
    {"grades": range(10, 20)},
    {"grades": [2, -1]},
    {"doc_id": Prefix("d"), "level": 2},
    {"doc_id": ["d0", "d4"], "year": AllOf(([2023, 2024], range(2000, 2024)))},
]


def built(folder, documents, columns, sizes=(6, 2)):
    index = Index.create(folder, WordHashEmbedder(), columns=columns)
    index.add([hierarchy(document, sizes=sizes) for document in documents])
    return index


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    made = [Document(f"d{i}", f"shared words of number {i}", metadata=values) for i, values in enumerate(VALUES)]
    return built(tmp_path_factory.mktemp("shop") / "index", made, COLUMNS)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("where", FILTERS, ids=str)
def test_every_search_finds_what_is_inside_the_filter_and_nothing_else(shop, where, mode):
    found = {hit.doc_id for hit in shop.search("shared words of number", 50, mode=mode, where=where)}
    known = {f"d{i}": {"doc_id": f"d{i}", "level": 2, **values} for i, values in enumerate(VALUES)}
    inside = {name for name, own in known.items() if all(allows(w, own.get(field)) for field, w in where.items())}
    assert found == inside
    assert shop.doc_ids(where) == sorted(inside)


def test_the_declaration_is_recorded(shop):
    assert Index.open(shop.path, WordHashEmbedder()).columns == shop.columns == COLUMNS
    assert shop.snapshot().columns == COLUMNS


def test_what_was_found_has_its_fields_and_the_node_is_the_one_that_was_added(shop):
    for i, values in enumerate(VALUES):
        known = {name: value for name, value in values.items() if value != []}
        for mode in MODES:
            hit = shop.search("shared words", 1, mode=mode, where={"doc_id": f"d{i}"})[0]
            assert hit.node.fields == known
            assert type(hit.node.fields.get("open")) in (bool, type(None))
            assert hit.node.metadata == {"words": len(hit.node.text)}
            assert shop.nodes([hit.node.node_id])[0].fields == known
    assert hit.node in list(hierarchy(f"d{i}", f"shared words of number {i}", sizes=(6, 2)))


def test_a_selective_filter_still_gives_k(tmp_path):
    made = [Document(f"d{i:03}", "dog " * 40, metadata={"year": 2000}) for i in range(60)]
    made.append(Document("rare", "cat cat cat dog bird bird", metadata={"year": 1999}))
    index = built(tmp_path / "index", made, {"year": int}, sizes=(6, 1))
    for mode in MODES:
        found = index.search("dog", 1, mode=mode, where={"year": 1999})
        assert [hit.doc_id for hit in found] == ["rare"]
    assert len(index.search("dog", 6, where={"year": 1999})) == 6


def test_a_nodes_own_value_comes_before_its_documents(tmp_path):
    class Paged(WordChunker):
        def chunk(self, document, within=None):
            chunks = super().chunk(document, within)
            pages = [{"page": n + 1} if n else {} for n in range(len(chunks))]
            return [Chunk(c.doc_id, *c.span, c.text, "", own) for c, own in zip(chunks, pages, strict=True)]

    from hierrag_lessons.chunkers import build_hierarchy

    tree = build_hierarchy(Document("d", "a b c d e f", metadata={"page": 77}), [Paged(2)])
    with temporary_index([tree], embedder=WordHashEmbedder(), columns={"page": int}) as index:
        assert [node.fields["page"] for node in index.nodes([leaf.node_id for leaf in tree.leaves])] == [77, 2, 3]
        assert [hit.node.text for hit in index.search("a", 9, where={"page": range(2, 4)})] == ["c d", "e f"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"text": str}, "columns names 'text', which is the index's own"),
        ({"Vector": str}, "columns names 'Vector', which is the index's own"),
        ({"query_index": int}, "which is the index's own"),
        ({"_score": float}, "which is the index's own"),
        ({"two words": str}, "columns names 'two words'; give names of letters"),
        ({"a.b": str}, "columns names 'a.b'"),
        ({"class": str}, "columns names 'class'"),
        ({3: str}, "columns names 3"),
        ({"year": int, "Year": int}, "columns names 'Year' twice"),
        ({"year": "int"}, "columns.'year'. is 'int'; give int, float, str or bool"),
        ({"year": list}, "give int, float, str or bool, or list"),
        ({"year": dict[str, int]}, "give int, float, str or bool"),
        ({"year": list[list[int]]}, "give int, float, str or bool"),
        ("year", "columns is 'year'; give a mapping"),
    ],
)
def test_impossible_columns_are_refused_and_nothing_is_made(tmp_path, columns, said):
    with pytest.raises(ValueError, match=said):
        Index.create(tmp_path / "index", WordHashEmbedder(), columns=columns)
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("name", ["select", "userId", "年", "order", "null", "Distance"])
def test_any_other_name_will_do(tmp_path, name):
    index = built(tmp_path / "index", [Document("d", "a b", metadata={name: 3}), Document("e", "a b")], {name: int})
    assert {hit.doc_id for hit in index.search("a b", 9, mode="hybrid", where={name: 3})} == {"d"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("year", "2024"),
        ("year", 2024.0),
        ("year", True),
        ("year", 2**63),
        ("year", [2024]),
        ("edition", 7.2),
        ("edition", ["7.2", "7.3"]),
        ("price", "1"),
        ("price", 10**400),
        ("open", 1),
        ("people", "Ann"),
        ("people", ["Ann", 3]),
        ("people", {"Ann": 1}),
    ],
)
def test_a_value_of_another_type_is_refused_before_anything_is_written(tmp_path, field, value):
    index = Index.create(tmp_path / "index", WordHashEmbedder(), columns=COLUMNS)
    before = index.version
    with pytest.raises(ValueError, match=rf"the document 'bad' has '{field}' = .* give ") as caught:
        index.add([hierarchy("good", "a b"), hierarchy(Document("bad", "a b", metadata={field: value}))])
    assert repr(value)[:60] in str(caught.value)
    assert (index.version, index.count()) == (before, 0)
    assert index.embedder.calls == []


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"month": 3}, "where has the field 'month'; it can be one of .*, year, edition, price, open, people, grades"),
        ({"text": "x"}, "where has the field 'text'"),
        ({"year": "2024"}, r"where\['year'\] has '2024'; give a int, or a list of them, or a range"),
        ({"year": [2024, None]}, r"where\['year'\] has None"),
        ({"year": True}, r"where\['year'\] has True"),
        ({"year": 2024.0}, r"where\['year'\] has 2024.0"),
        ({"year": Prefix("2")}, r"where\['year'\] has Prefix"),
        ({"year": range(0, 10**9, 2)}, r"where\['year'\] has range"),
        ({"edition": 7.2}, r"where\['edition'\] has 7.2; give a str, or a list of them, or a Prefix"),
        ({"edition": range(3)}, r"where\['edition'\] has range"),
        ({"price": float("nan")}, r"where\['price'\] has nan"),
        ({"open": 1}, r"where\['open'\] has 1"),
        ({"people": AllOf(("Ann", 3))}, r"where\['people'\] has 3"),
        ({"grades": range(10**30)}, r"where\['grades'\] has range"),
    ],
)
def test_impossible_filters_are_refused(shop, where, said):
    for call in (lambda: shop.search("x", where=where), lambda: shop.check_where(where), lambda: shop.doc_ids(where)):
        with pytest.raises(ValueError, match=said):
            call()


def test_an_index_without_columns_has_its_own_fields_only(tmp_path):
    index = built(tmp_path / "index", [Document("d", "a b", metadata={"year": 3})], None)
    assert index.columns == {}
    assert index.search("a", 1)[0].node.fields == {}
    with pytest.raises(ValueError, match=r"it can be one of doc_id, level, parent_id, node_id$"):
        index.search("a", where={"year": 3})


def test_an_index_without_columns_is_what_it_was(tmp_path):
    Index.create(tmp_path / "index", WordHashEmbedder())
    schema = lancedb.connect(tmp_path / "index").open_table("nodes").schema
    assert set(json.loads(schema.metadata[b"hierrag"])) == {"embedder", "dim", "language", "package", "schema"}
    assert schema.names[-1] == "vector"
    assert schema.names[-2] == "terms"
    assert Index.open(tmp_path / "index", WordHashEmbedder()).columns == {}


def test_a_document_that_is_replaced_or_deleted_takes_its_values_along(tmp_path):
    index = built(tmp_path / "index", [Document("d", "a b", metadata={"year": 3})], {"year": int})
    index.add(hierarchy(Document("d", "a b", metadata={"year": 4})))
    assert index.doc_ids({"year": 3}) == []
    assert index.doc_ids({"year": 4}) == ["d"]
    index.delete(["d"])
    assert index.doc_ids({"year": 4}) == []


def test_storage_counts_the_columns(tmp_path):
    columns = {"year": int, "people": list[str]}
    document = Document("d", "a b", metadata={"year": 3, "people": ["Ann"]})
    plain = built(tmp_path / "plain", [document], None).storage()
    wide = built(tmp_path / "wide", [document], columns).storage()
    assert [b.other_bytes - a.other_bytes for a, b in zip(plain, wide, strict=True)] == [8 + len("\x1fAnn\x1f")] * 3


# --- hostile values ---------------------------------------------------------------------------------------------------

ODD = [*NASTY, "", "\x1f", "a\x1fb", "\x10001f", "\uffff", "\U0010ffff", "\ud7ff", "\ue000", "%", "_", "'", '"', "🙂"]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    made = [Document(f"d{i}", "a b", metadata={"name": v, "names": [v, "x"]}) for i, v in enumerate(ODD)]
    return built(tmp_path_factory.mktemp("odd") / "index", made, {"name": str, "names": list[str]})


@pytest.mark.parametrize("value", ODD, ids=ascii)
def test_hostile_values_are_values(odd, value):
    place = f"d{ODD.index(value)}"
    assert odd.doc_ids({"name": value}) == odd.doc_ids({"names": value}) == [place]
    assert odd.search("a b", 1, mode="text", where={"name": value})[0].node.fields == {
        "name": value,
        "names": [value, "x"],
    }


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(texts, st.sampled_from(ODD)), st.integers(0, 3))
def test_any_text_can_be_asked_for(odd, text, cut):
    for wanted in (text, [text, "x"], Prefix(text[:cut]), Prefix(text)):
        by_name = sorted(f"d{i}" for i, value in enumerate(ODD) if allows(wanted, value))
        by_member = sorted(f"d{i}" for i, value in enumerate(ODD) if allows(wanted, [value, "x"]))
        assert odd.doc_ids({"name": wanted}) == by_name
        assert odd.doc_ids({"names": wanted}) == by_member


@settings(max_examples=15)
@given(st.lists(st.lists(texts, max_size=3), min_size=1, max_size=4))
def test_any_texts_come_back(tmp_path_factory, lists):
    made = [Document(f"d{i}", "a", metadata={"names": own}) for i, own in enumerate(lists)]
    index = built(tmp_path_factory.mktemp("any") / "index", made, {"names": list[str]}, sizes=(1,))
    found = {hit.doc_id: hit.node.fields.get("names", []) for hit in index.search("a", 99)}
    assert found == {f"d{i}": own for i, own in enumerate(lists)}


def test_two_filters_hold_together():
    first, second = {"year": [2023, 2024], "people": "Ann"}, {"year": range(2024, 2030), "people": "Bob"}
    joined = both(first, second)
    for value in ({"year": 2024, "people": ["Ann", "Bob"]}, {"year": 2023, "people": ["Ann", "Bob"]}, {"year": 2024}):
        each = [all(allows(w, value.get(name)) for name, w in where.items()) for where in (first, second, joined)]
        assert each[2] == (each[0] and each[1])
    assert both(None, None) == {}
    assert both(None, first) == both(first, None) == first


# --- what a place says ------------------------------------------------------------------------------------------------

GUIDE = """# 1 Setup

Install it first.

## 1.2 Prices

| a | b |
|---|---|
| 1 | 2 |

# Use

Run it.
"""


def test_fields_that_follow_from_the_place(tmp_path):
    from hierrag_lessons.chunkers import StructureChunker, build_hierarchy

    document = Document("guide", GUIDE, "markdown", metadata={"file": "guide.md", "pages": [0, GUIDE.index("# Use")]})
    tree = build_hierarchy(document, [StructureChunker(60, min_size=0, measure=len)])
    columns = {"section": str, "kind": str, "page": int, "source": str, "speaker": str, "time": float}
    with temporary_index([tree], embedder=WordHashEmbedder(), columns=columns) as index:
        fields = [node.fields for node in index.nodes([leaf.node_id for leaf in tree.leaves])]
    base = {"source": "guide.md"}
    assert fields == [
        {**base, "section": "1", "kind": "paragraph", "page": 1},
        {**base, "section": "1.2", "kind": "table", "page": 1},
        {**base, "kind": "paragraph", "page": 2},
    ]


def test_speakers_and_times_of_a_dialogue(tmp_path):
    from hierrag_lessons.chunkers import DialogueChunker, build_hierarchy
    from hierrag_lessons.reading import read_dialogue

    turns = [("Ann", "Is it here?"), ("Bob", "It is."), ("Ann", "Good, so we can begin."), ("Cid", "Wait a moment.")]
    lines = [
        json.dumps({"speaker": who, "text": said, "start": 10 * i, "end": 10 * i + 9.5})
        for i, (who, said) in enumerate(turns)
    ]
    (tmp_path / "call.jsonl").write_text("\n".join(lines), encoding="utf-8")
    [call] = read_dialogue(tmp_path / "call.jsonl", language="en")
    tree = build_hierarchy(call, [DialogueChunker(30, overlap_turns=0, measure=len)])
    assert [leaf.metadata["speakers"] for leaf in tree.leaves] == [["Ann", "Bob"], ["Ann"], ["Cid"]]
    columns = {"speakers": list[str], "speaker": str, "time": float}
    with temporary_index([tree], embedder=WordHashEmbedder(), columns=columns) as index:
        found = [node.fields for node in index.nodes([leaf.node_id for leaf in tree.leaves])]
        assert found == [
            {"speakers": ["Ann", "Bob"], "time": 0.0},  # no one speaker
            {"speakers": ["Ann"], "speaker": "Ann", "time": 20.0},
            {"speakers": ["Cid"], "speaker": "Cid", "time": 30.0},
        ]
        for where, expected in [
            ({"speakers": "Ann"}, [0, 1]),
            ({"speakers": AllOf(("Ann", "Bob"))}, [0]),
            ({"speaker": "Ann"}, [1]),
            ({"time": range(20, 60)}, [1, 2]),
        ]:
            hits = index.search("it", 9, where=where)
            assert sorted(hit.start for hit in hits) == [tree.leaves[i].start for i in expected]


def test_a_derived_node_has_the_fields_of_its_sources(tmp_path):
    from dataclasses import replace

    from hierrag_lessons.model import Hierarchy

    document = Document("d", "one two three four", metadata={"pages": [0, 8]})
    tree = hierarchy(document, sizes=(1,))
    summary = replace(tree.leaves[0], node_id="s", text="all", end=18, sources=(Span(0, 3), Span(8, 18)), position=4)
    made = Hierarchy(document, (tree.levels[0], (*tree.leaves, summary)))
    with temporary_index([made], embedder=WordHashEmbedder(), columns={"page": list[int]}) as index:
        assert index.nodes(["s"])[0].fields == {"page": [1, 2]}
        assert {hit.node.text for hit in index.search("one all", 9, where={"page": 1})} == {"one", "two", "all"}


def nested(depth, wrap, inner):
    for _ in range(depth):
        inner = wrap(inner)
    return inner


def test_filters_are_nested_only_so_deep(shop):
    inside = {"people": nested(20, lambda inner: AllOf((inner,)), "Ann")}
    assert shop.doc_ids(inside) == shop.doc_ids({"people": "Ann"}) != []
    with pytest.raises(ValueError, match="wanted is AllOf inside AllOf, 21 deep; give one AllOf"):
        nested(3000, lambda inner: AllOf((inner,)), "Ann")


@pytest.mark.parametrize("wanted", [nested(3000, lambda inner: [inner], "Ann"), np.array(7)], ids=["lists", "a point"])
@pytest.mark.parametrize("field", ["people", "year"])
def test_what_is_no_list_of_values_is_refused(shop, field, wanted):
    with pytest.raises(ValueError, match=rf"where\['{field}'\] has .*; give a "):
        shop.doc_ids({field: wanted})
    assert not allows("Ann", nested(3000, lambda inner: [inner], "Ann"))
    assert not allows(wanted, "Ann")


@pytest.mark.parametrize("wanted", [["Ann"] * 1000, AllOf(("Ann",) * 1000)], ids=["any", "all"])
def test_a_wide_filter_is_no_deep_one(shop, wanted):
    """LanceDB calls itself for each expression in another one."""
    written = condition({"people": wanted}, None, {"people": Column("people", str, many=True)}).to_sql()
    assert max(accumulate({"(": 1, ")": -1}.get(sign, 0) for sign in written)) < 20
    assert shop.doc_ids({"people": wanted}) == shop.doc_ids({"people": "Ann"})
