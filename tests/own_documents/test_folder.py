"""Reading a folder of one's own: what becomes a document, and that nothing is dropped without a word."""

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hierrag_lessons.own_documents import folder as module
from hierrag_lessons.own_documents.folder import GENERATOR, guess_language, read_folder
from hierrag_lessons.reading import CORPORA_DIR


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return folder


@pytest.fixture
def mixed(tmp_path):
    turns = [{"speaker": "Ann", "text": "Good morning."}, {"speaker": "Bo", "text": "Morning."}]
    return write(
        tmp_path,
        {
            "b/notes.md": "# Notes\n\nThe lease ends in May.",
            "a.txt": "Rent is due on the first.",
            "b/报销.md": "# 报销\n\n员工出差的住宿费用每晚不超过六百元。",
            "page.html": "<body><main><p>The office closes at six.</p></main></body>",
            "talk.jsonl": "\n".join(json.dumps(turn) for turn in turns),
            "copy.txt": "Rent is due on the first.\n",
            "empty.txt": " \n",
            "latin.txt": "caf\xe9".encode("latin-1"),
            "broken.pdf": b"%PDF-1.7 and nothing else",
            "not.pdf": b"plain words",
            "sheet.xlsx": b"PK\x03\x04",
            "README": "no ending",
            "zero.txt": b"a\0b",
            "turns.jsonl": '{"speaker": "Ann"}',
            ".secret.md": "hidden",
            ".git/config": "hidden folder",
            "old.html": f'<!doctype html><meta name="generator" content="{GENERATOR}"><p>A report.</p>',
        },
    )


def test_each_file_is_a_document_or_has_a_reason(mixed):
    folder = read_folder(mixed)
    assert [document.doc_id for document in folder.documents] == [
        "a.txt",
        "b/notes.md",
        "b/报销.md",
        "page.html",
        "talk.jsonl",
    ]
    assert [document.language for document in folder.documents] == ["en", "en", "zh", "en", "en"]
    assert [document.kind for document in folder.documents] == ["text", "markdown", "markdown", "markdown", "dialogue"]
    reasons = {item.path: item.reason for item in folder.unread}
    assert sorted(reasons) == sorted(
        [
            *("copy.txt", "empty.txt", "latin.txt", "broken.pdf", "not.pdf", "sheet.xlsx", "README", "zero.txt"),
            *("turns.jsonl", ".secret.md", ".git", "old.html"),
        ]
    )
    assert "the same text as a.txt" in reasons["copy.txt"]
    assert "no text" in reasons["empty.txt"]
    assert "not UTF-8" in reasons["latin.txt"]
    assert "iconv -f latin1 -t utf-8" in reasons["latin.txt"]
    assert "cannot be read" in reasons["broken.pdf"]
    assert "does not begin with %PDF" in reasons["not.pdf"]
    assert "read_markdown" not in reasons["not.pdf"]
    assert ".xlsx" in reasons["sheet.xlsx"]
    assert "zero bytes" in reasons["zero.txt"]
    assert "line 1" in reasons["turns.jsonl"]
    assert "hidden" in reasons[".git"]
    assert "report" in reasons["old.html"]


def test_the_courses_own_texts_are_read(tmp_path):
    folder = read_folder(CORPORA_DIR / "en" / "archive")
    assert [item for item in folder.unread if not item.path.endswith("fields.json")] == []
    assert any(document.doc_id.endswith(".pdf") for document in folder.documents)
    assert {document.language for document in folder.documents} == {"en"}
    assert {document.language for document in read_folder(CORPORA_DIR / "zh").documents} == {"zh"}


def test_a_single_file_will_do(mixed):
    folder = read_folder(mixed / "b" / "notes.md")
    assert [document.doc_id for document in folder.documents] == ["notes.md"]


def test_a_language_can_be_given(mixed):
    assert {document.language for document in read_folder(mixed, "zh").documents} == {"zh"}


