import io
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.chunkers import build_hierarchy, course_hierarchy, make_units
from hierrag_lessons.model import Document, Passage, Span
from hierrag_lessons.own_documents.candidates import _apart, candidates
from hierrag_lessons.own_documents.folder import read_folder
from hierrag_lessons.own_documents.gold_file import append_question, evidence_fields
from hierrag_lessons.own_documents.judging import Judgement, read_judgement
from hierrag_lessons.own_documents.labelling import label_documents
from hierrag_lessons.own_documents.methods import flat_chunker
from hierrag_lessons.own_documents.questions import read_questions
from hierrag_lessons.retrievers import FlatRetriever, MultiLevelRetriever
from hierrag_lessons.spans import overlap
from hierrag_lessons.store import temporary_index
from tests.fakes import WordHashEmbedder

NOTICE = "The tenant may leave with three months' notice in writing, at the end of any month of the year."
FAQ = "You want to leave? Give three months' notice in writing, and hand back all of the keys that you have."
RENT = "The rent is due on the third working day of each month, and it is paid to the account of the landlord."
PETS = "Pets need the written consent of the landlord before they move in, fish and hamsters excepted."


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "lease.md").write_text(f"# Lease\n\n{NOTICE} {RENT}\n\n{PETS}\n", encoding="utf-8")
    (folder / "faq.txt").write_text(FAQ + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def label(docs, tmp_path):
    def label(*lines, name="gold.jsonl"):
        screen = io.StringIO()
        reader = io.StringIO("".join(f"{line}\n" for line in lines))
        place, embedder = tmp_path / name, WordHashEmbedder()
        done = label_documents(docs, place, reader=reader, writer=screen, keep=tmp_path / "kept", embedder=embedder)
        return done, screen.getvalue()

    return label


def saved(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_question_a_key_and_it_is_saved(label, docs):
    done, screen = label("When is the rent due?", "y 3", "d", "on the third working day", "q")
    assert (done.added, done.total) == (1, 1)
    assert "[1/" in screen
    assert "lease.md:" in screen
    [question] = read_questions(done.path, read_folder(docs).documents)
    assert RENT in docs.joinpath("lease.md").read_text(encoding="utf-8")[slice(*question.evidence[0].span)]
    assert (question.answer, question.type) == ("on the third working day", "question")


def test_only_a_sentence_is_accepted_and_another_place_says_the_same(label, docs):
    first, screen = label("notice in writing to leave", *["n"] * 10)
    shown = screen.split("Nothing accepted")[0].split("\n[")[1:]
    order = [place for place, text in enumerate(shown) if "three months' notice" in text]
    assert len(order) == 2
    keys = ["y 2" if place == order[0] else "s 2" if place == order[1] else "n" for place in range(len(shown))]
    done, _ = label("notice in writing to leave", *keys, "", "q")
    [line] = saved(done.path)
    [piece] = line["evidence"]
    assert [other["doc"] for other in piece["alternatives"]] != [piece["doc"]]
    assert first.added == 0
    [question] = read_questions(done.path, read_folder(docs).documents)
    assert len(question.evidence[0].places) == 2


def test_of_several_sentences_it_is_asked_which(label):
    done, screen = label("When is the rent due?", "y", "", "9", "2", "d", "", "Pets, or rent?", "y", "a", "d", "", "q")
    assert "All of it, or which of its sentences?" in screen
    assert screen.count("Type a, or numbers from 1 to ") == 2
    first, second = (line["evidence"][0]["quote"] for line in saved(done.path))
    assert len(first) < len(second)


def test_whoever_stops_at_the_answer_has_saved_the_question(label):
    done, _ = label("When is the rent due?", "y", "1", "d", "q", "Do pets need consent?", "y", "1", "d", "")
    [line] = saved(done.path)
    assert "answer" not in line
    done, _ = label("Who painted the zebra?", "d", "q", "Do pets need consent?", "y 1", "d", "")
    assert (done.added, done.total) == (0, 1)


def test_a_proposed_passage_is_the_first_to_judge(label):
    done, screen = label("", "What may a landlord forbid?", "y", "d", "", "q")
    proposed = screen.split("\n[1/")[1]
    [line] = saved(done.path)
    assert " ".join(line["evidence"][0]["quote"].split()) in " ".join(proposed.split())


def test_an_unanswerable_question_is_kept_as_such(label, docs):
    done, _ = label("Who painted the zebra?", "d", "u", "q")
    [question] = read_questions(done.path, read_folder(docs).documents)
    assert not question.answerable


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["q"],
        ["", "q"],
        ["", "", "q"],
        ["When is the rent due?"],
        ["When is the rent due?", "q"],
        ["When is the rent due?", "y"],
        ["When is the rent due?", "y", "q"],
        ["When is the rent due?", "k", "q"],
        ["When is the rent due?", "d", "", "q"],
    ],
)
def test_whoever_stops_before_the_end_of_a_question_saves_nothing(label, lines):
    done, screen = label(*lines)
    assert (done.added, done.path.exists()) == (0, False)
    assert "0 questions added" in screen


def test_a_later_session_goes_on(label):
    first, _ = label("When is the rent due?", "y 1", "d", "", "q")
    before = first.path.read_bytes()
    done, screen = label("when is the  rent DUE?", "Do pets need consent?", "y 1", "d", "", "q")
    assert "1 questions in gold.jsonl so far" in screen
    assert "in the file already" in screen
    assert (done.added, done.total) == (1, 2)
    assert done.path.read_bytes().startswith(before)


def test_what_is_typed_wrong_is_asked_again(label):
    done, screen = label("When is the rent due?", "what", "s", "y 99", "?", "Y", "A", "D", "", "Q")
    assert done.added == 1
    assert "Type one of y, s, n" in screen
    assert "type y." in screen
    assert "This passage has the sentences 1 to" in screen
    assert "skip this question" in screen


