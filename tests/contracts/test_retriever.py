"""``check_retriever`` passes an honest retriever, and names the promise that a dishonest one breaks."""

import re
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from statistics import fmean

import pytest

from hierrag_lessons import BrokenPromise, check_retriever
from hierrag_lessons.contracts.shelf import SUMMARY, make_shelf, two_levels
from hierrag_lessons.model import Passage, sort_key
from hierrag_lessons.retrievers import FlatRetriever, resolve
from hierrag_lessons.store import Index


@dataclass(frozen=True)
class SmoothingRetriever:
    """A node that was found with those of its two neighbours that were found, too; it scores their mean."""

    index: Index
    level: int | None = None
    candidates: int = 50
    weight: float = 0.5

    def __post_init__(self):
        if type(self.candidates) is not int or self.candidates < 1:
            raise ValueError(f"candidates is {self.candidates!r}; give a whole number, 1 or more")
        self.index.check_level(self.level)

    def retrieve(self, query, k=5, where=None):
        self.check([query], k)
        return self.retrieve_batch([query], k, where)[0]

    def retrieve_batch(self, queries, k=5, where=None):
        self.check(queries, k)
        index = self.index.snapshot()
        ranked = self.search(index, queries, k, where)
        doc_ids = list({hit.doc_id for hits in ranked for hit in hits})
        texts = {doc_id: index.text(doc_id) for doc_id in doc_ids}
        return [self.order(self.smoothed(index, texts, hits), k) for hits in ranked]

    def check(self, queries, k):
        if not isinstance(k, int) or k < 1:
            raise ValueError(f"k is {k!r}; give a whole number, 1 or more")
        if isinstance(queries, str) or not all(isinstance(query, str) for query in queries):
            raise ValueError(f"queries is {queries!r}; give a list of texts")

    def search(self, index, queries, k, where):
        return index.search_batch(queries, max(k, self.candidates), level=self.level, where=where)

    def smoothed(self, index, texts, hits):
        for hit in hits:
            if hit.node.derived:
                yield from self.derived(index, hit)
            else:
                near = [hit, *(other for other in hits if self.are_neighbours(hit.node, other.node))]
                yield self.passage(texts[hit.doc_id], hit, near)

    def are_neighbours(self, node, other):
        same = (node.doc_id, node.level) == (other.doc_id, other.level)
        return same and abs(node.position - other.position) == 1 and not other.derived

    def passage(self, text, hit, near):
        start, end = min(other.start for other in near), max(other.end for other in near)
        around = fmean(other.score for other in near)
        # Means of float32 scores differ in their last digits, and those must not settle a tie.
        score = round((1 - self.weight) * hit.score + self.weight * around, 5)
        return Passage(
            hit.doc_id, start, end, text[start:end], hit.node.context, score, tuple(sorted(near, key=sort_key))
        )

    def derived(self, index, hit):
        return resolve(index, [hit])

    def order(self, passages, k):
        distinct = {}
        for passage in sorted(passages, key=sort_key):
            distinct.setdefault((passage.doc_id, passage.span), passage)
        return list(distinct.values())[:k]


# --- each with one fault ---------------------------------------------------------------------------------------------


class ChecksNothing(SmoothingRetriever):
    def check(self, queries, k):
        pass


class TakesZero(SmoothingRetriever):
    def check(self, queries, k):
        super().check(queries, k or 1)


class TakesHalves(SmoothingRetriever):
    def check(self, queries, k):
        super().check(queries, int(k))

    def search(self, index, queries, k, where):
        return super().search(index, queries, int(k), where)

    def order(self, passages, k):
        return super().order(passages, int(k))


class TakesOneText(SmoothingRetriever):
    def retrieve_batch(self, queries, k=5, where=None):
        return super().retrieve_batch(list(queries) if isinstance(queries, str) else queries, k, where)


class InTheOrderOfTheSearch(SmoothingRetriever):
    def order(self, passages, k):
        distinct = {}
        for passage in passages:
            distinct.setdefault((passage.doc_id, passage.span), passage)
        return list(distinct.values())[:k]


class LastOfTiesFirst(SmoothingRetriever):
    def order(self, passages, k):
        found = super().order(passages, 10_000)
        found.reverse()
        return sorted(found, key=lambda passage: -passage.score)[:k]


class ComparesWithTheWholeBatch(SmoothingRetriever):
    def retrieve_batch(self, queries, k=5, where=None):
        found = super().retrieve_batch(queries, k, where)
        highest = max((passage.score for passages in found for passage in passages), default=1.0)
        return [[replace(passage, score=passage.score / highest) for passage in passages] for passages in found]


