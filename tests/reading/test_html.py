import hashlib
import html
import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.reading import CORPORA_DIR, read_html
from hierrag_lessons.reading.html_content import MAX_DEPTH
from tests.texts import HOSTILE, texts


@pytest.fixture
def convert(tmp_path):
    """The document of a page."""

    def convert(page: str, *, main: bool = True):
        path = tmp_path / "page.html"
        path.write_bytes((f"<main>{page}</main>" if main else page).encode())
        return read_html(path)

    return convert


def test_the_handbook_of_the_course_reads_as_it_always_did():
    """Offsets of gold evidence, the vocabulary and every figure in the lessons rest on this text."""
    text = read_html(CORPORA_DIR / "en" / "console_handbook.html").text
    assert hashlib.sha256(text.encode()).hexdigest() == (
        "46d83a4c7e5dedef1cf662bdcb97451192e975a47326ca0f1dd549dbcfe7e05b"
    )


# --- what is content -------------------------------------------------------------------------------------------------

PAGE = """<?xml version="1.0"?><!DOCTYPE html>
<!-- saved from url=(0042)https://example.com/ -->
<html><head><title>Out 1</title><style>.out2{}</style><script>out3()</script></head>
<body class="cookie-banner-open" style="visibility: hidden">
<a href="#main">out4</a>
<div class="cookie" role="dialog"><p>out5</p></div>
<header><h1>out6</h1><nav><ul><li>out7</ul></nav></header>
<aside><article>out8</article></aside>
<form><main id="main"><article>
<header><h1>Keep1<a class="headerlink" href="#a">¶</a></h1><nav>out9</nav></header>
<p>Keep2 <button>out10</button><span hidden>out11</span><span aria-hidden="true">out12</span><b>Keep3</b></p>
<div style="color:red; DISPLAY : none">out13</div><div style="color:red">Keep4</div>
<div id="cookie-consent">out14</div><div class="x gdpr_banner">out15</div><div class="cookies" id="cookie">Keep5</div>
<template>out16</template><noscript>out17</noscript><svg><title>out18</title></svg><iframe>out19</iframe>
<dialog>out20</dialog><select><option>out21</select><search>out22</search><aside>out23</aside>
<details hidden="until-found"><summary>Keep6</summary>Keep7</details>
<blockquote>Keep8<footer>Keep9</footer></blockquote><footer>out24</footer><div role="navigation">out25</div>
<!-- out26 --><![CDATA[out27]]><p>Keep10<sup><a href="#fn">*</a></sup> <a href="#b">#</a><a href="#c">\u200b</a></p>
</article><section class="feedback">out28</section></main></form>
<div class="related">out29</div><footer>out30</footer></body></html>"""


def test_only_the_main_content_survives(convert):
    document = convert(PAGE, main=False)
    assert "out" not in document.text.lower()
    assert re.findall(r"Keep\d+", document.text) == [f"Keep{n}" for n in range(1, 11)]
    assert document.text.startswith("# Keep1\n\nKeep2 Keep3\n\nKeep4\n")
    assert document.text.endswith("\n\nKeep10*\n")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("x<div role='main'>a</div>y", "a\n"),
        ("x<article>a</article>y<article>b<article>c</article></article>", "a\n\nb\n\nc\n"),
        ("<article>x</article><main>a</main>", "a\n"),
        ("<main hidden>x</main><div><main>a</main></div><main>b</main>", "a\n\nb\n"),
        ("<div hidden><main>x</main></div><article>a</article>", "a\n"),
        ("<main><h1>a</h1><article>b</article>c</main>", "# a\n\nb\n\nc\n"),
        ("<main>a<article>b</article><article>c</article></main>", "a\n\nb\n\nc\n"),
        ("<main>x<article>b</article>x<nav><h2>x</h2></nav></main>", "b\n"),
        ("<main>a<header>x</header></main>", "a\n"),
        ("<main><main>a</main></main>", "a\n"),
        ("<main role='main'>a</main>", "a\n"),
    ],
)
def test_where_the_main_content_is(convert, page, text):
    assert convert(page, main=False).text == text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("words", "words\n"),
        ("page.html", "page.html\n"),
        ("<title>x</title><h1>a</h1>b<p>c", "# a\n\nb\n\nc\n"),
        ("<body><nav>x</nav><div id=cookie-banner>x</div><p>a<form>x</form><footer>x</footer>", "a\n"),
    ],
)
def test_a_page_that_marks_no_main_content_is_read_whole(convert, page, text):
    assert convert(page, main=False).text == text


