# %% [markdown]
# # 19 · Fusion, reranking and packing
#
# > *List Northmere's fiscal 2025 research priorities with the spending on each, latest progress and share of R&D
# > expense.*
#
# The annual report answers with four numbers. You search by words (BM25), you search by vectors, and you fuse both lists
# by rank. That is what many databases do when you switch on "hybrid". Which numbers are in the context?

# %%
from contextlib import ExitStack
from dataclasses import replace

from hierrag_lessons import FlatRetriever, HybridRetriever, course_hierarchy, course_questions, pack, temporary_index

stack, index, asked = ExitStack(), {}, {}
for name in ("en", "zh"):
    documents, questions = course_questions(name)  # dev questions, in users' words
    asked[name] = [question for question in questions if question.answerable]
    trees = [replace(course_hierarchy(document), searched=frozenset({2, 3})) for document in documents]
    index[name] = stack.enter_context(temporary_index(trees))

hook = next(question for question in asked["en"] if question.id == "en-ar-027-u")
FACTS = {"Kestrel": "$52.6 million", "Bastion": "$31.8 million", "Heron": "$39.1 million", "share": "46.0%"}
SEARCHES = {
    "words": FlatRetriever(index["en"], 3, "text"),
    "vectors": FlatRetriever(index["en"], 3, "vector"),
    "both, fused by rank": HybridRetriever(index["en"], 3, fusion="reciprocal_rank"),
}
for name, search in SEARCHES.items():
    text = "\n".join(passage.text for passage in pack(search.retrieve(hook.question, 60), 4000))
    print(f"{name:20} {', '.join(fact for fact, number in FACTS.items() if number in text) or 'none'}")

# %% [markdown]
# Words alone bring three of four. Vectors bring none. **Fused, both together bring none**, in 4,000 tokens. One search
# knew the answer, and the fusion threw it away.
#
# **You will** take that fusion apart and build better ones; measure six of them; let a second, slower judge look at the
# best hits; and fill a context: in which order, when to stop, and with citations that lead back to the text.
#
# **You learn** what a rank forgets, what a score needs before you may add it, what a reranker must beat, and what a
# prompt holds besides its passages.
#
# **You need** lessons [02](02_embeddings_and_store.ipynb) (two searches), [03](03_measuring_retrieval.ipynb) (budgets,
# verdicts). {{minutes}}, medium (★★☆). No network, no API key. Words that you don't know are in the
# [glossary](GLOSSARY.md).
#
# {{map}}
#
# The way through: [the idea](#The-idea), [what a rank forgets](#What-a-rank-forgets), [scores on one
# scale](#Scores-on-one-scale), [measured](#Measured), [sections](#A-section-speaks-for-its-leaves), [a second
# look](#A-second-look), [a trained judge](#A-trained-judge), [variety](#Variety), [packing](#Packing), [the
# prompt](#The-prompt), [in production](#In-production), [exercises](#Exercises).
#
# ## The idea
#
# ![Seven steps: search by vector and text on each level, fuse, rerank, expand to windows or parents, diversify, pack,
# order and render. The first three work on hits, the next two on passages, the last two on the context. A dashed arrow leads
# from a number in an answer back to a span of a document.](images/19_reranking_and_packing.svg)
#
# Between the search and the prompt there are several steps. Each one changes the **order** of the hits or **chooses**
# among them. None can find what no search found. So each can be measured alone: the same hits, the same budget.
#
# ## What a rank forgets
#
# **Reciprocal rank fusion** (RRF) gives a leaf 1 / (60 + rank) from each list and adds up. Where is the first leaf with
# evidence in each list?

# %%
from hierrag_lessons import recall


def lists(name, question, count=100):
    """The hits of both searches, as leaf and score, best first."""
    found = (index[name].search(question, count, mode=mode, level=3) for mode in ("vector", "text"))
    nodes = [{hit.node.node_id: hit for hit in hits} for hits in found]
    return {**nodes[0], **nodes[1]}, *({name: hit.score for name, hit in own.items()} for own in nodes)


hits, vector, words = lists("en", hook.question)
gold = next(name for name in words if recall([hits[name].node], hook.evidence) > 0)
print(f"by words:   place {list(words).index(gold) + 1}")
print(f"by vectors: {'not' if gold not in vector else ''} among {len(vector)}")
points = 1 / (60 + list(words).index(gold) + 1)
print(f"so it gets 1/62 = {points:.4f}. Found at place 63 by both, it would get 2/123 = {2 / 123:.4f}")

