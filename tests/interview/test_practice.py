import pytest

from hierrag_lessons.interview import Card, drill, read_attempts
from tests.interview.asked import ask, case, deck, review


def test_a_card_is_drawn_answered_and_marked(tmp_path):
    file = tmp_path / "interview.json"
    card = drill(rule="due", items=deck(), day=9, path=file)
    own = card.item.id
    assert repr(card) == f"{own} · {card.item.level} · {card.item.topic}\n\nWhy {own}?"
    assert repr(card.answer()).startswith("A good answer\n1. same tokens (counts twice)")
    assert card.grade([1, 0, 0]).share == 0.5
    assert [(a.item_id, a.day, a.share) for a in read_attempts(file)] == [(own, 9, 0.5)]
    assert drill(rule="due", items=deck(), day=9, path=file).item.id != own
    assert drill(rule="due", items=deck(), day=10, path=file).item.id == own, "it was not known, so it is due again"


def test_the_cards_come_in_the_order_of_the_rehearsal_and_not_topic_by_topic(tmp_path):
    file, topics = tmp_path / "interview.json", []
    for _ in range(6):
        card = drill(rule="in turn", items=deck(), day=9, path=file)
        card.grade([1, 1, 1])
        topics.append(card.item.topic)
    assert len(set(topics)) >= 3


def test_an_answer_is_folded_in_a_notebook_and_its_text_is_no_html():
    shown = Card(ask(answer="a <b> & c"), 1).answer()._repr_html_()
    assert shown.startswith("<details><summary>")
    assert "a &lt;b&gt; &amp; c" in shown


def test_long_lines_are_broken_between_words_and_code_is_not():
    long = "word " * 40
    shown = repr(Card(review(code=f"if n:\n    n = '{long}'"), 1))
    assert f"    n = '{long}'" in shown
    assert max(map(len, repr(Card(ask(answer=long), 1).answer()).split("\n"))) <= 100


def test_topic_and_level_narrow_the_draw(tmp_path):
    card = drill("topic 2", "staff", items=deck(), day=1, path=tmp_path / "none.json")
    assert (card.item.topic, card.item.level) == ("topic 2", "staff")


def test_cases_and_reviews_can_be_drawn(tmp_path):
    items = [case(), review()]
    assert drill(rule="due", items=items, day=1, path=tmp_path / "none.json").item.id in ("c", "r")
    assert "It is 1." in Card(items[1], 1).answer()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"topic": "topik 2"}, "topic is 'topik 2'; give one of .* did you mean 'topic 2'"),
        ({"level": "boss"}, "level is 'boss'"),
        ({"rule": "luck"}, "rule is 'luck'"),
        ({"items": [ask("q", "junior")], "level": "staff"}, r"level is 'staff'; none of these"),
        ({"items": [1]}, "items is 1|items"),
        ({"day": -1}, "day is -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path, given, said):
    with pytest.raises(ValueError, match=said):
        drill(**{"items": deck(), "day": 1, "path": tmp_path / "none.json", **given})
