"""The two standard hierarchies: how many children a parent has in the course's texts."""

from statistics import median

import pytest

from hierrag_lessons.chunkers import broad_hierarchy, course_hierarchy
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.text import count_tokens


def family_sizes(trees, level, above=0):
    """Numbers of children of the nodes of a level that have more tokens than this."""
    return [
        len(tree.children(node)) for tree in trees for node in tree.levels[level] if count_tokens(node.text) > above
    ]


def share_of_four_to_eight(sizes):
    return sum(4 <= size <= 8 for size in sizes) / len(sizes)


@pytest.mark.parametrize(("language", "sections"), [("en", 5), ("zh", 6)])
def test_the_median_family_of_the_broad_hierarchy_has_four_to_eight_children(language, sections):
    """The numbers that stand in the docstring of ``BROAD_CHUNKERS``."""
    trees = [broad_hierarchy(document) for document in load_corpus(language)]
    leaves_of = family_sizes(trees, 2)
    assert median(leaves_of) == 5
    assert share_of_four_to_eight(leaves_of) == pytest.approx(0.9, abs=0.03)
    assert median(family_sizes(trees, 1, above=600)) == sections
    everything = leaves_of + family_sizes(trees, 1)
    assert 4 <= median(everything) <= 8


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_median_section_of_the_course_hierarchy_has_two_leaves(language):
    trees = [course_hierarchy(document) for document in load_corpus(language)]
    assert median(family_sizes(trees, 2)) == 2
    assert share_of_four_to_eight(family_sizes(trees, 2)) == pytest.approx(0.1, abs=0.03)