@pytest.mark.parametrize(
    "page", ["", "<main></main>", "<main> &nbsp;<nav>x</nav><img></main>x", "<nav>x</nav>", "<frameset><frame>"]
)
def test_a_page_without_text(convert, page):
    with pytest.raises(ValueError, match=r"page\.html shows no text"):
        convert(page, main=False)


def test_the_document(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes("\ufeff<main>\r\n<h1>甲</h1>\r\n<pre>a\r\nb</pre></main>".encode())
    document = read_html(path)
    assert (document.doc_id, document.kind, document.language) == ("page", "markdown", "en")
    assert document.text == "# 甲\n\n```\na\nb\n```\n"
    assert document.metadata == {"file": "page.html"}
    assert read_html(str(path), language="zh", doc_id="zh/p").doc_id == "zh/p"


# --- Markdown --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<h1>A <em>b</em></h1><h6>C<br>d</h6><h3> </h3>", "# A b\n\n###### C d"),
        ("text<p>one\n two<br>\nthree<p>four", "text\n\none two\nthree\n\nfour"),
        ("one<br><br>two<div>three</div>four", "one\n\ntwo\n\nthree\n\nfour"),
        ("<p>a&nbsp;b &lt;c&gt; &amp;amp; &#8212;</p>", "a\u00a0b <c> &amp; —"),
        ("<p>see <a href='x'>the <b>link</b></a>, <img alt='a cat'>.</p>", "see the link, a cat."),
        ("<p>a <b> b</b>\n <i>c</i> </p>", "a b c"),
        ("<p><code>a  b</code> <kbd>`</kbd> <tt>x``y`</tt>", "`a b` `` ` `` ``` x``y` ```"),
        ("<p>10<sup>6</sup> and x<sup>2</sup>, 1<sup>st</sup>", "10^6 and x2, 1st"),
        ("<figure><img alt='Plan'><figcaption>Fig. 1</figcaption></figure>", "Plan\n\nFig. 1"),
        ("<blockquote>a<p>b<br>c</blockquote>", "> a\n>\n> b\n> c"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("<span>a<div>b</div>c</span>d", "a\n\nb\n\nc\n\nd"),
    ],
)
def test_blocks(convert, page, expected):
    assert convert(page).text == expected + "\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("# a", "\\# a"),
        ("#a", "#a"),
        ("> a", "\\> a"),
        ("- a", "\\- a"),
        ("-a", "-a"),
        ("```a", "\\```a"),
        ("a<br>===", "a\n\\==="),
        ("a<br>---", "a\n\\---"),
        ("<code># a</code>", "`# a`"),
        ("1. a | b * c _d_", "1. a | b * c _d_"),
    ],
)
def test_text_that_looks_like_markup(convert, text, written):
    assert convert(f"<p>{text}</p>").text == written + "\n"


def test_line_ends_written_as_entities_are_line_feeds(convert):
    page = "<p>one&#13;two</p><pre>a&#13;&#10;b&#xD;c</pre><table><tr><th>h&#13;i</th></tr><tr><td>j</td></tr></table>"
    text = convert(page).text
    assert "\r" not in text
    assert "one two" in text
    assert "a\nb\nc" in text


