# %% [markdown]
# # 20 · Every level speaks
#
# > *How much was available under the Revolving Facility after it was amended in November 2025?*
#
# The annual report answers in one sentence: "Drawings of $80.0 million and letters of credit of $11.4 million
# continue, so that availability on the date of amendment was **$258.6 million**." Nothing else is needed.
#
# Search for sentences, and eighteen others come first. The right one does not say *Revolving Facility*. It does not say
# *November 2025*. A sentence shortly before it says both. **A sentence is the right answer and the wrong query
# target.**
#
# Search for chunks of 200 tokens instead, and the right one comes first. But then most of what fills the context is not
# the answer: five such chunks, and 1,000 tokens are gone. Most lessons since 13 dealt with this by returning even more.
# This one returns the sentence, and scores it by the text around it.
#
# **You will** build a retriever in about 60 lines of NumPy and SciPy, in which a sentence, its neighbours, its
# surroundings and its section have one vote each; take it apart to see what each vote brings; and set two dials.
#
# **You learn** why a level is a matrix that adds up, how scores of different levels get on one scale, what to return
# when evidence is thin or dense, and when to stop.
#
# **You need** lessons [02](02_embeddings_and_store.ipynb) (BM25, vectors), [03](03_measuring_retrieval.ipynb)
# (budgets, intervals) and [15](15_auto_merging.ipynb) (auto-merging). {{minutes}}, and an open task.
# Hard (★★★). No network, no API key.
#
# {{map}}
#
# The way through: [the sentence](#The-sentence-that-is-not-found), [the idea](#The-idea), [by hand](#By-hand), [one
# question](#One-question,-level-by-level), [a first attempt](#A-first-attempt:-the-best-level-wins), [what each part
# brings](#What-each-part-brings), [the package](#The-package's-version), [the first
# dial](#The-first-dial:-sentences-or-leaves), [when to stop](#The-second-dial:-when-to-stop), [measured](#Measured),
# [where it does not help](#Where-it-does-not-help), [cost](#What-it-costs), [parameters](#Parameters),
# [exercises](#Exercises).

# %% [markdown]
# ## The sentence that is not found
#
# The course's texts and dev questions in users' words. The hierarchy of the last lessons (parts of at most 2,000
# tokens, sections of 600, leaves of 200) gets one more level: `make_units` cuts each leaf into sentences, joins
# English ones of fewer than 60 characters to a neighbour, and takes whole turns in a dialogue. These are the
# **units**.

# %%
from contextlib import ExitStack
from statistics import mean

from hierrag_lessons import Table, count_tokens, course_hierarchy, course_questions, make_units

stack = ExitStack()  # keeps the indexes of this lesson until the kernel ends
loaded = {language: course_questions(language) for language in ("en", "zh")}
asked = {language: [q for q in questions if q.answerable] for language, (_, questions) in loaded.items()}
plain = {language: [course_hierarchy(d) for d in documents] for language, (documents, _) in loaded.items()}
trees = {language: [make_units(tree) for tree in own] for language, own in plain.items()}
lines = []
for language, own in trees.items():
    sizes = [count_tokens(unit.text) for tree in own for unit in tree.leaves]
    leaves = sum(len(tree.levels[3]) for tree in own)
    lines.append((language, len(asked[language]), len(own), leaves, len(sizes), mean(sizes)))
Table(("texts", "questions", "documents", "leaves", "units", "tokens a unit"), tuple(lines))

# %% [markdown]
# (Only questions that the texts answer. The counts under [Measured](#Measured) are of these.)
#
# ## The idea
#
# ![A section of thirteen sentences. The one in the middle comes back. Four boxes around it, the sentence, one neighbour
# on each side, five on each side, and the section, each give words and half of the meaning to a mean, the score of that
# sentence.](images/20_every_level_speaks.svg)
#
# Two decisions are usually made as one: *what is scored* and *what is returned*. Parent-child scores small and
# returns large. Flat search scores and returns the same. Here they are taken apart:
#
# - **Return** the unit. The budget is spent on sentences that earn it.
# - **Score** it by four levels that it lies in: the unit; the unit with one neighbour on each side (three units); with
#   five on each side, its **surroundings** (eleven units); and its section. Each level gets a score of its own for the
#   question. The unit's score is the mean of the four.
#
# In English a section is about as long again as the surroundings, but it ends where the author ended it.
#
# In [coarse to fine](18_coarse_to_fine.ipynb) a section that fits badly shut its sentences out. Here it only lowers
# them, and a very good sentence gets through all the same.
#
# ## By hand
#
# A level is a table of **nodes by units**, with a 1 where the unit lies in the node. Multiply it with a table of
# *units by words*, and out come *nodes by words*: the level has added its units up. The same product with the units'
# vectors gives the level's vectors. So only units are embedded, and each only once.
#
# A unit's heading path counts among its words. Its vector is made without it.


# %%
import numpy as np
from scipy.sparse import csr_array

from hierrag_lessons import default_embedder, terms


