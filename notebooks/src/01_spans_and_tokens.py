# %% [markdown]
# # 01 · Spans and tokens
#
# An assistant answers questions about an annual report. Under each answer there is a link: *show me where it says so*.
# Click it, and the passage lights up in yellow. In the demo it works. In the first week, the links of every fourth chunk
# light up nothing.
#
# Here is how the report was cut into **chunks**, the pieces that are searched. The splitter is LangChain's, one of the
# most used. With `add_start_index=True` it writes into each chunk where it starts.

# %%
import tiktoken
from langchain_text_splitters import RecursiveCharacterTextSplitter

from hierrag_lessons import get_encoding, load_corpus

encoding = get_encoding()  # what sizes are counted with; more on that below
tiktoken.registry.ENCODINGS[encoding.name] = encoding  # LangChain asks for it by name
documents = {document.doc_id: document for language in ("en", "zh") for document in load_corpus(language)}
splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
    encoding.name, chunk_size=200, chunk_overlap=40, add_start_index=True
)
for name in ("en/annual_report", "zh/technical_handbook"):
    pieces = splitter.create_documents([documents[name].text])
    starts = [piece.metadata["start_index"] for piece in pieces]
    print(f"{name}: {len(pieces)} chunks, {starts.count(-1)} of them start at -1")

text = documents["en/annual_report"].text
piece = next(p for p in splitter.create_documents([text]) if p.metadata["start_index"] == -1)
start = piece.metadata["start_index"]
print("the chunk:  ", repr(piece.page_content[:60]), "…")
print("highlighted:", repr(text[start : start + len(piece.page_content)]))

# %% [markdown]
# −1 means: not found. But each chunk was cut out of this very text! Nothing was raised, and no test failed. A quarter
# of the report's chunks have lost their place, and of a handbook in Chinese one in six. (LangChain knows the fault: its
# issues [17642](https://github.com/langchain-ai/langchain/issues/17642) and
# [29884](https://github.com/langchain-ai/langchain/issues/29884).)
#
# Two things went wrong. The place was *searched for* after the cut. And two units were mixed up, characters and tokens.
# This lesson repairs both.
#
# **You will** describe chunks, evidence and search results as ranges of one text; build the four functions that the
# rest of the course stands on; and cut a text every *n* tokens without breaking a character.
#
# **You learn** why a chunk must carry its place, what an offset counts, what a token is, and how far token counts of
# two models differ.
#
# **You need** Python, and a little NumPy near the end. {{minutes}}. Medium (★★☆). No network, no API key. Words that
# you meet again are in the [glossary](GLOSSARY.md).
#
# {{map}}
#
# The way through: [spans](#Everything-is-a-span), [don't search](#Don't-search-for-offsets), [what an offset
# counts](#What-an-offset-counts), [tokens](#Tokens), [another model's tokens](#The-tokens-of-another-model), [cutting
# every n tokens](#Cutting-every-n-tokens), [in production](#In-production), [exercises](#Exercises).
#
# ## Everything is a span
#
# A **document** is one string that never changes. Everything else is a **span** of it: two numbers, `start` and `end`.
#
# ![A text of 50 characters. Below it bars: the document is the span 0 to 50, three sentences are 0 to 18, 19 to 30 and
# 31 to 50, two chunks 0 to 30 and 13 to 50 share 13 to 30, the evidence is 19 to 30, and the returned passage is the
# union of both chunks, 0 to 50.](images/01_spans.svg)

# %%
from hierrag_lessons import Document, Span

report = Document("report", "Revenue rose 8.2%. Costs fell. Net income doubled.")
evidence, first, second = Span(19, 30), Span(0, 30), Span(13, 50)

for span in (evidence, first, second):
    print(tuple(span), repr(report.text[span.start : span.end]))
print("pasted together:", report.text[first.start : first.end] + " " + report.text[second.start : second.end])

