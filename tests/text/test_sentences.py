import os
import re
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.model import Span
from hierrag_lessons.reading import load_corpus
from hierrag_lessons.text import snap, split_clauses, split_sentences
from tests.texts import HOSTILE, texts

# One case a line; "|" marks the end of a sentence and is not part of the text.
ENGLISH = r"""
Dr. Smith paid $3.5 million.| It was fine!
He met Prof. A. B. Jones, e.g. in the U.S. Senate.| Then he left.
He lives in the U.S.| It is large.
Smith et al. propose this.| See Fig. 3, No. 7 and pp. 12 ff. of it.
Is it so?| No.| He left.
Did he?| No.| Then yes.
We sell fruit, nuts, etc.| They sell more.
Google, Inc. of California grew.| It grew at 10 a.m. (CDT) on Sept. 11.
Read https://example.org/a.b?c=d.| It helps.
Write to john.doe@example.com.| She answers.
Version 2.10.3 is out.| Edit config.yaml and main.py.| Done.
"Stop!" he cried.| "Go on."| She went.
“Is it true?” she asked nobody.
He said: “No.”| She said: “Yes.”
It works (see below.)| Next one.
It works (he said so. Really!) for most.| Next one.
(I hope so.| I do.)| Next one.
Well... perhaps not.| But why ... not?
She waited…| Then she left.
It was long. . .| And dull.
What?!| Really!!!| Yes.
Loved it. :)| Would buy again.
It was found.[12]| It was lost.[3][4]| It was found again.
**Note.**| Keep this.| _Really?_ Yes.
call me tomorrow.| they have not answered.
"""

CHINESE = """
他说：“今天下雨了。”|然后走了。|明天呢？|再说！
“真的吗？”他问。|她说：「不。」|完了。
“今天下雨了。”小明说道。|没人回答。
他问：“你是谁？”|我没有回答。
小李说：“走。”|小王说：“好。”
他反对：“谁想听？”。|没人想听。
《你好吗？》是一本书。|《再见！》也是。
小明（他昨天来过。）今天又来了。|（他走了。）|完。
价格是3.5万元，同比增长4.2％。|第1.2.3节见example.com/a。
他走了……|她也走了……
我……我不知道。|那份是……前天的。|苹果、梨……等水果。
真的？！|不会吧！！！|好。
使用Python 3.11。|Node.js也行。|Done.|好的。
我用Python.|然后是Go语言。
他说："今天下雨了。"|"是吗？"她问。
甲；乙；丙。|丁。
"""

MIXED_LINES = """
# Title\\n|Text goes on\\nover two lines of it.| End.
First paragraph\\n\\n|second paragraph
- one\\n|- two\\n|* three\\n|1. four\\n|2) five\\n|(a) six
Lead:\\n|1、甲\\n|2、乙\\n|（一）丙\\n|第三条 丁
| a | b |\\n¦| 1 | 2 |
So step 7...\\n|Anna Lee, Head of Sales (EMEA): Good morning\\n|Operator: Thank you.| Next.
客服：您好\\n|客户：你好，我的订单没到\\n|客服：稍等
A short title\\n|This is the first line of a paragraph that was wrapped at some width by
The quick brown fox jumps over the lazy dog and then\\nGoes on with a capital because the line was full here.
第一行写得很长很长很长很长很长很长很长很长很长很长\\n接着写完这一句。|第二句。
~~~\\n|x = 1\\n|~~~
one,\\nTwo and three\\r\\n\\r\\n|four
2.1 Scope\\n|This is the scope of the whole document.\\n|2.2 Terms\\n|They are defined in the section below.
## 1. First things\\n|**2. Second things.**| Text.
第二章：总则\\n|二线工程师: 请稍等——\\n|客户: 好
Alice Smith\\n|Bob Jones\\n|Carol Dunn
你好\\n|我的订单没到\\n|怎么办
> Quote of one\\n> sentence.\\n|>\\n|> Another one.
甲在这里。|**乙在这里。**|丙在这里。|**丁。**
"""


def cases(table: str, mark: str = "|") -> list[str]:
    return [line.replace("\\n", "\n").replace("\\r", "\r") for line in table.strip().splitlines()]


def marked(text: str, spans: list[Span]) -> str:
    """``text`` with a bar behind each sentence but the last one."""
    parts, start = [], 0
    for span in spans[:-1]:
        parts.append(text[start : span.end])
        start = span.end
    return "|".join([*parts, text[start:]])


@pytest.mark.parametrize("case", [*cases(ENGLISH), *cases(CHINESE)])
def test_where_sentences_end(case: str) -> None:
    text = case.replace("|", "")
    assert marked(text, split_sentences(text)) == case.rstrip("|")


@pytest.mark.parametrize("case", cases(MIXED_LINES))
def test_where_lines_end_sentences(case: str) -> None:
    if "¦" in case:  # A table row; its own bars stay.
        first, second = case.split("¦")
        text = first + second
        assert [text[s:e] for s, e in split_sentences(text)] == [first.strip(), second]
        return
    pieces = [piece.strip() for piece in case.split("|")]
    text = case.replace("|", "")
    assert [text[s:e] for s, e in split_sentences(text)] == pieces


