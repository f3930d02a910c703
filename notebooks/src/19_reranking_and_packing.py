# %% [markdown]
# # 19 · Fusion, reranking and packing
#
# > *List Northmere's fiscal 2025 research priorities with the spending on each, latest progress and share of R&D
# > expense.*
#
# The annual report answers with four numbers. You search by words (BM25), you search by vectors, and you fuse both lists
# by **RRF 60**, reciprocal rank fusion: each list gives a hit 1 / (60 + rank), and these are added. [LanceDB's hybrid
# search](https://docs.lancedb.com/integrations/reranking/rrf) does so by default, and the [RRF of
# Elasticsearch](https://www.elastic.co/guide/en/elasticsearch/reference/8.8/rrf.html) has the same 60. Which of the four
# numbers are in a context of 4,000 tokens?

# %%
from contextlib import ExitStack
from dataclasses import replace

from hierrag_lessons import FlatRetriever, HybridRetriever, course_hierarchy, course_questions, pack, temporary_index

stack = ExitStack()  # keeps the index until the kernel ends
documents, questions = course_questions("en")  # dev questions, in users' words
asked = [question for question in questions if question.answerable]
trees = [replace(course_hierarchy(document), searched=frozenset({2, 3})) for document in documents]
index = stack.enter_context(temporary_index(trees))

hook = next(question for question in asked if question.id == "en-ar-027-u")
FACTS = {"Kestrel": "$52.6 million", "Bastion": "$31.8 million", "Heron": "$39.1 million", "share": "46.0%"}
SEARCHES = {
    "words": FlatRetriever(index, 3, "text"),
    "vectors": FlatRetriever(index, 3, "vector"),
    "both, RRF 60": HybridRetriever(index, 3, fusion="reciprocal_rank"),
}


def facts(search, budget):
    """Which of the four numbers a search brings into a context."""
    text = "\n".join(passage.text for passage in pack(search.retrieve(hook.question, 60), budget))
    return ", ".join(fact for fact, number in FACTS.items() if number in text) or "none"


for name, search in SEARCHES.items():
    print(f"{name:14} {facts(search, 4000)}")

# %% [markdown]
# Words alone bring three of four. Vectors bring none. **Fused, both together bring none.** One search knew the answer, and
# RRF 60 of 100 hits each threw it away.
#
# **You will** take that fusion apart and build better ones; measure them in two wordings; let a second, slower judge look at
# the best hits; and fill a context: in which order, when to stop, and with citations that lead back to the text.
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
# prompt](#The-prompt), [on Monday](#On-Monday), [exercises](#Exercises).
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
# Where is the first leaf with evidence in each list, and how many points does it get?

# %%
from hierrag_lessons import recall


def both_lists(query, count=100):
    """All hits by leaf; and the scores of each search by leaf, best first."""
    found = [index.search(query, count, mode=mode, level=3) for mode in ("vector", "text")]
    hits = {hit.node.node_id: hit for one in found for hit in one}
    return hits, *({hit.node.node_id: hit.score for hit in one} for one in found)


hits, vector, words = both_lists(hook.question)
gold = next(leaf for leaf in words if recall([hits[leaf].node], hook.evidence) > 0)
place, scores = list(words).index(gold) + 1, list(words.values())
print(f"by words: place {place} · by vectors: {'not' if gold not in vector else ''} among {len(vector)}")
print(f"RRF 60 gives it 1/{60 + place} = {1 / (60 + place):.4f}. Found at place 63 by both: 2/123 = {2 / 123:.4f}")
print(f"RRF 10 gives it 1/{10 + place} = {1 / (10 + place):.4f}. Found at place 63 by both: 2/73 = {2 / 73:.4f}")
print(f"BM25 of the leaf at place {place}: {scores[place - 1]:.2f}, at place 30: {scores[29]:.2f}")

# %% [markdown]
# There it is. **Two mediocre places beat one excellent one.** With the constant 60, any leaf that both searches have before
# place 64 passes a leaf that one search has second and the other lacks. There are many such leaves, and they fill the
# context. A smaller constant gives first places more weight.
#
# And ranks forget *how far ahead* a hit was. The last line shows the gap. RRF 60 makes of it 1/62 and 1/90. So let us keep
# the scores.
#
# ## Scores on one scale
#
# The first idea is to add the scores as they are. But a cosine ends at 1, and BM25 has no end:

