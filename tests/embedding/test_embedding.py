"""Embedders: unit rows, the same vector in any company, no network, a cache that can be trusted, clear errors."""

import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hierrag_lessons.embedding import (
    CachedEmbedder,
    CacheWarning,
    CharNgramEmbedder,
    EmbeddingError,
    LimitedEmbedder,
    MiniLMEmbedder,
    OpenAIEmbedder,
    SentenceTransformerEmbedder,
    TruncationWarning,
    default_embedder,
    sentence_transformer,
)
from hierrag_lessons.embedding.cache import _use_wal, cache_file, cache_folder, with_tilde
from hierrag_lessons.embedding.protocol import unit_rows, without_surrogates
from hierrag_lessons.embedding.shipped import rounded
from hierrag_lessons.reading import load_corpus

AWKWARD = [
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "x\udfffy",
    "\U0001f468\u200d\U0001f469",
    "\u202e",
    "\r\n",
    "!?",
    "的",
    "水",
    "e\u0301" * 9,
]
anything = st.text(st.characters(exclude_categories=()), max_size=30)


@pytest.fixture(scope="module")
def minilm():
    return MiniLMEmbedder()


class Counting:
    """Stands in for a slow model: random unit vectors that depend on the text alone, and a list of what was asked."""

    name = "counting"

    def __init__(self, dim: int = 8) -> None:
        self.dim = dim
        self.seen: list[str] = []

    def encode(self, texts):
        self.seen += texts
        rows = [
            np.random.default_rng(list(text.encode("utf-8", "surrogatepass"))).normal(size=self.dim) for text in texts
        ]
        return unit_rows(np.array(rows).reshape(len(texts), self.dim))


class CountingLimited(Counting):
    """The same, for a model that reads three words."""

    max_tokens = 3

    def count_word_pieces(self, texts):
        return [len(text.split()) for text in texts]

    def encode(self, texts):
        if any(count > 3 for count in self.count_word_pieces(texts)):
            warnings.warn("the model's own", TruncationWarning, stacklevel=2)
        return super().encode(texts)


# --- a model server on this machine ----------------------------------------------------------------------------------


