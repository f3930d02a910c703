"""The Chinese regulation, questions, support chats and report: numbering, references, table arithmetic, form."""

import json
import re

import pytest

from tests.data import han, read

TEXTS = {
    name: read(f"zh/{name}")
    for name in ("expense_regulation.md", "faq.md", "support_chats.jsonl", "annual_report_excerpt.md")
}
HANDBOOK = read("zh/technical_handbook.md")


def tables(s):
    """name -> list of rows (list of cells); also text following (footnotes)."""
    out, name, lines = {}, None, s.split("\n")
    for ln in lines:
        m = re.match(r"\*\*(表 ?[\dA-Z]+(?:-\d+)?) ?(.*?)\*\*$", ln)
        if m:
            name = m[1].replace(" ", "")
            out[name] = []
            continue
        if ln.startswith("|") and name:
            c = [x.strip() for x in ln.strip("|").split("|")]
            if not re.fullmatch(r"[-: ]+", c[0]):
                out[name].append(c)
        elif ln.strip() and not ln.startswith("|") and name and out[name]:
            name = None
    return out


def num(x):
    x = re.sub(r"[①-⑩\s%]", "", x).replace(",", "").replace("−", "-")
    try:
        return float(x)
    except ValueError:
        return None


def near(a, b, tol=0.006):
    return a is not None and b is not None and abs(a - b) <= tol


PRIOR = {
    "EG-210": (26905.13, 16912.56),
    "EG-220": (36418.27, 21540.31),
    "EG-220S ④": (21637.54, 11647.80),
    "软件订阅": (14203.66, 3441.17),
    "服务与备件": (10752.94, 6762.67),
    "合计": (109917.54, 60304.51),
    "东部大区": (47216.85, 25512.38),
    "北部大区": (31908.77, 17398.74),
    "西南大区": (18364.20, 10448.92),
    "海外 ⑤": (12427.72, 6944.47),
}
NUM = {c: i for i, c in enumerate("零一二三四五六七八九十")}


def cn(x):
    """Chinese numeral up to 199."""
    if x.isdigit():
        return int(x)
    tot = 0
    if "百" in x:
        a, x = x.split("百")
        tot += NUM[a] * 100
        x = x.lstrip("零")
    if "十" in x:
        a, b = x.split("十")
        tot += (NUM[a] if a else 1) * 10 + (NUM[b] if b else 0)
    elif x:
        tot += NUM[x]
    return tot


ART = re.compile(r"\*\*第([一二三四五六七八九十百零]+)条(之一)?\*\*　(.*)")
REF = re.compile(
    r"(?<!\*\*)第([一二三四五六七八九十百零]+)条(之一)?(?:第([一二三四五六七八九十]+)款)?"
    r"(?:第（([一二三四五六七八九十]+)）项)?(?:第 ?(\d+) ?步)?"
)


