import base64
import os
import random
import subprocess
import sys
import time

import pytest
import regex
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from hierrag_lessons.text import TokenRuler, count_tokens, encode, get_encoding, make_ruler, token_ruler, tokens
from tests.texts import HOSTILE, texts


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_token_ruler_cuts_are_token_ends_between_characters(text: str) -> None:
    encoding = get_encoding()
    ruler = TokenRuler(text, encoding)
    ids = encode(text, encoding).tolist()
    clean = regex.sub("[\ud800-\udfff]", "\ufffd", text)
    expected = {}
    for count in range(len(ids) + 1):
        try:
            expected[len(encoding.decode_bytes(ids[:count]).decode("utf-8"))] = count
        except UnicodeDecodeError:
            continue
    assert dict(zip(ruler.cuts.tolist(), ruler.tokens_before.tolist(), strict=True)) == expected
    assert encoding.decode(ids) == clean


@given(texts, st.data())
@example("12 1234567", None)
def test_token_ruler_size_is_the_count_of_the_piece_on_its_own(text: str, data: st.DataObject | None) -> None:
    ruler = TokenRuler(text, get_encoding())
    for _ in range(10):
        start, end = (
            sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text))))) if data else (4, 10)
        )
        assert ruler.size(start, end) == count_tokens(text[start:end])


def test_token_ruler_size_on_real_text_from_random_places(reference_text: str) -> None:
    ruler = make_ruler(reference_text, count_tokens)
    rng = random.Random(0)
    for _ in range(300):
        start = rng.randrange(len(reference_text))
        end = min(len(reference_text), start + rng.randrange(3000))
        assert ruler.size(start, end) == count_tokens(reference_text[start:end])


@pytest.fixture(params=["hierrag_16k", "r50k_base", "cl100k_base", "o200k_base"], scope="module")
def any_encoding(request):
    """The course's vocabulary, with its own pattern and with those of tiktoken's, which would have to be downloaded."""
    own = get_encoding("hierrag_16k")
    if request.param == own.name:
        return own
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: own._mergeable_ranks)
        pattern = getattr(openai_public, request.param)()["pat_str"]
    return tiktoken.Encoding(request.param, pat_str=pattern, mergeable_ranks=own._mergeable_ranks, special_tokens={})


@pytest.mark.parametrize("joint", [" ", "", "\n", "\u3000", "'", ".", "\u0301", "\u200d"], ids=ascii)
def test_seams_hold_between_any_two_characters(any_encoding, joint: str) -> None:
    # Every pair of these stands next to each other once; characters that some versions of Unicode do not know included.
    characters = "aZé中文カ가กд5٣½²_-.,'’“。，！（　 \t\n\r\x1c\xa0\u2003\u0301\u200d\u0558\u0cdc\ua7ce🇩👍\ud800"
    text = joint.join(a + b for a in characters for b in characters)
    ruler = TokenRuler(text, any_encoding)
    spans = [(start, start + length) for start in range(len(text)) for length in (2, 3, 7)]
    for (start, end), size in zip(spans, ruler.sizes(spans), strict=True):
        assert size == ruler.size(start, end) == len(encode(text[start:end], any_encoding)), ascii(text[start:end])


def test_a_long_text_is_encoded_in_parts_with_the_same_tokens(reference_text: str) -> None:
    pieces = [*HOSTILE.values(), reference_text[:3000]]
    rng = random.Random(1)
    text = "".join(rng.choice(pieces) for _ in range(800))
    assert len(text) > 3 * token_ruler._PART
    ruler = TokenRuler(text, get_encoding())
    assert ruler.tokens_before[-1] == count_tokens(text)
    for _ in range(100):
        start = rng.randrange(len(text))
        end = min(len(text), start + rng.randrange(500))
        assert ruler.size(start, end) == count_tokens(text[start:end])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_long_texts_can_be_encoded_in_a_forked_process() -> None:
    # A forked process inherits a pool of threads, but not the threads.
    code = (
        "import multiprocessing\n"
        "from hierrag_lessons.reading import read_python_reference\n"
        "from hierrag_lessons.text import TokenRuler, get_encoding\n"
        "text = '\\n\\n'.join(document.text for document in read_python_reference())\n"
        "def count(_): return int(TokenRuler(text, get_encoding()).tokens_before[-1])\n"
        "expected = count(0)\n"
        "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
        "    assert pool.map_async(count, [0]).get(60) == [expected]\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=120)
    assert run.returncode == 0, run.stderr


def test_reach_in_tokens_goes_as_far_as_it_can_on_plain_text() -> None:
    text = "one two three four five six seven eight nine ten"
    ruler = TokenRuler(text, get_encoding())
    position = ruler.reach(0, len(text), 4)
    assert count_tokens(text[:position]) == 4


def test_slicing_token_ids_would_break_chinese_and_the_ruler_does_not() -> None:
    text = "龘靐齉爩鱻麤龗灪吁龖" * 3  # rare characters: several tokens each
    encoding = get_encoding()
    ids = encode(text, encoding).tolist()
    broken = [encoding.decode(ids[i : i + 4]) for i in range(0, len(ids), 4)]
    assert any("\ufffd" in piece for piece in broken)
    ruler = TokenRuler(text, encoding)
    assert ruler.cuts.tolist() == list(range(len(text) + 1))


@pytest.mark.parametrize("piece", ["a", " ", "中", "é", "\n", ".", "7", "\u0301", "🇩🇪"])
def test_a_long_text_of_one_character_in_bounded_time(piece: str) -> None:
    size, started = 2_000_000 if piece == "a" else 300_000, time.process_time()
    text = piece * (size // len(piece.encode())) + "x"
    ruler = TokenRuler(text, get_encoding())
    assert ruler.size(0, len(text)) == count_tokens(text)
    assert 0 < ruler.reach(0, len(text), 200) <= len(text)
    assert time.process_time() - started < size / 50_000  # about a second for two megabytes; quadratic steps need hours


def test_an_encoding_that_cannot_be_loaded_is_explained() -> None:
    with pytest.raises(ValueError, match=r"no_such_encoding.*HIERRAG_ENCODING"):
        get_encoding("no_such_encoding")


def test_environment_variable_switches_the_encoding() -> None:
    code = "from hierrag_lessons.text.tokens import get_encoding; print(get_encoding().name)"
    for value, expected in (("", "hierrag_16k"), ("hierrag_16k", "hierrag_16k")):
        run = subprocess.run(
            [sys.executable, "-c", code], env={"HIERRAG_ENCODING": value}, capture_output=True, encoding="utf-8"
        )
        assert run.stdout.strip() == expected, run.stderr
    run = subprocess.run(
        [sys.executable, "-c", code], env={"HIERRAG_ENCODING": "nonsense"}, capture_output=True, encoding="utf-8"
    )
    assert "the encoding 'nonsense' could not be loaded" in run.stderr


def test_missing_vocabulary_file_is_explained(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr(tokens, "VOCABULARY_FILE", tmp_path / "none.tiktoken")
    with pytest.raises(FileNotFoundError, match="git checkout hierrag_lessons/text/vocabulary"):
        tokens._encoding.__wrapped__("hierrag_16k")


def test_vocabulary_file_is_what_the_encoding_holds() -> None:
    lines = tokens.VOCABULARY_FILE.read_bytes().splitlines()
    encoding = get_encoding()
    assert len(lines) == 16_384
    assert encoding.n_vocab == 16_385
    for line in lines[:: len(lines) // 100]:
        token, rank = line.split()
        assert encoding.decode_single_token_bytes(int(rank)) == base64.b64decode(token)
