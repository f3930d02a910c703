# %% [markdown]
# # 01 · Spans and tokens
#
# **You will** describe chunks, sentences, evidence and search results as ranges of one text, and cut a text every *n*
# tokens without breaking a single character.
# **You will learn** what an offset counts, why a chunk's place should never be searched for, what a token is, and
# where a vocabulary comes from.
# **You need** Python, and a little NumPy near the end. 20 minutes, easy (★☆☆), four exercises.
#
# 1. [Where does this chunk come from?](#Where-does-this-chunk-come-from?)
# 2. [Everything is a span](#Everything-is-a-span)
# 3. [What does an offset count?](#What-does-an-offset-count?)
# 4. [Don't search for offsets](#Don't-search-for-offsets)
# 5. [Tokens](#Tokens)
# 6. [Where a vocabulary comes from](#Where-a-vocabulary-comes-from)
# 7. [Cutting every n tokens](#Cutting-every-n-tokens)
# 8. [Parameters](#Parameters), [exercises](#Exercises), [takeaways](#Takeaways)

# %%
from collections import Counter
from importlib.metadata import version
from itertools import pairwise
from random import Random
from time import perf_counter

import numpy as np
import regex
import tiktoken
from langchain_text_splitters import RecursiveCharacterTextSplitter, TextSplitter, TokenTextSplitter

import hierrag_lessons
from hierrag_lessons import (
    PATTERN,
    Document,
    FixedSizeChunker,
    Span,
    TokenRuler,
    TokenView,
    count_tokens,
    drawing,
    encode,
    get_encoding,
    load_corpus,
    read_python_reference,
    snap,
    trim,
)

# %% [markdown]
# ## Where does this chunk come from?
#
# A retrieval system cuts documents into chunks. When it shows you one, you want to see it in its place: the page, the
# paragraph, the lines around it. So each chunk needs the position where it starts.
#
# LangChain's splitters offer that: `add_start_index=True`. Let us cut a Chinese technical handbook into chunks of at
# most 200 tokens, of which 40 repeat the chunk before. (What a token is comes later. For now: a short piece of text.)

# %%
encoding = get_encoding()
tiktoken.registry.ENCODINGS[encoding.name] = encoding  # LangChain asks tiktoken for a vocabulary by its name

handbook = {document.doc_id: document for document in load_corpus("zh")}["zh/technical_handbook"]
splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
    encoding.name, chunk_size=200, chunk_overlap=40, add_start_index=True
)
pieces = splitter.create_documents([handbook.text])
starts = [piece.metadata["start_index"] for piece in pieces]
print("langchain-text-splitters", version("langchain-text-splitters"))
print(f"{len(pieces)} chunks; {starts.count(-1)} of them start at -1")

# %% [markdown]
# A start of −1 means "not found", although every chunk was cut out of this very text. Nothing was raised. A page that
# highlights `text[start : start + length]` highlights this:

# %%
lost_piece = next(piece for piece in pieces if piece.metadata["start_index"] == -1)
start, length = lost_piece.metadata["start_index"], len(lost_piece.page_content)
print("the chunk:      ", lost_piece.page_content[:40].replace("\n", "↵"), "…")
print("the highlighted:", repr(handbook.text[start : start + length]))

# %% [markdown]
# Two things went wrong: the position was searched for after the cut, and characters were mixed up with tokens. This
# lesson puts both right, and the rest of the course is built on the result.
#
# ## Everything is a span
#
# A **document** is one string that never changes. Everything else is a **span** of it: two numbers, `start` and `end`.
#
# ![A text of 50 characters. Below it bars: the document is the span 0 to 50, three sentences are 0 to 18, 19 to 30 and
# 31 to 50, two chunks 0 to 30 and 13 to 50 share 13 to 30, the evidence is 19 to 30, and the returned passage is the
# union of both chunks, 0 to 50.](images/01_spans.svg)

# %%
report = Document("report", "Revenue rose 8.2%. Costs fell. Net income doubled.")
evidence, first, second = Span(19, 30), Span(0, 30), Span(13, 50)

for span in (evidence, first, second):
    print(tuple(span), repr(report.text[span.start : span.end]))

# %% [markdown]
# Three conventions hold everywhere in this course.
#
# - **Half-open**: `start` belongs to the span and `end` does not, as in Python's slices. So the length is
#   `end - start`, neighbours share a number (`[0, 18)` and `[18, 30)`), and `start == end` is empty.
# - **Absolute**: positions count from the beginning of the document, also for a sentence inside a chunk inside a
#   section. Nothing has to be added up to find a place.
# - **Code points**: positions are Python string indices. The next section says what that means.
#
# With them, the whole course fits into a table.
#
# | thing | as spans | in the example |
# |---|---|---|
# | chunk | one span | `first`, `second` |
# | overlap | two chunks whose spans intersect | `[13, 30)` |
# | sentence, turn, section | spans found by a parser | `[19, 30)` |
# | hierarchy | spans nested by containment | sentence in chunk in document |
# | sentence window | a span grown to its neighbours | `[19, 30)` becomes `[0, 50)` |
# | auto-merge | children's spans replaced by their parent's | two chunks become the document |
# | context packing | the union of spans under a token budget | `[0, 50)`, nothing twice |
# | evaluation | overlap of returned spans with gold evidence | `first` holds all of `evidence` |
#
# ### The algebra
#
# Four functions do most of the work. How much do two spans share?


