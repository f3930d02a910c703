# %% [markdown]
# # 03 · Measuring retrieval
#
# **You will** mark the right answer in the text itself, count how much of it a retriever brings back, compare three
# retrievers fairly, and say how sure you are.
#
# **You learn** recall, precision and IoU on spans; hit rate, MRR and nDCG, and when they mislead; key facts; equal
# budgets; bootstrap intervals and paired tests; why fifty questions are few; what a test split is for.
#
# **You need** [lesson 01](01_spans_and_tokens.ipynb) (spans) and [lesson 02](02_embeddings_and_store.ipynb) (index and
# search). 20 minutes, medium. No network, no API key.
#
# The way through: [one question](#Looks-good-is-not-a-measure), [measures on spans](#Recall,-precision,-IoU-by-hand),
# [ranks](#Ranks), [key facts](#Key-facts), [equal budgets](#Equal-budgets), [how sure](#How-sure-are-we?),
# [too few questions](#How-fifty-questions-mislead), [dev and test](#Choose-on-some,-report-on-others),
# [exercises](#Exercises).

# %%
import random
import tempfile
import warnings
from collections import Counter
from itertools import product
from math import log2
from pathlib import Path

import numpy as np
from scipy.stats import permutation_test
from sklearn.metrics import ndcg_score, roc_auc_score

from hierrag_lessons import (
    DATA_DIR,
    MARKDOWN,
    Evidence,
    FixedSizeChunker,
    FlatRetriever,
    Index,
    ParentChildRetriever,
    Passage,
    PassageView,
    RecursiveChunker,
    Span,
    Table,
    TruncationWarning,
    bootstrap_interval,
    budget_curve,
    budget_curves,
    build_hierarchy,
    compare,
    count_tokens,
    cover,
    default_embedder,
    drawing,
    evaluate,
    load_questions,
    merge,
    metrics,
    overlap,
    pack,
    paired_difference,
    paired_test,
    read_python_reference,
    side_by_side,
    subtract,
)

# %% [markdown]
# ## Three retrievers to measure
#
# The text is the Python language reference that came with your own Python. Each document is cut into parents of at
# most 800 tokens, each parent into children of at most 200. Both levels are searchable, so one index serves three
# methods:
#
# - **flat 200** searches the children and returns children;
# - **flat 800** searches the parents and returns parents;
# - **parent-child** searches the children and returns their parents ([lesson 02](02_embeddings_and_store.ipynb) built
#   the index, lesson 14 takes this method apart).

# %%
documents = read_python_reference()
cut = [RecursiveChunker(800, separators=MARKDOWN), RecursiveChunker(200, separators=MARKDOWN)]
hierarchies = [build_hierarchy(document, cut) for document in documents]

folder = tempfile.TemporaryDirectory()
index = Index.create(Path(folder.name) / "python", default_embedder("en"))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always", TruncationWarning)
    index.add(hierarchies, levels=[1, 2])

for level, name in enumerate(["documents", "parents", "children"]):
    print(f"{index.count(level):4} {name}")
for warning in caught:
    print("\nwarning:", warning.message)

# %% [markdown]
# Keep the warning in mind: of a long parent the embedding model reads only the beginning. That is a handicap of
# flat 800, and a real one.

# %%
retrievers = {
    "flat 200": FlatRetriever(index, level=2),
    "flat 800": FlatRetriever(index, level=1),
    "parent-child": ParentChildRetriever(index, child_level=2, coverage=0.3),
}
questions = load_questions(DATA_DIR / "questions" / "python_reference.jsonl", documents, missing="drop")
dev = [question for question in questions if question.split == "dev"]
print(f"{len(questions)} questions, {len(dev)} of them dev; left out: {len(questions.dropped)}")

# %% [markdown]
# Every question belongs to a split. With **dev** we look, choose and tune. **Test** is opened once, for the final
# comparison in lesson 24, so every number below is from dev. [A later section](#Choose-on-some,-report-on-others) shows
# why.
#
# (A question is left out where your Python's reference words the evidence in another way.)
#
# ## Looks good is not a measure
#
# Here is a question, and two contexts of at most 300 tokens. Read both. Which one would you hand to the model?

# %%
question = next(question for question in dev if question.id == "py-029")
contexts = {
    name: pack(retrievers[name].retrieve(question.question, k=5), budget=300) for name in ("flat 200", "flat 800")
}
print(question.question)
side_by_side(contexts)

# %% [markdown]
# Both are about the subject. Both use the question's words. Both *look good*, and the scores of flat 200 are higher.
# But a score only orders the passages of one method. To judge, one has to know where the answer stands.
#
# So a person who knows the text has marked it. The marks are spans of the document, called **gold evidence** (or
# simply gold): the parts that a good answer rests on.

