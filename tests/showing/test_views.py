import re
from itertools import pairwise

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.chunkers import build_hierarchy
from hierrag_lessons.model import Chunk, Document, Hit, Span
from hierrag_lessons.showing import ChunkView, PassageView, TokenView, TreeView, View, side_by_side
from hierrag_lessons.showing.colours import EDGE, GOLD, PAPER, TINTS
from hierrag_lessons.showing.views import markup
from hierrag_lessons.text import count_tokens, get_encoding
from hierrag_lessons.text.invisible import one_line
from tests.showing.page import (
    ATTRIBUTES,
    DANGEROUS,
    PROPERTIES,
    REPORT,
    TAGS,
    TEXT,
    TREE,
    Every,
    Page,
    chunk_of,
    contrast,
    page_of,
    passage_of,
)
from tests.texts import HOSTILE, texts


def _views(document: Document) -> list[View]:
    size = len(document.text)
    spans = [Span(0, size // 2 + 1), Span(size // 3, size)] if size > 1 else []
    passages = [passage_of(document, start, end, context=document.text) for start, end in spans]
    gold = [chunk_of(document, size // 4, size // 2)] if size // 4 < size // 2 else []
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
        page = page_of(view)
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


@pytest.mark.parametrize(
    "text", ["$4.20 a meter, $28.7 million", "$$x$$", r"\(x\) \[y\]", r"\begin{a}x\end{a}", r"\eqref{a}"]
)
def test_nothing_is_taken_for_a_formula(text):
    # With MathJax's own settings, which JupyterLab extends by a single $.
    formula = re.compile(r"\$.*\$|\\\(.*\\\)|\\\[.*\\\]|\\begin\{|\\(?:eq)?ref\{", re.S)
    assert formula.search(text)
    document = Document("d", text)
    for view in (PassageView([passage_of(document, *document.span)]), TreeView(build_hierarchy(document, [Every(99)]))):
        page = page_of(view)
        assert text in page.text
        assert not [string for string in page.strings if formula.search(string)]


def test_contrast_is_computed_as_in_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


def test_every_colour_has_its_background_and_contrast():
    checked = set()
    for view in _views(Document("d", "a\u200bb " + TEXT)):
        for style in page_of(view).styles:
            declared = dict(item.split(":", 1) for item in style.split(";") if item)
            assert ("color" in declared) == ("background-color" in declared), style
            for background in re.findall("#[0-9a-f]{6}", declared.get("background-color", "")):
                assert contrast(declared["color"], background) >= 4.5
                checked.add(background)
            for stripe in re.findall("#[0-9a-f]{6}", declared.get("background-image", "")):
                assert contrast(declared["color"], stripe) >= 4.5
    assert checked == {PAPER, *TINTS, GOLD}
    assert contrast(EDGE, PAPER) >= 3


def test_neighbouring_tints_differ_for_red_green_blind_readers_too():
    # Viénot, Brettel and Mollon 1999: without red-green vision, what remains is brightness and blue against yellow.
    (_, green, blue), (_, green_next, blue_next) = ([int(t[i : i + 2], 16) for i in (1, 3, 5)] for t in TINTS)
    assert abs((blue - green) - (blue_next - green_next)) > 60


# Chunks


@given(texts, st.lists(st.tuples(st.integers(0, 300), st.integers(1, 80)), max_size=6), st.integers(0, 60))
def test_the_text_of_a_chunk_view_is_the_text_of_the_document(text, places, start):
    document = Document("d", "\n" + text)
    size = len(document.text)
    spans = [Span(a % size, min(a % size + n, size)) for a, n in places]
    window = Span(min(start, size - 1), size)
    assert page_of(ChunkView(document, spans)).documents == [document.text]
    assert page_of(ChunkView(document, spans, within=window)).documents == [document.text[window.start :]]


def test_a_chunk_view_names_chunks_overlaps_and_gaps():
    document = Document("d", "aaaa bbbb cccc dddd eeee ")
    view = ChunkView(document, [Span(0, 10), Span(5, 14), Span(20, 24)])
    assert page_of(view).labels == [
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
    assert [label.split(":")[0] for label in page_of(view).labels] == ["[1", "[2"]
    assert repr(view).count("partly shown") == page_of(view).text.count("partly shown") == 2
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


# Trees


def _tree_lines(view: TreeView) -> tuple[list[str], list[str]]:
    html = [line for line in page_of(view).lines[1:] if line]  # The first one is the caption.
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
    assert lines[4] == f"    level 2, 20-40, {tokens} tokens, HIT 0.750: {one_line(node.text)}"
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
    assert page_of(view).documents == ["│a│<e4 b8>│<ad>│<c3>│<a9>│\n│"]
    assert page_of(view).labels == ["↵"]


def test_the_end_of_a_character_and_a_whole_one_can_share_a_token():
    encoding = tiktoken.Encoding(
        "mixed",
        pat_str=r"[\s\S]+",
        mergeable_ranks={bytes([i]): i for i in range(256)} | {b"\xa9 ": 256, b"\xa9 b": 257},
        special_tokens={},
    )
    assert repr(TokenView("é b", encoding)).splitlines()[1] == "│<c3>│<a9> b│"


@given(texts)
def test_the_tokens_hold_all_bytes_of_the_text_in_order(text):
    encoding = get_encoding()
    html = re.sub("<span>(.)</span>", r"\1", TokenView(text, encoding)._repr_html_())  # signs set apart
    painted = re.findall(f'<span style="({"|".join(map(re.escape, markup.PAINT))})[^"]*">(.*?)</span>', html, re.S)
    assert len(painted) == count_tokens(text)
    assert all(a != b for a, b in pairwise(paint for paint, _ in painted))
    inside = "".join(Page(f'<pre dir="auto">\n{content}</pre>').documents[0] for _, content in painted)
    shown = re.split("((?:<[0-9a-f]{2}(?: [0-9a-f]{2})*>)+)", inside)
    raw = b"".join(bytes.fromhex(re.sub("[<>]", " ", part)) if i % 2 else part.encode() for i, part in enumerate(shown))
    assert raw == re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_both_forms_show_the_same_tokens_between_the_same_bars(text):
    view = TokenView(text)
    bars = repr(view).split("\n", 1)[1]
    assert bars == page_of(view).text[len(view.caption) :]
    assert max(bars.count("│") - text.count("│") - 1, 0) == count_tokens(text)


# What is left where styles and classes are removed, as GitHub does


def test_levels_of_a_tree_are_lists_in_lists():
    html = re.sub(' (?:style|class|dir)="[^"]*"', "", TreeView(TREE)._repr_html_())
    depth, depths = 0, []
    for tag in re.findall("</?(?:ul|li)>", html):
        depth += {"<ul>": 1, "</ul>": -1}.get(tag, 0)
        if tag == "<li>":
            depths.append(depth)
    indents = [len(line) - len(line.lstrip()) for line in repr(TreeView(TREE)).splitlines()[1:]]
    assert depths == [1 + indent // 2 for indent in indents]
    assert set(depths) == {1, 2, 3}


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
        assert page_of(view).text
