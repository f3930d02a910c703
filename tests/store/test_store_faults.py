"""What goes wrong: damaged files, full disks, embedders that return nonsense, arguments of any type."""

import os
import subprocess
import sys
import warnings
from dataclasses import replace
from types import SimpleNamespace

import lancedb
import numpy as np
import pytest

from hierrag_lessons.chunkers import RecursiveChunker
from hierrag_lessons.model import Document, Hierarchy, Node
from hierrag_lessons.store import Index, IndexWarning
from hierrag_lessons.store.engine import readable_faults
from tests.fakes import ZOO, WordHashEmbedder, hierarchy


@pytest.fixture
def zoo(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add([hierarchy(doc_id, text) for doc_id, text in ZOO.items()])
    return index


def assert_readable(error):
    """A sentence for a reader: no path of the machine that built LanceDB, none of its wrappers."""
    said = str(error.value)
    assert ".rs:" not in said
    assert ".cargo" not in said
    assert "rustc" not in said
    assert "LanceError" not in said


# --- files ------------------------------------------------------------------------------------------------------------


def text_index_files(index):
    table = lancedb.connect(index.path).open_table("nodes")
    (own,) = [each for each in table.list_indices() if each.columns == ["search_text"]]
    return sorted((index.path / "nodes.lance" / "_indices" / own.index_uuid).iterdir())


@pytest.mark.parametrize("mode", ["text", "hybrid"])
def test_a_missing_file_of_the_text_index_is_said_at_the_first_search(zoo, mode):
    for path in text_index_files(zoo):
        path.unlink()
    again = Index.open(zoo.path, WordHashEmbedder())
    with pytest.raises(OSError, match="missing or damaged: delete the folder, make the index anew") as error:
        again.search("cat", mode=mode)
    assert_readable(error)
    assert again.search("cat")
    again.add(hierarchy("new", "a new cat"))  # makes the text index anew
    assert again.search("cat", mode=mode)


def test_a_damaged_file_is_said_at_a_look_up(zoo):
    for path in (zoo.path / "nodes.lance" / "data").iterdir():
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    again = Index.open(zoo.path, WordHashEmbedder())
    with pytest.raises(OSError, match="the files of the index cannot be used") as error:
        again.doc_ids()
    assert_readable(error)


def test_damaged_old_versions_do_not_hide_that_an_add_was_committed(zoo):
    _, *older = sorted((zoo.path / "nodes.lance" / "_versions").glob("*.manifest"))
    for manifest in older:
        manifest.write_bytes(manifest.read_bytes()[:10])
    with pytest.warns(IndexWarning, match="What was added or deleted is stored, and searches are right") as caught:
        zoo.add([hierarchy(f"more {number}", ZOO["dogs"]) for number in range(9)])
    assert ".rs:" not in str(caught[0].message)
    assert caught[0].filename == __file__
    again = Index.open(zoo.path, WordHashEmbedder())
    assert len(again.doc_ids()) == 12
    for mode in ("vector", "text", "hybrid"):
        assert {hit.doc_id for hit in again.search("dogs running home", 30, mode=mode)} >= {"dogs", "more 8"}


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are those of POSIX")
def test_a_full_disk_is_said_and_leaves_the_version_before(zoo):
    """A limit on the size of files stands for a disk without room: LanceDB meets the same kind of error."""
    code = """
import resource, signal, sys
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder, hierarchy
index = Index.open(sys.argv[1], WordHashEmbedder())
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
try:
    index.add(hierarchy("large", "word " * 9000))
except OSError as error:
    print(type(error).__name__, error.errno, error)
print(index.doc_ids())
"""
    ran = subprocess.run(
        [sys.executable, "-c", code, zoo.path], capture_output=True, encoding="utf-8", check=True, env=dict(os.environ)
    )
    said, ids = ran.stdout.splitlines()
    assert said.startswith("OSError 27 [Errno 27] the files of the index cannot be used: File too large")
    assert ".rs:" not in said
    assert ids == str(sorted(ZOO))


@pytest.mark.parametrize(
    ("raised", "kind", "said"),
    [
        (
            "lance error: LanceError(IO): No space left on device (os error 28), /opt/x-1/lance/src/writer.rs:1:9",
            OSError,
            "No space left on device; make room on the disk",
        ),
        (
            "lance error: LanceError(IO): Generic LocalFileSystem error: Permission denied (os error 13), /a/b.rs:2:4",
            PermissionError,
            "Permission denied; whoever runs this must be allowed",
        ),
        (
            "External error: Not found: home/me/index/nodes.lance/_indices/1/index.idx, /rustc/2d8/core/result.rs:9:2",
            OSError,
            "cannot be used: Not found: nodes.lance/_indices/1/index.idx. One of them may be missing",
        ),
    ],
)
def test_errors_of_the_engine_become_sentences(raised, kind, said):
    with pytest.raises(kind, match="the files of the index cannot be used") as error, readable_faults():
        raise RuntimeError(raised)
    assert said in str(error.value)
    assert_readable(error)


def test_other_errors_pass(tmp_path):
    with pytest.raises(ValueError, match=r"^k is 0$"), readable_faults():
        raise ValueError("k is 0")
    with pytest.raises(FileNotFoundError, match=r"no\.txt"), readable_faults():
        (tmp_path / "no.txt").read_bytes()


def test_a_folder_that_cannot_be_written_to_is_said(zoo):
    (zoo.path / "writer.lock").unlink()
    (zoo.path / "writer.lock").mkdir()
    with pytest.raises(OSError, match=r"index cannot be written to: unable to open database file"):
        zoo.add(hierarchy("new", "a new cat"))
    assert zoo.doc_ids() == sorted(ZOO)


# --- embedders --------------------------------------------------------------------------------------------------------


def answering(change):
    """The embedder of the index, with something done to what it returns."""
    real = WordHashEmbedder()
    return SimpleNamespace(name=real.name, dim=real.dim, encode=lambda texts: change(real.encode(texts)))


@pytest.mark.parametrize(
    ("nonsense", "said"),
    [
        (
            lambda rows: rows * 1e-30,
            "returned a vector of length 1e-30 for 'words'; it must return vectors of",
        ),
        (lambda rows: rows * 1e20, r"a vector of length 1e\+20"),
        (lambda rows: rows * 0.5, "a vector of length 0.5"),
        (lambda rows: rows * np.nan, "returned NaN or infinite numbers"),
        (lambda rows: rows + np.inf, "returned NaN or infinite numbers"),
        (lambda rows: rows.astype(np.complex64), "numbers of the type complex64"),
        (lambda rows: rows.astype(str), "numbers of the type <U"),
        (lambda rows: rows.astype(bool), "numbers of the type bool"),
        (lambda rows: rows[:, 1:], r"vectors of shape \(1, 63\) for 1 texts; it must return \(1, 64\)"),
        (lambda rows: rows[0], r"vectors of shape \(64,\)"),
        (lambda rows: np.vstack([rows, rows]), r"vectors of shape \(2, 64\) for 1 texts"),
    ],
)
def test_vectors_that_have_no_right_cosine_are_refused(zoo, nonsense, said):
    zoo.embedder = answering(nonsense)
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        with pytest.raises(ValueError, match=f"the embedder 'word-hash' .*{said}"):
            zoo.search("words")
        with pytest.raises(ValueError, match=f"the embedder 'word-hash' .*{said}"):
            zoo.add(hierarchy("other", "words"))
    assert "other" not in zoo.doc_ids()


def test_vectors_of_half_precision_and_of_nothing_will_do(zoo):
    zoo.embedder = answering(lambda rows: rows.astype(np.float16))
    assert zoo.search("the running dog")
    assert zoo.search("?!") == []


@pytest.mark.parametrize(
    ("embedder", "said"),
    [
        (WordHashEmbedder(dim=0), "the embedder's dim is 0; give 1 or more"),
        (WordHashEmbedder(dim=-1), "the embedder's dim is -1; give 1 or more"),
        (WordHashEmbedder(dim=64.0), "the embedder's dim is 64.0; give a whole number"),
        (WordHashEmbedder(name=None), "the embedder's name is None; give a text"),
        ("all-MiniLM-L6-v2", "embedder is 'all-MiniLM-L6-v2'; give an embedder, for example"),
        (WordHashEmbedder, r"give what the class makes: WordHashEmbedder\(\.\.\.\)"),
    ],
)
def test_what_is_no_embedder_is_refused(tmp_path, zoo, embedder, said):
    with pytest.raises(ValueError, match=said):
        Index.create(tmp_path / "other", embedder)
    assert not (tmp_path / "other").exists()
    with pytest.raises(ValueError, match=said):
        Index.open(zoo.path, embedder)


def test_a_snapshot_embeds_a_text_once(zoo):
    zoo.embedder.calls.clear()
    view = zoo.snapshot()
    first = view.search_batch(["cat", "dog", "cat"])
    assert view.search_batch(["dog", "cat", "dog"]) == [first[1], first[0], first[1]]
    assert view.search("fish") == zoo.search("fish")
    assert zoo.embedder.calls == [["cat", "dog"], ["fish"], ["fish"]]


# --- arguments --------------------------------------------------------------------------------------------------------

LEAF = hierarchy("cats", ZOO["cats"]).leaves[0]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda index: index.search(None), "query is None; give a text"),
        (lambda index: index.search(["cat"]), r"query is \['cat'\]; give a text"),
        (lambda index: index.search(7, mode="text"), "query is 7; give a text"),
        (lambda index: index.search_batch("dog"), "queries is 'dog'; give a list of texts"),
        (lambda index: index.search_batch(["dog", None]), "queries holds None; give a list of texts"),
        (lambda index: index.search_batch(None), "queries is None"),
        (lambda index: index.search("dog", 2.5), "k is 2.5; give a whole number, 1 or more"),
        (lambda index: index.search("dog", float("nan")), "k is nan; give a whole number"),
        (lambda index: index.search("dog", True), "k is True; give a whole number"),
        (lambda index: index.search("dog", "2", mode="text"), "k is '2'; give a whole number"),
        (lambda index: index.search("dog", level=True), "level is True; give a whole number"),
        (lambda index: index.search("dog", level=1.0), "level is 1.0; give a whole number"),
        (lambda index: index.search("dog", level="2"), "level is '2'; give a whole number"),
        (lambda index: index.search("dog", where="cats"), "where is 'cats'; give a mapping"),
        (lambda index: index.search("dog", mode=None), "mode is None; give one of vector, text, hybrid"),
        (lambda index: index.search("dog", mode=["text"]), r"mode is \['text'\]; give one of"),
        (lambda index: index.explain("dog", 0), "k is 0; give 1 or more"),
        (lambda index: index.explain(None), "query is None"),
        (lambda index: index.count(True), "level is True"),
        (lambda index: index.delete([1]), "doc_ids holds 1; give a list of texts"),
        (lambda index: index.delete(None), "doc_ids is None; give a list of texts"),
        (lambda index: index.delete({"cats", 2}), "doc_ids holds 2"),
        (lambda index: index.document(3), "doc_id is 3; give a text"),
        (lambda index: index.nodes("cats"), "node_ids is 'cats'; give a list of texts"),
        (lambda index: index.parents(["cats"]), "nodes holds 'cats'; give a list of Node"),
        (lambda index: index.children(LEAF), r"nodes is .*; give a list of Node"),
        (lambda index: index.windows([LEAF], 1.5, 0), "before is 1.5; give a whole number"),
        (lambda index: index.windows([LEAF], 0, None), "after is None; give a whole number"),
        (lambda index: index.lineages([LEAF], None), "top is None; give a whole number, 0 or more"),
        (lambda index: index.lineages([LEAF.node_id], 1), "nodes holds 'cats"),
        (lambda index: index.descendants([LEAF], -1), "bottom is -1; give 0 or more, or None for the leaves"),
        (
            lambda index: index.add(None),
            "hierarchies holds a NoneType; give what build_hierarchy",
        ),
        (lambda index: index.add("cats"), "hierarchies holds a str"),
        (lambda index: index.add([Document("d", "x")]), "hierarchies holds a Document"),
        (lambda index: index.add(hierarchy("d", "x"), levels="2"), "levels is '2'; give a list of levels"),
        (lambda index: index.add(hierarchy("d", "x"), levels=2), "levels is 2; give a list of levels"),
        (lambda index: index.add(hierarchy("d", "x"), levels=[True]), "a level to search is True; give a whole number"),
        (lambda index: Index.open(None, WordHashEmbedder()), "path is None; give the index's folder"),
        (lambda index: Index.create(7, WordHashEmbedder()), "path is 7; give the index's folder"),
    ],
)
def test_what_can_be_no_argument_is_refused(zoo, call, said):
    version = zoo.version
    with pytest.raises(ValueError, match=said):
        call(zoo)
    assert (zoo.version, zoo.doc_ids()) == (version, sorted(ZOO))