class Shelf:
    """All units of some hierarchies, and for each level the nodes that they lie in."""

    def __init__(self, trees, language):
        self.language, self.embedder = language, default_embedder(language)
        self.units = [unit for tree in trees for unit in tree.leaves]
        nodes = {node.node_id: node for tree in trees for node in tree}
        leaves = [nodes[unit.parent_id] for unit in self.units]
        sections = [nodes[leaf.parent_id] for leaf in leaves]
        self.leaf = numbered([leaf.node_id for leaf in leaves])
        self.section = numbered([section.node_id for section in sections])
        self.part = numbered([section.parent_id for section in sections])  # only to try it as a fifth level
        self.document = numbered([unit.doc_id for unit in self.units])
        self.vectors = self.embedder.encode([unit.text for unit in self.units])  # without headings …
        bags = [terms(unit.embedding_text, language) for unit in self.units]  # … but headings count as words
        self.columns = {word: place for place, word in enumerate(dict.fromkeys(w for bag in bags for w in bag))}
        self.counts = csr_array(
            (
                np.ones(sum(map(len, bags))),
                [self.columns[word] for bag in bags for word in bag],
                np.cumsum([0, *map(len, bags)]),
            ),
            shape=(len(bags), len(self.columns)),
        )

    def memberships(self):
        """For each level: nodes by units, and the node that each unit asks."""
        own = np.arange(len(self.units))
        yield "unit", table(own, own), own
        for name, reach in (("neighbours", 1), ("surroundings", 5)):
            near = [own[max(i - reach, 0) : i + reach + 1] for i in own]
            pairs = [(i, j) for i in own for j in near[i] if self.document[i] == self.document[j]]
            yield name, table(*np.transpose(pairs)), own
        yield "section", table(self.section, own), self.section
        yield "part", table(self.part, own), self.part


def numbered(names):
    """Equal names as equal numbers."""
    return np.unique(names, return_inverse=True)[1]


def table(nodes, units):
    return csr_array((np.ones(len(nodes)), (nodes, units)))


# %% [markdown]
# How well does a level fit a question? Two numbers.
#
# Its **words** are BM25, as in lesson 02, with one addition. BM25's upper end is the sum of the idf of the question's
# words, so it differs from question to question. Divided by it, the score lies between 0 and 1, for every question and
# every level. And every level counts with **its own statistics**: a word that is rare among sentences can be in every
# second section, so its idf is high in one level and low in the other.
#
# Its **meaning** is a cosine. Add the vectors of the level's units, longer units counting more (times the root of their
# characters), and compare the sum with the question's vector.


# %%
import math

from scipy.sparse import csc_array


def bm25(counts, columns, k1=0.6, b=0.75):
    """The BM25 of each text for a question's columns, divided by the sum of their idf."""
    sizes, found = counts.sum(axis=1), counts[:, columns].toarray()
    having = (found > 0).sum(axis=0)
    idf = np.log1p((len(sizes) - having + 0.5) / (having + 0.5))
    gains = found / (found + k1 * (1 - b + b * sizes / sizes.mean())[:, None])
    return gains @ idf / idf.sum() if columns else np.zeros(len(sizes))


def levels_of(shelf):
    """For each level its words, its vectors, and the node that each unit asks."""
    roots = np.array([math.sqrt(len(unit.text)) for unit in shelf.units])[:, None]
    levels = {}
    for name, adds, asks in shelf.memberships():
        vectors = adds @ (roots * shelf.vectors)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        levels[name] = csc_array(adds @ shelf.counts), vectors / np.where(lengths, lengths, 1), asks
    return levels


def listen(shelf, levels, questions):
    """For each question and level: BM25 and cosine of every unit."""
    said = {}
    for text, vector in zip(questions, shelf.embedder.encode(questions), strict=True):
        columns = [shelf.columns[word] for word in terms(text, shelf.language) if word in shelf.columns]
        said[text] = {
            name: (bm25(counts, columns)[asks], (vectors @ vector)[asks])
            for name, (counts, vectors, asks) in levels.items()
        }
    return said


LEVELS = ("unit", "neighbours", "surroundings", "section")


def score(said, levels=LEVELS, words=1.0, meaning=0.5):
    """The mean over the levels of words and half the meaning."""
    return np.round(np.mean([words * said[name][0] + meaning * said[name][1] for name in levels], axis=0), 6)


# %% [markdown]
# That is all of it: no training and no language model. (The ½, the two numbers of BM25 and the widths 1 and 5 were chosen
# once, and are the same in all that follows.) Back to the question of the beginning. Where does its sentence stand, when
# one level after the other gets its vote?

# %%
shelves = {language: Shelf(own, language) for language, own in trees.items()}
built = {language: levels_of(shelf) for language, shelf in shelves.items()}
said = {
    language: listen(shelf, built[language], [q.question for q in asked[language]])
    for language, shelf in shelves.items()
}

shelf = shelves["en"]
question = next(q for q in asked["en"] if q.id == "en-ar-002-u")
gold = question.evidence[0]
[place] = [i for i, u in enumerate(shelf.units) if u.doc_id == gold.doc_id and u.start <= gold.start < u.end]
for number in range(1, 5):
    values = score(said["en"][question.question], LEVELS[:number])
    print(f"{' + '.join(LEVELS[:number]):38} place {1 + (values > values[place]).sum():2} of {len(values)}")

# %% [markdown]
# One neighbour makes it worse: the sentence that says both things stands *two* before it. Five neighbours reach it.
#
# ## One question, level by level
#
# What did the levels say? On top the eight best units with all four votes, below them the answer, where it is not
# one of these. Each bar is a unit's score, cut into what each level gave.

# %%
from hierrag_lessons import drawing

values = score(said["en"][question.question])
order = np.lexsort((np.arange(len(values)), -values))
shown = list(dict.fromkeys([*order[:8].tolist(), place]))
parts = {
    name: np.array([(words[i] + 0.5 * meaning[i]) / 4 for i in shown])
    for name, (words, meaning) in said["en"][question.question].items()
    if name in LEVELS
}
names = [f"{'ANSWER: ' if i == place else ''}{' '.join(shelf.units[i].text.split())[:38]} …" for i in shown]
with drawing(0.9 + 0.42 * len(shown)) as (figure, [axes]):
    left = np.zeros(len(shown))
    for (name, widths), colour, hatch in zip(
        parts.items(), ("#f0e442", "#56b4e9", "#009e73", "#d9d9d9"), ("", "//", "", ".."), strict=True
    ):
        axes.barh(range(len(shown)), widths, left=left, color=colour, edgecolor="black", hatch=hatch, label=name)
        left += widths
    axes.set_yticks(range(len(shown)), names)
    axes.set(ylim=(len(shown) - 0.5, -0.5), xlabel="score of the unit, and what each level gave of it")
    axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1.0))
    figure.numbers = Table(
        ("unit", *parts, "score"),
        tuple((name, *(float(p[row]) for p in parts.values()), float(left[row])) for row, name in enumerate(names)),
    )
    figure.alt = (
        f"Bars for {len(shown)} units, each cut into the shares of four levels. The answer's own share and that of its "
        "neighbours are smaller than those of most others; its surroundings and its section bring it up."
    )
