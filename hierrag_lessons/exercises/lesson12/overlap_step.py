"""Exercise 12.2, the overlap step that pushes the heading path into the middle of a chunk."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hierrag_lessons.exercises.exercise import Exercise, Mistake

Chunks = list[tuple[str, int, int]]


def texts_to_embed(text: str, chunks: list[tuple[str, int, int]], share: float) -> list[str]:
    """Each chunk's path in a line of its own, then its text with the end of the chunk before it."""
    texts = []
    before = None
    for path, start, end in chunks:
        first = start
        if before is not None and before[0] == path:
            repeated = int(share * (before[2] - before[1]))
            if repeated > 0:
                first = before[2] - repeated
        prefix = f"[{path}]\n" if path else ""
        texts.append(prefix + text[first:end])
        before = (path, start, end)
    return texts


def _character_by_character(text: str, chunks: Chunks, share: float) -> list[str]:
    """Oracle: of each character, is it the chunk's, between the two, or among the last of the one before?"""
    texts = []
    for i in range(len(chunks)):
        path, start, end = chunks[i]
        same = i > 0 and chunks[i - 1][0] == path
        last_start, last_end = chunks[i - 1][1:] if same else (start, start)
        n = int(share * (last_end - last_start))
        kept = [
            character
            for place, character in enumerate(text)
            if start <= place < end or (same and n and last_end - n <= place < start)
        ]
        texts.append("".join([*(["[", path, "]", "\n"] if path else []), *kept]))
    return texts


def _cases(rng: Random) -> Iterator[tuple[str, Chunks, float]]:
    yield ("", [], 0.1)
    yield ("It rained.", [("A", 0, 10)], 0.5)
    yield ("It rained.", [("", 0, 10)], 0.5)
    yield ("It rained. The river rose.", [("A", 0, 10), ("A", 11, 26)], 0.5)
    yield ("It rained. The river rose.", [("", 0, 10), ("", 11, 26)], 0.5)
    yield ("It rained. The river rose.", [("A", 0, 10), ("B", 11, 26)], 0.5)
    yield ("It rained. The river rose.", [("A", 0, 10), ("A", 11, 26)], 0.0)
    yield ("It rained. The river rose.", [("A", 0, 10), ("A", 11, 26)], 0.05)
    yield ("It rained. The river rose. All fled.", [("A", 0, 10), ("A", 11, 26), ("A", 27, 36)], 0.5)
    yield ("It rained. The river rose. All fled.", [("A", 0, 10), ("A", 11, 26), ("B", 27, 36)], 1.0)
    words = ["rain", "river", "a", "flood", "we", "fled", "high"]
    for _ in range(40):
        text, chunks = "", []
        for _ in range(rng.randrange(1, 6)):
            text += rng.choice([" ", "\n\n"]) if text else ""
            start = len(text)
            text += " ".join(rng.choices(words, k=rng.randrange(1, 7))) + "."
            chunks.append((rng.choice(["A", "A", "A", "A › B", ""]), start, len(text)))
        yield (text, chunks, rng.choice([0.0, 0.1, 0.25, 0.5]))


def published_step(text: str, chunks: Chunks, share: float) -> list[str]:
    """What circulates: the end of the text before it is put in front of a chunk that has its path already."""
    texts = [(f"[{path}]\n" if path else "") + text[start:end] for path, start, end in chunks]
    for i in range(len(chunks) - 1):
        if chunks[i][0] == chunks[i + 1][0]:
            repeated = int(len(texts[i]) * share)
            if repeated > 0:
                texts[i + 1] = texts[i][-repeated:] + texts[i + 1]
    return texts


def _own_text_in_front_of_the_path(text: str, chunks: Chunks, share: float) -> list[str]:
    texts = []
    for full, (path, start, end) in zip(texts_to_embed(text, chunks, share), chunks, strict=True):
        prefix = f"[{path}]\n" if path else ""
        body = full[len(prefix) :]
        own = text[start:end]
        texts.append(body[: len(body) - len(own)] + prefix + own)
    return texts


def _end_of_what_was_made(text: str, chunks: Chunks, share: float) -> list[str]:
    texts: list[str] = []
    for i, (path, start, end) in enumerate(chunks):
        prefix = f"[{path}]\n" if path else ""
        repeated = int(len(texts[-1]) * share) if i and chunks[i - 1][0] == path else 0
        gap = text[chunks[i - 1][2] : start] if repeated else ""
        texts.append(prefix + (texts[-1][-repeated:] if repeated else "") + gap + text[start:end])
    return texts


def _longer_and_longer(text: str, chunks: Chunks, share: float) -> list[str]:
    """The share is taken of the chunk before as it has become: with what it repeats itself."""
    texts = []
    first_before = 0
    for i, (path, start, end) in enumerate(chunks):
        first = start
        if i and chunks[i - 1][0] == path:
            repeated = int(share * (chunks[i - 1][2] - first_before))
            first = chunks[i - 1][2] - repeated if repeated else start
        texts.append((f"[{path}]\n" if path else "") + text[first:end])
        first_before = first
    return texts