# %% [markdown]
# Two chunks, `first` and `second`, overlap on purpose, so that no fact is cut in two. Look at the last line. That is what
# the language model gets when chunks are mere strings: *Costs fell* twice. You pay for it twice, and it looks twice as
# important. With spans you see the overlap, and can take it out.
#
# Three conventions hold everywhere in this course:
#
# - **Half-open.** `start` belongs to the span and `end` does not, as in Python's slices. So the length is `end - start`,
#   and neighbours share a number: `[0, 18)` and `[18, 30)`.
# - **Absolute.** An **offset** counts from the beginning of the document, also for a sentence inside a chunk inside a
#   section. Nothing has to be added up to find a place.
# - **Code points.** Offsets are Python's string indices. What else they could be comes [below](#What-an-offset-counts).
#
# Why go to this length? Because nearly everything a retrieval system does is then a small question about two numbers:
#
# | what you want | as spans | in the example |
# |---|---|---|
# | cite a source, light it up | a chunk is one span | `first`, `second` |
# | take out what comes twice | two chunks whose spans intersect | `[13, 30)` |
# | fill a budget and no more | the union of spans | `[0, 50)`, nothing twice |
# | measure a search | overlap of what came back with the evidence | `first` holds all of `evidence` |
# | return more around a hit | a span grown to its neighbours | `[19, 30)` becomes `[0, 50)` |
# | build a hierarchy | spans inside spans | sentence in chunk in document |
# | merge two hits | children replaced by their parent | two chunks become the document |
#
# The last three rows are lessons 13, 14 and 15. So let's build the operations, once and for all.
#
# ### How much do two spans share?


# %%
def overlap(a: Span, b: Span) -> int:
    """Number of code points that two spans share."""
    return max(0, min(a.end, b.end) - max(a.start, b.start))


print("first and second share ", overlap(first, second))
print("evidence inside second:", overlap(evidence, second), "of", evidence.end - evidence.start)
print("neighbours share       ", overlap(Span(0, 18), Span(18, 30)))

# %% [markdown]
# ### What do several spans hold together?
#
# Sort them by start. Then each span either continues the last one or begins a new one.


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
# ### What is in none of them?
#
# This question finds lost text.


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
# The package has the same functions, in `hierrag_lessons.spans`. Do ours agree? Random spans are a harder test than any
# example.

# %%
from random import Random

import hierrag_lessons

rng, package, agree = Random(1), hierrag_lessons.spans, 0
for _ in range(2_000):
    spans = [Span(start, start + rng.randrange(8)) for start in (rng.randrange(30) for _ in range(rng.randrange(2, 6)))]
    agree += (
        overlap(spans[0], spans[1]) == package.overlap(spans[0], spans[1])
        and merge(spans) == package.merge(spans)
        and cover(spans) == package.cover(spans)
        and subtract(spans[0], spans[1:]) == package.subtract(spans[0], spans[1:])
    )
print(f"{agree:,} of 2,000 agree")

# %% [markdown]
# `subtract` finds lost text. So let us count what LangChain lost.
#
# ## Don't search for offsets
#
# The usual code cuts first and then looks for each piece. Here is a transcript, where people say the same thing again
# and again:

# %%
call = "\n\n".join(["Operator: Next question, please."] * 5)
parts = call.split("\n\n")

starts = [call.find(part) for part in parts]
found = [Span(start, start + len(part)) for start, part in zip(starts, parts, strict=True)]
print("starts:", starts)
print("text equal:", all(call[s.start : s.end] == part for s, part in zip(found, parts, strict=True)))
print(f"covered: {cover(found)} of {len(call)} characters")

# %% [markdown]
# Five chunks, one place. And the obvious test passes! `text[start:end] == chunk` holds for each of them, because
# `find` only returns places with equal text. **Test what is covered. Equal text is not enough.**
#
# LangChain is more careful. It searches from the end of the last chunk, less the overlap. How well does that work? Here
# are three splitters, one sized in characters and two in tokens. How many characters, without white space, does none of
# their spans cover?

# %%
from langchain_text_splitters import TokenTextSplitter

from hierrag_lessons import read_python_reference


def lost(text: str, spans: list[Span]) -> int:
    """Characters in no span, white space not counted."""
    gaps = subtract(Span(0, len(text)), spans)
    return sum(not character.isspace() for gap in gaps for character in text[gap.start : gap.end])