figure

# %% [markdown]
# The answer's own bar and that of its neighbours are short. Its surroundings and its section carry it. The same works for
# a sentence that has nothing to do with the question and stands beside one that does: that is the price, and the
# context has room for it.
#
# ## A first attempt: the best level wins
#
# Why the mean? "Take the best level" sounds as good, and it is written often: a chunk counts if it fits *or* its
# section does.


# %%
def best_level(said):
    """A unit's score is that of the level that fits best."""
    return np.round(np.max([said[name][0] + 0.5 * said[name][1] for name in LEVELS], axis=0), 6)


for name, rule in (("mean of the levels", score), ("best level", best_level)):
    tied, first = [], []
    for by_level in said["en"].values():
        values = rule(by_level)
        top = np.sort(values)[::-1][:20]
        tied.append(20 - len(set(top.tolist())))
        first.append((values == top[0]).sum())
    print(f"{name:20} of the best 20, {mean(tied):4.1f} repeat a score; {mean(first):4.1f} units share the first place")

# %% [markdown]
# With the best level, a section that fits gives *one* score to all its units. They tie, and the place in the text
# decides. The sentence's own vote is lost where it is needed most. A mean keeps every vote. How much that is worth
# stands in the next section.
#
# ## What each part brings
#
# A ranking of units becomes a retriever with one method. Then the evaluator of lesson 03 does the rest: the same
# questions, contexts of 1,000 tokens, paired intervals.


# %%
from hierrag_lessons import Passage, evaluate


class Ranked:
    """A retriever of units, from what the levels said and a rule that makes one score of it."""

    def __init__(self, language, rule):
        self.shelf, self.said, self.rule = shelves[language], said[language], rule

    def retrieve_batch(self, queries, k=5):
        return [self._best(self.rule(self.said[query]), k) for query in queries]

    def _best(self, values, k):
        order = np.lexsort((np.arange(len(values)), self.shelf.leaf, -values))[:k]
        units = [(self.shelf.units[i], float(values[i])) for i in order]
        return [Passage(u.doc_id, u.start, u.end, u.text, u.context, value, ()) for u, value in units]


rules = {
    "unit": lambda s: score(s, LEVELS[:1]),
    "+ neighbours": lambda s: score(s, LEVELS[:2]),
    "+ surroundings": lambda s: score(s, LEVELS[:3]),
    "+ section: all four": score,
    "all four and the part": lambda s: score(s, (*LEVELS, "part")),
    "without neighbours": lambda s: score(s, ("unit", "surroundings", "section")),
    "without surroundings": lambda s: score(s, ("unit", "neighbours", "section")),
    "all four, words only": lambda s: score(s, meaning=0),
    "all four, meaning only": lambda s: score(s, words=0, meaning=1),
    "best level, not mean": best_level,
}
ablation = {
    language: {name: evaluate(Ranked(language, rule), asked[language], [1000], k=40) for name, rule in rules.items()}
    for language in ("en", "zh")
}

# %%
from hierrag_lessons import paired_difference

with drawing(5.2, columns=2) as (figure, panels):
    lines = []
    for axes, (language, results) in zip(panels, ablation.items(), strict=True):
        for row, (name, result) in enumerate(results.items()):
            for metric, colour, marker, shift in (
                ("recall", "#0072b2", "o", -0.15),
                ("complete", "#d55e00", "s", 0.15),
            ):
                values = list(result.scores(metric).values())
                alone = list(results["unit"].scores(metric).values())
                low, high = paired_difference(values, alone)
                gain = mean(values) - mean(alone)
                axes.plot([low, high], [row + shift] * 2, color=colour, linewidth=2)
                label = metric if row == 0 else None
                axes.plot(gain, row + shift, marker=marker, color=colour, linestyle="", label=label)
                lines.append((language, name, metric, mean(values), gain, low, high))
        axes.axvline(0, color="black", linewidth=1, linestyle="--")
        axes.set(title={"en": "English", "zh": "Chinese"}[language], xlabel="more than the unit alone, at 1,000 tokens")
        axes.set_yticks(range(len(rules)), list(rules))
        axes.grid(visible=True, axis="x")
    panels[0].set_ylim(len(rules) - 0.5, -0.5)
    panels[0].legend(loc="upper right")
    figure.numbers = Table(("texts", "levels", "measure", "mean", "difference", "low", "high"), tuple(lines))
    figure.alt = (
        "What each vote adds to the recall of the unit alone and to its complete answers, with paired 95 % intervals, at "
        "1,000 tokens, in English and Chinese. Every level that is added brings more or as much. All four are "
        "far ahead of the unit alone. With words only less is gained in English; with meaning only recall falls in "
        "English and stays in Chinese. The best level in place of the mean gains less than half in recall."
    )
figure

