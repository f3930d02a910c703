# %% [markdown]
# # 17 · Four levels
#
# **You will** index one text four times, as a summary, as section summaries, as chunks and as propositions; switch
# levels off; return what a model should read, which is not what was matched; judge scores; and count what it all costs.
#
# **You learn** how derived texts keep their sources; how a level can be missing without breaking the tree; parent
# expansion; corrective RAG and why a cosine is a poor judge; whether question types can be routed to levels; where the
# bytes of an index go.
#
# **You need** [lesson 12](12_hybrid.ipynb) (propositions), [lesson 14](14_parent_child.ipynb) (search small, return
# large) and [lesson 16](16_summary_trees.ipynb) (summaries that cite). 20 minutes, medium (★★☆), three exercises. No
# network, no API key. **No language model writes here**: summaries are the document's own sentences, chosen by a rule,
# and propositions are made by rules.
#
# The way through: [questions of several sizes](#Questions-of-several-sizes), [the idea](#The-idea), [the usual
# build](#The-usual-build), [the repair](#The-repair), [switching levels off](#Switching-levels-off), [matched and
# returned](#Matched-and-returned), [measured](#Measured), [routing](#Routing-by-question-type), [ambiguous
# scores](#Ambiguous-scores), [storage](#Storage), [parameters](#Parameters), [exercises](#Exercises).

# %%
from bisect import bisect_right
from collections import Counter
from contextlib import ExitStack
from itertools import combinations
from statistics import mean

import numpy as np
from sklearn.metrics import roc_auc_score

from hierrag_lessons import (
    BANDS,
    COURSE_CHUNKERS,
    Document,
    ExtractiveSummariser,
    FixedSizeChunker,
    FlatRetriever,
    FourLevelRetriever,
    Level,
    ParentChildRetriever,
    RulePropositions,
    StructureChunker,
    SummaryTreeRetriever,
    Table,
    budget_curve,
    budget_curves,
    build_four_levels,
    build_summary_tree,
    cited,
    compare,
    count_tokens,
    course_hierarchy,
    course_set,
    drawing,
    expand,
    grade,
    largest_changes,
    metrics,
    paired_difference,
    score_retrievers,
    side_by_side,
    temporary_index,
)

# %% [markdown]
# ## Questions of several sizes
#
# *What is this ticket about?* and *Which error was reached at 128 bits?* are both questions about a text. The first one
# has no single chunk that answers it. For the second, a chunk of 200 tokens is mostly about something else.
#
# Here is one that flat search over chunks gets wrong. The answer is one cell of a table in a research paper:

# %%
documents, questions = {}, {}
for language in ("en", "zh"):
    documents[language], questions[language] = course_set(language)

stack = ExitStack()
hierarchies = {lang: [build_four_levels(document) for document in documents[lang]] for lang in documents}
index = {lang: stack.enter_context(temporary_index(hierarchies[lang])) for lang in hierarchies}
asked = next(question for question in questions["en"] if question.id == "en-paper-005")
print(asked.question, "\n")
for rank, passage in enumerate(FlatRetriever(index["en"], level=3).retrieve(asked.question, 4), start=1):
    share = metrics.recall([passage], asked.evidence)
    print(f"{rank}. {passage.score:.3f}  gold {share:.0%}  {' '.join(passage.text.split())[:84]}")

# %% [markdown]
# (Two indexes were built, English and Chinese, with all four levels; how, is what this lesson is about. Level 3 are the
# chunks, the same ones as in lessons [14](14_parent_child.ipynb) to [16](16_summary_trees.ipynb).)
#
# ## The idea
#
# ![Five rows. Level 0 is the document's text. Level 3 are chunks, spans of it. Level 2 has a summary for each section,
# level 1 one summary of the document. Level 4 are propositions. A hit on a proposition points to its source spans, up to
# its chunk, which is handed over, and to its section where the score is ambiguous or on
# request.](images/17_four_levels.svg)
#
# Index the text at **four sizes** and let the search decide which of them fits the question. Published indexes of this
# kind call them L0 to L3; here they are levels 1 to 4, because level 0 is the document itself:
#
# | level | text | kind | good for |
# |---|---|---|---|
# | 1 `DOCUMENT` | summary of the document | derived | what is this about |
# | 2 `SECTION` | summary of each section | derived | what does this part say |
# | 3 `CHUNK` | chunks | spans | most questions |
# | 4 `PROPOSITION` | single statements | derived | one exact fact |
#
# A summary tree ([lesson 16](16_summary_trees.ipynb)) grows its levels from clusters of similar chunks. These levels
# follow what the author did: document, sections, paragraphs, sentences. So one can say what a level is *for*.
#
# Three of the four are **derived**: made from the document, so that they need not stand in it as they are. A summary
# joins sentences from many places, a proposition may repeat an introduction. They are keys to search with. What comes back
# must be the document's own text, and that is the hard part.
#
# ## The usual build
#
# Code for such an index is mostly written with strings: split at headings, split again, ask for propositions of each
# chunk, and keep an id of the parent. Here it is, with rules in the place of the language model:


# %%
def usual_build(document, levels=(1, 2, 3, 4)):
    """Records of id, level, text and parent, as commonly published."""
    writer, extractor = ExtractiveSummariser(), RulePropositions()
    whole = course_hierarchy(document).leaves
    records = [("L0", 1, writer.summarise(document, whole, 300).text, None)]
    for s, section in enumerate(StructureChunker(2000, 600).chunk(document)):
        records.append((f"L1-{s}", 2, section.text[:600], "L0"))  # where a model would write a summary
        for c, chunk in enumerate(FixedSizeChunker(200, 20).chunk(document, section.span)):
            records.append((f"L2-{s}-{c}", 3, chunk.text, f"L1-{s}"))
            for p, found in enumerate(extractor.extract(Document("chunk", chunk.text, "markdown"))):
                records.append((f"L3-{s}-{c}-{p}", 4, found.text, f"L2-{s}-{c}"))
    return {name: {"level": n, "text": text, "parent": up} for name, n, text, up in records if n in levels}


act = next(document for document in documents["en"] if document.doc_id == "en/transparency_act")
records = usual_build(act)
texts = [record["text"] for record in records.values() if record["level"] == 4]
print(len(texts), "propositions;", sum(text not in act.text for text in texts), "stand nowhere in the act;")
print(sum(n - 1 for n in Counter(texts).values()), "are there a second time")

# %% [markdown]
# (Some are there twice because chunks overlap, others because the act repeats itself.) Three things are wrong.
#
# **No way back.** A record has words and a parent, but no place. A proposition that stands nowhere in the text cannot be
# shown, cited or measured with gold spans. (Neither can a summary.)
#
# **A chunk is too small a world.** Each chunk was read alone. A sentence that begins in the chunk before is a
# stump, and an item of a list has lost the words that say what the list is about:


# %%
def fragments(statements):
    """Statements that begin with a small letter, so in the middle of a sentence."""
    return [text for text in statements if text[:1].islower()]


unbroken = [found.text for found in RulePropositions().extract(act)]
alone = min((text for text in fragments(texts) if ": " in text), key=len)
introduced = next(text for text in unbroken if text.endswith(alone))
print(f"cut first, then extracted: {len(fragments(texts))} of {len(texts)} begin in mid-sentence, such as")
print("  ", alone)
print(f"extracted from the whole:  {len(fragments(unbroken))} of {len(unbroken)}")
print("  ", introduced)

# %% [markdown]
# **Levels that cannot be missing.** "Every level can be switched off" is one line in the configuration. Switch the
# chunks off, and ask for the parent of a proposition:

# %% tags=["raises-exception"]
without_chunks = usual_build(act, levels=(1, 2, 4))
proposition = next(record for record in without_chunks.values() if record["level"] == 4)
without_chunks[proposition["parent"]]

# %% [markdown]
# ## The repair
#
# All three have one cure: **everything derived names spans.**
#
# - A summary *stands for* all of its section, and *cites* the sentences that it was made from. Both are spans.
# - A proposition is taken from the whole document. Its sources are spans. It belongs to the chunk in which its last
#   source begins; the introduction may stand in another chunk.
# - Links are computed at the end, each to the nearest level above that is there.
#
# In a cell, for the two levels that need care:


# %%
def by_hand(document):
    """For each section its summary and cites; for each proposition its sources and the number of its chunk."""
    frame, writer = course_hierarchy(document), ExtractiveSummariser()
    summaries = []
    for section in frame.levels[1]:
        inside = [leaf for leaf in frame.leaves if section.start <= leaf.start and leaf.end <= section.end]
        summary = writer.summarise(document, inside, 200)
        summaries.append((section.span, summary.text, summary.cites))
    starts = [leaf.start for leaf in frame.leaves]
    found = RulePropositions().extract(document)
    homes = [(p.text, p.sources, bisect_right(starts, p.sources[-1].start) - 1) for p in found]
    return summaries, homes


def by_package(hierarchy):
    sections = [(node.span, node.text, cited(node)) for node in hierarchy.levels[Level.SECTION]]
    propositions = hierarchy.levels[Level.PROPOSITION]
    return sections, [(node.text, node.sources, hierarchy.parent(node).position) for node in propositions]


for lang, made in hierarchies.items():
    same = sum(by_hand(hierarchy.document) == by_package(hierarchy) for hierarchy in made)
    sizes = [sum(len(hierarchy.levels[level]) for hierarchy in made) for level in range(5)]
    print(f"{lang}: {same} of {len(made)} documents alike; nodes on levels 0 to 4: {sizes}")

