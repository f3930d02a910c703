import json
from dataclasses import replace
from importlib.metadata import version

import lancedb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hierrag_lessons.model import Document, Hierarchy, Node, Span
from hierrag_lessons.store import Index
from hierrag_lessons.store.schema import Header, escape, row_schema, unescape
from tests.fakes import ZOO, WordHashEmbedder, hierarchy
from tests.texts import HOSTILE, texts

MODES = ("vector", "text", "hybrid")


@pytest.fixture
def embedder():
    return WordHashEmbedder()


@pytest.fixture
def index(tmp_path, embedder):
    return Index.create(tmp_path / "index", embedder)


@pytest.fixture
def zoo(index):
    index.add([hierarchy(doc_id, text) for doc_id, text in ZOO.items()])
    return index


# Opening and closing


def test_an_index_is_opened_again_with_everything_in_it(tmp_path, embedder, zoo):
    again = Index.open(str(zoo.path), WordHashEmbedder())
    assert again.language == "en"
    assert again.doc_ids() == ["cats", "dogs", "fish"]
    for mode in MODES:
        assert again.search("the running dog", 5, mode=mode) == zoo.search("the running dog", 5, mode=mode) != []


def test_the_header_says_what_the_index_was_made_with(zoo):
    schema = lancedb.connect(zoo.path).open_table("nodes").schema
    header = json.loads(schema.metadata[b"hierrag"])
    assert header == {
        "embedder": "word-hash",
        "dim": 64,
        "language": "en",
        "package": version("hierrag-lessons"),
        "schema": 3,
    }


def test_create_refuses_a_folder_in_use(tmp_path, embedder, index):
    with pytest.raises(FileExistsError, match=r"index is there already; open it with Index\.open"):
        Index.create(index.path, embedder)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(FileExistsError, match="file is there already"):
        Index.create(tmp_path / "file", embedder)
    with pytest.raises(ValueError, match="language is 'fr'; give one of en, zh"):
        Index.create(tmp_path / "other", embedder, language="fr")
    assert not (tmp_path / "other").exists()
    (tmp_path / "empty").mkdir()
    assert Index.create(tmp_path / "empty", embedder).count() == 0
    assert Index.create(tmp_path / "new" / "deeper", embedder).count() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "file", "index", "new"]


def test_open_refuses_what_is_not_an_index(tmp_path, embedder):
    with pytest.raises(FileNotFoundError, match=r"missing does not exist; make an index there with Index\.create"):
        Index.open(tmp_path / "missing", embedder)
    assert not (tmp_path / "missing").exists()
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "half" / "nodes.lance").mkdir(parents=True)
    foreign = lancedb.connect(tmp_path / "foreign")
    foreign.create_table("nodes", pa.table({"x": [1]}))
    bare = lancedb.connect(tmp_path / "bare")
    bare.create_table("nodes", schema=Header.of(embedder, "en").write(row_schema(embedder.dim)))
    for name in ("empty", "file", "half", "foreign", "bare"):
        with pytest.raises(
            ValueError, match=rf"{name} is not a whole index .*; name another folder, or create it anew"
        ):
            Index.open(tmp_path / name, embedder)


def test_open_refuses_a_damaged_index(zoo, embedder):
    for manifest in (zoo.path / "nodes.lance" / "_versions").glob("*.manifest"):
        manifest.write_bytes(b"")
    with pytest.raises(ValueError, match="is not a whole index"):
        Index.open(zoo.path, embedder)


@pytest.mark.parametrize("other", [WordHashEmbedder(name="other"), WordHashEmbedder(dim=32)])
def test_open_refuses_another_embedder(zoo, other):
    with pytest.raises(ValueError, match=r"made with the embedder 'word-hash' \(64 dimensions\).*create a new index"):
        Index.open(zoo.path, other)


@pytest.mark.parametrize("changed", [{"package": "0.0.9"}, {"package": "1.1.0"}, {"schema": 2}, {"schema": 4}])
def test_open_refuses_another_version(tmp_path, embedder, monkeypatch, changed):
    made = Header.of(embedder, "en")
    values = {name: changed.get(name, getattr(made, name)) for name in Header.__dataclass_fields__}
    with monkeypatch.context() as patch:
        patch.setattr(Header, "of", classmethod(lambda cls, *made_with: cls(**values)))
        Index.create(tmp_path / "index", embedder)
    with pytest.raises(ValueError, match=r"made with hierrag-lessons .* delete the folder, create a new index"):
        Index.open(tmp_path / "index", embedder)