# %%
for name, one in (("vector", vector), ("words", words)):
    best = list(one.values())
    print(f"{name:7} 1st {best[0]:6.2f}   10th {best[9]:6.2f}   100th {best[-1]:6.2f}")

# %% [markdown]
# The sum would be little more than the search by words. Both lists need **one scale** first. Two are in use:
#
# - **min-max**: the best of each list becomes 1, the last 0. Weaviate calls it relative score fusion.
# - **z-scores**: subtract the list's mean, divide by its standard deviation. A score then says how far a hit is above the
#   mean of its list, in deviations. (Qdrant's distribution-based fusion is a relative of both: it cuts at three deviations.)
#
# Three rules by hand. Each takes dictionaries of leaf and score. The fourth, z-scores, is the package's here, and yours in
# [exercise 19.1](#Exercise-19.1-·-Add-up-standardised-scores):

# %%
from hierrag_lessons import z_score_fusion


def by_rank(constant):
    def rule(*rankings):
        total = {}
        for scores in rankings:
            for rank, leaf in enumerate(scores, start=1):  # best first
                total[leaf] = total.get(leaf, 0) + 1 / (constant + rank)
        return total

    return rule


def by_sum(*rankings):
    return {leaf: sum(scores.get(leaf, 0) for scores in rankings) for leaf in {**rankings[0], **rankings[1]}}


def by_min_max(*rankings):
    total = {}
    for scores in rankings:
        low, high = min(scores.values()), max(scores.values())
        for leaf, score in scores.items():
            total[leaf] = total.get(leaf, 0) + ((score - low) / (high - low) if high > low else 1)
    return total


def by_z_score(vector, words):
    """What a list lacks counts as its last hit; in a list of BM25 that is not full, as 0."""
    missing = [min(vector.values()), min(words.values()) if len(words) >= 100 else 0.0]
    return z_score_fusion([vector, words], missing)


RULES = {"RRF 60": by_rank(60), "RRF 10": by_rank(10), "sum": by_sum, "min-max": by_min_max, "z-scores": by_z_score}
for name, rule in RULES.items():
    total = rule(vector, words)
    print(
        f"{name:10} the answer's first leaf is at place {sorted(total, key=lambda leaf: -total[leaf]).index(gold) + 1}"
    )

# %% [markdown]
# Look at `missing`. **A hit that one list lacks** needs a rule. Say a list has the scores 3, 2, 1, and one leaf is not in it.
#
# - Give it 0 *after* standardising: 0 is now the average, so it stands level with the 2 and ahead of the 1 that was found.
# - Give it 1, the lowest score, *before*: it stands level with the last.
#
# So what is missing is filled in before the mean is taken. And where all scores are equal, the spread is 0, and a division gives NaN, which
# sorts anywhere. If all scores of a list are equal, every hit gets 0 from it.
#
# Are our rules those of the package?

# %%
from hierrag_lessons import Passage

searched = {}  # by query, so that each is searched once for all rules


class Fused:
    """A retriever that fuses both lists by a rule."""

    def __init__(self, rule):
        self.rule = rule

    def retrieve_batch(self, queries, k=5):
        return [self.fuse(query)[:k] for query in queries]

    def fuse(self, query):
        if query not in searched:
            searched[query] = both_lists(query)
        hits, *rankings = searched[query]
        total = self.rule(*rankings)
        nodes = [hits[leaf].node for leaf in total]
        order = sorted(nodes, key=lambda node: (-total[node.node_id], node.doc_id, node.start))
        return [Passage(n.doc_id, n.start, n.end, n.text, n.context, total[n.node_id], ()) for n in order]


