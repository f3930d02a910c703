# %% [markdown]
# # 04 · Fixed size
#
# **You will** cut texts every *n* characters and every *n* tokens, with and without overlap; break the usual code in five
# ways; repair it; and find out by measurement which size to take and what overlap really buys.
#
# **You learn** windows, step and overlap; why an overlap must be smaller than the size; what overlap costs; how a size
# sweep is read; when the simplest chunker is good enough.
#
# **You need** [lesson 01](01_spans_and_tokens.ipynb) (spans, tokens) and [lesson 03](03_measuring_retrieval.ipynb)
# (recall at a budget, intervals). 20 minutes, easy (★☆☆), four exercises. No network, no API key.
#
# The way through: [an answer cut in two](#An-answer-cut-in-two), [windows](#Windows), [the usual
# code](#The-usual-code), [the repair](#The-repair), [beside LangChain](#Beside-LangChain), [measured](#Measured),
# [where it loses](#Where-it-loses), [parameters](#Parameters), [exercises](#Exercises).

# %%
from importlib.metadata import version

import numpy as np
import regex
import tiktoken
from langchain_text_splitters import CharacterTextSplitter, TokenTextSplitter
from langchain_text_splitters.base import Tokenizer, split_text_on_tokens

from hierrag_lessons import (
    MARKDOWN,
    Document,
    FixedSizeChunker,
    RecursiveChunker,
    Span,
    Table,
    TokenRuler,
    chunk_strip,
    compare,
    count_tokens,
    course_set,
    drawing,
    get_encoding,
    merge,
    recall,
    score_chunkers,
    side_by_side,
    snap,
    subtract,
    trim,
)

# %% [markdown]
# ## An answer cut in two
#
# Lesson 03 measured retrieval and took the chunks as given. Here is one of our dev questions, on the annual report of
# the maker of some gateways. It asks how much dividend was paid, and why it was less than announced.

# %%
chinese, chinese_questions = course_set("zh")
by_id = {document.doc_id: document for document in chinese}
question = next(question for question in chinese_questions if question.id == "zh-ar-001")
report = by_id[question.evidence[0].doc_id]
chunks = FixedSizeChunker(200).chunk(report)


def cut_by(piece, chunks):
    """The starts of chunks that lie inside a piece of gold evidence."""
    return [chunk.start for chunk in chunks if piece.start < chunk.start < piece.end]


piece = next(piece for piece in question.evidence if cut_by(piece, chunks))
cut = cut_by(piece, chunks)[0]
print(question.question)
print("\nnumber of shares falls from 246.00 to 243.60 million:")
print(report.text[piece.start : cut], "✂", report.text[cut : piece.end])

# %% [markdown]
# A chunk ends between a number and its unit. The first chunk says "24,360" and not of what; the second one starts with
# "ten thousand shares" (万股) and doesn't say how many. Each of them is embedded, searched and returned alone.
#
# How often does that happen? Each gold question marks its evidence as spans, so we can count the pieces of evidence
# that no single chunk holds as a whole.

# %%
english, english_questions = course_set("en")
sets = {"English": (english, english_questions), "Chinese": (chinese, chinese_questions)}


def whole(chunker, documents, questions):
    """Share of the pieces of gold evidence that stand whole in at least one chunk."""
    chunks = {document.doc_id: chunker.chunk(document) for document in documents}
    pieces = [piece for question in questions for piece in question.evidence]
    kept = [any(c.start <= e.start and e.end <= c.end for c in chunks[e.doc_id]) for e in pieces]
    return float(np.mean(kept))


