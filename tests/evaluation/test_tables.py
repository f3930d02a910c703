from html.parser import HTMLParser

import pytest

from hierrag_lessons.evaluation import Table

TABLE = Table(
    ("method", "questions", "recall", "context_tokens", "p"),
    (
        ("flat <b>|", 12, 0.87654, 987.4, None),
        ("父子检索", 7, 1.0, 1000.0, 0.00012),
    ),
    "recall & more",
)


def test_text_is_aligned_also_with_chinese():
    assert repr(TABLE) == "\n".join(
        [
            "recall & more",
            "method     questions  recall  context_tokens       p",
            "---------  ---------  ------  --------------  ------",
            "flat <b>|         12   0.877             987       –",
            "父子检索           7   1.000            1000  0.0001",
        ]
    )
    assert str(TABLE) == repr(TABLE)


def test_markdown_has_its_bars_and_tags_escaped():
    assert TABLE.to_markdown().splitlines() == [
        "| method | questions | recall | context_tokens | p |",
        "| --- | ---: | ---: | ---: | ---: |",
        r"| flat &lt;b&gt;\| | 12 | 0.877 | 987 | – |",
        "| 父子检索 | 7 | 1.000 | 1000 | 0.0001 |",
    ]
    assert Table(("a",), (("two\nlines",),)).to_markdown().splitlines()[-1] == "| two lines |"


def test_html_is_escaped_and_holds_the_same_cells():
    class Reader(HTMLParser):
        def __init__(self):
            super().__init__()
            self.tags, self.cells = set(), []

        def handle_starttag(self, tag, attrs):
            self.tags.add(tag)

        def handle_data(self, data):
            self.cells.append(data)

    reader = Reader()
    reader.feed(TABLE._repr_html_())
    assert reader.tags == {"table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert reader.cells == [
        *("recall & more", "method", "questions", "recall", "context_tokens", "p"),
        *("flat <b>|", "12", "0.877", "987", "–", "父子检索", "7", "1.000", "1000", "0.0001"),
    ]


def test_headings_have_a_scope_and_the_caption_the_colour_of_the_cells():
    html = TABLE._repr_html_()
    assert html.count('<th scope="col" ') == html.count("<th ") == len(TABLE.columns)
    assert '<caption style="color:inherit;' in html


def test_records_are_not_rounded():
    assert TABLE.records()[0] == {
        "method": "flat <b>|",
        "questions": 12,
        "recall": 0.87654,
        "context_tokens": 987.4,
        "p": None,
    }


def test_no_rows_and_no_caption():
    empty = Table(("a", "b"), ())
    assert repr(empty) == "a  b\n-  -"
    assert empty.to_markdown().count("\n") == 1
    assert "caption" not in empty._repr_html_()


def test_a_row_has_one_cell_a_column():
    with pytest.raises(ValueError, match="has 1 cells for 2 columns"):
        Table(("a", "b"), (("x",),))