# %%
print("answer:", question.answer)
for piece in question.evidence:
    print(f"gold:   {piece.doc_id}:{piece.start}-{piece.end}")
side_by_side(contexts, gold=question.evidence)

# %% [markdown]
# Now the two differ, and by a number that does not depend on the reader's mood: flat 800 holds more of the gold. Underlined text in ⟦brackets⟧ is gold.
# "recall" in the caption is the share of the gold that a context holds.
#
# Gold is a property of the question and the text. It knows nothing of chunks. So one set of marks serves every
# chunker and every retriever of this course.
#
# ## The obvious test, and where it breaks
#
# Many projects check whether the gold *text* stands in a retrieved chunk, with `in`. It takes one line.


# %%
texts = {document.doc_id: document.text for document in documents}


def found_as_text(passages, evidence):
    """Is each piece of gold contained in some passage? As it is often written."""
    pieces = [texts[piece.doc_id][piece.start : piece.end] for piece in evidence]
    return all(any(piece in passage.text for passage in passages) for piece in pieces)


# %% [markdown]
# Give it the easiest task there is. Hand over **every chunk** of the document: nothing can be missing.

# %%
answerable = [question for question in dev if question.answerable]
pieces = [piece for question in answerable for piece in question.evidence]
chunkers = {f"recursive {size}": RecursiveChunker(size, separators=MARKDOWN) for size in (800, 200, 100)}
chunkers |= {f"fixed {size}": FixedSizeChunker(size) for size in (800, 200, 100)}
lines = []
for name, chunker in chunkers.items():
    chunks = {document.doc_id: chunker.chunk(document) for document in documents}
    by_text = np.mean([found_as_text(chunks[piece.doc_id], [piece]) for piece in pieces])
    by_span = np.mean([metrics.recall(chunks[piece.doc_id], [piece]) for piece in pieces])
    lines.append((name, float(by_text), float(by_span)))
Table(("all chunks of", "found as text", "gold characters"), tuple(lines), f"{len(pieces)} pieces of gold")

# %% [markdown]
# In every line all of the gold is there, but for a space or a line break at a border. With fixed 100 the test still
# misses about a third of the pieces. The first of them:

# %%
cut_through = next(piece for piece in pieces if not found_as_text(chunks[piece.doc_id], [piece]))
shown = [c for c in chunks[cut_through.doc_id] if metrics.recall([c], [cut_through])]
PassageView([Passage(c.doc_id, c.start, c.end, c.text) for c in shown], [cut_through])

# %% [markdown]
# A border runs through the gold. Every word of it was handed over, and the test says "not found". Smaller chunks have more
# borders, so the test punishes small chunks for being small. Counting characters does not.
#
# ## Recall, precision, IoU by hand
#
# A text of one line. *When do the shops close?* Two retrieved passages, and they overlap.

# %%
line = "Shops open at nine. They close at six, on Sundays at two."


def span_of(words):
    return Span(line.index(words), line.index(words) + len(words))


gold = [span_of("close at six"), span_of("on Sundays at two")]
returned = [span_of("open at nine. They close"), span_of("They close at six,")]
rows = {"gold": gold, "passage 1": returned[:1], "passage 2": returned[1:]}
for name, spans in rows.items():
    print(f"{name:9}", *(tuple(span) for span in spans))

# %% tags=["hide-input"]
with drawing(2.2) as (figure, [axes]):
    for y, (spans, colour) in enumerate(zip(rows.values(), ["#E69F00", "#56B4E9", "#56B4E9"], strict=True)):
        axes.broken_barh([(a, b - a) for a, b in spans], (y - 0.35, 0.7), facecolors=colour, edgecolors="#222222")
        if y:  # what both passages return
            axes.broken_barh([(20, 10)], (y - 0.35, 0.7), facecolors="none", edgecolors="#222222", hatch="///")
    for x, character in enumerate(line):
        axes.text(x + 0.5, 3, character, ha="center", va="center", family="DejaVu Sans Mono")
    axes.set(xlim=(0, len(line)), ylim=(3.5, -0.6), xlabel="character (hatched: returned twice)")
    axes.set_yticks([0, 1, 2, 3], [*rows, "text "])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.alt = (
        "The sentence 'Shops open at nine. They close at six, on Sundays at two.' letter by letter, with bars "
        "above it. Gold: 'close at six' and 'on Sundays at two'. Passage 1: 'open at nine. They close'. Passage "
        "2: 'They close at six,'. The ten characters that the passages share, 'They close', are hatched. Both "
        "passages touch only the first piece of gold."
    )
figure

# %% [markdown]
# Three questions, three measures:
#
# | measure | asks | here |
# |---|---|---|
# | **recall** | how much of the gold did we get? | gold found ÷ gold |
# | **precision** | how much of what we got is gold? | gold found ÷ characters returned |
# | **IoU** (intersection over union) | both at once | gold found ÷ (returned + gold missed) |
#
# A gold character is *found* once, however often it comes back. A returned character counts each time it is returned,
# because it stands in the prompt each time. The passages above share ten characters, so they return more than they
# cover.

