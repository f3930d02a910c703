"""Ranked search in the nodes table of an index: by vector, by words, and the fusion of two rankings.

Lesson 02 builds it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import regex
from lancedb.expr import Expr
from lancedb.query import AsyncFTSQuery, AsyncVectorQuery, MatchQuery

from hierrag_lessons import checks
from hierrag_lessons.model import Hit, Node, Where
from hierrag_lessons.ranking import z_score_fusion
from hierrag_lessons.ranking.fusion import score_of_missing
from hierrag_lessons.store.columns import Column, read_fields
from hierrag_lessons.store.engine import wait
from hierrag_lessons.store.filtering import condition
from hierrag_lessons.store.lookup import find_nodes
from hierrag_lessons.store.readable import Readable
from hierrag_lessons.store.schema import NODE_COLUMNS, escape, to_node, unescape

Mode = Literal["vector", "text", "hybrid"]
FUSED = 100
_MOST_WORDS = 1000  # of a text query in which each word counts as often as it comes
_WORD = regex.compile(r"[\p{Alphabetic}\p{N}]+")
# Whatever can be found has its text in ``search_text``.
_HIT_COLUMNS = tuple(name for name in NODE_COLUMNS if name != "text")
_KEY_COLUMNS = ("node_id", "doc_id", "start", "end")


class _Row(NamedTuple):
    """A row that was found; rows sort as ``spans.sort_key`` sorts hits."""

    cost: float
    doc_id: str
    start: int
    end: int
    node_id: str
    columns: dict[str, Any]


_Embed = Callable[[Sequence[str]], np.ndarray]
# For each query asked: rows and their scores.
_Fetch = Callable[[Sequence[int], int], Awaitable[list[tuple[pa.Table, np.ndarray]]]]


def ranked(
    table: Readable,
    embed: _Embed,
    queries: Sequence[str],
    k: int,
    searches: Sequence[tuple[Mode, int | None]],
    where: Where | None,
    declared: Mapping[str, Column],
) -> list[list[list[Hit]]]:
    """For each search, a mode and a level, what ``Index.search_batch`` returns."""
    queries = checks.texts("queries", queries)
    checks.whole("k", k, 1)
    for mode, level in searches:
        check_mode(mode)
        checks.whole("level", level, none="all searchable levels")
    if k > 1000:  # LanceDB takes memory for as many rows as it is asked for, whether there are so many or not.
        k = min(k, max(1, table.count_rows()))
    filters, columns = [condition(where, level, declared) for _, level in searches], (*_HIT_COLUMNS, *declared)
    asked = [i for i, query in enumerate(queries) if query.strip()]
    texts = [queries[i] for i in asked]
    found: list[list[list[Hit]]] = [[[] for _ in queries] for _ in searches]
    if not texts:
        return found
    vectors = embed(texts) if any(mode != "text" for mode, _ in searches) else np.empty(0)

    async def search(mode: Mode, filtered: Expr | None, depth: int, columns: Sequence[str]) -> list[list[_Row]]:
        if mode == "vector":
            return await _search_vectors(table, vectors, depth, filtered, columns)
        if mode == "text":
            return await _search_texts(table, texts, depth, filtered, columns)
        most = max(depth, FUSED)
        parts = (search(part, filtered, most, _KEY_COLUMNS) for part in ("vector", "text"))
        found = zip(*await asyncio.gather(*parts), strict=True)
        return [_fuse(vectors, texts, len(texts) < most)[:depth] for vectors, texts in found]

    async def search_all() -> list[list[list[_Row]]]:
        asks = zip(searches, filters, strict=True)
        return await asyncio.gather(*(search(mode, filtered, k, columns) for (mode, _), filtered in asks))

    for (mode, _), own, rankings in zip(searches, found, wait(search_all()), strict=True):
        # What was fused has only its keys, for most of it is not among the best.
        fused = list(dict.fromkeys(row.node_id for rows in rankings for row in rows)) if mode == "hybrid" else []
        nodes = dict(zip(fused, find_nodes(table, fused, declared), strict=True))
        for i, rows in zip(asked, rankings, strict=True):
            own[i] = [Hit(nodes[row.node_id] if fused else _node(row.columns, declared), -row.cost) for row in rows]
    return found


def _node(row: Mapping[str, Any], declared: Mapping[str, Column]) -> Node:
    return to_node(row, read_fields(declared, row) if declared else None)


def plan(
    table: Readable,
    embed: _Embed,
    query: str,
    k: int,
    search: tuple[Mode, int | None],
    where: Where | None,
    declared: Mapping[str, Column],
) -> str:
    """What ``Index.explain`` returns."""
    checks.text("query", query)
    checks.whole("k", k, 1)
    mode, level = search
    check_mode(mode)
    filtered, plans = condition(where, level, declared), []
    if mode != "text":
        vectors = embed([query])
        plans.append(wait(_vector_query(table, vectors, k, filtered, _HIT_COLUMNS).explain_plan()))
    if mode != "vector":
        plans.append(wait(_text_query(table, query, k, filtered, _HIT_COLUMNS).explain_plan()))
    return "\n".join(plans)


def nearest(table: Readable, vector: np.ndarray, k: int, where: Expr | None) -> list[str]:
    """The ids, as the table has them, of the ``k`` rows with the highest cosine similarity inside a filter."""
    [found] = wait(_search_vectors(table, vector[None], k, where, _KEY_COLUMNS))
    return [row.columns["node_id"] for row in found]


def check_mode(mode: str) -> None:
    """Raise ``ValueError`` for an unknown search mode."""
    checks.one_of("mode", mode, Mode)


def _fuse(by_vector: Sequence[_Row], by_text: Sequence[_Row], text_is_whole: bool) -> list[_Row]:
    """The rows of both rankings by the sum of their z-scores."""
    rankings = [{row.node_id: -row.cost for row in rows} for rows in (by_vector, by_text)]
    missing = [score_of_missing(rankings[0], is_whole=False), score_of_missing(rankings[1], text_is_whole)]
    scores = z_score_fusion(rankings, missing)
    rows = {row.node_id: row for row in (*by_vector, *by_text)}
    return sorted(row._replace(cost=-scores[node_id]) for node_id, row in rows.items())


def _vector_query(
    table: Readable, vectors: np.ndarray, limit: int, where: Expr | None, columns: Sequence[str]
) -> AsyncVectorQuery:
    query = table.query().nearest_to(vectors if len(vectors) > 1 else vectors[0]).distance_type("cosine")
    query = query.select([*columns, "_distance"]).limit(limit)
    return query if where is None else query.where(where)


def _text_query(table: Readable, text: str, limit: int, where: Expr | None, columns: Sequence[str]) -> AsyncFTSQuery:
    # MatchQuery takes a text as words of which any may match: quotes, stars and AND mean nothing in it.
    query = table.query().nearest_to_text(MatchQuery(escape(_bounded(text)), "search_text"))  # type: ignore[call-arg]
    query = query.select([*columns, "_score"]).limit(limit)
    return query if where is None else query.where(where)


def _bounded(text: str) -> str:
    """A very long text with each word once, for the engine takes its time for every one of them."""
    words = _WORD.findall(text)
    return text if len(words) <= _MOST_WORDS else " ".join(dict.fromkeys(words))


async def _search_vectors(
    table: Readable, vectors: np.ndarray, k: int, where: Expr | None, columns: Sequence[str]
) -> list[list[_Row]]:
    """The ``k`` rows with the highest cosine similarity for each vector; a vector of zeros has none."""

    async def fetch(asked: Sequence[int], limit: int) -> list[tuple[pa.Table, np.ndarray]]:
        rows = await _vector_query(table, vectors[asked], limit, where, columns).to_arrow()
        scores = np.clip(1.0 - rows["_distance"].to_numpy().astype(np.float64), -1.0, 1.0)
        if len(asked) == 1:
            return [(rows, scores)]
        owners = rows["query_index"].to_numpy()
        order = np.argsort(owners, kind="stable")
        bounds = np.searchsorted(owners[order], np.arange(len(asked) + 1))
        rows, scores = rows.combine_chunks().take(order), scores[order]  # one copy, not one for each query
        return [(rows.slice(start, end - start), scores[start:end]) for start, end in pairwise(bounds.tolist())]

    found: list[list[_Row]] = [[] for _ in vectors]
    await _settle(fetch, np.flatnonzero(vectors.any(axis=1)).tolist(), k, found)
    return found


async def _search_texts(
    table: Readable, texts: Sequence[str], k: int, where: Expr | None, columns: Sequence[str]
) -> list[list[_Row]]:
    """The ``k`` rows with the highest BM25 score for each text; none where no word of it is known."""

    async def fetch(asked: Sequence[int], limit: int) -> list[tuple[pa.Table, np.ndarray]]:
        asks = (_text_query(table, texts[i], limit, where, columns).to_arrow() for i in asked)
        tables = await asyncio.gather(*asks)
        return [(rows, rows["_score"].to_numpy().astype(np.float64)) for rows in tables]

    found: list[list[_Row]] = [[] for _ in texts]
    await _settle(fetch, range(len(texts)), k, found)
    return found


async def _settle(fetch: _Fetch, queries: Sequence[int], k: int, found: list[list[_Row]]) -> None:
    """Fetch more than ``k`` rows until the last scores less than the k-th: then no tie is left for the engine."""
    limit = k + 8
    while queries:
        tied: list[int] = []
        for i, (rows, scores) in zip(queries, await fetch(queries, limit), strict=True):
            order = np.argsort(-scores, kind="stable")
            levels = without_noise(scores[order])
            if len(levels) >= limit and levels[-1] == levels[k - 1]:
                tied.append(i)
                continue
            # What scores less than the k-th is not needed; ties with it are.
            needed = int(np.searchsorted(-levels, -levels[k - 1], side="right")) if len(levels) > k else len(levels)
            columns = rows.to_pylist()
            ordered = [columns[row] for row in order[:needed]]
            found[i] = sorted(
                _Row(-score, unescape(row["doc_id"]), row["start"], row["end"], unescape(row["node_id"]), row)
                for row, score in zip(ordered, levels[:needed].tolist(), strict=True)
            )[:k]
        queries, limit = tied, limit * 8


def without_noise(scores: np.ndarray) -> np.ndarray:
    """Make equal, to the highest of them, what only float32 noise tells apart in scores sorted from high to low.

    LanceDB adds up the same BM25 score in another order when rows were added in another order.
    """
    if not len(scores):
        return scores
    noise = 2e-6 * max(1.0, scores[0])
    first = np.append(0, np.flatnonzero(scores[:-1] - scores[1:] > noise) + 1)
    return np.repeat(scores[first], np.append(first[1:], len(scores)) - first)