# %%
def overlap(a: Span, b: Span) -> int:
    """Number of code points that two spans share."""
    return max(0, min(a.end, b.end) - max(a.start, b.start))


print("first and second share ", overlap(first, second))
print("evidence inside second:", overlap(evidence, second), "of", evidence.end - evidence.start)
print("neighbours share       ", overlap(Span(0, 18), Span(18, 30)))

# %% [markdown]
# Which parts do several spans hold together, with nothing listed twice? Sort them by start; then each span either
# continues the last one or begins a new one.


# %%
def merge(spans: list[Span]) -> list[Span]:
    """The union of spans: sorted, disjoint, none empty."""
    merged = []
    for start, end in sorted(span for span in spans if span.start < span.end):
        if merged and start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, end))
        else:
            merged.append(Span(start, end))
    return merged


def cover(spans: list[Span]) -> int:
    """Number of code points in at least one of the spans."""
    return sum(end - start for start, end in merge(spans))


print(merge([second, evidence, first]), cover([second, evidence, first]))

# %% [markdown]
# And which parts of a span are in none of the others? That question finds lost text.


# %%
def subtract(span: Span, taken: list[Span]) -> list[Span]:
    """The parts of a span that lie in none of the taken ones."""
    left, start = [], span.start
    for other in merge(taken):
        if start < min(other.start, span.end):
            left.append(Span(start, min(other.start, span.end)))
        start = max(start, other.end)
    if start < span.end:
        left.append(Span(start, span.end))
    return left


sentences = [Span(0, 18), Span(19, 30), Span(31, 50)]
print("in no sentence:", [(tuple(gap), report.text[gap.start : gap.end]) for gap in subtract(report.span, sentences)])

# %% [markdown]
# The package has the same functions. Do ours agree with them? Random spans are a harder test than any example.

# %%
rng = Random(1)
package = hierrag_lessons.spans
agree = 0
for _ in range(2_000):
    spans = [Span(start, start + rng.randrange(8)) for start in (rng.randrange(30) for _ in range(rng.randrange(2, 6)))]
    agree += (
        overlap(spans[0], spans[1]) == package.overlap(spans[0], spans[1])
        and merge(spans) == package.merge(spans)
        and cover(spans) == package.cover(spans)
        and subtract(spans[0], spans[1:]) == package.subtract(spans[0], spans[1:])
    )
print(f"{agree:,} of 2,000 agree")

# %%
from hierrag_lessons import cover, merge, overlap, subtract

# %% [markdown]
# ## What does an offset count?
#
# "Character 7" has at least four meanings. Programs disagree about them, and that is where many wrong offsets are born.

# %%
samples = {
    "a": "a",
    "é, typed as one": "\u00e9",
    "é, e and an accent": "e\u0301",
    "Chinese, two": "中文",
    "CRLF line end": "\r\n",
    "flag": "\U0001f1e8\U0001f1ed",
    "family emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
}
print(f"{'':<20}{'code points':>12}{'UTF-8 bytes':>12}{'UTF-16 units':>14}{'seen by a reader':>18}")
for name, text in samples.items():
    utf16 = len(text.encode("utf-16-le")) // 2
    seen = len(regex.findall(r"\X", text))
    print(f"{name:<20}{len(text):>12}{len(text.encode()):>12}{utf16:>14}{seen:>18}")

# %% [markdown]
# - **Code points** are what Python's `len` and slices count, so a span of code points is used without any conversion.
# - **UTF-8 bytes** are what files, Rust and tokenizers count.
# - **UTF-16 units** are what JavaScript and Java count. A web page that highlights our spans has to convert them.
# - **Grapheme clusters** are what a reader calls a character. `\X` in the `regex` package finds them (Unicode UAX 29).
#
# Spans are counted in code points, but not every code point is a good place to cut:

# %%
family = samples["family emoji"]
for text in ("cafe\u0301", family, "one\r\ntwo"):
    allowed = [cut for cut in range(len(text) + 1) if snap(text, cut) == cut]
    print(f"{text!a:<48} {len(text)} code points, cut at {allowed}")
print("cut where it is not allowed:", repr("cafe\u0301"[:4]), "and", ascii("cafe\u0301"[4:]))

# %% [markdown]
# `snap(text, position)` moves a cut back to the last place where it breaks nothing. The café has lost its accent above,
# and the next chunk would begin with an accent that belongs to nothing.
#
# Because positions count what is really in the string, a reader decides **once** what the text is. Anything that
# changes its length later (Unicode normalisation, `strip()`, turning CRLF into LF) makes every stored offset wrong.
#
# ## Don't search for offsets
#
# Here is the usual way to give chunks their positions: cut first, then look for each piece. And here is a transcript,
# where people say the same thing again and again.

