"""Hierarchical RAG, built and measured: everything that the lessons import.

    from hierrag_lessons import RecursiveChunker, Index, ParentChildRetriever

The names to start with; nothing is loaded before it is asked for.

Data
    Span                    a half-open range of a text
    Document                one text and what is known about it
    Chunk                   a span with its text
    Passage                 what a retriever returns
    load_corpus             the course's own texts
    read_markdown           a Markdown file as a document
    read_html               a web page as a document
    read_dialogue           turns with speakers as documents

Chunkers
    FixedSizeChunker        pieces of equal size
    SentenceChunker         whole sentences
    RecursiveChunker        at separators from coarse to fine
    StructureChunker        at headings, with their path as context
    DialogueChunker         whole turns of a conversation
    SemanticChunker         where the meaning changes
    TopicChunker            where the topic changes
    AgenticChunker          where a language model says
    HybridChunker           each part by the method that suits it
    build_hierarchy         chunks inside chunks
    make_units              sentences below the leaves

Search
    default_embedder        the embedder of a language, offline
    Index                   nodes of all levels in one LanceDB database

Retrievers
    FlatRetriever           one level, returned as it is
    SentenceWindowRetriever sentences with their neighbours
    ParentChildRetriever    small ones found, their parents returned
    AutoMergingRetriever    leaves that become their parent
    SegmentRetriever        runs of neighbours in which the most was found
    SummaryTreeRetriever    through summaries of clusters
    FourLevelRetriever      summaries, chunks and propositions in one index
    CoarseToFineRetriever   level by level
    HybridRetriever         words and meaning, with the levels above
    MultiLevelRetriever     sentences, scored by all that they lie in
    RerankingRetriever      a second look at what was found

The question
    NamedPlaceRetriever     what the question names is looked up
    MultiQueryRetriever     several queries for one question
    RuleDecomposer          a question of several parts, taken apart

Chunkers and retrievers of your own
    check_chunker           everything that a chunker promises, in one call
    check_retriever         everything that a retriever promises
    BrokenPromise           what they raise: the promise, the input, what came back

Context, evaluation, exercises
    pack                    passages under a budget of tokens
    evaluate                a retriever on questions with gold evidence
    compare                 methods side by side, with intervals
    verdicts                ahead, behind, or no difference shown
    check                   does my answer solve the exercise?
    hint                    a step towards it
    solution                how the course solves it
    progress                what is solved and what is left
    drill                   an interview question, its rubric and your marks

Your own documents
    ask_documents           a folder and a question in, passages with file and lines out
    compare_documents       which method suits a folder, as a report
    silver_questions        questions made from documents, to begin with
    label_documents         helps to write the gold ones

Everything else that is public can be imported from here as well; ``dir(hierrag_lessons)`` lists it, and each room says
what it holds: ``help("hierrag_lessons.chunkers")``.
"""

from __future__ import annotations

from importlib import import_module