def test_text_of_documents_is_no_command_to_the_terminal(label, docs):
    (docs / "evil.txt").write_text("The zebra says \x1b[2J and \x07 to every terminal in the house.", encoding="utf-8")
    _, screen = label("What does the zebra say?", "n", "q")
    assert "zebra says" in screen
    assert "\x1b" not in screen


def test_a_damaged_file_is_named_and_left_alone(label, tmp_path):
    (tmp_path / "gold.jsonl").write_text('{"question": "?"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"gold.jsonl has a fault:\nline 1"):
        label("When is the rent due?", "y", "d", "", "q")
    with pytest.raises(ValueError, match=r"give a file that ends in .jsonl"):
        label("q", name="gold.csv")


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_the_passages_come_from_several_searches_and_share_no_text():
    texts = {"words": "The zebra zebra zebra.", "other": "A quiet lake.", "long": f"{NOTICE} {RENT} {PETS}"}
    documents = [Document(name, text) for name, text in texts.items()]
    trees = [make_units(course_hierarchy(document)) for document in documents]
    larger = [build_hierarchy(document, [flat_chunker("recursive", 400)]) for document in documents]
    with temporary_index(trees, embedder=WordHashEmbedder()) as index:
        with temporary_index(larger, embedder=WordHashEmbedder()) as large:
            found = candidates(index, large, "zebra at the lake of the landlord")
            [chunk] = FlatRetriever(large, mode="hybrid").retrieve("zebra at the lake of the landlord", k=1)
            assert chunk.span in [passage.span for passage in found if passage.doc_id == chunk.doc_id]
        best = [MultiLevelRetriever(index), FlatRetriever(index, mode="text"), FlatRetriever(index, mode="vector")]
        for search in best:
            [first] = search.retrieve("zebra at the lake of the landlord", k=1)
            assert any(first.doc_id == other.doc_id and overlap(first.span, other.span) for other in found)
    assert not any(a.doc_id == b.doc_id and overlap(a.span, b.span) for a, b in combinations(found, 2))


def test_of_passages_that_share_text_the_longest_is_shown():
    def at(start, end):
        return Passage("d", start, end, "x" * (end - start))

    short, long = at(0, 5), at(10, 40)
    assert _apart([short, long, at(0, 8)]) == [at(0, 8), long]
    assert _apart([short, long, at(3, 12)]) == [short, long]  # longer than one of the two that it meets
    assert _apart([short, long, at(3, 45)]) == [at(3, 45)]
    assert _apart([short, Passage("other", 0, 9, "x" * 9)]) == [short, Passage("other", 0, 9, "x" * 9)]


# --- the file --------------------------------------------------------------------------------------------------------


def test_a_last_line_without_its_end_stays_a_line(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_bytes(b'{"a": 1}')
    append_question(path, {"b": "问"})
    assert path.read_bytes() == b'{"a": 1}\n' + '{"b": "问"}\n'.encode()


def test_a_crash_loses_no_line(tmp_path, monkeypatch):
    path = tmp_path / "gold.jsonl"
    append_question(path, {"a": 1})

    def crash(file):
        raise KeyboardInterrupt

    monkeypatch.setattr("hierrag_lessons.whole_files.os.fsync", crash)
    with pytest.raises(KeyboardInterrupt):
        append_question(path, {"b": 2})
    monkeypatch.undo()
    assert path.read_bytes() == b'{"a": 1}\n'
    append_question(path, {"c": 3})
    assert saved(path) == [{"a": 1}, {"c": 3}]


def test_many_at_once_all_write(tmp_path):
    path = tmp_path / "gold.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: append_question(path, {"n": number}), range(40)))
    assert sorted(line["n"] for line in saved(path)) == list(range(40))


@given(st.text(alphabet="ab \n", min_size=1, max_size=30), st.data())
def test_evidence_is_found_where_it_was_accepted(tmp_path_factory, text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    document = Document("a.md", text)
    if not text[start:end].strip():
        with pytest.raises(ValueError, match="give one with text"):
            evidence_fields(document, Span(start, end))
        return
    path = tmp_path_factory.mktemp("gold") / "gold.jsonl"
    append_question(path, {"question": "?", "evidence": [evidence_fields(document, Span(start, end))]})
    [question] = read_questions(path, [document])
    assert text[slice(*question.evidence[0].span)] == text[start:end].strip()
    assert start <= question.evidence[0].start <= question.evidence[0].end <= end


# --- what is typed ---------------------------------------------------------------------------------------------------

SENTENCES = [Span(0, 4), Span(5, 9), Span(10, 12)]


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("y", Judgement("accept", Span(0, 12))),
        (" Y ", Judgement("accept", Span(0, 12))),
        ("y2", Judgement("accept", Span(5, 9))),
        ("2", Judgement("accept", Span(5, 9))),
        ("y 2-3", Judgement("accept", Span(5, 12))),
        ("s 1", Judgement("same", Span(0, 4))),
        ("ｙ　２", Judgement("accept", Span(5, 9))),
        ("", Judgement("no")),
        ("n", Judgement("no")),
        ("d", Judgement("done")),
        ("k", Judgement("skip")),
        ("q", Judgement("quit")),
    ],
)
def test_what_a_line_stands_for(line, read):
    assert read_judgement(line, Span(0, 12), SENTENCES) == read


@pytest.mark.parametrize("line", ["yes", "x", "n 2", "y -1", "y 2 3", "y 3-2", "y 0", "y 4", "y 9999999999", "é"])
def test_what_no_line_stands_for_is_said(line):
    assert isinstance(read_judgement(line, Span(0, 12), SENTENCES), str)