texts = [document.text for document in [*documents.values(), *read_python_reference()]]
options = {"add_start_index": True, "encoding_name": encoding.name, "disallowed_special": ()}
splitters = {
    "800 characters, overlap 160": RecursiveCharacterTextSplitter(
        chunk_size=800, chunk_overlap=160, add_start_index=True
    ),
    "200 tokens, overlap 40, recursive": RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        chunk_size=200, chunk_overlap=40, **options
    ),
    "200 tokens, overlap 40, fixed": TokenTextSplitter(chunk_size=200, chunk_overlap=40, **options),
}
total = sum(lost(text, []) for text in texts)
print(f"{'':<36}{'chunks':>7}{'start at -1':>13}{'characters in no span':>24}")
for name, splitter in splitters.items():
    count = unknown = missing = 0
    for text in texts:
        placed = [(p.metadata["start_index"], len(p.page_content)) for p in splitter.create_documents([text])]
        count, unknown = count + len(placed), unknown + sum(start < 0 for start, _ in placed)
        missing += lost(text, [Span(start, start + length) for start, length in placed if start >= 0])
    print(f"{name:<36}{count:>7,}{unknown:>13,}{missing / total:>24.0%}")

# %% [markdown]
# In characters nothing is lost on these texts. In tokens a fifth of all text is, or a third. The code subtracts an
# overlap of 40 *tokens* as if it were 40 *characters*. Forty tokens are much longer than that. So the search starts too
# late. It has passed the right place already, and finds a later copy, or nothing. After a −1 it counts on from −1, so it
# starts again near the beginning of the document. There it can find the right place, or an earlier copy.
#
# The repair is not a better search. Whoever cuts a text knows where the cut is. **Carry the offsets along**: cut spans,
# and slice the text last. Every chunker in this course works like that. You write the first one in exercise 01.2.
#
# ## What an offset counts
#
# "Character 7" has three meanings, and programs disagree about them.

# %%
samples = {"plain": "Zoe", "with two dots": "Zoë", "Chinese": "中文", "an emoji": "👩\u200d💻"}
print(f"{'':<16}{'code points':>12}{'UTF-8 bytes':>13}{'UTF-16 units':>14}")
for name, sample in samples.items():
    print(f"{name:<16}{len(sample):>12}{len(sample.encode()):>13}{len(sample.encode('utf-16-le')) // 2:>14}")

# %% [markdown]
# - **Code points** are what Python's `len` and slices count. Spans in this course are in code points.
# - **UTF-8 bytes** are what files, Rust and byte-level vocabularies such as tiktoken's count.
# - **UTF-16 units** are what JavaScript and Java count. A web page that lights up your spans has to convert them, or each
#   emoji moves everything after it. For JavaScript an offset is `len(text[:offset].encode("utf-16-le")) // 2`.
#
# The last row is one picture and three code points: a woman, an invisible joiner, a computer. What a reader calls one
# character is a **grapheme cluster**, and nobody wants half of one. The package never cuts inside one.
# [Appendix A1](appendix/A1_tokens_and_characters.ipynb) shows how.
#
# One rule follows. Decide **once**, when you read a file, what its text is. Whatever changes the length later makes
# every stored offset wrong: `strip()`, Unicode normalisation, Windows line ends turned into `\n`.
#
# Offsets are in code points. Sizes are in tokens, and that is the second unit.
#
# ## Tokens
#
# A language model reads neither characters nor words. It reads **tokens**: pieces from a fixed list, its **vocabulary**.
# Limits and prices are counted in tokens. Each box is one token:

# %%
from hierrag_lessons import TokenView

TokenView("The assistant highlighted the unbelievably long paragraph, and Zoë 👩\u200d💻 wasn't amused.")

# %% [markdown]
# A frequent word is one token, with the space before it. A rare word is put together from parts. And a box such as
# `<f0>` is **a part of a character**: one of the four bytes of the emoji. A vocabulary is learned from text, and
# characters that were rare there are spelled byte by byte. Remember these boxes. They break the most common way of cutting.
#
# Where does the list come from? From **BPE**, byte-pair encoding: start with single bytes, join the most frequent pair of
# neighbours, and again, thousands of times. The appendix trains one in thirty lines. The course's own has 16,384 entries
# and was learned from the course's texts, so that everything here runs without a network.
#
# How many tokens is a text?

# %%
from hierrag_lessons import count_tokens

print(f"{'':<9}{'characters':>12}{'tokens':>9}{'tokens in 400 characters':>26}")
for language in ("en", "zh"):
    own = [document.text for document in documents.values() if document.language == language]
    characters, tokens = sum(map(len, own)), sum(map(count_tokens, own))
    print(f"{language:<9}{characters:>12,}{tokens:>9,}{400 * tokens / characters:>26.0f}")

