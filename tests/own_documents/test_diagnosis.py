"""What cutting does to the documents, counted again by hand."""

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.contracts.shelf import WordHashEmbedder
from hierrag_lessons.embedding import CachedEmbedder
from hierrag_lessons.evaluation import Table
from hierrag_lessons.model import Document
from hierrag_lessons.own_documents.diagnosis import COARSE, diagnose
from hierrag_lessons.own_documents.methods import SIZES
from hierrag_lessons.own_documents.report import svg
from hierrag_lessons.own_documents.report.elements import table
from hierrag_lessons.text import count_tokens
from tests.own_documents.sample import EMBEDDER, TOPICS, documents, questions

DOCUMENTS = documents(TOPICS[:2])
QUESTIONS = questions(DOCUMENTS)


@pytest.fixture(scope="module")
def found():
    return diagnose(DOCUMENTS, QUESTIONS, {"en": EMBEDDER})


def test_every_chunker_is_described(found):
    assert list(found.sizes) == [f"{kind} {size}" for kind in ("recursive", "structure") for size in SIZES]
    for row in found.chunks.records():
        sizes = found.sizes[row["chunker"]]
        assert row["chunks"] == len(sizes)
        assert row["longest"] == max(sizes) <= int(row["chunker"].split()[1])
        assert row["too long"] is None  # this embedder reads texts of any length
    whole = sum(count_tokens(document.text) for document in DOCUMENTS)
    assert all(0.9 * whole < sum(sizes) < 1.1 * whole for sizes in found.sizes.values())


def test_ceilings_rise_with_what_is_kept_and_are_1_where_all_is(found):
    rows = found.ceilings.records()
    assert [row["level"] for row in rows] == [name for name, _ in COARSE]
    for row in rows:
        assert 0 <= row["best 1"] <= row["best 3"] <= row["best 10"] <= 1
    assert rows[0]["nodes"] == 2
    assert rows[0]["best 3"] == 1  # both documents


def test_tables_and_pairs_that_are_cut_are_counted():
    long_table = "| a | b |\n| --- | --- |\n" + "".join(f"| row {n} | {'word ' * 30}|\n" for n in range(12))
    faq = f"# FAQ\n\n## Who pays?\n\n{'The tenant pays the rent every month. ' * 60}\n\n## When?\n\nOn the first.\n"
    turns = "Ann: Who pays the rent?\nBo: I do.\nAnn: Good.\n"
    docs = [
        Document("table.md", f"# Table\n\n{long_table}\nThe end.\n", "markdown"),
        Document("faq.md", faq, "markdown"),
        Document("talk", turns, "dialogue"),
    ]
    asked = questions(DOCUMENTS)[:1]
    rows = {row["chunker"]: row for row in diagnose([*docs, *DOCUMENTS], asked, {"en": EMBEDDER}).chunks.records()}
    tables = 1 + sum(document.text.count("| --- |") for document in DOCUMENTS)
    assert rows["recursive 200"]["tables cut"] >= 1 / tables
    assert rows["structure 1200"]["tables cut"] == 0
    assert rows["recursive 200"]["pairs cut"] == pytest.approx(1 / 3)
    assert rows["recursive 1200"]["pairs cut"] == 0


@dataclass(frozen=True)
class ShortSighted(WordHashEmbedder):
    """Reads ten words of a text."""

    max_tokens: int = 10

    def count_word_pieces(self, texts):
        return [len(text.split()) for text in texts]


def test_what_the_embedder_does_not_read_is_counted(tmp_path):
    text = "word " * 400
    docs = [Document("long.txt", text.strip())]
    asked = questions(DOCUMENTS)[:1]
    cached = CachedEmbedder(ShortSighted(), tmp_path / "cache.sqlite")
    for embedder in (ShortSighted(), cached):
        found = diagnose([*docs, *DOCUMENTS], asked, {"en": embedder})
        for row in found.chunks.records():
            assert 0 < row["unread"] < 1
            assert 0 < row["too long"] <= 1


def test_a_language_without_an_embedder_is_refused():
    with pytest.raises(ValueError, match="without an embedder"):
        diagnose(DOCUMENTS, QUESTIONS, {})
    with pytest.raises(ValueError, match="there are 0 documents"):
        diagnose([], QUESTIONS, {"en": EMBEDDER})


# --- figures and tables ----------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.integers(0, 5000), min_size=1, max_size=40), min_size=1, max_size=4))
def test_any_lengths_can_be_drawn(lengths):
    drawn = svg.histograms({f"chunker {n}": values for n, values in enumerate(lengths)})
    assert drawn.count("<svg") == drawn.count("</svg>") == 1
    assert "nan" not in drawn


@given(st.lists(st.floats(0, 1), min_size=6, max_size=6))
def test_names_at_the_ends_of_curves_do_not_overlap(recalls):
    rows = [
        (f"method {n}", budget, float(budget), value, value, value)
        for n, value in enumerate(recalls)
        for budget in (100, 200)
    ]
    curve = Table(("method", "budget", "context_tokens", "recall", "low", "high"), tuple(rows))
    drawn = svg.curves(curve, [f"method {n}" for n in range(6)])
    places = sorted(float(part.split('y="')[1].split('"')[0]) for part in drawn.split("<text")[1:] if ">method" in part)
    assert len(places) == 6
    assert all(b - a > 10 for a, b in pairwise(places))
    assert places[0] >= svg.TOP


def test_a_table_shows_shares_dashes_and_escaped_words():
    shown = table(("name", "share %", "n"), [("<b>", 0.256, 1234), ("x", None, 5)], "A & B", "x")
    assert "&lt;b&gt;" in shown
    assert ">26<" in shown
    assert ">–<" in shown
    assert ">1,234<" in shown
    assert "A &amp; B" in shown
    assert shown.count('class="chosen"') == 1
