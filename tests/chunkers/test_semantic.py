import os
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierrag_lessons import check_chunker
from hierrag_lessons.chunkers import (
    OptimalSemanticChunker,
    SemanticChunker,
    cues,
    optimal_boundaries,
    semantic_boundaries,
    sentence_vectors,
)
from hierrag_lessons.chunkers.semantic.greedy import greedy_starts, threshold
from hierrag_lessons.chunkers.semantic.novelty import novelty
from hierrag_lessons.chunkers.semantic.optimal import best_starts, cut_rewards, objective
from hierrag_lessons.contracts.chunker import check_nesting
from hierrag_lessons.contracts.document import check_document
from hierrag_lessons.embedding import CharNgramEmbedder, default_embedder
from hierrag_lessons.evaluation import pk
from hierrag_lessons.model import Document, Span
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.reading.jsonl import read_lines
from hierrag_lessons.text import count_tokens, split_sentences
from tests.fakes import WordHashEmbedder
from tests.texts import HOSTILE, texts

MAKERS = {"greedy": SemanticChunker, "optimal": OptimalSemanticChunker}
MEASURES = {"tokens": count_tokens, "characters": len, "bytes": lambda text: len(text.encode("utf-8", "surrogatepass"))}
WORDS = WordHashEmbedder()

FRUIT = ["Apples and pears ripen in autumn.", "Pears keep longer than apples.", "Ripe apples smell of autumn pears."]
SHIPS = ["The ship left the harbour at night.", "A storm drove the ship north.", "Sailors love a harbour in a storm."]
ZH_RAIN = ["今天下雨，雨水很大。", "雨水淹没了街道，下雨的街道没有人。", "街道上的雨水到晚上才退。"]
ZH_FOOD = ["面条要煮八分钟。", "煮面条的锅要大。", "大锅煮出的面条好吃。"]

sizes = st.tuples(st.integers(1, 40), st.integers(0, 40)).filter(lambda pair: pair[1] <= pair[0])


@pytest.fixture(params=MAKERS.values(), ids=MAKERS, scope="module")
def make(request):
    return request.param


@pytest.fixture(params=MEASURES.values(), ids=MEASURES, scope="module")
def measure(request):
    return request.param


class Given:
    """An embedder that returns the vectors that it was given."""

    name, dim = "given", 2

    def __init__(self, vectors) -> None:
        self.vectors = np.asarray(vectors, dtype=np.float32)

    def encode(self, units) -> np.ndarray:
        return self.vectors[: len(units)]


# The guarantees of all chunkers


@pytest.mark.parametrize(("max_size", "min_size", "repeated"), [(400, 100, 0), (30, 8, 1), (4, 0, 0)])
def test_every_promise(make, max_size: int, min_size: int, repeated: int) -> None:
    check_chunker(make(max_size, min_size, overlap_sentences=repeated, embedder=WORDS))


@settings(max_examples=60)
@given(text=texts, sizes=sizes, overlap=st.integers(0, 2))
def test_guarantees_on_any_text(make, measure, text: str, sizes: tuple[int, int], overlap: int) -> None:
    max_size, min_size = sizes
    chunker = make(max_size, min_size, overlap_sentences=overlap, embedder=WORDS, measure=measure)
    document = Document("d", text)
    check_document(chunker, document)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("max_size", [1, 7, 50])
def test_guarantees_on_hostile_text(make, measure, text: str, max_size: int) -> None:
    for embedder in (WORDS, CharNgramEmbedder(64)):
        chunker = make(max_size, max_size // 3, overlap_sentences=1, embedder=embedder, measure=measure)
        document = Document("d", text)
        check_document(chunker, document)


@settings(max_examples=40)
@given(text=texts, sizes=sizes)
def test_nesting(make, text: str, sizes: tuple[int, int]) -> None:
    coarse = make(60, 10, overlap_sentences=1, embedder=WORDS)
    check_nesting(make(*sizes, embedder=WORDS), Document("d", text), coarse)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_guarantees_on_the_corpora(make, language: str) -> None:
    embedder = CharNgramEmbedder(256)
    for document in load_corpus(language):
        chunks = check_document(make(200, 50, embedder=embedder), document)
        small = [chunk for chunk in chunks if count_tokens(chunk.text) < 50]
        assert len(small) <= 1 + 0.05 * len(chunks)


def test_chinese_uses_the_course_s_embedder_and_keeps_sentences_whole(make) -> None:
    handbook = next(d for d in load_corpus("zh") if d.doc_id == "zh/technical_handbook")
    chunks = check_document(make(300, 80), handbook)
    ends = {span.end for span in split_sentences(handbook.text)}
    assert sum(chunk.end in ends for chunk in chunks) >= 0.95 * len(chunks)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_size": 0, "min_size": 0}, "max_size is 0"),
        ({"max_size": 10, "min_size": 11}, "min_size is 11 with max_size 10"),
        ({"min_size": -1}, "min_size is -1"),
        ({"overlap_sentences": -1}, "overlap_sentences is -1"),
        ({"window": 0}, "window is 0"),
    ],
)
def test_impossible_parameters_are_refused_when_made(make, arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rule": "mean"}, "rule is 'mean'; give one of deviation, percentile, absolute"),
        ({"rule": "percentile", "level": 101}, "level is 101; give a number from 0 to 100"),
        ({"smoothing": 2}, "smoothing is 2"),
    ],
)
def test_impossible_rules_are_refused_when_made(arguments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SemanticChunker(**arguments)


def test_an_impossible_price_is_refused_when_made() -> None:
    for price in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match=f"price is {price}"):
            OptimalSemanticChunker(price=price)


