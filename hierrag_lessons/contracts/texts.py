"""Texts that break things, and ordinary ones of every kind, for anything that reads texts.

Lesson 01 uses it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

from hierrag_lessons.model import JSON, Document, Kind, Language
from hierrag_lessons.text import Measure

HOSTILE = {
    "special token": "before <|endoftext|> after <|endoftext|>",
    "lone surrogate": "a\ud800b \udc00 c\ud83d",
    "surrogate pair as two": "x\ud83d\ude00y " * 5,
    "no-break space": "one\u00a0two\u202fthree\u3000four",
    "zero-width joiners": "family 👨‍👩‍👧‍👦 flag 🏳️‍🌈 skin 👍🏽 " * 4,
    "flags": "🇩🇪🇫🇷🇨🇳🇺🇸" * 10,
    "combining": "e\u0301a\u0308 " + "z" + "\u0335" * 40,
    "hangul": "각각 \u1100\u1161\u11a8\u1100\u1161 한국어 텍스트",
    "indic": "क्षत्रिय नमस्ते स्त्री",
    "thai": "ภาษาไทยไม่มีช่องว่างระหว่างคำ",
    "crlf": "line one\r\nline two\r\n\r\nline three\r\r\n\n",
    "nul and controls": "a\x00b\x07c\x1b[0m\x85d\u2028e\u2029f",
    "bidi": "abc \u202etxt\u202c def \u200f",
    "byte order mark": "\ufeffstart \ufeff middle",
    "chinese": "他说：“今天下雨了。”然后走了。价格是3.5万元，同比增长4.2％；这是第１２３条……对吗？！",
    "digits": "1234567890" * 8 + " 12 345 6789",
    "code": "def f(x):\n\treturn x  # don't\n\n\n```\nx = 1\n```\n",
    "no spaces": "a" * 300 + "中" * 300,
    "spaces": " " * 300 + "x",
    "blank": " \n\t\u3000 ",
    "empty": "",
}
"""Each names what is hard about it."""

PIECES = [
    *(piece for text in HOSTILE.values() for piece in text.split(" ")),
    *(" ", "  ", "\n", "\n\n", "\r\n", "\f", ". ", "。", "，", "# Title\n", "- item\n", "don't", "word", "中文"),
]
"""What real documents and hostile ones are put together from."""

_ENGLISH = """The lease of the north hall ends on 31 May 2027. It may be renewed once, for three years, if asked for in
writing before the end of March; the rent is then reviewed. Dr. Okafor paid $3.5 million for it in 2019, i.e. before
the fire. "Nobody expected that," she said.

Since then the hall has stood empty. Its roof leaks, its pumps are old, and the insurer wants both replaced. Is it worth
the money? The board thinks so: a new hall of this size would cost four times as much, and take five years to build.

"""
_CHINESE = """北厅的租约到2027年5月31日为止。承租人如在三月底以前书面提出，可以续租一次，为期三年；租金届时重新核定。
她说：“没有人想到会这样。”然后走了。

从那以后大厅一直空着：屋顶漏水，水泵老化，保险公司要求两样都换。值得吗？董事会认为值得，新建同样的大厅要贵三倍，工期五年。

"""
_MARKDOWN = """# Halls

