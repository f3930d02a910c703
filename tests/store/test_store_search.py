import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from lancedb.query import AsyncQueryBase

from hierrag_lessons.model import Document, Hierarchy, Hit, Node, sort_key
from hierrag_lessons.ranking import z_score_fusion
from hierrag_lessons.store import Index, Outline
from hierrag_lessons.store.search import without_noise
from tests.fakes import ZOO, WordHashEmbedder, hierarchy
from tests.texts import HOSTILE

MODES = ("vector", "text", "hybrid")
NASTY = [
    "x' OR '1'='1",
    "x') OR 1=1 --",
    'say "hi"; DROP TABLE nodes',
    "100% _real_",
    "back\\slash\\",
    "new\nline\ttab",
    "报告/2024（终稿）",
    "`level` = 0",
    "nul\x00escape\x10\x1b",
    "lone \ud800 surrogate",
    "a:1:0:0-5",
]


def built(folder, hierarchies, language="en", levels=None):
    index = Index.create(folder, WordHashEmbedder(), language=language)
    index.add(hierarchies, levels=levels)
    return index


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    return built(tmp_path_factory.mktemp("zoo") / "index", [hierarchy(doc_id, text) for doc_id, text in ZOO.items()])


@pytest.fixture(scope="module")
def nasty(tmp_path_factory):
    documents = [hierarchy(doc_id, f"shared words of number {i}", sizes=(3, 1)) for i, doc_id in enumerate(NASTY)]
    return built(tmp_path_factory.mktemp("nasty") / "index", documents)


@pytest.fixture
def queries_run(monkeypatch):
    """The number of table queries so far, as a list with one number."""
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    return run


def cosine_ranking(nodes, query):
    """What a vector search must find, from the definition of the cosine."""
    vectors = WordHashEmbedder().encode([node.embedding_text for node in nodes]).astype(np.float64)
    wanted = WordHashEmbedder().encode([query])[0].astype(np.float64)
    scored = [(node, float(vector @ wanted)) for node, vector in zip(nodes, vectors, strict=True) if vector.any()]
    return sorted((Hit(node, round(score, 6)) for node, score in scored), key=sort_key) if wanted.any() else []


def bm25_ranking(nodes, query, k1=1.2, b=0.75):
    """BM25 (Robertson et al. 1994) with the parameters that LanceDB uses, on words that no stemmer changes."""
    words = [node.embedding_text.lower().split() for node in nodes]
    mean = sum(map(len, words)) / max(1, len(words))
    scores = Counter()
    for term in query.lower().split():
        holders = sum(term in own for own in words)
        weight = math.log(1 + (len(words) - holders + 0.5) / (holders + 0.5))
        for node, own in zip(nodes, words, strict=True):
            if count := own.count(term):
                scores[node.node_id] += weight * count * (k1 + 1) / (count + k1 * (1 - b + b * len(own) / mean))
    return sorted((Hit(node, scores[node.node_id]) for node in nodes if node.node_id in scores), key=sort_key)


def assert_ranked(found, expected, k, tolerance=1e-4):
    """``found`` is a right top ``k``: sorted, right scores, and nothing better left out."""
    scores = {hit.node.node_id: hit.score for hit in expected}
    assert len(found) == min(k, len(expected))
    assert found == sorted(found, key=sort_key)
    assert all(hit.score == pytest.approx(scores[hit.node.node_id], abs=tolerance) for hit in found)
    assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected[:k]], abs=tolerance)


# Ties


def test_float_noise_makes_no_difference():
    noisy = np.array([7.0000021, 7.0, 6.9999985, 6.9, 6.8999985, 0.5])
    assert without_noise(noisy).tolist() == [7.0000021] * 3 + [6.9] * 2 + [0.5]
    assert without_noise(np.array([0.5000001, 0.5, 0.49, -0.2])).tolist() == [0.5000001, 0.5000001, 0.49, -0.2]
    assert without_noise(np.array([1.0])).tolist() == [1.0]
    assert without_noise(np.array([])).tolist() == []