# %% [markdown]
# There it is. **Two mediocre places beat one excellent one.** Whatever both searches have before place 64 passes a leaf that one
# search has second and the other lacks. There are many such leaves, and they fill the context.
#
# Ranks forget *how far ahead* a hit was. Between the second leaf by words and the thirtieth lies a wide gap. RRF sees 1/62
# and 1/90. So let us keep the scores.
#
# ## Scores on one scale
#
# The first idea is to add the scores as they are. But a cosine ends at 1, and BM25 has no end:

# %%
for name, scores in (("vector", vector), ("words", words)):
    best = list(scores.values())
    print(f"{name:7} 1st {best[0]:6.2f}   10th {best[9]:6.2f}   100th {best[-1]:6.2f}")

# %% [markdown]
# The sum would be the search by words with a little noise. Both lists need **one scale** first. Two are in use:
#
# - **min-max**: the best of each list becomes 1, the last 0. Weaviate calls it relative score fusion.
# - **z-scores**: subtract the mean, divide by the standard deviation. A score then says how many deviations a hit is above
#   the mean of its list. (Qdrant's distribution-based fusion is a relative of both: it cuts at three deviations.)
#
# All four by hand. Each takes two dictionaries of leaf and score:

# %%
from statistics import fmean, pstdev


def by_rank(*lists):
    total = {}
    for scores in lists:
        for rank, name in enumerate(scores, start=1):  # best first
            total[name] = total.get(name, 0) + 1 / (60 + rank)
    return total


def by_sum(*lists):
    return {name: sum(scores.get(name, 0) for scores in lists) for name in lists[0] | lists[1]}


def by_min_max(*lists):
    total = {}
    for scores in lists:
        low, high = min(scores.values()), max(scores.values())
        for name, score in scores.items():
            total[name] = total.get(name, 0) + ((score - low) / (high - low) if high > low else 1)
    return total


def standardise(scores, names):
    """The z-scores of all names. What the list lacks counts as its last hit; in a short list of BM25 as 0."""
    missing = min(scores.values(), default=0) if len(scores) >= 100 else 0
    full = [scores.get(name, missing) for name in names]
    middle, spread = fmean(full), pstdev(full)
    return {name: (score - middle) / spread if spread else 0 for name, score in zip(names, full, strict=True)}


def by_z_score(vector, words, weight=0.5):
    """``weight`` is the part of the words; 0.5 is a plain sum."""
    names = list(dict.fromkeys([*vector, *words]))
    a, b = standardise(vector, names), standardise(words, names)
    return {name: 2 * (1 - weight) * a[name] + 2 * weight * b[name] for name in names}


RULES = {"sum": by_sum, "ranks (RRF)": by_rank, "min-max": by_min_max, "z-scores": by_z_score}
for name, rule in RULES.items():
    scores = rule(vector, words)
    print(f"{name:12} the answer's first leaf is at place {sorted(scores, key=lambda n: -scores[n]).index(gold) + 1}")

# %% [markdown]
# Look at `standardise`. **A hit that one list lacks** needs a rule. Most code gives it 0. But after standardising 0 is
# the *average*. To be missing would then be better than to be found in the lower half. So the missing score is filled in
# *before* the mean is taken. And where all scores are equal, the spread is 0, and a division gives NaN, which sorts
# anywhere. Such a list says nothing, so it gives everyone 0.
#
# Does the package do the same?

# %%
from hierrag_lessons import Passage


class Fused:
    """A retriever that searches once and fuses by a rule."""

    def __init__(self, name, rule, known):
        self.name, self.rule, self.known = name, rule, known

    def retrieve_batch(self, queries, k=5):
        return [self.fuse(query)[:k] for query in queries]

    def fuse(self, query):
        if query not in self.known:
            self.known[query] = lists(self.name, query)
        hits, *scores = self.known[query]
        total = self.rule(*scores)
        order = sorted(total, key=lambda n: (-total[n], hits[n].node.doc_id, hits[n].node.start))
        return [passage(hits[name].node, total[name]) for name in order]


