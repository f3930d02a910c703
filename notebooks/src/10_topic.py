# %% [markdown]
# # 10 · Topics
#
# **You will** cluster the sentences of a text, see the labels flicker, calm them by a vote and by Viterbi's algorithm, give
# the topics names, and find out when a text has no topics at all.
#
# **You learn** K-means on sentence vectors; the silhouette; majority smoothing; Viterbi; TF-IDF names without a tokenizer
# for Chinese; HDBSCAN; why a refusal is a result; what topic chunks are good for, and what they are not.
#
# **You need** [lesson 03](03_measuring_retrieval.ipynb) (recall at a budget), [lesson 05](05_sentences.ipynb) (sentences)
# and [lesson 09](09_semantic.ipynb) (novelty, Pk). 20 minutes, medium (★★☆), three exercises. No network, no API key.
#
# The way through: [a topic that comes back](#A-topic-that-comes-back), [the idea](#The-idea), [labels that
# flicker](#Labels-that-flicker), [a vote](#A-vote), [Viterbi](#Viterbi), [names](#Names), [the number
# of topics](#The-number-of-topics), [the refusal](#The-refusal), [sizes](#Sizes), [known borders](#Measured-on-known-borders),
# [questions](#Measured-on-questions), [parameters](#Parameters), [exercises](#Exercises).

# %%
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from random import Random

import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from hierrag_lessons import (
    MARKDOWN,
    Chunk,
    Document,
    FixedSizeChunker,
    OptimalSemanticChunker,
    RecursiveChunker,
    Table,
    TopicChunker,
    TopicsRefusedError,
    boundary_f1,
    compare,
    course_set,
    default_embedder,
    distances,
    drawing,
    find_clusters,
    lexical_boundaries,
    load_corpus,
    majority,
    optimal_boundaries,
    paired_difference,
    pk,
    score_chunkers,
    sentence_vectors,
    split_sentences,
    topic_boundaries,
    topic_names,
    viterbi,
    window_diff,
)

# %% [markdown]
# ## A topic that comes back
#
# Three news items of our corpus as one stream, without headlines and paragraphs. The first is about meters that forecast
# their own load, the second about a new law, the third about meters that learn: the first topic again, at another company.

# %%
english = {document.doc_id: document for document in load_corpus("en")}
chinese = {document.doc_id: document for document in load_corpus("zh")}
embedders = {"en": default_embedder("en"), "zh": default_embedder("zh")}


def sentences_of(text):
    return [text[start:end] for start, end in split_sentences(text)]


def story(number):
    """The sentences of a news item, without its headline and its place and date."""
    sentences = sentences_of(english[f"en/news_{number:02}"].text)[1:]
    return [sentences[0].split(" — ", 1)[-1], *sentences[1:]]


stories = [story(number) for number in (10, 12, 11)]
sentences = [sentence for one in stories for sentence in one]
borders = np.cumsum([0, *map(len, stories)])[:-1].tolist()
truth = [topic for topic, one in zip((0, 1, 0), stories, strict=True) for _ in one]
stream = Document("stream", " ".join(sentences))
for border in borders:
    print(f"{border:3}  {sentences[border][:100]} …")

# %% [markdown]
# The chunker of the previous lesson looks for the places where the text turns.

# %%
for chunk in OptimalSemanticChunker(400, 100).chunk(stream):
    print(f"{chunk.start:5}-{chunk.end:<5} context: {chunk.context!r:4} {chunk.text[:70]} …")

