# %% [markdown]
# # 16 · Summary trees
#
# > *Fiscal 2025: what isn't counted in headcount, meters shipped, Backlog, ARR and fourth-quarter share repurchases?*
#
# Five small remarks, each in another chapter of one annual report. A person who has read the report could list them.
# Here is what a good search brings, the flat hybrid search of lesson 02, with room for 4,000 tokens. The question names
# its five figures, so we also split it and search once for each:

# %%
from contextlib import ExitStack

from hierrag_lessons import HybridRetriever, course_hierarchy, course_questions, overlap, pack, temporary_index

stack = ExitStack()  # keeps the indexes until the kernel ends
documents, asked, outlines, flat = {}, {}, {}, {}
for name in ("en", "zh"):
    documents[name], questions = course_questions(name)  # dev questions, in users' words
    asked[name] = [question for question in questions if question.answerable]
    outlines[name] = {document.doc_id: course_hierarchy(document) for document in documents[name]}
    flat[name] = HybridRetriever(stack.enter_context(temporary_index(outlines[name].values())), level=3)

report = next(document for document in documents["en"] if document.doc_id == "en/annual_report")
hook = next(question for question in asked["en"] if question.id == "en-ar-033-u")
remarks = sorted(hook.evidence, key=lambda e: e.start)
home = [next(leaf for leaf in outlines["en"][report.doc_id].leaves if leaf.end > e.start) for e in remarks]


def where_found(**ways):
    """For each remark: how far into the report it stands, and whether 4,000 tokens of each way hold it."""
    print("place  ", *(f"{way.replace('_', ' '):14}" for way in ways), "heading")
    for remark, leaf in zip(remarks, home, strict=True):
        marks = [
            any(overlap(p.span, remark.span) for p in pack(own, 4000) if p.doc_id == report.doc_id)
            for own in ways.values()
        ]
        heading = leaf.context.split("\n")[0].split(" › ")[-1]
        print(
            f"{remark.start / len(report.text):5.0%}  ", *(f"{'found' if mark else '–':14}" for mark in marks), heading
        )


figures = ("headcount", "meters shipped", "Backlog", "ARR", "fourth-quarter share repurchases")
split = flat["en"].retrieve_batch([f"Fiscal 2025: what isn't counted in {figure}?" for figure in figures], 12)
in_turn = [passage for row in zip(*split, strict=True) for passage in row]  # the first of each, the second of each …
where_found(one_search=flat["en"].retrieve(hook.question, 60), five_searches=in_turn)

# %% [markdown]
# Four of five by one search. What *headcount* leaves out is not among them. Five searches, in the same room, bring only
# three: this split was not enough. Parents, windows and merging ([13](13_sentence_window.ipynb) to
# [15](15_auto_merging.ipynb)) bring *neighbours* of what was found, and the missing remark stands in another chapter.
#
# No section of the report is called "what isn't counted". **What if we made one?** Collect from all over the book what
# belongs together, write a summary of it, and search the summaries as well.
#
# **You will** build such a tree from its three parts: clusters, summaries, search; follow the five remarks through it;
# and find out why a tree of extracts brings so little.
#
# **You learn** how RAPTOR works as published, and what is different here; what a summary that is found leads to; how to
# see before you pay whether a tree can help on your texts.
#
# **You need** lessons [02](02_embeddings_and_store.ipynb) (search), [03](03_measuring_retrieval.ipynb) (budgets,
# verdicts) and [14](14_parent_child.ipynb) (what an unread sibling is worth). {{minutes}}, hard (★★★). No network, no
# API key. New words are in the [glossary](GLOSSARY.md).
#
# {{map}}
#
# The way through: [the idea](#The-idea), [published and ours](#RAPTOR-as-published,-and-ours), [clusters](#Clusters),
# [summaries](#Summaries-without-a-model), [the tree](#The-tree), [back to the text](#From-a-summary-to-the-text),
# [measured](#Measured), [why](#Why-so-little), [a change](#What-a-change-costs), [on Monday](#On-Monday),
# [exercises](#Exercises).
#
# ## The idea
#
# ![Eleven chunks in document order belong to three clusters that are scattered over the document. Each cluster has a
# summary above it; one chunk belongs to two of them. The three summaries have one summary above them, the
# root.](images/16_tree.svg)
#
# **RAPTOR** (Sarthi et al., 2024) makes a tree whose nodes are not sections. They are **clusters**: chunks about the
# same thing, wherever they stand. A language model sums up each cluster. The summaries are embedded, clustered and summed
# up in turn. A question about a detail finds a chunk. A question about a whole finds a summary.
#
# The paper has two ways to search the tree. **Collapsed**: chunks and summaries side by side, as if there were no tree.
# **Layers**: from the top down, keep the best few, look only below them.
#
# ## RAPTOR as published, and ours
#
# "RAPTOR" below is the paper and its code, [parthsarthi03/raptor](https://github.com/parthsarthi03/raptor). "Our tree" is
# this course's. They are not the same:
#
# | | RAPTOR | our tree |
# |---|---|---|
# | summaries | written by a language model | **whole sentences of the text, chosen by a rule** |
# | what the reader gets | summaries and chunks | chunks only, so that all can be cited and measured |
# | a large cluster | above 3,500 tokens: clustered again | above 10 members: again, then cut in document order |
# | the end | no new layer for 11 nodes or fewer; several roots | one root for each document |
# | clusters | by UMAP | by PCA (both are explained [below](#Clusters)) |
#
# We only copy sentences. That limits what this lesson can show. Our summaries are **extracts**, sentences copied word for
# word; such a summary is called an **extractive summary**.
#
# - **It can show** how such a tree is built and searched, what it costs, what a change costs, and how summaries lead
#   back to text.
# - **It can't show** what a tree of *written* summaries brings. A model can write "five figures exclude something". A
#   rule that picks sentences can't.
#
# What the paper reports, with summaries by GPT-3.5 and the same reader and search with and without the tree: accuracy on
# QuALITY 54.9 → 56.6 %, answer F1 on QASPER 36.2 → 36.7 %, ROUGE-L on NarrativeQA 29.3 → 30.9 % (its tables 1 and 2, the
# rows for SBERT; no intervals are given). The famous "20 % better" compares GPT-4 as the reader with older, smaller
# readers. So even with a model's summaries, the paper leads one to **expect half a point to two**.
#
# ## Clusters
#
# The first step. Which chunks belong together? `SoftClustering` squeezes the vectors of 384 numbers into five. Then it
# looks for a few round clouds of points (a **Gaussian mixture**). A chunk between two
# clouds belongs to both: clusters are **soft**. ([Appendix A3](appendix/A3_clustering_for_trees.ipynb): how many clouds, how soft.)
#
# Do the clusters collect from all over a document? Each row is a cluster, each tick a chunk. The numbered circles are the
# chunks with the five remarks. Are they in one row?

