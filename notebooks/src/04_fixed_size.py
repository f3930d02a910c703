# %% [markdown]
# # 04 · Fixed size
#
# > *How many trips did the crew in Okafor's terminal cover story make, first as told and then as corrected?*
#
# A chief executive tells a story in a telephone conference. At the end she corrects it. Here is the transcript, cut
# every 200 tokens. These are the end of one chunk and the beginning of the next:

# %%
from hierrag_lessons import FixedSizeChunker, FlatRetriever, build_hierarchy, course_questions, temporary_index

documents, questions = course_questions("en")  # dev questions, in users' words
chunker = FixedSizeChunker(200)
call = next(document for document in documents if document.doc_id == "en/earnings_call")
cut = call.text.index("Daniel's sent me a note")
*_, before = (chunk for chunk in chunker.chunk(call) if chunk.start < cut)
after = next(chunk for chunk in chunker.chunk(call) if chunk.start >= cut)
print(f"… {before.text[-70:]}\n✂\n{after.text[:37]} …\n")

QUESTION = "How many trips did the crew in Okafor's terminal cover story make, first as told and then as corrected?"
with temporary_index([build_hierarchy(document, [chunker]) for document in documents]) as index:
    found = [passage.span for passage in FlatRetriever(index, mode="hybrid").retrieve(QUESTION, 40)]
for name, chunk in (("first", before), ("second", after)):
    print(f"the {name} chunk is in place {found.index(chunk.span) + 1} of the search")

# %% [markdown]
# The chunk that is found says "It was five." Five what? The chunk that knows about the crew and the valley says four,
# and that is the wrong number. Nobody decided to cut there. The counter had reached 200.
#
# So why does everybody start with such chunks? And the remedy that every tutorial names, **overlap**: does it help?
#
# **You will** write the usual one-line chunker and find its five faults; repair it; and measure overlap and size.
#
# **You learn** window, step and overlap; what overlap costs and buys; how to choose a size, and why the answer depends
# on how much your embedder reads.
#
# **You need** [lesson 01](01_spans_and_tokens.ipynb) (spans, tokens) and [lesson 03](03_measuring_retrieval.ipynb)
# (budgets, verdicts). {{minutes}}. Easy (★☆☆). No network, no API key.
#
# {{map}}
#
# The way through: [how often](#How-often-is-an-answer-cut?), [windows](#Windows), [the one-line
# chunker](#The-one-line-chunker-and-its-five-faults), [positions](#Positions-instead-of-pieces), [beside
# LangChain](#Beside-LangChain), [overlap](#What-overlap-costs,-and-what-it-buys), [size](#Which-size?), [the
# reader](#How-much-does-the-embedder-read?), [where it loses](#Where-it-loses), [in production](#In-production),
# [exercises](#Exercises). Words are explained in the [glossary](GLOSSARY.md).
#
# ## How often is an answer cut?
#
# Each question has its evidence marked: the passages that answer it. So we can count the pieces of evidence that no
# single chunk holds as a whole. English and Chinese texts together, with no overlap, and with 10, 20 and 30 % of each
# chunk repeated in the next:

# %%
from statistics import mean

from hierrag_lessons import Table

texts, asked = {}, {}
for name in ("en", "zh"):
    texts[name], questions = course_questions(name)
    asked[name] = [question for question in questions if question.answerable]


def share_cut(chunker):
    """Share of the pieces of evidence that no chunk holds as a whole."""
    chunks = {document.doc_id: chunker.chunk(document) for name in texts for document in texts[name]}
    pieces = [piece for name in asked for question in asked[name] for piece in question.evidence]
    return mean(not any(c.start <= e.start and e.end <= c.end for c in chunks[e.doc_id]) for e in pieces)


SIZES, SHARES = (100, 200, 400), (0, 10, 20, 30)
lines = [(size, *(f"{share_cut(FixedSizeChunker(size, size * p // 100)):.0%}" for p in SHARES)) for size in SIZES]
Table(("tokens in a chunk", "no overlap", "10 %", "20 %", "30 %"), tuple(lines), "pieces of evidence cut in two")

