"""Exercise 12.2 of lesson 12: the published overlap step is refused, and the reply says what is wrong with it."""

import pytest

from hierrag_lessons.exercises import find
from hierrag_lessons.exercises.assessing import assess
from tests.exercises.reading import text


def published(document, chunks, share):
    """The overlap step as it circulates, on dictionaries: first every path, then the overlap, in place."""
    made = [
        {"text": (f"[{path}]\n" if path else "") + document[start:end], "meta": {"breadcrumbs": path}}
        for path, start, end in chunks
    ]
    for i, chunk in enumerate(made):
        if i + 1 < len(made) and chunk["meta"].get("breadcrumbs") == made[i + 1]["meta"].get("breadcrumbs"):
            count = int(len(chunk["text"]) * share)
            if count > 0:
                made[i + 1]["text"] = chunk["text"][-count:] + made[i + 1]["text"]
    return [chunk["text"] for chunk in made]


def test_the_published_overlap_step_puts_the_path_in_the_middle():
    _, second = published("It rained. The river rose.", [("A", 0, 10), ("A", 11, 26)], 0.5)
    assert second == "rained.[A]\nThe river rose."


def test_the_published_overlap_step_is_refused_by_name():
    reply = assess(find("12.2"), published)
    assert reply.status == "incorrect"
    assert "This is what the published step does" in text(reply)


def from_slices(document, chunks, share):
    """A right answer of another shape: pairs of neighbours, the gap added by hand."""
    answer = []
    for before, (path, start, end) in zip([None, *chunks], chunks, strict=False):
        line = f"[{path}]\n" * bool(path)
        repeated = ""
        if before and before[0] == path and (count := int(share * (before[2] - before[1]))):
            repeated = document[before[1] : before[2]][-count:] + document[before[2] : start]
        answer.append(line + repeated + document[start:end])
    return tuple(answer)


def longer_path(document, chunks, share):
    """A wrong answer: the length of the path counts as part of the chunk before."""
    answer = []
    for before, (path, start, end) in zip([None, *chunks], chunks, strict=False):
        first = start
        if before and before[0] == path:
            size = before[2] - before[1] + (len(path) + 3 if path else 0)
            first = max(before[2] - int(share * size), 0) if int(share * size) else start
        answer.append((f"[{path}]\n" if path else "") + document[first:end])
    return answer


def test_the_length_of_the_path_is_named():
    assert "length of the path" in text(assess(find("12.2"), longer_path))


@pytest.mark.parametrize(("function", "status"), [(from_slices, "correct"), (longer_path, "incorrect")])
def test_other_answers(function, status):
    assert assess(find("12.2"), function).status == status
