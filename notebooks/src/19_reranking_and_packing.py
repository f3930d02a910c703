# %% [markdown]
# # 19 · Reranking and packing
#
# **You will** fuse vector and text search by ranks and by scores; let sections speak for their chunks; build a reranker that
# compares texts word piece by word piece; choose passages that do not repeat each other; put a context into an order, give
# its passages numbers, and lead an answer's citations back to spans.
#
# **You learn** why scores of two searches can't be added, what a missing hit counts, when a second look helps and when it
# harms, what variety costs, and what a prompt holds beside its passages.
#
# **You need** lessons [02](02_embeddings_and_store.ipynb) (two searches), [03](03_measuring_retrieval.ipynb) (budgets and
# intervals) and [15](15_auto_merging.ipynb) (merging). 20 minutes, medium (★★☆), four exercises. No network, no API key.
#
# The way through: [two searches](#Two-searches,-two-blind-spots), [the idea](#The-idea), [fusion](#Adding-scores),
# [measured](#Measured:-fusion), [levels above](#A-section-speaks-for-its-chunks), [late interaction](#A-second-look),
# [before merging](#Before-merging), [Chinese](#Where-it-cannot-read), [variety](#Variety), [order](#Order), [the
# prompt](#The-prompt), [parameters](#Parameters), [exercises](#Exercises).

# %%
import warnings
from contextlib import ExitStack
from dataclasses import replace
from statistics import fmean, pstdev

import numpy as np
from langchain_core.vectorstores.utils import maximal_marginal_relevance
from matplotlib.patches import Rectangle

from hierrag_lessons import (
    AutoMergingRetriever,
    CrossEncoderReranker,
    DiverseRetriever,
    EmbeddingError,
    FlatRetriever,
    HybridRetriever,
    MaxSimReranker,
    MiniLMEmbedder,
    Passage,
    RerankingRetriever,
    Table,
    TruncationWarning,
    compare,
    count_tokens,
    course_hierarchy,
    course_set,
    drawing,
    evaluate,
    grow_hits,
    interval_bars,
    largest_changes,
    mmr,
    pack,
    pack_prompt,
    paired_difference,
    recall,
    reciprocal_rank,
    reciprocal_rank_fusion,
    render,
    reorder,
    temporary_index,
    z_score_fusion,
)

# %% [markdown]
# The course's texts, cut as in the lessons before: sections of at most 2,000, 600 and 200 tokens. This time the sections of
# 600 (level 2) get vectors, too, so that both levels can be searched.

# %%
warnings.simplefilter("ignore", TruncationWarning)  # sections of 600 tokens are longer than the model reads
stack, index, questions = ExitStack(), {}, {}
for language in ("en", "zh"):
    documents, questions[language] = course_set(language)
    trees = [replace(course_hierarchy(document), searched=frozenset({2, 3})) for document in documents]
    index[language] = stack.enter_context(temporary_index(trees))
    counts = {level: index[language].count(level) for level in (2, 3)}
    print(language, "nodes by level:", counts, "· dev questions:", len(questions[language]))

LEAVES, SECTIONS = 3, 2

# %% [markdown]
# ## Two searches, two blind spots
#
# Two questions, and the first 1,000 tokens that each search finds for them:


# %%
def by_id(question_id):
    return next(q for q in [*questions["en"], *questions["zh"]] if q.id == question_id)


vector, text = (FlatRetriever(index["en"], LEAVES, mode) for mode in ("vector", "text"))
for question in (by_id("en-ar-003"), by_id("en-act-007")):
    print(question.question)
    for name, retriever in (("vector", vector), ("text", text)):
        found = pack(retriever.retrieve(question.question, 30), 1000)
        best = max(found, key=lambda passage: recall([passage], question.evidence))
        rank = f"place {found.index(best) + 1}" if recall([best], question.evidence) else "not found"
        print(f"  {name:6} recall {recall(found, question.evidence):.2f}, {rank}")

# %% [markdown]
# A search by words needs a word that stands in both texts, and loves it if it is rare. A vector holds what a text is about,
# whatever its words, and has no room for each rare one. Neither is the better search. They fail at different questions, and
# that is why it pays to ask both.
#
# ## The idea
#
# ![Seven steps: search by vector and text on each level, fuse, rerank, expand to windows or parents, diversify, pack,
# order and render. The first three work on hits, the next two on passages, the last two on the context. A dashed arrow leads
# from a number in an answer back to a span of a document.](images/19_reranking_and_packing.svg)
#
# Everything between the search and the prompt does one of two things: it changes the **order** of spans, or it **chooses**
# among them. None of it can find what no search found. So each step can be measured as before: at an equal budget.
#
# ## Adding scores
#
# Two lists, one order. The first thing people write is a sum:


# %%
def by_sum(query, k=10):
    """Leaves by the sum of their two scores."""
    total = {}
    for mode in ("vector", "text"):
        for hit in index["en"].search(query, 100, mode=mode, level=LEAVES):
            total[hit.node.node_id] = total.get(hit.node.node_id, 0) + hit.score
    return sorted(total, key=lambda name: -total[name])[:k]


lines = []
for question in (by_id("en-ar-003"), by_id("en-act-007")):
    lists = {mode: index["en"].search(question.question, 100, mode=mode, level=LEAVES) for mode in ("vector", "text")}
    first = {mode: [hit.node.node_id for hit in hits[:10]] for mode, hits in lists.items()}
    summed = by_sum(question.question)
    spread = {mode: hits[0].score - hits[9].score for mode, hits in lists.items()}
    shared = {mode: len({*summed} & {*names}) for mode, names in first.items()}
    lines.append((question.id, spread["vector"], spread["text"], shared["vector"], shared["text"]))
columns = ("question", "vector, 1st - 10th", "BM25, 1st - 10th", "of vector's ten", "of text's ten")
Table(columns, tuple(lines), "how far apart the ten best are, and how many of them are among the ten best sums")

# %% [markdown]
# A cosine ends at 1, a BM25 score has no end. Between the first and the tenth hit lies about a tenth in one list and
# many units in the other, so the sum is the text search with some noise. Weights do not cure it: how far BM25 scores
# spread depends on the query.
#
# Two cures are in use. **Reciprocal rank fusion** (Cormack and others, 2009) forgets the scores: a hit gets 1 / (60 + rank)
# from each list. **Z-scores** bring both lists to one scale: take away the mean, divide by the standard deviation, add up.
# By hand, for three chunks:

# %%
cosines = {"a": 0.62, "b": 0.60, "c": 0.41}
bm25 = {"b": 3.0, "d": 21.0}


def standardise(scores, ids, missing):
    full = {name: scores.get(name, missing) for name in ids}
    middle, spread = fmean(full.values()), pstdev(full.values())
    return {name: (score - middle) / spread if spread else 0.0 for name, score in full.items()}


ids = ["a", "b", "c", "d"]
z_vector, z_text = standardise(cosines, ids, min(cosines.values())), standardise(bm25, ids, 0.0)
ranks = reciprocal_rank_fusion([["a", "b", "c"], ["d", "b"]])
lines = [(name, ranks[name], z_vector[name], z_text[name], z_vector[name] + z_text[name]) for name in ids]
ours = z_score_fusion([cosines, bm25], missing=[min(cosines.values()), 0.0])
assert all(abs(ours[name] - line[-1]) < 1e-9 for name, line in zip(ids, lines, strict=True))
Table(("chunk", "reciprocal ranks", "z, vector", "z, text", "z, sum"), tuple(lines))

# %% [markdown]
# Ranks prefer `b`, which stands in both lists. Z-scores prefer `d`: its words fit far better than anyone else's, and that
# lead is worth more than a second place. Neither is right; they are two opinions about what a lead is worth.
#
# Three cases need a rule, and published code often has none:
#
# - **A hit that one list lacks.** Most code gives it 0. After standardising, 0 is the *average*, so not to be found would be
#   better than to be found in the lower half. Here a missing id counts as the last hit of that list, before standardising; or
#   as BM25 0 where the text search listed everything that has a word of the query.
# - **One hit.** Alone it has no spread. Filled up with what it was found among, it stands out, as a rare word should. (Below,
#   `a` is last in the first list, and the only hit of the second takes it past `b`.)
# - **Equal scores.** The spread is 0, and a division by it gives NaN, which sorts anywhere. Such a list tells nothing apart
#   and gives everyone 0.

# %%
print("one list alone, equal scores: ", z_score_fusion([{"a": 0.3, "b": 0.3}]))
lonely = z_score_fusion([{"a": 0.5, "b": 0.6, "c": 0.7}, {"a": 14.2}], missing=[0.5, 0.0])
print("one hit in the second list:   ", {name: round(score, 2) for name, score in lonely.items()})

# %% [markdown]
# ## Measured: fusion
#
# Leaves only, both languages, equal budgets. `HybridRetriever` takes 100 hits from each search. Its reciprocal ranks are
# what the index itself does in mode `hybrid`; we look first whether that is so.


