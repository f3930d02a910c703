import pytest

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.contracts.shelf import make_shelf
from hierrag_lessons.model import Document
from hierrag_lessons.store import Index
from tests.fakes import WordChunker, WordHashEmbedder

WORDS = "one two three four five six seven eight"


def tree_of(doc_id):
    return build_hierarchy(Document(doc_id, WORDS, metadata={"year": len(doc_id)}), [WordChunker(4), WordChunker(2)])


@pytest.fixture
def index(tmp_path):
    made = Index.create(tmp_path / "index", WordHashEmbedder(), columns={"year": int})
    made.add([tree_of("b"), tree_of("aa")])
    return made


def test_all_nodes_are_there_in_order(index):
    tree, made = index.tree(), [tree_of("aa"), tree_of("b")]
    assert [list(level) for level in tree.levels] == [
        [node for hierarchy in made for node in hierarchy.levels[level]] for level in range(3)
    ]
    assert tree.documents == {hierarchy.document.doc_id: hierarchy.document for hierarchy in made}
    for hierarchy in made:
        for node in hierarchy:
            assert list(tree.children.get(node.node_id, ())) == hierarchy.children(node)
    assert [node.doc_id for node in tree.children[None]] == ["aa", "b"]
    assert tree.levels[2][0].fields == {"year": 2}


def test_it_is_read_once_for_each_commit(index):
    before = index.tree()
    assert index.tree() is before
    index.delete(["b"])
    assert index.tree() is not before
    assert list(index.tree().documents) == ["aa"]


def test_what_a_filter_lets_through_and_what_it_lies_in(index):
    tree = index.tree()
    assert tree.inside(None) is None
    assert {tree.by_id[node_id].doc_id for node_id in tree.inside({"year": 1})} == {"b"}
    leaf = tree.levels[2][-1]
    section = tree.by_id[leaf.parent_id]
    assert tree.lineage([leaf.node_id, "nowhere"]) == {leaf.node_id, section.node_id, section.parent_id}
    with pytest.raises(ValueError, match="colour"):
        tree.inside({"colour": "red"})


def test_derived_nodes_stay_out():
    shelf = make_shelf()
    assert any(node.derived for node in shelf.index.nodes(["summary"]))
    assert "summary" not in shelf.index.tree().by_id


def test_an_empty_index_has_an_empty_tree(tmp_path):
    tree = Index.create(tmp_path / "empty", WordHashEmbedder()).tree()
    assert (tree.levels, dict(tree.children), dict(tree.documents)) == ((), {}, {})
