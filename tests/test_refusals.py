"""Every public class and function refuses a bad value when it is given, with a ``ValueError`` that names the parameter.

The parameters are found by introspection, so a new one is tested without being listed. What is tried on a parameter
follows from its annotation: values of another type and, for numbers, one out of range.
"""

import inspect
import io
import sys
import typing
from collections.abc import Iterator

import numpy as np
import pytest

import hierrag_lessons
from hierrag_lessons.agents import FixedPolicy, RetrievalTools
from hierrag_lessons.answers import (
    Answer,
    ContainmentJudge,
    LeadAnswerer,
    RefusalFeatures,
    RefusalRule,
    Statement,
)
from hierrag_lessons.chunkers import RecursiveChunker, build_hierarchy, find_parts
from hierrag_lessons.embedding import CharNgramEmbedder, minilm_folder
from hierrag_lessons.evaluation import Evidence, Question, Table, budget_curve, evaluate
from hierrag_lessons.interview import Attempt, InterviewQuestion, Memory, MockSlot, RubricPoint
from hierrag_lessons.llm import Completion, Turn
from hierrag_lessons.model import Document, Hit, Passage, Span
from hierrag_lessons.production import ChunkingConfig, PipelineConfig, make_record
from hierrag_lessons.propositions import RulePropositions
from hierrag_lessons.ranking import count_terms
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    CoarseToFineRetriever,
    FlatRetriever,
    IndexLevel,
    LevelConfig,
    MultiLevelTrace,
)
from hierrag_lessons.store import Index
from hierrag_lessons.summaries import ExtractiveSummariser
from hierrag_lessons.text import count_tokens, get_encoding, make_ruler
from tests.fakes import WordHashEmbedder

TEXT = "The cat sat on the mat. A dog ran over the hill. Fish swim in the deep blue lake."
ASKED = InterviewQuestion("q", "junior", "search", "What is BM25?", (RubricPoint("says words"),), "It counts words.")
OF_CARDS = ("Deck", "choose", "rehearse", "anki_text", "printable_page", "drill")

