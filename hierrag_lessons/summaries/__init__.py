"""Summaries: derived texts that cite what they were made from, and hierarchies of them."""

from hierrag_lessons.summaries.protocol import Summariser, Summary

__all__ = ["Summariser", "Summary"]
