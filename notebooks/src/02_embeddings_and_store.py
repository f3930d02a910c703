# %% [markdown]
# # 02 · Embeddings and the store
#
# **You will** turn sentences into vectors, search them with a few lines of NumPy, find two kinds of text that the model
# does not read, and put a whole reference manual into a LanceDB database that you can search in three ways.
#
# **You learn** what an embedding is and what its limits are; exact search; BM25 and reciprocal rank fusion; how to read
# a query plan; safe filters; ids that survive a restart; the embedding cache.
#
# **You need** [lesson 01](01_spans_and_tokens.ipynb) (spans and tokens) and a little NumPy. 20 minutes, medium. No
# network, no API key.
#
# The way through: [counting words](#Counting-words-is-not-enough), [vectors](#What-an-embedding-is),
# [search](#Search-is-one-matrix-product), [truncation](#What-the-model-never-reads), [Chinese](#Chinese),
# [ids](#The-naive-store:-ids-that-break), [the store](#One-database-for-all-levels),
# [three modes](#Three-ways-to-search), [query plan](#Reading-the-query-plan), [filters](#Filters-are-values),
# [updates](#Replace,-delete,-look-up), [cache](#The-embedding-cache), [parameters](#Parameters),
# [exercises](#Exercises).

# %%
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from math import sqrt
from pathlib import Path

import lancedb
import numpy as np
from lancedb.expr import col, lit

