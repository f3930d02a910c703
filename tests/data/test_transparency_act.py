"""The Transparency Act: numbering, every cross-reference, notes to tables, definitions, Annex V against Title XII.

Title XII adapts words of other provisions: the quoted words have to be there, and Annex V has to list each adaptation.
A sentence on "the four conditions" has to refer to four provisions.
"""

import re

import pytest

from tests.data import read

TEXT = read("en/transparency_act.md")
SUP = "¹²³⁴⁵⁶⁷⁸⁹"
NUMBER = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10, "twelve": 12}
ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv"]


def roman(text):
    return ROMAN.index(text.lower()) + 1


class Act:
    def __init__(self, text):
        self.text = text
        self.errors = []
        self.refs = []  # (where, reference as a tuple)
        self.units = set()  # ("17",) ("17","3") ("17","3","b") ("17","3","b","ii")
        self.content = {}  # the same keys -> text
        self.titles, self.annexes, self.annex_tables, self.annex_items = {}, {}, {}, {}
        self.article_title = {}  # article -> its Title
        self.steps, self.recitals, self.segments = [], [], []
        self.notes = {}  # place -> set of note marks defined
        self.definitions = []

    def err(self, where, message):
        self.errors.append(f"{where}: {message}")

    # ---- numbering -------------------------------------------------------
    def parse(self):
        where, art, par, pt, annex = "front", None, None, None, None
        chapter = 0
        in_recitals, mark = False, "B"
        last_item = 0
        used, defined = set(), set()

        def close_notes():
            if used != defined:
                self.err(where, f"notes used {sorted(used)} but defined {sorted(defined)}")
            if used != set(SUP[: len(used)]):
                self.err(where, f"notes not in sequence: {sorted(used)}")

        for n, line in enumerate(self.text.split("\n"), 1):
            if line != line.rstrip():
                self.err(f"line {n}", "trailing space")
            if line.startswith("▼"):
                new = line[1:]
                if new not in ("M1", "B") or (new == "M1") == (mark == "M1"):
                    self.err(f"line {n}", f"mark {line} follows {mark}")
                mark = "M1" if new == "M1" else "B"
                continue
            if line.startswith("#"):
                close_notes()
                used, defined = set(), set()
                in_recitals = line == "## Recitals"
                par = pt = None
                if m := re.fullmatch(r"# Title ([IVX]+) — (.+)", line):
                    if roman(m[1]) != len(self.titles) + 1:
                        self.err(line, "Title out of sequence")
                    self.titles[m[1]] = m[2]
                    art, annex, chapter = None, None, 0
                elif m := re.fullmatch(r"## Chapter (\d+) — (.+)", line):
                    chapter += 1
                    if int(m[1]) != chapter:
                        self.err(line, "Chapter out of sequence")
                elif m := re.fullmatch(r"### Article (\d+) — (.+)", line):
                    if int(m[1]) != len(self.article_title) + 1:
                        self.err(line, "Article out of sequence")
                    if not self.titles:
                        self.err(line, "Article outside a Title")
                    art = m[1]
                    self.article_title[art] = list(self.titles)[-1]
                    self.units.add((art,))
                elif m := re.fullmatch(r"# Annex ([IVX]+) — (.+)", line):
                    if roman(m[1]) != len(self.annexes) + 1:
                        self.err(line, "Annex out of sequence")
                    annex, art, last_item = m[1], None, 0
                    self.annexes[annex] = m[2]
                    self.annex_tables[annex], self.annex_items[annex] = [], []
                elif m := re.fullmatch(r"## Table (\d+) — (.+)", line):
                    if not annex or int(m[1]) != len(self.annex_tables[annex]) + 1:
                        self.err(line, "Table out of sequence")
                    else:
                        self.annex_tables[annex].append(m[1])
                elif line not in ("# Electricity Market Transparency Act", "## Recitals"):
                    self.err(line, "heading not understood")
                where = line.lstrip("# ")
                self.segments.append((where, None, None, None, line))
                continue
            if not line:
                continue
            if line[0] in SUP:  # a note to a table
                if line[0] in defined:
                    self.err(where, f"note {line[0]} defined twice")
                defined.add(line[0])
                self.notes.setdefault(art or annex, set()).add(str(SUP.index(line[0]) + 1))
            elif line.startswith("|"):
                used |= {c for c in line if c in SUP}
                if annex and (m := re.match(r"\| (\d+) \|", line)):
                    last_item = 1 if m[1] == "1" else last_item + 1
                    if int(m[1]) != last_item:
                        self.err(where, f"row {m[1]} out of sequence")
            elif in_recitals and (m := re.match(r"\((\d+)\) ", line)):
                if int(m[1]) != len(self.recitals) + 1:
                    self.err("Recitals", f"({m[1]}) out of sequence")
                self.recitals.append(m[1])
            elif art and (m := re.match(r"\((\d+)([a-z]?)\) ", line)):
                number = m[1] + m[2]
                have = [u[1] for u in self.units if len(u) == 2 and u[0] == art]
                if m[2]:
                    good = (
                        (m[1] in have if m[2] == "a" else m[1] + chr(ord(m[2]) - 1) in have)
                        and par
                        and par.rstrip("abc") == m[1]
                    )
                else:
                    good = int(m[1]) == 1 + len([h for h in have if h.isdigit()])
                if not good or number in have:
                    self.err(where, f"paragraph ({number}) out of sequence")
                par, pt = number, None
                self.units.add((art, par))
                self.content[(art, par)] = line
                if m2 := re.match(r"\(\d+\) Step (\d+) — ", line):
                    if int(m2[1]) != len(self.steps) + 1:
                        self.err(where, f"Step {m2[1]} out of sequence")
                    self.steps.append(m2[1])
                if m2 := re.match(r'\(\d+\) "([^"]+)" (?:means|describes) ', line):
                    self.definitions.append(m2[1])
            elif art and (m := re.match(r"- \(([a-z])\) ", line)):
                have = [u[2] for u in self.units if len(u) == 3 and u[:2] == (art, par)]
                if par is None or m[1] != chr(ord("a") + len(have)):
                    self.err(where, f"point ({m[1]}) of paragraph {par} out of sequence")
                pt = m[1]
                self.units.add((art, par, pt))
                self.content[(art, par, pt)] = line
            elif art and (m := re.match(r"  - \(([ivx]+)\) ", line)):
                have = [u for u in self.units if len(u) == 4 and u[:3] == (art, par, pt)]
                if pt is None or roman(m[1]) != len(have) + 1:
                    self.err(where, f"sub-point ({m[1]}) out of sequence")
                self.units.add((art, par, pt, m[1]))
                self.content[(art, par, pt, m[1])] = line
            elif annex and (m := re.match(r"(\d+)\. ", line)):
                if int(m[1]) != len(self.annex_items[annex]) + 1:
                    self.err(where, f"item {m[1]} out of sequence")
                self.annex_items[annex].append(m[1])
            elif art and art != "4":
                self.err(where, f"line {n} belongs to no paragraph: {line[:50]}")
            spot = where if par is None else f"Article {art}({par})" + (f"({pt})" if pt else "")
            self.segments.append((spot, art, par, pt, line))
        close_notes()
        ends = {}
        for key in self.units:
            if len(key) == 3:
                ends.setdefault(key[:2], []).append(key[2])
        for key, points in ends.items():
            if len(points) < 2:
                self.err(key, "a list of one point")

    # ---- references ------------------------------------------------------
    ITEM = re.compile(r"(\d+[a-z]?)?((?:\((?:\d+[a-z]?|[a-z]|[ivx]+)\))*)")
    UNIT = re.compile(r"\s?(?:%|MWh?|minutes|hours|days|business|months|years|crowns|metering|consecutive)")

    def read_list(self, text, pos):
        """From pos read items joined by ',', 'and', 'or', 'to'; yield (joiner, number, [parens]), end."""
        items, joiner = [], ""
        while True:
            m = self.ITEM.match(text, pos)
            if not m or not m[0] or (m[1] and items and self.UNIT.match(text, m.end(1))):
                break
            if m[1] and re.match(r"[.,:]\d|\d", text[m.end() :]):
                break
            items.append((joiner, m[1], re.findall(r"\(([^)]+)\)", m[2])))
            pos = m.end()
            j = re.match(r"(, and |, or |, | and | or | to )(?=\d|\()", text[pos:])
            if not j:
                return items, pos
            joiner = j[1].strip(" ,")
            pos_next = pos + j.end()
            nxt = self.ITEM.match(text, pos_next)
            if not nxt or not nxt[0] or (nxt[1] and self.UNIT.match(text, nxt.end(1))):
                return items, pos
            pos = pos_next
        return items, pos

    @staticmethod
    def expand(items, base):
        """base: the tuple that a bare number or parenthesis is attached to (() for Articles)."""
        out, last = [], None
        for joiner, number, parens in items:
            if number is not None:
                key = (*base, number, *parens)
            elif last is None:
                key = base + tuple(parens)
            else:
                first = parens[0]
                depth = 1 if first[0].isdigit() else 2
                if len(last) == 4 and first in ROMAN:
                    depth = 3
                key = last[:depth] + tuple(parens)
            if joiner == "to":
                a, b = last[-1], key[-1]
                stem = last[:-1]
                if a.isdigit() and b.isdigit():
                    middle = [str(i) for i in range(int(a) + 1, int(b))]
                elif a in ROMAN and b in ROMAN and len(stem) == 3:
                    middle = ROMAN[ROMAN.index(a) + 1 : ROMAN.index(b)]
                else:
                    middle = [chr(c) for c in range(ord(a) + 1, ord(b))]
                if (a.isdigit() and int(a) >= int(b)) or (not a.isdigit() and a >= b):
                    out.append(("bad range", a, b))
                out += [(*stem, x) for x in middle]
            out.append(key)
            last = key
        return out

    HEAD = re.compile(
        r"\b(?:(Articles?) (?=\d)|(paragraphs?) (?=\d)|(points?) (?=\([a-z]\))|(footnotes?) (?=\d)|"
        r"(Annex(?:es)?) (?=[IVX])|(Titles?) (?=[IVX])|(Steps?) (?=\d)|(Bands?) (?=\d)|"
        r"(Categor(?:y|ies)) (?=[A-Z]\b)|([Rr]ecitals?) \((?=\d)|(Chapter) (?=\d))"
    )

    def references(self, segment):
        where, art, par, _, line = segment
        if re.match(r"#+ (Article|Title|Chapter) ", line):
            return []
        own = re.match(r"(?:\(\d+[a-z]?\)|  - \([ivx]+\)|- \([a-z]\)|\d+\.)? ?", line).end()
        text, pos, found, last = line, own, [], None
        while m := self.HEAD.search(text, pos):
            kind = next(g for g in m.groups() if g)
            pos = m.end()
            if kind.startswith("Article"):
                items, pos = self.read_list(text, pos)
                keys = self.expand(items, ())
                found += [("unit", k) for k in keys]
                last = keys[-1]
            elif kind.startswith("paragraph"):
                if art is None:
                    self.err(where, "'paragraph' outside an Article")
                    continue
                items, pos = self.read_list(text, pos)
                base = (art,)
                if o := re.match(r" of Article (\d+)", text[pos:]):
                    base = (o[1],)
                found += [("unit", k) for k in self.expand(items, base)]
            elif kind.startswith("point"):
                items, pos = self.read_list(text, pos)
                base = (art, par)
                if o := re.match(r" of paragraph (\d+[a-z]?)", text[pos:]):
                    base, pos = (art, o[1]), pos + o.end()
                elif re.match(r" of that provision", text[pos:]):
                    base = last[:2]
                elif o := re.match(r" of Article (\d+)\((\d+[a-z]?)\)", text[pos:]):
                    base = (o[1], o[2])
                keys = self.expand([(j, n, p) for j, n, p in items], base)
                found += [("unit", k) for k in keys]
            elif kind.startswith("footnote"):
                items, pos = self.read_list(text, pos)
                place = last[0] if last else art
                found += [("note", (place, i[1])) for i in items]
            elif kind.startswith("Annex"):
                m2 = re.compile(r"([IVX]+)((?:, [Tt]able (\d+))?)((?:, point (\d+))?)").match(text, pos)
                found.append(("annex", (m2[1], m2[3], m2[5])))
                pos = m2.end()
            elif kind.startswith("Title"):
                m2 = re.compile(r"[IVX]+\b(?:(?:, | and | or | to )[IVX]+\b)*").match(text, pos)
                found += [("title", t) for t in re.findall(r"[IVX]+", m2[0])]
                pos = m2.end()
            elif kind.startswith("Step"):
                items, pos = self.read_list(text, pos)
                found += [("step", k[0]) for k in self.expand(items, ())]
            elif kind.startswith("Band"):
                found.append(("band", text[pos]))
            elif kind.startswith("Categor"):
                m2 = re.compile(r"[A-Z]\b(?:(?:, | and | or | or Category )[A-Z]\b)*").match(text, pos)
                found += [("category", c) for c in re.findall(r"\b[A-Z]\b", m2[0])]
                pos = m2.end()
            elif kind.lower().startswith("recital"):
                found.append(("recital", re.compile(r"\d+").match(text, pos)[0]))
            else:
                found.append(("chapter", text[pos]))
        return found

    def resolve(self, kind, key):
        if kind == "unit":
            return key in self.units
        if kind == "note":
            return key[1] in self.notes.get(key[0], set())
        if kind == "annex":
            annex, table, item = key
            return (
                annex in self.annexes
                and (table is None or table in self.annex_tables[annex])
                and (item is None or item in self.annex_items[annex])
            )
        if kind == "title":
            return key in self.titles
        if kind == "step":
            return key in self.steps
        if kind == "recital":
            return key in self.recitals
        if kind == "band":
            return f"| Band {key} |" in self.text
        if kind == "category":
            return f") Category {key}, for " in self.text
        return False

    def check_references(self):
        for segment in self.segments:
            for kind, key in self.references(segment):
                self.refs.append((segment[0], kind, key))
                if not self.resolve(kind, key):
                    self.err(segment[0], f"dangling {kind} {key}")

    def check_counts(self):
        """'the four conditions referred to in …' must refer to four provisions."""
        seen = 0
        for where, art, par, pt, line in self.segments:
            for sentence in re.split(r"(?<=[a-z)])\. (?=[A-Z])", line):
                m = re.search(r"\b(two|three|four|five|six) conditions\b", sentence)
                if m and art:
                    seen += 1
                    tail = sentence[m.end() :]
                    keys = {k for kind, k in self.references((where, art, par, pt, tail)) if kind == "unit"}
                    if len(keys) != NUMBER[m[1]]:
                        self.err(where, f"says {m[1]} conditions, refers to {sorted(keys)}")
        if seen < 4:
            self.err("conditions", f"only {seen} closing sentences found")
        m = re.search(r"all (\w+) steps in Articles", self.text)
        if not m or NUMBER[m[1]] != len(self.steps):
            self.err("steps", f"{len(self.steps)} steps, text says {m and m[1]}")

    def check_adaptations(self):
        adapted = {}
        head = re.compile(
            r"(?:From (\d+ \w+ \d{4})|on or after (\d+ \w+ \d{4})), in Article (\d+)((?:\([0-9a-z]+\))+), "
            r'"([^"]+)" shall be read as "([^"]+)"'
        )
        for (art, *rest), line in self.content.items():
            if self.article_title[art] == "XII":
                for m in head.finditer(line):
                    key = (m[3], *re.findall(r"\(([^)]+)\)", m[4]))
                    adapted[key] = ((art, *rest), m[1] or m[2])
                    if m[5] not in self.content.get(key, ""):
                        self.err(f"Article {art}", f"{key} does not contain {m[5]!r}")
                    if m[6] in self.content.get(key, ""):
                        self.err(f"Article {art}", f"{key} already says {m[6]!r}")
        named = sum(
            line.count("shall be read as") for key, line in self.content.items() if self.article_title[key[0]] == "XII"
        )
        if named != len(adapted):
            self.err("Title XII", f"{named} adaptations, {len(adapted)} understood")
        listed = {}
        for row in re.findall(
            r"^\| Article (\d+)(\S+) \| [^|]+ \| Article (\d+)\((\d+)\) \| ([^|]+) \|$", self.text, re.M
        ):
            listed[(row[0], *re.findall(r"\(([^)]+)\)", row[1]))] = ((row[2], row[3]), row[4])
        if listed != adapted:
            self.err("Annex V", f"differs from Title XII: {set(listed.items()) ^ set(adapted.items())}")
        if list(listed) != sorted(listed, key=lambda k: int(k[0])):
            self.err("Annex V", "rows not in the order of the Articles")

    def check_definitions(self):
        if len(self.definitions) != len(set(self.definitions)):
            self.err("Article 4", "a term is defined twice")
        if len(self.definitions) != sum(1 for u in self.units if u[0] == "4" and len(u) == 2):
            self.err("Article 4", "a paragraph defines nothing")
        body = "\n".join(s[4] for s in self.segments if s[1] != "4" and not s[4].startswith("#")).lower()
        for term in self.definitions:
            if not re.search(re.escape(re.sub(r"y$", "", term.lower())), body):
                self.err("Article 4", f"{term!r} is never used")

    def run(self):
        self.parse()
        self.check_references()
        self.check_counts()
        self.check_adaptations()
        self.check_definitions()
        words = len(self.text.split())
        if words < 8500:
            self.err("length", f"{words} words")
        if len(self.titles) < 9 or len(self.article_title) < 60:
            self.err("structure", f"{len(self.titles)} Titles, {len(self.article_title)} Articles")
        if "\r" in self.text or not self.text.endswith("\n") or self.text.endswith("\n\n"):
            self.err("file", "line ends")
        return self


