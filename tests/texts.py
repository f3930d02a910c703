"""Texts that break things, for every property suite."""

from hypothesis import strategies as st

from hierrag_lessons.contracts.texts import HOSTILE, PIECES

__all__ = ["HOSTILE", "texts"]

_CHARACTERS = st.text(st.characters(), max_size=12)  # st.characters() leaves surrogates out, the pieces bring them.

texts = st.lists(st.one_of(st.sampled_from(PIECES), _CHARACTERS), max_size=40).map("".join)
"""Any Unicode, rich in what real documents and hostile ones contain."""