# %% [markdown]
# At 200 tokens 14 % of the pieces are cut. Repeat a fifth of each chunk, and only 2 % are left. That is the promise of
# overlap. But a piece that is cut is not lost: both halves are in the index. Does a search find more with overlap? That
# has to be measured, and first the chunker has to be right.
#
# ## Windows
#
# ![A text of 26 units and four windows of size 10 below it: 0 to 10, 7 to 17, 14 to 24, and 21 to 26, which is shorter
# because the text ends. Each window repeats three units of the one before it. The step from start to start is size
# minus overlap.](images/04_windows.svg)
#
# A fixed-size chunker slides a **window** over the text. Three numbers describe it:
#
# - **size**: how much a window holds, in tokens or characters;
# - **overlap**: how much of a window the next one repeats;
# - **step** = size − overlap: how far it moves. Only the step brings new text.
#
# It looks at nothing else: no sentence, no heading, no table. It is fast, it works on any text, and it is the
# **baseline**: every cleverer chunker has to beat it.
#
# ## The one-line chunker and its five faults
#
# In characters it is one line. Most tutorials have it:


# %%
def slide(text, size, overlap):
    """Cut a text into windows, as people write it."""
    return [text[i : i + size] for i in range(0, len(text), size - overlap)]


SHOP = "Shops open at nine. They close at six."
print(slide(SHOP, 16, 4))

# %% [markdown]
# **Faults 1 and 2** are on the page. Words are cut. And the pieces are strings: where they were in the text is lost.
#
# **Fault 3** is an overlap that is not smaller than the size. Then the step is zero or negative:

# %%
for overlap in (16, 20):
    try:
        print(f"overlap {overlap}:", slide(SHOP, 16, overlap))
    except ValueError as error:
        print(f"overlap {overlap}: ValueError: {error}")

# %% [markdown]
# An overlap *equal* to the size raises an error that names neither. A *larger* one returns an empty list: the document
# is not indexed, and nobody is told. Written as a `while` loop, the same mistake runs for ever. It happens when one
# setting is in tokens and the other in characters.
#
# **Fault 4** is the tail. When the text has ended, the loop goes on as long as there is a start left. **Fault 5**: what
# a reader sees as one character can be several, and the window cuts between them.

# %%
print("tail:", slide("abcdefghijkl", 6, 3))
[tails] = [
    sum(
        len(pieces) > 1 and pieces[-2].endswith(pieces[-1]) for pieces in (slide(d.text, 800, 160) for d in texts["en"])
    )
]
print(f"{tails} of {len(texts['en'])} English documents end with a window that lies inside the one before it")
print("character:", slide("Our engineer 👩\u200d🔧 will call.", 14, 0))

# %% [markdown]
# A window inside another adds nothing. It is embedded, stored and paid for, and it can be found: the same lines twice.
# And the woman with a wrench has become a woman here and a wrench there.
#
# ## Positions instead of pieces
#
# The repair works on positions and cuts the text at the very end. A **ruler** (lesson 01) knows where the tokens of a
# text end. `reach(start, end, limit)` is the furthest place to which a chunk from `start` fits, and it cuts no
# character. `reach_back` asks the same question backwards, for the overlap. The overlap has one more wish: to start at
# a word.


# %%
import regex

from hierrag_lessons import Span, TokenRuler, get_encoding, snap, trim

WORD = regex.compile(r"(?<=\s)\S|\p{Han}")  # a word starts after white space; Chinese can start at any character


def repeat_from(ruler, chunk, end, overlap):
    """The first word of a chunk from which at most ``overlap`` tokens are repeated; ``end`` where there is none."""
    earliest = max(ruler.reach_back(*chunk, overlap), chunk.start + 1)
    for word in WORD.finditer(ruler.text, earliest, chunk.end):
        at = word.start()
        if snap(ruler.text, at, chunk.start) == at and ruler.size(at, chunk.end) <= overlap:
            return at
    return end


def fixed_spans(text, size, overlap):
    """Spans of at most ``size`` tokens, each repeating at most ``overlap`` of the one before it."""
    if not 0 <= overlap < size:
        raise ValueError(f"overlap is {overlap} with size {size}; it must be at least 0 and below the size")
    ruler, spans, start, end = TokenRuler(text, get_encoding()), [], 0, 0
    while end < len(text):
        reached = ruler.reach(start, len(text), size)
        if reached <= end:  # the overlap leaves no room for the next character
            start = end
            reached = ruler.reach(start, len(text), size)
        end = reached
        chunk = trim(text, Span(start, end))  # without white space at its ends, if it still fits
        spans.append(chunk if ruler.size(*chunk) <= size else Span(start, end))
        start = repeat_from(ruler, chunk, end, overlap) if overlap else end
    return [span for span in spans if text[span.start : span.end].strip()]


