from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.chunkers import (
    FixedSizeChunker,
    RecursiveChunker,
    SentenceChunker,
    StructureChunker,
    broad_hierarchy,
    build_hierarchy,
)
from hierrag_lessons.context import pack
from hierrag_lessons.model import Document, Passage, Span
from hierrag_lessons.production import (
    ShortenedRetriever,
    detect_changed_order,
    detect_eager_merges,
    detect_leaf_sizes,
    detect_overfull,
    detect_page_cuts,
    detect_scattered_hits,
    detect_storage,
    detect_torn_tables,
    head_and_tail,
    join_pages,
    storage_ratios,
)
from hierrag_lessons.reading import CORPORA_DIR, page_at, read_pdf
from hierrag_lessons.retrievers import MAJORITY, AutoMergingRetriever, FlatRetriever
from hierrag_lessons.store import Index, temporary_index
from tests.fakes import WordHashEmbedder

LONG = Document("rain", "It rained all day, and nobody went out to see it. " * 120)
QUERIES = ["cats sleep", "dogs bark at night", "fish"]


# --- 1, 2, 7: sizes --------------------------------------------------------------------------------------------------


def test_small_leaves_large_leaves_and_only_children_are_found():
    small = build_hierarchy(LONG, [RecursiveChunker(400), SentenceChunker(max_sentences=1)])
    found = detect_leaf_sizes([small])
    assert (found.pitfall, found.figure < 50) == (1, True)
    large = build_hierarchy(LONG, [RecursiveChunker(3_000), RecursiveChunker(2_999)])
    assert "more than 1000" in detect_leaf_sizes([large]).said
    alone = build_hierarchy(LONG, [RecursiveChunker(200), RecursiveChunker(200)])
    assert "nodes above the leaves have a single child" in detect_leaf_sizes([alone]).said
    assert detect_leaf_sizes([broad_hierarchy(LONG)]) is None


def test_levels_that_are_searched_take_more(hierarchy):
    leaves = replace(hierarchy, searched=None)
    every = replace(hierarchy, searched=frozenset({1, 2}))
    with temporary_index([leaves], embedder=WordHashEmbedder()) as lean:
        assert storage_ratios(lean)["vectors"] == 1
        lean_all = storage_ratios(lean)["all"]
        assert detect_storage(lean, 1.0).repair.startswith("what grows is text")
    with temporary_index([every], embedder=WordHashEmbedder()) as full:
        assert storage_ratios(full)["vectors"] > 1
        found = detect_storage(full, 1.2)
        assert found.figure == storage_ratios(full)["all"] > lean_all
        assert found.where == ("level 1", "level 2")
        assert found.repair.startswith("embed the leaves only")
        assert detect_storage(full, 100) is None


def test_an_index_without_levels_between_is_its_own_measure():
    flat = build_hierarchy(LONG, [RecursiveChunker(100)])
    with temporary_index([flat], embedder=WordHashEmbedder()) as index:
        assert set(storage_ratios(index).values()) == {1.0}


def test_an_empty_index_has_no_ratios(tmp_path):
    with pytest.raises(ValueError, match="index is empty; add documents first"):
        storage_ratios(Index.create(tmp_path / "index", WordHashEmbedder()))


@given(st.lists(st.integers(1, 40), max_size=8), st.integers(1, 100))
def test_what_is_packed_is_never_too_long(sizes, budget):
    passages = [Passage(f"d{n}", 0, size, "x" * size) for n, size in enumerate(sizes)]
    found = detect_overfull(passages, budget, measure=len)
    assert (found is None) == (sum(sizes) <= budget)
    assert detect_overfull(pack(passages, budget, measure=len), budget, measure=len) is None


# --- 3, 4, 8: merging ------------------------------------------------------------------------------------------------


def test_a_low_threshold_merges_on_one_hit(pets):
    eager = detect_eager_merges(AutoMergingRetriever(pets, threshold=0.3, leaves=1), QUERIES, k=1, budget=10)
    assert eager.pitfall == 3
    assert 0 < eager.figure <= 1
    assert set(eager.where) <= set(QUERIES)
    assert detect_eager_merges(AutoMergingRetriever(pets, threshold=MAJORITY, leaves=2), QUERIES) is None


def test_hits_in_three_parents_are_not_merged(pets):
    query = "Cats purr when stroked. Dogs bark at night. Fish have gills."
    found = detect_scattered_hits(AutoMergingRetriever(pets, leaves=3), [query], k=3)
    assert (found.where, found.figure) == ((query,), 1.0)
    assert detect_scattered_hits(AutoMergingRetriever(pets, leaves=3), ["cats sleep purr hunt"], k=3) is None


def test_another_passage_can_come_first(pets):
    one_hit_is_enough = AutoMergingRetriever(pets, threshold=0.1, leaves=4)
    found = detect_changed_order(one_hit_is_enough, ["dogs bark at night", "cats hunt mice fish"], k=3)
    assert found is None or found.pitfall == 8
    never = AutoMergingRetriever(pets, threshold=1.0, leaves=1)
    assert detect_changed_order(never, QUERIES, k=1) is None


MERGING = [detect_eager_merges, detect_scattered_hits, detect_changed_order]


@pytest.mark.parametrize("detect", MERGING)
def test_where_nothing_merges_there_is_nothing_to_find(detect, pets):
    assert detect(FlatRetriever(pets, level=2), QUERIES) is None


