# %% [markdown]
# # 18 · Coarse to fine
#
# **You will** build the levels of two laws from their headings; search them from the top down, Title, Article,
# paragraph; watch a published shortcut return holes; look at each level's decision; and measure what the top levels
# lose.
#
# **You learn** how one level's results become the next one's filter; why a filter must act before the search and not
# after it; what a threshold does; the error cascade, which is this method's main weakness; and when it is worth it.
#
# **You need** [lesson 02](02_embeddings_and_store.ipynb) (index and filters) and
# [lesson 07](07_structure.ipynb) (headings). 20 minutes, medium (★★☆), four exercises. No network, no API key.
#
# The way through: [levels from headings](#Levels-from-headings), [the wrong Article](#The-wrong-Article), [the
# idea](#The-idea), [the shortcut](#The-shortcut-and-its-holes), [the repair](#The-repair), [the
# configuration](#The-configuration), [beside LanceDB](#Beside-LanceDB), [the error cascade](#The-error-cascade), [how
# many to keep](#How-many-to-keep?), [measured](#Measured), [parameters](#Parameters), [exercises](#Exercises).

# %%
import re
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import takewhile
from statistics import mean

import lancedb
from lancedb.expr import col, lit

from hierrag_lessons import (
    Chunk,
    CoarseToFineRetriever,
    CoarseToFineView,
    FlatRetriever,
    IndexLevel,
    LevelConfig,
    PassageView,
    Table,
    blocks_within,
    budget_curve,
    budget_curves,
    build_hierarchy,
    compare,
    count_tokens,
    course_hierarchy,
    course_set,
    drawing,
    largest_changes,
    paired_difference,
    recall,
    score_retrievers,
    subtract,
    temporary_index,
)

stack = ExitStack()  # keeps the indexes of this lesson until the kernel ends
corpora = {language: course_set(language) for language in ("en", "zh")}

# %% [markdown]
# ## Levels from headings
#
# A law has its levels printed in it. `# Title I`, `### Article 3`, and in an Article numbered paragraphs, `(1)`. The
# Chinese regulation has 编, 条 and unnumbered paragraphs, 款. The structure chunker of lesson 07 would merge and divide
# them by size. Here the levels shall be exactly the author's, so the chunker has a single rule: **a chunk begins
# before each block that matches a pattern**. Headings alone are not a chunk: a heading stays with what follows it.


# %%
@dataclass(frozen=True)
class CutBefore:
    """Chunks that begin before each block whose text matches a pattern; their context is the shared heading path."""

    pattern: str

    def chunk(self, document, within=None):
        groups = []
        for block in blocks_within(document, within or document.span):
            opens = re.match(self.pattern, document.text[block.start : block.end])
            if not groups or (opens and any(b.kind != "heading" for b in groups[-1])):
                groups.append([])
            groups[-1].append(block)
        return [self._chunk(document, blocks) for blocks in groups]

    def _chunk(self, document, blocks):
        start, end = blocks[0].start, blocks[-1].end
        paths = [block.path for block in blocks if block.kind != "heading"] or [blocks[0].path]
        shared = [titles[0] for titles in takewhile(lambda titles: len(set(titles)) == 1, zip(*paths, strict=False))]
        return Chunk(document.doc_id, start, end, document.text[start:end], " › ".join(shared[-3:]))


# %% [markdown]
# Now one pattern for each level of each law, from the top down. A hierarchy runs each chunker inside the pieces of the one
# before; `searched` says which levels get vectors:

# %%
LEVELS = {
    "en/transparency_act": ["# (Title|Annex)|## Recitals", "### Article|## Table", r"\(\d+\)"],
    "zh/expense_regulation": ["## ", r"\*\*第.+条", r"[^（|]"],  # an item （一） or a table does not begin a paragraph
}
NAMES = ("title", "article", "paragraph")
laws = {
    document.doc_id: document
    for documents, _ in corpora.values()
    for document in documents
    if document.doc_id in LEVELS
}
trees = {doc_id: build_hierarchy(law, [CutBefore(p) for p in LEVELS[doc_id]]) for doc_id, law in laws.items()}
trees = {doc_id: replace(tree, searched=frozenset({1, 2, 3})) for doc_id, tree in trees.items()}

# %% [markdown]
# How many nodes there are, how large the largest is, and whether any character fell between two of them:

# %%
lines = []
for doc_id, tree in trees.items():
    for level, name in enumerate(NAMES, start=1):
        nodes = tree.levels[level]
        gaps = subtract(laws[doc_id].span, [node.span for node in nodes])
        lost = sum(not c.isspace() for gap in gaps for c in laws[doc_id].text[gap.start : gap.end])
        sizes = [count_tokens(node.text) for node in nodes]
        lines.append((doc_id, name, len(nodes), mean(sizes), max(sizes), lost))
Table(("document", "level", "nodes", "tokens, mean", "tokens, most", "characters lost"), tuple(lines))

# %%
for tree in trees.values():
    for node in tree.levels[3][36:39]:
        print(f"{node.context}\n    {' '.join(node.text.split())[:90]} …")

# %% [markdown]
# (A *Title* is a part of a law; the first level also holds recitals and annexes. "Title", "Article" and "paragraph" are
# 编, 条 and 款 in the Chinese one.)
#
# All three levels are embedded and searched. One thing to know before any result: the English embedding model reads at
# most **256 word pieces**. Of a long Title it reads the heading and the beginning, and never sees the rest. Chinese
# character n-grams have no such limit.

# %%
index = {doc_id: stack.enter_context(temporary_index([trees[doc_id]])) for doc_id in laws}  # one index for each law
asked = {
    doc_id: [
        q for q in corpora[laws[doc_id].language][1] if q.answerable and {e.doc_id for e in q.evidence} == {doc_id}
    ]
    for doc_id in laws
}
for doc_id in laws:
    print(f"{doc_id}: {index[doc_id].count()} nodes, {len(asked[doc_id])} dev questions that only it answers")

# %% [markdown]
# ## The wrong Article
#
# Flat search over the paragraphs, and a question about small producers. The four best:

# %%
act, act_index = laws["en/transparency_act"], index["en/transparency_act"]
flat = FlatRetriever(act_index, level=3)
question = next(q for q in asked[act.doc_id] if q.id == "en-act-020")
print(question.question)
PassageView(flat.retrieve(question.question, 4), question.evidence)

# %% [markdown]
# None of it is gold. Each of these paragraphs shares words with the question. Three stand in places that have nothing
# to do with the answer; the first is from an Article that has a part of it, but is the wrong paragraph. A law repeats
# its phrases in every part: time limits, registers, capacities. A single paragraph says too little about *where* it
# belongs, and a heading path of one line does not always help.
#
# A lawyer would not read all paragraphs. She opens the table of contents, takes two or three Titles, in them a few
# Articles, and reads those.
#
# ## The idea
#
# ![Three rows. Titles: two of four are kept. Articles: only those of the kept Titles are searched, three are kept.
# Paragraphs: only those of the kept Articles are searched. One paragraph with gold is found; another one, under a Title
# that was not kept, can't be found any more.](images/18_coarse_to_fine.svg)
#
# Search the coarse level first and keep its best `top_k`. Their ids become a **filter** for the next level: only what
# lies below them is searched. And so on, down to the level that is returned. Each level searches fewer nodes, and each
# decides on texts of one size.
#
# The picture shows the price, too. What lies under a Title that was not kept is gone, and no level below can notice.
#
# ## The shortcut and its holes
#
# This is how it is often written. Search both levels as they are, then strike out:


# %%
def shortcut(index, query, level, k=5):
    """Search Titles and paragraphs, and keep the paragraphs of good Titles. As often published."""
    kept = {hit.node.node_id for hit in index.search(query, 5, level=level)}
    return [hit for hit in index.search(query, k, level=3) if hit.node.parent_id in kept]


found = {
    name: [len(shortcut(act_index, q.question, level)) for q in asked[act.doc_id]]
    for name, level in (("articles", 2), ("titles", 1))
}
for name, sizes in found.items():
    print(f"paragraphs of the 5 best {name}, 5 asked for: {sizes}")

# %% [markdown]
# Five were asked for, and often fewer come back: the result has holes. Two things are wrong.
#
# - **The filter comes too late.** The five best paragraphs of the whole law are taken first, and often some of them lie
#   elsewhere. The five best *inside* the good Articles were never looked for.
# - **A level was skipped.** A paragraph's parent is an Article, so its `parent_id` is never that of a Title. Nothing is
#   found, and nothing complains.
#
# ## The repair
#
# Give the filter to the search, so that it searches only where it may. And where a level is skipped, go down from the
# kept nodes first, until the direct parents are reached.


