"""Retrieval as tools: a language model, or a fixed rule in its place, searches, walks the outline, and reads sections.

Method: function calling in a loop of acting and reading, as in Yao et al., "ReAct", ICLR 2023. What is read is kept as
passages with exact spans, so an agent is measured like any retriever.
"""

from hierrag_lessons.agents.costs import Prices, question_cost
from hierrag_lessons.agents.outline import Entry, outline
from hierrag_lessons.agents.policies import Agent, FixedPolicy, ToolAgent, ToolRetriever
from hierrag_lessons.agents.run import AgentRun, Call
from hierrag_lessons.agents.session import Session
from hierrag_lessons.agents.tools import NEIGHBOURS, OUTLINE, READ, SEARCH, RetrievalTools
from hierrag_lessons.agents.walking import OutlinePolicy, Sight, Step, Walk

__all__ = [
    "NEIGHBOURS",
    "OUTLINE",
    "READ",
    "SEARCH",
    "Agent",
    "AgentRun",
    "Call",
    "Entry",
    "FixedPolicy",
    "OutlinePolicy",
    "Prices",
    "RetrievalTools",
    "Session",
    "Sight",
    "Step",
    "ToolAgent",
    "ToolRetriever",
    "Walk",
    "outline",
    "question_cost",
]