# %% tags=["hide-input"]
import warnings

from hierrag_lessons import SoftClustering, TruncationWarning, default_embedder, drawing

warnings.simplefilter("ignore", TruncationWarning)  # a few leaves are longer than MiniLM reads (lesson 02)
embedder = default_embedder("en")
clusters, wide = {}, {}
for doc_id in ("en/annual_report", "en/console_handbook"):
    leaves = outlines["en"][doc_id].leaves
    clusters[doc_id] = SoftClustering().cluster(embedder.encode([leaf.embedding_text for leaf in leaves]))
with drawing(6.0, rows=2, width=8.0) as (figure, panels):
    panels[0].get_gridspec().set_height_ratios((5, 2))
    for axes, (doc_id, found) in zip(panels, clusters.items(), strict=True):
        leaves, wide[doc_id] = outlines["en"][doc_id].leaves, 0
        for row, cluster in enumerate(found, start=1):
            places = [100 * leaves[member].start / leaves[-1].end for member in cluster.members]
            wide[doc_id] += max(places) - min(places) > 20
            axes.plot([min(places), max(places)], [row] * 2, color="#cccccc", linewidth=0.8, zorder=1)
            axes.plot(places, [row] * len(places), "|", markersize=5, color="#0072B2", zorder=2)
            for number, leaf in enumerate(home, start=1):
                if leaf.doc_id == doc_id and leaf.span in {leaves[member].span for member in cluster.members}:
                    at = 100 * leaf.start / leaves[-1].end
                    axes.plot(at, row, "o", markersize=13, color="#D55E00", zorder=3)
                    axes.text(
                        at, row, number, color="white", fontsize=9, weight="bold", ha="center", va="center", zorder=4
                    )
        axes.set(title=f"{doc_id[3:]}: {len(found)} clusters of {len(leaves)} chunks", ylabel="cluster", xlim=(-2, 102))
        axes.invert_yaxis()
        axes.set_yticks([1, len(found)])
    panels[-1].set_xlabel("place in the document, %")
    figure.alt = (
        "Two panels. Each row is a cluster, each tick a chunk at its place in the document. In the annual report many "
        "clusters have ticks in several places far apart, and the five remarks lie in several rows, only two of them "
        "in the same. In the handbook each cluster is one solid block, and the blocks follow each other."
    )
figure

# %%
for doc_id, found in clusters.items():
    print(f"{doc_id}: {wide[doc_id]} of {len(found)} clusters reach over more than a fifth of the document")

