# %% [markdown]
# # 13 · Sentence windows
#
# **You will** search single sentences and hand over the sentences around them; see windows stored as text cost a multiple
# of the text; compute them from offsets instead; join the ones that meet; stop them at sections and turns; and measure
# all of it at equal budgets.
#
# **You learn** why what is searched and what is read need not be the same; how a window is two look-ups and no text; what
# one score for several hits means; where windows help and where they don't.
#
# **You need** lessons [01](01_spans_and_tokens.ipynb) (spans), [02](02_embeddings_and_store.ipynb) (index),
# [03](03_measuring_retrieval.ipynb) (measuring), [05](05_sentences.ipynb) (sentences). 20 minutes, medium (★★☆), three
# exercises. No network, no API key.
#
# The way through: [found, but next to it](#Found,-but-next-to-it), [the idea](#The-idea), [windows stored as
# text](#Windows-stored-as-text), [the repair](#The-repair), [the package's version](#The-package's-version),
# [borders](#Borders), [beside LlamaIndex](#Beside-LlamaIndex), [measured](#Measured), [parameters](#Parameters),
# [exercises](#Exercises).

# %%
import re
import time
from contextlib import ExitStack
from statistics import mean, median

from hierrag_lessons import (
    FlatRetriever,
    Hierarchy,
    Node,
    SentenceChunker,
    SentenceWindowRetriever,
    Span,
    Table,
    budget_curve,
    budget_curves,
    compare,
    count_tokens,
    course_hierarchy,
    course_set,
    grow,
    grow_hits,
    largest_changes,
    merge,
    paired_difference,
    recall,
    score_retrievers,
    side_by_side,
    temporary_index,
)

# %% [markdown]
# ## Found, but next to it
#
# Part 2 of the course cut texts. From here on the cuts stay as they are, and the search changes. All lessons of this part
# use one hierarchy: sections of at most 2,000, 600 and 200 tokens, the last ones called leaves. Each knows its headings.
# We add one level below the leaves: **one sentence, one node**. `SentenceChunker` usually packs sentences together; with
# `max_sentences=1` it doesn't. A sentence gets the headings of its leaf, so that it too knows where it stands.


# %%
def with_sentences(document):
    """The course's hierarchy and, as level 4, the sentences of each leaf. Leaves and sentences are searchable."""
    tree, one = course_hierarchy(document), SentenceChunker(max_sentences=1)
    found = [(leaf, chunk) for leaf in tree.leaves for chunk in one.chunk(document, within=leaf.span)]
    sentences = tuple(
        Node(f"{chunk.doc_id}:4:{i}", chunk.doc_id, 4, *chunk.span, chunk.text, leaf.context, leaf.node_id, i)
        for i, (leaf, chunk) in enumerate(found)
    )
    return Hierarchy(document, (*tree.levels, sentences), searched=frozenset({3, 4}))


corpora, indexes, open_indexes = {}, {}, ExitStack()
for language in ("en", "zh"):
    documents, questions = corpora[language] = course_set(language)
    indexes[language] = open_indexes.enter_context(temporary_index(with_sentences(d) for d in documents))
    counts = [indexes[language].count(level) for level in (1, 2, 3, 4)]
    print(f"{language}: nodes on levels 1 to 4: {counts}; {len(questions)} dev questions")

# %% [markdown]
# The flat search of the earlier lessons, on leaves and on sentences, 500 tokens of context each; of each the first four
# passages are shown. The question:

# %%
index, (documents, questions) = indexes["en"], corpora["en"]
question = next(question for question in questions if question.id == "en-ar-005")
flat = score_retrievers({"leaves": FlatRetriever(index, 3), "sentences": FlatRetriever(index, 4)}, [question], (500,))
print(question.question)
print("gold:", index.slices([(piece.doc_id, Span(piece.start, piece.end)) for piece in question.evidence]))
side_by_side({name: result.rows[0].passages[:4] for name, result in flat.items()}, gold=question.evidence)

