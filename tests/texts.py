"""Texts that break things, for every property suite."""

import re

from hypothesis import strategies as st

from hierrag_lessons.contracts.texts import HOSTILE, PIECES

__all__ = ["HOSTILE", "texts"]

_CHARACTERS = st.text(st.characters(), max_size=12)  # st.characters() leaves surrogates out, the pieces bring them.

texts = st.lists(st.one_of(st.sampled_from(PIECES), _CHARACTERS), max_size=40).map("".join)
"""Any Unicode, rich in what real documents and hostile ones contain."""


def label(value: object) -> str:
    """The name of a test's case: its ``repr`` without addresses, which differ from process to process."""
    return re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", repr(value))