def passage(node, score):
    return Passage(node.doc_id, node.start, node.end, node.text, node.context, score, ())


known = {"en": {}, "zh": {}}
texts = [question.question for question in asked["en"][:40]]
for name, rule, retriever in (
    ("z-scores", by_z_score, HybridRetriever(index["en"], 3)),
    ("z-scores, the index's own mode", by_z_score, FlatRetriever(index["en"], 3, "hybrid")),
    ("ranks", by_rank, HybridRetriever(index["en"], 3, fusion="reciprocal_rank")),
):
    ours, theirs = (way.retrieve_batch(texts, 20) for way in (Fused("en", rule, known["en"]), retriever))
    same = [[p.span for p in a] == [p.span for p in b] for a, b in zip(ours, theirs, strict=True)]
    print(f"{name:31} {sum(same)} of {len(texts)} questions: the same 20 leaves in the same order")

# %% [markdown]
# (LanceDB's own `RRFReranker` is the second rule. LlamaIndex's `QueryFusionRetriever` offers ranks, min-max and a
# distribution-based score.)
#
# ## Measured
#
# One question proves nothing. All English dev questions, the same two lists of 100 leaves, budgets from 500 to 8,000:

# %%
from hierrag_lessons import evaluate, verdicts

BUDGETS = (500, 1000, 2000, 4000, 8000)
ALONE = {"vectors": lambda vector, words: vector, "words": lambda vector, words: words}


def measure(rule, name="en"):
    return evaluate(Fused(name, rule, known[name]), asked[name], BUDGETS, k=60)


results = {"ranks (RRF)": measure(by_rank)}
results |= {name: measure(rule) for name, rule in {**ALONE, **RULES}.items() if name != "ranks (RRF)"}
verdicts(results, "recall")

# %%
print(verdicts({name: measure(rule, "zh") for name, rule in (("ranks, zh", by_rank), ("z-scores, zh", by_z_score))}))
verdicts({name: results[name] for name in ("words", "z-scores", "vectors")}, "recall")

# %% [markdown]
# - **z-scores are ahead of ranks** by 2 points (1 to 4). The same two lists, another rule. In Chinese no difference is shown:
#   at most half a point either way.
# - **Min-max and the plain sum: no difference from ranks is shown.** Min-max could be level or 3 points ahead.
# - **Vectors alone are far behind**: 13 points behind ranks, 15 behind words alone. Yet many tutorials begin and end with
#   them.
# - **Words alone and z-scores: no difference is shown** (2 points less to 3 more). These users mostly say the words of the
#   texts.
#
# So why fuse at all? Because you don't know your users. In [lesson 02](02_embeddings_and_store.ipynb) the same questions
# are asked in words that avoid those of the texts, and there hybrid search is ahead of words alone, by 6 points or more.
# **Fusion is insurance**, and by z-scores no cost of it is shown here.
#
# ## A section speaks for its leaves
#
# Two leaves say "the deadline is 30 days". One is in a section on meters, the other in one on tenders, and the question is
# about tenders. The leaves are equally good. Their sections are not. So search the sections as well, fuse their two lists
# in the same way, and add half of the section's score to each of its leaves:

# %%
with_sections = HybridRetriever(index["en"], 3, {2: 0.5})
results["z + sections 0.5"] = evaluate(with_sections, asked["en"], BUDGETS, k=60)
pair = {name: results[name] for name in ("z-scores", "z + sections 0.5")}
print(verdicts(pair, "recall"))
verdicts(pair, "complete")

# %% [markdown]
# **Ahead in both**: recall by 1.4 points (0.2 to 2.6), complete answers by 3.5 (1.5 to 5.5). A likely reason: the best leaf is
# found without help, and what its section brings up are the *next* ones beside it. The price is a second level of vectors and
# two more searches a question. [Lesson 20](20_every_level_speaks.ipynb) takes this idea to its end.
#
# From vectors alone to here it is a way from 0.61 to 0.78. It takes two lines of configuration and no model.
#
# ## A second look
#
# A vector is made before anyone asks. A better judge reads question and text *together*. It is slow, so it gets only the
# best few hits, the **candidates**, and puts them in a new order. That is **reranking**.
#
# ColBERT (Khattab and Zaharia, 2020) is a judge halfway. It keeps one vector for each **word piece**. Each piece of the
# question looks for the piece of the text that is most like it, and the best cosines are added up. This is **late
# interaction**, or MaxSim. MiniLM has such vectors inside, just before it takes their mean:

# %%
from matplotlib.patches import Rectangle

from hierrag_lessons import MaxSimReranker, drawing

judge = MaxSimReranker()
query, chunk = "When is the fee due?", "The charge has to be paid by 31 May."
pieces = judge.embedder.split_word_pieces([query, chunk])
cosines = judge.vectors(query) @ judge.vectors(chunk).T
print(f"by hand {cosines.max(axis=1).mean():.3f}, package {judge.score(query, [chunk])[0]:.3f}")
with drawing(3.4, width=7.5) as (figure, [axes]):
    picture = axes.imshow(cosines, cmap="cividis", vmin=0, vmax=1)
    for row, best in enumerate(cosines.argmax(axis=1)):
        axes.add_patch(Rectangle((best - 0.47, row - 0.47), 0.94, 0.94, fill=False, edgecolor="#d55e00", linewidth=2.5))
    axes.set_xticks(range(len(pieces[1])), pieces[1], rotation=45, ha="right")
    axes.set_yticks(range(len(pieces[0])), pieces[0])
    figure.colorbar(picture, ax=axes, label="cosine")
    best = [pieces[1][at] for at in cosines.argmax(axis=1)]
    figure.alt = "A grid of cosines: word pieces of the question against those of the text. Best matches: " + ", ".join(
        f"{left} with {right}" for left, right in zip(pieces[0], best, strict=True)
    )
figure

# %% [markdown]
# "fee" finds "charge", "due" finds "paid". It looks convincing. But ColBERT was *trained* so that these matches mean
# something. MiniLM was trained for the mean only. Here are every fourth question and ten candidates each, at 500 tokens:

# %%
import numpy as np

from hierrag_lessons import RerankingRetriever


class AsFound:
    """A judge that keeps the order, for comparison."""

    def score(self, query, texts):
        return -np.arange(len(texts), dtype=float)


few = asked["en"][::4]
for name, search in (("vectors", FlatRetriever(index["en"], 3)), ("z-scores", HybridRetriever(index["en"], 3))):
    judged = {
        label: evaluate(RerankingRetriever(search, own, 10), few, (500,), k=10)
        for label, own in ((name, AsFound()), ("then MaxSim", judge))
    }
    print(verdicts(judged), "\n")

# %% [markdown]
# Over vectors MaxSim is ahead, by 9 points (2 to 16). Over z-scores no difference is shown; it could be 8 points behind or 7
# ahead. Take this as an observation on 39 questions, with a judge that nobody trained. It decides nothing about rerankers.
#
# The mechanism is certain, though. A reranker *replaces* the order that it is given. What BM25 knew about rare words is no
# longer used. **So a reranker must beat the whole search before it**, and not only the vectors that it came from. If it does
# not, fuse its scores with those of the search as a third list.
#
# ## A trained judge
#
# A **cross-encoder** reads question and text as *one* input and gives one number. It was trained on many pairs of questions
# and answers. It is the usual reranker in production. **No trained one is on this machine**: the course works offline, and
# such a model is a download of 90 MB to more than 2 GB. So this lesson can't say what it brings here. To plug one in takes three lines
# (not run):
#
# ```python
# from hierrag_lessons import CrossEncoderReranker, RerankingRetriever
# judge = CrossEncoderReranker("BAAI/bge-reranker-v2-m3")  # or cross-encoder/ms-marco-MiniLM-L6-v2, small, English only
# search = RerankingRetriever(HybridRetriever(index["en"], 3), judge, candidates=40)
# ```
#
# And one command measures it on public question sets (`benchmarks/README.md` says how to get these):
#
# ```
# HIERRAG_BENCH=folder python -m benchmarks.public --cross-encoder BAAI/bge-reranker-v2-m3
# ```
#
# What others publish. None of it was measured here, and none of it at an equal budget against z-scores:
#
# | source | gain |
# |---|---|
# | Nogueira and Cho, [Passage Re-ranking with BERT](https://arxiv.org/abs/1901.04085), 2019 | MRR@10 on MS MARCO 27 % (relative) above the best before |
# | model card of ms-marco-MiniLM-L-6-v2 | MRR@10 39.0 on MS MARCO dev, 1,800 pairs a second (on a GPU) |
# | Anthropic, [Contextual Retrieval](https://www.anthropic.com/engineering/contextual-retrieval), 2024 | failed retrievals 49 % fewer with contexts for vectors and BM25, 67 % fewer (5.7 to 1.9 %) with a reranker on top |
#
# **Language first.** MiniLM knows few Chinese characters; the others all become `[UNK]`, and all unknown pieces look alike:

# %%
for left, right in (("雨伞", "螃蟹"), ("umbrella", "crab")):
    print(f"MaxSim {judge.score(left, [right])[0]:.2f}  {left} · {right}")

# %% [markdown]
# (雨伞 is an umbrella, 螃蟹 a crab.) What a model can't read, it can't judge. And rerank **before** merging to parents: leaves
# fit into what the model reads, parents often don't. `AutoMergingRetriever(reranker=…)` does it in this order.
#
# ## Variety
#
# Ten leaves that say the same fill a budget and answer one part of the question. **Maximal marginal relevance** (MMR) takes the
# best text first, and then always the one with the highest
#
#     balance · relevance − (1 − balance) · similarity to the nearest text already chosen

# %%
import warnings

from hierrag_lessons import DiverseRetriever, TruncationWarning

warnings.simplefilter("ignore", TruncationWarning)  # two leaves are a little longer than MiniLM reads (lesson 02)
by_z = HybridRetriever(index["en"], 3)
varied = {"z-scores": evaluate(by_z, asked["en"], (500, 2000), k=40)}
for balance in (0.9, 0.5):
    diverse = DiverseRetriever(by_z, index["en"].embedder, balance=balance)
    varied[f"MMR {balance}"] = evaluate(diverse, asked["en"], (500, 2000), k=30)
verdicts(varied, "recall")

# %% [markdown]
# At 0.9 no difference is shown. At 0.5 MMR is **behind**. A likely reason: what is similar to a good leaf is here often its
# neighbour, the other half of the answer. MMR is for an index full of copies, and even there it is better to remove
# the copies before indexing.
#
# ## Packing
#
# The order stands. Now the budget is filled. `pack` of lesson 03 takes passages in order, and **no character twice**. How
# much is that worth? Take the ten best leaves with their sections behind them, as a pipeline with parents would:

# %%
from statistics import mean

from hierrag_lessons import Stop, count_tokens

plain = by_z.retrieve_batch([q.question for q in asked["en"]], 60)
sections = HybridRetriever(index["en"], 2).retrieve_batch([q.question for q in asked["en"]], 5)
naive = [sum(count_tokens(p.text) for p in [*a[:10], *b]) for a, b in zip(plain, sections, strict=True)]
packed = [sum(count_tokens(p.text) for p in pack([*a[:10], *b], 10**6)) for a, b in zip(plain, sections, strict=True)]
print(f"10 leaves and 5 sections: {mean(naive):.0f} tokens joined, {mean(packed):.0f} packed")

# %% [markdown]
# More than a quarter of the joined text was there twice: a section repeats the leaf that was found in it. Models are
# paid by the token, so pack.
#
# **When to stop?** A budget need not be full. `pack(stop=Stop(share=0.4))` leaves out what has less than 0.4 of the best
# score, `gap=3` what is more than 3 below it. Compare each with a smaller budget that is always filled and uses as many
# tokens:

# %%
from hierrag_lessons import Table, paired_difference


def contexts(budget, stop=None):
    """Mean tokens of all contexts, and the recall of each."""
    made = [pack(found, budget, stop=stop) for found in plain]
    tokens = mean(sum(count_tokens(p.text) for p in context) for context in made)
    return tokens, [recall(context, q.evidence) for context, q in zip(made, asked["en"], strict=True)]


lines = []
for name, stop in {"share 0.4": Stop(share=0.4), "gap 3": Stop(gap=3)}.items():
    tokens, found = contexts(2000, stop)
    filled = contexts(round(tokens))[1]
    low, high = paired_difference(found, filled)
    interval = f"{mean(found) - mean(filled):+.3f} ({low:+.3f} to {high:+.3f})"
    lines.append((name, round(tokens), mean(found), mean(filled), interval))