def test_chunks_are_no_hierarchies(zoo):
    chunks = RecursiveChunker(20, 0).chunk(Document("d", ZOO["cats"]))
    with pytest.raises(ValueError, match=r"hierarchies holds a Chunk; give what build_hierarchy\(document, chunkers\)"):
        zoo.add(chunks)


@pytest.mark.parametrize("metadata", [{1: 2}, {"pages": {1: "one"}}, {"list": [{"a": 1}, {True: 1}]}, {None: 1}])
def test_metadata_whose_keys_json_would_change_is_refused(zoo, metadata):
    with pytest.raises(ValueError, match=r"metadata of the document 'd' cannot be .*it has the key .*; give keys that"):
        zoo.add(hierarchy(Document("d", "some words", metadata=metadata)))
    made = hierarchy("d", "some words")
    leaves = tuple(replace(leaf, metadata=metadata) for leaf in made.leaves)
    with pytest.raises(ValueError, match="cannot be written as JSON: it has the key"):
        zoo.add(Hierarchy(made.document, (*made.levels[:-1], leaves)))
    assert zoo.doc_ids() == sorted(ZOO)


def test_metadata_without_an_end_is_refused(zoo):
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="the metadata of the document 'd' cannot be written as JSON"):
        zoo.add(hierarchy(Document("d", "some words", metadata={"deep": deep})))


