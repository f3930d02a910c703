# %% [markdown]
# # 03 · Measuring retrieval
#
# Two retrievers, 156 questions, and for every question the passages that answer it are known. One retriever returns
# leaves of at most 200 tokens. The other, **parent-child**, finds the same leaves and returns the sections around them.
# Each may return its five best. How much of what answers the questions do they bring?

# %%
from hierrag_lessons import course_hierarchy, course_questions, temporary_index

documents, questions = course_questions("en")  # dev questions, in users' words
asked = [q for q in questions if q.answerable]
texts = {document.doc_id: document.text for document in documents}
trees = {document.doc_id: course_hierarchy(document) for document in documents}
opened = temporary_index(trees.values())  # the leaves can be searched, the sections looked up
index = opened.__enter__()  # stays open until the kernel ends

# %%
from statistics import mean

from hierrag_lessons import FlatRetriever, ParentChildRetriever, count_tokens, pack, recall

LEAVES, PARENTS = "hybrid, leaves of 200", "parent-child, sections of 600"
methods = {
    LEAVES: FlatRetriever(index, level=3, mode="hybrid"),
    PARENTS: ParentChildRetriever(index, child_level=3, mode="hybrid"),
}
top = {name: method.retrieve_batch([q.question for q in asked], k=20) for name, method in methods.items()}
for name, found in top.items():
    five = mean(recall(passages[:5], q.evidence) for passages, q in zip(found, asked, strict=True))
    tokens = mean(sum(count_tokens(p.text) for p in passages[:5]) for passages in found)
    cut = mean(recall(pack(passages, 1000), q.evidence) for passages, q in zip(found, asked, strict=True))
    print(f"{name:30} five best {five:.2f} ({tokens:,.0f} tokens) · 1,000 tokens {cut:.2f}")

# %% [markdown]
# Look at "five best". Parent-child wins clearly: ship it. Now look at the last number of each line. Both get the **same
# 1,000 tokens**, and parent-child loses. Same retrievers, same questions, opposite decisions. The first comparison was
# one of length. Tables of recall@5 often are.
#
# How do you measure so that the decision is right? And how sure may you be, with so many questions?
#
# **You will** mark answers in the text, measure what a context holds of them, compare methods fairly, and decide with
# one rule. The rest of the course uses that rule.
#
# **You learn** recall, `complete`, precision and rank measures; paired intervals; p-values for several comparisons;
# what so many questions can show; how to make questions for your own documents.
#
# **You need** [lesson 01](01_spans_and_tokens.ipynb) (spans) and [lesson 02](02_embeddings_and_store.ipynb) (index,
# words and meaning, hybrid search). {{minutes}}, medium (★★☆). No network, no API key. Words that you don't know are in
# the [glossary](GLOSSARY.md).
#
# {{map}}
#
# The way through: [gold](#Gold:-mark-the-answer-once), [recall](#Recall,-precision,-complete), [ranks](#Rank-measures),
# [budgets](#Equal-budgets), [how sure](#How-sure-are-we?), [several comparisons](#Several-comparisons), [what can be
# shown](#What-so-many-questions-can-show), [the rule](#The-rule), [fifty questions](#How-fifty-questions-mislead),
# [wording](#Whose-words?), [the winner's curse](#The-winner's-curse), [your own gold](#Gold-for-your-own-documents),
# [on Monday](#On-Monday), [exercises](#Exercises).
#
# ## Gold: mark the answer once
#
# Somebody has to say where the answer is. In this course it is marked in the document, as spans of characters. The marks are
# called **gold evidence**, or gold:

# %%
question = next(q for q in asked if q.id == "en-ar-002-u")
print(question.question)
for piece in question.evidence:
    print(f"gold: {piece.doc_id}, characters {piece.start:,} to {piece.end:,}")
    print(f"      {texts[piece.doc_id][piece.start : piece.end]}")

# %% [markdown]
# Gold belongs to the question and the text. It knows nothing of chunks. So the same marks serve every chunker and every
# retriever, today's and next year's. Labels like "chunk 17 is relevant" die with the next chunk size. (Who wrote
# questions and gold is told in `data/README.md`.)
#
# Many projects store the gold as text and check with `in` whether a chunk contains it. Give that test the easiest task
# there is: hand over **all** chunks of the document. Nothing can be missing.

# %%
from hierrag_lessons import FixedSizeChunker, RecursiveChunker, Table

pieces = [piece for q in asked for piece in q.evidence]
lines = []
for name, chunker in {
    "recursive, 200 tokens": RecursiveChunker(200),
    "fixed size, 200 tokens": FixedSizeChunker(200),
    "fixed size, 100 tokens": FixedSizeChunker(100),
}.items():
    chunks = {document.doc_id: chunker.chunk(document) for document in documents}
    as_text = mean(any(texts[p.doc_id][p.start : p.end] in c.text for c in chunks[p.doc_id]) for p in pieces)
    lines.append((name, as_text, mean(recall(chunks[p.doc_id], [p]) for p in pieces)))
Table(("all chunks of the text", "found as text", "found as characters"), tuple(lines), f"{len(pieces)} pieces of gold")

# %% [markdown]
# With chunks of 100 tokens three of ten pieces are "not found", and every word was handed over. The test fails wherever
# a chunk ends inside the gold. Counting characters does not. So how is it done?
#
# ## Recall, precision, complete
#
# A text of one line. *When do the shops close?* Two retrieved passages, and they overlap.

# %% tags=["hide-input"]
from hierrag_lessons import Span, drawing

line = "Shops open at nine. They close at six, on Sundays at two."


def span_of(words):
    return Span(line.index(words), line.index(words) + len(words))


