"""The annual report: table totals, stated percentages, references, figures that other texts quote, form."""

import re
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from itertools import pairwise

import pytest

from tests.data import read

TEXT = read("en/annual_report.md")
Table = tuple[int, list[str], list[list[str]]]  # line number, header cells, rows of cells

# A column whose header contains one of these is not additive.
NOT_ADDITIVE = ("average price", "remaining under", "(%)")
NUMBER = re.compile(r"^\(?\$?\d[\d,]*(\.\d+)?\)?$")


def num(cell: str) -> Decimal | None:
    c = cell.replace("*", "").strip()
    if c in ("—", "-"):
        return Decimal(0)
    if not NUMBER.match(c):
        return None
    value = Decimal(c.strip("()").replace(",", "").replace("$", ""))
    return -value if c.startswith("(") else value


def label(cell: str) -> str:
    return cell.replace("*", "").strip()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def tables(lines: list[str]) -> list[Table]:
    found, i = [], 0
    while i < len(lines):
        if lines[i].startswith("|") and i + 1 < len(lines) and re.match(r"^\|[-:| ]+\|$", lines[i + 1]):
            rows, j = [], i + 2
            while j < len(lines) and lines[j].startswith("|"):
                rows.append(cells(lines[j]))
                j += 1
            found.append((i + 1, cells(lines[i]), rows))
            i = j
        else:
            i += 1
    return found


def pct(a: Decimal | float, b: Decimal | float) -> Decimal:
    return (Decimal(str(a)) / Decimal(str(b)) * 100).quantize(Decimal("0.1"), ROUND_HALF_UP)


