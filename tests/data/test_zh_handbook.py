"""The Chinese handbook and its questions: what the text promises about itself has to be true."""

import json
import re
from collections import Counter
from decimal import Decimal
from itertools import pairwise

import pytest

from hierrag_lessons.evaluation import load_questions
from hierrag_lessons.reading import DATA_DIR, read_markdown

DOC_ID = "zh/technical_handbook"
TEXT_PATH = DATA_DIR / "corpora" / f"{DOC_ID}.md"
QUESTIONS_PATH = DATA_DIR / "questions" / "zh_technical_handbook.jsonl"

HAN = r"[\u4e00-\u9fff]"
LEAST = {"single_fact": 9, "summary": 7, "enumeration": 7, "process": 6, "unanswerable": 3}

DOCUMENT = read_markdown(TEXT_PATH, language="zh", doc_id=DOC_ID)
TEXT = DOCUMENT.text
# A number sign inside a code block is a comment, so code is blanked out before headings are looked for.
PROSE = re.sub(r"^(```|~~~).*?^\1$", "", TEXT, flags=re.MULTILINE | re.DOTALL)
HEADINGS = re.findall(r"^(#{1,4}) (.+)$", PROSE, flags=re.MULTILINE)
TABLES = re.findall(r"^\*\*(表 \d+-\d+) [^\n]+\*\*\n\n((?:\|.*\n)+)", PROSE, flags=re.MULTILINE)
RECORDS = [json.loads(line) for line in QUESTIONS_PATH.read_text(encoding="utf-8").splitlines()]
ANSWERABLE = [record for record in RECORDS if record["type"] != "unanswerable"]


def section_numbers() -> list[str]:
    """Number of each heading below the title: "3", "3.2", "3.2.1", "A", "A.1"."""
    numbers = []
    for _, title in HEADINGS[1:]:
        match = re.match(r"第(\d+)章 |附录([A-Z]) |((?:\d+|[A-Z])(?:\.\d+)+) ", title)
        assert match, f"heading without a number: {title}"
        numbers.append(match.group(1) or match.group(2) or match.group(3))
    return numbers


def section(number: str) -> str:
    """Text of a section with its subsections."""
    match = re.search(
        rf"^#+ {re.escape(number)} .*?(?=^#{{1,9}} (?!{re.escape(number)}\.)|\Z)", PROSE, re.MULTILINE | re.DOTALL
    )
    assert match, number
    return match.group(0)


def rows(table: str) -> list[list[str]]:
    lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()]
    return [lines[0], *lines[2:]]


def number_in(cell: str) -> Decimal | None:
    match = re.match(r"−?\d+(?:\.\d+)?", cell)
    return Decimal(match.group(0).replace("−", "-")) if match else None


def table(caption: str) -> list[list[str]]:
    (found,) = (rows(body) for name, body in TABLES if name == caption)
    return found


def bigrams(text: str) -> Counter[str]:
    return Counter(run[i : i + 2] for run in re.findall(f"{HAN}+", text) for i in range(len(run) - 1))


def ids(record: dict) -> str:
    return record["id"]


# The text


def test_length_and_line_ends():
    assert 13_000 <= len(re.findall(HAN, TEXT)) <= 16_000
    assert "\r" not in TEXT
    assert not re.search(r"[ \t]+$", TEXT, re.MULTILINE)
    assert TEXT.endswith("\n")
    assert not TEXT.endswith("\n\n")


def test_punctuation_is_full_width_after_chinese():
    assert re.findall(f"{HAN}[,;:?!()]", PROSE) == []
    assert PROSE.count("“") == PROSE.count("”")
    assert PROSE.count("（") == PROSE.count("）")


def test_headings_are_numbered_in_order():
    assert [level for level, _ in HEADINGS].count("#") == 1
    numbers = section_numbers()
    assert len(set(numbers)) == len(numbers)
    depth = [len(level) for level, _ in HEADINGS[1:]]
    assert depth == [number.count(".") + 2 for number in numbers]
    siblings: dict[str, list[int]] = {}
    for number in numbers:
        parent, _, last = number.rpartition(".")
        siblings.setdefault(parent, []).append(ord(last) - 64 + 13 if last.isalpha() else int(last))
    for parent, counted in siblings.items():
        assert counted == list(range(1, len(counted) + 1)), parent


def test_cross_references_resolve():
    body = "\n".join(line for line in PROSE.splitlines() if not line.startswith("#"))
    sections = re.findall(r"((?:\d+|[A-Z])(?:\.\d+)+)\s*节", body)
    chapters = re.findall(r"第(\d+)章", body) + re.findall(r"附录([A-Z])", body)
    captions = {name for name, _ in TABLES}
    tables = re.findall(r"表 \d+-\d+", body)
    assert len(sections) >= 50
    assert len(chapters) >= 4
    assert len(tables) > len(captions)
    assert set(sections) | set(chapters) <= set(section_numbers())
    assert set(tables) == captions