# %% [markdown]
# Places are kept. An impossible overlap is refused in plain words. The loop ends where the text ends. No character is
# cut. Fault 1 stays in part: an overlap starts at a word, but a chunk can still *end* inside one. That is the price of
# looking at nothing but the size.
#
# The package has it as `FixedSizeChunker(max_size, overlap, measure)`. Do the two agree on every text of the course?
# And is anything lost?

# %%
from hierrag_lessons import subtract

for size, overlap in ((200, 0), (200, 40)):
    same = total = lost = 0
    for document in (document for name in texts for document in texts[name]):
        theirs = [chunk.span for chunk in FixedSizeChunker(size, overlap).chunk(document)]
        same += len({*theirs} & {*fixed_spans(document.text, size, overlap)})
        total += len(theirs)
        lost += sum(len(document.text[a:b].strip()) for a, b in subtract(document.span, theirs))
    print(f"size {size}, overlap {overlap}: {same} of {total} chunks are the same; {lost} characters lost")

# %% [markdown]
# Here is a news item in chunks of 60 tokens. What lies in two chunks is hatched, and each chunk has its number:

# %%
from hierrag_lessons import chunk_strip

news = next(document for document in texts["en"] if document.doc_id == "en/news_18")
chunk_strip({f"overlap {n}": FixedSizeChunker(60, n).chunk(news) for n in (0, 12, 30)}, news)

# %% [markdown]
# Without overlap the text takes four chunks, with a fifth of overlap five, with a half seven. In the last row nearly
# every word is there twice.
#
# ## Beside LangChain
#
# LangChain has fixed sizes in both units. `CharacterTextSplitter` with an empty separator counts characters,
# `TokenTextSplitter` counts tokens. Here is a message with an emoji, and an overlap as large as the chunk:

# %%
import tiktoken
from langchain_text_splitters import CharacterTextSplitter, TokenTextSplitter

from hierrag_lessons import Document

encoding = get_encoding()
tiktoken.registry.ENCODINGS[encoding.name] = encoding  # LangChain asks tiktoken for a vocabulary by its name
OWN = {TokenTextSplitter: {"encoding_name": encoding.name}, CharacterTextSplitter: {"separator": ""}}
message = "Our engineer 👩\u200d🔧 will call."
for splitter, size in ((TokenTextSplitter, 7), (CharacterTextSplitter, 14)):
    name, own = splitter.__name__, OWN[splitter]
    print(f"{name}, {size}:", splitter(chunk_size=size, chunk_overlap=0, **own).split_text(message))
    try:
        pieces = splitter(chunk_size=size, chunk_overlap=size, **own).split_text(message)
        print(f"   overlap {size}: {len(pieces)} pieces for {len(message)} characters")
    except ValueError as error:
        print(f"   overlap {size}: ValueError: {error}")
print("FixedSizeChunker, 7:", [chunk.text for chunk in FixedSizeChunker(7).chunk(Document("message", message))])

# %% [markdown]
# The token splitter cuts inside the bytes of the emoji and writes `�` (U+FFFD) in their place: the character is lost.
# The character splitter takes the emoji apart. An overlap equal to the size is refused by one and accepted by the
# other: it moves by one character at a time, and an index gets about as many chunks as the text has characters.
#
# Both return strings. `create_documents` with `add_start_index=True` adds places by searching for each string; lesson
# 01 shows where that goes wrong.
#
# ## What overlap costs, and what it buys
#
# Only the step brings new text. So an index with an overlap share of *p* holds about 1 ÷ (1 − *p*) times the tokens:
# 1.25 times at 20 %, twice at 50 %. All that is paid by the token or by the chunk grows with it.
#
# And what does it buy? Flat hybrid search over chunks of 200 tokens, with three overlaps: none, a fifth, and a half.
# Both languages together, budgets from 500 to 8,000 tokens. What two passages share is packed only once (lesson 03), so
# overlap takes no room in the context. That is a friendly test for it.

# %%
import warnings