# %% [markdown]
# Here it turns too early: the second chunk begins inside the first story. And a cut is all that it knows. It can't say
# what a chunk is *about*, nor that two chunks, with something else between them, are about the same. For "everything on
# meters that forecast" we need that.
#
# ## The idea
#
# ![Eighteen sentences in a row. Clustering alone labels them mostly A, then B, then A, with single sentences that fall out
# of line. After smoothing they are a run of A, a run of B and a run of A. Three chunks follow, and the first and the last
# have the same name.](images/10_topics.svg)
#
# 1. **Cluster** the vectors of all sentences. Where a sentence stands plays no part.
# 2. **Smooth** the labels along the text: neighbours mostly share a topic.
# 3. **Cut** where the smoothed label changes, inside the limits of size, and **name** each topic.
#
# ## Labels that flicker
#
# Step 1 alone, as many write it: K-means, and a cut wherever the label changes. Vectors are those of lesson 09: of unit
# length, less most of the document's mean.

# %%
vectors = sentence_vectors(sentences, embedders["en"])
raw = KMeans(n_clusters=2, n_init=10, random_state=0).fit_predict(vectors)
raw = [int(label != raw[0]) for label in raw]  # The first topic is number 0.


def show(name, labels):
    runs = len(list(groupby(labels)))
    print(f"{name:10} {''.join(map(str, labels))}  {runs} runs")


show("stories", truth)
show("K-means", raw)

# %% [markdown]
# The three stories can be seen, and so can some sentences that fall out of line. A sentence that stands alone between
# others makes two cuts inside a story. Here are those:

# %%
alone = [i for i in range(1, len(raw) - 1) if raw[i - 1] != raw[i] != raw[i + 1]]
for i in alone:
    print(f"{i:3}  {sentences[i][:110]}")

# %% [markdown]
# A single sentence is little evidence. "It will last at least through the winter" is about nothing in particular; only its
# neighbours say where it belongs.
#
# ## A vote
#
# The plain remedy: each sentence takes the label that most of five sentences have, itself and two on either side.


# %%
def vote(labels, reach=2):
    smoothed = []
    for i, own in enumerate(labels):
        votes = Counter(labels[max(0, i - reach) : i + reach + 1])
        winners = [label for label, number in votes.items() if number == max(votes.values())]
        smoothed.append(own if own in winners else min(winners))
    return smoothed


show("stories", truth)
show("K-means", raw)
show("vote", vote(raw))
print("the package agrees:", majority(raw, window=5) == vote(raw))

# %% [markdown]
# On this stream that is enough. But a vote is blind in one eye: it sees *that* a sentence is nearer to the other topic, not
# *by how much*. A sentence that is nearly in the middle counts as much as one that shouts. On other streams, as we will
# measure below, this costs.
#
# ## Viterbi
#
# Keep the distances. A labelling of the whole text costs
#
# **sum of the squared distances of the sentences to their topics + penalty × number of changes**
#
# and we want the cheapest one. There are 2 to the power n labellings, but the cheapest way to *end in a topic* at sentence
# i is easy once we know it for sentence i − 1: either the sentence before was in the same topic, or it was in the cheapest
# one and we pay the penalty. That is Viterbi's algorithm (1967), the same dynamic programming as in lesson 09, with topics
# in place of chunks. In the language of probability this is a hidden Markov model whose states are sticky.

# %%
centres = np.stack([vectors[np.array(raw) == topic].mean(axis=0) for topic in (0, 1)])
costs = np.square(vectors[:, None] - centres).sum(axis=2)  # shape (sentences, topics)


def cheapest(costs, penalty):
    best, came_from = costs[0], []
    for row in costs[1:]:
        source = np.where(best <= best.min() + penalty, np.arange(len(row)), best.argmin())
        came_from.append(source)
        best = np.minimum(best, best.min() + penalty) + row
    labels = [int(best.argmin())]
    for source in reversed(came_from):
        labels.insert(0, int(source[labels[0]]))
    return labels


show("stories", truth)
for penalty in (0, 0.1, 0.5, 1, 5):
    show(f"pay {penalty}", cheapest(costs, penalty))

# %% [markdown]
# Free changes give the raw labels again. A dear change leaves one topic. Between the two the stories come out,
# up to one sentence.
#
# The package's `viterbi` has one thing more: every run has at least `min_run` sentences, exactly and not by patching short
# runs afterwards. Without that it should agree with our cell. Does it, on all texts of the corpus that are not too long?