@pytest.mark.parametrize("files", [{}, {"a.docx": b"PK\x03\x04"}])
def test_a_folder_without_documents_is_refused(tmp_path, files):
    with pytest.raises(ValueError, match=r"none of its \d files can be read .* give a folder"):
        read_folder(write(tmp_path, files))


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ValueError, match="where there is nothing"):
        read_folder(tmp_path / "nowhere")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_links_pipes_and_strange_names(tmp_path):
    write(tmp_path, {"a.md": "Words."})
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    os.mkfifo(tmp_path / "pipe.txt")
    with open(os.fsencode(tmp_path) + b"/\xff.md", "wb") as file:
        file.write(b"More words.")
    folder = read_folder(tmp_path)
    assert [document.doc_id for document in folder.documents] == ["a.md", "\ufffd.md"]
    assert {item.path for item in folder.unread} == {"loop", "gone.md", "pipe.txt"}


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "secret.md").write_text("The password is swordfish.", encoding="utf-8")
    docs = write(tmp_path / "docs", {"a.md": "Words.", "b/c.md": "Other words."})
    try:
        (docs / "linked.md").symlink_to(tmp_path / "secret.md")
        (docs / "inside.md").symlink_to(docs / "b" / "c.md")
    except OSError:
        pytest.skip("links can't be made here")
    folder = read_folder(docs)
    assert not any("swordfish" in document.text for document in folder.documents)
    reasons = {item.path: item.reason for item in folder.unread}
    assert "a link to a file outside this folder; copy" in reasons["linked.md"]
    assert "Other words." in {document.text for document in folder.documents}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_gets_the_advice_for_utf_16(tmp_path, encoding):
    mark = {"utf-16-le": "\ufeff", "utf-16-be": "\ufeff"}.get(encoding, "")
    [item] = read_folder(write(tmp_path, {"a.md": "Words.", "w.txt": f"{mark}Grüße.".encode(encoding)})).unread
    assert "iconv -f utf-16 -t utf-8" in item.reason
    assert "latin1" not in item.reason


def test_a_broken_pdf_is_not_told_of_passwords_nor_in_a_library_s_words(tmp_path, monkeypatch):
    files = {"a.md": "Words.", "broken.pdf": b"%PDF-1.4\nand nothing else"}
    [item] = read_folder(write(tmp_path, files)).unread
    assert (
        item.reason
        == "cannot be read, because it is damaged; open it in its program, and save or print it to a new file"
    )

    def fail(*_, **__):
        raise AttributeError("'NoneType' object has no attribute 'get_object'")

    monkeypatch.setitem(module._READERS, ".pdf", fail)
    [item] = read_folder(tmp_path).unread
    assert "NoneType" not in item.reason


def test_a_pdf_with_a_password_is_told_so(tmp_path):
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.encrypt("swordfish", algorithm="RC4-128")
    (tmp_path / "locked.pdf").write_bytes(b"")
    writer.write(tmp_path / "locked.pdf")
    [item] = read_folder(write(tmp_path, {"a.md": "Words."})).unread
    assert item.reason == "asks for a password; open it with that, and print it to a new PDF"


def test_the_language_is_guessed_from_the_letters():
    assert guess_language("") == "en"
    assert guess_language("请用 JupyterLab 打开第三课的笔记本") == "zh"
    assert guess_language("He said 你好 and went on with the meeting for two more hours.") == "en"


@given(
    st.dictionaries(
        st.sampled_from(["a.md", "b.txt", "c.html", "d.pdf", "e.jsonl", "f.docx", "g/h.md", ".i.md"]),
        st.one_of(
            st.binary(max_size=40),
            st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")),
            st.binary(max_size=40).map(lambda tail: b"%PDF-1.4\n" + tail),
            st.sampled_from([b'{"speaker": "A", "text": "Yes."}', b"<p>Words</p>", b"# Title\n\nWords"]),
        ),
        min_size=1,
    )
)
@settings(max_examples=60, deadline=None)
def test_whatever_the_files_hold_each_is_read_or_named(files):
    with tempfile.TemporaryDirectory() as name:
        folder = write(Path(name), {**files, "always.md": "One file that can be read."})
        found = read_folder(folder)
    named = {document.doc_id for document in found.documents} | {item.path for item in found.unread}
    assert named == {*files, "always.md"}
    assert all(document.text.strip() for document in found.documents)
