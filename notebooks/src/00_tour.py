# %% [markdown]
# # 00 · The tour: why hierarchical retrieval exists
#
# Somebody asks your assistant:
#
# > **What are the three research and development priorities, and what does each cost?**
#
# The answer is in the annual report of Northmere, a maker of electricity meters: three sections, one after the other. A
# standard retriever searches the archive and hands the language model 2,000 tokens. The names of the three projects are
# there, and **one** of the three costs. Give it twice the room, and it is still one. The model will answer all the same.
#
# This tour shows why that happens and repairs it in one step. Then it asks what most demonstrations leave out: *was that
# luck?*
#
# **What you will do.** Index 75 documents in three ways, see the failure and the repair, then count on 81 questions.
#
# **What you will learn.** Why small pieces find the place and lose the answer. Why large pieces keep the answer and lose
# the place. Why methods must be compared at the same amount of text.
#
# **What you need.** Only this repository: no network, no API key, no GPU. Difficulty ★☆☆. The first run embeds the texts,
# which takes some minutes; later runs take seconds.

# %%
from contextlib import ExitStack

from hierrag_lessons import (
    MARKDOWN,
    Evidence,
    FixedSizeChunker,
    FlatRetriever,
    ParentChildRetriever,
    PassageView,
    RecursiveChunker,
    Table,
    budget_curve,
    budget_curves,
    build_hierarchy,
    compare,
    count_tokens,
    course_set,
    evaluate,
    pack,
    recall,
    side_by_side,
    temporary_index,
    tree_diagram,
)

# %% [markdown]
# ## The archive
#
# The texts were written for this course: the annual report of a maker of electricity meters, a law, a call with
# investors, a research paper, a handbook, support tickets, news. Names, numbers and topics come back in several of them,
# as in any company.

# %%
documents, questions = course_set("en")
tokens = sum(count_tokens(document.text) for document in documents)
print(
    f"{len(documents)} documents, {sum(len(document.text) for document in documents):,} characters, {tokens:,} tokens"
)

report = next(document for document in documents if document.doc_id == "en/annual_report")
start = report.text.index("#### Edge analytics in the meter")
end = report.text.index("### Intellectual Property")
print(report.text[start : start + 700], "…")

# %% [markdown]
# That is the beginning of the place. To measure whether a retriever brings the answer, we say exactly where it is: a
# sentence for each cost. Such a place is called *gold evidence*. It is a range of positions in a text.
#
# There is a second way to be right. In the call with investors, the head of technology says all three costs in one
# sentence. Whoever finds that has the answer as well, so it counts.

# %%
QUESTION = "What are the three research and development priorities, and what does each cost?"
COSTS = {
    "Kestrel": "Spending on Kestrel was $52.6 million in fiscal 2025",
    "Bastion": "We spent $31.8 million on Bastion in fiscal 2025",
    "Heron": "Heron cost $39.1 million in fiscal 2025",
}
IN_THE_CALL = "Yes, $31.8 million, against $39.1 million for Heron and $52.6 million for Kestrel."
call = next(document for document in documents if document.doc_id == "en/earnings_call")


def place(document, sentence):
    """Where a sentence begins and ends in its document."""
    found = document.text.index(sentence)
    return Evidence(document.doc_id, found, found + len(sentence))


gold = {name: place(report, sentence) for name, sentence in COSTS.items()}
also = place(call, IN_THE_CALL)
for name, piece in gold.items():
    print(f"{name:8} {piece.doc_id}, characters {piece.start:,} to {piece.end:,}")
print(f"or all   {also.doc_id}, characters {also.start:,} to {also.end:,}")
print(f"the three sections of the report together: {count_tokens(report.text[start:end])} tokens")

# %% [markdown]
# ## Flat retrieval
#
# The usual recipe has three steps. Cut every document into chunks of 200 tokens. Turn each chunk into a vector with an
# embedding model. Compare the question with all of them, and return the nearest.
#
# We give it the help that a professional would: *hybrid* search, which looks for meaning (vectors) and for words (BM25)
# and joins the two rankings. The index is a folder with a LanceDB database. The model, all-MiniLM-L6-v2, came with the
# installation.

# %%
stack = ExitStack()


def make_index(*chunkers):
    """Cut every document, level by level, and store it; the smallest chunks are embedded and searched."""
    index = stack.enter_context(temporary_index(build_hierarchy(document, chunkers) for document in documents))
    print(f"{index.count(level=index.depth)} chunks are searched")
    return index


flat_200 = FlatRetriever(make_index(FixedSizeChunker(200)), mode="hybrid")

# %% [markdown]
# What does the language model get to read? `pack` takes passages from the best on, until the budget is full.

# %%
BUDGET = 2000


def costs_in(passages):
    """The projects whose cost is in the passages, in the report or in the call."""
    return [name for name, piece in gold.items() if recall(passages, [piece]) == 1 or recall(passages, [also]) == 1]


context = pack(flat_200.retrieve(QUESTION, k=60), BUDGET)
print("costs in the context:", costs_in(context))
PassageView(context, [*gold.values(), also])

# %% [markdown]
# One of three.
#
# Each chunk was compared with the question on its own. The sections on Kestrel and Bastion talk about forecasts and
# signatures. They hardly use the words of the question, so each of them looks no better than any page of the archive.
#
# Does more room help?

# %%
for budget in (500, 1000, 2000, 4000):
    print(f"{budget:5} tokens: {costs_in(pack(flat_200.retrieve(QUESTION, k=60), budget))}")

# %% [markdown]
# No. Not even at 4,000 tokens.
#
# ## Larger chunks?
#
# Then let the chunks be larger. With 800 tokens, most of the place fits into one.

# %%
flat_800 = FlatRetriever(make_index(FixedSizeChunker(800)), mode="hybrid")
for budget in (500, 1000, 2000, 4000):
    print(f"{budget:5} tokens: {costs_in(pack(flat_800.retrieve(QUESTION, k=60), budget))}")

# %% [markdown]
# No better up to 2,000 tokens. There are two reasons. This model reads the first 256 word pieces of a text and ignores the
# rest, so it never sees most of a large chunk. And one vector has to stand for everything in the chunk: the more topics it
# averages, the less it looks like a question about one of them. The first reason goes away with a model that reads more.
# The second stays.
#
# ## Search small, return large
#
# Nobody says that we must return what we search. Cut each document into *parents* of at most 600 tokens, at headings and
# paragraphs. Cut each parent into *children* of at most 100 tokens. Search the children. Return the parents.
#
# ![A document is cut into four parents, and these into children. Most of the children that were hit lie in the third
# parent, so that parent is returned as a whole.](images/00_small_to_big.svg)

# %%
PARENTS = RecursiveChunker(600, separators=MARKDOWN)
CHILDREN = RecursiveChunker(100, separators=MARKDOWN)

parent_child = ParentChildRetriever(make_index(PARENTS, CHILDREN), mode="hybrid", coverage=0)
print(f"{parent_child.index.count(level=1)} parents")
for budget in (500, 1000, 2000, 4000):
    print(f"{budget:5} tokens: {costs_in(pack(parent_child.retrieve(QUESTION, k=60), budget))}")

# %% [markdown]
# All three, with 2,000 tokens. How did it find what the others missed? The tree shows the report: the whole, its parents,
# their children. The marked children are the hits.

# %%
hits = [hit for passage in parent_child.retrieve(QUESTION, k=10) for hit in passage.hits]
tree_diagram(build_hierarchy(report, [PARENTS, CHILDREN]), hits)

# %% [markdown]
# A parent is scored by its best child and by the mean of its children that were hit. Here are the parents of the report
# that came first, each with the child that found it:

# %%
for passage in parent_child.retrieve(QUESTION, k=6):
    if passage.doc_id == report.doc_id:
        print(f"{passage.score:.2f}  {passage.text.partition(chr(10))[0]}")
        print(f"      found by: {passage.hits[0].node.text[:150]}")

# %% [markdown]
# Look at what found the section on mesh radio: "These three priorities together took …". And what found the section on
# research and development: its heading, among others. These lines have the words of the question, and no answer. They
# stand beside the answer. This is the whole trick: **what matches a question is often a neighbour of what answers it.**
# Search finds the first, the parent brings the second.
#
# ## Side by side, in the same room
#
# It would prove nothing to compare five parents with five small chunks: that is several times as much text, and more text
# holds more of any answer. So each method fills the same 2,000 tokens.

# %%
methods = {
    "flat, 200 tokens": flat_200,
    "flat, 800 tokens": flat_800,
    "parent-child, 600 and 100": parent_child,
}
contexts = {name: pack(retriever.retrieve(QUESTION, k=60), BUDGET) for name, retriever in methods.items()}

for name, context in contexts.items():
    size = sum(count_tokens(passage.text) for passage in context)
    print(f"{name:28} {len(costs_in(context))} of 3 costs   {size} tokens")

side_by_side(contexts, [*gold.values(), also])

# %% [markdown]
# ## Was that luck?
#
# A demonstration ends here. It was one question, and it was chosen to make a point. The course has questions on these
# texts with gold evidence for each. Half of them, the *dev* questions, are for looking and choosing; the others stay
# closed until the end. So ask them all, and look at how much of the evidence arrives: *recall*, the share of the gold
# characters that are in the context.
#
# The interval behind a mean says how far it could be off, had we happened to write other questions of the same kind. The
# last columns compare each method with the first one on the same questions.

# %% tags=["scoreboard"]
methods["flat, the 100-token children"] = FlatRetriever(parent_child.index, mode="hybrid")
results = {name: evaluate(retriever, questions, budgets=(500, 1000, 2000, 4000)) for name, retriever in methods.items()}

answerable = sum(question.answerable for question in questions)
print(f"{len(questions)} dev questions on the English texts, of which {answerable} have an answer; 500 tokens each")
compare(results, "recall", 500)

# %% tags=["scoreboard"]
print("The same with 4,000 tokens")
compare(results, "recall", 4000)

# %% [markdown]
# Two budgets are two choices. The curve shows all of them. It is the most important picture of this course: how much of
# the evidence do you get for the context that you pay for?

# %%
chart = budget_curves(budget_curve(results))
chart

# %% [markdown]
# Read it as someone who has to build something:
#
# - **With 500 tokens, parent-child is behind flat search.** One parent fills the whole context. If it is the wrong one,
#   all is lost.
# - **With 4,000 tokens, no difference is shown.** Parent-child has the higher mean. But the interval of the difference
#   contains zero, and it could be up to 0.1 better.
# - **Large flat chunks are behind with 500 tokens**, and with 4,000 no difference is shown.
#
# So the demonstration was true, and it was not typical. That is no reason to stop. It is the reason for this course: *when*
# does it pay to return more, *how much* more, and what wins on average, too?
#
# ## Where does it help, and where not?
#
# A mean hides that questions differ. Here they are by type, with 4,000 tokens:

# %%
rows = []
for kind in ("single_fact", "summary", "enumeration", "process", "dialogue"):
    count = sum(question.type == kind for question in questions)
    rows.append((kind, count, *(result.mean("recall", 4000, type=kind) for result in results.values())))
Table(("type", "questions", *results), tuple(rows), "recall at 4,000 tokens")

# %% [markdown]
# A process is a row of steps that stand one after the other. A parent brings them all. A single fact is one sentence, and
# a parent pays for its neighbours. There are fewer than 20 questions of each type, so this proves nothing yet. But it is a
# pattern to remember and to test: *return more where the answer is spread over one place, less where it is a point*.
#
# There must be questions that parent-child loses. This is the one that it loses most on, with 2,000 tokens:

# %%
flat_scores = results["flat, 200 tokens"].scores("recall", BUDGET)
tree_scores = results["parent-child, 600 and 100"].scores("recall", BUDGET)
won = sum(tree_scores[name] > flat_scores[name] for name in flat_scores)
lost = sum(tree_scores[name] < flat_scores[name] for name in flat_scores)
print(f"parent-child: better on {won} questions, worse on {lost}, equal on {len(flat_scores) - won - lost}")

worst = min(flat_scores, key=lambda name: (tree_scores[name] - flat_scores[name], name))
lost_question = next(question for question in questions if question.id == worst)
print()
print(lost_question.question)
print(f"recall: flat 200 {flat_scores[worst]:.2f}, parent-child {tree_scores[worst]:.2f}")
for name in ("flat, 200 tokens", "parent-child, 600 and 100"):
    packed = pack(methods[name].retrieve(lost_question.question, k=40), BUDGET)
    wanted = {piece.doc_id for piece in lost_question.evidence}
    right = [passage for passage in packed if recall([passage], lost_question.evidence) > 0]
    print(f"{name:28} {len(packed)} passages, {len(right)} of them with evidence")

# %% [markdown]
# A few large passages against many small ones. Small chunks reach more places with the same number of tokens. Where the
# evidence is a sentence here and a sentence there, more places win.
#
# ## The one idea
#
# Everything above was a *span*: a range of positions in a text that never changes. A chunk is a span. A parent is a
# span that contains others. A retrieved passage, the gold evidence and the packed context are spans, and recall is how far
# two of them overlap. A sentence window, which comes later, is a span grown to its neighbours. Auto-merging replaces the
# children's spans by the parent's. If you have understood that, you can guess the rest of the course.

# %%
best = parent_child.retrieve(QUESTION, k=1)[0]
child = best.hits[0].node
parent = parent_child.index.parents([child])[0]
text = next(document.text for document in documents if document.doc_id == child.doc_id)
print(f"child   {child.doc_id}[{child.start}:{child.end}]")
print(f"parent  {parent.doc_id}[{parent.start}:{parent.end}]")
print(text[child.start : child.end] == child.text, text[parent.start : parent.end] == parent.text)
stack.close()

# %% [markdown]
# ## Exercises
#
# `check` says whether an answer is right and, if not, shows the first input that it fails on. `hint("00.1")` gives a
# hint, `solution("00.1")` shows a solution. The exercises of the tour are small, so that you meet the machinery.
#
# ### Exercise 00.1 · Three results that are one
#
# ★☆☆ · 5 minutes. Find the bug. In much published code the children are joined with their parents and the first *k* rows
# are returned, as here. Two children of one parent then return that parent twice, and three results can be one.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def best_parents(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    """The ``k`` best parents, best child first, each once. Ties between children go to the smaller name."""
    ranked = sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    return [parent_of[child] for child, _ in ranked[:k]]


check("00.1", best_parents)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 00.1


check("00.1", best_parents)

# %% [markdown]
# ### Exercise 00.2 · Which parent?
#
# ★☆☆ · 5 minutes. A hierarchy is spans inside spans. Given a child and a list of parents, find the parent that it lies
# in. Spans are half-open: `Span(0, 5)` holds the positions 0 to 4.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def find_parent(child: Span, parents: list[Span]) -> int | None:
    """The position in ``parents`` of the first span that ``child`` lies in as a whole, ``None`` where there is none."""
    return ...


check("00.2", find_parent)

# %% tags=["solution"]
from hierrag_lessons import Span, check

# solution: 00.2


check("00.2", find_parent)

# %% [markdown]
# ## Takeaways
#
# 1. A small chunk has a sharp vector and half an answer; a large chunk has the answer and a blurred vector.
# 2. Search small, return large: the children find the place, the parent brings the text around it. It helps where the
#    answer is spread over one place; with little room it costs more than it brings.
# 3. Compare methods at the same context budget, or the one that returns more text wins.
# 4. One question is an anecdote. Use many, give the interval, and look at the types of question.
# 5. Chunks, parents, passages and evidence are all spans of one text.
#
# ## Interview questions
#
# <details><summary>Why not simply use larger chunks?</summary>
#
# One vector then stands for several topics and resembles a question about any one of them less. Models also read only a
# limited input: the one used here ignores everything after 256 word pieces. And a large chunk spends the context on text
# that the question is not about.
#
# </details>
#
# <details><summary>A colleague shows that parent-child retrieval has a higher recall than flat retrieval, both with the top
# five results. What do you ask?</summary>
#
# How many tokens each of them returned. Five parents are several times as much text as five children, and more text
# contains more evidence whatever the method. Compare at the same context budget, on the same questions, with an interval.
#
# </details>
#
# <details><summary>When does returning parents hurt?</summary>
#
# When the answer is one sentence and the budget is small: the parent fills the context with its other sentences, and fewer
# different places fit. Also when the evidence lies in many sections, because each parent costs a large part of the budget.
#
# </details>
#
# ## Further reading
#
# - Sarthi et al., [RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval](https://arxiv.org/abs/2401.18059), 2024
# - Lewis et al., [Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks](https://arxiv.org/abs/2005.11401), 2020
# - Smith and Troynikov, [Evaluating Chunking Strategies for Retrieval](https://research.trychroma.com/evaluating-chunking), 2024
#
# **Next:** [01 · Spans and tokens](01_spans_and_tokens.ipynb)
