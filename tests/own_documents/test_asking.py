import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from hierrag_lessons.own_documents.asking import ask_documents
from hierrag_lessons.own_documents.folder import read_folder
from hierrag_lessons.own_documents.kept_index import kept_index
from tests.fakes import WordHashEmbedder

LEASE = "## Notice\n\nThe tenant may leave with three months' notice in writing, at the end of any month.\n"
RENT = "The rent is due on the third working day of each month, and it is paid to the account of the landlord.\n"


@pytest.fixture
def docs(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "lease.md").write_text(LEASE, encoding="utf-8")
    (folder / "rent.txt").write_text(RENT, encoding="utf-8")
    return folder


@pytest.fixture
def ask(docs, tmp_path):
    embedder = WordHashEmbedder()

    def ask(question, **options):
        embedder.calls.clear()
        found = ask_documents(docs, question, keep=tmp_path / "kept", embedder=embedder, **options)
        embedded = [text for call in embedder.calls for text in call]
        return found, embedded

    return ask


def test_passages_come_with_file_and_lines(ask):
    found, _ = ask("How much notice must the tenant give?")
    assert found.passages[0].text.strip() == LEASE.strip()
    assert found.places[0] == "lease.md:1-3"
    assert "\n\n[1] lease.md:1-3  (Notice)\n" in found.text
    assert repr(found) == found.text


def test_in_front_stand_sentences_copied_from_the_passages(ask):
    found, _ = ask("How much notice must the tenant give?")
    assert found.extract
    for sentence, number in found.extract:
        assert sentence in found.passages[number - 1].text
        assert f"{' '.join(sentence.split())} [{number}]" in found.text.splitlines()[1]


def test_a_second_question_embeds_nothing_but_itself(ask):
    _, first = ask("How much notice?")
    _, second = ask("When is the rent due?")
    assert len(first) > 2
    assert second == ["When is the rent due?"]


def test_the_index_follows_the_files(ask, docs):
    ask("rent")
    (docs / "rent.txt").write_text(RENT.replace("third", "ninth"), encoding="utf-8")
    (docs / "pets.md").write_text(
        "Pets need the written consent of the landlord before they move in.", encoding="utf-8"
    )
    found, embedded = ask("rent")
    assert "ninth working day" in found.passages[0].text
    assert len(embedded) == 3  # the question, the changed file, the new one
    (docs / "rent.txt").unlink()
    found, embedded = ask("rent")
    assert "rent.txt" not in {passage.doc_id for passage in found.passages}
    assert embedded == ["rent"]


def test_the_budget_is_kept_and_what_could_not_be_read_is_said(ask, docs):
    (docs / "scan.docx").write_bytes(b"PK\x03\x04")
    found, _ = ask("rent", budget=5)
    assert len(found.passages) == 1
    assert len(found.passages[0].text) < 40
    assert [item.path for item in found.unread] == ["scan.docx"]


def test_documents_in_the_language_of_the_question_are_searched(ask, docs):
    (docs / "年假.md").write_text("员工每年有十五天年假,未休的可以顺延到次年三月。", encoding="utf-8")
    found, _ = ask("有几天年假?")
    assert {passage.doc_id for passage in found.passages} == {"年假.md"}
    assert found.left_out == "Not searched: 2 documents in English; ask in English to search them."
    found, _ = ask("rent")
    assert "1 documents in Chinese" in found.text


def test_where_there_are_none_the_others_are(ask):
    found, _ = ask("rent 多少?租金是每个月的第几天")
    assert found.left_out == ""
    assert found.places[0] == "rent.txt:1"


def test_nothing_found_is_said(docs, tmp_path):
    found = ask_documents(docs, "?!", keep=tmp_path / "kept", embedder=WordHashEmbedder())
    assert found.passages == ()
    assert found.text.startswith("Nothing in these documents")


def test_hostile_text_is_no_command_to_the_terminal(ask, docs):
    (docs / "evil.txt").write_text("The zebra says \x1b]0;owned\x07 and \x1b[2J to every terminal.", encoding="utf-8")
    found, _ = ask("What does the zebra say?")
    assert "zebra" in found.text
    assert "\x1b" not in found.text


@pytest.mark.parametrize("question", ["", "  \n"])
def test_a_blank_question_is_refused(docs, question):
    with pytest.raises(ValueError, match=r"question is .* give some words"):
        ask_documents(docs, question)


def test_no_sentence_runs_on_into_code(ask, docs):
    (docs / "guide.md").write_text(
        "# Start\n\nThe zebra server starts with this command:\n\n```\nzebra server start --now\n```\n\n"
        "The zebra server stops by itself.\n",
        encoding="utf-8",
    )
    found, _ = ask("How does the zebra server start and stop?")
    assert "The zebra server starts with this command:" in [sentence for sentence, _ in found.extract]
    assert not any("```" in sentence or "--now" in sentence for sentence, _ in found.extract)
    assert "zebra server start --now" in found.text


