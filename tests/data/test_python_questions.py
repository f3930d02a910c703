"""The gold questions over the Python reference: found exactly once, hard for word matching, spread out, balanced."""

import json
import re
import sys
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from hierrag_lessons.evaluation import load_questions
from hierrag_lessons.reading import DATA_DIR
from hierrag_lessons.text import count_tokens

PATH = DATA_DIR / "questions" / "python_reference.jsonl"
LEAST = {"single_fact": 16, "summary": 14, "enumeration": 14, "process": 10, "unanswerable": 6}
SPREAD_TYPES = {"summary", "enumeration", "process"}

# The wording of the reference changes even between patch releases, so nothing can be promised for other ones.
CHECKED_RELEASES = {(3, 11, 7), (3, 12, 1), (3, 13, 0)}
IS_CHECKED = sys.version_info[:3] in CHECKED_RELEASES

RECORDS = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]
ANSWERABLE = [record for record in RECORDS if record["type"] != "unanswerable"]

# What an answer would have to mention; none of it stands in the texts.
ABSENT = {
    "GIL": r"\bGIL\b|global interpreter lock",
    "TaskGroup": r"TaskGroup|asyncio",
    "call themselves": r"recursion (limit|depth)|setrecursionlimit",
    "hash table": r"load factor|resiz|fill ratio|rehash",
    "youngest generation": r"youngest|threshold|gc\.(freeze|collect|get)",
    "dataclass": r"dataclass",
    "regular-expression": r"DOTALL|re\.S\b|\(\?s\)",
    "spawn": r"\bspawn|\bfork|multiprocessing",
}

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a about after again all also although am an and any are as at be because been before being between both but
        by can could did do does doing done down each either else even ever every few for from further get gets give
        gives go goes had has have having he her here him his how i if in into is it its itself just like made make
        makes many may me might more most much must my myself neither never no nor not now of off often on once one
        only or other our out over own per rather same shall she should since so some such than that the their them
        themselves then there these they this those though through to too under until up upon us very was we were what
        when where whether which while who whom whose why will with within without would yet you your""",
    )
)


def stem(word: str) -> str:
    for ending in ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending) + ("y" if ending == "ies" else "")
            break
    if len(word) > 3:
        word = word.removesuffix("e")
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] != "_" else word


def words(text: str) -> list[str]:
    found = re.findall(r"[a-z0-9_]+", text.lower().replace("’", "'").replace("'s", ""))
    return [word for word in found if len(word) > 1]


def content_words(question: str) -> set[str]:
    """Stems of the words that carry meaning; in code (between backquotes) even "for" and "with" do."""
    code = words(" ".join(re.findall(r"`([^`]+)`", question)))
    return {stem(word) for word in words(question) if word not in STOP_WORDS or word in code}


def quotes(record: dict) -> list[str]:
    return [piece["quote"] for piece in record["evidence"]]


def by_id(record: dict) -> str:
    return record["id"]


@pytest.fixture(scope="module")
def questions(reference):
    return load_questions(PATH, reference, missing="drop")


def test_evidence_is_located(questions):
    assert len(questions) + len(questions.dropped) == len(RECORDS)
    if IS_CHECKED:
        assert questions.dropped == {}
    answerable = sum(question.answerable for question in questions)
    assert answerable >= 0.85 * len(ANSWERABLE), questions.dropped


def test_a_quote_stands_once_in_all_documents(questions, reference):
    texts = {document.doc_id: " ".join(document.text.split()) for document in reference}
    for record in RECORDS:
        if record["id"] in questions.dropped:
            continue
        for piece in record["evidence"]:
            # The look-ahead counts places that overlap, too.
            pattern = re.compile(f"(?={re.escape(' '.join(piece['quote'].split()))})")
            holders = [doc_id for doc_id, text in texts.items() for _ in pattern.finditer(text)]
            assert holders == [piece["doc_id"]], (record["id"], piece["quote"])


def test_evidence_of_a_question_does_not_overlap(questions):
    for question in questions:
        pieces = sorted((piece.doc_id, piece.start, piece.end) for piece in question.evidence)
        for (doc_id, _, end), (next_doc_id, start, _) in pairwise(pieces):
            assert doc_id != next_doc_id or end <= start, question.id


def test_ids_and_fields():
    assert [record["id"] for record in RECORDS] == [f"py-{number:03d}" for number in range(1, len(RECORDS) + 1)]
    assert len({record["question"] for record in RECORDS}) == len(RECORDS)
    fields = {"id", "question", "type", "language", "split", "answer", "key_facts", "evidence"}
    for record in RECORDS:
        assert set(record) == fields
        assert record["language"] == "en"
        assert record["question"].endswith("?")
        assert record["answer"].strip()


def test_counts_and_splits():
    types = Counter(record["type"] for record in RECORDS)
    assert set(types) == set(LEAST)
    assert sum(types.values()) >= 60
    assert all(types[kind] >= least for kind, least in LEAST.items()), types
    splits = Counter((record["type"], record["split"]) for record in RECORDS)
    assert {split for _, split in splits} == {"dev", "test"}
    assert all(abs(splits[kind, "dev"] - splits[kind, "test"]) <= 1 for kind in types), splits
    assert abs(sum(record["split"] == "dev" for record in RECORDS) - len(RECORDS) / 2) <= 1


@pytest.mark.parametrize("record", RECORDS, ids=by_id)
def test_number_of_quotes_and_key_facts(record):
    least, most = {"single_fact": (1, 2), "unanswerable": (0, 0)}.get(record["type"], (3, 8))
    assert least <= len(record["evidence"]) <= most
    if record["type"] == "unanswerable":
        assert record["key_facts"] == []
    else:
        assert 2 <= len(record["key_facts"]) <= 6
        assert len(set(record["key_facts"])) == len(record["key_facts"])


@pytest.mark.parametrize("record", ANSWERABLE, ids=by_id)
def test_key_facts_stand_in_the_evidence(record):
    evidence = [" ".join(quote.casefold().split()) for quote in quotes(record)]
    for fact in record["key_facts"]:
        assert any(" ".join(fact.casefold().split()) in quote for quote in evidence), fact


@pytest.mark.parametrize("record", ANSWERABLE, ids=by_id)
def test_a_question_shares_at_most_half_its_words_with_its_evidence(record):
    asked = content_words(record["question"])
    shared = asked & {stem(word) for word in words(" ".join(quotes(record)))}
    assert len(asked) >= 5
    assert len(shared) <= 0.5 * len(asked), shared


def test_content_words_sees_through_endings():
    assert content_words("The sets were sorted; sorting a set") == {"set", "sort"}
    assert content_words("Copies of a copy, `__init__` and running runs") == {"copy", "__init__", "run"}
    assert content_words("After a `for` with a break, what for?") == {"for", "break"}


def test_one_small_chunk_is_never_enough(questions, reference):
    texts = {document.doc_id: document.text for document in reference}
    wide = []
    for question in questions:
        if question.type not in SPREAD_TYPES:
            continue
        places = defaultdict(list)
        for piece in question.evidence:
            places[piece.doc_id] += [piece.start, piece.end]
        if len(places) > 1:
            wide.append(True)
            continue
        ((doc_id, offsets),) = places.items()
        tokens = count_tokens(texts[doc_id][min(offsets) : max(offsets)])
        assert tokens > 200, question.id
        wide.append(tokens >= 250)
    assert sum(wide) >= 0.9 * len(wide)


@pytest.mark.skipif(not IS_CHECKED, reason="the texts of other releases may deal with more")
@pytest.mark.parametrize(("topic", "pattern"), ABSENT.items(), ids=list(ABSENT))
def test_unanswerable_questions_are_not_answered(topic, pattern, reference_text):
    assert sum(topic in record["question"] for record in RECORDS if record["type"] == "unanswerable") == 1
    assert re.findall(pattern, reference_text) == []


def test_every_unanswerable_question_is_checked():
    unanswerable = [record["question"] for record in RECORDS if record["type"] == "unanswerable"]
    assert all(any(topic in question for topic in ABSENT) for question in unanswerable)
    assert len(unanswerable) == len(ABSENT)