# %% [markdown]
# Two documents, two stories. In the report most clusters collect from far apart, and remarks 2 and 4 meet in one of them.
# (Remark 3 lies between two clouds, so it is in two rows.) No cluster has all five. Clusters go by subject, and
# these five remarks are parts of five subjects.
#
# In the handbook the clusters are eleven blocks, one after the other. Our way of squeezing is **PCA**, which keeps far
# things far. Squeezed by PCA, the handbook is a single cloud, so our tree falls back to document order: no summary tree in RAPTOR's
# sense. RAPTOR squeezes with **UMAP**, which keeps neighbours together, and finds 12 to 15 clouds in the same chunks
# (measured once with umap-learn 0.5.12, three seeds; appendix A3).
#
# ## Summaries without a model
#
# The second step: what is said above a cluster? RAPTOR asks a language model. We pick sentences.
#
# **LexRank** (Erkan and Radev, 2004) joins two sentences by a line if they share words. A random walk along these
# lines visits a sentence most often that shares its words with many others. It is PageRank on sentences.
#
# The sentences visited most often tend to say the same thing. So a second rule takes them one by one: a high rank counts for a
# sentence, likeness to what was taken already counts against it (**MMR**, maximal marginal relevance). At 150 tokens the
# summary is full. `ExtractiveSummariser` does both. With a model you would write `LLMSummariser(OpenAIChatModel(…))`
# instead.
#
# ## The tree
#
# The third step: clusters, summaries, and again, until one summary is left. One layer by hand:


# %%
from hierrag_lessons import COURSE_CHUNKERS, ExtractiveSummariser, Node, build_summary_tree, merge


def sum_up(document, members):
    """A summary of some nodes. It stands for the spans of its members: they are its sources."""
    sources = tuple(merge(span for member in members for span in member.spans))
    summary = ExtractiveSummariser().summarise(document, members, 150)
    paths = [member.context.split("\n")[0].split(" › ") for member in members]
    shared = [titles[0] for titles in zip(*paths, strict=False) if len(set(titles)) == 1]  # headings of all of them
    span = sources[0].start, sources[-1].end
    return Node("", document.doc_id, 0, *span, summary.text, " › ".join(shared), sources=sources)


def next_layer(document, nodes):
    """A summary for each cluster of nodes, in document order."""
    found = SoftClustering().cluster(embedder.encode([node.embedding_text for node in nodes]))
    return sorted((sum_up(document, [nodes[i] for i in c.members]) for c in found), key=lambda node: node.span)


tree = build_summary_tree(report, COURSE_CHUNKERS)
mine = next_layer(report, outlines["en"][report.doc_id].leaves)
assert sorted(node.text for node in mine) == sorted(node.text for node in tree.levels[-2])
print("the package's tree, from the root down:", " / ".join(str(len(level)) for level in tree.levels[1:]), "nodes\n")
inner = [node for node in tree if node.derived]
for number, remark in enumerate(remarks, start=1):
    sentence = report.text[remark.start : remark.end].strip()
    copied = sum(sentence in node.text for node in inner)
    print(f"{number} · in {copied} of {len(inner)} summaries: {sentence[:88]} …")
above = next(node for node in inner if report.text[remarks[3].start : remarks[3].end].strip() in node.text)
print(f"\nthe summary with remark 4, of {len(above.metadata['members'])} chunks:\n{above.text[:330]} …")

# %% [markdown]
# All five remarks say *excludes*, each about its own figure. Three of them were even copied into summaries. But read the
# summary with remark 4. The sentences are real, they can be cited, and they don't say what the chunks have in common.
# **None says it of all five, so no extract can.** Does such a summary still lead to the right text?
#
# ## From a summary to the text
#
# A summary that is found is no answer. It stands nowhere in the document, so it can't be cited. It has to *lead to*
# text. To which? All that is below it would be a whole chapter or more. The package takes the chunk below it that fits
# the question best, and gives that chunk the summary's score:

# %%
from collections import defaultdict

from hierrag_lessons import Passage, SummaryTreeRetriever

trees, tree_index = {}, {}
for name in documents:
    trees[name] = [build_summary_tree(document, COURSE_CHUNKERS) for document in documents[name]]
    tree_index[name] = stack.enter_context(temporary_index(trees[name]))


scored = defaultdict(dict)  # shared by all searches of the same trees