# %% [markdown]
# `build_four_levels(document)` is the package's version. The document's summary is made from the section summaries, so
# that a long document need never be read in one piece. Here is the top of one tree:

# %%
(tree,) = [hierarchy for hierarchy in hierarchies["en"] if hierarchy.document.doc_id == "en/transparency_act"]
summary = tree.levels[Level.DOCUMENT][0]
print(f"document summary, {count_tokens(summary.text)} tokens of {count_tokens(act.text):,}; its first sentences:\n")
print(*summary.text.split("\n")[:3], sep="\n")
print("\nthe same characters, from the spans that it cites:")
print(*(act.text[start:end] for start, end in cited(summary)[:3]), sep="\n")

# %% [markdown]
# With a language model (`LLMSummariser`, `LLMPropositions`) the words would differ from the spans. The spans would still
# be there.
#
# No library that the course knows has these four levels in one index. LlamaIndex comes nearest with its
# `DocumentSummaryIndex`: one summary a document, written by a model, then all nodes of the chosen documents. That is
# level 1 as a route to level 3. [Lesson 18](18_coarse_to_fine.ipynb) builds such routes.
#
# ## Switching levels off
#
# A level that is off is not built: no summary is written, no proposition extracted. Its number stays free, so that
# `Level.CHUNK` means the same in every index. And the other levels must not change. We check all combinations on a ticket
# and on the act: is each one the full tree, with nodes taken out and links led past them?

# %%
ticket = next(d for d in documents["en"] if d.doc_id == "en/support_chats/ticket-0001")
lines, wrong = [], 0
for document in (ticket, act):
    full = build_four_levels(document)
    for on in (on for size in (1, 2, 3, 4) for on in combinations(Level, size)):
        part = build_four_levels(document, levels=on)
        for node in part:
            up = full.parent(full.node(node.node_id))
            while up is not None and up.level not in (0, *on):
                up = full.parent(up)
            wrong += node.text != full.node(node.node_id).text or node.parent_id != (up.node_id if up else None)
        counts = [len(level) for level in part.levels] + [0] * (5 - len(part.levels))
        lines.append((" + ".join(level.name.lower() for level in on), *counts))
print(f"{len(lines)} trees; nodes with other words or another link than they should have: {wrong}")
Table(("levels that are on", *map(str, range(5))), tuple(lines[15:]), "nodes on each level, the act")

# %% [markdown]
# The same switch exists when searching: `FourLevelRetriever(index, levels=[Level.CHUNK])` searches a part of what is
# there, and with chunks alone it is plain flat search.
#
# ## Matched and returned
#
# Back to the question about the table. Search chunks and propositions, hand over chunks:

# %%
retriever = FourLevelRetriever(index["en"], [Level.CHUNK, Level.PROPOSITION])
for rank, passage in enumerate(retriever.retrieve(asked.question, 6), start=1):
    share = metrics.recall([passage], asked.evidence)
    print(f"{rank}. {passage.score:.3f}  gold {share:.0%}  {passage.doc_id}:{passage.start}-{passage.end}")
    for hit in passage.hits:
        print(f"     {hit.score:.3f}  {Level(hit.node.level).name.lower():11}  {' '.join(hit.node.text.split())[:72]}")

# %% [markdown]
# Look at the passage with the gold. Its chunk is not among these hits. One of its propositions is: the head of the table,
# which the rules took for a statement of its own. As a statement it says nothing. As a *key* it is good: "feeder" and
# "128 bits" are words of the question, without the numbers around them. What is returned is the table. (One rank above
# is another table with the same head and the same score. The key cannot tell the two apart, so both are returned.)
#
# `expand` says what a hit leads to:
#
# | `expand` | a proposition leads to | a chunk leads to |
# |---|---|---|
# | `"never"` | its source spans | itself |
# | `"generation"` (default) | its chunk | itself |
# | `"always"` | its chunk | its section |
# | `"ambiguous"` | its chunk, or judged upwards | itself, or judged upwards |
#
# And an agent that reads a passage and finds it too thin can ask for more. `expand(index, passages)` climbs from what it
# is given to the next larger piece:

# %%
(found,) = FourLevelRetriever(index["en"], [Level.PROPOSITION], "never").retrieve("error at 128 bits by feeder", 1)
for _ in range(4):
    print(f"{found.start:6}-{found.end:<6} {count_tokens(found.text):5} tokens  {' '.join(found.text.split())[:60]}")
    (found,) = expand(index["en"], [found])

# %% [markdown]
# Proposition, chunk, section, and there it stops: the next step would be the whole document. (`expand` is a plain
# function; an agent's tool would be one line around it, see [lesson 22](22_walking_the_outline.ipynb).)
#
# ## Measured
#
# First each level alone. What do they find at 1,000 tokens, by question type? A hit on a document's summary returns the
# sentences that it cites, a hit on a section's summary here the whole section, a hit on a proposition its chunk.

