"""An index among processes: killed in the middle of an add, read while it is written, written by two at once."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hierrag_lessons.retrievers import ParentChildRetriever
from hierrag_lessons.store import Index
from tests.fakes import ZOO, WordHashEmbedder, hierarchy

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed with POSIX signals")


def version_of(number, leaves=300):
    """Version ``number`` of a document: every leaf says which version it is of, and odd versions are shorter."""
    return hierarchy("doc", f"version v{number} alpha beta " * (leaves - 40 * (number % 2)), sizes=(40, 4))


def start(code, *arguments):
    """Run a program in a process of its own; what it prints is read line by line."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    )


def finish(process):
    """Wait for a process and return what it printed; it must have had nothing to complain about."""
    output, errors = process.communicate(timeout=600)
    assert (process.returncode, errors) == (0, "")
    return output.split()


def assert_whole(index, versions):
    """The index holds all of one of the versions of the document, and nothing else, at every door."""
    view = index.snapshot()
    number = int(view.text("doc").split()[1][1:])
    assert number in versions
    made = version_of(number)
    assert view.nodes([node.node_id for node in made]) == list(made)
    assert view.count() == len(list(made))
    for mode in ("vector", "text", "hybrid"):
        hits = view.search(f"v{number} v{number + 1} v{number - 1}", 1000, mode=mode)
        assert {hit.node.text for hit in hits} == {f"version v{number} alpha beta"}
        assert len(hits) == len(made.leaves)
    assert len(view.children(view.parents([hits[0].node]))) == 10
    return number


KILLED_WHILE_EMBEDDING = """
import sys, time
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder
from tests.store.test_store_processes import version_of

class Slow(WordHashEmbedder):
    def encode(self, texts):
        print("embedding", flush=True)
        time.sleep(60)

Index.open(sys.argv[1], Slow()).add(version_of(2))
"""

KILLED_WHILE_WRITING = """
import sys
from types import SimpleNamespace
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder
from tests.store.test_store_processes import version_of

index = Index.open(sys.argv[1], WordHashEmbedder())
made = version_of(int(sys.argv[2]))
embedder, encode = index.embedder, index.embedder.encode

def told(texts):
    vectors = encode(texts)
    print("embedded", flush=True)
    return vectors

index.embedder = SimpleNamespace(name=embedder.name, dim=embedder.dim, encode=told)
index.add(made)
print("added", flush=True)
"""