The halls of the company, with what they cost. **Bold** and *cursive* words, a [link](https://example.com), `code`.

## North hall

| Year | Rent | Repairs |
|------|-----:|--------:|
| 2023 | 120,000 | 4,500 |
| 2024 | 126,000 | 61,200 |
| 2025 | 131,500 | 8,050 |

The rent follows a formula:

$$
r_{t+1} = r_t (1 + 0.8 \\, i_t)
$$

### Renewal

1. The tenant asks in writing.
2. The rent is reviewed:
   - by an expert,
   - within six weeks.

```python
def rent(years, rate=0.05):
    # Not a heading.
    return 120_000 * (1 + rate) ** years
```

> Nobody expected that.

"""
_CHINESE_MARKDOWN = """# 总则

## 第一章　租约

**第一条**　租约到期前三个月，承租人应当书面提出续租。逾期未提出的，视为放弃。

| 年度 | 租金 | 维修 |
|---|---:|---:|
| 2023 | 120000 | 4500 |
| 2024 | 126000 | 61200 |

```sh
make rent  # 不是标题
```

"""
_TURNS = [
    ("Ann Lee, CEO", "Good morning. Shall we start with the north hall?"),
    ("Bo", "Yes. The roof leaks again, and the insurer wants to see a plan before June."),
    ("Ann Lee, CEO", "What would it cost?"),
    ("Bo", "Four hundred thousand for the roof, a little less for the pumps. " * 6),
    ("客户", "那么什么时候可以动工？我们已经等了两年。"),
    ("Bo", "In autumn."),
]


def dialogue(doc_id: str, turns: Iterable[Sequence[str]], language: Language = "en") -> Document:
    """A dialogue of ``(speaker, words)``, laid out as ``read_dialogue`` lays one out."""
    text, entries = "", list[JSON]()
    for speaker, words in turns:
        start, spoken = len(text), len(text) + len(speaker) + 2
        text += f"{speaker}: {words}\n"
        entries.append({"start": start, "end": len(text) - 1, "text_start": spoken, "speaker": speaker, "time": None})
    return Document(doc_id, text, "dialogue", language, {"turns": entries})


def sample_documents(max_size: int, measure: Measure) -> list[Document]:
    """Documents of every kind in both languages, ordinary and hostile; of most also a long one.

    A long one measures more than ``3 * max_size``, so that it cannot be left in one piece.
    """
    long = 3 * max_size + 1
    documents = [Document(f"{name} as {kind}", text, kind) for name, text in HOSTILE.items() for kind in _KINDS]
    documents += [
        dialogue(f"turns of {name}", [(name, text), ("Bo", text), (name, "")]) for name, text in HOSTILE.items()
    ]
    documents += [
        Document(f"{name}, again and again", _repeat(text, long, measure))
        for name, text in HOSTILE.items()
        if text.strip() and measure(text) < long
    ]
    mixed = random.Random("mixed texts")
    documents += [Document(f"mixed text {i}", _mix(mixed, long, measure), _KINDS[i % 3]) for i in range(12)]
    for name, text, kind, language in _ORDINARY:
        documents.append(Document(name, text, kind, language))
        documents.append(Document(f"long {name}", _repeat(text, long, measure), kind, language))
    documents.append(Document("pages", _repeat(_ENGLISH + "\f", long, measure)))
    documents.append(
        Document("long code", f"Before.\n\n```\n{_repeat('x = 1' + chr(10), long, measure)}```\n\nAfter.\n", "markdown")
    )
    documents.append(dialogue("dialogue", _TURNS))
    times = _repeats("".join(f"{speaker}: {words}\n" for speaker, words in _TURNS), long, measure)
    documents.append(dialogue("long dialogue", _TURNS * times))
    return documents


_LONGEST = 200_000
"""Code points of the longest text, where the measure counts something that is rare in it."""

_KINDS: tuple[Kind, ...] = ("text", "markdown", "dialogue")
_ORDINARY: tuple[tuple[str, str, Kind, Language], ...] = (
    ("english", _ENGLISH, "text", "en"),
    ("chinese", _CHINESE, "text", "zh"),
    ("markdown", _MARKDOWN, "markdown", "en"),
    ("chinese markdown", _CHINESE_MARKDOWN, "markdown", "zh"),
    ("minutes without turns", "Minutes\nAnn: Shall we start?\nBo: Yes. The roof leaks.\n", "dialogue", "en"),
)


def _repeats(text: str, size: int, measure: Measure) -> int:
    return min(size // max(1, measure(text)) + 2, _LONGEST // len(text))


def _repeat(text: str, size: int, measure: Measure) -> str:
    """The text as often as it takes to measure more than ``size``."""
    return text * _repeats(text, size, measure)


def _mix(chance: random.Random, size: int, measure: Measure) -> str:
    """Pieces in any order, until they measure more than ``size``."""
    text = ""
    while measure(text) <= size and len(text) < _LONGEST:
        text += "".join(_some(chance, 40 + len(text) // 16))
    return text


def _some(chance: random.Random, count: int) -> Iterator[str]:
    for _ in range(count):
        yield PIECES[chance.randrange(len(PIECES))]
