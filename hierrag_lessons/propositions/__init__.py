"""Propositions: short statements that stand on their own, each with the spans it was taken from.

"It rose 8% and is now the largest segment" answers no question by itself. Chen et al., *Dense X Retrieval: What
Retrieval Granularity Should We Use?* (2023), index statements such as "Grid Software rose 8%." and "Grid Software is
now the largest segment." instead. Such a text stands nowhere in the document, so it is not a chunk: it is embedded and
searched, and what is returned is the text at its sources.
"""

from hierrag_lessons.propositions.proposition import Proposition
from hierrag_lessons.propositions.rules import RulePropositions
from hierrag_lessons.propositions.written import LLMPropositions, PropositionReport

__all__ = [
    "LLMPropositions",
    "Proposition",
    "PropositionReport",
    "RulePropositions",
]