class TreeSearch:
    """Both ways to search summary trees, by hand. Every node is scored once for each question."""

    def __init__(self, name, way, mode="hybrid", width=20):
        self.index, self.rank = tree_index[name], getattr(self, way)
        self.mode, self.width, self.known, self.below = mode, width, scored[name, mode], {}
        self.nodes = {node.node_id: node for tree in trees[name] for node in tree}
        self.roots = [tree.levels[1][0].node_id for tree in trees[name] if len(tree.levels) > 1 and tree.levels[1]]

    def members(self, node_id):
        return self.nodes[node_id].metadata.get("members", ())

    def chunks(self, node_id):
        """All chunks below a node; a chunk is its own."""
        if node_id not in self.below:
            below = map(self.chunks, self.members(node_id))
            self.below[node_id] = frozenset().union(*below) if self.members(node_id) else frozenset([node_id])
        return self.below[node_id]

    def scores(self, queries):
        if new := [query for query in queries if query not in self.known]:
            hits = self.index.search_batch(new, 2000, mode=self.mode)
            self.known |= {q: {hit.node.node_id: hit.score for hit in own} for q, own in zip(new, hits, strict=True)}
        return [self.known[query] for query in queries]

    def retrieve_batch(self, queries, k=5):
        found = []
        for scores in self.scores(queries):
            best = sorted(self.rank(scores).items(), key=lambda item: (-item[1], item[0]))[:k]
            nodes = [(self.nodes[node_id], score) for node_id, score in best]
            found.append([Passage(n.doc_id, *n.span, n.text, n.context, score, ()) for n, score in nodes])
        return found

    def collapsed(self, scores):
        """A chunk has its own score, or that of the best summary that leads to it."""
        best = defaultdict(lambda: float("-inf"))
        for node_id, score in scores.items():
            leads_to = max(self.chunks(node_id), key=lambda chunk: scores.get(chunk, float("-inf")))
            best[leads_to] = max(best[leads_to], score)
        return best

    def control(self, scores):
        """The same search, the summaries left out."""
        return {node_id: score for node_id, score in scores.items() if not self.members(node_id)}

    def best_of(self, layer, scores):
        return sorted(layer, key=lambda node_id: -scores.get(node_id, float("-inf")))[: self.width]

    def layers(self, scores):
        """Keep the best nodes of a layer, look only below them."""
        layer, reached = self.roots, {}
        while layer:
            kept = self.best_of(layer, scores)
            reached |= {chunk: scores.get(chunk, float("-inf")) for chunk in kept if not self.members(chunk)}
            layer = list(dict.fromkeys(member for node_id in kept for member in self.members(node_id)))
        return reached


texts = [question.question for question in asked["en"][:20]]
for way in ("collapsed", "layers"):
    package = SummaryTreeRetriever(tree_index["en"], way).retrieve_batch(texts, 10)
    ours = TreeSearch("en", way, "vector").retrieve_batch(texts, 10)
    same = sum([p.span for p in a] == [p.span for p in b] for a, b in zip(ours, package, strict=True))
    print(f"{way}: {same} of {len(texts)} questions, the same ten chunks in the same order as the package")

# %% [markdown]
# Does the tree bring the five remarks? Beside it stands a **control**: the same index and the same search. The
# summaries stay in the index and are thrown away from the hits.

# %%
by_tree, by_control = (TreeSearch("en", way).retrieve_batch([hook.question], 60)[0] for way in ("collapsed", "control"))
where_found(tree=by_tree, control=by_control)

# %% [markdown]
# Three of five, one fewer than at the beginning. Without following summaries the same three are found. So it is not that
# summaries took the fourth one's place. What did it was not taken apart here: this search takes in more hits than the one at
# the beginning, and the words of the summaries count in its index. And summaries brought none either. Each leads to one
# chunk, and the search mostly had that already.
#
# One question proves nothing. What about all of them?
#
# ## Measured
#
# All dev questions of both languages, budgets from 500 to 8,000 tokens, the same leaves everywhere. `recall` is the share
# of the evidence in the context; `complete` is the share of questions with at least 95 % of it there.
#
# All rows search by words and meaning, and add the z-scores of both. A z-score says how far a score lies above the mean of
# its list. So it depends on the **pool**, the hits in that list. (A hit that one list lacks is filled in with that list's last
# score. In a short list this is still a high one: a likely reason why a long list can be better.) The searches of the tree have a pool of 2,000, so flat
# search gets one as well. The usual pool of 100 has a row of its own.

# %%
from hierrag_lessons import Result, evaluate, verdicts

METHODS = {
    "flat, pool of 2,000": lambda name: HybridRetriever(flat[name].index, level=3, candidates=2000),
    "flat, pool of 100": flat.get,
    "tree, no summaries (control)": lambda name: TreeSearch(name, "control"),
    "tree, collapsed": lambda name: TreeSearch(name, "collapsed"),
    "tree, layers of 20": lambda name: TreeSearch(name, "layers"),
}
BUDGETS, results = (500, 1000, 2000, 4000, 8000), {}
for method, make in METHODS.items():
    parts = [evaluate(make(name), asked[name], BUDGETS, k=60) for name in asked]
    results[method] = Result(tuple(row for part in parts for row in part.rows))
verdicts(results, "recall")

# %%
verdicts(results, "complete")