# %%
def contenders(language):
    here = index[language]
    return {
        "vector": FlatRetriever(here, LEAVES),
        "text": FlatRetriever(here, LEAVES, "text"),
        "ranks": HybridRetriever(here, LEAVES, fusion="reciprocal_rank"),
        "z-scores": HybridRetriever(here, LEAVES, fusion="z_score"),
        "z + sections": HybridRetriever(here, LEAVES, {SECTIONS: 0.5}, fusion="z_score"),
    }


retrievers = {language: contenders(language) for language in index}
for question in questions["zh"][:10]:
    own = retrievers["zh"]["ranks"].retrieve(question.question, 10)
    assert own == FlatRetriever(index["zh"], LEAVES, "hybrid").retrieve(question.question, 10)

BUDGETS = (500, 1000, 2000)
results = {
    language: {name: evaluate(r, questions[language], BUDGETS, k=40) for name, r in retrievers[language].items()}
    for language in index
}
only = ("vector", "text", "ranks", "z-scores")
compare({name: results["en"][name] for name in only}, "recall", 1000)

# %%
compare({name: results["zh"][name] for name in only}, "recall", 1000)

# %% [markdown]
# Z-scores against ranks, in the same two languages:

# %%
for found in results.values():
    print(compare({name: found[name] for name in ("ranks", "z-scores")}, "recall", 1000), "\n")

# %% [markdown]
# By question type, at 1,000 tokens, with the number of questions:


# %%
def by_type(found, names, budget=1000):
    """Mean recall of each method by question type."""
    lines = []
    for kind in ("single_fact", "enumeration", "summary", "process", "dialogue"):
        n = len(found[names[0]].scores("recall", budget, type=kind))
        lines.append((kind, n, *(found[name].mean("recall", budget, type=kind) for name in names)))
    return Table(("type", "questions", *names), tuple(lines))


print(by_type(results["en"], only))
print()
print(by_type(results["zh"], only))

# %% [markdown]
# The differences of the two fusions from vector search, with their intervals:

# %%
lines = []
for language, found in results.items():
    for kind in ("single_fact", "enumeration", "summary", "process", "dialogue"):
        before = list(found["vector"].scores("recall", 1000, type=kind).values())
        line = [language, kind]
        for name in ("ranks", "z-scores"):
            after = list(found[name].scores("recall", 1000, type=kind).values())
            low, high = paired_difference(after, before)
            line.append(f"{fmean(after) - fmean(before):+.2f} ({low:+.2f} to {high:+.2f})")
        lines.append(tuple(line))
Table(("texts", "type", "ranks", "z-scores"), tuple(lines), "recall at 1000 tokens, difference from vector")

# %% [markdown]
# And the question that the fusion by z-scores rescued from vector search, and the one that it spoiled:


# %%
def rescued_and_spoiled(found, before, after, budget=1000):
    changes = largest_changes(found[before], found[after], budget=budget)
    for name, change in zip(("rescued", "spoiled"), changes, strict=True):
        print(f"{name}: {change.before:.2f} -> {change.after:.2f}  {change.question.id}, {change.question.type}")
        print(f"   {change.question.question}")


for language in index:
    rescued_and_spoiled(results[language], "vector", "z-scores")

# %% [markdown]
# In English z-scores are ahead of vector search: the interval of the difference leaves out zero. For ranks it does not. In
# Chinese both fusions are ahead. Of the two, z-scores are ahead of ranks in English; in Chinese nothing is shown.
#
# Look at the counts before you read the types: seven to nineteen questions each, and twenty intervals, of which one could be
# clear of zero by luck. The mean of z-scores is higher than that of vector search for every type, in both languages; ranks
# gain nothing in the mean for processes. What is shown most clearly are English dialogues with z-scores.
#
# (Ranks are what [lesson 18](18_coarse_to_fine.ipynb) calls flat hybrid, with slightly other numbers. BM25 counts how rare a
# word is over *all* texts of an index, and that index also held whole documents.)
#
# And fusion is paid for. What one search alone had on top can sink below what both find in the middle: the spoiled English
# question is the one from the beginning that vector search answers and text search does not.
#
# ## A section speaks for its chunks
#
# Two chunks say "the deadline is 30 days". One stands in a section on meters, the other in one on tenders, and the question
# is about tenders. The chunks are as good as each other; their sections are not. So search the level above as well, fuse
# *its* two searches in the same way, and add the section's score to each of its chunks, with a weight:
#
#     score(chunk) = fused(chunk) + 0.5 · fused(section of the chunk)
#
# That was the fifth retriever, `HybridRetriever(index, 3, {2: 0.5}, fusion="z_score")`. Against the fourth:

# %%
for language in index:
    pair = {name: results[language][name] for name in ("z-scores", "z + sections")}
    for budget in (1000, 2000):
        (row,) = compare(pair, "recall", budget).records()[1:]
        interval = f"{row['difference']:+.3f} ({row['difference low']:+.3f} to {row['difference high']:+.3f})"
        print(f"{language}, {budget} tokens: recall {row['recall']:.3f}, difference from z-scores {interval}")

# %%
print(by_type(results["en"], ("z-scores", "z + sections"), 2000))
print("\nat 1000 tokens:")
rescued_and_spoiled(results["en"], "z-scores", "z + sections")

# %% [markdown]
# At 1,000 tokens the sections are not shown to bring anything. At 2,000 they are, in English. A likely reason: the best
# chunk is found without them, and what they bring up are the *next* ones, its neighbours. In Chinese nothing is shown
# at either budget. The question that they spoil at 1,000 shows the cost: its evidence stands in *two* documents, and
# what lifts the chunks of one section pushes others down. In any case there is one more level of vectors to store, and
# two more searches a query.
#
# ## A second look
#
# A vector for a whole chunk is made before anyone asks. A better judge reads the query and the chunk together. Such a judge
# is slow, so it reads only **candidates** that a fast search has found: it *reranks*.
#
# ColBERT (Khattab and Zaharia, 2020) is a judge halfway. It keeps one vector for each **word piece**. Each word piece of the
# query looks for the piece of the text that is most like it, and the best cosines are added up: *late interaction*, or
# MaxSim. Any sentence transformer has such vectors inside, just before it takes their mean; here are MiniLM's.

# %%
reranker = MaxSimReranker(MiniLMEmbedder())
query = "When is the fee due?"
chunks = ["The charge has to be paid by 31 May.", "The fee schedule lists all services."]


def max_sim(query_rows, text_rows):
    """The mean of the best cosines, one for each word piece of the query."""
    return (query_rows @ text_rows.T).max(axis=1).mean()


by_hand = [max_sim(reranker.vectors(query), reranker.vectors(chunk)) for chunk in chunks]
print([f"{score:.3f}" for score in by_hand])

# %% [markdown]
# The package's reranker and the function of sentence-transformers agree:

# %%
from sentence_transformers.util import mean_maxsim

by_library = mean_maxsim([reranker.vectors(query)], [reranker.vectors(chunk) for chunk in chunks])[0].tolist()
for chunk, ours, package, theirs in zip(chunks, by_hand, reranker.score(query, chunks), by_library, strict=True):
    print(f"by hand {ours:.3f}, package {package:.3f}, sentence-transformers {theirs:.3f}  {chunk}")

# %%
pieces = reranker.embedder.split_word_pieces([query, chunks[0]])
cosines = reranker.vectors(query) @ reranker.vectors(chunks[0]).T
for row, name in enumerate(pieces[0]):
    print(f"{name:5} -> {pieces[1][cosines[row].argmax()]:7} {cosines[row].max():.2f}")
with drawing(3.6, width=7.5) as (figure, [axes]):
    picture = axes.imshow(cosines, cmap="cividis", vmin=0, vmax=1)
    for row, best in enumerate(cosines.argmax(axis=1)):
        axes.add_patch(Rectangle((best - 0.47, row - 0.47), 0.94, 0.94, fill=False, edgecolor="#d55e00", linewidth=2.5))
    axes.set_xticks(range(len(pieces[1])), pieces[1], rotation=45, ha="right")
    axes.set_yticks(range(len(pieces[0])), pieces[0])
    figure.colorbar(picture, ax=axes, label="cosine")
    figure.alt = (
        "A grid of cosines: the word pieces of the query, when is the fee due and a question mark, against those "
        "of the text, the charge has to be paid by 31 may and a full stop. The best piece of each row is framed: "
        "fee goes to charge, due to paid."
    )
figure

# %% [markdown]
# ColBERT was *trained* so that these single matches mean something. MiniLM was trained only for the mean; its word
# pieces come along untrained. So this is an experiment, and it needs measuring. Six candidates each, because every
# chunk that was not read before costs a run of the model; the vectors of a chunk are kept, so that the next question
# finds them read. And a small budget of 300 tokens, since an order only matters where not everything fits.


