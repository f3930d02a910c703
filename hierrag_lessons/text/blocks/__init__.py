"""Blocks: the headings, paragraphs, lists, tables, code and formulas of a document, each as an exact span."""

from hierrag_lessons.text.blocks.lines import BlockKind
from hierrag_lessons.text.blocks.reading import Block, blocks_within, read_blocks

__all__ = ["Block", "BlockKind", "blocks_within", "read_blocks"]
