"""The questions on paper and on cards: a file that Anki imports, and one HTML page to print."""

from hierrag_lessons.interview.export.anki import anki_text
from hierrag_lessons.interview.export.page import printable_page

__all__ = ["anki_text", "printable_page"]
