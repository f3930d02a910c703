"""Invisible characters are named; what one sees stays."""

import pytest

from hierrag_lessons.text.invisible import visible


@pytest.mark.parametrize(
    "text", ["👨‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "👩🏽‍🚀", "❤️", "1️⃣", "a\u00a0b\u3000c", "tab\tline\nline", "中文", "نص"]
)
def test_what_can_be_seen_stays_as_it_is(text):
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a<U+202E>b"),
        ("a\u200db", "a<U+200D>b"),
        ("3\ufe0f.5", "3<U+FE0F>.5"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f<U+FE0F>"),
        ("\x1b[2J", "<U+001B>[2J"),
        ("\x00\r\n", "<U+0000><U+000D>\n"),
        ("\ud800", "<U+D800>"),
        ("\U000e0041", "<U+E0041>"),
    ],
)
def test_what_can_not_be_seen_is_named(text, shown):
    assert visible(text) == shown