# %%
tested = agree = refused = 0
for document in [*english.values(), *chinese.values()]:
    texts = sentences_of(document.text)
    if len(texts) > 120:
        continue
    found = sentence_vectors(texts, embedders[document.language])
    try:
        fit = distances(found, find_clusters(found, topics=3, min_sentences=5, method="kmeans").centers)
    except TopicsRefusedError:
        refused += 1
        continue
    for penalty in (0, 0.1, 0.5):
        tested += 1
        agree += cheapest(fit, penalty) == viterbi(fit, penalty)
print(f"{agree} of {tested} labellings agree; {refused} texts are too small for three topics")

# %%
rows = {
    "stories": truth,
    "K-means": raw,
    "vote of five": vote(raw),
    "Viterbi": viterbi(costs, 0.5, min_run=5),
}
with drawing(2.4) as (figure, [axes]):
    axes.imshow(list(rows.values()), aspect="auto", cmap=ListedColormap(["#abdaf4", "#E69F00"]))
    for y, labels in enumerate(rows.values()):
        for x, label in enumerate(labels):
            axes.text(x, y, label, ha="center", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), rows)
    axes.set(xlabel="sentence")
    for name, labels in rows.items():
        segments = [0, *(i for i in range(1, len(labels)) if labels[i] != labels[i - 1])]
        print(f"{name:13} segments start at {segments}")
    figure.alt = (
        "Four strips of coloured cells, one cell a sentence. The first shows the three stories, with the same "
        "colour for the first and the third. Below, the labels of K-means flicker. The vote and Viterbi both show "
        "three blocks close to the stories."
    )
figure

# %% [markdown]
# ## Names
#
# A topic is a number until somebody reads it. TF-IDF finds the words to read: those that are frequent in one topic and rare
# in the others, with a *topic* in the place of a document. (BERTopic made this popular in 2022, as c-TF-IDF.)
#
# English has spaces. Chinese has none, and a word list would be one more thing to install. But a word gives itself away: it
# comes back, and in changing company. 技术手 is always followed by 册, so it is half a word; 手册 is followed by many things.
# We cut at characters that are grammar (的, 了, 是 …) and count.

# %%
for topic, name in topic_names(sentences, cheapest(costs, 0.5), "en").items():
    print(topic, name)

ticket = chinese["zh/support_chats/zh-chat-002"]
report = chinese["zh/annual_report_excerpt"]
for document in (ticket, report):
    found = TopicChunker().find_topics(document)
    print(document.doc_id, list(found.names.values()))

# %% [markdown]
# Names of three words are no headlines, and some words are odd. They are honest, though: each one really stands in the
# topic, and no model made it up.
#
# ## The number of topics
#
# We said two, because we knew. K-means never objects: ask for eight topics and you get eight. The **silhouette** (Rousseeuw,
# 1987) compares how far a sentence is from its own topic and from the next one: 1 is perfect, 0 is none the wiser. Take the
# number with the highest mean.

# %%
call = english["en/earnings_call"]
topics = TopicChunker().find_topics(call)
for k, score in topics.silhouettes.items():
    print(f"{k} topics: {score:.3f}")

texts = sentences_of(call.text)
found = sentence_vectors(texts, embedders["en"])
theirs = KMeans(n_clusters=3, n_init=4, random_state=0).fit_predict(found)
print(f"scikit-learn by hand, 3 topics: {silhouette_score(found, theirs):.3f}")

# %% [markdown]
# All of these values are close to 0. That is usual for sentences: their topics are not islands but slopes of one hill. So
# take the number for a start and not for a fact. A person who knows the texts chooses better.
#
# Here is the call with the topics that were found. In a call the same things come back, first in the prepared remarks, then
# in the questions. (A topic of K-means that never holds five sentences in a row, the package's minimum, is gone after the
# smoothing.)

