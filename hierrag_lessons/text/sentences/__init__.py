"""Sentences and clauses as spans, in English, in Chinese and where the two are mixed.

The rules know no language switch. A full stop of the Latin script ends a sentence where white space follows and the
word before it is no abbreviation; one of the Chinese script ends a sentence wherever it stands. Marks that close (a
quote, a bracket) go with the sentence that they close. Lines come first: a blank line, a heading, a list item, a table
row or a speaker's name ends whatever came before, while the line breaks of hard-wrapped prose end nothing.
"""

from hierrag_lessons.text.sentences.splitting import split_clauses, split_sentences

__all__ = ["split_clauses", "split_sentences"]