columns = ("stop", "tokens, mean", "recall", "filled, that size", "stop minus filled")
print("z-scores, budget 2,000 tokens, no stop:", round(mean(contexts(2000)[1]), 3))
Table(columns, tuple(lines), "z-scores, budget 2,000 tokens")

# %% [markdown]
# With a share of 0.4 half of the tokens are saved, and recall falls by ten points. A budget of the same size, always filled, does
# as well: no difference is shown. The gap of 3 is behind it. So **to save tokens, lower the budget**. Lesson 20 finds the same with
# other scores. A stop rule is for cases where text beside the point does harm.
#
# **In which order?** By score, as the author wrote it, or the best at both ends. Liu and others (*Lost in the Middle*, 2023)
# found that models used the beginning and the end of a long context best. `reorder` does all three:

# %%
from hierrag_lessons import reorder

letters = [Passage("d", i, i + 1, name, score=-float(i)) for i, name in enumerate("123456")]
for order in ("score", "ends_first"):
    print(f"{order:11}", [p.text for p in reorder(letters, order)])

# %% [markdown]
# The order changes nothing about what is there, so recall is the same. Whether your model cares can be seen only in its
# answers (lesson 23). Without that, take document order: it reads naturally. At a thousand tokens there is not much of a
# middle to get lost in.
#
# ## The prompt
#
# A model gets one text. `render` writes a number and the heading path above each passage, so that the model knows where it
# is, and can say what it relies on:

# %%
from hierrag_lessons import render

prompt = render(pack(by_z.retrieve("Which work compared household load forecasts first?", 10), 200))
print(prompt.text)

# %% [markdown]
# Look at the numbers. Did you expect 1 and 2? This is a research paper, and it has references of its own in brackets. If the
# first passage were called [1], a model that copies "[1]" from the text would seem to cite that passage. So numbers that
# the texts themselves have are passed over, and a copied one is refused:

# %%
first = prompt.numbers[0]
for citation in prompt.citations(f"Simple seasonal profiles are hard to beat beyond six hours [{first}]."):
    place = citation.passage
    print(f"[{citation.number}] is {place.doc_id}, characters {place.start} to {place.end}")
try:
    prompt.citations("The first systematic comparison was made by Ferreira-Holt and Quist [1].")
except ValueError as error:
    print("refused:", error)

# %% [markdown]
# Headings and numbers are tokens as well. `pack` counts the passages only, which is fair for comparing methods. A model's
# window counts everything: `pack_prompt(passages, budget)` keeps the whole text within it.

# %%
from hierrag_lessons import pack_prompt

loose = [count_tokens(render(pack(found, 1000)).text) for found in plain[:40]]
strict = [count_tokens(pack_prompt(found, 1000, "document").text) for found in plain[:40]]
print(
    f"budget 1,000: pack, then render {mean(loose):.0f} tokens, at most {max(loose)}; pack_prompt {mean(strict):.0f}, at most {max(strict)}"
)

# %% [markdown]
# ## In production
#
# | step | start with | cost | when not |
# |---|---|---|---|
# | fusion | z-scores of 100 hits from each search | two searches a query | scores from outside that you can't read: ranks |
# | weight of the words | 0.5; tune on your own dev questions | nothing | few questions: a tuned weight fits noise |
# | sections (`above={2: 0.5}`) | on | a level of vectors, two more searches | texts without sections |
# | reranker | a trained cross-encoder for your language, 20 to 50 candidates | by far the slowest step | no trained one: leave it out |
# | MMR | off | – | – (on for an index full of copies) |
# | stop rule | none: lower the budget | – | – |
# | order | document | – | very long contexts: try `ends_first`, look at answers |
# | prompt | `pack_prompt`, numbers that the texts don't have | the headings' tokens | – |
#
# How to check it on your own documents: 50 questions with evidence, your two lists, `verdicts` over four fusions. An hour.
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
# ### Decide · Which fusion?
#
# ★★☆ · 5 minutes. Three teams, each with its own table: recall against ranks, with 95 % intervals. (The numbers are made up.)
# Choose a fusion for each and say why, before you unfold.
#
# | team | questions | words alone | min-max | z-scores |
# |---|---|---|---|---|
# | A: part numbers and error codes | 200 | +0.08 (+0.04 to +0.12) | +0.05 (+0.02 to +0.08) | +0.06 (+0.03 to +0.09) |
# | B: questions of patients, in their own words | 180 | −0.21 (−0.26 to −0.16) | −0.01 (−0.03 to +0.01) | +0.00 (−0.02 to +0.02) |
# | C: 25 questions so far | 25 | +0.05 (−0.06 to +0.16) | +0.04 (−0.04 to +0.12) | +0.04 (−0.03 to +0.11) |
#
# <details><summary>An answer</summary>
#
# A: z-scores, and a larger weight for the words. Words alone are not shown to be ahead of z-scores: their intervals overlap, and
# the two were not compared with each other. Ask for that comparison. Some user will describe an error without its code. B: any
# of the fusions; nothing is shown between them. Words alone are out. C: nothing is shown. Take the default, and write 75
# more questions before you choose anything.
# </details>
#
# ### Read a context · What is missing, and why?
#
# ★★☆ · 6 minutes. The question of the beginning, z-scores, 1,000 tokens. Read what was packed. Which of the four numbers are
# there? Which leaf took a place without having an answer, and which words of the question brought it in? What would you change?

