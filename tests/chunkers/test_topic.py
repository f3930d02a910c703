from itertools import groupby, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierrag_lessons import check_chunker
from hierrag_lessons.chunkers import (
    TopicChunker,
    TopicsRefusedError,
    distances,
    find_clusters,
    majority,
    topic_boundaries,
    topic_names,
    viterbi,
)
from hierrag_lessons.contracts.chunker import check_nesting
from hierrag_lessons.contracts.document import check_document
from hierrag_lessons.embedding import CharNgramEmbedder
from hierrag_lessons.model import Document, Span
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.text import count_tokens
from tests.fakes import WordHashEmbedder
from tests.texts import HOSTILE, texts

WORDS = WordHashEmbedder(256)
TREES = ["Apple trees need pruning.", "Pruning trees in winter suits apple growers.", "Old apple trees bear less."]
IRON = ["Iron rusts in rain.", "Rain and salt rust iron.", "Painted iron does not rust.", "Salt rain harms iron."]
STRINGS = ["A violin has four strings.", "Violin strings break.", "Tune the violin strings.", "Four violin strings."]
水 = [
    "水表每月抄读一次。",
    "抄读水表之前先核对水表。",
    "水表读数异常时重新抄读水表。",
    "抄读完毕后保存水表读数。",
    "水表读数要复核。",
]
门 = ["大门每天六点打开。", "打开大门并登记钥匙。", "大门损坏时登记钥匙。", "钥匙不得带出大门。", "大门钥匙要登记。"]
灯 = ["路灯晚上自动点亮。", "路灯线路每季检修。", "检修路灯线路先断电。", "路灯线路老化要检修。", "检修后点亮路灯。"]


def chunker(**settings) -> TopicChunker:
    return TopicChunker(**{"embedder": WORDS, "min_sentences": 1, **settings})


def text_on(*topics: list[str], times: int = 2) -> str:
    return " ".join(sentence for topic in topics for sentence in topic * times)


sizes = st.tuples(st.integers(1, 40), st.integers(0, 40)).filter(lambda pair: pair[1] <= pair[0])
ways = st.sampled_from([{}, {"smoothing": "majority"}, {"smoothing": "none", "topics": 2}, {"method": "hdbscan"}])


# --- the shared suite ------------------------------------------------------------------------------------------------


CONFIGURATIONS = [
    chunker(),
    chunker(max_size=9, min_size=0, measure=len, topics=2, smoothing="majority"),
    chunker(max_size=60, min_size=10, method="hdbscan"),
]


@pytest.mark.parametrize("made", CONFIGURATIONS, ids=["default", "two topics, majority", "hdbscan"])
def test_every_promise(made) -> None:
    check_chunker(made)


@given(text=texts, sizes=sizes, way=ways, language=st.sampled_from(["en", "zh"]))
@settings(max_examples=40)
def test_guarantees_on_any_text(text: str, sizes: tuple[int, int], way, language: str) -> None:
    document = Document("d", text, language=language)
    check_document(chunker(max_size=sizes[0], min_size=sizes[1], **way), document)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("measure", [count_tokens, len], ids=["tokens", "characters"])
def test_guarantees_on_hostile_text(text: str, measure) -> None:
    small = chunker(max_size=7, min_size=3, topics=2, measure=measure)
    check_document(small, Document("d", text))