by_z = HybridRetriever(index, 3)
texts = [question.question for question in asked[:40]]
for name, retriever in {"z-scores": by_z, "RRF 60": SEARCHES["both, RRF 60"]}.items():
    ours, theirs = (way.retrieve_batch(texts, 20) for way in (Fused(RULES[name]), retriever))
    same = [[p.span for p in a] == [p.span for p in b] for a, b in zip(ours, theirs, strict=True)]
    print(f"{name:9} {sum(same)} of {len(texts)} questions: the same 20 leaves in the same order")

# %% [markdown]
# (LanceDB's own `RRFReranker` is the first rule. LlamaIndex's `QueryFusionRetriever` offers ranks, min-max and a
# distribution-based score.) One question proves nothing. Which rule is best for many?
#
# ## Measured
#
# All English dev questions, the same two lists of 100 leaves, recall as the mean over budgets from 500 to 8,000. And each
# question twice: as users ask it, and in words that avoid those of the texts (lesson 02). One more method is in the
# picture, "z + sections". It is the next section's.

# %%
from hierrag_lessons import evaluate

BUDGETS = (500, 1000, 2000, 4000, 8000)
WAYS = {name: Fused(rule) for name, rule in RULES.items()}
WAYS |= {"words alone": Fused(lambda vector, words: words), "z + sections": HybridRetriever(index, 3, {2: 0.5})}
twins = {question.partner: question for question in course_questions("en", wording="avoiding")[1]}
wordings = {"users' words": asked, "avoiding words": [twins[question.id] for question in asked]}
results = {
    wording: {name: evaluate(way, own, BUDGETS, k=60) for name, way in WAYS.items()}
    for wording, own in wordings.items()
}

# %% tags=["hide-input"]
from statistics import mean

from hierrag_lessons import drawing

order = ["words alone", "sum", "RRF 60", "RRF 10", "min-max", "z-scores", "z + sections"]
with drawing(3.6, columns=2) as (figure, axes):
    told = []
    for box, (wording, own), colour in zip(axes, results.items(), ["#0072B2", "#D55E00"], strict=True):
        means = [mean(own[name].mean("recall", budget) for budget in BUDGETS) for name in order]
        base = means[order.index("z-scores")]
        box.hlines(range(len(order)), base, means, color=colour, linewidth=5, alpha=0.45)
        box.plot(means, range(len(order)), "o", color=colour, markersize=10)
        box.axvline(base, color="#444444", linestyle="--", linewidth=1)
        middle = {"users' words": 0.765, "avoiding words": 0.457}[wording]
        box.set(
            xlim=(middle - 0.07, middle + 0.07), ylim=(len(order) - 0.5, -0.6), xlabel="recall, mean over the budgets"
        )
        box.set_title(wording, fontsize=12)
        box.grid(visible=True, axis="x")
        told.append(f"{wording}: " + ", ".join(f"{n} {m:.3f}" for n, m in zip(order, means, strict=True)))
    axes[0].set_yticks(range(len(order)), order)
    figure.alt = (
        "Recall of seven ways to fuse, for questions in two wordings; a dashed line marks z-scores. Both scales are "
        f"equally wide. {'; '.join(told)}."
    )
figure

# %% [markdown]
# The dashed line is z-scores; the bars say how far the others are from it, and both scales are equally wide. Which of these
# gaps are more than chance? The same as verdicts, against z-scores:

# %%
from hierrag_lessons import verdicts

for wording, own in results.items():
    against = {name: own[name] for name in ("z-scores", "RRF 60", "RRF 10", "min-max", "sum", "words alone")}
    for name, _, difference, low, high, p, said in verdicts(against).rows[1:]:
        print(f"{wording:15} {name:12} {difference:+.3f} ({low:+.3f} to {high:+.3f}), p {p:.3f}: {said[:19]}")
print(verdicts({name: results["users' words"][name] for name in ("RRF 60", "z-scores")}).caption)