# %%
def descend(index, query, levels, k):
    """Search each (level, top_k) below what the one before kept, and return the best k of the last."""
    (level, top_k), *rest = levels
    hits = index.search(query, top_k, level=level)
    for level, top_k in rest:
        above = [hit.node for hit in hits]
        while above and above[0].level < level - 1:
            above = index.children(above)  # down to the direct parents
        where = {"parent_id": [node.node_id for node in above]}
        hits = index.search(query, top_k, level=level, where=where)
    return hits[:k]


for name, levels in {
    "articles, paragraphs": [(2, 5), (3, 80)],
    "titles, paragraphs": [(1, 5), (3, 80)],
    "titles, articles, paragraphs": [(1, 5), (2, 15), (3, 80)],
}.items():
    print(f"{name}: {[len(descend(act_index, q.question, levels, 5)) for q in asked[act.doc_id]]}")

# %% [markdown]
# No holes. These few lines are the whole method. The rest is configuration, and seeing what it does.
#
# ## The configuration


# %%
def three_levels(index, titles=5, articles=15, paragraphs=80, mode="vector"):
    """Title › Article › paragraph."""
    return CoarseToFineRetriever(
        [
            LevelConfig("title", IndexLevel(index, 1, mode), top_k=titles),
            LevelConfig("article", IndexLevel(index, 2, mode), top_k=articles, constrain_by="previous"),
            LevelConfig("paragraph", IndexLevel(index, 3), top_k=paragraphs, constrain_by="article"),
        ]
    )


# %% [markdown]
# Does it return what `descend` does? Both laws, all questions, places and scores:

# %%
agree = 0
for doc_id in laws:
    batch = three_levels(index[doc_id]).retrieve_batch([q.question for q in asked[doc_id]], k=40)
    for q, passages in zip(asked[doc_id], batch, strict=True):
        hits = descend(index[doc_id], q.question, [(1, 5), (2, 15), (3, 80)], 40)
        agree += [(p.span, round(p.score, 6)) for p in passages] == [(h.node.span, round(h.score, 6)) for h in hits]
print(f"{agree} of {sum(map(len, asked.values()))} questions: the package and `descend` return the same")

# %% [markdown]
# A level has a name, something that searches it, the number of nodes it keeps, and the level that constrains it:
# `None`, `"previous"`, or any earlier one by name. `filter_key` says how the constraint is written: `"parent_id"`
# (anything below the kept nodes, at any depth), `"doc_id"` (the same documents) or `"node_id"` (the kept nodes
# themselves, to score them again in another way). What does not fit together is refused when it is made, not when it
# is used:

# %%
title, article, paragraph = three_levels(act_index).levels
for wrong in (
    lambda: CoarseToFineRetriever([title, replace(article, name="title")]),
    lambda: CoarseToFineRetriever([replace(title, constrain_by="previous"), article]),
    lambda: CoarseToFineRetriever([title, replace(article, constrain_by="paragraph"), paragraph]),
    lambda: CoarseToFineRetriever([title, replace(article, filter_key="node_id")]),
    lambda: CoarseToFineRetriever([title, article], output_level="chapter"),
    lambda: replace(article, top_k=0),
    lambda: replace(article, score_threshold=float("nan")),
):
    try:
        wrong()
    except ValueError as error:
        print(error)

# %% [markdown]
# Each search can tell what it did. `trace` returns every level's constraint, filter, hits and kept nodes; the view
# prints them, and with the gold it marks where the gold is:

# %%
trace = three_levels(act_index).trace(question.question, k=5)
print(trace)
CoarseToFineView(trace, question.evidence, most=3)

# %% [markdown]
# Read the caption first. Titles and Articles kept most of the gold. The paragraph level now searches only 15 of the 85
# Articles, so what was better in all the others is out of the way, and Article 3, which holds most of the gold, moves
# up. At 1,000 tokens:

# %%
law_results = {
    doc_id: score_retrievers(
        {
            "flat paragraphs": FlatRetriever(index[doc_id], level=3),
            "title › article › paragraph": three_levels(index[doc_id]),
        },
        asked[doc_id],
        (1000,),
    )
    for doc_id in laws
}
for name, result in law_results[act.doc_id].items():
    print(f"{name:28} recall {result.scores('recall')[question.id]:.2f}")

# %% [markdown]
# The same in Chinese, for a question about meal allowances, 编 › 条 › 款:

# %%
rule = laws["zh/expense_regulation"]
meals = next(q for q in asked[rule.doc_id] if q.id == "zh-exp-014")
print(meals.question)
for name, result in law_results[rule.doc_id].items():
    print(f"{name:28} recall {result.scores('recall')[meals.id]:.2f}")
