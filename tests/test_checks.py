"""The one way to refuse: what each check takes, what it refuses, and what the message says."""

import doctest
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest

from hierrag_lessons import checks
from hierrag_lessons.model import Document, Span
from hierrag_lessons.text import count_tokens

KINDS = Literal["text", "markdown", "dialogue"]
NO_NUMBER = [None, True, False, np.True_, "1", b"1", [1], 1j, Decimal(1), object]
NOT_FINITE = [float("nan"), float("inf"), -float("inf"), np.float32("nan")]


def refusal(check, name, *arguments, **options) -> str:
    with pytest.raises(ValueError, match=rf"^{name} ") as error:
        check(name, *arguments, **options)
    return str(error.value)


def test_the_examples_are_true():
    result = doctest.testmod(checks)
    assert (result.failed, result.attempted >= 10) == (0, True)


@pytest.mark.parametrize("value", [1, 5, 2**63 - 1, np.int64(1), np.uint8(7)])
def test_whole_numbers_are_taken(value):
    checks.whole("k", value)
    checks.whole("k", value, 1)
    checks.number("k", value, above=0)


@pytest.mark.parametrize("value", [*NO_NUMBER, *NOT_FINITE, 1.0, 1.5, np.float64(2), Fraction(3, 1)])
def test_whole_takes_no_other_value(value):
    assert refusal(checks.whole, "k", value, 1).startswith("k is ")
    assert refusal(checks.whole, "k", value).endswith("; give a whole number")


@pytest.mark.parametrize("value", [0.5, 1, np.float64(0.5), np.int64(1), 0])
def test_numbers_are_taken(value):
    checks.number("alpha", value)
    checks.share("alpha", value)


@pytest.mark.parametrize("value", [Fraction(1, 3), np.float32(0.5), np.float16(0.5), np.longdouble(0.5)])
def test_numbers_of_other_types_are_refused_with_the_way_to_a_float(value):
    assert refusal(checks.number, "alpha", value).endswith("; give a finite number, as an int or a float: float(alpha)")
    checks.number("alpha", float(value))


@pytest.mark.parametrize("value", [2**63, 10**29, 10**400, -(10**29)])
def test_numbers_of_more_than_64_bits_are_refused(value):
    for check in (checks.whole, checks.number):
        assert "; give a number of at most 63 bits, -9223372036854775807 to 9223372036854775807" in refusal(
            check, "k", value
        )


@pytest.mark.parametrize("value", [np.array(1), np.array("a")])
def test_an_array_without_a_dimension_is_no_list(value):
    assert not checks.has_members(value)
    assert refusal(checks.each, "levels", value, object) == f"levels is {value!r}; give a list"


@pytest.mark.parametrize("value", [*NO_NUMBER, *NOT_FINITE])
def test_number_takes_no_other_value(value):
    assert refusal(checks.number, "alpha", value).endswith("; give a finite number")
    assert refusal(checks.share, "alpha", value).endswith("; give a finite number from 0 to 1")


@pytest.mark.parametrize(
    ("check", "value", "limits", "message"),
    [
        (checks.whole, 0, {"least": 1}, "x is 0; give 1 or more"),
        (checks.whole, 9, {"most": 8}, "x is 9; give at most 8"),
        (checks.whole, 9, {"least": 1, "most": 8}, "x is 9; give a number from 1 to 8"),
        (checks.whole, 0.5, {"least": 1, "most": 8}, "x is 0.5; give a whole number from 1 to 8"),
        (checks.whole, -1, {"least": 0, "none": "all"}, "x is -1; give 0 or more, or None for all"),
        (checks.whole, "all", {"none": "all"}, "x is 'all'; give a whole number, or None for all"),
        (checks.number, 0, {"above": 0}, "x is 0; give more than 0"),
        (checks.number, 2, {"above": 0, "most": 1}, "x is 2; give more than 0 and at most 1"),
        (checks.number, -0.1, {"least": 0}, "x is -0.1; give 0 or more"),
        (checks.number, "a", {"none": "no limit"}, "x is 'a'; give a finite number, or None for no limit"),
        (checks.share, -0.1, {}, "x is -0.1; give a number from 0 to 1"),
        (checks.share, 1.5, {"none": "no share"}, "x is 1.5; give a number from 0 to 1, or None for no share"),
    ],
)
def test_the_range_is_named(check, value, limits, message):
    assert refusal(check, "x", value, **limits) == message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("md", "kind is 'md'; give one of text, markdown, dialogue; did you mean 'markdown'?"),
        ("Markdown", "kind is 'Markdown'; give one of text, markdown, dialogue; did you mean 'markdown'?"),
        ("dialog", "kind is 'dialog'; give one of text, markdown, dialogue; did you mean 'dialogue'?"),
        ("pdf", "kind is 'pdf'; give one of text, markdown, dialogue"),
        ("", "kind is ''; give one of text, markdown, dialogue"),
        (None, "kind is None; give one of text, markdown, dialogue"),
        (["text"], "kind is ['text']; give one of text, markdown, dialogue"),
        (np.array(["text"]), "kind is array(['text'], dtype='<U4'); give one of text, markdown, dialogue"),
    ],
)
def test_one_of_names_what_is_allowed(value, message):
    assert refusal(checks.one_of, "kind", value, KINDS) == message


