"""In production: what it costs, what goes wrong and how it is noticed, one validated file, versions, logs."""

from hierrag_lessons.production.costs import Speed, Workload, constant_share, shared_prefixes
from hierrag_lessons.production.saving import ShortenedRetriever, head_and_tail, sum_up

__all__ = [
    "ShortenedRetriever",
    "Speed",
    "Workload",
    "constant_share",
    "head_and_tail",
    "shared_prefixes",
    "sum_up",
]