def test_lists(convert):
    page = """<p>Steps:</p><ol start="9"><li>One<ul><li>a<li>b<p>more</p></ul><li><p>Two</p>
    <pre><code class="language-sh x">run \\\n\n  now</code></pre></li>
    <li value=20>Three<blockquote>said</blockquote></ol>
    <ul><li><ol><li>deep</ol></ul><ol reversed><li>z<li>y</ol>"""
    document = convert(page)
    assert document.text == (
        "Steps:\n\n9. One\n   - a\n   - b\n\n     more\n\n10. Two\n\n    ```sh\n    run \\\n\n      now\n    ```\n\n"
        "20. Three\n\n    > said\n\n- 1. deep\n\n2. z\n1. y\n"
    )


def test_a_list_that_starts_late_does_not_run_into_the_line_above(convert):
    assert convert("<ul><li>a<ol start=3><li>b<li>c</ol></ul>").text == "- a\n\n  3. b\n  4. c\n"
    assert convert("<ul><li>a<dl><dt>t<dd>d</dl></ul>").text == "- a\n\n  t\n  : d\n"


def test_definitions(convert):
    document = convert("<dl><dt>A<dt>B<dd>one<p>more<dd>two</dd><div><dt><code>C</code><dd><ul><li>x</ul></div></dl>")
    assert document.text == "A\nB\n: one\n\n  more\n\n: two\n\n`C`\n: - x\n"


def test_quotes_in_quotes_and_lists(convert):
    page = "<blockquote><p>a<p>b<pre>x\n\ny</pre><blockquote>c</blockquote></blockquote><blockquote>d</blockquote>"
    assert convert(page).text == "> a\n>\n> b\n>\n> ```\n> x\n>\n> y\n> ```\n>\n> > c\n\n> d\n"
    assert convert("<blockquote><ul><li>a<li>b</ul></blockquote>").text == "> - a\n> - b\n"


@pytest.mark.parametrize(
    ("page", "block"),
    [
        ("<pre>\n\n  a\tb  \n\n</pre>", "```\n\n  a\tb  \n\n```"),
        ("<pre>a ```` b</pre>", "`````\na ```` b\n`````"),
        ("<pre class='lang-c++'>&lt;b&gt; &amp;amp;</pre>", "```c++\n<b> &amp;\n```"),
        ("<pre><button>Copy</button><span>a</span><br><b>b</b></pre>", "```\na\nb\n```"),
        ("<pre><code><div>a</div><div>b</div></code></pre>", "```\na\nb\n```"),
        ("<pre># no heading\n* no item</pre>", "```\n# no heading\n* no item\n```"),
    ],
)
def test_code_is_verbatim(convert, page, block):
    assert convert(page).text == block + "\n"


# --- tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("<tr><th>A<th>B<tr><td>1<td>2", ["A|B", "1|2"]),
        ("<thead><tr><td>A<td>B<tbody><tr><td>1<tfoot><tr><td>x<td>y", ["A|B", "1|", "x|y"]),
        ("<tr><td>1<td>2<tr><th>r<td>3", ["|", "1|2", "r|3"]),
        ("<tr><th>A<tr><th>B", ["A", "B"]),
        ("<tr><th rowspan=2>A<th colspan=2>R<tr><th>x<th>y<tr><td>1<td>2<td>3", ["A|R / x|R / y", "1|2|3"]),
        ("<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f", ["||", "a|a|b", "a|a|c", "d|e|f"]),
        ("<tr><td>a<td rowspan=0>b<tr><td>c<tr><td>d<tbody><tr><td>e<td>f", ["|", "a|b", "c|b", "d|b", "e|f"]),
        ("<tr><td>a<td rowspan=3>b<tr><tr>", ["|", "a|b", "|b", "|b"]),
        ("<tr><th>A<th>B<tr><td colspan=99>note<tr><td>1<td>2", ["A|B", "note|", "1|2"]),
        ("<tr><th>A<tr><td>x|y \\| <code>a|b</code>", ["A", r"x\|y \\\| `a\|b`"]),
        ("<tr><th>A<tr><td>a<br>b<p>c<ul><li>d<li>e</ul><pre>f\ng</pre>", ["A", "a b c d e f g"]),
        ("<tr><th>A<tr><td>a<table><tr><td>b<td>c</table>d", ["A", "a b c d"]),
        ("<td>a<td>b", ["|", "a|b"]),
        ("<tr><th>A<th>B<tr hidden><td>x<td>y<tr><td colspan=-1>1<td rowspan=z>2", ["A|B", "1|2"]),
        ("<tr><td>a<tfoot><tr><td>z<thead><tr><th>H", ["H", "a", "z"]),
    ],
)
def test_tables(convert, table, rows):
    lines = convert(f"<table>{table}</table>").text.removesuffix("\n").split("\n")
    width = rows[0].replace("\\|", "").count("|") + 1
    assert lines.pop(1) == "|" + " --- |" * width
    assert lines == ["| " + re.sub(r"(?<!\\)\|", " | ", row) + " |" for row in rows]


