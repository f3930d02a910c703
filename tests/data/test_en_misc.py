"""The earnings call, the news items and the paper: form, lengths, times, table arithmetic, references."""

import calendar
import json
import math
import re
from datetime import date
from itertools import pairwise

import pytest

from hierrag_lessons.reading import CORPORA_DIR
from tests.data import read

NEWS = sorted(path.name for path in (CORPORA_DIR / "en").glob("news_*.txt"))
TEXTS = {name: read(f"en/{name}") for name in ["earnings_call.jsonl", "research_paper.md", *NEWS]}
SPEAKERS = {
    "Operator",
    "Calvin Moss, Head of Investor Relations",
    "Maren Okafor, CEO",
    "Tobias Lindqvist, CFO",
    "Daniel Ashworth, COO",
    "Dr. Priya Raman, CTO",
    "Helene Strand, General Counsel",
    "Priscilla Dunmore, Garrick & Lowe",
    "Hiro Tanabe, Bluestone",
    "Femi Adeyemi, Castellan Securities",
    "Laura Benedek, Osprey Partners",
    "Marcus Reuel, Trident Research",
    "Inga Solheim, Nordhavn",
}
MONTHS = list(calendar.month_name)


def num(cell):
    try:
        return float(cell.replace(",", "").replace("−", "-"))
    except ValueError:
        return cell