# %%
class FirstOnly:
    """The candidates as they come, for comparison: each scores its place."""

    def score(self, query, texts):
        return -np.arange(len(texts), dtype=float)


def reranked(language, asked, name, candidates=6, budget=300):
    """A search's best candidates, in its own order and in MaxSim's."""
    found = {}
    for label, judge in ((name, FirstOnly()), (f"{name}, MaxSim", reranker)):
        retriever = RerankingRetriever(retrievers[language][name], judge, candidates)
        found[label] = evaluate(retriever, asked, (budget,), k=candidates)
    return found


on_vector, on_fused = (reranked("en", questions["en"], name) for name in ("vector", "z-scores"))
print(compare(on_vector, "recall"), "\n")
print(compare(on_fused, "recall"))

# %%
rescued_and_spoiled(on_fused, "z-scores", "z-scores, MaxSim", 300)

# %% [markdown]
# Here is the lesson's main finding, and it is not the one that is usually told. Over vector search the second look
# gains a little, and the interval leaves out zero. Over the fused search no gain is shown, and the mean is lower: **a
# reranker throws away the order that it is given**, here what BM25 knew about rare words, and puts its own opinion
# there. It has to be better than the whole search before it, not only better than the vectors it came from.
#
# A trained reranker is another matter. A **cross-encoder** reads the query and the chunk as *one* text and gives one
# number; it has learned from pairs of questions and answers what a good number is.
# `CrossEncoderReranker("BAAI/bge-reranker-v2-m3")`, or any other model of that kind by its name, fits wherever
# `MaxSimReranker` stands. It is downloaded once, more than two gigabytes, so no cell here does it. A name that is not
# to be had gives an error that says so:

# %%
try:
    CrossEncoderReranker("no-one/no-reranker")
except EmbeddingError as error:
    print(str(error).split(" (")[0])

# %% [markdown]
# ## Before merging
#
# A reranker can look at hits *before* they become parents, or at the parents afterwards. Two reasons speak for before: chunks
# fit into what the model reads, and a merge counts which chunks are good. Auto-merging (lesson 15) takes a `reranker`: it judges
# six candidates, the best four go on and are merged. In the other row the first four go on as they were found.

# %%
merging = {
    "merged": AutoMergingRetriever(index["en"], LEAVES, leaves=4, threshold=0.5),
    "MaxSim, then merged": AutoMergingRetriever(
        index["en"], LEAVES, leaves=4, threshold=0.5, reranker=reranker, candidates=6
    ),
}
merged = {name: evaluate(r, questions["en"], (300,), k=4) for name, r in merging.items()}
compare(merged, "recall")

# %% [markdown]
# The mean is higher, the interval holds zero: not shown. To get neighbours instead of parents, grow the reranked hits,
# whoever found them, by one leaf before and one after (lesson 13):

# %%
question = by_id("en-ar-003")
best = RerankingRetriever(retrievers["en"]["z-scores"], reranker, 6).retrieve(question.question, 3)
grown = grow_hits(index["en"], [hit for passage in best for hit in passage.hits if hit.node.level == LEAVES], 1, 1)
for passage in grown:
    print(
        f"{passage.doc_id}:{passage.start}-{passage.end}, {count_tokens(passage.text)} tokens, hits: {len(passage.hits)}"
    )

# %% [markdown]
# ## Where it cannot read
#
# MiniLM's vocabulary is English. Of most Chinese characters it sees only `[UNK]`, unknown. All unknown pieces look alike, so
# MaxSim finds a splendid match for every one of them, in any text:

# %%
texts = [question.question for question in questions["zh"]]
known = reranker.embedder.split_word_pieces(texts)
unknown = sum(pieces.count("[UNK]") for pieces in known) / sum(map(len, known))
print(f"{unknown:.0%} of the word pieces of the Chinese questions are unknown")
pairs = [("雨伞", "螃蟹"), ("报销差旅费", "安装电能表"), ("umbrella", "crab"), ("travel expenses", "install a meter")]
for left, right in pairs:
    print(f"{reranker.score(left, [right])[0]:.2f}  {left} · {right}")

compare(reranked("zh", questions["zh"][::2], "z-scores"), "recall")