# %%
with drawing(2.4, rows=2) as (figure, panels):
    colours = ListedColormap(["#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#0072B2", "#D55E00", "#767676"])
    for axes, (name, labels) in zip(
        panels, {"nearest": topics.nearest, "smoothed": topics.labels}.items(), strict=True
    ):
        axes.imshow([labels], aspect="auto", cmap=colours, vmin=0, vmax=7, interpolation="nearest")
        axes.set_yticks([0], [name])
    panels[1].set(xlabel="sentence of the call")
    figure.alt = (
        "The earnings call as two strips along its sentences. Above, the labels before smoothing change at most "
        "sentences. Below, the smoothed labels are blocks, and several topics come back late in the call."
    )
before, after = (len(list(groupby(labels))) for labels in (topics.nearest, topics.labels))
print(f"topics before and after smoothing: {len(set(topics.nearest))}, {len(topics.names)}")
print(f"runs before and after smoothing: {before}, {after}")
for topic, name in topics.names.items():
    runs = sum(label == topic for label, _ in groupby(topics.labels))
    print(f"topic {topic}: {topics.labels.count(topic):3} sentences in {runs:2} runs: {name}")
figure

# %% [markdown]
# **HDBSCAN** finds the number of topics itself: it looks for dense groups and calls the rest noise, which the package then
# gives to the nearest group. How large a group must be decides nearly everything:

# %%
for document in (call, english["en/transparency_act"], stream):
    for least in (3, 8):
        try:
            found = TopicChunker(method="hdbscan", min_sentences=least).find_topics(document)
            print(
                f"{document.doc_id}, groups of {least}: {len(set(found.nearest))} topics, {len(found.names)} smoothed"
            )
        except TopicsRefusedError as refusal:
            print(f"{document.doc_id}, groups of {least}: {str(refusal).split(', and')[0]}")

# %% [markdown]
# ## The refusal
#
# A cluster of two sentences is an accident with a name. So the package asks for five sentences for each topic, for three
# topics at least where their number is not given. Where a text has fewer, it refuses, and says why:

# %%
small = english["en/news_08"]
try:
    TopicChunker().find_topics(small)
except TopicsRefusedError as refusal:
    print(refusal)

# %% [markdown]
# A chunker may not lose text, though. `TopicChunker.chunk` packs the sentences of such a text up to `max_size`, without a
# topic, and each chunk carries the reason:

# %%
for chunk in TopicChunker(200, 50).chunk(small):
    print(f"{chunk.start:5}-{chunk.end:<5} topic_refused: {str(chunk.metadata['topic_refused'])[:57]} …")

# %% [markdown]
# ## Sizes
#
# A topic can be one page or one sentence, a chunk cannot. A chunk that is still below `min_size` goes on into the next
# topic; a topic that is too long is cut where its sentences turn most. So a chunk may hold two topics. Which one names it?
# The one that most of its sentences are on. That sounds like nothing, and published code gets it wrong:
# [exercise 10.2](#Exercise-10.2-·-Find-the-bug:-the-switch-that-is-postponed) is about it.

# %%
for chunk in TopicChunker(400, 100, topics=2).chunk(stream):
    print(f"{chunk.start:5}-{chunk.end:<5} topic {chunk.metadata['topic']}: {chunk.context:40} {chunk.text[:45]} …")

# %% [markdown]
# The name is the chunk's *context*: it is embedded in front of the text and never becomes part of it, so the offsets stay
# true.
#
# ## Measured on known borders
#
# Streams of six random news items, where we know the borders. Pk is the share of wrong pairs (lower is better, see lesson
# 09). WindowDiff asks of the same pairs whether the *number* of borders between them is right. F1 asks for exact hits. In
# all three rows of topics 3 to 8 topics are tried; after the vote, runs of fewer than five sentences are merged as well.