def test_a_patch_release_reads_older_indexes(tmp_path, embedder, monkeypatch):
    major, minor = version("hierrag-lessons").split(".")[:2]
    older = Header(embedder.name, embedder.dim, "en", f"{major}.{minor}.999")
    with monkeypatch.context() as patch:
        patch.setattr(Header, "of", classmethod(lambda cls, *made_with: older))
        Index.create(tmp_path / "index", embedder)
    assert Index.open(tmp_path / "index", embedder).count() == 0


# What goes in comes out


@pytest.mark.parametrize(
    "text", [*HOSTILE.values(), "\x10d800 \x10 \ud800\x10", "天" * 2000], ids=lambda t: ascii(t[:12])
)
def test_hostile_text_comes_back_equal(index, text):
    made = hierarchy("doc", text, sizes=(6, 2), context="Kapitel \ud83d › \x10\u2028")
    index.add(made)
    assert index.nodes([node.node_id for node in made]) == list(made)
    assert index.text("doc") == text
    for mode in MODES:
        for hit in index.search(text[:50], 3, mode=mode):
            assert text[hit.start : hit.end] == hit.node.text


def test_two_megabytes_without_a_space(tmp_path, embedder):
    text = "字" * 1_000_000 + "x" * 1_000_000
    for language in ("en", "zh"):
        index = Index.create(tmp_path / language, embedder, language=language)
        index.add(hierarchy("long", text, sizes=(1,)))
        assert index.text("long") == text
        assert len(index.search("字x", 3, mode="hybrid")) == 1


@given(texts)
def test_escaping_is_lossless(text):
    assert unescape(escape(text)) == text
    escape(text).encode("utf-8")


def test_documents_keep_their_metadata(index):
    document = Document(
        "报告",
        "Text one.\n\nText two.",
        "markdown",
        "en",
        {"title": "报告 \ud800", "pages": [1, 2.5, None], "deep": {"a": True}},
    )
    index.add(hierarchy(document))
    assert index.document("报告") == document
    with pytest.raises(KeyError, match="no document 'nope'"):
        index.text("nope")


def test_node_metadata_comes_back_as_json_reads_it(index):
    node = Node("n", "doc", 0, 0, 4, "text", metadata={"turns": (1, 2), "speaker": "Ann", "none": None})
    index.add(Hierarchy(Document("doc", "text"), ((node,),)))
    assert index.nodes(["n"])[0].metadata == {"turns": [1, 2], "speaker": "Ann", "none": None}


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", float("nan"), float("inf"), object()])
def test_metadata_that_json_cannot_hold_is_refused(index, value):
    node = Node("n", "bad doc", 0, 0, 4, "text", metadata={"value": value})
    with pytest.raises(ValueError, match="metadata of the document 'bad doc' cannot be written as JSON"):
        index.add(Hierarchy(Document("bad doc", "text"), ((node,),)))
    with pytest.raises(ValueError, match="metadata of the document 'bad doc' cannot be written as JSON"):
        index.add(hierarchy(Document("bad doc", "text", metadata={"value": value})))
    assert index.count() == 0


def test_the_embedder_reads_context_and_text_in_one_call(index, embedder):
    made = hierarchy("doc", "one two three four five", context="Part 1 › Numbers")
    index.add([made, hierarchy("other", "six")])
    assert embedder.calls == [["Part 1 › Numbers\none two three four", "Part 1 › Numbers\nfive", "six"]]
    assert index.nodes([made.leaves[0].node_id])[0].text == "one two three four"
    assert [hit.node.text for hit in index.search("numbers", 1, mode="text")] == ["five"]


# Levels


def test_only_the_leaves_are_searched_unless_told_otherwise(index):
    made = hierarchy("doc", ZOO["cats"])
    index.add(made)
    assert (index.levels, index.depth) == ([2], 2)
    assert (index.count(), index.count(0), index.count(2), index.count(7)) == (len(list(made)), 1, len(made.leaves), 0)
    for mode in MODES:
        assert {hit.node.level for hit in index.search("the cat", 50, mode=mode)} == {2}
    index.add(made, levels=[0, 1])
    assert index.levels == [0, 1]
    for mode in MODES:
        assert {hit.node.level for hit in index.search("the cat", 50, mode=mode)} == {0, 1}
        assert {hit.node.level for hit in index.search("the cat", 50, mode=mode, level=1)} == {1}
        with pytest.raises(ValueError, match="level 2 is not searchable; this index has 0, 1"):
            index.search("the cat", mode=mode, level=2)