# %% [markdown]
# Read it from the top, in English first:
#
# - **The unit alone** has 0.60 of the evidence in 1,000 tokens and answers one question in five completely. **All four
#   levels** have 0.75, and answer two in five. Nothing was embedded for it but the units.
# - Added in this order, the steps in English recall are 0.08, 0.05 and 0.02. The first level added brings most. Leave
#   out any one of the wider levels, and little is lost: each fills in for the others. Whether four levels are better
#   than two of them is not tested here.
# - **The part**, which holds about two sections, changes nothing that shows as a fifth level. So it has no vote.
# - **Words** carry most of it. In English meaning adds 0.04 of recall to them. In Chinese, where the embedder counts
#   characters, it adds nothing. In English, all four levels by meaning only (0.51) are behind the unit alone with words
#   and meaning (0.60).
# - **The best level** in place of the mean loses more than half of the recall that was gained.
#
# A figure like this comes from one set of texts. `python -m benchmarks.public --ablation` measures it on two public
# sets, Chroma's evaluation and LoCoMo's conversations; the tables stand in `benchmarks/README.md`. There as well, all four
# are ahead of the unit alone: on LoCoMo at every budget, on Chroma's set from 1,300 characters on. On Chroma's set the
# neighbours alone do as well as all four, on LoCoMo they don't. One warning: the widths were chosen among about twenty
# forms with an eye on Chroma's set, where this form is 11 points of recall ahead of flat hybrid search at 650
# characters. On the course's questions no form was shown to be ahead of another. So take that lead as a little
# flattered.
#
# The questions use the words of users who know the subject. Where a question avoids the text's words, expect less of
# the words and more of the meaning.
#
# ## The package's version
#
# `MultiLevelRetriever` reads vectors and words of the units from the index, so that nothing is tokenised or embedded
# again when it is opened. With `lift` and `coverage` at zero it must give our scores and our order:

# %%
from dataclasses import replace

from hierrag_lessons import MultiLevelRetriever, temporary_index

index, leaf_index = {}, {}
for language, own in trees.items():
    index[language] = stack.enter_context(temporary_index(own))
    both_levels = [replace(tree, searched=frozenset({2, 3})) for tree in plain[language]]
    leaf_index[language] = stack.enter_context(temporary_index(both_levels))

for language, shelf in shelves.items():
    retriever = MultiLevelRetriever(index[language], lift=0, coverage=0)
    position = {unit.node_id: i for i, unit in enumerate(shelf.units)}
    farthest, same = 0.0, 0
    for text in said[language]:
        values = score(said[language][text])
        found = retriever.trace(text, k=20).units
        ours = [values[position[unit.node.node_id]] for unit in found]
        farthest = max(farthest, *(abs(a - unit.score) for a, unit in zip(ours, found, strict=True)))
        same += np.allclose(np.sort(values)[::-1][: len(found)], ours, atol=1e-5)
    print(
        f"{language}: {same} of {len(said[language])} questions ranked alike, scores differ by less than 0.00001:",
        farthest < 1e-5,
    )

# %% [markdown]
# LlamaIndex and LangChain have the pieces (parent retrievers, auto-merging, fusion of rankings), and none known to us that
# scores a unit by all its levels. So the package is compared with what was built by hand.
#
# The package adds two things to the mean. And units that follow each other, in rank and in the text, come back joined as
# one passage.
#
# **Coverage.** Among the best 40, units are picked one after the other. Each pick gets a bonus for words of the
# question that no earlier pick has: at most 0.25, for all of them. Ten sentences about one half of a question then
# make room for the other half. [Exercise 20.4](#Exercise-20.4-·-For-the-words-that-are-still-missing) builds it.
#
# **Lift**, which is the first dial.
#
# ## The first dial: sentences or leaves
#
# Auto-merging ([lesson 15](15_auto_merging.ipynb)) asks: were enough leaves of this parent found? It needs a
# threshold, and at the threshold everything changes at once. A gentler rule does without. Let each sentence be lifted
# towards the best one of its leaf:
#
# > key = (1 − lift) · its score + lift · best score in its leaf
#
# At 0, sentences come back. At 1 all units of a leaf have the same key, so whole leaves come back, in the order of
# their best sentence, unless coverage picks some of them earlier. In between, a good sentence pulls its leaf behind it,
# the better ones first.

# %%
DIALS = ((0, 0.0), (0.25, 0.0), (0.25, 0.25), (0.25, 0.5), (0.25, 1.0), (0, 1.0))
dialled = {
    (coverage, lift): evaluate(
        MultiLevelRetriever(index["en"], coverage=coverage, lift=lift), asked["en"], [1000], k=40
    )
    for coverage, lift in DIALS
}
base, lines = dialled[0.25, 0.0], []
for setting, result in dialled.items():
    row = [*setting, mean(len(found.passages) for found in result.rows)]
    for metric in ("recall", "complete"):
        values, before = list(result.scores(metric).values()), list(base.scores(metric).values())
        low, high = (100 * end for end in paired_difference(values, before))
        row += [mean(values), f"{100 * (mean(values) - mean(before)):+.1f} ({low:+.1f} to {high:+.1f})"]
    lines.append(tuple(row))
columns = ("coverage", "lift", "passages", "recall", "recall, points", "complete", "complete, points")
Table(columns, tuple(lines), "English, budget 1,000 tokens; points against coverage 0.25 and lift 0")

# %% [markdown]
# The dial does what it says: at lift 1 a context of 1,000 tokens has 7 passages in place of 29 (12 where coverage picks
# some sentences earlier). On these questions **no difference is shown between the settings**. Whole leaves look worse,
# by 2 points of recall and 4 of complete answers, but the intervals include zero. With coverage or without it, recall is
# the same.
#
# So why is there a dial? Because what is right depends on how *dense* the evidence is. A question about one procedure
# wants the whole leaf; a question about one number wants a sentence. On public sets with short answers, whole leaves
# lose clearly: on Chroma's evaluation 9 points of recall at 650 characters, with coverage on (`benchmarks/README.md`). On Monday: leave
# it at 0.25. If your questions ask for whole passages, try 0.5 and look at complete answers.
#
# Compared with auto-merging, there is no threshold to fall over, no family of two children that merges on one hit
# (lesson 15), and no passage that grows by text that nobody looked at.
#
# ## The second dial: when to stop
#
# A budget says how much a context *may* hold. It need not be filled. Because all scores are on one scale, a rule can
# say what is too far behind the best one: `Stop(gap=…)` by a distance, `Stop(share=…)` by a share of the best. The score
# is that by which a unit was picked, with the bonus for new words: the first pick is up to 0.25 ahead for that alone.