def test_an_add_killed_while_it_embeds_leaves_the_version_before(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(version_of(1))
    child = start(KILLED_WHILE_EMBEDDING, index.path)
    assert child.stdout.readline() == "embedding\n"
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert assert_whole(Index.open(index.path, WordHashEmbedder()), {1}) == 1


def test_an_add_killed_while_it_writes_leaves_one_version(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(version_of(1))
    before = assert_whole(index, {1})
    for number, delay in enumerate((0.0, 0.01, 0.03, 0.08), start=2):
        child = start(KILLED_WHILE_WRITING, index.path, number)
        assert child.stdout.readline() == "embedded\n"
        time.sleep(delay)
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
        found = assert_whole(Index.open(index.path, WordHashEmbedder()), {before, number})
        before = assert_whole(index, {found})
    index.add(version_of(9))
    assert assert_whole(index, {9}) == 9


def test_an_embedder_that_fails_half_way_changes_nothing(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add([hierarchy(doc_id, text) for doc_id, text in ZOO.items()])
    before = index.search("the dog and the fish", 50, mode="hybrid")

    class Failing(WordHashEmbedder):
        def encode(self, texts):
            super().encode(texts[: len(texts) // 2])
            raise ConnectionError("the server has gone")

    failing = Index.open(index.path, Failing())
    with pytest.raises(ConnectionError):
        failing.add([hierarchy("dogs", "new text about dogs"), hierarchy("birds", "some birds")])
    assert index.doc_ids() == sorted(ZOO)
    assert index.search("the dog and the fish", 50, mode="hybrid") == before


WRITER = """
import sys
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder
from tests.store.test_store_processes import version_of

index = Index.open(sys.argv[1], WordHashEmbedder())
for number in range(2, 10):
    index.add(version_of(number, leaves=120))
print("written")
"""

READER = """
import sys
from hierrag_lessons.retrievers import FlatRetriever, ParentChildRetriever
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder

index = Index.open(sys.argv[1], WordHashEmbedder())
print("reading", flush=True)
seen = set()
while "v9" not in seen:
    for retriever in (FlatRetriever(index, mode="hybrid"), ParentChildRetriever(index, mode="text")):
        passages = retriever.retrieve("alpha beta", 20)
        texts = [text for p in passages for text in (p.text, *(hit.node.text for hit in p.hits))]
        versions = {word for text in texts for word in text.split() if word[1:].isdigit()}
        assert len(versions) == 1 and len(passages) > 1, (versions, len(passages))
        seen |= versions
    hits = index.search("alpha", 500)
    assert len(hits) in (120, 80) and len({hit.node.text for hit in hits}) == 1, len(hits)
print(len(seen))
"""


def test_readers_see_one_version_at_a_time_while_another_process_writes(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(version_of(1, leaves=120))
    readers = [start(READER, index.path) for _ in range(2)]
    assert [reader.stdout.readline() for reader in readers] == ["reading\n"] * 2
    writer = start(WRITER, index.path)
    assert finish(writer) == ["written"]
    assert all(int(finish(reader)[0]) > 1 for reader in readers)


ONE_OF_TWO_WRITERS = """
import sys
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder, hierarchy

index = Index.open(sys.argv[1], WordHashEmbedder())
for number in range(6):
    index.add([hierarchy(f"{sys.argv[2]}{number}", "own words " * 9), hierarchy("shared", f"by {sys.argv[2]} " * 30)])
    if number % 2:
        index.delete([f"{sys.argv[2]}{number - 1}"])
"""


def test_two_processes_write_without_losing_anything(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    writers = [start(ONE_OF_TWO_WRITERS, index.path, name) for name in ("one", "two")]
    for writer in writers:
        finish(writer)
    shared = hierarchy("shared", index.text("shared"))
    assert len(set(shared.document.text.split())) == 2
    kept = [hierarchy(f"{name}{number}", "own words " * 9) for name in ("one", "two") for number in (1, 3, 5)]
    nodes = [node for item in (*kept, shared) for node in item]
    assert index.doc_ids() == sorted(item.document.doc_id for item in (*kept, shared))
    assert index.nodes([node.node_id for node in nodes]) == nodes
    assert index.count() == len(nodes)
    assert {hit.doc_id for hit in index.search("own words", 500, mode="text")} == set(index.doc_ids()) - {"shared"}


def test_threads_write_and_read_one_index(tmp_path):
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(version_of(0, leaves=40))
    failures = []

    def attempt(work):
        try:
            for number in range(4):
                work(number)
        except Exception as error:
            failures.append(error)

    def read(number):
        hits = index.search("alpha beta", 100, mode="hybrid", where={"doc_id": "doc"})
        assert len({hit.node.text for hit in hits}) == 1

    work = [
        lambda number: index.add(version_of(2 * number, leaves=40)),
        lambda number: index.add(hierarchy(f"other {number}", "gamma delta")),
        read,
        read,
    ]
    threads = [threading.Thread(target=attempt, args=(one,)) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert index.doc_ids() == ["doc", *(f"other {number}" for number in range(4))]


def test_an_open_index_sees_commits_and_a_snapshot_does_not(tmp_path):
    writer = Index.create(tmp_path / "index", WordHashEmbedder())
    reader = Index.open(tmp_path / "index", WordHashEmbedder())
    writer.add(hierarchy("a", "one cat"))
    assert [hit.doc_id for hit in reader.search("cat")] == ["a"]
    view = reader.snapshot()
    retriever = ParentChildRetriever(view)
    writer.add(hierarchy("b", "one more cat"))
    writer.delete(["a"])
    assert [hit.doc_id for hit in reader.search("cat", mode="hybrid")] == ["b"]
    assert [passage.doc_id for passage in retriever.retrieve("cat")] == view.doc_ids() == ["a"]
    assert view.snapshot().doc_ids() == ["a"]
    for change in (lambda: view.add(hierarchy("c", "x")), lambda: view.delete(["a"])):
        with pytest.raises(ValueError, match="a snapshot only reads; add to or delete from the index"):
            change()


QUIET = """
import sys
from hierrag_lessons.retrievers import FlatRetriever, ParentChildRetriever
from hierrag_lessons.store import Index
from tests.fakes import ZOO, WordHashEmbedder, hierarchy

for language in ("en", "zh"):
    index = Index.create(sys.argv[1] + language, WordHashEmbedder(), language=language)
    index.add(hierarchy("blank", "  "))
    index.add([hierarchy(doc_id, text) for doc_id, text in ZOO.items()])
    index.add(hierarchy("blank", "?! ?!"))
    index.add([hierarchy(doc_id, text) for doc_id, text in ZOO.items()], levels=[0, 1, 2])
    for mode in ("vector", "text", "hybrid"):
        FlatRetriever(index, 1, mode).retrieve_batch(["the dog", "", "?!"])
        ParentChildRetriever(index, 2, mode=mode).retrieve_batch(["the dog", "", "?!"])
        index.explain("the dog", mode=mode)
    index.windows(index.nodes([hierarchy("cats", ZOO["cats"]).root.node_id]), 1, 1)
    index.delete(index.doc_ids())
    index.add(hierarchy("blank", "  "))
    Index.open(index.path, WordHashEmbedder())
print("done")
"""


def test_nothing_is_written_to_the_terminal(tmp_path):
    process = start(QUIET, tmp_path / "index")
    assert finish(process) == ["done"]