# %%
choose = Random(0)
streams = []
for _ in range(20):
    parts = [story(number) for number in choose.sample(range(1, 31), 6)]
    starts = np.cumsum([0, *map(len, parts)])[:-1].tolist()
    streams.append(([sentence for part in parts for sentence in part], starts))

methods = {
    "no borders": lambda units: [0],
    "words (TextTiling)": lambda units: lexical_boundaries(units, "en"),
    "semantic, optimal": lambda units: optimal_boundaries(units, embedders["en"]),
    "topics, no smoothing": lambda units: topic_boundaries(units, embedders["en"], smoothing="none"),
    "topics, vote": lambda units: topic_boundaries(units, embedders["en"], smoothing="majority"),
    "topics, Viterbi": lambda units: topic_boundaries(units, embedders["en"]),
}
lines, wrong_pairs = [], {}
for name, method in methods.items():
    found = [(len(units), starts, method(units)) for units, starts in streams]
    wrong_pairs[name] = [pk(*one) for one in found]
    means = [float(np.mean([measure(*one) for one in found])) for measure in (pk, window_diff, boundary_f1)]
    lines.append((name, *means, float(np.mean([len(starts) for _, _, starts in found]))))
Table(("method", "Pk", "WindowDiff", "F1", "segments"), tuple(lines), "20 streams of 6 stories each")

# %% [markdown]
# Are these differences more than luck? The difference in Pk, stream by stream, with its interval:

# %%
pairs = (
    ("topics, no smoothing", "no borders"),
    ("topics, vote", "topics, Viterbi"),
    ("topics, Viterbi", "semantic, optimal"),
)
for worse, better in pairs:
    low, high = paired_difference(wrong_pairs[worse], wrong_pairs[better])
    difference = np.mean(wrong_pairs[worse]) - np.mean(wrong_pairs[better])
    print(f"{worse:20} minus {better:17} {difference:+.3f} (95 % interval {low:+.3f} to {high:+.3f})")

# %% [markdown]
# On these streams, cutting by topic without smoothing is worse than not cutting at all. Viterbi does better than the vote,
# and the semantic chunker still places borders better than both. It looks at each gap from both sides, while clustering
# does not look at gaps at all. If the aim is borders, choosing topics first is a detour. (The streams are drawn from only
# thirty items that share companies and a market. So the stories are hard to tell apart, and the intervals are rather too
# narrow. `benchmarks/segmentation.py` measures the same methods on public texts, with the same order of the semantic and
# the topic methods.)
#
# ## Measured on questions
#
# Retrieval is another question. All chunkers below give chunks of at most 200 tokens, and all get a context of 1,000
# tokens. Topic chunks come twice, with the topic's name in front of the embedded text and without it.


# %%
@dataclass(frozen=True)
class Prepared:
    """Chunks that were made before, by document."""

    chunks: dict[str, list[Chunk]]

    def chunk(self, document, within=None):
        return self.chunks[document.doc_id]


def without_context(chunk):
    return Chunk(chunk.doc_id, chunk.start, chunk.end, chunk.text, metadata=chunk.metadata)


def prepare(documents):
    named = {document.doc_id: TopicChunker(200, 80).chunk(document) for document in documents}
    plain = {name: [without_context(chunk) for chunk in chunks] for name, chunks in named.items()}
    return {
        "fixed, 200": FixedSizeChunker(200),
        "recursive, 200": RecursiveChunker(200, separators=MARKDOWN),
        "topics, 80 to 200, named": Prepared(named),
        "topics, 80 to 200, no names": Prepared(plain),
    }


documents, questions = course_set("en")
scores = score_chunkers(prepare(documents), documents, questions)
compare(scores)

# %%
documents_zh, questions_zh = course_set("zh")
scores_zh = score_chunkers(prepare(documents_zh), documents_zh, questions_zh)
compare(scores_zh)

# %% [markdown]
# Read the columns `difference low` and `difference high`: 0 lies between them in every row, so these questions do not tell
# any of the methods apart. The same holds for the two topic rows:

# %%
for language, found in (("en", scores), ("zh", scores_zh)):
    rows = {name: found[name] for name in ("topics, 80 to 200, no names", "topics, 80 to 200, named")}
    line = compare(rows).records()[1]
    print(f"{language}: names in front change recall by {line['difference']:+.3f}", end=" ")
    print(f"(95 % interval {line['difference low']:+.3f} to {line['difference high']:+.3f})")

# %% [markdown]
# Whether three words of a topic help (they say what a sentence leaves out) or harm (they make all chunks of a topic more
# alike) is not decided by these questions.
#
# ### Where it loses
#
# The question on which named topic chunks lose most against recursive ones, and what each of them found first:

# %%
ours, theirs = (scores[name].scores("recall") for name in ("topics, 80 to 200, named", "recursive, 200"))
worst = min(ours, key=lambda question_id: (round(ours[question_id] - theirs[question_id], 6), question_id))
for name in ("recursive, 200", "topics, 80 to 200, named"):
    [row] = [row for row in scores[name].rows if row.question.id == worst]
    print(f"{name}: recall {row.metrics['recall']:.2f}")
    for passage in row.passages[:2]:
        label = f"[{passage.context}] " if passage.context else ""
        print(f"   {passage.doc_id} {passage.start}-{passage.end} {label}{' '.join(passage.text.split())[:90]} …")
print("question:", row.question.question)
for evidence in row.question.evidence:
    quote = " ".join(english[evidence.doc_id].text[evidence.start : evidence.end].split())
    print(f"evidence: {evidence.doc_id} {evidence.start}-{evidence.end}: {quote[:120]} …")

# %% [markdown]
# Topic chunks ignore headings, paragraphs and tables: a list or a table is just a row of odd sentences to them. On a text
# with form, use the form ([lesson 07](07_structure.ipynb)).
#
# So what are topics good for? Not for the best cut. They are a *label*: for a filter ("only what is about the recall"), for
# a table of contents of a text that has none, for an overview of 2,000 support tickets, and as an upper level over smaller
# chunks.
#
# ## Parameters
#
# | parameter | start | what it does, what it costs |
# | --- | --- | --- |
# | `topics` | `None` | turn this first. 3 to 8 are tried by silhouette; a person who knows the text knows better |
# | `min_sentences` | 5 (5 to 8) | fewest sentences in a row on one topic. Low: flicker. High: short topics vanish, small texts are refused |
# | `switch_penalty` | 0.5 | what a change costs. It is a sum of squared distances, so other embedders need other values |
# | `smoothing` | `"viterbi"` | `"majority"` is simpler to explain, `"none"` is for looking at the flicker |
# | `method` | `"kmeans"` | `"hdbscan"` finds the number itself and is very sensitive to `min_sentences` |
# | `max_size`, `min_size` | 400, 100 tokens | for Chinese text measured in characters, 500 to 1,400 are usual |
#
# Cost: one vector for each *sentence*, several times as many as for chunks, and the whole document must be there before the
# first chunk is known. K-means starts from random centres, so the seed is fixed; the number of threads changes the last
# digits of a sum, so the package uses one.
#
# ## Exercises
#
# ### Exercise 10.1 · Majority smoothing
#
# ★☆☆ · 8 minutes. Write the vote of this lesson yourself, without looking. Each label becomes the most frequent one among
# itself and `reach` neighbours on either side. Among equally frequent labels a sentence keeps its own; where its own is not
# among them, the smallest wins. `hint("10.1")` helps, `solution("10.1")` shows one way.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def vote(labels: list[int], reach: int) -> list[int]:
    """The smoothed labels, one for each label."""
    return ...


check("10.1", vote)

# %% tags=["solution"]
from collections import Counter

from hierrag_lessons import check

# solution: 10.1


check("10.1", vote)

