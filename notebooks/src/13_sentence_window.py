# %% [markdown]
# # 13 · Sentence windows
#
# > *How many delivery days did the MCO's final decision against Quillfeather cover, and why fewer than first counted?*
#
# Two things are asked. Cut the texts into single sentences and search them. The first half is the best hit. And the
# second half?

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
# It is the very next sentence, and the search does not have it among its best hundred. "Four of the 41" names no
# decision, no Quillfeather, no delivery days. It does not have to: the sentence before it said all that. **The search
# stopped one line too early.** So why not simply read on?
#
# **You will** measure how far the rest of an answer lies from a hit, and what an unread neighbour is worth; see windows
# stored as text repeat themselves; compute them from offsets instead; stop them at borders; and measure it all at equal
# budgets.
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
# hand](#By-hand), [borders](#Borders), [LlamaIndex](#Beside-LlamaIndex), [measured](#Measured), [in
# production](#In-production), [exercises](#Exercises).
#
# ## Where the evidence lies
#
# From here on the cuts stay as they are, and the search changes. The texts have the levels that all lessons of this
# part share: **parts** of at most 2,000 tokens, **sections** of at most 600, **leaves** of at most 200, all cut by
# headings. Below them comes a fourth level, for this lesson: each **sentence** is a node. It has the heading path of
# its leaf. Leaves and sentences can be searched.
#
# One question proves nothing. So first look at all of them. The **evidence** of a question is the passages that hold
# its answer, marked by hand. How many sentences is that? Do they stand together? Sentences that follow each other are
# one **stretch**.

# %%
from statistics import mean

from hierrag_lessons import Table, count_tokens, overlap


def tokens(nodes):
    return sum(count_tokens(node.text) for node in nodes)


lines = []
for name, questions in asked.items():
    rows = []
    for question in questions:
        held, wide, leaves = {}, {}, {}
        for piece in question.evidence:
            tree = trees[name][piece.doc_id]
            for at, sentence in enumerate(tree.levels[4]):
                if overlap(sentence.span, piece.span):
                    held[piece.doc_id, at] = sentence
                    wide |= {(piece.doc_id, other.position): other for other in tree.levels[4][max(0, at - 2) : at + 3]}
                    leaves[sentence.parent_id] = tree.node(sentence.parent_id)
        stretches = sum((doc_id, at - 1) not in held for doc_id, at in held)
        rows.append(
            (len(held), stretches, stretches == 1, *map(tokens, (held.values(), wide.values(), leaves.values())))
        )
    sentences, stretches, one, *sizes = map(mean, zip(*rows, strict=True))
    lines.append((name, len(questions), f"{sentences:.1f}", f"{stretches:.1f}", f"{one:.0%}", *map(round, sizes)))
columns = ("texts", "questions", "sentences", "stretches", "in one stretch", "tokens", "with ±2", "as leaves")
Table(columns, tuple(lines), "what it takes to hold all evidence of a question, means")

# %% [markdown]
# An answer is about seven sentences, and they stand in three or four places. About one question in
# six has all of them in one stretch. So reading on from a hit can complete a *piece* of an answer. It rarely completes
# the answer.
#
# And it costs. Two more sentences on each side of the evidence, and the tokens more than double. That is still less
# than whole leaves. Whether it pays depends on what the neighbours hold.
#
# ## What an unread neighbour is worth
#
# You have read the twenty best sentences. What next: the sentence at rank 21, or one that was not found and stands
# beside a hit? For each, the mean share of the evidence that it holds. A neighbour is up to two sentences away. It
# counts separately if a leaf ends in between.

# %%
from hierrag_lessons import recall


class Known:
    """Flat hybrid search by z-scores, which remembers the best nodes of each dev question."""

    def __init__(self, name, level, depth):
        texts = [question.question for question in asked[name]]
        found = FlatRetriever(index[name], level, mode="hybrid").retrieve_batch(texts, depth)
        self.found = dict(zip(texts, found, strict=True))

    def retrieve_batch(self, queries, k=5):
        return [self.found[query][:k] for query in queries]


leaves = {name: Known(name, 3, 100) for name in index}
sentences = {name: Known(name, 4, 600) for name in index}

worth = {}
for name, questions in asked.items():
    for question in questions:
        nodes = [passage.hits[0].node for passage in sentences[name].found[question.question][:40]]
        seen = {node.node_id for node in nodes[:20]}
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
order = sorted(worth, key=lambda what: -mean(worth[what]["en"] + worth[what]["zh"]))
rows = [(what, *(f"{100 * mean(worth[what][name]):.1f}" for name in asked)) for what in order]
Table(("a sentence", "en", "zh"), tuple(rows), "share of a question's evidence in it, %")

# %% [markdown]
# Read it as a shopping list, dearest first:
#
# - **A neighbour of the three best, in the same leaf,** is worth about as much as a sentence at rank 11 to 20. So read
#   it, but not before the first ten hits.
# - **A neighbour of a weaker hit** is worth less than a sentence at rank 11 to 20. Whoever puts a window around *every*
#   hit buys too early.
# - **Where the leaf ends, the worth drops**, for the first ten hits to a third or less. Behind the border the text is
#   about something else.
#
# So this is what to expect: windows lose at a small budget, and they should end where the leaf ends. We will see.
#
# ## The idea
#
# ![Sixteen sentences in three sections. Sentences 3, 5 and 11 were hit. Their windows of two sentences on each side
# hold 15 sentences, of which 12 are different. Joined they are two passages, sentences 1 to 7 with two hits and 9 to 13
# with one. Stopped at the section, the second passage is 9 to 11.](images/13_windows.svg)
#
# To be *found*, a text should be short: one thought, one vector. To be *understood*, it should be long: "it" and "the
# second one" need what comes before. So **search sentences, read windows**. Take the best sentences, and return each
# with its neighbours. It is the simplest kind of **small-to-big** retrieval. Where two windows meet, they become one
# passage.
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
#   "sentences" on each side can be a whole document.
# - **Repetition.** Good sentences stand side by side, so their windows overlap. The model reads the same lines twice,
#   and you pay twice.
#
# Another published version (the study note *Hierarchical RAG*, 2026) promises sentence windows, and takes **leaves**.
# It looks for neighbours among the children of one parent only. What comes of that, with its five best leaves?

# %%
from collections import Counter

count = Counter()
for question in asked["en"]:
    shown = []
    for passage in leaves["en"].found[question.question][:5]:
        node, tree = passage.hits[0].node, trees["en"][passage.doc_id]
        siblings = tree.children(tree.node(node.parent_id))
        at = siblings.index(node)
        shown += siblings[max(0, at - 1) : at + 2]
        first, last = node.position == 0, node.position == len(tree.levels[3]) - 1
        count["ends at the parent, though the text goes on"] += (at == 0 and not first) + (
            at == len(siblings) - 1 and not last
        )
        count["sides of a window"] += 2
    count["leaves shown"] += len(shown)
    count["shown twice"] += len(shown) - len({leaf.node_id for leaf in shown})
print(*(f"{number:5} {what}" for what, number in count.items()), sep="\n")

# %% [markdown]
# Three sides in ten end at the parent although the text goes on, because most parents have few leaves. And one leaf in
# seven is shown twice. A border can be a good thing, as you will see. But it should be a choice, and here nobody chose
# it.
#
# ## By hand
#
# A window is a span, and the index knows the place of every sentence in its document. So nothing has to be stored. Two
# functions of [lesson 01](01_spans_and_tokens.ipynb) do it, on the *places* of sentences: `grow` widens each hit and
# stops at the document's edges, `merge` joins what overlaps or touches.

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
# `SentenceWindowRetriever` is the package's version. It has to settle what the drawing leaves open. It goes down the
# ranking until there are `k` *different* passages; a hit that meets one joins it. And a passage scores as its **best**
# hit does: a sum would let many weak hits beat one good sentence. For the hits that it used, are its passages ours?

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
# And the question of the beginning? One sentence behind is enough:

# %%
one_more = SentenceWindowRetriever(index["en"], level=4, before=0, after=1, mode="hybrid")
[first] = one_more.retrieve(hook.question, 1)
print(first.text)

# %% [markdown]
# ## Borders
#
# A window that runs on into the next section brings text about something else. So it can be told to stop: at a level
# (`within=3`: the leaf, `within=2`: the section), or, where the index has no such level, at a `"block"` (a paragraph, a
# list, in a dialogue a turn) or a `"section"` of the document. One sentence of the annual report and one of the
# earnings call, ±4:

# %%
from hierrag_lessons import grow_hits

lines = []
for words in ("A notice of rejection that is later withdrawn", "The trial is set for 9 February."):
    node = next(n for tree in trees["en"].values() for n in tree.levels[4] if words in n.text)
    (hit,) = [h for h in index["en"].search(node.text, 20, level=4) if h.node.node_id == node.node_id]
    for within in (None, 2, 3, "block"):
        (passage,) = grow_hits(index["en"], [hit], 4, 4, within)
        start, end = (" ".join(part.split()) for part in (passage.text[:24], passage.text[-24:]))
        lines.append((node.doc_id, str(within), count_tokens(passage.text), f"{start} … {end}"))
Table(("document", "within", "tokens", "passage"), tuple(lines), "one sentence, ±4")

# %% [markdown]
# In the report the author's section ends with the hit. Without a border, text about software comes along. In the call
# the turn (`"block"`) keeps out the next speaker. `grow_hits` does this with hits that are there already, of any level:
# chunks grow by chunks, turns by turns ([lesson 19](19_reranking_and_packing.ipynb)).
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
# It is the stored version: windows are text, overlaps are not joined, and there is no border and no offset. Sentences
# come from an English splitter unless you give another.
#
# ## Measured
#
# All dev questions of both languages, budgets from 500 to 8,000 tokens, hybrid search by z-scores. The opponent: flat
# search of leaves. For many sizes on one machine it is quicker to search once, so this class makes the windows from the
# hits that are remembered above.


# %%
from hierrag_lessons import Passage, Result, evaluate, verdicts

BUDGETS = (500, 1000, 2000, 4000, 8000)


class Windows:
    """The best sentences with their neighbours; windows that meet are one passage. ``k`` passages."""

    def __init__(self, name, size, in_leaf=False):
        self.known, self.trees, self.size, self.in_leaf = sentences[name], trees[name], size, in_leaf

    def home(self, node):
        return node.parent_id if self.in_leaf else node.doc_id

    def retrieve_batch(self, queries, k=5):
        return [self.join(self.known.found[query], k) for query in queries]

    def join(self, passages, k):
        found = []  # pairs of places and a score, apart from each other
        for passage in passages:
            node = passage.hits[0].node
            row = self.trees[node.doc_id].levels[4]
            near = row[max(0, node.position - self.size) : node.position + self.size + 1]
            near = [other for other in near if self.home(other) == self.home(node)]
            new = (self.home(node), near[0].position, near[-1].position + 1, passage.score, node)
            met = [w for w in found if w[0] == new[0] and w[1] <= new[2] and new[1] <= w[2]]
            firsts, ends = [w[1] for w in (new, *met)], [w[2] for w in (new, *met)]
            best = max((new, *met), key=lambda w: w[3])
            found = [w for w in found if w not in met] + [(new[0], min(firsts), max(ends), best[3], best[4])]
            if len(found) == k:
                break
        return [self.passage(*window) for window in sorted(found, key=lambda w: -w[3])]

    def passage(self, _, first, end, score, node):
        tree = self.trees[node.doc_id]
        start, stop = tree.levels[4][first].start, tree.levels[4][end - 1].end
        return Passage(node.doc_id, start, stop, tree.document.text[start:stop], node.context, score, ())


METHODS = {
    "flat, leaves of 200": (lambda name: leaves[name], 60),
    "flat, sentences": (lambda name: sentences[name], 500),
    "±1": (lambda name: Windows(name, 1), 10),
    "±2": (lambda name: Windows(name, 2), 10),
    "±2 in the leaf": (lambda name: Windows(name, 2, in_leaf=True), 10),
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
# - **Single sentences are far behind leaves**, in both measures. This is not the fault of windows: a sentence is hard
#   to find.
# - **Windows win most of it back, and stay behind.** ±2 in the leaf misses 0.03 of recall and 0.05 of complete answers.
#
# So where texts have headings, good chunks are the better unit to search. A leaf has the words of all its sentences.
#
# What does the border alone bring? The same windows, with and without it:

# %%
bordered = {label: results[label] for label in ("±2", "±2 in the leaf")}
verdicts(bordered, "recall")

# %% [markdown]
# **Windows with a border are ahead**, by 0.01 (0.005 to 0.022). That is little, and it costs one look-up. The border
# does more in another place.
#
# ### Ask for no more than you read
#
# There is a trap in joining. It goes down the ranking until it has `k` passages. Ask for 100 where ten would fill your
# context, and the weak hits join the good ones.

# %%
lines = []
for label, in_leaf in (("±2", False), ("±2 in the leaf", True)):
    for k in (10, 40, 100):
        windows = {name: Windows(name, 2, in_leaf) for name in asked}
        firsts = [
            tokens(windows[name].join(found, k)[:1]) for name in asked for found in sentences[name].found.values()
        ]
        result = both(windows.get, k, (1000,))
        lines.append((label, k, round(mean(firsts)), result.mean("recall"), result.mean("complete")))
columns = ("window", "k", "tokens of the first passage", "recall", "complete")
Table(columns, tuple(lines), "k passages asked for; budget 1,000 tokens")

# %% [markdown]
# Without a border, the first passage grows from 224 tokens to 978. With `k=100` it is all that fits into the budget,
# and recall falls by 0.13. With a border it cannot grow beyond its leaf. Recall even rises, from 0.72 to 0.74: the more
# sentences of a leaf were found, the more of it comes back. Remember that. It is the idea of [lesson
# 15](15_auto_merging.ipynb).
#
# On Monday: stop windows at a border. If you have none, ask for as many passages as you read.
#
# ### By budget
#
# The difference in recall from leaves, at each budget:

# %% tags=["hide-input"]
from hierrag_lessons import drawing, paired_difference

SHOWN = {
    "flat, sentences": ("#999999", "^", 0.94),
    "±2": ("#d55e00", "s", 1.0),
    "±2 in the leaf": ("#0072b2", "o", 1.06),
}
with drawing(3.6, width=8.0) as (figure, [axes]):
    lines = []
    for label, (colour, marker, shift) in SHOWN.items():
        for budget in BUDGETS:
            base, own = (results[m].scores("recall", budget) for m in ("flat, leaves of 200", label))
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
    axes.legend(loc="lower right")
    figure.numbers = Table(("method", "budget", "difference", "low", "high"), tuple(lines))
    figure.alt = "Difference in recall from flat search of leaves over the budget, with 95 % intervals. " + " ".join(
        f"{label}: " + ", ".join(f"{row[2]:+.2f} at {row[1]:,}" for row in lines if row[0] == label) + "."
        for label in SHOWN
    )
figure

# %% [markdown]
# - **Single sentences** lose most in the middle, at 2,000 and 4,000 tokens: what they miss, more of them do not find.
# - **Windows** lose most at a small budget, as the shopping list said: text around a hit takes the place of other hits.
#   At 8,000 tokens free windows are level with leaves, or nearly.
#
# ### Rescued and spoiled
#
# The question that ±2 in the leaf gains most on against leaves, and the one that it loses most on, at 500 tokens. Guess
# the reasons before you unfold them.

# %%
from hierrag_lessons import largest_changes

english = [
    Result(tuple(row for row in results[m].rows if row.question.language == "en"))
    for m in ("flat, leaves of 200", "±2 in the leaf")
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
# Rescued: the answer is the last sentence of a leaf that begins with shops and clouds. As a whole that leaf matches the
# question badly. The sentence alone matches it well. Spoiled: the right sentence does not say *Revolving Facility*
# or *November 2025*; sentences further away in its leaf do. So the leaf is found first and the sentence not at all.
# With this question [lesson 20](20_every_level_speaks.ipynb) begins.
# </details>
#
# ## In production
#
# | question | answer |
# |---|---|
# | when | texts without headings or paragraphs to cut at; quotes that a reader must check; an index of sentences that you have anyway |
# | when not | texts with a structure: search leaves. Answers made of several places; budgets under 1,000 tokens |
# | `before`, `after` | 2 and 2; between 1 and 2 little changed here. LlamaIndex takes 3 and 3 and no border |
# | `within` | the leaf. In a dialogue `"block"`, the turn. Turn this first |
# | `k` | as many passages as fit your budget, no more |
# | `mode` | `"hybrid"`. The package's own default is `"vector"` |
# | storage | sentences: here seven to eight times as many vectors as leaves. Windows: nothing |
# | time | two look-ups a question: the neighbours, and the text. A border of one level costs one more |
# | change | replace a document's sentences in one commit. A new window size needs no new index |
#
# At a million leaves you have about seven and a half million sentences. With 384 numbers of 4 bytes each, that is 11.5
# GB of vectors where leaves need 1.5 GB.
#
# How to check it on your own documents: mark the evidence of 50 questions, print the first two tables of this lesson,
# then compare at the budget that you pay for. What returns sentences *and* finds them comes in [lesson
# 20](20_every_level_speaks.ipynb): there, a sentence is scored by the text around it.

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
# to** `before` sentences in front of it and `after` behind it. For sentences at the beginning of a text it returns too
# little, often nothing at all.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def window(sentences: list[str], hit: int, before: int, after: int) -> list[str]:
    """The sentence at place ``hit`` with up to ``before`` sentences in front of it and ``after`` behind it."""
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
# `(first, end)` of the window around sentence `hit`: at most `before` sentences in front of it and `after` behind it,
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
# A: ±2, stopped at the turn. A neighbour there is worth four times a sentence at rank 11 to 20, and nothing behind the
# turn. B: single sentences. Each fact stands alone; a neighbour is worth less than the next hit. C: no sentences.
# Neighbours are worth as much as later hits wherever they are, so the section is the better unit: search leaves, and
# look at [lesson 14](14_parent_child.ipynb).
# </details>
#
# ### Open task · Beat this figure
#
# ★★★ · as long as you like. The shopping list says: first ten hits, then the neighbours of the three best. Write
# windows that follow it: windows around the first hits only, more behind a hit than in front of it, ten single hits
# before any window. **Write down first what you expect, and at which budgets.** The figure to beat is the recall of ±2
# in the leaf, mean over all budgets. A difference whose interval includes zero is no win.

# %%
mine = both(lambda name: Windows(name, 3, in_leaf=True), 10)
verdicts({"±2 in the leaf": results["±2 in the leaf"], "mine": mine}, "recall")

# %%
stack.close()

# %% [markdown]
# ## Takeaways
#
# 1. What is searched and what is read need not be the same: search sentences, read windows.
# 2. Store places, not windows. A window is a span; overlapping windows are a union of spans.
# 3. A neighbour of one of the three best hits is worth about as much as a sentence at rank 11 to 20, and a third of it
#    behind the border of the leaf.
# 4. Single sentences are far behind leaves, windows are behind as well. Where texts have headings, search leaves.
# 5. Stop windows at a border. Without one, joined windows of weak hits grow until one passage fills the context.
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
# Windows need no hierarchy and fit text without structure, such as transcripts. Parents return what the author meant as
# one thing, so they fit handbooks, contracts and reports. Both cost tokens at a small budget. I'd measure how many
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
