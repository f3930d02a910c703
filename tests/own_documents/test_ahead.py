"""All texts embedded in one pass, with the time that it takes, and what an interruption leaves."""

from types import SimpleNamespace

import pytest

from hierrag_lessons import long_work
from hierrag_lessons.embedding import CachedEmbedder
from hierrag_lessons.model import Document
from hierrag_lessons.own_documents import ahead
from hierrag_lessons.own_documents.ahead import embed_ahead
from hierrag_lessons.own_documents.compare import compare_methods
from hierrag_lessons.own_documents.kept_index import kept_index
from hierrag_lessons.own_documents.methods import own_methods
from hierrag_lessons.store import temporary_index
from hierrag_lessons.store.rows import embedded_texts
from tests.fakes import WordHashEmbedder
from tests.own_documents.sample import TOPICS, documents, questions

TEXTS = [f"Sentence {n} of {'many ' * (n % 7)}words." for n in range(300)]


@pytest.fixture
def cached(tmp_path):
    return CachedEmbedder(WordHashEmbedder(), tmp_path / "cache.sqlite")


def asked_of(cached):
    return [text for call in cached.embedder.calls for text in call]


def test_each_text_is_embedded_once_and_never_again(cached):
    assert embed_ahead([*TEXTS, *TEXTS], cached, print) == 300
    assert sorted(asked_of(cached)) == sorted(TEXTS)
    assert embed_ahead(iter(TEXTS), cached, print) == 0
    assert len(asked_of(cached)) == 300


def test_without_a_cache_nothing_is_embedded_for_nothing():
    embedder = WordHashEmbedder()
    assert embed_ahead(TEXTS, embedder, print) == 0
    assert embedder.calls == []


def test_one_batch_is_timed_and_the_rest_is_told(cached, monkeypatch):
    now, lines = [0.0], []
    monkeypatch.setattr(ahead, "time", SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr(ahead, "is_shown", lambda: False)
    encode = WordHashEmbedder.encode

    def slow(self, texts):
        now[0] += sum(map(len, texts)) / 10 if len(texts) > 1 else 1000.0  # the model is loaded with the first text
        return encode(self, texts)

    monkeypatch.setattr(WordHashEmbedder, "encode", slow)
    embed_ahead(TEXTS, cached, lines.append)
    effort = sum(map(len, TEXTS)) / 10
    assert len(lines) == 4  # five batches
    done = int(lines[0].removeprefix("embedded ").split(" of 300 texts; the others take about ")[0])
    assert done in (65, 44)
    said = [line.split("about ")[1].removesuffix(" on this machine") for line in lines]
    assert said[0] == long_work.spoken(effort - sum(map(len, asked_of(cached)[:done])) / 10)
    assert len(set(said)) == 4
    monkeypatch.setattr(ahead, "is_shown", lambda: True)
    cached.path = cached.path.with_name("other.sqlite")
    embed_ahead(TEXTS, cached, lines.append)
    assert len(lines) == 5  # the sentence before it; what follows is drawn


def test_an_interruption_loses_no_batch_that_was_done(cached, monkeypatch):
    encode = WordHashEmbedder.encode

    def stop(self, texts):
        if len(self.calls) == 3:
            raise KeyboardInterrupt
        return encode(self, texts)

    monkeypatch.setattr(WordHashEmbedder, "encode", stop)
    with pytest.raises(KeyboardInterrupt):
        embed_ahead(TEXTS, cached, print)
    monkeypatch.undo()
    done = len(asked_of(cached))
    assert done > 64
    assert embed_ahead(TEXTS, cached, print) == 300 - done
    assert sorted(asked_of(cached)) == sorted(TEXTS)


def test_what_is_embedded_ahead_is_what_an_index_embeds():
    [document] = documents(TOPICS[:1])
    for method in own_methods().values():
        embedder, tree = WordHashEmbedder(), method.cut(document)
        with temporary_index([tree], embedder=embedder):
            assert sorted(text for call in embedder.calls for text in call) == sorted(embedded_texts(tree, "en"))


def test_a_comparison_embeds_documents_in_one_pass(tmp_path, monkeypatch):
    monkeypatch.setattr(ahead, "is_shown", lambda: True)
    docs = documents(TOPICS[:3])
    asked, lines = questions(docs), []
    cached = CachedEmbedder(WordHashEmbedder(), tmp_path / "cache.sqlite")
    compare_methods(docs, asked, budget=1000, embedder=cached, progress=lines.append)
    embedded = asked_of(cached)
    assert len(embedded) == len(set(embedded))
    late = {question.question for question in asked}
    first_late = min(embedded.index(text) for text in late)
    assert set(embedded[first_late:]) <= late, "only questions are embedded when the methods are measured"
    [said] = [place for place, line in enumerate(lines) if "the others take about" in line]
    assert said < min(place for place, line in enumerate(lines) if line.startswith("method "))


def test_a_kept_index_is_made_in_one_pass_too(tmp_path, cached):
    docs = [Document(f"{n}.txt", " ".join(TEXTS[30 * n : 30 * n + 30])) for n in range(10)]
    lines = []
    kept_index(docs, tmp_path / "kept", cached, "en", tell=lines.append)
    assert any("the others take about" in line for line in lines)
    assert len(asked_of(cached)) == len(set(asked_of(cached)))
