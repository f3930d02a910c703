"""Retrieval as tools: a language model, or a fixed rule in its place, searches small excerpts and reads whole sections.

Method: function calling in a loop of acting and reading, as in Yao et al., "ReAct", ICLR 2023. What is read is kept as
passages with exact spans, so an agent is measured like any retriever.
"""

from hierrag_lessons.agents.policies import Agent, FixedPolicy, ToolAgent, ToolRetriever
from hierrag_lessons.agents.run import AgentRun, Call
from hierrag_lessons.agents.session import Session
from hierrag_lessons.agents.tools import READ, SEARCH, RetrievalTools

__all__ = [
    "READ",
    "SEARCH",
    "Agent",
    "AgentRun",
    "Call",
    "FixedPolicy",
    "RetrievalTools",
    "Session",
    "ToolAgent",
    "ToolRetriever",
]