@given(st.lists(st.floats(-1, 30), min_size=1, max_size=30))
def test_only_noise_is_taken_away(values):
    scores = np.array(sorted(values, reverse=True))
    levels = without_noise(scores)
    assert (np.diff(levels) <= 0).all()
    assert (levels >= scores).all()
    for (high, low), (first, second) in zip(pairwise(scores), pairwise(levels), strict=True):
        assert (first == second) == (high - low <= 2e-6 * max(1.0, scores[0]))


# Vector search


@pytest.mark.parametrize("k", [1, 3, 8, 9, 500])
def test_vector_search_is_exact(zoo, k):
    nodes = [node for doc_id, text in ZOO.items() for node in hierarchy(doc_id, text).leaves]
    for query in ("a running dog", "deep blue fish and cat", "the"):
        found, expected = zoo.search(query, k), cosine_ranking(nodes, query)[:k]
        assert [hit.node for hit in found] == [hit.node for hit in expected]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=2e-6)


def test_vector_search_is_exact_on_thousands(tmp_path):
    random = np.random.default_rng(5)
    words = [f"w{i}" for i in range(400)]
    documents = [hierarchy(f"d{i:02}", " ".join(random.choice(words, 600)), sizes=(40, 5)) for i in range(20)]
    index = built(tmp_path / "index", documents)
    nodes = [node for document in documents for node in document.leaves]
    assert len(nodes) == index.count(2) == 2400
    queries = [" ".join(random.choice(words, 6)) for _ in range(10)]
    for query, hits in zip(queries, index.search_batch(queries, 20), strict=True):
        assert_ranked(hits, cosine_ranking(nodes, query), 20, tolerance=2e-6)
        assert hits == index.search(query, 20)


def test_a_vector_of_zeros_has_no_neighbours_and_is_no_neighbour(zoo, tmp_path):
    assert zoo.search("?!", 5) == []
    assert zoo.search_batch(["?!", "cat", "…"], 1)[1] == zoo.search("cat", 1)
    index = built(tmp_path / "index", hierarchy("doc", "!!! ??? words", sizes=(1,)))
    assert [hit.node.text for hit in index.search("words", 9)] == ["words"]


# Text search


def test_text_search_is_bm25(tmp_path):
    random = np.random.default_rng(2)
    words = ["zebra", "lion", "tiger", "panda", "koala", "otter", "gecko", "moth"]
    made = [hierarchy(f"d{i}", " ".join(random.choice(words, 1 + 5 * i)), sizes=(7, 3)) for i in range(8)]
    index = built(tmp_path / "index", made)
    nodes = [node for document in made for node in document.leaves]
    for query in ("zebra", "lion tiger", "moth gecko otter"):
        expected = bm25_ranking(nodes, query)
        assert len(expected) > 5
        assert_ranked(index.search(query, 500, mode="text"), expected, 500, tolerance=2e-4)


def test_english_words_are_folded_and_stemmed(zoo):
    def found(query):
        return {hit.node.text for hit in zoo.search(query, 50, mode="text")}

    assert found("RUNNING") == found("run") == found("runs") != set()
    assert found("Čat") == found("cats") == found("cat") != set()


@pytest.mark.parametrize("query", ["", "  \n", "the of and", "!?…", "🙂", "你好", "qqqq", "\x00", "\ud800", "x" * 5000])
def test_text_search_without_a_known_word_finds_nothing(zoo, query):
    assert zoo.search(query, 5, mode="text") == []
    by_vector = [hit.node for hit in zoo.search(query, 5)]
    assert [hit.node for hit in zoo.search(query, 5, mode="hybrid")] == by_vector


@pytest.mark.parametrize(
    "query",
    [
        '"cat dog"',
        '"cat',
        "cat AND dog",
        "cat OR dog",
        "+cat -dog",
        "cat* dog~2",
        "(cat) dog)",
        "search_text:cat dog^9",
    ],
)
def test_queries_are_words_and_nothing_else(zoo, query):
    found = {hit.node.node_id for hit in zoo.search(query, 99, mode="text")}
    for word in ("cat", "dog"):
        assert {hit.node.node_id for hit in zoo.search(word, 99, mode="text") if word in query} <= found


def test_every_hostile_query_is_answered(zoo):
    for text in [*HOSTILE.values(), *NASTY]:
        for mode in MODES:
            assert len(zoo.search(text, 3, mode=mode)) <= 3


