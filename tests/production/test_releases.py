import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hierrag_lessons.chunkers import SentenceChunker, build_hierarchy
from hierrag_lessons.embedding import CharNgramEmbedder
from hierrag_lessons.model import Document
from hierrag_lessons.production import Releases
from hierrag_lessons.retrievers import FlatRetriever

OLD, NEW = CharNgramEmbedder(64), CharNgramEmbedder(128)


@pytest.fixture
def releases(tmp_path):
    return Releases(tmp_path / "indexes")


def test_the_old_index_answers_until_the_switch(releases, hierarchy):
    first = releases.build([hierarchy], OLD)
    releases.activate(first)
    reader = FlatRetriever(releases.current(OLD))
    second = releases.build([hierarchy], NEW)
    assert (releases.active, releases.names) == (first, [first, second])
    releases.activate(second)
    assert releases.current(NEW).embedder.dim == 128
    assert reader.retrieve("dogs", k=1)  # opened before the switch
    releases.activate(first)
    assert releases.current(OLD).embedder.dim == 64


def test_another_model_is_refused_and_does_not_answer_nonsense(releases, hierarchy):
    releases.activate(releases.build([hierarchy], OLD))
    with pytest.raises(ValueError, match=r"made with|embedder"):
        releases.current(NEW)


def test_what_is_broken_off_leaves_nothing_and_takes_no_name(releases, hierarchy, tmp_path):
    class Broken(CharNgramEmbedder):
        def encode(self, texts):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        releases.build([hierarchy], Broken(64))
    assert releases.names == []
    assert [path.name for path in (tmp_path / "indexes").iterdir()] == ["building.lock"]
    assert releases.build([hierarchy], OLD) == "0001"


def test_a_crash_in_the_middle_is_built_over(releases, hierarchy, tmp_path):
    (tmp_path / "indexes" / "building-0001" / "half").mkdir(parents=True)
    assert releases.names == []
    assert releases.build([hierarchy], OLD) == "0001"


def test_of_two_builds_at_once_the_second_is_told_to_wait(releases, hierarchy):
    begun, go_on = threading.Event(), threading.Event()

    class Slow(CharNgramEmbedder):
        def encode(self, texts):
            begun.set()
            go_on.wait(60)
            return super().encode(texts)

    with ThreadPoolExecutor() as pool:
        first = pool.submit(releases.build, [hierarchy], Slow(64))
        assert begun.wait(60)
        with pytest.raises(
            BlockingIOError, match=r"another process builds an index in .*indexes; wait until it is done"
        ):
            releases.build([hierarchy], NEW)
        go_on.set()
        assert first.result() == "0001"
    assert releases.build([hierarchy], NEW) == "0002"
    assert releases.open("0001", OLD).embedder.dim == 64


def test_the_active_one_is_not_removed(releases, hierarchy):
    first, second = releases.build([hierarchy], OLD), releases.build([hierarchy], OLD)
    releases.activate(second)
    with pytest.raises(ValueError, match="name is '0002', and this index is asked; activate another one first"):
        releases.remove(second)
    releases.remove(first)
    assert releases.names == [second]
    assert releases.build([hierarchy], OLD) == "0003"


def test_before_the_first_there_is_none(releases):
    assert (releases.names, releases.active) == ([], None)
    with pytest.raises(ValueError, match="no index in 'indexes' is active"):
        releases.current(OLD)
    with pytest.raises(ValueError, match="name is '0001'"):
        releases.activate("0001")


def test_updates_and_deletes_are_commits_of_one_index(releases, hierarchy):
    releases.activate(releases.build([hierarchy], OLD))
    index = releases.current(OLD)
    changed = build_hierarchy(Document("pets", "Parrots talk."), [SentenceChunker(), SentenceChunker()])
    index.add(changed)
    assert FlatRetriever(releases.current(OLD)).retrieve("cats", k=5)[0].text == "Parrots talk."
    index.delete(["pets"])
    assert releases.current(OLD).doc_ids() == []
