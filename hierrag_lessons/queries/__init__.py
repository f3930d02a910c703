"""The question's side: what it names is looked up, and it is rewritten, split or expanded before the search."""

from hierrag_lessons.queries.conversation import CondenseReport, LLMCondenser, RuleCondenser
from hierrag_lessons.queries.decomposing import RuleDecomposer
from hierrag_lessons.queries.feedback import FeedbackRewriter
from hierrag_lessons.queries.filters import to_filter
from hierrag_lessons.queries.named_places import NamedPlaceRetriever
from hierrag_lessons.queries.places import NamedPlace, PlaceKind, find_places, read_number
from hierrag_lessons.queries.several import MultiQueryRetriever, Rewriter
from hierrag_lessons.queries.written import HyDE, LLMDecomposer, RewriteReport, StepBack

__all__ = [
    "CondenseReport",
    "FeedbackRewriter",
    "HyDE",
    "LLMCondenser",
    "LLMDecomposer",
    "MultiQueryRetriever",
    "NamedPlace",
    "NamedPlaceRetriever",
    "PlaceKind",
    "RewriteReport",
    "Rewriter",
    "RuleCondenser",
    "RuleDecomposer",
    "StepBack",
    "find_places",
    "read_number",
    "to_filter",
]
