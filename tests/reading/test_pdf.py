"""PDF files become documents whose pages are known."""

import re

import pytest
from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, IndirectObject, NameObject, NullObject, StreamObject

from hierrag_lessons.model import Document
from hierrag_lessons.reading import CORPORA_DIR, page_at, read_pdf

MANUAL = CORPORA_DIR / "en" / "archive" / "sentry5_manual.pdf"


@pytest.fixture(scope="module")
def manual():
    return read_pdf(MANUAL, doc_id="manual")


def test_each_page_begins_where_it_is_said(manual):
    pages = manual.metadata["pages"]
    assert len(pages) == 44
    assert pages[0] == 0
    assert pages == sorted(pages)
    for number, (start, end) in enumerate(zip(pages, [*pages[1:], len(manual.text)], strict=True), start=1):
        foot = re.search(r"Page (\d+) of 44\s*\Z", manual.text[start:end])
        assert number == 1 or (foot and int(foot[1]) == number)
        assert page_at(manual, start) == page_at(manual, end - 3) == number


def test_the_cells_of_a_row_stay_on_a_line(manual):
    assert "Main, S5-3   4 mm² to 35 mm²   20 mm   PZ2   3.0 Nm" in manual.text


def test_what_a_page_has_around_its_text_stays(manual):
    """Running heads, divided words: who searches such a text has to know of them."""
    assert manual.text.count("Sentry-5 Installation and Commissioning Manual") > 40
    assert re.search(r"[a-z]-\n[a-z]", manual.text)


def test_page_at_is_checked(manual):
    with pytest.raises(ValueError, match="has no pages; read it with read_pdf"):
        page_at(Document("plain", "text"), 0)
    with pytest.raises(ValueError, match="offset is -1"):
        page_at(manual, -1)
    with pytest.raises(ValueError, match="characters"):
        page_at(manual, len(manual.text))


def written(path, pages, password=None):
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(200, 200)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    writer.write(path)
    return path


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: written(path, 3), "3 pages and no text; it is a scan"),
        (lambda path: written(path, 0), "0 pages and no text"),
        (lambda path: written(path, 1, "secret"), "remove its password"),
        (lambda path: path.write_bytes(b"%PDF-1.7\nnothing more"), "cannot be read"),
        (lambda path: path.write_bytes(MANUAL.read_bytes()[:5000]), "cannot be read|no text"),
        (lambda path: path.write_text("# Cats", encoding="utf-8"), "is no PDF; read it with the reader for its kind"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path, make, said):
    path = tmp_path / "file.pdf"
    make(path)
    with pytest.raises(ValueError, match=said):
        read_pdf(path)


def unknown_filter(writer, page):
    page["/Contents"][NameObject("/Filter")] = NameObject("/Nonsense")


def reference_to_itself(writer, page):
    own = writer._add_object(NullObject())
    writer._objects[own.idnum - 1] = IndirectObject(own.idnum, 0, writer)
    page[NameObject("/Contents")] = own


def missing_font(writer, page):
    page["/Resources"]["/Font"][NameObject("/F1")] = IndirectObject(999, 0, writer)


@pytest.mark.parametrize("damage", [unknown_filter, reference_to_itself, missing_font])
def test_a_damaged_page_is_named(tmp_path, damage):
    writer = PdfWriter()
    for number in range(3):
        page = writer.add_blank_page(200, 200)
        lines = StreamObject()
        lines.set_data(b"BT /F1 12 Tf 20 100 Td (Cats sleep.) Tj ET")
        kind = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
        font = DictionaryObject({NameObject(key): NameObject(value) for key, value in kind.items()})
        fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
        page[NameObject("/Contents")] = writer._add_object(lines)
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        if number == 1:
            damage(writer, page)
    writer.write(tmp_path / "lease.pdf")
    with pytest.raises(ValueError, match=r"^lease\.pdf, page 2, cannot be read \(\w+: .*print it to a new PDF$"):
        read_pdf(tmp_path / "lease.pdf")


def test_a_missing_file():
    with pytest.raises(FileNotFoundError):
        read_pdf("nowhere.pdf")