# %%
call = "\n\n".join(["Operator: Next question, please."] * 5)
parts = call.split("\n\n")

starts = [call.find(part) for part in parts]
found = [Span(start, start + len(part)) for start, part in zip(starts, parts, strict=True)]
print("starts:", starts)
print("text equal:", all(call[s.start : s.end] == part for s, part in zip(found, parts, strict=True)))
print(f"covered: {cover(found)} of {len(call)} characters")

# %% [markdown]
# Five chunks, one place. Note that the obvious test passes: `text[start:end] == chunk` holds for each of them, because
# `find` returns nothing else. **Text equality alone proves nothing; look at the cover too.**
#
# LangChain is more careful: it searches from `previous start + previous length − overlap`, where the next chunk can
# begin at the earliest. With an overlap setting that is large against the lines, that is still too early:

# %%
splitter = RecursiveCharacterTextSplitter(chunk_size=60, chunk_overlap=40, add_start_index=True)
print("starts:", [piece.metadata["start_index"] for piece in splitter.create_documents([call])])

# %% [markdown]
# How often does this happen in real texts? We count the characters, white space aside, that lie in no span: first
# with sizes in characters, then with sizes in tokens.


# %%
def lost(text: str, spans: list[Span]) -> int:
    """Characters in no span, white space not counted."""
    gaps = subtract(Span(0, len(text)), spans)
    return sum(not character.isspace() for gap in gaps for character in text[gap.start : gap.end])


def langchain_row(name: str, splitter: TextSplitter, documents: list[Document]) -> str:
    chunks = unknown = missing = total = 0
    for document in documents:
        pieces = splitter.create_documents([document.text])
        placed = [(piece.metadata["start_index"], len(piece.page_content)) for piece in pieces]
        chunks, unknown = chunks + len(placed), unknown + sum(start < 0 for start, _ in placed)
        missing += lost(document.text, [Span(start, start + length) for start, length in placed if start >= 0])
        total += lost(document.text, [])
    return f"{name:<34}{chunks:>8,}{unknown:>12,}{missing:>10,} of {total:,}"


# %%
chinese, english = load_corpus("zh"), [*load_corpus("en"), *read_python_reference()]
options = {"add_start_index": True, "encoding_name": encoding.name, "disallowed_special": ()}

print(f"{'':<34}{'chunks':>8}{'start is -1':>12}   characters in no span")
for language, documents in {"English": english, "Chinese": chinese}.items():
    characters = RecursiveCharacterTextSplitter(chunk_size=800, chunk_overlap=160, add_start_index=True)
    recursive = RecursiveCharacterTextSplitter.from_tiktoken_encoder(chunk_size=200, chunk_overlap=40, **options)
    tokens = TokenTextSplitter(chunk_size=200, chunk_overlap=40, **options)
    print(langchain_row(f"{language}, 800 characters", characters, documents))
    print(langchain_row(f"{language}, 200 tokens, recursive", recursive, documents))
    print(langchain_row(f"{language}, 200 tokens, fixed", tokens, documents))

# %% [markdown]
# With sizes in characters and a modest overlap, nothing is lost on these texts. With sizes in tokens it is not: the code
# subtracts an overlap of 40 *tokens* as if it were 40 *characters*. Forty tokens are much longer than that, so the
# search begins after the place where the chunk starts. It finds a later copy of the text, or none.
#
# The repair is not a better search. Whoever cuts a text knows where the cut is: **carry the offsets along**. Every
# chunker in this course works on spans and slices the text last. Exercise 01.2 is about this.
#
# ## Tokens
#
# A language model reads neither characters nor words. It reads **tokens**: pieces from a fixed list, the vocabulary.
# Limits and prices are counted in tokens, and so is the size of a context. Each box below is one token.

# %%
TokenView("The for statement is used to iterate over the elements of a sequence, unbelievably often.")

# %% [markdown]
# A frequent word is one token, with the space before it. A rare word is put together from parts. Now Chinese, a
# sentence of the handbook, and after it a line with a rare surname and an emoji:

# %%
TokenView("静默窗口是预先登记的一段时间，其间触发的告警照常记录，但不对外通知。")

# %%
TokenView("邢彧把网关交给赟哥 👩\u200d💻")

# %% [markdown]
# A box such as `<e5 bd>` is a token that holds **a part of a character**: two of the three bytes of 彧. A vocabulary
# works on bytes. A character that it rarely saw when it was learned has no entry of its own and is spelled in bytes.
# Keep that in mind; it breaks the most common way of cutting, below.
#
# How many tokens is a text? That depends on its language and on the vocabulary:

# %%
print(f"{'':<9}{'characters':>12}{'tokens':>9}{'tokens per character':>22}{'tokens in 400 characters':>26}")
for language, documents in {"English": english, "Chinese": chinese}.items():
    characters = sum(len(document.text) for document in documents)
    tokens = sum(count_tokens(document.text) for document in documents)
    print(f"{language:<9}{characters:>12,}{tokens:>9,}{tokens / characters:>22.3f}{400 * tokens / characters:>26.0f}")