# %%
from hierrag_lessons import Stop

rules_to_stop = {
    "fill the budget": None,
    "gap 0.4": Stop(gap=0.4),
    "gap 0.3": Stop(gap=0.3),
    "share 0.7": Stop(share=0.7),
}
stopped = {
    name: evaluate(MultiLevelRetriever(index["en"], stop=stop), asked["en"], [2000], k=60)
    for name, stop in rules_to_stop.items()
}
used = {name: round(result.mean("context_tokens")) for name, result in stopped.items()}
filled = evaluate(MultiLevelRetriever(index["en"]), asked["en"], sorted(set(used.values())), k=60)
lines = []
for name, result in stopped.items():
    with_stop, same = (list(r.scores("recall", b).values()) for r, b in ((result, 2000), (filled, used[name])))
    low, high = (100 * end for end in paired_difference(with_stop, same))
    gain = 100 * (mean(with_stop) - mean(same))
    row = (name, used[name], mean(with_stop), result.mean("precision"))
    lines.append((*row, mean(same), filled.mean("precision", used[name]), f"{gain:+.1f} ({low:+.1f} to {high:+.1f})"))
columns = (
    "stop",
    "tokens, mean",
    "recall",
    "precision",
    "filled: recall",
    "precision",
    "recall against filled, points",
)
Table(columns, tuple(lines), "English, budget 2,000 tokens; filled: a budget of the same mean, always used up")

# %% [markdown]
# A gap of 0.4 saves a quarter of the tokens for 0.04 of recall. Tighter rules cut deeper. Now compare with a smaller
# budget that uses as many tokens and is always filled. For a gap of 0.4 no difference in recall is shown; the tighter
# rules have 6 points less. Precision is higher with a rule, because questions with an obvious answer stay short.
#
# On Monday: to save tokens, lower the budget. Use a stop rule where text beside the point does harm. LoCoMo's
# conversations warn of hard rules: answers there often have many parts, and a share of 0.68 lost 18 points of recall
# (`benchmarks/README.md`).
#
# ## Measured
#
# Against the retrievers of the lessons before, each with the setting that is its name here. All get the same texts,
# the same questions and the same budgets. All but `flat` search by words *and* vectors.
#
# - **flat**: leaves by vector;
# - **hybrid**: leaves by words and vectors, fused by z-score;
# - **units**: the units of this lesson, searched like hybrid, with no level above them;
# - **two levels**: hybrid, and half of the section's score on top;
# - **parent-child**: hybrid, sections of 600 tokens returned, coverage 0;
# - **auto-merging**: hybrid, threshold 0.6.
#
# First the question of the beginning: how many tokens does each of them read out before the answer is there?


# %%
from hierrag_lessons import AutoMergingRetriever, FlatRetriever, HybridRetriever, ParentChildRetriever


def opponents(language):
    """Retrievers of the lessons before by name, the base of comparison first."""
    leaves = leaf_index[language]
    return {
        "hybrid": HybridRetriever(leaves, level=3, fusion="z_score"),
        "flat": FlatRetriever(leaves, level=3),
        "units": HybridRetriever(index[language], level=4, fusion="z_score"),
        "two levels": HybridRetriever(leaves, level=3, above={2: 0.5}, fusion="z_score"),
        "parent-child": ParentChildRetriever(leaves, child_level=3, mode="hybrid", coverage=0, children_per_passage=4),
        "auto-merging": AutoMergingRetriever(leaves, level=3, mode="hybrid", threshold=0.6),
    }


def spent(passages):
    """The place of the passage with the answer, and the tokens up to its end."""
    tokens = 0
    for place, passage in enumerate(passages, start=1):
        tokens += count_tokens(passage.text)
        if passage.doc_id == gold.doc_id and passage.start <= gold.start < passage.end:
            return str(place), str(tokens)
    return "not among 60", "–"


all_of_them = {**opponents("en"), "every level": MultiLevelRetriever(index["en"])}
lines = [(name, *spent(method.retrieve(question.question, k=60))) for name, method in all_of_them.items()]
Table(("method", "place of the passage with the answer", "tokens up to its end"), tuple(lines))

# %% [markdown]
# A leaf of 200 tokens holds both the answer and the words of the question, so hybrid search of leaves is done after 191
# tokens. Units alone need 844. Every level needs 124: the sentence, and three others in front of it.
#
# One question proves nothing. All of them:

# %%
from hierrag_lessons import budget_curve, budget_curves

BUDGETS = {"en": (500, 2000, 4000), "zh": (500, 2000)}
results = {}
for language, budgets in BUDGETS.items():
    results[language] = {}
    for name, method in opponents(language).items():
        # Those that merge rank otherwise when they are asked for more, so they are asked for few at first.
        k = {"units": 80, "parent-child": 10, "auto-merging": 10}.get(name, 40)
        results[language][name] = evaluate(method, asked[language], budgets, k=k)
    every = MultiLevelRetriever(index[language])
    results[language]["every level"] = evaluate(every, asked[language], budgets, k=80)
curve = budget_curves(budget_curve(results["en"]), scale="log")
curve

# %% [markdown]
# Curves with bands show the whole and hide the pairs. So here are the paired differences, **every level minus each
# opponent**, in points of recall and of complete answers (at least 95 % of the evidence in the context):

# %%
lines = []
for language, by_name in results.items():
    for name in by_name:
        if name == "every level":
            continue
        row = [language, name]
        for metric, budget in (("recall", 500), ("complete", 500), ("recall", 2000), ("complete", 2000)):
            ours = list(by_name["every level"].scores(metric, budget).values())
            theirs = list(by_name[name].scores(metric, budget).values())
            low, high = (100 * end for end in paired_difference(ours, theirs))
            row.append(f"{100 * (mean(ours) - mean(theirs)):+.0f} ({low:+.0f} to {high:+.0f})")
        lines.append(tuple(row))
