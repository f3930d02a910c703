"""What a text is made of: tokens, grapheme clusters, sentences, blocks, and rulers to measure any part of it."""

from hierrag_lessons.text.blocks.lines import BlockKind
from hierrag_lessons.text.blocks.reading import Block, blocks_within, read_blocks
from hierrag_lessons.text.entities import entities
from hierrag_lessons.text.graphemes import snap, snap_forward
from hierrag_lessons.text.places import PLACE_FIELDS, known_values
from hierrag_lessons.text.quotes import find_quote
from hierrag_lessons.text.rulers import Ruler, make_ruler
from hierrag_lessons.text.sentences.splitting import split_clauses, split_sentences
from hierrag_lessons.text.terms import LONGEST_QUESTION, terms
from hierrag_lessons.text.token_ruler import TokenRuler
from hierrag_lessons.text.tokens import PATTERN, Measure, count_tokens, encode, get_encoding

__all__ = [
    "LONGEST_QUESTION",
    "PATTERN",
    "PLACE_FIELDS",
    "Block",
    "BlockKind",
    "Measure",
    "Ruler",
    "TokenRuler",
    "blocks_within",
    "count_tokens",
    "encode",
    "entities",
    "find_quote",
    "get_encoding",
    "known_values",
    "make_ruler",
    "read_blocks",
    "snap",
    "snap_forward",
    "split_clauses",
    "split_sentences",
    "terms",
]