# Where it cuts


@pytest.mark.parametrize(("one", "other", "joint"), [(FRUIT, SHIPS, " "), (ZH_RAIN, ZH_FOOD, "")], ids=["en", "zh"])
def test_the_cut_falls_where_the_topic_turns(make, one, other, joint: str) -> None:
    document = Document("d", joint.join([*one, *other]))
    embedder = WORDS if joint else CharNgramEmbedder()
    chunks = make(60, 5, embedder=embedder).chunk(document)
    assert [chunk.text for chunk in chunks] == [joint.join(one), joint.join(other)]


def test_limits_win_over_meaning(make) -> None:
    document = Document("d", " ".join(FRUIT + SHIPS))
    together = make(count_tokens(document.text), count_tokens(document.text) - 1, embedder=WORDS).chunk(document)
    assert [chunk.span for chunk in together] == [document.span]
    sentence = max(count_tokens(text) for text in FRUIT + SHIPS)
    assert len(make(sentence, 0, embedder=WORDS).chunk(document)) == 6


def test_a_text_without_any_turn_is_still_cut_at_max_size(make) -> None:
    # Peers have no hard maximum: where every sentence is alike, nothing is novel and the whole text is one chunk.
    document = Document("d", "The pump runs at full load. " * 2000)
    chunks = check_document(make(200, 50, embedder=WORDS), document)
    assert all(count_tokens(chunk.text) >= 50 for chunk in chunks)


def test_a_peak_that_would_leave_a_crumb_behind_it_is_no_cut() -> None:
    # The run from 0 is full at the peak before unit 8, but the two units after it are below the minimum.
    scores = np.array([0, 0.1, 0.1, 0.1, 0.1, 0.3, 0.1, 0.1, 0.9, 0.1])
    assert greedy_starts(scores, 0.5, lambda i, j: j - i, min_size=3, max_size=8) == [0, 5]


def test_novelty_by_hand() -> None:
    vectors = np.array([[1, 0], [1, 0], [0, 1], [0.6, 0.8]], dtype=float)
    assert novelty(vectors, window=1).tolist() == [0, 0, 1, 0.2]
    after = np.array([0.6, 1.8]) / np.hypot(0.6, 1.8)
    assert novelty(vectors, window=2)[2] == round(1 - after[0], 6)
    assert novelty(vectors, window=1, smoothing=3).tolist() == pytest.approx([0, 1 / 3, 0.4, 1.4 / 3], abs=1e-6)
    assert novelty(vectors[:1]).tolist() == [0]
    assert novelty(vectors[:0]).tolist() == []


@given(st.integers(0, 12), st.integers(1, 4), st.integers(0, 10**6))
def test_novelty_is_that_of_the_window_means(n: int, window: int, seed: int) -> None:
    vectors = np.random.default_rng(seed).normal(size=(n, 3))
    values = novelty(vectors, window)
    for i in range(1, n):
        before, after = vectors[max(0, i - window) : i].mean(axis=0), vectors[i : i + window].mean(axis=0)
        cosine = before @ after / np.linalg.norm(before) / np.linalg.norm(after)
        assert values[i] == pytest.approx(1 - cosine, abs=2e-6)


def test_defect_6_the_window_before_a_gap_holds_nothing_after_it() -> None:
    # In the published code the mean of "earlier" sentences takes in the sentence itself and the next one, so that a
    # sentence is compared with itself and a turn looks smaller than it is.
    turn = np.array([[1, 0]] * 4 + [[0, 1]] * 4, dtype=float)
    assert novelty(turn, window=2)[4] == 1
    for i in range(8):
        other = turn.copy()
        other[i] = [-0.8, 0.6]
        changed = {gap for gap in range(8) if novelty(other, 2)[gap] != novelty(turn, 2)[gap]}
        assert changed <= set(range(max(1, i - 1), min(8, i + 3)))