# --- long text queries ------------------------------------------------------------------------------------------------


def test_a_word_counts_as_often_as_it_comes_in_a_query_of_usual_length(zoo):
    (once, *_), (thrice, *_) = zoo.search_batch(["dog", "dog dog dog"], 3, mode="text")
    assert thrice.score == pytest.approx(3 * once.score, rel=1e-5)


@pytest.mark.parametrize("separator", [" ", ",", "\n", " -- "])
def test_in_a_very_long_query_each_word_counts_once(zoo, separator):
    """So that the time is that of the different words in it, and not of all of them."""
    assert zoo.search(separator.join(["dog", "cat"] * 100_000), 9, mode="text") == zoo.search("dog cat", 9, mode="text")
    assert zoo.search(separator.join(["dog"] * 1000), 1, mode="text")[0].score > 900


# --- families ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    """Levels 0 to 3; and a hierarchy that has nothing on level 2."""
    index = Index.create(tmp_path_factory.mktemp("deep") / "index", WordHashEmbedder())
    made = [hierarchy(doc_id, text, sizes=(9, 6, 2)) for doc_id, text in ZOO.items()]
    root = Node("g", "gap", 0, 0, 9, "dog cat x")
    part, leaf = Node("g1", "gap", 1, 0, 7, "dog cat", "", "g"), Node("g3", "gap", 3, 0, 3, "dog", "", "g1")
    made.append(Hierarchy(Document("gap", root.text), ((root,), (part,), (), (leaf,))))
    index.add(made)
    return index, made


