"""Running heads and feet: what comes at an end of two pages or more."""

from hierrag_lessons.model import Document
from hierrag_lessons.own_documents.page_ends import page_ends


def ends(*pages):
    text, starts = "", []
    for page in pages:
        starts.append(len(text))
        text += page + "\n\n"
    document = Document("d.pdf", text, metadata={"pages": starts})
    return [text[start:end] for start, end in page_ends(document)]


def page(number, *lines):
    return "\n".join([f"Lease {number}", *lines, f"Page {number} of 9"])


BODIES = [[f"{what} number {word}." for what in ("Pets", "Rent", "Notice", "Keys", "Noise", "Bins")] for word in "abc"]


def test_two_pages_are_enough():
    assert ends(page(1, *BODIES[0]), page(2, *BODIES[1])) == ["Lease 1", "Page 1 of 9", "Lease 2", "Page 2 of 9"]


def test_once_is_no_running_head():
    assert ends("\n".join(BODIES[0]), "\n".join(BODIES[1])) == []


def test_two_lines_at_an_end_and_not_the_third():
    same = ["The same second line.", "The same third line."]
    found = ends(page(1, *same, *BODIES[0], *reversed(same)), page(2, *same, *BODIES[1], *reversed(same)))
    assert found.count("The same second line.") == 4
    assert "The same third line." not in found