# %% [markdown]
# (Several methods are tried, so p is adjusted. A difference is shown where two tests agree: an interval without zero, and
# p below 0.05.)
#
# - **Collapsed search of our tree: no difference shown** from flat search with the same pool. In recall it could be half
#   a point behind or a tenth of a point ahead.
# - **Layers are behind**, by 17 points of recall. RAPTOR's authors also found collapsed search the better one (their
#   figure 3).
# - **The pool does more than the tree.** With a pool of 100 flat search is behind, by 1 point of recall and 2 points of
#   complete answers. Against that row alone the tree looks better; that gain is the pool's.
#
# The tree and its control differ in nothing but where found summaries lead. So their difference is what it brings to follow
# them. Is it at
# least larger where a tree should help, for questions whose evidence is spread over one document?

# %%
control, collapsed = results["tree, no summaries (control)"], results["tree, collapsed"]
for what, rows in {
    "all questions": lambda row: True,
    "evidence spread over one document": lambda row: row.question.geometry == "document",
}.items():
    pair = {m: Result(tuple(filter(rows, r.rows))) for m, r in (("control", control), ("tree", collapsed))}
    for metric in ("recall", "complete"):
        _, (_, _, difference, low, high, *_) = verdicts(pair, metric).rows
        print(f"{what}, {metric}: tree minus control {difference:+.3f} ({low:+.3f} to {high:+.3f})")

# %% [markdown]
# No. Not even there is a difference shown.
#
# Is it our clusters? PCA found none in the handbook. So we built the same trees once more with RAPTOR's own clustering
# (UMAP, ten dimensions, one fixed seed; recorded, not run here). Collapsed, minus the control: −0.004 (−0.007 to −0.001).
# Layers: −0.18 (−0.21 to −0.14). One seed is one draw. With UMAP it was, if anything, a
# little worse. So nothing hints that the clusters are what is missing.
#
# ## Why so little
#
# You have read the eight best chunks. What next: read the ninth chunk, or follow a summary that was found? Above: where
# the found summaries lead. Below: how much of a question's evidence the next chunk holds.

# %% tags=["hide-input"]
from statistics import mean

from hierrag_lessons import Table, recall

worth, ways_down = defaultdict(list), defaultdict(list)
for name, questions in asked.items():
    search = TreeSearch(name, "layers")
    for question, scores in zip(questions, search.scores([q.question for q in questions]), strict=True):
        ranking = list(search.control(scores))
        share = {node_id: recall([search.nodes[node_id]], question.evidence) for node_id in ranking[:100]}
        for what, first, last in (("4 to 8", 3, 8), ("9 to 15", 8, 15), ("16 to 30", 15, 30)):
            worth[f"chunk at rank {what}"] += [share[node_id] for node_id in ranking[first:last]]
        place = {node_id: rank for rank, node_id in enumerate(ranking)}
        for node_id in [node_id for node_id in list(scores)[:30] if search.members(node_id)]:
            leads_to = min(search.chunks(node_id), key=lambda chunk: place.get(chunk, 9999))
            known = place.get(leads_to, 9999) < 8
            worth["already read" if known else "chunk that a summary leads to"].append(share.get(leads_to, 0.0))
        below = frozenset().union(*map(search.chunks, search.best_of(search.roots, scores)))
        for what, ids in (("below the 20 roots", below), ("reached", search.layers(scores)), ("flat 20", ranking[:20])):
            ways_down[name, what].append(recall([search.nodes[node_id] for node_id in ids], question.evidence))
read, unread = len(worth.pop("already read")), len(worth["chunk that a summary leads to"])
ranked = sorted(worth, key=lambda what: -mean(worth[what]))
with drawing(4.2, rows=2, width=8.0) as (figure, (upper, lower)):
    upper.get_gridspec().set_height_ratios((1, 3))
    part = 5.4 * read / (read + unread)
    upper.barh(0, part, color="#666666")
    upper.barh(0, 5.4 - part, left=part, color="#D55E00")
    texts = (
        f"{read / (read + unread):.0%} lead to a chunk\nyou have read",
        f"{unread / (read + unread):.0%} lead to\nanother chunk",
    )
    for text, at in zip(texts, (part / 2, (part + 5.4) / 2), strict=True):
        upper.text(at, 0, text, ha="center", va="center", color="white", weight="bold", fontsize=10)
    upper.set(title=f"{read + unread:,} summaries among the best 30 hits")
    upper.set_axis_off()
    for row, what in enumerate(ranked):
        value = 100 * mean(worth[what])
        lower.barh(row, value, color="#D55E00" if "summary" in what else "#0072B2", height=0.6)
        lower.text(value + 0.05, row, f"{value:.1f}", va="center")
    lower.set_yticks(range(len(ranked)), ranked)
    lower.invert_yaxis()
    lower.set(xlabel="mean share of the question's evidence in it, %", xlim=(0, 5.4))
    figure.numbers = Table(
        ("chunk", "how many", "evidence, %"), tuple((w, len(worth[w]), 100 * mean(worth[w])) for w in ranked)
    )
    figure.alt = (
        f"Of {read + unread} summaries found, {read} lead to a chunk among the first eight. Mean share of the evidence: "
        + "; ".join(f"{what} {100 * mean(worth[what]):.1f} %" for what in ranked)
        + "."
    )
