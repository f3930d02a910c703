# %% [markdown]
# # 25 · Production
#
# A well-known study note on hierarchical RAG does the sum that every team has to do. Five parents of 1,500 tokens, the
# instructions and the question make about 8,000 tokens. At $3 for a million tokens that is $0.024 a question. 10,000
# questions a day for 30 days: **$7,200 a month**. The sum is right.
#
# Then the note gives four ways to save. One of them is free of any loss: *prompt caching*. The provider keeps what was
# sent before, and reads it again for a tenth of the price. "Saves 80 %", says the note: the system prompt and the
# frequent parents come again and again. Do they? Here are the prompts for the course's own questions:

# %%
from contextlib import ExitStack
from statistics import mean

from hierrag_lessons import HybridRetriever, Passage, count_tokens, course_hierarchy, course_questions, temporary_index

stack, asked, index, found = ExitStack(), {}, {}, {}  # the stack keeps the indexes until the kernel ends
for name in ("en", "zh"):
    documents, questions = course_questions(name)  # dev questions, in users' words
    asked[name] = [question for question in questions if question.answerable]
    index[name] = stack.enter_context(temporary_index(course_hierarchy(document) for document in documents))
    flat = HybridRetriever(index[name], level=3, fusion="z_score", candidates=2000)
    found[name] = flat.retrieve_batch([question.question for question in asked[name]], 100)


def five(name, level):
    """The first five nodes of a level that the best leaves of each question lie in."""
    above = index[name].lineages([p.hits[0].node for passages in found[name] for p in passages], level)
    lists = []
    for passages in found[name]:
        own = {}
        for p in passages:
            node = above[p.hits[0].node.node_id][-1].parent
            own.setdefault(node.node_id, Passage(node.doc_id, *node.span, node.text, node.context, p.score, p.hits))
        lists.append(list(own.values())[:5])
    return lists


parts = {name: five(name, 1) for name in asked}  # five parts of at most 2,000 tokens
before, again, total = set(), 0, 0
for passages in parts["en"]:
    for p in passages:
        again += count_tokens(p.text) if (p.doc_id, p.span) in before else 0
        total += count_tokens(p.text)
    before |= {(p.doc_id, p.span) for p in passages}
print(f"{again / total:.0%} of the passages' tokens were sent before; at a tenth of the price: {0.9 * again / total:.0%}")

# %%
from hierrag_lessons import render, shared_prefixes

RULES = "You answer questions about a company's documents. Use only the passages below, and cite each one that you use."


def saved(lists):
    """The share of the bill for reading that a cache saves, at most."""
    texts = [question.question for question in asked["en"]]
    prompts = [f"{RULES}\n\n{render(own).text}\n\nQuestion: {q}" for own, q in zip(lists, texts, strict=True)]
    kept = [tokens for tokens in shared_prefixes(prompts) if tokens >= 1024]
    return 0.9 * sum(kept) / sum(map(count_tokens, prompts)), len(kept)


share, prompts = saved(parts["en"])
print(f"the rules have {count_tokens(RULES)} tokens; {prompts} of {len(asked['en'])} prompts find 1,024 or more kept")
print(f"saved: {share:.1%}, so $7,200 becomes ${7200 * (1 - share):,.0f}")

# %% [markdown]
# 84 % of the text was sent before. The cache saves 7 %. Nothing is broken. **A prompt cache keeps beginnings.** It compares
# from the first token on, and at the first token that differs it is over. The rules are the same each time: 25 tokens.
# Then comes the best passage of *this* question. Whatever follows is read at the full price, even if the cache has seen
# all of it in another place. And providers keep no beginning under about 1,000 tokens.
#
# Most of production is like this. A number is plausible, nobody measured it, and no error is raised.
#
# **You will** compute a bill from its parts; measure four ways to save and what each one loses; reproduce eight pitfalls,
# each with a detector; change documents, models and permissions without an outage; and notice when something has changed.
#
# **You learn** what to pay for and what to leave out, which alarms mean something, and what to do on the first Monday.
#
# **You need** lessons [03](03_measuring_retrieval.ipynb) (verdicts), [14](14_parent_child.ipynb),
# [15](15_auto_merging.ipynb) (merging) and [20](20_every_level_speaks.ipynb). {{minutes}}, medium (★★☆). No network, no
# API key.
#
# {{map}}
#
# The way through: [the bill](#The-bill), [four ways to save](#Four-ways-to-save), [eight pitfalls](#Eight-pitfalls),
# [time and space](#Time-and-space), [changes](#When-things-change), [watching](#Watching),
# [one file](#One-file), [the first Monday](#The-first-Monday), [exercises](#Exercises).
#
# ## The bill
#
# ![Two prompts, one above the other. Both begin with the rules, 25 tokens. Then the first has passages A, B and C, the
# second has D, A and B. The cache matches the rules and ends where A and D differ. A and B stand in the second prompt as
# well, further on, and are paid for in full.](images/25_production.svg)
#
# A bill has few parts: tokens that are read for the first time, tokens that are read from the cache, tokens that are
# written, questions a day. By hand, for reading alone:

# %%
from hierrag_lessons import Prices, Table, Workload, constant_share

DOLLARS = Prices(new=3, cached=0.3, written=15)  # for a million tokens


def month(constant, rest, least=1024):
    """Dollars for 10,000 questions a day, 30 days, when the first ``constant`` tokens are always the same."""
    cached = constant if constant >= least else 0
    return 300_000 * (cached * DOLLARS.cached + (constant - cached + rest) * DOLLARS.new) / 1_000_000


lines = []
for what, constant, rest in (
    ("as published", 25, 7_975),
    ("rules of 500", 500, 7_500),
    ("rules and examples of 1,500", 1_500, 7_500),
    ("the same, 1,500 of passages", 1_500, 1_500),
    ("a whole document of 20,000", 20_000, 100),
):
    bill, full = month(constant, rest), (constant + rest) * 0.9
    work = Workload(constant=constant, context=rest, question=0, answer=0)
    assert round(work.monthly(DOLLARS), 6) == round(bill, 6), "the package's model says the same"
    lines.append((what, f"{constant / (constant + rest):.0%}", f"${full:,.0f}", f"${bill:,.0f}", f"{1 - bill / full:.0%}"))
print(f"to save 80 %, {constant_share(0.8):.0%} of the prompt must be constant")
Table(("prompt", "constant", "no cache", "with cache", "saved"), tuple(lines), "a month, reading only")

# %% [markdown]
# To save 80 %, 89 % of the prompt has to be the same each time. RAG is the opposite: the passages are most of the prompt,
# and they differ. Caching pays where the beginning is long: many examples, long rules, tools (lesson 22), a conversation
# that goes on, one document that is sent whole. It loses nothing, so **switch it on**. But do not count on it.
#
# "And if the frequent parents come first, in a fixed order?" Then beginnings are alike more often. That can be tried:

# %%
from collections import Counter

often = Counter((p.doc_id, p.span) for passages in parts["en"] for p in passages)
ordered = [sorted(own, key=lambda p: (-often[p.doc_id, p.span], p.doc_id, p.start)) for own in parts["en"]]
print(f"frequent parents first: {saved(ordered)[0]:.1%} saved, best passage first: {share:.1%}")

# %% [markdown]
# A quarter. It is the most that could be had: the frequencies are counted on the same questions, the cache never forgets,
# and 156 questions on 75 documents meet more often than yours will. And the best passage no longer comes first.
#
# So the passages are the bill. Can there be fewer?
#
# ## Four ways to save
#
# The note's other three ways shorten the passages. (1) **A lower level:** sections of 600 tokens, not parts of 2,000. (2)
# **A summary** of at most 300 tokens in place of each part. (3) **Head and tail:** the first and the last 150 tokens, the
# middle left out. The summary here is made of sentences (lesson 16), without a look at the question, as a summary is that
# is written when a document is added. A written one can hold more. It was not measured.
#
# Beside them stands what the course would do: not to shorten, but to **pack fewer small pieces**. Flat search fills the
# budget with leaves, every level (lesson 20) with sentences.

# %%
from hierrag_lessons import MultiLevelRetriever, Result, evaluate, head_and_tail, make_units, pack, sum_up, verdicts


class Known:
    """What was found before, as a retriever."""

    def __init__(self, questions, lists):
        self.lists = dict(zip([question.question for question in questions], lists, strict=True))

    def retrieve_batch(self, queries, k=5):
        return [self.lists[query][:k] for query in queries]


def measured(lists, budgets):
    results = [evaluate(Known(asked[name], lists[name]), asked[name], budgets, k=200) for name in asked]
    return Result(tuple(row for result in results for row in result.rows))


def shorten(by):
    """Each part shortened, once."""
    kept = {}
    for name in asked:
        for p in (p for passages in parts[name] for p in passages):
            if (name, p.doc_id, p.span) not in kept:
                kept[name, p.doc_id, p.span] = by(p, name)
    return {n: [[x for p in own for x in kept[n, p.doc_id, p.span]] for own in parts[n]] for n in asked}


every = {}
for name in asked:
    documents, _ = course_questions(name)
    units = stack.enter_context(temporary_index(make_units(course_hierarchy(d)) for d in documents))
    every[name] = MultiLevelRetriever(units).retrieve_batch([question.question for question in asked[name]], 200)

ROOM = (16_000,)  # more than any of these needs
ways = {
    "5 parts, as they are": parts,
    "5 sections": {name: five(name, 2) for name in asked},
    "5 summaries of 300": shorten(lambda p, name: sum_up(p, 300, name)),
    "5 heads and tails of 300": shorten(lambda p, name: head_and_tail(p, 300)),
}
for budget in (1500, 2000):
    ways[f"flat, {budget:,} tokens"] = {n: [pack(own, budget) for own in found[n]] for n in asked}
    ways[f"every level, {budget:,} tokens"] = {n: [pack(own, budget) for own in every[n]] for n in asked}
results = {way: measured(lists, ROOM) for way, lists in ways.items()}
lines = []
for way, result in results.items():
    tokens = result.mean("context_tokens", ROOM[0])
    lines.append((way, f"{tokens:,.0f}", f"${month(0, tokens):,.0f}", result.mean("recall", ROOM[0])))
print(verdicts(results, "complete"), "\n")
Table(("what is sent", "tokens", "a month", "recall"), tuple(lines), f"{len(asked['en']) + len(asked['zh'])} questions")

# %% [markdown]
# (`complete`: the share of questions with at least 95 % of their evidence in the context.)
#
# - **Summaries, and heads and tails, destroy the answers.** Three in five are complete with the parts, one in ten with
#   these. Nobody knew the question when the sentences were chosen.
# - **Sections** cost less than half and lose 8 points of complete answers (5 to 11).
# - **Leaves for the same tokens as the summaries** (1,500) keep most: 0.55. They are slightly behind the parts.
# - **Every level with 2,000 tokens** costs half. No difference shown in complete answers (4 points fewer to 6 more), and
#   recall is 0.88 for 0.85.
#
# "No difference shown" is not "no loss". With 1,500 tokens it could still be 9 points fewer. How much you may lose is a
# decision, and [exercise 25.2](#Exercises) makes it a rule. All of them at once, over the tokens:

# %% tags=["hide-input"]
from hierrag_lessons import drawing

steps = (500, 1000, 1500, 2000, 3000, 4000)
curves = {"flat": (measured(found, steps), "#0072b2", "s"), "every level": (measured(every, steps), "#007a5a", "o")}
with drawing(4.2, width=8.0) as (figure, [axes]):
    told, numbers = [], []
    for what, (result, colour, mark) in curves.items():
        values = [result.mean("complete", step) for step in steps]
        used = [result.mean("context_tokens", step) for step in steps]
        axes.plot(used, values, marker=mark, color=colour)
        axes.annotate(what, (used[-1] + 60, values[-1]), color=colour, va="center")
        told.append(f"{what}: {', '.join(f'{value:.2f}' for value in values)} at {', '.join(map(str, steps))} tokens")
        numbers += [(what, round(x), y) for x, y in zip(used, values, strict=True)]
    for way in list(ways)[:4]:
        x, y = results[way].mean("context_tokens", ROOM[0]), results[way].mean("complete", ROOM[0])
        axes.plot(x, y, "D", color="#d55e00", markersize=8)
        below = way in ("5 sections", "5 parts, as they are", "5 heads and tails of 300")
        axes.annotate(way, (x + 60, y - 0.03 if below else y - 0.055), color="#d55e00", va="center")
        told.append(f"{way}: {y:.2f} at {x:.0f} tokens")
        numbers.append((way, round(x), y))
    axes.set(xlabel="tokens of passages a question", ylabel="complete answers", xlim=(0, 4900), ylim=(0, 1))
    axes.grid(visible=True)
    figure.numbers = Table(("what is sent", "tokens", "complete"), tuple(numbers))
    figure.alt = "Complete answers over the tokens of passages, both languages. " + "; ".join(told) + "."
figure

# %% [markdown]
# The curves are pieces that fit the question, the diamonds are shortened parts. **What is cut without a look at the
# question is far below the curve. So choose small pieces, and stop earlier.** Where it loses: with 1,000 tokens every level
# is behind the five parts, at a quarter of the price. There is no free half below that.