# (words that must be in the text, percentage as stated, numerator, denominator)
PERCENTAGES = [
    ("at 28.6% of revenue", 28.6, 642.3, 2245.3),
    ("accounted for 37.3% of Metering Devices revenue", 37.3, 478.9, 1284.6),
    ("an increase of 16.0% from $429.6 million", 16.0, 498.2 - 429.6, 429.6),
    ("13 of our 142 on-premises customers, or 9.2%", 9.2, 13, 142),
    ("accounted for 11.8% of revenue in fiscal 2025 and 12.4%", 11.8, 264.9, 2245.3),
    ("and 12.4% in fiscal 2024", 12.4, 261.3, 2107.1),
    ("an increase of 6.9%", 6.9, 1046.0 - 978.5, 978.5),
    ("an increase of 3.8%; the Metering", 3.8, 1183.2 - 1140.4, 1140.4),
    ("$627.6 million, or 60.0%", 60.0, 627.6, 1046.0),
    ("$143.6 million of Backlog, or 13.7%", 13.7, 143.6, 1046.0),
    ("or 12.0%, 11.5% and 11.1% of revenue", 12.0, 268.4, 2245.3),
    ("12.0%, 11.5% and 11.1%", 11.5, 241.7, 2107.1),
    ("11.5% and 11.1%", 11.1, 218.9, 1969.3),
    ("took $123.5 million, or 46.0% of research", 46.0, 52.6 + 31.8 + 39.1, 268.4),
    ("Total meter shipments fell 3.4%", 3.4, 14022 - 13548, 14022),
    ("and by 1.6% in fiscal 2024", 1.6, 14247 - 14022, 14247),
    ("Revenue grew by 6.6% in fiscal 2025 and operating income by 9.9%", 6.6, 138.2, 2107.1),
    ("operating income by 9.9%", 9.9, 21.7, 219.1),
    ("Operating margin was 10.7%, compared with 10.4% in fiscal 2024 and 9.0%", 10.7, 240.8, 2245.3),
    ("10.4% in fiscal 2024 and 9.0%", 10.4, 219.1, 2107.1),
    ("and 9.0% in fiscal 2023", 9.0, 176.6, 1969.3),
    ("it would have been 11.4%", 11.4, 240.8 + 14.2, 2245.3),
    ("at constant rates the increase would have been 6.0%", 6.0, 138.2 - 11.7, 2107.1),
    ("at constant rates the increase would have been 7.3%", 7.3, 137.8 + 6.9, 1969.3),
    ("Europe rose by 10.9%", 10.9, 584.9 - 527.6, 527.6),
    ("Asia-Pacific by 6.5% and the Americas by 4.8%", 6.5, 358.1 - 336.3, 336.3),
    ("the Americas by 4.8%", 4.8, 1302.3 - 1243.2, 1243.2),
    ("Europe rose by 9.6%", 9.6, 527.6 - 481.6, 481.6),
    ("Asia-Pacific by 6.5% and the Americas by 6.1%", 6.5, 336.3 - 315.9, 315.9),
    ("the Americas by 6.1%", 6.1, 1243.2 - 1171.8, 1171.8),
    ("Gross margin rose to 43.0% from 41.3%", 43.0, 965.5, 2245.3),
    ("43.0% from 41.3%", 41.3, 869.8, 2107.1),
    ("41.3% from 39.4%", 39.4, 775.5, 1969.3),
    ("28.6% of revenue from 26.0%", 26.0, 548.7, 2107.1),
    ("26.0% of revenue from 23.4%", 23.4, 461.2, 1969.3),
    ("cost 0.6 percentage points", 0.6, 14.2, 2245.3),
    ("effective tax rate was 22.7%, compared with 22.1%", 22.7, 50.4, 222.3),
    ("effective tax rate was 22.1%, compared with 19.0%", 22.1, 43.7, 198.0),
    ("compared with 19.0%", 19.0, 28.5, 150.2),
    ("or 4.7%. Meters contributed $54.9", 4.7, 57.7, 1226.9),
    ("or 2.4%. Meters contributed $28.4", 2.4, 28.6, 1198.3),
    ("rose to 34.7% from 33.8%, and would have been 35.8%", 34.7, 445.7, 1284.6),
    ("34.7% from 33.8%", 33.8, 414.5, 1226.9),
    ("would have been 35.8% without", 35.8, 445.7 + 14.2, 1284.6),
    ("33.8% from 33.0%", 33.0, 395.4, 1198.3),
    ("$1.6 million, or 1.0%", 1.0, 1.6, 152.6),
    ("$10.7 million, or 7.5%", 7.5, 10.7, 141.9),
    ("fell to 12.0% from 12.4%", 12.0, 154.2, 1284.6),
    ("12.0% from 12.4%", 12.4, 152.6, 1226.9),
    ("12.4% from 11.8%", 11.8, 141.9, 1198.3),
    ("$93.6 million, or 17.1%", 17.1, 93.6, 548.7),
    ("$87.5 million, or 19.0%", 19.0, 87.5, 461.2),
    ("71.8% from 71.5%", 71.8, 461.1, 642.3),
    ("71.8% from 71.5%", 71.5, 392.3, 548.7),
    ("71.5% from 70.0%", 70.0, 322.8, 461.2),
    ("$37.1 million, or 26.0%", 26.0, 37.1, 142.7),
    ("$36.6 million, or 34.5%", 34.5, 36.6, 106.1),
    ("28.0% from 26.0%", 28.0, 179.8, 642.3),
    ("28.0% from 26.0%", 26.0, 142.7, 548.7),
    ("26.0% from 23.0%", 23.0, 106.1, 461.2),
    ("$13.1 million, or 4.0%", 4.0, 13.1, 331.5),
    ("$21.7 million, or 7.0%", 7.0, 21.7, 309.8),
    ("18.4% from 19.0%", 18.4, 58.7, 318.4),
    ("18.4% from 19.0%", 19.0, 63.0, 331.5),
    ("19.0% from 18.5%", 18.5, 57.3, 309.8),
    ("$7.7 million, or 23.2%", 23.2, 7.7, 33.2),
    ("$2.8 million, or 9.2%", 9.2, 2.8, 30.4),
    ("8.0% from 10.0%", 8.0, 25.5, 318.4),
    ("8.0% from 10.0%", 10.0, 33.2, 331.5),
    ("10.0% from 9.8%", 9.8, 30.4, 309.8),
    ("$9.3 million, or 8.5%", 8.5, 9.3, 109.4),
    ("$7.6 million, or 7.5%", 7.5, 7.6, 101.8),
    ("$138.7 million, or 33.6%", 33.6, 138.7, 412.6),
    ("$26.7 million, or 11.0%", 11.0, 26.7, 241.7),
    ("$22.8 million, or 10.4%", 10.4, 22.8, 218.9),
    ("$138.2 million, or 6.6%", 6.6, 138.2, 2107.1),
    ("$137.8 million, or 7.0%", 7.0, 137.8, 1969.3),
    ("$42.5 million, or 3.4%", 3.4, 42.5, 1237.3),
    ("$43.5 million, or 3.6%", 3.6, 43.5, 1193.8),
    ("$21.7 million, or 9.9%", 9.9, 21.7, 219.1),
    ("$42.5 million, or 24.1%", 24.1, 42.5, 176.6),
    ("That is 10.8% of the Hosted Edition's revenue", 10.8, 36.9, 341.6),
    ("17,612 covers, or 95.7%", 95.7, 17612, 18400),
    ("About 38% of Metering Devices", 38.0, 488.2, 1284.6),
    ("6.8% higher than the $562.9 million", 6.8, 601.2 - 562.9, 562.9),
]