from hierrag_lessons import Result, TruncationWarning, evaluate, verdicts

warnings.simplefilter("ignore", TruncationWarning)  # what MiniLM does not read comes below
BUDGETS = (500, 1000, 2000, 4000, 8000)


def measured(chunker):
    """The result of hybrid search, fused by z-scores, on the questions of both languages."""
    rows = []
    for name in texts:
        with temporary_index([build_hierarchy(document, [chunker]) for document in texts[name]]) as index:
            rows += evaluate(FlatRetriever(index, mode="hybrid"), asked[name], BUDGETS, k=45).rows
    return Result(tuple(rows))


overlapping = {f"fixed 200, overlap {n}": FixedSizeChunker(200, n) for n in (0, 40, 100)}
by_overlap = {name: measured(chunker) for name, chunker in overlapping.items()}
verdicts(by_overlap, "recall")

# %% tags=["hide-input"]
from hierrag_lessons import count_tokens, drawing

tokens = [
    sum(count_tokens(chunk.text) for name in texts for d in texts[name] for chunk in chunker.chunk(d))
    for chunker in overlapping.values()
]
curves = {
    "tokens in the index (none = 100)": ([100 * n / tokens[0] for n in tokens], "#d55e00", "s"),
    "recall, mean over the budgets": (
        [100 * mean(r.mean("recall", b) for b in r.budgets) for r in by_overlap.values()],
        "#0072b2",
        "o",
    ),
    "pieces of evidence cut in two": ([100 * share_cut(c) for c in overlapping.values()], "#009e73", "^"),
}
with drawing(3.8, width=8.0) as (figure, [axes]):
    for label, (values, colour, marker) in curves.items():
        axes.plot((0, 20, 50), values, marker=marker, color=colour, label=label)
        for x, value in zip((0, 20, 50), values, strict=True):
            axes.annotate(f"{value:.0f}", (x, value), xytext=(0, 7), textcoords="offset points", ha="center")
    axes.set(xlabel="overlap in % of the chunk", ylabel="%", xlim=(-3, 53), ylim=(0, 225))
    axes.legend(loc="upper left")
    figure.alt = "Three lines over the overlap of 0, 20 and 50 percent. " + "; ".join(
        f"{label}: {', '.join(f'{value:.0f}' for value in values)}" for label, (values, *_) in curves.items()
    )
figure

# %% [markdown]
# **Overlap is ahead**: by 2.5 points of recall with a fifth (1.0 to 4.0), by 4.6 with a half (3.1 to 6.2). And it is
# paid for. A fifth adds 23 % to the index, a half adds 89 %.
#
# Cut evidence falls from 14 % to nothing, and recall gains less than 5 points. Why not more? Copies compete. What was
# found once is found again with its neighbour, and the context holds fewer different places:

# %%
from hierrag_lessons import merge

for name, result in by_overlap.items():
    rows = [row for row in result.rows if row.budget == 1000]
    places = [
        len(merge(passage.span for passage in row.passages if passage.doc_id == doc_id))
        for row in rows
        for doc_id in {passage.doc_id for passage in row.passages}
    ]
    print(f"{name}: {sum(places) / len(rows):.1f} separate places in a context of 1,000 tokens")

# %% [markdown]
# So there are two forces. Whole evidence helps, fewer places hurt. Here the first one is stronger.
#
# On Monday: **if fixed windows are all that you can have, repeat a fifth.** But wait for [the end](#Where-it-loses).
# There is a way to gain more, and to embed nothing twice.
#
# ## Which size?
#
# A small chunk is about one thing, and a context holds many of them. A large one keeps together what belongs together,
# and its vector is a blend. Four sizes, without overlap, same search, same budgets:

# %%
by_size = {"fixed 200": by_overlap["fixed 200, overlap 0"]}
by_size |= {f"fixed {size}": measured(FixedSizeChunker(size)) for size in (100, 400, 800)}
verdicts(by_size, "recall")