from hierrag_lessons import (
    CHINESE,
    MARKDOWN,
    CachedEmbedder,
    CharNgramEmbedder,
    Document,
    FixedSizeChunker,
    Index,
    MiniLMEmbedder,
    RecursiveChunker,
    Table,
    TruncationWarning,
    build_hierarchy,
    count_tokens,
    course_set,
    drawing,
    minilm_folder,
    overlap,
    read_python_reference,
    similarity_matrix,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # It misses a widget for progress bars, and the course shows none.
    from transformers import AutoTokenizer

# %% [markdown]
# ## Counting words is not enough
#
# The text is the Python language reference that came with your own Python. Each document is cut into parents of at most
# 800 tokens, and each parent into children of at most 200. The children are the **leaves**: the pieces to search.

# %%
documents = read_python_reference()
cut = [RecursiveChunker(800, separators=MARKDOWN), RecursiveChunker(200, separators=MARKDOWN)]
hierarchies = [build_hierarchy(document, cut) for document in documents]
leaves = [node for hierarchy in hierarchies for node in hierarchy.leaves]

print(len(documents), "documents,", len(leaves), "leaves")

# %% [markdown]
# A question, and the sentence that answers it:
#
# > When is memory freed that nobody uses any more?
# >
# > Objects are never explicitly destroyed; however, when they become unreachable they may be garbage-collected.
#
# So far we can only count. Rank the leaves by how many words they share with the question.

# %%
QUESTION = "When is memory freed that nobody uses any more?"
ANSWER = "Objects are never explicitly destroyed"


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


by_words = sorted(leaves, key=lambda leaf: -len(words(QUESTION) & words(leaf.text)))
for leaf in by_words[:3]:
    print(leaf.doc_id, sorted(words(QUESTION) & words(leaf.text)))
place = next(rank for rank, leaf in enumerate(by_words, start=1) if ANSWER in leaf.text)
print(f"the leaf with the answer is in place {place}:", sorted(words(QUESTION) & words(by_words[place - 1].text)))

# %% [markdown]
# Every shared word is small talk. The words that matter, *memory* and *freed* here, *destroyed* and *garbage-collected*
# there, are different ones. We need a measure of **meaning**.
#
# ## What an embedding is
#
# An **embedding** is a list of numbers that stands for a text, made by a model that was trained so that texts of
# similar meaning get similar numbers. The course uses all-MiniLM-L6-v2: any English text in, 384 numbers out.

# %%
minilm = MiniLMEmbedder()
sentences = [
    "Memory is freed when nobody needs it.",
    "Unreachable objects are garbage-collected.",
    "Dough rises when yeast makes gas.",
    "Bread needs time before it is baked.",
    "Garbage is collected on Mondays.",
]
vectors = minilm.encode(sentences)

print(vectors.shape, vectors.dtype)
print("first numbers of the first vector:", np.round(vectors[0, :4], 3))
print("lengths:", np.round(np.linalg.norm(vectors, axis=1), 6))

# %% [markdown]
# Each row has length 1: it is a **direction** in a space of 384 dimensions. Two directions are compared by the cosine of
# the angle between them: 1 is the same direction, 0 a right angle. By hand, with $a$ and $b$ as the two vectors:
#
# $$\cos(a, b) = \frac{\sum_i a_i b_i}{\sqrt{\sum_i a_i^2}\,\sqrt{\sum_i b_i^2}}$$

# %%
a, b = vectors[0], vectors[1]
by_hand = sum(x * y for x, y in zip(a, b, strict=True)) / (sqrt(sum(x * x for x in a)) * sqrt(sum(y * y for y in b)))

print(f"by hand     {by_hand:.4f}")
print(f"dot product {a @ b:.4f}")

# %% [markdown]
# Both lengths are 1, so the division changes nothing: **the cosine of unit vectors is their dot product**. All pairs at
# once are one matrix product.

# %%
matrix = vectors @ vectors.T
chart = similarity_matrix(matrix, ["memory", "gc", "dough", "bread", "rubbish"])
print(chart.numbers)
chart

# %% [markdown]
# Read the row of *gc* (garbage-collected objects). It is closest to *memory*, although the two sentences share no content
# word. But *rubbish* is close behind: it shares the word *garbage* and is about something else. An embedding is a good
# guess at meaning, not a proof. Keep that in mind when someone shows you a similarity of 0.46.
#
# Here is where this lesson is going. Steps 2 and 4 we do by hand first; then the store does them.
#
# ![Diagram. A document is cut into a hierarchy of parents and leaves. The text of each leaf goes through MiniLM and becomes a unit vector of 384 numbers. All nodes become rows of one LanceDB table; leaves have a vector and searchable words, other levels only text. A query is compared by cosine, by BM25, or by both rankings fused.](images/02_store.svg)

# %% [markdown]
# ## Search is one matrix product
#
# A matrix with one row for each leaf, times the vector of the question: one similarity for each leaf. Sort, done. This is
# **exact** or brute-force search. For the few hundred leaves here, and for many more, nothing cleverer is needed.
#
# `CachedEmbedder` keeps each vector on disk, so only the first run has to wait for the model; `default_embedder("en")`
# makes this pair in later lessons. Some leaves are too long
# for the model; it says so, and we catch the warning to print it. The next section is about that sentence.

# %%
embedder = CachedEmbedder(minilm)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", TruncationWarning)
    leaf_vectors = embedder.encode([leaf.embedding_text for leaf in leaves])


def brute_force(question: str, k: int) -> list[tuple[str, float]]:
    """The ids of the k nearest leaves and their cosine similarities, best first."""
    similarities = leaf_vectors @ embedder.encode([question])[0]
    order = np.argsort(-similarities, kind="stable")[:k]
    return [(leaves[row].node_id, float(similarities[row])) for row in order]


print(leaf_vectors.shape)
for warning in caught:
    print(warning.category.__name__, "·", warning.message)

# %%
by_id = {leaf.node_id: leaf for leaf in leaves}
for node_id, similarity in brute_force(QUESTION, 3):
    print(f"{similarity:.3f}  {node_id}  {ANSWER in by_id[node_id].text}")

# %% [markdown]
# The leaf with the answer has moved from place 17 to place 1. Note how low its similarity is all the same. A similarity
# is good for **ordering** the leaves of one question. It is no probability, and a threshold such as "above 0.7 is
# relevant" has no meaning that carries over from one question to another.

# %% [markdown]
# ## What the model never reads
#
# The warning said that the model reads 256 word pieces. A **word piece** is this model's own token. Two of the 256 are marks for the beginning and the end. What comes after the last one is cut
# off without an error. Take a passage that ends with our answer, and the part of it that the model reads.

# %%
word_pieces = AutoTokenizer.from_pretrained(minilm_folder())
print(word_pieces.tokenize("unreachable garbage"))

text = next(document.text for document in documents if document.doc_id == "python/objects")
answer_start = text.index(ANSWER)
passage = text[: text.index("\n\n", answer_start)]

offsets = word_pieces(passage, truncation=True, max_length=256, return_offsets_mapping=True)["offset_mapping"]
read = passage[: offsets[-2][1]]  # The last mark, [SEP], has no place in the text.

print("word pieces of the passage:", minilm.count_word_pieces([passage])[0])
print("characters:", len(passage), "· read:", len(read), "· the answer starts at", answer_start)
print("the last words read: …", read[-41:].replace("\n", " "))

# %%
other_end = passage[:answer_start] + "Whales are the largest animals that ever lived."
answer_alone = passage[answer_start:]

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", TruncationWarning)
    whole, part, whales, alone, question = minilm.encode([passage, read, other_end, answer_alone, QUESTION])

print(f"whole passage and its first part:     {whole @ part:.6f}")
print(f"whole passage and the one on whales:  {whole @ whales:.6f}")
print(f"question and whole passage:           {question @ whole:.3f}")
print(f"question and the answer alone:        {question @ alone:.3f}")
print([str(warning.message)[:64] for warning in caught])

# %% [markdown]
# The vector of the whole passage is the vector of its first part. The answer could be about whales, the vector would be
# the same. In most libraries this happens silently; `TruncationWarning` is this course's addition.
#
# How much does it cost? Cut the whole reference into chunks of a fixed size and count what the model reads.

# %%
sizes, shares, rows = [100, 200, 400, 800], [], []
for size in sizes:
    chunks = [chunk for document in documents for chunk in FixedSizeChunker(size).chunk(document)]
    counts = np.array(minilm.count_word_pieces([chunk.text for chunk in chunks]))
    shares.append(np.minimum(counts, 256).sum() / counts.sum())
    rows.append((size, len(chunks), int(np.sum(counts > 256)), float(shares[-1])))
Table(("chunk size", "chunks", "cut off", "share of word pieces read"), tuple(rows))

# %%
with drawing(2.6, width=6.5) as (figure, [axes]):
    bars = axes.barh([str(size) for size in sizes], shares, color="#0072b2")
    axes.bar_label(bars, [f"{share:.0%}" for share in shares], padding=4)
    axes.set(xlim=(0, 1.1), xlabel="share of all word pieces that MiniLM reads", ylabel="chunk size (tokens)")
    axes.invert_yaxis()
    read = ", ".join(f"{share:.0%} at {size} tokens" for size, share in zip(sizes, shares, strict=True))
    figure.alt = f"Bars of the share of word pieces that MiniLM reads, by chunk size: {read}."
figure

# %% [markdown]
# A "flat 800" index looks as if it knew the whole text. Its vectors know a third of it. Even at 200 tokens some chunks
# are cut off. Look at the leaf with the most word pieces:

# %%
longest = max(leaves, key=lambda leaf: minilm.count_word_pieces([leaf.text])[0])
line = max(longest.text.splitlines(), key=lambda line: len(word_pieces.tokenize(line)))
print("tokens:", count_tokens(longest.text), "· word pieces:", minilm.count_word_pieces([longest.text])[0])
print(line)
print("this line in tokens:", count_tokens(line), "· in word pieces:", len(word_pieces.tokenize(line)))

# %% [markdown]
# A table. Each sign of its frame is a word piece of its own, where the course's tokens hold a whole run of them. The two
# ways of counting agree on prose and not on tables: count in the unit of the model that reads.
#
# And the consequence for our question, with the 800-token parents in place of the leaves:

# %%
parents = [node for hierarchy in hierarchies for node in hierarchy.levels[1]]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", TruncationWarning)
    parent_vectors = embedder.encode([parent.embedding_text for parent in parents])

order = np.argsort(-(parent_vectors @ embedder.encode([QUESTION])[0]), kind="stable")
place = next(rank for rank, row in enumerate(order, start=1) if ANSWER in parents[row].text)
print(f"the parent with the answer is in place {place} of {len(parents)}")
print(str(caught[0].message)[:70])

# %% [markdown]
# **Rule.** Search pieces that the model reads to the end, and hand larger ones to the language model. That is the idea of
# every hierarchical retriever in this course. When a later lesson shows "flat 800" losing, remember that part of the loss
# is this truncation, not the size as such.

# %% [markdown]
# ## Chinese
#
# MiniLM learned from English. A few hundred of its word pieces are Chinese characters. Any other character becomes
# `[UNK]`, "unknown".

# %%
chinese, on_chinese = course_set("zh")
(handbook,) = [document for document in chinese if document.doc_id == "zh/technical_handbook"]
pieces = word_pieces.tokenize(handbook.text, verbose=False)
known = sum(re.fullmatch(r"[\u4e00-\u9fff]", piece) is not None for piece in word_pieces.get_vocab())

print(f"{known} of {len(word_pieces)} word pieces in the vocabulary are Chinese characters")
print(word_pieces.tokenize("设备断电后再检修。"))
print(f"{len(handbook.text)} characters, {len(pieces)} word pieces, {pieces.count('[UNK]') / len(pieces):.1%} unknown")

# %% [markdown]
# Four clauses of the handbook, of nine characters each. They have nothing to do with each other.

# %%
clauses = {
    "报修时请提供序列号": "when reporting a fault, give the serial number",
    "逾期按备件采购处理": "after the deadline it counts as a purchase of spare parts",
    "免得照着旧数字施工": "so that nobody builds by the old figures",
    "并暂停写入断线缓存": "and pause writing to the offline buffer",
}
for clause in clauses:
    print(clause in handbook.text, Counter(word_pieces.tokenize(clause)), clauses[clause])
for tried in (minilm, CharNgramEmbedder()):
    found = tried.encode(list(clauses))
    print(tried.name, np.round(found @ found.T, 2) + 0.0, sep="\n")

# %% [markdown]
# For MiniLM the four clauses are **the same text**: nine times "unknown". No query can tell them apart.
#
# `CharNgramEmbedder` needs no model. It counts single characters and pairs of characters and hashes each into one of 2048
# places (Weinberger et al., 2009). It knows nothing of meaning, but it sees every character. Which is better? The course
# has questions about its Chinese texts with their evidence marked. **hit@1** counts the questions whose first hit overlaps
# the evidence. At 100 tokens no chunk is cut off, so truncation is not to blame.

# %%
answerable = [question for question in on_chinese if question.answerable]


def hits_within(k: int, order: np.ndarray, chunks: list) -> int:
    """Number of questions for which one of the first k chunks overlaps the evidence."""
    return sum(
        any(
            chunks[row].doc_id == piece.doc_id and overlap(chunks[row].span, piece.span) > 0
            for row in ranking[:k]
            for piece in question.evidence
        )
        for question, ranking in zip(answerable, order, strict=True)
    )


# %%
chunks = [chunk for document in chinese for chunk in RecursiveChunker(100, separators=CHINESE).chunk(document)]
texts = [chunk.text for chunk in chunks]
print(
    f"{len(chunks)} chunks, {sum(count > 256 for count in minilm.count_word_pieces(texts))} of them cut off by MiniLM"
)

rows = []
for tried in (embedder, CharNgramEmbedder()):
    similarities = tried.encode([question.question for question in answerable]) @ tried.encode(texts).T
    order = np.argsort(-similarities, axis=1, kind="stable")
    rows.append((tried.name, *(hits_within(k, order, chunks) for k in (1, 5)), len(answerable)))
Table(("embedder", "hit@1", "hit@5", "questions"), tuple(rows))

# %% [markdown]
# Counting characters beats the neural model by a wide margin, in the language that the model never learned. What to use
# instead of MiniLM for Chinese:
#
# - offline: `CharNgramEmbedder()`; `default_embedder("zh")` gives it to you;
# - with a network, once: any multilingual model, with one argument: `SentenceTransformerEmbedder("BAAI/bge-m3")`. It is
#   far larger than MiniLM and is not run here;
# - in both cases also search by words: an index made with `language="zh"` matches single characters and pairs of them.
#
# Fifty questions are few. The gap here is wide enough to see; [lesson 03](03_measuring_retrieval.ipynb) shows how to
# tell when one is not.

# %% [markdown]
# ## The naive store: ids that break
#
# Vectors have to live somewhere, next to the text they came from. A first store is quickly written: a dictionary from an
# id to a vector, saved to a file. Tutorials often make the id with `hash()`. Run that line in two processes.

# %%
program = "print(hash('python/lambda:0-518'))"
for seed in ("1", "2"):
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    print(f"process {seed}: id", done.stdout.strip())

# %% [markdown]
# Python draws a new seed for `hash` of strings each time it starts, so that nobody can prepare colliding keys. Here the
# two seeds are fixed to show it; normally they are random. The second process looks for ids that the first one never
# wrote: nothing is found, nothing is replaced, everything is stored twice.
#
# The other classic is a counter that starts again for each document:

# %%
store: dict[int, str] = {}
for document in documents[:3]:
    parent_chunks = RecursiveChunker(800).chunk(document)
    for parent_id, chunk in enumerate(parent_chunks):
        store[parent_id] = chunk.chunk_id
    print(f"{document.doc_id}: {len(parent_chunks)} parents, store now holds {len(store)}")
print("parent 0 is", store[0])

# %% [markdown]
# The parent of a child of the first document is now a piece of the third. No error anywhere. An id must be **stable**
# (the same in each run) and **unique** (in the whole store). The course builds it from what it stands for: document,
# level, parent, offsets.

# %%
leaf = hierarchies[0].leaves[1]
node_ids = [node.node_id for hierarchy in hierarchies for node in hierarchy]
print(leaf.node_id, "· child of", leaf.parent_id)
print(len(node_ids), "nodes,", len(set(node_ids)), "different ids")

# %% [markdown]
# ## One database for all levels
#
# `Index` is one LanceDB database: a folder on disk, no server. `add` embeds the leaves and stores **all** levels in one
# commit. The warning about long leaves is the one you have seen.

# %%
folder = tempfile.TemporaryDirectory()
index = Index.create(Path(folder.name) / "python", embedder)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", TruncationWarning)
    index.add(hierarchies)

print("nodes on each level:", [index.count(level) for level in range(index.depth + 1)])
print("levels that can be searched:", index.levels)
print("warnings:", [str(warning.message)[:33] for warning in caught])

# %% [markdown]
# What is a **row**? Open the same folder with LanceDB itself.

# %%
table = lancedb.connect(index.path).open_table("nodes")
best = brute_force(QUESTION, 1)[0][0]
row = table.search().where(col("node_id") == lit(best)).limit(1).to_list()[0]
for name, value in row.items():
    shown = f"{len(value)} numbers" if name == "vector" else repr(value)
    print(f"{name:11}  {shown[:90]}")

# %% [markdown]
# - `node_id`, `parent_id`, `level`, `position`: where the node stands in the hierarchy.
# - `start`, `end`: its span. The text can always be checked against the document.
# - `search_text` and `vector`: what the two kinds of search read. Both are empty on levels that are only looked up; such
#   a node has its text in `text`, so that no text is stored twice.
# - `document`: kind, language and metadata, on level 0 only.
#
# Does the index find what brute force found? Ask both, and LanceDB directly as well, for several questions.

# %%
questions = [
    QUESTION,
    "a tiny function without a name",
    "flip the order of everything in a sequence",
    "How do I raise?",
]
for question in questions:
    mine = brute_force(question, 10)
    hits = index.search(question, 10)
    raw = table.search(embedder.encode([question])[0]).distance_type("cosine").limit(10).to_list()
    same_ids = [hit.node.node_id for hit in hits] == [node_id for node_id, _ in mine] == [r["node_id"] for r in raw]
    gap = max(abs(hit.score - similarity) for hit, (_, similarity) in zip(hits, mine, strict=True))
    print(same_ids, f"scores differ by less than 0.00001: {gap < 1e-5}")

# %% [markdown]
# ## Three ways to search
#
# `index.search(query, k, mode=…)`:
#
# - `"vector"`: cosine similarity, as above. It finds other words for the same thing.
# - `"text"`: **BM25**, the classic ranking by words (Robertson et al., 1994). A word counts for more when it is rare in
#   the collection, and each repetition counts for less than the one before. It finds exact words.
# - `"hybrid"`: both rankings, merged by **reciprocal rank fusion** (Cormack et al., 2009): a node scores
#   `1 / (60 + rank)` in each ranking that has it, and the scores are added. Ranks, not scores: a cosine of 0.4
#   and a BM25 score of 9 can't be added in any sensible way.
#
# First a query where words win, then our question, where vectors win.

# %%
for query, sought in [("IntEnum", "IntEnum"), (QUESTION, ANSWER)]:
    print(query)
    for mode in ("vector", "text", "hybrid"):
        hits = index.search(query, 50, mode=mode)
        place = next((rank for rank, hit in enumerate(hits, start=1) if sought in hit.node.text), "above 50")
        print(f"  {mode:6}  rank of the right leaf: {place!s:8}  first: {hits[0].node.text[:46]!r}")

# %% [markdown]
# `IntEnum` is a name, not a meaning. The model takes it apart into pieces and looks for integers. BM25 finds it at once.
# The question about memory shares only small talk with its answer, as we saw, and BM25 has nothing to go by. Hybrid
# search gets the first one right and lets the second one slip: half of its votes come from a ranking that knows nothing.
#
# Two examples prove little. So: all names in code (`__next__`, `IntEnum`, `sys.argv`) that stand in exactly one leaf, and a list of
# paraphrases that avoid the words of the text, each with a quote that marks the right leaf. All of them are counted, also
# where every mode fails.

# %%
NAME = re.compile(r"\b__[a-z_]+?__\b|\b(?:[A-Z][a-z]+){2,}\b|\bsys\.[a-z_.]+\b")
places: dict[str, set[str]] = {}
for leaf in leaves:
    for name in NAME.findall(leaf.text):
        places.setdefault(name, set()).add(leaf.node_id)
names = [(name, name) for name in sorted(places) if len(places[name]) == 1]

paraphrases = [
    (QUESTION, ANSWER),
    ("a tiny function without a name", "anonymous functions"),
    ("which sign is worked out first in a formula", "summarizes the operator precedence"),
    ("leave a repetition before its end", "terminates the nearest enclosing loop"),
    ("an inner function changes a name of the one around it", "refer to previously bound variables in the nearest"),
    ("a placeholder that does nothing", "null operation"),
    ("what counts as untrue in a condition", "considered false"),
    ("flip the order of everything in a sequence", "reverses the items of"),
    ("write a text in capitals", "converted to uppercase"),
    ("be sure that a file is closed whatever goes wrong", "wrap the execution of a block"),
    ("cut blanks off both sides of a text", "leading and trailing characters removed"),
    ("glue words together into one text", "concatenation of the strings in"),
    ("check an assumption while the program runs", "insert debugging assertions"),
    ("how big can a whole number be", "unlimited range"),
    ("things that are the same need the same fingerprint", "have the same hash value"),
    ("last words of an object before it goes away", "about to be destroyed"),
    ("one step through my code at a time", "Execute the current line, stop at the first possible occasion"),
    ("throw away a variable", "removes the binding of that name"),
    ("number of elements of a container", 'implement the built-in function "len()"'),
]
print(len(names), "names,", len(paraphrases), "paraphrases")


# %%
def ranks(pairs: list[tuple[str, str]], mode: str) -> list[int]:
    """The rank of the first leaf that holds each quote; 51 where it is not among the first 50."""
    found = []
    for hits, (_, quote) in zip(index.search_batch([query for query, _ in pairs], 50, mode=mode), pairs, strict=True):
        right = (rank for rank, hit in enumerate(hits, start=1) if quote in " ".join(hit.node.text.split()))
        found.append(next(right, 51))
    return found


measured = {
    (kind, mode): ranks(pairs, mode)
    for kind, pairs in (("names", names), ("paraphrases", paraphrases))
    for mode in ("vector", "text", "hybrid")
}
rows = [
    (kind, mode, len(found), sum(r <= 1 for r in found), sum(r <= 5 for r in found), sum(r <= 10 for r in found))
    for (kind, mode), found in measured.items()
]
Table(("queries", "mode", "asked", "hit@1", "hit@5", "hit@10"), tuple(rows))

# %%
with drawing(3.2, width=7.0) as (figure, [axes]):
    for shift, (mode, colour) in enumerate([("vector", "#0072b2"), ("text", "#d55e00"), ("hybrid", "#009e73")]):
        shares = [np.mean(np.array(measured[kind, mode]) <= 10) for kind in ("names", "paraphrases")]
        bars = axes.bar(np.arange(2) + 0.27 * (shift - 1), shares, 0.25, label=mode, color=colour)
        axes.bar_label(bars, [f"{share:.0%}" for share in shares])
    axes.set(xticks=[0, 1], ylim=(0, 1.1), ylabel="hit@10 (share of queries)")
    axes.set_xticklabels(["names", "paraphrases"])
    figure.legend(loc="outside upper right", ncols=3)
    figure.alt = (
        "Two groups of bars, share of queries with the right leaf among the first ten. On names, text and hybrid "
        "search are nearly perfect and vector search is behind. On paraphrases vector search is ahead, hybrid "
        "second, and text search finds next to nothing."
    )
figure

# %% [markdown]
# Words win on names, vectors win on paraphrases. Hybrid is about as good as words on names, because the few names
# that words miss can be found by vectors. On paraphrases it is better than words and **loses to
# plain vectors**: a bad ranking has as many votes as a good one. Hybrid is the safe choice when you don't know what
# people will ask.
#
# The paraphrases are hard on purpose, and no mode finds two thirds of them in the first ten. Nineteen are also too few to
# measure a small difference. Later lessons measure with more questions and with intervals.
#
# Which names does the text search miss?

# %%
missed = [name for (name, _), rank in zip(names, measured["names", "text"], strict=True) if rank > 5]
print(missed)
print("__all__ finds", len(index.search("__all__", mode="text")), "leaves")

# %% [markdown]
# `__all__` finds nothing at all. The text index splits at `_`, and *all* is one of the **stop words**, which it leaves
# out. The others become common words once the `_` is gone: `__import__` is *import*, and after stemming *imported* and
# *imports* as well.

# %% [markdown]
# ## Reading the query plan
#
# `index.explain` shows what LanceDB is going to do. Long lists and random names are shortened here.

# %%
plan = index.explain(QUESTION, 3, where={"doc_id": ["python/objects", "python/del"]})
plan = re.sub(r"\[[^\[\]]{70,}\]", "[…]", plan)
plan = re.sub(r"(uri|uuid)=[^,\s]+", r"\1=…", plan)
print(plan)

# %% [markdown]
# Read it **from the bottom up**; each line feeds the one above it.
#
# 1. `ScalarIndexQuery … doc_id_idx(BTree)`: the filter comes first, from an index on `doc_id`, without reading any text.
#    A filter *before* the ranking always leaves `k` hits if there are that many. A filter afterwards throws hits away.
# 2. `ANNIvfPartition`: which partitions of the vector index to open. The course makes exactly one, so that every vector is
#    compared and the search stays exact, although the step has *ANN* (approximate) in its name.
# 3. `ANNSubIndex … k=3 … metric=Cosine`: the comparison itself.
# 4. `SortExec: TopK(fetch=3)`: keep the three smallest distances; distance is 1 minus cosine.
# 5. `LanceRead`: only now are text and offsets read, and only for these rows.
# 6. `ProjectionExec`: put the columns in order.
#
# A plan worth worrying about has a scan of all rows where you expected an index.

# %% [markdown]
# ## Filters are values
#
# Many programs build a filter by pasting a string into SQL. A document id is data, and data can come from anyone: a file
# name, a title, a form. This one was chosen with care.

# %%
evil = "x' OR '1'='1"
notes = lancedb.connect(Path(folder.name) / "notes").create_table("notes", [{"doc_id": "a"}, {"doc_id": "b"}])
notes.delete(f"doc_id = '{evil}'")  # Never do this.

print("notes left after deleting a document that is not there:", notes.count_rows())

# %% [markdown]
# The quote in the id ended the string, and the rest became a condition that is true for each row. The index takes a
# filter as a mapping from a field to a value or several values. They are passed on as values, so a quote is a quote.

# %%
whales = Document(evil, "Whales are the largest animals that ever lived.")
index.add(build_hierarchy(whales, cut))

print([hit.doc_id for hit in index.search("large animals", 3, where={"doc_id": evil})])
index.delete([evil])
print([hit.doc_id for hit in index.search("large animals", 3, where={"doc_id": evil})], len(index.doc_ids()))

# %% [markdown]
# Only four fields can be filtered: `doc_id`, `level`, `parent_id`, `node_id`. A typing error in a field's name is refused,
# rather than matching nothing.

# %% tags=["raises-exception"]
index.search("large animals", where={"docid": "python/objects"})

# %% [markdown]
# ## Replace, delete, look up
#
# Adding a document again **replaces** it, on all levels and in one commit. Deleting it removes every level. Here in an
# index of its own, with one document in two versions.

# %%
shelf = Index.create(Path(folder.name) / "shelf", embedder)
first = Document("recipe", "Let the dough rest for one hour.\n\nBake it at 220 degrees.")
second = Document("recipe", "Let the dough rest for two hours.")
for version in (first, second):
    shelf.add(build_hierarchy(version, [RecursiveChunker(40), RecursiveChunker(12)]))
    hits = shelf.search("How long does the dough rest?")
    print(shelf.doc_ids(), "nodes:", shelf.count(), "·", [hit.node.text for hit in hits])
shelf.delete(["recipe"])
print(shelf.doc_ids(), "nodes:", shelf.count(), "· hits:", shelf.search("How long does the dough rest?"))

# %% [markdown]
# No hour is left of the first version, and no orphan is left after the delete. A store that only inserts would return both
# versions and let the language model choose.
#
# Look-ups are what a hierarchy is stored for: from a hit to its parent, to all children of that parent, to its neighbours
# on the same level, to the whole text.

# %%
hit = index.search(QUESTION, 1)[0]
(parent,) = index.parents([hit.node])
print("hit       ", hit.node.node_id, f"score {hit.score:.3f}")
print("parent    ", parent.node_id)
print("children  ", [node.position for node in index.children([parent])])
print("neighbours", [node.position for node in index.neighbours(hit.node, before=1, after=1)])
print("text      ", index.text(hit.doc_id)[hit.start : hit.end] == hit.node.text)

# %% [markdown]
# A hit of 200 tokens, a parent of 800: **search small, return large** is these two look-ups. Lesson 14 makes it a
# retriever.

# %% [markdown]
# ## The embedding cache
#
# Embedding is the slow step, and a text is embedded again and again: after each change to one chunk, in each new session,
# by each lesson. `CachedEmbedder` keeps vectors in an SQLite file. The key is the **model's name and the SHA-256 of the
# text**. Count the texts that reach the model.


# %%
class Counted:
    """An embedder that counts the texts it is given."""

    def __init__(self, inner: MiniLMEmbedder, name: str) -> None:
        self.inner, self.name, self.dim, self.texts = inner, name, inner.dim, 0

    def encode(self, texts: list[str]) -> np.ndarray:
        self.texts += len(texts)
        return self.inner.encode(texts)


cache = Path(folder.name) / "cache.sqlite"
for run, name in [("first run", "model A"), ("second run", "model A"), ("another model", "model B")]:
    counted = Counted(minilm, name)
    answer = CachedEmbedder(counted, cache).encode(sentences + sentences[:2])
    print(f"{run:13}  asked for {len(answer)}, embedded {counted.texts}")

# %% [markdown]
# Seven texts with two repetitions: five are embedded. The second time, none. Another name is another key, since vectors of
# two models must never meet. For the same reason an index refuses an embedder that it was not made with:

# %%
try:
    Index.open(index.path, CharNgramEmbedder())
except ValueError as error:
    print(str(error).split(": ", 1)[1])

# %% [markdown]
# ## Parameters
#
# | turn this | start with | what it costs |
# |---|---|---|
# | leaf size (the chunker's) | 150–200 tokens with MiniLM | smaller: more vectors, less context in each; larger: cut off |
# | embedder | MiniLM for English, n-grams or bge-m3 for Chinese | a larger model: slower, more memory, new index |
# | mode | `hybrid`, if you do not know the questions | two searches in place of one |
# | `k` | 10 to read, 30–100 to rerank or to merge | more rows to read |
# | `levels` in `add` | leaves only | each level more: its vectors in the index |
# | the constant of rank fusion | 60 | smaller: the first ranks count for more |
#
# Turn the leaf size first. Change the embedder next, and measure both ([lesson 03](03_measuring_retrieval.ipynb)).

# %% [markdown]
# ## Exercises
#
# ### Exercise 02.1 · Nearest rows
#
# ★★☆ · 10 minutes. Write exact search for vectors of **any** length. Given `vectors` of shape `(n, d)`, a `query` of shape
# `(d,)` and `k`, return the row numbers of the `k` rows with the highest cosine, best first. Round each cosine to six
# decimals, so that noise settles no tie; rows that tie stand in ascending order. A row of zeros has no direction and is
# left out. A query of zeros finds nothing.


# %% tags=["exercise"]
import numpy as np

from hierrag_lessons import check, hint, solution


def nearest_rows(vectors: np.ndarray, query: np.ndarray, k: int) -> list[int]:
    """Row numbers of the k highest cosines, best first; ties by row number."""
    return ...


check("02.1", nearest_rows)

# %% tags=["solution"]
import numpy as np

from hierrag_lessons import check

# solution: 02.1


check("02.1", nearest_rows)

# %% [markdown]
# ### Exercise 02.2 · Find the bug: ids
#
# ★★☆ · 10 minutes. This function cuts documents into parents and children and returns one row for each child: its id, its
# parent's id, its text. It runs, and the rows look fine. But a second run can't find the rows of the first, two equal
# children have one id, and children of different documents share a parent. Make each id `"{doc_id}:{start}-{end}"`, with
# offsets in the document, for parents and for children. Documents come as pairs `(doc_id, text)`, sizes are in characters.


# %% tags=["exercise", "volatile"]
from hierrag_lessons import check, hint, solution


def child_rows(documents: list[tuple[str, str]], parent_size: int, child_size: int) -> list[tuple]:
    """One row (child id, parent id, text) for each child, in document order."""
    rows = []
    for _doc_id, text in documents:
        for parent_id, parent_start in enumerate(range(0, len(text), parent_size)):
            parent = text[parent_start : parent_start + parent_size]
            for start in range(0, len(parent), child_size):
                child = parent[start : start + child_size]
                rows.append((hash(child), parent_id, child))
    return rows


check("02.2", child_rows)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 02.2


check("02.2", child_rows)

# %% [markdown]
# ### Exercise 02.3 · Fuse two rankings
#
# ★☆☆ · 8 minutes. Write reciprocal rank fusion. `rankings` is a list of lists of ids, each best first. An id scores
# `1 / (constant + rank)` in each ranking that has it, with ranks from 1. Return pairs `(id, score)`, highest score first;
# equal scores by id. Each ranking has an id at most once.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def fuse(rankings: list[list[str]], constant: int = 60) -> list[tuple[str, float]]:
    """Ids with the sums of their reciprocal ranks, best first."""
    return ...


check("02.3", fuse)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 02.3


check("02.3", fuse)

# %% [markdown]
# ## Takeaways
#
# 1. An embedding is a direction; the cosine of unit vectors is a dot product; exact search is one matrix product.
# 2. MiniLM reads 256 word pieces and no Chinese to speak of, and says neither. Count before you embed.
# 3. Words find names, vectors find paraphrases. Fusing ranks is the safe choice, not always the best one.
# 4. Ids are built from what they name, filters from values. `hash()` and pasted SQL fail silently.
# 5. One table with all levels: search the leaves, look up parents and neighbours, replace and delete as a whole.
#
# ## Interview questions
#
# <details><summary>Your index of 1,000-token chunks with all-MiniLM-L6-v2 misses answers that are clearly in the text. What
# do you check first?</summary>
#
# How many word pieces each chunk has. The model reads 256 and drops the rest without an error, so answers in the later
# part of a chunk have no influence on its vector. Embed smaller children and return their parents, or use a model with a
# longer input. Test: replace the end of a chunk and see whether its vector changes.
#
# </details>
#
# <details><summary>Why does hybrid search usually fuse ranks, and not scores?</summary>
#
# A cosine lies between −1 and 1, a BM25 score has no upper limit and depends on the query and the collection. Adding them
# needs a normalisation that itself changes from query to query. Ranks are always comparable. The price: a clear winner and
# a narrow one count the same, and a useless ranking votes as loudly as a good one.
#
# </details>
#
# <details><summary>A document changes every night. How do you keep the index right, and cheap?</summary>
#
# Ids built from document and offsets, and replacement of the document as a whole in one commit, so that no reader sees old
# and new chunks mixed and no orphans stay behind. An embedding cache keyed by model and text, so that only changed chunks
# are embedded. The model's name stored in the index, so that a change of model is noticed.
#
# </details>
#
# ## Further reading
#
# - Reimers, Gurevych: [Sentence-BERT](https://arxiv.org/abs/1908.10084), 2019. How sentence embeddings are trained.
# - Wang et al.: [MiniLM](https://arxiv.org/abs/2002.10957), 2020. How a small model learns from a large one.
# - Weinberger et al.: [Feature hashing](https://arxiv.org/abs/0902.2206), 2009. What `CharNgramEmbedder` relies on.
# - Cormack, Clarke, Büttcher: [Reciprocal rank fusion](https://doi.org/10.1145/1571941.1572114), 2009. Two pages.
# - Chen et al.: [BGE M3-Embedding](https://arxiv.org/abs/2402.03216), 2024. A model for a hundred languages.
# - [LanceDB's documentation](https://docs.lancedb.com/).
#
# Next: [lesson 03, measuring retrieval](03_measuring_retrieval.ipynb). So far we looked at ranks of single leaves; next we
# measure what really reaches the language model.