@pytest.mark.parametrize("top", [0, 1, 2, 3, 9])
def test_lineages_are_the_parents_parents_up_to_a_level(deep, top):
    index, made = deep
    nodes = {node.node_id: node for tree in made for node in tree}
    found = index.lineages(list(nodes.values()), top)
    assert list(found) == list(nodes)
    for node_id, line in found.items():
        expected, node = [], nodes[node_id]
        while node.level > top and node.parent_id is not None:
            node = nodes[node.parent_id]
            expected.append(node)
        assert [family.parent for family in line] == expected
        for family in line:
            assert family.children == sum(other.parent_id == family.parent.node_id for other in nodes.values())


@pytest.mark.parametrize("bottom", [None, 0, 1, 2, 3])
def test_descendants_are_what_lies_below_down_to_a_level(deep, bottom):
    index, made = deep
    for tree in made:
        nodes = list(tree)
        found = index.descendants(nodes, bottom)
        assert list(found) == [node.node_id for node in nodes]

        def below(node, tree=tree):
            own = [child for child in tree.children(node) if bottom is None or child.level <= bottom]
            return [each for child in own for each in (child, *below(child))]

        assert found == {node.node_id: below(node) for node in nodes}


def test_families_take_one_look_up_a_level(deep, monkeypatch):
    from lancedb.query import AsyncQueryBase

    index, made = deep
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    view = index.snapshot()
    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    view.lineages([node for tree in made for node in tree.leaves], 1)
    assert run == [2]
    view.descendants([tree.root for tree in made], 3)
    assert run == [2 + 3]
    assert (view.lineages([], 0), view.descendants([])) == ({}, {})
    assert run == [5]