# %% [markdown]
# - **RRF 60** is behind z-scores in users' words, by 2 points (1 to 4). In avoiding words the interval lies just below zero,
#   but p is 0.12 after Holm: no difference shown.
# - **RRF 10** has the same two lists and another constant. No difference from z-scores is shown, in either wording. So say
#   which RRF you mean.
# - **Min-max** is behind by 1 point in users' words.
# - **The sum and words alone** keep up in users' words: no difference shown. In avoiding words they collapse, by 7 points
#   (4 to 10) and 8 points (5 to 11). The sum is little more than BM25.
#
# So why fuse at all, if users mostly say the words of the texts? Because you don't know your users. **Fusion is insurance**,
# and by z-scores no cost of it is shown here.
#
# The last line says what so many questions can show: about 0.02 between two fusions. With 50 questions it would be some 1.8
# times as much (lesson 03), and none of the small gaps would be seen.
#
# All of this is for lists of 100 hits. The length of the lists is a setting as well: lessons [16](16_summary_trees.ipynb) and
# [17](17_four_level_index.ipynb) found 1 point of recall more with lists of 2,000, in users' words. Here it stays the same for
# all, so that the rules are compared and nothing else.
#
# ## A section speaks for its leaves
#
# Two leaves say "the deadline is 30 days". One is in a section on meters, the other in one on tenders, and the question is
# about tenders. The leaves are equally good. Their sections are not. So search the sections as well, fuse their two lists
# in the same way, and add half of the section's score to each of its leaves. That is `HybridRetriever(index, 3, {2: 0.5})`:

# %%
for wording, own in results.items():
    for metric in ("recall", "complete"):
        [_, (_, _, difference, low, high, p, said)] = verdicts(
            {n: own[n] for n in ("z-scores", "z + sections")}, metric
        ).rows
        print(f"{wording:15} {metric:9} {difference:+.3f} ({low:+.3f} to {high:+.3f}), p {p:.4f}: {said}")
for budget in (1000, 4000):
    for name in ("RRF 60", "RRF 10", "z-scores", "z + sections"):
        share = recall(pack(WAYS[name].retrieve_batch([hook.question], 60)[0], budget), hook.evidence)
        text = "\n".join(passage.text for passage in pack(WAYS[name].retrieve_batch([hook.question], 60)[0], budget))
        print(
            f"{budget:5} tokens  {name:13} recall {share:.2f}: {', '.join(f for f, n in FACTS.items() if n in text) or 'none'}"
        )

# %% [markdown]
# **Ahead in all four lines**, with lists of 100 hits for both: recall by 1.3 points in users' words and by 2.9 in avoiding ones, complete answers by 3.3 and 4.5.
# A likely reason: the best leaf is found without help, and what its section brings up are the *next* ones beside it. The
# price is a second level of vectors and two more searches a question. No further model is needed. [Lesson
# 20](20_every_level_speaks.ipynb) takes this idea to its end.
#
# And the question of the first screen? In 4,000 tokens RRF 10, z-scores and sections all bring three of four numbers: what
# words alone brought, and what RRF 60 threw away. In 1,000 tokens sections bring Kestrel and lose the share (all with lists of 100
# hits): what is ahead over 156 questions need not be ahead in one. Bastion is missing throughout. Who fetches it? A section that is opened as a
# whole ([lesson 14](14_parent_child.ipynb)).
#
# ## A second look
#
# A vector is made before anyone asks. A better judge reads question and text *together*. It is slow, so it gets only the
# best few hits, the **candidates**, and puts them in a new order. That is **reranking**.
#
# ColBERT (Khattab and Zaharia, 2020) is a judge halfway. It keeps one vector for each **word piece**. Each piece of the
# question looks for the piece of the text that is most like it. This is **late interaction**, or MaxSim. ColBERT adds up
# the best cosines; the course averages them, so that long questions have no larger scores. MiniLM has such vectors inside,
# just before it takes their mean:

# %% tags=["hide-input"]
from matplotlib.patches import Rectangle

from hierrag_lessons import MaxSimReranker