Table(("texts", "against", "recall, 500", "complete, 500", "recall, 2000", "complete, 2000"), tuple(lines))

# %% [markdown]
# In plain words:
#
# - **Units alone are poor.** The same sentences, searched by themselves, are behind by 15 points of recall or more, at
#   both budgets, in both languages. A sentence needs the text around it to be found.
# - **At 500 tokens** every level is ahead of all opponents in English: by 6 points of recall against the best of them,
#   by 15 against parent-child. In Chinese it is ahead of hybrid, units, parent-child and auto-merging. Against flat and
#   two levels no difference is shown there; it could be up to 6 points ahead or 1 behind.
# - **At 2,000 tokens** it is ahead of hybrid (in English only just), flat, units and parent-child in both languages, and
#   of auto-merging and two levels in Chinese. Against **two levels** and auto-merging in English no difference is shown: it
#   could be up to 2 points behind or 4 ahead. Two levels are the same idea in small: a leaf, and its section's vote.
# - **Complete answers** are nowhere shown to be fewer. At 2,000 tokens they are more than those of flat and of units.
# - Opponents that return *more* text, parent-child and auto-merging, have less recall than hybrid at 500 tokens. With
#   the budget they catch up: at 4,000 both find what hybrid finds.
#
# These are many comparisons, and some intervals touch 0. The pattern counts, not a single line of it. What it gains
# and what it spoils, against two levels at 2,000 tokens:

# %%
from hierrag_lessons import largest_changes

for language, by_name in results.items():
    changes = largest_changes(by_name["two levels"], by_name["every level"], budget=2000)
    for label, change in zip(("rescued", "spoiled"), changes, strict=True):
        print(f"{language} {label}: {change.before:.2f} → {change.after:.2f}, {change.question.id}")
        if language == "en":
            print(f"    {change.question.question}")

# %% [markdown]
# ## Where it does not help
#
# By where the evidence lies, against two levels at 2,000 tokens:

# %%
from hierrag_lessons import geometry

lines = []
for language, by_name in results.items():
    by_id = {tree.document.doc_id: tree for tree in plain[language]}
    shape = {q.id: geometry(q.evidence, by_id) for q in asked[language]}
    ours, theirs = (by_name[name].scores("recall", 2000) for name in ("every level", "two levels"))
    for kind in ("leaf", "section", "part", "document", "documents"):
        ids = [name for name in ours if shape[name] == kind]
        low, high = (100 * end for end in paired_difference([ours[i] for i in ids], [theirs[i] for i in ids]))
        gain = 100 * (mean(ours[i] for i in ids) - mean(theirs[i] for i in ids))
        lines.append(
            (language, kind, len(ids), mean(theirs[i] for i in ids), f"{gain:+.0f} ({low:+.0f} to {high:+.0f})")
        )
Table(("texts", "evidence in one", "questions", "two levels, recall", "every level, points more"), tuple(lines))

# %% [markdown]
# Where all the evidence lies **in one leaf**, there is nothing to gain at 2,000 tokens: two levels find all of it. And
# there is something to lose. A leaf that is found is found whole, but of its sentences one can be missed. In English the
# loss is a single question, the one spoiled above. The larger means are those of questions whose evidence lies in
# several places, but the groups are small: don't lean on a single line of the table.
#
# **Short paragraphs that stand alone**, like cards of a help desk or product lines, are the other case. Their
# sentence, neighbours, surroundings and section are nearly one text, so four votes are one. What if only the upper levels are
# missing? Here each leaf becomes an island: the neighbours end where the leaf ends, and nothing lies above it.
# Headings stay.

# %%
lines = []
for language, shelf in shelves.items():
    alone = Shelf.__new__(Shelf)
    alone.__dict__ = {**shelf.__dict__, "document": shelf.leaf, "section": shelf.leaf}
    island = Ranked(language, score)
    island.said = listen(shelf, levels_of(alone), list(said[language]))
    scores = {
        name: list(evaluate(method, asked[language], [2000], k=80).scores("recall").values())
        for name, method in {"all four levels": Ranked(language, score), "on islands": island}.items()
    }
    base = list(results[language]["hybrid"].scores("recall", 2000).values())
    for name, other in (("hybrid search", base), ("all four levels", scores["all four levels"])):
        values = scores["on islands"]
        low, high = (100 * end for end in paired_difference(values, other))
        gain = f"{100 * (mean(values) - mean(other)):+.1f} ({low:+.1f} to {high:+.1f})"
        lines.append((language, mean(values), name, mean(other), gain))
Table(("texts", "on islands, recall", "against", "its recall", "islands, points more"), tuple(lines), "2,000 tokens")

# %% [markdown]
# Cut off from all text outside its leaf, a sentence has 1 to 1.5 points less recall, and both intervals include zero. So
# most of the gain on these texts is made inside the leaf and by its heading. Cards of one to three sentences were not
# measured. Start with hybrid search of whole cards there: it is simpler.
#
# ## What it costs
#
# **Headings.** A budget counts the text of the passages. A prompt also has a heading path above each passage (lesson
# 19), and thirty sentences have thirty of them. How many tokens is that, at 1,000 tokens of text?

# %%
from hierrag_lessons import retrieve_contexts

lines = []
for name, method in {"hybrid": opponents("en")["hybrid"], "every level": MultiLevelRetriever(index["en"])}.items():
    contexts = retrieve_contexts(method, [q.question for q in asked["en"]], [1000], k=60)
    passages = [found[1000] for found in contexts]
    above_each = [sum(count_tokens(p.context) for p in found) for found in passages]
    once = [sum(map(count_tokens, {(p.doc_id, p.context): p.context for p in found}.values())) for found in passages]
    lines.append((name, mean(map(len, passages)), mean(above_each), mean(once)))
