"""Faults of published hierarchical RAG code, rebuilt in a few lines, and the same input through the package.

Each test first shows that the published way fails on its input, so that it would notice if the input were harmless.
"""

import os
import subprocess
import sys
from functools import partial
from itertools import pairwise

import pytest

from hierrag_lessons.chunkers import MARKDOWN, FixedSizeChunker, RecursiveChunker, build_hierarchy
from hierrag_lessons.context import pack
from hierrag_lessons.model import Document, Passage
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.retrievers import FlatRetriever, ParentChildRetriever, weighted_score
from hierrag_lessons.store import Index
from hierrag_lessons.text import count_tokens, encode, get_encoding
from tests.fakes import WordHashEmbedder

RARE = "龘靐齉爩鱻麤龗灪吁龖，" * 40


def sliced(text: str, size: int) -> list[str]:
    """Cut between any two tokens and decode each piece on its own."""
    encoding = get_encoding()
    ids = encode(text, encoding).tolist()
    return [encoding.decode(ids[start : start + size]) for start in range(0, len(ids), size)]


def test_slicing_token_ids_breaks_characters():
    pieces = sliced(RARE, 17)
    assert any("\ufffd" in piece for piece in pieces)
    assert "".join(pieces) != RARE
    chunks = FixedSizeChunker(17).chunk(Document("d", RARE))
    assert "".join(chunk.text for chunk in chunks) == RARE


def test_leaves_cut_from_a_parents_decoded_text_drift():
    parents = sliced(RARE, 47)
    leaves = [leaf for parent in parents for leaf in sliced(parent, 17)]
    assert sum(map(len, leaves)) != len(RARE)  # Replacement characters: every position after the first is off.
    document = Document("d", RARE)
    hierarchy = build_hierarchy(document, [FixedSizeChunker(47), FixedSizeChunker(17)])
    for leaf in hierarchy.leaves:
        assert RARE[leaf.start : leaf.end] == leaf.text
    assert "".join(leaf.text for leaf in hierarchy.leaves) == RARE


@pytest.mark.parametrize("expression", ["hash('apple10k_l0_3') % 2**63", "node_id"])
def test_ids_made_with_hash_change_with_every_process(expression):
    code = (
        "from hierrag_lessons.chunkers import FixedSizeChunker\n"
        "from hierrag_lessons.chunkers.hierarchies import build_hierarchy\n"
        "from hierrag_lessons.model import Document\n"
        "document = Document('apple10k', 'one two three four five six')\n"
        "node_id = build_hierarchy(document, [FixedSizeChunker(2)]).leaves[1].node_id\n"
        f"print({expression})"
    )
    printed = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, encoding="utf-8", check=True
        )
        printed.add(run.stdout)
    assert len(printed) == (1 if expression == "node_id" else 2)


def test_parent_ids_that_restart_at_zero_collide():
    documents = [Document(name, f"{name} first part. {name} second part.") for name in ("cat", "dog")]
    published = {}
    for document in documents:
        for number, start in enumerate(range(0, len(document.text), 20)):
            published[number] = document.text[start : start + 20]
    assert not any("cat" in text for text in published.values())  # The second document overwrote the first.
    hierarchies = [build_hierarchy(document, [FixedSizeChunker(20, measure=len)]) for document in documents]
    ids = [node.node_id for hierarchy in hierarchies for node in hierarchy]
    assert len(set(ids)) == len(ids)


def index_of(folder, documents, chunkers) -> Index:
    index = Index.create(folder, WordHashEmbedder())
    index.add(build_hierarchy(document, chunkers) for document in documents)
    return index


def test_a_join_returns_one_parent_several_times(tmp_path):
    chunkers = [FixedSizeChunker(60, measure=len), FixedSizeChunker(12, measure=len)]
    texts = ["apple pie. " * 5, "apple tree. " + "no fruit here. " * 4, "cherry cake. " * 5]
    index = index_of(tmp_path, [Document(f"d{n}", text) for n, text in enumerate(texts)], chunkers)
    hits = index.search("apple", k=3)
    assert len({hit.node.parent_id for hit in hits}) < 3  # Three rows of the join, and fewer parents.
    passages = ParentChildRetriever(index).retrieve("apple", k=3)
    assert len({(passage.doc_id, passage.start) for passage in passages}) == len(passages)


def test_character_slices_cut_words_and_number_their_headings():
    document = next(d for d in load_corpus("zh") if d.doc_id == "zh/technical_handbook")
    english = Document("d", "# Setting up\n\n" + "Unbreakable words everywhere. " * 20 + "\n\n# Running\n\nIt runs.")
    slices = [english.text[start : start + 50] for start in range(0, len(english.text), 50)]
    assert any(a[-1].isalpha() and b[0].isalpha() for a, b in pairwise(slices))
    for text, size in ((english, 50), (document, 300)):
        for chunk in RecursiveChunker(size, measure=len, separators=MARKDOWN).chunk(text):
            before, after = text.text[chunk.start - 1 : chunk.start], text.text[chunk.end : chunk.end + 1]
            assert not (before.isascii() and before.isalpha() and chunk.text[0].isascii() and chunk.text[0].isalpha())
            assert not (after.isascii() and after.isalpha() and chunk.text[-1].isascii() and chunk.text[-1].isalpha())


def test_the_same_number_of_passages_is_not_the_same_budget(tmp_path):
    text = "".join(f"sentence number {n} about apples and other fruit. " for n in range(400))
    small = FlatRetriever(index_of(tmp_path / "small", [Document("d", text)], [FixedSizeChunker(50)]))
    large = FlatRetriever(index_of(tmp_path / "large", [Document("d", text)], [FixedSizeChunker(200)]))

    def size(passages: list[Passage]) -> int:
        return sum(count_tokens(passage.text) for passage in passages)

    assert size(large.retrieve("apples", k=5)) > 3 * size(small.retrieve("apples", k=5))
    budgets = [size(pack(retriever.retrieve("apples", k=30), 250)) for retriever in (small, large)]
    assert all(240 <= used <= 250 for used in budgets)


def order(rule, families: dict[str, tuple[list[float], int]]) -> list[str]:
    """Parents by falling score: each with the scores of its children that were hit, and the number of all of them."""
    return sorted(families, key=lambda name: -rule(*families[name]))


def test_two_rules_for_a_parent_joined_into_one_are_nobodys_rule():
    """The article's code has the best hit and the share, and no mean; its formula has a mean, and no numbers."""

    def article_code(scores: list[float], children: int) -> float:
        return 0.7 * max(scores) + 0.3 * len(scores) / children

    # One good hit of four, or the same good hit and a poor one of seven: a larger share, and a lower mean.
    families = {"alone": ([0.9], 4), "with a poor one": ([0.9, 0.1], 7)}
    assert order(article_code, families) == ["with a poor one", "alone"]
    joined = partial(weighted_score, alpha=0.7, coverage=0.3)
    assert order(joined, families) == ["alone", "with a poor one"]
    as_coded = partial(weighted_score, alpha=1, coverage=3 / 7)
    for scores, children in families.values():
        assert article_code(scores, children) == pytest.approx(0.7 * as_coded(scores, children))
    assert order(as_coded, families) == order(article_code, families)