# %% [markdown]
# Unrelated things look like good matches, at worst like a perfect one. The table takes every second Chinese question, to save
# time. The mean falls by more than MaxSim gained in any table above. That it does not fall further has likely two reasons:
# digits and product names are Latin, which MiniLM reads, and there are only six candidates to spoil. With so few questions the
# interval still holds zero, so a loss is not shown; but what the model cannot read it cannot judge. For Chinese use a model
# that can, or none.
#
# ## Variety
#
# Ten chunks that all say the same fill a budget and answer one part of the question. **Maximal marginal relevance**
# (Carbonell and Goldstein, 1998) takes the best text first, and then always the one with the highest
#
#     balance · relevance − (1 − balance) · similarity to the nearest text already chosen
#
# LangChain has it, too; on the same vectors both choose the same:

# %%
query = "How long are support tickets kept open?"
passages = retrievers["en"]["vector"].retrieve(query, 30)
vectors = index["en"].embedder.encode([hit.node.embedding_text for p in passages for hit in p.hits[:1]])
asked = index["en"].embedder.encode([query])[0]
chosen = mmr(vectors @ asked, vectors, 8, balance=0.7)
theirs = maximal_marginal_relevance(asked, list(vectors), lambda_mult=0.7, k=8)
print("ours:     ", chosen)
print("LangChain:", theirs)

# %%
lines = []
for language in index:
    found = {"z-scores": results[language]["z-scores"]}
    for balance in (0.9, 0.5):
        diverse = DiverseRetriever(retrievers[language]["z-scores"], index[language].embedder, balance=balance)
        found[f"balance {balance}"] = evaluate(diverse, questions[language], (1000,), k=30)
    for row in compare(found, "recall", 1000).records():
        lines.append(
            (language, *(row[key] for key in ("method", "recall", "difference", "difference low", "difference high")))
        )
Table(("texts", "method", "recall", "difference", "low", "high"), tuple(lines), "recall at 1000 tokens")

# %% [markdown]
# No balance gains. At 0.9 no difference is shown, at 0.5 a loss is, in both languages. A likely reason is the texts:
# their chunks do not overlap and hardly repeat each other. What is *similar* to a good chunk is here often its
# neighbour, the other half of the answer. Variety pays where the same thing stands in the index ten times: overlapping
# chunks, copies of one page, a hundred reports of one event. Even there it is better to remove the copies before they
# are indexed. `pack` takes care of overlaps in any case: nothing is packed twice.
#
# ## Order
#
# The packed passages are fixed now. Their order is not. Liu and others (*Lost in the Middle*, 2023) put the passage with the
# answer at different places of a long context: several models used it best at the beginning or the end. So there are three
# orders to choose from: by score; as the author wrote it; or the best at the two ends.

# %%
letters = [Passage("d", i, i + 1, name, score=-float(i)) for i, name in enumerate("123456")]
for order in ("score", "ends_first"):
    print(f"{order:11}", [passage.text for passage in reorder(letters, order)])

rows = [row for row in results["en"]["z-scores"].rows if row.budget == 1000 and row.question.answerable]
lines = []
for order in ("score", "document", "ends_first"):
    ordered = [(reorder(row.passages, order), row.question.evidence) for row in rows]
    recalls, firsts = ([measure(*pair) for pair in ordered] for measure in (recall, reciprocal_rank))
    last = [reciprocal_rank(passages[::-1], evidence) for passages, evidence in ordered]
    lines.append((order, fmean(recalls), fmean(firsts), fmean(map(max, firsts, last))))
columns = ("order", "recall", "1 / rank of the first gold", "the same from the nearer end")
Table(columns, tuple(lines), "one context, three orders")

# %% [markdown]
# Recall is the same to the last digit, as it must be: the order changes nothing about what was found. Where the gold stands
# does change. Whether your model cares can be seen only in its answers, so that experiment needs a model and belongs to
# lesson 23. Two things can be said without one. Document order reads naturally, and keeps "the same applies to" behind what it
# applies to. And at a thousand tokens there is not much of a middle to get lost in.
#
# ## The prompt
#
# What a model gets is one text. `render` writes a number and the heading path above each passage, so that the model knows
# where it is and can say what it relies on:

# %%
query = "Which work compared household load forecasts first?"
packed = pack(retrievers["en"]["z-scores"].retrieve(query, 10), 200)
prompt = render(packed)
print(prompt.text)

# %% [markdown]
# Look at the numbers. Did you expect 1 and 2? This is a research paper, and it has references of its own in brackets. If the
# first passage were called [1], a model that copies "[1]" from the text would seem to cite that passage. So a number that
# already stands in one of the texts is passed over, and a copied one is caught:

# %%
first = prompt.numbers[0]
answer = f"Simple seasonal profiles were found to be hard to beat beyond six hours [{first}]."
for citation in prompt.citations(answer):
    passage = citation.passage
    source = next(document for document in course_set("en")[0] if document.doc_id == passage.doc_id)
    print(f"[{citation.number}] is {passage.doc_id}, characters {passage.start} to {passage.end};")
    print("the same characters of the document:", source.text[passage.start : passage.end] == passage.text)
try:
    prompt.citations("The first systematic comparison was made by Ferreira-Holt and Quist [1].")
except ValueError as error:
    print("refused:", error)

# %% [markdown]
# The headings and numbers are tokens as well. `pack` counts the passages only, which is fair for comparing methods; a
# model's window counts everything. `pack_prompt` keeps to a budget for the whole text:

# %%
lines = []
for language in index:
    found = [r.retrieve(q.question, 30) for r in [retrievers[language]["z-scores"]] for q in questions[language][:20]]
    loose = [render(pack(passages, 1000)) for passages in found]
    strict = [pack_prompt(passages, 1000, "document") for passages in found]
    for name, prompts in (("pack, then render", loose), ("pack_prompt", strict)):
        sizes = [count_tokens(prompt.text) for prompt in prompts]
        inside = [sum(count_tokens(passage.text) for passage in prompt.passages) for prompt in prompts]
        lines.append((language, name, fmean(inside), fmean(sizes), max(sizes)))
columns = ("texts", "", "tokens of passages", "tokens of the prompt", "largest prompt")
Table(columns, tuple(lines), "a budget of 1000 tokens, 20 questions each")

# %% [markdown]
# ## All of it, side by side
#
# The differences of this lesson at 1,000 tokens, from vector search on the same leaves:

# %%
table = compare(results["en"], "recall", 1000)
print(table)
interval_bars(table, "difference")

# %%
stack.close()

# %% [markdown]
# ## Parameters
#
# | what | start with | what it costs |
# |---|---|---|
# | searches | vector and text, each level that you search | a text index; one more search a query |
# | `fusion` | `z_score`; `reciprocal_rank` where scores are strange or come from outside | nothing |
# | `candidates` of the fusion | 100 | little |
# | `above` | nothing; then `{level above: 0.5}`, and measure | a level of vectors, two searches a query |
# | reranker | none; then a *trained* cross-encoder on 20 to 50 candidates | the slowest step by far |
# | `balance` of MMR | 1, which is off; lower it only where your index is full of copies | recall, as seen |
# | order | `document` for reading; `ends_first` for very long contexts, if your model's answers gain by it | nothing |
# | budget | that of the whole prompt, `pack_prompt` | a few headings' worth of text |
#
# ## Exercises
#
# `hint("19.1")` gives a hint, `solution("19.1")` shows a solution.
#
# ### Exercise 19.1 · Add up standardised scores
#
# ★★☆ · 10 minutes. Each ranking is a mapping from id to score. For every id that any ranking has, return the sum of its
# z-scores. What a ranking lacks counts there as its lowest score, *before* mean and deviation (`fmean`, `pstdev`) are taken,
# over all ids. A ranking that then has the same score for all ids, or that is empty, gives everyone 0.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def add_standardised(rankings: list[dict[str, float]]) -> dict[str, float]:
    """The sum of the z-scores of each id; what a ranking lacks counts there as its lowest score."""
    return ...


check("19.1", add_standardised)

# %% tags=["solution"]
from statistics import fmean, pstdev

from hierrag_lessons import check

# solution: 19.1


check("19.1", add_standardised)

# %% [markdown]
# ### Exercise 19.2 · Find the bugs: marginal relevance
#
# ★★☆ · 10 minutes. This is meant to be MMR by the formula above: `similarity[i][j]` is that of texts `i` and `j`, and for the
# first choice, with nothing chosen yet, it counts as 0. Return the places of `k` texts, all of them where there are fewer; of
# equal values the earlier place is taken. It works on the first try, and goes wrong after a few choices, in two ways.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def choose_diverse(relevance: list[float], similarity: list[list[float]], k: int, balance: float) -> list[int]:
    """The places of ``k`` texts by maximal marginal relevance, best first; of equal ones the earlier."""
    chosen: list[int] = []
    while len(chosen) < min(k, len(relevance)):
        best, best_value = -1, 0.0
        for place in range(len(relevance)):
            if place in chosen:
                continue
            nearest = sum(similarity[place][other] for other in chosen)
            value = balance * relevance[place] - (1 - balance) * nearest
            if value > best_value:
                best, best_value = place, value
        chosen.append(best)
    return chosen