# %% [markdown]
# None of these has the gold. The leaves are about other things. But look at the fourth sentence in the right column: it
# is the rule that the question is about. What happens when a customer takes an objection back is said in the sentence
# **behind** it, and that one shares hardly a word with the question.
#
# Two wishes pull in opposite directions. To be *found*, a text should be short: one thought, one vector, nothing that
# dilutes it. To be *understood*, it should be long: "it", "this", "the second one" need what stands before.
#
# ## The idea
#
# ![Sixteen sentences in three sections. Sentences 3, 5 and 11 were hit. Their windows of two sentences on each side hold 15
# sentences, of which 12 are different. Joined they are two passages, sentences 1 to 7 with two hits and 9 to 13 with one.
# Stopped at the section, the second passage is 9 to 11.](images/13_windows.svg)
#
# **Search sentences, read windows.** Take the best sentences and return each with its neighbours. What is embedded stays
# small, what is read becomes large enough. This is the simplest form of *small-to-big* retrieval: nothing but positions
# is needed for it. Where two windows meet they become one passage.
#
# ## Windows stored as text
#
# This is how it is often written: when the index is made, each sentence gets its window, as text. What is found is
# replaced by what stands in `window`.


# %%
def nodes_with_windows(text, size=3):
    """One record a sentence, as often published."""
    sentences = re.split(r"(?<=[.!?])\s+", text)
    return [
        {"text": sentence, "window": " ".join(sentences[max(0, i - size) : i + size + 1])}
        for i, sentence in enumerate(sentences)
    ]


news = next(document for document in documents if document.doc_id == "en/news_07")
print(nodes_with_windows(news.text, 1)[4])

# %% [markdown]
# (The window ends with "said Dr.": the pattern takes every full stop for the end of a sentence.
# [Lesson 05](05_sentences.ipynb) was about that.) Three more things go wrong. The first is **repetition**. Good
# sentences stand side by side, so their windows overlap. Each of our English questions, its ten best sentences, windows
# of three sentences on each side:

# %%
hits = index.search_batch([question.question for question in questions], 10, level=4)
shown = [index.windows([hit.node for hit in found], 3, 3) for found in hits]
returned = [sum(len(window) for window in windows) for windows in shown]
different = [len({node.node_id for window in windows for node in window}) for windows in shown]
share = [1 - b / a for a, b in zip(returned, different, strict=True)]
print(f"{mean(returned):.1f} sentences on average; repeated {mean(share):.0%} of them, at worst {max(share):.0%}")

worst = max(range(len(share)), key=lambda i: (share[i], -i))
print(f"{questions[worst].id}: {returned[worst]} sentences, {different[worst]} different")

# %% [markdown]
# The model reads, and somebody pays for, the same sentences again.
#
# The second is **space**. Every sentence is stored once as itself and once in each window that it belongs to:


# %%
def window_characters(document, size):
    """Characters of all windows of a document."""
    spans = [chunk.span for chunk in SentenceChunker(max_sentences=1).chunk(document)]
    return sum(spans[min(i + size, len(spans) - 1)].end - spans[max(0, i - size)].start for i in range(len(spans)))


lines = []
for language, (texts, _) in corpora.items():
    characters = sum(len(document.text) for document in texts)
    sentences = sum(window_characters(document, 0) for document in texts)
    stored = [sum(window_characters(document, size) for document in texts) for size in (1, 2, 3, 4)]
    lines.append((language, characters, *((sentences + windows) / characters for windows in stored)))
Table(("corpus", "characters", "±1", "±2", "±3", "±4"), tuple(lines), "sentences and windows, in multiples of the text")

# %% [markdown]
# And it is fixed: who wants ±2 tomorrow makes the index again. (What windows need in our index is each sentence once and each
# document once, twice the text in all, whatever their size.)
#
# The third is **Chinese**. The pattern waits for a Latin full stop with a space behind it. A Chinese text has hardly any.

# %%
chinese_handbook = next(document for document in corpora["zh"][0] if document.doc_id == "zh/technical_handbook")
records = nodes_with_windows(chinese_handbook.text)
sentences = SentenceChunker(max_sentences=1).chunk(chinese_handbook)
longest = max(count_tokens(record["text"]) for record in records)
print(f"sentences: {len(sentences)}; records: {len(records)}, the largest with {longest} tokens")

# %% [markdown]
# There is one more way to get it wrong. Some published code that promises sentence windows takes chunks of 200 tokens
# instead, and looks for neighbours among the children of one parent only. Then the window of a chunk's last sentence ends
# with it, although the text goes on. [Borders](#Borders) can be useful, but they should be a choice.
#
# ## The repair
#
# A window is a span, and the index knows the place of every sentence in its document. So nothing has to be stored. The two
# functions of [lesson 01](01_spans_and_tokens.ipynb) that were made for characters work on the *places of sentences* as
# well: `grow` widens each hit and stops at the document's edges, `merge` joins what overlaps or touches.