def test_defect_6_the_overlap_is_there(make) -> None:
    # In the published code the branch for overlap puts nothing of the last chunk into the next one.
    document = Document("d", " ".join(FRUIT + SHIPS))
    first, second = make(60, 5, overlap_sentences=1, embedder=WORDS).chunk(document)
    assert first.text == " ".join(FRUIT)
    assert second.text == " ".join([FRUIT[-1], *SHIPS])


def test_overlap_is_whole_sentences_and_keeps_to_max_size(make) -> None:
    document = next(d for d in load_corpus("en") if d.doc_id == "en/annual_report")
    document = Document("d", document.text[:40_000])
    sentences = set(split_sentences(document.text))
    plain = make(120, 30, embedder=WORDS).chunk(document)
    overlapping = make(120, 30, overlap_sentences=2, embedder=WORDS).chunk(document)
    check_document(make(120, 30, overlap_sentences=2, embedder=WORDS), document)
    assert [chunk.end for chunk in plain] == [chunk.end for chunk in overlapping]
    repeated = [Span(b.start, a.end) for a, b in pairwise(overlapping) if b.start < a.end]
    assert len(repeated) > 0.5 * len(plain)
    starts = {start for start, _ in sentences}
    assert sum(start in starts for start, _ in repeated) >= 0.95 * len(repeated)


def test_thresholds() -> None:
    scores = np.array([0, 0.2, 0.4, 0.6])
    assert threshold(scores, "deviation", 1.0) == pytest.approx(0.4 + np.std([0.2, 0.4, 0.6]), abs=1e-6)
    assert threshold(scores, "percentile", 50) == 0.4
    assert threshold(scores, "absolute", 0.7) == 0.7
    assert threshold(scores[:1], "deviation", 0.8) == 0.8


def test_the_curve_shows_the_cuts() -> None:
    document = Document("d", " ".join(FRUIT + SHIPS))
    chunker = SemanticChunker(60, 5, embedder=WORDS)
    curve = chunker.curve(document)
    assert [document.text[start:end] for start, end in curve.units] == FRUIT + SHIPS
    assert len(curve.scores) == 6
    assert curve.starts == (0, 3)
    assert curve.scores[3] == max(curve.scores) > curve.threshold
    assert [chunk.start for chunk in chunker.chunk(document)] == [curve.units[i].start for i in curve.starts]


def test_words_that_refer_back_speak_against_a_cut_and_questions_for_one() -> None:
    units = [
        "It rains.",
        "It pours.",
        "Do you like cats?",
        "I do.",
        "“However, it rains.",
        "因此停工。",
        "你好吗？”",
        "好。",
    ]
    assert cues(units).tolist() == pytest.approx([0, -0.2, 0.15, -0.15, -0.2, -0.2, 0.15, -0.15])


def test_what_all_sentences_share_is_taken_off() -> None:
    shared = np.array([[1, 0, 0]] * 20) + 0.2 * np.array([[0, 1, 0], [0, 0, 1]] * 10)
    rows = Given(shared / np.linalg.norm(shared, axis=1, keepdims=True))
    vectors = sentence_vectors(["x"] * 20, rows)
    assert vectors[0] @ vectors[1] < 0.8 < rows.vectors[0] @ rows.vectors[1]
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)


def test_a_sentence_without_any_vector_does_no_harm() -> None:
    vectors = sentence_vectors(["a", "b", "c"], Given([[1, 0], [0, 0], [0, 1]]))
    assert vectors[1].tolist() == [0, 0]
    assert np.isfinite(novelty(vectors)).all()
    assert sentence_vectors([], Given([])).shape[0] == 0


# Boundaries without sizes


@pytest.mark.parametrize("boundaries", [semantic_boundaries, optimal_boundaries])
def test_boundaries_of_lists_of_units(boundaries) -> None:
    assert boundaries([], WORDS) == []
    assert boundaries(["one"], WORDS) == [0]
    assert boundaries(["the same"] * 30, WORDS) == [0]
    starts = boundaries([*FRUIT, *SHIPS, *FRUIT], WORDS)
    assert starts == [0, 3, 6]


def test_max_units_bounds_the_segments() -> None:
    starts = optimal_boundaries([*FRUIT, *SHIPS] * 5, WORDS, max_units=2)
    assert max(b - a for a, b in pairwise([*starts, 30])) <= 2
    with pytest.raises(ValueError, match="max_units is 0"):
        optimal_boundaries(FRUIT, WORDS, max_units=0)


# The search


def _size(lengths):
    return lambda i, j: int(sum(lengths[i:j]))


@st.composite
def problems(draw, n_max: int):
    n = draw(st.integers(1, n_max))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    vectors = rng.normal(size=(n, 3)) + draw(st.sampled_from([0, 1, 3])) * np.repeat(rng.normal(size=(n, 3)), 3, 0)[:n]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rewards = np.round(np.append(0, rng.normal(size=n - 1)), 6)
    max_size = draw(st.integers(5, 25))
    lengths = rng.integers(1, 6, size=n).tolist()
    return vectors, rewards, lengths, draw(st.integers(0, max_size)), max_size, draw(st.sampled_from([0.5, 1.5, 2.5]))