CoarseToFineView(three_levels(index[rule.doc_id]).trace(meals.question), meals.evidence, most=1)

# %% [markdown]
# ## Beside LanceDB
#
# "Filter before or after the search" is an option of most vector databases. In LanceDB it is `prefilter`. Take the
# three best Articles, and ask for the five best paragraphs in them, both ways:

# %%
table = lancedb.connect(act_index.path).open_table("nodes")
vector = act_index.embedder.encode([question.question])[0]
kept = [hit.node.node_id for hit in act_index.search(question.question, 3, level=2)]
condition = (col("level") == lit(3)) & col("parent_id").isin([lit(node_id) for node_id in kept])
rows = {}
for prefilter in (False, True):
    search = table.search(vector, vector_column_name="vector").distance_type("cosine")
    search = search.where(condition, prefilter=prefilter).limit(5).select(["node_id", "_distance"])
    rows[prefilter] = [row["node_id"] for row in search.to_list()]
    print(f"prefilter={prefilter}: {len(rows[prefilter])} rows")
ours = [hit.node.node_id for hit in act_index.search(question.question, 5, level=3, where={"parent_id": kept})]
print("prefilter=True is what our index does:", rows[True] == ours)

# %% [markdown]
# The values go in as values (`lit`), never pasted into a string: an id may hold a quote. And the filter costs no scan
# of the table. It is answered by an index of `parent_id`, which is what this line of its plan says:

# %%
plan = act_index.explain(question.question, 5, level=3, where={"parent_id": kept[:1]})
print(re.search(r"ScalarIndexQuery.*", plan)[0])

# %% [markdown]
# ## The error cascade
#
# Another question of the same law, the same retriever:

# %%
spoiled = next(q for q in asked[act.doc_id] if q.id == "en-act-032")
print(spoiled.question)
CoarseToFineView(three_levels(act_index).trace(spoiled.question, k=5), spoiled.evidence, most=1)

# %% [markdown]
# The Titles hold nearly all of the gold. Then the Articles are chosen, and most of it is gone. The paragraph level does
# its work well, but in the wrong places. It has no way to know.
#
# With several levels that multiplies. If each level keeps 80 % of the gold that is still there, three of them keep
# half. So for every question, the share of gold that the kept nodes hold is a **ceiling** for everything below. It can
# be computed from the coarse level alone, without any search of the finer ones. That is the first thing to measure, and
# the cheapest.

# %%
lines = []
for doc_id in laws:
    evidence = [q.evidence for q in asked[doc_id]]
    traces = three_levels(index[doc_id]).trace_batch([q.question for q in asked[doc_id]])
    kept_by = [[recall(t.level(name).kept, e) for t, e in zip(traces, evidence, strict=True)] for name in NAMES[:2]]
    before, after = (list(result.scores("recall").values()) for result in law_results[doc_id].values())
    means = [mean(values) for values in (*kept_by, before, after)]
    lines.append((doc_id, len(evidence), *means, *paired_difference(after, before)))
columns = ("law", "questions", "gold kept: titles", "gold kept: articles", "flat", "coarse to fine")
Table(
    (*columns, "difference low", "difference high"), tuple(lines), "recall at 1,000 tokens, and the ceilings above it"
)

# %% [markdown]
# Both intervals of the difference hold zero: on so few questions nothing is shown either way. What can be seen is the
# ceiling. However good the paragraph search becomes, this configuration can't pass it, and flat search has none.
#
# ## How many to keep?
#
# `top_k` is the answer to the cascade, and it has two ends. Keep one, and most of the gold is lost. Keep all, and it
# is flat search with more work. To see the curve with more questions we take all texts of the course now, with their
# standard hierarchy: document › section (600 tokens) › leaf (200 tokens).

# %%
shelves = {
    language: stack.enter_context(
        temporary_index([replace(course_hierarchy(d), searched=frozenset({0, 2, 3})) for d in documents])
    )
    for language, (documents, _) in corpora.items()
}
answerable = {language: [q for q in questions if q.answerable] for language, (_, questions) in corpora.items()}
for language, shelf in shelves.items():
    counts = [shelf.count(level) for level in (0, 2, 3)]
    print(
        f"{language}: {counts[0]} documents, {counts[1]} sections, {counts[2]} leaves; "
        f"{len(answerable[language])} answerable questions"
    )

