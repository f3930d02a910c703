# %% [markdown]
# # 23 · Answers
#
# *"List Northmere's fiscal 2025 research priorities with the spending on each, latest progress and share of R&D expense."*
# The search has done its work: 1,000 tokens of context. Now somebody has to answer. Read what comes back, and below it
# the passage that it cites most. Would you send it to your manager?

# %% tags=["hide-input"]
import textwrap
from contextlib import ExitStack

from hierrag_lessons import (
    FlatRetriever,
    course_hierarchy,
    course_questions,
    render,
    retrieve_contexts,
    temporary_index,
)


def wrapped(text):
    return "\n".join(textwrap.fill(line, 106, subsequent_indent="    ") for line in text.splitlines())


stack = ExitStack()  # keeps the indexes until the kernel ends
documents, dev = course_questions("en")
trees = [course_hierarchy(document) for document in documents]
leaves = stack.enter_context(temporary_index(trees))
hook = next(q for q in dev if q.id == "en-ar-027-u")
prompt = render(retrieve_contexts(FlatRetriever(leaves, mode="hybrid"), [hook.question], [1000])[0][1000])
passage = dict(zip(prompt.numbers, prompt.passages, strict=True))
answer = (
    "Northmere spent $268.4 million on research and development in fiscal 2025 [1]. Its priority Heron cost $39.1 "
    "million [5]. Coverage and convergence after a power failure met the target in both trials [5]. The priorities "
    "together took $132.5 million [5]. That is 46.0% of research and development expense [2]."
)
print(answer.replace("]. ", "].\n"), "\n")
print(wrapped("[5] " + " ".join(passage[5].text.split())), "\n")
numbers = [citation.number for citation in prompt.citations(answer)]
print(f"{len(numbers)} citations, passages {numbers}, all of them among the {len(prompt.passages)} of the context")

# %% [markdown]
# It reads well. Every sentence has a citation, and every cited passage exists. One product documents just this check
# ([exercise 23.1](#Exercises)). How many of the five sentences would you sign?
#
# <details><summary>What is wrong with it</summary>
#
# Two of the five are right. One says the opposite of its source. One has two digits swapped. One cites a passage about
# something else, and its "that" means the wrong sum before it. And two of the three priorities are missing. (This answer
# was made up for this page, fault by fault. It is no output of a model.)
# </details>
#
# **You will** check an answer step by step; take an answerer apart that cannot invent; test a well-known claim at equal
# tokens; tell kinds of error apart; and find out when a refusal can work and how far a judge can be trusted.
#
# **You need** [lesson 03](03_measuring_retrieval.ipynb) (intervals, verdicts), [lesson
# 19](19_reranking_and_packing.ipynb) (the packed context) and [lesson 20](20_every_level_speaks.ipynb) (every level).
# {{minutes}}, medium (★★☆). No network, no API key. **No language model is at hand here.** What is measured below is
# the search, and an answerer that copies sentences. What a model would do with the same context is not measured.
#
# {{map}}
#
# The way through: [checks](#Four-checks), [an answerer](#An-answerer-that-cannot-invent), [the claim](#The-claim),
# [room](#Room-for-the-answer), [three errors](#Three-kinds-of-error), [refusing](#When-to-refuse),
# [judges](#Who-judges?), [a model](#With-a-model), [what to use](#What-to-use), [exercises](#Exercises).
#
# ## Four checks
#
# ![Two passages, and an answer of four statements: one is supported by its quote, one says the opposite of it, one has
# another number, one cites the wrong passage. Of five facts two are in the answer, one was lost by the answerer, two by
# the search.](images/23_answers.svg)
#
# Some words first. An answer is made of **statements**; here each sentence is one. A statement is **supported** where
# its source says the same. The share of supported statements is the **faithfulness** of the answer; some people say
# *groundedness*. The share of the facts asked for that the answer holds is its **completeness**. A **citation** leads
# from a statement to its source.
#
# A passage number alone is a poor citation: passage 2 may exist and say something else. So ask for a **quote** as well,
# the words on which the statement rests. Here are the same five statements with the quotes that their writer gave:

# %%
from hierrag_lessons import find_quote

statements = [
    (
        "Northmere spent $268.4 million on research and development in fiscal 2025.",
        1,
        "Research and development expense was $268.4 million in fiscal 2025",
    ),
    ("Its priority Heron cost $39.1 million.", 5, "Heron cost $39.1 million in fiscal 2025"),
    (
        "Coverage and convergence after a power failure met the target in both trials.",
        5,
        "Coverage met our target in both; convergence after a widespread power failure did not",
    ),
    ("The priorities together took $132.5 million.", 5, "These three priorities together took $123.5 million"),
    ("That is 46.0% of research and development expense.", 2, "or 46.0% of research and development expense"),
]
for text, number, quote in statements:
    found = find_quote(passage[number].text, quote)
    print(f"[{number}] {'characters ' + str(tuple(found)) if found else 'no such quote   '}  {text}")

# %% [markdown]
# The second check already finds something: passage 2 does not hold the quote of the last statement. It is a citation of
# the wrong place. `find_quote` forgives white space, capitals and typographic marks, and nothing else: whoever forgives
# one word also forgives a "not". Nor may a quote be cut inside a number: "1.8 million" is not in "$31.8 million".
#
# The quote is there; does it *say* it? The third check compares words. Do the words of the statement stand in the
# quote, and all of its numbers?

# %%
from hierrag_lessons import containment

for text, _, quote in statements:
    print(f"{containment(text, quote):.2f}  {text}")
alone = "The $132.5 million are 46.0% of research and development expense."
print(f"{containment(alone, statements[4][2]):.2f}  {alone}")

# %% [markdown]
# **Containment** is the share of a statement's words that its source has, 0 where a number is missing. (Words count by
# their stems, and small ones such as "its" or "the" are left out. 39.1 counts as two words: so the second statement has 5
# of 6, all but "priority", which is 0.83.) Say that 0.75 is enough. The swapped digits are found: 0.00. But the third
# statement passes with 0.86, more than the two that are right. Its source has nearly all of its words, and says "did
# not".
#
# And the fifth has full marks, for its "that" says nothing. Written out, in the last line, it is found. So before any
# check **make each statement stand alone**: no "that", no "its", and one claim only. (RAGAS lets a model do that.)
#
# A check that counts can't see a "did not". The fourth check has to *understand*. Each row sees only what the row above
# let through, of five statements:
#
# | check | passes | what it finds | cost |
# |---|---:|---|---|
# | the passage exists | 5 | numbers that no passage has | nothing |
# | the quote is in the passage | 4 | the wrong place, an invented quote | nothing |
# | words and numbers are in the quote | 3 | wrong numbers, and some of what is made up | false alarms, see [judges](#Who-judges?) |
# | somebody understands both | 2 | negations, swapped roles, another subject | a person, a small model trained for it, or a call of a chat model |
#
# And all four together miss the worst fault of this answer. Two priorities of three are missing, and what is not said has
# no citation. It needs another measure. A **key fact** is a short string of the evidence, such as `$39.1 million`, and it
# counts where a text has it:

# %%
from hierrag_lessons import completeness

print("the facts that are asked for:", ", ".join(hook.key_facts))
in_context = completeness("\n".join(p.text for p in prompt.passages), hook.key_facts)
signed = " ".join(text for text, _, _ in statements[:2])
print(f"in the context: {in_context:.1f}   in the answer: {completeness(answer, hook.key_facts):.1f}")
print(f"in the two statements that hold: {completeness(signed, hook.key_facts):.1f}")

# %% [markdown]
# Three of the five facts were in the context. Two are in the answer, one of these with a citation that fails. The third,
# $123.5 million, was in passage 5 and came out as $132.5 million: the answerer lost it. The search lost two, which it did
# not bring. Keep these losses apart. They have different repairs.
#
# ## An answerer that cannot invent
#
# The simplest way to be faithful is not to write anything. A **highlighter**, or *extractive answerer*, copies sentences
# of the context, and each cites the span that it was copied from. It runs offline, and everything about it can be counted.
# It is no forecast of what a language model would do.
#
# Which sentences? The naive way is the **lead**: those at the top, as many as fit.

# %%
from hierrag_lessons import LeadAnswerer


def shown(answer):
    """An answer, a statement on each line."""
    return wrapped("\n".join(statement.text for statement in answer.statements))


print(shown(LeadAnswerer(150).answer(hook.question, prompt.passages)))

# %% [markdown]
# No priority, no cost. The first passage fits the *subject* best, and the facts stand elsewhere. So give each sentence a
# value:
#
# - the share of the question's words in it, rare words counting more;
# - plus the retriever's own score for the piece that it comes from, from 0 to 1 (`trust=0` leaves it out);
# - and a word that the answer has already counts less.
#
# The best sentence is taken, then the next, until the room is used up. That is the package's `ExtractiveAnswerer`:

# %%
from hierrag_lessons import ExtractiveAnswerer

extract = ExtractiveAnswerer(150).answer(hook.question, prompt.passages)
print(shown(extract))
texts = {document.doc_id: document.text for document in documents}
assert all(quote.text == texts[quote.doc_id][quote.start : quote.end] for quote in extract.sources)
print("facts in the answer:", completeness(extract.plain, hook.key_facts), "\n")
tender = next(q for q in dev if q.id == "en-ar-011-u")
found = retrieve_contexts(FlatRetriever(leaves, mode="hybrid"), [tender.question], [1000])[0][1000]
print(tender.question)
for name, answerer in (("lead", LeadAnswerer(150)), ("extract", ExtractiveAnswerer(150))):
    short = answerer.answer(tender.question, found)
    print(f"facts in the {name}: {completeness(short.plain, tender.key_facts)}")

# %% [markdown]
# One line is a heading that was copied: a headline counts as a sentence here. Every word stands in the source, every
# citation leads to its exact place (the `assert` has looked), and not one of the five facts is in it. **Faithfulness 1,
# completeness 0.** The faithfulness of a copy is 1 by construction. So faithfulness alone says nothing of whether anybody
# needs the answer. (With the other question, the last lines, the extract has all facts and the lead none.)
#
# Is the value of a sentence worth anything, then? We take all answerable questions, contexts of 2,000 tokens and answers of
# at most 150. *Parent-child* searches leaves and gives their whole sections, at most 600 tokens.

# %% tags=["hide-input"]
from hierrag_lessons import (
    COURSE_CHUNKERS,
    AutoMergingRetriever,
    MultiLevelRetriever,
    ParentChildRetriever,
    SentenceWindowRetriever,
    build_hierarchy,
    make_units,
    score_retrievers,
    sentence_hierarchy,
)


def index_of(made):
    return stack.enter_context(temporary_index(made))


asked = [q for q in dev if q.answerable]
retrievers = {
    "flat 200": FlatRetriever(leaves, mode="hybrid"),
    "flat 600": FlatRetriever(index_of([build_hierarchy(d, COURSE_CHUNKERS[:2]) for d in documents]), mode="hybrid"),
    "sentence windows": SentenceWindowRetriever(index_of([sentence_hierarchy(d) for d in documents]), mode="hybrid"),
    "parent-child": ParentChildRetriever(leaves, mode="hybrid", children_per_passage=4),
    "auto-merging": AutoMergingRetriever(leaves, mode="hybrid"),
    "every level": MultiLevelRetriever(index_of([make_units(tree) for tree in trees])),
}
budgets = (1000, 1800, 2000, 2400, 3000, 4000)
results = score_retrievers(retrievers, asked, budgets)

# %%
from hierrag_lessons import Result, Table, answered, holm, paired_difference, paired_test, verdict


def at(result, *budgets):
    """The rows of some budgets alone."""
    return Result(tuple(row for row in result.rows if row.budget in budgets))


def facts_in(result):
    return [*result.scores("answer_completeness").values()]


ways = {"words alone": ExtractiveAnswerer(150, trust=0), "words and scores": ExtractiveAnswerer(150)}
extracts, rows, tests = {}, [], []
for name in ("flat 200", "parent-child", "every level"):
    first = facts_in(answered(at(results[name], 2000), LeadAnswerer(150)))
    for way, answerer in ways.items():
        extracts[name] = answered(at(results[name], 2000), answerer)  # the last of the two stays
        ours = facts_in(extracts[name])
        means = [sum(shares) / len(shares) for shares in (first, ours)]
        rows.append((name, way, *means, *paired_difference(ours, first)))
        tests.append(paired_test(ours, first))
rows = [(*row[:-2], p, verdict(*row[-2:], p)) for row, p in zip(rows, holm(tests), strict=True)]
columns = ("context of", "value of a sentence", "lead", "extract", "p", "extract against lead")
Table(columns, tuple(rows), f"share of key facts, {len(asked)} dev questions; p after Holm over these rows")

# %% [markdown]
# Words *and* scores are ahead of the lead for flat 200 and parent-child. For *every level* words alone are behind, and
# with the scores no difference is shown. That is a borderline case: p is 0.0624 after Holm over these six rows, and the
# [benchmarks](../benchmarks/README.md#answers), which count one row for each retriever, call the same row ahead. The weights
# were chosen on these questions, so the extract is flattered. On the Chinese questions, which were not used, it is ahead
# of the lead for each retriever of the benchmarks. (Holm never lets a larger p come out smaller than the one before it.
# That is why some p are equal.)
#
# One caution about the measure. Copies profit from strings; an answer in other words does not. Each question comes with a
# reference answer, right and complete, in its own words. The same measure gives those:

# %%
from hierrag_lessons import count_tokens

references = [(completeness(q.answer, q.key_facts), count_tokens(q.answer)) for q in asked]
share, size = (sum(values) / len(values) for values in zip(*references, strict=True))
print(f"reference answers: {share:.3f} of the key facts, in {size:.0f} tokens on average")

# %% [markdown]
# So never compare a copy with a written answer by strings: a model's 0.5 can be a perfect answer. For *contexts* and for
# copies the strings are nearly exact: now and then one, a year or a small number, stands in a passage by chance. They are
# used for these alone below.
#
# ## The claim
#
# A study note (*Hierarchical RAG*, 2026, its section 3.1) reports five methods on 50 pairs of questions in finance:
#
# | method | recall@5 | faithfulness | completeness | context tokens |
# |---|---:|---:|---:|---:|
# | flat, 200 tokens | 0.872 | 0.838 | 0.71 | 1,000 |
# | flat, 800 tokens | 0.864 | 0.852 | 0.79 | 4,000 |
# | sentence window | 0.881 | 0.881 | 0.85 | 1,800 |
# | parent-child | 0.876 | 0.918 | 0.91 | 3,000 |
# | auto-merging | 0.892 | 0.934 | 0.93 | 2,400 |
#
# Recall@5 is the recall of five hits; whether leaves or parents are counted, it does not say. The note concludes: recall
# hardly changes, *because the embedding is the same*; faithfulness and completeness rise, because the model gets the full
# context.
#
# The methods had 1,000 to 4,000 tokens. Flat 800 had the most tokens and only 0.79, so tokens are not all. First the
# note's own tokens for each method, and beside it flat 200 with as many. Then give all the same: what is left? (The note
# does not define its completeness. Ours is the share of key facts in the *context*. Our large chunks are the course's
# sections, at most 600 tokens. Our windows are a sentence with two on each side; the note's are a leaf of 200 with one.)

# %% tags=["hide-input"]
from hierrag_lessons import drawing

published = {"sentence windows": 1800, "auto-merging": 2400, "parent-child": 3000, "flat 600": 4000}
drawn, said = [], []
with drawing(3.4) as (figure, [axes]):
    before = [*results["flat 200"].scores("completeness", 1000).values()]
    for y, (name, budget) in enumerate(published.items()):
        for method in (name, "flat 200"):
            ours = [*results[method].scores("completeness", budget).values()]
            low, high = paired_difference(ours, before)
            middle = (sum(ours) - sum(before)) / len(ours)
            place, own = (y - 0.13, True) if method == name else (y + 0.17, False)
            colour = "#0072B2" if own else "#B04A00"
            axes.plot((low, high), (place, place), color=colour, linewidth=2)
            axes.plot(middle, place, "o", color=colour, markersize=9, markerfacecolor=colour if own else "white")
            axes.text(high + 0.004, place, name if own else "flat 200", color=colour, va="center", fontsize=9)
            drawn.append((budget, method, middle, low, high))
            said.append(f"{method} with {budget:,} tokens {middle:+.2f} ({low:+.2f} to {high:+.2f})")
    axes.axvline(0, color="#1a1a1a", linestyle=":")
    axes.text(0.003, 3.62, "flat 200 with 1,000 tokens", va="center", fontsize=9)
    axes.set_yticks(range(len(published)), [f"{budget:,} tokens" for budget in published.values()])
    axes.set(
        xlim=(-0.01, 0.26),
        ylim=(3.85, -0.5),
        xlabel="share of the facts in the context, more than flat 200 with 1,000 tokens",
    )
    axes.grid(axis="x")
    figure.numbers = Table(("tokens", "method", "more than flat 200 with 1,000", "low", "high"), tuple(drawn))
    figure.alt = (
        "Four rows, one for each method of the note with its number of tokens: the gain in facts over flat 200 with 1,000 "
        "tokens, as a dot, and below it, as a ring, the gain of flat 200 itself with as many tokens. In each row the ring "
        "lies as far to the right as the dot, or farther: " + "; ".join(said) + "."
    )
figure

# %% [markdown]
# If a ring lies beside its dot, the gain was the tokens. Dots: each method with the note's tokens, minus flat 200 with
# 1,000. Rings: flat 200 itself with as many tokens as that row.
#
# The dots show what the note shows: a rise over flat 200 with 1,000 tokens. The rings show why. With 3,000 tokens
# parent-child has 0.14 more, and flat 200 itself 0.16. And at equal tokens?

# %% tags=["hide-input"]
from hierrag_lessons import verdicts

EQUAL = (1000, 2000, 3000, 4000)


def against(first):
    """What `verdicts` says of each method, with the interval."""
    table = verdicts({first: results[first], **results}, "completeness", EQUAL).records()
    words = {row["method"]: row["verdict"].split(" (")[0] for row in table}
    return {row["method"]: f"{words[row['method']]} ({row['low']:+.3f} to {row['high']:+.3f})" for row in table[1:]}


small, large = against("flat 200"), against("flat 600")
rows = []
for name, result in results.items():
    mean = sum(result.mean("completeness", budget) for budget in EQUAL) / len(EQUAL)
    rows.append((name, mean, small.get(name, "–"), large.get(name, "–")))
columns = ("method", "facts in the context", "against flat 200", "against flat 600")
Table(
    columns, tuple(rows), "mean over 1,000, 2,000, 3,000 and 4,000 tokens; verdicts after Holm, over five methods each"
)

# %% [markdown]
# Against **small** chunks parent-child and auto-merging show no rise. At best parent-child is 0.3 points ahead,
# auto-merging 1.3; at worst they are 4.9 and 1.0 behind. Windows are behind, and *every level* of lesson 20 is ahead by 3
# points.
#
# Against **large** chunks, the note's other baseline, auto-merging is ahead by 5 points. But so are the small chunks
# alone. For parent-child the interval lies above zero (+0.005), but five comparisons were made, and after Holm's
# correction it does not count. So if you index large chunks today, try smaller ones first. If you index 200, don't expect
# parent-child or auto-merging to add facts.
#
# The note claims most for questions that need several pieces (its section 3.2). Are they the ones that gain? Its figures
# below are what auto-merging has more than flat chunks. The note names no measure there and no tokens; in its other table
# auto-merging has 2,400 and flat 1,000. (Our 34 other questions, on dialogues, are left out: it has no such row.)

# %% tags=["hide-input"]
note = {"summary": (0.62, 0.89), "enumeration": (0.71, 0.94), "process": (0.65, 0.91), "single_fact": (0.91, 0.93)}
rows, tests = [], []
for kind, (without, merged) in note.items():
    of = {
        (method, b): [share for q, share in results[method].scores("completeness", b).items() if q in ids]
        for ids in [{q.id for q in asked if q.type == kind}]
        for method in ("flat 200", "auto-merging")
        for b in (*EQUAL, 2400)
    }
    start = sum(of["flat 200", 1000])
    number = len(of["flat 200", 1000])
    gains = [f"{(sum(of[method, 2400]) - start) / number:+.2f}" for method in ("auto-merging", "flat 200")]
    ours, before = (
        [sum(each) / 4 for each in zip(*(of[m, b] for b in EQUAL), strict=True)] for m in ("auto-merging", "flat 200")
    )
    low, high = paired_difference(ours, before)
    tests.append(paired_test(ours, before))
    rows.append((f"{kind} ({number})", f"{merged - without:+.2f}", *gains, f"{low:+.3f} to {high:+.3f}"))
rows = [(*row, p) for row, p in zip(rows, holm(tests), strict=True)]
columns = ("questions", "the note", "auto-merging, 2,400", "flat 200, 2,400", "auto-merging, equal tokens", "p")
Table(
    columns, tuple(rows), "more than flat 200; in columns three and four than flat 200 with 1,000 tokens; p after Holm"
)

# %% [markdown]
# The same again. With 2,400 tokens auto-merging gains 0.10 to 0.18, and flat 200 about as much. At equal tokens no
# difference is shown for any kind. The highest end, +0.07 (process), is far below the note's +0.26. That holds for
# contexts; what a model makes of them is open. So the three claims:
#
# - **Completeness rises.** Facts in the context rise, with the tokens. At equal tokens no rise is shown over leaves of 200.
#   Whether answers rise is not measured.
# - **Recall hardly changes.** *If* the note counts the five leaves that were found (it does not say so), parents can't
#   change it much: for parent-child and auto-merging they are looked up after the search. Five parents that are
#   *returned* hold more text, and so more facts. Either way it says nothing of what the same number of tokens holds.
# - **Faithfulness rises.** Not tested, it needs a model. What would decide it: one model, six retrievers, equal tokens,
#   and a judge whose errors are known.
#
# And is a better context worth anything to our highlighter?

# %%
for budget in (1000, 4000):
    each = answered(at(results["every level"], budget), ExtractiveAnswerer(150))
    inside, copied = each.mean("completeness"), each.mean("answer_completeness")
    print(f"every level, {budget:,} tokens: {inside:.2f} in the context, {copied:.2f} in the answer")

# %% [markdown]
# With *every level*, 3,000 tokens more bring 0.12 more into the context, and nothing into the answer. Why does so little
# arrive?
#
# ## Room for the answer
#
# Two suspects. The answer is too short, or the answerer chooses badly. To question them one at a time, give the answer more
# room; and beside it let somebody choose who *knows* the key facts. That is no method, for it looks at the solution. It
# shows what is within reach.

# %% tags=["hide-input"]
import numpy as np

from hierrag_lessons import answer_sentences

ROOMS = (75, 150, 300, 600)
winner = at(results["every level"], 2000)


def best_copies(row, rooms=ROOMS):
    """The share of the key facts in a good copy for each room: sentences are chosen with the facts in hand."""
    facts, sentences, shares = row.question.key_facts, [], []
    for sentence in answer_sentences(row.passages):
        held = {fact for fact in facts if completeness(sentence.text, [fact])}
        if held:
            sentences.append((held, count_tokens(sentence.text)))
    for room in rooms:
        used, known = 0, set()
        while fitting := [(held - known, size) for held, size in sentences if held - known and used + size <= room]:
            held, size = max(fitting, key=lambda each: len(each[0]) / each[1])
            known, used = known | held, used + size
        shares.append(len(known) / len(facts))
    return shares


reach = np.mean([best_copies(row) for row in winner.rows], axis=0)
longer = {room: answered(winner, ExtractiveAnswerer(room)) for room in ROOMS if room != 150} | {
    150: extracts["every level"]
}
copied = [longer[room].mean("answer_completeness") for room in ROOMS]
with drawing(3.8) as (figure, [axes]):
    context = winner.mean("completeness")
    axes.axhline(context, color="#1a1a1a", linestyle=":")
    axes.text(600, context + 0.02, f"in the context of 2,000 tokens: {context:.2f}", ha="right")
    axes.plot((150, 150), (copied[1], reach[1]), color="#1a1a1a", linewidth=1)
    axes.text(157, 0.58, f"with 150 tokens\n{reach[1]:.2f} within reach,\n{copied[1]:.2f} arrive", va="center")
    axes.plot(ROOMS, reach, "s-", color="#007A5A", markersize=8)
    axes.text(380, reach[2] - 0.08, "a copy that knows the facts", color="#007A5A", ha="center")
    axes.plot(ROOMS, copied, "o-", color="#0072B2", markersize=8)
    axes.text(330, copied[2] - 0.07, "the extractive answerer", color="#0072B2", ha="left")
    axes.set(xlabel="room for the answer, in tokens", ylabel="share of the key facts", ylim=(0, 1), xticks=ROOMS)
    axes.grid(axis="y")
    figure.numbers = Table(
        ("room", "knows the facts", "extract", "in the context"),
        tuple((r, a, b, context) for r, a, b in zip(ROOMS, reach, copied, strict=True)),
    )
    figure.alt = (
        "Share of the key facts by room for the answer. A copy that knows the facts is near the context's share from 150 "
        "tokens on. The extractive answerer lies far below and rises with the room. "
        + "; ".join(f"{r} tokens: {a:.2f} and {b:.2f}" for r, a, b in zip(ROOMS, reach, copied, strict=True))
        + f"; in the context: {context:.2f}."
    )
figure

# %% [markdown]
# It is the **choice**: 150 tokens can hold 0.83 of 0.85, and 0.36 arrive. More room hides it, with 0.67 at 600 tokens. My
# guess why: the answerer looks for the words of the question, and a fact is a word that the question does not have.
#
# Here the answerer loses most. With a model it may be otherwise. So on any system count the facts twice, in the context and
# in the answer. The difference tells you which half to repair.
#
# A model needs room as well, for its quotes and the JSON around them. `room_for_answer` keeps three tokens free for each
# token of the answer, which is a guess. Without room the model's server cuts the answer off, and the last facts of a list are
# missing. So look at every answer that ended by length (`finish_reason` in many APIs).
#
# ## Three kinds of error
#
# The study note has good advice for wrong answers: sort them first. A hierarchy may repair *incomplete* ones, it says. A
# better search repairs the *wrong place*. Neither does much for *invented* ones. So let code sort. Where the gold is known
# (lesson 03), the first rule that holds counts:
#
# | kind | rule | who lost it |
# |---|---|---|
# | invented | a statement that its quote does not support | the answerer |
# | wrong place | all is supported, and no quote touches the gold | the answerer, if a passage touches it; the search, if none does |
# | incomplete | the gold is quoted, and a key fact is missing | the answerer, if all missing facts are in the context; both, if some are; the search, if none is |
# | right | nothing of all this | |
#
# The package's `diagnose` does that. The extracts:

# %%
from collections import Counter

from hierrag_lessons import diagnose

KINDS = {
    "right": ("right", ""),
    "incomplete: answerer": ("incomplete", "answerer"),
    "incomplete: both": ("incomplete", "both"),
    "incomplete: search": ("incomplete", "retrieval"),
    "wrong place: answerer": ("wrong place", "answerer"),
    "wrong place: search": ("wrong place", "retrieval"),
}
rows = []
for name, result in extracts.items():
    found = [diagnose(row.question, row.passages, row.answer) for row in result.rows]
    counts = Counter((each.kind, each.cause) for each in found)
    rows.append((name, *(counts[kind] for kind in KINDS.values())))
    sizes = [len(row.question.key_facts) for row in result.rows]
    there, kept = (
        round(sum(getattr(each, part) * n for each, n in zip(found, sizes, strict=True)))
        for part in ("context_facts", "answer_facts")
    )
    lost = f"{there - kept} lost by the answerer, {sum(sizes) - there} by the search"
    print(f"{name:12} of {sum(sizes)} facts {kept} are in the answer, {lost}")
Table(("context of", *KINDS), tuple(rows), "extracts of 150 tokens, contexts of 2,000; number of questions")

# %% [markdown]
# *Invented* is not in the table: a copy has none. **Count facts, not only questions.** With flat 200 the search alone is to
# blame for 7 incomplete answers, and in 44 both halves lost something. By facts it is 352 against 143: this answerer loses
# more than twice as much as the search. For a written answer `diagnose` needs a judge, and is as good as it.
#
# ## When to refuse
#
# Some questions have no answer in the texts. A common rule: refuse where the best score is low. Which score? Take three
# kinds of questions without an answer.
#
# - **Another world**: questions on the Python language, asked in this index of reports and handbooks.
# - **A missing text**: the questions on three of the texts (a handbook, a paper, a law), each asked in an index from which
#   that text was taken out.
# - **Near misses**: questions on the very subjects of the texts, whose answer is not there. *"What does it cost Northmere
#   to make one Sentry-5 meter?"* The texts speak of that meter again and again, and never say it.

# %% tags=["hide-input"]
groups = {
    "has an answer": [(leaves, asked)],
    "near miss": [(leaves, [q for q in dev if not q.answerable])],
    "missing text": [],
    "Python": [(leaves, [q for q in course_questions("python")[1] if q.answerable])],
}
for gone in ("en/console_handbook", "en/research_paper", "en/transparency_act"):
    others = index_of([tree for tree, document in zip(trees, documents, strict=True) if document.doc_id != gone])
    groups["missing text"].append((others, [q for q in asked if {e.doc_id for e in q.evidence} == {gone}]))
best = {
    (search, group): [
        max(p.score for p in found[2000])
        for index, questions in parts
        for found in retrieve_contexts(FlatRetriever(index, mode=mode), [q.question for q in questions], [2000])
    ]
    for search, mode in {"vectors, cosine": "vector", "hybrid, z-scores": "hybrid"}.items()
    for group, parts in groups.items()
}
meter = next(q for q in dev if q.id == "en-ar-044-u")
print(meter.question)
found = retrieve_contexts(retrievers["flat 200"], [meter.question], [2000])[0][2000]
print(shown(ExtractiveAnswerer(60).answer(meter.question, found)))

# %% [markdown]
# A cost, a meter, a source. (The last line is a speaker's line of a call, which counts as a sentence.) In a hurry you
# would believe it: it is the cost of converting an assembly line. A copy can't invent, and can mislead. Do the scores
# warn you? In each panel a threshold refuses 5 % of the good questions (a choice):

# %% tags=["hide-input"]
from hierrag_lessons import bootstrap_interval

limits = {search: sorted(best[search, "has an answer"])[int(0.05 * len(asked))] for search, _ in best}
with drawing(3.9, 1, 2) as (figure, panels):
    drawn, said = [], []
    for axes, search in zip(panels, limits, strict=True):
        limit = limits[search]
        for y, group in enumerate(groups):
            values = np.sort(best[search, group])
            spread = (np.arange(len(values)) * 0.618) % 1 * 0.5 - 0.25  # so that dots do not hide each other
            colour = ("#0072B2", "#D55E00", "#9A6A00", "#007A5A")[y]
            axes.plot(values, y + spread, "os^D"[y], color=colour, markersize=4, alpha=0.7)
            refused = sum(value < limit for value in values)
            axes.text(limit, y - 0.41, f"{refused} refused ", ha="right", va="center", fontsize=9)
            low, middle, high = np.quantile(values, (0.05, 0.5, 0.95))
            drawn.append((search, group, len(values), int(refused), low, middle, high))
            said.append(f"{search}, {group}: {refused} of {len(values)} refused, {low:.2f} to {high:.2f}")
        axes.axvline(limit, color="#1a1a1a", linestyle=":")
        axes.set_yticks(range(len(groups)), [f"{group} ({len(best[search, group])})" for group in groups])
        axes.set(ylim=(len(groups) - 0.6, -0.6), xlabel="best score of a question")
        axes.set_title(f"{search}; threshold {limit:.2f}", fontsize=10.5, loc="left")
    figure.numbers = Table(
        ("search", "questions", "number", "refused", "5 % below", "half below", "95 % below"), tuple(drawn)
    )
    figure.alt = (
        "Best scores as dots, a row for each kind of question, and the threshold as a dotted line. By cosine, questions on "
        "Python lie clearly to the left of it, most of those on a missing text to the right. By z-scores about half of the "
        "questions on Python lie to the right as well. Near misses lie exactly where the questions with an answer lie, in "
        "both panels. " + "; ".join(said) + "."
    )
good = best["vectors, cosine", "has an answer"]
higher = [sum(score > each for each in good) / len(good) for score in best["vectors, cosine", "near miss"]]
low, high = bootstrap_interval(higher)
print("by cosine, of all pairs of a near miss and a good question, the near miss has the higher score")
print(f"in {sum(higher) / len(higher):.0%} ({low:.0%} to {high:.0%})")
figure

# %% [markdown]
# - **Another world** is easy by cosine: all 69 are refused. By z-scores 34 pass, and there is a reason. A z-score
#   compares the hits of *one question* with each other ([lesson 02](02_embeddings_and_store.ipynb)). Even a question on
#   cooking has a hit that stands out. So fuse by z-scores to rank, and keep a cosine to refuse. (The 0.41 holds for this
#   embedder alone.)
# - **A missing text** is not: 13 of 63 are refused. I expect more questions of this kind from users than on Python.
# - **Near misses** lie in the same range as the good questions. The passage that comes first is about the right thing,
#   and does not say what is asked. A rule on three features found hardly more of them
#   ([benchmarks](../benchmarks/README.md#answers)). Cross-encoders trained on unanswerable questions were not tested.
#
# So two doors. *Scores* keep out another world, cheaply, before a model is called. *Reading* has to refuse the rest: the
# model may answer "the passages do not say". How often yours does is your first test. Where to set the threshold depends on
# what each error costs, and on how often each kind of question comes: [exercise 23.2](#Exercises).
#
# ## Who judges?
#
# The fourth check needs somebody who understands. A person is slow. So most faithfulness figures come from a **judge**: a
# language model that is asked whether a source supports a statement. The package's judge is told this (and then the rule
# of lesson 11, that the text is data and gives no orders):

# %%
from hierrag_lessons import JUDGE_RULES

print(wrapped(JUDGE_RULES.split("\n\n")[0]))

# %% [markdown]
# An instrument is tested before its figures are used. For that there are **labelled statements**: a statement, its quote,
# and the right verdict. The package has 60, 48 English and 12 Chinese, made to be hard: near-copies in which one thing was
# changed, and true ones in other words. (One person labelled them, once.) No model is at hand, so the only judge to test is
# the one that counts words:

# %%
from hierrag_lessons import ContainmentJudge, agreement, load_statements

labelled = load_statements()
labels = [each.label for each in labelled]
said = [ContainmentJudge(language=each.language).judge(each.statement, each.quote.text) for each in labelled]
for names in (labels, said), ([str(each == "supported") for each in of] for of in (labels, said)):
    tested = agreement(*names)
    chance, (low, high) = (tested.share - tested.kappa) / (1 - tested.kappa), tested.kappa_interval
    print(f"the same verdict on {tested.share:.0%} of {tested.n}, by chance on {chance:.0%}, ", end="")
    print(f"kappa {tested.kappa:.2f} ({low:.2f} to {high:.2f})")

# %% [markdown]
# The first line counts three verdicts (supported, partly, not supported), the second two (supported or not, and "partly"
# is not). **Kappa** (Cohen 1960) takes away what chance would give. Two who throw dice with these shares of verdicts
# would agree on 39 %, so kappa is (0.40 − 0.39) / (1 − 0.39) = 0.02. Always agreeing is 1, and saying yes to everything
# is 0.
#
# So counting words is not shown to be better than dice here. Where does it fail? And what is its alarm for numbers worth?

# %%
import re


def numbers_of(text):
    return set(re.findall(r"\d+(?:[.,:]\d+)*", text))


faults = Counter((each.fault or "(supported)", verdict) for each, verdict in zip(labelled, said, strict=True))
verdict_names = ("supported", "partly", "not_supported")
alarms = Counter(each.fault for each in labelled if numbers_of(each.statement) - numbers_of(each.quote.text))
all_faults = Counter(each.fault for each in labelled)
print(f"alarms for a number that the quote does not have: {alarms.total()}, of these {alarms['']} false")
print(f"found: {alarms['wrong number']} of {all_faults['wrong number']} wrong numbers, ", end="")
print(f"{alarms.total() - alarms['']} of {all_faults.total() - all_faults['']} statements that are not supported")
rows = [(fault, *(faults[fault, verdict] for verdict in verdict_names)) for fault in dict(faults.keys())]
Table(("what is wrong", *verdict_names), tuple(sorted(rows)), "verdicts of the judge that counts words")

# %% [markdown]
# Negations, swapped subjects, another time, a dropped condition: all pass. So do 3 of the 7 wrong numbers, and for the
# same reason as the wrong times: each number of the statement stands in the quote, and belongs to something else there.
# The quote says 37 days, four of 41 having been removed; the statement says 41.
#
# And 3 of the 9 alarms for numbers are false: "a quarter of a million" for 250,000, a difference (29 days, where the
# quote has 34 and 5 more than before), and an example just below a limit (99.4 % where at least 99.5 % is asked). So use
# it as an alarm that somebody looks at, and never as a figure for faithfulness.
#
# ### What 0.93 means
#
# Say a judge accepts 95 % of the supported statements, and is fooled by 20 % of the others. If it then reports 0.838 for
# one method and 0.934 for another, what are the true shares? With t for the true share it says t · 0.95 + (1 − t) · 0.20.
# Which t gives 0.838? That is [exercise 23.3](#Exercises), a correction from medicine (Rogan and Gladen 1978).
#
# And how well do you know it? That depends on how many statements a person labelled, half of them unsupported, and on how
# many the judge has judged: 50 answers of five statements are 250. Draw both 10,000 times:

# %%
rng = np.random.default_rng(0)


def interval(labels, judged, *reported):
    """Where 95 % of the true shares lie, or of the difference of two."""
    accepts, fooled = (rng.binomial(labels // 2, rate, 10_000) / (labels // 2) for rate in (0.95, 0.20))
    seen = (rng.binomial(judged, share, 10_000) / judged for share in reported)
    true = [np.clip((share - fooled) / (accepts - fooled), 0, 1) for share in seen]
    low, high = np.quantile(true[-1] - true[0] if len(true) > 1 else true[0], (0.025, 0.975))
    return f"{low:.2f} to {high:.2f}"


low, high = ((seen - 0.20) / (0.95 - 0.20) for seen in (0.838, 0.934))
print(f"true shares {low:.3f} and {high:.3f}, the difference {high - low:.3f}")
rows = [
    (n, interval(n, 250, 0.838), interval(n, 250, 0.934), *(interval(n, s, 0.838, 0.934) for s in (250, 1000, 4000)))
    for n in (60, 100, 200, 500)
]
columns = ("labels", "said 0.838", "said 0.934", "difference, 250 each", "1,000 each", "4,000 each")
Table(columns, tuple(rows), "95 % of the true shares, by labels and by statements judged, each statement for itself")

# %% [markdown]
# What it called 0.838 was 0.851, and 0.934 was 0.979: a difference of 0.128, not 0.096. With 250 statements each, 100 labels or 500
# make little difference. More *statements* help, as long as there are enough labels. And a judge with other errors can report
# a rise where there is none, for example if it accepts *long* sources more readily. So a faithfulness of 0.838 or 0.934,
# without the name of the judge, its two rates and an interval, says little.
#
# How many labels? Take 100 at least, half of them unsupported, and to compare two systems label statements of *each*: the
# rates may differ. Where unsupported ones are rare, take a supported statement and change one thing. (Such labels test the
# judge on such faults. ARES draws a *random* sample and corrects in another way. Don't mix the two.)
#
# ## With a model
#
# With an endpoint, the address of a chat model's server (`HIERRAG_CHAT_MODEL`, lesson 11), the same interface writes
# answers. This is what the model is told. Below it is what `ChatAnswerer` makes of our five statements. A script hands them
# over in place of a model:

# %%
from types import SimpleNamespace

from hierrag_lessons import ANSWER_RULES, ChatAnswerer, Completion

print(wrapped(ANSWER_RULES.split("\n\n")[0].format(words=210)), "\n")
cited = [{"text": text, "citations": [{"passage": number, "quote": quote}]} for text, number, quote in statements]
made_up = Completion("", {"answered": True, "statements": cited, "missing": ""})
script = SimpleNamespace(name="a script, no model", complete=lambda system, user, schema: made_up)
written = ChatAnswerer(script).answer(hook.question, prompt.passages)
for statement in written.statements:
    print("quote found  " if statement.quotes else "no quote     ", statement.text)
print("citations dropped:", written.dropped)

# %% [markdown]
# A citation whose quote is not in its passage is dropped and counted. Log `dropped`, it is your first alarm. The statement
# stays, without a marker. Leave it out where a wrong answer is expensive, else show "no source found".
#
# ```python
# from hierrag_lessons import ChatAnswerer, ModelJudge, default_chat_model
#
# model = default_chat_model()
# judge = ModelJudge(model)
# agreement(labels, [judge.judge(each.statement, each.quote.text) for each in labelled])  # first: is it any good?
# answers = {name: answered(at(found, 2000), ChatAnswerer(model), judge) for name, found in results.items()}
# verdicts(answers, "faithfulness", (2000,))
# ```
#
# These lines would decide the third claim: six retrievers, one model, equal tokens. They were not run here. They ask for
# 936 answers, and with five statements each for some 4,700 judgements.
#
# And the completeness of a written answer, since strings can't count it? Somebody says for each key fact whether the answer
# has it. A person, for 50 questions with four or five facts each some 220 labels. Or the judge, with the roles exchanged:
# the *answer* is the source, and each key fact, written out as a sentence, is a statement.
#
# And what do others do? From their documentation:
#
# | what | what it does | what to add |
# |---|---|---|
# | LlamaIndex [`CitationQueryEngine`](https://developers.llamaindex.ai/python/examples/query_engine/citation_query_engine) | numbers the pieces, and the prompt asks for the numbers | the quote, and its check |
# | LangChain's [guide](https://python.langchain.com/docs/how_to/qa_citations/) to citations | an id, or an id and a quote | is the quote in the source? |
# | [Anthropic](https://platform.claude.com/docs/en/build-with-claude/citations), citations | which place of your document, with its text | numbers, and what it means |
# | [Cohere](https://docs.cohere.com/docs/rag-citations), citations | which words of the *answer* rest on which documents | the quote, and its check: pass small documents |
# | [OpenAI](https://platform.openai.com/docs/guides/tools-file-search), file search | which file; the pieces found, if you ask for them | the quote, and its check |
# | RAGAS, [*faithfulness*](https://docs.ragas.io/en/stable/concepts/metrics/available_metrics/faithfulness/) | a model takes the answer apart and judges each claim against the context | the judge's two rates, an interval |
# | [ARES](https://github.com/stanford-futuredata/ARES) | small judges trained on invented questions, corrected by some 150 labels, with intervals | the labels: a random sample of yours |
# | [HHEM](https://huggingface.co/vectara/hallucination_evaluation_model) (Vectara), [MiniCheck](https://github.com/Liyan06/MiniCheck) | small models that say whether a source supports a statement | a test on your own labels |
#
# ## What to use
#
# | what | when | start with | cost |
# |---|---|---|---|
# | quote check | always | drop the citation, count it | nothing |
# | numbers in the quote | where numbers matter | an alarm that somebody looks at | found 4 of 7 wrong numbers; 3 of 9 alarms false (hard statements) |
# | refusal by cosine | a search field open to anybody | 5 % of good questions refused, on your own questions | it keeps out *only* other worlds |
# | refusal by reading | always | "may answer: the passages do not say" | good questions that the model refuses: count them |
# | facts counted twice | before you repair anything | 50 questions | for written answers some 220 labels |
# | a judge | to compare versions; on a sample of the traffic | 100 to 200 labelled statements first | 200 answers of 5 statements: 1,000 calls |
# | extracts | where no word may be new; when the model is down | 300 tokens: 0.50 of the facts, 150 give 0.36 | 29 to 40 of 156 quote nothing of the gold |
#
# **On Monday.** *Log* for each answer: the question, the passages with their spans, each statement with quote and
# citation, how many citations were dropped, whether it was refused and by which door. Then begin with the first row.
#
# A summary or a proposition may be *found*; what is cited is the span that it was made from (lessons 16 and 17).
#
# **When not to**: don't demand a citation for small talk; don't refuse by score inside one narrow subject, where everything
# is a near miss; don't use extracts where people expect a sentence.

# %% [markdown]
# ## Exercises
#
# `hint("23.1")` gives a hint, `solution("23.1")` shows a solution.
#
# ### Exercise 23.1 · Find the bug: a citation check that checks nothing
#
# ★★☆ · 35 minutes. Does the cited passage exist? One product documents just that as its check of citations ([MariaDB AI
# RAG](https://mariadb.com/docs/tools/mariadb-ai-rag/reference/citations)). The code below is ours, and gets even that
# wrong for some numbers. Mend it, and let it ask four questions. A statement is (text, number of the cited passage from 1,
# quote). Return, for each statement that fails, its place in the list and the *first* reason that applies, in these words:
#
# 1. `"no such passage"`: the number names none;
# 2. `"no quote"`: the quote is blank;
# 3. `"quote not there"`: the cited passage does not have it, in one piece. White space and capitals may differ, nothing
#    else: a full stop at the end or a curly `’` is a sign like others. And it may not begin or end inside a word or a
#    number: `1.8 million` is not in `31.8 million`, nor `500 meters` in `11,500 meters`. Write this one yourself, without
#    `find_quote`, which forgives more;
# 4. `"number not in quote"`: the text has a number that the quote does not have. A number is a run of digits with points
#    or commas inside: `31.8`, `11,500`, `1,234.50`, the `3` of `Q3`. `$` and `%` are no part of it. Numbers count as they
#    are written.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def failing(statements: list[tuple[str, int, str]], passages: list[str]) -> dict[int, str]:
    """The statements whose citation does not hold: place in the list, and the first reason that applies.

    A statement is (text, number of the cited passage, quote). Passages are numbered from 1.
    """
    wrong: dict[int, str] = {}
    for place, (_text, number, _quote) in enumerate(statements):
        if number > len(passages):
            wrong[place] = "no such passage"
    return wrong


check("23.1", failing)

# %% tags=["solution"]
import re

from hierrag_lessons import check

# solution: 23.1


check("23.1", failing)

# %% [markdown]
# ### Exercise 23.2 · Where to refuse
#
# ★★☆ · 15 minutes. Questions with a score below a threshold are refused. Two errors are possible, and each has its
# price: `answered` for answering a question that has no answer, `refused` for refusing one that has. In a shop a refusal
# is expensive, in a hospital a wrong answer. Return the threshold at which these questions cost least. It is one of the
# scores, or infinity, `float("inf")`, which refuses everything; of equally cheap ones the smallest.
#
# Then try it with the cosines of this lesson, `best["vectors, cosine", group]`, the good questions against the near misses:
# at equal prices; with a wrong answer ten times as expensive as a refusal; and the last one again where 2 of 100 questions
# of your traffic are near misses. (In the lesson it is 16 of 172. So a near miss has to weigh 2 / 98 · 156 / 16 of what it
# weighs here: put that into its price.) Would you refuse near misses by a score?
#
# <details><summary>An answer</summary>
#
# No. At equal prices the smallest score of all, so nobody is refused. At ten to one the threshold is 0.54: it refuses 52 good
# questions of 156, and 7 near misses of 16. With 2 in 100 it is the smallest score again. There is no good place for it,
# since the two lie in the same range. Against Python, at equal prices, it is 0.38: 2 good ones are refused, and no question
# on Python is answered. (All of these are chosen and counted on the same questions, so new ones will cost more.)
# </details>


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def threshold(scores: list[float], answerable: list[bool], answered: float, refused: float) -> float:
    """The score below which to refuse, so that these questions cost least.

    A question is refused where its score is below the threshold. ``answered`` is the cost of answering a question that
    has no answer, ``refused`` that of refusing one that has. The threshold is one of the scores, or infinity, which
    refuses all; of equally cheap ones the smallest.
    """
    return ...


check("23.2", threshold)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 23.2


check("23.2", threshold)

# %% [markdown]
# ### Exercise 23.3 · What a judge's figure means
#
# ★★☆ · 15 minutes. A judge says that a share `said` of your statements is supported. A person has labelled some:
# (the judge says supported, the person says supported). Return the share that is really supported, between 0 and 1. Return
# `None` where the labels can't tell: one kind is missing, or the judge accepts unsupported statements as often as
# supported ones, or more often.
#
# Then try it on the judge that counts words. These lines make its verdicts again, and "partly" counts as
# not supported. What does it return, and why is that the right answer?
#
# ```python
# by_words = [ContainmentJudge(language=each.language).judge(each.statement, each.quote.text) for each in labelled]
# pairs = [(verdict == "supported", label == "supported") for verdict, label in zip(by_words, labels, strict=True)]
# corrected(37 / 60, pairs)  # it called 37 of 60 supported
# ```
#
# <details><summary>An answer</summary>
#
# `None`. It accepts 14 of the 26 supported statements and 23 of the 34 others. From such a judge nothing can be computed,
# whatever figure it reports.
# </details>


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def corrected(said: float, labelled: list[tuple[bool, bool]]) -> float | None:
    """The share of statements that are really supported, where a judge said that ``said`` of them are.

    ``labelled`` are statements that a person looked at: (the judge says supported, the person says supported).
    Returns a share from 0 to 1; ``None`` where the labels can't tell, because one kind is missing or the judge accepts
    unsupported statements as often as supported ones, or more often.
    """
    return ...


check("23.3", corrected)

# %% tags=["solution"]
from hierrag_lessons import check

# solution: 23.3


check("23.3", corrected)

# %% [markdown]
# ### Open task · A better highlighter
#
# ★★★ · 30 minutes or an evening. Choose better sentences. Reach 0.46 on the first half of the questions: the extractive
# answerer has 0.36, 0.83 is within reach, and 78 questions can show a gain of 0.10. (Neighbours of a good sentence,
# and a logistic regression on a dozen features of its words, were no better. The embedding of a sentence and the heading
# above it were not tried.) Build on this half as often as you like. The other half is to judge: write down what you expect,
# then put `last` in place of `build`, once. (The weights of the opponent were chosen on both halves.)


# %%
import re

from hierrag_lessons import Answer, Statement


def mine(question, passages):
    """Your choice: quotes of the context, best first. Here: those with numbers first, each half by the package."""
    found = ExtractiveAnswerer(600).answer(question, passages).sources
    return sorted(found, key=lambda quote: not re.search(r"\d", quote.text))


class Mine:
    """Takes quotes from `mine` while they fit into 150 tokens."""

    def answer(self, question, passages):
        chosen = []
        for quote in mine(question, passages):
            if count_tokens(" ".join(each.text for each in [*chosen, quote])) <= 150:
                chosen.append(quote)
        return Answer(question, tuple(Statement(quote.text, (quote,)) for quote in chosen))


build, last = (Result(winner.rows[half::2]) for half in (0, 1))
print(f"within reach for these questions: {np.mean([best_copies(row, [150]) for row in build.rows]):.3f}")
compared = {"extractive": answered(build, ExtractiveAnswerer(150)), "mine": answered(build, Mine())}
verdicts(compared, "answer_completeness")

# %% [markdown]
# ## Quiz
#
# <details><summary>1. All citations of an answer exist. What do you know about it?</summary>
#
# That the numbers are numbers of passages. Not that the passage says it, and not that the answer is complete.
# </details>
#
# <details><summary>2. Facts in the context and in the answer, both counted by people: A 0.90 and 0.50, B 0.55 and 0.50, C 0.60 and 0.55 at 1,000 tokens, 0.90 and 0.85 at 4,000. What do you repair?</summary>
#
# A: the answerer, which loses 0.40 of what it has. B: the search. C: give it 4,000 tokens before you build anything; its
# answerer keeps nearly all that it gets.
# </details>
#
# <details><summary>3. The same strings are counted in the context, 0.85, and in a model's answer, 0.54. Is the answerer bad?</summary>
#
# Nobody knows. Right and complete reference answers get 0.54 by strings. For an answer in other words, somebody has to say
# fact by fact whether it is there.
# </details>
#
# <details><summary>4. A threshold on the score refuses all questions on cooking, and none on the price that no document names. Why?</summary>
#
# A score says whether a passage is about the same thing. The passages are about the right product; they just don't say
# its price. That has to be read.
# </details>
#
# <details><summary>5. A judge agrees with people on 90 % of the statements, and 90 % of them are supported. Is it good?</summary>
#
# It may be saying yes to everything: that also agrees on 90 %, with a kappa of 0. Look at how often it is fooled by
# unsupported ones.
# </details>
#
# ## Takeaways
#
# 1. A citation is a number *and* a quote. Code checks that the quote is in the passage, and sounds an alarm for numbers.
# 2. Faithful, complete and right are three things. Measure each; a copy is always faithful.
# 3. Count the facts in the context and in the answer. The gap names the half to repair. Written answers need a reader.
# 4. At equal tokens no difference is shown between parent-child or auto-merging and flat chunks of 200. Chunks of 600 are
#    behind those of 200. More tokens bring more.
# 5. Scores refuse another world; a missing text or a near miss has to be read. A judge's figure needs the judge's two
#    rates, and an interval.
#
# ## Interview questions
#
# <details><summary>1. A vendor shows a faithfulness of 0.93 against 0.84. What do you ask?</summary>
#
# Who judged, and how often that judge agrees with people, on supported and on unsupported statements apart. On how many
# questions, with which interval. How many tokens of context each method had. And completeness: an answer that says less is
# more faithful.
# </details>
#
# <details><summary>2. Users complain about incomplete answers. Will hierarchical retrieval help?</summary>
#
# Perhaps. For 50 questions I'd label the key facts and count them in the context and in the answer. Facts that are not in
# the context: first more tokens, then a better ranking, and compare at equal tokens. Facts that are in the context and
# not in the answer: the prompt, the room for the answer, the model. And I'd look whether long lists are cut off. If the
# chunks are large today, smaller ones may help, and auto-merging as well; over small ones I'd expect no more facts from it.
# </details>
#
# <details><summary>3. How do you keep the system from answering what the documents do not say?</summary>
#
# With two doors. A threshold on a cosine, set on our own questions, keeps out what is far away. (A fused score won't do.)
# For missing texts and near misses the model must be allowed to say no, and each statement needs a quote that code
# finds. I'd test both with questions whose document I took out of the index, and report both errors: answered wrongly,
# and refused wrongly.
# </details>
#
# ## Further reading
#
# - The study note: *Hierarchical RAG: Parent-Child Chunks, Sentence Window, Auto-Merging*, 2026, in Chinese; the claim is
#   its section 3. The article on chunking: *RAG: Chunking 策略實戰*, 得物技術, in Chinese; its sample code packs
#   contexts of at most 3,000 tokens.
# - RAGAS, Es et al. 2023: [arXiv:2309.15217](https://arxiv.org/abs/2309.15217). ARES, Saad-Falcon et al. 2023:
#   [arXiv:2311.09476](https://arxiv.org/abs/2311.09476). MiniCheck, Tang et al. 2024:
#   [arXiv:2404.10774](https://arxiv.org/abs/2404.10774). How judges err, Zheng et al. 2023:
#   [arXiv:2306.05685](https://arxiv.org/abs/2306.05685).
# - When models refuse, and when they should: *Benchmarking Large Language Models in
#   Retrieval-Augmented Generation*, Chen et al. 2023 ([arXiv:2309.01431](https://arxiv.org/abs/2309.01431));
#   *Sufficient Context*, Joren et al. 2024 ([arXiv:2411.06037](https://arxiv.org/abs/2411.06037)).
# - Citations: ALCE, Gao et al. 2023 ([arXiv:2305.14627](https://arxiv.org/abs/2305.14627)); what "supported" should mean,
#   Rashkin et al. 2021 ([arXiv:2112.12870](https://arxiv.org/abs/2112.12870)).
# - Rogan and Gladen, *Estimating prevalence from the results of a screening test*, American Journal of Epidemiology 1978.
#   Cohen, *A coefficient of agreement for nominal scales*, [1960](https://doi.org/10.1177/001316446002000104).
#
# Back: [22 · Walking the outline](22_walking_the_outline.ipynb) · next: [24 · The grand comparison](24_the_grand_comparison.ipynb) ·
# [tour](00_tour.ipynb).