# %%
wanted = {x for start, end in gold for x in range(start, end)}
paid = [x for start, end in returned for x in range(start, end)]
found = wanted & set(paid)

print(f"gold {len(wanted)}, returned {len(paid)} (different ones: {len(set(paid))}), found {len(found)}")
print(f"recall    {len(found)}/{len(wanted)} = {len(found) / len(wanted):.3f}")
print(f"precision {len(found)}/{len(paid)} = {len(found) / len(paid):.3f}")
union = len(paid) + len(wanted - found)
print(f"IoU       {len(found)}/{union} = {len(found) / union:.3f}")

# %% [markdown]
# No one needs sets of characters for this. Lesson 01's operations on spans give the same counts from the ends alone:

# %%
missing = [part for piece in gold for part in subtract(piece, returned)]
print("returned, each character once:", [tuple(span) for span in merge(returned)])
print("gold that is missing:         ", [tuple(span) for span in missing])
print("found:", cover(gold) - cover(missing))

# %% [markdown]
# These are the definitions of Chroma's chunking report (2024). Now the same for any number of documents, slowly and
# obviously: write down every character.


# %%
def by_character(passages, evidence):
    """Recall, precision and IoU from sets of (document, position)."""
    paid = [(p.doc_id, x) for p in passages for x in range(p.start, p.end)]
    wanted = {(e.doc_id, x) for e in evidence for x in range(e.start, e.end)}
    found = len(wanted & set(paid))
    return found / len(wanted), found / len(paid) if paid else 0.0, found / (len(paid) + len(wanted) - found)


def by_package(passages, evidence):
    return tuple(measure(passages, evidence) for measure in (metrics.recall, metrics.precision, metrics.iou))


# %% [markdown]
# The package works with the ends of the spans and never looks at single characters. Does it agree? First on random
# spans in three documents, overlapping each other in every way, then on what our retrievers really returned.

# %%
rng = random.Random(3)


def random_spans(least):
    starts = [(rng.choice("abc"), rng.randrange(40)) for _ in range(rng.randrange(least, 6))]
    return [Evidence(doc_id, start, start + rng.randrange(1, 20)) for doc_id, start in starts]


asked = [question.question for question in answerable]
top = {name: retriever.retrieve_batch(asked, k=10) for name, retriever in retrievers.items()}
cases = [(random_spans(0), random_spans(1)) for _ in range(2000)]
real = [(p, q.evidence) for passages in top.values() for p, q in zip(passages, answerable, strict=True)]
for name, pairs in {"random": cases, "real": real}.items():
    worst = max(abs(a - b) for pair in pairs for a, b in zip(by_character(*pair), by_package(*pair), strict=True))
    assert worst < 1e-12
    print(f"{name}: {len(pairs)} cases, the two versions agree")

# %% [markdown]
# ## Ranks
#
# Recall does not care about order. A reader does, and so does a budget that cuts the list. Rank measures reward gold
# that comes early. Suppose that four passages bring 0, 12, 0 and 17 new gold characters:
#
# - **hit rate**: is there any gold at all? Yes: 1. The mean over questions is the rate.
# - **MRR**, mean reciprocal rank: 1 ÷ the rank of the first passage with gold: 1/2.
# - **nDCG**, normalised discounted cumulative gain: the gold of each passage, divided by log₂(rank + 1), summed, and
#   divided by the same sum for the best possible order.

# %%
gains = [0, 12, 0, 17]
dcg = sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, start=1))
ideal = sum(gain / log2(rank + 1) for rank, gain in enumerate(sorted(gains, reverse=True), start=1))
print(f"DCG   12/log2(3) + 17/log2(5) = {dcg:.3f}")
print(f"ideal 17/log2(2) + 12/log2(3) = {ideal:.3f}")
print(f"nDCG  {dcg / ideal:.3f}")
print(f"sklearn.metrics.ndcg_score: {ndcg_score([gains], [[4, 3, 2, 1]]):.3f}")


# %% [markdown]
# scikit-learn takes the relevances and the scores that order them, and agrees. The package works from spans. Build
# passages with just these gains, and a second case in which the long piece of gold was never returned:


# %%
def passage(start, end):
    return Passage("line", start, end, "-" * (end - start))


short, long = Evidence("line", 0, 12), Evidence("line", 100, 117)
ranking = [passage(50, 70), passage(0, 20), passage(70, 90), passage(100, 120)]
for name, passages in {"all found": ranking, "long piece missed": ranking[:3]}.items():
    gains = [sum(overlap(p.span, e.span) for e in (short, long)) for p in passages]
    theirs = ndcg_score([gains], [range(len(gains), 0, -1)])
    ours = metrics.ndcg(passages, [short, long])
    rank = metrics.reciprocal_rank(passages, [short, long])
    print(f"{name:18} gains {gains}: reciprocal rank {rank}, nDCG {ours:.3f}, scikit-learn {theirs:.3f}")

# %% [markdown]
# The second line is a difference worth knowing. scikit-learn sees only the list that it is given: the best order of
# *what was returned*. Gold that was missed does not exist for it. Our ideal list also holds what was missed, so a
# retriever can't gain by returning less.
#
# The first line is compared again on every real ranking in which all of the gold was found.

# %%
complete = [(p, e) for p, e in real if metrics.recall(p, e) == 1]
for passages, evidence in complete:  # these chunks do not overlap, so every gain is new
    gains = [sum(overlap(p.span, e.span) for e in evidence if e.doc_id == p.doc_id) for p in passages]
    assert abs(ndcg_score([gains], [range(len(gains), 0, -1)]) - metrics.ndcg(passages, evidence)) < 1e-9
print(f"{len(complete)} of {len(real)} rankings found everything; on these scikit-learn and the package agree")

# %% [markdown]
# ### When rank measures mislead
#
# Here is a way to improve all three at once without finding anything better: return larger passages. Take the five
# best children, and hand over the *whole document* around each.


# %%
def whole_documents(passages):
    ids = dict.fromkeys(passage.doc_id for passage in passages)
    return [Passage(doc_id, 0, len(index.text(doc_id)), index.text(doc_id)) for doc_id in ids]


def means(lists):
    """Mean of each measure over the dev questions, context tokens first."""
    measures = (metrics.hit_rate, metrics.reciprocal_rank, metrics.ndcg, metrics.recall, metrics.precision)
    tokens = np.mean([sum(count_tokens(p.text) for p in passages) for passages in lists])
    pairs = list(zip(lists, [question.evidence for question in answerable], strict=True))
    return (float(tokens), *(float(np.mean([measure(p, e) for p, e in pairs])) for measure in measures))


columns = ("context_tokens", "hit rate", "MRR", "nDCG", "recall", "precision")
top_five = [passages[:5] for passages in top["flat 200"]]
lines = {"5 children": top_five, "their documents": [whole_documents(passages) for passages in top_five]}
Table(("returned", *columns), tuple((name, *means(lists)) for name, lists in lines.items()))

# %% [markdown]
# Every measure but precision went up. Look at the first column for the reason, and at the last one for the price.
# Rank measures count passages, and one passage can be a book. **Compare ranks only between methods whose passages have
# a similar size.** Between others, fix the number of tokens instead. That is the section after the next.
#
# ## Key facts
#
# Spans say whether the evidence is there. Another view asks for the *facts*: short strings that a complete answer
# must have. **Completeness** is the share of a question's key facts that occur in the context (or, in lesson 23, in
# the answer). It works for text that has no offsets, and it counts a fact that stands elsewhere, too.

# %%
print(metrics.completeness("The fee is 14.2% after 30 days.", ["4.2%", "30 day"]), "(4.2% is not 14.2%)")
print(
    metrics.completeness("The fee is ４.２％ after 30\ndays.", ["4.2%", "30 day"]), "(full-width digits, a line break)"
)

# %% [markdown]
# Its weakness is chance: a short fact such as `None` stands in half of a manual. Measure that chance before you trust
# the number. As a control, give each question the context of *another* question.

# %%
with_facts = [i for i, question in enumerate(answerable) if question.key_facts]
packed = ["\n\n".join(p.text for p in pack(passages, 1000)) for passages in top["flat 200"]]
own = [metrics.completeness(packed[i], answerable[i].key_facts) for i in with_facts]
other = [metrics.completeness(packed[i - 1], answerable[i].key_facts) for i in with_facts]
print(f"{len(with_facts)} questions with key facts")
print(f"completeness of the question's own context: {np.mean(own):.3f}")
print(f"of another question's context (control):    {np.mean(other):.3f}")

# %% [markdown]
# What a wrong context reaches by luck is no merit of any retriever. Here it is little: these facts are well chosen. With
# facts such as `None` it would not be.
#
# ## Equal budgets
#
# Now the comparison that one usually sees: the top 5 of each method.

# %%
Table(
    ("top 5 of", *columns),
    tuple((name, *means([passages[:5] for passages in lists])) for name, lists in top.items()),
)