# What needs no check of its own, and why.
RECORDS = {
    **dict.fromkeys(["Chunk", "Node", "Hit", "Passage", "Span"], "made for every chunk; what makes them is checked"),
    **dict.fromkeys(
        ["Block", "Proposition", "Summary", "Cluster", "Family", "Outline", "Entry"], "made for every piece of text"
    ),
    **dict.fromkeys(["Hierarchy", "LevelStorage"], "made by the package; build_hierarchy and Index check"),
    **dict.fromkeys(["Completion", "ToolCall", "Turn", "Usage"], "what a model's server said, read there"),
    **dict.fromkeys(["AgenticReport", "PropositionReport"], "counts that the package has made"),
    **dict.fromkeys(
        ["MergeDecision", "MergeTrace", "LevelTrace", "Trace"], "what a retriever has done, told by itself"
    ),
    **dict.fromkeys(
        ["Citation", "Prompt", "Call", "AgentRun", "Walk", "Step"], "what a prompt or an agent was, told by itself"
    ),
    **dict.fromkeys(["Change", "Row", "Result", "AnsweredRow", "Diagnosis", "Agreement"], "what an evaluation found"),
    **dict.fromkeys(["Answer", "Statement", "Quote"], "what was answered, told by the answerer"),
    **dict.fromkeys(["RefusalFeatures", "RefusalRule", "LabelledStatement"], "made by the package, which checks"),
    **dict.fromkeys(["Chunker", "Embedder", "Retriever", "Ruler", "ChatModel", "ToolModel"], "a protocol"),
    **dict.fromkeys(["Answerer", "Judge"], "a protocol"),
    **dict.fromkeys(["NamedPlace", "RewriteReport", "CondenseReport"], "what was read or written, told by itself"),
    **dict.fromkeys(["Rewriter", "LimitedEmbedder", "Reranker", "Summariser", "Agent", "View"], "a protocol"),
    **dict.fromkeys(
        ["Kind", "Language", "Mode", "Order", "BlockKind", "PlaceKind", "Sight", "Support", "ErrorKind", "ErrorCause"],
        "a type, to annotate with",
    ),
    **dict.fromkeys(["Measure", "Message", "Schema", "Where", "JSON", "Cell"], "a type, to annotate with"),
    **dict.fromkeys(["Asked", "Labelled"], "what was found or done, told by itself"),
    **dict.fromkeys(["Comparison", "Recommendation", "Report"], "what a comparison found, told by itself"),
    **dict.fromkeys(["Folder", "Method", "Unread"], "made by read_folder and own_methods"),
    **dict.fromkeys(["Finding", "Drift", "QueryRecord"], "what a detector or a log says; make_record checks"),
    **dict.fromkeys(["InterviewItem", "InterviewLevel", "MockMinutes", "Rule", "RuleName"], "a type, to annotate with"),
    "MockSlot": "made by plan_mock, which checks",
    "TokenRuler": "made by make_ruler, which checks; its methods answer for every cut",
    "Chart": "a figure of matplotlib's, made by the functions of its room",
    "Level": "an enumeration",
    "snap": "asked for every cut",
    "snap_forward": "asked for every cut",
    "trim": "asked for every piece of a text",
    "join_context": "asked for every chunk",
    "misfit": "takes any value: what a model has answered",
    "check_answer": "takes any value: what a model has answered",
}
# Parameters, by class or function, for which any value of the type will do.
ANY_NUMBER = {
    ("verdict", "low"): "a method may be behind",
    ("OptimalSemanticChunker", "price"): "a negative price asks for as many chunks as the sizes allow",
    ("optimal_boundaries", "price"): "the same",
    ("Calculation", "value"): "a step can lead below zero",
    ("SemanticChunker", "level"): "a negative level cuts at more than the mean",
    ("semantic_boundaries", "level"): "the same",
}
# Methods, by class, and why they are left out.
METHODS = {
    ("Session", "call"): "answers whatever a model has written, and never raises",
    ("Session", "record"): "makes a record",
    ("Stop", "allows"): "asked for every passage",
    ("Deck", "longest_ago"): "asked at every draw",
    ("BM25", "with_term"): "asked for every term of a query",
    ("CrossEncoderReranker", "score"): "needs a model that was trained for it; see tests/ranking/test_rerankers.py",
}
MERGING = ("detect_changed_order", "detect_eager_merges", "detect_scattered_hits")
# What passes its values on to the rooms above.
LATER = {("ToolRetriever", "k"), ("ToolRetriever", "query"), ("ToolRetriever", "queries"), ("RetrievalTools", "level")}
SHARES = {"alpha", "balance", "coverage", "full", "half", "redundancy", "strength", "threshold", "wrongly"}


WRONG: dict[str, list[object]] = {
    "int": ["7", 1.5, float("nan"), True],
    "float": ["x", float("nan"), float("inf"), True],
    "str": [7, b"x", ["x"]],
    "Path": [7, ["x"]],
    "bool": ["yes", 1],
    "Measure": ["tokens", 7],
    "Document": ["a text", 7],
    "Index": ["a folder", 7],
    "Sequence[str]": ["one text", [7], 7],
    "Sequence[Chunker]": [RecursiveChunker(), [RecursiveChunker], 7],
    "Sequence[Passage]": ["cat", [7], 7],
    "Iterable[Passage]": ["cat", [7], 7],
    "Iterable[Question]": ["cat", [7], 7],
    "Iterable[Document]": ["cat", [7], 7],
    "Sequence[Document]": ["cat", [7], 7],
    "Sequence[Hit]": ["cat", [7], 7],
    "Trace": ["a trace", 7],
    "MergeTrace": ["a trace", 7],
    "MultiLevelTrace": ["a trace", 7],
    "Table": ["a table", 7],
    "Hierarchy": ["a tree", 7],
    "RetrievalTools": ["search", 7],
    "Agent": ["a model", 7],
    "Embedder": ["MiniLM", CharNgramEmbedder, 7],
    "ChatModel": ["gpt", 7],
    "ToolModel": ["gpt", 7],
    "Retriever": ["flat", FlatRetriever, 7],
    "Reranker": ["max sim", 7],
    "Summariser": ["extractive", ExtractiveSummariser, 7],
    "InterviewItem": ["a question", 7],
    "Iterable[InterviewItem]": ["a question", [7], 7],
    "Iterable[Attempt]": ["an attempt", [7], 7],
    "Attempt": ["an attempt", 7],
    "Memory": ["a memory", 7],
    "Extractor": ["rules", RulePropositions, 7],
}
# Covered by the rooms' own tests until they refuse as the others do.
NOT_HERE = {"store", "retrievers", "exercises"}


