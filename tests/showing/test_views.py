import re
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.evaluation import recall
from hierrag_lessons.model import Chunk, Document, Hit, Passage, Span
from hierrag_lessons.showing import ChunkView, PassageView, TokenView, TreeView, View, side_by_side
from hierrag_lessons.showing.views import markup
from hierrag_lessons.text import count_tokens, get_encoding
from tests.texts import HOSTILE, texts

# Written out by hand, so that the pattern in markup.py is held against something else than itself.
DANGEROUS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls
    "\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f"  # directions and separators
    "\xad\u034f\u115f\u1160\u180e\u200b\u200c\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff"  # no width, or blank
    "\ud800-\udfff\U000e0000-\U000e007f]"  # surrogates, tags
)
# What the sanitiser of JupyterLab 4 lets through in notebooks that are not trusted yet, as far as the views need it.
TAGS = {"b", "details", "div", "em", "mark", "pre", "span", "strong", "summary"}
ATTRIBUTES = {"class", "dir", "open", "style"}
PROPERTIES = {
    *("background-color", "background-image", "background-size", "border", "border-bottom", "border-left"),
    *("border-radius", "border-top", "color", "display", "flex", "flex-wrap", "font-size", "font-weight", "gap"),
    *("line-height", "margin", "min-width", "overflow-wrap", "overflow-x", "padding", "text-decoration"),
    *("white-space", "word-break"),
}