@dataclass(frozen=True)
class RemembersAnswers(SmoothingRetriever):
    known: dict = field(default_factory=dict, compare=False, repr=False, init=False)

    def retrieve_batch(self, queries, k=5, where=None):
        self.check(queries, k)
        for query in queries:
            if (query, k) not in self.known:
                self.known[query, k] = super().retrieve_batch([query], k, where)[0]
        return [list(self.known[query, k]) for query in queries]


class ReturnsSummaries(SmoothingRetriever):
    def derived(self, index, hit):
        node = hit.node
        return [Passage(node.doc_id, node.start, node.end, node.text, node.context, hit.score, (hit,))]


class SearchesAllLevels(SmoothingRetriever):
    def search(self, index, queries, k, where):
        return index.search_batch(queries, max(k, self.candidates), where=where)


class StopsAtCandidates(SmoothingRetriever):
    def search(self, index, queries, k, where):
        return index.search_batch(queries, self.candidates, level=self.level, where=where)


class AsksAllDocuments(SmoothingRetriever):
    """Neighbours are found by their position alone."""

    def are_neighbours(self, node, other):
        return node.level == other.level and abs(node.position - other.position) == 1


class OneTooMany(SmoothingRetriever):
    def order(self, passages, k):
        return super().order(passages, k + 1)


class FewerForMore(SmoothingRetriever):
    def order(self, passages, k):
        return super().order(passages, 1 if k == 3 else k)


class TenByDefault(SmoothingRetriever):
    def retrieve(self, query, k=10, where=None):
        return super().retrieve(query, k, where)


class FindsThePlaceTwice(SmoothingRetriever):
    def order(self, passages, k):
        return [passage for passage in super().order(passages, k) for _ in range(2)][:k]


class ReadsQueriesAsPatterns(SmoothingRetriever):
    def search(self, index, queries, k, where):
        for query in queries:
            re.compile(query)
        return super().search(index, queries, k, where)


class AnswersBlankQueries(SmoothingRetriever):
    def search(self, index, queries, k, where):
        return super().search(index, [query if query.strip() else "dog" for query in queries], k, where)


class LosesBlankQueries(SmoothingRetriever):
    def search(self, index, queries, k, where):
        return super().search(index, [query for query in queries if query.strip()], k, where)


class CutsTheTextShort(SmoothingRetriever):
    def passage(self, text, hit, near):
        return replace(super().passage(text, hit, near), text=hit.node.text)


class NamesNoHits(SmoothingRetriever):
    def passage(self, text, hit, near):
        return replace(super().passage(text, hit, near), hits=())


class DoesNotSortHits(SmoothingRetriever):
    def passage(self, text, hit, near):
        return replace(super().passage(text, hit, near), hits=tuple(near))


class ScoresNothing(SmoothingRetriever):
    def passage(self, text, hit, near):
        return replace(super().passage(text, hit, near), score=float("nan"))


class PrefersRecentCommits(SmoothingRetriever):
    def passage(self, text, hit, near):
        return replace(super().passage(text, hit, near), score=hit.score + self.index.version / 100)


class ReturnsTuples(SmoothingRetriever):
    def order(self, passages, k):
        return tuple(super().order(passages, k))


@dataclass
class CanBeSet:
    index: Index

    def retrieve(self, query, k=5, where=None):
        return FlatRetriever(self.index).retrieve(query, k, where)

    def retrieve_batch(self, queries, k=5, where=None):
        return FlatRetriever(self.index).retrieve_batch(queries, k, where)


class CountsAnything(SmoothingRetriever):
    def __post_init__(self):
        pass


class FailsAtLast(SmoothingRetriever):
    """Reads the text of a document that is no longer there."""

    def passage(self, text, hit, near):
        return replace(super().passage(text, hit, near), doc_id=f"{hit.doc_id}, old")


class FiltersAfterwards(SmoothingRetriever):
    """The candidates are those of all documents, and what is outside the filter is thrown away."""

    def search(self, index, queries, k, where):
        inside = set(index.doc_ids(where))
        ranked = super().search(index, queries, k, None)
        return [[hit for hit in hits if hit.doc_id in inside] for hits in ranked]


class KnowsNoFilter(SmoothingRetriever):
    def search(self, index, queries, k, where):
        index.check_where(where)
        return super().search(index, queries, k, None)


class TakesAnyField(SmoothingRetriever):
    def search(self, index, queries, k, where):
        return super().search(index, queries, k, where and {name: where[name] for name in where if " " not in name})


class WithoutTheParameter(SmoothingRetriever):
    def retrieve_batch(self, queries, k=5):
        return super().retrieve_batch(queries, k)

    def retrieve(self, query, k=5):
        self.check([query], k)
        return self.retrieve_batch([query], k)[0]


class EmbedsAQuestionAsADocument(SmoothingRetriever):
    def search(self, index, queries, k, where):
        index.embedder.encode(queries)
        return super().search(index, queries, k, where)


