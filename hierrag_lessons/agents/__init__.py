"""Retrieval as tools: a language model, or a fixed rule in its place, searches small excerpts and reads whole sections.

Method: function calling in a loop of acting and reading, as in Yao et al., "ReAct", ICLR 2023. What is read is kept as
passages with exact spans, so an agent is measured like any retriever.
"""

from hierrag_lessons.agents.outcome import Call, Outcome
from hierrag_lessons.agents.policies import Agent, FixedPolicy, ToolAgent, ToolRetriever
from hierrag_lessons.agents.session import READ, SEARCH, RetrievalTools, Session

__all__ = [
    "READ",
    "SEARCH",
    "Agent",
    "Call",
    "FixedPolicy",
    "Outcome",
    "RetrievalTools",
    "Session",
    "ToolAgent",
    "ToolRetriever",
]