# (words that must be in the text, their amount from the amounts it derives from)
AMOUNTS = [
    ("left $208.6 million available", 300.0 - 80.0 - 11.4),
    ("together were therefore $621.2 million", 412.6 + 208.6),
    ("availability on the date of amendment was $258.6 million", 350.0 - 80.0 - 11.4),
    ("brought the total there to $1,057.3 million", 1018.8 + 38.5),
    ("leaving $165.0 million", 250.0 - 85.0),
    ("debt of $605.0 million", 525.0 + 80.0),
    ("Consolidated EBITDA of $382.2 million", 240.8 + 78.4 + 16.8 + 46.2),
    ("Leverage Ratio was 1.58", 605.0 / 382.2),
    ("interest coverage was 13.3", 382.2 / 28.8),
    ("about $772", 14_200_000 / 18_400),
    ("to $77.55 from", (571.8 + 478.9) / 13.548),
    ("from $71.02", (842.6 + 153.2) / 14.022),
    ("from $67.90", 967.4 / 14.247),
    ("averaged $68.40", 571.8 / 8.360),
    ("and $68.10 in", 842.6 / 12.373),
    ("slipped to $92.31", 478.9 / 5.188),
    ("from $92.90", 153.2 / 1.649),
    ("6,837 thousand Sentry-5", 5188 + 1649),
    ("approximately $28.7 million", 4.20 * 6.837),
    ("total was $1,183.2 million", 1046.0 + 137.2),
    ("and $1,140.4 million in 2024", 978.5 + 161.9),
    ("from $655.1 million", 506.8 + 148.3),
    ("to $625.0 million", 512.4 + 112.6),
    ("Of the remaining 788", 18400 - 17612),
    ("an average price of $60.20", 85_000_000 / 1_412_000),
    ("$31.2 million in fiscal 2025", 318.7 - 287.5),
    ("increased by 118", 1521 - 1403),
    ("liabilities of $87.1 million", 18.9 + 68.2),
    ("less imputed interest of $13.6 million", 100.7 - 87.1),
    ("cost about $540 million", 540.0),
    ("It was $62.5 million", 27.9 + 34.6),
]

FIGURES = re.findall(
    r"\S+",
    """
1,284.6 1,226.9 1,198.3 642.3 548.7 461.2 318.4 331.5 309.8 2,245.3 2,107.1 1,969.3 154.2 152.6 141.9 179.8 142.7
106.1 25.5 33.2 30.4 118.7 109.4 101.8 240.8 219.1 176.6 268.4 241.7 218.9 171.9 154.3 121.7 2.87 2.56 2.01 412.6
386.2 341.5 525.0 575.0 625.0 4.15% 318.7 287.5 244.0 96.3 88.1 104.6 6,420 6,185 5,940 1,302.3 584.9 358.1 1,243.2
527.6 336.3 61.4 56.8 0.8 11.8% 12.4% 1,046.0 978.5 18,400 14.2 9.6 4.6 6.3 601.2 562.9 338.7 178.9 83.6 69.9 0.83
528.4 547.6 568.1 85.0 250.0 165.0 0.18
""",
)
NAMES = [
    "Maren Okafor",
    "Tobias Lindqvist",
    "Dr. Priya Raman",
    "Daniel Ashworth",
    "Helene Strand",
    "Calvin Moss",
    "Pell & Harrow LLP",
    "Project Kestrel",
    "Project Bastion",
    "Project Heron",
    "Commonwealth Grid Authority",
    "Corvane Electronics",
    "Villa Serena",
    "Eskerton",
    "9 February 2026",
    "31 March 2025",
    "14 June 2023",
    "1 January 2024",
    "3 March 2025",
    "30 June 2025",
    "Market Conduct Office",
    "Velmora",
    "Quillfeather Energy",
    "Sabrecroft plc",
    "University of Dunvarra",
]


