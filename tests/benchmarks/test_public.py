"""Public sets in both kinds of files, what is measured of them, and the tables made from it."""

import csv
import json

import numpy as np
import pytest

from benchmarks import public, results
from benchmarks.public_ablation import LEVELS, PartialSum, variants
from benchmarks.public_sets import SETS, bench_folder, load_chroma, load_set
from hierrag_lessons import CharNgramEmbedder, MultiLevelRetriever, course_hierarchy, load_corpus, make_units
from hierrag_lessons.evaluation import Evidence, Question, evaluate
from hierrag_lessons.model import Document, Passage, Prefix
from hierrag_lessons.store import temporary_index
from tools import public_tables
from tools.markdown import table

FARM = "The hen lays eggs.\r\nThe dog guards the gate, 日夜.\r\nThe cat sleeps.\r\n"
SHIP = "The mast is tall. The sail is torn.\n"
GATE = {"content": "The dog guards the gate", "start_index": 19, "end_index": 42}
SAIL = {"content": "The sail is torn.", "start_index": 18, "end_index": 35}
MAST = {"content": "The mast is tall.", "start_index": 0, "end_index": 17}


def write_chroma(folder, rows):
    """The files of the repository, with line ends of two characters."""
    (folder / "corpora").mkdir(parents=True)
    (folder / "corpora" / "farm.md").write_bytes(FARM.encode())
    (folder / "corpora" / "ship.md").write_bytes(SHIP.encode())
    with (folder / "questions_df.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question", "references", "corpus_id"])
        writer.writerows([question, json.dumps(pieces), corpus] for question, pieces, corpus in rows)


ROWS = [
    ('Who guards, "day and night"?', [GATE], "farm"),
    ("What is\nthe ship like?", [MAST, SAIL], "ship"),
    ("Who sleeps?", [{**GATE, "content": "The cat sleeps."}], "farm"),
    ("How deep?", [{"content": "", "start_index": 5, "end_index": 500}], "ship"),
    ("How high?", [MAST], "tower"),
]


def test_the_original_files_of_chroma(tmp_path):
    folder = tmp_path / "chroma_eval" / "general_evaluation_data"
    write_chroma(folder, ROWS)
    documents, questions = load_chroma(folder)
    assert [(document.doc_id, document.kind, document.language) for document in documents] == [
        ("farm", "text", "en"),
        ("ship", "text", "en"),
    ]
    assert [(q.id, q.question, q.type) for q in questions] == [
        ("chroma-0", 'Who guards, "day and night"?', "single"),
        ("chroma-1", "What is\nthe ship like?", "multi"),
    ]
    assert questions[1].evidence == (Evidence("ship", 0, 17), Evidence("ship", 18, 35))
    texts = {document.doc_id: document.text for document in documents}
    (gate,) = questions[0].evidence
    assert texts["farm"][gate.start : gate.end] == GATE["content"]
    assert dict(questions.dropped) == {
        "chroma-2": "farm has other words at 19-42",
        "chroma-3": "ship has other words at 5-500",
        "chroma-4": "there is no corpora/tower.md",
    }
    assert load_set(tmp_path / "chroma_eval")[1].questions == questions.questions


def test_a_damaged_row_is_named(tmp_path):
    write_chroma(tmp_path, [ROWS[0], ("What?", [{"content": "The mast"}], "ship")])
    with pytest.raises(ValueError, match=r"questions_df\.csv, row 2: KeyError\('start_index'\); a row needs question"):
        load_chroma(tmp_path)


