"""A graph of passages and the names in them, in which what is near to the question is found over all paths.

Lesson 22 builds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import regex
from scipy.sparse import block_array, coo_array, csr_array

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Language, Node, Passage, Where
from hierrag_lessons.ranking import BM25, count_terms, personalised_page_rank
from hierrag_lessons.retrievers.batches import BatchRetriever, check_request
from hierrag_lessons.retrievers.passages import best
from hierrag_lessons.retrievers.resolving import resolve
from hierrag_lessons.store import Index, Tree
from hierrag_lessons.text import LONGEST_QUESTION, entities, terms

STARTS = 20
"""How many passages that keyword search finds the walk starts from."""

_COMMON = 0.1  # A name that stands in a larger share of the passages links everything with everything,
_ALWAYS = 5  # unless it stands in no more than so many.


@dataclass(frozen=True)
class EntityGraphRetriever(BatchRetriever):
    """Return the passages that a walk from the question's names, and from what keyword search finds, often comes to.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, SentenceChunker, build_hierarchy, temporary_index
    >>> text = "Our MR-7 came with Velmora. The otter sleeps. Of Velmora we know that its seat is in Halvane."
    >>> notes = build_hierarchy(Document("notes", text), [SentenceChunker(max_sentences=1)])
    >>> with temporary_index([notes], embedder=CharNgramEmbedder()) as index:
    ...     for passage in EntityGraphRetriever(index).retrieve("Where did the MR-7 come from?"):
    ...         print(passage.text)
    Our MR-7 came with Velmora.
    Of Velmora we know that its seat is in Halvane.

    The second one has no word of the question: the way to it leads over a name. Nodes of the graph are passages and the
    names in them, see :func:`~hierrag_lessons.text.entities`; a passage is linked to each of its names. Names of one
    passage, and of more than a tenth of all, are left out.

    Method: Gutiérrez et al., "HippoRAG", NeurIPS 2024, whose graph a language model extracts, and which starts from
    names alone; passages among the starts are from their "From RAG to Memory", ICML 2025. Rules take the model's place
    here.

    To turn first: ``found``.

    Parameters
    ----------
    index:
        The index. Its nodes are kept in memory, and read anew after each commit.
    level:
        The level whose nodes are passages, ``None`` for the lowest.
    found:
        0 to 1: the share of the walk's jumps that go to passages that keyword search finds; the others go to the names
        in the question, rare ones more often. A question with no known name starts from passages alone.
    damping:
        0 to 1, below 1: how often the walk goes on, and does not jump back to the start.

    Raises ``ValueError`` when made with a parameter out of its range.
    """

    index: Index
    level: int | None = None
    found: float = 0.8
    damping: float = 0.5

    def __post_init__(self) -> None:
        checks.able("index", self.index, "snapshot")
        checks.whole("level", self.level, 0, self.index.depth or None, none="the lowest")
        checks.share("found", self.found)
        checks.number("damping", self.damping, 0)
        if self.damping >= 1:
            raise ValueError(f"damping is {self.damping}; give less than 1")

    def retrieve_batch(self, queries: Sequence[str], k: int = 5, where: Where | None = None) -> list[list[Passage]]:
        """The ``k`` best passages for each query."""
        check_request(queries, k, where)
        index = self.index.snapshot()
        tree = index.tree()
        inside = tree.inside(where)
        if not tree.levels:
            return [[] for _ in queries]
        lowest = len(tree.levels) - 1
        graph = tree.remember(_Graphs).of(lowest if self.level is None else min(self.level, lowest))
        allowed = np.array([inside is None or node.node_id in inside for node in graph.passages], bool)
        return [best(resolve(index, self._hits(graph, query, allowed)), k) for query in queries]

    def names(self, query: str) -> list[str]:
        """The names in a query that the graph knows, in no particular order of importance."""
        checks.text("query", query)
        tree = self.index.tree()
        if not tree.levels:
            return []
        return tree.remember(_Graphs).of(len(tree.levels) - 1 if self.level is None else self.level).names_in(query)

    def _hits(self, graph: _Graph, query: str, allowed: np.ndarray) -> list[Hit]:
        words = graph.words(query) * allowed
        start = np.concatenate([_largest(words, STARTS), graph.rarity(graph.names_in(query))])
        passages, names = start[: len(words)], start[len(words) :]
        for part, share in ((passages, self.found), (names, 1 - self.found)):
            part *= share / (part.sum() or 1)
        if not start.sum() and words.any():  # no known name, and passages do not count
            start[: len(words)] = _largest(words, STARTS)
        ranks = np.round(personalised_page_rank(graph.links, start, self.damping)[: len(words)] * allowed, 9)
        return [Hit(graph.passages[place], float(ranks[place])) for place in map(int, np.flatnonzero(ranks))]


class _Graph:
    """Passages and names, linked where a name stands in a passage."""

    def __init__(self, passages: Sequence[Node], language: Language) -> None:
        self.passages, self.language = passages, language
        texts = [node.embedding_text for node in passages]
        named = [sorted(set(entities(text, language))) for text in texts]
        spread = Counter(name for names in named for name in names)
        most = max(_COMMON * len(passages), _ALWAYS)
        self.spread = {name: count for name, count in sorted(spread.items()) if 2 <= count <= most}
        places = {name: place for place, name in enumerate(self.spread)}
        pairs = [(place, places[name]) for place, names in enumerate(named) for name in names if name in places]
        rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
        shape = (len(passages), len(places))
        holds = csr_array(coo_array((np.ones(len(pairs)), (list(rows), list(columns))), shape=shape))
        self.links = csr_array(block_array([[None, holds], [holds.T, None]])) if pairs else csr_array((sum(shape),) * 2)
        counts, self._columns = count_terms([terms(text, language) for text in texts])
        self._bm25 = BM25(counts)

    def words(self, query: str) -> np.ndarray:
        """The BM25 score of each passage."""
        known = (self._columns.get(term) for term in terms(query, self.language))
        return self._bm25.scores([column for column in known if column is not None])

    def names_in(self, query: str) -> list[str]:
        """The known names that a query holds in what rules read of it, however it writes them: large or small."""
        asked = " ".join(query[:LONGEST_QUESTION].lower().split())
        if self.language == "zh":
            asked = asked.replace(" ", "")
        return [name for name in self.spread if self._stands_in(name, asked)]

    def _stands_in(self, name: str, asked: str) -> bool:
        written = name.replace(" ", "") if self.language == "zh" else name
        if written not in asked:
            return False
        behind = r"(?![A-Za-z0-9])" if self.language == "zh" else r"(?![\p{L}\p{N}])"
        return regex.search(rf"(?<![A-Za-z0-9.,]){regex.escape(written)}{behind}", asked) is not None

    def rarity(self, names: Sequence[str]) -> np.ndarray:
        """For each name of the graph its weight in the start: one over its number of passages, 0 if not asked."""
        asked = set(names)
        return np.array([(name in asked) / count for name, count in self.spread.items()], float)


class _Graphs:
    """The graphs of a tree's levels, each made when it is first asked for."""

    def __init__(self, tree: Tree) -> None:
        self._levels, self._language = tree.levels, tree.language
        self._made: dict[int, _Graph] = {}

    def of(self, level: int) -> _Graph:
        """The graph of the passages of one level."""
        if level not in self._made:
            self._made[level] = _Graph(self._levels[level], self._language)
        return self._made[level]


def _largest(values: np.ndarray, most: int) -> np.ndarray:
    """The values, of which all but the largest are 0; of equal ones the first are kept."""
    kept = np.zeros_like(values)
    places = np.argsort(-np.round(values, 6), kind="stable")[:most]
    kept[places] = values[places]
    return kept
