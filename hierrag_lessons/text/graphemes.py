"""Places where a text can be cut without breaking a character that a reader sees.

Lesson 01 builds it.
"""

from __future__ import annotations

import regex

_INSIDE_A_PAIR = r"(?<=[\ud800-\udbff])(?=[\udc00-\udfff])"
_CLUSTER = regex.compile(rf"\X(?:{_INSIDE_A_PAIR}\X)*")
# Places that Unicode's grapheme segmentation (UAX 29) calls boundaries, told from the few characters around them. What
# is missing are those inside a run of flags, which have to be counted from its beginning.
_BOUNDARY = regex.compile(
    rf"""(?!(?<=\r)(?=\n)|{_INSIDE_A_PAIR})(?:
        (?<=\p{{GCB=Other}})(?=\p{{GCB=Other}})  # by far the commonest, so it is tried first
        | (?<=[\p{{GCB=Control}}\r\n]) | (?=[\p{{GCB=Control}}\r\n])
        | (?<!\p{{GCB=Prepend}})(?:
            (?=\p{{GCB=Other}})
              (?<!\p{{ExtPict}}\p{{GCB=Extend}}*\u200d(?=\p{{ExtPict}}))
              (?<!\p{{InCB=Linker}}[\p{{InCB=Extend}}\p{{InCB=Linker}}]*(?=\p{{InCB=Consonant}}))
            | (?=\p{{GCB=Prepend}}) | (?<!\p{{GCB=Regional_Indicator}})(?=\p{{GCB=Regional_Indicator}})
            | (?<!\p{{GCB=L}})(?=[\p{{GCB=L}}\p{{GCB=LV}}\p{{GCB=LVT}}])
            | (?<![\p{{GCB=L}}\p{{GCB=V}}\p{{GCB=LV}}])(?=\p{{GCB=V}})
            | (?<![\p{{GCB=V}}\p{{GCB=T}}\p{{GCB=LV}}\p{{GCB=LVT}}])(?=\p{{GCB=T}})
        )
    )""",
    regex.VERBOSE,
)
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_LAST_BOUNDARY = regex.compile(_BOUNDARY.pattern, regex.VERBOSE | regex.REVERSE)


def snap(text: str, position: int, start: int = 0) -> int:
    """The last place at or before ``position`` where a cut breaks no character that a reader sees.

    Such places lie between grapheme clusters (Unicode UAX 29): never inside an emoji with its joiners, between a letter
    and its accent, or inside a CRLF; nor between the two halves of a surrogate pair. ``start`` is a place already known
    to be one, and the lowest answer.
    """
    if position <= start or position >= len(text):
        return max(start, min(position, len(text)))
    left, right = text[position - 1], text[position]
    if left < "\x7f" and right < "\x7f":
        return position - (left == "\r" and right == "\n")
    if left == "\n" or right == "\n" or _BOUNDARY.match(text, position):
        return position
    if left in _FLAGS and right in _FLAGS:  # Each two make a flag, from the beginning of the run.
        run = len(text[start:position]) - len(text[start:position].rstrip(_FLAGS))
        if run != 1:
            return position - run % 2
    last = _LAST_BOUNDARY.search(text, start, position)
    first = last.start() if last else start
    # On a slice, because the pattern counts a run of flags back to the beginning of its text. One character after the
    # position is enough to tell whether a cluster goes on.
    ends = [first + cluster.end() for cluster in _CLUSTER.finditer(text[first : position + 1])]
    return max((end for end in ends if end <= position), default=first)


def _cluster_end(text: str, start: int) -> int:
    """Where the grapheme cluster that starts at ``start`` ends; a surrogate pair counts as one."""
    window = 64
    while True:
        piece = text[start : start + window]
        cluster = _CLUSTER.match(piece)
        end = cluster.end() if cluster else 1
        if end < len(piece) or start + window >= len(text):
            return start + end
        window *= 8


def snap_forward(text: str, start: int, position: int) -> int:
    """The first permitted cut at or after ``position``, from a permitted ``start`` on."""
    cut = snap(text, position, start)
    return cut if cut == position else _cluster_end(text, cut)


def at_least_a_cluster(text: str, start: int, end: int, cut: int) -> int:
    """``cut``, or the end of the first cluster where a piece from ``start`` would be empty; at most ``end``."""
    return min(end, cut if cut > start or start >= end else _cluster_end(text, start))