figure

# %% [markdown]
# This picture explains the result:
#
# - **More than half of the found summaries lead to a chunk that you have read.** It is what one would expect: an extract is made
#   of sentences of its chunks. The sentence that was hit stands in one of its chunks, so that chunk is a hit as well.
# - **The others lead to a chunk worth no more than the next one in the ranking**, and take its place: a mean of 0.9 % of the
#   evidence, where ranks 9 to 15 have 1.4 %. (Means, without an interval: that it is worth *less* is not shown.)
#
# A summary by a model could change the first point: it can use the question's words where no chunk does. Whether it does
# on your texts, this picture tells you, for a few documents and a few cents. **Draw it before you write a hundred
# thousand summaries.**
#
# And the layers, from the roots down? Here is what is left after the first step, and at the end:

# %%
for name in asked:
    left = {what: f"{mean(values):.2f}" for (language, what), values in ways_down.items() if language == name}
    roots = len(TreeSearch(name, "layers").roots)
    print(f"{name}, {roots} roots: {left['below the 20 roots']} of the evidence is below the 20 best roots,", end=" ")
    print(f"{left['reached']} in the chunks reached, {left['flat 20']} in the 20 best chunks of the control")

# %% [markdown]
# Among 75 English documents a sixth of the evidence is lost at the first step, where one short summary speaks for a
# whole document. (Of 22 Chinese ones nearly all are kept.) More is lost on the way down, where 20
# nodes are kept for all documents together. Whether layers do better inside *one* document that you know already
# was not measured.
#
# ## What a change costs
#
# A tree belongs to one document. A new document gets a tree of its own and changes no other. But what if a document
# *changes*? Its chunks are clustered anew. `CachedSummariser` keeps every summary whose members are the same texts as
# before. One short sentence goes into the annual report:

# %%
from hierrag_lessons import CachedSummariser, Document


class Counting(ExtractiveSummariser):
    """Counts what it is asked to sum up."""

    asked = 0

    def summarise(self, document, nodes, max_tokens):
        Counting.asked += 1
        return super().summarise(document, nodes, max_tokens)


cached, place = CachedSummariser(Counting()), tree.leaves[60].end
longer = Document(report.doc_id, report.text[:place] + " See the note." + report.text[place:], "markdown", "en")
for what, document in {"first build": report, "nothing changed": report, "one sentence added": longer}.items():
    Counting.asked = 0
    nodes = build_summary_tree(document, COURSE_CHUNKERS, cached)
    print(f"{what}: {Counting.asked} of {sum(node.derived for node in nodes)} summaries written")

# %% [markdown]
# One sentence, and 20 of 59 summaries are new. On the way from one chunk to the root there are three. But one vector
# has moved, so the clouds move, and other chunks change their cluster. Sections stay where they are, clusters don't.
# With RAPTOR's own code it can be all of them: UMAP has no seed there, so each run is another tree.
#
# And the first build? For each summary a model reads the members and writes 131 tokens, RAPTOR's average:

# %%
from hierrag_lessons import count_tokens

inner = [(tree, node) for own in trees.values() for tree in own for node in tree if node.derived]
read = sum(count_tokens(tree.node(member).text) for tree, node in inner for member in node.metadata["members"])
chunks = sum(len(tree.leaves) for own in trees.values() for tree in own)
print(f"{len(inner)} summaries for {chunks} chunks: one for every {chunks / len(inner):.1f}")
calls, tokens = 1e5 * len(inner) / chunks, 1e5 * read / chunks
print(f"100,000 chunks: {calls:,.0f} calls, {tokens / 1e6:.0f} million tokens read, {131 * calls / 1e6:.1f} written")