def test_table_numbers_follow_their_chapters():
    assert len({name for name, _ in TABLES}) == len(TABLES) == PROSE.count("**表 ")
    per_chapter: dict[str, list[int]] = {}
    for match in re.finditer(r"\*\*表 (\d+)-(\d+) ", PROSE):
        chapter = re.findall(r"^## 第(\d+)章", PROSE[: match.start()], re.MULTILINE)[-1]
        assert match.group(1) == chapter
        per_chapter.setdefault(chapter, []).append(int(match.group(2)))
    assert all(found == list(range(1, len(found) + 1)) for found in per_chapter.values())


def test_error_codes_in_use_are_defined_once():
    defined = re.findall(r"^\| (E\d{3})(?: ※)? \|", PROSE, re.MULTILINE)
    assert len(set(defined)) == len(defined) == 23
    assert set(re.findall(r"E\d{3}", TEXT)) == set(defined)


@pytest.mark.parametrize("mark", "①②③④⑤")
def test_table_notes_are_marked_in_a_table_and_explained_once(mark):
    assert len(re.findall(rf"^{mark} ", PROSE, re.MULTILINE)) == 1
    assert len(re.findall(rf"^\|.*{mark}.*\|$", PROSE, re.MULTILINE)) == 1


@pytest.mark.parametrize("number", ["4.6", "7.7", "8.2", "10.3", "12.5"])
def test_procedures_have_the_steps_they_announce(number):
    text = section(number)
    announced = re.search(r"共 (\d+) 步，编号连续", text)
    assert announced
    steps = [int(step) for step in re.findall(r"^(\d+)\. ", text, re.MULTILINE)]
    assert steps == list(range(1, int(announced.group(1)) + 1))
    assert 8 <= len(steps) <= 12
    assert all(1 <= int(step) <= len(steps) for step in re.findall(r"步骤 (\d+)", text))


@pytest.mark.parametrize("term", ["折算点", "影子配置", "静默窗口", "安全态", "健康分", "有效心跳"])
def test_a_term_is_defined_once_and_used_elsewhere(term):
    assert TEXT.count(f"**{term}**") == 1
    assert f"**{term}**" in section("1.3")
    assert TEXT.count(term) - section("1.3").count(term) >= (3 if term == "有效心跳" else 4)


def test_the_health_score_is_used_all_over():
    holders = [part for part in re.split(r"^#+ ", PROSE, flags=re.MULTILINE) if "健康分" in part]
    assert len(holders) >= 9


# Its numbers


def test_tables_add_up():
    checked = set()
    for caption, body in TABLES:
        _, *lines = rows(body)
        if lines[-1][0] != "合计":
            continue
        for column in range(1, len(lines[-1])):
            total = number_in(lines[-1][column])
            if total is None:
                continue
            parts = [number_in(line[column]) for line in lines[:-1]]
            assert None not in parts, (caption, column)
            assert sum(parts) == total, (caption, column)
            checked.add((caption, column))
    assert Counter(caption for caption, _ in checked) == {
        "表 1-1": 1,
        "表 3-1": 3,
        "表 4-1": 3,
        "表 9-1": 1,
        "表 10-2": 3,
        "表 12-1": 2,
        "表 12-2": 2,
    }
    assert sum(line.startswith("| 合计 |") for line in PROSE.splitlines()) == 7


def test_yearly_hours_are_times_by_hours():
    for line in table("表 12-1")[1:-1]:
        times, *hours = map(Decimal, line[1:])
        assert (hours[1], hours[3]) == (times * hours[0], times * hours[2])


def test_cache_sizes_are_the_stated_share_of_the_storage():
    storage = [number_in(cell) for cell in next(row for row in table("表 3-2") if row[0] == "eMMC")[1:]]
    for firmware, number, row in zip(("V3.2", "V3.4"), ("6.6.1", "6.6.2"), table("表 6-1")[1:], strict=True):
        share = re.search(r"容量的 (\d+) %", section(number))
        assert share
        assert row[0] == firmware
        assert [number_in(cell) for cell in row[1:]] == [size * int(share.group(1)) / 100 for size in storage]


def test_upgrade_needs_three_times_the_package():
    (package,) = (row for row in table("表 10-1") if row[0] == "V3.4.1")
    needed = re.search(r"EG-210 需要 (\d+) MB，EG-220 需要 (\d+) MB，EG-220S 需要 (\d+) MB", section("10.2"))
    assert needed
    assert [3 * number_in(cell) for cell in package[1:]] == list(map(int, needed.groups()))


def test_sums_in_the_prose():
    sums = re.findall(r"((?:\d+×\d＋)+\d+×\d)＝(\d+)", PROSE)
    assert len(sums) == 2
    for terms, result in sums:
        assert sum(int(a) * int(b) for a, b in re.findall(r"(\d+)×(\d)", terms)) == int(result)
    waits = re.findall(r"(\d)×800 ms×(\d)(?: 次)?＝(\d+\.\d) s", PROSE)
    assert len(waits) == 2
    assert all(int(slaves) * 800 * int(tries) == 1000 * Decimal(result) for slaves, tries, result in waits)
    copies = re.search(r"保留 (\d) 份日备份和 (\d) 份周备份，共 (\d+) 份；V3.4 另加 (\d) 份月备份，共 (\d+) 份", PROSE)
    assert copies
    day, week, old, month, new = map(int, copies.groups())
    assert (day + week, old + month) == (old, new)