gold = [span_of("close at six"), span_of("on Sundays at two")]
returned = [span_of("open at nine. They close"), span_of("They close at six,")]
rows = {"gold": gold, "passage 1": returned[:1], "passage 2": returned[1:]}
with drawing(2.4) as (figure, [axes]):
    for start, end in gold:
        axes.axvspan(start, end, color="#E69F00", alpha=0.22, linewidth=0)
    for y, (spans, colour) in enumerate(zip(rows.values(), ["#E69F00", "#56B4E9", "#56B4E9"], strict=True)):
        axes.broken_barh([(a, b - a) for a, b in spans], (y - 0.35, 0.7), facecolors=colour, edgecolors="#222222")
        if y:  # what both passages return
            axes.broken_barh([(20, 10)], (y - 0.35, 0.7), facecolors="none", edgecolors="#222222", hatch="///")
    for x, character in enumerate(line):
        axes.text(x + 0.5, 3, character, ha="center", va="center", family="DejaVu Sans Mono")
    axes.text(47.5, 1.5, "missed", ha="center", va="center", fontsize=13)
    axes.set(xlim=(0, len(line)), ylim=(3.5, -0.6), xlabel="character (hatched: returned twice)")
    axes.set_yticks([0, 1, 2, 3], [*rows, "text "])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.alt = (
        "The sentence 'Shops open at nine. They close at six, on Sundays at two.' letter by letter, with bars "
        "above it. Gold: 'close at six' and 'on Sundays at two'. Passage 1: 'open at nine. They close'. Passage "
        "2: 'They close at six,'. The ten characters that the passages share, 'They close', are hatched. Both "
        "passages touch only the first piece of gold; the second is missed."
    )
figure

# %% [markdown]
# - **Recall** asks how much of the gold we got: gold found ÷ gold.
# - **Precision** asks how much of what we got is gold: gold found ÷ characters returned. A character that comes twice
#   is returned twice.

# %%
wanted = {x for start, end in gold for x in range(start, end)}
paid = [x for start, end in returned for x in range(start, end)]  # a repeated character is paid for twice
found = wanted & set(paid)
print(f"recall {len(found)}/{len(wanted)} = {len(found) / len(wanted):.2f}")
print(f"precision {len(found)}/{len(paid)} = {len(found) / len(paid):.2f}")

# %% [markdown]
# Recall comes first in this course: what is not in the context cannot be in the answer. Where every method returns the
# same number of tokens, precision divides by nearly the same for all, and mostly repeats what recall says. **IoU**,
# found text divided by all that was returned or missed, puts both into one number.
#
# Real gold needs three more rules.
#
# - A question often has **several pieces** of gold. Each counts the same, be it a line or a paragraph.
# - Some facts are written down twice. Such places are marked as **alternatives**: the one that was found best counts.
# - Half an answer can be worse than none. So beside recall the course reports **complete**: 1 if at least 95 % of the
#   evidence is in the context, else 0.

# %%
from hierrag_lessons import complete


def share(passages, place):
    """How much of one place the passages show, character by character."""
    shown = {x for p in passages if p.doc_id == place.doc_id for x in range(p.start, p.end)}
    return len(shown & set(range(place.start, place.end))) / (place.end - place.start)


def recall_by_hand(passages, evidence):
    return mean(max(share(passages, place) for place in (piece, *piece.alternatives)) for piece in evidence)


contexts = [(pack(found, 1000), q.evidence) for lists in top.values() for found, q in zip(lists, asked, strict=True)]
for context, evidence in contexts:
    ours = recall_by_hand(context, evidence)
    assert abs(ours - recall(context, evidence)) < 1e-9
    assert (ours >= 0.95) == complete(context, evidence)
print(len(contexts), "contexts: by hand and the package agree")

# %% [markdown]
# Search engines are usually compared in another way: by rank. Would that do?
#
# ## Rank measures
#
# You will meet three in every paper:
#
# - **Hit rate**: is there any gold among the first k? 1 or 0.
# - **MRR**, mean reciprocal rank: 1 ÷ the rank of the first passage with gold.
# - **nDCG**: the gold of each passage, worth less at each later rank, compared with the best possible order.
#
# Here is a way to improve all three without finding anything better. Take the five best leaves, and hand over the
# **whole document** around each:

# %%
from hierrag_lessons import Passage, hit_rate, ndcg, precision, reciprocal_rank

measures = {"hit rate": hit_rate, "MRR": reciprocal_rank, "nDCG": ndcg, "recall": recall, "precision": precision}


def whole_documents(passages):
    return [Passage(name, 0, len(texts[name]), texts[name]) for name in dict.fromkeys(p.doc_id for p in passages)]


leaves = [passages[:5] for passages in top[LEAVES]]
lines = []
for name, lists in {"5 leaves": leaves, "their documents": [whole_documents(five) for five in leaves]}.items():
    tokens = mean(sum(count_tokens(p.text) for p in passages) for passages in lists)
    of_each = (mean(f(p, q.evidence) for p, q in zip(lists, asked, strict=True)) for f in measures.values())
    lines.append((name, f"{tokens:,.0f}", *of_each))
Table(("returned", "tokens", *measures), tuple(lines))

# %% [markdown]
# Every measure but precision rises, and a context of 715 tokens became one of 27,257. A rank counts a sentence and a book
# as one. **Compare ranks only between methods whose passages have a similar size.** The others need another ruler.
#
# ## Equal budgets
#
# The ruler is tokens: every method gets the same number. `pack` takes passages in their order, leaves out what an
# earlier one already showed, and cuts where the budget ends. `evaluate` does that for all questions and budgets, and
# asks for more passages until the budget is full.
#
# Five methods, English and Chinese together. Settings are part of the name. The course's *hybrid* adds up the z-scores
# of words and meaning ([lesson 02](02_embeddings_and_store.ipynb)). *RRF 60* is the other way: reciprocal rank fusion,
# with 60 as the constant in 1 / (60 + rank). LanceDB and many other databases take it by default.

