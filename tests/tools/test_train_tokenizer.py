"""The trainer of the course's vocabulary, and the vocabulary that it made."""

import base64
import json
import sys
import time
from collections import Counter
from itertools import pairwise

import pytest
import regex
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from hierrag_lessons.model import Document
from hierrag_lessons.reading import load_corpus, python_reference_checksum, read_python_reference
from hierrag_lessons.text import PATTERN, get_encoding
from hierrag_lessons.text.tokens import VOCABULARY_FILE
from tools import train_tokenizer
from tools.bpe import count_pre_tokens, train
from tools.train_tokenizer import COMMON_CHARACTERS, N_ENTRIES, SOURCES_FILE

HOSTILE = {
    "emoji joined by ZWJ": "👩‍👩‍👧‍👦 and 🏳️‍🌈🇨🇳",
    "combining marks": "e\u0301\u0323\u0301 नमस्ते ก็ " + "a" + "\u0301" * 40,
    "Chinese": "他说：“今天下雨了。”第3.5节，共１２３４页　完",
    "NUL and controls": "\0a\0\0 b\x1c\x1d\x85\x7f",
    "line ends": "a\r\nb\rc\n\n\r\n \r\n\u2028d\u2029e\v\f",
    "odd spaces": "\u00a0a\u3000 b\u200b \ufeffc  d   ",
    "special token": "<|endoftext|>",
    "apostrophes": "don't WE'LL 's 'S 'Ve ''s '' x'l!",
    "numbers": "1234567 ½²³ ٣٤٥ 3,141.59 a1b22",
    "code points at the edges": "\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff",
    "right to left": "שָׁלוֹם مرحبا\u202e",
}

# Text of every kind that the pattern treats apart. A character that Unicode gave a class only lately is left out:
# regex and tiktoken's engine may know different versions of Unicode.
text_strategy = st.text(
    st.sampled_from("ab Z'st \n\r\t é9²٣!,。中文的\u0301\u3000\u00a0\u2028\x1c\0👩\u200d🏽")
    | st.characters(max_codepoint=0x24F),
    max_size=30,
)


