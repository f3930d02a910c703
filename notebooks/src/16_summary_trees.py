# %% [markdown]
# # 16 · Summary trees
#
# **You will** cluster the chunks of a document by meaning, sum up each cluster, cluster the summaries, and so on up to one
# root; search that tree in two ways; and see which of its promises hold at equal context budgets.
#
# **You learn** soft clusters with Gaussian mixtures, and how BIC chooses their number; why published code for such trees
# fails on short documents and never ends on others; how summaries are made without a model (LexRank), and by one; how a
# summary, which stands nowhere in the document, leads back to the document's own text.
#
# **You need** [lesson 03](03_measuring_retrieval.ipynb) (equal budgets, intervals),
# [lesson 12](12_hybrid.ipynb#Propositions) (derived text and its sources) and [lesson 15](15_auto_merging.ipynb).
# 20 minutes, hard (★★★), three exercises. No network, no API key.
#
# The way through: [five pieces](#Five-pieces), [the idea](#The-idea), [as published](#As-published), [clusters that
# hold](#Clusters-that-hold), [summaries without a model](#Summaries-without-a-model), [the tree](#The-tree), [from a summary
# to the text](#From-a-summary-to-the-text), [measured](#Measured), [what a change costs](#What-a-change-costs),
# [parameters](#Parameters), [exercises](#Exercises).

# %%
import warnings
from contextlib import ExitStack

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from hierrag_lessons import (
    AutoMergingRetriever,
    CachedSummariser,
    Document,
    ExtractiveSummariser,
    FlatRetriever,
    ParentChildRetriever,
    Passage,
    SoftClustering,
    Span,
    StructureChunker,
    SummaryTreeRetriever,
    Table,
    TreeView,
    TruncationWarning,
    budget_curve,
    budget_curves,
    build_summary_tree,
    compare,
    count_tokens,
    course_hierarchy,
    course_set,
    default_embedder,
    drawing,
    largest_changes,
    lexrank,
    merge,
    overlap,
    pack,
    recall,
    resolve,
    score_retrievers,
    sort_key,
    split_sentences,
    temporary_index,
    words,
)

# %% [markdown]
# The texts and leaves are those of the last lessons: sections of at most 2,000 tokens, parts of 600, leaves of 200.

# %%
one_thread = threadpool_limits(1)  # How many threads add up a sum changes its last digits.

documents, questions = {}, {}
for language in ("en", "zh"):
    documents[language], questions[language] = course_set(language)
sections = {language: [course_hierarchy(document) for document in own] for language, own in documents.items()}

stack = ExitStack()
flat_index = {language: stack.enter_context(temporary_index(own)) for language, own in sections.items()}
print({language: index.count(3) for language, index in flat_index.items()}, "leaves")

# %% [markdown]
# ## Five pieces
#
# A question about the gateway's *safe state* in the Chinese handbook: what it can still do, what causes it, how it ends, and
# whether two firmware versions agree. Auto-merging ([lesson 15](15_auto_merging.ipynb)), packed into 1,000 tokens:

# %%
by_name = {document.doc_id: document for own in documents.values() for document in own}
question = next(q for q in questions["zh"] if q.id == "zh-tech-017")
print(question.question)


def where_found(retriever, budget=1000):
    """For each piece of evidence: where it stands in its document, and how much of it is in the packed context."""
    packed = pack(retriever.retrieve(question.question, k=40), budget)
    for evidence in sorted(question.evidence, key=lambda e: e.start):
        gold = Span(evidence.start, evidence.end)
        found = sum(overlap(gold, p.span) for p in packed if p.doc_id == evidence.doc_id)
        place = evidence.start / len(by_name[evidence.doc_id].text)
        print(f"  {place:4.0%} into {evidence.doc_id}: {found / (gold.end - gold.start):4.0%} found")


where_found(AutoMergingRetriever(flat_index["zh"], threshold=0.6))