# %% [markdown]
# The ceiling of the section level, for a search by meaning (vectors) and one by words (BM25). One search with the
# largest `top_k` gives all smaller ones.

# %%
TOP_KS = (1, 2, 5, 10, 20, 40, 80)


def ceiling_curve(index, level, mode, questions):
    """For each n of TOP_KS, each question's share of the gold in the first n nodes of a level."""
    found = index.search_batch([q.question for q in questions], max(TOP_KS), mode=mode, level=level)
    return {n: [recall(hits[:n], q.evidence) for hits, q in zip(found, questions, strict=True)] for n in TOP_KS}


# %%
curves = {
    (language, name, mode): ceiling_curve(shelf, level, mode, answerable[language])
    for language, shelf in shelves.items()
    for name, level in (("document", 0), ("section", 2))
    for mode in ("vector", "text")
}
lines = tuple((*key, *map(mean, shares.values())) for key, shares in curves.items())
Table(("texts", "level", "mode", *(f"top {n}" for n in TOP_KS)), lines, "ceiling: share of the gold in the kept nodes")

# %%
lines = []
for language in shelves:
    for name in ("document", "section"):
        by_text, by_vector = (curves[language, name, mode][10] for mode in ("text", "vector"))
        lines.append((language, name, mean(by_text) - mean(by_vector), *paired_difference(by_text, by_vector)))
Table(("texts", "level", "difference", "low", "high"), tuple(lines), "ceiling at top 10: words minus vectors")

# %%
with drawing(3.8, columns=2) as (figure, panels):
    styles = {("document", "vector"): ("#0072B2", "o--"), ("document", "text"): ("#0072B2", "s-")}
    styles |= {("section", "vector"): ("#D55E00", "o--"), ("section", "text"): ("#D55E00", "s-")}
    for axes, language in zip(panels, shelves, strict=True):
        for (name, mode), (colour, style) in styles.items():
            axes.plot(
                TOP_KS,
                list(map(mean, curves[language, name, mode].values())),
                style,
                color=colour,
                label=f"{name}, {mode}",
            )
        axes.set(xscale="log", xlabel="top_k of the level", title=language, ylim=(0, 1.02))
        axes.set_xticks(TOP_KS, map(str, TOP_KS))
        axes.set_xticks([], minor=True)
        axes.grid(visible=True)
    panels[0].set_ylabel("share of the gold still in reach")
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    figure.alt = (
        "Two panels, English and Chinese: the share of the gold within the first 1 to 80 nodes of a level. "
        "Documents and sections, by vector and by words. All curves rise with top_k. Documents by words start "
        "highest; documents by vector start below them in both languages, and the two meet where top_k takes in "
        "all documents."
    )
figure

# %% [markdown]
# The curves answer two questions at once.
#
# **Which search for which level?** For whole documents words beat vectors at top 10 in both languages, and the
# intervals leave out zero. In English the vector reads 256 word pieces of a document that may have thousands. In
# Chinese it reads all of it, and an average over everything is a picture of nothing in particular. BM25 finds a rare
# word wherever it stands. For sections the difference is shown in Chinese only.
#
# **How many?** Look for the place where the curve flattens. A level that reaches 0.6 has thrown away four tenths before
# the real search has begun, and the next level loses a share of the rest. Below we keep 10 documents and 30 sections, read
# off these curves. They come from the same questions that we measure with, so this is, if anything, kind to the method.
#
# ### A threshold
#
# `score_threshold` keeps what scores at least so much. The hope is that the number of nodes fits the question: many
# where many fit, none where nothing does. Sections of the English texts by vector, at most 40 of them:

# %%
questions = corpora["en"][1]
found = shelves["en"].search_batch([q.question for q in questions], 40, level=2)
lines = []
for threshold in (0.0, 0.2, 0.3, 0.4, 0.5, 0.6):
    kept = [[hit for hit in hits if hit.score >= threshold] for hits in found]
    shares = [recall(hits, q.evidence) for hits, q in zip(kept, questions, strict=True) if q.answerable]
    ended = Counter(q.answerable for hits, q in zip(kept, questions, strict=True) if not hits)
    lines.append((threshold, mean(map(len, kept)), mean(shares), ended[True], ended[False]))
total = Counter(q.answerable for q in questions)
print(f"{total[True]} answerable questions, {total[False]} unanswerable ones")
Table(("threshold", "sections kept", "ceiling", "short-circuits: answerable", "unanswerable"), tuple(lines))