# %% [markdown]
# A chunk of 400 characters has twice as many tokens in Chinese. So "four characters are
# a token" holds for one language and one vocabulary. **A size means nothing without its unit.**
#
# ## The tokens of another model
#
# Your model has another vocabulary than this course. How far off is a count with the wrong one? We cut all texts to
# pieces of 200 and of 2,000 tokens, and counted them again with `cl100k_base`, OpenAI's vocabulary of 2023 for GPT-4. (It
# is downloaded at first use. So this was measured once, and the figures are in the repository.)

# %%
import json

from hierrag_lessons import DATA_DIR, Table

recorded = json.loads((DATA_DIR.parent / "benchmarks/results/vocabulary.json").read_text(encoding="utf-8"))
rows = [
    (language, int(size), *(f"{100 * (ratio - 1):+.0f} %" for ratio in ratios))
    for language, entry in recorded["languages"].items()
    for size, ratios in entry["times_ours"].items()
]
Table(("texts", "our tokens", "least", "median", "most"), tuple(rows), "tokens of cl100k_base, against ours")

# %% [markdown]
# In English the two agree on average. But a context of 2,000 tokens can be 14 % more, and a single chunk a third: tables,
# codes, names. In Chinese it is three quarters more; at worst double for 2,000 tokens, and two and a half times for one
# chunk. (Ours was learned from these very texts. On yours it probably needs more tokens, and then these ratios are lower.
# Later models read later vocabularies, such as `o200k_base`, which we did not measure. So take the figures as a warning
# and count with your own.)
#
# So on Monday:
#
# - **Count with the vocabulary of the model that reads.** For embeddings that is the embedding model's
#   ([lesson 02](02_embeddings_and_store.ipynb) shows a model that stops reading at 256 of its own). For OpenAI's, set
#   `HIERRAG_ENCODING=cl100k_base`, or the name of another one that tiktoken knows.
# - **If you can't, leave a margin.** For English contexts of some thousand tokens 15 % was enough here. For single chunks
#   a third. For other languages no margin is safe: measure yours on a hundred chunks. Exercise 01.4 does.
# - **Leave room for the rest**: the instructions, the question, headings and numbers around each passage, the answer.
# - **Compare methods in one unit.** All methods of this course get equal budgets, counted alike. If the unit is
#   wrong, it is wrong for every method.
#
# And one trap. A vocabulary has special tokens, such as "the text ends here". What if a document mentions one?

# %%
note = "Training texts are joined with <|endoftext|> between them."
try:
    encoding.encode(note)
except ValueError as error:
    print("ValueError:", str(error).splitlines()[0])
print("as a command:", len(encoding.encode(note, allowed_special="all")), "tokens")
print("as text:     ", len(encoding.encode(note, disallowed_special=())), "tokens")

# %% [markdown]
# By default one such page stops your indexing. `allowed_special="all"` is worse: if you send token numbers that were
# encoded like that, a document can contain real commands. In documents, **everything is text**: `disallowed_special=()`.
#
# ## Cutting every n tokens
#
# The usual code slices the list of token numbers and decodes each slice. It is short, and it is everywhere.


# %%
def slices(text: str, size: int) -> list[str]:
    """Cut a text every ``size`` tokens, as it is often published."""
    ids = encoding.encode(text, disallowed_special=())
    return [encoding.decode(ids[i : i + size]) for i in range(0, len(ids), size)]


message = "The refund went to Zoë 👩\u200d💻, and she'll call you before 18:00."
for piece in slices(message, 8):
    print(repr(piece))
library = TokenTextSplitter(encoding_name=encoding.name, chunk_size=8, chunk_overlap=0).split_text(message)
print("LangChain's TokenTextSplitter:", sum("\ufffd" in piece for piece in library), "chunks with U+FFFD")

# %% [markdown]
# Look at Zoë. The first cut fell inside her ë, which takes two tokens. `decode` can't read half a character, and writes
# U+FFFD, the replacement character `�`, on both sides. Her name is gone from the text, for good: a search for the word
# *Zoë* will not find this chunk, and nobody can show her name. With 4,096 entries in place of 16,384, 19 of 106 slices of
# a Chinese handbook are broken like that ([appendix
# A1](appendix/A1_tokens_and_characters.ipynb#What-slicing-does-to-Chinese)).
#
# ### Cut only where a character ends
#
# The repair needs one look at the bytes. A token is a run of bytes, and so is a character. Here are an accent as a code
# point of its own, a Chinese character, and the emoji. **You may cut only where all four rows have a border**:

# %% tags=["hide-input"]
import numpy as np
import regex

from hierrag_lessons import drawing, encode

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
            axes.text(borders[name][i] + len(box) / 2, y, label, ha="center", va="center", fontsize=8, color="#1a1a1a")
    axes.vlines(permitted, -0.6, 3.6, colors="#1a1a1a", linestyles="dashed")
    axes.set_yticks(range(4), rows)
    axes.set(xticks=permitted, xlabel="byte (only permitted cuts are numbered)", xlim=(-0.2, 17.2), ylim=(3.6, -0.6))
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.alt = (
        "Four rows of boxes over the 17 bytes of an e with an accent, a Chinese character and an emoji. Bytes: 17 "
        "boxes. Tokens: 14 boxes of one to three bytes, most of them parts of a character. Code points: six boxes. "
        "Characters as a reader sees them: three boxes. Dashed lines mark the permitted cuts at bytes 0, 3, 6 and "
        "17, where all rows have a border."
    )
figure

# %% [markdown]
# Seventeen bytes, and four places for a cut: 0, 3, 6 and 17. First look for a token's end that is also a code point's
# end:
#
# 1. Add up the lengths of the tokens. That gives the byte where each token ends.
# 2. Drop the ends inside a code point.
# 3. Convert the rest from bytes to code points.
#
# "Zoë" has four bytes, 5A 6F C3 AB, and each is a token, so tokens end at bytes 1, 2, 3 and 4. Byte AB continues C3, so 3
# is dropped. The others become code points 1, 2 and 3.


# %%
def token_cuts(text: str) -> tuple[np.ndarray, np.ndarray]:
    """Code points where a token ends and no code point is broken, and the number of tokens before each."""
    lengths = [len(token) for token in encoding.decode_tokens_bytes(encode(text, encoding))]
    byte_ends = np.concatenate(([0], np.cumsum(lengths, dtype=int)))
    raw = np.frombuffer(text.encode(), dtype=np.uint8)
    begins = np.append((raw & 0b1100_0000) != 0b1000_0000, True)  # a byte 10xxxxxx continues a character
    code_point = np.cumsum(begins) - 1
    tokens_before = np.flatnonzero(begins[byte_ends])
    return code_point[byte_ends[tokens_before]], tokens_before


cuts, tokens_before = token_cuts(message)
print("cut after token ", tokens_before.tolist())
print("is at code point", cuts.tolist())

# %% [markdown]
# The numbers that are missing in the first row are tokens that end inside a character.
#
# Now a chunker is a walk over the cuts. Go as many tokens as fit. Step back to the end of a grapheme cluster (`snap` does
# that). Go on from there. A cluster larger than the limit becomes a chunk of its own.

# %%
from hierrag_lessons import snap


def chunk(text: str, size: int) -> list[Span]:
    """Spans of at most ``size`` of the text's tokens, cut where tokens, characters and clusters end."""
    cuts, tokens_before = token_cuts(text)
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


for span in chunk(message, 8):
    print(tuple(span), repr(message[span.start : span.end]))

# %% [markdown]
# Every character is whole. (Her name is still cut in two, so a search by words does not find it yet. Words are the
# business of the next lessons.) And nothing has to be searched for: `message[start:end]` is the chunk, by construction.
#
# The package's chunker is `FixedSizeChunker`. Does it cut at the same places? Take all texts of the course. Compare the
# chunks, and test what this lesson asked for: equal text, no U+FFFD, nothing lost, no chunk too large.

# %%
from hierrag_lessons import FixedSizeChunker, TokenRuler, trim