check("19.2", choose_diverse)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 19.2


check("19.2", choose_diverse)

# %% [markdown]
# ### Exercise 19.3 · Best at the ends
#
# ★☆☆ · 5 minutes. `ranked` is best first. Return the same names with the best in front, the second best at the very end, the
# third best second, and so on, so that the worst stand in the middle.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def ends_first(ranked: list[str]) -> list[str]:
    """The first in front, the second at the very end, the third second, …; the last ones in the middle."""
    return ...


check("19.3", ends_first)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 19.3


check("19.3", ends_first)

# %% [markdown]
# ### Exercise 19.4 · Find the bugs: from a citation to its passage
#
# ★★☆ · 10 minutes. An answer cites passages as `[2]` or `[1, 3]`, counted from 1; brackets with anything else in them are
# not citations. Return the cited passages, each once, in the order of the first mentions. A number without a passage is a
# `ValueError`. The code below is how it is often written.


# %% tags=["exercise"]
import re

from hierrag_lessons import check, hint, solution


def cited(answer: str, passages: list[str]) -> list[str]:
    """The passages that an answer cites, in the order of its first mentions, each once."""
    numbers = [int(n) for n in re.findall(r"\[(\d+)\]", answer)]
    return [passages[number - 1] for number in numbers if number <= len(passages)]


check("19.4", cited)

# %% tags=["solution"]
import re

from hierrag_lessons import check

# solution: 19.4


check("19.4", cited)

# %% [markdown]
# ## Takeaways
#
# 1. Vector and text search fail at different questions. Fuse them: by ranks, or by z-scores with a rule for what is missing.
# 2. Never add raw scores. Say what a missing hit, a single hit and equal scores count.
# 3. A reranker throws away the order it is given. It must be better than the whole search before it, in your language.
# 4. Variety helps against copies. Without copies it costs recall: what is similar to a good chunk is often its other half.
# 5. Order changes no recall; numbers, headings and citations belong to the prompt, and a number must lead to one span.
#
# ## Interview questions
#
# <details><summary>1. You add a reranker to a hybrid search and recall falls. What happened?</summary>
#
# The reranker replaces the order, so whatever the fusion knew and it does not know is lost: rare words, identifiers, a
# language that its model cannot read, text beyond what the model reads. Look at the spoiled questions first. Then try
# fewer candidates, fuse the reranker's score with the search's instead of replacing it, or take a trained cross-encoder.
# And compare at equal budget: with many candidates and a large budget the order hardly matters.
# </details>
#
# <details><summary>2. Reciprocal rank fusion or adding normalised scores: when which?</summary>
#
# Ranks need no scale: they work with any two searches, and one absurd score does no harm. But they forget leads: a first
# place far ahead of the rest counts as one by a hair. Z-scores keep leads, and need rules for missing hits, for one hit and
# for equal scores; min-max scaling hangs on the two extremes. Measure both on your questions.
# </details>
#
# <details><summary>3. How do you make sure that a citation in an answer is true?</summary>
#
# Number the passages, keep the spans behind the numbers, and refuse a number that has none. Pass over numbers that stand in
# the texts themselves. That proves only that the cited span exists; whether it supports the sentence is a separate check,
# which is its own step.
# </details>
#
# ## Further reading
#
# - Cormack, Clarke and Büttcher, *Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods*, 2009:
#   [doi.org/10.1145/1571941.1572114](https://doi.org/10.1145/1571941.1572114)
# - Khattab and Zaharia, *ColBERT*, 2020: [arxiv.org/abs/2004.12832](https://arxiv.org/abs/2004.12832)
# - Carbonell and Goldstein, *The Use of MMR, Diversity-Based Reranking*, 1998:
#   [doi.org/10.1145/290941.291025](https://doi.org/10.1145/290941.291025)
# - Liu and others, *Lost in the Middle: How Language Models Use Long Contexts*, 2023:
#   [arxiv.org/abs/2307.03172](https://arxiv.org/abs/2307.03172)
# - Nogueira and Cho, *Passage Re-ranking with BERT*, 2019: [arxiv.org/abs/1901.04085](https://arxiv.org/abs/1901.04085)
#
# Next: [20 · Every level speaks](20_every_level_speaks.ipynb). Back: [lesson 18](18_coarse_to_fine.ipynb) ·
# [tour](00_tour.ipynb).