def test_chinese_text_search(tmp_path):
    texts = {
        "a": "黑豹队的防守在联赛中排名第六。",
        "b": "GPU 加速的深度学习框架，支持 CUDA 12。",
        "c": "今天下雨，明天也下雨；后天晴。",
        "d": "深夜，黑色的豹子。",
    }
    index = built(
        tmp_path / "index",
        [hierarchy(Document(doc_id, text, language="zh"), sizes=(50,)) for doc_id, text in texts.items()],
        language="zh",
    )

    def found(query):
        return [hit.doc_id for hit in index.search(query, 9, mode="text")]

    assert found("黑豹队") == ["a", "d"]
    assert found("豹") == ["d", "a"]
    assert found("雨") == ["c"]
    assert found("下雨") == ["c"]
    assert found("gpu")[0] == found("GPU加速")[0] == found("ＣＵＤＡ cuda")[0] == "b"
    assert found("12") == ["b"]
    assert found("鑫") == []
    assert index.search("黑豹队的防守", 1, mode="hybrid")[0].doc_id == "a"


def test_text_search_sees_new_rows_and_no_deleted_ones(tmp_path):
    index = built(tmp_path / "index", hierarchy("a", "unique giraffe"))
    index.add(hierarchy("b", "second giraffe"))
    assert {hit.doc_id for hit in index.search("giraffe", 9, mode="text")} == {"a", "b"}
    index.delete(["a"])
    assert {hit.doc_id for hit in index.search("giraffe", 9, mode="text")} == {"b"}
    index.add(hierarchy("b", "no more"))
    assert index.search("giraffe", 9, mode="text") == []


# Hybrid search


def test_hybrid_search_fuses_the_two_rankings(zoo):
    for query in ("the running dog", "quiet", "mat ?!", "boats on the lake"):
        rankings = [zoo.search(query, 100, mode=mode) for mode in ("vector", "text")]
        # The zoo has fewer than 100 nodes, so what the text search did not find has no word of the query: BM25 0.
        by_vector, by_text = ({hit.node.node_id: hit.score for hit in ranking} for ranking in rankings)
        scores = z_score_fusion([by_vector, by_text], [min(by_vector.values()), 0.0])
        nodes = {hit.node.node_id: hit.node for ranking in rankings for hit in ranking}
        expected = sorted((Hit(nodes[node_id], score) for node_id, score in scores.items()), key=sort_key)
        for k in (1, 4, 100):
            assert zoo.search(query, k, mode="hybrid") == expected[:k]


# All modes


@pytest.mark.parametrize("mode", MODES)
def test_batches_equal_single_searches(zoo, mode):
    queries = ["the running dog", "", "fish", "?!", "a cat on the mat", "the running dog", "zzz"]
    for k in (1, 5, 99):
        found = zoo.search_batch(queries, k, mode=mode, level=2, where={"doc_id": ["cats", "fish"]})
        assert found == [
            zoo.search(query, k, mode=mode, level=2, where={"doc_id": ["cats", "fish"]}) for query in queries
        ]
    assert zoo.search_batch([], 5, mode=mode) == []


def test_a_batch_is_one_call_of_the_embedder_and_one_vector_search(zoo, queries_run):
    zoo.embedder.calls.clear()
    zoo.search_batch(["cat on a roof", " ", "lake gulls"], 2)
    assert zoo.embedder.calls == [["cat on a roof", "lake gulls"]]
    assert queries_run == [1]
    zoo.search_batch(["", " "], 2, mode="hybrid")
    assert queries_run == [1]


def test_several_searches_at_once_are_those_searches_with_one_call_of_the_embedder(tmp_path):
    made = [hierarchy(doc_id, text) for doc_id, text in ZOO.items()]
    index = Index.create(tmp_path / "index", WordHashEmbedder())
    index.add(made, levels=[1, 2])
    searches = [(mode, level) for mode in MODES for level in (None, 1, 2)]
    queries, where = ["cat on a roof", " ", "lake gulls"], {"doc_id": ["cats", "fish"]}
    index.embedder.calls.clear()
    found = index.search_each(searches, queries, 4, where)
    assert index.embedder.calls == [["cat on a roof", "lake gulls"]]
    expected = [index.search_batch(queries, 4, mode=mode, level=level, where=where) for mode, level in searches]
    assert found == expected
    with pytest.raises(ValueError, match="level 3 is not searchable"):
        index.search_each([("vector", 2), ("text", 3)], queries, 4)