BROKEN = [
    (EmbedsAQuestionAsADocument, "sides: a question is embedded by the embedder's encode_queries"),
    (FiltersAfterwards, "where: a filter that lets few documents through still gives k passages"),
    (KnowsNoFilter, "where: every hit of every passage is inside the filter"),
    (TakesAnyField, "refused: a filter on a field that the index has not raises a ValueError"),
    (WithoutTheParameter, "any query: every query can be asked"),
    (ChecksNothing, "refused: k=0 raises a ValueError"),
    (TakesZero, "refused: k=0 raises a ValueError"),
    (TakesHalves, "refused: k='2' raises a ValueError"),
    (TakesOneText, "refused: one text in place of a list of queries"),
    (InTheOrderOfTheSearch, "order: passages are sorted by (-score, doc_id, start, end)"),
    (LastOfTiesFirst, "order: passages are sorted by (-score, doc_id, start, end)"),
    (ComparesWithTheWholeBatch, "batch: a query finds in a batch what it finds alone"),
    (RemembersAnswers, "commits: a document that was added is found"),
    (ReturnsSummaries, "text: a passage's text is that of its span in the document, never the words of a summary"),
    (SearchesAllLevels, "level: with level=1 every hit is of that level"),
    (StopsAtCandidates, "k: one that is large enough finds everything"),
    (AsksAllDocuments, "hits: the hits of a passage are of its document"),
    (OneTooMany, "k: there are at most k passages"),
    (FewerForMore, "k: where there are passages k=1 finds one, and a larger k finds no fewer"),
    (TenByDefault, "k: it is 5 where it is not given"),
    (FindsThePlaceTwice, "order: no span of a document is there twice"),
    (ReadsQueriesAsPatterns, "any query: every query can be asked"),
    (AnswersBlankQueries, "any query: a blank query finds nothing"),
    (LosesBlankQueries, "any query: retrieve_batch returns a list of passages for each query"),
    (CutsTheTextShort, "text: a passage's text is that of its span in the document"),
    (FailsAtLast, "text: a passage is a span of a document in the index"),
    (NamesNoHits, "hits: a passage has the hits that led to it"),
    (DoesNotSortHits, "hits: the hits of a passage are sorted as passages are"),
    (ScoresNothing, "order: every score is a finite number"),
    (PrefersRecentCommits, "determinism: the order in which documents were added makes no difference"),
    (ReturnsTuples, "any query: a list of Passage comes back"),
    (CanBeSet, "frozen: the parameters of a retriever cannot be set"),
    (CountsAnything, "refused: a retriever cannot be made with candidates='7'"),
]


def test_it_keeps_them_in_other_indexes():
    check_retriever(lambda index: SmoothingRetriever(index, level=1), language="zh")
    check_retriever(SmoothingRetriever, levels=[2])


@pytest.mark.parametrize(("make", "promise"), BROKEN, ids=[make.__name__ for make, _ in BROKEN])
def test_a_broken_promise_is_named_with_what_was_given_and_what_came_back(make, promise):
    with pytest.raises(BrokenPromise) as caught:
        check_retriever(make)
    error = caught.value
    assert error.promise.startswith(promise)
    message = str(error).splitlines()
    assert message[0] == f"broken promise: {error.promise}"
    assert any(line.lstrip().startswith("retriever") and make.__name__ in line for line in message)
    assert message[-1].lstrip().startswith("came back")
    assert max(map(len, message)) < 2000


def test_a_limit_of_its_own_is_let_pass_where_it_is_said():
    check_retriever(StopsAtCandidates, finds_all=False)


def test_the_shelf_has_two_searchable_levels_a_derived_node_and_copies():
    shelf = make_shelf()
    assert make_shelf() is shelf
    assert shelf.index.levels == shelf.mirrored.levels == [1, 2]
    (summary,) = [node for node in two_levels(shelf.documents["cats"]) if node.derived]
    assert shelf.index.search(SUMMARY, 1)[0].node == summary
    assert len(summary.sources) == 2
    assert not any(word in document.text for document in shelf.documents.values() for word in SUMMARY.split())
    assert shelf.documents["copy 0"].text == shelf.documents["copy 1"].text
    assert shelf.index.doc_ids() == shelf.mirrored.doc_ids() == sorted(shelf.documents)
    assert shelf.empty.count() == 0


def test_an_honest_retriever_keeps_its_promises_and_documents_that_came_are_gone_whatever_happened():
    shelf = make_shelf()
    before = shelf.changing.doc_ids()
    for make in (SmoothingRetriever, RemembersAnswers):
        with pytest.raises(BrokenPromise) if make is RemembersAnswers else nullcontext():
            check_retriever(make)
        assert shelf.changing.doc_ids() == before == ["cats", "dogs", "fish", "otters"]
