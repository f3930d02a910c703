"""What is made of an object is made once, and lives no longer than the object."""

import gc
import threading
from copy import copy
from weakref import ref

import pytest

from hierrag_lessons import (
    Document,
    EntityGraphRetriever,
    FlatRetriever,
    Index,
    MultiLevelRetriever,
    NamedPlaceRetriever,
    OutlinePolicy,
    StructureChunker,
    build_hierarchy,
    make_units,
    outline,
)
from hierrag_lessons.queries.contents import contents_of
from hierrag_lessons.store.remembering import Remembers
from tests.fakes import WordHashEmbedder

USERS = {
    "every level": lambda index: MultiLevelRetriever(index).retrieve("Where does the otter of Velmora sleep?"),
    "entity graph": lambda index: EntityGraphRetriever(index).retrieve("Where does the otter of Velmora sleep?"),
    "outline": outline,
    "walk": lambda index: OutlinePolicy(index).retrieve("Where does the otter sleep?"),
    "named place": lambda index: NamedPlaceRetriever(FlatRetriever(index), index).retrieve("Article 1"),
}


def law(number):
    text = f"# Article 1 Otters\n\nThe otter of Velmora sleeps at sea. Velmora has {number} otters."
    return make_units(build_hierarchy(Document("law", text, "markdown"), [StructureChunker(40)]))


def alive(refs):
    gc.collect()
    return [each() is not None for each in refs]


@pytest.mark.parametrize("most", [100_000, 0], ids=["in memory", "too many"])
@pytest.mark.parametrize("use", USERS.values(), ids=USERS)
def test_only_the_newest_commit_stays_in_memory(tmp_path, monkeypatch, use, most):
    monkeypatch.setattr("hierrag_lessons.store.units.MOST_IN_MEMORY", most)
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    refs = []
    for number in range(3):
        index.add(law(number))
        assert use(index)
        refs += [ref(index.units()), ref(index.tree()), ref(contents_of(index))]
    assert alive(refs) == [False] * 6 + [True] * 3
    del index
    assert alive(refs) == [False] * 9


class Thing(Remembers):
    pass


def test_what_is_made_is_made_once_and_may_hold_its_object():
    thing, calls = Thing(), []

    def pair(of):
        calls.append(of)
        return [of]

    assert thing.remember(pair) is thing.remember(pair)
    assert (thing.remember(pair), thing.remember(id), len(calls)) == ([thing], id(thing), 1)
    refs = [ref(thing)]
    calls.clear()
    del thing
    assert alive(refs) == [False]


def test_a_copy_begins_with_nothing():
    thing = Thing()
    thing.name = "first"
    assert thing.remember(id) == id(thing)
    other = copy(thing)
    assert other.name == "first"
    assert other.remember(id) == id(other) != thing.remember(id)


def test_threads_that_ask_at_once_get_the_same():
    thing, both = Thing(), threading.Barrier(2, timeout=30)

    def make(of):
        both.wait()  # both are making it
        return object()

    found = []
    threads = [threading.Thread(target=lambda: found.append(thing.remember(make))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1] is thing.remember(make)
