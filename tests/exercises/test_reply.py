"""A reply as HTML."""

from hierrag_lessons.exercises import Part, Reply
from hierrag_lessons.exercises.assessing import assess
from tests.example_exercise import EXAMPLE
from tests.exercises.reading import text


def test_html_is_escaped():
    html = assess(EXAMPLE, lambda spans: "<script>alert(1)</script>")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_backticks_in_prose_are_code_in_html():
    reply = Reply("hint", "98.1 A", (Part("1 of 2", "Take `a < b`, not `a`.", is_prose=True),), "Run `hint()` again.")
    html = reply._repr_html_()
    assert "Take <code>a &lt; b</code>, not <code>a</code>." in html
    assert "Run <code>hint()</code> again." in html
    assert "`" not in html
    assert "Take `a < b`, not `a`." in text(reply)


def test_backticks_in_values_stay():
    html = Reply("incorrect", "98.1 A", (Part("you returned", "'`a`'"),))._repr_html_()
    assert "&#x27;`a`&#x27;" in html
    assert "<code>" not in html


def test_the_footer_of_a_check_has_code():
    assert "<code>hint(&quot;98.1&quot;)</code>" in assess(EXAMPLE, None)._repr_html_()