# %% [markdown]
# A query that keeps nothing **short-circuits**: it has no results, and the levels below are not searched. One would
# like that for questions that the texts don't answer. The last two columns say that it does not work here. Long before
# the threshold stops the first unanswerable question it stops answerable ones, and the ceiling falls all the way. The
# unanswerable questions are *about* these texts, so their sections score like any others. A cosine is not a
# probability of being right. And a threshold is tied to one embedder and one mode: BM25 scores have no upper end, and
# fused ranks stay below 0.04.
#
# In the configuration it is one argument. Here the Titles of the law get a threshold that none of them reaches, and the
# trace of the first question says where the search ended:

# %%
strict = replace(title, score_threshold=0.6)
print(CoarseToFineRetriever([strict, article, paragraph]).trace(question.question))

# %% [markdown]
# ## Measured
#
# On all texts, at equal budgets. Two ways from coarse to fine, and two flat searches that do without:
#
# - **by meaning**: document, section and leaf by vector;
# - **by words first**: documents and sections by BM25, leaves by vector;
# - **flat**: leaves by vector; **flat hybrid**: leaves by vector and words, fused. It has the same two signals as "by
#   words first", without levels, so it is the fair opponent.


# %%
def document_section_leaf(index, coarse, documents=10, sections=30, leaves=80):
    """Document › section › leaf; the first two in the mode ``coarse``, the leaves by vector."""
    return CoarseToFineRetriever(
        [
            LevelConfig("document", IndexLevel(index, 0, coarse), documents),
            LevelConfig("section", IndexLevel(index, 2, coarse), sections, constrain_by="document"),
            LevelConfig("leaf", IndexLevel(index, 3), leaves, constrain_by="section"),
        ]
    )


# %%
results = {
    language: score_retrievers(
        {
            "flat": FlatRetriever(shelf, level=3),
            "flat hybrid": FlatRetriever(shelf, level=3, mode="hybrid"),
            "by meaning": document_section_leaf(shelf, "vector"),
            "by words first": document_section_leaf(shelf, "text"),
        },
        corpora[language][1],
    )
    for language, shelf in shelves.items()
}
compare(results["en"], budget=1000)

# %%
compare(results["zh"], budget=1000)

# %% [markdown]
# And "by words first" against its fair opponent:

# %%
for by_name in results.values():
    print(compare({name: by_name[name] for name in ("flat hybrid", "by words first")}, budget=1000), "\n")

# %%
curve = budget_curves(budget_curve(results["en"]), scale="log")
print(curve.numbers)
curve

# %%
curve = budget_curves(budget_curve(results["zh"]), scale="log")
print(curve.numbers)
curve

# %% [markdown]
# Look at the column of the context tokens as well: where a constraint leaves too little to find, the budget is not
# filled, as in English at 4,000 tokens. That is part of the method.
#
# By question type, at 1,000 tokens. Differences are from flat leaves on the same questions, with their intervals:

# %%
lines = []
for language, by_name in results.items():
    base = by_name["flat"]
    for kind in sorted({q.type for q in answerable[language]}):
        before = list(base.scores("recall", 1000, type=kind).values())
        line = [language, kind, len(before), mean(before)]
        for name in ("by meaning", "by words first"):
            after = list(by_name[name].scores("recall", 1000, type=kind).values())
            low, high = paired_difference(after, before)
            line += [f"{mean(after) - mean(before):+.2f} ({low:+.2f} to {high:+.2f})"]
        lines.append(tuple(line))
Table(("texts", "type", "questions", "flat, recall", "by meaning", "by words first"), tuple(lines))

# %% [markdown]
# The question that "by words first" rescued, and the one that it spoiled, against flat leaves:

# %%
for language, by_name in results.items():
    for label, change in zip(
        ("rescued", "spoiled"), largest_changes(by_name["flat"], by_name["by words first"], budget=1000), strict=True
    ):
        print(
            f"{language} {label}: {change.before:.2f} → {change.after:.2f}, {change.question.id}, {change.question.type}"
        )
        print(f"    {change.question.question}")

# %%
losing = largest_changes(results["en"]["flat"], results["en"]["by words first"], budget=1000)[1].question
CoarseToFineView(document_section_leaf(shelves["en"], "text").trace(losing.question), losing.evidence, most=2)