def test_documents_of_different_depth(index):
    index.add([hierarchy("deep", ZOO["cats"], sizes=(12, 6, 3)), hierarchy("flat", ZOO["dogs"], sizes=(4,))])
    assert (index.levels, index.depth) == ([1, 3], 3)
    assert {hit.doc_id for hit in index.search("the dog", 20)} == {"deep", "flat"}


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([], "levels is empty; name at least one level"),
        ([3], "the document 'doc' has the levels 0 to 2, and not 3"),
        ([-1, 2], "the document 'doc' has the levels 0 to 2, and not -1"),
    ],
)
def test_impossible_levels(index, levels, message):
    with pytest.raises(ValueError, match=message):
        index.add(hierarchy("doc", "some words here"), levels=levels)
    assert index.count() == 0


def test_a_blank_document_is_stored_and_never_found(index):
    index.add([hierarchy("blank", " \n\t"), hierarchy("doc", "words")])
    assert index.doc_ids() == ["blank", "doc"]
    assert index.text("blank") == " \n\t"
    assert [hit.doc_id for hit in index.search("words", 9)] == ["doc"]


def test_an_empty_index_answers(index):
    for mode in MODES:
        assert index.search("anything", 3, mode=mode) == []
        assert index.search("anything", 3, mode=mode, level=5) == []
    assert (index.levels, index.depth, index.count(), index.doc_ids()) == ([], 0, 0, [])
    assert index.nodes([]) == index.parents([]) == index.children([]) == index.windows([], 1, 1) == []
    index.add([])
    index.delete([])
    index.delete(["nothing"])


# Replacing and deleting


def test_adding_again_replaces(zoo):
    before = zoo.count()
    zoo.add(hierarchy("cats", ZOO["cats"]))
    assert zoo.count() == before
    zoo.add(hierarchy("cats", "Only lions"))
    assert zoo.text("cats") == "Only lions"
    assert zoo.count() == before - len(list(hierarchy("cats", ZOO["cats"]))) + 3
    for mode in MODES:
        assert [hit.node.text for hit in zoo.search("lions", 1, mode=mode)] == ["Only lions"]
        assert "cats" not in {hit.doc_id for hit in zoo.search("mat roof barn", 50, mode="text")}


def test_deleting_removes_every_level(zoo):
    gone = list(hierarchy("dogs", ZOO["dogs"]))
    zoo.delete({"dogs", "not there"})
    assert zoo.doc_ids() == ["cats", "fish"]
    assert zoo.count() == sum(len(list(hierarchy(doc_id, ZOO[doc_id]))) for doc_id in ("cats", "fish"))
    assert zoo.children(gone) == []
    with pytest.raises(KeyError, match=r"no node 'dogs:0"):
        zoo.nodes([gone[0].node_id])
    for mode in MODES:
        assert "dogs" not in {hit.doc_id for hit in zoo.search("dogs running home", 50, mode=mode)}
    zoo.delete("cats")
    assert zoo.doc_ids() == ["fish"]


def test_a_document_or_a_node_twice_is_refused(index):
    with pytest.raises(ValueError, match="the document 'a' is there twice"):
        index.add([hierarchy("a", "one"), hierarchy("b", "two"), hierarchy("a", "three")])
    nodes = tuple(Node("same", "a", 1, i, i + 1, "x", parent_id="root", position=i) for i in range(2))
    with pytest.raises(ValueError, match="two nodes have the node_id 'same'"):
        index.add(Hierarchy(Document("a", "xx"), ((Node("root", "a", 0, 0, 2, "xx"),), nodes)))
    with pytest.raises(ValueError, match="two nodes have the node_id 'root'"):
        index.add([Hierarchy(Document(name, "x"), ((Node("root", name, 0, 0, 1, "x"),),)) for name in "ab"])
    assert index.count() == 0


def test_a_node_id_of_another_document_is_refused(index):
    index.add(Hierarchy(Document("first", "x"), ((Node("taken", "first", 0, 0, 1, "x"),),)))
    with pytest.raises(ValueError, match="the node id 'taken' belongs to the document 'first' already"):
        index.add(Hierarchy(Document("second", "y"), ((Node("taken", "second", 0, 0, 1, "y"),),)))
    assert (index.doc_ids(), index.text("first")) == (["first"], "x")