def problems(texts: dict[str, str]) -> list[str]:
    errors: list[str] = []

    def ok(condition: object, message: str) -> None:
        if not condition:
            errors.append(message)

    def close(got: float, want: float, digits: int, message: str) -> None:
        """`want` is the printed value: `got` must round to it (half a unit of the last digit, plus rounding noise)."""
        ok(abs(got - want) <= 0.5 * 10**-digits + 1e-6, f"{message}: computed {got:.4f}, printed {want}")

    def form(name: str) -> str:
        text = texts[name]
        ok("\r" not in text, f"{name}: CR")
        ok(text.endswith("\n") and not text.endswith("\n\n"), f"{name}: must end with one newline")
        ok(not re.search(r"[ \t]+$", text, re.M), f"{name}: trailing space")
        return text

    # ---------------------------------------------------------------- earnings call
    raw = form("earnings_call.jsonl")
    turns = [json.loads(line) for line in raw.splitlines()]
    ok({t["speaker"] for t in turns} == SPEAKERS, "speakers differ from the list")
    end = -1.0
    for i, t in enumerate(turns):
        ok(list(t) == ["speaker", "text", "start", "end"], f"turn {i}: keys {list(t)}")
        ok(t["text"] == t["text"].strip() and "\n" not in t["text"] and "  " not in t["text"], f"turn {i}: white space")
        ok(t["start"] >= end and t["end"] > t["start"], f"turn {i}: times {t['start']} {t['end']} after {end}")
        words, end = len(t["text"].split()), t["end"]
        if words >= 12:
            ok(
                130 <= 60 * words / (t["end"] - t["start"]) <= 170,
                f"turn {i}: {60 * words / (t['end'] - t['start']):.0f} wpm",
            )
    call_words = sum(len(t["text"].split()) for t in turns)
    ok(call_words >= 6500, f"call has {call_words} words")
    call = "\n".join(t["text"] for t in turns)
    for analyst in [
        s
        for s in SPEAKERS
        if s.split(", ")[-1]
        in ("Garrick & Lowe", "Bluestone", "Castellan Securities", "Osprey Partners", "Trident Research", "Nordhavn")
    ]:
        ok(sum(t["speaker"] == analyst for t in turns) >= 3, f"{analyst}: fewer than three turns")
    for fact in (
        "$2,245.3 million",
        "$240.8 million",
        "$601.2 million",
        "$562.9 million",
        "$338.7 million",
        "$178.9 million",
        "$83.6 million",
        "$69.9 million",
        "83 cents",
        "$2.87",
        "$2.56",
        "$412.6 million",
        "$525.0 million",
        "$1,046.0 million",
        "$978.5 million",
        "between $2,380 million and $2,440 million",
        "between 15 and 17 percent",
        "between 11.2 and 11.7 percent",
        "between $105 million and $115 million",
        "$85.0 million",
        "$165.0 million",
        "$318.7 million",
        "$268.4 million",
        "9 February",
        "29 August",
    ):
        ok(fact in call, f"call: missing {fact}")
    # derived figures stated on the call: (computed, printed, digits)
    for got, want, digits in [
        ((601.2 / 562.9 - 1) * 100, 6.8, 1),
        (((601.2 - 6.2) / 562.9 - 1) * 100, 5.7, 1),
        ((338.7 / 325.4 - 1) * 100, 4.1, 1),
        ((178.9 / 151.8 - 1) * 100, 17.9, 1),
        ((83.6 / 85.7 - 1) * 100, -2.5, 1),
        (325.4 + 151.8 + 85.7, 562.9, 1),
        (42.9 + 52.6 + 6.1 - 31.7, 69.9, 1),
        (4290 / 338.7, 12.7, 1),
        (5260 / 178.9, 29.4, 1),
        (610 / 83.6, 7.3, 1),
        (6990 / 601.2, 11.6, 1),
        (6130 / 562.9, 10.9, 1),
        ((69.9 / 61.3 - 1) * 100, 14.0, 1),
        (2440 / 2245.3 * 100 - 100, 8.7, 1),
        (2380 / 2245.3 * 100 - 100, 6.0, 1),
        (9.4 + 5.6 + 1.1 + 1.1, 17.2, 1),
        (178.9 - 161.7, 17.2, 1),
        (178.9 - 9.4, 169.5, 1),
        ((154.2 + 14.2) / 12.846, 13.1, 1),
        ((25.5 + 3.4 + 2.6) / 3.184, 9.9, 1),
        (18400 - 17612, 788, 0),
        (17612 / 184, 95.7, 1),
        (1930 + 1560, 3490, 0),
        (92.90 - 92.31, 0.59, 2),
        (112.4 - 29.7, 82.7, 1),
        ((1183.2 / 1140.4 - 1) * 100, 3.8, 1),
        ((1 - 625.0 / 655.1) * 100, 4.6, 1),
        ((498.2 / 429.6 - 1) * 100, 16.0, 1),
        (409.3 / 601.2 * 92, 63, 0),
        (381.9 / 562.9 * 92, 62, 0),
        (584.9 - 527.6, 57.3, 1),
        (52.6 + 31.8 + 39.1, 123.5, 1),
        (13 / 1.42, 9, 0),
    ]:
        close(got, want, digits, "call")

    # ---------------------------------------------------------------- news

    dates = []
    files = [name for name in texts if name.startswith("news_")]
    ok(files == [f"news_{i:02d}.txt" for i in range(1, 31)], "news files")
    for f in files:
        text = form(f)
        n = len(text.split())
        ok(140 <= n <= 260, f"{f}: {n} words")
        head, blank, body = text.split("\n", 2)
        ok(head and not blank and head[-1] != ".", f"{f}: headline")
        m = re.match(
            r"([A-Z][A-Z ]+), (\d{1,2}) (\w+) (\d{4}) \((Harbour Wire|Grid Ledger|Tallow Bay Courier)\) — ", body
        )
        ok(m, f"{f}: dateline")
        if m:
            dates.append(date(int(m[4]), MONTHS.index(m[3]), int(m[2])))
    ok(dates == sorted(dates), "news items are not in order of date")
    news = {f[5:7]: texts[f] for f in files}
    for n, facts in {
        "05": ["$528.4 million", "$49.3 million", "58 cents", "7,360", "$304.2 million"],
        "09": ["$547.6 million", "68 cents", "13,984", "$14.2 million"],
        "26": ["$601.2 million", "$2,380 million to $2,440 million", "11.2 to 11.7 percent"],
        "27": ["sixty months", "2.4 percent", "1.9 percent"],
        "29": ["$22.0 million", "$16.5 million"],
        "25": ["17,612", "788", "95.7 percent"],
        "20": ["248,000", "310,000", "20 percent"],
        "22": ["1,800 megawatt-hours", "80 megawatts"],
    }.items():
        for fact in facts:
            ok(fact in news[n], f"news_{n}: missing {fact}")
    close(310000 * 0.8, 248000, 0, "settlement")
    close(7360 / 184, 40, 0, "covers Q1")
    close(13984 / 184, 76, 0, "covers Q2")
    close(22.0 + 16.5, 38.5, 1, "Corvane")
    close(0.64 * 92.31, 59, 0, "Authority order")
    close(28 * 24 * 60 * 0.001, 40, 0, "minutes")

    # ---------------------------------------------------------------- paper
    paper = form("research_paper.md")
    plain = re.sub(r"\$\$.*?\$\$", " ", paper, flags=re.S)
    prose = "\n".join(line for line in plain.split("\n") if not line.startswith("|"))
    prose_words = len(prose.split())
    ok(prose_words >= 6300, f"paper has {prose_words} words outside tables and displayed formulas")
    ok(paper.count("$$") % 2 == 0 and plain.count("$") % 2 == 0, "unbalanced $")
    heads = re.findall(r"^#{2,3} (?:Appendix )?([A-C]|\d+|[A-C]?\d*\.\d+)(?:\.)? ", paper, re.M)
    ok(len(heads) == len(set(heads)), "a section number occurs twice")
    for ref in re.findall(r"Sections? ([\d.]+\d|\d+)", paper) + re.findall(r"Appendix ([A-C](?:\.\d+)?)", paper):
        ok(ref.rstrip(".") in heads, f"section {ref} does not exist")
    captions = [int(x) for x in re.findall(r"^\*\*Table (\d+)\.\*\*", paper, re.M)]
    ok(captions == list(range(1, len(captions) + 1)), f"table captions {captions}")
    for ref in set(re.findall(r"Tables? (\d+)", prose)) | set(re.findall(r"Tables \d+ and (\d+)", prose)):
        ok(int(ref) in captions, f"Table {ref} does not exist")
    for n in captions:
        ok(
            len(re.findall(rf"\b{n}\b", " ".join(re.findall(r"Tables? [\d ,and]+", prose)))) >= 2,
            f"Table {n} is never mentioned",
        )
    listed = [int(x) for x in re.findall(r"^\[(\d+)\] ", paper, re.M)]
    body = paper.split("## References")[0] + paper.split("## Appendix A")[1]
    cited = {int(x) for group in re.findall(r"\[(\d+(?:, \d+)*)\]", body) for x in group.split(", ")}
    ok(
        listed == list(range(1, len(listed) + 1)) and cited == set(listed),
        f"references: cited only {cited - set(listed)}, listed only {set(listed) - cited}",
    )
    for p in set(re.findall(r"Proposition (\d)", paper)):
        ok(f"**Proposition {p}" in paper, f"Proposition {p} is never stated")

    def table(n):
        block = paper.split(f"**Table {n}.**", 1)[1].split("\n\n", 1)[1].split("\n\n", 1)[0].split("\n")
        rows = [[c.strip() for c in line.strip("|").split("|")] for line in block]
        ok(all(len(r) == len(rows[0]) for r in rows), f"Table {n}: ragged")
        return {r[0]: [num(c) for c in r[1:]] for r in rows[2:]}

    t1 = table(1)
    close(sum(v[0] for k, v in t1.items() if k != "Total"), t1["Total"][0], 0, "Table 1")
    hidden, inputs = 64, 14
    ok(
        t1["Model weights, eight bits"][0] == 3 * (hidden * inputs + hidden * hidden + 2 * hidden) + 28 * (hidden + 1),
        "Table 1: weights",
    )
    ok(
        t1["Ring of measured readings, 45 days"][0] == 45 * 96 * 2 and t1["Snapshots, 32 of 140 bytes"][0] == 32 * 140,
        "Table 1: rings",
    )
    close(61284 / 1024, 59.8, 1, "KiB")
    t2 = table(2)
    fields = ["Cobbet Lane", "Stannick Valley", "Lower Quay", "Ollerby"]
    meters = [t2[f][0] for f in fields]
    all_meters = sum(meters)

    def mean(values: list[float]) -> float:
        return sum(n * v for n, v in zip(meters, values, strict=True)) / all_meters

    ok(all_meters == t2["All"][0] == 1333 == 1418 - 52 - 33, "Table 2: meters")
    for f in [*fields, "All"]:
        ok(t2[f][1] == t2[f][0] * 730 * 96, f"Table 2: readings {f}")
    for c, d in ((2, 1), (3, 2), (4, 1)):
        close(mean([t2[f][c] for f in fields]), t2["All"][c], d, f"Table 2 column {c}")
    t3, t4 = table(3), table(4)
    for method, row in t4.items():
        close(mean(row[:4]), row[4], 1, f"Table 4 {method}")
        ok(
            next(v for k, v in t3.items() if k.split(" (")[0] == method)[2] == row[4],
            f"Tables 3 and 4 differ: {method}",
        )
    lat = t3["LATENT (a)"]
    for c, want in ((0, 21.2), (2, 32.6), (3, 33.3)):
        close(100 * (1 - t3["Tandem"][c] / lat[c]), want, 1, "reduction against LATENT")
    close(100 * (1 - 8.9 / 16.9), 47.3, 1, "reduction against PROFILE")
    close(100 * (1 - 12.1 / 18.9), 36.0, 1, "Ollerby")
    close(12.1 / 7.6, 1.6, 1, "factor")
    for n, t3row in ((14, "Tandem"), (15, "LATENT (a)")):
        t = table(n)
        for c in range(4):
            close(mean([t[f][c] for f in fields]), t["All"][c], 1, f"Table {n} column {c}")
        ok(t["All"] == t3[t3row], f"Table {n} and Table 3 differ")
        ok([t[f][2] for f in fields] == t4[t3row.split(" (")[0]][:4], f"Table {n} and Table 4 differ")
    t5 = table(5)
    for n, budget in ((16, "256 bits"), (17, "128 bits")):
        t = table(n)
        for c in range(4):
            close(mean([t[f][c] for f in fields]), t["All"][c], 1, f"Table {n} column {c}")
        ok(t["All"] == t5[budget], f"Table {n} and Table 5 differ")
    rows5 = list(t5.values())
    ok(all(a <= b for r, s in pairwise(rows5) for a, b in zip(r, s, strict=True)), "Table 5: not monotone")
    t6 = table(6)
    ref = sum(t6["Lossless"][1:4])
    close(871 / 8, 108.9, 1, "payload")
    close(ref, 408.9, 1, "reference")
    close(1 / (1 - 0.092), 1.101, 3, "retransmission")
    for k, r in t6.items():
        total = r[1] + r[2] + r[3]
        close(25 * r[0], r[2], 1, f"Table 6 headers {k}")
        close(total * 1.101, r[4], 1, f"Table 6 on the air {k}")
        if k != "Lossless":
            close(float(re.search(r"(\d+) bits", k)[1]) / 8, r[1], 1, f"Table 6 payload {k}")
            close(100 * (1 - total / ref), r[5], 1, f"Table 6 reduction {k}")
    close(750 * t6["Tandem, 256 bits"][4] / 1024, 95.7, 1, "KiB concentrator")
    close(750 * 408.9 * 1.101 / 1024, 329.7, 1, "KiB lossless")
    close(115 / 28, 4.1, 1, "update")
    close(115 / 7, 16.4, 1, "update weekly")
    close(82.7 - 54.6, 28.1, 1, "saving")
    close(17.8 - 12.7, 5.1, 1, "cost of 64")
    t7 = table(7)
    close(math.exp(1.17 - 0.42), 2.1, 1, "threshold ratio")
    close(t7["Fifth (after update)"][0] - t7["Last before the change"][0], 0.6, 1, "recovery")
    t8 = table(8)
    for k, r in t8.items():
        if k != "Full method":
            close(r[0] - t8["Full method"][0], r[1], 1, f"Table 8 {k}")
    close(100 * (331 / 256 - 1), 29.3, 1, "overspend")
    close(9 * t6["Tandem, 256 bits"][0], t8["A message for each coded interval"][2], 1, "coded intervals")
    t9 = table(9)
    for k, r in t9.items():
        close(mean(r[:4]), r[4], 1, f"Table 9 {k}")
    close(mean([231, 252, 222, 333]), 256, 0, "allocation")
    close(0.937 * 8.9, 8.3, 1, "ratio")
    for k, r in table(10).items():
        eta = float(k)
        close(100 * (3 + eta * (40 / (256 / 96) - 1)) / (eta * 184 * 96), r[1], 2, f"Table 10 {k}")
        ok(r[2] <= r[1], f"Table 10 {k}: above the bound")
    for k, r in table(11).items():
        h = int(k)
        ok(r[0] == 3 * (h * inputs + h * h + 2 * h) + 28 * (h + 1), f"Table 11 {k}")
    t18 = table(18)
    ok(sum(r[0] for r in t18.values()) == 184, "Table 18: days")
    close(sum(r[0] * r[1] for r in t18.values()) / 184, 8.9, 1, "Table 18: mean")
    close(sum(r[0] * r[2] for r in t18.values()) / 184, 256, 0, "Table 18: bits")
    t19 = table(19)
    for k, r in t19.items():
        close(r[1] - r[0], r[2], 1, f"Table 19 {k}")
    for c in (0, 1):
        close(mean([t19[f][c] for f in fields]), t19["All"][c], 1, f"Table 19 column {c}")
    for values, m, sd in (
        ((8.84, 8.97, 8.86, 8.93, 8.95), 8.91, 0.06),
        ((13.14, 13.31, 13.22, 13.08, 13.26), 13.20, 0.09),
    ):
        a = sum(values) / 5
        close(a, m, 2, "seeds")
        close(math.sqrt(sum((v - a) ** 2 for v in values) / 4), sd, 2, "seeds")
    ok(365 + 181 + 184 == 730 and 184 * 96 == 17664 and 1333 * 184 == 245272, "splits")
    ok("3.28 / (0.02" in paper and "245,272" in paper and "17,180" in paper, "figures in the text")

    return errors


def test_the_texts_keep_their_promises() -> None:
    assert problems(TEXTS) == []


def test_lengths() -> None:
    call = [json.loads(line)["text"] for line in TEXTS["earnings_call.jsonl"].splitlines()]
    assert sum(len(text.split()) for text in call) >= 6_000
    assert len(TEXTS["research_paper.md"].split()) >= 6_000
    assert len(NEWS) == 30


BREAKS = [
    ("earnings_call.jsonl", "83 cents", "38 cents", "call: missing 83 cents"),
    ("earnings_call.jsonl", '"start": 2731.1', '"start": 2713.1', "wpm"),
    ("news_14.txt", "17 July 2025 (Grid Ledger)", "17 June 2025 (Grid Ledger)", "not in order of date"),
    ("research_paper.md", "| All | 1,333 |", "| All | 1,334 |", "Table 2: meters"),
]


@pytest.mark.parametrize(("name", "old", "new", "message"), BREAKS)
def test_a_broken_copy_is_caught(name: str, old: str, new: str, message: str) -> None:
    assert old in TEXTS[name]
    assert any(message in problem for problem in problems(TEXTS | {name: TEXTS[name].replace(old, new)}))
