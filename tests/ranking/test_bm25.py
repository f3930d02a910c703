"""BM25 against the library bm25s, and the scale of its scores."""

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons import BM25, count_terms

WORDS = st.sampled_from(["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=12), min_size=1, max_size=12)


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=5), st.sampled_from([0.3, 0.6, 1.2]), st.sampled_from([0, 0.75, 1]))
def test_it_is_what_bm25s_computes_on_a_scale_from_0_to_1(texts, query, k1, b):
    counts, columns = count_terms(texts)
    known = [columns[word] for word in query if word in columns]
    mine = BM25(counts, k1, b)
    peer = bm25s.BM25(k1=k1, b=b, method="lucene")
    peer.index(texts, show_progress=False)
    theirs = peer.get_scores(query)
    scale = mine.idf[known].sum() if known else 1.0
    assert mine.scores(known) * scale == pytest.approx(theirs, abs=1e-4)


@given(TEXTS, st.lists(WORDS, min_size=1, max_size=5))
def test_scores_lie_between_0_and_1_and_are_0_only_where_no_word_is(texts, query):
    counts, columns = count_terms(texts)
    scores = BM25(counts).scores([columns[word] for word in query if word in columns])
    assert ((scores >= 0) & (scores < 1)).all()
    assert (scores > 0).tolist() == [bool(set(text) & set(query)) for text in texts]


def test_counts_are_those_of_a_counter():
    counts, columns = count_terms([["b", "a", "b"], [], ["c"]])
    assert columns == {"b": 0, "a": 1, "c": 2}
    assert counts.toarray().tolist() == [[2, 1, 0], [0, 0, 0], [0, 0, 1]]


def test_nothing_to_search_and_nothing_asked():
    assert BM25(count_terms([])[0]).scores([]).shape == (0,)
    assert BM25(count_terms([["a"], ["b"]])[0]).scores([]).tolist() == [0, 0]


@pytest.mark.parametrize(("k1", "b"), [(-0.1, 0.75), (1.2, 1.1), (float("nan"), 0.5), ("1", 0.5)])
def test_impossible_parameters_are_refused(k1, b):
    with pytest.raises(ValueError, match=r"^(k1|b) is "):
        BM25(count_terms([["a"]])[0], k1, b)


def test_the_idf_of_a_term_falls_with_the_texts_that_have_it():
    counts, columns = count_terms([["a", "b"], ["a"], ["a", "c"]])
    idf = BM25(counts).idf
    assert idf[columns["a"]] < idf[columns["b"]] == idf[columns["c"]]
    assert np.isclose(idf[columns["b"]], np.log(1 + (3 - 1 + 0.5) / (1 + 0.5)))