# %% [markdown]
# So a chunk of 400 characters is far more context in Chinese than in English. Rules of thumb such as "four characters
# are a token" hold for one language and one vocabulary. Measure instead of guessing.
#
# These texts are the ones that the course's vocabulary was learned from, so it is at its best here. On other texts it
# needs more tokens.
#
# ### Special tokens in ordinary text
#
# A vocabulary also has special tokens that mean something to the model, such as "here the text ends". Documents about
# language models mention them. By default, tiktoken refuses such a text:

# %%
note = "Training texts are joined with <|endoftext|> between them."
try:
    encoding.encode(note)
except ValueError as error:
    print("ValueError:", str(error).splitlines()[0])

print("as a command:", len(encoding.encode(note, allowed_special="all")), "tokens")
print("as text:     ", len(encoding.encode(note, disallowed_special=())), "tokens")

# %% [markdown]
# One such page would stop the indexing of a thousand others. The second way is worse: anyone who can write a document
# can then write commands into the model's input. For documents, the third one is right: **everything is text**. That is
# `disallowed_special=()`, and `hierrag_lessons.text.tokens.encode` always uses it.
#
# ## Where a vocabulary comes from
#
# From **byte-pair encoding** (BPE). Start with the 256 single bytes. Find the pair of neighbours that is most
# frequent, make it a new entry, and do it again. Here it is in full; `words` says how often each word occurs.

# %%
Word = tuple[bytes, ...]


def merge_pair(word: Word, pair: Word) -> Word:
    """Join each occurrence of a pair, from the left."""
    joined, i = [], 0
    while i < len(word):
        size = 2 if word[i : i + 2] == pair else 1
        joined.append(b"".join(word[i : i + size]))
        i += size
    return tuple(joined)


def train(words: dict[Word, int], steps: int) -> list[tuple[Word, int]]:
    """Learn merges: the most frequent pair of neighbours, again and again, with its count."""
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        best = max(pairs, key=pairs.get)
        merges.append((best, pairs[best]))
        words = {merge_pair(word, best): count for word, count in words.items()}
    return merges


# %% [markdown]
# Watch it learn from six words. The last column shows how far "lowest" has come.


# %%
def split(text: str) -> dict[Word, int]:
    """Words of a text as tuples of single bytes, with their counts; a token never reaches over two words."""
    counts = Counter(regex.findall(PATTERN, text))
    return {tuple(bytes([byte]) for byte in word.encode()): count for word, count in counts.items()}


small = "low lower lowest low new newest"
word = next(word for word in split(small) if b"".join(word) == b" lowest")
for step, (pair, count) in enumerate(train(split(small), 7), start=1):
    word = merge_pair(word, pair)
    left, right = (part.decode() for part in pair)
    print(f"{step}. {left!r:>7} + {right!r:<5} occurs {count} times   {[part.decode() for part in word]}")

# %% [markdown]
# After a few merges the parts look like roots and endings. Nobody told it what English is.
#
# One detail is wrong with this trainer. Several pairs occur equally often, and `max` then takes the one that it met
# first. So the same words in another order give another vocabulary:

# %%
backwards = " ".join(reversed(small.split()))
for text in (small, backwards):
    print(f"{text!r:<36}", [b"".join(pair).decode() for pair, _ in train(split(text), 7)])

# %% [markdown]
# That matters: a vocabulary is a file that others must be able to make again. `tools/bpe.py` settles ties by rule, and
# so will you in exercise 01.4. It is also quicker, because it counts only what a merge has changed.
#
# The course's vocabulary was made that way from all the course's texts: 16,384 entries, in the order in which they were
# learned. Our short trainer, let loose on the same texts, starts the same way:

# %%
texts = "\n".join(document.text for document in [*english, *chinese])
ours = [b"".join(pair) for pair, _ in train(split(texts), 10)]
learned = [encoding.decode_single_token_bytes(rank) for rank in range(256, 266)]
print("ours:", [token.decode() for token in ours])
print("file:", [token.decode() for token in learned])
print(sum(a == b for a, b in zip(ours, learned, strict=True)), "of 10 agree")

# %% [markdown]
# The order has a use. Keep only the first *n* entries, and you have the vocabulary as it was after *n* − 256 merges.
# So we can watch compression grow, and see what a vocabulary does to a language that it hardly knows.


# %%
def first_entries(n: int) -> tiktoken.Encoding:
    """The course's vocabulary as it was when it had ``n`` entries."""
    ranks = {encoding.decode_single_token_bytes(rank): rank for rank in range(n)}
    return tiktoken.Encoding(f"first {n:,}", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})


def per_character(documents: list[Document], encoding: tiktoken.Encoding) -> float:
    return sum(len(encode(d.text, encoding)) for d in documents) / sum(len(d.text) for d in documents)


