import json
import sys
from collections import Counter
from functools import partial

import pytest
from hypothesis import given

from hierrag_lessons import reading
from hierrag_lessons.evaluation import load_questions
from hierrag_lessons.reading import (
    EditionWarning,
    corpora,
    load_corpus,
    load_documents,
    python_reference,
    python_reference_checksum,
    read_dialogue,
    read_html,
    read_markdown,
    read_python_reference,
    read_text,
)
from hierrag_lessons.text.tokens import VOCABULARY_FILE
from tests.texts import texts

# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("read", "kind"), [(read_text, "text"), (read_markdown, "markdown")])
def test_a_file_is_read_as_it_stands(tmp_path, read, kind):
    path = tmp_path / "note.v2.txt"
    path.write_bytes("# Über\r\n中文\r\u2028end \n\n".encode())
    document = read(path)
    assert document.text == "# Über\r\n中文\r\u2028end \n\n"
    assert (document.doc_id, document.kind, document.language) == ("note.v2", kind, "en")
    assert document.metadata == {"file": "note.v2.txt"}
    named = read(str(path), language="zh", doc_id="zh/note")
    assert (named.doc_id, named.language) == ("zh/note", "zh")


def test_only_one_byte_order_mark_at_the_beginning_is_dropped(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeff\ufeffa\ufeff".encode())
    assert read_text(path).text == "\ufeffa\ufeff"


@pytest.mark.parametrize("read", [read_text, read_markdown, read_html])
def test_a_file_that_cannot_be_read(tmp_path, read):
    (tmp_path / "gb.txt").write_bytes("<main>中文".encode("gb18030"))
    with pytest.raises(ValueError, match=r"gb\.txt is not UTF-8 \(byte 6: .*\); save it as UTF-8"):
        read(tmp_path / "gb.txt")
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none.txt")


READERS = [
    read_text,
    read_markdown,
    read_html,
    partial(read_dialogue, language="en"),
    load_documents,
    partial(load_questions, documents=[]),
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "a PDF"),
        (b"PK\x03\x04\x14\x00word/document.xml", r"a zip archive, as \.docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a file of an old Office program"),
        (b"{\\rtf1\\ansi Words.}", "a rich text file"),
        (b"\x1f\x8b\x08\x00", "a gzip archive"),
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"GIF89a", "a GIF image"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path, read, content, kind):
    for path in (tmp_path / "file.jsonl", tmp_path / "file.txt"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"{path.stem}.* is {kind}.*save its text as UTF-8"):
            read(path)


@pytest.mark.parametrize("language", ["fr", "EN", "", None, 1])
@pytest.mark.parametrize("read", [read_text, read_markdown, read_html, read_dialogue])
def test_a_language_is_refused_before_the_file_is_read(tmp_path, read, language):
    with pytest.raises(ValueError, match=r"^language is .*; give one of en, zh"):
        read(tmp_path / "none.txt", language=language)


def test_a_corpus_of_a_language_that_there_is_none_of():
    with pytest.raises(ValueError, match=r"^language is 'fr'; give one of en, zh"):
        load_corpus("fr")


@given(texts)
def test_any_text_comes_back(tmp_path_factory, text):
    text = text.encode("utf-8", "ignore").decode().removeprefix("\ufeff")
    path = tmp_path_factory.mktemp("any") / "any.txt"
    path.write_bytes(text.encode())
    assert read_text(path).text == text.removeprefix("\ufeff")


