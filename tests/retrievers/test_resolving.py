import pytest
from hypothesis import given
from hypothesis import strategies as st
from lancedb.query import AsyncQueryBase

from hierrag_lessons.model import Document, Hierarchy, Hit, Node, Passage, Span, sort_key
from hierrag_lessons.retrievers import expand, grow_hits, resolve
from hierrag_lessons.retrievers.resolving import resolve_batch
from hierrag_lessons.spans import merge
from hierrag_lessons.store import Index
from tests.fakes import WordHashEmbedder

TEXTS = {"one": "The cat sat. It slept. The dog ran. 🙂 Nobody saw it.", "二": "今天下雨。明天也下雨。"}


def plain(doc_id, start, end, level=1, position=0):
    text = TEXTS[doc_id][start:end]
    return Node(f"{doc_id}:{level}:{position}", doc_id, level, start, end, text, "Head", f"{doc_id}:0", position)


def derived(doc_id, sources, text="A summary.", position=0):
    spans = tuple(Span(*span) for span in sources)
    start, end = spans[0].start, spans[-1].end
    name = f"{doc_id}:2:{position}"
    return Node(name, doc_id, 2, start, end, text, "", f"{doc_id}:0", position, sources=spans)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    index = Index.create(tmp_path_factory.mktemp("index") / "index", WordHashEmbedder(), language="zh")
    for doc_id, text in TEXTS.items():
        root = Node(f"{doc_id}:0", doc_id, 0, 0, len(text), text)
        index.add(Hierarchy(Document(doc_id, text, language="zh"), ((root,), (plain(doc_id, 0, 5),))))
    return index


def test_a_plain_hit_is_its_own_span(index):
    hit = Hit(plain("one", 4, 7), 0.5)
    assert resolve(index, [hit]) == [Passage("one", 4, 7, "cat", "Head", 0.5, (hit,))]


def test_a_derived_hit_gives_its_sources_and_never_its_own_words(index):
    hit = Hit(derived("one", [(0, 12), (23, 35)], "Cats sleep while dogs run."), 0.25)
    assert resolve(index, [hit]) == [
        Passage("one", 0, 12, "The cat sat.", "", 0.25, (hit,)),
        Passage("one", 23, 35, "The dog ran.", "", 0.25, (hit,)),
    ]


def test_a_span_of_several_hits_keeps_the_best_score_and_all_hits(index):
    low, high = Hit(derived("one", [(0, 12)], position=1), 0.2), Hit(plain("one", 0, 12), 0.9)
    other = Hit(plain("二", 0, 5), 0.5)
    first, second = resolve(index, [low, other, high])
    assert (first.span, first.score, first.hits, first.text) == ((0, 12), 0.9, (high, low), "The cat sat.")
    assert (second.doc_id, second.text) == ("二", "今天下雨。")


def test_the_lists_of_a_batch_do_not_mix(index):
    hits = [Hit(derived("one", [(0, 12)]), 0.2), Hit(derived("one", [(0, 12)], position=1), 0.9)]
    assert resolve_batch(index, [[hit] for hit in hits]) == [resolve(index, [hit]) for hit in hits]
    assert resolve_batch(index, [[], hits, []])[1] == resolve(index, hits)
    assert resolve_batch(index, []) == []


def test_a_document_that_is_not_there_is_named(index):
    text = "gone"
    node = Node("x", "gone", 1, 0, 4, text, sources=(Span(0, 4),))
    with pytest.raises(KeyError, match="gone"):
        resolve(index, [Hit(node, 1.0)])


def test_one_table_query_for_any_number_of_hits(index, monkeypatch):
    run, to_batches = [0], AsyncQueryBase.to_batches

    async def counted(self, **options):
        run[0] += 1
        return await to_batches(self, **options)

    monkeypatch.setattr(AsyncQueryBase, "to_batches", counted)
    hits = [Hit(derived(doc_id, [(i, i + 1)], position=i), 0.1) for i in range(10) for doc_id in TEXTS]
    resolve_batch(index, [hits, hits[:3]])
    assert run[0] == 1
    resolve(index, [Hit(plain("one", 0, 12), 0.5)])
    assert run[0] == 1


@st.composite
def some_hits(draw):
    hits = []
    for position in range(draw(st.integers(0, 6))):
        doc_id = draw(st.sampled_from(list(TEXTS)))
        places = st.integers(0, len(TEXTS[doc_id]) - 1)
        spans = [Span(a, a + 1 + draw(st.integers(0, 2))) for a in draw(st.lists(places, min_size=1, max_size=3))]
        spans = merge(Span(a, min(b, len(TEXTS[doc_id]))) for a, b in spans)
        score = draw(st.sampled_from([0.1, 0.5, 0.9]))
        made = (
            derived(doc_id, spans, position=position) if draw(st.booleans()) else plain(doc_id, *spans[0], 1, position)
        )
        hits.append(Hit(made, score))
    return hits


@given(some_hits())
def test_the_definition(index, hits):
    """Span by span: who stands for it, what is the best score among them, and what stands there."""
    spans = list(dict.fromkeys((hit.doc_id, span) for hit in hits for span in hit.node.spans))
    found = resolve(index, hits)
    assert [(passage.doc_id, passage.span) for passage in found] == spans
    for passage in found:
        own = [hit for hit in hits if hit.doc_id == passage.doc_id and passage.span in hit.node.spans]
        assert list(passage.hits) == sorted(own, key=sort_key)
        assert passage.score == max(hit.score for hit in own)
        assert passage.text == TEXTS[passage.doc_id][passage.start : passage.end]


def test_a_node_hit_twice_counts_with_its_better_score(index):
    low, high = Hit(plain("one", 0, 5), 0.1), Hit(plain("one", 0, 5), 0.9)
    for hits in ([low, high], [high, low]):
        assert resolve(index, hits) == [Passage("one", 0, 5, TEXTS["one"][:5], "Head", 0.9, (high,))]
        assert [(p.score, p.hits) for p in grow_hits(index, hits)] == [(0.9, (high,))]
        assert [(p.score, p.hits) for p in expand(index, hits, top=1)] == [(0.9, (high,))]