class ModelServer(BaseHTTPRequestHandler):
    """Answers as the requested model's name says; counts requests for each model."""

    requests: ClassVar[Counter[str]] = Counter()
    inputs: ClassVar[list[str]] = []

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model, texts = question["model"], question["input"]
        self.requests[model] += 1
        self.inputs.extend(texts)
        assert question["encoding_format"] == "float"
        if self.headers["Authorization"] != "Bearer right":
            return self.reply(401, {"error": {"message": "wrong key: " + self.headers["Authorization"]}})
        if model == "broken" or (model == "flaky" and self.requests[model] == 1):
            return self.reply(500, {"error": {"message": "out of memory"}})
        if model in ("300", "400"):
            return self.reply(int(model), {"error": {"message": "not with the key right"}})
        if model == "unknown":
            return self.reply(404, {"error": {"message": "there is no such model"}})
        if model in ("deep", "deep complaint"):
            return self.reply(200 if model == "deep" else 404, "[" * 100_000 + "]" * 100_000)
        if model == "web page":
            return self.reply(200, "<html>Welcome</html>")
        rows = [
            {"object": "embedding", "index": i, "embedding": [3.0, 4.0 + len(text)]} for i, text in enumerate(texts)
        ]
        if model == "shuffled":
            random.Random(0).shuffle(rows)
        if model == "short":
            rows.pop()
        if model == "twice":
            rows[-1]["index"] = 0
        if model == "extra":
            rows.append(rows[0])
        if model == "ragged":
            rows[-1]["embedding"].append(1.0)
        if model == "growing":
            rows = [row | {"embedding": [1.0] * self.requests[model]} for row in rows]
        if model == "infinite":
            rows[0]["embedding"][0] = float("inf")
        if model == "null":
            rows[0]["embedding"] = None
        return self.reply(200, {"object": "list", "model": model, "data": rows})

    def reply(self, status, body):
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if content.startswith(b"<") else "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        """Nothing is printed."""


@pytest.fixture
def server(monkeypatch):
    ModelServer.requests.clear()
    ModelServer.inputs.clear()
    running = ThreadingHTTPServer(("127.0.0.1", 0), ModelServer)
    threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{running.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "right")
    for proxy in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(proxy, raising=False)
    yield ModelServer
    running.shutdown()
    running.server_close()


# --- what every embedder promises ------------------------------------------------------------------------------------


@pytest.fixture(params=["minilm", "sentence-transformer", "char-ngrams", "openai", "cached"])
def embedder(request, tmp_path):
    if request.param == "minilm":
        return request.getfixturevalue("minilm")
    if request.param == "sentence-transformer":
        return SentenceTransformerEmbedder(sentence_transformer.minilm_folder())
    if request.param == "char-ngrams":
        return CharNgramEmbedder()
    if request.param == "openai":
        request.getfixturevalue("server")
        return OpenAIEmbedder("any", batch_size=3)
    return CachedEmbedder(CharNgramEmbedder(64), tmp_path / "cache.sqlite")


def test_shape_type_and_length(embedder):
    vectors = embedder.encode(["The board met on 3 May.", "董事会于五月三日召开会议。"])
    assert vectors.shape == (2, embedder.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert embedder.name


def test_no_texts(embedder):
    vectors = embedder.encode([])
    assert vectors.shape == (0, embedder.dim)
    assert vectors.dtype == np.float32


def test_no_text_makes_it_fail(embedder):
    vectors = embedder.encode(AWKWARD)
    lengths = np.linalg.norm(vectors, axis=1)
    assert ((abs(lengths - 1) < 1e-6) | (lengths == 0)).all()
    assert lengths[AWKWARD.index("水")] > 0


def test_a_text_has_one_vector_whatever_its_company(embedder):
    texts = ["short", "rather longer " * 20, "水", "", "An index is a folder.", "short"]
    together = embedder.encode(texts)
    # What differs by 1e-7 can be rounded to neighbouring 16-bit numbers.
    step = 2.0**-10 if isinstance(embedder, MiniLMEmbedder) else 0
    for text, row in zip(texts, together, strict=True):
        np.testing.assert_allclose(embedder.encode([text])[0], row, rtol=step, atol=1e-6)
    np.testing.assert_allclose(embedder.encode(texts[::-1])[::-1], together, rtol=step, atol=1e-6)


@pytest.mark.parametrize(
    ("texts", "message"), [("one text", "give a list of texts"), (["a", None], "holds None; give")]
)
def test_texts_are_a_list_of_strings(embedder, texts, message):
    with pytest.raises(ValueError, match=message):
        embedder.encode(texts)


def test_lone_surrogates_are_replaced_one_by_one():
    assert without_surrogates("a\ud800\udc00b\U0001f600") == "a\ufffd\ufffdb\U0001f600"


def test_rows_of_zeros_stay_zero():
    assert unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [[np.float32(0.6), np.float32(0.8)], [0.0, 0.0]]


# --- all-MiniLM-L6-v2 ------------------------------------------------------------------------------------------------


def test_minilm_knows_what_is_alike(minilm):
    query, answer, other = minilm.encode(
        ["How much did sales grow?", "Revenue rose by 12 % over the year before.", "The cat sleeps on the mat."]
    )
    assert query @ answer > query @ other + 0.2


def test_minilm_agrees_with_the_library(minilm):
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder, text = sentence_transformer.minilm_folder(), "Half-open ranges of code points."
    tokens = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder)(**tokens).last_hidden_state[0].numpy()
    expected = unit_rows(states.mean(axis=0, keepdims=True))
    np.testing.assert_allclose(SentenceTransformerEmbedder(folder).encode([text]), expected, atol=1e-5)
    np.testing.assert_allclose(minilm.encode([text]), rounded(expected), rtol=2.0**-10, atol=1e-6)


def test_word_pieces_are_counted_with_the_special_ones(minilm):
    assert isinstance(minilm, LimitedEmbedder)
    assert minilm.count_word_pieces(["", "hello", "hello " * 300, "a\ud800b"]) == [2, 3, 302, 3]
    assert minilm.count_word_pieces([]) == []


def test_what_is_cut_is_announced_once(minilm):
    fits = "word " * (minilm.max_tokens - 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = minilm.encode([fits])
    with pytest.warns(TruncationWarning, match="2 of 3 texts are longer than the 256 word pieces") as caught:
        vectors = minilm.encode([fits + "more", "short", fits + "and more still"])
    assert len(caught) == 1
    assert caught[0].filename == __file__  # The line of the caller, not of the package.
    np.testing.assert_allclose(vectors[[0, 2]], whole[[0, 0]], atol=1e-6)


def test_wrong_weights_are_refused(tmp_path, monkeypatch):
    (tmp_path / "model.safetensors").write_bytes(b"something else")
    monkeypatch.setattr(sentence_transformer, "minilm_folder", lambda: tmp_path)
    with pytest.raises(EmbeddingError, match=r"SHA-256 .* --force-reinstall"):
        MiniLMEmbedder().encode(["x"])


def test_without_its_package_and_without_a_network_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(sentence_transformer, "find_spec", lambda name: None)
    asked = []

    def unreachable(name, device, bf16):
        asked.append(name)
        raise EmbeddingError("no network")

    monkeypatch.setattr(sentence_transformer, "_load", unreachable)
    with pytest.raises(EmbeddingError, match=r"tools\.install"):
        MiniLMEmbedder().encode(["x"])
    assert asked == ["sentence-transformers/all-MiniLM-L6-v2"]


def test_downloaded_weights_are_verified_too(tmp_path, monkeypatch):
    import huggingface_hub

    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"something else")
    loaded = sentence_transformer._load(str(sentence_transformer.minilm_folder()), "cpu", False)
    monkeypatch.setattr(sentence_transformer, "minilm_folder", lambda: None)
    monkeypatch.setattr(sentence_transformer, "_load", lambda name, device, bf16: loaded)
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda repository, file: str(weights))
    with pytest.raises(EmbeddingError, match="SHA-256"):
        MiniLMEmbedder().encode(["x"])
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda repository, file: None)
    with pytest.raises(EmbeddingError, match=r"no file model\.safetensors"):
        MiniLMEmbedder().encode(["x"])


OFFLINE = """
import sys, warnings
warnings.simplefilter("error", DeprecationWarning)
tried = []
def watch(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname"}:
        tried.append((event, arguments[-1]))
        raise OSError("there is no network")
sys.addaudithook(watch)
import hierrag_lessons.embedding as embedding
heavy = {"torch", "sentence_transformers", "transformers", "sklearn", "openai", "lancedb"} & set(sys.modules)
assert not heavy, heavy
assert embedding.CharNgramEmbedder().encode(["水"]).any()
for _ in range(2):
    assert embedding.default_embedder().encode(["no network, no key"]).shape == (1, 384)
assert not tried, tried
print("done")
"""


def test_the_default_opens_no_connection_and_prints_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("HIERRAG_CACHE", str(tmp_path))
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    run = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, encoding="utf-8", check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "done\n", "")


# --- any SentenceTransformer -----------------------------------------------------------------------------------------


def test_a_model_that_is_nowhere_is_a_clear_error(monkeypatch):
    import huggingface_hub

    def unreachable(name, timeout):
        raise ConnectionError("no network")

    monkeypatch.setattr(huggingface_hub, "model_info", unreachable)
    with pytest.raises(EmbeddingError, match=r"'nobody/has-this' is not on this machine .*ConnectionError"):
        SentenceTransformerEmbedder("nobody/has-this")


def test_what_is_on_this_machine_is_tried_before_the_hub(monkeypatch):
    import huggingface_hub
    import sentence_transformers

    steps = []

    def load(name, *, device, local_files_only=False):
        steps.append("this machine" if local_files_only else "download")
        if local_files_only:
            raise OSError("not here")
        raise ValueError("not there either")

    monkeypatch.setattr(sentence_transformers, "SentenceTransformer", load)
    monkeypatch.setattr(huggingface_hub, "model_info", lambda name, timeout: steps.append("is there a hub"))
    with pytest.raises(EmbeddingError, match="ValueError"):
        SentenceTransformerEmbedder("nobody/has-this-either")
    assert steps == ["this machine", "is there a hub", "download"]


def test_a_folder_without_a_model_is_a_clear_error(tmp_path):
    with pytest.raises(EmbeddingError, match="holds no model"):
        SentenceTransformerEmbedder(tmp_path)


def test_progress_bars_stay_as_they_were(tmp_path):
    from transformers.utils import logging

    assert logging.is_progress_bar_enabled()
    with pytest.raises(EmbeddingError):
        SentenceTransformerEmbedder(tmp_path)
    assert logging.is_progress_bar_enabled()


def test_a_model_without_a_limit(tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    tokenizer = sentence_transformer._load(str(sentence_transformer.minilm_folder()), "cpu", False).tokenizer
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=16)]).save(str(tmp_path))
    embedder = SentenceTransformerEmbedder(tmp_path)
    assert (embedder.dim, embedder.max_tokens) == (16, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vectors = embedder.encode(["word " * 1000, "a\ud800b"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


# --- character n-grams -----------------------------------------------------------------------------------------------


@given(st.lists(anything, max_size=5))
def test_ngram_rows_are_of_unit_length_or_zero(texts):
    vectors = CharNgramEmbedder(64).encode(texts)
    lengths = np.linalg.norm(vectors, axis=1)
    assert ((abs(lengths - 1) < 1e-6) | (lengths == 0)).all()
    for text, row in zip(texts, vectors, strict=True):
        assert (CharNgramEmbedder(64).encode([text])[0] == row).all()


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("保修期多长", "整机保修期为三年。", "整机重量为三千克。"),
        ("型号 308 的价格", "型号 308 售价九百元。", "型号 3080 售价九百元。"),
        ("型号308的价格", "型号 308 售价九百元。", "型号 380 售价九百元。"),
        ("报销上限", "报销的上限是五百元", "报，销售，上班，限制"),
        ("什么是网关？", "网关连接两个网络。", "这是什么？那是什么？"),
        ("ＥＧ－２１０", "EG-210 断电", "EG-211 断电"),
        ("MQTT", "使用 mqtt 协议", "使用 http 协议"),
    ],
)
def test_ngrams_prefer_what_is_meant(query, better, worse):
    query, better, worse = CharNgramEmbedder().encode([query, better, worse])
    assert query @ better > query @ worse + 0.02


def test_an_ngram_that_is_repeated_does_not_drown_the_others():
    once, often = CharNgramEmbedder().encode(["温度，设备", "温度，" + "设备，" * 8])
    # Both hold the same n-grams; counts alone would make this 0.79, and no counts at all 1.
    assert 0.85 < once @ often < 0.95


def test_a_question_of_grammar_alone_still_has_a_vector():
    assert np.linalg.norm(CharNgramEmbedder().encode(["这是什么？"])) == pytest.approx(1)


def test_longer_vectors_find_more():
    (handbook,) = [document for document in load_corpus("zh") if document.doc_id == "zh/technical_handbook"]
    paragraphs = [paragraph for paragraph in handbook.text.split("\n\n") if len(paragraph) > 60]
    # Eight characters from the middle of a paragraph are to find it.
    queries = [paragraph[len(paragraph) // 2 - 4 : len(paragraph) // 2 + 4] for paragraph in paragraphs]
    found = {}
    for dim in (32, 256, 2048):
        embedder = CharNgramEmbedder(dim)
        best = (embedder.encode(queries) @ embedder.encode(paragraphs).T).argmax(axis=1)
        found[dim] = (best == np.arange(len(paragraphs))).mean()
    assert found[32] + 0.2 < found[256]
    assert found[256] + 0.05 < found[2048]
    assert found[2048] > 0.6


@pytest.mark.parametrize("dim", [0, -1])
def test_a_vector_needs_a_dimension(dim):
    with pytest.raises(ValueError, match=f"dim is {dim}"):
        CharNgramEmbedder(dim)


def test_the_dimension_is_part_of_the_name():
    assert CharNgramEmbedder(512).name == "char-ngrams-512" != CharNgramEmbedder().name


# --- a model server --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["good", "shuffled"])
def test_each_text_gets_its_own_vector_in_several_requests(server, model):
    embedder = OpenAIEmbedder(model, batch_size=4)
    vectors = embedder.encode(["x" * n for n in range(1, 11)])
    np.testing.assert_allclose(vectors[:, 1] / vectors[:, 0], [(4 + n) / 3 for n in range(1, 11)], rtol=1e-6)
    assert server.requests[model] == 3
    assert embedder.dim == 2
    assert server.requests[model] == 3  # The dimension is known by now.


def test_the_dimension_is_asked_for_once(server):
    embedder = OpenAIEmbedder("good")
    assert (embedder.dim, embedder.dim, embedder.name) == (2, 2, "openai:good")
    assert server.requests["good"] == 1


def test_what_the_protocol_cannot_say_is_replaced(server):
    OpenAIEmbedder("good").encode(["", "a\ud800"])
    assert server.inputs == [" ", "a\ufffd"]


def test_prompts_are_sent_in_front_of_each_side(server):
    embedder = OpenAIEmbedder("good", query_prompt="query: ", document_prompt="passage: ")
    documents, questions = embedder.encode(["a", ""]), embedder.encode_queries(["a"])
    assert server.inputs == ["passage: a", "passage: ", "query: a"]
    assert embedder.name == "openai:good (query_prompt='query: ', document_prompt='passage: ')"
    assert embedder.two_sided
    assert not np.array_equal(documents[0], questions[0])
    plain = OpenAIEmbedder("good")
    assert not plain.two_sided
    np.testing.assert_array_equal(plain.encode_queries(["a"]), plain.encode(["a"]))


@pytest.mark.parametrize("name", ["query_prompt", "document_prompt"])
def test_a_prompt_of_a_server_is_a_text(name):
    with pytest.raises(ValueError, match=f"{name} is None; give a text"):
        OpenAIEmbedder("good", **{name: None})


def test_a_failed_request_is_repeated(server):
    assert OpenAIEmbedder("flaky", max_retries=1).encode(["x"]).shape == (1, 2)
    assert server.requests["flaky"] == 2


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("broken", "status 500: .*out of memory"),
        ("unknown", "status 404: .*no such model"),
        ("web page", "no list of embeddings"),
        ("deep", "no list of embeddings"),
        ("deep complaint", "status 404"),
        ("null", "not vectors of one length"),
        ("short", r"returned 1 embeddings, numbered \[0\], for 2 texts"),
        ("twice", r"returned 2 embeddings, numbered \[0\], for 2 texts"),
        ("extra", r"returned 3 embeddings, numbered \[0, 1\], for 2 texts"),
        ("ragged", "not vectors of one length"),
        ("infinite", "no finite number"),
    ],
)
def test_a_bad_answer_is_a_clear_error(server, model, message):
    with pytest.raises(EmbeddingError, match=message) as caught:
        OpenAIEmbedder(model, max_retries=0).encode(["x", "y"])
    assert "127.0.0.1" in str(caught.value)
    assert server.requests[model] == 1


def test_a_model_that_changes_its_dimension_is_refused(server):
    embedder = OpenAIEmbedder("growing", batch_size=1)
    with pytest.raises(EmbeddingError, match="not vectors of one length"):
        embedder.encode(["x", "y"])


def test_a_refused_key_is_a_clear_error_that_does_not_show_it(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "wrong-and-secret")
    with pytest.raises(EmbeddingError, match="does not accept the key") as caught:
        OpenAIEmbedder("good", max_retries=0).encode(["x"])
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("model", ["300", "400", "web page"])
def test_no_error_keeps_the_key_or_the_answer(server, model):
    with pytest.raises(EmbeddingError) as caught:
        OpenAIEmbedder(model, max_retries=0).encode(["x"])
    assert "right" not in str(caught.value)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


def test_a_server_that_is_not_there(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(EmbeddingError, match=r"127\.0\.0\.1:9 cannot be reached"):
        OpenAIEmbedder("good", max_retries=0).encode(["x"])


@pytest.mark.parametrize("key", [None, ""])
def test_without_a_key(monkeypatch, key):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(EmbeddingError, match="OPENAI_API_KEY is not set"):
        OpenAIEmbedder("good")


def test_a_batch_holds_a_text(server):
    with pytest.raises(ValueError, match="batch_size is 0"):
        OpenAIEmbedder("good", batch_size=0)


# --- the cache -------------------------------------------------------------------------------------------------------


def test_the_model_is_asked_only_for_what_is_new(tmp_path):
    model = Counting()
    cached = CachedEmbedder(model, tmp_path / "deep" / "cache.sqlite")
    first = cached.encode(["b", "a", "b", "\ud800"])
    assert model.seen == ["b", "a", "\ud800"]
    again = CachedEmbedder(model, cached.path).encode(["a", "c", "b", "\udfff", "\ud800"])
    assert model.seen == ["b", "a", "\ud800", "c", "\udfff"]
    assert (again[[0, 2, 4]] == first[[1, 0, 3]]).all()
    assert (again == Counting().encode(["a", "c", "b", "\udfff", "\ud800"])).all()
    assert (cached.name, cached.dim) == (model.name, model.dim)


@given(st.lists(st.lists(anything, max_size=6), max_size=4))
def test_cached_vectors_are_the_models_own(tmp_path_factory, calls):
    cached = CachedEmbedder(Counting(), tmp_path_factory.mktemp("cache") / "cache.sqlite")
    for texts in calls:
        assert (cached.encode(texts) == Counting().encode(texts)).all()
    assert len(cached.embedder.seen) == len({text for texts in calls for text in texts})


def test_more_texts_than_one_query_holds(tmp_path):
    texts = [f"text {number}" for number in range(1000)]
    model = Counting()
    for _ in range(2):
        assert (CachedEmbedder(model, tmp_path / "cache.sqlite").encode(texts) == Counting().encode(texts)).all()
    assert model.seen == texts


def test_an_interrupted_run_keeps_what_it_has(tmp_path):
    class Interrupted(Counting):
        def encode(self, texts):
            if len(self.seen) > 500:
                raise KeyboardInterrupt
            return super().encode(texts)

    texts = [f"text {number}" for number in range(1000)]
    with pytest.raises(KeyboardInterrupt):
        CachedEmbedder(Interrupted(), tmp_path / "cache.sqlite").encode(texts)
    model = Counting()
    CachedEmbedder(model, tmp_path / "cache.sqlite").encode(texts)
    assert model.seen == texts[512:]


def test_a_warm_cache_loads_no_model(minilm, tmp_path, monkeypatch):
    first = CachedEmbedder(minilm, tmp_path / "cache.sqlite").encode(["a text"])
    monkeypatch.setattr(sentence_transformer, "minilm_folder", lambda: pytest.fail("the model was loaded"))
    assert (CachedEmbedder(MiniLMEmbedder(), tmp_path / "cache.sqlite").encode(["a text"]) == first).all()


def test_texts_that_utf8_cannot_tell_apart_are_told_apart(tmp_path):
    model = Counting()
    for text in ("\ud800", "\udfff", "?", "\ufffd", "e\u0301", "\xe9"):
        CachedEmbedder(model, tmp_path / "cache.sqlite").encode([text])
    assert len(model.seen) == 6


def test_embedders_do_not_mix(tmp_path):
    one, other = Counting(), Counting()
    other.name = "another"
    for embedder in (one, other, one):
        CachedEmbedder(embedder, tmp_path / "cache.sqlite").encode(["x"])
    assert (one.seen, other.seen) == (["x"], ["x"])


def test_a_vector_of_another_length_is_embedded_again(tmp_path):
    CachedEmbedder(Counting(dim=8), tmp_path / "cache.sqlite").encode(["x"])
    model = Counting(dim=4)
    for _ in range(2):
        assert CachedEmbedder(model, tmp_path / "cache.sqlite").encode(["x"]).shape == (1, 4)
    assert model.seen == ["x"]


def test_a_wrong_shape_is_not_kept(tmp_path):
    model = Counting(dim=4)
    model.encode = lambda texts: np.ones((len(texts), 5))
    with pytest.raises(ValueError, match=r"returned an array of shape \(2, 5\).*must return shape \(2, 4\)"):
        CachedEmbedder(model, tmp_path / "cache.sqlite").encode(["x", "y"])


def test_truncation_is_announced_from_the_cache_as_well(tmp_path):
    model = CountingLimited()
    for _ in range(2):
        with pytest.warns(TruncationWarning, match="2 of 3 texts are longer than the 3 word pieces") as caught:
            CachedEmbedder(model, tmp_path / "cache.sqlite").encode(["a b c d", "a b c", "a b c d"])
        assert len(caught) == 1
    assert model.seen == ["a b c d", "a b c"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_vector_with_a_value_that_is_no_finite_number_is_embedded_again(tmp_path, value):
    path, texts = tmp_path / "cache.sqlite", ["x", "y"]
    CachedEmbedder(Counting(), path).encode(texts)
    damaged = Counting().encode(["x"])[0]
    damaged[3] = value
    with sqlite3.connect(path) as database:
        key = hashlib.sha256(b"x").digest()
        changed = database.execute("UPDATE vectors SET vector = ? WHERE text_sha256 = ?", [damaged.tobytes(), key])
    assert changed.rowcount == 1
    database.close()
    model = Counting()
    for _ in range(2):
        assert (CachedEmbedder(model, path).encode(texts) == Counting().encode(texts)).all()
    assert model.seen == ["x"]


@pytest.fixture
def cannot_be_written(monkeypatch):
    """Takes away the right to write a folder, and what lies in it, until the end of the test; also root's."""
    if sys.platform == "win32":
        pytest.skip("folders of Windows have no such right")
    monkeypatch.delenv("ASKED_TEXTS", raising=False)  # the notes are root's
    root, folder = os.geteuid() == 0, Path(tempfile.mkdtemp())  # pytest's own folders are closed to other users

    def close() -> None:
        for path in folder.iterdir():
            path.chmod(0o444)
        folder.chmod(0o555)
        if root:
            os.seteuid(65534)

    yield folder, close
    if root:
        os.seteuid(0)
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_cache_that_cannot_be_written_is_looked_up_in(cannot_be_written):
    folder, close = cannot_be_written
    model, path = Counting(), folder / "cache.sqlite"
    CachedEmbedder(model, path).encode(["a", "b"])
    close()
    with pytest.raises(PermissionError):
        (folder / "other").touch()
    cached = CachedEmbedder(model, path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (cached.encode(["b", "a"]) == Counting().encode(["b", "a"])).all()
    assert model.seen == ["a", "b"]
    with pytest.warns(CacheWarning, match=r"cache\.sqlite cannot be written .* HIERRAG_CACHE"):
        first = cached.encode(["a", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (cached.encode(["a", "c"]) == first).all()
    assert model.seen == ["a", "b", "c", "c"]


def test_a_log_that_cannot_be_read_in_is_not_passed_over(cannot_be_written):
    folder, close = cannot_be_written
    path = folder / "cache.sqlite"
    CachedEmbedder(Counting(), path).encode(["a"])
    path.with_name("cache.sqlite-wal").write_bytes(b"changes that are not in the file itself")
    close()
    with pytest.warns(CacheWarning, match=r"cache\.sqlite cannot be used"):
        assert (CachedEmbedder(Counting(), path).encode(["a"]) == Counting().encode(["a"])).all()


def no_database(path: Path) -> None:
    path.write_bytes(b"This is no database. " * 500)


def torn_database(path: Path) -> None:
    CachedEmbedder(Counting(dim=300), path).encode([f"text {number}" for number in range(200)])
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 4] + b"\xff" * (len(content) // 2) + content[len(content) * 3 // 4 :])


def other_table(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE vectors (something TEXT)")
    database.close()


def a_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("damage", [no_database, torn_database, other_table, a_folder])
def test_a_damaged_cache_is_said_once_and_done_without(tmp_path, damage):
    damage(tmp_path / "cache.sqlite")
    texts = [f"text {number}" for number in range(200)]
    cached = CachedEmbedder(Counting(dim=300), tmp_path / "cache.sqlite")
    with pytest.warns(CacheWarning, match=r"cache\.sqlite cannot be used \(.*delete it.*HIERRAG_CACHE") as caught:
        first = cached.encode(texts)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        second = cached.encode(texts)
    assert (first == Counting(dim=300).encode(texts)).all()
    assert (second == first).all()


def test_a_folder_that_cannot_be_made_is_said_once_and_done_without(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("HIERRAG_CACHE", str(tmp_path / "file" / "cache"))
    cached = CachedEmbedder(Counting())
    with pytest.warns(CacheWarning, match="Not a directory"):
        assert (cached.encode(["x"]) == Counting().encode(["x"])).all()


TWO_AT_ONCE = """
import sys
from hierrag_lessons.embedding import CachedEmbedder
from tests.embedding.test_embedding import Counting
sys.stdout.write("ready\\n")
sys.stdout.flush()
sys.stdin.readline()
cached = CachedEmbedder(Counting(), sys.argv[1])
for start in range(0, 400, 20):
    cached.encode([f"text {number}" for number in range(start, start + 40)])
"""


def test_two_processes_share_a_cache(tmp_path):
    path = tmp_path / "cache.sqlite"
    command = [sys.executable, "-W", "error::UserWarning", "-c", TWO_AT_ONCE, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    processes = [subprocess.Popen(command, cwd=Path(__file__).parents[2], **pipes) for _ in range(2)]
    for process in processes:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (0, "")
    model, texts = Counting(), [f"text {number}" for number in range(420)]
    assert (CachedEmbedder(model, path).encode(texts) == Counting().encode(texts)).all()
    assert model.seen == []


class LockedTwice:
    """A connection whose first two statements fail as they do where two processes make one database at once."""

    def __init__(self, code):
        self.code, self.statements = code, []

    def execute(self, statement):
        self.statements.append(statement)
        if len(self.statements) < 3:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = self.code
            raise error


def test_making_the_database_waits_for_another_process():
    busy, broken = LockedTwice(sqlite3.SQLITE_BUSY), LockedTwice(sqlite3.SQLITE_READONLY)
    _use_wal(busy)
    assert busy.statements == ["PRAGMA journal_mode = WAL"] * 3
    with pytest.raises(sqlite3.OperationalError):
        _use_wal(broken)
    assert len(broken.statements) == 1


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("HIERRAG_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    folders = {"linux": ".cache/hierrag", "darwin": "Library/Caches/hierrag", "win32": "AppData/Local/hierrag/Cache"}
    for system, folder in folders.items():
        monkeypatch.setattr(sys, "platform", system)
        assert cache_folder() == tmp_path / folder
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "hierrag" / "Cache"
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "hierrag"
    monkeypatch.setenv("HIERRAG_CACHE", str(tmp_path / "chosen"))
    assert cache_folder() == tmp_path / "chosen"
    assert cache_file().parent == cache_folder()
    assert with_tilde(cache_file()) == str(Path("~") / "chosen" / "embeddings.sqlite")
    assert with_tilde(tmp_path.parent) == str(tmp_path.parent)


def test_a_user_without_a_home_has_a_cache_all_the_same(monkeypatch):
    def homeless():
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", homeless)
    for name in ("HIERRAG_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert cache_folder().name in {"hierrag", "Cache"}
    assert with_tilde(Path("a")) == "a"


# --- the default -----------------------------------------------------------------------------------------------------


def test_the_default_of_each_language():
    english, chinese = default_embedder("en"), default_embedder("zh")
    assert isinstance(english, CachedEmbedder)
    assert (english.name, english.dim) == ("all-MiniLM-L6-v2-float16", 384)
    assert isinstance(chinese, CharNgramEmbedder)
    with pytest.raises(ValueError, match="language is 'fr'"):
        default_embedder("fr")