# --- corpora ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.setattr(corpora, "CORPORA_DIR", tmp_path)
    folder = tmp_path / "en"
    folder.mkdir()
    (folder / "news_02.txt").write_text("News: nobody speaks here.\n", encoding="utf-8")
    (folder / "act.md").write_text("# Act\n", encoding="utf-8")
    (folder / "handbook.html").write_text("<nav>Home</nav><main><h1>Handbook</h1></main>", encoding="utf-8")
    (folder / "call.jsonl").write_text('{"speaker": "Ann", "text": "Hello."}\n', encoding="utf-8")
    lines = [{"dialogue": name, "speaker": "B", "text": name} for name in ("ticket-2", "ticket-1")]
    (folder / "chats.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (folder / "README").write_text("no text of the course", encoding="utf-8")
    return folder


def test_a_corpus_holds_every_kind_of_file_sorted_by_id(corpus):
    found = load_corpus("en")
    assert [(document.doc_id, document.kind, document.text) for document in found] == [
        ("en/act", "markdown", "# Act\n"),
        ("en/call", "dialogue", "Ann: Hello.\n"),
        ("en/chats/ticket-1", "dialogue", "B: ticket-1\n"),
        ("en/chats/ticket-2", "dialogue", "B: ticket-2\n"),
        ("en/handbook", "markdown", "# Handbook\n"),
        ("en/news_02", "text", "News: nobody speaks here.\n"),
    ]
    assert {document.language for document in found} == {"en"}
    assert all(document.metadata["file"] for document in found)


def test_ids_and_not_file_names_are_sorted(corpus):
    (corpus / "chats.md").write_text("x", encoding="utf-8")
    (corpus / "chats-a.md").write_text("x", encoding="utf-8")
    ids = [document.doc_id for document in load_corpus("en")]
    assert ids == sorted(ids)
    assert ids.index("en/chats-a") < ids.index("en/chats/ticket-1")


def test_two_files_of_one_name_are_refused(corpus):
    (corpus / "act.txt").write_text("x", encoding="utf-8")
    with pytest.raises(ValueError, match=r"en: two files give a document 'en/act'; rename one"):
        load_corpus("en")


def test_a_damaged_file_of_a_corpus_is_named(corpus):
    (corpus / "call.jsonl").write_text('{"speaker": "", "text": "x"}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"call\.jsonl, line 1"):
        load_corpus("en")


def test_a_missing_corpus(corpus, monkeypatch):
    assert load_corpus("zh") == []
    monkeypatch.setattr("hierrag_lessons.reading.corpora.CORPORA_DIR", corpus / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"data/corpora is missing.*make setup"):
        load_corpus("zh")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_shipped_corpora_can_be_read(language):
    found = load_corpus(language)
    ids = [document.doc_id for document in found]
    assert ids == sorted(set(ids))
    assert all(document.doc_id.startswith(f"{language}/") for document in found)
    assert all(document.text.strip() and document.language == language for document in found)


def test_reading_offers_every_reader():
    assert {"read_dialogue", "read_html", "read_markdown", "read_text"} <= set(reading.__all__)
    assert all(hasattr(reading, name) for name in reading.__all__)


# --- the Python reference --------------------------------------------------------------------------------------------


def test_the_reference_is_sorted_and_named_by_topic(reference):
    ids = [document.doc_id for document in reference]
    assert ids == sorted(set(ids))
    assert "python/assert" in ids
    for document in reference:
        assert document.doc_id == f"python/{document.metadata['topic']}"
        assert (document.kind, document.language) == ("markdown", "en")
        assert document.text == document.text.strip() + "\n"


def test_the_checksum_stands_for_the_text_of_every_topic(monkeypatch):
    from pydoc_data import topics

    before = python_reference_checksum()
    assert len(before) == 64
    assert python_reference_checksum() == before
    monkeypatch.setitem(topics.topics, "assert", topics.topics["assert"] + ".")
    assert python_reference_checksum() != before


def read_topics(monkeypatch, topics: dict[str, str]) -> dict[str, str]:
    monkeypatch.setattr("pydoc_data.topics.topics", topics)
    monkeypatch.setattr(python_reference, "COURSE_EDITION", python_reference_checksum())
    return {document.doc_id: document.text for document in read_python_reference()}


def test_underlined_headings_get_levels_in_the_order_of_their_signs(monkeypatch):
    text = "Title\n*****\n\nOne paragraph of words.\n\nPart\n====\n\nx\n\nTwo\n====\n\nDeep\n----\n\nAgain\n=====\n"
    assert read_topics(monkeypatch, {"t": text})["python/t"] == (
        "# Title\n\nOne paragraph of words.\n\n## Part\n\nx\n\n## Two\n\n### Deep\n\n## Again\n"
    )


@pytest.mark.parametrize("text", ["A long title\n===\n", "  code\n  ====\n", "a\n==\n", "\n====\n", "Title\n====x\n"])
def test_what_is_no_underline_stays(monkeypatch, text):
    text = f"Some words of a paragraph.\n\n{text}\nAnd some more of them."
    assert read_topics(monkeypatch, {"t": text}) == {"python/t": text + "\n"}


def test_a_topic_that_stands_inside_a_larger_one_is_left_out(monkeypatch):
    shared = "This paragraph stands in both of the topics.\n\n"
    topics = {"large": shared + "And this one is found in the large topic only.\n\n" * 3, "small": shared}
    assert set(read_topics(monkeypatch, topics)) == {"python/large"}
    topics["small"] = shared + "Half of this topic is found nowhere else than here."
    assert set(read_topics(monkeypatch, topics)) == {"python/large", "python/small"}


def test_few_paragraphs_of_the_reference_stand_in_it_twice(reference):
    paragraphs = Counter(part for document in reference for part in python_reference._paragraphs(document.text))
    repeated = sum(len(part) * (count - 1) for part, count in paragraphs.items())
    assert repeated < 0.05 * sum(len(part) * count for part, count in paragraphs.items())


def test_a_python_without_its_reference(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydoc_data.topics", None)
    for read in (read_python_reference, python_reference_checksum):
        with pytest.raises(ModuleNotFoundError, match=r"no pydoc_data\.topics.*full standard library"):
            read()


def test_another_edition_of_the_reference_is_told(monkeypatch):
    sources = json.loads((VOCABULARY_FILE.parent / "SOURCES.json").read_text(encoding="utf-8"))
    assert sources["python_reference"] == python_reference.COURSE_EDITION
    monkeypatch.setattr(python_reference, "_topics", lambda: {"assert": "Another edition, with words of its own.\n"})
    with pytest.warns(EditionWarning, match="is not that of Python 3.11.7"):
        read_python_reference()