# %%
def window_spans(sentences, places, before, after):
    """Spans of text around the sentences at ``places``, joined where they meet."""
    all_places = Span(0, len(sentences))
    runs = merge(grow(Span(place, place + 1), before, after, all_places) for place in places)
    return [Span(sentences[run.start].start, sentences[run.end - 1].end) for run in runs]


text = "One. Two. Three. Four. Five. Six. Seven. Eight. Nine. Ten."
ten = [Span(m.start(), m.end()) for m in re.finditer(r"\w+\.", text)]
for places in ([0], [3], [3, 4], [2, 5], [2, 6]):
    print(f"{places!s:7}", [text[start:end] for start, end in window_spans(ten, places, 1, 1)])

# %% [markdown]
# Places are counted from 0. The windows of 2 and 5 touch: with ±1 no sentence is left out between them, so they are one
# passage.
#
# ## The package's version
#
# `SentenceWindowRetriever` does this with an index. Three things have to be settled that the drawing leaves open.
#
# - **Which hits?** It goes down the ranking until there are `k` passages. A hit that meets a passage joins it. So `k`
#   passages are `k` different places.
# - **Which score?** That of the best hit in the passage. (A sum would prefer long passages of weak hits to one good
#   sentence.)
# - **Which heading path** (`context`)? Also that of the best hit.
#
# For the hits that it used, are its passages the spans that the short function gives? For every dev question in both
# languages, with three sizes of windows:

# %%
checked = 0
for language, (texts, asked) in corpora.items():
    sentences = {d.doc_id: [chunk.span for chunk in SentenceChunker(max_sentences=1).chunk(d)] for d in texts}
    for size in (1, 2, 4):
        retriever = SentenceWindowRetriever(indexes[language], level=4, before=size, after=size)
        for passages in retriever.retrieve_batch([question.question for question in asked], 10):
            assert len(passages) == 10
            for doc_id in {passage.doc_id for passage in passages}:
                own = [passage for passage in passages if passage.doc_id == doc_id]
                places = [hit.node.position for passage in own for hit in passage.hits]
                expected = window_spans(sentences[doc_id], places, size, size)
                assert sorted(passage.span for passage in own) == expected
                checked += len(expected)
print(checked, "passages, all alike")

# %% [markdown]
# Now the question from the beginning, with 500 tokens again:

# %%
windows = SentenceWindowRetriever(index, level=4, before=2, after=2)
(result,) = score_retrievers({"windows": windows}, [question], (500,)).values()
with_gold = [passage for passage in result.rows[0].passages if recall([passage], question.evidence)]
side_by_side({"sentences ±2, the passage with gold": with_gold}, gold=question.evidence)

# %% [markdown]
# ## Borders
#
# A window that runs on into the next section brings text about something else. So it can be told to stop: at a level of
# the index (`within=3`: the leaf, `within=2`: the section of at most 600 tokens), or, where the index has no such level,
# at a `"block"` (a paragraph, a list, a table; in a dialogue a turn) or a `"section"` of the document. One sentence of the
# annual report, the gold from above, and one of the earnings call, ±4:

# %%
lines = []
for words in ("A notice of rejection that is later withdrawn", "The trial is set for 9 February."):
    document = next(d for d in documents if words in d.text)
    place = document.text.index(words)
    (hit,) = [h for h in index.search(words, 20, level=4) if h.doc_id == document.doc_id and h.start == place]
    for within in (None, 2, 3, "section", "block"):
        (passage,) = grow_hits(index, [hit], 4, 4, within)
        start, end = (" ".join(part.split()) for part in (passage.text[:30], passage.text[-30:]))
        lines.append((document.doc_id, str(within), count_tokens(passage.text), f"{start} … {end}"))
Table(("document", "within", "tokens", "passage"), tuple(lines), "one sentence, ±4")

# %% [markdown]
# In the report the section ends with the hit. What follows is about software, and without a border it comes along; the
# level of 600 tokens is too coarse to keep it out. In the call there are no headings, so the whole dialogue is one
# section. There the turn (`"block"`) keeps out the next speaker's first words, and so does the leaf, which happens to
# end with that turn. Windows on two sides of a border stay apart even where they touch.
#
# `grow_hits` is the same on hits that are there already. It works on any level, because any level has neighbours: chunks
# grow by chunks, turns by turns. Under the name *neighbour expansion* it comes back in
# [lesson 19](19_reranking_and_packing.ipynb).

# %%
leaves = index.search(question.question, 3, level=3)
for before, after in ((0, 0), (1, 0), (1, 1)):
    passages = grow_hits(index, leaves, before, after)
    print(f"{before} before, {after} behind:", [count_tokens(passage.text) for passage in passages], "tokens")

# %% [markdown]
# ## Beside LlamaIndex
#
# LangChain has nothing of this name. LlamaIndex has; it isn't installed with the course, so here are its lines to read:
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
# It is the version above: the window is text in the metadata of each sentence. What overlaps is not joined. Its sentences
# come from an English model unless another splitter is given, and its windows have no offsets. The idea that only the
# sentence is embedded and the window is read is the same.
#
# ## Measured
#
# Leaves, sentences, windows of three sizes, two of them stopped at the leaf, and leaves with their neighbours. Equal
# budgets, dev questions. (4,000 tokens of sentences are hundreds of passages a question, so only three methods go that
# far here. Heading paths do not count towards a budget, which favours small passages a little: they have more of them.)


# %%
def methods(index):
    """All methods on one index, by name."""
    found = {"leaves": FlatRetriever(index, 3), "sentences": FlatRetriever(index, 4)}
    found |= {f"±{size}": SentenceWindowRetriever(index, 4, size, size) for size in (1, 2, 4)}
    found |= {f"±{size} in the leaf": SentenceWindowRetriever(index, 4, size, size, within=3) for size in (2, 4)}
    return found | {"leaves ±1": SentenceWindowRetriever(index, 3, 1, 1)}


far = ("leaves", "±2", "±4 in the leaf")
results = {"en": {}, "zh": {}}
for language, found in results.items():
    for name, retriever in methods(indexes[language]).items():
        budgets = (500, 1000, 2000, 4000) if name in far else (500, 1000)
        found |= score_retrievers({name: retriever}, corpora[language][1], budgets)
compare(results["en"], "recall", 1000)

# %%
compare(results["zh"], "recall", 1000)

# %% [markdown]
# Read the columns of the difference. **In English** nothing but the single sentences can be told from leaves, and those
# are behind, just: the interval ends close to zero, and `p`, from a randomisation test, is a little above 0.05. No
# window is shown to be better than leaves, or worse. **In Chinese** sentences are behind, and so is every window that
# may cross the border of a leaf. Stopped at the leaf, windows are still lower on average, but zero lies inside the
# intervals. (Seven differences in each language; one by luck would be no surprise.)
#
# So against the sentences that they are made of, do windows help? Two of them, those that go on to 4,000 tokens below:


# %%
def compare_some(language, names, budget):
    """Some of the methods, compared with the first of them."""
    return compare({name: results[language][name] for name in names}, "recall", budget)


against_sentences = ("sentences", "±2", "±4 in the leaf")
compare_some("en", against_sentences, 1000)

# %%
compare_some("zh", against_sentences, 1000)

# %% [markdown]
# In English they do: both intervals leave out zero. In Chinese neither does. [Below](#By-question-type) the questions
# are taken apart by type.
#
# At the other budgets:


# %%
def at_all_budgets(language):
    """Mean recall of each method at each budget."""
    lines = [
        (name, *(result.mean("recall", b) if b in result.budgets else None for b in (500, 1000, 2000, 4000)))
        for name, result in results[language].items()
    ]
    return Table(("method", "500", "1000", "2000", "4000"), tuple(lines), f"{language}, recall by budget")


at_all_budgets("en")

# %%
at_all_budgets("zh")

# %%
drawn = {name: results["en"][name] for name in (*far, "sentences")}
budget_curves(budget_curve(drawn), scale="log")

# %% [markdown]
# (Single sentences end at 1,000 tokens; the thin line behind their last point only leads to the name.)
#
# With 4,000 tokens, the difference from leaves:

# %%
compare_some("en", far, 4000)

# %%
compare_some("zh", far, 4000)

# %% [markdown]
# With this much room leaves are ahead on average in both languages. The interval leaves out zero in English against the
# stopped windows, in Chinese against the free ones.
#
# ### Stopped or not
#
# The same windows with and without the border of the leaf, at 1,000 tokens:

# %%
lines = []
for language, found in results.items():
    for size in (2, 4):
        free, stopped = (
            list(found[name].scores("recall", 1000).values()) for name in (f"±{size}", f"±{size} in the leaf")
        )
        means = mean(free), mean(stopped)
        lines.append((language, f"±{size}", *means, means[1] - means[0], *paired_difference(stopped, free)))
Table(("", "window", "free", "in the leaf", "difference", "low", "high"), tuple(lines), "recall at 1,000 tokens")

# %% [markdown]
# With the border they are higher on average in all four lines, and in Chinese the gain is shown for both sizes.
#
# ### By question type
#
# Recall at 1,000 tokens, and the difference of ±2 from leaves with its interval.

# %%
lines = []
for language, found in results.items():
    for kind in sorted({question.type for question in corpora[language][1] if question.answerable}):
        scores = {name: list(found[name].scores("recall", 1000, type=kind).values()) for name in found}
        means = [mean(scores[name]) for name in ("leaves", "sentences", "±2", "±4 in the leaf")]
        interval = paired_difference(scores["±2"], scores["leaves"])
        lines.append((language, kind, len(scores["±2"]), *means, means[2] - means[0], *interval))
columns = ("", "type", "questions", "leaves", "sentences", "±2", "±4 in the leaf", "±2 − leaves", "low", "high")
Table(columns, tuple(lines), "recall at 1,000 tokens")

# %% [markdown]
# Few questions in each line, so look at the intervals. In English all of them hold zero. In Chinese three do not, and
# in all three ±2 is behind: dialogues, enumerations, summaries. For single facts windows are higher on average there,
# which is not shown either.
#
# The Chinese dialogues are the clearest case, though they are only seven questions. What do the contexts of these
# questions consist of?

# %%
lines = []
for name in ("leaves", "sentences", "±2", "±4 in the leaf"):
    rows = [row for row in results["zh"][name].rows if row.budget == 1000 and row.question.type == "dialogue"]
    gold = [{piece.doc_id for piece in row.question.evidence} for row in rows]
    own = [[p for p in row.passages if p.doc_id in ids] for row, ids in zip(rows, gold, strict=True)]
    lines.append(
        (
            name,
            mean(len(row.passages) for row in rows),
            mean(len({p.doc_id for p in row.passages}) for row in rows),
            mean(sum(count_tokens(p.text) for p in passages) for passages in own),
        )
    )
Table(("method", "passages", "documents", "tokens from the right chat"), tuple(lines), "Chinese dialogue questions")

# %% [markdown]
# A chat in this corpus is short, and a leaf holds a good part of one. So what leaves bring of the right chat holds nearly
# all of the gold (0.879 in the table above). The windows bring fewer tokens of that chat, and pieces of more other
# documents. A likely reason: they were found by single sentences, and customers in all chats say much the same. A
# sentence with a heading says where it stands; a sentence from a chat has no heading.
#
# ### Rescued and spoiled
#
# The question that ±2 gained most on, against leaves, and the one that it lost most on; at 500 tokens.

# %%
for language, found in results.items():
    for word, change in zip(
        ("rescued", "spoiled"), largest_changes(found["leaves"], found["±2"], "recall", 500), strict=True
    ):
        print(
            f"{language} {word}: {change.question.id} ({change.question.type}) {change.before:.2f} -> {change.after:.2f}"
        )
        print("   ", change.question.question)

# %%
_, spoiled = largest_changes(results["en"]["leaves"], results["en"]["±2"], "recall", 500)
side_by_side({"leaves": spoiled.passages_before, "±2": spoiled.passages_after}, gold=spoiled.question.evidence)

# %% [markdown]
# In this English question the gold is three sentences on the plant, the flood and the insurance. Together, in one leaf,
# they resemble the question. Alone none of them does as much, and sentences that only share the names with it come
# first. In the news item several of them stand close together: their windows join, and one long passage takes two
# fifths of the room. That is what joining costs: the window of a weak hit that meets a good one is read with it, before
# better hits from other places.

# %% tags=["volatile"]
times = {}
for name, retriever in methods(index).items():
    for question in questions[:8]:
        started = time.perf_counter()
        retriever.retrieve(question.question, 10)
        times.setdefault(name, []).append(time.perf_counter() - started)