lines = [
    (name, size, *(whole(FixedSizeChunker(size, size * share // 100), *data) for share in (0, 10, 20, 30)))
    for name, data in sets.items()
    for size in (100, 200, 400)
]
Table(("texts", "size", "no overlap", "10 %", "20 %", "30 %"), tuple(lines), "evidence that is whole in a chunk")

# %% [markdown]
# At 200 tokens about 15 % of the pieces of evidence are cut. And there is an obvious remedy: let each chunk repeat the end
# of the one before it. With a fifth repeated, nearly all evidence is whole again somewhere. That is the promise of
# **overlap**. Keep this table in mind; the [measurement](#Measured) comes back to it.
#
# ## Windows
#
# ![A text of 26 units and four windows of size 10 below it: 0 to 10, 7 to 17, 14 to 24, and 21 to 26, which is shorter
# because the text ends. Each window repeats three units of the one before it. The step from start to start is size minus
# overlap.](images/04_windows.svg)
#
# A fixed-size chunker slides a **window** over the text. Three numbers describe it, and two of them are free:
#
# - **size**: how much a window holds, in tokens or characters;
# - **overlap**: how much of a window the next one repeats;
# - **step** = size − overlap: how far it moves. Only the step brings new text.
#
# It looks at nothing else: no sentence, no heading, no table. That makes it the baseline. It is fast, it never fails on a
# strange text, and every cleverer chunker has to beat it.
#
# ## The usual code
#
# In characters it is one line, and it is found in most tutorials:


# %%
def slide(text: str, size: int, overlap: int) -> list[str]:
    """Cut a text into windows, as people write it."""
    return [text[i : i + size] for i in range(0, len(text), size - overlap)]


for window in slide("Shops open at nine. They close at six.", 16, 4):
    print(repr(window))

# %% [markdown]
# Five things are wrong with it. The first two are already to be seen: words are cut through, and the places where the
# windows stood are lost, because these are strings and not spans.
#
# The third is an overlap that is not smaller than the size. The step becomes zero or negative:

# %%
for overlap in (16, 20):
    try:
        print(f"overlap {overlap}:", slide("Shops open at nine. They close at six.", 16, overlap))
    except ValueError as error:
        print(f"overlap {overlap}: ValueError: {error}")

# %% [markdown]
# An overlap equal to the size raises an error from the depths of `range`. A *larger* one returns an empty list: the
# document is not indexed at all, and nobody is told. (Written as a `while` loop, the same mistake runs for ever.) Such
# values are not as strange as they look: one setting is in tokens, another in characters, and someone mixes them up.
#
# The fourth is the tail. When the end of the text is reached, the loop goes on as long as there is a start left:

# %%
print(slide("abcdefghijkl", 6, 3))

repeats = {name: [slide(document.text, 800, 160) for document in data[0]] for name, data in sets.items()}
for name, cut_texts in repeats.items():
    tails = sum(len(pieces) > 1 and pieces[-2].endswith(pieces[-1]) for pieces in cut_texts)
    print(f"{name}: {tails} of {len(cut_texts)} documents end with a window that is inside the one before it")

# %% [markdown]
# Such a window adds nothing, but it is embedded, stored and found. It is short, so a query that it matches at all it
# matches strongly: the same lines come back twice.
#
# The fifth is known from lesson 01. Characters as a reader sees them can be cut (an accent, an emoji, a line end CRLF).
# Tokens make it worse: slice token ids, decode, and half a Chinese character becomes U+FFFD, the `�`. Here are all the
# Chinese texts of the course in slices of 200 tokens: with the course's vocabulary, which has learned these very texts,
# and with its first 2,048 entries, which stand for a vocabulary that has seen little Chinese.

# %%
encoding = get_encoding()
ranks = {encoding.decode_single_token_bytes(rank): rank for rank in range(2_048)}
small = tiktoken.Encoding("small", pat_str=encoding._pat_str, mergeable_ranks=ranks, special_tokens={})


def slices(text: str, encoding: tiktoken.Encoding, size: int, overlap: int) -> list[str]:
    """Slice token ids and decode, as people write it."""
    ids = encoding.encode(text, disallowed_special=())
    return [encoding.decode(ids[i : i + size]) for i in range(0, len(ids), size - overlap)]


for vocabulary in (encoding, small):
    pieces = [piece for document in chinese for piece in slices(document.text, vocabulary, 200, 40)]
    broken = [piece for piece in pieces if "\ufffd" in piece]
    print(f"{vocabulary.name}: {len(broken)} of {len(pieces)} chunks have U+FFFD")
print("one of them ends:", repr(broken[0][-16:]))

# %% [markdown]
# ## The repair
#
# Work on positions, not on pieces. A **ruler** (lesson 01) knows where the tokens of a text end and how many tokens a
# span has; `reach(start, end, limit)` is the furthest place up to which a chunk from `start` fits, and it breaks no
# character. The overlap is the same question asked backwards, `reach_back`, with one wish more: start at a word.

# %%
WORD = regex.compile(r"(?<=\s)\S|\p{Han}")  # a word starts after white space; Chinese can start at any character


def repeat_from(ruler: TokenRuler, chunk: Span, end: int, overlap: int) -> int:
    """The first word of a chunk from which at most ``overlap`` tokens are repeated; ``end`` where there is none."""
    earliest = max(ruler.reach_back(*chunk, overlap), chunk.start + 1)
    for word in WORD.finditer(ruler.text, earliest, chunk.end):
        position = word.start()
        if snap(ruler.text, position, chunk.start) == position and ruler.size(position, chunk.end) <= overlap:
            return position
    return end


def fixed_spans(text: str, size: int, overlap: int) -> list[Span]:
    """Spans of at most ``size`` tokens, each repeating at most ``overlap`` of the one before it."""
    if not 0 <= overlap < size:
        raise ValueError(f"overlap is {overlap} with size {size}; it must be at least 0 and below the size")
    ruler, spans, start, end = TokenRuler(text, encoding), [], 0, 0
    while end < len(text):
        reached = ruler.reach(start, len(text), size)
        if reached <= end:  # the overlap leaves no room for the next character
            start = end
            reached = ruler.reach(start, len(text), size)
        end = reached
        chunk = trim(text, Span(start, end))
        spans.append(chunk if ruler.size(*chunk) <= size else Span(start, end))
        start = repeat_from(ruler, chunk, end, overlap) if overlap else end
    return [span for span in spans if text[span.start : span.end].strip()]


# %% [markdown]
# Four are gone: places are kept, an impossible overlap is refused with a sentence, the loop ends where the text ends, and
# `reach` cuts no character. The first one stays in part: an overlap starts at a word, but the end of a chunk, and without
# overlap its start, can still be inside one. That is the price of looking at nothing but the size. Here is the refusal:

# %% tags=["raises-exception"]
fixed_spans("Shops open at nine.", 16, 20)

# %% [markdown]
# The package has the same method as `FixedSizeChunker(max_size, overlap, measure)`. Does it agree with ours, on every
# text of the course?

# %%
for name, (documents, _) in sets.items():
    for size, overlap in ((200, 0), (200, 40)):
        theirs = {(c.doc_id, *c.span) for d in documents for c in FixedSizeChunker(size, overlap).chunk(d)}
        ours = {(d.doc_id, *span) for d in documents for span in fixed_spans(d.text, size, overlap)}
        print(f"{name}, {size}/{overlap}: {len(theirs)} chunks, ours {len(ours)}, the same {len(theirs & ours)}")

# %% [markdown]
# All of them. One line of ours needs a word: a chunk that has more than 200 tokens when it stands alone without the space
# before it keeps that space, with which it fits (lesson 01). And nothing is lost:

# %%
for name, (documents, _) in sets.items():
    missing = largest = broken = 0
    for document in documents:
        chunks = FixedSizeChunker(200, 40).chunk(document)
        gaps = subtract(document.span, [chunk.span for chunk in chunks])
        missing += sum(not character.isspace() for gap in gaps for character in document.text[gap.start : gap.end])
        largest = max([largest, *(count_tokens(chunk.text) for chunk in chunks)])
        broken += sum(document.text[c.start : c.end] != c.text or "\ufffd" in c.text for c in chunks)
    print(f"{name}: largest chunk {largest} tokens, {missing} characters lost, {broken} texts wrong")

# %% [markdown]
# Here is what overlap looks like on one document: hatched parts stand in more than one chunk.

# %%
handbook = by_id["zh/technical_handbook"]
start = Document("zh/technical_handbook, its start", handbook.text[:6_000], "markdown", "zh")
strip = chunk_strip({f"overlap {n}": FixedSizeChunker(200, n).chunk(start) for n in (0, 40, 100)}, start)
print(strip.numbers)
strip

# %% [markdown]
# ## Beside LangChain
#
# LangChain has fixed-size splitters in both units. `CharacterTextSplitter` with an empty separator counts characters,
# `TokenTextSplitter` (and the function under it, `split_text_on_tokens`) counts tokens.

# %%
tiktoken.registry.ENCODINGS[encoding.name] = encoding  # LangChain asks tiktoken for a vocabulary by its name
sentence = "退款单已转给邢彧 👩\u200d💻，他会在今天18:00前联系您。"
print("langchain-text-splitters", version("langchain-text-splitters"))
tokenizer = Tokenizer(2, 8, encoding.decode, lambda text: encoding.encode(text, disallowed_special=()))
print("tokens:    ", split_text_on_tokens(text=sentence, tokenizer=tokenizer))
characters = CharacterTextSplitter(separator="", chunk_size=11, chunk_overlap=2)
print("characters:", characters.split_text(sentence))
mine = FixedSizeChunker(8, 2).chunk(Document("message", sentence, language="zh"))
print("ours:      ", [chunk.text for chunk in mine])

# %% [markdown]
# The token splitter writes U+FFFD where it cuts inside the emoji, and the character splitter takes the emoji apart at its
# joiner. Both check the overlap, but not alike:

# %%
for splitter in (TokenTextSplitter, CharacterTextSplitter):
    for overlap in (8, 9):
        options = {"separator": ""} if splitter is CharacterTextSplitter else {"encoding_name": encoding.name}
        try:
            pieces = splitter(chunk_size=8, chunk_overlap=overlap, **options).split_text("Shops open at nine.")
            print(f"{splitter.__name__}, overlap {overlap}: {len(pieces)} pieces for 19 characters")
        except ValueError as error:
            print(f"{splitter.__name__}, overlap {overlap}: ValueError: {error}")

# %% [markdown]
# An overlap *equal* to the size passes the second one: it moves by a single character, so an index gets about as many
# chunks as a text has characters. And `split_text` returns strings: without its place, nothing can be highlighted, merged
# or measured later. (`create_documents` can add places with `add_start_index=True`. It searches for each string in the
# text; lesson 01 shows where that goes wrong.)
#
# ## Measured
#
# ### What overlap costs
#
# Only the step brings new text, so an index with overlap share *p* has about 1 ÷ (1 − *p*) times the tokens. Measured on
# the Chinese texts:

# %%
shares = (0, 5, 10, 15, 20, 25, 30, 40, 50)
overlapping = {f"{share} %": FixedSizeChunker(200, 200 * share // 100) for share in shares}
indexed = {}
for name, chunker in overlapping.items():
    pieces = [chunk for document in chinese for chunk in chunker.chunk(document)]
    indexed[name] = len(pieces), sum(count_tokens(piece.text) for piece in pieces)
plain = indexed["0 %"][1]
lines = [
    (name, chunks, tokens, tokens / plain, 1 / (1 - share / 100))
    for share, (name, (chunks, tokens)) in zip(shares, indexed.items(), strict=True)
]
Table(("overlap", "chunks", "tokens in the index", "growth", "1 ÷ (1 − p)"), tuple(lines))

# %% [markdown]
# Slightly less than the formula, because an overlap starts at a word and a short document has only one chunk. Everything
# that is paid per token or per chunk (embedding, storage, search) grows by that factor.
#
# ### What overlap buys
#
# Now the same nine chunkers on the dev questions, at 1,000 tokens of context. A repeated part is never packed twice into
# a context (lesson 03), so overlap costs no budget here: the comparison is a friendly one for it.

# %%
swept = score_chunkers(overlapping, chinese, chinese_questions, (500, 1000))
overlap_table = compare(swept, "recall", 1000)
overlap_table

# %%
with drawing(4.6, rows=2, width=8.0) as (figure, [above, below]):
    rows = overlap_table.records()
    above.plot(shares, [row["recall"] for row in rows], marker="o", color="#0072B2")
    above.fill_between(
        shares, [r["low"] for r in rows], [r["high"] for r in rows], color="#0072B2", alpha=0.15, linewidth=0
    )
    above.set(ylabel="recall at 1,000 tokens", ylim=(0, 1))
    below.plot(shares, [tokens / 1000 for _, tokens in indexed.values()], marker="s", color="#D55E00")
    below.set(xlabel="overlap in % of the size", ylabel="1,000 tokens in index")
    below.set_ylim(0, 1.1 * below.get_ylim()[1])
    for axes in (above, below):
        axes.grid(alpha=0.3)
    figure.alt = (
        "Two panels over the overlap in percent of the chunk size. Above: recall at 1000 tokens with its interval "
        "as a band; the line is nearly flat, and every interval covers all of the means. Below: tokens in the "
        "index in thousands, rising ever faster to nearly twice the size at 50 percent overlap."
    )
figure

# %% [markdown]
# The upper line goes up and down by less than its own uncertainty. No difference from "0 %" has an interval that leaves
# out zero. The lower line rises all the time. The article *RAG — Chunking 策略实战*
# by Dewu Tech, says that an overlap above 30 % costs index size for nothing. On these texts and questions we can't show that the first 10 % buy anything either.
#
# How can that be, when overlap made so much more evidence whole? Because evidence that is cut is not lost. Both halves
# are in the index, and both are near the question. And the copies compete: what is found once is found again with the
# neighbour. Count the separate places in each context:

# %%
lines = []
for name, result in swept.items():
    rows = [row for row in result.rows if row.budget == 1000 and row.question.answerable]
    regions = [
        len(merge(Span(p.start, p.end) for p in row.passages if p.doc_id == d))
        for row in rows
        for d in {p.doc_id for p in row.passages}
    ]
    cut_evidence = 1 - whole(overlapping[name], chinese, chinese_questions)
    lines.append((name, cut_evidence, sum(regions) / len(rows)))
Table(("overlap", "evidence cut", "separate places in the context"), tuple(lines), "means over the questions")

# %% [markdown]
# On the whole, more overlap means less cut evidence. From 20 % on it also means fewer separate places of the corpus in the
# context: the hits stand side by side. The two pull in opposite directions, and recall shows no winner.
#
# And at 500 tokens, where room is short? Then English, at 1,000 tokens:

# %%
print(compare({name: swept[name] for name in ("0 %", "10 %", "20 %", "30 %")}, "recall", 500), end="\n\n")
sized = {
    "fixed 200": FixedSizeChunker(200),
    "fixed 200, overlap 40": FixedSizeChunker(200, 40),
    "fixed 100": FixedSizeChunker(100),
    "fixed 400": FixedSizeChunker(400),
    "recursive 200": RecursiveChunker(200, separators=MARKDOWN),
}
in_english = score_chunkers(sized, english, english_questions, (500, 1000))
compare({name: in_english[name] for name in ("fixed 200", "fixed 200, overlap 40")}, "recall", 1000)

# %% [markdown]
# At 500 tokens all three overlaps are below none, and for 20 % even the interval is. Among a dozen comparisons one such
# result is no surprise, so it proves no harm. But a gain looks different, and in English we can't show one either.
#
# This is not a law. Where chunks are small against the evidence, where hits are not
# merged, or where a reranker reads single chunks, overlap may help. But it must show it, at an equal budget, on your
# questions. Until then, start with none.
#
# ### Which size?
#
# Now the other parameter. Chinese first, five sizes:

# %%
sizes = {f"fixed {size}": FixedSizeChunker(size) for size in (200, 50, 100, 400, 800)}
by_size = score_chunkers(sizes, chinese, chinese_questions, (500, 1000, 2000))
lines = []
for budget in (500, 1000, 2000):
    for row in compare(by_size, "recall", budget).records():
        columns = ("recall", "low", "high", "difference", "difference low", "difference high")
        lines.append((budget, row["method"], *(row[column] for column in columns)))
Table(("budget", "method", *columns), tuple(lines), "difference from fixed 200")

# %%
ticks = [50, 100, 200, 400, 800]
with drawing(3.6, width=8.0) as (figure, [axes]):
    for budget, marker, colour in zip((500, 1000, 2000), "o^s", ("#0072B2", "#D55E00", "#009E73"), strict=True):
        values = [by_size[f"fixed {size}"].mean("recall", budget) for size in ticks]
        axes.plot(ticks, values, marker=marker, color=colour, label=f"budget {budget}")
    axes.set(xscale="log", xlabel="chunk size in tokens", ylabel="recall", ylim=(0, 1))
    axes.set_xticks(ticks, ticks)
    axes.set_xticks([], minor=True)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside upper right", ncols=3)
    figure.alt = (
        "Recall over the chunk size from 50 to 800 tokens, one line for each budget of 500, 1000 and 2000 tokens. "
        "All three lines are highest at 200 tokens and fall towards 800."
    )
figure

# %% [markdown]
# A small chunk is precise: the context holds many places, each short. A large one keeps things together, but its vector
# is a blend of several subjects, and few of them fit. Chunks of 400 and 800 tokens are worse than those of 200, at each
# budget. Those of 50 and 100 can't be told apart from those of 200 with these questions.
#
# English has another embedder. It reads at most 256 word pieces of a chunk, so a large chunk is judged by its beginning.

# %%
compare(in_english, "recall", 1000)

# %% [markdown]
# Chunks of 400 tokens are worse here, too: the interval of the difference lies below zero. The last line is the chunker
# of lesson 06, which prefers to cut at headings, paragraphs and sentences. At the same size, we can't show that cutting at
# better places helps to *find* the evidence. It does help to *read* it: a context that starts in the middle of a sentence
# has lost its subject, and the next lessons begin there.
#
# ## Where it loses
#
# One question on which fixed chunks lose most against recursive ones of the same size, in Chinese, at 1,000 tokens:

# %%
pair = score_chunkers(
    {"recursive 200": RecursiveChunker(200, separators=MARKDOWN), "fixed 200": FixedSizeChunker(200)},
    chinese,
    chinese_questions,
    (1000,),
)
scores = {name: result.scores("recall", 1000) for name, result in pair.items()}
losses = {key: scores["recursive 200"][key] - value for key, value in scores["fixed 200"].items()}
worst = min(losses, key=lambda key: (-losses[key], key))
rows = {name: next(row for row in result.rows if row.question.id == worst) for name, result in pair.items()}
print(rows["fixed 200"].question.question)
print({name: round(values[worst], 3) for name, values in scores.items()})
gold = rows["fixed 200"].question.evidence
shown = {name: sorted(row.passages, key=lambda passage: -recall([passage], gold))[:2] for name, row in rows.items()}
side_by_side(shown, gold=gold)

# %% [markdown]
# The question: how long to wait before one may touch the terminals of a device that was switched off. Shown are the two
# passages with the most gold, or the first two where there is none. The recursive chunker kept the section on safety
# together, so its vector is about one thing. The windows began and ended somewhere else.
#
# Read on, though. The first window holds a part of the frequent-questions page, and the right answer stands in it. It is not
# marked as evidence, so it counts for nothing, with either method. A measure knows only what people have marked; for
# single questions, look at the text.
#
# And the other way round, so that nobody takes one example for a proof:

# %%
better = sum(loss < 0 for loss in losses.values()), sum(loss == 0 for loss in losses.values())
print(f"fixed is better on {better[0]} questions, equal on {better[1]}, worse on {len(losses) - sum(better)}")
compare(pair, "recall", 1000)

# %% [markdown]
# ## Parameters
#
# | parameter | start with | turn it when | what it costs |
# |---|---|---|---|
# | `max_size` | 200 tokens | answers are long or need their surroundings: larger; facts are short and dense: smaller. Stay within what your embedder reads | smaller: more vectors; larger: vaguer vectors, fewer places in the context |
# | `overlap` | 0 | evidence is cut **and** recall at an equal budget rises when you try it | the index grows by 1 ÷ (1 − share) |
# | `measure` | `count_tokens` | `len` where only characters are known | tokens: one tokenizer pass |
#
# The same article recommends, for Chinese, 300 to 800 characters and an overlap of 10 to 20 %. In the course's vocabulary:

# %%
ratio = sum(count_tokens(d.text) for d in chinese) / sum(len(d.text) for d in chinese)
print(f"Chinese: {ratio:.2f} tokens per character, so 300 to 800 characters are {300 * ratio:.0f} to {800 * ratio:.0f}")

# %% [markdown]
# Turn the size first, by doubling and halving. Small steps disappear in the uncertainty.
#
# Use fixed windows when there is no structure to use (transcripts without punctuation, logs, text from a scanner), when
# speed is all that counts, and always as the baseline of a comparison.
#
# ## Exercises
#
# `check` runs your function on many inputs and shows the smallest one that fails. `hint("04.1")` gives a hint,
# `solution("04.1")` shows a solution.
#
# ### Exercise 04.1 · Windows
#
# ★☆☆ · 8 minutes. Return the spans of the windows over `n` units: each has `size` units and repeats `overlap` of the one
# before it; the last one ends at `n` and may be shorter; no window lies inside another. For `n=9, size=5, overlap=2`
# these are `[0, 5)`, `[3, 8)`, `[6, 9)`. Raise `ValueError` for an overlap that is negative or not below the size.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def windows(n: int, size: int, overlap: int) -> list[Span]:
    """Spans of ``size`` over ``n`` units, each repeating ``overlap`` of the one before, none inside another."""
    return ...


check("04.1", windows)

# %% tags=["solution"]
from hierrag_lessons import Span, check

# solution: 04.1


check("04.1", windows)

# %% [markdown]
# ### Exercise 04.2 · How many windows
#
# ★☆☆ · 5 minutes. A favourite in interviews. Return the number of those windows without making them: no loop. `overlap`
# is at least 0 and below `size`.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def count_windows(n: int, size: int, overlap: int) -> int:
    """Number of windows over ``n`` units, without making them."""
    return ...


check("04.2", count_windows)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 04.2


check("04.2", count_windows)

# %% [markdown]
# ### Exercise 04.3 · An overlap that starts at a word
#
# ★★☆ · 10 minutes. A chunk is `text[start:end]`. Return where the next one starts: at the first word from which at most
# `overlap` characters of the chunk are repeated. A word starts where white space ends. The next chunk has to start
# after `start`; where no word fits, it starts at `end`, without overlap.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def overlap_from(text: str, start: int, end: int, overlap: int) -> int:
    """Where the chunk after ``text[start:end]`` starts: at most ``overlap`` before its end, and at a word."""
    return ...


check("04.3", overlap_from)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 04.3


check("04.3", overlap_from)

# %% [markdown]
# ### Exercise 04.4 · Find the bugs: overlap that is pasted on
#
# ★★☆ · 12 minutes. Token `i` of a text ends at the code point `ends[i]` and starts where the token before it ends. The
# text is cut every `size` tokens; then the end of each chunk is put in front of the next one. Published code often does
# it in this order. The result should be chunks of **at most `size` tokens** that repeat exactly `overlap` **tokens**
# (where the text goes on), none of them inside another. Two things are wrong. `overlap` is at least 0 and below `size`.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def token_windows(ends: list[int], size: int, overlap: int) -> list[Span]:
    """Code-point spans of chunks of at most ``size`` tokens that repeat ``overlap`` tokens."""
    spans: list[Span] = []
    for first in range(0, len(ends), size):
        last = min(first + size, len(ends))
        start = ends[first - 1] if first else 0
        if spans:  # repeat the end of the chunk before
            start = spans[-1].end - overlap
        spans.append(Span(start, ends[last - 1]))
    return spans


check("04.4", token_windows)

# %% tags=["solution"]
from hierrag_lessons import Span, check

# solution: 04.4


check("04.4", token_windows)

# %% [markdown]
# ## Takeaways
#
# 1. Size, overlap, step = size − overlap: two numbers decide everything, and the text decides nothing.
# 2. Refuse an overlap that is not below the size; stop when the end is reached; cut at ends of characters, not of ids.
# 3. Overlap makes evidence whole and the index larger. At an equal budget we could not measure a gain from it.
# 4. The size matters more: 400 tokens were worse than 200 in both languages, and an embedder may read only the beginning.
# 5. It is the baseline. A chunker that can't beat it at an equal budget has no claim to its complexity.
#
# ## Interview questions
#
# <details><summary>1. Somebody sets chunk_size=200 tokens and chunk_overlap=250, having read the second number as
# characters. What can happen?</summary>
#
# The step is negative. A `while` loop never ends; a `range` with a negative step is empty, so the document silently has
# no chunks; with a check in the constructor there is an error that names both values. With an overlap equal to the size
# some libraries advance one character at a time. Validate when the chunker is made, and keep both settings in one unit.
# </details>
#
# <details><summary>2. Does overlap improve retrieval?</summary>
#
# It raises the share of answers that stand whole in a chunk, and it makes neighbouring hits alike, so that the context
# holds fewer different places. Which effect wins depends on texts, sizes and packing. Measure recall at equal context
# tokens, on the same questions, with an interval of the difference. The cost is certain: the index grows by
# 1 ÷ (1 − share). A better remedy for cut answers is often to return the neighbours of a hit (lessons 13 to 15).
# </details>
#
# <details><summary>3. A document has 10,000 tokens; chunks have 400 with an overlap of 80. How many chunks are
# there?</summary>
#
# The step is 320. The first chunk covers 400, and each further one 320 new tokens: 1 + ⌈9,600 ÷ 320⌉ = 31. Dividing all
# tokens by the step gives ⌈31.25⌉ = 32: one window too many, inside the last.
# </details>
#
# ## Further reading
#
# - Smith and Troynikov, *Evaluating Chunking Strategies for Retrieval*, Chroma, 2024: fixed windows beside other
#   splitters, several sizes with and without overlap:
#   [research.trychroma.com/evaluating-chunking](https://research.trychroma.com/evaluating-chunking)
# - Hearst and Plaunt, *Subtopic structuring for full-length document access*, 1993, an early study of the size of
#   passages: [doi.org/10.1145/160688.160695](https://doi.org/10.1145/160688.160695)
# - [langchain-text-splitters](https://github.com/langchain-ai/langchain/tree/master/libs/text-splitters), the source.
#
# Next: [05 · Sentences](05_sentences.ipynb). Back: [03 · Measuring retrieval](03_measuring_retrieval.ipynb).