# %% [markdown]
# One piece of five was found. Auto-merging, parents and windows all bring *neighbours* of what was found. But what is said
# about the safe state stands in three chapters (three of the pieces close together), and no section of the book is
# "everything about the safe state".
#
# ## The idea
#
# ![Eleven chunks in document order belong to three clusters that are scattered over the document. Each cluster has a summary
# above it; one chunk belongs to two of them. The three summaries have one summary above them, the root.](images/16_tree.svg)
#
# **RAPTOR** (Sarthi et al., 2024) builds another tree. Its nodes are not sections, they are **clusters**: chunks about the same
# thing, wherever they stand. Each cluster is summed up. The summaries are embedded and clustered in turn, up to a single
# root. A question about a detail finds a chunk; a question about the whole finds a summary, whose chunks come from all over
# the document.
#
# Three things are new to us. Clusters are **soft**: a chunk about alarms *and* clocks may belong to both. A summary is
# **derived** text, like a proposition in [lesson 12](12_hybrid.ipynb#Propositions): it needs sources. And the depth differs from
# document to document.
#
# ## As published
#
# A **mixture of Gaussians** takes points for samples of a few round or oval clouds. Fitting one finds where the clouds lie
# and how they are shaped, and so how likely each point came from each of them: a soft clustering.
#
# Implementations of this idea circulate with clustering like the following. Vectors are reduced to ten dimensions; mixtures
# of Gaussians with 1, 2, 3, … components are fitted (here up to 7, theirs up to 49); the **Bayesian information criterion** chooses among them; and a
# cluster that is too large for one prompt is clustered again. (They reduce with UMAP, which keeps near things near; we take
# PCA, the directions in which the vectors differ most. The trouble is elsewhere.)

# %%
embedder = {language: default_embedder(language) for language in documents}