class Model:
    """A chat model, and a reranker, that is never asked."""

    name = "none"

    def complete(self, system, user, schema=None):
        return Completion("")

    def turn(self, messages, tools=()):
        return Turn("")

    def score(self, query, texts):
        return np.zeros(len(texts))


def parts(annotation: str) -> list[str]:
    return [part.strip() for part in annotation.split(" | ")]


def is_literal(part: str, module: str) -> bool:
    try:
        return typing.get_origin(eval(part, vars(sys.modules[module]))) is typing.Literal
    except (NameError, SyntaxError, TypeError):
        return False


def bad_values(owner: str, name: str, annotation: str, module: str) -> list[object]:
    """What a parameter must refuse; nothing where its annotation is of no kind that is tried here."""
    found: list[object] = []
    allowed = parts(annotation)
    for part in allowed:
        if part in WRONG:
            found += WRONG[part]
        elif is_literal(part, module):
            found += ["no such thing", 7, ["no such thing"]]
    if "int" in allowed and (owner, name) not in ANY_NUMBER:
        found.append(-1)
    if "float" in allowed and (owner, name) not in ANY_NUMBER:
        found += [-1.0, 1.5] if name in SHARES else [-1.0]
    if "str" in allowed:  # A name and a path, or a number and a name: a text is no value of another type.
        found = [value for value in found if not isinstance(value, str)]
    return found + [None] * (bool(found) and "None" not in allowed)


def is_public(thing: type, name: str) -> bool:
    return not name.startswith("_") and inspect.isroutine(inspect.getattr_static(thing, name))


def trials() -> Iterator[tuple[str, str, str, object]]:
    """Class or function, method or nothing, parameter, bad value."""
    for room, names in hierrag_lessons._ROOMS.items():
        for owner in [] if room in NOT_HERE else names.split():
            thing = getattr(hierrag_lessons, owner)
            warning = inspect.isclass(thing) and issubclass(thing, Exception)
            if owner in RECORDS or warning or not callable(thing):
                continue
            methods = [name for name in vars(thing) if is_public(thing, name)] if inspect.isclass(thing) else []
            for method in ["", *(name for name in methods if (owner, name) not in METHODS)]:
                parameters = inspect.signature(getattr(thing, method) if method else thing).parameters
                for name, parameter in parameters.items():
                    if isinstance(parameter.annotation, str) and (owner, name) not in LATER:
                        for value in bad_values(owner, name, parameter.annotation, thing.__module__):
                            yield owner, method, name, value


