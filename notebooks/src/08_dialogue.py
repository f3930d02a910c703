# %% [markdown]
# # 08 · Dialogue chunks
#
# **You will** cut a conference call and support chats into chunks of whole turns, keep each question with its answer,
# and divide a speech that is too long without mixing it with anybody else's words.
#
# **You learn** what a turn is as a span, why overlap is counted in turns here, what to do with a monologue, which
# metadata a dialogue chunk needs, how neighbours are fetched at retrieval, and what is wrong with published code.
#
# **You need** [lesson 05](05_sentences.ipynb) (sentences) and [lesson 06](06_recursive.ipynb) (recursive chunks).
# 20 minutes, medium (★★☆), three exercises. No network, no API key.
#
# The way through: [who said it](#Who-said-it,-and-to-what?), [turns as spans](#Turns-are-spans),
# [as it is often written](#As-it-is-often-written), [repaired](#Repaired),
# [the package](#The-package's-version), [LangChain](#What-LangChain-does), [measured](#Measured),
# [neighbours](#Neighbours-at-retrieval), [parameters](#What-to-turn-first), [exercises](#Exercises).

# %%
import tempfile
import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from langchain_text_splitters import RecursiveCharacterTextSplitter
from matplotlib.patches import Patch

from hierrag_lessons import (
    MARKDOWN,
    OKABE_ITO,
    ChunkView,
    DialogueChunker,
    Document,
    FixedSizeChunker,
    FlatRetriever,
    Index,
    Passage,
    RecursiveChunker,
    Result,
    Span,
    Table,
    TruncationWarning,
    build_hierarchy,
    compare,
    count_tokens,
    course_set,
    default_embedder,
    drawing,
    evaluate,
    grow,
    join_units,
    load_corpus,
    make_ruler,
    overlap,
    score_chunkers,
    sentence_units,
    tint,
)

# %% [markdown]
# ## Who said it, and to what?
#
# The course has two kinds of dialogues: an earnings call, in which managers speak and analysts ask, and support chats,
# in English and in Chinese. Cut the English ones with lesson 06's recursive chunks of at most 200 tokens, and ask
# about something that was said in the call. This is the best hit:

# %%
dialogues = {
    language: [document for document in load_corpus(language) if document.kind == "dialogue"]
    for language in ("en", "zh")
}
earlier = {"fixed": FixedSizeChunker(200), "recursive": RecursiveChunker(200, separators=MARKDOWN)}


def best_hit(chunker, query):
    """The first passage that flat search finds for a query in the English dialogues."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)  # some chunks are a little longer than the model reads
        index = Index.create(Path(folder) / "dialogues", default_embedder("en"))
        index.add(build_hierarchy(document, [chunker]) for document in dialogues["en"])
        return FlatRetriever(index).retrieve(query, k=1)[0]


query = "What is Heron's convergence time against its target?"
print(best_hit(earlier["recursive"], query).text)

# %% [markdown]
# The search has found the *question*. It is close to ours, so it comes first, and it is worthless: the answer is the
# next turn, and the next turn is in another chunk.
#
# The reverse happens as well: chunks that *begin with an answer* whose question is in no chunk together with it. Let us
# look for them.


# %%
def turn_spans(document):
    """The turns of a dialogue, names of the speakers included."""
    return [Span(turn["start"], turn["end"]) for turn in document.metadata["turns"]]


def question_and_answer(document):
    """Pairs of turns: the first one holds a question mark, another person speaks in the second one."""
    for before, turn in pairwise(document.metadata["turns"]):
        words = document.text[before["start"] : before["end"]]
        if ("?" in words or "？" in words) and before["speaker"] != turn["speaker"]:
            yield Span(before["start"], before["end"]), Span(turn["start"], turn["end"])


def parted(document, chunks):
    """The pairs that no chunk holds together."""
    pairs = question_and_answer(document)
    return [(q, a) for q, a in pairs if not any(c.start <= q.start and a.end <= c.end for c in chunks)]


# %%
answers = []
for document in dialogues["en"]:
    chunks = earlier["recursive"].chunk(document)
    answers += [(document, q, a) for q, a in parted(document, chunks) if a.start in {c.start for c in chunks}]
answers.sort(key=lambda found: (found[2].end - found[2].start, found[0].doc_id, found[1]))
for document, _, answer in answers[:4]:
    print(f"{document.doc_id}: {document.text[answer.start : answer.end]!r}")

# %% [markdown]
# A file for what? 120 days of what? Nobody who asks about the licence or the raw messages will find these chunks, and a
# language model that is given one of them has to guess. In their place they are good answers:

# %%
for document, question, answer in answers[:4]:
    print(document.text[question.start : answer.end][-320:], "\n")


# %% [markdown]
# Now count. `inside a turn`: chunks that begin in the middle of a turn, so that nobody knows who is speaking. `parted`:
# questions that are in no chunk together with their answer.


# %%
def damage(chunkers):
    """What each chunker does to the dialogues, as a table."""
    rows = []
    for language, documents in dialogues.items():
        pairs = sum(1 for document in documents for _ in question_and_answer(document))
        for name, chunker in chunkers.items():
            chunked = [(document, chunker.chunk(document)) for document in documents]
            starts = [
                (c.start, {t.start for t in turn_spans(document)}) for document, chunks in chunked for c in chunks
            ]
            inside = sum(start not in turns for start, turns in starts)
            rows.append((language, name, len(starts), inside, sum(len(parted(*item)) for item in chunked), pairs))
    return Table(("language", "chunker", "chunks", "inside a turn", "parted", "of pairs"), tuple(rows))


damage(earlier)

# %% [markdown]
# Fixed-size chunks begin in the middle of a turn most of the time. Recursive chunks hardly ever do, but by luck: the
# course's reader writes one turn a line, and the recursive chunker likes line breaks. Neither knows what a question is.
#
# ## Turns are spans
#
# A **turn** is what one person says before another one, or the same person anew, begins. The reader
# `documents.read_dialogue` has found the turns already; `metadata["turns"]` holds their offsets, so nobody has to guess
# them from colons again. A turn is a span like any other:

# %%
call = next(document for document in dialogues["en"] if document.doc_id == "en/earnings_call")
for turn in call.metadata["turns"][63:66]:
    print(turn)
    print("   ", call.text[turn["start"] : turn["end"]][:100], "…")

# %% [markdown]
# The idea of this lesson in a picture:
#
# ![A call as a row of turns. Chunks of a fixed size have borders inside turns and between a question and its answer.
# Dialogue chunks have borders between turns only, repeat a turn, and divide a monologue at its
# sentences.](images/08_turns.svg)
#
# Four rules:
#
# 1. A chunk is made of **whole turns**, as many as fit, at most 6 to 12.
# 2. **Overlap is counted in turns.** Half a turn helps nobody; the last one or two are a context.
# 3. A **question stays with its answer**: rather move the border, or repeat the question.
# 4. A turn that is too large, a **monologue**, is divided at its sentences. Its pieces hold nothing of another speaker.
#
# ## As it is often written
#
# This is how dialogues are chunked in many blog posts: add turns while they fit, join their texts, step back by the
# overlap, go on.


# %%
def sliding_turns(turns, max_turns=10, max_chars=900, overlap=2):
    """Chunks as dictionaries: joined text, speakers, first and last turn."""
    chunks, first = [], 0
    while first < len(turns):
        stop, size = first, 0
        while stop < len(turns) and stop - first < max_turns and size + len(turns[stop]["text"]) <= max_chars:
            size += len(turns[stop]["text"])
            stop += 1
        window = turns[first:stop] or [turns[first]]
        text = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in window)
        speakers = list({turn["speaker"] for turn in window})
        chunks.append({"text": text, "speakers": speakers, "turns": (first, stop - 1)})
        if stop >= len(turns):
            break
        first = max(stop - overlap, first + 1)
    return chunks


spoken = [
    {"speaker": turn["speaker"], "text": call.text[turn["text_start"] : turn["end"]]} for turn in call.metadata["turns"]
]
for chunk in sliding_turns(spoken, max_chars=400)[:3]:
    print(chunk["turns"], len(chunk["text"]), repr(chunk["text"][:60]))

# %% [markdown]
# The call begins with the range `(0, -1)`: from turn 0 to the turn *before* it. The first turn is larger than the
# limit, so the inner loop ends before it has counted anything. The text is there, thanks to `or [turns[first]]`; the
# range is wrong, and whoever slices `turns[0 : -1 + 1]` with it gets nothing. How bad is it on the whole call?


# %%
def faults(limit):
    """Count what is wrong with the chunks of the call at this limit."""
    chunks = sliding_turns(spoken, max_chars=limit)
    ranges = [chunk["turns"] for chunk in chunks]
    news = [max([last for _, last in ranges[:i]], default=-1) for i in range(len(ranges))]
    return (
        limit,
        len(chunks),
        sum(last < first for first, last in ranges),
        sum(len(chunk["text"]) > limit for chunk in chunks),
        sum(first <= last <= new for (first, last), new in zip(ranges, news, strict=True)),
    )


columns = ("max_chars", "chunks", "range ends before it begins", "above the limit", "nothing new in it")
Table(columns, tuple(faults(limit) for limit in (400, 600, 900)), "the earnings call")

# %% [markdown]
# Four things are wrong.
#
# - A turn above the limit gets an impossible range, and is emitted whole, whatever its size.
# - The limit counts the words only, and the names come on top. So chunks that look legal are above it too.
# - Where the next turn does not fit behind the overlap, the chunk holds *only* the overlap: nothing new, indexed
#   again.
# - The text is put together anew, so no offset can be kept, and `set` gives the speakers in an order that changes from
#   one run to the next.
#
# None of them raises an error. Exercise 08.3 is about the first and the third.
#
# ## Repaired
#
# Work on spans, and measure the span that will really be the chunk: from the start of its first turn to the end of its
# last one, names and line breaks included. Keep two numbers apart: the turn where the chunk *starts*, and the first
# turn that is *new*. And find the pairs first.


# %%
def asked(text, before, turn):
    """Does ``turn`` answer ``before``? A question mark, and then another speaker."""
    words = text[before["text_start"] : before["end"]]
    return ("?" in words or "？" in words) and before["speaker"] != turn["speaker"]


def end_of_chunk(first, new, fits, answers, n):
    """The turn after the last one of a chunk that starts with ``first`` and must hold ``new``."""
    end = new + 1
    while end < n and fits(first, end + 1):
        end += 1
    # Rather a border that parts no question from its answer, as long as half of the turns stay.
    least = max(new + 1, (first + end + 1) // 2)
    return next((cut for cut in range(end, least - 1, -1) if cut == n or not answers[cut]), end)


def start_of_next(first, cut, overlap_turns, fits, answers, n):
    """The turn that the next chunk starts with: some are repeated if ``cut``, the new one, still fits behind them."""
    latest = cut - 1 if answers[cut] else cut
    start = max(first + 1, min(latest, cut - overlap_turns))
    needed = cut + 2 if cut + 1 < n and answers[cut + 1] else cut + 1  # the answer to the new turn as well
    while start < latest and not fits(start, needed):
        start += 1
    return start if fits(start, cut + 1) else cut


# %% [markdown]
# The monologue is lesson 05's business: its sentences, packed. Only the speaker's name has to stay with the first one.


# %%
def divide(text, turn, ruler, limit):
    """The pieces of one large turn."""
    start, words, end = turn["start"], turn["text_start"], turn["end"]
    units = sentence_units(text, Span(words, end), ruler, limit)
    taken = ruler.size(start, words)
    if taken < limit < ruler.size(start, units[0].end):  # The name and the first sentence together are too large.
        units[:1] = sentence_units(text, units[0], ruler, limit - taken)
    return join_units([Span(start, words - 1), *units], ruler, limit)


# %% [markdown]
# And all of it together. `new` is the first turn that is in no chunk yet; `first`, where the chunk starts, may lie before
# it. Everything else is bookkeeping.


# %%
def dialogue_spans(document, max_size=400, max_turns=12, overlap_turns=1, is_pair=asked):
    """The spans of a dialogue's chunks."""
    text, turns = document.text, document.metadata["turns"]
    ruler, n = make_ruler(text, count_tokens), len(turns)
    large = [ruler.size(turn["start"], turn["end"]) > max_size for turn in turns]

    def fits(first, end):
        if end - first > max_turns or large[first] or large[end - 1]:
            return False
        return ruler.size(turns[first]["start"], turns[end - 1]["end"]) <= max_size

    answers = [i > 0 and is_pair(text, turns[i - 1], turns[i]) and fits(i - 1, i + 1) for i in range(n)]
    spans, first, new = [], 0, 0
    while new < n:
        if large[new]:
            spans += divide(text, turns[new], ruler, max_size)
            first = new = new + 1
            continue
        cut = end_of_chunk(first, new, fits, answers, n)
        spans.append(Span(turns[first]["start"], turns[cut - 1]["end"]))
        first = cut if cut == n or large[cut] else start_of_next(first, cut, overlap_turns, fits, answers, n)
        new = cut
    return spans


print(len(dialogue_spans(call, 200)), "chunks of the call, at most 200 tokens each")

# %% [markdown]
# ## The package's version
#
# `DialogueChunker` has one more rule for who answers whom. A customer who writes "It prints nothing." asks for help
# without a question mark. So where the names tell it (customer and agent, analyst and CEO, 客户 and 客服), the turn of the
# second is an answer as well. With this rule in place of ours, do the two agree on every dialogue of the course?

# %%
ASK, ANSWER = ("Customer", "客户"), ("Agent", "客服", "工程师", "CEO", "CFO", "COO", "CTO")


def asked_or_named(text, before, turn):
    """The question mark's rule, or the names'."""
    named = any(word in before["speaker"] for word in ASK) and any(word in turn["speaker"] for word in ANSWER)
    return (named and before["speaker"] != turn["speaker"]) or asked(text, before, turn)


settings = [(400, 12, 1), (200, 12, 1), (200, 6, 2), (100, 8, 0), (50, 12, 1)]
for size, most, repeated in settings:
    compared = 0
    for document in dialogues["en"] + dialogues["zh"]:
        theirs = DialogueChunker(size, most, repeated).chunk(document)
        ours = dialogue_spans(document, size, most, repeated, asked_or_named)
        assert [chunk.span for chunk in theirs] == ours, document.doc_id
        compared += len(theirs)
    print(f"{size} tokens, {most} turns, overlap {repeated}: {compared} chunks, the two versions agree")

# %% [markdown]
# Now the question from the beginning again. The best hit:

# %%
print(best_hit(DialogueChunker(200), query).text)

# %% [markdown]
# It holds the analyst's question, which makes it easy to find, and the answer, which makes it worth finding.
#
# The package's chunks know who speaks, which turns they hold, and when. The speakers are also the chunk's *context*:
# they are embedded in front of the text, so that a monologue's third piece can be found by its speaker's name. Chunks
# 1 and 2 of a ticket, in which the customer comes with several topics (the upgrade, the disk, the auditors):

# %%
ticket = next(document for document in dialogues["en"] if document.doc_id.endswith("ticket-0001"))
chunks = DialogueChunker(200).chunk(ticket)
for chunk in chunks:
    print(chunk.metadata)
ChunkView(ticket, chunks, within=Span(chunks[1].start, chunks[2].end))

# %% [markdown]
# And a Chinese ticket, at a limit so small that one turn becomes a monologue. Its pieces end at sentence ends, and hold
# nothing of the turns around it.

# %%
chat = next(document for document in dialogues["zh"] if document.doc_id.endswith("zh-chat-001"))
for chunk in DialogueChunker(60).chunk(chat)[7:13]:
    text = chunk.text.replace("\n", " ↵ ")
    print(chunk.metadata["turns"], chunk.context, "|", text if len(text) < 60 else f"{text[:30]} … {text[-25:]}")

# %% [markdown]
# ## What LangChain does
#
# `langchain-text-splitters` has nothing for dialogues. The nearest thing is the recursive splitter with the line break
# as its first separator, since every turn is a line here. Sizes are in characters, because its offsets are wrong for
# sizes in tokens ([lesson 01](01_spans_and_tokens.ipynb)): 800 for English, 320 for Chinese, about 200 tokens, and a
# fifth of them as overlap.


# %%
@dataclass(frozen=True)
class LangChainLines:
    """LangChain's recursive splitter behind the course's interface."""

    def chunk(self, document: Document, within: Span | None = None):
        size = 800 if document.language == "en" else 320
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=size // 5, separators=["\n", ". ", "。", " ", ""], add_start_index=True
        )
        pieces = splitter.create_documents([document.text])
        placed = [(piece.metadata["start_index"], piece.page_content) for piece in pieces]
        return [Passage(document.doc_id, start, start + len(text), text) for start, text in placed]


damage(earlier | {"LangChain lines": LangChainLines(), "dialogue": DialogueChunker(200)})

# %% [markdown]
# Nearly there, thanks to the line breaks: its overlap is made of whole lines where they are short enough, and repeats
# most of the questions. What is missing is what it cannot know. It has no speakers, turns or times; a question longer
# than the overlap is lost; a few chunks begin in the middle of a turn, and then nobody knows who speaks. (The one such
# chunk of `DialogueChunker` is the second piece of a monologue. Its context says whose it is.)
#
# Which pairs does `DialogueChunker` part? Only those that are larger than the limit, so that no chunk could hold them:

# %%
chunker = DialogueChunker(200)
for language, documents in dialogues.items():
    left = [(d, q, a) for d in documents for q, a in parted(d, chunker.chunk(d))]
    sizes = sorted(count_tokens(d.text[q.start : a.end]) for d, q, a in left)
    print(f"{language}: {len(left)} parted, of {sizes} tokens")

# %% [markdown]
# A picture of the place in the call that the first question was about. Colours are speakers; a red mark is a border
# between a question and its answer that are in no chunk together.

# %% tags=["hide-input"]
first, last = 63, 74
turns = call.metadata["turns"][first : last + 1]
window = Span(turns[0]["start"], turns[-1]["end"])
names = list(dict.fromkeys(turn["speaker"] for turn in turns))
palette = [tint(OKABE_ITO[colour], 0.55) for colour in ("green", "orange", "sky blue", "yellow", "purple", "vermilion")]
colours = dict(zip(names, palette, strict=False))

with drawing(3.6) as (figure, [axes]):
    for i, turn in enumerate(turns, start=first):
        axes.broken_barh(
            [(turn["start"], turn["end"] - turn["start"])],
            (-0.35, 0.7),
            facecolors=colours[turn["speaker"]],
            edgecolors="#1a1a1a",
        )
        if turn["end"] - turn["start"] > 80:
            axes.text((turn["start"] + turn["end"]) / 2, 0, i, ha="center", va="center", fontsize=9)
    for y, (name, chunker) in enumerate((earlier | {"dialogue": DialogueChunker(200)}).items(), start=1):
        chunks = [chunk for chunk in chunker.chunk(call) if overlap(chunk.span, window)]
        for chunk in chunks:
            axes.broken_barh(
                [(chunk.start, chunk.end - chunk.start)], (y - 0.35, 0.7), facecolors="#f4f4f4", edgecolors="#1a1a1a"
            )
        for before, chunk in pairwise(chunks):
            if shared := overlap(before.span, chunk.span):
                axes.broken_barh(
                    [(chunk.start, shared)], (y - 0.35, 0.7), facecolors="none", edgecolors="#1a1a1a", hatch="////"
                )
        lost = [(q, a) for q, a in parted(call, chunks) if window.start <= q.start and a.end <= window.end]
        for _, answer in lost:
            axes.plot([answer.start] * 2, [y - 0.45, y + 0.45], color=OKABE_ITO["vermilion"], linewidth=3)
        print(f"{name}: {len(chunks)} chunks, {len(lost)} answers parted from their question")
    axes.set(xlim=window, ylim=(3.6, -0.6), xlabel="character of the call; numbers are turns")
    axes.set_yticks(range(4), ["turns", *earlier, "dialogue"])
    axes.spines[["top", "right", "left"]].set_visible(False)
    figure.legend(
        handles=[Patch(facecolor=c, edgecolor="#1a1a1a", label=n) for n, c in colours.items()],
        loc="outside lower center",
        ncols=3,
    )
    figure.alt = (
        "Turns of a part of the earnings call as a row of bars, coloured by speaker: the CTO, an analyst and the "
        "CEO by turns; the first bar is a long answer of the CTO. Below it the borders of the fixed, the "
        "recursive and the dialogue chunks in the same place. The fixed and the recursive chunks part some "
        "questions from their answers, which is marked in red. The dialogue chunks part none; where they overlap, "
        "the repeated turn is hatched."
    )
figure

# %% [markdown]
# ## Measured
#
# Most of the course's documents are no dialogues. A chunker for dialogues should take the dialogues and leave the
# rest to another one, and that is five lines.


# %%
@dataclass(frozen=True)
class ByKind:
    """Dialogues to one chunker, everything else to another."""

    dialogue: DialogueChunker
    other: RecursiveChunker

    def chunk(self, document: Document, within: Span | None = None):
        return (self.dialogue if document.kind == "dialogue" else self.other).chunk(document, within)


methods = {
    "recursive": earlier["recursive"],
    "fixed": earlier["fixed"],
    "dialogue": ByKind(DialogueChunker(200), earlier["recursive"]),
}
results = {}
for language in ("en", "zh"):
    documents, questions = course_set(language)
    results[language] = score_chunkers(methods, documents, questions, budgets=(1000,))
compare(results["en"])

# %%
compare(results["zh"])

# %% [markdown]
# Over all questions of the dev split there is little to see, because few of them ask about dialogues. So look at those
# whose evidence lies in dialogues alone:


# %%
def about_dialogues(result):
    """Only the questions all of whose evidence stands in dialogues."""
    ids = {document.doc_id for documents in dialogues.values() for document in documents}
    chosen = [
        row for row in result.rows if row.question.answerable and {e.doc_id for e in row.question.evidence} <= ids
    ]
    return Result(tuple(chosen))


on_dialogues = {lang: {name: about_dialogues(r) for name, r in found.items()} for lang, found in results.items()}
compare(on_dialogues["en"])

# %%
compare(on_dialogues["zh"])

# %%
for language, found in on_dialogues.items():
    old, new = (found[name].scores("recall") for name in ("recursive", "dialogue"))
    changes = [round(new[key] - old[key], 6) for key in old]
    print(
        f"{language}: {sum(c > 0 for c in changes)} better, {changes.count(0)} equal, {sum(c < 0 for c in changes)} worse"
    )

# %% [markdown]
# About ten questions in each language. In English the dialogue chunks are a little behind the recursive ones, in Chinese
# ahead, and no p-value is small. (Some intervals leave out 0 next to a p that is not small: only a handful of questions come
# out differently at all, and a bootstrap of so few is too sure of itself.) So nothing here shows that dialogue chunks
# retrieve better than recursive ones; the honest result is "we could not tell them apart". What can be said without
# any questions stands in the tables above: nobody's words without a speaker, no answer without its question where both
# fit, and turn numbers and times for a citation that a reader can check.
#
# A case where the dialogue chunks lose: the largest loss against the recursive ones among these questions.

# %%
kept = {name: on_dialogues["en"][name].scores("recall") for name in methods}
worst = min(kept["dialogue"], key=lambda i: (round(kept["dialogue"][i] - kept["recursive"][i], 6), i))
rows = {name: next(row for row in result.rows if row.question.id == worst) for name, result in results["en"].items()}
question = rows["dialogue"].question
print(worst, question.question, "\n")
for name in ("recursive", "dialogue"):
    print(f"{name}: recall {kept[name][worst]:.3f}")
    for passage in rows[name].passages:
        gold = sum(overlap(passage.span, Span(e.start, e.end)) for e in question.evidence if e.doc_id == passage.doc_id)
        print(f"   {passage.score:.3f} {passage.doc_id}:{passage.start}-{passage.end}", "← gold" * (gold > 0))

# %% [markdown]
# One chunk makes the difference. Here are the chunks of both methods around this piece of gold, and how similar each is
# to the question:

# %%
found = next(p for p in rows["recursive"].passages if p.doc_id == call.doc_id and p.text.startswith("Priscilla"))
embed = default_embedder("en").encode
for name, chunker in (("recursive", earlier["recursive"]), ("dialogue", DialogueChunker(200))):
    chunk = next(chunk for chunk in chunker.chunk(call) if overlap(chunk.span, found.span))
    similarity = float(embed([question.question])[0] @ embed([chunk.embedding_text])[0])
    print(f"{name}: {count_tokens(chunk.text)} tokens, similarity {similarity:.3f}\n   {chunk.text[:230]} …")

# %% [markdown]
# The recursive chunk is the analyst's turn alone. Ours begins with the operator, who explains how to press star one: the
# same words again, diluted. The vector of the longer chunk is further from the question, other chunks come first, and
# the budget is full. Turns of ceremony ("Great, thank you.", "Our next question comes from …") belong to the chunks,
# since nothing may be lost, but each of them makes a vector a little vaguer.
#
# ## Neighbours at retrieval
#
# In a talk the important words are often one turn away. A second way to get them is to store nothing twice, search small
# chunks, and *grow* each hit by a turn or two on both sides when it is returned. The function is lesson 01's `grow`; only
# that it counts turns instead of characters:


# %%
@dataclass(frozen=True)
class WithNeighbours:
    """Any retriever, its passages grown by ``n`` turns on both sides."""

    retriever: FlatRetriever
    documents: dict[str, Document]
    n: int

    def retrieve_batch(self, queries, k=5):
        return [[self.widen(passage) for passage in found] for found in self.retriever.retrieve_batch(queries, k)]

    def widen(self, passage):
        document = self.documents[passage.doc_id]
        turns = turn_spans(document)
        touched = [i for i, turn in enumerate(turns) if overlap(turn, passage.span)]
        first, end = grow(Span(touched[0], touched[-1] + 1), self.n, self.n, within=Span(0, len(turns)))
        wide = Span(turns[first].start, turns[end - 1].end)
        return replace(passage, start=wide.start, end=wide.end, text=document.text[wide.start : wide.end])


# %%
by_id = {document.doc_id: document for document in dialogues["en"]}
about_talks = [row.question for row in on_dialogues["en"]["dialogue"].rows]
rows = []
with tempfile.TemporaryDirectory() as folder:
    index = Index.create(Path(folder) / "dialogues", default_embedder("en"))
    index.add(build_hierarchy(document, [DialogueChunker(100, overlap_turns=0)]) for document in by_id.values())
    for n in (0, 1, 2):
        result = evaluate(WithNeighbours(FlatRetriever(index), by_id, n), about_talks, budgets=(500, 1000, 2000))
        rows.append((n, *(result.mean("recall", budget) for budget in result.budgets)))
Table(
    ("turns on each side", *map(str, result.budgets)),
    tuple(rows),
    f"recall by budget, {len(about_talks)} questions, chunks of 100 tokens",
)

# %% [markdown]
# At the smallest budget the neighbours seem to help, at the middle one not. With so few questions no line can be called
# better. Note the price: a wider passage fills the budget sooner, so fewer hits are seen.
#
# Lesson 13 makes a retriever of this idea, with sentences instead of turns, and joins windows that touch.
#
# ## What to turn first
#
# | what | start with | what it costs |
# |---|---|---|
# | `max_size` | 150 to 250 tokens, or 600 to 1,000 characters | larger: fewer chunks, several topics in one vector |
# | `overlap_turns` | 1; 2 where turns are short | each turn is stored and embedded again |
# | `max_turns` | 12; 6 to 10 where little is said in many turns | only matters for short turns |
# | names of speakers | as they are, with the role in them | the roles decide who answers whom |
#
# What one more turn of overlap costs, in tokens to embed:

# %%
rows = []
for repeated in (0, 1, 2):
    for language, documents in dialogues.items():
        chunks = [chunk for d in documents for chunk in DialogueChunker(200, overlap_turns=repeated).chunk(d)]
        stored, once = sum(count_tokens(c.text) for c in chunks), sum(count_tokens(d.text) for d in documents)
        rows.append((language, repeated, len(chunks), stored, stored / once))
Table(("language", "overlap_turns", "chunks", "tokens stored", "of the text"), tuple(rows))

# %% [markdown]
# ## Exercises
#
# `hint("08.1")` gives a hint, `solution("08.1")` shows a solution.
#
# ### Exercise 08.1 · Who speaks in a chunk
#
# ★☆☆ · 5 minutes. `turns[i]` is the span of turn `i`, `names[i]` its speaker. Return the speakers of all turns that share
# at least one character with `chunk`, each once, in the order in which they first speak.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def speakers_of(chunk: Span, turns: list[Span], names: list[str]) -> list[str]:
    """The speakers of the turns that the chunk shares characters with, each once, in the order of their first turn."""
    return ...


check("08.1", speakers_of)

# %% tags=["solution"]
from hierrag_lessons import Span, check

# solution: 08.1


check("08.1", speakers_of)

# %% [markdown]
# ### Exercise 08.2 · A chunk and the turns around it
#
# ★★☆ · 10 minutes. Grow `chunk` by `n` turns on both sides: the result starts where the `n`-th turn before the first
# touched turn starts, and ends where the `n`-th turn after the last touched one ends. At the ends of the dialogue there
# are fewer. A chunk can be a piece of a turn; it touches the turns that it shares characters with, and it touches at
# least one.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def with_neighbours(chunk: Span, turns: list[Span], n: int) -> Span:
    """From ``n`` turns before the first turn that the chunk touches to ``n`` turns after the last one."""
    return ...


check("08.2", with_neighbours)

# %% tags=["solution"]
from hierrag_lessons import Span, check

# solution: 08.2


check("08.2", with_neighbours)

# %% [markdown]
# ### Exercise 08.3 · Find the bugs: windows of turns
#
# ★★★ · 15 minutes. This is the loop of `sliding_turns`, without the texts: turns are only sizes. It should return the
# first and last turn of each chunk, such that
#
# - a chunk has at most `max_turns` turns and at most `max_size` in sum, except that a turn above `max_size` is a chunk
#   by itself;
# - every chunk holds at least one turn that no chunk before it holds, and after that as many as fit;
# - it starts with up to `overlap` turns of the chunk before, as many as leave room for the first new turn, and never
#   with all of them.
#
# Repair it. `overlap` is smaller than `max_turns`.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def turn_ranges(sizes: list[int], max_turns: int, max_size: int, overlap: int) -> list[tuple[int, int]]:
    """First and last turn of each chunk, for turns of these sizes."""
    ranges: list[tuple[int, int]] = []
    first = 0
    while first < len(sizes):
        stop, size = first, 0
        while stop < len(sizes) and stop - first < max_turns and size + sizes[stop] <= max_size:
            size += sizes[stop]
            stop += 1
        ranges.append((first, stop - 1))
        if stop >= len(sizes):
            break
        first = max(stop - overlap, first + 1)
    return ranges


check("08.3", turn_ranges)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 08.3


check("08.3", turn_ranges)

# %% [markdown]
# ## Takeaways
#
# 1. In a dialogue the turn is the unit: borders between turns, overlap in turns, neighbours in turns.
# 2. An answer without its question can't be understood. Move the border or repeat the question.
# 3. A turn above the limit is divided at sentences, alone; speaker's name in the context of every piece.
# 4. Keep the place where a chunk starts apart from its first new turn, and most bugs of windows are gone.
# 5. Speakers, turn numbers and times make an answer checkable; recall on a few questions does not show that.
#
# ## Interview questions
#
# <details><summary>How do you chunk a one-hour call with two ten-minute speeches and forty short questions?</summary>
#
# By turns. The short ones are packed up to a size and a number of turns, with one turn of overlap, and no border goes
# between a question and its answer where both fit. The speeches are divided at sentences, each piece by itself, with
# speaker and role as context. Every chunk keeps its turn numbers and times, so that the answer can cite the recording.
# </details>
#
# <details><summary>Why not an overlap of 15 percent, as for other texts?</summary>
#
# Because a share of tokens ends anywhere: half a turn without its speaker is repeated. One whole turn keeps who spoke and
# what was asked. Its size varies, so it must give way where the next turn would not fit, or the limit is broken, or
# a chunk without anything new is made.
# </details>
#
# <details><summary>Overlap when indexing, or neighbours when retrieving?</summary>
#
# Overlap helps the *search*: the vector of an answer is computed together with its question. It costs storage. Neighbours
# help the *reader*: nothing is stored twice and the width can be chosen for each query, but a hit has to come first,
# and the budget is used up sooner. Small overlap and one neighbour are no contradiction; a packer has to remove what
# comes twice.
# </details>
#
# ## Further reading
#
# - Sacks, Schegloff and Jefferson, *A simplest systematics for the organization of turn-taking for conversation*, 1974:
#   [doi.org/10.2307/412243](https://doi.org/10.2307/412243)
# - Zhong et al., *QMSum: A new benchmark for query-based multi-domain meeting summarization*, 2021:
#   [arxiv.org/abs/2104.05938](https://arxiv.org/abs/2104.05938)
# - Maharana et al., *Evaluating very long-term conversational memory of LLM agents* (LoCoMo), 2024:
#   [arxiv.org/abs/2402.17753](https://arxiv.org/abs/2402.17753)
#
# Next: [lesson 09](09_semantic.ipynb), semantic chunks. Back: [lesson 07](07_structure.ipynb) · [tour](00_tour.ipynb).