# %% [markdown]
# Chunks of 100 are **behind** those of 200, by 2.4 points. Chunks of 800 are behind, by 6.3. For 400 **no difference is
# shown**: they could be 2 points worse or 2 better. So 200 and 400 are both fine here, and 400 needs half the vectors.
#
# Is that a law? No. It holds for this search. One of its two halves never saw most of a large chunk.
#
# ## How much does the embedder read?
#
# MiniLM, which makes the English vectors, reads 256 word pieces of a text and drops the rest (lesson 02). Many newer
# models read 8,000. So is a large chunk worse, or was it just not read? Two things help to find out:
#
# - **Words** (BM25) read every word of a chunk, at any size.
# - **A stand-in for a model that reads everything.** Embed each stretch of 200 tokens by itself, and take the mean of
#   the vectors. It is no such model. But it reads to the end.

# %%
import numpy as np

from hierrag_lessons import CachedEmbedder, MiniLMEmbedder

model = MiniLMEmbedder()
minilm = CachedEmbedder(model)  # what the index uses for English


class ReadsAll:
    """The mean of MiniLM's vectors of each stretch of 200 tokens of a text."""

    name, dim = "MiniLM, mean of stretches of 200", 384

    def encode(self, texts):
        stretches = [[c.text for c in FixedSizeChunker(200).chunk(Document("text", text))] for text in texts]
        vectors = iter(minilm.encode([stretch for parts in stretches for stretch in parts]))
        means = np.array([np.mean([next(vectors) for _ in parts], axis=0) for parts in stretches], dtype=np.float32)
        return means / np.linalg.norm(means, axis=1, keepdims=True)


english = {}
for size in (200, 400, 800):
    trees = [build_hierarchy(document, [FixedSizeChunker(size)]) for document in texts["en"]]
    pieces = np.array(model.count_word_pieces([leaf.text for tree in trees for leaf in tree.leaves]))
    print(f"chunks of {size}: MiniLM reads {np.minimum(pieces, 256).sum() / pieces.sum():.0%} of the word pieces")
    for reader, label in ((minilm, "reads 256 word pieces"), (ReadsAll(), "reads everything (stand-in)")):
        with temporary_index(trees, embedder=reader) as index:
            english[label, size] = evaluate(FlatRetriever(index), asked["en"], [2000], k=30)
            if reader is minilm:
                english["words, BM25", size] = evaluate(FlatRetriever(index, mode="text"), asked["en"], [2000], k=30)

# %% tags=["hide-input"]
SIZES, lines = (200, 400, 800), {}
with drawing(3.4, width=8.0) as (figure, [axes]):
    styles = {
        "words, BM25": ("^", "#009e73", 7),
        "vectors, reads everything (stand-in)": ("o", "#0072b2", 7),
        "vectors, reads 256 word pieces": ("s", "#d55e00", -15),
    }
    for label, (marker, colour, up) in styles.items():
        values = lines[label] = [english[label.removeprefix("vectors, "), size].mean("recall") for size in SIZES]
        axes.plot(SIZES, values, marker=marker, color=colour, label=label)
        for x, value in zip(SIZES, values, strict=True):
            axes.annotate(
                f"{value:.2f}", (x, value), xytext=(0, up), textcoords="offset points", ha="center", color=colour
            )
    axes.set(xscale="log", xlabel="chunk size in tokens", ylabel="recall at 2,000 tokens", xlim=(180, 890))
    axes.set(ylim=(0.35, 0.8))
    axes.set_xticks(SIZES, SIZES)
    axes.set_xticks([], minor=True)
    figure.legend(loc="outside upper left", ncols=2)
    figure.alt = "Recall at 2,000 tokens, English, for chunks of 200, 400 and 800 tokens. " + "; ".join(
        f"{label}: {', '.join(f'{value:.2f}' for value in values)}" for label, values in lines.items()
    )
figure

# %%
at_2000 = {
    "fixed 800, vectors, reads 256": english["reads 256 word pieces", 800],
    "fixed 800, vectors, reads all": english["reads everything (stand-in)", 800],
    "fixed 200, vectors": english["reads 256 word pieces", 200],
}
verdicts(at_2000, "recall")

# %% [markdown]
# Words (triangles) find as much with 800 as with 200. Vectors do not: chunks of 200 are ahead of chunks of 800 by 11
# points (6 to 17). Reading everything gives back 4 of the 11 in the mean, but with 156 questions no difference is
# shown: it could be 2 worse or 11 better. So part of the loss may be text that was never read, and part the blend of
# subjects in one vector. Nobody can tell from this page how much.
#
# So **carry no size over from one embedder to another.** What this page shows is for a model that reads 256 word
# pieces. If yours reads 8,000, try 400 and 800 yourself. What carries over is the way to ask: same questions, same
# budget, words beside vectors, and a count of what is really read.