def _path_counted(text: str, chunks: Chunks, share: float) -> list[str]:
    texts = []
    for i, (path, start, end) in enumerate(chunks):
        first = start
        prefix = f"[{path}]\n" if path else ""
        if i and chunks[i - 1][0] == path:
            _, a, b = chunks[i - 1]
            repeated = int(share * (b - a + len(prefix)))
            first = max(b - repeated, 0) if repeated else start
        texts.append(prefix + text[first:end])
    return texts


def _across_headings(text: str, chunks: Chunks, share: float) -> list[str]:
    bodies = texts_to_embed(text, [("", start, end) for _, start, end in chunks], share)
    return [(f"[{path}]\n" if path else "") + body for (path, _, _), body in zip(chunks, bodies, strict=True)]


def _glued(text: str, chunks: Chunks, share: float) -> list[str]:
    texts = []
    for i, (path, start, end) in enumerate(chunks):
        repeated = ""
        if i and chunks[i - 1][0] == path:
            _, a, b = chunks[i - 1]
            repeated = text[b - int(share * (b - a)) : b]
        texts.append((f"[{path}]\n" if path else "") + repeated + text[start:end])
    return texts


def _white_space_without_overlap(text: str, chunks: Chunks, share: float) -> list[str]:
    texts = []
    for i, (path, start, end) in enumerate(chunks):
        first = start
        if i and chunks[i - 1][0] == path:
            _, a, b = chunks[i - 1]
            first = b - int(share * (b - a))
        texts.append((f"[{path}]\n" if path else "") + text[first:end])
    return texts


def _slice_from_minus_zero(text: str, chunks: Chunks, share: float) -> list[str]:
    texts = []
    for i, (path, start, end) in enumerate(chunks):
        repeated = ""
        if i and chunks[i - 1][0] == path:
            _, a, b = chunks[i - 1]
            repeated = text[a:b][-int(share * (b - a)) :] + text[b:start]
        texts.append((f"[{path}]\n" if path else "") + repeated + text[start:end])
    return texts


def _own_size(text: str, chunks: Chunks, share: float) -> list[str]:
    texts = []
    for i, (path, start, end) in enumerate(chunks):
        first = start
        if i and chunks[i - 1][0] == path:
            repeated = min(int(share * (end - start)), chunks[i - 1][2])
            first = chunks[i - 1][2] - repeated if repeated else start
        texts.append((f"[{path}]\n" if path else "") + text[first:end])
    return texts


def _empty_brackets(text: str, chunks: Chunks, share: float) -> list[str]:
    texts = texts_to_embed(text, chunks, share)
    return [full if path else f"[]\n{full}" for (path, _, _), full in zip(chunks, texts, strict=True)]


def _no_path(text: str, chunks: Chunks, share: float) -> list[str]:
    texts = texts_to_embed(text, chunks, share)
    return [full[len(path) + 3 :] if path else full for (path, _, _), full in zip(chunks, texts, strict=True)]


def _no_overlap(text: str, chunks: Chunks, share: float) -> list[str]:
    return texts_to_embed(text, chunks, 0.0)


OVERLAP_STEP = Exercise(
    id="12.2",
    title="Repair the overlap step",
    solution=texts_to_embed,
    oracle=_character_by_character,
    cases=_cases,
    hints=(
        "On spans nothing is glued: a chunk that repeats the end of the one before it is a slice that starts earlier.",
        "Work out the earlier start from `chunks` alone, never from a text that you have made already.",
        "The path is first in the text, whatever is repeated. And think of a share so small that nothing is.",
    ),
    mistakes=(
        Mistake(
            published_step,
            "This is what the published step does. The path stands in the middle of the chunk, and the repeated text "
            "is cut from a text that holds a path and earlier repetitions. Work on the spans, and put the path first.",
        ),
        Mistake(
            _own_text_in_front_of_the_path,
            "The right characters are repeated, but in front of the path. The path is the first line.",
        ),
        Mistake(
            _end_of_what_was_made,
            "The repeated part was taken from the text made for the chunk before, path and repetitions included. Take "
            "it from the document.",
        ),
        Mistake(
            _longer_and_longer,
            "The share was taken of a chunk that was longer already, because it repeats something itself. A "
            "chunk's size is `end - start`.",
        ),
        Mistake(
            _path_counted,
            "The length of the path was counted as part of the chunk before, so too much is repeated. Take the share "
            "of `end - start`.",
        ),
        Mistake(
            _across_headings,
            "Text was repeated under another heading, where it does not belong. Repeat only where paths are the same.",
        ),
        Mistake(_glued, "The white space between the two chunks is missing, so two words or sentences are glued."),
        Mistake(
            _white_space_without_overlap,
            "Nothing is to be repeated here, but the chunk begins with the white space in front of it.",
        ),
        Mistake(
            _slice_from_minus_zero,
            "Nothing is to be repeated here, but the whole chunk was: `text[-0:]` is all of the text.",
        ),
        Mistake(_own_size, "The share is one of the chunk before, whose end is repeated, not of the chunk at hand."),
        Mistake(_empty_brackets, "A chunk without a path begins with its text: no brackets, no line break."),
        Mistake(_no_path, "The path is missing: it stands in brackets in the first line of each chunk that has one."),
        Mistake(_no_overlap, "Nothing is repeated, although the chunk before has the same path."),
    ),
)
