"""Names of topics: the words that a topic uses and the others do not.

Lesson 10 builds it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from hierrag_lessons import checks
from hierrag_lessons.chunkers.text_tiling import stem
from hierrag_lessons.model import Language

WORDS_IN_A_NAME = 3

_WORD = re.compile(r"[^\W\d_][\w’'-]*[^\W_]")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9-]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
# Characters that are mostly grammar or counting: a run of Chinese is cut at them before words are looked for.
_GRAMMAR = re.compile(
    "[的了着过是在为对于从由向把被将以让给和与及或而且但若则即也都又再还就才很更最不没有无可能应须需要会使按照据请吗呢吧啊"
    "这那此该各每某个我你您他她它们所其之等至到时后前内外中上下一二三四五六七八九十百千万两几第]"
)
_LONGEST = 4  # Longer ones are mostly two words.


def topic_names(texts: Sequence[str], labels: Sequence[int], language: Language) -> dict[int, str]:
    """Name each topic by three words that are frequent in it and rare in the others.

    A word's weight is its number in the topic times ``log(1 + average / total)``, where ``total`` is its number in all
    topics and ``average`` the mean number of words in a topic: TF-IDF with a topic as the document, known as c-TF-IDF
    (Grootendorst, *BERTopic*, 2022). Chinese has no spaces, so what reads as a word is found by counting: two to four
    characters that come back, and in company that changes on both sides.

    Parameters
    ----------
    texts, labels:
        Sentences, and the number of the topic of each.
    language:
        The language of the texts.

    Returns
    -------
    The words of each topic, the heaviest first, as ``"meter, firmware, gateway"`` or ``"水表、固件"``; empty where a
    topic has no words.

    Raises
    ------
    ValueError
        For an unknown language, or where there is not one label for each text.
    """
    texts = checks.texts("texts", texts)
    checks.one_of("language", language, Language)
    if len(labels) != len(texts):
        raise ValueError(f"labels has {len(labels)} for {len(texts)} texts; give one for each")
    found = _chinese_words(texts) if language == "zh" else [_english_words(text) for text in texts]
    counts = {label: Counter[str]() for label in sorted(set(labels))}
    for words, label in zip(found, labels, strict=True):
        counts[label].update(words)
    totals = sum(counts.values(), Counter[str]())
    average = totals.total() / max(1, len(counts))
    names = {}
    for label, count in counts.items():
        weights = {word: round(n * math.log1p(average / totals[word]), 6) for word, n in count.items()}
        order = sorted(weights, key=lambda word: (-weights[word], -len(word), word))
        names[label] = ("、" if language == "zh" else ", ").join(_apart(order))
    return names


def _english_words(text: str) -> list[str]:
    """The words of a text in lower case, without stop words and the 's of a genitive."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    words = (re.sub(r"['’]s$", "", match.lower()) for match in _WORD.findall(text))
    return [word for word in words if len(word) > 2 and word not in ENGLISH_STOP_WORDS]


def _chinese_words(texts: Sequence[str]) -> list[list[str]]:
    """What reads as a word in each text; words in Latin letters, such as names of products, are among them."""
    runs = [[run for han in _HAN.findall(text) for run in _GRAMMAR.split(han) if run] for text in texts]
    known = _recurring([run for of_text in runs for run in of_text])
    return [
        [*(run[i:j] for run in of_text for i, j in _pieces(run) if run[i:j] in known), *_LATIN.findall(text)]
        for text, of_text in zip(texts, runs, strict=True)
    ]


def _recurring(runs: Sequence[str]) -> set[str]:
    """Pieces that occur at least twice, with at least two different neighbours on each side.

    The edge of a run is another neighbour every time: what stands there is parted by grammar or punctuation. Half a
    word, as 技术手 is of 技术手册, always has the same neighbour.
    """
    left: dict[str, set[str]] = {}
    right: dict[str, set[str]] = {}
    for number, run in enumerate(runs):
        for i, j in _pieces(run):
            left.setdefault(run[i:j], set()).add(run[i - 1] if i else f"edge {number}")
            right.setdefault(run[i:j], set()).add(run[j] if j < len(run) else f"edge {number}")
    return {piece for piece in left if len(left[piece]) > 1 and len(right[piece]) > 1}


def _pieces(run: str) -> Iterator[tuple[int, int]]:
    """Where the pieces of two to four characters of a run start and end."""
    for length in range(2, _LONGEST + 1):
        yield from ((start, start + length) for start in range(len(run) - length + 1))


def _apart(order: Sequence[str]) -> list[str]:
    """The first words of ``order`` that repeat none before them, as meters repeats meter and 水表箱 repeats 水表."""
    chosen: list[str] = []
    for word in order:
        if not any(word in other or other in word or stem(word) == stem(other) for other in chosen):
            chosen.append(word)
        if len(chosen) == WORDS_IN_A_NAME:
            break
    return chosen