@pytest.mark.parametrize("mode", MODES)
def test_fewer_hits_are_a_prefix_of_more(zoo, mode):
    most = zoo.search("the dog and the cat", 99, mode=mode)
    for k in range(1, len(most) + 3):
        assert zoo.search("the dog and the cat", k, mode=mode) == most[:k]


@pytest.mark.parametrize("mode", MODES)
def test_a_thousand_equal_texts_come_in_the_order_of_their_spans(tmp_path, mode):
    made = [hierarchy(f"doc {i}", "same words here " * 250, sizes=(300, 3)) for i in (3, 1, 2, 0)]
    index = built(tmp_path / "index", made)
    expected = sorted((node.doc_id, node.start) for document in made for node in document.leaves)
    assert len(expected) == 1000
    for k in (1, 10, 400, 1000, 5000):
        hits = index.search("words", k, mode=mode)
        assert [(hit.doc_id, hit.start) for hit in hits] == expected[:k]
        assert len({hit.score for hit in hits}) == 1 or mode == "hybrid"


@pytest.mark.parametrize("mode", MODES)
def test_the_order_and_history_of_adding_do_not_matter(tmp_path, mode):
    texts = {f"d{i}": " ".join(f"w{(i * j) % 23} w{j % 7}" for j in range(30)) for i in range(6)}
    made = {doc_id: hierarchy(doc_id, text) for doc_id, text in texts.items()}
    straight = built(tmp_path / "straight", made.values())
    crooked = built(tmp_path / "crooked", [hierarchy("d3", "w1 w2 old text " * 9), hierarchy("gone", "w1 w2 w3 " * 30)])
    for doc_id in reversed(texts):
        crooked.add(made[doc_id])
    crooked.delete(["gone"])
    crooked.add(hierarchy("brief", "w5 w6"))
    crooked.delete(["brief"])
    for query in ("w1 w2 w3", "w22", "w0 w0 w6 w11"):
        found, expected = (index.search(query, 40, mode=mode) for index in (crooked, straight))
        assert [hit.node for hit in found] == [hit.node for hit in expected] != []
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], rel=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_more_hits_than_there_can_be_are_all_hits(zoo, mode):
    everything = zoo.search("cat", zoo.count(), mode=mode)
    assert everything
    for k in (2**31, 10**12, 2**62):
        assert zoo.search("cat", k, mode=mode) == everything


@pytest.mark.parametrize("mode", MODES)
def test_impossible_searches(zoo, mode):
    for k in (0, -1):
        with pytest.raises(ValueError, match=f"k is {k}; give 1 or more"):
            zoo.search("cat", k, mode=mode)
    with pytest.raises(ValueError, match=r"level 1 is not searchable; this index has 2"):
        zoo.search("cat", mode=mode, level=1)
    with pytest.raises(ValueError, match="level 1099511627776 is not searchable"):
        zoo.search("cat", mode=mode, level=2**40)
    with pytest.raises(ValueError, match="mode is 'bm25'; give one of vector, text, hybrid"):
        zoo.search("cat", mode="bm25")


# Filters


@pytest.mark.parametrize("doc_id", NASTY)
def test_ids_are_values_and_never_sql(nasty, doc_id):
    number = str(NASTY.index(doc_id))
    for mode in MODES:
        hits = nasty.search("shared words number " + number, 50, mode=mode, where={"doc_id": doc_id})
        assert {hit.doc_id for hit in hits} == {doc_id}
    assert nasty.text(doc_id).endswith(number)
    node = nasty.search("shared", 1, mode="text", where={"doc_id": [doc_id]})[0].node
    assert nasty.nodes([node.node_id]) == [node]
    assert nasty.parents([node])[0].doc_id == doc_id
    assert [n.doc_id for n in nasty.neighbours(node, 1, 1)] == [doc_id] * 2
    assert [hit.node for hit in nasty.search("shared", 9, where={"node_id": node.node_id})] == [node]
    siblings = nasty.search("shared words", 9, mode="text", where={"parent_id": [node.parent_id, "x"]})
    assert {hit.node.parent_id for hit in siblings} == {node.parent_id}