TRIALS = list(trials())


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    """A value that will do, by the name of a parameter or by its annotation."""
    folder = tmp_path_factory.mktemp("refusals")
    document = Document("zoo", TEXT)
    hierarchy = build_hierarchy(document, [RecursiveChunker(20), RecursiveChunker(8)])
    index = Index.create(folder / "index", WordHashEmbedder())
    index.add(hierarchy)
    node, ruler = hierarchy.leaves[0], make_ruler(TEXT, count_tokens)
    hits, passage = [Hit(node, 0.5)], Passage("zoo", 0, 23, TEXT[:23], score=0.5)
    question = Question("q", "What did the cat do?", "single_fact", None, (Evidence("zoo", 0, 23),))
    result = evaluate(FlatRetriever(index), [question])
    tools = RetrievalTools(index)
    record = make_record("Who?", [passage], [passage], key="secret", milliseconds=1)
    path = folder / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return {
        "document": document,
        "text": TEXT,
        "hierarchy": hierarchy,
        "index": index,
        "retriever": FlatRetriever(index),
        "node": node,
        "nodes": [node],
        "hits": hits,
        "passages": [passage],
        "found": hits,
        "reranker": Model(),
        "question": question.question,
        "questions": [question],
        "documents": [document],
        "evidence": (Evidence("zoo", 0, 23),),
        "results": {"flat": result},
        "score_verdicts.scores": {"flat": {"q": 0.5, "r": 1.0}, "windows": {"q": 0.5, "r": 0.0}},
        "result": result,
        "before": result,
        "after": result,
        "tools": tools,
        "agent": FixedPolicy(tools),
        "model": Model(),
        "model_name": "no-such-model",
        "embedder": CharNgramEmbedder(16),
        "chunkers": [RecursiveChunker(20), RecursiveChunker(8)],
        "chunker": RecursiveChunker(),
        "ruler": ruler,
        "measure": count_tokens,
        "encoding": get_encoding(),
        "within": Span(0, 23),
        "span": Span(0, 5),
        "a": Span(0, 5),
        "b": Span(0, 5),
        "spans": [Span(0, 5)],
        "taken": [Span(0, 5)],
        "units": ["One sentence.", "Another one."],
        "unit": "One sentence.",
        "prompts": [1000],
        "links": np.eye(2),
        "personalised_page_rank.start": np.ones(2),
        "texts": ["One sentence.", "Another one."],
        "labels": [0, 1],
        "costs": np.zeros((2, 2)),
        "vectors": np.eye(4),
        "centers": np.eye(4),
        "relevance": [0.5] * 4,
        "part": find_parts(document, document.span, ruler, 8, 4)[0],
        "topics": None,
        "summariser": ExtractiveSummariser(),
        "extractor": RulePropositions(),
        "method": "kmeans",
        "path": path,
        "language": "en",
        "source": "zh",
        "rankings": [["a", "b"]],
        "values": [0.5, 0.6],
        "reference": [0],
        "hypothesis": [0],
        "key_facts": ["cat"],
        "curve": budget_curve({"flat": result}),
        "table": Table(("method", "recall"), (("flat", 0.5),)),
        "matrix": np.eye(2),
        "sizes": {"flat": [1, 2]},
        "chunks": {"recursive": list(hierarchy.leaves)},
        "places": (),
        "diagnose.answer": Answer("What did the cat do?", (Statement(TEXT[:23]),)),
        "faithfulness.answer": Answer("What did the cat do?", (Statement(TEXT[:23]),)),
        "answerer": LeadAnswerer(),
        "judge": ContainmentJudge(),
        "supported.statement": Statement(TEXT[:23]),
        "statement": TEXT[:23],
        "features": [RefusalFeatures(0.1, 0, 0.1), RefusalFeatures(0.9, 0, 0.9)] * 5,
        "answerable": [False, True] * 5,
        "rule": RefusalRule(RefusalFeatures(1, 0, 0), 0, 0.5),
        "verdicts": ["0", "1"],
        "agreement.labels": ["0", "1"],
        "quote": TEXT[:23],
        "diagnose.question": question,
        "history": ["What did the cat do?"],
        "rewrite": str.split,
        "columns": {"flat": [passage]},
        "levels": [LevelConfig("leaf", IndexLevel(index, 2), 3)],
        "query": "cat",
        "queries": ["cat"],
        "level": 2,
        "budgets": [100],
        "grow.before": 1,
        "make_retriever": FlatRetriever,
        "CoarseToFineView.trace": CoarseToFineRetriever([LevelConfig("leaf", IndexLevel(index, 2), 3)]).trace("cat"),
        "MultiLevelView.trace": MultiLevelTrace("cat", (), ()),
        "counts": count_terms([["cat"]])[0],
        "MergeView.trace": AutoMergingRetriever(index).trace("cat"),
        "colour": "#0072B2",
        "items": [1],
        "efforts": {"flat": 0},
        "label_documents.questions": folder / "gold.jsonl",
        "TextIO": io.StringIO(),
        "score_chunkers.chunkers": {"recursive": RecursiveChunker()},
        "retrievers": {"flat": FlatRetriever(index)},
        "Table.columns": ("method",),
        "rows": (("flat",),),
        "OpenAIChatModel.model": "none",
        "OpenAIEmbedder.model": "none",
        "SentenceTransformerEmbedder.model_name": minilm_folder(),
        "config": PipelineConfig(),
        "chunkers_of.config": ChunkingConfig(),
        "folder": str(folder / "new"),
        "passage": passage,
        "allowed": {"doc_id": "zoo"},
        "hierarchies": [hierarchy],
        "detect_page_cuts.document": Document("zoo", TEXT, metadata={"pages": [0]}),
        "join_pages.document": Document("zoo", TEXT, metadata={"pages": [0]}),
        "AutoMergingRetriever": AutoMergingRetriever(index),
        **{f"{name}.retriever": AutoMergingRetriever(index) for name in MERGING},
        "make_record.found": [passage],
        "make_record.packed": [passage],
        "records": [record],
        "drift.before": [record, record],
        "drift.after": [record, record],
        "stability_index.before": [0.5, 0.6],
        "stability_index.after": [0.5, 0.6],
        "shorten": lambda passage: [passage],
        "item": ASKED,
        "attempt": Attempt("q", 1, 0.5),
        "attempts": [Attempt("q", 1, 0.5)],
        "memory": Memory(),
        "rubric": ASKED.rubric,
        "marks": [1],
        "met": (True,),
        "slots": [MockSlot(ASKED, 3)],
        "rehearse.rule": "due",
        **{f"{name}.items": [ASKED] for name in OF_CARDS},
        **{f"{name}.level": "junior" for name in ("InterviewQuestion", "DesignCase", "CodeReview")},
        "plan_mock.questions": [ASKED],
        "reviews": [],
        "cases": [],
        "str": "a text",
        "int": 3,
        "float": 0.5,
        "Schema": {"type": "object"},
    }