def test_the_plain_files_say_the_same(tmp_path):
    write_chroma(tmp_path / "original", ROWS[:2])
    documents, questions = load_set(tmp_path / "original")
    plain = tmp_path / "plain"
    plain.mkdir()
    lines = [{"doc_id": d.doc_id, "text": d.text, "kind": d.kind, "language": d.language} for d in documents]
    (plain / "documents.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    asked = [
        {
            "id": q.id,
            "question": q.question,
            "type": q.type,
            "answer": None,
            "evidence": [{"doc_id": e.doc_id, "start": e.start, "end": e.end} for e in q.evidence],
        }
        for q in questions
    ]
    lost = {**asked[0], "id": "lost", "evidence": [{"doc_id": "tower", "start": 0, "end": 4}]}
    nobody = {**asked[0], "id": "nobody", "type": "unanswerable", "evidence": []}
    scoped = {**asked[0], "id": "scoped", "scope": "fa"}
    every = [*asked, lost, nobody, scoped]
    (plain / "questions.jsonl").write_text("\n".join(map(json.dumps, every)), encoding="utf-8")
    same_documents, same_questions = load_set(plain)
    assert same_documents == documents
    assert same_questions[:2] == questions.questions
    assert [question.id for question in same_questions] == ["chroma-0", "chroma-1", "scoped"]
    assert same_questions[2].scope == "fa"
    assert list(same_questions.dropped) == ["lost"]


def test_a_folder_without_either_is_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"has neither documents\.jsonl nor questions_df\.csv"):
        load_set(tmp_path)
    monkeypatch.setenv("HIERRAG_BENCH", str(tmp_path / "none"))
    with pytest.raises(ValueError, match=r"HIERRAG_BENCH is .*chroma_eval, locomo, qmsum, xquad-en, xquad-zh"):
        bench_folder()
    monkeypatch.setenv("HIERRAG_BENCH", str(tmp_path))
    assert bench_folder() == tmp_path


def test_the_command_names_what_it_does_not_know(monkeypatch, capsys):
    monkeypatch.delenv("HIERRAG_BENCH", raising=False)
    for arguments, message in ((["squad"], "no public set is called squad"), ([], "HIERRAG_BENCH is ''")):
        with pytest.raises(SystemExit):
            public.main(arguments)
        assert message in capsys.readouterr().err


def test_holm():
    assert public.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert public.holm([0.5, 0.9, 0.4]) == [1.0, 1.0, 1.0]
    assert public.holm([]) == []


class Fixed:
    """A retriever with one answer to everything."""

    def __init__(self, *passages):
        self.passages = list(passages)

    def retrieve_batch(self, queries, k=5, where=None):
        return [self.passages[:k] for _ in queries]


def made_up():
    """Two methods on eight questions: the first always finds half of the evidence, the second all of it."""
    asked = [Question(f"q{n}", "Who?", "single", None, (Evidence("ship", 0, 20),)) for n in range(8)]
    half, whole = Fixed(Passage("ship", 10, 30, "x" * 20)), Fixed(Passage("ship", 0, 25, "x" * 25))
    return {name: evaluate(method, asked, (25, 50), measure=len) for name, method in (("a", half), ("b", whole))}


def test_the_summary_of_a_set():
    found = public.summary(made_up())
    assert list(found) == ["a", "b"]
    assert found["a"]["25"] == {
        "recall": 0.5,
        "low": 0.5,
        "high": 0.5,
        "complete": 0.0,
        "precision": 0.5,
        "used": 20.0,
        "iou": round(10 / 30, 4),
    }
    # The paired test has p = 2 / 2 ** 8; of two comparisons the smaller p-value is doubled, and the other follows it.
    assert found["b"]["50"] == {
        "recall": 1.0,
        "low": 1.0,
        "high": 1.0,
        "complete": 1.0,
        "precision": 0.8,
        "iou": 0.8,
        "used": 25.0,
        "difference": 0.5,
        "from": 0.5,
        "to": 0.5,
        "p": round(4 / 2**8, 4),
    }