def test_captions_and_text_between_cells(convert):
    document = convert("<table><tr><td>a</td></tr>stray <b>words</b><caption>Table 1. <i>All</i></caption></table>")
    assert document.text == "stray words\n\nTable 1. All\n\n|  |\n| --- |\n| a |\n"
    assert convert("<table><caption>Nothing</caption><tr><td></table>").text == "Nothing\n"


def test_tables_that_only_arrange_the_page(convert):
    page = (
        "<table><tr><td><pre>1\n2</pre><td><pre>a\n\nb</pre></table><table role=presentation><tr><td>x<tr><td>y</table>"
    )
    assert convert(page).text == "```\n1\n2\n```\n\n```\na\n\nb\n```\n\nx\n\ny\n"


def test_a_table_in_a_list(convert):
    assert convert("<ol><li>a<table><tr><th>A<tr><td>1</table></ol>").text == "1. a\n\n   | A |\n   | --- |\n   | 1 |\n"


# --- malformed pages -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<main><p>a</div><p>b</section></p>c</main>x", "a\n\nb\n\nc\n"),
        ("<div><main><b><div>a</b></div>b</div></main>x", "a\n\nb\n"),
        ("<main><h2>a<p>b<h3>c<ul><li>d</main>", "## a b\n\n### c d\n"),
        ("<main><h2><p>a</p></h2><h2><div>b</div></h2>", "## a\n\n## b\n"),
        ("<main><ul><li>a<ul><li>b</li></li></ul><li>c</ul></main>", "- a\n  - b\n- c\n"),
        ("<main><ul>a<li>b</ul><li>c<dd>d", "a\n\n- b\n\n- c\n  : d\n"),
        ("<main><table><tr><td><div>a</td></div><td></ul>b</table>c", "|  |  |\n| --- | --- |\n| a | b |\n\nc\n"),
        ("<main><p>a<table><tr><td>b</p>c</table>", "a\n\n|  |\n| --- |\n| b c |\n"),
        ("<main>a</body></html>b", "ab\n"),
        ("<main><p class='x\" id=>a</p><p>b' >c", "c\n"),
        ("<main>a &unknown &copy 3 < 4 <", "a &unknown © 3 < 4 <\n"),
        ("<main>a<br/></br><hr>b<p/>c", "a\n\nb\n\nc\n"),
        ("<main>a</p>b<td>c</main>x", "a\n\nbc\n"),
        ("<main><p>a<div>b</main><div>x</div>", "a\n\nb\n"),
        ("<nav><div>x</nav><main>a", "a\n"),
        ("<main>a<!-- x", "a\n"),
        ("<main>a<script><!--<script>x</script>--></script>b<style>x", "ab\n"),
        ("<main>a<![CDATA[x]]>b<![foo bar]>c", "abc\n"),
        ("<main><ul><dt>a<ol>b", "a b\n"),
    ],
)
def test_malformed_pages(convert, page, text):
    assert convert(page, main=False).text == text