# %% [markdown]
# The document level kept the law, in seventh place. But then its sections had to compete with those of nine other
# documents, among them short news about the same law, full of the question's words. Not one section with gold was left.
#
# (Ten documents became 38 ids of parents: the documents themselves, and the larger sections between them and the level
# that is searched, which this configuration skips.)
#
# What to take from all this:
#
# - **By meaning** loses against flat search at 1,000 tokens, in both languages, and the intervals leave out zero. Of the
#   types it is shown for single facts in Chinese: a fact stands in one place, and when that branch is dropped all of it
#   is gone. (The table has twenty intervals; one clear of zero could be luck.)
# - **By words first** is not shown to differ from flat vectors in either language. The largest gain and the largest loss
#   of a single English question are as large as they can be: it helps and harms different questions. Against flat hybrid
#   it is shown to lose in Chinese, and nothing is shown in English.
# - **Flat hybrid** uses the same two signals and decides nothing that can't be taken back. In Chinese it is shown to be
#   better than flat vectors, too. For quality alone, on texts of this size, levels are not the answer.
#
# The papers below report gains for document-then-passage search. Their document encoders were *trained* for it, or
# their first stage searched by words as well. Ours is a general model that reads the beginning of a document.
#
# ### What it costs
#
# A search at every level, and look-ups where a level is skipped. In a batch, questions with the same filter are
# searched together; where all filters differ, there is one search a question and level. The filter itself grows with
# the number of kept ids. The cell below is measured anew on every machine.


# %% tags=["volatile"]
def seconds(retriever, queries):
    start = time.perf_counter()
    retriever.retrieve_batch(queries, 10)
    return time.perf_counter() - start


queries = [q.question for q in answerable["zh"]]
slow, quick = document_section_leaf(shelves["zh"], "vector"), FlatRetriever(shelves["zh"], level=3)
times = [min(seconds(r, queries) for _ in range(2)) for r in (slow, quick)]
print(
    f"three levels take {times[0] / times[1]:.1f} times as long as flat search for a batch of {len(queries)} questions"
)

# %% [markdown]
# ## Parameters
#
# | parameter | turn it | start with | what it costs |
# |---|---|---|---|
# | `top_k` of coarse levels | first | where the ceiling curve flattens; 10 documents, 30 sections here | more is closer to flat search |
# | mode of coarse levels | second | words (`"text"`) for long nodes; summaries of them ([lesson 17](17_four_level_index.ipynb)) were not measured here | a text search is one query a question |
# | `top_k` of the output level | third | budget ÷ leaf size, times two | nothing but time |
# | number of levels | | two | each one adds its own loss |
# | `score_threshold` | last | `None` | tied to the embedder; a short circuit is an empty answer |
# | `filter_key` | | `"parent_id"`; `"doc_id"` where documents are meant | `"parent_id"` over skipped levels looks up all nodes between |
# | `where` (base filter) | | what the user may see | it holds at every level, in addition to the constraint |
#
# `k`, the retriever's `final_top_k` and the output level's `top_k` are three limits, and the smallest holds. The
# levels keep the same nodes whatever `k` is, so the results for 5 are the first five of those for 50.
#
# What follows was not measured here. Try it where the coarse choice is *easy and certain*: a filter by tenant or
# product, a table of contents with telling titles, a question that names its law. Or where the corpus is so large
# that the fine level can't be searched whole. Don't use it to make a good flat search better without measuring the
# ceiling.
#
# ## Exercises
#
# `hint("18.1")` gives a hint, `solution("18.1")` shows a solution.
#
# ### Exercise 18.1 · Find the bug: the late filter
#
# ★☆☆ · 5 minutes. The shortcut from above in small. `scores` are the leaves' scores, `parents` the parent of each
# leaf, `kept` the parents that the coarse level kept. Return the `k` best leaves *of the kept parents*, best first,
# equal scores by name; fewer where there are fewer.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def best_within(scores: dict[str, float], parents: dict[str, str], kept: list[str], k: int) -> list[str]:
    """The ``k`` best leaves among those whose parent was kept, best first; equal scores by name."""
    ranked = sorted(scores, key=lambda leaf: (-scores[leaf], leaf))[:k]
    return [leaf for leaf in ranked if parents[leaf] in kept]


check("18.1", best_within)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 18.1


check("18.1", best_within)