@pytest.mark.parametrize("doc_id", ["' OR '1'='1", "%", "_", "", "nope' OR doc_id != '"])
def test_injected_conditions_match_nothing(nasty, doc_id):
    assert nasty.search("shared", 9, mode="text", where={"doc_id": doc_id}) == []
    with pytest.raises(KeyError):
        nasty.text(doc_id)
    nasty.delete([doc_id])
    assert nasty.doc_ids() == sorted(NASTY)


def test_deleting_documents_with_hostile_ids(tmp_path):
    index = built(tmp_path / "index", [hierarchy(doc_id, "text") for doc_id in NASTY])
    index.add([hierarchy(doc_id, "new text") for doc_id in NASTY[:4]])
    for i, doc_id in enumerate(NASTY):
        index.delete([doc_id])
        assert index.doc_ids() == sorted(NASTY[i + 1 :])
    assert index.count() == 0


def test_filters_take_values_and_collections(zoo):
    def found(**where):
        return {(hit.doc_id, hit.node.level) for hit in zoo.search("the dog and fish", 99, where=where)}

    assert found(doc_id="dogs") == {("dogs", 2)}
    assert found(doc_id={"dogs", "fish"}) == found(doc_id=("dogs", "fish"), level=2) == {("dogs", 2), ("fish", 2)}
    assert found(level=[0, 1, 2]) == {("cats", 2), ("dogs", 2), ("fish", 2)}
    assert found(level=0) == found(doc_id=[]) == found(doc_id="dogs", node_id=[]) == set()


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"text": "x"}, "where has the field 'text'; it can be one of doc_id, level, parent_id, node_id"),
        ({"doc_id": 3}, r"where\['doc_id'\] has 3; give a str, or a list of them"),
        ({"doc_id": ["a", None]}, r"where\['doc_id'\] has None"),
        ({"level": "2"}, r"where\['level'\] has '2'; give a int"),
        ({"level": [True]}, r"where\['level'\] has True"),
        ({"level": 2.0}, r"where\['level'\] has 2.0"),
    ],
)
def test_impossible_filters(zoo, where, message):
    with pytest.raises(ValueError, match=message):
        zoo.search("cat", where=where)


# Plans and look-ups


def test_explain_shows_the_plan_of_lancedb(zoo):
    assert "ANNSubIndex" in zoo.explain("cat")
    assert "MatchQuery: column=search_text, query=[cat]" in zoo.explain("cat", mode="text")
    both = zoo.explain("cat", 3, mode="hybrid", level=2, where={"doc_id": "x' OR 1"})
    assert both.count("x' OR 1") >= 2
    assert "ANNSubIndex" in both
    assert "MatchQuery" in both


def test_look_ups_are_one_query_each(zoo, queries_run):
    made = {doc_id: hierarchy(doc_id, text) for doc_id, text in ZOO.items()}
    leaves = [node for item in made.values() for node in item.leaves]
    sections = [node for item in made.values() for node in item.levels[1]]

    def in_one_query(call):
        before = queries_run[0]
        result = call()
        assert queries_run[0] == before + 1
        return result

    mixed = [leaves[3].node_id, sections[1].node_id, leaves[0].node_id, leaves[3].node_id]
    assert [node.node_id for node in in_one_query(lambda: zoo.nodes(mixed))] == mixed
    assert in_one_query(lambda: zoo.parents(leaves[::-1])) == sections[::-1]
    assert in_one_query(lambda: zoo.parents(sections)) == [item.root for item in made.values()]
    assert zoo.parents([item.root for item in made.values()]) == []
    expected = [child for item in made.values() for section in item.levels[1] for child in item.children(section)]
    assert in_one_query(lambda: zoo.children(sections)) == expected
    backwards = [c for item in list(made.values())[::-1] for s in item.levels[1][::-1] for c in item.children(s)]
    assert in_one_query(lambda: zoo.children([*sections[::-1], sections[0]])) == backwards
    families = in_one_query(lambda: zoo.families([*leaves, sections[0]]))
    roots = [made["cats"].root]
    assert [family.parent for family in families] == sections + roots
    assert [family.children for family in families] == [len(zoo.children([node])) for node in sections + roots]
    assert in_one_query(lambda: zoo.text("fish")) == ZOO["fish"]
    windows = in_one_query(lambda: zoo.windows(leaves, 1, 2))
    for node, window in zip(leaves, windows, strict=True):
        line = made[node.doc_id].leaves
        around = list(line[max(0, node.position - 1) : node.position + 3])
        assert window == [Outline(n.node_id, n.parent_id, n.position, n.span, n.sources) for n in around]
        assert zoo.neighbours(node, 1, 2) == around