BREAKS = [
    ("under Article 59(1)(f) within", "under Article 59(1)(h) within"),
    ("under Article 17(3)(c).", "under Article 17(3)(d)."),
    ("### Article 40 —", "### Article 41 —"),
    ("referred to in paragraphs 1 to 3 are cumulative", "referred to in paragraphs 1 to 6 are cumulative"),
    (
        "the four conditions referred to in Article 13(2) and (3)",
        "the four conditions referred to in Article 13(2) and (4) and (3)",
    ),
    ("- (b) Category B", "- (c) Category B"),
    ("(2) Step 5 —", "(2) Step 6 —"),
    ("Annex IV, Table 1 shall", "Annex IV, Table 3 shall"),
    ("footnote 2, does", "footnote 5, does"),
    ("| Article 17(4) | Limit", "| Article 17(5) | Limit"),
    ('in Article 23(2), "10 minutes"', 'in Article 23(2), "15 minutes"'),
    ("# Title VII —", "# Title VIII —"),
    ("Titles III and IV do not", "Titles III and XIV do not"),
    ("¹ Not payable", "Not payable"),
]


def problems(text: str) -> list[str]:
    return Act(text).run().errors


def test_the_act_keeps_its_promises() -> None:
    assert problems(TEXT) == []


def test_length() -> None:
    assert len(TEXT.split()) >= 8_000


@pytest.mark.parametrize(("old", "new"), BREAKS)
def test_a_broken_copy_is_caught(old: str, new: str) -> None:
    assert old in TEXT
    assert problems(TEXT.replace(old, new, 1))