judge = MaxSimReranker()
query, chunk = "When is the fee due?", "The charge has to be paid by 31 May."
pieces = judge.embedder.split_word_pieces([query, chunk])
cosines = judge.vectors(query) @ judge.vectors(chunk).T
with drawing(3.4, width=7.5) as (figure, [axes]):
    picture = axes.imshow(cosines, cmap="cividis", vmin=0, vmax=1)
    for row, best in enumerate(cosines.argmax(axis=1)):
        axes.add_patch(Rectangle((best - 0.47, row - 0.47), 0.94, 0.94, fill=False, edgecolor="#ff7f0e", linewidth=3.5))
    axes.set_xticks(range(len(pieces[1])), pieces[1], rotation=45, ha="right")
    axes.set_yticks(range(len(pieces[0])), pieces[0])
    axes.set(ylabel="question", xlabel="text (framed: the best piece of each row)")
    figure.colorbar(picture, ax=axes, label="cosine")
    best = [pieces[1][at] for at in cosines.argmax(axis=1)]
    figure.alt = "A grid of cosines: word pieces of the question against those of the text. Best matches: " + ", ".join(
        f"{left} with {right}" for left, right in zip(pieces[0], best, strict=True)
    )
figure

# %% [markdown]
# "fee" finds "charge", "due" finds "paid". It looks convincing. But ColBERT was *trained* so that these matches mean
# something. MiniLM was trained for the mean only. Every fourth question, ten candidates each, at 500 tokens:

# %%
from hierrag_lessons import RerankingRetriever

few = asked[::4]
judged = {"z-scores": by_z, "z-scores, then MaxSim": RerankingRetriever(by_z, judge, 10)}
verdicts({name: evaluate(way, few, (500,), k=10) for name, way in judged.items()})

# %% [markdown]
# No difference is shown: it could be 8 points behind or 7 ahead. That decides nothing about rerankers. It is 39 questions
# and a judge that nobody trained.
#
# The mechanism is certain, though. Only the reranker's own score decides; the search's score is thrown away. What BM25 knew
# about rare words is no longer used. **So a reranker must beat the whole search before it**, and not only its vectors. If it does not, fuse its
# scores with those of the search as a third list.
#
# ## A trained judge
#
# A **cross-encoder** reads question and text as *one* input and gives one number. It was trained on many pairs of questions
# and answers. It is the usual reranker in production. **No trained one is on this machine**: the course works offline, and
# such a model is a download of 90 MB to more than 2 GB. So this lesson can't say what it brings here. Others report much:
# on Anthropic's texts ([Contextual Retrieval](https://www.anthropic.com/engineering/contextual-retrieval), 2024) its whole
# method had 49 % fewer failed retrievals without a reranker, and 67 % fewer with one. To plug one in takes three lines (not
# run):
#
# ```python
# from hierrag_lessons import CrossEncoderReranker, RerankingRetriever
# judge = CrossEncoderReranker("BAAI/bge-reranker-v2-m3")  # or cross-encoder/ms-marco-MiniLM-L6-v2, small, English only
# search = RerankingRetriever(HybridRetriever(index, 3), judge, candidates=40)
# ```
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
#
# (The relevance is the search's score by min-max, from 0 to 1; the similarity is a cosine.)

# %%
import warnings

from hierrag_lessons import DiverseRetriever, TruncationWarning

warnings.simplefilter("ignore", TruncationWarning)  # two leaves are a little longer than MiniLM reads (lesson 02)
varied = {"z-scores": evaluate(by_z, asked, (500, 2000), k=40)}
for balance in (0.9, 0.5):
    diverse = DiverseRetriever(by_z, index.embedder, balance=balance)
    varied[f"MMR {balance}"] = evaluate(diverse, asked, (500, 2000), k=30)
verdicts(varied, "recall")

# %% [markdown]
# At 0.9 no difference is shown. At 0.5 MMR is **behind**. A possible reason, not counted here: what is similar to a good
# leaf may be its neighbour, the other half of the answer. MMR is for an index full of copies, and even there it is better to remove
# the copies before indexing.
#
# ## Packing
#
# The order stands. Now the budget is filled. `pack` of lesson 03 takes passages in order, and **no character twice**. How
# much is that worth? Take the ten best leaves, and behind them the five best sections:

# %%
from hierrag_lessons import Stop, count_tokens