# %% [markdown]
# ## On Monday
#
# **The default is no tree.** Flat hybrid search, and a large pool. (On the course's own small texts, asked in users' words,
# the pool alone brought 2 points of complete answers. For questions that avoid the words of the texts it was not measured here.) Think of a tree when your users ask about wholes ("what changes for customers?"), the texts are
# long, and no author gave them a good outline. Then check before you pay:
#
# 1. Write summaries with a model for three long documents, and index them beside the chunks.
# 2. Take 50 real questions on these documents. Count how many found summaries lead to a chunk among the first eight. If
#    it is nearly all of them, stop: then the third step has little to judge. (Our extracts: 58 %.)
# 3. Mark the evidence of the questions. Is the chunk that a summary leads to worth more than the chunk at rank 9? If not,
#    stop.
# 4. Only then build it all, and compare with flat search at equal tokens and an equal pool.
#
# | setting | value |
# |---|---|
# | search | collapsed |
# | leaves | 100 to 200 tokens; RAPTOR has 100 |
# | clusters | at most what fits the prompt: 3,500 tokens in RAPTOR, 10 members here |
# | summaries | 100 to 150 tokens. Longer ones are more than many embedders read |
# | what the reader gets | chunks. RAPTOR gives the summaries as well: then mark them as summaries, and count them against the budget |
# | storage | a quarter more rows and vectors |
# | when not | questions about facts; short documents, where a tree is one summary; texts that change daily |
# | libraries | parthsarthi03/raptor (needs umap-learn and a model), LlamaIndex's RAPTOR pack; neither is installed here |
# | instead | sections: [lesson 20](20_every_level_speaks.ipynb) scores a chunk by its section as well, without a model |
#
# ## Exercises
#
# `hint("16.1")` gives a hint, `solution("16.1")` shows a solution.
#
# ### Exercise 16.1 · Find the bug: who belongs to which cluster
#
# ★☆☆ · 8 minutes. `probabilities[i][c]` says how likely chunk `i` belongs to cluster `c`. A chunk belongs to every cluster with
# **at least** `threshold`, and in any case to its likeliest one (the first of equals). Return, for each cluster, the chunks
# that belong to it, ascending. The rule below is RAPTOR's. It can lose a chunk.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def soft_members(probabilities: list[list[float]], threshold: float) -> list[list[int]]:
    """For each cluster the chunks that belong to it: every chunk to at least one cluster."""
    clusters: list[list[int]] = [[] for _ in probabilities[0]] if probabilities else []
    for chunk, row in enumerate(probabilities):
        for cluster, probability in enumerate(row):
            if probability > threshold:
                clusters[cluster].append(chunk)
    return clusters


check("16.1", soft_members)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 16.1


check("16.1", soft_members)

# %% [markdown]
# ### Exercise 16.2 · What a summary stands for
#
# ★★☆ · 10 minutes. `members` has the members of each summary, which are chunks or other summaries; `chunks` has the span of
# each chunk. Return the spans that the node `name` stands for: of a chunk its own span, of a summary the **union** of the
# spans of all chunks below it: sorted, and one span where they overlap or touch. A chunk can lie below several summaries.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def sources(name: str, members: dict[str, list[str]], chunks: dict[str, Span]) -> list[Span]:
    """The union of the spans of all chunks below a node; of a chunk, its own span."""
    return ...


check("16.2", sources)

# %% tags=["solution"]
from hierrag_lessons import Span, check, merge

# solution: 16.2


check("16.2", sources)

# %% [markdown]
# ### Exercise 16.3 · From the roots down
#
# ★★☆ · 12 minutes. Search by layers. The first layer is `roots`. Of each layer keep the best `width` nodes: highest score first,
# equal scores by name. Kept nodes that are no keys of `members` are chunks: they are reached. The next layer are the members
# of the other kept nodes, each once. Return all chunks reached, each once, best first, by
# the same rule. No roots give `[]`; `width` is 1 or more.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def walk(roots: list[str], members: dict[str, list[str]], scores: dict[str, float], width: int) -> list[str]:
    """Keep the best ``width`` nodes of a layer, go on to their members; the chunks reached, best first."""
    return ...


check("16.3", walk)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 16.3


check("16.3", walk)

# %% [markdown]
# ### Decide · Is it worth a model?
#
# ★★☆ · 8 minutes. Three teams wrote summaries for a part of their texts, with a model, and measured collapsed search
# against flat hybrid search. Who should go on? Say what you would do next before you unfold. (The numbers are made up.)
#
# | team | chunks | found summaries that lead to an unread chunk | evidence in such a chunk | in a chunk at rank 9 to 15 | recall, tree minus flat |
# |---|---|---|---|---|---|
# | A: support articles | 40,000 | 12 % | 0.9 % | 1.2 % | 0.00 (−0.01 to +0.01) |
# | B: court files of 300 pages | 900,000 | 55 % | 3.8 % | 1.1 % | +0.03 (+0.01 to +0.05) |
# | C: one novel at a time | 2,000 | 60 % | 1.5 % | 1.3 % | +0.02 (−0.02 to +0.06) |
#
# <details><summary>An answer</summary>
#
# A: stop. What the summaries add is worth no more than the next hits, and the interval is narrow: there is no gain of
# more than one point to be found. B: the gain is shown, and the table says where it comes from. Now count: about 230,000
# requests for 900,000 chunks, and again a third of a document's summaries when it changes. If court files don't change, go
# on. C: nothing is shown either way. The interval is wide, so more questions come first; 2,000 chunks cost next to nothing
# to sum up. And ask whether recall is the right measure there: the summaries themselves may be what the reader needs.
# </details>
#
# ### Open task · Beat this figure
#
# ★★★ · as long as you like. Let a found summary lead to two chunks, or give its score a weight below 1, or write the
# summaries with a model of your own. **Write down first what you expect from the picture of the section "Why so
# little".** The figure to beat is the recall of the collapsed search, mean over all budgets. A difference whose interval
# includes zero, or whose adjusted p is 0.05 or more, is no win.