# %% [markdown]
# ## Where it loses
#
# Overlap mends cuts. So why cut badly in the first place? `RecursiveChunker` (lesson 06) has the same upper limit of
# 200 tokens, but it prefers to cut at headings, then paragraphs, then ends of sentences. Without overlap it is the
# first line here, which the others are compared with:

# %%
from hierrag_lessons import MARKDOWN, RecursiveChunker

cut_well = {f"recursive 200, overlap {n}": RecursiveChunker(200, n, separators=MARKDOWN) for n in (0, 40)}
at_200 = {name: measured(chunker) for name, chunker in cut_well.items()}
at_200 |= {name: by_overlap[name] for name in ("fixed 200, overlap 0", "fixed 200, overlap 40")}
for name in at_200:
    chunks = [c.text for name_ in texts for d in texts[name_] for c in (cut_well | overlapping)[name].chunk(d)]
    print(f"{name:25} {len(chunks):5,} chunks, {sum(map(count_tokens, chunks)):,} tokens in the index")
verdicts(at_200, "recall")

# %% [markdown]
# **Better cuts bring twice what overlap brings.** Windows are behind by 5.6 points (3.9 to 7.5), and with a fifth of
# overlap still by 3.1 (1.5 to 4.7). And overlap on top of good cuts? No difference shown, from 2 points worse to 1
# better. So **overlap is a plaster for bad cuts.** Where the cuts are good, there is little to mend.
#
# Recursive chunks are shorter, since a paragraph rarely has just 200 tokens. Is that the whole secret? No: windows of
# 100 are shorter still, and they were behind. But it has a price. There are 43 % more chunks than windows, and so 43 %
# more vectors to keep; a fifth of overlap costs 20 % more.
#
# One question on which the difference is largest. What did each search find at 1,000 tokens?

# %%
from hierrag_lessons import largest_changes

pair = [at_200[name] for name in ("fixed 200, overlap 0", "recursive 200, overlap 0")]
pair = [Result(tuple(row for row in result.rows if row.question.language == "en")) for result in pair]
rescued, _ = largest_changes(*pair, budget=1000)
print(rescued.question.question)
act = next(document for document in texts["en"] if document.doc_id == "en/transparency_act")
[gold] = rescued.question.evidence
print(
    f"recall {rescued.before:.0f} with windows, {rescued.after:.0f} with recursive chunks; the answer is in Article 74"
)
[window] = [c.text for c in FixedSizeChunker(200).chunk(act) if c.start < gold.end and gold.start < c.end]
[chunk] = [p.text for p in rescued.passages_after if p.doc_id == act.doc_id and p.start <= gold.start < p.end]
for what, text in (("the window", window), ("the recursive chunk", chunk)):
    print(
        f"{what}: {text.index('### Article 74')} of {len(text)} characters come before Article 74; it ends {text[-44:]!r}"
    )
before, after = (result.scores("recall", 1000) for result in pair)
gains = [after[key] - before[key] for key in before]
print(
    f"\nall English questions: better {sum(g > 0 for g in gains)}, equal {gains.count(0)}, worse {sum(g < 0 for g in gains)}"
)

# %% [markdown]
# More than half of the window is the end of another article. Its words and its vector are about both, and it was not
# found. The recursive chunk is the article itself, from its heading to its end.
#
# The last line is there so that nobody takes one example for a proof. Windows win as well, on one question in five.
#
# ## In production
#
# | question | answer |
# |---|---|
# | when | no structure to use: logs, speech without punctuation, scans; a first index in an hour; the baseline of every comparison |
# | when not | manuals, contracts, reports, chats: they have headings, paragraphs and turns (lessons 05 to 08) |
# | size | 200 to 400 tokens with MiniLM; with another model up to what it reads, measured; double or halve, small steps drown in the noise |
# | overlap | a fifth for fixed windows; 0 where you cut at paragraphs and sentences |
# | unit | tokens of the embedder that will read them; characters only where nothing else is known |
# | cost of size | half the size: twice the vectors, the same number of tokens to embed |
# | cost of overlap | 1 ÷ (1 − share) in everything: embedding, storage, search |
# | change | another size means a new index: cut, embed and store everything again |
#
# Numbers to translate what you read elsewhere. An article by Dewu Tech recommends 300 to 800 Chinese characters and an
# overlap of 10 to 20 %, and many tutorials 1,000 characters and 200. In the course's tokens:

# %%
for name, sizes in (("zh", (300, 800)), ("en", (1000, 200))):
    ratio = sum(count_tokens(d.text) for d in texts[name]) / sum(len(d.text) for d in texts[name])
    print(name, "·", ", ".join(f"{size:,} characters are {size * ratio:.0f} tokens" for size in sizes))

# %% [markdown]
# **On your own documents:** print the ends of ten chunks and read them. Count the evidence that is cut, as in the first
# table. Then compare two sizes, one twice the other, at the budget that you pay for.
#
# ## Exercises
#
# `check` runs your function on many inputs and shows the smallest one that fails. `hint("04.1")` gives a hint,
# `solution("04.1")` shows a solution.
#
# ### Exercise 04.1 · Windows
#
# ★☆☆ · 8 minutes. Return the spans of the windows over `n` units: each has `size` units and repeats `overlap` of the
# one before it; the last one ends at `n` and may be shorter; no window lies inside another. For `n=9, size=5,
# overlap=2` these are `[0, 5)`, `[3, 8)`, `[6, 9)`. Raise `ValueError` for an overlap that is negative or not below the
# size.


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
# ### Exercise 04.3 · Ten million chunks
#
# ★★☆ · 12 minutes. You plan an index of a million documents of 2,000 tokens each. What does it cost? Return four
# numbers:
#
# - how many **chunks** there are; each document is cut by itself;
# - the **dollars** for embedding them, at `dollars` for a million tokens. What is repeated is embedded again;
# - the **gigabytes of vectors**, `dim` numbers of 4 bytes each. That is what a fast search keeps in memory;
# - the **gigabytes of vectors and text** together, the text with its repetitions, at 4 bytes a token.
#
# 1 GB is 10⁹ bytes; all documents have `length` tokens. **Before you run it, guess**: what changes if the size is 800
# in place of 200? And what if a fifth is repeated? When the check says correct, print the four plans of the answer
# below.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def plan(
    documents: int, length: int, size: int, overlap: int, dim: int, dollars: float
) -> tuple[int, float, float, float]:
    """Chunks, dollars for embedding them, gigabytes of vectors, gigabytes of vectors and text together."""
    return ...


# for size, overlap in ((200, 0), (200, 40), (200, 100), (800, 0)):
#     print(size, overlap, plan(1_000_000, 2_000, size, overlap, 1_024, 0.02))
check("04.3", plan)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 04.3


for size, overlap in ((200, 0), (200, 40), (200, 100), (800, 0)):
    print(size, overlap, plan(1_000_000, 2_000, size, overlap, 1_024, 0.02))
check("04.3", plan)

# %% [markdown]
# <details><summary>What the numbers say</summary>
#
# | size, overlap | chunks | dollars | vectors | vectors and text |
# |---|---:|---:|---:|---:|
# | 200, 0 | 10 million | 40 | 41 GB | 49 GB |
# | 200, 40 | 13 million | 50 | 53 GB | 63 GB |
# | 200, 100 | 19 million | 76 | 78 GB | 93 GB |
# | 800, 0 | 3 million | 40 | 12 GB | 20 GB |
#
# Embedding costs little and is paid once, and the size does not change it. **Memory** is the bill of every month, and
# it follows the number of chunks: a third of the chunks, a third of the memory. A fifth of overlap costs 30 % more
# here, not the 25 % of the formula, because the last window of each document is short. Is 53 GB for 41 worth 2.5
# points? Or would better cuts be the better buy, which repeat nothing but make more chunks? Now you can work it out.
# </details>
#
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
# ### Open task · Predict, then tune the size
#
# ★★★ · 15 minutes. The figure to beat is that of chunks of 200 tokens. **Write down first** which size you expect to
# win, by how much, and at which budget it will show. Then change the line below: the size, the overlap, another
# chunker. Was your prediction right? And count your attempts: after twenty, one interval will exclude zero by chance
# (lesson 03).

# %%
mine = FixedSizeChunker(400)  # change this
verdicts({"fixed 200": by_size["fixed 200"], "mine": measured(mine)}, "recall")