def problems(text: str) -> list[str]:
    """Every promise of the text that does not hold."""
    errors: list[str] = []
    done = {"totals": 0, "row sums": 0, "changes": 0, "percentages": 0, "references": 0, "facts": 0, "relations": 0}
    lines = text.split("\n")
    found = tables(lines)
    for line, head, rows in found:
        errors += [
            f"line {line}: a row has {len(row)} cells, the header {len(head)}: {row[0]}"
            for row in rows
            if len(row) != len(head)
        ]
    if errors:  # the columns below are counted on
        return errors

    # 1. Every Total row is the sum of the rows above it (since some earlier row; earlier totals count once).
    for line, head, rows in found:
        additive = [k for k in range(1, len(head)) if not any(n in head[k].lower() for n in NOT_ADDITIVE)]
        stack: list[dict[int, Decimal]] = []
        for row in rows:
            values = {k: num(row[k]) for k in additive if num(row[k]) is not None}
            if label(row[0]).startswith("Total"):
                if not values:
                    errors.append(f"line {line}: total row without figures: {row}")
                    continue
                for n in range(2, len(stack) + 1):
                    part = stack[-n:]
                    if all(sum((p.get(k, Decimal(0)) for p in part), Decimal(0)) == v for k, v in values.items()):
                        del stack[-n:]
                        done["totals"] += 1
                        break
                else:
                    errors.append(f"line {line}: '{label(row[0])}' is not the sum of the rows above: {row[1:]}")
            if values:
                stack.append(values)

    # 2. A last column called Total or Year is the sum of the columns before it (rows of ratios excepted).
    for line, head, rows in found:
        if head[-1] in ("Total", "Year") or (head[-1] == "FY2025" and "quarter" in head[1]):
            for row in rows:
                values = [num(c) for c in row[1:]]
                if None in values:
                    continue
                if sum(values[:-1], Decimal(0)) != values[-1]:
                    errors.append(f"line {line}: row '{row[0]}' does not add across")
                else:
                    done["row sums"] += 1

    # 3. Change columns.
    for line, head, rows in found:
        if head[-2:] == ["Change", "Change (%)"]:
            for row in rows:
                new, old, change, percent = map(num, row[1:])
                if new - old != change or pct(change, old) != percent:
                    errors.append(f"line {line}: change of '{row[0]}': {new - old}, {pct(change, old)} %")
                else:
                    done["changes"] += 1

    # 4. Statements: relations that are not called Total.
    def value(row_label: str, column: int, title: str) -> Decimal | None:
        """The figure in the first table below a heading that contains `title`."""
        start = next(n for n, ln in enumerate(lines) if ln.startswith("#") and title in ln)
        rows = next(rows for line, _, rows in found if line > start)
        return next((num(row[column]) for row in rows if label(row[0]) == row_label), None)

    def relation(name: str, left: Decimal | None, right: Decimal | None) -> None:
        if left != right:
            errors.append(f"{name}: {left} is not {right}")
        else:
            done["relations"] += 1

    for c in (1, 2, 3):
        v = partial(value, column=c, title="Consolidated Statements of Operations")
        relation(f"gross profit {c}", v("Total revenue") - v("Total cost of revenue"), v("Gross profit"))
        relation(f"operating income {c}", v("Gross profit") - v("Total operating expenses"), v("Operating income"))
        relation(
            f"pre-tax {c}",
            v("Operating income") + v("Interest expense") + v("Interest income") + v("Other expense, net"),
            v("Income before income taxes"),
        )
        relation(f"net income {c}", v("Income before income taxes") - v("Income taxes"), v("Net income"))
        w = partial(value, column=c, title="Consolidated Statements of Cash Flows")
        relation(f"net income in cash flows {c}", v("Net income"), w("Net income"))
        relation(
            f"increase in cash {c}",
            w("Total operating cash flow")
            + w("Total cash used in investing activities")
            + w("Total cash used in financing activities")
            + w("Effect of exchange rates on cash"),
            w("Increase in cash and equivalents"),
        )
        relation(
            f"cash {c}",
            w("Cash and equivalents, beginning of year") + w("Increase in cash and equivalents"),
            w("Cash and equivalents, end of year"),
        )
        s = partial(value, column=c, title="Note 9.")
        for kind, share in (("Total, diluted", "Diluted"), ("Weighted average, basic", "Basic")):
            shares = s(kind)
            relation(
                f"{share} EPS {c}",
                (v("Net income") * 1000 / shares).quantize(Decimal("0.01"), ROUND_HALF_UP),
                v(f"{share} earnings per share ($)"),
            )
    for c in (1, 2):
        b = partial(value, column=c, title="Consolidated Balance Sheets")
        relation(f"balance {c}", b("Total assets"), b("Total liabilities and stockholders' equity"))

    # segments: gross profit - R&D - other = operating income; thousands round to millions; items across sections
    seg_tables = {
        head[0].replace(" (in millions)", ""): rows
        for line, head, rows in found
        if any(label(r[0]) == "Other segment expenses" for r in rows)
    }
    if len(seg_tables) != 3:
        return [*errors, f"segment tables: {list(seg_tables)}"]
    for seg, rows in seg_tables.items():
        get = {label(r[0]): [num(x) for x in r[1:]] for r in rows}
        for k in range(3):
            relation(
                f"{seg} {k}",
                get["Gross profit"][k] - get["Research and development"][k] - get["Other segment expenses"][k],
                get["Operating income"][k],
            )
            year = ("FY2025", "FY2024", "FY2023")[k]
            note = next(r for _, h, r in found if h[0] == f"{year} (in thousands)")
            row = next(r for r in note if r[0] == seg)
            for col, name in ((1, "Revenue"), (2, "Operating income")):
                relation(
                    f"{seg} {year} {name} thousands",
                    (num(row[col]) / 1000).quantize(Decimal("0.1"), ROUND_HALF_UP),
                    get[name][k],
                )
    for k, year in enumerate(("FY2025", "FY2024", "FY2023")):
        note = next(r for _, h, r in found if h[0] == f"{year} (in thousands)")
        total = next(r for r in note if r[0] == "Total")
        for col, (title, name) in {
            1: ("Consolidated Statements of Operations", "Total revenue"),
            2: ("Consolidated Statements of Operations", "Operating income"),
            3: ("Consolidated Statements of Cash Flows", "Depreciation"),
            4: ("Consolidated Statements of Cash Flows", "Capital expenditure"),
        }.items():
            relation(
                f"note 10 {year} {name}",
                (num(total[col]) / 1000).quantize(Decimal("0.1"), ROUND_HALF_UP),
                abs(value(name, k + 1, title)),
            )
    rd = [
        sum(
            next([num(x) for x in r[1:]] for r in rows if label(r[0]) == "Research and development")[k]
            for rows in seg_tables.values()
        )
        + value("Northmere Laboratories", k + 1, "#### Corporate unallocated expense")
        for k in range(3)
    ]
    for k in range(3):
        relation(
            "research and development by segment",
            rd[k],
            value("Research and development", k + 1, "Consolidated Statements of Operations"),
        )

    # 5. Percentages and amounts in prose.
    for words, stated, a, b in PERCENTAGES:
        if words not in text:
            errors.append(f"percentage: text not found: {words}")
        elif pct(round(a, 4), b) != Decimal(str(stated)):
            errors.append(f"percentage: '{words}': stated {stated}, computed {pct(a, b)}")
        else:
            done["percentages"] += 1

    for words, amount in AMOUNTS:
        shown = Decimal(re.findall(r"[\d,]+(?:\.\d+)?", words.replace("Sentry-5", ""))[0].replace(",", ""))
        q = Decimal(1).scaleb(shown.as_tuple().exponent)
        if words not in text:
            errors.append(f"amount: text not found: {words}")
        elif Decimal(repr(round(amount, 6))).quantize(q, ROUND_HALF_UP) != shown:
            errors.append(f"amount: '{words}': computed {amount}")
        else:
            done["percentages"] += 1

    # 6. Figures and names that other texts quote.
    for f in FIGURES + NAMES:
        if not re.search(r"(?<![\d,.])" + re.escape(f) + r"(?![\d]|,\d|\.\d)", text):
            errors.append(f"fixed fact missing: {f}")
        else:
            done["facts"] += 1

    # 7. References to Items, Notes and Risks resolve; headings are well formed; 24 risks of 3 to 5 paragraphs.
    heads = [(len(m[1]), m[2]) for ln in lines if (m := re.match(r"^(#{1,6}) (.+)$", ln))]
    if any(h[0] > 4 for h in heads):
        errors.append("heading deeper than ####")
    names = [h[1] for h in heads]
    for kind, pattern in (("Item", r"\bItem (\d+[A-C]?)\b"), ("Note", r"\bNote (\d+)\b"), ("Risk", r"\bRisk (\d+)\b")):
        for ref in set(re.findall(pattern, text)):
            if not any(re.match(rf"{kind} {ref}\.", n) for n in names):
                errors.append(f"reference does not resolve: {kind} {ref}")
            else:
                done["references"] += 1
    risks = [int(m[1]) for n in names if (m := re.match(r"Risk (\d+)\.", n))]
    if risks != list(range(1, 25)):
        errors.append(f"risks: {risks}")
    for block in re.split(r"\n(?=#)", text):
        if block.startswith("#### Risk"):
            n = len([p for p in block.split("\n\n")[1:] if p.strip()])
            if not 3 <= n <= 5:
                errors.append(f"{n} paragraphs: {block[:60]}")
    for a, b in pairwise(heads):
        if b[0] > a[0] + 1:
            errors.append(f"heading level skips: {a} -> {b}")
    footnotes = {int(n) for n in re.findall(r"^\((\d)\) [A-Z]", text, re.M)}
    used = {int(n) for ln in lines if ln.startswith("|") for n in re.findall(r"\((\d)\) ?\|", ln)}
    if footnotes != used:
        errors.append(f"footnotes {footnotes} used {used}")
    # defined terms: each is used outside the Glossary
    body, glossary = text.split("# Glossary of Defined Terms\n")
    for term in re.findall(r"^\*\*([^*]+)\*\*", glossary, re.M):
        n = len(re.findall(r"\b" + re.escape(term) + r"s?\b", body))
        if n < 1:
            errors.append(f"defined term never used: {term}")

    # 8. Form
    if "\r" in text or not text.endswith("\n") or text.endswith("\n\n"):
        errors.append("line ends / final newline")
    if any(ln != ln.rstrip() for ln in lines):
        errors.append("trailing space")
    if "\n\n\n" in text:
        errors.append("two blank lines")

    errors += [f"no {kind} found to check" for kind, count in done.items() if not count]
    return errors


def test_the_report_keeps_its_promises() -> None:
    assert problems(TEXT) == []


def test_length() -> None:
    assert len(TEXT.split()) >= 18_500  # the course promises 18,000


BREAKS = [
    (
        "| Hosted Edition | 38.4 | 32.7 |",
        "| Hosted Edition | 38.5 | 32.7 |",
        "'Total' is not the sum of the rows above",
    ),
    ("Note 13 describes", "Note 31 describes", "reference does not resolve: Note 31"),
    ("It was $62.5 million", "It was $65.2 million", "text not found: It was $62.5 million"),
    ("#### Risk 7. ", "#### Risk 8. ", "risks: "),
    ("grew by 6.6% in fiscal 2025", "grew by 6.7% in fiscal 2025", "text not found: Revenue grew by 6.6%"),
]


@pytest.mark.parametrize(("old", "new", "message"), BREAKS)
def test_a_broken_copy_is_caught(old: str, new: str, message: str) -> None:
    assert old in TEXT
    assert any(message in problem for problem in problems(TEXT.replace(old, new, 1)))
