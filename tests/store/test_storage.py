import pytest

from hierrag_lessons.model import Document, Hierarchy, Node, Span
from hierrag_lessons.store import Index
from tests.fakes import ZOO, WordHashEmbedder, hierarchy

DIM = 64


def make(tmp_path, hierarchies, levels=None):
    index = Index.create(tmp_path / "index", WordHashEmbedder(DIM), language="zh")
    index.add(hierarchies, levels=levels)
    return index


@pytest.mark.parametrize("levels", [None, [1, 2], [0, 1, 2]])
def test_each_level_is_counted(tmp_path, levels):
    made = [hierarchy(name, text, context="Zoo › 动物") for name, text in ZOO.items()]
    searched = levels or [2]
    found = make(tmp_path, made, levels).storage()
    assert [row.level for row in found] == [0, 1, 2]
    for row in found:
        nodes = [node for each in made for node in each.levels[row.level]]
        texts = sum(len(node.text.encode()) for node in nodes)
        contexts = sum(len(node.context.encode()) for node in nodes)
        extra = sum(len(node.embedding_text.encode()) for node in nodes) - texts if row.level in searched else 0
        assert (row.nodes, row.vectors) == (len(nodes), len(nodes) if row.level in searched else 0)
        assert row.text_bytes == texts + contexts + extra
        assert row.vector_bytes == row.vectors * DIM * 4
        assert row.total_bytes == row.text_bytes + row.vector_bytes + row.other_bytes


def test_everything_else_is_counted_column_by_column(tmp_path):
    document = Document("雨", "雨 and rain", metadata={"a": 1})
    root = Node("雨:0", "雨", 0, 0, 10, document.text)
    summary = Node("雨:1", "雨", 1, 0, 10, "Rain.", "", "雨:0", 0, {"b": 2}, (Span(0, 1), Span(2, 10)))
    first, second = make(tmp_path, Hierarchy(document, ((root,), (summary,)))).storage()
    numbers = 4 + 8 + 8 + 4 + 4 + 1  # level, start, end, position, children, searchable
    about = len(b'{"kind": "text", "language": "en", "metadata": {"a": 1}}')
    named = len("雨:0".encode()) + len("雨".encode()) + len("0:0:雨".encode())
    assert first.other_bytes == numbers + named + len(b"{}") + about
    linked = named + len("雨:0".encode()) + len(b'{"b": 2}') + len(b"[[0, 1], [2, 10]]")
    assert second.other_bytes == numbers + linked
    assert (first.text_bytes, second.text_bytes) == (len(document.text.encode()), len(b"Rain."))


def test_a_node_without_a_direction_has_no_vector(tmp_path):
    (_, level) = make(tmp_path, hierarchy("dots", "... one ... two", sizes=[1])).storage()
    assert (level.nodes, level.vectors, level.vector_bytes) == (4, 2, 2 * DIM * 4)


def test_storage_follows_the_index_and_a_snapshot_does_not(tmp_path):
    index = make(tmp_path, [hierarchy(name, text) for name, text in ZOO.items()])
    before, snapshot = index.storage(), index.snapshot()
    index.delete(["cats"])
    after = index.storage()
    assert snapshot.storage() == before
    assert [row.nodes for row in after] == [index.count(level) for level in (0, 1, 2)]
    assert sum(row.total_bytes for row in after) < sum(row.total_bytes for row in before)
    index.delete(list(ZOO))
    assert index.storage() == []