def test_what_is_measured_is_stored_set_by_set(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    public.store("sets", "xquad-en", {"questions": 3})
    public.store("ablation", "locomo", {"questions": 2})
    public.store("sets", "chroma_eval", {"questions": 1})
    public.store("sets", "xquad-en", {"questions": 4})
    report = results.read("public")
    assert list(report["sets"].items()) == [("chroma_eval", {"questions": 1}), ("xquad-en", {"questions": 4})]
    assert report["ablation"] == {"locomo": {"questions": 2}}
    assert "lancedb" in report["machine"]
    assert capsys.readouterr().out


YARD = "院子里有一只狗。狗守着大门，日夜不离。\n\n厨房里有一只猫。猫在炉子旁边睡觉。\n\n"
ROOF = "屋顶上有一只公鸡。公鸡在日出时打鸣，叫醒大家。\n\n"


def test_every_retriever_is_measured():
    documents = [Document("house-yard", YARD * 8, language="zh"), Document("barn-roof", ROOF * 8, language="zh")]
    asked = [
        Question(
            "dog", "狗守着什么？", "single", None, (Evidence("house-yard", 8, 19),), language="zh", scope="house-"
        ),
        Question("cock", "公鸡什么时候打鸣？", "single", None, (Evidence("barn-roof", 9, 23),), (), "zh"),
    ]
    found = public.measure(documents, asked)
    assert found["units"] == 8 * 6
    methods = found["in"]["characters"]
    assert next(iter(methods)) == public.BASE
    assert len(methods) == 13
    for name, at in methods.items():
        assert list(at) == ["150", "300", "600", "1200"]
        assert at["1200"]["recall"] == 1.0, name
        assert at["150"]["used"] <= 150
        assert ("p" in at["150"]) == (name != public.BASE)


class LongFirst:
    """Judges a text by its length."""

    def score(self, query, texts):
        return np.array([len(text) for text in texts], float)


def test_other_models_are_measured_beside_the_courses():
    documents = [Document("house-yard", YARD * 8, language="zh"), Document("barn-roof", ROOF * 8, language="zh")]
    asked = [
        Question("cock", "公鸡什么时候打鸣？", "single", None, (Evidence("barn-roof", 9, 23),), (), "zh"),
        Question("dog", "狗守着什么？", "single", None, (Evidence("house-yard", 8, 19),), (), "zh"),
    ]
    found = public.measure_models(documents, asked, CharNgramEmbedder(dim=64), LongFirst())["in"]["characters"]
    name = CharNgramEmbedder(dim=64).name
    plain = [public.BASE, "multi-level", f"{public.BASE}, {name}", f"multi-level, {name}"]
    assert list(found) == [*plain, *(f"{method}, reranked" for method in plain)]
    assert found["multi-level"] == {
        budget: {**entry, "p": found["multi-level"][budget]["p"]}
        for budget, entry in public.measure(documents, asked)["in"]["characters"][
            "multi-level, lift 0.25 (default)"
        ].items()
    }
    assert found[public.BASE]["150"]["recall"] > found[f"{public.BASE}, reranked"]["150"]["recall"] - 1e-9


@pytest.fixture(scope="module")
def units():
    with temporary_index(
        [make_units(course_hierarchy(document)) for document in load_corpus("zh")[:3]], embedder=CharNgramEmbedder()
    ) as index:
        yield index


QUERIES = ["差旅费的报销标准是什么？", "保修期有多长", "第十二条", "qqq"]


def test_the_whole_sum_is_the_retriever(units):
    for where in (None, {"doc_id": Prefix(units.doc_ids()[0])}):
        whole = PartialSum(units).retrieve_batch(QUERIES, 12, where)
        assert whole == MultiLevelRetriever(units, lift=0.0).retrieve_batch(QUERIES, 12, where)
        assert any(whole)


def test_each_part_is_really_left_out(units):
    def order(retriever):
        return [[(p.doc_id, p.start, p.end) for p in found] for found in retriever.retrieve_batch(QUERIES[:3], 12)]

    named = variants(units)
    whole = order(next(iter(named.values())))
    assert [name for name, retriever in list(named.items())[1:] if order(retriever) == whole] == []
    without = [set(LEVELS) - set(named[f"without {LEVELS[name]}"].levels) for name in list(LEVELS)[:-1]]
    assert without == [{"unit"}, {"neighbours"}, {"surroundings"}]
    assert named["the unit + its neighbours"].levels == ("unit", "neighbours")


def report():
    """A made-up results file: two sets with two methods at four budgets, and an ablation of one."""

    def at(recall, p=None):
        entry = {"recall": recall, "low": 0.25, "high": 0.75, "complete": 0.5, "precision": 0.125, "iou": 0.1}
        compared = {} if p is None else {"difference": 0.0625, "from": -0.01, "to": 0.135, "p": p}
        return {**entry, "used": 1234.4, **compared}

    def methods(*budgets):
        return {
            "a": {str(budget): at(0.5 + place / 100) for place, budget in enumerate(budgets)},
            "b": {str(budget): at(0.75, p) for budget, p in zip(budgets, (0.0004, 0.0312, 0.4, 1.0), strict=True)},
        }

    def entry(questions, *budgets):
        return {"documents": 3, "questions": questions, "in": {"characters": methods(*budgets)}}

    sets = {"chroma_eval": entry(229, 650, 1300, 2600, 5200), "xquad-zh": entry(1190, 150, 300, 600, 1200)}
    return {"sets": sets, "ablation": {"chroma_eval": sets["chroma_eval"]}}


def test_the_tables_of_every_method():
    chroma, chinese, published = public_tables.every_method(report())
    header, rows = chroma
    assert header == (
        "Chroma's evaluation (229), characters",
        *("650", "1,300", "2,600", "5,200"),
        *(f"{size}: difference, p" for size in ("650", "1,300", "2,600", "5,200")),
    )
    assert rows[0] == ("a", *(f"{50 + n}.0 (25.0–75.0)" for n in range(4)), "–", "–", "–", "–")
    assert rows[1][-4:] == tuple(f"+6.2 (-1.0 to +13.5), {p}" for p in ("<.001", ".031", ".400", "1.000"))
    assert chinese[0][0] == "XQuAD, Chinese (1,190), characters"
    header, rows = published
    assert header[2:] == ("text returned", "recall", "precision", "IoU")
    assert rows[1] == ("b", "here, 3 corpora, 229 questions", "1,234 characters", "75.0", "12.5", "10.0")
    assert rows[-1] == (
        "GPT-4o chooses the splits, five chunks",
        "published, 5 corpora, 472 questions; text-embedding-3-large",
        *("1,200 tokens", "91.9", "3.9", "3.9"),
    )
    for made in (chroma, chinese, published):
        assert {line.count("|") for line in table(*made).splitlines()} == {len(made[0]) + 1}


def test_the_tables_of_the_overview_and_the_ablation():
    header, rows = public_tables.overview(report())
    assert header[1:] == ("Chroma's evaluation, 1,300 / 5,200", "XQuAD, Chinese, 300 / 1,200")
    assert rows == [("a", "51.0 / 53.0", "51.0 / 53.0"), ("b", "75.0 / 75.0", "75.0 / 75.0")]
    ((header, rows),) = public_tables.ablation(report())
    assert header[-2:] == ("5,200: precision", "used")
    assert rows[1][-2:] == ("12.5", "1,234")
    assert len(rows[0]) == len(header)


def test_every_set_has_a_language():
    assert {about.language for about in SETS.values()} == {"en", "zh"}


def test_the_sentence_below_the_overview_counts_what_is_shown():
    made = report()
    assert public_tables.standing(made).startswith(
        "B is ahead of a in 4 of 8 pairs of set and budget, and behind in 0;"
    )
    made["sets"]["xquad-zh"]["in"]["characters"]["b"]["150"]["difference"] = -0.5
    assert public_tables.standing(made).startswith(
        "B is ahead of a in 3 of 8 pairs of set and budget, and behind in 1;"
    )
