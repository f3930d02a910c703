"""The handbook page (nesting, links, numbers, tables, codes) and the support tickets (form, times, references)."""

import json
import re
from html.parser import HTMLParser

import pytest

from tests.data import read

PAGE = read("en/console_handbook.html")
CHATS = read("en/support_chats.jsonl")
VOID = {"meta", "link", "img", "input", "br", "hr", "source", "wbr"}
DROP = {"script", "style", "nav", "header", "footer", "aside", "button", "form", "noscript"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.errors, self.ids, self.hrefs = [], [], [], []
        self.words, self.heads, self.codes = [], [], []
        self.tables, self.table, self.cell = [], None, None
        self.lists, self.link, self.before = [], None, ""
        self.head = self.code = None
        self.toc, self.open_lists = [], []

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if len(a) != len(attrs):
            self.errors.append(f"line {self.getpos()[0]}: attribute twice in <{tag}>")
        if "id" in a:
            self.ids.append(a["id"])
        if tag == "p" and "p" in self.stack:
            self.errors.append(f"line {self.getpos()[0]}: <p> inside <p>")
        if tag == "a" and a.get("href", "").startswith("#"):
            self.link = [a["href"][1:], "", a.get("class", "")]
        if tag == "a" and "href" in a:
            self.hrefs.append((a["href"], self.getpos()[0]))
        if tag in VOID:
            return
        self.stack.append(tag)
        if tag in ("h1", "h2", "h3", "h4"):
            self.head = [int(tag[1]), a.get("id"), ""]
        if tag == "pre":
            self.code = ["", None]
        if tag == "code" and self.code is not None:
            self.code[1] = a.get("class")
        if tag == "table":
            self.table = {"id": a.get("id"), "rows": [], "line": self.getpos()[0]}
        if self.table is not None:
            if tag == "tr":
                self.table["rows"].append([])
            if tag in ("td", "th"):
                self.cell = [int(a.get("colspan", 1)), int(a.get("rowspan", 1)), "", tag]
        if tag == "ol":
            self.lists.append(
                [
                    int(a.get("start", 1)),
                    0,
                    len([t for t in self.stack if t in ("ol", "ul")]),
                    self.heads[-1][1] if self.heads else None,
                ]
            )
            self.open_lists.append(("ol", self.lists[-1]))
        elif tag == "ul":
            self.open_lists.append(("ul", None))
        elif tag == "li" and self.open_lists[-1][0] == "ol":
            self.open_lists[-1][1][1] += 1

    def handle_endtag(self, tag):
        if tag in VOID:
            self.errors.append(f"line {self.getpos()[0]}: </{tag}> for a void element")
            return
        if not self.stack or self.stack[-1] != tag:
            self.errors.append(f"line {self.getpos()[0]}: </{tag}> closes {self.stack[-1:] or 'nothing'}")
            if tag in self.stack:
                while self.stack.pop() != tag:
                    pass
            return
        self.stack.pop()
        if tag == "a" and self.link:
            self.toc.append((*self.link, self.before[-12:]))
            self.link = None
        if tag in ("ol", "ul"):
            self.open_lists.pop()
        if self.head and tag == f"h{self.head[0]}":
            self.heads.append(tuple(self.head))
            self.head = None
        if tag == "pre":
            self.codes.append(tuple(self.code))
            self.code = None
        if tag in ("td", "th") and self.cell:
            self.table["rows"][-1].append(tuple(self.cell))
            self.cell = None
        if tag == "table":
            self.tables.append(self.table)
            self.table = None

    def handle_data(self, data):
        main = (
            "main" in self.stack
            and "article" in self.stack
            and not DROP & set(self.stack)
            and "headerlink" not in str(self.link)
        )
        if main:
            self.words += data.split()
        if self.link and "headerlink" not in self.link[2]:
            self.link[1] += data
        elif not self.link:
            self.before = (self.before + data)[-40:]
        if self.head and "headerlink" not in str(self.link):
            self.head[2] += data
        if self.code is not None:
            self.code[0] += data
        if self.cell:
            self.cell[2] += data


def grid_width(table):
    """Every row of the table covers the same number of columns, spans included."""
    pending, widths = [], []
    for row in table["rows"]:
        width = sum(1 for p in pending if p > 0)
        nxt = [p - 1 for p in pending if p > 1]
        for span, rows, _, _ in row:
            width += span
            if rows > 1:
                nxt += [rows - 1] * span
        pending = nxt
        widths.append(width)
    return widths


def check_handbook(text):
    e = []
    p = Page()
    p.feed(text)
    p.close()
    e += p.errors
    if p.stack:
        e.append(f"left open: {p.stack}")
    for i in set(p.ids):
        if p.ids.count(i) > 1:
            e.append(f"id twice: {i}")
    ids = set(p.ids)
    for href, line in p.hrefs:
        if href.startswith("#") and href[1:] not in ids:
            e.append(f"line {line}: link to missing {href}")
        elif not href.startswith(("#", "https://")):
            e.append(f"line {line}: odd link {href}")
    if len(p.words) < 7500:
        e.append(f"main content has {len(p.words)} words")
    number = {ident: m.group(1) for _, ident, t in p.heads if (m := re.match(r"([\d.]+?)\.? ", t)) and ident}
    titles = {ident: t for _, ident, t in p.heads}
    tables = {t["id"]: t for t in p.tables}
    for target, label, *_ in p.toc:
        if re.fullmatch(r"\d+(\.\d+)?", label) and "fn-" not in target and number.get(target) != label:
            e.append(f"link text {label} but target #{target} is {number.get(target)}")
        if re.match(r"\d+\.(\d)? ?", label) and " " in label and titles.get(target) != label:
            e.append(f"contents entry {label!r} but #{target} is {titles.get(target)!r}")
        m = re.fullmatch(r"Table (\d+)", label)
        if m and not (target in tables and f">Table {m.group(1)}. " in text.split(f'id="{target}"')[1][:60]):
            e.append(f"link {label} to #{target}")
    numbers = list(number.values())
    for unit in re.findall(r"\bsections? (\d+(?:\.\d+)?)", " ".join(p.words)):
        if unit not in numbers:
            e.append(f"section {unit} does not exist")
    want = 0
    for lv, _, t in p.heads:
        if lv == 2:
            want, sub = want + 1, 0
            if not t.startswith(f"{want}. "):
                e.append(f"chapter number: {t}")
        elif lv == 3:
            sub += 1
            if not t.startswith(f"{want}.{sub} "):
                e.append(f"section number: {t}")
    caps = [int(x) for x in re.findall(r"<caption>Table (\d+)\.", text)]
    if caps != list(range(1, len(caps) + 1)) or len(caps) != len(p.tables):
        e.append(f"captions {caps}")
    for t in p.tables:
        w = grid_width(t)
        if len(set(w)) > 1:
            e.append(f"table {t['id']}: widths {w}")
    for fn in re.findall(r'id="(fn-[a-z-]+)"', text):
        if text.count(f'href="#{fn}"') != 1:
            e.append(f"footnote {fn} has {text.count(chr(35) + fn)} marks")
    a, b = (tables.get(k) for k in ("tbl-roles-hosted", "tbl-roles-onprem"))
    if a and b:
        diff = [
            (r1[0][2], c1[2], c2[2])
            for r1, r2 in zip(a["rows"], b["rows"], strict=False)
            for c1, c2 in zip(r1, r2, strict=False)
            if c1[2] != c2[2]
        ]
        if len(diff) != 1:
            e.append(f"role tables differ in {diff}")
    for prefix, total in (("upgrade-", 12), ("restore", 10), ("install-", 9)):
        run = [
            (s, n, h)
            for s, n, depth, h in p.lists
            if depth == 1 and (h or "").startswith(prefix) and h != "install-hosted"
        ]
        at = 1
        for s, n, h in run:
            if s != at:
                e.append(f"{h}: steps start at {s}, expected {at}")
            at = s + n
        if at - 1 != total:
            e.append(f"{prefix}: {at - 1} steps, expected {total}")
    blank = sum("\n\n" in c for c, _ in p.codes)
    langs = {c for _, c in p.codes}
    if not {f"language-{x}" for x in ("yaml", "shell", "json", "sql")} <= langs or blank < 5:
        e.append(f"code blocks: {langs}, {blank} with blank lines")
    article = text.split("<article", 1)[1].split("</article>")[0]
    for code, ident in (("NC-\\d{4}", "tbl-errors"), ("A-\\d\\d\\b", "tbl-alarms")):
        defined = (
            {r[0][2] for r in tables[ident]["rows"][1:] if re.fullmatch(code, r[0][2])} if ident in tables else set()
        )
        for c in sorted(set(re.findall(r"(?<![\w-])" + code, article)) - defined):
            e.append(f"{c} is not in {ident}")
    e += plain(text)
    return e, p, numbers


def plain(text):
    e = []
    if not text.endswith("\n") or text.endswith("\n\n"):
        e.append("trailing newline")
    if "\r" in text or "\t" in text:
        e.append("CR or tab")
    e += [f"line {n}: trailing space" for n, ln in enumerate(text.split("\n"), 1) if ln != ln.rstrip()]
    return e


def check_tickets(text, numbers, codes):
    e, turns, order = plain(text), {}, []
    last = None
    for n, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError as err:
            e.append(f"line {n}: {err}")
            continue
        if list(row) != ["dialogue", "speaker", "text", "start", "end"]:
            e.append(f"line {n}: keys {list(row)}")
            continue
        d = row["dialogue"]
        if d != last and d in turns:
            e.append(f"line {n}: {d} is not contiguous")
        if d not in turns:
            order.append(d)
        rows = turns.setdefault(d, [])
        if not (isinstance(row["start"], int) and isinstance(row["end"], int) and row["start"] < row["end"]):
            e.append(f"line {n}: times {row['start']}-{row['end']}")
        if rows and row["start"] < rows[-1]["end"]:
            e.append(f"line {n}: starts before the previous turn ends")
        if not rows and row["start"] != 0:
            e.append(f"line {n}: ticket does not start at 0")
        if not re.fullmatch(r"(Customer|Agent) \([A-Z][a-z]+\)", row["speaker"]):
            e.append(f"line {n}: speaker {row['speaker']}")
        for ref in re.findall(r"ticket-(\d{4})", row["text"]):
            if int(ref) >= int(d[-4:]) or f"ticket-{ref}" not in turns:
                e.append(f"line {n}: {d} refers to ticket-{ref}")
        for ref in re.findall(r"(?i)\bticket (\d+)", row["text"]):
            e.append(f"line {n}: write ticket-{int(ref):04d}")
        for sec in re.findall(r"(?i)\b(?:sections?|chapters?) (\d+(?:\.\d+)?)", row["text"]) + re.findall(
            r"sections \d+\.\d+ and (\d+\.\d+)", row["text"]
        ):
            if sec not in numbers:
                e.append(f"line {n}: section {sec} does not exist")
        for c in re.findall(r"\bNC-\d{4}", row["text"]):
            if c not in codes:
                e.append(f"line {n}: {c} is not in the handbook")
        for t in re.findall(r"\bTable (\d+)", row["text"]):
            if not 1 <= int(t) <= 14:
                e.append(f"line {n}: Table {t}")
        rows.append(row)
        last = d
    if order != [f"ticket-{i:04d}" for i in range(1, 41)]:
        e.append(f"{len(order)} tickets, or out of order")
    for d, rows in turns.items():
        if not 8 <= len(rows) <= 30:
            e.append(f"{d}: {len(rows)} turns")
        if not any(r["speaker"].startswith("Agent") for r in rows) or not any(
            r["speaker"].startswith("Customer") for r in rows
        ):
            e.append(f"{d}: one side only")
    words = sum(len(r["text"].split()) for rows in turns.values() for r in rows)
    if words < 9000:
        e.append(f"tickets have {words} words")
    texts = [r["text"] for rows in turns.values() for r in rows if len(r["text"].split()) > 6]
    e += [f"turn repeated: {t[:60]}" for t in sorted({t for t in texts if texts.count(t) > 1})]
    return e, turns, words


PROBLEMS, HANDBOOK, SECTIONS = check_handbook(PAGE)
CODES = set(re.findall(r"NC-\d{4}", PAGE))
LINES = CHATS.splitlines(keepends=True)


def test_the_handbook_keeps_its_promises() -> None:
    assert PROBLEMS == []


def test_the_tickets_keep_their_promises() -> None:
    assert check_tickets(CHATS, SECTIONS, CODES)[0] == []


def test_lengths() -> None:
    assert len(HANDBOOK.words) >= 7_000
    assert len({json.loads(line)["dialogue"] for line in LINES}) >= 40


PAGE_BREAKS = [
    ("<li>Run <code>nmctl preflight", "<li><b>Run <code>nmctl preflight"),
    ('href="#upgrade-prepare"', 'href="#upgrade-prepair"'),
    ('<h3 id="ports">', '<h3 id="components">'),
    ('start="11"', 'start="12"'),
    (
        '<td>No</td><td>No</td><td>Yes</td><td>Yes</td><td>No</td></tr>\n<tr><th scope="row">Enter',
        '<td>No</td><td>No</td><td>No</td><td>Yes</td><td>No</td></tr>\n<tr><th scope="row">Enter',
    ),
    ('<a href="#relay">6.3', '<a href="#signin">6.3'),
    ('<td colspan="2">No threshold', "<td>No threshold"),
    ("(<code>NC-6001</code>)", "(<code>NC-6011</code>)"),
    ('<h3 id="ports">2.3', '<h3 id="ports">2.4'),
    ('<sup><a href="#fn-zero">1</a></sup>', ""),
    ('href="#tbl-roles-hosted">Table 4', 'href="#tbl-roles-onprem">Table 4'),
]


@pytest.mark.parametrize(("old", "new"), PAGE_BREAKS)
def test_a_broken_page_is_caught(old: str, new: str) -> None:
    assert old in PAGE
    assert check_handbook(PAGE.replace(old, new, 1))[0]


CHAT_BREAKS = [
    CHATS.replace('"start": 0,', '"start": 3,', 1),
    CHATS.replace('"speaker"', '"Speaker"', 1),
    "".join(LINES[1:]) + LINES[0],
    re.sub(r"ticket-00(\d\d)( |,|\.)", r"ticket-0099\2", CHATS, count=1),
    re.sub(r"section \d+\.\d+", "section 5.9", CHATS, count=1),
    re.sub(r"NC-\d{4}", "NC-9999", CHATS, count=1),
    CHATS.replace('"end": ', '"end": -', 1),
    CHATS[:-1],
    LINES[0][:-3] + "\n" + "".join(LINES[1:]),
]


@pytest.mark.parametrize("broken", CHAT_BREAKS, ids=range(len(CHAT_BREAKS)))
def test_broken_tickets_are_caught(broken: str) -> None:
    assert broken != CHATS
    assert check_tickets(broken, SECTIONS, CODES)[0]