def _rank(problem, starts):
    """Fewest chunks below the minimum first, then the largest objective."""
    vectors, rewards, lengths, min_size, _, price = problem
    runs = pairwise([*starts, len(vectors)])
    small = sum(sum(lengths[i:j]) < min_size for i, j in runs)
    return -small, round(objective(vectors, rewards, starts, price), 4)


def _fits(problem, starts):
    return all(sum(problem[2][i:j]) <= problem[4] for i, j in pairwise([*starts, len(problem[0])]))


def _solve(problem):
    vectors, rewards, lengths, min_size, max_size, price = problem
    return best_starts(vectors, rewards, _size(lengths), min_size, max_size, price)


@given(problems(9))
def test_optimal_is_the_best_of_all_divisions(problem) -> None:
    n = len(problem[0])
    divisions = ([0, *cuts] for k in range(n) for cuts in combinations(range(1, n), k))
    best = max(_rank(problem, starts) for starts in divisions if _fits(problem, starts))
    found = _solve(problem)
    assert _fits(problem, found)
    assert _rank(problem, found) == best


@given(problems(60))
def test_optimal_is_never_below_greedy(problem) -> None:
    _, rewards, lengths, min_size, max_size, _ = problem
    greedy = greedy_starts(rewards, 0.8, _size(lengths), min_size, max_size)
    assert _fits(problem, greedy)
    assert _rank(problem, _solve(problem)) >= _rank(problem, greedy)


def test_optimal_is_above_greedy_on_the_corpora() -> None:
    gains = []
    for document in load_corpus("zh"):
        greedy, optimal = SemanticChunker(200, 0), OptimalSemanticChunker(200, 0)
        curve = greedy.curve(document)
        units = [document.text[start:end] for start, end in curve.units]
        vectors = sentence_vectors(units, default_embedder("zh"))
        rewards = cut_rewards(units, vectors, 2)
        index = {span.start: i for i, span in enumerate(curve.units)}
        starts = [index[chunk.start] for chunk in optimal.chunk(document)]
        gains.append(objective(vectors, rewards, starts, 2.5) - objective(vectors, rewards, list(curve.starts), 2.5))
    assert min(gains) > -1e-3
    assert sum(gains) > 10


# With the course's own model


@pytest.mark.slow
def test_news_glued_together_are_parted_again() -> None:
    news = [document for document in load_corpus("en") if "/news_" in document.doc_id]
    units, starts = list[str](), list[int]()
    for document in news[:10]:
        starts.append(len(units))
        units += [document.text[start:end] for start, end in split_sentences(document.text)]
    embedder = default_embedder("en")
    for boundaries in (semantic_boundaries, optimal_boundaries):
        assert len(set(starts) & set(boundaries(units, embedder))) >= 7


@pytest.mark.slow
def test_guarantees_with_the_english_model(make) -> None:
    call = next(d for d in load_corpus("en") if d.doc_id == "en/earnings_call")
    document = Document("call", call.text[:8_000])
    check_document(make(200, 50), document)


@pytest.mark.slow
@pytest.mark.skipif("HIERRAG_BENCH" not in os.environ, reason="HIERRAG_BENCH does not name the public data sets")
@pytest.mark.parametrize(("name", "bound"), [("choi-3-11", 0.12), ("tiage", 0.4), ("wiki50", 0.42)])
def test_public_segments_are_found(name: str, bound: float) -> None:
    records = [record for _, record in read_lines(Path(os.environ["HIERRAG_BENCH"]) / name / "segments.jsonl")]
    embedder = default_embedder("en")
    errors = [
        pk(len(record["units"]), record["starts"], optimal_boundaries(record["units"], embedder))
        for record in records[:100]
    ]
    assert np.mean(errors) < bound


@pytest.mark.parametrize("value", [None, "x", float("nan"), float("inf")])
def test_levels_and_prices_are_numbers(value):
    for rule in ("deviation", "percentile", "absolute"):
        with pytest.raises(ValueError, match=f"level is '?{value}'?; give a finite number"):
            SemanticChunker(rule=rule, level=value)
    with pytest.raises(ValueError, match=f"price is '?{value}'?; give a finite number"):
        OptimalSemanticChunker(price=value)


@pytest.mark.parametrize("value", [0, -1, 1.5, "x"])
def test_a_limit_of_units_is_called_by_its_name(value):
    with pytest.raises(ValueError, match=f"max_units is '?{value}'?; "):
        optimal_boundaries(["a", "b"], CharNgramEmbedder(dim=64), max_units=value)