# %%
from hierrag_lessons import HybridRetriever, Result, evaluate

BUDGETS = (500, 1000, 2000, 4000, 8000)
RANKS, WORDS, MEANING = "hybrid, RRF 60, leaves of 200", "words, leaves of 200", "meaning, leaves of 200"


def five_methods(index):
    return {
        LEAVES: FlatRetriever(index, level=3, mode="hybrid"),
        PARENTS: ParentChildRetriever(index, child_level=3, mode="hybrid"),
        RANKS: HybridRetriever(index, level=3, fusion="reciprocal_rank"),
        WORDS: FlatRetriever(index, level=3, mode="text"),
        MEANING: FlatRetriever(index, level=3, mode="vector"),
    }


zh_documents, zh_questions = course_questions("zh")
zh_trees = {document.doc_id: course_hierarchy(document) for document in zh_documents}
zh_opened = temporary_index(zh_trees.values())
indexes = {"en": index, "zh": zh_opened.__enter__()}
both = {"en": asked, "zh": [q for q in zh_questions if q.answerable]}
results = {
    name: {method: evaluate(r, both[name], BUDGETS, k=40) for method, r in five_methods(indexes[name]).items()}
    for name in both
}
pooled = {method: Result(results["en"][method].rows + results["zh"][method].rows) for method in results["en"]}

# %% tags=["hide-input"]
import numpy as np

from hierrag_lessons import paired_difference

firsts = {}
for name in both:
    for method in (LEAVES, PARENTS):
        lists = five_methods(indexes[name])[method].retrieve_batch([q.question for q in both[name]], k=5)
        firsts.setdefault(method, []).extend(recall(p, q.evidence) for p, q in zip(lists, both[name], strict=True))
gaps = {"five\npassages": [np.array(firsts[name]) for name in (PARENTS, LEAVES)]}
for budget in BUDGETS:
    gaps[f"{budget:,}"] = [np.array([*pooled[name].scores("recall", budget).values()]) for name in (PARENTS, LEAVES)]
with drawing(3.6, width=8.0) as (figure, [axes]):
    told = []
    for x, (name, (ours, theirs)) in enumerate(gaps.items()):
        low, high = paired_difference(ours, theirs)
        gap, at = (ours - theirs).mean(), x + 0.5 * (x > 0)
        colour, marker = ("#0072B2", "^") if low > 0 else ("#D55E00", "v") if high < 0 else ("#666666", "o")
        axes.errorbar(at, gap, [[gap - low], [high - gap]], color=colour, marker=marker, markersize=10, capsize=5, lw=2)
        told.append(f"{' '.join(name.split())} {gap:+.2f} ({low:+.2f} to {high:+.2f})")
    axes.axhline(0, color="#222222", linewidth=1)
    axes.axvline(0.75, color="#666666", linestyle=":", linewidth=1)
    axes.set_xticks([0, *(x + 0.5 for x in range(1, len(gaps)))], list(gaps))
    axes.text(3.5, 0.13, "the same number of tokens", ha="center", va="center", fontsize=12)
    axes.text(0.85, 0.012, "parent-child better ↑", va="bottom", color="#0072B2")
    axes.text(5.9, -0.012, "leaves better ↓", va="top", ha="right", color="#D55E00")
    axes.set(xlim=(-0.6, 6), ylim=(-0.16, 0.17), ylabel="recall: parent-child minus leaves")
    figure.alt = (
        "The difference in recall, parent-child minus leaves, with 95 % intervals. With five passages each it is far "
        "above zero. With the same number of tokens it is below zero at 500 and rises to zero or just above at 8,000. "
        f"{'; '.join(told)}."
    )
figure

# %% [markdown]
# This is the first screen as one picture, now with the Chinese questions. Count passages, and parent-child is far above
# the line. Count tokens, and it is below at small budgets: one section can fill 500 tokens. With much room the two meet.
# (The bars are 95 % intervals. The next section makes them.)
#
# So "which is better?" depends on the budget, and whoever likes can report the one where the favourite looks best. The
# course decides before it looks. **The primary outcome is the mean of the recall at 500, 1,000, 2,000, 4,000 and 8,000
# tokens**, one number for each question and method. `complete` is reported beside it. Other numbers are there to explain,
# not to decide.


# %%
def primary(result, metric="recall"):
    """Each question's mean over the budgets."""
    return np.mean([list(result.scores(metric, budget).values()) for budget in BUDGETS], axis=0)


scores = {method: primary(result) for method, result in pooled.items()}

# %% [markdown]
# ## How sure are we?
#
# Other questions would have given other means. The **bootstrap** asks how much they move: draw as many questions as
# there are, with replacement, take the mean, and repeat. The middle 95 % of these means are the **interval**.
#
# Two methods meet the *same* questions, and a hard one is hard for both. So take the **difference of each question**
# and look at its mean.
#
# Then ask what chance alone would give. If both methods were equally good, each difference could just as well have the
# other sign. Flip signs at random, many times. How often is the mean as far from zero as the real one? That share is the
# **p-value** of Fisher's paired randomisation test.

# %%
from scipy.stats import permutation_test

from hierrag_lessons import paired_test

a, b = scores[PARENTS], scores[LEAVES]
rng = np.random.default_rng(0)
for name, values in {PARENTS: a, LEAVES: b, "the paired difference": a - b}.items():
    means = values[rng.integers(0, len(values), (10_000, len(values)))].mean(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    print(f"{name:30} {values.mean():+.3f}, by hand {low:+.3f} to {high:+.3f}")
print("the same difference by the package:", *(f"{end:+.3f}" for end in paired_difference(a, b)))
flipped = (rng.choice([-1, 1], (10_000, len(a))) * (a - b)).mean(axis=1)
by_hand = np.mean(abs(flipped) >= abs((a - b).mean()) - 1e-12)
theirs = permutation_test((a, b), lambda x, y, axis: (x - y).mean(axis), permutation_type="samples", rng=0)
print(f"p by hand {by_hand:.4f}, package {paired_test(a, b):.4f}, SciPy {theirs.pvalue:.4f}")

# %% [markdown]
# All three ways find a p below one in a thousand. Now look at the intervals. Those of the two methods overlap. That of the
# difference excludes zero all the same. Overlap of two intervals proves nothing: always look at the paired difference.
#
# ## Several comparisons
#
# p < 0.05 means: chance alone gives a difference as large as this in fewer than one of 20 cases. So whoever compares 20 methods that are all
# equally good has 20 chances of a false winner. **Holm's** rule repairs that. Sort the p-values. Multiply the smallest by
# their number, the next by one less, and so on. None may fall below the one before it. Here are 2,000 tables with 20
# independent comparisons each, and in none of them does any method differ:

# %%
from hierrag_lessons import holm


def holm_by_hand(p_values):
    adjusted, reached = {}, 0.0
    for rank, place in enumerate(np.argsort(p_values)):
        reached = max(reached, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[int(place)] = reached
    return [adjusted[place] for place in range(len(p_values))]


nothing = rng.uniform(size=(2000, 20))  # where nothing differs, every p is equally likely
assert all(np.allclose(holm_by_hand(row), holm(row.tolist())) for row in nothing)
print(f"a false winner, p as it is:      {np.mean(nothing.min(axis=1) < 0.05):.0%} of the tables")
print(f"a false winner, p after Holm:    {np.mean([min(holm_by_hand(row)) < 0.05 for row in nothing]):.0%}")

# %% [markdown]
# A false winner is rare now. But is the true one found?
#
# ## What so many questions can show
#
# You may have asked too few questions to see a difference that is there. So work out the **smallest difference** that your
# questions show in 80 % of all experiments: 2.8 times the spread (standard deviation) of the differences, divided by the
# root of the number of questions. (2.8 is 1.96 for the 5 % and 0.84 for the 80 %. That is for one comparison. With four rows
# and Holm's rule the smallest p has to pass a quarter of the 5 %, and the 2.8 becomes about 3.3.) Solve it for the number,
# and it tells how many questions you need, *n* = (2.8 × spread ÷ difference)²:

# %%
from hierrag_lessons import detectable

lines = []
for name in (RANKS, PARENTS, MEANING):
    spread = (scores[name] - b).std(ddof=1)
    shown = 2.8 * spread / len(b) ** 0.5
    assert abs(shown - detectable((scores[name] - b).tolist())) < 1e-9
    lines.append((name, spread, 2.8 * spread / 50**0.5, shown, f"{(2.8 * spread / 0.02) ** 2:,.0f}"))
columns = ("against hybrid", "spread", "50 questions show", f"{len(b)} show", "questions to show 0.02")
Table(columns, tuple(lines), "the smallest difference in recall that is shown")

# %% [markdown]
# Methods that are alike differ little on each question, so fewer questions are enough. To show half the difference you
# need four times the questions.
#
# ## The rule
#
# All of it together is one function, `verdicts`:
#
# 1. The primary outcome is fixed before anyone looks; `complete` is reported beside it.
# 2. Every difference has a paired interval, and a p-value that is adjusted after Holm over the rows of the table.
# 3. **The interval and the adjusted p-value are two tests, and both have to agree.** "Ahead": the interval lies above
#    zero *and* the adjusted p is below 0.05. "Behind": it lies below zero, and the same p. In every other case the verdict
#    is **no difference shown**, with the interval.
# 4. The caption says what so many questions can show.

# %%
from hierrag_lessons import verdicts

verdicts(pooled)

# %%
verdicts(pooled, "complete")

# %% [markdown]
# The first row is what you run now. In one row the two tests disagree: RRF 60, `complete`. Its interval ends just
# below zero, its adjusted p is 0.10. So nothing is claimed. Now the decisions:
#
# - **Parent-child** is behind by 0.03. In complete answers no difference is shown. Nothing in
#   the primary outcome speaks for changing to it.
# - **RRF 60** is behind z-scores by 0.01. That is little, and z-scores cost nothing more. So they are the course's standard:
#   *hybrid* means z-scores. (With another constant the gap can be smaller: [below](#Whose-words?).)
# - **Words alone**: no difference shown; it could be 0.02 behind or 0.01 ahead. Without an embedder you lose little *on
#   these texts*.
# - **Meaning alone** is behind, by 0.10 in both measures.
#
# (The caption says 0.02 or more, and 0.01 is shown? The caption's 0.02 is for a typical row of the table. RRF and z-scores
# are more alike, so for them 0.011 is enough.)
#
# English and Chinese have different embedders. So look at each alone:

# %%
for name, title in {"en": "English", "zh": "Chinese"}.items():
    for method, _, difference, low, high, p, said in verdicts(results[name]).rows[1:]:
        print(f"{title}: {method:30} {difference:+.3f} ({low:+.3f} to {high:+.3f}), p {p:.3f}: {said.split(' (')[0]}")

# %% [markdown]
# Parent-child is behind in both. RRF 60 is behind in English only: by 0.025, and in Chinese it differs by 0.002. Meaning
# is behind in English only. The Chinese embedder counts characters, so its "meaning" is close to words.
#
# (A mean can also hide groups of questions. [Lesson 14](14_parent_child.ipynb) looks at where the evidence lies, on these same
# questions, and finds out where parents help.)
#
# ## How fifty questions mislead
#
# Many comparisons rest on 50 questions. How far does one get with 50? Pretend that our questions are the whole world:
# their means are the truth. Now 4,000 teams draw 50 questions each, and compare a method with hybrid. How many of them
# choose the method that is *really worse*?

# %% tags=["hide-input"]
shown = {"meaning alone": MEANING, "parent-child": PARENTS, "words alone": WORDS}
edges, told = np.linspace(-0.2, 0.1, 61), []
with drawing(3.8, rows=3, columns=2) as (figure, axes):
    for place, (one, (name, method)) in enumerate((i, x) for i, x in enumerate(shown.items())):
        difference = scores[method] - b
        for column, size in enumerate((50, 200)):
            box = axes[2 * one + column]
            drawn = rng.choice(difference, (4000, size)).mean(axis=1)
            counts, _ = np.histogram(drawn, edges)
            wrong = edges[:-1] >= -1e-9
            box.bar(edges[:-1][~wrong], counts[~wrong], 0.005, align="edge", color="#56B4E9")
            box.bar(edges[:-1][wrong], counts[wrong], 0.005, align="edge", color="#D55E00", hatch="////")
            box.axvline(0, color="#222222", linewidth=1)
            share_wrong = np.mean(drawn >= 0)
            box.text(
                0.03,
                0.55,
                f"{share_wrong:.0%}" if share_wrong >= 0.005 else "none",
                transform=box.get_xaxis_transform(),
                fontsize=13,
            )
            box.set(yticks=[], xlim=(-0.2, 0.1))
            box.spines["left"].set_visible(False)
            told.append(f"{name}, {size} questions: {share_wrong:.1%}")
            if place == 0:
                box.set_title(f"{size} questions a team", fontsize=11)
            if column == 0:
                box.set_ylabel(f"{name}\n{difference.mean():+.3f}", rotation=0, ha="right", va="center")
    for box in axes[-2:]:
        box.set_xlabel("difference from hybrid that a team sees")
    figure.alt = (
        "Six histograms of the difference from hybrid that a team sees, with 50 and with 200 questions. The part above "
        f"zero, where a team would choose the worse method, is hatched. {'; '.join(told)}."
    )
figure

# %% [markdown]
# The hatched teams choose the worse method. ("None" is fewer than one in 200.) Meaning alone is so far behind that nobody
# does. Parent-child, 0.03 behind, is chosen by one team in 20. Words alone, 0.006 behind, by one team in three, and by one in
# five even with 200 questions. Each team sees one number and cannot know in which part it is. So write "no difference
# shown", or ask more questions.
#
# ## Whose words?
#
# Who writes the questions decides as much as who answers them. The course has each question of this lesson twice, with
# the same gold: as **a user would ask**, and in words that **avoid the text's own**. The second is sometimes done to make a
# test hard.
#
# Let us turn one dial in both: how much words count against meaning. At 0 it is meaning alone, at 1 words alone, and at 0.5
# nearly the course's hybrid. (English, 1,000 tokens, to be quick.)

# %%
from collections import Counter

from hierrag_lessons import reciprocal_rank_fusion, z_score_fusion


class Fused:
    """Hybrid search by a rule: from two lists of hits, by words and by meaning, to one score for each leaf."""

    def __init__(self, rule):
        self.rule = rule

    def retrieve_batch(self, queries, k=5):
        return [self.fuse(*hits_of[query])[:k] for query in queries]

    def fuse(self, *lists):
        leaf = {f"{p.doc_id} {p.start:09}": p for hits in lists for p in hits}
        total = self.rule(*({f"{p.doc_id} {p.start:09}": p.score for p in hits} for hits in lists))
        return [leaf[name] for name in sorted(leaf, key=lambda name: (-round(total[name], 6), name))]


def weighted(weight):
    """Z-scores, in which words count ``weight`` and meaning the rest; what a list lacks counts as its last hit."""

    def rule(words, meaning):
        z = [z_score_fusion([one, dict.fromkeys(words | meaning, 0.0)]) for one in (words, meaning)]
        return {name: weight * z[0][name] + (1 - weight) * z[1][name] for name in z[0]}

    return rule


twin = {q.partner: q for q in course_questions("en", wording="avoiding")[1]}
wordings = {"users' words": asked, "avoiding words": [twin[q.id] for q in asked]}
print("user:    ", question.question)
print("avoiding:", twin[question.id].question)
hits_of = {}
for qs in wordings.values():
    lists = [five_methods(index)[name].retrieve_batch([q.question for q in qs], k=100) for name in (WORDS, MEANING)]
    hits_of |= {q.question: found for q, *found in zip(qs, *lists, strict=True)}
dial = [i / 10 for i in range(11)]
tried = {
    name: np.array([[*evaluate(Fused(weighted(w)), qs, [1000], k=40).scores("recall").values()] for w in dial])
    for name, qs in wordings.items()
}

# %% tags=["hide-input"]
with drawing(3.8, width=8.0) as (figure, [axes]):
    told = []
    for (name, values), marker, colour in zip(tried.items(), "os", ["#0072B2", "#D55E00"], strict=True):
        means = values.mean(axis=1)
        best = int(means.argmax())
        axes.plot(dial, means, color=colour, marker=marker, lw=2)
        axes.plot(dial[best], means[best], marker="o", markersize=17, mfc="none", mec=colour, mew=2)
        axes.text(1.02, means[-1], name, color=colour, va="center", fontsize=12)
        told.append(f"{name}: " + ", ".join(f"{m:.2f} at {w}" for w, m in zip(dial, means, strict=True)))
    axes.axvline(0.5, color="#666666", linestyle="--", linewidth=1)
    axes.text(0.5, 0.78, "the course", ha="center", va="bottom", color="#444444")
    axes.set_xticks(
        [0, 0.2, 0.4, 0.5, 0.6, 0.8, 1], ["0\nmeaning\nalone", ".2", ".4", ".5", ".6", ".8", "1\nwords\nalone"]
    )
    axes.set(
        xlim=(-0.03, 1.01),
        ylim=(0.2, 0.78),
        xlabel="weight of the words (ringed: the best)",
        ylabel="recall at 1,000 tokens",
    )
    axes.grid(visible=True, axis="y")
    figure.alt = f"Recall over the weight of the words, for the same questions in two wordings. {'; '.join(told)}."
figure

# %%
from hierrag_lessons import verdict

pairs = {
    "users' words: words alone minus meaning alone": ("users' words", 10, 0),
    "avoiding words: the same": ("avoiding words", 10, 0),
    "users' words: weight 0.7 minus 0.5": ("users' words", 7, 5),
    "avoiding words: the same ": ("avoiding words", 7, 5),
}
ends = {title: (tried[name][one], tried[name][other]) for title, (name, one, other) in pairs.items()}
for (title, (x, y)), p in zip(ends.items(), holm([paired_test(*pair) for pair in ends.values()]), strict=True):
    low, high = paired_difference(x, y)
    print(f"{title:46} {(x - y).mean():+.2f} ({low:+.3f} to {high:+.3f}), p {p:.3f}: {verdict(low, high, p)[:19]}")


def rrf_10(*lists):
    return reciprocal_rank_fusion([list(one) for one in lists], constant=10)


ten = verdicts({LEAVES: results["en"][LEAVES], "RRF 10": evaluate(Fused(rrf_10), asked, BUDGETS, k=40)}).rows[1]
print("RRF 10, users' words, all budgets: {2:+.3f} ({3:+.3f} to {4:+.3f}), p {5:.3f}: {6}".format(*ten))

# %% [markdown]
# Same texts, same gold, same dial, other words. In **users' words** search by words is far ahead of meaning. In words that
# **avoid** the text's no difference is shown.
#
# A team that tests with the second set sees recall fall from 0.39 to 0.31 if it switches its search by words off. Its users
# fall from 0.69 to 0.51, more than twice as far. Which set is right? The one that sounds like
# *your* users: take their questions from the logs. All other lessons use users' words.
#
# The other lines answer two questions on the way. **Why not 0.7?** In users' words no difference from 0.5 is shown (another
# case of two tests that disagree). In avoiding words 0.7 is behind. So the course keeps 0.5. **Is it RRF, or its 60?** Mostly
# the 60, it seems. With 10, first places weigh more, and RRF is behind by 0.007 in place of 0.025. (That is with this one
# comparison alone. Among the rows of [lesson 19](19_reranking_and_packing.ipynb) it would not count.)
#
# ## The winner's curse
#
# You have just looked at eleven weights and at the best of them. The best of eleven looks better than it is: part of its
# lead is luck with these questions. How much? Choose on 50 questions drawn at random, and look at the winner on all the
# others. Do it two thousand times:

# %%
values = tried["users' words"]
print(
    "at 0.5:", f"{values[5].mean():.3f}", "· the three best:", {dial[i]: f"{values[i].mean():.3f}" for i in (6, 7, 8)}
)
winners, on_choice, on_others = Counter(), [], []
for _ in range(2000):
    order = rng.permutation(len(asked))
    winner = int(values[:, order[:50]].mean(axis=1).round(9).argmax())
    winners[dial[winner]] += 1
    on_choice.append(values[winner, order[:50]].mean())
    on_others.append(values[winner, order[50:]].mean())
print(f"the winner on the 50 that chose it {mean(on_choice):.3f}, on the others {mean(on_others):.3f}")
print("won most often:", ", ".join(f"{w} ({times / 2000:.0%})" for w, times in winners.most_common(4)))

# %% [markdown]
# On the 50 questions that chose it the winner has 0.016 more than on all others. That is about the size of the gap between
# RRF 60 and z-scores above, and it is luck. Three of the weights are nearly alike, and they share most of the prizes. With more
# settings, or fewer questions, the luck grows.
#
# So **choose on some questions, report on others**: that is what *dev* and *test* are. The lessons' numbers are from dev. Test
# waits for lesson 24.
#
# ## Gold for your own documents
#
# Fifty questions of your own say more about your documents than any public table. This is how the course's were made, cut
# down to what one team can do:
#
# 1. **Collect** 40 real questions from logs and mails, as they were typed. No logs? Let someone who has *not* read the
#    documents write them from a list of topics. Add 5 that need several places, and 5 that the documents do not answer.
# 2. **Mark** the evidence: copy the shortest passages that a good answer rests on, word for word.
# 3. **Look for alternatives.** Run two or three different searches, read their five best, and mark what says the same.
#    Otherwise a method is punished for finding the other copy.
# 4. **Let a second person** mark ten of the questions without seeing the gold. Where you differ, the question is usually
#    unclear. In this course a second reader of 48 English questions reached an F1 (the harmonic mean of recall and
#    precision) of 0.90 against the gold.
# 5. **Split**: 25 to choose with, 25 to report. Questions that share evidence go to the same side.
#
# Plan 10 minutes a question for one person who knows the documents, and half a day for steps 3 and 4: **two working
# days** for 50 questions. (A plan, not a measurement.) A language model may propose questions, and it tends to use the
# text's words. A person has to check every mark.
#
# The command `python -m hierrag_lessons label FOLDER` does steps 2 and 3 with one key a passage, and `compare FOLDER` then
# measures the methods of this course on your questions. What they write is one line a question. `load_questions` finds each quote and refuses one that is missing or comes twice:

# %%
import json
import tempfile
from dataclasses import replace
from pathlib import Path

from hierrag_lessons import Document, load_questions

memo = Document("memo", "The store opens at nine. Returns are taken for 30 days. Gift cards never expire.")
ask = {"id": "q1", "question": "how long can I bring it back", "type": "single_fact", "answer": "30 days"}
for quote in ("Returns are taken for 30 days.", "Returns are accepted for 30 days."):
    entry = ask | {"evidence": [{"doc_id": "memo", "quote": quote, "alternatives": []}]}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "own.jsonl"
        file.write_text(json.dumps(entry), encoding="utf-8")
        loaded = load_questions(file, [memo], missing="drop")
        print(loaded[0].evidence[0] if loaded else loaded.dropped["q1"])
once = [replace(q, evidence=tuple(replace(e, alternatives=()) for e in q.evidence)) for q in asked]
with_them, without = (
    mean(recall(pack(found, 1000), q.evidence) for found, q in zip(top[LEAVES], qs, strict=True))
    for qs in (asked, once)
)
print(f"recall at 1,000 tokens with alternatives {with_them:.3f}, without {without:.3f}")

# %% [markdown]
# The second quote was typed from memory, and the loader refuses it. The last line shows what step 3 is worth: without
# alternatives the same contexts score 0.023 less, although nothing about them is worse.
#
# ## On Monday
#
# | what | start with | when to change it | what it costs |
# |---|---|---|---|
# | budgets | 500 to 8,000 tokens; the mean decides | your prompt has one fixed size: that size decides | one retrieval, packing for each budget |
# | main measure | recall; `complete` beside it | every miss is dear: let `complete` decide | nothing |
# | questions | 50 show 0.05, 250 show 0.02, with spreads like ours | `detectable` says too coarse | two working days for 50 |
# | gold | the shortest span that carries the answer | | a second reader for ten questions |
# | evidence | `verdicts`, your present method first; both tests agree | | seconds |
# | split | choose on dev, report on test, once | fewer than 50 questions: report intervals, tune nothing | half of the questions |
#
# **When not.** If one fix mends 30 of 50 answers, you see it without a test. And recall of evidence is not the quality of
# answers: lesson 23 measures those, and whether a system declines where the texts have no answer.
#
# ## Exercises
#
# `hint("03.1")` gives a hint, `solution("03.1")` shows a solution.
#
# ### Exercise 03.1 · Precision of overlapping passages
#
# ★☆☆ · 5 minutes. All spans are of one document. Passages may overlap each other, and so may gold spans. Return the
# precision: gold characters found (each once), divided by all characters returned (as often as they are returned).
# Where nothing is returned it is 0.0. Use `merge` and `overlap`, not sets of characters.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def precision(returned: list[Span], gold: list[Span]) -> float:
    """Gold characters found, divided by all characters returned; a repeated character is returned twice."""
    return ...


check("03.1", precision)

# %% tags=["solution"]
from hierrag_lessons import Span, check, merge, overlap

# solution: 03.1


check("03.1", precision)

# %% [markdown]
# ### Exercise 03.2 · An exact paired test
#
# ★★☆ · 10 minutes. `a[i]` and `b[i]` are two methods' scores on question `i`. List all patterns of signs
# (`itertools.product`) and return the exact two-sided p-value: the share of patterns whose sum of signed differences
# is at least as far from 0 as the observed sum. The scores are such that equal sums are exactly equal.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def sign_flip_p(a: list[float], b: list[float]) -> float:
    """Exact two-sided p-value: share of the sign patterns that give a sum as far from 0 as the observed one."""
    return ...


check("03.2", sign_flip_p)

# %% tags=["solution"]
from itertools import product

from hierrag_lessons import check

# solution: 03.2


check("03.2", sign_flip_p)

# %% [markdown]
# ### Exercise 03.3 · Find the bugs: recall at a budget
#
# ★★★ · 15 minutes. This is meant to read the first `budget` *characters* of a ranking, leave out what was already
# read (it costs nothing), cut the last passage where the budget ends, and return the share of the gold seen. Code like
# this is easily written and looks right. It favours large passages, and can return more than 1. Repair both. All
# spans are of one document; `subtract` and `cover` are useful.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, overlap, solution


def recall_at_budget(ranked: list[Span], gold: list[Span], budget: int) -> float:
    """Share of the gold in the first ``budget`` characters of the ranked passages."""
    found, used = 0, 0
    for passage in ranked:
        if used >= budget:
            break
        used += passage.end - passage.start
        found += sum(overlap(passage, wanted) for wanted in gold)
    return found / sum(wanted.end - wanted.start for wanted in gold)


check("03.3", recall_at_budget)

# %% tags=["solution"]
from hierrag_lessons import Span, check, cover, merge, overlap, subtract

# solution: 03.3


check("03.3", recall_at_budget)

# %% [markdown]
# ### Exercise 03.4 · From a table to a decision
#
# ★★☆ · 10 minutes. The step from numbers to action. Each row is a method that was compared with the one you run now:
# its name, the two ends of the interval of its difference, the p-value of *this comparison alone*, and its price a
# question. Adjust the p-values after Holm over all rows. A method is *ahead* if its adjusted p is below 0.05 and its
# low end above 0. Return the name of the cheapest method that is ahead, or `None`: then keep what you have.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def decide(rows: list[tuple[str, float, float, float, float]]) -> str | None:
    """The cheapest method that is ahead of the present one, p-values adjusted after Holm; ``None`` where none is."""
    return ...


check("03.4", decide)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 03.4


check("03.4", decide)

# %% [markdown]
# ### Practice · Label the evidence
#
# ★★☆ · 10 minutes. Be the second reader. Find the answer in the excerpt, copy what a good answer rests on into
# `marked`, word for word, and run the cell. The figure to beat is the second reader's F1 of 0.90. Below it? Read the
# gold, and decide who is right. Then take another question from `asked`.

# %%
from hierrag_lessons import precision

task = next(q for q in asked if q.id == "en-con-004-u")
place = task.evidence[0]
excerpt = texts[place.doc_id][place.start - 900 : place.end + 500]
marked = ["..."]  # your quotes from the excerpt

print(task.question, "\n\n" + excerpt)
spans = [
    Passage(place.doc_id, texts[place.doc_id].index(m), texts[place.doc_id].index(m) + len(m), m)
    for m in marked
    if m in excerpt
]
r, p = (recall(spans, task.evidence), precision(spans, task.evidence)) if spans else (0, 0)
print(f"\nrecall {r:.2f}, precision {p:.2f}, F1 {2 * r * p / (r + p) if r + p else 0:.2f}")

# %% [markdown]
# ### Open task · Predict, then tune
#
# ★★★ · 15 minutes. Change the rule below: the weight, the constant of RRF, anything you can do with two lists of scores.
# **Write down first** by how much you expect to be ahead of hybrid. The figure to beat: 0.771. Then ask how many settings
# you have tried, and what the winner's curse makes of your lead. (Now it is hybrid again, from your own class.)

# %%
mine = Fused(weighted(0.5))  # change this
verdicts({LEAVES: results["en"][LEAVES], "mine": evaluate(mine, asked, BUDGETS, k=40)})

# %% [markdown]
# ## Quiz
#
# <details><summary>1. Five passages each: recall 0.9 against 0.7. Which method is better?</summary>
# Nobody knows yet. Ask how many tokens five passages have. Compare at the same number.
# </details>
# <details><summary>2. Recall is 0.80 and complete is 0.45. What does that tell you?</summary>
# Most of the evidence is there, and more than half of the questions still lack a piece. If users need whole answers,
# look at complete.
# </details>
# <details><summary>3. "No difference shown (-0.06 to +0.05)". May you drop the dearer method?</summary>
# You may, because nothing speaks for its price. You may not say that both are equal: it could be 0.05 better. See what
# your questions can show, and ask more if 0.05 would matter.
# </details>
# <details><summary>4. Six methods are compared with yours. The best: interval 0.01 to 0.06, p = 0.02 by itself. Is it
# ahead?</summary>
# No. The interval agrees, but after Holm p is 6 · 0.02 = 0.12. Both tests have to agree.
# </details>
# <details><summary>5. You halve the difference that you want to show. How many more questions?</summary>
# Four times as many: the number grows with the square.
# </details>
#
# ## Takeaways
#
# 1. Mark the answer in the text, as spans. Then every chunker and retriever is measured by the same marks.
# 2. Equal tokens, or the table measures length. Here: the mean recall from 500 to 8,000 tokens, and `complete`.
# 3. Pair by question. Ahead or behind only where the interval and the adjusted p agree. Say what so many questions show.
# 4. Ask in your users' words: other words can make another winner.
# 5. Choose on some questions and report on others. Fifty show large differences only.
#
# ## Interview questions
#
# <details><summary>1. A colleague shows that parent-child has a recall@5 of 0.90, flat search 0.70. What do you ask
# first?</summary>
#
# How many tokens each of them puts into the prompt: five parents are several times as long as five children. I'd ask
# for recall at equal tokens, at several budgets, with a paired interval on the same questions. Then whether the
# settings were chosen on these very questions.
# </details>
#
# <details><summary>2. Why mark evidence as spans and not the ids of relevant chunks?</summary>
#
# Ids change with every chunker and parameter, so the labels would have to be made again, and two chunkers could not be
# compared. A chunk label is also all or nothing. Spans survive, and count by character.
# </details>
#
# <details><summary>3. The 95 % intervals of two methods overlap. Is the difference noise?</summary>
#
# Not necessarily. Each interval includes how much questions differ in difficulty, and both methods share that. I'd take
# the difference of each question and look at the interval of its mean. And the other way round: among twenty settings
# one is expected below p = 0.05 by chance, so I adjust, and confirm the winner on fresh questions.
# </details>
#
# ## Further reading
#
# - Smith and Troynikov, *Evaluating Chunking Strategies for Retrieval*, Chroma, 2024:
#   [research.trychroma.com/evaluating-chunking](https://research.trychroma.com/evaluating-chunking)
# - Smucker, Allan and Carterette, *A comparison of statistical significance tests for information retrieval
#   evaluation*, 2007: [doi.org/10.1145/1321440.1321528](https://doi.org/10.1145/1321440.1321528)
# - Holm, *A simple sequentially rejective multiple test procedure*, 1979:
#   [jstor.org/stable/4615733](https://www.jstor.org/stable/4615733). statsmodels has it as
#   `multipletests(p, method="holm")`; SciPy has only false discovery rates.
# - Järvelin and Kekäläinen, nDCG, 2002: [doi.org/10.1145/582415.582418](https://doi.org/10.1145/582415.582418).
#   scikit-learn's `ndcg_score` sees only what was returned; the course's `ndcg` counts missed gold as well.
#
# Next: [04 · Fixed-size chunks](04_fixed_size.ipynb). Back: [02 · Embeddings and the
# store](02_embeddings_and_store.ipynb) · [tour](00_tour.ipynb).
