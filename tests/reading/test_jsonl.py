import pytest

from hierrag_lessons.reading import load_documents
from hierrag_lessons.reading.jsonl import read_lines


@pytest.fixture
def write(tmp_path):
    def write(content: str | bytes):
        path = tmp_path / "file.jsonl"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_lines_are_numbered_and_blank_ones_skipped(write):
    assert list(read_lines(write('{"a": 1}\r\n\n  \n{"b": 2}'))) == [(1, {"a": 1}), (4, {"b": 2})]


def test_a_byte_order_mark_and_unicode_line_separators_are_no_trouble(write):
    assert list(read_lines(write('\ufeff{"a": "x\u2028y\x85z"}\n{"b": "中"}\n'))) == [
        (1, {"a": "x\u2028y\x85z"}),
        (2, {"b": "中"}),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"a": 1', "line 2: not valid JSON"),
        (b'{"a": "\xff"}', "line 2: not valid JSON in UTF-8"),
        ('{"a": "é"}'.encode("utf-16"), "line 2: not valid JSON"),
        (b"[1, 2]", "line 2: not a JSON object"),
        (b"null", "line 2: not a JSON object"),
        (b"[" * 100_000, "line 2: lists or objects are nested too deep"),
        (b'{"a": ' * 100_000, "line 2: lists or objects are nested too deep"),
    ],
)
def test_a_damaged_line_is_named(write, line, message):
    with pytest.raises(ValueError, match=rf"file\.jsonl, {message}"):
        list(read_lines(write(b'{"ok": 1}\n' + line + b"\n")))


def test_documents_keep_their_text_and_their_other_fields(write):
    path = write('{"doc_id": "d", "text": "甲\\r\\n乙", "kind": "dialogue", "language": "zh", "date": "7 May"}\n')
    [document] = load_documents(path)
    assert (document.doc_id, document.text, document.kind, document.language) == ("d", "甲\r\n乙", "dialogue", "zh")
    assert document.metadata == {"date": "7 May"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"doc_id": "d", "text": "t", "kind": "text", "language": "en"}', "line 2: doc_id 'd' comes twice"),
        (
            '{"doc_id": "e", "text": "t", "kind": "pdf", "language": "en"}',
            "line 2: kind is 'pdf'.*markdown",
        ),
        ('{"doc_id": "e", "text": "t", "kind": "text", "language": "fr"}', "line 2: language is 'fr'"),
        ('{"doc_id": "e", "kind": "text", "language": "en"}', "line 2: field 'text' is missing"),
        ('{"doc_id": 7, "text": "t", "kind": "text", "language": "en"}', "line 2: field 'doc_id' is 7; it must be str"),
        ('{"doc_id": "", "text": "t", "kind": "text", "language": "en"}', "line 2: doc_id is empty"),
    ],
)
def test_a_bad_document_is_named(write, line, message):
    good = '{"doc_id": "d", "text": "t", "kind": "text", "language": "en"}\n'
    with pytest.raises(ValueError, match=message):
        load_documents(write(good + line))