@pytest.mark.parametrize("tag", ["p", "li", "dd", "td", "tr", "h1"])
def test_thousands_of_elements_that_need_no_end_tag(convert, tag):
    text = convert(f"<table><tr>{f'<{tag}>words' * 2000}</table>more").text
    assert text.count("words") == 2000
    assert "more" in text


@pytest.mark.parametrize("tag", ["div", "span", "b", "blockquote", "ul", "section", "table><tr><td"])
def test_elements_nested_too_deep(convert, tag):
    assert "words" in convert(f"<{tag}>" * (MAX_DEPTH // 4) + "words").text
    with pytest.raises(ValueError, match=r"page\.html: elements are nested more than 150 deep.*HTML Tidy"):
        convert(f"<{tag}>" * 3000 + "words")


def test_the_deepest_page_that_is_read(convert):
    assert convert("<ul><li>" * (MAX_DEPTH // 2 - 1) + "words").text.endswith("words\n")


@pytest.mark.parametrize(
    "piece", ["<a ", "<!--", "<p>a</p>b", "<nav></nav>", "a<br>", "<ol><li>a</ol>", "<span hidden>"]
)
def test_time_grows_with_the_page_only(convert, piece):
    def seconds(times: int) -> float:
        start = process_time()
        convert("words" + piece * times)
        return process_time() - start

    convert("words")
    shortest = {times: min(seconds(times) for _ in range(3)) for times in (500, 4000)}  # what else runs only adds time
    assert shortest[4000] < 3 * 8 * shortest[500] + 0.1  # Quadratic steps would take 64 times as long.


@pytest.mark.parametrize("cells", ["<td colspan=1000 rowspan=0>words" * 50, "<td rowspan=0>words" * 5000])
def test_a_table_that_would_be_far_larger_than_its_page_is_refused(convert, cells):
    with pytest.raises(ValueError, match=r"page\.html: a table has cells over so many columns and rows"):
        convert(f"<table><tr>{cells}{'<tr><td>a' * 5000}</table>")


def test_a_table_with_one_wide_row_is_filled_up_only_so_far(convert):
    with pytest.raises(ValueError, match="mend its colspan"):
        convert(f"<table><tr>{'<td>a' * 3000}{'<tr><td>a<td>b' * 3000}</table>")


_TAGS = re.findall(
    r"\w+", "p div b code ul ol li dl dt dd table thead tbody tr td th caption h1 h2 blockquote section span pre a"
)
tag_soup = st.lists(
    st.sampled_from([f"<{tag}>" for tag in _TAGS] + [f"</{tag}>" for tag in _TAGS] + ["w"] * 25), max_size=60
)


@given(tag_soup)
def test_no_word_is_lost_in_tag_soup(tmp_path_factory, pieces):
    words = [f"w{n}w" for n, piece in enumerate(pieces) if piece == "w"]
    page = "".join(f" w{n}w " if piece == "w" else piece for n, piece in enumerate(pieces))
    path = tmp_path_factory.mktemp("soup") / "soup.html"
    page += "</table>" * 60  # what a table does not hold is out of its reach, its end tags apart
    path.write_text(f"<main><p>first</p>{page}</main><div>outside</div>", encoding="utf-8")
    document = read_html(path)
    assert set(words) <= set(re.findall(r"w\d+w", document.text))
    assert "outside" not in document.text


# --- round trip ------------------------------------------------------------------------------------------------------


def visible(text: str) -> str:
    """What a browser shows of a text: runs of HTML's white space are one blank."""
    return re.sub("[ \t\r\n\f]+", " ", text).strip()


hostile = texts.map(lambda text: text.encode("utf-8", "ignore").decode().replace("\x00", ""))
line = hostile.filter(visible)
leaf = st.one_of(
    st.tuples(st.just("p"), line),
    st.tuples(st.sampled_from(["h1", "h2", "h3", "h4", "h5", "h6"]), line),
    st.tuples(st.just("pre"), hostile.filter(str.strip)),
    st.tuples(st.just("table"), st.lists(st.tuples(line, line), min_size=1, max_size=3)),
)
nested = st.recursive(
    st.lists(leaf, min_size=1, max_size=3),
    lambda inside: st.lists(
        st.one_of(
            leaf,
            st.tuples(st.just("blockquote"), inside),
            st.tuples(st.sampled_from(["ul", "ol"]), st.lists(st.tuples(line, inside), min_size=1, max_size=3)),
        ),
        min_size=1,
        max_size=3,
    ),
    max_leaves=8,
)


def page_of(content) -> str:
    parts = []
    for name, inside in content:
        if name == "table":
            head, *rows = [f"<th>{html.escape(a)}<th>{html.escape(b)}" for a, b in inside]
            rows = "".join(f"<tr>{row.replace('<th>', '<td>')}" for row in rows)
            parts.append(f"<table><tr>{head}{rows}</table>")
        elif name == "pre":
            parts.append(f"<pre>\n{html.escape(inside)}</pre>")
        elif name == "blockquote":
            parts.append(f"<blockquote>{page_of(inside)}</blockquote>")
        elif name in ("ul", "ol"):
            items = "".join(f"<li>{html.escape(text)}{page_of(below)}" for text, below in inside)
            parts.append(f"<{name}>{items}</{name}>")
        else:
            parts.append(f"<{name}>{html.escape(inside)}</{name}>")
    return "".join(parts)


def in_cell(text: str) -> str:
    """A bar and the backslashes right before it each get a backslash."""
    return re.sub(r"\\*\|", lambda run: "".join(f"\\{sign}" for sign in run[0]), visible(text))


def expected_of(content, indent=""):
    """Text, indentation and marker of each block that the page must give."""
    for name, inside in content:
        if name == "table":
            rows = [f"| {in_cell(a)} | {in_cell(b)} |" for a, b in inside]
            yield "\n".join([rows[0], "| --- | --- |", *rows[1:]]), indent, ""
        elif name == "pre":
            code = inside.replace("\r\n", "\n").replace("\r", "\n")
            fence = max(["```", *(run + "`" for run in re.findall("`{3,}", code))], key=len)
            yield f"{fence}\n{code}{'' if code.endswith(chr(10)) else chr(10)}{fence}", indent, ""
        elif name == "blockquote":
            yield from expected_of(inside, indent + "> ")
        elif name in ("ul", "ol"):
            for number, (text, below) in enumerate(inside, start=1):
                marker = "- " if name == "ul" else f"{number}. "
                yield visible(text), indent, marker
                yield from expected_of(below, indent + " " * len(marker))
        else:
            yield visible(inside), indent, "" if name == "p" else "#" * int(name[1]) + " "


@given(nested)
def test_every_block_stands_in_its_place(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_bytes(f"<nav>Home</nav><main>{page_of(content)}</main>".encode())
    text = read_html(path).text
    end = 0
    for block, indent, marker in expected_of(content):
        lines = block.split("\n")
        written = "\n".join([lines[0], *(indent + line if line else indent.rstrip() for line in lines[1:])])
        places = [text.find(f"{marker}{sign}{written}", end) for sign in ("", "\\")]  # "# a" is written "\# a"
        start = min(place for place in places if place >= 0)
        assert re.fullmatch(r"[\s>]*(?:(?:-|\d+\.)[\s>]*)*", text[end:start])
        end = text.index(written, start) + len(written)
    assert text[end:] == "\n"


@pytest.mark.parametrize("name", [name for name in HOSTILE if HOSTILE[name].strip() and "surrogate" not in name])
def test_hostile_paragraphs(convert, name):
    text = HOSTILE[name].replace("\x00", "")
    assert convert(f"<p>{html.escape(text)}</p>").text == visible(text) + "\n"