plain = by_z.retrieve_batch([q.question for q in asked], 60)
sections = HybridRetriever(index, 2).retrieve_batch([q.question for q in asked], 5)
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
    return tokens, [recall(context, q.evidence) for context, q in zip(made, asked, strict=True)]


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
# With a share of 0.4 half of the tokens are saved, and recall falls by ten points. A budget of the same size, always filled,
# does as well: no difference is shown. The gap of 3 is behind it. So **to save tokens, lower the budget**. A stop rule is for
# cases where text beside the point does harm.
#
# **In which order?** By score, as the author wrote it, or the best at both ends. Liu and others (*Lost in the Middle*, 2023)
# found that models used the beginning and the end of a long context best. `reorder(passages, order)` does all three. The
# order changes nothing about what is there, so recall is the same. Whether your model cares can be seen only in its answers
# (lesson 23). Without that, we take document order, because it reads naturally (a choice, not measured here).
#
# ## The prompt
#
# A model gets one text. `render` writes a number and the heading path above each passage, so that the model knows where it
# is, and can say what it relies on. Passages that follow each other under one heading have it once. (Here for a budget of
# 200 tokens, so the second passage is cut in mid-sentence.)

# %%
from hierrag_lessons import render

prompt = render(pack(by_z.retrieve("Which work compared household load forecasts first?", 10), 200))
print(prompt.text)

# %% [markdown]
# Look at the numbers. Did you expect 1 and 2? This is a research paper, and it has references of its own in brackets. If the
# first passage were called [1], a model that copies "[1]" from the text would seem to cite that passage. So passages
# get only numbers that no text uses, and a copied one is refused:

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
# window counts everything: `pack_prompt(passages, budget)` keeps the whole text within it. It takes the order of the
# document, where neighbours stand together and headings cost least. With many small passages that decides a lot
# ([lesson 24](24_the_grand_comparison.ipynb#What-the-prompt-really-holds)).

# %%
from hierrag_lessons import pack_prompt

loose = [count_tokens(render(pack(found, 1000)).text) for found in plain[:40]]
strict = [count_tokens(pack_prompt(found, 1000).text) for found in plain[:40]]
print(f"budget 1,000: pack and render {mean(loose):.0f} tokens, at most {max(loose)}")
print(f"budget 1,000: pack_prompt {mean(strict):.0f} tokens, at most {max(strict)}")

# %% [markdown]
# ## On Monday
#
# | step | start with | cost | when not |
# |---|---|---|---|
# | fusion | z-scores. Lists of 100 hits here; in users' words lists of 2,000 found more (lessons 16, 17); in avoiding words that was not measured | two searches a question | a database that has ranks only: RRF 10 before RRF 60 |
# | weight of the words | equal (0.5) | nothing | more only if it wins in your users' wording and in another |
# | sections (`above={2: 0.5}`) | on (measured in English only, the weight not tuned; [lesson 20](20_every_level_speaks.ipynb) has the rest) | a level of vectors, two more searches | texts without sections |
# | reranker | a trained cross-encoder for your language, 20 to 50 candidates (a habit of the field) | one run of a model for each candidate (not measured here) | no trained one: leave it out |
# | MMR | off | – | on for an index full of copies |
# | stop rule | none: lower the budget | – | text beside the point does harm |
# | order | document (not measured here) | – | very long contexts: try `ends_first`, look at answers |
# | prompt | `pack_prompt`: neighbours share a heading, numbers that the texts don't have | the headings' tokens | – |
#
# **On your own documents:** questions with evidence (lesson 03 says how), your two lists, `verdicts` over the fusions. Fifty
# questions show only gross differences between fusions; with so few keep the default. All numbers here are from the course's
# own English texts, with one small model.
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
# ### Exercise 19.3 · Find the bugs: from a citation to its passage
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


check("19.3", cited)

# %% tags=["solution"]
import re

from hierrag_lessons import check

# solution: 19.3


check("19.3", cited)

