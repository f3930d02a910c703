"""In production: what it costs, what goes wrong and how it is noticed, one validated file, versions, logs."""

from hierrag_lessons.production.configuration import (
    ChunkingConfig,
    ContextConfig,
    PipelineConfig,
    RetrievalConfig,
    load_configuration,
    parse_configuration,
)
from hierrag_lessons.production.costs import Speed, Workload, constant_share, shared_prefixes
from hierrag_lessons.production.drifting import Drift, drift, stability_index
from hierrag_lessons.production.pipeline import Pipeline, chunkers_of
from hierrag_lessons.production.pitfalls import (
    Finding,
    detect_changed_order,
    detect_eager_merges,
    detect_leaf_sizes,
    detect_overfull,
    detect_page_cuts,
    detect_scattered_hits,
    detect_storage,
    detect_torn_tables,
    join_pages,
    storage_ratios,
)
from hierrag_lessons.production.releases import Releases
from hierrag_lessons.production.saving import ShortenedRetriever, head_and_tail, sum_up
from hierrag_lessons.production.watching import QueryRecord, append_records, make_record, read_records

__all__ = [
    "ChunkingConfig",
    "ContextConfig",
    "Drift",
    "Finding",
    "Pipeline",
    "PipelineConfig",
    "QueryRecord",
    "Releases",
    "RetrievalConfig",
    "ShortenedRetriever",
    "Speed",
    "Workload",
    "append_records",
    "chunkers_of",
    "constant_share",
    "detect_changed_order",
    "detect_eager_merges",
    "detect_leaf_sizes",
    "detect_overfull",
    "detect_page_cuts",
    "detect_scattered_hits",
    "detect_storage",
    "detect_torn_tables",
    "drift",
    "head_and_tail",
    "join_pages",
    "load_configuration",
    "make_record",
    "parse_configuration",
    "read_records",
    "shared_prefixes",
    "stability_index",
    "storage_ratios",
    "sum_up",
]
