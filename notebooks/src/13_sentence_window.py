# %% [markdown]
# # 13 · Sentence windows
#
# > *How many delivery days did the MCO's final decision against Quillfeather cover, and why fewer than first counted?*
#
# Two things are asked: a number, and a reason. We cut the texts into single sentences, and search them with hybrid
# search (words and meaning together). The first line of the output is the best hit. The second is the sentence after
# it, with its rank:

# %%
from contextlib import ExitStack
from dataclasses import replace

from hierrag_lessons import FlatRetriever, course_questions, sentence_hierarchy, temporary_index

stack = ExitStack()  # keeps the indexes until the kernel ends
asked, trees, index = {}, {}, {}
for name in ("en", "zh"):
    documents, questions = course_questions(name)  # dev questions, in users' words
    asked[name] = [question for question in questions if question.answerable]
    made = [replace(sentence_hierarchy(document), searched=frozenset({3, 4})) for document in documents]
    trees[name] = {tree.document.doc_id: tree for tree in made}
    index[name] = stack.enter_context(temporary_index(made))

hook = next(question for question in asked["en"] if question.id == "en-ar-010-u")
found = FlatRetriever(index["en"], level=4, mode="hybrid").retrieve(hook.question, 100)
rank = {passage.hits[0].node.node_id: place for place, passage in enumerate(found, start=1)}
best = found[0].hits[0].node
for sentence in trees["en"][best.doc_id].levels[4][best.position : best.position + 2]:
    print(f"{rank.get(sentence.node_id, 'not among the best 100')}: {sentence.text}")

# %% [markdown]
# The number was found. The reason is in the very next sentence, and that one is not among the best hundred. "Four of the
# 41" names no decision, no Quillfeather, no delivery days. It does not have to: the sentence before it said all that.
# **The search stopped one line too early.** So why not simply read on?
#
# **You will** measure where the rest of an answer lies, and what an unread neighbour is worth; build windows from
# offsets; stop them at borders; and compare them with good chunks at equal budgets.
#
# **You learn** why what is searched and what is read need not be the same; where a window should end; and why good
# chunks are hard to beat with sentences.
#
# **You need** lessons [01](01_spans_and_tokens.ipynb) (spans), [02](02_embeddings_and_store.ipynb) (index, hybrid
# search), [03](03_measuring_retrieval.ipynb) (budgets, verdicts) and [05](05_sentences.ipynb) (sentences). {{minutes}},
# medium (★★☆). No network, no API key. Words you don't know are in the [glossary](GLOSSARY.md).
#
# {{map}}
#
# The way through: [where the evidence lies](#Where-the-evidence-lies), [a
# neighbour](#What-an-unread-neighbour-is-worth), [the idea](#The-idea), [windows as text](#Windows-stored-as-text), [by
# hand](#By-hand), [borders](#Borders), [LlamaIndex](#Beside-LlamaIndex), [measured](#Measured), [on
# Monday](#On-Monday), [exercises](#Exercises).
#
# ## Where the evidence lies
#
# From here on the cuts stay as they are, and the search changes. The texts have the levels that all lessons of this
# part share: **parts** of at most 2,000 tokens, **sections** of at most 600, **leaves** of at most 200, all cut by
# headings. Below them comes a fourth level, for this lesson: each **sentence** is a node. Leaves and sentences can be
# searched.
#
# The **evidence** of a question is the passages that hold its answer, marked by hand. How many sentences is that? Do
# they stand together? Sentences that follow each other are one **stretch**.

# %%
from functools import cache
from statistics import mean

from hierrag_lessons import Table, count_tokens, overlap

size = cache(count_tokens)  # the same texts are measured again and again


def tokens(nodes):
    return sum(size(node.text) for node in nodes)


lines = []
for name, questions in asked.items():
    rows = []
    for question in questions:
        held, wide, leaves = {}, {}, {}  # the evidence, with two neighbours on each side, and its leaves
        for piece in question.evidence:
            tree = trees[name][piece.doc_id]
            for at, sentence in enumerate(tree.levels[4]):
                if overlap(sentence.span, piece.span):
                    held[piece.doc_id, at] = sentence
                    wide |= {(piece.doc_id, other.position): other for other in tree.levels[4][max(0, at - 2) : at + 3]}
                    leaves[sentence.parent_id] = tree.node(sentence.parent_id)
        stretches = sum((doc_id, at - 1) not in held for doc_id, at in held)  # places where one begins
        rows.append(
            (len(held), stretches, stretches == 1, *map(tokens, (held.values(), wide.values(), leaves.values())))
        )
    sentences, stretches, one, *sizes = map(mean, zip(*rows, strict=True))
    lines.append((name, len(questions), f"{sentences:.1f}", f"{stretches:.1f}", f"{one:.0%}", *map(round, sizes)))
columns = ("texts", "questions", "sentences", "stretches", "in one stretch", "tokens", "with ±2", "as leaves")
Table(columns, tuple(lines), "what it takes to hold all evidence of a question, means")

# %% [markdown]
# An answer is about seven sentences, and they stand in three or four places. About one question in six has all of them
# in one stretch. So reading on from a hit can complete a *piece* of an answer. It rarely completes the answer.
#
# And it costs. With two more sentences on each side (±2), the tokens more than double. That is still less than whole
# leaves. Whether it pays depends on what the neighbours hold.
#
# ## What an unread neighbour is worth
#
# You have read the twenty best sentences. What next: the sentence at rank 21, or one that stands beside a hit? The table
# has the mean share of the evidence that one such sentence holds. A neighbour is up to two sentences away. Neighbours in
# the next leaf get rows of their own.

# %%
from hierrag_lessons import recall


class Known:
    """The best nodes of each dev question, searched once: hybrid, by z-scores."""

    def __init__(self, name, level, depth):
        texts = [question.question for question in asked[name]]
        found = FlatRetriever(index[name], level, mode="hybrid").retrieve_batch(texts, depth)
        self.found = dict(zip(texts, found, strict=True))

    def retrieve_batch(self, queries, k=5):
        return [self.found[query][:k] for query in queries]


leaves = {name: Known(name, 3, 100) for name in index}
sentences = {name: Known(name, 4, 600) for name in index}

worth, titles = {}, {"en": [], "zh": []}
for name, questions in asked.items():
    for question in questions:
        nodes = [passage.hits[0].node for passage in sentences[name].found[question.question][:40]]
        seen = {node.node_id for node in nodes[:20]}  # a neighbour counts once, for the best hit beside it
        for what, first, last in (("1 to 3", 0, 3), ("4 to 10", 3, 10), ("11 to 20", 10, 20), ("21 to 40", 20, 40)):
            own = worth.setdefault(f"a sentence at rank {what}", {"en": [], "zh": []})[name]
            own += [recall([node], question.evidence) for node in nodes[first:last]]
            for node in nodes[first:last] if last <= 20 else ():
                row = trees[name][node.doc_id].levels[4]
                for other in row[max(0, node.position - 2) : node.position + 3]:
                    if other.node_id not in seen:
                        seen.add(other.node_id)
                        where = "same leaf" if other.parent_id == node.parent_id else "next leaf"
                        of_them = worth.setdefault(f"{where}: neighbour of rank {what}", {"en": [], "zh": []})[name]
                        of_them.append(recall([other], question.evidence))
                        if where == "next leaf" and what == "1 to 3":
                            titles[name].append(other.text.lstrip().startswith("#"))
order = sorted(worth, key=lambda what: -mean(worth[what]["en"] + worth[what]["zh"]))
rows = [(what, *(f"{100 * mean(worth[what][name]):.1f}" for name in asked)) for what in order]
for name in asked:
    same, following = (mean(worth[f"{where}: neighbour of rank 1 to 3"][name]) for where in ("same leaf", "next leaf"))
    print(
        f"{name}: in the next leaf {following / same:.0%} of that, {sum(titles[name])} of {len(titles[name])} headings"
    )
Table(("a sentence", "en", "zh"), tuple(rows), "share of a question's evidence in it, %")

# %% [markdown]
# Read it as a shopping list: the order in which to buy tokens. (These are means, without intervals.)
#
# - **A neighbour of the three best, in the same leaf,** is worth about as much as a sentence at rank 11 to 20. So read
#   it, but not before the first ten hits.
# - **A neighbour of rank 4 to 10, in the same leaf,** is worth about as much as a sentence at rank 21 to 40. So it comes
#   next.
# - **Where the leaf ends, the worth drops.** Beside the three best it falls to 39 % in English and to 16 % in Chinese.
#   After a border the text is about something else. And many leaves begin with a bare heading.
#
# So windows around the best hits should pay, and they should end where the leaf ends. How are they built?
#
# ## The idea
#
# ![Sixteen sentences in three sections. Sentences 3, 5 and 11 were hit. Their windows of two sentences on each side
# hold 15 sentences, of which 12 are different. Joined they are two passages, sentences 1 to 7 with two hits and 9 to 13
# with one. Stopped at the section, the second passage is 9 to 11.](images/13_windows.svg)
#
# To be *found*, a text should be short: one thought, one vector. To be *understood*, it should be long: "it" and "the
# second one" need what comes before. So **search sentences, read windows**. Take the best sentences, and return each
# with its neighbours. It is the simplest kind of **small-to-big** retrieval. The best hits often stand side by side.
# Then their windows overlap, and become one passage.
#
# ## Windows stored as text
#
# This is how it is often written: when the index is made, each sentence gets its window, as text.


# %%
import re


def nodes_with_windows(text, size=3):
    """One record a sentence, as often published."""
    sentences = re.split(r"(?<=[.!?])\s+", text)
    return [
        {"text": sentence, "window": " ".join(sentences[max(0, i - size) : i + size + 1])}
        for i, sentence in enumerate(sentences)
    ]


for name in trees:
    documents = [tree.document for tree in trees[name].values()]
    records = [record for document in documents for record in nodes_with_windows(document.text)]
    stored = sum(len(record["text"]) + len(record["window"]) for record in records)
    largest = max(count_tokens(record["window"]) for record in records)
    print(
        f"{name}: {stored / sum(len(d.text) for d in documents):.1f} times the text, largest window {largest:,} tokens"
    )

repeated = []
for question in asked["en"]:
    nodes = [passage.hits[0].node for passage in sentences["en"].found[question.question][:10]]
    shown = [(n.doc_id, n.position + step) for n in nodes for step in range(-3, 4)]
    repeated.append(1 - len(set(shown)) / len(shown))
print(f"ten windows of ±3: {mean(repeated):.0%} of the sentences come twice, for one question {max(repeated):.0%}")

# %% [markdown]
# Three things are wrong:
#
# - **Space.** Every sentence is stored once as itself, and once in each window that holds it. Tomorrow you want ±2, and
#   the index has to be made again.
# - **Chinese.** The pattern waits for a Latin full stop and a space, and Chinese has hardly any. So three
#   "sentences" on each side can be most of a document.
# - **Repetition.** Windows overlap. The model reads the same lines twice, and you pay twice.
#
# What should be stored instead? Nothing.
#
# ## By hand
#
# A window is a span: from the start of its first sentence to the end of its last. The index knows the place of every
# sentence in its document, so a window can be computed when it is needed. Two functions of [lesson
# 01](01_spans_and_tokens.ipynb) do it, on the *places* of sentences. `grow` widens each hit and stops at the document's
# edges. `merge` joins what overlaps or touches.

# %%
from hierrag_lessons import Span, grow, merge


def window_spans(sentences, places, before, after):
    """Spans of text around the sentences at ``places``, joined where they meet."""
    all_places = Span(0, len(sentences))
    runs = merge(grow(Span(place, place + 1), before, after, all_places) for place in places)
    return [Span(sentences[run.start].start, sentences[run.end - 1].end) for run in runs]


text = "One. Two. Three. Four. Five. Six. Seven. Eight. Nine. Ten."
ten = [Span(m.start(), m.end()) for m in re.finditer(r"\w+\.", text)]
for places in ([0], [3], [2, 5], [2, 6]):
    print(f"{places!s:6}", [text[start:end] for start, end in window_spans(ten, places, 1, 1)])

# %% [markdown]
# (Places are counted from 0. The windows of 2 and 5 touch, so they are one passage.)
#
# Two decisions are left: when to stop, and which score a joined passage gets. `SentenceWindowRetriever`, the package's
# version, goes down the ranking until there are `k` *different* passages. A hit whose window meets one joins it. And a
# passage of several hits has the score of its **best** hit. A sum would let many weak hits beat one good
# sentence. Does it make the same passages as our function?

# %%
from hierrag_lessons import SentenceWindowRetriever

checked = 0
for name, questions in asked.items():
    retriever = SentenceWindowRetriever(index[name], level=4, before=2, after=2, mode="hybrid")
    for passages in retriever.retrieve_batch([question.question for question in questions[::4]], 10):
        for doc_id in {passage.doc_id for passage in passages}:
            own = [passage for passage in passages if passage.doc_id == doc_id]
            places = [hit.node.position for passage in own for hit in passage.hits]
            expected = window_spans(trees[name][doc_id].levels[4], places, 2, 2)
            assert sorted(passage.span for passage in own) == expected
            checked += len(expected)
print(checked, "passages, all alike")

# %% [markdown]
# And the question of the beginning? One sentence after the hit is enough:

# %%
one_more = SentenceWindowRetriever(index["en"], level=4, before=0, after=1, mode="hybrid")
[first] = one_more.retrieve(hook.question, 1)
print(first.text)

# %% [markdown]
# ## Borders
#
# A window that runs on into the next section brings text about something else. So it can be told where to stop: at a
# level (`within=3`: the leaf), or at one `"block"` of the text: a paragraph, a list, in a dialogue a turn. One sentence
# of the annual report and one of the earnings call, ±4:

# %%
from hierrag_lessons import grow_hits