columns = ("method", "passages", "tokens of headings, one above each", "one for all passages under it")
Table(columns, tuple(lines), "English, 1,000 tokens of text")

# %% [markdown]
# Above each passage, headings add almost half again. Printed once for all passages under them, they cost 132 tokens, and
# hybrid search of leaves pays 99. So put the passages in the order of the text and print each heading once: `pack_prompt`
# does. Without that, headings take the room of evidence, and the lead is gone
# ([lesson 24](24_the_grand_comparison.ipynb#What-the-prompt-really-holds) measures it). You need the headings: "Drawings of
# $80.0 million …" alone doesn't tell a model which facility is meant.
#
# **Memory and time.** Everything about the units is kept in memory: a vector of 384 numbers, the words of each level, a few positions. And
# every question looks at every unit: matrix products instead of an index that skips. The cell is measured anew on
# every machine; look at the ratios.

# %% tags=["volatile"]
import time

units = index["en"].units()
kept = units.vectors.nbytes + units.counts.data.nbytes + units.counts.indices.nbytes
kept += sum(c.data.nbytes + c.indices.nbytes for c in (levels[0] for levels in built["en"].values())) // 2  # float32
texts = [q.question for q in asked["en"][:40]]
took = {}
for name, retriever in {
    "flat": FlatRetriever(leaf_index["en"], level=3),
    "two levels": HybridRetriever(leaf_index["en"], level=3, above={2: 0.5}, fusion="z_score"),
    "every level": MultiLevelRetriever(index["en"]),
}.items():
    retriever.retrieve_batch(texts, 20)
    start = time.perf_counter()
    retriever.retrieve_batch(texts, 20)
    took[name] = time.perf_counter() - start
print(f"{kept / len(units) / 1000:.1f} kB for each of {len(units)} units")
print(
    ", ".join(f"{name} {seconds / took['flat']:.1f}" for name, seconds in took.items()), "times the time of flat search"
)

# %% [markdown]
# Every question looks at every unit. Here 40 questions come in one call, which suits a flat vector search. One by one, as
# a chat asks them, the times of all retrievers at 10,000 and at 100,000 stand in `benchmarks/README.md`.
#
# Beyond 100,000 units the vectors stay in LanceDB. Then 200 units by words, 200 by vector and all units of the 20 best
# sections are **candidates**, and only they are scored. On the course's largest collections (12,902 English and 8,804
# Chinese units) these candidates held all of the 20 best units of every development question: `python -m
# benchmarks.multi_level` measures it. The words of all units stay in memory, 2.6 kB for an English one.
#
# The index is larger than one of leaves: four to seven times as many vectors here. Embedding takes as long as that of
# leaves, or a little longer, since the characters are the same.
#
# ## Parameters
#
# | parameter | turn it | start with | what it costs |
# |---|---|---|---|
# | `lift` | first | 0.25; try 0.5 where questions ask for whole passages | more text beside the point where evidence is thin |
# | `stop` | second | `None`; lower the budget first, then `Stop(gap=0.4)` | recall, for a shorter and cleaner context |
# | `coverage` | rarely | 0.25 | nothing here; much more prefers words over fit |
# | the hierarchy | | sections of 600, leaves of 200 tokens | too large a section says the same of everything |
# | units | | `make_units`: sentences, turns | shorter ones are noise: joined below 60 characters in English |
#
# The weights of the levels, their widths, the ½ and BM25's numbers were chosen once and are no parameters here. A weight
# that is tuned on one corpus is a guess about the next.
#
# When to use it: texts with a structure, from handbooks and reports to laws and transcripts, in any size that fits in
# memory. When not: short paragraphs that stand alone, where hybrid search of whole entries is simpler, and questions that
# name their place, "Article 17(2)": there a look-up is better ([lesson 21](21_the_question_itself.ipynb)).
#
# ## Exercises
#
# `hint("20.1")` gives a hint, `solution("20.1")` shows a solution.
#
# ### Exercise 20.1 · Find the bugs: a neighbourhood as a slice
#
# ★☆☆ · 5 minutes. `documents` names the document of each unit; the units of a document stand together. Return for
# each unit the places of all units of *its document* that are at most `reach` places away, itself included,
# ascending. The line below is how it is often written. It has two bugs.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def neighbours(documents: list[str], reach: int) -> list[list[int]]:
    """For each unit the places of all units of its document at most ``reach`` places away, itself among them."""
    places = list(range(len(documents)))
    return [places[place - reach : place + reach + 1] for place in places]


check("20.1", neighbours)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 20.1


check("20.1", neighbours)

# %% [markdown]
# ### Exercise 20.2 · A level with its own statistics
#
# ★★★ · 15 minutes. The heart of this lesson, without NumPy. `units` holds how often each word comes in each unit,
# each at least once; `node_of` the number of the node that each unit lies in; `query` the question's words, each
# once. Return for each unit the score of its *node*:
#
# > sum of idf · count / (count + 0.6 · (0.25 + 0.75 · length / mean length)), divided by the sum of idf
#
# with idf = ln(1 + (N − n + 0.5) / (n + 0.5)) for a word that n of N nodes have. A node's length is the number of its
# words. Words that no node has are left out; where no word is left, all scores are 0.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def level_words(units: list[dict[str, int]], node_of: list[int], query: list[str]) -> list[float]:
    """For each unit, BM25 of the node that it lies in: with the statistics of the nodes, and between 0 and 1."""
    return ...


check("20.2", level_words)

# %% tags=["solution"]
import math

from hierrag_lessons import check

# solution: 20.2


check("20.2", level_words)