sizes = [256 * 2**i for i in range(7)]
curves = {
    name: [per_character(documents, first_entries(n)) for n in sizes]
    for name, documents in {"English": english, "Chinese": chinese}.items()
}
print(f"{'entries':>9}" + "".join(f"{name:>10}" for name in curves) + "   tokens per character")
for row in zip(sizes, *curves.values(), strict=True):
    print(f"{row[0]:>9,}{row[1]:>10.3f}{row[2]:>10.3f}")

# %%
with drawing(3.6, width=8.0) as (figure, [axes]):
    for (name, values), marker in zip(curves.items(), "os", strict=True):
        axes.plot(sizes, values, marker=marker)
        axes.annotate(name, (sizes[1], values[1]), xytext=(8, 6), textcoords="offset points")
    axes.set_xscale("log", base=2)
    axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
    axes.set(xlabel="entries in the vocabulary", ylabel="tokens per character", ylim=(0, None))
    axes.grid(alpha=0.3)
    figure.alt = (
        "Two falling curves: tokens per character over the number of entries, 256 to 16,384. English starts at "
        "one token per character, falls steeply and then slowly. Chinese starts at more than two and is still "
        "falling clearly at 16,384."
    )
figure

# %% [markdown]
# English has most of its gain after the first two thousand entries. Chinese has thousands of characters, most of three bytes, and must
# first learn to put single characters together. A vocabulary that was learned mostly from English texts stays near the
# left end of the Chinese curve.
#
# ## Cutting every n tokens
#
# The usual code takes the token ids, slices the list, and decodes each slice. It is short, and it is everywhere.


# %%
def slices(text: str, encoding: tiktoken.Encoding, size: int) -> list[str]:
    """Cut a text every ``size`` tokens, as it is often published."""
    ids = encoding.encode(text, disallowed_special=())
    return [encoding.decode(ids[i : i + size]) for i in range(0, len(ids), size)]


message = "退款单已转给邢彧 👩\u200d💻，他会在今天18:00前联系您。"
for piece in slices(message, encoding, 6):
    print(repr(piece))

library = TokenTextSplitter(encoding_name=encoding.name, chunk_size=6, chunk_overlap=0).split_text(message)
print("LangChain's TokenTextSplitter has", sum("\ufffd" in piece for piece in library), "chunks with U+FFFD")

# %% [markdown]
# Cuts fell inside the emoji, which takes many tokens. `decode` cannot read half a character and writes U+FFFD, the
# replacement character `�`, on both sides. What stood there is gone from the index, for good. A person's name with a
# rare character goes the same way.
#
# How often does that happen? We cut the handbook into slices of 200 tokens, with the course's vocabulary as it was at
# several sizes. The smaller ones stand for a vocabulary that has seen little Chinese.

# %%
print(f"{'vocabulary':<14}{'tokens':>8}{'slices':>8}{'with U+FFFD':>13}   joined again, the text is")
for n in (1_024, 2_048, 4_096, 16_384):
    part = first_entries(n)
    cut = slices(handbook.text, part, 200)
    broken = sum("\ufffd" in piece for piece in cut)
    whole = "the same" if "".join(cut) == handbook.text else "another one"
    print(f"{part.name:<14}{len(encode(handbook.text, part)):>8,}{len(cut):>8}{broken:>13}   {whole}")

# %% [markdown]
# The full vocabulary comes off well here only because it has learned from this very handbook; the message above shows what
# a new character does to it. And luck does not last: every cut depends on all tokens before it, so one word more at the
# beginning of a text moves all the cuts after it.
#
# A second bug follows from the first. Published code builds smaller chunks by encoding the *decoded* larger chunk again.
# But U+FFFD has its own tokens:

# %%
ids = encoding.encode(message)
print("slice  tokens  encoded again  same tokens")
for number, start in enumerate(range(0, len(ids), 6)):
    parent = ids[start : start + 6]
    again = encoding.encode(encoding.decode(parent))
    print(f"{number:>5}{len(parent):>8}{len(again):>15}  {'yes' if again == parent else 'no'}")

# %% [markdown]
# Where the answer is no, each position inside the parent is a position in a text that does not exist.
#
# ### The repair: cut only where a character ends
#
# Tokens are runs of bytes, and nothing is lost between them. So add up their lengths: that gives the byte offset where
# each token ends. Some of these offsets lie inside a character; those are no cuts. The others become code points.
# NumPy does it for all tokens at once, and the text is encoded only once.


# %%
def token_cuts(text: str, encoding: tiktoken.Encoding) -> tuple[np.ndarray, np.ndarray]:
    """Code points where a token ends and no character is broken, and the number of tokens before each."""
    lengths = [len(token) for token in encoding.decode_tokens_bytes(encode(text, encoding))]
    byte_ends = np.concatenate(([0], np.cumsum(lengths, dtype=int)))
    raw = np.frombuffer(text.encode(), dtype=np.uint8)
    begins = np.append((raw & 0b1100_0000) != 0b1000_0000, True)  # all but UTF-8's continuation bytes
    code_point = np.cumsum(begins) - 1
    tokens_before = np.flatnonzero(begins[byte_ends])
    return code_point[byte_ends[tokens_before]], tokens_before


cuts, tokens_before = token_cuts(message, encoding)
print("cut after token ", tokens_before.tolist())
print("is at code point", cuts.tolist())