@pytest.mark.parametrize(
    ("number", "pattern"),
    [
        ("8.3.1", r"心跳周期 (\d+) s，因此判定失联需要 (\d+) s"),
        ("8.3.2", r"心跳周期 (\d+) s，因此判定失联需要 (\d+) s"),
        ("13.5", r"改为 (\d+) s，判定失联的时间随之变为 (\d+) s"),
    ],
)
def test_a_peer_is_lost_after_three_heartbeats(number, pattern):
    match = re.search(pattern, section(number))
    assert match
    assert int(match.group(2)) == 3 * int(match.group(1))


@pytest.mark.parametrize(
    ("number", "fact"),
    [
        ("3.1", ("9～36 V DC", "最大功耗 9.5 W", "保持电容可支撑 10 s", "−20～60 ℃")),
        ("3.2", ("9～36 V DC", "最大功耗 14.5 W", "保持时间为 12 s", "−20～65 ℃")),
        ("3.3", ("18～60 V DC", "最大功耗 15.4 W", "保持时间为 20 s", "−40～75 ℃")),
    ],
)
def test_model_sections_agree_with_the_comparison(number, fact):
    column = int(number[-1])
    compared = {row[0].rstrip(" ①②"): row[column] for row in table("表 3-3")}
    assert all(part in section(number) for part in fact)
    for name, part in zip(("最大功耗", "断电保持时间", "工作温度"), fact[1:], strict=True):
        assert part.endswith(compared[name])


def test_versions_are_in_order_and_no_other_is_named():
    releases = table("表 1-2")[1:]
    assert all(a[1] < b[1] and a[3] <= b[3] for a, b in pairwise(releases))
    assert set(re.findall(r"V\d\.\d(?:\.\d)?", TEXT)) == {row[0] for row in releases}
    published = re.search(r"发布日期：(\S+)", TEXT)
    assert published
    assert all(row[1] < published.group(1) for row in releases)


def test_the_revision_table_lists_the_revisions():
    for revision, revised, old, new, _ in table("表 13-1")[1:]:
        text = section(revision)
        assert f"修订 {revised}" in text
        for value in (*new.split("／"), *old.split("／")):
            assert value in text, (revision, value)


# The questions


def test_questions_load_and_every_quote_stands_once():
    questions = load_questions(QUESTIONS_PATH, [DOCUMENT])
    assert len(questions) == len(RECORDS) >= 32
    assert not questions.dropped
    for question, record in zip(questions, RECORDS, strict=True):
        assert question.language == record["language"] == "zh"
        for evidence, raw in zip(question.evidence, record["evidence"], strict=True):
            assert evidence.doc_id == DOC_ID
            assert TEXT[evidence.start : evidence.end] == raw["quote"]
            assert TEXT.count(raw["quote"]) == 1


def test_ids_types_and_splits():
    assert [record["id"] for record in RECORDS] == [f"zh-tech-{i:03d}" for i in range(1, len(RECORDS) + 1)]
    counts = Counter(record["type"] for record in RECORDS)
    assert counts.keys() == LEAST.keys()
    assert all(counts[kind] >= least for kind, least in LEAST.items())
    halves = Counter((record["type"], record["split"]) for record in RECORDS)
    assert all(halves[kind, "dev"] == halves[kind, "test"] == counts[kind] / 2 for kind in counts)


def test_questions_and_answers_are_distinct():
    assert len({record["question"] for record in RECORDS}) == len(RECORDS)
    assert all(record["answer"].strip() and record["question"][-1] in "？。" for record in RECORDS)


@pytest.mark.parametrize("record", ANSWERABLE, ids=ids)
def test_key_facts_stand_in_the_evidence(record):
    assert record["key_facts"]
    for fact in record["key_facts"]:
        assert any(fact in evidence["quote"] for evidence in record["evidence"]), fact


@pytest.mark.parametrize("record", ANSWERABLE, ids=ids)
def test_a_question_does_not_copy_its_evidence(record):
    asked = bigrams(record["question"])
    shown = bigrams("\n".join(evidence["quote"] for evidence in record["evidence"]))
    shared = sum(count for pair, count in asked.items() if pair in shown)
    assert shared <= 0.45 * asked.total()


@pytest.mark.parametrize("record", ANSWERABLE, ids=ids)
def test_the_amount_and_spread_of_evidence_fit_the_type(record):
    pieces = sorted((evidence["start"], evidence["end"]) for evidence in record["evidence"])
    assert all(a[1] <= b[0] for a, b in pairwise(pieces))
    if record["type"] == "single_fact":
        assert len(pieces) == 1
        assert pieces[0][1] - pieces[0][0] <= 60
    else:
        assert 3 <= len(pieces) <= 8
        assert pieces[-1][1] - pieces[0][0] >= 300
