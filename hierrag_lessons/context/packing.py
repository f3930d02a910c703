"""Packing: taking passages until a budget is used up, and no character twice.

Lesson 03 builds it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from hierrag_lessons import checks
from hierrag_lessons.long_work import with_progress
from hierrag_lessons.model import Passage, Prefix, Span
from hierrag_lessons.ranking import Stop
from hierrag_lessons.retrievers.batches import ask, takes_where
from hierrag_lessons.spans import cover, subtract
from hierrag_lessons.text import Measure, count_tokens, make_ruler

if TYPE_CHECKING:
    from hierrag_lessons.model import Retriever


def pack(
    passages: Iterable[Passage], budget: int, measure: Measure = count_tokens, *, stop: Stop | None = None
) -> list[Passage]:
    """Take passages in the order given until the budget is used up, and no character of a document twice.

    >>> sentence, section = Passage("d", 7, 14, "Second."), Passage("d", 0, 22, "First. Second. Third. ")
    >>> [piece.text for piece in pack([sentence, section], budget=30, measure=len)]
    ['Second.', 'First. ', ' Third. ']

    A passage that overlaps an earlier one gives only what is new. That can be several pieces: a section from which
    one sentence was already taken leaves the part before it and the part after it. The first piece that does not fit
    is cut where the budget ends, and packing stops there.

    Pieces that touch are not joined. Each keeps the place, the score and the hits of the passage that it comes from,
    so rank measures see the retriever's own order. Joining would also change the size: two texts of 10 tokens each
    can have 21 tokens as one text. :func:`~hierrag_lessons.context.reorder` puts the result into another order.

    Parameters
    ----------
    passages:
        Best first. Passages of several documents may be mixed.
    budget:
        The largest sum of ``measure(piece.text)`` over the result, in the unit of ``measure``. Contexts (heading
        paths, speakers) are not counted; :func:`~hierrag_lessons.context.pack_prompt` counts them.
    measure:
        Size of a text: tokens by default, ``len`` for characters.
    stop:
        What scores too far below the best is left out, though there is room; ``None`` fills the budget.

    Returns
    -------
    list[Passage]
        Disjoint pieces. Pieces of nothing but white space are left out.

    Raises
    ------
    ValueError
        Where ``budget`` is below 1, or a passage's text is not as long as its span, so that it can't be cut by offset.
    """
    checks.whole("budget", budget, 1)
    checks.measure("measure", measure)
    checks.instance("stop", stop, Stop, none="nowhere")
    return _pack(_near_the_best(checks.each("passages", passages, Passage), stop), budget, measure, measure)


def _near_the_best(passages: Sequence[Passage], stop: Stop | None) -> list[Passage]:
    """The passages that a stop rule takes."""
    best = max((passage.score for passage in passages), default=0.0)
    return [passage for passage in passages if stop is None or stop.allows(passage.score, best)]


def _pack(passages: Iterable[Passage], budget: int, measure: Measure, size_of: Measure) -> list[Passage]:
    """:func:`pack`, with ``size_of`` as the same measure, which may remember what it has measured."""
    left = budget
    packed: list[Passage] = []
    taken: defaultdict[str, list[Span]] = defaultdict(list)
    for passage in passages:
        for piece in _new_pieces(passage, taken[passage.doc_id]):
            size = size_of(piece.text)
            if size > left:
                cut = make_ruler(piece.text, measure).reach(0, len(piece.text), left)
                head = piece.text[:cut]
                # A ruler always goes one whole character further, even where that is too large.
                if head.strip() and measure(head) <= left:
                    packed.append(replace(piece, end=piece.start + cut, text=head))
                return packed
            packed.append(piece)
            left -= size
        taken[passage.doc_id].append(passage.span)
    return packed


def retrieve_contexts(
    retriever: Retriever,
    queries: Sequence[str],
    budgets: Sequence[int],
    *,
    k: int = 10,
    measure: Measure = count_tokens,
    scopes: Sequence[str] | None = None,
    stop: Stop | None = None,
) -> list[dict[int, list[Passage]]]:
    """Retrieve for each query until each budget is full, and pack.

    >>> from hierrag_lessons import CharNgramEmbedder, Document, FlatRetriever, SentenceChunker
    >>> from hierrag_lessons import build_hierarchy, temporary_index
    >>> document = Document("pets", "Cats sleep. Dogs run. Fish swim.")
    >>> pets = build_hierarchy(document, [SentenceChunker(12, measure=len)])
    >>> with temporary_index([pets], embedder=CharNgramEmbedder()) as index:
    ...     [found] = retrieve_contexts(FlatRetriever(index), ["dogs run"], [9, 20], measure=len)
    >>> {budget: [piece.text for piece in pieces] for budget, pieces in found.items()}
    {9: ['Dogs run.'], 20: ['Dogs run.', 'Cats sleep.']}

    ``k`` passages are asked for at first. Where they do not fill a budget, twice as many are asked for, again and
    again, until they do or nothing new comes: no text, and no passage inside text that came before. The context of one
    query and one budget is what this query and budget would give alone, even where a retriever's ranking changes with
    ``k``, as merging retrievers' does.

    Parameters
    ----------
    retriever:
        Anything with ``retrieve_batch(queries, k)``, a list of passages for each query, best first. For scopes it is
        asked with ``where``, too, once for the queries of each scope.
    queries:
        The queries, any number.
    budgets:
        Sizes of the context in the unit of ``measure``, each as for :func:`pack`.
    k:
        Number of passages asked for at first.
    measure:
        Size of a text.
    scopes:
        One string a query: only documents whose id starts with it are searched, through the filter ``where``. A
        retriever that takes no filter is asked without; of what it returns those documents are packed, so one that
        looks at a fixed number of candidates may leave the budget unfilled.
    stop:
        As in :func:`pack`: a context may then be smaller than its budget.

    Returns
    -------
    list[dict[int, list[Passage]]]
        For each query, the packed passages by budget.

    Raises
    ------
    ValueError
        Where ``k`` or a budget is below 1, there is no budget, or the retriever does not return one list a query.
    """
    checks.able("retriever", retriever, "retrieve_batch")
    queries = checks.texts("queries", queries)
    budgets = checks.each("budgets", budgets, object)
    for place, budget in enumerate(budgets):
        checks.whole(f"budgets[{place}]", budget, 1)
    if not budgets:
        raise ValueError("budgets is empty; give at least one, 1000 to 4000 tokens are usual")
    checks.whole("k", k, 1)
    checks.measure("measure", measure)
    checks.instance("stop", stop, Stop, none="nowhere")
    scopes = [""] * len(queries) if scopes is None else checks.texts("scopes", scopes)
    if len(scopes) != len(queries):
        raise ValueError(f"scopes has {len(scopes)} for {len(queries)} queries; give one for each, '' for any document")
    size_of = cache(measure)  # the same passages are packed for each budget
    contexts: list[dict[int, list[Passage]]] = [{} for _ in queries]
    unfilled = {i: sorted(set(budgets)) for i in range(len(queries))}
    seen = [(0, 0)] * len(queries)  # the size of the text that came, and the number of passages
    while unfilled:
        found = _retrieve(retriever, queries, {i: scopes[i] for i in unfilled}, k)
        for i, passages in with_progress(found, "packing contexts"):
            inside = [passage for passage in passages if passage.doc_id.startswith(scopes[i])]
            near = _near_the_best(inside, stop)
            contexts[i] |= {budget: _pack(near, budget, measure, size_of) for budget in unfilled[i]}
            spans = _by_document(passages).values()
            known, seen[i] = seen[i], (sum(map(cover, spans)), sum(len(set(own)) for own in spans))
            grew = len(near) == len(inside) and (seen[i][0] > known[0] or seen[i][1] > known[1])
            unfilled[i] = [b for b in unfilled[i] if grew and not _has_more(inside, contexts[i][b])]
            if not unfilled[i]:
                del unfilled[i]
        k *= 2
    return contexts


def _retrieve(
    retriever: Retriever, queries: Sequence[str], scopes: Mapping[int, str], k: int
) -> list[tuple[int, list[Passage]]]:
    """The passages for some of the queries, each with its number; those with one scope are asked at once."""
    filtered = any(scopes.values()) and takes_where(retriever)
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for i, scope in scopes.items():
        groups[scope if filtered else ""].append(i)
    found: list[tuple[int, list[Passage]]] = []
    for scope, own in groups.items():
        lists = ask(retriever, [queries[i] for i in own], k, {"doc_id": Prefix(scope)} if scope else None)
        if len(lists) != len(own):
            raise ValueError(f"retrieve_batch returned {len(lists)} lists for {len(own)} queries; return one each")
        found += zip(own, lists, strict=True)
    return found


def _new_pieces(passage: Passage, taken: Sequence[Span]) -> list[Passage]:
    """The parts of ``passage`` outside the ``taken`` spans of its document, in order, white space alone left out."""
    start, end, text = passage.start, passage.end, passage.text
    if len(text) != end - start:
        raise ValueError(
            f"the passage {passage.doc_id}:{start}-{end} has a text of {len(text)} characters; "
            "a passage's text must be document.text[start:end], put anything else into its context"
        )
    if not any(start < other.end and other.start < end for other in taken):  # so it is for nearly all
        return [passage] if text.strip() else []
    pieces = [
        replace(passage, start=a, end=b, text=text[a - start : b - start]) for a, b in subtract(passage.span, taken)
    ]
    return [piece for piece in pieces if piece.text.strip()]


def _by_document(passages: Iterable[Passage]) -> defaultdict[str, list[Span]]:
    spans: defaultdict[str, list[Span]] = defaultdict(list)
    for passage in passages:
        spans[passage.doc_id].append(passage.span)
    return spans


def _has_more(passages: Iterable[Passage], packed: Iterable[Passage]) -> bool:
    """Whether the passages hold text that was not packed, which means that the budget is full."""
    taken = _by_document(packed)
    return any(_new_pieces(passage, taken[passage.doc_id]) for passage in passages)