# %% [markdown]
# The numbers that are missing in the first row are tokens that end inside a character. Byte by byte it looks like this,
# for an accent in a code point of its own, a Chinese character, and an emoji of three code points. A cut is permitted
# only where **all four rows** have a border.

# %% tags=["hide-input"]
sample = "e\u0301中👩\u200d💻"
rows = {
    "bytes": [bytes([byte]) for byte in sample.encode()],
    "tokens": encoding.decode_tokens_bytes(encode(sample, encoding)),
    "code points": [character.encode() for character in sample],
    "seen by a reader": [cluster.encode() for cluster in regex.findall(r"\X", sample)],
}
labels = {
    "code points": [f"{ord(c):04X}" for c in sample],
    "seen by a reader": ["e with accent", "zhong (middle)", "woman technologist"],
}
borders = {name: [0, *np.cumsum([len(box) for box in boxes]).tolist()] for name, boxes in rows.items()}
permitted = sorted(set.intersection(*map(set, borders.values())))

with drawing(2.9) as (figure, [axes]):
    for y, (name, boxes) in enumerate(rows.items()):
        for i, box in enumerate(boxes):
            axes.barh(y, len(box), 0.7, borders[name][i], color=("#abdaf4", "#f5d899")[i % 2], edgecolor="#1a1a1a")
            label = labels[name][i] if name in labels else box.hex(" ")
            axes.text(borders[name][i] + len(box) / 2, y, label, ha="center", va="center", fontsize=8)
    axes.vlines(permitted, -0.6, 3.6, colors="#1a1a1a", linestyles="dashed")
    axes.set_yticks(range(4), rows)
    axes.set(xticks=permitted, xlabel="byte (only permitted cuts are numbered)", xlim=(-0.2, 17.2), ylim=(3.6, -0.6))
    axes.spines[["top", "right", "left"]].set_visible(False)
    print("borders:", {name: len(ends) for name, ends in borders.items()}, "permitted:", permitted)
    figure.alt = (
        "Four rows of boxes over the 17 bytes of an e with an accent, a Chinese character and an emoji. Bytes: 17 "
        "boxes. Tokens: boxes of one to three bytes, most of them parts of a character. Code points: six boxes. "
        "Characters as a reader sees them: three boxes. Dashed lines mark the permitted cuts at bytes 0, 3, 6 and "
        "17, where all rows have a border."
    )
figure

# %% [markdown]
# Now a chunker is a walk over the cuts: go as many tokens as fit, step back to the end of a grapheme cluster, go on
# from there. Where not even one cluster fits, it is taken whole.


# %%
def chunk(text: str, encoding: tiktoken.Encoding, size: int) -> list[Span]:
    """Spans of at most ``size`` of the text's tokens, cut at ends of tokens, characters and clusters."""
    cuts, tokens_before = token_cuts(text, encoding)
    spans, start = [], 0
    while start < len(text):
        limit = tokens_before[np.searchsorted(cuts, start)] + size
        last = cuts[np.searchsorted(tokens_before, limit, side="right") - 1]
        end = snap(text, int(last), start)
        if end == start:
            end = regex.compile(r"\X").match(text, start).end()
        spans.append(Span(start, end))
        start = end
    return spans


for span in chunk(message, encoding, 6):
    print(tuple(span), repr(message[span.start : span.end]))

# %% [markdown]
# Name and emoji are whole. And the spans need no search: `message[start:end]` is the chunk, by construction.
#
# ### Against tiktoken's own offsets
#
# tiktoken can give the offset of each token too: `decode_with_offsets`. Where a token ends at a character's end, it
# agrees with ours. For a token that begins inside a character it gives that character's start, so its answer does not
# tell whether one may cut there.

# %%
ids = encode(handbook.text, encoding)
cuts, tokens_before = token_cuts(handbook.text, encoding)
_, offsets = encoding.decode_with_offsets(ids.tolist())
same = sum(offsets[n] == cut for n, cut in zip(tokens_before[:-1], cuts[:-1], strict=True))
print(f"{len(ids):,} tokens, {same:,} of {len(cuts) - 1:,} cuts agree")
print(f"{len(ids) - len(cuts) + 1} tokens end inside a character")
print("message:", encoding.decode_with_offsets(encoding.encode(message))[1][:16], "…")

# %% [markdown]
# ### Is a chunk of 200 tokens a chunk of 200 tokens?
#
# One surprise is left. We counted the tokens of the *document*. The model gets the chunk alone, and a text encoded on
# its own can come out differently at its ends: without the space before it, a word is another token.

# %%
digits = "1234567"
print([encoding.decode([token]) for token in encoding.encode(digits)], "but its tail alone:", end=" ")
print([encoding.decode([token]) for token in encoding.encode(digits[1:])])

alone = [
    count_tokens(document.text[span.start : span.end].strip())
    for document in [*english, *chinese]
    for span in chunk(document.text, encoding, 200)
]
print(
    f"{len(alone):,} chunks; {sum(size > 200 for size in alone)} have more than 200 tokens alone, at most {max(alone)}"
)

