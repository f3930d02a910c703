"""What a question names, read out of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.queries import find_places, read_number
from hierrag_lessons.queries.places import NUMBERED


def named(question: str, language="en") -> list[str]:
    return [
        f"{place.kind} {place.value}" + (f" ({place.inner})" if place.inner else "")
        for place in find_places(question, language)
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does Article 17 say?", ["article 17"]),
        ("What does article 17(2) say?", ["article 17 (2)"]),
        ("Is paragraph 3 of Article 12 in force?", ["article 12 (3)"]),
        ("Article 12, paragraph 3?", ["article 12 (3)"]),
        ("Article 27(2a)", ["article 27 (2a)"]),
        ("Articles 5, 7 and 9 to 11", ["article 5", "article 7", "article 9", "article 10", "article 11"]),
        ("Annex V and appendix C.2", ["annex V", "appendix C.2"]),
        ("Item 1A or Item 7?", ["item 1A", "item 7"]),
        ("Articles 12-14 and sections 3-4(2)", [*(f"article {n}" for n in (12, 13, 14)), "section 3", "section 4 (2)"]),
        ("Article 12-14", ["article 12-14"]),
        ("Table 5-1 and tables 5-2 and 3-5", ["table 5-1", "table 5-2", "table 3-5"]),
        ("table 3 and figure 2", ["table 3", "figure 2"]),
        ("Tables 3 and 4", ["table 3", "table 4"]),
        ("section 5.8, § 4.2", ["section 5.8", "section 4.2"]),
        ("Risk 9 or recital (3)?", ["risk 9"]),
        ("fiscal 2024 against FY2023", ["year 2024", "year 2023"]),
        ("on 6 November 2025", ["year 2025"]),
        ("version 7.2, 7.4.3 and v3", ["edition 7.2", "edition 7.4.3", "edition v3"]),
        ("the manual's Edition 4", ["edition 4"]),
        ("12.5 million, 3.4 %, $7.20 and 2,025 crowns", []),
        ("What did the CEO say about margins?", ["speaker CEO"]),
        ("What did Lindqvist tell Benedek?", ["speaker Lindqvist"]),
        ("according to the chief financial officer", ["speaker CFO"]),
        ("Which part a role plays", []),
        ("What is the article about?", []),
        ("", []),
    ],
)
def test_english(question, expected):
    assert named(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("第九十三条规定了什么？", ["article 93"]),
        ("第93条和第１２条", ["article 93", "article 12"]),
        ("第九十三条第二款", ["article 93 (2)"]),
        ("第九条第（二）项", ["article 9"]),
        ("第九条第二项", ["article 9 ((2))"]),
        ("第5章的5.8节", ["chapter 5", "section 5.8"]),
        ("表 5-1 和图2", ["table 5-1", "figure 2"]),
        ("附录A", ["appendix A"]),
        ("2024 年末 V3.4.1，第 7 版", ["year 2024", "edition V3.4.1", "edition 7"]),
        ("EG-210从V3.2.5、EG-220S从V3.4升级", ["edition V3.2.5", "edition V3.4"]),
        ("7.5 万元", []),
        ("客服怎么说？", ["speaker 客服"]),
    ],
)
def test_chinese(question, expected):
    assert named(question, "zh") == expected


def test_a_chinese_place_is_no_place_of_an_english_question():
    assert find_places("第九十三条") == ()


@given(st.integers(1, 9999))
def test_a_chinese_number_is_read_back(number):
    assert read_number(written(number)) == str(number)


def written(number: int) -> str:
    """A number in Chinese, with 零 where places are skipped, and 十 alone for ten to nineteen."""
    digits, text, gap = "零一二三四五六七八九", "", False
    for sign, size in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
        digit = number // size % 10
        if digit:
            text += ("零" if gap and text else "") + digits[digit] + sign
        gap = not digit
    return text[1:] if text.startswith("一十") else text


@pytest.mark.parametrize("text", ["", "17", "1A", "IV", "3.2.1", "二〇二四"])
def test_other_numbers_are_left(text):
    assert read_number(text) == ("2024" if text == "二〇二四" else text)


@given(st.text(), st.sampled_from(["en", "zh"]))
def test_any_text_can_be_read(text, language):
    for place in find_places(text, language):
        assert text[place.span.start : place.span.end].strip()
        assert place.value


@given(st.sampled_from(NUMBERED), st.integers(1, 400))
def test_every_kind_is_found_in_any_sentence(kind, number):
    [place] = find_places(f"What does {kind} {number} say?")
    assert (place.kind, place.value) == (kind, str(number))


@pytest.mark.parametrize("piece", ["Article 1, ", "1.", "第一条", "did Ann ", "Articles 1 and ", "IV "])
def test_it_takes_linear_time(piece):
    find_places(piece * 20_000, "zh")