# %%
class Mine(TreeSearch):
    """A found summary counts less than a chunk."""

    def collapsed(self, scores):
        return super().collapsed({n: s - 0.5 * bool(self.members(n)) for n, s in scores.items()})


part = evaluate(Mine("zh", "collapsed"), asked["zh"], BUDGETS, k=60)
before = Result(tuple(row for row in collapsed.rows if row.question.language == "zh"))
verdicts({"tree, collapsed": before, "mine": part}, "recall")

# %%
stack.close()

# %% [markdown]
# ## Takeaways
#
# 1. A summary tree groups chunks by meaning, so one node can stand for places all over a document.
# 2. A cluster collects what is about one subject. Five remarks about five subjects don't meet in it.
# 3. A summary is a key, not an answer. It leads to text, and only text can be cited.
# 4. For a tree of extracts, searched collapsed, no difference from flat search is shown. From the roots down it is far behind.
#    Give both searches the same pool, or you measure the pool.
# 5. Look what found summaries lead to. If it is what you have already, then a tree that only leads to chunks won't help.
#    A model's summaries have to be measured on their own.
#
# ## Quiz
#
# <details><summary>1. Why can parents and windows not find the missing remark of the beginning?</summary>They bring neighbours of a hit. The missing remark stands in another chapter.</details>
#
# <details><summary>2. Why does RAPTOR's code build different trees in two runs, although it sets seeds?</summary>The mixtures have fixed seeds. UMAP, which comes before them, has none.</details>
#
# <details><summary>3. A document of eight chunks: what does RAPTOR's code do?</summary>Nothing. For 11 nodes or fewer it makes no new layer, so the document has no summaries. It does not fail.</details>
#
# <details><summary>4. Why is search by layers risky with many documents?</summary>The first step compares the question with one short summary a document. If it ranks low, the whole document is lost, and can't be found again below.</details>
#
# <details><summary>5. No difference between the tree and flat search is shown. Does that refute RAPTOR?</summary>No. The summaries here are sentences of the text. The paper's are written by a model, and are handed to the reader.</details>
#
# ## Interview questions
#
# <details><summary>1. How does RAPTOR choose the number of clusters, and what can go wrong?</summary>
#
# UMAP to ten dimensions, then mixtures of 1 to 49 clouds (Gaussians). The number with the lowest BIC is taken, a score that
# weighs the fit against the number of clouds; first for all chunks, then inside each cluster. The reduction matters most: with PCA in its place, the same BIC finds one component on a
# handbook where UMAP has more than ten, and code that clusters a too large cluster again would never end. UMAP without a seed
# gives another tree each time, so I'd fix it, and I'd give every chunk its likeliest cluster.
# </details>
#
# <details><summary>2. A summary scores best for a question. What do you hand to the language model?</summary>
#
# Text that the summary leads to: the chunk below it that fits the question best. RAPTOR hands over the summary itself,
# which can be right for questions about a whole. Then I'd mark it as a summary, count it against the same budget, and
# never cite it: a model wrote it.
# </details>
#
# <details><summary>3. Your team wants RAPTOR because the paper reports gains. How do you decide?</summary>
#
# I'd look at the controlled rows first: the same search with and without the tree differ by half a point to two points. Then our
# own questions, at equal tokens, against flat hybrid search, with intervals. Before paying for all texts I'd sum up a
# few documents and see what found summaries lead to. And I'd count the cost of a change: one sentence can mean a third of a
# document's summaries, or all of them.
# </details>
#
# ## Further reading
#
# - Sarthi et al., *RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval*, ICLR 2024:
#   [arXiv:2401.18059](https://arxiv.org/abs/2401.18059); code: [parthsarthi03/raptor](https://github.com/parthsarthi03/raptor)
# - [Appendix A3](appendix/A3_clustering_for_trees.ipynb): soft clusters, BIC, PCA and UMAP.
# - Erkan and Radev, *LexRank: Graph-based Lexical Centrality as Salience in Text Summarization*, 2004:
#   [arXiv:1109.2128](https://arxiv.org/abs/1109.2128)
#
# Next: [17 · Four levels](17_four_level_index.ipynb). Back: [15 · Auto-merging](15_auto_merging.ipynb) ·
# [tour](00_tour.ipynb).