def leaf_vectors(hierarchy):
    """The vectors of a document's leaves, as the index has them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TruncationWarning)
        return embedder[hierarchy.document.language].encode([leaf.embedding_text for leaf in hierarchy.leaves])


def published(vectors, places, limit=10, rounds=3):
    """The places of each cluster; those above the limit are clustered again."""
    if not rounds:
        raise RecursionError(f"{len(places)} chunks are one cluster, round after round")
    points = PCA(10).fit_transform(vectors[places])
    tried = [GaussianMixture(n, random_state=0).fit(points) for n in range(1, min(8, len(points)))]
    probabilities = min(tried, key=lambda mixture: mixture.bic(points)).predict_proba(points)
    for column in probabilities.T:
        cluster = places[column > 0.1]
        if len(cluster) > limit:
            yield from published(vectors, cluster, limit, rounds - (len(cluster) == len(places)))
        else:
            yield cluster


for name in ("en/news_01", "en/support_chats/ticket-0001", "en/console_handbook"):
    hierarchy = next(own for own in sections["en"] if own.document.doc_id == name)
    vectors = leaf_vectors(hierarchy)
    try:
        print(f"{name}: {len(list(published(vectors, np.arange(len(vectors)))))} clusters")
    except (ValueError, RecursionError) as error:
        print(f"{name}: {len(vectors)} chunks\n  {type(error).__name__}: {str(error).split(' with ')[0]}")

# %% [markdown]
# Two short documents can't be reduced to ten dimensions at all. And the handbook never ends: BIC finds that one component is
# best, the one cluster is too large, so it is clustered again, and it is the same cluster. (Our copy counts rounds. The
# original recurses until Python stops it.) Text about one product can be *one* cloud.
#
# A third fault makes no noise. Every fit starts from a random guess. Here the same chunks are clustered with three seeds, and
# the groupings compared by the adjusted Rand index: 1 if they are the same, about 0 if they agree by chance only.

# %%
report = next(own for own in sections["en"] if own.document.doc_id == "en/annual_report")
vectors = leaf_vectors(report)
points = PCA(5).fit_transform(vectors)
labels = [GaussianMixture(8, covariance_type="tied", random_state=seed).fit_predict(points) for seed in range(3)]
agreement = [adjusted_rand_score(labels[0], other) for other in labels[1:]]
print("agreement of two seeds with a third (1 is full agreement):", [f"{value:.1f}" for value in agreement])

# %% [markdown]
# Without a fixed seed two runs can give two trees, so two indexes, and two answers to the same question.
#
# ## Clusters that hold
#
# **How many?** BIC (Schwarz, 1978) is the misfit of a mixture plus a price for each number in it: log(chunks) per parameter.
# The lowest wins. A Gaussian with a shape of its own has many numbers: in 5 dimensions 15 for its shape, and 5 for its
# place. Even our longest document has only 232 chunks. Where all components **share** one shape
# (`tied` in scikit-learn; `full` is a shape of its own), each further one costs only its place and its weight, and BIC can
# afford more of them:

# %%
reduced = np.round(PCA(5).fit_transform(np.round(vectors.astype(float), 6)), 4)


def bic(kind, components):
    """The criterion for a mixture with this many components."""
    mixture = GaussianMixture(components, covariance_type=kind, reg_covar=1e-4, random_state=0)
    return mixture.fit(reduced).bic(reduced)


curves = {kind: [bic(kind, n) for n in range(1, 11)] for kind in ("full", "tied")}
for kind, values in curves.items():
    best = int(np.argmin(values))
    print(f"{kind}: lowest at {best + 1} components, {values[best]:.0f}; with 10 it is {values[-1]:.0f}")

# %%
with drawing(3.0, width=7.0) as (figure, [axes]):
    for values, marker, label in zip(curves.values(), "os", ("own shape each", "one shape for all"), strict=True):
        axes.plot(range(1, 11), values, marker=marker, label=label)
    axes.set(xlabel="components", ylabel="BIC, lower is better", title="232 chunks of the annual report, 5 dimensions")
    figure.legend(loc="outside lower center", ncols=2)
    figure.alt = (
        "BIC over the number of components, 1 to 10, for the annual report. With a shape of its own for each "
        "component the curve is lowest at a small number and then rises steeply. With one shape for all it is "
        "lowest at a larger number and stays low."
    )
figure

# %% [markdown]
# **How soft?** The mixture says of each chunk how likely each component made it. From 0.1 on a chunk belongs. So it can
# belong to two clusters; one of them, the likeliest, is its **home**:

# %%
mixture = GaussianMixture(1 + int(np.argmin(curves["tied"])), covariance_type="tied", reg_covar=1e-4, random_state=0)
probabilities = mixture.fit(reduced).predict_proba(reduced)
print(f"{(np.sum(probabilities >= 0.1, axis=1) > 1).sum()} of {len(reduced)} chunks belong to more than one cluster")
torn = int(np.argmin(np.round(abs(probabilities.max(axis=1) - 0.5), 2)))  # the first of equals
print("the most divided one:", [f"{p:.2f}" for p in sorted(probabilities[torn], reverse=True)[:2]])
print(report.leaves[torn].context)

# %% [markdown]
# **And where there is nothing to find?** The package's `SoftClustering` follows the paper (global, then local: all chunks first,
# then the same inside each cluster) and adds what makes it safe. A component that only one chunk calls home is given up. A cluster above
# the limit is divided once more, and if that finds nothing, it is cut in document order: neighbours are the best guess when
# meaning gives none. So every layer is at most half as large as the one below, and the tree ends. Seeds are fixed, one thread
# adds up, and numbers are rounded before they decide.

# %%
rng = np.random.default_rng(0)
odd = {"equal vectors": np.ones((30, 8)), "zeros": np.zeros((30, 8)), "noise": rng.normal(size=(30, 8))}
for name, rows in odd.items():
    print(f"{name}: {[len(cluster.home) for cluster in SoftClustering().cluster(rows)]}")
for chunks in range(1, 11):
    clusters = SoftClustering().cluster(rng.normal(size=(chunks, 8)))
    assert sorted(place for cluster in clusters for place in cluster.home) == list(range(chunks))
    assert len(clusters) <= max(1, chunks // 2)
print("1 to 10 chunks: every chunk has a home")
first = SoftClustering().cluster(vectors)
with threadpool_limits(2):
    assert SoftClustering().cluster(vectors) == first
print(f"the {len(vectors)} chunks of the report, twice: the same {len(first)} clusters")

# %% [markdown]
# ## Summaries without a model
#
# RAPTOR asks a language model for each summary. We have none offline, so the default is **extractive**: it picks sentences,
# word for word. Nothing pretends to have been written. The method is **LexRank** (Erkan and Radev, 2004): sentences are
# nodes, likeness of words is the weight between them, and a random walk visits most often the sentence that says what many
# others say. It is PageRank on sentences. From its definition, with the whole table of similarities:


# %%
def lexrank_by_hand(vectors, steps=60):
    """How often a random walk over the sentences is at each of them; with 0.15 it jumps anywhere."""
    similar = (vectors @ vectors.T).toarray()
    lonely = similar.sum(axis=1) == 0
    similar[lonely, lonely] = 1
    moves = similar / similar.sum(axis=1, keepdims=True)
    ranks = np.full(len(moves), 1 / len(moves))
    for _ in range(steps):
        ranks = 0.15 / len(moves) + 0.85 * moves.T @ ranks
    return ranks


worst = compared = 0
for own in documents.values():
    for document in own:
        texts = [document.text[start:end] for start, end in split_sentences(document.text)]
        terms = [words(text, document.language) for text in texts]
        vectors = sparse.csr_array(TfidfVectorizer(analyzer=list).fit_transform(terms))
        worst = max(worst, np.abs(lexrank(vectors) - lexrank_by_hand(vectors)).max())
        compared += len(texts)
assert worst < 1e-9
print(f"{compared} sentences of {len(by_name)} documents: the package's lexrank gives the same ranks")

# %% [markdown]
# The package never writes that table down: with `X` the sentence vectors, one step is a product with `X` and one with its
# transpose, so its memory grows with the text, and not with the square of it.
#
# Ranks alone would take the same fact three times. So sentences are taken by **maximal marginal relevance** (Carbonell and
# Goldstein, 1998): rank, less the likeness to what was taken already. Short sentences, headings and table rows are left out
# where there is prose.

# %%
chapter = next(node for node in report.levels[2] if "Backlog" in node.context)
summary = ExtractiveSummariser().summarise(report.document, [chapter], max_tokens=80)
print(chapter.context, f"({count_tokens(chapter.text)} tokens)\n")
for start, end in summary.cites:
    print(f"{start}-{end}: {report.document.text[start:end]}")

# %% [markdown]
# Joined with line breaks, the cited spans *are* the summary. With a model you would write `LLMSummariser(OpenAIChatModel(…))`
# instead. The chunks then stand in its prompt as fenced data ([lesson 11](11_agentic.ipynb)), its answer is cut at
# `max_tokens`, and it cites all of its chunks, because a model does not say reliably what it took from where.
#
# ## The tree

# %%
chunkers = [StructureChunker(2000, 600), StructureChunker(600, 200), StructureChunker(200, 80)]
trees = {language: [build_summary_tree(document, chunkers) for document in own] for language, own in documents.items()}

lines, written, chunks = [], 0, 0
for own in trees.values():
    for tree in own:
        summaries = [node for node in tree if node.derived]
        for node in summaries:
            members = [tree.node(name) for name in node.metadata["members"]]
            assert list(node.sources) == merge(span for member in members for span in member.spans)
        written, chunks = written + len(summaries), chunks + len(tree.leaves)
        visits = sum(len(node.metadata["members"]) - len(tree.children(node)) for node in summaries)
        if len(tree.leaves) >= 50:
            sizes = " / ".join(str(len(level)) for level in tree.levels[1:])
            lines.append((tree.document.doc_id, sizes, visits))
print(f"{written} summaries of {chunks} chunks, every summary's sources are those of its members")
Table(("document", "nodes, root to chunks", "visits"), tuple(lines), "the documents with 50 chunks or more")

# %% [markdown]
# The last column counts memberships besides the homes. A blank document has no tree, one of a single chunk is its own root,
# and most news items and support chats are a handful of chunks under one summary. Here is the annual report from above: each
# dot is a chunk, at the first two of its principal components, marked by the summary right below the root that it is at
# home under. (In two of 384 dimensions the groups overlap more than where they were made. Fewer chunks are in two clusters than
# above: there one mixture divided the whole report, here are the clusters that the tree kept.)

# %%
tree = next(own for own in trees["en"] if own.document.doc_id == "en/annual_report")
top = tree.levels[2]
shares = [sum(leaf.node_id in node.metadata["members"] for node in tree.levels[-2]) for leaf in tree.leaves]


def home_below_root(node):
    """The ancestor of a node on level 2."""
    while node.level > 2:
        node = tree.parent(node)
    return top.index(node)


homes = np.array([home_below_root(leaf) for leaf in tree.leaves])
flat_points = PCA(2).fit_transform(leaf_vectors(report))
with drawing(4.5, width=7.0) as (figure, [axes]):
    for number, marker in enumerate("os^DvPX"):
        own = flat_points[homes == number]
        if len(own):
            axes.scatter(*own.T, s=26, marker=marker, label=f"summary {number}: {len(own)} chunks")
    axes.scatter(
        *flat_points[np.array(shares) > 1].T, s=110, facecolors="none", edgecolors="black", label="in two clusters"
    )
    axes.set(xlabel="first component", ylabel="second component")
    figure.legend(loc="outside right upper")
    print([(number, int((homes == number).sum())) for number in range(len(top))], sum(n > 1 for n in shares), "in two")
    figure.alt = (
        "Scatter plot of the chunks of the annual report in two dimensions, marked by the summary below the root "
        "that they are at home under. The groups lie in different regions and overlap widely in this flat "
        "picture. Chunks that belong to two clusters have a ring."
    )
figure

# %%
pages = [
    np.array([leaf.start for leaf in tree.leaves])[homes == number] / len(report.document.text)
    for number in range(len(top))
]
for number, node in enumerate(top):
    spread = f"{pages[number].min():.0%} to {pages[number].max():.0%}"
    print(f"summary {number}, chunks from {spread} of the report:\n  {node.text.splitlines()[0][:150]}")

# %% [markdown]
# Each of the five summaries stands for chunks from far apart: no section of the report could do that. Read their first
# sentences, though. An extract of extracts is no table of contents: what was picked at the lowest level limits what can be
# picked above it, and single sentences from five chapters don't say what they have in common. A model would.
#
# ## From a summary to the text
#
# All levels below the document are searched. A summary that is found is not a passage: it stands nowhere, it can't be cited
# or measured against gold spans, and an extract may leave out what the question needs. It leads to text. But to which? Four
# ways, all measured on the dev questions at 1,000 tokens:
#
# - **all spans** under it, which is what `resolve` gives for any derived node;
# - the **sentences** that it cites;
# - the **chunks** below it that are most similar to the question: the best three, or only the best one.

# %%
tree_index = {language: stack.enter_context(temporary_index(own)) for language, own in trees.items()}


class Resolved:
    """Search all levels; a summary becomes all spans under it, or only those that it cites."""

    def __init__(self, index, cited):
        self.index, self.cited = index, cited

    def spans(self, hit):
        """The passages of one hit."""
        if self.cited and hit.node.derived:
            text = by_name[hit.doc_id].text
            return [Passage(hit.doc_id, a, b, text[a:b], "", hit.score, (hit,)) for a, b in hit.node.metadata["cites"]]
        return resolve(self.index, [hit])

    def retrieve_batch(self, queries, k=5):
        found = []
        for hits in self.index.search_batch(queries, k):
            passages = {(p.doc_id, p.span): p for hit in reversed(hits) for p in self.spans(hit)}
            found.append(sorted(passages.values(), key=sort_key))
        return found


# %%
lines = []
for language, index in tree_index.items():
    ways = {
        "flat": FlatRetriever(flat_index[language]),
        "all spans": Resolved(index, cited=False),
        "cited sentences": Resolved(index, cited=True),
        "best 3 chunks": SummaryTreeRetriever(index, leaves=3),
        "best chunk": SummaryTreeRetriever(index, leaves=1),
    }
    for row in compare(score_retrievers(ways, questions[language], (1000,)), "recall", 1000).records():
        lines.append(
            (language, *(row[c] for c in ("method", "recall", "difference", "difference low", "difference high")))
        )
Table(("text", "a summary leads to", "recall", "difference", "low", "high"), tuple(lines), "recall at 1,000 tokens")

# %% [markdown]
# In Chinese *all spans* and the *cited sentences* are behind flat search: their intervals lie below zero. All spans of a root
# are a whole document, from its beginning, in one place of the ranking; a sentence alone has lost its surroundings. In
# English the interval of the best chunk lies just above zero; more about that below. Of the four, the best chunk has the
# highest mean in both languages, so the package's retriever takes it: each summary that is found leads to the chunk below
# it that is most similar to the question, and that chunk scores as much as the summary. (The choice was made on the
# questions that we go on to measure with, so what follows is, if anything, too kind to the tree.)
#
# ## Measured
#
# Against flat search on the same leaves, [parent-child](14_parent_child.ipynb) and [auto-merging](15_auto_merging.ipynb). The
# tree is searched in both ways of the paper. **Collapsed**: all levels at once, as above. **Layers**: the best 20 roots, then the
# best 20 of what they sum up, and so on down to chunks.

# %%
board = {}
for language, index in tree_index.items():
    methods = {
        "flat": FlatRetriever(flat_index[language]),
        "parent-child": ParentChildRetriever(flat_index[language], coverage=0.3),
        "auto-merging": AutoMergingRetriever(flat_index[language], threshold=0.6),
        "tree, collapsed": SummaryTreeRetriever(index),
        "tree, layers": SummaryTreeRetriever(index, "layers"),
    }
    board[language] = score_retrievers(methods, questions[language])
compare(board["en"], "recall", 1000)

# %%
compare(board["zh"], "recall", 1000)

# %%
lines = []
for language, own in board.items():
    for method in ("tree, collapsed", "tree, layers"):
        for budget in own["flat"].budgets:
            base, row = compare({name: own[name] for name in ("flat", method)}, "recall", budget).records()
            numbers = [row[name] for name in ("recall", "difference", "difference low", "difference high", "p")]
            lines.append((language, method, budget, base["recall"], *numbers))
Table(
    ("text", "method", "budget", "flat", "recall", "difference", "low", "high", "p"), tuple(lines), "tree against flat"
)

# %%
curve = budget_curves(budget_curve(board["en"]), scale="log")
print(curve.numbers)
curve

# %% [markdown]
# **Collapsed** search can hardly be told from flat search. There is one interval above zero, English at 1,000 tokens, but its
# p-value is 0.125. The two seem to disagree, and the reason is that only four questions changed at all: all four for the
# better, which a fair coin does in one of eight cases (counting both sides). At the other budgets, and in Chinese, no
# difference is shown.
#
# **Layers** are behind flat search in English at every budget, and in Chinese up to 2,000 tokens. A likely reason: the
# first step compares the question with one summary for each document. A question about a detail needs a root that
# mentions it, and a root has room for a few sentences. What is lost there can't be found again. The paper, too, found collapsed
# search better than going down the tree.
#
# The gains that the paper reports are with summaries written by a language model, on other texts, and against other
# baselines. These tables say nothing about that. They say: *the tree alone*, with extractive summaries, brings little,
# if anything.
#
# ### By question type
#
# The paper's promise is about questions that need several places. So look at summaries, enumerations and processes:


# %%
def by_type(method, budget):
    """Difference from flat with its interval, for each language and question type."""
    lines = []
    for language, own in board.items():
        for kind in ("single_fact", "summary", "enumeration", "process", "dialogue"):
            pair = {name: own[name] for name in ("flat", method)}
            base, row = compare(pair, "recall", budget, type=kind).records()
            numbers = [row[name] for name in ("recall", "difference", "difference low", "difference high")]
            lines.append((language, kind, row["questions"], base["recall"], *numbers))
    columns = ("text", "type", "questions", "flat", method, "difference", "low", "high")
    return Table(columns, tuple(lines), f"recall at {budget} tokens")


by_type("tree, collapsed", 2000)

# %%
by_type("tree, layers", 2000)

# %% [markdown]
# For collapsed search every interval holds zero, or ends there; for summaries, enumerations and processes, too. By layers,
# single facts in English lose most. In Chinese, summaries and processes are behind, two of the types that the tree is meant
# for. The one type with a gain on average is the English enumeration, and its interval holds zero.
#
# ### Rescued and spoiled

# %%
for language in board:
    rescued, spoiled = largest_changes(board[language]["flat"], board[language]["tree, collapsed"], budget=1000)
    pairs = [board[language][name].scores("recall", 1000).values() for name in ("flat", "tree, collapsed")]
    print(
        f"{language}: {sum(abs(a - b) > 1e-9 for a, b in zip(*pairs, strict=True))} of {len(pairs[0])} questions changed"
    )
    for change, word in ((rescued, "rescued"), (spoiled, "spoiled")):
        if change is None:
            print(f"{word}: none")
            continue
        print(f"{word}: {change.question.id}, recall {change.before:.2f} to {change.after:.2f}")
        print("  ", change.question.question)

# %%
for name, passages in {"flat": spoiled.passages_before, "collapsed": spoiled.passages_after}.items():
    print(name)
    for p in passages:
        gold = recall([p], spoiled.question.evidence)
        levels = sorted({hit.node.level for hit in p.hits})
        print(f"  {p.score:.3f} {p.doc_id}:{p.start}-{p.end}, hits on levels {levels}, {gold:.0%} of the gold")

# %% [markdown]
# In English no question lost anything at this budget. In Chinese, look at the one that lost most: the chunk with the answer
# is in both lists, with the same score. But the summary of a support chat is a little more similar to the question, and the
# chunk that it leads to takes the place in front of it. So the budget cuts the answer.
# **Each summary that leads to a wrong chunk costs the room of a right one.**
#
# The rescued English question, in the tree: marked are the hits, and above each chunk stands the way to it.

# %%
rescued, _ = largest_changes(board["en"]["flat"], board["en"]["tree, collapsed"], budget=1000)
evidence = rescued.question.evidence[0]
doc_id = evidence.doc_id
own = next(tree for tree in trees["en"] if tree.document.doc_id == doc_id)
leaf = next(leaf for leaf in own.leaves if leaf.start <= evidence.start < leaf.end)
print(f"the answer is in {leaf.node_id}, below {leaf.parent_id}")
hits = [hit for hit in tree_index["en"].search(rescued.question.question, 12) if hit.doc_id == doc_id]
TreeView(own, hits)

# %% [markdown]
# The summary with a score of 0.402 is found by its own words, and the chunk with the answer lies below it. That chunk is not
# among the 12 best hits itself: it is less similar to the question than its summary.
#
# And the question of the beginning, with the tree:

# %%
where_found(SummaryTreeRetriever(tree_index["zh"]))
for p in pack(SummaryTreeRetriever(tree_index["zh"]).retrieve(question.question, k=40), 1000):
    if gold := recall([p], question.evidence):
        scores = ", ".join(f"{hit.score:.3f} on level {hit.node.level}" for hit in p.hits)
        print(f"{p.doc_id}:{p.start}-{p.end}, {gold:.0%} of the gold, hits: {scores}")

# %% [markdown]
# Four of five pieces, in place of one. But look how: the three new ones stand in *one* chunk. Its own words (level 4) score less
# than the summaries above it, and these brought it into the context. So the tree did not collect places from all over the
# book here: it led to one more right chunk, and the piece at 5% is still missing. And this is the Chinese question that the
# tree helped most, so take it for a good case, and not for the average.
#
# ## What a change costs
#
# A tree belongs to one document, so adding a document builds its own tree and touches no other. The Chinese index without
# its last document, and with it:

# %%
with temporary_index(trees["zh"][:-1]) as growing:
    old = {hit.node.node_id: hit.node for hit in growing.search(question.question, 1000)}
    growing.add(trees["zh"][-1])
    new = {hit.node.node_id: hit.node for hit in growing.search(question.question, 1000)}
print(f"{trees['zh'][-1].document.doc_id}: {len(new) - len(old)} nodes added to {len(old)}", end=", ")
print(sum(new.get(name) != node for name, node in old.items()), "of these changed")

# %% [markdown]
# When a document *changes*,
# its chunks are clustered anew. But a summary depends only on its members: `CachedSummariser` keeps what was written for
# the same texts, wherever they stand now. One short sentence is added to the Chinese handbook:


# %%
class Counting:
    """An extractive summariser that counts what it is asked."""

    name, asked = "extractive", 0

    def summarise(self, document, nodes, max_tokens):
        self.asked += 1
        return ExtractiveSummariser().summarise(document, nodes, max_tokens)


counting = Counting()
cached = CachedSummariser(counting)
handbook = by_name["zh/technical_handbook"]
before = build_summary_tree(handbook, chunkers, cached)
print(f"first build: {counting.asked} summaries for {len(before.leaves)} chunks")
counting.asked = 0
build_summary_tree(handbook, chunkers, cached)
print(f"nothing changed: {counting.asked} summaries")
leaf = before.leaves[60]
changed = Document(
    handbook.doc_id, handbook.text[: leaf.end] + "另见附录。" + handbook.text[leaf.end :], "markdown", "zh"
)
after = build_summary_tree(changed, chunkers, cached)
print(f"one sentence added: {counting.asked} of {sum(node.derived for node in after)} summaries")

# %% [markdown]
# One sentence, and about half of the summaries are new. A path from one chunk to the root would be three. But the changed
# vector moves the mixtures, BIC may decide for another number of components, and then many clusters have other members. That
# is the price of a tree that no author wrote: sections stay where they are, clusters don't.
#
# ## Parameters
#
# | what | start with | what it costs |
# |---|---|---|
# | leaves | 100 to 200 tokens; the paper takes 100 | smaller ones make more clusters, so more summaries to write |
# | summary size, `max_tokens` | 100 to 150; the paper's are 131 tokens on average | longer ones are more than the embedder reads, and say less exactly what they are about |
# | `threshold` | 0.1 | higher: clusters become hard; lower: summaries repeat each other |
# | `max_members` | 10; it bounds the prompt | larger: flatter trees, vaguer summaries |
# | `dims` | 5; published code has 10 | more: BIC affords fewer clusters |
# | search | `"collapsed"` | `"layers"` asks less of the index in a very large tree, and loses what a root does not say |
# | `leaves` of the retriever | 1; more with a model's summaries, if your questions show it | each found summary takes that many places in the context |
# | summariser | extractive | a model: one request a cluster, here about one for every four chunks |
#
# Turn the search first, then the size of the leaves. The clustering's parameters come last.
#
# ## Exercises
#
# `hint("16.1")` gives a hint, `solution("16.1")` shows a solution.
#
# ### Exercise 16.1 · Find the bug: who belongs to which cluster
#
# ★☆☆ · 8 minutes. `probabilities[i][c]` says how likely chunk `i` belongs to cluster `c`. A chunk belongs to every cluster with
# **at least** `threshold`, and in any case to its likeliest one (the first of equals). Return, for each cluster, the chunks
# that belong to it, ascending. The published code loses chunks.


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
# ## Takeaways
#
# 1. A summary tree groups chunks by meaning, so one node can stand for places all over a document.
# 2. BIC can say that a whole document is one cluster. Code without a rule for that never ends, or loses chunks.
# 3. A summary is derived: it is searched, it names its sources, and what is returned is the document's own text.
# 4. Search all levels at once. From the roots down, what a root does not say is lost.
# 5. With extractive summaries, at equal budgets, the tree is hardly told from flat search on the same chunks. Measure with
#    your model's summaries before you pay for them.
#
# ## Interview questions
#
# <details><summary>1. How does RAPTOR choose the number of clusters, and what goes wrong with that on real documents?</summary>
#
# It fits Gaussian mixtures with 1, 2, 3, … components in a reduced space and takes the one with the lowest BIC, globally and
# then inside each cluster. A document about one thing can be one cloud, and BIC then says one; code that clusters too large clusters
# again until they are small enough then never ends. One needs a rule for the inseparable case, a shared covariance so that BIC
# can afford components, and a minimum size of clusters.
# </details>
#
# <details><summary>2. A summary scores best for a question. What do you hand to the language model?</summary>
#
# Text of the document that the summary leads to: its chunks most similar to the question. The summary itself can't be
# cited, may be wrong if a model wrote it, and leaves out details. If one also wants to give it for orientation, it should be
# marked as a summary, and count against the same token budget.
# </details>
#
# <details><summary>3. Your team wants RAPTOR because the paper reports gains. How do you decide?</summary>
#
# On our own questions, at the same context tokens, against flat search on the same chunks, by question type, with
# intervals of the paired difference. And I'd count the cost: one model call for every few chunks, again when a document
# changes, and more vectors to search. If summaries written by a model are planned, I'd measure with those: extractive ones say
# little about them.
# </details>
#
# ## Further reading
#
# - Sarthi et al., *RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval*, ICLR 2024:
#   [arXiv:2401.18059](https://arxiv.org/abs/2401.18059)
# - Erkan and Radev, *LexRank: Graph-based Lexical Centrality as Salience in Text Summarization*, 2004:
#   [arXiv:1109.2128](https://arxiv.org/abs/1109.2128)
# - scikit-learn, *Gaussian mixture models*:
#   [scikit-learn.org/stable/modules/mixture.html](https://scikit-learn.org/stable/modules/mixture.html)
#
# Next: [17 · Four levels](17_four_level_index.ipynb). Back: [15 · Auto-merging](15_auto_merging.ipynb) ·
# [tour](00_tour.ipynb).
