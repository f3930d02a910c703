import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.text import entities


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("Meters fail. They do.", []),
        ("We met Raman and Dana Lindqvist.", ["raman", "dana lindqvist"]),
        ("The Bank of Halvane said so.", ["bank of halvane"]),
        ("When Velmora sold it, Arden bought.", ["velmora", "arden"]),
        ("It costs $1,200 or 3.5 million, 12% of it within 10 days.", ["$1,200", "3.5 million", "12%", "10 days"]),
        ("Use the Sentry-5 and the mr-7 with firmware 7.4b.", ["sentry-5", "mr-7", "7.4b"]),
        ("Send 5 kWh to EG-210.", ["5 kwh", "eg-210"]),
        ("# Results\n\nGoodwill fell.", []),
        ("Ministry of the Interior", ["ministry of the interior"]),
        ("THE END", ["end"]),
    ],
)
def test_english(text, found):
    assert entities(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("按《差旅管理办法》第十二条报销 300 元。", ["差旅管理办法", "第十二条", "300 元"]),
        ("“直属上级”在 3 个工作日内审批", ["直属上级", "3 个工作日"]),
        ("EG-210S 支持 Modbus", ["eg-210s"]),
        ("《》", []),
    ],
)
def test_chinese(text, found):
    assert entities(text, "zh") == found


@given(st.text(), st.sampled_from(["en", "zh"]))
def test_every_name_stands_in_the_text(text, language):
    said = " ".join(text.lower().split())
    assert all(name in said for name in entities(text, language))
