"""What answerers bring of what is in the context, on the development questions: ``python -m benchmarks.answers``.

Six retrievers at equal context tokens; the lead and the extract at equal answer tokens. The extract's two weights are
chosen here, on the English questions at 2,000 tokens; the Chinese ones were not looked at for it. Then what is wrong
with the answers, which questions a rule on scores refuses, and how far counting words agrees with people's labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import product
from statistics import fmean
from typing import Any, get_args

from benchmarks.pooling import LEAF, SECTION, pool_index
from benchmarks.results import write
from hierrag_lessons.answers import (
    AnsweredRow,
    ContainmentJudge,
    ExtractiveAnswerer,
    LeadAnswerer,
    agreement,
    answer_sentences,
    answered,
    cross_validated,
    diagnose,
    load_statements,
    refusal_features,
)
from hierrag_lessons.chunkers import course_hierarchy, make_units, sentence_hierarchy
from hierrag_lessons.context import retrieve_contexts
from hierrag_lessons.embedding import CachedEmbedder, default_embedder
from hierrag_lessons.evaluation import Result, Row, completeness, course_questions, holm, score_retrievers, verdict
from hierrag_lessons.evaluation.intervals import paired_difference, paired_test
from hierrag_lessons.model import Document, Language, Retriever
from hierrag_lessons.retrievers import (
    AutoMergingRetriever,
    FlatRetriever,
    MultiLevelRetriever,
    ParentChildRetriever,
    SentenceWindowRetriever,
)
from hierrag_lessons.store import temporary_index
from hierrag_lessons.text import count_tokens

BUDGETS = (1000, 2000)
CHOSEN_AT = 2000
MOST = ExtractiveAnswerer().max_tokens
TRUST, COVERAGE = (0.0, 0.5, 1.0, 2.0), (0.0, 0.25, 0.5, 1.0)
WRONGLY = 0.05
"""The share of the answerable questions that a rule may refuse."""


@contextmanager
def methods(documents: Sequence[Document]) -> Iterator[dict[str, Retriever]]:
    """The retrievers on indexes of the documents, until the block ends; all search by words and meaning."""
    embedder = CachedEmbedder(default_embedder(documents[0].language))
    units = (make_units(course_hierarchy(document)) for document in documents)
    sentences = (sentence_hierarchy(document) for document in documents)
    with ExitStack() as stack:
        index = stack.enter_context(pool_index(documents))
        windows = stack.enter_context(temporary_index(sentences, embedder=embedder))
        every = stack.enter_context(temporary_index(units, embedder=embedder))
        yield {
            "flat 200": FlatRetriever(index, level=LEAF, mode="hybrid"),
            "flat 600": FlatRetriever(index, level=SECTION, mode="hybrid"),
            "sentence windows": SentenceWindowRetriever(windows, mode="hybrid"),
            "parent-child": ParentChildRetriever(index, child_level=LEAF, coverage=0, mode="hybrid"),
            "auto-merging": AutoMergingRetriever(index, level=LEAF, mode="hybrid"),
            "every level": MultiLevelRetriever(every),
        }


def choose(results: Mapping[str, Result]) -> list[dict[str, float]]:
    """The share of key facts in the answer for each pair of weights, a mean over the retrievers; the best first."""
    at = {name: Result(tuple(r for r in found.rows if r.budget == CHOSEN_AT)) for name, found in results.items()}
    tried = []
    for trust, coverage in product(TRUST, COVERAGE):
        answerer = ExtractiveAnswerer(trust=trust, coverage=coverage)
        means = [answered(result, answerer).mean("answer_completeness") for result in at.values()]
        tried.append({"trust": trust, "coverage": coverage, "answer_completeness": round(fmean(means), 4)})
    return sorted(tried, key=lambda one: -one["answer_completeness"])


def reachable(row: Row, most: int) -> float:
    """The share of the key facts in the sentences that somebody takes who knows the facts, in so many tokens.

    Sentences are taken greedily by new facts a token, so a little more may be possible.
    """
    facts, sentences = row.question.key_facts, answer_sentences(row.passages)
    has = [frozenset(fact for fact in facts if completeness(quote.text, [fact])) for quote in sentences]
    useful = [place for place, own in enumerate(has) if own]
    sizes = {place: count_tokens(sentences[place].text) + 1 for place in useful}  # and what joins it to the next
    got, left = frozenset[str](), most
    while gains := {p: len(has[p] - got) / sizes[p] for p in useful if has[p] - got and sizes[p] <= left}:
        place = max(gains, key=lambda p: (gains[p], -p))
        got, left = got | has[place], left - sizes[place]
    return len(got) / len(facts)


def against_lead(lead: Mapping[str, Result], extract: Mapping[str, Result], budget: int) -> dict[str, Any]:
    """Key facts in context, within reach and in both answers, with the paired difference of the two answers."""
    found: dict[str, Any] = {}
    for name in lead:
        a, b = (results[name].scores("answer_completeness", budget) for results in (extract, lead))
        values, before = list(a.values()), [b[key] for key in a]
        low, high = paired_difference(values, before)
        rows = [row for row in extract[name].rows if row.budget == budget and row.question.key_facts]
        found[name] = {
            "context": round(extract[name].mean("completeness", budget), 4),
            "lead": round(fmean(before), 4),
            "extract": round(fmean(values), 4),
            "reachable": round(fmean(reachable(row, MOST) for row in rows), 4),
            "answer_tokens": round(extract[name].mean("answer_tokens", budget), 1),
            "low": round(low, 4),
            "high": round(high, 4),
            "p": paired_test(values, before),
        }
    for one, p in zip(found.values(), holm([one["p"] for one in found.values()]), strict=True):
        one |= {"p": round(p, 4), "verdict": verdict(one["low"], one["high"], p)}
    return found


def kinds_of_error(result: Result, budget: int) -> dict[str, int]:
    """How many answers there are of each kind of error and each cause."""
    counts: Counter[str] = Counter()
    for row in result.rows:
        if row.budget == budget and isinstance(row, AnsweredRow):
            found = diagnose(row.question, row.passages, row.answer)
            counts[f"{found.kind}, {found.cause}" if found.cause else found.kind] += 1
    return dict(sorted(counts.items()))


def refusals(retriever: Retriever, result: Result, budget: int) -> dict[str, dict[str, float]]:
    """Refused and all: answerable English questions, near misses, and questions on Python asked of the same texts."""
    others = [question.question for question in course_questions("python")[1] if question.answerable]
    rows = [row for row in result.rows if row.budget == budget]
    features = [refusal_features(row.question.question, row.passages) for row in rows]
    contexts = retrieve_contexts(retriever, others, [budget])
    features += [refusal_features(asked, found[budget]) for asked, found in zip(others, contexts, strict=True)]
    kinds = ["answerable" if row.question.answerable else "near miss" for row in rows]
    kinds += ["other subject"] * len(others)
    refused = cross_validated(features, [kind == "answerable" for kind in kinds], WRONGLY)
    return {
        kind: {
            "refused": sum(no for no, own in zip(refused, kinds, strict=True) if own == kind),
            "questions": kinds.count(kind),
            "best_score": round(fmean(f.best for f, own in zip(features, kinds, strict=True) if own == kind), 3),
        }
        for kind in dict.fromkeys(kinds)
    }


def measure(language: Language) -> dict[str, Any]:
    """One language's questions."""
    documents, questions = course_questions(language)
    with methods(documents) as retrievers:
        results = score_retrievers(retrievers, questions, BUDGETS)
        report: dict[str, Any] = {"questions": sum(question.answerable for question in questions)}
        lead, extract = (
            {name: answered(result, answerer) for name, result in results.items()}
            for answerer in (LeadAnswerer(), ExtractiveAnswerer(language=language))
        )
        report["answers"] = {str(budget): against_lead(lead, extract, budget) for budget in BUDGETS}
        report["errors"] = {name: kinds_of_error(result, CHOSEN_AT) for name, result in extract.items()}
        if language == "en":
            report["weights"] = choose(results)
            report["refusals"] = {
                name: refusals(retrievers[name], results[name], CHOSEN_AT) for name in ("flat 200", "every level")
            }
        return report


def containment_agreement() -> dict[str, Any]:
    """How far counting words agrees with the labels of the 60 statements."""
    statements = load_statements()
    said = [ContainmentJudge(language=s.language).judge(s.statement, s.quote.text) for s in statements]
    found = agreement([statement.label for statement in statements], said)
    return {
        "statements": found.n,
        "share": round(found.share, 4),
        "kappa": round(found.kappa, 4),
        "low": round(found.kappa_interval.low, 4),
        "high": round(found.kappa_interval.high, 4),
    }


def main() -> None:
    """Measure both languages, and write ``results/answers.json``."""
    report: dict[str, Any] = {"languages": {language: measure(language) for language in get_args(Language)}}
    write("answers", report | {"containment": containment_agreement()}, ("lancedb", "numpy", "scikit-learn"))


if __name__ == "__main__":
    main()