def problems(texts: dict[str, str], hb: str) -> list[str]:
    bad: list[str] = []

    def err(*words: object) -> None:
        bad.append(" ".join(map(str, words)))

    def ok(condition: object, *words: object) -> None:
        if not condition:
            err(*words)

    # --- lengths and form -----------------------------------------------------------------
    turns = [json.loads(ln) for ln in texts["support_chats.jsonl"].splitlines()]
    chat_text = "".join(t["text"] for t in turns)
    least = {
        "expense_regulation.md": (texts["expense_regulation.md"], 11000),
        "faq.md": (texts["faq.md"], 6000),
        "support_chats.jsonl": (chat_text, 7000),
        "annual_report_excerpt.md": (texts["annual_report_excerpt.md"], 9000),
    }
    for n, (s, lo) in least.items():
        ok(han(s) >= lo, n, "too short", han(s))
    for n, s in texts.items():
        ok(s.endswith("\n") and not s.endswith("\n\n"), n, "final newline")
        ok("\r" not in s and "\t" not in s, n, "CR or tab")
        body = re.sub(r"`[^`]*`", "", chat_text if n.endswith("jsonl") else s)
        for i, ln in enumerate(body.split("\n"), 1):
            ok(ln == ln.rstrip(" "), n, i, "trailing space")
            ok(
                not re.search(r'[\u4e00-\u9fff][,;:?!()"]|[,;?!()"][\u4e00-\u9fff]', ln),
                n,
                i,
                "half-width punctuation",
                ln[:60],
            )
            ok(
                ln.count("“") == ln.count("”")
                and ln.count("（") == ln.count("）")
                and ln.count("《") == ln.count("》"),
                n,
                i,
                "unbalanced",
                ln[:60],
            )
            ok(not re.search(r"，，|。。|、、|，。|。，", ln), n, i, "doubled punctuation", ln[:60])

    for n in ("expense_regulation.md", "annual_report_excerpt.md"):
        tb = tables(texts[n])
        for k, rows in tb.items():
            ok(len({len(r) for r in rows}) == 1, n, k, "ragged table")
        for m in re.finditer(r"表 (\d+)", texts[n]):
            ok("表" + m[1] in tb, n, "missing table", m[0])
        heads = [int(x) for x in re.findall(r"^\*\*表 (\d+)", texts[n], re.M)]
        ok(heads == list(range(1, len(heads) + 1)), n, "table order", heads)
        marks = re.findall("[①-⑩]", texts[n])
        for c in set(marks):
            ok(re.search(f"^{c} ", texts[n], re.M) and texts[n].count(c) >= 2, n, "footnote", c)

    ar = tables(texts["annual_report_excerpt.md"])

    def col(tab, j):
        return [num(r[j]) for r in ar[tab][1:]]

    def sums(tab, cols, last=-1):
        for j in cols:
            v = col(tab, j)
            ok(near(sum(v[:last]), v[last]), tab, "column", ar[tab][0][j], sum(v[:last]), v[last])

    sums("表6", [1, 2, 3])
    sums("表7", [1, 2])
    sums("表8", [1, 2])
    sums("表9", [1, 2, 3, 4])
    sums("表10", [1, 2])
    sums("表11", [1, 2])
    sums("表12", [1, 2, 3, 4])
    sums("表14", [1])
    for j in (1, 2):
        v = col("表5", j)
        ok(near(sum(v[:4]) - v[4], v[5]), "表5", j, sum(v[:4]) - v[4], v[5])
    v = col("表13", 1)
    ok(near(sum(v[:4]), v[4]) and near(v[4] - v[5], v[6]), "表13")
    for r in ar["表4"][1:]:
        x = [num(c) for c in r[1:]]
        ok(near(sum(x[:4]), x[4]), "表4", r[0])
    for r in ar["表2"][1:]:
        ok(near(round((num(r[1]) / num(r[2]) - 1) * 100, 2), num(r[3])), "表2 growth", r)
    for tab in ("表7", "表8"):
        for r in ar[tab][1:]:
            x = [num(c) for c in r[1:]]
            ok(near((1 - x[1] / x[0]) * 100, x[2]), tab, r[0], "margin")
    for tab in ("表7", "表8"):
        for r in ar[tab][1:]:
            x = [num(c) for c in r[1:]]
            p = PRIOR[r[0]]
            ok(near((x[0] / p[0] - 1) * 100, x[3]), tab, r[0], "growth", (x[0] / p[0] - 1) * 100)
            ok(near((x[1] / p[1] - 1) * 100, x[4]), tab, r[0], "cost growth", (x[1] / p[1] - 1) * 100)
            ok(
                near(round((1 - x[1] / x[0]) * 100, 2) - round((1 - p[1] / p[0]) * 100, 2), x[5]),
                tab,
                r[0],
                "margin change",
            )
    for r in ar["表9"][1:]:
        x = [num(c) for c in r[1:]]
        ok(x[0] + x[1] - x[2] == x[3], "表9", r[0])
    for r in ar["表10"][1:]:
        ok(near(num(r[1]) / 122645.76 * 100, num(r[2])), "表10", r)
    for r in ar["表11"][1:]:
        if num(r[3]) is not None:
            ok(near((num(r[1]) / num(r[2]) - 1) * 100, num(r[3])), "表11", r)
    for r in ar["表12"][1:]:
        x = [num(c) for c in r[1:]]
        ok(near(x[1] + x[2], x[0]) and near(x[0] / 20318.62 * 100, x[3]), "表12", r)
    two = {r[0]: [num(c) for c in r[1:]] for r in ar["表2"][1:]}
    ok(
        near(two["归属于上市公司股东的净利润"][0] - two["扣除非经常性损益的净利润"][0], col("表5", 1)[5] / 1e4),
        "非经常性损益",
    )
    ok(
        near(two["归属于上市公司股东的净利润"][1] - two["扣除非经常性损益的净利润"][1], col("表5", 2)[5] / 1e4),
        "非经常性损益 2023",
    )
    ok(
        near(col("表4", 5)[0], two["营业收入"][0])
        and near(col("表7", 1)[-1], two["营业收入"][0])
        and near(col("表8", 1)[-1], two["营业收入"][0]),
        "revenue",
    )
    ok(near(col("表7", 2)[-1], col("表8", 2)[-1]), "cost")
    ok(near(112421.89 + 10214.63 - 3690.00, 118946.52), "equity")
    ok(near(10842.36 + 2418.75 + 1235.74 + 2206.31 + 2533.39, 19236.55), "selling expense")
    ok(near(1486.20 + 1235.74 - 1018.35, 1703.59), "provision")
    ok(
        near(3860 * 0.06, 231.60)
        and near(2412 * 0.06, 144.72)
        and near(1448 * 0.06, 86.88)
        and near(1383 * 0.06, 82.98)
        and near(65 * 0.06, 3.90),
        "recheck",
    )
    ok(near(24600 / 10 * 1.6, 3936.0) and near(24360 / 10 * 1.6, 3897.6), "dividend")
    ok(512 + 318 + 264 + 187 + 105 == 1386 and 161 + 146 + 98 == 405, "staff")
    ok(
        near(240 * 12.86, 3086.40) and near(18000 - 11264.30, 6735.70) and near(11264.3 / 180, 62.58),
        "buy-back, proceeds",
    )
    ok(
        near(9360 * 0.015, 140.40) and near(6745.10 / 16453.42 * 100, 41.00) and near(21994.94 / 52368.90 * 100, 42.00),
        "shares",
    )
    ok(214 + 3905 + 14523 == 18642 and near(19605.30 / 40422.20 * 100, 48.50), "tickets")

    # annual report: 第X节第Y部分(第Z项)
    s = texts["annual_report_excerpt.md"]
    sec = {}
    cur = None
    for ln in s.split("\n"):
        if m := re.match(r"## 第(.)节", ln):
            cur = cn(m[1])
            sec[cur] = []
        elif (m := re.match(r"### ([一二三四五六七八九十]+)、", ln)) and cur:
            sec[cur].append(cn(m[1]))
    for k, v in sec.items():
        ok(v == list(range(1, len(v) + 1)), "section order", k, v)
    for m in re.finditer(r"第(.)节(?:第([一二三四五六七八九十]+)部分)?", s):
        k = cn(m[1])
        ok(k in sec, "section", m[0])
        if m[2] and k in sec:
            ok(cn(m[2]) in sec[k], "part", m[0])
    risks = [int(x) for x in re.findall(r"^\*\*(\d+)\. ", s, re.M)]
    ok(risks == list(range(1, len(risks) + 1)) and len(risks) >= 10, "risks", risks)
    ok("上述三个方向" in s, "three directions")

    # --- regulation -----------------------------------------------------------------------
    r = texts["expense_regulation.md"]
    arts, cur, steps, main = {}, None, [], True
    for ln in r.split("\n"):
        if ln.startswith("## 附") and not ln.startswith("## 附则"):
            main = False
        if m := ART.match(ln):
            cur = (cn(m[1]), m[2] or "")
            arts[cur] = [[m[3], []]]
            continue
        if ln.startswith("#") or not ln.strip() or not cur or not main:
            if ln.startswith("#"):
                cur = None if not ln.startswith("#### ") else cur
            continue
        if m := re.match(r"（([一二三四五六七八九十]+)）", ln):
            arts[cur][-1][1].append(cn(m[1]))
            continue
        if m := re.match(r"(\d+)\. ", ln):
            steps.append((cur[0], int(m[1])))
            continue
        if ln.startswith(("|", "**表")) or re.match("[①-⑩] ", ln):
            continue
        arts[cur].append([ln, []])
    plain = [k[0] for k in arts if not k[1]]
    ok(plain == list(range(1, len(plain) + 1)), "article order", plain)
    ok([x[1] for x in steps] == list(range(1, 13)), "steps", steps)
    for k, ps in arts.items():
        for p in ps:
            ok(p[1] == list(range(1, len(p[1]) + 1)), "item order", k, p[1])
    refs = 0
    for n in texts:
        txt = chat_text if n.endswith("jsonl") else texts[n]
        for m in REF.finditer(txt):
            refs += 1
            k = (cn(m[1]), m[2] or "")
            if k not in arts:
                err(n, "no article", m[0])
                continue
            ps = arts[k]
            if m[3]:
                ok(cn(m[3]) <= len(ps), n, "no paragraph", m[0])
            if m[4]:
                pool = (
                    ps[cn(m[3]) - 1][1]
                    if m[3]
                    else (
                        ps[0][1]
                        if len([p for p in ps if p[1]]) == 1 or ps[0][1]
                        else [item for p in ps for item in p[1]]
                    )
                )
                ok(cn(m[4]) in pool, n, "no item", m[0])
                if not m[3]:
                    ok(len([p for p in ps if p[1]]) == 1, n, "ambiguous item", m[0])
            if m[5]:
                ok((k[0], int(m[5])) in steps, n, "no step", m[0])
    for k, ps in arts.items():
        for i, p in enumerate(ps):
            if "前款" in p[0]:
                ok(i > 0, "前款 in first paragraph", k)
            if "前条" in p[0]:
                ok(k[0] > 1, "前条")
    for m in re.finditer(r"第 ?(\d+) ?步", r):
        ok(1 <= int(m[1]) <= 12, "step", m[0])
    parts = [cn(x) for x in re.findall(r"^## 第(.)编", r, re.M)]
    ok(parts == list(range(1, len(parts) + 1)), "parts", parts)
    ch = []
    for ln in r.split("\n"):
        if ln.startswith("## "):
            ch = []
        if m := re.match(r"### 第(.)章", ln):
            ch.append(cn(m[1]))
            ok(ch == list(range(1, len(ch) + 1)), "chapter order", ln)
    for m in re.finditer(r"(?<!## )第([一二三四五六七八九])编", r):
        ok(cn(m[1]) in parts, "part ref", m[0])
    # worked examples
    ok(460 * 1.2 == 552 and 430 * 1.2 == 516 and 516 * 3 == 1548 and 540 * 3 + 400 + 240 == 2260, "example 1")
    ok(55 + 70 + 110 == 235 and 1440 + 235 + 180 == 1855 and 47.5 + 55 + 95 == 197.5, "example 2")
    ok(
        near(1200 * 7.18, 8616)
        and near(1200 * 7.15, 8580)
        and near(5752 * 0.015, 86.28)
        and near(8616 + 5838.28, 14454.28),
        "example 4",
    )

    # --- references to the handbook ---------------------------------------------------------
    hsec = set(re.findall(r"^#{2,4} (?:第)?(\d+(?:\.\d+)*)", hb, re.M)) | {"A.1", "A.2", "A.3"}
    htab = set(re.findall(r"^\*\*表 (\d+-\d+)", hb, re.M))
    hnote = set(re.findall("^([①-⑩]) ", hb, re.M))
    cnt = 0
    for n in texts:
        txt = chat_text if n.endswith("jsonl") else texts[n]
        for m in re.finditer(r"(?<![\d.])((?:A\.)?\d+(?:\.\d+){0,3}) 节", txt):
            cnt += 1
            ok(m[1] in hsec, n, "handbook section", m[0])
        for m in re.finditer(r"表 ?(\d+-\d+)(?: ?脚注([①-⑩]))?", txt):
            cnt += 1
            ok(m[1] in htab, n, "handbook table", m[0])
            if m[2]:
                ok(m[2] in hnote, n, "handbook footnote", m[0])
    ecodes = set(re.findall(r"E\d{3}", hb))
    for n, x in texts.items():
        for c in set(re.findall(r"E\d{3}", x)):
            ok(c in ecodes, n, "error code", c)

    # --- FAQ --------------------------------------------------------------------------------
    q = [int(x) for x in re.findall(r"^### 问 (\d+)　", texts["faq.md"], re.M)]
    ok(q == list(range(1, len(q) + 1)) and len(q) >= 45, "faq numbers", len(q))
    for b in re.split(r"^### ", texts["faq.md"], flags=re.M)[1:]:
        ok(len(b.split("\n\n", 1)[1].strip()) > 20, "empty answer", b[:20])
    # --- chats ------------------------------------------------------------------------------
    last, ids = {}, []
    for i, t in enumerate(turns, 1):
        ok(list(t) == ["dialogue", "speaker", "text", "start", "end"], "keys", i)
        ok(t["text"].strip() == t["text"] and t["text"], "text", i)
        ok(isinstance(t["start"], float) and isinstance(t["end"], float) and 0 <= t["start"] < t["end"], "times", i)
        ok(t["start"] > last.get(t["dialogue"], -1), "times not rising", i)
        last[t["dialogue"]] = t["end"]
        if t["dialogue"] not in ids:
            ids.append(t["dialogue"])
        else:
            ok(ids[-1] == t["dialogue"], "dialogue split", i)
    ok(ids == [f"zh-chat-{i:03}" for i in range(1, len(ids) + 1)] and len(ids) >= 14, "dialogues", ids)
    return bad


def test_the_texts_keep_their_promises() -> None:
    assert problems(TEXTS, HANDBOOK) == []


def test_length() -> None:
    assert sum(map(han, [*TEXTS.values(), HANDBOOK])) >= 40_000


BREAKS = [
    ("expense_regulation.md", "**第二十条**", "**第二十一条**", "article order"),
    ("annual_report_excerpt.md", "| 合计 |", "| 合计 | 1 |", "ragged table"),
    ("faq.md", "### 问 12　", "### 问 13　", "faq numbers"),
]


@pytest.mark.parametrize(("name", "old", "new", "message"), BREAKS)
def test_a_broken_copy_is_caught(name: str, old: str, new: str, message: str) -> None:
    assert old in TEXTS[name]
    broken = TEXTS | {name: TEXTS[name].replace(old, new, 1)}
    assert any(message in problem for problem in problems(broken, HANDBOOK))