def test_two_embedders_have_an_index_each(docs, tmp_path):
    one, other = WordHashEmbedder(), WordHashEmbedder(dim=32, name="other")
    ask_documents(docs, "rent", keep=tmp_path / "kept", embedder=one)
    ask_documents(docs, "rent", keep=tmp_path / "kept", embedder=other)
    one.calls.clear()
    ask_documents(docs, "rent", keep=tmp_path / "kept", embedder=one)
    assert one.calls == [["rent"]]


def test_two_embedders_ask_at_once(docs, tmp_path):
    def ask(number):
        embedder = WordHashEmbedder(dim=32 + number % 2, name=f"e{number % 2}")
        found = [
            ask_documents(docs, "When is the rent due?", keep=tmp_path / "kept", embedder=embedder) for _ in range(3)
        ]
        return {each.places[0] for each in found}

    with ThreadPoolExecutor(2) as pool:
        assert set().union(*pool.map(ask, range(4))) == {"rent.txt:1"}


# --- what is kept ----------------------------------------------------------------------------------------------------


def kept(docs, folder, embedder=None):
    documents = read_folder(docs).documents
    return kept_index(documents, folder, embedder or WordHashEmbedder(), "en")


def test_another_embedder_indexes_anew(docs, tmp_path):
    kept(docs, tmp_path / "kept")
    embedder = WordHashEmbedder(dim=32, name="other")
    assert kept(docs, tmp_path / "kept", embedder).count() > 0
    assert len(embedder.calls) > 0


@pytest.mark.parametrize("content", ["", "{", "[]", "[" * 100_000, '{"documents": 7}'])
def test_damaged_marks_index_anew(docs, tmp_path, content):
    kept(docs, tmp_path / "kept")
    (tmp_path / "kept" / "documents.json").write_text(content, encoding="utf-8")
    assert kept(docs, tmp_path / "kept").doc_ids() == ["lease.md", "rent.txt"]


def test_an_interrupted_run_is_finished_by_the_next(docs, tmp_path, monkeypatch):
    kept(docs, tmp_path / "kept")
    (docs / "rent.txt").write_text(RENT.replace("third", "ninth"), encoding="utf-8")

    def stop(texts):
        raise KeyboardInterrupt

    embedder = WordHashEmbedder()
    monkeypatch.setattr(WordHashEmbedder, "encode", lambda self, texts: stop(texts))
    with pytest.raises(KeyboardInterrupt):
        kept(docs, tmp_path / "kept", embedder)
    monkeypatch.undo()
    (docs / "rent.txt").write_text(RENT, encoding="utf-8")
    assert kept(docs, tmp_path / "kept").text("rent.txt") == RENT
    marks = json.loads((tmp_path / "kept" / "documents.json").read_text(encoding="utf-8"))
    assert list(marks["documents"]) == ["lease.md", "rent.txt"]


def test_half_an_index_is_made_anew(docs, tmp_path):
    kept(docs, tmp_path / "kept")
    for path in (tmp_path / "kept" / "index").rglob("*.manifest"):
        path.unlink()
    assert kept(docs, tmp_path / "kept").doc_ids() == ["lease.md", "rent.txt"]


def test_a_folder_with_anything_else_in_it_is_left_alone(docs, tmp_path):
    with pytest.raises(ValueError, match="holds something else; give a new or empty folder"):
        kept(docs, docs)
    assert sorted(path.name for path in docs.iterdir()) == ["lease.md", "rent.txt"]


def test_a_run_that_was_ended_in_its_first_moment_is_no_obstacle(docs, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "documents.json.new").write_text("{", encoding="utf-8")
    assert kept(docs, tmp_path / "kept").count() > 0


def test_where_nothing_can_be_kept_the_way_out_is_named(docs):
    with pytest.raises(OSError, match="set HIERRAG_CACHE"):
        kept(docs, docs / "rent.txt" / "kept")
    with pytest.raises(ValueError, match="give a new or empty folder"):
        kept(docs, docs / "rent.txt")


# --- what is printed -------------------------------------------------------------------------------------------------


def test_three_passages_are_printed_and_the_rest_is_counted(ask, docs):
    for number in range(9):
        (docs / f"{number}.txt").write_text(f"The rent of flat {number} is {number}00 a month.", encoding="utf-8")
    found, _ = ask("What is the rent of a flat?")
    cited = {number for _, number in found.extract} | {1, 2, 3}
    rest = len(found.passages) - len(cited)
    assert rest > 0
    assert [n for n in range(1, len(found.passages) + 1) if f"\n[{n}] " in found.brief] == sorted(cited)
    assert found.brief.endswith(f"{rest} more passages fit the budget; --all prints them.")
    assert "more passages" not in found.text


def test_where_nothing_looks_like_an_answer_it_is_said(ask):
    found, _ = ask("Which president opened the Olympic stadium in France, with how much month?")
    assert not found.likely
    assert found.extract == ()
    assert found.text.startswith("Nothing here looks like an answer")
    assert "[1] " in found.text