everything = [*documents.values(), *read_python_reference()]
same = sum(np.array_equal(TokenRuler(d.text, encoding).cuts, token_cuts(d.text)[0]) for d in everything)
print(f"places of cuts: the same in {same} of {len(everything)} documents")
pieces = [(document, piece) for document in everything for piece in FixedSizeChunker(200).chunk(document)]
ours = [(document, trim(document.text, span)) for document in everything for span in chunk(document.text, 200)]
known = {(document.doc_id, *span) for document, span in ours}
print(f"{len(pieces):,} chunks; {sum((d.doc_id, *p.span) in known for d, p in pieces):,} are also ours")
print("text differs from its span:", sum(d.text[p.start : p.end] != p.text for d, p in pieces))
print("with U+FFFD:", sum("\ufffd" in p.text for _, p in pieces))
print("lost:", sum(lost(d.text, [p.span for other, p in pieces if other is d]) for d in everything), "characters")
sizes = [count_tokens(d.text[span.start : span.end]) for d, span in ours]
print(f"of ours, {sum(size > 200 for size in sizes)} have more than 200 tokens alone, at most {max(sizes)};", end=" ")
print(f"of the package's, {sum(count_tokens(p.text) > 200 for _, p in pieces)}")

# %% [markdown]
# The last line is the surprise. We counted the tokens of the *document*. The model gets the chunk alone, and a text that
# is encoded alone can come out differently at its ends. A word without the space before it is another token. The
# package counts each chunk on its own, as it will be sent, so none exceeds 200. That is why some chunks differ from ours.
#
# ### Where this loses
#
# Exact spans are not yet good chunks. Four chunks of the report end like this:

# %%
for piece in FixedSizeChunker(200).chunk(documents["en/annual_report"])[20:24]:
    print("…", piece.text[-50:].replace("\n", "↵"))

# %% [markdown]
# The cut respects characters and ignores sentences. That is what lessons 04 to 12 are about. The spans stay as they are
# here. Only the places of the cuts get better.
#
# ## In production
#
# | question | answer |
# |---|---|
# | what to store | the text of each document once; for each chunk two numbers, `start` and `end`, 16 bytes, beside the document's id |
# | unit of offsets | code points in Python. Convert at the border: UTF-16 for JavaScript, bytes for Rust and Go |
# | unit of sizes | tokens of the model that reads; else a margin: 15 % for English contexts, a third for single English chunks |
# | size of a chunk | 200 tokens to start with, at most what your embedding model reads |
# | overlap | 0 to start with. With spans you can grow a hit to its neighbours later, without storing text twice |
# | cost | `TokenRuler` takes about one and a half tokenizer passes (next cell), and counting each chunk alone reads the text once more |
# | what to test, for any splitter | equal text **and** cover; no U+FFFD; starts that rise; size of each chunk *alone* |
# | when not | only if you never show, merge, deduplicate or measure chunks |
#
# `check_chunker(chunker, text)` runs these tests, and more, on any class with a method `chunk`. Your own splitter, or a
# wrapped one from a library, can be tried with it.

# %% tags=["volatile"]
from time import perf_counter

seconds = {}
for name, work in {"one tokenizer pass": encode, "exact cuts": TokenRuler}.items():
    started = perf_counter()
    for document in everything:
        work(document.text, encoding)
    seconds[name] = perf_counter() - started
print(f"exact cuts take {seconds['exact cuts'] / seconds['one tokenizer pass']:.1f} times one tokenizer pass")

# %% [markdown]
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
# ### Exercise 01.4 · Leave a margin
#
# ★★☆ · 8 minutes. The model reads at most `limit` of *its* tokens. You count with *yours*. For some samples of your texts
# you know both sizes, as pairs `(yours, the model's)`. Return the largest budget in your tokens that is safe: filled with
# text like **any** of the samples, it is at most `limit` for the model. All sizes are 1 or more. Floats can lose a token
# here; whole numbers can't.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def safe_budget(limit: int, samples: list[tuple[int, int]]) -> int:
    """The largest budget, in our tokens, that stays within the model's limit at the worst ratio of the samples."""
    return ...


check("01.4", safe_budget)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 01.4


check("01.4", safe_budget)