def test_windows_reach_no_further_than_the_document(zoo):
    made = hierarchy("cats", ZOO["cats"])
    assert zoo.neighbours(made.leaves[2], 10**12, 10**12) == list(made.leaves)
    assert zoo.neighbours(made.root, 3, 3) == [made.root]
    assert zoo.neighbours(made.leaves[2], 0, 0) == [made.leaves[2]]
    for before, after in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="is -1; give 0 or more"):
            zoo.neighbours(made.leaves[2], before, after)


def test_missing_nodes_are_named(zoo):
    with pytest.raises(KeyError, match="no node 'nope'"):
        zoo.nodes([hierarchy("cats", ZOO["cats"]).root.node_id, "nope"])
    orphan = Node("orphan", "x", 1, 0, 1, "x", parent_id="lost")
    with pytest.raises(KeyError, match="no node 'lost'"):
        zoo.parents([orphan])
    assert zoo.children([orphan]) == []


def test_thousands_are_looked_up_at_once(tmp_path):
    made = hierarchy("doc", "word " * 6000, sizes=(10, 1))
    index = built(tmp_path / "index", made)
    assert index.nodes([node.node_id for node in made]) == list(made)
    assert len(index.windows(made.leaves, 1, 1)) == 6000
    assert index.children(made.levels[1]) == list(made.leaves)
    parents = {node.parent_id for node in made.leaves}
    assert len(index.search("word", 9, where={"parent_id": parents})) == 9


class AnyHistory(RuleBasedStateMachine):
    """Whatever is added, replaced and deleted: the index answers like a dictionary of hierarchies."""

    words = st.lists(st.sampled_from(["ant", "bee", "crow", "doe", "elk", "fox", "?!"]), max_size=25).map(" ".join)
    names = st.sampled_from(["a", "b", "it's", "中"])

    @initialize()
    def start(self):
        self.folder = AnyHistory.folders / str(len(list(AnyHistory.folders.iterdir())))
        self.index = Index.create(self.folder, WordHashEmbedder())
        self.added: dict[str, tuple[Hierarchy, int]] = {}

    @rule(documents=st.dictionaries(names, words, max_size=3), level=st.sampled_from([None, 1, 2]))
    def add(self, documents, level):
        made = [hierarchy(name, text, sizes=(6, 2)) for name, text in documents.items()]
        self.index.add(made, levels=None if level is None else [level])
        self.added.update({item.document.doc_id: (item, level or 2) for item in made})

    @rule(names=st.sets(names, max_size=2))
    def delete(self, names):
        self.index.delete(names)
        self.added = {name: value for name, value in self.added.items() if name not in names}

    @invariant()
    def answers(self):
        assert self.index.doc_ids() == sorted(self.added)
        everything = [node for item, _ in self.added.values() for node in item]
        assert self.index.count() == len(everything)
        assert self.index.nodes([node.node_id for node in everything]) == everything
        searchable = [node for item, level in self.added.values() for node in item.levels[level]]
        assert self.index.levels == sorted({node.level for node in searchable})
        for query in ("fox bee", "crow"):
            assert_ranked(self.index.search(query, 4), cosine_ranking(searchable, query), 4, tolerance=2e-6)
            bare = [node for node in searchable if node.text.replace("?!", "").strip()]
            expected = {node.node_id for node in bare if set(query.split()) & set(node.text.split())}
            assert {hit.node.node_id for hit in self.index.search(query, 999, mode="text")} == expected


@pytest.mark.filterwarnings("error")
def test_any_history(tmp_path):
    AnyHistory.folders = tmp_path
    run_state_machine_as_test(
        AnyHistory,
        settings=settings(
            max_examples=12,
            stateful_step_count=8,
            deadline=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )
