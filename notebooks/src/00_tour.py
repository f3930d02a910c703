# %% [markdown]
# # 00 · The tour: why hierarchical retrieval exists
#
# **What you will do.** Index the Python language reference three ways, ask it a question whose answer is spread over a
# section, and see which way brings the answer back. Then ask it more than thirty questions and count.
#
# **What you will learn.** Why small chunks find the right place and lose the answer, why large chunks keep the answer
# and lose the place, and how searching small and returning large gets both. And one habit that the whole course
# keeps: compare methods only at the same amount of context.
#
# **What you need.** Nothing but this repository: no network, no API key, no GPU. 15 minutes to read, under two minutes
# to run the first time, seconds after that. Difficulty ★☆☆.

# %%
import tempfile
import warnings
from pathlib import Path

from hierrag_lessons import (
    DATA_DIR,
    MARKDOWN,
    FixedSizeChunker,
    FlatRetriever,
    Index,
    ParentChildRetriever,
    Passage,
    PassageView,
    RecursiveChunker,
    Span,
    TruncationWarning,
    budget_curve,
    budget_curves,
    build_hierarchy,
    check,
    compare,
    count_tokens,
    default_embedder,
    evaluate,
    hint,
    load_questions,
    pack,
    read_python_reference,
    recall,
    side_by_side,
    solution,
    tree_diagram,
)

# %% [markdown]
# ## The text
#
# Every Python carries its own language reference: `help("with")` reads from it. It is real text that nobody wrote for
# a demonstration, and it is already on your machine. The reader turns each topic into one document.

# %%
documents = read_python_reference()
tokens = sum(count_tokens(document.text) for document in documents)
print(
    f"{len(documents)} documents, {sum(len(document.text) for document in documents):,} characters, {tokens:,} tokens"
)
print(", ".join(document.doc_id.removeprefix("python/") for document in documents[:12]), "…")

# %% [markdown]
# A language model can read all of that at once, if you pay for it with every question. Retrieval hands it only the
# part that matters. So two things count: is the evidence in what we hand over, and how many tokens does that cost?
#
# ## A question whose answer is spread over a section
#
# The course has *gold questions*: each comes with the exact passages, as spans of a document, that answer it. Half of
# them, the *dev* questions, are for looking and choosing. The other half stays closed until the final comparison.

# %%
found = load_questions(DATA_DIR / "questions" / "python_reference.jsonl", documents, missing="drop")
questions = [question for question in found if question.split == "dev"]
print(f"{len(questions)} questions; {len(found.dropped)} left out because this Python words their evidence differently")

question = next(question for question in questions if question.id == "py-035")
first, last = question.evidence[0], question.evidence[-1]
section = Span(first.start, last.end)
text = next(document.text for document in documents if document.doc_id == first.doc_id)

print()
print(question.question)
print()
print(
    f"{len(question.evidence)} passages of {first.doc_id}, spread over {count_tokens(text[section.start : section.end])} tokens"
)

# %% [markdown]
# Here is that stretch of the reference. The passages that answer the question are underlined and stand in ⟦ ⟧. Notice
# how far apart they are, and that most of them do not repeat the words of the question.

# %%
PassageView([Passage(first.doc_id, *section, text[section.start : section.end])], question.evidence)

# %% [markdown]
# ## Flat retrieval
#
# The usual recipe has three steps. Cut every document into chunks of 200 tokens. Turn each chunk into a vector with an
# embedding model. Compare the question's vector with all of them, and return the nearest. The index is one folder that
# holds a LanceDB database; the model is all-MiniLM-L6-v2, from a package that was installed with the course.

# %%
embedder = default_embedder("en")
folder = Path(tempfile.mkdtemp())


def make_index(name, chunkers):
    """Cut every document, level by level, and store it; the smallest chunks are embedded and searched."""
    index = Index.create(folder / name, embedder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TruncationWarning)
        index.add(build_hierarchy(document, chunkers) for document in documents)
    print(f"{name}: {index.count(level=index.depth)} chunks are searched")
    for warning in caught:
        print(f"note: {warning.message}")
    return index


flat_200 = FlatRetriever(make_index("flat 200", [FixedSizeChunker(200)]))

# %% [markdown]
# Keep the note in mind; it comes back below. Five chunks of 200 tokens make a context of about 1,000 tokens. What is in
# it?

# %%
BUDGET = 1000

found = pack(flat_200.retrieve(question.question, k=10), BUDGET)
PassageView(found, question.evidence)

# %% [markdown]
# Flat search compares each chunk with the question on its own. A chunk that holds one part of the answer, in words of
# its own, looks no better than a chunk of some other section that happens to use the question's words. So the context
# fills up with pieces from all over the reference, and the answer is not among them.
#
# ## Larger chunks?
#
# Then let the chunks be larger: with 800 tokens a whole section fits into one.

# %%
flat_800 = FlatRetriever(make_index("flat 800", [FixedSizeChunker(800)]))

# %% [markdown]
# The note names the first price of large chunks: this model reads 256 word pieces and ignores the rest. With small
# chunks that happened to a few, full of code; now it happens to most. There is a
# second price, which models with longer inputs pay as well. One vector has to stand for everything in the chunk, and
# the more topics it averages, the less it resembles a question about one of them.
#
# ## Search small, return large
#
# Nothing forces us to return what we search. Cut each document into *parents* of up to 600 tokens, at headings and
# paragraphs, and each parent into *children* of up to 100 tokens. Search the children. Return the parents.
#
# ![A document is cut into four parents, and these into children. Most of the children that were hit lie in the third
# parent, so that parent is returned as a whole.](images/00_small_to_big.svg)

# %%
PARENTS = RecursiveChunker(600, separators=MARKDOWN)
CHILDREN = RecursiveChunker(100, separators=MARKDOWN)

parent_child = ParentChildRetriever(make_index("parent-child", [PARENTS, CHILDREN]))
print(f"{parent_child.index.count(level=1)} parents")

# %% [markdown]
# The children are searched exactly as before. Then each parent is scored by its best child, by the mean of its children
# that were hit, and by the share of its children that were hit: several hits in one section are a sign that the section
# is about the question. Each parent is returned once.

# %%
passages = parent_child.retrieve(question.question, k=3)
for passage in passages:
    title = passage.text.partition("\n")[0]
    print(
        f"{passage.score:.3f}  {passage.doc_id}:{passage.start}-{passage.end}  {len(passage.hits)} children hit  {title}"
    )

# %% [markdown]
# The tree shows the document that the evidence is in. Each row is a level: the document, its parents, their children.
# The marked children are the hits.

# %% mystnb={"image": {"alt": "Three rows of bars for the document python/specialnames: the document, its parents, its children. Some of the children are marked as hits; they lie in several parents."}}
document = next(document for document in documents if document.doc_id == first.doc_id)
hits = [hit for passage in parent_child.retrieve(question.question, k=30) for hit in passage.hits]
tree_diagram(build_hierarchy(document, [PARENTS, CHILDREN]), hits)

# %% [markdown]
# ## Side by side, at the same budget
#
# It would prove nothing to compare three parents with three small chunks: that is several times as much text. So each
# method fills the same context of 1,000 tokens. `pack` takes passages from the best on, never the same character twice,
# and cuts the last one where the budget ends.

# %%
methods = {
    "flat, 200 tokens": flat_200,
    "flat, 800 tokens": flat_800,
    "parent-child, 600 and 100": parent_child,
}
contexts = {name: pack(retriever.retrieve(question.question, k=10), BUDGET) for name, retriever in methods.items()}

for name, context in contexts.items():
    size = sum(count_tokens(passage.text) for passage in context)
    print(f"{name:28} recall {recall(context, question.evidence):.2f}   {size} tokens")

side_by_side(contexts, question.evidence)

# %% [markdown]
# ## One question proves nothing
#
# It was chosen to make a point. So ask every question that has an answer, and look at how much of the evidence is in
# the context: *recall*, the share of gold characters. The table gives each method's mean with a 95 % interval. The
# interval says how far the mean could be off, had we happened to write other questions of the same kind. The last
# columns compare each method with the first one on the same questions.

# %% tags=["scoreboard"]
methods["flat, 100 tokens (the children)"] = FlatRetriever(parent_child.index)
results = {name: evaluate(retriever, questions, budgets=(500, 1000, 2000, 4000)) for name, retriever in methods.items()}

answerable = sum(question.answerable for question in questions)
print(f"{len(questions)} questions on the Python reference, of which {answerable} have an answer; {BUDGET} tokens each")
compare(results, "recall", BUDGET)

# %% tags=["scoreboard"]
print("The same at 4000 tokens")
compare(results, "recall", 4000)

# %% [markdown]
# A budget of 1,000 tokens is one choice. The curve shows all of them, and it is the most important picture of this
# course: how much of the evidence do you get for the context that you pay for?

# %% mystnb={"image": {"alt": "Recall against context tokens from 500 to 4000 for four methods, all rising. Flat 800 is lowest throughout. Parent-child is highest at every budget; its children returned flat lie between it and flat 200 from 1000 tokens on."}}
chart = budget_curves(budget_curve(results))
chart

# %% [markdown]
# Read the two tables and the curve together.
#
# - Large chunks come last at every budget. Half of the model's blindness is in that row: it never reads the second part
#   of a large chunk.
# - Parent-child is ahead of flat chunks of 200 tokens at every budget. At 1,000 tokens the interval of the difference
#   still contains zero, so these questions cannot tell the two apart there. At 4,000 tokens it does not.
# - The last row is the honest check that is usually missing. It returns the children themselves. At 1,000 tokens that is
#   nearly as good as returning their parents: there, most of the gain comes from chunks that are small and cut at
#   paragraphs, and little from the hierarchy.
#
# ## Where does it help, and where not?
#
# The mean hides that questions differ. Split by type, at 1,000 tokens:

# %%
for kind in ("single_fact", "summary", "enumeration", "process"):
    means = "   ".join(f"{name}: {result.mean('recall', BUDGET, type=kind):.2f}" for name, result in results.items())
    print(f"{kind:12} {means}")

# %% [markdown]
# Look at the summaries and the processes first. Their parts stand one after the other in a section, and a parent brings
# what lies between the hits; that is where parents gain on the children that they were found by. On single facts it is
# the other way round: one small chunk is enough, and the parent's other sentences take the place of other candidates.
# A few questions of each type prove nothing yet. But the pattern is one to remember and to test: *return more where the
# answer is spread, less where it is a point*. Later lessons decide it from question to question.
#
# So there must be questions that parent-child loses. Here is the one that it loses most on:

# %%
flat_scores = results["flat, 200 tokens"].scores("recall", BUDGET)
tree_scores = results["parent-child, 600 and 100"].scores("recall", BUDGET)
won = sum(tree_scores[name] > flat_scores[name] for name in flat_scores)
lost = sum(tree_scores[name] < flat_scores[name] for name in flat_scores)
print(
    f"parent-child against flat 200: better on {won} questions, worse on {lost}, equal on {len(flat_scores) - won - lost}"
)

worst = min(flat_scores, key=lambda name: (tree_scores[name] - flat_scores[name], name))
lost_question = next(question for question in questions if question.id == worst)
print()
print(lost_question.question)
print(f"flat 200: {flat_scores[worst]:.2f}, parent-child: {tree_scores[worst]:.2f}")
for passage in pack(parent_child.retrieve(lost_question.question, k=10), BUDGET):
    print(f"  {passage.doc_id}:{passage.start}-{passage.end}, {count_tokens(passage.text)} tokens")
print("the evidence:")
for evidence in lost_question.evidence:
    print(f"  {evidence.doc_id}:{evidence.start}-{evidence.end}")

# %% [markdown]
# Two large parents took all the room. They are the right document and the wrong sections: the evidence lies between them
# and just behind. Small chunks reached more places with the same number of tokens. Also look back at the three parents
# printed above: two documents of one short section came first, because their only child was hit, which counts as full
# coverage. Scoring parents is a choice with consequences, and [lesson 03](03_measuring_retrieval.ipynb) gives you the
# means to judge it.
#
# ## The one idea
#
# Everything above was a *span*: a range of positions in a text that never changes. A chunk is a span. A parent is a
# span that contains others. A retrieved passage, the gold evidence and the packed context are spans, and recall is the
# overlap of two of them. A sentence window, which comes later, is a span grown to its neighbours; auto-merging replaces
# the children's spans by the parent's. Whoever sees that can guess the rest of the course.

# %%
child = passages[-1].hits[0].node
parent = parent_child.index.parents([child])[0]
print(f"child   {child.doc_id}[{child.start}:{child.end}]")
print(f"parent  {parent.doc_id}[{parent.start}:{parent.end}]")
text = next(document.text for document in documents if document.doc_id == child.doc_id)
print(text[child.start : child.end] == child.text, text[parent.start : parent.end] == parent.text)

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
def best_parents(hits: list[tuple[str, float]], parent_of: dict[str, str], k: int) -> list[str]:
    """The ``k`` best parents, best child first, each once. Ties between children go to the smaller name."""
    ranked = sorted(hits, key=lambda hit: (-hit[1], hit[0]))
    return [parent_of[child] for child, _ in ranked[:k]]


check("00.1", best_parents)

# %% tags=["solution"]
# solution: 00.1


check("00.1", best_parents)

# %% [markdown]
# ### Exercise 00.2 · Which parent?
#
# ★☆☆ · 5 minutes. A hierarchy is spans inside spans. Given a child and a list of parents, find the parent that it lies
# in. Spans are half-open: `Span(0, 5)` holds the positions 0 to 4.


# %% tags=["exercise"]
def find_parent(child: Span, parents: list[Span]) -> int | None:
    """The position in ``parents`` of the first span that ``child`` lies in as a whole, ``None`` where there is none."""
    return ...


check("00.2", find_parent)

# %% tags=["solution"]
# solution: 00.2


check("00.2", find_parent)

# %% [markdown]
# ## Takeaways
#
# 1. A small chunk has a sharp vector and half an answer; a large chunk has the answer and a blurred vector.
# 2. Search small, return large: the children find the place, the parent brings the text around it.
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