# %% [markdown]
# ### Exercise 20.3 · From sentences to leaves
#
# ★☆☆ · 8 minutes. The first dial. `scores` are the units' scores, `leaf` names the leaf of each, `lift` lies between
# 0 and 1. Return the places of all units, the highest key first, equal keys by the name of the leaf, then by place.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def turn(scores: list[float], leaf: list[str], lift: float) -> list[int]:
    """The places of all units, best first, each unit lifted by the share ``lift`` towards the best of its leaf."""
    return ...


check("20.3", turn)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 20.3


check("20.3", turn)

# %% [markdown]
# ### Exercise 20.4 · For the words that are still missing
#
# ★★☆ · 10 minutes. Pick all units, one after the other. The value of a unit is its score plus `weight` times the sum
# of the shares of those words that it has and no pick before it has. `words` lists the words of each unit, each once;
# `share` is the worth of each word of the question, and other words are worth nothing. Of equal values, the first
# unit wins. Return the places in the order of the picks.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def pick(scores: list[float], words: list[list[str]], share: dict[str, float], weight: float) -> list[int]:
    """The places of all units as they are picked: each for its score and for the question's words it adds."""
    return ...


check("20.4", pick)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 20.4


check("20.4", pick)

# %% [markdown]
# ### Open task · Beat this figure
#
# ★★★ · as long as you like. Change `my_rule`: other levels, other weights, a fifth level (the part, ten neighbours on
# each side), a product, a rank. **Write down first what you expect, and why.** The figure to beat is that of the four
# levels, without dials, at 1,000 tokens. A difference whose interval holds 0 is no win; and after twenty tries, one
# such interval will exclude 0 by chance.


# %%
def my_rule(said):
    """Your rule: from what each level said, ``said[level] = (words, meaning)``, to one score a unit."""
    return score(said, levels=("unit", "unit", "neighbours", "surroundings", "section"))


mine = evaluate(Ranked("en", my_rule), asked["en"], [1000], k=60)
ours, before = mine.scores("recall"), ablation["en"]["+ section: all four"].scores("recall")
low, high = paired_difference(list(ours.values()), list(before.values()))
gain = mean(ours.values()) - mean(before.values())
print(f"to beat {mean(before.values()):.3f}, yours {mean(ours.values()):.3f}: {gain:+.3f} ({low:+.3f} to {high:+.3f})")

# %%
stack.close()

# %% [markdown]
# ## Takeaways
#
# 1. What is scored and what is returned are two decisions. Score with the surroundings, return what earns its tokens.
# 2. A level is a matrix that adds its units up: words and vectors of all levels come from one embedding of the units.
# 3. Each level has its own statistics, and one scale for all of them makes a plain mean possible.
# 4. `lift` goes from sentences to leaves without a threshold; a stop rule makes a context smaller than its budget.
# 5. Where all evidence lies in one leaf, there is little to gain: hybrid search with the section's vote finds it too,
#    and whole. And count the headings: print each one once.
#
# ## Quiz
#
# <details><summary>1. Why is BM25 divided by the sum of the idf?</summary>So that it lies between 0 and 1 for every question and every level. Only then can levels be averaged with each other and with cosines.</details>
#
# <details><summary>2. A section has 40 sentences. How many of its vectors are embedded?</summary>None. Its vector is the sum of those of its sentences, each times the root of its length, brought to unit length.</details>
#
# <details><summary>3. What comes back at lift 1?</summary>Whole leaves, in the order of their best sentence, sentence by sentence as the budget allows. With coverage above 0 some sentences are picked earlier.</details>
#
# <details><summary>4. Why is the best level a bad score?</summary>All units of a section that fits get one score. Which of them is the answer can't be told any more.</details>
#
# <details><summary>5. Your texts are 50,000 product descriptions of three sentences each. What do you use?</summary>Hybrid search of whole descriptions first: it is simpler, and there is nothing around them that could speak. Then measure.</details>
#
# ## Interview questions
#
# <details><summary>1. Small chunks match badly, large chunks waste the context. What do you do?</summary>
#
# Take matching and returning apart. Score each sentence by itself, its neighbours, its surroundings and its section,
# with words and vectors, and return sentences. Parent-child takes them apart the other way and pays with tokens. I'd
# compare both at equal budgets, headings counted, with recall and the share of complete answers.
# </details>
#
# <details><summary>2. How do you combine scores of different levels or of BM25 and cosine?</summary>
#
# Put them on a scale that does not depend on the question, then add. BM25 divided by the idf sum lies between 0 and
# 1, a cosine at most 1. Ranks (RRF) throw away how far ahead a hit is; z-scores depend on what else was found. And
# each level needs statistics of its own: a word can be rare in sentences and common in sections.
# </details>
#
# <details><summary>3. How would you scale this to ten million sentences?</summary>
#
# Candidates first: a few hundred by vector, a few hundred by BM25, and all sentences of the best sections. Then the
# exact score for these only. The sections matter, because the sentences that need their surroundings most are those
# that the first two miss. I'd measure the candidates' recall against the exact sum on a sample.
# </details>
#
# ## Further reading
#
# - Robertson, Zaragoza, Taylor, *Simple BM25 Extension to Multiple Weighted Fields*, CIKM 2004. The same question for
#   title, body and anchor text: add up before the function, or after it?
# - Callan, *Passage-Level Evidence in Document Retrieval*, SIGIR 1994. Passages and documents speak together, thirty
#   years ago.
# - Chen et al., *Dense X Retrieval: What Retrieval Granularity Should We Use?*, 2023:
#   [arXiv:2312.06648](https://arxiv.org/abs/2312.06648).
# - Murdock and Croft, *A Translation Model for Sentence Retrieval*, 2005: sentences smoothed with the document that
#   they stand in.
#
# Back: [19 · Fusion, reranking and packing](19_reranking_and_packing.ipynb) · [15 · Auto-merging](15_auto_merging.ipynb) ·
# [tour](00_tour.ipynb).