class Page(HTMLParser):
    """What a browser makes of a view, and a check that every tag is closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.styles, self.attributes = [], set(), [], set()
        self.text, self.documents, self.labels, self.marked, self.lines = "", [], [], [], []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.open.append((tag, attributes.get("class")))
        self.tags.add(tag)
        self.attributes |= set(attributes)
        self.styles.append(attributes.get("style") or "")
        if tag == "pre":
            self.documents.append("")
        if tag == "mark":
            self.marked.append("")
        if tag == "span":
            self.lines.append("")
        if attributes.get("class") == "hierrag-label":
            self.labels.append("")

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        names, classes = {tag for tag, _ in self.open}, {name for _, name in self.open}
        self.text += data
        if "span" in names:
            self.lines[-1] += data
        if "hierrag-label" in classes:
            self.labels[-1] += data
        elif "pre" in names:
            self.documents[-1] += _restored(data) if "hierrag-hidden" in classes else data
            if "mark" in names:
                self.marked[-1] += _restored(data) if "hierrag-hidden" in classes else data


def _restored(mark: str) -> str:
    """The character that a mark stands for; bytes are left as they are."""
    return chr(int(mark[3:-1], 16)) if mark.startswith("<U+") else mark


def _page(view: View) -> Page:
    page = Page(view._repr_html_())
    page.documents = [text[1:] for text in page.documents]  # A browser drops a line break right after <pre>.
    return page


def _chunk(document: Document, start: int, end: int) -> Chunk:
    return Chunk(document.doc_id, start, end, document.text[start:end])


def _passage(document: Document, start: int, end: int, score: float = 0.5, context: str = "") -> Passage:
    return Passage(document.doc_id, start, end, document.text[start:end], context, score)


@dataclass(frozen=True)
class Every:
    """Chunks of so many characters, the simplest chunker there is."""

    size: int

    def chunk(self, document, within=None):
        start, end = within or document.span
        return [_chunk(document, i, min(i + self.size, end)) for i in range(start, end, self.size)]


TEXT = "One risk is rain.\n\nAnother is snow: 3.5 million days. 第三个风险是雾。" + " The end is near." * 3
REPORT = Document("report", TEXT)
TREE = build_hierarchy(REPORT, [Every(60), Every(20)])


def _views(document: Document) -> list[View]:
    size = len(document.text)
    spans = [Span(0, size // 2 + 1), Span(size // 3, size)] if size > 1 else []
    passages = [_passage(document, start, end, context=document.text) for start, end in spans]
    gold = [_chunk(document, size // 4, size // 2)] if size // 4 < size // 2 else []
    tree = build_hierarchy(document, [Every(9)])
    return [
        ChunkView(document, spans),
        PassageView(passages, gold),
        side_by_side({document.text or "none": passages, "chunks": ChunkView(document, spans)}, gold),
        TreeView(tree),
        TreeView(tree, [Hit(node, 0.25) for node in tree.leaves[::2]]),
        TokenView(document.text),
    ]


# All views: safe, legible, complete


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_dangerous_character_gets_out(text):
    for view in _views(Document("x" + text, text)):
        for shown in (view._repr_html_(), repr(view)):
            shown.encode("utf-8")
            assert DANGEROUS.findall(shown) == []


@given(texts)
def test_pages_hold_only_our_own_tags_and_styles(text):
    nasty = f'<script>alert("1")</script>{text}<img src=x onerror=alert(1)>" onclick="alert(2)\' <b>&amp;'
    for view in _views(Document(nasty, nasty)):
        page = _page(view)
        assert page.tags <= TAGS
        assert page.attributes <= ATTRIBUTES
        declared = {item.split(":")[0] for style in page.styles for item in style.split(";") if item}
        assert declared <= PROPERTIES


def test_a_script_is_shown_as_text():
    text = "<script>alert(\"1\")</script> & <b onclick='x'>"
    html = ChunkView(Document("<i>", text), [Span(0, 20)])._repr_html_()
    assert "&lt;script&gt;alert(&quot;1" in html
    assert "&amp; &lt;b onclick=&#x27;x&#x27;&gt;" in html
    assert "&lt;i&gt;:0-" in html


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(a: str, b: str) -> float:
    light, dark = sorted([_luminance(a), _luminance(b)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_in_wcag():
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_every_colour_has_its_background_and_contrast():
    checked = set()
    for view in _views(Document("d", "a\u200bb " + TEXT)):
        for style in _page(view).styles:
            declared = dict(item.split(":", 1) for item in style.split(";") if item)
            assert ("color" in declared) == ("background-color" in declared), style
            for background in re.findall("#[0-9a-f]{6}", declared.get("background-color", "")):
                assert _contrast(declared["color"], background) >= 4.5
                checked.add(background)
            for stripe in re.findall("#[0-9a-f]{6}", declared.get("background-image", "")):
                assert _contrast(declared["color"], stripe) >= 4.5
    assert checked == {markup.PAPER, *markup.TINTS, markup.GOLD}
    assert _contrast(markup.LINE, markup.PAPER) >= 3


def test_neighbouring_tints_differ_for_red_green_blind_readers_too():
    # Viénot, Brettel and Mollon 1999: without red-green vision, what remains is brightness and blue against yellow.
    (_, green, blue), (_, green_next, blue_next) = ([int(t[i : i + 2], 16) for i in (1, 3, 5)] for t in markup.TINTS)
    assert abs((blue - green) - (blue_next - green_next)) > 60


@pytest.mark.parametrize(
    "text", ["👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "👩🏽‍🚀", "❤️", "1️⃣", "a\u00a0b\u3000c", "tab\tline\nline", "中文", "نص"]
)
def test_what_can_be_seen_stays_as_it_is(text):
    assert markup.visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a<U+202E>b"),
        ("a\u200db", "a<U+200D>b"),
        ("3\ufe0f.5", "3<U+FE0F>.5"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f<U+FE0F>"),
        ("\x00\r\n", "<U+0000><U+000D>\n"),
        ("\ud800", "<U+D800>"),
        ("\U000e0041", "<U+E0041>"),
    ],
)
def test_what_can_not_be_seen_is_named(text, shown):
    assert markup.visible(text) == shown


# Chunks


@given(texts, st.lists(st.tuples(st.integers(0, 300), st.integers(1, 80)), max_size=6), st.integers(0, 60))
def test_the_text_of_a_chunk_view_is_the_text_of_the_document(text, places, start):
    document = Document("d", "\n" + text)
    size = len(document.text)
    spans = [Span(a % size, min(a % size + n, size)) for a, n in places]
    window = Span(min(start, size - 1), size)
    assert _page(ChunkView(document, spans)).documents == [document.text]
    assert _page(ChunkView(document, spans, within=window)).documents == [document.text[window.start :]]


def test_a_chunk_view_names_chunks_overlaps_and_gaps():
    document = Document("d", "aaaa bbbb cccc dddd eeee ")
    view = ChunkView(document, [Span(0, 10), Span(5, 14), Span(20, 24)])
    assert _page(view).labels == [
        *(f"[0: {count_tokens('aaaa bbbb ')} tokens]", f"[1: {count_tokens('bbbb cccc')} tokens]", "[end of 0]"),
        *("[end of 1]", "[in no chunk]", f"[2: {count_tokens('eeee')} tokens]"),
    ]
    assert repr(view).splitlines()[1:] == [
        f"[0] 0-10: {count_tokens('aaaa bbbb ')} tokens",
        "    aaaa bbbb ",
        f"[1] 5-14: {count_tokens('bbbb cccc')} tokens, shares 5 characters with [0]",
        "    bbbb cccc",
        f"[2] 20-24: {count_tokens('eeee')} tokens",
        "    eeee",
        "[in no chunk] 14-20",
        "     dddd ",
    ]


def test_colours_alternate_and_only_overlaps_are_hatched():
    html = ChunkView(Document("d", "aabbccdd"), [Span(0, 4), Span(2, 6), Span(6, 8)])._repr_html_()
    painted = re.findall(r'<span style="([^"]*)">(\w\w)</span>', html)
    assert [text for _, text in painted] == ["aa", "bb", "cc", "dd"]
    assert [style for style, _ in painted] == [markup.PAINT[0], markup.PAINT_BOTH, markup.PAINT[1], markup.PAINT[0]]
    assert len({markup.PLAIN, *markup.PAINT, markup.PAINT_BOTH, markup.PAINT_GOLD}) == 5


def test_within_shows_a_part_and_says_so():
    view = ChunkView(REPORT, Every(30).chunk(REPORT), within=Span(40, 70))
    assert view.caption.startswith("report:40-70, 2 chunks of ")
    assert [label.split(":")[0] for label in _page(view).labels] == ["[1", "[2"]
    assert repr(view).count("partly shown") == _page(view).text.count("partly shown") == 2
    shown = [line[4:] for line in repr(view).splitlines() if line.startswith("    ")]
    assert "".join(shown) == TEXT[40:70]


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (Span(3, 3), "chunk 1 is report:3-3"),
        (Span(5, 4000), "lies inside 0-"),
        (Span(-4, 5), "chunk 1 is report:-4-5"),
        (Chunk("other", 0, 3, TEXT[:3]), "the document is report"),
        (Chunk("report", 1, 4, TEXT[:3]), r"differs from document.text\[1:4\]"),
    ],
)
def test_chunks_that_are_not_of_this_document_are_refused(chunk, message):
    with pytest.raises(ValueError, match=message):
        ChunkView(REPORT, [Span(0, 2), chunk])


def test_a_window_that_shows_nothing_is_refused():
    with pytest.raises(ValueError, match=r"within is \(9000, 9001\)"):
        ChunkView(REPORT, [], within=Span(9000, 9001))


# Passages

GOLD = [_chunk(REPORT, 4, 16), _chunk(REPORT, 27, 45)]


def test_gold_is_marked_in_both_forms_and_counted():
    view = PassageView([_passage(REPORT, 0, 30, 0.75, "Risks > Rain"), _passage(REPORT, 19, 50, 0.5)], GOLD)
    assert _page(view).documents == [TEXT[0:30], TEXT[19:50]]
    assert _page(view).marked == ["risk is rain", TEXT[27:30], TEXT[27:45]]
    assert re.findall("⟦([^⟧]*)⟧", repr(view)) == _page(view).marked
    tokens = [count_tokens(TEXT[0:30]), count_tokens(TEXT[19:50])]
    assert view.caption == f"recall 1.00, {sum(tokens)} tokens, 2 passages"
    lines = repr(view).splitlines()
    assert lines[1] == f"1. report:0-30: score 0.750, {tokens[0]} tokens, 50% of the gold"
    assert lines[2] == "    context: Risks > Rain"
    assert f"2. report:19-50: score 0.500, {tokens[1]} tokens, 60% of the gold, repeats 11 characters" in lines
    for line in (lines[1], "Risks > Rain", lines[-1].split("⟧")[-1]):
        assert line in _page(view).text
    assert "underline" in "".join(_page(view).styles)


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(0, 40)), min_size=1, max_size=4), st.integers(0, 80))
def test_marked_text_is_the_union_of_the_gold(places, start):
    gold = [_chunk(REPORT, a, min(a + n + 1, len(TEXT))) for a, n in places]
    passage = _passage(REPORT, start, min(start + 40, len(TEXT)))
    marked = "".join(_page(PassageView([passage], gold)).marked)
    wanted = {i for chunk in gold for i in range(chunk.start, chunk.end)}
    assert marked == "".join(TEXT[i] for i in range(passage.start, passage.end) if i in wanted)
    assert PassageView([passage], gold).caption.startswith(f"recall {recall([passage], gold):.2f}, ")


def test_gold_of_other_documents_marks_nothing():
    view = PassageView([_passage(Document("other", TEXT), 0, 30)], GOLD)
    assert _page(view).marked == []
    assert "0% of the gold" in repr(view)


def test_passages_without_gold_or_none_at_all():
    tokens = count_tokens(TEXT[:9])
    assert PassageView([_passage(REPORT, 0, 9)]).caption == f"{tokens} tokens, 1 passage"
    assert "gold" not in repr(PassageView([_passage(REPORT, 0, 9)]))
    assert PassageView([], GOLD).caption == "recall 0.00, 0 tokens, 0 passages"


def test_a_passage_with_another_text_is_refused():
    with pytest.raises(ValueError, match="report:0-5 has a text of 2 characters"):
        PassageView([Passage("report", 0, 5, "On")])


def test_side_by_side_has_a_heading_a_caption_and_a_body_for_each_column():
    columns = {"flat <200>": [_passage(REPORT, 0, 20)], "parent-child": [_passage(REPORT, 0, 60)]}
    view = side_by_side(columns, GOLD)
    for name, passages in columns.items():
        alone = PassageView(passages, GOLD)
        for shown in (_page(view).text, repr(view)):
            assert name in shown
            assert alone.caption in shown
        assert repr(alone) in repr(view)
        assert alone.body_html() in view._repr_html_()
    assert "flex-wrap:wrap" in view._repr_html_()
    assert isinstance(side_by_side({"a": ChunkView(REPORT, [])}).columns["a"], ChunkView)


def test_side_by_side_refuses_what_it_would_ignore():
    with pytest.raises(ValueError, match="columns is empty"):
        side_by_side({})
    with pytest.raises(ValueError, match="every column is a view already"):
        side_by_side({"a": ChunkView(REPORT, [])}, GOLD)


# Trees


def _tree_lines(view: TreeView) -> tuple[list[str], list[str]]:
    html = [line for line in _page(view).lines[1:] if line]  # The first one is the caption.
    return html, [line.strip() for line in repr(view).splitlines()[1:]]


def test_both_forms_of_a_tree_have_the_same_lines():
    for hits in ([], [Hit(TREE.leaves[1], 0.5), Hit(TREE.levels[1][1], 0.25)]):
        html, text = _tree_lines(TreeView(TREE, hits))
        assert html == text


def test_a_tree_without_hits_shows_every_node():
    _, lines = _tree_lines(TreeView(TREE))
    assert len(lines) == sum(len(level) for level in TREE.levels)
    for node in TREE:
        assert any(line.startswith(f"level {node.level}, {node.start}-{node.end}, ") for line in lines)


def test_a_tree_with_hits_unfolds_only_what_leads_to_them():
    node = TREE.leaves[1]
    view = TreeView(
        TREE,
        [
            Hit(node, 0.5),
            Hit(node, 0.75),
            Hit(node, 0.25),
            Hit(build_hierarchy(Document("b", "b"), [Every(1)]).root, 1),
        ],
    )
    lines = repr(view).splitlines()
    assert lines[0] == f"report: 1 at level 0, 2 at level 1, {len(TREE.leaves)} at level 2; 1 hit, 1 in other documents"
    assert [line[: len(line) - len(line.lstrip())] + line.split()[0] for line in lines[1:]] == [
        *("level", "  level", "    …", "    level", "    …", "  …"),
    ]
    assert "1 of 3 below it hit" in lines[2]
    tokens = count_tokens(node.text)
    assert lines[4] == f"    level 2, 20-40, {tokens} tokens, HIT 0.750: {markup.one_line(node.text)}"
    assert f"{markup.PAINT_GOLD}" in view._repr_html_()
    assert markup.PAINT_GOLD not in TreeView(TREE)._repr_html_()


def test_a_hit_from_another_hierarchy_is_refused():
    other = build_hierarchy(REPORT, [Every(7)])
    with pytest.raises(ValueError, match="the hit report:1:0:0-7 is no node"):
        TreeView(TREE, [Hit(other.leaves[0], 0.5)])


# Tokens

BYTES = tiktoken.Encoding(
    "bytes",
    pat_str=r"[\s\S]",
    mergeable_ranks={bytes([i]): i for i in range(256)} | {"中".encode()[:2]: 256},
    special_tokens={},
)


def test_broken_characters_are_shown_as_bytes():
    view = TokenView("a中é\n", BYTES)
    assert repr(view) == "6 tokens, 4 characters; 4 tokens with a part of a character\n│a│<e4 b8>│<ad>│<c3>│<a9>│↵\n│"
    assert _page(view).documents == ["a<e4 b8><ad><c3><a9>\n"]
    assert _page(view).labels == ["↵"]


def test_the_end_of_a_character_and_a_whole_one_can_share_a_token():
    encoding = tiktoken.Encoding(
        "mixed",
        pat_str=r"[\s\S]+",
        mergeable_ranks={bytes([i]): i for i in range(256)} | {b"\xa9 ": 256, b"\xa9 b": 257},
        special_tokens={},
    )
    assert repr(TokenView("é b", encoding)).splitlines()[1] == "│<c3>│<a9> b│"


@given(texts)
def test_the_boxes_hold_all_bytes_of_the_text_in_order(text):
    encoding = get_encoding()
    page = _page(TokenView(text, encoding))
    shown = re.split("((?:<[0-9a-f]{2}(?: [0-9a-f]{2})*>)+)", page.documents[0])
    raw = b"".join(bytes.fromhex(re.sub("[<>]", " ", part)) if i % 2 else part.encode() for i, part in enumerate(shown))
    assert raw == re.sub("[\ud800-\udfff]", "\ufffd", text).encode()
    boxes = re.findall(
        f'<span style="(?:{"|".join(map(re.escape, markup.PAINT))})border', TokenView(text)._repr_html_()
    )
    assert len(boxes) == count_tokens(text)
    assert all(a != b for a, b in pairwise(boxes))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_both_forms_show_the_same_tokens(text):
    view = TokenView(text)
    bars = repr(view).split("\n", 1)[1]
    assert bars.replace("│", "") == _page(view).text[len(view.caption) + 1 :].replace("│", "")
    assert max(bars.count("│") - text.count("│") - 1, 0) == count_tokens(text)


# Nothing at all


def test_empty_things_have_views():
    empty = Document("empty", "")
    assert repr(ChunkView(empty, [])) == "empty:0-0, 0 chunks\n"
    assert repr(TokenView("")) == "0 tokens, 0 characters\n"
    assert repr(TreeView(build_hierarchy(empty, [Every(5)]))).splitlines() == [
        "empty: 1 at level 0, 0 at level 1",
        "level 0, 0-0, 0 tokens:",
    ]
    assert repr(PassageView([])) == "0 tokens, 0 passages\n"
    for view in _views(empty):
        assert _page(view).text