# %% [markdown]
# ### Decide · Which fusion?
#
# ★★☆ · 5 minutes. Three teams, each with its own table: recall against RRF 60, with 95 % intervals. (The numbers are made up.)
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
# A: z-scores, and a larger weight for the words. Nobody compared words alone with z-scores: both intervals are against RRF 60,
# and that they overlap says nothing. Ask for the comparison. Some user will describe an error without its code. B: any
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
# are everywhere. The paragraphs that are missing say little of the question. They lie in the section of the first leaf. The
# section's score alone does not bring them all, as you saw. **Open the section**: return the parent of the best hits, as
# [lesson 14](14_parent_child.ipynb) does with this very question.
# </details>
#
# ### Open task · Tune one dial
#
# ★★★ · 15 minutes. `weight` is the part of the words. **First write down** which of 0.3, 0.5 and 0.7 will win in users'
# words, which in avoiding ones, and why. Then run. The figure to beat is that of z + sections. A weight that wins in one
# wording and loses in the other is no win. (Lesson 03 turned the dial at 1,000 tokens: in avoiding words 0.7 was behind.)


# %%
def weighted(weight):
    def rule(vector, words):
        names = {**vector, **words}
        z = [z_score_fusion([one, dict.fromkeys(names, 0.0)]) for one in (vector, words)]
        return {leaf: (1 - weight) * z[0][leaf] + weight * z[1][leaf] for leaf in names}

    return rule


own = results["users' words"]
mine = evaluate(Fused(weighted(0.3)), asked, BUDGETS, k=60)  # change this
verdicts({"z-scores": own["z-scores"], "z + sections": own["z + sections"], "mine": mine})

# %%
stack.close()

# %% [markdown]
# ## Takeaways
#
# 1. A rank forgets leads: with the constant 60 two places 63 beat a second place in one list. RRF 60 lost an answer.
# 2. Bring scores to one scale, fill in what is missing *before* the mean, then add. RRF 60 is behind z-scores in users' words,
#    RRF 10 is not shown to be. Write RRF 60 or RRF 10, never RRF alone.
# 3. Half of the section's score on top: ahead in both wordings, in recall and in complete answers.
# 4. Behind a reranker only its own score counts. It must beat the whole search before it, in your language; an untrained one is no test.
# 5. Pack no text twice, lower the budget instead of stopping early, and let each number in a citation lead to one span.
#
# ## Quiz
#
# <details><summary>1. A leaf is first by words and missing by vectors. Another is 50th in both. Which one does RRF prefer?</summary>With the constant 60 the other: 2/110 = 0.0182 against 1/61 = 0.0164. With 10 the first: 1/11 = 0.0909 against 2/60 = 0.0333.</details>
#
# <details><summary>2. Why not give a missing hit the z-score 0?</summary>0 is the mean of the list. To be missing would be better than to be found in the lower half.</details>
#
# <details><summary>3. Recall over z-scores after reranking: −0.01 (−0.08 to +0.07). What do you report?</summary>No difference shown; it could be 8 points behind or 7 ahead. And say how many questions there were.</details>
#
# <details><summary>4. You add parents behind the leaves. Why do the tokens not add up?</summary>The parents contain the leaves. Packing gives only what is new in them.</details>
#
# <details><summary>5. Why does the prompt of a research paper not begin with passage 1?</summary>The paper has references of its own, such as [1]. A copied one would look like a citation of the first passage.</details>
#
# ## Interview questions
#
# <details><summary>1. You add a reranker to a hybrid search and recall falls. What happened?</summary>
#
# Only the reranker's score decides, so whatever the fusion knew and it does not know is lost: rare words, identifiers, a
# language that its model cannot read, text beyond what the model reads. Look at the spoiled questions first. Then try
# fewer candidates, fuse the reranker's score with the search's instead of replacing it, or take a trained cross-encoder.
# And compare at equal budget: with many candidates and a large budget the order hardly matters.
# </details>
#
# <details><summary>2. Reciprocal rank fusion or adding normalised scores: when which?</summary>
#
# Ranks need no scale: they work with any two searches, and an absurdly high score is one first place
# and no more. But they forget leads: a first
# place counts the same, whether it leads by much or by little. And its constant matters: with 60 two middling places
# beat a first one, with 10 they don't. Z-scores keep leads, and need rules for missing hits, for one hit and
# for equal scores; min-max scaling hangs on the two extremes. Measure them on your questions, in
# more than one wording.
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