# %% [markdown]
# The package's `TokenRuler` finds the same cuts as `token_cuts`. When it measures a span it also encodes the two ends
# anew, where they can differ, so the size is exactly that of the chunk alone. `FixedSizeChunker` cuts with it. All
# that this lesson asked for, checked on every text of the course:

# %%
documents = [*english, *chinese]
same_cuts = sum(np.array_equal(TokenRuler(d.text, encoding).cuts, token_cuts(d.text, encoding)[0]) for d in documents)
print(f"cuts: {same_cuts} of {len(documents)} documents agree with ours")

print(f"{'':<9}{'chunks':>7}{'as ours':>9}{'largest':>9}{'text differs':>14}{'U+FFFD':>8}{'characters lost':>17}")
for language, texts in {"English": english, "Chinese": chinese}.items():
    cut = [(document, FixedSizeChunker(200).chunk(document)) for document in texts]
    chunks = [(document, piece) for document, pieces in cut for piece in pieces]
    mine = {(d.doc_id, *trim(d.text, span)) for d in texts for span in chunk(d.text, encoding, 200)}
    shared = sum((d.doc_id, piece.start, piece.end) in mine for d, piece in chunks)
    differs = sum(d.text[piece.start : piece.end] != piece.text for d, piece in chunks)
    broken = sum("\ufffd" in piece.text for _, piece in chunks)
    missing = sum(lost(document.text, [piece.span for piece in pieces]) for document, pieces in cut)
    largest = max(count_tokens(piece.text) for _, piece in chunks)
    print(f"{language:<9}{len(chunks):>7}{shared:>9}{largest:>9}{differs:>14}{broken:>8}{missing:>17}")

# %% [markdown]
# The chunks that differ are those with more than 200 tokens alone. The package keeps the space in front of them, with
# which they fit.
#
# What does exactness cost? Here is the time in units of one plain tokenizer pass over all texts. It differs from machine
# to machine and from run to run.

# %% tags=["volatile"]
seconds = {}
for name, work in {
    "encode": lambda text: encode(text, encoding),
    "encode and decode_with_offsets": lambda text: encoding.decode_with_offsets(encode(text, encoding).tolist()),
    "TokenRuler": lambda text: TokenRuler(text, encoding),
}.items():
    started = perf_counter()
    for document in documents:
        work(document.text)
    seconds[name] = perf_counter() - started
    print(f"{name:<32}{seconds[name] / seconds['encode']:.1f} times one pass")

# %% [markdown]
# ### Where this loses
#
# Exact spans are not yet good chunks. The first four chunks of the handbook end like this:

# %%
ends = [piece.text[-24:].replace("\n", "↵") for piece in FixedSizeChunker(200).chunk(handbook)[:4]]
for end in ends:
    print("…", end)

# %% [markdown]
# The cut respects characters and ignores sentences. That is what lessons 04 to 12 are about. The spans stay as they
# are here; only the places of the cuts get better.
#
# ## Parameters
#
# | parameter | start with | turn it when | what it costs |
# |---|---|---|---|
# | `measure` | `count_tokens` | `len` for a first look, or where only characters are known | tokens: one tokenizer pass over each document |
# | `max_size` | 200 tokens | answers need more around them: larger; search is too vague: smaller | smaller chunks: more vectors to store and search |
# | `overlap` | 0, then 10 to 20 % | facts fall on a cut | every repeated token is embedded, stored and possibly returned twice |
# | vocabulary | the course's | your model has its own: `HIERRAG_ENCODING=cl100k_base` | a download at first use |
# | special tokens | `disallowed_special=()` | never for documents | nothing |
#
# Turn the unit first. A size in characters means something else in every language.
#
# ## Exercises
#
# `check` runs your function on many inputs and shows the smallest one that fails. `hint("01.1")` gives a hint, again
# for the next one; `solution("01.1")` shows a solution.
#
# ### Exercise 01.1 · What is stored twice
#
# ★☆☆ · 10 minutes. Overlapping chunks store some text twice. Return the parts of the document that lie in **two or
# more** of the spans: sorted, disjoint, none empty. For `[0, 30)` and `[13, 50)` that is `[13, 30)`. You may use
# `merge`.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def repeated(spans: list[Span]) -> list[Span]:
    """What lies in two or more of the spans, as sorted spans that are disjoint and not empty."""
    return ...


check("01.1", repeated)

# %% tags=["solution"]
from hierrag_lessons import Span, check, merge

# solution: 01.1


check("01.1", repeated)

# %% [markdown]
# ### Exercise 01.2 · Find the bug: paragraphs
#
# ★☆☆ · 8 minutes. Paragraphs are divided by an empty line, `"\n\n"`. This function returns their spans without the
# white space around them, and it is right for most texts. Find one for which it is not, and repair it.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def paragraph_spans(text: str) -> list[Span]:
    """The spans of the paragraphs, which blank lines divide, without white space at their ends."""
    spans = []
    for piece in text.split("\n\n"):
        piece = piece.strip()
        if piece:
            start = text.find(piece)
            spans.append(Span(start, start + len(piece)))
    return spans