# %% [markdown]
# ### Decide · Four tickets
#
# ★★☆ · 6 minutes. Your highlights are wrong. Four users report, each something else. Name the cause and the repair before
# you unfold.
#
# | ticket | what the user sees |
# |---|---|
# | A | after the first emoji in a chat, each highlight is one character too far to the left; after the second, two |
# | B | in a transcript the highlight is always on the *first* "Next question, please." |
# | C | files from Windows: the further down, the more the highlight is too early; one character for each line |
# | D | the highlight is right, but the citation shows `�` in a name |
#
# <details><summary>An answer</summary>
#
# A: the server counts code points, the browser UTF-16 units, and a simple emoji is one of the first and two of the
# second. Convert at the border. B: the offset was searched for. Carry it along. C: offsets were counted after `\r\n` had
# become `\n`, and are used on the file as it was. Decide once what the text is, and store that text. D: someone sliced
# token ids and stored the decoded string. Cut where characters end, and slice the text with the span.
# </details>
#
# ### Open task · Beat this figure
#
# ★★☆ · as long as you like. Improve the places of the cuts: no chunk above 205 tokens, no character lost, and as many
# chunks as possible that end where a sentence ends. **Write down first what share you expect**, then change `mine`. The
# function measures all three. The figure to beat is that of `chunk`.


# %%
def ends_of_sentences(cut, size=200):
    """The share of chunks that end like a sentence; refuses lost text and chunks that are too large."""
    good = total = 0
    for document in documents.values():
        spans = cut(document.text, size)
        assert not lost(document.text, spans), f"text of {document.doc_id} is lost"
        ends = [document.text[span.start : span.end].strip() for span in spans]
        assert max(map(count_tokens, ends)) <= size + 5, f"a chunk of {document.doc_id} is too large"
        good, total = good + sum(end.endswith(tuple(".!?:。！？：|")) for end in ends), total + len(ends)
    return good / total


def mine(text: str, size: int) -> list[Span]:
    """Yours. For a start: the lesson's."""
    return chunk(text, size)


print(f"to beat: {ends_of_sentences(chunk):.0%}   yours: {ends_of_sentences(mine):.0%}")

# %% [markdown]
# ## Takeaways
#
# 1. Everything is a span: half-open, absolute, in code points of a text that never changes.
# 2. Carry offsets along, never search for them. Equal text proves nothing; what is covered does.
# 3. A token is a run of bytes and can end inside a character. Cut where a token *and* a character end.
# 4. A size needs its unit. For contexts of 2,000 tokens another vocabulary, of 2023, counted up to 14 % more in English,
#    and double in Chinese; for single chunks up to 33 % and 146 % more.
# 5. In documents everything is text: special tokens are no commands.
#
# ## Quiz
#
# <details><summary>1. All chunks satisfy <code>text[start:end] == chunk</code>. Is the splitter right?</summary>Not yet. Offsets that were searched for satisfy it at any copy of the text. Test that the spans together cover the document.</details>
#
# <details><summary>2. Two chunks are [0, 300) and [240, 540). Both are returned. How many characters does the model need?</summary>540. The union is one span; pasted as strings they are 600.</details>
#
# <details><summary>3. Your budget is 4,000 tokens by the course's count, the texts are Chinese, the model reads cl100k_base. What happens?</summary>The context is about 7,000 of the model's tokens, at worst nearly 8,000. Count with its own vocabulary.</details>
#
# <details><summary>4. Why is a chunk of 200 tokens sometimes 203 when it is sent?</summary>Encoded alone, its first and last words can be other tokens than inside the document. Count the chunk alone.</details>
#
# <details><summary>5. From the first emoji on, the browser lights up one character too early, and one more with each emoji. Why?</summary>It counts UTF-16 units; an emoji beyond the first 65,536 code points takes two. Convert the offset.</details>
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
# as well. And tokens counted inside the document are not quite the tokens of the chunk alone. Compare systems at the same
# number of tokens handed to the model, counted with that model's vocabulary.
#
# </details>
#
# ## Further reading
#
# - [Appendix A1](appendix/A1_tokens_and_characters.ipynb): where a vocabulary comes from, grapheme clusters, and what
#   slicing does to Chinese.
# - Petrov, La Malfa, Torr and Bibi, *Language Model Tokenizers Introduce Unfairness Between Languages*, 2023:
#   [arXiv:2305.15425](https://arxiv.org/abs/2305.15425). The same sentence, up to 15 times as many tokens.
# - Unicode Standard Annex 29, *Unicode Text Segmentation*: [unicode.org/reports/tr29](https://www.unicode.org/reports/tr29/).
# - tiktoken, with an educational implementation in `tiktoken/_educational.py`:
#   [github.com/openai/tiktoken](https://github.com/openai/tiktoken).
#
# Next: [02 · Embeddings and the store](02_embeddings_and_store.ipynb). Back: [tour](00_tour.ipynb).