def check(text: str, spans: list[Span], within: Span | None = None) -> None:
    whole = within or Span(0, len(text))
    covered = bytearray(len(text))
    for start, end in spans:
        assert whole.start <= start < end <= whole.end
        for edge in (start, end):
            assert edge in whole or snap(text, edge) == edge
        covered[start:end] = b"\x01" * (end - start)
        assert not text[end - 1].isspace()
        assert not text[start].isspace() or snap(text, start + 1, start) == start
    for previous, span in pairwise(spans):
        assert previous.end <= span.start
    assert all(covered[i] or text[i].isspace() for i in range(*whole))


@given(text=texts)
def test_spans_of_any_text(text: str) -> None:
    check(text, split_sentences(text))
    check(text, split_clauses(text, Span(0, len(text))))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_spans_of_hostile_text(text: str) -> None:
    check(text, split_sentences(text))
    check(text, split_clauses(text, Span(0, len(text))))


@given(text=texts, data=st.data())
def test_a_part_is_read_as_if_it_stood_alone(text: str, data) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=2)))
    within = Span(snap(text, cuts[0]), snap(text, cuts[1]))
    inside = text[within.start : within.end]
    for split in (split_sentences, split_clauses):
        spans = split(text, within)
        check(text, spans, within)
        alone = split(inside, Span(0, len(inside)))
        assert [(s - within.start, e - within.start) for s, e in spans] == alone


@pytest.mark.parametrize("language", ["en", "zh"])
def test_spans_of_the_corpora(language) -> None:
    for document in load_corpus(language):
        sentences = split_sentences(document.text)
        check(document.text, sentences)
        for sentence in sentences[::20]:
            check(document.text, split_clauses(document.text, sentence), sentence)


def test_blank_text_has_no_sentence() -> None:
    for text in ("", " ", "\n\n\t\u3000", "\r\n"):
        assert split_sentences(text) == []
        assert split_clauses(text, Span(0, len(text))) == []


def test_clauses() -> None:
    text = "When it rains, “it pours”; so they say: 1,000 times. 他说，“好，”然后走了；完。"
    clauses = [
        "When it rains,",
        "“it pours”;",
        "so they say:",
        "1,000 times.",
        "他说，",
        "“好，”",
        "然后走了；",
        "完。",
    ]
    assert [text[s:e] for s, e in split_clauses(text, Span(0, len(text)))] == clauses


HARD = {
    "no stop": "a" * 60_000,
    "spaces": " " * 60_000,
    "line breaks": "\n" * 60_000,
    "short lines": "a\n" * 60_000,
    "stops": "." * 60_000,
    "spaced stops": ". " * 60_000,
    "open brackets": "(" * 60_000,
    "brackets of sentences": "x(a。)" * 25_000,
    "one bracket never closed": "x（" + "a。）" * 40_000,
    "quotes": '"a." ' * 25_000,
    "quotes after stops": '。"，' * 40_000,
    "capitals": "ABC" * 40_000,
    "words in capitals": "Abc " * 40_000,
    "accents": "a." + "\u0301" * 60_000,
    "commas": "," * 60_000,
    "a long line above short ones": "b" * 300_000 + "\nC c" * 25_000,
    "spaces before brackets": " " * 60_000 + "x" + "(a)" * 25_000,
}


@pytest.mark.parametrize("text", HARD.values(), ids=HARD)
def test_linear_time(text: str) -> None:
    started = time.process_time()
    split_sentences(text)
    split_clauses(text, Span(0, len(text)))
    assert time.process_time() - started < 5  # Under a second; quadratic rules would need minutes.


def naive(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"(?<=[.!?])\s+", text)] + [len(text)]


@pytest.mark.skipif("HIERRAG_BENCH" not in os.environ, reason="HIERRAG_BENCH does not name the public data sets")
@pytest.mark.parametrize(("language", "least"), [("en", 0.92), ("zh", 0.99)])
def test_boundaries_of_the_treebanks(language: str, least: float) -> None:
    from benchmarks.sentences import boundary_f1, treebank

    texts = treebank(Path(os.environ["HIERRAG_BENCH"]), language)
    ours = boundary_f1(texts, lambda text: [span.end for span in split_sentences(text)])
    assert ours["f1"] >= least
    assert ours["f1"] > boundary_f1(texts, naive)["f1"]


@pytest.mark.parametrize("within", [Span(0, 99), Span(99, 99), Span(-1, 3), Span(5, 2)])
@pytest.mark.parametrize("split", [split_sentences, split_clauses])
def test_a_part_outside_the_text_is_refused(split, within):
    with pytest.raises(
        ValueError, match=rf"within is {within.start}-{within.end}; give a Span of the text's 8 characters"
    ):
        split("One two.", within)