# %%
for found in pack(by_z.retrieve(hook.question, 60), 1000):
    share = recall([found], hook.evidence)
    print(f"{share:4.0%}  {count_tokens(found.text):3} tokens  {' '.join(found.text.split())[:84]}")

# %% [markdown]
# <details><summary>An answer</summary>
#
# Heron's cost and the share are there: both are in the fourth leaf, which holds half of the evidence. Kestrel and Bastion
# are missing. The first leaf is the head of the right section, with the total and none of the four. *About This Report*, the
# cautionary note and the leaf on taxes came with the words "Northmere", "report", "fiscal 2025" and "expense", which
# are everywhere. The paragraphs that are missing say little of the question. They lie in the section of the first leaf. So: add
# the section's score, or open the section of the best hits, as lesson 14 does with this very question.
# </details>
#
# ### Open task · Tune one dial
#
# ★★★ · as long as you like. `weight` is the part of the words in `by_z_score`. **First write down** which of 0.3, 0.5 and 0.7
# will win on these questions, and why. Then run. Would you expect the same on questions that avoid the words of the texts
# (`course_questions("en", wording="avoiding")`)? Try it. The figure to beat is the recall of z-scores with sections. A weight
# that wins in one wording and loses in the other is no win.

# %%
tuned = {"weight 0.5": results["z-scores"]}
tuned["weight 0.3"] = measure(lambda vector, words: by_z_score(vector, words, 0.3))
verdicts(tuned, "recall")

# %%
stack.close()

# %% [markdown]
# ## Takeaways
#
# 1. A rank forgets leads: two places 63 beat a second place in one list. Fusing by rank lost an answer that one search had.
# 2. Bring scores to one scale, fill in what is missing *before* the mean, then add: z-scores were 2 points ahead of ranks.
# 3. Half of the section's score on top: 3.5 points more complete answers.
# 4. A reranker replaces the order. It must beat the whole search before it, in your language; an untrained one is no test.
# 5. Pack no text twice, lower the budget instead of stopping early, and let each number in a citation lead to one span.
#
# ## Quiz
#
# <details><summary>1. A leaf is first by words and missing by vectors. Another is 50th in both. Which one does RRF prefer?</summary>The other: 2/110 = 0.0182 against 1/61 = 0.0164.</details>
#
# <details><summary>2. Why not give a missing hit the z-score 0?</summary>0 is the mean of the list. To be missing would be better than to be found in the lower half.</details>
#
# <details><summary>3. Recall over z-scores after reranking: −0.01 (−0.08 to +0.07). What do you report?</summary>No difference shown; it could be 8 points behind or 7 ahead. And how many questions it were.</details>
#
# <details><summary>4. You add parents behind the leaves. Why do the tokens not add up?</summary>The parents contain the leaves. Packing gives only what is new in them.</details>
#
# <details><summary>5. Why does the prompt of a research paper not begin with passage 1?</summary>The paper has references of its own, such as [1]. A copied one would look like a citation of the first passage.</details>
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
#
# Next: [20 · Every level speaks](20_every_level_speaks.ipynb). Back: [18 · Coarse to fine](18_coarse_to_fine.ipynb) ·
# [tour](00_tour.ipynb).