@given(text=texts)
@settings(max_examples=15)
def test_nesting(text: str) -> None:
    check_nesting(chunker(max_size=20, min_size=5), Document("d", text), chunker(max_size=60, min_size=10))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_guarantees_on_the_corpora(language) -> None:
    made = TopicChunker(embedder=CharNgramEmbedder(256))
    for document in load_corpus(language)[::3]:
        chunks = check_document(made, document)
        assert len({"topic_refused" in chunk.metadata for chunk in chunks}) == 1
        assert all(("topic" in chunk.metadata) != ("topic_refused" in chunk.metadata) for chunk in chunks)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_size": 0}, "max_size is 0"),
        ({"min_size": 401}, "min_size is 401 with max_size 400"),
        ({"topics": 1}, "topics is 1; give 2 or more, or None"),
        ({"topics": 4, "method": "hdbscan"}, "topics is 4, but HDBSCAN"),
        ({"min_sentences": 0}, "min_sentences is 0"),
        ({"smoothing": "median"}, "smoothing is 'median'; give one of viterbi, majority, none"),
        ({"method": "spectral"}, "method is 'spectral'; give one of kmeans, hdbscan"),
        ({"switch_penalty": -0.1}, "switch_penalty is -0.1"),
        ({"switch_penalty": float("nan")}, "switch_penalty is nan"),
    ],
)
def test_impossible_settings_are_refused_when_made(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TopicChunker(**arguments)


# --- smoothing -------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 3), max_size=12), st.sampled_from([1, 3, 5]))
def test_majority_is_a_vote(labels: list[int], window: int) -> None:
    for i, found in enumerate(majority(labels, window)):
        near = [labels[j] for j in range(len(labels)) if abs(i - j) <= window // 2]
        votes = {label: near.count(label) for label in near}
        assert votes[found] == max(votes.values())
        if votes[labels[i]] == votes[found]:
            assert found == labels[i]


@pytest.mark.parametrize("window", [0, 2, -1])
def test_a_window_without_a_middle_is_refused(window: int) -> None:
    with pytest.raises(ValueError, match=f"window is {window}"):
        majority([0, 1], window)


@given(st.data(), st.integers(1, 7), st.integers(1, 3), st.integers(1, 3), st.sampled_from([0.0, 0.5, 2.0]))
def test_viterbi_is_the_best_of_all_sequences(data, n: int, topics: int, min_run: int, penalty: float) -> None:
    cell = st.integers(0, 20).map(lambda value: value / 4)
    costs = np.array(data.draw(st.lists(st.lists(cell, min_size=topics, max_size=topics), min_size=n, max_size=n)))

    def price(labels) -> float:
        return sum(costs[i, label] for i, label in enumerate(labels)) + penalty * (len(list(groupby(labels))) - 1)

    def runs(labels) -> list[int]:
        return [len(list(run)) for _, run in groupby(labels)]

    allowed = [labels for labels in product(range(topics), repeat=n) if min(runs(labels)) >= min(min_run, n)]
    found = viterbi(costs, penalty, min_run)
    assert tuple(found) in allowed
    assert price(found) == pytest.approx(min(price(labels) for labels in allowed))


def test_viterbi_refuses_what_it_cannot_do() -> None:
    assert viterbi(np.zeros((0, 3)), 1.0) == []
    with pytest.raises(ValueError, match=r"costs has the shape \(3, 0\); give a column"):
        viterbi(np.zeros((3, 0)), 0, 1)
    with pytest.raises(ValueError, match="penalty is -1; give 0 or more"):
        viterbi(np.zeros((3, 2)), -1, 1)
    with pytest.raises(ValueError, match="min_run is 0; give 1 or more"):
        viterbi(np.zeros((3, 2)), 0, 0)


# --- topics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["kmeans", "hdbscan"])
@pytest.mark.parametrize("smoothing", ["viterbi", "majority"])
def test_topics_are_found_and_cut_where_they_change(method, smoothing) -> None:
    document = Document("d", text_on(TREES, IRON, STRINGS, times=3))
    settings = {"topics": 3, "min_sentences": 3} if method == "kmeans" else {"min_sentences": 9}
    made = chunker(max_size=200, min_size=5, method=method, smoothing=smoothing, **settings)
    topics = made.find_topics(document)
    assert [label for label, _ in groupby(topics.labels)] == [0, 1, 2]
    chunks = made.chunk(document)
    assert [chunk.text.split()[0] for chunk in chunks] == ["Apple", "Iron", "A"]
    assert [chunk.metadata["topic"] for chunk in chunks] == [0, 1, 2]
    assert [chunk.context for chunk in chunks] == [topics.names[topic] for topic in range(3)]
    assert all(word in chunk.context for word, chunk in zip(["trees", "iron", "violin"], chunks, strict=True))


def test_the_silhouette_chooses_the_number_of_topics() -> None:
    noise = np.random.default_rng(0).normal(0, 0.2, (60, 5))
    for topics in (3, 4, 5):
        clusters = find_clusters(np.eye(5)[np.arange(60) % topics] + noise, None, 5, "kmeans")
        assert list(clusters.silhouettes) == [3, 4, 5, 6, 7, 8]
        assert max(clusters.silhouettes, key=clusters.silhouettes.get) == len(clusters.centers) == topics


def test_chinese_topics_have_names_that_read_as_words() -> None:
    document = Document("d", "".join([*水, *门, *灯]), language="zh")
    topics = TopicChunker(embedder=CharNgramEmbedder(), min_sentences=4, topics=3).find_topics(document)
    assert topics.labels == (0,) * 5 + (1,) * 5 + (2,) * 5
    first_words = [topics.names[topic].split("、")[0] for topic in range(3)]
    assert first_words == ["水表", "大门", "路灯"]
    for name in topics.names.values():
        words = name.split("、")
        assert all(word in document.text and len(word) > 1 for word in words)


def test_names_leave_out_what_all_topics_share_and_what_repeats() -> None:
    texts_ = [
        "The company sells meters and a meter.",
        "Meters of the company.",
        "The company pays rent.",
        "Rent rises.",
    ]
    names = topic_names(texts_, [0, 0, 1, 1], "en")
    assert names[0].startswith("meter")
    assert names[0].count("meter") == 1
    assert names[1].startswith("rent")
    assert "the" not in names[0].split(", ")
    assert topic_names(["…", "42"], [0, 1], "en") == {0: "", 1: ""}
    assert topic_names([], [], "zh") == {}


def test_small_documents_are_refused_with_a_reason_and_lose_no_text() -> None:
    document = Document("d", " ".join([*TREES, *IRON]))
    made = TopicChunker(max_size=20, min_size=0, embedder=WORDS)
    with pytest.raises(TopicsRefusedError, match="7 sentences are too few for 3 topics of 5 sentences each, 15 are"):
        made.find_topics(document)
    chunks = check_document(made, document)
    assert len(chunks) > 1
    assert all("7 sentences are too few" in str(chunk.metadata["topic_refused"]) for chunk in chunks)
    with pytest.raises(TopicsRefusedError):
        topic_boundaries(TREES, WORDS)


def test_a_text_that_repeats_itself_and_one_without_dense_groups_are_refused() -> None:
    with pytest.raises(TopicsRefusedError, match="1 different sentences are too few for 3 topics"):
        find_clusters(np.ones((30, 4)) / 2, None, 5, "kmeans")
    with pytest.raises(TopicsRefusedError, match="HDBSCAN finds 0 dense groups"):
        find_clusters(np.eye(20), None, 5, "hdbscan")


def test_within_is_read_alone() -> None:
    text = text_on(TREES, IRON, STRINGS, times=3)
    document, part = Document("d", text), Span(0, text.index("A violin"))
    assert chunker(min_sentences=30).chunk(document, part)[0].metadata["topic_refused"]
    labels = chunker(topics=2, min_sentences=3).find_topics(document, part).labels
    assert sorted(set(labels)) == [0, 1]


# --- defect 7 --------------------------------------------------------------------------------------------------------


def as_published(sentences: list[str], labels: list[int], least: int) -> list[tuple[str, int]]:
    """The published loop in short: a change that comes too early is postponed, and the label is not looked at again."""
    chunks, buffer, current = [], "", labels[0]
    for sentence, label in zip(sentences, labels, strict=True):
        if label != current and len(buffer) >= least:
            chunks.append((buffer, current))
            buffer, current = "", label
        buffer += sentence
    return [*chunks, (buffer, current)]


def test_defect_7_the_label_is_that_of_the_sentences_in_the_chunk() -> None:
    sentences = [TREES[0], *IRON, *IRON, *TREES, *TREES]
    # One sentence on trees, below the least size; then the chunk is all iron, and is still called trees. And it ends
    # where it is long enough, in the middle of the iron.
    published = as_published(sentences, [0] + [1] * 8 + [0] * 6, least=60)
    assert published[0] == (TREES[0] + IRON[0] + IRON[1], 0)
    document = Document("d", " ".join(sentences))
    made = chunker(max_size=200, min_size=12, topics=2, smoothing="none")
    topics, chunks = made.find_topics(document), made.chunk(document)
    assert topics.labels == (0,) + (1,) * 8 + (0,) * 6
    assert [chunk.metadata["topic"] for chunk in chunks] == [1, 0]
    assert chunks[0].text.endswith(IRON[-1])
    assert chunks[1].text.startswith(TREES[0])
    assert [chunk.context for chunk in chunks] == [topics.names[1], topics.names[0]]


# --- the same everywhere ---------------------------------------------------------------------------------------------


def test_the_last_bits_of_the_vectors_decide_nothing() -> None:
    rng = np.random.default_rng(0)
    vectors = np.round(np.repeat(np.eye(5), 12, axis=0) + rng.normal(0, 0.2, (60, 5)), 6)
    nudged = vectors + rng.choice([-1e-9, 1e-9], vectors.shape)
    for method in ("kmeans", "hdbscan"):
        one, other = (find_clusters(v, None, 5, method) for v in (vectors, nudged))
        assert one.silhouettes == other.silhouettes
        labels = [viterbi(distances(v, c.centers), 0.5, 5) for v, c in ((vectors, one), (nudged, other))]
        assert labels[0] == labels[1]


def test_smoothing_leaves_no_run_that_is_too_short() -> None:
    items = [d.text.replace("\n", " ") for d in load_corpus("en") if "news_" in d.doc_id][:6]
    units = [line for item in items for line in item.split(". ") if line.strip()]
    embedder = CharNgramEmbedder(512)
    raw = topic_boundaries(units, embedder, smoothing="none")
    assert min(b - a for a, b in pairwise(raw)) == 1
    for smoothing in ("viterbi", "majority"):
        smooth = topic_boundaries(units, embedder, smoothing=smoothing, min_sentences=4)
        assert 1 < len(smooth) < len(raw)
        assert min(b - a for a, b in pairwise([*smooth, len(units)])) >= 4