def make_encoding(tokens: list[bytes], pattern: str = PATTERN) -> tiktoken.Encoding:
    ranks = {token: rank for rank, token in enumerate(tokens)}
    return tiktoken.Encoding("test", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def naive_merge(pieces: list[bytes], left: bytes, right: bytes) -> list[bytes]:
    for i in range(len(pieces) - 1):
        if pieces[i] == left and pieces[i + 1] == right:
            return [*pieces[:i], left + right, *naive_merge(pieces[i + 2 :], left, right)]
    return pieces


def naive_train(pre_tokens: dict[bytes, int], n_entries: int) -> list[bytes]:
    """Recount every pair before every merge."""
    tokens = [bytes([byte]) for byte in range(256)]
    words = {word: [bytes([byte]) for byte in word] for word in pre_tokens}
    while len(tokens) < n_entries:
        counts: Counter[tuple[bytes, bytes]] = Counter()
        for word, pieces in words.items():
            for pair in pairwise(pieces):
                counts[pair] += pre_tokens[word]
        if not counts:
            break
        left, right = min(counts, key=lambda pair: (-counts[pair], tokens.index(pair[0]), tokens.index(pair[1])))
        tokens.append(left + right)
        words = {word: naive_merge(pieces, left, right) for word, pieces in words.items()}
    return tokens


def naive_encode(piece: bytes, ranks: dict[bytes, int]) -> list[int]:
    """Merge the leftmost of the pairs with the lowest rank until no pair is an entry."""
    parts = [bytes([byte]) for byte in piece]
    while pairs := [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]:
        _, i = min(pairs)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return [ranks[part] for part in parts]


def naive_encode_text(text: str, ranks: dict[bytes, int]) -> list[int]:
    return [token for piece in regex.findall(PATTERN, text) for token in naive_encode(piece.encode(), ranks)]


def pieces_of_tiktoken(text: str) -> list[str]:
    """The pieces that tiktoken cuts: a piece that is an entry itself becomes one token, so make every substring one."""
    substrings = {text[i:j].encode() for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    tokens = [bytes([byte]) for byte in range(256)]
    encoding = make_encoding(tokens + sorted(substrings.difference(tokens)))
    return [encoding.decode([token]) for token in encoding.encode_ordinary(text)]


@pytest.fixture(scope="module")
def course() -> tiktoken.Encoding:
    return get_encoding("hierrag_16k")


@pytest.fixture(scope="module")
def entries() -> list[bytes]:
    lines = [line.split(b" ") for line in VOCABULARY_FILE.read_bytes().splitlines()]
    assert [int(rank) for _, rank in lines] == list(range(N_ENTRIES))
    return [base64.b64decode(token) for token, _ in lines]


@pytest.fixture(scope="module")
def ranks(entries) -> dict[bytes, int]:
    return {token: rank for rank, token in enumerate(entries)}


# --- Training -------------------------------------------------------------------------------------------------------


def test_worked_example():
    # The example of Sennrich et al. (2016): the first merges are e-s and es-t.
    tokens, counts = train({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}, 262)
    assert tokens[256:] == [b"es", b"est", b"lo", b"low", b"ew", b"new"]
    assert counts == [9, 9, 7, 7, 6, 6]


def test_ties_go_to_the_lowest_ranks():
    assert train({b"zy": 3, b"ab": 3, b"ac": 3}, 258)[0][256:] == [b"ab", b"ac"]


@pytest.mark.parametrize(
    ("letters", "second"), [(b"aaa", b"aaa"), (b"aaaa", b"aaaa"), (b"aaab", b"ab"), (b"baaa", b"baa")]
)
def test_runs_are_merged_from_the_left(letters, second):
    # In aa|a|b and b|aa|a two pairs occur once each; the one whose left token has the lower rank is merged.
    assert train({letters: 1}, 258)[0][256:] == [b"aa", second]


@given(st.dictionaries(st.text("abc中", min_size=1, max_size=9).map(str.encode), st.integers(1, 4), max_size=12))
@example({b"aaaa": 1, b"aaa": 2, b"baab": 1})
def test_agrees_with_the_naive_trainer(pre_tokens):
    expected = naive_train(pre_tokens, 300)
    tokens, counts = train(pre_tokens, len(expected))
    assert tokens == expected
    assert len(set(tokens)) == len(tokens)
    assert counts == sorted(counts, reverse=True)
    assert all(count >= 1 for count in counts)


@given(st.lists(text_strategy, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_the_texts_does_not_matter(texts, random):
    shuffled = random.sample(texts, len(texts))
    n_entries = len(naive_train(count_pre_tokens(texts, PATTERN), 290))
    assert train(count_pre_tokens(texts, PATTERN), n_entries) == train(count_pre_tokens(shuffled, PATTERN), n_entries)


def test_training_twice_gives_the_same_bytes():
    documents = [
        Document("a", "Small chunks find, large chunks answer. 小块检索，大块回答。\n" * 3),
        Document("b", "large"),
    ]
    first, second = (train_tokenizer.file_bytes(train_tokenizer.learn(documents, 2000)[0]) for _ in range(2))
    assert first == second
    assert first.splitlines()[0] == b"AA== 0"
    assert len(first.splitlines()) == 2000


def test_impossible_sizes_are_refused():
    with pytest.raises(ValueError, match="n_entries is 255"):
        train({b"ab": 1}, 255)
    with pytest.raises(ValueError, match="only 257 tokens, not n_entries = 258"):
        train({b"ab": 1}, 258)
    assert len(train({}, 256)[0]) == 256


def test_common_characters_are_level_1_of_gb_2312():
    assert len(COMMON_CHARACTERS) == len(set(COMMON_CHARACTERS)) == 3755
    assert COMMON_CHARACTERS[0] == "啊"
    assert COMMON_CHARACTERS[-1] == "座"
    assert all(regex.fullmatch(r"\p{Han}", character) for character in COMMON_CHARACTERS)


# --- The pattern ----------------------------------------------------------------------------------------------------


@given(text_strategy)
@example("don't WE'LL 's 'S 'Ve x'l!")
@example("a  b\r\n\r\n  c\u3000 d\x1c !")
@example("12345 ²1 e\u0301\u0301 \u0301a !\u0301")
def test_regex_and_tiktoken_cut_the_same_pieces(text):
    assert regex.findall(PATTERN, text) == pieces_of_tiktoken(text)
    assert "".join(regex.findall(PATTERN, text)) == text


@given(text_strategy)
def test_no_piece_reaches_from_a_character_to_a_space_behind_it(text):
    assert not any(regex.search(r"\S\s", piece) for piece in regex.findall(PATTERN, text))


# --- The committed vocabulary ---------------------------------------------------------------------------------------


def test_every_byte_is_an_entry_and_every_other_entry_splits_into_two_before_it(entries, ranks):
    assert sorted(entries[:256]) == [bytes([byte]) for byte in range(256)]
    assert len(ranks) == N_ENTRIES == 16_384
    for rank, token in enumerate(entries[256:], start=256):
        halves = ((ranks.get(token[:cut]), ranks.get(token[cut:])) for cut in range(1, len(token)))
        assert any(a is not None and b is not None and max(a, b) < rank for a, b in halves), token


def test_every_entry_is_what_its_bytes_are_encoded_as(entries, ranks):
    assert [naive_encode(token, ranks) for token in entries] == [[rank] for rank in range(N_ENTRIES)]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_round_trips(course, ranks, text):
    ids = course.encode_ordinary(text)
    assert course.decode(ids) == text
    assert ids == naive_encode_text(text, ranks)


@given(text=text_strategy)
def test_tiktoken_encodes_as_the_naive_encoder_does(course, ranks, text):
    assert course.encode_ordinary(text) == naive_encode_text(text, ranks)


@pytest.mark.parametrize(
    "unit", [" ", "\n", "\r\n", "\u3000", "a", "7", "²", "!", "'", "中", "中文检索", "\u0301", "👩\u200d", "'s", "\0"]
)
def test_long_runs_of_one_class_are_encoded_in_bounded_time(course, unit):
    text = unit * (1_000_000 // len(unit.encode())) + "x"
    started = time.process_time()
    ids = course.encode_ordinary(text)
    assert time.process_time() - started < 10
    assert course.decode(ids) == text


def test_two_megabytes_without_a_space_are_encoded_in_bounded_time(course):
    text = "".join(chr(0x4E00 + i * 7919 % 20_000) for i in range(700_000))
    started = time.process_time()
    ids = course.encode_ordinary(text)
    assert time.process_time() - started < 10
    assert course.decode(ids) == text


def test_pieces_of_the_course_texts_are_the_ones_tiktoken_cuts(course):
    for document in [*load_corpus("en"), *load_corpus("zh"), *read_python_reference()]:
        pieces = regex.findall(PATTERN, document.text)
        ids_of = {piece: course.encode_ordinary(piece) for piece in set(pieces)}
        assert course.encode_ordinary(document.text) == [i for piece in pieces for i in ids_of[piece]], document.doc_id


def test_the_committed_file_is_what_the_trainer_writes():
    recorded = json.loads(SOURCES_FILE.read_text(encoding="utf-8"))
    if recorded["python_reference"] != python_reference_checksum():
        pytest.skip(
            f"the vocabulary was learned from the language reference of Python {recorded['python']}, "
            f"and that of this Python ({sys.version.split()[0]}) reads differently"
        )
    documents = train_tokenizer.course_documents()
    changed = sorted(
        doc_id
        for doc_id, _ in set(recorded["documents"].items())
        ^ set(train_tokenizer.sources(documents)["documents"].items())
    )
    assert not changed, f"changed since training: {changed}; run `python -m tools.train_tokenizer`"
    tokens, _ = train_tokenizer.learn(documents)
    assert train_tokenizer.file_bytes(tokens) == VOCABULARY_FILE.read_bytes()


# --- The command ----------------------------------------------------------------------------------------------------


def test_command_writes_vocabulary_and_sources(tmp_path, monkeypatch, capsys):
    documents = [Document("en/a", "one two three " * 9), Document("python/x", "one two")]
    monkeypatch.setattr(train_tokenizer, "course_documents", lambda: documents)
    monkeypatch.setattr(train_tokenizer, "VOCABULARY_FILE", tmp_path / "new" / "v.tiktoken")
    monkeypatch.setattr(train_tokenizer, "SOURCES_FILE", tmp_path / "new" / "s.json")
    monkeypatch.setattr(train_tokenizer, "learn", lambda documents: train({b"aaab": 2, b"xy": 1}, 259))
    train_tokenizer.main([])
    assert (tmp_path / "new" / "v.tiktoken").read_bytes().splitlines()[256:] == [
        b"YWE= 256",
        b"YWI= 257",
        b"YWFhYg== 258",
    ]
    assert list(json.loads((tmp_path / "new" / "s.json").read_text(encoding="utf-8"))["documents"]) == ["en/a"]
    assert "259 entries from 2 documents" in capsys.readouterr().out


def test_compare_counts_tokens_by_language(course):
    documents = [Document("a", "hello hello"), Document("b", "你好", language="zh")]
    table = train_tokenizer.compare(documents, [make_encoding([bytes([byte]) for byte in range(256)])])
    rows = [line.split() for line in table.splitlines()[1:]]
    assert rows == [["test", "en", "11", "11", "1.00", "1.000"], ["test", "zh", "2", "6", "1.00", "3.000"]]


def test_compare_says_where_cl100k_is_not_there(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(train_tokenizer, "course_documents", lambda: [Document("a", "hello")])
    train_tokenizer.main(["--compare"])
    printed = capsys.readouterr().out
    assert "hierrag_16k" in printed
    assert "cl100k_base is not in tiktoken's cache" in printed