# %%
alone = {
    "chunks, flat": lambda index: FlatRetriever(index, Level.CHUNK),
    "document summaries": lambda index: FourLevelRetriever(index, [Level.DOCUMENT]),
    "section summaries": lambda index: FourLevelRetriever(index, [Level.SECTION], summaries="whole"),
    "propositions": lambda index: FourLevelRetriever(index, [Level.PROPOSITION]),
}
single = {
    lang: score_retrievers({name: make(index[lang]) for name, make in alone.items()}, questions[lang], (1000,))
    for lang in index
}


# %%
def by_type(results, language, budget=1000):
    """Mean recall by question type, and over all, with the context tokens."""
    types = sorted({q.type for q in questions[language] if q.answerable})
    lines = [
        (
            name,
            *(result.mean("recall", budget, type=each) for each in types),
            result.mean("recall", budget),
            result.mean("context_tokens", budget),
        )
        for name, result in results.items()
    ]
    return Table(("method", *types, "all", "context_tokens"), tuple(lines), f"{language}, recall at {budget} tokens")


by_type(single["en"], "en")

# %%
by_type(single["zh"], "zh")

# %%
compare(single["en"], "recall", 1000)

# %%
compare(single["zh"], "recall", 1000)

# %% [markdown]
# Alone, summaries are shown to lose against chunks in both languages: they name what a section is about, and the cell
# of a table is not in them. By type, they come near to chunks for Chinese dialogues, where the summary of a short chat
# is a good part of the chat, and document summaries do for English lists, of which no level finds much.
#
# Propositions alone are not shown to differ from chunks, although everything was matched with single sentences. Now all
# together, with the methods of lessons [14](14_parent_child.ipynb) and [16](16_summary_trees.ipynb) on the same chunks:

# %%
together = {}
for lang in index:
    frames = stack.enter_context(temporary_index(course_hierarchy(d) for d in documents[lang]))
    trees = stack.enter_context(temporary_index(build_summary_tree(d, COURSE_CHUNKERS) for d in documents[lang]))
    methods = {
        "chunks, flat": FlatRetriever(index[lang], Level.CHUNK),
        "parent-child": ParentChildRetriever(frames, coverage=0.3),
        "summary tree": SummaryTreeRetriever(trees),
        "chunks + propositions": FourLevelRetriever(index[lang], [Level.CHUNK, Level.PROPOSITION]),
        "four levels": FourLevelRetriever(index[lang]),
    }
    together[lang] = score_retrievers(methods, questions[lang], (500, 1000, 2000) if lang == "en" else (1000,))
compare(together["en"], "recall", 1000)

# %%
compare(together["zh"], "recall", 1000)

# %%
by_type(together["en"], "en")

# %%
by_type(together["zh"], "zh")

# %% [markdown]
# And how sure is that, by type? Differences from flat chunks on the same questions, with their intervals:

# %%
lines = []
for lang, by_name in together.items():
    for kind in sorted({q.type for q in questions[lang] if q.answerable}):
        before = list(by_name["chunks, flat"].scores("recall", 1000, type=kind).values())
        line = [lang, kind, len(before)]
        for name in ("chunks + propositions", "four levels"):
            after = list(by_name[name].scores("recall", 1000, type=kind).values())
            low, high = paired_difference(after, before)
            line.append(f"{mean(after) - mean(before):+.2f} ({low:+.2f} to {high:+.2f})")
        lines.append(tuple(line))
columns = ("texts", "type", "questions", "chunks + propositions", "four levels")
Table(columns, tuple(lines), "recall at 1000 tokens, difference from chunks, flat")

# %%
curves = budget_curves(
    budget_curve({name: together["en"][name] for name in ("chunks, flat", "chunks + propositions", "four levels")})
)
print(curves.numbers)
curves

# %% [markdown]
# Three of these methods have a gain whose interval leaves out zero or just touches it, all in English: the summary tree,
# propositions beside the chunks, and all four levels. Only for the second is p below 0.05, too, and the two comparisons
# hold eight differences; one such by luck would be no great surprise. In Chinese no gain is shown, and whole parents are
# shown to lose: at an equal budget they fill it with text that nobody asked for.
#
# By type there are few questions, and the table has twenty intervals, so one that is clear of zero could be luck. No gain is
# shown for any type. A **loss** is, in Chinese: for dialogues, with propositions beside the chunks, and just so for summary
# questions, in both columns. The rest are hints. English dialogues have the largest gain in the mean: one turn, with its
# speaker in front, is a proposition; in a chunk of many turns it drowns. With the summaries of whole chats, Chinese dialogues
# get most of their loss back. Facts have a higher mean in both languages. Lists hardly move: where an answer is spread over a
# page, no small key points at all of it.
#
# At 500 tokens the English curves lie on each other. What propositions find needs room for several chunks.
#
# The questions that change most, English, four levels against flat:

# %%
rescued, spoiled = largest_changes(together["en"]["chunks, flat"], together["en"]["four levels"], budget=1000)
for word, change in {"rescued": rescued, "spoiled": spoiled}.items():
    print(f"{word}: {change.question.id} ({change.question.type}), recall {change.before:.2f} to {change.after:.2f}")
    print("  ", change.question.question)

# %%
for passage in spoiled.passages_after[:4]:
    hit = passage.hits[0]
    print(f"{hit.score:.3f} {Level(hit.node.level).name.lower():11} {' '.join(hit.node.text.split())[:84]}")

# %%
columns = {"chunks, flat": spoiled.passages_before, "four levels": spoiled.passages_after}
side_by_side({name: passages[:3] for name, passages in columns.items()}, gold=spoiled.question.evidence)

# %% [markdown]
# This is how propositions lose. The question needs two neighbouring chunks of one ticket, and flat search found both. Now
# small sentences of the same ticket, and of the one that continues it, match a little better. Each brings its whole
# chunk, and the budget is full before the second half of the answer comes. The sentence that matched best can be as thin
# as "Understood.": with the customer's name in front, it is near to every question that names the customer.
#
# ## Routing by question type
#
# An index with levels suggests a router: facts to propositions, lists to chunks, overviews to summaries. (The tables of
# single levels do not bear that out. No type has its best mean with summaries, and English facts did better with chunks.)
# Before one builds a classifier for question types, a cheaper test: pretend that the type is **known**. Each type is sent
# to the level that was best for it, and to be fair, best in *one half* of the questions, while the other half is measured;
# then the other way round. That is more than any router will ever know.

# %%
ROUTES = ("chunks, flat", "document summaries", "section summaries", "propositions")


def routed(language):
    """Recall of each question when its type goes to the level that was best for it in the other half; and the routes."""
    scores = {name: single[language][name].scores("recall", 1000) for name in ROUTES}
    kinds = {question.id: question.type for question in questions[language]}
    ids, values, routes = list(scores[ROUTES[0]]), {}, []
    for half in (0, 1):
        learn = ids[1 - half :: 2]
        best = {
            kind: max(ROUTES, key=lambda name: mean(scores[name][q] for q in learn if kinds[q] == kind))
            for kind in sorted(set(kinds.values()) - {"unanswerable"})
        }
        routes.append(best)
        values |= {q: scores[best[kinds[q]]][q] for q in ids[half::2]}
    hindsight = {q: max(scores[name][q] for name in ROUTES) for q in ids}
    return [values[q] for q in ids], list(hindsight.values()), routes


# %%
lines = []
for lang in index:
    base = list(together[lang]["chunks, flat"].scores("recall", 1000).values())
    by_route, hindsight, routes = routed(lang)
    rows = {
        "chunks, flat": base,
        "routed by known type": by_route,
        "four levels at once": list(together[lang]["four levels"].scores("recall", 1000).values()),
        "best level of each question": hindsight,
    }
    for name, values in rows.items():
        difference = (
            (mean(values) - mean(base), *paired_difference(values, base)) if values is not base else (None,) * 3
        )
        lines.append((lang, name, mean(values), *difference))
    print(lang, *(f"{kind}: {routes[0][kind]} / {routes[1][kind]}" for kind in routes[0]), sep="\n   ")
Table(("language", "method", "recall", "difference", "low", "high"), tuple(lines))

# %% [markdown]
# With the type known, routing is not shown to beat flat search in either language. The two halves often do not even agree
# on a route: with so few questions a type, "best level" is mostly luck. So the classifier need not be built.
#
# The last row is hindsight: for each question the best of four contexts, which nobody can know beforehand. It can't be
# below flat search, which is one of the four, so its interval shows nothing; read it as the most that any choice of one
# level could reach here. Searching the levels **at once** has a mean between routing and hindsight, and nobody has to
# guess.
#
# Routing has its place where a question *says* which level it wants, "summarise the report", "what is ticket 18 about". Our
# gold questions ask for evidence, so none of them does.
#
# ## Ambiguous scores
#
# Corrective RAG (Yan et al., 2024) puts a judge between retrieval and generation. A hit is *correct*, *incorrect* or
# *ambiguous*; the paper trained a model for that, and asks the web where all is incorrect. Indexes with levels use the
# middle verdict in another way: of an ambiguous chunk, fetch what it stands in, and **judge that again**, in the hope
# that the context makes it clear. The judge at hand is the score of the search, the cosine, with two bounds:

# %%
for score in (0.7, 0.5, 0.35, 0.2, 0.1):
    print(f"{score:.2f}  {grade(score, *BANDS['en'])}")
print(BANDS)

# %% [markdown]
# `FourLevelRetriever(index, expand="ambiguous")` does just this. An ambiguous proposition asks its chunk, then its section;
# the first one that is not ambiguous decides. If it is correct, it is returned instead; if it is incorrect, the hit is
# dropped; if nobody can say, the hit stays.
#
# How good a judge is the cosine? Of the 20 best passages for each question some hold gold and some do not. If the score
# told them apart, the share with gold would rise from nearly none to nearly all along the axis.