check("01.2", paragraph_spans)

# %% tags=["solution"]
from hierrag_lessons import Span, check, trim

# solution: 01.2


check("01.2", paragraph_spans)

# %% [markdown]
# ### Exercise 01.3 · Find the bug: chunks of tokens
#
# ★★★ · 20 minutes. The slicing of token ids, in its usual form: `tokens` are the bytes of each token, and each chunk
# takes `size` of them. Its spans are wrong as soon as a cut falls inside a character. Repair it, by these rules:
#
# - A chunk takes as many tokens as it can, at most `size`, and ends where a token **and** a character end.
# - Where a chunk would be empty by that rule, because its first character needs more than `size` tokens, it goes on to
#   the first place where a token and a character end.
# - The next chunk starts where this one ends.
#
# Grapheme clusters are left out here. The tokens together are always valid UTF-8.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def chunk_spans(tokens: list[bytes], size: int) -> list[Span]:
    """Code-point spans of chunks of at most ``size`` tokens that break no character."""
    spans, start = [], 0
    for i in range(0, len(tokens), size):
        piece = b"".join(tokens[i : i + size]).decode(errors="replace")
        spans.append(Span(start, start + len(piece)))
        start += len(piece)
    return spans


check("01.3", chunk_spans)

# %% tags=["solution"]
from hierrag_lessons import Span, check

# solution: 01.3


check("01.3", chunk_spans)

# %% [markdown]
# ### Exercise 01.4 · The next pair to merge
#
# ★★☆ · 8 minutes. Write the step of byte-pair encoding that does not depend on the order of the texts. `words` says
# how often each word occurs; a word is a tuple of token numbers. Return the most frequent pair of neighbours, and among
# equally frequent ones the **smallest** pair (`(1, 9)` before `(2, 3)`). Return `None` where no word has two tokens.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def best_pair(words: dict[tuple[int, ...], int]) -> tuple[int, int] | None:
    """The most frequent pair of neighbours; among equals the smallest; ``None`` where there is no pair."""
    return ...


check("01.4", best_pair)

# %% tags=["solution"]
from collections import Counter
from itertools import pairwise

from hierrag_lessons import check

# solution: 01.4


check("01.4", best_pair)

# %% [markdown]
# ## Takeaways
#
# 1. Everything is a span: half-open, absolute, in code points of a text that never changes.
# 2. Offsets are carried along, never searched for. Text equality doesn't prove them; the cover does.
# 3. A token is a run of bytes and can end inside a character. Slicing token ids breaks text that the vocabulary has
#    not seen.
# 4. Cut only where a token, a character and a grapheme cluster end; byte lengths give all these places in one pass.
# 5. A size means something only with its unit, its vocabulary and its language.
#
# ## Interview questions
#
# <details><summary>1. Your RAG system shows chunks at wrong places in the source. All of them satisfy
# <code>text[start:end] == chunk</code>. How can that be, and how do you test for it?</summary>
#
# The starts were searched for, and in a text that repeats itself the search finds another copy. Equality holds for any
# copy. Test the cover as well: subtract all spans from the document, and nothing but white space may be left. Test that
# the starts rise. Better, repair the cause: have the splitter return the offsets of its cuts.
#
# </details>
#
# <details><summary>2. Chinese chunks contain the character �. What happened, and what do you change?</summary>
#
# The text was cut by slicing token ids. In a byte-level vocabulary a character can take several tokens, and decoding
# one half of it gives U+FFFD. Cut the text, not the ids: compute each token's end in bytes, keep the ends that are also
# ends of characters (better: of grapheme clusters), and slice the original string there.
#
# </details>
#
# <details><summary>3. Two teams report results "with chunks of 500". Why may their systems differ by a factor of two or
# more in context and cost?</summary>
#
# 500 of what? Characters and tokens differ by a factor that depends on the language; tokens of two vocabularies differ
# too. And tokens counted inside the document are not quite the tokens of the chunk alone. Compare systems at the same
# number of tokens handed to the model, counted with that model's vocabulary.
#
# </details>
#
# ## Further reading
#
# - Sennrich, Haddow and Birch, *Neural Machine Translation of Rare Words with Subword Units*, 2016:
#   [arXiv:1508.07909](https://arxiv.org/abs/1508.07909). Byte-pair encoding for text.
# - Petrov, La Malfa, Torr and Bibi, *Language Model Tokenizers Introduce Unfairness Between Languages*, 2023:
#   [arXiv:2305.15425](https://arxiv.org/abs/2305.15425). The same sentence, up to 15 times as many tokens.
# - Unicode Standard Annex 29, *Unicode Text Segmentation*: [unicode.org/reports/tr29](https://www.unicode.org/reports/tr29/).
# - tiktoken, with an educational implementation in `tiktoken/_educational.py`:
#   [github.com/openai/tiktoken](https://github.com/openai/tiktoken).
#
# Next: [02 · Embeddings and the store](02_embeddings_and_store.ipynb).