def test_a_hierarchy_must_hold_together(index):
    root = Node("root", "a", 0, 0, 1, "x")
    stray = Node("stray", "a", 1, 0, 1, "x", parent_id="elsewhere")
    with pytest.raises(ValueError, match="the parent 'elsewhere' of 'stray' is not in the same hierarchy"):
        index.add(Hierarchy(Document("a", "x"), ((root,), (stray,))))
    foreign = Node("foreign", "b", 1, 0, 1, "x", parent_id="root")
    with pytest.raises(ValueError, match="the hierarchy of 'a' has the node 'foreign' of 'b'"):
        index.add(Hierarchy(Document("a", "x"), ((root,), (foreign,))))


def test_chinese_needs_a_chinese_index(index, tmp_path, embedder):
    chinese, english = Document("zh", "今天下雨。", language="zh"), Document("en", "Rain today.")
    with pytest.raises(ValueError, match=r"document 'zh' is Chinese .* create an index with language='zh'"):
        index.add([hierarchy(english), hierarchy(chinese)])
    assert index.count() == 0
    both = Index.create(tmp_path / "both", embedder, language="zh")
    both.add([hierarchy(english), hierarchy(chinese)])
    assert both.document("zh") == chinese
    assert both.document("en") == english


# Derived texts and slices


def derived(sources, text="What it says in short.", searched=None):
    """A document with a summary of two of its leaves."""
    made = hierarchy("cats", ZOO["cats"], sizes=(4,))
    start, end = (sources[0][0], sources[-1][1]) if sources else (0, 5)
    spans = tuple(Span(*pair) for pair in sources)
    summary = Node("cats:summary", "cats", 1, start, end, text, "", made.root.node_id, 0, {"members": ["x"]}, spans)
    leaves = tuple(replace(leaf, level=2) for leaf in made.leaves)
    return Hierarchy(made.document, (made.levels[0], (summary,), leaves), searched)


def test_a_derived_text_comes_back_with_its_sources(index):
    made = derived([(0, 7), (20, 31)])
    index.add(made, levels=[1, 2])
    (summary,) = made.levels[1]
    assert summary.derived
    assert summary.spans == (Span(0, 7), Span(20, 31))
    assert index.nodes(["cats:summary"]) == [summary]
    assert next(hit.node for hit in index.search("what it says in short") if hit.node.level == 1) == summary
    (leaf, *_) = made.levels[2]
    assert (leaf.derived, leaf.spans) == (False, (leaf.span,))
    assert index.nodes([leaf.node_id]) == [leaf]


@pytest.mark.parametrize("sources", [[(5, 9), (2, 4)], [(0, 4), (4, 9)], [(0, 4), (3, 9)], [(3, 3)]])
def test_sources_must_be_sorted_and_disjoint(index, sources):
    with pytest.raises(ValueError, match="of 'cats:summary' are not sorted and disjoint"):
        index.add(derived(sources), levels=[1])
    assert index.doc_ids() == []


def test_sources_must_lie_in_the_document(index):
    with pytest.raises(ValueError, match="the sources of 'cats:summary' end at 5000, outside its document"):
        index.add(derived([(0, 4), (4000, 5000)]), levels=[1])


def test_a_hierarchy_can_name_the_levels_to_search(index):
    index.add(derived([(0, 7)], searched=frozenset({1, 2})))
    assert index.levels == [1, 2]
    index.add(derived([(0, 7)]))
    assert index.levels == [2]
    with pytest.raises(ValueError, match="has the levels 0 to 2, and not 4"):
        index.add(derived([(0, 7)], searched=frozenset({1, 4})))


@given(text=texts, data=st.data())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_slices_are_what_the_text_holds(index, text, data):
    index.add([hierarchy("a", text), hierarchy("cats", ZOO["cats"])])
    places = []
    for doc_id, whole in data.draw(st.permutations([("a", text), ("cats", ZOO["cats"]), ("a", text)])):
        start = data.draw(st.integers(0, len(whole)))
        places.append((doc_id, Span(start, data.draw(st.integers(start, len(whole))))))
    known = {"a": text, "cats": ZOO["cats"]}
    assert index.slices(places) == [known[doc_id][start:end] for doc_id, (start, end) in places]


def test_slices_refuses_what_is_not_there(zoo):
    assert zoo.slices([]) == []
    with pytest.raises(KeyError, match="the index has no document 'dodo'"):
        zoo.slices([("cats", Span(0, 1)), ("dodo", Span(0, 1))])
    for span in (Span(0, 5000), Span(-1, 4), Span(4, 3)):
        with pytest.raises(ValueError, match=f"{span.start}-{span.end} is no span of 'cats', which has"):
            zoo.slices([("cats", span)])