def test_one_of_takes_any_collection():
    checks.one_of("kind", "markdown", KINDS)
    checks.one_of("budget", 500, [500, 1000])
    checks.one_of("budget", None, [500, 1000], none="the only one")
    assert refusal(checks.one_of, "level", True, [0, 1]) == "level is True; give one of 0, 1"
    assert refusal(checks.one_of, "budget", 7, [8], none="all") == "budget is 7; give one of 8, or None for all"


@pytest.mark.parametrize("value", [["a", "b"], ("a", "b"), iter("ab"), {1: "a", 2: "b"}.values(), np.array(["a", "b"])])
def test_texts_come_back_as_a_list(value):
    assert checks.texts("queries", value) == ["a", "b"]


@pytest.mark.parametrize("value", ["dog", b"dog", None, 7, {"dog"}, frozenset({"dog"}), {"dog": 1}])
def test_texts_takes_no_other_value(value):
    assert refusal(checks.texts, "queries", value) == f"queries is {value!r}; give a list of texts"


def test_each_names_the_wrong_member():
    document = Document("d", "a")
    assert checks.each("documents", (document,), Document) == [document]
    assert refusal(checks.each, "documents", [document, "x"], Document) == (
        "documents holds 'x'; give a list of Document"
    )
    assert refusal(checks.texts, "queries", ["a", 3]) == "queries holds 3; give a list of texts"


def test_instance_and_text():
    checks.text("query", "")
    checks.instance("document", None, Document, none="all of them")
    assert refusal(checks.text, "query", None) == "query is None; give a text"
    assert refusal(checks.instance, "flag", 1, bool) == "flag is 1; give True or False"
    assert refusal(checks.instance, "document", "a", Document) == "document is 'a'; give a Document"
    assert refusal(checks.instance, "part", 1, Exception, none="all") == "part is 1; give an Exception, or None for all"


def test_able_asks_for_the_methods():
    class Cutter:
        part = 1

        def chunk(self): ...

    checks.able("chunker", Cutter(), "chunk")
    checks.able("chunker", None, "chunk", none="the usual one")
    assert refusal(checks.able, "chunker", Cutter, "chunk").endswith("give what the class makes: Cutter(...)")
    assert refusal(checks.able, "chunker", 3, "chunk") == "chunker is 3; give an object with the method chunk"
    assert "give an object with the method part and embed" in refusal(
        checks.able, "chunker", Cutter(), "part", "chunk", "embed"
    )


def test_measure():
    checks.measure("measure", count_tokens)
    assert "measure is 'tokens'; give a function" in refusal(checks.measure, "measure", "tokens")


@pytest.mark.parametrize("value", [None, "ab", (0, 1), slice(0, 1), Span(-1, 2), Span(2, 1), Span(0, 4), Span(0, 1.5)])
def test_span_takes_no_other_value(value):
    assert "give a Span of the text's 3 characters, 0 <= start <= end <= 3" in refusal(checks.span, "within", value, 3)


def test_span_takes_spans_of_the_text():
    for span in (Span(0, 3), Span(0, 0), Span(3, 3), Span(1, 2)):
        checks.span("within", span, 3)
    assert refusal(checks.span, "within", Span(2, 9), 3).startswith("within is 2-9;")


def test_a_long_value_is_shown_short():
    message = refusal(checks.whole, "k", "long " * 1000, 1)
    assert len(message) < 150
    assert message.startswith("k is 'long long")
    assert len(refusal(checks.texts, "queries", Document("d", "word " * 1000))) < 200