# %% [markdown]
# ## Takeaways
#
# 1. Size, overlap, step = size − overlap: two numbers decide everything, and the text decides nothing.
# 2. Refuse an overlap that is not below the size; stop when the end is reached; keep positions, and cut no character.
# 3. A fifth of overlap: 2.5 points more recall, 23 % more tokens. Cuts at paragraphs: 5.6 points, no token twice, more
#    chunks. Both together: no more than good cuts alone was shown.
# 4. 200 and 400 tokens: no difference shown; 100 and 800 are behind. All of it with a model that reads 256 word pieces.
# 5. It is the baseline. A chunker that can't beat it at an equal budget has no claim to its complexity.
#
# ## Quiz
#
# <details><summary>1. size 500, overlap 100. How many new tokens does the third chunk bring?</summary>400: the step, as
# every chunk after the first.</details>
#
# <details><summary>2. Somebody sets chunk_size=200 and chunk_overlap=250. What can happen?</summary>The step is negative. A
# `while` loop never ends, a `range` is empty and the document silently has no chunks. A good chunker refuses when it is
# made.</details>
#
# <details><summary>3. Overlap makes nearly all cut answers whole, and recall rises by a few points only. How can that
# be?</summary>Cut answers were not lost: both halves are in the index, and a search often finds both. And the copies
# take places that other passages could have had.</details>
#
# <details><summary>4. Chunks of 800 tokens lose against 200 with MiniLM. Does that hold for a model that reads
# 8,000?</summary>Nobody knows before it is measured. MiniLM never read most of those chunks. What is known: the memory
# for the vectors would be a quarter.</details>
#
# <details><summary>5. Why count tokens and not characters?</summary>Because the limits are in tokens: what the embedder
# reads, and what you pay for in the context. A character can be a quarter of a token in English and a whole one in
# Chinese.</details>
#
# ## Interview questions
#
# <details><summary>1. How do you choose a chunk size?</summary>
#
# First the upper limit: what the embedder reads, counted with its own tokenizer. Then the questions: single facts want
# small chunks, whole procedures want large ones or a parent that is returned with the hit. I start with 200 to 400
# tokens, compare with half and double on fifty or a hundred of our questions at the same number of context tokens, and
# look at the interval of the difference. If nothing is shown I take the larger one: fewer vectors.
# </details>
#
# <details><summary>2. Does overlap improve retrieval?</summary>
#
# It depends on the cuts. It raises the share of answers that are whole in a chunk, and it makes neighbouring hits
# alike, so that the context holds fewer different places. With fixed windows I have seen it ahead by a few points at
# equal context tokens; with cuts at paragraphs no difference was shown. The cost is certain: the index grows by 1 ÷ (1
# − share). So I'd cut better first, and then measure overlap.
# </details>
#
# <details><summary>3. A document has 10,000 tokens; chunks have 400 with an overlap of 80. How many chunks are there? And
# for a million such documents, how much memory?</summary>
#
# The step is 320. The first chunk covers 400, each further one 320 new tokens: 1 + ⌈9,600 ÷ 320⌉ = 31. Dividing all
# tokens by the step gives ⌈31.25⌉ = 32: one window too many, inside the last. A million documents are 31 million
# vectors; with 1,024 numbers of 4 bytes that is 127 GB, so 8-bit numbers, or product quantization, or no overlap.
# </details>
#
# ## Further reading
#
# - Smith and Troynikov, *Evaluating Chunking Strategies for Retrieval*, Chroma, 2024: fixed windows beside other
#   splitters, several sizes with and without overlap:
#   [research.trychroma.com/evaluating-chunking](https://research.trychroma.com/evaluating-chunking)
# - Hearst and Plaunt, *Subtopic structuring for full-length document access*, 1993, an early study of the size of
#   passages: [doi.org/10.1145/160688.160695](https://doi.org/10.1145/160688.160695)
# - Dewu Tech, *RAG — Chunking 策略实战* (in Chinese): sizes and overlaps from practice.
# - [langchain-text-splitters](https://github.com/langchain-ai/langchain/tree/master/libs/text-splitters), the source.
#
# Next: [05 · Sentences](05_sentences.ipynb). Back: [03 · Measuring retrieval](03_measuring_retrieval.ipynb) ·
# [tour](00_tour.ipynb).
