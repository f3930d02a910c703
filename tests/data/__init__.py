"""Checks of the course's texts: what a text says about itself has to be true."""

import re

from hierrag_lessons.reading import CORPORA_DIR


def read(name: str) -> str:
    """The text of a file of data/corpora, its line ends as they stand."""
    return (CORPORA_DIR / name).read_bytes().decode("utf-8")


def han(text: str) -> int:
    """Number of Chinese characters."""
    return len(re.findall("[\u4e00-\u9fff]", text))