# %% [markdown]
# ### Exercise 10.2 · Find the bug: the switch that is postponed
#
# ★★☆ · 12 minutes. This is the idea of published code. Cut where the label changes; if the chunk has fewer than `least`
# characters, postpone. Each chunk is reported as (first sentence, end, topic). Try `[0, 1, 1, 1, 1]` with ten characters a
# sentence and `least = 20`: where is the cut, and what is the first chunk called?
#
# Repair it. **Cut** before a sentence whose label differs from the sentence before it, if the chunk has at least `least`
# characters by then. A chunk's **topic** is the label that most of its characters have; among equals the one that comes
# first in the chunk.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def topic_chunks(labels: list[int], sizes: list[int], least: int) -> list[tuple[int, int, int]]:
    chunks = []
    start, size, current = 0, 0, labels[0]
    for i, label in enumerate(labels):
        if label != current and size >= least:
            chunks.append((start, i, current))
            start, size, current = i, 0, label
        size += sizes[i]
    chunks.append((start, len(labels), current))
    return chunks


check("10.2", topic_chunks)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 10.2


check("10.2", topic_chunks)

# %% [markdown]
# ### Exercise 10.3 · The cheapest labelling
#
# ★★☆ · 12 minutes. The forward step of Viterbi's algorithm: `costs[i][t]` is what it costs to give sentence `i` the label
# `t`, and each change of the label costs `penalty`. Return the lowest total cost of any labelling; the labels themselves
# are not asked for.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def lowest_cost(costs: list[list[int]], penalty: int) -> int:
    """The lowest total cost of any labelling of the sentences."""
    return ...


check("10.3", lowest_cost)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 10.3


check("10.3", lowest_cost)

# %% [markdown]
# ## Takeaways
#
# 1. Clustering says what a sentence is about wherever it stands; it can see that a topic comes back.
# 2. Labels of single sentences flicker. Smooth them along the text before you cut.
# 3. A vote counts sentences; Viterbi weighs how sure each one is, and decides on the whole text at once.
# 4. A small text has no topics. Refuse with a reason, and still return all of its text.
# 5. Topics are labels more than cuts: for borders alone, the semantic chunker was better.
#
# ## Interview questions
#
# <details><summary>Why not cut wherever the cluster label of a sentence changes?</summary>
#
# A single sentence is weak evidence, so labels flicker and every flicker makes two cuts. Neighbouring sentences mostly share
# a topic; smoothing (a vote, or Viterbi with a price for each change) uses that knowledge.
#
# </details>
#
# <details><summary>What does Viterbi do that a majority vote in a window cannot?</summary>
#
# It keeps how well each sentence fits each topic, so one sentence that clearly belongs elsewhere can outweigh several that
# are undecided, and it minimises one cost over the whole text. A window decides locally, needs a width, and can still leave
# short runs.
#
# </details>
#
# <details><summary>When would you use topic chunks for retrieval, and when not?</summary>
#
# For long texts without form in which subjects return, where the label itself is useful: filters, overviews, routing, an
# upper level of a hierarchy. Not for small documents, not for texts with headings or tables, and not if only good borders
# are wanted. And never without a measurement at the same context budget.
#
# </details>
#
# ## Further reading
#
# - Hearst, *TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages*, 1997:
#   [aclanthology.org/J97-1003](https://aclanthology.org/J97-1003/)
# - Pevzner and Hearst, *A Critique and Improvement of an Evaluation Metric for Text Segmentation*, 2002:
#   [aclanthology.org/J02-1002](https://aclanthology.org/J02-1002/)
# - Grootendorst, *BERTopic: Neural topic modeling with a class-based TF-IDF procedure*, 2022:
#   [arxiv.org/abs/2203.05794](https://arxiv.org/abs/2203.05794)
# - scikit-learn, [*Clustering*](https://scikit-learn.org/stable/modules/clustering.html): K-means, HDBSCAN, silhouette
#
# **Next:** [lesson 11, agentic chunks](11_agentic.ipynb): let a language model choose the borders, and check what it says.