# %% [markdown]
# A clear result, it seems: parent-child finds nearly twice as much as flat 200. But look at the first column. It was also
# handed two and a half times the tokens, and flat 800 more than three times. A longer context holds more of
# everything, gold included.
#
# Published tables are made like this, too. One that the course comes back to (source: "Hierarchical RAG study note,
# 2026") gives flat retrieval of 200-token chunks a recall@5 of 0.872 at 1,000 context tokens on average, and has
# its other methods, in the same column, at 1,800 to 4,000. Whatever the difference between two of its lines is, it is
# also a difference in length.
#
# The repair: give every method the **same number of tokens**. Each keeps its ranking. `pack` takes passages in that
# order, leaves out what an earlier one already covered, and cuts where the budget ends. `evaluate` does so for all
# questions and budgets, and asks the retriever for more until the budget is full.

# %%
BUDGETS = (250, 500, 1000, 2000, 4000)
results = {name: evaluate(retriever, dev, BUDGETS) for name, retriever in retrievers.items()}
compare(results, "recall", 1000)

# %% [markdown]
# The lead is gone. At 1,000 tokens each, parent-child and flat 200 find about the same share of the gold. And the order
# has changed: flat 800 was ahead of flat 200 above, and is the last here. Nothing about the retrievers is different;
# only the comparison is. (The columns on the right belong to a later section.)
#
# One budget is one point. Here are five.

# %%
curve = budget_curve(results)
figure = budget_curves(curve, scale="log")
print(figure.numbers)
figure

# %% [markdown]
# With little room the small passages win: a parent of up to 800 tokens hardly fits into 250. With more room the two
# come together, and at 4,000 tokens parent-child is a little ahead, inside wide bands. So "which one is better?" has no answer
# before someone says how many tokens there are.
#
# Means hide the single case. Where does the hierarchical method lose?

# %%
at_1000 = {name: result.scores("recall", 1000) for name, result in results.items()}
gap = {q.id: at_1000["flat 200"][q.id] - at_1000["parent-child"][q.id] for q in answerable}
flat_wins, flat_loses = sum(x > 0 for x in gap.values()), sum(x < 0 for x in gap.values())
print(f"at 1,000 tokens flat 200 is better on {flat_wins} questions and worse on {flat_loses} of {len(gap)}")
worst = max(answerable, key=lambda q: gap[q.id])
print(f"\n{worst.question}")
for name in ("flat 200", "parent-child"):
    (row,) = [r for r in results[name].rows if r.question.id == worst.id and r.budget == 1000]
    gold_ranks = [i + 1 for i, p in enumerate(row.passages) if metrics.recall([p], worst.evidence)]
    print(f"{name:12} recall {row.metrics['recall']:.3f}, {len(row.passages)} passages, gold in {gold_ranks}")

# %% [markdown]
# Equal means, different questions: most are won by one side or the other. In this one the answer is one small passage
# in seventh place. Flat 200 gets that far within the budget. Parent-child has filled it with three passages by then.
#
# ## How sure are we?
#
# A mean over questions is an estimate: other questions would have given another mean. The **bootstrap** asks how
# much it moves. Draw as many questions as there are, with replacement; take the mean; repeat. Three lines.

# %%
values = np.array(list(at_1000["flat 200"].values()))
draws = np.random.default_rng(0).integers(0, len(values), (10_000, len(values)))
low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
print(f"by hand:  recall {values.mean():.3f}, 95% interval {low:.3f} to {high:.3f}")
print("package: ", *(f"{end:.3f}" for end in bootstrap_interval(values)))

# %% [markdown]
# The interval is wide. Two methods whose intervals overlap may still differ reliably, because both meet the *same*
# questions: an easy one is easy for both. So look at each question's **difference**.
#
# If the methods were equally good, each difference could as well have had the other sign. Flip signs at random many
# times. How often is the mean at least as far from zero as the real one? That share is the **p-value** of Fisher's
# paired randomisation test.

# %%
a = np.array(list(at_1000["parent-child"].values()))
differences = a - values
signs = np.random.default_rng(0).choice([-1, 1], (10_000, len(differences)))
flipped = (signs * differences).mean(axis=1)
by_hand = np.mean(np.abs(flipped) >= abs(differences.mean()) - 1e-12)
scipys = permutation_test(
    (a, values), lambda x, y, axis: (x - y).mean(axis), permutation_type="samples", n_resamples=10_000, rng=0
)
print(f"mean difference {differences.mean():+.3f}, interval", *(f"{x:+.3f}" for x in paired_difference(a, values)))
print(f"p by hand {by_hand:.2f}, package {paired_test(a, values):.2f}, scipy {scipys.pvalue:.2f}")

# %% [markdown]
# Three random samples of sign patterns, three p-values that are nearly the same, and all large: a difference like this
# one is what chance alone gives most of the time.
#
# With few questions all patterns can
# be listed, and the p-value is exact; then package and SciPy must agree completely.

# %%
for name in ("flat 800", "parent-child"):
    differing = [(x, y) for x, y in zip(at_1000[name].values(), values, strict=True) if x != y][:10]
    x, y = np.array(differing).T
    exact = permutation_test((x, y), lambda x, y, axis: (x - y).mean(axis), permutation_type="samples")
    assert abs(exact.pvalue - paired_test(x, y)) < 1e-9
    print(f"{name}, {len(x)} questions: exact p {paired_test(x, y):.4f}, scipy {exact.pvalue:.4f}")

# %% [markdown]
# The function `compare` above did both for you: "difference low" and "difference high" are the interval of the paired
# difference, "p" is this test. Go back to its table and read these columns. Many call a difference real when p is below
# 0.05. That of parent-child is nowhere near.
#
# ## How fifty questions mislead
#
# The note quoted above compares its methods on 50 questions, and the recalls of two of them differ by 0.008. How far
# does one get with 50?
#
# Pretend that the dev questions are the whole world: their means are the truth. Draw question sets of several sizes
# from it, with replacement, and count how often the method that is *really worse* has the higher mean in the set.
# Three comparisons with flat 200: one with a large difference, one with a small one, one with next to none.

# %%
rng = np.random.default_rng(0)
sizes = [10, 20, 50, 100, 200, 400]
lines = []
for name, budget in [("flat 800", 1000), ("parent-child", 4000), ("parent-child", 1000)]:
    scores, base = results[name].scores("recall", budget), results["flat 200"].scores("recall", budget)
    difference = np.array([scores[key] - base[key] for key in base])
    sampled = [rng.choice(difference, (4000, n)).mean(axis=1) for n in sizes]
    wrong = [float(np.mean(means * difference.mean() <= 0)) for means in sampled]
    lines.append((f"{name}, {budget} tokens", float(difference.mean()), *wrong))
flips = Table(("against flat 200", "difference", *map(str, sizes)), tuple(lines), "share of sets that rank wrongly")
flips

# %%
with drawing(3.4, width=8.0) as (figure, [axes]):
    for (name, difference, *wrong), marker in zip(flips.rows, "os^", strict=True):
        axes.plot(sizes, wrong, marker=marker, label=f"{name}: {difference:+.3f}")
    axes.axhline(0.5, color="#666666", linestyle="--", linewidth=1)
    axes.text(sizes[-1], 0.51, "a coin", ha="right", va="bottom")
    axes.set(xscale="log", ylim=(-0.02, 0.6), xlabel="questions in the set", ylabel="share ranked wrongly")
    axes.set_xticks(sizes, sizes)
    axes.set_xticks([], minor=True)
    axes.grid(visible=True)
    figure.legend(loc="outside right center")
    figure.alt = (
        "Share of question sets that rank two methods wrongly, over the number of questions in the set. flat 800 "
        "at 1000 tokens starts low and reaches zero; parent-child at 4000 tokens starts higher and falls more "
        "slowly; parent-child at 1000 tokens stays near to the dashed line of a coin at 0.5."
    )
figure

# %% [markdown]
# With 50 questions the large difference is ranked rightly nearly always. The small ones are not: about every eighth set
# gets the second comparison wrong, and nearly every second set the third. Whoever runs one set of 50 sees one of these
# sets and can't tell which. To settle such differences takes hundreds of questions, or the honest sentence "we could not
# tell them apart".
#
# ## Choose on some, report on others
#
# Parent-child has settings. Try nine of them, and the best of nine looks better than it is: part of its lead is luck
# with these questions. So the number to report has to come from questions that had no say in the choice.
#
# That is what the test split is for, and because it can be opened only once, it stays closed here. Dev alone is enough
# to see the effect. Shuffle its questions, choose the best of nine settings on one half, and look at what becomes of
# the winner on the other half. One shuffle is an anecdote, so do it two thousand times.

# %%
settings = list(product((10, 30, 60), (0.0, 0.3, 1.0)))
tried = {
    (n, c): evaluate(ParentChildRetriever(index, 2, children=n, coverage=c), dev, [1000]).scores("recall")
    for n, c in settings
}
table = np.array([list(scores.values()) for scores in tried.values()])  # settings × questions
for mean, (children, coverage) in sorted(zip(table.mean(axis=1).tolist(), settings, strict=True), reverse=True):
    print(f"{mean:.3f}  children={children}, coverage={coverage}")

# %%
rng, winners, on_choice, on_others = np.random.default_rng(0), Counter(), [], []
for _ in range(2000):
    shuffled = rng.permutation(table.shape[1])
    half, others = np.array_split(shuffled, 2)
    winner = int(table[:, half].mean(axis=1).round(9).argmax())
    winners[winner] += 1
    on_choice.append(table[winner, half].mean())
    on_others.append(table[winner, others].mean())
print(f"recall of the winner on the half that chose it: {np.mean(on_choice):.3f}")
print(f"recall of the same setting on the other half:   {np.mean(on_others):.3f}")
for winner, times in winners.most_common(3):
    children, coverage = settings[winner]
    print(f"children={children}, coverage={coverage} won {times / 2000:.0%} of the shuffles")

# %% [markdown]
# The winner falls back by several points on questions that did not choose it, although its setting is the same and the
# halves are alike. That gap is what a table shows too much when methods are tuned on the questions that they are
# reported on. And there is no clear winner: the winner of one half loses the next shuffle about half of the time.
#
# All of these means lie inside the interval of flat 200 above. What the first table of this comparison showed as a near
# doubling was length.
#
# This is one text, one embedding model and two chunk sizes. Lesson 14 looks for the settings and the questions where
# parents do help.
#
# ## Questions without an answer
#
# Some questions have no answer in the text. There is no gold, so recall is 0 ÷ 0. Calling it 1 rewards every method,
# calling it 0 punishes every method, and both only shift the mean. So `evaluate` leaves them out of every mean. What
# a retriever *can* be asked is whether its best score is lower for them, so that the system could decline to answer.

# %%
hits = retrievers["flat 200"].retrieve_batch([question.question for question in dev], k=1)
best = np.array([passages[0].score for passages in hits])
has_answer = np.array([question.answerable for question in dev])
print(f"{has_answer.sum()} with an answer, median best score {np.median(best[has_answer]):.3f}")
print(f"{(~has_answer).sum()} without,        median best score {np.median(best[~has_answer]):.3f}")
print(f"a question with an answer has the higher score in {roc_auc_score(has_answer, best):.0%} of all pairs")

# %% [markdown]
# The scores are lower, but not by a clean margin, so a fixed threshold would also turn away good questions. And four
# questions are far too few to choose a threshold from. Lesson 20 comes back to this.
#
# ## By question type
#
# One mean over all questions hides what kind of question a method is good at. `Result.table` breaks it down, and says
# how many questions stand behind each line.

# %%
rows = []
for name, result in results.items():
    table = result.table(["recall", "precision", "completeness"])
    rows += [(name, *row[1:]) for row in table.rows if row[0] == 1000]
Table(("method", *table.columns[1:]), tuple(rows), "dev, at 1000 tokens")

# %% [markdown]
# Parent-child and flat 200 look alike on every type. The study note quoted above sees a pattern for its best hierarchical
# method: little to gain on single facts, much on long processes. A tempting contradiction to write about. Count the
# questions first.

# %%
compare(results, "recall", 1000, type="process")

# %% [markdown]
# Seven questions. For parent-child the interval of the difference goes from a fair loss to a fair gain. A breakdown by
# type is there to suggest the next measurement, not to close the case.
#
# ## What to turn first
#
# | what | start with | what it costs |
# |---|---|---|
# | budget | the context that your model is really given, and two or three budgets around it | each budget is only packing, retrieval is shared |
# | questions | 50 for large effects, hundreds for small ones | a person's time, for each |
# | gold | the shortest span that carries the answer | long gold makes precision look good |
# | main measure | recall at a budget; completeness beside it | rank measures only among equal passage sizes |
# | resamples | 10,000 | next to nothing |
# | split | choose on dev, open test once | half of the questions |
#
# ## Exercises
#
# `hint("03.1")` gives a hint, `solution("03.1")` shows a solution.
#
# ### Exercise 03.1 · Precision of overlapping passages
#
# ★☆☆ · 5 minutes. All spans are of one document. Passages may overlap each other, and so may gold spans. Return the
# precision: gold characters found (each once), divided by all characters returned (as often as they are returned).
# Where nothing is returned it is 0.0. Use `merge` and `overlap`, not sets of characters.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, solution


def precision(returned: list[Span], gold: list[Span]) -> float:
    """Gold characters found, divided by all characters returned; a repeated character is returned twice."""
    return ...


check("03.1", precision)

# %% tags=["solution"]
from hierrag_lessons import Span, check, merge, overlap

# solution: 03.1


check("03.1", precision)

# %% [markdown]
# ### Exercise 03.2 · nDCG at k
#
# ★★☆ · 10 minutes. `gains` are the new gold characters of each passage, in the order of the ranking. `missed` are the
# sizes of the gold pieces that no passage shows; at least one number of the two lists is above 0. Return the nDCG of
# the first `k` passages. The ideal list is the best order of everything, found and missed, and also ends after `k`.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def ndcg_at(gains: list[int], missed: list[int], k: int) -> float:
    """Discounted gain of the first ``k`` passages, divided by that of the best order of everything there is."""
    return ...


check("03.2", ndcg_at)

# %% tags=["solution"]
from math import log2

from hierrag_lessons import check

# solution: 03.2


check("03.2", ndcg_at)

# %% [markdown]
# ### Exercise 03.3 · An exact paired test
#
# ★★☆ · 10 minutes. `a[i]` and `b[i]` are two methods' scores on question `i`. List all patterns of signs
# (`itertools.product`) and return the exact two-sided p-value: the share of patterns whose sum of signed differences
# is at least as far from 0 as the observed sum. The scores are such that equal sums are exactly equal.


# %% tags=["exercise"]
from hierrag_lessons import check, hint, solution


def sign_flip_p(a: list[float], b: list[float]) -> float:
    """Exact two-sided p-value: share of the sign patterns that give a sum as far from 0 as the observed one."""
    return ...


check("03.3", sign_flip_p)

# %% tags=["solution"]
from itertools import product

from hierrag_lessons import check

# solution: 03.3


check("03.3", sign_flip_p)

# %% [markdown]
# ### Exercise 03.4 · Find the bugs: recall at a budget
#
# ★★★ · 15 minutes. This is meant to read the first `budget` *characters* of a ranking, leave out what was already
# read (it costs nothing), cut the last passage where the budget ends, and return the share of the gold seen. Code like
# this is easily written and looks right. It favours large passages, and can return more than 1. Repair both. All
# spans are of one document; `subtract` and `cover` are useful.


# %% tags=["exercise"]
from hierrag_lessons import Span, check, hint, overlap, solution


def recall_at_budget(ranked: list[Span], gold: list[Span], budget: int) -> float:
    """Share of the gold in the first ``budget`` characters of the ranked passages."""
    found, used = 0, 0
    for passage in ranked:
        if used >= budget:
            break
        used += passage.end - passage.start
        found += sum(overlap(passage, wanted) for wanted in gold)
    return found / sum(wanted.end - wanted.start for wanted in gold)


check("03.4", recall_at_budget)

# %% tags=["solution"]
from hierrag_lessons import Span, check, cover, merge, overlap, subtract

# solution: 03.4


check("03.4", recall_at_budget)

# %%
folder.cleanup()

# %% [markdown]
# ## Takeaways
#
# 1. Mark the gold as spans once; then every chunker and every retriever is measured by the same marks.
# 2. Recall: how much of the gold. Precision: how much of the context is gold, repeats paid twice. IoU: both.
# 3. Rank measures count passages, and passages differ in size. Compare methods at equal tokens, at several budgets.
# 4. No mean without an interval, no "better" without a paired test on the same questions.
# 5. Report on questions that had no say in the choice, look at types, and name a case where your favourite loses.
#
# ## Interview questions
#
# <details><summary>A colleague shows that parent-child has a recall@5 of 0.90, flat retrieval 0.70. What do you ask
# first?</summary>
#
# How many tokens each of them puts into the prompt. Five parents are several times as long as five children. Ask for
# recall at the same number of context tokens, at two or three budgets, with an interval of the difference on the same
# questions. Then ask whether the settings were chosen on these very questions.
# </details>
#
# <details><summary>Why mark evidence as spans instead of listing the ids of the relevant chunks?</summary>
#
# Chunk ids change with every chunker and every parameter, so the labels would have to be made again, and two chunkers
# could not be compared. A chunk label is also all or nothing: half an answer counts as a whole one, and a large chunk
# with one relevant line as much as a small one that is all answer. Spans survive, and count by character.
# </details>
#
# <details><summary>The 95% intervals of two methods overlap. Is the difference just noise?</summary>
#
# Not necessarily. Each interval includes how much questions differ in difficulty, and both methods share that. Take
# the difference for each question and look at the interval of its mean, or do a paired randomisation test. The
# reverse mistake is common, too: among twenty settings one is expected below p = 0.05 by chance, so confirm the
# chosen one on questions that were not used for the choice.
# </details>
#
# ## Further reading
#
# - Smith and Troynikov, *Evaluating Chunking Strategies for Retrieval*, Chroma, 2024:
#   [research.trychroma.com/evaluating-chunking](https://research.trychroma.com/evaluating-chunking)
# - Järvelin and Kekäläinen, *Cumulated gain-based evaluation of IR techniques*, 2002:
#   [doi.org/10.1145/582415.582418](https://doi.org/10.1145/582415.582418)
# - Smucker, Allan and Carterette, *A comparison of statistical significance tests for information retrieval
#   evaluation*, 2007: [doi.org/10.1145/1321440.1321528](https://doi.org/10.1145/1321440.1321528)
# - [scipy.stats.permutation_test](https://docs.scipy.org/doc/scipy/reference/generated/scipy.stats.permutation_test.html)
#   and [sklearn.metrics.ndcg_score](https://scikit-learn.org/stable/modules/generated/sklearn.metrics.ndcg_score.html)
#
# Next: lesson 04, fixed-size chunks. Back: [lesson 02](02_embeddings_and_store.ipynb) · [tour](00_tour.ipynb).