_ROOMS = {
    "long_work": "with_progress",
    "model": (
        "AllOf allows both Chunk Chunker Document Embedder Hierarchy Hit join_context JSON Kind Language Node Passage "
        "Prefix Retriever sort_key Span Where"
    ),
    "spans": "clip cover grow merge overlap subtract trim",
    "reading": (
        "Collection CORPORA_DIR DATA_DIR EditionWarning load_corpus load_documents page_at python_reference_checksum "
        "read_dialogue read_html read_markdown read_pdf read_python_reference read_text"
    ),
    "text": (
        "Block BlockKind blocks_within count_tokens encode entities find_quote get_encoding known_values "
        "LONGEST_QUESTION make_ruler Measure PATTERN PLACE_FIELDS read_blocks Ruler snap snap_forward split_clauses "
        "split_sentences terms TokenRuler"
    ),
    "llm": (
        "ChatModel Completion DATA_RULE data_rule default_chat_model fence LLMError Message misfit OpenAIChatModel "
        "Schema Tool ToolCall ToolModel Turn Usage"
    ),
    "embedding": (
        "CachedEmbedder CacheWarning CharNgramEmbedder default_embedder embed_late EmbeddingError encode_queries "
        "HypotheticalDocument LimitedEmbedder minilm_folder MiniLMEmbedder OpenAIEmbedder SentenceTransformerEmbedder "
        "TruncationWarning WordPieces"
    ),
    "chunkers": (
        "AgenticChunker AgenticReport BROAD_CHUNKERS broad_hierarchy build_hierarchy check_answer CHINESE CODE "
        "COURSE_CHUNKERS course_hierarchy "
        "cues DialogueChunker distances ENGLISH Estimate find_clusters find_parts FixedSizeChunker HybridChunker "
        "join_units Level lexical_boundaries majority make_units MARKDOWN optimal_boundaries "
        "OptimalSemanticChunker questions_about RecursiveChunker RUNNING_TEXT SEGMENT_SCHEMA semantic_boundaries "
        "SemanticChunker sentence_hierarchy sentence_units sentence_vectors SentenceChunker StructureChunker "
        "TextTilingChunker topic_boundaries topic_names TopicChunker TopicsRefusedError viterbi words"
    ),
    "propositions": "LLMPropositions Proposition PropositionReport RulePropositions",
    "summaries": (
        "build_four_levels build_summary_tree CachedSummariser cited Cluster ExtractiveSummariser lexrank "
        "LLMSummariser SoftClustering Summariser Summary"
    ),
    "ranking": (
        "BM25 count_terms CrossEncoderReranker max_sim MaxSimReranker mmr personalised_page_rank "
        "reciprocal_rank_fusion rerank Reranker Stop z_score_fusion"
    ),
    "store": "Columns Family Index IndexWarning LevelStorage Mode OfDocument Outline temporary_index Tree Units",
    "retrievers": (
        "AutoMergingRetriever BANDS CoarseToFineRetriever density_score DiverseRetriever EntityGraphRetriever expand "
        "FlatRetriever FourLevelRetriever grade grow_hits HybridRetriever IndexLevel LevelConfig LevelScores "
        "LevelTrace LocalWindow MAJORITY merge_by_rank merge_upwards MergeDecision MergeTrace MultiLevelRetriever "
        "MultiLevelTrace ParentChildRetriever reciprocal_rank_score RerankingRetriever resolve SegmentRetriever "
        "SentenceWindowRetriever SummaryTreeRetriever topmost Trace UnitTrace weighted_score"
    ),
    "queries": (
        "CondenseReport FeedbackRewriter find_places HyDE LLMCondenser LLMDecomposer MultiQueryRetriever NamedPlace "
        "NamedPlaceRetriever PlaceKind read_number Rewriter RewriteReport RuleCondenser RuleDecomposer StepBack "
        "to_filter"
    ),
    "contracts": "BrokenPromise check_chunker check_retriever",
    "context": "Citation free_numbers Order pack pack_prompt Prompt render reorder retrieve_contexts",
    "agents": (
        "Agent AgentRun Call Entry FixedPolicy NEIGHBOURS outline OUTLINE OutlinePolicy Prices question_cost READ "
        "RetrievalTools SEARCH Session Sight Step ToolAgent ToolRetriever Walk"
    ),
    "evaluation": (
        "ANSWER_METRICS bootstrap_interval boundary_f1 budget_curve BUDGETS Cell Change compare complete completeness "
        "course_questions course_set detectable document_coverage evaluate Evidence Geometry geometry hit_rate "
        "holm iou largest_changes load_questions METRICS metrics ndcg paired_difference paired_test pk precision "
        "Question recall reciprocal_rank Result Row score_chunkers score_retrievers score_verdicts Source Table Tier "
        "UNANSWERABLE verdict verdicts window_diff Wording"
    ),
    "answers": (
        "agreement Agreement Answer ANSWER_RULES answer_sentences answered AnsweredRow Answerer ChatAnswerer "
        "containment ContainmentJudge cross_validated diagnose Diagnosis ErrorCause ErrorKind ExtractiveAnswerer "
        "faithfulness fit_refusal Judge JUDGE_RULES LabelledStatement LeadAnswerer load_statements ModelJudge Quote "
        "refusal_features RefusalFeatures RefusalRule RefusingAnswerer room_for_answer Statement Support supported"
    ),
    "showing": (
        "budget_curves Chart chunk_strip ChunkView CoarseToFineView drawing interval_bars MergeView MultiLevelView "
        "OKABE_ITO PassageView side_by_side similarity_matrix size_histogram tint TokenView tree_diagram TreeView View"
    ),
    "own_documents": (
        "ask_documents Asked compare_documents compare_methods Comparison Folder label_documents Labelled Method "
        "own_methods place_of printable read_folder read_questions recommend Recommendation Report SILVER "
        "SILVER_LIMITS silver_questions Unread"
    ),
    "production": (
        "append_records chunkers_of ChunkingConfig constant_share ContextConfig detect_changed_order "
        "detect_eager_merges detect_leaf_sizes detect_overfull detect_page_cuts detect_scattered_hits "
        "detect_storage detect_torn_tables Drift drift Finding head_and_tail join_pages load_configuration "
        "make_record parse_configuration Pipeline PipelineConfig QueryRecord read_records "
        "Releases RetrievalConfig shared_prefixes ShortenedRetriever Speed stability_index storage_ratios sum_up "
        "Workload"
    ),
    "interview": (
        "add_attempt after_review anki_text Attempt attempts_file Calculation Card CARD_RULES choose CodeReview Deck "
        "DesignCase drill InterviewItem InterviewLevel InterviewQuestion Kept kept_overnight load_code_reviews "
        "load_design_cases load_interview_questions mark Marked MARKING_RULES memories Memory MockInterview "
        "MockMinutes MockSlot ModelMarker plan_mock printable_page read_attempts Rehearsal rehearse RubricPoint Rule "
        "RuleName"
    ),
    "exercises": "check Exercise find hint lessons Mistake of_lesson Part Progress progress Reply solution",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = [
    "AgenticChunker",
    "AutoMergingRetriever",
    "BrokenPromise",
    "Chunk",
    "CoarseToFineRetriever",
    "DialogueChunker",
    "Document",
    "FixedSizeChunker",
    "FlatRetriever",
    "FourLevelRetriever",
    "HybridChunker",
    "HybridRetriever",
    "Index",
    "MultiLevelRetriever",
    "MultiQueryRetriever",
    "NamedPlaceRetriever",
    "ParentChildRetriever",
    "Passage",
    "RecursiveChunker",
    "RerankingRetriever",
    "RuleDecomposer",
    "SegmentRetriever",
    "SemanticChunker",
    "SentenceChunker",
    "SentenceWindowRetriever",
    "Span",
    "StructureChunker",
    "SummaryTreeRetriever",
    "TopicChunker",
    "ask_documents",
    "build_hierarchy",
    "check",
    "check_chunker",
    "check_retriever",
    "compare",
    "compare_documents",
    "default_embedder",
    "drill",
    "evaluate",
    "hint",
    "label_documents",
    "load_corpus",
    "make_units",
    "pack",
    "progress",
    "read_dialogue",
    "read_html",
    "read_markdown",
    "silver_questions",
    "solution",
    "verdicts",
]


def __getattr__(name: str) -> object:
    """Load a public name, or a room, when it is first asked for (PEP 562)."""
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOM_OF, *_ROOMS})