# %%
judged, tops = {}, {}
for lang in index:
    retriever = FourLevelRetriever(index[lang], [Level.CHUNK, Level.PROPOSITION])
    found = retriever.retrieve_batch([question.question for question in questions[lang]], 20)
    judged[lang] = [
        (passage.score, metrics.recall([passage], question.evidence) > 0)
        for question, passages in zip(questions[lang], found, strict=True)
        for passage in passages
        if question.answerable
    ]
    for answerable in (True, False):
        tops[lang, answerable] = [
            passages[0].score
            for question, passages in zip(questions[lang], found, strict=True)
            if question.answerable == answerable
        ]
lines = []
for lang, pairs in judged.items():
    scores, gold = (np.array(column) for column in zip(*pairs, strict=True))
    medians = (float(np.median(tops[lang, answerable])) for answerable in (True, False))
    lines.append((lang, len(pairs), float(gold.mean()), float(roc_auc_score(gold, scores)), *medians))
columns = ("language", "passages", "with gold", "AUC", "median best score, answerable", "unanswerable")
Table(columns, tuple(lines), "AUC: the chance that a passage with gold scores above one without; 0.5 is a coin")

# %%
bands = np.arange(0.25, 0.75, 0.05)
scores, gold = (np.array(column) for column in zip(*judged["en"], strict=True))
inside = [(scores >= low) & (scores < low + 0.05) for low in bands]
shares = [float(gold[each].mean()) for each in inside]
for low, each, share in zip(bands, inside, shares, strict=True):
    print(f"{low:.2f} to {low + 0.05:.2f}: {each.sum():4} passages, {share:.3f} with gold")
with drawing(3.0, width=8.0) as (figure, [axes]):
    axes.bar(bands, shares, width=0.045, align="edge", color="#0072B2")
    axes.set(xlabel="score (cosine), English", ylabel="share of passages with gold", ylim=(0, 1))
    axes.axvline(BANDS["en"][1], color="#222222", linestyle="--", linewidth=1)
    axes.text(BANDS["en"][1] + 0.005, 0.9, "correct from here")
    figure.alt = (
        "Bars: the share of passages with gold in each band of scores of 0.05, English. The bars are low along "
        "the whole axis and rise a little only at the highest scores, where there are few passages. A dashed line "
        "marks the bound from which a score counts as correct."
    )
figure

# %% [markdown]
# It does not rise much. The AUC is nearer to a coin than to a judge. And the median best score of questions *without* an
# answer is not lower than that of the others, but higher; they are few, so take it as a hint. A cosine says "about the
# same things", and an unanswerable question is about them, too. It does not say "holds the answer". The judge of
# corrective RAG was trained to say just that.
#
# So expansion by cosine cannot do much good. Does it do harm? The bounds of the package, stricter ones, and the other
# ways of `expand`:

# %%
lines = []
strict_bands = {"en": (0.4, 0.6), "zh": (0.15, 0.3)}
for lang in index:
    both = [Level.CHUNK, Level.PROPOSITION]
    lower, upper = strict_bands[lang]
    expanding = {
        "generation": together[lang]["chunks + propositions"],
        **score_retrievers(
            {
                f"ambiguous {BANDS[lang]}": FourLevelRetriever(index[lang], both, "ambiguous"),
                f"ambiguous {strict_bands[lang]}": FourLevelRetriever(
                    index[lang], both, "ambiguous", lower=lower, upper=upper
                ),
                "always": FourLevelRetriever(index[lang], both, "always"),
                "never": FourLevelRetriever(index[lang], both, "never"),
            },
            questions[lang],
            (1000,),
        ),
    }
    base = list(expanding["generation"].scores("recall", 1000).values())
    for name, result in expanding.items():
        values = list(result.scores("recall", 1000).values())
        difference = (mean(values) - mean(base), *paired_difference(values, base)) if values != base else (None,) * 3
        tokens = (result.mean("context_tokens", 1000, type=kind) for kind in (None, "unanswerable"))
        lines.append((lang, name, mean(values), *difference, *(round(n) for n in tokens)))
columns = ("language", "expand", "recall", "difference", "low", "high", "context_tokens", "unanswerable tokens")
Table(columns, tuple(lines), "recall at 1000 tokens; difference from generation")

# %% [markdown]
# With the package's bounds no difference is shown, although they were chosen on these very questions. Stricter ones drop
# gold and are shown to lose; in English they even keep more text for questions without an answer than for those with
# one. Always going up to the section is shown to lose in English: one section can take the whole budget. Never going
# up, so handing over the bare sources of a proposition, is not shown to differ.
#
# So the default is `expand="generation"`: a model is given whole chunks, at no loss that is shown. A judge is worth
# having where it is one: a cross-encoder ([lesson 19](19_reranking_and_packing.ipynb)) or a model that reads. Parent
# expansion *on request* needs no judge; who asks has read the passage.
#
# ## Storage
#
# What do four levels cost? `Index.storage()` counts the real table, level by level:


# %%
def storage_table(language):
    """Nodes and kilobytes of each level, and its share of all bytes."""
    rows = index[language].storage()
    total = sum(row.total_bytes for row in rows)
    kilobytes = [(row.text_bytes, row.vector_bytes, row.other_bytes, row.total_bytes) for row in rows]
    names = ["document text", *(level.name.lower() for level in Level)]
    lines = [
        (f"{row.level} {name}", row.nodes, *(round(n / 1000) for n in sizes), sizes[-1] / total)
        for row, name, sizes in zip(rows, names, kilobytes, strict=True)
    ]
    dim = index[language].embedder.dim
    columns = ("level", "nodes", "text, kB", "vectors, kB", "other, kB", "total, kB", "share")
    return Table(columns, tuple(lines), f"{language}: {total / 1e6:.1f} MB before compression, {dim} dimensions")


storage_table("en")

# %%
storage_table("zh")

# %% [markdown]
# Four of five bytes are propositions. Each has a vector of its own, which takes more bytes than its words. The summaries,
# which need a model's time to be written well, take next to nothing. In Chinese vectors are longer, because that
# embedder has more dimensions, and the picture is the same.
#
# The documentation of Forge, a RAG system with such an index, has a table for a document of 100 pages (*Hierarchical
# Indexing*, section *Storage Overhead*; there L0 to L3). A *point* is one stored vector with its text. Points, tokens a
# point and vector storage are its figures, the rest is arithmetic:

# %%
published = {"L0": (1, 500, 4e3), "L1": (20, 300, 80e3), "L2": (400, 512, 1.6e6), "L3": (2000, 50, 8e6)}
whole = sum(size for _, _, size in published.values())
lines, here = [], index["en"].storage()[1:]
for (name, (points, tokens, size)), row in zip(published.items(), here, strict=True):
    per_chunk = points / 400, row.nodes / index["en"].count(Level.CHUNK)
    share = size / whole, row.vector_bytes / sum(other.vector_bytes for other in here)
    lines.append((name, points, points * tokens, round(size / points / 4), *per_chunk, *share))
columns = ("level", "points", "tokens", "floats a vector", "a chunk", "a chunk, here", "of all vectors", "of all, here")
print(f"vectors: {sum(row.vector_bytes for row in here) / sum(row.total_bytes for row in here):.2f} of the bytes here")
Table(columns, tuple(lines), "published, for 100 pages; and the English index of this lesson")

# %% [markdown]
# Both say the same: propositions are the bill. The published figures count vectors of about 1,000 floats, and nothing else;
# here more than a fifth of the bytes is text, ids and links. One figure there does not fit the others: 400 chunks of 512 tokens
# are twice as many tokens as 2,000 propositions of 50, so about half of the text would be in no proposition.
#
# ## Parameters
#
# | published (L0 to L3) | here | start with | what it costs |
# |---|---|---|---|
# | summary ≤ 500 tokens | `document_tokens` 300 | what the embedder reads: 256 word pieces | longer: its end is not embedded |
# | section summary ≤ 300 | `section_tokens` 200 | 200, with room for the heading path | as above |
# | sections by heading | `chunkers[0]`, ≤ 2,000 tokens | headings | larger: vaguer summaries |
# | chunk 512, overlap 50, semantic; 256 for contracts | `chunkers[-1]`, ≤ 200, no overlap, structure | 200 to 400 | overlap stores text twice, and [lesson 04](04_fixed_size.ipynb) found no gain |
# | propositions 20 to 80 tokens | `extractor` | rules; a model where it may cost a call for every 600 tokens | several vectors a chunk |
# | each level on or off | `levels` | chunks; then propositions, if a measurement on your questions says so | see above |
# | – | `summaries` | `"cited"` | `"whole"`: up to 2,000 tokens for one hit on a section's summary |
# | ambiguous band | `lower`, `upper` | `expand="generation"`, no judge | a judge of your own, or none |
#
# The first column is the configuration in Forge's documentation. Turn `levels` first: with or without propositions is the
# difference of a factor of about five, or more. Then the size of the chunks, because that is what the model reads.
#
# ## Exercises
#
# `hint("17.1")` gives a hint, `solution("17.1")` shows a solution.
#
# ### Exercise 17.1 · Switch a level off
#
# ★★☆ · 10 minutes. `levels` has the level of each node, `parents` the node above it or `None`, and `on` the levels that
# are switched on; level 0 can be off like any other. Return the nodes that stay, each with the **nearest node above it that
# stays too**, or `None` where there is none. Change neither mapping.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def relink(levels: dict[str, int], parents: dict[str, str | None], on: set[int]) -> dict[str, str | None]:
    """The nodes whose level is on, each with the nearest node above it whose level is on, or None."""
    return ...


