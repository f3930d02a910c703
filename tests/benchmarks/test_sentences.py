"""What the benchmark of sentence boundaries counts, and what its results say of others' splitters."""

import json

import pytest

from benchmarks.results import read
from benchmarks.sentences import PUNKT, boundary_f1, cuts, located, splitters, treebank
from hierrag_lessons.model import Document
from hierrag_lessons.reading import DATA_DIR, load_corpus
from tools.notebooks import lessons

RAIN = [("It rains. We stay. You go.", [9, 18, 26])]


def test_a_boundary_is_where_the_next_sentence_starts():
    assert boundary_f1(RAIN, lambda text: [10, 13]) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}


def test_the_cuts_of_a_chunker_are_judged_by_where_they_fall():
    assert cuts(RAIN, lambda text: [18, 26]) == {"cuts": 1, "at_sentence_ends": 1.0}
    assert cuts(RAIN, lambda text: [4, 18, 26]) == {"cuts": 2, "at_sentence_ends": 0.5}
    assert cuts(RAIN, lambda text: [26]) == {"cuts": 0, "at_sentence_ends": None}


def test_pieces_are_found_again_one_after_the_other():
    assert located(lambda text: ["No.", "No.", "Yes."])("No. No. Yes.") == [3, 7, 12]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_row_that_is_punkt_alone_bears_the_name_of_a_public_class(language):
    entry = read("sentences")[language]
    assert "llama_index" not in entry
    assert PUNKT in entry
    assert PUNKT in splitters(language)


def test_the_public_class_of_llama_index_cuts_at_chinese_stops():
    entry = read("sentences")["zh"]
    assert entry[PUNKT]["recall"] == 0
    public = entry["chunks"]["LlamaIndex SentenceSplitter"]
    assert public["cuts"] > 100
    assert public["at_sentence_ends"] > 0.9


def test_lesson_05_does_not_say_that_llama_index_finds_no_chinese_boundary():
    [lesson] = [lesson for lesson in lessons() if lesson.number == "05"]
    text = " ".join(lesson.source.read_text(encoding="utf-8").replace("\n#", " ").split())
    assert "two well-known splitters find not one" not in text.lower()
    assert '"chunks"' in text, "the lesson shows how the public class cuts"


def test_the_marked_excerpts_are_in_the_course_s_texts():
    lines = (DATA_DIR / "sentence_ends.jsonl").read_text(encoding="utf-8").splitlines()
    marked = [json.loads(line) for line in lines]
    for language in ("en", "zh"):
        texts: list[Document] = load_corpus(language)
        own = [record for record in marked if record["language"] == language]
        assert len(own) >= 15
        for record in own:
            assert any(record["text"] in document.text for document in texts), record["text"]
            assert record["ends"] == sorted(set(record["ends"])) != []
            assert all(0 < end < len(record["text"]) for end in record["ends"])
            assert all(not record["text"][end - 1].isspace() for end in record["ends"])


def test_a_treebank_is_read_as_texts_with_ends(tmp_path):
    (tmp_path / "ud_en").mkdir()
    line = json.dumps({"text": "It rains. We stay.", "ends": [9, 18]})
    (tmp_path / "ud_en" / "sentences.jsonl").write_text(line + "\n", encoding="utf-8")
    assert treebank(tmp_path, "en") == [("It rains. We stay.", [9, 18])]