def call(thing: typing.Any, given: dict[str, object]) -> None:
    made = thing(**given)
    if hasattr(made, "__enter__"):  # what stands before the first yield of a context manager runs here
        made.__enter__()


def fill(thing: typing.Any, values: dict[str, object], owner: str, without: str = "") -> dict[str, object]:
    """Arguments that will do for the parameters that have no default."""
    needed = {
        name: parameter.annotation
        for name, parameter in inspect.signature(thing).parameters.items()
        if parameter.default is parameter.empty and name != without
    }
    return {
        name: values[next(key for key in (f"{owner}.{name}", name, *parts(annotation)) if key in values)]
        for name, annotation in needed.items()
    }


@pytest.mark.parametrize(
    ("owner", "method", "name", "value"),
    TRIALS,
    ids=[f"{owner}{'.' * bool(method)}{method}-{name}-{value!r:.20}" for owner, method, name, value in TRIALS],
)
def test_a_bad_value_is_refused_by_name(values, monkeypatch, owner, method, name, value):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    thing = getattr(hierrag_lessons, owner)
    if method:
        static = inspect.getattr_static(thing, method)
        made = thing if isinstance(static, classmethod) else thing(**fill(thing, values, owner))
        thing = getattr(made, method)
    given = fill(thing, values, owner, without=name)
    with pytest.raises(ValueError, match=rf"(?s)\b{name}\b.*\b(give|use)\b"):
        call(thing, {**given, name: value})


def test_every_exception_is_of_a_public_name():
    public = {name for names in hierrag_lessons._ROOMS.values() for name in names.split()}
    assert {*RECORDS, *(owner for owner, _ in (*ANY_NUMBER, *METHODS))} <= public


RETRIEVERS = sorted(
    name
    for name in {name for names in hierrag_lessons._ROOMS.values() for name in names.split()}
    if hasattr(getattr(hierrag_lessons, name), "retrieve_batch") and name not in RECORDS
)


@pytest.mark.parametrize("queries", [["cat", "dog"], []], ids=["two", "none"])
@pytest.mark.parametrize("owner", RETRIEVERS)
def test_queries_that_can_be_read_only_once_are_refused(values, tmp_path, owner, queries):
    thing = getattr(hierrag_lessons, owner)
    if owner in ("MultiLevelRetriever", "SummaryTreeRetriever"):  # they search other levels than the other index has
        values = {**values, "index": Index.create(tmp_path / "index", WordHashEmbedder())}
    retriever = thing(**fill(thing, values, owner))
    assert len(retriever.retrieve_batch(queries, 2)) == len(queries)
    with pytest.raises(ValueError, match=r"^queries is .*; give a list of texts, for example list\(queries\)$"):
        retriever.retrieve_batch(iter(queries), 2)