def test_the_retriever_inside_another_is_asked(pets):
    eager = AutoMergingRetriever(pets, threshold=0.3, leaves=1)
    inside = ShortenedRetriever(eager, head_and_tail)
    found = detect_eager_merges(inside, QUERIES, k=1)
    assert found is not None
    assert found == detect_eager_merges(eager, QUERIES, k=1)


def test_both_orders_are_made_by_the_same_kind_of_score(pets):
    """A hybrid search against vectors would differ for passages that nothing merged."""
    single = AutoMergingRetriever(pets, threshold=1.0, leaves=3, mode="hybrid", highest_level=1)
    assert detect_changed_order(single, ["Cats purr when stroked. Dogs bark at night."], k=1) is None


@pytest.mark.parametrize("detect", MERGING)
def test_detectors_of_merging_refuse_what_they_cannot_ask(detect, pets):
    with pytest.raises(ValueError, match="queries is empty; give questions"):
        detect(AutoMergingRetriever(pets), [])
    with pytest.raises(ValueError, match="retriever is"):
        detect("auto-merging", QUERIES)


# --- 5, 6: cuts ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def manual():
    return read_pdf(CORPORA_DIR / "en" / "archive" / "sentry5_manual.pdf", doc_id="manual")


def by_page(document, chunker):
    starts = document.metadata["pages"]
    edges = zip(starts, [*starts[1:], len(document.text)], strict=True)
    return [chunk for edge in edges for chunk in chunker.chunk(document, within=Span(*edge))]


def test_pages_that_are_cut_alone_divide_every_section_that_goes_on(manual):
    found = detect_page_cuts(manual, by_page(manual, StructureChunker(2000, 600)))
    assert (found.pitfall, found.figure) == (5, 1.0)
    assert "page 5 to 6" in found.where  # the five rules of safety
    assert "page 6 to 7" not in found.where  # a new chapter


def test_the_whole_text_cut_by_structure_divides_none(manual):
    joined = join_pages(manual)
    assert detect_page_cuts(joined, StructureChunker(2000, 600).chunk(joined)) is None


def test_joined_pages_lose_running_lines_and_nothing_else(manual):
    joined = join_pages(manual)
    assert "Page 5 of 44" in manual.text
    assert "Page 5 of 44" not in joined.text
    lines = set(joined.text.split("\n"))
    lost = [line for line in manual.text.split("\n") if line.strip() and line not in lines]
    assert all("Sentry-5 Installation" in line or "Page " in line for line in lost)
    place = joined.text.index("Secure against reconnection. Take")
    assert page_at(joined, place) == page_at(manual, manual.text.index("Secure against reconnection. Take"))


@given(st.lists(st.text("ab1 .\n", min_size=1, max_size=20).filter(str.strip), min_size=1, max_size=5))
def test_joined_pages_keep_the_text_of_each_page(pages):
    starts = [sum(len(page) + 2 for page in pages[:n]) for n in range(len(pages))]
    joined = join_pages(Document("d", "\n\n".join(pages), metadata={"pages": starts}))
    marks = joined.metadata["pages"]
    assert len(marks) == len(pages)
    assert marks == sorted(marks)
    ends = [*marks[1:], len(joined.text)]
    assert all(joined.text[a:b].strip("\n ") in page for page, a, b in zip(pages, marks, ends, strict=True))


def pages_of(*pages):
    starts = [sum(len(page) + 2 for page in pages[:n]) for n in range(len(pages))]
    return Document("d", "\n\n".join(pages), metadata={"pages": starts})


def test_a_line_on_half_of_the_pages_is_no_running_one():
    half = pages_of("Lease\nAnn pays.", "Lease\nBob waits.", "Rent\nIt is due.", "Pets\nThey stay.")
    assert join_pages(half).text == half.text
    feet = pages_of("Ann pays.\nLease", "Bob waits.\nLease", "It is due.\nRent", "They stay.\nPets.")
    assert join_pages(feet).text.split() == feet.text.split()
    more = pages_of("Lease\nAnn pays.", "Lease\nBob waits.", "Lease\nIt is due.", "Pets\nThey stay.")
    assert join_pages(more).text == "Ann pays.\n\nBob waits.\n\nIt is due.\n\nPets\nThey stay."


def test_a_document_without_pages_is_refused():
    with pytest.raises(ValueError, match="has no pages; read it with read_pdf"):
        detect_page_cuts(LONG, [])
    with pytest.raises(ValueError, match="has no pages; read it with read_pdf"):
        join_pages(LONG)


def test_a_table_is_torn_by_size_and_kept_by_structure():
    rows = "".join(f"| {year} | {year - 1000} |\n" for year in range(2000, 2020))
    table = Document("rents", f"# Rents\n\nThe rent by year.\n\n| year | rent |\n|---|---|\n{rows}", "markdown")
    found = detect_torn_tables(table, FixedSizeChunker(60, 0).chunk(table))
    assert (found.pitfall, found.figure, len(found.where)) == (6, 1.0, 1)
    assert detect_torn_tables(table, StructureChunker(2_000, 0).chunk(table)) is None
    assert detect_torn_tables(LONG, []) is None


def test_chunks_of_another_document_are_refused():
    with pytest.raises(ValueError, match="give chunks or nodes of 'rain'"):
        detect_torn_tables(LONG, [Passage("snow", 0, 1, "x")])