check("17.1", relink)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 17.1


check("17.1", relink)

# %% [markdown]
# ### Exercise 17.2 · Find the bug: parent expansion
#
# ★★☆ · 10 minutes. The parent expansion of a published four-level index (L0 and L1 are summaries, L2 chunks, L3
# propositions). It should turn hits into what is handed over: a proposition's chunk, a chunk's section, a summary as it
# is; **each place once**, with the best score of the hits that lead to it; sorted by score from high to low, then by name.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def expand_hits(hits: list[tuple[str, float]], parent: dict[str, str]) -> list[tuple[str, float]]:
    """Propositions (L3) as their chunks, chunks (L2) as their sections, the rest as it is; each once, best first."""
    expanded: list[tuple[str, float]] = []
    for name, score in hits:
        if name.startswith(("L3", "L2")):  # a proposition: its chunk; a chunk: its section
            place = parent[name]
        expanded.append((place, score))
    return expanded


check("17.2", expand_hits)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 17.2


check("17.2", expand_hits)

# %% [markdown]
# ### Exercise 17.3 · Judge a hit, and what lies above it
#
# ★★☆ · 10 minutes. `scores` are those of a hit (always there, at place 0) and of the nodes above it, nearest first; `None`
# where a node has no score. From `upper` on a score is correct, below `lower` incorrect, between them ambiguous: exactly
# `upper` is correct, exactly `lower` is not incorrect. Go upwards: the first score that is correct or incorrect decides; a
# missing score (`None`) decides nothing. Return the **place** of that score in the list if it is correct, `None` (the hit is
# dropped) if it is incorrect, and 0 (the hit stays) if none decides.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def correct(scores: list[float | None], lower: float, upper: float) -> int | None:
    """The place of the score that decides, 0 where none does; None where the hit is dropped."""
    return ...


check("17.3", correct)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 17.3


check("17.3", correct)

# %% tags=["hide-cell"]
stack.close()  # the indexes were temporary

# %% [markdown]
# ## Takeaways
#
# 1. Summaries and propositions are keys, made from the text. With source spans they lead back to it.
# 2. A level that is off leaves its number free and its children linked to the next one above. Test all combinations.
# 3. What matches is small, what is easy to read is larger: return the chunk of the proposition, once.
# 4. Propositions beside chunks were ahead in English at 1,000 tokens, just outside the noise; in Chinese no gain is shown,
#    and two types of questions lost. They take four of five bytes. Summaries alone lose.
# 5. A cosine is a poor judge: it hardly told passages with gold from others, or answerable questions from the rest.
#
# ## Interview questions
#
# <details><summary>1. Why index a document at four sizes, and what does it cost?</summary>
#
# Because questions have sizes: an overview has no single chunk, an exact fact drowns in one. Summaries cost a model's
# time and next to no storage. Propositions cost several vectors a chunk, most of the index. Whether they pay is a
# measurement at equal context tokens, by question type, on one's own questions.
# </details>
#
# <details><summary>2. You search propositions. What do you hand to the model, and how do you cite it?</summary>
#
# The chunk that the proposition stands in, once, however many of its propositions matched. The proposition is derived
# and may be wrong, so it is never cited; its source spans are, and they can be highlighted in the document.
# </details>
#
# <details><summary>3. Someone adds corrective RAG with two cosine thresholds. What do you check?</summary>
#
# Whether the score can judge at all: the share of passages with gold by score, the AUC, and the best scores of questions
# without an answer. If they overlap as they did here, thresholds only drop gold. Corrective RAG needs a judge that reads,
# such as a cross-encoder or a model, and bounds that were chosen on questions that are not used to report.
# </details>
#
# ## Further reading
#
# - Chen et al., *Dense X Retrieval: What Retrieval Granularity Should We Use?*, 2023:
#   [arXiv:2312.06648](https://arxiv.org/abs/2312.06648). Propositions.
# - Yan et al., *Corrective Retrieval Augmented Generation*, 2024: [arXiv:2401.15884](https://arxiv.org/abs/2401.15884)
# - Sarthi et al., *RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval*, 2024:
#   [arXiv:2401.18059](https://arxiv.org/abs/2401.18059). Levels from clusters instead of sections.
# - Erkan and Radev, *LexRank: Graph-based Lexical Centrality as Salience in Text Summarization*, 2004:
#   [doi.org/10.1613/jair.1523](https://doi.org/10.1613/jair.1523). How the summaries here choose their sentences.
#
# Next: [18 · Coarse to fine](18_coarse_to_fine.ipynb). Back: [16 · Summary trees](16_summary_trees.ipynb) ·
# [tour](00_tour.ipynb).