lines = []
for words in ("A notice of rejection that is later withdrawn", "The trial is set for 9 February."):
    node = next(n for tree in trees["en"].values() for n in tree.levels[4] if words in n.text)
    (hit,) = [h for h in index["en"].search(node.text, 20, level=4) if h.node.node_id == node.node_id]
    for within in (None, 3, "block"):
        (passage,) = grow_hits(index["en"], [hit], 4, 4, within)
        start, end = (" ".join(part.split()) for part in (passage.text[:24], passage.text[-24:]))
        lines.append((node.doc_id, str(within), count_tokens(passage.text), f"{start} … {end}"))
Table(("document", "within", "tokens", "passage"), tuple(lines), "one sentence, ±4")

# %% [markdown]
# In the report the author's section ends with the hit. Without a border, text about software comes along. In the call
# both borders keep out the next speaker. (`within=2` is wider: a section here is up to 600 tokens, and can hold several
# of the author's.)
#
# `grow_hits` does this with hits that are there already, of any level ([lesson 19](19_reranking_and_packing.ipynb)).
# What does the field's library do?
#
# ## Beside LlamaIndex
#
# LangChain has nothing of this name. LlamaIndex has. It isn't installed with the course, so here are its lines to read:
#
# ```python
# parser = SentenceWindowNodeParser.from_defaults(
#     window_size=3, window_metadata_key="window"
# )
# index = VectorStoreIndex(parser.get_nodes_from_documents(documents))
# with_windows = MetadataReplacementPostProcessor(target_metadata_key="window")
# engine = index.as_query_engine(similarity_top_k=10, node_postprocessors=[with_windows])
# ```
#
# It is the stored version. The sentence has an offset, the window has none. Overlaps are not joined, and there is no
# border inside a document. Sentences come from an English splitter unless you give another.
#
# Which is better, then: sentences, windows, or plain leaves?
#
# ## Measured
#
# All dev questions of both languages, budgets from 500 to 8,000 tokens, hybrid search by z-scores. The opponent is flat
# search of leaves. To save time we search once. This class builds windows from those hits, and joins them as above:


# %%
from typing import NamedTuple

from hierrag_lessons import Passage, Result, evaluate, verdicts

BUDGETS = (500, 1000, 2000, 4000, 8000)


class Window(NamedTuple):
    """Sentences from place ``first`` up to ``end``, of one document or leaf, with the score of the best hit in them."""

    home: str
    first: int
    end: int
    score: float
    node: object


class Windows:
    """The best sentences with their neighbours; windows that meet are one passage. ``k`` passages."""

    def __init__(self, name, size, in_leaf=False):
        self.known, self.trees, self.size, self.in_leaf = sentences[name], trees[name], size, in_leaf

    def retrieve_batch(self, queries, k=5):
        return [self.join(self.known.found[query], k) for query in queries]

    def around(self, passage):
        """The window of one hit: its neighbours in the same document, or in the same leaf."""
        node = passage.hits[0].node
        row = self.trees[node.doc_id].levels[4][max(0, node.position - self.size) : node.position + self.size + 1]
        near = [other.position for other in row if not self.in_leaf or other.parent_id == node.parent_id]
        home = node.parent_id if self.in_leaf else node.doc_id
        return Window(home, near[0], near[-1] + 1, passage.score, node)

    def join(self, passages, k):
        homes, count = {}, 0  # the windows so far, by document or leaf
        for passage in passages:
            new = self.around(passage)
            there = homes.setdefault(new.home, [])
            met = [w for w in there if w.first <= new.end and new.first <= w.end]
            best = max([new, *met], key=lambda w: w.score)
            joined = best._replace(first=min(w.first for w in (new, *met)), end=max(w.end for w in (new, *met)))
            homes[new.home] = [w for w in there if w not in met] + [joined]
            count += 1 - len(met)
            if count == k:
                break
        windows = [window for there in homes.values() for window in there]
        return [self.passage(window) for window in sorted(windows, key=lambda w: -w.score)]

    def passage(self, window):
        tree = self.trees[window.node.doc_id]
        start, end = tree.levels[4][window.first].start, tree.levels[4][window.end - 1].end
        return Passage(
            tree.document.doc_id, start, end, tree.document.text[start:end], window.node.context, window.score, ()
        )


# %% [markdown]
# `k`, the number of passages asked for, stands in the name of each window. Why it matters comes below. How to read the
# tables: *difference* is from the first row, *low* to *high* is its 95 % interval. Several methods are tried, so p is
# adjusted (after Holm). An interval without zero is not enough for "ahead" or "behind". The adjusted p must be below
# 0.05 as well.

# %%
METHODS = {
    "leaves of 200": (lambda name: leaves[name], 60),
    "sentences": (lambda name: sentences[name], 500),
    "±1, k=10": (lambda name: Windows(name, 1), 10),
    "±2, k=10": (lambda name: Windows(name, 2), 10),
    "±2 in the leaf, k=10": (lambda name: Windows(name, 2, in_leaf=True), 10),
    "±2 in the leaf, k=100": (lambda name: Windows(name, 2, in_leaf=True), 100),
}


def both(method, k, budgets=BUDGETS):
    """One result for the questions of both languages; ``k`` passages are asked for at first, then twice as many."""
    parts = [evaluate(method(name), asked[name], budgets, k=k) for name in asked]
    return Result(tuple(row for part in parts for row in part.rows))


results = {label: both(*method) for label, method in METHODS.items()}
verdicts(results, "recall")

# %%
verdicts(results, "complete")

# %% [markdown]
# In plain words:
#
# - **Single sentences are far behind leaves**, in both measures. Probably because a sentence has few
#   words of the question, so it is hard to find.
# - **Windows win most of it back, and stay behind.** The best of them, ±2 in the leaf with k=100, misses 0.02 of recall
#   and 0.035 of complete answers.
#
# So where texts have headings, good chunks are the better unit to search. A leaf has the words of all its sentences.
# But perhaps you have an index of sentences already. Which windows are best then?
#
# ### Width and border
#
# The same results, against ±2 without a border:

# %%
shapes = {label: results[label] for label in ("±2, k=10", "±1, k=10", "±2 in the leaf, k=10", "±2 in the leaf, k=100")}
verdicts(shapes, "complete")

# %%
verdicts(shapes, "recall")

# %% [markdown]
# - **Width.** ±1 is behind: ±2 has 4 points more complete answers. In recall no difference is shown.
# - **Border.** Windows that end with the leaf are ahead in recall, by 0.01 to 0.02. In complete answers no difference is
#   shown.
#
# ### How many to ask for
#
# Joining takes hit after hit, until `k` separate passages stand. With a large `k`, weak hits come in, and their windows join
# the good ones. Is that good or bad? At a budget of 1,000 tokens:

# %% tags=["hide-input"]
from hierrag_lessons import drawing, paired_difference

ASKED = (10, 40, 100)
SHOWN = {"±2, no border": (False, "#d55e00", "s"), "±2 in the leaf": (True, "#0072b2", "o")}
with drawing(4.8, rows=2, width=7.5) as (figure, panels):
    lines = []
    for label, (in_leaf, colour, marker) in SHOWN.items():
        windows = {name: Windows(name, 2, in_leaf) for name in asked}
        for k in ASKED:
            firsts = [
                tokens(windows[name].join(found, k)[:1]) for name in asked for found in sentences[name].found.values()
            ]
            result = both(windows.get, k, (1000,))
            lines.append((label, k, round(mean(firsts)), result.mean("recall"), result.mean("complete")))
        rows = [row for row in lines if row[0] == label]
        for axes, column in zip(panels, (2, 3), strict=True):
            axes.plot(ASKED, [row[column] for row in rows], color=colour, marker=marker, linewidth=2, label=label)
    base = mean(results["leaves of 200"].scores("recall", 1000).values())
    panels[1].axhline(base, color="#555555", linewidth=1.5, linestyle="--", label="leaves of 200")
    panels[0].axhline(1000, color="black", linewidth=1, linestyle=":")
    panels[0].text(10, 970, "the whole budget", va="top", fontsize=10)
    panels[0].set(ylabel="tokens of the\nfirst passage", ylim=(0, 1080))
    panels[1].set(ylabel="recall", xlabel="k, the passages asked for", xticks=ASKED)
    for axes in panels:
        axes.grid(visible=True, axis="y")
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    figure.numbers = Table(("window", "k", "tokens of the first passage", "recall", "complete"), tuple(lines))
    figure.alt = "What happens as more passages are asked for, at 1,000 tokens. " + " ".join(
        f"{label}, k={k}: the first passage has {first} tokens, recall {recalled:.2f}, complete {whole:.2f}."
        for label, k, first, recalled, whole in lines
    )
figure

# %% [markdown]
# Without a border, the first passage grows until it is all that fits into the budget, and recall falls. With a border
# it cannot grow beyond its leaf, and recall rises: the more sentences of a leaf were found, the more of it comes back.
# At k=100, windows in the leaf have the recall of leaves, at this budget. A leaf comes back piece by piece, as its sentences
# are found. [Lesson 15](15_auto_merging.ipynb) makes a rule of that.
#
# **With a border ask for many (100). Without one, ask for as many as fit.**
#
# ### By budget
#
# One picture for all of it. Recall minus that of leaves, at each budget:

# %% tags=["hide-input"]
SHOWN = {
    "sentences": ("#777777", "^", 0.92),
    "±2, k=10": ("#d55e00", "s", 1.0),
    "±2 in the leaf, k=100": ("#0072b2", "o", 1.09),
}
with drawing(3.6, width=8.0) as (figure, [axes]):
    lines = []
    for label, (colour, marker, shift) in SHOWN.items():
        for budget in BUDGETS:
            base, own = (results[m].scores("recall", budget) for m in ("leaves of 200", label))
            low, high = paired_difference(list(own.values()), list(base.values()))
            lines.append((label, budget, mean(own.values()) - mean(base.values()), low, high))
        rows = [row for row in lines if row[0] == label]
        at = [row[1] * shift for row in rows]
        axes.vlines(at, [row[3] for row in rows], [row[4] for row in rows], color=colour, linewidth=2)
        axes.plot(at, [row[2] for row in rows], color=colour, marker=marker, linewidth=1, label=label)
    axes.axhline(0, color="black", linewidth=1, linestyle="--")
    axes.set_xscale("log")
    axes.set_xticks(BUDGETS, [f"{budget:,}" for budget in BUDGETS])
    axes.minorticks_off()
    axes.set(xlabel="context budget, tokens", ylabel="recall − recall of leaves")
    axes.grid(visible=True, axis="y")
    axes.text(455, 0.003, "leaves of 200", va="bottom", fontsize=10)
    figure.legend(loc="outside upper center", ncols=3)
    figure.numbers = Table(("method", "budget", "difference", "low", "high"), tuple(lines))
    figure.alt = "Difference in recall from flat search of leaves over the budget, with 95 % intervals. " + " ".join(
        f"{label}: " + ", ".join(f"{row[2]:+.2f} at {row[1]:,}" for row in lines if row[0] == label) + "."
        for label in SHOWN
    )
figure

# %% [markdown]
# - **Windows** lose most at a small budget, probably because text around a hit takes the place of other hits. In the
#   leaf, little is missing from 1,000 tokens on. At 8,000 the two are 0.016 and 0.006 below leaves. (Their `k` differs as
#   well, so this says nothing about the border alone.)
# - **Single sentences** lose 8 to 12 points at every budget: a larger one brings more sentences, but not the missing ones.
#
# Are windows at 500 tokens at least better than the sentences alone?

# %%
at_500 = {
    label: Result(tuple(row for row in results[label].rows if row.budget == 500))
    for label in ("sentences", "±2 in the leaf, k=100", "leaves of 200")
}
verdicts(at_500, "recall")

# %% [markdown]
# No difference is shown. Leaves are ahead of single sentences, by 0.08. So with a small budget and headings in the
# text, take leaves. What goes wrong with sentences there?
#
# ### Rescued and spoiled
#
# Two questions at 500 tokens: on the first, ±2 in the leaf gains most against leaves; on the second it loses most. Guess
# the reasons before you unfold them.

# %%
from hierrag_lessons import largest_changes

english = [
    Result(tuple(row for row in results[m].rows if row.question.language == "en"))
    for m in ("leaves of 200", "±2 in the leaf, k=100")
]
for what, change in zip(("rescued", "spoiled"), largest_changes(*english, budget=500), strict=True):
    print(f"{what}: {change.question.question}")
    print(f"   {change.before:.2f} → {change.after:.2f}; evidence in one: {change.question.geometry}")
    for label, passages in (("leaves", change.passages_before), ("windows", change.passages_after)):
        shares = [f"{100 * recall([p], change.question.evidence):.0f}" for p in passages]
        print(f"   {label:7} % of the evidence, passage by passage: {', '.join(shares)}")

# %% [markdown]
# <details><summary>What happened</summary>
#
# Rescued: the answer is a row of a table and the footnote below it, in two leaves. The leaf with the footnote has three
# more footnotes about other things, so as a whole it matches the question badly. The one sentence matches it well.
#
# Spoiled: the answer is "no later than 60 minutes after the award". That sentence does not say *balancing capacity*. The
# first sentence of its leaf does. The leaf has the words of both and comes first. No window reached them in time.
# </details>
#
# ## On Monday
#
# Can you cut chunks? Search leaves of 200, and skip the rest. Have an index of sentences anyway, or readers who check quotes?
# Then this:
#
# ```python
# retriever = SentenceWindowRetriever(index, level=4, before=2, after=2, within=3, mode="hybrid")
# context = pack(retriever.retrieve(question, 100), 2000)
# ```
#
# | question | answer |
# |---|---|
# | when | quotes that a reader must check; an index of sentences that you have anyway |
# | when not | wherever chunks can be cut: search them. Answers made of several places. (Texts without any structure were not measured here) |
# | `before`, `after` | 2 and 2. Change this first: without a border, 4 points more complete answers than 1 and 1. LlamaIndex takes 3 and 3 and no border |
# | `within` | the leaf: 1 to 2 points of recall. In a dialogue `"block"`, the turn (not measured) |
# | `k` | with a border many (100); without one, as many as fit |
# | `mode` | `"hybrid"`. The package's own default is `"vector"` |
# | storage | seven to eight times as many vectors as leaves. At a million leaves: 11.5 GB instead of 1.5 GB, with 384 numbers of 4 bytes. Windows: nothing |
# | tokens, calls | the budget that you set; no model call |
# | time | two look-ups a question: the neighbours, and the text. A border of one level costs one more. The cell below has the ratio |
# | change | replace a document's sentences in one commit. A new window size needs no new index |
#
# **Check it on your own documents.** Mark the evidence of 50 questions, print the first two tables of this lesson, then
# compare with leaves at the budget that you pay for. All figures here are from the course's own small texts.
#
# [Lesson 20](20_every_level_speaks.ipynb) finds single sentences better: there, a sentence is scored by the text around
# it as well.

# %% tags=["volatile"]
import time

took = {}
for label, way in (
    ("leaves", FlatRetriever(index["en"], level=3, mode="hybrid")),
    ("sentences", FlatRetriever(index["en"], level=4, mode="hybrid")),
    ("±2 in the leaf", SentenceWindowRetriever(index["en"], 4, 2, 2, within=3, mode="hybrid")),
):
    started = time.perf_counter()
    for question in asked["en"][:10]:
        way.retrieve(question.question, 10)
    took[label] = time.perf_counter() - started
print({label: f"{seconds / took['leaves']:.1f} times the time of leaves" for label, seconds in took.items()})

# %% [markdown]
# ## Exercises
#
# `hint("13.1")` gives a hint, `solution("13.1")` shows a solution.
#
# ### Exercise 13.1 · Find the bug: the first sentence has no window
#
# ★☆☆ · 5 minutes. One line, found in many places. It should return the sentence at place `hit` (which exists) with **up
# to** `before` sentences before it and `after` after it. For sentences at the beginning of a text it returns too
# little, often nothing at all.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def window(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    """The sentence at place ``hit`` with up to ``before`` sentences before it and ``after`` after it."""
    return sentences[hit - before : hit + after + 1]


check("13.1", window)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 13.1


check("13.1", window)

# %% [markdown]
# ### Exercise 13.2 · Windows that meet
#
# ★★☆ · 15 minutes. `hits` are pairs `(place, score)` of the sentences that were found, best first, each place once; the
# text has `n` sentences, counted from 0. Return ranges `(first, end, score)`, half-open, of the sentences shown:
# windows cut off at the edges of the text, joined where they overlap or touch, each with the score of its best hit.
# Best first; equal scores in the order of the text. No hits, no ranges: `[]`.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def join_windows(hits: list[tuple[int, float]], before: int, after: int, n: int) -> list[tuple[int, int, float]]:
    """Ranges ``(first, end, score)`` of the sentences shown, best first, then in order; ``end`` is not shown."""
    return ...


check("13.2", join_windows)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 13.2


check("13.2", join_windows)

# %% [markdown]
# ### Exercise 13.3 · A window that stays at home
#
# ★★☆ · 10 minutes. `homes` says of every sentence of a dialogue who speaks it, in order. Return the half-open range
# `(first, end)` of the window around sentence `hit`: at most `before` sentences before it and `after` after it,
# and none that belongs to another **turn**. Ann, Bob, Ann are three turns.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def window_within(homes: list[str], hit: int, before: int, after: int) -> tuple[int, int]:
    """The half-open range of a window around sentence ``hit`` that ends where another speaker begins."""
    return ...


check("13.3", window_within)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 13.3


check("13.3", window_within)

# %% [markdown]
# ### Decide · Where should the window end?
#
# ★★☆ · 6 minutes. Three projects, and what an unread neighbour is worth in each, in % of a question's evidence. (The
# numbers are made up.) Choose for each: single sentences, ±1, ±2 with a border, or no sentences at all. Say why before
# you unfold.
#
# | project | rank 1 to 3 | rank 11 to 20 | neighbour of 1 to 3, same block | neighbour, next block |
# |---|---|---|---|---|
# | A: interviews, one answer a turn | 9 | 1 | 4 | 0.2 |
# | B: a list of 4,000 product facts | 30 | 0.5 | 0.1 | 0.1 |
# | C: reports with short sections | 4 | 1.5 | 1.5 | 1.4 |
#
# <details><summary>An answer</summary>
#
# A: ±2, stopped at the turn. A neighbour there is worth four times a sentence at rank 11 to 20, and nothing after the
# turn. B: single sentences. Each fact stands alone; a neighbour is worth less than the next hit. C: no sentences.
# Neighbours are worth as much as later hits wherever they are, so the section is the better unit: search leaves, and
# look at [lesson 14](14_parent_child.ipynb).
# </details>
#
# ### Open task · Beat this figure
#
# ★★★ · as long as you like. The shopping list says: first ten hits, then the neighbours of the three best. Write
# windows that follow it: windows around the first hits only, more after a hit than before it, ten single hits
# before any window. **Write down first what you expect, and at which budgets.** The figure to beat is the recall of
# ±2 in the leaf with k=100, mean over all budgets. A difference whose interval includes zero, or whose adjusted p is
# 0.05 or more, is no win.

# %%
mine = both(lambda name: Windows(name, 3, in_leaf=True), 100)
verdicts({"±2 in the leaf, k=100": results["±2 in the leaf, k=100"], "mine": mine}, "recall")

# %%
stack.close()

# %% [markdown]
# ## Takeaways
#
# 1. What is searched and what is read need not be the same: search sentences, read windows.
# 2. Store places, not windows. A window is a span; overlapping windows are a union of spans.
# 3. A neighbour of one of the three best hits is worth about as much as a sentence at rank 11 to 20. In the next leaf it
#    is worth between a sixth and two fifths of that.
# 4. Single sentences are far behind leaves. Windows are behind as well, by less. Where texts have headings, search
#    leaves.
# 5. Stop windows at a border, and ask for many. Without a border, joined windows of weak hits grow until one passage
#    fills the context.
#
# ## Quiz
#
# <details><summary>1. Why is a window stored as text a bad idea?</summary>It takes several times the text's space, its size is fixed until you index again, and overlapping windows repeat text. A window can be computed from places and offsets.</details>
#
# <details><summary>2. Two windows touch but don't overlap. One passage or two?</summary>One: no sentence lies between them. Unless there is a border between them, such as the end of a section.</details>
#
# <details><summary>3. A passage was made from five hits. Which score does it get?</summary>That of its best hit. With a sum, five weak hits in one place would beat one good hit.</details>
#
# <details><summary>4. You raise k from 10 to 100 and the first passage grows to a page. Why?</summary>More hits are used, and those that meet the first passage join it. With a border it cannot grow beyond its leaf.</details>
#
# <details><summary>5. Sentences are sharper than leaves. Why are they found less well?</summary>A sentence has few words of the question. "It", "this" and "four of the 41" name nothing; the words stand in the sentences around it.</details>
#
# ## Interview questions
#
# <details><summary>1. What is sentence-window retrieval, and how would you store it?</summary>
#
# Single sentences are embedded and searched; each is returned with its neighbours. I'd store for every sentence its
# document, its place and its offsets, and nothing else. At query time the neighbours' offsets are looked up,
# overlapping windows are joined, and the text is cut from the document. The window can then be changed without a new
# index, and no text is stored or returned twice.
# </details>
#
# <details><summary>2. Your ten best sentences are all from two paragraphs. What happens, and what do you do?</summary>
#
# Their windows overlap, so ten windows hold little more text than two. Joined they are two passages. I'd go further
# down the ranking until there are as many passages as wanted, keep the best hit's score, and stop at a border, so that
# a chain of joined windows can't eat the budget.
# </details>
#
# <details><summary>3. Sentence windows or parent-child?</summary>
#
# Windows need no hierarchy and quote exactly. Parents return what the author meant as one thing, so they fit handbooks,
# contracts and reports. Both cost tokens at a small budget. I'd measure how many
# sentences or leaves of an answer stand together, what an unread neighbour is worth, and compare both with flat search
# of good chunks at equal tokens. Here the chunks were ahead of windows.
# </details>
#
# ## Further reading
#
# - LlamaIndex, *Metadata Replacement + Node Sentence Window*:
# [developers.llamaindex.ai](https://developers.llamaindex.ai/python/examples/node_postprocessor/metadatareplacementdemo)
# - Chen et al., *Dense X Retrieval: What Retrieval Granularity Should We Use?*, 2023:
#   [arXiv:2312.06648](https://arxiv.org/abs/2312.06648). Sentences as units of retrieval, against passages and
#   propositions.
# - Wang et al., *Searching for Best Practices in Retrieval-Augmented Generation*, 2024:
#   [arXiv:2407.01219](https://arxiv.org/abs/2407.01219). Small-to-big and sliding windows among other choices.
#
# Next: [14 · Parent-child](14_parent_child.ipynb). Back: [12 · Hybrid](12_hybrid.ipynb) · [tour](00_tour.ipynb).