# %% [markdown]
# ### Exercise 18.2 · Find the bug: two filters, one field
#
# ★★☆ · 8 minutes. The base filter says what a user may see; the constraint says what the coarse level kept. Both map a
# field to its allowed values, and both must hold. A field that neither names is not limited, and one with an empty list lets
# nothing through. Return the combined filter, values sorted and each once, or `None` where nothing can pass. The published
# line below lets a user see documents of others. How?


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def both(base: dict[str, list[str]], constraint: dict[str, list[str]]) -> dict[str, list[str]] | None:
    """The filter that lets through what passes both, values sorted; ``None`` where nothing can."""
    combined = {**base, **constraint}
    if not all(combined.values()):
        return None
    return {field: sorted(set(values)) for field, values in combined.items()}


check("18.2", both)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 18.2


check("18.2", both)

# %% [markdown]
# ### Exercise 18.3 · All leaves below
#
# ★★☆ · 10 minutes. `children` maps a node to its children; a node without children, so one that is no key, is a leaf.
# Return all leaves that are kept themselves or lie below a kept node, at any depth, sorted, each once.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def leaves_below(children: dict[str, list[str]], kept: list[str]) -> list[str]:
    """All nodes without children that are kept or lie below a kept node, at any depth; sorted, each once."""
    return ...


check("18.3", leaves_below)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 18.3


check("18.3", leaves_below)

# %% [markdown]
# ### Exercise 18.4 · What is left to find
#
# ★☆☆ · 8 minutes. `ranking` holds the sections in the coarse level's order, `gold` the gold characters in each section
# that has any, also of sections that the ranking lacks; at least one has. Recall is the gold characters in the kept sections,
# divided by all gold characters. Return its ceiling for `top_k` = 1, 2, … up to the length of the ranking.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def ceilings(ranking: list[str], gold: dict[str, int]) -> list[float]:
    """The highest recall that is left when the first 1, 2, … sections of the ranking are kept.

    ``gold`` holds the gold characters in each section that has any; at least one section has.
    """
    return ...


check("18.4", ceilings)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 18.4


check("18.4", ceilings)

# %% [markdown]
# ## Takeaways
#
# 1. One level's results are the next one's filter, and the filter must act *before* the search.
# 2. What a coarse level drops, no finer level finds: its kept gold is a ceiling. Measure it first.
# 3. Long coarse nodes are badly served by one vector. Here words found documents better, in both languages.
# 4. Where a level is skipped, the constraint has to go down to the direct parents. An id comparison finds nothing.
# 5. A base filter and a constraint on one field are an intersection. Overwriting one with the other is a data leak.
#
# ## Interview questions
#
# <details><summary>1. Your two-stage search returns fewer results than asked for. Where do you look?</summary>
#
# Whether the filter is applied after the search: the best k of everything are taken, and those outside the kept
# sections are struck out. It has to be a prefilter. Then whether ids of a level that is not the direct parent are
# compared with `parent_id`, and whether a threshold empties the coarse level. A trace with hits before and after each
# step tells within a minute.
# </details>
#
# <details><summary>2. When is coarse-to-fine better than flat search, and when worse?</summary>
#
# Worth a try where the coarse choice is easy and certain, where it must hold for other reasons (permissions, products), or
# where the fine level is too large to search. Worse where the coarse text is a bad key: a vector of a long document.
# Then the right branch is dropped and everything below is lost. I'd compute the ceiling, the share of gold in the kept
# nodes, before I build the rest.
# </details>
#
# <details><summary>3. How would you soften the hard decision at the top?</summary>
#
# A larger top_k; another mode or summaries at the coarse level; unconstrained leaves fused with constrained ones; or
# the coarse score as one feature among others in the final ranking instead of a filter. All of these trade the saved
# work for a lower risk.
# </details>
#
# ## Further reading
#
# - Liu et al., *Dense Hierarchical Retrieval for Open-Domain Question Answering*, 2021:
#   [arXiv:2110.15439](https://arxiv.org/abs/2110.15439). Documents first, then passages in them.
# - Arivazhagan et al., *Hybrid Hierarchical Retrieval for Open-Domain Question Answering*, Findings of ACL 2023:
#   [aclanthology.org](https://aclanthology.org/people/m/manoj-ghuhan-arivazhagan/). Words, vectors or both, in either stage.
# - The hierarchical retriever of the package `gllm_retrieval`: the configuration of levels that this lesson follows
#   (name, retriever, top_k, filter key, constraint, threshold, output level).
#
# Next: [19 · Reranking and packing](19_reranking_and_packing.ipynb). Back: [17 · Four
# levels](17_four_level_index.ipynb) · [tour](00_tour.ipynb).