for name, seconds in times.items():
    print(f"{name:16} {median(seconds) / median(times['leaves']):.1f} times the time of leaves")
open_indexes.close()

# %% [markdown]
# A window costs two more look-ups in the table, one for the neighbours and one for the text, however many hits there are.
# Where so many hits meet that there are too few places, the retriever searches once more, deeper.
#
# ## Parameters
#
# | parameter | start with | what it costs |
# |---|---|---|
# | `before`, `after` | 2 and 2; LlamaIndex takes 3 | each more on both sides: two sentences in every passage, so fewer places in the budget |
# | `within` | the leaf or the section | a level: one look-up for each level up to it; `"block"` and `"section"`: the documents are read and parsed |
# | `level` | sentences; turns (±1–2) are worth a try in chats, but were not measured here | sentences: here seven to eight times as many vectors as leaves |
# | `mode` | `"vector"` | `"hybrid"` also finds a sentence by one rare word |
# | headings in front of sentences | yes, where there are any (not measured here) | longer texts to embed |
#
# Turn `within` first, then the size. Uneven windows are allowed: `before=1, after=4` may suit texts where the answer
# follows the question.
#
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
# text has `n` sentences, counted from 0. Return ranges `(first, end, score)`, half-open, of the sentences shown: windows
# cut off at the edges of the text, joined where they overlap or touch, each with the score of its best hit. Best first;
# equal scores in the order of the text. No hits, no ranges: `[]`.


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
# `(first, end)` of the window around sentence `hit`: at most `before` sentences in front of it and `after` behind it, and
# none that belongs to another **turn**. Ann, Bob, Ann are three turns.


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
# ## Takeaways
#
# 1. What is searched and what is read need not be the same: search sentences, read windows.
# 2. Store places, not windows. A window is a span; overlapping windows are a union of spans.
# 3. Say what a passage of several hits scores. Here: as its best hit.
# 4. At 1,000 tokens the two windows compared with single sentences beat them in English, and none was shown to beat
#    leaves. In Chinese leaves were ahead of every window that may cross a leaf's border.
# 5. Stop windows at a border that means something. It was never lower on average here, and its gain was shown in Chinese.
#
# ## Interview questions
#
# <details><summary>1. What is sentence-window retrieval, and how would you store it?</summary>
#
# Single sentences are embedded and searched; each is returned with its neighbours. I'd store for every sentence its
# document, its place and its offsets, and nothing else. At query time the neighbours' offsets are looked up, overlapping
# windows are joined, and the text is cut from the document. The window can then be changed without a new index, and no
# text is stored or returned twice.
# </details>
#
# <details><summary>2. Your ten best sentences are all from two paragraphs. What happens, and what do you do?</summary>
#
# Their windows overlap, so ten windows hold little more text than two. Joined they are two passages. I'd go further down
# the ranking until there are as many passages as wanted, keep the best hit's score, and watch that a long chain of joined
# windows doesn't eat the budget: a border (the section, the turn) limits it.
# </details>
#
# <details><summary>3. When would you not use sentence windows?</summary>
#
# Where the answer is spread over a section or a whole conversation: windows bring pieces of many places, a parent or the
# whole chat brings one place whole. Where a sentence says nothing alone, as in chats, tables and lists. And where vectors
# are dear: there are several times as many sentences as chunks. Against chunks that follow the structure I'd expect little
# until a measurement at equal tokens shows it.
# </details>
#
# ## Further reading
#
# - LlamaIndex, *Metadata Replacement + Node Sentence Window*:
#   [developers.llamaindex.ai](https://developers.llamaindex.ai/python/examples/node_postprocessor/metadatareplacementdemo)
# - Chen et al., *Dense X Retrieval: What Retrieval Granularity Should We Use?*, 2023:
#   [arXiv:2312.06648](https://arxiv.org/abs/2312.06648). Sentences as units of retrieval, against passages and
#   propositions.
# - Wang et al., *Searching for Best Practices in Retrieval-Augmented Generation*, 2024:
#   [arXiv:2407.01219](https://arxiv.org/abs/2407.01219). Small-to-big and sliding windows among other choices.
#
# Next: [14 · Parent-child](14_parent_child.ipynb). Back: [12 · Hybrid](12_hybrid.ipynb) · [tour](00_tour.ipynb).
